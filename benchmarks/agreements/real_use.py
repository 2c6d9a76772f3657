"""Natural outputs on three real US agreements, held against labels that a careful reader wrote before the first run.

    python benchmarks/agreements/real_use.py [--agreements ../shared/documents/agreements] [--show]
    python benchmarks/agreements/real_use.py --sets ../shared/findings/inputs/reports [--documents FOLDER ...] [--show]

The set (benchmarks/data/us_agreements: 91 cases, 345 labels with reasons) was frozen before any rule had seen it. The agreements are
rendered anew from their texts. Prints one line of figures, with --show every item that is not as labelled.

With --sets every folder at or below it that holds a batch, gold and labels is judged, on its own documents or on those of --documents,
with a line each; the exit status is 1 where anything is neither as labelled nor open.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SET = ROOT / "benchmarks" / "data" / "us_agreements"
MARKS = {"correct", "semantic_match", "partial", "true_negative", "grounded_refusal"}
OPEN = {"undecided", "judge_error"}


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def judged(inputs: Path, documents: Path, folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The verdict lines of an offline run over a set, by case and item."""
    code = "from judge.cli import main; main()"
    given = ["run", inputs / "batch.jsonl", "--gold", inputs / "gold.jsonl", "--documents", documents, "--out", folder / "out"]
    flags = ["--display", "none", "--reports", "none", "--ocr", "off", "--cache-dir", folder / "cache"]
    run = [sys.executable, "-c", code, *map(str, given), *map(str, flags)]
    subprocess.run(run, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    return {(line["case_id"], line["item"]): line for line in read(folder / "out" / "verdicts.jsonl")}


def rendered(agreements: Path, folder: Path) -> Path:
    """The agreements of the frozen set as PDF."""
    (documents := folder / "documents").mkdir()
    subprocess.run([sys.executable, ROOT / "benchmarks" / "agreements" / "real_use_render.py", agreements, documents], check=True)
    return documents


def gathered(folders: list[Path], folder: Path) -> Path:
    """The documents of several folders in one."""
    (documents := folder / "documents").mkdir()
    for file in (file for one in folders for file in sorted(one.iterdir())):
        shutil.copy(file, documents)
    return documents


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


def told(inputs: Path, lines: dict[tuple[str, str], dict[str, Any]], *, is_shown: bool) -> Counter[str]:
    """Prints how the outcomes stand to the labels, and counts it."""
    counts: Counter[str] = Counter()
    for label in read(inputs / "expected.jsonl"):
        line = lines[label["case_id"], label["item"]]
        kind = kind_of(line, set(label["expect"]))
        counts[kind] += 1
        if is_shown and kind != "as labelled":
            print(f"{kind}: {label['case_id']} {label['item']}: {'/'.join(label['expect'])}, got {line['outcome']}: {line['reason']}")
    decided = sum(line["outcome"] not in OPEN for line in lines.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{inputs.name}: {counts.total()} labels: {kinds}; decided {decided} of {len(lines)} items ({decided / len(lines):.1%})")
    return counts


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agreements", type=Path, default=ROOT.parent / "shared" / "documents" / "agreements")
    parser.add_argument("--sets", type=Path, nargs="+")
    parser.add_argument("--documents", type=Path, nargs="+", default=[])
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    sets = sorted(file.parent for one in arguments.sets or [SET] for file in one.rglob("expected.jsonl"))
    for inputs in sets:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            given = arguments.documents or [inputs / "documents"]
            documents = gathered(given, folder) if arguments.sets else rendered(arguments.agreements, folder)
            counts += told(inputs, judged(inputs, documents, folder), is_shown=arguments.show)
    return int(bool(arguments.sets) and not counts.keys() <= {"as labelled", "open"})


if __name__ == "__main__":
    sys.exit(main())
