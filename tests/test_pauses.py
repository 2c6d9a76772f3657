"""What the interpreter does on its own account while calls are in flight."""

import gc
import sys

import pytest

from judge.llm.clock import freeze_heap, short_pauses


def settings() -> tuple[float, tuple[int, int, int], int]:
    return sys.getswitchinterval(), gc.get_threshold(), gc.get_freeze_count()


def test_turns_and_collections_are_short_only_while_a_run_lasts() -> None:
    before = settings()
    with short_pauses():
        freeze_heap()
        interval, thresholds, passed_over = settings()
    assert interval <= before[0] and thresholds[0] <= 2_000 and passed_over > 10_000
    assert settings() == before


def test_a_client_of_another_program_leaves_its_collections_alone() -> None:
    before = settings()
    freeze_heap()
    assert settings() == before


def test_the_process_has_its_settings_back_when_a_run_fails() -> None:
    before = settings()
    with pytest.raises(RuntimeError, match="ended"), short_pauses():
        freeze_heap()
        raise RuntimeError("ended")
    assert settings() == before
