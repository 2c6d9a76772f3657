"""A small agreement of our own and short-hands to judge one case of it without a PDF, a run or a model."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from deterministic.documents.documents import Document
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.records import Answer, Decision, Item, Question
from rubrics import load_contract
from tests.tables import text

NAME = "larkhill-facilities-agreement.pdf"
PAGES = tuple(text("capability_cases", "pages").split("\n----\n"))


def document(name: str = NAME, pages: tuple[str, ...] = PAGES, **kwargs: Any) -> Document:
    return Document.from_pages(name, pages, **kwargs)


AGREEMENT = document()


def cite(page: int | str | None, section: str | None, quote: str | None, name: str | None = NAME) -> dict[str, Any]:
    return {"document": name, "page": page, "section": section, "quote": quote}


def context(capability: str, output: Any, gold: Any = None, *, documents: tuple[Document, ...] = (AGREEMENT,), **case: Any) -> Context:
    """One case as a capability sees it; output and gold as they stand in the input files."""
    return Context(
        Case(
            case_id="larkhill-1",
            capability=capability,
            documents=tuple(d.name for d in documents),
            output=capability_of(capability).output.model_validate_json(json.dumps(output)) if output is not None else None,
            gold=capability_of(capability).gold.model_validate_json(json.dumps(gold)) if gold is not None else None,
            has_gold=gold is not None,
            **case,
        ),
        {d.name: d for d in documents},
        load_contract(),
    )


def judged(context: Context, verdicts: Mapping[str, str] | None = None) -> dict[str, Item]:
    """Item id -> result; verdicts: rubric -> the one verdict that a scripted judge gives. Without them, offline."""
    decisions, _ = replayed(context, verdicts)
    return {d.item.item: d.item for d in decisions}


def replayed(context: Context, verdicts: Mapping[str, str] | None = None) -> tuple[list[Decision], list[Question]]:
    """The decisions, and every question that was asked on the way."""
    answers: dict[Question, Answer] = {}
    asked: list[Question] = []
    while True:
        decisions = list(capability_of(context.case.capability).judge(replace(context, answers=answers)))
        new = [q for d in decisions for q in d.questions if q not in answers]
        if verdicts is None or not new:
            return decisions, asked
        for question in dict.fromkeys(new):
            asked.append(question)
            answers[question] = Answer(verdicts.get(question.rubric, "cannot_determine"), model="scripted")


def codes(item: Item) -> set[str]:
    return {finding.code for finding in item.findings}
