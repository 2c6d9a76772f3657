"""The mandatory flags of covenants and of the case (standard 2.3, design/covenants.md Flags): waiver, carve-out, grace period,
cross-default. A flag of the case has weight 0 by the standard, and counts in D5."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import eq
from typing import Literal

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.guarded import pattern
from deterministic.lexicon.tables import patterns
from deterministic.values import KINDS, Comparison, Surroundings
from deterministic.values.figures import thresholds
from judge.capabilities.cases import Cited
from judge.capabilities.context import Context
from judge.capabilities.covenants import CarveOutItem, Covenant, CovenantGold, Flag
from judge.capabilities.decisions import Aside, Subject, asked, closed, decide, decide_extra, nowhere_part, text_of, worst_part
from judge.capabilities.figures import others_in, shares_figure, values_in
from judge.capabilities.provenance import Assessed, Support, assess_all, gold_places
from judge.capabilities.scoring.citations import score_of
from judge.capabilities.wording import fold_text, has_words, unique_names
from judge.records import Decision, Finding, Outcome, Part, Provenance
from rubrics.contract_sections import FLAG_PARTS

RULE = "2.3 Mandatory flags"
Compare = Callable[[str, str], Comparison]


def _compare_periods(mine: str, gold: str) -> Comparison:
    """The same day, or the same length, however they are written."""
    found = KINDS["date"].compare(mine, gold, (), Surroundings())
    return KINDS["period"].compare(mine, gold, (), Surroundings()) if found.label == "open" else found


def _kind(flag: Flag) -> str:
    return flag.kind.replace("_", " ")


def paired_flags(mine: Covenant, true: CovenantGold) -> list[tuple[Flag, Flag | None]]:
    """Each gold flag with the reported flag of its kind: among several of one kind the one that shares most values, in output order."""
    return list(zip(true.flags, _closest(true.flags, mine.flags), strict=True))


def _closest(gold: Sequence[Flag], flags: Iterable[Flag]) -> Iterator[Flag | None]:
    """For each gold flag the one of its kind that shares most values, none twice; None where none is left."""
    free = [(flag, _said_by(flag)) for flag in flags]
    for one in gold:
        wanted = [value or "" for value in _said_by(one)]
        alike = (n for n, (flag, _) in enumerate(free) if flag.kind == one.kind)
        best = max(alike, key=lambda n: sum(map(eq, free[n][1], wanted)), default=None)
        yield None if best is None else free.pop(best)[0]


def _said_by(flag: Flag) -> list[str | None]:
    keys = ("covenant", "original_threshold", "waived_threshold", "period", "items", "days", "triggers", "threshold")
    return [None if (value := getattr(flag, key)) is None else fold_text(text_of(value) or "") for key in keys]


def flag_parts(context: Context, mine: Covenant, true: CovenantGold) -> Iterator[Part]:
    """One part for each gold flag."""
    for gold, flag in paired_flags(mine, true):
        yield flag_part(context, flag, gold, true.name, (true.name, *true.aliases))


def flag_part(context: Context, mine: Flag | None, gold: Flag, owner: str, names: Sequence[str] = ()) -> Part:
    """What a reported flag says beside gold's of its kind. owner: whose flag it is; names: of its covenant."""
    due = context.contract.covenants.flag_parts[gold.kind]
    if mine is None or (gold.kind == "carve_out" and not mine.items and "items" in due):
        finding = Finding("FLAG_MISSING", f"the {_kind(gold)} is not flagged")
        return closed(Outcome.FAIL, f"The {_kind(gold)} of {owner} is passed over.", RULE, finding)
    # what the contract does not ask for and the output leaves out is not held against it
    spare = [part for part in FLAG_PARTS[gold.kind] if getattr(mine, part) in (None, "", ()) and part not in due]
    return worst_part(list(_Beside(context, mine, gold.model_copy(update=dict.fromkeys(spare)), names).parts()))


def spare_flags(mine: Covenant, true: CovenantGold | None) -> list[Flag]:
    """Reported flags of a covenant that gold has not there."""
    paired = [flag for _, flag in paired_flags(mine, true) if flag is not None] if true is not None else []
    return [f for f in mine.flags if not any(f is p for p in paired)]


def extra_flag(flag: Flag) -> Finding:
    """A reported flag that gold lacks: a finding only."""
    return Finding("EXTRA_FLAG", f"gold has no {_kind(flag)} here")


class _Beside:
    """A reported flag beside gold's of its kind, part by part: a missing part is partial, a wrong value a fail, words that no rule reads
    one question. names: of the flag's covenant, () where it is the case's."""

    def __init__(self, context: Context, mine: Flag, gold: Flag, names: Sequence[str]) -> None:
        self.context, self.mine, self.gold, self.names = context, mine, gold, names
        self.kind = {"carve_out": "carve-out", "cross_default": "cross-default"}.get(gold.kind, _kind(gold))
        self.right = closed(Outcome.CORRECT, f"The {self.kind} flag states all its parts.", RULE)

    def parts(self) -> Iterator[Part]:
        """What each part of the flag makes of it."""
        mine, gold = self.mine, self.gold
        if gold.kind == "waiver":
            yield self._covenant()
            for part in ("original_threshold", "waived_threshold"):
                yield self._typed(part, getattr(mine, part), getattr(gold, part), thresholds.compare_part)
            yield self._typed("period", mine.period, gold.period, _compare_periods)
            if mine.temporary is not None and mine.temporary is not (gold.temporary if gold.temporary is not None else True):
                yield self._wrong("temporary", mine.temporary, gold.temporary)
            elif mine.temporary is None and "temporary" in self.context.contract.covenants.flag_parts["waiver"]:
                yield self._missing("temporary")
        elif gold.kind == "grace_period":
            yield self._days()
            wanted, stated = ({fold_text(t) for t in f.triggers or ()} for f in (gold, mine))
            if wanted and stated < wanted:
                yield self._missing("triggers")
            elif wanted and stated != wanted:
                yield self._in_words("triggers", "; ".join(mine.triggers or ()), "; ".join(gold.triggers or ()))
        elif gold.kind == "cross_default":
            yield self._amount("threshold", mine.threshold, gold.threshold, "min")
        else:
            yield from self._carve_outs()

    def _missing(self, part: str) -> Part:
        return closed(Outcome.PARTIAL, f"The {self.kind} flag does not state its {part.replace('_', ' ')}.", RULE)

    def _told(self, part: str, mine: object, gold: object) -> str:
        words = {True: "yes", False: "no", None: "nothing"}
        said, stated = (words[value] if isinstance(value, bool | None) else repr(value) for value in (gold, mine))
        name = f"Whether the {self.kind} is temporary" if part == "temporary" else f"The {part.replace('_', ' ')} of the {self.kind}"
        return f"{name}: gold says {said}, reported {stated}."

    def _wrong(self, part: str, mine: object, gold: object) -> Part:
        return closed(Outcome.FAIL, self._told(part, mine, gold), RULE)

    def _in_words(self, part: str, mine: str, gold: str) -> Part:
        flag = f"{self.kind} of the covenant {self.names[0]!r}" if self.names else self.kind
        branches = {
            "complete": closed(Outcome.CORRECT, f"The judge finds the {part} of the {self.kind} complete.", RULE),
            "incomplete": closed(Outcome.PARTIAL, f"The judge finds the {part} of the {self.kind} incomplete.", RULE),
            "wrong": self._wrong(part, mine, gold),
        }
        reason = f"No rule tells whether the {part} of the {self.kind} is right."
        return asked(self.context, "flag_content", branches, reason, RULE, flag_kind=flag, part=part, reported=mine, gold=gold)

    def _typed(self, part: str, mine: str | None, gold: str | None, compare: Compare) -> Part:
        if gold is None:
            return self.right
        if mine is None or not mine.strip():
            return self._missing(part)
        if fold_text(mine) == fold_text(gold):
            return self.right
        found = compare(mine, gold)
        if found.label in ("open", "partial"):
            return self._in_words(part, mine, gold)
        return self._wrong(part, mine, gold) if found.label == "wrong" else self.right

    def _amount(self, part: str, mine: str | None, gold: str | None, usual: Literal["min", "max"]) -> Part:
        if gold is None and not thresholds.is_nothing(mine):
            return self._wrong(part, mine, f"no {part}")
        return self._typed(part, mine, gold, partial(thresholds.compare_part, usual=usual))

    def _covenant(self) -> Part:
        mine, gold = self.mine.covenant, self.gold.covenant
        if gold is None or (mine and fold_text(mine) in {fold_text(n) for n in (gold, *self.names)}):
            return self.right
        return self._in_words("covenant", mine, gold) if mine else self._missing("covenant")

    def _days(self) -> Part:
        mine, gold = self.mine.days, self.gold.days
        if gold is None:
            return self.right
        if mine in (None, ""):
            return self._missing("days")
        if (label := thresholds.compare_days(mine, gold).label) == "open":
            return self._in_words("days", str(mine), str(gold))
        return {"partial": self._missing("unit of days"), "correct": self.right}.get(label) or self._wrong("days", mine, gold)

    def _carve_outs(self) -> Iterator[Part]:
        """Each carve-out with its scope and cap; scopes in other words are one question for all that are left."""
        free, unmatched = list(self.mine.items or ()), list[CarveOutItem]()
        yield self.right
        for item in self.gold.items or ():
            if (match := next((i for i in free if fold_text(i.scope) == fold_text(item.scope)), None)) is None:
                unmatched.append(item)
            else:
                free.remove(match)
                yield self._amount("cap", match.cap, item.cap, "max")
        if len(free) < len(unmatched):
            yield closed(Outcome.PARTIAL, f"{len(unmatched) - len(free)} of the carve-outs is missing.", RULE)
        if unmatched and free:
            yield self._in_words("items", _listed(free), _listed(unmatched))
        texts = [document.text for document in self.context.documents.values()]
        unknown = [i.scope for i in free if not any(has_words(text, i.scope) for text in texts)]
        for scope in unknown[: max(0, len(free) - len(unmatched))]:
            finding = Finding("EXTRA_ITEM", f"the document has no carve-out {scope!r}")
            yield closed(Outcome.PARTIAL, f"The carve-out {scope!r} is not in the document.", RULE, finding)


def _listed(items: Sequence[CarveOutItem]) -> str:
    return "\n".join(f"- {i.scope}" + (f" (cap: {i.cap})" if i.cap else "") for i in items)


def flag_provenance(context: Context, mine: Covenant, true: CovenantGold | None) -> list[tuple[Assessed, tuple[Provenance, ...]]]:
    """Every reported flag owes a citation of its own (standard 5.1); they count into the covenant's provenance."""
    partners = {id(flag): gold for gold, flag in paired_flags(mine, true) if flag is not None} if true is not None else {}
    assessed = []
    for flag in mine.flags:
        gold = partners.get(id(flag))
        content = None
        if context.contract.dimensions and true is not None and gold is not None:
            content = flag_part(context, flag, gold, true.name, (true.name, *true.aliases))
        support = None if true is None else flag_support(flag, gold, content, mine.name)
        found, blocks = assess_all(context, flag.claims, support, gold_places(gold.claims) if gold else ())
        part = found.part if flag.claims else replace(found.part, reason=f"The {_kind(flag)} flag has no citation.")
        assessed.append((replace(found, part=part), blocks))
    return assessed


def flag_support(flag: Flag, gold: Flag | None, content: Part | None = None, owner: str = "") -> Support:
    """A quote supports a flag when it holds one of its values, or the words of a carve-out's scope or a trigger."""
    flags = [f for f in (flag, gold) if f is not None]
    values = [value for f in flags for value in _values(f)]
    words = [i.scope for f in flags for i in f.items or ()] + [t for f in flags for t in f.triggers or ()]
    figures = [x for v in values for x in values_in(v)]

    def contains(text: str) -> bool:
        return any(has_words(text, w) for w in words) or any(thresholds.supports(v, text) for v in values) or shares_figure(figures, text)

    def is_own(check: CitationCheck) -> bool:
        quote = check.claim.quote or ""
        return OWN_WORDS[flag.kind].search(quote) is not None or any(has_words(quote, w) for w in words)

    def shows(text: str) -> bool:
        return all(thresholds.supports(v, text) or shares_figure(values_in(v), text) for v in _values(flag))

    name = f"{_kind(flag)} of the covenant {owner!r}" if owner else _kind(flag)
    has_others = partial(others_in, figures=figures)
    return Support(name, f"{name}: {flag_claim(flag)}", contains, has_others, is_own, content=content, shows=shows)


def _values(flag: Flag) -> list[str]:
    values = (flag.original_threshold, flag.waived_threshold, flag.threshold, text_of(flag.days), *(i.cap for i in flag.items or ()))
    return [value for value in values if value]


_WORDS = patterns("field_words") | {"carve_out": pattern("exception")}
OWN_WORDS = {kind: re.compile(words, re.IGNORECASE) for kind, words in _WORDS.items()}
"""The words in a quote that make its value the flag's."""


def flag_claim(flag: Flag) -> str:
    """A flag in words: its own keys, none of what any cited thing carries."""
    shown = flag.model_dump(exclude_none=True, exclude={"kind", *Cited.model_fields})
    return "; ".join(f"{key.replace('_', ' ')}: {text_of(value)}" for key, value in shown.items())


def case_flag_decisions(context: Context, gold: Sequence[Flag], top: Sequence[Flag], elsewhere: Sequence[Flag]) -> list[Decision]:
    """One item of weight 0 for each flag that gold has of the case, and one for each flag at the output's top level that it has not. top:
    the output's own flags; elsewhere: spare flags of its covenants, which meet a flag of the case as well."""
    closest = list(_closest(gold, (*top, *elsewhere)))
    found: list[Decision] = []
    for true, mine, name in zip(gold, closest, unique_names([flag.kind for flag in gold]), strict=True):
        found.append(_case_flag(context, mine, true, name, any(f is mine for f in top)))
    rest = [flag for flag in top if not any(flag is one for one in closest)]
    return found + [_extra_case_flag(context, flag, name) for flag, name in zip(rest, unique_names([f.kind for f in rest]), strict=True)]


def _case_flag(context: Context, mine: Flag | None, true: Flag, name: str, is_top: bool) -> Decision:
    """Its citation counts here only where it is reported at the top: that of a covenant's flag counts with the covenant."""
    claim, metadata = (None, {}) if mine is None else (flag_claim(mine), mine.carried)
    subject = Subject(f"flags.{name}", Fraction(0), reported=claim, gold=flag_claim(true), metadata=metadata)
    part, rules = flag_part(context, mine, true, "the case"), context.contract.dimensions
    aside = None if rules is None else Aside({f"flags.{name}": score_of(part, rules.flag)}, {"content": part}, (part,))
    if mine is None or not is_top:
        return decide(context, subject, part, aside=aside)
    cited, provenances = assess_all(context, mine.claims, flag_support(mine, true, part), gold_places(true.claims))
    if aside is not None:
        aside = replace(aside, dimensions={**aside.dimensions, **cited.dimensions}, asked=(part, *cited.asked))
    return decide(context, subject, worst_part([part, cited.part]), cited.provenance, provenances, aside=aside)


def _extra_case_flag(context: Context, mine: Flag, name: str) -> Decision:
    cited, provenances = assess_all(context, mine.claims, None)
    part = worst_part([cited.part, *invented_threshold(context, mine.threshold)])
    subject = Subject(f"flags.+{name}", Fraction(0), reported=flag_claim(mine), metadata=mine.carried)
    return decide_extra(context, subject, extra_flag(mine), part, cited.provenance, provenances, cited.aside)


def invented_threshold(context: Context, threshold: str | None) -> Iterator[Part]:
    """A figure of what gold does not judge, and that is not in the document."""
    if threshold is None or thresholds.is_nothing(threshold) or thresholds.parse(threshold) is None:
        return
    if not any(thresholds.occurs(threshold, document) for document in context.documents.values()):
        yield nowhere_part(context, threshold)
