"""What a person is asked to make gold of a case, and the gold that the answers amount to; by capability."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from judge.capabilities.qa.refusals import read_refusal
from judge.cases import (
    FIELD_KEYS,
    GOLD_MODELS,
    BenchmarkFinding,
    BenchmarkFindingGold,
    BenchmarkGold,
    BenchmarkOutput,
    Case,
    Citation,
    Cited,
    CovenantGold,
    CovenantOutput,
    ExtractionOutput,
    FieldGold,
    FieldOutput,
    QaGold,
    QaOutput,
)
from judge.labelling.label_file import Label
from judge.labelling.tasks import Choice, Task
from judge.report.lines import Cited as Place
from judge.report.lines import Claimed
from rubrics.contract import load_contract

CONFIRM, CORRECT, ABSENT, NONE = "confirm", "correct", "absent", "none"
RUBRIC = "gold"
_LISTS = frozenset({"guarantors", "conditions_precedent"})
Path_ = tuple[str, ...]


def gold_tasks(case: Case) -> list[Task]:
    """Everything that a person must say of one case before its gold line can be written."""
    builders: Mapping[str, Callable[[Case], list[Task]]] = {
        "loan_onboarding": _extraction_tasks,
        "covenant_monitoring": _covenant_tasks,
        "benchmark_validation": _benchmark_tasks,
        "document_qa": _qa_tasks,
    }
    return builders[case.capability](case)


def task_id(case_id: str, *path: str) -> str:
    """The id of a task: the case and where in gold its answer goes."""
    return json.dumps([case_id, *path], ensure_ascii=False)


def path_of(task: str) -> tuple[str, Path_]:
    """Case and place of a task id."""
    case_id, *path = json.loads(task)
    return str(case_id), tuple(map(str, path))


def _task(case: Case, path: Path_, question: str, shown: Any, choices: Sequence[Choice], cited: Cited | None = None) -> Task:
    claims = cited.claims if cited is not None else ()
    texts = [("Reported", shown if isinstance(shown, str) else _pretty(shown))] if shown is not None else []
    texts += [("Citation", _cited_text(claim)) for claim in claims]
    return Task(
        task_id=task_id(case.case_id, *path),
        cluster_id=case.case_id,
        rubric=RUBRIC,
        question=question,
        texts=tuple(texts),
        choices=tuple(choices),
        cited=_place(claims[0], case) if claims else Place(claim=Claimed(case.documents[0], "1") if case.documents else Claimed()),
        documents=case.documents,
    )


def _place(claim: Citation, case: Case) -> Place:
    document = claim.document or (case.documents[0] if case.documents else "")
    page = "" if claim.page is None else str(claim.page)
    return Place(claim=Claimed(document, page, claim.section or "", claim.quote or ""))


def _cited_text(claim: Citation) -> str:
    place = ", ".join(str(p) for p in (claim.document, claim.page and f"page {claim.page}", claim.section) if p)
    return f"{place}\n{claim.quote or ''}".strip()


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def plain(model: BaseModel) -> Any:
    """A model as JSON values without what is not given."""
    return model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


# ---- loan onboarding ---------------------------------------------------------------------------------------------


def _reported_fields(case: Case) -> dict[Path_, FieldOutput]:
    """Every reported field by its place in gold."""
    output: ExtractionOutput = case.output
    found: dict[Path_, FieldOutput] = {("fields", key): value for key, value in output.fields.items()}
    return found | {("tranches", t.label, key): value for t in output.tranches for key, value in t.fields.items()}


def _extraction_tasks(case: Case) -> list[Task]:
    output, reported = case.output, _reported_fields(case)
    kinds = [Choice("primary_agreement", "Primary agreement"), Choice("amendment", "Amendment")]
    tasks = [_task(case, ("document_type",), "What is the document?", output.document_type or "(nothing)", kinds)]
    for key in FIELD_KEYS:
        places = [path for path in reported if path[-1] == key] or [("fields", key)]
        for path in places:
            name = f"{key} of {path[1]}" if path[0] == "tranches" else key
            tasks.append(_field_task(case, path, name, reported.get(path)))
    return tasks


def _field_task(case: Case, path: Path_, name: str, field: FieldOutput | None) -> Task:
    shown = _shown(field)
    draft = "\n".join(shown) if isinstance(shown, list) else shown if isinstance(shown, str) else _pretty(shown) if shown else ""
    hint = ", one a line" if path[-1] in _LISTS else ""
    choices = [Choice(CORRECT, f"The right value is{hint}", needs_text=True, draft=draft), Choice(ABSENT, "Absent from the document")]
    if field is not None and field.status != "absent":
        choices.insert(0, Choice(CONFIRM, "Right as reported"))
    return _task(case, path, f"Is this right: {name.replace('_', ' ')}?", _text_of(field, shown), choices, field)


def _shown(field: FieldOutput | None) -> Any:
    if field is None or field.status in ("absent", "unchanged"):
        return ""
    if field.status == "amended":
        return {k: v for k, v in plain(field).items() if k in ("original_value", "new_value", "effective_date")}
    value = plain(field).get("value")
    return str(value) if isinstance(value, bool | int | float) else value


def _text_of(field: FieldOutput | None, shown: Any) -> str:
    if field is None:
        return "(not reported)"
    if field.status in ("absent", "unchanged"):
        return f"({field.status})"
    return "\n".join(shown) if isinstance(shown, list) else shown if isinstance(shown, str) else _pretty(shown)


def _field_gold(key: str, field: FieldOutput | None, answer: Label) -> dict[str, Any]:
    """Gold of one field from a person's answer."""
    if answer.value == ABSENT:
        return {"absent": True}
    if field is not None and field.status == "unchanged" and answer.value == CONFIRM:
        return {"unchanged": True}
    place = _gold_place(field)
    if field is not None and field.status == "amended":
        shown = _shown(field)
        found = json.loads(answer.text) if answer.value == CORRECT and answer.text.lstrip().startswith("{") else None
        amended = found or {**shown, **({"new_value": answer.text.strip()} if answer.value == CORRECT else {})}
        return {"amended": {**amended, "effective_date": _known_date(amended.get("effective_date"))}, **place}
    value = plain(field)["value"] if answer.value == CONFIRM and field is not None else _corrected(key, answer.text)
    return {"value": value, **place}


def _known_date(date: str | None) -> str | None:
    return None if date == "unclear" else date


def _corrected(key: str, text: str) -> str | list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()] if key in _LISTS else text.strip()


def _gold_place(field: Cited | None) -> dict[str, Any]:
    """Page and section of the reported citation: the person saw the value there."""
    claims = [c for c in (field.claims if field else ()) if c.page is not None or c.section]
    if not claims:
        return {}
    return {"citation": {k: v for k, v in plain(claims[0]).items() if k in ("document", "page", "section")}}


def _extraction_gold(case: Case, answers: Mapping[Path_, Label]) -> dict[str, Any]:
    reported = _reported_fields(case)
    fields: dict[str, Any] = {}
    tranches: dict[str, dict[str, Any]] = {}
    for path, answer in answers.items():
        if path[0] in ("fields", "tranches"):
            place = fields if path[0] == "fields" else tranches.setdefault(path[1], {})
            place[path[-1]] = _field_gold(path[-1], reported.get(path), answer)
    gold = {"document_type": answers["document_type",].value, "fields": fields}
    return gold | ({"tranches": [{"label": label, "fields": found} for label, found in tranches.items()]} if tranches else {})


# ---- covenants, benchmark findings, questions --------------------------------------------------------------------


def _json_choices(draft: Any, absent: str) -> list[Choice]:
    return [
        Choice(CONFIRM, "Right as reported"),
        Choice(CORRECT, "Right is (JSON, Ctrl+Enter saves)", needs_text=True, draft=_pretty(draft)),
        Choice(ABSENT, absent),
    ]


def _missing_choices(example: Any) -> list[Choice]:
    return [
        Choice(NONE, "Nothing is missing"),
        Choice(CORRECT, "Missing (a JSON list, Ctrl+Enter saves)", needs_text=True, draft=_pretty([example])),
    ]


def _covenant_tasks(case: Case) -> list[Task]:
    output: CovenantOutput = case.output
    tasks = [
        _task(case, ("covenants", str(n)), f"Is this covenant right: {c.name}?", plain(c), _json_choices(plain(c), "No such covenant"), c)
        for n, c in enumerate(output.covenants)
    ]
    example = {"name": "", "type": "financial", "threshold": "", "testing_frequency": "quarterly", "effective_date": "original"}
    return [*tasks, _task(case, ("missing",), "Which covenants of the document are missing?", None, _missing_choices(example))]


def _covenant_gold(case: Case, answers: Mapping[Path_, Label]) -> dict[str, Any]:
    output: CovenantOutput = case.output
    found = [_chosen(plain(c), answers["covenants", str(n)]) for n, c in enumerate(output.covenants)]
    return {"covenants": [c for c in found if c is not None] + _added(answers["missing",])}


def _benchmark_tasks(case: Case) -> list[Task]:
    output: BenchmarkOutput = case.output
    head = _benchmark_head(output)
    tasks = [_task(case, ("head",), "Are benchmark, law and market right?", head, _json_choices(head, "None applies")[:2])]
    for n, finding in enumerate(output.findings):
        choices = _json_choices(_finding_draft(finding), "No such term")
        tasks.append(_task(case, ("findings", str(n)), f"Is this finding right: {finding.term}?", plain(finding), choices, finding))
    example = {"term": "", "finding": "deviation", "deal_value": "", "benchmark_value": "", "gap": "", "benchmark_reference": ""}
    return [*tasks, _task(case, ("missing",), "Which terms are missing?", None, _missing_choices(example))]


def _benchmark_head(output: BenchmarkOutput) -> dict[str, Any]:
    return {key: getattr(output, key) for key in ("benchmark", "jurisdiction", "market", "jurisdiction_ambiguous")}


def _finding_draft(finding: BenchmarkFinding) -> dict[str, Any]:
    return {key: value for key, value in plain(finding).items() if key != "disclosure"}


def _benchmark_gold(case: Case, answers: Mapping[Path_, Label]) -> dict[str, Any]:
    output: BenchmarkOutput = case.output
    head = _chosen(_benchmark_head(output), answers["head",]) or {}
    found = [_chosen(_finding_draft(f), answers["findings", str(n)]) for n, f in enumerate(output.findings)]
    return {**head, "findings": [f for f in found if f is not None] + _added(answers["missing",])}


def _qa_tasks(case: Case) -> list[Task]:
    output: QaOutput = case.output
    draft = _qa_draft(case, output)
    absent = "The document does not contain it"
    question = f"Is this the right answer: {case.input.get('question', '')}"
    return [_task(case, ("answer",), question, output.answer, _json_choices(draft, absent), output)]


def _qa_draft(case: Case, output: QaOutput) -> dict[str, Any]:
    """The reported answer as gold. Who confirms a refusal says that the document does not contain it."""
    refusal = read_refusal(output.answer, str(case.input.get("question", "")), None, load_contract().qa)
    if refusal.is_refusal and refusal.is_pure:
        return {"answerable": False}
    sections = [c.section for c in output.claims if c.section]
    return {"answerable": True, "answer": output.answer, "required_sections": list(dict.fromkeys(sections)), "qualified": False}


def _qa_gold(case: Case, answers: Mapping[Path_, Label]) -> dict[str, Any]:
    chosen = _chosen(_qa_draft(case, case.output), answers["answer",])
    return chosen if chosen is not None else {"answerable": False}


def _chosen(reported: dict[str, Any], answer: Label) -> dict[str, Any] | None:
    """The reported object, the person's own, or None for absent."""
    if answer.value == ABSENT:
        return None
    return dict(json.loads(answer.text)) if answer.value == CORRECT else reported


def _added(answer: Label) -> list[dict[str, Any]]:
    return list(json.loads(answer.text)) if answer.value == CORRECT else []


# ---- answers to gold ----

_GOLD: Mapping[str, Callable[[Case, Mapping[Path_, Label]], dict[str, Any]]] = {
    "loan_onboarding": _extraction_gold,
    "covenant_monitoring": _covenant_gold,
    "benchmark_validation": _benchmark_gold,
    "document_qa": _qa_gold,
}


def gold_of(case: Case, answers: Mapping[Path_, Label]) -> dict[str, Any]:
    """Gold of a case from all its answers. Raises ValidationError when the answers make no valid gold."""
    gold = _GOLD[case.capability](case, answers)
    GOLD_MODELS[case.capability].model_validate(gold)
    return gold


_PARTS: Mapping[str, type[BaseModel]] = {
    "covenants": CovenantGold,
    "findings": BenchmarkFindingGold,
    "head": BenchmarkGold,
    "answer": QaGold,
}


def check_answer(case: Case, path: Path_, value: str, text: str) -> None:
    """Raises ValueError when a text is no gold for its place."""
    if value != CORRECT:
        return
    if path[0] in ("fields", "tranches"):
        field = _reported_fields(case).get(path)
        FieldGold.model_validate(_field_gold(path[-1], field, Label("", "", "", CORRECT, text=text)))
    elif path[0] != "missing":
        _PARTS[path[0]].model_validate(json.loads(text))
    elif case.capability == "covenant_monitoring":
        TypeAdapter(list[CovenantGold]).validate_python(json.loads(text))
    else:
        TypeAdapter(list[BenchmarkFindingGold]).validate_python(json.loads(text))
