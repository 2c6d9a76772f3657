"""What a question shows of the documents: the passages of the citations, cut around their quotes, and what they need to be understood: the
definitions of terms, found by the term, and the sections and schedules that are named.
The one place where context for a question is built; the cutting itself is extracts.py."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from deterministic.citations.check import CitationCheck
from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.lexicon.stems import content_words
from deterministic.values.time import dates
from judge.capabilities.context import Context
from judge.capabilities.definitions import COUNTED, definition_ranges, meant_terms
from judge.capabilities.extracts import (
    CUT,
    ROOM,
    STRETCH,
    Range,
    cut_before,
    cut_behind,
    extract_at,
    flowing,
    focused,
    parts_of,
    scope_at,
    shortened,
    telling,
    unseen,
)
from judge.capabilities.figures import SCANNED_LENGTH, holds_figure, values_in

LIST_ROOM = 12_000  # characters: a list is judged with all its items
_MOST_BESIDE = 12  # other citations that are shown
BESIDE_ROOM = 500  # characters around a quote that is cited for the same thing as the one that is asked about
SECTION_ROOM = 800  # characters of a section that is required or referred to
DEFINITION_ROOM = 350  # characters of one definition
DEFINITIONS_ROOM = 800  # characters of all definitions of a question
NESTED_ROOM = 300  # characters of the definitions that definitions lead to
_POINTER = 150  # characters of a definition that may only lead to another one; a longer one leads to those that what is judged speaks of
_LITTLE = 8  # characters that a definition has beside its term at least
_LONGEST_SCOPE = 20_000  # characters of a provision in which figures are looked for
_DATE_ROOM = 200  # characters around the date of a document
_FIRST = 3_000  # characters at the beginning of a document that can date it
_DATED = re.compile(r"\bdate\s+(?:of\s+this|hereof)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:(?:is|are|as)\s+defined|ha(?:s|ve)\s+the\s+(?:respective\s+)?meanings?)\b")
_REFERENCE = re.compile(
    r"\b(?:Schedule|Exhibit|Annex|Appendix|Section|Clause|Article)s?\s+(?:\d+(?:\.\d+)*|[IVX]+|[A-Z])(?:-\d+)?(?:\s?\([a-zA-Z0-9]{1,4}\))*(?!\w)"
)
FOUND = "Found by its words:"
_LACKING = 2  # missing words for which a further sentence of a cut provision is shown
_FOUND = 2  # places of a document that are found by words
_REFERENCES = 2  # sections that are shown because a text refers to them

Section = tuple[str, str | None]  # (reference, document name or None for the first that has it)


class _Excerpts:
    """What a question shows so far: its blocks, and the ranges of each document that they hold."""

    def __init__(self, context: Context) -> None:
        self.documents = context.documents
        self.blocks: list[str] = []
        self.ranges: dict[str, list[Range]] = {}

    def add(self, places: dict[str, list[Range]], room: int, title: str = "", about: str = "") -> None:
        """Adds what these places have that is not shown yet. about: of a cut provision what these words speak of goes along."""
        texts = []
        for name, some in places.items():
            known, document = self.ranges.setdefault(name, []), self.documents[name]
            also = list(_chosen(document, some, about, room)) if about else []
            extract = extract_at(document, list(dict.fromkeys(some)), room, known, also)
            known += extract.ranges
            texts += [extract.text if len(self.documents) == 1 else f"[{name}]\n{extract.text}"] * bool(extract.ranges)
        if texts:
            self.blocks.append("\n".join([title] * bool(title) + ["\n---\n".join(texts)]))

    def is_new(self, name: str, wanted: Range) -> bool:
        """Whether more than the beginning of a definition is not shown yet."""
        return sum(b - a for a, b in unseen(wanted, self.ranges.get(name, ()))) > (wanted[1] - wanted[0]) // 2

    @property
    def text(self) -> str:
        return "\n---\n".join(self.blocks)


def reading(
    context: Context,
    checks: Sequence[CitationCheck],
    about: str = "",
    *,
    room: int = ROOM,
    beside: Sequence[CitationCheck] = (),
    sections: Sequence[Section] = (),
) -> str:
    """The cited texts with what they need; "" when nothing was located and nothing is asked for. about: the claim, answer and gold that are
    judged, whose terms matter most. beside: other citations of the same thing, shown shorter. sections: those that must be there whatever
    is cited."""

    others = [check for check in beside if check not in checks][:_MOST_BESIDE]

    def build() -> str:
        shown, is_list = _Excerpts(context), room == LIST_ROOM
        shown.add(_cited(context, checks), room, about=about)
        shown.add(_cited(context, others), BESIDE_ROOM, "Also cited:")
        quotes = "\n".join(check.claim.quote or "" for check in checks)
        named = [(section, None) for section in _REFERENCE.findall(quotes if is_list else f"{quotes}\n{about}")][:_REFERENCES]
        for wanted, title in ((sections, "Section asked for:"), (named, "Referred to:")):
            for name, place in _sections(context, wanted, about, shown, room if is_list else SECTION_ROOM):
                shown.add({name: [place]}, room if is_list else SECTION_ROOM, title)
        if _DATED.search(f"{quotes}\n{shown.text}") and dates.scan(about[:SCANNED_LENGTH]):
            shown.add(_dates_of(context), _DATE_ROOM, "Referred to:")
        if not shown.blocks and about:
            shown.add(_nearest(context, about), room if is_list else SECTION_ROOM, FOUND)
        if not is_list:  # a list is read for what it has, not for what its terms mean
            for one in map(str, dict.fromkeys(c.found_in for c in checks if c.found_in in context.documents) or context.documents):
                definitions = list(_definitions(context.documents[one], about, quotes, shown))
                told = [" ".join(shown.text.split()), *definitions]
                if whole := [text for text in definitions if not any(text in other for other in told if other != text)]:
                    shown.blocks.append("\n".join(["Definitions:", *whole]))
        return shown.text

    key = ("reading", tuple(c.claim for c in checks), about, room, tuple(c.claim for c in others), tuple(sections))
    return context.cached(key, build)


def _cited(context: Context, checks: Sequence[CitationCheck]) -> dict[str, list[Range]]:
    """Where citations lead: their quotes, without one their section."""
    places: dict[str, list[Range]] = {}
    for check in checks:
        if check.spans and check.found_in in context.documents:
            places.setdefault(str(check.found_in), []).append(check.spans[0])
        elif check.quote == "missing" and check.claim.section:
            for name, place in section_places(context, check.claim.section, check.claim.document):
                places.setdefault(name, []).append(place)
    return places


def _chosen(document: Document, places: Sequence[Range], about: str, room: int) -> Iterator[Range]:
    """What of the cut provisions around places goes along with them: of a list the items nearest in words, as many as there is room for;
    of others the sentences or limbs that hold a figure which nothing beside them has, else the one with most of the missing words."""
    wanted, told = content_words(about), extract_at(document, places, room).text
    missing = [] if room == LIST_ROOM else [figure for figure in values_in(about) if not holds_figure(figure, told)]
    for scope in dict.fromkeys(scope_at(document, *place, room) for place in places):
        size = scope[1] - scope[0]
        if room == LIST_ROOM and size > room:
            yield from _nearest_items(document, scope, wanted, room)
        elif room < size <= _LONGEST_SCOPE:
            parts = {part: document.text[slice(*part)] for part in parts_of(document, scope)}
            figured = [part for part, text in parts.items() if any(holds_figure(figure, text) for figure in missing)]
            yield from figured[:_FOUND] or _telling_parts(parts, telling(about) - telling(told))


def _telling_parts(parts: Mapping[Range, str], lacking: frozenset[str]) -> Iterator[Range]:
    """The sentence or limb with most of the words that are lacking, if it has several, and the next one with what is lacking then."""
    words = {part: telling(text) for part, text in parts.items() if len(text) <= ROOM // 2}
    for least in (_LACKING, 1):
        best = max(words, key=lambda part: len(lacking & words[part]), default=None)
        if best is None or len(lacking & words[best]) < least:
            return
        yield best
        lacking -= words[best]


def _nearest_items(document: Document, scope: Range, wanted: frozenset[str], room: int) -> Iterator[Range]:
    """The parts of a provision that have most of the rare words of a list, under the headings of the provisions that they stand in."""
    parts = parts_of(document, scope)
    words = {part: content_words(document.text[slice(*part)]) & wanted for part in parts}
    count = Counter(word for some in words.values() for word in some)
    heads = {clause.start for clause in document.clauses.clauses if clause.number.count("(") == 0}
    for part in sorted(parts, key=lambda p: (p[0] not in heads, -sum(1 / count[word] for word in words[p]), p)):
        room -= part[1] - part[0]
        if room < 0:
            return
        yield part


def _dates_of(context: Context) -> dict[str, list[Range]]:
    """Where each document is dated: the first day that it names near its beginning."""
    found = {name: next(iter(dates.scan(document.text[:_FIRST])), None) for name, document in context.documents.items()}
    return {name: [(day.start, day.end)] for name, day in found.items() if day is not None}


def _found(context: Context, section: str, document: str | None) -> tuple[str, tuple[Clause, ...]]:
    """The provisions that a reference means, in the named document or the first that has it."""
    for name, one in context.documents.items():
        if document in (None, name) and (clauses := one.clauses.find(section).clauses):
            return name, clauses
    return "", ()


def section_places(context: Context, section: str, document: str | None = None) -> list[tuple[str, Range]]:
    """Where a section begins, as far as it is shown: of the named document, or of the first that has it."""
    name, clauses = _found(context, section, document)
    return [(name, (clause.start, _until(context.documents[name].text, clause.start, clause.end, ROOM))) for clause in clauses[:2]]


def _sections(context: Context, sections: Sequence[Section], about: str, shown: _Excerpts, room: int) -> Iterator[tuple[str, Range]]:
    """Of each section of which nothing is shown yet the part that speaks of what is asked. One that holds definitions is left out: they are
    found by their terms. An attachment that the index of provisions does not have is shown from the last line that begins with its name."""
    for section, wanted in sections:
        name, clauses = _found(context, section, wanted)
        if not clauses and section.startswith(("Schedule", "Exhibit", "Annex", "Appendix")):
            yield from list(_by_line(context, section, wanted, shown, room))[:1]
        if any(a < clause.end and clause.start < b for clause in clauses for a, b in shown.ranges.get(name, ())):
            continue
        for clause in sorted(clauses, key=lambda c: c.start - c.end)[:1]:  # the longest: others are its entries in a table of contents
            document = context.documents[name]
            if not any(c.number.startswith("definition ") and clause.start < c.start < clause.end for c in document.clauses.clauses):
                yield name, _best_place(document, clause, about, room)


def _by_line(context: Context, section: str, wanted: str | None, shown: _Excerpts, room: int) -> Iterator[tuple[str, Range]]:
    for name, document in context.documents.items():
        lines = list(re.finditer(rf"^\s*{re.escape(section)}(?![\w.])", document.text, re.MULTILINE | re.IGNORECASE))
        for line in lines[-1:] if wanted in (None, name) else ():
            ends = [clause.start for clause in document.clauses.clauses if clause.start > line.end()]
            place = line.start(), min([line.end() + room, len(document.text), *ends])
            if unseen(place, shown.ranges.get(name, ())) == [place]:
                yield name, place


def _best_place(document: Document, clause: Clause, about: str, room: int = SECTION_ROOM) -> Range:
    """The part of a provision that has most words of a text, from the provisions and paragraphs inside it; a short one whole."""
    if clause.end - clause.start <= room:
        return clause.start, clause.end
    inside = [c.start for c in document.clauses.clauses if clause.start < c.start < clause.end]
    lines = [match.end() for match in re.finditer(r"(?<=[.;:])\s+(?=[(A-Z])", document.text[clause.start : clause.end])]
    starts = sorted({clause.start, *inside, *(clause.start + at for at in lines)})
    wanted = content_words(about)
    spans = [(a, _until(document.text, a, b, room)) for a, b in zip(starts, [*starts[1:], clause.end], strict=True)]
    return max(spans, key=lambda s: (len(wanted & content_words(document.text[s[0] : s[1]])), -s[0]))


def places_of(context: Context, check: CitationCheck) -> str:
    """Where a quote that is not verbatim may stand: the cited section or page, and the most similar place where that is another."""
    shown = _Excerpts(context)
    document = context.documents.get(check.found_in or check.claim.document or "") or next(iter(context.documents.values()), None)
    if document is not None and not (check.section == "right" and check.page == "right"):
        quote = check.claim.quote or ""
        name, clauses = _found(context, check.claim.section, document.name) if check.claim.section else ("", ())
        if clauses:
            shown.add({name: [_best_place(document, clause, quote) for clause in clauses[:1]]}, ROOM)
        elif check.cited_page_text:
            shown.blocks.append(shortened(flowing(check.cited_page_text), 2 * ROOM))
    shown.add(_cited(context, [check]), ROOM)
    if not shown.blocks and check.claim.quote:
        shown.add(_nearest(context, check.claim.quote), ROOM, FOUND)
    return shown.text


def _nearest(context: Context, about: str) -> dict[str, list[Range]]:
    """The places of each document that have most of the rare words of a text, for what no citation leads to."""
    places: dict[str, list[Range]] = {}
    wanted = content_words(about)
    for name, document in context.documents.items():
        parts = document.cached("word places", partial(_word_places, document))
        count = Counter(word for words, _ in parts for word in words & wanted)
        worth = [(sum(1 / count[word] for word in words & wanted), -place[0], place) for words, place in parts]
        best = sorted(worth, reverse=True)[:_FOUND]
        places[name] = [place for value, _, place in best if value]
    return {name: some for name, some in places.items() if some}


def _word_places(document: Document) -> list[tuple[frozenset[str], Range]]:
    """The informative words of each provision that holds no other, in parts of some hundred characters."""
    starts = sorted({0, *(clause.start for clause in document.clauses.clauses if clause.number not in ("contents", "lists", "cover"))})
    hidden = [(c.start, c.end) for c in document.clauses.clauses if c.number in ("contents", "lists", "cover")]
    text, parts = document.text, list[Range]()
    for start, end in zip(starts, [*starts[1:], len(document.text)], strict=True):
        while start < end:  # each part up to the end of a sentence or word
            stop = _until(text, start, end, SECTION_ROOM)
            parts.append((start, stop))
            start = stop
    return [(content_words(document.text[a:b]), (a, b)) for a, b in parts if not any(low <= a < high for low, high in hidden)]


def _until(text: str, start: int, end: int, room: int) -> int:
    """Where a text of about `room` characters may end: at the end of its range, a sentence, an item or a word."""
    return end if end - start <= room else max(cut_behind(text, start + room, start + 1, end), start + 1)


def _definitions(document: Document, about: str, quotes: str, shown: _Excerpts) -> Iterator[str]:
    """Definitions of terms within their room: first those that claim and gold use, then the quotes', then those that these lead to."""
    counts = document.cached("term_counts", dict[str, int])
    ranges, room, nested, seen = definition_ranges(document), DEFINITIONS_ROOM, list[str](), set[str]()
    wanted = telling(about)
    for terms in (meant_terms(document, about), meant_terms(document, quotes), nested):
        if is_last := terms is nested:
            terms, room = [term for term in nested if _count(document, term, counts) <= COUNTED], min(room, NESTED_ROOM)
        for term in sorted(set(terms) - seen, key=lambda t: (not telling(t) & wanted, _count(document, t, counts), t)):
            seen.add(term)
            text, (start, end) = _definition(document, term, ranges[term], wanted)
            if not is_last:
                nested += [one for one in meant_terms(document, text) if len(text) <= _POINTER or telling(one) & wanted]
            if len(term) + _LITTLE < len(text) <= room and shown.is_new(document.name, (start, end)):
                shown.ranges.setdefault(document.name, []).append((start, end))
                room -= len(text)
                yield text


def _definition(document: Document, term: str, ranges: Sequence[Range], wanted: frozenset[str]) -> tuple[str, Range]:
    """What a term means, as far as it is shown, with the limb that speaks of what is wanted: of one that is defined by reference what it
    refers to; "" where that is not there."""
    texts = [(_defining(document, *place), place) for place in ranges]
    text, place = next((one for one in texts if not _POINTS.search(one[0][:200])), texts[0])
    if not _POINTS.search(text[:200]):
        return focused(text, DEFINITION_ROOM, wanted), place
    reference = _REFERENCE.search(text)
    clauses = document.clauses.find(reference[0]).clauses if reference else ()
    if reference is None or not clauses or clauses[0].number.startswith("definition "):
        return "", place
    return f"{term} ({reference[0]}): {focused(_speaking_of(document, clauses[0], term), DEFINITION_ROOM, wanted)}", place


def _defining(document: Document, start: int, end: int) -> str:
    """The text of a definition; of a term that is defined where it stands the sentence or limb up to it, of a long one the end."""
    clauses, mark = document.clauses.at(start, end), ""
    if not any(clause.start == start and clause.number.startswith("definition ") for clause in clauses):
        low = max([start - STRETCH, 0, *(clause.start for clause in clauses)])
        start = cut_before(document.text, start, low, document.text.rfind("(", start, end))
        if end - start > DEFINITION_ROOM:
            mark = f"{CUT} "
            start = document.text.find(" ", end - DEFINITION_ROOM + len(mark)) + 1
    return mark + " ".join(document.text[start:end].split())


def _speaking_of(document: Document, clause: Clause, term: str) -> str:
    """The text of a provision from the sentence that has a term in quotation marks, else from its beginning."""
    text = flowing(document.text[clause.start : clause.end])
    found = re.search(r"[“\"]" + r"\s+".join(map(re.escape, term.split())), text)
    return text if found is None else text[max(text.rfind(". ", 0, found.start()) + 1, found.start() - DEFINITION_ROOM // 2) :].strip()


def _count(document: Document, term: str, counts: dict[str, int]) -> int:
    if term not in counts:
        first, *rest = map(re.escape, term.split())  # the search is fast where a pattern begins with letters
        pattern = r"\s+".join((rf"{first}(?<!\w{first})", *rest))
        counts[term] = len(re.findall(rf"{pattern}(?!\w)", document.text))
    return counts[term]
