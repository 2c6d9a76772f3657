"""What the page asks next and what happens to an answer. One lock: several people may label at the same time."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.capabilities import Choice
from judge.errors import UsageError
from judge.labelling.agreement import PairAgreement, pairwise_agreement
from judge.labelling.label_file import Label, LabelFile
from judge.labelling.tasks import Task

_NAME_MOST, _NOTE_MOST, _TEXT_MOST = 80, 2000, 20_000


class Sink(Protocol):
    """What an answer changes beside the label file: a result folder, a gold file, nothing."""

    def check(self, task: Task, choice: Choice, text: str) -> str:
        """What is wrong with a corrected value, "" when nothing is."""
        ...

    def changed(self, task: Task, labels: Sequence[Label]) -> None:
        """The labels of a task are now these."""
        ...

    def finish(self) -> str:
        """A person has answered everything, or the page closes: a sentence on what came of it, "" when there is nothing to say."""
        ...


class NoSink:
    """Labels that go to the label file alone."""

    def check(self, task: Task, choice: Choice, text: str) -> str:
        """Nothing is wrong."""
        return ""

    def changed(self, task: Task, labels: Sequence[Label]) -> None:
        """Nothing else changes."""

    def finish(self) -> str:
        """Nothing to say."""
        return ""


@dataclass(frozen=True, slots=True)
class State:
    """What one person sees: the task (None when all are done), its number, how many are done, and the agreement so far."""

    task: Task | None
    number: int
    done: int
    total: int
    skipped: int
    can_undo: bool
    agreement: tuple[PairAgreement, ...]


class LabelSession:
    """The tasks, everybody's labels, and who skipped what."""

    def __init__(self, tasks: Sequence[Task], file: LabelFile, sink: Sink | None = None, now: Callable[[], str] | None = None) -> None:
        self._tasks = tuple(tasks)
        self._numbers = {(task.rubric, task.task_id): n for n, task in enumerate(self._tasks)}
        self._file = file
        self._sink: Sink = sink or NoSink()
        self._now = now or _utc_now
        self._skipped: dict[str, list[int]] = {}
        self._lock = threading.RLock()

    def task(self, number: int) -> Task:
        """A task by its number. Raises UsageError."""
        if not 0 <= number < len(self._tasks):
            raise UsageError(f"there is no task {number}")
        return self._tasks[number]

    def state(self, annotator: str) -> State:
        """What this person sees now."""
        annotator = checked_name(annotator)
        with self._lock:
            waiting = [n for n, task in enumerate(self._tasks) if not self._file.has(task, annotator)]
            skipped = [n for n in self._skipped.get(annotator, []) if n in set(waiting)]
            fresh = [n for n in waiting if n not in set(skipped)]
            number = (fresh or skipped or [-1])[0]
            mine = [label for label in self._file.labels() if label.annotator == annotator]
            return State(
                task=self._tasks[number] if number >= 0 else None,
                number=number,
                done=len(self._tasks) - len(waiting),
                total=len(self._tasks),
                skipped=len(skipped),
                can_undo=any((x.rubric, x.task_id) in self._numbers for x in mine),
                agreement=pairwise_agreement(self._file.labels()),
            )

    def label(self, annotator: str, number: int, value: str, note: str = "", text: str = "") -> None:
        """Takes an answer. Raises UsageError when it is none of the task's, or when the corrected value is wrong."""
        annotator, task = checked_name(annotator), self.task(number)
        choice = next((c for c in task.choices if c.value == value), None)
        if choice is None:
            raise UsageError(f"{value!r} is no choice here")
        if len(note) > _NOTE_MOST or len(text) > _TEXT_MOST:
            raise UsageError(f"a note has at most {_NOTE_MOST} characters, a value {_TEXT_MOST}")
        if choice.needs_text and not text.strip():
            raise UsageError("give the right value")
        with self._lock:
            if self._file.has(task, annotator):
                raise UsageError("you labelled this already; undo first")
            if problem := self._sink.check(task, choice, text):
                raise UsageError(problem)
            self._file.append(task, Label(task.task_id, task.rubric, annotator, value, note.strip(), text, self._now()))
            self._sink.changed(task, self._file.labels_of(task))

    def finish(self) -> str:
        """What came of all answers so far, in a sentence."""
        with self._lock:
            return self._sink.finish()

    def skip(self, annotator: str, number: int) -> None:
        """Puts a task at the end of this person's list, for this sitting."""
        annotator = checked_name(annotator)
        self.task(number)
        with self._lock:
            skipped = self._skipped.setdefault(annotator, [])
            if number in skipped:
                skipped.remove(number)
            skipped.append(number)

    def undo(self, annotator: str) -> int | None:
        """Takes back this person's last label; its task's number, None when there is none."""
        annotator = checked_name(annotator)
        with self._lock:
            label = self._file.remove_last(annotator)
            if label is None:
                return None
            number = self._numbers.get((label.rubric, label.task_id))
            if number is not None:
                self._sink.changed(self._tasks[number], self._file.labels_of(self._tasks[number]))
            return number


def checked_name(annotator: str) -> str:
    """An annotator's name. Raises UsageError when it is empty or too long."""
    name = annotator.strip()
    if not name or len(name) > _NAME_MOST or not name.isprintable():
        raise UsageError(f"give your name, 1 to {_NAME_MOST} characters")
    return name


def _utc_now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
