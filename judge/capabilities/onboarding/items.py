"""Loan onboarding extraction (standard 1): presence, values, fabrication, amendments, tranches, confidence, weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from deterministic.lexicon.labels import LABELS
from deterministic.lexicon.records import record
from deterministic.values import KINDS, Surroundings, periods
from deterministic.values.stated import is_stated
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.items import UNVERIFIED_VALUE, Subject, decide, decide_extra, nowhere_part, provenance_aside, text_of
from judge.capabilities.onboarding.confidence import hitl_findings, is_excused, missing_page_findings
from judge.capabilities.onboarding.degrees import field_aside
from judge.capabilities.onboarding.field_values import (
    FieldView,
    content_part,
    invented,
    is_negative,
    nothing_findings,
    plain,
    reported_value,
)
from judge.capabilities.onboarding.notes import field_note
from judge.capabilities.onboarding.schema import Amended, ExtractionGold, ExtractionOutput, FieldGold, FieldOutput, TrancheOutput
from judge.capabilities.onboarding.support import FieldClaim, all_days, support_of, truths_of
from judge.capabilities.onboarding.tranches import (
    TranchePairing,
    fold_label,
    is_designated_otherwise,
    names_label,
    pair_tranches,
    same_labels,
    stands_in_documents,
)
from judge.capabilities.provenance import (
    Assessed,
    assess_all,
    check_claim,
    gold_places,
    invented_parts,
    unread_measure,
    worst_of_several,
)
from judge.records import NOT_REQUIRED, Decision, Finding, Outcome, Part, Provenance, Question


@record
class Place:
    """One field item: which field, in which tranche (None: top level), and both sides of it."""

    key: str
    tranche: str | None
    reported: FieldOutput | None
    value: Any  # that is claimed; None where none is
    gold: FieldGold | None
    weight: Fraction
    names: Mapping[str, tuple[str, ...]]  # what else gold and the output call gold's tranches
    pairing: Question | None = None  # whether the reported tranche is this one
    siblings: tuple[Any, ...] = ()
    shared_by: tuple[str, ...] = ()  # gold's tranches, for a top-level field


def judge(context: Context) -> list[Decision]:
    """Every item of an extraction case, in a fixed order: document type, fields, tranches, extras."""
    output: ExtractionOutput = context.case.output if context.case.output is not None else ExtractionOutput()
    gold: ExtractionGold | None = context.case.gold
    pairing = pair_tranches(context, output.tranches, gold.tranches if gold is not None else ())
    places = list(_places(context, output, gold, pairing))
    decisions = [*_document_type(context, output, gold), *(_field(context, place) for place in places)]
    return [*decisions, *_extras(context, output, gold, pairing, places)]


# ---- which items there are ---------------------------------------------------------------------------------------


def _places(context: Context, output: ExtractionOutput, gold: ExtractionGold | None, pairing: TranchePairing) -> Iterator[Place]:
    if gold is None:
        reported = {t.label: t.fields for t in reversed(output.tranches)}
        truth: dict[str | None, Mapping[str, FieldGold | None]] = {None: dict.fromkeys(output.fields)}
        truth |= {t.label: dict.fromkeys(t.fields) for t in output.tranches}
    else:
        reported = {gold.tranches[g].label: output.tranches[r].fields for g, r in pairing.pairs.items()}
        tops: dict[str, FieldGold | None] = {str(k): v for k, v in gold.fields.items()}
        truth = {None: tops, **{t.label: {str(k): v for k, v in t.fields.items()} for t in gold.tranches}}
    questions = {gold.tranches[g].label: question for g, question in pairing.questions.items()} if gold is not None else {}
    names = _names(output, gold, pairing) if gold is not None else {}
    counts = Counter(key for fields in truth.values() for key in fields)
    labels = tuple(t.label for t in gold.tranches) if gold is not None else ()
    for label, fields in truth.items():
        mine: Mapping[str, FieldOutput] = output.fields if label is None else reported.get(label, {})  # type: ignore[assignment]
        for key in (k for k in context.contract.fields if k in fields):
            weight, field = context.contract.field_weight(key), mine.get(key)
            yield Place(
                key=key,
                tranche=label,
                reported=field,
                value=reported_value(field),
                gold=fields[key],
                weight=weight if counts[key] == 1 else weight / counts[key],
                pairing=questions.get(label) if label is not None else None,
                siblings=_siblings(truth, key, label),
                shared_by=labels if label is None else (),
                names=names,
            )


def _names(output: ExtractionOutput, gold: ExtractionGold, pairing: TranchePairing) -> dict[str, tuple[str, ...]]:
    """Gold's label of a tranche -> its aliases, and the label that the output gives the tranche that a rule paired with it."""
    sure = {g: output.tranches[r].label for g, r in pairing.pairs.items() if g not in pairing.questions}
    return {t.label: (*t.aliases, *((sure[g],) if g in sure else ())) for g, t in enumerate(gold.tranches)}


def _siblings(truth: Mapping[str | None, Mapping[str, FieldGold | None]], key: str, label: str | None) -> tuple[Any, ...]:
    """Gold's values of the same field in the other tranches."""
    others = (fields.get(key) for other, fields in truth.items() if other is not None and other != label)
    return tuple(plain(g.value) for g in others if g is not None and g.value is not None)


# ---- one field ---------------------------------------------------------------------------------------------------


def _field(context: Context, place: Place) -> Decision:
    claims = place.reported.claims if place.reported is not None else ()
    view = _view(context, place, claims)
    content = content_part(context, view)
    cited: Assessed | None = None
    others: list[Part] = []
    provenances: tuple[Provenance, ...] = ()
    if _needs_provenance(context, place):
        cited, provenances = _provenance(context, place, claims, content)
        cited = _beyond_reading(context, place, cited)
    else:
        others = invented_parts(context, claims)
    part = worst_part([content, *([cited.part] if cited else others), *_scope_parts(place)])
    found = None
    if place.pairing is not None:
        part, found = _if_paired(context, place, part), _if_paired(context, place, closed(Outcome.CORRECT, "", "1.5"))
    subject = Subject(
        item=f"fields.{place.key}" if place.tranche is None else f"tranches.{place.tranche}.{place.key}",
        weight=place.weight,
        tranche=place.tranche,
        reported=_reported_text(place.reported),
        gold=_gold_text(place.gold),
        confidence=place.reported.confidence if place.reported else None,
        counts_for_field=not (place.gold is not None and place.gold.unchanged),
        hitl=_asked_review(place.reported) if place.tranche is None else "",
        note=field_note(place.key),
    )
    findings = (
        *hitl_findings(place.reported, context.contract.confidence),
        *nothing_findings(place.reported),
        *missing_page_findings(place.reported, place.value, place.gold),
    )
    aside = field_aside(context, view, content, cited, others, found)
    return decide(context, subject, part, cited.provenance if cited else NOT_REQUIRED, provenances, findings, aside=aside)


def _if_paired(context: Context, place: Place, part: Part) -> Part:
    """An item of a reported tranche that only a judge can tell to be gold's."""
    assert place.pairing is not None
    reason = f"No rule tells whether a reported tranche is {place.tranche!r}."
    missed = closed(
        Outcome.FAIL, f"Nothing is reported for the tranche {place.tranche!r}.", "1.5", Finding("NOT_REPORTED", "tranche not reported")
    )
    branches = {"equivalent": part, "partially_equivalent": missed, "not_equivalent": missed}
    return by_verdict(context.answers, place.pairing, branches, reason, "1.5")


def _view(context: Context, place: Place, claims: Sequence[Citation]) -> FieldView:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    checks = [check_claim(context, c, places) for c in claims]
    quotes: list[str] = []
    for check in checks:
        document = context.documents.get(check.found_in or "")
        if document is not None and check.quote in ("exact", "normalised"):
            # a quote that OCR reads has no place in the text; it is the recognised text itself
            quotes.extend([document.text[start:end] for start, end in check.spans[:4]] or [check.claim.quote or ""])
    labels = (*LABELS.get(place.key, ()), *((place.tranche, *place.names.get(place.tranche, ())) if place.tranche else ()))
    surroundings = Surroundings(tuple(quotes), context.text, place.siblings, labels)
    kind = context.contract.fields[place.key].kind
    return FieldView(place.key, kind, place.reported, place.gold, surroundings, tuple(checks), place.tranche)


def _needs_provenance(context: Context, place: Place) -> bool:
    """Every extracted or amended field; not `absent`, `unchanged`, a binary N, or what was rightly given up as illegible (A14)."""
    if place.reported is None or place.value is None:
        return False
    if is_excused(place.reported, place.gold, context.contract.confidence):
        return False
    return not is_negative(context.contract.fields[place.key].kind, place.value)


def _provenance(context: Context, place: Place, claims: Sequence[Citation], content: Part) -> tuple[Assessed, tuple[Provenance, ...]]:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    tranches = tuple(label for label in place.names if label != place.tranche) if place.tranche is not None else ()
    support = support_of(
        context, FieldClaim(place.key, place.value, place.gold, claims, places, _claimed(place), place.tranche, tranches), content
    )
    living = [claim for claim in claims if not _is_struck_original(context, place, claim, places)]
    return assess_all(context, living or claims, support, places)


def _beyond_reading(context: Context, place: Place, assessed: Assessed) -> Assessed:
    """What is quoted for a passage that nobody can read cannot be shown to be invented; where the page itself is missing it is (5.2), or
    may be, if the others cannot be read."""
    gold, found = place.gold, assessed.provenance
    if gold is None or gold.legible:
        return assessed
    if gold.missing_page is not None and found.outcome == "unreadable":
        unverified = Finding(UNVERIFIED_VALUE, f"the quote is on no readable page, and page {gold.missing_page} is not in the file")
        return replace(assessed, part=replace(assessed.part, findings=(*assessed.part.findings, unverified)))
    if gold.missing_page is not None or found.outcome != "not_found" or found.page == "out_of_range":
        return assessed
    reason, rule = "The quote cannot be verified: the passage cannot be read.", "5.1 Not verifiable"
    part = opened(Outcome.FAIL, Outcome.CORRECT, reason, rule, "unreadable", *assessed.part.findings)
    unread = replace(found, outcome="unreadable", quote="unreadable", page="unknown", section="unknown", score=None, is_open=True)
    return unread_measure(context, replace(assessed, part=part, provenance=unread))


def _is_struck_original(context: Context, place: Place, claim: Citation, places: tuple[Any, ...]) -> bool:
    """Whether a citation quotes struck text as the evidence of an amended field's original value, which it is."""
    original = plain(place.reported.original_value) if place.reported is not None and place.reported.status == "amended" else None
    if original is None or all(code != "DELETED_TEXT" for code, _ in check_claim(context, claim, places).findings):
        return False
    return KINDS[context.contract.fields[place.key].kind].supports(original, claim.quote or "")


def _claimed(place: Place) -> str:
    """What the citations of a field show together: its value; of an amended field also what it was and from when."""
    value, reported = text_of(place.value) or "", place.reported
    if reported is None or reported.status != "amended":
        return value
    also = {"in place of": text_of(plain(reported.original_value)), "from": reported.effective_date}
    return "; ".join([f"amended to {value}", *(f"{name} {text}" for name, text in also.items() if text and is_stated(text))])


def _scope_parts(place: Place) -> list[Part]:
    """Multi-tranche deals: a shared field is noted as shared, a scope is stated (standard 1.5, A7)."""
    gold, reported = place.gold, place.reported
    if not place.shared_by or gold is None or gold.absent or reported is None or place.value is None:
        return []
    stated = reported.scope or ()
    if gold.scope is None:
        if reported.shared or (reported.shared is None and same_labels(stated, place.shared_by, place.names)):
            return []
        finding = Finding("SHARED_NOT_NOTED", "a field of all tranches is not noted as shared")
        return [closed(Outcome.PARTIAL, "The field is shared by all tranches but not noted as shared.", "1.5 Partial (A7)", finding)]
    if same_labels(stated, gold.scope, place.names):
        return []
    detail = f"applies to {', '.join(gold.scope)}; stated: {', '.join(reported.scope or ()) or 'nothing'}"
    code = "TRANCHE_SCOPE_WRONG" if stated else "TRANCHE_SCOPE_MISSING"
    return [
        closed(
            Outcome.PARTIAL,
            f"The tranches that the field applies to are not stated rightly: {detail}.",
            "1.5 Partial (A7)",
            Finding(code, detail),
        )
    ]


# ---- document type (standard 1.4, A6) ----------------------------------------------------------------------------


def _document_type(context: Context, output: ExtractionOutput, gold: ExtractionGold | None) -> list[Decision]:
    truth = gold.document_type if gold is not None else None
    if "amendment" not in (output.document_type, truth):
        return []
    subject = Subject("document_type", context.contract.extraction.document_type_weight, reported=output.document_type, gold=truth)
    if truth is None:
        part = opened(Outcome.FAIL, Outcome.CORRECT, "Reported as an amendment.", "1.4", "no_reference")
    elif output.document_type == truth:
        part = closed(Outcome.CORRECT, "Flagged as an amendment.", "1.4 Correct")
    else:
        said = output.document_type or "nothing"
        part = closed(Outcome.FAIL, f"The document type is {truth.replace('_', ' ')}; reported: {said.replace('_', ' ')}.", "1.4 Fail")
    return [decide(context, subject, part)]


# ---- what gold lacks ---------------------------------------------------------------------------------------------


def _extras(
    context: Context, output: ExtractionOutput, gold: ExtractionGold | None, pairing: TranchePairing, places: Sequence[Place]
) -> Iterator[Decision]:
    """Reported tranches and fields that gold does not have: not scored, but neither citations nor values may be invented."""
    if gold is None:
        return
    known = {(p.tranche, p.key) for p in places}
    truths = _all_truths(gold)
    for key, field in output.fields.items():
        if (None, key) not in known:
            yield from _extra_field(context, f"fields.{key}", None, key, field, truths)
    paired = {r: gold.tranches[g].label for g, r in pairing.pairs.items()}
    seen: dict[str, int] = {}
    for index, tranche in enumerate(output.tranches):
        folded = fold_label(tranche.label)
        seen[folded] = seen.get(folded, 0) + 1
        if index not in paired:
            yield _extra_tranche(context, tranche, seen[folded], index in pairing.second, truths, [t.label for t in gold.tranches])
            continue
        for key, field in tranche.fields.items():
            if (paired[index], key) not in known:
                yield from _extra_field(context, f"tranches.{tranche.label}.{key}", tranche.label, key, field, truths)


def _all_truths(gold: ExtractionGold) -> Mapping[str, tuple[Any, ...]]:
    """Every value that gold gives a field, at the top or under a tranche: a repetition of one of them is no invention."""
    found: dict[str, tuple[Any, ...]] = {}
    for fields in (gold.fields, *(tranche.fields for tranche in gold.tranches)):
        for key, field in fields.items():
            found[key] = (*found.get(key, ()), *truths_of(field))
    return found


def _extra_field(
    context: Context, item: str, tranche: str | None, key: str, field: FieldOutput, truths: Mapping[str, tuple[Any, ...]]
) -> Iterator[Decision]:
    value = reported_value(field)
    if value is None or is_negative(context.contract.fields[key].kind, value):
        return
    assessed, provenances = assess_all(context, field.claims, None)
    hitl = _asked_review(field) if tranche is None else ""
    subject = Subject(item, Fraction(0), tranche, _reported_text(field), confidence=field.confidence, hitl=hitl)
    finding = Finding("EXTRA_FIELD", f"gold does not have {item}")
    part = worst_part([assessed.part, *_invented_values(context, key, value, truths)])
    yield decide_extra(context, subject, finding, part, assessed.provenance, provenances, provenance_aside(assessed))


def _invented_values(context: Context, key: str, value: Any, truths: Mapping[str, tuple[Any, ...]]) -> Iterator[Part]:
    """A value that gold does not judge, and that is not in the document; a length can have been computed from two days of the document."""
    kind = context.contract.fields[key].kind
    missing = invented(context, kind, value, *truths.get(key, ()))
    if missing and kind == "period" and periods.is_between_any(value, all_days(context)):
        return
    if missing and not _is_any_truth(kind, value, truths.get(key, ())):
        yield nowhere_part(context, text_of(missing[0]))


def _is_any_truth(kind: str, value: Any, truths: tuple[Any, ...]) -> bool:
    return any(KINDS[kind].compare(value, truth, (), Surroundings()).label not in ("wrong", "open") for truth in truths)


def _extra_tranche(
    context: Context, tranche: TrancheOutput, nth: int, is_second: bool, truths: Mapping[str, tuple[Any, ...]], others: Sequence[str]
) -> Decision:
    """A tranche that gold lacks, or a second report of one: its label and values are looked for, its citations checked."""
    label = tranche.label
    subject = Subject(f"tranches.+{label}" + (f"#{nth}" if nth > 1 else ""), Fraction(0), label, label)
    finding = Finding("EXTRA_TRANCHE", f"gold has no tranche {label!r}")
    if is_second:
        finding = Finding("DUPLICATE_TRANCHE", f"a second report of the tranche {label!r}")
    parts = [] if is_second else [_label_part(context, tranche, truths, others)]
    reported = [(key, f, reported_value(f)) for key, f in tranche.fields.items()]
    for key, _, value in reported:
        parts.extend(_invented_values(context, key, value, truths) if value is not None else ())
    assessed = [assess_all(context, f.claims, None)[0] for _, f, value in reported if value is not None and f.claims]
    provenance, aside = NOT_REQUIRED, None
    if assessed:
        combined = worst_of_several(assessed)
        parts.append(combined.part)
        provenance, aside = combined.provenance, provenance_aside(combined)
    return decide_extra(context, subject, finding, worst_part(parts) if parts else None, provenance, aside=aside)


def _label_part(context: Context, tranche: TrancheOutput, truths: Mapping[str, tuple[Any, ...]], others: Sequence[str]) -> Part:
    """Other words than the document's are no proof that a tranche is invented: only a letter or number that no tranche of it has is."""
    label = tranche.label
    if stands_in_documents(context, label) or _is_shown(context, tranche, truths, others):
        return closed(Outcome.CORRECT, f"The document has {label!r}.", "1.5")
    if not context.is_readable:
        return opened(Outcome.HALLUCINATION, Outcome.CORRECT, f"{label!r} is on no readable page.", "1.5", "unreadable")
    if is_designated_otherwise(context, label):
        return closed(Outcome.HALLUCINATION, f"The tranche {label!r} is not in the document.", "1.1 Hallucination")
    sentence = f"The document does not say {label!r}, and no quote shows the tranche."
    return opened(Outcome.HALLUCINATION, Outcome.CORRECT, sentence, "1.5", "cannot_determine")


def _is_shown(context: Context, tranche: TrancheOutput, truths: Mapping[str, tuple[Any, ...]], others: Sequence[str]) -> bool:
    """Whether a value that none of gold's tranches has stands in a verbatim quote that names none of them."""
    told = [
        (context.contract.fields[key].kind, value, f, key) for key, f in tranche.fields.items() if (value := reported_value(f)) is not None
    ]
    return any(
        check_claim(context, claim).quote == "exact"
        and KINDS[kind].supports(value, claim.quote or "")
        and not any(names_label(label, claim.quote or "") for label in others)
        for kind, value, f, key in told
        if not _is_any_truth(kind, value, truths.get(key, ()))
        for claim in f.claims
    )


def _asked_review(field: FieldOutput | None) -> str:
    """The human review that the output asked for, "" for none."""
    return field.hitl if field is not None and field.hitl not in (None, "none") else ""


def _reported_text(field: FieldOutput | None) -> str | None:
    if field is None:
        return None
    if field.status == "amended":
        return _change_text(field)
    if field.status == "missing" and field.page is not None:
        return f"missing: page {field.page}"
    return text_of(field.value) if field.status == "extracted" or field.value is not None else field.status


def _gold_text(gold: FieldGold | None) -> str | None:
    if gold is None:
        return None
    if gold.amended is not None:
        return _change_text(gold.amended)
    if not gold.legible and gold.value is None:
        return "illegible" if gold.missing_page is None else f"on page {gold.missing_page}, which is missing"
    return "absent" if gold.absent else "unchanged" if gold.unchanged else text_of(gold.value)


def _change_text(change: FieldOutput | Amended) -> str:
    """An amendment as the report shows it; what is not given is said to be."""
    old, new, date = (text_of(value) or "not given" for value in (change.original_value, change.new_value, change.effective_date))
    return f"{old} -> {new}, effective {date}"
