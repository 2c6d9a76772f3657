"""Days that a document states only as a period from an event: "the date falling 36 months after the first Utilisation Date".

Such a maturity is a type of its own (judging.md section 2): the same period and event are right, a computed day is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from deterministic.lexicon.numbers import ORDINAL_PATTERN, parse_ordinal
from deterministic.lexicon.searching import find_all
from deterministic.values import periods
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, as_text, shown
from deterministic.values.periods import Period
from deterministic.values.words import plain, words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


@dataclass(frozen=True, slots=True)
class PeriodFromEvent:
    """A length, on which side of the event it lies, and the event's words without articles."""

    period: Period
    is_after: bool
    event: tuple[str, ...]


_BEFORE = re.compile(
    r"(?:(?:on\s+)?(?:the\s+)?(?:date|day)\s+)?(?:(?:which|that)\s+(?:is|falls)\s+|falling\s+|being\s+)?(?:the\s+date\s+)?",
    re.IGNORECASE,
)
_SIDE = re.compile(r"\s+(?:(?P<after>after|from|following)|(?P<before>before|prior\s+to))\s+", re.IGNORECASE)
_EVENT_END = re.compile(r"[.,;:()\[\]]\s|[.,;:()]$|\n\s*\n|[;)]")
_ARTICLES = frozenset({"the", "a", "an", "its", "such"})
_MAX_EVENT_WORDS, _MAX_EVENT_LENGTH = 15, 300


def parse_from_event(text: str) -> PeriodFromEvent | None:
    """The whole text as one period from one event, or None."""
    trimmed = " ".join(text.split()).rstrip(".,;")
    before = _BEFORE.match(trimmed)
    start = before.end() if before else 0
    for value, position, event in _candidates(trimmed):
        if position in (start, start + 4) and trimmed[start:position].lower() in ("", "the ") and event == trimmed[-len(event) :]:
            return value
    return None


def stands_in(wanted: PeriodFromEvent, text: str) -> bool:
    """Does the text say the same period, on the same side of the same event?"""
    return any(
        value.period == wanted.period and value.is_after == wanted.is_after and value.event[: len(wanted.event)] == wanted.event
        for value, _, _ in _candidates(text)
    )


def _candidates(text: str) -> list[tuple[PeriodFromEvent, int, str]]:
    """Every period from an event, with its offset and the event's own characters (up to the next mark)."""
    found = []
    for mention in periods.scan(text):
        side = _SIDE.match(text, mention.end)
        if side:
            found.append(_candidate(text, mention.start, side.end(), mention.value, bool(side["after"])))
    for match in find_all(periods.ANNIVERSARY, text):
        found.append(_candidate(text, match.start(), match.end(), periods.from_anniversary(match), True))
    return [candidate for candidate in found if candidate[0].event]


def _candidate(text: str, start: int, event_start: int, period: Period, is_after: bool) -> tuple[PeriodFromEvent, int, str]:
    limit = min(len(text), event_start + _MAX_EVENT_LENGTH)
    end = _EVENT_END.search(text, event_start, limit)
    event = text[event_start : end.start() if end else limit]
    key = tuple(word for word in words(event) if word not in _ARTICLES)[:_MAX_EVENT_WORDS]
    return PeriodFromEvent(period, is_after, key), start, event


def compare_from_event(reported: str, gold: str, *, is_day: bool) -> Comparison:
    """Gold's maturity is no day but a wording; `is_day`: what is reported is a day."""
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected wording.")
    if _in_figures(reported) == _in_figures(gold):
        return Comparison("semantic_match", f"{shown(reported)} has the words of {shown(gold)}.")
    (given, other), (expected, or_earlier) = _parse_with_other_end(reported), _parse_with_other_end(gold)
    if expected and is_day:
        return Comparison("wrong", f"{shown(reported)} is a computed day; gold says {shown(gold)}.")
    if given and not expected and not any(given.period == one.period for one, _, _ in _candidates(gold)) and _candidates(gold):
        return Comparison("wrong", f"{shown(reported)} is another period than those of {shown(gold)}.")
    if given is None or expected is None or not _begins_like(other, or_earlier):
        return Comparison("open", f"{shown(reported)} against the wording {shown(gold)}: no rule decides.")
    if given == expected or replace(given, event=_plain(given.event)) == replace(expected, event=_plain(expected.event)):
        return Comparison("semantic_match", f"{shown(reported)} is the same period from the same event as {shown(gold)}.")
    if given.period != expected.period or given.is_after != expected.is_after:
        return Comparison("wrong", f"{shown(reported)} is another period than {shown(gold)}.")
    return Comparison("open", f"{shown(reported)} has the period of {shown(gold)}, from an event in other words.")


_OTHER_END = re.compile(r"\s*[(,]\s*(?:or,?\s+)?(?:if\s+)?(?:earlier|sooner)\b[,\s]*(?P<words>[^()]*)\)?$", re.IGNORECASE)


def _parse_with_other_end(text: str) -> tuple[PeriodFromEvent | None, str]:
    """A period from an event, and when a text says that it ends earlier ("(or, if earlier, on acceleration)"); "": it does not say so."""
    other = _OTHER_END.search(text)
    return (parse_from_event(text), "") if other is None else (parse_from_event(text[: other.start()]), other["words"])


def _begins_like(told: str, expected: str) -> bool:
    """Whether each word of an earlier end is one of gold's, whatever its form; both say one or neither does."""
    mine, true = ({word[:6] for word in _plain(words(text))} for text in (told, expected))
    return bool(mine) == bool(true) and mine <= true


_UNTELLING = _ARTICLES | {"date", "day", "of", "on", "this", "that", "which"}


def _plain(event: tuple[str, ...]) -> tuple[str, ...]:
    """An event's telling words: "Closing" and "the Closing Date", "date of this Agreement" and "the date of the Agreement" are one each."""
    told = ("agreement" if word == "hereof" else word for word in event)
    return tuple(word for word in told if word not in _UNTELLING) or event


_ORDINAL = re.compile(rf"\b{ORDINAL_PATTERN}\b", re.IGNORECASE)
_FIGURE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)


def _in_figures(text: str) -> tuple[str, ...]:
    """The words of a text without articles, its ordinals as figures ("the fifth anniversary", "5th anniversary")."""
    figures = _ORDINAL.sub(lambda match: str(parse_ordinal(match[0]) or match[0]), _FIGURE.sub(r"\1", text))
    return tuple(word for word in words(figures) if word not in _ARTICLES | {"this"})


def occurs_from_event(value: str, document: Document) -> bool:
    """Does the period from the event stand anywhere in the document? Wordings that are neither: as plain text."""
    wanted = parse_from_event(as_text(value))
    if wanted is None:
        return texts.occurs(value, document)
    return stands_in(wanted, document.text)
