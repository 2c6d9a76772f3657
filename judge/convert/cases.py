"""Records of an export -> lines of a batch or of gold. Values stay as they are; a missing one is absent or left out as the map says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from judge.capabilities.registry import capability_of, groups_of
from judge.convert.map_file import CitationMap, ExportMap, ItemMap, TrancheMap, ValueMap
from judge.convert.sources import NOTHING, Record, Used, look_up, read_records
from judge.errors import InputError, Problem
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.problems import problems_of

Target = Literal["batch", "gold"]
BY_POSITION = "has no label: lists are paired by label, never by position; name the key that holds the label"


@dataclass(slots=True)
class Converted:
    """Lines of a batch or of gold; columns or JSON paths that the map does not name; the document of each case."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)


def convert(source: Path, mapping: ExportMap, target: Target) -> Converted:
    """Converts a whole export. Raises InputError with every problem, by row or JSON path."""
    records, names, is_sheet = read_records(source, mapping)
    converter = _Converter(mapping, target, is_sheet)
    found = Converted([converter.line(record) for record in records])
    found.documents = {str(line["case_id"]): converter.document(record) for line, record in zip(found.lines, records, strict=True)}
    if not records:
        converter.problems.append(Problem(str(source), None, mapping.case.list, "holds no case"))
    if converter.problems:
        raise InputError(converter.problems)
    covered = [(name,) if is_sheet else tuple(name.split(".")) for name in names]
    found.unmapped = [".".join(n) for n in covered if not converter.used.covers(n) and ".".join(n) not in mapping.ignore]
    return found


class _Converter:
    def __init__(self, mapping: ExportMap, target: Target, is_sheet: bool) -> None:
        self.map, self.target, self.is_sheet = mapping, target, is_sheet
        self.problems: list[Problem] = []
        self.used = Used()

    def line(self, record: Record) -> dict[str, Any]:
        """One case, checked against the format."""
        content = self._content(record)
        case_id = self._get(record.data, self.map.case.id)
        line: dict[str, Any] = {"case_id": case_id if isinstance(case_id, str) else str(case_id) if isinstance(case_id, int) else None}
        if self.target == "gold":
            line["gold"] = content
        else:
            given = {key: value for key, path in self.map.input.items() if (value := self._text(record.data, path)) is not None}
            line |= {"capability": self.map.capability, "document": self.document(record), "input": given, "output": content}
        if self.map.source:
            line["metadata"] = {"source": self.map.source}
        self._check(record, line, content)
        return line

    def _check(self, record: Record, line: dict[str, Any], content: dict[str, Any]) -> None:
        capability = capability_of(self.map.capability)
        models: list[tuple[type[BaseModel], Any, str]] = (
            [(GoldLine, line, ""), (capability.gold, content, "gold")]
            if self.target == "gold"
            else [(BatchLine, line, ""), (capability.output, content, "output")]
        )
        for model, data, prefix in models:
            try:
                model.model_validate(data)
            except ValidationError as error:
                place = tuple(part for part in (record.place, prefix) if part)
                self.problems += problems_of(error, data, model, record.file, record.line, place)

    def _content(self, record: Record) -> dict[str, Any]:
        content: dict[str, Any] = {k: v for k, path in self.map.output.items() if (v := self._plain(record.data, path)) is not None}
        if self.map.fields or self.map.tranches:
            content["fields"] = dict(self._fields(record, self.map.fields, record.data, ()))
        if self.map.tranches:
            content["tranches"] = self._tranches(record, self.map.tranches)
        if self.map.items:
            content[self._group()] = [self._item(self.map.items, data, above) for data, above in self._elements(record, self.map.items)]
        if self.map.citations:
            cited = [self._citation(self.map.citations, data, above) for data, above in self._elements(record, self.map.citations)]
            content["citations"] = [citation for citation in cited if citation]
        return content

    # ---- fields ----------------------------------------------------------------------------------------------------

    def _fields(
        self, record: Record, maps: Mapping[str, ValueMap], data: Any, above: tuple[str, ...], line: int | None = None
    ) -> Iterator[tuple[str, Any]]:
        for key, spec in maps.items():
            built = self._field(record, key, spec, data, above, line)
            if built is not None:
                yield key, built

    def _field(self, record: Record, key: str, spec: ValueMap, data: Any, above: tuple[str, ...], line: int | None) -> Any:
        """A field of the output or of gold; None where the source says nothing of it."""
        value = self._value(record, key, spec, data, above, line)
        state = self._state(value)
        citation = self._citation(spec, data, above)
        if self.target == "gold":
            found: dict[str, Any] = {"absent": True} if state == "absent" else {"value": value}
            return None if state == "error" else found | ({"citation": citation} if citation and state != "absent" else {})
        found = self._amendment(spec, data, above)
        if not found and state == "error":
            return None
        found = found or ({"status": "absent"} if state == "absent" else {"status": "extracted", "value": value})
        confidence, hitl = self._confidence(spec, data, above), self._hitl(spec, data, above)
        found |= {k: v for k, v in (("confidence", confidence), ("hitl", hitl)) if v is not None}
        return found | ({"citation": citation} if citation and found["status"] != "absent" else {})

    def _value(self, record: Record, key: str, spec: ValueMap, data: Any, above: tuple[str, ...], line: int | None) -> Any:
        if spec.amount is not None:
            amount = self._get(data, spec.amount, above)
            currency = self._text(data, spec.currency, above) if spec.currency else None
            return amount if self._state(amount) else {"amount": amount, **({"currency": currency} if currency else {})}
        if spec.value is None:
            return NOTHING
        value = self._get(data, spec.value, above)
        if isinstance(value, str) and spec.split and not self._state(value):
            return [part.strip() for part in value.split(spec.split) if part.strip()]
        is_list = isinstance(value, list) and all(isinstance(part, str) for part in value)
        if isinstance(value, Mapping | list) and not is_list:
            self.problems.append(record.problem(spec.value, f"is no single value; name the key inside it that holds {key}", line))
        return value

    def _state(self, value: Any) -> Literal["", "absent", "error"]:
        missing = self.map.missing
        if value is NOTHING or value is None or value in ("", []):
            return missing.null
        if isinstance(value, str):
            word = value.strip().casefold()
            if word in {w.casefold() for w in missing.absent}:
                return "absent"
            if word in {w.casefold() for w in missing.error}:
                return "error"
        return ""

    def _amendment(self, spec: ValueMap, data: Any, above: tuple[str, ...]) -> dict[str, Any]:
        """An amended or unchanged field, where the source says which."""
        status = self._text(data, spec.status, above) if spec.status else None
        if status not in ("amended", "unchanged"):
            return {}
        keys = ("original_value", "new_value", "effective_date")
        named = {key: self._plain(data, path, above) for key in keys if (path := getattr(spec, key))}
        return {"status": status, **{key: value for key, value in named.items() if value is not None}}

    def _confidence(self, spec: ValueMap, data: Any, above: tuple[str, ...]) -> Any:
        value = self._get(data, spec.confidence, above) if spec.confidence else None
        if value is NOTHING or value is None or self._state(value):
            return None
        if isinstance(value, bool):
            return value
        try:  # in a CSV every number is a text
            is_percent = isinstance(value, str) and value.strip().endswith("%")
            return float(str(value).strip().removesuffix("%")) / (100 if is_percent else spec.confidence_scale)
        except ValueError:
            return value.strip().upper() if isinstance(value, str) else value

    def _hitl(self, spec: ValueMap, data: Any, above: tuple[str, ...]) -> Any:
        value = self._get(data, spec.hitl, above) if spec.hitl else None
        if isinstance(value, bool):
            return "flag" if value else "none"
        return value if isinstance(value, str) and value.strip() else None

    # ---- tranches, covenants, findings -----------------------------------------------------------------------------

    def _tranches(self, record: Record, spec: TrancheMap) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        own = {key: m for key, m in spec.fields.items() if m.list is None}
        for label, data, above, line in self._labelled(record, spec.list, spec.label):
            found.setdefault(label, {}).update(self._fields(record, own, data, above, line))
        for key, field_map in spec.fields.items():
            if field_map.list is not None:
                for label, data, above, line in self._labelled(record, field_map.list, field_map.label or spec.label):
                    found.setdefault(label, {}).update(self._fields(record, {key: field_map}, data, above, line))
        return [{"label": label, "fields": fields} for label, fields in found.items()]

    def _labelled(self, record: Record, path: str | None, label: str) -> Iterator[tuple[str, Any, tuple[str, ...], int | None]]:
        """(label, what stands there, its path, line): rows of a sheet, elements of a JSON list, or the values of an object."""
        if self.is_sheet:
            yield from self._labelled_rows(record, path, label)
            return
        found = look_up(record.data, path) if path else NOTHING
        seen = set[str]()
        is_object = isinstance(found, Mapping) and label == "@key"
        entries = found.items() if is_object and isinstance(found, Mapping) else enumerate(found if isinstance(found, list) else [])
        for key, entry in entries:
            name = str(key) if is_object else look_up(entry, label)
            if not isinstance(name, str) or not name.strip() or (label == "@key" and not is_object):
                self.problems.append(record.problem(f"{path}[{key}]", BY_POSITION))
                return
            if name in seen:
                self.problems.append(record.problem(f"{path}[{key}]", f"a second {name!r}"))
                return
            seen.add(name)
            above = (path or "", "*") if is_object else (path or "",)
            if not is_object:
                self.used.add(*above, label)
            yield name, entry if isinstance(entry, Mapping) else {"": entry}, above, None

    def _labelled_rows(self, record: Record, path: str | None, label: str) -> Iterator[tuple[str, Any, tuple[str, ...], int | None]]:
        if path is not None:
            self.problems.append(record.problem("tranches", f"`list` ({path!r}) is for JSON; in a sheet each row is a tranche"))
            return
        self.used.paths.add((label,))
        seen: dict[str, int] = {}
        for row in record.rows:
            name = row.cells.get(label)
            if name is None:
                continue
            if str(name) in seen:
                self.problems.append(record.problem(label, f"{name!r} stands on line {seen[str(name)]} already", row.line))
                continue
            seen[str(name)] = row.line
            yield str(name), row.cells, (), row.line

    def _elements(self, record: Record, spec: ItemMap) -> Iterator[tuple[Any, tuple[str, ...]]]:
        if self.is_sheet:
            named = [*spec.keys.values(), spec.quote, spec.page, spec.section]
            rows = [row.cells for row in record.rows if any(n and row.cells.get(n) is not None for n in named)]
            yield from ((cells, ()) for cells in rows)
            return
        found = look_up(record.data, spec.list) if spec.list else [record.data]
        if isinstance(found, Mapping):
            found = [found]
        for n, entry in enumerate(found if isinstance(found, list) else []):
            if isinstance(entry, Mapping):
                yield entry, ((spec.list,) if spec.list else ())
            else:
                self.problems.append(record.problem(f"{spec.list}[{n}]", "is no JSON object"))

    def _group(self) -> str:
        """The key under which output and gold of the capability list their items."""
        return next(iter(groups_of(self.map.capability)), "items")

    def _item(self, spec: ItemMap, data: Any, above: tuple[str, ...]) -> dict[str, Any]:
        found = {key: value for key, path in spec.keys.items() if (value := self._plain(data, path, above)) is not None}
        citation = self._citation(spec, data, above)
        return found | ({"citation": citation} if citation else {})

    # ---- single values ---------------------------------------------------------------------------------------------

    def _citation(self, spec: CitationMap, data: Any, above: tuple[str, ...]) -> dict[str, Any]:
        """What the source cites, and no more: no element is filled in."""
        found = {key: self._plain(data, path, above) for key in ("document", "section", "quote") if (path := getattr(spec, key))}
        page = self._get(data, spec.page, above) if spec.page else None
        if isinstance(page, int) and not isinstance(page, bool):
            found["page"] = page + spec.page_offset
        elif isinstance(page, str) and not self._state(page):
            digits = page.strip()
            found["page"] = int(digits) + spec.page_offset if digits.isascii() and digits.isdigit() else digits
        return {key: found[key] for key in ("document", "page", "section", "quote") if found.get(key) is not None}

    def document(self, record: Record) -> str:
        """The document of a case; "" where the source names none."""
        name = self.map.case.document
        return name[1:] if name.startswith("=") else self._text(record.data, name) or ""

    def _get(self, data: Any, path: str, above: tuple[str, ...] = ()) -> Any:
        """A value; `@value` is the element itself where an object's values are single values."""
        if self.is_sheet:
            self.used.paths.add((path,))
            return data.get(path, NOTHING)
        if path == "@value":
            self.used.add(*above)
            return data.get("", NOTHING)
        self.used.add(*above, path)
        return look_up(data, path)

    def _text(self, data: Any, path: str, above: tuple[str, ...] = ()) -> str | None:
        value = self._plain(data, path, above)
        return value if value is None or isinstance(value, str) else str(value)

    def _plain(self, data: Any, path: str, above: tuple[str, ...] = ()) -> Any:
        """A value for a key that holds text: numbers as they are written; None where there is none."""
        value = self._get(data, path, above)
        if self._state(value) or value is NOTHING:
            return None
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
