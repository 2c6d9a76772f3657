"""Judges everything that is planted and writes what became of it to docs/development/mutations.md.

    python -m benchmarks.planted.table --sources DIR     (the folder of the agreements that the repository does not hold)

Without --sources only the shipped sample is used, as PDF and as a Word file.
"""

import argparse
import datetime
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.planted.bases import NEEDS_SOURCES, Base, Planted, read_base
from benchmarks.planted.judging import CONTRACT, FULL, Judged, ScriptedJudge
from judge.records import Item

OTHER_NOTATION = "Right outputs in other notation"


@dataclass
class Tally:
    """Counts of one kind."""

    made: int = 0
    right: int = 0
    decided: int = 0
    decided_right: int = 0
    bounded: int = 0
    untouched: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, planted: Planted, judged: Judged) -> None:
        self.made += 1
        is_right = _has_label(planted, judged.scripted)
        self.right += is_right
        self.untouched += not judged.others_changed
        offline = judged.offline
        if offline is None or offline.score is not None or str(offline.outcome) == "extra":
            self.decided += 1
            is_right_offline = _has_label(planted, offline)
            self.decided_right += is_right_offline
        else:
            is_right_offline = _within(planted, offline)
            self.bounded += is_right_offline
        if not (is_right and is_right_offline) or judged.others_changed:
            self.misses.append(_miss(planted, judged))


def _has_label(planted: Planted, item: Item | None) -> bool:
    if item is None:
        return False
    if planted.expected == "full":
        is_label = str(item.outcome) in FULL and (not item.provenance.is_required or item.provenance.score == 1)
    else:
        is_label = str(item.outcome) in planted.labels
    is_located = not planted.provenance or item.provenance.outcome == planted.provenance
    return is_label and is_located and (not planted.code or planted.code in {finding.code for finding in item.findings})


def _within(planted: Planted, item: Item) -> bool:
    """Whether the bounds of an undecided item hold the score of the true label."""
    if planted.expected == "full":
        return item.bounds[1] >= CONTRACT.label_scores["semantic_match"]
    scores = {str(label): score for label, score in CONTRACT.label_scores.items()}
    return any(item.bounds[0] <= scores[label] <= item.bounds[1] for label in planted.labels)


def _miss(planted: Planted, judged: Judged) -> str:
    got = judged.scripted
    found = "no such item" if got is None else f"{got.outcome}, {got.provenance.outcome}: {got.reason}"
    others = f"; others changed: {', '.join(judged.others_changed[:3])}" if judged.others_changed else ""
    wanted = ", ".join(w for w in (planted.expected, planted.code, planted.provenance) if w)
    return f"{planted.base} {planted.case.case_id} {planted.item} ({planted.kind}): wanted {wanted}; got {found}{others}"


Tallies = dict[str, dict[str, Tally]]


def measure(bases: Iterable[Base], most: int = 10_000) -> Tallies:
    """Group -> kind -> counts; at most so many of a kind and base."""
    tallies: Tallies = defaultdict(lambda: defaultdict(Tally))
    for base in bases:
        judge = ScriptedJudge(base)
        for planted in base.slice(most):
            tallies[planted.group][planted.kind].add(planted, judge.judge(planted))
    return tallies


def total_of(tallies: Iterable[Tally]) -> Tally:
    """The sum of several counts."""
    total = Tally()
    for tally in tallies:
        for name in ("made", "right", "decided", "decided_right", "bounded", "untouched", "misses"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    return total


def table(kinds: dict[str, Tally]) -> list[str]:
    """One line a kind: planted, and what became of it offline and with the scripted judge."""
    lines = [
        "| kind | planted | as the standard says | undecided | wrongly marked | with a judge: as the standard says |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(kind, tally) for kind, tally in kinds.items()]
    return [*lines, _line("**all**", total_of(kinds.values()))]


def _line(kind: str, tally: Tally) -> str:
    wrong = tally.made - tally.decided_right - tally.bounded
    return f"| {kind} | {tally.made} | {tally.decided_right} | {tally.bounded} | {wrong} | {tally.right} |"


INTRODUCTION = """# Planted faults

Written by `python -m benchmarks.planted.table --sources DIR` on {day}; DIR holds the agreements named in
`benchmarks/planted/data`, which are not part of this repository (the sample is). `word` is the sample's agreement as
a Word file with a tracked deletion. Each output has one fault; its label follows from how it was made, and right is
exactly that label, with the finding's code and the provenance word where the standard names them. Where the standard
leaves two labels for a fault, either is right; full marks are never among them.

- **as the standard says**: decided without any model, and so. **undecided**: left open, with bounds that hold the
  true score.
- **wrongly marked**: decided otherwise, or open with bounds that do not hold the true score; each is listed at the
  end.
- **with a judge**: a *scripted* judge answers what the right output does not ask with the truth. It shows that the
  rules around a judge are right, not that a model is.

{wrong.made} faults: {wrong.decided_right} decided without a model as the standard says, {wrong.bounded} undecided,
{marked} wrongly marked; with the scripted judge {wrong.right} as the standard says. {right.made} right outputs in
other notation: {right.decided_right} lose nothing without a model, {right.bounded} are undecided, {lost} lose marks;
{invented} of them called a hallucination. Another item of the same case changed its outcome {touched} times.
"""


def report(tallies: Tallies) -> str:
    """The page: figures, a table a group, and each output that was not judged as labelled."""
    right = total_of(tallies[OTHER_NOTATION].values())
    wrong = total_of(tally for group, kinds in tallies.items() if group != OTHER_NOTATION for tally in kinds.values())
    lines = [
        INTRODUCTION.format(
            day=datetime.date.today().isoformat(),
            wrong=wrong,
            right=right,
            marked=wrong.made - wrong.decided_right - wrong.bounded,
            lost=right.made - right.decided_right - right.bounded,
            invented=sum("got hallucination" in miss for miss in right.misses),
            touched=wrong.made + right.made - wrong.untouched - right.untouched,
        )
    ]
    for group, kinds in tallies.items():
        lines += [f"## {group}", "", *table(kinds), ""]
    misses = [*wrong.misses, *right.misses]
    return "\n".join([*lines, "## What was missed", "", *(f"- {m}" for m in misses or ["nothing"])]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="folder of the agreements that the data files name")
    parser.add_argument("--most", type=int, default=10_000, help="outputs of one kind and document at most")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[2] / "docs" / "development" / "mutations.md")
    arguments = parser.parse_args()
    names = ("sample", "word", *(NEEDS_SOURCES if arguments.sources else ()))
    with tempfile.TemporaryDirectory() as folder:
        text = report(measure((read_base(name, Path(folder), arguments.sources) for name in names), arguments.most))
    arguments.out.write_text(text, encoding="utf-8")
    print(text.partition("## ")[0])


if __name__ == "__main__":
    main()
