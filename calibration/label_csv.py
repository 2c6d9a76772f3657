"""Any published label set in CSV, its columns mapped by flags; no conversion needed."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from calibration.identity import fold, fold_name
from calibration.labels import NO_DEFAULTS, SLICES, SWAPPED, Defaults, LabelledItem, fail, item_of, merge, read_text

ID_COLUMNS = ("item_id", "id", "idx", "index")
CASE_WORDS = (
    "case",
    "cluster",
    "deal",
    "document",
    "doc",
    "file",
    "filename",
    "question",
    "prompt",
    "group",
    "loan",
    "agreement",
    "contract",
)
MOST_SLICES = 20  # more values are ids or texts
SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?')


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column is what. human, others, repeats, inputs: several columns; probes: (name, column).

    annotator: for files with one row a label: the column that says whose label `human` holds; None for one column a person.

    item: None for the first of ID_COLUMNS that is there, else the row's number. cluster: None for the item itself.
    is_both_orders: a judge's cell holds two verdicts, in the given and in the exchanged order ("12", or "a|b" for longer labels).
    slices: columns that part the items into kinds with floors of their own. missing, unusable: further cells that mean no label, or a
    reply that is no verdict. renames: label -> label.
    """

    human: tuple[str, ...]
    annotator: str | None = None
    judge: str | None = None
    item: str | None = None
    cluster: str | None = None
    confidence: str | None = None
    weight: str | None = None
    rubric: str | None = None
    sampled: str | None = None
    source: str | None = None
    others: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    probes: tuple[tuple[str, str], ...] = ()
    inputs: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    is_both_orders: bool = False
    missing: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    renames: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that must be there."""
        single = (self.annotator, self.judge, self.item, self.cluster, self.confidence, self.weight, self.rubric, self.sampled, self.source)
        several = (*self.human, *self.others, *self.repeats, *(column for _, column in self.probes), *self.inputs, *self.slices)
        return (*(name for name in single if name), *several)


def read_csv(path: Path, columns: Columns, defaults: Defaults = NO_DEFAULTS) -> tuple[LabelledItem, ...]:
    """All rows of a CSV (or TSV, or semicolon) file with a header. Raises LabelFileError."""
    own = replace(defaults, source=defaults.source or "human", renames=columns.renames, unusable=columns.unusable)
    return merge(_rows(read_text(path), path.name, columns, own), path.name)


def _rows(text: str, file: str, columns: Columns, defaults: Defaults) -> Iterator[LabelledItem]:
    first, _, rest = text.partition("\n")
    named = SEPARATOR_LINE.fullmatch(first.strip("\r"))
    body = rest if named else text  # Excel's own first line: sep=;
    delimiter = named[1] if named else max(",\t;", key=body.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    skipped = 1 if named else 0
    try:
        header = next(reader, [])
        place = check_header(header, columns.named, file)
        rows: list[list[str]] = []
        item = columns.item or next((name for name in ID_COLUMNS if name in place), None)
        for number, row in enumerate(reader, 1):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise fail(file, reader.line_num + skipped, "", f"{len(row)} cells where the header has {len(header)}")
            rows.append(row)
            cells = {name: row[position] for name, position in place.items()}
            found = _item(cells, cells[item] if item else str(number), file, reader.line_num + skipped, columns, defaults)
            yield found if item else replace(found, is_numbered=True)
        check_case_column(header, rows, columns, file)
        check_slice_columns(header, rows, columns, file)
    except csv.Error as error:
        raise fail(file, reader.line_num + skipped, "", f"not CSV: {error}") from error


def check_header(header: Sequence[str], named: Sequence[str], file: str) -> dict[str, int]:
    """Column name -> position. Raises LabelFileError for a name that is not there or stands twice."""
    names = [name.strip() for name in header]
    for wanted in named:
        if names.count(wanted) != 1:
            near = difflib.get_close_matches(wanted, names, 3)
            hint = f"; near: {', '.join(near)}" if near else f"; there are: {', '.join(names[:20])}"
            raise fail(file, 1, wanted, f"this column stands {names.count(wanted)} times in the header{hint}")
    return {name: position for position, name in enumerate(names)}


def check_case_column(header: Sequence[str], rows: Sequence[Sequence[str]], columns: Columns, file: str) -> None:
    """Rows of one case are no independent evidence. Raises LabelFileError where a column seems to name the case and is not used."""
    if columns.cluster:
        return
    for position, name in enumerate(header):
        word = re.sub(r"[\s_-]*(id|ids|no|nr|number|name)$", "", fold(name))
        values = {row[position].strip() for row in rows}
        if word in CASE_WORDS and name.strip() not in columns.named and len(values) < len(rows):
            raise fail(
                file,
                1,
                name.strip(),
                "seems to name the case of each row: give it with --cluster, or the id column where each row is a case",
            )


def check_slice_columns(header: Sequence[str], rows: Sequence[Sequence[str]], columns: Columns, file: str) -> None:
    """A pooled figure hides what one kind of items shows. Raises LabelFileError where a column names kinds and is not used."""
    for position, name in enumerate(header):
        values = {row[position].strip() for row in rows}
        if fold_name(name) in SLICES and name.strip() not in columns.named and 1 < len(values) <= MOST_SLICES:
            flag = "--rubric-column" if fold_name(name) == "rubric" else "--slice"
            raise fail(file, 1, name.strip(), f"parts the items into {len(values)} kinds and is not used: give it with {flag}")


def _item(cells: dict[str, str], item: str, file: str, line: int, columns: Columns, defaults: Defaults) -> LabelledItem:
    """The row as a line of a label file; an error names the column."""

    def given(column: str | None) -> str | None:
        return cells[column].strip() or None if column else None

    if not item.strip():
        raise fail(file, line, columns.item or "item", "the item's id is empty")
    labels = [
        {"annotator": cells[columns.annotator].strip() if columns.annotator else name, "label": cells[name]}
        for name in columns.human
        if not _is_missing(cells[name], columns)
    ]
    if columns.annotator and not all(entry["annotator"] for entry in labels):
        raise fail(file, line, columns.annotator, "nobody is named for this label")
    verdicts = {
        column: _orders(cells[column].strip(), file, line, column, columns)
        for column in (*([columns.judge] if columns.judge else ()), *columns.repeats, *(c for _, c in columns.probes), *columns.others)
    }
    own = verdicts.get(columns.judge or "", {})
    data = {
        "item_id": item.strip(),
        "cluster_id": given(columns.cluster) or "",
        "labels": labels,
        "label_source": given(columns.source),
        "sampled": given(columns.sampled),
        "rubric": given(columns.rubric),
        "inputs": {name: cells[name] for name in columns.inputs},
        "weight": _decimal(cells[columns.weight]) if columns.weight else 1,
        "slices": {name: cells[name].strip() for name in columns.slices if cells[name].strip()},
        "judge": {
            "model": columns.judge or "",
            "confidence": _decimal(cells[columns.confidence]) if given(columns.confidence) and columns.confidence else None,
            "verdict": own.get(""),
            "swapped": own.get(f"/{SWAPPED}"),
            "repeats": [verdicts[column].get("") for column in columns.repeats],
            "probes": {name + order: text for name, column in columns.probes for order, text in verdicts[column].items()},
            "others": {name + order: text for name in columns.others for order, text in verdicts[name].items()},
        },
    }
    places = {"judge.verdict": columns.judge, "judge.swapped": columns.judge, "judge.confidence": columns.confidence}
    places |= {"weight": columns.weight, "sampled": columns.sampled, "label_source": columns.source}
    places |= {f"labels[{number}].label": name for number, name in enumerate(columns.human)}
    found = item_of(data, file, line, defaults, {key: name for key, name in places.items() if name})
    return replace(found, is_column=True)


def _decimal(cell: str) -> str:
    """A number with a decimal comma as one with a point; no thousands are written in a share or a weight."""
    return re.sub(r"^(\d+),(\d+)$", r"\1.\2", cell.strip())


def _is_missing(cell: str, columns: Columns) -> bool:
    return not cell.strip() or cell.strip() in columns.missing


def _orders(cell: str, file: str, line: int, column: str, columns: Columns) -> dict[str, str]:
    """The verdicts of a cell by their order: "" as given, "/swapped" exchanged."""
    if _is_missing(cell, columns):
        return {}
    if not columns.is_both_orders:
        return {"": cell}
    parts = [cell, cell] if cell in columns.unusable else cell.split("|") if "|" in cell else list(cell)
    if len(parts) != 2:
        raise fail(file, line, column, f"expected two verdicts, in both orders (like 12, or a|b), found {cell[:60]!r}")
    return {"": parts[0].strip(), f"/{SWAPPED}": parts[1].strip()}
