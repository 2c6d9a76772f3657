"""A person's verdict on an item that nobody decided: appended to the result folder, with who, when and why; the gates are applied again.
People who disagree settle nothing, nor do fewer than were asked for: the item stays undecided until they agree, or until a further person
decides between them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.label_files.identity import each_once
from judge.capabilities.open_points import point_of_cause
from judge.disk import append, write_atomically
from judge.errors import UsageError
from judge.labelling.label_file import Label
from judge.labelling.tasks import COMPLETE
from judge.records import RIGHT, Item, Key, NonOutcome
from judge.results.folder import OVERLAP, VERDICTS
from judge.results.lines import OUTCOMES, JsonLine, verdict_line
from judge.results.reading import Results
from rubrics.named_file import read_named
from rubrics.verdicts import CANNOT_DETERMINE

MOST_PEOPLE = 20


class Settlement:
    """Writes people's verdicts into one result folder. people: how many must agree."""

    def __init__(self, results: Results, people: int = 1) -> None:
        self._verdicts, self._results, self._people = results.path / VERDICTS, results, people
        self._latest = {item.key: item for item in results.items if item.asked is not None}
        self._open_items = {key: item.asked for key, item in self._latest.items() if item.asked is not None}

    def settle(self, given: Mapping[Key, Sequence[Label]]) -> int:
        """Appends what the labels of items amount to where that is not what the folder says already; how many lines were added."""
        lines = []
        for key, labels in given.items():
            item = settled(self._open_items[key], labels, self._results.label_scores, self._people)
            item = replace(item, settles=self._results.binding(self._open_items[key]) if item.decided_by == "human" else "")
            is_new = _said(item) != _said(self._latest[key])
            if is_new and "human" in (item.decided_by, self._latest[key].decided_by):
                lines.append(verdict_line(item) if item.decided_by == "human" else self._withdrawal(item))
            self._latest[key] = item
        if lines:
            append(self._verdicts, *lines)
        return len(lines)

    def _withdrawal(self, item: Item) -> JsonLine:
        """The line by which the last person takes back what was said."""
        said = {"case_id": item.case_id, "item": item.item, "tranche": item.tranche, "outcome": str(item.outcome), "decided_by": "human"}
        return {**said, "who": self._latest[item.key].who, "settles": self._results.binding(item), "withdrawn": True}

    def waiting(self, cause: str) -> int:
        """How many items are open for a cause that only people give: `further_person`, `people_disagree`."""
        return sum(item.why_open == cause for item in self._latest.values())


def people_needed(folder: Path, asked: int | None) -> int:
    """How many people must agree on an item of this run: as asked now, else as last asked for, else one. What is asked for is kept in the
    folder, so that the next person does not settle alone what two were to settle. Raises UsageError for a damaged record of it."""
    path = folder / OVERLAP
    if asked is None:
        try:
            kept = json.loads(read_named(path, 100)) if path.exists() else 1
        except ValueError:
            kept = None
        if not isinstance(kept, int) or isinstance(kept, bool) or not 1 <= kept <= MOST_PEOPLE:
            raise UsageError(f"{path}: is not a whole number from 1 to {MOST_PEOPLE}: say it again with --overlap N")
        return kept
    write_atomically(path, [f"{asked}\n"])
    return asked


def _said(item: Item) -> tuple[object, ...]:
    """What a person's line can change."""
    return item.outcome, item.score, item.decided_by, item.who, item.why, item.why_open, item.provenance.complete


def settled(before: Item, labels: Sequence[Label], label_scores: Mapping[str, Any], people: int = 1) -> Item:
    """What people's labels make of an open item. It stays open without labels, and where they disagree, are too few, or cannot tell. An
    adjudicator's label decides alone."""
    if not labels:
        return before
    deciding = [label for label in labels if label.is_adjudication] or labels
    values = {label.value for label in deciding}
    is_waiting = len(labels) < people and not deciding[0].is_adjudication
    reason, why = " ".join(_sentence(label) for label in labels)[:1000], " ".join(label.note for label in labels if label.note)
    who = ", ".join(each_once(label.annotator for label in deciding))
    by_person = replace(before, decided_by="human", reason=reason, who=who, when=labels[-1].when, why=why, uncertified=None, exception=None)
    if len(values) > 1 or CANNOT_DETERMINE in values or is_waiting:
        cause = "people_disagree" if len(values) > 1 else CANNOT_DETERMINE if CANNOT_DETERMINE in values else "further_person"
        if not before.is_open:  # its label is the program's: people only leave open what they were asked
            return replace(before, why_open=cause)
        return replace(by_person, outcome=NonOutcome.UNDECIDED, score=None, why_open=cause, open_point=point_of_cause(cause))
    label, _, cited = values.pop().partition(":")
    outcome = OUTCOMES[label]
    score = float(label_scores[outcome]) if outcome in label_scores else None
    provenance = before.provenance
    if provenance.is_open:  # the full labels ask for a full citation (standard 1.1); of the others it is said with the label
        provenance = replace(provenance, is_open=False, complete=outcome in RIGHT or cited == COMPLETE)
    bounds = before.bounds if score is None else (score, score)
    found = replace(by_person, outcome=outcome, score=score, bounds=bounds, provenance=provenance)
    return replace(found, why_open="", open_point="", can_hallucinate=False)


def _sentence(label: Label) -> str:
    verb = "decides between them:" if label.is_adjudication else "says"
    why = f" ({label.note.rstrip('.')})" if label.note else ""
    return f"{label.annotator} {verb} {label.value.replace('_', ' ')}{why}."
