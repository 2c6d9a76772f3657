"""A record read back from its file: complete, unchanged, in agreement with itself. What no calibration writes is refused, with any seal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import date
from fractions import Fraction
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
            for wrong in contradictions(entry):
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


def contradictions(entry: RubricRecord) -> Iterator[str]:
    """What cannot be, naming the key."""
    rules = dict(entry.rules)
    days, made, expires = rules.get("record_days", ""), _day(entry.made), _day(entry.expires)
    if made is None or expires is None:
        yield "made or expires is no date"
    elif expires < made:
        yield f"expires {entry.expires} lies before made {entry.made}"
    elif not days.isdigit() or (expires - made).days > int(days):
        yield f"expires {entry.expires} lies more than the {days or 'unknown'} days of its rules after made {entry.made}"
    yield from (f"{key} is no rate: {wrong}" for key in RATES for wrong in _wrong_rate(getattr(entry, key)))
    if (found := entry.certificate) is not None:
        for name, rule in (("risk", "selective_risk"), ("delta", "selective_delta")):
            if _number(rules.get(rule)) != getattr(found, name):
                yield f"certificate.{name} is {getattr(found, name)} and its rules say {rules.get(rule)}"
        if found.threshold is not None and entry.outcome != "trusted":
            yield "certificate.threshold stands there although the judge is not trusted"
    if strange := [label for label in (*entry.positive, *dict(entry.label_counts)) if label not in entry.labels]:
        yield f"{strange[0]!r} is none of its labels"
    if len(set(entry.labels)) != len(entry.labels) or len(set(entry.positive)) != len(entry.positive):
        yield "labels or positive name one twice"
    if entry.outcome == "trusted":
        yield from _untrusted(entry, rules)


def _untrusted(entry: RubricRecord, rules: Mapping[str, str]) -> Iterator[str]:
    """What a trusted entry lacks: people, labels of both sides, lower ends at the bars of its own rules."""
    if "human" not in entry.label_sources or not entry.annotators:
        yield "outcome is trusted, and label_sources or annotators name no person"
    if entry.covers and not entry.draw:
        yield "covers is true, and no draw is named"
    if sum(n > 0 for _, n in entry.label_counts) < 2:
        yield "outcome is trusted, and label_counts hold fewer than two labels"
    for key in ("sensitivity", "specificity") if entry.positive else ():
        rate, bar = getattr(entry, key), _number(rules.get(f"{key}_bar"))
        if bar is None or rate is None or rate.low is None or rate.low < bar:
            yield f"outcome is trusted, and {key} from {rate and rate.low} does not clear its bar {rules.get(f'{key}_bar')}"


def _wrong_rate(rate: ClassRate | None) -> Iterator[str]:
    if rate is None:
        return
    known = [end for end in (rate.low, rate.value, rate.high) if end is not None]
    if rate.clusters > rate.n:
        yield f"{rate.n} labels in {rate.clusters} cases"
    if rate.value is not None and not rate.n:
        yield f"{rate.value} of no label"
    if known != sorted(known):
        yield f"{known} are out of order"
    if rate.effective_n is not None and rate.effective_n > rate.n + 1e-6:
        yield f"effective_n is {rate.effective_n}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    """A number of the rules, which are fractions like 4/5 or plain numbers."""
    try:
        return float(Fraction(text or ""))
    except (ValueError, ZeroDivisionError):
        return None
