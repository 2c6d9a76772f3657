"""Correcting a verdict of the program: an act of its own, with a reason and a second person; what it is about is kept for its authors."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from calibration.label_files.identity import is_name
from judge.disk import append
from judge.errors import Problem, UsageError, did_you_mean
from judge.inputs.files import places_of, read_entry
from judge.labelling.people import is_same_person, local_user
from judge.labelling.tasks import outcome_choices, written_choice
from judge.printing import quoted
from judge.records import Item, Key, Said
from judge.report.wording import OUTCOME_TITLES, correction_text
from judge.results.decisions import can_become
from judge.results.folder import VERDICTS
from judge.results.reading import Results
from rubrics.verdicts import CANNOT_DETERMINE


def correct(results: Results, key: Key, label: str, who: str, why: str, when: str) -> str:
    """Proposes a correction, confirms another person's, or (with the program's own label) withdraws one; what it came to, in a sentence.
    Raises UsageError for an item that is not there or open, a label that is none, a missing reason, and who would confirm himself."""
    item = _item(results, *key)
    said = _said(item, results, label, who, why, when)
    line = {"case_id": item.case_id, "item": item.item, "tranche": item.tranche, "decided_by": "human", **_parts(said)}
    append(results.path / VERDICTS, {**line, "user": local_user(), "settles": results.binding(item)})
    if said.label == item.outcome:
        return f"{item.case_id} {item.title}: the correction is withdrawn; {OUTCOME_TITLES[item.outcome]} stands undisputed"
    return f"{item.case_id} {item.title}: {correction_text(said)}"


def _item(results: Results, case: str, name: str, tranche: str | None) -> Item:
    """The item of this name, as it is shown or in its key; the tranche need not be said where the name has one alone."""
    if not (of_case := [one for one in results.items if one.case_id == case]):
        raise UsageError(f"no such case: {case!r}{did_you_mean(case, [one.case_id for one in results.cases])}")
    named = [one for one in of_case if name in (one.item, one.title) and tranche in (None, one.tranche)]
    found = [one for one in named if one.tranche == tranche] or named
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"case {case!r} has {name!r} of several tranches: say which with --tranche")
    of = f" of {tranche!r}" if tranche else ""
    known, last = list(dict.fromkeys(one.item for one in of_case)), name.rpartition(".")[2]
    same = ", ".join(quoted(item) for item in known if item.rpartition(".")[2] == last)  # a tranche's, where one of the deal was named
    raise UsageError(f"case {case!r} has no item {name!r}{of}{f'; it has {same}' if same else did_you_mean(name, known)}")


def _said(item: Item, results: Results, text: str, who: str, why: str, when: str) -> Said:
    choices = [c for c in outcome_choices(item.capability) if c.value != CANNOT_DETERMINE]
    if (label := written_choice(choices, text)) is None:
        raise UsageError(f"{text!r} is no label here{did_you_mean(text, [c.value for c in choices])}")
    if not is_name(why):
        raise UsageError("say why with --why: a correction needs a reason")
    open_, before = item.asked, item.correction
    if item.before is not None or (open_ is not None and can_become(open_, label, float(results.label_scores[label]))):
        told = "settle it, or replace an answer (Your answers), with `judge label` or a sheet"
        raise UsageError(f"{item.case_id} {item.title} is a person's to decide: {told}")
    if label == item.outcome and before is None:
        raise UsageError(f"{item.case_id} {item.title}: {label} is what the program says")
    if before is not None and before.label == label and before.is_confirmed:
        raise UsageError(f"{item.case_id} {item.title}: {correction_text(before)} already")
    if before is not None and before.label == label and is_same_person(before.who, who):
        raise UsageError(f"{before.who} has proposed this correction: a second person confirms it")
    mine, rest = Said(label, who, when, why.strip()[:1000]), []
    for one in () if before is None else (before._replace(others=()), *before.others):
        names = [name for name in (one.who, one.second) if name and not is_same_person(name, who)]
        if not names:  # who changes his mind does not take back what he said
            mine = mine._replace(why=f"{mine.why}; before, {one.who} said {one.label}: {one.why}"[:1000])
        elif len(names) == 1 and one.label == label != item.outcome and not mine.second:
            mine = Said(label, names[0], when, f"{one.why}; {who}: {mine.why}", who)
        else:
            rest.append(one._replace(who=names[0], second="".join(names[1:])))
    if label == item.outcome and rest:
        return rest[0]._replace(others=(*rest[1:], mine))
    return mine._replace(others=tuple(rest))


def _parts(said: Said) -> dict[str, Any]:
    """What a person says as a line has it."""
    found = {**said._asdict(), "others": [_parts(one) for one in said.others]}
    return {"outcome": found.pop("label"), **{name: value for name, value in found.items() if value}}


def correction_cases(results: Results) -> Iterator[Mapping[str, Any]]:
    """What people dispute as cases for the program's authors: output and gold of the case, what the program said and why, and people."""
    disputed = [item for item in results.items if item.correction is not None]
    inputs: Mapping[str, Any] = results.run.get("inputs") or {}
    names = {case.case_id: case.gold_id or case.case_id for case in results.cases}
    wanted = {item.case_id for item in disputed}
    batch, gold = _entries(inputs.get("batch"), wanted), _entries(inputs.get("gold"), {names[one] for one in wanted})
    for item in disputed:
        said = item.correction
        program = {"outcome": str(item.outcome), "rule": item.rule, "reason": item.reason, "decided_by": item.decided_by}
        others = [one._asdict() for one in said.others] if said else []
        people = {**said._asdict(), "others": others, "confirmed": said.is_confirmed} if said else {}
        case = {"batch": batch.get(item.case_id), "gold": gold.get(names[item.case_id])}
        shown = {"item": item.item, "tranche": item.tranche, "reported": item.reported, "gold_value": item.gold}
        yield {"case_id": item.case_id, **shown, "program": program, "people": people, **case, "documents": results.run.get("documents")}


def _entries(path: Any, ids: set[str]) -> dict[str, Any]:
    """The entries of these cases in a batch or gold file, where it is still there."""
    problems: list[Problem] = []
    found = {}
    for place, data in places_of(Path(path), problems) if path and Path(path).exists() else ():
        entry = read_entry(place, data, problems)
        if isinstance(entry, dict) and entry.get("case_id") in ids:
            found[str(entry["case_id"])] = entry
    return found
