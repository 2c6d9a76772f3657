"""Natural outputs on three real US agreements, held against labels that a careful reader wrote before the first run.

    python benchmarks/real_use.py [--agreements ../shared/documents/agreements] [--show]

The set (benchmarks/data/us_agreements: 91 cases, 345 labels with reasons) was frozen before any rule had seen it. The agreements are
rendered anew from their texts. Prints one line of figures, with --show every item that is not as labelled.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SET = ROOT / "benchmarks" / "data" / "us_agreements"
MARKS = {"correct", "semantic_match", "partial", "true_negative", "grounded_refusal"}
OPEN = {"undecided", "judge_error"}


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def judged(agreements: Path, folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The verdict lines of an offline run over the set, by case and item."""
    documents = folder / "documents"
    documents.mkdir()
    subprocess.run([sys.executable, ROOT / "benchmarks" / "real_use_render.py", agreements, documents], check=True)
    code = "from judge.cli import main; main()"
    inputs = ["run", SET / "batch.jsonl", "--gold", SET / "gold.jsonl", "--documents", documents, "--out", folder / "out"]
    flags = ["--display", "none", "--reports", "none", "--cache-dir", folder / "cache"]
    subprocess.run([sys.executable, "-c", code, *map(str, inputs), *map(str, flags)], cwd=ROOT, check=False)
    return {(line["case_id"], line["item"]): line for line in read(folder / "out" / "verdicts.jsonl")}


def kind_of(line: dict[str, Any], labels: set[str]) -> str:
    """How an outcome stands to the labels that are right; a correct value in another notation is as labelled."""
    outcome = line["outcome"]
    if outcome in labels or (outcome == "semantic_match" and "correct" in labels):
        return "as labelled"
    if outcome in OPEN:
        return "open"
    if outcome == "hallucination":
        return "false hallucination"
    if labels & MARKS and outcome in ("fail", "partial"):
        return "false fail or partial"
    return "marks for a wrong output" if outcome in MARKS else "other"


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agreements", type=Path, default=ROOT.parent / "shared" / "documents" / "agreements")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = judged(arguments.agreements, Path(folder))
    counts: Counter[str] = Counter()
    for label in read(SET / "expected.jsonl"):
        line = lines[label["case_id"], label["item"]]
        kind = kind_of(line, set(label["expect"]))
        counts[kind] += 1
        if arguments.show and kind != "as labelled":
            print(f"{kind}: {label['case_id']} {label['item']}: {'/'.join(label['expect'])}, got {line['outcome']}: {line['reason']}")
    decided = sum(line["outcome"] not in OPEN for line in lines.values())
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{counts.total()} labels: {told}; decided {decided} of {len(lines)} items ({decided / len(lines):.1%})")


if __name__ == "__main__":
    main()
