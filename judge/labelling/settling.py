"""A person's verdict on an item that nobody decided: appended to the result folder, with who, when and why; the gates are applied again.

People who disagree settle nothing: the item stays undecided until they agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judge.labelling.label_file import Label, append_durably
from judge.labelling.tasks import CANNOT_TELL
from judge.report.lines import RIGHT, Key
from judge.results.folder import CASES, VERDICTS, VerdictReader, scan
from judge.results.lines import Line

_SETTLED_KEYS = ("uncertified", "why_open", "can_hallucinate", "exception", "case_items")


class Settlement:
    """Writes people's verdicts into one result folder. label_scores: the contract's score of each outcome."""

    def __init__(self, folder: Path, label_scores: Mapping[str, Any]) -> None:
        self._verdicts = folder / VERDICTS
        self._scores = label_scores
        self._open_lines = read_open_lines(folder, label_scores)

    def settle(self, key: Key, labels: Sequence[Label]) -> Line:
        """Appends what the labels of an item amount to, and returns the line."""
        line = settled_line(self._open_lines[key], labels, self._scores)
        append_durably(self._verdicts, line)
        return line


def read_open_lines(folder: Path, label_scores: Mapping[str, Any]) -> dict[Key, Line]:
    """The lines that a person may settle, as the program wrote them: without what people said already."""
    programs: dict[Key, Line] = {}
    for _, _, line, _ in scan(folder / VERDICTS):
        if line.get("decided_by") != "human":
            programs[line["case_id"], line["item"], line.get("tranche")] = line
    reader = VerdictReader(folder / VERDICTS, label_scores)
    try:
        cases = [case_id for case_id, *_ in scan(folder / CASES)]
        latest = [line for case_id in cases for line in reader.case(case_id) or ()]
    finally:
        reader.close()
    keys = [(line["case_id"], line["item"], line.get("tranche")) for line in latest if _is_settleable(line)]
    return {key: programs[key] for key in keys if key in programs}


def _is_settleable(line: Line) -> bool:
    return line["outcome"] in ("undecided", "judge_error") or line.get("decided_by") == "human"


def settled_line(before: Line, labels: Sequence[Label], label_scores: Mapping[str, Any]) -> Line:
    """The verdict line that people's labels make of an open one. It stays open without labels, and where they disagree or cannot tell."""
    values = {label.value for label in labels}
    if not labels:
        return {key: value for key, value in before.items() if key != "case_items"}
    who = ", ".join(dict.fromkeys(label.annotator for label in labels))
    why = " ".join(label.note for label in labels if label.note)
    said = {"who": who, "when": labels[-1].when, "why": why, "decided_by": "human"}
    if len(values) > 1 or CANNOT_TELL in values:
        cause = "people_disagree" if len(values) > 1 else CANNOT_TELL
        kept = {key: before[key] for key in ("case_id", "capability", "item", "tranche", "rule", "bounds")}
        return {**kept, "outcome": "undecided", "score": None, "why_open": cause, "reason": _reason(labels), **said}
    outcome = values.pop()
    score = float(label_scores[outcome])
    line = {key: value for key, value in before.items() if key not in _SETTLED_KEYS}
    line |= {"outcome": outcome, "score": score, "bounds": [score, score], "reason": _reason(labels), **said}
    return line | {"provenance": _settled_provenance(before.get("provenance") or {}, outcome)}


def _settled_provenance(block: Mapping[str, Any], outcome: str) -> dict[str, Any]:
    """Open provenance closes with the item: the full labels ask for a full citation (standard 1.1), the others do not have one."""
    if not block.get("open"):
        return dict(block)
    return {**block, "open": False, "complete": outcome in RIGHT}


def _reason(labels: Sequence[Label]) -> str:
    """One sentence: who said what, and why."""
    return " ".join(f"{x.annotator} says {x.value.replace('_', ' ')}{f': {x.note}' if x.note else ''}." for x in labels)[:1000]
