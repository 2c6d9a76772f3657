"""Short descriptions (the scope of a carve-out, a trigger): whether two of them say the same in the same words, in any order and form."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deterministic.values.words import plain, words

_ENDING = re.compile(r"(?:ations?|ments?|ings?|ions?|ies|ied|ed|es|s|y|e)$")
_LITTLE = frozenset(
    "a an the this that these those which who it its their his such any each every all certain is are be been being was were do does has "
    "have of in on at for with under or and as".split()
)
"""Words that are left out or exchanged without a change of what is described. "Other", "only" and the like are none of them."""
_BOUND = frozenset("not no non without except excluding unless nor neither never by to from against between before after".split())
"""Words whose meaning hangs on the word behind them: "loans by the Borrower to Subsidiaries" are not "by Subsidiaries to the Borrower"."""
_REST = re.compile(r"\b(?:not\s+otherwise\s+(?:permitted|allowed)|any\s+other)\b")
_SAME = {"disposal": "sale", "disposit": "sale", "dispos": "sale", "sal": "sale", "sell": "sale"}


def told(text: str, beside: Iterable[str] = ()) -> frozenset[str]:
    """The informative words of a description without their endings and without those of the texts beside it (a covenant's names); a word of
    negation or direction is one with the word behind it."""
    known = frozenset(word for name in beside for word in told(name))
    found: set[str] = set()
    bound = ""
    for word in words(_REST.sub(" other ", plain(text))):
        if word in _BOUND:
            bound += f"{word} "
        elif word not in _LITTLE:
            stem = _ENDING.sub("", word) if len(word) > 3 else word
            stem = _SAME.get(stem, stem)
            if bound or stem not in known:
                found.add(bound + stem)
            bound = ""
    return frozenset(found | ({bound} if bound else set()))


def is_same(first: str, second: str, beside: Iterable[str] = ()) -> bool:
    """Whether two descriptions have the same informative words."""
    known = tuple(beside)
    mine = told(first, known)
    return bool(mine) and mine == told(second, known)
