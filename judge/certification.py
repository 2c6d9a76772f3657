"""Which rubrics the required calibration record does not cover: their answers leave items open for the gates (interface.md, exit code 4)."""

from __future__ import annotations

from judge.settings import Settings


def uncertified_rubrics(settings: Settings) -> frozenset[str]:
    """Rubric ids without a valid record."""
    raise NotImplementedError
