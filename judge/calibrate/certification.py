"""What a calibration record lets a judge's verdicts do in a run (calibration.md sections 1 and 2).
`--require-calibrated`: answers that no valid record covers stay in the verdict lines but do not count for the gates.
`--certified-threshold`: verdicts below the record's certified confidence are no verdicts; their items go to a person."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.errors import UsageError
from judge.records import Answer, Question
from judge.results.models import model_findings
from judge.results.reading import read_lines
from rubrics.named_file import read_named

if TYPE_CHECKING:
    from calibration.decision.record import Record, RubricRecord


HISTORY = "watch.jsonl"  # of a frozen set, to which every look adds
WATCHED = "watch.jsonl beside the record: trust was gone on {day} ({reasons[0]})"
PICTURED = "a page was shown as a picture, and no record is measured on pictures"


def read_records(paths: Sequence[Path], *, is_watching: bool = False) -> "Record":
    """Several calibration records as one, each rubric in one of them only; what a watch beside a record found holds unless it is to be
    watched again. Raises UsageError naming the file."""
    from calibration.decision.record import RecordError, merge, read

    records, path = [], None
    try:
        for path in paths:
            records.append(_as_watched(read(read_named(path).decode()), None if is_watching else path.with_name(HISTORY)))
        return merge(records)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    except RecordError as error:
        where = path if len(records) < len(paths) else ", ".join(map(str, paths))
        raise UsageError(f"{where}: {error}") from None


def _as_watched(record: "Record", history: Path | None) -> "Record":
    """The record without cover where the last look at the same judge and labels found that its trust is gone."""
    from judge.calibrate.questions import print_hash

    looks = read_lines(history) if history and history.is_file() else ()
    last = {(look["rubric"], look.get("data_hash"), print_hash(look["fingerprint"])): look for look in looks}
    seen = ((one, last.get((one.rubric, one.data_hash, print_hash(one.fingerprint)), {})) for one in record.rubrics)
    rubrics = (replace(one, covers=False, why_not=WATCHED.format(**look)) if look.get("trust") == "gone" else one for one, look in seen)
    return replace(record, rubrics=tuple(rubrics))


@dataclass(slots=True)
class Certification:
    """Whether a record covers an answer. fingerprint: of the running judge, as far as it is known; rules: the contract's calibration
    section; accepting: of a rubric in this run; reasons: rubric, or rubric and kind of case (`Question.uncoverable`) -> why it is not
    covered."""

    record: "Record"
    fingerprint: Callable[[], Mapping[str, Any]]
    today: date
    rules: Mapping[str, str]
    accepting: Callable[[str], tuple[str, ...] | None]
    reasons: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def covers(self, question: Question, answer: Answer) -> bool:
        """Whether the record trusts the model that gave this answer and is valid for it, its prompt, schema, parameters and rules."""
        if question.pictures:
            self.reasons["quote_picture"] = (PICTURED,)
            return False
        from calibration.decision.record import Running, check, unmeasured
        from judge.calibrate.questions import rubric_fingerprint

        print_ = rubric_fingerprint(self.fingerprint(), question.rubric, [answer.model])
        found = check(self.record, question.rubric, Running(print_, self.today, self.rules, self.accepting(question.rubric)))
        found += tuple(text for _, text in model_findings(self.fingerprint()))
        if found:
            self.reasons[question.rubric] = found
        entry = self.record.rubric(question.rubric)
        kinds = unmeasured(entry, question.kinds) if entry and not found else {}
        self.reasons |= {f"{question.rubric}, {kind} {value}": (why,) for (kind, value), why in kinds.items()}
        return not found and not kinds

    def decides(self, question: Question, answer: Answer) -> bool:
        """Whether the record covers this answer and certifies verdicts of its confidence."""
        from calibration.decision.record import may_decide

        return self.covers(question, answer) and may_decide(self.record.rubric(question.rubric), answer.confidence)


def record_facts(record: "Record", uncovered: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """What a run's folder keeps of a record, an entry a rubric: what it says of the judge, on which data and by whom it was measured, and
    whether the verdicts of this run count. uncovered: rubric -> why they do not; a rubric that the record lacks has an entry too."""
    facts = [_entry_facts(entry, tuple(uncovered.get(entry.rubric, ()))) for entry in record.rubrics]
    known = {entry.rubric for entry in record.rubrics}
    return facts + [{"rubric": name, "counts": False, "why_not": list(why)} for name, why in sorted(uncovered.items()) if name not in known]


def _entry_facts(entry: "RubricRecord", why_not: tuple[str, ...]) -> dict[str, Any]:
    rates = {name: asdict(rate) for name in ("sensitivity", "specificity", "human_rate") if (rate := getattr(entry, name)) is not None}
    told = ("rubric", "outcome", "sentence", "made", "expires", "label_file", "data_hash", "annotators", "label_sources")
    tables = ("label_counts", "left_out", "slices")
    parts = {name: getattr(entry, name) for name in told} | {name: dict(getattr(entry, name)) for name in tables}
    why = why_not or (() if entry.covers else (entry.why_not or "the record covers no run",))
    return {**parts, **rates, "counts": entry.trusted and not why_not, "why_not": list(why)}
