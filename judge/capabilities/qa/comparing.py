"""The answer beside the right ones (design/answers.md): the same text, or one whole value against one whole value. What an answer says
in a sentence is the judge's to read."""

from __future__ import annotations

from judge.capabilities.figures import Verdict, relation, whole_value
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.texts import is_accepted, right_answers
from judge.capabilities.wording import fold_text

_YES_OR_NO = frozenset(("yes", "no"))


def compare_answer(output: QaOutput, gold: QaGold) -> Verdict:
    """The answer beside gold's and each accepted one: equal to one of them; different only from all of them."""
    if is_accepted(output, gold):
        return "equal"
    found = {_relate(output.answer, text) for text in right_answers(gold)}
    return "equal" if "equal" in found else "different" if found == {"different"} else "open"


def _relate(answer: str, right: str) -> Verdict:
    """Two texts that are one value each, or a bare yes and a bare no."""
    words = {fold_text(text) for text in (answer, right)}
    if words == _YES_OR_NO:
        return "different"
    mine, true = whole_value(answer), whole_value(right)
    return "open" if mine is None or true is None else relation(mine, true)
