"""history.html: the gates of many runs by date, with trend, and marks where contract, gold or judge changed between two of them.
Beside it eval-run-<run id>.md, one evaluation run as the companion's report has it, from the lines of the history alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup

from judge.capabilities.registry import title_of
from judge.disk import write_atomically
from judge.errors import UsageError
from judge.records import grouped
from judge.report.pages import Section, page_html, report_link, result_badge, unbroken
from judge.report.rendering import part, template
from judge.report.wording import AT_MOST, condition, counted, figure_text, gate_title, number, opening, span_text
from judge.results.comparison import changed_inputs
from judge.results.folder import SUMMARY
from judge.results.history import Entry, changed_items, earlier, read_causes, read_history, standing
from judge.results.lines import Gate
from judge.results.reading import Results, read_results

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
    by_name = grouped((entry["capability"], entry) for entry in sorted(entries, key=lambda entry: (entry["capability"], entry["case"])))
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


KIND = "history of runs"


def runs_in(folders: Sequence[Path]) -> list[Results]:
    """The runs of result folders, or of folders that hold result folders, oldest first. Raises UsageError where there is none."""
    found: list[Path] = []
    for folder in folders:
        inner = sorted(path.parent for path in folder.glob(f"*/{SUMMARY}")) if folder.is_dir() else []
        found += [folder] if (folder / SUMMARY).is_file() else inner
        if not found or not folder.is_dir():
            raise UsageError(f"{folder}: neither a result folder nor a folder of result folders")
    runs = [read_results(folder, with_items=False) for folder in dict.fromkeys(found)]
    return sorted(runs, key=lambda run: (str(run.run.get("started_at", "")), str(run.path)))


def history_html(runs: Sequence[Results], out: Path) -> str:
    """The whole page. out: where it will stand, for links to the reports."""
    gates: dict[tuple[str, str], Gate] = {}
    for run in runs:
        gates.update({(g.name, g.scope): g for g in run.gates if g.result != "not_applicable"})
    changes = [(), *(changed_inputs(a, b) for a, b in pairwise(runs))]
    trend = [_trend(key, gate, runs) for key, gate in gates.items()]
    table = [_row(run, said, gates, out) for run, said in zip(runs, changes, strict=True)]
    head = ("Run", "System", "Date", "Verdict", "Changed since the run before", *map(gate_title, gates.values()))
    trends = Section("Trend", ("Gate", "Needs", "Oldest to newest", "First", "Last"), trend, _TREND)
    sections = [trends, Section("Runs", head, table[::-1], _HINT)]
    last = runs[-1]
    lead = f"{counted(len(runs), 'run')}. The newest: {opening(last.verdict).lower()}."
    return page_html(KIND, "Gates by run", lead, sections, tone=last.verdict)


_TREND = "Dashed: what the gate needs. A range shows its worst."
_HINT = "Newest first. Where contract, gold, judge or documents changed, a difference is not the system's alone."


def _row(run: Results, said: Sequence[str], gates: Mapping[tuple[str, str], Gate], out: Path) -> list[Any]:
    own = {(g.name, g.scope): g for g in run.gates}
    changed = Markup('<strong class="badge r-inconclusive">{}</strong>').format("; ".join(said)) if said else "–"
    date = str(run.run.get("started_at") or "–")[:16].replace("T", " ")
    system = str((run.run.get("settings") or {}).get("system") or "–")
    link = report_link(run.path, out)
    name = Markup('<a href="{}">{}</a>').format(link, run.path.name) if link else run.path.name
    return [name, system, unbroken(date), opening(run.verdict), changed, *(_cell(own.get(key)) for key in gates)]


def _cell(gate: Gate | None) -> Any:
    if gate is None or gate.result == "not_applicable":
        return "–"
    return Markup("{} {}").format(unbroken(figure_text(gate.value, gate.bounds)), result_badge(gate))


def _figure(run: Results, key: tuple[str, str]) -> float | None:
    """A gate's value in a run, the worst where it is a range; None where it does not apply."""
    gate = next((g for g in run.gates if (g.name, g.scope) == key and g.result != "not_applicable"), None)
    if gate is None:
        return None
    return gate.value if gate.value is not None else gate.bounds[0] if gate.bounds else None


def _trend(key: tuple[str, str], gate: Gate, runs: Sequence[Results]) -> tuple[Any, ...]:
    """A gate's values from the oldest run to the newest as a line; a run without it leaves a gap."""
    values = [_figure(run, key) for run in runs]
    known = [value for value in values if value is not None]
    top = max([*known, gate.threshold, 0.05]) if key[0] in AT_MOST else 1.0
    ends = number(known[0]), number(known[-1])
    line = part("spark", values, gate.threshold, top, f"{gate_title(gate)}: {' to '.join(ends)}")
    return gate_title(gate), condition(gate), line, *ends
