"""Builds the list of a document's provisions from its text: numbered clauses, paragraphs, definitions, schedules, recitals, parties ..."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from deterministic.clauses.contents import confirm_listed, find_contents, without_lists
from deterministic.clauses.headings import Heading, choose_chain, find_candidates, place_in_articles
from deterministic.clauses.paragraphs import Marker, find_markers, nest
from deterministic.clauses.numerals import fold_words, number_text, roman_text


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered or named provision; it contains its sub-clauses."""

    number: str
    """As the document numbers it, folded: "5.1(a)(i)", "2.01(b)", "article ii", "schedule 2 part 1", "parties", "recital b", "cover",
    "signature", "contents", "definition margin"; a numbered paragraph of a schedule is "schedule 2 paragraph 3(a)"."""
    title: str
    """Heading words, "" when it has none."""
    start: int
    end: int
    """Range in the document's text."""
    numbering: int
    """Which numbering of the file: 0, 1, ...; an amendment with a conformed copy attached has two, every schedule has its own."""


@dataclass(slots=True)
class _Segment:
    """A stretch with one numbering: the body of an agreement, or one attachment."""

    attachment: Heading | None
    start: int
    end: int = 0
    headings: list[Heading] = field(default_factory=list)

    @property
    def is_agreement(self) -> bool:
        """Numbered as clauses of an agreement (also one that is attached as an exhibit), not as items of a schedule."""
        if self.attachment is None:
            return True
        sections = [h for h in self.headings if h.kind == "section"]
        has_articles = any(h.kind == "article" for h in self.headings) or any(h.number.startswith("i") for h in sections)
        # Different numbers: two short forms in one exhibit, each counted from 1, are no agreement.
        numbers = {h.key for h in sections}
        divided = sum(len(key) > 1 for key in numbers)
        is_copy = _COPY.search(self.attachment.title) is not None and not _FORM.search(self.attachment.title)
        return len(numbers) >= 25 or divided >= 12 or (len(numbers) >= 3 and (has_articles or (is_copy and divided >= 2)))


_PARAGRAPH = 5_000
"""Characters after which a definition outside any numbered clause is cut off."""
_COPY = re.compile(r"\b(?:amended|restated|conformed|consolidated|(?:credit|facilit(?:y|ies)|loan) agreement)\b", re.I)
_FORM = re.compile(r"\bform of\b", re.I)
_DEFINITION = re.compile(
    r"^[ \t\xa0•*]*(?:\([a-z]{1,3}\)[ \t\xa0]*)?[“\"‘„«]\s*(?P<term>[^”\"’»\n]{1,90}?)[\s,]*[”\"’»][^\n]{0,80}?(?:[\s,]|^)(?P<verb>means?|shall\s+mean|(?:has|have|having|shall\s+have)\s+the\s+(?:respective\s+)?meaning|is\s+defined|"  # noqa: E501
    r"are\s+defined|shall\s+be|refers?\s+to|includes?|is\b|are\b|:)|"
    r"^[ \t\xa0]*(?P<bare>[A-Z][\w’'&/ -]{1,60}?)\s+(?:means\b|has the meaning\b|shall mean\b|shall have the meaning\b)",
    re.M,
)
_DEFINITION_TITLE = re.compile(r"\bdefin|\binterpret", re.I)
_INTRO = re.compile(
    r"^[ \t\xa0]*(?:(?:THE\s+)?PARTIES\s*:?[ \t\xa0]*$|BETWEEN\s*:?[ \t\xa0]*$|(?:THIS|This|The|THE)[ \xa0][^\n]{0,120}?(?:AGREEMENT|Agreement|DEED|Deed|AMENDMENT|Amendment|LETTER|NOTE|INDENTURE)\b"  # noqa: E501
    r"(?=[^\n]{0,200}(?:\n[^\n]*){0,3}?(?:dated|made|entered|between|among|is\s))|"
    r"[A-Z][A-Z ]{4,60}(?:AGREEMENT|DEED)[^\n]{0,40}\b(?:dated|made|entered)\b)",
    re.M,
)
_RECITALS = re.compile(
    r"^[ \t\xa0*]*(?:(?:THE\s+)?(?:RECITALS?|Recitals?)[ \t\xa0:.]*$|(?:BACKGROUND|Background)(?: OF[^\n]*)?[ \t\xa0:]*$|W\s*I\s*T\s*N\s*E\s*S\s*S\s*E\s*T\s*H[ \t\xa0:]*$|PRELIMINARY STATEMENTS?[ \t\xa0:.]*$|WHEREAS\b|INTRODUCTION[ \t\xa0:]*$)",  # noqa: E501
    re.M,
)
_AGREED = re.compile(
    r"^[ \t\xa0]*(?:IT IS (?:HEREBY )?(?:MUTUALLY )?AGREED|It is (?:hereby )?agreed|NOW,?\s+THEREFORE|Now,?\s+therefore|THE PARTIES (?:HERETO )?(?:HEREBY )?AGREE|The parties (?:hereto )?(?:hereby )?agree|"  # noqa: E501
    r"AGREED TERMS|OPERATIVE PROVISIONS|ACCORDINGLY|In consideration|IN CONSIDERATION|NOW IT IS|THIS DEED WITNESSES)",
    re.M,
)
_SIGNATURE = re.compile(
    r"^[ \t\xa0]*(?:IN WITNESS WHEREOF|In witness whereof|IN WITNESS of which|(?:THE )?SIGNATURES?[ \t\xa0]*$|SIGNATORIES[ \t\xa0]*$|EXECUTION PAGES?[ \t\xa0]*$|SIGNATURE PAGES?\b|"  # noqa: E501
    r"\[?(?:Signature|SIGNATURE) (?:Pages?|PAGES?) (?:to|follow|TO|FOLLOW)|EXECUTED (?:as|by)|SIGNED (?:by|for)|This (?:Agreement|Deed) has been (?:entered into|executed|signed)[^\n]{0,60}\b(?:beginning|date|deed)|"  # noqa: E501
    r"Yours (?:faithfully|sincerely|truly)|Very truly yours|(?:ACCEPTED|AGREED|ACKNOWLEDGED|Accepted|Agreed|Acknowledged)(?:,? (?:AND|TO|and|to|&) (?:ACCEPTED|AGREED|ACKNOWLEDGED|accepted|agreed|acknowledged))?(?: (?:by|BY|as of|this|on|for)\b[^\n]{0,60})?[:.,]?[ \t\xa0]*$|"  # noqa: E501
    r"THE (?:BORROWER|AGENT|LENDERS?|COMPANY|ORIGINAL LENDERS?|PARENT)[ \t\xa0]*\n[^\n]{3,80}\n[^\n]*\bBy\s*:)",
    re.M,
)


def build_provisions(text: str, page_starts: Sequence[int] = ()) -> tuple[tuple[Clause, ...], frozenset[str]]:
    """Every provision of a text in order of place (outer ones first), and the numbers that its contents pages list."""
    candidates = place_in_articles(find_candidates(text, page_starts))
    contents = find_contents(text, candidates)
    chain = choose_chain(without_lists(confirm_listed(candidates, contents)))
    segments = _segments(chain, len(text))
    signatures = _signatures(text, segments, contents)
    inserted = _inserted(text)
    markers = [marker for marker in find_markers(text) if not _within(marker.start, inserted)]
    definitions = _definitions(text)
    found: list[Clause] = [Clause("contents", "Contents", start, end, 0) for start, end in contents]
    found += [Clause("signature", "", start, end, 0) for start, end in signatures]
    for number, segment in enumerate(segments):
        found += _numbered(text, segment, number, signatures, markers, definitions)
    found += _quoted_provisions(text, inserted, len(segments), definitions)
    found += _opening(text, segments, contents, page_starts, markers)
    found += _loose_definitions(definitions, found, text)
    found.sort(key=lambda clause: (clause.start, -clause.end, clause.number))
    listed = frozenset(_listed(h) for h in candidates if _within(h.start, contents))
    return tuple(found), listed


def _within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)


def _listed(heading: Heading) -> str:
    return (number_text(heading.number) if heading.key else None) or heading.number


def _segments(chain: Sequence[Heading], length: int) -> list[_Segment]:
    """Cuts the chain where an attachment starts or the numbers start again."""
    segments = [_Segment(None, 0)]
    last: tuple[float, ...] = ()
    for heading in chain:
        current = segments[-1]
        if heading.kind == "attachment":
            segments.append(_Segment(heading, heading.start))
            last = ()
        elif heading.key and heading.key <= last and not (heading.key == last and current.headings[-1].kind == "article"):
            # Items start again under each part of a schedule; elsewhere a new start is a new agreement.
            if current.attachment is None or current.is_agreement or _is_body_after(segments, heading, chain):
                segments.append(_Segment(None, heading.start))
            last = heading.key
        elif heading.key:
            last = heading.key
        if heading.kind == "part":
            last = ()
        if heading.kind != "attachment":
            segments[-1].headings.append(heading)
    for n, segment in enumerate(segments):
        segment.end = segments[n + 1].start if n + 1 < len(segments) else length
    return segments


def _is_body_after(segments: Sequence[_Segment], heading: Heading, chain: Sequence[Heading]) -> bool:
    """A schedule of key terms stands in front: no clause has come before it, and from `heading` on there are divided clauses."""
    if any(segment.attachment is None and segment.headings for segment in segments):
        return False
    following = [h for h in chain if h.start >= heading.start]
    own = following[: next((n for n, h in enumerate(following) if h.kind == "attachment"), len(following))]
    return sum(len(h.key) > 1 for h in own) >= 2


def _signatures(text: str, segments: Sequence[_Segment], contents: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Signature blocks: from their first words to the next heading of any kind, the contents page or the end."""
    stops = sorted(
        [s.start for s in segments if s.start]
        + [h.start for s in segments for h in s.headings]
        + [start for start, _ in contents]
        + [len(text)]
    )
    heads = {h.start for s in segments for h in s.headings}
    found: list[tuple[int, int]] = []
    for match in _SIGNATURE.finditer(text):
        if (found and match.start() < found[-1][1]) or _within(match.start(), contents):
            continue
        stop = stops[min(bisect_right(stops, match.start()), len(stops) - 1)]
        segment = segments[max(0, bisect_right([s.start for s in segments], match.start()) - 1)]
        if (
            stop in heads
            and stop != segment.end
            and segment.is_agreement
            and any(h.start > match.start() for h in segment.headings if h.kind != "part")
        ):
            continue
        found.append((match.start(), stop))
    return found


# ---- numbered clauses -------------------------------------------------------------------------------------------------


def _numbered(
    text: str,
    segment: _Segment,
    numbering: int,
    signatures: Sequence[tuple[int, int]],
    markers: Sequence[Marker],
    definitions: Sequence[tuple[int, str, bool]],
) -> Iterator[Clause]:
    stop = min(
        (start for start, _ in signatures if segment.start < start < segment.end and all(h.start < start for h in segment.headings)),
        default=segment.end,
    )
    if segment.attachment is not None:
        yield Clause(segment.attachment.number, segment.attachment.title, segment.start, segment.end, numbering)
    if segment.attachment is not None and not segment.is_agreement:
        yield from _items(text, segment, numbering, markers, definitions)
        return
    sections = [h for h in segment.headings if h.kind != "part"]
    seen_tops: dict[str, tuple[int, int]] = {}
    has_top = {h.key[0] for h in sections if len(h.key) == 1}
    for n, heading in enumerate(sections):
        end = next((h.start for h in sections[n + 1 :] if not _extends(h, heading)), stop)
        number = f"article {_article_number(heading)}" if heading.kind == "article" else heading.number
        yield Clause(number, heading.title, heading.start, end, numbering)
        if heading.key[0] not in has_top:
            top = (number_text(heading.number) or heading.number).split(".")[0]
            seen_tops[top] = (seen_tops.get(top, (heading.start, 0))[0], end)
        leaf_end = sections[n + 1].start if n + 1 < len(sections) else stop
        yield from _inner(
            heading.start, leaf_end, number, _DEFINITION_TITLE.search(heading.title) is not None, numbering, markers, definitions
        )
    for top, (start, end) in seen_tops.items():
        yield Clause(top, "", start, end, numbering)


def _article_number(heading: Heading) -> str:
    return roman_text(int(heading.key[0])) if heading.key[0] < 400 else heading.number


def _extends(later: Heading, heading: Heading) -> bool:
    """`later` lies inside `heading`: 5.1.2 in 5.1; Section 1 in the ARTICLE 1 it follows."""
    if later.kind == "article":
        return False
    if heading.kind == "article" and len(later.key) == 1:
        return True
    return len(later.key) > len(heading.key) and later.key[: len(heading.key)] == heading.key


def _inner(
    start: int,
    end: int,
    number: str,
    is_definitions: bool,
    numbering: int,
    markers: Sequence[Marker],
    definitions: Sequence[tuple[int, str, bool]],
) -> Iterator[Clause]:
    """Definitions and bracketed paragraphs of one leaf; a definition has paragraphs of its own."""
    terms = [(at, term) for at, term, is_bare in _slice(definitions, start, end) if is_definitions or not is_bare]
    # Where a single term is defined in an ordinary clause, the clause's own paragraphs go on after it.
    own = _slice_markers(markers, start, terms[0][0] if terms and is_definitions else end)
    for paragraph in nest(own, end):
        yield Clause(number + _bracketed(paragraph.parts), "", paragraph.start, paragraph.end, numbering)
    for n, (at, term) in enumerate(terms):
        stop = terms[n + 1][0] if n + 1 < len(terms) else end
        name = "definition " + fold_words(term)
        yield Clause(name, term, at, stop, numbering)
        for paragraph in nest(_slice_markers(markers, at, stop), stop):
            yield Clause(name + _bracketed(paragraph.parts), "", paragraph.start, paragraph.end, numbering)


_INSERTED = re.compile(
    r"^[ \t\xa0]*[“\"](?:(?:Clause|Section|CLAUSE|SECTION)[ \xa0])?(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Z]?){0,3})\.?(?=[ \t\xa0\n])",
    re.M,
)
_INSERTED_END = re.compile(r"[”\"][ \t\xa0]*[.;,]?[ \t\xa0]*(?:and|or)?[ \t\xa0]*$", re.M)
_LONGEST_INSERTED = 20_000


def _inserted(text: str) -> list[tuple[int, int]]:
    """Ranges of quoted provisions that an amendment puts into another agreement: “22.15 Sustainability (a) ... ”."""
    found: list[tuple[int, int]] = []
    for match in _INSERTED.finditer(text):
        if found and match.start() < found[-1][1]:
            continue
        for end in _INSERTED_END.finditer(text, match.end(), match.start() + _LONGEST_INSERTED):
            if text.count("“", match.start(), end.end()) == text.count("”", match.start(), end.end()):
                found.append((match.start(), end.end()))
                break
    return found


def _quoted_provisions(
    text: str, inserted: Sequence[tuple[int, int]], numbering: int, definitions: Sequence[tuple[int, str, bool]]
) -> Iterator[Clause]:
    """The provisions that an amendment sets out, by the number they have in the agreement that they go into."""
    for start, end in inserted:
        match = _INSERTED.match(text, start)
        assert match is not None
        number = match["number"].casefold()
        yield Clause(number, "", start, end, numbering)
        shifted = [replace(marker, start=marker.start + start) for marker in find_markers(text[start:end])]
        yield from _inner(start, end, number, False, numbering, shifted, definitions)


def _bracketed(parts: Sequence[str]) -> str:
    return "".join(f"({part})" for part in parts)


def _slice(definitions: Sequence[tuple[int, str, bool]], start: int, end: int) -> Sequence[tuple[int, str, bool]]:
    return definitions[bisect_left(definitions, (start,)) : bisect_left(definitions, (end,))]


def _slice_markers(markers: Sequence[Marker], start: int, end: int) -> Sequence[Marker]:
    first = bisect_left(markers, start, key=lambda marker: marker.start)
    return markers[first : bisect_left(markers, end, lo=first, key=lambda marker: marker.start)]


def _items(
    text: str, segment: _Segment, numbering: int, markers: Sequence[Marker], definitions: Sequence[tuple[int, str, bool]]
) -> Iterator[Clause]:
    """Parts and numbered items of a schedule."""
    assert segment.attachment is not None
    parts = [h for h in segment.headings if h.kind == "part"]
    base = segment.attachment.number
    bounds = [(base, segment.start, parts[0].start if parts else segment.end)]
    for n, part in enumerate(parts):
        end = parts[n + 1].start if n + 1 < len(parts) else segment.end
        bounds.append((f"{base} {part.number}", part.start, end))
        yield Clause(f"{base} {part.number}", part.title, part.start, end, numbering)
    for name, start, end in bounds:
        items = [h for h in segment.headings if h.key and start <= h.start < end]
        yield from _inner(start, items[0].start if items else end, name, True, numbering, markers, definitions)
        for n, item in enumerate(items):
            stop = next((h.start for h in items[n + 1 :] if not _extends(h, item)), end)
            leaf = items[n + 1].start if n + 1 < len(items) else end
            number = f"{name} paragraph {item.number}"
            yield Clause(number, item.title, item.start, stop, numbering)
            yield from _inner(item.start, leaf, number, False, numbering, markers, definitions)


# ---- definitions --------------------------------------------------------------------------------------------------------


def _definitions(text: str) -> list[tuple[int, str, bool]]:
    """(offset, term, written without quotation marks) of every line that defines a term."""
    return [
        (match.start() + len(match[0]) - len(match[0].lstrip(" \t\xa0•*")), match["term"] or match["bare"], match["bare"] is not None)
        for match in _DEFINITION.finditer(text)
    ]


def _loose_definitions(definitions: Sequence[tuple[int, str, bool]], found: Sequence[Clause], text: str) -> Iterator[Clause]:
    """Terms defined outside numbered clauses, up to the end of their paragraph."""
    known = {clause.start for clause in found if clause.number.startswith("definition ")}
    for at, term, is_bare in definitions:
        if at not in known and not is_bare:
            near = min(len(text), at + _PARAGRAPH)
            stop = min((p for p in (text.find(end, at, near) for end in (".\n", "\n\n", ";\n")) if p >= 0), default=near)
            yield Clause("definition " + fold_words(term), term, at, min(stop + 1, len(text)), 0)


# ---- what stands before the first clause ----------------------------------------------------------------------------------


def _opening(
    text: str, segments: Sequence[_Segment], contents: Sequence[tuple[int, int]], page_starts: Sequence[int], markers: Sequence[Marker]
) -> Iterator[Clause]:
    """Cover, parties block and recitals before the first clause of each agreement in the file."""
    previous = 0
    for number, segment in enumerate(segments):
        first = next((h.start for h in segment.headings if h.kind != "part"), None)
        if segment.is_agreement and (first is not None or len(segments) == 1):
            yield from _opening_of(
                text, max(previous, segment.start), first if first is not None else len(text), number, contents, page_starts, markers
            )
        previous = segment.headings[-1].start if segment.headings else segment.start


def _opening_of(
    text: str,
    start: int,
    end: int,
    numbering: int,
    contents: Sequence[tuple[int, int]],
    page_starts: Sequence[int],
    markers: Sequence[Marker],
) -> Iterator[Clause]:
    listed = [(a, b) for a, b in contents if start <= a < end]
    after_list = max((b for _, b in listed), default=start)
    intro = _first(_INTRO, text, after_list, end) or _first(_INTRO, text, start, end)
    recitals = _first(_RECITALS, text, intro if intro is not None else after_list, end)
    agreed = _first(_AGREED, text, recitals or intro or after_list, end)
    if intro is None and recitals is not None:
        intro = after_list
    stop = agreed if agreed is not None else end
    if intro is not None:
        block_end = recitals if recitals is not None else stop
        yield Clause("parties", "Parties", intro, block_end, numbering)
        for paragraph in nest(_slice_markers(markers, intro, block_end), block_end):
            yield Clause("parties" + _bracketed(paragraph.parts), "", paragraph.start, paragraph.end, numbering)
    if recitals is not None:
        yield Clause("recitals", "Recitals", recitals, stop, numbering)
        yield from _recital_items(text, recitals, stop, numbering, markers)
    cover_end = min([a for a, _ in listed] + [intro if intro is not None else end])
    if start == 0:
        cover_end = max(cover_end, min(page_starts[1] - 1 if len(page_starts) > 1 else 0, end))
    if cover_end > start:
        yield Clause("cover", "", start, cover_end, numbering)


def _first(pattern: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    match = pattern.search(text, start, end)
    return match.start() if match else None


def _bare_letters(text: str, start: int, end: int) -> Iterator[int]:
    """Lines that begin with A, B, C ... in turn, without brackets."""
    wanted = "A"
    for match in re.compile(r"^[ \t\xa0]*([A-Z])[.)]?(?=[ \t\xa0\n])", re.M).finditer(text, start, end):
        if match[1] == wanted:
            yield match.start(1)
            wanted = chr(ord(wanted) + 1)


def _recital_items(text: str, start: int, end: int, numbering: int, markers: Sequence[Marker]) -> Iterator[Clause]:
    """Lettered recitals; recitals that start with WHEREAS are counted."""
    lettered = nest(_slice_markers(markers, start, end), end)
    if lettered:
        for paragraph in lettered:
            first, *rest = paragraph.parts
            yield Clause(f"recital {first.casefold()}" + _bracketed(rest), "", paragraph.start, paragraph.end, numbering)
        return
    bare = list(_bare_letters(text, start, end))
    if len(bare) > 1:
        for n, at in enumerate(bare):
            yield Clause(f"recital {chr(97 + n)}", "", at, bare[n + 1] if n + 1 < len(bare) else end, numbering)
        return
    places = [match.start() for match in re.compile(r"^[ \t\xa0]*WHEREAS\b", re.M).finditer(text, start, end)]
    for n, at in enumerate(places):
        yield Clause(f"recital {n + 1}", "", at, places[n + 1] if n + 1 < len(places) else end, numbering)
