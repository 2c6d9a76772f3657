"""Faults of covenants, benchmark terms and answers (standard 2, 3, 4; judging.md 3, 4, 5)."""

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
from benchmarks.mutation_quotes import INVENTED, Plant


def mutant(kind: str, base: Base, case: BaseCase, item: str, output: dict[str, Any], expected: str, **more: Any) -> Mutant:
    gold = more.pop("gold", case.gold)
    return Mutant(kind, base.name, case.case_id, case.capability, case.documents, item, output, gold, case.input, expected, **more)


# ---- covenants -----------------------------------------------------------------------------------------------------

TYPES = ("financial", "information", "negative", "positive")
LADDER = ("monthly", "quarterly", "semi_annual", "annual")


def _covenants(case: BaseCase) -> Iterator[tuple[int, dict[str, Any]]]:
    if case.capability == "covenant_monitoring":
        yield from enumerate(case.output["covenants"])


def _covenant(kind: str, base: Base, case: BaseCase, n: int, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    output, gold = deepcopy(case.output), deepcopy(case.gold)
    name = output["covenants"][n]["name"]
    output["covenants"][n].update(parts)
    gold["covenants"][n].update(more.pop("gold", {}))
    return mutant(kind, base, case, f"covenants.{name}", output, expected, gold=gold, **more)


def type_swapped(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        for other in TYPES:
            if other not in (covenant["type"], covenant.get("secondary_type"), case.gold["covenants"][n].get("secondary_type")):
                yield _covenant("covenant: type swapped", base, case, n, "fail", {"type": other, "secondary_type": None})


def type_outside(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, _ in _covenants(case):
        for word, verdict, expected in (
            ("maintenance", "adjacent", "partial"),
            ("undertaking to pay", "different", "fail"),
            ("ratio-like class", "same", "correct"),
        ):
            yield _covenant(
                f"covenant: type outside the taxonomy, {verdict}",
                base,
                case,
                n,
                expected,
                {"type": word},
                verdicts={"covenant_type_adjacency": verdict},
            )


def type_straddling(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        if covenant["type"] == "negative":
            continue
        second = {"financial": "information", "information": "positive", "positive": "information"}[covenant["type"]]
        gold = {"secondary_type": second}
        swapped = {"type": second, "secondary_type": covenant["type"]}
        yield _covenant("covenant: primary and secondary type exchanged", base, case, n, "partial", swapped, gold=gold)
        yield _covenant(
            "covenant: secondary type reported alone", base, case, n, "fail", {"type": second, "secondary_type": None}, gold=gold
        )
        yield _covenant(
            "covenant: secondary type not noted",
            base,
            case,
            n,
            "correct",
            {"secondary_type": None},
            gold=gold,
            code="SECONDARY_TYPE_MISSING",
        )


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def _thresholds(case: BaseCase) -> Iterator[tuple[int, str, re.Match[str], Fraction]]:
    for n, covenant in _covenants(case):
        text = covenant["threshold"]
        if text and (found := NUMBER.search(text)):
            yield n, text, found, Fraction(found.group().replace(",", ""))


def _number(value: Fraction, like: str) -> str:
    places = len(like.split(".")[1]) if "." in like else 0
    return f"{float(value):,.{places}f}"


def threshold_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, text, found, value in _thresholds(case):
        if "(" in text:  # words and figures: both are changed elsewhere, as they may not differ
            continue
        for factor in (Fraction(5, 4), Fraction(1, 2), Fraction(10)):
            other = text[: found.start()] + _number(value * factor, found.group()) + text[found.end() :]
            yield _covenant("threshold: value wrong", base, case, n, "fail", {"threshold": other})


TURNS = (
    ("not less than", "not more than"),
    ("shall not be less than", "shall not be more than"),
    ("not more than", "not less than"),
    ("shall not exceed", "shall exceed"),
    ("equal to or greater than", "equal to or less than"),
    ("less than", "more than"),
)


def threshold_turned(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        text = covenant["threshold"] or ""
        for word, other in TURNS:
            if covenant["type"] == "financial" and word in text:
                yield _covenant("threshold: comparator turned round", base, case, n, "fail", {"threshold": text.replace(word, other, 1)})
                break


def threshold_range(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, text, found, value in _thresholds(case):
        if case.output["covenants"][n]["type"] == "financial":
            unit = text[found.end() :]
            sign = (
                text[found.start() - 4 : found.start()]
                if text[found.start() - 4 : found.start()] in ("GBP ", "EUR ", "USD ")
                else ("$" if "$" in text else "")
            )
            low, high = _number(value * Fraction(9, 10), found.group()), _number(value * Fraction(11, 10), found.group())
            yield _covenant(
                "threshold: given as a range", base, case, n, "partial", {"threshold": f"{sign}{low}{unit} to {sign}{high}{unit}"}
            )


def threshold_spelled(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, text, _found, _ in _thresholds(case):
        ratio = re.search(r"(\d+\.\d+)( to 1(?!\d)|:1(?!\d))", text)
        if ratio:
            other = text.replace(ratio.group(), f"{ratio[1]}x")
            if base.stands(case, other):
                continue
            yield _covenant("threshold: equal, not verbatim", base, case, n, "partial", {"threshold": other}, code="THRESHOLD_NOT_VERBATIM")


def threshold_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        if covenant["threshold"]:
            yield _covenant("threshold: missing", base, case, n, "fail", {"threshold": None})


def frequency_moved(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        own = covenant["testing_frequency"]
        if own in LADDER:
            for other in LADDER:
                levels = abs(LADDER.index(own) - LADDER.index(other))
                if levels == 1:
                    yield _covenant("frequency: one level off", base, case, n, "partial", {"testing_frequency": other})
                elif levels:
                    yield _covenant("frequency: two levels or more off", base, case, n, "fail", {"testing_frequency": other})
            for other in ("on_event", "none"):
                yield _covenant("frequency: periodic against on event or none", base, case, n, "fail", {"testing_frequency": other})


def frequency_inferred(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """Right, but the covenant's quote stands in a clause that says nothing of it (gold and output alike)."""
    for n, covenant in _covenants(case):
        text = str(covenant.get("citation", {}).get("quote", "")).casefold()
        words = ("quarter", "annual", "year", "month")
        if covenant["testing_frequency"] == "none" and covenant["type"] == "negative" and text and not any(w in text for w in words):
            page = next(
                base.texts[d].pages[covenant["citation"]["page"] - 1].casefold()
                for d in case.documents
                if d == covenant["citation"]["document"]
            )
            if any(w in page for w in ("quarterly", "semi-annual", "each fiscal quarter")):
                continue
            parts = {"testing_frequency": "quarterly"}
            yield _covenant("frequency: inferred", base, case, n, "partial", parts, gold=parts, code="FREQUENCY_INFERRED")


def effective_date_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, _ in _covenants(case):
        for value in ("2077-07-07", None):
            yield _covenant("covenant: effective date wrong", base, case, n, "partial", {"effective_date": value})


def covenant_missed(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, covenant in _covenants(case):
        output = deepcopy(case.output)
        del output["covenants"][n]
        yield mutant(
            "covenant missed", base, case, f"covenants.{covenant['name']}", output, "fail", verdicts={"covenant_identity": "different"}
        )


def covenant_twice(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for _n, covenant in _covenants(case):
        output = deepcopy(case.output)
        output["covenants"].append(deepcopy(covenant))
        yield mutant("covenant reported twice", base, case, f"covenants.+{covenant['name']}", output, "extra", code="DUPLICATE_COVENANT")


def covenant_extra(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "covenant_monitoring":
        return
    real = next(c for c in case.output["covenants"] if "citation" in c)
    for name in ("Reforestation undertaking", "Observatory upkeep"):
        new = {"name": name, "type": "positive", "threshold": None, "testing_frequency": "none", "effective_date": "original", "flags": []}
        for quote in (rng.choice(INVENTED), None):
            cited = {**real["citation"], **({"quote": quote} if quote else {})}
            output = deepcopy(case.output)
            output["covenants"].append({**new, "citation": cited})
            kind, expected, code = (
                ("covenant invented with an invented quote", "hallucination", "")
                if quote
                else ("covenant beside gold", "extra", "EXTRA_COVENANT")
            )
            yield mutant(
                kind,
                base,
                case,
                f"covenants.+{name}",
                output,
                expected,
                code=code,
                verdicts={"covenant_identity": "different", "quote_paraphrase": "fabricated", "quote_support": "supports"},
            )


def _flags(case: BaseCase) -> Iterator[tuple[int, int, dict[str, Any]]]:
    for n, covenant in _covenants(case):
        for m, flag in enumerate(covenant["flags"]):
            yield n, m, flag


def _flag(kind: str, base: Base, case: BaseCase, n: int, m: int, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    flags = deepcopy(case.output["covenants"][n]["flags"])
    flags[m].update(parts)
    flags[m] = {k: v for k, v in flags[m].items() if v is not DROPPED}
    return _covenant(kind, base, case, n, expected, {"flags": flags}, **more)


def flag_dropped(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        flags = [f for k, f in enumerate(case.output["covenants"][n]["flags"]) if k != m]
        yield _covenant(f"flag dropped: {flag['kind']}", base, case, n, "fail", {"flags": flags}, code="FLAG_MISSING")


PARTS = {
    "waiver": ("covenant", "original_threshold", "waived_threshold", "period", "temporary"),
    "carve_out": (),
    "grace_period": ("days", "triggers"),
    "cross_default": ("threshold",),
}


def flag_part_missing(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        for part in PARTS[flag["kind"]]:
            yield _flag(f"flag part missing: {flag['kind']}", base, case, n, m, "partial", {part: DROPPED})
        if flag["kind"] == "carve_out":
            items = flag["items"]
            for k, item in enumerate(items):
                if "cap" in item:
                    bare = [{"scope": i["scope"]} if j == k else i for j, i in enumerate(items)]
                    yield _flag("flag part missing: carve_out", base, case, n, m, "partial", {"items": bare})
                if len(items) > 1:
                    yield _flag(
                        "flag part missing: carve_out",
                        base,
                        case,
                        n,
                        m,
                        "partial",
                        {"items": items[:k] + items[k + 1 :]},
                        verdicts={"flag_content": "incomplete"},
                    )
            yield _flag("flag: carve-out list empty", base, case, n, m, "fail", {"items": []}, code="FLAG_MISSING")


def flag_value_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        kind = f"flag value wrong: {flag['kind']}"
        if flag["kind"] == "grace_period":
            for days in (17, "45 days", "3 months"):
                yield _flag(kind, base, case, n, m, "fail", {"days": days})
        elif flag["kind"] == "cross_default":
            for text in ("$987,000", "USD 1"):
                yield _flag(kind, base, case, n, m, "fail", {"threshold": text})
        elif flag["kind"] == "waiver":
            for parts in ({"original_threshold": "4.75:1"}, {"waived_threshold": "6.00:1"}, {"period": "1 July 2027 to 31 March 2028"}):
                yield _flag(kind, base, case, n, m, "fail", parts)
            yield _flag("flag: waiver reported as permanent", base, case, n, m, "fail", {"temporary": False})
        else:
            for k, item in enumerate(flag["items"]):
                if "cap" in item:
                    turned = [{**i, "cap": re.sub(r"[\d,]+", "31,415,000", i["cap"])} if j == k else i for j, i in enumerate(flag["items"])]
                    yield _flag(kind, base, case, n, m, "fail", {"items": turned})


def flag_extra_item(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, m, flag in _flags(case):
        if flag["kind"] == "carve_out":
            items = [*flag["items"], {"scope": "birch plantations north of the embankment", "cap": "EUR 31,415"}]
            yield _flag(
                "flag: invented carve-out item",
                base,
                case,
                n,
                m,
                "partial",
                {"items": items},
                code="EXTRA_ITEM",
                verdicts={"flag_content": "incomplete"},
            )


def flag_extra(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """The flag is right and gold does not have it."""
    for n, m, _ in _flags(case):
        gold = {"flags": [f for k, f in enumerate(case.gold["covenants"][n]["flags"]) if k != m]}
        yield _covenant("flag that gold lacks", base, case, n, "correct", {}, gold=gold, code="EXTRA_FLAG")


# ---- benchmark terms -----------------------------------------------------------------------------------------------


def _findings(case: BaseCase, kind: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    if case.capability == "benchmark_validation":
        yield from ((n, f) for n, f in enumerate(case.output["findings"]) if not kind or f["finding"] == kind)


def _finding(kind: str, base: Base, case: BaseCase, n: int, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    output = deepcopy(case.output)
    output["findings"][n].update(parts)
    return mutant(kind, base, case, f"findings.{output['findings'][n]['term']}", output, expected, **more)


def _head(kind: str, base: Base, case: BaseCase, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    return mutant(kind, base, case, "benchmark", {**deepcopy(case.output), **parts}, expected, touches_others=True, **more)


def family_swapped(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "benchmark_validation" or case.gold["jurisdiction_ambiguous"]:
        return
    for family in {"LMA", "APLMA", "LSTA"} - {case.output["benchmark"]}:
        yield _head("benchmark family swapped", base, case, "fail", {"benchmark": family})
        for n, finding in _findings(case, "deviation"):
            output = {**deepcopy(case.output), "benchmark": family}
            output["findings"][n]["benchmark_reference"] = finding["benchmark_reference"].replace(case.output["benchmark"], family)
            yield mutant(
                "finding in the wrong benchmark family",
                base,
                case,
                f"findings.{finding['term']}",
                output,
                "fail",
                touches_others=True,
                verdicts={"benchmark_reference": "wrong_reference"},
            )
    yield _head("benchmark missing", base, case, "fail", {"benchmark": None})
    yield _head("jurisdiction wrong", base, case, "fail", {"jurisdiction": "Singapore law"})
    yield _head("market wrong", base, case, "fail", {"market": "APAC"})
    yield _head("ambiguity flagged where there is none", base, case, "correct", {"jurisdiction_ambiguous": True}, code="UNNEEDED_AMBIGUITY")
    yield _head("ambiguity flagged, benchmark left out", base, case, "fail", {"jurisdiction_ambiguous": True, "benchmark": None})


def ambiguity(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "benchmark_validation" or not case.gold["jurisdiction_ambiguous"]:
        return
    bare = [{k: v for k, v in f.items() if k != "disclosure"} for f in case.output["findings"]]
    yield _head("ambiguity not flagged", base, case, "fail", {"jurisdiction_ambiguous": False, "benchmark": "LSTA"})
    yield _head("ambiguity not flagged", base, case, "fail", {"jurisdiction_ambiguous": False})
    yield _head("default benchmark without disclosure", base, case, "fail", {"benchmark": "LSTA", "findings": bare})
    yield _head("default benchmark with disclosure", base, case, "correct", {"benchmark": "LSTA"})


RATE = re.compile(r"([\d.]+) ?(?:%|per cent\.)(?: per annum)?")


def _in_bps(text: str | None) -> Fraction | None:
    if found := re.fullmatch(r"(\d+) bps", text or ""):
        return Fraction(found[1])
    found = RATE.fullmatch(text or "")
    return Fraction(found[1]) * 100 if found else None


def gap_off(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, finding in _findings(case, "deviation"):
        gap, deal, bench = _in_bps(finding["gap"]), _in_bps(finding["deal_value"]), _in_bps(finding["benchmark_value"])
        if gap is None or deal is None or bench is None:
            continue
        for by in (19, 20, 21, 50):
            expected = "correct" if by <= 20 else "fail"
            for sign in (1, -1):
                kind = f"gap off by {by} bps"
                yield _finding(kind, base, case, n, expected, {"gap": f"{int(gap) + sign * by} bps"})
                if by <= 21:  # by a benchmark value that is off, with the gap as it is
                    value = f"{float((bench + sign * by) / 100):.2f} per cent. per annum"
                    yield _finding(f"benchmark value off by {by} bps", base, case, n, expected, {"benchmark_value": value})
        yield _finding(
            "gap in the other direction", base, case, n, "fail", {"gap": f"-{int(gap)} bps" if deal > bench else f"+{int(gap)} bps"}
        )
        yield _finding("gap in another unit", base, case, n, "fail", {"gap": f"{int(gap)} per cent."})


def finding_value(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    for n, finding in _findings(case, "deviation"):
        if (deal := _in_bps(finding["deal_value"])) is not None:
            yield _finding(
                "deal value wrong",
                base,
                case,
                n,
                "fail",
                {"deal_value": f"{float((deal + 30) / 100):.2f}% per annum"},
                verdicts={"semantic_match": "not_equivalent"},
            )
        else:
            yield _finding(
                "deal value wrong",
                base,
                case,
                n,
                "fail",
                {"deal_value": "sixteen Business Days"},
                verdicts={"semantic_match": "not_equivalent"},
            )
        if _in_bps(finding["gap"]) is None:
            yield _finding(
                "gap in words wrong",
                base,
                case,
                n,
                "fail",
                {"gap": "no real difference to speak of"},
                verdicts={"benchmark_gap": "different_gap"},
            )
        for part in ("deal_value", "benchmark_value", "gap", "benchmark_reference"):
            yield _finding(f"finding without {part.replace('_', ' ')}", base, case, n, "fail", {part: None})
        for other in ("LSTA Style Guide 1999, Annex Q", "page 12 of the benchmark book"):
            yield _finding(
                "benchmark reference wrong",
                base,
                case,
                n,
                "fail",
                {"benchmark_reference": other},
                verdicts={"benchmark_reference": "wrong_reference"},
            )


def finding_kind(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "benchmark_validation" or case.gold["jurisdiction_ambiguous"]:
        return
    for n, finding in _findings(case):
        full = {"benchmark_value": "9.99%", "gap": "999 bps", "benchmark_reference": "LMA Form, Clause 1"}
        if finding["finding"] == "deviation":
            yield _finding("deviation reported as conforming", base, case, n, "fail", {"finding": "conforming"})
            yield _finding("deviation reported as not comparable", base, case, n, "fail", {"finding": "not_comparable"})
        elif finding["finding"] == "conforming":
            yield _finding("false positive", base, case, n, "fail", {"finding": "deviation", "gap": "40 bps"}, code="FALSE_POSITIVE")
            yield _finding("conforming without reference", base, case, n, "fail", {"benchmark_reference": None})
            yield _finding(
                "conforming with a wrong reference",
                base,
                case,
                n,
                "fail",
                {"benchmark_reference": "LSTA Style Guide 1999, Annex Q"},
                verdicts={"benchmark_reference": "wrong_reference"},
            )
        else:
            yield _finding("novel structure flagged", base, case, n, "fail", {"finding": "deviation", **full}, code="FALSE_FLAG_NOVEL")
            yield _finding("novel structure called conforming", base, case, n, "fail", {"finding": "conforming", **full})
        output = deepcopy(case.output)
        del output["findings"][n]
        yield mutant("finding left out", base, case, f"findings.{finding['term']}", output, "fail")
        output = deepcopy(case.output)
        output["findings"].append({**finding, "term": "weather_clause"})
        yield mutant("finding beside gold", base, case, "findings.+weather_clause", output, "extra", code="EXTRA_FINDING")


# ---- answers -------------------------------------------------------------------------------------------------------


def _answer(kind: str, base: Base, case: BaseCase, expected: str, parts: dict[str, Any], **more: Any) -> Mutant:
    output = {k: v for k, v in {**deepcopy(case.output), **parts}.items() if v is not DROPPED}
    return mutant(kind, base, case, "answer", output, expected, **more)


def answer_wrong(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa" or not case.gold["answerable"]:
        return
    gold = case.gold["answer"]
    for text in (re.sub(r"\d", lambda m: str((int(m.group()) + 3) % 9 + 1), gold), f"It is the opposite of this: {gold}"):
        if text != gold:
            yield _answer("answer wrong", base, case, "fail", {"answer": text}, verdicts={"answer_correctness": "incorrect"})
    yield _answer(
        "answer with an invented figure",
        base,
        case,
        "fail",
        {"answer": "It is USD 987,650,321 in total."},
        verdicts={"answer_correctness": "incorrect", "answer_scope": "outside_scope"},
    )
    yield _answer(
        "vague non-answer",
        base,
        case,
        "fail",
        {"answer": "There are several provisions on this that should be read with care."},
        verdicts={"answer_correctness": "non_answer"},
    )
    yield _answer(
        "answer beyond the document",
        base,
        case,
        "fail",
        {"answer": f"{gold} This is the usual market practice in such deals."},
        verdicts={"answer_scope": "outside_scope"},
    )
    for text in (
        f"The document does not contain information about {case.gold['topic']}.",
        "I don't know.",
        "The document does not specify this.",
    ):
        yield _answer(
            "answerable question refused",
            base,
            case,
            "fail",
            {"answer": text, "citations": DROPPED},
            code="REFUSED_ANSWERABLE",
            verdicts={"answer_correctness": "non_answer"},
        )
    if case.gold.get("qualified", False):
        yield _answer(
            "qualified language dropped",
            base,
            case,
            "fail",
            {"answer": "Yes, always and without more."},
            verdicts={"uncertainty": "missing"},
        )
    cited = case.output["citations"]
    required = case.gold["required_sections"]
    if len(required) > 1 and len(cited) > 1:
        for n in range(len(cited)):
            yield _answer(
                "required section not cited", base, case, "fail", {"citations": cited[:n] + cited[n + 1 :]}, code="REQUIRED_SECTION_MISSING"
            )
    yield _answer("answer without citation", base, case, "fail", {"citations": DROPPED})
    extra = {**cited[0], "quote": rng.choice(INVENTED)}
    yield _answer(
        "right answer, one quote invented",
        base,
        case,
        "hallucination",
        {"citations": [*cited, extra]},
        verdicts={"quote_paraphrase": "fabricated"},
    )
    yield _answer(
        "wrong answer with an invented quote",
        base,
        case,
        "hallucination",
        {"answer": "Seven thousand birches.", "citations": [extra]},
        verdicts={"answer_correctness": "incorrect", "quote_paraphrase": "fabricated"},
    )


def refusal_faults(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    if case.capability != "document_qa" or case.gold["answerable"]:
        return
    topic = case.gold["topic"]
    full = f"The document does not contain information about {topic}."
    for text in (
        "The document does not contain the requested information.",
        "This cannot be answered from the document.",
        "Unfortunately there is no information available.",
    ):
        yield _answer(
            "refusal: generic", base, case, "fail", {"answer": text}, code="REFUSAL_GENERIC", verdicts={"refusal_quality": "generic"}
        )
    for text in (f"There is no mention of {topic} in the document.", f"The agreement is silent on {topic}."):
        yield _answer(
            "refusal: another form", base, case, "fail", {"answer": text}, code="REFUSAL_FORM", verdicts={"refusal_quality": "generic"}
        )
    for other in ("the weather in the harbour", "the insurance of the telescopes"):
        text = f"The document does not contain information about {other}."
        yield _answer(
            "refusal: another topic",
            base,
            case,
            "fail",
            {"answer": text},
            code="REFUSAL_WRONG_TOPIC",
            verdicts={"refusal_quality": "generic"},
        )
    for text in ("I don't know.", f"I do not know {topic}."):
        yield _answer(
            "refusal: don't know",
            base,
            case,
            "fail",
            {"answer": text},
            code="REFUSAL_DONT_KNOW",
            verdicts={"refusal_quality": "not_a_refusal"},
        )
    for claim in (
        "It is usually BBB in this market.",
        "However, it is generally around two per cent.",
        "Borrowers of this kind usually have a good one.",
    ):
        yield _answer(
            "refusal: a claim beside it",
            base,
            case,
            "fail",
            {"answer": f"{full} {claim}"},
            code="REFUSAL_EXTRA_CLAIM",
            verdicts={"refusal_quality": "not_a_refusal"},
        )
    for text in ("It is USD 987,650,321.", "The figure is 83.71% as of 7 July 2077."):
        yield _answer(
            "unanswerable question answered, figure invented",
            base,
            case,
            "hallucination",
            {"answer": text},
            verdicts={"refusal_quality": "not_a_refusal"},
        )
    figure = _standing_figure(base, case)
    if figure:
        yield _answer(
            "unanswerable question answered, figure elsewhere",
            base,
            case,
            "fail",
            {"answer": f"It is {figure}."},
            verdicts={"refusal_quality": "not_a_refusal"},
        )
    cited = {"document": case.documents[0], "page": 1, "section": None, "quote": rng.choice(INVENTED)}
    yield _answer(
        "refusal with an invented quote", base, case, "hallucination", {"citations": [cited]}, verdicts={"quote_paraphrase": "fabricated"}
    )


def _standing_figure(base: Base, case: BaseCase) -> str:
    found = re.search(r"(?:\$|gbp |eur )\d{1,3}(?:,\d{3})+(?!\d|[.,]\d)", base.texts[case.documents[0]].running)
    return found.group().upper() if found else ""


COVENANT_KINDS: dict[str, Plant] = {
    "covenant: type swapped": type_swapped,
    "covenant: type outside the taxonomy": type_outside,
    "covenant: type straddling": type_straddling,
    "threshold: value wrong": threshold_wrong,
    "threshold: comparator turned round": threshold_turned,
    "threshold: given as a range": threshold_range,
    "threshold: equal, not verbatim": threshold_spelled,
    "threshold: missing": threshold_missing,
    "frequency: moved": frequency_moved,
    "frequency: inferred": frequency_inferred,
    "covenant: effective date wrong": effective_date_wrong,
    "covenant missed": covenant_missed,
    "covenant reported twice": covenant_twice,
    "covenant extra": covenant_extra,
    "flag dropped": flag_dropped,
    "flag part missing": flag_part_missing,
    "flag value wrong": flag_value_wrong,
    "flag: invented carve-out item": flag_extra_item,
    "flag that gold lacks": flag_extra,
}
BENCHMARK_KINDS: dict[str, Plant] = {
    "benchmark head": family_swapped,
    "ambiguity": ambiguity,
    "gap": gap_off,
    "finding parts": finding_value,
    "finding kind": finding_kind,
}
ANSWER_KINDS: dict[str, Plant] = {"answers": answer_wrong, "refusals": refusal_faults}
TERM_KINDS: dict[str, Plant] = {**COVENANT_KINDS, **BENCHMARK_KINDS, **ANSWER_KINDS}
