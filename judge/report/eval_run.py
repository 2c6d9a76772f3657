"""eval-run-<run id>.md: one evaluation run as the companion's report has it, from the lines of the history alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from judge.capabilities.registry import title_of
from judge.disk import write_atomically
from judge.report.rendering import template
from judge.report.wording import number, span_text
from judge.results.history import Entry, changed_items, earlier, read_causes, read_history, standing

DIMENSIONS = ("D1", "D2", "D3", "D4", "D5")
COUNTS = {"false_positives": "False positives", "false_negatives": "False negatives"}


def report_path(folder: Path, run: str) -> Path:
    """Where the report of a run is."""
    return folder / f"eval-run-{run}.md"


def write_reports(folder: Path, run: str) -> None:
    """Builds the report of a run, and those of later runs, which look back at it; root causes of people stay."""
    history, causes = read_history(folder), read_causes(folder)
    date = next(line["date"] for line in history if line["run"] == run)
    for one in dict.fromkeys(line["run"] for line in history if line["date"] >= date):
        text = _report([line for line in history if line["run"] == one], history, causes)
        write_atomically(report_path(folder, one), [text])


def _report(entries: Sequence[Entry], history: Sequence[Entry], causes: Mapping[tuple[str, str, str], str]) -> str:
    by_name: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry["capability"], entry["case"])):
        by_name.setdefault(entry["capability"], []).append(entry)
    pairs = [(entry, earlier(history, entry)) for entry in entries]
    compared = [(entry, before, standing(entry, before)) for entry, before in pairs]
    refusals = [entry["refusals"] for entry in entries if "refusals" in entry]
    return template("eval-run.md.j2").render(
        entries=entries,
        capabilities=[_capability(name, found) for name, found in by_name.items()],
        cases=[(title_of(name), *_cases(found)) for name, found in by_name.items()],
        refusals={key: sum(block[key] for block in refusals) for key in ("asked", "right", "open")},
        stands=Counter(word for _, _, word in compared),
        regressions=[_regression(e, b, word) for e, b, word in compared if b is not None and word in ("regression", "open")],
        hallucinations=list(_hallucinations(entries, causes)),
    )


def _capability(name: str, found: Sequence[Entry]) -> tuple[str, ...]:
    count = sum(len(entry["hallucinations"]) for entry in found)
    scores = (_mean(found, None), _mean(found, "companion"), _mean(found, "provenance_score"))
    sizes = (str(len(found)), str(sum(entry["outputs"] for entry in found)))
    return title_of(name), *sizes, *scores, str(count), found[0]["status"].upper()


def _mean(found: Sequence[Entry], key: str | None) -> str:
    blocks = [(entry if key is None else entry[key], entry["outputs"]) for entry in found if key is None or key in entry]
    total = sum(count for _, count in blocks)
    return span_text([sum(block["bounds"][end] * count for block, count in blocks) / total for end in (0, 1)]) if total else "–"


def _cases(found: Sequence[Entry]) -> tuple[list[str], list[tuple[str, ...]]]:
    dimensions = [name for name in DIMENSIONS if any(name in entry.get("companion", ()) for entry in found)]
    counts = [name for name in COUNTS if any(name in entry for entry in found)]
    fields = list(dict.fromkeys(name for entry in found for name in entry.get("tier1", ())))
    titles = ["Case", "Outputs", "Score", "Companion", "Provenance", *dimensions, *(COUNTS[n] for n in counts), *fields, "Hallucinated"]
    rows = [
        (
            entry["case"],
            str(entry["outputs"]),
            span_text(entry["bounds"]),
            _span(entry.get("companion")),
            _span(entry.get("provenance_score")),
            *(_span(entry.get("companion", {}).get(name)) for name in dimensions),
            *(str(entry.get(name, 0)) for name in counts),
            *(span_text(entry.get("tier1", {}).get(name)) for name in fields),
            "yes" if entry["hallucinated"] else "no",
        )
        for entry in found
    ]
    return titles, rows


def _span(block: Mapping[str, Any] | None) -> str:
    return span_text(block["bounds"]) if block else "–"


def _regression(entry: Entry, before: Entry, word: str) -> tuple[str, ...]:
    (low, high), (was_low, was_high) = entry["bounds"], before["bounds"]
    difference = number(low - was_low) if low == high and was_low == was_high else f"{number(low - was_high)} to {number(high - was_low)}"
    names = changed_items(entry, before)
    items = "; ".join(f"{name}: {span_text(before['items'].get(name))} → {span_text(entry['items'].get(name))}" for name in names)
    return entry["case"], span_text(entry["bounds"]), span_text(before["bounds"]), difference, before["run"], items or "none", word


def _hallucinations(entries: Sequence[Entry], causes: Mapping[tuple[str, str, str], str]) -> Iterator[tuple[str, ...]]:
    for entry in entries:
        for found in entry["hallucinations"]:
            keys = [(entry["run"], of, found["item"]) for of in (found["output"], entry["case"])]
            cause = next((causes[key] for key in keys if key in causes), found.get("cause") or "not written yet")
            yield entry["case"], found["output"], found["item"], found["reason"], cause
