"""Rubrics by id, as forms ready to be filled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from judge.errors import ContractError
from judge.llm.prompt import Form
from rubrics.rubric import Rubric, RubricFileError, read_rubrics, shipped_rubric


class Forms:
    """A user's own rubrics (read at once, so that a mistake in them costs nothing) before the shipped ones (read when asked for)."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Raises ContractError for a file that is wrong."""
        try:
            self._own: dict[str, Rubric] = read_rubrics(paths)
        except RubricFileError as error:
            raise ContractError(str(error)) from error
        self.used: dict[str, Form] = {}

    def __getitem__(self, rubric_id: str) -> Form:
        """The form of a rubric. Raises ContractError when there is none of this id."""
        if (form := self.used.get(rubric_id)) is None:
            try:
                rubric = self._own.get(rubric_id) or shipped_rubric(rubric_id)
            except RubricFileError as error:
                raise ContractError(str(error)) from error
            form = self.used[rubric_id] = Form.of(rubric)
        return form
