"""What the loan market calls one covenant: usual other names and short forms."""

import re
from functools import lru_cache

from deterministic.lexicon.tables import forms

_CANONICAL = forms("covenant_names")
_FORM = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _CANONICAL), key=len, reverse=True))})\b")


@lru_cache(maxsize=4096)
def usual_name(folded: str) -> str:
    """A folded name (words in lower case, single spaces) with each usual form exchanged for one of them."""
    return _FORM.sub(lambda match: _CANONICAL[match[0]], folded)
