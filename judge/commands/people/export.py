"""`judge export`: the items of a run as an Excel or CSV file with columns for decisions."""

from pathlib import Path

import click

from judge.commands.options import RUN_CONTRACT, with_flags
from judge.errors import UsageError
from judge.printing import put


@click.command("export")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags("export", (RUN_CONTRACT,))
def command(results: Path, to: str, corrections: bool | None, contract: str | None) -> int:
    """Write every item of RESULTS as a row, with empty columns decision, name and note; `judge import` takes them back."""
    from judge.disk import lines_with, to_json, write_named
    from judge.labelling.sheets import csv_sheet, excel_sheet, undecided
    from judge.report.wording import counted
    from judge.results.reading import results_of_run

    path, found = Path(to), results_of_run(results, contract)
    if corrections:
        from judge.labelling.correcting import correction_cases

        lines = [to_json(one) + "\n" for one in correction_cases(found)]
        write_named(path, lines, lines_with("case_id", "program", "people"))
        put(f"{counted(len(lines), 'correction')} written to {path}")
        return 0
    if (sheet := {".csv": csv_sheet, ".xlsx": excel_sheet}.get(path.suffix.lower())) is None:
        raise UsageError(f"--to {to}: the name must end in .xlsx or .csv")
    write_named(path, [sheet(found)], undecided(path))
    put(f"{counted(len(found.items), 'item')} written to {path}")
    return 0
