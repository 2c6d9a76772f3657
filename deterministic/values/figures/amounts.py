"""Reading amounts of money in every notation of the loan market.
Amounts are exact `Fraction`s in units of the currency; a currency is a tuple of candidate ISO codes, empty where none is written."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.currencies import lookup
from deterministic.lexicon.labels import ARTICLES
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.values.comparison import Mention, Reading, join_repeats
from deterministic.values.figures import currency as currencies
from deterministic.values.words import beside, frame_of

LARGEST = Fraction(10**30)  # beyond it a number is no amount of money; also keeps hostile exponents out
THREE_DECIMALS = frozenset(("KWD", "BHD", "OMR", "JOD", "TND", "IQD", "LYD"))


@dataclass(frozen=True, slots=True)
class Money:
    """One amount. `codes`: candidate ISO codes, empty when no currency is written. `conflict`: the figures' amount where words and figures
    differ in it or in its currency, else None."""

    amount: Fraction
    codes: tuple[str, ...] = ()
    conflict: Fraction | None = None


_NO_AMOUNT = re.compile(r"\s?(?:%|per\s?cent|bps|basis\s+points?)", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s:;,(\"'\[/-]+$")
_USUAL_CODES = "usd eur gbp sgd hkd aud cad jpy chf inr cny rmb nzd sek nok dkk myr thb idr krw twd aed sar"
_LOWER_CODES = frozenset(_USUAL_CODES.split())  # read in small letters too, beside a number


def parse(text: str, labels: tuple[str, ...] = ()) -> Money | None:
    """The amount that the whole text is, None when it is something else, or has a sign or brackets. Never raises. Words and figures of one
    amount become one `Money`."""
    reading = read_text(text, labels)
    return None if reading.unread or not isinstance(reading.value, Money) else reading.value


@lru_cache(maxsize=2048)
def read_text(text: str, labels: tuple[str, ...] = ()) -> Reading:
    """The amount that a text states, or its several amounts as a tuple, and what stands beside them."""
    if len(text) > 400:
        return Reading(None)
    folded = fold(text)
    numbers = scan_numbers(folded)
    if not (found := list(_merge(amounts_among(folded, numbers), folded)) or _bare(folded, numbers)):
        return Reading(None)
    if len(found) == 1:
        sign = ("-",) if _SIGNED.match(folded, found[0].start) else ()
        return Reading(found[0].value, (*beside(frame_of(folded, [(found[0].start, found[0].end)], ARTICLES, labels)), *sign))
    return Reading(tuple(m.value for m in found), frame_of(folded, [(m.start, m.end) for m in found], ARTICLES, labels))


_SIGNED = re.compile(r"[^\W\d_]{0,3}[^\w()-]{0,9}(?:\([^()\d]{0,6}[\d.,' ]+[^()]{0,12}\)|-\s?\d)")  # USD(350,000), USD -350,000


def _bare(folded: str, numbers: Sequence[NumberMention]) -> list[Mention]:
    """The only number of a text, which is an amount without its currency."""
    if len(numbers) != 1 or numbers[0].is_attached or _NO_AMOUNT.match(folded, numbers[0].scale_end):
        return []
    number = numbers[0]
    value = _amount(number, is_thousands=True)
    return [] if value is None else [Mention(number.start, number.scale_end, Money(value), folded[number.start : number.scale_end])]


def read(value: Any) -> Money | None:
    """The amount of a reported or expected value: a string, a number, or `{"amount", "currency"}`."""
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, Mapping):
        return _read_object(value)
    amount = _exact(value)
    return None if amount is None else Money(amount)


def scan(text: str) -> tuple[Mention, ...]:
    """Every amount in running text: with a currency beside it, or written as an amount (grouped or scaled) without one."""
    folded = fold(text)
    return tuple(amounts_among(folded, scan_numbers(folded)))


def _exact(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, Fraction)):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and (not value.is_finite() or abs(value.adjusted()) > 30):
        return None
    amount = Fraction(value)
    return amount if abs(amount) <= LARGEST else None


def _read_object(value: Mapping[str, Any]) -> Money | None:
    raw, written = value.get("amount"), value.get("currency")
    amount = parse(raw) if isinstance(raw, str) else None
    exact = amount.amount if amount is not None else None if isinstance(raw, str) else _exact(raw)
    if exact is None:
        return None
    if written in (None, ""):
        return Money(exact, amount.codes if amount is not None else ())
    found = currencies.parse(str(written))
    return None if found is None else Money(exact, found.codes)


def amounts_among(folded: str, numbers: tuple[NumberMention, ...]) -> Iterator[Mention]:
    """Every amount among the numbers of a folded text, in order; see `scan`."""
    words_end = -1  # end of the last number in words, which "(5)" may repeat
    for number in numbers:
        is_repeat = words_end >= 0 and folded[words_end : number.start].strip() == "("
        words_end = number.end if number.form == "words" else -1
        before = _currency_before(folded, number)
        after = _currency_after(folded, number, is_repeat) if before is None or number.form == "words" else None
        is_written_so = number.is_large and _NO_AMOUNT.match(folded, number.scale_end) is None
        if before is None and (number.is_attached or (after is None and not is_written_so)):
            continue
        codes, start = before or (after[0] if after else (), number.start)
        if (amount := _amount(number, is_thousands=not THREE_DECIMALS.intersection(codes[:1]))) is None:
            continue
        end = after[1] if after else number.scale_end
        yield Mention(start, end, Money(amount, codes), folded[start:end])


def _amount(number: NumberMention, *, is_thousands: bool) -> Fraction | None:
    if (plain := number.value(is_amount=is_thousands)) is None or plain * number.scale > LARGEST:
        return None
    return plain if number.form == "words" else plain * number.scale


def _currency_before(folded: str, number: NumberMention) -> tuple[tuple[str, ...], int] | None:
    """The currency that stands directly before the number, and where it starts."""
    window_start = max(0, number.start - 30)
    window = folded[window_start : number.start]
    stripped = window.rstrip(" \n(-") if not number.is_attached else window
    stripped = stripped.removesuffix(":")
    if not stripped or stripped[-1] in ",;:)]\"'=":
        return None
    words = list(re.finditer(r"\S+", stripped))[-4:]
    for word in words:
        at = word.start()
        tail = _TOKEN.search(stripped[at : word.end()]) if word is words[-1] else None
        if tail is not None:
            at += tail.start()
        at += len(stripped[at:]) - len(stripped[at:].lstrip("([\"'<>≤≥=+~≈"))
        if (codes := _codes(stripped[at:])) is not None:
            return codes, window_start + at
    return None


def _codes(form: str) -> tuple[str, ...] | None:
    if form.casefold() in _LOWER_CODES:
        form = form.upper() if form[1:].islower() or form.isupper() else ""  # GBp are pence
    found = lookup(form.replace("\n", " "))
    return found[0] if found else None


_AFTER = re.compile(r"\s*(?P<bracket>\)\s*)?(?:of\s+)?(?P<form>[^\s,;:()\[\]\"\d]+(?:\s+[^\s,;:()\[\]\"\d]+){0,3})")


def _currency_after(folded: str, number: NumberMention, is_repeat: bool) -> tuple[tuple[str, ...], int] | None:
    """The currency that stands directly behind the number, and where it ends; not one that belongs to the next amount. Behind a bracket
    only where the figure repeats words or is large: "(1) US Dollars" is an entry of a list."""
    start = number.scale_end
    match = _AFTER.match(folded, start, start + 60)
    if match is None or (match["bracket"] and not is_repeat and not number.is_large):
        return None
    words = list(re.finditer(r"\S+", match["form"]))
    for word in reversed(words):
        form = match["form"][: word.end()]
        for trimmed in (form, form.rstrip(".")):
            end = match.start("form") + len(trimmed)
            if (codes := _codes(trimmed)) is not None and not re.match(r"\s?\d", folded[end : end + 2]):
                return codes, end
    return None


def _merge(mentions: Iterator[Mention], folded: str) -> Iterator[Mention]:
    """Joins "fifty million dollars ($50,000,000)" to one amount; `conflict` where the two differ."""

    def join(held: Mention, again: Mention) -> Mention | None:
        codes = tuple(c for c in held.value.codes if c in again.value.codes) or held.value.codes or again.value.codes
        is_same_money = not held.value.codes or not again.value.codes or set(again.value.codes) >= set(codes)
        if held.value.amount != again.value.amount and _in_words(held) == _in_words(again):
            return None
        conflict = None if is_same_money and again.value.amount == held.value.amount else again.value.amount
        closing = _CLOSING.match(folded, again.end)
        end = closing.end() if closing else again.end
        return Mention(held.start, end, Money(held.value.amount, codes, conflict), folded[held.start : end])

    return join_repeats(mentions, folded, join)


_CLOSING = re.compile(r"\s*(?:/-)?\s*(?:only)?\.?\s*\)", re.IGNORECASE)


def _in_words(mention: Mention) -> bool:
    return not any(map(str.isdecimal, mention.text))


def numbers_of(document: Document) -> tuple[NumberMention, ...]:
    """The numbers of a document, found once."""
    return document.cached("values.numbers", lambda: scan_numbers(folded_of(document)))


def folded_of(document: Document) -> str:
    """The folded text of a document, made once."""
    return document.cached("values.folded", lambda: fold(document.text))
