"""Names of parties, read: the name alone, its words with the spellings of a legal form made one, and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from deterministic.lexicon.legal_forms import ABBREVIATIONS, LEGAL_FORMS, LONGEST_FORMS
from deterministic.lexicon.memory import kept
from deterministic.values.comparison import as_items, as_text
from deterministic.values.jurisdictions import JURISDICTIONS
from deterministic.values.words import fold_letters, words

_ROLE = (
    r"(?:[\w-]+\s+){0,3}(?:borrower|guarantor|agent|lender|trustee|arranger|bookrunner|company|parent|holdings|obligor|issuer|sponsor|bank"
    r"|subsidiary|shareholder|party)(?:s|ies)?"
)
TRADE = (
    r"(?:d\s?/?\s?b\s?/?\s?a\.?|d\.b\.a\.|t/a|a/?k/?a"
    r"|(?:doing\s+business|trading|operating|carrying\s+on\s+business|(?:also\s+)?known)\s+as)"
)
_NUMBER = r"(?:(?:company|registered|registration|unique|entity|corporate|uen|acn|abn|crn|lei|reg\.?|number|no)[.\s:,]*){0,4}"
_BESIDE = re.compile(
    rf"(?P<number>{_NUMBER}(?=[\w\s./-]*\d)[A-Z0-9][\w./-]{{3,}}(?:[\s-]\d+)*)"
    rf"|(?P<role>(?:(?:together|each|collectively|in\s+its\s+capacity|acting|as|an?|the|its|and|[“\"‘'”’]|\s)+\s*)?{_ROLE}[”\"’'\s]*(?:(?:of|for|to)\s+the\s+.{{3,60}})?)"
    r"|(?P<place>(?:an?\s+[\w\s-]{1,60}\s)?(?:incorporated|organi[sz]ed|established|existing|registered)\s+(?:in|under|with)\b.*|an?\s+[\w\s&-]{1,60}(?:corporation|company|partnership|bank(?:ing)?\s+(?:association|corporation)|association|trust))"
    rf"|(?P<other>(?:formerly|previously|now|f/?k/?a)\b.*|{TRADE}\s+\S.*|(?:and\s+)?its\s+(?:successors|permitted)\b.*|(?:the\s+)?[“\"‘'].{{1,60}}[”\"’'])",
    re.IGNORECASE | re.DOTALL,
)
"""What may stand beside a name and is no part of it: its registered number, role, place, former name or defined term."""
_LAST_BRACKET = re.compile(r"\s*[(\[](?P<inner>[^()\[\]]*(?:\([^()]*\)[^()\[\]]*)?)[)\]][\s.,;]*$")
_LAST_CLAUSE = re.compile(
    rf"(?:\s*[,;(]\s*|\s+[-–—]\s+|\s+(?=(?:acting\s+)?as\s|in\s+its\s+capacity\b|incorporated\b|{TRADE}\s|[(“\"]))(?P<inner>[^,;]+(?:,[^,;]+)?)[\s.,;]*$",
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
        is_known = _BESIDE.fullmatch(inner) is not None or (inner.casefold() in PLACES and ends_with_form(name[: match.start()]))
        if not is_known and (match.re is _LAST_CLAUSE or not ends_with_form(name[: match.start()])):
            break
        (beside if is_known else unknown).append(inner)
        name = name[: match.start()]
    return Name(name.strip(" ,;") or text, tuple(beside), tuple(unknown))


_MOST_BESIDE = 6
PLACES = frozenset(name for entry in JURISDICTIONS.values() for name in (entry.key, *entry.names))


def _last_clause(name: str) -> re.Match[str] | None:
    """The longest last clause that is known to stand beside a name; "Acme Limited, a company incorporated in England, as borrower"."""
    found = (match for start in _CLAUSE_START.finditer(name) if (match := _LAST_CLAUSE.match(name, start.start())))
    return next((match for match in found if _is_beside(match["inner"], name[: match.start()])), None)


_CLAUSE_START = re.compile(
    rf"\s*[,;(]\s*|\s+[-–—]\s+|\s+(?=(?:acting\s+)?as\s|in\s+its\s+capacity\b|incorporated\b|{TRADE}\s|[(“\"])", re.IGNORECASE
)


def _is_beside(inner: str, name: str) -> bool:
    inner = inner.strip(" ,;")
    return _BESIDE.fullmatch(inner) is not None or (inner.casefold() in PLACES and ends_with_form(name))


def ends_with_form(name: str) -> bool:
    found = tokens(name)
    return len(found) > 1 and found[-1][0].startswith("§")


Token = tuple[str, int, int]
"""A folded word or the mark of a legal form, with its half-open range in the source."""

_LETTERS = r"(?:[^\W_\u0300-\u036f]++|[\u0300-\u036f]++)+"
_WORD = re.compile(rf"&|{_LETTERS}(?:[.’'‘/·](?=[^\W_]){_LETTERS})*")
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
    if word == "&":
        return (("and", 0, 1),)
    parts = _INNER.split(word)
    if len(parts) == 1 or _is_one_word(word, parts):
        folded = fold_letters("".join(parts))
        return ((ABBREVIATIONS.get(folded, folded), 0, len(word)),)
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
def name_key(name: str) -> tuple[str, ...]:
    """What two spellings of one party share; a leading "the" and what stands beside the name are not part of it."""
    key = tuple(word for word, _, _ in tokens(read_name(name).name))
    return key[1:] if len(key) > 1 and key[0] == "the" else key


_KINDS = (
    r"new|existing|future|present|initial|original|additional|further|restricted|unrestricted|material|immaterial|significant|principal"
    r"|domestic|foreign|u\.?s\.?|wholly[\s-]owned|majority[\s-]owned|direct|indirect|operating|subsidiary|guarantor|guaranteeing|obligor"
    r"|excluded|eligible|designated|specified|relevant|required|qualifying|group|holdco|opco|credit|loan|and|or|non"
)
_DESCRIBED = re.compile(
    r"(?:each|every|any|all|certain|other|those|see|as\s+(?:set|listed|named|per))\b"
    rf"|(?:the\s+)?(?:(?:{_KINDS})[\s-]+){{0,5}}"
    r"(?:persons|entities|subsidiaries|subs|companies|affiliates|guarantors|obligors|parties)\b(?!\s*[:=–—])",
    re.IGNORECASE,
)
_REFERRED = re.compile(rf"(?:the\s+)?{_ROLE}(?:\s+of\s+the\s+[\w-]+)?", re.IGNORECASE)
_NAMED_BANK = re.compile(
    r"(?:[\w-]+\s+)*(?!(?:the|each|such|any|issuing|account|agent|hedg(?:e|ing)|fronting|swing\s?-?line|original|additional|ancillary|l/?c|lending"
    r"|paying|deposit[ao]ry|collection|operating|reference|clearing|custodian|cash|participating|confirming|overdraft|onshore|offshore|local"
    r"|foreign|existing|lead|arranging|managing|facility|security|escrow|proceeds|settlement)\s)[\w-]+\s+bank",
    re.IGNORECASE,
)
"""A bank's name ("Northgate Bank"); one of a role ("Issuing Bank", "Account Bank") names nobody."""


def is_description(name: str) -> bool:
    """ "each Material Subsidiary", "Persons on Schedule 1" and "the Parent" describe parties and name none."""
    is_reference = _REFERRED.fullmatch(name) and not ends_with_form(name) and not _NAMED_BANK.fullmatch(name)
    return bool(is_reference) or describes_class(name)


def may_be_class(name: str) -> bool:
    """Whether a text is headed by a word for a class of parties, whatever kind of them it says ("Mortgage Subsidiaries")."""
    return _HEADED.match(name) is not None and not ends_with_form(name)


_CLASS = r"subsidiar(?:y|ies)|affiliates?|guarantors?|obligors?"
_HEADED = re.compile(rf"(?:[\w-]+\s+){{0,4}}(?:{_CLASS})\b", re.IGNORECASE)
CLASS_WORDS = re.compile(rf"{_KINDS}|{_CLASS}|wholly|owned|entit(?:y|ies)|persons?", re.IGNORECASE)
"""Words of a class, which are no part of any party's name."""


def describes_class(name: str) -> bool:
    """Whether a text says which parties are meant without naming them: "each Material Subsidiary", "Persons on Sched. 4"."""
    return _DESCRIBED.match(name) is not None and not ends_with_form(name)


_REFERENCE = re.compile(r"§+|\b(?:secs?|cls?|arts?|sch(?:ed)?s?|exh?s?|apps?)\b\.?(?=\s*(?:\d|[A-Z]\b|[ivx]+\b))", re.IGNORECASE)
_REFERENCE_WORDS = {"§": "section", "s": "section", "c": "clause", "a": "article", "sch": "schedule", "e": "exhibit", "app": "appendix"}
_CARRIERS = frozenset(
    "the a an each every all any set forth out listed named specified identified described on in to of by under pursuant such as that are"
    " is which who those see per hereto thereto hereof from time".split()
)


def _reference_word(short: str) -> str:
    return _REFERENCE_WORDS.get(short[:3]) or _REFERENCE_WORDS[short[0]]


def class_key(description: str) -> tuple[str, ...]:
    """What two wordings of one class of parties share: its words in their order, in the singular, with reference words written out."""
    description = _REFERENCE.sub(lambda match: f" {_reference_word(match[0].casefold())} ", description)
    told = (ABBREVIATIONS.get(word, word) for word in words(description) if word not in _CARRIERS)
    return tuple(re.sub(r"ies$", "y", word) if word.endswith("ies") else word.removesuffix("s") for word in told)


_LINES = re.compile(r"\s*[;\n•]\s*(?:and(?:\s*/\s*or)?\s+)?", re.IGNORECASE)
_JOINTS = re.compile(r"\s*,\s*(?:and(?:\s*/\s*or)?\s+)?|\s+and(?:\s*/\s*or)?\s+|\s+or\s+", re.IGNORECASE)
LONGEST_NAME = 300  # characters; what is longer is no name with a joint behind it


def listed(value: Any) -> tuple[str, ...]:
    """The names of a list, or of a text that lists them: "A Ltd; B GmbH", "A Ltd, B GmbH and/or C plc".

    A comma or "and" parts two names only between a legal form, or a class, and a further name that ends in one, since names hold them too.
    """
    entries = value if isinstance(value, list | tuple) else [value]
    rows = [row for entry in entries if isinstance(entry, str) for row in as_items(_LINES.split(entry.strip()))]
    return tuple(name for row in rows for name in _parted(row))


@kept(1024)
def _parted(row: str) -> tuple[str, ...]:
    names, start = list[str](), 0
    for joint in _JOINTS.finditer(row):
        before = row[start : joint.start()]
        if (
            joint.start() - start <= LONGEST_NAME
            and (_has_form(before) or (_HEADED.search(before) and describes_class(before)))
            and not _leads_with_form(row[joint.end() : joint.end() + 80])
        ):
            names.append(before)
            start = joint.end()
    names.append(row[start:])
    return tuple(names) if all(_has_form(name) or is_description(name) for name in names) else (row,)


def _has_form(name: str) -> bool:
    key = name_key(name)
    return len(key) > 1 and key[-1].startswith("§") and key[0] not in ("a", "an", "as")


def _leads_with_form(text: str) -> bool:
    return next((word.startswith("§") for word, _, _ in tokens(text)), True)


def names(value: Any) -> tuple[str, ...]:
    """The names of a value: one, or those of a list."""
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(name for name in map(as_text, entries) if name) or ("",)


def names_of(value: Any) -> tuple[str, ...]:
    """The names of a value; a text is several only where each of them is a whole name with its legal form."""
    found = listed(as_text(value) or value)
    is_list = isinstance(value, list | tuple) or all(ends_with_form(read_name(name).name) or is_description(name) for name in found)
    return found if is_list and found else names(value)
