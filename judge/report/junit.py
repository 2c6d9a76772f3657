"""junit.xml: one test suite a case, one test case an item. Failure: a failed item; error: a judge error; skipped: undecided.

The gates are a suite of their own, so that a CI server shows a broken gate by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from judge.printing import shown, shown_lines
from judge.records import Item
from judge.report.wording import condition, failed_gate_of, figure_text, gate_title, sentence
from judge.results.lines import Gate
from judge.results.reading import Results

FAILED = frozenset({"fail", "hallucination"})


def junit_xml(results: Results) -> str:
    """The whole file as text. A partial item fails where a gate that it counts in fails; else it passes, its reason in system-out."""
    root = ET.Element("testsuites", name="loan-judge")
    suites = [_gates_suite(results), *_case_suites(results)]
    for suite in suites:
        root.append(suite)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(s.get(count, "0")) for s in suites)))
    root.set("time", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case_suites(results: Results) -> list[ET.Element]:
    by_case: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in results.items:
        by_case[(item.capability, item.case_id)].append(item)
    return [_suite(f"{capability}.{case}", [_item_case(i, results.gates) for i in items]) for (capability, case), items in by_case.items()]


def _gates_suite(results: Results) -> ET.Element:
    suite = _suite("gates", [_gate_case(gate) for gate in results.gates])
    ET.SubElement(suite, "system-out").text = shown_lines(sentence(results))
    return suite


def _suite(name: str, cases: Iterable[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=shown(name))
    suite.extend(cases)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("time", "0")
    return suite


def _item_case(item: Item, gates: Sequence[Gate]) -> ET.Element:
    case = ET.Element("testcase", name=shown(item.title), classname=shown(f"{item.capability}.{item.case_id}"), time="0")
    if item.outcome in FAILED and item.exception is None:
        _note(case, "failure", item, item.outcome)
    elif (gate := failed_gate_of(item, gates)) is not None:
        _note(case, "failure", item, f"partial: {gate_title(gate)} fails")
    elif item.outcome == "judge_error":
        _note(case, "error", item, item.why_open or "judge_error")
    elif item.outcome == "undecided":
        ET.SubElement(case, "skipped", message=shown(f"undecided: {item.reason}"))
    elif item.outcome == "partial" or item.exception is not None:
        ET.SubElement(case, "system-out").text = shown_lines(f"{item.outcome}: {item.reason}")
    return case


def _note(case: ET.Element, tag: str, item: Item, kind: str) -> None:
    note = ET.SubElement(case, tag, message=shown(item.reason), type=shown(kind))
    note.text = shown_lines("\n".join(_facts(item)))


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


def _gate_case(gate: Gate) -> ET.Element:
    case = ET.Element("testcase", name=shown(gate_title(gate)), classname="gates", time="0")
    message = f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}"
    if gate.result == "fail":
        ET.SubElement(case, "failure", message=message, type="gate").text = message
    elif gate.result in ("inconclusive", "not_applicable"):
        ET.SubElement(case, "skipped", message=f"{gate.result.replace('_', ' ')}: {message}")
    return case
