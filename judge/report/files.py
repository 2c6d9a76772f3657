"""All reports of a result folder, written beside it, JUnit and the page to sign among them; also what a CI job reads of its environment."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from judge.disk import write_atomically
from judge.errors import UsageError
from judge.printing import shown, shown_lines
from judge.records import Finding, Item, Provenance, grouped
from judge.report.about import JUDGE_HEAD, about, judge_rows, limits, trust
from judge.report.html import IMAGE_BUDGET, report_html
from judge.report.pages import Section, outcome_badge, page_html, result_badge, unbroken
from judge.report.pdf_pages import pages_of_run
from judge.report.pull_request import summary_markdown, write_step_summary
from judge.report.rendering import part, template
from judge.report.sarif import sarif_text
from judge.report.suspicions import root_causes
from judge.report.wording import (
    OUTCOME_ORDER,
    OUTCOME_TITLES,
    condition,
    correction_text,
    failed_gate_of,
    figure_text,
    gate_figure,
    gate_title,
    headline,
    opening,
    reasons,
    sentence,
    span_text,
)
from judge.results.comparison import Side, changed_inputs, changes_between
from judge.results.decisions import point_of
from judge.results.folder import CASES, REDACTED, SIGN_OFF_PAGE, VERDICTS
from judge.results.lines import Gate
from judge.results.reading import Results, exceptions_of, read_results, results_of_run
from judge.results.seal import hash_of, reseal
from judge.results.summary import judge_block
from rubrics.contract import Contract

_SHOWN = 200
_SIGNERS = ("Prepared by", "Reviewed by", "Approved by")
_DECISION = "Decision: release, release with conditions, or no release, "


def sign_off_html(results: Results, before: Results | None = None) -> str:
    """The record as one page. before: the run of the last release."""
    items = results.items
    excepted = [i for i in items if i.exception is not None]
    decided = [i for i in items if i.decided_by == "human" and not i.is_open]
    waiting = [i for i in items if i.is_waiting]
    disputed = [i for i in items if i.correction is not None]
    counting = _COUNTING + f"{'those of two people count' if 'as_corrected' in results.counts else 'none counts'} in the gates."
    causes = {s.item.key: s for s in root_causes(results)}
    of = f"of run {results.run.get('run_id', '')} with {' '.join(hashes[-1])}" if (hashes := _hashes(results)) else ""
    gates = [g for g in results.gates if g.result != "not_applicable"]
    gate_rows = [(gate_title(g), unbroken(gate_figure(g)), condition(g), result_badge(g)) for g in gates]
    sections = [
        Section("Gates", ("Gate", "Value", "Needs", "Result"), gate_rows),
        *([Section("The judge", JUDGE_HEAD, judge_rows(results.run), hint=trust(results.run))] if judge_block(results.run) else []),
        *([_against(results, before)] if before is not None else []),
        _items("Accepted deviations", ("Who", "Why", "Until"), excepted, lambda i: (i.exception.who, i.exception.why, i.exception.expires)),
        _items("Hallucinations", ("Root cause",), [s.item for s in causes.values()], lambda i: (causes[i.key].cause,)),
        _items("Decided by people", ("Who", "When", "Why"), decided, lambda i: (i.who, _day(i.when), i.reason)),
        _items("Corrections", ("What people say", "Why"), disputed, lambda i: (correction_text(i.correction), i.correction.why), counting),
        _items("Open items", ("What is open", "Can become"), waiting, lambda i: (point_of(i), unbroken(span_text(i.bounds)))),
        Section("Limits", html=[part("listed", limits(results))]),
        Section("Hashes (SHA-256)", ("What", "Hash"), hashes),
        Section("Signatures", hint=_DECISION + f"{of}.", html=[part("signatures", _SIGNERS)]),
    ]
    facts = [*about(results), *((_FACTS[key], str(text)) for key, text in (results.run.get(SIGN_OFF) or {}).items() if key in _FACTS)]
    return page_html("record for sign-off", headline(results), reasons(results), sections, tone=results.verdict, facts=facts, mark=of[:-48])


SIGN_OFF = "sign_off"  # in run.json: what is told for the record alone
_FACTS = {"gold_author": "Gold written by", "keep_until": "Keep until"}
_COUNTING = "The outcome shown is the program's. By the contract of this run (gates.corrections_count) "


def _against(results: Results, before: Results) -> Section:
    ours, theirs = ({item.key: item for item in run.items} for run in (results, before))
    changes = sorted(changes_between(theirs, ours), key=lambda one: OUTCOME_ORDER.index(one.after.outcome) if one.after else -1)
    rows = [
        (f"{a.case_id}: {(ours.get(a.key) or theirs[a.key]).title}", *_side(a.before), *_side(a.after), ", ".join(a.what)) for a in changes
    ]
    hint = f"{before.run.get('started_at', '')[:10]} {(before.run.get('settings') or {}).get('system') or before.path.name}: "
    hint += f"{opening(before.verdict).lower()}; verdicts of {VERDICTS} {_hashes(before)[-1][1][:12]}."
    hint += "".join(f" {said[0].upper()}{said[1:]}." for said in changed_inputs(before, results))
    left = f"{len(rows) - _SHOWN} more: `judge compare` lists all." if len(rows) > _SHOWN else ""
    head = ("Item", "Was", "Reported then", "Is", "Reported now", "Changed")
    return Section("Against the last release", head, rows[:_SHOWN], hint, len(rows), left_out=left)


def _side(item: Item | Side | None) -> tuple[Any, str]:
    return ("–", "–") if item is None else (outcome_badge(item.outcome), item.reported or "(nothing)")


def _day(when: str) -> str:
    """2026-11-28 09:24 UTC of "2026-11-28T09:24:47+00:00"."""
    return f"{when[:16].replace('T', ' ')} UTC" if when.endswith("+00:00") else when


def _items(title: str, head: Sequence[str], items: Sequence[Item], cells: Any, hint: str = "") -> Section:
    rows = [(f"{i.case_id}: {i.title}", *_side(i), i.gold or "(nothing)", *cells(i)) for i in items[:_SHOWN]]
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


class Test(NamedTuple):
    """A test case. tag: what stands in it, "" for nothing; said: its text."""

    name: str
    tag: str = ""
    message: str = ""
    kind: str = ""
    said: str = ""


def junit_xml(results: Results) -> str:
    """The whole file as text. A partial item fails where a gate that it counts in fails; else it passes, its reason in system-out."""
    suites = grouped((f"{item.capability}.{item.case_id}", _of_item(item, results.gates)) for item in results.items)
    gates = [_of_gate(gate) for gate in results.gates]
    named = [("gates", gates), *((shown(name), tests) for name, tests in suites.items())]
    return template("junit.xml.j2").render(suites=named, verdict=sentence(results)) + "\n"


def _of_item(item: Item, gates: Sequence[Gate]) -> Test:
    test = Test(shown(item.title))
    failed = {"message": shown(item.reason), "said": shown_lines("\n".join(_facts(item)))}
    if item.outcome in ("fail", "hallucination") and item.exception is None:
        return test._replace(tag="failure", kind=item.outcome, **failed)
    if (gate := failed_gate_of(item, gates)) is not None:
        return test._replace(tag="failure", kind=shown(f"partial: {gate_title(gate)} fails"), **failed)
    if item.outcome == "judge_error":
        return test._replace(tag="error", kind=shown(item.why_open or "judge_error"), **failed)
    if item.outcome == "undecided":
        return test._replace(tag="skipped", message=shown(f"undecided: {item.reason}"))
    if item.outcome == "partial" or item.exception is not None:
        return test._replace(tag="system-out", said=shown_lines(f"{item.outcome}: {item.reason}"))
    return test


def _facts(item: Item) -> Iterable[str]:
    yield f"rule: {item.rule}"
    yield f"reported: {item.reported or '(nothing)'}"
    yield f"gold: {item.gold or '(nothing)'}"
    claim = item.provenance.claim
    if claim.document or claim.page or claim.section:
        yield f"cited: {claim.document or '?'}, page {claim.page or '?'}, {claim.section or 'no section'}"
    yield f"provenance: {item.provenance.outcome}"
    yield from (f"finding: {code} {detail}".rstrip() for code, detail in item.findings)


def _of_gate(gate: Gate) -> Test:
    test, message = Test(shown(gate_title(gate))), f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}"
    if gate.result == "fail":
        return test._replace(tag="failure", message=message, kind="gate", said=message)
    return test if gate.result == "pass" else test._replace(tag="skipped", message=f"{gate.result.replace('_', ' ')}: {message}")


_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:\\|\\\\|~/).+")


def redacted(results: Results) -> Results:
    """The run with values, labels, scores and names, and without quotes, reasons that repeat a document, a judge's words, and paths."""
    return replace(results, path=results.path / REDACTED, items=tuple(map(_item, results.items)), run=_without_paths(results.run))


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
        correction=item.correction and item.correction._replace(why="(left out)", others=()),
        former=tuple(said._replace(why="") for said in item.former),
        metadata={},
    )


def _citation(cited: Provenance) -> Provenance:
    return replace(cited, claim=cited.claim._replace(quote=""), spans=())


def _without_paths(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_paths(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_paths(one) for one in value]
    return PurePath(value.replace("\\", "/")).name if isinstance(value, str) and _ABSOLUTE.fullmatch(value) else value


# GitHub shows at most 10 annotations of one level a step.
_MOST = 10
_LEVELS = {"hallucination": "error", "fail": "error", "judge_error": "warning", "undecided": "warning"}


def annotation_lines(results: Results, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The lines for the CI that this runs in; empty when it is none that reads them."""
    return () if environment.get("GITHUB_ACTIONS") != "true" else tuple(_lines(results))


def _lines(results: Results) -> Iterator[str]:
    level = {"pass": "notice", "inconclusive": "warning"}.get(results.verdict, "error")
    yield _command(level, "loan-judge", sentence(results))
    for gate in [g for g in results.gates if g.result == "fail"][: _MOST - 1]:
        yield _command("error", f"Gate: {gate_title(gate)}", f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}")
    attention = sorted((i for i in results.items if i.outcome in _LEVELS), key=lambda i: OUTCOME_ORDER.index(i.outcome))
    for item in attention[:_MOST]:
        yield _command(_LEVELS[item.outcome], f"{OUTCOME_TITLES[item.outcome]}: {item.case_id}, {item.title}", item.reason)


def _command(level: str, title: str, message: str) -> str:
    """One workflow command; text cannot end the command or start another."""
    return f"::{level} title={_escaped(shown(title, 120)).replace(':', '%3A').replace(',', '%2C')}::{_escaped(shown(message, 500))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """documents: another folder than run.json names; image_budget: bytes of page images; redact: no document texts, no images, no machine
    paths, in a folder of its own beside the full reports. with_sign_off: sign-off.html too; sign_off: what is told for it, kept for the
    next time: baseline (folder of the last release's run), gold_author, keep_until. tells_ci: annotations in the log and the step summary,
    where the environment asks for them."""

    documents: Path | None = None
    cache_dir: Path | None = None
    redact: bool = False
    image_budget: int = IMAGE_BUDGET
    tells_ci: bool = False
    with_sign_off: bool = False
    sign_off: Mapping[str, str] = field(default_factory=dict)


DEFAULTS = ReportOptions()


def write_reports(folder: Path, contract: Contract, options: ReportOptions = DEFAULTS) -> tuple[Path, ...]:
    """Writes the reports (`REPORT_FILES`; sign-off.html where it is asked for or there) and returns their paths. Raises InputError."""
    results = read_results(folder, contract.label_scores, exceptions_of(folder))
    pages = None if options.redact else pages_of_run(results, options.documents, options.cache_dir)
    place = folder / REDACTED if options.redact else folder
    results = redacted(results) if options.redact else results
    if place.is_symlink():
        raise UsageError(f"{place}: is a link; reports are written into the result folder itself: take it away")
    place.mkdir(exist_ok=True)
    told: dict[str, str] = {}
    texts: dict[str, Callable[[], str]] = {  # of a large run each is large: one at a time
        "report.html": lambda: report_html(results, contract, pages, is_redacted=options.redact, image_budget=options.image_budget),
        "junit.xml": lambda: junit_xml(results),
        "results.sarif": lambda: sarif_text(results),
        "summary.md": lambda: summary_markdown(results),
    }
    if options.with_sign_off or (place / SIGN_OFF_PAGE).exists():  # a record of other verdicts helps nobody
        told = {**(results.run.get(SIGN_OFF) or {}), **options.sign_off}
        baseline = Path(told["baseline"]) if told.get("baseline") else None
        before = results_of_run(baseline) if baseline is not None and (baseline / CASES).exists() else None
        texts[SIGN_OFF_PAGE] = lambda: sign_off_html(replace(results, run={**results.run, SIGN_OFF: told}), before)
    paths = []
    for name, text in texts.items():
        write_atomically(place / name, [text().encode("utf-8", "backslashreplace")])
        paths.append(place / name)
    reseal(folder, () if options.redact else texts, {SIGN_OFF: told} if told else {})
    if options.tells_ci:
        tell_ci(results)
    return tuple(paths)


def tell_ci(results: Results) -> None:
    """Annotations in the log and the step summary, where a CI server asks for them; nothing elsewhere. The server reads workflow commands
    from both output streams, so standard output stays free for machine output."""
    for line in annotation_lines(results):
        print(line, file=sys.stderr)
    write_step_summary(summary_markdown(results))
