"""One `judge run` from settings to summary: check the inputs, open the folder, judge, sum up. The loop itself is in loop.py."""

import contextlib
import datetime
import json
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deterministic.documents.parsing import interrupt_reading
from judge.capabilities.registry import check_rules
from judge.capabilities.registry import names as names_of_capabilities
from judge.disk import write_atomically
from judge.engines import engine_of
from judge.engines.assignment import Account, Assignment, Control
from judge.engines.judge_choice import OFFLINE, check_keys, is_offline
from judge.engines.run_file import Prepared, run_file
from judge.errors import UsageError
from judge.inputs.documents import DocumentStore, hash_documents, ocr_of
from judge.inputs.index import Sources, index_cases
from judge.printing import open_progress, say
from judge.records import JudgedCase
from judge.results.decisions import utc_now
from judge.results.exceptions import Exceptions, read_exceptions
from judge.results.folder import RUN, SPENDING, SUMMARY, VERDICTS, ResultFolder
from judge.results.gates import Ending
from judge.results.models import model_findings
from judge.results.seal import check_going_on
from judge.results.spending import read_spending
from judge.results.summary import Summary, stopped, summarise
from judge.settings import Settings
from rubrics.contract import load_contract

if TYPE_CHECKING:
    from judge.calibrate.rates import RateTally

REPORTED_ITEMS = 20_000
SUMMED_AT_ONCE = 1000  # cases: summing up more takes longer than who interrupts a run waits for


def prepare(settings: Settings, batch: Path) -> Prepared:
    """Reads the contract and checks all inputs. Raises UsageError, InputError, ContractFileError."""
    if settings.no_gold and settings.gold is not None:
        raise UsageError("give --gold or --no-gold, not both")
    if settings.gold is None and not settings.no_gold:
        nowhere = "" if batch.exists() else f"{batch}: is not there; and "
        raise UsageError(f"{nowhere}--gold is missing; without reference answers judge with --no-gold")
    if settings.checks is not None and settings.engine == "ray":
        raise UsageError("--checks runs where the command runs: leave --engine ray out")
    if settings.checks or "judge.capabilities.own_checks" in sys.modules:  # a user's checks, or none of an earlier run in this process
        from judge.capabilities.own_checks import load_checks

        load_checks(settings.checks, names_of_capabilities() if settings.checks else ())
    contract = load_contract(settings.contract)
    gold = None if settings.no_gold else settings.gold
    only = settings.limit, settings.case, settings.capability
    sources = Sources(batch, gold, settings.documents, settings.partial, contract.extraction.default_case_weight, settings.gold_by, only)
    index = index_cases(sources)
    if index.unused:
        unused = f"{', '.join(index.unused[:10])}{' …' if len(index.unused) > 10 else ''}"
        say(f"no output names these cases of gold: {unused} (--partial counts them as missed)")
    entries = index.select(*only)
    names = {name for entry in entries for name in entry.documents}
    check_rules({entry.capability for entry in entries}, contract)
    return Prepared(index, entries, contract, hash_documents(index.folder, names))


def document_store(prepared: Prepared, settings: Settings) -> DocumentStore:
    """The documents of a run, with their texts cached beside the answers."""
    folder, hashes, cache = prepared.index.folder, prepared.document_hashes, settings.cache_dir
    ocr = ocr_of(settings.ocr, cache)
    return DocumentStore(folder, cache_dir=cache / "documents", ocr=ocr, hashes=hashes, is_pictured=settings.judge_images)


def run_batch(settings: Settings, batch: Path) -> Summary:
    """Judges a batch into its result folder. Raises JudgeError; what was judged until then is saved."""
    started = time.perf_counter()
    if settings.together and (settings.engine == "ray" or settings.judge_mode == "batch"):
        raise UsageError("--together works with calls from this machine: leave --engine ray and --judge-mode batch out")
    if settings.engine == "ray" and settings.judge_mode == "batch":
        raise UsageError("--judge-mode batch needs no cluster: the provider does the work; leave --engine ray out")
    prepared, rates = prepare(settings, batch), None
    if settings.require_calibrated or settings.certified_threshold:
        from judge.calibrate.rates import rates_of

        rates = rates_of(settings)
    check_keys(settings)
    store = document_store(prepared, settings)
    exceptions = checked_exceptions(settings, prepared, store)
    control = Control()
    with ResultFolder(settings.out) as folder:
        run = run_file(settings, prepared)
        if not settings.fresh:
            check_going_on(settings.out)
        finished = folder.start(run, is_fresh=settings.fresh)
        run |= folder.kept_facts
        left = replace(prepared, entries=prepared.entries.among(finished, is_in=False)) if finished else prepared
        assignment = Assignment(left, store, exceptions, settings, folder, control)
        judge_all = engine_of(settings.engine)
        with open_progress(settings.display, len(prepared.entries), len(finished)) as progress, _interruptible(control):
            control.advance = progress.advance
            account = judge_all(assignment)
        _tell(account, control)
        usage: dict[str, Any] = {}  # of the folder's verdicts in all, by this run and those before it, killed ones included
        if (folder.path / SPENDING).exists():
            usage = dict(account.usage) or asdict(read_spending(folder.path / SPENDING))
        fingerprint = dict(account.fingerprint) or folder.before.get("judge", {"model": OFFLINE})
        trouble = "; ".join(text for _, text in model_findings(fingerprint))
        share = prepared.contract.gates.max_judge_error_share if settings.max_judge_errors is None else settings.max_judge_errors
        ending = Ending(share, settings.allow_empty, control.is_stopping, control.is_budget_reached, control.endpoint_error)
        if records := _record_facts(rates, account, folder.before, trouble):
            ending = replace(ending, model_trouble=trouble)
            run["calibration"] = records
        run["ending"] = {**asdict(ending), "max_judge_errors": str(ending.max_judge_errors)}
        run |= {"judge": fingerprint, "usage": usage, "unreadable_documents": dict(account.trouble)}
        run["timings"] = {"finished_at": utc_now(), "seconds": round(time.perf_counter() - started, 3), "resumed_cases": len(finished)}
        write_atomically(settings.out / RUN, [json.dumps(run, ensure_ascii=False, indent=1, default=str)])
    if control.is_stopping and progress.done > SUMMED_AT_ONCE:
        lacking = len(prepared.entries) - progress.done
        return stopped(settings.out, prepared.contract, ending, cases=progress.done, left=lacking, usage=usage)
    plan = ((entry.case_id, entry.capability, entry.weight, entry.gold_id) for entry in prepared.entries)
    return summarise(settings.out, plan, prepared.contract, ending, run, exceptions=exceptions, rates=rates.document if rates else None)


def _record_facts(rates: "RateTally | None", account: Account, before: Mapping[str, Any], trouble: str) -> list[dict[str, Any]]:
    """What the required calibration records say of this judge; [] where none is required. before: run.json of the run that is resumed.
    trouble: of the models that answered, for which no record holds."""
    if rates is None:
        return []
    from judge.calibrate.certification import record_facts

    earlier = {one["rubric"]: one["why_not"] for one in before.get("calibration") or () if one.get("why_not")}
    voided = {entry.rubric: (trouble,) for entry in rates.record.rubrics} if trouble else {}
    return record_facts(rates.record, {**earlier, **account.uncovered, **voided})


def _tell(account: Account, control: Control) -> None:
    """What went wrong, and why a run stopped early: on standard error, also where a failed gate has the verdict."""
    for text in (*account.trouble.values(), *(text for _, text in model_findings(account.fingerprint))):
        say(text)
    for rubric, reasons in sorted(account.uncovered.items()):
        say(f"{rubric} does not count for the gates: {'; '.join(reasons)}")
    if control.endpoint_error:
        say(f"the judge's endpoint cannot be used: {control.endpoint_error}; what was judged is saved")
    if control.is_budget_reached:
        say("the budget was reached; what was judged is saved, a higher budget goes on from there")


def wants_reports(settings: Settings, summary: Summary) -> bool:
    """Whether a run builds its reports. auto: not again when nothing is new, nor when reading all items back would take the memory."""
    if settings.reports != "auto" or summary.ruling.verdict == "interrupted":
        return settings.reports == "all"
    report, made_of = settings.out / "report.html", [path for name in (VERDICTS, SUMMARY) if (path := settings.out / name).exists()]
    is_new = not report.exists() or any(path.stat().st_mtime > report.stat().st_mtime for path in made_of)
    return is_new and 0 < summary.document["counts"]["items"] <= REPORTED_ITEMS


def checked_exceptions(
    settings: Settings, prepared: Prepared, store: DocumentStore, judged: list[JudgedCase] | None = None
) -> Exceptions | None:
    """The accepted deviations, held against what rules alone make of their cases (`judged`): wrong lines are told before any verdict.
    What only a judge's pairing can add to a case (a name with +) is held against it at the end."""
    found = None if settings.exceptions is None else read_exceptions(settings.exceptions, prepared.index.entries.ids, datetime.date.today())
    if found is not None:
        import asyncio

        from judge.engines.loop import Work, judge_cases

        entries = prepared.entries.among(found.case_ids)
        judged = [] if judged is None else judged
        asyncio.run(judge_cases(Work(prepared.index, entries, store, prepared.contract, exceptions=found), judged, Control()))
        found.check({case.items[0].case_id for case in judged}, spared="" if is_offline(settings) else "+")
    return found


@contextlib.contextmanager
def _interruptible(control: Control) -> Iterator[None]:
    """The first Ctrl-C (or SIGTERM) lets calls in flight finish, the second stops at once."""

    def stop(*_: object) -> None:
        if control.is_stopping:
            raise KeyboardInterrupt
        control.is_stopping = True
        interrupt_reading()
        say("finishing what is in flight; press Ctrl-C again to stop at once")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
