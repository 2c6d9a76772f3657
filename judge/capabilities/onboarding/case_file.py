"""Loan onboarding's expected output in a case file: tables of fields, for the deal and below `### Label` for a tranche, also as amended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from deterministic.values import KINDS
from deterministic.values.stated import is_stated
from judge.capabilities.case_evidence import Evidence, Target, attach
from judge.capabilities.case_markdown import Faults, Row, Section, keyed, rows
from judge.capabilities.case_reading import Gold, Reading, columns, field_gold, listed, said
from judge.capabilities.onboarding.clauses import holds_formula
from judge.capabilities.onboarding.notes import field_title
from judge.capabilities.onboarding.schema import FIELD_KEYS
from judge.capabilities.wording import fold_text, has_words
from judge.printing import quoted
from rubrics.contract import load_contract

LISTS = frozenset({"guarantors", "conditions_precedent"})
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
        kind = _DOCUMENT_TYPES.get(fold_text(one.value), "")
        if not kind:
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
        key = FIELD_NAMES.get(fold_text(row.cells.get("field", "")))
        if key is None:
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
    text = said(row.cells.get("expected_value"))
    found = None if text is None else field_gold(text, is_list=key in LISTS)
    if found is None or ("value" in found and (not is_stated(text) or fold_text(str(text)) == "missing")):
        faults.add(
            row.line, "expected value", f"{quoted(text or '')} says nothing of {key}: give a value, absent, illegible, or missing page N"
        )
        return None
    return found


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
    remark = fold_text(parts["remark"] or "")
    if remark not in ("", "one time"):
        faults.add(row.line, "remark", f"is one-time or nothing, not {quoted(parts['remark'])}")
    if parts["new_value"] is None:
        faults.add(row.line, "new value", "an amended field needs its new value")
        return None
    date = parts["effective_date"]
    amended: Gold = {"original_value": _one_or_list(parts["original_value"], row), "new_value": _one_or_list(parts["new_value"], row)}
    amended["effective_date"] = None if fold_text(date or "") in ("", "unclear", "not stated") else date
    return {"amended": {**amended, **({"one_time": True} if remark == "one time" else {})}}


def _one_or_list(text: str | None, row: Row) -> Any:
    """A value of an amendment; that of a list field is a list where it has several parts."""
    parts = listed(text or "")
    return parts if len(parts) > 1 and FIELD_NAMES.get(fold_text(row.cells["field"])) in LISTS else text


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
    kind = load_contract().fields[key].kind

    def rank(quote: str) -> int:
        """1 where the quote holds the value, 2 where it names the field too."""
        if kind == "binary":
            holds = holds_formula(key, quote)
        else:
            holds = value is not None and KINDS[kind].supports(tuple(value) if isinstance(value, list) else value, quote)
        return int(holds) * (1 + has_words(quote, field_title(key)))

    return Target(f"{tranche}: {key}" if tranche else key, frozenset(names), found if is_citable else None, rank)


def output_of(gold: dict[str, Any]) -> dict[str, Any]:
    """Gold as an output that a person confirms or corrects."""
    found = {"document_type": gold.get("document_type"), "fields": _outputs(gold.get("fields", {}))}
    tranches = [{"label": one["label"], "fields": _outputs(one["fields"])} for one in gold.get("tranches", ())]
    return found | ({"tranches": tranches} if tranches else {})


def _outputs(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: _field_output(one) for key, one in fields.items()}


def _field_output(one: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {key: one[key] for key in ("value", "citation", "citations", "scope") if key in one}
    if "amended" in one:
        return {"status": "amended", **{key: value for key, value in one["amended"].items() if key != "one_time"}, **kept}
    if not one.get("legible", True):
        lost = {"status": "missing", "page": one["missing_page"]} if "missing_page" in one else {"status": "illegible"}
        return {**lost, "confidence": "LOW", "hitl": "block", **kept}
    return {"status": next((key for key in ("absent", "unchanged") if one.get(key)), "extracted"), **kept}
