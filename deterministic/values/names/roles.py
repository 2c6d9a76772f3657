"""In which role a text names a party: a quote that names it only as Security Agent does not show who the Facility Agent is."""

import re
from collections.abc import Sequence

from deterministic.lexicon.legal_forms import FOLLOWING_FORMS
from deterministic.lexicon.memory import kept
from deterministic.lexicon.tables import rows
from deterministic.values.names.parties import Token, name_key, tokens

_ROLES = [tuple(cell.strip() for cell in row.split("|")) for row in rows("roles")]
_WORDINGS = {tuple(wording.split()): (role, field) for role, field, wordings in _ROLES for wording in wordings.split(", ")}
_LONGEST = max(map(len, _WORDINGS))
_FIRST = frozenset(words[0] for words in _WORDINGS)
_AFTER, _BEFORE = 45, 6  # tokens of the text that can belong to a name: after it, and directly before it
_LINKS = frozenset(("means", "is", "being", "namely", "initially"))  # may stand between a role and the name that fills it
_INTRODUCED = re.compile(r"(?:\bas|\bthe|\ban?|[“\"'‘(,/&]|\band)[\s“\"'‘(]*(?:an?\s+|the\s+)?[“\"'‘(]*$", re.IGNORECASE)
_FOR_SOMEONE = re.compile(r"\b(?:of|for|to|by|between|with|from)\s+(?:(?:the|each|other|its|all)\s+)*$", re.IGNORECASE)
_OTHERS = (
    r"\b(?i:(?:the|each|certain|several)\s+(?:several\s+|other\s+)*(?:\w+\s+)?(?:lender|bank|financial\s+institution)s?,?"
    r"\s+(?:from\s+time|part(?:y|ies)|named|listed|signator))"
)
_BREAK = re.compile(rf";|\n\s*\(?\d+\)|\.\s*\n\s*\n|\band\b\s*\n?\s*\(\d+\)|{_OTHERS}")
"""Where another party's entry begins: behind a mark, or with "the Lenders party hereto"."""


def roles_of(text: str, name: str) -> frozenset[str]:
    """The roles in which the text names the party: "as ...", "(the “...”)", "“...” means ...", "...: name". Empty: none is said."""
    found, key = tokens(text), list(name_key(name))
    words, first = [word for word, _, _ in found], next(iter(key), None)
    spots = [index for index, word in enumerate(words) if word == first and words[index : index + len(key)] == key]
    roles: set[str] = set()
    for spot in spots:
        roles |= _roles_after(text, found, spot + len(key)) or _roles_before(text, found, spot)
    return frozenset(roles)


@kept(512)  # one sentence names the party in many cases
def is_only_other_role(text: str, name: str, field: str) -> bool:
    """Does the text name the party in roles, none of which is the field's (borrower, guarantors, facility_agent)? False where no role is
    said, and for fields that are no role."""
    own = {role for role, filled, _ in _ROLES if filled == field}
    roles = roles_of(text, name) if own else frozenset()
    return bool(roles) and own.isdisjoint(roles)


def _roles_after(text: str, found: Sequence[Token], start: int) -> set[str]:
    """Roles that follow the name before the entry ends, each introduced by "as", "the", a quotation mark or a bracket."""
    if start >= len(found):
        return set()
    begin = found[start - 1][2]
    stop = _BREAK.search(text, begin)
    limit = stop.start() if stop else len(text)
    following = [token for token in found[start : start + _AFTER] if token[1] < limit]
    ends = (index for index, token in enumerate(following) if token[0] in _ENDS and _ends_a_name(text, token))
    window = following[: next(ends, len(following))]
    return {role for index, role, _ in _wordings(window) if _is_introduced(text, window, index, begin)}


_ENDS = FOLLOWING_FORMS - {"§company"}


def _ends_a_name(text: str, token: Token) -> bool:
    """Is the legal form in capitals, so that another party's name ends here ("a limited liability company" is none)?"""
    return text[token[1]].isupper() or token[0] == "§public_limited_company"


def _roles_before(text: str, found: Sequence[Token], spot: int) -> set[str]:
    """A role directly before the name: "the Security Agent, NAME", "“Agent” means NAME", "Borrower: NAME"."""
    window = list(found[max(0, spot - _BEFORE) : spot])
    while window and window[-1][0] in _LINKS:
        window.pop()
    if not (named := _wordings(window)) or _BREAK.search(text, window[-1][2], found[spot][1]):
        return set()
    index, role, length = named[-1]
    return {role} if index + length == len(window) else set()


def _wordings(window: Sequence[Token]) -> list[tuple[int, str, int]]:
    """Roles in a run of tokens, with the index of their first word and their length; "security agent" is not read as "agent" again."""
    named: list[tuple[int, str, int]] = []
    reached = 0
    for index in [index for index, (word, _, _) in enumerate(window) if word in _FIRST]:
        phrase = tuple(word for word, _, _ in window[index : index + _LONGEST])
        length = next((n for n in range(len(phrase), 0, -1) if phrase[:n] in _WORDINGS), 0) if index >= reached else 0
        if length:
            named.append((index, _WORDINGS[phrase[:length]][0], length))
            reached = index + length
    return named


def _is_introduced(text: str, window: Sequence[Token], index: int, begin: int) -> bool:
    """Is the wording the party's role, and not someone's for whom it acts ("as agent of the Lenders")?"""
    before = text[max(begin, window[index][1] - 40) : window[index][1]]
    return bool(_INTRODUCED.search(before)) and not _FOR_SOMEONE.search(before)
