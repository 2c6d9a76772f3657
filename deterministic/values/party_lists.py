"""Lists of parties (judging.md section 2, row "list", guarantors): compared as sets, name by name under the party rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deterministic.values import parties
from deterministic.values.comparison import Comparison, Label, Surroundings, as_items, shown

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

_LINES = re.compile(r"\s*[;\n•]\s*(?:and(?:\s*/\s*or)?\s+)?", re.IGNORECASE)
_JOINTS = re.compile(r"\s*,\s*(?:and(?:\s*/\s*or)?\s+)?|\s+and(?:\s*/\s*or)?\s+|\s+or\s+", re.IGNORECASE)
LONGEST_NAME = 300  # characters; what is longer is no name with a joint behind it
_DESCRIBED = re.compile(r"(?:each|every|any|all|certain|other)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NameMatch:
    """One reported name, gold's name that it is (None: none of them), and how well they agree."""

    reported: str
    gold: str | None
    label: Label


def listed(value: Any) -> tuple[str, ...]:
    """The names of a list, or of a text that lists them: "A Ltd; B GmbH", "A Ltd, B GmbH and/or C plc".

    A comma or "and" parts two names only between a legal form and a further name that ends in one, since names hold them too.
    """
    entries = value if isinstance(value, list | tuple) else [value]
    rows = [row for entry in entries if isinstance(entry, str) for row in as_items(_LINES.split(entry.strip()))]
    return tuple(name for row in rows for name in _parted(row))


def _parted(row: str) -> list[str]:
    names, start = [], 0
    for joint in _JOINTS.finditer(row):
        if (
            joint.start() - start <= LONGEST_NAME
            and _has_form(row[start : joint.start()])
            and not _leads_with_form(row[joint.end() : joint.end() + 80])
        ):
            names.append(row[start : joint.start()])
            start = joint.end()
    names.append(row[start:])
    return names if all(_has_form(name) or is_description(name) for name in names) else [row]


def is_description(name: str) -> bool:
    """ "each Material Subsidiary" describes parties and names none."""
    return _DESCRIBED.match(name) is not None and not _has_form(name)


def _has_form(name: str) -> bool:
    key = parties.name_key(name)
    return len(key) > 1 and key[-1].startswith("§")


def _leads_with_form(text: str) -> bool:
    return next((word.startswith("§") for word, _, _ in parties.tokens(text)), True)


def occurs(value: Any, document: Document) -> bool:
    """Does each name stand anywhere in the document, in any spelling of the party rule?"""
    return parties.occurs(listed(value), document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain every name in an equivalent form?"""
    return parties.supports(listed(value), text)


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
    if expected and any(parties.name_key(name) == parties.name_key(other) for other in accepted):
        return NameMatch(name, expected.pop(0), "semantic_match")
    return None


def _repeated(name: str, found: dict[int, NameMatch]) -> NameMatch | None:
    """A name reported twice is the first report again, no invention."""
    return next((match for match in found.values() if parties.name_key(match.reported) == parties.name_key(name)), None)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """The same set; the same set under the party rule; some found and none invented: partial; else wrong, without a judge."""
    matches = match_names(reported, gold, accepted, surroundings)
    invented = [match.reported for match in matches if match.gold is None]
    missing = [name for name in listed(gold) if name not in {match.gold for match in matches}]
    if invented:
        return Comparison("wrong", f"{shown(invented)} is none of {shown(gold)}.")
    if not matches:
        return Comparison("wrong" if missing else "correct", f"Reported are none, expected {shown(gold)}.")
    if missing:
        return Comparison("partial", f"{shown(missing)} is missing in {shown(reported)}.")
    if all(match.label == "correct" for match in matches):
        return Comparison("correct", f"{shown(reported)} are the expected names.")
    return Comparison("semantic_match", f"{shown(reported)} are {shown(gold)} in another spelling.")
