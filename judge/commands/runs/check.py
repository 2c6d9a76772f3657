"""`judge check`: validates all inputs and gold itself, counts the judge calls and estimates their cost; sends nothing."""

from pathlib import Path

import click

from judge.commands.options import INPUT_FLAGS, JUDGE_FLAGS, settings_of, with_flags
from judge.printing import put, put_json, say


@click.command("check")
@click.argument("batch", type=click.Path(path_type=Path))
@with_flags(INPUT_FLAGS, "check", JUDGE_FLAGS)
@click.pass_context
def command(context: click.Context, /, batch: Path, **_: object) -> int:
    """Validate BATCH, gold and documents, and gold against the documents; estimate what a run would cost.

    Exit code 2 if gold is wrong or a document cannot be read."""
    settings = settings_of(context)
    from judge.commands.runs.checking import check_inputs

    found = check_inputs(settings, batch)
    for problem in found.problems:
        say(problem)
    for warning in found.warnings:
        say(f"warning: {warning}")
    for line in found.unreadable_documents:
        say(line)
    if settings.json_output:
        put_json(found.as_json())
    else:
        put(*found.sentences())
    return 2 if found.problems or found.unopened else 0
