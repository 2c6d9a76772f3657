"""References to provisions as people write them: "paragraph (a) of Clause 5.1", "Clause 1.1 (Definitions), definition of Margin".
A small grammar. The text is cut into units by one table of forms; a unit goes inside or outside the one before it by its rank and by the
word between them ("of" names what is around, a comma what is inside, ";" and "and" a further reference). Rules and spellings:
design/places.md."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from deterministic.clauses.numerals import ATTACHMENTS, KINDS, attachment_label, later_in_range, number_key, number_text
from deterministic.clauses.paragraphs import bracketed
from deterministic.lexicon.spelling import NUMBER_WORDS, ORDINALS, fold_words, roman_text, roman_value
from deterministic.lexicon.tables import rows

_NUMBER = r"(?:\d{1,3}[A-Za-z]?(?:\.\d{1,3}[A-Za-z]?)*(?![\w]|\.\d)|[IVX]{1,6}\.\d{1,3}(?![\w]))"
_LABEL = r"[A-Za-z]{1,2}|[ivxlcIVXLC]{1,5}|\d{1,2}"
_PARTS = rf"(?:\s*\(\s*(?:{_LABEL})\s*\))+"
_ORDINAL = "|".join(ORDINALS)
_ATTACHED = r"schedule|exhibit|annexure|annex|appendix|attachment|sched(?=[.\s\d])|sch(?=[.\s\d])|exh(?=[.\s\d])|app(?=[.\s\d])|ex(?=[.\s])"
_UNIT = re.compile(
    rf"""\s*(?:
      (?P<page>   \(?\s*\b(?:on\s+|at\s+)?(?:the\s+)?(?:printed\s+|pdf\s+)?(?:pages?|pp|pgs?|p)\b\.?\s*(?:no\.?\s*)?(?:\d+|[ivxlc]+\b)
                  (?:\s*(?:[-–—]|to|of|and|/)\s*\d+)?\s*\)? )                                                    # page 14, (printed page 1)
    | (?P<term>   \b(?:the\s+)?definitions?\s+(?:of|for)\s+(?:the\s+)?(?:term\s+|defined\s+term\s+)? )           # definition of ...
    | (?P<attach> \b(?:the\s+)?(?:(?P<ordinal>{_ORDINAL})\s+)?(?P<attached>{_ATTACHED})(?:s(?![a-z])|(?![a-z]))\.?  # Schedule 2, Annex - I
                  (?:\s*(?:no\.?\s*)?(?:[-‐‑–—]\s*)?[“"(]?\s*(?P<label>(?!(?-i:of|to|in|as|is|or|an|by|at|no|a)\b)(?:
                  [A-Z]{{1,2}}(?:\s*[-‐‑–—]\s*\d+)?|\d{{1,3}}(?:\.\d{{1,3}})?[A-Z]?(?:[-‐‑–—]\d+)?|[IVXLC]{{1,6}}(?:[-‐‑–—]\w+)?
                  |{"|".join(NUMBER_WORDS)}|{_ORDINAL}))(?!\w)[”")]?)? )
    | (?P<part>   \bpart(?:\s+|\s*[-–—]\s*)(?P<part_label>[IVX]{{1,5}}|\d{{1,2}}|[A-Z])(?![\w.]) )                    # Part II
    | (?P<whereas>\b(?:(?P<order>{_ORDINAL})\s+(?:recital|whereas)\b
                  |(?:recitals?|background)(?![a-z])\s*\(?\s*(?P<recital>(?-i:[A-Z]{{1,2}})|[a-z]|\d{{1,2}})(?!\w)\)?) )
    | (?P<article>\b(?:articles?|chapter|art\.|art(?=\s))\s*(?P<article_number>[IVXLC]{{1,7}}|\d{{1,3}}|{"|".join(NUMBER_WORDS)})\b(?!\.\d))
    | (?P<item>   \b(?:paragraphs?|paras?|sub-?paragraphs?|items?|points?|limbs?|rows?|nos?)\b\.?\s*(?:no\.?\s*)?[:\#]?\s*
                  (?:(?P<item_number>{_NUMBER})\.?
                  |(?P<item_letter>[a-z]{{1,2}}|[ivx]{{1,4}})(?=\s*(?:[,;:(]|of\b|in\b|$))|(?=\()) )  # item 4, (a), b
    | (?P<level>                                                                                                   # Clause 5.1
                  (?:\b(?:sub-?clauses?|sub-?sections?|clauses?|cls?|sections?|secs?|sect|ss?|articles?|art|part(?=\s+\d+\.))\b\.?|\bcl(?=\d)|§+)\s*
                  (?:no\.|nos\.|no\b|number)?\s*[:\#]?\s*
                  (?:(?P<number>{_NUMBER}|[A-Z]-\d{{1,2}}\b|[IVX]{{1,6}}\b|(?:{"|".join(NUMBER_WORDS)})\b)(?:\.(?!(?:\w|[ivx]+)\b))?|(?=\()))
    | (?P<parts>  {_PARTS} )                                                                                       # (a)(ii)
    | (?P<dotted> \.(?:[a-z]|[ivx]{{1,4}})\b(?!\w) )                                                               # 5.1.a
    | \((?P<title>[^()]*(?:\([^()]*\)[^()]*)*)\)                                                                   # (Non-payment)
    | (?:[“"](?P<quoted>[^”"]+)[”"]|‘(?P<single>(?:[^’]|’(?=\w))+)’)
    | (?P<bare>   {_NUMBER}\.?(?=[\s,;:()&/“"–—-]|$) )                                                             # 5.1, 2a
    | (?P<between>\b(?:of|in|under|to|through|until|and|or)\b|[,;:&/–—-]+ )
    | (?P<word>   [^\s,;:()“”"&/]+ )
    | (?P<other>  . )
    )""",
    re.I | re.X,
)
_TERM_OF = re.compile(
    r"""\s*(?:[“"‘']\s*(?P<quoted>[^”"]+?)\s*[”"’']|(?P<plain>[^“”"]+?))
    (?=\s*(?:\(|[,;:–—]|\bin\s+(?:the\s+)?(?:clause|section|§|article|schedule|annex|definitions)|$))""",
    re.I | re.X,
)
"""Matches `“Margin”`, `Permitted Liens` of "Permitted Liens, paragraph (b)", `Margin` of "Margin in Clause 1.1"."""
_HOLDS_PLACE = re.compile(
    r"(?:\b(?:clause|section|sec|cl|article|schedule|annex|exhibit|paragraph)s?\b\.?|§)\s*[\dIVX(]|\bdefinition\b|\bpages?\s*\d|^\s*\d{1,3}(?:\.\d{1,3})+",
    re.I,
)
"""A bracket that is a reference itself ("(Clause 1.1)", "(definition of Margin)"), no heading."""


@dataclass(slots=True)
class Unit:
    kind: str
    value: str
    between: str = ""  # what stands before it: "of", ",", ";", "and", "to", "" ...
    parts: tuple[str, ...] = ()


_WITHIN_WORDS = ("of", "in", "and", "or", "to", "under", "&")


def read_units(text: str) -> Iterator[Unit]:
    """The units of a reference in order; words that follow one another are one unit."""
    words: list[str] = []
    between, words_between, at = "", "", 0
    while match := _UNIT.match(text, at):
        at, kind = match.end(), match.lastgroup
        found = list(_read_unit(match, text, between))
        if kind == "term" and (term := _TERM_OF.match(text, at)):
            at = term.end()
            found = [Unit("definition", term["quoted"] or term["plain"], between)]
        is_number = words and match["item_number"] and match[0].strip()[:2].casefold() == "no"  # Amendment No. 3
        if match["word"] or is_number or (match["between"] and words and match["between"].casefold() in _WITHIN_WORDS):
            words_between = words_between if words else between
            words.append(match[0].strip())
            between = ""
            continue
        if words and (found or match["between"]):
            last = words.pop().casefold() if words[-1].casefold() in _WITHIN_WORDS else ""
            yield Unit("words", " ".join(words), words_between)
            words = []
            between = last
            for unit in found[:1]:
                unit.between = unit.between or last
        if found:
            yield from found
            between = ""
        elif match["between"]:
            between = match["between"].casefold()
    if words:
        yield Unit("words", " ".join(words), words_between)


def _read_unit(match: re.Match[str], text: str, between: str) -> Iterator[Unit]:
    if match["attached"]:
        label = match["label"] or match["ordinal"]
        yield Unit("attachment", ATTACHMENTS[match["attached"].casefold()] + (f" {attachment_label(label)}" if label else ""), between)
    elif match["part_label"]:
        yield Unit("part", f"part {attachment_label(match['part_label'])}", between)
    elif match["whereas"]:
        order = str(ORDINALS.index(match["order"].casefold()) + 1) if match["order"] else match["recital"]
        yield Unit("named", "recitals", between)
        yield Unit("parts", "", "", (order,))
    elif match["article_number"] and (key := number_key(match["article_number"])):
        yield Unit("article", f"article {roman_text(key[0]) if key[0] < 400 else key[0]}", between)
    elif match["item_number"]:
        yield Unit("item", plain(match["item_number"]), between)
    elif match["item_letter"]:
        yield Unit("parts", "", between if between in ("of", "in", "and", "or") else "item", (match["item_letter"],))
    elif match["number"]:
        yield Unit("clause", plain(match["number"]), between)
    elif match["parts"]:
        yield Unit("parts", "", between, tuple(re.findall(rf"\(\s*({_LABEL})\s*\)", match["parts"])))
    elif match["dotted"]:
        yield Unit("parts", "", "", (match["dotted"].strip(" ."),))
    elif match["title"] is not None:
        yield from _read_bracket(match["title"].strip(), between)
    elif quoted := match["quoted"] or match["single"]:
        yield Unit("quoted", quoted.strip(" ,.;"), between)
    elif match["bare"]:
        yield Unit("bare", match["bare"].strip(". "), between)


def _read_bracket(inner: str, between: str) -> Iterator[Unit]:
    if _HOLDS_PLACE.search(inner):
        units = list(read_units(inner))
        for unit in units[:1]:
            unit.between = unit.between or "("
        yield from units
    elif quoted := re.fullmatch(r"[“\"‘](.+)[”\"’]", inner):
        yield Unit("quoted", quoted[1], between)
    elif inner:
        yield Unit("title", inner, between)


def plain(number: str) -> str:
    key = number_key(number)
    return ".".join(map(str, key)) if key and not number[0].isdigit() else number.casefold().strip(".")


@dataclass(frozen=True, slots=True)
class Reference:
    """One provision meant by a reference. `base` is the provision without its bracketed parts ("5.1", "article ii", "schedule 2 part i",
    "recital b", "parties", "definition margin", or a heading's words), `parts` the bracketed ones in order ("a", "i")."""

    kind: str
    """"clause", "article", "attachment", "recital", "definition", "named" (cover, parties, ...), "words", or "layout" (a header, a table: a
    part of a page, no provision)."""
    base: str
    parts: tuple[str, ...] = ()
    title: str = ""
    is_paragraph: bool = False  # called a paragraph or item ("paragraph 3"): it may be one of a schedule
    inside: str = ""  # the provision around it that is named along ("1.1" for "Clause 1.1, definition of Margin"), "" for none
    document: str = ""  # the agreement that it is said to be in ("the deed"), "" for none
    beside: tuple[str, ...] = ()  # what else is said of a provision that goes by its number: its title, or anything

    @property
    def number(self) -> str:
        return self.base + bracketed(self.parts)


_WORDS = {name: frozenset(words.split(", ")) for name, words in (row.split(": ") for row in rows("places"))}
_NO_PLACE, _LAYOUT, _DEFINITIONS = (_WORDS.pop(name) for name in ("no place", "layout", "definitions"))
_NAMES = {spelling: name for name, spellings in _WORDS.items() for spelling in spellings}
NO_TITLES = _DEFINITIONS | _NAMES.keys()
_LISTS = re.compile(
    rf"(?:(?:table of )?contents )?(?:(?:list|index|schedule) (?:of|to) )?(?:the )?{KINDS}(?: (?:and|or)? ?{KINDS})*(?: list| index)?|"
    r"(?:list of |index of )?(?:schedule|exhibit|annex|appendix|attachment)s? (?:list|index)"
)
_GENERIC_PAGE = re.compile(r"(?:\w+ ){0,3}(signature|execution|signing|cover|front|title) (?:page|block)s?\b[^\d]*$")


@dataclass(slots=True)
class _Draft:
    """A reference in the making: what it is at each level, and its bracketed parts, one list for each of several paragraphs."""

    levels: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[str, ...]] = field(default_factory=lambda: [()])
    title: str = ""
    document: str = ""
    beside: list[str] = field(default_factory=list)
    is_around: bool = False  # "paragraph (i) of Section 2.02": what stands directly behind is around the paragraph

    @property
    def is_empty(self) -> bool:
        return not (self.levels or any(self.parts))


_NUMBERED = ("clause", "article", "attachment", "definition", "named")
_OUTER = ("of", "in", "under")
_UNNUMBERED = frozenset(ATTACHMENTS.values())  # a schedule that goes by its name ("Pricing Schedule", "Schedule of Commitments")
_RANGES = ("to", "through", "until", "-", "–", "—")
_BESIDE = ("and", "or", "&", ",", "/", *_RANGES)


def _drafts(units: Sequence[Unit]) -> Iterator[_Draft]:
    draft = _Draft()
    for n, unit in enumerate(units):
        unit = _settled(unit, draft, n)
        words = draft.levels.get("words", "")
        if unit.kind in ("title", "words"):
            draft.beside.append(unit.value)
        if unit.kind == "title":
            if not words and fold_words(draft.title) not in _DEFINITIONS:
                draft.title = draft.title or unit.value
            elif fold_words(words or draft.title) in _DEFINITIONS:
                draft.levels["definition"] = unit.value
        elif unit.kind == "parts" and "definition" in draft.levels and [*draft.levels][-1] == "clause" and not unit.between:
            draft.levels["clause"] += bracketed(unit.parts)  # definition of Margin in Section 1.04(b)
        elif unit.kind == "parts":
            _add_parts(draft, unit)
        elif unit.kind == "item" and unit.value.isdigit() and any(draft.parts) and unit.between == "," and "item" not in draft.levels:
            _add_parts(draft, Unit("parts", "", "", (unit.value,)))  # Article 7(3)(i), Item 2
        elif unit.kind == "words" and unit.between != ";" and not draft.levels.keys().isdisjoint(_NUMBERED):
            # Words beside a number are its title, or the name of the document that it is in; of a schedule without a number its name.
            if draft.levels.get("attachment") in _UNNUMBERED and not words and unit.between == "of":
                draft.levels["words"] = f"{draft.levels['attachment']} of {unit.value}"
            elif unit.between in (*_OUTER, "to"):
                draft.document = fold_words(draft.beside.pop())
            elif not draft.title:
                draft.title = unit.value.strip(". ")
        elif unit.kind == "words" and unit.between != ";" and draft.levels.keys() == {"words"}:
            _join_words(draft, unit)
        elif unit.between in _RANGES and unit.kind == "clause" and (later := later_in_range(draft.levels.get("clause", ""), unit.value)):
            for value in later:
                yield draft
                draft = _Draft({**draft.levels, "clause": value}, list(draft.parts), draft.title, beside=draft.beside)
            draft.parts, draft.title = [()], ""
        elif _is_further(draft, unit):
            outer = draft.levels.get("attachment", "")
            is_chain = draft.levels.keys() == {"attachment"} == {unit.kind} and unit.between in ("", ",") and not any(draft.parts)
            if is_chain and outer.split()[0] != unit.value.split()[0]:  # a schedule of the annex
                draft = _Draft({"around": outer, unit.kind: unit.value})
                continue
            yield draft
            draft = _Draft({unit.kind: unit.value})
        elif unit.kind == "definition" and unit.between not in _OUTER and "clause" in draft.levels and any(draft.parts):
            around = draft.levels["clause"] + bracketed(draft.parts[0])
            draft = _Draft({"clause": around, "definition": unit.value})
        else:
            draft.levels[unit.kind], draft.is_around = unit.value, unit.between in _OUTER and any(draft.parts)
    if not draft.is_empty:
        yield draft


def _settled(unit: Unit, draft: _Draft, n: int) -> Unit:
    """A quoted term or a bare number for what it is at its place; words with a name for the part that they name."""
    kind, value, words = unit.kind, unit.value, draft.levels.get("words", "")
    folded = fold_words(value).removeprefix("the ")
    if kind == "quoted":
        kind = "words" if words and is_layout(words) else "definition"
    elif kind == "bare":
        is_number = n == 0 or ("clause" in draft.levels and unit.between in (*_BESIDE, ";"))
        kind, value = "clause" if "." in value or (is_number and not words) else "words", plain(value)
    elif (
        kind == "words"
        and draft.levels.keys() & {"clause", "article", "item", "attachment"}
        and unit.between in ("", ",")
        and (len(folded) == 1 or roman_value(folded) is not None)
    ):  # "b" or "iii" behind a number is a paragraph of it, brackets or not
        return Unit("parts", "", unit.between, (value.strip(". "),))
    elif kind == "words" and folded in _NAMES and not (folded == "index" and draft.levels):
        kind, value = "named", _NAMES[folded]
    elif kind == "words" and (term := _TERM.fullmatch(value)):
        kind, value = "definition", (term[1] or term[2]).strip("“”\"'‘’")
    elif kind == "words" and fold_words(draft.title or words) in _DEFINITIONS and unit.between in ("", ",", ":", "-", "–", "—", "/", "("):
        kind = "definition"
    elif kind == "words" and folded in _DEFINITIONS and draft.levels.get("definition"):
        kind = "title"
    return Unit(kind, value, unit.between, unit.parts)


_TERM = re.compile(r"(?:the\s+)?(.+?)[\s,]+(?:definition|defined term)|(?:the\s+)?definition\s+(.+)", re.I)


def is_layout(words: str) -> bool:
    return set(fold_words(words).split()) <= _LAYOUT


def _join_words(draft: _Draft, unit: Unit) -> None:
    """ "Permitted Liens (definition)" is a definition; "Facility A: Term Facility" one heading or two; "row Law" the label of the row."""
    before = draft.levels["words"]
    if fold_words(unit.value) in _DEFINITIONS:
        draft.levels = {"definition": before}
    elif is_layout(before):
        draft.levels["words"] = unit.value
    elif not is_layout(unit.value):
        draft.levels["words"] = f"{before}{unit.between if unit.between in (':', ',', ';', '/') else ' –'} {unit.value}"


def _add_parts(draft: _Draft, unit: Unit) -> None:
    *_, last = draft.parts
    if unit.between in _OUTER or (draft.is_around and not unit.between):
        draft.parts, draft.is_around = [unit.parts + inner for inner in draft.parts], False
    elif unit.between in _BESIDE and any(draft.parts) and len(unit.parts) == 1:
        labels = later_in_range(last[-1], unit.parts[0]) if unit.between in _RANGES else []
        draft.parts += [(*last[:-1], label) for label in labels or unit.parts]
    else:
        draft.parts[-1] = last + unit.parts


def _is_further(draft: _Draft, unit: Unit) -> bool:
    """The unit starts a reference of its own."""
    if draft.is_empty or unit.between == ";":
        return not draft.is_empty
    if not draft.levels or unit.kind in draft.levels:  # to parts alone the unit is what they are parts of
        return bool(draft.levels)
    if unit.between in ("and", "or", "&"):
        return not (unit.kind in ("item", "definition") or draft.levels.keys() == {"words"})
    # Behind a comma what is smaller lies inside; what is greater is around it while there is nothing as great yet.
    return unit.between not in _OUTER and any(draft.parts) and unit.kind == "clause" and "item" not in draft.levels


def _reference(levels: dict[str, str], parts: tuple[str, ...], title: str) -> Reference:
    item, clause, words, named = (levels.get(kind, "") for kind in ("item", "clause", "words", "named"))
    labels = (item, *parts) if item else parts
    outer = " ".join(levels[kind] for kind in ("attachment", "part") if kind in levels) if "attachment" in levels else ""
    if "definition" in levels:
        around = outer or clause or levels.get("article", "") or named
        return Reference("definition", "definition " + fold_words(levels["definition"]), labels, title, inside=around)
    if outer in _UNNUMBERED and words:
        name = words if words.startswith(outer) else f"{words} {outer}"
        return Reference("words", fold_words(name), parts, name)
    if outer and named and not (clause or item):  # "Exhibit A, Recital B"
        label = [named.removesuffix("s"), labels[0].casefold()] if named == "recitals" and labels else [named]
        return Reference("attachment", " ".join([outer, *label]), labels[1:], title, inside=outer)
    if outer:
        counted, *inner = [one for one in (clause, item) if one] or [""]
        labels = (f"#{number_text(counted) or counted}", *inner, *parts) if counted else parts
        return Reference("attachment", outer, labels, title, inside=levels.get("around", ""))
    if named == "recitals" and labels:
        return Reference("recital", f"recital {labels[0].casefold()}", labels[1:], title)
    if named and not levels.keys() & {"clause", "article"}:
        return Reference("named", named, labels, title)
    heading = title or words or named
    if clause:
        if item.startswith(clause + "."):
            clause, labels = item, parts
        return Reference("clause", clause, labels, heading, inside=levels.get("article", ""))
    if "article" in levels and "." in item:
        return Reference("clause", item, parts, heading, inside=levels["article"])
    if "article" in levels:
        return Reference("article", levels["article"], labels, heading)
    if item and not words:
        return Reference("clause", item, parts, title, is_paragraph=True)
    words = words or levels.get("part", "")
    folded = fold_words(words)
    if page := _GENERIC_PAGE.match(folded):
        return Reference("named", "cover" if page[1] in ("cover", "front", "title") else "signature")
    return Reference("layout" if is_layout(folded) else "words", folded or "paragraph", labels, words)


@lru_cache(maxsize=4096)
def parse_reference(text: str) -> tuple[Reference, ...]:
    """The provisions that a citation's section names, in order; empty for a text that names none ("", "N/A"). "Clauses 22.3 to 22.5" is
    every clause of the range. "Page 14, Clause 5.1(a)" is the clause alone: a page is another claim."""
    text = re.sub(r"[“\"](whereas)[”\"]", r"\1", " ".join(text.replace("\xa0", " ").split()).strip(" .,;:"), flags=re.I)
    if not (folded := fold_words(text)) or folded in _NO_PLACE:
        return ()
    if folded in _NAMES:
        return (Reference("named", _NAMES[folded]),)
    if _LISTS.fullmatch(folded):
        return (Reference("named", "lists"),)
    text = re.sub(r"(?<=\d)\.([A-Z]|[IVX]{2,5})(?![\w.])", r"(\1)", text)
    if re.search(rf"\b(?:{_ATTACHED})", text, re.I):  # "Exhibit D, Section B.5", "Section B of Exhibit D"
        text = re.sub(r"\bSection (?![IVX]\b)([A-Z])(?=\.\d{1,2}\b|[,;)]| of\b|$)", r"paragraph \1", text)
        text = re.sub(r"\bparagraph ([A-Z])(?!\.?\w)", r"paragraph (\1)", text)
    text = re.sub(r"(?<=, |h )([A-Z])\.(\d{1,2})(?![\w.])", r"(\1)(\2)", text)
    if re.match(r"[IVX]{1,5}(?:\.[A-Z\d]\b|\.?\s|[.,(]|$)", text):
        text = f"Article {text}"
    if re.fullmatch(r"\(\d{1,3}(?:\.\d{1,3})+\)", text):
        text = text[1:-1]
    drafts = _drafts(list(read_units(text)))
    pairs = [(draft, _reference(draft.levels, parts, draft.title)) for draft in drafts for parts in draft.parts]
    found = tuple(replace(one, document=draft.document, beside=tuple(draft.beside)) for draft, one in pairs)
    return found or (Reference("layout", folded),)
