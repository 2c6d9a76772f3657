"""A Word file as one text with its clauses. Runs in a child process only.

Word files have no pages: how many there are depends on the program and the printer. The text is one stretch; what it says where a page was
cut the last time is only a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from deterministic.clauses.clause import Clause
from deterministic.clauses.provisions import build_provisions
from deterministic.documents.kinds import TRACKED, ReadingError
from deterministic.documents.page_numbers import number_lines
from deterministic.documents.reprints import find_counts
from deterministic.documents.word.lines import WordText
from deterministic.documents.word.paragraphs import STRUCK
from deterministic.documents.word.text import read_word

_NUMBER = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)")


def parse_word(path: str, *, characters: int) -> dict[str, Any]:
    """JSON data of the shape that `pdf.parsed_document.parse` gives, with one page for the whole text and an unreadable one for each large
    picture. Raises `ReadingError`."""
    text = read_word(path)
    if len(text.full) > characters:
        raise ReadingError("too_large", f"holds more than {characters} characters of text")
    if not text.body.strip():
        raise ReadingError("corrupt", "holds no text that can be read: where its pages are pictures, save it as PDF, which OCR reads")
    clauses, listed = _provisions(text)
    notes = "m" if text.spans else ""
    shown = [0, *text.hints, len(text.body)]
    unseen: list[Any] = [["", None, "", [], "scan", ""]] * text.unseen
    return {
        "paging": "none",
        "pages": [[text.full, text.body, "", [], "text", notes], *unseen],
        "earlier": [[start, end, str(n), True] for n, (start, end) in enumerate(pairwise(shown), 1)] if text.hints else [],
        "clauses": [[c.number, c.title, c.start, c.end, c.numbering] for c in clauses],
        "listed": sorted(listed),
        "notices": [f"{TRACKED} it holds tracked changes, read as accepted"] if text.is_tracked else [],
    }


def marked_word(path: str) -> dict[str, Any]:
    """As `pdf.marked_text.find_marked`, of the whole text."""
    text = read_word(path)
    return {"text": text.full, "spans": [list(span) for span in text.spans]}


# ---- its clauses ----------------------------------------------------------------------------------------------------------


def _page_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs that hold only the number of a page of an earlier print: no clauses."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for count in find_counts(number_lines([lines], [{}]), [lines]):
        yield from ((starts[line.at], starts[line.at] + len(lines[line.at])) for line in count.lines)


def _provisions(text: WordText) -> tuple[list[Clause], set[str]]:
    """Provisions of the text as it will be, those that are struck out beside them, and notes as parts of the provisions that refer to them.

    Numbers that only the text before the changes has are as good as mentioned: nobody invents them."""
    main = text.body[: text.main]
    struck = [(start, end) for start, end, mark in text.spans if mark == STRUCK and end <= len(main)]
    starts = sorted({0, *text.breaks, *text.hints})
    living = main
    for start, end in [*struck, *_page_numbers(main)]:
        living = living[:start] + " " * (end - start) + living[end:]
    clauses, listed = build_provisions(living, starts, text.looks)
    found = list(clauses)
    if struck:
        found += [c for c in build_provisions(main, starts, text.looks)[0] if any(start <= c.start < end for start, end in struck)]
        text.original |= {
            match[1] for start, _ in struck if (match := _NUMBER.match(main, start)) and main[start - 1 : start] in ("", "\n")
        }
    for reference, start, end in text.notes:
        around = [clause for clause in clauses if clause.start <= reference < clause.end]
        # An outer provision begins a little earlier, so that the inner one is still the inner one.
        found += [replace(clause, start=max(0, start - n), end=end) for n, clause in enumerate(reversed(around))]
    found.sort(key=lambda clause: (clause.start, -clause.end, clause.number))
    return found, {*listed, *text.original}
