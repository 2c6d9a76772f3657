"""Faults of covenants, benchmark terms and answers in the notation of real outputs (real_agreements.md R3).

Signs for words, words around figures, extra covenants with invented figures, ranges with conditions, long answers, refusals that claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_fields import DROPPED
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_natural_fields import NOT_FULL
from benchmarks.mutation_quotes import INVENTED, Plant
from benchmarks.mutation_terms import _answer, _covenant, _covenants, _finding, _findings, _flag, _flags, _in_bps, mutant

WRONG = {"semantic_match": "not_equivalent"}

# ---- covenants -----------------------------------------------------------------------------------------------------

MOST = re.compile(r"not exceed|not more than|not be more than")
LEAST = re.compile(r"less than|equal to or greater|at least")
FIGURE = re.compile(r"(?:GBP |EUR |\$)?\d[\d,]*(?:\.\d+)?%?")


def _limits(case: BaseCase) -> Iterator[tuple[int, str, bool]]:
    """Financial covenants with a limit: number, the figure with its currency or per cent sign, whether it is a maximum."""
    for n, covenant in _covenants(case):
        text = covenant["threshold"] or ""
        figure = FIGURE.search(text)
        if covenant["type"] == "financial" and figure and bool(MOST.search(text)) != bool(LEAST.search(text)):
            yield n, figure.group(), bool(MOST.search(text))


def _times(figure: str) -> str:
    return figure if re.search(r"[A-Z$%]", figure) else f"{figure}x"


def threshold_signs(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, figure, is_most in _limits(case):
        for text in ("≥ {}", "min. {}", "at least {}") if is_most else ("≤ {}", "max. {}", "not more than {}"):
            parts = {"threshold": text.format(_times(figure))}
            yield _covenant("threshold: comparator turned round, by a sign", base, case, n, "fail", parts, verdicts=WRONG)
        number = re.search(r"\d[\d,]*(?:\.\d+)?", figure)
        assert number is not None
        value = Fraction(number.group().replace(",", "")) * Fraction(23, 20)
        places = len(number.group().partition(".")[2])
        other = _times(figure.replace(number.group(), f"{float(value):,.{places}f}"))
        for text in ("≤ {}", "max {} (tested on each test date)") if is_most else ("≥ {}", "min {} (tested on each test date)"):
            parts = {"threshold": text.format(other)}
            yield _covenant("threshold: value wrong, by a sign or with words", base, case, n, "fail", parts, verdicts=WRONG)


DAYS = re.compile(r"(\w+-?\w* )?\(?(\d+)\)? days")
WORDS = {10: "ten", 25: "twenty-five", 35: "thirty-five", 50: "fifty", 55: "fifty-five", 100: "one hundred", 130: "one hundred and thirty"}


def deadline_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        text = covenant["threshold"] or ""
        if covenant["type"] == "information" and (found := DAYS.search(text)):
            days = int(found[2])
            for other in sorted({10, 100, 55} - {days}):
                for form in (f"{WORDS[other]} days", f"{WORDS[other]} ({other}) days", f"{other} calendar days"):
                    parts = {"threshold": text[: found.start()] + form + text[found.end() :]}
                    yield _covenant("deadline wrong, in words", base, case, n, "fail", parts, verdicts=WRONG)
            parts = {"threshold": text[: found.start()] + f"{WORDS[100]} ({days}) days" + text[found.end() :]}
            yield _covenant("deadline: words and figures differ", base, case, n, NOT_FULL, parts, verdicts=WRONG)


FREQUENCIES = {
    "monthly": (("each fiscal quarter", "partial"), ("once a year", "fail"), ("at all times", "fail")),
    "quarterly": (("every six months", "partial"), ("each Financial Year", "fail"), ("promptly upon a Default", "fail")),
    "semi_annual": (("each financial quarter", "partial"), ("monthly, on the last day", "fail")),
    "annual": (("half-yearly", "partial"), ("every calendar month", "fail"), ("on each Quarter Date", "fail")),
}


def frequency_words(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        for text, expected in FREQUENCIES.get(covenant["testing_frequency"], ()):
            parts = {"testing_frequency": text}
            yield _covenant("frequency wrong, in words", base, case, n, expected, parts, verdicts=WRONG)


def covenant_nothing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The row is there and says that nothing was found: the covenant is missed."""
    for n, _ in _covenants(case):
        said = rng.choice(("Not explicitly defined in provided section", "not found", "N/A - not specified"))
        parts = {"threshold": said, "flags": [], "citation": DROPPED, "citations": DROPPED}
        output = deepcopy(case.output)
        output["covenants"][n] = {k: v for k, v in {**output["covenants"][n], **parts}.items() if v is not DROPPED}
        name = output["covenants"][n]["name"]
        yield mutant(
            "covenant whose row says that there is none",
            base,
            case,
            f"covenants.{name}",
            output,
            "fail",
            verdicts={"covenant_identity": "different"},
        )


def covenant_extra_figures(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Beside gold, with a real quote and a threshold that nobody agreed on."""
    if case.capability != "covenant_monitoring":
        return
    real = next(c["citation"] for c in case.output["covenants"] if "citation" in c)
    for name, threshold in (
        ("Observatory Ratio", "not less than 7.77:1"),
        ("Observatory Ratio", "≥ 7.77x"),
        ("Birch Reserve", "USD 98,765,000"),
        ("Birch Reserve", "at least €98.765m"),
    ):
        new = {"name": name, "type": "financial", "threshold": threshold, "testing_frequency": "none", "effective_date": "original"}
        output = deepcopy(case.output)
        output["covenants"].append({**new, "flags": [], "citation": real})
        yield mutant(
            "covenant beside gold, figure invented",
            base,
            case,
            f"covenants.+{name}",
            output,
            "hallucination",
            code="EXTRA_COVENANT",
            verdicts={"covenant_identity": "different", "quote_support": "does_not_support"},
        )


def flags_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        if flag["kind"] == "grace_period":
            for days in ("17 BD", "seventeen Business Days", "two months", "6 weeks"):
                yield _flag("flag value wrong, natural notation", base, case, n, m, "fail", {"days": days}, verdicts=WRONG)
        elif flag["kind"] == "cross_default":
            sign = "£" if "GBP" in flag["threshold"] else "$"
            for text in (f"{sign}98.7m", f"{sign}987k in aggregate", f"more than {sign}1 million"):
                yield _flag("flag value wrong, natural notation", base, case, n, m, "fail", {"threshold": text}, verdicts=WRONG)
        elif flag["kind"] == "carve_out":
            for k, item in enumerate(flag["items"]):
                if "cap" in item:
                    sign = "£" if "GBP" in item["cap"] else "$"
                    items = [{**i, "cap": f"{sign}31.4m (aggregate)"} if j == k else i for j, i in enumerate(flag["items"])]
                    yield _flag("flag value wrong, natural notation", base, case, n, m, "fail", {"items": items}, verdicts=WRONG)


def case_flag_missed(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Gold has the cross-default for the whole case; the output has it nowhere, or with another figure."""
    for n, m, flag in _flags(case):
        if flag["kind"] != "cross_default":
            continue
        output, gold = deepcopy(case.output), deepcopy(case.gold)
        del output["covenants"][n]["flags"][m], gold["covenants"][n]["flags"][m]
        gold["flags"] = [{"kind": "cross_default", "threshold": flag["threshold"]}]
        item = "flags.cross_default"
        more: dict[str, Any] = {"gold": gold, "touches_others": True, "verdicts": WRONG}
        yield mutant("flag of the case missed", base, case, item, output, "fail", code="FLAG_MISSING", **more)
        wrong = {**output, "flags": [{**flag, "threshold": "USD 98,765"}]}
        yield mutant("flag of the case with another figure", base, case, item, wrong, "fail", **more)


# ---- benchmark terms -----------------------------------------------------------------------------------------------


def ranges(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Gold's benchmark is set to a range: the gap counts from the nearest end."""
    for n, finding in _findings(case, "deviation"):
        gap, deal, bench = _in_bps(finding["gap"]), _in_bps(finding["deal_value"]), _in_bps(finding["benchmark_value"])
        if gap is None or deal is None or bench is None or deal <= bench:
            continue
        low, high = int(bench) - 50, int(bench)
        gold = deepcopy(case.gold)
        gold["findings"][n]["benchmark_range"] = {"low": low, "high": high, "unit": "bps", "rating": "BBB", "region": "EMEA"}
        right = {"benchmark_value": f"{low} to {high} bps", "gap": f"{int(gap)} bps"}
        more: dict[str, Any] = {"gold": gold, "verdicts": WRONG | {"benchmark_gap": "different_gap"}}
        yield _finding("benchmark range: gap from the nearest end", base, case, n, "correct", right, **more)
        for text in (f"{int(gap) + 50} bps", f"{int(gap) + 25} bps wider", f"{int(gap) - 30} bps"):
            yield _finding("benchmark range: gap from another end", base, case, n, "fail", {**right, "gap": text}, **more)
        for text in (f"{low + 150} to {high + 150} bps", f"{low - 150}-{high - 150} bps (BBB, EMEA)"):
            yield _finding("benchmark range: another range", base, case, n, "fail", {**right, "benchmark_value": text}, **more)


def conforming_outside(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Affirmed conformity with a benchmark that does not hold the deal's value."""
    for n, finding in _findings(case, "conforming"):
        deal = re.search(r"\d+(?:\.\d+)?(?=%| per cent)", finding["deal_value"])
        if deal and "/" not in finding["deal_value"]:
            value = Fraction(deal.group())
            for text in (f"{float(value + 2):g}% to {float(value + 4):g}%", f"{float(value * 2 + 3):g}%"):
                parts = {"benchmark_value": text}
                yield _finding("conforming, with a benchmark that does not hold the deal", base, case, n, "fail", parts, verdicts=WRONG)


def finding_nothing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "benchmark_validation" or case.gold["jurisdiction_ambiguous"]:
        return
    for n, finding in _findings(case):
        if finding["finding"] != "not_comparable":
            said = rng.choice(("not found in the document", "No provision found", "not stated"))
            parts = {"deal_value": said, "benchmark_value": None, "gap": None, "citation": None}
            yield _finding("finding that says that nothing was found", base, case, n, "fail", parts, verdicts=WRONG)


def values_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, finding in _findings(case, "deviation"):
        gap, deal, bench = _in_bps(finding["gap"]), _in_bps(finding["deal_value"]), _in_bps(finding["benchmark_value"])
        if gap is None or deal is None or bench is None:
            continue
        far = int(gap) + 60
        for text in (f"approx. {far} bps", f"{far / 100:g} percentage points wider", f"c. {far}bp"):
            yield _finding("gap wrong, natural notation", base, case, n, "fail", {"gap": text}, verdicts={"benchmark_gap": "different_gap"})
        for text in (f"{float(deal + 45) / 100:.2f}% over SONIA", f"SOFR + {int(deal) + 45}bps", f"{int(deal) + 45} bp p.a."):
            yield _finding("deal value wrong, natural notation", base, case, n, "fail", {"deal_value": text}, verdicts=WRONG)


# ---- answers -------------------------------------------------------------------------------------------------------


def answers_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa" or not case.gold["answerable"]:
        return
    incorrect = {"answer_correctness": "incorrect"}
    answer = case.output["answer"]
    turned = re.sub(r"\d+", lambda m: str(int(m.group()) + 7), answer, count=1)
    if turned != answer:
        for text in (
            f"Based on the provided agreement, the answer is as follows: **{turned}** Please see the cited clause for the details.",
            f"- {turned}\n- See the cited clause.",
            f"According to the document, {turned}",
        ):
            yield _answer("answer wrong, long and with markdown", base, case, "fail", {"answer": text}, verdicts=incorrect)
    for text in ("Yes.", "None.", "It depends on the circumstances."):
        yield _answer("answer of one word", base, case, "fail", {"answer": text}, verdicts={"answer_correctness": "non_answer"})
    cited = case.output["citations"][0]
    for parts in ({"section": "N/A"}, {"quote": "N/A"}, {"page": "n/a"}) if base.is_paged else ({"section": "N/A"}, {"quote": "N/A"}):
        output = {"citations": [{**cited, **parts}, *case.output["citations"][1:]]}
        yield _answer("right answer, an element that is none", base, case, "partial", output)
    output = {"citations": [*case.output["citations"], {"document": cited["document"], "page": 1, "section": "Clause 97.3", "quote": None}]}
    yield _answer("right answer, one clause invented", base, case, "hallucination", output)


def refusals_natural(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa" or case.gold["answerable"]:
        return
    topic = case.gold["topic"]
    full = f"The document does not contain information about {topic}."
    not_one = {"refusal_quality": "not_a_refusal"}
    for text in (
        f"{full} If this information is required, it may be found in the side letter, which sets it at one third.",
        f"**{full}** As a rule it is agreed bilaterally.",
        f"“{full}” Typically, lenders would expect a strong one.",
    ):
        yield _answer(
            "refusal: a claim behind the place", base, case, "fail", {"answer": text}, code="REFUSAL_EXTRA_CLAIM", verdicts=not_one
        )
    for rating in ("BB+", "Baa3"):
        if rating.casefold() not in " ".join(base.texts[d].running for d in case.documents):
            text = f"It is rated {rating} with a stable outlook."
            yield _answer(
                "unanswerable question answered, rating invented", base, case, "hallucination", {"answer": text}, verdicts=not_one
            )
    for text in ("It is a matter for the Borrower.", "Yes, this is dealt with in the agreement."):
        yield _answer("unanswerable question answered in words", base, case, "fail", {"answer": text}, verdicts=not_one)
    for text in ("I could not find this in the excerpts that were given to me.", "As an AI model I cannot answer this question."):
        yield _answer("refusal: of a language model", base, case, "fail", {"answer": text}, verdicts={"refusal_quality": "generic"})
    cited = {"document": case.documents[0], "page": 1, "section": "Clause 97.3", "quote": rng.choice(INVENTED)}
    yield _answer(
        "refusal with an invented clause",
        base,
        case,
        "hallucination",
        {"citations": [cited]},
        verdicts={"quote_paraphrase": "fabricated"},
    )


NATURAL_TERM_KINDS: dict[str, Plant] = {
    "threshold, signs": threshold_signs,
    "deadline, words": deadline_words,
    "frequency, words": frequency_words,
    "covenant whose row says that there is none": covenant_nothing,
    "covenant beside gold, figure invented": covenant_extra_figures,
    "flag value, natural notation": flags_natural,
    "flag of the case": case_flag_missed,
    "benchmark ranges": ranges,
    "conforming outside": conforming_outside,
    "finding that says that nothing was found": finding_nothing,
    "gap and value, natural notation": values_natural,
    "answers, natural": answers_natural,
    "refusals, natural": refusals_natural,
}
