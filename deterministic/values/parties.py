"""Names of parties (judging.md section 2, row "party"): compared whole, with the spellings of a legal form made one.

Correct: equal but for case and white space. Semantic match: equal but for punctuation, diacritics, "the", "&" and the spelling
of the legal form, or an accepted name. Everything else is the judge's. Names are looked for on token boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.legal_forms import FIRST_WORDS, FOLLOWING_FORMS, LEGAL_FORMS, LONGEST_FORM
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, is_verbatim, raise_verbatim, shown
from deterministic.values.jurisdictions import JURISDICTIONS
from deterministic.values.remarks import holds
from deterministic.values.words import contains_words, fold_letters, plain

if TYPE_CHECKING:
    from deterministic.pdf.documents import Document

_ROLE = (
    r"(?:[\w-]+\s+){0,3}(?:borrower|guarantor|agent|lender|trustee|arranger|bookrunner|company|parent|holdings|obligor|issuer|sponsor|bank"
    r"|subsidiary|shareholder|party)(?:s|ies)?"
)
_TRADE = (
    r"(?:d\s?/?\s?b\s?/?\s?a\.?|d\.b\.a\.|t/a|a/?k/?a"
    r"|(?:doing\s+business|trading|operating|carrying\s+on\s+business|(?:also\s+)?known)\s+as)"
)
_NUMBER = r"(?:(?:company|registered|registration|unique|entity|corporate|uen|acn|abn|crn|lei|reg\.?|number|no)[.\s:,]*){0,4}"
_BESIDE = re.compile(
    rf"(?P<number>{_NUMBER}(?=[\w\s./-]*\d)[A-Z0-9][\w./-]{{3,}}(?:[\s-]\d+)*)"
    rf"|(?P<role>(?:(?:together|each|collectively|in\s+its\s+capacity|acting|as|an?|the|its|and|[“\"‘'”’]|\s)+\s*)?{_ROLE}[”\"’'\s]*(?:of\s+the\s+.{{3,60}})?)"
    r"|(?P<place>(?:an?\s+[\w\s-]{1,60}\s)?(?:incorporated|organi[sz]ed|established|existing|registered)\s+(?:in|under|with)\b.*|an?\s+[\w\s&-]{1,60}(?:corporation|company|partnership|bank(?:ing)?\s+(?:association|corporation)|association|trust))"
    rf"|(?P<other>(?:formerly|previously|now|f/?k/?a)\b.*|{_TRADE}\s+\S.*|(?:and\s+)?its\s+(?:successors|permitted)\b.*|(?:the\s+)?[“\"‘'].{{1,60}}[”\"’'])",
    re.IGNORECASE | re.DOTALL,
)
"""What may stand beside a name and is no part of it: its registered number, role, place, former name or defined term."""
_LAST_BRACKET = re.compile(r"\s*[(\[](?P<inner>[^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]][\s.,;]*$")
_LAST_CLAUSE = re.compile(
    rf"(?:\s*[,;(]\s*|\s+[-–—]\s+|\s+(?=(?:acting\s+)?as\s|in\s+its\s+capacity\b|incorporated\b|{_TRADE}\s|[(“\"]))(?P<inner>[^,;]+(?:,[^,;]+)?)[\s.,;]*$",
)
_LEADING_ROLE = re.compile(rf"^(?:(?:the\s+)?{_ROLE}\s*[:=–—]\s*|the\s+{_ROLE}\s*,\s+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """A party as it is written: the name alone, what falls away beside it, and what no list knows."""

    name: str
    beside: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@lru_cache(maxsize=2048)
def read_name(text: str) -> Name:
    """A name with what stands beside it. A bracket or clause inside the name ("Acme (Asia) Pte. Ltd.") is a part of it."""
    beside: list[str] = []
    unknown: list[str] = []
    name = _LEADING_ROLE.sub("", " ".join(text.split())) or text
    for _ in range(_MOST_BESIDE):
        match = _LAST_BRACKET.search(name) or _last_clause(name)
        if match is None or not match.start():
            break
        inner = match["inner"].strip(" ,;")
        is_known = _BESIDE.fullmatch(inner) is not None or (inner.casefold() in _PLACES and _ends_with_form(name[: match.start()]))
        if not is_known and (match.re is _LAST_CLAUSE or not _ends_with_form(name[: match.start()])):
            break
        (beside if is_known else unknown).append(inner)
        name = name[: match.start()]
    return Name(name.strip(" ,;") or text, tuple(beside), tuple(unknown))


_MOST_BESIDE = 6
_PLACES = frozenset(name for entry in JURISDICTIONS.values() for name in (entry.key, *entry.names))


def _last_clause(name: str) -> re.Match[str] | None:
    """The longest last clause that is known to stand beside a name; "Acme Limited, a company incorporated in England, as borrower"."""
    found = (match for start in _CLAUSE_START.finditer(name) if (match := _LAST_CLAUSE.match(name, start.start())))
    return next((match for match in found if _is_beside(match["inner"], name[: match.start()])), None)


_CLAUSE_START = re.compile(
    rf"\s*[,;(]\s*|\s+[-–—]\s+|\s+(?=(?:acting\s+)?as\s|in\s+its\s+capacity\b|incorporated\b|{_TRADE}\s|[(“\"])", re.IGNORECASE
)


def _is_beside(inner: str, name: str) -> bool:
    inner = inner.strip(" ,;")
    return _BESIDE.fullmatch(inner) is not None or (inner.casefold() in _PLACES and _ends_with_form(name))


def _ends_with_form(name: str) -> bool:
    found = tokens(name)
    return len(found) > 1 and found[-1][0].startswith("§")


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
    """What two spellings of one party share; a leading "the" and what stands beside the name are not part of it."""
    key = tuple(word for word, _, _ in tokens(read_name(name).name))
    return key[1:] if len(key) > 1 and key[0] == "the" else key


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of judging.md section 2. Several names in one value compare as a list."""
    text, expected = as_text(reported), as_text(gold)
    if len(_several(text)) > 1 or len(_several(expected)) > 1:
        found = _lists().compare(reported, gold, accepted, surroundings)
        return Comparison("open", found.reason) if found.label == "wrong" else found
    compared = raise_verbatim(_compare_one(text, expected, surroundings), text, surroundings, ignore_case=True)
    if compared.label not in ("open", "wrong"):
        return compared

    def held_against(mine: str, other: Any) -> Comparison:
        found = compared if other == expected else _compare_one(mine, as_text(other), surroundings)
        is_other_too = found.label == "open" and compared.label == "wrong" and _are_unlike(name_key(mine), name_key(as_text(other)))
        return compared if is_other_too else found

    return best_of(held_against, text, expected, accepted)


def _lists() -> Any:
    from deterministic.values import party_lists  # late: a list is compared name by name through this module

    return party_lists


def _several(value: Any) -> tuple[str, ...]:
    """The names of a value; a text is several only where each of them is a whole name with its legal form."""
    found: tuple[str, ...] = _lists().listed(as_text(value) or value)
    is_list = isinstance(value, list | tuple) or all(_ends_with_form(read_name(name).name) or is_description(name) for name in found)
    return found if is_list and found else names(value)


def _compare_one(reported: str, gold: str, surroundings: Surroundings) -> Comparison:
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected name.")
    key = name_key(reported)
    if not key or key != name_key(gold):
        if is_another(reported, gold, surroundings.document_text):
            return Comparison("wrong", f"{shown(reported)} is another party of the document than {shown(gold)}.")
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for names decides.")
    mine = read_name(reported)
    for word in (*mine.unknown, *read_name(gold).unknown):
        if not contains_words(f"{gold} {reported}" if word not in mine.unknown else f"{gold}\n{surroundings.document_text}", word):
            return Comparison("open", f"{shown(reported)} is {shown(gold)}; nothing tells what {shown(word)} is.")
    if untrue := next((part for part in mine.beside if not _is_true(part, surroundings.document_text, gold)), None):
        return Comparison("open", f"{shown(reported)} is {shown(gold)}; {shown(untrue)} does not stand in the document.")
    return Comparison("semantic_match", f"{shown(reported)} is {shown(gold)} in another spelling.")


def _is_true(beside: str, text: str, gold: str) -> bool:
    """Whether what stands beside a name is said by the document: its numbers, and a trade name whole."""
    trade = re.match(rf"{_TRADE}\s+(?P<name>.+)", beside, re.IGNORECASE | re.DOTALL)
    named = not trade or not text or _stands_in(trade["name"], _line(text), text) or contains_words(gold, trade["name"])
    return named and holds(beside, text, gold)


_ONE_PARTY = re.compile(
    r"\b(?:formerly|previously|f/?k/?a|(?:re)?named|successor|known\s+as|(?:doing\s+business|trading|operating)\s+as|merge[rd]?)\b",
    re.IGNORECASE,
)


def is_another(reported: str, gold: str, text: str) -> bool:
    """Whether both are whole names that the document has, of which neither is the other's former or later name, short form or defined term.

    Two names with their legal forms differ by any word; of others every word that says something has to differ.
    """
    mine, theirs = name_key(reported), name_key(gold)
    have_forms = all(len(key) > 1 and key[-1].startswith("§") for key in (mine, theirs))
    if not text or mine == theirs or (have_forms and mine[:-1] == theirs[:-1]) or not (have_forms or _are_unlike(mine, theirs)):
        return False
    line = _line(text)
    if not (_stands_in(reported, line, text) and _stands_in(gold, line, text)):
        return False
    if not have_forms and any(
        re.search(rf"[“‘'\"]\s*{re.escape(read_name(name).name)}\s*[”’'\"]", text, re.IGNORECASE) for name in (reported, gold)
    ):
        return False
    return not any(_begins_in(window, key) for window in _renamings(text) for key in (mine, theirs))


def _are_unlike(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Two names of several words that share none of those that tell companies apart, nor is one the other's initials."""
    own, other = (
        [word for word in key if len(word) > 2 and not word.startswith("§") and word not in _COMMON_WORDS] for key in (mine, theirs)
    )
    initials = ["".join(word[0] for word in key if not word.startswith("§")) for key in (mine, theirs)]
    is_short = any(word in initials[1] for word in own) or any(word in initials[0] for word in other)
    is_whole = min(len(mine), len(theirs)) > 1 and bool(own) and bool(other) and not is_description(" ".join(mine))
    return is_whole and not is_short and not any(a.startswith(b) or b.startswith(a) for a in own for b in other)


@lru_cache(maxsize=4)
def _renamings(text: str) -> tuple[str, ...]:
    """The folded words behind every place that says that two names are one party; found once per document."""
    return tuple(_line(_NEXT.split(text[m.end() : m.end() + _REACH])[0]) for m in _ONE_PARTY.finditer(text))


def _begins_in(window: str, key: tuple[str, ...]) -> bool:
    """Whether a name begins among the first words behind "formerly known as": one that comes later is the next party's."""
    at = window.find(f" {' '.join(key)} ")
    return at >= 0 and window.count(" ", 0, at) < _FIRST_WORDS


_NEXT = re.compile(r"\band\b(?!\s+into\b)")
_REACH = 160  # characters behind "formerly known as"
_FIRST_WORDS = 10


def parts(value: Any) -> tuple[str, ...]:
    """What is looked for of each name: of a whole name, with its legal form, the name without the form; of another one its own words.

    A name in another legal form, or a short one ("Acme Paper Group"), stands in the document all the same. Words that describe parties
    or refer to one name nobody.
    """
    read = (read_name(text).name for text in _several(value))
    return tuple(part for name in read if not is_description(name) for part in _informative(name))


def _informative(name: str) -> tuple[str, ...]:
    own = [(word, name[start:end]) for word, start, end in tokens(name) if not word.startswith("§")]
    if not own or _ends_with_form(name):
        return (name[name.index(own[0][1]) : name.rindex(own[-1][1]) + len(own[-1][1])],) if own else ()
    return tuple(text for word, text in own if len(word) > 2 and word not in _COMMON_WORDS and word not in _PLACES)


_COMMON_WORDS = frozenset(
    "the and of group holding holdings international company bank services partners capital fund trust branch global".split()
)


_DESCRIBED = re.compile(r"(?:each|every|any|all|certain|other)\b", re.IGNORECASE)
_REFERRED = re.compile(rf"(?:the\s+)?{_ROLE}", re.IGNORECASE)


def is_description(name: str) -> bool:
    """ "each Material Subsidiary" and "the Parent" describe parties and name none."""
    is_described = _DESCRIBED.match(name) is not None or _REFERRED.fullmatch(name) is not None
    return is_described and not _ends_with_form(name)


def occurs(value: Any, document: Document) -> bool:
    """Does the name (of a list: each name) stand anywhere in the document, in any spelling of the rule?"""
    return all(_stands_in(name, _line(document.text), document.text) for name in names(value))


def supports(value: Any, text: str) -> bool:
    """Does the text contain the name (of a list: every name) in an equivalent form?"""
    line = _line(text)
    return all(_stands_in(name, line, text) for name in _several(value))


def names(value: Any) -> tuple[str, ...]:
    """The names of a value: one, or those of a list."""
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(name for name in map(as_text, entries) if name) or ("",)


def _line(text: str) -> str:
    """The folded words of a text; a document's are remembered, since many names are looked for in it."""
    return _document_line(text) if len(text) > _KEPT else _document_line.__wrapped__(text)


@lru_cache(maxsize=4)
def _document_line(text: str) -> str:
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
