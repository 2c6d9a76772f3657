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
