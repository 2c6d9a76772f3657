"""The text around a place as a reader needs it: headings and lead-ins above it, the place itself, and how much is left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deterministic.citations.section_claims import clause_name, deepest_clause
from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.quotes.quote_match import Occurrence

ROOM = 1800
"""Characters of a provision that are shown around a place; a shorter provision is shown whole."""
LEAD = 600
"""Characters of a heading with its lead-in."""
STRETCH = 120
"""Characters that a cut may move to reach an end of a line."""
HEADING = 120
_ATTACHED = ("schedule", "exhibit", "annex", "appendix", "attachment")
_UNREAD = ("contents", "cover", "signature")
# a line that begins a paragraph: (a), 5.1, “Term”, a bullet, or the line after a full stop, colon or semicolon
_BEGINS = re.compile(r"\s*(?:\([a-zA-Z0-9]{1,5}\)|\d+(?:\.\d+)*[.)]?\s|[“\"•–-]|[A-Z][A-Z ]{3,}$)")


@dataclass(frozen=True, slots=True)
class _Window:
    """What of a provision is shown. scope: the provision's range; start, end: the part of it around a place."""

    scope: tuple[int, int]
    start: int
    end: int
    above: tuple[Clause, ...]


def passages_at(document: Document, places: Sequence[tuple[int, int]], room: int = ROOM, *, is_led: bool = True) -> str:
    """Several places of a document, each provision once, in the document's order; `room` is for each place.

    is_led: with the headings and lead-ins of the provisions above.
    """
    windows = sorted((_window(document, *place, room) for place in places), key=lambda w: (w.scope, w.start))
    groups: dict[tuple[int, int], list[_Window]] = {}
    for window in windows:
        groups.setdefault(window.scope, []).append(window)
    return "\n---\n".join(_shown(document, group, is_led) for group in groups.values())


def _window(document: Document, start: int, end: int, room: int) -> _Window:
    chain = _chain(document, start, end)
    low, high = _scope(chain, len(document.text), room)
    scope = low, max(high, end)
    inner = max((clause.start for clause in chain if clause.start <= start), default=start)
    low, high = _around(document.text, scope, start, end, room, inner)
    above = tuple(clause for clause in chain if clause.start < low and (clause.start, clause.end) != (low, high))
    return _Window(scope, low, high, above)


def _chain(document: Document, start: int, end: int) -> tuple[Clause, ...]:
    """The provisions that hold the place, outermost first. A definition is a provision of its own."""
    found = document.clauses.at(start, end) or document.clauses.at(start, start + 1)
    return tuple(clause for clause in found if clause.number not in _UNREAD)


def _scope(chain: Sequence[Clause], length: int, room: int) -> tuple[int, int]:
    """The widest provision that can be shown whole, or, when it says little by itself, the next wider one, to be cut around the place."""
    own = [n for n, clause in enumerate(chain) if clause.number.startswith("definition ")]
    inner = chain[own[-1] :] if own else chain
    whole = [n for n, clause in enumerate(inner) if clause.end - clause.start <= room]
    if whole and (inner[whole[0]].end - inner[whole[0]].start > room // 3 or whole[0] == 0):
        clause = inner[whole[0]]
    elif inner:
        clause = inner[max(whole[0] - 1, 0) if whole else -1]
    else:
        return 0, length
    return clause.start, clause.end


def _around(text: str, scope: tuple[int, int], start: int, end: int, room: int, inner: int) -> tuple[int, int]:
    """The part of a provision around a place, cut at an end of a line or between words. A place that runs on past it is shown whole.

    inner: where the innermost provision begins; what follows it says more of the place than what stands before it.
    """
    low, high = scope
    if high - low <= room:
        return scope
    spare = max(room - (end - start), 400)
    before = inner if start - inner <= spare * 2 // 3 else start - spare // 2
    last = min(high, max(end, before + room))
    first = max(low, min(before, last - room))
    if low < first != inner:
        first = max(low, text.rfind("\n", first - STRETCH, first), text.rfind(" ", first - STRETCH, first)) + 1
    if last < high:
        stops = [at for mark in ("\n", " ") if (at := text.find(mark, last, min(high, last + STRETCH))) >= 0]
        last = stops[0] if stops else last
    return min(first, start), last


def _shown(document: Document, windows: Sequence[_Window], is_led: bool) -> str:
    """The lead-ins that stand before the first window, and the windows with what is left out between them."""
    text, first = document.text, windows[0]
    parts = [lead for clause in first.above if is_led and (lead := lead_in(document, clause, first.start))]
    low, high = first.scope
    at = _led_to(document, first) if parts else low
    for window in windows:
        if window.start > at and (gap := len(text[at : window.start].strip())):
            parts.append(f"[... {gap} characters left out ...]")
        if window.end > at:
            parts.append(flowing(text[max(at, window.start) : window.end]))
            at = window.end
    if at < high and (gap := len(text[at:high].strip())):
        parts.append(f"[... {gap} characters left out ...]")
    return "\n".join(parts)


def _led_to(document: Document, window: _Window) -> int:
    """Where the lead-ins within the scope end."""
    inside = [clause for clause in window.above if clause.start >= window.scope[0]]
    return max((min(_lead_end(document, clause), window.start) for clause in inside), default=window.scope[0])


def _lead_end(document: Document, clause: Clause) -> int:
    """Where the first provision inside a clause begins; of a clause without one, where its first line ends."""
    clauses = document.clauses.clauses
    at = bisect_right(clauses, clause.start, key=lambda other: other.start)
    if at < len(clauses) and clauses[at].start < clause.end:
        return clauses[at].start
    stop = document.text.find("\n", clause.start + len(clause.number), clause.start + HEADING)
    return min(clause.end, stop if stop >= 0 else clause.start + HEADING)


def lead_in(document: Document, clause: Clause, before: int) -> str:
    """Heading and lead-in of a provision: its text up to the first one inside it; a long one loses its middle.

    Of attachments and of clauses that hold definitions the heading is enough.
    """
    text = flowing(document.text[clause.start : min(_lead_end(document, clause), before)])
    if clause.number.startswith(_ATTACHED) or "defin" in clause.title.casefold():
        first = text.split("\n")[0] if len(text.split("\n")[0]) > 12 else " ".join(text.split("\n")[:2])
        return first if len(first) <= HEADING else f"{first[:HEADING]} [...]"
    if len(text) > LEAD:
        text = f"{text[: LEAD // 3]} [...] {text[-LEAD // 2 :]}"
    return text


def flowing(text: str) -> str:
    """A text without the line breaks of its page: paragraphs stay apart."""
    return "\n".join(_paragraphs(re.sub(r"[ \t\xa0]+", " ", text).strip()))


def _paragraphs(text: str) -> Iterator[str]:
    """Lines joined to paragraphs; a label alone on its line belongs to what follows."""
    current = ""
    for line in (line.strip() for line in text.split("\n")):
        if not line:
            continue
        is_label = re.fullmatch(r"\([a-zA-Z0-9]{1,5}\)|\d+(?:\.\d+)*\.?", current) is not None
        if current and not is_label and (_BEGINS.match(line) or re.search(r"[.:;]$|; (?:and|or)$", current)):
            yield current
            current = line
        else:
            current = f"{current} {line}".strip()
    if current:
        yield current


def sections_at(document: Document, places: Sequence[Occurrence]) -> tuple[str, ...]:
    """Names of the innermost provisions at the places, each once: "Clause 5.1(a)", "Parties"."""
    clauses = (deepest_clause(document, place.start, place.end) for place in places[:20])
    return tuple(dict.fromkeys(clause_name(clause) for clause in clauses if clause is not None))
