"""What was judged, by what, and what the result cannot say: the same facts at the top of the report, in the summary and in the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from judge.report.wording import counted
from judge.results.reading import Results

UNNAMED = "not named (give --system NAME to `judge run`)"


def about(results: Results) -> list[tuple[str, str]]:
    """(name, text) of everything that identifies the run."""
    run = results.run
    inputs, settings = run.get("inputs") or {}, run.get("settings") or {}
    documents = run.get("documents") or {}
    return [
        ("System", str(settings.get("system") or UNNAMED)),
        ("Batch", _file(inputs, "batch")),
        ("Gold", _file(inputs, "gold") if run.get("has_gold", True) else "none: judged without reference"),
        ("Documents", counted(len(documents), "document")),
        ("Date", str(run.get("started_at") or "not known").replace("T", " ").removesuffix("+00:00") + " UTC"),
        ("Commit", str(run.get("git_commit") or "")[:12] or "not in a repository"),
        ("Contract", f"{results.contract_version}, {str(run.get('contract_hash') or '')[:12]}".rstrip(", ")),
        ("Judge", _judge(run, settings)),
        ("Decided by people", people(results)),
    ]


def _file(inputs: Mapping[str, Any], name: str) -> str:
    path, digest = str(inputs.get(name) or "not known"), str(inputs.get(f"{name}_sha256") or "")
    return f"{PurePath(path).name}{f', SHA-256 {digest[:12]}' if digest else ''}"


def _judge(run: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    judge = run.get("judge") or {}
    model = str(judge.get("model") or "not known") if isinstance(judge, Mapping) else str(judge)
    if model == "offline":
        return "none: rules alone decide"
    records = settings.get("require_calibrated") or ()
    names = ", ".join(PurePath(str(r)).name for r in ([records] if isinstance(records, str) else records))
    state = f"only verdicts that {names} covers count in the gates" if names else "not held against people's labels: no record was required"
    return f"{model}; {state}"


def people(results: Results) -> str:
    """How many items people decided, and who they are."""
    decided = [item for item in results.items if item.decided_by == "human" and not item.is_open]
    names = sorted({name.strip() for item in decided for name in item.who.split(",") if name.strip()})
    return f"{counted(len(decided), 'item')}: {', '.join(names)}" if decided else "no item"


def limits(results: Results) -> Iterator[str]:
    """What the result does not say."""
    counts, run = results.counts, results.run
    settings = run.get("settings") or {}
    waiting = counts.get("undecided", 0) + counts.get("judge_error", 0)
    if waiting:
        yield f"{counted(waiting, 'item')} open: a score with open items is a range"
    if skipped := counts.get("skipped", 0):
        yield f"{counted(skipped, 'case')} not judged"
    if not run.get("has_gold", True):
        yield "no gold: only what needs no reference is decided"
    for key in ("limit", "case", "capability"):
        if settings.get(key):
            yield f"only a part of the batch: --{key} {settings[key]}"
    if unreadable := run.get("unreadable_documents"):
        yield f"{counted(len(unreadable), 'document')} could not be read"
    if excepted := sum(item.exception is not None for item in results.items):
        yield f"{counted(excepted, 'deviation')} accepted by exception"
    yield "gold decides what is true; gold that is wrong makes the result wrong"
