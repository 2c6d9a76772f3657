"""Are right citations right and wrong ones wrong, whatever program wrote the PDF? Prints Markdown tables.

    python benchmarks/layouts.py AGREEMENTS_FOLDER --pdfs FOLDER [--writers word,scan] [--texts lma,us] [--sentences 40] [--show 3]
                                 [--failures FILE]

Ten agreements (four real ones in text form from AGREEMENTS_FOLDER, the sample, five invented) are written as PDF by eight writers into
FOLDER, once; what is there is used again. Of each PDF sentences are drawn, half of them from page edges, and cited: rightly (page by every
numbering, provision in the document's own spellings, the provision above) and wrongly (neighbour clause, limb, definition and page; the
number of a list item or table row as a clause; in a redline the struck wording).

right: document, page, section and quote get full marks. wrong: the citation is called wrong. half: marks are lost and nothing is called
wrong. open: a question to a judge. In the scan writer, whose text layer is a recognition with errors, a right citation must only not be
called wrong, and a wrong one not get full marks.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.layout_corpus import real_agreement
from benchmarks.layout_model import Agreement, Sentence, Truth, sentences, siblings
from benchmarks.layout_programs import MissingWriter
from benchmarks.layout_sample import sample
from benchmarks.layout_texts import amendment, continental, lma_style, term_sheet, us_style
from benchmarks.layout_writers import WRITERS, rendered
from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents.documents import Document, open_document

ROOT = Path(__file__).resolve().parent.parent
POLICY = CitationPolicy(70.0)
BAD = ("fabricated_location", "not_found", "unsupported", "wrong_page")
FULL = ("exact", "normalised")
_ROMAN = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV".split()


@dataclass(frozen=True, slots=True)
class Asked:
    """One citation that is asked about, and what it should be."""

    is_right: bool
    kind: str
    page: int | str
    section: str
    quote: str


@dataclass(frozen=True, slots=True)
class Answer:
    asked: Asked
    word: str
    """"right", "wrong", "open" or "half" (marks are lost, nothing is called wrong)."""
    check: CitationCheck


def agreements(folder: Path) -> Iterator[Agreement]:
    """The ten texts."""
    yield sample(ROOT / "scripts" / "sample_text" / "agreement.txt")
    yield from (make() for make in (lma_style, us_style, term_sheet, amendment, continental))
    yield from map(real_agreement, sorted(folder.glob("contraxsuite_*.txt")))


# ---- what is asked ----


def drawn(agreement: Agreement, truth: Truth, count: int, seed: str) -> list[Sentence]:
    """Sentences whose place is known, half of them from blocks at a page edge."""
    known = [s for s in sentences(agreement) if len(truth.words.get(s.block, ())) >= s.end and s.path in agreement.spellings]
    before = {n: truth.words[n - 1][-1] if truth.words.get(n - 1) else 0 for n in truth.words}
    edge = [s for s in known if len(_pages(s, truth)) > 1 or before[s.block] != truth.words[s.block][s.start]]
    chance = random.Random(seed)
    picked = chance.sample(edge, min(len(edge), count // 2))
    rest = [s for s in known if s not in picked]
    return sorted([*picked, *chance.sample(rest, min(len(rest), count - len(picked)))], key=lambda s: (s.block, s.start))


def _pages(sentence: Sentence, truth: Truth) -> list[int]:
    return sorted(set(truth.words[sentence.block][sentence.start : sentence.end]))


def right_citations(agreement: Agreement, sentence: Sentence, truth: Truth) -> Iterator[Asked]:
    page = _pages(sentence, truth)[0]
    plain, *others = agreement.spellings[sentence.path]
    kind = "definition" if sentence.path[-1].startswith("“") else "limb" if sentence.path[-1].startswith("(") else "provision"
    yield Asked(True, f"{kind}, physical page", page, plain, sentence.text)
    for name, numbers in truth.numberings.items():
        if shown := numbers[page - 1]:
            yield Asked(True, f"page by {name}", int(shown) if shown.isdigit() else shown, plain, sentence.text)
    if sentence.block in truth.old:
        yield Asked(True, "page by old number", _number(truth.old[sentence.block][sentence.start]), plain, sentence.text)
    for other in others:
        yield Asked(True, f"{kind} spelled otherwise", page, other, sentence.text)
    if above := agreement.spellings.get(sentence.path[:-1]):
        yield Asked(True, "provision above", page, above[0], sentence.text)


def _number(shown: str) -> int | str:
    return int(shown) if shown.isdigit() else shown


def wrong_citations(agreement: Agreement, sentence: Sentence, truth: Truth) -> Iterator[Asked]:
    page, plain = _pages(sentence, truth)[0], agreement.spellings[sentence.path][0]
    for kind, path in siblings(agreement, sentence.path):
        yield Asked(False, kind, page, agreement.spellings[path][0], sentence.text)
    for near in _wrong_pages(sentence, truth):
        yield Asked(False, "neighbour page", near, plain, sentence.text)
    if (number := _list_number(agreement, sentence)) and agreement.bare_number:
        yield Asked(False, "list number as clause", page, agreement.bare_number.format(number), sentence.text)
    struck, living = truth.struck.get(sentence.block), agreement.blocks[sentence.block].text
    if struck and sentence.start == 0 and sentence.text == living:
        yield Asked(False, "struck wording", page, plain, struck)


def _wrong_pages(sentence: Sentence, truth: Truth) -> list[int]:
    """The nearest page before and behind that no numbering makes right."""
    right, count = set(_pages(sentence, truth)), max(max(pages) for pages in truth.words.values() if pages)
    shown = {numbers[page - 1] for numbers in truth.numberings.values() for page in right}
    # An old page can lie on the sentence's page without holding the sentence: it is asked about neither way.
    shown |= {old for n, olds in truth.old.items() for old, page in zip(olds, truth.words.get(n, ()), strict=False) if page in right}
    usable = [n for n in range(1, count + 1) if n not in right and str(n) not in shown]
    before, behind = [n for n in usable if n < min(right)], [n for n in usable if n > max(right)]
    return [*before[-1:], *behind[:1]]


def _list_number(agreement: Agreement, sentence: Sentence) -> str:
    """The number of a list item or table row that is no clause above it."""
    block = agreement.blocks[sentence.block]
    head = block.label if sentence.path[-1].startswith("item") else block.words[0] if block.kind == "row" else ""
    number = head.rstrip(".")
    top = sentence.path[0].removeprefix("Article ")
    own = {top, str(_ROMAN.index(top) + 1) if top in _ROMAN else top}
    return number if number.isdigit() and number not in own else ""


# ---- what is answered ----


def answer(asked: Asked, document: Document, is_scan: bool) -> Answer:
    check = check_citation(Claim(document.name, asked.page, asked.section, asked.quote), [document], POLICY)
    is_open = check.open is not None or check.outcome == "unreadable"
    word = "open" if is_open else "wrong" if check.outcome in BAD else "right" if check.outcome in FULL else "half"
    if is_scan and word != ("wrong" if asked.is_right else "right"):
        word = "right" if asked.is_right else "wrong"
    return Answer(asked, word, check)


def measure(agreement: Agreement, writer: str, folder: Path, count: int) -> list[Answer]:
    """All answers for one PDF. Raises `MissingWriter`."""
    path, truth = rendered(agreement, writer, folder)
    document = open_document(path, cache_dir=None)
    return [
        answer(asked, document, writer == "scan")
        for sentence in drawn(agreement, truth, count, f"{agreement.name} {writer}")
        for ask in (right_citations, wrong_citations)
        for asked in ask(agreement, sentence, truth)
    ]


# ---- tables ----


def _share(answers: Sequence[Answer]) -> str:
    good = sum(a.word == ("right" if a.asked.is_right else "wrong") for a in answers)
    return f"{100 * good / len(answers):.1f} %" if answers else "-"


def _counts(answers: Sequence[Answer], word: str) -> str:
    return str(sum(a.word == word for a in answers))


def table(by_writer: dict[str, list[Answer]], missing: dict[str, str]) -> Iterator[str]:
    yield "| writer | right citations | right | half | open | called wrong | wrong siblings | wrong | half | open | called right |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for writer, answers in by_writer.items():
        right, wrong = [a for a in answers if a.asked.is_right], [a for a in answers if not a.asked.is_right]
        cells = [writer, str(len(right)), _share(right), *(_counts(right, word) for word in ("half", "open", "wrong"))]
        cells += [str(len(wrong)), _share(wrong), *(_counts(wrong, word) for word in ("half", "open", "right"))]
        yield f"| {' | '.join(cells)} |"
    for writer, reason in missing.items():
        yield f"| {writer} | not run: {reason} |" + " |" * 9


def kinds_table(by_writer: dict[str, list[Answer]]) -> Iterator[str]:
    kinds = sorted({(not a.asked.is_right, a.asked.kind) for answers in by_writer.values() for a in answers})
    yield f"| kind | {' | '.join(by_writer)} |"
    yield "|---" * (len(by_writer) + 1) + "|"
    for is_wrong, kind in kinds:
        cells = [_share([a for a in answers if a.asked.kind == kind and a.asked.is_right != is_wrong]) for answers in by_writer.values()]
        yield f"| {'wrong: ' if is_wrong else ''}{kind} | {' | '.join(cells)} |"


def _told(path: str, one: Answer) -> dict[str, object]:
    asked, check = one.asked, one.check
    return {
        "pdf": path,
        "expected": "right" if asked.is_right else "wrong",
        "kind": asked.kind,
        "page": asked.page,
        "section": asked.section,
        "quote": asked.quote,
        "got": one.word,
        "outcome": check.outcome,
        "words": {"quote": check.quote, "page": check.page, "section": check.section},
        "found": {"pages": check.pages_found, "sections": check.sections_found},
        "findings": check.findings,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agreements", type=Path, help="folder with contraxsuite_*.txt")
    parser.add_argument("--pdfs", type=Path, required=True, help="where the PDFs are kept")
    parser.add_argument("--writers", default=",".join(WRITERS))
    parser.add_argument("--texts", default="", help="names of agreements, all by default")
    parser.add_argument("--sentences", type=int, default=40)
    parser.add_argument("--show", type=int, default=0, help="failing citations to print for each writer and kind")
    parser.add_argument("--failures", type=Path, help="a file for all failing citations, one JSON object a line")
    options = parser.parse_args()
    options.pdfs.mkdir(parents=True, exist_ok=True)
    texts = [text for text in agreements(options.agreements) if not options.texts or text.name in options.texts.split(",")]
    by_writer: dict[str, list[Answer]] = {}
    by_text: dict[str, list[Answer]] = defaultdict(list)
    missing: dict[str, str] = {}
    failures: list[dict[str, object]] = []
    for writer in options.writers.split(","):
        try:
            for text in texts:
                started = time.perf_counter()
                answers = measure(text, writer, options.pdfs, options.sentences)
                by_writer.setdefault(writer, []).extend(answers)
                by_text[text.name] += answers
                path = str(options.pdfs / f"{text.name}-{writer}.pdf")
                failures += [_told(path, a) for a in answers if a.word != ("right" if a.asked.is_right else "wrong")]
                print(f"{writer} {text.name}: {len(answers)} citations, {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
        except MissingWriter as error:
            missing[writer] = str(error)
    for lines in (table(by_writer, missing), kinds_table(by_writer), table(by_text, {})):
        print("\n".join(lines), end="\n\n", flush=True)
    _show(failures, options.show)
    if options.failures:
        options.failures.write_text("".join(json.dumps(f, ensure_ascii=False) + "\n" for f in failures), encoding="utf-8")


def _show(failures: list[dict[str, object]], most: int) -> None:
    shown: Counter[object] = Counter()
    for failure in failures:
        key = (str(failure["pdf"]).rpartition("-")[2], failure["expected"], failure["kind"])
        shown[key] += 1
        if shown[key] <= most:
            print(json.dumps(failure, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
