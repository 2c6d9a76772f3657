"""Benchmark validation: the terms of a deal held against the market's standard form (standard 3).
Its formats (docs/contract/formats.md) and its record."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import StrictBool, StrictFloat, StrictInt

from judge.capabilities import Capability, Group, Scored, late, late_parts, nothing
from judge.capabilities.cases import MANY, Cited, Confidence, NoInput, Strict, Text

FindingKind = Literal["deviation", "conforming", "not_comparable"]


class BenchmarkFinding(Cited):
    """One compared term, as reported."""

    term: Text
    finding: FindingKind
    deal_value: Text | None = None
    benchmark_value: Text | None = None
    gap: Text | None = None
    benchmark_reference: Text | None = None
    disclosure: Text | None = None
    confidence: Confidence | None = None


class BenchmarkRange(Strict):
    """A benchmark that is a range, with the conditions under which it holds. low and high in `unit`, ends included."""

    low: StrictInt | StrictFloat
    high: StrictInt | StrictFloat
    unit: Text = "bps"
    rating: Text | None = None
    region: Text | None = None
    tenor: Text | None = None


class BenchmarkFindingGold(BenchmarkFinding):
    """One compared term, as it is; aliases: other names of the term."""

    accepted_references: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()
    benchmark_range: BenchmarkRange | None = None


class BenchmarkOutput(Strict):
    """Output of benchmark validation."""

    jurisdiction: Text | None = None
    market: Text | None = None
    benchmark: Text | None = None
    jurisdiction_ambiguous: StrictBool = False
    findings: Annotated[tuple[BenchmarkFinding, ...], MANY] = ()


class BenchmarkGold(Strict):
    """Gold of benchmark validation."""

    benchmark: Text | None = None
    jurisdiction: Text | None = None
    market: Text | None = None
    jurisdiction_ambiguous: StrictBool = False
    findings: Annotated[tuple[BenchmarkFindingGold, ...], MANY] = ()


def item_names(gold: BenchmarkGold) -> Iterator[str]:
    """The terms of gold."""
    yield from (finding.term for finding in gold.findings)


CAPABILITY = Capability(
    name="benchmark_validation",
    title="Benchmark validation",
    input=NoInput,
    output=BenchmarkOutput,
    gold=BenchmarkGold,
    groups={"findings": Group("benchmark finding")},
    gates=frozenset(),
    rules=None,
    gold_gaps=nothing,
    scored=Scored(scope="finding", prefixes=("findings",), names=item_names, composite=None, item_score=None, titles={}),
    gold_doubts=late("judge.capabilities.benchmark.gold", "gold_doubts"),
    **late_parts("judge.capabilities.benchmark"),
)
