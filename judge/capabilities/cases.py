"""What the input formats of all capabilities share (docs/contract/formats.md) as frozen models, and Case, the noun that a line becomes.
Unknown keys are errors everywhere except below `metadata`: what a system gives along (chunk ids, boxes, scores, reasoning) is carried to
the verdict line, shown, and read by no judgement. A page, quote, threshold or value of several levels in a form of its own comes to one
text, which is judged by the rules for any text. `Citation` is the same everywhere; `claims` gives `citation` or `citations` as one
tuple."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from judge.errors import did_you_mean
from judge.printing import quoted
from rubrics.contract_sections import Label
from rubrics.verdicts import CANNOT_DETERMINE, NONE_FITS
from rubrics.wording import message_of

if TYPE_CHECKING:
    from judge.capabilities import Capability, Fault

Text = Annotated[StrictStr, Field(max_length=100_000)]
_COMPARATORS = {
    "≤": ("max", "maximum", "lte", "le", "<="),
    "≥": ("min", "minimum", "gte", "ge", ">="),
    "<": ("below", "lt"),
    ">": ("above", "gt"),
}
_SAID = {word: said for said, words in _COMPARATORS.items() for word in (said, *words)}


class Strict(BaseModel):
    """Frozen, and every unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bounded(Strict):
    """A figure and its direction: {"value": 6.35, "comparator": "max"}."""

    value: StrictInt | StrictFloat | Text
    comparator: StrictStr

    def __str__(self) -> str:
        if (said := _SAID.get(self.comparator.strip().casefold())) is None:
            raise ValueError(f"unknown comparator {self.comparator!r}; known: {', '.join(sorted(_SAID))}")
        return f"{said} {self.value}"


class Level(Strict):
    """A level of a pricing grid, or a step of a step-down: {"level": "Level I", "value": "1.50%"}, {"from": …, "to": …, "value": …}."""

    level: Text | None = None
    start: Annotated[Text | None, Field(alias="from")] = None
    to: Text | None = None
    value: StrictInt | StrictFloat | Text
    comparator: StrictStr | None = None

    def __str__(self) -> str:
        where = [self.level, f"from {self.start}" if self.start else None, f"to {self.to}" if self.to else None]
        value = self.value if self.comparator is None else Bounded(value=self.value, comparator=self.comparator)
        return ": ".join([*([" ".join(filter(None, where))] if any(where) else []), str(value)])


def as_text(value: Any) -> Any:
    """A threshold or a list of levels as its text; anything else as it is. Raises ValueError."""
    try:
        if isinstance(value, Mapping) and "comparator" in value:
            return str(Bounded.model_validate(value))
        if isinstance(value, Sequence) and value and all(isinstance(one, Mapping) for one in value):
            return "; ".join(str(Level.model_validate(one)) for one in value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {message_of(first)}".lstrip(": ")) from None
    return value


def as_page(value: Any) -> Any:
    """12.0 as 12; a list of pages as "12, 13"."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        pages = [one if isinstance(one, list | tuple) else as_page(one) for one in value if one not in (None, "")]
        if any(isinstance(page, bool) or not isinstance(page, int | str) for page in pages):
            raise ValueError("a list of pages holds whole numbers or texts")
        once = list(dict.fromkeys(pages))
        return once[0] if len(once) == 1 else ", ".join(map(str, once)) or None
    return value


def one_quote_each(data: Any) -> Any:
    """What carries a citation, with a list of quotes as that many citations of the same place."""
    if not isinstance(data, Mapping):
        return data
    given = data.get("citations") if data.get("citation") is None else [data["citation"]]
    if not isinstance(given, list | tuple) or not any(_is_listed(one) for one in given):
        return data
    single: list[Any] = []
    for one in given:
        single += [{**one, "quote": quote} for quote in one["quote"] or [None]] if _is_listed(one) else [one]
    return {**{key: value for key, value in data.items() if key != "citation"}, "citations": single}


def _is_listed(citation: Any) -> bool:
    return isinstance(citation, Mapping) and isinstance(citation.get("quote"), list | tuple)


Page = Annotated[StrictInt | Text, BeforeValidator(as_page, json_schema_input_type=StrictInt | float | Text | list[int | str])]
Threshold = Annotated[Text, BeforeValidator(as_text, json_schema_input_type=Text | Bounded | list[Level])]


Confidence = Annotated[StrictInt | StrictFloat, Field(ge=0, le=1)] | Literal["LOW", "MEDIUM", "HIGH"]
MANY = Field(max_length=1000)
"""Most entries of a list."""


class Citation(Strict):
    """Where the evidence stands. page: physical page, 1-based, or a printed number or label as text."""

    document: Text | None = None
    page: Page | None = None
    section: Text | None = None
    quote: Text | None = None
    metadata: dict[str, Any] = {}

    def __hash__(self) -> int:
        return hash((self.document, self.page, self.section, self.quote))

    @property
    def is_empty(self) -> bool:
        """Neither page, section nor quote: no citation at all (design/support.md)."""
        return not (self.section or self.quote) and self.page in (None, "")


class Cited(Strict):
    """Anything that carries one citation or several."""

    citation: Citation | None = None
    citations: Annotated[tuple[Citation, ...], MANY] | None = None
    metadata: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _one_quote_each(cls, data: Any) -> Any:
        return one_quote_each(data)

    @model_validator(mode="after")
    def _one_of_both(self) -> Any:
        if self.citation is not None and self.citations is not None:
            raise ValueError("give `citation` or `citations`, not both")
        return self

    @cached_property
    def claims(self) -> tuple[Citation, ...]:
        """All citations as they are judged, in the order given: without metadata, empty ones left out."""
        return tuple([c.model_copy(update={"metadata": {}}) if c.metadata else c for c in self._given if not c.is_empty])

    @property
    def _given(self) -> tuple[Citation, ...]:
        return self.citations if self.citations is not None else (self.citation,) if self.citation else ()

    @property
    def carried(self) -> dict[str, Any]:
        """Its metadata, with those of its citations in their order under `citations`."""
        cited = [c.metadata for c in self._given]
        return {**self.metadata, **({"citations": cited} if any(cited) else {})}


def exact_number(value: Any) -> Any:
    """0.85 as written, not the nearest binary number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError("must be a number")
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


_FRACTION = TypeAdapter(Fraction)  # bounds the size of what a text stands for


def _share(value: Any) -> Any:
    try:
        return _FRACTION.validate_python(value.strip() if isinstance(value, str) else exact_number(value))
    except ValueError:
        raise ValueError('must be a number from 0 to 1, as "0.75"') from None


Share = Annotated[Fraction, BeforeValidator(_share), Field(ge=0, le=1)]
Scope = Literal["case", "field", "covenant", "finding"]
Words = Annotated[tuple[Text, ...], Field(min_length=1)]
QuoteWord = Literal["exact", "normalised", "paraphrased", "not_found", "unreadable", "missing"]
PageWord = Literal["right", "printed", "label", "wrong", "missing", "out_of_range", "unknown", "not_applicable"]
SectionWord = Literal["right", "imprecise", "wrong", "missing", "not_in_document", "unknown"]


class CriterionRule(Strict):
    """When a row fits, without a judge: every key that is given holds, each with one of its words.

    content, outcome: labels; quote, page, section: words of the provenance block; findings: codes; cites: sections, one of which is cited.
    """

    content: Annotated[tuple[Label, ...], Field(min_length=1)] | None = None
    outcome: Annotated[tuple[Label, ...], Field(min_length=1)] | None = None
    quote: Annotated[tuple[QuoteWord, ...], Field(min_length=1)] | None = None
    page: Annotated[tuple[PageWord, ...], Field(min_length=1)] | None = None
    section: Annotated[tuple[SectionWord, ...], Field(min_length=1)] | None = None
    findings: Words | None = None
    cites: Words | None = None
    cited: Annotated[tuple[Literal["yes", "no"], ...], Field(min_length=1)] | None = None
    figure: Annotated[tuple[Literal["equal", "different", "nowhere"], ...], Field(min_length=1)] | None = None
    form: Annotated[tuple[Literal["same"], ...], Field(min_length=1)] | None = None

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """What is given: key -> its words."""
        return {name: words for name in type(self).model_fields if (words := getattr(self, name)) is not None}


class Criterion(Strict):
    """A row of a case's own scoring table. score: 0..1; item: the one item (field key, covenant name, term) that a row is limited to."""

    id: Annotated[Text, Field(max_length=100, pattern=r"^[^\s:]+$")]
    when: Annotated[Text, Field(min_length=1)]
    score: Share
    scope: Scope = "case"
    item: Text | None = None
    hallucination: StrictBool = False
    rule: CriterionRule | None = None


class NoInput(Strict):
    """The `input` of a capability that takes none."""


class Case(Strict):
    """One validated case: what was produced, what is true (None without gold), and where.

    output is None for a gold case without output (`--partial`: counted as missed).
    documents: bare file names, in the order given; weight: gold's, default from the contract (A5); criteria: its own scoring table; task:
    what was to be done, as gold's metadata say it.
    """

    case_id: Text
    capability: Text
    documents: tuple[Text, ...]
    input: dict[str, Any] = {}
    output: Any
    gold: Any = None
    has_gold: bool = True
    weight: Fraction = Fraction(1)
    criteria: tuple[Criterion, ...] = ()
    task: str = ""
    metadata: dict[str, Any] = {}


def criteria_faults(criteria: Sequence[Criterion] | None, capability: Capability, gold: Any) -> Iterator[Fault]:
    """What is wrong with a scoring table beside its case: no row, double ids, no row for a right output, a foreign scope or item."""
    if criteria is None:
        return
    if not criteria:
        yield "criteria", "holds no row; leave it out, or give a row of score 1.0 for the case"
        return
    for row_id, count in Counter(row.id for row in criteria).items():
        if count > 1:
            yield "criteria", f"{count} rows have the id {row_id!r}: give every row an id of its own"
    if taken := [row.id for row in criteria if row.id in (NONE_FITS, CANNOT_DETERMINE)]:
        yield "criteria", f"{taken[0]!r} is an answer of the judge, no id of a row"
    if not any(row.scope == "case" and row.score == 1 and row.item is None for row in criteria):
        yield "criteria", "no row of scope case has the score 1.0: say when an output is wholly right"
    scored = capability.scored
    scope = scored.scope if scored is not None else None
    names = list(scored.names(gold)) if scored is not None else []
    for n, row in enumerate(criteria):
        if row.scope not in ("case", scope):
            known = f"case or {scope}" if scope else "case"
            yield f"criteria[{n}].scope", f"a case of {capability.name} has no {row.scope}: give {known}"
        if row.item is not None and row.item not in names:
            yield f"criteria[{n}].item", f"gold has no {scope or 'item'} {quoted(row.item)}{did_you_mean(row.item, names)}"
