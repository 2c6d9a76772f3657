"""Builds the list of a document's provisions from its text: numbered clauses, paragraphs, definitions, schedules, recitals, parties ..."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise

from deterministic.clauses.clause import Clause, is_within
from deterministic.clauses.consistency import mark_unplaced, with_inner_counts_unplaced, without_flush_text
from deterministic.clauses.contents import find_contents, find_lists, listed_attachments
from deterministic.clauses.definitions import Definition, find_definitions
from deterministic.clauses.headings import Heading, choose_chain, find_candidates, with_figures
from deterministic.clauses.numerals import number_text
from deterministic.clauses.opening import AGREED, SIGNATURE, Front, find_signatures, without_front_lists, without_lettered_counts
from deterministic.clauses.outline import OutlineHead, bracketed_headings, find_heads, headings_inside_lines, outline_clauses, run_in_title
from deterministic.clauses.paragraphs import Marker, between, find_markers, paragraphs_of
from deterministic.clauses.segments import (
    Segment,
    count_anew,
    is_item,
    outer_end,
    place_in_articles,
    signed_at,
    split_numbering,
    without_listed_items,
)  # fmt: skip
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import fold_words, roman_text

_SHORTEST = 400  # characters of a copy: under it, pages with a title alone


@dataclass(slots=True)
class _Copy:
    """text[start:end] stands at `source` too."""

    source: int
    start: int
    end: int


def build_provisions(text: str, page_starts: Sequence[int] = ()) -> tuple[tuple[Clause, ...], frozenset[str]]:
    """Every provision of a text in order of place (outer ones first), and the numbers that its contents pages list, or that stand at the
    beginning of lines without being one. Copied pages (an agreement and its copy, a sheet scanned twice) have the provisions of those that
    they are copies of."""
    copies = _find_copies(text, page_starts)
    kept, spans = text, [(copy.start, copy.end) for copy in copies]
    for start, end in spans:
        kept = kept[:start] + ".\n".rjust(end - start, "\0") + kept[end:]
    starts = [start for start in page_starts if not is_within(start, spans)]
    found, listed = _build(kept, starts)
    # a provision goes on behind the copies that follow it, but for one that begins as the file does
    stops = {copy.end: copy.start for copy in copies if not copy.source}
    clauses = [replace(clause, end=stops[clause.end]) if clause.end in stops else clause for clause in found]
    for copy in copies:
        shift, count = copy.start - copy.source, max((clause.numbering for clause in clauses), default=0) + 1
        moved = (replace(one, start=one.start + shift, end=one.end + shift, numbering=one.numbering + count) for one in clauses)
        within = (one for one in moved if one.start < copy.end and one.end > copy.start)
        clauses += [replace(one, start=max(one.start, copy.start), end=min(one.end, copy.end)) for one in list(within)]
    return tuple(sorted(clauses, key=lambda clause: (clause.start, -clause.end, clause.number))), listed


def _find_copies(text: str, page_starts: Sequence[int]) -> list[_Copy]:
    """Stretches of pages that stand before with the same text, in order."""
    first: dict[str, int] = {}
    copies: list[_Copy] = []
    for start, stop in pairwise([*page_starts, len(text) + 1]):
        page, last = text[start : stop - 1], copies[-1] if copies and copies[-1].end == start else None
        source = first.setdefault(page, start)
        goes_on = start - last.start + last.source if last else 0
        if last and goes_on < last.start and text.startswith(page, goes_on):
            last.end = stop
        elif source < start:
            copies.append(_Copy(source, start, stop))
    copies = [replace(copy, end=min(copy.end, len(text))) for copy in copies]
    return [copy for copy in copies if copy.end - copy.start >= _SHORTEST]


_DEFINITION_TITLE = re.compile(r"\bdefin|\binterpret", re.I)
_NEAR = 300  # characters from the contents to a list of attachments that belongs to them, at most


def _build(text: str, page_starts: Sequence[int]) -> tuple[list[Clause], frozenset[str]]:
    text = with_figures(text)
    further = (*bracketed_headings(text), *headings_inside_lines(text))
    lines = sorted((*find_candidates(text, page_starts), *further), key=lambda heading: heading.start)
    candidates = [heading for heading in lines if heading.weight > 0]
    contents = find_contents(text, candidates)
    outside = [heading for heading in candidates if not is_within(heading.start, contents)]
    runs = listed_attachments(outside)
    lists = find_lists(text, outside, runs)
    listed = {heading.start for run in runs for heading in run}
    outside = without_listed_items([heading for heading in outside if heading.start not in listed])
    outside = place_in_articles(count_anew(outside))
    chain = without_lettered_counts(without_front_lists(choose_chain(outside), text), text)
    if _counts_items(chain, text):
        chain = [heading for heading in chain if not heading.key]
    chain = with_inner_counts_unplaced(chain, text)
    segments = split_numbering(chain, len(text))
    signatures = find_signatures(text, segments, [*contents, *lists])
    segments[-1].end = signed_at(segments, signatures)
    inserted = _inserted(text, chain)
    heads = {heading.start for heading in chain if heading.kind != "unplaced"}
    left_out = [*inserted, *contents]
    labels = heads | {heading.end - len(text[heading.start : heading.end].lstrip()) for heading in chain if heading.kind != "unplaced"}
    markers = [m for m in find_markers(text) if (m.line not in labels or m.is_attached) and not is_within(m.start, left_out)]
    leaves = _Leaves(text, markers, [d for d in find_definitions(text) if not is_within(d.start, contents)])
    beyond = [heading for heading in outside if heading.start not in heads and len(heading.key) > 1 and heading.weight >= 1.8]
    mark_unplaced(segments, text, markers, sorted(one.start for one in leaves.definitions), page_starts, beyond)
    found = [Clause("lists", "Lists", start, end, 0) for start, end in lists]
    for start, end in contents:
        behind = [stop for first, stop in lists if start < first < end + _NEAR]
        found.append(Clause("contents", "Contents", start, max([end, *behind]), 0))
    found += [Clause("signature", "", start, end, 0) for start, end in signatures]
    for number in range(len(segments)):
        found += _numbered(segments, number, signatures, leaves)
    for (start, end), shown in inserted.items():  # provisions that an amendment sets out, by their number in the agreement
        shifted = [replace(m, start=m.start + start, line=m.line + start) for m in find_markers(text[start:end])]
        own = _Leaves(text, shifted, leaves.definitions).inside(start, end, shown, "", len(segments))
        found += (Clause(shown, "", start, end, len(segments)), *own)
    free = _free(found, len(text))
    starts, ends = [h.start for h in chain], [0, *accumulate((h.end for h in chain), max)]
    outline = [head for head in find_heads(text, free) if ends[bisect_left(starts, head.start)] <= head.start]
    found += Front(text, contents, page_starts, markers, [head.start for head in outline if not head.is_run_in]).opening(segments)
    found += _outline(text, outline, found, leaves)
    found = sorted(without_flush_text(text, found), key=lambda clause: (clause.start, -clause.end, clause.number))
    unused = [h for h in lines if h.start not in heads]
    others = [(number_text(h.number) if h.key else None) or h.number for h in unused] + [m.label for m in markers if m.label.isdecimal()]
    return found, frozenset(others)


def _counts_items(chain: Sequence[Heading], text: str) -> bool:
    """The numbers count a letter's conditions below one of its headings: one level, no word, and hardly one with a title of its own;
    several headings without numbers stand before them, one behind and none among them."""
    numbered = [heading for heading in chain if heading.key]
    lines = (text[heading.start : text.find("\n", heading.start)].partition(" ")[2] for heading in numbered)
    titled = sum(bool(run_in_title(line.replace("\xa0", " ").strip())) for line in lines)
    if not numbered or not all(map(is_item, numbered)) or 4 * titled >= len(numbered) or AGREED.search(text, 0, numbered[0].start):
        return False
    signed = SIGNATURE.search(text, numbered[-1].start)
    own = [head.start for head in find_heads(text, [(0, len(text))]) if signed is None or head.start < signed.start()]
    before = bisect_left(own, numbered[0].start)
    return 3 <= before < len(own) and own[before] > numbered[-1].start


_TAKEN = re.compile(r"\d|unplaced|contents|signature|article|.* paragraph ")
_ENDS = re.compile(rf"{_TAKEN.pattern}|(?:schedule|exhibit|annex|appendix)[^(]*$")


def _free(found: Sequence[Clause], length: int) -> list[tuple[int, int]]:
    """The stretches where no numbered clause is: all of a letter, what stands before the first number, forms."""
    free, at = [], 0
    for start, end in [*sorted((c.start, c.end) for c in found if _TAKEN.match(c.number)), (length, length)]:
        if start > at:
            free.append((at, start))
        at = max(at, end)
    return free


def _outline(text: str, outline: Sequence[OutlineHead], found: Sequence[Clause], leaves: "_Leaves") -> Iterator[Clause]:
    """The sections of headings without numbers, and what stands inside them."""
    known, others = {clause.start for clause in found}, sorted((c.start, c.number) for c in found if _ENDS.match(c.number))
    ends, bounds = [at for at, _ in others], [at for at, number in others if not number[0].isdigit()]
    for clause in outline_clauses(text, [head for head in outline if head.start not in known], ends, bounds):
        stop = min([clause.end, *ends[(at := bisect_left(ends, clause.start)) : at + 1]])
        yield clause
        yield from leaves.inside(clause.start, stop, clause.number, clause.title, clause.numbering)


@dataclass(frozen=True, slots=True)
class _Leaves:
    text: str
    markers: Sequence[Marker]
    definitions: Sequence[Definition]

    def of(self, heading: Heading, number: str, end: int, own_end: int, numbering: int) -> Iterator[Clause]:
        """A numbered provision, and what stands before those inside it."""
        yield Clause(number, heading.title, heading.start, end, numbering)
        yield from self.inside(heading.start, own_end, number, heading.title, numbering, end)

    def inside(
        self, start: int, end: int, number: str, title: str, numbering: int, whole: int = 0, *, is_schedule: bool = False
    ) -> Iterator[Clause]:
        """Definitions and paragraphs of one leaf; a definition has paragraphs of its own."""
        first, behind = (bisect_left(self.definitions, at, key=lambda one: one.start) for at in (start, end))
        own = list(self.definitions[first:behind])
        is_definitions = _DEFINITION_TITLE.search(title) is not None or is_schedule
        if own and is_definitions and not is_schedule and "defin" not in title.casefold():
            is_definitions = not between(self.markers, start, own[0].start)  # else terms in the midst of the clause's own paragraphs
        terms = [d for d in own if is_definitions or d.is_sure or d.start == start]
        # Where a single term is defined in an ordinary clause, the clause's own paragraphs go on after it; terms may have its labels.
        heads = {one.start for one in terms} if is_definitions else set()
        labels = [m for m in between(self.markers, start, end) if m.start < min(heads, default=end) or m.start in heads]
        yield from paragraphs_of(labels, start, end, number, numbering)
        for n, one in enumerate(terms):
            stop = one.ends_at(islice(terms, n + 1, None), self.text, end)
            stop = max(stop, whole) if one.start == start else stop
            name = "definition " + fold_words(one.term)
            yield Clause(name, one.term, one.start, stop, numbering)
            yield from paragraphs_of(self.markers, one.start + 1, stop, name, numbering)


def _numbered(segments: Sequence[Segment], numbering: int, signatures: Sequence[tuple[int, int]], leaves: _Leaves) -> Iterator[Clause]:
    segment = segments[numbering]
    last = max((h.start for h in segment.headings), default=segment.start)
    stop = min((start for start, _ in signatures if max(last, segment.start) < start < segment.end), default=segment.end)
    if segment.attachment is not None:
        yield Clause(segment.attachment.number, segment.attachment.title, segment.start, outer_end(segments, numbering), numbering)
        if not segment.is_agreement:
            yield from _items(segment, segment.attachment, numbering, leaves)
            return
    sections = [h for h in segment.headings if h.kind != "part"]
    seen_tops: dict[str, tuple[int, int]] = {}
    has_top = {h.key[0] for h in sections if len(h.key) == 1}
    for heading, end, leaf_end in _ends_of(sections, stop):
        if heading.kind == "unplaced":
            yield Clause(heading.number, "", heading.start, end, numbering)
            continue
        number = heading.number
        if heading.kind == "article":
            number = f"article {roman_text(int(heading.key[0])) if heading.key[0] < 400 else number}"
        yield from leaves.of(heading, number, end, leaf_end, numbering)
        if heading.key[0] not in has_top:
            top = (number_text(heading.number) or heading.number).split(".")[0]
            seen_tops[top] = (seen_tops.get(top, (heading.start, 0))[0], end)
        if heading.shown:
            yield Clause(heading.shown, heading.title, heading.start, end, numbering)
            yield from paragraphs_of(leaves.markers, heading.start, leaf_end, heading.shown, numbering)
    yield from (Clause(top, "", start, end, numbering) for top, (start, end) in seen_tops.items())


def _ends_of(headings: Sequence[Heading], stop: int) -> Iterator[tuple[Heading, int, int]]:
    """Each heading with where its provision ends, and where its own text before those inside it does."""
    starts = [*(heading.start for heading in headings), stop]
    for n, heading in enumerate(headings, 1):
        at = n
        while heading.key and at < len(headings) and headings[at].kind not in ("article", "unplaced"):
            later = headings[at].key
            is_below = len(later) > len(heading.key) and later[: len(heading.key)] == heading.key  # 5.1.2 in 5.1
            if not is_below and not (heading.kind == "article" and len(later) == 1):  # Section 1 in the ARTICLE 1 it follows
                break
            at += 1
        yield heading, starts[at], starts[n]


def _items(segment: Segment, attachment: Heading, numbering: int, leaves: _Leaves) -> Iterator[Clause]:
    """Parts and numbered items of a schedule."""
    base = attachment.number
    parts = [(f"{base} {h.number}", h.title, h.start) for h in segment.headings if h.kind == "part"]
    for (name, title, start), (*_, end) in pairwise([(base, "", segment.start), *parts, ("", "", segment.end)]):
        if name != base:
            yield Clause(name, title, start, end, numbering)
        items = [h for h in segment.headings if h.key and start <= h.start < end]
        yield from leaves.inside(start, items[0].start if items else end, name, "", numbering, is_schedule=True)
        for item, stop, leaf_end in _ends_of(items, end):
            yield from leaves.of(item, f"{name} paragraph {item.number}", stop, leaf_end, numbering)


_INSERTED = re.compile(
    r"^[ \t\xa0]*[“\"](?:(?:Clause|Section|CLAUSE|SECTION)[ \xa0])?(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?){0,3})\.?(?=[ \t\xa0\n])",
    re.M,
)
_INSERTED_END = re.compile(r"[”\"][ \t\xa0]*[.;,]?[ \t\xa0]*(?:and|or)?[ \t\xa0]*$", re.M)
_LONGEST_INSERTED = 20_000


def _inserted(text: str, chain: Sequence[Heading]) -> dict[tuple[int, int], str]:
    """Ranges and numbers of quoted provisions that an amendment puts into another agreement: “22.15 Sustainability (a) ... ”. Each ends at
    the latest where the amendment's own numbering goes on."""
    next_ones = [(one.end, two.start) for one, two in pairwise(chain) if one.key and two.key == (*one.key[:-1], one.key[-1] + 1)]
    found: dict[tuple[int, int], str] = {}
    last = 0
    for match in find_lines(_INSERTED, text):
        start = match.start()
        ends = (m.end() for m in _INSERTED_END.finditer(text, match.end(), start + _LONGEST_INSERTED) if start >= last)
        stop = next((after for before, after in next_ones if before <= start < after), None)
        counts = ((end, *(text.count(sign, start, end) for sign in '“”"')) for end in ends)
        end = next((end for end, opened, closed, straight in counts if opened == closed and straight % 2 == 0), stop)
        end = min(end, stop) if end is not None and stop is not None else end
        if end is not None:
            found[start, end], last = match["number"].casefold(), end
    return found
