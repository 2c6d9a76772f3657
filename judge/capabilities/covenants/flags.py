"""The mandatory flags of covenants and of the case (standard 2.3, design/covenants.md Flags): waiver, carve-out, grace period,
cross-default. A flag of the case has weight 0 by the standard, and counts in D5."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.guarded import pattern
from deterministic.values import KINDS, Comparison, Surroundings, dates, thresholds
from judge.capabilities.context import Context
from judge.capabilities.covenants import CarveOutItem, Covenant, CovenantGold, Flag
from judge.capabilities.decisions import Aside, Subject, by_verdict, closed, decide, decide_extra, nowhere_part, text_of, worst_part
from judge.capabilities.figures import Figure, others_in, shares_figure, values_in
from judge.capabilities.provenance import Assessed, Support, assess_all, gold_places
from judge.capabilities.scoring.citations import score_of
from judge.capabilities.wording import fold_text, has_words, unique_names
from judge.records import Decision, Finding, Outcome, Part, Question
from rubrics.contract import FLAG_PARTS

RULE = "2.3 Mandatory flags"


def _named(part: str, kind: str) -> str:
    """A part of a flag for people: "The waived threshold of the waiver", "Whether the waiver is temporary"."""
    return f"Whether the {kind} is temporary" if part == "temporary" else f"The {part.replace('_', ' ')} of the {kind}"


def _said(value: object) -> str:
    """A value in a sentence."""
    return {True: "yes", False: "no", None: "nothing"}.get(value, repr(value)) if isinstance(value, bool | None) else repr(value)


def paired_flags(mine: Covenant, true: CovenantGold) -> list[tuple[Flag, Flag | None]]:
    """Each gold flag with the reported flag of its kind: among several of one kind the one that shares most values, in output order."""
    free = list(mine.flags)
    pairs: list[tuple[Flag, Flag | None]] = []
    for gold in true.flags:
        candidates = [f for f in free if f.kind == gold.kind]
        best = max(candidates, key=lambda f: shared_values(f, gold), default=None)
        if best is not None:
            free.remove(best)
        pairs.append((gold, best))
    return pairs


def shared_values(mine: Flag, gold: Flag) -> int:
    """How many values two flags have in common."""
    keys = ("covenant", "original_threshold", "waived_threshold", "period", "items", "days", "triggers", "threshold")
    return sum(
        getattr(mine, k) is not None and fold_text(text_of(getattr(mine, k)) or "") == fold_text(text_of(getattr(gold, k)) or "")
        for k in keys
    )


def flag_parts(context: Context, mine: Covenant, true: CovenantGold) -> Iterator[Part]:
    """One part for each gold flag."""
    for gold, flag in paired_flags(mine, true):
        yield flag_part(context, flag, gold, true.name, (true.name, *true.aliases))


def flag_part(context: Context, mine: Flag | None, gold: Flag, owner: str, names: Sequence[str] = ()) -> Part:
    """What a reported flag says beside gold's of its kind. owner: whose flag it is; names: of its covenant."""
    if mine is None or not _says_anything(context, mine):
        finding = Finding("FLAG_MISSING", f"the {gold.kind.replace('_', ' ')} is not flagged")
        return closed(Outcome.FAIL, f"The {gold.kind.replace('_', ' ')} of {owner} is passed over.", RULE, finding)
    return worst_part([FLAG_RULES[gold.kind](context, mine, _of_parts_due(context, mine, gold), names)])


def _says_anything(context: Context, flag: Flag) -> bool:
    """An empty carve-out list is a missing flag, as long as the contract asks for the list."""
    return flag.kind != "carve_out" or bool(flag.items) or not _is_due(context, "carve_out", "items")


def _is_due(context: Context, kind: str, part: str) -> bool:
    """Whether the contract asks a flag of this kind to state the part."""
    return part in context.contract.covenants.flag_parts[kind]


def _of_parts_due(context: Context, mine: Flag, gold: Flag) -> Flag:
    """Gold's flag without the parts that the contract does not ask for and the output leaves out."""
    spare = [part for part in FLAG_PARTS[gold.kind] if getattr(mine, part) in (None, "", ()) and not _is_due(context, gold.kind, part)]
    return gold.model_copy(update=dict.fromkeys(spare))


def spare_flags(mine: Covenant, true: CovenantGold | None) -> list[Flag]:
    """Reported flags of a covenant that gold has not there."""
    paired = [flag for _, flag in paired_flags(mine, true) if flag is not None] if true is not None else []
    return [f for f in mine.flags if not any(f is p for p in paired)]


def extra_flag(flag: Flag) -> Finding:
    """A reported flag that gold lacks: a finding only."""
    return Finding("EXTRA_FLAG", f"gold has no {flag.kind.replace('_', ' ')} here")


# ---- the parts of each kind --------------------------------------------------------------------------------------


def _missing(kind: str, part: str) -> Part:
    return closed(Outcome.PARTIAL, f"The {kind} flag does not state its {part.replace('_', ' ')}.", RULE)


def _right(kind: str) -> Part:
    return closed(Outcome.CORRECT, f"The {kind} flag states all its parts.", RULE)


def _wrong(kind: str, part: str, mine: object, gold: object) -> Part:
    return closed(Outcome.FAIL, f"{_named(part, kind)}: gold says {_said(gold)}, reported {_said(mine)}.", RULE)


def _in_words(context: Context, names: Sequence[str], kind: str, part: str, mine: str, gold: str) -> Part:
    """A part in words that no rule reads: one question. names: of the flag's covenant, () where it is the case's."""
    question = Question.of(
        "flag_content", flag_kind=f"{kind} of the covenant {names[0]!r}" if names else kind, part=part, reported=mine, gold=gold
    )
    branches = {
        "complete": closed(Outcome.CORRECT, f"The judge finds the {part} of the {kind} complete.", RULE),
        "incomplete": closed(Outcome.PARTIAL, f"The judge finds the {part} of the {kind} incomplete.", RULE),
        "wrong": _wrong(kind, part, mine, gold),
    }
    return by_verdict(context.answers, question, branches, f"No rule tells whether the {part} of the {kind} is right.", RULE)


def _typed(
    context: Context,
    names: Sequence[str],
    kind: str,
    part: str,
    mine: str | None,
    gold: str | None,
    compare: Callable[[str, str], Comparison],
) -> Part:
    """A part with a value: missing is partial, a wrong typed value a fail, words that do not parse go to the judge.

    Half of a value (a limb of a composite cap, an amount without its currency) is partial (design/covenants.md).
    """
    if gold is None:
        return _right(kind)
    if mine is None or not mine.strip():
        return _missing(kind, part)
    if fold_text(mine) == fold_text(gold):
        return _right(kind)
    found = compare(mine, gold)
    if found.label == "open":
        return _in_words(context, names, kind, part, mine, gold)
    if found.label == "partial":
        sentence = f"{_named(part, kind)}: gold says {_said(gold)}, reported in part only: {_said(mine)}."
        return closed(Outcome.PARTIAL, sentence, RULE, *(Finding(code, found.reason) for code in found.codes))
    return _wrong(kind, part, mine, gold) if found.label == "wrong" else _right(kind)


def _compare_periods(mine: str, gold: str) -> Comparison:
    """The same days, or the same length, however they are written."""
    given, expected = dates.stretch(mine), dates.stretch(gold)
    if given and expected:
        return Comparison("correct" if given == expected else "wrong", f"{mine} against {gold}: first and last day")
    found = KINDS["date"].compare(mine, gold, (), Surroundings())
    return KINDS["period"].compare(mine, gold, (), Surroundings()) if found.label == "open" else found


def _waiver(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    parts = [_covenant_named(context, mine, gold, names)]
    for part in ("original_threshold", "waived_threshold"):
        parts.append(_typed(context, names, "waiver", part, getattr(mine, part), getattr(gold, part), thresholds.compare_part))
    parts.append(_typed(context, names, "waiver", "period", mine.period, gold.period, _compare_periods))
    if mine.temporary is None:
        parts += [_missing("waiver", "temporary")] * _is_due(context, "waiver", "temporary")
    elif mine.temporary is not (gold.temporary if gold.temporary is not None else True):
        parts.append(_wrong("waiver", "temporary", mine.temporary, gold.temporary))
    return worst_part(parts)


def _covenant_named(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    if gold.covenant is None:
        return _right("waiver")
    if not mine.covenant:
        return _missing("waiver", "covenant")
    if fold_text(mine.covenant) in {fold_text(n) for n in (gold.covenant, *names)}:
        return _right("waiver")
    return _in_words(context, names, "waiver", "covenant", mine.covenant, gold.covenant)


def _grace_period(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    parts = [_days_part(context, mine, gold, names)]
    if gold.triggers:
        wanted, stated = ({fold_text(t) for t in f.triggers or ()} for f in (gold, mine))
        if not stated:
            parts.append(_missing("grace period", "triggers"))
        elif stated != wanted:
            if stated < wanted:
                parts.append(_missing("grace period", "triggers"))
            else:
                parts.append(
                    _in_words(context, names, "grace period", "triggers", "; ".join(mine.triggers or ()), "; ".join(gold.triggers))
                )
    return worst_part(parts)


def _days_part(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    if gold.days is None:
        return _right("grace period")
    if mine.days in (None, ""):
        return _missing("grace period", "days")
    found = thresholds.compare_days(mine.days, gold.days)
    if found.label == "open":
        return _in_words(context, names, "grace period", "days", str(mine.days), str(gold.days))
    if found.label == "partial":
        return _missing("grace period", "unit of days")
    return _right("grace period") if found.label == "correct" else _wrong("grace period", "days", mine.days, gold.days)


def _cross_default(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    if gold.threshold is None and not thresholds.is_nothing(mine.threshold):
        return _wrong("cross-default", "threshold", mine.threshold, "no threshold")
    compare = partial(thresholds.compare_part, usual="min")
    return _typed(context, names, "cross-default", "threshold", mine.threshold, gold.threshold, compare)


def _carve_out(context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> Part:
    """Each carve-out with its scope and cap; scopes in other words are one question for all that are left."""
    free = list(mine.items or ())
    parts: list[Part] = [_right("carve-out")]
    unmatched: list[CarveOutItem] = []
    for item in gold.items or ():
        match = next((i for i in free if fold_text(i.scope) == fold_text(item.scope)), None)
        if match is None:
            unmatched.append(item)
        else:
            free.remove(match)
            parts.append(_cap_part(context, match, item, names))
    unknown = [i for i in free if not unmatched and not _is_in_documents(context, i)]
    if len(free) < len(unmatched):
        parts.append(closed(Outcome.PARTIAL, f"{len(unmatched) - len(free)} of the carve-outs is missing.", RULE))
    if unmatched and free:
        parts.append(_in_words(context, names, "carve-out", "items", _listed(free), _listed(unmatched)))
        spare = len(free) - len(unmatched)
        unknown = [i for i in free if not _is_in_documents(context, i)] if spare > 0 else []
        unknown = unknown[:spare] if spare > 0 else []
    parts.extend(_extra_item(i) for i in unknown)
    return worst_part(parts)


def _cap_part(context: Context, mine: CarveOutItem, gold: CarveOutItem, names: Sequence[str]) -> Part:
    if gold.cap is None:
        if thresholds.is_nothing(mine.cap):
            return _right("carve-out")
        return _wrong("carve-out", "cap", mine.cap, "no cap")
    return _typed(context, names, "carve-out", "cap", mine.cap, gold.cap, partial(thresholds.compare_part, usual="max"))


def _extra_item(item: CarveOutItem) -> Part:
    finding = Finding("EXTRA_ITEM", f"the document has no carve-out {item.scope!r}")
    return closed(Outcome.PARTIAL, f"The carve-out {item.scope!r} is not in the document.", RULE, finding)


def _is_in_documents(context: Context, item: CarveOutItem) -> bool:
    return any(has_words(d.text, item.scope) for d in context.documents.values())


def _listed(items: Sequence[CarveOutItem]) -> str:
    return "\n".join(f"- {i.scope}" + (f" (cap: {i.cap})" if i.cap else "") for i in items)


FLAG_RULES: Mapping[str, Callable[[Context, Flag, Flag, Sequence[str]], Part]] = {
    "waiver": _waiver,
    "carve_out": _carve_out,
    "grace_period": _grace_period,
    "cross_default": _cross_default,
}


# ---- provenance of flags -----------------------------------------------------------------------------------------


def flag_provenance(context: Context, mine: Covenant, true: CovenantGold | None) -> list[Assessed]:
    """Every reported flag owes a citation of its own (standard 5.1); they count into the covenant's provenance."""
    partners = {id(flag): gold for gold, flag in paired_flags(mine, true) if flag is not None} if true is not None else {}
    assessed = []
    for flag in mine.flags:
        gold = partners.get(id(flag))
        content = (
            flag_part(context, flag, gold, true.name, (true.name, *true.aliases))
            if context.contract.dimensions and true is not None and gold is not None
            else None
        )
        support = None if true is None else flag_support(flag, gold, content, mine.name)
        assessed.append(assess_all(context, flag.claims, support, gold_places(gold.claims) if gold else ())[0])
    return assessed


def flag_support(flag: Flag, gold: Flag | None, content: Part | None = None, owner: str = "") -> Support:
    """A quote supports a flag when it holds one of its values, or the words of a carve-out's scope or a trigger."""
    flags = [f for f in (flag, gold) if f is not None]
    values = [v for f in flags for v in (f.original_threshold, f.waived_threshold, f.threshold, text_of(f.days)) if v]
    values += [i.cap for f in flags for i in f.items or () if i.cap]
    words = [i.scope for f in flags for i in f.items or ()] + [t for f in flags for t in f.triggers or ()]
    figures = [x for v in values for x in values_in(v)]

    def contains(text: str) -> bool:
        return any(has_words(text, w) for w in words) or any(thresholds.supports(v, text) for v in values) or shares_figure(figures, text)

    def is_own(check: CitationCheck) -> bool:
        quote = check.claim.quote or ""
        return _OWN_WORDS[flag.kind].search(quote) is not None or any(has_words(quote, w) for w in words)

    own = [v for v in (flag.original_threshold, flag.waived_threshold, flag.threshold, text_of(flag.days)) if v]
    own += [i.cap for i in flag.items or () if i.cap]

    def shows(text: str) -> bool:
        return all(thresholds.supports(v, text) or shares_figure(values_in(v), text) for v in own)

    name = f"{flag.kind.replace('_', ' ')} of the covenant {owner!r}" if owner else flag.kind.replace("_", " ")
    others = partial(_others_of, figures)
    return Support(name, f"{name}: {flag_claim(flag)}", contains, has_others=others, is_own=is_own, content=content, shows=shows)


def _others_of(figures: Sequence[Figure], text: str) -> bool:
    return bool(figures) and bool(others_in(text, figures))


_OWN_WORDS = {
    "waiver": re.compile(r"\bwaive", re.IGNORECASE),
    "carve_out": re.compile(pattern("exception"), re.IGNORECASE),
    "grace_period": re.compile(r"\bgrace\b|\bremed(?:y|ied)\b|\bcure", re.IGNORECASE),
    "cross_default": re.compile(r"\bcross[\s-]+(?:default|acceleration)\b", re.IGNORECASE),
}
"""The words in a quote that make its value the flag's."""


def flag_claim(flag: Flag) -> str:
    """A flag in words."""
    shown = flag.model_dump(exclude_none=True, exclude={"kind", "citation", "citations"})
    return "; ".join(f"{key.replace('_', ' ')}: {text_of(value)}" for key, value in shown.items())


def case_flag_decisions(context: Context, gold: Sequence[Flag], top: Sequence[Flag], elsewhere: Sequence[Flag]) -> list[Decision]:
    """One item of weight 0 for each flag that gold has of the case, and one for each flag at the output's top level that it has not.

    top: the output's own flags; elsewhere: spare flags of its covenants, which meet a flag of the case as well.
    """
    free = [*top, *elsewhere]
    found: list[Decision] = []
    for true, name in zip(gold, unique_names([flag.kind for flag in gold]), strict=True):
        mine = max((f for f in free if f.kind == true.kind), key=lambda f: shared_values(f, true), default=None)
        free = [f for f in free if f is not mine]
        found.append(_case_flag(context, mine, true, name, any(f is mine for f in top)))
    rest = [flag for flag in top if any(flag is f for f in free)]
    return found + [_extra_case_flag(context, flag, name) for flag, name in zip(rest, unique_names([f.kind for f in rest]), strict=True)]


def _case_flag(context: Context, mine: Flag | None, true: Flag, name: str, is_top: bool) -> Decision:
    """Its citation counts here only where it is reported at the top: that of a covenant's flag counts with the covenant."""
    subject = Subject(f"flags.{name}", Fraction(0), reported=None if mine is None else flag_claim(mine), gold=flag_claim(true))
    if mine is not None:
        subject = replace(subject, metadata=mine.carried)
    part = flag_part(context, mine, true, "the case")
    if mine is None or not is_top:
        return decide(context, subject, part, aside=_aside(context, name, part))
    assessed, provenances = assess_all(context, mine.claims, flag_support(mine, true, part), gold_places(true.claims))
    aside = _aside(context, name, part, assessed)
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances, aside=aside)


def _aside(context: Context, name: str, part: Part, assessed: Assessed | None = None) -> Aside | None:
    """Its score among the flags of D5, and that of its own citation."""
    if (rules := context.contract.dimensions) is None:
        return None
    measured = assessed.dimensions if assessed is not None else {}
    asked = assessed.asked if assessed is not None else ()
    return Aside({f"flags.{name}": score_of(part, rules.flag), **measured}, {"content": part}, (part, *asked))


def _extra_case_flag(context: Context, mine: Flag, name: str) -> Decision:
    assessed, provenances = assess_all(context, mine.claims, None)
    part = worst_part([assessed.part, *invented_threshold(context, mine.threshold)])
    subject, aside = Subject(f"flags.+{name}", Fraction(0), reported=flag_claim(mine), metadata=mine.carried), assessed.aside
    return decide_extra(context, subject, extra_flag(mine), part, assessed.provenance, provenances, aside)


def invented_threshold(context: Context, threshold: str | None) -> Iterator[Part]:
    """A figure of what gold does not judge, and that is not in the document."""
    if threshold is None or thresholds.is_nothing(threshold) or thresholds.parse(threshold) is None:
        return
    if not any(thresholds.occurs(threshold, document) for document in context.documents.values()):
        yield nowhere_part(context, threshold)
