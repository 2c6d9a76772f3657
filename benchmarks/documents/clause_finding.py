"""Does the clause index put a sentence into the clause that a person read?

    python benchmarks/documents/clause_finding.py AGREEMENTS_FOLDER

The sentences and clauses in data/clause_sentences.jsonl were noted by reading the documents, not by running the index. Agreements in
text form are rendered into PDF first (header, footer, page numbers), so that page breaks and running lines are part of the test.

right: the cited clause is found and contains the sentence. innermost: the deepest numbered clause at the sentence is that clause.
foreign: of all pairs of a sentence and the clause noted for another sentence (neither inside the other), those where that clause is
said to contain the sentence.
"""

import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf

from deterministic.clauses.index import identity
from deterministic.clauses.references import parse_reference
from deterministic.documents.documents import Document, open_document

DATA = Path(__file__).parents[1] / "data" / "clause_sentences.jsonl"
LINES_A_PAGE = 58


def render(text_file: Path, target: Path) -> Path:
    """A plain PDF of a text: one line of text a line, wrapped at 100 characters, with header and page number."""
    lines: list[str] = []
    for line in text_file.read_text(encoding="utf-8").replace("\t", "    ").split("\n"):
        while len(line) > 100:
            cut = line.rfind(" ", 0, 100)
            cut = cut if cut > 0 else 100
            lines.append(line[:cut])
            line = line[cut:].lstrip()
        lines.append(line)
    full = [line for n, line in enumerate(lines) if line.strip() or (n and lines[n - 1].strip())]
    pdf = pymupdf.open()
    font = pymupdf.Font("tiro")
    for number, first in enumerate(range(0, len(full), LINES_A_PAGE), 1):
        page = pdf.new_page()
        writer = pymupdf.TextWriter(page.rect)
        writer.append((60, 30), "Credit Agreement - conformed copy", font=font, fontsize=8)
        for n, line in enumerate(full[first : first + LINES_A_PAGE]):
            if line.strip():
                writer.append((60, 52 + 12.6 * n), line, font=font, fontsize=9.5)
        writer.append((290, 815), f"- {number} -", font=font, fontsize=8)
        writer.write_text(page)
    pdf.subset_fonts()
    pdf.save(target, deflate=True)
    return target


def places(document: Document, quote: str, page: int | None) -> list[tuple[int, int]]:
    """Where the words of a quote stand (white space and case free), on its page when one is given."""
    pattern = re.compile(r"\W*".join(map(re.escape, re.findall(r"\w+", quote))), re.I)
    found = [match.span() for match in pattern.finditer(document.text)]
    return [span for span in found if page is None or page in document.pages_of(*span)]


def nested(one: str, other: str) -> bool:
    """One clause lies in the other (or cannot be told to lie outside: recitals and parties are no numbers)."""
    first, second = (identity(parse_reference(clause)[0].number) for clause in (one, other))
    size = min(len(first[1]), len(second[1]))
    return first[0] == second[0] and first[1][:size] == second[1][:size]


def contains(document: Document, clause: str, row: dict[str, Any]) -> bool:
    return any(
        c.start <= start and end <= c.end
        for c in document.clauses.find(clause).clauses
        for start, end in places(document, row["quote"], row["page"])
    )


def main(folder: Path) -> None:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        documents: dict[str, Document] = {}
        for name in dict.fromkeys(row["document"] for row in rows):
            source = next(path for path in sorted(folder.iterdir()) if name in path.name)
            path = source if source.suffix == ".pdf" else render(source, Path(temporary) / f"{name}.pdf")
            documents[name] = open_document(path)
        for row in rows:
            document = documents[row["document"]]
            spans = places(document, row["quote"], row["page"])
            resolution = document.clauses.find(row["clause"])
            is_right = (
                any(c.start <= start and end <= c.end for start, end in spans for c in resolution.clauses) and resolution.status == "found"
            )
            inner = [identity(document.clauses.at(*span)[-1].number) for span in spans if document.clauses.at(*span)]
            wanted = identity(parse_reference(row["clause"])[0].number)
            # "Recitals" holds lettered or counted recitals: any of them is innermost.
            is_inner = any(found == wanted or (wanted[0] == "recitals" and found[0].startswith("recital")) for found in inner)
            counts["sentences"] += 1
            counts["located"] += bool(spans)
            counts["right"] += is_right
            counts["innermost"] += is_inner
            if not (is_right and is_inner):
                print(
                    f"{row['document']} p{row['page']} {row['clause']}: {resolution.status}, right {is_right}, "
                    f"innermost {inner} | {row['quote']}"
                )
        foreign = [
            (row, other)
            for row in rows
            for other in rows
            if row["document"] == other["document"] and not nested(row["clause"], other["clause"])
        ]
        counts["pairs"] = len(foreign)
        counts["foreign"] = sum(contains(documents[row["document"]], other["clause"], row) for row, other in foreign)
    print(dict(counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
