"""Single values of an export: what a map's places hold, what the source means by nothing, and what of it is left out."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judge.convert.map_file import CitationMap, ExportMap
from judge.convert.sources import NOTHING, Record, keys_of, look_up
from judge.errors import Problem
from judge.inputs.sheets import fold_title

Above = tuple[str, ...]
ROWS = "\0rows"  # the rows of one tranche in a long sheet, beside its cells
_BARE = re.compile(r"[-+]?\d[\d.,' ]*")
_PAGE_MOST = 200  # characters of a page or a list of pages
_PAGES = re.compile(r"\d+(?:\.0+)?(?:\s*[-–,;]\s*\d+)*")
_YES_NO = {"true": True, "yes": True, "y": True, "1": True, "false": False, "no": False, "n": False, "0": False}
_FLAGS = frozenset("temporary jurisdiction_ambiguous answerable qualified shared derived".split())
_LISTS = frozenset("triggers scope required_sections aliases accepted_references".split())


@dataclass(slots=True)
class Used:
    """Which columns or JSON paths the map has asked for, and which of them the export has; `*` is any key of an object whose keys are
    labels."""

    paths: set[tuple[str, ...]] = field(default_factory=set)
    asked: dict[str, bool] = field(default_factory=dict)  # as the map writes it -> whether any case has it

    def add(self, *parts: str) -> None:
        """Marks a path, given as pieces of one."""
        self.paths.update(keys_of(".".join(filter(None, parts))))

    def note(self, path: str, is_there: bool) -> None:
        """That a path of the map was looked up."""
        self.asked[path] = self.asked.get(path, False) or is_there

    def covers(self, path: Sequence[str]) -> bool:
        """Whether a path or something above it was read."""
        return any(len(u) <= len(path) and all(a in ("*", b) for a, b in zip(u, path, strict=False)) for u in self.paths)


class Values:
    """Reads the places of one map. notes: what was left out or filled in, counted; problems: what stops the conversion."""

    def __init__(self, mapping: ExportMap, is_sheet: bool) -> None:
        self.map, self.is_sheet = mapping, is_sheet
        self.problems: list[Problem] = []
        self.notes: Counter[str] = Counter()
        self.used = Used()
        own_words: Mapping[str, Mapping[str, str]] = {**mapping.words, "status": mapping.status}
        self._said = {key: {word.strip().casefold(): said for word, said in own.items()} for key, own in own_words.items()}
        self._words = {kind: {w.strip().casefold() for w in getattr(mapping.missing, kind)} for kind in ("absent", "error")}

    def get(self, record: Record, data: Any, path: str, above: Above = ()) -> Any:
        """What stands at a place; NOTHING when it is not there. `@value` is the element itself where elements are single values."""
        if path.startswith("="):
            return record.constant(path)
        if self.is_sheet:
            found = self._cell(record, data, path)
        elif path == "@value":
            self.used.add(*above)
            return data.get("", NOTHING)
        else:
            self.used.add(*above, path)
            found = look_up(data, path)
        self.used.note(path, found is not NOTHING)
        return found

    def _cell(self, record: Record, data: Any, path: str) -> Any:
        if not path.startswith("["):
            self.used.paths.add((fold_title(path),))
            return data.get(fold_title(path), NOTHING)
        selector, _, column = path[1:].partition("]")
        name, _, word = selector.partition("=")
        column = fold_title(column.lstrip("."))
        self.used.paths |= {(fold_title(name),), (column,)}
        rows = [row for row in data.get(ROWS, record.rows) if fold_title(str(row.cells.get(fold_title(name)))) == fold_title(word)]
        given = [(row.line, row.cells.get(column)) for row in rows]
        if len({str(value) for _, value in given}) > 1:
            lines = " and ".join(str(line) for line, _ in given[:3])
            self.problems.append(record.problem(path, f"lines {lines} say different things of one case", given[0][0]))
        return given[0][1] if given else NOTHING

    def state(self, value: Any, is_counted: bool = True) -> Literal["", "absent", "error"]:
        """What the source means by a value: a value (""), that the document has none, or that nothing was extracted, which is counted."""
        if value is NOTHING or value is None or value in ("", []):
            return self.map.missing.null
        word = value.strip().casefold() if isinstance(value, str) else None
        if word in self._words["error"]:
            self.notes[f"left out as an error of the source: {value.strip()!r}"] += is_counted
            return "error"
        return "absent" if word in self._words["absent"] else ""

    def text(self, record: Record, data: Any, path: str, above: Above = ()) -> str | None:
        """A value as text; None where there is none."""
        value = self.plain(record, data, path, above)
        return value if value is None or isinstance(value, str) else str(value)

    def said(self, key: str, value: Any) -> Any:
        """A value in the words of the batch, where the map has them for its key."""
        words = self._said.get(key.rpartition(".")[2])
        return words.get(str(value).strip().casefold(), value) if words and not isinstance(value, list | dict) else value

    def plain(self, record: Record, data: Any, path: str, above: Above = (), key: str = "") -> Any:
        """A value for a key that holds text: numbers as they are written; None where there is none."""
        if (found := self.get(record, data, path, above)) is NOTHING or ((value := self.said(key, found)) is found and self.state(value)):
            return None
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def keyed(self, record: Record, data: Any, key: str, path: str, above: Above = (), scale: float = 1) -> Any:
        """A value as its key wants it: yes or no, a list, or a share in place of a cell's text."""
        if key == "confidence":
            return self.confidence(record, path, scale, data, above)
        value = self.plain(record, data, path, above, key)
        if key in _FLAGS and isinstance(value, str):
            return _YES_NO.get(value.strip().casefold(), value)
        if key in _LISTS and isinstance(value, str):
            value = [part.strip() for part in value.split(";") if part.strip()]
        return [self.said(key, one) for one in value] if isinstance(value, list) else value

    def confidence(self, record: Record, path: str | None, scale: float, data: Any, above: Above) -> Any:
        """A share from 0 to 1, or the name of a band; None where there is none."""
        value = self.plain(record, data, path, above, "confidence") if path else None
        if value is None or isinstance(value, bool):
            return value
        try:  # in a CSV every number is a text
            is_percent = isinstance(value, str) and value.strip().endswith("%")
            return float(str(value).strip().removesuffix("%")) / (100 if is_percent else scale)
        except ValueError:
            return value.strip().upper() if isinstance(value, str) else value

    def metadata(self, record: Record, paths: Mapping[str, str], data: Any, above: Above = ()) -> dict[str, Any]:
        """What is carried along, as it is."""
        found = {key: self.get(record, data, path, above) for key, path in paths.items()}
        return {key: value for key, value in found.items() if value is not NOTHING and value is not None}

    def levels(self, record: Record, paths: Mapping[Any, str], value: list[Any]) -> list[dict[str, Any]]:
        """A grid or step-downs as the batch writes them."""
        found = []
        for one in value:
            level = (
                {key: self.plain(record, one, path, key=key) for key, path in paths.items()}
                if isinstance(one, Mapping)
                else {"value": str(one)}
            )
            found.append({key: inner for key, inner in level.items() if inner is not None})
        return found

    def citation(self, record: Record, spec: CitationMap, data: Any, above: Above = ()) -> dict[str, Any]:
        """What the source cites; without a document it is of the case's only one (a batch's citations: `cases.py`)."""
        found = {key: self.plain(record, data, path, above) for key in ("document", "section", "quote") if (path := getattr(spec, key))}
        page = self.get(record, data, spec.page, above) if spec.page else None
        if page is not None and page is not NOTHING and (isinstance(page, list) or not self.state(page)):
            pages = [_page(one, spec.page_offset) for one in (page if isinstance(page, list) else [page])]
            if None in pages:
                why = "is no page: a number, a text such as iv or 12-13, or a list of them"
                why += ", to which page_offset can be added" * bool(spec.page_offset)
                self.problems.append(record.problem(str(spec.page), why))
            found["page"] = pages if isinstance(page, list) and len(pages) > 1 else next(iter(pages), None)
        return {key: found[key] for key in ("document", "page", "section", "quote") if found.get(key) not in (None, [])}


def _page(value: Any, offset: int) -> int | str | None:
    """A page, or pages as text, with the offset added to every number; None for what is no page."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or value != value:
        return None
    text = str(value).strip()
    if len(text) > _PAGE_MOST:
        return None
    if not _PAGES.fullmatch(text):
        return text if isinstance(value, str) and not (offset and re.search(r"\d", text)) else None
    text = re.sub(r"\.0+$", "", text)
    return int(text) + offset if text.isdecimal() else re.sub(r"\d+", lambda number: str(int(number[0]) + offset), text)


def with_unit(value: Any, unit: str | None) -> Any:
    """A bare number with its unit behind it; a text that says more stays as it is."""
    if unit is None or isinstance(value, bool) or not isinstance(value, int | float | str) or not _BARE.fullmatch(str(value).strip()):
        return value
    return f"{str(value).strip()} {unit}"


def nested(keys: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """Keys with a dot as objects: "threshold.value" and "threshold.comparator"; a value without its comparator is the value alone."""
    found: dict[str, Any] = {}
    for key, value in keys:
        if value is None:
            continue
        outer, is_inner, inner = key.partition(".")
        if is_inner:
            found.setdefault(outer, {})[inner] = value
        else:
            found[key] = value
    return {key: value["value"] if isinstance(value, dict) and set(value) == {"value"} else value for key, value in found.items()}
