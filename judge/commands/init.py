"""`judge init`: a commented judge.toml, a sample batch with its PDF, and a CI workflow."""

from __future__ import annotations

from pathlib import Path

import click

from judge.printing import put


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--ci", type=click.Choice(["github", "gitlab", "jenkins"]), help="Whose workflow file is written (github; with --deal none).")
@click.option(
    "--deal", is_flag=True, help="The larger sample too: an agreement, 43 outputs, some of which stay open, and constructed labels."
)
def command(folder: Path, ci: str | None, deal: bool) -> int:
    """Write judge.toml, a two-case sample and a CI workflow into FOLDER (default: here). Existing files are kept."""
    from judge.commands.initial_files import write_initial_files
    from judge.errors import UsageError

    try:
        written = write_initial_files(folder, ci or (None if deal else "github"), with_deal=deal)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    for name, is_new in written:
        put(f"{'wrote' if is_new else 'kept '} {folder / name}")
    put("next: judge run sample/batch.jsonl")
    if deal:
        put("and:  judge run deal/batch.jsonl --gold deal/gold.jsonl --documents deal/documents --out deal-results")
    return 0
