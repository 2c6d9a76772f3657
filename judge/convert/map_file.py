"""The map file (TOML): where in an export each key of batch or gold stands. Unknown keys are errors that name the nearest one."""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator

from judge.capabilities.cases import Strict
from judge.capabilities.registry import capability_of, checked_name
from judge.errors import InputError, Problem, did_you_mean
from judge.inputs.problems import problems_of
from rubrics.named_file import read_settings

Paths = list[str]
Map = TypeVar("Map", bound=BaseModel)
LINES_LOOKED_AT = 1000  # for the place of a problem: each is read with all above it


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

    _beside: ClassVar[dict[str, str]] = {}
    """Key -> the one without which it would do nothing."""

    @model_validator(mode="after")
    def _nothing_idle(self) -> Self:
        given = self.model_fields_set
        if idle := [f"`{key}` needs `{other}`" for key, other in self._beside.items() if key in given and not getattr(self, other, None)]:
            raise ValueError(f"{', '.join(idle)} beside it: alone it says nothing")
        return self

    @property
    def own(self) -> Paths:
        """Every place that it names itself, lists of JSON left out."""
        own = [path for name in self._named if (path := getattr(self, name)) is not None]
        return own + [path for name in self._below for path in getattr(self, name).values()]

    @property
    def paths(self) -> Paths:
        """With those of the tables within it."""
        return [path for _, one in _tables(self) if isinstance(one, _Places) for path in one.own]


class CitationMap(_Places):
    """Where a citation stands. page_offset is added to the page: 1 where pages are counted from 0. metadata: what is carried along and read
    by no judgement."""

    document: str | None = None
    page: str | None = None
    page_offset: int = 0
    section: str | None = None
    quote: str | None = None
    metadata: dict[str, str] = Field(default_factory=dict)

    _named: ClassVar[tuple[str, ...]] = ("document", "page", "section", "quote")
    _below: ClassVar[tuple[str, ...]] = ("metadata",)
    _beside: ClassVar[dict[str, str]] = {"page_offset": "page"}


class Citations(CitationMap):
    """The citations of an answer (in a sheet one a row), a field or an item, which in JSON are the list `list`."""

    list: str | None = None


class Cited(CitationMap):
    """What has one citation, or under `citations` a list of them."""

    citations: Citations | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.citations and (own := [key for key in CitationMap._named if getattr(self, key) is not None]):
            raise ValueError(f"names `{own[0]}` for one citation and `citations` for a list of them: give one of both")
        return self


Scale = Annotated[float, Field(gt=0)]
LevelKeys = dict[Literal["level", "from", "to", "value", "comparator"], str]


class ValueMap(Cited):
    """Where one value stands, and its citation: names are column titles, or paths in JSON.
    amount and currency in place of value make a money object; split parts a cell into a list; unit is written behind a bare number, where
    the source has it in a name or a heading; levels: where the keys of each level of a list stand. derived: gold's own, a place or said
    here. confidence_scale: what counts as certain (100 for percent)."""

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
    derived: StrictBool | str | None = None
    confidence: str | None = None
    confidence_scale: Scale = 1

    _named: ClassVar[tuple[str, ...]] = (
        *CitationMap._named,
        *("value", "amount", "currency", "status", "original_value", "new_value", "effective_date", "hitl", "confidence"),
    )
    _beside: ClassVar[dict[str, str]] = {
        **CitationMap._beside, "currency": "amount", "split": "value", "unit": "value", "levels": "value", "original_value": "status",
        "new_value": "status", "effective_date": "status", "confidence_scale": "confidence",
    }  # fmt: skip

    @model_validator(mode="after")
    def _one_value(self) -> Self:
        if self.value is not None and self.amount is not None:
            raise ValueError("give `value`, or `amount` (with `currency`): one of them would be ignored")
        return self

    @property
    def own(self) -> Paths:
        """With the places of what can also be said in the map itself."""
        return super().own + [path for key in ("derived", "shared", "scope") if isinstance(path := getattr(self, key, None), str)]


class DealField(ValueMap):
    """A field of the whole deal. shared: it is of all tranches; scope: the tranches that it is of, by label. A place in the export, or said
    here for all cases."""

    shared: StrictBool | str | None = None
    scope: str | tuple[str, ...] | None = None


class TrancheField(ValueMap):
    """A field of a tranche. list and label: see TrancheMap."""

    list: str | None = None
    label: str | None = None

    _named: ClassVar[tuple[str, ...]] = (*ValueMap._named, "label")
    _beside: ClassVar[dict[str, str]] = {**ValueMap._beside, "label": "list"}


class TrancheMap(_Places):
    """Tranches: in a sheet one a row, by the column `label`; in JSON the list or object `list`, each with `label` (`@key`: its key). A
    field may stand in a list of its own (`list` and `label` in its table); lists are paired by label."""

    list: str | None = None
    label: str
    fields: dict[str, TrancheField] = Field(default_factory=dict)

    _named: ClassVar[tuple[str, ...]] = ("label",)


class ItemMap(Cited):
    """Covenants, findings or their flags: in a sheet one a row, in JSON the list `list`.
    keys: key -> where it stands; "threshold.value" and "threshold.comparator" make an object. units: key -> unit behind a bare number;
    levels: key -> where the keys of each level of a list stand; flags: those of a covenant, within it."""

    list: str | None = None
    keys: dict[str, str] = Field(default_factory=dict)
    units: dict[str, str] = Field(default_factory=dict)
    levels: dict[str, LevelKeys] = Field(default_factory=dict)
    flags: "Flags" = ()
    confidence: str | None = None
    confidence_scale: Scale = 1

    _named: ClassVar[tuple[str, ...]] = (*CitationMap._named, "confidence")
    _below: ClassVar[tuple[str, ...]] = ("metadata", "keys")
    _beside: ClassVar[dict[str, str]] = {**CitationMap._beside, "confidence_scale": "confidence"}

    @model_validator(mode="before")
    @classmethod
    def _handed_down(cls, data: Any) -> Any:
        """How an item's pages are counted holds for its flags too, where these say nothing else."""
        flags = data.get("flags") if isinstance(data, dict) and "page_offset" in data else None
        if isinstance(flags, list):
            own = {"page_offset": data["page_offset"]}
            data = data | {"flags": [own | one if isinstance(one, dict) and "page" in one else one for one in flags]}
        return data

    @model_validator(mode="after")
    def _of_keys(self) -> Self:
        if strange := [key for key in (*self.units, *self.levels) if key not in self.keys and f"{key}.value" not in self.keys]:
            raise ValueError(f"`units` and `levels` are of `keys`, which has no {strange[0]!r}{did_you_mean(strange[0], [*self.keys])}")
        return self

    @property
    def item_paths(self) -> Paths:
        """Those of the item without its flags."""
        return self.own + (self.citations.own if self.citations else [])

    def own_places(self, above: Collection[str]) -> Paths:
        """The places that say when a flag is there: no constants, and none that its covenant or case (`above`) names as well."""
        shared = {self.keys.get("covenant"), *(above if self.list is None else ())}
        return [path for path in self.own if not path.startswith("=") and path not in shared]  # entries of its lists are not the flag


Flags = tuple[ItemMap, ...]
ItemMap.model_rebuild()


class CaseMap(_Places):
    """Where the cases are. list: path of the list of cases in JSON ("" is the file itself); sheet: name of the sheet, where several fit.
    document: a name, or a list of names in JSON."""

    list: str = ""
    sheet: str = ""
    id: str
    document: str

    _named: ClassVar[tuple[str, ...]] = ("id", "document")


class OutputMap(_Places):
    """Where the keys of an output stand that are no field, item or citation; confidence_scale: what counts as certain in its confidence."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)
    confidence_scale: Scale = 1

    _beside: ClassVar[dict[str, str]] = {"confidence_scale": "confidence"}

    @property
    def places(self) -> dict[str, str]:
        """Key -> place."""
        return self.__pydantic_extra__


_SAID = ("hitl", "confidence", "derived", "shared", "scope")  # keys beside a value that have words of their own
Status = Literal["extracted", "absent", "amended", "unchanged", "illegible", "missing"]


class ExportMap(_Places):
    """A whole map file. status: the source's own words -> those of the batch; words: the same for any other key, by its name;
    optional: places that need not be in every export."""

    capability: Annotated[str, AfterValidator(checked_name)]
    source: str = ""
    case: CaseMap
    missing: Missing = Missing()
    status: dict[str, Status] = Field(default_factory=dict)
    words: dict[str, dict[str, str]] = Field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    input: dict[str, str] = Field(default_factory=dict)
    output: OutputMap = OutputMap()
    metadata: dict[str, str] = Field(default_factory=dict)
    citations: Citations | None = None
    fields: dict[str, DealField] = Field(default_factory=dict)
    tranches: TrancheMap | None = None
    items: ItemMap | None = None
    flags: Flags = ()

    _below: ClassVar[tuple[str, ...]] = ("input", "metadata")

    @model_validator(mode="after")
    def _nothing_unused(self) -> Self:
        places = self.paths
        if strange := [place for place in self.optional if place not in places]:
            raise ValueError(f"`optional` names {strange[0]!r}, which is no place of this map{did_you_mean(strange[0], places)}")
        if self.status and not any(isinstance(one, ValueMap) and one.status for _, one in _tables(self)):
            raise ValueError("`[status]` has words, but no field says where its `status` stands")
        if strange := [key for key in self.words if key not in (keys := self.worded)]:
            raise ValueError(f"`[words.{strange[0]}]` is of no key that this map places{did_you_mean(strange[0], keys)}")
        one = capability_of(self.capability)
        known = {*one.output.model_fields, *one.gold.model_fields, *["items"] * bool(one.groups)}
        tables = [name for name in ("fields", "tranches", "items", "flags", "citations") if getattr(self, name)]
        if strange := [name for name in (*tables, *(key.partition(".")[0] for key in self.output.places)) if name not in known]:
            raise ValueError(f"{self.capability} has no {strange[0]!r}{did_you_mean(strange[0], [*known])}")
        of_items = [flag.own_places(self.items.item_paths) for flag in self.items.flags] if self.items else []
        if not all([*of_items, *(flag.own_places(self.case_paths) for flag in self.flags)]):
            raise ValueError(
                "a flag needs a place of its own that says when it is there: no constant, and none that its covenant names too"
            )
        return self

    @property
    def worded(self) -> Paths:
        """The keys whose words `words` can give: of `a.b` it is b."""
        found = [*self.output.places]
        for _, one in _tables(self):
            found += [key for key in _SAID if isinstance(getattr(one, key, None), str)]
            found += [*one.keys, *(key for keys in one.levels.values() for key in keys)] if isinstance(one, ItemMap) else ()
            found += one.levels if isinstance(one, ValueMap) else ()
        return [key.rpartition(".")[2] for key in found]

    @property
    def counted_otherwise(self) -> list[str]:
        """What is to be told of pages that are counted in another way than others of the map."""
        found: dict[int, list[str]] = {}
        for name, one in _tables(self):
            if isinstance(one, CitationMap) and one.page:
                found.setdefault(one.page_offset, []).append(name)
        return ["page_offset is " + ", ".join(f"{by} for {' and '.join(names)}" for by, names in found.items())] if len(found) > 1 else []

    @property
    def lists(self) -> Paths:
        """Every list of JSON that it names."""
        return [path for _, table in _tables(self) if (path := getattr(table, "list", ""))]

    @property
    def case_paths(self) -> tuple[str, ...]:
        """The places that say something of a whole case."""
        parts = (self.case, *self.fields.values())
        return tuple(dict.fromkeys([path for part in parts for path in part.paths] + [*self.own, *self.output.places.values()]))

    @property
    def paths(self) -> Paths:
        """Every place that is named."""
        return list(dict.fromkeys([*self.case_paths, *super().paths]))


def _tables(table: Any, name: str = "") -> Iterator[tuple[str, BaseModel]]:
    """Every table of a map with its name, an outer one before those within it."""
    if isinstance(table, BaseModel):
        yield name, table
    within = vars(table) if isinstance(table, BaseModel) else dict(enumerate(table)) if isinstance(table, tuple) else table
    for key, one in within.items() if isinstance(within, dict) else ():
        yield from _tables(one, f"{name}.{key}".strip("."))


def read_map(path: Path) -> ExportMap:
    """A map file. Raises InputError with every problem."""
    return read_toml(path, ExportMap)


def read_toml(path: Path | None, model: type[Map], more: Mapping[str, Any] | None = None) -> Map:
    """A map of any kind, with what the command line adds to the file. Raises InputError with every problem."""
    data, text = dict[str, Any](), ""
    try:
        text = read_settings(path) if path else ""
        data = {**tomllib.loads(text), **(more or {})}
        return model.model_validate(data)
    except ValidationError as error:
        found = problems_of(error, data, model, str(path or "command line"), None)
        line_of = _lines_of(text)
        raise InputError([replace(one, line=line_of(one.path)) for one in found]) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError([Problem(str(path), None, "", f"cannot be read: {error}")]) from None


def _lines_of(text: str) -> Callable[[str], int | None]:
    """Tells on which line of a map file a path, or the deepest of what it lies in, is given: the first one up to which the file has it."""
    lines = text.splitlines()[:LINES_LOOKED_AT]
    known: dict[int, Any] = {0: {}}

    def up_to(number: int) -> Any:
        """What the file says down to a line; where a value goes on behind it, down to the line before the value."""
        last = number
        while last not in known:
            try:
                known[last] = tomllib.loads("\n".join(lines[:last]))
            except ValueError:
                last -= 1
        known.update(dict.fromkeys(range(last, number + 1), known[last]))
        return known[last]

    def line_of(path: str) -> int | None:
        keys = [int(key) if key.isdecimal() else key for key in re.findall(r"[^.\[\]]+", path)]

        def has(number: int) -> bool:
            with suppress(KeyError, IndexError, TypeError):
                reduce(getitem, keys, up_to(number))
                return True
            return False

        if keys and has(len(lines)):
            return bisect_left(range(1, len(lines) + 1), True, key=has) + 1
        return line_of(path.rpartition(".")[0]) if path else None

    return line_of
