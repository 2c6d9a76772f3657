"""CPU of a round trip through Excel: 5,000 open items out with `judge export`, a decision for each, back with `judge import`.

    python benchmarks/scale/sheet_round_trip.py [ITEMS]

The result folder is made by code (16 items a case). Prints user and system seconds of each command as a process of its own.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from openpyxl import load_workbook

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from result_folder_samples import verdict, write_results

ENDING = {"max_judge_errors": "0", "is_empty_allowed": False, "is_interrupted": False, "is_budget_reached": False}
RUN = {"has_gold": True, "ending": {**ENDING, "endpoint_error": "", "is_regression": False}}
OPEN = {"score": None, "bounds": [0.0, 1.0], "why_open": "offline"}


def cpu_of(*arguments: str) -> float:
    """User and system seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(Path(sys.executable).with_name("judge")), *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(items: int = 5_000) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, sheet = Path(name, "run"), Path(name, "items.xlsx")
        lines = [verdict(f"case-{n // 16:04}", f"fields.f{n % 16}", "undecided", case_items=16, **OPEN) for n in range(items)]
        write_results(folder, lines, verdict_word="inconclusive", run=RUN)
        out = cpu_of("export", str(folder), "--to", str(sheet))
        book = load_workbook(sheet)
        rows = book.active.iter_rows()
        header = [cell.value for cell in next(rows)]
        for row in rows:
            for key, value in (("decision", "Correct"), ("name", "Ann")):
                row[header.index(key)].value = value
        book.save(sheet)
        back = cpu_of("import", str(sheet), str(folder), "--cache-dir", str(Path(name, "cache")))
        report = cpu_of("report", str(folder))
    print(f"{items} items: export {out:.2f} s, import with gates and reports {back:.2f} s, together {out + back:.2f} s CPU")
    print(f"of the import about {report:.2f} s are what `judge report` takes as a process of its own")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
