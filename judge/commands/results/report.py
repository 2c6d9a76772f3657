"""`judge report`: (re)builds the reports of a result folder."""

import re
from pathlib import Path
from typing import Any

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, document_cache, number, with_flags
from judge.errors import UsageError
from judge.printing import put


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags("report", (RUN_CONTRACT, TEXT_CACHE))
def command(results: Path, **given: Any) -> int:
    """Write report.html, junit.xml, results.sarif, summary.md, on demand sign-off.html, from RESULTS alone; prints their paths."""
    from judge.labelling.run_sink import apply_again
    from judge.report.files import ReportOptions, write_reports
    from judge.results.reading import contract_of_run
    from judge.results.seal import decided_since
    from judge.settings import Settings

    contract, texts = contract_of_run(results, given["contract"]), document_cache(given["cache_dir"])
    if decided_since(results):  # on a label page that did not come to its end
        put(apply_again(results, Settings(contract=given["contract"], cache_dir=texts.parent), contract))
    options = ReportOptions(
        documents=_path(given["documents"]),
        cache_dir=texts,
        redact=bool(given["redact"]),
        image_budget=int(1_000_000 * (number(given["image_mb"] or "12", "--image-mb", 0, 200) or 0)),
        with_sign_off=bool(given["sign_off"]),
        sign_off={name: str(given[name]) for name in ("baseline", "gold_author", "keep_until") if given[name]},
    )
    for path in write_reports(results, contract, options):
        put(path)
    if given["pr_comment"]:
        put(_comment(results, Path(given["pr_comment"]), _path(given["baseline"]), given["report_url"] or "", given["contract"]))
    return 0


def _comment(results: Path, out: Path, baseline: Path | None, url: str, contract: str | None) -> Path:
    from judge.disk import begins, write_named
    from judge.report.pull_request import MARK, pull_request_comment
    from judge.results.comparison import compare_folders
    from judge.results.reading import results_of_run

    if url and not re.fullmatch(r"https?://[^\s()<>]+", url):
        raise UsageError("--report-url wants an address that begins with http:// or https://")
    found = None if baseline is None else compare_folders(baseline, results, contract)
    write_named(out, [pull_request_comment(results_of_run(results, contract), found, url)], begins(MARK))
    return out


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
