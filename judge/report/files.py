"""All reports of a result folder, written beside it; also what a CI job reads from its environment and its log."""

import datetime
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from judge.disk import write_atomically
from judge.printing import shown
from judge.records import Finding, Item, Provenance
from judge.report.html import IMAGE_BUDGET, report_html
from judge.report.junit import junit_xml
from judge.report.pdf_pages import pages_of_run
from judge.report.pull_request import summary_markdown, write_step_summary
from judge.report.sarif import sarif_text
from judge.report.sign_off import SIGN_OFF, sign_off_html
from judge.report.wording import OUTCOME_ORDER, OUTCOME_TITLES, condition, figure_text, gate_title, sentence
from judge.results.exceptions import Exceptions, kept_exceptions, read_exceptions
from judge.results.folder import CASES, REDACTED, SIGN_OFF_PAGE
from judge.results.reading import Results, read_lines, read_results, results_of_run
from judge.results.seal import seal
from rubrics.contract import Contract

_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:\\|\\\\|~/).+")


def redacted(results: Results) -> Results:
    """The run with values, labels, scores and names, and without quotes, reasons that repeat a document, a judge's words, and paths."""
    return replace(results, path=results.path / REDACTED, items=tuple(map(_item, results.items)), run=_without_paths(results.run))


def _item(item: Item) -> Item:
    judge = None if item.judge is None else replace(item.judge, evidence="", reasoning="", error_detail="")
    return replace(
        item,
        reason=f"{OUTCOME_TITLES[item.outcome]} by rule {item.rule}." if item.decided_by != "human" else f"Decided by {item.who}.",
        provenance=_citation(item.provenance),
        provenances=tuple(map(_citation, item.provenances)),
        findings=tuple(Finding(code) for code, _ in item.findings),
        judge=judge,
        question="",
        why="",
        correction=item.correction and item.correction._replace(why="(left out)"),
        former=tuple(said._replace(why="") for said in item.former),
        metadata={},
    )


def _citation(cited: Provenance) -> Provenance:
    return replace(cited, claim=cited.claim._replace(quote=""), spans=())


def _without_paths(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_paths(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_paths(one) for one in value]
    return PurePath(value.replace("\\", "/")).name if isinstance(value, str) and _ABSOLUTE.fullmatch(value) else value


# GitHub shows at most 10 annotations of one level a step.
_MOST = 10
_LEVELS = {"hallucination": "error", "fail": "error", "judge_error": "warning", "undecided": "warning"}


def annotation_lines(results: Results, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The lines for the CI that this runs in; empty when it is none that reads them."""
    if environment.get("GITHUB_ACTIONS") != "true":
        return ()
    return tuple(_lines(results))


def _lines(results: Results) -> Iterator[str]:
    level = {"pass": "notice", "inconclusive": "warning"}.get(results.verdict, "error")
    yield _command(level, "loan-judge", sentence(results))
    for gate in [g for g in results.gates if g.result == "fail"][: _MOST - 1]:
        yield _command("error", f"Gate: {gate_title(gate)}", f"{figure_text(gate.value, gate.bounds)}, needs {condition(gate)}")
    attention = sorted((i for i in results.items if i.outcome in _LEVELS), key=lambda i: OUTCOME_ORDER.index(i.outcome))
    for item in attention[:_MOST]:
        yield _command(_LEVELS[item.outcome], f"{OUTCOME_TITLES[item.outcome]}: {item.case_id}, {item.title}", item.reason)


def _command(level: str, title: str, message: str) -> str:
    """One workflow command; text cannot end the command or start another."""
    return f"::{level} title={_escaped(shown(title, 120)).replace(':', '%3A').replace(',', '%2C')}::{_escaped(shown(message, 500))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """documents: another folder than run.json names; image_budget: bytes of page images; redact: no document texts, no images, no machine
    paths, in a folder of its own beside the full reports. with_sign_off: sign-off.html too; sign_off: what is told for it, kept for the
    next time: baseline (folder of the last release's run), gold_author, keep_until. tells_ci: annotations in the log and the step summary,
    where the environment asks for them. exceptions: accepted after the run."""

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
    """Writes the reports (`REPORT_FILES`; sign-off.html where it is asked for or there) and returns their paths. Raises InputError."""
    results = read_results(folder, contract.label_scores, _exceptions(folder, options))
    pages = None if options.redact else pages_of_run(results, options.documents, options.cache_dir)
    place = folder / REDACTED if options.redact else folder
    results = redacted(results) if options.redact else results
    place.mkdir(exist_ok=True)
    told: dict[str, str] = {}
    texts = {
        "report.html": report_html(results, contract, pages, is_redacted=options.redact, image_budget=options.image_budget),
        "junit.xml": junit_xml(results),
        "results.sarif": sarif_text(results),
        "summary.md": summary_markdown(results),
    }
    if options.with_sign_off or (place / SIGN_OFF_PAGE).exists():  # a record of other verdicts helps nobody
        told = {**(results.run.get(SIGN_OFF) or {}), **options.sign_off}
        baseline = Path(told["baseline"]) if told.get("baseline") else None
        before = results_of_run(baseline) if baseline is not None and (baseline / CASES).exists() else None
        texts[SIGN_OFF_PAGE] = sign_off_html(replace(results, run={**results.run, SIGN_OFF: told}), before)
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
    """Annotations in the log and the step summary, where a CI server asks for them; nothing elsewhere. The server reads workflow commands
    from both output streams, so standard output stays free for machine output."""
    for line in annotation_lines(results):
        print(line, file=sys.stderr)
    write_step_summary(summary_markdown(results))
