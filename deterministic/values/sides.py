"""On which side of an event a period lies: "30 days before the end of the year" is not "30 days after" it.

Lengths are compared where they are read (`periods`, `thresholds`); this is what a length alone does not say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from deterministic.lexicon.calendar import DESK_PERIODS
from deterministic.lexicon.numbers import fold
from deterministic.lexicon.phrases import side_of
from deterministic.values.threshold_forms import PERIOD_UNITS, scan_quantities, with_desk_days
from deterministic.values.words import words

Side = Literal["before", "after"]
Turn = Literal["same", "opposite", "unclear"]

_BEFORE = "|".join((*side_of("before"), "previous to", "in advance of", "until", "till")).replace(" ", r"\s+")
_AFTER = "|".join((*side_of("after"), "from", "since")).replace(" ", r"\s+")
_EITHER = rf"(?:{_BEFORE})\s*(?:,|or|and|/)+\s*(?:{_AFTER})|(?:{_AFTER})\s*(?:,|or|and|/)+\s*(?:{_BEFORE})"
_WORD = rf"\b(?:(?P<either>{_EITHER})|(?P<before>{_BEFORE}|prior|advance)|(?P<after>{_AFTER}))\b"
_BEHIND = re.compile(rf"[\s,)]*{_WORD}", re.IGNORECASE)
_LATER = re.compile(_WORD, re.IGNORECASE)
_IN_FRONT = re.compile(
    r"\b(?:(?P<before>preceding|previous|prior|past|last|trailing)|(?P<after>following|next|subsequent|succeeding))\s+$", re.IGNORECASE
)
_NOTICE = re.compile(r"\W*(?:written\s+|irrevocable\s+)*notice\b", re.IGNORECASE)
_STOP = re.compile(r"[.;]\s|\n\s*\n")
_REPORTING = re.compile(
    rf"\b(?:(?P<year>{DESK_PERIODS['year']}|(?:financial|fiscal|accounting)?\s*years?)|(?P<half>{DESK_PERIODS['half']}|half[\s-]years?)|"
    rf"(?P<quarter>{DESK_PERIODS['quarter']}|(?:fiscal\s+|financial\s+)?quarters?)|(?P<month>{DESK_PERIODS['month']}|months?))\b",
    re.IGNORECASE,
)
_UNTELLING = frozenset(
    "the a an of on and or each any such its their to in by which that date day days end ended ending last first".split()
)


@dataclass(frozen=True, slots=True)
class _Placed:
    """The side of one period; `is_clear`: its word stands directly beside the period. `event`: the words behind it."""

    side: Side
    is_clear: bool
    event: frozenset[str]


def turn(reported: str, gold: str) -> Turn:
    """How the sides of the periods that two texts share compare. A period without a word for its side agrees with both.

    `unclear`: opposite words of which one is not beside its period or belongs to another event, or several words for one period.
    """
    mine, true = _placed(reported), _placed(gold)
    found = [_turn_of(mine[key], true[key]) for key in mine.keys() & true.keys()]
    return next((one for one in ("opposite", "unclear") if one in found), "same")


def is_against(reported: str, gold: str, sentences: Sequence[str]) -> bool:
    """Whether the sentences that gold stands in have a period, whose side gold leaves out, on the other side only."""
    mine, said = _placed(reported), _placed("\n\n".join(sentences))
    unsaid = (mine.keys() & said.keys()) - _placed(gold).keys()
    return any({one.side for one in mine[key]}.isdisjoint(one.side for one in said[key]) for key in unsaid)


def _turn_of(mine: Sequence[_Placed], true: Sequence[_Placed]) -> Turn:
    if [one.side for one in mine] == [one.side for one in true] or {one.side for one in (*mine, *true)} in ({"before"}, {"after"}):
        return "same"
    if len(mine) > 1 or len(true) > 1 or not (mine[0].is_clear and true[0].is_clear):
        return "unclear"
    is_other_event = mine[0].event and true[0].event and not mine[0].event & true[0].event
    return "unclear" if is_other_event else "opposite"


def _placed(text: str) -> dict[tuple[object, str], list[_Placed]]:
    """The stated sides of each period of a text, in their order."""
    found: dict[tuple[object, str], list[_Placed]] = defaultdict(list)
    for key, placed in _scan(with_desk_days(fold(text))):
        found[key].append(placed)
    return found


def _scan(folded: str) -> Iterator[tuple[tuple[object, str], _Placed]]:
    quantities = [q for q in scan_quantities(folded) if q.unit in PERIOD_UNITS]
    for n, quantity in enumerate(quantities):
        limit = quantities[n + 1].start if n + 1 < len(quantities) else len(folded)
        stop = _STOP.search(folded, quantity.end, limit)
        limit = stop.start() if stop else limit
        front = _IN_FRONT.search(folded, 0, quantity.start)
        behind = _BEHIND.match(folded, quantity.end, limit)
        found = behind or front or _LATER.search(folded, quantity.end, limit)
        if found is None or found.lastgroup == "either":
            continue
        is_clear = found is front or (found is behind and _NOTICE.match(folded, found.end()) is None)
        side: Side = "before" if found.lastgroup == "before" else "after"
        yield (quantity.value, quantity.unit), _Placed(side, is_clear, _event(folded[max(found.end(), quantity.end) : limit]))


def _event(text: str) -> frozenset[str]:
    """The telling words of an event in their first letters, its reporting period under one name ("FYE", "fiscal year")."""
    named = _REPORTING.sub(lambda match: f" {match.lastgroup} ", text)
    return frozenset(word[:6] for word in words(named) if word not in _UNTELLING)
