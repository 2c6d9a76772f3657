"""Refusals: the mandated form of the standard (4.2), and what is wrong with any other (design/answers.md)."""

import re
from dataclasses import dataclass
from functools import lru_cache

from deterministic.lexicon.stems import singular
from deterministic.lexicon.tables import lists, patterns
from rubrics.contract_sections import Qa

STOP_WORDS = frozenset(dict(lists("words"))["of a question"])
DONT_KNOW, NEGATIVE, _STATING = (re.compile(form, re.IGNORECASE) for form in patterns("refusal_forms").values())
FIGURE = re.compile(r"\d")
NOTHING_SAID = frozenset({"", "n a", "na", "none", "null", "nil"})
LONGEST_LEAD = 6  # words before the mandated form that are courtesy ("Based on my review of it,") and no statement


@dataclass(frozen=True, slots=True)
class Refusal:
    """What kind of refusal a text is. code "": grounded; is_pure: it refuses and says nothing else; is_open: only a judge can tell whether
    it names what was asked for and nothing more."""

    is_refusal: bool
    is_pure: bool = False
    code: str = ""
    reason: str = ""
    is_open: bool = False


def words_of(text: str) -> frozenset[str]:
    """The content words of a text, folded for case and plural."""
    found = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(singular(w) for w in found if w not in STOP_WORDS)


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
    """Reads an answer as a refusal, if it is one; the first fault that fits of design/answers.md gives the code."""
    text = _WRAPPING.sub("", " ".join(answer.split()))
    if (form := _pattern(policy.refusal_form, "topic").search(text)) is None:
        return _other_form(text, question, topic)
    before, after = text[: form.start()].strip(), text[form.end() :].strip(" .")
    if DONT_KNOW.search(f"{before} {after}"):
        return Refusal(True, False, "REFUSAL_DONT_KNOW", "the answer says that it does not know")
    if before and not re.search(r"[.!?;:]$", before):
        is_courtesy = len(before.split()) <= LONGEST_LEAD and not FIGURE.search(before)
        return Refusal(True, is_courtesy, "REFUSAL_FORM", "the refusal is not in the mandated form")
    if before or (after and _place_of(after, policy) is None):
        return Refusal(True, False, "REFUSAL_EXTRA_CLAIM", "something else is claimed beside the refusal")
    named, asked = words_of(form["x"]), words_of(f"{question} {topic or ''}")
    if not named:
        return Refusal(True, True, "REFUSAL_GENERIC", "the refusal does not say what is absent")
    place = _place_of(after, policy) or ""
    if FIGURE.search(place) or _STATING.search(place) or _MORE.search(place):
        return Refusal(True, False, "REFUSAL_EXTRA_CLAIM", "the refusal says more of where it may be found", is_open=True)
    if not (has_all_words(form["x"], question) or (topic is not None and has_all_words(form["x"], topic))):
        is_told = FIGURE.search(form["x"]) is not None and not named <= asked
        return Refusal(True, not is_told, "REFUSAL_WRONG_TOPIC", "the refusal names another topic than the one asked for", is_open=True)
    if not named <= asked or not _statements(form["x"]) <= _statements(f"{question} {topic or ''}"):
        return Refusal(True, False, "REFUSAL_EXTRA_CLAIM", "the refusal says more than what was asked for", is_open=True)
    return Refusal(True, True)


def _statements(text: str) -> set[str]:
    """The marks, signs and words by which a topic states something ("the rating, which is A-"); no verb at its end ("how long it is")."""
    return {found.casefold() for found in _STATING.findall(text)}


def topic_of(answer: str, policy: Qa) -> str:
    """What a refusal in the mandated form says is absent; "" for any other text."""
    form = _pattern(policy.refusal_form, "topic").search(" ".join(answer.split()))
    return form["x"] if form is not None else ""


_MORE = re.compile(r"[.!?](?=\W)|[\u202d\u202e]")  # a further sentence, or letters in another order than their own
_WRAPPING = re.compile(
    r"^[\s>*_#`\"'“”‘’]+|[\s*_`\"'“”‘’]+$|(?<=[.!?])[\"'”’]+(?=\s)|\*\*|__|`"
)  # quotation marks and markdown of a refusal


def is_nothing(answer: str) -> bool:
    """Whether an answer is empty or says only that there is none."""
    return " ".join(re.findall(r"\w+", answer.casefold())) in NOTHING_SAID


def _place_of(rest: str, policy: Qa) -> str | None:
    """Where the optional sentence says that the information may be found; None where what follows is not that sentence."""
    found = _pattern(policy.refusal_continuation, "place").fullmatch(rest) if rest else None
    return found["x"] if found is not None else None


def _other_form(text: str, question: str, topic: str | None) -> Refusal:
    if DONT_KNOW.search(text):
        is_whole = DONT_KNOW.fullmatch(text.strip(" .")) is not None
        return Refusal(is_whole or bool(NEGATIVE.search(text)), is_whole, "REFUSAL_DONT_KNOW", "the answer says that it does not know")
    if not NEGATIVE.search(text) or FIGURE.search(text):
        return Refusal(False)
    if has_all_words(text, question) or (topic is not None and has_all_words(text, topic)):
        return Refusal(True, False, "REFUSAL_FORM", "the refusal names the topic but is not in the mandated form")
    return Refusal(True, False, "REFUSAL_GENERIC", "a generic disclaimer that does not say what is absent")
