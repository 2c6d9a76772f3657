"""Which reported finding is about which of gold's terms, and the benchmark family that law and market require (standard 3.2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from heapq import merge

from deterministic.lexicon.records import record
from deterministic.lexicon.stems import content_words
from deterministic.lexicon.tables import rows
from deterministic.values import KINDS, Surroundings
from deterministic.values.names import laws
from deterministic.values.names.laws import is_nested
from judge.capabilities.benchmark import BenchmarkFinding, BenchmarkFindingGold, BenchmarkGold, BenchmarkOutput
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import Subject, closed, decide, same_meaning, worst_part
from judge.capabilities.passages import reading
from judge.capabilities.provenance import check_claim
from judge.records import Decision, Finding, Outcome, Part, Question


@record
class TermPair:
    """A reported finding for one of gold's; question: what decides whether it is, None where the terms are equal."""

    finding: BenchmarkFinding
    question: Question | None = None


def fold_term(term: str) -> str:
    """Terms match after folding case, underscores and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", term.casefold()))


def pair_terms(context: Context, reported: Sequence[BenchmarkFinding], gold: Sequence[BenchmarkFindingGold]) -> dict[int, TermPair]:
    """Gold index -> its pair: by the folded term or an alias; of several reports of one term the first. What is left is asked about where
    the terms share a word."""
    paired: dict[int, TermPair] = {}
    by_name: dict[str, list[int]] = {}
    for k, mine in reversed([*enumerate(reported)]):
        by_name.setdefault(fold_term(mine.term), []).append(k)
    names = [{fold_term(term) for term in (true.term, *true.aliases)} for true in gold]
    for n, of_one in enumerate(names):
        named = [found for name in of_one if (found := by_name.get(name))]
        if named:
            paired[n] = TermPair(reported[min(named, key=lambda found: found[-1]).pop()])
    known = {name for n in paired for name in names[n]}
    by_word: dict[str, dict[int, None]] = {}
    free = sorted(k for name, left in by_name.items() if name not in known for k in left)
    words = {k: content_words(fold_term(reported[k].term)) for k in free}
    for k in free:
        for word in words[k]:
            by_word.setdefault(word, {})[k] = None
    for n in sorted(set(range(len(gold))) - set(paired)):
        shared = set().union(*(content_words(name) for name in names[n]))
        for k in merge(*(by_word.get(word, {}) for word in shared)):
            question = _same_term(reported[k], gold[n])
            answer = context.answers.get(question)
            if answer is None or answer.verdict not in ("partially_equivalent", "not_equivalent"):
                paired[n] = TermPair(reported[k], question)
                for word in words[k]:
                    del by_word[word][k]
                break
    return paired


def _same_term(mine: BenchmarkFinding, true: BenchmarkFindingGold) -> Question:
    told = (f"{one.term}: deal value {one.deal_value or 'not stated'}" for one in (mine, true))
    texts = dict(zip(("reported", "gold"), told, strict=True))
    return Question.of("semantic_match", field="compared term of the deal", context="", **texts)


WEIGHT, RULE = Fraction(1), "3.2 Jurisdiction matching"
MARKET_WORDS = [frozenset(row.split(", ")) for row in rows("markets")]


def family_of(context: Context, text: str) -> str | None:
    """The benchmark family that a whole text names ("LMA", "Loan Market Association (LMA)"); None where it says anything else."""
    told = fold_term(text)
    for family in context.contract.benchmark.families:
        name, full = family.name.casefold(), fold_term(family.full_name)
        if told in (name, full, f"{full} {name}", f"{name} {full}", f"the {full}"):
            return family.name
    return None


def _required(context: Context, gold: BenchmarkGold) -> str | None:
    """The family that applies: gold's, else the one that gold's law requires; None where nothing is required."""
    if gold.benchmark is not None:
        return family_of(context, gold.benchmark) or gold.benchmark
    for family in context.contract.benchmark.families:
        if gold.jurisdiction and any(_same_law(gold.jurisdiction, law) for law in family.laws):
            return family.name
    return None


def applied_family(context: Context, reported: BenchmarkOutput, gold: BenchmarkGold, right: str, rule: str) -> Part:
    """Whether the family that the output applies is the required one; of words that name none of the contract's only a judge can tell."""
    required, applied = _required(context, gold), reported.benchmark
    is_right = closed(Outcome.CORRECT, right, f"{rule} Correct" if rule == "3.1" else rule)
    if gold.jurisdiction_ambiguous or required is None:
        return is_right
    wrong = closed(Outcome.FAIL, f"{required} is required; applied: {applied or 'none'}.", f"{rule} Fail" if rule == "3.1" else rule)
    if applied is None:
        return wrong
    if (family := family_of(context, applied)) == required or fold_term(applied) == fold_term(required):
        return is_right
    return wrong if family is not None else same_words(context, "benchmark family", applied, required, wrong, rule)


def _same_law(a: str, b: str) -> bool:
    return KINDS["law"].compare(a, b, (), Surroundings()).label in ("correct", "semantic_match")


def family_item(context: Context, reported: BenchmarkOutput, gold: BenchmarkGold) -> Decision:
    subject = Subject("benchmark", WEIGHT, reported=family_text(reported), gold=family_text(gold))
    if context.case.output is None:
        return decide(context, subject, closed(Outcome.FAIL, "There is no output.", "3.2 Fail", Finding("NOT_REPORTED", "no output")))
    if gold.jurisdiction_ambiguous:
        return decide(context, subject, worst_part([_ambiguous_part(reported), *_foreign_law(reported, gold)]))
    return decide(context, subject, worst_part([_applied_part(context, reported, gold), *_deal_parts(context, reported, gold)]))


def family_text(said: BenchmarkOutput | BenchmarkGold) -> str | None:
    """The family with the law and the market that it is required by."""
    named = (said.benchmark, said.jurisdiction, said.market, "ambiguous" if said.jurisdiction_ambiguous else None)
    return "; ".join(filter(None, named)) or None


def _ambiguous_part(reported: BenchmarkOutput) -> Part:
    rule = "3.2 Mixed / unclear"
    if not reported.jurisdiction_ambiguous:
        return closed(Outcome.FAIL, "Law and market are mixed or unclear, and the output does not flag it.", rule)
    if reported.benchmark is None:
        return closed(Outcome.CORRECT, "The ambiguity is flagged and no benchmark is applied.", rule)
    if reported.findings and all((f.disclosure or "").strip() for f in reported.findings):
        return closed(Outcome.CORRECT, "The ambiguity is flagged, and every finding discloses the benchmark applied.", rule)
    return closed(Outcome.FAIL, f"The ambiguity is flagged, but {reported.benchmark} is applied without disclosure.", rule)


def _foreign_law(reported: BenchmarkOutput, gold: BenchmarkGold) -> Iterator[Part]:
    """A law that is none of those that gold's mixed jurisdiction names."""
    known, mine = {m.value for m in laws.scan(gold.jurisdiction or "")}, laws.parse(reported.jurisdiction or "")
    if known and mine is not None and not any(mine == law or is_nested(mine, law) for law in known):
        sentence = f"The jurisdiction is {gold.jurisdiction}; reported: {reported.jurisdiction}."
        yield closed(Outcome.FAIL, sentence, RULE)


def _applied_part(context: Context, reported: BenchmarkOutput, gold: BenchmarkGold) -> Part:
    right = f"{_required(context, gold) or 'No family'} is required and applied."
    part = applied_family(context, reported, gold, right, RULE)
    if not reported.jurisdiction_ambiguous:
        return part
    return replace(part, findings=(*part.findings, Finding("UNNEEDED_AMBIGUITY", "law and market are not ambiguous")))


def _deal_parts(context: Context, reported: BenchmarkOutput, gold: BenchmarkGold) -> Iterator[Part]:
    """Gold may give law and market: another one reported fails the item; one that is not reported does not."""
    told: list[tuple[str, str, str, bool]] = []
    if gold.jurisdiction and reported.jurisdiction and not _same_law(reported.jurisdiction, gold.jurisdiction):
        is_other = KINDS["law"].compare(reported.jurisdiction, gold.jurisdiction, (), Surroundings()).label == "wrong"
        told.append(("jurisdiction", reported.jurisdiction, gold.jurisdiction, is_other))
    if gold.market and reported.market:
        mine, theirs = _market_of(context, reported.market), _market_of(context, gold.market)
        is_known = {mine, theirs} <= {family.market for family in context.contract.benchmark.families}
        told += [("market", reported.market, gold.market, is_known)] * (mine != theirs)
    for field, ours, true, is_other in told:
        fail = closed(Outcome.FAIL, f"The {field} is {true}; reported: {ours}.", RULE)
        yield fail if is_other else same_words(context, field, ours, true, fail, RULE)


def _market_of(context: Context, text: str) -> str:
    """The market of the contract that a whole text is ("Asia Pacific (APAC)", "European loan market"), else its folded words."""
    folded = re.sub(r"^the | (?:loan )?markets?$", "", fold_term(text))
    for family in context.contract.benchmark.families:
        market = fold_term(family.market)
        words = next((group for group in MARKET_WORDS if market in group), frozenset({market}))
        if re.fullmatch(rf"(?:(?:{'|'.join(sorted(words, key=len, reverse=True))})(?: |$))+", folded):
            return family.market
    return folded


def same_words(context: Context, field: str, reported: str, gold: str, wrong: Part, rule: str, claims: Sequence[Citation] = ()) -> Part:
    """Two values in words: one question; `partially_equivalent` counts as wrong (design/benchmark.md)."""
    passage = reading(context, [check_claim(context, claim) for claim in claims], f"{reported}\n{gold}") if claims else ""
    same = closed(Outcome.CORRECT, f"The judge finds {reported!r} equivalent to {gold!r}.", rule)
    texts = {"field": field, "reported": reported, "gold": gold, "context": passage}
    return same_meaning(context, (same, wrong, wrong), f"No rule tells whether {reported!r} is {gold!r}.", rule, **texts)
