"""What the cells of a case file say of a value: a text, a list, absent, illegible, on a page that the file lacks."""

from __future__ import annotations

import re
from typing import Any

from deterministic.values.stated import read_illegible
from judge.capabilities.case_files.markdown import NOTHING

_LOW = re.compile(r"\W*low\s*(?:[-–—:,]+\s*|\W*$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ABSENT = re.compile(r"[\[(]?\s*absent\s*(?:[-–—:,;(].*)?[\])]?", re.IGNORECASE | re.DOTALL)


def listed(text: str) -> list[str]:
    """The parts of a list written with `;`."""
    return [part for part in re.split(r"\s*;\s*", text) if part]


def field_gold(text: str, *, is_list: bool) -> dict[str, Any]:
    """Gold of a field from its cell. is_list: the field is a list also where one entry is given. "LOW — …" always is illegible."""
    low = _LOW.fullmatch(text)
    if _ABSENT.fullmatch(text):
        return {"absent": True}
    rest = low["rest"].removesuffix("]" if text.startswith("[") else "") if low else text
    found = read_illegible(rest)
    if found is not None and found.page is not None:
        return {"legible": False, "missing_page": found.page}
    if found is not None and found.visible:
        several = is_list or len(found.visible) > 1
        return {"legible": False, "visible": list(found.visible) if several else found.visible[0]}
    if found is not None or low:
        return {"legible": False}
    return {"value": listed(text) if is_list else text}


def said(text: str | None) -> str | None:
    """A cell's text; None for one that says nothing."""
    return None if text is None or text in NOTHING else text


def yes_or_no(text: str) -> bool | None:
    """Y, yes, true, N, no, false; None for anything else."""
    return {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}.get(text.casefold())
