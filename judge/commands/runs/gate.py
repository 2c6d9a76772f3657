"""`judge gate`: applies the gates again to a finished result folder."""

from pathlib import Path

import click

from judge.commands.options import GATE_FLAGS, settings_of, with_flags
from judge.printing import say


@click.command("gate")
@click.argument("results", type=click.Path(path_type=Path))
@with_flags(GATE_FLAGS)
@click.pass_context
def command(context: click.Context, /, results: Path, **_: object) -> int:
    """Apply the gates to RESULTS again, with what people decided since, and exit with their verdict."""
    settings = settings_of(context)
    from judge.calibrate.rates import rates_of
    from judge.commands.runs.terminal import print_summary
    from judge.results.exceptions import kept_exceptions
    from judge.results.gating import gate_folder

    rates = rates_of(settings)
    summary = gate_folder(settings, results, rates.document if rates else None)
    if settings.exceptions is None and (kept := kept_exceptions(results)) and kept.stat().st_size:
        say("deviations accepted before count on, by today's date: another --exceptions FILE takes their place, an empty one ends them")
    if (results / "report.html").exists():  # a report that says another verdict than the summary helps nobody
        from judge.report.files import ReportOptions, write_reports
        from judge.results.reading import contract_of_run

        options = ReportOptions(cache_dir=settings.cache_dir / "documents", tells_ci=True)
        write_reports(results, contract_of_run(results, settings.contract), options)
    print_summary(summary, display=settings.display, is_json=settings.json_output, folder=str(results))
    return summary.ruling.exit_code
