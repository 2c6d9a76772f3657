"""Forms in which systems give a page, a quote, a threshold or a value of several levels, and the one text that each comes to.

What is judged is that text, by the rules for any text: a form says nothing that its text does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError

Text = Annotated[StrictStr, Field(max_length=100_000)]
_COMPARATORS = {
    "≤": ("max", "maximum", "lte", "le", "<="),
    "≥": ("min", "minimum", "gte", "ge", ">="),
    "<": ("below", "lt"),
    ">": ("above", "gt"),
}
_SAID = {word: said for said, words in _COMPARATORS.items() for word in (said, *words)}


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Bounded(_Form):
    """A figure and its direction: {"value": 6.35, "comparator": "max"}."""

    value: StrictInt | StrictFloat | Text
    comparator: StrictStr

    def __str__(self) -> str:
        if (said := _SAID.get(self.comparator.strip().casefold())) is None:
            raise ValueError(f"unknown comparator {self.comparator!r}; known: {', '.join(sorted(_SAID))}")
        return f"{said} {self.value}"


class Level(_Form):
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
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}".lstrip(": ")) from None
    return value


def as_page(value: Any) -> Any:
    """12.0 as 12; a list of pages as "12, 13"."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        pages = list(dict.fromkeys(as_page(one) for one in value if one not in (None, "")))
        if any(isinstance(page, bool) or not isinstance(page, int | str) for page in pages):
            raise ValueError("a list of pages holds whole numbers or texts")
        return pages[0] if len(pages) == 1 else ", ".join(map(str, pages)) or None
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
