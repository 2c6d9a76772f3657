"""results.sarif: SARIF 2.1.0 for code-scanning views. One result an item that needs attention, stable rule ids and fingerprints.

Documents may not lie in the repository, so locations are relative to the base `DOCUMENTS`; page and clause are in the message.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from judge.capabilities.registry import title_of
from judge.report.lines import Item
from judge.report.plain_text import one_line
from judge.results.reading import Results

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"hallucination": "error", "fail": "error", "judge_error": "warning", "undecided": "note", "partial": "warning"}
_RULES = {
    "LJ001": ("Hallucination", "hallucination", "A value, quote or location that the document does not have (standard 1.1, 5.2)."),
    "LJ002": ("Fail", "fail", "A wrong or missing value, or a citation that does not support it (standard 1.1, 2.1, 3.1, 4.1)."),
    "LJ003": ("Partial", "partial", "A value that is partly right, or a citation that is imprecise (standard 1.1, 5.2)."),
    "LJ004": ("Undecided", "undecided", "No rule decides this item, and no judge or person has decided it yet."),
    "LJ005": ("JudgeError", "judge_error", "The judge gave no usable answer; this is never a score."),
}
_RULE_OF = {outcome: rule for rule, (_, outcome, _) in _RULES.items()}


def sarif_text(results: Results) -> str:
    """The whole file as JSON text."""
    return json.dumps(sarif_log(results), ensure_ascii=False, indent=1) + "\n"


def sarif_log(results: Results) -> dict[str, Any]:
    """The SARIF log as plain data."""
    driver = {
        "name": "loan-judge",
        "semanticVersion": str(results.run.get("tool_version") or "0.1.0"),
        "rules": [_rule(rule) for rule in _RULES],
    }
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"DOCUMENTS": {"description": {"text": "the documents folder of the run"}}},
                "properties": {"verdict": results.verdict, "contract_version": results.contract_version},
                "results": list(_results(results)),
            }
        ],
    }


def _rule(rule: str) -> dict[str, Any]:
    name, outcome, text = _RULES[rule]
    return {
        "id": rule,
        "name": name,
        "shortDescription": {"text": name},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": LEVELS[outcome]},
    }


def _results(results: Results) -> Iterator[dict[str, Any]]:
    rule_ids = list(_RULES)
    for item in results.items:
        rule = _RULE_OF.get(item.outcome)
        if rule is not None:
            yield _result(item, rule, rule_ids.index(rule))


def _result(item: Item, rule: str, index: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": index,
        "level": LEVELS[item.outcome],
        "message": {"text": _message(item)},
        "partialFingerprints": {"judgeItem/v1": _fingerprint(item)},
        "properties": {"capability": item.capability, "outcome": item.outcome, "rule": item.rule, "decided_by": item.decided_by},
    }
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": one_line(f"{item.case_id}/{item.title}"), "kind": "member"}]}
    if item.document:
        uri = quote(one_line(item.document), safe="")
        location["physicalLocation"] = {"artifactLocation": {"uri": uri, "uriBaseId": "DOCUMENTS"}, "region": {"startLine": _line(item)}}
    found["locations"] = [location]
    if item.exception is not None:
        found["suppressions"] = [{"kind": "external", "justification": one_line(f"{item.exception.who}: {item.exception.why}")}]
    return found


def _message(item: Item) -> str:
    claim, found = item.provenance.claim, item.provenance
    page = claim.page or ", ".join(map(str, found.pages_found))
    section = claim.section or ", ".join(found.sections_found)
    place = ", ".join(part for part in (f"page {page}" if page else "", section) if part)
    return one_line(f"{title_of(item.capability)} {item.case_id}: {item.title}{f' ({place})' if place else ''}: {item.reason}", 1000)


def _line(item: Item) -> int:
    """Viewers want a line; a PDF has none, so the physical page stands there."""
    pages = item.provenance.pages_found
    if pages:
        return max(1, pages[0])
    return max(1, int(item.provenance.claim.page)) if item.provenance.claim.page.isascii() and item.provenance.claim.page.isdigit() else 1


def _fingerprint(item: Item) -> str:
    """The same for the same item of the same case in every run, whatever the outcome's wording."""
    return hashlib.sha256(json.dumps([item.capability, *item.key]).encode()).hexdigest()[:32]
