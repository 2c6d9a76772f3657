"""Where an amount of money stands: in a document or a text, in any notation. How amounts are read: `amounts`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from deterministic.values import currency as currencies
from deterministic.values.amounts import Money, MoneyRange, amounts_among, ends_of, scan
from deterministic.values.comparison import Mention
from deterministic.values.document_numbers import folded_of, numbers_of, readings_of

if TYPE_CHECKING:
    from deterministic.documents.documents import Document

Codes = tuple[str, ...]


def is_in_document(value: Money | MoneyRange, document: Document) -> bool:
    """`occurs` for a value that has been read."""
    if any(readings_of(document).isdisjoint(_figures(part)) for part in ends_of(value)):
        return False
    index = amounts_of(document)
    return all(_is_among(part, index, lambda: currencies.mentioned(document)) for part in ends_of(value))


_SCALED = re.compile(r"\d\s?(?:m|mm|mn|mln|mio|million|bn|billion|k|thousand)\b", re.IGNORECASE)
_TWO_DIGITS, _THREE_DIGITS = 10, 100


def is_rounded(text: str, value: Money, document: Document) -> bool:
    """Whether an amount in millions ("USD 36.46 million") is one of the document's (36,458,333) to the digits that are written: three
    significant ones or more, for with fewer it can be near any."""
    return bool(_SCALED.search(text)) and is_rounded_from(text, value, amounts_of(document), _THREE_DIGITS)


def is_rounded_from(text: str, value: Money, amounts: Iterable[Fraction], least: int = _TWO_DIGITS) -> bool:
    """Whether an amount in millions is one of `amounts` to the digits that are written; `least`: 10 for two significant digits or more."""
    if not _SCALED.search(text) or value.amount.denominator != 1 or value.amount < least * 1000:
        return False
    step = 1000
    while value.amount % (10 * step) == 0:
        step *= 10
    near = (amount for amount in amounts if amount != value.amount and abs(amount - value.amount) * 2 <= step)
    return value.amount >= least * step and next(near, None) is not None


def is_in_text(value: Money | MoneyRange, text: str) -> bool:
    """`supports` for a value that has been read."""
    index = _index(scan(text))
    return all(_is_among(part, index, lambda: frozenset(m.value.codes for m in currencies.scan(text))) for part in ends_of(value))


def amounts_of(document: Document) -> Mapping[Fraction, frozenset[tuple[str, ...]]]:
    """The document's amounts, each with the currencies it stands in; built once."""
    return document.cached("values.money", lambda: _index(amounts_among(folded_of(document), numbers_of(document))))


def _figures(value: Money) -> list[Fraction]:
    """Its amount, and that of its figures where its words say another."""
    return [abs(amount) for amount in (value.amount, value.conflict) if amount is not None]


def _index(mentions: Iterator[Mention] | tuple[Mention, ...]) -> dict[Fraction, frozenset[tuple[str, ...]]]:
    index: dict[Fraction, set[tuple[str, ...]]] = {}
    for mention in mentions:
        index.setdefault(mention.value.amount, set()).add(mention.value.codes)
    return {amount: frozenset(codes) for amount, codes in index.items()}


def _is_among(mine: Money, index: Mapping[Fraction, frozenset[Codes]], named: Callable[[], frozenset[Codes]]) -> bool:
    """An amount without a currency beside it counts for any currency that the text names (`named`, asked only then)."""
    found = {codes for amount in _figures(mine) for codes in index.get(amount, ())}
    if not found or not mine.codes:
        return bool(found)
    if any(codes and currencies.is_same(mine.codes, codes) for codes in found):
        return True
    return () in found and any(currencies.is_same(mine.codes, codes) for codes in named())
