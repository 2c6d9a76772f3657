"""A result folder held against its inputs: every rule judges again, with the answers that the folder keeps, and every line is compared."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.calibrate.rates import rates_of
from judge.disk import read_json
from judge.engines.assignment import Control
from judge.engines.loop import Work, judge_cases
from judge.engines.run_file import Prepared, checks_hash
from judge.engines.session import document_store, prepare
from judge.errors import BudgetReached, JudgeError, UsageError
from judge.records import Answer, JudgedCase, Question
from judge.results.exceptions import CODES, gated_on, kept_exceptions
from judge.results.folder import CASES, EXCEPTIONS, QUESTIONS, REVIEW, RUN, SEAL, SUMMARY, VERDICTS, as_written, read_run, scan
from judge.results.gating import gate_folder
from judge.results.lines import JsonLine, lines_of_case
from judge.results.reading import read_lines
from judge.results.seal import GONE, broken, decided_since, seal
from judge.results.summary import SHARE
from judge.settings import Settings
from rubrics.named_file import MOST_BYTES, open_named, read_named

_OF_JUDGE = ("judge", "reason", "findings")  # of a line that an answer decided: in its own words, which questions.jsonl does not keep
_OF_RUN = ("case_items", "provisional")
_RULED = ("verdict", "exit_code", "why", "exceptions_on", "baseline", SHARE)  # depend on a baseline, or on the day


def differences(folder: Path, changed: Mapping[str, Any]) -> Iterator[str]:
    """What is not as the run wrote it, a line each; nothing where all is. changed: settings in place of those in run.json (documents,
    gold, contract, cache_dir) and `batch`. Raises JudgeError where the inputs cannot be read at all."""
    run = read_run(folder)
    if SEAL not in run:
        yield f"{RUN}: has no seal: this folder was written by an older version, or its seal was taken out"
    torn = tuple(broken(folder))
    yield from (f"{name}: {what}" for name, what in torn)
    if {VERDICTS, CASES, REVIEW, SUMMARY} & {name for name, what in torn if what == GONE}:
        return
    kept = run.get("settings") or {}
    if kept.get("checks") and "checks" not in changed:  # code that a folder names is not run
        raise UsageError(f"the run has checks of its own: give --checks FILE (it was {kept['checks']}), whose code then runs")
    with as_written(folder / RUN):
        given = {**run["settings"], "documents": run["documents_folder"], "baseline": None, "checks": None, **changed}
        given.pop("batch", None)
        settings = Settings.model_validate(given)
        batch = Path(changed.get("batch") or run["inputs"]["batch"])
    places = {"batch": batch, "gold": None if settings.no_gold else settings.gold, "documents": settings.documents}
    if lost := [f"{path} is not there: give --{name}" for name, path in places.items() if path is not None and not path.exists()]:
        raise UsageError("\n".join(lost))
    prepared = prepare(settings, batch)
    own = {"checks": checks_hash(settings)} if settings.checks else {}
    if (run.get("identity") or {}).get("checks") != own.get("checks"):
        yield "the checks file: is not the one that was run"
    found = [f"{what}: is not the one that was judged" for what in _other_inputs(run, prepared)]
    yield from found
    if not found:
        yield from _other_lines(folder, run, settings, prepared)
        if decided_since(folder):
            yield f"{SUMMARY}: is from before people's last decisions; `judge report {folder}` applies the gates again"
        else:
            yield from _other_sums(folder, settings)


def _other_inputs(run: Mapping[str, Any], prepared: Prepared) -> Iterator[str]:
    inputs, documents = run["inputs"], run.get("documents") or {}
    yield from (name for name, digest in prepared.index.hashes.items() if inputs.get(f"{name}_sha256") != digest)
    yield from (name for name, digest in prepared.document_hashes.items() if documents.get(name) != digest)
    if run.get("contract_hash") != prepared.contract.hash:
        yield "the contract"


class _Kept:
    """Answers from the questions that a run keeps."""

    def __init__(self, path: Path) -> None:
        self._answers: dict[Question, Answer] = {}
        for line in read_lines(path) if path.exists() else ():
            with as_written(path):
                choices = tuple((line.get("choices") or {}).items())
                question = Question(line["rubric"], tuple(sorted(line["inputs"].items())), choices)
                self._answers[question] = Answer(**{"verdict": None, **line["judge"]})

    def free_answer(self, question: Question) -> Answer | None:
        return self._answers.get(question)

    async def ask(self, question: Question) -> Answer:
        raise BudgetReached(f"the folder keeps no answer of {question.rubric}")


def _other_lines(folder: Path, run: Mapping[str, Any], settings: Settings, prepared: Prepared) -> Iterator[str]:
    written: dict[tuple[str, str, str | None], tuple[int, JsonLine]] = {}
    for number, (case_id, _, line, _) in enumerate(scan(folder / VERDICTS), 1):
        if line.get("decided_by") != "human":
            written[case_id, line["item"], line.get("tranche")] = number, line
    cases = {key[0] for key in written}
    entries = prepared.entries.among(cases)
    not_counted = {one["rubric"] for one in run.get("calibration") or () if not one["counts"]}
    covers = (lambda question, answer: not_counted.isdisjoint(question.uncoverable)) if not_counted else None
    work = Work(prepared.index, entries, document_store(prepared, settings), prepared.contract, covers)
    judged: list[JudgedCase] = []
    asyncio.run(judge_cases(work, judged, Control(), _Kept(folder / QUESTIONS) if (folder / QUESTIONS).exists() else None))
    hashes = prepared.document_hashes
    lines = {item.key: line for case in judged for item, line in zip(case.items, lines_of_case(case, hashes), strict=True)}
    for key, (number, line) in written.items():
        now = json.loads(json.dumps(lines.pop(key, {})))
        if kept_exceptions(folder):  # which count in place of those in the lines
            line = {**line, "exception": None, "findings": [x for x in line.get("findings") or () if not x["code"].startswith(CODES)]}
        if parts := _differing(line, now):
            yield f"{VERDICTS}:{number}: case {key[0]}, item {key[1]}: {', '.join(parts)}"
    yield from (f"{VERDICTS}: case {case}, item {item}: is missing" for case, item, _ in lines)


def _differing(line: JsonLine, now: JsonLine) -> list[str]:
    """What of a line the rules say otherwise, with both."""
    if not now:
        return ["no such item is judged"]
    left_out = {*_OF_RUN, *({"documents_hash"} - line.keys()), *(_OF_JUDGE if line.get("judge") and now.get("judge") else ())}
    if line.get("judge"):
        for part in ("verdict", "model", "by"):
            if line["judge"].get(part) != (now.get("judge") or {}).get(part):
                return [f"judge.{part} is {line['judge'].get(part)!r}, the answer kept is {(now.get('judge') or {}).get(part)!r}"]
    if "reason" not in left_out and line.get("why_open") == "budget":
        left_out |= {"reason", "why_open"}
    keys = sorted(key for key in line.keys() | now.keys() if key not in left_out and line.get(key) != now.get(key))
    return [f"{key} is {_short(line.get(key))}, judged again {_short(now.get(key))}" for key in keys]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 120 else f"{text[:117]}..."


def _other_sums(folder: Path, settings: Settings) -> Iterator[str]:
    """Cases, review and summary summed up anew from the lines as they stand."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        for name in (VERDICTS, CASES, RUN, *(name for name in (QUESTIONS, EXCEPTIONS) if (folder / name).exists())):
            with open_named(folder / name) as one, (copy / name).open("wb") as other:
                shutil.copyfileobj(one, other)
        try:
            seal(copy)  # what of it is not as it was sealed is told by then
            before = read_json(folder / SUMMARY)
            rates = rates_of(settings)
            gate_folder(settings.model_copy(update={"exceptions": None}), copy, rates.document if rates else None, gated_on(folder))
        except JudgeError as error:
            yield f"cannot be summed up anew: {error}"
            return
        for name in (CASES, REVIEW):
            yield from _lines_that_differ(name, *(read_named(place / name, MOST_BYTES) for place in (folder, copy)))
        now = read_json(copy / SUMMARY)
        keys = sorted(key for key in before.keys() | now.keys() if key not in _RULED and before.get(key) != now.get(key))
        yield from (f"{SUMMARY}: {key} is {_short(before.get(key))}, summed up anew {_short(now.get(key))}" for key in keys)


def _lines_that_differ(name: str, before: bytes, now: bytes) -> Iterator[str]:
    ours, anew = before.splitlines(), now.splitlines()
    others = (n for n, (one, other) in enumerate(zip(ours, anew, strict=False), 1) if one != other)
    yield from (f"{name}:{n}: is not what its verdicts sum up to" for n in others)
    if len(ours) != len(anew):
        yield f"{name}: has {len(ours)} lines, its verdicts give {len(anew)}"
