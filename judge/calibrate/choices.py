"""What a rubric and the contract say before any label is looked at: labels, which of them accept, the rules of trust."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from calibration.decision.objections import Objection, Rules
from calibration.measures.probes import FAMILIES, family_of
from calibration.measures.sample import Sample
from judge.calibrate.calls import rubric_of
from judge.errors import ContractError, UsageError
from judge.records import SEVERITY, Outcome
from rubrics.contract import Contract, load_contract
from rubrics.rubric import Rubric
from rubrics.verdicts import CANNOT_DETERMINE

LEAST_BAR, LEAST_LEVEL = Fraction(1, 2), Fraction(4, 5)  # a coin clears a bar of one half
OUTCOMES = "outcome"  # the rubric name of labels for whole items


def accepting_of(rubric: str, known: Mapping[str, Rubric]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """(labels, accepting ones) of a rubric of the program or of the user; None for labels of anything else."""
    if rubric == OUTCOMES:  # what `judge label` asks of a whole item: the standard's labels
        outcomes = tuple(str(outcome) for outcome in Outcome)
        return outcomes, tuple(str(outcome) for outcome in Outcome if SEVERITY[outcome] < SEVERITY[Outcome.PARTIAL])
    if (found := rubric_of(rubric, known)) is None:
        return None
    choices = tuple(choice for choice in found.choices if choice != CANNOT_DETERMINE)
    return choices, choices[:1]


def rules_of(contract: Contract) -> Rules:
    """The contract's rules of trust."""
    own = contract.calibration
    shares = ("sensitivity_bar", "specificity_bar", "least_coverage", "most_tied", "most_abstained", "most_moved", "slice_floor")
    given: dict[str, Any] = {name: float(getattr(own, name)) for name in shares}
    given |= {name: getattr(own, name) for name in ("least_annotators", "least_classes", "slice_least")}
    return Rules(**given, level=float(own.confidence_level))


def rules_text(contract: Contract) -> dict[str, str]:
    """The contract's calibration section as a record keeps and compares it: name -> exact text."""
    return {name: str(value) for name, value in contract.calibration}


def check_probes(sample: Sample) -> None:
    """What a probe means is known by its name. Raises UsageError."""
    names = {name.removeprefix("probe:").removesuffix("/swapped") for name in sample.readings if name.startswith("probe:")}
    if strange := sorted(name for name in names if family_of(name) is None):
        known = f"{', '.join(FAMILIES)}; your own are attack:NAME, mutation:NAME, harmless:NAME"
        raise UsageError(f"unknown probe {strange[0]!r}; there are: {known}")


def against_choices(
    rubric: str, own: tuple[tuple[str, ...], tuple[str, ...]], labels: Sequence[str], positive: Sequence[str], renames: Mapping[str, str]
) -> Iterator[Objection]:
    """What a run decides by are the rubric's own labels; figures of others say nothing of it."""
    if set(positive) != set(own[1]):
        named = [", ".join(some) or "none" for some in (own[1], positive)]
        yield Objection("open", f"in a run {rubric} accepts by {named[0]}, here {named[1]} were taken for it (--positive)")
    if set(labels) != set(own[0]):
        yield Objection("open", f"the labels {', '.join(labels)} are not those of {rubric}: {', '.join(own[0])}")

    if moved := sorted(label for label in renames if label in own[0] and renames[label] != label):
        told = f"was translated into {renames[moved[0]]!r} (`translate` of the map)"
        yield Objection("open", f"{moved[0]!r} is a label of {rubric} and {told}")


def own_rules(contract: Contract) -> list[str]:
    """Where a contract of one's own asks for something else than the shipped one. Raises ContractError for rules that ask for nothing."""
    own, shipped = rules_text(contract), rules_text(load_contract())
    rules = contract.calibration
    for name, least in (("sensitivity_bar", LEAST_BAR), ("specificity_bar", LEAST_BAR), ("confidence_level", LEAST_LEVEL)):
        if (value := getattr(rules, name)) <= least:
            raise ContractError(f"calibration.{name} is {float(value):g}: at {float(least):g} or below it says nothing of a judge")
    changed = [name for name in sorted(own) if own[name] != shipped[name]]
    return [f"the contract's own rule {name} is {own[name]}, the shipped one {shipped[name]}" for name in changed]
