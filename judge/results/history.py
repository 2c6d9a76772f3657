"""The history of evaluation runs: one line a case and run in `history.jsonl`, what people say of hallucinations in `causes.jsonl`.
A run is added once; a line of it that a crash cut off is written again. One writer at a time holds the folder's lock."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judge.capabilities.registry import field_of
from judge.capabilities.scoring.dimensions import mean
from judge.disk import locked, read_json, to_json, write_atomically
from judge.errors import UsageError, did_you_mean
from judge.records import Bounds, Item, Key, Outcome, grouped
from judge.records.line_parts import exactly, score_block
from judge.results.folder import SUMMARY, as_written
from judge.results.lines import CaseResult
from judge.results.reading import Results, causes_of, contract_of_run, read_lines, read_results
from judge.results.summary import COMMON, overall, status_of

HISTORY, CAUSES = "history.jsonl", "causes.jsonl"
Entry = dict[str, Any]


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Waits until no other process writes into the folder, and keeps it so. Raises InputError where its lines were edited."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".history.lock"), as_written(folder / HISTORY):
        yield


def read_history(folder: Path) -> list[Entry]:
    """All lines; runs that a crash left half written are left out. Raises InputError."""
    path = folder / HISTORY
    lines = list(read_lines(path)) if path.exists() else []
    counts = Counter(line["run"] for line in lines)
    return [line for line in lines if counts[line["run"]] == line.get("run_cases")]


def add_run(folder: Path, entries: Sequence[Entry], *, replaces: bool) -> bool:
    """Adds a run's lines, inside `hold`; False where it is there already. Raises UsageError where it is there with other scores."""
    kept = read_history(folder)
    run = entries[0]["run"]
    if (before := [line for line in kept if line["run"] == run]) == list(entries):
        return False
    if before and not replaces:
        changed = sum(line not in before for line in entries)
        told = f"({changed} of {len(entries)} cases, as after decisions of people); take the new ones with --replace"
        raise UsageError(f"run {run} is in {folder / HISTORY} with other scores {told}")
    lines = [*(line for line in kept if line["run"] != run), *entries]
    write_atomically(folder / HISTORY, (to_json(line) + "\n" for line in lines))
    return True


def read_causes(folder: Path) -> dict[tuple[str, str, str], str]:
    """Root causes by run, case or output, and item; the last word counts."""
    path = folder / CAUSES
    lines = read_lines(path) if path.exists() else ()
    return {(str(line["run"]), str(line["case"]), str(line["item"])): str(line["text"]) for line in lines}


def add_cause(folder: Path, run: str, case: str, item: str, text: str) -> None:
    """Writes a root cause, inside `hold`. Raises UsageError where the run has no such hallucination."""
    history = read_history(folder)
    runs = sorted({line["run"] for line in history})
    if run not in runs:
        raise UsageError(f"{folder / HISTORY}: has no run {run!r}{did_you_mean(run, runs)}")
    known = [(line["case"], found["output"], found["item"]) for line in history if line["run"] == run for found in line["hallucinations"]]
    if not any(case in (of, output) and item == name for of, output, name in known):
        told = "; ".join(f"{of} {name}" for of, _, name in known) or "none"
        raise UsageError(f"run {run} has no hallucination {item!r} of {case!r}; its hallucinations: {told}")
    entries = [{"run": key[0], "case": key[1], "item": key[2], "text": said} for key, said in read_causes(folder).items()]
    entries = [entry for entry in entries if (entry["run"], entry["case"], entry["item"]) != (run, case, item)]
    lines = [*entries, {"run": run, "case": case, "item": item, "text": text}]
    write_atomically(folder / CAUSES, (to_json(line) + "\n" for line in lines))


def run_entries(results: Path, contract_file: str | None = None, system: str | None = None) -> list[Entry]:
    """The lines of a result folder, a case each. Raises InputError, UsageError for a folder without cases."""
    contract = contract_of_run(results, contract_file)
    found = read_results(results, contract.label_scores)
    if not found.cases:
        raise UsageError(f"{results}: holds no case")
    by_case = grouped(((case.capability, case.gold_id or case.case_id), case) for case in found.cases)
    items = grouped((item.case_id, item) for item in found.items)
    head, statuses = _run(found, system), _statuses(found, items, read_json(results / SUMMARY))
    head["overall"], head["run_cases"] = statuses.pop("overall"), len(by_case)
    tier1, said = frozenset(contract.tier1_fields), causes_of(found)
    entries = []
    for (name, case), outputs in by_case.items():
        own = [i for o in outputs for i in items.get(o.case_id, ())]
        entries.append({**head, "status": statuses[name], **_case(name, case, outputs, own, tier1, said)})
    return entries


def _run(found: Results, system: str | None) -> Entry:
    run = found.run
    judge, inputs = run.get("judge") or {}, run.get("inputs") or {}
    models = [str(one.get("model")) for one in judge.get("models", ())] or [str(judge.get("model", "not known"))]
    return {
        "run": run_id(run),
        "date": str(run.get("started_at") or ""),
        "system": system or (run.get("settings") or {}).get("system") or "",
        "contract_version": found.contract_version,
        "contract_hash": str(run.get("contract_hash") or ""),
        "judge": ", ".join(models),
        "judge_fingerprint": _digest(judge),
        "case_set": {"gold": Path(str(inputs.get("gold") or "")).name, "sha256": str(inputs.get("gold_sha256") or "")},
    }


def run_id(run: Mapping[str, Any]) -> str:
    """The id of run.json; of a folder that has none that a file can be named by, its date and a part of its identity's hash."""
    if re.fullmatch(r"[\w-][\w.-]{0,79}", given := str(run.get("run_id") or "")):
        return given
    date = "".join(c for c in str(run.get("started_at") or "")[:19] if c.isdigit())
    return f"{date[:8]}-{date[8:]}-{_digest(run.get('identity'))[:6]}"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]


def _statuses(found: Results, items: Mapping[str, Sequence[Item]], summary: Mapping[str, Any]) -> dict[str, str]:
    """pass, fail or inconclusive of each capability, and `overall`: as the run says, else from its gates."""
    named = {case.capability for case in found.cases}
    told = {name: block.get("status") for name, block in (summary.get("capabilities") or {}).items()}
    statuses: dict[str, str] = {}
    for name in named:
        mine = [item for case in found.cases if case.capability == name for item in items.get(case.case_id, ())]
        made_up = any(item.outcome is Outcome.HALLUCINATION for item in mine)
        statuses[name] = told.get(name) or status_of(name, found.gates, made_up, any(item.can_hallucinate for item in mine))
    common = (gate.result for gate in found.gates if gate.name == COMMON)
    return {**statuses, "overall": str(summary.get("overall") or overall(statuses.values(), common))}


def _case(
    name: str, case: str, outputs: Sequence[CaseResult], items: Sequence[Item], tier1: frozenset[str], said: Mapping[Key, str]
) -> Entry:
    asked = [item for item in items if item.is_unanswerable]
    line: Entry = {"capability": name, "case": case, "outputs": len(outputs), **_block([exactly(o.bounds) for o in outputs])}
    for key, scores in (("companion", [o.companion for o in outputs]), ("provenance_score", [o.provenance_score for o in outputs])):
        names = dict.fromkeys(n for one in scores for n in one)
        if blocks := {n: _block([one[n] for one in scores if n in one]) for n in names}:
            line[key] = {**blocks.pop("score"), **blocks}
    made_up = [item for item in items if item.outcome is Outcome.HALLUCINATION]
    line["hallucinated"] = any(o.is_hallucinated for o in outputs)
    told = {key: {"cause": text} for key, text in said.items()}
    line["hallucinations"] = [{"output": i.case_id, "item": i.item, "reason": i.reason, **told.get(i.key, {})} for i in made_up]
    for count in dict.fromkeys(n for o in outputs for n in o.counts):
        line[count] = sum(o.counts.get(count, 0) for o in outputs)
    if asked:
        line["refusals"] = {"asked": len(asked), "right": sum(i.bounds[0] == 1 for i in asked), "open": sum(i.is_open for i in asked)}
    if fields := _means((field_of(i), exactly(i.bounds)) for i in items if i.counts_for_field and field_of(i) in tier1):
        line["tier1"] = fields
    line["items"] = _means((item.item, exactly(item.bounds)) for item in items if item.weight)
    return line


def _means(scores: Iterable[tuple[str, Bounds]]) -> dict[str, list[float]]:
    return {name: list(_block(found)["bounds"]) for name, found in grouped(scores).items()}


def _block(scores: Sequence[Bounds]) -> Entry:
    return {key: value for key, value in score_block(mean(scores)).items() if key != "exact"}


def earlier(history: Sequence[Entry], entry: Entry) -> Entry | None:
    """The same case in the latest earlier run under the same contract version."""
    alike = [line for line in history if all(line[key] == entry[key] for key in ("case", "capability", "contract_version"))]
    same = [line for line in alike if (line["date"], line["run"]) < (entry["date"], entry["run"])]
    return max(same, key=lambda line: (line["date"], line["run"]), default=None)


def standing(entry: Entry, before: Entry | None) -> str:
    """`regression`, `open` (what is open can decide it either way), `better`, `same` or `n/a` (no such run)."""
    if before is None:
        return "n/a"
    (low, high), (was_low, was_high) = entry["bounds"], before["bounds"]
    if high < was_low:
        return "regression"
    if low > was_high:
        return "better"
    return "same" if low == high == was_low == was_high else "open"


def changed_items(entry: Entry, before: Entry) -> list[str]:
    """The items whose scores are others, with both."""
    names = dict.fromkeys([*before["items"], *entry["items"]])
    return [name for name in names if entry["items"].get(name) != before["items"].get(name)]
