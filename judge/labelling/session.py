"""What the page asks next and what happens to an answer. One lock: several people may label at the same time."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from calibration.label_files.identity import is_name
from judge.capabilities import Choice
from judge.errors import UsageError
from judge.labelling.label_file import Label, LabelFile, PairAgreement, pairwise_agreement
from judge.labelling.people import check_alike, checked_name, is_same_person, local_user
from judge.labelling.tasks import Task
from judge.results.decisions import utc_now
from rubrics.verdicts import CANNOT_DETERMINE

_NOTE_MOST, _TEXT_MOST = 2000, 20_000


class Sink:
    """What an answer changes beside the label file: a result folder, a gold file; by this one, nothing."""

    def check(self, task: Task, choice: Choice, text: str) -> str:
        """What is wrong with a corrected value, "" when nothing is."""
        return ""

    def changed(self, task: Task, labels: Sequence[Label]) -> None:
        """The labels of a task are now these."""

    def finish(self) -> str:
        """A person has answered everything, or the page closes: a sentence on what came of it, "" when there is nothing to say."""
        return ""


@dataclass(frozen=True, slots=True)
class Rules:
    """How many people answer each task, and whether this sitting decides between two who differ.
    people: a task leaves the lists when so many have answered; is_adjudication: only tasks whose answers differ, shown with both.
    assigned: the people among whom the tasks are shared out in turn, each task to as many as must answer it."""

    people: int = 1
    is_adjudication: bool = False
    assigned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """One of a person's own answers, to be opened again."""

    number: int
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class State:
    """What one person sees: the task (None when all are done), its number, how many are done, and the agreement so far.
    mine: this person's answer to the task that is shown; given: all of this person's answers, the last first; others: in an adjudication
    what each person said, and why; former: what people said before the item changed."""

    task: Task | None
    number: int
    done: int
    total: int
    skipped: int
    mine: Label | None
    given: tuple[Given, ...]
    others: tuple[Label, ...]
    former: tuple[Label, ...]
    agreement: tuple[PairAgreement, ...]
    is_adjudication: bool = False


class LabelSession:
    """The tasks, everybody's labels, and who skipped what. tasks: everything that this sitting asks."""

    def __init__(
        self,
        tasks: Sequence[Task],
        file: LabelFile,
        sink: Sink | None = None,
        now: Callable[[], str] | None = None,
        rules: Rules | None = None,
    ) -> None:
        self._rules = rules or Rules()
        self._file = file
        self.tasks = tuple(t for t in tasks if is_disputed(file.labels_of(t))) if self._rules.is_adjudication else tuple(tasks)
        self._numbers = {(task.rubric, task.task_id, task.settles): n for n, task in enumerate(self.tasks)}
        self._sink = sink or Sink()
        self._now = now or utc_now
        self._skipped: dict[str, list[int]] = {}
        self._lock = threading.RLock()

    def task(self, number: int) -> Task:
        """A task by its number. Raises UsageError."""
        if not 0 <= number < len(self.tasks):
            raise UsageError(f"there is no task {number}")
        return self.tasks[number]

    def state(self, annotator: str, number: int | None = None) -> State:
        """What this person sees now: the next task, or the one of `number`, which must be one that this person answered or may answer."""
        annotator = checked_name(annotator)
        with self._lock:
            mine = {self._numbers[x.rubric, x.task_id, x.settles]: x for x in self._file.labels() if self._is_own(x, annotator)}
            waiting = [n for n, task in enumerate(self.tasks) if n not in mine and self._is_wanted(n, task, annotator)]
            skipped = [n for n in self._skipped.get(annotator, []) if n in set(waiting)]
            fresh = [n for n in waiting if n not in set(skipped)]
            if number is None or number not in mine.keys() | set(waiting):
                number = (fresh or skipped or [-1])[0]
            task = self.tasks[number] if number >= 0 else None
            labels = self._file.labels_of(task) if task is not None else ()
            return State(
                task=task,
                number=number,
                done=len(mine),
                total=len(mine) + len(waiting),
                skipped=len(skipped),
                mine=mine.get(number),
                given=tuple(self._given(n, label) for n, label in reversed(mine.items())),
                others=tuple(x for x in labels if not x.is_adjudication) if self._rules.is_adjudication else (),
                former=self._file.labels_of(task, is_former=True) if task is not None else (),
                agreement=pairwise_agreement(x for x in self._file.labels() if not x.is_adjudication),
                is_adjudication=self._rules.is_adjudication,
            )

    def _is_own(self, label: Label, annotator: str) -> bool:
        is_here = (label.rubric, label.task_id, label.settles) in self._numbers
        return is_here and is_same_person(label.annotator, annotator) and label.is_adjudication == self._rules.is_adjudication

    def _is_wanted(self, number: int, task: Task, annotator: str) -> bool:
        """Whether this person's answer is asked for: not where enough others have answered (of one person, whoever settled it), and never
        of who is a side of the dispute."""
        labels, people, assigned = self._file.labels_of(task), self._rules.people, self._rules.assigned
        if self._rules.is_adjudication:
            return not any(is_same_person(x.annotator, annotator) or x.is_adjudication for x in labels)
        turns = (assigned[n % len(assigned)] for n in range(number, number + people) if assigned)
        is_own = not assigned or any(is_same_person(one, annotator) for one in turns)
        is_settled = task.key is not None and any(label.value != CANNOT_DETERMINE for label in labels)
        return is_own and (len(labels) < people or (people == 1 and not is_settled))

    def _given(self, number: int, label: Label) -> Given:
        task = self.tasks[number]
        title = next((choice.title for choice in task.choices if choice.value == label.value), label.value)
        return Given(number, f"{task.cluster_id}: {task.question}", title)

    def label(self, annotator: str, number: int, value: str, note: str = "", text: str = "") -> None:
        """Takes an answer; one that this person gave before is withdrawn. Raises UsageError when it is none of the task's, or is wrong."""
        annotator, task = checked_name(annotator), self.task(number)
        if (choice := next((c for c in task.choices if c.value == value), None)) is None:
            raise UsageError(f"{value!r} is no choice here")
        if len(note) > _NOTE_MOST or len(text) > _TEXT_MOST:
            raise UsageError(f"a note has at most {_NOTE_MOST} characters, a value {_TEXT_MOST}")
        if choice.form and not text.strip():
            raise UsageError("fill in the form")
        with self._lock:
            if task.judge:
                check_alike(annotator, (x.annotator for x in self._file.labels_of(task)))
            if self._rules.is_adjudication:
                if any(is_same_person(x.annotator, annotator) and not x.is_adjudication for x in self._file.labels_of(task)):
                    raise UsageError("you are one of the two who differ: somebody else decides")
                if not is_name(note):
                    raise UsageError("say why in the note: a decision between two people needs a reason")
            if problem := self._sink.check(task, choice, text):
                raise UsageError(problem)
            rules, note, when = self._rules, note.strip(), self._now()
            said = (task.task_id, task.rubric, annotator, value, note, text, when, rules.is_adjudication, task.settles)
            label = Label(*said, user=local_user())
            self._file.append_all([(task, label)])
            self._sink.changed(task, self._file.labels_of(task))

    def finish(self) -> str:
        """What came of all answers so far, in a sentence."""
        with self._lock:
            return self._sink.finish()

    def skip(self, annotator: str, number: int) -> None:
        """Puts a task at the end of this person's list, for this sitting; of what was drawn to rate a judge the file keeps that it was seen
        and left, as an answer that was taken back."""
        annotator, task = checked_name(annotator), self.task(number)
        with self._lock:
            skipped = self._skipped.setdefault(annotator, [])
            if number in skipped:
                skipped.remove(number)
            elif "fingerprint" in task.bound and not any(is_same_person(x.annotator, annotator) for x in self._file.labels_of(task)):
                self._file.withdraw(task, Label(task.task_id, task.rubric, annotator, "", settles=task.settles), self._now())
            skipped.append(number)

    def undo(self, annotator: str) -> int | None:
        """Takes back this person's last answer to a task of this list; its number, None when there is none."""
        annotator = checked_name(annotator)
        with self._lock:
            if (label := next((x for x in reversed(self._file.labels()) if self._is_own(x, annotator)), None)) is None:
                return None
            number = self._numbers[label.rubric, label.task_id, label.settles]
            task = self.tasks[number]
            self._file.withdraw(task, label, self._now())
            self._sink.changed(task, self._file.labels_of(task))
            return number


def is_disputed(labels: Sequence[Label]) -> bool:
    """Whether two people say different things of a task."""
    return len({label.value for label in labels if not label.is_adjudication}) > 1
