"""Answers that say more than gold: what they add is taken from their own quote, phrase by phrase, with all of its conditions."""

from __future__ import annotations

import re
from collections import Counter

from judge.capabilities.figures import holds_figure, values_in
from judge.capabilities.qa.typed import compare_answers, without
from judge.capabilities.wording import fold_text, has_stems, has_words

_PART = re.compile(r"[;:](?:\s+|$)|(?<!cent)\.\s+(?=[A-Z(“])|…|\.{3}|(?:^|[,\n]|\b(?:and|or))\s*\((?:[ivx]{1,5}|[a-z]{1,2}|\d)\)\s")
_PHRASE = re.compile(
    r"[,()\[\]“”\"–—|\n]|(?:\b(?:and|or)\s+)?\b(?=(?:without|unless|except|if|subject\s+to|provided\s+that|other\s+than)\b)", re.IGNORECASE
)
_CONDITION = re.compile(
    r"\b(?:not|nor?|none|nil|never|neither|without|unless|except|exclud\w+|other\s+than|only|if|subject\s+to|provided|but(?!\s+in\s+any\s+event)|however|although|until"
    r"|notwithstanding|extent|lesser|greater|lower|higher|earlier|later|may(?!\s+not))\b",
    re.IGNORECASE,
)
_VERB = r"\b(?:shall|will|may|must|can|is|are)\b"
_SEVERAL = re.compile(rf",\s*(?:and|or|but(?!\s+in\s+any\s+event))\b|\b(?:and|or|but)\s*,|{_VERB}.*{_VERB}", re.IGNORECASE | re.DOTALL)
_BEGINS = re.compile(
    r"\s*(?:as|at|by|during|except|for|from|if|in|of|on|other|per|plus|provided|subject|to|unless|upon|when|where|with|within|without)\b",
    re.IGNORECASE,
)
_ROW = re.compile(r"\b(?:[IVX]+|[A-Z]|\d+)\b")  # its number or letter
_ARTICLES = frozenset(("the", "a", "an", "such", "this", "that"))
_GAP = r"[\s,()“”\"’.-]*(?:\b(?:" + "|".join(_ARTICLES) + r")\b\s*)?"


def adds_what_is_quoted(answer: str, gold: str, question: str, quote: str) -> bool:
    """Whether an answer without the phrases of its quote is gold's, and the sentence with gold's value has those phrases, no other figure
    of that kind, no second statement and no condition that the answer lacks; or the answer stands in such a sentence as it is."""
    return any(_is_whole(answer, gold, question, part) for part in _PART.split(quote) if part)


def _is_whole(answer: str, gold: str, question: str, part: str) -> bool:
    if (marked := _without_value(part, gold)) is None or _SEVERAL.search(part) or conditions(part) != conditions(answer):
        return False
    true = values_in(gold)
    if true and has_words(part, answer) and all(holds_figure(figure, answer) for figure in true):
        behind = without(answer, values_in(answer), "|").rpartition("|")[2]
        return not (_ROW.search(behind) or re.match(r"\W*[A-Z]", behind))  # the title of another row
    rest = answer
    for phrase in _PHRASE.split(marked):
        words = [word for word in fold_text(phrase).split() if word not in _ARTICLES]
        if len(words) > 1 and _BEGINS.match(phrase) and not _ROW.search(phrase) and not has_words(gold, phrase):
            rest = re.sub(rf"(?<!\w){_GAP.join(map(re.escape, words))}(?!\w)", " ", rest, flags=re.IGNORECASE)
    return rest != answer and compare_answers(rest, gold, question) == "equal"


def _without_value(part: str, gold: str) -> str | None:
    """A sentence with a line in place of gold's figure; None where gold's value is not in it, or another figure of its kind is."""
    true = values_in(gold)
    if not true:
        return part if has_stems(part, gold) else None
    found = [figure for figure in values_in(part) if figure.kind in {one.kind for one in true}]
    if not all(holds_figure(one, part) for one in true) or not all(holds_figure(figure, gold) for figure in found):
        return None
    return without(part, found, "|")


def conditions(text: str) -> Counter[str]:
    """The words of a text that deny, condition or limit what it says, and how often it has each."""
    return Counter(" ".join(found[0].casefold().split()) for found in _CONDITION.finditer(text))
