"""Answers that show how they were computed: "0.50% x $4,500,000 = $22,500", "USD 45 million ($75,000,000 less $30,000,000)"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from judge.capabilities.figures import Figure, holds_figure, relation, share_of, values_in

_OPERATIONS: tuple[tuple[str, Callable[[Fraction, Fraction], Fraction]], ...] = (
    (r"×|x|\*|times|of|multiplied\s+by", operator.mul),
    (r"less|minus|−|–|-", operator.sub),
    (r"plus|\+|and", operator.add),
    (r"/|÷|divided\s+by", operator.truediv),
)
_BESIDE = r"(?:\s|=|is|equals|i\.e\.|that|by|or|the|an?|increase|difference|total|in|[(),.:;–])*"


def operands(answer: str, gold: str) -> tuple[Figure, ...]:
    """The two figures that gold's figure is rightly computed of in an answer that says nothing else; () where it is no such answer."""
    figures, true = _in_order(answer), values_in(gold)
    if len(figures) != 3 or len(true) != 1:
        return ()
    text = answer
    for number, figure in enumerate(figures):
        text = text.replace(figure.text, f"#{number}", 1)
    for result, first, second in ((2, 0, 1), (0, 1, 2)):
        for sign, operation in _OPERATIONS:
            calculation = rf"#{first}\s*(?:{sign})\s*#{second}"
            whole = f"{calculation}{_BESIDE}#{result}" if result == 2 else f"#{result}{_BESIDE}{calculation}"
            if re.fullmatch(f"{_BESIDE}{whole}{_BESIDE}", text, re.IGNORECASE) and relation(figures[result], true[0]) == "equal":
                return (figures[first], figures[second]) if _is_right(operation, figures[first], figures[second], figures[result]) else ()
    return ()


def _in_order(answer: str) -> list[Figure]:
    return sorted(values_in(answer), key=lambda figure: answer.find(figure.text))


def _is_right(operation: Callable[[Fraction, Fraction], Fraction], first: Figure, second: Figure, result: Figure) -> bool:
    values = [share_of(figure) for figure in (first, second, result)]
    if values[0] is None or values[1] is None or values[2] is None or not values[1]:
        return False
    return operation(values[0], values[1]) == values[2]


def are_quoted(figures: Sequence[Figure], quotes: Sequence[str]) -> bool:
    """Whether every figure stands in a quote, and every quote has one of them."""
    return (
        bool(figures)
        and all(any(holds_figure(figure, quote) for quote in quotes) for figure in figures)
        and all(any(holds_figure(figure, quote) for figure in figures) for quote in quotes)
    )
