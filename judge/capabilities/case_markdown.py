"""The little of Markdown that a case file is made of: headings, tables, "Key: value" lines, quotes and lists, each with its line number."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from judge.capabilities.wording import fold_text
from judge.errors import Problem, did_you_mean
from judge.printing import quoted

NOTHING = frozenset({"", "-", "–", "—"})
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?")  # |---|:---:|
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_KEY = re.compile(r"\**(?P<key>[A-Za-z][A-Za-z ()&-]{0,40}?)\s*(?:\*\*:|:\*\*|:)\**\s*(?P<value>.*)", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(?P<text>.*)")


class Line(NamedTuple):
    """A line of the file; number counts from 1."""

    number: int
    text: str


@dataclass(slots=True)
class Section:
    """A heading with the lines below it, down to the next heading; children: the sections of the level below."""

    title: str
    line: int
    lines: list[Line] = field(default_factory=list)
    children: list[Section] = field(default_factory=list)


class Row(NamedTuple):
    """A row of a table: column -> cell; cells that say nothing are left out."""

    line: int
    cells: dict[str, str]


@dataclass(slots=True)
class Faults:
    """Everything that is wrong with one case file."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, key: str, message: str) -> None:
        """One more fault: what to do about a key on a line."""
        self.found.append(Problem(self.file, line, key, message))

    def unknown(self, line: int, what: str, given: str, known: Sequence[str]) -> None:
        """A word that is none of a list, with the list."""
        near = did_you_mean(given, known)
        self.add(line, what, f"unknown {what} {quoted(given)}{near if near.endswith('?') else ''}; known: {', '.join(known)}")


def outline(text: str) -> Section:
    """The whole file below its title; what stands before the title is in `lines` of a section without one."""
    top = [Section("", 1)]
    for number, raw in enumerate(_without_comments(text).splitlines(), 1):
        heading = re.fullmatch(r"\s{0,3}(#{1,6})\s+(.*)", raw)
        if heading is None:
            top[-1].lines.append(Line(number, raw.strip()))
            continue
        section, depth = Section(plain(heading[2].rstrip().rstrip("#")), number), min(len(heading[1]), 3)
        del top[depth:]
        top[-1].children.append(section)
        top.append(section)
    return top[0]


def _without_comments(text: str) -> str:
    """A text without `<!-- … -->`; its lines keep their numbers."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])


def plain(text: str) -> str:
    """A text without the emphasis around it, line breaks of a cell as `;`."""
    text = _BREAK.sub("; ", text.strip()).strip()
    while found := re.fullmatch(r"(\*\*|__|\*|`)(?P<inner>[^*`]+)\1", text):
        text = found["inner"].strip()
    return text


def rows(lines: Sequence[Line], columns: Mapping[str, str], faults: Faults, needed: Collection[str] = ()) -> list[Row]:
    """The rows of all tables among the lines. columns: title, folded -> key. A column that is not known, or is missing, is a fault."""
    found: list[Row] = []
    for table in _tables(lines):
        keys = [columns.get(fold_text(title)) for title in _cells(table[0].text)]
        for title, key in zip(_cells(table[0].text), keys, strict=True):
            if key is None:
                faults.unknown(table[0].number, "column", title, list(columns))
        for title, key in columns.items():
            if key in needed and key not in keys:
                faults.add(table[0].number, "column", f"the table has no column {title!r}; its columns: {', '.join(columns)}")
        for line in table[2:]:
            cells = _cells(line.text)
            if len(cells) > len(keys):
                faults.add(line.number, "row", f"has {len(cells)} cells under {len(keys)} columns; write a | within a cell as \\|")
                continue
            given = zip(keys, cells, strict=False)
            found.append(Row(line.number, {key: cell for key, cell in given if key is not None and cell not in NOTHING}))
    return [row for row in found if row.cells]


def _tables(lines: Sequence[Line]) -> Iterator[list[Line]]:
    at = 0
    while at + 1 < len(lines):
        if "|" in lines[at].text and "|" in lines[at + 1].text and _RULE.fullmatch(lines[at + 1].text):
            end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n].text), len(lines))
            yield list(lines[at:end])
            at = end
        at += 1


def _cells(text: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", text.removeprefix("|"))
    if parts and not parts[-1].strip():
        del parts[-1]
    return [plain(part.replace("\\|", "|")) for part in parts]


class Keyed(NamedTuple):
    """The value of a `Key: value` line, with the lines that go on with it."""

    line: int
    key: str
    value: str


def keyed(lines: Sequence[Line], known: Collection[str], faults: Faults) -> list[Keyed]:
    """The `Key: value` lines; a value goes on over the lines behind it, up to the next key. known: keys, folded.

    A first line with another key, and one that is nearly a known key, is a fault; other text without a key is passed over.
    """
    found: list[Keyed] = []
    for number, text in lines:
        match = _KEY.fullmatch(text)
        key = fold_text(match["key"]) if match else ""
        if match and key in known:
            found.append(Keyed(number, key, plain(match["value"])))
        elif match and not text.startswith("|") and (not found or "?" in did_you_mean(key, list(known))):
            faults.unknown(number, "key", match["key"], list(known))
        elif text and not text.startswith("|") and found:
            item = _ITEM.fullmatch(text)
            rest = plain(item["text"] if item else text)
            found[-1] = found[-1]._replace(value=f"{found[-1].value}\n{rest}" if item else f"{found[-1].value} {rest}".strip())
    return found


def paragraphs(lines: Sequence[Line]) -> str:
    """Running text: lines of a paragraph joined, paragraphs apart by an empty line."""
    parts: list[list[str]] = [[]]
    for _, text in lines:
        if text:
            parts[-1].append(text)
        else:
            parts.append([])
    return "\n\n".join(" ".join(part) for part in parts if part)


def items(lines: Sequence[Line]) -> list[str]:
    """The points of a list; a point goes on over lines without a mark."""
    found: list[str] = []
    for _, text in lines:
        match = _ITEM.fullmatch(text)
        if match:
            found.append(match["text"].strip())
        elif text and found:
            found[-1] += f" {text}"
        elif text:
            found.append(text)
    return found
