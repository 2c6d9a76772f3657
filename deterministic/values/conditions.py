"""Lists of conditions precedent (judging.md section 2, row "list"): sets of short texts, order and case free.

The same set is correct; the same set but for punctuation and articles a semantic match; some found and none invented partial.
A list in other words goes to the judge (`list_coverage`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.searching import find_all
from deterministic.values import amounts
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Surroundings, as_items, is_verbatim, shown
from deterministic.values.words import fold_letters, folded_document, plain, words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

_ARTICLES = frozenset(("a", "an", "the"))


def item_key(item: str) -> tuple[str, ...]:
    """What two spellings of one condition share: its words without articles."""
    return tuple(word for word in words(item) if word not in _ARTICLES)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "list" of judging.md section 2, for conditions. An accepted text stands for one item of gold."""
    given, expected = as_items(reported), as_items(gold)
    if given and set(map(plain, given)) == set(map(plain, expected)):
        return Comparison("correct", f"{shown(reported)} are the expected conditions.")
    aliases = {item_key(text) for entry in accepted for text in as_items(entry)}
    wanted, found = {item_key(item) for item in expected}, {item_key(item) for item in given}
    invented = found - wanted - aliases
    missing = len(wanted - found) - len((found & aliases) - wanted)
    if not found or invented:
        return _by_words(given, expected, surroundings.document_text)
    if missing > 0:
        return Comparison("partial", f"{shown(reported)} leaves out {missing} of {shown(gold)}.")
    if found == wanted and all(is_verbatim(item, surroundings.quotes, ignore_case=True) for item in given):
        return Comparison("correct", f"{shown(reported)} are {shown(gold)} and stand so in their quotes.")
    return Comparison("semantic_match", f"{shown(reported)} are {shown(gold)} in another spelling.")


def _by_words(given: tuple[str, ...], expected: tuple[str, ...], document_text: str) -> Comparison:
    """Summaries of conditions: each reported item is one or more of gold's, by their informative words in any form.

    All of gold's met is a semantic match, some of them partial; an item that is none of gold's leaves the list open, and so does a general
    phrase beside items that nothing meets: what it stands for is not known.
    """
    met: set[int] = set()
    lists = f"{shown(given)} against {shown(expected)}"
    for item in given:
        found = _met_by(item, expected, document_text)
        if not found:
            return Comparison("open", f"{lists}: no rule for lists decides.")
        met |= found
    if not met:
        return Comparison("open", f"{lists}: nothing is compared.")
    if len(met) == len(expected):
        return Comparison("semantic_match", f"{shown(given)} are {shown(expected)} in other words.")
    if any(_GENERAL.search(item) or any(_stems(part) <= _VAGUE for part in _named_parts(item)) for item in given):
        return Comparison("open", f"{lists}: no rule tells what a general phrase stands for.")
    return Comparison("partial", f"{shown(given)} leaves out {len(expected) - len(met)} of {shown(expected)}.")


def _named_parts(item: str) -> list[str]:
    """The parts of a condition that say what is delivered, without the agreement itself."""
    return [part for part in _PARTS.split(item) if _stems(part) and not _MAIN.match(part)]


def _met_by(item: str, expected: tuple[str, ...], document_text: str) -> set[int]:
    """Which of gold's conditions a reported item, or the parts of one ("board and shareholder resolutions"), is; empty: one is none."""
    whole = {n for n, wanted in enumerate(expected) if _is_one(item, wanted, document_text)}
    parts = [part for part in _PARTS.split(item) if _stems(part)]
    if len(parts) < 2:
        return whole
    each = [{n for n, wanted in enumerate(expected) if _is_one(part, wanted, document_text)} for part in parts]
    return whole | set().union(*each) if whole or all(each) else set()


def _is_one(item: str, wanted: str, document_text: str) -> bool:
    """Whether one has every informative word of the other; what only the reported one says must stand together in the document."""
    mine, true = _stems(item), _stems(wanted)
    if _MAIN.match(item) and _MAIN.match(wanted):
        return True
    if not mine or not true or _TURNED.search(item) or _TURNED.search(wanted) or (mine <= _VAGUE and mine != true):
        return False
    return mine <= true or (true <= mine and (not document_text or _stand_together(mine, mine - true, document_text)))


def _stand_together(stems: frozenset[str], added: frozenset[str], text: str) -> bool:
    """Whether the added words stand somewhere in the document with all the others around them."""
    rare = max(added, key=len)
    folded = folded_document(text)
    places = [
        folded[max(0, m.start() - _NEAR) : m.end() + _NEAR] for m in islice(find_all(re.compile(rf"\b{re.escape(rare)}"), folded), _MOST)
    ]
    return any(stems <= _stems(place) for place in places)


_NEAR, _MOST = 300, 60  # characters around a word, and its first occurrences, that are looked at
_TURNED = re.compile(r"\b(?:not(?!\s+less)|without|except|unless|waived?|most|maximum|more)\b", re.IGNORECASE)
_MAIN = re.compile(
    r"\W*(?:(?:due|duly|executed|signed|execution|delivery|counterparts?|and|of|this|the|credit|loan|facilit(?:y|ies))\s+)*(?:agreement|ca)"
    r"(?=\W*$|\W+(?:duly|executed|signed|by|and(?!\s+plan))\b)",
    re.IGNORECASE,
)
"""The agreement itself, by whatever words its signing is told."""
_PARTS = re.compile(r"\s*(?:[,/&(+]|\band\b)\s*", re.IGNORECASE)
_GENERAL = re.compile(
    r"\b(?:corporate|transaction|finance|financing|closing|legal|company|obligor)\s+(?:papers|documents?|documentation|docs|deliverables|items|matters)\b"
    r"|\b(?:customary|usual|standard|other|related|relevant|necessary|various|etc)\b",
    re.IGNORECASE,
)
_VAGUE = frozenset("certif docume agreem report notice letter condit delive approv statem security".split())
"""Words that alone do not say which condition is meant."""
_CARRIERS = frozenset(
    """a an the this that these of in on at to for from by with and or as is are be been has have each any all its their such other
    copy copies evidence proof delivery delivered executed execution signed duly completed completion received receipt form
    minimum least less than no not absence requested if satisfactory satisfaction substance agent lender lenders borrower paid
    payment provided required initial written favorable favourable legal counsel llp documentation information requirement
    requirements material date dated calculated confirming showing complete correct fully due esq""".split()
)
"""Words of a condition that say in what way something is delivered, not what."""
_ALIKE = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), common)
    for pattern, common in (
        (r"know[\s-]+your[\s-]+customer|(?:usa?\s+)?patriot[\s-]+act|anti[\s-]+money[\s-]+laundering|aml", "kyc"),
        (r"pay[\s-]?off|repayment|repaid", "repay"),
        (r"organi[sz]ational|constitutional|constitutive|charter", "constitutional"),
        (r"docs", "documents"),
        (r"mac|mae", "material adverse change"),
        (r"vp", "vice president"),
        (r"cfo", "chief financial officer"),
        (r"certs?", "certificate"),
        (r"agts?", "agreement"),
        (r"ca", "credit agreement"),
        (r"ica", "intercreditor agreement"),
        (r"gty|guarantee", "guaranty"),
        (r"reps(?!\s+and\s+warr)|reps\s+and\s+warr\w*", "representations and warranties"),
        (r"accura(?:cy|te)", "true"),
    )
)
"""Usual names of one condition, each with its common form."""


@lru_cache(maxsize=4096)
def _stems(item: str) -> frozenset[str]:
    """The informative words of a condition without plural and endings ("insurance", "insurances"), its amounts as values."""
    text = fold_letters(item)
    for pattern, common in _ALIKE:
        text = pattern.sub(common, text)
    for amount in reversed(amounts.scan(text)):
        text = f"{text[: amount.start]} {amount.value.amount} {text[amount.end :]}"
    told = (word.removesuffix("s") for word in words(text) if word not in _CARRIERS and len(word) > 1)
    return frozenset(word if word[0].isdigit() else word[:6] for word in told if word not in _CARRIERS)


def occurs(value: Any, document: Document) -> bool:
    """Does one of the items stand anywhere in the document? Summaries of conditions are never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain one of the items (one is enough), whatever its articles?"""
    line = " " + " ".join(item_key(text)) + " "
    return any(item_key(item) and f" {' '.join(item_key(item))} " in line for item in as_items(value))
