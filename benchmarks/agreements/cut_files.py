"""Does a document that was cut off anywhere turn right outputs into hallucinations? Prints a Markdown table.

    python benchmarks/agreements/cut_files.py SET [--places 5 10 15 20 25] [--of 30]

SET: a folder with batch.jsonl, gold.jsonl and documents/. Each document is cut as `head -c` does, at so many thirtieths of its bytes, and
the batch is run again. A false hallucination is an item that is one on the cut file and none on the whole file; what a lost page
holds must stay open instead.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

Item = tuple[str, str, str]


def outcomes(folder: Path, documents: Path) -> dict[Item, str]:
    """The outcome of every item of a run over some documents."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "judge.cli", "run", str(folder / "batch.jsonl"), "--gold", str(folder / "gold.jsonl")]
        options = ["--documents", str(documents), "--out", out, "--fresh", "--display", "none", "--ocr", "off"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800, check=False)
        verdicts = Path(out) / "verdicts.jsonl"
        if not verdicts.exists():
            raise SystemExit(done.stderr[-2000:])
        lines: list[dict[str, Any]] = [json.loads(line) for line in verdicts.read_text(encoding="utf-8").splitlines()]
    return {(line["case_id"], line["item"], str(line.get("tranche"))): line["outcome"] for line in lines}


def cut(folder: Path, target: Path, part: int, whole: int) -> None:
    for path in sorted((folder / "documents").glob("*.pdf")):
        content = path.read_bytes()
        (target / path.name).write_bytes(content[: len(content) * part // whole])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="SET")
    parser.add_argument("--places", type=int, nargs="+", default=[5, 10, 15, 20, 25])
    parser.add_argument("--of", type=int, default=30)
    options = parser.parse_args()
    before = outcomes(options.folder, options.folder / "documents")
    print("| kept | items | hallucinations | false hallucinations | undecided |\n|---|--:|--:|--:|--:|")
    print(_row("all", before, before), flush=True)
    for part in options.places:
        with tempfile.TemporaryDirectory() as target:
            cut(options.folder, Path(target), part, options.of)
            after = outcomes(options.folder, Path(target))
        print(_row(f"{part}/{options.of}", after, before), flush=True)
        for item, outcome in after.items():
            if outcome == "hallucination" and before.get(item) != "hallucination":
                print(f"  {' '.join(item)}: {before.get(item)} on the whole file")


def _row(name: str, after: dict[Item, str], before: dict[Item, str]) -> str:
    counts = Counter(after.values())
    false = sum(outcome == "hallucination" and before.get(item) != "hallucination" for item, outcome in after.items())
    return f"| {name} | {len(after)} | {counts['hallucination']} | {false} | {counts['undecided']} |"


if __name__ == "__main__":
    main()
