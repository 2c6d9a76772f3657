"""Plants every kind of fault of the standard in right outputs and writes what became of them to docs/mutations.md.

    python -m benchmarks.mutations --sources DIR     (the folder of the agreements that benchmarks/data/mutation_*.json names)

Without --sources only the shipped sample is used. Each mutant's label follows from how it was made (judging.md) and is never read off
the program: a value said to stand elsewhere, or nowhere, is looked for by plain text search. Every mutant is judged offline and with a
scripted judge that answers each new question with the mutant's truth.
"""

from __future__ import annotations

import argparse
import datetime
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.equivalents import VARIANTS, is_full
from benchmarks.equivalents_natural import NATURAL_VARIANTS
from benchmarks.mutation_bases import Base, all_bases
from benchmarks.mutation_fields import FIELD_KINDS
from benchmarks.mutation_judge import CONTRACT, Judged, Mutant, ScriptedJudge
from benchmarks.mutation_natural_fields import NATURAL_FIELD_KINDS
from benchmarks.mutation_natural_quotes import NATURAL_QUOTE_KINDS
from benchmarks.mutation_natural_terms import NATURAL_TERM_KINDS
from benchmarks.mutation_quotes import QUOTE_KINDS, Plant
from benchmarks.mutation_terms import TERM_KINDS
from benchmarks.mutation_word import WORD_KINDS, WORD_VARIANTS, word_base
from judge.records import Item

SEED = 20260325
CAP = 24
"""Mutants of one entry of the tables below and one document, drawn by the seed where more can be made."""
PLANTS: Mapping[str, Mapping[str, Plant]] = {
    "Citations (standard 5), in all four capabilities": QUOTE_KINDS,
    "Citations as real outputs have them": {**NATURAL_QUOTE_KINDS, **WORD_KINDS},
    "Loan onboarding (standard 1)": FIELD_KINDS,
    "Loan onboarding in natural notation": NATURAL_FIELD_KINDS,
    "Covenants, benchmark terms, answers (standard 2, 3, 4)": TERM_KINDS,
    "Covenants, benchmark terms, answers in natural notation": NATURAL_TERM_KINDS,
}
OTHER_NOTATION: Mapping[str, Plant] = {**VARIANTS, **NATURAL_VARIANTS, **WORD_VARIANTS}


@dataclass
class Tally:
    """Counts of one kind and document."""

    made: int = 0
    right: int = 0
    decided: int = 0
    decided_right: int = 0
    bounded: int = 0
    untouched: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, mutant: Mutant, judged: Judged) -> None:
        self.made += 1
        is_right = _has_label(mutant, judged.scripted)
        self.right += is_right
        self.untouched += not judged.others_changed
        offline = judged.offline
        if offline is None or offline.score is not None or str(offline.outcome) == "extra":
            self.decided += 1
            is_right_offline = _has_label(mutant, offline)
            self.decided_right += is_right_offline
            is_right = is_right and is_right_offline
        else:
            is_bounded = _within(mutant, offline)
            self.bounded += is_bounded
            is_right = is_right and is_bounded
        if not is_right or judged.others_changed:
            self.misses.append(_miss(mutant, judged))


def _has_label(mutant: Mutant, result: Item | None) -> bool:
    if result is None:
        return False
    if mutant.expected == "full":
        label = is_full(str(result.outcome), result.provenance.score, result.provenance.is_required)
    else:
        label = str(result.outcome) in mutant.labels
    codes = {finding.code for finding in result.findings}
    is_located = not mutant.provenance or result.provenance.outcome == mutant.provenance
    return label and is_located and (not mutant.code or mutant.code in codes)


def _within(mutant: Mutant, result: Item) -> bool:
    """Whether the bounds of an undecided item hold the score of the true label."""
    if mutant.expected == "full":
        return result.bounds[1] >= CONTRACT.label_scores["semantic_match"]
    scores = {str(label): score for label, score in CONTRACT.label_scores.items()}
    return any(result.bounds[0] <= scores[label] <= result.bounds[1] for label in mutant.labels)


def _miss(mutant: Mutant, judged: Judged) -> str:
    got = judged.scripted
    found = "no such item" if got is None else f"{got.outcome}, {got.provenance.outcome}: {got.reason}"
    others = f"; others changed: {', '.join(judged.others_changed[:3])}" if judged.others_changed else ""
    wanted = ", ".join(w for w in (mutant.expected, mutant.code, mutant.provenance) if w)
    return f"{mutant.base} {mutant.case_id} {mutant.item}: wanted {wanted}; got {found}{others}"


def plant_all(base: Base, plants: Mapping[str, Plant], cap: int, seed: int) -> Iterator[Mutant]:
    """The mutants of a base: of each table entry at most `cap`, drawn by the seed."""
    for name, plant in plants.items():
        rng = Random(f"{seed}|{name}|{base.name}")
        found = [mutant for case in base.cases for mutant in plant(base, case, rng)]
        yield from rng.sample(found, cap) if len(found) > cap else found


Tallies = dict[str, dict[str, Tally]]


def measure(bases: Iterable[Base], plants: Mapping[str, Plant], cap: int = CAP, seed: int = SEED) -> Tallies:
    """Kind -> document -> counts."""
    tallies: Tallies = defaultdict(lambda: defaultdict(Tally))
    for base in bases:
        judge = ScriptedJudge(base)
        for mutant in plant_all(base, plants, cap, seed):
            tallies[mutant.kind][base.name].add(mutant, judge.judge(mutant))
    return tallies


# ---- table ---------------------------------------------------------------------------------------------------------


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        for name in ("made", "right", "decided", "decided_right", "bounded", "untouched"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
    return total


def table(tallies: Tallies) -> list[str]:
    """One line a kind: planted, and what became of it offline and with the scripted judge."""
    lines = [
        "| kind | planted | as the standard says | undecided | wrongly marked | with a judge: as the standard says |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [_line(kind, _sum(row.values())) for kind, row in tallies.items()]
    return [*lines, _line("**all**", _sum(t for row in tallies.values() for t in row.values()))]


def _line(kind: str, total: Tally) -> str:
    wrong = total.made - total.decided_right - total.bounded
    return f"| {kind} | {total.made} | {total.decided_right} | {total.bounded} | {wrong} | {total.right} |"


def machine() -> str:
    """Processor and number of cores, from /proc/cpuinfo."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0]}, {len(models)} cores" if models else "unknown machine"


def _described(base: Base, groups: Iterable[Tallies]) -> str:
    pages = ", ".join(f"{name} ({len(d.pages)} pages)" if base.is_paged else name for name, d in base.documents.items())
    mine = _sum(row[base.name] for tallies in groups for row in tallies.values() if base.name in row)
    return f"- **{base.name}**: {pages}; {len(base.cases)} right outputs, {mine.made} mutants of them, {mine.right} labelled as expected"


def _base_findings(base: Base) -> list[str]:
    """Items of the right outputs that are not judged right, with the scripted judge."""
    found = []
    for case_id, results in ScriptedJudge(base).right.items():
        for (item, _), result in results.items():
            if not is_full(str(result.outcome), result.provenance.score, result.provenance.is_required):
                found.append(f"- {base.name} {case_id} {item}: {result.outcome}, {result.provenance.outcome}: {result.reason}")
    return found


INTRODUCTION = """# Planted faults

Written by `python -m benchmarks.mutations --sources DIR`; DIR holds the agreements named in `benchmarks/data/mutation_*.json`,
which are not part of this repository (the sample is). {day}, {machine}. Seed {seed}, at most {cap} mutants of one table entry and document
({double} of one in other notation).

{documents}

`physio` is rendered by PyMuPDF's story writer, `mbi` by reportlab in two columns with printed page numbers from 101, `profrac` is a real
PDF: a fourth amendment with the conformed credit agreement attached, two numberings, printed page = file page − 34. `word` is the
sample's agreement as a Word file with a tracked deletion.

Each mutant has one fault. Its label follows from how it was made; whether a wrong value stands elsewhere or nowhere is looked up by plain
text search in PyMuPDF's text, not by the program. Right is exactly that label, with the finding's code and the provenance word where the
standard's rule names them. Where the standard leaves two labels for a fault, either is right; full marks are never among them.

- **as the standard says**: decided without any model, and so.
- **undecided**: left open, with bounds that hold the true score.
- **wrongly marked**: decided otherwise, or open with bounds that do not hold the true score; each is listed at the end.
- **with a judge**: a *scripted* judge answers every question that the right output does not raise with the mutant's truth. It shows that
  the rules around a judge are right, not that a model is.

{total} mutants of {kinds} kinds: {decided_right} decided without a model as the standard says, {bounded} undecided, {wrong} wrongly
marked; with the scripted judge {right} as the standard says. {variants} right outputs in other notation: {variants_decided} lose nothing
without a model, {variants_open} are undecided, {variants_wrong} lose marks; {invented} of them is called a hallucination.
In {touched} of all mutants another item of the same case changed its outcome.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="folder of the agreements that the data files name")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs" / "mutations.md")
    parser.add_argument("--cap", type=int, default=CAP)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bases = [*all_bases(arguments.sources, Path(folder)), word_base(Path(folder))]
        groups = {title: measure(bases, plants, arguments.cap) for title, plants in PLANTS.items()}
        variants = measure(bases, OTHER_NOTATION, 2 * arguments.cap)
        text = report(bases, groups, variants, arguments.cap)
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(text, encoding="utf-8")
    print(text)


def report(bases: list[Base], groups: Mapping[str, Tallies], variants: Tallies, cap: int) -> str:
    total = _sum(t for g in groups.values() for row in g.values() for t in row.values())
    equal = _sum(t for row in variants.values() for t in row.values())
    missed = [m for row in variants.values() for t in row.values() for m in t.misses]
    lines = [
        INTRODUCTION.format(
            day=datetime.date.today().strftime("%-d %B %Y"),
            machine=machine(),
            seed=SEED,
            cap=cap,
            double=2 * cap,
            documents="\n".join(_described(base, (*groups.values(), variants)) for base in bases),
            total=total.made,
            kinds=sum(len(g) for g in groups.values()),
            right=total.right,
            decided_right=total.decided_right,
            bounded=total.bounded,
            wrong=total.made - total.decided_right - total.bounded,
            variants=equal.made,
            variants_decided=equal.decided_right,
            variants_open=equal.bounded,
            variants_wrong=equal.made - equal.decided_right - equal.bounded,
            invented=sum("got hallucination" in m for m in missed) or "none",
            touched=total.made - total.untouched,
        )
    ]
    for title, tallies in groups.items():
        lines += [f"## {title}", "", *table(tallies), ""]
    lines += [
        "## Right outputs in other notation",
        "",
        "Nothing may be lost: the label keeps full or semantic-match marks, the provenance is whole.",
        "",
    ]
    lines += [*table(variants), "", "## What was missed", ""]
    base_findings = [f for base in bases for f in _base_findings(base)]
    if base_findings:
        lines += ["Right outputs that are not judged right to begin with (their mutants count as missed):", "", *base_findings, ""]
    misses = [m for g in (*groups.values(), variants) for row in g.values() for t in row.values() for m in t.misses]
    lines += [*(f"- {m}" for m in misses)] if misses else ["Nothing."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
