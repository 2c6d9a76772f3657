"""summary.md, also written to the CI step summary: verdict, gates, capabilities, and the first items that need attention."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from judge.capabilities.registry import title_of
from judge.printing import shown
from judge.records import Item
from judge.report.about import about, limits
from judge.report.companion_text import capability_text
from judge.report.wording import (
    OUTCOME_ORDER,
    OUTCOME_TITLES,
    RESULT_TITLES,
    condition,
    counted,
    failed_gate_of,
    figure_text,
    gate_title,
    sentence,
    span_text,
)
from judge.results.reading import Results

_SHOWN = 20
_ATTENTION = ("hallucination", "fail", "judge_error", "undecided")
_MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "not_applicable": "➖"}


def summary_markdown(results: Results) -> str:
    """The whole file."""
    return "\n".join(_lines(results)) + "\n"


def write_step_summary(text: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Appends the summary where the CI asks for one (GITHUB_STEP_SUMMARY); the file, or None outside of CI."""
    name = environment.get("GITHUB_STEP_SUMMARY")
    if not name:
        return None
    path = Path(name)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    return path


def markdown_cell(text: str, most: int = 200) -> str:
    """Foreign text for a Markdown table: nothing of it is read as markup or as HTML."""
    flat = shown(text, most).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#!~@])", r"\\\1", flat)


def _lines(results: Results) -> Iterator[str]:
    yield "## loan-judge: evaluation summary"
    yield ""
    yield f"**{markdown_cell(sentence(results), 600)}**"
    yield ""
    counts = results.counts
    items, errors = counted(counts.get("items", len(results.items)), "item"), counted(counts.get("judge_error", 0), "judge error")
    yield f"{counted(len(results.cases), 'case')}, {items}, {counts.get('undecided', 0):,} undecided, {errors}."
    yield " · ".join(f"{name}: {markdown_cell(text)}" for name, text in about(results)) + "."
    yield ""
    yield f"Limits: {'; '.join(map(markdown_cell, limits(results)))}."
    yield ""
    yield "| | Gate | Value | Needs | Result |"
    yield "|---|---|---|---|---|"
    for gate in results.gates:
        value = figure_text(gate.value, gate.bounds)
        result = RESULT_TITLES.get(gate.result, gate.result) + (" by exception" if gate.is_by_exception else "")
        yield _row(_MARKS.get(gate.result, ""), markdown_cell(gate_title(gate)), value, condition(gate), markdown_cell(result))
    yield ""
    yield "| Capability | Cases | Score | Interval |"
    yield "|---|---|---|---|"
    for capability in results.capabilities:
        value = figure_text(capability.score, capability.bounds)
        title = title_of(capability.name)
        yield f"| {markdown_cell(title)} | {capability.cases} | {value} | {span_text(capability.interval)} |"
    for capability in results.capabilities:
        if text := capability_text(capability):
            yield ""
            yield f"{markdown_cell(title_of(capability.name))}: {markdown_cell(text, 600)}."
    yield from _attention([i for i in results.items if i.outcome in _ATTENTION or failed_gate_of(i, results.gates)])


def _attention(items: list[Item]) -> Iterator[str]:
    if not items:
        return
    yield ""
    yield f"### {counted(len(items), 'item')} to look at"
    yield ""
    yield "| Outcome | Case | Item | Why |"
    yield "|---|---|---|---|"
    for item in sorted(items, key=lambda i: OUTCOME_ORDER.index(i.outcome))[:_SHOWN]:
        yield _row(OUTCOME_TITLES[item.outcome], *map(markdown_cell, (item.case_id, item.title, item.reason)))
    if len(items) > _SHOWN:
        yield ""
        yield f"… and {len(items) - _SHOWN:,} more in report.html."


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
