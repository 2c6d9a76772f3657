"""How often something is tested or paid: a closed grammar of whole strings, and the rungs that a passage states.
The ladder itself (monthly, quarterly, semi_annual, annual) is the contract's; this module knows how English says its rungs. A string with
anything beside them ("quarterly, if drawn", "not tested quarterly") is read by no rule."""

import re

from deterministic.lexicon.calendar import MONTHS
from deterministic.lexicon.labels import NOTHING
from deterministic.lexicon.memory import remembered
from deterministic.lexicon.searching import find_all
from deterministic.lexicon.tables import patterns

MONTHLY, QUARTERLY, SEMI_ANNUAL, ANNUAL, ON_EVENT, NONE = "monthly", "quarterly", "semi_annual", "annual", "on_event", "none"

_FISCAL = r"(?:(?:financial|fiscal|calendar|accounting|loan|test)\s+)?"
_YEAR = rf"{_FISCAL}years?"
_FORMS = patterns("frequencies")
_ON_EVENT = re.compile(_FORMS.pop(ON_EVENT), re.IGNORECASE)
_SCANNED = tuple((rung, re.compile(rf"(?<![\w-])(?:{forms})(?!\w)", re.IGNORECASE)) for rung, forms in _FORMS.items())
_LEAD = (
    r"(?:(?:to\s+be\s+|is\s+|are\s+)?(?:tested|measured|calculated|delivered)\s+|testing:?\s+)?"
    r"(?:(?:on|at|as\s+at|as\s+of|for)\s+)?(?:an?\s+)?(?:the\s+)?(?:(?:last\s+day|end)\s+of\s+)?"
)
_TAIL = r"(?:[\s-]+(?:basis|test|tests|testing|tested))?(?:\s*\((?:LTM|rolling)\))?"
_WHOLE = tuple((rung, re.compile(rf"{_LEAD}(?:{forms}){_TAIL}", re.IGNORECASE)) for rung, forms in _FORMS.items())
_REPEATED = re.compile(
    r"(?P<first>[\w-]+)(?:\s+(?:on|at)\s+|,\s*(?:on|at)\s+|\s*\((?:on\s+|at\s+)?(?:the\s+)?)(?P<second>[^()]+?)\)?", re.IGNORECASE
)
"""One rung said twice: "Quarterly (end of each fiscal quarter)"."""
_MONTH_NAME = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = (
    rf"(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH_NAME}|last\s+day\s+of\s+{_MONTH_NAME}"
    rf"|{_MONTH_NAME}\s+\d{{1,2}}(?:st|nd|rd|th)?)(?!,?\s+\d{{4}})"
)
_JOINED = r"(?:\s*(?:,|and|,\s*and|&|/)\s*{0})*"
_DAYS = re.compile(
    rf"(?:{_DAY}{_JOINED.format(_DAY)}|(?:last|first|\d{{1,2}}(?:st|nd|rd|th)?)\s+(?:business\s+)?day\s+(?:of|in)\s+(?:each\s+(?:of\s+)?|every\s+)?"
    rf"(?:the\s+months\s+of\s+)?{_MONTH_NAME}{_JOINED.format(_MONTH_NAME)})(?P<yearly>\s+(?:in|of)\s+(?:each|every|any)\s+{_YEAR})?",
    re.IGNORECASE,
)
_NAMED = re.compile(_MONTH_NAME, re.IGNORECASE)


def parse(text: str) -> str | None:
    """The one rung that the whole text means ("each quarter", "half-yearly", "semi_annual"); None when it says anything else."""
    trimmed = " ".join(text.replace("_", " ").split()).strip(" .")
    if trimmed.casefold() in NOTHING["frequency"]:
        return NONE
    if _ON_EVENT.fullmatch(trimmed):
        return ON_EVENT
    if (rung := _rung(trimmed)) is not None:
        return rung
    twice = _REPEATED.fullmatch(trimmed)
    rungs = {_rung(twice["first"]), _rung(twice["second"])} if twice is not None else set()
    return rungs.pop() if len(rungs) == 1 else None


def _rung(text: str) -> str | None:
    if found := [rung for rung, pattern in _WHOLE if pattern.fullmatch(text)]:
        return found[0] if len(found) == 1 else None
    days = _DAYS.fullmatch(re.sub(r"^(?:(?:on|each|every)\s+)+", "", text, flags=re.IGNORECASE))
    return _rung_of_days(days) if days is not None else None


def _rung_of_days(days: re.Match[str]) -> str | None:
    """ "30 June and 31 December in each year": two days are half-yearly, four quarterly, one annual where "each year" follows."""
    return {1: ANNUAL if days["yearly"] else None, 2: SEMI_ANNUAL, 4: QUARTERLY, 12: MONTHLY}.get(len(_months(days)))


def _months(days: re.Match[str]) -> frozenset[int]:
    return frozenset(MONTHS[name.casefold().rstrip(".")] for name in _NAMED.findall(days[0]))


@remembered
def scan(text: str) -> frozenset[str]:
    """Every rung of the ladder that a passage states. A rate "per annum" is no frequency."""
    found = {rung for days in find_all(_DAYS, text) if (rung := _rung_of_days(days)) is not None}
    rest = _DAYS.sub(" ", text)
    for rung, pattern in _SCANNED:
        stated = rest
        rest = pattern.sub(" ", rest)
        found |= {rung} if rest != stated else set()
    return frozenset(found)


@remembered
def month_lists(text: str) -> frozenset[frozenset[int]]:
    """The months of each list of days that a text has ("30 June and 31 December"), of two days and more."""
    return frozenset(months for days in find_all(_DAYS, text) if len(months := _months(days)) > 1)
