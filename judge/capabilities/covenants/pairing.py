"""Which reported covenant is which gold covenant: one to one, by folded name or alias; of any other pair `covenant_identity` decides, the
most similar pairs first (design/covenants.md)."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz import fuzz, process

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.stems import singular
from deterministic.lexicon.tables import forms
from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold
from judge.capabilities.provenance import check_claim, gold_places, stands_in_any_place
from judge.capabilities.scoring.citations import GoldPlaces
from judge.capabilities.wording import fold_text
from judge.records import Question

_CANONICAL = forms("covenant_names")  # what the loan market calls one covenant -> its usual name
_FORM = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _CANONICAL), key=len, reverse=True))})\b")


# how much each likeness says, of 100: names most, then what the covenants demand and where they stand
SHARES = {"name": 70, "threshold": 15, "section": 10, "type": 5}

_CARRIERS = frozenset("the a an of on ratio covenant covenants test undertaking".split())
"""Words of a name that say nothing of which covenant it is; neither "minimum" nor "no" is one."""


@lru_cache(maxsize=4096)
def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one covenant's name share: its usual name's words in order, plurals folded, without those that carry it."""
    usual = _FORM.sub(lambda match: _CANONICAL[match[0]], fold_text(name))
    return tuple(singular(word) for word in usual.split() if word not in _CARRIERS)


@dataclass(frozen=True, slots=True)
class _Folded:
    """What makes a covenant like another, folded once."""

    names: tuple[str, ...]
    threshold: str | None
    sections: frozenset[str]
    type: str | None
    detail: str

    @property
    def keys(self) -> tuple[Hashable, ...]:
        return (*self.sections, *([] if self.threshold is None else [("threshold", self.threshold)]))

    @classmethod
    def of(cls, covenant: Covenant | CovenantGold, names: Sequence[str]) -> "_Folded":
        sections = frozenset(fold_text(c.section) for c in covenant.claims if c.section)
        threshold, kind = (fold_text(text) if text else None for text in (covenant.threshold, covenant.type))
        return cls(tuple(map(fold_text, names)), threshold, sections, kind, _detail(covenant))


def _similarity(mine: _Folded, true: _Folded) -> float:
    """0..100: how alike two covenants are in name, threshold, cited section and type; it only says which pair to ask about first."""
    total = SHARES["name"] * max(fuzz.token_sort_ratio(mine.names[0], name) for name in true.names) / 100
    if mine.threshold is not None and mine.threshold == true.threshold:
        total += SHARES["threshold"]
    if not mine.sections.isdisjoint(true.sections):
        total += SHARES["section"]
    if mine.type is not None and mine.type == true.type:
        total += SHARES["type"]
    return total


NEAR = 50  # what gold's own place adds to the similarity of a pair


@dataclass(frozen=True, slots=True)
class Pairing:
    """Gold index -> reported index, the questions that settle the grey pairs, and the reported covenants left over. rivals: left-over
    reported index -> the gold one with an open pair that it could be instead."""

    reported: tuple[Covenant, ...]
    pairs: dict[int, int]
    questions: dict[int, Question] = field(default_factory=dict)
    unpaired: tuple[int, ...] = ()
    rivals: dict[int, int] = field(default_factory=dict)

    def paired(self, gold_index: int) -> Covenant | None:
        """The reported covenant of a gold one; None when it is missed."""
        return self.reported[self.pairs[gold_index]] if gold_index in self.pairs else None


def pair_covenants(context: Context, reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> Pairing:
    """Pairs them as far as names and answers decide; the best open pair of a gold covenant carries its question. A gold covenant that is
    left over while a reported one that it could be waits for another's answer waits for its own: it is not missed."""
    named = _of_one_name(reported, gold)
    pairs = _by_name(reported, gold, named)
    scores, questions = _scores(context, reported, gold, named, _left(gold, pairs), _free(reported, gold, pairs))
    chosen, taken = {}, set(pairs.values())
    for g, r in sorted(scores, key=lambda pair: -scores[pair]):  # of equals the earlier ones
        if g not in pairs and r not in taken:
            pairs[g] = r
            taken.add(r)
            chosen[g] = questions[g, r]
    waiting = {pairs[g] for g, question in chosen.items() if (answer := context.answers.get(question)) is None or answer.verdict != "same"}
    for g in _left(gold, pairs):
        if shared := [r for r in sorted(waiting) if (g, r) in questions]:
            pairs[g] = max(shared, key=lambda r: scores[g, r])
            chosen[g] = questions[g, pairs[g]]
    taken = set(pairs.values())
    unpaired = tuple(r for r in range(len(reported)) if r not in taken)
    rivals = {r: g for g, r in questions if r not in taken and pairs.get(g) in waiting}
    return Pairing(tuple(reported), pairs, chosen, unpaired, rivals)


def _left(gold: Sequence[CovenantGold], pairs: dict[int, int]) -> list[int]:
    return [g for g in range(len(gold)) if g not in pairs]


def _free(reported: Sequence[Covenant], gold: Sequence[CovenantGold], pairs: dict[int, int]) -> list[int]:
    known, taken = {name_key(name) for g in pairs for name in (gold[g].name, *gold[g].aliases)}, set(pairs.values())
    return [r for r, mine in enumerate(reported) if r not in taken and name_key(mine.name) not in known]


def _of_one_name(reported: Sequence[Covenant], gold: Sequence[CovenantGold]) -> dict[int, set[int]]:
    """Gold index -> the reported covenants whose name is its own, or a usual other one ("Negative Pledge", "Liens")."""
    keyed: dict[tuple[str, ...], set[int]] = {}
    for r, mine in enumerate(reported):
        if key := name_key(mine.name):
            keyed.setdefault(key, set()).add(r)
    names = {g: (true.name, *true.aliases) for g, true in enumerate(gold)}
    return {g: set[int]().union(*(keyed.get(name_key(name), ()) for name in own)) for g, own in names.items()}


def _by_name(reported: Sequence[Covenant], gold: Sequence[CovenantGold], named: dict[int, set[int]]) -> dict[int, int]:
    """Pairs by folded name, by folded alias, then by a usual other name that only one covenant on each side has; of several
    reports of one name the first in the output."""
    pairs: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for r, mine in enumerate(reported):
        places.setdefault(fold_text(mine.name), []).append(r)
    taken = set[int]()
    for names_of in (lambda g: (g.name,), lambda g: g.aliases):
        for g, true in enumerate(gold):
            spelled = (r for name in names_of(true) for r in places.get(fold_text(name), ()) if r not in taken)
            if g not in pairs and (match := min(spelled, default=None)) is not None:
                pairs[g] = match
                taken.add(match)
    owners: dict[int, list[int]] = {}
    for g, reports in named.items():
        for r in reports:
            owners.setdefault(r, []).append(g)
    for r, wanted in owners.items():
        if r not in taken and len(wanted) == 1 and wanted[0] not in pairs and r == min(named[wanted[0]]):
            pairs[wanted[0]] = r
    return pairs


def _scores(
    context: Context,
    reported: Sequence[Covenant],
    gold: Sequence[CovenantGold],
    named: dict[int, set[int]],
    left: Sequence[int],
    free: Sequence[int],
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], Question]]:
    """Similarity of every pair that can be one, each with its question; an answered pair is raised or struck out."""
    scores: dict[tuple[int, int], float] = {}
    questions: dict[tuple[int, int], Question] = {}
    never = float(context.contract.covenants.pairing_never)
    mine = {r: _Folded.of(reported[r], (reported[r].name,)) for r in free}
    checks = {r: [check_claim(context, claim) for claim in reported[r].claims] for r in free}
    sharing: dict[Hashable, list[int]] = {}
    for r in free:
        for key in {*mine[r].keys, *(key for check in checks[r] for key in _stands_in(context, check))}:
            sharing.setdefault(key, []).append(r)
    spelled = {r: mine[r].names[0] for r in free}
    alike = 100 * (never - SHARES["type"]) / SHARES["name"] - 0.01  # from here on a name and a type may do
    for g in left:
        true, places = _Folded.of(gold[g], (gold[g].name, *gold[g].aliases)), gold_places(gold[g].claims)
        likely = {r for key in (*true.keys, *_cited(context, places)) for r in sharing.get(key, ())}
        for name in true.names:
            found = process.extract(name, spelled, scorer=fuzz.token_sort_ratio, score_cutoff=alike, limit=None)
            likely.update(r for _, _, r in found)
        for r in sorted(likely.union(r for r in named.get(g, ()) if r in mine)):
            likeness = _similarity(mine[r], true)
            is_near = any(stands_in_any_place(context, check, places) for check in checks[r])
            if likeness < never and not is_near and r not in named.get(g, ()):
                continue
            names = {"reported_name": reported[r].name, "gold_name": gold[g].name}
            question = Question.of("covenant_identity", **names, reported_detail=mine[r].detail, gold_detail=true.detail)
            if (answer := context.answers.get(question)) is not None and answer.verdict == "different":
                continue
            questions[g, r] = question
            scores[g, r] = likeness + 1000 * (answer is not None and answer.verdict == "same") + NEAR * is_near
    return scores, questions


def _stands_in(context: Context, check: CitationCheck) -> Iterator[Hashable]:
    """The provisions and pages that the quote of a citation stands in."""
    if (document := context.documents.get(check.found_in or "")) is not None:
        for start, end in check.spans:
            yield from ((document.name, clause) for clause in document.clauses.at(start, end))
            yield from ((document.name, page) for page in document.pages_of(start, end))


def _cited(context: Context, places: GoldPlaces) -> Iterator[Hashable]:
    """The provisions that gold cites, or else the pages, each of every document that may be meant."""
    for name, page, section in places:
        for document in context.documents.values():
            if name in (None, document.name) or name not in context.documents:
                clauses = document.clauses.find(section).clauses if section else ()
                yield from ((document.name, place) for place in clauses or (page,))


def _detail(covenant: Covenant) -> str:
    quote = next((c.quote for c in covenant.claims if c.quote), None)
    section = next((c.section for c in covenant.claims if c.section), None)
    shown = {"type": covenant.type, "threshold": covenant.threshold, "tested": covenant.testing_frequency}
    shown |= {"section": section, "text": quote}
    return "; ".join(f"{name}: {value}" for name, value in shown.items() if value)
