"""Small whole numbers and ordinals in English words, as periods and dates spell them (up to 9,999)."""

from __future__ import annotations

import re


def _numbered(line: str, *, start: int = 1, step: int = 1) -> dict[str, int]:
    return {word: step * number for number, word in enumerate(line.split(), start)}


_UNITS = _numbered(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", start=2, step=10)
_SCALES = {"hundred": 100, "thousand": 1000}

_ORDINAL_UNITS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth"
)
ORDINALS: dict[str, int] = {
    **_ORDINAL_UNITS,
    "twentieth": 20,
    "thirtieth": 30,
    **{f"twenty-{word}": 20 + number for word, number in _ORDINAL_UNITS.items() if number < 10},
    "thirty-first": 31,
}
"""Days of a month in words, with a hyphen: "twenty-first" is 21."""

ORDINAL_PATTERN = "|".join(sorted((word.replace("-", r"[\s\-]+") for word in ORDINALS), key=len, reverse=True))

_WORD = "(?:" + "|".join(sorted([*_UNITS, *_TENS, *_SCALES], key=len, reverse=True)) + ")"
CARDINAL_PATTERN = rf"(?:a[\s\-]+(?=hundred))?{_WORD}(?:[\s\-]+(?:and[\s\-]+)?{_WORD}){{0,7}}"
"""A run of number words, no longer than a number below 10,000 needs; `parse_cardinal` decides whether it is a number."""


def parse_cardinal(text: str) -> int | None:
    """ "three hundred and sixty-four" is 364; None when the words are no well-formed number ("two ten", "five twenty")."""
    words = [word for word in re.split(r"[\s\-]+", text.casefold()) if word not in ("", "and", "a")]
    total, group, floor = 0, 0, 1000
    for word in words:
        if word in _SCALES:
            scale = _SCALES[word]
            if scale == 1000 and group and not total:
                total, group, floor = group * 1000, 0, 1000
            elif scale == 100 and ((floor == 1 and group < 100) or not group):
                group, floor = max(group, 1) * 100, 100
            else:
                return None
        elif word in _TENS and floor >= 100:
            group, floor = group + _TENS[word], 10
        elif word in _UNITS and (floor >= 100 or (floor == 10 and _UNITS[word] < 10)):
            group, floor = group + _UNITS[word], 1
        else:
            return None
    return (total + group) or None


def parse_ordinal(text: str) -> int | None:
    """The day that an ordinal in words names, 1 to 31."""
    return ORDINALS.get("-".join(re.split(r"[\s\-]+", text.casefold().strip())))
