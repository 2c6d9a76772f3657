"""What a covenant says beside gold: its type, threshold, testing frequency and effective date; and what its citations have to show
(standard 2.1, 2.2, design/covenants.md): the threshold and no other, at gold's place or beside its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from deterministic.citations.check import CitationCheck
from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import pattern
from deterministic.values import frequency, thresholds
from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold
from judge.capabilities.figures import others_in, values_in
from judge.capabilities.provenance import Support, check_claim
from judge.capabilities.wording import names_subject
from judge.records import Part

_OBLIGATION = re.compile(pattern("modal"), re.IGNORECASE)


def support_of(context: Context, mine: Covenant, true: CovenantGold | None, content: Part | None = None) -> Support:
    """The support of one covenant. content: what is known of its threshold."""
    values = [str(t) for t in (mine.threshold, true.threshold if true else None) if not thresholds.is_nothing(t)]
    figures = [figure for value in values for figure in values_in(value)]
    names = [mine.name, *((true.name, *true.aliases) if true is not None else ())]

    def contains(text: str) -> bool:
        if values:
            return any(thresholds.supports(value, text) for value in values)
        return _OBLIGATION.search(text) is not None

    def is_own(check: CitationCheck) -> bool:
        told = "\n".join((check.claim.quote or "", *_headings(context, check)))
        return any(names_subject(told, name) for name in names)

    stated = {"threshold": mine.threshold, "testing frequency": mine.testing_frequency, "effective date": mine.effective_date}
    claim = "; ".join([f"covenant {mine.name!r}", *(f"{name}: {text}" for name, text in stated.items() if text)])
    return Support(
        "covenant",
        claim,
        contains,
        has_others=lambda text: bool(figures) and bool(others_in(text, figures)),
        is_own=is_own,
        content=None if thresholds.is_nothing(mine.threshold) else content,
        shows=partial(thresholds.supports, str(mine.threshold)),
    )


def _headings(context: Context, check: CitationCheck) -> Iterator[str]:
    """The headings of the provisions that a located quote stands in."""
    document = context.documents.get(check.found_in or "")
    if document is not None:
        for start, end in check.spans[:1]:
            yield from (clause.title or "" for clause in document.clauses.at(start, end))


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
