"""Lines that CI servers turn into annotations: GitHub workflow commands. Elsewhere nothing is printed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from judge.printing import shown
from judge.records import Item
from judge.report.wording import OUTCOME_ORDER, OUTCOME_TITLES, condition, figure_text, gate_title, sentence
from judge.results.reading import Results

# GitHub shows at most 10 annotations of one level a step.
_MOST = 10
_LEVELS = {"hallucination": "error", "fail": "error", "judge_error": "warning", "undecided": "warning"}


def annotation_lines(results: Results, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The lines for the CI that this runs in; empty when it is none that reads them."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return ()
    return tuple(_lines(results))


def _lines(results: Results) -> Iterator[str]:
    level = {"pass": "notice", "inconclusive": "warning"}.get(results.verdict, "error")
    yield _command(level, "loan-judge", sentence(results))
    for gate in [g for g in results.gates if g.result == "fail"][: _MOST - 1]:
        yield _command("error", f"Gate: {gate_title(gate)}", f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}")
    attention = sorted((i for i in results.items if i.outcome in _LEVELS), key=lambda i: OUTCOME_ORDER.index(i.outcome))
    for item in attention[:_MOST]:
        yield _command(_LEVELS[item.outcome], _title(item), item.reason)


def _title(item: Item) -> str:
    return f"{OUTCOME_TITLES[item.outcome]}: {item.case_id}, {item.title}"


def _command(level: str, title: str, message: str) -> str:
    """One workflow command; text cannot end the command or start another."""
    return f"::{level} title={_escaped(shown(title, 120)).replace(':', '%3A').replace(',', '%2C')}::{_escaped(shown(message, 500))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
