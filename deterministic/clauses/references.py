"""References to provisions as people write them: "paragraph (a) of Clause 5.1", "Clause 1.1 (Definitions), definition of Margin".

A small grammar. The text is cut into units by one table of forms; a unit goes inside or outside the one before it by its rank and by
the word between them ("of" names what is around, a comma what is inside, ";" and "and" a further reference).
Rules: design/places.md; spellings: design/places.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from deterministic.clauses.numerals import ATTACHMENTS, fold_words, number_key, number_text, roman_value
from deterministic.clauses.reference_units import Unit, plain, read_units


@dataclass(frozen=True, slots=True)
class Reference:
    """One provision meant by a reference.

    `base` is the provision without its bracketed parts ("5.1", "article ii", "schedule 2 part i", "recital b", "parties",
    "definition margin", or a heading's words), `parts` the bracketed ones in order ("a", "i"), `kind` what `base` is.
    """

    kind: str
    """"clause", "article", "attachment", "recital", "definition", "named" (cover, parties, ...), "words", or "layout" (a header, a table: a
    part of a page, no provision)."""
    base: str
    parts: tuple[str, ...] = ()
    title: str = ""
    is_paragraph: bool = False
    """Called a paragraph or item ("paragraph 3"): it may be one of a schedule."""
    inside: str = ""
    """The provision around it that is named along ("1.1" for "Clause 1.1, definition of Margin"), "" for none."""

    @property
    def number(self) -> str:
        return self.base + "".join(f"({part})" for part in self.parts)


# ---- words ----------------------------------------------------------------------------------------------------------------

_NAMED = {
    "parties": "parties|party|the parties|parties block|party block|parties clause|parties section|parties to the agreement",
    "preamble": "preamble|preambles|the preamble|opening paragraph|opening paragraphs|introductory paragraph|introductory paragraphs|"
    "introduction|introductory statement|lead in|lead-in|opening|heading paragraph|parties preamble|preamble parties",
    "recitals": "recitals|background recitals|introductory recitals|the recitals|recital|background|whereas|whereas clauses|"
    "whereas clause|recitals section|witnesseth|preliminary statements|preliminary statement",
    "cover": "cover|cover page|the cover page|front page|title page|front cover|cover sheet",
    "signature": "signature|signatures|signature page|signature pages|signature block|signature blocks|execution page|execution pages|"
    "execution blocks|signatories|testimonium|execution|executed|attestation|signing page|signing pages",
    "lists": "list of attachments",
    "contents": "contents|table of contents|contents page|toc|index",
}
_NAMES = {spelling: name for name, spellings in _NAMED.items() for spelling in spellings.split("|")}
_NO_PLACE = frozenset(
    "n a|na|none|null|nil|unknown|unspecified|not specified|not stated|not found|not applicable|not available|not given|not provided|"
    "no section|unnumbered|not numbered|unlabelled|unlabeled|untitled|no heading|missing|tbd".split("|")
)
"""What a system writes where it has no section."""
_LAYOUT = frozenset(
    "header headers footer footers footnote footnotes endnote table tables letterhead letter heading headings title titles body text page "
    "pages line lines date salutation addressee address block first last top bottom subject re main general paragraph document row column "
    "pricing limits general introductory cover cell sidebar stamp caption chart figure image box details section clause unnumbered and of "
    "the in at on a one two".split()
)
"""Words for parts of a page; a section made of them alone names no provision unless the document has it as a heading."""
_DEFINITIONS = frozenset(("definition", "definitions", "defined term", "defined terms", "the definition", "definitions section"))
_KINDS = r"(?:schedules|exhibits|annexes|annexures|appendices|attachments)"
_LISTS = re.compile(
    rf"(?:(?:table of )?contents )?(?:(?:list|index|schedule) (?:of|to) )?(?:the )?{_KINDS}(?: (?:and|or)? ?{_KINDS})*(?: list| index)?|"
    r"(?:list of |index of )?(?:schedule|exhibit|annex|appendix|attachment)s? (?:list|index)"
)
_GENERIC_PAGE = re.compile(r"(?:\w+ ){0,3}(signature|execution|signing|cover|front|title) (?:page|block)s?\b[^\d]*$")

_RANKS = {"attachment": 0, "part": 1, "article": 1, "named": 2, "words": 2, "clause": 2, "definition": 3, "item": 4, "parts": 5}


# ---- from units to references -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    """A reference in the making: what it is at each level, and its bracketed parts, one list for each of several paragraphs."""

    levels: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[str, ...]] = field(default_factory=lambda: [()])
    title: str = ""

    @property
    def innermost(self) -> int:
        return 5 if any(self.parts) else max((_RANKS[kind] for kind in self.levels), default=-1)


_OUTER = ("of", "in", "under")
_UNNUMBERED = frozenset(ATTACHMENTS.values())
"""A schedule without a number: it goes by its name ("Pricing Schedule", "Schedule of Commitments")."""
_RANGES = ("to", "through", "until", "-", "–", "—")


def _drafts(units: Sequence[Unit]) -> Iterator[_Draft]:
    draft = _Draft()
    for n, unit in enumerate(units):
        unit = _settled(unit, draft, n)
        if unit.kind == "title":
            if not draft.levels.get("words") and fold_words(draft.title) not in _DEFINITIONS:
                draft.title = draft.title or unit.value
            elif fold_words(draft.levels.get("words", draft.title)) in _DEFINITIONS:
                draft.levels["definition"] = unit.value
        elif unit.kind == "parts":
            _add_parts(draft, unit)
        elif (
            unit.kind == "words"
            and ({"clause", "article", "attachment", "definition", "named"} & set(draft.levels))
            and unit.between != ";"
        ):
            # Words beside a number are its title, or the name of the document that it is in; of a schedule without a number its name.
            if draft.levels.get("attachment") in _UNNUMBERED and "words" not in draft.levels and unit.between == "of":
                draft.levels["words"] = f"{draft.levels['attachment']} of {unit.value}"
            elif unit.between not in (*_OUTER, "to") and not draft.title:
                draft.title = unit.value.strip(". ")
        elif unit.kind == "words" and set(draft.levels) == {"words"} and unit.between != ";":
            _join_words(draft, unit)
        elif unit.between in _RANGES and unit.kind == "clause" and len(between := _between(draft.levels.get("clause", ""), unit.value)) > 1:
            for value in between[:-1]:
                yield _Draft({**draft.levels, "clause": value}, list(draft.parts), draft.title)
            draft = _Draft({**draft.levels, "clause": between[-1]})
        elif _is_further(draft, unit):
            if draft.levels or any(draft.parts):
                yield draft
            draft = _Draft({unit.kind: unit.value})
        else:
            draft.levels[unit.kind] = unit.value
    if draft.levels or any(draft.parts):
        yield draft


def _settled(unit: Unit, draft: _Draft, n: int) -> Unit:
    """A quoted term or a bare number for what it is at its place; words with a name for the part that they name."""
    if unit.kind == "quoted":
        if (words := draft.levels.get("words")) and set(fold_words(words).split()) <= _LAYOUT:
            return Unit("words", unit.value, unit.between)
        return Unit("definition", unit.value, unit.between)
    if unit.kind == "bare":
        is_number = (
            n == 0 or "." in unit.value or ("clause" in draft.levels and unit.between in (*_RANGES, "and", "or", "&", ",", "/", ";"))
        )
        return Unit(
            "clause" if (is_number and "words" not in draft.levels) or "." in unit.value else "words", plain(unit.value), unit.between
        )
    if unit.kind == "words":
        folded = fold_words(unit.value)
        if draft.levels.keys() & {"clause", "article", "item"} and unit.between in ("", ",") and _is_label(folded):
            return Unit("parts", "", unit.between, (unit.value.strip(". "),))
        if folded in _NAMES and not (folded == "index" and draft.levels):
            return Unit("named", _NAMES[folded], unit.between)
        term = re.fullmatch(r"(?:the\s+)?(.+?)[\s,]+(?:definition|defined term)|(?:the\s+)?definition\s+(.+)", unit.value, re.I)
        if term:
            return Unit("definition", (term[1] or term[2]).strip("“”\"'‘’"), unit.between)
        before = fold_words(draft.title or draft.levels.get("words", ""))
        if before in _DEFINITIONS and unit.between in ("", ",", ":", "-", "–", "—", "/", "("):
            return Unit("definition", unit.value, unit.between)
        if folded in _DEFINITIONS and draft.levels.get("definition"):
            return Unit("title", unit.value, unit.between)
    return unit


def _is_label(word: str) -> bool:
    """ "b" or "iii" behind a number is a paragraph of it, brackets or not."""
    return len(word) == 1 or roman_value(word) is not None


def _join_words(draft: _Draft, unit: Unit) -> None:
    """ "Permitted Liens (definition)" is a definition; "Facility A: Term Facility" one heading or two; "row Law" the label of the row."""
    before = draft.levels["words"]
    if fold_words(unit.value) in _DEFINITIONS:
        draft.levels = {"definition": before}
    elif set(fold_words(before).split()) <= _LAYOUT:
        draft.levels["words"] = unit.value
    elif not set(fold_words(unit.value).split()) <= _LAYOUT:
        draft.levels["words"] = f"{before}{unit.between if unit.between in (':', ',', ';', '/') else ' –'} {unit.value}"


def _add_parts(draft: _Draft, unit: Unit) -> None:
    if unit.between in _OUTER:
        draft.parts = [unit.parts + inner for inner in draft.parts]
    elif unit.between in ("and", "or", "&", ",", "/", *_RANGES) and any(draft.parts) and len(unit.parts) == 1:
        last = draft.parts[-1]
        labels = _labels_between(last[-1], unit.parts[0]) if unit.between in _RANGES else [unit.parts[0]]
        draft.parts += [(*last[:-1], label) for label in labels]
    else:
        draft.parts = [*draft.parts[:-1], draft.parts[-1] + unit.parts]


def _labels_between(first: str, last: str) -> list[str]:
    if len(first) == len(last) == 1 and first < last:
        return [chr(code) for code in range(ord(first) + 1, ord(last) + 1)]
    return [last]


def _is_further(draft: _Draft, unit: Unit) -> bool:
    """The unit starts a reference of its own."""
    if not draft.levels and not any(draft.parts):
        return False
    if unit.between == ";":
        return True
    if not draft.levels:  # only parts so far: the unit is what they are parts of
        return False
    if unit.kind in draft.levels:
        return True
    if unit.between in _OUTER:
        return False
    if unit.between in ("and", "or", "&"):
        return not (unit.kind in ("item", "definition") or {"words"} == set(draft.levels))
    # Behind a comma what is smaller lies inside; what is greater is around it while there is nothing as great yet.
    return any(draft.parts) and unit.kind == "clause" and "item" not in draft.levels


def _between(first: str, last: str) -> list[str]:
    """The numbers of a range of neighbours, its ends included; none when they are not two of one kind."""
    start, stop = number_key(first), number_key(last)
    if not start or not stop or start[:-1] != stop[:-1] or not 0 < stop[-1] - start[-1] <= 60:
        return []
    return [".".join(map(str, (*start[:-1], value))) for value in range(start[-1], stop[-1] + 1)]


def _references(draft: _Draft) -> Iterator[Reference]:
    for parts in draft.parts:
        yield _reference(draft.levels, parts, draft.title)


def _reference(levels: dict[str, str], parts: tuple[str, ...], title: str) -> Reference:
    item = levels.get("item", "")
    labels = (item, *parts) if item else parts
    outer = " ".join(levels[kind] for kind in ("attachment", "part") if kind in levels) if "attachment" in levels else ""
    if "definition" in levels:
        return Reference(
            "definition", "definition " + fold_words(levels["definition"]), parts, title, inside=outer or levels.get("clause", "")
        )
    if outer in _UNNUMBERED and (name := levels.get("words", "")):
        name = name if name.startswith(outer) else f"{name} {outer}"
        return Reference("words", fold_words(name), parts, name)
    if outer:
        counted, *inner = [one for one in (levels.get("clause", ""), item) if one] or [""]
        labels = (f"#{number_text(counted) or counted}", *inner, *parts) if counted else parts
        return Reference("attachment", outer, labels, title)
    if levels.get("named") == "recitals" and labels:
        return Reference("recital", f"recital {labels[0].casefold()}", labels[1:], title)
    if "named" in levels and not levels.keys() & {"clause", "article"}:
        return Reference("named", levels["named"], labels, title)
    heading = title or levels.get("words", "") or levels.get("named", "")
    if clause := levels.get("clause"):
        if item.startswith(clause + "."):
            clause, labels = item, parts
        return Reference("clause", clause, labels, heading, inside=levels.get("article", ""))
    if "article" in levels:
        return Reference("article", levels["article"], labels, heading)
    if item and "words" not in levels:
        return Reference("clause", item, parts, title, is_paragraph=True)
    words = levels.get("words", "") or levels.get("part", "")
    folded = fold_words(words)
    if page := _GENERIC_PAGE.match(folded):
        return Reference("named", "cover" if page[1] in ("cover", "front", "title") else "signature")
    is_layout = not folded or set(folded.split()) <= _LAYOUT
    return Reference("layout" if is_layout else "words", folded or "paragraph", labels, words)


@lru_cache(maxsize=4096)
def parse_reference(text: str) -> tuple[Reference, ...]:
    """The provisions that a citation's section names, in order; empty for a text that names none ("", "N/A").

    "Clauses 22.3 to 22.5" is every clause of the range. "Page 14, Clause 5.1(a)" is the clause alone: a page is another claim.
    """
    text = re.sub(r"[“\"](whereas)[”\"]", r"\1", " ".join(text.replace("\xa0", " ").split()).strip(" .,;:"), flags=re.I)
    folded = fold_words(text)
    if not folded or folded in _NO_PLACE:
        return ()
    if folded in _NAMES:
        return (Reference("named", _NAMES[folded]),)
    if _LISTS.fullmatch(folded):
        return (Reference("named", "lists"),)
    text = re.sub(r"(?<=\d)\.([A-Z]|[IVX]{2,5})(?![\w.])", r"(\1)", text)
    if re.match(r"[IVX]{1,5}(?:\.[A-Z\d]\b|\.?\s|[.,(]|$)", text):
        text = f"Article {text}"
    if re.fullmatch(r"\(\d{1,3}(?:\.\d{1,3})+\)", text):
        text = text[1:-1]
    found = tuple(reference for draft in _drafts(list(read_units(text))) for reference in _references(draft))
    return found or (Reference("layout", folded),)
