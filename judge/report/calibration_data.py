"""A calibration as JSON values: every figure with interval, n, clusters, method, or null with a reason."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.calibrate.assess import Calibration

SCHEMA_VERSION = 1
_NAMED = ("statistics", "positions", "sources", "designs")  # tuples of (name, value) that are objects in JSON
_INTERNAL = ("by_case",)  # what only the planning needs


def json_values(value: Any) -> Any:
    """Frozen results as dicts and lists; a pair list of _NAMED becomes an object."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: dict(json_values(getattr(value, field.name))) if field.name in _NAMED else json_values(getattr(value, field.name))
            for field in fields(value)
            if field.name not in _INTERNAL
        }
    if isinstance(value, tuple | list):
        return [json_values(entry) for entry in value]
    return value


def calibration_data(result: Calibration) -> dict[str, Any]:
    """The content of calibration.json. Numbers have full precision; there is no NaN in it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "outcome": result.outcome,
        "made": result.record.made,
        "label_file": result.record.label_file,
        "data_hash": result.record.data_hash,
        "judge_questions": result.calls,
        "rubrics": [json_values(assessment) for assessment in result.assessments],
    }
