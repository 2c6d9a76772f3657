"""Reading a result folder (docs/contract/formats.md) into frozen nouns; the only input of every report.
Cases come in the order of cases.jsonl, which is the batch's; of several lines of one item the last counts (`VerdictReader`)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.label_files.identity import fold_name
from calibration.strict_json import loads
from judge.disk import read_json
from judge.errors import InputError, Problem, UsageError
from judge.records import Item, Key, Outcome, grouped
from judge.results.decisions import binding
from judge.results.exceptions import Exceptions, gated_on, kept_exceptions, read_exceptions
from judge.results.folder import LABELS, RUN, SUMMARY, VERDICTS, VerdictReader, as_written, read_cases, read_run
from judge.results.lines import CapabilityScore, CaseResult, Gate, capability_score_of, gate_of
from judge.results.seal import check_seal
from rubrics.contract import Contract, load_contract
from rubrics.named_file import lines_of


def contract_of_run(folder: Path, given: str | None = None) -> Contract:
    """The contract of a result folder. given: `--contract`, needed only where the file it was judged with has moved. Raises UsageError when
    the contract at hand is not the one of the run, ContractFileError when there is none, InputError for a folder that was changed since the
    run wrote it."""
    run: dict[str, Any] = {}
    if (folder / RUN).exists():
        if run := read_run(folder):
            check_seal(folder)
    elif (folder / VERDICTS).exists():
        told = "is not there: without it nobody knows what was judged, nor whether it was changed"
        raise InputError([Problem(str(folder / RUN), None, "", told)])
    version, digest = run.get("contract_version"), run.get("contract_hash")
    name = given or run.get("contract_file") or version
    contract = load_contract(name)
    if digest is not None and contract.hash != digest:
        told = f"({contract.version}, {contract.hash[:12]}). Give the contract of the run with --contract FILE, or judge again."
        raise UsageError(f"{folder}: was judged under contract {version} (hash {str(digest)[:12]}); {name} is another one now {told}")
    return contract


def results_of_run(folder: Path, given: str | None = None) -> "Results":
    """What a result folder says, read with its contract. Raises JudgeError."""
    return read_results(folder, contract_of_run(folder, given).label_scores, exceptions_of(folder))


def exceptions_of(folder: Path) -> Exceptions | None:
    """The accepted deviations that the folder's gates were last applied with. Raises InputError."""
    path = kept_exceptions(folder)
    return None if path is None else read_exceptions(path, {case.case_id for case in read_cases(folder)}, gated_on(folder))


@dataclass(frozen=True, slots=True)
class Results:
    """A whole result folder. why: the ruling in the program's words. `run`, `counts` and `usage` stay as written: they are shown, not
    computed with."""

    path: Path
    verdict: str
    why: str
    exit_code: int
    contract_version: str
    capabilities: tuple[CapabilityScore, ...]
    gates: tuple[Gate, ...]
    counts: Mapping[str, int]
    usage: Mapping[str, float]
    items: tuple[Item, ...]
    cases: tuple[CaseResult, ...]
    run: Mapping[str, Any] = field(default_factory=dict)
    label_scores: Mapping[str, Any] = field(default_factory=dict)

    def binding(self, item: Item) -> str:
        """What a decision on an item is bound to: the program's verdict, also where a person has settled it."""
        return binding(item.before or item, str(self.run.get("contract_hash") or ""))


def read_results(
    folder: Path, label_scores: Mapping[str, Any] | None = None, exceptions: Exceptions | None = None, *, with_items: bool = True
) -> Results:
    """Reads a result folder, or only what it says as a whole. label_scores: the contract's, for what people say and may say; without them
    those of the contract that is shipped. exceptions: accepted deviations, in place of those that stand in the lines.
    Raises InputError naming file and line when something is missing or is not what a run writes."""
    summary = read_json(folder / SUMMARY)
    scores = load_contract().label_scores if label_scores is None else label_scores
    run = read_run(folder) if (folder / RUN).exists() else {}
    cases = tuple(read_cases(folder))
    with as_written(folder / SUMMARY):
        return Results(
            path=folder,
            verdict=str(summary.get("verdict", "")),
            why=str(summary.get("why", "")),
            exit_code=int(summary.get("exit_code", 0)),
            contract_version=str(summary.get("contract_version", "")),
            capabilities=tuple(capability_score_of(name, c) for name, c in (summary.get("capabilities") or {}).items()),
            gates=tuple(gate_of(g) for g in summary.get("gates") or ()),
            counts={k: int(v) for k, v in (summary.get("counts") or {}).items() if isinstance(v, int)},
            usage={k: v for k, v in (summary.get("usage") or {}).items() if isinstance(v, int | float)},
            items=() if not with_items else tuple(read_items(folder, cases, scores, exceptions)),
            cases=cases,
            run=run,
            label_scores=scores,
        )


def read_items(
    folder: Path, cases: Iterable[CaseResult], label_scores: Mapping[str, Any], exceptions: Exceptions | None = None
) -> Iterator[Item]:
    """The items of cases, each as its last line has it."""
    with closing(VerdictReader(folder / VERDICTS, label_scores)) as reader:
        for case in cases:
            for item in reader.case(case.case_id) or ():
                yield exceptions.apply(item) if exceptions is not None else item


def causes_of(results: Results) -> dict[Key, str]:
    """The root causes that people wrote beside the label "hallucination" of an item as it is now (`judge label --review`)."""
    path = results.path / LABELS
    current = {json.dumps(i.key, ensure_ascii=False): i for i in results.items if i.outcome is Outcome.HALLUCINATION}
    said: dict[tuple[Key, str], str] = {}
    for line in read_lines(path) if current and path.exists() else ():
        with as_written(path):
            item = current.get(line["item_id"])
            for entry in line["labels"] if item is not None else ():
                if item is not None and (line.get("metadata") or {}).get("settles") == results.binding(item):
                    text = f"{entry['annotator']}: {entry['comment']}" if entry.get("comment") and entry["label"] == item.outcome else ""
                    said[item.key, fold_name(entry["annotator"])] = text
    causes = grouped((key, text) for (key, _), text in said.items() if text)
    return {key: "; ".join(texts) for key, texts in causes.items()}


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file; a last line without its end is left out. Raises InputError."""
    try:
        for number, line in enumerate(lines_of(path), 1):
            if not line.strip():
                continue
            try:
                found = loads(line)
            except ValueError as error:
                if not line.endswith(b"\n"):
                    return
                raise _wrong(path, number, f"is not JSON: {error}") from error
            if not isinstance(found, dict):
                raise _wrong(path, number, "is not a JSON object")
            yield found
    except OSError as error:
        raise _wrong(path, None, f"cannot be read ({error.strerror}); is this a result folder of `judge run`?") from error


def _wrong(path: Path, line: int | None, message: str) -> InputError:
    return InputError([Problem(path.name, line, "", message)])
