"""Labelled items: what people (and a judge) said of them, read from JSON Lines; label_csv.py reads them from CSV.
A reading is one verdict of a judge on an item under one condition, by name: `judge` (the one in question), `swapped` (the same with the two
candidates exchanged), `repeat:1`, `probe:padding`, `other:COLUMN`. An absent reading is missing; an unusable reply is kept as such."""

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from calibration.label_files.identity import fold, fold_name, is_name
from calibration.label_files.label_map import NO_MAP, LabelMap
from calibration.strict_json import loads

JUDGE, SWAPPED = "judge", "swapped"
UNUSABLE = "\x00unusable"  # a reply that is no verdict; no label file can hold this text
POOL = "pool"  # judged, and not drawn for labelling
LONGEST_LABEL = 200
MOST_PEOPLE = 1000  # of one file
MOST_BYTES = 512 * 1024 * 1024
ADJUDICATOR = "adjudicator"  # the role of a label that settles what two people said
SLICES = (  # what a column is called that parts the items into kinds of their own
    *("rubric", "capability", "task", "document kind", "document type", "doc kind", "doc type", "kind"),
    *("language", "lang", "model", "judge model", "model returned"),
)


class LabelFileError(Exception):
    """A label file cannot be used; the message names file, line and key, and says what to do."""


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """One item. labels: (annotator, label). readings: (name, verdict or UNUSABLE). confidence: 0..1 of the reading `judge`, None unknown.
    withdrawn: who takes an earlier label back by this line, or skips it; passed: whose last word on it is none; earlier: labels that were
    given and taken back. settled: the label that a
    further person gave where people differ, "" without; settled_by: who. first: time of its earliest label, None where one says none.
    slices: (kind of slice, its value). weight: how many items of the pool it stands for (inverse inclusion probability). line: 1-based,
    where it was read. stratum: the verdict of the run by which it was drawn; fingerprint: short form of the judge of the run that it was
    drawn from, "" where the file does not say. is_numbered: the file names no id, so it goes by its row. is_column: `model` is the name of
    a column, not of a model. is_unsealed: a label of it carries no seal of the page."""

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
    passed: frozenset[str] = frozenset()
    earlier: tuple[str, ...] = ()
    settled: str = ""
    settled_by: str = ""
    first: datetime | None = None
    slices: tuple[tuple[str, str], ...] = ()
    fingerprint: str = ""
    stratum: str = ""
    is_numbered: bool = False
    is_column: bool = False
    is_unsealed: bool = False

    def reading(self, name: str) -> str | None:
        return dict(self.readings).get(name)


def fail(file: str, line: int, key: str, message: str) -> LabelFileError:
    """The error of one place in a label file."""
    return LabelFileError(f"{file}:{line}: {key + ': ' if key else ''}{message}")


def seal_of(item_id: str, rubric: str, entry: Mapping[str, Any]) -> str:
    """What stands beside a label that was given at the page (`metadata.seal`): of who gave which label when, and to what."""
    said = [item_id, rubric, *(entry.get(key) or "" for key in ("annotator", "label", "at", "role"))]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def check_label(text: Any) -> str:
    """A label as it is compared: a non-empty short string, outer white space removed. Raises ValueError."""
    if isinstance(text, bool) or not isinstance(text, str | int):
        raise ValueError(f"a label is a string or a whole number, not {json.dumps(text, default=str)[:60]}")
    if not (label := str(text).strip()) or len(label) > LONGEST_LABEL or not label.isprintable():
        raise ValueError(f"a label has 1 to {LONGEST_LABEL} printable characters; leave the entry out where it is missing")
    if label.casefold() in ("nan", "null", "none", "inf", "-inf"):
        raise ValueError(f"{label!r} is no label: leave it empty where it is missing (or name the marker as `missing` in the map)")
    return label


def _between(low: float, high: float) -> BeforeValidator:
    def check(value: Any) -> float:
        try:
            number = float(value) if not isinstance(value, bool) else low - 1
        except (TypeError, ValueError, OverflowError):
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"expected a number between {low:g} and {high:g}, found {str(value)[:60]!r}")
        return number

    return BeforeValidator(check)


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _or_nothing(value: Any) -> Any:
    return value or None


Text = Annotated[str, BeforeValidator(_text)]
LabelText = Annotated[str, BeforeValidator(check_label)]
Share = Annotated[float, _between(0, 1), Field(ge=0, le=1)]
Verdicts = Annotated[dict[str, LabelText | None] | None, BeforeValidator(_or_nothing)]
Texts = Annotated[dict[str, Annotated[str, Field(strict=True)]] | None, BeforeValidator(_or_nothing)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LabelEntry(_Part):
    """One label of a line; without `label` it says nothing, and takes an earlier one back where it is `withdrawn`."""

    annotator: Text = ""
    label: LabelText | None = None
    confidence: Any = None
    comment: Any = None
    at: Any = None
    seconds: Any = None
    role: Any = None
    withdrawn: Any = None


class JudgeEntry(_Part):
    """What the judge said of the item: its verdict, and those in exchanged order, of repeats, under probes, of other judges."""

    model: Text = ""
    verdict: LabelText | None = None
    confidence: Share | None = None
    swapped: LabelText | None = None
    repeats: Annotated[list[LabelText | None] | None, BeforeValidator(_or_nothing)] = None
    probes: Verdicts = None
    others: Verdicts = None
    unusable: Any = None


class LabelLine(_Part):
    """One line of a label file; a row of CSV becomes one."""

    item_id: Annotated[Text, Field(min_length=1)]
    rubric: Text | None = None
    cluster_id: Text = ""
    inputs: Texts = None
    labels: Annotated[list[LabelEntry] | None, BeforeValidator(_or_nothing)] = None
    label_source: Literal["human", "constructed"] | None = None
    judge: Annotated[JudgeEntry | None, BeforeValidator(_or_nothing)] = None
    weight: Annotated[float, _between(1e-9, 1e9), Field(gt=0)] = 1.0
    sampled: Literal["random", "stratified", "hand_picked", "unknown", "pool"] | None = None
    slices: Texts = None
    metadata: Any = None


def read_json_lines(path: Path, own: LabelMap = NO_MAP) -> tuple[LabelledItem, ...]:
    """All items of a JSON Lines file; lines of one item by different annotators are put together. Raises LabelFileError."""
    lines = enumerate(read_text(path).split("\n"), 1)
    return merge((item_of(_parse(text, path.name, number), path.name, number, own) for number, text in lines if text.strip()), path.name)


def read_text(path: Path) -> str:
    """The whole label file. Raises LabelFileError."""
    try:
        if path.exists() and not path.is_file():
            raise LabelFileError(f"{path.name}: is no regular file")
        if path.stat().st_size > MOST_BYTES:
            raise LabelFileError(f"{path.name}: has more than {MOST_BYTES:,} bytes")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise LabelFileError(f"{path.name}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise LabelFileError(f"{path.name}: is not UTF-8 text; save it as UTF-8 ({error})") from error


def _parse(text: str, file: str, line: int) -> dict[str, Any]:
    try:
        data = loads(text)
    except (ValueError, RecursionError) as error:
        raise fail(file, line, "", f"not a JSON object: {error}") from error
    if not isinstance(data, dict):
        raise fail(file, line, "", "not a JSON object")
    return data


def item_of(data: dict[str, Any], file: str, line: int, own: LabelMap, columns: Mapping[str, str] | None = None) -> LabelledItem:
    """The item of one line. columns: key -> the name by which an error calls it. Raises LabelFileError."""
    try:
        found = LabelLine.model_validate(data)
    except ValidationError as error:
        key, message = _explained(error)
        raise fail(file, line, (columns or {}).get(key, key), message) from error
    if (source := found.label_source or own.label_source) is None:
        raise fail(file, line, "label_source", "expected one of human, constructed; it is missing")
    judge, metadata = found.judge or JudgeEntry(), found.metadata if isinstance(found.metadata, dict) else {}
    people: dict[str, str] = {}
    settled = settled_by = ""
    _check_people(len(found.labels or ()), file, line)
    given, seal = [entry.model_dump() for entry in found.labels or ()], metadata.get("seal")
    if seal and [seal] != [seal_of(found.item_id, found.rubric or "", entry) for entry in given]:
        raise fail(file, line, "labels", "was changed since it was given (metadata.seal): give it again at the page")
    for number, entry in enumerate(found.labels or ()):
        if entry.label is None:
            continue
        if not is_name(entry.annotator):
            raise fail(file, line, f"labels[{number}].annotator", "nobody is named for this label")
        if twin := next((name for name in people if fold_name(name) == fold_name(entry.annotator)), None):
            both = f"annotator {twin!r} labels" if twin == entry.annotator else f"{twin!r} and {entry.annotator!r} are one name and label"
            raise fail(file, line, f"labels[{number}]", f"{both} this item twice: keep one")
        label = own.translate.get(entry.label, entry.label)
        if entry.role == ADJUDICATOR:
            settled, settled_by = label, entry.annotator
        else:
            people[entry.annotator] = label
    named = [(JUDGE, UNUSABLE if judge.unusable is True else judge.verdict), (SWAPPED, judge.swapped)]
    named += [(f"repeat:{number}", verdict) for number, verdict in enumerate(judge.repeats or (), 1)]
    named += [(f"probe:{name}", verdict) for name, verdict in (judge.probes or {}).items()]
    named += [(f"other:{name}", verdict) for name, verdict in (judge.others or {}).items()]
    return LabelledItem(
        item_id=found.item_id,
        cluster_id=found.cluster_id,
        labels=tuple(people.items()),
        readings=tuple((n, UNUSABLE if v in own.unusable else own.translate.get(v, v)) for n, v in named if v is not None),
        confidence=judge.confidence,
        rubric=found.rubric if found.rubric is not None else own.rubric or "",
        inputs=tuple(sorted((found.inputs or {}).items())),
        source=source,
        weight=found.weight,
        sampled=found.sampled or own.sampled,
        model=judge.model,
        line=line,
        withdrawn=tuple(entry.annotator for entry in found.labels or () if entry.withdrawn is True and entry.annotator),
        settled=settled,
        settled_by=settled_by,
        first=_earliest([moment(entry.at) for entry in found.labels or () if entry.label]),
        slices=slices_of({**metadata, **{f"slice:{name}": value for name, value in (found.slices or {}).items()}}),
        fingerprint=str(metadata.get("fingerprint") or ""),
        is_unsealed=bool(given) and not seal,
    )


def _earliest(times: Sequence[datetime | None]) -> datetime | None:
    """The first of them; None where one is not known."""
    known = [when for when in times if when]
    return min(known) if known and len(known) == len(times) else None


def moment(at: Any) -> datetime | None:
    """A time as files say it, UTC where they name no zone; None where it is none."""
    try:
        when = datetime.fromisoformat(str(at))
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _explained(error: ValidationError) -> tuple[str, str]:
    """Key and message of the first thing that is wrong with a line."""
    first = error.errors()[0]
    parts = first["loc"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
    kind, message = first["type"], str(first["msg"]).removeprefix("Value error, ")
    if kind == "extra_forbidden":
        known = list((JudgeEntry if parts[0] == "judge" else LabelEntry if parts[0] == "labels" else LabelLine).model_fields)
        near = difflib.get_close_matches(str(parts[-1]), known, 1) if len(parts) > 1 or parts[0] not in known else []
        return key, "unknown key" + (f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}")
    if kind == "literal_error":
        return key, f"expected one of {first['ctx']['expected'].replace(' or ', ', ').replace(chr(39), '')}"
    words = {"missing": "missing", "string_type": "expected a string", "string_too_short": "is empty"}
    return key, words.get(kind) or (message if kind == "value_error" else f"{str(first['input'])[:80]!r} is of another type or size")


def slices_of(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The slices that an item belongs to: values under a name of SLICES, or under `slice:NAME`."""
    named = ((name, value) for name, value in sorted(values.items()) if name.startswith("slice:") or fold_name(name) in SLICES)
    return tuple((name.removeprefix("slice:"), value) for name, value in named if isinstance(value, str) and value)


def merge(items: Iterable[LabelledItem], file: str) -> tuple[LabelledItem, ...]:
    """Lines of the same rubric and item_id become one item when they are labels of different annotators for the same thing. A line that
    withdraws a label takes away what its annotator said before, and the item keeps that it was said. Raises LabelFileError for a repeated
    id otherwise (the same annotator twice, or other contents under one id), and where some items name their case and others do not. A name
    in several spellings is one person, written as it was first."""
    found: dict[tuple[str, str], LabelledItem] = {}
    spelt: dict[str, str] = {}
    for item in (_spelt(item, spelt) for item in items):
        _check_people(len(spelt), file, item.line)
        key = (item.rubric, fold(item.item_id))
        before = found.get(key)
        found[key] = replace(item, withdrawn=(), passed=frozenset(item.withdrawn)) if before is None else _joined(before, item, file)
    bare = [item for item in found.values() if not item.cluster_id.strip()]
    if 0 < len(bare) < len(found):
        raise fail(file, bare[0].line, "cluster", f"{len(bare)} of {len(found)} items name no case, the others do: fill it in")
    return tuple(replace(_adjudicated(item), cluster_id=item.cluster_id.strip() or item.item_id) for item in found.values())


def _check_people(count: int, file: str, line: int) -> None:
    if count > MOST_PEOPLE:  # each is held against each other
        raise fail(file, line, "labels", f"more than {MOST_PEOPLE:,} people have labelled by this line: calibrate on a part of them")


def _spelt(item: LabelledItem, first: dict[str, str]) -> LabelledItem:
    """The item with its people as they were first written."""

    def one(name: str) -> str:
        return first.setdefault(fold_name(name), name) if name else ""

    labels = tuple((one(name), label) for name, label in item.labels)
    return replace(item, labels=labels, settled_by=one(item.settled_by), withdrawn=tuple(map(one, item.withdrawn)))


def _adjudicated(item: LabelledItem) -> LabelledItem:
    """A further person settles what others differ on; where they do not, or the person is one of them, it is a label like theirs."""
    people = dict(item.labels)
    if not item.settled or (len(set(people.values())) > 1 and item.settled_by not in people):
        return item
    return replace(item, labels=tuple({item.settled_by: item.settled, **people}.items()), settled="", settled_by="")


def _joined(before: LabelledItem, item: LabelledItem, file: str) -> LabelledItem:
    """A further line of one item."""
    back = tuple(label for name, label in before.labels if name in item.withdrawn)
    kept = tuple(pair for pair in before.labels if pair[0] not in item.withdrawn)
    both = {name for name, _ in kept} & {name for name, _ in item.labels}
    earlier, settled = (*before.earlier, *back), item.settled or before.settled
    first = _earliest([one.first for one in (before, item) if one.labels or one.settled])
    said: dict[str, Any] = {"labels": (), "earlier": (), "settled": "", "settled_by": ""}
    said |= {"withdrawn": (), "passed": frozenset(), "first": None, "is_unsealed": False}
    same = replace(item, **said, line=before.line) == replace(before, **said)
    if both or not same or not (item.labels or item.withdrawn or item.settled):
        why = f"annotator {min(both)!r} labelled it already" if both else "it stands there with other contents"
        raise fail(file, item.line, "item_id", f"{item.item_id!r} is repeated (first on line {before.line}): {why}")
    settler, is_unsealed = item.settled_by or before.settled_by, item.is_unsealed or before.is_unsealed
    changed = replace(before, labels=kept + item.labels, earlier=earlier, settled=settled, settled_by=settler)
    passed = before.passed.union(item.withdrawn).difference(dict(item.labels))
    return replace(changed, passed=passed, first=first, is_unsealed=is_unsealed)
