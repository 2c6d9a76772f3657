"""No secret of a request comes out of the client again, in whatever form the server echoes it. A secret is known by its run of letters and
digits, whatever lies between them: texts and secrets are folded to these, in small and plain letters, and every long enough run of the text
that is a run of the secret (or of it in hex, in octal or decimal codes, in base64 or base32, of its UTF-16 and UTF-32 too,
all of them backwards too) is taken out, from its first character to its last. One pass over the text: its pieces of one length are looked
up among the secrets'."""

import json
import logging
import re
import unicodedata
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

SHOWN = "[key]"
_SHORTEST = 6  # characters of a secret; what is shorter is a placeholder ("none"), and as a word it would be taken out of every text
_FOLDED = 12  # letters and digits of a secret that is looked for by runs; a shorter one is a word of some text in another case
_RUN, _WORDS = 8, 20  # letters and digits of a secret that are taken for it: with a digit among them, and without
_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)} | {0x115F: None, 0x1160: None}
_LOOSE = re.compile(r"[\W_]+")
_ESCAPE = re.compile(
    r"\\+(?:u([0-9a-f]{4})|u\{?0*([0-9a-f]{2})\}?|x\{?([0-9a-f]{2})\}?|([0-3][0-7]{2})|[nrtbf])?|[%=](?:25)*([0-9a-f]{2})"
    r"|&#x0*([0-9a-f]{2});?|&#0*([0-9]{2,3});?|&(?:amp|lt|gt|quot|[a-z]{2,8};)",
    re.IGNORECASE,
)
_BASES = (16, 16, 16, 8, 16, 16, 10)  # of the groups above


class Redactor:
    """Takes secrets out of texts: whole or cut, in any case, broken over lines, spelled in codes and escapes."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._words: list[str] = []  # taken out as they stand, long ones first
        self._runs: dict[str, list[tuple[str, int, int]]] = {}  # by piece: (form, where it begins, letters that are enough)
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Further secrets."""
        for secret in {written for s in secrets if len(s) >= _SHORTEST for written in (s, s[::-1])}:
            data, folded = secret.encode("utf-8", "replace"), _folded(secret)
            spelled = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], data.hex(), data.hex().upper(), *_in_base(data)}
            self._words = sorted({*self._words, *spelled}, key=len, reverse=True)
            if len(folded) >= _FOLDED:
                for form in {folded, _folded(_decoded(secret))}:
                    self._add_runs(form, len(folded), 1.0)
                codes = {"".join(f"{code:{kind}}" for code in data) for kind in ("02x", "#x", "03o", "d")}
                wide = [secret.encode(f"utf-{size}-le", "replace") for size in (16, 32)]  # of which the other order is a part
                for form in {*codes, *(one.hex() for one in wide), *(_folded(form) for one in (data, *wide) for form in _in_base(one))}:
                    self._add_runs(form, len(folded), len(form) / len(data))
                    self._add_runs(form[::-1], len(folded), len(form) / len(data))

    def _add_runs(self, form: str, length: int, scale: float) -> None:
        """scale: characters of the form for one of the secret."""
        for at in range(len(form) - _RUN + 1):
            has_digit = scale > 1 or any(c.isdigit() for c in form[at : at + _RUN])
            enough = round(scale * (_RUN if has_digit else min(_WORDS, length)))
            known = self._runs.setdefault(form[at : at + _RUN], [])
            if all(form != other for other, _, _ in known):
                known.append((form, at, enough))

    def text(self, text: str) -> str:
        """The text with a mark in the place of each secret."""
        if not self._words or len(text) < _SHORTEST:
            return text
        for word in self._words:
            text = text.replace(word, SHOWN)
        if self._runs:
            spans = list(self._spans(text, _folded(text), _ANY))
            if _ESCAPE.search(text):
                spans += self._spans(text, _folded(_decoded(text)), _TOKEN)
            for start, end in reversed(_joined(spans)):
                text = text[:start] + SHOWN + text[end:]
        return text

    def _spans(self, text: str, folded: str, letters: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """Bounds in the text of the runs found in its folded form, of which every character is one match of `letters`."""
        if not (runs := list(self._found(folded))):
            return
        places = [found.span() for found in letters.finditer(text) for _ in _folded(_character(found))]
        yield from ((places[start][0], places[end - 1][1]) for start, end in runs)

    def _found(self, folded: str) -> Iterator[tuple[int, int]]:
        at, known = 0, self._runs
        while at <= len(folded) - _RUN:
            for start, end in [_run(folded, at, *one) for one in known.get(folded[at : at + _RUN], ())]:
                if end > start:
                    yield start, end
                    at = max(at, end - _RUN)
            at += 1

    def value(self, value: Any) -> Any:
        """JSON values with every text in them redacted, names too."""
        if not self._words:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(name): self.value(held) for name, held in value.items()}
        return [self.value(held) for held in value] if isinstance(value, list) else value


class RedactingFilter(logging.Filter):
    """Takes secrets out of what the libraries below log, which is more than a reply's text (OPENAI_LOG)."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Always true; the record holds one text from now on."""
        if record.exc_info:
            record.exc_text, record.exc_info = self._redactor.text(logging.Formatter().formatException(record.exc_info)), None
        record.msg, record.args = self._redactor.text(record.getMessage()), ()
        return True


def _run(folded: str, at: int, form: str, place: int, enough: int) -> tuple[int, int]:
    """Bounds of the common run through both places; an empty one when less than enough follows."""
    if len(form) - place < enough or folded[at : at + enough] != form[place : place + enough]:
        return at, at
    before, step = 0, enough
    while at - before - 1 >= 0 and place - before - 1 >= 0 and folded[at - before - 1] == form[place - before - 1]:
        before += 1
    while place + step < len(form) and at + step < len(folded) and folded[at + step] == form[place + step]:
        step += 1
    return at - before, at + step


def _folded(text: str) -> str:
    """Tag characters spell ASCII; Hangul fillers, which are letters, are not shown."""
    return _LOOSE.sub("", (text if text.isascii() else unicodedata.normalize("NFKD", text).translate(_TAGS)).lower())


def _character(found: re.Match[str]) -> str:
    """What a letter or an escape stands for; nothing for an escape of something else."""
    for group, base in zip(found.groups(), _BASES, strict=False):
        if group:
            return chr(int(group, base))
    return found[0] if len(found[0]) == 1 else ""


def _decoded(text: str) -> str:
    return _ESCAPE.sub(_character, text)


_ANY = re.compile(r".", re.DOTALL)
_TOKEN = re.compile(rf"{_ESCAPE.pattern}|.", re.IGNORECASE | re.DOTALL)


def _in_base(data: bytes) -> Iterator[str]:
    """In base64 and base32, wherever it begins among the bytes that a group of letters stands for: what is before it moves its letters."""
    for encode, bits, size in ((b64encode, 6, 3), (urlsafe_b64encode, 6, 3), (b32encode, 5, 5)):
        for offset in range(size):
            yield encode(b"\0" * offset + data).decode()[-(-8 * offset // bits) : 8 * (offset + len(data)) // bits]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, overlapping ones as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
