"""Checks of a user's own: a decorated function adds one item to the cases of a capability, with a label and a reason.
The file is code that runs with the user's rights: only a command line or the environment names it, never a folder's own files."""

import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from judge.capabilities.context import Context
from judge.capabilities.decisions import Subject, closed, decide, opened
from judge.errors import UsageError
from judge.records import Decision, Outcome, Part

Said = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """What a check sees. output, gold: as in the input files (gold {} without one); texts: file name -> the document's text."""

    case_id: str
    input: Mapping[str, Any]
    output: Mapping[str, Any]
    gold: Mapping[str, Any]
    texts: Mapping[str, str]
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Check:
    name: str
    weight: Fraction
    function: Callable[[CheckedCase], Said]


_checks: dict[str, list[_Check]] = {}


def check(capability: str, weight: float = 0) -> Callable[[Callable[[CheckedCase], Said]], Callable[[CheckedCase], Said]]:
    """Makes a function a check: (label, reason) of a case, or None where it does not apply; the item is `checks.<function>`. weight: in the
    case's score; 0 shows the item and leaves the standard's scores alone."""

    def add(function: Callable[[CheckedCase], Said]) -> Callable[[CheckedCase], Said]:
        _checks.setdefault(capability, []).append(_Check(function.__name__, Fraction(repr(weight)), function))
        return function

    return add


def load_checks(path: Path | None, capabilities: tuple[str, ...]) -> None:
    """Runs the file, so that its checks count from now on, in place of any before. Raises UsageError."""
    _checks.clear()
    if path is None:
        return
    try:
        runpy.run_path(str(path))
    except Exception as error:  # the file is anybody's code: whatever it raises is a fact about it
        raise UsageError(f"--checks {path}: cannot be run: {type(error).__name__}: {error}") from None
    names = [one.name for found in _checks.values() for one in found]
    if unknown := sorted(set(_checks) - set(capabilities)):
        raise UsageError(f"--checks {path}: there is no capability {unknown[0]!r}; known: {', '.join(capabilities)}")
    if not names or len(set(names)) < len(names):
        raise UsageError(f"--checks {path}: {'two checks have one name' if names else 'no function is decorated with @check(CAPABILITY)'}")


def own_decisions(context: Context) -> list[Decision]:
    """The items of the user's own checks of a case that has an output."""
    found = []
    for one in _checks.get(context.case.capability, ()) if context.case.output is not None else ():
        if (part := _part(one, _seen(context))) is not None:
            found.append(decide(context, Subject(f"checks.{one.name}", one.weight), part))
    return found


def _seen(context: Context) -> CheckedCase:
    case = context.case
    output, gold = (
        {} if model is None else model.model_dump(mode="json", by_alias=True, exclude_defaults=True) for model in (case.output, case.gold)
    )
    texts = {name: document.text for name, document in context.documents.items()}
    return CheckedCase(case.case_id, case.input, output, gold, texts, case.metadata)


def _part(one: _Check, seen: CheckedCase) -> Part | None:
    rule = f"own check {one.name}"
    try:
        said = one.function(seen)
        return None if said is None else closed(Outcome(said[0]), str(said[1])[:2000], rule)
    except Exception as error:  # a check that fails is no verdict
        reason = f"The check failed: {type(error).__name__}: {error}"[:500]
        return opened(Outcome.FAIL, Outcome.CORRECT, reason, rule, "check_failed")
