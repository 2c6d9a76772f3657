"""Confidence and human review of extracted fields (standard 1.6, design/onboarding.md Confidence)."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from deterministic.values.stated import read_illegible
from deterministic.values.words import words
from judge.capabilities.decisions import closed
from judge.capabilities.onboarding import FieldGold, FieldOutput
from judge.records import Finding, Outcome, Part
from rubrics.contract_sections import Confidence

HITL_LEVELS = {"none": 0, "flag": 1, "block": 2}


def hitl_findings(reported: FieldOutput | None, policy: Confidence) -> tuple[Finding, ...]:
    """HITL_MISSING or HITL_UNNEEDED when the reported review differs from what the confidence requires; a finding only."""
    band = policy.band_of(reported.confidence) if reported else None
    if reported is None or not band:
        return ()
    expected, given = policy.expected_hitl[band], reported.hitl or "none"
    if HITL_LEVELS[given] == HITL_LEVELS[expected]:
        return ()
    code = "HITL_MISSING" if HITL_LEVELS[given] < HITL_LEVELS[expected] else "HITL_UNNEEDED"
    return (Finding(code, f"confidence {band} requires review {expected!r}, reported {given!r}"),)


def illegible_part(reported: FieldOutput | None, value: object, gold: FieldGold, policy: Confidence) -> Part:
    """A field on a degraded passage: what counts is that the system knew that it could not read it (A8). value: what is claimed, None where
    nothing is. Where gold has no value either, a claimed one was completed or guessed."""
    if reported is None:
        return closed(Outcome.FAIL, "The field is not mentioned.", "1.2 Fail", Finding("NOT_REPORTED", "field not mentioned"))
    band = policy.band_of(reported.confidence)
    if (guessed := _guessed(value, gold) or _not_read(value, gold, [claim.quote for claim in reported.claims if claim.quote])) is not None:
        return guessed
    if band == "LOW" and reported.hitl == "block":
        return closed(Outcome.CORRECT, "The passage is illegible, and the field is LOW and blocked for review.", "1.6 Correct")
    if band == "HIGH":
        detail = f"confidence {reported.confidence} on an illegible field"
        sentence, finding = f"HIGH confidence on an illegible field: {detail}.", Finding("OVERCONFIDENT_ILLEGIBLE", detail)
        return closed(Outcome.FAIL, sentence, "1.6 Fail", finding)
    if reported.status == "absent" and gold.missing_page is None:
        return closed(Outcome.FAIL, "An illegible field is reported as absent.", "1.2 Fail")
    return closed(Outcome.PARTIAL, "An illegible field is neither LOW with a block nor HIGH.", "1.6 Partial (A8)")


def missing_page_findings(reported: FieldOutput | None, value: object, gold: FieldGold | None) -> tuple[Finding, ...]:
    """MISSING_PAGE_NOT_NAMED where gold's value is on a page that the file lacks and a field without value names another page, or none."""
    if reported is None or value is not None or gold is None or gold.missing_page is None:
        return ()
    said = read_illegible(reported.value)
    named = reported.page if reported.page is not None else said.page if said is not None else None
    if str(named) == str(gold.missing_page):
        return ()
    told = f"page {named}" if named is not None else reported.status
    return (Finding("MISSING_PAGE_NOT_NAMED", f"page {gold.missing_page} is not in the file; reported: {told}"),)


def gives_up(reported: FieldOutput) -> bool:
    """Whether a field is said to be illegible or on a page that is missing: by its status, or as its value."""
    return reported.status in ("illegible", "missing") or read_illegible(reported.value) is not None


def _guessed(value: object, gold: FieldGold) -> Part | None:
    """FAIL for a value given where gold has none; HALLUCINATION where it contradicts the readable letters; None for these alone."""
    if value is None or gold.value is not None:
        return None
    visible = gold.visible if isinstance(gold.visible, tuple) else (gold.visible,) if gold.visible else ()
    said = []
    for part in value if isinstance(value, tuple) else (value,):  # of "Fairw… (rest illegible)" the letters that can be read
        found = read_illegible(part)
        said += [" ".join(words(text)) for text in (found.visible if found is not None and found.visible else (str(part),))]
    if (seen := [" ".join(words(part)) for part in visible]) and all(part in seen for part in said):
        return None
    finding = Finding("GUESSED", "the passage cannot be read, and a value is given")
    if seen and not all(any(part in text for text in said) for part in seen):
        sentence = f"The value contradicts what can be read ({'; '.join(visible)})."
        return closed(Outcome.HALLUCINATION, sentence, "1.1 Hallucination", finding)
    return closed(Outcome.FAIL, "The passage cannot be read; the value was completed or guessed.", "1.6 Fail", finding)


_A_READING = 60.0
"""Likeness of a value and its quote, 0 to 100, from which the value can have been read there ("80 months" of "~0 m?nths")."""


def _not_read(value: object, gold: FieldGold, quotes: Sequence[str]) -> Part | None:
    """FAIL for a value that is neither gold's nor like anything in its own quotes; None where gold has no value or nothing is quoted."""
    if not (isinstance(value, str) and isinstance(gold.value, str)) or not quotes:
        return None
    said = " ".join(words(value))
    is_read = said == " ".join(words(gold.value)) or any(fuzz.partial_ratio(said, quote.casefold()) >= _A_READING for quote in quotes)
    finding = Finding("GUESSED", "the passage cannot be read, and the quote holds nothing like the value")
    return None if is_read else closed(Outcome.FAIL, "The passage cannot be read; the value was guessed.", "1.6 Fail", finding)


def is_excused(reported: FieldOutput | None, gold: FieldGold | None, policy: Confidence) -> bool:
    """Whether a field owes no provenance: gold has it as illegible, and it is reported with confidence LOW and a block."""
    if gold is None or gold.legible or reported is None:
        return False
    return policy.band_of(reported.confidence) == "LOW" and reported.hitl == "block"
