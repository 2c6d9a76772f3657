"""Benchmark validation's gold: what a person makes it of, what the documents must have of it, and how a case file says it."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from deterministic.values import KINDS
from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.benchmark import BenchmarkFinding, BenchmarkFindingGold, BenchmarkGold, BenchmarkOutput
from judge.capabilities.case_files import NOTHING, Evidence, Faults, Gold, Line, Reading, Section, attach, columns, keyed, rows
from judge.capabilities.cases import Case
from judge.capabilities.gold import (
    Documents,
    Input,
    added,
    as_json,
    check_form,
    chosen,
    figure_doubts,
    form_choices,
    form_of,
    gold_task,
    listed_gold,
    listed_tasks,
    missing_task,
    place_inputs,
    words_faults,
)
from judge.capabilities.wording import fold_text, has_words
from judge.printing import quoted
from rubrics.contract import Contract

_HEAD = (
    Input("benchmark", "Benchmark", hint="LMA, APLMA, LSTA; empty where none applies"),
    Input("jurisdiction", "Governing law"),
    Input("market", "Market"),
    Input("jurisdiction_ambiguous", "Law and market are mixed", "yes_no"),
)
_KINDS = (("deviation", "Deviation"), ("conforming", "Conforming"), ("not_comparable", "Not comparable"))


def _form(case: Case) -> tuple[Input, ...]:
    return (
        Input("term", "Term", is_needed=True),
        Input("finding", "Finding", "choice", _KINDS, is_needed=True),
        Input("deal_value", "Value of the deal", hint="2.75 per cent. per annum"),
        Input("benchmark_value", "Value of the benchmark"),
        Input("gap", "Gap", hint="45 bps"),
        Input("benchmark_reference", "Reference of the benchmark"),
        Input("accepted_references", "Other right references, one a line", "lines"),
        *place_inputs(case.documents),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """The benchmark, each reported finding, and what may be missing."""
    head, form = _head(case.output), _form(case)
    tasks = listed_tasks("findings", case.output.findings, lambda one: f"Is this finding right: {one.term}?", form, _draft, "No such term")
    first = gold_task(("head",), "Are benchmark, law and market right?", head, form_choices(_HEAD, head))
    return [first, *tasks, missing_task(form, "term")]


def _head(output: BenchmarkOutput) -> dict[str, Any]:
    return {key: getattr(output, key) for key in ("benchmark", "jurisdiction", "market", "jurisdiction_ambiguous")}


def _draft(finding: BenchmarkFinding) -> dict[str, Any]:
    return {key: value for key, value in as_json(finding).items() if key != "disclosure"}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    found = listed_gold("findings", [_draft(one) for one in case.output.findings], answers, _form(case))
    missing = added(answers["missing",], form_of(gold_tasks(case), ("missing",)))
    return {**(chosen(_head(case.output), answers["head",], _HEAD) or {}), "findings": found + missing}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected finding, the head, or a list of missing findings is no gold."""
    check_form(gold_tasks(case), path, text, {"head": BenchmarkGold, "findings": BenchmarkFindingGold, "missing": BenchmarkFindingGold})


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """The deal's values of deviations that the documents lack."""
    gold: BenchmarkGold = case.gold
    for n, finding in enumerate(gold.findings):
        if finding.finding == "deviation":
            yield from words_faults(finding.deal_value, f"gold.findings[{n}].deal_value", documents)


def gold_doubts(case: Case, documents: Documents) -> Iterator[Fault]:
    """Figures of other findings' values that the documents lack."""
    for n, finding in enumerate(case.gold.findings):
        if finding.finding != "deviation":
            yield from figure_doubts(finding.deal_value, f"gold.findings[{n}].deal_value", documents)


_FINDING = columns("Term", "Finding", "Deal value", "Benchmark", "Gap", "Reference")
_RANGE = columns("Term", "Low", "High", "Unit", "Rating", "Region", "Tenor")
_FINDINGS = {fold_text(name): name for name in ("deviation", "conforming", "not_comparable")}
_FAMILY_LINE = re.compile(
    r"(?P<family>[^()]*?)\s*\(\s*(?P<law>[^(),]*?)\s*(?:,\s*(?P<market>[^(),]*?)\s*)?(?:,\s*(?P<mixed>ambiguous))?\s*\)"
)


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """The family with law and market, the compared terms, and their ranges."""
    reading = Reading({**_family(section.lines, section.line, faults), "findings": []})
    for row in rows(section.lines, _FINDING, faults, ("term", "finding")):
        term, kind = row.cells.get("term"), _FINDINGS.get(fold_text(row.cells.get("finding", "")))
        if term is None:
            faults.add(row.line, "term", "the row names no term")
        if kind is None:
            faults.add(row.line, "finding", f"is deviation, conforming or not comparable, not {quoted(row.cells.get('finding', ''))}")
        if term is None or kind is None:
            continue
        names = {"deal_value": "deal_value", "benchmark": "benchmark_value", "gap": "gap", "reference": "benchmark_reference"}
        one = {"term": term, "finding": kind, **{to: row.cells[of] for of, to in names.items() if of in row.cells}}
        reading.add("findings", term, one, row.line, partial(_finding_rank, one))
    for child in section.children:
        if fold_text(child.title) != "ranges":
            faults.unknown(child.line, "heading", child.title, ("Ranges",))
            continue
        _ranges(child, reading.gold["findings"], faults)
    reading.lines["gold"] = section.line
    attach(found, reading.targets, documents, faults)
    return reading


def _family(lines: Sequence[Line], line: int, faults: Faults) -> Gold:
    given = keyed(lines, ("benchmark",), faults)
    match = _FAMILY_LINE.fullmatch(given[0].value) if given else None
    if match is None:
        faults.add(given[0].line if given else line, "benchmark", "write `Benchmark: FAMILY (law, market)`, with — for none")
        return {}
    law, market, family = (None if text is None or text in NOTHING else text for text in match.group("law", "market", "family"))
    named = None if family is None or family.casefold() == "none" else family
    return {"jurisdiction": law, "market": market, "benchmark": named, "jurisdiction_ambiguous": match["mixed"] is not None}


def _ranges(section: Section, findings: Sequence[Gold], faults: Faults) -> None:
    terms = {fold_text(one["term"]): one for one in findings}
    for row in rows(section.lines, _RANGE, faults, ("term", "low", "high")):
        if (one := terms.get(fold_text(row.cells.pop("term", "")))) is None:
            faults.add(row.line, "term", f"is no term of the table above; known: {', '.join(f['term'] for f in findings)}")
            continue
        ends = {key: _number(row.cells.pop(key, "")) for key in ("low", "high")}
        for key in (key for key, value in ends.items() if value is None):
            faults.add(row.line, key, "is a number, in the unit of the row")
        low, high = ends["low"], ends["high"]
        if low is not None and high is not None:
            if low > high:
                faults.add(row.line, "low", f"{low} is above high {high}: exchange them")
            one["benchmark_range"] = {**ends, **row.cells}


def _number(text: str) -> int | float | None:
    if not re.fullmatch(r"-?\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?", text):
        return None
    bare = text.replace(",", "")
    return float(bare) if "." in bare else int(bare)


def _finding_rank(one: Gold, quote: str) -> int:
    """2 for the deal's value, 1 for the term's words."""
    value = one.get("deal_value")
    kinds = ("rate", "money", "period", "law")
    holds = value is not None and (has_words(quote, value) or any(KINDS[kind].supports(value, quote) for kind in kinds))
    return 2 * holds + has_words(quote, one["term"].replace("_", " "))


def output_of(gold: Gold) -> Gold:
    """Gold as an output that a person confirms or corrects."""
    only_gold = ("benchmark_range", "aliases", "accepted_references")
    findings = [{key: value for key, value in one.items() if key not in only_gold} for one in gold.get("findings", ())]
    return {**gold, "findings": findings}
