"""Refusals: the mandated form of the standard (4.2), and what is wrong with any other (judging.md 5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rubrics.contract import Qa

# words that name nothing: left out when a topic is compared with the question or gold's topic
STOP_WORDS = frozenset(
    """a an the this that these those it its of for to in on at by with from as and or any all each every is are was were be been being
    does do did has have had what which who whom whose when where why how much many there if under about into not no document agreement
    information say says said state states stated contain contains specify specified required may must can could would should will shall
    such other matter matters topic question""".split()
)
DONT_KNOW = re.compile(
    r"\b(i|we)\s+(do\s+not|don['’]?t|cannot|can['’]?t)\s+(know|tell|say)\b|\b(i\s+am|i['’]?m|we\s+are)\s+(not\s+sure|unsure)\b|\bno\s+idea\b",
    re.I,
)
# how texts say that something is not there, or that nothing can be said
NEGATIVE = re.compile(
    r"\b(does|do|did|is|are|was|were|can|could|has|have)\s*(not|n['’]t)\b|\bcannot\b|\bno\s+(information|mention|reference|provision|details?|such)\b|\bnothing\b|\bsilent\b"
    r"|\bnot\s+(contain|mention|specif|stat|address|provid|includ|available|found|cover|possible)\w*|\bunable\b|\babsent\b|\bunfortunately\b|\bconsult\b|\bseek\s+(professional|legal)\b"
    r"|\bwithout\s+(further|more)\b|\binsufficient\b",
    re.I,
)
FIGURE = re.compile(r"\d")
# where a named topic ends and a statement begins ("..., but the Margin is 2.40 per cent.")
STATEMENT = re.compile(
    r"[;:]|\b(but|however|although|though|because|whereas|nevertheless|nonetheless|still)\b|,\s*(since|as|while|yet|so|which)\b"
    r"|\band\b(?!\s+(?:whether|how|what|when|which|who|where|if|any)\b)[^.]{0,200}?\b(is|are|was|were|has|have|does|do|shall|will|must|may|should|would|requires?|provides?|states?)\b",
    re.I,
)
NOTHING_SAID = frozenset({"", "n a", "na", "none", "null", "nil"})
LONGEST_LEAD = 6  # words before the mandated form that are courtesy ("Based on my review of it,") and no statement


@dataclass(frozen=True, slots=True)
class Refusal:
    """What kind of refusal a text is. code "": grounded; is_pure: it refuses and says nothing else."""

    is_refusal: bool
    is_pure: bool = False
    code: str = ""
    reason: str = ""


def words_of(text: str) -> frozenset[str]:
    """The content words of a text, folded for case and plural."""
    found = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(_stem(w) for w in found if w not in STOP_WORDS)


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def has_all_words(text: str, of: str) -> bool:
    """Whether a text has every content word of another one (which must have some)."""
    wanted = words_of(of)
    return bool(wanted) and wanted <= words_of(text)


@lru_cache(maxsize=32)
def _pattern(template: str, name: str) -> re.Pattern[str]:
    """A sentence of the contract as a pattern: case and white space do not matter, nor does the last full stop."""
    before, after = template.rstrip(". ").split("{" + name + "}")
    squeeze = [r"\s+".join(map(re.escape, part.split())) for part in (before, after)]
    return re.compile(rf"{squeeze[0]}\s+(?P<x>.+?){squeeze[1]}(?=\.(?:\s|$)|$)", re.I | re.S)


def read_refusal(answer: str, question: str, topic: str | None, policy: Qa) -> Refusal:
    """Reads an answer as a refusal, if it is one; the first fault that fits of judging.md 5 gives the code."""
    text = _WRAPPING.sub("", " ".join(answer.split()))
    form = _pattern(policy.refusal_form, "topic").search(text)
    if form is None:
        return _other_form(text, question, topic)
    before, after = text[: form.start()].strip(), text[form.end() :].strip(" .")
    if DONT_KNOW.search(f"{before} {after}"):
        return Refusal(True, False, "REFUSAL_DONT_KNOW", "the answer says that it does not know")
    if before and not re.search(r"[.!?;:]$", before):
        is_courtesy = len(before.split()) <= LONGEST_LEAD and not FIGURE.search(before)
        return Refusal(True, is_courtesy, "REFUSAL_FORM", "the refusal is not in the mandated form")
    if before or not _is_continuation(after, policy) or _says_more(form["x"], f"{question} {topic or ''}"):
        return Refusal(True, False, "REFUSAL_EXTRA_CLAIM", "something else is claimed beside the refusal")
    if not words_of(form["x"]):
        return Refusal(True, True, "REFUSAL_GENERIC", "the refusal does not say what is absent")
    if has_all_words(form["x"], question) or (topic is not None and has_all_words(form["x"], topic)):
        return Refusal(True, True)
    return Refusal(True, True, "REFUSAL_WRONG_TOPIC", "the refusal names another topic than the one asked for")


_WRAPPING = re.compile(
    r"^[\s>*_#`\"'“”‘’]+|[\s*_`\"'“”‘’]+$|(?<=[.!?])[\"'”’]+(?=\s)|\*\*|__|`"
)  # quotation marks and markdown of a refusal


def _says_more(named: str, asked: str) -> bool:
    """Whether what a refusal names runs on into a statement or a figure, in words that were not asked for."""
    more = words_of(named) - words_of(asked)
    return bool(more) and (STATEMENT.search(named) is not None or any(FIGURE.search(word) for word in more))


_TOPICS = tuple(
    words_of(row)
    for row in (
        "maturity tenor expiry termination prepayment repayment amortisation amortization",
        "guarantor guarantee guaranty surety collateral security lien",
        "margin spread pricing",
        "fee",
        "rating",
        "insurance insurer broker",
        "law jurisdiction",
        "price",
        "revenue ebitda income",
    )
)
"""Subjects of a loan agreement of which one is never another; the words of a row are one subject."""


def names_another(answer: str, asked: str, topic: str | None, policy: Qa) -> bool:
    """Whether a refusal names one subject of the list, and question and topic another one."""
    form = _pattern(policy.refusal_form, "topic").search(_WRAPPING.sub("", " ".join(answer.split())))
    named, wanted = (words_of(text) for text in (form["x"] if form else "", f"{asked} {topic or ''}"))
    mine, true = ({n for n, row in enumerate(_TOPICS) if row & words} for words in (named, words_of(topic or asked)))
    return len(mine) == 1 and len(true) == 1 and mine != true and not _TOPICS[mine.copy().pop()] & wanted


def is_nothing(answer: str) -> bool:
    """Whether an answer is empty or says only that there is none."""
    return " ".join(re.findall(r"\w+", answer.casefold())) in NOTHING_SAID


def _is_continuation(rest: str, policy: Qa) -> bool:
    """Nothing, or the optional sentence that says where the information may be found."""
    named = _pattern(policy.refusal_continuation, "place").fullmatch(_NOT_HERE.sub("", rest)) if rest else None
    return not rest or (named is not None and not STATEMENT.search(named["x"]) and not _STATES.search(named["x"]))


_NOT_HERE = re.compile(
    r",?\s*which\s+(?:is|was|are|were|has\s+been|have\s+been)\s+(?:omitted|separate\w*|confidential|not\s+(?:attached|included|provided|filed|part)\b)[^,;.\d]*$",
    re.IGNORECASE,
)  # why the place itself cannot be looked at
_STATES = re.compile(
    r",?\s*\b(?:which|where\s+(?:it|this|the\s+\w+)\s+is|that\s+(?:sets?|puts?|states?|provides?|fixes))\b|%|\d[\d,.]*\s?(?:million|bps|per\s+cent)|[$£€]\d",
    re.IGNORECASE,
)


def _other_form(text: str, question: str, topic: str | None) -> Refusal:
    if DONT_KNOW.search(text):
        is_short = len(text.split()) <= 12 and not FIGURE.search(text)
        return Refusal(is_short or bool(NEGATIVE.search(text)), is_short, "REFUSAL_DONT_KNOW", "the answer says that it does not know")
    if not NEGATIVE.search(text) or FIGURE.search(text):
        return Refusal(False)
    if has_all_words(text, question) or (topic is not None and has_all_words(text, topic)):
        return Refusal(True, False, "REFUSAL_FORM", "the refusal names the topic but is not in the mandated form")
    return Refusal(True, False, "REFUSAL_GENERIC", "a generic disclaimer that does not say what is absent")
