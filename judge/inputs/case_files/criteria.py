"""The scoring criteria of a case file: what each row is worth, of what, and by which rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judge.capabilities.case_files import Faults, Reading, Row, Section, columns, rows
from judge.capabilities.wording import fold_text
from judge.errors import did_you_mean
from judge.printing import quoted

_COLUMNS = columns("Condition", "Score", "Rule")
_SCORE = re.compile(
    r"(?P<score>\d+(?:\.\d+)?|\.\d+)(?:\s+for\s+the\s+(?P<scope>\w+)(?:\s+(?P<item>.+?))?)?(?P<made_up>\s*[,;]\s*hallucination)?",
    re.IGNORECASE,
)
_RULE_KEYS = ("content", "outcome", "quote", "page", "section", "findings", "cites", "cited", "figure", "form")
# a comma within a place ("Schedule 1, Part II") is none between two places
_NEXT_PLACE = re.compile(r"\s*,\s*(?=(?:clause|section|article|schedule|annex|appendix|exhibit|paragraph)\b)", re.IGNORECASE)


def criteria(section: Section, scope: str | None, reading: Reading, faults: Faults) -> list[dict[str, Any]]:
    """The rows in their order, c1 first; a row may be limited to an item of gold. scope: what such an item is called, if anything."""
    found: list[dict[str, Any]] = []
    before = len(faults.found)
    reading.lines["criteria"] = section.line
    for n, row in enumerate(rows(section.lines, _COLUMNS, faults, ("condition", "score")), 1):
        worth = _worth(row, scope, reading.items, faults)
        when, rule = row.cells.get("condition"), _rule(row, faults)
        if when is None:
            faults.add(row.line, "condition", "says nothing: say what the row is for")
        elif worth is not None:
            reading.lines[f"criteria[{len(found)}]"] = row.line
            found.append({"id": f"c{n}", "when": when, **worth, "rule": rule})
    if not found and len(faults.found) == before:
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
        known = items.get(fold_text(item))
        if known is None or scope == "case":
            what = "a row for the case names no item" if scope == "case" else f"{quoted(item)} is no {scope} of this case"
            faults.add(row.line, "score", f"{what}{did_you_mean(item, list(dict.fromkeys(items.values())))}")
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
