"""Amounts of money: comparison and occurrence. How they are read: `amounts`.
Comparison: design/values.md, row "money"."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.numbers import fold
from deterministic.values.comparison import Comparison, Mention, Reading, Surroundings, best_of, of_gold, unread_beside
from deterministic.values.figures import currency as currencies
from deterministic.values.figures.amounts import (
    Money,
    amounts_among,
    folded_of,
    numbers_of,
    parse,
    read,
    read_text,
    scan,
)
from deterministic.values.words import PLACE, same_characters, stands_in

__all__ = ["Money", "compare", "is_in_document", "is_in_text", "occurs", "parse", "parts", "read", "scan", "supports"]


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "money" of design/values.md. Right amount in another currency carries the code `WRONG_CURRENCY` (never fabricated)."""
    return best_of(lambda mine, expected: _compare_one(mine, expected, surroundings), reported, gold, accepted)


def parts(value: Any) -> tuple[Any, ...]:
    """The amounts that a value states, one by one."""
    if not isinstance(value, str):
        return (value,) if read(value) is not None else ()
    found = read_text(value)
    if found.value is None or not _JOINTS.issuperset(found.unread) or _contradicts_itself(found.value):
        return ()
    if not isinstance(found.value, tuple):
        return (value,)
    mentions, folded = scan(value), fold(value)
    if any(not folded[one.end : other.start].strip() for one, other in pairwise(mentions)):  # "4 5,000,000" is no list of two
        return ()
    return tuple(mention.text for mention in mentions)


_JOINTS = frozenset((PLACE, "and", "or"))  # what may stand between the amounts of a list


def _contradicts_itself(value: Any) -> bool:
    """Whether the words of an amount say another one than its figures: no rule reads it."""
    return isinstance(value, Money) and value.conflict is not None


def occurs(reported: Any, document: Document) -> bool:
    """Whether the amount stands anywhere in the document in an equivalent form. An amount without a currency beside it (a table's cell)
    counts for a currency that the document names, and an amount in millions stands where it is rounded from: it is not right for that, and
    not invented."""
    if not (mine := _values_of(reported)):
        return isinstance(reported, str) and stands_in(reported, document.text)
    return all(is_in_document(one, document) or is_rounded_from(str(reported), one, amounts_of(document), _THREE_DIGITS) for one in mine)


def supports(reported: Any, text: str) -> bool:
    """Whether the text contains the amount in an equivalent form (every one of several)."""
    mine = _values_of(reported)
    return all(is_in_text(one, text) for one in mine) if mine else isinstance(reported, str) and stands_in(reported, text)


def _reading(value: Any, labels: tuple[str, ...] = ()) -> Reading:
    return read_text(value, labels) if isinstance(value, str) else Reading(read(value))


def _values_of(value: Any) -> tuple[Money, ...]:
    found = _reading(value).value
    return found if isinstance(found, tuple) else () if found is None else (found,)


def _compare_one(reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    given, true = _reading(reported, surroundings.labels), _reading(gold, surroundings.labels)
    if isinstance(reported, str) and isinstance(gold, str) and same_characters(reported, gold):
        codes = ("WORDS_AND_FIGURES_DIFFER",) if _contradicts_itself(given.value) else ()
        return Comparison("correct", f"{reported} is as expected", codes)
    if _contradicts_itself(given.value):
        return Comparison("open", f"words and figures of {_shown(reported)} differ; {_shown(gold)} is expected")
    if given.value is None or true.value is None or given.unread != true.unread:
        is_read = given.value is not None and true.value is not None
        return unread_beside(_shown(reported), _shown(gold), given.unread, true.unread) if is_read else _no_rule(reported, gold)
    if not isinstance(given.value, tuple):
        return _compare_amounts(given.value, true.value, reported, gold, surroundings)
    if given.value == true.value:
        return Comparison("semantic_match", f"{reported} are the amounts {gold}")
    return _no_rule(reported, gold)


def _no_rule(reported: Any, gold: Any) -> Comparison:
    return Comparison("open", f"no rule reads {_shown(reported)} against {_shown(gold)} as amounts")


def _compare_amounts(mine: Money, expected: Money, reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    if mine.amount == expected.amount:
        return _compare_currency(mine, expected, reported, gold, surroundings)
    if any(_is_sibling(mine, _reading(other).value) for other in surroundings.siblings):
        return Comparison("partial", f"{_shown(reported)} is another tranche's amount; {_shown(gold)} is expected", ("OTHER_TRANCHE",))
    return Comparison("wrong", f"{_shown(reported)} differs from {_shown(gold)}")


def _compare_currency(mine: Money, expected: Money, reported: Any, gold: Any, surroundings: Surroundings) -> Comparison:
    """Both amounts are equal: what do the currencies say?"""
    if not expected.codes:
        return Comparison("semantic_match", f"{_shown(reported)} is the amount {of_gold(_shown(gold), _shown(reported))}")
    if not mine.codes:
        reason = f"{_shown(reported)} is the right amount without its currency; {_shown(gold)} is expected"
        return Comparison("partial", reason, ("CURRENCY_MISSING",))
    text = surroundings.document_text
    candidates = currencies.resolve(expected.codes, text)
    if not currencies.is_same(mine.codes, candidates):
        return Comparison("wrong", f"{_shown(reported)} is the right amount in another currency than {_shown(gold)}", ("WRONG_CURRENCY",))
    if len(mine.codes) == 1 < len(candidates) and mine.codes[0] != candidates[0]:
        return Comparison("open", f"the currency of {_shown(gold)} may be that of {_shown(reported)} or not")
    if len(mine.codes) > 1 and len(expected.codes) == 1 and text and currencies.has_several(text, mine.codes, expected.codes):
        return Comparison("partial", f"{_shown(reported)} leaves open which dollar; {_shown(gold)} is expected", ("CURRENCY_AMBIGUOUS",))
    if _is_typed(reported) or (isinstance(reported, str) and (_is_typed(gold) or stands_in(reported, *surroundings.quotes))):
        return Comparison("correct", f"{_shown(reported)} is the amount {of_gold(_shown(gold), _shown(reported))}")
    if _shown(reported) == _shown(gold):
        lacks = "its currency is no ISO code" if isinstance(reported, Mapping) else "it stands so in none of its quotes"
        return Comparison("semantic_match", f"{_shown(reported)} is the amount that gold gives, but {lacks}")
    return Comparison("semantic_match", f"{_shown(reported)} is {_shown(gold)} in another notation")


def _is_typed(value: Any) -> bool:
    """An object whose currency is an ISO code: it has no notation that could differ."""
    if not isinstance(value, Mapping):
        return False
    found = currencies.parse(str(value.get("currency") or ""))
    return found is not None and found.form == "code"


def _is_sibling(mine: Money, other: Any) -> bool:
    if not isinstance(other, Money) or other.amount != mine.amount:
        return False
    return not mine.codes or not other.codes or currencies.is_same(mine.codes, other.codes)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{value.get('currency', '')} {value.get('amount', '')}".strip()
    return str(value)


Codes = tuple[str, ...]


def is_in_document(value: Money, document: Document) -> bool:
    """`occurs` for a value that has been read."""
    return _is_among(value, amounts_of(document), lambda: currencies.mentioned(document))


_SCALED = re.compile(r"\d\s?(?:m|mm|mn|mln|mio|million|bn|billion|k|thousand)\b", re.IGNORECASE)
_TWO_DIGITS, _THREE_DIGITS = 10, 100


def is_rounded_from(text: str, value: Money, amounts: Iterable[Fraction], least: int = _TWO_DIGITS) -> bool:
    """Whether an amount in millions is one of `amounts` to the digits that are written; `least`: 10 for two significant digits or more."""
    if not _SCALED.search(text) or value.amount.denominator != 1 or value.amount < least * 1000:
        return False
    step = 1000
    while value.amount % (10 * step) == 0:
        step *= 10
    near = (amount for amount in amounts if amount != value.amount and abs(amount - value.amount) * 2 <= step)
    return value.amount >= least * step and next(near, None) is not None


def is_slip(value: Any, truth: Any, documents: Collection[Document]) -> bool:
    """Whether a wrong amount is the right one rounded, or stands in a document in another currency (design/onboarding.md Fabrication)."""
    mine, theirs = read_text(str(value)).value if isinstance(value, str) else read(value), read(truth)
    if not isinstance(mine, Money):
        return False
    is_right = isinstance(theirs, Money) and (mine.amount == theirs.amount or is_rounded_from(str(value), mine, (theirs.amount,)))
    return is_right or any(is_in_document(replace(mine, codes=()), document) for document in documents)


def is_in_text(value: Money, text: str) -> bool:
    """`supports` for a value that has been read."""
    return _is_among(value, _index(scan(text)), lambda: frozenset(m.value.codes for m in currencies.scan(text)))


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
    if not (found := {codes for amount in _figures(mine) for codes in index.get(amount, ())}) or not mine.codes:
        return bool(found)
    if any(codes and currencies.is_same(mine.codes, codes) for codes in found):
        return True
    return () in found and any(currencies.is_same(mine.codes, codes) for codes in named())
