"""What a sentence of an agreement or an answer says, as marks in order: its words, figures, parties, directions and limits, and how often
it denies, excepts and conditions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deterministic.lexicon.memory import kept
from deterministic.lexicon.phrases import FINITE_VERBS, FUNCTION_WORDS, OPPOSITES
from deterministic.lexicon.stems import stem
from deterministic.quotes.tokens import Token, tokenize
from judge.capabilities.figures import Figure, relation, share_of, values_in

_SPELLINGS = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"\((?:[ivx]{1,5}|[a-z]|\d)\)(?=\s)", " "),
        (r"\b(?:equal\s+to\s+or\s+(?:greater|more)\s+than|(?:greater|more)\s+than\s+or\s+equal\s+to)\b", "at least"),
        (r"\b(?:equal\s+to\s+or\s+less\s+than|less\s+than\s+or\s+equal\s+to)\b", "at most"),
        (r"≥|>=|⩾", " at least "),
        (r"≤|<=|⩽", " at most "),
        (r"[<＜]", " less than "),
        (r"[>＞]", " more than "),
        (r"\b(9\d{6})\s+or\s+(?:more|greater|above)\b", r"at least \1"),
        (r"\bissued\s+and\s+outstanding\s+", ""),
        (r"\bin\s+writing\b", "written"),
        (r"\b(?:integral|whole)\s+(?=multiples?\b)", ""),
        (r"\bin\s+excess(?:\s+thereof)?(?=\s*(?:[).;,]|$))", " "),
        (r"^\W*except\s+that\b", " "),
        (r"\bin\s+the\s+event(?:\s+that)?\b(?!\s+of)", "if"),
        (r"\bbut\s+(?=not\b)", " "),
        (r"\b(?:counted|running|calculated|reckoned)\s+from\b", "after"),
        (r"\bbeforehand\b", "prior"),
        (r"\bmay\s+not\b", "shall not"),
        (r"\bunless\b", "if not"),
        (r"(?<=\d)\s+over\s+", " in excess of "),
        (r"\bno\s+((?:[\w’']+\s+){1,12}?)(?:is|are|be)\s+(?:required|needed|necessary)\b", r"without \1"),
        (
            r"^(\W*no\s*[,.:–—-].*?)\b((?:consent|approval)\b(?:\s+of\s+[\w\s]{1,40}?)?)\s+(?:is|are)\s+(?:required|needed|necessary)\b",
            r"\1without \2",
        ),
        (r"\b(?:beginning|commencing|starting)\s+(?:on|from|with)\b|\b(?:beginning|commencing|starting|from)\s+(?=\d)", "on "),
        (r"\b(8\d{6})\s+(?:from|of|following)\b", r"\1 after"),
        (r"(?<=[\w%])\s*\+\s*(?=[\w$£€])", " plus "),
    )
)
"""What loan agreements and their readers say in two ways."""
CONDITION = re.compile(
    r"\b(?:if|so\s+long\s+as|as\s+long\s+as|to\s+the\s+extent|subject\s+to|in\s+(?:case|the\s+event)|provided)\b", re.IGNORECASE
)
_OCCASION = re.compile(r"\b(?:upon|when|where|once|after|following)\b", re.IGNORECASE)
_CARRIERS = FUNCTION_WORDS | frozenset(
    """yes no if but when where upon counted given made say says equal equals means basis namely thereafter thereof how what which whose
    currently give gives from to""".split()
)
_FIRST_PERIOD, _FIRST_FIGURE = 8_000_000, 9_000_000
_REACH, _DENIED = 8, 3  # words behind a denial in which what it denies is looked for, and marks of them that it can deny
JOINTS = (("joint", "AND"), ("joint", "OR"))
LOANS = frozenset(f"{row}:{column}" for row, _ in OPPOSITES["interest"] for column in (0, 1))
_ARTICLES = frozenset(("the", "a", "an", "such", "each"))
YES_OR_NO = re.compile(r"^\W*(?P<word>yes|no)\b(?=\s*[.,;:–—-]|\s*$)", re.IGNORECASE)
_PAY = frozenset("pay pays paid paying payment payments repay repays repaid repaying repayment".split())
_DIRECTIONS = frozenset(
    row
    for word in ("before", "above", "or more", "more", "earlier", "increase", "higher", "include", "plus", "interest")
    for row, _ in OPPOSITES[word]
)
_BOUNDS = frozenset(("MINIMUM", "MAXIMUM", "MORE", "LESS", "LATEST", "EARLIEST"))


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says: its marks in order, (kind, meaning) each, and how often it denies, excepts and conditions."""

    marks: tuple[tuple[str, str], ...]
    guards: Counter[str]
    conditions: tuple[int, int]
    denied: tuple[tuple[tuple[str, str], ...], ...] = ()
    """For each denial the marks that follow it, the nearest ones only."""

    @property
    def content(self) -> frozenset[tuple[str, str]]:
        return frozenset(mark for mark in self.marks if mark[0] not in ("limit", "verb"))


def with_equal_figures(texts: Sequence[str]) -> list[str]:
    """Texts with one number in place of all figures that are the same value in any notation."""
    classes: list[Figure] = []
    found = list(texts)
    for n, text in enumerate(texts):
        for figure in sorted(values_in(text), key=lambda one: -len(one.text)):
            number = next((i for i, other in enumerate(classes) if _is_same(figure, other)), len(classes))
            if number == len(classes):
                classes.append(figure)
            found[n] = re.sub(
                rf"(?<![\w.,]){re.escape(figure.text)}(?![\w%]|[.,]\d)",
                f" {_FIRST_PERIOD + number if figure.kind == 'period' else _FIRST_FIGURE + number} ",
                found[n],
            )
    return found


def _is_same(figure: Figure, other: Figure) -> bool:
    """One value in any notation; "0.65 to 1" is 65%."""
    if {figure.kind, other.kind} != {"ratio", "rate"}:
        return relation(figure, other) == "equal"
    return share_of(figure) == share_of(other) is not None


@kept(1024)
def read_statement(text: str) -> Statement:
    """The marks of a text; each sentence is held against each statement, so that one is asked for many times."""
    text = spelt(text)
    tokens = _bounded(tokenize(YES_OR_NO.sub("", text)))
    marks: list[tuple[str, str]] = []
    before, earlier = "", ""
    for token in tokens:
        mark = _mark(token)
        if (role := _role(token, before, earlier, marks)) is not None:
            marks.append(role)
        if token.folded not in _ARTICLES:
            before, earlier = token.folded, before
        if mark is not None and not (mark[0] == "number" and mark in marks[-2:] and marks[-1][0] != "month"):
            marks.append(mark)
    guards = Counter(t.meaning for t in tokens if t.kind == "negation" or (t.kind == "limit" and t.meaning not in _BOUNDS))
    return Statement(tuple(_dated(marks)), guards, (len(CONDITION.findall(text)), len(_OCCASION.findall(text))), _denied(tokens))


def _role(token: Token, before: str, earlier: str, marks: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Whom something goes to, for whose account it is, and whether a figure changes by an amount or to one."""
    if token.kind in ("party", "name") and (before == "to" or (before == "of" and earlier == "account")):
        return before if before == "to" else "account", token.meaning if token.kind == "party" else stem(token.folded)
    if token.kind == "number" and (before == "by" or (before == "to" and marks[-1:] and marks[-1][0] == "direction")):
        return f"change {before}", token.meaning
    return None


def _denied(tokens: Sequence[Token]) -> tuple[tuple[tuple[str, str], ...], ...]:
    found = []
    for n, token in enumerate(tokens):
        if token.kind == "negation":
            behind = [mark for mark in map(_mark, tokens[n + 1 : n + 1 + _REACH]) if mark is not None and mark[0] not in ("verb", "modal")]
            found.append(tuple(behind[:_DENIED]))
    return tuple(found)


def spelt(text: str) -> str:
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    return text


def _dated(marks: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A day of a month is one mark, whichever of the two is written first."""
    at = 0
    while at < len(marks):
        first, second = marks[at], marks[at + 1] if at + 1 < len(marks) else ("", "")
        if {first[0], second[0]} == {"month", "number"}:
            month, day = sorted((first, second))
            yield "number", f"{month[1]}/{day[1]}"
            at += 1
        else:
            yield first
        at += 1


def _bounded(tokens: Iterable[Token]) -> list[Token]:
    """ "shall not at any time exceed" is one limit, as "not exceeding" is."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "limit" and token.meaning in ("MORE", "LESS"):
            denial = next((n for n in range(len(found) - 1, -1, -1) if found[n].kind == "negation"), None)
            if denial is not None and not any(t.kind in ("limit", "number") for t in found[denial:]):
                del found[denial - (denial > 0 and found[denial - 1].kind == "modal") : denial + 1]
                token = token._replace(meaning="MAXIMUM" if token.meaning == "MORE" else "MINIMUM")
        if token.kind == "limit" and token.meaning in _BOUNDS and found and found[-1].kind == "modal":
            found.pop()
        found.append(token)
    return found


def _mark(token: Token) -> tuple[str, str] | None:
    kind, folded = token.kind, token.folded
    if kind == "number":
        return "number", re.sub(r"(?<=\d)(?:th|:1)$", "", token.meaning)
    if kind == "limit":
        return ("limit", token.meaning) if token.meaning in _BOUNDS else None
    if kind in ("party", "month", "unit", "modal"):
        return kind, token.meaning
    if folded in FINITE_VERBS:
        return "verb", ""
    if folded in _PAY:
        return "word", "pay"
    if folded == "every":
        return "joint", "each"
    if kind == "connective" or (kind == "quantifier" and folded in ("all", "both", "some", "whole", "each", "every")):
        return "joint", token.meaning
    if kind in ("negation", "currency", "quantifier", "sign") or folded in _CARRIERS or (len(folded) < 3 and kind != "name"):
        return None
    if kind == "opposite":
        return _opposite(token)
    return "word", stem(folded)


def _opposite(token: Token) -> tuple[str, str]:
    row, column, _ = token.meaning.split(":", 2)
    return "direction" if int(row) in _DIRECTIONS else "word", f"{row}:{column}"


def is_anchor(mark: tuple[str, str]) -> bool:
    return mark[0] in ("number", "party", "month", "unit", "limit", "direction")


def is_figure(mark: tuple[str, str]) -> bool:
    """An amount, rate, period or date; a lone number can be a row's or a limb's."""
    return mark[0] == "number" and ("/" in mark[1] or (mark[1].isdigit() and int(mark[1]) >= _FIRST_PERIOD))


def in_order(wanted: Sequence[tuple[str, str]], given: Iterable[tuple[str, str]]) -> bool:
    rest = iter(given)
    return all(mark in rest for mark in wanted)
