"""Covenant monitoring (standard 2, design/covenants.md): each gold covenant is paired with a reported one, and is worth the worst of its
type, threshold, testing frequency, effective date, mandatory flags and provenance."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from deterministic.values.figures import thresholds
from deterministic.values.stated import is_stated
from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold, CovenantOutput, CovenantsGold, Flag
from judge.capabilities.covenants.flags import (
    case_flag_decisions,
    extra_flag,
    flag_claim,
    flag_parts,
    flag_provenance,
    invented_threshold,
    spare_flags,
)
from judge.capabilities.covenants.pairing import Pairing, pair_covenants
from judge.capabilities.covenants.terms import date_part, frequency_part, secondary_findings, support_of, threshold_part, type_part
from judge.capabilities.decisions import Aside, Subject, by_verdict, closed, decide, decide_extra, opened, value_facts, worst_part
from judge.capabilities.provenance import Assessed, aside_of, assess_all, gold_places, invented_parts, worst_of_several
from judge.capabilities.scoring.citations import score_of
from judge.capabilities.scoring.dimensions import COVENANT_PARTS, FLAG, NONE
from judge.capabilities.wording import fold_text, unique_names, with_conditions
from judge.records import Bounds, Decision, Fact, Finding, Outcome, Part, Provenance

WEIGHT = Fraction(1)


def judge(context: Context) -> list[Decision]:
    """One item for each gold covenant, and one for each reported covenant that gold lacks."""
    output: CovenantOutput = context.case.output or CovenantOutput()
    gold: CovenantsGold | None = context.case.gold
    if gold is None:
        return list(_without_gold(context, output))
    pairing = pair_covenants(context, output.covenants, gold.covenants)
    names = unique_names([g.name for g in gold.covenants])
    decisions = [_covenant_item(context, true, name, pairing, n) for n, (true, name) in enumerate(zip(gold.covenants, names, strict=True))]
    flags = case_flag_decisions(context, gold.flags, output.flags, list(_flags_to_spare(output, gold, pairing)))
    return [*decisions, *flags, *_extras(context, output, gold, pairing)]


def _flags_to_spare(output: CovenantOutput, gold: CovenantsGold, pairing: Pairing) -> Iterator[Flag]:
    for n, true in enumerate(gold.covenants):
        if (mine := pairing.paired(n)) is not None:
            yield from spare_flags(mine, true)
    yield from (flag for n in pairing.unpaired for flag in output.covenants[n].flags)


def _covenant_item(context: Context, true: CovenantGold, name: str, pairing: Pairing, n: int) -> Decision:
    subject = Subject(f"covenants.{name}", WEIGHT, reported=None, gold=with_conditions(_text(true), {"Also called": true.aliases}))
    missed = closed(Outcome.FAIL, f"{true.name} is missed.", "2.1 Fail", Finding("COVENANT_MISSED", true.name))
    mine, question = pairing.paired(n), pairing.questions.get(n)
    if mine is None or says_nothing(mine):
        aside = _aside(context, true, {"found": missed})
        return decide(context, subject, missed, findings=() if mine is None else (_nothing(mine),), aside=aside)
    parts, assessed, provenances, findings = _paired(context, mine, true)
    subject = replace(subject, reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
    part, found = worst_part([*parts.values(), assessed.part]), closed(Outcome.CORRECT, "The covenant is recognised.", "2.1")
    if question is not None:
        reason = f"No rule tells whether the reported {mine.name!r} is {true.name!r}."
        part, found = (by_verdict(context.answers, question, {"same": same, "different": missed}, reason, "2.1") for same in (part, found))
    aside = _aside(context, true, {"found": found, **parts}, assessed, mine)
    return decide(context, subject, part, assessed.provenance, provenances, findings, aside=aside)


def _paired(
    context: Context, mine: Covenant, true: CovenantGold
) -> tuple[dict[str, Part], Assessed, tuple[Provenance, ...], tuple[Finding, ...]]:
    threshold, flags = threshold_part(context, mine, true), list(flag_parts(context, mine, true))
    own = assess_all(context, mine.claims, support_of(context, mine, true, threshold), gold_places(true.claims))
    combined, provenances = _with_flags(context, mine, true, own)
    parts = {"type": type_part(context, mine, true), "threshold": threshold, "frequency": frequency_part(context, mine, true)}
    parts |= {"date": date_part(context, mine, true), **dict(zip(_flag_names(true), flags, strict=True))}
    of_the_case = {flag.kind for flag in context.case.gold.flags}
    extra = [extra_flag(flag) for flag in spare_flags(mine, true) if flag.kind not in of_the_case]
    return parts, combined, provenances, (*secondary_findings(mine, true), *extra)


def _aside(
    context: Context, true: CovenantGold, parts: Mapping[str, Part], assessed: Assessed | None = None, mine: Covenant | None = None
) -> Aside | None:
    """The scores of one gold covenant: D1 whether it is found, D2 to D4 while it can be, each flag; None without dimensions. parts: `found`
    alone for a missed one."""
    if (rules := context.contract.dimensions) is None:
        return None
    is_found = parts["found"].best is Outcome.CORRECT
    found = Fraction(is_found and not parts["found"].is_open), Fraction(is_found)
    dimensions: dict[str, Bounds] = {"D1": found}
    if is_found:
        dimensions |= {name: score_of(parts[part], getattr(rules, part)) for name, part in COVENANT_PARTS.items()}
    for name in _flag_names(true):
        low, high = score_of(parts[name], rules.flag) if name in parts else NONE
        dimensions[name] = (low * found[0], high * found[1])
    facts: dict[str, Fact] = {}
    if mine is not None and mine.threshold is not None:  # an invented threshold of a known covenant is a wrong one
        facts = value_facts(parts["threshold"], False, mine.threshold, true.threshold)
    aside = aside_of(dimensions, parts, assessed, facts)
    return replace(aside, asked=(parts["found"],)) if parts["found"].questions else aside


def _flag_names(true: CovenantGold) -> list[str]:
    """The names of gold's flags as parts: `flags.carve_out`, a second of one kind with `#2`."""
    return unique_names([f"{FLAG}{flag.kind}" for flag in true.flags])


def _extras(context: Context, output: CovenantOutput, gold: CovenantsGold, pairing: Pairing) -> Iterator[Decision]:
    known = {fold_text(name) for g in gold.covenants for name in (g.name, *g.aliases)}
    known |= {fold_text(output.covenants[n].name) for n in pairing.pairs.values()}
    extras = [output.covenants[n] for n in pairing.unpaired]
    for n, mine, name in zip(pairing.unpaired, extras, unique_names([mine.name for mine in extras]), strict=True):
        subject = Subject(f"covenants.+{name}", Fraction(0), reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
        if says_nothing(mine):
            invented = worst_part(invented_parts(context, mine.claims) or [closed(Outcome.CORRECT, "Nothing is reported.", "2.1")])
            yield decide_extra(context, subject, _nothing(mine), invented)
            continue
        combined, provenances = _with_flags(context, mine, None, assess_all(context, mine.claims, None))
        is_second = fold_text(mine.name) in known
        detail = f"a second report of {mine.name!r}" if is_second else f"gold has no covenant {mine.name!r}"
        if not is_second and n in pairing.rivals:
            detail += f", unless it is {gold.covenants[pairing.rivals[n]].name!r}"
        finding = Finding("DUPLICATE_COVENANT" if is_second else "EXTRA_COVENANT", detail)
        part = worst_part([combined.part, *invented_threshold(context, mine.threshold)])
        yield decide_extra(context, subject, finding, part, combined.provenance, provenances, combined.aside)


def says_nothing(mine: Covenant) -> bool:
    """A row that says that nothing was found ("Not explicitly defined in provided section") is no report."""
    told = [value for value in (mine.threshold, *(claim.quote for claim in mine.claims)) if value]
    return not mine.flags and not any(map(is_stated, told)) and not all(map(thresholds.is_nothing, told))


def _nothing(mine: Covenant) -> Finding:
    return Finding("NOTHING_REPORTED", f"{mine.name!r}: the row says that nothing was found")


def _without_gold(context: Context, output: CovenantOutput) -> Iterator[Decision]:
    for mine, name in zip(output.covenants, unique_names([c.name for c in output.covenants]), strict=True):
        own = assess_all(context, mine.claims, support_of(context, mine, None))
        combined, provenances = _with_flags(context, mine, None, own)
        unknown = opened(Outcome.FAIL, Outcome.CORRECT, "Whether the covenant is right is not known.", "2.1", "no_reference")
        part = worst_part([unknown, combined.part])
        subject = Subject(f"covenants.{name}", WEIGHT, reported=_text(mine), confidence=mine.confidence, metadata=mine.carried)
        yield decide(context, subject, part, combined.provenance, provenances, aside=combined.aside)
    yield from case_flag_decisions(context, (), output.flags, ())


def _text(covenant: Covenant) -> str:
    values = (covenant.type, covenant.secondary_type, covenant.threshold, covenant.testing_frequency, covenant.effective_date)
    flags = [" – ".join(filter(None, (f.kind, flag_claim(f)))) for f in covenant.flags]
    return "; ".join([covenant.name, *(v for v in values if v), *flags])


def _with_flags(
    context: Context, mine: Covenant, true: CovenantGold | None, own: tuple[Assessed, tuple[Provenance, ...]]
) -> tuple[Assessed, tuple[Provenance, ...]]:
    """A covenant's own citations with those of its flags: what they make of it, and the block of each."""
    cited = [own, *flag_provenance(context, mine, true)]
    blocks = [block for one, several in cited for block in several or (one.provenance,)]
    return worst_of_several([one for one, _ in cited]), tuple(blocks) if len(blocks) > 1 else ()
