"""How often a label file was used, and what for: judges that were held against it, and labels that a rubric was tuned on.
The best of sixty judges on one label set looks better than it is. Each judge held against the same labels therefore costs: with k of them
the interval that decides has the level 1 - (1 - level) / k (Bonferroni). What was held is written beside the label file."""

import contextlib
import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.decision.objections import PEOPLES, STRAY, Rules, of_probe
from calibration.label_files.identity import fold_name, is_called_so, is_model_name
from calibration.label_files.label_map import LabelMap
from calibration.label_files.labels import LabelledItem, read_json_lines
from calibration.measures.probes import ProbeResult
from judge.calibrate.draws import read_draws
from judge.calibrate.questions import JudgedRun, print_hash
from judge.disk import append
from judge.results.reading import read_lines
from judge.results.seal import seal_labels


@dataclass(frozen=True, slots=True)
class Uses:
    """judges: held against these labels so far, with those that the file itself holds verdicts of; tuned: day on which the labels were used
    to propose another rubric text, "" where they were not; failed: what probes showed against this judge when it was asked before."""

    judges: int = 1
    tuned: str = ""
    failed: tuple[str, ...] = ()

    def notes(self) -> Iterator[str]:
        """What a reader must know of it."""
        if self.judges > 1:
            yield f"{self.judges} judges were held against these labels, which the intervals allow for"

    def tuned_on(self) -> Iterator[str]:
        """Labels that a rubric was tuned on say nothing of how it does on others."""
        if self.tuned:
            yield f"the rubric was tuned on these labels (--suggest, {self.tuned}): draw and label others"


def read_uses(labels: Path, items: Sequence[LabelledItem], fingerprint: Mapping[str, str], beside: Sequence[Path] = ()) -> Uses:
    """The uses of one rubric's labels with this one, which is written down. beside: label files of the same questions."""
    rubric, own = items[0].rubric, print_hash(fingerprint)[:16]
    paths = [path for path in map(_file, (labels, *beside)) if path.is_file()]
    lines = [line for path in paths for line in read_lines(path) if line.get("rubric") == rubric]
    tuned = max((str(line["day"]) for line in lines if line.get("use") == "tuned"), default="")
    judges = {str(line.get("judge")) for line in lines if line.get("use") == "judged"}
    if own not in judges and _are_of_people(items):
        note_use(labels, rubric, "judged", own)
    others = {name for item in items for name, _ in item.readings if name.startswith("other:") and "/" not in name}
    failed = dict.fromkeys(str(line["said"]) for line in lines if line.get("use") == "failed" and line.get("judge") == own)
    return Uses(max(len(judges | {own}), 1 + len(others)), tuned, tuple(failed))


def note_failed(
    labels: Path, items: Sequence[LabelledItem], uses: Uses, fingerprint: Mapping[str, str], probes: Sequence[ProbeResult], rules: Rules
) -> None:
    """Writes down, once each, which probes a judge failed: they hold against it when they are left out the next time."""
    failed = {one.sentence for probe in probes for one in of_probe(probe, rules) if one.state == "fail"} if _are_of_people(items) else set()
    for sentence in sorted(failed.difference(uses.failed)):
        note_use(labels, items[0].rubric, "failed", print_hash(fingerprint)[:16], sentence)


def _are_of_people(items: Iterable[LabelledItem]) -> bool:
    """Constructed labels certify nobody, so nothing is noted of them."""
    return any(item.source == "human" for item in items)


def selected(run: JudgedRun, rubric: str, before: Iterable[JudgedRun]) -> Iterator[str]:
    """How the cases of a run were chosen, as far as it shows: by name, or out of those that a run before it had. A run is such a choice
    where half of what either asks stands in the other; a few cases less (STRAY) say nothing."""
    if run.picked:
        yield f"the run judged only a part of its cases ({run.picked}): who picks cases decides the figures; judge all of them"
    own = {one.item_id for one in run.of(rubric)}
    for earlier in before:
        asked = earlier.of(rubric)
        left = [one for one in asked if one.item_id not in own and one.cluster_id not in run.cases]
        if 2 * sum(one.item_id in own for one in asked) >= min(len(own), len(asked)) and len(left) > STRAY * len(own):
            cases = len({one.cluster_id for one in left})
            what = f"the run {earlier.folder.name} before it asked {len(left)} further questions, of {cases} cases that this one leaves out"
            yield f"{what}: who leaves out cases decides the figures; calibrate that run, or judge those cases too"


def under_names(run: JudgedRun, items: Sequence[LabelledItem]) -> Iterator[str]:
    """Labels that carry the name by which the judge was asked, or that of the judged system: nobody marks their own work."""
    answered = {item.model for item in items}
    asked = [name for model in run.judge.get("models", ()) if (name := str(model.get("model", ""))) not in answered]
    for name in sorted({name for item in items for name, _ in item.labels}):
        if is_model_name(name, asked) or is_called_so(name, run.system):
            yield f"the labels of {name!r} carry the name of the judge or of what it judged: {PEOPLES}"


def of_same_questions(drawn: Set[str], rubric: str, before: Iterable[JudgedRun]) -> Iterator[Path]:
    """Label files of runs before, where half of these questions were drawn too: their uses are uses of these."""
    for earlier in before:
        if (draw := read_draws(earlier.folder).get(rubric)) and 2 * len(drawn & {*draw.steps[-1]["items"]}) >= len(drawn):
            yield earlier.folder / draw.labels


def as_before(items: Iterable[LabelledItem], beside: Iterable[Path], own: LabelMap) -> tuple[LabelledItem, ...]:
    """The items with what people said of the same question in another run. Of the same person it is a label given anew if said otherwise
    here; what another person said stands beside it where nobody here says so."""
    said: dict[str, dict[str, tuple[str, str]]] = {}
    for one in (one for path in beside if path.is_file() for one in read_json_lines(path, own)):
        said.setdefault(one.item_id, {}).update((fold_name(name), (name, label)) for name, label in one.labels)
    return tuple(_with_others(item, said.get(item.item_id, {})) for item in items)


def _with_others(item: LabelledItem, said: Mapping[str, tuple[str, str]]) -> LabelledItem:
    here, known = {fold_name(name) for name, _ in item.labels}, {label for _, label in item.labels}
    earlier = tuple(label for name, (_, label) in said.items() if name in here)
    others = tuple(pair for name, pair in said.items() if name not in here and pair[1] not in known)
    return replace(item, earlier=(*item.earlier, *earlier), labels=(*item.labels, *others) if item.labels else ())


def note_use(labels: Path, rubric: str, use: str, judge: str = "", said: str = "") -> None:
    """Writes down that the labels of a rubric were used, under the seal of their run; nothing where the folder cannot be written."""
    line = {"use": use, "rubric": rubric, "judge": judge, "day": datetime.date.today().isoformat(), **({"said": said} if said else {})}
    with contextlib.suppress(OSError):
        append(_file(labels), line)
        seal_labels(labels.parent, _file(labels).name)


def _file(labels: Path) -> Path:
    return labels.with_name(f"{labels.name}.uses")
