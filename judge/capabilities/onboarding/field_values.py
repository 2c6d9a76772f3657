"""What an extracted value is worth beside gold (standard 1.1, design/onboarding.md Presence, Value, Fabrication, Amendments)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.folding import has_lookalikes
from deterministic.lexicon.records import record
from deterministic.values import KINDS, Surroundings
from deterministic.values.stated import has_failed, is_stated, says_unchanged
from deterministic.values.words import contains_words
from judge.capabilities.context import Context
from judge.capabilities.decisions import asked, closed, opened, same_meaning, shown_text, text_of, unverified, worst_part
from judge.capabilities.extracts import ROOM
from judge.capabilities.onboarding import Amended, FieldGold, FieldOutput, MoneyObject, field_label, field_title
from judge.capabilities.onboarding.confidence import gives_up, illegible_part
from judge.capabilities.passages import LIST_ROOM, reading
from judge.capabilities.wording import alternatives
from judge.records import Finding, Outcome, Part

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


def bare(value: Any) -> Any:
    """A value as `deterministic.values` takes it: text without markdown around it, number, bool, texts, or {"amount", "currency"}."""
    if isinstance(value, tuple):
        return tuple(map(bare, value))
    if isinstance(value, str):
        return value.strip(MARKDOWN) or value
    return value.model_dump() if isinstance(value, MoneyObject) else value


def reported_value(reported: FieldOutput | None) -> Any:
    """The value that a field claims; None when it claims none (absent, unchanged, `[]`, N/A)."""
    if reported is None or reported.status in ("absent", "unchanged"):
        return None
    value = bare(reported.new_value if reported.status == "amended" else reported.value)
    is_told = any(map(is_stated, value)) if isinstance(value, tuple) else is_stated(value)
    return value if is_told else None


def nothing_findings(reported: FieldOutput | None) -> tuple[Finding, ...]:
    """A value that says in words that nothing was found is not reported, and owes no provenance."""
    if reported is None or reported.status != "extracted" or reported.value in (None, (), "") or reported_value(reported) is not None:
        return ()
    return (Finding("NOTHING_REPORTED", f"{shown_text(reported.value)!r} says that nothing was found"),)


def is_negative(kind: str, value: Any) -> bool:
    """Whether a yes or no says no."""
    return KINDS[kind].is_yes_no and value is not None and KINDS[kind].compare(value, "N", (), Surroundings()).label == "correct"


def invented(context: Context, kind: str, value: Any, *known: Any) -> tuple[Any, ...]:
    """The informative parts of a value that stand in no document of the case and in none of the known texts (gold's own words)."""
    told = "\n".join(text for text in (text_of(bare(v)) for v in known) if text)
    missing = KINDS[kind].missing(value, tuple(context.documents.values())) if is_stated(value) else ()
    return tuple(part for part in missing if not (isinstance(part, str) and contains_words(told, part)))


def wrong_part(context: Context, view: FieldView, value: Any, reason: str, findings: Sequence[Finding] = ()) -> Part:
    """A wrong value: a fail, or a hallucination when it is of a literal kind and not in the document (design/onboarding.md Fabrication)."""
    fail = closed(Outcome.FAIL, reason, "1.1 Fail", *findings)
    kind, gold = KINDS[view.kind], view.gold
    if not kind.is_literal or (gold is not None and gold.derived):
        return fail
    truth = bare(gold.truth) if gold is not None else None
    if not (missing := invented(context, view.kind, value)) or kind.is_slip(value, truth, context.documents.values()):
        return fail
    if not context.is_readable:
        detail = f"{shown_text(missing[0])} is on no readable page"
        return replace(fail, findings=(*fail.findings, unverified(detail)))
    return closed(Outcome.HALLUCINATION, f"{reason} {shown_text(missing[0])} is not in the document.", "1.1 Hallucination", *findings)


def content_part(context: Context, view: FieldView) -> Part:
    """What the content of a field says, whatever its citation is worth."""
    gold, reported = view.gold, view.reported
    if gold is None:
        return _without_gold(context, view)
    if not gold.legible:
        return illegible_part(reported, reported_value(reported), gold, context.contract.confidence)
    if reported is not None and has_failed(reported.value):
        finding = Finding("EXTRACTION_FAILED", "no value was extracted")
        return closed(Outcome.FAIL, "The extraction of this field failed.", "1.2 Fail", finding)
    if gold.unchanged:
        return _unchanged(context, view)
    if gold.amended is not None:
        return _amended(context, view, gold.amended)
    return _absent(context, view) if gold.absent else _present(context, view, gold)


def _not_reported(gold_text: str) -> Part:
    return closed(Outcome.FAIL, f"The field is not mentioned; {gold_text}.", "1.2 Fail", Finding("NOT_REPORTED", "field not mentioned"))


def _absent(context: Context, view: FieldView) -> Part:
    if view.reported is None:
        return _not_reported("it is absent from the document, which has to be said (A3)")
    if (value := reported_value(view.reported)) is None and gives_up(view.reported):
        return closed(Outcome.FAIL, "Reported as there but not to be read; the field is absent from the document.", "1.2 Fail")
    if value is None and view.reported.status != "unchanged":
        return closed(Outcome.CORRECT, "Absent from the document and reported as absent.", "1.2 Correct")
    if value is None:
        return closed(Outcome.FAIL, "Reported as unchanged; the field is absent from the document.", "1.2 Fail")
    if is_negative(view.kind, value):
        return closed(Outcome.CORRECT, "There is no such clause, and none is reported.", "1.2 Correct")
    wrong = wrong_part(context, view, value, f"Reported {shown_text(value)!r}; gold says that it is absent.")
    says_nothing = isinstance(value, str) and KINDS[view.kind].is_literal and not KINDS[view.kind].parts(value)
    return _asked(context, view, value, ("absent: the documents have no such term",), wrong) if says_nothing else wrong


def _present(context: Context, view: FieldView, gold: FieldGold) -> Part:
    expected = shown_text(gold.value)
    if view.reported is None:
        return _not_reported(f"gold says {expected!r}")
    if (value := reported_value(view.reported)) is None:
        if view.reported.status in ("absent", "extracted") and not gives_up(view.reported) and is_negative(view.kind, bare(gold.value)):
            return closed(Outcome.CORRECT, "There is no such clause, and it is reported as absent.", "1.2 Correct")
        fail = closed(Outcome.FAIL, f"Reported as {view.reported.status}; gold says {expected!r}.", "1.2 Fail")
        may_be_zero = "0" in str(expected) and {*str(expected)}.isdisjoint("123456789") and nothing_findings(view.reported)  # nil
        return _asked(context, view, bare(view.reported.value), (bare(gold.value),), fail) if may_be_zero else fail
    return compared(context, view, value, bare(gold.value), tuple(bare(v) for v in gold.accepted))


def compared(context: Context, view: FieldView, value: Any, truth: Any, accepted: tuple[Any, ...] = ()) -> Part:
    """A reported value beside the true one: by rule, by type, else by one question to the judge."""
    kind = KINDS[view.kind]
    found = kind.compare(value, truth, accepted, view.surroundings)
    findings = tuple(Finding(code, found.reason) for code in found.codes)
    if found.label in LABELS:
        alike = (
            " Letters of another script that look alike were read as these (LOOKALIKES)." if has_lookalikes(shown_text(value) or "") else ""
        )
        return closed(LABELS[found.label], found.reason + alike, RULES[found.label], *findings)
    sentence = f"Reported {shown_text(value)!r}; gold says {shown_text(truth)!r}."
    wrong = wrong_part(context, view, value, sentence, findings)
    is_literal = kind.is_always_named(value) or view.key in context.contract.extraction.literal_without_gold
    if found.label == "wrong" or not is_stated(value):
        return wrong
    if is_literal and wrong.best is Outcome.HALLUCINATION and invented(context, view.kind, value, truth, *accepted):
        return wrong  # what is an invention without gold is one beside gold too
    is_name = kind.is_name and found.label == "open" and bool(kind.parts(value))
    if is_name and context.is_readable and not any(kind.supports(value, d.text) for d in context.documents.values()):
        # a judge who finds another party says so of the whole name, its legal form included
        wrong = replace(wrong, worst=Outcome.HALLUCINATION, best=Outcome.HALLUCINATION, rule="1.1 Hallucination")
    return _asked(context, view, value, (truth, *accepted), wrong)


def _asked(context: Context, view: FieldView, value: Any, truths: Sequence[Any], wrong: Part) -> Part:
    is_list, is_led = KINDS[view.kind].is_covered, any(check.spans for check in view.checks)
    reported, truth = text_of(value) or "", alternatives(text_of(one) or "" for one in truths)
    # gold's own places, where no citation leads into the documents
    sections = [(c.section, c.document) for c in (view.gold.claims if view.gold is not None else ()) if c.section and not is_led]
    about = f"{field_title(view.key)}\n{reported}\n{truth}"
    passage = reading(context, view.checks, about, room=LIST_ROOM if is_list else ROOM, sections=sections)
    texts = {"field": field_label(view.key, view.tranche, view.of), "reported": reported, "gold": truth, "context": passage}
    mine, theirs = (repr(shown_text(one)) for one in (value, truths[0]))
    reason = f"No rule tells whether {mine} is {theirs}."
    if is_list:
        covered = {"covers": Outcome.SEMANTIC_MATCH, "partly_covers": Outcome.PARTIAL, "does_not_cover": Outcome.FAIL}
        branches = {v: closed(o, f"The judge finds that the list {v.replace('_', ' ')} gold's.", "1.2 List") for v, o in covered.items()}
        return asked(context, "list_coverage", branches, reason, "1.2 List", **texts)
    match = closed(Outcome.SEMANTIC_MATCH, f"The judge finds {mine} equivalent to {theirs}.", "1.1 Semantic match")
    part = closed(Outcome.PARTIAL, f"The judge finds {mine} partially equivalent to {theirs}.", "1.1 Partial")
    return same_meaning(context, (match, part, wrong), reason, "1.1 Semantic match", **texts)


def _unchanged(context: Context, view: FieldView) -> Part:
    if (reported := view.reported) is None:
        return _not_reported("the amendment leaves it unchanged, which has to be said")
    if reported.status == "unchanged" or (reported.status == "extracted" and says_unchanged(reported.value)):
        return closed(Outcome.CORRECT, "Unchanged by the amendment and reported so.", "1.4 Correct")
    if reported.status == "absent" or (reported.status in ("illegible", "missing") and reported_value(reported) is None):
        return closed(Outcome.FAIL, f"Reported as {reported.status}; the amendment leaves it unchanged.", "1.4 Fail")
    detail = "a field that the amendment leaves unchanged was extracted again"
    part = wrong_part(context, view, reported_value(reported), f"{detail[0].upper()}{detail[1:]}.", (Finding("REEXTRACTED", detail),))
    return replace(part, rule=part.rule.replace("1.1 Fail", "1.4 Fail"))


def _amended(context: Context, view: FieldView, gold: Amended) -> Part:
    reported, told = view.reported, f"the amendment changes it to {shown_text(gold.new_value)!r}"
    if reported is None:
        return _not_reported(told)
    if (value := reported_value(reported)) is None:
        return closed(Outcome.FAIL, f"Reported as {reported.status}; {told}.", "1.4 Fail")
    new = compared(context, replace(view, of="new value"), value, bare(gold.new_value))
    if reported.status != "amended":
        unflagged = "The field is not reported as amended: original value and effective date are missing."
        return worst_part([new, closed(Outcome.PARTIAL, unflagged, "1.4 Partial")])
    return worst_part([new, _original(context, view, reported, gold), _effective(context, view, reported, gold)])


def _original(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    right = closed(Outcome.CORRECT, "The original value is right.", "1.4 Correct")
    mine, truth = bare(reported.original_value), bare(gold.original_value)
    if not is_stated(mine):
        missing = closed(Outcome.PARTIAL, f"The original value {shown_text(truth)!r} is missing.", "1.4 Partial")
        return right if truth is None else missing
    if truth is None:
        return _softened(wrong_part(context, view, mine, f"Original value {shown_text(mine)!r} is given; the amendment states none."))
    return _softened(compared(context, replace(view, of="original value"), mine, truth))


def _softened(part: Part) -> Part:
    """A wrong original value or effective date is partial, a fabricated one a hallucination; notation does not matter here."""
    soft = {Outcome.FAIL: Outcome.PARTIAL, Outcome.SEMANTIC_MATCH: Outcome.CORRECT}
    return replace(part, worst=soft.get(part.worst, part.worst), best=soft.get(part.best, part.best), rule="1.4 Amendment")


def _effective(context: Context, view: FieldView, reported: FieldOutput, gold: Amended) -> Part:
    mine, truth = reported.effective_date, gold.effective_date
    if truth is None and not (mine or "").strip():
        unsaid = "The amendment states no effective date; that has to be flagged as unclear, and nothing is said."
        return closed(Outcome.PARTIAL, unsaid, "1.4 Partial", Finding("EFFECTIVE_DATE_UNCLEAR", "no effective date, and not flagged"))
    if truth is None and not is_stated(mine):
        return closed(Outcome.CORRECT, "No effective date is stated, and none is assumed.", "1.4 Correct")
    dated = replace(view, kind="date", of="effective date")
    if truth is None and not KINDS["date"].parts(mine):
        assumed = closed(Outcome.FAIL, "An effective date is assumed.", "1.4 Fail")
        return _asked(context, dated, mine, ("unclear: the amendment states no day",), assumed)
    if truth is None:
        detail = f"effective date {mine!r} is given; gold has none"
        finding = Finding("EFFECTIVE_DATE_ASSUMED", detail)
        return wrong_part(context, dated, mine, f"{detail[0].upper()}{detail[1:]}.", (finding,))
    if not is_stated(mine):
        return closed(Outcome.PARTIAL, f"The effective date {truth!r} is missing.", "1.4 Partial")
    return _softened(compared(context, dated, mine, truth))


def _without_gold(context: Context, view: FieldView) -> Part:
    value = reported_value(view.reported)
    if value is not None and view.key in context.contract.extraction.literal_without_gold:
        part = wrong_part(context, view, value, f"Reported {shown_text(value)!r}.")
        if part.best is Outcome.HALLUCINATION:
            return part
    return opened(Outcome.FAIL, Outcome.CORRECT, "Whether the value is the deal's is not known.", "1.1", "no_reference")


def asked_review(field: FieldOutput | None) -> str:
    """The human review that the output asked for, "" for none."""
    return field.hitl if field is not None and field.hitl not in (None, "none") else ""


def reported_text(field: FieldOutput | None) -> str | None:
    if field is None:
        return None
    told = {None: "", True: "shared", False: "not shared"}[field.shared]
    return f"{text} ({told})" if (text := scoped_text(_status_text(field), field.scope)) and told else text


def scoped_text(text: str | None, scope: tuple[str, ...] | None) -> str | None:
    """A value with the tranches that it is said to be of."""
    return f"{text} (of {', '.join(scope)})" if text and scope else text


def _status_text(field: FieldOutput) -> str | None:
    if field.status == "amended":
        return change_text(field)
    if field.status == "missing" and field.page is not None:
        return f"missing: page {field.page}"
    return text_of(field.value) if field.status == "extracted" or field.value is not None else field.status


def change_text(change: FieldOutput | Amended) -> str:
    """An amendment as the report shows it; what is not given is said to be."""
    old, new, date = (text_of(value) or "not given" for value in (change.original_value, change.new_value, change.effective_date))
    return f"{old} -> {new}, effective {date}"
