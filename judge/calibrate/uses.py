"""How often a label file was used, and what for: judges that were held against it, and labels that a rubric was tuned on.
The best of sixty judges on one label set looks better than it is. Each judge held against the same labels therefore costs: with k of them
the interval that decides has the level 1 - (1 - level) / k (Bonferroni). What was held is written beside the label file."""

import contextlib
import datetime
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibration.labels import LabelledItem
from calibration.objections import Objection
from judge.disk import append
from judge.results.reading import read_lines
from judge.results.seal import seal_labels


@dataclass(frozen=True, slots=True)
class Uses:
    """judges: held against these labels so far, with those that the file itself holds verdicts of; tuned: day on which the labels were used
    to propose another rubric text, "" where they were not."""

    judges: int = 1
    tuned: str = ""

    def notes(self) -> Iterator[str]:
        """What a reader must know of it."""
        if self.judges > 1:
            yield f"{self.judges} judges were held against these labels, which the intervals allow for"

    def objections(self) -> Iterator[Objection]:
        """Labels that a rubric was tuned on say nothing of how it does on others."""
        if self.tuned:
            yield Objection("open", f"the rubric was tuned on these labels (--suggest, {self.tuned}): draw and label others")


def read_uses(labels: Path, items: Sequence[LabelledItem], fingerprint: Mapping[str, str]) -> Uses:
    """The uses of one rubric's labels with this one, which is written down."""
    rubric, own = items[0].rubric, hashlib.sha256(json.dumps(dict(fingerprint), sort_keys=True).encode()).hexdigest()[:16]
    path = _file(labels)
    lines = [line for line in (read_lines(path) if path.is_file() else ()) if line.get("rubric") == rubric]
    tuned = max((str(line["day"]) for line in lines if line.get("use") == "tuned"), default="")
    judges = {str(line.get("judge")) for line in lines if line.get("use") == "judged"}
    if own not in judges and any(item.source == "human" for item in items):  # constructed ones certify nobody
        note_use(labels, rubric, "judged", own)
    others = {name for item in items for name, _ in item.readings if name.startswith("other:") and "/" not in name}
    return Uses(max(len(judges | {own}), 1 + len(others)), tuned)


def note_use(labels: Path, rubric: str, use: str, judge: str = "") -> None:
    """Writes down that the labels of a rubric were used, under the seal of their run; nothing where the folder cannot be written."""
    line = {"use": use, "rubric": rubric, "judge": judge, "day": datetime.date.today().isoformat()}
    with contextlib.suppress(OSError):
        append(_file(labels), line)
        seal_labels(labels.parent, _file(labels).name)


def _file(labels: Path) -> Path:
    return labels.with_name(f"{labels.name}.uses")
