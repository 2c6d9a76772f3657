"""Names of parties (judging.md section 2, row "party"): compared whole, with the spellings of a legal form made one.

Correct: equal but for case and white space. Semantic match: equal but for punctuation, diacritics, "the", "&" and the spelling
of the legal form, or an accepted name. Everything else is the judge's. Names are looked for on token boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.legal_forms import FOLLOWING_FORMS, LEGAL_FORMS
from deterministic.lexicon.memory import remembered
from deterministic.lexicon.searching import find_all
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, is_verbatim, raise_verbatim, shown
from deterministic.values.party_names import (
    CLASS_WORDS,
    PLACES,
    TRADE,
    Name,
    class_key,
    describes_class,
    ends_with_form,
    is_description,
    name_key,
    names,
    names_of,
    read_name,
    tokens,
)
from deterministic.values.remarks import holds
from deterministic.values.words import contains_words, folded_document, plain, words

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of judging.md section 2, for one name. Several in one value: `party_lists.compare_party`."""
    text, expected = as_text(reported), as_text(gold)
    compared = raise_verbatim(_compare_one(text, expected, surroundings), text, surroundings, ignore_case=True)
    if compared.label not in ("open", "wrong"):
        return compared

    def held_against(mine: str, other: Any) -> Comparison:
        found = compared if other == expected else _compare_one(mine, as_text(other), surroundings)
        is_other_too = found.label == "open" and compared.label == "wrong" and _are_unlike(name_key(mine), name_key(as_text(other)))
        return compared if is_other_too else found

    return best_of(held_against, text, expected, accepted)


def _compare_one(reported: str, gold: str, surroundings: Surroundings) -> Comparison:
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected name.")
    key = name_key(reported)
    if not key or key != name_key(gold):
        if _is_term_of(reported, gold, surroundings.document_text) or _has_particulars(reported, gold, surroundings.document_text):
            return Comparison("semantic_match", f"{shown(reported)} is what the document has for {shown(gold)}.")
        is_class = is_description(reported) and is_description(gold) and (describes_class(reported) or describes_class(gold))
        if is_class and class_key(reported) == class_key(gold):
            return Comparison("semantic_match", f"{shown(reported)} describes the parties as {shown(gold)} does.")
        if is_another(reported, gold, surroundings.document_text):
            return Comparison("wrong", f"{shown(reported)} is another party of the document than {shown(gold)}.")
        return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for names decides.")
    mine = read_name(reported)
    for word in (*mine.unknown, *read_name(gold).unknown):
        if not contains_words(f"{gold} {reported}" if word not in mine.unknown else f"{gold}\n{surroundings.document_text}", word):
            return Comparison("open", f"{shown(reported)} is {shown(gold)}; nothing tells what {shown(word)} is.")
    if untrue := next((part for part in mine.beside if not _is_true(part, surroundings.document_text, gold)), None) or (
        _other_place(mine, surroundings.document_text)
    ):
        return Comparison("open", f"{shown(reported)} is {shown(gold)}; {shown(untrue)} does not stand in the document.")
    return Comparison("semantic_match", f"{shown(reported)} is {shown(gold)} in another spelling.")


def _is_term_of(reported: str, gold: str, text: str) -> bool:
    """Whether the document defines a short name ("“MSBNA” means Morgan Stanley Bank, N.A.") as the expected party's."""
    term, wanted = re.escape(reported.strip(' "“”')), f" {' '.join(name_key(gold))} "
    if not text or is_description(reported) or " " in reported.strip():
        return False
    for match in islice(find_all(re.compile(rf"[“\"]{term}[”\"]"), text), 40):
        means = _MEANS.match(text, match.end())
        if means is not None and _line(_NEXT_ENTRY.split(text[means.end() : means.end() + 200])[0]).startswith(wanted):
            return True
        before = _NEXT_ENTRY.split(text[max(0, match.start() - 120) : match.start()])[-1]
        if _OPENING.search(before) is not None and wanted in _line(before):
            return True
    return False


_MEANS = re.compile(r"\s+(?:shall\s+)?(?:means?|is)\s+")
_OPENING = re.compile(r"\((?:the\s+|together\s[^()]*)?$")
_NEXT_ENTRY = re.compile(r"[;:]")


def _has_particulars(reported: str, gold: str, text: str) -> bool:
    """Whether a name is followed by what follows it in the document too: where it is organised, its address, in the document's order."""
    mine, name = words(reported), words(gold)
    rest = [word for word in mine[len(name) :] if word not in _LINKS]
    if not text or not rest or mine[: len(name)] != name or not ends_with_form(gold):
        return False
    windows = _behind(name, text, 40 * len(rest), most=20)
    return any([word for word in words(window) if word not in _LINKS][: len(rest)] == rest for window in windows)


def _behind(name: Sequence[str], text: str, length: int, most: int) -> Iterator[str]:
    """What stands behind a name, folded, at its first places in a document."""
    pattern = r"\W+".join(map(re.escape, name))
    folded = folded_document(text)
    for match in islice(find_all(re.compile(rf"\b{pattern}\b"), folded), most):
        yield folded[match.end() : match.end() + length]


_LINKS = frozenset("a an the of at with in and having its is organized organised under laws".split())


def _other_place(mine: Name, text: str) -> str:
    """The jurisdiction beside a reported name, where the document gives the name another one and never this one; "" elsewhere."""
    told = {place: part for part in mine.beside for place in PLACES if contains_words(part, place)}
    if not told or not text:
        return ""
    behind = _behind(words(mine.name), text, _NEAR_NAME, most=40)
    given = [window[: match.end() + 50] for window in behind if (match := _AS_ORGANISED.match(window))]
    if not given or any(contains_words(window, place) for window in given for place in told):
        return ""
    return next(iter(told.values()))


_NEAR_NAME = 200  # characters behind a name
_AS_ORGANISED = re.compile(
    r"[\s,.(]*(?:an?|organi[sz]ed|incorporated)\s[^.;]{0,60}\b(?:corporation|company|partnership|association|trust|laws)\b", re.IGNORECASE
)


def _is_true(beside: str, text: str, gold: str) -> bool:
    """Whether what stands beside a name is said by the document: its numbers, and a trade name whole."""
    trade = re.match(rf"{TRADE}\s+(?P<name>.+)", beside, re.IGNORECASE | re.DOTALL)
    named = not trade or not text or _stands_in(trade["name"], _line(text), text) or contains_words(gold, trade["name"])
    return named and holds(beside, text, gold)


_ONE_PARTY = re.compile(
    r"\b(?=[cdfkmnoprst][/aeknopru])(?:convert\w*\s+(?:from|into|to)\s+an?\s+(?:[\w-]+\s+){0,3}(?:corporation|company|partnership)"
    r"|formerly|previously|f/?k/?a|(?:re)?named|successor|known\s+as|(?:doing\s+business|trading|operating)\s+as|merge[rd]?)\b",
    re.IGNORECASE,
)


def is_another(reported: str, gold: str, text: str) -> bool:
    """Whether both are whole names that the document has, of which neither is the other's former or later name, short form or defined term.

    Two names with their legal forms differ by any word, or by a form that no other form of the name can stand for ("LLC" beside "Inc.");
    a bank's name and a company's by a word of each; of others every word that says something has to differ.
    """
    mine, theirs = name_key(reported), name_key(gold)
    have_forms = all(len(key) > 1 and key[-1].startswith("§") for key in (mine, theirs))
    are_other = have_forms or _are_bank_and_company(mine, theirs) or _are_unlike(mine, theirs)
    families = {_FAMILY.get(key[-1]) for key in (mine, theirs)} if have_forms and mine[:-1] == theirs[:-1] else {0, 1}
    if not text or mine == theirs or None in families or len(families) == 1 or not are_other:
        return False
    line = _line(text)
    if not (_stands_in(reported, line, text) and _stands_in(gold, line, text)):
        return False
    if not have_forms and any(
        re.search(rf"[“‘'\"]\s*{re.escape(read_name(name).name)}\s*[”’'\"]", text, re.IGNORECASE) for name in (reported, gold)
    ):
        return False
    return not any(_begins_in(window, key) for window in _renamings(text) for key in (mine, theirs))


def _are_bank_and_company(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """ "The Acme Bank", which needs no legal form, beside "Acme (Texas), Inc.", which has a word of its own."""
    bank, company = (mine, theirs) if "bank" in mine else (theirs, mine)
    own = [{word for word in key if not word.startswith("§")} for key in (bank, company)]
    is_bank = bool(own[0] & own[1]) and {"bank"} <= own[0] - own[1] <= {"bank", "of", "the"}
    return is_bank and company[-1].startswith("§") and bool(own[1] - own[0])


def _are_unlike(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Two names of several words that share none of those that tell companies apart, nor is one the other's initials."""
    own, other = (
        [word for word in key if len(word) > 2 and not word.startswith("§") and word not in _COMMON_WORDS] for key in (mine, theirs)
    )
    initials = ["".join(word[0] for word in key if not word.startswith("§")) for key in (mine, theirs)]
    is_short = any(word in initials[1] for word in own) or any(word in initials[0] for word in other)
    is_whole = min(len(mine), len(theirs)) > 1 and bool(own) and bool(other) and not is_description(" ".join(mine))
    return is_whole and not is_short and not any(a.startswith(b) or b.startswith(a) for a in own for b in other)


@remembered
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
    or refer to one name nobody, and of other words only those can be invented that read as proper names.
    """
    read = (read_name(text).name for text in names_of(value))
    return tuple(part for name in read if not is_description(name) for part in _informative(name))


def _informative(name: str) -> tuple[str, ...]:
    own = [(word, name[start:end]) for word, start, end in tokens(name) if not word.startswith("§")]
    if not own or ends_with_form(name):
        if not own:
            return ()
        start, end = name.index(own[0][1]), name.rindex(own[-1][1]) + len(own[-1][1])
        return (name[start : end + (name[end : end + 1] == ")")],)
    told = ((word, text) for word, text in own if len(word) > 2 and not text[0].islower() and not CLASS_WORDS.fullmatch(word))
    return tuple(text for word, text in told if word not in _COMMON_WORDS and word not in PLACES)


_FAMILIES = (("inc", "corp", "plc", "gmbh", "ag"), ("llc",), ("lp", "llp", "lllp", "kg", "gmbh and co kg"))
_FAMILY = {LEGAL_FORMS[tuple(form.split())]: number for number, forms in enumerate(_FAMILIES) for form in forms}
"""Companies by shares, limited liability companies, partnerships: one party's name can have several forms of one family, not of two."""
_COMMON_WORDS = frozenset(
    "the and of group holding holdings international company bank services partners capital fund trust branch global".split()
)


def occurs(value: Any, document: Document) -> bool:
    """Does the name (of a list: each name) stand anywhere in the document, in any spelling of the rule?"""
    return all(_stands_in(name, _line(document.text), document.text) for name in names(value))


def supports(value: Any, text: str) -> bool:
    """Does the text contain the name (of a list: every name) in an equivalent form?"""
    line = _line(text)
    return all(_stands_in(name, line, text) for name in names_of(value))


@remembered
def _line(text: str) -> str:
    """The folded words of a text; many names are looked for in one."""
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
