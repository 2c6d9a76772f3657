"""`judge init`: a commented judge.toml, a sample batch with its PDF, and a CI workflow."""

from __future__ import annotations

from pathlib import Path

import click

from judge.printing import put


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--ci", type=click.Choice(["github", "gitlab", "jenkins"]), default="github", help="Whose workflow file is written (github).")
@click.option("--deal", is_flag=True, help="Also the larger sample: a facilities agreement and 43 outputs, some of which stay open.")
def command(folder: Path, ci: str, deal: bool) -> int:
    """Write judge.toml, a two-case sample and a CI workflow into FOLDER (default: here). Existing files are kept."""
    from judge.commands.initial_files import write_initial_files
    from judge.errors import UsageError

    try:
        written = write_initial_files(folder, ci, with_deal=deal)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    for name, is_new in written:
        put(f"{'wrote' if is_new else 'kept '} {folder / name}")
    put("next: judge run sample/batch.jsonl")
    if deal:
        put("and:  judge run deal/batch.jsonl --gold deal/gold.jsonl --documents deal/documents --out deal-results")
    return 0
