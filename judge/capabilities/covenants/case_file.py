"""Covenant monitoring's expected output in a case file: a table of covenants, and tables of flags below headings of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from deterministic.values import frequency, thresholds
from judge.capabilities.case_evidence import Evidence, Target, attach
from judge.capabilities.case_markdown import Faults, Row, Section, rows
from judge.capabilities.case_reading import Gold, Reading, columns, listed, said, yes_or_no
from judge.capabilities.covenants.items import TYPE_WORDS
from judge.capabilities.wording import fold_text, has_words, names_subject
from judge.printing import quoted

_COVENANT = columns("Covenant", "Type", "Threshold", "Frequency", "Effective")
_FLAG_TABLES: Mapping[str, tuple[str, dict[str, str]]] = {
    "waivers": ("waiver", columns("Covenant", "Original threshold", "Waived threshold", "Period", "Temporary")),
    "carve outs": ("carve_out", columns("Covenant", "Scope", "Cap")),
    "grace periods": ("grace_period", columns("Covenant", "Days", "Triggers")),
    "cross default": ("cross_default", columns("Covenant", "Threshold")),
}
_TYPES = ("financial", "information", "negative", "positive")


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
    tables = {name.rstrip("s"): entry for name, entry in _FLAG_TABLES.items()}
    for child in section.children:
        entry = tables.get(fold_text(child.title).rstrip("s"))
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
    if kind not in _TYPES:
        faults.add(row.line, "type", f"is one of {', '.join(_TYPES)}, not {quoted(given)}")
    if name is None or kind not in _TYPES:
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
