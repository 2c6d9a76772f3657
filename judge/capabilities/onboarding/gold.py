"""Loan onboarding's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deterministic.values import KINDS
from judge.capabilities import Choice, Fault, GoldAnswer, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.cases import Case, Cited
from judge.capabilities.context import Context
from judge.capabilities.gold_forms import Input, Kind, filled, place_inputs, read_form
from judge.capabilities.gold_parts import (
    ABSENT,
    CONFIRM,
    CORRECT,
    Documents,
    citation_faults,
    gold_task,
    named,
    plain,
    pretty,
)
from judge.capabilities.onboarding.field_values import plain as plain_value
from judge.capabilities.onboarding.schema import FIELD_KEYS, ExtractionGold, ExtractionOutput, FieldGold, FieldOutput
from judge.capabilities.onboarding.tranches import pair_tranches
from judge.printing import quoted
from rubrics.contract import Contract

_LISTS = frozenset({"guarantors", "conditions_precedent"})
_CHECKED: Mapping[str, Kind] = {"facility_amount": "amount", "currency": "currency", "maturity_date": "date"}


def gold_tasks(case: Case) -> list[GoldTask]:
    """The document type, then every field: where it was reported, else at the top level."""
    output, reported = case.output, _reported_fields(case)
    kinds = [Choice("primary_agreement", "Primary agreement"), Choice("amendment", "Amendment")]
    reported_kind = next((kind.title for kind in kinds if kind.value == output.document_type), output.document_type or "(nothing)")
    tasks = [gold_task(("document_type",), "What is the document?", reported_kind, kinds)]
    for key in FIELD_KEYS:
        places = [path for path in reported if path[-1] == key] or [("fields", key)]
        for path in places:
            name = f"{key} of {path[1]}" if path[0] == "tranches" else key
            tasks.append(_field_task(path, name, reported.get(path), case.documents))
    return tasks


def _reported_fields(case: Case) -> dict[GoldPath, FieldOutput]:
    """Every reported field by its place in gold."""
    output: ExtractionOutput = case.output
    found: dict[GoldPath, FieldOutput] = {("fields", key): value for key, value in output.fields.items()}
    return found | {("tranches", t.label, key): value for t in output.tranches for key, value in t.fields.items()}


def _field_task(path: GoldPath, name: str, field: FieldOutput | None, documents: Sequence[str]) -> GoldTask:
    shown = _shown(field)
    choices = [Choice(CORRECT, "The right value is …", form=_form(path[-1], field, documents)), Choice(ABSENT, "Absent from the document")]
    if field is not None and field.status != "absent":
        choices.insert(0, Choice(CONFIRM, "Right as reported"))
    return gold_task(path, f"Is this right: {name.replace('_', ' ')}?", _text_of(field, shown), choices, field)


def _form(key: str, field: FieldOutput | None, documents: Sequence[str]) -> tuple[Input, ...]:
    """The form of a corrected field, with what was reported in it."""
    shown, place = _shown(field), place_inputs(documents)
    kind: Kind = _CHECKED.get(key, "text")
    if field is not None and field.status == "amended":
        lines = (
            Input("original_value", "Original value", kind),
            Input("new_value", "New value", kind, is_needed=True),
            Input("effective_date", "Effective date, or unclear", "effective_date"),
        )
        return (*filled(lines, {k: str(v) for k, v in shown.items()}), *place)
    if key in _LISTS:
        return (Input("value", "The right values, one a line", "lines", value=shown or None, is_needed=True), *place)
    draft = f"{shown.get('currency', '')} {shown.get('amount', '')}".strip() if isinstance(shown, dict) else shown
    return (Input("value", "The right value", kind, value=draft or None, is_needed=True), *place)


def _shown(field: FieldOutput | None) -> Any:
    if field is None or field.status in ("absent", "unchanged", "missing"):
        return ""
    if field.status == "amended":
        return {k: v for k, v in plain(field).items() if k in ("original_value", "new_value", "effective_date")}
    value = plain(field).get("value")
    return str(value) if isinstance(value, bool | int | float) else value


def _text_of(field: FieldOutput | None, shown: Any) -> str:
    if field is None:
        return "(not reported)"
    if field.status == "missing":
        return f"(on page {field.page}, which is missing)"
    if field.status in ("absent", "unchanged") or (field.status == "illegible" and not shown):
        return f"({field.status})"
    return "\n".join(shown) if isinstance(shown, list) else shown if isinstance(shown, str) else pretty(shown)


def _field_gold(key: str, field: FieldOutput | None, answer: GoldAnswer, documents: Sequence[str]) -> dict[str, Any]:
    """Gold of one field from a person's answer. Raises ValueError for a form that is not filled in right."""
    if answer.value == ABSENT:
        return {"absent": True}
    if field is not None and field.status == "unchanged" and answer.value == CONFIRM:
        return {"unchanged": True}
    place = _gold_place(field)
    if field is not None and field.status in ("illegible", "missing") and answer.value == CONFIRM:
        seen = {"visible": plain(field)["value"]} if field.value is not None else {}
        page = {"missing_page": int(field.page)} if field.page is not None and str(field.page).isdigit() else {}
        return {"legible": False, **seen, **page, **place}
    if answer.value == CORRECT:
        found = read_form(_form(key, field, documents), json.loads(answer.text))
        place = {"citation": found.pop("citation")}
        if field is not None and field.status == "amended":
            return {"amended": {**found, "effective_date": _known_date(found.get("effective_date"))}, **place}
        return {**found, **place}
    if field is not None and field.status == "amended":
        shown = _shown(field)
        return {"amended": {**shown, "effective_date": _known_date(shown.get("effective_date"))}, **place}
    return {"value": plain(field)["value"] if field is not None else None, **place}


def _known_date(date: str | None) -> str | None:
    return None if date == "unclear" else date


def _gold_place(field: Cited | None) -> dict[str, Any]:
    """Page and section of the reported citation: the person saw the value there."""
    claims = [c for c in (field.claims if field else ()) if c.page is not None or c.section]
    if not claims:
        return {}
    return {"citation": {k: v for k, v in plain(claims[0]).items() if k in ("document", "page", "section")}}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    reported = _reported_fields(case)
    fields: dict[str, Any] = {}
    tranches: dict[str, dict[str, Any]] = {}
    for path, answer in answers.items():
        if path[0] in ("fields", "tranches"):
            place = fields if path[0] == "fields" else tranches.setdefault(path[1], {})
            place[path[-1]] = _field_gold(path[-1], reported.get(path), answer, case.documents)
    gold = {"document_type": answers["document_type",].value, "fields": fields}
    return gold | ({"tranches": [{"label": label, "fields": found} for label, found in tranches.items()]} if tranches else {})


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected value is no gold for its place."""
    FieldGold.model_validate(_field_gold(path[-1], _reported_fields(case).get(path), GoldAnswer(CORRECT, text), case.documents))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Tranche labels that will not pair, values of literal kinds (in any equivalent form) and citations; not what gold marks derived or
    illegible, nor binary values."""
    gold: ExtractionGold = case.gold
    yield from _labels(case, documents, contract)
    yield from _fields(gold.fields, "gold.fields", documents, contract)
    for n, tranche in enumerate(gold.tranches):
        yield from _fields(tranche.fields, f"gold.tranches[{n}].fields", documents, contract)


def _labels(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Gold's tranches that no reported label pairs with by rule: they would be asked about, or missed."""
    output: ExtractionOutput | None = case.output
    if output is None or not output.tranches:
        return
    pairing = pair_tranches(Context(case, documents, contract), output.tranches, case.gold.tranches)
    reported = ", ".join(quoted(tranche.label) for tranche in output.tranches)
    for n, tranche in enumerate(case.gold.tranches):
        if n not in pairing.pairs or n in pairing.questions:
            message = f"no reported label pairs with {quoted(tranche.label)} by rule (reported: {reported}); add it to `aliases`"
            yield f"gold.tranches[{n}].label", message


def _fields(fields: Mapping[Any, FieldGold], path: str, documents: Documents, contract: Contract) -> Iterator[Fault]:
    for key, gold in fields.items():
        place = f"{path}.{key}"
        if not gold.derived and gold.legible:
            kind = contract.fields[key].kind
            for name, value, kind_of in _values(gold, kind):
                if not _occurs_any((value, *(gold.accepted if name == "value" else ())), kind_of, documents):
                    yield f"{place}.{name}", f"{quoted(plain_value(value))} is not in {named(documents)}"
        yield from citation_faults(gold, place, documents)


def _values(gold: FieldGold, kind: str) -> Iterator[tuple[str, Any, str]]:
    """(key, value, kind) of what gold states: a list value is looked for one by one."""
    if gold.amended is not None:
        yield "amended.new_value", gold.amended.new_value, kind
        if gold.amended.original_value is not None:
            yield "amended.original_value", gold.amended.original_value, kind
        if gold.amended.effective_date is not None:
            yield "amended.effective_date", gold.amended.effective_date, "date"
    elif gold.value is not None:
        if isinstance(gold.value, tuple):
            yield from (("value", part, "party" if kind == "party_list" else kind) for part in gold.value)
        else:
            yield "value", gold.value, kind


def _occurs_any(values: Sequence[Any], kind: str, documents: Documents) -> bool:
    """Whether one of the values has every informative part in the documents; a value that names nothing is not looked for."""
    return any(not KINDS[kind].missing(plain_value(value), tuple(documents.values())) for value in values)
