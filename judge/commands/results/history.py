"""`judge history`: the gates of many runs on one page; `add` and `cause` keep a history of evaluation runs, a report a run."""

from pathlib import Path

import click

from judge.commands.options import RUN_CONTRACT, with_flags


class _History(click.Group):
    """`judge history DIR...` is the page of gates; a first word that names a command is that command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_command = bool(args) and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if is_command else ["page", *args])


@click.group("history", cls=_History, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Write one page with the gates of every run in DIR (`judge history DIR...`), or keep a history of evaluation runs (add, cause)."""


@command.command("page")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@with_flags("history page")
def page(folders: tuple[Path, ...], out: str | None) -> int:
    """Write one page with the gates of every run in DIR (a result folder, or a folder of them) and what changed between two runs."""
    from judge.disk import begins, write_named
    from judge.printing import put
    from judge.report.history_html import KIND, history_html, runs_in
    from judge.report.pages import beginning

    path = Path(out or "history.html")
    write_named(path, [history_html(runs_in(folders), path)], begins(beginning(KIND)))
    put(path)
    return 0


@command.command("add")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags("history", "history add", (RUN_CONTRACT,))
def add(results: Path, to: str | None, system: str | None, replace: bool | None, contract: str | None) -> int:
    """Add the run in RESULTS to the history: a line a case in history.jsonl, and eval-run-<run id>.md.

    The report has scores by capability and case, regressions against the latest earlier run of each case under the same contract version,
    and a log of hallucinations. Adding a run twice changes nothing.
    """
    from judge.printing import put, say
    from judge.report.history_html import report_path, write_reports
    from judge.report.wording import counted
    from judge.results.history import add_run, hold, run_entries

    folder, entries = Path(to or "history"), run_entries(results, contract, system)
    run = entries[0]["run"]
    with hold(folder):
        is_new = add_run(folder, entries, replaces=bool(replace))
        write_reports(folder, run)
    say(f"run {run}: added {counted(len(entries), 'case')}" if is_new else f"run {run} is in the history already")
    put(report_path(folder, run))
    return 0


@command.command("cause")
@click.argument("run")
@click.argument("case")
@click.argument("item")
@click.argument("text")
@with_flags("history")
def cause(run: str, case: str, item: str, text: str, to: str | None) -> int:
    """Write the root cause of a hallucination into the log of RUN: CASE is a case or an output, ITEM as in the log. A rebuild keeps it."""
    from judge.printing import put
    from judge.report.history_html import report_path, write_reports
    from judge.results.history import add_cause, hold

    folder = Path(to or "history")
    with hold(folder):
        add_cause(folder, run, case, item, text)
        write_reports(folder, run)
    put(report_path(folder, run))
    return 0
