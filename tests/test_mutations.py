"""A seeded slice of the mutation table on the shipped sample: planted faults get their label, other notation loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from benchmarks.equivalents import VARIANTS
from benchmarks.equivalents_natural import NATURAL_VARIANTS
from benchmarks.mutation_bases import Base, sample_base
from benchmarks.mutation_fields import FIELD_KINDS
from benchmarks.mutation_judge import ScriptedJudge
from benchmarks.mutation_natural_fields import NATURAL_FIELD_KINDS
from benchmarks.mutation_natural_quotes import NATURAL_QUOTE_KINDS
from benchmarks.mutation_natural_terms import NATURAL_TERM_KINDS
from benchmarks.mutation_quotes import QUOTE_KINDS, Plant
from benchmarks.mutation_terms import ANSWER_KINDS, BENCHMARK_KINDS, COVENANT_KINDS
from benchmarks.mutation_word import WORD_KINDS, WORD_VARIANTS, word_base
from benchmarks.mutations import Tally, plant_all, table
from judge.records import Outcome

GROUPS: Mapping[str, tuple[Mapping[str, Plant], int]] = {
    "citations": (QUOTE_KINDS, 2),
    "fields": (FIELD_KINDS, 2),
    "covenants": (COVENANT_KINDS, 3),
    "benchmark terms": (BENCHMARK_KINDS, 8),
    "answers": (ANSWER_KINDS, 8),
    "other notation": (VARIANTS, 5),
    "citations as real outputs have them": (NATURAL_QUOTE_KINDS, 1),
    "fields in natural notation": (NATURAL_FIELD_KINDS, 2),
    "terms and answers in natural notation": (NATURAL_TERM_KINDS, 2),
    "right outputs with words around them": (NATURAL_VARIANTS, 5),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    yield sample_base(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def judge(base: Base) -> ScriptedJudge:
    return ScriptedJudge(base)


def test_right_outputs_are_judged_right(judge: ScriptedJudge) -> None:
    full = {Outcome.CORRECT, Outcome.TRUE_NEGATIVE, Outcome.GROUNDED_REFUSAL}
    assert {r.outcome for results in judge.right.values() for r in results.values()} == full


@pytest.mark.parametrize("group", GROUPS)
def test_each_planted_fault_gets_its_label(base: Base, judge: ScriptedJudge, group: str) -> None:
    """Exactly the label that the standard gives it, with a scripted judge; offline the same, or bounds that hold its score."""
    plants, most = GROUPS[group]
    tally = Tally()
    for mutant in plant_all(base, plants, most, seed=7):
        tally.add(mutant, judge.judge(mutant))
    assert tally.misses == []
    assert tally.made >= len(plants) / 2  # not every kind has its words in the sample
    assert (tally.right, tally.untouched, tally.decided_right + tally.bounded) == (tally.made,) * 3


def test_a_word_file_is_judged_as_its_own_text(tmp_path: Path) -> None:
    """Deleted words are no support, no page is asked for, and the faults of citations get their labels."""
    base = word_base(tmp_path)
    judge, tally = ScriptedJudge(base), Tally()
    kinds = {**WORD_KINDS, **WORD_VARIANTS, **{k: QUOTE_KINDS[k] for k in ("section nonexistent", "quote: digit altered", "quote missing")}}
    for mutant in plant_all(base, kinds, 4, seed=7):
        tally.add(mutant, judge.judge(mutant))
    assert (tally.misses, tally.made, tally.decided) == ([], 20, 20)


def test_same_seed_gives_the_same_mutants(base: Base) -> None:
    plants = {"quote: digit altered": QUOTE_KINDS["quote: digit altered"]}
    first, second = (list(plant_all(base, plants, 5, seed=3)) for _ in range(2))
    assert first == second
    assert len(first) == 5


def test_a_miss_is_shown(base: Base, judge: ScriptedJudge) -> None:
    """A label that the program does not give lowers the share and is listed."""
    from dataclasses import replace

    mutant = next(plant_all(base, {"page missing": QUOTE_KINDS["page missing"]}, 1, seed=1))
    tally = Tally()
    tally.add(replace(mutant, expected="correct"), judge.judge(mutant))
    assert (tally.made, tally.right) == (1, 0)
    assert mutant.item in tally.misses[0]
    assert table({"page missing": {"sample": tally}})[2] == "| page missing | 1 | 0 | 0 | 1 | 0 |"


def test_data_files_name_sources_that_are_not_copied() -> None:
    data = Path(__file__).parent.parent / "benchmarks" / "data"
    assert len(list(data.glob("mutation_*.json"))) >= 3
    assert not list(data.glob("*.pdf"))
