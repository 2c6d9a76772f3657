"""Benchmark validation: the terms of a deal held against the market's standard form (standard 3)."""

from judge.capabilities import NOWHERE, Capability, CaseFormat, Group, Scored, late, nothing
from judge.capabilities.benchmark.schema import BenchmarkGold, BenchmarkOutput, item_names
from judge.capabilities.cases import NoInput
from judge.records import Outcome

_CASE = "judge.capabilities.benchmark.case_file"
_GOLD = "judge.capabilities.benchmark.gold"

CAPABILITY = Capability(
    name="benchmark_validation",
    title="Benchmark validation",
    input=NoInput,
    output=BenchmarkOutput,
    gold=BenchmarkGold,
    labels={
        Outcome.CORRECT: "a deviation with deal value, benchmark value, gap and the right reference (standard 3.1)",
        Outcome.TRUE_NEGATIVE: "no deviation, confirmed with a benchmark reference that agrees (standard 3.1)",
        Outcome.PARTIAL: "right, but the citation is imprecise (standard 5.2)",
        Outcome.FAIL: "missed, wrong benchmark, a false deviation, or a gap off by more than 20 bps (standard 3.1)",
        Outcome.HALLUCINATION: NOWHERE,
    },
    groups={"findings": Group("benchmark finding")},
    gates=frozenset(),
    rules=None,
    judge=late("judge.capabilities.benchmark.items", "judge"),
    gold_gaps=nothing,
    gold_faults=late(_GOLD, "gold_faults"),
    gold_tasks=late(_GOLD, "gold_tasks"),
    gold_of=late(_GOLD, "gold_of"),
    check_answer=late(_GOLD, "check_answer"),
    case_file=CaseFormat(late(_CASE, "read"), late(_CASE, "output_of")),
    scored=Scored(
        scope="finding",
        prefixes=("findings",),
        names=item_names,
        composite=None,
        item_score=None,
        titles={},
    ),
)
