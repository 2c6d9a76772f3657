"""The answer beside the right ones: equal, different, or neither as far as rules tell."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from judge.capabilities.context import Context
from judge.capabilities.figures import Verdict
from judge.capabilities.provenance import check_claim
from judge.capabilities.qa.computed import are_quoted, operands
from judge.capabilities.qa.contradictions import (
    contradicts,
    denies_more,
    exchanges,
    has_another_figure,
    is_of_another_case,
    leaves_limit_out,
)
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.sections import is_required
from judge.capabilities.qa.texts import question_of, right_answers, verbatim_quotes, without_cited_places
from judge.capabilities.qa.typed import compare_answers
from judge.capabilities.statements import covers, is_about, retells
from judge.capabilities.wording import in_full


def typed_verdict(context: Context, output: QaOutput, gold: QaGold) -> Verdict:
    """The answer beside gold's and each accepted one: equal to one of them; different only from all that state a value."""
    return context.cached(("typed", output, gold), lambda: _compare(context, output, gold))


def _compare(context: Context, output: QaOutput, gold: QaGold) -> Verdict:
    right = right_answers(gold)
    answer, asked = (in_full(text, " ".join(right)) for text in (without_cited_places(output), question_of(context)))
    verdicts = [compare_answers(answer, text, asked) for text in right]
    quotes, own = verbatim_quotes(context, output), own_quotes(context, output, gold)
    contradicted = [
        contradicts(answer, text, asked) or has_another_figure(answer, text, own, asked) or is_of_another_case(answer, text, asked, quotes)
        for text in right
    ]
    is_right = "equal" in verdicts or retells_right_answer(context, output, gold) or is_computed(context, output, gold)
    if is_right and not any(contradicted) and not _is_loose(answer, right, quotes, asked):
        return "equal"
    is_wrong = [verdict == "different" or is_turned for verdict, is_turned in zip(verdicts, contradicted, strict=True)]
    is_short = [covers(right[0], text, "") for text in right]  # what gold's answer says in fewer words says no more
    return "different" if is_wrong and is_wrong[0] and all(map(operator.or_, is_wrong, is_short)) else "open"


def _is_loose(answer: str, right: Sequence[str], quotes: Sequence[str], asked: str) -> bool:
    """Whether an answer with the right values exchanges, denies or leaves out what right ones and its own quotes say."""
    loose = [[leaves_limit_out(text, quote, asked) for text in (answer, *right)] for quote in quotes]
    is_limit_lost = any(row[0] and not any(row[1:]) for row in loose)
    return is_limit_lost or any(exchanges(answer, text, asked) for text in right) or denies_more(answer, (*right, *quotes))


def is_computed(context: Context, output: QaOutput, gold: QaGold) -> bool:
    """An answer that computes gold's figure of two that its verbatim quotes have."""
    return any(are_quoted(operands(output.answer, text), verbatim_quotes(context, output)) for text in right_answers(gold))


def retells_right_answer(context: Context, output: QaOutput, gold: QaGold) -> bool:
    """An answer that has all of a right one and says nothing beyond right ones and its own quotes."""
    right = right_answers(gold)
    asked, answer = question_of(context), without_cited_places(output)
    return any(covers(answer, text, asked) for text in right) and retells(answer, (*own_quotes(context, output, gold), *right), asked)


def own_quotes(context: Context, output: QaOutput, gold: QaGold) -> tuple[str, ...]:
    """The verbatim quotes of an answer from a required section; where none is required, those that are about the question."""
    return tuple(quote for quote in verbatim_quotes(context, output) if is_evidence(context, output, gold, quote))


def is_evidence(context: Context, output: QaOutput, gold: QaGold, quote: str) -> bool:
    """A quote from a required section, or about what is asked where none is required."""
    if gold.required_sections:
        return is_required(context, output, gold, quote)
    return is_about(with_titles(context, output, quote), question_of(context), right_answers(gold))


def with_titles(context: Context, output: QaOutput, text: str) -> str:
    """A text with the headings of the provisions that its quotes stand in."""
    told = [text]
    for claim in output.claims:
        check = check_claim(context, claim)
        document = context.documents.get(check.found_in or "")
        if document is not None and claim.quote and claim.quote in text:
            told.extend(c.title or "" for start, end in check.spans[:2] for c in document.clauses.at(start, end))
    return "\n".join(told)
