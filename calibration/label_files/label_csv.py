"""Any published label set in CSV, its columns named by a map; no conversion needed."""

import csv
import difflib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from calibration.label_files.identity import fold, fold_name
from calibration.label_files.label_map import LabelMap
from calibration.label_files.labels import SLICES, SWAPPED, LabelledItem, fail, item_of, merge, read_text

ID_COLUMNS = ("item_id", "id", "idx", "index")
CASE_WORDS = "case cluster deal document doc file filename question prompt group loan agreement contract".split()
MOST_SLICES = 20  # more values are ids or texts
SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?')


def read_csv(path: Path, own: LabelMap) -> tuple[LabelledItem, ...]:
    """All rows of a CSV (or TSV, or semicolon) file with a header. Raises LabelFileError."""
    people = own if own.label_source else own.model_copy(update={"label_source": "human"})
    return merge(_rows(read_text(path), path.name, people), path.name)


def _rows(text: str, file: str, own: LabelMap) -> Iterator[LabelledItem]:
    first, _, rest = text.partition("\n")
    named = SEPARATOR_LINE.fullmatch(first.strip("\r"))
    body = rest if named else text  # Excel's own first line: sep=;
    delimiter = named[1] if named else max(",\t;", key=body.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    skipped = 1 if named else 0
    try:
        header = next(reader, [])
        place = check_header(header, own.columns, file)
        rows: list[list[str]] = []
        item = own.item or next((name for name in ID_COLUMNS if name in place), None)
        for number, row in enumerate(reader, 1):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise fail(file, reader.line_num + skipped, "", f"{len(row)} cells where the header has {len(header)}")
            rows.append(row)
            cells = {name: row[position] for name, position in place.items()}
            found = _item(cells, cells[item] if item else str(number), file, reader.line_num + skipped, own)
            yield found if item else replace(found, is_numbered=True)
        check_unused_columns(header, rows, own, file)
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


def check_unused_columns(header: Sequence[str], rows: Sequence[Sequence[str]], own: LabelMap, file: str) -> None:
    """Rows of one case are no independent evidence, and a pooled figure hides what one kind of items shows. Raises LabelFileError where a
    column seems to name the case, or parts the items into kinds, and is not used."""
    for position, name in enumerate(header):
        values = {row[position].strip() for row in rows}
        if name.strip() in own.columns:
            continue
        word = re.sub(r"[\s_-]*(id|ids|no|nr|number|name)$", "", fold(name))
        if not own.cluster and word in CASE_WORDS and len(values) < len(rows):
            why = (
                "seems to name the case of each row: give it with --cluster, or the id column where each row is a case (`item` of the map)"
            )
            raise fail(file, 1, name.strip(), why)
        if fold_name(name) in SLICES and 1 < len(values) <= MOST_SLICES:
            key = "rubric_column" if fold_name(name) == "rubric" else "slice"
            raise fail(file, 1, name.strip(), f"parts the items into {len(values)} kinds and is not used: give it as `{key}` in the map")


def _item(cells: dict[str, str], item: str, file: str, line: int, own: LabelMap) -> LabelledItem:
    """The row as a line of a label file; an error names the column."""

    def given(column: str | None) -> str | None:
        return cells[column].strip() or None if column else None

    if not item.strip():
        raise fail(file, line, own.item or "item", "the item's id is empty")
    filled = [name for name in own.human if not _is_missing(cells[name], own)]
    labels = [{"annotator": given(own.annotator) if own.annotator else name, "label": cells[name]} for name in filled]
    if own.annotator and labels and not given(own.annotator):
        raise fail(file, line, own.annotator, "nobody is named for this label")
    verdicts = {column: _orders(cells[column].strip(), file, line, column, own) for column in own.verdicts}
    judged = verdicts.get(own.judge_column or "", {})
    data = {
        "item_id": item.strip(),
        "cluster_id": given(own.cluster) or "",
        "labels": labels,
        "label_source": given(own.source_column),
        "sampled": given(own.sampled_column),
        "rubric": given(own.rubric_column),
        "inputs": {name: cells[name] for name in own.inputs},
        "weight": _decimal(cells[own.weight_column]) if own.weight_column else 1,
        "slices": {name: text for name in own.slice if (text := given(name))},
        "judge": {
            "model": own.judge_column or "",
            "confidence": _decimal(sure) if (sure := given(own.confidence_column)) else None,
            "verdict": judged.get(""),
            "swapped": judged.get(f"/{SWAPPED}"),
            "repeats": [verdicts[column].get("") for column in own.repeat_columns],
            "probes": {name + order: text for name, column in own.probe_columns.items() for order, text in verdicts[column].items()},
            "others": {name + order: text for name in own.other_judges for order, text in verdicts[name].items()},
        },
    }
    places = {"judge.verdict": own.judge_column, "judge.swapped": own.judge_column, "judge.confidence": own.confidence_column}
    places |= {"weight": own.weight_column, "sampled": own.sampled_column, "label_source": own.source_column}
    places |= {f"labels[{number}].label": name for number, name in enumerate(own.human)}
    return replace(item_of(data, file, line, own, {key: name for key, name in places.items() if name}), is_column=True)


def _decimal(cell: str) -> str:
    """A number with a decimal comma as one with a point; no thousands are written in a share or a weight."""
    return re.sub(r"^(\d+),(\d+)$", r"\1.\2", cell.strip())


def _is_missing(cell: str, own: LabelMap) -> bool:
    return not cell.strip() or cell.strip() in own.missing


def _orders(cell: str, file: str, line: int, column: str, own: LabelMap) -> dict[str, str]:
    """The verdicts of a cell by their order: "" as given, "/swapped" exchanged."""
    if _is_missing(cell, own):
        return {}
    if not own.both_orders:
        return {"": cell}
    parts = [cell, cell] if cell in own.unusable else cell.split("|") if "|" in cell else list(cell)
    if len(parts) != 2:
        raise fail(file, line, column, f"expected two verdicts, in both orders (like 12, or a|b), found {cell[:60]!r}")
    return {"": parts[0].strip(), f"/{SWAPPED}": parts[1].strip()}
