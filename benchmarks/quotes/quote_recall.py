"""Recall and false accepts of the quote check on real agreements, and its speed. Prints a Markdown table.

    python benchmarks/quotes/quote_recall.py [--agreements FOLDER ...] [--sentences 300] [--seed 7] [--readers-only] [--show]

Each sentence is taken from the text of one page as a reader gives it and looked up with its right page; then the same sentence is looked up
with one digit, negation, party or modal changed. Alterations that really stand somewhere in the document are left out.
`--readers-only` leaves the alterations and the speed out and ends with the share of sentences not found, by reader.
"""

import argparse
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pymupdf
import pypdf
import pypdfium2
from pdfminer.high_level import extract_pages
from pdfminer.layout import LTTextContainer

from benchmarks.documents.rendering import RENDERERS
from deterministic.documents.documents import Document, open_document
from deterministic.quotes.find import QuoteMatch, find_quote

LOWER = 70.0
_SENTENCE = re.compile(r"[A-Z“\"(][^.;]{58,480}(?:[.;](?!\s|$)[^.;]*)*[.;](?=\s|$)")


def read_pymupdf(path: Path) -> list[str]:
    with pymupdf.open(path) as pdf:
        return [page.get_text() for page in pdf]


def read_pdfium(path: Path) -> list[str]:
    pdf = pypdfium2.PdfDocument(path)
    return [page.get_textpage().get_text_range() for page in pdf]


def read_pypdf(path: Path) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


def read_pdfminer(path: Path) -> list[str]:
    return ["".join(box.get_text() for box in page if isinstance(box, LTTextContainer)) for page in extract_pages(path)]


READERS: dict[str, Callable[[Path], list[str]]] = {
    "PyMuPDF": read_pymupdf,
    "pypdfium2": read_pdfium,
    "pypdf": read_pypdf,
    "pdfminer.six": read_pdfminer,
}


def sample_sentences(pages: Sequence[str], count: int, rng: random.Random) -> list[tuple[int, str]]:
    """(physical page, sentence), at most `count`, from pages drawn at random."""
    every = [
        (number, " ".join(match[0].split()))
        for number, text in enumerate(pages, 1)
        for match in _SENTENCE.finditer(text)
        if not re.search(r"\bno\s*\Z", text[: match.start()][-8:], re.I)  # what begins behind "no" says the opposite
    ]
    usable = [(number, sentence) for number, sentence in every if len(re.findall(r"[^\W\d_]{2,}", sentence)) >= 8]
    return usable if len(usable) <= count else rng.sample(usable, count)


# --- alterations ----------------------------------------

_NEGATE = [
    (r"\bshall not\b", "shall"),
    (r"\bmay not\b", "may"),
    (r"\bwill not\b", "will"),
    (r"\bis not\b", "is"),
    (r"\bno\b", "any"),
    (r"\bnot\b", ""),
]
_ADD_NEGATION = [
    (r"\bshall\b(?! not)", "shall not"),
    (r"\bmay\b(?! not)", "may not"),
    (r"\bwill\b(?! not)", "will not"),
    (r"\bis\b(?! not)", "is not"),
]
_PARTY = [
    ("Borrower", "Lender"),
    ("Lender", "Borrower"),
    ("Agent", "Guarantor"),
    ("Company", "Trustee"),
    ("Guarantor", "Agent"),
    ("AWS", "Oracle"),
]
_MODAL = [(r"\bshall\b", "may"), (r"\bmust\b", "may"), (r"\bwill\b", "may"), (r"\bmay\b", "shall")]


def change_digit(sentence: str, rng: random.Random) -> str | None:
    labels = {at for label in re.finditer(r"\(\d{1,2}\)|^(?:Annex |Section )?[\d.]+ ", sentence) for at in range(*label.span())}
    digits = [match.start() for match in re.finditer(r"\d", sentence) if match.start() not in labels]
    if not digits:
        return None
    at = rng.choice(digits)
    other = rng.choice([d for d in "0123456789" if d != sentence[at]])
    return sentence[:at] + other + sentence[at + 1 :]


def change_words(pairs: Sequence[tuple[str, str]]) -> Callable[[str, random.Random], str | None]:
    def change(sentence: str, rng: random.Random) -> str | None:
        usable = [(pattern, other) for pattern, other in pairs if re.search(pattern, sentence)]
        if not usable:
            return None
        pattern, other = usable[0]
        places = list(re.finditer(pattern, sentence))
        place = rng.choice(places)
        return sentence[: place.start()] + other + sentence[place.end() :]

    return change


def change_modal(sentence: str, rng: random.Random) -> str | None:
    """Obligation and permission exchanged where no negation makes them one."""
    if re.search(r"(?i)\b(?:no|not|none|nothing|neither|nor|never|without)\b", sentence):
        return None
    return change_words(_MODAL)(sentence, rng)


ALTERATIONS: dict[str, Callable[[str, random.Random], str | None]] = {
    "digit": change_digit,
    "negation dropped": change_words(_NEGATE),
    "negation added": change_words(_ADD_NEGATION),
    "party": change_words([(rf"\b{a}\b", b) for a, b in _PARTY]),
    "modal": change_modal,
}


def plain(text: str) -> str:
    """Lower case, words and numbers separated by one space: an independent look whether an altered sentence really stands elsewhere."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "


# --- the measurement ----------------------------------------


def verdict(document: Document, page: int, sentence: str) -> tuple[str, QuoteMatch]:
    match = find_quote(document, sentence, page_hint=page, lower=LOWER)
    if match.is_verbatim and not any(page in place.pages for place in match.occurrences):
        return "other page", match
    return match.verdict, match


def measure(path: Path, name: str, options: argparse.Namespace, totals: dict[str, Counter[str]]) -> Iterator[list[str]]:
    """A row for each reader; `totals` counts the outcomes of right sentences by reader."""
    document = open_document(path, cache_dir=None)
    whole = plain(" ".join(page.text for page in document.pages))
    seed, show = options.seed, options.show
    for reader, read in READERS.items():
        sentences = sample_sentences(read(path), options.sentences, random.Random(seed))
        results: Counter[str] = Counter()
        for page, sentence in sentences:
            word, match = verdict(document, page, sentence)
            results[word] += 1
            if show and word not in ("exact", "normalised"):
                print(
                    f"-- {name} {reader} p{page} {word} {match.similarity:.0f} {match.findings}\n   {sentence!r}\n   {match.window!r}",
                    file=sys.stderr,
                )
        full = results["exact"] + results["normalised"]
        accepted, tried = 0, 0
        rng = random.Random(seed + 1)
        totals[reader].update(results)
        for page, sentence in () if options.readers_only else sentences:
            for kind, alter in ALTERATIONS.items():
                altered = alter(sentence, rng)
                if altered is None or plain(altered) in whole:
                    continue
                tried += 1
                word, match = verdict(document, page, altered)
                if word in ("exact", "normalised", "other page", "paraphrased"):
                    accepted += 1
                    if show:
                        print(
                            f"!! {name} {reader} p{page} {kind} accepted as {word} {match.similarity:.0f}\n"
                            f"   {altered!r}\n   {match.window!r}",
                            file=sys.stderr,
                        )
        rest = {word: n for word, n in sorted(results.items()) if word not in ("exact", "normalised", "not_found")}
        yield [
            name,
            reader,
            str(len(sentences)),
            f"{100 * full / max(1, len(sentences)):.1f} %",
            ", ".join(f"{n} {word}" for word, n in rest.items()) or "-",
            str(results["not_found"]),
            f"{accepted} of {tried}",
        ]


def speed(path: Path) -> Iterator[str]:
    """Figures for one long document, repeated to 300 pages and more."""
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.pdf"
        with pymupdf.open(path) as pdf, pymupdf.open() as joined:
            while len(joined) < 300:
                joined.insert_pdf(pdf, to_page=min(len(pdf), 300 - len(joined)) - 1)
            joined.save(long)
        started = time.perf_counter()
        texts = read_pymupdf(long)
        bare = time.perf_counter() - started
        started = time.perf_counter()
        document = open_document(long, cache_dir=None)
        find_quote(document, "warm the index with a text that is nowhere at all", page_hint=1, lower=LOWER)
        indexing = time.perf_counter() - started
        times = indexing / bare
        yield f"bare extraction of {len(texts)} pages {bare:.2f} s; opening, indexing and first search {indexing:.2f} s ({times:.1f} times)"
        rng = random.Random(11)
        sentences = sample_sentences(texts, 300, rng)
        joined_text = "\n".join(texts)
        floor, verbatim, absent, again, absent_again = [], [], [], [], []
        for page, sentence in sentences:
            started = time.perf_counter()
            joined_text.find(sentence)
            floor.append(time.perf_counter() - started)
            started = time.perf_counter()
            find_quote(document, sentence, page_hint=page, lower=LOWER)
            verbatim.append(time.perf_counter() - started)
            words = sentence.split()
            rng.shuffle(words)
            started = time.perf_counter()
            find_quote(document, " ".join(words), page_hint=page, lower=LOWER)
            absent.append(time.perf_counter() - started)
            started = time.perf_counter()
            find_quote(document, sentence, page_hint=page, lower=LOWER)
            again.append(time.perf_counter() - started)
            rng.shuffle(words)
            started = time.perf_counter()
            find_quote(document, " ".join(words), page_hint=page, lower=LOWER)
            absent_again.append(time.perf_counter() - started)
        for label, times in (
            ("str.find on joined text", floor),
            ("verbatim quote, page looked at before", again),
            ("verbatim quote, first look at its page for hidden and struck-out text included", verbatim),
            ("absent quote (words shuffled), page read a second time before", absent_again),
            ("absent quote, the second reading of its page included", absent),
        ):
            ordered = sorted(times)
            yield f"{label}: median {1000 * statistics.median(times):.2f} ms, 95 % {1000 * ordered[int(0.95 * len(ordered))]:.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agreements", type=Path, nargs="+", default=[Path("../shared/documents/agreements")])
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="print what did not get full marks and what was accepted, to stderr")
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--readers-only", action="store_true", help="right sentences only")
    options = parser.parse_args()
    print("| document | text as read by | sentences | full marks | rest | not_found | altered, accepted |")
    print("|---|---|---|---|---|---|---|")
    totals: dict[str, Counter[str]] = {reader: Counter() for reader in READERS}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _documents(options.agreements, Path(folder)):
            if options.only in name:
                for row in measure(path, name, options, totals):
                    print("| " + " | ".join(row) + " |", flush=True)
    print()
    for reader, counts in totals.items():
        lost, every = counts["not_found"], max(1, counts.total())
        print(f"- {reader}: {lost} of {counts.total()} sentences not found ({100 * lost / every:.2f} %)")
    if not (options.no_speed or options.readers_only):
        for line in speed(max((p for f in options.agreements for p in f.glob("*.pdf")), key=lambda p: p.stat().st_size)):
            print(f"- {line}")


def _documents(agreements: Sequence[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(path for one in agreements for path in one.glob("*.pdf")):
        yield re.split(r"[_-]", path.stem)[0], path
    texts = sorted(path for one in agreements for path in one.glob("*.txt"))
    for path, (tool, render) in zip(texts, RENDERERS.items(), strict=False):
        target = folder / f"{path.stem}.pdf"
        render(path.read_text(encoding="utf-8", errors="replace"), target, "Credit Agreement - Conformed Copy")
        yield f"{path.stem.split('_')[1]} ({tool})", target


if __name__ == "__main__":
    main()
