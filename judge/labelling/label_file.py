"""The file that labels are appended to: one JSON line each, in the format that `judge calibrate` reads, on disk before the page goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.errors import InputError, Problem, UsageError
from judge.labelling.tasks import Task


@dataclass(frozen=True, slots=True)
class Label:
    """A person's answer to one task. text: the corrected value where the choice asks for one; when: ISO time in UTC."""

    task_id: str
    rubric: str
    annotator: str
    value: str
    note: str = ""
    text: str = ""
    when: str = ""


class LabelFile:
    """Appends labels durably and reads them back; a last line that a crash cut short is dropped when the file is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._labels: dict[tuple[str, str, str], Label] = {}
        if path.exists():
            _drop_torn_end(path)
            for label in _read(path):
                self._labels[label.rubric, label.task_id, label.annotator] = label

    def register(self, tasks: Sequence[Task]) -> None:
        """Writes every drawn task without a label, so that one which nobody labels is seen to be missing.

        Raises UsageError where the file holds another draw: two draws in one file have no common probability.
        """
        known = {(str(line["item_id"]), str(line.get("rubric", ""))): line for line in _lines(self.path)} if self.path.exists() else {}
        for task in tasks:
            before = known.get((task.task_id, task.rubric))
            if before is not None and (before.get("metadata") or {}).get("draw") != task.bound.get("draw"):
                raise UsageError(
                    f"{self.path}: holds another draw; go on with the same --sample, --design and --seed, or name another --labels"
                )
        if known and (strange := known.keys() - {(task.task_id, task.rubric) for task in tasks}):
            raise UsageError(f"{self.path}: holds {min(strange)[0]}, which this draw does not; name another file with --labels")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = [task_line(task) for task in tasks if (task.task_id, task.rubric) not in known]
        with self.path.open("ab") as file:
            file.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in fresh).encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())

    def labels(self) -> tuple[Label, ...]:
        """All labels that count, in the order in which they were given."""
        return tuple(self._labels.values())

    def labels_of(self, task: Task) -> tuple[Label, ...]:
        """The labels of one task, one an annotator."""
        return tuple(label for label in self._labels.values() if (label.rubric, label.task_id) == (task.rubric, task.task_id))

    def has(self, task: Task, annotator: str) -> bool:
        """Whether this person labelled this task."""
        return (task.rubric, task.task_id, annotator) in self._labels

    def append(self, task: Task, label: Label) -> None:
        """Writes a label and waits until it is on disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        append_durably(self.path, label_line(task, label))
        self._labels[label.rubric, label.task_id, label.annotator] = label

    def remove_last(self, annotator: str) -> Label | None:
        """Takes back the last label of a person: its line leaves the file. None when there is none."""
        mine = [key for key in self._labels if key[2] == annotator]
        if not mine:
            return None
        label = self._labels.pop(mine[-1])
        kept = [line for line in self.path.read_text("utf-8").splitlines(keepends=True) if not _is_line_of(line, label)]
        rewrite_durably(self.path, "".join(kept))
        return label


def append_durably(path: Path, line: Mapping[str, Any]) -> None:
    """Appends one JSON line; it is on disk when this returns."""
    with path.open("ab") as file:
        file.write((json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "backslashreplace"))
        file.flush()
        os.fsync(file.fileno())


def rewrite_durably(path: Path, text: str) -> None:
    """Replaces a file as a whole; a crash leaves the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def task_line(task: Task) -> dict[str, Any]:
    """A task without a label; all its label lines say the same beside it, so that the lines can be put together."""
    sampling = task.sampling
    line: dict[str, Any] = {
        "item_id": task.task_id,
        "rubric": task.rubric,
        "cluster_id": task.cluster_id,
        "inputs": dict(task.inputs),
        "labels": [],
        "label_source": task.source,
        "weight": 1 / sampling.probability,
        "sampled": sampling.design,
        "metadata": {"inclusion_probability": sampling.probability, "stratum": sampling.stratum, **task.bound},
    }
    return line | {"judge": dict(task.judge)} if task.judge else line


def label_line(task: Task, label: Label) -> dict[str, Any]:
    """The line of one label: everything but the label itself is the same for every annotator."""
    entry = {"annotator": label.annotator, "label": label.value, "comment": label.note, "at": label.when}
    line = task_line(task) | {"labels": [{k: v for k, v in entry.items() if v}]}
    if label.text:
        line["metadata"]["text"] = label.text
    return line


def _drop_torn_end(path: Path) -> None:
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        with path.open("r+b") as file:
            file.truncate(end)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            line["item_id"], [(entry["annotator"], entry["label"]) for entry in line["labels"]]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError([Problem(str(path), number, "", f"is not a label line ({error}); give another file with --labels")]) from None
        yield line


def _read(path: Path) -> Iterator[Label]:
    for line in _lines(path):
        for entry in line["labels"]:
            yield _label(line, entry)


def _label(line: Mapping[str, Any], entry: Mapping[str, Any]) -> Label:
    text = (line.get("metadata") or {}).get("text", "")
    given = str(line["item_id"]), str(line.get("rubric", "")), str(entry["annotator"]), str(entry["label"])
    return Label(*given, str(entry.get("comment", "")), str(text), str(entry.get("at", "")))


def _is_line_of(text: str, label: Label) -> bool:
    line = json.loads(text)
    if (line["item_id"], line.get("rubric", "")) != (label.task_id, label.rubric):
        return False
    return [entry["annotator"] for entry in line["labels"]] == [label.annotator]
