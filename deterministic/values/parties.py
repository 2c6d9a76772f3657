"""Names of parties (judging.md section 2, row "party"): compared whole, with the spellings of a legal form made one.

Correct: equal but for case and white space. Semantic match: equal but for punctuation, diacritics, "the", "&" and the spelling
of the legal form, or an accepted name. Everything else is the judge's. Names are looked for on token boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.legal_forms import FIRST_WORDS, FOLLOWING_FORMS, LEGAL_FORMS, LONGEST_FORM
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, is_verbatim, raise_verbatim, shown
from deterministic.values.text import fold_letters, plain

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

_DESCRIPTION = re.compile(
    r"[,(\[]\s*(?:(?:company|registered|registration|unique\s+entity|corporate)\s+(?:no|number|registration|identity)\b|reg(?:istration)?\.?\s+no\b"
    r"|(?:the\s+)?[\"“”‘'][^\"“”]{1,60}[\"“”’']\s*[)\]]\s*$|(?:an?\s+[\w\s-]{1,60}\s)?(?:incorporated|organi[sz]ed|established|existing)\s+(?:in|under)\b"
    r"|(?:as|in\s+its\s+capacity\s+as)\s+(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,3}(?:borrower|guarantor|agent|lender|trustee|arranger)s?\s*[)\]]?\s*$"
    r"|uen\b|acn\b|abn\b|crn\b|lei\b|(?:formerly|previously)\s+(?:known\s+as|named)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""What may follow a name without being part of it: its registered number, place, former name, role or defined term."""

Token = tuple[str, int, int]
"""A folded word or the mark of a legal form, with its half-open range in the source."""

_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f]"
_WORD = re.compile(rf"&|(?:{_LETTER})+(?:[.’'‘/·](?=[^\W_])(?:{_LETTER})+)*")
_INNER = re.compile(r"[.’'‘/·]")


def tokens(text: str) -> list[Token]:
    """The words of a name or a text, folded. Dotted and spaced single letters are one word ("N. A.", "J.P." are "na", "jp")."""
    return list(_tokens(text) if len(text) <= _KEPT else _tokens.__wrapped__(text))


_KEPT = 4_000
"""Characters of a text whose words are remembered: names and quotes, never a document."""


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[Token, ...]:
    """One name is compared with many texts, and one text searched for many names."""
    return tuple(_mark_forms(_join_letters(list(_words(text)))))


def _words(text: str) -> Iterator[Token]:
    for match in _WORD.finditer(text):
        word = match[0]
        if word == "&":
            yield ("and", match.start(), match.end())
            continue
        parts = _INNER.split(word)
        if len(parts) > 1 and not _is_one_word(word, parts):
            position = match.start()
            for part in parts:
                yield (fold_letters(part), position, position + len(part))
                position += len(part) + 1
        else:
            yield (fold_letters("".join(parts)), match.start(), match.end())


def _is_one_word(word: str, parts: Sequence[str]) -> bool:
    """ "S.p.A.", "A/S" and "O'Neill" are one word; "Inc.The", "Trust/Agent" and "3.5" are not."""
    return ("." not in word and "/" not in word) or all(len(part) <= 2 and part.isalpha() for part in parts)


def _join_letters(found: list[Token]) -> list[Token]:
    joined: list[Token] = []
    for word, start, end in found:
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and joined and joined[-1][2] - joined[-1][1] <= 2 * len(joined[-1][0]) and _is_initials(joined, start):
            joined[-1] = (joined[-1][0] + word, joined[-1][1], end)
        else:
            joined.append((word, start, end))
    return joined


def _is_initials(joined: list[Token], start: int) -> bool:
    """Does the word before, itself one letter or letters just joined, stand directly before (a dot and a space between)?"""
    word, begin, end = joined[-1]
    return start - end <= 2 and len(word) <= 4 and (len(word) == 1 or end - begin > len(word))


def _mark_forms(found: list[Token]) -> list[Token]:
    marked: list[Token] = []
    index = 0
    while index < len(found):
        length = _form_length(found, index)
        if length:
            mark = LEGAL_FORMS[tuple(word for word, _, _ in found[index : index + length])]
            marked.append((mark, found[index][1], found[index + length - 1][2]))
        else:
            marked.append(found[index])
        index += length or 1
    return marked


def _form_length(found: list[Token], index: int) -> int:
    """The number of words of the longest spelling of a legal form that starts here; 0 for none."""
    if found[index][0] not in FIRST_WORDS:
        return 0
    for length in range(min(LONGEST_FORM, len(found) - index), 0, -1):
        if tuple(word for word, _, _ in found[index : index + length]) in LEGAL_FORMS:
            return length
    return 0


def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one party share; a leading "the" and a description (`_DESCRIPTION`) are not part of it."""
    key = tuple(word for word, _, _ in tokens(_DESCRIPTION.sub("", name)))
    return key[1:] if len(key) > 1 and key[0] == "the" else key


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of judging.md section 2."""
    text = as_text(reported)
    compared = _compare_one(text, as_text(gold))
    return (
        best_of(_compare_one, text, as_text(gold), accepted)
        if compared.label == "open"
        else raise_verbatim(compared, text, surroundings, ignore_case=True)
    )


def _compare_one(reported: str, gold: str) -> Comparison:
    gold = as_text(gold)
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected name.")
    if name_key(reported) and name_key(reported) == name_key(gold):
        return Comparison("semantic_match", f"{shown(reported)} is {shown(gold)} in another spelling.")
    return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for names decides.")


def occurs(value: Any, document: Document) -> bool:
    """Does the name (of a list: each name) stand anywhere in the document, in any spelling of the rule?"""
    line = document.cached(("values.parties", "line"), lambda: _line(document.text))
    return all(_stands_in(name, line, document.text) for name in names(value))


def supports(value: Any, text: str) -> bool:
    """Does the text contain the name (of a list: every name) in an equivalent form?"""
    line = _line(text)
    return all(_stands_in(name, line, text) for name in names(value))


def names(value: Any) -> tuple[str, ...]:
    """The names of a value: one, or those of a list."""
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(name for name in map(as_text, entries) if name) or ("",)


def _line(text: str) -> str:
    return " " + " ".join(word for word, _, _ in tokens(text)) + " "


def _next_token(line: str, start: int) -> str:
    return line[start : max(start, line.find(" ", start))]


def _stands_in(name: str, line: str, text: str) -> bool:
    """In the folded line of tokens, where no further legal form follows the name's own ("Acme Corp" is not "Acme Corp Ltd")."""
    key = name_key(name)
    if not key:
        return False
    wanted = f" {' '.join(key)} "
    has_form = key[-1].startswith("§")
    position = line.find(wanted)
    while position >= 0:
        if not has_form or _next_token(line, position + len(wanted)) not in FOLLOWING_FORMS:
            return True
        position = line.find(wanted, position + 1)
    return is_verbatim(name, (text,), ignore_case=True) and not has_form
