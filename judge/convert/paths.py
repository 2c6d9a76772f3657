"""One grammar for places in an export: `=text`, a column's title, or steps through JSON and through the rows of a long sheet.

borrower.name              keys; over a list, the values of all its elements
loans[0].amount            the first element (or loans.0.amount)
parties[role=borrower].name     the elements whose key holds this text: one as itself, several as a list
[Field=Margin].Value       of the rows of a case, those whose column `Field` says Margin
=financial                 the text itself; @stem and @file in it are the export's file name, without and with its ending
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

NOTHING = object()  # the key is not there
_STEP = re.compile(r"(?P<key>[^.\[\]]*)(?P<selectors>(?:\[[^\]]*\])*)(?:\.|$)")
_SELECTOR = re.compile(r"\[([^\]]*)\]")


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(key, selectors) of every step."""
    found, at = [], 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return ((path, ()),)  # no path: a key with brackets of its own
        found.append((match["key"], tuple(_SELECTOR.findall(match["selectors"]))))
        at = match.end()
    return tuple(found)


def keys_of(path: str) -> Iterator[tuple[str, ...]]:
    """The keys that a path reads, without positions: its own, and those that its filters compare."""
    keys: list[str] = []
    for key, selectors in steps_of(path):
        keys += [key] if key and not key.isdigit() else []
        yield from ((*keys, name.strip()) for name, is_filter, _ in (s.partition("=") for s in selectors) if is_filter)
    yield tuple(keys)


def look_up(data: Any, path: str) -> Any:
    """A value by key or path; NOTHING when it is not there."""
    if isinstance(data, Mapping) and path in data:
        return data[path]
    values, is_many = [data], False
    for key, selectors in steps_of(path):
        for step in (key, *(f"[{selector}]" for selector in selectors)):
            found = [one for value in values for one in _step(value, step)] if step else values
            is_many |= len(found) > 1 or (
                isinstance(next(iter(values), None), list) and step[:1] != "[" and not step.isdigit() and step != ""
            )
            values = found
    return NOTHING if not values else list(values) if is_many else values[0]


def _step(value: Any, step: str) -> Iterator[Any]:
    if step.startswith("["):
        yield from _selected(value if isinstance(value, list) else [value], step[1:-1])
    elif isinstance(value, Mapping):
        yield from [value[step]] if step in value else []
    elif isinstance(value, list) and step.isdigit():
        yield from _selected(value, step)
    elif isinstance(value, list):
        yield from (one[step] for one in value if isinstance(one, Mapping) and step in one)


def _selected(values: list[Any], selector: str) -> Iterator[Any]:
    name, is_filter, wanted = selector.partition("=")
    if is_filter:
        yield from (one for one in values if isinstance(one, Mapping) and _folded(look_up(one, name.strip())) == _folded(wanted))
    elif selector.strip() in ("", "*"):
        yield from values
    elif selector.strip().lstrip("-").isdigit() and -len(values) <= int(selector) < len(values):
        yield values[int(selector)]


def _folded(value: Any) -> str:
    return " ".join(str(value).casefold().split())
