"""The files of a calibration: calibration.json, calibration.html, calibration.md and the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.record import write
from judge.report.calibration_data import calibration_data
from judge.report.calibration_text import summary_lines

if TYPE_CHECKING:
    from judge.calibrating import Calibration

DATA, PAGE, TEXT, RECORD = "calibration.json", "calibration.html", "calibration.md", "record.json"


def write_calibration(result: Calibration, out: Path) -> dict[str, Any]:
    """Writes all four files into `out` and gives the content of calibration.json."""
    data = calibration_data(result)
    out.mkdir(parents=True, exist_ok=True)
    files = {
        DATA: json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n",
        RECORD: write(result.record),
    }
    for name, text in files.items():
        (out / name).write_text(text, "utf-8")
    return data


def summary_text(result: Calibration, out: str) -> str:
    """What the terminal shows, plain."""
    blocks = ["\n".join(summary_lines(assessment)) for assessment in result.assessments]
    return "\n\n".join([*blocks, f"written to {out}: {DATA}, {PAGE}, {TEXT}, {RECORD}"])
