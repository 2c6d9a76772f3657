"""Benchmark terms validation (standard 3, design/benchmark.md): the family that law and market require, deviations with their four parts,
affirmed true negatives, and terms without a comparator."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from deterministic.values import KINDS
from deterministic.values.figures import gaps
from deterministic.values.names import laws
from deterministic.values.stated import is_stated
from judge.capabilities.benchmark import BenchmarkFinding, BenchmarkFindingGold, BenchmarkGold, BenchmarkOutput
from judge.capabilities.benchmark.family import TermPair, applied_family, family_item, family_text, fold_term, pair_terms, same_words
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, Subject, asked, by_verdict, closed, decide, decide_extra, opened, value_facts, worst_part
from judge.capabilities.figures import figures_in, others_in, shares_figure, stands_in, values_in
from judge.capabilities.provenance import Assessed, Support, aside_of, assess_all, gold_places
from judge.capabilities.wording import alternatives, fold_text, has_words, names_subject, unique_names, with_conditions
from judge.records import FALSE_NEGATIVES, FALSE_POSITIVES, Decision, Fact, Finding, Outcome, Part

WEIGHT = Fraction(1)


def judge(context: Context) -> list[Decision]:
    """Every item of a benchmark case: the family, one item per gold finding, and what was reported beside."""
    output: BenchmarkOutput | None = context.case.output
    gold: BenchmarkGold | None = context.case.gold
    if gold is None:
        return list(_without_gold(context, output or BenchmarkOutput()))
    reported = output or BenchmarkOutput()
    pairs = pair_terms(context, reported.findings, gold.findings)
    decisions = [family_item(context, reported, gold)]
    decisions.extend(_finding_item(context, reported, gold, true, pairs.get(n)) for n, true in enumerate(gold.findings))
    return [*decisions, *_extras(context, reported, gold, [pair.finding for pair in pairs.values()])]


def _finding_item(
    context: Context, output: BenchmarkOutput, gold: BenchmarkGold, true: BenchmarkFindingGold, pair: TermPair | None
) -> Decision:
    mine = pair.finding if pair is not None else None
    subject = _subject(f"findings.{true.term}", WEIGHT, mine, true)
    silence = closed(Outcome.FAIL, f"Nothing is said of {true.term}; it is {true.finding.replace('_', ' ')}.", "3.1 Fail")
    if pair is None or mine is None:
        return decide(context, subject, silence, aside=_aside(context, true, None, silence, None))
    content = FINDING_RULES[true.finding](context, output, gold, true, mine)
    assessed, provenances = assess_all(context, mine.claims, _support(mine, true), gold_places(true.claims))
    label = Outcome.TRUE_NEGATIVE if true.finding == "conforming" else None
    part, aside = worst_part([content, assessed.part]), _aside(context, true, mine, content, assessed)
    if pair.question is not None:
        branches = {"equivalent": part, "partially_equivalent": silence, "not_equivalent": silence}
        part = by_verdict(context.answers, pair.question, branches, f"No rule tells whether {mine.term!r} is {true.term!r}.", "3.1")
    return decide(context, subject, part, assessed.provenance, provenances, best_label=label, aside=aside)


def _aside(
    context: Context, true: BenchmarkFindingGold, mine: BenchmarkFinding | None, content: Part, assessed: Assessed | None
) -> Aside | None:
    """No rubric has dimensions for benchmark terms: what is counted is whether a deviation was claimed where there is none, or missed."""
    if context.contract.dimensions is None:
        return None
    is_claimed, is_one = mine is not None and mine.finding == "deviation", true.finding == "deviation"
    counts = {FALSE_POSITIVES: Fraction(is_claimed and not is_one), FALSE_NEGATIVES: Fraction(is_one and not is_claimed)}
    return aside_of({name: (n, n) for name, n in counts.items()}, {"content": content}, assessed, _facts(context, true, mine))


def _facts(context: Context, true: BenchmarkFindingGold, mine: BenchmarkFinding | None) -> Mapping[str, Fact]:
    """Of the deal value: whether it is gold's, one that is nowhere in the document, and in gold's characters."""
    if mine is None or mine.deal_value is None or true.deal_value is None:
        return {}
    label = gaps.compare_value(mine.deal_value, true.deal_value).label
    figures = figures_in(mine.deal_value)
    is_invented = bool(figures) and not any(stands_in(f, document) for f in figures for document in context.documents.values())
    content = closed(Outcome.CORRECT if label == "correct" else Outcome.FAIL, "", "3.1")
    if label == "open":
        content = opened(Outcome.FAIL, Outcome.CORRECT, "", "3.1", "unasked")
    nowhere = is_invented if context.is_readable or not is_invented else None
    return value_facts(content, nowhere, mine.deal_value, true.deal_value)


def _deviation(context: Context, output: BenchmarkOutput, gold: BenchmarkGold, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Part:
    if mine.finding != "deviation":
        return closed(Outcome.FAIL, f"A deviation was missed: reported as {mine.finding.replace('_', ' ')}.", "3.1 Fail")
    if missing := [part for part in context.contract.benchmark.deviation_parts if not is_stated(getattr(mine, part))]:
        detail = f"missing: {', '.join(missing)}"
        sentence = f"The deviation does not state all four parts ({detail})."
        return closed(Outcome.FAIL, sentence, "3.1 Correct", Finding("PART_MISSING", detail))
    family = _family_part(context, output, gold)
    return worst_part([family, *_value_parts(context, true, mine), _reference_part(context, gold, true, mine)])


def _conforming(context: Context, output: BenchmarkOutput, gold: BenchmarkGold, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Part:
    if mine.finding == "deviation":
        finding = Finding("FALSE_POSITIVE", f"{true.term} is market-standard")
        return closed(Outcome.FAIL, f"{true.term} is market-standard; reported as a deviation.", "3.1 Fail", finding)
    if mine.finding != "conforming":
        return closed(Outcome.FAIL, f"{true.term} has a benchmark and must be evaluated.", "3.3 Standard terms")
    if not is_stated(mine.benchmark_reference):
        return closed(Outcome.FAIL, "Conformity is stated without a benchmark reference.", "3.1 True negative")
    affirmed = closed(Outcome.CORRECT, "Conformity is affirmed with an agreeing reference.", "3.1 True negative")
    parts = [affirmed, _family_part(context, output, gold), _reference_part(context, gold, true, mine)]
    return worst_part([*parts, *_conforming_values(context, true, mine)])


def _conforming_values(context: Context, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Iterator[Part]:
    """Values that an affirmation states beside its reference have to agree with it; what no rule reads is a question."""
    tolerance = context.contract.benchmark.tolerance_bps
    if true.deal_value and mine.deal_value:
        if (found := gaps.compare_value(mine.deal_value, true.deal_value).label) == "wrong":
            yield closed(Outcome.FAIL, f"The deal value is {true.deal_value!r}; reported: {mine.deal_value!r}.", "3.1 Fail")
        elif found == "open":
            yield _value_words(context, "deal_value", true, mine)
    if true.benchmark_value and is_stated(mine.benchmark_value):
        numbers = gaps.judge_numbers("", mine.benchmark_value or "", "", true.benchmark_value, None, tolerance, _range_of(true))
        if numbers.outcome == "wrong":
            yield closed(Outcome.FAIL, f"{numbers.reason}.", "3.1 Fail")
        elif numbers.outcome == "open":
            yield _value_words(context, "benchmark_value", true, mine)
    deal = mine.deal_value or true.deal_value
    if deal and mine.benchmark_value and gaps.holds(mine.benchmark_value, deal, tolerance) is False:
        sentence = f"The stated benchmark {mine.benchmark_value!r} does not hold the deal value {deal!r}."
        yield closed(Outcome.FAIL, sentence, "3.1 True negative")
    if is_stated(mine.gap) and true.gap is None:
        if (gap := gaps.parse_gap(mine.gap or "")) is None:
            yield _gap_words(context, true.model_copy(update={"gap": "no gap: the term conforms"}), mine)
        elif gap.size > (tolerance if gap.sort == "bps" else 0):
            yield closed(Outcome.FAIL, f"Conformity is stated with a gap of {mine.gap!r}.", "3.1 True negative")


def _range_of(true: BenchmarkFindingGold) -> gaps.Quantity | None:
    stated = true.benchmark_range
    return None if stated is None else gaps.parse_value(f"{stated.low} {stated.unit} to {stated.high} {stated.unit}")


def _not_comparable(
    context: Context, output: BenchmarkOutput, gold: BenchmarkGold, true: BenchmarkFindingGold, mine: BenchmarkFinding
) -> Part:
    if mine.finding == "not_comparable":
        return closed(Outcome.CORRECT, f"{true.term} has no comparator, and the output says so.", "3.3 Novel structures")
    if mine.finding == "deviation":
        finding = Finding("FALSE_FLAG_NOVEL", f"{true.term} has no comparator")
        return closed(Outcome.FAIL, f"{true.term} has no comparator; reported as a deviation.", "3.3 Novel structures", finding)
    return closed(Outcome.FAIL, f"{true.term} has no comparator; reported as conforming.", "3.3 Novel structures")


FINDING_RULES = {"deviation": _deviation, "conforming": _conforming, "not_comparable": _not_comparable}


def _family_part(context: Context, output: BenchmarkOutput, gold: BenchmarkGold) -> Part:
    right = f"All parts are stated and right (rates within {context.contract.benchmark.tolerance_bps} bps), in the required family."
    return applied_family(context, output, gold, right, "3.1")


def _value_parts(context: Context, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> list[Part]:
    """Deal value equal; benchmark value and gap within the tolerance, and the gap what deal minus benchmark is."""
    parts = []
    deal, benchmark, gap = mine.deal_value or "", mine.benchmark_value or "", mine.gap or ""
    if true.deal_value is not None:
        found = gaps.compare_value(deal, true.deal_value)
        if found.label == "open":
            parts.append(_value_words(context, "deal_value", true, mine))
        elif found.label != "correct":
            parts.append(closed(Outcome.FAIL, f"The deal value is {true.deal_value!r}; reported: {deal!r}.", "3.1 Fail"))
    tolerance = context.contract.benchmark.tolerance_bps
    numbers = gaps.judge_numbers(deal, benchmark, gap, true.benchmark_value, true.gap, tolerance, _range_of(true))
    if numbers.outcome == "wrong":
        return [*parts, closed(Outcome.FAIL, f"{numbers.reason}.", "3.1 Fail")]
    if "benchmark" in numbers.open_parts and true.benchmark_value is not None:
        parts.append(_value_words(context, "benchmark_value", true, mine))
    if "gap" in numbers.open_parts and true.gap is not None:
        parts.append(_gap_words(context, true, mine))
    return parts


def _value_words(context: Context, name: str, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Part:
    reported, expected = getattr(mine, name) or "", getattr(true, name) or ""
    wrong = closed(Outcome.FAIL, f"The {name.replace('_', ' ')} is {expected!r}; reported: {reported!r}.", "3.1 Fail")
    field, claims = f"{name.replace('_', ' ').capitalize()} of the term {true.term!r}", mine.claims if name == "deal_value" else ()
    return same_words(context, field, reported, expected, wrong, "3.1 Correct", claims)


def _gap_words(context: Context, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Part:
    branches = {
        "same_gap": closed(Outcome.CORRECT, "The judge finds the gap in words right.", "3.1 Quantified gap"),
        "different_gap": closed(Outcome.FAIL, f"The gap is {true.gap!r}; reported: {mine.gap!r}.", "3.1 Quantified gap"),
    }
    texts = {"deal_value": true.deal_value or "", "benchmark_value": true.benchmark_value or ""}
    texts |= {"term": true.term, "reported_gap": mine.gap or "", "gold_gap": true.gap or ""}
    return asked(context, "benchmark_gap", branches, "No rule tells whether the gap in words is right.", "3.1 Quantified gap", **texts)


def _reference_part(context: Context, gold: BenchmarkGold, true: BenchmarkFindingGold, mine: BenchmarkFinding) -> Part:
    """The publication or clause reference: gold's spelling or an accepted one, of the right family; else one question."""
    rule, reported = "3.1 Benchmark reference", mine.benchmark_reference or ""
    known = [r for r in (true.benchmark_reference, *true.accepted_references) if r]
    if not known or fold_text(reported) in map(fold_text, known):
        return closed(Outcome.CORRECT, "The benchmark reference is right.", rule)
    wrong = closed(Outcome.FAIL, f"The reference is {known[0]!r}; reported: {reported!r}.", rule)
    branches = {"right_reference": closed(Outcome.CORRECT, "The judge finds the reference right.", rule), "wrong_reference": wrong}
    texts = {"term": true.term, "reported_reference": reported, "gold_reference": alternatives(known)}
    return asked(context, "benchmark_reference", branches, "No rule tells whether the reference is the required one.", rule, **texts)


def _support(mine: BenchmarkFinding, true: BenchmarkFinding | None) -> Support:
    """A quote supports a finding when it holds the deal value and no other of its kind, at gold's place or beside the term."""
    values = [v for v in (mine.deal_value, true.deal_value if true else None) if v]
    figures = [f for v in values for f in values_in(v)]
    terms = [fold_term(term) for term in (mine.term, *((true.term, *getattr(true, "aliases", ())) if true else ()))]

    def contains(text: str) -> bool:
        if any(KINDS["law"].supports(v, text) for v in values if laws.parse(v)):
            return True
        return any(has_words(text, v) for v in values) or shares_figure(figures, text)

    return Support(
        mine.term.replace("_", " "),
        f"{mine.term}: {mine.deal_value or 'a term of the deal, no value stated'}",  # how it compares no quote of the deal can show
        contains,
        has_others=lambda text: others_in(text, figures),
        is_own=lambda check: any(names_subject(check.claim.quote or "", term) for term in terms),
    )


def _extras(context: Context, output: BenchmarkOutput, gold: BenchmarkGold, paired: Sequence[BenchmarkFinding]) -> Iterator[Decision]:
    known = {fold_term(term) for f in gold.findings for term in (f.term, *f.aliases)}
    extras = [finding for finding in output.findings if not any(finding is other for other in paired)]
    for finding, name in zip(extras, unique_names([finding.term for finding in extras]), strict=True):
        assessed, provenances = assess_all(context, finding.claims, None)
        extra = Finding("EXTRA_FINDING", f"{finding.term} is reported, and gold does not have it")
        if fold_term(finding.term) in known:
            extra = Finding("DUPLICATE_FINDING", "reported twice")
        subject = _subject(f"findings.+{name}", Fraction(0), finding)
        yield decide_extra(context, subject, extra, assessed.part, assessed.provenance, provenances, assessed.aside)


def _without_gold(context: Context, output: BenchmarkOutput) -> Iterator[Decision]:
    unknown = opened(Outcome.FAIL, Outcome.CORRECT, "Which benchmark and finding are right is not known.", "3.1", "no_reference")
    yield decide(context, Subject("benchmark", WEIGHT, reported=family_text(output)), unknown)
    for finding, name in zip(output.findings, unique_names([finding.term for finding in output.findings]), strict=True):
        assessed, provenances = assess_all(context, finding.claims, _support(finding, None))
        part = worst_part([unknown, assessed.part])
        subject = _subject(f"findings.{name}", WEIGHT, finding)
        yield decide(context, subject, part, assessed.provenance, provenances, aside=assessed.aside)


def _subject(item: str, weight: Fraction, mine: BenchmarkFinding | None, true: BenchmarkFindingGold | None = None) -> Subject:
    reported, gold = None if mine is None else _text(mine), None
    if true is not None:
        r = true.benchmark_range
        stated = [" ".join(filter(None, (f"{r.low:g} to {r.high:g} {r.unit}", r.rating, r.region, r.tenor)))] if r else []
        gold = with_conditions(_text(true), {"Also right": true.accepted_references, "Also called": true.aliases, "Range": stated})
    if mine is not None and true is not None and fold_term(mine.term) != fold_term(true.term):
        reported = f"{reported}; {mine.term}"
    confidence, metadata = (None, {}) if mine is None else (mine.confidence, mine.carried)
    return Subject(item, weight, reported=reported, gold=gold, confidence=confidence, metadata=metadata)


def _text(finding: BenchmarkFinding) -> str:
    values = (finding.deal_value, finding.benchmark_value, finding.gap, finding.benchmark_reference, finding.disclosure)
    return "; ".join([finding.finding, *(v for v in values if v)])
