"""What the readers of evaluation cases in Markdown share (each capability reads its own expected output, `case_file.py`): what is read, and
what a cell says of a value: a text, a list, absent, illegible, on a page that the file lacks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from deterministic.values.stated import read_illegible
from judge.capabilities.case_evidence import Target
from judge.capabilities.case_markdown import NOTHING
from judge.capabilities.wording import fold_text

Gold = dict[str, Any]
_LOW = re.compile(r"\W*low\s*(?:[-–—:,]+\s*|\W*$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ABSENT = re.compile(r"[\[(]?\s*absent\s*(?:[-–—:,;(].*)?[\])]?", re.IGNORECASE | re.DOTALL)


@dataclass(slots=True)
class Reading:
    """Gold as far as it was read. targets: what can be cited; lines: path in gold -> line of the file (negative: a fault is told of it);
    items: folded name -> item that a row of the scoring criteria may be limited to."""

    gold: Gold
    targets: list[Target] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)


def columns(*titles: str) -> dict[str, str]:
    """Column titles, folded -> key."""
    return {fold_text(title): fold_text(title).replace(" ", "_") for title in titles}


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
