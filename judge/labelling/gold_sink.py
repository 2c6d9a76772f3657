"""Gold from a batch: a person confirms, corrects or marks absent each reported value beside its page, and a gold file grows case by case.
Each reported value is one task of the label page, followed by one for what may be missing. When all tasks of a case are answered, its gold
line is checked against the gold format and appended. Answers are kept beside the gold file, so that a crash loses none."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from calibration.strict_json import loads
from judge.capabilities import Choice, GoldAnswer, GoldPath, GoldTask
from judge.capabilities.cases import Case, Citation
from judge.capabilities.gold import CORRECT, described
from judge.capabilities.registry import capability_of
from judge.disk import append, to_json, write_atomically
from judge.errors import InputError, Problem
from judge.inputs.case_files import GOLD_LINE
from judge.labelling.label_file import Label
from judge.labelling.session import Sink
from judge.labelling.tasks import Task
from judge.printing import quoted
from judge.records import NOT_REQUIRED, Claimed
from judge.results.reading import read_lines
from rubrics.wording import message_of

RUBRIC = "gold"


def gold_tasks(case: Case) -> list[Task]:
    """Everything that a person must say of one case before its gold line can be written."""
    return [_task(case, task) for task in capability_of(case.capability).gold_tasks(case)]


def _task(case: Case, task: GoldTask) -> Task:
    shown = described(task.shown)
    texts = [("Reported", shown)] if task.shown is not None else []
    texts += [("Question", str(case.input["question"]))] if case.input.get("question") else []
    texts += [("Citation", f"{_claimed(claim, '').place}\n{claim.quote or ''}".strip()) for claim in task.claims]
    first = case.documents[0] if case.documents else ""
    return Task(
        task_id=task_id(case.case_id, *task.path),
        cluster_id=case.case_id,
        rubric=RUBRIC,
        question=task.question,
        texts=tuple(texts),
        choices=task.choices,
        cited=replace(NOT_REQUIRED, claim=_claimed(task.claims[0], first) if task.claims else Claimed(first)),
        documents=case.documents,
    )


def task_id(case_id: str, *path: str) -> str:
    """The id of a task: the case and where in gold its answer goes."""
    return json.dumps([case_id, *path], ensure_ascii=False)


def path_of(task: str) -> tuple[str, GoldPath]:
    """Case and place of a task id."""
    case_id, *path = json.loads(task)
    return str(case_id), tuple(map(str, path))


def _claimed(claim: Citation, first: str) -> Claimed:
    return Claimed(claim.document or first, "" if claim.page is None else claim.page, claim.section or "", claim.quote or "")


class GoldSink(Sink):
    """Writes a case's gold line when its last task is answered, anew when an answer changes, and takes it out with an answer that is taken
    back. A line that its answers did not make is left as it is."""

    def __init__(self, gold_file: Path, cases: Sequence[Case]) -> None:
        self._file = gold_file
        self._cases = {case.case_id: case for case in cases}
        self._tasks = {case.case_id: tuple(path_of(t.task_id)[1] for t in gold_tasks(case)) for case in cases}
        self._answers: dict[str, dict[GoldPath, Label]] = {case.case_id: {} for case in cases}
        self._written = {str(line["case_id"]) for line in _gold_lines(gold_file)}

    def resume(self, labels: Sequence[Label]) -> None:
        """Takes up the answers of an earlier sitting; a case whose line the crash came before is written now."""
        for label in labels:
            case_id, path = path_of(label.task_id)
            if path in self._tasks.get(case_id, ()):
                self._answers[case_id][path] = label
        for case_id in self._cases:
            if case_id not in self._written and (line := self._line(case_id)):
                self._put(case_id, line)

    def check(self, task: Task, choice: Choice, text: str) -> str:
        """Whether a corrected value can stand in gold; what is wrong with it, or ""."""
        case_id, path = path_of(task.task_id)
        case = self._cases[case_id]
        if not self._is_own(case_id):
            return f"{self._file.name}: these answers did not make the line of {case_id}: change it there, or take it out and start again"
        try:
            if choice.value == CORRECT:
                capability_of(case.capability).check_answer(case, path, text)
                loads(text)  # what no gold file can hold
        except json.JSONDecodeError:
            return "Fill in the form."
        except ValidationError as error:
            first = error.errors()[0]
            return f"{'.'.join(map(str, first['loc'])) or 'value'}: {message_of(first)}"
        except (ValueError, TypeError) as error:
            return str(error)
        return ""

    def changed(self, task: Task, labels: Sequence[Label]) -> None:
        """One more answer, another one, or one less."""
        case_id, path = path_of(task.task_id)
        if not self._is_own(case_id):
            return
        self._answers[case_id].pop(path, None)
        if labels:
            self._answers[case_id][path] = labels[-1]
        self._put(case_id, self._line(case_id))

    def finish(self) -> str:
        """How far the gold file is."""
        return f"{len(self._written)} of {len(self._cases)} cases are in {self._file.name}."

    def _line(self, case_id: str) -> dict[str, Any] | None:
        """The gold line that the answers amount to; None as long as one lacks."""
        answers = self._answers[case_id]
        if any(path not in answers for path in self._tasks[case_id]):
            return None
        case = self._cases[case_id]
        capability = capability_of(case.capability)
        gold = capability.gold_of(case, {path: GoldAnswer(answers[path].value, answers[path].text) for path in self._tasks[case_id]})
        capability.gold.model_validate(gold)
        return json.loads(to_json({"case_id": case_id, "gold": gold, **case.metadata.get(GOLD_LINE, {})}))  # type: ignore[no-any-return]

    def _is_own(self, case_id: str) -> bool:
        """Whether the file has no line of the case, or the one that its answers make."""
        return case_id not in self._written or self._line(case_id) in _gold_lines(self._file)

    def _put(self, case_id: str, line: dict[str, Any] | None) -> None:
        if case_id in self._written:
            lines = (line if old["case_id"] == case_id else old for old in _gold_lines(self._file))
            write_atomically(self._file, (to_json(one) + "\n" for one in lines if one is not None))
        elif line is not None:
            append(self._file, line)
        (self._written.discard if line is None else self._written.add)(case_id)


def _gold_lines(path: Path) -> list[dict[str, Any]]:
    lines = list(read_lines(path)) if path.exists() else []
    if strange := [line for line in lines if not isinstance(line.get("case_id"), str)]:
        raise InputError([Problem(str(path), None, "case_id", f"is not in {quoted(strange[0])}: is this a gold file?")])
    return lines
