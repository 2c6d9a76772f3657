"""Labels that settle the open items of a result folder, and the tasks that such a folder gives."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from judge.calibrate.rates import rates_of
from judge.calibrate.sampling import Sampling, draw_sample
from judge.labelling.label_file import Label, LabelFile
from judge.labelling.session import Sink, is_disputed
from judge.labelling.settling import Settlement
from judge.labelling.tasks import Task, item_task
from judge.report.files import ReportOptions, write_reports
from judge.report.page_cuts import attention_order
from judge.report.wording import counted, sentence
from judge.results.folder import REVIEW
from judge.results.gating import gate_folder
from judge.results.reading import Results, read_lines, read_results
from judge.results.seal import reseal, seal_labels
from judge.settings import Settings
from rubrics.contract import Contract


def tasks_of_run(results: Results, *, sample: int, design: str, seed: int, with_review: bool = False) -> list[Task]:
    """Everything that is open or was settled by a person, worst first; then a sample of what is decided, with its probabilities.
    with_review: also the decided items of review.jsonl (hallucinations, HITL findings), all of them, before the sample."""
    items = [results.items[n] for n in attention_order(results.items)]
    open_tasks = [item_task(i, results) for i in items if i.asked is not None]
    decided = [i for i in items if i.asked is None]
    lines = read_lines(results.path / REVIEW) if with_review else ()
    review = {(str(x["case_id"]), str(x["item"]), x.get("tranche")) for x in lines}
    open_tasks += [item_task(i, results, Sampling("hand_picked", "review")) for i in decided if i.key in review]
    pool = [i for i in decided if i.key not in review and i.outcome != "extra"]
    drawn = draw_sample(pool, sample, seed, is_stratified=design != "random")
    return open_tasks + [item_task(item, results, sampling) for item, sampling in drawn]


def apply_again(folder: Path, settings: Settings, contract: Contract) -> str:
    """Applies the gates of a folder again, with what they were last applied with, and rebuilds its reports; the verdict in a sentence."""
    rates = rates_of(settings)
    gate_folder(settings.model_copy(update={"exceptions": None}), folder, rates.document if rates else None, is_again=True)
    write_reports(folder, contract, ReportOptions(cache_dir=settings.cache_dir / "documents"))
    return sentence(read_results(folder, with_items=False))


class RunSink(Sink):
    """Settles items as they are labelled; the gates and reports follow when a person is done or the page closes."""

    def __init__(self, results: Results, settings: Settings, contract: Contract, people: int = 1) -> None:
        self._folder, self._settings, self._contract = results.path, settings, contract
        self._settlement = Settlement(results, people)
        self._is_changed = False

    def resume(self, tasks: Sequence[Task], file: LabelFile) -> None:
        """Settles what a label file says that the folder does not say yet: labels that were merged, or that a crash came after."""
        given = {task.key: labels for task in tasks if task.key is not None and (labels := file.labels_of(task))}
        self._is_changed |= self._settlement.settle(given) > 0

    def changed(self, task: Task, labels: Sequence[Label]) -> None:
        """Writes what people say of an open item."""
        if task.key is not None:
            self._is_changed |= self._settlement.settle({task.key: labels}) > 0

    def finish(self) -> str:
        """Applies the gates again and rebuilds the reports when anything was settled."""
        if self._is_changed:
            apply_again(self._folder, self._settings, self._contract)
            self._is_changed = False
        reseal(self._folder)
        return " ".join((sentence(read_results(self._folder, with_items=False)), *self._waiting()))

    def _waiting(self) -> Iterator[str]:
        """Whom the open items wait for, where that is not who has just answered."""
        if alone := self._settlement.waiting("further_person"):
            yield f"Waiting for a further person's answer: {counted(alone, 'item')}."
        if disputed := self._settlement.waiting("people_disagree"):
            yield f"People differ on {counted(disputed, 'item')}: somebody else decides, with `judge label --adjudicate`."


class CalibrationSink(Sink):
    """Settles nothing; says what is left to label, and the next command. people: how many must label each question."""

    def __init__(self, folder: Path, tasks: Sequence[Task], file: LabelFile, people: int = 1) -> None:
        self._folder, self._tasks, self._file, self._people = folder, tasks, file, people

    def finish(self) -> str:
        """What is open among the drawn questions, and the command that comes next. What was said is sealed as far as it goes."""
        seal_labels(self._folder)
        rubrics = ",".join(dict.fromkeys(task.rubric for task in self._tasks))
        labels = [self._file.labels_of(task) for task in self._tasks]
        waiting = sum(not some for some in labels)
        disputed = sum(is_disputed(some) and not any(label.is_adjudication for label in some) for some in labels)
        command = f"judge label {self._folder} --for-calibration {rubrics}"
        if waiting:
            return f"{counted(waiting, 'question')} of {len(labels)} without a label.\nnext: {command}"
        if lone := sum(len({label.annotator for label in some}) < self._people for some in labels):
            return f"{counted(lone, 'question')} of {len(labels)} wait for a further person's answer.\nnext: {command}"
        if disputed:
            return f"People differ on {counted(disputed, 'question')}: a further person decides.\nnext: {command} --adjudicate"
        return f"All {len(labels)} questions are labelled.\nnext: judge calibrate {self._folder} --out calibration"
