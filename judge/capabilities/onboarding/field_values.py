"""What an extracted value is worth beside gold (standard 1.1, judging.md 2 Presence, Value, Fabrication, Amendments)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deterministic.citations.check import CitationCheck
from deterministic.citations.passages import ROOM
from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.values import KINDS, Surroundings, party_lists
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.items import UNVERIFIED_VALUE, text_of
from judge.capabilities.onboarding.notes import field_label
from judge.capabilities.onboarding.schema import Amended, FieldGold, FieldOutput, MoneyObject
from judge.capabilities.passages import LIST_ROOM, reading
from judge.capabilities.wording import alternatives
from judge.records import Finding, Outcome, Part, Question

LABELS = {"correct": Outcome.CORRECT, "semantic_match": Outcome.SEMANTIC_MATCH, "partial": Outcome.PARTIAL}
RULES = {"correct": "1.1 Correct", "semantic_match": "1.1 Semantic match", "partial": "1.1 Partial"}
NONE_STATED = {"n/a", "not applicable", "none"}  # a value that says that there is none
# words for "not known": a wrong answer, but nothing that could be fabricated
NOT_STATED = {
    "", "null", "none", "nil", "n/a", "na", "-", "tbc", "tbd", "to be confirmed", "to be determined", "to be agreed", "not stated",
    "not specified", "not applicable", "not available", "not provided", "not found", "unclear", "unknown", "undated", "various", "[●]", "●",
}  # fmt: skip
# how a longer text says the same ("Unclear - see the conditions to effectiveness", "not stated in the amendment")
NOT_STATED_AT_ALL = re.compile(
    r"(?:unclear|unknown|undated|not\s+(?:stated|specified|provided|available|given|clear|found|known))\b\D*", re.IGNORECASE
)
FIGURED = {"money", "date", "period", "rate"}  # kinds of value that are written with figures


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of one case (top level or of a tranche) with what its comparison may look at."""

    key: str
    kind: str
    reported: FieldOutput | None
    gold: FieldGold | None
    surroundings: Surroundings
    checks: tuple[CitationCheck, ...] = ()


def plain(value: Any) -> Any:
    """A value as `deterministic.values` takes it: text, number, bool, tuple of texts, or {"amount", "currency"}."""
    return value.model_dump() if isinstance(value, MoneyObject) else value


def reported_value(reported: FieldOutput | None) -> Any:
    """The value that a field claims; None when it claims none (absent, unchanged, `[]`, N/A)."""
    if reported is None or reported.status in ("absent", "unchanged"):
        return None
    value = plain(reported.new_value if reported.status == "amended" else reported.value)
    if value in ((), "") or (isinstance(value, str) and value.strip().casefold() in NONE_STATED):
        return None
    return value


def is_negative(kind: str, value: Any) -> bool:
    """Whether a binary value says no."""
    return kind == "binary" and value is not None and KINDS["binary"].compare(value, "N", (), Surroundings()).label == "correct"


def stands_anywhere(context: Context, kind: str, value: Any) -> bool:
    """Whether a value stands in any document of the case in an equivalent form."""
    return any(KINDS[kind].occurs(value, document) for document in context.documents.values())


def wrong_part(context: Context, view: FieldView, value: Any, reason: str, findings: Sequence[Finding] = ()) -> Part:
    """A value that is wrong: a fail, or a hallucination when it is of a literal kind and stands nowhere (judging.md 2 Fabrication)."""
    fail = closed(Outcome.FAIL, reason, "1.1 Fail", *findings)
    if not KINDS[view.kind].is_literal or (view.gold is not None and view.gold.derived):
        return fail
    missing = [
        v for v in _literals(view.kind, value) if _can_be_invented(view.kind, v) and not stands_anywhere(context, _single(view.kind), v)
    ]
    if not missing or _is_right_amount(view, value):
        return fail
    if not context.is_readable:
        detail = f"{text_of(missing[0])} is on no readable page"
        return replace(fail, findings=(*fail.findings, Finding(UNVERIFIED_VALUE, detail)))
    return closed(Outcome.HALLUCINATION, f"{reason} {text_of(missing[0])} stands nowhere in the document.", "1.1 Hallucination", *findings)


def _can_be_invented(kind: str, value: Any) -> bool:
    """Words without any figure ("upon the Agent's receipt") can be a wrong amount, date, period or rate, but no made-up one."""
    if not is_stated(value):
        return False
    return kind not in FIGURED or not isinstance(value, str) or bool(scan_numbers(fold(value)))


def _literals(kind: str, value: Any) -> tuple[Any, ...]:
    """The single literal values of a value: each guarantor that is named, not described, is a party of its own."""
    if kind != "party_list":
        return (value,)
    return tuple(name for name in party_lists.listed(value) if not party_lists.is_description(name))


def _single(kind: str) -> str:
    return "party" if kind == "party_list" else kind


def _is_right_amount(view: FieldView, value: Any) -> bool:
    """The right amount in a currency in which it never stands is a fail, not a hallucination (judging.md 2 Fabrication)."""
    if view.kind != "money" or view.gold is None:
        return False
    from deterministic.values import amounts

    truth = view.gold.amended.new_value if view.gold.amended else view.gold.value
    mine, theirs = amounts.read(value), amounts.read(plain(truth))
    return isinstance(mine, amounts.Money) and isinstance(theirs, amounts.Money) and mine.amount == theirs.amount


def content_part(context: Context, view: FieldView) -> Part:
    """What the content of a field says, whatever its citation is worth."""
    gold, reported = view.gold, view.reported
    if gold is None:
        return _without_gold(context, view)
    if not gold.legible:
        return illegible(context, view)
    if gold.unchanged:
        return _unchanged(reported)
    if gold.amended is not None:
        return _amended(context, view, gold.amended)
    if gold.absent:
        return _absent(context, view)
    return _present(context, view, gold)


def illegible(context: Context, view: FieldView) -> Part:
    """A field on a passage that gold marks illegible (standard 1.6)."""
    from judge.capabilities.onboarding.confidence import illegible_part

    return illegible_part(view.reported, context.contract.confidence)


def _not_reported(gold_text: str) -> Part:
    return closed(Outcome.FAIL, f"The field is not mentioned; {gold_text}.", "1.2 Fail", Finding("NOT_REPORTED", "field not mentioned"))


def _absent(context: Context, view: FieldView) -> Part:
    if view.reported is None:
        return _not_reported("it is absent from the document, which has to be said (A3)")
    value = reported_value(view.reported)
    if value is None and view.reported.status != "unchanged":
        return closed(Outcome.CORRECT, "Absent from the document and reported as absent.", "1.2 Correct")
    if value is None:
        return closed(Outcome.FAIL, "Reported as unchanged; the field is absent from the document.", "1.2 Fail")
    if is_negative(view.kind, value):
        return closed(Outcome.CORRECT, "There is no such clause, and none is reported.", "1.2 Correct")
    return wrong_part(context, view, value, f"Reported {text_of(value)!r}; the document states none.")


def _present(context: Context, view: FieldView, gold: FieldGold) -> Part:
    expected = text_of(gold.value)
    if view.reported is None:
        return _not_reported(f"the document states {expected!r}")
    value = reported_value(view.reported)
    if value is None:
        if view.reported.status == "absent" and is_negative(view.kind, plain(gold.value)):
            return closed(Outcome.CORRECT, "There is no such clause, and it is reported as absent.", "1.2 Correct")
        return closed(Outcome.FAIL, f"Reported as {view.reported.status}; the document states {expected!r}.", "1.2 Fail")
    return compared(context, view, value, plain(gold.value), tuple(plain(v) for v in gold.accepted))


def compared(context: Context, view: FieldView, value: Any, truth: Any, accepted: tuple[Any, ...] = ()) -> Part:
    """A reported value beside the true one: by rule, by type, else by one question to the judge."""
    found = KINDS[view.kind].compare(value, truth, accepted, view.surroundings)
    findings = tuple(Finding(code, found.reason) for code in found.codes)
    if found.label in LABELS:
        return closed(LABELS[found.label], found.reason, RULES[found.label], *findings)
    wrong = wrong_part(context, view, value, _plain_sentence(value, truth), findings)
    if found.label == "wrong" or (found.label == "open" and not is_stated(value)):
        return replace(wrong, reason=wrong.reason if wrong.reason else found.reason)
    return _asked(context, view, value, (truth, *accepted), wrong)


def _plain_sentence(value: Any, truth: Any) -> str:
    return f"Reported {text_of(value)!r}; the document states {text_of(truth)!r}."


def _asked(context: Context, view: FieldView, value: Any, truths: Sequence[Any], wrong: Part) -> Part:
    is_list = view.kind == "conditions"
    reported, truth = text_of(value) or "", alternatives(text_of(one) or "" for one in truths)
    passage = reading(context, view.checks, "" if is_list else f"{reported}\n{truth}", room=LIST_ROOM if is_list else ROOM)
    shown = {"field": field_label(view.key), "reported": reported, "gold": truth, "context": passage}
    reason = f"No rule tells whether {text_of(value)!r} is {text_of(truths[0])!r}."
    if is_list:
        question = Question.of("list_coverage", **shown)
        covered = {"covers": Outcome.SEMANTIC_MATCH, "partly_covers": Outcome.PARTIAL, "does_not_cover": Outcome.FAIL}
        branches = {v: closed(o, f"The judge finds that the list {v.replace('_', ' ')} gold's.", "1.2 List") for v, o in covered.items()}
        return by_verdict(context.answers, question, branches, reason, "1.2 List")
    question = Question.of("semantic_match", **shown)
    match = closed(
        Outcome.SEMANTIC_MATCH, f"The judge finds {text_of(value)!r} equivalent to {text_of(truths[0])!r}.", "1.1 Semantic match"
    )
    part = closed(Outcome.PARTIAL, f"The judge finds {text_of(value)!r} partially equivalent to {text_of(truths[0])!r}.", "1.1 Partial")
    verdicts = {"equivalent": match, "partially_equivalent": part, "not_equivalent": wrong}
    return by_verdict(context.answers, question, verdicts, reason, "1.1 Semantic match")


# ---- amendments (standard 1.4) -----------------------------------------------------------------------------------


def _unchanged(reported: FieldOutput | None) -> Part:
    if reported is None:
        return _not_reported("the amendment leaves it unchanged, which has to be said")
    if reported.status == "unchanged":
        return closed(Outcome.CORRECT, "Unchanged by the amendment and reported so.", "1.4 Correct")
    if reported.status == "absent":
        return closed(Outcome.FAIL, "Reported as absent; the amendment leaves it unchanged.", "1.4 Fail")
    detail = "a field that the amendment leaves unchanged was extracted again"
    return closed(Outcome.FAIL, f"{detail[0].upper()}{detail[1:]}.", "1.4 Fail", Finding("REEXTRACTED", detail))


def _amended(context: Context, view: FieldView, gold: Amended) -> Part:
    reported = view.reported
    if reported is None:
        return _not_reported(f"the amendment changes it to {text_of(gold.new_value)!r}")
    value = reported_value(reported)
    if value is None:
        return closed(Outcome.FAIL, f"Reported as {reported.status}; the amendment changes it to {text_of(gold.new_value)!r}.", "1.4 Fail")
    new = compared(context, view, value, plain(gold.new_value))
    if reported.status != "amended":
        unflagged = closed(
            Outcome.PARTIAL, "The field is not reported as amended: original value and effective date are missing.", "1.4 Partial"
        )
        return worst_part([new, unflagged])
    return worst_part([new, _original(context, view, reported, gold), _effective(context, view, reported, gold)])


def is_stated(value: Any) -> bool:
    """Whether a reported value states anything ("unclear", "not stated" and null do not)."""
    if not isinstance(value, str):
        return value is not None
    text = value.strip(" .")
    return text.casefold() not in NOT_STATED and not NOT_STATED_AT_ALL.fullmatch(text)


def _original(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    right = closed(Outcome.CORRECT, "The original value is right.", "1.4 Correct")
    mine, truth = plain(reported.original_value), plain(gold.original_value)
    if not is_stated(mine):
        missing = closed(Outcome.PARTIAL, f"The original value {text_of(truth)!r} is missing.", "1.4 Partial")
        return right if truth is None else missing
    if truth is None:
        return _softened(wrong_part(context, view, mine, f"Original value {text_of(mine)!r} is given; the amendment states none."))
    part = compared(context, view, mine, truth)
    return replace(_softened(part), questions=part.questions)


def _softened(part: Part) -> Part:
    """A wrong original value or effective date is partial, a fabricated one a hallucination; notation does not matter here."""

    def soften(outcome: Outcome) -> Outcome:
        return {Outcome.FAIL: Outcome.PARTIAL, Outcome.SEMANTIC_MATCH: Outcome.CORRECT}.get(outcome, outcome)

    return replace(part, worst=soften(part.worst), best=soften(part.best), rule="1.4 Amendment")


def _effective(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    mine, truth = reported.effective_date, gold.effective_date
    if truth is None and not is_stated(mine):
        return closed(Outcome.CORRECT, "No effective date is stated, and none is assumed.", "1.4 Correct")
    dated = replace(view, kind="date")
    if truth is None:
        detail = f"effective date {mine!r} is given; the document states none"
        finding = Finding("EFFECTIVE_DATE_ASSUMED", detail)
        return wrong_part(context, dated, mine, f"{detail[0].upper()}{detail[1:]}.", (finding,))
    if not is_stated(mine):
        return closed(Outcome.PARTIAL, f"The effective date {truth!r} is missing.", "1.4 Partial")
    return _softened(compared(context, dated, mine, truth))


# ---- without gold ------------------------------------------------------------------------------------------------


def _without_gold(context: Context, view: FieldView) -> Part:
    value = reported_value(view.reported)
    if value is not None and view.key in context.contract.extraction.literal_without_gold:
        part = wrong_part(context, view, value, f"Reported {text_of(value)!r}.")
        if part.best is Outcome.HALLUCINATION:
            return part
    return opened(Outcome.FAIL, Outcome.CORRECT, "Whether the value is the deal's is not known.", "1.1", "no_reference")
