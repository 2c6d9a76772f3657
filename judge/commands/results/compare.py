"""`judge compare`: two runs side by side."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, document_cache, number, with_flags
from judge.printing import put, put_json, say

if TYPE_CHECKING:
    from judge.results.comparison import Comparison


@click.command("compare")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@with_flags("compare", (RUN_CONTRACT, TEXT_CACHE))
def command(
    before: Path, after: Path, margin: str | None, contract: str | None, html: str | None, cache_dir: str | None, json_: bool | None
) -> int:
    """Compare the result folders BEFORE and AFTER, paired by case and item.

    Exit codes: 0 no regression beyond the margin, 1 a regression, 4 the data cannot tell.
    """
    from judge.report.comparison_html import comparison_data, comparison_text
    from judge.results.comparison import compare_folders

    found = compare_folders(before, after, contract, number(margin, "--margin", 0, 1))
    if html is not None:
        _write_page(found, before, after, Path(html), cache_dir)
    if json_:
        put_json(comparison_data(found), indent=1)
    else:
        put(*comparison_text(found).split("\n"))
    return found.exit_code


def _write_page(found: "Comparison", before: Path, after: Path, out: Path, cache_dir: str | None) -> None:
    from judge.disk import begins, write_named
    from judge.report.comparison_html import KIND, comparison_html
    from judge.report.pages import beginning
    from judge.report.pdf_pages import pages_of_run
    from judge.results.reading import results_of_run

    first, second = results_of_run(before), results_of_run(after)
    pages = pages_of_run(second, None, document_cache(cache_dir))
    write_named(out, [comparison_html(found, first, second, pages, out)], begins(beginning(KIND)))
    say(f"page written to {out}")
