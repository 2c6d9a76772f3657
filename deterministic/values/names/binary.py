"""Yes or no (design/values.md, row "binary"): a closed table of words. Never hallucinated by value."""

import re
from typing import Any

from deterministic.lexicon.guarded import TICKED
from deterministic.values.comparison import Comparison, Surroundings, as_text, of_gold, quoted

_WORDS = {
    **dict.fromkeys(("y", "yes", "true", "present", "included"), True),
    **dict.fromkeys(("n", "no", "false", "absent", "not present", "not included"), False),
}
_PLACE = re.compile(
    r"\s*[,;:(–—-]\s*(?:see\s+)?(?:clause|section|article|paragraph|schedule|cl\.|s\.|§)\s*\d+(?:\.\d+)*(?:\([a-z\d]{1,4}\))*\s*\)?$",
    re.IGNORECASE,
)
"""Where the clause stands, which is the citation's matter: "Yes (Clause 23.15)"."""
_TICK = re.compile(rf"^[{TICKED}]\s*(?=\w)")


def parse(value: Any) -> bool | None:
    """A word of the table in any case, also ticked or with the clause behind it, or a JSON boolean; None for everything else."""
    return _WORDS.get(_PLACE.sub("", _TICK.sub("", as_text(value)).rstrip(".")).casefold())


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Agreeing notations are correct, a yes for a no is wrong; what is neither is for the judge."""
    given, expected = parse(reported), parse(gold)
    if given is None or expected is None:
        return Comparison("open", f"{quoted(reported if given is None else gold)} is neither yes nor no.")
    if given is expected:
        return Comparison("correct", f"{quoted(reported)} is the answer {of_gold(quoted(gold), quoted(reported))}.")
    return Comparison("wrong", f"{quoted(reported)} does not agree with {quoted(gold)}.")
