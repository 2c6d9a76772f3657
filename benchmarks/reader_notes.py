"""Sentences of real agreements, cited as a reader noted their page, printed page numbers and provision: right, and the neighbours wrong?

    python benchmarks/reader_notes.py FOLDER [FOLDER ...]

benchmarks/data/reader_notes.jsonl: sentences drawn at random from eight public agreements; a reader checked page, printed numbers and
provision of each against the text of the page and the lines before it. The provision was proposed by the program, so a fault that both
share is not seen. Each sentence is cited by the physical page, by every printed number, and under the provision before and behind
its own, which must not be right.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.citations.section_claims import clause_name
from deterministic.pdf.documents import Document, open_document

NOTES = Path(__file__).resolve().parent / "data" / "reader_notes.jsonl"
POLICY = CitationPolicy(70.0, 90.0)


def siblings(document: Document, section: str) -> Iterator[str]:
    """The provisions before and behind the noted one, none of which is around or inside it."""
    own = document.clauses.find(section).clauses
    if not own:
        return
    apart = [c for c in document.clauses.clauses if all(c.end <= one.start or one.end <= c.start for one in own)]
    before = [c for c in apart if c.end <= own[0].start][-1:]
    behind = [c for c in apart if c.start >= own[0].end][:1]
    yield from (clause_name(c) for c in (*before, *behind))


def answers(document: Document, note: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, outcome) of each citation of a note."""

    def outcome(page: int | str, section: str) -> str:
        return check_citation(Claim(document.name, page, section, note["quote"]), [document], POLICY).outcome

    yield "right", outcome(note["page"], note["section"])
    for printed in note["printed"]:
        yield "right, printed page", outcome(printed, note["section"])
    for section in siblings(document, note["section"]):
        yield "wrong sibling", outcome(note["page"], section)


def main() -> None:
    folders = [Path(name) for name in sys.argv[1:]]
    notes = [json.loads(line) for line in NOTES.read_text(encoding="utf-8").splitlines()]
    documents: dict[str, Document] = {}
    counts: Counter[tuple[str, bool]] = Counter()
    for note in notes:
        path = next((folder / note["document"] for folder in folders if (folder / note["document"]).is_file()), None)
        if path is None:
            continue
        if path.name not in documents:
            documents[path.name] = open_document(path)
        document = documents[path.name]
        for kind, outcome in answers(document, note):
            is_full = outcome in ("exact", "normalised")
            is_right = is_full != (kind == "wrong sibling")
            counts[kind, is_right] += 1
            if not is_right:
                print(f"{kind}: {note['document']} page {note['page']}, {note['section']}: {outcome}: {note['quote'][:80]!r}")
    for kind in sorted({kind for kind, _ in counts}):
        total = counts[kind, True] + counts[kind, False]
        print(f"{kind}: {counts[kind, True]} of {total} as noted ({100 * counts[kind, True] / total:.1f} %)")


if __name__ == "__main__":
    main()
