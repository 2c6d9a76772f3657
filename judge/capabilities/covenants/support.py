"""What a citation of a covenant has to show (design/covenants.md): its threshold and no other, at gold's place or beside its name;
of a covenant without a threshold its name in an obligation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.guarded import pattern
from deterministic.values import thresholds
from judge.capabilities.context import Context
from judge.capabilities.covenants.schema import Covenant, CovenantGold
from judge.capabilities.figures import others_in, values_in
from judge.capabilities.provenance import Support
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
