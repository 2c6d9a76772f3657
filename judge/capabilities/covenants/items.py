"""Covenant monitoring (standard 2, design/covenants.md): each gold covenant is paired with a reported one, and is worth the worst of its
type, threshold, testing frequency, effective date, mandatory flags and provenance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from deterministic.quotes.find import find_quote
from deterministic.values import KINDS, Surroundings, dates, frequency, thresholds
from deterministic.values.stated import is_stated
from judge.capabilities.context import Context
from judge.capabilities.covenants.case_flags import case_flag_decisions, invented_threshold
from judge.capabilities.covenants.dimensions import covenant_aside, flag_names
from judge.capabilities.covenants.flags import extra_flag, flag_parts, flag_provenance, spare_flags
from judge.capabilities.covenants.frequency import has_other_days, is_frequency_stated
from judge.capabilities.covenants.pairing import Pairing, pair_covenants
from judge.capabilities.covenants.schema import Covenant, CovenantGold, CovenantOutput, CovenantsGold, Flag
from judge.capabilities.covenants.support import support_of
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.items import Subject, decide, decide_extra, provenance_aside
from judge.capabilities.passages import reading
from judge.capabilities.provenance import (
    Assessed,
    assess_all,
    check_claim,
    gold_places,
    invented_parts,
    worst_of_several,
)
from judge.capabilities.wording import fold_text, unique_names
from judge.records import Decision, Finding, Outcome, Part, Provenance, Question
from rubrics.contract import Covenants as CovenantRules

WEIGHT = Fraction(1)
# the loan market's own words for a class of the taxonomy
TYPE_WORDS = {
    "affirmative": "positive", "affirmative covenant": "positive", "reporting": "information", "informational": "information",
    "information undertaking": "information", "restrictive": "negative", "prohibitive": "negative", "restrictive covenant": "negative",
    "financial covenant": "financial", "negative covenant": "negative", "information covenant": "information",
    "positive covenant": "positive",
}  # fmt: skip


def judge(context: Context) -> list[Decision]:
    """One item for each gold covenant, and one for each reported covenant that gold lacks."""
    output: CovenantOutput = context.case.output or CovenantOutput()
    gold: CovenantsGold | None = context.case.gold
    if gold is None:
        return list(_without_gold(context, output))
    pairing = pair_covenants(context, output.covenants, gold.covenants)
    names = unique_names([g.name for g in gold.covenants])
    decisions = [_covenant_item(context, true, name, pairing, n) for n, (true, name) in enumerate(zip(gold.covenants, names, strict=True))]
    flags = case_flag_decisions(context, gold.flags, output.flags, list(_flags_to_spare(output, gold, pairing)))
    return [*decisions, *flags, *_extras(context, output, gold, pairing)]


def _flags_to_spare(output: CovenantOutput, gold: CovenantsGold, pairing: Pairing) -> Iterator[Flag]:
    """Flags that are reported at a covenant and that gold has not there."""
    for n, true in enumerate(gold.covenants):
        if (mine := pairing.paired(n)) is not None:
            yield from spare_flags(mine, true)
    yield from (flag for n in pairing.unpaired for flag in output.covenants[n].flags)


# ---- one covenant ------------------------------------------------------------------------------------------------


def _covenant_item(context: Context, true: CovenantGold, name: str, pairing: Pairing, n: int) -> Decision:
    subject = Subject(f"covenants.{name}", WEIGHT, reported=None, gold=_text(true))
    missed = closed(Outcome.FAIL, f"{true.name} is missed.", "2.1 Fail", Finding("COVENANT_MISSED", true.name))
    mine, question = pairing.paired(n), pairing.question(n)
    if mine is None or says_nothing(mine):
        aside = covenant_aside(context, true, {"found": missed})
        return decide(context, subject, missed, findings=() if mine is None else (_nothing(mine),), aside=aside)
    parts, assessed, provenances, findings = _paired(context, mine, true)
    subject = replace(subject, reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
    part, found = worst_part([*parts.values(), assessed.part]), closed(Outcome.CORRECT, "The covenant is recognised.", "2.1")
    if question is not None:
        reason = f"No rule tells whether the reported {mine.name!r} is {true.name!r}."
        part, found = (by_verdict(context.answers, question, {"same": same, "different": missed}, reason, "2.1") for same in (part, found))
    aside = covenant_aside(context, true, {"found": found, **parts}, assessed, mine)
    return decide(context, subject, part, assessed.provenance, provenances, findings, aside=aside)


def _paired(
    context: Context, mine: Covenant, true: CovenantGold
) -> tuple[dict[str, Part], Assessed, tuple[Provenance, ...], tuple[Finding, ...]]:
    threshold, flags = _threshold_part(context, mine, true), list(flag_parts(context, mine, true))
    assessed, provenances = assess_all(context, mine.claims, support_of(context, mine, true, threshold), gold_places(true.claims))
    combined = worst_of_several([assessed, *flag_provenance(context, mine, true)])
    parts = {
        "type": _type_part(context, mine, true),
        "threshold": threshold,
        "frequency": _frequency_part(context, mine, true),
        "date": _date_part(context, mine, true),
        **dict(zip(flag_names(true), flags, strict=True)),
    }
    of_the_case = {flag.kind for flag in context.case.gold.flags}
    extra = [extra_flag(flag) for flag in spare_flags(mine, true) if flag.kind not in of_the_case]
    return parts, combined, provenances, (*_secondary_findings(mine, true), *extra)


# ---- type (standard 2.2) -----------------------------------------------------------------------------------------


def _type_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    reported, expected = (fold_text(mine.type or ""), fold_text(true.type))
    rule, taxonomy = "2.2 Type", context.contract.covenants.taxonomy
    if not reported:
        return closed(Outcome.FAIL, f"The type is not stated; it is {true.type}.", rule, mark="none")
    if TYPE_WORDS.get(reported, reported) == expected:
        return closed(Outcome.CORRECT, "Name, type, threshold, frequency and effective date are right.", "2.1 Correct")
    sentence = f"The type is {true.type}; reported: {mine.type}."
    if reported in taxonomy:
        is_straddling = true.secondary_type is not None and reported == fold_text(true.secondary_type)
        if is_straddling and fold_text(mine.secondary_type or "") == expected:
            return closed(Outcome.PARTIAL, f"{sentence} Primary and secondary type are exchanged.", "2.2 Straddling (A10)")
        return closed(Outcome.FAIL, sentence, "2.1 Fail")
    described = "\n".join(f"{name}: {meaning}" for name, meaning in taxonomy.items())
    question = Question.of(
        "covenant_type_adjacency", covenant=mine.name, reported_type=mine.type or "", gold_type=true.type, taxonomy=described
    )
    branches = {
        "same": closed(Outcome.CORRECT, f"The judge finds {mine.type!r} to be the class {true.type!r}.", rule),
        "adjacent": closed(Outcome.PARTIAL, f"{sentence} The judge finds the classes adjacent.", "2.1 Partial"),
        "different": closed(Outcome.FAIL, f"{sentence} The judge finds the classes different.", "2.1 Fail"),
    }
    return by_verdict(context.answers, question, branches, f"{mine.type!r} is outside the taxonomy.", rule)


def _secondary_findings(mine: Covenant, true: CovenantGold) -> tuple[Finding, ...]:
    if true.secondary_type is None or fold_text(mine.type or "") != fold_text(true.type):
        return ()
    if fold_text(mine.secondary_type or "") == fold_text(true.secondary_type):
        return ()
    return (Finding("SECONDARY_TYPE_MISSING", f"the secondary type {true.secondary_type} is not noted"),)


# ---- threshold, frequency, date ----------------------------------------------------------------------------------

LABELS = {"correct": Outcome.CORRECT, "semantic_match": Outcome.CORRECT, "partial": Outcome.PARTIAL, "wrong": Outcome.FAIL}


def _threshold_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    is_verbatim = mine.threshold is not None and _stands_verbatim(context, mine.threshold)
    if not is_verbatim and not context.is_readable and not thresholds.is_nothing(mine.threshold):
        found = thresholds.compare_threshold(mine.threshold, true.threshold, is_verbatim=True)
        if found.label in ("correct", "semantic_match"):
            return opened(
                Outcome.PARTIAL, Outcome.CORRECT, "The threshold is right; its wording is on no readable page.", "2.1", "unreadable"
            )
    found = thresholds.compare_threshold(mine.threshold, true.threshold, is_verbatim=is_verbatim)
    findings = tuple(Finding(code, found.reason) for code in found.codes)
    if found.label in LABELS:
        mark = "equal" if "THRESHOLD_NOT_VERBATIM" in found.codes and found.label == "partial" else ""
        return closed(LABELS[found.label], found.reason, "2.1 Threshold", *findings, mark=mark)
    stated = true.threshold or "no threshold"
    question = Question.of(
        "semantic_match",
        field=f"Threshold of the covenant {true.name!r}",
        reported=mine.threshold or "",
        gold=stated,
        context=_reading(context, mine, true),
    )
    not_verbatim = Finding("THRESHOLD_NOT_VERBATIM", f"{mine.threshold} is not the wording of the document")
    same = closed(Outcome.CORRECT, "The judge finds the threshold equivalent.", "2.1 Threshold")
    branches = {
        "equivalent": same
        if is_verbatim
        else closed(Outcome.PARTIAL, "The threshold is right, but not verbatim.", "2.1", not_verbatim, mark="equal"),
        "partially_equivalent": closed(Outcome.PARTIAL, "The judge finds the threshold partially equivalent.", "2.1 Partial"),
        "not_equivalent": closed(Outcome.FAIL, f"The threshold is {stated!r}; reported: {mine.threshold!r}.", "2.1 Fail"),
    }
    return by_verdict(
        context.answers,
        question,
        branches,
        found.reason,
        "2.1 Threshold",
    )


def _reading(context: Context, mine: Covenant, true: CovenantGold) -> str:
    """What the covenant's citations show; without one that leads anywhere the provision that gold cites."""
    about = [mine.name, mine.threshold, mine.testing_frequency, true.threshold, true.testing_frequency]
    checks = [check_claim(context, citation) for citation in mine.claims]
    sections = [(c.section, c.document) for c in true.claims if c.section and not any(check.spans for check in checks)]
    return reading(context, checks, "\n".join(filter(None, about)), sections=sections)


def _stands_verbatim(context: Context, threshold: str) -> bool:
    """Whether the reported string stands in a document, under the folding rules of quotes."""
    policy = context.citation_policy
    found = (find_quote(d, threshold, lower=policy.paraphrase_lower) for d in context.documents.values())
    return context.cached(("verbatim", threshold), lambda: any(match.verdict in ("exact", "normalised") for match in found))


def _frequency_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    """One level off is partial, more (or periodic against on_event / none) a fail; right but stated nowhere near is inferred."""
    if true.testing_frequency is None:
        return closed(Outcome.CORRECT, "Gold states no testing frequency.", "2.1 Frequency")
    policy = context.contract.covenants
    ladder = policy.frequency_ladder
    expected, reported = (_cadence(policy, text) for text in (true.testing_frequency, mine.testing_frequency))
    sentence = f"The testing frequency is {true.testing_frequency}; reported: {mine.testing_frequency or 'nothing'}."
    if expected == frequency.NONE and mine.testing_frequency is None:
        return closed(Outcome.CORRECT, "There is no test, and none is reported.", "2.1 Frequency")
    if reported is None or expected is None:
        if fold_text(mine.testing_frequency or "") == fold_text(true.testing_frequency):
            return closed(Outcome.CORRECT, "The testing frequency is right.", "2.1 Frequency")
        return _frequency_words(context, mine, true, sentence) if mine.testing_frequency else closed(Outcome.FAIL, sentence, "2.1 Fail")
    if reported == expected:
        if has_other_days(context, mine):
            return _frequency_words(context, mine, true, sentence)
        if expected in ladder and is_frequency_stated(context, mine, expected) is False:
            finding = Finding("FREQUENCY_INFERRED", f"{expected} is not stated where the covenant is cited")
            inferred = "The testing frequency is right but inferred: no cited place states it."
            return closed(Outcome.PARTIAL, inferred, "2.1 Partial", finding, mark="inferred")
        return closed(Outcome.CORRECT, "The testing frequency is right.", "2.1 Frequency")
    if reported in ladder and expected in ladder:
        steps = abs(ladder.index(reported) - ladder.index(expected))
        label = Outcome.PARTIAL if steps <= policy.partial_frequency_steps else Outcome.FAIL
        return closed(label, f"{sentence} They are {steps} step{'s' if steps > 1 else ''} apart on the scale of periods.", "2.1 Frequency")
    return closed(Outcome.FAIL, sentence, "2.1 Fail")


def _cadence(policy: CovenantRules, text: str | None) -> str | None:
    """The word of the contract that a frequency comes to; None when it is none of them."""
    found = frequency.parse(text or "")
    return found if found in (*policy.frequency_ladder, *policy.frequency_outside_ladder) else None


def _frequency_words(context: Context, mine: Covenant, true: CovenantGold, sentence: str) -> Part:
    question = Question.of(
        "semantic_match",
        field=f"Testing frequency of the covenant {true.name!r}",
        reported=mine.testing_frequency or "",
        gold=true.testing_frequency or "",
        context=_reading(context, mine, true),
    )
    branches = {
        "equivalent": closed(Outcome.CORRECT, "The judge finds the testing frequency equivalent.", "2.1 Frequency"),
        "partially_equivalent": closed(Outcome.PARTIAL, sentence, "2.1 Partial"),
        "not_equivalent": closed(Outcome.FAIL, sentence, "2.1 Fail"),
    }
    return by_verdict(context.answers, question, branches, f"{sentence} No rule reads it.", "2.1 Frequency")


def _date_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    """Equal or both as in the original agreement; two whole dates that differ are partial; other words are a question."""
    rule = "2.1 Effective date (A11)"
    right = closed(Outcome.CORRECT, "The effective date is right.", rule)
    other = closed(Outcome.PARTIAL, f"The effective date is {true.effective_date}; reported: {mine.effective_date or 'nothing'}.", rule)
    if true.effective_date is None:
        return right
    if mine.effective_date is None:
        return other
    said = [fold_text(text) for text in (mine.effective_date, true.effective_date)]
    if said[0] == said[1] or all(text in _ORIGINAL for text in said):
        return right
    found = KINDS["date"].compare(mine.effective_date, true.effective_date, (), Surroundings()).label
    is_mixed = any(text in _ORIGINAL for text in said) and any(dates.parse(text) for text in (mine.effective_date, true.effective_date))
    if found != "open" or is_mixed:
        return right if found in ("correct", "semantic_match") else other
    question = Question.of(
        "semantic_match",
        field=f"effective date of the covenant {true.name!r}",
        reported=mine.effective_date,
        gold=true.effective_date,
        context=_reading(context, mine, true),
    )
    branches = {"equivalent": right, "partially_equivalent": other, "not_equivalent": other}
    return by_verdict(context.answers, question, branches, f"{other.reason} No rule reads it.", rule)


_ORIGINAL = frozenset(
    (
        "original",
        "as original",
        "original agreement",
        "as in the original agreement",
        "same as original",
        "same as original agreement",
        "matches original agreement",
        "matching original agreement",
        "as per original agreement",
        "as per the original agreement",
    )
)


# ---- what gold lacks ---------------------------------------------------------------------------------------------


def _extras(context: Context, output: CovenantOutput, gold: CovenantsGold, pairing: Pairing) -> Iterator[Decision]:
    known = {fold_text(name) for g in gold.covenants for name in (g.name, *g.aliases)}
    known |= {fold_text(output.covenants[n].name) for n in pairing.pairs.values()}
    extras = [output.covenants[n] for n in pairing.unpaired]
    for n, mine, name in zip(pairing.unpaired, extras, unique_names([mine.name for mine in extras]), strict=True):
        assessed, provenances = assess_all(context, mine.claims, None)
        subject = Subject(f"covenants.+{name}", Fraction(0), reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
        if says_nothing(mine):
            yield decide_extra(context, subject, _nothing(mine), worst_part(invented_parts(context, mine.claims) or [_nothing_part()]))
            continue
        combined = worst_of_several([assessed, *flag_provenance(context, mine, None)])
        is_second = fold_text(mine.name) in known
        detail = f"a second report of {mine.name!r}" if is_second else f"gold has no covenant {mine.name!r}"
        if not is_second and n in pairing.rivals:
            detail += f", unless it is {gold.covenants[pairing.rivals[n]].name!r}"
        finding = Finding("DUPLICATE_COVENANT" if is_second else "EXTRA_COVENANT", detail)
        part = worst_part([combined.part, *invented_threshold(context, mine.threshold)])
        yield decide_extra(context, subject, finding, part, combined.provenance, provenances, provenance_aside(combined))


def says_nothing(mine: Covenant) -> bool:
    """A row that says that nothing was found ("Not explicitly defined in provided section") is no report."""
    told = [value for value in (mine.threshold, *(claim.quote for claim in mine.claims)) if value]
    return (
        any(not thresholds.is_nothing(value) and not is_stated(value) for value in told)
        and not any(map(is_stated, told))
        and not mine.flags
    )


def _nothing(mine: Covenant) -> Finding:
    return Finding("NOTHING_REPORTED", f"{mine.name!r}: the row says that nothing was found")


def _nothing_part() -> Part:
    return closed(Outcome.CORRECT, "Nothing is reported.", "2.1")


def _without_gold(context: Context, output: CovenantOutput) -> Iterator[Decision]:
    for mine, name in zip(output.covenants, unique_names([c.name for c in output.covenants]), strict=True):
        assessed, provenances = assess_all(context, mine.claims, support_of(context, mine, None))
        combined = worst_of_several([assessed, *flag_provenance(context, mine, None)])
        unknown = opened(Outcome.FAIL, Outcome.CORRECT, "Whether the covenant is right is not known.", "2.1", "no_reference")
        part = worst_part([unknown, combined.part])
        subject = Subject(f"covenants.{name}", WEIGHT, reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
        yield decide(context, subject, part, combined.provenance, provenances, aside=provenance_aside(combined))
    yield from case_flag_decisions(context, (), output.flags, ())


def _text(covenant: Covenant) -> str:
    values = (covenant.type, covenant.threshold, covenant.testing_frequency, covenant.effective_date)
    flags = [f.kind for f in covenant.flags]
    return " | ".join([covenant.name, *(v for v in values if v), *flags])
