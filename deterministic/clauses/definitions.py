"""Terms and where they are defined: lines in all the ways agreements write them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import merge

from deterministic.clauses.headings import is_left_open
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import fold_words, is_title_case


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    start: int
    term: str
    is_sure: bool
    """Seen to be one wherever it stands; others are definitions only in a clause of definitions."""
    is_inside: bool = False
    """It begins inside a line, or says that it is part of another."""

    def ends_at(self, later: Iterable["Definition"], text: str, end: int) -> int:
        """Where the first of those behind it begins that does not belong to it, else `end`. One that begins inside a line belongs to it
        where this one uses its term before."""
        seen, words = self.start, " "
        for one in later:
            words += fold_words(text[seen : one.start]) + " "
            if self.is_inside or not one.is_inside or f" {fold_words(one.term)} " not in words:
                return one.start
            seen = one.start
        return end


_LABEL = (
    r"^[ \t\xa0•*]*(?:(?:\([a-z]{1,3}\.?\)|[A-Z]?\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3}){1,3}\.?(?=[ \t\xa0])|[a-zA-Z][.)])"
    r"[ \t\xa0]*(?:(?<=[.)])\n[ \t\xa0]*)?)?"
)
_FORM = r"""(?: [“"„«](?P<whole>[A-Z][\w’'&/ -]{1,60}?):[ \t\xa0]+(?=[^\s”"])
      | (?:(?:The\s(?:terms?|words?)\s|As\sused\s[^“"„\n]{0,60}?)?
        [“"„«]\s*(?P<term>[^”"»\n]{1,90}?(?:\n[^”"»\n]{1,60}?)?)[\s,]*[”"»]|[‘']\s*(?P<single>[^’'\n]{1,90}?)[\s,]*[’'])
        (?: (?P<sure> [ \t\xa0]*(?::|[–—-](?=\s)|=|\.?[ \t\xa0]+(?:See|see)\b)
            | (?:(?:[^\n()]|(?:(?<=,)|(?<=\sor)|(?<=\sand))\n(?=[“"])|\([^()\n]*\)){0,80}?[\s,]|\s*)
              (?:means?|shall\s+mean|(?:has|have|having|shall\s+have)\s+the\s+(?:same\s+|respective\s+)?meanings?
              |(?:is|are)\s+defined|shall\s+be|refers?\s+to|includes?|is|are)\b )
          | (?P<alone> [ \t\xa0]*(?=\n) ) )
      | (?P<bare>(?!(?:All|Each|Any|Every|Such|Terms?|Words?|Capitali[sz]ed)\b)[A-Z][\w’'&/ -]{1,60}?)[*_]*:?
        \s+(?: (?:means|shall\s+mean|(?:has|shall\s+have)\s+the\s+(?:same\s+)?meaning)\b | [–—]\s+(?=[a-z“"(\d]) ) )"""
"""Matches `“Margin” means`, `"Closing Date": `, `“Fee” – a`, `The term “Fee” means`, `“Term”` alone on its line (a column), `“Fee: a`,
`Margin means`, `Prepayment Date – the date`; not `“Margin” and other terms`, `Margin of Error`, `“Margin”) is`."""
_DEFINITION = re.compile(_LABEL + _FORM, re.M | re.X)
_INSIDE = re.compile(
    r"[“\"](?<=[.;:][ \xa0][“\"])(?=[^”\"]{1,90}[”\"](?:\sand\s[“\"][^”\"]{1,90}[”\"])?"
    r"\s+(?:means?|shall\s+mean|ha(?:s|ve)\s+the\s+meanings?)\b)"
)
"""Where one begins behind another in a line."""
_HERE = re.compile(_FORM, re.M | re.X)
_ITEM_END = re.compile(r"(?:^|;\s*)(?:and|or)$")
_OPEN = re.compile(r"(?:\b(?:terms?|words?|such|any|an?|as|that|phrases?)|[,(])$")


def find_definitions(text: str) -> list[Definition]:
    """Every line that defines a term, in order."""
    inside = (match for place in _INSIDE.finditer(text) if (match := _HERE.match(text, place.start())))
    found: list[Definition] = []
    end = 0
    for match in merge(find_lines(_DEFINITION, text), inside, key=re.Match.start):
        before = text[max(0, match.start() - 80) : match.start()].rstrip("\n \t\xa0").rpartition("\n")[2]
        is_wrapped = not _ITEM_END.search(before) and (is_left_open(before) or _OPEN.search(before))  # the term's sentence goes on here
        if match.start() >= end and not is_wrapped:
            end = match.end()
            start = end - len(match[0].lstrip(" \t\xa0•*"))
            term = next(match[form] for form in ("term", "single", "whole", "bare") if match[form])
            is_named = match["bare"] is not None and is_title_case(term) and match[0].endswith(("means", "mean", "meaning"))
            found.append(
                Definition(start, term, is_named or bool(match["sure"] or match["whole"]), match.re is _HERE or "As used" in match[0][:12])
            )
    return found
