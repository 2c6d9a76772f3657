"""`judge history`: the gates of many runs on one page."""

from __future__ import annotations

from pathlib import Path

import click

from judge.options import Flag, with_flags
from judge.printing import put

HISTORY_FLAGS: tuple[Flag, ...] = (("--out", "The page to write (history.html).", {"metavar": "FILE"}),)


@click.command("history")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@with_flags(HISTORY_FLAGS)
def command(folders: tuple[Path, ...], out: str | None) -> int:
    """Write one page with the gates of every run in DIR (a result folder, or a folder of them) and what changed between two runs."""
    from judge.report.history_html import history_html, runs_in
    from judge.results.folder import write_atomically

    path = Path(out or "history.html")
    write_atomically(path, [history_html(runs_in(folders), path)])
    put(path)
    return 0
