"""Document Q&A's gold: what a person is asked to make it, and what the documents must have of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from judge.capabilities import Fault, GoldAnswers, GoldPath, GoldTask
from judge.capabilities.cases import Case
from judge.capabilities.gold_forms import Input, read_form
from judge.capabilities.gold_parts import (
    ABSENT,
    CORRECT,
    Documents,
    form_choices,
    gold_task,
    section_faults,
)
from judge.capabilities.qa.refusals import read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput
from rubrics.contract import Contract, load_contract


def _form(case: Case) -> tuple[Input, ...]:
    several = (Input("document", "Document", "choice", tuple((n, n) for n in case.documents)), Input("section", "Section", is_needed=True))
    title = "Sections that a right answer cites"
    sections = (
        Input("required_sections", title, "forms", inner=several)
        if len(case.documents) > 1
        else Input("required_sections", f"{title}, one a line", "lines", hint="Clause 5.1(a)")
    )
    return (
        Input("answerable", "The document contains it", "yes_no", value="yes", is_needed=True),
        Input("answer", "The right answer", "lines"),
        Input("accepted", "Other right wordings, one a line", "lines"),
        sections,
        Input("qualified", "The source uses qualified language that the answer must reflect", "yes_no"),
        Input("topic", "Topic in a few words"),
    )


def gold_tasks(case: Case) -> list[GoldTask]:
    """The one answer."""
    output: QaOutput = case.output
    choices = form_choices(_form(case), _shown(_draft(case, output), case), "The document does not contain it")
    question = f"Is this the right answer: {case.input.get('question', '')}"
    return [gold_task(("answer",), question, output.answer, choices, output)]


def _shown(draft: dict[str, Any], case: Case) -> dict[str, Any]:
    """A draft as the form has it."""
    sections = draft.get("required_sections", ())
    as_forms = [{"section": section} if isinstance(section, str) else section for section in sections]
    return {**draft, "required_sections": as_forms if len(case.documents) > 1 else list(sections)}


def _read(case: Case, text: str) -> dict[str, Any]:
    """Gold of a filled-in form. Raises ValueError."""
    found = read_form(_form(case), json.loads(text))
    if found["answerable"] and not found.get("answer"):
        raise ValueError("The right answer: fill this in")
    if "answer" in found:
        found["answer"] = "\n".join(found["answer"])
    sections = [entry["citation"] if isinstance(entry, dict) else entry for entry in found.get("required_sections", ())]
    return {**found, "required_sections": [s if not isinstance(s, dict) or "document" in s else s["section"] for s in sections]}


def _draft(case: Case, output: QaOutput) -> dict[str, Any]:
    """The reported answer as gold. Who confirms a refusal says that the document does not contain it."""
    refusal = read_refusal(output.answer, str(case.input.get("question", "")), None, load_contract().qa)
    if refusal.is_refusal and refusal.is_pure:
        return {"answerable": False}
    sections = [c.section for c in output.claims if c.section]
    return {"answerable": True, "answer": output.answer, "required_sections": list(dict.fromkeys(sections)), "qualified": False}


def gold_of(case: Case, answers: GoldAnswers) -> dict[str, Any]:
    """The gold that the answers amount to."""
    answer = answers["answer",]
    if answer.value == ABSENT:
        return {"answerable": False}
    return _read(case, answer.text) if answer.value == CORRECT else _draft(case, case.output)


def check_answer(case: Case, path: GoldPath, text: str) -> None:
    """Raises ValueError when a corrected answer is no gold."""
    QaGold.model_validate(_read(case, text))


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """Required sections that the documents do not have."""
    gold: QaGold = case.gold
    if gold.answerable:
        for n, wanted in enumerate(gold.required_sections):
            section, name = (wanted, None) if isinstance(wanted, str) else (wanted.section, wanted.document)
            yield from section_faults(section, name, f"gold.required_sections[{n}]", documents)
