"""`judge check`: validates all inputs and gold itself, counts the judge calls and estimates their cost; sends nothing."""

from __future__ import annotations

from pathlib import Path

import click

from judge.options import INPUT_FLAGS, JUDGE_FLAGS, Flag, settings_of, with_flags

CHECK_FLAGS: tuple[Flag, ...] = (("--json", "Findings and estimate as JSON on standard output.", {"is_flag": True}),)


@click.command("check")
@click.argument("batch", type=click.Path(path_type=Path))
@with_flags(INPUT_FLAGS, CHECK_FLAGS, JUDGE_FLAGS)
@click.pass_context
def command(context: click.Context, /, batch: Path, **_: object) -> int:
    """Validate BATCH, gold and documents, and gold against the documents; estimate what a run would cost.

    Exit code 2 if gold is wrong or a document cannot be read."""
    settings = settings_of(context)
    from judge.commands.checking import check_inputs
    from judge.results.folder import to_json

    found = check_inputs(settings, batch)
    for problem in found.problems:
        click.echo(f"judge: {problem}", err=True)
    for line in found.trouble:
        click.echo(f"judge: {line}", err=True)
    click.echo(to_json(found.as_json()) if settings.json_output else "\n".join(found.sentences()))
    return 2 if found.problems or found.unopened else 0
