"""All reports of a result folder, written beside it; also what a CI job reads from its environment and its log."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.report.annotations import annotation_lines
from judge.report.html import IMAGE_BUDGET, report_html
from judge.report.junit import junit_xml
from judge.report.markdown import summary_markdown, write_step_summary
from judge.report.pdf_pages import pages_of_run
from judge.report.redacted import FOLDER, redacted
from judge.report.sarif import sarif_text
from judge.report.sign_off import SIGN_OFF, sign_off_html
from judge.results.contract import results_of_run
from judge.results.exceptions import Exceptions, kept_exceptions, read_exceptions
from judge.results.folder import CASES, write_atomically
from judge.results.reading import Results, read_lines, read_results
from judge.results.seal import seal
from rubrics.contract import Contract


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """documents: another folder than run.json names; image_budget: bytes of page images; redact: no document texts, no images,
    no machine paths, in a folder of its own beside the full reports.

    with_sign_off: sign-off.html too; sign_off: what is told for it, kept for the next time: baseline (folder of the last release's run),
    gold_author, keep_until.
    tells_ci: annotations in the log and the step summary, where the environment asks for them. exceptions: accepted after the run.
    """

    documents: Path | None = None
    cache_dir: Path | None = None
    redact: bool = False
    image_budget: int = IMAGE_BUDGET
    tells_ci: bool = False
    exceptions: Path | None = None
    with_sign_off: bool = False
    sign_off: Mapping[str, str] = field(default_factory=dict)


DEFAULTS = ReportOptions()


def write_reports(folder: Path, contract: Contract, options: ReportOptions = DEFAULTS) -> tuple[Path, ...]:
    """Writes report.html, junit.xml, results.sarif and summary.md into the folder and returns their paths. Raises InputError."""
    results = read_results(folder, contract.label_scores, _exceptions(folder, options))
    pages = None if options.redact else pages_of_run(results, options.documents, options.cache_dir)
    place = folder / FOLDER if options.redact else folder
    results = redacted(results) if options.redact else results
    place.mkdir(exist_ok=True)
    told: dict[str, str] = {}
    texts = {
        "report.html": report_html(results, contract, pages, is_redacted=options.redact, image_budget=options.image_budget),
        "junit.xml": junit_xml(results),
        "results.sarif": sarif_text(results),
        "summary.md": summary_markdown(results),
    }
    if options.with_sign_off or (place / "sign-off.html").exists():  # a record of other verdicts helps nobody
        told = {**(results.run.get(SIGN_OFF) or {}), **options.sign_off}
        baseline = Path(told["baseline"]) if told.get("baseline") else None
        before = results_of_run(baseline) if baseline is not None and (baseline / CASES).exists() else None
        texts["sign-off.html"] = sign_off_html(replace(results, run={**results.run, SIGN_OFF: told}), before)
    paths = []
    for name, text in texts.items():
        write_atomically(place / name, [text.encode("utf-8", "backslashreplace").decode("utf-8")])
        paths.append(place / name)
    seal(folder, () if options.redact else texts, {SIGN_OFF: told} if told else {})
    if options.tells_ci:
        tell_ci(results)
    return tuple(paths)


def _exceptions(folder: Path, options: ReportOptions) -> Exceptions | None:
    path = options.exceptions or kept_exceptions(folder)
    if path is None:
        return None
    cases = {str(line["case_id"]) for line in read_lines(folder / CASES)}
    return read_exceptions(path, cases, datetime.date.today())


def tell_ci(results: Results) -> None:
    """Annotations in the log and the step summary, where a CI server asks for them; nothing elsewhere.

    The server reads workflow commands from both output streams, so standard output stays free for machine output.
    """
    for line in annotation_lines(results):
        print(line, file=sys.stderr)
    write_step_summary(summary_markdown(results))
