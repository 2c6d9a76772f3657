"""results.sarif: SARIF 2.1.0 by GitHub's rules for code scanning. One result an item that needs attention, the worst first.
A result stands at its case's line in the batch file, which is what a repository holds; document, page and clause are in the message and in
a related location. Rule ids and fingerprints are stable."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from judge.capabilities.registry import title_of
from judge.errors import Problem
from judge.inputs.files import places_of
from judge.printing import shown
from judge.records import Item
from judge.report.rendering import asset
from judge.report.wording import OUTCOME_ORDER
from judge.results.reading import Results


class BatchPlace(NamedTuple):
    """One case's entry: file with forward slashes, first and last line from 1, column behind its last character (from 1)."""

    file: str
    line: int
    end_line: int
    end_column: int


def batch_places(results: Results, environment: Mapping[str, str] = os.environ) -> dict[str, BatchPlace]:
    """The place of every case. Without the batch at hand a case stands on the line that its position in the run gives."""
    named = Path(str((results.run.get("inputs") or {}).get("batch") or "batch.jsonl"))
    root = _root(named, environment)
    places = {case.case_id: BatchPlace(_relative(named, root), n, n, 2) for n, case in enumerate(results.cases, 1)}
    problems: list[Problem] = []  # a batch that cannot be read any more only leaves its cases where they are
    for place, data in places_of(named, problems) if named.exists() else ():
        if (case_id := _case_id(data)) in places:
            lines = data.decode("utf-8", "replace").rstrip().split("\n")
            end = place.line + len(lines) - 1
            places[case_id] = BatchPlace(_relative(place.path, root), place.line, end, len(lines[-1]) + 1)
    return places


def _case_id(data: bytes) -> str:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ""
    return str(found.get("case_id", "")) if isinstance(found, dict) else ""


def _root(batch: Path, environment: Mapping[str, str]) -> Path:
    """The root of the repository that the batch is in; the working folder outside of one."""
    if workspace := environment.get("GITHUB_WORKSPACE"):
        return Path(workspace).absolute()
    return next((folder for folder in batch.absolute().parents if (folder / ".git").exists()), Path.cwd())


def _relative(path: Path, root: Path) -> str:
    """The path from the root; the bare name of a file that is outside, since no viewer could open it."""
    try:
        return path.absolute().relative_to(root).as_posix()
    except ValueError:
        return path.name or "batch.jsonl"


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_OUTCOMES = ("hallucination", "fail", "partial", "undecided", "judge_error")  # of the rules of sarif-rules.json, in their order
MOST_RESULTS = 25_000  # GitHub refuses a run with more


def sarif_text(results: Results) -> str:
    """The whole file as JSON text."""
    return json.dumps(sarif_log(results), ensure_ascii=False, indent=1) + "\n"


def sarif_log(results: Results) -> dict[str, Any]:
    """The SARIF log as plain data."""
    rules = json.loads(asset("sarif-rules.json"))
    found = sorted((i for i in results.items if i.outcome in _OUTCOMES), key=lambda i: OUTCOME_ORDER.index(i.outcome))
    driver = {"name": "loan-judge", "semanticVersion": str(results.run.get("tool_version") or "0.1.0"), "rules": rules}
    places = batch_places(results)
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"DOCUMENTS": {"description": {"text": "The documents folder of the run."}}},
        "properties": {"verdict": results.verdict, "contract_version": results.contract_version},
        "results": [_result(item, rules, places[item.case_id]) for item in found[:MOST_RESULTS]],
    }
    if len(found) > MOST_RESULTS:
        left_out = f"{len(found) - MOST_RESULTS:,} further items, the least grave ones, are left out: GitHub takes"
        text = f"{left_out} {MOST_RESULTS:,} results. report.html has all."
        notice = {"level": "warning", "message": {"text": text}, "descriptor": {"id": "LJ900"}}
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [notice]}]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(item: Item, rules: Sequence[Mapping[str, Any]], place: BatchPlace) -> dict[str, Any]:
    index = _OUTCOMES.index(item.outcome)
    # The same for the same item of the same case in every run, whatever the outcome's wording.
    fingerprint = hashlib.sha256(json.dumps([item.capability, *item.key]).encode()).hexdigest()[:32]
    found: dict[str, Any] = {
        "ruleId": rules[index]["id"],
        "ruleIndex": index,
        "level": rules[index]["defaultConfiguration"]["level"],
        "message": {"text": _message(item)},
        "locations": [_location(item, place)],
        "partialFingerprints": {"judgeItem/v1": fingerprint, "primaryLocationLineHash": f"{fingerprint[:16]}:1"},
        "properties": {"capability": item.capability, "outcome": item.outcome, "rule": item.rule, "decided_by": item.decided_by},
    }
    if item.document:
        uri = quote(shown(item.document), safe="")
        document = {"artifactLocation": {"uri": uri, "uriBaseId": "DOCUMENTS"}}
        found["relatedLocations"] = [{"id": 1, "physicalLocation": document, "message": {"text": _place(item) or "the document"}}]
    if item.exception is not None:
        found["suppressions"] = [{"kind": "external", "justification": shown(f"{item.exception.who}: {item.exception.why}")}]
    return found


def _location(item: Item, place: BatchPlace) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": 1, "endLine": place.end_line, "endColumn": place.end_column}
    return {
        "physicalLocation": {"artifactLocation": {"uri": quote(shown(place.file))}, "region": region},
        "logicalLocations": [{"fullyQualifiedName": shown(f"{item.case_id}/{item.title}"), "kind": "member"}],
    }


def _place(item: Item) -> str:
    claim, found = item.provenance.claim, item.provenance
    page = str(claim.page) or ", ".join(map(str, found.pages_found))
    section = claim.section or ", ".join(found.sections_found)
    return shown(", ".join(part for part in (f"page {page}" if page else "", section) if part))


def _message(item: Item) -> str:
    """A sentence; it ends with a full stop, since viewers show the first sentence."""
    place = _place(item)
    text = f"{title_of(item.capability)} {item.case_id}: {item.title}{f' ({place})' if place else ''}: {item.reason}"
    line = shown(text, 1000)
    return line if line.endswith((".", "!", "?")) else f"{line}."
