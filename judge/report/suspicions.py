"""What a reader must follow up: the likely root cause of each hallucination, and items where gold itself may be wrong."""

import re
from dataclasses import dataclass

from judge.records import Item
from judge.report.wording import WORDS
from judge.results.reading import Results, causes_of

_CAUSES: dict[str, str] = WORDS["root_causes"]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An item with the reason why a person should look at it."""

    item: Item
    cause: str


def root_causes(results: Results) -> tuple[Suspicion, ...]:
    """Every hallucination with its cause as people wrote it, else its likely one (standard 6: root cause analysis before a re-run)."""
    said = causes_of(results)
    found = [item for item in results.items if item.outcome == "hallucination"]
    return tuple(Suspicion(item, said.get(item.key) or f"Nobody has written one. Likely: {_cause(item)}") for item in found)


def _cause(item: Item) -> str:
    if item.rule == "1.1 Hallucination":  # the value itself, whatever its quote is
        return _CAUSES["value"]
    signs = (*(code for code, _ in item.findings), *(cited.outcome for cited in (item.provenance, *item.citations)))
    return next((_CAUSES[sign] for sign in signs if sign in _CAUSES), _CAUSES["value"])


def gold_suspects(items: tuple[Item, ...]) -> tuple[Suspicion, ...]:
    """Items that fail against gold although the document is on the side of the reported value, and gold that the check did not find."""
    found = []
    for item in items:
        codes = {code for code, _ in item.findings}
        if "GOLD_NOT_FOUND" in codes:
            found.append(Suspicion(item, _CAUSES["gold_lacks"]))
        elif item.outcome == "fail" and item.reported and item.gold and _stands_in_quote(item):
            found.append(Suspicion(item, _CAUSES["gold_differs"]))
    return tuple(found)


def _stands_in_quote(item: Item) -> bool:
    value, gold = _folded(item.reported), _folded(item.gold)
    if len(value) < 2 or value in gold or gold in value:  # one is a part of the other: a form of the same thing, not another one
        return False
    whole = re.compile(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\d)")
    quotes = (cited.claim.quote for cited in item.citations if cited.outcome in ("exact", "normalised"))
    return any(whole.search(_folded(quote)) for quote in quotes)


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
