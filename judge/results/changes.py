"""Everything of an item that is another between two runs: output, citation, gold, outcome, and who decided it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from judge.records import Item, Key

KINDS = ("output", "citation", "gold", "outcome", "decided by", "only before", "only after")


@dataclass(frozen=True, slots=True)
class Side:
    """What one run says of an item. who: the person or model that decided it, "" for a rule."""

    reported: str
    cited: str
    gold: str
    outcome: str
    decided_by: str
    who: str


@dataclass(frozen=True, slots=True)
class Change:
    """An item that differs; what: some of KINDS; a side is None where that run lacks the item."""

    case_id: str
    item: str
    tranche: str | None
    what: tuple[str, ...]
    before: Side | None
    after: Side | None

    @property
    def key(self) -> Key:
        """Case, item, tranche."""
        return self.case_id, self.item, self.tranche


def changes_of(before: Mapping[Key, Item], after: Mapping[Key, Item]) -> tuple[Change, ...]:
    """Every item that differs, in the later run's order, then those that it lacks."""
    keys = dict.fromkeys([*after, *before])
    sides = ((key, side_of(before.get(key)), side_of(after.get(key))) for key in keys)
    return tuple(Change(*key, tuple(_what(a, b)), a, b) for key, a, b in sides if a != b)


def side_of(item: Item | None) -> Side | None:
    """What a run says of an item."""
    if item is None:
        return None
    cited = "\n".join(f"{cited.claim.place}: {cited.claim.quote}" for cited in item.citations if any(cited.claim))
    who = item.who or (item.judge.model if item.judge is not None and item.decided_by in ("llm", "panel") else "")
    return Side(item.reported, cited, item.gold, str(item.outcome), item.decided_by, who)


def _what(before: Side | None, after: Side | None) -> Iterator[str]:
    if before is None or after is None:
        yield "only after" if before is None else "only before"
        return
    pairs = {
        "output": (before.reported, after.reported),
        "citation": (before.cited, after.cited),
        "gold": (before.gold, after.gold),
        "outcome": (before.outcome, after.outcome),
        "decided by": ((before.decided_by, before.who), (after.decided_by, after.who)),
    }
    yield from (name for name, (a, b) in pairs.items() if a != b)


def counted_kinds(changes: Iterable[Change]) -> dict[str, int]:
    """How many items changed in which respect."""
    counts = Counter(what for change in changes for what in change.what)
    return {kind: counts[kind] for kind in KINDS if counts[kind]}
