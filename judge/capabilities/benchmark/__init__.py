"""Benchmark validation: the terms of a deal held against the market's standard form (standard 3)."""

from judge.capabilities import Capability, Group, late, nothing
from judge.capabilities.benchmark.schema import BenchmarkGold, BenchmarkOutput
from judge.cases import NoInput
from judge.records import Outcome

_GOLD = "judge.capabilities.benchmark.gold"

CAPABILITY = Capability(
    name="benchmark_validation",
    title="Benchmark terms",
    input=NoInput,
    output=BenchmarkOutput,
    gold=BenchmarkGold,
    labels=(Outcome.CORRECT, Outcome.TRUE_NEGATIVE, Outcome.PARTIAL, Outcome.FAIL, Outcome.HALLUCINATION),
    groups={"findings": Group("benchmark finding")},
    gates=frozenset(),
    rules=None,
    judge=late("judge.capabilities.benchmark.items", "judge"),
    gold_gaps=nothing,
    gold_faults=late(_GOLD, "gold_faults"),
    gold_tasks=late(_GOLD, "gold_tasks"),
    gold_of=late(_GOLD, "gold_of"),
    check_answer=late(_GOLD, "check_answer"),
)
