"""Covenant thresholds: comparison and occurrence. How they are read: `threshold_forms`.

Comparison: judging.md section 3, "threshold" (standard 2.1). The string of the document is correct, an equal value in another form
partial, a range around a single gold value partial, another value or the comparator turned round wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from deterministic.lexicon.calendar import DESK_PERIODS
from deterministic.lexicon.matching import same_characters, stands_in
from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.values import caps, money, periods, sides, threshold_forms
from deterministic.values.amounts import Money
from deterministic.values.comparison import Comparison, Surroundings
from deterministic.values.currency import is_same
from deterministic.values.days import parse as parse_day
from deterministic.values.document_numbers import folded_of
from deterministic.values.threshold_forms import Level, Threshold, beginnings, figures_beside, is_fragment, parse, scan_levels, settled_by

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

__all__ = [
    "Level", "Threshold", "compare_days", "compare_part", "compare_threshold", "is_at_other_edge", "is_fragment", "is_nothing", "occurs",
    "parse", "supports",
]  # fmt: skip

_NOTHING = ("", "none", "null", "n/a", "na", "not applicable", "no threshold", "-", "no cap", "uncapped", "unlimited", "without limit")
_EVENTS = (
    ("year", rf"{DESK_PERIODS['year']}|(?:financial|fiscal|accounting)?\s*years?(?:[\s-]end)?|annual|annum|annually"),
    ("half", rf"{DESK_PERIODS['half']}|half[\s-]?years?|semi[\s-]?annual(?:ly)?|half[\s-]?yearly"),
    ("quarter", rf"{DESK_PERIODS['quarter']}|quarters?|quarterly"),
    ("month", rf"{DESK_PERIODS['month']}|(?:calendar|financial|fiscal)\s+months?|each\s+month|monthly|month[\s-]end"),
)
_EVENT = re.compile("|".join(f"(?P<{name}>\\b(?:{pattern})\\b)" for name, pattern in reversed(_EVENTS)), re.IGNORECASE)
_EDGE = re.compile(
    r"\b(?:(?P<start>start|beginning|commencement|first\s+(?:business\s+)?day)|(?P<end>end|close|last\s+(?:business\s+)?day))\s+of\b",
    re.IGNORECASE,
)
_REACH = re.compile(
    rf"{_EVENT.pattern}|\b(?:(?P<life>(?:life|term|duration)\s+of)|(?P<single>individual(?:ly)?|(?:per|each|every|any\s+one)"
    rf"(?!\s+(?:of\s+\w+\s+)?(?:cent|calendar|test|{'|'.join(pattern for _, pattern in _EVENTS)})\b)))\b",
    re.IGNORECASE,
)
"""What an amount is counted over: a period, the life of the loan, each of several."""

_Relation = Literal["equal", "unitless", "currency", "turned", "trigger", "different"]


def compare_threshold(reported: str | None, gold: str | None, *, is_verbatim: bool, sentences: Sequence[str] = ()) -> Comparison:
    """How a reported threshold compares with gold's (judging.md section 3). `is_verbatim`: the reported string stands in the document;
    `sentences`: the covenant's own text, which settles the comparator of a fragment ("to be less than 10").

    `correct`, `partial` (with `THRESHOLD_NOT_VERBATIM`, `THRESHOLD_RANGE`, `LEVEL_MISSING`, `UNIT_MISSING` or `CURRENCY_MISSING`), `wrong`,
    or `open` where one of the two holds no value that a rule reads. None and "none" mean that there is no threshold.
    """
    if is_nothing(reported) or is_nothing(gold):
        return _worded(str(reported), sentences) if sentences and not is_nothing(reported) else _compare_nothing(reported, gold)
    result = _compare_values(str(reported), str(gold), is_verbatim, sentences)
    is_foreign = sentences and "LEVEL_AMBIGUOUS" in result.codes and not supports(str(reported), "\n".join((str(gold), *sentences)))
    is_table = bool({"DATE_MISSING", "LEVEL_MISSING"} & {*result.codes})
    if is_foreign or (is_table and {*_YEAR.findall(str(reported))} - {*_YEAR.findall(str(gold))}):
        return Comparison("open", f"{reported} has a level or a year beside {gold} that no rule reads")
    if is_table and not is_verbatim and _against_sentence(str(reported), str(gold), sentences) == "turned":
        return _said("turned", str(reported), str(gold))
    denied = [threshold_forms.is_denied(str(text)) for text in (reported, gold)]
    if "COMPARATOR_TURNED" in result.codes and (denied[1] or (denied[0] and is_fragment(str(gold)))):
        return _said("trigger", str(reported), str(gold))  # gold's own words may be those of an event of default
    if result.label not in ("correct", "semantic_match"):
        return result
    if is_at_other_edge(str(reported), (str(gold),)) or sides.is_against(str(reported), str(gold), sentences):
        return _on_other_side("unclear", str(reported), str(gold))
    if _BREACH.search(threshold_forms.without_denial(str(reported))) and not _BREACH.search(str(gold)):
        return _said("trigger", str(reported), str(gold))
    if not is_verbatim:
        if strange := _strange_figures(str(reported), (str(gold), *sentences)):
            return Comparison("open", f"{reported} equals {gold} in its value; no rule reads {', '.join(strange)} beside it")
        if _is_counted_otherwise(str(reported), (str(gold), *sentences)) or caps.have_other_bases(str(reported), str(gold)):
            return Comparison("open", f"{reported} equals {gold} in its value; no rule tells whether it is counted over the same")
        if (told := _against_sentence(str(reported), str(gold), sentences)) != "equal":
            return _said(told, str(reported), str(gold))
        reason = f"{reported} equals {gold} but does not stand so in the document"
        return Comparison("partial", reason, (*result.codes, "THRESHOLD_NOT_VERBATIM"))
    return Comparison("correct", result.reason, result.codes)


def compare_part(reported: Any, gold: Any, texts: Sequence[str] = (), usual: str = "") -> Comparison:
    """A typed part of a flag (threshold, cap, original or waived threshold): equal in any notation is `correct`, another value `wrong`.

    `texts`: what the flag quotes; `usual`: the comparator of such a part. A comparator that is neither, or another period than gold and
    the texts have, leaves an equal value `open`.
    """
    if isinstance(reported, str) and isinstance(gold, str):
        if caps.have_other_bases(reported, gold):
            return Comparison("open", f"{reported} and {gold} may take the percentage of different things")
        found = compare_threshold(reported, gold, is_verbatim=True)
        if threshold_forms.is_denied(reported) and not same_characters(reported, gold):
            return Comparison("open", f"{reported} may say what is not permitted or what triggers the flag")
        if found.label == "correct" and (_is_counted_otherwise(reported, (gold, *texts)) or _turns_unsaid(reported, gold, texts, usual)):
            return Comparison("open", f"{reported} equals {gold} in its value; no rule reads what it says beside it")
        return found
    if is_nothing(reported) or is_nothing(gold):
        return _compare_nothing(reported, gold)
    result = money.compare(reported, gold, (), Surroundings())
    return Comparison("correct", result.reason, result.codes) if result.label == "semantic_match" else result


def compare_days(reported: Any, gold: Any, texts: Sequence[str] = ()) -> Comparison:
    """The days of a grace period, a number or a string with its unit. Gold's bare number says nothing about the unit, but the flag's own
    `texts` may; a reported one is a number of days, since that is what the key asks for; of Business Days it leaves the unit out."""
    if (turned := sides.turn(str(reported), str(gold))) != "same":
        return _on_other_side(turned, str(reported), str(gold))
    mine, expected = _length(reported), _length(gold)
    if mine is None or expected is None:
        label: Literal["correct", "open"] = "correct" if same_characters(str(reported), str(gold)) else "open"
        return Comparison(label, f"{reported} against {gold} as days")
    said = {mention.value.unit for text in texts for mention in periods.scan(text) if mention.value.amount == mine.amount}
    is_other_unit = expected.unit == "none" and said and mine.unit not in (*said, "none")
    if is_other_unit or any(sides.turn(str(reported), text) != "same" for text in texts):
        return Comparison("open", f"{reported} has another unit or side than its quote, of which {gold} says nothing")
    if mine.unit == expected.unit or expected.unit == "none":
        is_equal = mine.amount == expected.amount and (expected.unit != "none" or mine.unit != "month")
        return Comparison("correct" if is_equal else "wrong", f"{reported} {'equals' if is_equal else 'differs from'} {gold}")
    if mine.unit == "none" and mine.amount == expected.amount:
        if expected.unit == "day":
            return Comparison("correct", f"{reported} is the number of days of {gold}")
        return Comparison("partial", f"{reported} is the right number without the unit of {gold}", ("UNIT_MISSING",))
    return Comparison("wrong", f"{reported} differs from {gold}")


def _length(value: Any) -> periods.Period | None:
    """The whole value as a length, or the only one that it holds ("within five Business Days of its due date")."""
    whole = periods.parse(str(value))
    if whole is not None:
        return whole
    found = {mention.value for mention in periods.scan(str(value))}
    return found.pop() if len(found) == 1 else None


def occurs(reported: str, document: Document) -> bool:
    """Whether every value of the threshold stands anywhere in the document in an equivalent form."""
    if stands_in(reported, document.text):
        return True
    known = document.cached("values.thresholds", lambda: scan_levels(folded_of(document)))
    threshold = parse(reported)
    return threshold is not None and all(_stands(v, known) and _money_stands_in_document(v, document) for v in threshold.levels)


def supports(reported: str, text: str) -> bool:
    """Whether the text contains every value of the threshold in an equivalent form."""
    if stands_in(reported, text):
        return True
    threshold, known = parse(reported), scan_levels(fold(text))
    return threshold is not None and all(
        _stands(v, known) and (v.unit != "money" or money.is_in_text(_as_money(v), text)) for v in threshold.levels
    )


# --- comparing -----------------------------------------------------------------------------------------------------


def is_nothing(value: Any) -> bool:
    """Whether a value says that there is no threshold or cap."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in _NOTHING)


def _compare_nothing(reported: Any, gold: Any) -> Comparison:
    if is_nothing(reported) and is_nothing(gold):
        return Comparison("correct", "there is no threshold, and none is reported")
    if is_nothing(reported):
        return Comparison("wrong", f"no threshold is reported; {gold} is expected", ("THRESHOLD_MISSING",))
    return Comparison("wrong", f"{reported} is reported where there is no threshold")


def _worded(reported: str, sentences: Sequence[str]) -> Comparison:
    """What is reported where gold has no threshold: a figure is another value; a time without one that the covenant's own text has
    ("promptly after it becomes aware") says no more than gold, and other words are no rule's matter."""
    if scan_numbers(fold(reported)):
        return _compare_nothing(reported, None)
    if _TIME.match(reported.strip()) and any(stands_in(reported.casefold(), sentence.casefold()) for sentence in sentences):
        return Comparison("correct", f"{reported} is the covenant's own word; there is no threshold")
    return Comparison("open", f"no rule tells whether {reported} is a threshold where gold has none")


_YEAR = re.compile(r"\b20\d\d\b")
_BREACH = re.compile(
    r"\b(?:breach|violat|default\s+(?:if|when|where)\b|(?:not\s+(?:permitted|allowed)|prohibited|forbidden)[\s.)\]]*$)", re.IGNORECASE
)
"""What is beyond the threshold, of which the comparator says the opposite: "breached if higher than 4.50:1"."""
_TIME = re.compile(
    r"(?:promptly|prompt|immediately|forthwith|as\s+soon\s+as|without\s+(?:undue\s+)?delay|(?:up)?on\s+(?:request|demand)|at\s+all\s+times|"
    r"from\s+time\s+to\s+time)\b",
    re.IGNORECASE,
)


def _compare_values(reported: str, gold: str, is_verbatim: bool, sentences: Sequence[str]) -> Comparison:
    if same_characters(reported, gold):
        return Comparison("correct", f"{reported} is as expected")
    if (turned := sides.turn(reported, gold)) != "same":
        return _on_other_side(turned, reported, gold)
    if caps.is_composite(reported) or caps.is_composite(gold):
        return caps.compare(reported, gold, Surroundings())
    if is_fragment(reported) and is_fragment(gold):  # both stand in the same sentence, so that their own words tell
        mine, expected = parse(reported), parse(gold)
    else:
        mine, expected = _read(reported, sentences), _read(gold, sentences)
    if mine is None or expected is None:
        return _compare_deadlines(reported, gold) or Comparison("open", f"no rule reads {reported} against {gold} as thresholds")
    if _has_other_event(reported, gold, expected):
        return Comparison("wrong", f"{reported} runs from another event than {gold}")
    if mine.is_range:
        return _compare_range(mine, expected, reported, gold)
    if expected.is_range:
        return _inside(expected, mine.levels[0], reported, gold)
    if len(mine.levels) > 1 or len(expected.levels) > 1:
        return _compare_steps(mine, expected, reported, gold, is_verbatim)
    return _said(_relation(mine.levels[0], expected.levels[0]), reported, gold)


def _on_other_side(turned: sides.Turn, reported: str, gold: str) -> Comparison:
    if turned == "opposite":
        return Comparison("wrong", f"{reported} lies on the other side of the event than {gold}", ("DIRECTION_TURNED",))
    return Comparison("open", f"no rule tells whether {reported} and {gold} lie on the same side of one event")


def _against_sentence(reported: str, gold: str, sentences: Sequence[str]) -> _Relation:
    """A comparator beside a value that gold states bare, against the one that the covenant's own sentences have before that value, or
    before the words that refer to it ("shall not be less than the ratio set out in column 2 below")."""
    mine, expected = parse(reported), parse(gold)
    if mine is None or expected is None or not mine.levels[-1].direction or any(level.direction for level in expected.levels):
        return "equal"
    if is_fragment(reported):
        return "equal"  # its comparator is turned round by the words before it
    begun = [*beginnings(gold, sentences), *(sentence[: m.start()] + gold for sentence in sentences if (m := _REFERRED.search(sentence)))]
    said = [threshold.levels[-1] for threshold in map(parse, begun) if threshold is not None and threshold.levels[-1].direction]
    if not said or any(level.direction == mine.levels[-1].direction for level in said):
        return "equal"
    return "trigger" if mine.levels[-1].is_trigger or any(level.is_trigger for level in said) else "turned"


_REFERRED = re.compile(
    r"\b(?:the\s+)?(?:corresponding\s+)?(?:ratios?|levels?|amounts?|percentages?|figures?|numbers?)\s+"
    r"(?:that\s+is\s+|is\s+)?(?:set\s+(?:out|forth)|specified|shown|stated|indicated|listed|opposite)\b",
    re.IGNORECASE,
)


def _strange_figures(reported: str, known_texts: Sequence[str]) -> list[str]:
    """Figures beside the reported value that neither gold nor the covenant has ("each of the four quarters" of the first three)."""
    known = {number.value() for text in known_texts for number in scan_numbers(fold(text))}
    return [text for text, value in figures_beside(reported) if value not in known]


_DEADLINE = re.compile(
    r"(?P<until>(?:no|not)\s+later\s+than|on\s+or\s+(?:before|prior\s+to)|by)\s|(?P<since>(?:no|not)\s+(?:earlier|sooner)\s+than|on\s+or\s+after|from)\s",
    re.IGNORECASE,
)


def _compare_deadlines(reported: str, gold: str) -> Comparison | None:
    """Two days until which, or from which on, something is to be done; None where one of the two texts is more than that."""
    read = [(_DEADLINE.match(text.strip()), parse_day(_DEADLINE.sub("", text.strip(), count=1))) for text in (reported, gold)]
    (mine, my_day), (true, true_day) = read
    if mine is None or true is None or my_day is None or true_day is None or my_day.is_ambiguous or true_day.is_ambiguous:
        return None
    if my_day.readings != true_day.readings:
        return _said("different", reported, gold)
    return _said("equal" if mine.lastgroup == true.lastgroup else "turned", reported, gold)


def _read(text: str, sentences: Sequence[str]) -> Threshold | None:
    """A threshold with the comparator that its sentence gives it; of a fragment whose sentence is not known it is unsure (a trigger)."""
    threshold, whole = parse(text), settled_by(text, sentences)
    if threshold is None or not is_fragment(text):
        return threshold
    settled = parse(whole) if whole != text else None
    if settled is None or not settled.levels[-1].direction:
        return replace(threshold, levels=tuple(replace(level, direction="", is_fragment=True) for level in threshold.levels))
    last = settled.levels[-1]
    return replace(threshold, levels=tuple(replace(level, direction=last.direction, is_trigger=False) for level in threshold.levels))


def _said(relation: _Relation, reported: str, gold: str) -> Comparison:
    match relation:
        case "equal":
            return Comparison("correct", f"{reported} is the value {gold}")
        case "unitless":
            return Comparison("partial", f"{reported} is the right number without the unit of {gold}", ("UNIT_MISSING",))
        case "currency":
            return Comparison("partial", f"{reported} is the right amount without its currency; {gold} is expected", ("CURRENCY_MISSING",))
        case "turned":
            return Comparison("wrong", f"{reported} turns the comparator of {gold} round", ("COMPARATOR_TURNED",))
        case "trigger":
            return Comparison("open", f"{reported} and {gold} are one value, one of them in a condition")
        case "different":
            return Comparison("wrong", f"{reported} differs from {gold}")


def _relation(mine: Level, expected: Level) -> _Relation:
    value = _value_relation(mine, expected)
    if value != "different" and mine.is_fragment != expected.is_fragment and (mine.direction or expected.direction):
        return "trigger"
    if value == "different" or not mine.direction or not expected.direction or mine.direction == expected.direction:
        return value
    return "trigger" if mine.is_trigger != expected.is_trigger or mine.is_carried else "turned"


def _value_relation(mine: Level, expected: Level) -> _Relation:
    if mine.unit == expected.unit:
        if mine.value != expected.value or (mine.codes and expected.codes and not is_same(mine.codes, expected.codes)):
            return "different"
        return "equal"
    if "number" not in (mine.unit, expected.unit):
        return "different"
    bare, other = (mine, expected) if mine.unit == "number" else (expected, mine)
    if other.unit == "ratio":
        if bare.value == other.value:
            return "equal"
        is_percent = bare.value == other.value * 100
        return ("unitless" if bare is mine else "equal") if is_percent else "different"
    if bare.value != other.value:
        return "different"
    if bare is expected:
        return "equal"
    return "currency" if other.unit == "money" else "unitless"


def _compare_range(mine: Threshold, expected: Threshold, reported: str, gold: str) -> Comparison:
    low, high = mine.levels
    if expected.is_range:
        relations = [_relation(a, b) for a, b in zip(mine.levels, expected.levels, strict=True)]
        return _said(next((r for r in relations if r != "equal"), "equal"), reported, gold)
    if len(expected.levels) > 1:
        return Comparison("wrong", f"{reported} is a range, {gold} has levels with their dates")
    level = expected.levels[0]
    contains = low.value <= level.value <= high.value
    if _relation(_at(low, level), level) in ("turned", "different") or not contains:
        return Comparison("wrong", f"the range {reported} does not hold {gold}")
    return Comparison("partial", f"{reported} is a range; gold has the single value {gold}", ("THRESHOLD_RANGE",))


def _at(level: Level, other: Level) -> Level:
    """The level moved to another's value: what is left to compare is unit, currency and comparator."""
    return Level(other.value, level.unit, level.direction, level.is_trigger, level.codes)


def _inside(expected: Threshold, level: Level, reported: str, gold: str) -> Comparison:
    low, high = expected.levels
    if low.value <= level.value <= high.value and _value_relation(_at(low, level), level) != "different":
        return Comparison("partial", f"{reported} is one value of the range {gold}", ("LEVEL_MISSING",))
    return Comparison("wrong", f"{reported} lies outside the range {gold}")


def _compare_steps(mine: Threshold, expected: Threshold, reported: str, gold: str, is_verbatim: bool) -> Comparison:
    """Step-downs: gold's level, or all levels with their dates; another level alone is wrong. Tables with days compare by day."""
    given, true = mine.by_day(), expected.by_day()
    if given and true and not any(_relation(given[day], true[day]) == "turned" for day in given.keys() & true.keys()):
        return _compare_by_day(given, true, reported, gold)
    relations = [[_relation(m, e) for m in mine.levels] for e in expected.levels]
    if any("turned" in row and "equal" not in row for row in relations):
        return _said("turned", reported, gold)
    met = ["equal" in row for row in relations]
    is_unsure = any("trigger" in row and "equal" not in row for row in relations)
    foreign = [m for m in mine.levels if not any(_relation(m, e) in ("equal", "trigger") for e in expected.levels)]
    if len(expected.levels) == 1:
        if not met[0]:
            return _said("trigger" if is_unsure else "different", reported, gold)
        has_days = is_verbatim or sum(bool(m.days) for m in mine.levels) >= len(mine.levels) - 1
        if has_days:
            return Comparison("correct", f"{reported} states all levels with their dates, among them {gold}")
        return Comparison("partial", f"{reported} leaves open which level holds; {gold} is expected", ("LEVEL_AMBIGUOUS",))
    if foreign or not any(met):
        return _said("different" if foreign or not is_unsure else "trigger", reported, gold)
    if not all(met):
        return Comparison("partial", f"{reported} leaves out a level of {gold}", ("LEVEL_MISSING",))
    if [m.value for m in mine.levels] != [e.value for e in expected.levels]:
        return Comparison("wrong", f"{reported} has the levels of {gold} in another order")
    return _compare_step_days(mine, expected, reported, gold)


def _compare_by_day(given: Mapping[date, Level], true: Mapping[date, Level], reported: str, gold: str) -> Comparison:
    if any(_value_relation(given[day], true[day]) != "equal" for day in given.keys() & true.keys()):
        return Comparison("wrong", f"{reported} gives a date of {gold} another level")
    if given.keys() >= true.keys():
        known = {level.value for level in true.values()}
        is_more = any(level.value not in known for day, level in given.items() if day not in true)
        return Comparison("open" if is_more else "correct", f"{reported} has {'more levels than' if is_more else 'every level of'} {gold}")
    if given.keys() <= true.keys():
        return Comparison("partial", f"{reported} leaves out a date of {gold}", ("DATE_MISSING",))
    return Comparison("open", f"{reported} and {gold} name different dates")


def _compare_step_days(mine: Threshold, expected: Threshold, reported: str, gold: str) -> Comparison:
    if any(m.days and e.days and not set(m.days) & set(e.days) for m, e in zip(mine.levels, expected.levels, strict=True)):
        return Comparison("wrong", f"{reported} gives a level of {gold} another date")
    if any(m.days and e.days and set(m.days) - set(e.days) for m, e in zip(mine.levels, expected.levels, strict=True)):
        return Comparison("open", f"{reported} gives a level of {gold} one more date")
    if any(e.days and not m.days for m, e in zip(mine.levels, expected.levels, strict=True)):
        return Comparison("partial", f"{reported} leaves out a date of {gold}", ("DATE_MISSING",))
    return Comparison("correct", f"{reported} has every level of {gold}")


def _has_other_event(reported: str, gold: str, expected: Threshold) -> bool:
    """Whether both name the reporting period that a time limit runs from, and name different ones."""
    if expected.levels[0].unit not in ("day", "month", "business_day", "banking_day"):
        return False
    mine, wanted = _named(_EVENT, reported), _named(_EVENT, gold)
    return bool(mine and wanted and not mine & wanted)


def is_at_other_edge(text: str, known_texts: Sequence[str]) -> bool:
    """Whether a text speaks of the beginning of a period where the known texts speak of its end only, or the other way round."""
    mine, known = _named(_EDGE, text), _named(_EDGE, "\n".join(known_texts))
    return bool(mine and known and not mine & known)


def _is_counted_otherwise(reported: str, known_texts: Sequence[str]) -> bool:
    """Whether an amount is of a period, of the loan's life or of each of several, of which no known text speaks."""
    read = parse(reported)
    is_money = read is not None and read.levels[0].unit == "money"
    return is_money and not _named(_REACH, reported) <= _named(_REACH, "\n".join(known_texts))


def _turns_unsaid(reported: str, gold: str, texts: Sequence[str], usual: str) -> bool:
    """Whether a value has a comparator that gold leaves out, and that is neither the usual one nor any text's beside that value."""
    mine, true = parse(reported), parse(gold)
    if mine is None or true is None or true.levels[-1].direction or caps.is_composite(reported):
        return False
    read = [parse(begun) for begun in (*beginnings(gold, texts), *beginnings(reported, texts))]
    known = {usual, *(one.levels[-1].direction for one in read if one is not None)}
    return known != {""} and mine.levels[-1].direction not in (*known, "")


def _named(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    found = ((str(m.lastgroup), text[: m.start()]) for m in pattern.finditer(fold(text)))
    return frozenset(name for name, before in found if name == "single" or not re.search(r"\d\s*$", before))


# --- finding -------------------------------------------------------------------------------------------------------


def _stands(level: Level, known: frozenset[tuple[Any, Any]]) -> bool:
    if level.unit == "number":
        return any(value == level.value for value, _ in known)
    return (level.value, level.unit) in known or (level.unit == "ratio" and (level.value, "number") in known)


def _as_money(level: Level) -> Money:
    return Money(level.value, level.codes)


def _money_stands_in_document(level: Level, document: Document) -> bool:
    return level.unit != "money" or money.is_in_document(_as_money(level), document)
