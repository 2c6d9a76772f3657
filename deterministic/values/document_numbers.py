"""The numbers of a whole document, found once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from deterministic.documents.documents import Document
from deterministic.lexicon.numbers import NumberMention, fold, scan_numbers
from deterministic.values.amounts import cents_behind


def numbers_of(document: Document) -> tuple[NumberMention, ...]:
    """The numbers of a document, found once."""
    return document.cached("values.numbers", lambda: scan_numbers(folded_of(document)))


def folded_of(document: Document) -> str:
    """The folded text of a document, made once."""
    return document.cached("values.folded", lambda: fold(document.text))


def readings_of(document: Document) -> frozenset[Fraction]:
    """What the document's numbers can say in any reading: what is not among it is no amount and no rate, and needs no search for units."""
    return document.cached("values.readings", lambda: frozenset(readings(folded_of(document), numbers_of(document))))


def readings(folded: str, numbers: Iterable[NumberMention]) -> Iterator[Fraction]:
    """What numbers can say: as a number and as an amount, with their scale and without it, and with cents behind words."""
    for number in {(n.text, n.form, n.scale): n for n in numbers if n.form == "figure"}.values():
        for value in (number.value(), number.value(is_amount=True)):
            if value is not None:
                yield from (value, value * number.scale)
    for number in numbers:
        if number.form == "words" and (value := number.value()) is not None:
            yield from (value, value + cents_behind(folded, number)[0])
