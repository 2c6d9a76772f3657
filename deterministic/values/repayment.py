"""Repayment schedules (judging.md section 2, row "text"): type, frequency, number of instalments and dates.

Read only where every word is understood. Type, frequency and dates agree: semantic match; the type agrees and the rest does not:
partial; two types that differ: wrong. A schedule with amounts, percentages or other words goes to the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from deterministic.lexicon.memory import kept
from deterministic.lexicon.numbers import CARDINAL_PATTERN, fold, parse_cardinal, scan_numbers
from deterministic.lexicon.searching import find_all
from deterministic.values import frequency, periods, rate_forms
from deterministic.values import text as texts
from deterministic.values.comparison import Comparison, Grammar, Mention, Reading, Surroundings, as_text, compare_read, shown
from deterministic.values.days import days_in
from deterministic.values.days import scan as scan_days
from deterministic.values.remarks import NEUTRAL, split_asides
from deterministic.values.words import has_exchanged_word, words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

Type = Literal["bullet", "instalments", "interest_period"]


@dataclass(frozen=True, slots=True)
class Repayment:
    """None and the empty set: not stated. A bullet "on the Maturity Date" states no day of its own; `shares` are in per cent, of one
    instalment ("5 % per annum in quarterly instalments" is 1.25), or of a year (`is_yearly`) where no frequency says how many it has."""

    type: Type
    frequency: str | None
    instalments: int | None
    days: frozenset[date]
    shares: frozenset[Fraction] = frozenset()
    is_yearly: bool = False


_MAX_LENGTH = 1000  # a schedule told at such length is a table, not a phrase
_MATURITY = (
    r"(?:(?:up)?on|at|by)?\s*(?:(?:the|its|their)\s+)?(?:(?:applicable|relevant|final|scheduled|stated|original|term|revolving|revolver|commitments?|credit|loans?|facility|tranche|[a-d])\s+){0,4}"
    r"(?:maturity|termination|(?:final\s+)?repayment|expiry)(?:\s+date)?"
    r"(?:\s+(?:for|of|applicable\s+to)\s+(?:(?:that|the|each|such)\s+)?(?:relevant\s+)?(?:(?:revolving|term)\s+)?(?:facility|loan|rcf|rf)(?:\s+agreement|s|\s+[a-d])?)?"
)
_BALANCE = re.compile(
    rf"(?:with\s+)?(?:the\s+|any\s+|a\s+)?(?:final\s+|remaining\s+|outstanding\s+|unpaid\s+|principal\s+){{0,3}}(?:balance|remainder|balloon|everything|final\s+repayment|all\s+(?:remaining\s+|outstanding\s+)*(?:amounts|sums|principal|advances|borrowings|(?:revolving\s+|term\s+)?loans))"
    rf"(?:\s+(?:amount|payment|outstanding|repayable|repaid|payable|paid|due|cancelled|and|thereof|in\s+full)){{0,6}}\s*{_MATURITY}",
    re.IGNORECASE,
)
_NO_INSTALMENTS = re.compile(
    r"(?:with\s+)?(?:no|without)\s+(?:(?:any|interim|scheduled|periodic|principal)\s+){0,3}(?:amorti[sz]ation|(?:re)?payments?|instal?lments?)",
    re.IGNORECASE,
)
_INTEREST_ONLY = re.compile(r"\binterest[\s-]only\b(?:\s+(?:payments?|loan|(?:until|prior\s+to|before)\s+maturity))?", re.IGNORECASE)
_AT_THE_END = re.compile(_MATURITY, re.IGNORECASE)
_BULLET = re.compile(
    rf"(?:(?:bullet|in\s+full|(?:the\s+)?(?:entire|aggregate|whole|full|all)\s+(?:the\s+)?(?:outstanding\s+|unpaid\s+)?principal(?:\s+(?:amount|balance|sum))?|(?:a\s+|in\s+)?(?:a\s+)?(?:single|one)\s+(?:bullet\s+)?(?:instalment|installment|payment|repayment|lump\s+sum|amount)|lump\s+sum)"
    rf"(?:\s+(?:loan|re?payment|amount))?[,;\s]*)+(?:{_MATURITY})?",
    re.IGNORECASE,
)
_INTEREST_PERIOD = re.compile(
    r"(?:on|at)\s+the\s+(?:last\s+day|end)\s+of\s+(?:its|their|each|that|the|every)(?:\s+relevant)?\s+interest\s+periods?", re.IGNORECASE
)
_COUNT = re.compile(
    rf"(?<!\w)(?P<number>\d{{1,3}}|{CARDINAL_PATTERN})(?:\s?\((?P<again>\d{{1,3}})\))?\s+"
    r"(?=(?:(?:equal|consecutive|successive|substantially|approximately|semi-?annual|half-?yearly|quarterly|monthly|annual|yearly|bi-?annual|principal|six-monthly)[\s,]+)*"
    r"(?:instalments?|installments?|repayments?|payments?))",
    re.IGNORECASE,
)
_INSTALMENTS = re.compile(r"(?<!\w)(?:instalments?|installments?|amorti[sz](?:ing|ation|ed)|payments|repayments)(?!\w)", re.IGNORECASE)
_NOISE = NEUTRAL | frozenset(
    words(
        "shall will must mature matures repay repays repaid repayable repayment equal consecutive successive commencing starting beginning"
        " first made falling schedule bullet instalment ending final last thereafter maturity then such quarters quarter no interim"
        " sums applied off payment payments there when after remaining outstandings fiscal financial step steps per cent full"
        " incurred closing"
    )
)


@kept(1024)
def read(value: str) -> Reading:
    """The schedule that a text states, and the words that nothing reads; prepayments and the like are asides."""
    if len(value) > _MAX_LENGTH:
        return Reading(None)
    core, asides = split_asides(_PLACE.sub(" ", as_text(value)))
    repayment, rest = _read(core)
    leftover = [word for word in re.findall(r"[^\W_]+|[%$€£¥₹]", rest.casefold()) if word not in _NOISE]
    return Reading(repayment, tuple(leftover), asides)


_PLACE = re.compile(
    r"\(?(?:\b(?:under|in|per|see|as\s+set\s+out\s+in|in\s+accordance\s+with|according\s+to)\s+)?(?:the\s+)?\b(?:annex|schedule|appendix|exhibit|section|clause)\s+"
    r"(?:[A-Z]\b|\d[\d.]*)(?:\([a-z0-9]{1,4}\))*\)?",
    re.IGNORECASE,
)
"""Where the schedule stands: the citation's matter, no part of the value."""


def _read(text: str) -> tuple[Repayment | None, str]:
    """The schedule that a text states, and the text without the parts that were read.

    A bullet at the end of instalments ("balance on the Maturity Date") belongs to them.
    """
    mentions = scan_days(text)
    if any(mention.value.is_ambiguous for mention in mentions):
        return None, text
    days = frozenset(mention.value.readings[0] for mention in mentions)
    text = _blank(text, mentions)
    shares = rate_forms.scan(text)
    is_per_year = any(mention.value.period == "annum" for mention in shares)
    sized = "" if is_per_year else "; ".join(text[mention.start : mention.end] for mention in shares)  # "1.25% quarterly" says how often
    text = _blank(text, shares)
    text = _blank(text, periods.scan(text))  # "after 55 years": how long the loan runs is the tenor's
    text = _NO_INSTALMENTS.sub(" ", _INTEREST_ONLY.sub(" ", text))
    rest, is_rolling = _INTEREST_PERIOD.subn(" ", text)
    count, rest = _take_count(rest)
    rest, is_ending = _BALANCE.subn(" ", rest)
    rest, is_bullet = _BULLET.subn(" ", rest)
    rungs = frequency.scan(rest) or frequency.scan(sized)
    rest, is_split = _INSTALMENTS.subn(" ", rest)
    rest = _AT_THE_END.sub(" ", frequency.strip(rest))
    kinds: list[Type] = []
    kinds += ["interest_period"] if is_rolling else []
    is_in_parts = is_split or count or (rungs and shares)
    kinds += ["instalments"] if is_in_parts else []
    # the balance that instalments leave is no bullet of its own, nor is what rolls over
    is_rest = (is_ending and is_in_parts) or (is_rolling and (is_ending or is_bullet))
    kinds += ["bullet"] if (is_bullet or is_ending) and not is_rest else []
    if len(kinds) != 1 or len(rungs) > 1 or (is_per_year and kinds == ["bullet"]):
        return None, rest
    rung = next(iter(rungs), None)
    return Repayment(kinds[0], rung, count, days, _sizes(shares, rung), rung is None and is_per_year), rest


def _sizes(shares: Sequence[Mention], rung: str | None) -> frozenset[Fraction]:
    """What one instalment is of the loan, in per cent: a yearly share is paid in parts."""
    part = Fraction(_MONTHS.get(rung or "", 12), 12)
    return frozenset(mention.value.value * (part if mention.value.period == "annum" else 1) for mention in shares)


def _blank(text: str, mentions: Sequence[Mention]) -> str:
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def _take_count(text: str) -> tuple[int | None, str]:
    match = _COUNT.search(text)
    if not match:
        return None, text
    number = int(match["number"]) if match["number"].isdigit() else parse_cardinal(match["number"])
    if number is None or number == 1 or (match["again"] and int(match["again"]) != number):
        return None, text
    return number, f"{text[: match.start()]} {text[match.end() :]}"


def _relate(given: Repayment, expected: Repayment) -> Comparison:
    if given == expected:
        return Comparison("semantic_match", "has the type, frequency and dates of")
    if given.type != expected.type:
        return Comparison("wrong", "is another type of repayment than")
    if _covers(given, expected):
        return Comparison("semantic_match", "says all that is said by", ("SAYS_MORE",))
    if given.shares - expected.shares and expected.shares:
        return Comparison("wrong" if given.is_yearly == expected.is_yearly else "open", "has other instalments than")
    if expected.instalments and not given.instalments and len(given.days) == 2 and not _count_of(given):
        return Comparison("open", "may have the number of payments of")  # it follows from two days in a way that no rule counts
    return Comparison("partial", "has the right type, but its frequency, number, size or dates do not agree with")


_GRAMMAR = Grammar("schedule", read, _relate)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "text" of judging.md section 2, for repayment schedules. What only the output says must stand in its own quotes."""
    found = compare_read(_GRAMMAR, reported, gold, accepted, surroundings)
    is_other = all(_says_otherwise(as_text(reported), as_text(true)) for true in (gold, *accepted))
    if found.label == "semantic_match" and (is_other or has_exchanged_word(as_text(reported), map(as_text, (gold, *accepted)))):
        return Comparison("open", f"{shown(as_text(reported))} has the opposite of a word of {shown(as_text(gold))}.")
    if found.label == "open" and all(_is_other_type(as_text(reported), as_text(true)) for true in (gold, *accepted)):
        return Comparison("wrong", f"{shown(as_text(reported))} is another type of repayment than {shown(as_text(gold))}.")
    if found.label in ("partial", "semantic_match") and "SAYS_MORE" not in found.codes:
        return _by_its_end(found, as_text(reported), tuple(map(as_text, (gold, *accepted))), surroundings.document_text)
    if found.label == "open" and all(_has_another_figure(as_text(reported), as_text(true)) for true in (gold, *accepted)):
        return Comparison("wrong", f"{shown(as_text(reported))} has another amount than {shown(as_text(gold))}.")
    if "SAYS_MORE" not in found.codes:
        return found
    given, told = read(as_text(reported)).value, "\n".join(surroundings.quotes)
    told += "".join(f"\n{day[0]}" for day in find_all(_END_DEFINED, surroundings.document_text))
    added = isinstance(given, Repayment) and _is_told(given, _read(_PLACE.sub(" ", as_text(gold)))[0], told)
    return Comparison(found.label, found.reason) if added else Comparison("open", f"{found.reason} It says more.")


def _says_otherwise(reported: str, gold: str) -> bool:
    """Whether two schedules with the same values have them in another order, of another principal, from another end, or one of them is of
    interest or beside the end of the loan."""
    mine, true = ({str(match.lastgroup) for match in _TELLING.finditer(text)} for text in (reported, gold))
    shares = [[mention.value.value for mention in rate_forms.scan(text)] for text in (reported, gold)]
    is_apart = any(mine & pair and true & pair and not mine & true & pair for pair in ({"whole", "left"}, {"first", "last"}))
    return is_apart or bool({"interest", "beside"} & mine - true) or (shares[0] != shares[1] and sorted(shares[0]) == sorted(shares[1]))


_TELLING = re.compile(
    r"\b(?:(?P<whole>(?:original|initial)\s+(?:aggregate\s+)?(?:principal|amount))|(?P<left>(?:outstanding|unpaid|remaining)\s+(?:principal|amount))"
    r"|(?P<first>commenc\w+|start\w+|beginning|from)|(?P<last>ending|until|through)|(?P<interest>interest\s+(?:re)?payments?)"
    r"|(?P<beside>(?:closing|effective|signing)\s+date|(?:after|before|following|prior\s+to)\s+(?:the\s+)?(?:\w+\s+)?(?:maturity|termination)))\b",
    re.IGNORECASE,
)


def _by_its_end(found: Comparison, reported: str, golds: Sequence[str], document: str) -> Comparison:
    """A bullet that names its end and no day: the day of that end may be gold's. What says nothing of its end stays as it is."""
    given, mine = read(reported).value, _ends(reported)
    if given is None or given.type != "bullet" or given.days or not mine:
        return found
    trues = [(true.days, _ends(gold)) for gold in golds if (true := read(gold).value) is not None and true.type == "bullet"]
    days = {days_in(told[0]) for told in find_all(_END_DEFINED, document) if _ends(told["end"]) == mine} - {frozenset()}
    if any(told in days or _is_same_end(mine, end) or not (told or _is_of_another(mine, end)) for told, end in trues):
        return (
            found
            if found.label == "semantic_match"
            else Comparison("semantic_match", f"{shown(reported)} names the end of {shown(golds[0])}.")
        )
    if found.label == "partial" and len(days) == 1 and len(*days) == 1:
        return found  # the document gives that end another day
    return Comparison("open", f"{shown(reported)} against {shown(golds[0])}: no rule tells whether both name the same day.")


def _is_same_end(mine: frozenset[str], gold: frozenset[str]) -> bool:
    """The same term, or "at maturity" for any."""
    return bool(gold) and (mine == gold or _AT_MATURITY in (mine, gold))


def _is_of_another(mine: frozenset[str], gold: frozenset[str]) -> bool:
    """Whether both are the ends of some one facility, and not of the same."""
    return bool(mine & _ONE_FACILITY and gold & _ONE_FACILITY) and not mine & gold & _ONE_FACILITY


def _ends(text: str) -> frozenset[str]:
    """The words that tell one defined end from another: scheduled, termination and date of "on the Scheduled Termination Date"."""
    named = (set(words(match[0])) - {"credit", "loan", "loans", "facility"} for match in _END.finditer(_PLACE.sub(" ", text)))
    return frozenset().union(*named)


def _is_other_type(reported: str, gold: str) -> bool:
    """Whether one is a bullet and the other is paid in instalments, whatever else gold says: the reported one is read to its last word."""
    given, true = read(reported), read(gold)
    if given.value is None or true.value is None or given.unread or {given.value.type, true.value.type} != {"bullet", "instalments"}:
        return False
    parts = given.value if given.value.type == "instalments" else true.value
    is_told = bool(parts.frequency or parts.shares or parts.instalments)
    return is_told and (true.value.type == "instalments" or not _IN_PARTS.search(gold))


_IN_PARTS = re.compile(
    r"\b(?:instal?lments?|amorti|scheduled|quarter|month|annual|semi|half-?year|reduc|thereafter|step)\w*", re.IGNORECASE
)
_END = re.compile(
    r"(?:\b(?:final|scheduled|stated|original|initial|latest|term|revolving|revolver|commitments?|credit|loans?|facility|tranche|[a-d])\s+){0,4}"
    r"\b(?:(?:maturity|termination|expiry|repayment)\s+date|maturity|expiry)\b",
    re.IGNORECASE,
)
_AT_MATURITY = frozenset({"maturity"})
_ONE_FACILITY = frozenset(words("term revolving revolver a b c d"))
_END_DEFINED = re.compile(rf"(?P<end>{_END.pattern})[”\"’']?\s*(?:shall\s+)?(?:means?|is|:|–|-)\s[^.;]{{0,120}}", re.IGNORECASE)


def _is_told(given: Repayment, expected: Repayment | None, text: str) -> bool:
    """Whether the days, shares and frequency that only the output has stand in the text."""
    known_days, known_shares = (expected.days, expected.shares) if expected else (frozenset(), frozenset())
    shares = _sizes(rate_forms.scan(text), given.frequency)
    is_frequent = _says_frequency(given.frequency, text) or (expected is not None and expected.frequency == given.frequency)
    is_counted = given.instalments in (None, expected.instalments if expected else None, _count_of(given))
    return given.days - known_days <= days_in(text) and given.shares - known_shares <= shares and is_frequent and is_counted


def _count_of(given: Repayment) -> int | None:
    """The number of payments that follows from the frequency and the first and the last day."""
    step = _MONTHS.get(given.frequency or "")
    if step is None or len(given.days) != 2:
        return None
    first, last = sorted(given.days)
    months = (last.year - first.year) * 12 + last.month - first.month
    return months // step + 1 if months % step == 0 and first.day == last.day else None


_MONTHS = {frequency.MONTHLY: 1, frequency.QUARTERLY: 3, frequency.SEMI_ANNUAL: 6, frequency.ANNUAL: 12}
_RUNG_WORDS = {frequency.MONTHLY: "month", frequency.QUARTERLY: "quarter", frequency.SEMI_ANNUAL: "half", frequency.ANNUAL: "year"}


def _says_frequency(rung: str | None, text: str) -> bool:
    """Whether a text states a frequency, or names its period ("commencing with the fiscal quarter ending on ...")."""
    return rung is None or rung in frequency.scan(text) or re.search(rf"\b{_RUNG_WORDS.get(rung, '-')}", text, re.IGNORECASE) is not None


def _covers(given: Repayment, expected: Repayment) -> bool:
    """Does the schedule say everything that the expected one says?"""
    return (
        expected.frequency in (None, given.frequency)
        and expected.instalments in (None, given.instalments, _count_of(given))
        and expected.days <= given.days
        and expected.shares <= given.shares
    )


def occurs(value: Any, document: Document) -> bool:
    """Do the words stand anywhere in the document? A schedule is never hallucinated by value."""
    return texts.occurs(value, document)


def supports(value: Any, text: str) -> bool:
    """Does the text contain the words, or a schedule that says everything the value says?"""
    given = read(as_text(value)).value
    if given is None or texts.supports(value, text):
        return texts.supports(value, text)
    stated, _ = _read(as_text(text))
    if stated is not None and stated.type == given.type:
        return _covers(stated, given)
    if given.type == "bullet":
        text = _INTEREST_ON.sub(" ", text)
        return (_IN_FULL.search(text) or _AT_ONCE.search(text)) is not None and given.days <= days_in(text)
    return given.type == "instalments" and _EACH_PERIOD.search(text) is not None and _is_told(given, None, text)


def is_row(value: Any, text: str, quotes: str) -> bool:
    """Whether a text is a row of a schedule that quotes show together: its days and amounts are the value's, whose amounts and last day the
    quotes have."""
    (days, amounts), (own_days, own), (all_days, told) = (_days_and_amounts(one) for one in (as_text(value), text, quotes))
    is_shown = bool(own_days and own) and own_days <= days and own <= amounts
    return is_shown and amounts <= told and max(days) in all_days


def _days_and_amounts(text: str) -> tuple[frozenset[date], frozenset[Fraction]]:
    numbers = (number.value() for number in scan_numbers(fold(_blank(text, scan_days(text)))))
    return days_in(text), frozenset(number for number in numbers if number is not None and number > _LAST_YEAR)


_LAST_YEAR = 3000  # a number above it is an amount


def _has_another_figure(reported: str, gold: str) -> bool:
    """Whether two texts are one but for an amount, and not by its cents."""
    (mine, rest), (true, other) = (_figures(fold(text)) for text in (reported, gold))
    pairs = [pair for pair in zip(mine, true, strict=False) if pair[0] != pair[1]]
    return rest == other and len(pairs) == 1 and min(pairs[0]) > _LAST_YEAR and abs(pairs[0][0] - pairs[0][1]) >= 1


def _figures(folded: str) -> tuple[list[Fraction], tuple[str, ...]]:
    """The numbers of a text, and its words with a mark for each."""
    numbers = [(number.text, value) for number in scan_numbers(folded) if (value := number.value()) is not None]
    for text, _ in numbers:
        folded = folded.replace(text, " figure ", 1)
    return [value for _, value in numbers], tuple(words(folded))


_IN_FULL = re.compile(
    rf"(?=.*\b(?:repay\w*|repaid|payable|paid|pay|due|mature\w*)\b)(?=.*\b(?:in\s+full|all\s+(?:remaining\s+)?(?:outstanding|amounts|principal|revolving|term|loans)"
    rf"|(?:entire|aggregate|whole|unpaid|full)\s+(?:outstanding\s+|unpaid\s+)?principal)\b)(?=.*(?:{_MATURITY}|termination))",
    re.IGNORECASE | re.DOTALL,
)
"""A running sentence that makes a loan payable at once at its end: to pay, all of it, on the maturity or termination date."""
_INTEREST_ON = re.compile(
    r"\binterest\s+(?:accru\w+\s+|payable\s+)?on\s+(?:(?:the|any|then|entire|aggregate|outstanding|unpaid|full)\s+)*principal(?:\s+(?:amount|balance))?",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(
    rf"\b(?:fully\s+(?:and\s+finally\s+)?(?:re)?pay|pay\s+off|all\s+(?:the\s+)?(?:advances|borrowings)\b[^.;]*\b(?:repaid|paid|due|payable)|unpaid\s+principal\s+(?:amount|balance))\b"
    rf"(?:(?!until|through|from\b)[^.;])*\b(?:up)?on\s+(?:or\s+(?:before|prior\s+to)\s+)?{_MATURITY}",
    re.IGNORECASE,
)
"""All of a loan on its last day, in the words of a promise to pay whose verb stands before the quote."""
_EACH_PERIOD = re.compile(
    r"\b(?:each|every|quarterly|monthly|semi-?annual\w*|annual\w*|instal?lments?|consecutive|(?:fiscal|financial)\s+(?:quarter|year))\b",
    re.IGNORECASE,
)
