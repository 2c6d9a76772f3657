"""The map file (TOML): where in an export each key of batch or gold stands. Unknown keys are errors that name the nearest one."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from judge.capabilities.cases import Strict
from judge.capabilities.registry import checked_name
from judge.errors import InputError, Problem
from judge.inputs.problems import problems_of
from rubrics.named_file import read_settings

Paths = list[str]
Map = TypeVar("Map", bound=BaseModel)


class Missing(Strict):
    """What a source writes where there is no value.
    absent: words for "not in the document"; error: words for "nothing was extracted", which leave the key out; null: which of the two an
    empty cell, a JSON null or a key that is not there means."""

    absent: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    null: Literal["absent", "error"] = "error"


class _Places(Strict):
    """Anything whose `_named` keys hold places in the export (paths.py); keys of texts under `_named_below`."""

    _named: ClassVar[tuple[str, ...]] = ()
    _below: ClassVar[tuple[str, ...]] = ()

    @property
    def paths(self) -> Paths:
        """Every place that it names, lists of JSON left out."""
        own = [path for name in self._named if (path := getattr(self, name)) is not None]
        return own + [path for name in self._below for path in getattr(self, name).values()]


class CitationMap(_Places):
    """Where a citation stands. page_offset is added to the page: 1 where pages are counted from 0. confidence_scale: what counts as
    certain (100 for percent). metadata: what is carried along and read by no judgement."""

    document: str | None = None
    page: str | None = None
    page_offset: int = 0
    section: str | None = None
    quote: str | None = None
    confidence: str | None = None
    confidence_scale: Annotated[float, Field(gt=0)] = 1
    metadata: dict[str, str] = Field(default_factory=dict)

    _named: ClassVar[tuple[str, ...]] = ("document", "page", "section", "quote", "confidence")
    _below: ClassVar[tuple[str, ...]] = ("metadata",)


LevelKeys = dict[Literal["level", "from", "to", "value", "comparator"], str]


class ValueMap(CitationMap):
    """Where one value stands, and its citation: names are column titles, or paths in JSON.
    amount and currency in place of value make a money object; split parts a cell into a list; unit is written behind a bare number, where
    the source has it in a name or a heading; levels: where the keys of each level of a list stand. list and label: see TrancheMap."""

    value: str | None = None
    amount: str | None = None
    currency: str | None = None
    split: str | None = None
    unit: str | None = None
    levels: LevelKeys = Field(default_factory=dict)
    status: str | None = None
    original_value: str | None = None
    new_value: str | None = None
    effective_date: str | None = None
    hitl: str | None = None
    list: str | None = None
    label: str | None = None

    _named: ClassVar[tuple[str, ...]] = (
        *CitationMap._named,
        *("value", "amount", "currency", "status", "original_value", "new_value", "effective_date", "hitl", "label"),
    )


class TrancheMap(Strict):
    """Tranches: in a sheet one a row, by the column `label`; in JSON the list or object `list`, each with `label` (`@key`: its key). A
    field may stand in a list of its own (`list` and `label` in its table); lists are paired by label."""

    list: str | None = None
    label: str
    fields: dict[str, ValueMap] = Field(default_factory=dict)


class ItemMap(CitationMap):
    """Covenants, findings, their flags, or the citations of an answer: in a sheet one a row, in JSON the list `list`.
    keys: key -> where it stands; "threshold.value" and "threshold.comparator" make an object. units: key -> unit behind a bare number;
    levels: key -> where the keys of each level of a list stand; flags: those of a covenant, within it."""

    list: str | None = None
    keys: dict[str, str] = Field(default_factory=dict)
    units: dict[str, str] = Field(default_factory=dict)
    levels: dict[str, LevelKeys] = Field(default_factory=dict)
    flags: "tuple[ItemMap, ...]" = ()

    _below: ClassVar[tuple[str, ...]] = ("metadata", "keys")

    @property
    def paths(self) -> Paths:
        """With those of its flags."""
        return super().paths + [path for flag in self.flags for path in flag.paths]


class CaseMap(_Places):
    """Where the cases are. list: path of the list of cases in JSON ("" is the file itself); sheet: name of the sheet, where several fit.
    document: a name, or a list of names in JSON."""

    list: str = ""
    sheet: str = ""
    id: str
    document: str

    _named: ClassVar[tuple[str, ...]] = ("id", "document")


Status = Literal["extracted", "absent", "amended", "unchanged", "illegible", "missing"]


class ExportMap(_Places):
    """A whole map file. status: the source's own words -> those of the batch; optional: places that need not be in every export."""

    capability: Annotated[str, AfterValidator(checked_name)]
    source: str = ""
    case: CaseMap
    missing: Missing = Missing()
    status: dict[str, Status] = Field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    input: dict[str, str] = Field(default_factory=dict)
    output: dict[str, str] = Field(default_factory=dict)
    metadata: dict[str, str] = Field(default_factory=dict)
    citations: ItemMap | None = None
    fields: dict[str, ValueMap] = Field(default_factory=dict)
    tranches: TrancheMap | None = None
    items: ItemMap | None = None
    flags: tuple[ItemMap, ...] = ()

    _below: ClassVar[tuple[str, ...]] = ("input", "output", "metadata")

    @property
    def case_paths(self) -> tuple[str, ...]:
        """The places that say something of a whole case."""
        parts = (self.case, *self.fields.values())
        return tuple(dict.fromkeys([path for part in parts for path in part.paths] + super().paths))

    @property
    def paths(self) -> Paths:
        """Every place that is named."""
        tranches = [self.tranches.label, *(p for field in self.tranches.fields.values() for p in field.paths)] if self.tranches else []
        items = [path for part in (self.items, self.citations, *self.flags) if part for path in part.paths]
        return list(dict.fromkeys([*self.case_paths, *tranches, *items]))


def read_map(path: Path) -> ExportMap:
    """A map file. Raises InputError with every problem."""
    return read_toml(path, ExportMap)


def read_toml(path: Path | None, model: type[Map], more: Mapping[str, Any] | None = None) -> Map:
    """A map of any kind, with what the command line adds to the file. Raises InputError with every problem."""
    data: dict[str, Any] = {}
    try:
        data = {**(tomllib.loads(read_settings(path)) if path else {}), **(more or {})}
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError(problems_of(error, data, model, str(path or "command line"), None)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError([Problem(str(path), None, "", f"cannot be read: {error}")]) from None
