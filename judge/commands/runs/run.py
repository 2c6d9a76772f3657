"""`judge run`: judges an output batch, writes the result folder, prints the summary, exits with the gates' verdict."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.commands.options import INPUT_FLAGS, JUDGE_FLAGS, RUN_FLAGS, settings_of, with_flags
from judge.printing import put, say
from judge.settings import Settings
from rubrics.contract import load_contract

if TYPE_CHECKING:
    from judge.results.summary import Summary


@click.command("run", context_settings={"show_default": True})
@click.argument("batch", type=click.Path(path_type=Path))
@with_flags(INPUT_FLAGS, RUN_FLAGS, JUDGE_FLAGS)
@click.pass_context
def command(context: click.Context, /, batch: Path, **_: object) -> int:
    """Judge BATCH against gold and the documents, apply the gates, exit with their verdict.

    Every flag is also an environment variable JUDGE_<FLAG>, and a key of judge.toml. Exit codes: 0 pass, 1 a gate fails, 2 wrong input or
    usage, 3 judge errors, 4 inconclusive, 5 nothing evaluated, 6 budget reached, 130 interrupted.
    """
    settings = settings_of(context)
    if settings.dry_run:
        return show_texts(settings, batch)
    from judge.commands.runs.terminal import print_summary
    from judge.engines.session import run_batch

    summary = run_batch(settings, batch)
    build_reports(settings, summary)
    print_summary(summary, display=settings.display, is_json=settings.json_output, folder=str(settings.out))
    return summary.ruling.exit_code


def build_reports(settings: Settings, summary: "Summary") -> None:
    """The reports; one that cannot be built is reported on stderr and changes no verdict."""
    from judge.engines.session import wants_reports

    if not wants_reports(settings, summary):
        return
    from judge.report.files import ReportOptions, write_reports

    options = ReportOptions(documents=settings.documents, cache_dir=settings.cache_dir / "documents", tells_ci=True)
    try:
        write_reports(settings.out, load_contract(settings.contract), options)
    except Exception as error:
        if os.environ.get("JUDGE_TRACEBACK"):
            raise
        say(f"the reports could not be built ({type(error).__name__}: {error}); try `judge report {settings.out}`")


def show_texts(settings: Settings, batch: Path) -> int:
    """`--dry-run`: every text that questions can send, in all rounds that their answers can lead to; nothing is sent or written."""
    from judge.commands.runs.checking import reachable_questions
    from judge.engines.judge_choice import is_offline, judge_settings
    from judge.engines.session import document_store, prepare

    prepared = prepare(settings, batch)
    if is_offline(settings):
        say("offline: no text leaves this machine")
        return 0
    from judge.llm.forecast import preview

    for text in preview(partial(reachable_questions, prepared, document_store(prepared, settings)), judge_settings(settings)):
        put(*text.split("\n"))
    return 0
