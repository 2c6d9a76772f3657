"""Texts that somebody else wrote: made harmless to the prompt's form, bounded in length, and searched for words to the judge.
Nothing here decides a verdict. Fences keep data apart from instructions (prompt.py), and the verdict is read from the schema field alone
(replies.py); a text that tries to talk to the judge is data with a finding."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from calibration.label_files.identity import is_unseen
from calibration.words import table

_MEMORY = 256  # texts: the questions of one item share theirs, and a few thousand long passages would be felt

# Marks that chat templates and our own fences give a meaning to; a space breaks them and leaves every word readable.
_MARKS = re.compile(
    r"<(?=\||<|/?(?:s|system|user|assistant|human|start_of_turn|end_of_turn|begin_of_text|eot_id|bos|eos)\b[^<>]{0,20}>)"
    r"|\|(?=>)|>(?=>)|\[(?=/?(?:INST|SYS)\])",
    re.IGNORECASE,
)
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_BIDI_OVERRIDES = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


class _Shown(dict[int, int | str | None]):
    """What stands for a character in a prompt, by its Unicode properties, found when it is first met: `str.translate` asks for it.
    Nobody sees a format character or a blank one, and a model reads it: gone. A control character is a space, a line's end a line feed,
    and what no font knows (private, unassigned, half a pair) the replacement character, since something stands there."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        shown: int | str | None = code
        if is_unseen(chr(code)):
            shown = None
        elif category in ("Zl", "Zp") or chr(code) in "\r\x85":
            shown = "\n"
        elif category == "Cc" and chr(code) not in "\t\n":
            shown = " "
        elif category in ("Cn", "Co", "Cs"):
            shown = "\ufffd"
        self[code] = shown
        return shown


_SHOWN = _Shown()


def _signs() -> list[tuple[str, list[str], re.Pattern[str]]]:
    """(name, triggers, pattern) of each row of signs.toml."""
    found = table("judge.llm", "signs.toml")
    patterns = ("|".join(sign["patterns"]).replace("WHO", found["who"]) for sign in found["signs"])
    return [(sign["name"], sign["triggers"], re.compile(one, re.IGNORECASE)) for sign, one in zip(found["signs"], patterns, strict=True)]


_SIGNS = _signs()


@lru_cache(maxsize=_MEMORY)
def clean(text: str) -> str:
    """The text as the prompt shows it: line ends unified, invisible characters gone, control characters as spaces, template marks broken.
    Every visible character stays."""
    return _MARKS.sub(lambda m: m[0] + " ", text.replace("\r\n", "\n").translate(_SHOWN))


@lru_cache(maxsize=_MEMORY)
def addresses(text: str) -> tuple[str, ...]:
    """Names of the ways in which the text speaks to the judge instead of being about the loan; () when it does not."""
    found: list[str] = []
    if not text.isascii():
        if _TAGS.search(text):
            found.append("hides text in tag characters")
        if _BIDI_OVERRIDES.search(text):
            found.append("turns the reading direction round")
        text = _TAGS.sub(lambda m: chr(max(ord(m[0]) - 0xE0000, 0x20)), text)  # tag characters spell ASCII
        text = unicodedata.normalize("NFKC", _CONTROLS.sub("", text)).translate(_SHOWN).replace("\ufffd", "")
    text = _CONTROLS.sub("", text)
    folded = text.casefold()
    found += [name for name, triggers, pattern in _SIGNS if any(one in folded for one in triggers) and pattern.search(text)]
    return tuple(found)


def bound(text: str, limit: int, kept: Sequence[str]) -> str:
    """At most about `limit` characters of the text, around the place where the kept texts stand; what is left out is said. kept: texts in
    order of importance; the first that is found is the middle of what stays, else the line that shares most words with them."""
    if len(text) <= limit:
        return text
    start, end = _anchor(text, kept)
    room = max(limit - (end - start), 0)
    first = max(min(start - room // 2, len(text) - limit), 0)
    last = min(first + limit, len(text))
    # no word is cut: the cuts move to the next blank inside, where there is one
    if first and (blank := re.search(r"\s", text[first:start])):
        first += blank.start()
    if last < len(text) and (blank := re.search(r"\s\S*$", text[max(end, first) : last])):
        last = max(end, first) + blank.start()
    before = f"[... {first} characters left out ...]\n" if first else ""
    after = f"\n[... {len(text) - last} characters left out ...]" if last < len(text) else ""
    return before + text[first:last] + after


def _anchor(text: str, kept: Sequence[str]) -> tuple[int, int]:
    for wanted in kept:
        first = re.findall(r"\w+", wanted)[:60]  # a few dozen words tell the place, with anything but letters and digits between them
        if first and (found := re.search(r"[\W_]+".join(map(re.escape, first)), text, re.IGNORECASE)):
            return found.span()
    words = {word for wanted in kept for word in re.findall(r"\w+", wanted.casefold())}
    best, best_score, at = (0, 0), 0, 0
    for line in text.splitlines(keepends=True):
        if (score := len(words.intersection(re.findall(r"\w+", line.casefold())))) > best_score:
            best, best_score = (at, at + len(line)), score
        at += len(line)
    return best
