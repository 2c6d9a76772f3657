"""The provisions that a text refers to, references into statutes and other agreements left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deterministic.clauses.numerals import ATTACHMENTS, ORDINALS, attachment_label, number_key, number_text
from deterministic.lexicon.searching import find_all

_NUMBER = r"(?:\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?)*(?![\d.]*\d)|[IVX]{1,6}\.\d{1,3}(?!\d))"
_PARTS = r"(?:\s*\(\s*[A-Za-z0-9]{1,5}\s*\))*"
_ORDINAL_ATTACHMENT = re.compile(rf"\b({'|'.join(ORDINALS)})\s+(schedule|exhibit|annexure|annex|appendix)\b", re.I)

_MENTION = re.compile(
    rf"(?<![\w.])(?:(?P<clause>(?:sub-?)?clauses?|sections?|§+|paragraphs?|articles?)\s*(?P<numbers>{_NUMBER}{_PARTS}"
    rf"(?:(?:\s*\([^()\n]{{2,80}}\))?\s*(?:,\s*and|,\s*or|,|and/or|and|or|to|through|[-–—])\s*{_NUMBER}{_PARTS})*|[IVXLC]{{1,7}}\b)"
    r"|(?P<attachment>schedule|exhibit|annexure|annex|appendix|attachment)s?\s+(?P<labels>(?:[A-Z]{1,2}(?:-\d+)?|\d{1,3}(?:\.\d{1,3})?[A-Z]?|[IVX]{1,6})\b"
    r"(?:(?:,|,?\s*and|,?\s*or|\s*to)\s+(?:[A-Z](?:-\d+)?|\d{1,3}(?:\.\d{1,3})?|[IVX]{1,6})\b)*))",
    re.I,
)
_FOREIGN_AFTER = re.compile(
    r"(?:\s*\([^()\n]{1,80}\))*\s*(?:of|under|in|to)\s+(?:the\s+|that\s+|title\s+\d+\s+of\s+the\s+|any\s+)?(?:[\w.,’'&-]+\s+){0,6}?"
    r"(?:Act|Code|Laws?|Regulations?|Rules?|Directive|Ordinance|ERISA|Statute|Treaty|Constitution|Indenture|UCC|U\.C\.C|Decree|Circular|"
    r"GAAP|FATCA|CFR|C\.F\.R)\b"
)
_OTHER_AGREEMENT = re.compile(
    r"""(?:\s*\([^()\n]{1,80}\))*\s*(?:of|under|in)\s+(?:the|that|any|each|such)\s+
    (?!(?:\w+\s+){0,3}?(?:credit|facilit\w+|loan|original|existing|amended|restated|finance|term|revolving)\b)
    (?:[A-Z][\w-]+\s+){1,4}(?:Agreement|Deed|Letter|Indenture|Document)s?\b""",
    re.I | re.X,
)
"""Matches " of the Intercreditor Agreement", " of the Fee Letter"; not " of this Agreement", " of the Credit Agreement" (may be itself)."""
_FOREIGN_BEFORE = re.compile(r"(?:ERISA|Code|Act|UCC|U\.C\.C\.|CFR|C\.F\.R\.|Regulations?|Law|U\.S\.C\.?|Rule)\s*$")


def is_foreign(text: str, start: int, end: int) -> bool:
    """The reference at [start, end) is into a statute or another text ("Section 15(d) of the Exchange Act", "ERISA Section 4043")."""
    return bool(
        _FOREIGN_AFTER.match(text, end, end + 160)
        or _OTHER_AGREEMENT.match(text, end, end + 160)
        or _FOREIGN_BEFORE.search(text[max(0, start - 14) : start])
    )


def mentions(text: str) -> frozenset[str]:
    """Keys of every provision of its own that the text refers to: "5.1", "article 2", "schedule 2"; with prefixes (31.4 gives 31)."""
    found: set[str] = set()
    for match in find_all(_MENTION, text):
        if is_foreign(text, match.start(), match.end()):
            continue
        if match["clause"]:
            found.update(_mentioned_numbers(match["clause"], match["numbers"]))
        else:
            word = ATTACHMENTS[match["attachment"].casefold()]
            labels = re.findall(r"[A-Z]{1,2}-\d+|\d{1,3}(?:\.\d{1,3})?[A-Z]?|[A-Z]{1,6}", match["labels"])
            found.update(f"{word} {attachment_label(label)}" for label in labels)
    found.update(f"{ATTACHMENTS[m[2].casefold()]} {attachment_label(m[1])}" for m in find_all(_ORDINAL_ATTACHMENT, text))
    return frozenset(found)


def _mentioned_numbers(word: str, numbers: str) -> Iterator[str]:
    texts = [number_text(n) for n in re.findall(_NUMBER, re.sub(r"\([^()]*\)", " ", numbers))] or [number_text(numbers)]
    flat = [text for text in texts if text]
    if len(flat) == 2 and re.search(r"\b(?:to|through)\b|[-–—]", numbers):
        flat = list(_between(*flat))
    for text in flat:
        levels = text.split(".")
        for size in range(1, len(levels) + 1):
            yield ".".join(levels[:size])


def _between(first: str, last: str) -> Iterator[str]:
    start, stop = number_key(first), number_key(last)
    if not start or not stop or start[:-1] != stop[:-1] or not 0 <= stop[-1] - start[-1] <= 60:
        yield from (first, last)
        return
    for value in range(start[-1], stop[-1] + 1):
        yield ".".join(map(str, (*start[:-1], value)))
