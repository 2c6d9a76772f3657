"""The questions that a run put to its judge (questions.jsonl), a sample of them for people, and labels held against them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from calibration.labels import JUDGE, UNUSABLE, LabelledItem
from judge.calibrate.fingerprint import rubric_fingerprint
from judge.calibrate.sampling import Sampling, random_sample, stratified_sample
from judge.errors import InputError, Problem, UsageError
from judge.results.folder import QUESTIONS, RUN
from judge.results.folder import read_run as read_run_file

DESIGNS = ("stratified", "random")
SEED = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """One distinct question of a run with the judge's answer. verdict None: it gave none; cluster_id: the first case, by name."""

    rubric: str
    inputs: tuple[tuple[str, str], ...]
    cluster_id: str
    verdict: str | None
    model: str
    confidence: float | None

    @property
    def item_id(self) -> str:
        """The same for the same question, wherever it is asked."""
        return hashlib.sha256(json.dumps([self.rubric, self.inputs], ensure_ascii=False).encode("utf-8", "backslashreplace")).hexdigest()[
            :16
        ]

    @property
    def key(self) -> tuple[str, str, None]:
        """What a draw goes by."""
        return self.rubric, self.item_id, None

    @property
    def outcome(self) -> str:
        """The stratum of a stratified draw: what the judge said."""
        return self.verdict or "no verdict"


@dataclass(frozen=True, slots=True)
class Draw:
    """How a sample was drawn from a run's questions; its text stands on every label line.

    There is no seed to choose: the run and the size say which questions are drawn, so that nobody can draw until it suits him.
    """

    design: str
    size: int

    def __str__(self) -> str:
        return f"{self.design} {self.size}"

    @classmethod
    def of(cls, text: str) -> Draw | None:
        """The draw of its text; None where it is none."""
        parts = text.split()
        return cls(parts[0], int(parts[1])) if len(parts) == 2 and parts[0] in DESIGNS and parts[1].isdigit() else None

    def sample(self, asked: Sequence[Asked]) -> list[tuple[Asked, Sampling]]:
        """The questions drawn, each with its inclusion probability; the same for the same run."""
        return (random_sample if self.design == "random" else stratified_sample)(asked, self.size, SEED)


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A finished run as far as calibration needs it: the judge's fingerprint of run.json and the questions put to it."""

    judge: Mapping[str, Any]
    asked: tuple[Asked, ...]

    def of(self, rubric: str) -> tuple[Asked, ...]:
        """The questions of one rubric, in the order asked."""
        return tuple(one for one in self.asked if one.rubric == rubric)

    def fingerprint(self, rubric: str) -> dict[str, str]:
        """The judge's fingerprint for a rubric, with the models that gave the answers."""
        return rubric_fingerprint(self.judge, rubric, [one.model for one in self.of(rubric) if one.verdict is not None])


def print_hash(fingerprint: Mapping[str, str]) -> str:
    """A short form of a fingerprint, for label lines."""
    return hashlib.sha256(json.dumps(dict(fingerprint), sort_keys=True).encode()).hexdigest()[:32]


def read_run(folder: Path) -> JudgedRun:
    """The questions of a result folder. Raises UsageError where it holds none, InputError."""
    judge = read_run_file(folder).get("judge")
    if not isinstance(judge, dict) or "rubrics" not in judge:
        raise UsageError(f"{folder / RUN}: this run.json says nothing of a judge")
    path = folder / QUESTIONS
    if not path.is_file():
        raise UsageError(f"{folder}: holds no {QUESTIONS}: no judge was asked there, or an older version ran; run it again")
    found: dict[str, Asked] = {}
    for number, text in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
        one = _asked(path, number, text)
        if one is None:
            continue
        cases = [one.cluster_id, *([found[one.item_id].cluster_id] if one.item_id in found else [])]
        found[one.item_id] = replace(one, cluster_id=min(cases))
    return JudgedRun(judge, tuple(found.values()))


def _asked(path: Path, number: int, text: str) -> Asked | None:
    """A line of the file; None for one that a killed run left half written (its case was judged again)."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    inputs, judge = (line.get("inputs"), line.get("judge")) if isinstance(line, dict) else (None, None)
    if not isinstance(inputs, dict) or not isinstance(judge, dict) or not all(isinstance(text, str) for text in inputs.values()):
        raise InputError([Problem(path.name, number, "", "is not a question that a run writes")])
    verdict, confidence = judge.get("verdict"), judge.get("confidence")
    return Asked(
        str(line.get("rubric")),
        tuple(sorted(inputs.items())),
        str(line.get("case_id")),
        None if verdict is None else str(verdict),
        str(judge.get("model", "")),
        confidence if isinstance(confidence, int | float) else None,
    )


@dataclass(frozen=True, slots=True)
class Held:
    """Labels that were held against a run. items: with the weights of the draw; lost: drawn questions that the file lacks;
    is_draw: the file is that draw and nothing else."""

    items: tuple[LabelledItem, ...]
    lost: int = 0
    is_draw: bool = False
    notes: tuple[str, ...] = ()


def hold_against(run: JudgedRun, rubric: str, items: Sequence[LabelledItem], file: str) -> Held:
    """The items of one rubric with every verdict compared with the run's, and the draw drawn again.

    Raises InputError naming items that the run did not ask, or answered otherwise; UsageError where the labels hold no texts.
    """
    if not any(item.inputs for item in items):
        raise UsageError(f"{file}: the labels hold no texts, so their verdicts cannot be held against the run")
    asked = {one.inputs: one for one in run.of(rubric)}
    problems = [Problem(file, item.line, "judge.verdict", wrong) for item in items if (wrong := _differs(item, asked.get(item.inputs)))]
    expected = print_hash(run.fingerprint(rubric))
    problems += [
        Problem(file, item.line, "metadata.fingerprint", "is of another judge than the run's")
        for item in items
        if item.fingerprint not in ("", expected)
    ]
    if problems:
        raise InputError(problems[:20])
    draws = {item.draw for item in items}
    draw = Draw.of(next(iter(draws))) if len(draws) == 1 else None
    if draw is None:
        return Held(tuple(items), notes=("whoever made the label file chose the items, they were not drawn from the run",))
    drawn = {one.inputs: sampling for one, sampling in draw.sample(run.of(rubric))}
    if strange := [item for item in items if item.inputs not in drawn]:
        raise InputError([Problem(file, item.line, "metadata.draw", f"{item.item_id}: was not drawn by {draw}") for item in strange[:20]])
    weighed = tuple(replace(item, weight=1 / drawn[item.inputs].probability, sampled=draw.design) for item in items)
    return Held(weighed, len(drawn.keys() - {item.inputs for item in items}), is_draw=True)


def _differs(item: LabelledItem, asked: Asked | None) -> str:
    if asked is None:
        return f"{item.item_id}: the run did not ask this question"
    said, was = item.reading(JUDGE), UNUSABLE if asked.verdict is None else asked.verdict
    if said == was:
        return ""
    shown = ["none" if verdict in (None, UNUSABLE) else verdict for verdict in (said, was)]
    return f"{item.item_id}: the file says {shown[0]}, the judge of the run said {shown[1]}"


def item_lines(run: JudgedRun, rubric: str, draw: Draw) -> list[dict[str, Any]]:
    """The drawn questions in the format of label files, without a label: what people are asked, and what binds it to the run."""
    asked = run.of(rubric)
    if not asked:
        there = ", ".join(sorted({one.rubric for one in run.asked})) or "none"
        raise UsageError(f"--for-calibration {rubric}: the judge was asked nothing of it in this run; there are: {there}")
    bound = print_hash(run.fingerprint(rubric))
    return [_item_line(one, sampling, draw, bound) for one, sampling in draw.sample(asked)]


def _item_line(one: Asked, sampling: Sampling, draw: Draw, bound: str) -> dict[str, Any]:
    judge: dict[str, Any] = {"model": one.model}
    judge |= {"unusable": True} if one.verdict is None else {"verdict": one.verdict}
    if one.confidence is not None:
        judge["confidence"] = one.confidence
    return {
        "item_id": one.item_id,
        "rubric": one.rubric,
        "cluster_id": one.cluster_id,
        "inputs": dict(one.inputs),
        "judge": judge,
        "sampled": sampling.design,
        "weight": 1 / sampling.probability,
        "metadata": {"stratum": sampling.stratum, "draw": str(draw), "fingerprint": bound},
    }
