"""Benchmark validation's expected output in a case file: the family, a table of terms, and their ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deterministic.values import KINDS
from judge.capabilities.case_evidence import Evidence, Target, attach
from judge.capabilities.case_markdown import Faults, Line, Section, keyed, rows
from judge.capabilities.case_reading import Gold, Reading, columns, said
from judge.capabilities.wording import fold_text, has_words
from judge.printing import quoted

_FINDING = columns("Term", "Finding", "Deal value", "Benchmark", "Gap", "Reference")
_RANGE = columns("Term", "Low", "High", "Unit", "Rating", "Region", "Tenor")
_FINDINGS = {fold_text(name): name for name in ("deviation", "conforming", "not_comparable")}
_HEAD = re.compile(r"(?P<family>[^()]*?)\s*\(\s*(?P<law>[^(),]*?)\s*(?:,\s*(?P<market>[^(),]*?)\s*)?(?:,\s*(?P<mixed>ambiguous))?\s*\)")


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """The family with law and market, the compared terms, and their ranges."""
    reading = Reading({**_family(section.lines, section.line, faults), "findings": []})
    terms: list[Gold] = reading.gold["findings"]
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
        reading.lines[f"gold.findings[{len(terms)}]"] = row.line
        terms.append(one)
        reading.items.setdefault(fold_text(term), term)
        reading.targets.append(Target(term, frozenset({fold_text(term)}), one, _finding_rank(one)))
    for child in section.children:
        if fold_text(child.title) != "ranges":
            faults.unknown(child.line, "heading", child.title, ("Ranges",))
            continue
        _ranges(child, terms, faults)
    reading.lines["gold"] = section.line
    attach(found, reading.targets, documents, faults)
    return reading


def _family(lines: Sequence[Line], line: int, faults: Faults) -> Gold:
    given = keyed(lines, ("benchmark",), faults)
    match = _HEAD.fullmatch(given[0].value) if given else None
    if match is None:
        faults.add(given[0].line if given else line, "benchmark", "write `Benchmark: FAMILY (law, market)`, with — for none")
        return {}
    gold: Gold = {
        "jurisdiction": said(match["law"]),
        "market": said(match["market"]),
        "benchmark": None if match["family"].casefold() == "none" else said(match["family"]),
    }
    return {**gold, "jurisdiction_ambiguous": match["mixed"] is not None}


def _ranges(section: Section, findings: Sequence[Gold], faults: Faults) -> None:
    terms = {fold_text(one["term"]): one for one in findings}
    for row in rows(section.lines, _RANGE, faults, ("term", "low", "high")):
        one = terms.get(fold_text(row.cells.pop("term", "")))
        if one is None:
            faults.add(row.line, "term", f"is no term of the table above; known: {', '.join(f['term'] for f in findings)}")
            continue
        ends = {key: _number(row.cells.pop(key, "")) for key in ("low", "high")}
        for key, value in ends.items():
            if value is None:
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


def _finding_rank(one: Gold) -> Callable[[str], int]:
    value = one.get("deal_value")

    def rank(quote: str) -> int:
        """2 for the deal's value, 1 for the term's words."""
        holds = value is not None and (
            has_words(quote, value) or any(KINDS[kind].supports(value, quote) for kind in ("rate", "money", "period", "law"))
        )
        return 2 * holds + has_words(quote, one["term"].replace("_", " "))

    return rank


def output_of(gold: Gold) -> Gold:
    """Gold as an output that a person confirms or corrects."""
    only_gold = ("benchmark_range", "aliases", "accepted_references")
    findings = [{key: value for key, value in one.items() if key not in only_gold} for one in gold.get("findings", ())]
    return {**gold, "findings": findings}
