"""Up to how many words that differ do edits decide by rule? The contract's `quotes.most_edits`, chosen from data.

    python -m benchmarks.quotes.quote_edits --documents DIR DIR [--each 12]

Held against each other: the 209 rewordings of `benchmarks.quotes.rewordings` (written by hand for that measurement, constructed),
sentences of *other* agreements on the same subject, and the alterations of `benchmarks.quotes.quote_alterations` (one change in a real
sentence). For every number of words: how many rewordings a rule calls altered or gives marks, and how many alterations a rule calls
altered or gives marks.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.quotes.quote_alterations import AGREEMENTS, KINDS, PARTIAL_BY_R1, sentences_of, unlabelled
from benchmarks.quotes.quote_recall import LOWER, plain
from benchmarks.quotes.rewordings import DATA, FOREIGN, documents, foreign
from deterministic.documents.documents import Document, open_document
from deterministic.quotes.find import find_quote

NUMBERS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 20)
Item = tuple[Document, int, str]


def alterations(paths: Sequence[Path], each: int) -> Iterator[Item]:
    """`each` alterations a kind and agreement that change what the sentence says, each nowhere in the agreement."""
    for path in paths:
        document = open_document(path, cache_dir=None)
        whole, sentences = plain(" ".join(page.text for page in document.pages)), sentences_of(document, path, 20_000)
        for kind in (kind for kind in KINDS if kind not in PARTIAL_BY_R1 and "ellipsis" not in kind):
            rng, count = random.Random(kind), 0
            for page, sentence in rng.sample(sentences, len(sentences)):
                altered = KINDS[kind](sentence, rng)
                if altered and altered != sentence and ("sign" in kind or plain(unlabelled(altered)) not in whole):
                    yield document, page, altered
                    count += 1
                if count == each:
                    break


def verdicts(items: Sequence[Item], most: int) -> Counter[str]:
    found = (find_quote(document, quote, page_hint=page, lower=LOWER, most=most) for document, page, quote in items)
    return Counter("altered" if m.findings and m.verdict == "not_found" else "marks" if m.verdict in _MARKS else m.verdict for m in found)


_MARKS = ("exact", "normalised", "paraphrased")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, nargs="+", required=True)
    parser.add_argument("--each", type=int, default=12, help="alterations a kind and agreement")
    options = parser.parse_args()
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    known = documents(options.documents, sorted({row["document"] for row in rows}))
    reworded = [(known[row["document"]], row["page"], row["rewording"]) for row in rows]
    strangers = [one for _, one in zip(range(FOREIGN), foreign(known, [(r["document"], r["page"]) for r in rows]), strict=False)]
    others = [(known[name], page, sentence) for name, page, sentence in strangers]
    paths = [folder / name for name in AGREEMENTS for folder in options.documents if (folder / name).exists()]
    altered = list(alterations(paths, options.each))
    print(f"{len(reworded)} rewordings, {len(others)} foreign sentences, {len(altered)} alterations\n")
    print("| words | rewordings: altered | marks | foreign: altered | marks | alterations: altered | question | marks |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for most in NUMBERS:
        first, second, third = (verdicts(items, most) for items in (reworded, others, altered))
        cells = (
            most,
            first["altered"],
            first["marks"],
            second["altered"],
            second["marks"],
            third["altered"],
            third["open"],
            third["marks"],
        )
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
