"""Whether a covenant's testing frequency is stated where it is cited (standard 2.1: inferred without explicit source citation)."""

from __future__ import annotations

from collections.abc import Iterator

from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.values import frequency
from judge.capabilities.context import Context
from judge.capabilities.covenants.schema import Covenant
from judge.capabilities.provenance import check_claim


def is_frequency_stated(context: Context, mine: Covenant, expected: str) -> bool | None:
    """Whether a cited place states the frequency: the paragraph of a quote, the base clause outside its lettered paragraphs, or another
    citation of the covenant. None when no citation could be located, so that nothing can be said."""
    texts = _cited_texts(context, mine)
    return any(expected in frequency.scan(text) for text in texts) if texts else None


def has_other_days(context: Context, mine: Covenant) -> bool:
    """Whether the reported frequency names testing days that no document lists so."""
    listed = frequency.month_lists(mine.testing_frequency or "")
    return bool(listed) and not any(listed <= frequency.month_lists(document.text) for document in context.documents.values())


def _cited_texts(context: Context, mine: Covenant) -> list[str]:
    """The provisions around the covenant's located quotes, and those of its flags."""
    texts: list[str] = []
    for claim in (*mine.claims, *(c for flag in mine.flags for c in flag.claims)):
        check = check_claim(context, claim)
        document = context.documents.get(check.found_in or "")
        if document is not None:
            texts.extend(text for start, end in check.spans[:3] for text in near_texts(document, start, end))
    return texts


def near_texts(document: Document, start: int, end: int) -> Iterator[str]:
    """The quote, its innermost clause, and the own words of the clauses around it up to the base clause."""
    yield document.text[start:end]
    around = document.clauses.at(start, end)
    if not around:
        return
    innermost = around[-1]
    yield document.text[innermost.start : innermost.end]
    for clause in reversed(around[:-1]):
        if "(" not in innermost.number:
            return  # the quote stands in a base clause itself
        yield _own_words(document, clause)
        if "(" not in clause.number:
            return


def _own_words(document: Document, clause: Clause) -> str:
    """The text of a clause outside its lettered paragraphs."""
    inner = sorted(
        ((c.start, c.end) for c in document.clauses.clauses if clause.start <= c.start and c.end <= clause.end and _is_below(c, clause)),
        key=lambda span: span[0],
    )
    parts, at = [], clause.start
    for start, end in inner:
        if start >= at:
            parts.append(document.text[at:start])
        at = max(at, end)
    parts.append(document.text[at : clause.end])
    return "\n".join(parts)


def _is_below(inner: Clause, outer: Clause) -> bool:
    return inner.number != outer.number and inner.number.startswith(f"{outer.number}(")
