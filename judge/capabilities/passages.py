"""What a question shows of the documents: the passages of the citations, cut around their quotes, and the definitions that they need.

The one place where context for a question is built; the cutting itself is deterministic/citations/passages.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deterministic.citations.check import CitationCheck
from deterministic.citations.passages import ROOM, flowing, passages_at
from deterministic.documents.documents import Document
from judge.capabilities.context import Context
from judge.capabilities.definitions import definition_texts, used_terms

LIST_ROOM = 12_000  # characters: a list is judged with all its items
BESIDE_ROOM = 700  # characters around a quote that is cited for the same thing as the one that is asked about
DEFINITIONS = 3
DEFINITION_ROOM = 500
COMMON = 40  # occurrences of a term from which on its definition helps nobody ("Lender", "Loan Documents")


def reading(
    context: Context,
    checks: Sequence[CitationCheck],
    about: str = "",
    *,
    room: int = ROOM,
    beside: Sequence[CitationCheck] = (),
    definition: str | None = None,
) -> str:
    """The cited texts, and the definitions of terms that the quotes or `about` use; "" when nothing was located.

    about: the claim or answer that is judged. beside: other citations of the same thing, shown shorter. definition: one that is known
    to matter, shown whatever its term.
    """

    def build() -> str:
        parts = list(_parts(context, checks, about, room, beside))
        if definition is not None and flowing(definition)[:60] not in "\n".join(parts):
            parts.append(flowing(definition))
        return "\n---\n".join(parts)

    return context.cached(("reading", tuple(c.claim for c in checks), about, room, tuple(c.claim for c in beside), definition), build)


def _parts(context: Context, checks: Sequence[CitationCheck], about: str, room: int, beside: Sequence[CitationCheck]) -> Iterator[str]:
    shown = list(_passages(context, checks, room))
    yield from shown
    rest = [check for check in beside if check not in checks]
    if others := [passage for passage in _passages(context, rest, BESIDE_ROOM, is_led=False) if passage not in shown]:
        yield "Also cited:\n" + "\n---\n".join(others)
    if room == LIST_ROOM:  # a list is read for what it has, not for what its terms mean
        return
    for name in dict.fromkeys(check.found_in for check in checks if check.found_in):
        if (document := context.documents.get(name)) is not None:
            quotes = " ".join(check.claim.quote or "" for check in checks if check.found_in == name)
            yield from _definitions(document, f"{quotes}\n{about}", "\n".join(shown))


def _passages(context: Context, checks: Sequence[CitationCheck], room: int, *, is_led: bool = True) -> Iterator[str]:
    places: dict[str, list[tuple[int, int]]] = {}
    for check in checks:
        if check.spans and check.found_in in context.documents:
            places.setdefault(str(check.found_in), []).append(check.spans[0])
        elif check.quote == "missing" and check.claim.section:
            for name, place in section_places(context, check.claim.section, check.claim.document):
                places.setdefault(name, []).append(place)
    for name, some in places.items():
        text = passages_at(context.documents[name], list(dict.fromkeys(some)), room, is_led=is_led)
        yield text if len(places) == 1 else f"[{name}]\n{text}"


def section_places(context: Context, section: str, document: str | None = None) -> list[tuple[str, tuple[int, int]]]:
    """Where a section begins, as far as it is shown: of the named document, or of the first that has it."""
    for name, one in context.documents.items():
        if document in (None, name) and (clauses := one.clauses.find(section).clauses):
            return [(name, (clause.start, min(clause.end, clause.start + ROOM))) for clause in clauses[:2]]
    return []


def with_sections(context: Context, shown: str, sections: Sequence[tuple[str, str | None]]) -> str:
    """A text followed by those sections, (reference, document) each, whose beginning it does not show."""
    found = dict.fromkeys(place for section, document in sections for place in section_places(context, section, document))
    texts = [shown] if shown else []
    for name, place in found:
        document = context.documents[name]
        if flowing(document.text[place[0] : place[0] + 80]).split("\n")[-1] not in shown:
            texts.append(passages_at(document, [place]))
    return "\n---\n".join(texts)


def places_of(context: Context, check: CitationCheck) -> str:
    """Where a quote that is not verbatim may stand: the most similar place, and the cited section or page where that is another."""
    shown = "\n---\n".join(_passages(context, [check], ROOM))
    document = context.documents.get(check.found_in or check.claim.document or "")
    if document is None or (check.section == "right" and check.page == "right"):
        return shown
    cited = section_places(context, check.claim.section, document.name) if check.claim.section else []
    text = passages_at(document, [place for _, place in cited]) if cited else flowing(check.cited_page_text)[: 2 * ROOM]
    return "\n---\n".join(part for part in (text, shown) if part)


def _definitions(document: Document, text: str, shown: str) -> Iterator[str]:
    """Definitions of the rarest terms that a text uses, unless they are shown already."""
    texts, counts = definition_texts(document), document.cached("term_counts", dict[str, int])
    used = used_terms(document, text)
    for term in used:
        if term not in counts:
            first, *rest = map(re.escape, term.split())  # the search is fast where a pattern begins with letters
            pattern = r"\s+".join((rf"{first}(?<!\w{first})", *rest))
            counts[term] = len(re.findall(rf"{pattern}(?!\w)", document.text))
    rare = sorted((term for term in used if counts[term] <= COMMON), key=lambda term: (counts[term], term))
    for term in rare[:DEFINITIONS]:
        definition = flowing(texts[term][0])
        if definition[:60] not in shown:
            yield definition if len(definition) <= DEFINITION_ROOM else f"{definition[:DEFINITION_ROOM]} [...]"


def nearest_part(text: str, check: CitationCheck, others: Sequence[CitationCheck]) -> str:
    """The statements of an answer that a quote is cited for: those nearer to it than to any other quote, at least the nearest one."""
    parts = [part.strip() for part in re.split(r"(?<=[.;!?])\s+|;\s*|\n+", text) if part.strip()]
    if len(others) < 2 or len(parts) < 2:
        return text
    mine = [_likeness(part, check) for part in parts]
    best = [max(_likeness(part, other) for other in others) for part in parts]
    chosen = [part for part, here, most in zip(parts, mine, best, strict=True) if here >= most]
    return " ".join(chosen) if chosen else parts[mine.index(max(mine))]


def _likeness(part: str, check: CitationCheck) -> float:
    """How much of a statement's words stand in a quote, 0..1."""
    words = content_words(part)
    return len(words & content_words(check.claim.quote or "")) / len(words) if words else 0.0


_ENDINGS = re.compile(r"(?:ations?|ments?|ings?|ions?|ies|ied|ed|es|s|y|e)$")
_LITTLE = frozenset(
    "a an the this that these those it its of for to in on at by with from as and or any all each every is are was were be been being has "
    "have had shall will may must such other under which who whom whose when where then than there their they he she his".split()
)


def content_words(text: str) -> frozenset[str]:
    """The informative words of a text without their endings, and its figures."""
    words = (word for word in re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]{2,}", text.casefold()) if word not in _LITTLE)
    return frozenset(word if word[0].isdigit() else _ENDINGS.sub("", word) or word for word in words)
