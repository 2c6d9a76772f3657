"""Sentences of real agreements, cited as a reader noted their page, printed page numbers and provision: right, and the neighbours wrong?

    python benchmarks/agreements/reader_notes.py FOLDER [FOLDER ...]
    python benchmarks/agreements/reader_notes.py --draw FOLDER [FOLDER ...]

benchmarks/data/reader_notes.jsonl: sentences of nine public agreements, drawn at random (`--draw` draws them again). One careful
reader (a language model) read the text around each back to its section's heading, whole pages where that was unclear and some as
pictures, and noted the provision and every printed page number before the program was run on them; nothing of it was proposed by the
program. Fragments that nobody would
cite as a sentence of one provision (cells of tables, headings, contents, signature blocks) were left out.

Each sentence is cited by its physical page and by every printed number: right means full marks. Wrong siblings are the label before and
behind the noted one, spelled without a look at the document ((b) for (a) and (c), 2.04 for 2.05), the two nearest other definitions that
the reader noted, and the pages before and behind; one with full marks counts as wrong.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pymupdf

from benchmarks.quotes.quote_recall import sample_sentences
from deterministic.citations.check import CitationPolicy, Claim, check_citation
from deterministic.documents.documents import Document, open_document

NOTES = Path(__file__).resolve().parents[1] / "data" / "reader_notes.jsonl"
POLICY = CitationPolicy(70.0)
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split()
Note = dict[str, Any]


def drawn(path: Path, count: int = 44, seed: str = "2026") -> list[tuple[int, str]]:
    """(physical page, sentence) of a document, in the order of its pages. One of the nine was drawn from twice (2027)."""
    with pymupdf.open(path) as pdf:
        pages = [page.get_text() for page in pdf]
    return sorted(sample_sentences(pages, count, random.Random(f"{seed}:{path.name}")), key=lambda pair: pair[0])


# ---- the neighbours ----


def _labels_beside(label: str, is_first: bool) -> list[str]:
    """The labels before and behind: (a) of (b), (iii) of (iv), (dd) of (ee). A single i or v is roman only below another label."""
    low = label.lower()
    if low in _ROMAN and not (is_first and len(low) == 1) and (label.islower() or len(label) > 1):
        at = _ROMAN.index(low)
        near = [_ROMAN[n] for n in (at - 1, at + 1) if 0 <= n < len(_ROMAN)]
    elif label.isdigit():
        width = len(label) if label.startswith("0") else 1
        near = [str(n).zfill(width) for n in (int(label) - 1, int(label) + 1) if n > 0]
    elif len(set(low)) == 1:
        near = [chr(ord(low[0]) + step) * len(low) for step in (-1, 1) if "a" <= chr(ord(low[0]) + step) <= "z"]
    else:
        return []
    return [word.upper() if label.isupper() else word for word in near]


def siblings(note: Note, notes: Sequence[Note]) -> Iterator[str]:
    """Provisions beside the noted one: its last label one lower and one higher; of a definition the nearest others that were noted."""
    section = str(note["section"])
    if section.startswith("definition"):
        others = dict.fromkeys(n["section"] for n in notes if n["document"] == note["document"] and "definition" in n["section"])
        names = [str(name).removeprefix("paragraph ").partition("of the ")[2] or str(name) for name in others]
        names = list(dict.fromkeys(names))
        at = names.index(section)
        yield from (names[n] for n in (at - 1, at + 1) if 0 <= n < len(names))
        return
    if inner := re.fullmatch(r"paragraph (?P<path>(?:\(\w+\))*)\((?P<last>\w+)\) of the (?P<name>.*)", section):
        for label in _labels_beside(inner["last"], not inner["path"]):
            yield f"paragraph {inner['path']}({label}) of the {inner['name']}"
    elif last := re.fullmatch(r"(?P<head>.*[(. -]|)(?P<last>[A-Za-z]{1,5}|\d{1,3})(?P<tail>\)|b|)", section):
        is_first = not last["head"].endswith(")(")
        if last["tail"] == "b":  # 2b
            yield from (last["head"] + last["last"] + letter for letter in "ac")
        elif last["tail"] or last["last"].isdigit() or len(last["last"]) == 1:
            yield from (last["head"] + label + last["tail"] for label in _labels_beside(last["last"], is_first))


def citations(note: Note, notes: Sequence[Note], pages: int) -> Iterator[tuple[str, int | str, str]]:
    """(kind, page, section) of each citation of a note."""
    page, section = note["page"], note["section"]
    yield "right", page, section
    for printed in note["printed"]:
        yield "right, printed page", printed, section
    for sibling in siblings(note, notes):
        yield "wrong sibling", page, sibling
    for near in (page - 1, page + 1):
        if 1 <= near <= pages and str(near) not in note["printed"]:
            yield "wrong page", near, section


# ---- the run ----


def answers(document: Document, note: Note, notes: Sequence[Note]) -> Iterator[tuple[str, str, int | str, str]]:
    """(kind, outcome, page, section) of each citation of a note."""
    for kind, page, section in citations(note, notes, len(document.pages)):
        check = check_citation(Claim(document.name, page, section, note["quote"]), [document], POLICY)
        yield kind, f"{check.outcome}, found in {', '.join(check.sections_found[-1:])}", page, section


def read_notes() -> list[Note]:
    return [json.loads(line) for line in NOTES.read_text(encoding="utf-8").splitlines()]


def run(folders: Sequence[Path], notes: Sequence[Note]) -> Iterator[str]:
    """The lines of the report: what is not as noted, then a table."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    documents: dict[str, Document] = {}
    for note in notes:
        path = next((folder / note["document"] for folder in folders if (folder / note["document"]).is_file()), None)
        if path is None:
            continue
        if path.name not in documents:
            documents[path.name] = open_document(path)
        for kind, outcome, page, section in answers(documents[path.name], note, notes):
            is_as_noted = outcome.startswith(("exact", "normalised")) != kind.startswith("wrong")
            counts[path.name, kind, is_as_noted] += 1
            if not is_as_noted:
                yield f"{kind}: {note['document'][:12]} page {page}, {section}: {outcome}: {note['quote'][:80]!r}"
    kinds = ["right", "right, printed page", "wrong sibling", "wrong page"]
    yield f"\n| document | {' | '.join(kinds)} |\n|---{'|--:' * len(kinds)}|"
    for name in [*documents, "all"]:
        yield f"| {name} | {' | '.join(_share(counts, name, kind) for kind in kinds)} |"


def _share(counts: Counter[tuple[str, str, bool]], name: str, kind: str) -> str:
    good, bad = (
        sum(n for (d, k, ok), n in counts.items() if k == kind and ok == as_noted and name in (d, "all")) for as_noted in (True, False)
    )
    return f"{good} of {good + bad} ({100 * good / (good + bad):.1f} %)" if good + bad else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--draw", action="store_true", help="print the sentences that are to be noted")
    options = parser.parse_args()
    if options.draw:
        for path in sorted(path for folder in options.folders for path in folder.glob("*.pdf")):
            print(path.name, *(f"{page}: {sentence}" for page, sentence in drawn(path)), sep="\n")
        return
    for line in run(options.folders, read_notes()):
        print(line)


if __name__ == "__main__":
    main()
