"""Headings of rarer forms: sections numbered in brackets, those that a layout has left inside lines, and how headings are named."""

from __future__ import annotations

import re

from deterministic.clauses.headings import LINE_END, Heading, HeadingKind, ends_sentence, is_left_open, next_line, title_words
from deterministic.clauses.numerals import fold_words, number_key
from deterministic.lexicon.stems import singular

_BRACKETED = re.compile(r"^[ \t\xa0]*\((\d{1,3})\)(?:[ \t\xa0]|\n[ \t\xa0]*(?!\())+(?=[A-Z“])([^\n]+)", re.M)
_FEWEST_BRACKETED, _TITLED, _OWN_TEXT = 4, 0.6, 120


def bracketed_headings(text: str) -> list[Heading]:
    """Sections numbered (1), (2), (3): one count through the text, most of them with a title, and with text of their own."""
    found = [(int(m[1]), m) for m in _BRACKETED.finditer(text)]
    run: list[re.Match[str]] = []
    last = 0
    for value, match in found:
        is_next = value == last + 1 or (last < value <= last + 3 and run_in_title(match[2]))
        if is_next and (not run or match.start() - run[-1].start() > _OWN_TEXT or run_in_title(match[2])):
            run.append(match)
            last = value
    titles = [run_in_title(match[2]) for match in run]
    if len(found) > 1.2 * len(run):  # lists that start again and again
        return []
    if len(run) < _FEWEST_BRACKETED or sum(map(bool, titles)) < _TITLED * len(run) or (run[-1].start() - run[0].start()) < len(text) / 3:
        return []
    return [
        Heading("section", (int(match[1]),), match[1], title, match.start(), match.end(), 1.8, True)
        for match, title in zip(run, titles, strict=True)
    ]


_RUN_IN = re.compile(r"([A-Z][^.:\n]{2,90}?)\s*(?:[.:](?=\s|$)|$)")


def run_in_title(line: str) -> str:
    """The heading that a line begins with: a few words in capitals or in title case, closed by a full stop or the end of the line."""
    match = _RUN_IN.match(line.replace("\xa0", " "))
    words = match[1].split() if match else []
    heavy = [word for word in words if len(word) > 3 and word[:1].isalpha()]
    return match[1] if match and len(words) <= 12 and heavy and all(word[0].isupper() for word in heavy) else ""


_INSIDE_LINE = re.compile(
    r"(?P<word>S(?:ECTION|ection)|ARTICLE)[ \xa0]+(?P<number>\d{1,3}(?:\.\d{1,3})?|[IVX]{1,5})"
    r"(?:\.[ \xa0]+(?=(?P<rest>[A-Z“][^\n]*))|[ \t\xa0]*$)",
    re.M,
)


def headings_inside_lines(text: str) -> list[Heading]:
    """Headings that the layout has left inside lines: "... mutatis mutandis. SECTION 1.02. Other Defined Terms. As used ..."."""
    found = []
    for match in _INSIDE_LINE.finditer(text):
        key, before = number_key(match["number"]), text[max(0, match.start() - LINE_END) : match.start()]
        if not before.strip() or before[-1] not in " \t\xa0" or not before.rpartition("\n")[2].strip():
            continue  # at the beginning of a line
        title = run_in_title(match["rest"]) if match["rest"] else ""
        is_loud = match["word"].isupper() and (match["rest"] is not None or match["word"] == "ARTICLE")
        if key and not is_left_open(before) and (is_loud or (title and ends_sentence(before))):
            kind: HeadingKind = "article" if match["word"] == "ARTICLE" else "section"
            if match["rest"] is None:
                title = title_words(next_line(text, match.end())[0])
            found.append(Heading(kind, key, match["number"].casefold(), title, match.start("word"), match.end("number"), 1.5, True))
    return found


GENERIC = frozenset(
    "clause section article paragraph the a an of in and to covenant covenants provision provisions agreement part page under heading sub "
    "headed titled".split()
)


def heading_parts(title: str) -> list[str]:
    """The headings that stand side by side in one: "Governing Law; Jurisdiction"; none when there is only one."""
    parts = [fold_words(part) for part in re.split(r"[;,/:]|\s[–—-]\s|\band\b|&", title)] if title else []
    return [part for part in parts if part] if len(parts) > 1 else []


def is_same_heading(words: str, title: str) -> bool:
    """The same words but for words like "covenant" and order of singular and plural."""
    other = [singular(word) for word in title.split() if word not in GENERIC]
    return bool(words) and [singular(word) for word in words.split()] == other
