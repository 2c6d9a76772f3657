"""summary.md, also written to the CI step summary: verdict, gates, capabilities, and the first items that need attention."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from judge.records import Item
from judge.report.about import JUDGE_HEAD, about, judge_rows, limits, open_count
from judge.report.companion_text import capability_text
from judge.report.rendering import template
from judge.report.wording import OUTCOME_ORDER, failed_gate_of
from judge.results.reading import Results

_SHOWN = 20
_ATTENTION = ("hallucination", "fail", "judge_error", "undecided")
_MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "not_applicable": "➖"}


def attention(results: Results) -> list[Item]:
    """The items to look at, worst outcomes first: those of a failed gate included."""
    found = [item for item in results.items if item.outcome in _ATTENTION or failed_gate_of(item, results.gates)]
    return sorted(found, key=lambda item: OUTCOME_ORDER.index(item.outcome))


def summary_markdown(results: Results) -> str:
    """The whole file."""
    return template("summary.md.j2").render(
        results=results,
        about=about(results),
        judge_head=JUDGE_HEAD,
        judge_rows=judge_rows(results.run),
        open_count=open_count(results),
        limits=limits(results),
        marks=_MARKS,
        capability_text=capability_text,
        attention=attention(results),
        shown=_SHOWN,
    )


def write_step_summary(text: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Appends the summary where the CI asks for one (GITHUB_STEP_SUMMARY); the file, or None outside of CI."""
    name = environment.get("GITHUB_STEP_SUMMARY")
    if not name:
        return None
    path = Path(name)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    return path
