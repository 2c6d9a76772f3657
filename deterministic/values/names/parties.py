"""Names of parties (design/values.md, row "party"): compared whole, with the spellings of a legal form made one.
Correct: equal but for case and white space. Semantic match: equal but for punctuation, diacritics, "the", "&", the spelling of the legal
form and the field's own role, or an accepted name. Everything else is the judge's. Names are looked for on token boundaries."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import words_of
from deterministic.lexicon.legal_forms import FOLLOWING_FORMS, LEGAL_FORMS, LONGEST_FORMS
from deterministic.lexicon.memory import kept, remembered
from deterministic.lexicon.searching import is_found
from deterministic.values.comparison import Comparison, Surroundings, as_items, as_text, best_of, quoted, raise_verbatim
from deterministic.values.words import MARKS, fold_letters, plain, stands_in, without_list_mark, words

Token = tuple[str, int, int]
"""A folded word or the mark of a legal form, with its half-open range in the source."""

_NAME_LETTERS = r"(?:[^\W_\u0300-\u036f]++|[\u0300-\u036f]++)+"
_NAME_WORD = re.compile(rf"[&+]|{_NAME_LETTERS}(?:[.’'‘/·](?=[^\W_]){_NAME_LETTERS})*")
_INNER = re.compile(r"[.’'‘/·]")


@kept(1024)  # one name is compared with many texts, and one text searched for many names
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a name or a text, folded. Dotted and spaced single letters are one word ("N. A.", "J.P." are "na", "jp")."""
    return tuple(_mark_forms(_join_letters(list(_frame_words(text)))))


def _frame_words(text: str) -> Iterator[Token]:
    for match in _NAME_WORD.finditer(text):
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
    # "S.p.A.", "A/S" and "O'Neill" are one word; "Inc.The", "Trust/Agent" and "3.5" are not
    if len(parts) == 1 or not {".", "/"}.intersection(word) or all(len(part) <= 2 and part.isalpha() for part in parts):
        return ((fold_letters("".join(parts)), 0, len(word)),)
    starts = [sum(len(part) + 1 for part in parts[:n]) for n in range(len(parts))]
    return tuple((fold_letters(part), start, start + len(part)) for part, start in zip(parts, starts, strict=True))


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


_LINES = re.compile(r"\s*[;\n•]\s*(?:and\s+)?", re.IGNORECASE)
_JOINTS = re.compile(r"\s*,\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+", re.IGNORECASE)
LONGEST_NAME = 300  # characters; what is longer is no name with a joint behind it


def listed(value: Any) -> tuple[str, ...]:
    """The names of a list, or of a text that lists them: "A Ltd; B GmbH", "A Ltd, B GmbH and C plc". A comma, "and" or "&" parts two names
    only between a legal form and a further name that ends in one, since names hold them too; "or" names one of them, nobody knows which."""
    entries = value if isinstance(value, list | tuple) else [value]
    rows = [row for entry in entries if isinstance(entry, str) for row in as_items(_LINES.split(entry.strip()))]
    return tuple(name for row in map(without_list_mark, rows) for name in _parted(row))


@kept(1024)
def _parted(row: str) -> tuple[str, ...]:
    names, start = list[str](), 0
    for joint in _JOINTS.finditer(row):
        before = row[start : joint.start()]
        is_joint = joint.start() - start <= LONGEST_NAME and ends_with_form(before)
        if is_joint and not next((word.startswith("§") for word, *_ in tokens(row[joint.end() : joint.end() + 80])), True):
            names.append(before)
            start = joint.end()
    names.append(row[start:])
    return tuple(names) if all(map(ends_with_form, names)) else (row,)


def names_of(value: Any) -> tuple[str, ...]:
    """The names of a value; a text is several only where each of them is a whole name with its legal form."""
    found = listed(as_text(value) or value)
    if found and (isinstance(value, list | tuple) or all(map(ends_with_form, found))):
        return found
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(name for name in map(as_text, entries) if name) or ("",)


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of design/values.md, for one name. Several in one value: `compare_party`."""
    text = as_text(reported)
    found = raise_verbatim(_compare_one(text, as_text(gold), surroundings.labels), text, surroundings, ignore_case=True)
    if found.label != "open":
        return found
    return best_of(lambda mine, other: _compare_one(mine, as_text(other), surroundings.labels), text, as_text(gold), accepted)


def _compare_one(reported: str, gold: str, labels: tuple[str, ...]) -> Comparison:
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{quoted(reported)} is the expected name.")
    if (key := key_of(reported, labels)) and key == key_of(gold, labels):
        return Comparison("semantic_match", f"{quoted(reported)} is {quoted(gold)} in another spelling.")
    return Comparison("open", f"{quoted(reported)} against {quoted(gold)}: no rule for names decides.")


def parts(value: Any) -> tuple[str, ...]:
    """What is looked for of each whole name; a text that describes parties or refers to one names nobody."""
    return tuple(name for text in names_of(value) if is_proper(name := name_of(text)))


def occurs(value: Any, document: Document) -> bool:
    """Does the name (of a list: each name) stand anywhere in the document, in any legal form and any usual spelling of its letters? Of a
    name without a legal form one word that tells companies apart is enough: it may be short for another one."""
    line = document.cached("values.parties", lambda: _one_spelling(_line(document.text)))
    return all(_may_stand_in(name, line) for name in names_of(value))


def _may_stand_in(name: str, line: str) -> bool:
    """A space says nothing here: a reader of pages may join two words, or part one."""
    name = _JOINED.sub(" ", name)  # "AcmeBankN.V."
    own = [word for word in name_key(name) if not word.startswith("§")]
    if is_proper(name) and not ends_with_form(name):
        own = [word for word in own if len(word) > 2 and word not in _COMMON]
    else:
        own = ["".join(own)]
    return any(is_found(re.compile(f" {' ?'.join(map(re.escape, _one_spelling(word)))} "), line) for word in own if word)


_JOINED = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_COMMON = frozenset("the and group holding holdings international company bank services partners capital fund trust branch global".split())


def supports(value: Any, text: str) -> bool:
    """Does the text contain the name (of a list: every name) in an equivalent form?"""
    line = _line(text)
    return all(_stands_in(name, line, text) for name in names_of(value))


@remembered
def _line(text: str) -> str:
    """The folded words of a text; many names are looked for in one."""
    return " " + " ".join(word for word, _, _ in tokens(text)) + " "


def _one_spelling(line: str) -> str:
    """With the letters of which a name has one or two ("Mueller", "Müller"; "Straße") in one spelling."""
    return re.sub(r"(?<=[aou])e|(?<=a)a", "", line).replace("ss", "s")


def _stands_in(name: str, line: str, text: str) -> bool:
    """In the folded line of tokens, where no further legal form follows the name's own ("Acme Corp" is not "Acme Corp Ltd")."""
    if not (key := name_key(name)):
        return False
    wanted = f" {' '.join(key)} "
    has_form = key[-1].startswith("§")
    position = line.find(wanted)
    while position >= 0:
        behind = position + len(wanted)
        if not has_form or line[behind : max(behind, line.find(" ", behind))] not in FOLLOWING_FORMS:
            return True
        position = line.find(wanted, position + 1)
    return stands_in(name, text, ignore_case=True) and not has_form


def supports_list(value: Any, text: str) -> bool:
    """Does the text contain every name in an equivalent form?"""
    named = [name for name in listed(value) if ends_with_form(name) or is_proper(name_of(name))]
    return supports(named or list(listed(value)), text)


def compare_party(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of design/values.md. Several names in one value compare_list as a list."""
    if len(names_of(as_text(reported))) == 1 and len(names_of(as_text(gold))) == 1:
        return compare(reported, gold, accepted, surroundings)
    return best_of(lambda mine, expected: compare_list(mine, expected, accepted, surroundings), reported, gold, accepted)


def compare_list(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """The same set of names; some of them and no other: partial; a name that is none of gold's leaves the list open. An accepted name
    stands for a name of gold that nothing else met."""
    given, expected = listed(reported), listed(gold)
    keys, wanted = ({key_of(name, surroundings.labels) for name in side} for side in (given, expected))
    aliases = {key_of(name, surroundings.labels) for entry in accepted for name in listed(entry)}
    others = [name for name in given if key_of(name, surroundings.labels) not in wanted | aliases]
    missing, met = len(wanted - keys), len((keys & aliases) - wanted)
    if not given:
        return Comparison("wrong" if expected else "correct", f"Reported are none, expected {quoted(gold)}.")
    if others:
        return Comparison("open", f"{quoted(others)} may be one of {quoted(gold)} or not.")
    if met > missing:
        return Comparison("open", f"{quoted(reported)} against {quoted(gold)}: accepted names may be one party.")
    if missing > met:
        return Comparison("partial", f"{quoted(reported)} leaves out {missing - met} of {quoted(gold)}.")
    if sorted(map(plain, given)) == sorted(map(plain, expected)):
        return Comparison("correct", f"As expected: {quoted(reported)}.")
    return Comparison("semantic_match", f"{quoted(reported)}: {quoted(gold)} in another spelling.")
