"""What the cells of a case file say of a value: a text, a list, absent, illegible, on a page that the file lacks."""

from __future__ import annotations

import re
from typing import Any

from judge.inputs.case_files.markdown import NOTHING, plain

_LOW = re.compile(r"low\s*(?:[-–—:,]+\s*|$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ABSENT = re.compile(r"absent\s*(?:[-–—:,;(].*)?", re.IGNORECASE | re.DOTALL)
_MISSING = re.compile(
    r"(?:missing|lost)\b[^\w\d]*(?:(?:on|with|the|from)\s+)*pages?\s+(?P<page>\d+)\b.*"
    r"|(?:(?:on|the)\s+)*page\s+(?P<other>\d+)\b.*\b(?:missing|lost|absent|not\s+(?:in|there|part)|lacks?|lacking)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_ILLEGIBLE = re.compile(
    r"(?:(?:partly|partially|largely|mostly)\s+)?(?:illegible|unreadable|not\s+legible|not\s+readable|cannot\s+be\s+read)\b(?P<rest>.*)"
    r"|(?:partly|partially)\s+(?:legible|readable|visible)\b(?P<part>.*)"
    r"|(?P<seen>.+?)\s*(?:…|\.\.\.)?\s*[(\[]\s*(?:(?:the\s+)?rest\s+(?:is\s+)?)?(?:illegible|unreadable|not\s+legible)\s*[)\]]",
    re.IGNORECASE | re.DOTALL,
)
_VISIBLE = re.compile(r"[\s,;:.–—-]*(?:\(?\s*(?:only\s+)?(?:visible|legible|readable|can\s+be\s+read)\s*[:=]?)?\s*(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_LIST = re.compile(r"\s*;\s*")


def listed(text: str) -> list[str]:
    """The parts of a list written with `;`."""
    return [part for part in _LIST.split(text) if part]


def field_gold(text: str, *, is_list: bool) -> dict[str, Any]:
    """Gold of a field from its cell. is_list: the field is a list also where one entry is given."""
    bare = _bare(text)
    low = _LOW.fullmatch(bare)
    if low is not None:
        bare = _bare(low["rest"])
    if _ABSENT.fullmatch(bare):
        return {"absent": True}
    if missing := _MISSING.fullmatch(bare):
        return {"legible": False, "missing_page": int(missing["page"] or missing["other"])}
    if found := _ILLEGIBLE.fullmatch(bare):
        rest = found["seen"] or found["part"] or found["rest"] or ""
        match = _VISIBLE.fullmatch(rest)
        seen = [_seen(part) for part in listed(match["text"] if match else rest)]
        return {"legible": False, **_visible([part for part in seen if part], is_list)}
    if low is not None:
        return {"legible": False}
    parts = listed(text)
    return {"value": parts if is_list else text}


def _visible(parts: list[str], is_list: bool) -> dict[str, Any]:
    return {"visible": parts if is_list or len(parts) > 1 else parts[0]} if parts else {}


def _bare(text: str) -> str:
    """A text without the brackets around the whole of it."""
    text = plain(text)
    while len(text) > 1 and (text[0], text[-1]) in (("[", "]"), ("(", ")"), ("{", "}")) and text[1:-1].count(text[0]) == text[1:-1].count(text[-1]):
        text = plain(text[1:-1])
    return text


def _seen(text: str) -> str:
    """The letters that can be read, without quotation marks and the dots for those that cannot."""
    return text.strip(" \t\"'“”‘’«»()[]").strip(" .…-–—_").strip(" \"'“”‘’")


def said(text: str | None) -> str | None:
    """A cell's text; None for one that says nothing."""
    return None if text is None or text in NOTHING else text


def yes_or_no(text: str) -> bool | None:
    """Y, yes, true, N, no, false; None for anything else."""
    return {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}.get(text.casefold())
