"""A case's own scoring table: what of it is refused."""

from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs

from judge.errors import InputError
from judge.inputs.index import Sources, index_cases

RIGHT = {"id": "c1", "when": "all right", "score": "1.0", "scope": "case"}
NO_TENOR = {"id": "c2", "when": "no tenor", "score": "0.5", "scope": "field", "item": "tenor"}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path / "in")


def sources(inputs: Inputs) -> Sources:
    folder = inputs.write()
    return Sources(batch=folder.folder / "batch.jsonl", gold=folder.folder / "gold.jsonl", documents=folder.folder / "documents")


def refused(inputs: Inputs, rows: Any, at: int = 0) -> str:
    inputs.gold[at]["criteria"] = rows
    with pytest.raises(InputError) as caught:
        index_cases(sources(inputs))
    return "\n".join(str(problem) for problem in caught.value.problems)


def test_a_table_is_read_with_its_case(inputs: Inputs) -> None:
    inputs.gold[0]["criteria"] = [RIGHT, {**NO_TENOR, "rule": {"findings": ["NOT_REPORTED"]}}]
    index = index_cases(sources(inputs))
    rows = index.load(index.entries[0]).criteria
    assert [(row.id, str(row.score), row.item) for row in rows] == [("c1", "1", None), ("c2", "1/2", "tenor")]
    assert rows[1].rule is not None and rows[1].rule.keys == {"findings": ("NOT_REPORTED",)}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "criteria: holds no row"),
        ([RIGHT, {**NO_TENOR, "id": "c1"}], "2 rows have the id 'c1'"),
        ([{**RIGHT, "score": "1.5"}], "criteria[0].score"),
        ([{**RIGHT, "score": "half"}], 'must be a number from 0 to 1, as "0.75"'),
        ([NO_TENOR], "no row of scope case has the score 1.0"),
        ([RIGHT, {**NO_TENOR, "scope": "covenant", "item": None}], "a case of loan_onboarding has no covenant: give case or field"),
        ([RIGHT, {**NO_TENOR, "item": "tenour"}], "gold has no field 'tenour'; did you mean 'tenor'?"),
        ([RIGHT, {**NO_TENOR, "rule": {"cite": ["Clause 2.1"]}}], "unknown key 'cite'; did you mean 'cites'?"),
        ([RIGHT, {**NO_TENOR, "rule": {"figure": ["same"]}}], "unknown value 'same'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(inputs: Inputs, rows: Any, said: str) -> None:
    assert said in refused(inputs, rows)


def test_a_question_has_rows_for_the_case_only(inputs: Inputs) -> None:
    assert "a case of document_qa has no field: give case" in refused(inputs, [RIGHT, {**NO_TENOR, "item": None}], at=1)
