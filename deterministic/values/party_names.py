"""Names of parties, read: their words, with the spellings of a legal form made one, and the lists that they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from deterministic.lexicon.guarded import words_of
from deterministic.lexicon.legal_forms import LEGAL_FORMS, LONGEST_FORMS
from deterministic.lexicon.memory import kept
from deterministic.values.comparison import as_items, as_text
from deterministic.values.frames import MARKS, without_list_mark
from deterministic.values.words import fold_letters, words

Token = tuple[str, int, int]
"""A folded word or the mark of a legal form, with its half-open range in the source."""

_LETTERS = r"(?:[^\W_\u0300-\u036f]++|[\u0300-\u036f]++)+"
_WORD = re.compile(rf"[&+]|{_LETTERS}(?:[.’'‘/·](?=[^\W_]){_LETTERS})*")
_INNER = re.compile(r"[.’'‘/·]")


@kept(1024)  # one name is compared with many texts, and one text searched for many names
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a name or a text, folded. Dotted and spaced single letters are one word ("N. A.", "J.P." are "na", "jp")."""
    return tuple(_mark_forms(_join_letters(list(_words(text)))))


def _words(text: str) -> Iterator[Token]:
    for match in _WORD.finditer(text):
        start, end = match.span()
        pieces = _pieces(match[0])
        if len(pieces) == 1:
            yield pieces[0][0], start, end
        else:
            yield from ((word, start + low, start + high) for word, low, high in pieces)


@lru_cache(maxsize=8192)
def _pieces(word: str) -> tuple[Token, ...]:
    """The words that one written word is, folded."""
    if word in "&+":
        return (("and" if word == "&" else word, 0, 1),)
    parts = _INNER.split(word)
    if len(parts) == 1 or _is_one_word(word, parts):
        folded = fold_letters("".join(parts))
        return ((folded, 0, len(word)),)
    starts = [sum(len(part) + 1 for part in parts[:n]) for n in range(len(parts))]
    return tuple((fold_letters(part), start, start + len(part)) for part, start in zip(parts, starts, strict=True))


def _is_one_word(word: str, parts: Sequence[str]) -> bool:
    """ "S.p.A.", "A/S" and "O'Neill" are one word; "Inc.The", "Trust/Agent" and "3.5" are not."""
    return ("." not in word and "/" not in word) or all(len(part) <= 2 and part.isalpha() for part in parts)


def _join_letters(found: list[Token]) -> list[Token]:
    joined: list[Token] = []
    for token in found:
        word, start, end = token
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and joined and joined[-1][2] - joined[-1][1] <= 2 * len(joined[-1][0]) and _is_initials(joined, start):
            joined[-1] = (joined[-1][0] + word, joined[-1][1], end)
        else:
            joined.append(token)
    return joined


def _is_initials(joined: list[Token], start: int) -> bool:
    """Does the word before, itself one letter or letters just joined, stand directly before (a dot and a space between)?"""
    word, begin, end = joined[-1]
    return start - end <= 2 and len(word) <= 4 and (len(word) == 1 or end - begin > len(word))


def _mark_forms(found: list[Token]) -> list[Token]:
    marked: list[Token] = []
    reached = 0
    for index in [index for index, (word, _, _) in enumerate(found) if word in LONGEST_FORMS]:
        if index >= reached and (length := _form_length(found, index)):
            mark = LEGAL_FORMS[tuple(word for word, _, _ in found[index : index + length])]
            marked += *found[reached:index], (mark, found[index][1], found[index + length - 1][2])
            reached = index + length
    return marked + found[reached:]


def _form_length(found: list[Token], index: int) -> int:
    """The number of words of the longest spelling of a legal form that starts here; 0 for none."""
    spelling = tuple(word for word, _, _ in found[index : index + LONGEST_FORMS[found[index][0]]])
    return next((length for length in range(len(spelling), 0, -1) if spelling[:length] in LEGAL_FORMS), 0)


@kept(2048)
def key_of(text: str, labels: tuple[str, ...] = ()) -> tuple[str, ...]:
    """All words of a party's text but the field's own role beside it: two texts with one key name one party and say no more."""
    text = without_list_mark(" ".join(text.split()))
    key = ["as" if text[start:end] == "as" else word for word, start, end in tokens(text)]
    roles = [(*before, *words(label)) for label in labels for before in _BEFORE_ROLE]
    for role in sorted(roles, key=len, reverse=True):
        at = next((n for n in (0, len(key) - len(role)) if n >= 0 and tuple(key[n : n + len(role)]) == role), None)
        if at is not None and len(role) < len(key):
            key = key[:at] + key[at + len(role) :]
            break
    marks = (mark for mark in text if mark in MARKS and mark != "+")  # a plus can be a part of a name, and is a word of it
    return (*(key[1:] if len(key) > 1 and key[0] == "the" else key), *marks)


_BEFORE_ROLE = ((), ("as",), ("the",), ("as", "the"))


@kept(2048)
def name_of(text: str) -> str:
    """The name alone: to the end of the first legal form behind which the text ends or says more ("Acme (Asia) Pte. Ltd., as Borrower")."""
    text = without_list_mark(" ".join(text.split()))
    found = [token for token in tokens(text) if text[token[1] : token[2]] != "as"]
    followed = zip(found, [*found[1:], ("", 0, 0)], strict=False)
    ends = (here[2] for here, behind in followed if here[0].startswith("§") and not behind[0].startswith("§"))
    return text[: next((end for end in ends if _MORE.match(text, end)), len(text))].strip(" ,;")


_MORE = re.compile(r"[.)]*\s*(?:$|[,;(“\"–—\[-]|as\b|acting\b|in\b|incorporated\b|formerly\b|being\b|\d)", re.IGNORECASE)


@kept(2048)
def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one party share; a leading "the" and what stands beside the name are not part of it."""
    key = tuple(word for word, _, _ in tokens(name_of(name)))
    return key[1:] if len(key) > 1 and key[0] == "the" else key


def ends_with_form(name: str) -> bool:
    """Whether a text is a whole name: words and a legal form behind them; "Wales (the Company)" ends with a role."""
    key = name_key(name)
    return len(key) > 1 and key[-1].startswith("§") and key[-2] != "the"


_NO_NAME = (
    frozenset(
        words(
            "subsidiary subsidiaries affiliate affiliates entity entities person persons companies each any all every certain those other "
            "former formerly previously parent being acting incorporated"
        )
    )
    | words_of("party", "negation", "exception", "condition", "time")
) - {"bank", "holdings"}
"""Words of roles, classes and relations: a text with one of them describes parties, and names none."""
_PARTICLES = frozenset(words("and of the de la le les du des d l della di da do dos e y et und u von van der den det het for in no i"))


def is_proper(name: str) -> bool:
    """Whether the whole text reads as a name: two words or more in capitals (a legal form is one), no other small words than the particles
    of names, and none that tells a role, a class or a relation ("formerly", "other than")."""
    told = [(word, name[start:end]) for word, start, end in tokens(name)]
    told = told[1:] if told[:1] and told[0][0] == "the" else told  # "The Company" is nobody's name
    named = [word for word, source in told if word.startswith("§") or not source.islower() or source[0].isdigit()]
    return len(named) > 1 and all((word in named or word in _PARTICLES) and word not in _NO_NAME for word, _ in told)


_LINES = re.compile(r"\s*[;\n•]\s*(?:and(?:\s*/\s*or)?\s+)?", re.IGNORECASE)
_JOINTS = re.compile(r"\s*,\s*(?:and(?:\s*/\s*or)?\s+)?|\s+and(?:\s*/\s*or)?\s+|\s+or\s+", re.IGNORECASE)
LONGEST_NAME = 300  # characters; what is longer is no name with a joint behind it


def listed(value: Any) -> tuple[str, ...]:
    """The names of a list, or of a text that lists them: "A Ltd; B GmbH", "A Ltd, B GmbH and/or C plc".

    A comma or "and" parts two names only between a legal form and a further name that ends in one, since names hold them too.
    """
    entries = value if isinstance(value, list | tuple) else [value]
    rows = [row for entry in entries if isinstance(entry, str) for row in as_items(_LINES.split(entry.strip()))]
    return tuple(name for row in map(without_list_mark, rows) for name in _parted(row))


@kept(1024)
def _parted(row: str) -> tuple[str, ...]:
    names, start = list[str](), 0
    for joint in _JOINTS.finditer(row):
        before = row[start : joint.start()]
        is_joint = joint.start() - start <= LONGEST_NAME and ends_with_form(before)
        if is_joint and not _leads_with_form(row[joint.end() : joint.end() + 80]):
            names.append(before)
            start = joint.end()
    names.append(row[start:])
    return tuple(names) if all(map(ends_with_form, names)) else (row,)


def _leads_with_form(text: str) -> bool:
    return next((word.startswith("§") for word, _, _ in tokens(text)), True)


def names_of(value: Any) -> tuple[str, ...]:
    """The names of a value; a text is several only where each of them is a whole name with its legal form."""
    found = listed(as_text(value) or value)
    if found and (isinstance(value, list | tuple) or all(map(ends_with_form, found))):
        return found
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(name for name in map(as_text, entries) if name) or ("",)
