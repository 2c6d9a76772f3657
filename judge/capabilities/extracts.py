"""The text around a place as a reader needs it: headings and lead-ins above it, the place itself, and how much is left out.
Cuts stand at the end of a sentence, a limb or a list item, else between words; a range that a reader has been shown is not shown again. For
the question whether a quote stands at its cited place `surroundings` gives the printed pages with their numbers."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from deterministic.clauses.index import Clause, parse_reference
from deterministic.clauses.numerals import number_key
from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import words_of
from deterministic.lexicon.spelling import fold_words, spaced_pattern
from deterministic.lexicon.stems import content_words

ROOM = 1000
"""Characters of a provision that are shown around a place; a shorter provision is shown whole."""
LEAD = 600
"""Characters of a heading with its lead-in."""
STRETCH = 300
"""Characters that a cut may move to reach the end of a sentence or item."""
HEADING = 120
CUT = "[...]"
ABOVE = "[... shown above ...]"
_LITTLE = 25  # characters that are not worth a second extract
_NEAR = 150  # characters that are shown rather than counted
_ATTACHED = ("schedule", "exhibit", "annex", "appendix", "attachment")
_UNREAD = ("contents", "lists", "cover", "signature")
# a line that begins a paragraph: (a), 5.1, “Term”, a bullet, a heading in capitals
_BEGINS = re.compile(r"\s*(?:\([a-zA-Z0-9]{1,5}\)|\d+(?:\.\d+)*[.)]?\s|[“\"•–-]|[A-Z][A-Z ]{3,}$)")
_NUMBER = re.compile(r"\s*(?:\(\d+\)|\d+)\s")  # the figure of "three\n(3) Business Days" begins no paragraph
# where a text may be cut: behind a full stop or semicolon, before a limb, a defined term or a bullet on a line of its own
_STOP = re.compile(
    r"(?<![ap]\.m\.)(?<=[.;:])[”\"’)]*\s+(?=[(A-Z“\"‘•–-])|(?<=,)\s+(?=\([a-zA-Z0-9]{1,4}\)\s)|(?<=;)\s+|\n(?=\s*(?:\([a-zA-Z0-9]{1,5}\)\s|[“\"•–]))"
)
# where a new part of a sentence may begin: also a limb behind "and" or "or"
_PART = re.compile(rf"{_STOP.pattern}|\s+(?=(?:and|or)\s+\([a-zA-Z0-9]{{1,4}}\)\s)")

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Extract:
    """What is shown of a document, and the ranges of its text that it shows."""

    text: str
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class _Window:
    """What of a provision is shown. scope: the provision's range; start, end: the part of it around a place."""

    scope: Range
    start: int
    end: int
    above: tuple[Clause, ...]


def extract_at(
    document: Document, places: Sequence[Range], room: int = ROOM, known: Sequence[Range] = (), also: Sequence[Range] = ()
) -> Extract:
    """Several places of a document, each provision once, in the document's order; `room` is for each place. known: ranges that the reader
    has before him, which are left out. also: parts of the same provisions, shown just as they are, each provision then only around its
    place beside them."""
    around = ROOM if also else room

    def window_at(start: int, end: int) -> _Window:  # each of many citations is shown beside all the others
        return document.cached(("window", start, end, room, around), lambda: _window(document, start, end, room, around))

    windows = [window_at(*place) for place in places]
    for part in also:
        one = next((w for w in windows if w.scope[0] <= part[0] and part[1] <= w.scope[1]), None)
        windows += [] if one is None else [_Window(one.scope, *part, one.above)]
    texts, ranges = list[str](), list(known)
    for _, group in groupby(sorted(windows, key=lambda w: (w.scope, w.start)), key=lambda w: w.scope):
        text, shown = _joined_windows(document, list(group), ranges)
        if shown:
            texts.append(text)
            ranges += shown
    return Extract("\n---\n".join(texts), tuple(ranges[len(known) :]))


def scope_at(document: Document, start: int, end: int, room: int = ROOM) -> Range:
    """The provision that is shown of a place, whole or cut."""
    chain = _chain(document, start, end)
    low, high = _scope(chain, room) if chain else _bare_scope(document, start, end)
    return min(low, start), max(high, end)


def parts_of(document: Document, scope: Range) -> list[Range]:
    """The provisions, sentences and limbs of a range, one behind the other."""
    low, high = scope
    inside = [clause.start for clause in document.clauses.clauses if low < clause.start < high]
    return list(pairwise([*sorted({low, *inside, *(match.end() for match in _PART.finditer(document.text, low, high))}), high]))


def _window(document: Document, start: int, end: int, room: int, around: int) -> _Window:
    chain, scope = _chain(document, start, end), scope_at(document, start, end, room)
    inner = max((clause.start for clause in chain if clause.start <= start), default=start)
    is_whole = scope[1] - scope[0] <= room
    low, high = scope if is_whole else _around(document.text, scope, start, end, around, inner)
    above = tuple(clause for clause in chain if clause.start < low and (clause.start, clause.end) != (low, high))
    return _Window(scope, low, high, above)


def _chain(document: Document, start: int, end: int) -> tuple[Clause, ...]:
    """The provisions that hold the place, outermost first. A definition is a provision of its own."""
    found = document.clauses.at(start, end) or document.clauses.at(start, start + 1)
    return tuple(clause for clause in found if clause.number not in _UNREAD)


def _scope(chain: Sequence[Clause], room: int) -> Range:
    """The widest provision that can be shown whole, or, when it says little by itself, the next wider one, to be cut around the place."""
    own = [n for n, clause in enumerate(chain) if clause.number.startswith("definition ")]
    inner = chain[own[-1] :] if own else chain
    whole = [n for n, clause in enumerate(inner) if clause.end - clause.start <= room]
    first = whole[0] if whole else len(inner)
    is_enough = bool(whole) and (inner[first].end - inner[first].start > room // 3 or first == 0)
    clause = inner[first if is_enough else max(first - 1, 0)]
    return clause.start, clause.end


def _bare_scope(document: Document, start: int, end: int) -> Range:
    """Around a place in no provision: its page, up to a cover, contents page or signature block beside it."""
    pages = document.pages_of(start, end) or (1,)
    ends = (*document.page_starts[1:], len(document.text))
    low, high = document.page_starts[pages[0] - 1] if document.page_starts else 0, ends[pages[-1] - 1]
    for clause in document.clauses.clauses:
        if clause.number in _UNREAD:
            low = clause.end if low < clause.end <= start else clause.start if low < clause.start <= start else low
            high = clause.start if end <= clause.start < high else clause.end if end <= clause.end < high else high
    return low, high


def _around(text: str, scope: Range, start: int, end: int, room: int, inner: int) -> Range:
    """The part of a provision around a place, from where its limb begins, if that is near. A place that runs on past it is shown whole.
    inner: where the innermost provision begins; what follows it says more of the place than what stands before it."""
    low, high = scope
    spare = max(room - (end - start), 400)
    before = inner if start - inner <= spare * 2 // 3 else start - spare // 2
    first = max(low, before)
    if low < first != inner:
        first = cut_before(text, first, low, start)
    if (last := min(high, max(end, first + room))) < high:
        last = cut_behind(text, last, end, high)
    return min(first, start), max(last, end)


def cut_before(text: str, at: int, low: int, start: int) -> int:
    """The nearest place before `at` where a text may begin, else behind it, before `start`."""
    stops = [match.end() for match in _STOP.finditer(text, max(low, at - STRETCH), start)]
    before, behind = [stop for stop in stops if stop <= at], [stop for stop in stops if stop > at]
    if before or behind:
        return before[-1] if before else behind[0]
    return low if at - low < STRETCH else max(low, text.rfind(" ", low, at) + 1, text.rfind("\n", low, at) + 1)


def cut_behind(text: str, at: int, low: int, high: int) -> int:
    """The nearest place around `at`, between `low` and `high`, where a text may end."""
    if stops := [match.start() for match in _STOP.finditer(text, max(low, at - STRETCH), min(high, at + STRETCH))]:
        return min(stops, key=lambda stop: abs(stop - at))
    blanks = [found for mark in (" ", "\n") if (found := text.find(mark, at, high)) >= 0]
    return min(blanks, default=high)


def shortened(text: str, room: int) -> str:
    """A text of at most about `room` characters, cut behind a sentence or item, else behind a word, with a mark."""
    if len(text) <= room:
        return text
    stops = [match.start() for match in _STOP.finditer(text, room // 2, room)]
    blank = max(text.rfind(" ", 0, room), text.rfind("\n", 0, room))
    return f"{text[: stops[-1] if stops else blank if blank > 0 else room].rstrip()} {CUT}"


def telling(text: str) -> frozenset[str]:
    """The informative words of a text, and those that limit a value: a floor, a cap."""
    return content_words(text) | (words_of("limit") & frozenset(re.findall(r"\w+", text.casefold())))


def focused(text: str, room: int, wanted: frozenset[str]) -> str:
    """As `shortened`, and of what is cut off the sentence or limb that has most of the wanted words (`telling`) which the rest lacks."""
    if (start := shortened(text, room)) == text or not (lacking := wanted - telling(start)):
        return start
    parts = [text[a:b] for a, b in pairwise([0, *(match.end() for match in _PART.finditer(text)), len(text)])]
    shared = [len(lacking & telling(part)) for part in parts]
    if not max(shared):
        return start
    at = shared.index(max(shared))
    part, before = shortened(parts[at].strip(), room // 2), "".join(parts[:at])
    is_cut = at + 1 < len(parts) and not part.endswith(CUT)
    return f"{shortened(before, max(room - len(part), room // 3))} {part}" + f" {CUT}" * is_cut


def _joined_windows(document: Document, windows: Sequence[_Window], known: Sequence[Range]) -> tuple[str, list[Range]]:
    """The lead-ins that stand before the first window, and the windows, with what is left out between them; and what of it is new."""
    text, pieces = document.text, list[Range]()
    for window in windows:
        whole = (window.start, window.end)
        pieces += [(a, b) for a, b in unseen(whole, (*known, *pieces)) if (a, b) == whole or len(text[a:b].strip()) > _LITTLE]
    if not pieces:
        return "", []
    first, (low, high) = windows[0], windows[0].scope
    leads = [(clause, lead) for clause in first.above if (lead := lead_in(document, clause, first.start))]
    new = [(clause, lead) for clause, lead in leads if not any(a <= clause.start < b for a, b in known)]
    parts, at = list(dict.fromkeys(lead for _, lead in new)), low
    if leads:  # they end where the last one within the scope does
        inside = [clause for clause in first.above if clause.start >= low]
        at = max((min(_lead_end(document, clause), first.start) for clause in inside), default=low)
    if new and new[-1][0] is first.above[-1] and _skips_limbs(document, first.above[-1], low):
        parts.append(CUT)
    for start, end in sorted(pieces):
        start = at if 0 < start - at < _NEAR and unseen((at, start), known) == [(at, start)] else start
        parts += _gap(text, at, start, known)
        parts.append(flowing(text[max(at, start) : end]))
        at = max(at, end)
    heads = [(clause.start, min(clause.start + 1, _lead_end(document, clause))) for clause, _ in new]
    return "\n".join([*parts, *_gap(text, at, high, known)]), [*pieces, *heads]


def _skips_limbs(document: Document, clause: Clause, at: int) -> bool:
    """Whether limbs of a clause are left out between its lead-in and the one that is shown."""
    is_limb = document.text[at : at + 12].lstrip().startswith("(") and not clause.number.startswith(_ATTACHED)
    return is_limb and len(document.text[_lead_end(document, clause) : at].strip()) > _NEAR


def _gap(text: str, start: int, end: int, known: Sequence[Range]) -> list[str]:
    """How much is left out of a range, and whether that was shown before."""
    left = sum(len(text[a:b].strip()) for a, b in unseen((start, end), known)) if start < end else 0
    if start < end and any(a < end and start < b for a, b in known):
        return [ABOVE]
    return [f"[... {left} characters left out ...]"] if left else []


def unseen(wanted: Range, known: Sequence[Range]) -> list[Range]:
    """The parts of a range that are in none of the known ones, in order."""
    left = [wanted]
    for low, high in known:
        if low < wanted[1] and high > wanted[0]:
            left = [part for a, b in left for part in ((a, min(b, low)), (max(a, high), b)) if part[0] < part[1]]
    return left


def _lead_end(document: Document, clause: Clause) -> int:
    """Where the first provision inside a clause begins; of a clause without one, where its first line ends."""
    clauses = document.clauses.clauses
    at = bisect_right(clauses, clause.start, key=lambda other: other.start)
    if at < len(clauses) and clauses[at].start < clause.end:
        return clauses[at].start
    stop = document.text.find("\n", clause.start + len(clause.number), clause.start + HEADING)
    return min(clause.end, stop if stop >= 0 else document.text.find(" ", clause.start + HEADING))


def lead_in(document: Document, clause: Clause, before: int) -> str:
    """Heading and lead-in of a provision: its text up to the first one inside it; a long one loses its middle. Of attachments and of
    clauses that hold definitions the heading is enough."""
    text = flowing(document.text[clause.start : min(_lead_end(document, clause), before)])
    if clause.number.startswith(_ATTACHED) or "defin" in clause.title.casefold():
        first = text.split("\n")[0] if len(text.split("\n")[0]) > 12 else " ".join(text.split("\n")[:2])
        return shortened(first, HEADING)
    if len(text) > LEAD:
        text = f"{shortened(text, LEAD // 3)} {text[cut_before(text, len(text) - LEAD // 2, LEAD // 3, len(text)) :]}"
    return text


def flowing(text: str) -> str:
    """A text without the line breaks of its page: paragraphs stay apart."""
    return "\n".join(_paragraphs(re.sub(r"[ \t\xa0]+", " ", text).strip()))


def _paragraphs(text: str) -> Iterator[str]:
    """Lines joined to paragraphs; a label alone on its line belongs to what follows."""
    current = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        is_label = re.fullmatch(r"\([a-zA-Z0-9]{1,5}\)|\d+(?:\.\d+)*\.?", current) is not None
        is_run_on = _NUMBER.match(line) is not None and re.search(r"[a-z],?$", current) is not None
        if current and not is_label and not is_run_on and (_BEGINS.match(line) or re.search(r"[.:;]$|; (?:and|or)$", current)):
            yield current
            current = ""
        current = f"{current} {line}".strip()
    if current:
        yield current


_BEFORE, _BEHIND = 1200, 600  # characters of the text on either side of the quote, or of the pages beside its own
_LONGEST_PAGE = 6000
_OUTLINE, _LINE, _REACH = 30, 90, 40_000  # lines of an outline, characters of each, and how far above the quote they are looked for
_PLACES, _ROOM = 4, 350  # places of the cited words, and characters of each
_NUMBERED = re.compile(
    r"^[ \t\xa0]*(?:(?:ARTICLE|Article|SECTION|Section|CLAUSE|Clause|SCHEDULE|Schedule|EXHIBIT|Exhibit|ANNEX|Annex|PART|Part|§)\s*\S+|"
    r"\d{1,3}[A-Z]?(?:\.\d{1,3})*[.)]?(?=\s+\S)|"
    r"\(\d{1,3}\)(?=\s+\S)|\(?[a-zA-Z]{1,4}[.)](?=\s+\S)|[“\"][^”\"\n]{1,60}[”\"]|[A-Z][A-Z ,&’'/-]{3,70}$)[^\n]*",
    re.M,
)

_TITLE = re.compile(r"^[ \t\xa0]*[A-Z][^\n.;:]{3,70}$", re.M)


def surroundings(document: Document, place: tuple[int, int] | None, section: str | None) -> str:
    """The quote's surroundings as printed; without a place, only where the cited words stand."""
    parts = []
    if place is not None:
        if outline := _outline(document.text[max(0, place[0] - _REACH) : place[0]], section or ""):
            parts.append("Numbered lines and headings above the quote, in order:\n" + "\n".join(outline))
        parts.append("Around the quote:\n" + "\n".join(_pages_around(document, *place)))
    if section and (named := list(_named(document, section))):
        parts.append("Where the cited number or words stand:\n" + "\n---\n".join(named))
    return "\n\n".join(parts)


def page_as_printed(document: Document, number: int) -> str:
    """A sheet with all that is printed on it, its number in the file first."""
    return f"[sheet {number} of the file]\n{document.page_text(number).strip()[:_LONGEST_PAGE]}"


def _outline(text: str, cited: str) -> list[str]:
    """The last lines of a text that open a provision, and before them those that are words of the citation: a heading without a number."""
    lines = [(match.start(), match[0].strip()[:_LINE]) for match in _NUMBERED.finditer(text)][-_OUTLINE:]
    words = f" {fold_words(cited)} "
    named = [(m.start(), m[0].strip()) for m in _TITLE.finditer(text) if f" {fold_words(m[0])} " in words]
    return [line for _, line in sorted({*lines, *named[-_PLACES:]})]


def _pages_around(document: Document, start: int, end: int) -> Iterator[str]:
    if document.paging == "none":
        yield document.text[max(0, start - 2 * _BEFORE) : end + 2 * _BEHIND]
        return
    pages = document.pages_of(start, end)
    first, last = pages[0], pages[-1]
    if first > 1:
        yield f"[end of sheet {first - 1} of the file]\n{document.page_text(first - 1).strip()[-_BEFORE:]}"
    yield from (page_as_printed(document, number) for number in pages[:3])
    if last < len(document.pages):
        yield f"[beginning of sheet {last + 1} of the file]\n{document.page_text(last + 1).strip()[:_BEHIND]}"


def _named(document: Document, section: str) -> Iterator[str]:
    """Places where a line begins with the cited number or words, else where they stand."""
    for reference in parse_reference(section)[:2]:
        wanted = reference.base.removeprefix("definition ").removeprefix("heading ")
        key = number_key(wanted.removeprefix("article ")) if reference.kind in ("clause", "article") else None
        words = r"\.0?".join(map(str, key)) if key and reference.kind == "clause" else spaced_pattern(wanted)
        if not words:
            continue
        found = [m.start() for m in re.finditer(rf"^\W*(?:[Ss]ection|SECTION|[Cc]lause|§)?\W*{words}(?!\w)", document.text, re.M | re.I)]
        found = found or [m.start() for m in re.finditer(rf"(?<!\w){words}(?!\w)", document.text, re.I)]
        for at in found[:_PLACES]:
            page = "" if document.paging == "none" else f"[sheet {document.pages_of(at, at + 1)[0]}] "
            yield page + document.text[at : at + _ROOM].strip()
