"""A slice of the planted faults on the shipped sample: each gets its label, other notation loses nothing."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.planted.bases import Base, read_base
from benchmarks.planted.judging import ScriptedJudge
from benchmarks.planted.table import Tally, measure, table, total_of
from judge.records import Outcome

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    yield read_base("sample", tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def judge(base: Base) -> ScriptedJudge:
    return ScriptedJudge(base)


def test_right_outputs_are_judged_right(judge: ScriptedJudge) -> None:
    full = {Outcome.CORRECT, Outcome.TRUE_NEGATIVE, Outcome.GROUNDED_REFUSAL}
    assert {r.outcome for results in judge.right.values() for r in results.values()} == full


@pytest.mark.parametrize("name", ["sample", "word"])
def test_each_planted_fault_gets_its_label(name: str, tmp_path: Path) -> None:
    """Exactly the label that the standard gives it, with a scripted judge; offline the same, or bounds that hold its score."""
    for group, kinds in measure([read_base(name, tmp_path)], most=2).items():
        tally = total_of(kinds.values())
        assert tally.misses == [], group
        assert (tally.right, tally.untouched, tally.decided_right + tally.bounded) == (tally.made,) * 3


def test_a_miss_is_shown(base: Base, judge: ScriptedJudge) -> None:
    """A label that the program does not give lowers the share and is listed."""
    planted = next(one for one in base.planted if one.kind == "page missing")
    tally = Tally()
    tally.add(replace(planted, expected="correct"), judge.judge(planted))
    assert (tally.made, tally.right) == (1, 0)
    assert planted.item in tally.misses[0]
    assert table({"page missing": tally})[2] == "| page missing | 1 | 0 | 0 | 1 | 0 |"
