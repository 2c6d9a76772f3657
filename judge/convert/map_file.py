"""The map file (TOML): where in an export each key of batch or gold stands. Unknown keys are errors that name the nearest one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError

from judge.capabilities.cases import Strict
from judge.capabilities.registry import checked_name
from judge.errors import InputError, Problem
from judge.inputs.problems import problems_of
from rubrics.named_file import read_settings


class Missing(Strict):
    """What a source writes where there is no value.

    absent: words for "not in the document"; error: words for "nothing was extracted", which leave the key out; null: which of the two an
    empty cell, a JSON null or a key that is not there means.
    """

    absent: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    null: Literal["absent", "error"] = "error"


class CitationMap(Strict):
    """Where a citation stands. page_offset is added to the page: 1 where pages are counted from 0."""

    document: str | None = None
    page: str | None = None
    page_offset: int = 0
    section: str | None = None
    quote: str | None = None


class ValueMap(CitationMap):
    """Where one value stands, and its citation. Names are column titles, or dotted paths in JSON.

    amount and currency in place of value make a money object; split parts a cell into a list. confidence_scale: what counts as certain (100
    for percent). No unit is ever added: a bare number is judged as one. list and label: see TrancheMap.
    """

    value: str | None = None
    amount: str | None = None
    currency: str | None = None
    split: str | None = None
    status: str | None = None
    original_value: str | None = None
    new_value: str | None = None
    effective_date: str | None = None
    confidence: str | None = None
    confidence_scale: Annotated[float, Field(gt=0)] = 1
    hitl: str | None = None
    list: str | None = None
    label: str | None = None


class TrancheMap(Strict):
    """Tranches: in a sheet one a row, by the column `label`; in JSON the list or object `list`, each with `label` (`@key`: its key).

    A field may stand in a list of its own (`list` and `label` in its table); lists are paired by label.
    """

    list: str | None = None
    label: str
    fields: dict[str, ValueMap] = Field(default_factory=dict)


class ItemMap(CitationMap):
    """Covenants, findings, or the citations of an answer: in a sheet one a row, in JSON the list `list`. keys: key -> where it stands."""

    list: str | None = None
    keys: dict[str, str] = Field(default_factory=dict)


class CaseMap(Strict):
    """Where the cases are. list: path of the list of cases in JSON ("" is the file itself). document may be "=NAME": the same for all."""

    list: str = ""
    id: str
    document: str


class ExportMap(Strict):
    """A whole map file."""

    capability: Annotated[str, AfterValidator(checked_name)]
    source: str = ""
    case: CaseMap
    missing: Missing = Missing()
    ignore: tuple[str, ...] = ()
    input: dict[str, str] = Field(default_factory=dict)
    output: dict[str, str] = Field(default_factory=dict)
    citations: ItemMap | None = None
    fields: dict[str, ValueMap] = Field(default_factory=dict)
    tranches: TrancheMap | None = None
    items: ItemMap | None = None


def read_map(path: Path) -> ExportMap:
    """A map file. Raises InputError with every problem."""
    try:
        data: Any = tomllib.loads(read_settings(path))
        return ExportMap.model_validate(data)
    except ValidationError as error:
        raise InputError(problems_of(error, data, ExportMap, str(path), None)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError([Problem(str(path), None, "", f"cannot be read: {error}")]) from None
