"""What stands before the first clause and behind the last one: cover, parties, recitals, signatures."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from deterministic.clauses.clause import Clause, is_within
from deterministic.clauses.headings import Heading, is_first
from deterministic.clauses.paragraphs import Marker, between, bracketed, nest, paragraphs_of
from deterministic.clauses.segments import Segment
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.tables import patterns

_FORMS = patterns("formulas")


def _formula(*names: str) -> re.Pattern[str]:
    """A line that begins with one of the forms of these names, whatever its case; a small letter begins no formula."""
    return re.compile(rf"^[ \t\xa0*]*(?=[A-Z\[\d])(?i:{'|'.join(_FORMS[name] for name in names)})", re.M)


AGREEMENT = r"(?:agreement|deed|amendment|letter|note|indenture|guarant(?:y|ee)|mortgage|waiver|consent|contract)"
_PARTIES, RECITALS, AGREED, SIGNATURE = map(_formula, ("parties", "recitals", "agreed", "signed"))
INTRO = _formula("parties", "intro")
_PROSE = re.compile(r"^(?=(?:[^\n]*?\b[a-z]{2,}\b){6})(?=[^\n]*\b(?:the|and|of|to)\b)[^\n]{60,}$", re.M)
"""A line of a paragraph: where no formula opens a text, its first sentence does."""


def without_front_lists(chain: Sequence[Heading], text: str) -> list[Heading]:
    """The numbering without parties and recitals that are counted 1, 2, 3 before the clauses begin at 1: directly below their title, or
    between an agreement's first words and its recitals or the words of agreement."""
    left = list(chain)
    for title in filter(None, (next(find_lines(form, text), None) for form in (_PARTIES, INTRO, RECITALS))):
        first = next((n for n, heading in enumerate(left) if heading.start > title.start()), len(left))
        rest = enumerate(left[first + 1 :], first + 1)
        again = next((n for n, heading in rest if heading.kind != "section" or is_first(heading.key)), first)
        own = left[first:again]
        is_flat = all(len(heading.key) == 1 and not heading.has_word for heading in own)
        if own and is_flat and own[0].key == (1,):
            last, stop = own[-1].start, left[again].start if left[again].key else 0
            closed = min(filter(None, (_first(form, text, last, stop) for form in (RECITALS, AGREED))), default=0)
            if own[0].start < title.end() + 3 or (closed and _first(INTRO, text, last, closed) is None):
                del left[first:again]
    return left


def without_lettered_counts(chain: Sequence[Heading], text: str) -> list[Heading]:
    """The numbering without items of an attachment that count anew below lettered headings: A., then 1, 2; B., then 1, 2."""
    kept = list[Heading]()
    runs = [(is_item, list(run)) for is_item, run in groupby(chain, lambda heading: heading.kind == "section")]
    stops = [*(run[0].start for _, run in runs[1:]), len(text)]
    for (is_item, own), stop in zip(runs, stops, strict=False):
        if is_item and kept and kept[-1].kind == "attachment" and all(len(heading.key) == 1 for heading in own):
            letters = [at for _, at in _bare_letters(text, kept[-1].end, stop)]
            own = own if len(letters) < 2 or not letters[0] < own[0].start < letters[1] else []
        kept += own
    return kept


def find_signatures(text: str, segments: Sequence[Segment], contents: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Signature blocks: from their first words to the next heading of any kind, the contents page or the end."""
    heads = {h.start for s in segments for h in s.headings}
    stops = sorted([*heads, *(s.start for s in segments if s.start), *(start for start, _ in contents), len(text)])
    found: list[tuple[int, int]] = []
    for match in find_lines(SIGNATURE, text):
        at = match.start()
        if (found and at < found[-1][1]) or is_within(at, contents):
            continue
        stop = stops[min(bisect_right(stops, at), len(stops) - 1)]
        segment = segments[max(0, bisect_right([s.start for s in segments], at) - 1)]
        is_inside = any(h.start < at for h in segment.headings) and any(h.start > at and h.kind != "part" for h in segment.headings)
        if not (stop in heads and stop != segment.end and segment.is_agreement and is_inside):
            found.append((at, stop))
    return found


@dataclass(frozen=True, slots=True)
class Front:
    """What is known of a text when its front matter is sought. `heads`: where headings without numbers stand."""

    text: str
    contents: Sequence[tuple[int, int]]
    page_starts: Sequence[int]
    markers: Sequence[Marker]
    heads: Sequence[int]

    def opening(self, segments: Sequence[Segment]) -> Iterator[Clause]:
        """Cover, parties block and recitals before the first clause, or before the first of several headings, of each agreement in the
        file."""
        previous = 0
        for number, segment in enumerate(segments):
            first = next((h.start for h in segment.headings if h.kind != "part"), None)
            if segment.is_agreement and (first is not None or len(segments) == 1):
                end = first if first is not None else len(self.text)
                yield from self._opening_of(max(previous, segment.start), end, number)
            elif segment.attachment and any(_first(form, self.text, segment.start, first or 0) for form in (INTRO, RECITALS)):
                assert first is not None
                own = self._opening_of(segment.attachment.end, first, number)  # of a form: "exhibit a recital b"
                yield from (replace(one, number=f"{segment.attachment.number} {one.number}") for one in own if one.number != "cover")
            previous = segment.headings[-1].start if segment.headings else segment.start

    def _opening_of(self, start: int, end: int, numbering: int) -> Iterator[Clause]:
        text = self.text
        listed = [(a, b) for a, b in self.contents if start <= a < end]
        after_list = max((b for _, b in listed), default=start)
        recitals = _first(RECITALS, text, after_list, end)
        agreed = _first(AGREED, text, recitals or after_list, end)
        before = next((at for at in (recitals, agreed) if at is not None), end)
        if (intro := _first(INTRO, text, after_list, before)) is None and (before < end or listed):
            intro = before - len(text[after_list:before].lstrip())
        if intro is None:
            intro = _first(_PROSE, text, after_list, end)
        own = [at for at in self.heads if intro is not None and intro < at < end and not RECITALS.match(text, at)]
        if own and before < min(end, own[0] + _NEAR):
            own = [at for at in own if at > before]  # the others are labels above the recitals: "Borrower: ..."
        if len(own) >= _FEWEST_HEADS:
            later = [match.start() for match in RECITALS.finditer(text, max(own[0], own[-1] - _NEAR), end)]  # those of a second agreement
            again = [match.start() for match in INTRO.finditer(text, max(own[0], later[-1] - _NEAR), later[-1])] if later else []
            yield from self._opening_of((again or later)[-1], end, numbering) if later else ()
            end = own[0]
            recitals, agreed = (at if at is not None and at < end else None for at in (recitals, agreed))
        if intro is not None:
            block_end = next((at for at in (recitals, agreed) if at is not None), end)
            yield Clause("preamble", "Preamble", intro, end, numbering)
            yield Clause("parties", "Parties", intro, block_end, numbering)
            yield from paragraphs_of(self.markers, intro, block_end, "parties", numbering)
        opened = recitals if recitals is not None else agreed
        if opened is not None:
            yield Clause("recitals", "Recitals", opened, end, numbering)
            yield from self._recital_items(opened, agreed if agreed is not None and agreed > opened else end, numbering)
        cover_end = min([a for a, _ in listed] + [intro if intro is not None else end])
        if start == 0 and self.page_starts:
            first_page = min(self.page_starts[1] - 1, end) if len(self.page_starts) > 1 else end
            # Without a contents page or parties nothing tells where a longer cover ends.
            cover_end = max(cover_end, first_page) if listed or intro is not None else first_page
            if intro is None and recitals is None and start < end <= first_page:
                # what stands above the first clause on its page opens the text
                yield Clause("preamble", "Preamble", start, end, numbering)
                yield Clause("parties", "Parties", start, end, numbering)
        if cover_end > start:
            yield Clause("cover", "", start, cover_end, numbering)

    def _recital_items(self, start: int, end: int, numbering: int) -> Iterator[Clause]:
        """Lettered recitals, with or without brackets; recitals that start with WHEREAS are counted."""
        lettered = nest(between(self.markers, start, end), end)
        for (first, *rest), at, stop in lettered:
            yield Clause(f"recital {first.casefold()}" + bracketed(rest), "", at, stop, numbering)
        items = list(_bare_letters(self.text, start, end))
        if len(items) < 2:
            items = [(str(n), match.start()) for n, match in enumerate(_WHEREAS.finditer(self.text, start, end), 1)]
        stops = [*(at for _, at in items[1:]), end]
        for (label, at), stop in zip(() if lettered else items, stops, strict=False):
            yield Clause(f"recital {label}", "", at, stop, numbering)


_FEWEST_HEADS = 3  # headings without numbers from which on they divide the text behind the preamble
_NEAR = 2_000


def _first(pattern: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    match = pattern.search(text, start, end)
    return match.start() if match else None


_LETTERED = re.compile(r"^[ \t\xa0]*([A-Z])[.)]?(?=[ \t\xa0\n])", re.M)
_WHEREAS = re.compile(r"^[ \t\xa0]*(?:and\s+)?(?:WHEREAS|Whereas)\b", re.M)


def _bare_letters(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """(letter, place) of lines that begin with A, B, C ... in turn, without brackets; A itself may be the opening paragraph."""
    wanted = "ABC"
    for match in _LETTERED.finditer(text, start, end):
        if match[1] in wanted:
            yield match[1].casefold(), match.start(1)
            wanted = chr(ord(match[1]) + 1)
