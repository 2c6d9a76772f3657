"""JSON as it is defined: no NaN or Infinity, and no key twice in one object."""

import json
from collections import Counter
from typing import Any


def loads(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, and RecursionError where it is nested too deeply."""
    return json.loads(text, parse_constant=_constant, object_pairs_hook=_unique)


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"the key {Counter(key for key, _ in pairs).most_common(1)[0][0]!r} stands twice")
    return found
