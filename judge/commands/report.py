"""`judge report`: (re)builds the reports of a result folder."""

from __future__ import annotations

from pathlib import Path

import click

from judge.options import Flag, with_flags

REPORT_FLAGS: tuple[Flag, ...] = (
    ("--documents", "Folder of the source PDFs, when it is not where the run found it.", {"metavar": "DIR"}),
    ("--redact", "Leave out quotes, document texts and page images.", {"is_flag": True}),
    ("--image-mb", "Most megabytes of page images in report.html (12).", {"metavar": "MB"}),
    ("--contract", "A quality contract of your own.", {"metavar": "FILE"}),
    ("--cache-dir", "Where document texts are kept.", {"metavar": "DIR"}),
)


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags(REPORT_FLAGS)
def command(
    results: Path, documents: str | None, redact: bool | None, image_mb: str | None, contract: str | None, cache_dir: str | None
) -> int:
    """Write report.html, junit.xml, results.sarif and summary.md from RESULTS alone; prints their paths."""
    from judge.report.files import ReportOptions, write_reports
    from judge.settings import default_cache_dir
    from rubrics.contract import load_contract

    options = ReportOptions(
        documents=Path(documents) if documents else None,
        cache_dir=(Path(cache_dir) if cache_dir else default_cache_dir()) / "documents",
        redact=bool(redact),
        image_budget=int(_megabytes(image_mb) * 1_000_000),
    )
    for path in write_reports(results, load_contract(Path(contract) if contract else None), options):
        click.echo(path)
    return 0


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
