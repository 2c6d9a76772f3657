"""Lists of parties (design/values.md, row "list", guarantors): compared as sets, name by name under the party rule."""

from __future__ import annotations

from typing import Any

from deterministic.values import parties
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, shown
from deterministic.values.party_names import ends_with_form, is_proper, key_of, listed, name_of, names_of
from deterministic.values.words import plain


def supports(value: Any, text: str) -> bool:
    """Does the text contain every name in an equivalent form?"""
    named = [name for name in listed(value) if ends_with_form(name) or is_proper(name_of(name))]
    return parties.supports(named or list(listed(value)), text)


def compare_party(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of design/values.md. Several names in one value compare as a list."""
    if len(names_of(as_text(reported))) == 1 and len(names_of(as_text(gold))) == 1:
        return parties.compare(reported, gold, accepted, surroundings)
    return best_of(lambda mine, expected: compare(mine, expected, accepted, surroundings), reported, gold, accepted)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """The same set of names; some of them and no other: partial; a name that is none of gold's leaves the list open.

    An accepted name stands for a name of gold that nothing else met.
    """
    given, expected = listed(reported), listed(gold)
    keys, wanted = ({key_of(name, surroundings.labels) for name in side} for side in (given, expected))
    aliases = {key_of(name, surroundings.labels) for entry in accepted for name in listed(entry)}
    others = [name for name in given if key_of(name, surroundings.labels) not in wanted | aliases]
    missing, met = len(wanted - keys), len((keys & aliases) - wanted)
    if not given:
        return Comparison("wrong" if expected else "correct", f"Reported are none, expected {shown(gold)}.")
    if others:
        return Comparison("open", f"{shown(others)} may be one of {shown(gold)} or not.")
    if met > missing:
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: accepted names may be one party.")
    if missing > met:
        return Comparison("partial", f"{shown(reported)} leaves out {missing - met} of {shown(gold)}.")
    if sorted(map(plain, given)) == sorted(map(plain, expected)):
        return Comparison("correct", f"{shown(reported)} are the expected names.")
    return Comparison("semantic_match", f"{shown(reported)} are {shown(gold)} in another spelling.")
