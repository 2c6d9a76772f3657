"""Records of an export -> lines of a batch or of gold. Values stay as they are; a missing one is absent or left out as the map says."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from judge.capabilities.registry import capability_of, groups_of
from judge.convert.map_file import CitationMap, Citations, Cited, ExportMap, ItemMap, Status, TrancheMap, ValueMap
from judge.convert.sources import NOTHING, Record, look_up, read_export, steps_of
from judge.convert.values import ROWS, Above, Values, nested, with_unit
from judge.errors import InputError, Problem, did_you_mean
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.problems import Path as Place
from judge.inputs.problems import known_keys, problems_in
from judge.inputs.sheets import Row, fold_title

Target = Literal["batch", "gold"]
Labelled = Iterator[tuple[str, Any, Above, int | None]]
BY_POSITION = "has no label: lists are paired by label, never by position; name the key that holds the label"
NO_DOCUMENT = "citation that names no document: map it, or its provenance stays incomplete"
ONLY_DOCUMENT = "citation that names no document: the case's only one is meant"
EMPTY = "source without page, section and quote: left out"


@dataclass(slots=True)
class Converted:
    """Lines of a batch or of gold; columns or JSON paths that the map does not name; the documents of each case; what was left out or
    filled in, counted."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[str, list[str]] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def convert(source: Path, mapping: ExportMap, target: Target) -> Converted:
    """Converts a whole export. Raises InputError with every problem, by row or JSON path."""
    export = read_export(source, mapping)
    converter = _Converter(mapping, target, export.is_sheet)
    found = Converted([converter.line(record) for record in export.records])
    ids = [str(line["case_id"]) for line in found.lines]
    found.documents = dict(zip(ids, map(converter.documents, export.records), strict=True))
    problems, used = converter.values.problems, converter.values.used
    if not export.records:
        problems.append(Problem(str(source), None, mapping.case.list, "; ".join(["holds no case", *export.notes])))
    known: set[str] = set()
    for record, name in zip(export.records, ids, strict=True):
        problems += [record.problem("case.id", f"{name!r} is the id of an earlier case too")] * (name in known)
        known.add(name)
    problems[:0] = [export.lacking(path, source) for path, is_there in used.asked.items() if not is_there and path not in mapping.optional]
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    covered = [(name, (fold_title(name),) if export.is_sheet else tuple(name.split("."))) for name in export.names]
    found.unmapped = [name for name, path in covered if not used.covers(path) and name not in mapping.ignore]
    found.notes = [
        *export.notes,
        *mapping.counted_otherwise,
        *(f"{count} × {note}" for note, count in converter.values.notes.items() if count),
    ]
    if passed := sorted(converter.passed):
        found.notes.append(f"passed over, {'gold' if target == 'gold' else 'a batch'} has no use for them: {', '.join(passed)}")
    return found


@lru_cache(maxsize=4096)
def _keys_at(capability: str, place: Place) -> tuple[set[str], set[str]]:
    """What the output and the gold of a capability may have at a place."""
    one = capability_of(capability)
    return known_keys(one.output, place), known_keys(one.gold, place)


class _Converter:
    def __init__(self, mapping: ExportMap, target: Target, is_sheet: bool) -> None:
        self.map, self.target, self.is_sheet = mapping, target, is_sheet
        self.values = Values(mapping, is_sheet)
        self.used, self.problems = self.values.used, self.values.problems
        of_tranches = [path for field in (mapping.tranches.fields.values() if mapping.tranches else ()) for path in field.paths]
        self.is_long = any(path.startswith("[") for path in of_tranches)
        of_deal = {path for field in mapping.fields.values() for path in field.paths}
        self.only_tranches = [path for path in of_tranches if not path.startswith("=") and path not in of_deal]
        self.used.paths |= {(fold_title(mapping.tranches.label),)} if is_sheet and mapping.tranches else set()
        self.passed: set[str] = set()  # keys that the other target alone has
        self._group = next(iter(groups_of(mapping.capability)), "items")  # the key under which the capability lists its items

    def line(self, record: Record) -> dict[str, Any]:
        """One case, checked against the format."""
        content = self._fitting(self._content(record), ())
        case_id = self.values.get(record, record.data, self.map.case.id)
        line: dict[str, Any] = {"case_id": str(case_id) if isinstance(case_id, str | int) and not isinstance(case_id, bool) else None}
        given = {k: v for k, path in self.map.input.items() if (v := self.values.text(record, record.data, path)) is not None}
        if self.target == "gold":
            line["gold"] = content
            self.passed |= {"input"} if given else set()
        else:
            names = self.documents(record)
            document = {"documents": names} if len(names) > 1 else {"document": "".join(names)}
            line |= {"capability": self.map.capability, **document, "input": given, "output": content}
        metadata: dict[str, Any] = {"source": self.map.source} if self.map.source else {}
        metadata |= self.values.metadata(record, self.map.metadata, record.data)
        line |= {"metadata": metadata} if metadata else {}
        self._check(record, line, content)
        return line

    def documents(self, record: Record) -> list[str]:
        """The documents of a case; none where the source names none."""
        found = self.values.plain(record, record.data, self.map.case.document)
        return [str(name) for name in (found if isinstance(found, list) else [found]) if name]

    def _fitting(self, found: Any, place: Place) -> Any:
        """Without what the other target alone has. A key that neither has stays, and is refused."""
        if isinstance(found, list):
            return [self._fitting(one, (*place, 0)) for one in found]
        if not isinstance(found, dict):
            return found
        output, gold = _keys_at(self.map.capability, place)
        strange = output - gold | {"confidence", "metadata"} if self.target == "gold" else gold - output
        self.passed |= strange & set(found)
        return {k: v if k == "metadata" else self._fitting(v, (*place, k)) for k, v in found.items() if k not in strange}

    def _check(self, record: Record, line: dict[str, Any], content: dict[str, Any]) -> None:
        capability, is_gold = capability_of(self.map.capability), self.target == "gold"
        key, model = ("gold", capability.gold) if is_gold else ("output", capability.output)
        place = (record.place,) if record.place else ()
        self.problems += problems_in(line, GoldLine if is_gold else BatchLine, str(record.file), record.line, place)
        for one in problems_in(content, model, str(record.file), record.line, (*place, key)):
            own = f"; a word of the source's own: say under [words.{one.path.rpartition('.')[2]}] what it means"
            self.problems.append(replace(one, message=one.message + own * one.message.startswith("unknown value")))

    def _content(self, record: Record) -> dict[str, Any]:
        places, scale = self.map.output.places, self.map.output.confidence_scale
        named = ((key, self.values.keyed(record, record.data, key, path, scale=scale)) for key, path in places.items())
        content: dict[str, Any] = nested(named)
        for key, of in capability_of(self.map.capability).output.model_fields.items() if self.target == "batch" else ():
            if key in places and key not in content and of.is_required():  # what the system left empty is judged so, not lost
                content[key] = ""
                self.values.notes[f"{key} that is empty or missing: given as an empty one"] += 1
        if self.map.fields or self.map.tranches:
            content["fields"] = dict(self._fields(record, self.map.fields, record.data, ()))
        if tranches := self.map.tranches:
            rows = self._of_only_facility(record, tranches)
            own = self._fields(record, tranches.fields, {**rows[0].cells, ROWS: rows}, (), rows[0].line) if rows else ()
            content["fields"] |= dict(own)
            content["tranches"] = [] if rows else self._tranches(record, tranches)
        if spec := self.map.items:
            content[self._group] = [self._item(record, spec, data, above) for data, above in self._elements(record, spec, record.data)]
        if self.map.flags:
            content["flags"] = self._flags(record, self.map.flags, record.data, (), self.map.case_paths)
        if answer := self.map.citations:
            content["citations"] = self._citations(record, answer, self._elements(record, answer, record.data))
        return content

    def _citations(self, record: Record, spec: Citations, elements: Iterable[tuple[Any, Above]]) -> list[dict[str, Any]]:
        cited = [self._cited(record, spec, *element) for element in elements]
        self.values.notes[EMPTY] += cited.count({})
        return [citation for citation in cited if citation]

    def _beside(self, record: Record, spec: Cited, data: Any, above: Above) -> dict[str, Any]:
        """The citation, the citations and the metadata of a field or an item."""
        found: dict[str, Any] = {"citation": self._cited(record, spec, data, above)}
        if several := spec.citations:
            elements = [(data, above)] if self.is_sheet else self._elements(record, several, data, above)
            found["citations"] = self._citations(record, several, elements)
        found["metadata"] = self.values.metadata(record, spec.metadata, data, above)
        return {key: value for key, value in found.items() if value}

    def _cited(self, record: Record, spec: CitationMap, data: Any, above: Above) -> dict[str, Any]:
        """A citation of an answer, or of a field or an item (whose metadata is their own)."""
        found = self.values.citation(record, spec, data, above)
        if self.target == "batch" and found and "document" not in found:
            names = self.documents(record)
            self.values.notes[ONLY_DOCUMENT if len(names) == 1 else NO_DOCUMENT] += 1
            found = {"document": names[0], **found} if len(names) == 1 else found
        if found and isinstance(spec, Citations) and (metadata := self.values.metadata(record, spec.metadata, data, above)):
            found["metadata"] = metadata
        return found

    def _fields(
        self, record: Record, maps: Mapping[str, ValueMap], data: Any, above: Above, line: int | None = None
    ) -> Iterator[tuple[str, Any]]:
        for key, spec in maps.items():
            if (built := self._field(record, key, spec, data, above, line)) is not None:
                yield key, built

    def _field(self, record: Record, key: str, spec: ValueMap, data: Any, above: Above, line: int | None) -> Any:
        """A field of the output or of gold; None where the source says nothing of it."""
        value = self._value(record, key, spec, data, above, line)
        status = self._said_status(record, spec, data, above, line)
        state = self.values.state(value)
        is_valued, is_lost = not state and value is not NOTHING, state == "error" and status is None
        changed = ("original_value", "new_value", "effective_date")
        said = {key: self.values.plain(record, data, path, above) for key in changed if (path := getattr(spec, key))}
        said = {key: text for key, text in said.items() if text is not None and status in ("amended", "unchanged")}
        status = status or ("absent" if state else "extracted")
        valued: dict[str, Any] = {"value": value} if is_valued else {}
        if self.target == "gold":
            if str(said.get("effective_date")).strip().casefold() == "unclear":
                del said["effective_date"]
            states: dict[str, dict[str, Any]] = {"extracted": valued, "amended": {"amended": said}, "absent": {"absent": True}}
            states["unchanged"] = {"unchanged": True}
            found = states.get(status, {"legible": False, **({"visible": value} if is_valued else {})})
        else:
            found = {"status": status, **valued, **said}
        confidence = self.values.confidence(record, spec.confidence, spec.confidence_scale, data, above)
        found |= {k: v for k, v in (("confidence", confidence), ("hitl", self._hitl(record, spec, data, above))) if v is not None}
        found |= {} if status == "absent" and self.target == "gold" else dict(self._own(record, spec, data, above))
        found |= self._beside(record, spec, data, above)
        return None if is_lost else found

    def _own(self, record: Record, spec: ValueMap, data: Any, above: Above) -> Iterator[tuple[str, Any]]:
        """What a place or the map itself says: a value that gold derives; which tranches a field of the deal is of."""
        for key in ("derived", "shared", "scope"):
            given = getattr(spec, key, None)
            said = self.values.keyed(record, data, key, given, above) if isinstance(given, str) else given
            if said not in (None, [], ()):
                yield key, said

    def _said_status(self, record: Record, spec: ValueMap, data: Any, above: Above, line: int | None) -> Status | None:
        said = self.values.text(record, data, spec.status, above) if spec.status else None
        status: Any = said and self.values.said("status", said).strip().casefold()
        if said is not None and status not in get_args(Status):
            near = did_you_mean(status, [*self.map.status, *get_args(Status)])
            self.problems.append(record.problem(str(spec.status), f"unknown status {said!r}: name it in [status]{near}", line))
        return status if status in get_args(Status) else None

    def _value(self, record: Record, key: str, spec: ValueMap, data: Any, above: Above, line: int | None) -> Any:
        if spec.amount is not None:
            amount = self.values.get(record, data, spec.amount, above)
            currency = self.values.text(record, data, spec.currency, above) if spec.currency else None
            is_none = amount is NOTHING or self.values.state(amount, is_counted=False)
            return amount if is_none else {"amount": amount, **({"currency": currency} if currency else {})}
        if spec.value is None:
            return NOTHING
        value = self.values.get(record, data, spec.value, above)
        if value is NOTHING or self.values.state(value, is_counted=False):
            return value
        if isinstance(value, str) and spec.split:
            return [part.strip() for part in value.split(spec.split) if part.strip()]
        if spec.levels and isinstance(value, list):
            return self.values.levels(record, spec.levels, value)
        is_list = isinstance(value, list) and all(isinstance(part, str) for part in value)
        if isinstance(value, Mapping | list) and not is_list:
            self.problems.append(record.problem(spec.value, f"is no single value; name the key inside it that holds {key}", line))
        return with_unit(value, spec.unit)

    def _hitl(self, record: Record, spec: ValueMap, data: Any, above: Above) -> Any:
        value = self.values.plain(record, data, spec.hitl, above, "hitl") if spec.hitl else None
        return ("flag" if value else "none") if isinstance(value, bool) else value

    def _tranches(self, record: Record, spec: TrancheMap) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        own = {key: m for key, m in spec.fields.items() if m.list is None}
        for label, data, above, line in self._labelled(record, spec.list, spec.label, is_own=True):
            found.setdefault(label, {}).update(self._fields(record, own, data, above, line))
        for key, field_map in spec.fields.items():
            if field_map.list is not None:
                for label, data, above, line in self._labelled(record, field_map.list, field_map.label or spec.label):
                    found.setdefault(label, {}).update(self._fields(record, {key: field_map}, data, above, line))
        return [{"label": label, "fields": fields} for label, fields in found.items()]

    def _labelled(self, record: Record, path: str | None, label: str, *, is_own: bool = False) -> Labelled:
        """(label, what stands there, its path, line): rows of a sheet, elements of a JSON list, or the values of an object. is_own: the
        list of the tranches themselves, where a second one of a label is another tranche."""
        if self.is_sheet:
            yield from self._labelled_rows(record, label)
            return
        found = self._list(record.data, path) if path else NOTHING
        seen: dict[str, int] = {}
        is_object = isinstance(found, Mapping) and label == "@key"
        entries = found.items() if is_object and isinstance(found, Mapping) else enumerate(found if isinstance(found, list) else [])
        for key, entry in entries:
            name = str(key) if is_object else look_up(entry, label)
            if not isinstance(name, str) or not name.strip() or (label == "@key" and not is_object):
                self.problems.append(record.problem(f"{path}[{key}]", BY_POSITION))
                return
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1 and not is_own:
                self.problems.append(record.problem(f"{path}[{key}]", f"a second {name!r}"))
                return
            if seen[name] > 1:
                self.values.notes[f"tranche labelled {name!r} as another is: called {name}#{seen[name]}"] += 1
                name = f"{name}#{seen[name]}"
            above = (path or "", "*") if is_object else (path or "",)
            if not is_object:
                self.used.add(*above, label)
            yield name, entry if isinstance(entry, Mapping) else {"": entry}, above, None

    def _list(self, data: Any, path: str) -> Any:
        """The elements of a list; one that a filter leaves alone is a list of one."""
        found = look_up(data, path)
        self.used.note(path, found is not NOTHING)
        return [found] if isinstance(found, Mapping) and any(selectors for _, selectors in steps_of(path)) else found

    def _of_only_facility(self, record: Record, spec: TrancheMap) -> Sequence[Row]:
        """The rows of a deal that labels no tranche: what the map says of tranches is the deal's own, where it says nothing else of it."""
        is_one = (self.is_long or len(record.rows) == 1) and not spec.fields.keys() & self.map.fields.keys()
        return record.rows if is_one and all(row.cells.get(fold_title(spec.label)) is None for row in record.rows) else ()

    def _labelled_rows(self, record: Record, label: str) -> Labelled:
        groups: dict[str, list[Any]] = {}
        for row in record.rows:
            if (name := row.cells.get(fold_title(label))) is None:
                self._refuse_unlabelled(record, label, row)
                continue
            if (rows := groups.setdefault(str(name), [])) and not self.is_long:
                self.problems.append(record.problem(label, f"{name!r} stands on line {rows[0].line} already", row.line))
                continue
            rows.append(row)
        yield from ((name, {**rows[0].cells, ROWS: rows}, (), rows[0].line) for name, rows in groups.items())

    def _refuse_unlabelled(self, record: Record, label: str, row: Any) -> None:
        """A row without a label is the deal's own: what only a tranche can hold would be lost from it."""
        for path in self.only_tranches:
            value = self.values.get(record, {**row.cells, ROWS: [row]}, path)
            if value is not NOTHING and value not in (None, "") and not self.values.state(value, is_counted=False):
                self.problems.append(record.problem(label, f"is empty, and {path} gives a value of a tranche: name the tranche", row.line))
                return

    def _elements(self, record: Record, spec: ItemMap | Citations, data: Any, above: Above = ()) -> Iterator[tuple[Any, Above]]:
        if self.is_sheet:
            named = [fold_title(path) for path in spec.paths if not path.startswith("=")]
            yield from ((row.cells, ()) for row in record.rows if any(row.cells.get(name) is not None for name in named))
            return
        found = self._list(data, spec.list) if spec.list else [data]
        for entry in found if isinstance(found, list) else [] if found in (NOTHING, None) else [found]:
            yield entry if isinstance(entry, Mapping) else {"": entry}, (*above, *((spec.list,) if spec.list else ()))

    def _item(self, record: Record, spec: ItemMap, data: Any, above: Above) -> dict[str, Any]:
        found = nested((key, self._key(record, spec, key, path, data, above)) for key, path in spec.keys.items())
        if (confidence := self.values.confidence(record, spec.confidence, spec.confidence_scale, data, above)) is not None:
            found["confidence"] = confidence
        if flags := self._flags(record, spec.flags, data, above, spec.item_paths):
            found["flags"] = flags
        return found | self._beside(record, spec, data, above)

    def _key(self, record: Record, spec: ItemMap, key: str, path: str, data: Any, above: Above) -> Any:
        value, of = self.values.keyed(record, data, key, path, above), (key, key.removesuffix(".value"))
        if isinstance(value, list) and (levels := next((spec.levels[name] for name in of if name in spec.levels), None)):
            return self.values.levels(record, levels, value)
        return with_unit(value, next((spec.units[name] for name in of if name in spec.units), None))

    def _flags(self, record: Record, specs: tuple[ItemMap, ...], data: Any, above: Above, shared: Collection[str]) -> list[dict[str, Any]]:
        """The flags of a covenant or a case; one of whose own places none holds something is none. shared: the owner's places."""
        found = []
        for spec in specs:
            is_in_row = self.is_sheet and data is not record.data
            own = spec.own_places(shared)
            for entry, place in [(data, above)] if is_in_row else self._elements(record, spec, data, above):
                is_said = any(self.values.plain(record, entry, path, place) not in (None, []) for path in own)
                found += [self._item(record, spec, entry, place)] if is_said else []
        return found
