"""A text as values and the words around them: what a grammar needs to read it whole.

A frame is everything beside the values in its order: words, numbers, signs and boxes, without the closed list that says nothing of the
value (`lexicon.labels`). Two texts are only compared where their frames are equal: a word that one of them has alone is read by nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from deterministic.lexicon.guarded import SIGNS, TICKED, UNTICKED
from deterministic.lexicon.memory import kept
from deterministic.lexicon.numbers import fold, scan_numbers
from deterministic.values.words import fold_letters

Frame = tuple[str, ...]
PLACE = "\ue000"
"""Stands for a value in a frame: a letter that no text has."""
MARKS = frozenset((*SIGNS, *TICKED, *UNTICKED))
"""Signs and boxes, of which none is punctuation."""
_TOKEN = re.compile(
    rf"{PLACE}|&|[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[{''.join(SIGNS)}=%‰$£€¥₹]|(?<![\w){PLACE}])-(?=[{PLACE}\d.$£€¥₹])|[{TICKED}{UNTICKED}]"
)
_LIST_MARK = re.compile(r"\s*(?:\(?\d{1,2}[.)]|\([a-z]{1,3}\)|[-*•–])\s+(?=\S)", re.IGNORECASE)


def without_list_mark(text: str) -> str:
    """An entry of a list without its number, letter in brackets or bullet: "1. Acme Limited", "(a) Acme Limited", "- Acme Limited"."""
    return _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text


def frame_of(text: str, spans: Sequence[tuple[int, int]] = (), carriers: frozenset[str] = frozenset(), labels: Iterable[str] = ()) -> Frame:
    """What stands around the values at `spans` (half-open ranges in order), each of them as PLACE.

    carriers: single folded words that fall away; labels: phrases that do, such as the field's own name.
    """
    for start, end in reversed(spans):
        text = f"{text[:start]}{PLACE}{text[end:]}"
    tokens = list(_tokens(text))
    for label in sorted((_tokens(one) for one in labels), key=len, reverse=True):
        tokens = _dropped(tokens, list(label))
    return tuple(token for token in tokens if token not in carriers)


def beside(frame: Frame) -> Frame:
    """The frame of one value; empty where nothing stands beside it."""
    return () if frame == (PLACE,) else frame


def _dropped(tokens: list[str], label: list[str]) -> list[str]:
    at = next((n for n in range(len(tokens) - len(label) + 1) if tokens[n : n + len(label)] == label), None) if label else None
    return tokens if at is None else tokens[:at] + tokens[at + len(label) :]


@kept(4096)
def _tokens(text: str) -> Frame:
    folded = fold(text)
    numbers = [n for n in scan_numbers(folded) if n.value() is not None]
    found: list[str] = []
    at = 0
    for number in numbers:
        found += _words(folded, at, number.start)
        is_bracketed = folded[: number.start].rstrip().endswith("(") and folded[number.scale_end :].lstrip().startswith(")")
        value = number.value()
        assert value is not None
        said = str(value if number.form == "words" else value * number.scale)
        found.append(f"({said})" if is_bracketed else said)
        at = number.scale_end
    return (*found, *_words(folded, at, len(folded)))


def _words(folded: str, start: int, end: int) -> Iterable[str]:
    for match in _TOKEN.finditer(folded, start):
        token = match[0]
        if match.start() >= end:  # a sign looks at the figure behind it
            return
        yield "and" if token == "&" else SIGNS.get(token, token) if not token[0].isalpha() else fold_letters(token).replace("'", "")


def same_words(first: str, second: str) -> bool:
    """Whether two texts have the same words, numbers, signs and boxes in one order: they differ in letter case and punctuation alone."""
    return bool(_tokens(first)) and _tokens(first) == _tokens(second)
