"""A case file to a gold line, with everything that is wrong in it at once. Also what a person still has to say of a file with faults."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judge.capabilities import Capability
from judge.capabilities.case_files import (
    NOTHING,
    Faults,
    Line,
    Reading,
    Row,
    Section,
    citations,
    columns,
    items,
    keyed,
    outline,
    paragraphs,
    rows,
)
from judge.capabilities.cases import criteria_faults
from judge.capabilities.registry import capability_of, names, title_of
from judge.capabilities.wording import fold_text
from judge.errors import Problem, did_you_mean
from judge.inputs.lines import BatchLine, GoldLine
from judge.inputs.problems import problems_in
from judge.inputs.table import MARKDOWN, Place
from judge.printing import quoted

LARGEST = 2_000_000  # bytes of a case file
DIFFICULTIES = ("standard", "complex", "edge case")
SECTIONS = ("Scenario", "Input", "Expected output", "Ground truth citation", "Scoring criteria", "Known failure modes")
_KNOWN = {fold_text(title): title for title in SECTIONS} | {"ground truth citations": SECTIONS[3], "failure modes": SECTIONS[5]}
_COLUMNS = columns("Condition", "Score", "Rule")
_SCORE = re.compile(
    r"(?P<score>\d+(?:\.\d+)?|\.\d+)(?:\s+for\s+the\s+(?P<scope>\w+)(?:\s+(?P<item>.+?))?)?(?P<made_up>\s*[,;]\s*hallucination)?",
    re.IGNORECASE,
)
_RULE_KEYS = ("content", "outcome", "quote", "page", "section", "findings", "cites", "cited", "figure", "form")
# a comma within a place ("Schedule 1, Part II") is none between two places
_NEXT_PLACE = re.compile(r"\s*,\s*(?=(?:clause|section|article|schedule|annex|appendix|exhibit|paragraph)\b)", re.IGNORECASE)
GOLD_LINE = "gold_line"  # metadata: what the gold line has beside its gold


@dataclass(frozen=True, slots=True)
class CaseFile:
    """What was read of one file. line: its gold line, as far as it could be read; quotes stand in its citations, see `gold_line`. lines:
    path in the gold line -> line of the file."""

    case_id: str
    line: dict[str, Any]
    question: str
    problems: tuple[Problem, ...]
    lines: Mapping[str, int]

    @property
    def gold_line(self) -> dict[str, Any]:
        """The gold line as gold files have it: citations are places there."""
        return {**self.line, "gold": _without_quotes(self.line["gold"])}


def read_case_file(path: Path, data: bytes) -> CaseFile:
    """Reads one file; nothing is raised, all faults are in `problems`."""
    faults = Faults(str(path))
    if len(data) > LARGEST:
        faults.add(1, "", f"is larger than {LARGEST:,} bytes: one file is one case")
        data = b""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.add(data[: error.start].count(b"\n") + 1, "", f"not UTF-8 at byte {error.start}: save the file as UTF-8")
        text = ""
    top = outline(text)
    title = top.children[0] if top.children else Section("", 1)
    case_id, name = _identity(title, path, faults)
    parts = _sections(title, top, faults)
    head = _head(title, faults)
    capability = capability_of(head["capability"]) if "capability" in head else None
    given = _input(parts.get("Input"), capability, faults)
    line: dict[str, Any] = {"case_id": case_id, "gold": {}}
    reading = _expected(parts, capability, given["documents"], faults)
    line["gold"] = reading.gold
    before = len(faults.found)
    if "Scoring criteria" in parts and capability is not None:
        scope = capability.scored.scope if capability.scored is not None else None
        line["criteria"] = criteria(parts["Scoring criteria"], scope, reading, faults)
    is_scored = len(faults.found) == before
    line["metadata"] = _metadata(parts, head, name, given)
    found = CaseFile(case_id, line, given["question"], (), reading.lines)
    if capability is not None and "Expected output" in parts:
        _validate(found, capability, reading.lines, faults, is_scored)
    return replace(found, problems=tuple(sorted(faults.found, key=lambda problem: problem.line or 0)))


def line_at(place: Place, path: str) -> int:
    """The line on which a part of an entry's gold stands: that of the entry, or in a case file its own."""
    if place.path.suffix.lower() != MARKDOWN:
        return place.line
    return abs(_line_of(path, read_case_file(place.path, place.read()).lines))


def _identity(title: Section, path: Path, faults: Faults) -> tuple[str, str]:
    """Case id and title; the file is named by the id."""
    found = re.fullmatch(r"(?P<id>[^:]+?)(?:\s*:\s*|\s+[-–—]\s+)(?P<title>.+)", title.title)
    case_id, name = (found["id"], found["title"]) if found else (title.title, "")
    if not case_id:
        faults.add(title.line, "heading", f"the file begins with `# {path.stem}: title`")
    elif case_id != path.stem:
        told = f"the heading says {quoted(case_id)}, the file is named {path.name}: name the file by its case id"
        faults.add(title.line, "case_id", told)
    return path.stem, name


def _sections(title: Section, top: Section, faults: Faults) -> dict[str, Section]:
    found: dict[str, Section] = {}
    for extra in top.children[1:]:
        faults.add(extra.line, "heading", f"a second title {quoted(extra.title)}: one file is one case")
    for section in title.children:
        if (known := _KNOWN.get(fold_text(section.title))) is None:
            faults.unknown(section.line, "heading", section.title, SECTIONS)
        elif known in found:
            faults.add(section.line, "heading", f"{known!r} stands on line {found[known].line} too: keep one")
        else:
            found[known] = section
            for child in section.children if known != "Expected output" else ():
                faults.add(child.line, "heading", f"{quoted(child.title)}: only the expected output has headings below it")
    for needed in ("Input", "Expected output"):
        if needed not in found:
            faults.add(title.line, "heading", f"the section `## {needed}` is missing")
    return found


def _head(title: Section, faults: Faults) -> dict[str, str]:
    lines = [Line(number, part.strip()) for number, text in title.lines for part in re.split(r"\s*[·|]\s*", text)]
    given = {one.key: one for one in keyed(lines, ("capability", "difficulty"), faults)}
    found: dict[str, str] = {}
    told = [name for name in names() if capability_of(name).case_file is not None]
    known = {fold_text(word): name for name in told for word in (name, title_of(name))}
    if "capability" not in given:
        faults.add(title.line, "capability", f"is missing: write `Capability: NAME` below the title; known: {', '.join(told)}")
    elif (name := known.get(fold_text(given["capability"].value))) is None:
        faults.unknown(given["capability"].line, "capability", given["capability"].value, told)
    else:
        found["capability"] = name
    if "difficulty" in given:
        found["difficulty"] = fold_text(given["difficulty"].value)
        if found["difficulty"] not in DIFFICULTIES:
            faults.unknown(given["difficulty"].line, "difficulty", given["difficulty"].value, DIFFICULTIES)
    return found


def _input(section: Section | None, capability: Capability | None, faults: Faults) -> dict[str, Any]:
    """Documents, and the task or question."""
    keys = ("document", "documents", "task", "question")
    given = {one.key: one for one in keyed(section.lines, keys, faults)} if section else {}
    named = [given[key].value for key in ("document", "documents") if key in given]
    documents = [name.strip(" `") for text in named for name in re.split(r"\s*[;,\n]\s*", text) if name.strip(" `") not in NOTHING]
    question = given["question"].value if "question" in given else ""
    if section is not None and not documents:
        faults.add(section.line, "document", "is missing: write `**Document:** file name`")
    if section is not None and capability is not None and "question" in capability.input.model_fields and not question:
        faults.add(section.line, "question", "is missing: write `**Question:** …`")
    return {"documents": documents, "question": question, "task": question or (given["task"].value if "task" in given else "")}


def _expected(parts: Mapping[str, Section], capability: Capability | None, documents: list[str], faults: Faults) -> Reading:
    section, cited = parts.get("Expected output"), parts.get("Ground truth citation")
    if section is None or capability is None or capability.case_file is None:
        return Reading({})
    found = citations(cited.lines, documents, faults) if cited is not None else []
    reading: Reading = capability.case_file.read(section, found, documents, faults)
    return reading


def _metadata(parts: Mapping[str, Section], head: Mapping[str, str], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    documents = given["documents"]
    found = {
        "capability": head.get("capability"),
        "document": documents[0] if len(documents) == 1 else None,
        "documents": documents if len(documents) > 1 else None,
        "title": name,
        "difficulty": head.get("difficulty"),
        "scenario": paragraphs(parts["Scenario"].lines) if "Scenario" in parts else None,
        "task": given["task"],
        "failure_modes": items(parts["Known failure modes"].lines) if "Known failure modes" in parts else None,
    }
    return {key: value for key, value in found.items() if value}


def _validate(found: CaseFile, capability: Capability, lines: Mapping[str, int], faults: Faults, is_scored: bool) -> None:
    """What the models of gold have against it, on the lines of the file; a place that has a fault already gets no second one. is_scored:
    the scoring table was read whole."""
    if any(fault.path == "column" for fault in faults.found):
        return  # a table that could not be read leaves everything missing
    gold = found.gold_line["gold"]
    problems = problems_in(found.gold_line, GoldLine, "", None) + problems_in(gold, capability.gold, "", None, ("gold",))
    if not problems:
        parsed, rows = capability.gold.model_validate(gold), GoldLine.model_validate(found.gold_line).criteria
        gaps = [*capability.gold_gaps(parsed), *criteria_faults(rows if is_scored else None, capability, parsed)]
        problems = [Problem("", None, path, message) for path, message in gaps]
    for problem in problems:
        number = _line_of(problem.path, lines)
        reported = {fault.line for fault in faults.found}
        if (number > 0 and number not in reported) or (number == lines.get("gold") and problem.path not in lines):
            faults.add(number, problem.path.removeprefix("gold.").removeprefix("fields."), problem.message)


def _line_of(path: str, lines: Mapping[str, int]) -> int:
    """The line of the nearest part of gold that has one; negative for a part that was refused when it was read."""
    while path not in lines and re.search(r"[.\[]", path):
        path = re.sub(r"[.\[][^.\[]*$", "", path)
    return lines.get(path, 1)


def _without_quotes(gold: Any, *, is_cited: bool = False) -> Any:
    if isinstance(gold, list):
        return [_without_quotes(one, is_cited=is_cited) for one in gold]
    if not isinstance(gold, dict):
        return gold
    kept = {key: value for key, value in gold.items() if not (is_cited and key == "quote")}
    return {key: _without_quotes(value, is_cited=key in ("citation", "citations")) for key, value in kept.items()}


def criteria(section: Section, scope: str | None, reading: Reading, faults: Faults) -> list[dict[str, Any]]:
    """The rows in their order, c1 first; a row may be limited to an item of gold. scope: what such an item is called, if anything."""
    found: list[dict[str, Any]] = []
    before = len(faults.found)
    reading.lines["criteria"] = section.line
    for n, row in enumerate(rows(section.lines, _COLUMNS, faults, ("condition", "score")), 1):
        worth = _worth(row, scope, reading.items, faults)
        when, rule = row.cells.get("condition"), _rule(row, faults)
        if when is None:
            faults.add(row.line, "condition", "says nothing: say what the row is for")
        elif worth is not None:
            reading.lines[f"criteria[{len(found)}]"] = row.line
            found.append({"id": f"c{n}", "when": when, **worth, "rule": rule})
    if not found and len(faults.found) == before:
        faults.add(section.line, "scoring criteria", "holds no table with the columns Condition and Score")
    return found


def _worth(row: Row, own: str | None, items: Mapping[str, str], faults: Faults) -> dict[str, Any] | None:
    text = row.cells.get("score", "")
    match = _SCORE.fullmatch(text)
    scopes = (own, "case") if own else ("case",)
    scope = (match["scope"] or "case").casefold() if match else ""
    if match is None or float(match["score"]) > 1 or scope not in scopes:
        faults.add(row.line, "score", f'a number from 0 to 1, or "<number> for the {"|".join(scopes)} …", not "{text}"')
        return None
    item = match["item"]
    known = None if item is None else items.get(fold_text(item))
    if item is not None and (known is None or scope == "case"):
        what = "a row for the case names no item" if scope == "case" else f"{quoted(item)} is no {scope} of this case"
        faults.add(row.line, "score", f"{what}{did_you_mean(item, list(dict.fromkeys(items.values())))}")
        return None
    return {"score": match["score"], "scope": scope, "item": known, "hallucination": match["made_up"] is not None}


def _rule(row: Row, faults: Faults) -> dict[str, list[str]] | None:
    found: dict[str, list[str]] = {}
    for part in re.split(r"\s*;\s*", row.cells.get("rule", "")):
        if not part:
            continue
        key, _, words = part.partition(":")
        name = fold_text(key)
        given = [word.strip() for word in (_NEXT_PLACE.split(words) if name == "cites" else words.split(",")) if word.strip()]
        if name not in _RULE_KEYS:
            faults.unknown(row.line, "rule", key.strip(), _RULE_KEYS)
        elif not given or name in found:
            faults.add(row.line, "rule", f"write `{name}: word, word` once, not {quoted(part)}")
        else:
            found[name] = given
    return found or None


def needs_line(case: CaseFile) -> dict[str, Any] | None:
    """What is known of a case file with faults, as a line of a batch: a person confirms or corrects it with `judge label --make-gold`. None
    where the capability or the document is not known, so that no page could be shown."""
    told = case.line["metadata"]
    named = {key: told[key] for key in ("document", "documents") if key in told}
    if "capability" not in told or not named:
        return None
    capability = capability_of(told["capability"])
    if capability.case_file is None:
        return None
    output = capability.case_file.output_of(case.line["gold"])
    line: dict[str, Any] = {"case_id": case.case_id, "capability": told["capability"], **named}
    line |= {"input": {"question": case.question}} if case.question else {}
    extra = {"metadata": told}
    if not any("criteria" in problem.path or problem.path in ("score", "condition", "rule") for problem in case.problems):
        extra |= {"criteria": case.line["criteria"]} if "criteria" in case.line else {}
    line |= {"output": output, "metadata": {GOLD_LINE: extra}}
    try:
        BatchLine.model_validate(line)
        capability.output.model_validate(output)
        capability.input.model_validate(line.get("input", {}))
    except ValidationError:
        return None
    return line
