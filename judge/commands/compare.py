"""`judge compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from judge.options import Flag, with_flags

COMPARE_FLAGS: tuple[Flag, ...] = (
    ("--margin", "Loss of score that is accepted, 0..1; the contract's by default.", {"metavar": "M"}),
    ("--contract", "The contract of the run, where its file has moved.", {"metavar": "FILE"}),
    ("--json", "The comparison as JSON on standard output.", {"is_flag": True}),
)


@click.command("compare")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@with_flags(COMPARE_FLAGS)
def command(before: Path, after: Path, margin: str | None, contract: str | None, json_: bool | None) -> int:
    """Compare the result folders BEFORE and AFTER, paired by case and item.

    Exit codes: 0 no regression beyond the margin, 1 a regression, 4 the data cannot tell.
    """
    import json

    from judge.report.comparison_text import comparison_data, comparison_text
    from judge.results.comparison import compare_folders

    found = compare_folders(before, after, contract, _share(margin) if margin is not None else None)
    click.echo(json.dumps(comparison_data(found), ensure_ascii=False, indent=1) if json_ else comparison_text(found))
    return found.exit_code


def _share(text: str) -> float:
    """A margin 0..1. Raises UsageError."""
    from judge.errors import UsageError

    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"--margin: {text!r} is not a number from 0 to 1")
    return value
