"""Damage for the fuzz harness: values that are odd, JSON whose shape is wrong, bytes that are none of the format."""

import copy
import json
from random import Random
from typing import Any

DEEP: Any = "x"
for _ in range(60):
    DEEP = [DEEP]
TEXTS = (
    "", " ", "\0", "\x1b]8;;x\x07", "\n::error::x", "\u202e", "\ufeff", "\ud800", "²", "٣", "Ⅷ", "½", "A" * 3000,
    "1" * 5000, "-" * 500, "NaN",
    "Infinity", "1e999", "-0", "0x1F", "1_000", "../../etc/passwd", "/", ".", "..", "x.pdf", "0000-00-00", "9999-12-31", "31 February 2026",
    "2026-13-45", "USD 1e99", "USD " + "9" * 400, "999999999999999 years", "SOFR + ", "((((((((", "%s%n{0}{x}", "{{7*7}}",
    "<script>", "&amp;",
    "Clause 999999999999.1", "(a)(b)(c)(d)" * 50, "not " * 400, "the Borrower shall " * 300, "1.1." * 200, "€£¥" * 50, "a\u0301" * 300,
)  # fmt: skip
VALUES = (None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 1e-308, 2**53 + 1, 2**63, -(2**64), 10**30, [], {}, [[]], [{}], {"": ""}, DEEP)
TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":", b"\n", b"\r\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80",
    b"\\ud800", b"NaN",
    b"-Infinity", b"1e999", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"null", b"true", b"'", b'"""', b"#", b"=", b"/*",
    b"%PDF", b"endobj",
    b"stream\n", b"<<" * 200, b"-1 0 R", b"99999999999", b"\x1b[2J", b"::error::", b"\xe2\x80\xae", b"\xf4\x90\x80\x80", b"\t", b" " * 2000,
)  # fmt: skip


def odd(draw: Random) -> Any:
    """One odd value."""
    return draw.choice(TEXTS) if draw.random() < 0.6 else copy.deepcopy(draw.choice(VALUES))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """(holder, key) of everything within a JSON value."""
    found, open_ = [], [value]
    while open_:
        holder = open_.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            open_.append(holder[key])
    return found


def changed_text(text: str, draw: Random) -> str:
    """The text with a few characters lost, doubled, exchanged or put in."""
    for _ in range(draw.choice((1, 1, 2, 5))):
        at, length = draw.randrange(len(text) + 1), draw.choice((1, 1, 2, 10, 100))
        kind = draw.randrange(4)
        middle = ("", text[at : at + length] * 2, draw.choice(TEXTS)[:200], draw.choice("0123456789.,%-()\"'§\u00a0\u200b\ud83d"))[kind]
        text = text[:at] + middle + text[at + (length if kind != 2 else 0) :]
    return text


def changed(value: Any, draw: Random) -> Any:
    """A JSON value with one to three places changed."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = _places(value)
        if not places:
            return odd(draw)
        holder, key = draw.choice(places)
        other, other_key = draw.choice(places)
        kind = draw.randrange(8)
        if kind <= 2 and isinstance(holder[key], str):
            holder[key] = changed_text(holder[key], draw)
        elif kind <= 4:
            holder[key] = odd(draw)
        elif kind == 5:
            del holder[key]
        elif kind == 6:
            holder[key] = copy.deepcopy(other[other_key])
        elif isinstance(holder, dict):
            holder[draw.choice(TEXTS)[:300] if draw.random() < 0.5 else str(other_key)] = copy.deepcopy(holder[key])
        else:
            holder.extend(copy.deepcopy(holder) if len(holder) < 100 else [])
    return value


def damaged(data: bytes, draw: Random) -> bytes:
    """Bytes with one to three places lost, doubled, flipped, put in or cut off."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        at, length = draw.randrange(len(data) + 1), draw.choice((1, 1, 3, 20, 400))
        kind = draw.randrange(6)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + data[at + length :]
        elif kind == 2:
            data = data[:at] + data[at : at + length] * 2 + data[at + length :]
        elif kind == 3:
            data = data[:at] + draw.choice(TOKENS) + data[at:]
        elif kind == 4:
            data = data[:at] + draw.randbytes(draw.choice((1, 4, 50))) + data[at:]
        elif draw.random() < 0.5:
            data = data[:at]
    return data


def spoiled_json(value: Any, draw: Random) -> bytes:
    """The text of a JSON value: changed in shape, in its bytes, or both."""
    if (is_shape := draw.random() < 0.7) and draw.random() < 0.95:
        value = changed(value, draw)
    data = json.dumps(value, ensure_ascii=draw.random() < 0.5).encode("utf-8", "surrogatepass")
    return data if is_shape and draw.random() < 0.9 else damaged(data, draw)


def spoiled_lines(lines: list[Any], draw: Random) -> bytes:
    """JSON Lines of which one or two are spoiled, sometimes exchanged, doubled, lost or as an array."""
    texts = [json.dumps(line).encode() for line in lines]
    for _ in range(draw.choice((1, 1, 2))):
        at = draw.randrange(len(texts))
        texts[at] = spoiled_json(lines[at], draw)
    if draw.random() < 0.1:
        texts.insert(draw.randrange(len(texts)), draw.choice(texts))
    if draw.random() < 0.05:
        texts.pop()
    if draw.random() < 0.1:
        return b"[" + b",".join(texts) + draw.choice((b"]", b"", b",]", b"] x"))
    data = b"\n".join(texts) + draw.choice((b"\n", b"\n", b"", b"\r\n"))
    return damaged(data, draw) if draw.random() < 0.1 else data
