"""`judge verify`: is a result folder what its run wrote, and do the rules say the same again?"""

from pathlib import Path
from typing import Any

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, with_flags
from judge.printing import put, shown


@click.command("verify")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags("verify", (RUN_CONTRACT, TEXT_CACHE))
def command(results: Path, **given: Any) -> int:
    """Hold RESULTS against the hashes in its run.json and against its inputs: rules judge again, with the judge's answers that it keeps.

    Exit codes: 0 nothing differs, 1 with a line for everything that does, 2 the inputs are not there.
    """
    from calibration.label_files.identity import each_once
    from judge.engines.verifying import differences
    from judge.results.reading import results_of_run

    count = 0
    for text in differences(results, {name: value for name, value in given.items() if value is not None}):
        put(shown(text, 1000))
        count += 1
    if count:
        put(f"{results}: {count} difference{'s' * (count > 1)}")
        return 1
    put(f"{results}: every file is as the run wrote it, and every line is judged the same again")
    items = results_of_run(results, given["contract"]).items
    decided = [item.who for item in items if item.decided_by == "human" and not item.is_open]
    corrected = [f"{one.who},{one.second}" for item in items if (one := item.correction)]
    people = [
        f"{len(who)} {how} by {', '.join(each_once(','.join(who).split(',')))}"
        for how, who in (("decided", decided), ("corrected", corrected))
        if who
    ]
    if people:
        put(f"believed as people's own: {', '.join(people)}; hold it against the signed record")
    return 0
