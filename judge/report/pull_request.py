"""The comment of a pull request in Markdown: the difference to the baseline first, then verdict, gates and what a person must look at.
Texts of outputs are nobody's markup: they stand in code spans on one line. The first line is a mark by which a job finds its own
comment."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from judge.records import Item, Key
from judge.report.comparison_html import DECISIONS, figures_of
from judge.report.rendering import code_span, template
from judge.report.wording import DECIDERS, OUTCOME_ORDER, OUTCOME_TITLES, capability_text, counted, failed_gate_of
from judge.results.comparison import KINDS, Change, Comparison, Side, counted_kinds
from judge.results.decisions import point_of
from judge.results.reading import Results
from rubrics.named_file import open_named

_SHOWN = 20
_ATTENTION = ("hallucination", "fail", "judge_error", "undecided")
_MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "not_applicable": "➖"}


def attention(results: Results) -> list[Item]:
    """The items to look at, worst outcomes first: those of a failed gate included."""
    found = [item for item in results.items if item.outcome in _ATTENTION or failed_gate_of(item, results.gates)]
    return sorted(found, key=lambda item: OUTCOME_ORDER.index(item.outcome))


def summary_markdown(results: Results) -> str:
    """The whole file."""
    found = attention(results)
    return template("summary.md.j2").render(results=results, marks=_MARKS, capability_text=capability_text, attention=found, shown=_SHOWN)


def write_step_summary(text: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Appends the summary where the CI asks for one (GITHUB_STEP_SUMMARY); the file, or None outside of CI."""
    if not (name := environment.get("GITHUB_STEP_SUMMARY")):
        return None
    path = Path(name)
    with open_named(path, "ab") as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return path


MARK = "<!-- loan-judge -->"
NO_BASELINE = "No baseline was given: nothing says what this change does to the scores."
MOST = 60_000  # characters; servers refuse little more


def pull_request_comment(results: Results, found: Comparison | None, url: str = "") -> str:
    """The whole comment, under MOST characters. url: where report.html can be opened, for links to items; "" for none."""
    numbers = {item.key: n for n, item in enumerate(results.items)}
    kinds = counted_kinds(found.changes) if found is not None else {}
    said = {"found": found, "kinds": kinds, "figures_of": figures_of, "decisions": DECISIONS}
    text = template("comment.md.j2").render(said, mark=MARK, no_baseline=NO_BASELINE, results=results, url=url)
    rows, look = [*_changes(found, numbers, url)] if found is not None else [], [*_attention(results, numbers, url)]
    text += _section("What changed", _CHANGED, rows, MOST - len(text) - 600 - min(sum(map(len, look)), MOST // 4))
    return text + _section("To look at", _LOOK, look, MOST - len(text) - 300)


_CHANGED = "| Case | Item | Changed | Before | Now | Decided by |\n|---|---|---|---|---|---|\n"
_LOOK = "| Case | Item | Outcome | Why |\n|---|---|---|---|\n"


def _section(title: str, table: str, lines: Sequence[str], room: int) -> str:
    """A table of as many lines as there is room for, and a sentence for the rest."""
    if not lines:
        return ""
    text, kept = f"\n### {title}\n\n{table}", 0
    for line in lines:
        if len(text) + len(line) > room:
            break
        text, kept = f"{text}{line}\n", kept + 1
    return text + (f"\n{counted(len(lines) - kept, 'line')} more: `judge compare` and the report have all.\n" if kept < len(lines) else "")


def _changes(found: Comparison, numbers: dict[Key, int], url: str) -> Iterator[str]:
    for change in sorted(found.changes, key=lambda one: (one.rank, KINDS.index(one.what[0]))):
        before, now = _side(change, change.before), _side(change, change.after)
        who = _who(change.after or change.before)
        yield f"| {code_span(change.case_id)} | {_link(change.key, numbers, url)} | {', '.join(change.what)} | {before} | {now} | {who} |"


def _side(change: Change, side: Side | None) -> str:
    if side is None:
        return "–"
    cited, gold = side.cited.partition("\n")[0] or "nothing cited", f"gold: {side.gold or 'none'}"
    texts = {"output": side.reported or "nothing", "citation": cited, "gold": gold}
    parts = [OUTCOME_TITLES.get(side.outcome, side.outcome), *(code_span(text) for what, text in texts.items() if what in change.what)]
    return " ".join(parts)


def _who(side: Side | None) -> str:
    return "–" if side is None else " ".join([DECIDERS.get(side.decided_by, side.decided_by), *([code_span(side.who)] if side.who else [])])


def _attention(results: Results, numbers: dict[Key, int], url: str) -> Iterator[str]:
    for item in attention(results):
        why = (point_of(item) if item.is_open else "") or item.reason
        yield f"| {code_span(item.case_id)} | {_link(item.key, numbers, url)} | {OUTCOME_TITLES[item.outcome]} | {code_span(why, 300)} |"


def _link(key: Key, numbers: dict[Key, int], url: str) -> str:
    name = code_span(f"{key[1]} ({key[2]})" if key[2] and key[2] not in key[1] else key[1])
    return f"[{name}]({url}#item-{numbers[key]})" if url and key in numbers else name
