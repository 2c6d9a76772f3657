"""Covenant monitoring's gold: what a person makes it of, what the documents must have of it, and how a case file says it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from deterministic.lexicon.stems import singular
from deterministic.values import frequency, thresholds
from judge.capabilities import Choice, Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.case_files import (
    Evidence,
    Faults,
    Gold,
    Reading,
    Row,
    Section,
    Target,
    attach,
    columns,
    listed,
    rows,
    said,
    yes_or_no,
)
from judge.capabilities.cases import Case
from judge.capabilities.covenants import Covenant, CovenantGold, CovenantOutput, CovenantsGold, Flag
from judge.capabilities.covenants.terms import TYPE_WORDS
from judge.capabilities.gold import (
    Documents,
    Input,
    added,
    chosen,
    citation_faults,
    flat_place,
    form_choices,
    form_of,
    gold_task,
    missing_choices,
    place_inputs,
    plain,
    read_form,
    words_faults,
)
from judge.capabilities.wording import fold_text, has_words, names_subject
from judge.printing import quoted
from rubrics.contract import Contract

_TYPES = tuple((name, name) for name in ("financial", "information", "negative", "positive"))
_FREQUENCIES = tuple(
    (name, name.replace("semi_", "semi-").replace("_", " "))
    for name in ("monthly", "quarterly", "semi_annual", "annual", "on_event", "none")
)
_FLAGS = (("waiver", "Waiver"), ("carve_out", "Carve-out"), ("grace_period", "Grace period"), ("cross_default", "Cross default"))
_FLAG = (
    Input("kind", "Flag", "choice", _FLAGS, is_needed=True),
    Input("covenant", "Covenant waived", only_for=("waiver",)),
    Input("original_threshold", "Original threshold", only_for=("waiver",)),
    Input("waived_threshold", "Threshold while waived", only_for=("waiver",)),
    Input("period", "Period of the waiver", only_for=("waiver",)),
    Input("temporary", "Temporary", "yes_no", only_for=("waiver",)),
    Input(
        "items",
        "Carve-outs",
        "forms",
        inner=(Input("scope", "What is carved out", is_needed=True), Input("cap", "Cap", "amount")),
        only_for=("carve_out",),
    ),
    Input("days", "Days, with their unit", only_for=("grace_period",), hint="10 Business Days"),
    Input("triggers", "Triggers, one a line", "lines", only_for=("grace_period",)),
    Input("threshold", "Threshold", "amount", only_for=("cross_default",)),
)


def _form(case: Case) -> tuple[Input, ...]:
    flag = (*_FLAG, *place_inputs(case.documents, is_needed=False))
    return (
        Input("name", "Name", is_needed=True),
        Input("aliases", "Other names, one a line", "lines"),
        Input("type", "Type", "choice", _TYPES, is_needed=True),
        Input("secondary_type", "Second type", "choice", _TYPES),
        Input("threshold", "Threshold, as the document says it", hint="shall not exceed 4.00:1"),
        Input("testing_frequency", "Tested", "choice", _FREQUENCIES),
        Input("effective_date", "Effective date, or original", "effective_date", hint="2026-03-31"),
        Input("flags", "Flags", "forms", inner=flag),
        *place_inputs(case.documents),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """Each reported covenant, and what may be missing."""
    output: CovenantOutput = case.output
    form = _form(case)
    tasks = [
        gold_task(
            ("covenants", str(n)), f"Is this covenant right: {c.name}?", plain(c), form_choices(form, _draft(c), "No such covenant"), c
        )
        for n, c in enumerate(output.covenants)
    ]
    tasks += [
        gold_task(("flags", str(n)), f"Is this flag right: {flag.kind.replace('_', ' ')}?", plain(flag), _flag_choices(case, flag), flag)
        for n, flag in enumerate(output.flags)
    ]
    return [*tasks, gold_task(("missing",), "Which covenants of the document are missing?", None, missing_choices(form, "covenant"))]


def _flag_choices(case: Case, flag: Flag) -> list[Choice]:
    """For a flag of the case, which hangs on no covenant."""
    return form_choices((*_FLAG, *place_inputs(case.documents, is_needed=False)), flat_place(plain(flag)), "No such flag")


def _draft(covenant: Covenant) -> dict[str, Any]:
    """A reported covenant in the form: what a choice does not have is left for the person to say."""
    found = plain(covenant)
    for key, options in (("type", _TYPES), ("secondary_type", _TYPES), ("testing_frequency", _FREQUENCIES)):
        if found.get(key) not in {name for name, _ in options}:
            found.pop(key, None)
    return {**found, "flags": [flat_place(flag) for flag in found.get("flags", ())]}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output: CovenantOutput = case.output
    form = _form(case)
    found = [chosen(plain(c), answers["covenants", str(n)], form) for n, c in enumerate(output.covenants)]
    tasks = gold_tasks(case)
    paths = [("flags", str(n)) for n in range(len(output.flags))]
    flags = [chosen(plain(f), answers[path], form_of(tasks, path)) for f, path in zip(output.flags, paths, strict=True)]
    listed = {"flags": kept} if (kept := [flag for flag in flags if flag is not None]) else {}
    return {"covenants": [c for c in found if c is not None] + added(answers["missing",], form_of(tasks, ("missing",))), **listed}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected covenant, or a list of missing ones, is no gold."""
    found = read_form(form_of(gold_tasks(case), path), json.loads(text))
    if path[0] == "flags":
        Flag.model_validate(found)
        return
    TypeAdapter(list[CovenantGold]).validate_python(found["missing"] if path[0] == "missing" else [found])


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Thresholds and citations that the documents lack."""
    gold: CovenantsGold = case.gold
    for n, covenant in enumerate(gold.covenants):
        path = f"gold.covenants[{n}]"
        yield from words_faults(covenant.threshold, f"{path}.threshold", documents)
        yield from citation_faults(covenant, path, documents)
    for n, flag in enumerate(gold.flags):
        yield from words_faults(flag.threshold, f"gold.flags[{n}].threshold", documents)
        yield from citation_faults(flag, f"gold.flags[{n}]", documents)


_COVENANT = columns("Covenant", "Type", "Threshold", "Frequency", "Effective")
_FLAG_TABLES: Mapping[str, tuple[str, dict[str, str]]] = {
    "waiver": ("waiver", columns("Covenant", "Original threshold", "Waived threshold", "Period", "Temporary")),
    "carve out": ("carve_out", columns("Covenant", "Scope", "Cap")),
    "grace period": ("grace_period", columns("Covenant", "Days", "Triggers")),
    "cross default": ("cross_default", columns("Covenant", "Threshold")),
}
_KINDS = ("financial", "information", "negative", "positive")


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """The covenants with their flags; a flag without a covenant is the case's."""
    reading = Reading({"covenants": []})
    listed_so_far: list[Gold] = reading.gold["covenants"]
    for row in rows(section.lines, _COVENANT, faults, ("covenant", "type")):
        if (one := _covenant(row, faults)) is None:
            continue
        reading.lines[f"gold.covenants[{len(listed_so_far)}]"] = row.line
        listed_so_far.append(one)
        reading.items.setdefault(fold_text(one["name"]), one["name"])
        reading.targets.append(Target(one["name"], frozenset({fold_text(one["name"])}), one, _covenant_rank(one)))
    for child in section.children:
        entry = _FLAG_TABLES.get(" ".join(map(singular, fold_text(child.title).split())))
        if entry is None:
            faults.unknown(child.line, "heading", child.title, ("Waivers", "Carve-outs", "Grace periods", "Cross-default"))
            continue
        _flags(child, *entry, reading, faults)
    reading.lines["gold"] = section.line
    attach(found, reading.targets, documents, faults)
    return reading


def _covenant(row: Row, faults: Faults) -> Gold | None:
    name, given = row.cells.get("covenant"), row.cells.get("type", "")
    kind = fold_text(given).removesuffix(" covenant")
    kind = TYPE_WORDS.get(kind, kind)
    if name is None:
        faults.add(row.line, "covenant", "the row names no covenant")
    if kind not in _KINDS:
        faults.add(row.line, "type", f"is one of {', '.join(_KINDS)}, not {quoted(given)}")
    if name is None or kind not in _KINDS:
        return None
    cadence = said(row.cells.get("frequency"))
    return {
        "name": name,
        "type": kind,
        "threshold": said(row.cells.get("threshold")),
        "testing_frequency": cadence and (frequency.parse(cadence) or cadence),
        "effective_date": said(row.cells.get("effective")),
        "flags": [],
    }


def _covenant_rank(one: Gold) -> Callable[[str], int]:
    def rank(quote: str) -> int:
        """The name word for word tells more than its words or the threshold."""
        named = 2 if has_words(quote, one["name"]) else int(names_subject(quote, one["name"]))
        return named * 2 + (one["threshold"] is not None and thresholds.supports(one["threshold"], quote)) * 2

    return rank


def _flags(section: Section, kind: str, titles: dict[str, str], reading: Reading, faults: Faults) -> None:
    owners = {fold_text(one["name"]): one for one in reading.gold["covenants"]}
    for row in rows(section.lines, titles, faults, tuple(titles.values())[:2]):
        name = row.cells.pop("covenant", None)
        if name is not None and fold_text(name) not in owners:
            faults.unknown(row.line, "covenant", name, [one["name"] for one in owners.values()])
            continue
        flag = _flag(kind, name, row, faults)
        if flag is None:
            continue
        flags = reading.gold.setdefault("flags", []) if name is None else owners[fold_text(name)]["flags"]
        same = next((f for f in flags if kind == "carve_out" and f["kind"] == kind), None)
        if same is not None:
            same["items"] += flag["items"]
            continue
        flags.append(flag)
        titled = f"{name}: {section.title}" if name else section.title
        words = kind.replace("_", " ")
        names = {fold_text(text) for text in (titled, f"{name}: {words}" if name else words)}
        reading.targets.append(Target(titled, frozenset(names), flag, _flag_rank(flag)))


def _flag(kind: str, name: str | None, row: Row, faults: Faults) -> Gold | None:
    cells: Gold = dict(row.cells)
    if kind == "carve_out":
        if "scope" not in cells:
            faults.add(row.line, "scope", "a carve-out needs its scope")
            return None
        return {"kind": kind, "items": [cells]}
    if not cells:
        faults.add(row.line, kind.replace("_", " "), "the row says nothing of it")
        return None
    if "temporary" in cells and (temporary := yes_or_no(cells.pop("temporary"))) is None:
        faults.add(row.line, "temporary", f"is yes or no, not {quoted(row.cells['temporary'])}")
    elif "temporary" in row.cells:
        cells["temporary"] = temporary
    if "days" in cells:
        cells["days"] = int(cells["days"]) if cells["days"].isascii() and cells["days"].isdigit() else cells["days"]
    if "triggers" in cells:
        cells["triggers"] = listed(cells["triggers"])
    return {"kind": kind, **({"covenant": name} if kind == "waiver" and name else {}), **cells}


def _flag_rank(flag: Gold) -> Callable[[str], int]:
    words = {"waiver": r"\bwaive", "grace_period": r"\bgrace\b|\bremed", "cross_default": r"\bcross[\s-]default\b"}.get(
        flag["kind"], r"(?!)"
    )
    figures = [str(flag[key]) for key in ("waived_threshold", "threshold", "days") if flag.get(key) is not None]

    def rank(quote: str) -> int:
        """Its figure tells a flag; what a carve-out excepts stands in its covenant's own quote."""
        shows = any(thresholds.supports(figure, quote) for figure in figures)
        return int(shows) * (1 + 4 * (re.search(words, quote, re.IGNORECASE) is not None))

    return rank


def output_of(gold: Gold) -> Gold:
    """Gold as an output that a person confirms or corrects."""
    return {**gold, "covenants": [{key: value for key, value in one.items() if key != "aliases"} for one in gold.get("covenants", ())]}
