"""The words that carry the meaning of a sentence of a loan agreement: negations, limits, modals, units, opposites, parties.

A closed vocabulary. Phrases are lists of folded words; the longest one wins. What numbers, currencies, months and units of time are
called is read from the tables beside this one, so that a value and a quote never know different words.
Rules: design/quotes.md, design/values.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from deterministic.lexicon.calendar import MONTHS, TIME_UNITS
from deterministic.lexicon.currencies import KNOWN_CODES, WORDLIKE_NAMES, plural_names
from deterministic.lexicon.numbers import ORDINALS

Kind = Literal[
    "word", "name", "number", "month", "currency", "unit", "sign", "negation", "limit", "modal", "connective", "party",
    "opposite", "quantifier", "standard",
]  # fmt: skip
Phrase = tuple[tuple[str, ...], Kind, str]
"""(folded words, kind, meaning)."""

_LIMITS = """
EXCEPT: except, excepting, excepted, except for, save, save for, save that, save as, save to, save where, unless, other than, excluding,
  but for, apart from, with the exception of, to the extent not, but not, otherwise than
MINIMUM: at least, not less than, no less than, not fewer than, no fewer than, not lower than, no lower than, not below, minimum,
  not be less than, not be lower than, not be below, not fall below, at a minimum
MAXIMUM: at most, not more than, no more than, not greater than, no greater than, not higher than, no higher than, not exceed,
  not exceeding, not exceeds, does not exceed, up to, maximum, not above, not be more than, not be greater than, not be higher than
LATEST: not later than, no later than, on or before, on or prior to, at the latest
EARLIEST: not earlier than, no earlier than, not before, on or after, at the earliest
MORE: more than, greater than, higher than, in excess of, exceed, exceeds, exceeding, exceeded
LESS: less than, fewer than, lower than
ONLY: only, solely, exclusively
"""
_MODALS = """
OBLIGATION: shall, must, will, is required to, are required to, be required to, is obliged to, are obliged to, be obliged to,
  is obligated to, are obligated to, has to, have to, undertakes to, undertake to, agrees to, agree to
PERMISSION: may, can, might, is permitted to, are permitted to, be permitted to, is entitled to, are entitled to, be entitled to,
  is allowed to, are allowed to, shall have the right to, has the right to, have the right to
"""
_NEGATIONS = """
NOT: not, non, no, none, never, neither, nor, without, nothing, nobody, nowhere, noone
FAIL: fails to, fail to, failed to, failing to, failure to, ceases to, cease to, ceased to, ceasing to, refuses to, refuse to, refused to
"""
_CONNECTIVES = """
AND: and
OR: or
AND/OR: and or
"""
_UNITS = """
%: per cent, percent, per centum, pct, percentage
bps: bps, bp, basis point, basis points
points: percentage point, percentage points
business day: business day, business days, working day, working days, bd, bds, bus day, bus days, biz day, biz days
banking day: banking day, banking days
day: calendar day, calendar days
daily: daily
weekly: weekly
monthly: monthly
quarter: quarterly, three monthly
half-year: half year, half years, half yearly, semi annual, semi annually, semiannual, semiannually, six monthly
year: annual, annually, yearly
minute: minute, minutes
times: times
"""
_QUANTIFIERS = "any, all, each, every, some, both, either, one or more, any one or more, whole"
_STANDARDS = """
material, materially, reasonable, reasonably, best, commercially, substantial, substantially, significant, significantly, endeavours,
endeavour, endeavors, endeavor, efforts, in all material respects, in any material respect, in all respects, satisfactory, satisfaction,
sole discretion, absolute discretion, good faith, promptly, immediately, forthwith, prompt, immediate
"""

_OPPOSITES = """
before, prior to, preceding, earlier than, ahead of | after, following, subsequent to, later than, succeeding | within
above | below
or more, or greater, or higher, or longer, or later | or less, or fewer, or lower, or shorter, or earlier |
  and more, and greater, and higher, and longer, and later | and less, and fewer, and lower, and shorter, and earlier
more | less, fewer
earlier, earliest | later, latest
increase, increases, increased, increasing, raise, raised, raises, rise, rises, upward, upwards |
  reduce, reduces, reduced, reducing, reduction, reductions, decrease, decreases, decreased, decreasing, downward, downwards
higher, highest, greater, greatest, larger, largest | lower, lowest, lesser, smaller, smallest, least
include, includes, included, including, inclusive | exclude, excludes, excluded, excluding, exclusive
repay, repays, repaid, repayment, repaying, prepay, prepays, prepaid, prepayment |
  borrow, borrows, borrowed, reborrow, reborrowed, draw, drawn
interest | principal
subject to | notwithstanding, despite, regardless of
wholly, in whole, in full, fully, entirely, totally, completely | partly, partially, in part
a m | p m
senior | junior, subordinated
purchase, purchases, purchased, buy, acquire, acquires, acquired, acquisition |
  sell, sells, sold, sale, dispose, disposes, disposed, disposal
pay, pays, paying | receive, receives, receiving
payable | receivable
accept, accepts, accepted, approve, approves, approved | reject, rejects, rejected, refuse, refuses, refused, decline, declines
grant, grants, granted | release, releases, released, revoke, revokes, revoked
commence, commences, commenced, begin, begins, start, starts | cease, ceases, ceased, end, ends, terminate, terminates, terminated
beginning, commencement | termination, expiry, expiration, ending
fixed | floating, variable
gross | net
permitted, allowed | prohibited, restricted, forbidden
mandatory, compulsory, obligatory | voluntary, optional
jointly and severally | severally | jointly
joint and several | several | joint
plus | minus
initial, original, first | final, last, ultimate
debit, debits, debited | credit, credits, credited
debt | equity
asset, assets | liability, liabilities
profit, profits, gain, gains | loss, losses
income, revenue, revenues | expense, expenses, expenditure, cost, costs
actual | potential, contingent, prospective
true, correct, accurate | false, untrue, incorrect, inaccurate, misleading
public | private
domestic | foreign
affirmative, positive | negative
financial year, fiscal year | calendar year
financial quarter, fiscal quarter | calendar quarter
simple | compound, compounded
majority | minority
existing, present, current | future, subsequent, previous, former
past | next
absolute, unconditional, unconditionally | conditional, conditionally
revolving | term
bilateral | syndicated
accelerate, accelerates, accelerated | defer, defers, deferred, postpone, postponed
extend, extends, extended, extension | shorten, shortens, shortened, curtail, curtailed
rights | obligations, duties
from | to
short term | long term
consent, consents | objection, objections, object
give, gives, given | withhold, withholds, withheld
remedied, cured, waived | continuing, outstanding
long | short
opening | closing
upstream | downstream
deposit | withdraw, withdrawal
lend, lends, lent | owe, owes, owed
valid | void, invalid
same | different, other
sooner | later
"""
"""Each row: words of which one in place of another turns the meaning, in columns."""

_SYNONYMS = """
perform, performs, fulfil, fulfils, fulfill, fulfills
aggregate, combined, total
available, accessible
obligation, obligations, duty, duties
whatever, any
fiscal, financial
resolution, decision
property, belongings
continue, continues, continuing, persist, persists
received, obtained
provided, given, supplied
discharge, pay off
occurred, happened
ordinary wear, usual wear
duly, properly
executed, signed
payable, owed, owing, due
relevant, pertinent
outstanding, unpaid
remedied, cured
furnish, supply, provide, deliver
furnishes, supplies, provides, delivers
commencing, starting, beginning
ensure, procure
premises, property
monies, money, moneys
thereof, of it
pursuant to, under, in accordance with
in respect of, in relation to, with respect to, regarding, concerning, relating to
prior, previous
purchase, acquire, buy
make, makes, made
notify, inform, advise
together with, along with
"""
"""Each row: words that say the same; one in place of another is a rewording."""

FUNCTION_WORDS = frozenset(
    "the a an such said this that these those its their his her it they them he she there here thereof hereof therein herein hereto "
    "thereto hereunder thereunder hereby thereby which who whom whose is are was were be been being has have had do does did as so also "
    "then of in on at for with under by per st nd rd th s upon into onto over about respectively and or if when where".split()
)
"""Words that say nothing by themselves: articles, pronouns, auxiliaries, prepositions."""

FINITE_VERBS = frozenset("is are was were has have had does do did means mean shall must will may can might applies apply exceeds".split())
"""Verbs that make a statement of the words before them."""

LIMITING = frozenset("unless except save only if provided excluding".split())
"""Words that begin a condition or an exception."""

_SAID = "found|available|applicable|provided|specified|stated|mentioned|given|defined|present|disclosed|reported|extracted|included|set out"
_SUBJECT = "quote|evidence|text|information|mention|reference|value|data|content|clause|provision|citation|source"
_WHERE = "section|document|agreement|text|excerpt|page|passage|context|chunk|source|extract"
PLACEHOLDERS = re.compile(
    rf"none|null|nil|nan|n a|na|unknown|empty|absent|missing|blank|tbd|tbc|no|quote|text"
    rf"|no (?:\w+ )?(?:{_SUBJECT})s?(?: (?:was|were|is|are))?(?: (?:not )?(?:{_SAID}))?"
    rf"|(?:it |this |value |field )?(?:is |was )?not (?:explicitly )?(?:{_SAID})"
    rf"(?: (?:in|within|by|for|on) (?:the |this |these |any )?(?:\w+ ){{0,3}}(?:{_WHERE})s?)?"
)
"""What is written in place of a quote that there is none of, as folded words."""

_PARTIES = (
    "borrower lender agent guarantor obligor parent company issuer trustee arranger bank bookrunner sponsor creditor debtor pledgor "
    "grantor mortgagor chargor mortgagee chargee purchaser seller buyer vendor subsidiary affiliate holdings investor shareholder manager "
    "servicer underwriter assignor assignee transferor transferee beneficiary contractor customer supplier landlord tenant lessor lessee "
    "licensor licensee counterparty administrator depositary custodian auditor member partner party parties"
).split()
NEGATING_PREFIXES = ("un", "non", "dis", "ir", "il", "im", "in", "mis")


def _rows(table: str) -> Iterator[tuple[str, list[str]]]:
    """(meaning, phrases) of each row; a row goes on in the next line when that is indented."""
    for row in table.strip().replace("\n  ", " ").splitlines():
        meaning, _, phrases = row.partition(": ")
        yield meaning, [phrase.strip() for phrase in phrases.split(",")]


def _columns(table: str) -> Iterator[tuple[int, list[list[str]]]]:
    for number, row in enumerate(table.strip().replace("\n  ", " ").splitlines()):
        yield number, [[phrase.strip() for phrase in column.split(",")] for column in row.split("|")]


def _all_phrases() -> Iterator[tuple[str, Kind, str]]:
    """In the order of precedence: of the same words the first entry counts."""
    tables: tuple[tuple[Kind, str], ...] = (
        ("limit", _LIMITS), ("modal", _MODALS), ("negation", _NEGATIONS), ("connective", _CONNECTIVES), ("unit", _UNITS),
    )  # fmt: skip
    for kind, table in tables:
        for meaning, phrases in _rows(table):
            yield from ((phrase, kind, meaning) for phrase in phrases)
    yield from ((word, "quantifier", word) for word in _QUANTIFIERS.split(", "))
    yield from ((word.strip(), "standard", word.strip()) for word in _STANDARDS.replace("\n", " ").split(","))
    for name in TIME_UNITS:
        if len(name) > 2:
            unit = {"annum": "year", "working day": "business day"}.get(name, name)
            yield from ((form, "unit", unit) for form in (name, f"{name}s"))
    yield from ((word.replace("-", " "), "number", f"{rank}th") for word, rank in ORDINALS.items())
    yield from ((word, "number", "half") for word in ("half", "halves"))
    yield from ((word, "number", word) for word in ("twice", "double", "treble"))
    for name, codes in plural_names().items():
        if name not in WORDLIKE_NAMES:
            yield name.replace(".", " "), "currency", "/".join(codes)
    yield from ((code.lower(), "currency", code) for code in sorted(KNOWN_CODES))
    for month, number in MONTHS.items():
        if month != "may":
            yield month, "month", str(number)
    for party in _PARTIES:
        yield party, "party", party
        if party not in ("holdings", "parties"):
            yield party[:-1] + "ies" if party.endswith("y") else party + "s", "party", party
    for number, columns in _columns(_OPPOSITES):
        for column, phrases in enumerate(columns):
            yield from ((phrase, "opposite", f"{number}:{column}:{phrases[0]}") for phrase in phrases)


def _phrases() -> dict[str, list[Phrase]]:
    table: dict[tuple[str, ...], Phrase] = {}
    for phrase, kind, meaning in _all_phrases():
        words = tuple(phrase.split())
        table.setdefault(words, (words, kind, meaning))
    by_first: dict[str, list[Phrase]] = {}
    for entry in sorted(table.values(), key=lambda entry: -len(entry[0])):
        by_first.setdefault(entry[0][0], []).append(entry)
    return by_first


PHRASES = _phrases()
"""First folded word -> (words, kind, meaning), longest first."""


def _senses(table: str) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for number, columns in _columns(table):
        for column, phrases in enumerate(columns):
            for phrase in phrases:
                found[phrase] = found.get(phrase, frozenset()) | {(number, column)}
    return found


OPPOSITES = _senses(_OPPOSITES)
"""Phrase -> (row, column) of every row that it stands in."""
SYNONYMS = {phrase: frozenset(row for row, _ in places) for phrase, places in _senses(_SYNONYMS.replace("|", ",")).items()}
"""Phrase -> rows that it stands in."""


def side_of(phrase: str) -> tuple[str, ...]:
    """The phrases that stand with one on the same side of its row of opposites, itself among them."""
    return tuple(other for other, places in OPPOSITES.items() if places & OPPOSITES[phrase])


def are_opposed(first: str, second: str) -> bool:
    """Folded phrases that stand in one row in different columns and in none in the same column."""
    here, there = OPPOSITES.get(first, frozenset()), OPPOSITES.get(second, frozenset())
    return not here & there and any(row == other and column != beside for row, column in here for other, beside in there)
