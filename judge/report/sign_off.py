"""sign-off.html: a short record to be signed: gates, accepted deviations, what people decided, what is open, hashes, signature lines."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from judge.records import Item
from judge.report.about import JUDGE_HEAD, about, judge_rows, limits, trust
from judge.report.pages import Section, outcome_badge, page_html, result_badge, unbroken
from judge.report.rendering import part
from judge.report.suspicions import root_causes
from judge.report.wording import OUTCOME_ORDER, condition, correction_text, figure_text, gate_title, headline, opening, reasons, span_text
from judge.results.decisions import point_of
from judge.results.folder import VERDICTS
from judge.results.reading import Results
from judge.results.seal import hash_of
from judge.results.summary import judge_block

_SHOWN = 200
_SIGNERS = ("Prepared by", "Reviewed by", "Approved by")


def sign_off_html(results: Results, before: Results | None = None) -> str:
    """The record as one page. before: the run of the last release."""
    items = results.items
    excepted = [i for i in items if i.exception is not None]
    decided = [i for i in items if i.decided_by == "human" and not i.is_open]
    waiting = [i for i in items if i.is_waiting]
    disputed = [i for i in items if i.correction is not None]
    causes = {s.item.key: s for s in root_causes(results)}
    sections = [
        Section("Gates", ("Gate", "Value", "Needs", "Result"), [_gate(g) for g in results.gates if g.result != "not_applicable"]),
        *([Section("The judge", JUDGE_HEAD, judge_rows(results.run), hint=trust(results.run))] if judge_block(results.run) else []),
        *([_against(results, before)] if before is not None else []),
        _items("Accepted deviations", ("Who", "Why", "Until"), excepted, lambda i: (i.exception.who, i.exception.why, i.exception.expires)),
        _items("Hallucinations", ("Root cause",), [s.item for s in causes.values()], lambda i: (causes[i.key].cause,)),
        _items("Decided by people", ("Who", "When", "Why"), decided, lambda i: (i.who, _day(i.when), i.reason)),
        _items("Corrections", ("What people say", "Why"), disputed, lambda i: (correction_text(i.correction), i.correction.why), _COUNTING),
        _items("Open items", ("What is open", "Can become"), waiting, lambda i: (point_of(i), unbroken(span_text(i.bounds)))),
        Section("Limits", html=[part("listed", limits(results))]),
        Section("Hashes (SHA-256)", ("What", "Hash"), _hashes(results)),
        Section("Signatures", hint="Decision: release, release with conditions, or no release.", html=[part("signatures", _SIGNERS)]),
    ]
    facts = [*about(results), *((_FACTS[key], str(text)) for key, text in (results.run.get(SIGN_OFF) or {}).items() if key in _FACTS)]
    return page_html("record for sign-off", headline(results), reasons(results), sections, facts=facts, tone=results.verdict)


SIGN_OFF = "sign_off"  # in run.json: what is told for the record alone
_FACTS = {"gold_author": "Gold written by", "keep_until": "Keep until"}
_COUNTING = "They count in the gates only where the contract says so (gates.corrections_count); the outcome shown is the program's."


def _against(results: Results, before: Results) -> Section:
    ours, theirs = ({item.key: item for item in run.items} for run in (results, before))
    changed = [
        (ours.get(key), theirs.get(key)) for key in dict.fromkeys((*theirs, *ours)) if _state(ours.get(key)) != _state(theirs.get(key))
    ]
    changed.sort(key=lambda pair: -1 if pair[0] is None else OUTCOME_ORDER.index(pair[0].outcome))
    rows = [(f"{one.case_id}: {one.title}", *_side(was), *_side(now)) for now, was in changed if (one := now or was) is not None]
    hint = f"{before.run.get('started_at', '')[:10]} {(before.run.get('settings') or {}).get('system') or before.path.name}: "
    hint += f"{opening(before.verdict).lower()}; verdicts of {VERDICTS} {_hashes(before)[-1][1][:12]}."
    left = f"{len(rows) - _SHOWN} more: `judge compare` lists all." if len(rows) > _SHOWN else ""
    head = ("Item", "Was", "Reported then", "Is", "Reported now")
    return Section("Against the last release", head, rows[:_SHOWN], hint, len(rows), left_out=left)


def _state(item: Item | None) -> tuple[str, str] | None:
    return None if item is None else (str(item.outcome), item.reported)


def _side(item: Item | None) -> tuple[Any, str]:
    return ("–", "–") if item is None else (outcome_badge(item.outcome), item.reported or "(nothing)")


def _gate(gate: Any) -> Sequence[Any]:
    by_exception = Markup(" by exception") if gate.is_by_exception else Markup("")
    return gate_title(gate), unbroken(figure_text(gate.value, gate.bounds)), condition(gate), result_badge(gate.result) + by_exception


def _day(when: str) -> str:
    """2026-11-28 09:24 UTC of "2026-11-28T09:24:47+00:00"."""
    return f"{when[:16].replace('T', ' ')} UTC" if when.endswith("+00:00") else when


def _items(title: str, head: Sequence[str], items: Sequence[Item], cells: Any, hint: str = "") -> Section:
    rows = [
        (f"{i.case_id}: {i.title}", outcome_badge(i.outcome), i.reported or "(nothing)", i.gold or "(nothing)", *cells(i))
        for i in items[:_SHOWN]
    ]
    left_out = f"{len(items) - _SHOWN} more are in report.html." if len(items) > _SHOWN else ""
    return Section(title, ("Item", "Outcome", "Reported", "Gold", *head), rows, hint if items else "", len(items), left_out=left_out)


def _hashes(results: Results) -> list[tuple[str, str]]:
    run = results.run
    inputs: Mapping[str, Any] = run.get("inputs") or {}
    found = [(name, str(inputs[f"{name}_sha256"])) for name in ("batch", "gold") if inputs.get(f"{name}_sha256")]
    found += [("contract", str(run["contract_hash"]))] if run.get("contract_hash") else []
    found += [(str(name), str(value)) for name, value in (run.get("documents") or {}).items()]
    verdicts = results.path / VERDICTS
    return [*found, (VERDICTS, hash_of(verdicts))] if verdicts.is_file() else found
