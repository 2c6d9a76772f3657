"""Lists of conditions precedent (judging.md section 2, row "list"): sets of short texts, order and case free.

The same set is correct; the same set but for punctuation and articles a semantic match; some found and none invented partial.
A list in other words goes to the judge (`list_coverage`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Surroundings, as_items, is_verbatim, shown
from deterministic.values.words import plain, words

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

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
        return _by_words(given, expected, shown(reported), shown(gold))
    if missing > 0:
        return Comparison("partial", f"{shown(reported)} leaves out {missing} of {shown(gold)}.")
    if found == wanted and all(is_verbatim(item, surroundings.quotes, ignore_case=True) for item in given):
        return Comparison("correct", f"{shown(reported)} are {shown(gold)} and stand so in their quotes.")
    return Comparison("semantic_match", f"{shown(reported)} are {shown(gold)} in another spelling.")


def _by_words(given: tuple[str, ...], expected: tuple[str, ...], reported: str, gold: str) -> Comparison:
    """Summaries of conditions: each reported item is one of gold's where one has every informative word of the other, in any form.

    All of gold's met is a semantic match, some of them partial; an item that is none of gold's leaves the list open.
    """
    mine, true = [_stems(item) for item in given], [_stems(item) for item in expected]
    pairs = [[t for t, wanted in enumerate(true) if item and wanted and (item <= wanted or wanted <= item)] for item in mine]
    if not pairs or not all(pairs) or any(_NEGATED.search(item) for item in (*given, *expected)):
        return Comparison("open", f"{reported} against {gold}: no rule for lists decides.")
    met = {t for found in pairs for t in found}
    if len(met) == len(true):
        return Comparison("semantic_match", f"{reported} are {gold} in other words.")
    return Comparison("partial", f"{reported} leaves out {len(true) - len(met)} of {gold}.")


_NEGATED = re.compile(r"\b(?:not|without|except|unless|waived?)\b", re.IGNORECASE)
_CARRIERS = frozenset(
    """a an the this that these of in on at to for from by with and or as is are be been has have each any all its their such other
    copy copies evidence delivery delivered executed signed duly completed completion received receipt form counterpart counterparts
    minimum least less than no requested if satisfactory substance agent lender lenders borrower paid payment""".split()
)
"""Words of a condition that say in what way something is delivered, not what."""


def _stems(item: str) -> frozenset[str]:
    """The informative words of a condition, cut to what their forms share ("payment of fees" and "fees paid")."""
    return frozenset(word[:4] for word in words(item) if word not in _CARRIERS and len(word) > 1)


def occurs(value: Any, document: Document) -> bool:
    """Does one of the items stand anywhere in the document? Summaries of conditions are never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain one of the items (one is enough), whatever its articles?"""
    line = " " + " ".join(item_key(text)) + " "
    return any(item_key(item) and f" {' '.join(item_key(item))} " in line for item in as_items(value))
