"""The files of a calibration: calibration.json, calibration.html, calibration.md and the record."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibration.decision.record import Record, write
from calibration.statistics.needed import NOTHING, Need, World, needed_for_bar, needed_for_width, world_of
from calibration.statistics.pool import first_labels
from judge.disk import begins, check_named, write_named
from judge.printing import shown_lines
from judge.report import calibration_text
from judge.report.rendering import asset, markdown_cell, rendered_page, template

if TYPE_CHECKING:
    from calibration.decision.gate import Check
    from calibration.label_files.label_map import Wanted
    from judge.calibrate.assess import Calibration
    from rubrics.contract import Contract


DATA, PAGE, TEXT, RECORD = "calibration.json", "calibration.html", "calibration.md", "record.json"
FILES = {  # how each of them begins
    DATA: r"\{\s+\"schema_version\": \d+,\s+\"outcome\"",
    PAGE: "<!doctype html>.{,2000} · calibration of a judge</title>",
    TEXT: "# Calibration: ",
    RECORD: r"\{\s+\"format\": .{,2000}\"rubrics\"",
}
LONGEST_TEXT = 4000  # characters of a disagreement's text that the page shows
SCHEMA_VERSION = 1
_NAMED = ("statistics", "positions", "sources", "designs")  # tuples of (name, value) that are objects in JSON
_INTERNAL = ("by_case",)  # what only the planning needs


def check_folder(out: Path) -> None:
    """Raises UsageError where a calibration cannot be written: before calls are paid for it."""
    for name, pattern in FILES.items():
        check_named(out / name, begins(pattern))


def write_calibration(result: Calibration, out: Path) -> dict[str, Any]:
    """Writes all four files into `out` and gives the content of calibration.json."""
    data = calibration_data(result)
    files = {DATA: json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n", PAGE: calibration_html(result)}
    files |= {TEXT: calibration_markdown(result), RECORD: write(result.record)}
    for name, text in files.items():
        write_named(out / name, [text.encode("utf-8", "backslashreplace")], begins(FILES[name]))
    return data


def write_record(record: Record, out: Path, inputs: Sequence[Path]) -> None:
    """Writes a record that was put together of others."""
    write_named(out / RECORD, [write(record)], begins(FILES[RECORD]), inputs)


def summary_text(result: Calibration, out: str) -> list[str]:
    """The lines that the terminal shows, plain."""
    texts = [template("calibration.txt.j2").render(a=assessment, words=calibration_text) for assessment in result.assessments]
    return [*"\n".join(texts).split("\n"), f"written to {out}: {DATA}, {PAGE}, {TEXT}, {RECORD}"]


def calibration_html(result: Calibration) -> str:
    """One self-contained page without script; its content security policy forbids every request."""
    return rendered_page(
        "calibration.html.j2",
        asset("calibration.css"),
        "loan-judge, calibration",
        result=result,
        words=calibration_text,
        shade=_shade,
        bars=partial(_bars, result),
        record=lambda assessment: next(entry for entry in result.record.rubrics if entry.rubric == assessment.rubric),
        clip=partial(shown_lines, most=LONGEST_TEXT),
    )


def calibration_markdown(result: Calibration) -> str:
    """The same in short, for a pull request or a terminal."""
    text = template("calibration.md.j2").render(result=result, words=calibration_text, md=partial(markdown_cell, most=1000))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _shade(row: Sequence[int], column: int, own: int) -> str:
    """The class of a cell: how large its share of its row is, in five steps."""
    share = row[column] / max(sum(row), 1)
    return f"{'hit' if column == own else 'miss'}{min(4, int(share * 5))}"


def _bars(result: Calibration, title: str) -> tuple[float, ...]:
    """The bar of the trust gate that belongs to a row of figures."""
    word = {"Specificity": "specificity", "Sensitivity": "sensitivity"}.get(title.split(" ")[0].rstrip(","))
    checks = [check for assessment in result.assessments for check in assessment.trust.checks if word and word in check.name]
    return (checks[0].bar,) if checks else ()


def json_values(value: Any) -> Any:
    """Frozen results as dicts and lists; a pair list of _NAMED becomes an object."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = ((part.name, json_values(getattr(value, part.name))) for part in fields(value) if part.name not in _INTERNAL)
        return {name: dict(found) if name in _NAMED else found for name, found in parts}
    return [json_values(entry) for entry in value] if isinstance(value, tuple | list) else value


def calibration_data(result: Calibration) -> dict[str, Any]:
    """The content of calibration.json. Numbers have full precision; there is no NaN in it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "outcome": result.outcome,
        **{name: getattr(result.record, name) for name in ("made", "label_file", "data_hash")},
        "judge_questions": result.calls,
        "rubrics": [json_values(assessment) for assessment in result.assessments],
    }


FAILING = (0.1, 0.2, 0.5)  # of the outputs


def _world(wanted: Wanted) -> World:
    """What cases are like; whole numbers of labels around per_case."""
    below = int(wanted.per_case)
    above = round((wanted.per_case - below) * 100)
    sizes = [float(below)] * (100 - above) + [float(below + 1)] * above
    return World(wanted.rate, np.array(sizes), wanted.alike if wanted.per_case > 1 else 0.0)


def plan_text(wanted: Wanted, contract: Contract) -> str:
    """The plan before any label."""
    rules, level, world = contract.calibration, float(contract.calibration.confidence_level), _world(wanted)
    bars = float(rules.specificity_bar), float(rules.sensitivity_bar)
    return template("plan.txt.j2").render(
        wanted=wanted,
        narrow=needed_for_width(wanted.precision, world, level),
        needed=[(bar, needed_for_bar(NOTHING, bar, world, level)) for bar in bars],
        first=[(failing, first_labels(wanted.rate, failing, bars, level)) for failing in FAILING],
    )


def further_text(result: Calibration, precision: float) -> str:
    """What is still needed, from the labels of a pilot."""

    def narrow(check: Check) -> Need | None:
        return needed_for_width(precision, world_of(check.seen))

    return template("further.txt.j2").render(result=result, precision=precision, narrow=narrow)
