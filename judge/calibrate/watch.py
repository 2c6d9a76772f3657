"""Drift: the judge asked again of the labelled set that its record was made of. Does the record still hold?
Trust is gone where the record no longer holds for the judge that answers (model, prompt, rubric, rules, days), where the new verdicts do
not clear the bars, or where significantly more of them turned wrong than right (exact McNemar, at the level of the contract)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibration.decision.assessment import Assessment
from calibration.decision.record import Record, RubricRecord, Running, check
from calibration.label_files.labels import JUDGE, LabelFileError
from judge.calibrate.assess import Request, assess_held, held_by_rubric, read_items, rubrics_of_user
from judge.calibrate.calls import Plan, ask_live_judge
from judge.calibrate.choices import accepting_of, rules_text
from judge.calibrate.uses import Uses
from judge.errors import InputError, Problem, UsageError
from rubrics.contract import Contract
from rubrics.named_file import read_named

if TYPE_CHECKING:
    from judge.settings import Settings

CALIBRATED = "other:calibrated"  # the reading that the record was made of
_TOLD = {"holds": "trust holds", "gone": "trust is gone", "never_given": "trust was never given"}
_NEXT = {
    "gone": "look at what changed (model, endpoint, prompt, rubric), then run, label and calibrate again",
    "never_given": "the record itself trusts nobody: label more and calibrate again, as the calibration's own report says",
}


def watch(request: Request, record: Record, contract: Contract, settings: "Settings") -> list[dict[str, Any]]:
    """Every rubric of the record that was made of this label file, asked again past the cache: how this version of judge and prompt did on
    the frozen set, and why trust is gone, if it is. Raises UsageError where the record was made of other labels, EndpointError where the
    judge answers nothing."""
    held_hash = hashlib.sha256(read_named(request.labels_file)).hexdigest()
    entries = [entry for entry in record.rubrics if entry.data_hash == held_hash and request.own.rubric in (None, entry.rubric)]
    if not entries:
        raise UsageError(f"{request.labels_file}: the record was made of other labels ({record.label_file}): watch it with those")
    known = rubrics_of_user(settings)
    try:
        items = read_items(request)
        held, _ = held_by_rubric(request, [item for item in items if item.rubric in {entry.rubric for entry in entries}], known)
        before = [replace(item, readings=((JUDGE, item.reading(JUDGE) or ""),)) for some in held.values() for item in some.items]
        before = [item for item in before if item.reading(JUDGE)]
        if not before:
            raise UsageError(f"{request.labels_file}: holds no verdict of the calibrated judge to compare with")
        fresh, prints, _ = ask_live_judge(before, settings.model_copy(update={"no_cache": True}), known, Plan())
        both = ((new, (*new.readings, (CALIBRATED, dict(old.readings)[JUDGE]))) for old, new in zip(before, fresh, strict=True))
        asked = {(new.rubric, new.item_id): replace(new, readings=readings) for new, readings in both}
        found = []
        for entry in entries:
            name, uses = entry.rubric, Uses(entry.uses)
            answered = [asked.get((name, item.item_id), replace(item, readings=())) for item in held[name].items]  # or as before: without
            now = replace(held[name], items=tuple(answered))
            assessment = assess_held(name, now, request, contract, known, uses, is_live=True, drift=(CALIBRATED, JUDGE))
            accepting = accepting_of(name, known)
            running = Running(prints[name], request.today, rules_text(contract), accepting[1] if accepting else None)
            found.append(_watched(record, entry, assessment, running, float(contract.calibration.confidence_level)))
        return found
    except LabelFileError as error:
        raise InputError([Problem(request.labels_file.name, None, "", str(error))]) from error


def _watched(record: Record, entry: RubricRecord, assessment: Assessment, running: Running, level: float) -> dict[str, Any]:
    drift, rates = assessment.drift, assessment.performance
    assert drift is not None
    change, sides = drift.correctness, {"sensitivity": rates.sensitivity_all, "specificity": rates.specificity_all}
    reasons = [*check(record, entry.rubric, running)]
    if assessment.trust.outcome != "trusted":
        reasons.append(assessment.trust.reasons[0])
    if change.lost > change.gained and change.p < 1 - level:
        reasons.append(f"{change.lost} verdicts turned wrong and {change.gained} right, exact McNemar p {change.p:.2g}")
    return {
        "day": running.today.isoformat(),
        "rubric": entry.rubric,
        "trust": "holds" if not reasons else "gone" if entry.outcome == "trusted" else "never_given",
        "items": drift.items,
        "right_before": change.before,
        "right_now": change.after,
        **{name: getattr(change, name) for name in ("lost", "gained", "p")},
        **{name: rate.value if rate else None for name, rate in sides.items()},
        "fingerprint": dict(running.fingerprint),
        "data_hash": entry.data_hash,
        "reasons": reasons,
    }


def told(lines: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the terminal shows."""
    for one in lines:
        yield f"{one['rubric']}: {_TOLD[one['trust']]}"
        yield (
            f"  {one['items']} items asked again: {one['right_before'] or 0:.1%} right when calibrated, {one['right_now'] or 0:.1%} now; "
            f"{one['lost']} turned wrong, {one['gained']} right, exact McNemar p {one['p']:.2g}"
        )
        yield from (f"  - {reason}" for reason in one["reasons"])
    yield from (f"next: {_NEXT[state]}" for state in dict.fromkeys(one["trust"] for one in lines) if state in _NEXT)
