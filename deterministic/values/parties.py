"""Names of parties (design/values.md, row "party"): compared whole, with the spellings of a legal form made one.

Correct: equal but for case and white space. Semantic match: equal but for punctuation, diacritics, "the", "&", the spelling of the legal
form and the field's own role, or an accepted name. Everything else is the judge's. Names are looked for on token boundaries.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deterministic.lexicon.legal_forms import FOLLOWING_FORMS
from deterministic.lexicon.memory import remembered
from deterministic.values.comparison import Comparison, Surroundings, as_text, best_of, is_verbatim, raise_verbatim, shown
from deterministic.values.party_names import ends_with_form, is_proper, key_of, name_key, name_of, names_of, tokens
from deterministic.values.words import plain

if TYPE_CHECKING:
    from deterministic.documents.documents import Document


def compare(reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
    """Row "party" of design/values.md, for one name. Several in one value: `party_lists.compare_party`."""
    text = as_text(reported)
    found = raise_verbatim(_compare_one(text, as_text(gold), surroundings.labels), text, surroundings, ignore_case=True)
    if found.label != "open":
        return found
    return best_of(lambda mine, other: _compare_one(mine, as_text(other), surroundings.labels), text, as_text(gold), accepted)


def _compare_one(reported: str, gold: str, labels: tuple[str, ...]) -> Comparison:
    if reported and plain(reported) == plain(gold):
        return Comparison("correct", f"{shown(reported)} is the expected name.")
    if (key := key_of(reported, labels)) and key == key_of(gold, labels):
        return Comparison("semantic_match", f"{shown(reported)} is {shown(gold)} in another spelling.")
    return Comparison("open", f"{shown(reported)} against {shown(gold)}: no rule for names decides.")


def parts(value: Any) -> tuple[str, ...]:
    """What is looked for of each whole name; a text that describes parties or refers to one names nobody."""
    return tuple(name for text in names_of(value) if is_proper(name := name_of(text)))


def occurs(value: Any, document: Document) -> bool:
    """Does the name (of a list: each name) stand anywhere in the document, in any legal form and any usual spelling of its letters?

    Of a name without a legal form one word that tells companies apart is enough: it may be short for another one.
    """
    line = _plain_line(document.text)
    return all(_may_stand_in(name, line) for name in names_of(value))


def _may_stand_in(name: str, line: str) -> bool:
    own = [word for word in name_key(name) if not word.startswith("§")]
    if ends_with_form(name) or not is_proper(name):
        return _plain(f" {' '.join(own)} ") in line
    return any(_plain(f" {word} ") in line for word in own if len(word) > 2 and word not in _COMMON)


_COMMON = frozenset("the and group holding holdings international company bank services partners capital fund trust branch global".split())


def supports(value: Any, text: str) -> bool:
    """Does the text contain the name (of a list: every name) in an equivalent form?"""
    line = _line(text)
    return all(_stands_in(name, line, text) for name in names_of(value))


@remembered
def _line(text: str) -> str:
    """The folded words of a text; many names are looked for in one."""
    return " " + " ".join(word for word, _, _ in tokens(text)) + " "


@remembered
def _plain_line(text: str) -> str:
    return _plain(_line(text))


def _plain(line: str) -> str:
    """With the letters of which a name has one or two ("Mueller", "Müller"; "Straße") in one spelling."""
    return re.sub(r"(?<=[aou])e|(?<=a)a", "", line).replace("ss", "s")


def _stands_in(name: str, line: str, text: str) -> bool:
    """In the folded line of tokens, where no further legal form follows the name's own ("Acme Corp" is not "Acme Corp Ltd")."""
    key = name_key(name)
    if not key:
        return False
    wanted = f" {' '.join(key)} "
    has_form = key[-1].startswith("§")
    position = line.find(wanted)
    while position >= 0:
        behind = position + len(wanted)
        if not has_form or line[behind : max(behind, line.find(" ", behind))] not in FOLLOWING_FORMS:
            return True
        position = line.find(wanted, position + 1)
    return is_verbatim(name, (text,), ignore_case=True) and not has_form
