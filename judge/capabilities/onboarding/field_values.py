"""What an extracted value is worth beside gold (standard 1.1, design/onboarding.md Presence, Value, Fabrication, Amendments)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deterministic.citations.check import CitationCheck
from deterministic.citations.passages import ROOM
from deterministic.lexicon.records import record
from deterministic.values import KINDS, Surroundings, reference_rates
from deterministic.values.stated import has_failed, is_stated, says_unchanged
from deterministic.values.words import contains_words
from judge.capabilities.context import Context
from judge.capabilities.decisions import UNVERIFIED_VALUE, by_verdict, closed, opened, shown_text, text_of, worst_part
from judge.capabilities.onboarding import Amended, FieldGold, FieldOutput, MoneyObject, field_label, field_title
from judge.capabilities.onboarding.confidence import gives_up, illegible_part
from judge.capabilities.passages import LIST_ROOM, reading
from judge.capabilities.wording import alternatives
from judge.records import Finding, Outcome, Part, Question

MARKDOWN = "*_` \t\n"  # emphasis and code marks around a value
LABELS = {"correct": Outcome.CORRECT, "semantic_match": Outcome.SEMANTIC_MATCH, "partial": Outcome.PARTIAL}
RULES = {"correct": "1.1 Correct", "semantic_match": "1.1 Semantic match", "partial": "1.1 Partial"}


@record
class FieldView:
    """One field of one case (top level or of a tranche) with what its comparison may look at."""

    key: str
    kind: str
    reported: FieldOutput | None
    gold: FieldGold | None
    surroundings: Surroundings
    checks: tuple[CitationCheck, ...] = ()
    tranche: str | None = None
    of: str = ""  # which value of an amended field: "new value", "original value", "effective date"


def plain(value: Any) -> Any:
    """A value as `deterministic.values` takes it: text without markdown around it, number, bool, texts, or {"amount", "currency"}."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, str):
        return value.strip(MARKDOWN) or value
    return value.model_dump() if isinstance(value, MoneyObject) else value


def reported_value(reported: FieldOutput | None) -> Any:
    """The value that a field claims; None when it claims none (absent, unchanged, `[]`, N/A)."""
    if reported is None or reported.status in ("absent", "unchanged"):
        return None
    value = plain(reported.new_value if reported.status == "amended" else reported.value)
    if isinstance(value, tuple):
        value = tuple(filter(is_stated, value))
    return None if value == () or not is_stated(value) else value


def nothing_findings(reported: FieldOutput | None) -> tuple[Finding, ...]:
    """A value that says in words that nothing was found is not reported, and owes no provenance."""
    if reported is None or reported.status != "extracted" or reported.value in (None, (), "") or reported_value(reported) is not None:
        return ()
    return (Finding("NOTHING_REPORTED", f"{shown_text(reported.value)!r} says that nothing was found"),)


def is_negative(kind: str, value: Any) -> bool:
    """Whether a binary value says no."""
    return kind == "binary" and value is not None and KINDS["binary"].compare(value, "N", (), Surroundings()).label == "correct"


def invented(context: Context, kind: str, value: Any, *known: Any) -> tuple[Any, ...]:
    """The informative parts of a value that stand in no document of the case and in none of the known texts (gold's own words)."""
    told = "\n".join(text for text in (text_of(plain(v)) for v in known) if text)
    missing = KINDS[kind].missing(value, tuple(context.documents.values())) if is_stated(value) else ()
    return tuple(part for part in missing if not (isinstance(part, str) and contains_words(told, part)))


def wrong_part(context: Context, view: FieldView, value: Any, reason: str, findings: Sequence[Finding] = ()) -> Part:
    """A wrong value: a fail, or a hallucination when it is of a literal kind and not in the document (design/onboarding.md Fabrication)."""
    fail = closed(Outcome.FAIL, reason, "1.1 Fail", *findings)
    if not KINDS[view.kind].is_literal or (view.gold is not None and view.gold.derived):
        return fail
    missing = invented(context, view.kind, value)
    if not missing or _is_right_amount(context, view, value):
        return fail
    if not context.is_readable:
        detail = f"{shown_text(missing[0])} is on no readable page"
        return replace(fail, findings=(*fail.findings, Finding(UNVERIFIED_VALUE, detail)))
    return closed(Outcome.HALLUCINATION, f"{reason} {shown_text(missing[0])} is not in the document.", "1.1 Hallucination", *findings)


def _is_right_amount(context: Context, view: FieldView, value: Any) -> bool:
    """The right amount rounded, or one of the document's in a currency in which it never stands, is a fail, not a hallucination
    (design/onboarding.md Fabrication)."""
    if view.kind != "money":
        return False
    from deterministic.values import amounts
    from deterministic.values.money import is_in_document, is_rounded_from

    mine = amounts.read_text(str(value)).value if isinstance(value, str) else amounts.read(value)
    if not isinstance(mine, amounts.Money):
        return False
    if any(is_in_document(replace(mine, codes=()), document) for document in context.documents.values()):
        return True
    theirs = amounts.read(plain(view.gold.amended.new_value if view.gold.amended else view.gold.value)) if view.gold else None
    return isinstance(theirs, amounts.Money) and (mine.amount == theirs.amount or is_rounded_from(str(value), mine, (theirs.amount,)))


def content_part(context: Context, view: FieldView) -> Part:
    """What the content of a field says, whatever its citation is worth."""
    gold, reported = view.gold, view.reported
    if gold is None:
        return _without_gold(context, view)
    if not gold.legible:
        return illegible_part(reported, reported_value(reported), gold, context.contract.confidence)
    if reported is not None and has_failed(reported.value):
        return closed(
            Outcome.FAIL, "The extraction of this field failed.", "1.2 Fail", Finding("EXTRACTION_FAILED", "no value was extracted")
        )
    if gold.unchanged:
        return _unchanged(context, view)
    if gold.amended is not None:
        return _amended(context, view, gold.amended)
    if gold.absent:
        return _absent(context, view)
    return _present(context, view, gold)


def _not_reported(gold_text: str) -> Part:
    return closed(Outcome.FAIL, f"The field is not mentioned; {gold_text}.", "1.2 Fail", Finding("NOT_REPORTED", "field not mentioned"))


def _absent(context: Context, view: FieldView) -> Part:
    if view.reported is None:
        return _not_reported("it is absent from the document, which has to be said (A3)")
    value = reported_value(view.reported)
    if value is None and gives_up(view.reported):
        return closed(Outcome.FAIL, "Reported as there but not to be read; the field is absent from the document.", "1.2 Fail")
    if value is None and view.reported.status != "unchanged":
        return closed(Outcome.CORRECT, "Absent from the document and reported as absent.", "1.2 Correct")
    if value is None:
        return closed(Outcome.FAIL, "Reported as unchanged; the field is absent from the document.", "1.2 Fail")
    if is_negative(view.kind, value):
        return closed(Outcome.CORRECT, "There is no such clause, and none is reported.", "1.2 Correct")
    wrong = wrong_part(context, view, value, f"Reported {shown_text(value)!r}; gold says that it is absent.")
    says_nothing = isinstance(value, str) and KINDS[view.kind].is_literal and not KINDS[view.kind].parts(value)
    return _asked(context, view, value, (_NOT_THERE,), wrong) if says_nothing else wrong


_NOT_THERE = "absent: the documents have no such term"


def _present(context: Context, view: FieldView, gold: FieldGold) -> Part:
    expected = shown_text(gold.value)
    if view.reported is None:
        return _not_reported(f"gold says {expected!r}")
    value = reported_value(view.reported)
    if value is None:
        if view.reported.status in ("absent", "extracted") and not gives_up(view.reported) and is_negative(view.kind, plain(gold.value)):
            return closed(Outcome.CORRECT, "There is no such clause, and it is reported as absent.", "1.2 Correct")
        return closed(Outcome.FAIL, f"Reported as {view.reported.status}; gold says {expected!r}.", "1.2 Fail")
    return compared(context, view, value, plain(gold.value), tuple(plain(v) for v in gold.accepted))


def compared(context: Context, view: FieldView, value: Any, truth: Any, accepted: tuple[Any, ...] = ()) -> Part:
    """A reported value beside the true one: by rule, by type, else by one question to the judge."""
    found = KINDS[view.kind].compare(value, truth, accepted, view.surroundings)
    findings = tuple(Finding(code, found.reason) for code in found.codes)
    if found.label in LABELS:
        return closed(LABELS[found.label], found.reason, RULES[found.label], *findings)
    wrong = wrong_part(context, view, value, _plain_sentence(value, truth), findings)
    is_literal = view.key in context.contract.extraction.literal_without_gold or (
        view.kind == "reference_rate" and reference_rates.is_always_named(value)
    )
    if found.label == "wrong" or not is_stated(value):
        return wrong
    if is_literal and wrong.best is Outcome.HALLUCINATION and invented(context, view.kind, value, truth, *accepted):
        return wrong  # what is an invention without gold is one beside gold too
    if view.kind == "party" and found.label == "open" and KINDS["party"].parts(value) and not _is_whole_name(context, value):
        # a judge who finds another party says so of the whole name, its legal form included
        wrong = replace(wrong, worst=Outcome.HALLUCINATION, best=Outcome.HALLUCINATION, rule="1.1 Hallucination")
    return _asked(context, view, value, (truth, *accepted), wrong)


def _gold_sections(view: FieldView) -> list[tuple[str, str | None]]:
    """Gold's own places, where no citation leads into the documents."""
    is_led = any(check.spans for check in view.checks)
    return [(c.section, c.document) for c in (view.gold.claims if view.gold is not None else ()) if c.section and not is_led]


def _is_whole_name(context: Context, value: Any) -> bool:
    """Whether the documents have the name with its legal form (or could not be read)."""
    return not context.is_readable or any(KINDS["party"].supports(value, document.text) for document in context.documents.values())


def _plain_sentence(value: Any, truth: Any) -> str:
    return f"Reported {shown_text(value)!r}; gold says {shown_text(truth)!r}."


def _asked(context: Context, view: FieldView, value: Any, truths: Sequence[Any], wrong: Part) -> Part:
    is_list = view.kind == "conditions"
    reported, truth = text_of(value) or "", alternatives(text_of(one) or "" for one in truths)
    about = f"{field_title(view.key)}\n{reported}\n{truth}"
    passage = reading(context, view.checks, about, room=LIST_ROOM if is_list else ROOM, sections=_gold_sections(view))
    shown = {"field": field_label(view.key, view.tranche, view.of), "reported": reported, "gold": truth, "context": passage}
    reason = f"No rule tells whether {shown_text(value)!r} is {shown_text(truths[0])!r}."
    if is_list:
        question = Question.of("list_coverage", **shown)
        covered = {"covers": Outcome.SEMANTIC_MATCH, "partly_covers": Outcome.PARTIAL, "does_not_cover": Outcome.FAIL}
        branches = {v: closed(o, f"The judge finds that the list {v.replace('_', ' ')} gold's.", "1.2 List") for v, o in covered.items()}
        return by_verdict(context.answers, question, branches, reason, "1.2 List")
    question = Question.of("semantic_match", **shown)
    match = closed(
        Outcome.SEMANTIC_MATCH, f"The judge finds {shown_text(value)!r} equivalent to {shown_text(truths[0])!r}.", "1.1 Semantic match"
    )
    part = closed(
        Outcome.PARTIAL, f"The judge finds {shown_text(value)!r} partially equivalent to {shown_text(truths[0])!r}.", "1.1 Partial"
    )
    verdicts = {"equivalent": match, "partially_equivalent": part, "not_equivalent": wrong}
    return by_verdict(context.answers, question, verdicts, reason, "1.1 Semantic match")


# ---- amendments (standard 1.4) -----------------------------------------------------------------------------------


def _unchanged(context: Context, view: FieldView) -> Part:
    reported = view.reported
    if reported is None:
        return _not_reported("the amendment leaves it unchanged, which has to be said")
    if reported.status == "unchanged" or (reported.status == "extracted" and says_unchanged(reported.value)):
        return closed(Outcome.CORRECT, "Unchanged by the amendment and reported so.", "1.4 Correct")
    if reported.status == "absent" or (reported.status in ("illegible", "missing") and reported_value(reported) is None):
        return closed(Outcome.FAIL, f"Reported as {reported.status}; the amendment leaves it unchanged.", "1.4 Fail")
    detail = "a field that the amendment leaves unchanged was extracted again"
    part = wrong_part(context, view, reported_value(reported), f"{detail[0].upper()}{detail[1:]}.", (Finding("REEXTRACTED", detail),))
    return replace(part, rule=part.rule.replace("1.1 Fail", "1.4 Fail"))


def _amended(context: Context, view: FieldView, gold: Amended) -> Part:
    reported = view.reported
    if reported is None:
        return _not_reported(f"the amendment changes it to {shown_text(gold.new_value)!r}")
    value = reported_value(reported)
    if value is None:
        return closed(
            Outcome.FAIL, f"Reported as {reported.status}; the amendment changes it to {shown_text(gold.new_value)!r}.", "1.4 Fail"
        )
    new = compared(context, replace(view, of="new value"), value, plain(gold.new_value))
    if reported.status != "amended":
        unflagged = closed(
            Outcome.PARTIAL, "The field is not reported as amended: original value and effective date are missing.", "1.4 Partial"
        )
        return worst_part([new, unflagged])
    return worst_part([new, _original(context, view, reported, gold), _effective(context, view, reported, gold)])


_UNSTATED = "unclear: the amendment states no day"


def _original(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    right = closed(Outcome.CORRECT, "The original value is right.", "1.4 Correct")
    mine, truth = plain(reported.original_value), plain(gold.original_value)
    if not is_stated(mine):
        missing = closed(Outcome.PARTIAL, f"The original value {shown_text(truth)!r} is missing.", "1.4 Partial")
        return right if truth is None else missing
    if truth is None:
        return _softened(wrong_part(context, view, mine, f"Original value {shown_text(mine)!r} is given; the amendment states none."))
    part = compared(context, replace(view, of="original value"), mine, truth)
    return replace(_softened(part), questions=part.questions)


def _softened(part: Part) -> Part:
    """A wrong original value or effective date is partial, a fabricated one a hallucination; notation does not matter here."""

    def soften(outcome: Outcome) -> Outcome:
        return {Outcome.FAIL: Outcome.PARTIAL, Outcome.SEMANTIC_MATCH: Outcome.CORRECT}.get(outcome, outcome)

    return replace(part, worst=soften(part.worst), best=soften(part.best), rule="1.4 Amendment")


def _effective(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    mine, truth = reported.effective_date, gold.effective_date
    if truth is None and not (mine or "").strip():
        unsaid = "The amendment states no effective date; that has to be flagged as unclear, and nothing is said."
        return closed(Outcome.PARTIAL, unsaid, "1.4 Partial", Finding("EFFECTIVE_DATE_UNCLEAR", "no effective date, and not flagged"))
    if truth is None and not is_stated(mine):
        return closed(Outcome.CORRECT, "No effective date is stated, and none is assumed.", "1.4 Correct")
    dated = replace(view, kind="date", of="effective date")
    if truth is None and not KINDS["date"].parts(mine):
        return _asked(context, dated, mine, (_UNSTATED,), closed(Outcome.FAIL, "An effective date is assumed.", "1.4 Fail"))
    if truth is None:
        detail = f"effective date {mine!r} is given; gold has none"
        finding = Finding("EFFECTIVE_DATE_ASSUMED", detail)
        return wrong_part(context, dated, mine, f"{detail[0].upper()}{detail[1:]}.", (finding,))
    if not is_stated(mine):
        return closed(Outcome.PARTIAL, f"The effective date {truth!r} is missing.", "1.4 Partial")
    return _softened(compared(context, dated, mine, truth))


# ---- without gold ------------------------------------------------------------------------------------------------


def _without_gold(context: Context, view: FieldView) -> Part:
    value = reported_value(view.reported)
    if value is not None and view.key in context.contract.extraction.literal_without_gold:
        part = wrong_part(context, view, value, f"Reported {shown_text(value)!r}.")
        if part.best is Outcome.HALLUCINATION:
            return part
    return opened(Outcome.FAIL, Outcome.CORRECT, "Whether the value is the deal's is not known.", "1.1", "no_reference")


# ---- shown ---------------------------------------------------------------------------------------------------------


def asked_review(field: FieldOutput | None) -> str:
    """The human review that the output asked for, "" for none."""
    return field.hitl if field is not None and field.hitl not in (None, "none") else ""


def reported_text(field: FieldOutput | None) -> str | None:
    if field is None:
        return None
    if field.status == "amended":
        return change_text(field)
    if field.status == "missing" and field.page is not None:
        return f"missing: page {field.page}"
    return text_of(field.value) if field.status == "extracted" or field.value is not None else field.status


def change_text(change: FieldOutput | Amended) -> str:
    """An amendment as the report shows it; what is not given is said to be."""
    old, new, date = (text_of(value) or "not given" for value in (change.original_value, change.new_value, change.effective_date))
    return f"{old} -> {new}, effective {date}"
