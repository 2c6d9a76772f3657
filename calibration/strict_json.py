"""JSON as it is defined: no NaN or Infinity, and no key twice in one object."""

import json
from typing import Any


def loads(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, and RecursionError where it is nested too deeply."""
    return json.loads(text, parse_constant=_constant, object_pairs_hook=_unique)


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"the key {max((k for k, _ in pairs), key=[k for k, _ in pairs].count)!r} stands twice")
    return found
