"""The summary for a person: verdict, scores, gates, the worst items with reason and page, what is undecided and why.
`rows` says what is shown; it is drawn with rich on a terminal and as plain lines elsewhere. Data is passed as text, never as markup."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.capabilities.open_points import cause_words
from judge.capabilities.registry import title_of
from judge.printing import put, put_json, shown, wants_rich
from judge.records import Item
from judge.report.about import trust
from judge.report.wording import accepted_text, counted, gate_result, number, scope_title
from judge.results.lines import Gate, gate_name
from judge.results.summary import Summary

_COLOURS = {"pass": "bold green", "fail": "bold red", "judge_errors": "bold magenta"}  # of a verdict; any other is yellow
STYLES: Mapping[str, str] = {"pass": "green", "fail": "red", "inconclusive": "yellow", "not_applicable": "dim", "hallucination": "bold red"}
REASON_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the summary; style is the column whose word colours the row."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    style: int | None = None


def print_summary(summary: Summary, *, display: str, is_json: bool, folder: str) -> None:
    """Prints the summary; JSON on standard output leaves the person's part to standard error."""
    if is_json:
        put_json(dict(summary.document))
    if display == "none":
        return
    stream = sys.stderr if is_json else sys.stdout
    draw = _draw_rich if wants_rich(display, stream) else _draw_plain
    draw(summary, tables(summary), notes(summary, folder), stream)


def headline(summary: Summary) -> str:
    """One sentence: the verdict and why."""
    return f"{verdict(summary)}: {summary.ruling.why}"


def verdict(summary: Summary) -> str:
    """The verdict alone, with its exit code."""
    return f"{summary.ruling.verdict.replace('_', ' ').upper()} (exit {summary.ruling.exit_code})"


def tables(summary: Summary) -> list[Table]:
    """What is shown, in this order; empty tables are left out."""
    document = summary.document
    found = document["capabilities"].items()
    scores = tuple((title_of(name), str(c["cases"]), _score(c["score"], c["bounds"]), _range(c["interval"])) for name, c in found)
    gates = tuple(_gate_row(gate) for gate in summary.gates if gate.result != "not_applicable")
    worst = tuple(_row(item, str(item.outcome), alike) for item, alike in summary.worst)
    drawn = [
        Table("Scores", ("capability", "cases", "score", "95 % interval"), scores),
        Table("Gates", ("gate", "scope", "value", "needs", "result"), gates, 4),
        Table("Look at these first", ("case", "item", "outcome", "page", "why"), worst, 2),
        Table("Open, for example", ("case", "item", "can be", "page", "why"), tuple(_row(i, _range(i.bounds)) for i in summary.open_items)),
        Table("Open, by cause", ("cause", "items"), tuple((cause_words(cause), str(n)) for cause, n in summary.open_reasons.items())),
    ]
    return [table for table in drawn if table.rows]


def notes(summary: Summary, folder: str) -> list[str]:
    """Counts, cost, and where everything is."""
    counts, usage = summary.document["counts"], summary.document["usage"]
    skipped = f", {counted(counts['skipped'], 'case')} not judged" if counts["skipped"] else ""
    idle = sum(1 for g in summary.document["gates"] if g["result"] == "not_applicable")
    lines = [
        f"{counted(counts['cases'], 'case')}, {counted(counts['items'], 'item')}: {counts['scored']} scored, "
        f"{counts['open']} open, {counts['undecided']} undecided, {counted(counts['judge_error'], 'judge error')}, "
        f"{counts['hallucinated']} hallucinated{skipped}"
    ]
    if (people := summary.document.get("people") or {}).get("items"):
        lines.append(f"{counted(people['items'], 'item')} decided by people: {', '.join(people['names'])}")
    if excepted := summary.document.get("excepted_items"):
        lines.append(accepted_text(excepted))
    lines += [f"exception not counted: {text}" for text in summary.uncounted]
    if idle:
        lines.append(f"{counted(idle, 'gate')} with nothing to judge here")
    if usage.get("judge_calls") or usage.get("cached"):
        money = "cost unknown (no price for the model)" if usage.get("unpriced_calls") else f"{usage['usd']:.4f} USD"
        tokens = f"{usage['input_tokens']} + {usage['output_tokens']} tokens"
        lines.append(f"judge: {usage['judge_calls']} calls, {usage['cached']} from the cache, {tokens}, {money}")
    lines += [_rate_line(rubric, rates) for rubric, rates in (summary.document.get("rates") or {}).items()]
    report = Path(folder, "report.html")
    lines.append(f"results: {folder}" + (f" (open {report})" if report.is_file() else ""))
    if (judge := summary.document.get("judge") or {}) and not judge.get("calibration"):
        lines.append(f"the judge is {trust(judge)}")
    if judge and not judge.get("calibration") and (usage.get("judge_calls") or usage.get("cached")):
        lines.append(f"next: judge label {folder} --for-calibration all")
    return lines


def _rate_line(rubric: str, rates: Mapping[str, Any]) -> str:
    raw, corrected = rates["raw"], rates["corrected"]
    rate = "not known" if corrected["value"] is None else f"{corrected['value']:.3f} ({_range(corrected['interval'])})"
    return f"{rubric}: accepted {'-' if raw['value'] is None else format(raw['value'], '.3f')}, corrected for the judge's errors {rate}"


def _score(score: float | None, bounds: Sequence[float] | None) -> str:
    if bounds is None:
        return number(score)
    low, high = (number(end) for end in sorted(bounds))
    return low if low == high else _range(bounds)


def _range(bounds: Sequence[float] | None) -> str:
    return "-" if bounds is None else f"{number(min(bounds))} .. {number(max(bounds))}"


def _gate_row(gate: Gate) -> tuple[str, ...]:
    sign = "<=" if gate.name == "hallucination_rate" else ">="
    value = _score(gate.value, gate.bounds)
    if excepted := gate.bounds_with_exceptions:
        value += f" ({_score(None, excepted)} with exceptions)"
    return gate_name(gate.name), scope_title(gate.name, gate.scope), value, f"{sign} {gate.threshold:g}", gate_result(gate)


def _row(item: Item, state: str, alike: int = 1) -> tuple[str, ...]:
    """One row for all items with the same outcome, weight and reason: the first of them, and how many more."""
    more = f" (and {alike - 1} like it, of any case)" if alike > 1 else ""
    pages = ", ".join(map(str, item.provenance.pages_found)) or "-"
    return item.case_id, item.item + more, state, pages, shown(item.reason, REASON_LENGTH)


def _draw_plain(summary: Summary, drawn: Iterable[Table], lines: Iterable[str], stream: Any) -> None:
    put(headline(summary), stream=stream)
    for table in drawn:
        put("", table.title, stream=stream)
        rows = [[shown(cell) for cell in row] for row in (table.header, *table.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            put("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), stream=stream)
    put("", *lines, stream=stream)


def _draw_rich(summary: Summary, found: Iterable[Table], lines: Iterable[str], stream: Any) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console, colour = Console(file=stream), _COLOURS.get(summary.ruling.verdict, "bold yellow")
    console.print(Text(shown(headline(summary), 2000), style=colour))
    for table in found:
        drawn = RichTable(show_edge=False, pad_edge=False)
        for n, name in enumerate(table.header):
            drawn.add_column(Text(shown(name)), overflow="fold", ratio=None if n < len(table.header) - 1 else 1)
        for row in table.rows:
            style = STYLES.get(row[table.style].partition(" ")[0], "") if table.style is not None else ""
            drawn.add_row(*(Text(shown(cell), style=style if n == table.style else "") for n, cell in enumerate(row)))
        console.print()
        console.print(Text(shown(table.title), style="italic"))
        console.print(drawn)
    console.print()
    for line in lines:
        console.print(Text(shown(line, 2000), style="dim"))
    console.print(Text(shown(verdict(summary)), style=colour))  # the first line is out of sight by now
