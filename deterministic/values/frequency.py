"""How often something is tested or paid: free text to the words of the standard's ladder, and what a passage states.

The ladder itself (monthly, quarterly, semi_annual, annual) is the contract's; this module knows how English says its rungs.
"""

from __future__ import annotations

import re

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.searching import find_all, replace_all

MONTHLY, QUARTERLY, SEMI_ANNUAL, ANNUAL, ON_EVENT, NONE = "monthly", "quarterly", "semi_annual", "annual", "on_event", "none"

_YEAR = r"(?:(?:financial|fiscal|calendar|accounting|loan|test)\s+)?years?"
_QUARTER = r"(?:(?:financial|fiscal|calendar|accounting|test)\s+)?quarters?"
_EACH = (
    r"(?:each|every|any|per|such|the\s+end\s+of\s+(?:each|every|the|such|a)|a)(?:\s+of\s+(?:its|their|the|the\s+\w+['’]s))?"
    r"(?:\s+(?:successive|consecutive|subsequent|full|relevant))?"
)
_NUMBER = {"one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "twelve": 12}
_MONTH_STEPS = {1: MONTHLY, 3: QUARTERLY, 6: SEMI_ANNUAL, 12: ANNUAL}
_TIMES = {
    "once": ANNUAL,
    "twice": SEMI_ANNUAL,
    "two times": SEMI_ANNUAL,
    "four times": QUARTERLY,
    "twelve times": MONTHLY,
    "12 times": MONTHLY,
}

# Longer and more telling wordings first: what one pattern has read is not read again ("half-yearly" is no "yearly").
_PATTERNS: tuple[tuple[str, str], ...] = (
    (SEMI_ANNUAL, r"(?:semi|bi)[\s\-]?annual(?:ly)?|half[\s\-]?year(?:ly)?(?:\s+dates?)?|six[\s\-]monthly|6[\s\-]monthly"),
    (QUARTERLY, rf"quarterly|quarter\s+(?:end\s+)?dates?|quarter[\s\-]ends?|{_EACH}\s+{_QUARTER}|three[\s\-]monthly|3[\s\-]monthly"),
    (MONTHLY, rf"monthly|month[\s\-]ends?|{_EACH}\s+(?:(?:calendar|financial|fiscal|accounting)\s+)?months?"),
    (ANNUAL, rf"annual(?:ly)?|yearly|{_EACH}\s+{_YEAR}|year[\s\-]ends?|{_YEAR}[\s\-]end"),
)
_COMPILED = tuple((rung, re.compile(rf"(?<!\w)(?<!bi[\s\-])(?:{pattern})(?!\w)", re.IGNORECASE)) for rung, pattern in _PATTERNS)
_EVERY_MONTHS = re.compile(
    r"(?<!\w)(?:each|every|intervals\s+of)\s+(?:successive\s+)?(?:period\s+of\s+)?(?P<number>\d{1,2}|"
    + "|".join(_NUMBER)
    + r")(?:\s?\(\d+\))?[\s\-]+months?(?!\w)",
    re.IGNORECASE,
)
_TIMES_A_YEAR = re.compile(
    rf"(?<!\w)(?P<times>{'|'.join(_TIMES)})\s+(?:a|per|each|every|in\s+(?:each|every|any|a))\s+(?:and\s+every\s+)?{_YEAR}(?!\w)",
    re.IGNORECASE,
)
_PER_ANNUM = re.compile(r"per\s+annum|p\.\s?a\.", re.IGNORECASE)
_MONTH_NAME = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY_OF_MONTH = (
    rf"(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH_NAME}|last\s+day\s+of\s+{_MONTH_NAME}"
    rf"|{_MONTH_NAME}\s+\d{{1,2}}(?:st|nd|rd|th)?)(?!,?\s+\d{{4}})"
)
_DAY_LIST = re.compile(
    rf"{_DAY_OF_MONTH}(?:\s*(?:,|and|,\s*and|&|/)\s*{_DAY_OF_MONTH})*(?P<yearly>\s+(?:in|of)\s+(?:each|every|any)\s+{_YEAR})?",
    re.IGNORECASE,
)
_MONTH_LIST = re.compile(
    rf"(?:last|first|\d{{1,2}}(?:st|nd|rd|th)?)\s+(?:business\s+)?day\s+(?:of|in)\s+(?:each\s+(?:of\s+)?|every\s+)?(?:the\s+months\s+of\s+)?"
    rf"{_MONTH_NAME}(?:\s*(?:,|and|,\s*and)\s*{_MONTH_NAME})+(?P<yearly>\s+(?:in|of)\s+(?:each|every|any)\s+{_YEAR})?",
    re.IGNORECASE,
)
_NAMED = re.compile(_MONTH_NAME, re.IGNORECASE)

_ON_EVENT = re.compile(
    r"on[\s_\-]event|one[\s\-]off|once|event[\s\-](?:driven|based)|(?:up)?on\s+(?:the\s+|an?\s+|each\s+)?(?:occurrence|event|incurrence|utilisation|request|demand)|incurrence(?:\s+(?:test|only|based))?"
    r"|(?:promptly|immediately|forthwith)(?:\s.*)?|ad[\s\-]hoc|as\s+and\s+when|when\s+(?:it\s+)?(?:occurs|incurred)|upon\s+becoming\s+aware|(?:up)?on\s+(?:the\s+)?(?:occurrence|incurrence)\s+of\s+.*",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"none|n/?a|nil|not\s+(?:tested|applicable|stated|specified)|no\s+(?:testing|test|periodic\s+testing)(?:\s+\w+)?|untested|at\s+(?:all\s+times|any\s+time)|continuous(?:ly)?|ongoing",
    re.IGNORECASE,
)


def parse(text: str) -> str | None:
    """The one rung that the text means ("each quarter", "half-yearly", "semi_annual"), or None when it says none or several."""
    trimmed = " ".join(text.replace("_", " ").split()).strip(" .")
    if _NONE.fullmatch(trimmed):
        return NONE
    if _ON_EVENT.fullmatch(trimmed):
        return ON_EVENT
    found = scan(trimmed)
    return next(iter(found)) if len(found) == 1 else None


def scan(text: str) -> frozenset[str]:
    """Every rung of the ladder that the passage states. A rate "per annum" is no frequency."""
    return _read(text)[0]


def month_lists(text: str) -> frozenset[frozenset[int]]:
    """The months of each list of days that a text has ("30 June and 31 December"), of two days and more."""
    lists = (_NAMED.findall(match[0]) for pattern in (_DAY_LIST, _MONTH_LIST) for match in find_all(pattern, text))
    return frozenset(frozenset(MONTHS[name.casefold().rstrip(".")] for name in names) for names in lists if len(names) > 1)


def strip(text: str) -> str:
    """The text without the words that state a frequency."""
    return _read(text)[1]


def _read(text: str) -> tuple[frozenset[str], str]:
    found: set[str] = set()
    rest = replace_all(_PER_ANNUM, lambda _: " ", text)
    rest = _take_days(rest, found)
    rest = replace_all(_EVERY_MONTHS, lambda match: _keep(_MONTH_STEPS.get(_number(match["number"])), found), rest)
    rest = replace_all(_TIMES_A_YEAR, lambda match: _keep(_TIMES[" ".join(match["times"].lower().split())], found), rest)
    for rung, pattern in _COMPILED:
        rest = replace_all(pattern, lambda _, rung=rung: _keep(rung, found), rest)  # type: ignore[misc]
    return frozenset(found), rest


def _take_days(text: str, found: set[str]) -> str:
    """ "30 June and 31 December in each year": two days are half-yearly, four quarterly, one annual where "each year" follows."""

    def read(match: re.Match[str]) -> str:
        months = {MONTHS[name.casefold().rstrip(".")] for name in _NAMED.findall(match[0])}
        rung = {1: ANNUAL if match["yearly"] else None, 2: SEMI_ANNUAL, 4: QUARTERLY, 12: MONTHLY}.get(len(months))
        return _keep(rung, found)

    return replace_all(_DAY_LIST, read, replace_all(_MONTH_LIST, read, text))


def _keep(rung: str | None, found: set[str]) -> str:
    found |= {rung} if rung else set()
    return " "


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBER[text.lower()]
