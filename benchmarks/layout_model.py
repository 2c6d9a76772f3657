"""An agreement whose places are known, for the layout bench: blocks in reading order, each with the provision it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

Path_ = tuple[str, ...]
"""A provision as steps from the outermost: ("5", "5.2", "(a)"), ("1", "1.1", "Margin", "(b)"), ("Schedule 2", "Part I", "3")."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading or table row as printed.

    `kind`: "cover", "heading" (centred), "title" (bold, with its number as label), "text", "row" (cells parted by " | "), "page" (a break).
    `path` is the provision that holds the words; None where it is not known for certain (then nothing is asked about it).
    """

    kind: str
    text: str
    label: str = ""
    level: int = 0
    path: Path_ | None = None
    entry: str = ""
    """The line of the contents page, "" for none."""

    @property
    def words(self) -> list[str]:
        return self.text.replace(" | ", " ").split()


@dataclass(slots=True)
class Agreement:
    """An agreement: its blocks, and for each provision the citations that mean it in the document's own spelling, the plainest first."""

    name: str
    title: str
    blocks: list[Block] = field(default_factory=list)
    spellings: dict[Path_, tuple[str, ...]] = field(default_factory=dict)
    bare_number: str = ""
    """The spelling of a top clause ("Clause {}"): what a list item's or table row's number must not be taken for. "" where none is."""

    def add(self, kind: str, text: str, label: str = "", *, level: int = 0, path: Path_ | None = None, entry: str = "") -> None:
        self.blocks.append(Block(kind, " ".join(text.split()), label, level, path, entry))

    def cite(self, path: Path_, *spellings: str) -> Path_:
        self.spellings.setdefault(path, spellings)
        return path


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words [start, end) of a block, by number."""

    block: int
    start: int
    end: int
    text: str
    path: Path_


_ABBREVIATED = re.compile(
    r"(?:\b(?:Inc|Corp|Co|Ltd|No|Nos|Sec|Mr|Ms|St|U\.S|N\.A|i\.e|e\.g|a\.m|p\.m|r\.l|L\.P|cent|Art|seq|Rev|approx)|\b[A-Z])\.$"
)
_LONGEST = 90


def letters(text: str) -> str:
    """Letters and digits alone, lower case: what every reader and writer leaves of a text."""
    return re.sub(r"[\W_]+", "", text.replace("ﬁ", "fi").replace("ﬂ", "fl")).casefold()


def sentences(agreement: Agreement) -> list[Sentence]:
    """Every sentence of at least six words that stands once in the agreement, in a block whose provision is known."""
    whole = letters(" ".join(block.text for block in agreement.blocks))
    return [
        Sentence(n, start, end, " ".join(block.words[start:end]), block.path)
        for n, block in enumerate(agreement.blocks)
        if block.path is not None and block.kind in ("text", "row")
        for start, end in _cuts(block)
        if whole.count(letters(" ".join(block.words[start:end]))) == 1
    ]


def _cuts(block: Block) -> Iterator[tuple[int, int]]:
    words, start = block.words, 0
    if block.kind == "row":
        if len(words) >= 5:
            yield 0, len(words)
        return
    for n, word in enumerate(words):
        is_end = word.endswith((".", ";", ".”", ":")) and not _ABBREVIATED.search(word)
        if is_end or n + 1 == len(words):
            if 6 <= n + 1 - start <= _LONGEST:
                yield start, n + 1
            start = n + 1


def siblings(agreement: Agreement, path: Path_) -> list[tuple[str, Path_]]:
    """The neighbours that a wrong citation would name, by kind: before and behind on each level of the path."""
    found: list[tuple[str, Path_]] = []
    for depth in range(1, len(path) + 1):
        level = [p for p in agreement.spellings if len(p) == depth and p[:-1] == path[: depth - 1]]
        at = level.index(path[:depth]) if path[:depth] in level else -1
        if at < 0:
            continue
        kind = _kind(path[depth - 1])
        # A list behind the last paragraph can be read as part of it: only provisions of one kind are neighbours.
        near: Sequence[Path_] = [level[n] for n in (at - 1, at + 1) if 0 <= n < len(level) and _kind(level[n][-1]) == kind]
        found += [(f"neighbour {kind}", p) for p in near]
    return found


def _kind(step: str) -> str:
    return {"(": "limb", "“": "definition"}.get(step[:1], "list item" if step.startswith("item ") else "clause")


@dataclass(slots=True)
class Truth:
    """Where things stand in one PDF.

    `words`: block -> physical page of each word (a block that could not be located is not in it). `numberings`: name -> what each physical
    page is called in it, "" for nothing. `old`: block -> number of the page on which each word stood before the text was set anew.
    `struck`: block -> the block's wording before the change.
    """

    words: dict[int, list[int]]
    numberings: dict[str, list[str]]
    old: dict[int, list[str]] = field(default_factory=dict)
    struck: dict[int, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Truth:
        read = json.loads(path.read_text(encoding="utf-8"))
        numbers = {name: {int(n): value for n, value in read[name].items()} for name in ("words", "old", "struck")}
        return cls(numberings=read["numberings"], **numbers)
