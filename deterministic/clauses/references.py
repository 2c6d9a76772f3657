"""References to provisions: how people write them ("paragraph (a) of Clause 5.1"), and which ones a text makes.

Rules: judging.md section 1.3; spellings: domain.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()  # noqa: E501
ATTACHMENTS = {
    "schedule": "schedule",
    "exhibit": "exhibit",
    "annex": "annex",
    "annexure": "annex",
    "appendix": "appendix",
    "attachment": "attachment",
    "sched": "schedule",
    "sch": "schedule",
    "exh": "exhibit",
    "ex": "exhibit",
    "app": "appendix",
}
"""Words for what is attached, with the short forms that citations use."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")


@dataclass(frozen=True, slots=True)
class Reference:
    """One provision meant by a reference.

    `base` is the provision without its bracketed parts ("5.1", "article ii", "schedule 2 part i", "recital b", "parties",
    "definition margin", or a heading's words), `parts` the bracketed ones in order ("a", "i"), `kind` what `base` is.
    """

    kind: str
    """"clause", "article", "attachment", "recital", "definition", "named" (cover, parties, ...) or "words"."""
    base: str
    parts: tuple[str, ...] = ()
    title: str = ""
    is_paragraph: bool = False
    """Called a paragraph or item ("paragraph 3"): it may be one of a schedule."""

    @property
    def number(self) -> str:
        return self.base + "".join(f"({part})" for part in self.parts)


def roman_value(text: str) -> int | None:
    """Value of a lower-case roman numeral written in the usual way, None for anything else."""
    if not text or any(letter not in _ROMAN for letter in text):
        return None
    values = [_ROMAN[letter] for letter in text]
    total = sum(-v if any(w > v for w in values[n + 1 : n + 2]) else v for n, v in enumerate(values))
    return total if roman_text(total) == text else None


def roman_text(value: int) -> str:
    """Lower-case roman numeral of 1..399."""
    out = ""
    for size, letters in ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= size:
            out, value = out + letters, value - size
    return out


def number_key(text: str) -> tuple[int, ...] | None:
    """ "2.01" -> (2, 1), "II.1" -> (2, 1), "ii" -> (2,), "two" -> (2,); None when it is no number. 2.1, 2.01 and II.1 are one."""
    key = []
    for part in text.casefold().strip(". ").split("."):
        value = int(part) if part.isdecimal() and len(part) < 6 else roman_value(part)
        if value is None and part in _WORDS:
            value = _WORDS.index(part) + 1
        if value is None:
            return None
        key.append(value)
    return tuple(key)


_LETTERED = re.compile(r"(\d{1,3})([a-z]{0,2})")


def order_key(text: str) -> tuple[float, ...] | None:
    """Like `number_key`, and "12A.1" (a clause put in later) -> (12.001, 1), so that it stands between 12 and 13."""
    if key := number_key(text):
        return key
    matches = [_LETTERED.fullmatch(part) for part in text.casefold().strip(". ").split(".")]
    if not all(matches):
        return None
    return tuple(int(m[1]) + sum(0.001 * 27**n * (ord(c) - 96) for n, c in enumerate(reversed(m[2]))) for m in matches if m)


def number_text(text: str) -> str | None:
    """A clause number in one spelling: "2.01" and "II.1" are "2.1", "12A.01" is "12a.1"; None when it is no number."""
    if key := number_key(text):
        return ".".join(map(str, key))
    matches = [_LETTERED.fullmatch(part) for part in text.casefold().strip(". ").split(".")]
    return ".".join(f"{int(m[1])}{m[2]}" for m in matches if m) if all(matches) else None


def attachment_label(text: str) -> str:
    """The label of a schedule or exhibit in one spelling: "II", "2" and "two" are "2", "B - 1" is "b-1"."""
    folded = re.sub(r"[\s–—-]+", "-", text.casefold().strip(" .:()"))
    if folded in ORDINALS:
        return str(ORDINALS.index(folded) + 1)
    key = number_key(folded)
    if key is not None and not (len(folded) == 1 and folded in "cl"):
        return ".".join(str(n) for n in key)
    return folded


_DASH = r"[-‐‑–—]"
_NUMBER = r"(?:\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?)*(?![\d.]*\d)|[IVX]{1,6}\.\d{1,3}(?!\d))"
_PARTS = r"(?:\s*\(\s*[A-Za-z0-9]{1,5}\s*\))*"
_CLAUSE_WORD = r"(?:sub-?clauses?|sub-?sections?|sub-?paragraphs?|clauses?|cls?\.?|sections?|secs?\.?|sect\.?|paragraphs?|paras?\.?|arts?\.|articles?|items?|§+)"  # noqa: E501
_PART_PATTERN = re.compile(r"\(\s*([A-Za-z0-9]{1,5})\s*\)")
_PARAGRAPHS_OF = re.compile(
    rf"(?:{_CLAUSE_WORD}\s*)?((?:\(\s*\w{{1,5}}\s*\)\s*)+)((?:(?:,|and|or|&|to|[-–—])\s*\(\s*\w{{1,5}}\s*\)\s*)*)\s*(?:of|in|to|,|under)?\s*(?={_CLAUSE_WORD}|the\s+definition|schedule|exhibit|annex|appendix|part\b|recital)",
    re.I,
)
_LEVEL_ABOVE = re.compile(rf"^(.*?)\s*(?:of|in|to|under)\s+(?={_CLAUSE_WORD}\s*[\d(§])", re.I)
_ATTACHMENT = re.compile(
    rf"\b(schedule|exhibit|annexure|annex|appendix|attachment|(?:sched|sch|exh|app|ex)(?=[.\s\d]))(?:s(?![a-z])|(?![a-z]))\.?\s*(?:no\.?\s*)?(?:{_DASH}\s*)?[“\"(]?\s*"
    rf"([A-Z]{{1,2}}(?:\s*{_DASH}\s*\d+)?|\d{{1,3}}(?:\.\d{{1,3}})?[A-Z]?(?:{_DASH}\d+)?|[IVXLC]{{1,6}}(?:{_DASH}\w+)?|one|two|three|four|five|six|seven|eight|nine|ten|{'|'.join(ORDINALS)})\b",
    re.I,
)
_ORDINAL_ATTACHMENT = re.compile(rf"\b({'|'.join(ORDINALS)})\s+(schedule|exhibit|annexure|annex|appendix)\b", re.I)
_ONLY_ATTACHMENT = re.compile(
    r"^(?:(?:paragraph|para\.?|item)\s*[\d.]+[()a-z]*\s*(?:of|in|to|,)\s*)?(?:the\s+)?(schedule|exhibit|annexure|annex|appendix|attachment)\b"
    r"(?:\s*\([^()]{3,}\))?(?:[\s,:–—-]+(?:paragraph|para\.?|item)\s*[\d.]+[()a-z]*)?$",
    re.I,
)
"""The only one of a document, which has no number of its own: "the Schedule", "Appendix, paragraph 2"."""
_PART = re.compile(r"\bpart\s+([IVX]{1,5}|\d{1,2}|[A-Z])\b", re.I)
_PART_PHRASE = re.compile(r"[\s,;(–—-]*\bpart\s+(?:[IVX]{1,5}|\d{1,2}|[A-Z])\b\)?(?:\s*\([^()]{3,}\))?(?:\s+(?:of|to|in)\b)?", re.I)
_PARAGRAPH = re.compile(rf"\b(?:paragraphs?|paras?\.?|items?|clause|section)\s*({_NUMBER})((?:{_PARTS}))", re.I)
_ARTICLE = re.compile(r"\b(?:articles?|art\.)\s*([IVXLC]{1,7}|\d{1,3}|" + "|".join(_WORDS) + r")\b(?!\.\d)", re.I)
_RECITAL = re.compile(r"\brecital(?:s(?![a-z])|(?![a-z]))\s*\(?\s*([A-Z]{1,2}|\d{1,2})\s*\)?(?![a-z])", re.I)
_WHEREAS_ORDER = re.compile(r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth)\s+(?:recital|whereas)", re.I)
_ORDER = "first second third fourth fifth sixth seventh eighth".split()
_DEFINITION = re.compile(
    r"\bdefinitions?\s+(?:of|for)\s+(?:the\s+term\s+)?[“”\"'‘’]*\s*(.+?)\s*[“”\"'‘’]*\s*(?:(?:in|,|\(|;|–|—)\s*(?:clause|section|§|article).*)?$",
    re.I,
)
_DEFINED = re.compile(
    r"^[“\"‘']\s*(.+?)\s*[”\"’'][\s,]*(?:\(?definition\)?|as defined.*)$|^[“\"](.+?)[”\"]$|^definitions?\s*[:–—-]+\s*[“\"]?(.+?)[”\"]?$",
    re.I,
)
_DEFINITION_LAST = re.compile(
    r"^(?:(?:clause|section)\s*[\d.]+\s*[,:(–—-]*\s*)?(?:the\s+)?[“\"]?([A-Z][^()\d”\"]{1,70}?)[”\"]?\s+\(?(?:definition|defined term)\)?$",
    re.I,
)
_NUMBERED_DEFINITION = re.compile(rf"^definition\s+(?!of\b|for\b|in\b)[“\"]?(.+?)[”\"]?((?:{_PARTS}))$", re.I)
_BRACKETS = r"(?:\s*\(\s*(?:[a-z]|[ivx]{1,4}|\d{1,2})\s*\))+"
_ITEM_WORD = r"(?:(?:sub-?)?(?:paragraph|para\.?|item|limb|clause|no\.)\s*)?"
_NAMED_PARTS = re.compile(rf"^(.*?\w)[\s,:;–—-]*{_ITEM_WORD}({_BRACKETS})$", re.I)
_PARTS_OF_NAMED = re.compile(rf"^{_ITEM_WORD}({_BRACKETS})\s*(?:of|in|to|,)\s*(?:the\s+)?(.+)$", re.I)
_CLAUSE = re.compile(rf"(?:\b{_CLAUSE_WORD}|§+)?\s*\b({_NUMBER})\.?((?:{_PARTS}))", re.I)
_RANGE = re.compile(
    rf"({_CLAUSE_WORD})\s*({_NUMBER})((?:{_PARTS}))((?:\s*\([A-Z][^()]*\))?)\s*(?:to|through|until|[-–—])\s*(?:{_CLAUSE_WORD}\s*)?({_NUMBER})(?!\s*\()",
    re.I,
)
_LIST = re.compile(
    rf"(?:,|;|\band\b|&|\bor\b|/)\s*(?:{_CLAUSE_WORD}\s*)?({_NUMBER})\.?((?:{_PARTS}))(?=\s*(?:,|;|and\b|&|or\b|/|\(|$))", re.I
)

_NAMED = {
    "parties": "parties|party|the parties|parties block|party block|parties clause|preamble|preambles|opening paragraph|introductory paragraph|introduction|"  # noqa: E501
    "introductory statement|lead in|lead-in|opening|heading paragraph|parties section|parties to the agreement|parties/preamble|preamble/parties",  # noqa: E501
    "recitals": "recitals|background recitals|introductory recitals|the recitals|recital|background|whereas|whereas clauses|whereas clause|recitals section|preliminary statements|preliminary statement",  # noqa: E501
    "cover": "cover|cover page|the cover page|front page|title page|front cover|cover sheet|first page|title",
    "signature": "signature|signatures|signature page|signature pages|signature block|signature blocks|execution page|execution pages|execution blocks|"  # noqa: E501
    "signatories|testimonium|execution|executed|attestation|signing page|signing pages",
    "contents": "contents|table of contents|contents page|toc|index",
}
_NAMES = {spelling: name for name, spellings in _NAMED.items() for spelling in spellings.split("|")}


def _parts(text: str) -> tuple[str, ...]:
    return tuple(_PART_PATTERN.findall(text))


def fold_words(text: str) -> str:
    """Words of a heading in one spelling: letters and digits, case folded, single spaces."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold().replace("’", "").replace("'", "")))


def _without_title(text: str) -> tuple[str, str]:
    """A bracketed heading ("Clause 16.1 (Non-payment)") is no sub-paragraph: the reference without it, and the heading."""
    for match in re.finditer(r"\(([^()]*)\)", text):
        inner = match[1].strip()
        if not re.fullmatch(r"[A-Za-z0-9]{1,5}", inner) or (len(inner) > 3 and roman_value(inner.casefold()) is None):
            return (text[: match.start()] + " " + text[match.end() :]).strip(), inner
    return text, ""


_NUMBER_WORD = re.compile(rf"\b({_CLAUSE_WORD}|schedule|exhibit|annex|appendix)\s*(?:no\.?|nos\.|number|:|#)?\s*(\d)", re.I)
_SHORT_SECTION = re.compile(r"^(?:ss?\.?|part)\s*(\d{1,3}\.\d{1,3})", re.I)
"""What stands between a word and its number ("Clause No. 5.1", "Section: 5.1", "Cl5.1"), and the shortest words ("s. 5.1")."""


@lru_cache(maxsize=4096)
def parse_reference(text: str) -> tuple[Reference, ...]:
    """The provisions that a citation's section names, in order; empty for a text without any word or number.

    "Clauses 22.3 to 22.5" is every clause of the range. "Page 14, Clause 5.1(a)" is the clause alone: a page is another claim.
    """
    text = " ".join(text.replace("\xa0", " ").split()).strip(" .,;:")
    text = re.sub(r"^(?:pages?|pp?\.)\s*\d+\s*[,;:–—-]*\s*", "", text, flags=re.I)
    text = re.sub(r"[,;(]?\s*(?:on\s+)?\b(?:pages?|pp?\.)\s*\d+\)?$", "", text, flags=re.I).strip(" .,;:")
    if not re.search(r"[^\W_]", text):
        return ()
    text = _SHORT_SECTION.sub(r"section \1", _NUMBER_WORD.sub(r"\1 \2", text))
    if re.fullmatch(r"\(\d{1,3}(?:\.\d{1,3})+\)", text):
        text = text[1:-1]
    folded = fold_words(text)
    if text.casefold() in _NAMES or folded in _NAMES:
        return (Reference("named", _NAMES.get(folded) or _NAMES[text.casefold()]),)
    return (
        _named(text)
        or _definition(text)
        or _attachment(text)
        or _recital(text)
        or _clauses(text)
        or (Reference("words", folded, (), text),)
    )


_NAMED_PAGE = re.compile(r"(signature|execution|signing|cover|front|title) (?:page|block)s?\b[^\d]*$")


def _named(text: str) -> tuple[Reference, ...]:
    """A part with a name and a number in it: "Parties (1)", "paragraph (A) of the Recitals", "Background, (B)"."""
    name, parts = None, ""
    if split := _NAMED_PARTS.match(text):
        name, parts = _NAMES.get(fold_words(split[1])), split[2]
    if name is None and (split := _PARTS_OF_NAMED.match(text)):
        name, parts = _NAMES.get(fold_words(split[2])), split[1]
    if name == "recitals":
        first, *rest = _parts(parts)
        return (Reference("recital", f"recital {first.casefold()}", tuple(rest)),)
    if name:
        return (Reference("named", name, _parts(parts)),)
    if page := _NAMED_PAGE.match(fold_words(text)):
        return (Reference("named", "cover" if page[1] in ("cover", "front", "title") else "signature"),)
    return ()


_LAST_PARTS = re.compile(rf"[\s,:;–—-]*{_ITEM_WORD}({_BRACKETS})$", re.I)
_DEFINITIONS_TERM = re.compile(
    r"^(?:(?:clause|section|§)\s*[\d.]+\s*)?\(?(?:definitions?|defined terms?)\)?\s*[(:–—,/-]+\s*[“\"]?([A-Z][^()“”\"]{1,70}?)[”\"]?\)?$",
    re.I,
)


def _definition(text: str) -> tuple[Reference, ...]:
    """A definition, with its paragraph before ("paragraph (a) of the definition of X") or behind ("definition of X, paragraph (a)")."""
    found = _plain_definition(text)
    if (last := _LAST_PARTS.search(text)) and (shorter := _plain_definition(text[: last.start()])) and not shorter[0].parts:
        return (Reference("definition", shorter[0].base, _parts(last[1])),)
    return found


def _plain_definition(text: str) -> tuple[Reference, ...]:
    if term := _DEFINITIONS_TERM.match(text):
        return (Reference("definition", "definition " + fold_words(term[1])),)
    match = _DEFINITION.search(text)
    if match:
        above = _PARAGRAPHS_OF.match(text)
        return (Reference("definition", "definition " + fold_words(match[1]), _parts(above[1]) if above else ()),)
    if named := _NUMBERED_DEFINITION.match(text):
        return (Reference("definition", "definition " + fold_words(named[1]), _parts(named[2])),)
    if trailing := _DEFINITION_LAST.match(text):
        return (Reference("definition", "definition " + fold_words(trailing[1])),)
    if quoted := _DEFINED.match(text):
        return (Reference("definition", "definition " + fold_words(next(group for group in quoted.groups() if group))),)
    if match := re.search(r"[“\"]([^”\"]+)[”\"]", text):
        rest = fold_words(text[: match.start()] + " " + text[match.end() :])
        if re.search(r"\bdefin|\b1 0?1$", rest):
            return (Reference("definition", "definition " + fold_words(match[1])),)
    return ()


def _attachment(text: str) -> tuple[Reference, ...]:
    text = _ORDINAL_ATTACHMENT.sub(r"\2 \1", text)
    match = _ATTACHMENT.search(text)
    if not match:
        return _only_attachment(text)
    if match[2].casefold() in ("of", "to", "in", "as", "is", "or", "an", "by", "at", "no") and not match[2].isupper():
        return ()
    base = f"{ATTACHMENTS[match[1].casefold().rstrip('.')]} {attachment_label(match[2])}"
    part = _PART.search(text)
    if part:
        base += f" part {attachment_label(part[1])}"
    rest = text[: match.start()] + " " + text[match.end() :]
    parts: tuple[str, ...] = ()
    if paragraph := _PARAGRAPH.search(rest):
        key = number_key(paragraph[1])
        parts = (("#" + ".".join(map(str, key)),) if key else ()) + _parts(paragraph[2])
    elif above := _PARAGRAPHS_OF.match(text):
        parts = _parts(above[1])
    elif below := re.match(_PARTS, text[match.end() :]):
        parts = _parts(below[0]) if below[0] else ()
    return (Reference("attachment", base, parts),)


def _only_attachment(text: str) -> tuple[Reference, ...]:
    """An attachment that has no number, with its part and paragraph: "Part 1 of the Schedule", "Appendix, paragraph 2"."""
    part = _PART.search(text)
    rest = _PART_PHRASE.sub(" ", text).strip(" ,;:()–—-") if part else text
    only = _ONLY_ATTACHMENT.match(rest)
    if not only:
        return ()
    base = ATTACHMENTS[only[1].casefold()] + (f" part {attachment_label(part[1])}" if part else "")
    paragraph = _PARAGRAPH.search(rest)
    parts = ("#" + (number_text(paragraph[1]) or paragraph[1]), *_parts(paragraph[2])) if paragraph else ()
    return (Reference("attachment", base, parts),)


def _recital(text: str) -> tuple[Reference, ...]:
    if match := _WHEREAS_ORDER.search(text):
        return (Reference("recital", f"recital {_ORDER.index(match[1].casefold()) + 1}"),)
    if found := _RECITAL.search(text):
        return (Reference("recital", f"recital {found[1].casefold()}", _parts(re.match(_PARTS, text[found.end() :])[0])),)  # type: ignore[index]
    return ()


def _inner_parts(text: str) -> tuple[tuple[str, ...], str]:
    """ "sub-paragraph (ii) of paragraph (b) of Clause 5.1" -> (("b", "ii"), "Clause 5.1")."""
    levels: list[tuple[str, ...]] = []
    while match := _PARAGRAPHS_OF.match(text):
        levels.append(_parts(match[1]))
        text = text[match.end() :].lstrip()
    return tuple(part for level in reversed(levels) for part in level), text


def _clauses(text: str) -> tuple[Reference, ...]:
    inner, rest = _inner_parts(text)
    siblings = _siblings(text)
    rest, title = _without_title(rest)
    if match := _RANGE.search(rest):
        return tuple(Reference("clause", base, (), title) for base in _between(match[2], match[5]))
    article = _ARTICLE.search(rest)
    clause = next((found for found in _CLAUSE.finditer(rest) if _is_clause(found, rest)), None)
    if article and (clause is None or clause.start() <= article.start()):
        key = number_key(article[1])
        if key:
            return (
                Reference(
                    "article",
                    f"article {roman_text(key[0])}" if key[0] < 400 else f"article {key[0]}",
                    _parts(rest[article.end() :]),
                    title,
                ),
            )
    if clause is None:
        return ()
    is_paragraph = re.match(r"(?:para|item)", clause[0], re.I) is not None
    first = Reference("clause", _plain(clause[1]), _parts(clause[2]) + inner, title, is_paragraph)
    others = tuple(Reference("clause", _plain(m[1]), _parts(m[2]), "") for m in _LIST.finditer(rest, clause.end()))
    beside = tuple(Reference("clause", first.base, (*first.parts[:-1], part), title) for part in siblings) if inner else ()
    return (first, *beside, *others)


def _siblings(text: str) -> tuple[str, ...]:
    """The further paragraphs of "paragraphs (a) and (b) of Clause 5.1"."""
    match = _PARAGRAPHS_OF.match(text)
    return _parts(match[2]) if match else ()


def _is_clause(match: re.Match[str], text: str) -> bool:
    """A number is a clause's when a word like "Clause" stands before it, or when it opens the text."""
    has_word = re.match(rf"(?:{_CLAUSE_WORD}|§)", match[0], re.I) is not None
    return has_word or not re.search(r"[^\W_]", text[: match.start(1)])


def _plain(number: str) -> str:
    key = number_key(number)
    return ".".join(map(str, key)) if key and not number[0].isdigit() else number.casefold().strip(".")


def _between(first: str, last: str) -> Iterator[str]:
    start, stop = number_key(first), number_key(last)
    if not start or not stop or start[:-1] != stop[:-1] or not 0 <= stop[-1] - start[-1] <= 60:
        yield from (_plain(first), _plain(last))
        return
    for value in range(start[-1], stop[-1] + 1):
        yield ".".join(map(str, (*start[:-1], value)))


# ---- references that a text makes -----------------------------------------------------------------------------------

_MENTION = re.compile(
    rf"(?<![\w.])(?:(?P<clause>(?:sub-?)?clauses?|sections?|§+|paragraphs?|articles?)\s*(?P<numbers>{_NUMBER}{_PARTS}"
    rf"(?:(?:\s*\([^()\n]{{2,80}}\))?\s*(?:,\s*and|,\s*or|,|and/or|and|or|to|through|[-–—])\s*{_NUMBER}{_PARTS})*|[IVXLC]{{1,7}}\b)"
    r"|(?P<attachment>schedule|exhibit|annexure|annex|appendix|attachment)s?\s+(?P<labels>(?:[A-Z]{1,2}(?:-\d+)?|\d{1,3}(?:\.\d{1,3})?[A-Z]?|[IVX]{1,6})\b"
    r"(?:(?:,|,?\s*and|,?\s*or|\s*to)\s+(?:[A-Z](?:-\d+)?|\d{1,3}(?:\.\d{1,3})?|[IVX]{1,6})\b)*))",
    re.I,
)
_FOREIGN_AFTER = re.compile(
    r"(?:\s*\([^()\n]{1,80}\))*\s*(?:of|under|in|to)\s+(?:the\s+|that\s+|title\s+\d+\s+of\s+the\s+|any\s+)?(?:[\w.,’'&-]+\s+){0,6}?"
    r"(?:Act|Code|Laws?|Regulations?|Rules?|Directive|Ordinance|ERISA|Statute|Treaty|Constitution|Indenture|UCC|U\.C\.C|Decree|Circular|GAAP|FATCA|CFR|C\.F\.R)\b"
)
_FOREIGN_BEFORE = re.compile(r"(?:ERISA|Code|Act|UCC|U\.C\.C\.|CFR|C\.F\.R\.|Regulations?|Law|U\.S\.C\.?|Rule)\s*$")


def is_foreign(text: str, start: int, end: int) -> bool:
    """The reference at [start, end) is into a statute or another text ("Section 15(d) of the Exchange Act", "ERISA Section 4043")."""
    return bool(_FOREIGN_AFTER.match(text, end, end + 160) or _FOREIGN_BEFORE.search(text[max(0, start - 14) : start]))


def mentions(text: str) -> frozenset[str]:
    """Keys of every provision of its own that the text refers to: "5.1", "article 2" and "schedule 2"; prefixes included (31.4 gives 31)."""  # noqa: E501
    found: set[str] = set()
    for match in _MENTION.finditer(text):
        if is_foreign(text, match.start(), match.end()):
            continue
        if match["clause"]:
            found.update(_mentioned_numbers(match["clause"], match["numbers"]))
        else:
            word = ATTACHMENTS[match["attachment"].casefold()]
            labels = re.findall(r"[A-Z]{1,2}-\d+|\d{1,3}(?:\.\d{1,3})?[A-Z]?|[A-Z]{1,6}", match["labels"])
            found.update(f"{word} {attachment_label(label)}" for label in labels)
    found.update(f"{ATTACHMENTS[m[2].casefold()]} {attachment_label(m[1])}" for m in _ORDINAL_ATTACHMENT.finditer(text))
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
