"""Every case of a batch in about sixty bytes: columns of numbers in place of an object a case, so that memory hardly grows."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, TypeVar

from rubrics.named_file import open_named

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """A checked case, not read yet. `position` counts from 0 in the batch's order; gold cases without output come last. gold_id: the case
    id of the gold line that is gold of several outputs; "" where gold has the case's own id."""

    case_id: str
    capability: str
    documents: tuple[str, ...]
    position: int
    weight: Fraction
    batch: Place | None
    gold: Place | None
    gold_id: str = ""


class Numbers:
    """Whole numbers from 0 in as few bytes each as the largest of them needs."""

    def __init__(self) -> None:
        self._kept = array("B")

    def append(self, number: int) -> None:
        """Adds a number below 2**64."""
        self._widen(number)
        self._kept.append(number)

    def __setitem__(self, position: int, number: int) -> None:
        self._widen(number)
        self._kept[position] = number

    def __getitem__(self, position: int) -> int:
        return self._kept[position]

    def __iter__(self) -> Iterator[int]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def _widen(self, number: int) -> None:
        while number >> 8 * self._kept.itemsize:
            self._kept = array({1: "H", 2: "I"}.get(self._kept.itemsize, "Q"), self._kept)


class TextColumn:
    """Texts one behind the other in one piece of memory."""

    def __init__(self) -> None:
        self._bytes, self._ends = bytearray(), Numbers()

    def append(self, text: str) -> None:
        """Adds a text."""
        self._bytes += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._bytes))

    def __getitem__(self, position: int) -> str:
        start = self._ends[position - 1] if position else 0
        return self._bytes[start : self._ends[position]].decode("utf-8", "surrogatepass")

    def __len__(self) -> int:
        return len(self._ends)


class IdIndex:
    """Positions by case id, as an open-addressed table: some ten bytes an id beside its text, where a dict takes over a hundred."""

    def __init__(self) -> None:
        self.texts = TextColumn()
        self._slots = array("I", [0]) * 64

    def add(self, case_id: str) -> int:
        """Adds an id that is not there yet; its position."""
        position = len(self.texts)
        self.texts.append(case_id)
        if 3 * len(self.texts) > 2 * len(self._slots):
            self._slots = array("I", [0]) * (2 * len(self._slots))
            for known in range(position):
                self._place(known)
        self._place(position)
        return position

    def find(self, case_id: str) -> int | None:
        """Where an id is, None when it is not."""
        mask = len(self._slots) - 1
        slot = hash(case_id) & mask
        while (found := self._slots[slot]) != 0:
            if self.texts[found - 1] == case_id:
                return found - 1
            slot = (slot + 1) & mask
        return None

    def _place(self, position: int) -> None:
        mask = len(self._slots) - 1
        slot = hash(self.texts[position]) & mask
        while self._slots[slot] != 0:
            slot = (slot + 1) & mask
        self._slots[slot] = position + 1

    def __contains__(self, case_id: object) -> bool:
        return isinstance(case_id, str) and self.find(case_id) is not None

    def __len__(self) -> int:
        return len(self.texts)


class Marks:
    """Ids that are marked or not, in some thirty bytes each. Contains the marked ones."""

    def __init__(self) -> None:
        self._ids, self._marks = IdIndex(), bytearray()

    def mark(self, case_id: str, is_marked: bool) -> None:
        """Marks an id, or takes its mark away."""
        if (position := self._ids.find(case_id)) is None:
            position = self._ids.add(case_id)
            self._marks.append(0)
        self._marks[position] = is_marked

    @property
    def known(self) -> int:
        """How many ids there are, marked or not."""
        return len(self._ids)

    def __contains__(self, case_id: object) -> bool:
        return isinstance(case_id, str) and (position := self._ids.find(case_id)) is not None and bool(self._marks[position])

    def __iter__(self) -> Iterator[str]:
        return (self._ids.texts[position] for position, is_marked in enumerate(self._marks) if is_marked)

    def __len__(self) -> int:
        return sum(self._marks)


class SharedColumn(Generic[T]):
    """Values of which many are equal: each is kept once, and a number for every row."""

    def __init__(self) -> None:
        self._values: list[T] = []
        self._numbers: dict[T, int] = {}
        self._rows = Numbers()

    def append(self, value: T) -> None:
        """Adds a row."""
        self._rows.append(self._number(value))

    def __setitem__(self, position: int, value: T) -> None:
        self._rows[position] = self._number(value)

    def __getitem__(self, position: int) -> T:
        return self._values[self._rows[position]]

    def _number(self, value: T) -> int:
        if (number := self._numbers.setdefault(value, len(self._values))) == len(self._values):
            self._values.append(value)
        return number


class PlaceColumn:
    """Where entries stand in their files; None for none."""

    def __init__(self) -> None:
        self._paths: SharedColumn[Path | None] = SharedColumn()
        self._offsets, self._lengths, self.lines = Numbers(), Numbers(), Numbers()

    def append(self, place: Place | None) -> None:
        """Adds a row."""
        self._paths.append(place.path if place else None)
        self._offsets.append(place.offset if place else 0)
        self._lengths.append(place.length if place else 0)
        self.lines.append(place.line if place else 0)

    def __setitem__(self, position: int, place: Place) -> None:
        self._paths[position] = place.path
        self._offsets[position], self._lengths[position], self.lines[position] = place.offset, place.length, place.line

    def __getitem__(self, position: int) -> Place | None:
        path = self._paths[position]
        return None if path is None else Place(path, self._offsets[position], self._lengths[position], self.lines[position])


class CaseTable:
    """All cases in the batch's order; an entry is made when it is looked at."""

    def __init__(self) -> None:
        self.ids = IdIndex()
        self.batch, self.gold = PlaceColumn(), PlaceColumn()
        self.capabilities: SharedColumn[str] = SharedColumn()
        self.documents: SharedColumn[tuple[str, ...]] = SharedColumn()
        self._weights: SharedColumn[Fraction] = SharedColumn()
        self._gold_ids: SharedColumn[str] = SharedColumn()
        self._columns: tuple[Any, ...] = (self.capabilities, self.documents, self._weights, self.batch, self.gold, self._gold_ids)

    def add(
        self, case_id: str, capability: str, documents: tuple[str, ...], weight: Fraction, batch: Place | None, gold: Place | None
    ) -> None:
        """Adds a case whose id is new."""
        self.ids.add(case_id)
        for column, value in zip(self._columns, (capability, documents, weight, batch, gold, ""), strict=True):
            column.append(value)

    def join(self, position: int, gold: Place, weight: Fraction, gold_id: str = "") -> None:
        """Gives a case its gold; gold_id: where the line is that of several outputs."""
        self.gold[position] = gold
        self._weights[position] = weight
        self._gold_ids[position] = gold_id

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[CaseEntry]:
        return (self[position] for position in range(len(self)))

    def __getitem__(self, at: int) -> CaseEntry:
        position = range(len(self))[at]
        capability, documents, *others = (column[position] for column in self._columns)
        return CaseEntry(self.ids.texts[position], capability, documents, position, *others)


class CaseSelection:
    """Some cases of a table, in the order given."""

    def __init__(self, table: CaseTable, positions: Iterable[int]) -> None:
        self.table = table
        self.positions = positions if isinstance(positions, range) else array("I", positions)

    def among(self, case_ids: Container[str], *, is_in: bool = True) -> CaseSelection:
        """Those whose id is one of these, or none of them."""
        texts = self.table.ids.texts
        return CaseSelection(self.table, (p for p in self.positions if (texts[p] in case_ids) is is_in))

    def by_documents(self) -> dict[tuple[str, ...], CaseSelection]:
        """Cases of one set of documents together, sets in the order in which they are first named."""
        groups: dict[tuple[str, ...], array[int]] = {}
        for position in self.positions:
            groups.setdefault(self.table.documents[position], array("I")).append(position)
        return {names: CaseSelection(self.table, positions) for names, positions in groups.items()}

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[CaseEntry]:
        return (self.table[position] for position in self.positions)

    def __getitem__(self, at: int) -> CaseEntry:
        return self.table[self.positions[at]]


MARKDOWN = ".md"


@dataclass(frozen=True, slots=True)
class Place:
    """One entry of a file: bytes [offset, offset + length), starting on `line` (from 1)."""

    path: Path
    offset: int
    length: int
    line: int

    def read(self) -> bytes:
        """The bytes of the entry."""
        with open_named(self.path) as file:
            file.seek(self.offset)
            return file.read(self.length)
