"""Spellings of legal forms (own table, design/values.md, row "party").
A row lists the spellings of one form, as words without punctuation and diacritics, the way `parties.tokens` sees them. Forms are compared,
never removed: "Acme GmbH" and "Acme GmbH & Co. KG" are two parties."""

from deterministic.lexicon.tables import rows


def _spellings() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for row in rows("legal_forms"):
        spellings = [tuple(spelling.split()) for spelling in row.split("|")]
        mark = "§" + "_".join(spellings[0])
        for spelling in spellings:
            table.setdefault(spelling, mark)
    return table


LEGAL_FORMS: dict[tuple[str, ...], str] = _spellings()
"""Words of a spelling to the mark of its form ("§limited"); the mark's first character is in no name."""

LONGEST_FORMS = {spelling[0]: len(spelling) for spelling in sorted(LEGAL_FORMS, key=len)}
"""The first words of the spellings, each with the number of words of the longest that begins with it."""

_FOLLOWING = "ltd|plc|pte ltd|pty ltd|co ltd|co|corp|inc|llc|llp|lp|gmbh|gmbh and co kg|sdn bhd|bhd".split("|")
FOLLOWING_FORMS = frozenset(LEGAL_FORMS[tuple(form.split())] for form in _FOLLOWING)
"""Forms that, standing right after a name with a form, make it another name; words such as "as" and "se" are too common for it."""
