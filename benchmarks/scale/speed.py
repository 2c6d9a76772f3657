"""Speed and memory beside their floors, measured in one run. Usage: python benchmarks/scale/speed.py [FOLDER] [--agreements FOLDER ...]

With --agreements only this: for each PDF of the folders that takes 0.05 s to extract, indexing beside bare extraction and the memory of the
reading process. Otherwise:
Writes twenty agreements of 110 pages and one of 300 into a temporary folder (or FOLDER, which is kept), and prints one Markdown table:
indexing beside bare text extraction, quotes beside `str.find`, a second run on known documents, and whole runs of `judge run` offline.
Processor time of a child process is what the system counted for it, so the figures hold on a machine that others use too; wall times
are given where a user waits.
"""

import argparse
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pymupdf

from benchmarks.scale.speed_documents import Agreement, foreign_sentences, write_agreement, write_batch
from deterministic.documents.documents import Document, DocumentError, open_document, open_documents
from deterministic.documents.parsing import Worker, shared_worker
from deterministic.quotes.find import find_quote

LONG, SHORT, DOCUMENTS, CASES = 300, 110, 20, 1000
QUOTES = 200
LENGTH = 100_000
Row = tuple[str, str, str]


def best(run: Callable[[], float], times: int = 3) -> float:
    return min(run() for _ in range(times))


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and own processor seconds."""
    wall, used = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - used


def with_worker(worker: Worker, run: Callable[[], object]) -> float:
    """Processor seconds of this process and of the worker's, where the system tells (Linux); else wall seconds."""
    assert worker._process is not None
    spent = Path(f"/proc/{worker._process.pid}/schedstat")
    if not spent.exists():
        return timed(run)[0]
    before = int(spent.read_text().split()[0])
    own = timed(run)[1]
    return own + (int(spent.read_text().split()[0]) - before) / 1e9


def bare(path: Path) -> None:
    with pymupdf.open(path) as pdf:
        for page in pdf:
            page.get_text()


def milliseconds(seconds: Iterable[float]) -> str:
    ordered = sorted(seconds)
    return f"median {1000 * statistics.median(ordered):.2f} ms, 95 % {1000 * ordered[int(0.95 * len(ordered))]:.2f} ms"


def index_rows(path: Path) -> list[Row]:
    """Indexing in a reading process that runs already, and with its start."""
    open_document(path)
    floor = best(lambda: timed(lambda: bare(path))[1])
    worker = shared_worker(1 << 30)
    warm = best(lambda: timed(lambda: open_document(path).clauses)[0], 5)
    used = best(lambda: with_worker(worker, lambda: open_document(path).clauses), 5)
    worker.close()
    cold = timed(lambda: open_document(path).clauses)[0]
    goal = "at most 2.5 times"
    return [
        (f"bare `page.get_text()`, {LONG} pages", f"{floor:.2f} s", "floor"),
        ("indexing it, reading process running, CPU of both processes", f"{used:.2f} s = {used / floor:.2f} times", goal),
        ("the same, wall, beside the floor's CPU", f"{warm:.2f} s = {warm / floor:.2f} times", ""),
        ("the same with the start of the reading process", f"{cold:.2f} s = {cold / floor:.2f} times", ""),
    ]


def agreement_rows(folders: Sequence[Path]) -> list[Row]:
    """Indexing of real agreements, each in a reading process of its own that runs already, and that process's peak memory."""
    paths = sorted(path for folder in folders for path in folder.glob("*.pdf"))
    return [row for path in paths for row in agreement_row(path)]


def agreement_row(path: Path) -> list[Row]:
    """Nothing for a PDF that is extracted too fast to be measured."""
    floor = best(lambda: timed(lambda: bare(path))[1])
    if floor < 0.05:
        return []
    worker = shared_worker(1 << 30)
    open_document(path)
    used = best(lambda: with_worker(worker, lambda: open_document(path).clauses))
    assert worker._process is not None
    status = Path(f"/proc/{worker._process.pid}/status")
    peak = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    memory = f"{int(peak[1]) / 1000:.0f} MB" if peak else "-"
    worker.close()
    shown = f"bare {floor:.2f} s, indexed {used:.2f} s = {used / floor:.2f} times; reading process {memory}"
    return [(path.stem, shown, "2.5 times, none above 3; 150 MB")]


def quote_rows(agreement: Agreement) -> list[Row]:
    document = open_document(agreement.path)
    prepare(document)
    step = max(1, len(agreement.sentences) // QUOTES)
    chosen = first_of_pages(agreement.sentences[::step] if step > 1 else agreement.sentences)
    foreign = list(zip([page for page, _ in chosen], foreign_sentences(len(chosen), 1), strict=True))
    floor = [timed(lambda text=text: document.text.find(text))[0] for _, text in chosen]  # type: ignore[misc]
    find_foreign = [timed(lambda text=text: document.text.find(text))[0] for _, text in foreign]  # type: ignore[misc]
    shuffled = [(page, " ".join(sorted(text.split(), key=hash_of))) for page, text in chosen]
    return [
        (f"`str.find`, sentence of the document ({len(chosen)} quotes, one a page)", milliseconds(floor), "floor"),
        ("`str.find`, sentence of no document", milliseconds(find_foreign), "floor"),
        ("verbatim quote, first look at its page", milliseconds(found(document, chosen, "exact", "normalised")), "median 2 ms"),
        ("verbatim quote, page looked at before", milliseconds(found(document, chosen, "exact", "normalised")), "median 2 ms"),
        (
            "quote that is nowhere, first second reading of its page included",
            milliseconds(found(document, foreign, "not_found", "open")),
            "25 ms",
        ),
        ("the same, page read again before", milliseconds(found(document, foreign, "not_found", "open")), "25 ms"),
        ("the words of a sentence in another order", milliseconds(found(document, shuffled, "not_found", "open")), "25 ms"),
    ]


def long_quote_rows(agreement: Agreement) -> list[Row]:
    """Quotes of 100,000 characters in the shapes that once made a comparison quadratic or worse."""
    document = open_document(agreement.path)
    prepare(document)
    words, real = document.text.split(), document.text[LENGTH : 2 * LENGTH]
    shapes = {
        "words at random": " ".join(sorted(words, key=hash_of)),
        "one sentence again and again": agreement.sentences[0][1] * (LENGTH // 60),
        "pages, every 25th word another": " ".join(word if n % 25 else "elephants" for n, word in enumerate(real.split())),
        "whole pages": real,
        "one word again and again": "Borrower " * LENGTH,
    }
    rows = []
    for shape, quote in shapes.items():
        quote = quote[:LENGTH]
        used = timed(lambda quote=quote: find_quote(document, quote, page_hint=9, lower=70))[1]  # type: ignore[misc]
        rows.append((f"quote of {len(quote):,} characters: {shape}", f"{1000 * used:.0f} ms CPU", "200 ms"))
    return rows


def hash_of(word: str) -> int:
    return sum(map(ord, word)) * 7919 % 1009


def first_of_pages(sentences: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return list({page: (page, text) for page, text in reversed(sentences)}.values())[::-1]


def prepare(document: Document) -> None:
    """What is built once a document: keys and word index."""
    find_quote(document, "the Borrower shall purchase seventeen elephants", page_hint=None, lower=70)


def found(document: Document, quotes: Sequence[tuple[int, str]], *expected: str) -> list[float]:
    times = []
    for page, quote in quotes:
        start = time.perf_counter()
        match = find_quote(document, quote, page_hint=page, lower=70)
        times.append(time.perf_counter() - start)
        assert match.verdict in expected, (match.verdict, page, quote)
    return times


def second_run_rows(paths: Sequence[Path], cache: Path) -> list[Row]:
    one = timed(lambda: opened(paths, None, 1))[0]
    both = timed(lambda: opened(paths, cache, 2))[0]
    asked: list[str] = []
    ask = Worker.ask
    Worker.ask = lambda self, operation, **rest: (asked.append(operation), ask(self, operation, **rest))[1]  # type: ignore[assignment,method-assign]
    again = timed(lambda: opened(paths, cache, 2))
    Worker.ask = ask  # type: ignore[method-assign]
    return [
        (
            f"opening {len(paths)} unknown documents, one reading process / two (start included), wall",
            f"{one:.2f} s / {both:.2f} s",
            "both cores",
        ),
        (f"opening them again from the cache: {len(asked)} parsed", f"{again[0]:.2f} s wall, {again[1]:.2f} s CPU", "none parsed"),
    ]  # fmt: skip


def opened(paths: Sequence[Path], cache: Path | None, processes: int) -> dict[str, Document | DocumentError]:
    documents = open_documents(paths, cache_dir=cache, processes=processes)
    assert all(isinstance(document, Document) for document in documents.values())
    return documents


def judged(batch: tuple[Path, Path], documents: Path, folder: Path) -> tuple[float, float, float]:
    """Wall seconds, processor seconds (reading processes included) and peak MB of one `judge run`."""
    command = [
        sys.executable,
        "-c",
        "from judge.cli import main; main()",
        "run",
        str(batch[0]),
        "--gold",
        str(batch[1]),
        "--documents",
        str(documents),
    ]
    command += ["--out", str(folder / f"out-{batch[0].stem}"), "--judge", "offline", "--fresh", "--display", "none", "--reports", "none"]
    environment = {**os.environ, "JUDGE_CACHE_DIR": str(folder / "cache")}
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 4):
        sys.exit(process.stderr.read().decode() if process.stderr else "the run failed")
    scale = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6


def run_rows(agreements: Sequence[Agreement], folder: Path) -> list[Row]:
    """The run of few cases pays for start and opening; what more cases cost is what a case costs."""
    sizes = (DOCUMENTS, CASES // 2, CASES)
    batches = [write_batch(agreements, count, folder) for count in sizes]
    documents = agreements[0].path.parent
    rights = [write_batch(agreements, count, folder, has_faults=False) for count in (DOCUMENTS, CASES)]
    judged(batches[0], documents, folder)  # fills the cache of documents
    few, half, whole = (judged(batch, documents, folder) for batch in batches)
    few_right, right = (judged(batch, documents, folder) for batch in rights)
    case = 1000 * (whole[1] - few[1]) / (sizes[2] - sizes[0])
    right_case = 1000 * (right[1] - few_right[1]) / (CASES - DOCUMENTS)
    return [
        (f"`judge run` offline, {sizes[0]} cases, known documents", f"{few[0]:.2f} s wall, {few[1]:.2f} s CPU, {few[2]:.0f} MB", ""),
        (f"{sizes[1]} cases of 16 fields", f"{half[0]:.2f} s wall, {half[1]:.2f} s CPU, {half[2]:.0f} MB", "flat memory"),
        (f"{sizes[2]} cases", f"{whole[0]:.2f} s wall, {whole[1]:.2f} s CPU, {whole[2]:.0f} MB", "flat memory"),
        ("CPU a case of right outputs, documents known", f"{right_case:.2f} ms", "below 10 ms"),
        (
            "CPU a case with a fault in one field of seven (a rewording or an invention is looked for everywhere)",
            f"{case:.2f} ms",
            "below 10 ms",
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="kept; a temporary one by default")
    parser.add_argument("--agreements", type=Path, nargs="+", help="folders of real PDFs")
    options = parser.parse_args()
    rows = agreement_rows(options.agreements) if options.agreements else written_rows(options.folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}, PyMuPDF {pymupdf.VersionBind}\n")
    print("| what | measured | goal |\n|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"\nPeak memory of the measuring process: {peak / 1024:.0f} MB.")


def written_rows(given: Path | None) -> list[Row]:
    """Everything that is measured on agreements written for it, in the given folder or a temporary one."""
    folder = given or Path(tempfile.mkdtemp())
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    try:
        long = write_agreement(folder / "long.pdf", LONG, 100)
        agreements = [write_agreement(documents / f"agreement-{n:02d}.pdf", SHORT, n) for n in range(DOCUMENTS)]
        rows = index_rows(long.path) + quote_rows(long) + long_quote_rows(long)
        rows += second_run_rows([agreement.path for agreement in agreements], folder / "second")
        return rows + run_rows(agreements, folder)
    finally:
        if given is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
