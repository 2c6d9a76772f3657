"""What labels of a judge's questions lead to: the next command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from judge.labelling.label_file import LabelFile
from judge.labelling.session import Sink, is_disputed
from judge.labelling.tasks import Task
from judge.report.wording import counted


class CalibrationSink(Sink):
    """Settles nothing; says what is left to label, and the next command."""

    def __init__(self, folder: Path, tasks: Sequence[Task], file: LabelFile) -> None:
        self._folder, self._tasks, self._file = folder, tasks, file

    def finish(self) -> str:
        """What is open among the drawn questions, and the command that comes next."""
        rubrics = ",".join(dict.fromkeys(task.rubric for task in self._tasks))
        labels = [self._file.labels_of(task) for task in self._tasks]
        waiting = sum(not some for some in labels)
        disputed = sum(is_disputed(some) and not any(label.is_adjudication for label in some) for some in labels)
        command = f"judge label {self._folder} --for-calibration {rubrics}"
        if waiting:
            return f"{counted(waiting, 'question')} of {len(labels)} without a label.\nnext: {command}"
        if disputed:
            return f"People differ on {counted(disputed, 'question')}: a further person decides.\nnext: {command} --adjudicate"
        return f"All {len(labels)} questions are labelled.\nnext: judge calibrate {self._folder} --out calibration"
