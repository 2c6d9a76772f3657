"""Numbers and labels of provisions in one spelling: roman, in words, lettered, of schedules and exhibits."""

import re
from collections.abc import Iterator

from deterministic.lexicon.searching import find_all
from deterministic.lexicon.spelling import NUMBER_WORDS, ORDINALS, roman_value

ATTACHMENTS = {
    "schedule": "schedule", "exhibit": "exhibit", "annex": "annex", "annexure": "annex", "appendix": "appendix",
    "attachment": "attachment", "sched": "schedule", "sch": "schedule", "exh": "exhibit", "ex": "exhibit", "app": "appendix",
}  # fmt: skip
"""Words for what is attached, with the short forms that citations use."""
KINDS = r"(?:schedules|exhibits|annexes|annexures|appendices|attachments)"


def number_key(text: str) -> tuple[int, ...] | None:
    """ "2.01" -> (2, 1), "II.1" -> (2, 1), "ii" -> (2,), "two" -> (2,); None when it is not a number. 2.1, 2.01 and II.1 are one,
    and 12.00 is 12."""
    key = []
    for part in text.casefold().strip(". ").split("."):
        value = int(part) if part.isdecimal() and len(part) < 6 else roman_value(part)
        if value is None and part in NUMBER_WORDS:
            value = NUMBER_WORDS.index(part) + 1
        if value is None:
            return None
        key.append(value)
    return tuple(key[:-1] if len(key) == 2 and key[0] and not key[1] else key)


_LETTERED = re.compile(r"(\d{1,3})([a-z]{0,2})")


def _lettered(text: str) -> list[re.Match[str]]:
    """The parts of a number with letters ("12A.1", a clause put in later); none when it is no such number."""
    matches = [_LETTERED.fullmatch(part) for part in text.casefold().strip(". ").split(".")]
    return [match for match in matches if match] if all(matches) else []


def order_key(text: str) -> tuple[float, ...] | None:
    """Like `number_key`, and "12A.1" -> (12.001, 1), so that it stands between 12 and 13."""
    letters = (sum(0.001 * 27**n * (ord(c) - 96) for n, c in enumerate(reversed(m[2]))) for m in _lettered(text))
    return number_key(text) or tuple(int(m[1]) + more for m, more in zip(_lettered(text), letters, strict=True)) or None


def number_text(text: str) -> str | None:
    """A clause number in one spelling: "2.01" and "II.1" are "2.1", "12A.01" is "12a.1"; None when it is not a number."""
    return ".".join(map(str, number_key(text) or [f"{int(m[1])}{m[2]}" for m in _lettered(text)])) or None


def attachment_label(text: str) -> str:
    """The label of a schedule or exhibit in one spelling: "II", "2" and "two" are "2", "B - 1" is "b-1"."""
    if (folded := re.sub(r"[\s–—-]+", "-", text.casefold().strip(" .:()"))) in ORDINALS:
        return str(ORDINALS.index(folded) + 1)
    if (key := number_key(folded)) is not None and not (len(folded) == 1 and folded in "cl"):
        return ".".join(str(n) for n in key)
    return folded


_LABELS = re.compile(r"(?<![\w.])\w+(?:[.-]\w+)*")
_NAMED_REACH = 60  # characters between "Clauses" and the number


def labels_behind(words: str, text: str) -> Iterator[str]:
    """Every label, whole and each beginning of it, that begins on a word's line within 60 characters of it."""
    for word in find_all(re.compile(rf"(?<!\w)(?:{words})\w*\W", re.I), text):
        line = re.split("[\n;]", text[word.end() : word.end() + 2 * _NAMED_REACH], maxsplit=1)[0]
        for match in _LABELS.finditer(line):
            parts = re.split("([.-])", plain_label(match[0])) if match.start() <= _NAMED_REACH else []
            starts = (n for n in range(0, len(parts), 2) if n == 0 or parts[n - 1] == "-")
            yield from ("".join(parts[start:end]) for start in starts for end in range(start + 1, len(parts) + 1, 2))


def plain_label(label: str) -> str:
    """ "2.01" is "2.1"."""
    return re.sub(r"(?<!\w)0+(?=\w)", "", label.casefold())


Identity = tuple[str, tuple[str, ...]]


def identity(number: str) -> Identity:
    """A clause number in one spelling: (base, bracketed parts); 2.01 and 2.1, ARTICLE II and article 2 are one."""
    base, *rest = number.split("(")
    parts = tuple(part.rstrip(") ") for part in rest)
    base = base.strip()
    if " paragraph " in base:
        base, _, item = base.partition(" paragraph ")
        return base, ("#" + (number_text(item) or item), *parts)
    if base.startswith("article "):
        key = number_key(base.removeprefix("article "))
        return (f"article {key[0]}" if key else base), parts
    if base[:1].isdigit() or "." in base or number_key(base):
        return number_text(base) or base, parts
    word, _, label = base.partition(" ")
    if word in ("schedule", "exhibit", "annex", "appendix", "attachment") and label and " part " not in base:
        return f"{word} {attachment_label(label)}", parts
    return base, parts


def other_names(name: str, parts: tuple[str, ...]) -> Iterator[Identity]:
    """By what else a provision is cited: article 5 as 5 and 5 as article 5, recital b as recital 2, parties as the preamble, an item of a
    schedule's part as one of the schedule, or of any."""
    kind, _, label = name.rpartition(" ")
    if kind == "article" or name.isdigit():
        yield label if kind else f"article {name}", parts
    elif kind == "recital" and not parts and (label.isdecimal() or len(label) < 3):
        yield f"recital {(chr(96 + int(label)) if int(label) < 27 else '') if label.isdecimal() else ord(label[0]) - 96}", ()
    elif name == "parties":
        yield "preamble", parts
    elif parts and parts[0].startswith("#"):
        yield "", parts
        if " part " in name:
            yield name.split(" part ")[0], parts


def later_in_range(first: str, last: str) -> list[str]:
    """What a range of neighbours names behind its first one: clauses 5.1 to 5.3, or paragraphs (a) to (c); none where they are not of one
    kind."""
    if len(first) == len(last) == 1 and first < last:
        return [chr(code) for code in range(ord(first) + 1, ord(last) + 1)]
    start, stop = number_key(first) if first[:1].isdigit() else None, number_key(last)
    if not start or not stop or start[:-1] != stop[:-1] or not 0 < stop[-1] - start[-1] <= 60:
        return []
    return [".".join(map(str, (*start[:-1], value))) for value in range(start[-1] + 1, stop[-1] + 1)]
