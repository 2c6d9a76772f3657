"""The lines of a result folder and the nouns that they hold, each written and read in one place (docs/contract/formats.md).
Exact weights that no JSON number holds (3/7 of a tranche) stand beside the number as `weight_exact`, so a score computed from the file is
the same fraction as one computed in memory. Keys that hold their default are left out; unknown keys are passed over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, PlainValidator, TypeAdapter, ValidationError

from judge.capabilities import TIER1_FIELDS
from judge.capabilities.registry import title_of
from judge.disk import hash_text
from judge.printing import quoted
from judge.records import FALSE_NEGATIVES, FALSE_POSITIVES, Bounds, CriteriaBlock, Item, JudgedCase, NonOutcome, Outcome, grouped
from judge.records.line_parts import Ends, Exactly, Number, ScoreNumber, Whole, bounds_of, exact, held, score_block

JsonLine = dict[str, Any]
GateResult = Literal["pass", "fail", "inconclusive", "not_applicable"]


def _composite_of(block: Mapping[str, Any] | None) -> dict[str, Bounds]:
    if not block:
        return {}
    return {"score": bounds_of(block), **{name: bounds_of(value) for name, value in block.items() if isinstance(value, dict)}}


def _composite_block(scores: Mapping[str, Bounds]) -> JsonLine:
    return score_block(scores["score"]) | {name: score_block(bounds) for name, bounds in scores.items() if name != "score"}


# a composite with its dimensions beside it
Composite = Annotated[Mapping[str, Bounds], PlainValidator(_composite_of), PlainSerializer(_composite_block)]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One line of cases.jsonl; `score` is None while open items leave the bounds apart. gold_id: the case whose gold line several outputs
    share; "" for gold of the output's own id."""

    case_id: str
    capability: str
    score: ScoreNumber | None
    bounds: Ends
    is_hallucinated: Annotated[bool, Field(alias="hallucinated")]
    weight: Annotated[Exactly, Field(ge=0)]
    outcomes: Mapping[str, Whole]
    is_skipped: Annotated[bool, Field(alias="skipped")] = False
    gold_id: Annotated[str, Field(alias="case")] = ""
    companion: Composite = field(default_factory=dict)  # under a contract with dimensions
    provenance_score: Composite = field(default_factory=dict)
    criteria: CriteriaBlock | None = None
    counts: Annotated[Mapping[str, int], Field(exclude=True)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of the standard. value: None while the bounds are apart and no best estimate exists; threshold 0..1."""

    name: str
    scope: str
    value: Number | None
    bounds: Ends | None
    threshold: Number
    result: GateResult
    value_with_exceptions: Number | None = None
    bounds_with_exceptions: Ends | None = None
    is_by_exception: Annotated[bool, Field(alias="by_exception")] = False


@dataclass(frozen=True, slots=True)
class CapabilityScore:
    """Score of one capability over its cases."""

    name: str
    cases: int
    score: Number | None
    bounds: Ends | None
    interval: Ends | None
    companion: Composite = field(default_factory=dict)
    provenance_score: Composite = field(default_factory=dict)


def verdict_line(item: Item) -> JsonLine:
    """The line of one item."""
    line = _ITEM.dump_python(item, mode="json", by_alias=True)
    line |= {"rubric": item.rubric or None, "weight_exact": _exact_weight(item.weight)}
    line["uncertified"] = {key: value for key, value in (line["uncertified"] or {}).items() if value != line[key]}
    return held({key: line[key] for key in _KEYS}, _ALWAYS)


def lines_of_case(case: JudgedCase, hashes: Mapping[str, str]) -> list[JsonLine]:
    """The lines of a case's items, each with what its documents hold, whatever the files are called. hashes: of the files, by name."""
    contents = sorted({hashes[name] for name in case.documents if name in hashes})
    documents_hash = hash_text(contents)[:12] if contents else ""
    return [verdict_line(replace(item, documents_hash=documents_hash)) for item in case.items]


def asked_lines(case: JudgedCase) -> list[JsonLine]:
    """The lines of questions.jsonl: what a model was asked for a case, with all texts, and what it said."""
    lines = []
    for question, a in case.answers.items():
        if a.by != "deterministic":
            line = {"case_id": case.items[0].case_id, "rubric": question.rubric, "inputs": dict(question.variables)}
            more = {"choices": dict(question.choices), "pictures": [picture.sha256 for picture in question.pictures]}
            more = {key: found for key, found in {**more, "document_texts": dict(case.texts)}.items() if found}
            said = held({"model": a.model, "by": a.by, "verdict": a.verdict, "confidence": a.confidence, "error": a.error})
            lines.append({**line, **more, "kinds": question.kinds, "judge": said})
    return lines


def _exact_weight(weight: Fraction) -> str | None:
    return None if exact(float(weight)) == weight else str(weight)


def case_line(case: CaseResult) -> JsonLine:
    """The line of cases.jsonl."""
    line = _CASE.dump_python(case, **_WRITTEN)
    head = {key: line.pop(key) for key in _CASE_HEAD}
    return {**head, **held({"weight_exact": _exact_weight(case.weight)}), **line, **case.counts}


def gate_line(gate: Gate) -> JsonLine:
    """The object of summary.json's `gates`."""
    line: JsonLine = _GATE.dump_python(gate, **_WRITTEN)
    return line


def capability_block(score: CapabilityScore) -> JsonLine:
    """The object of summary.json's `capabilities`."""
    block: JsonLine = _CAPABILITY.dump_python(score, **_WRITTEN, exclude={"name"})
    return block


def item_of(line: Mapping[str, Any]) -> Item:
    """A line of verdicts.jsonl. Raises ValueError (pydantic's, which names the key), TypeError, KeyError for an edited one."""
    given = {**_ABSENT, **{key: value for key, value in line.items() if value is not None}}
    given["weight"] = line.get("weight_exact", given["weight"])
    if uncertified := line.get("uncertified"):
        given["uncertified"] = {**given, **uncertified}
    if "who" in (line.get("judge") or ()):
        given.setdefault("who", line["judge"]["who"])
    return _ITEM.validate_python(given)


def case_of(line: Mapping[str, Any]) -> CaseResult:
    """A line of cases.jsonl. Raises ValueError (pydantic's, which names the key), TypeError, KeyError, AttributeError for an edited one."""
    counts = {name: line[name] for name in (FALSE_POSITIVES, FALSE_NEGATIVES) if name in line}
    return _CASE.validate_python({**line, "weight": line.get("weight_exact", line["weight"]), "counts": counts})


def gate_of(line: Mapping[str, Any]) -> Gate:
    """One gate of summary.json. Raises as `case_of`."""
    return _GATE.validate_python(line)


def capability_score_of(name: str, block: Mapping[str, Any]) -> CapabilityScore:
    """One capability of summary.json. Raises as `case_of`."""
    return _CAPABILITY.validate_python({**block, "name": name})


_ITEM, _CASE, _GATE, _CAPABILITY = TypeAdapter(Item), TypeAdapter(CaseResult), TypeAdapter(Gate), TypeAdapter(CapabilityScore)
_WHOLE = TypeAdapter[int](Annotated[int, Field(strict=True, gt=0)])
_ALWAYS = (
    "case_id capability item tranche outcome score weight provenance decided_by rule reason rubric judge bounds findings".split()
)  # keys of a verdict line that always stand there, in their order; then those that hold something
_MORE = """provenances reported gold confidence why_open can_hallucinate counts_for_field unanswerable weight_exact hitl question note
open_point uncertified provisional exception dimensions criteria who when why settles documents_hash metadata"""
_KEYS = _ALWAYS + _MORE.split()
_ABSENT: JsonLine = {"capability": "", "tranche": None, "score": None, "decided_by": "none", "rule": "", "reason": "",
                 "bounds": (0.0, 1.0), "weight": 0, "can_hallucinate": False, "provenance": {}}  # fmt: skip
_WRITTEN: Any = {"mode": "json", "by_alias": True, "exclude_defaults": True}
_CASE_HEAD = ("case_id", "capability", "score", "bounds", "hallucinated", "weight", "outcomes")


OUTCOMES: Mapping[str, Outcome | NonOutcome] = {str(outcome): outcome for outcome in (*Outcome, *NonOutcome)}


def wrong_part(line: Any) -> str:
    """What of a parsed line of verdicts.jsonl no run writes; "" when it is one. A person's line needs only to say of what it is, and whose
    word."""
    if not isinstance(line, dict):
        return "it is no object"
    is_short = line.get("decided_by") == "human"
    for key in ("case_id", "item", "outcome") if is_short else ("case_id", "item", "outcome", "bounds", "weight"):
        if line.get(key) is None:
            return f"{key} is {line[key]!r}" if key in line else f"{key} is missing"
    if is_short and not line.get("withdrawn") and not str(line.get("who") or "").strip():
        return "who is missing: a person's verdict names the person"
    try:
        _WHOLE.validate_python(line.get("case_items", 1))
        item_of(line)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as error:
        return fault_of(error)
    return ""


def fault_of(error: Exception) -> str:
    """What is wrong with a line, in a few words: the key that a model refuses and what stands there."""
    if not isinstance(error, ValidationError):
        return f"{quoted(error.args[0])} is missing" if isinstance(error, KeyError) and error.args else "a part has another form"
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))} is {quoted(first['input'])}"


def gate_name(name: str) -> str:
    """A gate's name for people: "Tier 1 field score"."""
    return name.replace("_", " ").replace("tier1", "tier 1").capitalize()


def scope_title(gate: str, scope: str) -> str:
    """The scope of a gate of this name: a capability's title, the key of a field, or the whole run."""
    return "whole run" if scope == "all" else scope if gate == TIER1_FIELDS else title_of(scope)


def listed(gates: Iterable[Gate]) -> str:
    """Gates by name with their scopes: "Tier 1 field score: margin, currency; Hallucination rate"."""
    scopes = grouped((gate_name(gate.name), "" if gate.scope == "all" else scope_title(gate.name, gate.scope)) for gate in gates)
    return "; ".join(f"{name}: {', '.join(found)}" if any(found) else name for name, found in scopes.items())
