"""The file that labels are appended to: one JSON line each, in the format that `judge calibrate` reads, on disk before the page goes on."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from calibration.label_files.identity import fold_name
from calibration.label_files.labels import ADJUDICATOR, seal_of
from calibration.statistics.agreement import confusion, measure
from calibration.strict_json import loads
from judge.disk import append, write_named
from judge.errors import InputError, Problem, UsageError
from judge.labelling.tasks import Task
from judge.results.folder import REVIEWERS, RUN
from judge.results.seal import check_seal
from rubrics.named_file import lines_of

_MOST_PAIRED = 30  # people whose agreement is told by pairs


@dataclass(frozen=True, slots=True)
class Label:
    """A person's answer to one task. text: a filled-in form as JSON where the choice has one; when: ISO time in UTC. is_adjudication: a
    further person's decision where two people differ; it settles the task alone."""

    task_id: str
    rubric: str
    annotator: str
    value: str
    note: str = ""
    text: str = ""
    when: str = ""
    is_adjudication: bool = False
    settles: str = ""  # what of an item it is bound to; on anything else it is a former answer
    shown: str = ""  # the reported value that it was given to
    user: str = ""  # the user of the machine on which it was given
    people: int = 1  # how many had to agree where it was given

    @property
    def key(self) -> tuple[str, str, str, str]:
        """A person has one answer to a task as it stands; a name in other letters is the same person."""
        return self.rubric, self.task_id, self.settles, fold_name(self.annotator)


class LabelFile:
    """Appends labels durably and reads them back; nothing is ever deleted: who takes an answer back adds a line that says so. A last line
    that a crash cut short is left out. people: how many must agree, which new lines say."""

    def __init__(self, path: Path) -> None:
        self.path, self.people = path, 1
        self._labels: dict[tuple[str, str, str, str], Label] = {}
        self._by_task: dict[tuple[str, str], dict[tuple[str, str, str, str], Label]] = {}
        self._spelt: dict[str, str] = {}
        for line in _lines(path) if path.exists() else ():
            for entry in line["labels"]:
                self._take(_label(line, entry), bool(entry.get("withdrawn")))

    def _take(self, label: Label, is_withdrawn: bool) -> None:
        """The last word of a person counts, at the place in the order where it was given."""
        self._spelt.setdefault(fold_name(label.annotator), label.annotator)
        of_task = self._by_task.setdefault((label.rubric, label.task_id), {})
        for labels in (self._labels, of_task):
            labels.pop(label.key, None)
            if not is_withdrawn:
                labels[label.key] = label

    def register(self, tasks: Sequence[Task]) -> None:
        """Writes every drawn task without a label, so that one which nobody labels is seen to be missing. Raises UsageError where the file
        holds tasks of these rubrics that are not among them."""
        known = {(str(line["item_id"]), str(line.get("rubric", ""))) for line in _lines(self.path)} if self.path.exists() else set()
        rubrics = {task.rubric for task in tasks}
        if strange := {key for key in known if key[1] in rubrics} - {(task.task_id, task.rubric) for task in tasks}:
            raise UsageError(f"{self.path}: holds {min(strange)[0]}, which was not drawn from this run; move the file away")
        append(self.path, *(task_line(task) for task in tasks if (task.task_id, task.rubric) not in known))

    def labels(self) -> tuple[Label, ...]:
        """All labels that count, in the order in which they were given."""
        return tuple(self._labels.values())

    def labels_of(self, task: Task, *, is_former: bool = False) -> tuple[Label, ...]:
        """The labels of one task as it stands, one an annotator. is_former: what people said of the same item when its output, document,
        gold, citation, contract or verdict was another, which settles nothing now."""
        of_task = self._by_task.get((task.rubric, task.task_id), {}).values()
        return tuple(label for label in of_task if (label.settles != task.settles) == is_former)

    def append_all(self, given: Iterable[tuple[Task, Label]]) -> None:
        """Writes labels and waits until they are on disk; an earlier one of the same person is withdrawn first. A person keeps the
        spelling of the file."""
        lines = []
        for task, said in given:
            label = replace(said, annotator=self._spelt.get(fold_name(said.annotator), said.annotator), people=self.people)
            if (before := self._labels.get(label.key)) is not None:
                lines.append(withdrawal_line(task, before, label.when))
            lines.append(label_line(task, label))
            self._take(label, False)
        append(self.path, *lines)

    def take_over(self, path: Path, check: Callable[[str], object]) -> int:
        """Adds the lines of another run's label file as they are, but those of a person who has answered the same thing here; how many
        labels that count came. check: raises for a name that may not label here. Raises UsageError for a file that is not there, InputError
        for one that holds no labels."""
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file")
        known, lines = set(self._labels), []
        for line in _lines(path):
            labels = [_label(line, entry) for entry in line["labels"]]
            if labels and not known.intersection(label.key for label in labels):
                lines.append(line)
                for label, entry in zip(labels, line["labels"], strict=True):
                    self._take(label, bool(entry.get("withdrawn")))
        came = [label for key, label in self._labels.items() if key not in known]
        for label in came:
            check(label.annotator)
        append(self.path, *lines)
        return len(came)

    def withdraw(self, task: Task, label: Label, when: str) -> None:
        """Takes a label back by a line of its own."""
        append(self.path, withdrawal_line(task, label, when))
        self._take(label, True)


def file_of_run(folder: Path, given: str | None) -> LabelFile:
    """The label file of a result folder. given: another one. Raises UsageError for one of another run, which would not hold any more."""
    path = Path(given) if given else folder / "labels.jsonl"
    if (path.parent / RUN).exists() and not path.parent.samefile(folder):
        raise UsageError(f"{path} belongs to another run: `judge import {path} {folder}` takes its decisions over")
    return LabelFile(path)


def check_source(path: Path, *, has_tokens: bool) -> None:
    """Raises InputError for labels of a run that were changed there, UsageError for names that were typed where others gave a token."""
    if (path.parent / RUN).exists():
        check_seal(path.parent, with_labels=True)
    if has_tokens and not (path.parent / REVIEWERS).exists():
        raise UsageError(f"{path}: its people typed their names, those of this run give a token: they decide anew")


def merge_files(paths: Sequence[Path], out: Path) -> tuple[Label, ...]:
    """Writes the lines of several label files into one, equal ones once, and gives the labels that count. Raises InputError where one
    person says different things in two files, UsageError where `out` cannot be written."""
    problems, counting = list[Problem](), dict[tuple[str, str, str, str], Label]()
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{path}: there is no such file")
        for label in LabelFile(path).labels():
            before = counting.setdefault(label.key, label)
            if before.value != label.value:
                said = f"{label.annotator} says {before.value} in one file and {label.value} in the other"
                problems.append(Problem(str(path), None, label.task_id, f"{said}; settle that first"))
    if problems:
        raise InputError(problems)
    lines = dict.fromkeys(json.dumps(line, ensure_ascii=False) for path in paths for line in _lines(path))
    known = {"", *lines}
    write_named(
        out, (f"{line}\n" for line in lines), lambda content: known.issuperset(content.decode("utf-8", "replace").split("\n")), paths
    )
    return LabelFile(out).labels()


def task_line(task: Task) -> dict[str, Any]:
    """A task without a label; all its label lines say the same beside it, so that the lines can be put together."""
    sampling = task.sampling
    line: dict[str, Any] = {"item_id": task.task_id, "rubric": task.rubric, "cluster_id": task.cluster_id, "inputs": dict(task.inputs)}
    line |= {"labels": [], "label_source": task.source, "weight": 1 / sampling.probability, "sampled": sampling.design}
    line["metadata"] = {"inclusion_probability": sampling.probability, "stratum": sampling.stratum, **task.bound}
    return line | {"judge": dict(task.judge)} if task.judge else line


def label_line(task: Task, label: Label) -> dict[str, Any]:
    """The line of one label: everything but the label itself is the same for every annotator."""
    role = ADJUDICATOR if label.is_adjudication else ""
    entry = {"annotator": label.annotator, "label": label.value, "comment": label.note, "at": label.when, "role": role}
    return _line_of(task, label, {k: v for k, v in entry.items() if v})


def _line_of(task: Task, label: Label, entry: dict[str, Any]) -> dict[str, Any]:
    line, seal = task_line(task) | {"labels": [entry]}, seal_of(task.task_id, task.rubric, entry)
    people = label.people if label.people > 1 else 0
    beside = (("text", label.text), ("settles", label.settles), ("user", label.user), ("people", people), ("seal", seal))
    line["metadata"] |= {key: value for key, value in beside if value}
    return line


def withdrawal_line(task: Task, label: Label, when: str) -> dict[str, Any]:
    """The line by which a person takes an answer back."""
    return _line_of(task, label, {"annotator": label.annotator, "label": None, "withdrawn": True, "at": when})


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, data in enumerate(lines_of(path), 1):
        if not data.strip():
            continue
        try:
            line = loads(data)
            line["item_id"], [_label(line, entry) for entry in line["labels"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            if data.startswith(b"{") and not data.endswith(b"\n") and isinstance(error, ValueError):
                return
            raise InputError([Problem(str(path), number, "", f"is not a label line ({error}); give another file with --labels")]) from None
        yield line


def _label(line: Mapping[str, Any], entry: Mapping[str, Any]) -> Label:
    metadata = line.get("metadata") or {}
    given = (line["item_id"], line.get("rubric", ""), entry["annotator"], entry["label"], entry.get("comment", ""))
    item, rubric, who, value, note, text, when = map(str, (*given, metadata.get("text", ""), entry.get("at", "")))
    settles, shown = str(metadata.get("settles", "")), str((line.get("inputs") or {}).get("reported", ""))
    is_last_word, people = entry.get("role") == ADJUDICATOR, int(metadata.get("people", 1))
    return Label(item, rubric, who, value, note, text, when, is_last_word, settles, shown, people=people)


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two people on the tasks that both labelled. kappa: Cohen's, None where it is undefined (a single class)."""

    first: str
    second: str
    items: int
    agreed: int
    kappa: float | None


def pairwise_agreement(labels: Iterable[Label]) -> tuple[PairAgreement, ...]:
    """Every pair with a task in common, as it stood, of the annotators with most labels, by name."""
    names: dict[str, str] = {}
    by_annotator: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    for label in labels:
        name = names.setdefault(fold_name(label.annotator), label.annotator)
        by_annotator[name][label.rubric, label.task_id, label.settles] = label.value
    found = []
    for first, second in combinations(sorted(sorted(by_annotator, key=lambda name: -len(by_annotator[name]))[:_MOST_PAIRED]), 2):
        if shared := sorted(by_annotator[first].keys() & by_annotator[second].keys()):
            given = [[by_annotator[name][task] for task in shared] for name in (first, second)]
            values = sorted({*given[0], *given[1]})
            rows, columns = (np.array([values.index(value) for value in side], dtype=np.intp) for side in given)
            agreed = sum(a == b for a, b in zip(*given, strict=True))
            found.append(PairAgreement(first, second, len(shared), agreed, measure("kappa", confusion(rows, columns, len(values)))))
    return tuple(found)
