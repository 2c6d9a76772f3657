"""The expected output of a case file as gold of its capability, and what of it can be cited.

Each reader gives gold as far as it could be read, records in `Reading.lines` where each part of it stands, and says the rest to `faults`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deterministic.values import KINDS, frequency, thresholds
from deterministic.values.stated import is_stated
from judge.capabilities.covenants.items import TYPE_WORDS
from judge.capabilities.onboarding.clauses import holds_formula
from judge.capabilities.onboarding.notes import field_title
from judge.capabilities.onboarding.schema import FIELD_KEYS
from judge.capabilities.wording import fold_text, has_stems, has_words
from judge.inputs.case_files.evidence import Target
from judge.inputs.case_files.markdown import Faults, Line, Row, Section, keyed, rows
from judge.inputs.case_files.values import field_gold, listed, said, yes_or_no
from judge.printing import quoted
from rubrics.contract import load_contract

Gold = dict[str, Any]
LISTS = frozenset({"guarantors", "conditions_precedent"})
FIELD_NAMES: Mapping[str, str] = {
    **{fold_text(name): key for key in FIELD_KEYS for name in (key, field_title(key))},
    "margin spread": "margin", "spread": "margin", "mac": "mac_clause", "mac clause": "mac_clause",
    "material adverse change": "mac_clause", "material adverse change clause": "mac_clause", "agent": "facility_agent",
}  # fmt: skip


@dataclass(slots=True)
class Reading:
    """Gold as far as it was read; targets: what can be cited; lines: path in gold -> line of the file; items: what a criterion may name."""

    gold: Gold
    targets: list[Target] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)


def columns(*titles: str) -> dict[str, str]:
    """Column titles, folded -> key."""
    return {fold_text(title): fold_text(title).replace(" ", "_") for title in titles}


# ---- onboarding --------------------------------------------------------------------------------------------------

_FIELDS = columns("Field", "Expected value", "Confidence", "HITL required", "Applies to")
_AMENDED = columns(
    "Field", "Status", "Original value", "New value", "Effective date", "Remark", "Confidence", "HITL required", "Applies to"
)
_DOCUMENT_TYPES = {"amendment": "amendment", "amendment notice": "amendment"} | dict.fromkeys(
    ("primary agreement", "primary", "agreement", "original agreement"), "primary_agreement"
)


def onboarding(section: Section, faults: Faults) -> Reading:
    """Fields at the top level, and those of a tranche below `### Label`."""
    kind = "primary_agreement"
    for one in keyed(section.lines, ("document type",), faults):
        kind = _DOCUMENT_TYPES.get(fold_text(one.value), "")
        if not kind:
            faults.add(one.line, "document type", f"is amendment or primary agreement, not {quoted(one.value)}")
    reading = Reading({"document_type": kind or "primary_agreement", "fields": {}})
    labels = [child.title for child in section.children]
    _field_table(section, "gold.fields", reading.gold["fields"], reading, faults, labels, None)
    for n, child in enumerate(section.children):
        if child.title in labels[:n]:
            faults.add(child.line, "heading", f"the tranche {child.title!r} has a table already: keep one")
            continue
        fields: Gold = {}
        reading.gold.setdefault("tranches", []).append({"label": child.title, "fields": fields})
        place = f"gold.tranches[{len(reading.gold['tranches']) - 1}]"
        reading.lines[place] = child.line
        _field_table(child, f"{place}.fields", fields, reading, faults, labels, child.title)
    reading.lines["gold"] = section.line
    return reading


def _field_table(
    section: Section, path: str, fields: Gold, reading: Reading, faults: Faults, labels: Sequence[str], tranche: str | None
) -> None:
    is_amended = any(fold_text(cell) in ("status", "new value") for line in section.lines for cell in line.text.split("|"))
    known, needed = (_AMENDED, ("field", "status")) if is_amended else (_FIELDS, ("field", "expected_value"))
    first: dict[str, int] = {}
    for row in rows(section.lines, known, faults, needed):
        key = FIELD_NAMES.get(fold_text(row.cells.get("field", "")))
        if key is None:
            faults.unknown(row.line, "field", row.cells.get("field", ""), FIELD_KEYS)
            continue
        if key in first:
            faults.add(row.line, "field", f"{key} stands on line {first[key]} too: a value of one tranche goes below `### Label`")
            continue
        first[key] = row.line
        found = _amended_field(row, faults) if is_amended else _field(key, row, faults)
        if is_amended and reading.gold["document_type"] != "amendment":
            faults.add(row.line, "status", "only an amendment has amended fields: write `Document type: amendment` above the table")
        if found is None:
            reading.lines[f"{path}.{key}"] = -row.line  # reported already
            continue
        if scope := _scope(row, labels, tranche, faults):
            found["scope"] = scope
        fields[key], reading.lines[f"{path}.{key}"] = found, row.line
        reading.items.setdefault(fold_text(key), key)
        reading.targets.append(_field_target(key, tranche, found))


def _field(key: str, row: Row, faults: Faults) -> Gold | None:
    text = said(row.cells.get("expected_value"))
    found = None if text is None else field_gold(text, is_list=key in LISTS)
    if found is None or ("value" in found and (not is_stated(text) or fold_text(str(text)) == "missing")):
        faults.add(
            row.line, "expected value", f"{quoted(text or '')} says nothing of {key}: give a value, absent, illegible, or missing page N"
        )
        return None
    return found


def _amended_field(row: Row, faults: Faults) -> Gold | None:
    status, cells = fold_text(row.cells.get("status", "")), row.cells
    parts = {name: cells.get(name) for name in ("original_value", "new_value", "effective_date", "remark")}
    if status in ("unchanged", "absent"):
        for name in (name for name, text in parts.items() if text is not None):
            faults.add(row.line, name.replace("_", " "), f"a field that is {status} has none: leave it empty, or say amended")
        return {status: True}
    if status != "amended":
        faults.add(row.line, "status", f"is amended, unchanged or absent, not {quoted(cells.get('status', ''))}")
        return None
    remark = fold_text(parts["remark"] or "")
    if remark not in ("", "one time"):
        faults.add(row.line, "remark", f"is one-time or nothing, not {quoted(parts['remark'])}")
    if parts["new_value"] is None:
        faults.add(row.line, "new value", "an amended field needs its new value")
        return None
    date = parts["effective_date"]
    amended: Gold = {"original_value": _one_or_list(parts["original_value"], row), "new_value": _one_or_list(parts["new_value"], row)}
    amended["effective_date"] = None if fold_text(date or "") in ("", "unclear", "not stated") else date
    return {"amended": {**amended, **({"one_time": True} if remark == "one time" else {})}}


def _one_or_list(text: str | None, row: Row) -> Any:
    """A value of an amendment; that of a list field is a list where it has several parts."""
    parts = listed(text or "")
    return parts if len(parts) > 1 and FIELD_NAMES.get(fold_text(row.cells["field"])) in LISTS else text


def _scope(row: Row, labels: Sequence[str], tranche: str | None, faults: Faults) -> list[str]:
    """The tranches that a field of the deal applies to; nothing where it applies to all."""
    text = row.cells.get("applies_to", "")
    if fold_text(text) in ("", "all", "all tranches", "all facilities") or (tranche and fold_text(text) == fold_text(tranche)):
        return []
    known = {fold_text(label): label for label in labels}
    named = [part for part in re.split(r"\s*[;,]\s*", text) if part]
    unknown = [part for part in named if fold_text(part) not in known]
    if tranche is not None or (labels and unknown):
        what = f"{quoted(text)} in the table of {tranche!r}" if tranche else f"{quoted(unknown[0])} is no tranche of this case"
        faults.add(row.line, "applies to", f"{what}; known: {', '.join(labels)}")
        return []
    return [known.get(fold_text(part), part) for part in named]


def _field_target(key: str, tranche: str | None, found: Gold) -> Target:
    titles = {key, field_title(key), *(name for name, of in FIELD_NAMES.items() if of == key)}
    names = {fold_text(f"{tranche}: {title}" if tranche else title) for title in titles}
    value = found["amended"]["new_value"] if "amended" in found else found.get("value", found.get("visible"))
    is_citable = "amended" in found or "value" in found or ("legible" in found and "missing_page" not in found)
    kind = load_contract().fields[key].kind

    def rank(quote: str) -> int:
        """1 where the quote holds the value, 2 where it names the field too."""
        if kind == "binary":
            holds = holds_formula(key, quote)
        else:
            holds = value is not None and KINDS[kind].supports(tuple(value) if isinstance(value, list) else value, quote)
        return int(holds) * (1 + has_words(quote, field_title(key)))

    return Target(f"{tranche}: {key}" if tranche else key, frozenset(names), found if is_citable else None, rank)


# ---- covenants ---------------------------------------------------------------------------------------------------

_COVENANT = columns("Covenant", "Type", "Threshold", "Frequency", "Effective")
_FLAG_TABLES: Mapping[str, tuple[str, dict[str, str]]] = {
    "waivers": ("waiver", columns("Covenant", "Original threshold", "Waived threshold", "Period", "Temporary")),
    "carve outs": ("carve_out", columns("Covenant", "Scope", "Cap")),
    "grace periods": ("grace_period", columns("Covenant", "Days", "Triggers")),
    "cross default": ("cross_default", columns("Covenant", "Threshold")),
}
_TYPES = ("financial", "information", "negative", "positive")


def covenants(section: Section, faults: Faults) -> Reading:
    """The covenants with their flags; a flag without a covenant is the case's."""
    reading = Reading({"covenants": []})
    found: list[Gold] = reading.gold["covenants"]
    for row in rows(section.lines, _COVENANT, faults, ("covenant", "type")):
        if (one := _covenant(row, faults)) is None:
            continue
        reading.lines[f"gold.covenants[{len(found)}]"] = row.line
        found.append(one)
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
        """The name word for word tells more than its stems or the threshold."""
        named = 2 if has_words(quote, one["name"]) else int(has_stems(quote, one["name"]))
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


# ---- benchmark ---------------------------------------------------------------------------------------------------

_FINDING = columns("Term", "Finding", "Deal value", "Benchmark", "Gap", "Reference")
_RANGE = columns("Term", "Low", "High", "Unit", "Rating", "Region", "Tenor")
_FINDINGS = {fold_text(name): name for name in ("deviation", "conforming", "not_comparable")}
_HEAD = re.compile(r"(?P<family>[^()]*?)\s*\(\s*(?P<law>[^(),]*?)\s*(?:,\s*(?P<market>[^(),]*?)\s*)?(?:,\s*(?P<mixed>ambiguous))?\s*\)")


def benchmark(section: Section, faults: Faults) -> Reading:
    """The family with law and market, the compared terms, and their ranges."""
    reading = Reading({**_family(section.lines, section.line, faults), "findings": []})
    found: list[Gold] = reading.gold["findings"]
    for row in rows(section.lines, _FINDING, faults, ("term", "finding")):
        term, kind = row.cells.get("term"), _FINDINGS.get(fold_text(row.cells.get("finding", "")))
        if term is None:
            faults.add(row.line, "term", "the row names no term")
        if kind is None:
            faults.add(row.line, "finding", f"is deviation, conforming or not comparable, not {quoted(row.cells.get('finding', ''))}")
        if term is None or kind is None:
            continue
        names = {"deal_value": "deal_value", "benchmark": "benchmark_value", "gap": "gap", "reference": "benchmark_reference"}
        one = {"term": term, "finding": kind, **{to: row.cells[of] for of, to in names.items() if of in row.cells}}
        reading.lines[f"gold.findings[{len(found)}]"] = row.line
        found.append(one)
        reading.items.setdefault(fold_text(term), term)
        reading.targets.append(Target(term, frozenset({fold_text(term)}), one, _finding_rank(one)))
    for child in section.children:
        if fold_text(child.title) != "ranges":
            faults.unknown(child.line, "heading", child.title, ("Ranges",))
            continue
        _ranges(child, found, faults)
    reading.lines["gold"] = section.line
    return reading


def _family(lines: Sequence[Line], line: int, faults: Faults) -> Gold:
    given = keyed(lines, ("benchmark",), faults)
    match = _HEAD.fullmatch(given[0].value) if given else None
    if match is None:
        faults.add(given[0].line if given else line, "benchmark", "write `Benchmark: FAMILY (law, market)`, with — for none")
        return {}
    gold: Gold = {"jurisdiction": said(match["law"]), "market": said(match["market"]), "benchmark": said(match["family"])}
    return {**gold, "jurisdiction_ambiguous": match["mixed"] is not None}


def _ranges(section: Section, findings: Sequence[Gold], faults: Faults) -> None:
    terms = {fold_text(one["term"]): one for one in findings}
    for row in rows(section.lines, _RANGE, faults, ("term", "low", "high")):
        one = terms.get(fold_text(row.cells.pop("term", "")))
        if one is None:
            faults.add(row.line, "term", f"is no term of the table above; known: {', '.join(f['term'] for f in findings)}")
            continue
        ends = {key: _number(row.cells.pop(key, "")) for key in ("low", "high")}
        for key, value in ends.items():
            if value is None:
                faults.add(row.line, key, "is a number, in the unit of the row")
        low, high = ends["low"], ends["high"]
        if low is not None and high is not None:
            if low > high:
                faults.add(row.line, "low", f"{low} is above high {high}: exchange them")
            one["benchmark_range"] = {**ends, **row.cells}


def _number(text: str) -> int | float | None:
    if not re.fullmatch(r"-?\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?", text):
        return None
    bare = text.replace(",", "")
    return float(bare) if "." in bare else int(bare)


def _finding_rank(one: Gold) -> Callable[[str], int]:
    value = one.get("deal_value")

    def rank(quote: str) -> int:
        """2 for the deal's value, 1 for the term's words."""
        holds = value is not None and (
            has_words(quote, value) or any(KINDS[kind].supports(value, quote) for kind in ("rate", "money", "period", "law"))
        )
        return 2 * holds + has_words(quote, one["term"].replace("_", " "))

    return rank


# ---- questions ---------------------------------------------------------------------------------------------------

_ANSWER_KEYS = ("answer", "accepted", "topic", "qualified", "refusal")


def answer(section: Section, faults: Faults) -> Reading:
    """The right answer, or the refusal that is right."""
    for child in section.children:
        faults.add(child.line, "heading", f"{quoted(child.title)}: the expected output of a question has no headings below it")
    given: dict[str, list[str]] = {}
    for one in keyed(section.lines, _ANSWER_KEYS, faults):
        if one.key in given and one.key != "accepted":
            faults.add(one.line, one.key, "is given twice: keep one")
        given.setdefault(one.key, []).extend(part for part in one.value.split("\n") if one.key == "accepted" and part)
        if one.key != "accepted":
            given[one.key].append(one.value.strip())
        if not one.value.strip():
            faults.add(one.line, one.key, "says nothing: fill it in or leave the line out")
    if ("answer" in given) == ("refusal" in given):
        faults.add(section.line, "answer", "give `Answer:`, or `Refusal:` where the document does not contain it")
    gold: Gold = {"answerable": "refusal" not in given}
    qualified = yes_or_no(given["qualified"][0]) if "qualified" in given else None
    if "qualified" in given and qualified is None:
        faults.add(section.line, "qualified", f"is yes or no, not {quoted(given['qualified'][0])}")
    if "refusal" in given:
        for key in ("accepted", "qualified"):
            if key in given:
                faults.add(section.line, key, "goes with an answer, not with a refusal")
    else:
        gold |= {key: value for key, value in (("answer", given.get("answer", [None])[0]), ("accepted", given.get("accepted"))) if value}
        gold["required_sections"] = []
        gold |= {} if qualified is None else {"qualified": qualified}
    return Reading({**gold, **({"topic": given["topic"][0]} if "topic" in given else {})}, lines={"gold": section.line})
