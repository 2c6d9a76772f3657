"""A judge that answers every question of a rubric as it should passes that rubric's own probes (calibration.md 3.10)."""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.label_files.labels import JUDGE, LabelledItem
from calibration.measures.perturbations import CHANGES
from calibration.measures.probes import family_of, measure_probes
from calibration.measures.sample import build_sample
from judge.calibrate.calls import Plan, _jobs
from judge.capabilities.onboarding import claim_text, field_label
from judge.capabilities.wording import alternatives
from judge.llm.prompt import Form, render, settled_answer
from rubrics.rubric import SHIPPED, shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE

QUESTIONS = Path(__file__).parent / "data" / "questions"


def texts_as_sent(rubric: str, given: dict[str, str]) -> dict[str, str]:
    """The variables of an item as the program words them: how it names a field, and the field before a claim."""
    shown = dict(given)
    if "field" in given:
        shown["field"] = field_label(given["field"])
    if rubric == "quote_support":
        shown["claim"] = claim_text(given["field"], given["claim"])
    for name in {"answer_correctness": ["gold"], "benchmark_reference": ["gold_reference"]}.get(rubric, []):
        shown[name] = alternatives(given[name].split("\n"))
    return shown


def labelled(path: Path) -> Iterator[LabelledItem]:
    """The written questions of a rubric, labelled with their gold verdicts."""
    table = tomllib.loads(path.read_text("utf-8"))
    for one in table["question"]:
        given = table.get("defaults", {}) | {k: v for k, v in one.items() if k not in ("id", "kind", "verdict", "why")}
        yield LabelledItem(
            item_id=one["id"],
            rubric=table["rubric"],
            cluster_id=one["id"],
            inputs=tuple(sorted(texts_as_sent(table["rubric"], given).items())),
            labels=(("constructed", one["verdict"]),),
        )


# a rubric whose verdicts come with each question has no verdict that is the right one of all; one about pictures is not measured on texts
FIXED = [name for name in SHIPPED if not shipped_rubric(name).has_menus and name != "quote_picture"]


@pytest.mark.parametrize("rubric_id", FIXED)
def test_a_perfect_judge_passes(rubric_id: str) -> None:
    rubric = shipped_rubric(rubric_id)
    form, items = Form.of(rubric), list(labelled(QUESTIONS / f"{rubric_id}.toml"))
    judged = []
    for number, item in enumerate(items):
        readings = {}
        for _, name, question in _jobs(number, items, Plan(tuple(CHANGES)), rubric):
            rule = settled_answer(rubric, question, render(form, question))
            truth = dict(item.labels)["constructed"]
            should = truth if name == JUDGE or family_of(name.removeprefix("probe:")) == "harmless" else refused(rubric_id, truth)
            readings[name] = str(rule.verdict) if rule else should
        judged.append(replace(item, readings=tuple(readings.items())))
    choices = tuple(choice for choice in rubric.choices if choice != CANNOT_DETERMINE)
    results = measure_probes(build_sample(judged, choices), choices[:1])
    assert results and [result.name for result in results if result.is_flagged or result.accepted] == []


def refused(rubric_id: str, truth: str) -> str:
    """What a perfect judge says of a text that was made wrong: the item's own verdict where that refuses, else the last that does."""
    choices = [choice for choice in shipped_rubric(rubric_id).choices if choice != CANNOT_DETERMINE]
    return truth if truth != choices[0] else choices[-1]


@pytest.mark.parametrize("rubric_id", SHIPPED)
def test_probes_that_do_not_apply_are_known_and_say_why(rubric_id: str) -> None:
    assert all(name in CHANGES and why for name, why in shipped_rubric(rubric_id).probes.items())
