"""A case's own scoring table (companion.md section 3): whether its rows can stand, and which of them fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from judge.capabilities import Capability, Fault
from judge.capabilities.cases import Criterion
from judge.errors import did_you_mean
from judge.printing import quoted
from rubrics.verdicts import CANNOT_DETERMINE, NONE_FITS


def criteria_faults(criteria: Sequence[Criterion] | None, capability: Capability, gold: Any) -> Iterator[Fault]:
    """What is wrong with a scoring table beside its case: no row, double ids, no row for a right output, a foreign scope or item."""
    if criteria is None:
        return
    if not criteria:
        yield "criteria", "holds no row; leave it out, or give a row of score 1.0 for the case"
        return
    for row_id, count in Counter(row.id for row in criteria).items():
        if count > 1:
            yield "criteria", f"{count} rows have the id {row_id!r}: give every row an id of its own"
    if taken := [row.id for row in criteria if row.id in (NONE_FITS, CANNOT_DETERMINE)]:
        yield "criteria", f"{taken[0]!r} is an answer of the judge, no id of a row"
    if not any(row.scope == "case" and row.score == 1 and row.item is None for row in criteria):
        yield "criteria", "no row of scope case has the score 1.0: say when an output is wholly right"
    scored = capability.scored
    scope = scored.scope if scored is not None else None
    names = list(scored.names(gold)) if scored is not None else []
    for n, row in enumerate(criteria):
        if row.scope not in ("case", scope):
            known = f"case or {scope}" if scope else "case"
            yield f"criteria[{n}].scope", f"a case of {capability.name} has no {row.scope}: give {known}"
        if row.item is not None and row.item not in names:
            yield f"criteria[{n}].item", f"gold has no {scope or 'item'} {quoted(row.item)}{did_you_mean(row.item, names)}"
