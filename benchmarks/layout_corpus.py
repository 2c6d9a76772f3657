"""Real agreements in text form as blocks whose places are known: a light parse of their own numbering, made for this bench alone.

Whatever the parse is not sure of gets no place: a section out of sequence, a label that could be of two levels, words behind the last limb,
everything after the first exhibit. It shares no code with the product, so that it cannot share its mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.layout_model import Agreement, Path_

_PAGE_MARK = re.compile(r"^(?:<PAGE>|\d{1,3}|[ivx]{1,5}|Page \d+ of \d+|-\s*\d+\s*-|Page)$")
_ARTICLE = re.compile(r"^(?:ARTICLE\s+([IVX]+|\d+)\b\.?|([IVX]+)\.(?=\s+[A-Z]{3}))\s*(.*)$")
_SECTION = re.compile(r"^(SECTION\s+(\d{1,2})\.(\d{1,2})\.?|(\d{1,2})\.(\d{1,2}))(?:\s+(?=\S)|$)(.*)$")
_LIMB = re.compile(r"^\(([a-z]{1,5}|[A-Z]{1,4}|\d{1,2})\)\s+(.*)$")
_TERM = re.compile(r"^“([^”]{2,60})”,?\s+(?:means?|shall (?:mean|have)|has|have|is|are|of|by|when)\b")
_ATTACHED = re.compile(r"^(?:EXHIBIT|SCHEDULE|ANNEX|IN WITNESS|DATED\b)|/s/")
_INSIDE = re.compile(r"SECTION \d+\.\d+\.|[.;:] “[A-Z$]")
"""Another provision that begins inside a paragraph: it cannot be said which words are whose."""
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()


def real_agreement(text_file: Path) -> Agreement:
    """The agreement in a text file of the corpus; its name is the number in the file's name."""
    text = text_file.read_text(encoding="utf-8", errors="replace")
    paragraphs = list(_paragraphs(text))
    body = max(n for n, p in enumerate(paragraphs) if re.match(r"(?:ARTICLE (?:I|1)|I\.)(?:\s|$)", p))
    agreement = Agreement(text_file.stem.split("_")[1], "Credit Agreement", bare_number="Section {}")
    for line in ("EXECUTION COPY", "CREDIT AGREEMENT"):
        agreement.add("cover", line)
    for kind in ("page", "contents", "page"):
        agreement.add(kind, "")
    parse = _Parse(agreement)
    for paragraph in paragraphs[body:]:
        parse.take(paragraph)
    return agreement


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs: parted by blank lines and by lines that begin a provision; one that a page break cuts is put together again."""
    kept: list[str] = []
    is_after_blank = True
    for raw in [*text.replace("\t", " ").splitlines(), ""]:
        line = " ".join(raw.split())
        if _PAGE_MARK.match(line):
            continue
        begins = bool(_ARTICLE.match(line) or _begins_section(line) or _TERM.match(line) or _ATTACHED.search(line))
        # A label at the start of a line can be one of running text that was wrapped there.
        is_end = not kept or bool(re.search(r"[.;:]”?$|^[^a-z]*$", kept[-1]))
        if kept and (begins or (_LIMB.match(line) and (is_after_blank or is_end)) or (not line and is_end)):
            yield " ".join(kept)
            kept = []
        if line:
            kept.append(line)
        is_after_blank = not line
    if kept:
        yield " ".join(kept)


def _begins_section(line: str) -> bool:
    match = _SECTION.match(line)
    return bool(match) and (match[1].startswith("SECTION") or not match[6] or match[6][:1].isupper() or match[6][:1] == "“")


class _Parse:
    """Where the text stands while it is read from its first article on."""

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement
        self.article = ""
        self.section = (0, 0)
        self.place: Path_ | None = None
        """The section or definition; None where it is not known."""
        self.cite = ""
        self.limbs: list[str] | None = []
        """The labels above, outermost first; None after a label that could be of two levels."""
        self.is_over = False

    def take(self, paragraph: str) -> None:
        if _ATTACHED.search(paragraph):
            self.is_over, self.place = True, None
        if self.is_over:
            self.agreement.add("text", paragraph)
        elif match := _ARTICLE.match(paragraph):
            self._open_article(match)
        elif (match := _SECTION.match(paragraph)) and _begins_section(paragraph):
            self._open_section(match)
        elif match := _LIMB.match(paragraph):
            self._limb(match)
        elif match := _TERM.match(paragraph):
            self._define(match[1], paragraph)
        elif paragraph.isupper() and len(paragraph) < 80:
            self.agreement.add("heading", paragraph, path=None)
        else:
            if paragraph.startswith("“"):
                self.limbs = None
            self._add(paragraph, "", None if self.limbs is None or self.limbs else self.place)

    def _add(self, text: str, label: str, path: Path_ | None, level: int = 1, entry: str = "") -> None:
        after = [limb for limb in (self.limbs or [])[-1:] for limb in _next_labels(limb)]
        is_mixed = bool(_INSIDE.search(text)) or any(re.search(rf"(?:[.;:,]|and|or) \({limb}\) ", text) for limb in after)
        self.agreement.add("text", text, label, level=level, path=None if is_mixed else path, entry=entry)
        if is_mixed:
            self.limbs = None
            self.place = None if "SECTION" in text else self.place

    def _open_article(self, match: re.Match[str]) -> None:
        label = match[1] or match[2]
        self.article = f"Article {label}"
        self.place, self.cite, self.limbs = self.agreement.cite((self.article,), self.article), self.article, []
        shown = match[0].strip() if match[2] or len(match[3]) < 70 else f"ARTICLE {label}"
        self.agreement.add("heading", shown, path=self.place, entry=shown)
        if shown != match[0].strip():
            self.agreement.add("text", match[3], path=self.place)

    def _open_section(self, match: re.Match[str]) -> None:
        number = (int(match[2] or match[4]), int(match[3] or match[5]))
        before, self.section = self.section, number
        text = match[6]
        shown = match[1].removeprefix("SECTION ").strip(" .")
        is_next = number in ((before[0], before[1] + 1), (before[0] + 1, 1))
        self.limbs, self.cite = [], f"Section {shown}"
        self.place = self.agreement.cite((self.article, shown), self.cite) if is_next and self.article else None
        title = re.match(r"[^.]{3,60}", text)
        label = match[1]
        self._add(text or "[Reserved].", label, self.place, 0, f"{label} {title[0]}" if title else "")
        # "SECTION 7.05. Title. (a) Text": the label stands inside the line, so that only the section is known for what follows.
        if re.match(r"[^.]{0,90}\.? ?\(a\)\s", text):
            self.limbs = None

    def _define(self, term: str, paragraph: str) -> None:
        above = tuple(step for step in self.place or () if not step.startswith("“"))
        if self.place is None or self.section[1] != 1 or self.section[0] != 1:
            self.agreement.add("text", paragraph, level=1)
            return
        section = f"Section {above[-1]}"
        self.cite, self.limbs = f"definition of “{term}”", []
        self.place = self.agreement.cite((*above, f"“{term}”"), self.cite, f"{self.cite} in {section}")
        self._add(paragraph, "", self.place)

    def _limb(self, match: re.Match[str]) -> None:
        self.limbs = _next_limbs(self.limbs, match[1])
        path = None
        if self.limbs and self.place is not None:
            parts = "".join(f"({limb})" for limb in self.limbs)
            spelled = f"paragraph {parts} of the {self.cite}" if self.cite.startswith("definition") else f"{self.cite}{parts}"
            path = self.agreement.cite((*self.place, *(f"({limb})" for limb in self.limbs)), spelled)
        self._add(match[2], f"({match[1]})", path, len(self.limbs or [""]))


def _next_limbs(limbs: list[str] | None, label: str) -> list[str] | None:
    """The labels above a paragraph with this label, itself included; None when it could be of two levels or follows on nothing."""
    if limbs is None:
        return None
    ways = [[*limbs[:depth], label] for depth in range(len(limbs)) if _follows(limbs[depth], label)]
    if label in ("i", "A", "1") or (label == "a" and not any(limb.islower() for limb in limbs)):
        ways.append([*limbs, label])
    return ways[0] if len(ways) == 1 else None


def _follows(before: str, label: str) -> bool:
    return label in _next_labels(before)


def _next_labels(label: str) -> list[str]:
    """The labels that can follow on one: (j) and (ii) on (i)."""
    roman = _ROMAN[_ROMAN.index(label) + 1 : _ROMAN.index(label) + 2] if label in _ROMAN else []
    single = [chr(ord(label) + 1)] if len(label) == 1 and label not in "zZ9" else []
    return [*roman, *single]
