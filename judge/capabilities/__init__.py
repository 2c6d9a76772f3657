"""What the program knows of a capability: one record, made in the capability's own folder and found by name in `registry`.
A capability is a pure function from a Context to decisions, its input formats, and what reports, gates and people need of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from calibration.words import table
from judge.capabilities.cases import Citation, Strict
from judge.records import Outcome

if TYPE_CHECKING:
    from deterministic.documents.documents import Document
    from judge.capabilities.cases import Case
    from judge.capabilities.context import Context
    from judge.capabilities.gold import Input
    from judge.records import Bounds, Decision, Item
    from rubrics.contract import Contract
    from rubrics.contract_sections import Dimensions

__all__ = [
    "REFUSALS", "TIER1_FIELDS", "Capability", "CaseFormat", "Choice", "Fault", "GoldAnswer", "GoldAnswers", "GoldPath",
    "GoldTask", "Group", "Scored", "nothing",
]  # fmt: skip

Fault = tuple[str, str]  # JSON path, what is wrong there
GoldPath = tuple[str, ...]  # where in gold an answer goes
TIER1_FIELDS = "tier1_field_score"
REFUSALS = "grounded_refusal_accuracy"
OWN_GATES = frozenset({TIER1_FIELDS, REFUSALS})


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. form: what a person fills in with it; the answer's text is then the JSON of the form. hint: what the label means."""

    value: str
    title: str
    form: tuple[Input, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class GoldTask:
    """One thing that a person must say before a case's gold can be written. shown: what is reported, None for nothing; claims: its
    citations."""

    path: GoldPath
    question: str
    shown: Any
    choices: tuple[Choice, ...]
    claims: tuple[Citation, ...] = ()


class GoldAnswer(NamedTuple):
    """A person's answer to one task. text: the corrected value where the choice asks for one."""

    value: str
    text: str = ""


GoldAnswers = Mapping[GoldPath, GoldAnswer]


@dataclass(frozen=True, slots=True)
class Group:
    """Items of one kind, whose ids begin with the same word. noun: what one is called in reports. is_list: gold lists them, so that reports
    show how many were found (recall) and how many of the reported ones exist (precision)."""

    noun: str
    is_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What the companion rubrics and a case's own criteria need of a capability. scope: what a row of a case's criteria calls one of its
    items ("field"), None where a case is one item; prefixes: first words of the ids of such items; names: the names that a row may give of
    one, by gold. composite: the dimensions of a case from those of its items; item_score: what one item is worth by the rubric. None: the
    capability has no rubric, and the standard's scores stand. titles: what its dimensions are called for people."""

    scope: str | None
    prefixes: tuple[str, ...]
    names: Callable[[Any], Iterable[str]]
    composite: Callable[[Sequence[Item], Dimensions], Mapping[str, Bounds]] | None
    item_score: Callable[[Item, Dimensions], Bounds] | None
    titles: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CaseFormat:
    """How a capability reads the expected output of a case in Markdown. read: section, citations, documents, faults -> Reading (see
    judge.capabilities.case_files); output_of: gold, as far as it was read, as an output that a person confirms or corrects."""

    read: Callable[[Any, Sequence[Any], Sequence[str], Any], Any]
    output_of: Callable[[dict[str, Any]], dict[str, Any]]


def nothing(*_: Any) -> Iterator[Any]:
    """The check of a capability that has nothing to check."""
    return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """Everything that the program knows of one capability. No part has a default, but the last three: one that is left out is an error
    when it is loaded.
    name: as batches give it; title: for people.
    input, output, gold: the models of a batch line's `input` and `output` and of gold; NoInput for a capability that takes none.
    labels: what a person may call an item, in the order of their keys on the label page -> what it means, with the section of the standard.
    groups: first word of an item's id -> what such items are; ids without an entry are their own noun.
    gates: which of OWN_GATES it counts in, beside those that hold for all. Items of TIER1_FIELDS are named `fields.KEY`.
    rules: what the contract must hold under [capabilities.NAME]; None for a capability whose numbers have a table of their own.
    judge: the decisions of one case; with `context.case.gold` None it judges without reference (`--no-gold`).
    gold_gaps: what is wrong with a gold object that its model accepts; gold_faults: what gold says and the documents do not;
    gold_doubts: what they do not, and gold may have worked out.
    gold_tasks, gold_of, check_answer: what a person is asked to make gold of a case, the gold that all answers amount to, and ValueError
    for a corrected text that cannot stand at its place.
    case_file: how its cases in Markdown are read; None: it has none.
    scored: its dimensions under a contract that has them, and how a case's own criteria name its items; None: neither."""

    name: str
    title: str
    input: type[Strict]
    output: type[Strict]
    gold: type[Strict]
    labels: Mapping[Outcome, str]
    groups: Mapping[str, Group]
    gates: frozenset[str]
    rules: type[Strict] | None
    judge: Callable[[Context], Sequence[Decision]]
    gold_gaps: Callable[[Any], Iterator[Fault]]
    gold_faults: Callable[[Case, Mapping[str, Document], Contract], Iterator[Fault]]
    gold_tasks: Callable[[Case], Sequence[GoldTask]]
    gold_of: Callable[[Case, GoldAnswers], dict[str, Any]]
    check_answer: Callable[[Case, GoldPath, str], None]
    scored: Scored | None = None
    case_file: CaseFormat | None = None
    gold_doubts: Callable[[Case, Mapping[str, Document]], Iterator[Fault]] = nothing

    def __post_init__(self) -> None:
        wrong = [name for name in ("input", "output", "gold") if not _is_model(getattr(self, name))]
        wrong += ["rules"] if self.rules is not None and not _is_model(self.rules) else []
        wrong += [part.name for part in fields(self) if str(part.type).startswith("Callable") and not callable(getattr(self, part.name))]
        wrong += [name for name in ("name", "title") if not isinstance(getattr(self, name), str) or not getattr(self, name).strip()]
        wrong += ["labels"] if not self.labels or not all(isinstance(label, Outcome) for label in self.labels) else []
        wrong += ["groups"] if not all(isinstance(group, Group) for group in self.groups.values()) else []
        wrong += ["gates"] if not self.gates <= OWN_GATES else []
        if wrong:
            raise TypeError(f"wrong or empty: {', '.join(wrong)}")


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Strict)


def late(module: str, function: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is first called, so that start-up does not pay for it."""

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), function)(*arguments)

    return call


def late_parts(package: str) -> dict[str, Any]:
    """What a shipped capability has in its modules `items` and `gold`, and its labels in `labels.toml`, as its record names it."""
    names = ("gold_faults", "gold_tasks", "gold_of", "check_answer")
    case_file = CaseFormat(late(f"{package}.gold", "read"), late(f"{package}.gold", "output_of"))
    parts = {name: late(f"{package}.gold", name) for name in names}
    labels = {Outcome(name): said for name, said in table("judge.capabilities", "labels.toml")[package.rpartition(".")[2]].items()}
    return {**parts, "judge": late(f"{package}.items", "judge"), "case_file": case_file, "labels": labels}
