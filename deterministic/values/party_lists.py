"""Lists of parties (judging.md section 2, row "list", guarantors): compared as sets, name by name under the party rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from deterministic.values import parties
from deterministic.values.comparison import Comparison, Label, Surroundings, as_text, best_of, shown
from deterministic.values.party_names import describes_class, is_description, listed, may_be_class, name_key, names_of
from deterministic.values.words import contains_words


@dataclass(frozen=True, slots=True)
class NameMatch:
    """One reported name, gold's name that it is (None: none of them), and how well they agree."""

    reported: str
    gold: str | None
    label: Label


def supports(value: Any, text: str) -> bool:
    """Does the text contain every name in an equivalent form?"""
    return parties.supports([name for name in listed(value) if not is_description(name)] or list(listed(value)), text)


def parts(value: Any) -> tuple[str, ...]:
    """The names of the list that are looked for, each by itself."""
    return parties.parts(value)


def match_names(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> tuple[NameMatch, ...]:
    """Every reported name with its counterpart; better matches first, each name of gold once. `open`: no rule finds one."""
    given, expected = listed(reported), list(listed(gold))
    others = tuple(name for entry in accepted for name in listed(entry))
    found: dict[int, NameMatch] = {}
    for wanted in ("correct", "semantic_match"):
        for index, name in enumerate(given):
            match = next((match for match in _matches(name, expected, surroundings) if match.label == wanted), None)
            if index not in found and match and match.gold is not None:
                found[index] = match
                expected.remove(match.gold)
    for index, name in enumerate(given):
        if index not in found:
            found[index] = _accepted(name, others, expected) or _repeated(name, found) or NameMatch(name, None, "open")
    return tuple(found[index] for index in range(len(given)))


def _matches(name: str, expected: list[str], surroundings: Surroundings) -> list[NameMatch]:
    return [NameMatch(name, gold, parties.compare(name, gold, (), surroundings).label) for gold in expected]


def _accepted(name: str, accepted: tuple[str, ...], expected: list[str]) -> NameMatch | None:
    """An accepted name stands for a name of gold that nothing else matched; gold does not say which."""
    if expected and any(name_key(name) == name_key(other) for other in accepted):
        return NameMatch(name, expected.pop(0), "semantic_match")
    return None


def _repeated(name: str, found: dict[int, NameMatch]) -> NameMatch | None:
    """A name reported twice is the first report again, no invention."""
    return next((match for match in found.values() if name_key(match.reported) == name_key(name)), None)


def compare_party(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of judging.md section 2. Several names in one value compare as a list, and no rule calls that list wrong."""
    if len(names_of(as_text(reported))) == 1 and len(names_of(as_text(gold))) == 1:
        return parties.compare(reported, gold, accepted, surroundings)
    found = best_of(lambda mine, expected: _compare_whole(mine, expected, accepted, surroundings), reported, gold, accepted)
    return Comparison("open", found.reason) if found.label == "wrong" else found


def _compare_whole(reported: Any, expected: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Against gold's list, or against an accepted alternative for the whole of it ("the lead borrower alone")."""
    if len(names_of(as_text(reported))) == 1 and len(names_of(as_text(expected))) == 1:
        return parties.compare(reported, expected, (), surroundings)
    return compare(reported, expected, accepted, surroundings)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """The same set; the same set under the party rule; some found and none invented: partial; a name that is none of gold's: wrong.

    A description ("each Additional Guarantor") falls away where the document has its words; what may be one of gold's names, or does
    not read as a party's name, leaves the list open.
    """
    matches = match_names(reported, gold, accepted, surroundings)
    expected = listed(gold)
    is_any_met = any(m.gold is not None for m in matches)  # a class alone may be the expected parties or others
    others = [m.reported for m in matches if m.gold is None and not (is_any_met and _falls_away(m.reported, surroundings.document_text))]
    foreign = [
        name for name in others if parts(name) and not (may_be_class(name) or _may_be_one(name, expected, surroundings.document_text))
    ]
    missing = [name for name in expected if name not in {match.gold for match in matches}]
    if foreign:
        return Comparison("wrong", f"{shown(foreign)} is none of {shown(gold)}.")
    if others:
        return Comparison("open", f"{shown(others)} may be one of {shown(gold)} or not.")
    if not matches:
        return Comparison("wrong" if missing else "correct", f"Reported are none, expected {shown(gold)}.")
    if missing:
        return Comparison("partial", f"{shown(missing)} is missing in {shown(reported)}.")
    if all(match.label == "correct" for match in matches if match.gold is not None) and len(matches) == len({m.gold for m in matches}):
        return Comparison("correct", f"{shown(reported)} are the expected names.")
    return Comparison("semantic_match", f"{shown(reported)} are {shown(gold)} in another spelling.")


def _falls_away(name: str, text: str) -> bool:
    """Whether an entry names nobody and stands in the document in these words, articles aside."""
    return describes_class(name) and " " in name.strip() and contains_words(text, _DESCRIBED.sub("", name))


_DESCRIBED = re.compile(r"^(?:(?:each|every|any|all|certain|other|those|the)\s+)(?:(?:of|the|other|such)\s+)*", re.IGNORECASE)


def _may_be_one(name: str, expected: tuple[str, ...], text: str) -> bool:
    """Whether a name is a part of one of the expected ones, or one of them in another legal form or with unknown words beside it, and
    not another party that the document names too."""
    own = _own_words(name)
    near = (other for other in expected if f" {own} " in f" {_own_words(other)} " or f" {_own_words(other)} " in f" {own} ")
    return any(not parties.is_another(name, other, text) for other in near)


def _own_words(name: str) -> str:
    return " ".join(word for word in name_key(name) if not word.startswith("§"))
