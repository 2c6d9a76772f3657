"""The companion world: every score that a careful reader gave, held against what the command line says.

    python benchmarks/agreements/companion.py FOLDER ORACLE [--offline] [--word] [--keep DIR]

FOLDER holds the cases' documents, outputs, gold by case and scores; ORACLE is the program of the scripted judge. The judge answers from the
reader's tables; which row of a case's own table fits is taken from the scores file, question by question. Prints a line a difference and
one of figures. --offline: no judge at all; then every score must lie within the bounds.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Line = dict[str, Any]
NEAR = 1e-6  # the scores file has six digits
ROUNDS = 4  # case row, item rows, and what they lead to
RUN = [sys.executable, "-c", "from judge.cli import main; main()", "run"]


def read(path: Path) -> list[Line]:
    """The lines of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def scores_of(path: Path) -> dict[str, Line]:
    """The scores file: a JSON list of one object a line."""
    return {score["case_id"]: score for score in json.loads(path.read_text("utf-8"))}


def row_chosen(rows: dict[str, str], output: str, menu: list[str]) -> str:
    """The row that the reader chose, as an answer: for the whole case, or for the one item that the question's output begins with."""
    item = "@case" if "\n" in output or "@case" in rows else output.split(": ")[0]
    return rows[item] if rows.get(item) in menu else "none_of_these"


class World:
    """The folder, copied to where a run may write."""

    def __init__(self, folder: Path, work: Path, *, has_word: bool) -> None:
        self.folder, self.work, self.out = folder, work, work / "out"
        lines = [line for name in ("outputs.jsonl", "outputs_word.jsonl")[: 1 + has_word] for line in read(folder / name)]
        (work / "batch.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        known = scores_of(folder / "scores.json")
        self.scores = {line["case_id"]: known[line["case_id"]] for line in lines}

    def run(self, judge: list[str], environ: dict[str, str]) -> None:
        """One run of the command line; its result folder is `out`."""
        inputs = [self.work / "batch.jsonl", "--gold", self.folder / "gold_by_case.jsonl", "--documents", self.folder / "documents"]
        flags = ["--out", self.out, "--fresh", "--display", "none", "--reports", "none", "--contract", "companion", "--ocr"]
        own = {key: value for key, value in os.environ.items() if not key.startswith("JUDGE_")}
        own |= {"JUDGE_CACHE_DIR": str(self.work / "cache"), "PYTHONPATH": str(ROOT), **environ}
        done = subprocess.run(
            [*RUN, *map(str, (*inputs, *flags)), *judge], cwd=self.work, env=own, capture_output=True, text=True, check=False
        )
        if not (self.out / "cases.jsonl").exists():
            raise SystemExit(f"no result: {done.stderr[-2000:]}")

    def judged(self, oracle: Path) -> None:
        """Runs until no question on a row is left that the scores file answers."""
        tables = [self.folder / "oracle.jsonl", self.folder / "oracle_next.jsonl"]
        rows = self.work / "rows.jsonl"
        rows.write_text("", "utf-8")
        for _ in range(ROUNDS):
            shutil.rmtree(self.work / "cache" / "answers", ignore_errors=True)
            with Oracle(oracle, [rows, *tables]) as url:
                self.run(["--judge", "oracle"], {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none"})
            before, lines = rows.read_text("utf-8"), list(self._row_answers())
            rows.write_text("".join(dict.fromkeys([*before.splitlines(keepends=True), *lines])), "utf-8")
            if rows.read_text("utf-8") == before:
                return

    def _row_answers(self) -> Iterator[str]:
        """The answer of the reader to each question on rows that was asked."""
        for line in read(self.out / "questions.jsonl"):
            if line["rubric"] == "case_criteria":
                inputs = line["inputs"]
                verdict = row_chosen(self.scores[line["case_id"]]["criteria"]["rows"], inputs["output"], list(line["choices"]))
                yield json.dumps({"rubric": "case_criteria", "contains": [inputs["output"], inputs["rows"]], "verdict": verdict}) + "\n"


class Oracle:
    """The scripted judge as a child process."""

    def __init__(self, program: Path, tables: list[Path]) -> None:
        self._command = [sys.executable, str(program), "--oracle", *map(str, tables)]

    def __enter__(self) -> str:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)


# ---- the figures of a case ---------------------------------------------------------------------------------------

Figure = tuple[str, Any, Any]  # what, wanted, got


def figures(wanted: Line, case: Line, items: list[Line]) -> Iterator[Figure]:
    """Every figure of a case with what the run says; numbers as [worst, best]."""
    yield "standard.score", wanted["standard"]["score"], case["bounds"]
    yield "standard.hallucinated", wanted["standard"]["hallucinated"], case["hallucinated"]
    yield "standard.items", wanted["standard"]["items"], {i["item"]: i["outcome"] for i in items if _is_less(i)}
    criteria = case.get("criteria") or {}
    yield "criteria.score", wanted["criteria"]["score"], criteria.get("bounds")
    may_be = criteria.get("can_hallucinate") and not criteria.get("hallucinated")
    yield "criteria.hallucinated", wanted["criteria"]["hallucinated"], "open" if may_be else criteria.get("hallucinated")
    rows = {item: row for item, row in wanted["criteria"]["rows"].items() if not row.startswith("no row")}
    yield "criteria.rows", rows, criteria.get("rows")
    yield from _companion_figures(wanted, case, items)
    proven, found = wanted["provenance"], case.get("provenance_score") or {}
    for name in ("A", "B", "C", "score") if proven else ():
        yield f"provenance.{name}", proven[name], (found if name == "score" else found.get(name, {})).get("bounds")
    yield "provenance.items", proven["items"] if proven else 0, sum("A" in (i.get("dimensions") or {}) for i in items)
    for name in ("false_positives", "false_negatives"):
        if name in wanted:
            yield name, wanted[name], case.get(name)


def _companion_figures(wanted: Line, case: Line, items: list[Line]) -> Iterator[Figure]:
    scores, found = wanted["companion"], case.get("companion") or {}
    if scores is None:
        return
    yield "companion.score", scores["score"], (found.get("rubric") or found).get("bounds")
    for name, score in scores.get("dimensions", {}).items():
        yield f"companion.{name}", score, found.get(name, {}).get("bounds")
    if "fields" in scores:
        lost = {i["item"]: i["dimensions"]["field"]["bounds"] for i in items if _has_lost(i)}
        for name in sorted({*scores["fields"], *lost}):
            yield f"companion.{name}", scores["fields"].get(name, 1.0), lost.get(name, [1.0, 1.0])


def _is_less(item: Line) -> bool:
    is_counted = item["weight"] > 0 or item["outcome"] == "hallucination"
    return is_counted and item["outcome"] not in ("correct", "true_negative", "grounded_refusal", "extra")


def _has_lost(item: Line) -> bool:
    score = (item.get("dimensions") or {}).get("field")
    return score is not None and score["bounds"] != [1.0, 1.0]


def is_met(wanted: Any, got: Any, *, is_open: bool) -> bool:
    """Whether a figure is as wanted. is_open: bounds need only hold it, and words need not be there yet."""
    if isinstance(got, list):
        low, high = wanted if isinstance(wanted, list) else (wanted, wanted)
        ends = (got[0] <= low + NEAR, high <= got[1] + NEAR) if is_open else (abs(got[0] - low) < NEAR, abs(got[1] - high) < NEAR)
        return all(ends)
    return (is_open and (got == "open" or not isinstance(wanted, int | float))) or wanted == got


def report(world: World, *, is_open: bool) -> Counter[str]:
    """Prints each difference; counts figures that are met, and that are not."""
    cases = {line["case_id"]: line for line in read(world.out / "cases.jsonl")}
    items = read(world.out / "verdicts.jsonl")
    counts = Counter[str]()
    for case_id, wanted in world.scores.items():
        own = [item for item in items if item["case_id"] == case_id]
        for name, want, got in figures(wanted, cases[case_id], own):
            is_right = is_met(want, got, is_open=is_open)
            counts["met" if is_right else "not met"] += 1
            if not is_right:
                print(f"{case_id}: {name}: {want} wanted, {got} found")
    return counts


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("oracle", type=Path)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--word", action="store_true", help="also the outputs on Word files")
    parser.add_argument("--keep", type=Path, help="where the result folder is left")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = given.keep or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        world = World(given.folder.resolve(), work.resolve(), has_word=given.word)
        if given.offline:
            world.run(["--judge", "offline"], {})
        else:
            world.judged(given.oracle.resolve())
        counts = report(world, is_open=given.offline)
        calls = 0 if given.offline else len(read(world.out / "questions.jsonl"))
    print(f"{counts['met']} of {counts.total()} figures met over {len(world.scores)} outputs; {calls} questions answered")


if __name__ == "__main__":
    main()
