"""Labelled items: what people (and a judge) said of them, read from JSON Lines; label_csv.py reads them from CSV.

A reading is one verdict of a judge on an item under one condition, by name: `judge` (the one in question), `swapped` (the same with the two
candidates exchanged), `repeat:1`, `probe:padding`, `other:COLUMN`. An absent reading is missing; an unusable reply is kept as such.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from calibration.identity import fold, fold_name, same_names

JUDGE, SWAPPED = "judge", "swapped"
UNUSABLE = "\x00unusable"  # a reply that is no verdict; no label file can hold this text
SOURCES = ("human", "constructed")
POOL = "pool"  # judged, and not drawn for labelling
DESIGNS = ("random", "stratified", "hand_picked", "unknown", POOL)
LONGEST_LABEL = 200
ADJUDICATOR = "adjudicator"  # the role of a label that settles what two people said
SLICES = (
    "rubric",
    "capability",
    "task",
    "document kind",
    "document type",
    "doc kind",
    "doc type",
    "kind",
    "language",
    "lang",
    "model",
    "judge model",
    "model returned",
)  # what a column is called that parts the items into kinds of their own
_KEYS = ("item_id", "rubric", "cluster_id", "inputs", "labels", "label_source", "judge", "weight", "sampled", "slices", "metadata")
_LABEL_KEYS = ("annotator", "label", "confidence", "comment", "at", "seconds", "role", "withdrawn")
_JUDGE_KEYS = ("model", "verdict", "confidence", "swapped", "repeats", "probes", "others", "unusable")


class LabelFileError(Exception):
    """A label file cannot be used; the message names file, line and key, and says what to do."""


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """One item. labels: (annotator, label). readings: (name, verdict or UNUSABLE). confidence: 0..1 of the reading `judge`, None unknown.

    withdrawn: who takes an earlier label back by this line; earlier: labels that were given and taken back. settled: the label that a
    further person gave where people differ, "" without. slices: (kind of slice, its value).

    weight: how many items of the pool it stands for (inverse inclusion probability). line: 1-based, where it was read.
    stratum: the verdict of the run by which it was drawn; fingerprint: short form of the judge of the run that it was drawn from, ""
    where the file does not say.
    is_numbered: the file names no id, so it goes by its row. is_column: `model` is the name of a column, not of a model.
    """

    item_id: str
    cluster_id: str
    labels: tuple[tuple[str, str], ...]
    readings: tuple[tuple[str, str], ...] = ()
    confidence: float | None = None
    rubric: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    source: str = "human"
    weight: float = 1.0
    sampled: str = "unknown"
    model: str = ""
    line: int = 0
    withdrawn: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    settled: str = ""
    slices: tuple[tuple[str, str], ...] = ()
    fingerprint: str = ""
    stratum: str = ""
    is_numbered: bool = False
    is_column: bool = False

    def reading(self, name: str) -> str | None:
        return dict(self.readings).get(name)


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a label file need not repeat on every line; `source` None means that each line must say it."""

    rubric: str = ""
    source: str | None = None
    sampled: str = "unknown"
    renames: Mapping[str, str] = field(default_factory=dict)
    unusable: tuple[str, ...] = ()


NO_DEFAULTS = Defaults()


def fail(file: str, line: int, key: str, message: str) -> LabelFileError:
    """The error of one place in a label file."""
    return LabelFileError(f"{file}:{line}: {key + ': ' if key else ''}{message}")


def check_label(text: Any, file: str, line: int, key: str) -> str:
    """A label as it is compared: a non-empty short string, outer white space removed. Raises LabelFileError."""
    if isinstance(text, bool) or not isinstance(text, str | int):
        raise fail(file, line, key, f"a label is a string or a whole number, not {json.dumps(text, default=str)[:60]}")
    label = str(text).strip()
    if not label or len(label) > LONGEST_LABEL or not label.isprintable():
        raise fail(file, line, key, f"a label has 1 to {LONGEST_LABEL} printable characters; leave the entry out where it is missing")
    if label.casefold() in ("nan", "null", "none", "inf", "-inf"):
        raise fail(
            file, line, key, f"{label!r} is no label: leave it empty where it is missing (or name the marker with --missing {label})"
        )
    return label


def check_number(value: Any, low: float, high: float, file: str, line: int, key: str) -> float:
    """A finite number in [low, high]. Raises LabelFileError."""
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not low <= number <= high:
        wanted = f"between {low:g} and {high:g}" if math.isfinite(high) else f"of at least {low:g}"
        raise fail(file, line, key, f"expected a number {wanted}, found {str(value)[:60]!r}")
    return number


def read_json_lines(path: Path, defaults: Defaults = NO_DEFAULTS) -> tuple[LabelledItem, ...]:
    """All items of a JSON Lines file; lines of one item by different annotators are put together. Raises LabelFileError."""
    return merge(parse_lines(_numbered(path), path.name, defaults), path.name)


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    try:
        if path.exists() and not path.is_file():
            raise LabelFileError(f"{path.name}: is no regular file")
        with path.open(encoding="utf-8-sig") as stream:
            yield from ((number, line) for number, line in enumerate(stream, 1) if line.strip())
    except OSError as error:
        raise LabelFileError(f"{path.name}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise LabelFileError(f"{path.name}: is not UTF-8 text; save it as UTF-8 ({error})") from error


def parse_lines(lines: Iterable[tuple[int, str]], file: str, defaults: Defaults) -> Iterator[LabelledItem]:
    """One item a line, each checked."""
    for number, text in lines:
        yield _item(_parse(text, file, number), file, number, defaults)


def _parse(text: str, file: str, line: int) -> dict[str, Any]:
    def no_constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError(f"the key {max((k for k, _ in pairs), key=[k for k, _ in pairs].count)!r} stands twice")
        return found

    try:
        data = json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise fail(file, line, "", f"not a JSON object: {error}") from error
    if not isinstance(data, dict):
        raise fail(file, line, "", "not a JSON object")
    return data


def _check_keys(data: Any, known: tuple[str, ...], file: str, line: int, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise fail(file, line, where, "expected an object")
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
            raise fail(file, line, f"{where}.{key}".lstrip("."), f"unknown key{hint}")
    return data


def _text(data: Mapping[str, Any], key: str, file: str, line: int, default: str | None = None) -> str:
    value = data.get(key, default)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (default is None and not value):
        raise fail(file, line, key, "expected a string" if key in data else "missing")
    return value


def _one_of(data: Mapping[str, Any], key: str, default: str | None, choices: tuple[str, ...], file: str, line: int) -> str:
    value = data.get(key, default)
    if value not in choices:
        raise fail(file, line, key, f"expected one of {', '.join(choices)}" + ("" if key in data else "; it is missing"))
    return str(value)


def _item(data: dict[str, Any], file: str, line: int, defaults: Defaults) -> LabelledItem:
    _check_keys(data, _KEYS, file, line, "")
    item = _text(data, "item_id", file, line)
    judge = _check_keys(data.get("judge") or {}, _JUDGE_KEYS, file, line, "judge")
    confidence = judge.get("confidence")
    labels, settled = _labels(data.get("labels") or [], file, line, defaults)
    return LabelledItem(
        item_id=item,
        cluster_id=_text(data, "cluster_id", file, line, ""),
        labels=labels,
        readings=_readings(judge, file, line, defaults),
        confidence=None if confidence is None else check_number(confidence, 0, 1, file, line, "judge.confidence"),
        rubric=_text(data, "rubric", file, line, defaults.rubric),
        inputs=_inputs(data.get("inputs") or {}, file, line),
        source=_one_of(data, "label_source", defaults.source, SOURCES, file, line),
        weight=check_number(data.get("weight", 1), 1e-9, 1e9, file, line, "weight"),
        sampled=_one_of(data, "sampled", defaults.sampled, DESIGNS, file, line),
        model=_text(judge, "model", file, line, ""),
        line=line,
        withdrawn=tuple(str(e["annotator"]) for e in data.get("labels") or () if e.get("withdrawn") is True and e.get("annotator")),
        settled=settled,
        slices=slices_of({**_metadata(data), **_check_slices(data.get("slices") or {}, file, line)}),
        fingerprint=str(_metadata(data).get("fingerprint") or ""),
    )


def _metadata(data: Mapping[str, Any]) -> dict[str, Any]:
    metadata = data.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _check_slices(data: Any, file: str, line: int) -> dict[str, str]:
    """Slices under any name; in the metadata only those that SLICES names are slices."""
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise fail(file, line, "slices", "expected an object of texts")
    return {f"slice:{name}": value for name, value in data.items()}


def slices_of(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The slices that an item belongs to: values under a name of SLICES, or under `slice:NAME`."""
    return tuple(
        (name.removeprefix("slice:"), value)
        for name, value in sorted(values.items())
        if (name.startswith("slice:") or fold_name(name) in SLICES) and isinstance(value, str) and value
    )


def _inputs(data: Any, file: str, line: int) -> tuple[tuple[str, str], ...]:
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise fail(file, line, "inputs", "expected an object of texts")
    return tuple(sorted(data.items()))


def _labels(entries: Any, file: str, line: int, defaults: Defaults) -> tuple[tuple[tuple[str, str], ...], str]:
    """(people's labels, the adjudicator's)."""
    if not isinstance(entries, list):
        raise fail(file, line, "labels", "expected a list of {annotator, label}")
    found: dict[str, str] = {}
    settled = ""
    for number, entry in enumerate(entries):
        where = f"labels[{number}]"
        _check_keys(entry, _LABEL_KEYS, file, line, where)
        if entry.get("label") is None:
            continue
        annotator = _text(entry, "annotator", file, line)
        if annotator in found:
            raise fail(file, line, where, f"annotator {annotator!r} labels this item twice: keep one")
        label = check_label(entry["label"], file, line, f"{where}.label")
        if entry.get("role") == ADJUDICATOR:
            settled = defaults.renames.get(label, label)
        else:
            found[annotator] = defaults.renames.get(label, label)
    return tuple(found.items()), settled


def _readings(judge: dict[str, Any], file: str, line: int, defaults: Defaults) -> tuple[tuple[str, str], ...]:
    named: list[tuple[str, Any]] = [(JUDGE, judge.get("verdict")), (SWAPPED, judge.get("swapped"))]
    repeats = judge.get("repeats") or []
    if not isinstance(repeats, list):
        raise fail(file, line, "judge.repeats", "expected a list of verdicts")
    named += [(f"repeat:{number}", verdict) for number, verdict in enumerate(repeats, 1)]
    for key, prefix in (("probes", "probe"), ("others", "other")):
        entries = judge.get(key) or {}
        if not isinstance(entries, dict):
            raise fail(file, line, f"judge.{key}", "expected an object of verdicts")
        named += [(f"{prefix}:{name}", verdict) for name, verdict in entries.items()]
    if judge.get("unusable") is True:
        named[0] = (JUDGE, UNUSABLE)
    return tuple((name, reading_of(value, file, line, f"judge.{name}", defaults)) for name, value in named if value is not None)


def reading_of(value: Any, file: str, line: int, key: str, defaults: Defaults) -> str:
    """A judge's verdict as it is compared: renamed, or UNUSABLE."""
    if value == UNUSABLE:
        return UNUSABLE
    label = check_label(value, file, line, key)
    return UNUSABLE if label in defaults.unusable else defaults.renames.get(label, label)


def merge(items: Iterable[LabelledItem], file: str) -> tuple[LabelledItem, ...]:
    """Lines of the same rubric and item_id become one item when they are labels of different annotators for the same thing.

    A line that withdraws a label takes away what its annotator said before, and the item keeps that it was said. Raises LabelFileError for
    a repeated id otherwise (the same annotator twice, or other contents under one id), for one person under two spellings, and where some
    items name their case and others do not.
    """
    found: dict[tuple[str, str], LabelledItem] = {}
    for item in items:
        key = (item.rubric, fold(item.item_id))
        before = found.get(key)
        found[key] = replace(item, withdrawn=()) if before is None else _joined(before, item, file)
    names = {name for item in found.values() for name, _ in item.labels}
    if pair := same_names(sorted(names)):
        raise LabelFileError(f"{file}: {pair[0]!r} and {pair[1]!r} are one name: write it the same way everywhere")
    bare = [item for item in found.values() if not item.cluster_id.strip()]
    if 0 < len(bare) < len(found):
        raise fail(file, bare[0].line, "cluster", f"{len(bare)} of {len(found)} items name no case, the others do: fill it in")
    return tuple(replace(item, cluster_id=item.cluster_id.strip() or item.item_id) for item in found.values())


def _joined(before: LabelledItem, item: LabelledItem, file: str) -> LabelledItem:
    """A further line of one item."""
    back = tuple(label for name, label in before.labels if name in item.withdrawn)
    kept = tuple(pair for pair in before.labels if pair[0] not in item.withdrawn)
    both = {name for name, _ in kept} & {name for name, _ in item.labels}
    earlier, settled = (*before.earlier, *back), item.settled or before.settled
    bare = replace(before, labels=(), earlier=(), settled="", withdrawn=())
    same = replace(item, labels=(), earlier=(), settled="", withdrawn=(), line=before.line) == bare
    if both or not same or not (item.labels or item.withdrawn or item.settled):
        why = f"annotator {min(both)!r} labelled it already" if both else "it stands there with other contents"
        raise fail(file, item.line, "item_id", f"{item.item_id!r} is repeated (first on line {before.line}): {why}")
    return replace(before, labels=kept + item.labels, earlier=earlier, settled=settled)
