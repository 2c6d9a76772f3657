"""The scoring criteria of a case file: what each row is worth, of what, and by which rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judge.capabilities.wording import fold_text
from judge.errors import did_you_mean
from judge.inputs.case_files.expected import FIELD_NAMES, columns
from judge.inputs.case_files.markdown import Faults, Row, Section, rows
from judge.printing import quoted

_COLUMNS = columns("Condition", "Score", "Rule")
_SCORE = re.compile(
    r"(?P<score>\d+(?:\.\d+)?|\.\d+)(?:\s+for\s+the\s+(?P<scope>\w+)(?:\s+(?P<item>.+?))?)?(?P<made_up>\s*[,;]\s*hallucination)?",
    re.IGNORECASE,
)
_RULE_KEYS = ("content", "outcome", "quote", "page", "section", "findings", "cites", "cited", "figure", "form")
# a comma within a place ("Schedule 1, Part II") is none between two places
_NEXT_PLACE = re.compile(r"\s*,\s*(?=(?:clause|section|article|schedule|annex|appendix|exhibit|paragraph)\b)", re.IGNORECASE)
SCOPES: Mapping[str, str] = {"loan_onboarding": "field", "covenant_monitoring": "covenant", "benchmark_validation": "finding"}


def criteria(section: Section, capability: str, items: Mapping[str, str], faults: Faults) -> list[dict[str, Any]]:
    """The rows in their order, c1 first. items: folded name -> item of gold that a row may be limited to."""
    found = []
    for n, row in enumerate(rows(section.lines, _COLUMNS, faults, ("condition", "score")), 1):
        worth = _worth(row, SCOPES.get(capability), items, faults)
        when, rule = row.cells.get("condition"), _rule(row, faults)
        if when is None:
            faults.add(row.line, "condition", "says nothing: say what the row is for")
        elif worth is not None:
            found.append({"id": f"c{n}", "when": when, **worth, "rule": rule})
    if not found and not faults.found:
        faults.add(section.line, "scoring criteria", "holds no table with the columns Condition and Score")
    return found


def _worth(row: Row, own: str | None, items: Mapping[str, str], faults: Faults) -> dict[str, Any] | None:
    text = row.cells.get("score", "")
    match = _SCORE.fullmatch(text)
    scopes = (own, "case") if own else ("case",)
    scope = (match["scope"] or "case").casefold() if match else ""
    if match is None or float(match["score"]) > 1 or scope not in scopes:
        faults.add(row.line, "score", f'a number from 0 to 1, or "<number> for the {"|".join(scopes)} …", not "{text}"')
        return None
    item = match["item"]
    if item is not None:
        name = fold_text(item)
        known = items.get(FIELD_NAMES.get(name, name) if own == "field" else name, items.get(fold_text(FIELD_NAMES.get(name, name))))
        if known is None or scope == "case":
            what = "a row for the case names no item" if scope == "case" else f"{quoted(item)} is no {scope} of this case"
            faults.add(row.line, "score", f"{what}{did_you_mean(item, list(items.values()))}")
            return None
        item = known
    return {"score": match["score"], "scope": scope, "item": item, "hallucination": match["made_up"] is not None}


def _rule(row: Row, faults: Faults) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    for part in re.split(r"\s*;\s*", row.cells.get("rule", "")):
        if not part:
            continue
        key, _, words = part.partition(":")
        name = fold_text(key)
        given = [word.strip() for word in (_NEXT_PLACE.split(words) if name == "cites" else words.split(",")) if word.strip()]
        if name not in _RULE_KEYS:
            faults.unknown(row.line, "rule", key.strip(), _RULE_KEYS)
        elif not given or name in found:
            faults.add(row.line, "rule", f"write `{name}: word, word` once, not {quoted(part)}")
        else:
            found[name] = given
    return found or None
