"""A run without document texts and machine paths, for readers who may know its verdicts and not its documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from judge.records import Finding, Item, Provenance
from judge.report.wording import OUTCOME_TITLES
from judge.results.reading import Results

FOLDER = "redacted"  # beside the full reports
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:\\|\\\\|~/).+")


def redacted(results: Results) -> Results:
    """The run with values, labels, scores and names, and without quotes, reasons that repeat a document, a judge's words, and paths."""
    return replace(results, path=results.path / FOLDER, items=tuple(map(_item, results.items)), run=_without_paths(results.run))


def _item(item: Item) -> Item:
    judge = None if item.judge is None else replace(item.judge, evidence="", reasoning="", error_detail="")
    return replace(
        item,
        reason=f"{OUTCOME_TITLES[item.outcome]} by rule {item.rule}." if item.decided_by != "human" else f"Decided by {item.who}.",
        provenance=_citation(item.provenance),
        provenances=tuple(map(_citation, item.provenances)),
        findings=tuple(Finding(code) for code, _ in item.findings),
        judge=judge,
        question="",
        why="",
        metadata={},
    )


def _citation(cited: Provenance) -> Provenance:
    return replace(cited, claim=cited.claim._replace(quote=""), spans=())


def _without_paths(value: Any) -> Any:
    """Every absolute path as its last part."""
    if isinstance(value, Mapping):
        return {key: _without_paths(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_paths(one) for one in value]
    return PurePath(value.replace("\\", "/")).name if isinstance(value, str) and _ABSOLUTE.fullmatch(value) else value
