"""No secret of a request comes out of the client again, in whatever form the server echoes it."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

SHOWN = "[key]"
_SHORTEST = 6  # characters of a secret; what is shorter is a placeholder ("none"), and as a word it would be taken out of every text
_PART = 16  # characters of a cut secret that are still taken for it
_ESCAPE = re.compile(r"\\[u/\\]|%[0-9a-fA-F]{2}|&#|&\w+;")
_UNICODE = re.compile(r"\\+u00([0-9a-fA-F]{2})")


class Redactor:
    """Takes secrets out of texts: as they are, cut, in base64 at any offset, in hex, and with any mix of URL, JSON and HTML escapes."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._patterns: dict[str, re.Pattern[str]] = {}  # by secret, long ones first
        self._forms: list[str] = []
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Further secrets."""
        known = sorted({s for s in (*secrets, *self._patterns) if len(s) >= _SHORTEST}, key=len, reverse=True)
        if known != list(self._patterns):
            self._patterns = {secret: re.compile("".join(map(_any_escape, secret)), re.IGNORECASE) for secret in known}
            self._forms = sorted({form for secret in known for form in _forms(secret)}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text with a mark in the place of each secret."""
        if not self._forms or len(text) < min(len(self._forms[-1]), _PART):
            return text
        for form in self._forms:
            if form in text:
                text = text.replace(form, SHOWN)
        for secret in self._patterns:
            if len(secret) > _PART and (secret[:_PART] in text or secret[-_PART:] in text):
                text = _without_parts(text, secret)
        if _ESCAPE.search(text):
            plain = _unescaped(text)
            for secret, pattern in self._patterns.items():
                if _unescaped(secret) in plain:  # the pattern is slow
                    text = pattern.sub(SHOWN, text)
        return text

    def value(self, value: Any) -> Any:
        """JSON values with every text in them redacted, names too."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(name): self.value(held) for name, held in value.items()}
        if isinstance(value, list):
            return [self.value(held) for held in value]
        return value


def _forms(secret: str) -> set[str]:
    data = secret.encode("utf-8", "replace")
    found = {secret, data.hex(), data.hex().upper(), quote(secret, safe=""), json.dumps(secret)[1:-1]}
    for offset in range(3):  # three bytes make four letters: what stands before the secret moves its letters
        for encode in (b64encode, urlsafe_b64encode):
            letters = encode(b"\0" * offset + data).decode()
            found.add(letters[-(-8 * offset // 6) : 8 * (offset + len(data)) // 6])
    return found


def _without_parts(text: str, secret: str) -> str:
    for length in range(len(secret) - 1, _PART - 1, -1):
        text = text.replace(secret[:length], SHOWN).replace(secret[-length:], SHOWN)
    return text


def _any_escape(character: str) -> str:
    """A pattern of a character in every way to write it."""
    code = ord(character)
    forms = [r"\\*" + re.escape(character), rf"\\+u{code:04x}", rf"&#0*{code};", rf"&#x0*{code:x};", re.escape(html.escape(character))]
    octets = "".join(f"%(?:25)*{octet:02x}" for octet in character.encode("utf-8", "replace"))
    return f"(?:{'|'.join([*forms, octets])})"


def _unescaped(text: str) -> str:
    for _ in range(3):
        text = html.unescape(unquote(_UNICODE.sub(lambda found: chr(int(found[1], 16)), text)))
    return text.replace("\\", "")
