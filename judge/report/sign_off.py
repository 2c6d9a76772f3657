"""sign-off.html: a short record to be signed: gates, accepted deviations, what people decided, what is open, hashes, signature lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from judge.records import Item
from judge.report.about import JUDGE_HEAD, about, judge_rows, limits, trust
from judge.report.pages import Page, Section, outcome_badge, page_html, result_badge, unbroken
from judge.report.rendering import part
from judge.report.wording import condition, figure_text, gate_title, opening, reasons, span_text
from judge.results.decisions import point_of
from judge.results.folder import VERDICTS
from judge.results.reading import Results
from judge.results.summary import judge_block

_SHOWN = 200
_SIGNERS = ("Prepared by", "Reviewed by", "Approved by")


def sign_off_html(results: Results) -> str:
    """The record as one page."""
    items = results.items
    excepted = [i for i in items if i.exception is not None]
    decided = [i for i in items if i.decided_by == "human" and not i.is_open]
    waiting = [i for i in items if i.is_waiting]
    sections = [
        Section("Gates", ("Gate", "Value", "Needs", "Result"), [_gate(g) for g in results.gates if g.result != "not_applicable"]),
        *([Section("The judge", JUDGE_HEAD, judge_rows(results.run), hint=trust(results.run))] if judge_block(results.run) else []),
        _items("Accepted deviations", ("Who", "Why", "Until"), excepted, lambda i: (i.exception.who, i.exception.why, i.exception.expires)),
        _items("Decided by people", ("Who", "When", "Why"), decided, lambda i: (i.who, _day(i.when), i.why)),
        _items("Open items", ("What is open", "Can become"), waiting, lambda i: (point_of(i), unbroken(span_text(i.bounds)))),
        Section("Limits", html=[part("listed", limits(results))]),
        Section("Hashes (SHA-256)", ("What", "Hash"), _hashes(results)),
        Section("Signatures", hint="Decision: release, release with conditions, or no release.", html=[part("signatures", _SIGNERS)]),
    ]
    return page_html(
        Page("record for sign-off", opening(results.verdict), reasons(results), sections, about(results), tone=results.verdict)
    )


def _gate(gate: Any) -> Sequence[Any]:
    by_exception = Markup(" by exception") if gate.is_by_exception else Markup("")
    return gate_title(gate), unbroken(figure_text(gate.value, gate.bounds)), condition(gate), result_badge(gate.result) + by_exception


def _day(when: str) -> str:
    """2026-11-28 09:24 UTC of "2026-11-28T09:24:47+00:00"."""
    return f"{when[:16].replace('T', ' ')} UTC" if when.endswith("+00:00") else when


def _items(title: str, head: Sequence[str], items: Sequence[Item], cells: Any) -> Section:
    rows = [(f"{i.case_id}: {i.title}", outcome_badge(i.outcome), *cells(i)) for i in items[:_SHOWN]]
    left_out = f"{len(items) - _SHOWN} more are in report.html." if len(items) > _SHOWN else ""
    return Section(title, ("Item", "Outcome", *head), rows, count=len(items), left_out=left_out)


def _hashes(results: Results) -> list[tuple[str, str]]:
    run = results.run
    inputs: Mapping[str, Any] = run.get("inputs") or {}
    found = [(name, str(inputs[f"{name}_sha256"])) for name in ("batch", "gold") if inputs.get(f"{name}_sha256")]
    found += [("contract", str(run["contract_hash"]))] if run.get("contract_hash") else []
    found += [(str(name), str(value)) for name, value in (run.get("documents") or {}).items()]
    verdicts = results.path / VERDICTS
    return [*found, (VERDICTS, hashlib.sha256(verdicts.read_bytes()).hexdigest())] if verdicts.is_file() else found
