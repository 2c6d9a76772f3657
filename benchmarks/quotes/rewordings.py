"""Where between a rewording and an invention the line lies: the share of a quote's content words that stand at the cited page.

    python -m benchmarks.quotes.rewordings --documents DIR DIR

benchmarks/data/rewordings.jsonl holds 209 rewordings of real sentences with the page on which each stands, written by hand for this
measurement (constructed, not outputs of a system). The foreign sentences are real sentences of *other* agreements, each held against a
page of this set that speaks of the same things: at least two of its rarer words stand there, and nothing nearly the same (75 of 100, letter
by letter) stands anywhere in that agreement.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rapidfuzz import fuzz

from benchmarks.quotes.quote_recall import LOWER, sample_sentences
from deterministic.documents.documents import Document, open_document
from deterministic.lexicon.stems import content_words
from deterministic.quotes.find import find_quote
from deterministic.quotes.shares import best_place

DATA = Path(__file__).parents[1] / "data" / "rewordings.jsonl"
SHARES = [n / 20 for n in range(6, 17)]
FOREIGN = 500
_COMMON = 0.12
"""Share of a document's pages from which a word is too common to say what a sentence is about."""
_TOO_NEAR = 75


def documents(folders: Sequence[Path], names: Sequence[str]) -> dict[str, Document]:
    """The agreements as text, every page taken for readable, so that the share alone decides."""
    paths = {name: next(path for folder in folders for path in folder.rglob(name)) for name in names}
    return {
        name: Document.from_pages(name, [page.text for page in open_document(path, cache_dir=None).pages]) for name, path in paths.items()
    }


def foreign(known: dict[str, Document], places: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int, str]]:
    """(document, page, sentence of another agreement on the same subject), each sentence once."""
    rng = random.Random(17)
    pool = {name: [s for _, s in sample_sentences(_texts(document), 4000, rng) if 70 <= len(s) <= 260] for name, document in known.items()}
    words = {sentence: content_words(sentence) for sentences in pool.values() for sentence in sentences}
    rare = {name: _rare_words(document) for name, document in known.items()}
    whole = {name: document.text.casefold() for name, document in known.items()}
    used: set[str] = set()
    for name, page in list(places) * 4:
        there = content_words(known[name].pages[page - 1].body) & rare[name]
        others = [
            s for other, sentences in pool.items() if other != name for s in sentences if s not in used and len(words[s] & there) >= 2
        ]
        for sentence in rng.sample(others, min(4, len(others))):
            if fuzz.partial_ratio(sentence.casefold(), whole[name]) < _TOO_NEAR:
                used.add(sentence)
                yield name, page, sentence
                break


def _texts(document: Document) -> list[str]:
    return [page.text for page in document.pages]


def _rare_words(document: Document) -> frozenset[str]:
    pages = Counter(word for page in document.pages for word in content_words(page.body))
    return frozenset(word for word, count in pages.items() if count <= max(2, _COMMON * len(document.pages)))


def needed(document: Document, quote: str, page: int) -> float:
    """The least share from which the quote is called invented: 0 for one that a rule calls altered, 2 for one that no share does."""

    def verdict(share: float) -> str:
        return find_quote(document, quote, page_hint=page, lower=LOWER, share=share).verdict

    if verdict(0.0) == "not_found":
        return 0.0
    if verdict(2.0) != "not_found":
        return 2.0
    start = document.page_starts[page - 1]
    return best_place(document, quote, [(start, start + len(document.pages[page - 1].body))])[0] + 1e-9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, nargs="+", required=True)
    parser.add_argument("--show", type=float, help="print what this share decides wrongly")
    options = parser.parse_args()
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    known = documents(options.documents, sorted({row["document"] for row in rows}))
    places = [(row["document"], row["page"]) for row in rows]
    strangers = [one for _, one in zip(range(FOREIGN), foreign(known, places), strict=False)]
    print(f"{len(rows)} rewordings, {len(strangers)} foreign sentences\n")
    lost = [(needed(known[row["document"]], row["rewording"], row["page"]), row) for row in rows]
    caught = [(needed(known[one[0]], one[2], one[1]), one) for one in strangers]
    print("| share | rewordings called invented | foreign sentences called invented |\n|--:|--:|--:|")
    for share in SHARES:
        print(f"| {share:.2f} | {_percent(lost, share)} | {_percent(caught, share)} |")
    if options.show is not None:
        print(*(("--", row) for least, row in lost if least <= options.show), sep="\n")
        print(*(("++", one) for least, one in caught if least > options.show), sep="\n")


def _percent(needs: Sequence[tuple[float, object]], share: float) -> str:
    return f"{100 * sum(least <= share for least, _ in needs) / len(needs):.1f} %"


if __name__ == "__main__":
    main()
