"""What is known of a case file with faults, as a line of a batch: a person confirms or corrects it with `judge label --make-gold`."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from judge.capabilities.registry import capability_of
from judge.inputs.case_files.reader import CaseFile
from judge.inputs.lines import BatchLine

GOLD_LINE = "gold_line"  # metadata: what the gold line has beside its gold


def needs_line(case: CaseFile) -> dict[str, Any] | None:
    """The line; None where the capability or the document is not known, so that no page could be shown."""
    told = case.line["metadata"]
    named = {key: told[key] for key in ("document", "documents") if key in told}
    if "capability" not in told or not named:
        return None
    gold = case.line["gold"]
    output = _OUTPUTS[told["capability"]](gold)
    line: dict[str, Any] = {"case_id": case.case_id, "capability": told["capability"], **named}
    line |= {"input": {"question": case.question}} if case.question else {}
    extra = {"metadata": told}
    if not any("criteria" in problem.path or problem.path in ("score", "condition", "rule") for problem in case.problems):
        extra |= {"criteria": case.line["criteria"]} if "criteria" in case.line else {}
    line |= {"output": output, "metadata": {GOLD_LINE: extra}}
    try:
        BatchLine.model_validate(line)
        capability_of(told["capability"]).output.model_validate(output)
        capability_of(told["capability"]).input.model_validate(line.get("input", {}))
    except ValidationError:
        return None
    return line


def _onboarding(gold: dict[str, Any]) -> dict[str, Any]:
    found = {"document_type": gold.get("document_type"), "fields": _fields(gold.get("fields", {}))}
    tranches = [{"label": one["label"], "fields": _fields(one["fields"])} for one in gold.get("tranches", ())]
    return found | ({"tranches": tranches} if tranches else {})


def _fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: _field(one) for key, one in fields.items()}


def _field(one: dict[str, Any]) -> dict[str, Any]:
    kept = {key: one[key] for key in ("value", "citation", "citations", "scope") if key in one}
    if "amended" in one:
        return {"status": "amended", **{key: value for key, value in one["amended"].items() if key != "one_time"}, **kept}
    if "missing_page" in one:
        return {"status": "missing", "page": one["missing_page"], **kept}
    status = next((key for key in ("absent", "unchanged") if one.get(key)), "extracted" if one.get("legible", True) else "illegible")
    return {"status": status, **kept}


def _covenants(gold: dict[str, Any]) -> dict[str, Any]:
    return gold


def _benchmark(gold: dict[str, Any]) -> dict[str, Any]:
    findings = [{key: value for key, value in one.items() if key != "benchmark_range"} for one in gold.get("findings", ())]
    return {**gold, "findings": findings}


def _answer(gold: dict[str, Any]) -> dict[str, Any]:
    sections = [one if isinstance(one, dict) else {"section": one} for one in gold.get("required_sections", ())]
    refusal = "The document does not contain this information."
    return {"answer": gold.get("answer", "") if gold.get("answerable") else refusal, "citations": sections}


_OUTPUTS = {"loan_onboarding": _onboarding, "covenant_monitoring": _covenants, "benchmark_validation": _benchmark, "document_qa": _answer}
