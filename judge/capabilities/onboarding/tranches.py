"""Which reported tranche is which gold tranche (design/onboarding.md): labels are paired like covenant names, by what is folded alike, by
gold's aliases, by the usual synonyms, and else by one question. Only a label without any counterpart is an extra tranche."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import plain_letters
from deterministic.lexicon.stems import singular
from deterministic.values.names import facility_types
from deterministic.values.words import words
from judge.capabilities.context import Context
from judge.capabilities.decisions import text_of
from judge.capabilities.onboarding import TrancheGold, TrancheOutput
from judge.records import Question

LETTER = re.compile(
    r"(?:facility|fac\.?|tranche|loans?|class|series|tl|term)\s*([a-h]|[1-9]|i{1,3})\b|\btl([a-c])\b|^([a-h])\b(?:\s+(?:facility|loan|tranche))",
    re.IGNORECASE,
)
NAMED_TYPES = frozenset("term_loan revolving delayed_draw bridge swingline capex acquisition working_capital overdraft".split())
NOUNS = frozenset("fac tranche tranches class series commitment commitments".split())


@dataclass(frozen=True, slots=True)
class TranchePairing:
    """Gold index -> reported index, the question that settles an open pair, and the reported tranches that repeat one of a pair."""

    pairs: dict[int, int]
    questions: dict[int, Question] = field(default_factory=dict)
    second: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Label:
    """What a label says: its folded forms (with and without brackets), the types it names, its letter ("" for none), and its
    other words: with one that no name of a tranche has ("former Facility A", "Facility A or B") no rule tells which it is."""

    forms: frozenset[str]
    types: frozenset[str]
    letter: str
    others: frozenset[str]

    @property
    def keys(self) -> set[Hashable]:
        """Two labels of one tranche share one of them, by whichever rule."""
        found: set[Hashable] = {*self.forms, self.types, ("letter", self.letter)}
        return found - {frozenset(), ("letter", "")}


def fold_label(label: str) -> str:
    """Case, white space, punctuation, plurals and letters that look like Latin ones folded."""
    return " ".join(map(singular, words(plain_letters(label))))


@lru_cache(maxsize=4096)
def read_label(label: str) -> Label:
    """A label with its bracket is any of the label, the bracket and both: "Facility A (Term Loan)"."""
    label = plain_letters(label)
    bare = re.sub(r"\s*[(\[][^()\[\]]*[)\]]", " ", label)
    inner = re.findall(r"[(\[]([^()\[\]]*)[)\]]", label)
    letter = next((group for match in LETTER.finditer(label) for group in match.groups() if group), "").casefold()
    read = facility_types.read(label)
    types = read.value or frozenset[str]()
    others = [word for word in read.unread if word not in types | NOUNS]
    others = [] if others == [letter] else others
    return Label(
        frozenset(filter(None, map(fold_label, (label, bare, *inner)))), types & NAMED_TYPES, letter, frozenset(map(singular, others))
    )


def pair_tranches(context: Context, reported: Sequence[TrancheOutput], gold: Sequence[TrancheGold]) -> TranchePairing:
    """One to one, surest first; of several reports of one label the first in the output."""
    mine = [read_label(tranche.label) for tranche in reported]
    theirs = [[read_label(name) for name in (tranche.label, *tranche.aliases)] for tranche in gold]
    pairs: dict[int, int] = {}
    sharing: dict[Hashable, list[int]] = {}
    for r, label in enumerate(mine):
        for key in label.keys:
            sharing.setdefault(key, []).append(r)
    near = [(g, sorted({r for name in names for key in name.keys for r in sharing.get(key, ())})) for g, names in enumerate(theirs)]
    for rule in (_same_words, _same_type, _same_letter):
        found = [(g, r) for g, likely in near for r in likely if any(rule(mine[r], name, theirs[g]) for name in theirs[g])]
        _pair(pairs, len(gold), len(reported), found)
    left, free = _left(pairs, len(gold), len(reported))
    if len(left) == len(free) == 1 and _is_type_of(mine[free[0]], theirs[left[0]]):
        pairs[left[0]] = free[0]  # the only one left, and named by its type alone
    left, free = _left(pairs, len(gold), len(reported))
    alike = ((g, r) for g, likely in near for r in likely if g in left and r in free)
    likely = chain(alike, ((g, r) for g in left for r in free if stands_in_documents(context, reported[r].label)))
    questions = dict(_asked(((g, r) for g, r in likely if _may_be(mine[r], theirs[g])), reported, gold))
    for g, (r, question) in questions.items():
        answer = context.answers.get(question)
        if answer is None or answer.verdict == "equivalent" or answer.verdict is None:
            pairs[g] = r
    free = _left(pairs, len(gold), len(reported))[1]
    known = [form for g in pairs for name in theirs[g] for form in name.forms] + [form for r in pairs.values() for form in mine[r].forms]
    second = frozenset(r for r in free if mine[r].forms & set(known))
    return TranchePairing(pairs, {g: q for g, (r, q) in questions.items() if pairs.get(g) == r}, second)


def same_labels(stated: Sequence[str], wanted: Sequence[str], names: Mapping[str, Sequence[str]]) -> bool:
    """Whether two lists name the same tranches, each label in any of its usual forms; `names`: what else a wanted one is called."""
    left = [[read_label(name) for name in (label, *names.get(label, ()))] for label in wanted]
    for label in map(read_label, stated):
        found = next(
            (true for rule in (_same_words, _same_type, _same_letter) for true in left if any(rule(label, t, true) for t in true)), None
        )
        if found is None:
            return False
        left.remove(found)
    return not left


def _pair(pairs: dict[int, int], golds: int, reports: int, matches: Sequence[tuple[int, int]]) -> None:
    """Adds the pairs that are the only match of both sides; of several reports with one label the first."""
    left, free = (set(side) for side in _left(pairs, golds, reports))
    found: dict[int, list[int]] = {}
    for g, r in matches:
        if g in left and r in free:
            found.setdefault(g, []).append(r)
    wanted = Counter(r for candidates in found.values() for r in candidates)
    pairs.update({g: candidates[0] for g, candidates in found.items() if all(wanted[r] == 1 for r in candidates)})


def _left(pairs: dict[int, int], golds: int, reports: int) -> tuple[list[int], list[int]]:
    taken = set(pairs.values())
    return [g for g in range(golds) if g not in pairs], [r for r in range(reports) if r not in taken]


def _same_words(mine: Label, gold: Label, names: Sequence[Label]) -> bool:
    """The same forms; a bracket is left out of a label only if it says nothing else ("Facility A (cancelled)")."""
    return bool(mine.forms & gold.forms) and (mine.others <= _words_of(names) or max(mine.forms, key=len) in gold.forms)


def _same_type(mine: Label, gold: Label, names: Sequence[Label]) -> bool:
    """Both name the same types, and no letters contradict ("RCF" for "Revolving Facility", "TLB" for "Term Loan B")."""
    is_alike = mine.letter == gold.letter or not (mine.letter and gold.letter)
    return is_alike and bool(mine.types) and mine.types == gold.types and mine.others <= _words_of(names)


def _same_letter(mine: Label, gold: Label, names: Sequence[Label]) -> bool:
    """The same letter, where not both name types or they agree ("Term Loan A" for "Facility A"; a bridge beside it is another facility)."""
    is_alike = mine.types == gold.types or (not (mine.types and gold.types) and mine.types | gold.types <= {"term_loan", "revolving"})
    is_said = mine.others <= _words_of(names) and gold.others <= _words_of((mine,))
    return is_alike and is_said and bool(mine.letter) and mine.letter == gold.letter


def _words_of(names: Iterable[Label]) -> set[str]:
    return {word for name in names for form in name.forms for word in form.split()}


def _may_be(mine: Label, golds: Sequence[Label]) -> bool:
    """Whether nothing contradicts: at least one side leaves the type, and at least one the letter, unsaid or they are the same."""
    alike = (gold for gold in golds if not mine.types or not gold.types or mine.types & gold.types)
    return any(not mine.letter or not gold.letter or mine.letter == gold.letter for gold in alike)


def _is_type_of(mine: Label, names: Sequence[Label]) -> bool:
    return bool(mine.types) and not mine.letter and mine.others <= _words_of(names) and _may_be(mine, names)


def _asked(
    open_pairs: Iterable[tuple[int, int]], reported: Sequence[TrancheOutput], gold: Sequence[TrancheGold]
) -> Iterator[tuple[int, tuple[int, Question]]]:
    """The first open pair of each gold tranche with a report that no other asks for."""
    taken, given = set[int](), set[int]()
    for g, r in open_pairs:
        if g not in taken and r not in given:
            taken.add(g)
            given.add(r)
            question = Question.of("semantic_match", field="tranche label", reported=_words(reported[r]), gold=_words(gold[g]), context="")
            yield g, (r, question)


def _words(tranche: TrancheOutput | TrancheGold) -> str:
    values = (f"{key.replace('_', ' ')} {text_of(value.value)}" for key, value in tranche.fields.items() if value.value is not None)
    return "; ".join([tranche.label, *values])


def stands_in_documents(context: Context, label: str) -> bool:
    """Whether a document has the label, its bare form or bracket, or facilities of every type that it names ("RCF") and its other words."""
    return context.cached(("tranche label", label), lambda: any(_has_label(label, text) for text in _texts(context)))


def names_label(label: str, text: str) -> bool:
    """Whether a text, such as a quote, names a tranche as `stands_in_documents` looks for it."""
    return _has_label(label, _spaced(text))


@lru_cache(maxsize=64)
def _spaced(text: str) -> str:
    return f" {fold_label(text)} "


def is_designated_otherwise(context: Context, label: str) -> bool:
    """Whether a label's letter or number ("Facility Q", "TLD") is one that a document gives to no facility, loan or tranche."""
    if (found := _DESIGNATION.search(fold_label(label))) is None:
        return False
    sign = next(filter(None, found.groups()))
    designated = re.compile(rf" (?:{_NOUN}) {sign} | {sign} (?:{_NOUN}|term loan) | tl{sign} ")
    return not any(designated.search(text) for text in _texts(context))


_NOUN = "facility|tranche|loan|line|serie|series|class|commitment"
_SIGN = r"[a-z]\d?|\d{1,2}|[ivx]{2,4}|alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|sigma|omega"
_DESIGNATION = re.compile(rf"\b(?:{_NOUN}) ({_SIGN})\b|\btl([a-z]\d?)\b|^([a-z]\d?) (?:{_NOUN}|term loan)\b")


def _texts(context: Context) -> list[str]:
    def folded(document: Document) -> str:
        return document.cached("tranche_words", lambda: f" {fold_label(document.text)} ")

    return [folded(document) for document in context.documents.values()]


def _has_label(label: str, text: str) -> bool:
    read = read_label(label)
    if any(f" {form} " in text for form in read.forms):
        return True
    if not read.types or read.letter or not facility_types.names_types(text, read.types):
        return False
    told = (word for word in facility_types.read(label).unread if len(word) > 2 and word.isalpha() and word not in read.types)
    return all(f" {fold_label(word)} " in text for word in told)
