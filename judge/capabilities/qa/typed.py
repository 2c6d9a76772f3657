"""Answers that are values (real_agreements.md R3, Q&A): two typed values that both parse decide, equal or different; and which figures and
names of an answer a quote has to hold to support it."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from deterministic.lexicon.numbers import fold, parse_words
from deterministic.values import sides
from deterministic.values.remarks import NEUTRAL
from deterministic.values.words import words
from judge.capabilities.figures import RATIO, Figure, Verdict, relation, values_in
from judge.capabilities.qa.singles import COUNT, DAY_COUNT, SINGLES
from judge.capabilities.statements import agrees_in_order, names_another
from judge.capabilities.wording import GENERIC, stems

_BESIDE = NEUTRAL | frozenset(
    """shall will must would may within after before following days business
    points percentage otherwise mature matures maturing expires falls falling occurs applies apply equals equal amounts set
    threshold ratio level limit cap deadline notice answer yes there what how when who which where does do did has have had can could
    long much many equivalent any other currency currencies so then tested""".split()
)
"""Words of an answer that only carry its value; a limit among them must be the other side's too."""
_TELLING = frozenset(
    """before after following until through per day daily monthly quarterly annually annual annum arrear arrears advance drawn undrawn
    unused unutilised unutilized uncancelled available outstanding original initial initially average principal interest flat fixed floating
    committed revolving term swingline senior secured borrower borrowers company parent lender lenders agent business each every""".split()
)
"""Carriers that are another answer where another one of them is right: "5 days after", "monthly", "to the Agent"."""
_PLAIN = _BESIDE - _TELLING
_LIMITS = (
    ("at least", re.compile(r"\b(?:at\s+least|not?\s+(?:be\s+)?less\s+than|minimum(?:\s+of)?)\b|≥|>=|⩾", re.IGNORECASE)),
    (
        "at most",
        re.compile(
            r"\b(?:at\s+most|not\s+(?:to\s+)?(?:exceed(?:ing)?|(?:be\s+)?more\s+than)|no\s+more\s+than|maximum(?:\s+of)?|up\s+to|within|not?\s+later\s+than)\b|≤|<=|⩽",
            re.IGNORECASE,
        ),
    ),
    ("above", re.compile(r"\b(?:above|over|in\s+excess\s+of|more\s+than|exceed(?:s|ing)?|greater\s+than)\b|>", re.IGNORECASE)),
    ("below", re.compile(r"\b(?:below|under(?=\W+(?:[a-z]{3}\s?)?[\d$£€])|less\s+than|fewer\s+than)\b|<", re.IGNORECASE)),
    ("not", re.compile(r"\b(?:not|no|never|none|without|unless|except|excluding|other\s+than)\b", re.IGNORECASE)),
)
"""Longer wordings first: what one pattern has read is not read again."""


def compare_answers(answer: str, gold: str, question: str) -> Verdict:
    """Whether two answers state the same values. `open` where one states none, several kinds, or says more than its value."""
    answer, gold = (_spelt(text, f"{question} {gold}", other) for text, other in ((answer, gold), (gold, answer)))
    if _canonical(answer) == _canonical(gold):
        return "equal"
    if (by_words := _one_thing(answer, gold, question) or _yes_and_no(answer, gold, question)) is not None:
        return by_words
    mine, true = values_in(answer), values_in(gold)
    kinds = {figure.kind for figure in true}
    if not true or not mine or kinds != {figure.kind for figure in mine}:
        return "open"
    if _unread(ALWAYS.sub(" ", answer), mine, f"{question} {gold}") or _has_another_base(answer, gold):
        return "open"
    same = [[relation(figure, other) for other in true] for figure in mine]
    is_met = all("equal" in row for row in same) and all("equal" in column for column in zip(*same, strict=True))
    if is_met and not _unread(gold, true, f"{question} {answer}") and not _unread(answer, mine, f"{question} {gold}", _PLAIN):
        is_alike = _has_same_limits(answer, gold) and _has_asked_limit(answer, gold, question) and _is_in_order(answer, gold, mine, true)
        is_alike = is_alike and sides.turn(answer, gold) == "same"
        return "equal" if is_alike and agrees_in_order(answer, gold) and not names_another(answer, (question, gold)) else "open"
    return "different" if same == [["different"]] else "open"


def _is_in_order(answer: str, gold: str, mine: Sequence[Figure], true: Sequence[Figure]) -> bool:
    """Whether two answers with several figures of one kind have them, and the words of both, in one order, so that none is swapped."""
    if all(one.kind != other.kind or relation(one, other) == "equal" for one, other in itertools.combinations(true, 2)):
        return True
    orders = []
    for text, figures in ((answer, mine), (gold, true)):
        for figure in sorted(figures, key=lambda one: -len(one.text)):
            number = next(n for n, other in enumerate(true) if relation(figure, other) == "equal")
            text = text.replace(figure.text, f" figure{number} ", 1)
        orders.append([word for word in words(text) if word not in _PLAIN or word == "or"])
    shared = set(orders[0]) & set(orders[1])
    first, second = ([word for word, _ in itertools.groupby(word for word in order if word in shared)] for order in orders)
    return first == second and ("or" in orders[0]) == ("or" in orders[1])


_BASE = re.compile(r"(?:%|\bper\s?cent\.?)\)?\s+of\s+(?:the\s+|such\s+|its\s+)?(?P<term>[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,5})")


def _has_another_base(answer: str, gold: str) -> bool:
    """Shares of two things that are called by names: "0.50% of the Maximum Amount" for "0.50% of the Initial Borrowing Base"."""
    mine, true = (frozenset(match["term"].casefold() for match in _BASE.finditer(text)) for text in (answer, gold))
    other = stems(" ".join(mine)) - stems(gold)
    return bool(mine and true and mine != true) or (bool(mine) and "%" in gold and " of " in gold and bool(other))


ALWAYS = re.compile(
    r"\b(?:in\s+(?:all|any|each|every)\s+(?:cases?|circumstances?)|always|without\s+exception)\b", re.IGNORECASE
)  # another figure is wrong, the same one may claim too much
_THIRDS = re.compile(r"\b(one|two)[\s-]thirds?\b(?!\s+of\s+(?:one|1|a)\b)", re.IGNORECASE)
_SHORTHAND = re.compile(r"\b([A-Z]{1,8})\s?\+\s?(\d{2,4})(?![\d.,%]|\s*(?:%|bps?\b|basis|per\s?cent))")


_LEAP = re.compile(r"\b365(?:\s+days)?\s*(?:/|,?\s*\(?or)\s*366\b(?:\s+days)?(?:,?\s+as\s+the\s+case\s+may\s+be\b,?)?\)?", re.IGNORECASE)
_SIGN = re.compile(r"§+\s?(?=\d)|\bSec\.\s?(?=\d)", re.IGNORECASE)


def _spelt(text: str, known: str, other: str) -> str:
    """A text with its shorthands written out: "two thirds" is 66 2/3%, "L+175" is 175 bps where LIBOR is asked for, a bare 1.25 beside a
    ratio is one."""
    is_ratio = RATIO.search(other) and re.fullmatch(r"\W*\d{1,2}\.\d{1,3}\W*", text)
    text = f"{text.strip(' .')}x" if is_ratio else _SIGN.sub("Section ", text)
    text = _LEAP.sub("366 days", text)
    text = _THIRDS.sub(lambda match: "33 1/3%" if match[1].casefold() == "one" else "66 2/3%", text)
    return _SHORTHAND.sub(lambda match: f"{match[2]} bps" if re.search(rf"\b{match[1]}[A-Z]*\b", known) else match[0], text)


_SYNONYMS = (
    (re.compile(r"\bprior\s+to\b", re.IGNORECASE), "before"),
    (re.compile(r"\bin\s+excess\s+of\b", re.IGNORECASE), "above"),
    (re.compile(r"\bi\.e\.", re.IGNORECASE), ""),
)


def _canonical(text: str) -> tuple[str, ...]:
    """The words of an answer in order, without articles and with the usual synonyms made one, and its signs; where it counts ranks without
    what joins them."""
    for pattern, word in _SYNONYMS:
        text = pattern.sub(word, text)
    text = re.sub(r"^\s*(?:on|at)\s", "", text, flags=re.IGNORECASE)  # "When is it due?" "On the first Business Day"
    told = (word for word in words(text) if word not in ("a", "an", "the", "this", "that", "so"))
    found = [*told, *re.findall(r"[%$£€¥₹<>≤≥]", text)]
    return tuple(word for word in found if word not in ("to", "and")) if {"first", "second"} <= set(found) else tuple(found)


def _one_thing(answer: str, gold: str, question: str) -> Verdict | None:
    """Two answers that are one time of the day, day of the year or count each: equal or different. None where one of them is not, or says
    more."""
    has_values = bool(values_in(DAY_COUNT.sub(" ", answer)) or values_in(DAY_COUNT.sub(" ", gold)))
    for pattern, read in SINGLES:
        if has_values and pattern is not DAY_COUNT:
            return None
        mine, true = ({read(match) for match in pattern.finditer(text)} for text in (answer, gold))
        if mine or true:
            break
    if pattern is DAY_COUNT and mine != true and not any("360" in str(one) for one in mine | true):
        return "open"  # a year of 365 days may be one of 365 or 366
    rests = [pattern.sub(" ", text) for text in (answer, gold)]
    is_whole = not _unread(rests[0], (), f"{question} {gold}", _PLAIN) and not _unread(rests[1], (), f"{question} {answer}")
    if len(mine) != 1 or len(true) != 1 or not is_whole:
        return None
    if mine != true:
        return "different" if pattern is not COUNT or _HOW_MANY.search(question) else None
    return "equal" if _has_same_limits(*rests) else None


_HOW_MANY = re.compile(r"\b(?:how\s+(?:many|often)|number\s+of)\b", re.IGNORECASE)
_ANSWERED = re.compile(r"^\W*(yes|no)\b(?=\s*[.,;:–—-]|\s*$)", re.IGNORECASE)
_QUALIFIES = re.compile(
    r"\b(?:not|n['’]t|never|without(?!\s+(?:any\s+)?(?:prior\s+)?(?:notice|demand|premium|penalty|limit|cost|charge)\b)|unless|except|only|if|subject|provided|but|however|although|until)\b",
    re.IGNORECASE,
)


_TURNS = re.compile(
    r"\b(?:not|n['’]t|never|nor|neither|unless|except|only|if|subject|provided|but|however|although|until)\b", re.IGNORECASE
)


_ONLY_AFTER = re.compile(r"\bonly\s+(?:after|within|for|upon)\b[^.,;]{1,60}", re.IGNORECASE)


def _is_asked(text: str, question: str) -> bool:
    """Whether all figures of a text are the question's own: "only after five days" of a five-day grace period qualifies nothing."""
    figures, asked = values_in(text), values_in(question)
    return bool(figures) and all(any(relation(f, other) == "equal" for other in asked) for f in figures)


def _yes_and_no(answer: str, gold: str, question: str) -> Verdict | None:
    """A plain yes to what gold answers with no, or the other way round; None where the question or the answer qualifies or denies."""
    mine, true = _ANSWERED.match(answer), _ANSWERED.match(gold)
    if mine is None or true is None or mine[1].casefold() == true[1].casefold():
        return None
    is_no = mine[1].casefold() == "no"
    rest = _ONLY_AFTER.sub(lambda found: " " if _is_asked(found[0], question) else found[0], answer[mine.end() :])
    if _TURNS.search(question) or _QUALIFIES.search(rest):
        return None
    if re.search(r"\bwithout\b", question, re.IGNORECASE) and re.search(r"\b(?:no|with)\b" if is_no else r"\w", rest, re.IGNORECASE):
        return None  # "without consent?" "Yes, with consent" says no
    return "different"


_QUALIFIED = re.compile(
    r"\b(?:unless|(?:so|as)\s+long\s+as|may|might|could|subject\s+to|except|provided\s+that|if|approximately|generally|as\s+determined|reasonabl[ey]|discretion|only)\b",
    re.IGNORECASE,
)


def reflects_qualification(answer: str, gold: str) -> bool:
    """Whether an answer has every qualifying word of gold's answer, and the informative words of the part behind the first of them."""
    mine, true = (frozenset(m[0].casefold() for m in _QUALIFIED.finditer(text)) for text in (answer, gold))
    first = _QUALIFIED.search(gold)
    return bool(true) and mine >= true and first is not None and stems(gold[first.start() :]) <= stems(answer)


_CONDITION = re.compile(
    r"\b(?:not|nor?|none|nil|never|neither|without|unless|except|exclud\w+|other\s+than|only|if|subject\s+to|provided|but(?!\s+in\s+any\s+event)|however|although|until"
    r"|notwithstanding|extent|lesser|greater|lower|higher|earlier|later|may(?!\s+not))\b",
    re.IGNORECASE,
)


def conditions(text: str) -> Counter[str]:
    """The words of a text that deny, condition or limit what it says, and how often it has each."""
    return Counter(" ".join(found[0].casefold().split()) for found in _CONDITION.finditer(text))


def _unread(text: str, figures: Sequence[Figure], known: str, carriers: frozenset[str] = _BESIDE) -> bool:
    """Whether words are left that are neither the value's carriers nor words of the question or the other answer, in any form."""
    rest, shared = _limits(without(text, figures))[1], stems(known)
    return any(word not in carriers and not _is_number(word) and not stems(word) <= shared for word in words(rest))


def without(text: str, figures: Sequence[Figure], mark: str = " ") -> str:
    """A text with a mark in place of each of its figures."""
    for figure in figures:
        text = text.replace(figure.text, mark, 1)
    return text


def _is_number(word: str) -> bool:
    return word.isdigit() or parse_words(word) is not None


def _limits(text: str) -> tuple[frozenset[str], str]:
    """The limits of a text and the text without them; the longest wording counts ("not less than" is no "less than" and no "not")."""
    rest, found = fold(text), set()
    for name, pattern in _LIMITS:
        rest, count = pattern.subn(" ", rest)
        found |= {name} if count else set()
    return frozenset(found), rest


def _has_same_limits(answer: str, gold: str) -> bool:
    """Whether two answers limit their value alike, or one of them says nothing of it."""
    mine, true = _limits(answer)[0], _limits(gold)[0]
    return mine == true or ("not" not in mine | true and not (mine and true) and "below" not in mine)


_MOST = re.compile(r"\b(?:cap|ceiling|max\w*|most|basket|how\s+\w+\s.*?(?:may|can)|up\s+to)\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:floor|min\w*|least)\b", re.IGNORECASE)


def _has_asked_limit(answer: str, gold: str, question: str) -> bool:
    """Whether a limit that only the answer has is not the opposite of the one that is asked for: "no less than" of a cap."""
    mine, asked = _limits(answer)[0], question if not _limits(gold)[0] else ""
    return not (("at least" in mine and _MOST.search(asked)) or ("at most" in mine and _LEAST.search(asked)))


def is_wording(answer: str) -> bool:
    """Whether an answer is more than a figure or a word, so that a text that has it says the same: a figure alone stands in many places."""
    return sum(len(word) > 2 and not word.isdigit() for word in words(without(answer, values_in(answer)))) >= 2


def subject_words(question: str, answer: str) -> frozenset[str]:
    """What a question and its answer are about: their informative words, without figures and the words of every loan agreement."""
    told = " ".join(
        word
        for word in words(f"{question} {without(answer, values_in(answer))}")
        if word not in _BESIDE and word not in _ASKING and word not in GENERIC
    )
    return stems(told)


_ASKING = frozenset("what which who whom whose when where why how if point say says said state states document name named called".split())
