"""`judge report`: (re)builds the reports of a result folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judge.commands.options import Flag, with_flags
from judge.printing import put

REPORT_FLAGS: tuple[Flag, ...] = (
    ("--documents", "Folder of the documents, when it is not where the run found it.", {"metavar": "DIR"}),
    ("--redact", "Leave out quotes, document texts and page images.", {"is_flag": True}),
    ("--image-mb", "Most megabytes of page images in report.html (12).", {"metavar": "MB"}),
    ("--sign-off", "Also sign-off.html: a short record with gates, deviations, decisions, hashes and signature lines.", {"is_flag": True}),
    ("--exceptions", "Deviations accepted after the run.", {"metavar": "FILE"}),
    ("--contract", "The contract of the run, where its file has moved.", {"metavar": "FILE"}),
    ("--cache-dir", "Where document texts are kept.", {"metavar": "DIR"}),
)


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags(REPORT_FLAGS)
def command(results: Path, **given: Any) -> int:
    """Write report.html, junit.xml, results.sarif and summary.md from RESULTS alone; prints their paths."""
    from judge.report.files import ReportOptions, write_reports
    from judge.results.contract import contract_of_run
    from judge.settings import default_cache_dir

    options = ReportOptions(
        documents=_path(given["documents"]),
        cache_dir=(_path(given["cache_dir"]) or default_cache_dir()) / "documents",
        redact=bool(given["redact"]),
        image_budget=int(_megabytes(given["image_mb"]) * 1_000_000),
        exceptions=_path(given["exceptions"]),
        with_sign_off=bool(given["sign_off"]),
    )
    for path in write_reports(results, contract_of_run(results, given["contract"]), options):
        put(path)
    return 0


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _megabytes(text: str | None) -> float:
    """The budget of `--image-mb`, 0 to 200. Raises UsageError."""
    from judge.errors import UsageError

    try:
        value = float(text if text is not None else "12")
    except ValueError:
        value = -1.0
    if not 0 <= value <= 200:
        raise UsageError(f"--image-mb: {text!r} is not a number of megabytes from 0 to 200")
    return value
