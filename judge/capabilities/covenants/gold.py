"""Covenant monitoring's gold: what a person makes it of, what the documents must have of it, and how a case file says it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from deterministic.lexicon.stems import singular
from deterministic.values.figures import thresholds
from deterministic.values.names import binary
from deterministic.values.time import frequency
from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.case_files import Evidence, Faults, Gold, Reading, Row, Section, Target, attach, columns, listed, rows
from judge.capabilities.cases import Case
from judge.capabilities.covenants import Covenant, CovenantGold, CovenantsGold, Flag
from judge.capabilities.covenants.flags import OWN_WORDS
from judge.capabilities.covenants.terms import TYPE_WORDS
from judge.capabilities.gold import (
    Documents,
    Input,
    added,
    as_json,
    check_form,
    figure_doubts,
    flat_place,
    form_of,
    listed_gold,
    listed_tasks,
    missing_task,
    place_inputs,
    words_faults,
)
from judge.capabilities.wording import fold_text, has_words, names_subject
from judge.printing import quoted
from rubrics.contract import Contract

_TYPES = tuple((name, name) for name in ("financial", "information", "negative", "positive"))
_FREQUENCIES = tuple(
    (n, n.replace("semi_", "semi-").replace("_", " ")) for n in "monthly quarterly semi_annual annual on_event none".split()
)
_FLAGS = (("waiver", "Waiver"), ("carve_out", "Carve-out"), ("grace_period", "Grace period"), ("cross_default", "Cross default"))
_FLAG = (
    Input("kind", "Flag", "choice", _FLAGS, is_needed=True),
    Input("covenant", "Covenant waived", only_for=("waiver",)),
    Input("original_threshold", "Original threshold", only_for=("waiver",)),
    Input("waived_threshold", "Threshold while waived", only_for=("waiver",)),
    Input("period", "Period of the waiver", only_for=("waiver",)),
    Input("temporary", "Temporary", "yes_no", only_for=("waiver",)),
    Input("items", "Carve-outs", "forms", inner=(Input("scope", "What is carved out", is_needed=True), Input("cap", "Cap", "amount")),
          only_for=("carve_out",)),
    Input("days", "Days, with their unit", only_for=("grace_period",), hint="10 Business Days"),
    Input("triggers", "Triggers, one a line", "lines", only_for=("grace_period",)),
    Input("threshold", "Threshold", "amount", only_for=("cross_default",)),
)  # fmt: skip


def _flag_form(case: Case) -> tuple[Input, ...]:
    return (*_FLAG, *place_inputs(case.documents, is_needed=False))


def _form(case: Case) -> tuple[Input, ...]:
    return (
        Input("name", "Name", is_needed=True),
        Input("aliases", "Other names, one a line", "lines"),
        Input("type", "Type", "choice", _TYPES, is_needed=True),
        Input("secondary_type", "Second type", "choice", _TYPES),
        Input("threshold", "Threshold, as the document says it", hint="shall not exceed 4.00:1"),
        Input("testing_frequency", "Tested", "choice", _FREQUENCIES),
        Input("effective_date", "Effective date, or original", "effective_date", hint="2026-03-31"),
        Input("flags", "Flags", "forms", inner=_flag_form(case)),
        *place_inputs(case.documents),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """Each reported covenant, and what may be missing."""
    output, form = case.output, _form(case)
    covenants = listed_tasks(
        "covenants", output.covenants, lambda one: f"Is this covenant right: {one.name}?", form, _draft, "No such covenant"
    )
    asked, drafted = (lambda flag: f"Is this flag right: {flag.kind.replace('_', ' ')}?"), (lambda flag: flat_place(as_json(flag)))
    flags = listed_tasks("flags", output.flags, asked, _flag_form(case), drafted, "No such flag")
    return [*covenants, *flags, missing_task(form, "covenant")]


def _draft(covenant: Covenant) -> dict[str, Any]:
    """A reported covenant in the form: what a choice does not have is left for the person to say."""
    found = as_json(covenant)
    for key, options in (("type", _TYPES), ("secondary_type", _TYPES), ("testing_frequency", _FREQUENCIES)):
        if found.get(key) not in {name for name, _ in options}:
            found.pop(key, None)
    return {**found, "flags": [flat_place(flag) for flag in found.get("flags", ())]}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    output, missing = case.output, form_of(gold_tasks(case), ("missing",))
    found = listed_gold("covenants", [as_json(one) for one in output.covenants], answers, _form(case))
    flags = listed_gold("flags", [as_json(flag) for flag in output.flags], answers, _flag_form(case))
    return {"covenants": found + added(answers["missing",], missing), **({"flags": flags} if flags else {})}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected covenant, or a list of missing ones, is no gold."""
    check_form(gold_tasks(case), path, text, {"covenants": CovenantGold, "flags": Flag, "missing": CovenantGold})


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Thresholds, caps and days that the documents lack."""
    for n, covenant in enumerate(case.gold.covenants):
        yield from words_faults(covenant.threshold, f"gold.covenants[{n}].threshold", documents)
    for path, flag in _flags_of(case.gold):
        for key in ("threshold", "original_threshold", "waived_threshold"):
            yield from words_faults(getattr(flag, key), f"{path}.{key}", documents)
        for n, one in enumerate(flag.items or ()):
            yield from words_faults(one.cap, f"{path}.items[{n}].cap", documents)
        days = [f"{flag.days} Business Days", f"{flag.days} days"] if isinstance(flag.days, int) else [flag.days]
        yield from min((list(words_faults(text, f"{path}.days", documents)) for text in days), key=len)


def gold_doubts(case: Case, documents: Documents) -> Iterator[Fault]:
    """Dates and periods that the documents lack."""
    for n, covenant in enumerate(case.gold.covenants):
        yield from figure_doubts(covenant.effective_date, f"gold.covenants[{n}].effective_date", documents)
    for path, flag in _flags_of(case.gold):
        yield from figure_doubts(flag.period, f"{path}.period", documents)


def _flags_of(gold: CovenantsGold) -> Iterator[tuple[str, Flag]]:
    """Every flag of gold with its path."""
    yield from ((f"gold.covenants[{n}].flags[{m}]", flag) for n, one in enumerate(gold.covenants) for m, flag in enumerate(one.flags))
    yield from ((f"gold.flags[{n}]", flag) for n, flag in enumerate(gold.flags))


_COVENANT = columns("Covenant", "Type", "Threshold", "Frequency", "Effective")
_FLAG_TABLES: Mapping[str, tuple[str, dict[str, str]]] = {
    "waiver": ("waiver", columns("Covenant", "Original threshold", "Waived threshold", "Period", "Temporary")),
    "carve out": ("carve_out", columns("Covenant", "Scope", "Cap")),
    "grace period": ("grace_period", columns("Covenant", "Days", "Triggers")),
    "cross default": ("cross_default", columns("Covenant", "Threshold")),
}


def read(section: Section, found: Sequence[Evidence], documents: Sequence[str], faults: Faults) -> Reading:
    """The covenants with their flags; a flag without a covenant is the case's."""
    reading = Reading({"covenants": []})
    for row in rows(section.lines, _COVENANT, faults, ("covenant", "type")):
        if (one := _covenant(row, faults)) is not None:
            reading.add("covenants", one["name"], one, row.line, partial(_covenant_rank, one))
    for child in section.children:
        if (entry := _FLAG_TABLES.get(" ".join(map(singular, fold_text(child.title).split())))) is None:
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
    if kind not in dict(_TYPES):
        faults.add(row.line, "type", f"is one of {', '.join(dict(_TYPES))}, not {quoted(given)}")
    if name is None or kind not in dict(_TYPES):
        return None
    cadence = row.cells.get("frequency")
    said = {"testing_frequency": cadence and (frequency.parse(cadence) or cadence), "effective_date": row.cells.get("effective")}
    return {"name": name, "type": kind, "threshold": row.cells.get("threshold"), **said, "flags": []}


def _covenant_rank(one: Gold, quote: str) -> int:
    """The name word for word tells more than its words or the threshold."""
    named = 2 if has_words(quote, one["name"]) else int(names_subject(quote, one["name"]))
    return named * 2 + (one["threshold"] is not None and thresholds.supports(one["threshold"], quote)) * 2


def _flags(section: Section, kind: str, titles: dict[str, str], reading: Reading, faults: Faults) -> None:
    owners = {fold_text(one["name"]): one for one in reading.gold["covenants"]}
    for row in rows(section.lines, titles, faults, tuple(titles.values())[:2]):
        if (name := row.cells.pop("covenant", None)) is not None and fold_text(name) not in owners:
            faults.unknown(row.line, "covenant", name, [one["name"] for one in owners.values()])
            continue
        if (flag := _flag(kind, name, row, faults)) is None:
            continue
        flags = reading.gold.setdefault("flags", []) if name is None else owners[fold_text(name)]["flags"]
        if (same := next((f for f in flags if kind == "carve_out" and f["kind"] == kind), None)) is not None:
            same["items"] += flag["items"]
            continue
        flags.append(flag)
        titled = f"{name}: {section.title}" if name else section.title
        words = kind.replace("_", " ")
        names = {fold_text(text) for text in (titled, f"{name}: {words}" if name else words)}
        reading.targets.append(Target(titled, frozenset(names), flag, partial(_flag_rank, flag)))


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
    if "temporary" in cells and (temporary := binary.parse(cells.pop("temporary"))) is None:
        faults.add(row.line, "temporary", f"is yes or no, not {quoted(row.cells['temporary'])}")
    elif "temporary" in row.cells:
        cells["temporary"] = temporary
    if "days" in cells:
        cells["days"] = int(cells["days"]) if cells["days"].isascii() and cells["days"].isdigit() else cells["days"]
    if "triggers" in cells:
        cells["triggers"] = listed(cells["triggers"])
    return {"kind": kind, **({"covenant": name} if kind == "waiver" and name else {}), **cells}


def _flag_rank(flag: Gold, quote: str) -> int:
    """Its figure tells a flag; what a carve-out excepts stands in its covenant's own quote."""
    figures = [str(flag[key]) for key in ("waived_threshold", "threshold", "days") if flag.get(key) is not None]
    is_named = OWN_WORDS[flag["kind"]].search(quote) is not None
    return int(any(thresholds.supports(figure, quote) for figure in figures)) * (1 + 4 * is_named)


def output_of(gold: Gold) -> Gold:
    """Gold as an output that a person confirms or corrects."""
    return {**gold, "covenants": [{key: value for key, value in one.items() if key != "aliases"} for one in gold.get("covenants", ())]}
