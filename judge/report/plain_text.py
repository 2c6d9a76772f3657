"""Untrusted text made safe for places that cannot escape it themselves: XML files, terminals, CI logs, Markdown."""

from __future__ import annotations

import re

# What XML 1.0 cannot carry, lone surrogates included; C1 controls are legal there but steer terminals.
_NOT_XML = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")
_SPACE = re.compile(r"\s+")


def printable(text: str, limit: int = 2000) -> str:
    """Text that XML and terminals can carry: control characters become U+FFFD, direction marks go, the length is bounded."""
    cut = text if len(text) <= limit else text[:limit] + f"… [{len(text) - limit:,} more characters]"
    return _BIDI.sub("", _NOT_XML.sub("\ufffd", cut))


def one_line(text: str, limit: int = 300) -> str:
    """`printable` on one line."""
    return _SPACE.sub(" ", printable(text, limit)).strip()


def markdown_cell(text: str, limit: int = 200) -> str:
    """Text for a Markdown table: nothing of it is read as markup or as HTML."""
    flat = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#!~@])", r"\\\1", flat)
