"""Every PDF of a folder is opened or refused with one clear line. Usage: python benchmarks/documents/open_documents.py FOLDER [PROCESSES]

Prints a line a file (pages by state, clauses, notices, or the refusal), the time beside bare text extraction with PyMuPDF measured in
the same run, and ends with 1 when a file was neither opened nor refused in one line.
"""

import sys
import time
from collections import Counter
from pathlib import Path

import pymupdf

from deterministic.documents.documents import Document, DocumentError, open_document, open_documents

REPEATS = 3


def bare_seconds(path: Path) -> float:
    """Text extraction and nothing else; 0.0 for a file that PyMuPDF cannot open."""
    start = time.perf_counter()
    try:
        for page in pymupdf.open(path):
            page.get_text()
    except Exception:
        return 0.0
    return time.perf_counter() - start


def open_seconds(path: Path) -> float:
    """Reading, running lines, page states and the clause index, in a worker that runs already."""
    start = time.perf_counter()
    try:
        assert open_document(path).clauses is not None
    except DocumentError:
        return 0.0
    return time.perf_counter() - start


def main(folder: Path, processes: int) -> int:
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    paths = sorted(folder.rglob("*.pdf"))
    start = time.perf_counter()
    opened = open_documents(paths, processes=processes)
    elapsed = time.perf_counter() - start
    bad = 0
    for path in paths:
        document = opened[path.name]
        if isinstance(document, Document):
            states = ", ".join(f"{count} {state}" for state, count in sorted(Counter(page.state for page in document.pages).items()))
            print(f"{path.name}: {states}; {len(document.clauses.clauses)} clauses; {'; '.join(document.notices)}")
        else:
            print(f"refused ({document.cause}) {document}")
            bad += "\n" in str(document) or not document.message
    print(f"{len(paths)} files, {elapsed:.2f} s with {processes} processes")
    for path in paths:
        bare = min(bare_seconds(path) for _ in range(REPEATS))
        if bare > 0.1:
            indexed = min(open_seconds(path) for _ in range(REPEATS))
            print(f"{path.name}: bare {bare:.3f} s, indexed {indexed:.3f} s, ratio {indexed / bare:.2f}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2))
