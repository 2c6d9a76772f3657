"""A record read back from its file: complete, unchanged, in agreement with itself. What no calibration writes is refused, with any seal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from datetime import date
from typing import Any

from pydantic import TypeAdapter, ValidationError

from calibration.record import FORMAT, PAIRS, RATES, ClassRate, Record, RecordError, RubricRecord, merge, seals_of

_RUBRIC = TypeAdapter(RubricRecord)


def read(text: str) -> Record:
    """A record from its JSON text. Raises RecordError naming what is wrong, or what was changed since it was made."""
    try:
        data = json.loads(text, parse_constant=_refuse)
        if data.get("format") != FORMAT:
            raise RecordError(f"format {data.get('format')!r} is not known: make the record again with this version")
        record = merge([Record((_entry(entry),)) for entry in data["rubrics"]])
        if not record.rubrics:
            raise RecordError("it holds no rubric")
        for key in ("made", "expires"):
            if data.get(key) != getattr(record, key):
                raise RecordError(f"{key} is {data.get(key)!r} and its entries say {getattr(record, key)}: it was changed")
        for entry in record.rubrics:
            if wrong := check_entry(entry):
                raise RecordError(f"{entry.rubric or 'the entry'}: {wrong}")
        return record
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"not a calibration record: {type(error).__name__}: {error}") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _entry(data: dict[str, Any]) -> RubricRecord:
    names = {field.name for field in fields(RubricRecord)} | {"trusted"}
    if data.keys() - {"seals"} != names:
        raise KeyError(", ".join(sorted((data.keys() - {"seals"}) ^ names)))
    seals, now = data.get("seals"), seals_of(data)
    if not isinstance(seals, dict) or seals != now:
        changed = sorted(key for key in now if key != "all" and (not isinstance(seals, dict) or seals.get(key) != now[key]))
        raise RecordError(f"{data['rubric']}: changed after it was made: {', '.join(changed) or 'seals'}. Make the record again")
    pairs = {key: sorted(data[key].items()) for key in PAIRS}
    rest = {key: value for key, value in data.items() if key not in ("seals", "trusted")}
    try:
        entry = _RUBRIC.validate_json(json.dumps({**rest, **pairs}), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(part for part in first["loc"] if isinstance(part, str))
        raise RecordError(f"{data['rubric']}: {key} is not what a calibration writes: {first['msg']}") from error
    if data["trusted"] is not entry.trusted:
        raise RecordError(f"{entry.rubric}: trusted is {data['trusted']!r}, and its outcome and draw say {entry.trusted}")
    return entry


def check_entry(entry: RubricRecord) -> str:
    """The first thing that cannot be, naming the key; "" when nothing is."""
    checks: tuple[Callable[[RubricRecord], str], ...] = (_dates, _rates, _certificate, _labels, _trust)
    return next((wrong for check in checks if (wrong := check(entry))), "")


def _dates(entry: RubricRecord) -> str:
    try:
        made, expires = date.fromisoformat(entry.made), date.fromisoformat(entry.expires)
    except ValueError as error:
        return f"made or expires is no date: {error}"
    if expires < made:
        return f"expires {entry.expires} lies before made {entry.made}"
    days = dict(entry.rules).get("record_days", "")
    if not days.isdigit() or (expires - made).days > int(days):
        return f"expires {entry.expires} lies more than the {days or 'unknown'} days of its rules after made {entry.made}"
    return ""


def _rates(entry: RubricRecord) -> str:
    return next((f"{key} is no rate: {wrong}" for key in RATES if (wrong := _wrong_rate(getattr(entry, key)))), "")


def _wrong_rate(rate: ClassRate | None) -> str:
    if rate is None:
        return ""
    if rate.clusters > rate.n:
        return f"{rate.n} labels in {rate.clusters} cases"
    if rate.value is not None and not rate.n:
        return f"{rate.value} of no label"
    known = [end for end in (rate.low, rate.value, rate.high) if end is not None]
    if known != sorted(known):
        return f"{known} are out of order"
    return "" if rate.effective_n is None or rate.effective_n <= rate.n + 1e-6 else f"effective_n is {rate.effective_n}"


def _certificate(entry: RubricRecord) -> str:
    found = entry.certificate
    if found is None:
        return ""
    rules = dict(entry.rules)
    for name, rule in (("risk", "selective_risk"), ("delta", "selective_delta")):
        if _number(rules.get(rule)) != getattr(found, name):
            return f"certificate.{name} is {getattr(found, name)} and its rules say {rules.get(rule)}"
    if found.threshold is not None and entry.outcome != "trusted":
        return "certificate.threshold stands there although the judge is not trusted"
    return ""


def _labels(entry: RubricRecord) -> str:
    if strange := [label for label in (*entry.positive, *dict(entry.label_counts)) if label not in entry.labels]:
        return f"{strange[0]!r} is none of its labels"
    if len(set(entry.labels)) != len(entry.labels) or len(set(entry.positive)) != len(entry.positive):
        return "labels or positive name one twice"
    return ""


def _number(text: str | None) -> float | None:
    """A number of the rules, which are fractions like 4/5 or plain numbers."""
    try:
        above, _, below = (text or "").partition("/")
        return float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        return None


def _trust(entry: RubricRecord) -> str:
    """What a trusted entry must show: people, labels of both sides, lower ends at the bars of its own rules."""
    if entry.outcome != "trusted":
        return ""
    if "human" not in entry.label_sources or not entry.annotators:
        return "outcome is trusted, and label_sources or annotators name no person"
    if entry.covers and not entry.draw:
        return "covers is true, and no draw is named"
    if sum(n > 0 for _, n in entry.label_counts) < 2:
        return "outcome is trusted, and label_counts hold fewer than two labels"
    rules = dict(entry.rules)
    for key in ("sensitivity", "specificity") if entry.positive else ():
        rate, bar = getattr(entry, key), _number(rules.get(f"{key}_bar"))
        if bar is None or rate is None or rate.low is None or rate.low < bar:
            return f"outcome is trusted, and {key} from {rate and rate.low} does not clear its bar {rules.get(f'{key}_bar')}"
    return ""
