"""The calibration record: what was measured of exactly which judge, until when it holds, and what a run may do with it.
A record binds its figures to a fingerprint (model as returned, endpoint kind, prompt + schema + parser + rubric hash), to the rules of the
contract that they were held against, and to themselves: every part carries a seal, so that a changed part is named. A seal is no signature:
whoever makes a new one can write what he likes, so what is read must be complete and agree with itself as well."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from calibration.statistics.estimate import Estimate
from calibration.strict_json import loads

FORMAT = 4
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class RecordError(Exception):
    """A calibration record cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ClassRate:
    """Sensitivity or specificity: value and ends 0..1 (None undefined), labels, cases, effective number of independent labels."""

    value: Share | None
    low: Share | None
    high: Share | None
    n: Count
    clusters: Count
    effective_n: Annotated[float, Field(gt=0)] | None


@dataclass(frozen=True, slots=True)
class Threshold:
    """The certificate of selective judging: verdicts at or above `threshold` may decide; None: none may (abstain from everything)."""

    threshold: Share | None
    risk: Share
    delta: Share
    cases: Count
    coverage: Share


@dataclass(frozen=True, slots=True)
class RubricRecord:
    """What the record says of one rubric. fingerprint: name -> text, compared whole. positive: accepting labels, the others refuse. made,
    expires: ISO dates; it still holds on the day `expires`. data_hash: SHA-256 of the label file. rules: the contract's calibration
    section, name -> text. left_out: counts of what the rates do not see. probes: name -> what came of it; unprobed: kinds nobody tried.
    covers: the labels are a draw of a run of this very judge; why_not: why they are not. draw: how they were drawn, contract: under which
    the judge was held, slices: what each kind showed, covered: kinds of cases that it holds for, uses: judges that these labels were
    held against, this one included."""

    rubric: str
    outcome: Literal["trusted", "not_trusted", "inconclusive"]
    sentence: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    label_sources: tuple[str, ...]
    annotators: tuple[str, ...]
    label_counts: Mapping[str, Count]
    fingerprint: Mapping[str, str]
    sensitivity: ClassRate | None
    specificity: ClassRate | None
    human_rate: ClassRate | None
    figures: Mapping[str, float | None]
    certificate: Threshold | None
    made: str
    expires: str
    data_hash: str
    label_file: str
    rules: Mapping[str, str]
    left_out: Mapping[str, Count] = field(default_factory=dict)
    probes: Mapping[str, str] = field(default_factory=dict)
    unprobed: tuple[str, ...] = ()
    covers: bool = False
    why_not: str = ""
    draw: str = ""
    contract: str = ""
    slices: Mapping[str, str] = field(default_factory=dict)
    covered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: Annotated[int, Field(ge=1)] = 1

    @property
    def trusted(self) -> bool:
        """Whether a run may go by it."""
        return self.covers and self.outcome == "trusted"


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record file, or several as one: an entry a rubric, each with its own label file and dates."""

    rubrics: tuple[RubricRecord, ...]
    format: int = FORMAT

    @property
    def made(self) -> str:
        """The day of the youngest entry."""
        return max((entry.made for entry in self.rubrics), default="")

    @property
    def expires(self) -> str:
        """The first day on which an entry ends."""
        return min((entry.expires for entry in self.rubrics), default="")

    @property
    def data_hash(self) -> str:
        """The label files' hashes."""
        return ", ".join(dict.fromkeys(entry.data_hash for entry in self.rubrics))

    @property
    def label_file(self) -> str:
        """The label files' names."""
        return ", ".join(dict.fromkeys(entry.label_file for entry in self.rubrics))

    def rubric(self, rubric: str) -> RubricRecord | None:
        """The entry of one rubric, None where the record has none."""
        return next((entry for entry in self.rubrics if entry.rubric == rubric), None)


def class_rate(estimate: Estimate | None) -> ClassRate | None:
    """The part of an estimate that a record keeps."""
    if estimate is None:
        return None
    return ClassRate(estimate.value, estimate.low, estimate.high, estimate.n, estimate.clusters, estimate.effective_n)


def merge(records: Sequence[Record]) -> Record:
    """Several records as one. Raises RecordError when a rubric stands in two of them: which holds would depend on the order."""
    entries = [entry for record in records for entry in record.rubrics]
    names = [entry.rubric for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RecordError(f"the rubric {twice[0]!r} stands in the record more than once: keep one of its entries")
    return Record(tuple(sorted(entries, key=lambda entry: entry.rubric)))


def write(record: Record) -> str:
    """The record as JSON text, keys in a fixed order, each entry with its seals."""
    entries = [{**asdict(entry), "trusted": entry.trusted} for entry in record.rubrics]
    data: dict[str, Any] = {name: getattr(record, name) for name in ("format", "made", "expires")}
    data |= {"trusted": all(entry.trusted for entry in record.rubrics), "rubrics": [{**one, "seals": seals_of(one)} for one in entries]}
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def seals_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Key -> hash of its content and of the rubric's name, and "all": the hash over these."""
    found = {key: _hash([entry.get("rubric"), key, value]) for key, value in sorted(entry.items()) if key != "seals"}
    return {**found, "all": _hash(found)}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "backslashreplace")).hexdigest()[:32]


_RUBRIC = TypeAdapter(RubricRecord)


def read(text: str) -> Record:
    """A record from its JSON text. Raises RecordError naming what is wrong, or what was changed since it was made."""
    try:
        data = loads(text)
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
        why = "a part has another form" if isinstance(error, TypeError | AttributeError) else error
        raise RecordError(f"not a calibration record: {why}") from error


def _entry(data: dict[str, Any]) -> RubricRecord:
    names = {part.name for part in fields(RubricRecord)} | {"trusted"}
    if data.keys() - {"seals"} != names:
        raise KeyError(", ".join(sorted((data.keys() - {"seals"}) ^ names)))
    seals, now = data.get("seals"), seals_of(data)
    if not isinstance(seals, dict) or seals != now:
        changed = sorted(key for key in now if key != "all" and (not isinstance(seals, dict) or seals.get(key) != now[key]))
        raise RecordError(f"{data['rubric']}: changed after it was made: {', '.join(changed) or 'seals'}. Make the record again")
    rest = {key: value for key, value in data.items() if key not in ("seals", "trusted")}
    try:
        entry = _RUBRIC.validate_json(json.dumps(rest), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(part for part in first["loc"] if isinstance(part, str))
        raise RecordError(f"{data['rubric']}: {key} is not what a calibration writes: {str(first['input'])[:80]!r}") from error
    if data["trusted"] is not entry.trusted:
        raise RecordError(f"{entry.rubric}: trusted is {data['trusted']!r}, and its outcome and draw say {entry.trusted}")
    return entry


def contradictions(entry: RubricRecord) -> Iterator[str]:
    """What cannot be, naming the key."""
    rules = entry.rules
    days, made, expires = rules.get("record_days", ""), _day(entry.made), _day(entry.expires)
    if made is None or expires is None:
        yield "made or expires is no date"
    elif expires < made:
        yield f"expires {entry.expires} lies before made {entry.made}"
    elif not days.isdigit() or (expires - made).days > int(days):
        yield f"expires {entry.expires} lies more than the {days or 'unknown'} days of its rules after made {entry.made}"
    for key in ("sensitivity", "specificity", "human_rate"):
        yield from (f"{key} is no rate: {wrong}" for wrong in _wrong_rate(getattr(entry, key)))
    if (found := entry.certificate) is not None:
        for name, rule in (("risk", "selective_risk"), ("delta", "selective_delta")):
            if _number(rules.get(rule)) != getattr(found, name):
                yield f"certificate.{name} is {getattr(found, name)} and its rules say {rules.get(rule)}"
        if found.threshold is not None and entry.outcome != "trusted":
            yield "certificate.threshold stands there although the judge is not trusted"
    if strange := [label for label in (*entry.positive, *entry.label_counts) if label not in entry.labels]:
        yield f"{strange[0]!r} is none of its labels"
    if len(set(entry.labels)) != len(entry.labels) or len(set(entry.positive)) != len(entry.positive):
        yield "labels or positive name one twice"
    if entry.outcome == "trusted":
        yield from _untrusted(entry)


def _untrusted(entry: RubricRecord) -> Iterator[str]:
    """What a trusted entry lacks: people, labels of both sides, lower ends at the bars of its own rules."""
    if "human" not in entry.label_sources or not entry.annotators:
        yield "outcome is trusted, and label_sources or annotators name no person"
    if entry.covers and not entry.draw:
        yield "covers is true, and no draw is named"
    known = {name.rpartition(": ")[0] for name in entry.slices}
    if strange := [f"{kind}={value}" for kind, values in entry.covered.items() for value in values if f"{kind}={value}" not in known]:
        yield f"covered names {strange[0]}, of which slices say nothing"
    if sum(n > 0 for n in entry.label_counts.values()) < 2:
        yield "outcome is trusted, and label_counts hold fewer than two labels"
    for key in ("sensitivity", "specificity") if entry.positive else ():
        rate, bar = getattr(entry, key), _number(entry.rules.get(f"{key}_bar"))
        if bar is None or rate is None or rate.low is None or rate.low < bar:
            yield f"outcome is trusted, and {key} from {rate and rate.low} does not clear its bar {entry.rules.get(f'{key}_bar')}"


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


@dataclass(frozen=True, slots=True)
class Running:
    """What a run is: the fingerprint of its judge for a rubric, the day (passed in, so that the same input gives the same answer), the
    contract's calibration section (None: not compared) and the labels that accept in the run (None: not compared)."""

    fingerprint: Mapping[str, str]
    today: date
    rules: Mapping[str, str] | None = None
    accepting: tuple[str, ...] | None = None


def check(record: Record, rubric: str, running: Running) -> tuple[str, ...]:
    """Why this record does not let the rubric's verdicts decide a gate; empty when it does."""
    if (entry := record.rubric(rubric)) is None:
        return (f"the record holds nothing of the rubric {rubric!r}",)
    said = f"its labels say of the judge of {rubric!r}: {entry.outcome.replace('_', ' ')}"
    told: tuple[str, ...] = () if entry.outcome == "trusted" else (said,)
    if not entry.covers:
        return (*told, entry.why_not or "the record covers no run")
    told += _check_days(entry, running)
    if running.accepting is not None and entry.positive != running.accepting:
        named = [", ".join(labels) or "none" for labels in (entry.positive, running.accepting)]
        told += (f"accepting labels differ: calibrated {named[0]}, in this run {named[1]}",)
    if running.rules is not None:
        told += _differences(entry.rules, running.rules, "the contract's calibration rule ", "in this run", "none")
    return (*told, *compare_fingerprints(entry.fingerprint, running.fingerprint))


def unmeasured(entry: RubricRecord, kinds: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Kinds of a case that the record does not hold for, each with the reason."""
    found = {}
    for kind, value in kinds:
        start = f"{kind}={value}: "
        seen = "; ".join(f"{name.removeprefix(start)} {text}" for name, text in entry.slices.items() if name.startswith(start))
        if value not in entry.covered.get(kind, ()):
            why = f"is measured on too few labels of it, or below the floor ({seen})" if seen else "has no label of it"
            found[kind, value] = f"the record {why}"
    return found


def _check_days(entry: RubricRecord, running: Running) -> tuple[str, ...]:
    made, expires = date.fromisoformat(entry.made), date.fromisoformat(entry.expires)
    if made > running.today:
        return (f"the record was made on {entry.made}, a day that has not come",)
    if expires < running.today:
        return (f"the record expired on {entry.expires}",)
    if (days := (running.rules or {}).get("record_days")) is not None and (expires - made).days > int(days):
        return (f"the record expires on {entry.expires}, more than {days} days after {entry.made}",)
    return ()


def compare_fingerprints(recorded: Mapping[str, str], running: Mapping[str, str]) -> tuple[str, ...]:
    """One sentence for each part that differs or is missing on either side; a recorded fingerprint without a model is never enough."""
    if not recorded.get("model"):
        return ("the record does not say which model was calibrated",)
    return _differences(recorded, running, "", "running", "unknown")


def _differences(recorded: Mapping[str, str], running: Mapping[str, str], what: str, here: str, nothing: str) -> tuple[str, ...]:
    keys = [key for key in sorted(recorded.keys() | running.keys()) if recorded.get(key) != running.get(key)]
    then, now = ({key: some.get(key) or nothing for key in keys} for some in (recorded, running))
    return tuple(f"{what}{key} differs: calibrated {then[key]}, {here} {now[key]}" for key in keys)


def may_decide(entry: RubricRecord | None, confidence: float | None) -> bool:
    """Whether a verdict of this confidence is certified; without certificate, threshold or confidence it is not: it goes to a person."""
    if entry is None or entry.certificate is None or entry.certificate.threshold is None or confidence is None:
        return False
    return confidence >= entry.certificate.threshold
