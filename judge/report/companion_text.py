"""Dimension scores and a case's own criteria as lines of text for the reports."""

from collections.abc import Iterator, Mapping

from judge.capabilities.registry import capability_of, is_known
from judge.capabilities.scoring.dimensions import PROVENANCE
from judge.records import Bounds, CriteriaResult
from judge.report.wording import WORDS, span_text
from judge.results.lines import CapabilityScore, CaseResult


def dimension_lines(capability: str, scores: Mapping[str, Bounds]) -> Iterator[str]:
    """One dimension a line: "D1 coverage: 0.900"."""
    scored = capability_of(capability).scored if is_known(capability) else None
    titles = {**WORDS["scores"], **(scored.titles if scored is not None else {})}
    for name, (low, high) in scores.items():
        title = titles.get(name, "")
        shown = f"{name} {title}" if title and name[:1].isupper() else title or name.replace("_", " ")
        yield f"{shown}: {span_text((float(low), float(high)))}"


def case_text(case: CaseResult) -> str:
    """The companion scores and the criteria of a case in a line; "" under a contract without dimensions."""
    parts = [*dimension_lines(case.capability, case.companion)]
    parts += [f"provenance {line}" for line in dimension_lines(case.capability, case.provenance_score) if line[0] in PROVENANCE]
    parts += [f"{name.replace('_', ' ')}: {count}" for name, count in case.counts.items()]
    if case.criteria is not None:
        parts.append(criteria_text(case.criteria))
    return "; ".join(parts)


def criteria_text(result: CriteriaResult) -> str:
    """What a case's own table says, with the row of each item."""
    low, high = result.bounds
    rows = ", ".join(f"{'the case' if item == '@case' else item}: row {row}" for item, row in result.rows.items())
    made_up = ", hallucinated by its own table" if result.hallucinated else ""
    return f"own criteria: {span_text((float(low), float(high)))}{made_up}" + (f" ({rows})" if rows else "")


def capability_text(score: CapabilityScore) -> str:
    """The companion and provenance scores of a capability in a line."""
    parts = list(dimension_lines(score.name, score.companion))
    parts += [f"provenance {line}" for line in dimension_lines(score.name, score.provenance_score) if line[0] in PROVENANCE]
    if "score" in score.provenance_score:
        low, high = score.provenance_score["score"]
        parts.append(f"provenance score: {span_text((float(low), float(high)))}")
    return "; ".join(parts)
