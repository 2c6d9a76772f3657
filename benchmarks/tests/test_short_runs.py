"""Short runs of what attacks and makes: the fuzz harness finds nothing, and the shipped sample labels are what their maker makes."""

import json
import runpy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.attacks.fuzz_kinds import KINDS, Ground, one_input

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.__name__ not in ("whole_runs", "command_lines", "label_sheets")])
def test_a_few_inputs_of_each_kind(kind: Any, tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    assert [fault for n in range(6) if (fault := one_input(kind, ground, Random(f"short:{n}")))] == []


def test_the_sample_set_is_what_its_maker_makes() -> None:
    made = runpy.run_path("benchmarks/trust/make_sample_labels.py")["build_items"]()
    assert made == [json.loads(line) for line in Path("judge/samples/labels.jsonl").read_text("utf-8").splitlines()]
