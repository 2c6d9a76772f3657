"""Questions drawn from a run for people to label. The draw belongs to the run: draws.jsonl beside its questions, one line a step.
Who labels, and what becomes of the label file, changes nothing in what was drawn: a drawn question that the labels lack counts against the
judge. There is no seed to choose: within each verdict the questions stand in an order that follows from their texts and spreads over the
agreements, a draw takes the first of them, and more of a draw takes the next ones."""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from calibration.decision.objections import KINDS
from calibration.label_files.identity import fold_text
from calibration.label_files.labels import JUDGE, UNUSABLE, LabelledItem, moment
from calibration.measures.sample import ABSTENTIONS
from calibration.statistics.pool import DRAW_SEED, Pool, allocate, hash_rank, most_of_one, spread
from judge.calibrate.questions import Asked, JudgedRun, print_hash
from judge.disk import append
from judge.errors import InputError, Problem, UsageError
from judge.results.folder import DRAWS
from judge.results.reading import read_lines

DESIGN = "by verdict, spread over the agreements, for the narrowest interval that decides"
FIRST, FURTHER = 80, 70  # labels of a rubric: the first step of a draw, and a further one


@dataclass(frozen=True, slots=True)
class Draw:
    """What was drawn of one rubric. steps: the lines of draws.jsonl, the last of which says how many of each verdict are drawn in all."""

    rubric: str
    steps: tuple[Mapping[str, Any], ...]

    @property
    def drawn(self) -> Mapping[str, int]:
        """Questions of each verdict."""
        return dict(self.steps[-1]["drawn"]) if self.steps else {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Questions drawn up to each step."""
        return tuple(sum(step["drawn"].values()) for step in self.steps)

    @property
    def has_all(self) -> bool:
        """Whether every question that the run has for it is drawn."""
        pool = self.steps[-1].get("pool") if self.steps else None
        return pool is not None and self.sizes[-1] >= sum(pool.values())

    @property
    def most(self) -> int | None:
        """How many questions of one agreement it chooses from, None for all."""
        return self.steps[0].get("most")

    @property
    def people(self) -> int:
        """How many must label each question."""
        return int(self.steps[0].get("people", 1))

    @property
    def labels(self) -> str:
        """Name of the label file."""
        return str(self.steps[0]["labels"])

    def __str__(self) -> str:
        design = f"{DESIGN}, at most {self.most} of one agreement" if self.most else DESIGN
        sizes, day = ", ".join(map(str, self.sizes)), str(self.steps[0]["made"])[:10]
        return f"{design}, seed {DRAW_SEED}, steps of {sizes} questions, first on {day}"


def read_draws(folder: Path) -> dict[str, Draw]:
    """The draws of a run, by rubric; empty where none was made. Raises InputError."""
    path = folder / DRAWS
    found: dict[str, list[Mapping[str, Any]]] = {}
    for place, line in enumerate(read_lines(path) if path.is_file() else (), 1):
        counts = line.get("drawn")
        steps = found.setdefault(str(line.get("rubric")), [])
        are_counts = isinstance(counts, dict) and all(isinstance(n, int) for n in counts.values())
        are_counts &= all(isinstance(number := line.get(key, 1), int) and number > 0 for key in ("most", "people"))
        if not are_counts or not {"labels", "items"} <= line.keys() or not moment(line.get("made")) or line.get("step") != len(steps) + 1:
            raise InputError([Problem(str(path), place, "", "is not a draw that `judge label` writes")])
        steps.append(line)
    return {rubric: Draw(rubric, tuple(steps)) for rubric, steps in found.items()}


def draw_more(run: JudgedRun, draw: Draw, size: int, accepting: Sequence[str], bars: tuple[float, float]) -> Draw:
    """The draw with a step that brings it to `size` questions, written into the run. Raises UsageError where there are no more
    questions."""
    most = draw.most if draw.steps else most_of_one([*Counter(one.cluster_id for one in run.of(draw.rubric)).values()])
    totals = Counter(one.stratum for one in pool_of(run, draw.rubric, most))
    wanted = allocate(totals, accepting, size, bars)
    if (counts := {name: max(draw.drawn.get(name, 0), number) for name, number in wanted.items()}) == draw.drawn:
        raise UsageError(
            f"{draw.rubric}: all {sum(totals.values())} questions that this run has to draw are drawn; a run of more agreements has more"
        )
    step = {
        "rubric": draw.rubric,
        "step": len(draw.steps) + 1,
        "design": DESIGN,
        "seed": DRAW_SEED,
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "fingerprint": print_hash(run.fingerprint(draw.rubric)),
        "labels": draw.steps[0]["labels"] if draw.steps else "",
        **({} if most is None else {"most": most}),
        "pool": dict(sorted(totals.items())),
        "drawn": counts,
        "items": [one.item_id for one in drawn_questions(run, draw.rubric, counts, most)],
    }
    return Draw(draw.rubric, (*draw.steps, step))


def pool_of(run: JudgedRun, rubric: str, most: int | None) -> list[Asked]:
    """What is drawn from, agreement by agreement. most: questions of one agreement, None for all."""
    ordered = sorted(run.of(rubric), key=lambda one: (hash_rank(one.cluster_id), hash_rank(one.item_id)))
    return [one for _, ones in groupby(ordered, key=lambda one: one.cluster_id) for one in islice(ones, most)]


def drawn_questions(run: JudgedRun, rubric: str, counts: Mapping[str, int], most: int | None = None) -> list[Asked]:
    """The first questions of each verdict, together in one order that tells nothing of the verdicts."""
    strata: dict[str, list[Asked]] = {}
    for one in pool_of(run, rubric, most):
        strata.setdefault(one.stratum, []).append(one)
    first = (spread([one.item_id for one in ones])[: counts.get(name, 0)] for name, ones in strata.items())
    drawn = (ones[place] for ones, places in zip(strata.values(), first, strict=True) for place in places)
    return sorted(drawn, key=lambda one: hash_rank(one.item_id))


@dataclass(frozen=True, slots=True)
class Held:
    """Labels that were held against a run. items: each with the verdict by which it was drawn; pool, draw: None where the labels are no
    draw of a run, then uncovered says why no run is covered; against: what leaves the answer open; beside: other label files of the same
    questions."""

    items: tuple[LabelledItem, ...]
    pool: Pool | None = None
    draw: Draw | None = None
    uncovered: str = ""
    notes: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    beside: tuple[Path, ...] = ()


NO_RUN = "the labels belong to no run: they show how the judge did on them, and cover no run (judge label RUN --for-calibration RUBRIC)"


def hold_against(run: JudgedRun, draw: Draw | None, items: Sequence[LabelledItem], file: str) -> Held:
    """The items of one rubric with every verdict compared with the run's, and the draw made again. Raises InputError naming items that the
    run did not ask, or answered otherwise, or that were not drawn; UsageError where the labels hold no texts."""
    rubric = items[0].rubric
    if not any(item.inputs for item in items):
        raise UsageError(f"{file}: the labels hold no texts, so their verdicts cannot be held against the run")
    asked = {one.inputs: one for one in run.of(rubric)}
    problems = [Problem(file, item.line, "judge.verdict", wrong) for item in items if (wrong := _differs(item, asked.get(item.inputs)))]
    expected = print_hash(run.fingerprint(rubric))
    wrong = "is of another judge than the run's"
    problems += [Problem(file, item.line, "metadata.fingerprint", wrong) for item in items if item.fingerprint not in ("", expected)]
    if problems:
        raise InputError(problems[:20])
    if draw is None:
        return Held(tuple(items), uncovered=f"nothing of {rubric} was drawn from this run: whoever made the label file chose the items")
    drawn = {one.inputs: one for one in drawn_questions(run, rubric, draw.drawn, draw.most)}
    if [one.item_id for one in drawn.values()] != list(draw.steps[-1]["items"]):
        raise InputError([Problem(str(run.folder / DRAWS), None, rubric, "does not name the questions that this run's questions give")])
    if any(step.get("fingerprint") != expected for step in draw.steps):
        raise InputError([Problem(str(run.folder / DRAWS), None, rubric, wrong)])
    made = moment(draw.steps[0]["made"])
    if made and run.started and made < run.started - datetime.timedelta(days=1):  # clocks differ
        raise InputError([Problem(str(run.folder / DRAWS), None, rubric, f"drawn at {made}, before its run began at {run.started}")])
    tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=1)  # clocks differ
    if early := [item for item in items if made and item.first and not made <= item.first < tomorrow]:
        when = "before it was drawn" if early[0].first and made and early[0].first < made else "a day that has not come, drawn"
        wrong = f"labelled at {early[0].first}, {when} at {made}: of another draw, or one of the two was changed"
        raise InputError([Problem(file, early[0].line, "labels.at", f"{early[0].item_id}: {wrong}")])
    if timeless := next((item for item in items if (item.labels or item.settled) and not item.first), None):
        wrong = f"{timeless.item_id}: labelled at no time, so before or after the draw"
        raise InputError([Problem(file, timeless.line, "labels.at", wrong)])
    if strange := [item for item in items if item.inputs not in drawn]:
        raise InputError([Problem(file, item.line, "item_id", f"{item.item_id}: was not drawn from the run") for item in strange[:20]])
    if other := next((item for item in items if item.item_id != drawn[item.inputs].item_id), None):
        wrong = f"{other.item_id}: is not the id of these texts: its labels were given to others"
        raise InputError([Problem(file, other.line, "item_id", wrong)])
    there = {item.inputs for item in items}
    lost = Counter(one.stratum for inputs, one in drawn.items() if inputs not in there)
    whole = pool_of(run, rubric, draw.most)
    cases, counts = sorted({one.cluster_id for one in whole}), Counter((one.stratum, one.cluster_id) for one in whole)
    few = f"of one agreement at most {draw.most} questions stand for it: {len(whole)} of {len(asked)} of the run's"
    pool = Pool({name: tuple(counts[name, case] for case in cases) for name in {n for n, _ in counts}}, draw.sizes, draw.drawn, lost)
    sizes = Counter(one.cluster_id for one in asked.values())
    large = {case: f"{'more than' if n > draw.most else 'up to'} {draw.most} questions" for case, n in sizes.items() if draw.most}
    notes = [few] if len(whole) < len(asked) else []
    enough, given = list(items), [item for item in items if item.labels]
    seen, left = Counter(n for item in items for n, _ in item.labels), Counter(n for item in items for n in item.passed)
    people = {name for name, count in seen.items() if count > left[name]}  # who leaves more than that looks around
    by_hand = all(item.is_unsealed for item in given)  # a file of another tool: nothing of it was given at the page
    if given and by_hand:
        notes.append(f"{len(given)} items have labels without the seal of the page, so nothing shows that they stand as they were given")
    for kept, lacking in (
        ([by_hand or not item.is_unsealed for item in items], "labels without the seal of the page beside others that have it"),
        ([item.source == "human" for item in items], "labels that nobody gave (constructed)"),
        ([len(item.labels) >= draw.people for item in items], f"labels of fewer than the {draw.people} people asked for"),
        ([not _is_filled_in(item, people) for item in items], FILLED),
    ):
        before, enough = enough, [item if n else replace(item, labels=(), settled="") for item, n in zip(enough, kept, strict=True)]
        if lost_labels := sum(bool(item.labels) for item in before) - sum(bool(item.labels) for item in enough):
            notes.append(f"{lost_labels} item{'s have' if lost_labels > 1 else ' has'} {lacking}: counted as without one")
            if not any(item.labels for item in enough):
                raise InputError([Problem(file, None, "labels", notes[-1])])
    return Held(tuple(_drawn(item, drawn[item.inputs], large) for item in enough), pool, draw, notes=tuple(notes))


FILLED = "the judge's verdict from one person alone, where another left them open (a third person can label them)"


def _is_filled_in(item: LabelledItem, people: Set[str]) -> bool:
    """Whether one person alone gave the judge's verdict where another who labels, of these, skipped the item or cannot tell: whoever comes
    second would choose what is right of what the first held to be hard."""
    said = [label for _, label in item.labels if label not in ABSTENTIONS]
    is_left = len(said) < len(item.labels) or bool(people & item.passed)
    return is_left and said == [item.reading(JUDGE)] and not item.settled


def without_examples(held: Held, examples: Sequence[Mapping[str, str]]) -> Held:
    """Labels of the rubric's own worked examples say nothing of the judge, who was told the answer: they are taken away."""
    shown = {_folded(given) for given in examples}
    items = tuple(replace(item, labels=(), settled="") if _folded(dict(item.inputs)) in shown else item for item in held.items)
    told = sum(old is not new for old, new in zip(held.items, items, strict=True))
    note = f"{told} items are worked examples of the rubric: their labels do not count"
    return replace(held, items=items, notes=(*held.notes, note)) if told else held


def _folded(inputs: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(fold_text(text) for _, text in sorted(inputs.items()))


def _drawn(item: LabelledItem, one: Asked, large: Mapping[str, str]) -> LabelledItem:
    """The item with what the run says of it; sampling and weight follow from the draw, whatever the file says. large: of an agreement, how
    many questions it has: those of the large ones are a slice, for a draw holds few of them."""
    size = large.get(one.cluster_id)
    slices = (*(pair for pair in item.slices if pair[0] not in KINDS), *one.kinds, *((("agreement of", size),) if size else ()))
    bound = replace(item, cluster_id=one.cluster_id, stratum=one.stratum, model=one.model, slices=slices)
    return replace(bound, sampled="stratified", source="human")


def _differs(item: LabelledItem, asked: Asked | None) -> str:
    if asked is None:
        return f"{item.item_id}: the run did not ask this question"
    said, was = item.reading(JUDGE), UNUSABLE if asked.verdict is None else asked.verdict
    if said == was:
        if item.confidence in (None, asked.confidence):
            return ""
        return f"{item.item_id}: the file says confidence {item.confidence}, the judge of the run {asked.confidence or 'none'}"
    shown = ["none" if verdict in (None, UNUSABLE) else verdict for verdict in (said, was)]
    return f"{item.item_id}: the file says {shown[0]}, the judge of the run said {shown[1]}"


def item_lines(run: JudgedRun, draw: Draw) -> list[dict[str, Any]]:
    """The drawn questions in the format of label files, without a label: what people are asked, and what binds it to the run."""
    bound = {"sampled": "stratified", "weight": 1, "metadata": {"fingerprint": print_hash(run.fingerprint(draw.rubric))}}
    lines = []
    for one in drawn_questions(run, draw.rubric, draw.drawn, draw.most):
        said = {"unusable": True} if one.verdict is None else {"verdict": one.verdict}
        judge = {"model": one.model, **said, **({} if one.confidence is None else {"confidence": one.confidence})}
        item = {"item_id": one.item_id, "rubric": one.rubric, "cluster_id": one.cluster_id, "inputs": dict(one.inputs)}
        lines.append({**item, "judge": judge, **bound})
    return lines


def open_draws(
    run: JudgedRun,
    rubrics: Sequence[str],
    size: int | None,
    more: Sequence[int],
    accepting: Mapping[str, Sequence[str]],
    bars: tuple[float, float],
    labels: str,
    people: int = 1,
) -> list[Draw]:
    """The draws of these rubrics as asked for: begun, gone on with, or grown; new steps are written into the run. size: questions a rubric
    of a new draw, None for FIRST; more: further ones of each rubric, or none; people: who label each. Raises UsageError."""
    there, found, fresh = read_draws(run.folder), [], []
    for place, rubric in enumerate(rubrics):
        draw = there.get(rubric)
        if not run.of(rubric):
            names = ", ".join(sorted({one.rubric for one in run.asked})) or "none"
            raise UsageError(f"--for-calibration {rubric}: the judge was asked nothing of it in this run; there are: {names}")
        if draw is None and more:
            raise UsageError(f"--more: nothing of {rubric} was drawn yet; begin with --sample N")
        if draw is not None and size is not None and min(size, len(pool_of(run, rubric, draw.most))) != draw.sizes[-1]:
            raise UsageError(f"--sample {size}: {draw.sizes[-1]} questions of {rubric} are drawn already; draw further ones with --more N")
        if draw is None or more:
            before = draw or Draw(rubric, ())
            further = more[place] if more else size or FIRST
            draw = draw_more(run, before, (before.sizes[-1] if before.sizes else 0) + further, accepting[rubric], bars)
            if not before.steps:
                draw = Draw(rubric, ({**draw.steps[0], "labels": labels, "people": people},))
            fresh.append(draw.steps[-1])
        found.append(draw)
    if len({draw.labels for draw in found}) > 1:
        raise UsageError(
            f"these rubrics are labelled in several files: {', '.join(f'{d.rubric} in {d.labels}' for d in found)}; name them one by one"
        )
    append(run.folder / DRAWS, *fresh)
    return found
