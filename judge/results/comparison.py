"""Two runs on the same cases: paired by case and item, so that what both runs share cannot blur the difference.
Scores are compared by case (cases are the independent units): weighted mean of the differences, sandwich variance, Student's t. Items are
compared by flips between right and not right: exact McNemar. The decision is one of non-inferiority with the contract's margin:

- no regression: the interval of the difference lies above minus the margin;
- regression: the difference is below minus the margin, and below zero beyond chance (level divided by the number of capabilities);
- cannot tell: anything else, with the number of cases that would tell, were spread and difference to stay as they are.

Open items make each case's difference a range; a decision counts only when it holds at the unfavourable end of it. Where both runs left
the same items open over the same output, those will come out alike in both and drop out of the difference."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from calibration.statistics.paired import mcnemar
from judge.capabilities.registry import field_of, title_of
from judge.records import RIGHT, Item, Key, grouped
from judge.results.intervals import Decision, Difference, Pair, paired_difference
from judge.results.lines import CaseResult
from judge.results.reading import Results, contract_of_run, results_of_run

Direction = Literal["lost", "worse", "changed", "", "better", "gained"]
"""How an outcome flipped, worst first. lost: it was right; gained: it is right now; worse, better: neither or both, with another score or a
hallucination more or less; changed: the rest, as where one is open; "": no flip."""
EXIT_CODES: Mapping[Decision, int] = {"no_regression": 0, "regression": 1, "cannot_tell": 4}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that `judge compare` shows. capabilities and fields by name; p of McNemar's test is two-sided and over items."""

    changed_inputs: tuple[str, ...]
    capabilities: Mapping[str, Difference]
    fields: Mapping[tuple[str, str], Difference]
    changes: "tuple[Change, ...]"
    paired_cases: int
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    unpaired_items: int
    decision: Decision
    why: str

    @property
    def flips(self) -> "list[Change]":
        """The items whose outcome is another one."""
        return [change for change in self.changes if change.kind]

    def counted(self, kind: Direction) -> int:
        """How many flips are of a kind."""
        return sum(change.kind == kind for change in self.changes)

    @property
    def lost(self) -> int:
        """Items that were right, and are not now."""
        return self.counted("lost")

    @property
    def gained(self) -> int:
        """Items that are right now, and were not."""
        return self.counted("gained")

    @property
    def p(self) -> float:
        """Of McNemar's exact test of lost against gained."""
        return mcnemar(self.lost, self.gained)

    @property
    def inventions(self) -> int:
        """Items that are hallucinations now, and were not."""
        return sum(change.is_invention for change in self.changes)

    @property
    def items_text(self) -> str:
        """What became of items, in one line: "2 lost, 1 worse, 0 gained, 3 better; 1 new hallucination"."""
        invented = f"; {self.inventions} new hallucination{'s' * (self.inventions > 1)}" if self.inventions else ""
        return ", ".join(f"{self.counted(kind)} {kind}" for kind in ("lost", "worse", "gained", "better")) + invented

    @property
    def exit_code(self) -> int:
        """0 no regression, 1 regression, 4 cannot tell."""
        return EXIT_CODES[self.decision]


def compare_runs(before: Results, after: Results, *, margin: float, significance: float) -> Comparison:
    """Compares two runs. margin: largest loss of score that is accepted, 0..1; significance: two-sided error rate of the whole decision."""
    cases_before, cases_after = ({case.case_id: case for case in run.cases} for run in (before, after))
    shared = [c for c in cases_before if c in cases_after]
    items_before, items_after = {i.key: i for i in before.items}, {i.key: i for i in after.items}
    linked = _linked_cases(before.items, after.items)
    capabilities = _capabilities([(cases_before[c], cases_after[c]) for c in shared], linked, margin, significance)
    decision, why = _decide(capabilities, margin)
    return Comparison(
        changed_inputs=changed_inputs(before, after),
        capabilities=capabilities,
        fields=_fields(items_before, items_after, margin, significance),
        changes=changes_between(items_before, items_after),
        paired_cases=len(shared),
        only_before=tuple(c for c in cases_before if c not in cases_after),
        only_after=tuple(c for c in cases_after if c not in cases_before),
        unpaired_items=sum(k not in items_after for k in items_before) + sum(k not in items_before for k in items_after),
        decision=decision,
        why=why,
    )


def compare_folders(before: Path, after: Path, contract: str | None = None, margin: float | None = None) -> Comparison:
    """Compares two result folders, each read under its own contract, with a margin or that of the later one. Raises JudgeError."""
    regression = contract_of_run(after, contract).regression
    limit = float(regression.non_inferiority_margin) if margin is None else margin
    return compare_runs(results_of_run(before), results_of_run(after, contract), margin=limit, significance=float(regression.significance))


def _linked_cases(before: Iterable[Item], after: Iterable[Item]) -> frozenset[str]:
    """Cases whose open items are the same in both runs, over the same output."""
    a, b = (grouped((i.case_id, _open_state(i) if i.is_open else ()) for i in items) for items in (before, after))
    return frozenset(case for case in a.keys() & b.keys() if {*a[case]} - {()} == {*b[case]} - {()})


def _open_state(item: Item) -> tuple[object, ...]:
    """What an open item's later label depends on."""
    return item.key, item.bounds, item.reported, tuple(cited.claim for cited in item.citations)


def _capabilities(
    pairs: Sequence[tuple[CaseResult, CaseResult]], linked: Container[str], margin: float, significance: float
) -> dict[str, Difference]:
    groups = grouped((a.capability, Pair(a.bounds, b.bounds, float(a.weight), a.case_id in linked)) for a, b in pairs)
    strict = significance / max(1, len(groups))
    return {name: paired_difference(found, margin=margin, significance=significance, strict=strict) for name, found in groups.items()}


def _fields(before: Mapping[Key, Item], after: Mapping[Key, Item], margin: float, significance: float) -> dict[tuple[str, str], Difference]:
    """Per field: a case's value is the mean over its items of the field that both runs have, and that count for the field's gate."""
    groups: dict[tuple[str, str], dict[str, list[tuple[Item, Item]]]] = defaultdict(lambda: defaultdict(list))
    for key, a in before.items():
        if (b := after.get(key)) is not None and all(x.weight > 0 and x.counts_for_field for x in (a, b)):
            groups[a.capability, field_of(a)][a.case_id].append((a, b))
    means = {name: [_mean_pair(pairs) for pairs in by_case.values()] for name, by_case in groups.items()}
    return {name: paired_difference(found, margin=margin, significance=significance) for name, found in means.items()}


def _mean_pair(pairs: Sequence[tuple[Item, Item]]) -> Pair:
    is_linked = all(a.is_open == b.is_open and (not a.is_open or _open_state(a) == _open_state(b)) for a, b in pairs)
    sides = [[pair[side].bounds for pair in pairs] for side in (0, 1)]
    means = [(sum(x[0] for x in side) / len(side), sum(x[1] for x in side) / len(side)) for side in sides]
    return Pair(means[0], means[1], 1.0, is_linked)


def _decide(capabilities: Mapping[str, Difference], margin: float) -> tuple[Decision, str]:
    """The worst decision of all capabilities: a regression in one is a regression."""
    if not capabilities:
        return "cannot_tell", "The two runs share no case."
    if worse := [n for n, d in capabilities.items() if d.decision == "regression"]:
        return "regression", f"Worse beyond chance and beyond the margin of {margin:g}: {', '.join(map(title_of, worse))}."
    if unsure := {n: d for n, d in capabilities.items() if d.decision == "cannot_tell"}:
        return "cannot_tell", f"The data cannot tell whether the loss stays within {margin:g}: {'; '.join(map(_unsure, unsure.items()))}."
    return "no_regression", f"No capability lost more than {margin:g}."


def _unsure(entry: tuple[str, Difference]) -> str:
    name, difference = title_of(entry[0]), entry[1]
    if difference.needed is not None:
        return f"{name} ({difference.cases} cases, about {difference.needed} would tell)"
    if difference.change[0] != difference.change[1]:
        return f"{name} (undecided items leave it open; settle them first)"
    return f"{name} ({difference.cases} case{'s' * (difference.cases != 1)}; more are needed)"


def _kind(before: Item | None, after: Item | None) -> Direction:
    """Flips count between items that both have a label; an extra is no label, and a hallucination is worse than any."""
    if before is None or after is None or before.outcome == after.outcome:
        return ""
    invented = (after.outcome == "hallucination") - (before.outcome == "hallucination")
    if before.score is None or after.score is None:
        return "worse" if invented > 0 else "changed"
    if (before.outcome in RIGHT) != (after.outcome in RIGHT):
        return "lost" if before.outcome in RIGHT else "gained"
    gain = (-invented, after.score - before.score)
    return "worse" if gain < (0, 0) else "better" if gain > (0, 0) else "changed"


def changed_inputs(before: Results, after: Results) -> tuple[str, ...]:
    """What else than the judged system changed between the runs: then a difference of scores is not the system's alone."""
    said = []
    if str(before.run.get("started_at", "")) > str(after.run.get("started_at", "")):
        said.append("order: the run that is named as the earlier one was judged later")
    if before.contract_version != after.contract_version:
        said.append(f"contract: version {before.contract_version} and {after.contract_version}")
    shared = (before.run.get("judge") or {}).get("rubrics", {}).keys() & (after.run.get("judge") or {}).get("rubrics", {}).keys()
    a, b = (_setup(results.run, shared) for results in (before, after))
    said += [f"{name}: {_difference(a[name], b[name])}" for name in a if a[name] != b[name]]
    first, second = ({i.key: i.exception for i in r.items if i.exception} for r in (before, after))
    if first != second:
        said.append(f"accepted deviations: {len(first)} and {len(second)}")
    mine, theirs = ({i.key: corrected for i in r.items if (corrected := _correction(i))} for r in (before, after))
    if mine != theirs:
        said.append(f"verdicts that people corrected: {len(mine)} and {len(theirs)}")
    return tuple(said)


def _setup(run: Mapping[str, Any], rubrics: Container[str]) -> dict[str, object]:
    """rubrics: those that both runs asked; one that only one of them needed is no other judge."""
    gold, judge = (run.get("inputs") or {}).get("gold_sha256"), run.get("judge")
    if judge:
        only = judge["models"][0] if len(judge.get("models") or ()) == 1 else {}  # named by its parts: model, endpoint
        asked = {name: how for name, how in judge.get("rubrics", {}).items() if name in rubrics}
        judge = {**judge, **only, "models": len(judge.get("models") or ()), "rubrics": asked}
    return {"contract": run.get("contract_hash"), "judge": judge, "gold": gold, "documents": run.get("documents")}


def _difference(before: object, after: object) -> str:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = sorted(str(k) for k in before.keys() | after.keys() if before.get(k) != after.get(k))
        return f"{', '.join(keys[:5])} {'differs' if len(keys) == 1 else 'differ'}" + (f" ({len(keys)} in all)" if len(keys) > 5 else "")
    shown = 12 if {len(str(before)), len(str(after))} == {64} else 60  # a hash is known by its beginning
    return f"{str(before)[:shown]} and {str(after)[:shown]}"


KINDS = ("output", "citation", "gold", "outcome", "decided by", "correction", "only before", "only after")


@dataclass(frozen=True, slots=True)
class Side:
    """What one run says of an item. who: the person or model that decided it, "" for a rule; correction: what people say instead."""

    reported: str
    cited: str
    gold: str
    outcome: str
    decided_by: str
    who: str
    correction: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """An item that differs; what: some of KINDS; a side is None where that run lacks the item."""

    case_id: str
    item: str
    tranche: str | None
    what: tuple[str, ...]
    kind: Direction
    before: Side | None
    after: Side | None

    @property
    def key(self) -> Key:
        """Case, item, tranche."""
        return self.case_id, self.item, self.tranche

    @property
    def is_invention(self) -> bool:
        """Now a hallucination, and not before."""
        return self.kind != "" and self.after is not None and self.after.outcome == "hallucination"

    @property
    def rank(self) -> int:
        """Worst first: what is invented now, then by kind."""
        return -1 if self.is_invention else get_args(Direction).index(self.kind)


def changes_between(before: Mapping[Key, Item], after: Mapping[Key, Item]) -> tuple[Change, ...]:
    """Every item that differs, in the later run's order, then those that it lacks."""
    pairs = ((key, before.get(key), after.get(key)) for key in dict.fromkeys([*after, *before]))
    sides = ((key, _kind(a, b), _side_of(a), _side_of(b)) for key, a, b in pairs)
    return tuple(Change(*key, tuple(_what(a, b)), kind, a, b) for key, kind, a, b in sides if a != b)


def _side_of(item: Item | None) -> Side | None:
    """What a run says of an item."""
    if item is None:
        return None
    cited = "\n".join(f"{cited.claim.place}: {cited.claim.quote}" for cited in item.citations if any(cited.claim))
    who = item.who or (item.judge.model if item.judge is not None and item.decided_by in ("llm", "panel") else "")
    return Side(item.reported, cited, item.gold, str(item.outcome), item.decided_by, who, _correction(item))


def _correction(item: Item) -> str:
    """The label that people say is right, who proposed it and who confirmed it."""
    return "" if (said := item.correction) is None else f"{said.label} ({', '.join(filter(None, (said.who, said.second)))})"


def _what(before: Side | None, after: Side | None) -> Iterator[str]:
    if before is None or after is None:
        yield "only after" if before is None else "only before"
        return
    pairs = {
        "output": (before.reported, after.reported),
        "citation": (before.cited, after.cited),
        "gold": (before.gold, after.gold),
        "outcome": (before.outcome, after.outcome),
        "decided by": ((before.decided_by, before.who), (after.decided_by, after.who)),
        "correction": (before.correction, after.correction),
    }
    yield from (name for name, (a, b) in pairs.items() if a != b)


def counted_kinds(changes: Iterable[Change]) -> dict[str, int]:
    """How many items changed in which respect."""
    counts = Counter(what for change in changes for what in change.what)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}
