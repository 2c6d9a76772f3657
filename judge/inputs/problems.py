"""What pydantic says of a wrong input, as problems that a person can act on: JSON path, nearest known key, what to do."""

import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from judge.errors import Problem, did_you_mean
from judge.printing import quoted
from judge.records import grouped
from rubrics.wording import message_of

Path = tuple[str | int, ...]


def problems_of(error: ValidationError, data: Any, model: type[BaseModel], file: str, line: int | None, prefix: Path = ()) -> list[Problem]:
    """One problem per place. A union reports one error per member: they become one, and a deeper error replaces those above it."""
    placed = ((_place(entry["loc"], data, entry["type"]), entry) for entry in error.errors(include_url=False))
    by_place = grouped((place, _message(entry, place, model)) for place, entry in placed)
    places = [p for p in by_place if not any(len(q) > len(p) and q[: len(p)] == p for q in by_place)]
    paths = {p: "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in (*prefix, *p)).removeprefix(".") for p in places}
    return [Problem(file, line, path, _either(list(dict.fromkeys(by_place[p])))) for p, path in paths.items()]


def _either(messages: list[str]) -> str:
    """What each member of a union asks for; what it was given, and "must be", are told once."""
    given = ", not " + messages[-1].rpartition(", not ")[2]
    said = " or ".join([*(one.removesuffix(given) for one in messages[:-1]), messages[-1]])
    return said.replace(" or must be ", " or ") if said.startswith("must be ") else said


def problems_in(data: Any, model: type[BaseModel], file: str, line: int | None, prefix: Path = ()) -> list[Problem]:
    """What a model has against the data; nothing where they are valid."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        return problems_of(error, data, model, file, line, prefix)
    return []


def _place(loc: tuple[str | int, ...], data: Any, kind: str) -> Path:
    """The steps of `loc` that are real keys or positions of the data (pydantic also names union members)."""
    place: list[str | int] = []
    for n, given in enumerate(loc):  # one citation is read as a list of them
        part = "citation" if given == "citations" and isinstance(data, Mapping) and given not in data and "citation" in data else given
        is_key = isinstance(data, Mapping) and part in data
        is_position = isinstance(data, Sequence) and not isinstance(data, str) and isinstance(part, int) and part < len(data)
        if is_key or is_position:
            place.append(part)
            data = data[part]
        elif kind == "missing" and n == len(loc) - 1:
            place.append(part)
    return tuple(place)


def _message(entry: Any, place: Path, model: type[BaseModel]) -> str:
    kind, given = entry["type"], entry.get("input")
    word = str(place[-1]) if place else ""
    if kind == "extra_forbidden":
        return f"unknown key {quoted(word)}{did_you_mean(word, sorted(known_keys(model, place[:-1])))}"
    if kind == "missing":
        return "is required and missing"
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(entry.get("ctx", {}).get("expected", "")))
        what = "unknown key" if "[key]" in entry["loc"] else "unknown value"
        return f"{what} {quoted(given)}{did_you_mean(str(given), known)}"
    return message_of(entry) if kind == "value_error" else f"{message_of(entry)}, not {quoted(given)}"


def known_keys(model: type[BaseModel], place: Path) -> set[str]:
    """Every key that may stand at a place of a model."""
    found: list[Any] = [model]
    for part in place:
        found = [inner for a in found for inner in _step(a, part)]
    return {key for a in found for key in _keys(a)}


def _members(annotation: Any) -> Iterator[Any]:
    if (origin := typing.get_origin(annotation)) in (typing.Union, types.UnionType):
        for arg in typing.get_args(annotation):
            yield from _members(arg)
    elif origin is typing.Annotated:
        yield from _members(typing.get_args(annotation)[0])
    else:
        yield annotation


def _step(annotation: Any, part: str | int) -> Iterator[Any]:
    args = typing.get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and part in annotation.model_fields:
        yield from _members(annotation.model_fields[str(part)].annotation)
    elif typing.get_origin(annotation) is dict:
        yield from _members(args[1])
    elif typing.get_origin(annotation) in (tuple, list) and isinstance(part, int):
        yield from _members(args[0])


def _keys(annotation: Any) -> tuple[str, ...]:
    if typing.get_origin(annotation) is dict:
        return tuple(str(a) for a in typing.get_args(typing.get_args(annotation)[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return tuple(annotation.model_fields)
    return ()
