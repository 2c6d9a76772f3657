"""history.html: the gates of many runs by date, with trend, and marks where contract, gold or judge changed between two of them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from markupsafe import Markup

from judge.errors import UsageError
from judge.report.pages import Section, page_html, report_link, result_badge, unbroken
from judge.report.rendering import part
from judge.report.wording import AT_MOST, condition, figure_text, gate_title, number, opening
from judge.results.comparison import changed_inputs
from judge.results.folder import SUMMARY
from judge.results.lines import Gate
from judge.results.reading import Results, read_results

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
    sections = [
        Section("Trend", ("Gate", "Needs", "Oldest to newest", "First", "Last"), trend, _TREND),
        Section(
            "Runs",
            ("Run", "System", "Date", "Verdict", "Changed since the run before", *map(gate_title, gates.values())),
            table[::-1],
            _HINT,
        ),
    ]
    last = runs[-1]
    lead = f"{len(runs)} runs. The newest: {opening(last.verdict).lower()}."
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
    return Markup("{} {}").format(unbroken(figure_text(gate.value, gate.bounds)), result_badge(gate.result))


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
