"""Asking a live judge for the verdicts of labelled items: as they are, again, and under probes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibration.label_files.labels import JUDGE, UNUSABLE, LabelFileError, LabelledItem
from calibration.measures.perturbations import CHANGES
from judge.calibrate.questions import rubric_fingerprint
from judge.errors import EndpointError, UsageError
from judge.records import Answer, Question, grouped, rows_of
from rubrics.rubric import SHIPPED, Rubric, shipped_rubric

if TYPE_CHECKING:
    from judge.llm.judge import Judge
    from judge.settings import Settings

SIDES: Mapping[str, tuple[str, ...]] = {"answer": ("output",), "document": ("document",)}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked beyond the verdicts. probes: names of perturbations.CHANGES; retests: further calls an item, past the cache."""

    probes: tuple[str, ...] = ()
    retests: int = 0


def rubric_of(rubric: str, known: Mapping[str, Rubric]) -> Rubric | None:
    """The rubric of this id: a user's own, a shipped one, or None."""
    return known.get(rubric) or (shipped_rubric(rubric) if rubric in SHIPPED else None)


def ask_live_judge(
    items: Sequence[LabelledItem], settings: "Settings", known: Mapping[str, Rubric], plan: Plan
) -> tuple[tuple[LabelledItem, ...], dict[str, dict[str, str]], int]:
    """The items with the judge's verdicts (and those under probes and repeats), the fingerprint for each rubric, and the questions asked.
    The same client, prompts and cache as `judge run`; repeats bypass the cache, as a cached reply is no repeat."""
    jobs = [job for number, item in enumerate(items) for job in _jobs(number, items, plan, _live_rubric(item, known))]
    answers, prints = asyncio.run(_ask_all(jobs, settings))
    if all(answer.verdict is None for answer in answers):
        raise EndpointError(f"the judge gave no verdict to any of {len(answers)} questions: {answers[0].error_detail or answers[0].error}")
    found = grouped((number, (name, answer)) for (number, name, _), answer in zip(jobs, answers, strict=True))
    judged = tuple(_with_answers(item, found.get(number, [])) for number, item in enumerate(items))
    models = {answer.model for answer in answers if answer.verdict is not None and answer.by != "deterministic"}
    return judged, {rubric: rubric_fingerprint(prints, rubric, models) for rubric in {item.rubric for item in items}}, len(jobs)


def _live_rubric(item: LabelledItem, known: Mapping[str, Rubric]) -> Rubric:
    if (rubric := rubric_of(item.rubric, known)) is None:
        told = f"a live judge needs a rubric; {item.rubric or 'none'!r} is not known (name it with --rubric)"
        raise UsageError(f"item {item.item_id}: {told}")
    if {name for name, _ in item.inputs} != set(rubric.variables):
        raise LabelFileError(f"line {item.line}: inputs: the rubric {rubric.id} needs exactly {', '.join(rubric.variables)}")
    return rubric


Job = tuple[int, str, Question]  # item's place, name of the reading, what is asked


def _jobs(number: int, items: Sequence[LabelledItem], plan: Plan, rubric: Rubric) -> list[Job]:
    item = items[number]
    jobs: list[Job] = [(number, JUDGE, question_of(item.rubric, item.inputs))]
    jobs += [(number, f"repeat:{run}", question_of(item.rubric, item.inputs)) for run in range(1, plan.retests + 1)]
    donor = _donor(number, items)
    for name in (name for name in plan.probes if name not in rubric.probes):
        side, change = CHANGES[name]
        changed = dict(item.inputs)
        targets = [variable for variable, about in rubric.variables.items() if about.source in SIDES[side]]
        for variable in targets[:1]:
            if (text := change(changed[variable], dict(donor.inputs).get(variable, "") if donor else "")) is not None:
                changed[variable] = text.replace("VERDICT", next(iter(rubric.choices)))
                jobs.append((number, f"probe:{name}", question_of(item.rubric, tuple(sorted(changed.items())))))
    return jobs


def question_of(rubric: str, inputs: tuple[tuple[str, str], ...]) -> Question:
    """The question of labelled texts, with the choices that they bring."""
    return Question(rubric, inputs, rows_of(inputs))


def _donor(number: int, items: Sequence[LabelledItem]) -> LabelledItem | None:
    """The next item of the same rubric and another case."""
    own = items[number]
    later = (*items[number + 1 :], *items[:number]) if len(items) < 2000 else items[number + 1 : number + 2000]
    return next((item for item in later if item.rubric == own.rubric and item.cluster_id != own.cluster_id), None)


async def _ask_all(jobs: Sequence[Job], settings: "Settings") -> tuple[list[Answer], Mapping[str, Any]]:
    """Answers in the order of the jobs. Repeats come one run after the other: equal questions in flight would be asked once."""
    from judge.llm.judge import Judge as JudgeClass

    answers: dict[int, Answer] = {}
    prints: Mapping[str, Any] = {}
    repeats = [name if name.startswith("repeat:") else "" for _, name, _ in jobs]
    gate = asyncio.Semaphore(max(1, settings.concurrency) * 4)  # a bounded number of questions waiting at a time

    async def one(judge: "Judge", place: int) -> Answer:
        async with gate:
            return await judge.ask(jobs[place][2])

    for run in ("", *sorted({name for name in repeats if name})):
        places = [place for place, name in enumerate(repeats) if name == run]
        async with JudgeClass.open(settings.model_copy(update={"no_cache": True}) if run else settings) as judge:
            answers |= zip(places, await asyncio.gather(*(one(judge, place) for place in places)), strict=True)
            prints = prints or judge.fingerprint()
    return [answers[place] for place in range(len(jobs))], prints


def _with_answers(item: LabelledItem, answers: Sequence[tuple[str, Answer]]) -> LabelledItem:
    readings = tuple((name, UNUSABLE if answer.verdict is None else answer.verdict) for name, answer in answers)
    own = next((answer for name, answer in answers if name == JUDGE), None)
    kept = tuple(pair for pair in item.readings if pair[0] not in dict(readings))
    return replace(item, readings=(*readings, *kept), confidence=own.confidence if own else None, model=own.model if own else "")
