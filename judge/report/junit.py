"""junit.xml: one test suite a case, one test case an item. Failure: a failed item; error: a judge error; skipped: undecided.

The gates are a suite of their own, so that a CI server shows a broken gate by name.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from judge.printing import shown, shown_lines
from judge.records import Item
from judge.report.rendering import template
from judge.report.wording import condition, failed_gate_of, figure_text, gate_title, sentence
from judge.results.lines import Gate
from judge.results.reading import Results


class Test(NamedTuple):
    """A test case. tag: what stands in it, "" for nothing; said: its text."""

    name: str
    tag: str = ""
    message: str = ""
    kind: str = ""
    said: str = ""


def junit_xml(results: Results) -> str:
    """The whole file as text. A partial item fails where a gate that it counts in fails; else it passes, its reason in system-out."""
    suites: dict[str, list[Test]] = defaultdict(list)
    for item in results.items:
        suites[f"{item.capability}.{item.case_id}"].append(_of_item(item, results.gates))
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
    for code, detail in item.findings:
        yield f"finding: {code} {detail}".rstrip()


def _of_gate(gate: Gate) -> Test:
    test, message = Test(shown(gate_title(gate))), f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}"
    if gate.result == "fail":
        return test._replace(tag="failure", message=message, kind="gate", said=message)
    return test if gate.result == "pass" else test._replace(tag="skipped", message=f"{gate.result.replace('_', ' ')}: {message}")
