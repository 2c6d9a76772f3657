"""The units of a reference, by one table of forms: "Clause 5.1", "(a)(ii)", "Schedule 2", "definition of Margin", a title in brackets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deterministic.clauses.numerals import ATTACHMENTS, NUMBER_WORDS, ORDINALS, attachment_label, number_key, roman_text

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
_TERM = re.compile(
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
    between: str = ""
    """What stands before it: "of", ",", ";", "and", "to", "" ..."""
    parts: tuple[str, ...] = ()


_WITHIN_WORDS = ("of", "in", "and", "or", "to", "under", "&")


def read_units(text: str) -> Iterator[Unit]:
    """The units of a reference in order; words that follow one another are one unit."""
    words: list[str] = []
    between, words_between, at = "", "", 0
    while match := _UNIT.match(text, at):
        at, kind = match.end(), match.lastgroup
        found = list(_read_unit(match, text, between))
        if kind == "term" and (term := _TERM.match(text, at)):
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
        yield Unit("parts", "", between if between in ("of", "in", "and", "or") else "", (match["item_letter"],))
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
