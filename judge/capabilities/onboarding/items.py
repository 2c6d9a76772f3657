"""Loan onboarding extraction (standard 1): presence, values, fabrication, amendments, tranches, confidence, weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from deterministic.citations.check import CitationCheck
from deterministic.values import KINDS, Surroundings, party_lists
from deterministic.values.roles import is_only_other_role
from judge.capabilities.context import Context
from judge.capabilities.decisions import closed, opened, worst_part
from judge.capabilities.items import Subject, decide, decide_extra, text_of
from judge.capabilities.onboarding.confidence import hitl_findings, is_excused
from judge.capabilities.onboarding.field_values import FieldView, content_part, is_negative, plain, reported_value
from judge.capabilities.onboarding.notes import claim_text, field_label
from judge.capabilities.onboarding.schema import ExtractionGold, ExtractionOutput, FieldGold, FieldOutput
from judge.capabilities.passages import content_words, reading
from judge.capabilities.provenance import Assessed, Support, assess_all, check_claim, gold_places, worst_of_several
from judge.cases import Citation
from judge.records import NOT_REQUIRED, Decision, Finding, Outcome, Part, Provenance


@dataclass(frozen=True, slots=True)
class Place:
    """One field item: which field, in which tranche (None: top level), and both sides of it."""

    key: str
    tranche: str | None
    reported: FieldOutput | None
    gold: FieldGold | None
    weight: Fraction
    siblings: tuple[Any, ...] = ()
    shared_by: tuple[str, ...] = ()  # gold's tranches, for a top-level field


def judge(context: Context) -> list[Decision]:
    """Every item of an extraction case, in a fixed order: document type, fields, tranches, extras."""
    output: ExtractionOutput = context.case.output if context.case.output is not None else ExtractionOutput()
    gold: ExtractionGold | None = context.case.gold
    places = list(_places(context, output, gold))
    decisions = [*_document_type(context, output, gold), *(_field(context, place) for place in places)]
    return [*decisions, *_extras(context, output, gold, places)]


# ---- which items there are ---------------------------------------------------------------------------------------


def fold_label(label: str) -> str:
    """Tranche labels match after folding case, white space and punctuation."""
    return " ".join(re.findall(r"\w+", label.casefold()))


def _places(context: Context, output: ExtractionOutput, gold: ExtractionGold | None) -> Iterator[Place]:
    reported = {fold_label(t.label): t.fields for t in reversed(output.tranches)}
    if gold is None:
        truth: dict[str | None, Mapping[str, FieldGold | None]] = {None: dict.fromkeys(output.fields)}
        truth |= {t.label: dict.fromkeys(t.fields) for t in output.tranches}
    else:
        tops: dict[str, FieldGold | None] = {str(k): v for k, v in gold.fields.items()}
        truth = {None: tops, **{t.label: {str(k): v for k, v in t.fields.items()} for t in gold.tranches}}
    counts = {key: sum(key in fields for fields in truth.values()) for key in context.contract.fields}
    for label, fields in truth.items():
        mine: Mapping[str, FieldOutput] = output.fields if label is None else reported.get(fold_label(label), {})  # type: ignore[assignment]
        for key in (k for k in context.contract.fields if k in fields):
            yield Place(
                key=key,
                tranche=label,
                reported=mine.get(key),
                gold=fields[key],
                weight=context.contract.field_weight(key) / counts[key],
                siblings=_siblings(truth, key, label),
                shared_by=tuple(t.label for t in gold.tranches) if label is None and gold is not None else (),
            )


def _siblings(truth: Mapping[str | None, Mapping[str, FieldGold | None]], key: str, label: str | None) -> tuple[Any, ...]:
    """Gold's values of the same field in the other tranches."""
    others = (fields.get(key) for other, fields in truth.items() if other is not None and other != label)
    return tuple(plain(g.value) for g in others if g is not None and g.value is not None)


# ---- one field ---------------------------------------------------------------------------------------------------


def _field(context: Context, place: Place) -> Decision:
    claims = place.reported.claims if place.reported is not None else ()
    view = _view(context, place, claims)
    content = content_part(context, view)
    parts, provenance = [content], NOT_REQUIRED
    provenances: tuple[Provenance, ...] = ()
    if _needs_provenance(context, place):
        assessed, provenances = _provenance(context, place, claims, content)
        parts.append(assessed.part)
        provenance = assessed.provenance
    parts.extend(_scope_parts(place))
    subject = Subject(
        item=f"fields.{place.key}" if place.tranche is None else f"tranches.{place.tranche}.{place.key}",
        weight=place.weight,
        tranche=place.tranche,
        reported=_reported_text(place.reported),
        gold=_gold_text(place.gold),
        confidence=place.reported.confidence if place.reported else None,
        counts_for_field=not (place.gold is not None and place.gold.unchanged),
    )
    findings = hitl_findings(place.reported, context.contract.confidence)
    return decide(context, subject, worst_part(parts), provenance, provenances, findings)


def _view(context: Context, place: Place, claims: Sequence[Citation]) -> FieldView:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    checks = [check_claim(context, c, places) for c in claims]
    quotes: list[str] = []
    for check in checks:
        document = context.documents.get(check.found_in or "")
        if document is not None and check.quote in ("exact", "normalised"):
            # a quote that OCR reads has no place in the text; it is the recognised text itself
            quotes.extend([document.text[start:end] for start, end in check.spans[:4]] or [check.claim.quote or ""])
    text = "\n".join(d.text for d in context.documents.values()) if len(context.documents) > 1 else _only_text(context)
    surroundings = Surroundings(quotes=tuple(quotes), document_text=text, siblings=place.siblings)
    return FieldView(place.key, context.contract.fields[place.key].kind, place.reported, place.gold, surroundings, tuple(checks))


def _only_text(context: Context) -> str:
    return next(iter(context.documents.values())).text if context.documents else ""


def _needs_provenance(context: Context, place: Place) -> bool:
    """Every extracted or amended field; not `absent`, `unchanged`, a binary N, or what was rightly given up as illegible (A14)."""
    if place.reported is None or reported_value(place.reported) is None:
        return False
    if is_excused(place.reported, place.gold, context.contract.confidence):
        return False
    return not is_negative(context.contract.fields[place.key].kind, reported_value(place.reported))


def _provenance(context: Context, place: Place, claims: Sequence[Citation], content: Part) -> tuple[Assessed, tuple[Provenance, ...]]:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    support = _support(context, place, claims, places, content)
    return assess_all(context, claims, support, places)


def _support(context: Context, place: Place, claims: Sequence[Citation], places: tuple[Any, ...], content: Part) -> Support:
    """What a citation of this field has to show: the reported value, or gold's, in an equivalent form."""
    kind = KINDS[context.contract.fields[place.key].kind]
    value = reported_value(place.reported)
    truths = _truths(place.gold)
    together = "\n".join(_quoted(context, c, places) for c in claims)

    def contains(text: str) -> bool:
        if place.key == "guarantors" and len(claims) > 1:
            return _names_any(text, value) and kind.supports(value, f"{text}\n{together}")
        return any(kind.supports(v, text) for v in (value, *truths))

    def needs_judge(text: str) -> bool:
        if context.contract.fields[place.key].kind not in ("party", "party_list"):
            return False
        names = value if isinstance(value, tuple) else (value,)
        return any(is_only_other_role(text, name, place.key) for name in dict.fromkeys(map(str, (*names, *truths))))

    return Support(
        field=field_label(place.key),
        claim=claim_text(place.key, text_of(value) or ""),
        contains=contains,
        needs_judge=needs_judge,
        at=lambda check: kind is KINDS["conditions"] and _states_condition(context, check, value),
        is_impossible=content.best is Outcome.HALLUCINATION and context.is_readable,
    )


def _states_condition(context: Context, check: CitationCheck, value: Any) -> bool:
    """Whether a quote has every word of one reported condition, of two words or more, in a provision on conditions."""
    items = [content_words(item) for item in (value if isinstance(value, tuple) else (str(value),))]
    quoted = content_words(check.claim.quote or "")
    return any(len(words) > 1 and words <= quoted for words in items) and "condition" in reading(context, [check]).casefold()


def _truths(gold: FieldGold | None) -> tuple[Any, ...]:
    if gold is None:
        return ()
    value = gold.amended.new_value if gold.amended is not None else gold.value
    return tuple(plain(v) for v in (value, *gold.accepted) if v is not None)


def _quoted(context: Context, citation: Citation, places: tuple[Any, ...]) -> str:
    check = check_claim(context, citation, places)
    return (citation.quote or "") if check.quote in ("exact", "normalised") else ""


def _names_any(text: str, names: Any) -> bool:
    return any(KINDS["party"].supports(name, text) for name in party_lists.listed(names))


def _scope_parts(place: Place) -> list[Part]:
    """Multi-tranche deals: a shared field is noted as shared, a scope is stated (standard 1.5, A7)."""
    gold, reported = place.gold, place.reported
    if not place.shared_by or gold is None or gold.absent or reported is None or reported_value(reported) is None:
        return []
    stated = {fold_label(label) for label in reported.scope or ()}
    if gold.scope is None:
        if reported.shared or (reported.shared is None and stated >= {fold_label(label) for label in place.shared_by}):
            return []
        finding = Finding("SHARED_NOT_NOTED", "a field of all tranches is not noted as shared")
        return [closed(Outcome.PARTIAL, "The field is shared by all tranches but not noted as shared.", "1.5 Partial (A7)", finding)]
    if stated == {fold_label(label) for label in gold.scope}:
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


def _extras(context: Context, output: ExtractionOutput, gold: ExtractionGold | None, places: Sequence[Place]) -> Iterator[Decision]:
    """Reported tranches and fields that gold does not have: not scored, but their citations may not be invented."""
    if gold is None:
        return
    known = {(fold_label(p.tranche) if p.tranche is not None else None, p.key) for p in places}
    labels = {fold_label(t.label) for t in gold.tranches}
    for key, field in output.fields.items():
        if (None, key) not in known:
            yield from _extra_field(context, f"fields.{key}", None, key, field)
    seen: dict[str, int] = {}
    for tranche in output.tranches:
        folded = fold_label(tranche.label)
        seen[folded] = seen.get(folded, 0) + 1
        if folded not in labels:
            yield _extra_tranche(context, tranche.label, tranche.fields, seen[folded])
            continue
        for key, field in tranche.fields.items():
            if (folded, key) not in known and seen[folded] == 1:
                yield from _extra_field(context, f"tranches.{tranche.label}.{key}", tranche.label, key, field)


def _extra_field(context: Context, item: str, tranche: str | None, key: str, field: FieldOutput) -> Iterator[Decision]:
    value = reported_value(field)
    if value is None or is_negative(context.contract.fields[key].kind, value):
        return
    assessed, provenances = assess_all(context, field.claims, None)
    subject = Subject(item, Fraction(0), tranche, _reported_text(field), confidence=field.confidence)
    finding = Finding("EXTRA_FIELD", f"gold does not have {item}")
    yield decide_extra(context, subject, finding, assessed.part, assessed.provenance, provenances)


def _extra_tranche(context: Context, label: str, fields: Mapping[Any, FieldOutput], nth: int) -> Decision:
    item = f"tranches.+{label}" + (f"#{nth}" if nth > 1 else "")
    subject = Subject(item, Fraction(0), label, label)
    finding = Finding("EXTRA_TRANCHE", f"gold has no tranche {label!r}")
    parts = [_label_part(context, label)]
    cited = [(f.claims, reported_value(f)) for f in fields.values()]
    assessed = [assess_all(context, claims, None)[0] for claims, value in cited if value is not None and claims]
    provenance = NOT_REQUIRED
    if assessed:
        combined = worst_of_several(assessed)
        parts.append(combined.part)
        provenance = combined.provenance
    return decide_extra(context, subject, finding, worst_part(parts), provenance)


def _label_part(context: Context, label: str) -> Part:
    words = re.findall(r"\w+", label)
    pattern = re.compile(r"(?<!\w)" + r"\W+".join(map(re.escape, words)) + r"(?!\w)", re.IGNORECASE) if words else None
    if pattern is not None and any(pattern.search(d.text) for d in context.documents.values()):
        return closed(Outcome.CORRECT, f"The document mentions {label!r}.", "1.5")
    if not context.is_readable:
        return opened(Outcome.HALLUCINATION, Outcome.CORRECT, f"{label!r} is on no readable page.", "1.5", "unreadable")
    return closed(Outcome.HALLUCINATION, f"The tranche {label!r} stands nowhere in the document.", "1.1 Hallucination")


def _reported_text(field: FieldOutput | None) -> str | None:
    if field is None:
        return None
    if field.status == "amended":
        return f"{text_of(field.original_value)} -> {text_of(field.new_value)}, effective {field.effective_date}"
    return text_of(field.value) if field.status == "extracted" else field.status


def _gold_text(gold: FieldGold | None) -> str | None:
    if gold is None:
        return None
    if gold.amended is not None:
        return f"{text_of(gold.amended.original_value)} -> {text_of(gold.amended.new_value)}, effective {gold.amended.effective_date}"
    return "absent" if gold.absent else "unchanged" if gold.unchanged else text_of(gold.value)
