"""Places of sentences in the pages of a real agreement, by a light parse of the page text that shares no code with the product.

It reads what the first reader (PyMuPDF) gives, page by page, and knows only the plainest signs: "SECTION 2.03", "2.03 Title", "8. Title",
`“Term” means`, an exhibit's heading at the top of a page. It follows them in order; a number out of sequence, an exhibit's own sections
and all that is near to either have no known place. A limb is known only for a sentence that begins on its label's line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pymupdf

_SECTION = re.compile(r"(?:(?P<word>SECTION|Section)\.?\s+)?(?P<top>\d{1,2})\.(?P<low>\d{1,2})\.?(?:\s+[–—-]*\s*(?P<title>\S.*)|)$")
_TOP = re.compile(r"(?:(?:SECTION|Section)\s+)?(?P<top>\d{1,2})\.(?:\s+(?P<title>[A-Z“].*)|)$")
_ATTACHED = re.compile(
    r"(?P<kind>EXHIBIT|SCHEDULE|ANNEX|Exhibit|Schedule|Annex)(?:\s+|(?=[A-RT-Z]$))(?P<label>(?!10\.)(?:[A-Z](?:-\d)?|\d{1,2}(?:\.\d{1,2}\w?)?))"
    r"(?:\(\w+\))?(?:\s+[–—-].*|)$"
)
_EXECUTION = re.compile(r"(?i)\W*(?:in witness whereof|\[?signature pages?\b)")
_TERM = re.compile(r"[“\"](?P<term>[^”\"]{2,60})[”\"],?\s*(?::|when\b|[–-]\s|(?:means?|shall\s+(?:mean|have)|has|have|is|are)\b)")
_INNER_TERM = re.compile(r"[.;]\s+[“\"][A-Z]")
_LABEL = re.compile(r"\((?P<label>[a-z]{1,2}|[ivx]{1,4})\)(?:\s|$)")
_NUMBER = re.compile(r"[-–\s]*(?P<number>(?:[A-Z]-)?\d{1,3})[-–\s]*$|.*\b[Pp]age (?P<of>\d+)(?: of \d+)?\s*$|(?P<part>\d{1,3})/\d{1,3}$")
_OPEN = re.compile(r"(?:\b(?:sections?|clauses?|articles?|of|in|to|under|and|or|with|the|by|through|than)|[,(])\s*$", re.I)
_EDGE = 3


@dataclass(frozen=True, slots=True)
class Line:
    page: int
    """Physical, from 1."""
    text: str
    place: str
    """The provision that the line stands in, as a citation spells it; "" where it is not known."""
    limb: str
    """The label at its beginning in brackets, where that is one of the section's first level; else ""."""


@dataclass(slots=True)
class _Place:
    """Where the text stands while it is read."""

    top: int = 0
    low: int = 0
    known: str = ""
    inside: str = ""
    """The definition or exhibit."""
    label: str = ""
    """The last label of the first level."""
    is_definitions: bool = False

    def take(self, line: str, following: str, before: str, is_top: bool) -> str:
        """Goes on by one line; its label of the first level."""
        if self.inside == "definition" and _INNER_TERM.search(line) and not _SECTION.match(line):
            self.known = ""  # another one begins inside the line
        elif _EXECUTION.match(line):
            self.known, self.inside = "", "attachment"
        elif is_top and (match := _ATTACHED.match(line)):
            self.known, self.inside = f"{match['kind'].capitalize()} {match['label']}", "attachment"
        elif self.inside != "attachment" and (match := _SECTION.match(line)) and not self._is_heading(match, following, before):
            self.known = ""
        elif match := _SECTION.match(line):
            self._open(int(match["top"]), int(match["low"]), match["low"], match["title"] or following)
        elif self.inside != "attachment" and (match := _TOP.match(line)) and self._is_heading(match, following, before):
            is_next = int(match["top"]) == self.top + 1
            self.top, self.low, self.label, self.inside = int(match["top"]), 0, "", ""
            self.known = f"Section {self.top}" if is_next else ""
        elif self.is_definitions and (match := _TERM.match(line)):
            self.label = ""
            self.known, self.inside = f"definition of “{' '.join(match['term'].split())}”", "definition"
        elif self.is_definitions and re.match(r"[“\"][A-Z]", line):
            self.known, self.inside = "", "definition"
        elif (match := _LABEL.match(line)) and self.known and not self.inside and not _OPEN.search(before):
            return self._limb(match["label"])
        return ""

    def _is_heading(self, match: re.Match[str], following: str, before: str) -> bool:
        title = match["title"] or following
        return bool(re.match(r"[A-Z“\[]", title)) and not _OPEN.search(before)

    def _open(self, top: int, low: int, shown: str, title: str) -> None:
        if self.inside == "attachment" and (top, low) != (1, 1):
            return
        if top == 1 and self.top > 1 and low == (self.low + 1 if self.low else 1):
            top = self.top  # printed as 1.1, 1.2 ... under every heading
        is_definitions = bool(re.search("defin|interpret", title, re.I))
        is_next = (top, low) in ((self.top, self.low + 1), (self.top + 1, 1)) or ((top, low) == (1, 1) and is_definitions)
        self.top, self.low, self.label, self.inside = top, low, "", ""
        self.known = f"Section {top}.{shown}" if is_next else ""
        self.is_definitions = is_definitions

    def _limb(self, label: str) -> str:
        after = chr(ord(self.label) + 1) if self.label else "a"
        if label != after or label in "ivx":  # letters that are numerals too are left to others
            return ""
        self.label = label
        return f"({label})"


def lines_of(path: Path) -> list[Line]:
    """The lines of a document without its running lines, each with its place."""
    with pymupdf.open(path) as pdf:
        pages = [[line.replace("\xa0", " ").strip() for line in page.get_text().split("\n")] for page in pdf]
    place, found, before = _Place(), [], ""
    for number, lines in enumerate(_without_running_lines(pages), 1):
        for n, line in enumerate(lines):
            following = next((other for other in lines[n + 1 :]), "")
            limb = place.take(line, following, before, is_top=n < 2)
            found.append(Line(number, line, place.known, limb))
            before = line
    struck = _struck_words(path)
    found = [replace(line, place="") if any(words in line.text for words in struck.get(line.page, ())) else line for line in found]
    # What is counted before the last 1.1 are the lines of the contents.
    body = max((n for n, line in enumerate(found) if re.fullmatch(r"Section 1\.0?1", line.place)), default=0)
    first = next((n for n, line in enumerate(found[:body]) if re.fullmatch(r"Section 1\.0?1", line.place)), body)
    while body and found[body - 1].place == found[body].place:
        body -= 1
    return [
        replace(line, place="") if first <= n < body and re.match(r"Section \d+\.", line.place) else line for n, line in enumerate(found)
    ]


def _struck_words(path: Path) -> dict[int, list[str]]:
    """What the first reader says to be crossed out, by page: nobody quotes it."""
    struck: dict[int, list[str]] = {}
    with pymupdf.open(path) as pdf:
        for page in pdf:
            blocks = page.get_text("dict", flags=pymupdf.TEXTFLAGS_DICT | pymupdf.TEXT_COLLECT_STYLES)["blocks"]
            spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
            words = [" ".join(span["text"].split()) for span in spans if span["char_flags"] & 1]
            struck[page.number + 1] = [word for word in words if word]
    return struck


def _without_running_lines(pages: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The lines with text of each page; those at its edges that recur (digits aside) on a fifth of the pages are left out."""
    edges = [[line for line in page if line] for page in pages]
    masked = Counter(re.sub(r"\d+", "#", line) for page in edges for line in {*page[:_EDGE], *page[-_EDGE:]})
    for page in edges:
        yield [
            line
            for n, line in enumerate(page)
            if not (min(n, len(page) - 1 - n) < _EDGE and (masked[re.sub(r"\d+", "#", line)] > 0.2 * len(pages) or _NUMBER.match(line)))
        ]


def printed_numbers(path: Path) -> dict[int, list[str]]:
    """The numbers at the edges of each page that are one higher or lower than one of a page near by."""
    with pymupdf.open(path) as pdf:
        edges = [[line.strip() for line in page.get_text().split("\n") if line.strip()] for page in pdf]
    shown = {
        number: {
            match["number"] or match["of"] or match["part"] for line in (*page[:_EDGE], *page[-_EDGE:]) if (match := _NUMBER.match(line))
        }
        for number, page in enumerate(edges, 1)
    }

    def goes_on(number: int, text: str) -> bool:
        head, digits = re.fullmatch(r"(\D*)(\d+)", text).groups()  # type: ignore[union-attr]
        return any(f"{head}{int(digits) + step}" in shown.get(number + step, ()) for step in (-2, -1, 1, 2))

    return {number: sorted(text for text in texts if goes_on(number, text)) for number, texts in shown.items()}


def places(path: Path, sentences: Sequence[tuple[int, str]]) -> list[str]:
    """The provision of each (page, sentence), "" where it is not known or is not one."""
    lines = lines_of(path)
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    return [_place_in(by_page.get(page, []), sentence) for page, sentence in sentences]


def _place_in(lines: Sequence[Line], sentence: str) -> str:
    """The place of the lines that hold a sentence, the same for all of them."""
    text, starts = "", []
    for line in lines:
        starts.append(len(text))
        text += " ".join(line.text.split()) + " "
    at = text.find(" ".join(sentence.split()))
    if at < 0 or text.find(" ".join(sentence.split()), at + 1) >= 0:
        return ""
    touched = [
        n for n, start in enumerate(starts) if start < at + len(sentence) and (starts[n + 1] if n + 1 < len(starts) else len(text)) > at
    ]
    if at and text[at - 1].isalnum():  # it was drawn from the middle of a word
        return ""
    held = {lines[n].place for n in touched}
    limbs = [lines[n].limb for n in touched if lines[n].limb]
    if len(held) != 1 or not held or len(limbs) > 1 or (limbs and not lines[touched[0]].limb):
        return ""
    place = held.pop()
    return place + (lines[touched[0]].limb if place and "definition" not in place else "")
