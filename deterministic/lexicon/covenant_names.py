"""What the loan market calls one covenant: usual other names, short forms and initials."""

import re
from collections.abc import Sequence
from functools import lru_cache

from deterministic.lexicon.tables import rows

_CANONICAL = {form: name for name, _, forms in (row.partition(": ") for row in rows("covenant_names")) for form in forms.split(", ")}
_FORM = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _CANONICAL), key=len, reverse=True))})\b")
_LITTLE = frozenset(("of", "to", "and", "the", "for", "in", "on"))


@lru_cache(maxsize=4096)
def usual_name(folded: str) -> str:
    """A folded name (words in lower case, single spaces) with each usual form exchanged for one of them."""
    return _FORM.sub(lambda match: _CANONICAL[match[0]], folded)


def has_initials(words: Sequence[str], initials: str, beside: frozenset[str]) -> bool:
    """Whether two or more words of a name that follow each other have these initials, all others being among `beside`:
    "minimum interest coverage ratio" and "icr"."""
    for told in (list(words), [word for word in words if word not in _LITTLE]):
        for start in range(len(told) - len(initials) + 1):
            run = told[start : start + len(initials)]
            rest = [*told[:start], *told[start + len(initials) :]]
            if len(run) > 1 and "".join(word[0] for word in run) == initials and all(word in beside for word in rest):
                return True
    return False
