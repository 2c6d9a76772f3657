"""JSON as it is defined: no NaN or Infinity, no repeated key, no number that overflows, no lone surrogates."""

import json
import re
from collections import Counter
from typing import Any

MAX_EXPONENT = 330  # beyond it a number is none that a float holds
MAX_DIGITS = 300
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # an escape of half a character


class JsonTextError(ValueError):
    """The text is not JSON; `line` is counted from 1 within the text that was given. number: what is none, to find its key by."""

    def __init__(self, message: str, line: int = 1, number: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.number = number


def loads(data: bytes | str) -> Any:
    """The value of a JSON text (UTF-8, a byte order mark is fine). Raises JsonTextError and nothing else."""
    try:
        text = (data.decode("utf-8-sig") if isinstance(data, bytes) else data).rstrip(" \t\r\n")  # what lacks is of the last line
        value = json.loads(text, parse_constant=_constant, parse_float=_float, parse_int=_int, object_pairs_hook=no_key_twice)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise JsonTextError(f"not UTF-8 at byte {error.start}: save the file as UTF-8", line) from None
    except json.JSONDecodeError as error:
        raise JsonTextError(f"not JSON: {error.msg} at column {error.colno}", error.lineno) from None
    except JsonTextError as error:
        of = re.search(rf'"([^"\\]*)"\s*:[^{{}}":]*(?<![\w.+-]){re.escape(error.number)}(?![\w.])', text) if error.number else None
        if of is None:
            raise
        raise JsonTextError(f"{of[1]}: {error.message}", 1 + text.count("\n", 0, of.end())) from None
    except RecursionError:
        raise JsonTextError("not usable: nested too deeply") from None
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JsonTextError("an escape like \\ud83d names half a character: write both halves, or the character itself") from None
    return value


def _constant(name: str) -> Any:
    raise JsonTextError(f"{name} is not JSON: write a number, or null", number=name)


def _float(text: str) -> float:
    value = float(text)
    exponent = text.lower().partition("e")[2]
    if abs(value) == float("inf") or (exponent and abs(int(exponent[:9])) > MAX_EXPONENT):
        raise JsonTextError(f"the number {text[:40]} is out of range", number=text)
    return value


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise JsonTextError(f"the number {text[:20]}... has {len(text)} digits", number=text)
    return int(text)


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object of its pairs. Raises JsonTextError for one that says two things of a key."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonTextError(f"the key {Counter(key for key, _ in pairs).most_common(1)[0][0]!r} is given twice in one object")
    return found
