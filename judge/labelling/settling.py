"""A person's verdict on an item that nobody decided: appended to the result folder, with who, when and why; the gates are applied again.

People who disagree settle nothing, nor do fewer than were asked for: the item stays undecided until they agree, or until a further person
decides between them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.capabilities.open_points import point_of_cause
from judge.errors import UsageError
from judge.labelling.label_file import Label, append_durably
from judge.records import RIGHT, Item, Key, NonOutcome, Outcome
from judge.results.folder import VERDICTS, program_items, read_cases, write_atomically
from judge.results.lines import verdict_line
from judge.results.reading import read_items
from rubrics.verdicts import CANNOT_DETERMINE

OVERLAP = "overlap.json"  # how many people must agree, as last asked for
MOST_PEOPLE = 20


class Settlement:
    """Writes people's verdicts into one result folder. label_scores: the contract's score of each outcome; people: how many must agree."""

    def __init__(self, folder: Path, label_scores: Mapping[str, Any], people: int = 1, items: Sequence[Item] = ()) -> None:
        self._verdicts = folder / VERDICTS
        self._scores, self._people = label_scores, people
        self._open_items, self._latest = read_open_items(folder, label_scores, items)

    def settle(self, given: Mapping[Key, Sequence[Label]]) -> int:
        """Appends what the labels of items amount to where that is not what the folder says already; how many lines were added."""
        lines = []
        for key, labels in given.items():
            item = settled(self._open_items[key], labels, self._scores, self._people)
            if _said(item) != _said(self._latest[key]):
                lines.append(verdict_line(item))
                self._latest[key] = item
        if lines:
            append_durably(self._verdicts, *lines)
        return len(lines)

    def waiting(self, cause: str) -> int:
        """How many items are open for a cause that only people give: `further_person`, `people_disagree`."""
        return sum(item.why_open == cause for item in self._latest.values())


def people_needed(folder: Path, asked: int | None) -> int:
    """How many people must agree on an item of this run: as asked now, else as last asked for, else one. What is asked for is kept in the
    folder, so that the next person does not settle alone what two were to settle. Raises UsageError for a damaged record of it."""
    path = folder / OVERLAP
    if asked is None:
        try:
            kept = json.loads(path.read_bytes()) if path.exists() else 1
        except ValueError:
            kept = None
        if not isinstance(kept, int) or isinstance(kept, bool) or not 1 <= kept <= MOST_PEOPLE:
            raise UsageError(f"{path}: is not a whole number from 1 to {MOST_PEOPLE}: say it again with --overlap N")
        return kept
    write_atomically(path, [f"{asked}\n"])
    return asked


def _said(item: Item) -> tuple[object, ...]:
    """What a person's line can change."""
    return item.outcome, item.score, item.decided_by, item.who, item.why, item.why_open


def read_open_items(folder: Path, label_scores: Mapping[str, Any], items: Sequence[Item] = ()) -> tuple[dict[Key, Item], dict[Key, Item]]:
    """The items that a person may settle, as the program wrote them, without what people said already; and as they are now."""
    latest = items or list(read_items(folder, read_cases(folder), label_scores))
    is_untouched = all(item.decided_by != "human" for item in latest)  # then the program's lines are the last ones
    programs = {item.key: item for item in (latest if is_untouched else program_items(folder))}
    now = {i.key: i for i in latest if (i.is_open or i.decided_by == "human") and i.key in programs}
    return {key: programs[key] for key in now}, now


def settled(before: Item, labels: Sequence[Label], label_scores: Mapping[str, Any], people: int = 1) -> Item:
    """What people's labels make of an open item. It stays open without labels, and where they disagree, are too few, or cannot tell.

    An adjudicator's label decides alone.
    """
    if not labels:
        return before
    deciding = [label for label in labels if label.is_adjudication] or labels
    values = {label.value for label in deciding}
    is_waiting = len(labels) < people and not deciding[0].is_adjudication
    by_person = replace(
        before,
        decided_by="human",
        reason=_reason(labels),
        who=", ".join(dict.fromkeys(label.annotator for label in labels)),
        when=labels[-1].when,
        why=" ".join(label.note for label in labels if label.note),
        uncertified=None,
        exception=None,
    )
    if len(values) > 1 or CANNOT_DETERMINE in values or is_waiting:
        cause = "people_disagree" if len(values) > 1 else CANNOT_DETERMINE if CANNOT_DETERMINE in values else "further_person"
        return replace(by_person, outcome=NonOutcome.UNDECIDED, score=None, why_open=cause, open_point=point_of_cause(cause))
    outcome = Outcome(values.pop())
    score = float(label_scores[outcome])
    provenance = before.provenance
    if provenance.is_open:  # the full labels ask for a full citation (standard 1.1), the others do not have one
        provenance = replace(provenance, is_open=False, complete=outcome in RIGHT)
    return replace(
        by_person,
        outcome=outcome,
        score=score,
        bounds=(score, score),
        provenance=provenance,
        why_open="",
        open_point="",
        can_hallucinate=False,
    )


def _reason(labels: Sequence[Label]) -> str:
    """One sentence a person: who said what, and why."""
    return " ".join(_sentence(label) for label in labels)[:1000]


def _sentence(label: Label) -> str:
    verb = "decides between them:" if label.is_adjudication else "says"
    why = f" ({label.note.rstrip('.')})" if label.note else ""
    return f"{label.annotator} {verb} {label.value.replace('_', ' ')}{why}."
