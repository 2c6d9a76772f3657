"""The result of looking for a quote. Rules: design/quotes.md."""

from typing import Literal

from deterministic.documents.documents import Document
from deterministic.lexicon.records import record

QuoteVerdict = Literal["exact", "normalised", "paraphrased", "not_found", "unreadable", "missing", "open"]
Finding = tuple[str, str]
"""(code, detail)."""
FULL = ("exact", "normalised")
"""The verdicts with full marks."""
SEVERITY = {"not_found": 0, "unreadable": 1, "missing": 1, "open": 2, "paraphrased": 3, "normalised": 4, "exact": 5}
"""Of several verdicts the lowest counts: what is surely invented outweighs what cannot be read."""


@record
class Occurrence:
    """A place in Document.text and the physical pages that it touches."""

    start: int
    end: int
    pages: tuple[int, ...]


@record
class QuoteMatch:
    """What became of a quote. `verdict` "open": similarity lies between the thresholds, only a judge can tell paraphrase from invention."""

    verdict: QuoteVerdict
    occurrences: tuple[Occurrence, ...] = ()
    """Every place where it stands; for a reworded or altered quote the best place."""
    similarity: float = 0.0
    """0..100."""
    window: str = ""
    """What stands in the document at the first place, "" when nowhere."""
    findings: tuple[Finding, ...] = ()

    @property
    def is_verbatim(self) -> bool:
        return self.verdict in FULL


def occurrence(document: Document, start: int, end: int) -> Occurrence:
    return Occurrence(start, end, document.pages_of(start, end))
