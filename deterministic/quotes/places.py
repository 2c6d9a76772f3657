"""Every place of a document at which a text stands letter for letter, found by the location key.
The body of a document (pages joined without running lines) is searched first; the full page texts only on a miss, since a quote may hold a
header or a page number. Rules: design/quotes.md."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import SILENT, Offsets, fold, location_key, silence_doubled, silence_labels
from deterministic.lexicon.phrases import FINITE_VERBS, FUNCTION_WORDS
from deterministic.quotes.guards import Reading, compare_verbatim
from deterministic.quotes.quote_match import FULL
from deterministic.quotes.windows import WordIndex, index_words

_MOST = 200
"""Occurrences that are looked at outside the cited place; there every one is."""
Range = tuple[int, int]
"""[from, to) in the text of a document."""


@dataclass(frozen=True, slots=True)
class KeyedText:
    """A text with its location key."""

    text: str
    key: str
    offsets: Offsets

    @classmethod
    def of(cls, text: str) -> "KeyedText":
        shown = silence_doubled(text)
        return cls(shown, *location_key(shown))

    def find(self, key: str, within: Sequence[Range] = ()) -> list[Range]:
        """Ranges of the text whose key is `key`: all that touch the ranges `within`, and up to `_MOST` of any."""
        found = dict.fromkeys(self._find(key, 0, len(self.key), _MOST))
        if len(found) == _MOST:
            for low, high in within:
                first, last = self.offsets.index_at(low), self.offsets.index_at(high)
                found.update(dict.fromkeys(self._find(key, max(0, first - len(key) + 1), last + len(key) - 1, len(self.key))))
        return sorted(found)

    def _find(self, key: str, first: int, last: int, most: int) -> Iterator[Range]:
        at, count = self.key.find(key, first, last), 0
        while at >= 0 and count < most:
            yield self.offsets[at], self.offsets[at + len(key) - 1] + 1
            at, count = self.key.find(key, at + 1, last), count + 1


def keyed_body(document: Document) -> KeyedText:
    """The document's text with its key, built once."""
    return document.cached("quotes: body", lambda: KeyedText.of(document.text))


def word_index(document: Document) -> WordIndex:
    """Where each word stands; built once, and only for documents in which a quote is not found letter for letter."""
    return document.cached("quotes: words", lambda: index_words(keyed_body(document).text))


def counter(document: Document) -> Callable[[str], int]:
    """How often the document has a folded word."""
    return lambda word: len(word_index(document).postings.get(word, ()))


def unlabelled_body(document: Document) -> KeyedText:
    """The document's text without the labels at the head of its paragraphs, with its key; built when first asked for."""
    return document.cached("quotes: unlabelled", lambda: KeyedText.of(silence_labels(document.text)))


def unbracketed_body(document: Document) -> KeyedText:
    """The document's text without what stands in round brackets, but for labels and figures; built when first asked for."""
    return document.cached("quotes: unbracketed", lambda: KeyedText.of(_BRACKETS.sub(lambda found: SILENT * len(found[0]), document.text)))


_BRACKETS = re.compile(r"\([^()]{6,}\)")


def verbatim_readings(
    text: KeyedText, quote: str, *, within: Sequence[Range] = (), is_word: Callable[[str], int] = lambda word: 0, is_inner: bool = False
) -> list[Reading]:
    """How the quote reads at every place with its letters and digits. `is_word`: how often the document has a folded word."""
    key = fold(quote)
    seen: dict[str, Reading] = {}
    readings = []
    for start, end in text.find(key, within) if key else ():
        around = text.text[max(0, start - 70) : end + 70]
        if (known := seen.get(around)) is None or known.end - known.start != end - start:
            known = seen[around] = compare_verbatim(quote, text.text, start, end, is_word, is_inner=is_inner)
        readings.append(known if known.start == start else replace(known, start=start, end=end))
    return readings


@dataclass(frozen=True, slots=True)
class FullText:
    """The page texts with their running lines, joined, and where each line of them stands in the document's text."""

    keyed: KeyedText
    line_starts: tuple[int, ...]
    line_places: tuple[int, ...]
    """Offset in Document.text of each line; a running line has the offset of what follows it."""

    page_offsets: tuple[int, ...]

    def page_offset(self, number: int) -> int:
        """Where the full text of a physical page begins."""
        return self.page_offsets[number - 1]

    def place(self, offset: int) -> int:
        """Offset in Document.text of a place in the joined page texts."""
        line = max(0, bisect_right(self.line_starts, offset) - 1)
        return self.line_places[line] + (offset - self.line_starts[line] if self._is_body(line) else 0)

    def range(self, start: int, end: int) -> Range:
        """[start, end) of the joined page texts in Document.text; empty where it lies in running lines only."""
        return self.place(start), self.place(end - 1) + self._is_body(max(0, bisect_right(self.line_starts, end - 1) - 1))

    def lead(self, start: int, end: int) -> tuple[str, bool, int]:
        """The running text with which [start, end) begins, whether it begins with a whole line, and where what follows stands in
        Document.text; no text where it begins otherwise, or is running text altogether."""
        first = line = max(0, bisect_right(self.line_starts, start) - 1)
        while line < len(self.line_starts) and not self._is_body(line):
            line += 1
        behind = self.line_starts[line] if line < len(self.line_starts) else end
        return (self.keyed.text[start:behind] if behind < end else ""), start == self.line_starts[first], self.place(behind)

    def last_body(self, start: int, end: int) -> int | None:
        """Where in Document.text the last line of the body ends before running text with which [start, end) ends; None without such."""
        last = line = max(0, bisect_right(self.line_starts, end - 1) - 1)
        while line >= 0 and not self._is_body(line):
            line -= 1
        if line == last or line < 0 or self.line_starts[line + 1] <= start:
            return None
        return self.place(self.line_starts[line + 1] - 1)

    def _is_body(self, line: int) -> bool:
        return line + 1 >= len(self.line_places) or self.line_places[line + 1] != self.line_places[line]


def full_text(document: Document) -> FullText:
    """Built once, and only for documents in which a quote is not found without running lines."""
    return document.cached("quotes: full text", lambda: _join_pages(document))


def _join_pages(document: Document) -> FullText:
    starts, places, texts, pages, at = [], [], [], [], 0
    for page, body_start in zip(document.pages, document.page_starts, strict=True):
        body_lines, next_line, body_at = page.body.split("\n"), 0, body_start
        pages.append(at)
        for line in page.text.split("\n"):
            starts.append(at)
            places.append(min(body_at, len(document.text)))
            at += len(line) + 1
            if next_line < len(body_lines) and line == body_lines[next_line]:
                body_at += len(line) + 1
                next_line += 1
        texts.append(page.text)
    return FullText(KeyedText.of("\n".join(texts)), tuple(starts), tuple(places), tuple(pages))


def running_line_readings(document: Document, quote: str) -> list[Reading]:
    """Places at which the quote stands with running lines in it; ranges are of Document.text, as near as may be."""
    full = full_text(document)
    readings = []
    for reading in verbatim_readings(full.keyed, quote):
        start = full.place(reading.start)
        end = max(full.place(reading.end - 1) + 1, start)
        wording = "normalised" if reading.wording == "exact" else reading.wording
        is_word = _begins_in_word(document, *full.lead(reading.start, reading.end)) or _ends_in_word(document, full, reading)
        wording = "doubtful" if is_word and wording in FULL else wording
        readings.append(replace(reading, wording=wording, start=start, end=min(end, len(document.text))))
    return readings


_SENTENCE_END = re.compile(r"(?:\A|[.;:!?])[”\"’')\]]*\s*\Z")
_COUNTABLE = re.compile(r"[\s“\"'*]*([^\W\d_]*s\b|[a-z%])")
"""What a number can stand before: Business Days, Lenders, and whatever does not begin a sentence."""
_VERB = re.compile(rf"\s*(?:{'|'.join(sorted(FINITE_VERBS))})\b")


def _begins_in_word(document: Document, run: str, is_whole: bool, at: int) -> bool:
    """Whether running text at the beginning of a quote can stand for a word of the sentence that goes on behind it, at `at` of the
    document's text: 5 at the head of a page for the two of "within two | Business Days", a company for the subject of "shall pay"."""
    is_cut = not _SENTENCE_END.search(document.text, max(0, at - 8), at)
    if is_whole and re.search(r"[^\W\d_]", run) and not run.strip().isalpha():  # a number or one word might be the sentence's own
        return is_cut and _VERB.match(document.text, at) is not None
    counted = _COUNTABLE.match(document.text, at)
    return bool(run) and (is_cut or (counted is not None and counted[1].casefold() not in FUNCTION_WORDS))


def _ends_in_word(document: Document, full: FullText, reading: Reading) -> bool:
    """The same at the end of a quote: the sentence goes on over the end of the page."""
    last = full.last_body(reading.start, reading.end)
    return last is not None and not _SENTENCE_END.search(document.text, max(0, last - 8), last)
