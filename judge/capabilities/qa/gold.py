"""Document Q&A's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.gold_parts import Documents, chosen, gold_task, json_choices, section_faults
from judge.capabilities.qa.refusals import read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.cases import Case
from rubrics.contract import Contract, load_contract


def gold_tasks(case: Case) -> list[GoldTask]:
    """The one answer."""
    output: QaOutput = case.output
    draft = _draft(case, output)
    absent = "The document does not contain it"
    question = f"Is this the right answer: {case.input.get('question', '')}"
    return [gold_task(("answer",), question, output.answer, json_choices(draft, absent), output)]


def _draft(case: Case, output: QaOutput) -> dict[str, Any]:
    """The reported answer as gold. Who confirms a refusal says that the document does not contain it."""
    refusal = read_refusal(output.answer, str(case.input.get("question", "")), None, load_contract().qa)
    if refusal.is_refusal and refusal.is_pure:
        return {"answerable": False}
    sections = [c.section for c in output.claims if c.section]
    return {"answerable": True, "answer": output.answer, "required_sections": list(dict.fromkeys(sections)), "qualified": False}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    return chosen(_draft(case, case.output), answers["answer",]) or {"answerable": False}


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected answer is no gold."""
    QaGold.model_validate(json.loads(text))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Required sections that the documents do not have."""
    gold: QaGold = case.gold
    if gold.answerable:
        for n, wanted in enumerate(gold.required_sections):
            section, name = (wanted, None) if isinstance(wanted, str) else (wanted.section, wanted.document)
            yield from section_faults(section, name, f"gold.required_sections[{n}]", documents)
