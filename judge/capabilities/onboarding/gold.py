"""Loan onboarding's gold: what a person makes it of, what the documents must have of it, and how a case file says it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deterministic.values import KINDS
from deterministic.values.stated import is_stated
from judge.capabilities import Choice, Fault, GoldAnswer, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.case_files import (
    Evidence,
    Faults,
    Gold,
    Reading,
    Row,
    Section,
    Target,
    attach,
    columns,
    field_gold,
    keyed,
    listed,
    rows,
)
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.gold import (
    ABSENT,
    CONFIRM,
    CORRECT,
    CellKind,
    Documents,
    Input,
    added,
    as_json,
    described,
    filled,
    form_of,
    gold_task,
    missing_task,
    named,
    place_inputs,
    read_form,
    value_problem,
)
from judge.capabilities.onboarding import ExtractionGold, ExtractionOutput, FieldGold, FieldOutput, TrancheGold, field_title
from judge.capabilities.onboarding.field_values import bare
from judge.capabilities.onboarding.support import holds_formula
from judge.capabilities.onboarding.tranches import pair_tranches
from judge.capabilities.wording import fold_text, has_words
from judge.printing import quoted
from rubrics.contract import Contract, load_contract
from rubrics.contract_sections import FIELD_KEYS

_LISTS = frozenset({"guarantors", "conditions_precedent"})
_CHECKED: Mapping[str, CellKind] = {"facility_amount": "amount", "currency": "currency", "maturity_date": "date"}


def gold_tasks(case: Case) -> list[GoldTask]:
    """The document type, every field where it was reported, else at the top level, and what the tranches lack."""
    output, reported = case.output, _reported_fields(case)
    kinds = [Choice("primary_agreement", "Primary agreement"), Choice("amendment", "Amendment")]
    reported_kind = next((kind.title for kind in kinds if kind.value == output.document_type), output.document_type or "(nothing)")
    tasks = [gold_task(("document_type",), "What is the document?", reported_kind, kinds)]
    for key in FIELD_KEYS:
        for path in [path for path in reported if path[-1] == key] or [("fields", key)]:
            name, field = f"{key} of {path[1]}" if path[0] == "tranches" else key, reported.get(path)
            right, absent = Choice(CORRECT, "The right value is …", form=_form(case, path, field)), "Absent from the document"
            choices = [Choice(CONFIRM, "Right as reported"), right, Choice(ABSENT, absent)]
            if field is None or field.status == "absent":  # what is reported is the first one here too
                choices = [Choice(ABSENT, absent if field is None else "Right as reported: absent"), right]
            tasks.append(gold_task(path, f"Is this right: {name.replace('_', ' ')}?", _text_of(field), choices, field))
    one = Input("field", "Field", "choice", tuple((key, field_title(key)) for key in FIELD_KEYS), is_needed=True)
    value = Input("value", "The right value", is_needed=True)
    fields = Input("fields", "Field of this tranche", "forms", inner=(one, value, *place_inputs(case.documents)), is_needed=True)
    label = Input("label", "Tranche", is_needed=True, hint="for example Facility B; one that was reported gets these fields too")
    return [*tasks, missing_task((label, fields), "tranche")]


def _reported_fields(case: Case) -> dict[GoldPath, FieldOutput]:
    output: ExtractionOutput = case.output
    found: dict[GoldPath, FieldOutput] = {("fields", key): value for key, value in output.fields.items()}
    return found | {("tranches", t.label, key): value for t in output.tranches for key, value in t.fields.items()}


def _form(case: Case, path: GoldPath, field: FieldOutput | None) -> tuple[Input, ...]:
    claims = field.claims if field is not None else ()
    key, shown, sections = path[-1], _reported_value(field), [claim.section for claim in claims if claim.section]
    place = filled(place_inputs(case.documents), {"section": next(iter(sections), None)})
    if path[0] == "fields" and case.output.tranches:
        scope = list(field.scope or ()) if field is not None else []
        place = (Input("scope", "Applies only to these tranches, one a line", "lines", value=scope or None), *place)
    kind: CellKind = _CHECKED.get(key, "text")
    if field is not None and field.status == "amended":
        lines = (
            Input("original_value", "Original value", kind),
            Input("new_value", "New value", kind, is_needed=True),
            Input("effective_date", "Effective date, or unclear", "effective_date"),
        )
        return (*filled(lines, {k: described(v) for k, v in shown.items()}), *place)
    if key in _LISTS:
        return (Input("value", "The right values, one a line", "lines", value=shown or None, is_needed=True), *place)
    return (Input("value", "The right value", kind, value=described(shown) or None, is_needed=True), *place)


def _reported_value(field: FieldOutput | None) -> Any:
    if field is None or field.status in ("absent", "unchanged", "missing"):
        return ""
    if field.status == "amended":
        return {k: v for k, v in as_json(field).items() if k in ("original_value", "new_value", "effective_date")}
    value = as_json(field).get("value")
    return str(value) if isinstance(value, bool | int | float) else value


def _text_of(field: FieldOutput | None) -> str:
    shown = _reported_value(field)
    if field is None:
        return "(not reported)"
    if field.status == "missing":
        return f"(on page {field.page}, which is missing)"
    if field.status in ("absent", "unchanged") or (field.status == "illegible" and not shown):
        return f"({field.status})"
    return described(shown) + (f"\n(applies to {', '.join(field.scope)})" if field.scope else "")


def _field_gold(case: Case, path: GoldPath, field: FieldOutput | None, answer: GoldAnswer) -> dict[str, Any]:
    """Gold of one field from a person's answer. Raises ValueError for a form that is not filled in right."""
    if answer.value == ABSENT:
        return {"absent": True}
    if field is not None and field.status == "unchanged" and answer.value == CONFIRM:
        return {"unchanged": True}
    # page and section of the reported citation: the person saw the value there
    claims = [c for c in (field.claims if field is not None else ()) if c.page is not None or c.section]
    cited = {k: v for k, v in as_json(claims[0]).items() if k in ("document", "page", "section")} if claims else {}
    place: dict[str, Any] = {"citation": cited} if claims else {}
    if field is not None and field.scope and answer.value == CONFIRM:
        place["scope"] = list(field.scope)
    if field is not None and field.status in ("illegible", "missing") and answer.value == CONFIRM:
        seen = {"visible": as_json(field)["value"]} if field.value is not None else {}
        page = {"missing_page": int(field.page)} if field.page is not None and str(field.page).isdecimal() else {}
        return {"legible": False, **seen, **page, **place}
    found = read_form(_form(case, path, field), json.loads(answer.text)) if answer.value == CORRECT else {}
    if found:
        place = {name: found.pop(name) for name in ("citation", "scope") if name in found}
    if field is not None and field.status == "amended":
        amended = found or _reported_value(field)
        date = amended.get("effective_date")
        return {"amended": {**amended, "effective_date": None if date == "unclear" else date}, **place}
    return {**(found or {"value": as_json(field)["value"] if field is not None else None}), **place}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    reported = _reported_fields(case)
    fields: dict[str, Any] = {}
    tranches: dict[str, dict[str, Any]] = {}
    for path, answer in answers.items():
        if path[0] in ("fields", "tranches"):
            place = fields if path[0] == "fields" else tranches.setdefault(path[1], {})
            place[path[-1]] = _field_gold(case, path, reported.get(path), answer)
    for one in added(answers["missing",], form_of(gold_tasks(case), ("missing",))):
        tranches[one["label"]] = tranches.get(one["label"], {}) | _missing_fields(one)
    gold = {"document_type": answers["document_type",].value, "fields": fields}
    return gold | ({"tranches": [{"label": label, "fields": found} for label, found in tranches.items()]} if tranches else {})


def _missing_fields(tranche: Mapping[str, Any]) -> dict[str, Any]:
    return {one["field"]: {name: value for name, value in one.items() if name != "field"} for one in tranche["fields"]}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected value, or a tranche that is missing, is no gold for its place."""
    answer = GoldAnswer(CORRECT, text)
    if path != ("missing",):
        FieldGold.model_validate(_field_gold(case, path, _reported_fields(case).get(path), answer))
        return
    for one in added(answer, form_of(gold_tasks(case), path)):
        fields = TrancheGold.model_validate({"label": one["label"], "fields": _missing_fields(one)}).fields
        if problem := next(filter(None, (value_problem(_CHECKED.get(key, ""), str(field.value)) for key, field in fields.items())), ""):
            raise ValueError(f"{one['label']}: {problem}")


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Tranche labels that will not pair, values of literal kinds (in any equivalent form); not what gold marks derived or
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
        for name, value, kind in _values(gold, contract.fields[key].kind) if not gold.derived and gold.legible else ():
            # a value that names nothing is not looked for
            values = (value, *(gold.accepted if name == "value" else ()))
            if all(KINDS[kind].missing(bare(one), tuple(documents.values())) for one in values):
                way_out = '; where it follows from others (two dates), say `"derived": true`' if KINDS[kind].is_computed else ""
                yield f"{place}.{name}", f"{quoted(bare(value))} is not in {named(documents)}{way_out}"


def _values(gold: FieldGold, kind: str) -> Iterator[tuple[str, Any, str]]:
    """(key, value, kind) of what gold states: a list value is looked for one by one."""
    if gold.amended is not None:
        for name, kind_of in (("new_value", kind), ("original_value", kind), ("effective_date", "date")):
            if (value := getattr(gold.amended, name)) is not None:
                yield f"amended.{name}", value, kind_of
    elif isinstance(gold.value, tuple):
        yield from (("value", part, kind) for part in gold.value)
    elif gold.value is not None:
        yield "value", gold.value, kind


FIELD_NAMES: Mapping[str, str] = {
    **{fold_text(name): key for key in FIELD_KEYS for name in (key, field_title(key))},
    "margin spread": "margin", "spread": "margin", "mac": "mac_clause", "mac clause": "mac_clause",
    "material adverse change": "mac_clause", "material adverse change clause": "mac_clause", "agent": "facility_agent",
}  # fmt: skip


_FIELDS = columns("Field", "Expected value", "Confidence", "HITL required", "Applies to")
_AMENDED = columns(
    "Field", "Status", "Original value", "New value", "Effective date", "Remark", "Confidence", "HITL required", "Applies to"
)
_DOCUMENT_TYPES = {"amendment": "amendment", "amendment notice": "amendment"} | dict.fromkeys(
    ("primary agreement", "primary", "agreement", "original agreement"), "primary_agreement"
)


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """Fields at the top level, and those of a tranche below `### Label`."""
    kind = "primary_agreement"
    for one in keyed(section.lines, ("document type",), faults):
        if not (kind := _DOCUMENT_TYPES.get(fold_text(one.value), "")):
            faults.add(one.line, "document type", f"is amendment or primary agreement, not {quoted(one.value)}")
    reading = Reading({"document_type": kind or "primary_agreement", "fields": {}})
    labels = [child.title for child in section.children]
    _field_table(section, "gold.fields", reading.gold["fields"], reading, faults, labels, None)
    for n, child in enumerate(section.children):
        if child.title in labels[:n]:
            faults.add(child.line, "heading", f"the tranche {child.title!r} has a table already: keep one")
            continue
        fields: Gold = {}
        reading.gold.setdefault("tranches", []).append({"label": child.title, "fields": fields})
        place = f"gold.tranches[{len(reading.gold['tranches']) - 1}]"
        reading.lines[place] = child.line
        _field_table(child, f"{place}.fields", fields, reading, faults, labels, child.title)
    reading.lines["gold"] = section.line
    attach(found, reading.targets, documents, faults)
    return reading


def _field_table(
    section: Section, path: str, fields: Gold, reading: Reading, faults: Faults, labels: Sequence[str], tranche: str | None
) -> None:
    is_amended = any(fold_text(cell) in ("status", "new value") for line in section.lines for cell in line.text.split("|"))
    known, needed = (_AMENDED, ("field", "status")) if is_amended else (_FIELDS, ("field", "expected_value"))
    first: dict[str, int] = {}
    for row in rows(section.lines, known, faults, needed):
        if (key := FIELD_NAMES.get(fold_text(row.cells.get("field", "")))) is None:
            faults.unknown(row.line, "field", row.cells.get("field", ""), FIELD_KEYS)
            continue
        if key in first:
            faults.add(row.line, "field", f"{key} stands on line {first[key]} too: a value of one tranche goes below `### Label`")
            continue
        first[key] = row.line
        found = _amended_field(row, faults) if is_amended else _field(key, row, faults)
        if is_amended and reading.gold["document_type"] != "amendment":
            faults.add(row.line, "status", "only an amendment has amended fields: write `Document type: amendment` above the table")
        if found is None:
            reading.lines[f"{path}.{key}"] = -row.line  # reported already
            continue
        if scope := _scope(row, labels, tranche, faults):
            found["scope"] = scope
        fields[key], reading.lines[f"{path}.{key}"] = found, row.line
        reading.items |= {name: key for name, of in FIELD_NAMES.items() if of == key}
        reading.targets.append(_field_target(key, tranche, found))


def _field(key: str, row: Row, faults: Faults) -> Gold | None:
    text = row.cells.get("expected_value")
    found = None if text is None else field_gold(text, is_list=key in _LISTS)
    if found is not None and ("value" not in found or (is_stated(text) and fold_text(str(text)) != "missing")):
        return found
    what = f"{quoted(text or '')} says nothing of {key}: give a value, absent, illegible, or missing page N"
    faults.add(row.line, "expected value", what)
    return None


def _amended_field(row: Row, faults: Faults) -> Gold | None:
    status, cells = fold_text(row.cells.get("status", "")), row.cells
    parts = {name: cells.get(name) for name in ("original_value", "new_value", "effective_date", "remark")}
    if status in ("unchanged", "absent"):
        for name in (name for name, text in parts.items() if text is not None):
            faults.add(row.line, name.replace("_", " "), f"a field that is {status} has none: leave it empty, or say amended")
        return {status: True}
    if status != "amended":
        faults.add(row.line, "status", f"is amended, unchanged or absent, not {quoted(cells.get('status', ''))}")
        return None
    if (remark := fold_text(parts["remark"] or "")) not in ("", "one time"):
        faults.add(row.line, "remark", f"is one-time or nothing, not {quoted(parts['remark'])}")
    if parts["new_value"] is None:
        faults.add(row.line, "new value", "an amended field needs its new value")
        return None
    is_list, date = FIELD_NAMES.get(fold_text(cells["field"])) in _LISTS, parts["effective_date"]
    amended: Gold = {}
    for name in ("original_value", "new_value"):
        several = listed(parts[name] or "")
        amended[name] = several if is_list and len(several) > 1 else parts[name]
    amended["effective_date"] = None if fold_text(date or "") in ("", "unclear", "not stated") else date
    return {"amended": {**amended, **({"one_time": True} if remark == "one time" else {})}}


def _scope(row: Row, labels: Sequence[str], tranche: str | None, faults: Faults) -> list[str]:
    """The tranches that a field of the deal applies to; nothing where it applies to all."""
    text = row.cells.get("applies_to", "")
    if fold_text(text) in ("", "all", "all tranches", "all facilities") or (tranche and fold_text(text) == fold_text(tranche)):
        return []
    known = {fold_text(label): label for label in labels}
    named = [part for part in re.split(r"\s*[;,]\s*", text) if part]
    unknown = [part for part in named if fold_text(part) not in known]
    if tranche is not None or (labels and unknown):
        what = f"{quoted(text)} in the table of {tranche!r}" if tranche else f"{quoted(unknown[0])} is no tranche of this case"
        faults.add(row.line, "applies to", f"{what}; known: {', '.join(labels)}")
        return []
    return [known.get(fold_text(part), part) for part in named]


def _field_target(key: str, tranche: str | None, found: Gold) -> Target:
    titles = {key, field_title(key), *(name for name, of in FIELD_NAMES.items() if of == key)}
    names = {fold_text(f"{tranche}: {title}" if tranche else title) for title in titles}
    value = found["amended"]["new_value"] if "amended" in found else found.get("value", found.get("visible"))
    is_citable = "amended" in found or "value" in found or ("legible" in found and "missing_page" not in found)
    kind = KINDS[load_contract().fields[key].kind]

    def rank(quote: str) -> int:
        """1 where the quote holds the value, 2 where it names the field too."""
        if kind.is_yes_no:
            holds = holds_formula(key, quote)
        else:
            holds = value is not None and kind.supports(tuple(value) if isinstance(value, list) else value, quote)
        return int(holds) * (1 + has_words(quote, field_title(key)))

    return Target(f"{tranche}: {key}" if tranche else key, frozenset(names), found if is_citable else None, rank)


def output_of(gold: dict[str, Any]) -> dict[str, Any]:
    """Gold as an output that a person confirms or corrects."""

    def outputs(fields: dict[str, Any]) -> dict[str, Any]:
        return {key: _field_output(one) for key, one in fields.items()}

    tranches = [{"label": one["label"], "fields": outputs(one["fields"])} for one in gold.get("tranches", ())]
    found = {"document_type": gold.get("document_type"), "fields": outputs(gold.get("fields", {}))}
    return found | ({"tranches": tranches} if tranches else {})


def _field_output(one: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {key: one[key] for key in ("value", "citation", "citations", "scope") if key in one}
    if "amended" in one:
        return {"status": "amended", **{key: value for key, value in one["amended"].items() if key != "one_time"}, **kept}
    if not one.get("legible", True):
        lost = {"status": "missing", "page": one["missing_page"]} if "missing_page" in one else {"status": "illegible"}
        return {**lost, "confidence": "LOW", "hitl": "block", **kept}
    return {"status": next((key for key in ("absent", "unchanged") if one.get(key)), "extracted"), **kept}
