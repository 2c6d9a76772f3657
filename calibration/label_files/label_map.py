"""What a label set's own columns and words mean (TOML): no file has to be converted."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Wanted(_Part):
    """What a plan is for. precision: half width of the interval; rate: to be expected; per_case: labels of a class in one case; alike:
    intra-class correlation within cases."""

    precision: Annotated[float, Field(ge=0.005, le=0.5)] = 0.05
    rate: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    per_case: Annotated[float, Field(ge=1, le=1000)] = 1
    alike: Annotated[float, Field(ge=0, le=0.95)] = 0.2


class LabelMap(_Part):
    """Columns of CSV by their names: human, others, repeat_columns, inputs: several; annotator: for one row a label, whose label `human`
    holds; item: the first of id, item_id, idx, index or the row's number where none is named; cluster: the item itself; slice: kinds of
    items with floors of their own; judge_column: in JSON Lines a name among `judge.others`. both_orders: a judge's cell holds two verdicts,
    in the given and in the exchanged order ("12", or "a|b" for longer labels); swapped_names: what the second of them names. missing,
    unusable: further cells that mean no label, or a reply that is no verdict; translate: label -> label. rubric, label_source, sampled:
    where the file does not say. positive: labels that accept, labels: all of them in order, both None for the rubric's own. epsilon: of the
    alternative annotator test, None leaves it out; expert: who is held to be right in it. drift_from, drift_to: columns of the earlier and
    the later judge."""

    human: tuple[str, ...] = ()
    annotator: str | None = None
    judge_column: str | None = None
    item: str | None = None
    cluster: str | None = None
    confidence_column: str | None = None
    weight_column: str | None = None
    rubric_column: str | None = None
    sampled_column: str | None = None
    source_column: str | None = None
    others: tuple[str, ...] = ()
    repeat_columns: tuple[str, ...] = ()
    probe_columns: dict[str, str] = Field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    slice: tuple[str, ...] = ()
    both_orders: bool = False
    swapped_names: Literal["answer", "position"] = "answer"
    missing: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    translate: dict[str, str] = Field(default_factory=dict)
    rubric: str | None = None
    label_source: Literal["human", "constructed"] | None = None
    sampled: Literal["random", "stratified", "hand_picked", "unknown"] = "unknown"
    positive: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    ordinal: bool = False
    epsilon: Annotated[float, Field(ge=0, le=1)] | None = None
    expert: str | None = None
    drift_from: str | None = None
    drift_to: str | None = None
    plan: Wanted = Wanted()

    @model_validator(mode="after")
    def _check_roles(self) -> "LabelMap":
        if self.judge_column in self.human:
            raise ValueError(f"--judge-column {self.judge_column} is among --human: a judge that is held against itself is always right")
        if len(set(self.human)) != len(self.human):
            raise ValueError(f"--human names a column twice: {', '.join(self.human)}")
        if twice := sorted(set(self.human) & {*self.other_judges, *self.repeat_columns}):
            raise ValueError(f"{twice[0]} is among --human and is a judge's column too: a column is a person's or a judge's")
        return self

    @property
    def other_judges(self) -> tuple[str, ...]:
        """Further verdict columns, those of the drift included."""
        named = (*self.others, self.drift_from, self.drift_to)
        return tuple(dict.fromkeys(name for name in named if name and name != self.judge_column))

    @property
    def drift(self) -> tuple[str, str] | None:
        """The readings that are compared, the earlier first; the later is the judge where none is named."""
        if not self.drift_from:
            return None
        named = (self.drift_from, self.drift_to or self.judge_column)
        first, second = ("judge" if name in (None, self.judge_column) else f"other:{name}" for name in named)
        return first, second

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Every column that holds verdicts."""
        return tuple(filter(None, (self.judge_column, *self.repeat_columns, *self.probe_columns.values(), *self.other_judges)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that must be there."""
        single = (self.annotator, self.item, self.cluster, self.confidence_column, self.weight_column, self.rubric_column)
        said = (*single, self.sampled_column, self.source_column)
        return (*(name for name in said if name), *self.human, *self.verdicts, *self.inputs, *self.slice)


NO_MAP = LabelMap()
