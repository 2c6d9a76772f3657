"""The Python API: judge a batch, read a result folder, compare two. A handful of names, all typed, nothing printed.

from judge.api import evaluate

evaluation = evaluate("batch.jsonl", gold="gold.jsonl", documents="documents", out="results")
assert evaluation.passed, evaluation.why()
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.capabilities.own_checks import CheckedCase, check
from judge.printing import shown
from judge.records import Item
from judge.report.wording import condition, failed_gate_of, figure_text, gate_title, sentence
from judge.results.comparison import Comparison, compare_folders
from judge.results.lines import Gate
from judge.results.reading import Results, results_of_run

__all__ = ["CheckedCase", "Comparison", "Evaluation", "Gate", "Item", "check", "compare", "evaluate", "read"]

Lines = Path | str | Sequence[Mapping[str, Any]]
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a run came to. verdict and exit_code as in summary.json (docs/contract/formats.md); folder: the result folder."""

    folder: Path
    verdict: str
    exit_code: int
    gates: tuple[Gate, ...]
    items: tuple[Item, ...]
    results: Results

    @property
    def passed(self) -> bool:
        """Every gate passes."""
        return self.verdict == "pass"

    @property
    def failures(self) -> tuple[Item, ...]:
        """Items that failed or were made up, in the batch's order; accepted exceptions left out."""
        return tuple(i for i in self.items if i.outcome in ("fail", "hallucination") and i.exception is None)

    @property
    def open_items(self) -> tuple[Item, ...]:
        """Items that a gate waits for: without a label, or what may still be a hallucination or lack a complete citation."""
        return tuple(i for i in self.items if i.is_waiting)

    def item(self, case_id: str, item: str, tranche: str | None = None) -> Item:
        """One item. Raises KeyError."""
        if (found := next((i for i in self.items if i.key == (case_id, item, tranche)), None)) is None:
            raise KeyError(f"case {case_id!r} has no item {item!r}" + (f" of {tranche!r}" if tranche else ""))
        return found

    def why(self) -> str:
        """The verdict for a person: the sentence, the gates that do not pass, the first items that failed or pull a failed gate down."""
        lines = [sentence(self.results)]
        for gate in (g for g in self.gates if g.result in ("fail", "inconclusive")):
            value = figure_text(gate.value, gate.bounds)
            lines.append(f"  {gate.result}: {gate_title(gate)} is {value}, needs {condition(gate)}")
        named = (*self.failures, *(i for i in self.items if failed_gate_of(i, self.gates) is not None))
        lines += [f"  {i.outcome}: {shown(i.case_id)} {shown(i.title)}: {shown(i.reason)}" for i in named[:_SHOWN]]
        if len(named) > _SHOWN:
            lines.append(f"  and {len(named) - _SHOWN} more in {self.folder}")
        return "\n".join(lines)


def evaluate(batch: Lines, *, gold: Lines | None = None, documents: Path | str, out: Path | str, **settings: Any) -> Evaluation:
    """Judges a batch as `judge run` does and returns what came of it.
    batch, gold: files, folders, or lines as mappings; without gold the run is one of `--no-gold`. settings: any flag of `judge run` by name
    (`judge="gpt-4o"`, `repeats=3`, `fresh=True`); environment, .env and judge.toml count as on the command line. Must not be called from a
    running event loop. Raises judge.errors.JudgeError (wrong inputs or settings, budget reached, unusable endpoint)."""
    from judge.engines.session import run_batch
    from judge.settings import resolve

    folder = Path(out)
    given: dict[str, Any] = {"documents": Path(documents), "out": folder, "display": "none", **settings}
    given |= {"no_gold": True} if gold is None else {"gold": _file(gold, folder, "gold")}
    run_batch(resolve({name: (value, "evaluate()") for name, value in given.items()}, Path.cwd()), _file(batch, folder, "batch"))
    return read(folder)


def _file(lines: Lines, folder: Path, name: str) -> Path:
    """The file of given lines; lines as mappings are written beside the result folder."""
    if isinstance(lines, str | Path):
        return Path(lines)
    path = folder.with_name(f"{folder.name}-{name}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines), "utf-8")
    return path


def read(folder: Path | str, *, contract: Path | str | None = None) -> Evaluation:
    """What a finished result folder says. contract: that of the run, where its file has moved. Raises judge.errors.JudgeError."""
    results = results_of_run(Path(folder), str(contract) if contract else None)
    return Evaluation(Path(folder), results.verdict, results.exit_code, results.gates, results.items, results)


def compare(before: Path | str, after: Path | str, *, contract: Path | str | None = None) -> Comparison:
    """Two result folders, paired by case and item. Raises judge.errors.InputError."""
    return compare_folders(Path(before), Path(after), str(contract) if contract else None)
