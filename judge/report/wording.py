"""The words that reports use for people: one place, so that the page, the summary and the CI log say the same."""

from collections.abc import Iterator, Mapping, Sequence

from calibration.words import table
from judge.capabilities import TIER1_FIELDS
from judge.capabilities.registry import capability_of, field_of, is_known
from judge.capabilities.registry import title_of as title_of  # for templates
from judge.capabilities.scoring.dimensions import PROVENANCE
from judge.records import Bounds, CriteriaResult, Item, Outcome, Said
from judge.results.exceptions import EXPIRED_COUNT, expired_text
from judge.results.lines import CapabilityScore, CaseResult, Gate, gate_name, listed
from judge.results.lines import scope_title as scope_title  # for other reports
from judge.results.reading import Results

# Worst first; what a reader must look at comes before what is fine.
OUTCOME_ORDER = "hallucination fail judge_error undecided partial extra semantic_match correct true_negative grounded_refusal".split()
OUTCOME_TITLES = {name: name.replace("_", " ").capitalize() for name in OUTCOME_ORDER}
AT_MOST = frozenset({"hallucination_rate"})  # the only gate whose value must not exceed its threshold
DECIDERS = {"deterministic": "rule", "llm": "judge", "panel": "panel", "human": "person", "none": "nobody yet"}
WORDS = table("judge.report", "words.toml")


def failed_gate_of(item: Item, gates: Sequence[Gate]) -> Gate | None:
    """The failed gate that a partial item pulls down: of its field, of its citation, or of its capability; the narrowest first."""
    if item.outcome is not Outcome.PARTIAL or item.exception is not None:
        return None
    failed = {(gate.name, gate.scope): gate for gate in gates if gate.result == "fail"}
    keys = [("tier1_field_score", field_of(item)), ("capability_score", item.capability)]
    if item.provenance.is_required and not item.provenance.complete:
        keys.insert(1, ("provenance_completeness", "all"))
    return next((failed[key] for key in keys if key in failed), None)


def gate_title(gate: Gate) -> str:
    """A gate with its scope in one phrase."""
    title = gate_name(gate.name)
    return title if gate.scope == "all" else f"{title}, {scope_title(gate.name, gate.scope)}"


def gate_items(gate: Gate) -> str:
    """The filters of the report's list that show a gate's items: "field=margin"; "" for all."""
    if gate.name == TIER1_FIELDS:
        return f"field={gate.scope}"
    if gate.name in AT_MOST:
        return f"outcome={Outcome.HALLUCINATION}"
    return "" if gate.scope == "all" else f"capability={gate.scope}"


def number(value: float | None, digits: int = 3) -> str:
    """A score or rate 0..1, never rounded up to a pass: 0.8499 is not shown as 0.85; a dash when there is none."""
    if value is None:
        return "–"
    cut = int(abs(value) * 10**digits + 1e-9) / 10**digits
    return f"{'-' if value < 0 and cut else ''}{cut:.{digits}f}"


def span_text(bounds: Sequence[float] | None) -> str:
    """Bounds or an interval as text."""
    if bounds is None:
        return "–"
    low, high = number(bounds[0]), number(bounds[1])
    return low if low == high else f"{low} to {high}"


def figure_text(value: float | None, bounds: Sequence[float] | None) -> str:
    """A figure, or where its open parts let it lie, lower end first: a rate of what is scored so far is no figure of the whole."""
    return number(value) if bounds is None else span_text(sorted(bounds))


def gate_figure(gate: Gate) -> str:
    """What a gate's figure is, and with accepted deviations."""
    excepted = f" ({span_text(gate.bounds_with_exceptions)} with exceptions)" if gate.bounds_with_exceptions is not None else ""
    return figure_text(gate.value, gate.bounds) + excepted


def gate_result(gate: Gate, word: str = "") -> str:
    """How a gate ended, in a word of the page's own where it has one; one that rests on accepted deviations says so."""
    return (word or gate.result.replace("_", " ")) + " by exception" * gate.is_by_exception


def accepted_text(count: int) -> str:
    """How many deviations count as accepted."""
    return f"{counted(count, 'deviation')} accepted by exception"


def change_text(bounds: Sequence[float] | None) -> str:
    """A difference, or its range, with its sign; cut as every figure is."""
    if bounds is None:
        return "–"
    low, high = (f"{'' if text.startswith('-') else '+'}{text}" for text in map(number, bounds))
    return low if low == high else f"{low} to {high}"


def condition(gate: Gate) -> str:
    """What the gate asks for."""
    return f"{'≤' if gate.name in AT_MOST else '≥'} {number(gate.threshold, 2)}"


def opening(verdict: str) -> str:
    """The release verdict in a few words."""
    return str(WORDS["openings"].get(verdict, verdict))


def headline(results: Results) -> str:
    """The release verdict in a few words; one that rests on accepted deviations or on verdicts that people overruled says so."""
    by_exception, overruled = sum(gate.is_by_exception for gate in results.gates), results.counts.get("as_corrected", 0)
    expired = results.counts.get(EXPIRED_COUNT, 0) if results.verdict != "pass" else 0
    text = opening(results.verdict) + (f", {counted(by_exception, 'gate')} by exception" if by_exception else "")
    text += f", {expired_text(expired)}" if expired else ""
    return text + (f", {counted(overruled, 'verdict')} as people corrected {'it' if overruled == 1 else 'them'}" if overruled else "")


def sentence(results: Results) -> str:
    """The release verdict with its reasons, as one sentence."""
    start = headline(results)
    if results.verdict == "nothing_evaluated":
        return f"{start}: the batch or the filter left no case."
    applicable = [g for g in results.gates if g.result != "not_applicable"]
    failing = [g for g in applicable if g.result == "fail"]
    waiting = [g for g in applicable if g.result == "inconclusive"]
    if failing:
        return f"{start}: {len(failing)} of {len(applicable)} gates fail ({listed(failing)})."
    if waiting:
        return f"{start}: {len(waiting)} of {len(applicable)} gates are open ({listed(waiting)})."
    if results.verdict == "pass":
        return f"{start}: all {len(applicable)} gates pass."
    return f"{start}: {results.why}." if results.why else f"{start}."


def reasons(results: Results) -> str:
    """The verdict's sentence without its opening, for a page that has the opening as its headline."""
    rest = sentence(results).removeprefix(headline(results)).lstrip(":. ")
    return rest[:1].upper() + rest[1:]


def correction_text(said: Said) -> str:
    """Who disputes a verdict of the program, and whether a second person does."""
    text = f"{said.who or 'Somebody'} says {OUTCOME_TITLES[said.label].lower()}"
    text += f", and {said.second} confirms it" if said.is_confirmed else ": no second person has confirmed it"
    others = (f"{' and '.join(filter(None, (o.who, o.second)))} said {OUTCOME_TITLES[o.label].lower()}: {o.why}" for o in said.others)
    return "; ".join([text, *others])


def former_text(said: Said) -> str:
    """A decision that does not count any more."""
    when = f" on {said.when[:10]}" if said.when else ""
    return f"{said.who or 'Somebody'} said {OUTCOME_TITLES[said.label].lower()}{when}, when output, document, gold or verdict was another"


def counted(n: int, noun: str) -> str:
    """1 item, 2 items."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


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
    parts = [*_score_lines(case.capability, case), *(f"{name.replace('_', ' ')}: {count}" for name, count in case.counts.items())]
    return "; ".join(parts if case.criteria is None else [*parts, criteria_text(case.criteria)])


def _score_lines(capability: str, scored: CaseResult | CapabilityScore) -> Iterator[str]:
    yield from dimension_lines(capability, scored.companion)
    yield from (f"provenance {line}" for line in dimension_lines(capability, scored.provenance_score) if line[0] in PROVENANCE)


def criteria_text(result: CriteriaResult) -> str:
    """What a case's own table says, with the row of each item."""
    low, high = result.bounds
    rows = ", ".join(f"{'the case' if item == '@case' else item}: row {row}" for item, row in result.rows.items())
    made_up = ", hallucinated by its own table" if result.hallucinated else ""
    return f"own criteria: {span_text((float(low), float(high)))}{made_up}" + (f" ({rows})" if rows else "")


def capability_text(score: CapabilityScore) -> str:
    """The companion and provenance scores of a capability in a line."""
    parts = list(_score_lines(score.name, score))
    if "score" in score.provenance_score:
        low, high = score.provenance_score["score"]
        parts.append(f"provenance score: {span_text((float(low), float(high)))}")
    return "; ".join(parts)
