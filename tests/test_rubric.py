"""Rubrics: what ships is the interface's table, and a wrong file or question fails before anything is asked."""

from pathlib import Path

import pytest

from rubrics.rubric import SHIPPED, RubricFileError, RubricVariableError, parse_rubric, read_rubrics, shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE
from tests.tables import table, text

SMALL = text("rubric", "small")


def test_missing_unknown_and_doubled_variables_are_named() -> None:
    rubric = shipped_rubric("benchmark_reference")
    rubric.check(["gold_reference", "term", "reported_reference"])
    with pytest.raises(RubricVariableError, match="missing: gold_reference; unknown: gold"):
        rubric.check(["term", "reported_reference", "gold"])
    with pytest.raises(RubricVariableError, match="twice"):
        rubric.check(["gold_reference", "term", "reported_reference", "term"])


@pytest.mark.parametrize(("change", "told"), table("rubric", "a_wrong_file_is_refused_by_name_and_key", tuples=True))
def test_a_wrong_file_is_refused_by_name_and_key(change: tuple[str, str], told: str) -> None:
    with pytest.raises(RubricFileError, match=r"small\.toml") as caught:
        parse_rubric(SMALL.replace(*change), "small.toml")
    assert told in str(caught.value)


def test_a_user_adds_and_overrides_by_path(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "ripeness.toml").write_text(SMALL)
    shipped = (Path(__file__).parent.parent / "rubrics" / "uncertainty.toml").read_text()
    (own / "uncertainty.toml").write_text(shipped.replace("version = 3", "version = 7"))
    found = read_rubrics([own])
    assert set(found) == {"ripeness", "uncertainty"} and found["uncertainty"].version == 7


def test_an_override_with_other_verdicts_or_variables_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SMALL.replace("ripeness", "uncertainty"))
    with pytest.raises(RubricFileError, match=r"mine\.toml: choices"):
        read_rubrics([file])
    with pytest.raises(RubricFileError, match="cannot be read"):
        read_rubrics([tmp_path / "none.toml"])


def test_the_hash_follows_the_content() -> None:
    assert parse_rubric(SMALL, "a").hash == parse_rubric(SMALL, "b").hash != parse_rubric(SMALL.replace("ripe?", "red?"), "a").hash


# cases that several rubrics meet, and what each says of them: (rubric, relation, verdict)
RULED = table("rubric", "ruled")


@pytest.mark.parametrize(("rubric_id", "case", "verdict"), RULED)
def test_every_case_that_readers_met_is_ruled_by_name(rubric_id: str, case: str, verdict: str) -> None:
    assert shipped_rubric(rubric_id).relations[case].verdict == verdict


@pytest.mark.parametrize(
    "rubric_id", ["semantic_match", "quote_support", "answer_correctness", "answer_scope", "uncertainty", "list_coverage"]
)
def test_an_example_shows_a_cut_passage_as_it_is_sent(rubric_id: str) -> None:
    texts = "".join(text for example in shipped_rubric(rubric_id).examples for text in example.given.values())
    assert "characters left out ...]" in texts


@pytest.mark.parametrize("rubric_id", SHIPPED)
def test_not_to_be_told_is_never_a_finding_about_the_content(rubric_id: str) -> None:
    said = shipped_rubric(rubric_id).choices[CANNOT_DETERMINE]
    assert "neither" not in said and "no usual" not in said
