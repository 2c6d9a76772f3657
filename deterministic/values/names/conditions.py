"""Lists of conditions precedent (design/values.md, row "list"): sets of short texts, order and case free.
The same set is correct; the same set but for punctuation and articles a semantic match; some found and none invented partial. A list in
other words goes to the judge (`list_coverage`)."""

from typing import Any

from deterministic.values.comparison import Comparison, Surroundings, as_items, quoted
from deterministic.values.words import plain, stands_in, words

_ARTICLES = frozenset(("a", "an", "the"))


def item_key(item: str) -> tuple[str, ...]:
    """What two spellings of one condition share: its words without articles."""
    return tuple(word for word in words(item) if word not in _ARTICLES)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "list" of design/values.md, for conditions. An accepted text stands for one item of gold."""
    given, expected = as_items(reported), as_items(gold)
    if given and set(map(plain, given)) == set(map(plain, expected)):
        return Comparison("correct", f"{quoted(reported)} are the expected conditions.")
    aliases = {item_key(text) for entry in accepted for text in as_items(entry)}
    wanted, found = {item_key(item) for item in expected}, {item_key(item) for item in given}
    if not found or found - wanted - aliases:
        return Comparison("open", f"{quoted(given)} against {quoted(expected)}: no rule for lists decides.")
    if (missing := len(wanted - found) - len((found & aliases) - wanted)) > 0:
        return Comparison("partial", f"{quoted(reported)} leaves out {missing} of {quoted(gold)}.")
    if found == wanted and all(stands_in(item, *surroundings.quotes, ignore_case=True) for item in given):
        return Comparison("correct", f"{quoted(reported)} are {quoted(gold)} and stand so in their quotes.")
    return Comparison("semantic_match", f"{quoted(reported)} are {quoted(gold)} in another spelling.")


def supports(value: Any, text: str) -> bool:
    """Does the text contain one of the items (one is enough), whatever its articles?"""
    line = " " + " ".join(item_key(text)) + " "
    return any(item_key(item) and f" {' '.join(item_key(item))} " in line for item in as_items(value))
