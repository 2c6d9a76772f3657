"""Document Q&A (standard 4, design/answers.md): right answers with every required section cited, and grounded refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deterministic.lexicon.stems import content_words
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.figures import values_in
from judge.capabilities.items import Aside, decide, figure_fact, provenance_aside
from judge.capabilities.provenance import Assessed, assess_all, invented_parts, worst_of_several
from judge.capabilities.qa.comparing import compare_answer
from judge.capabilities.qa.dimensions import NO_SECTIONS, RIGHT, WRONG, accuracy_part, answer_aside, imports_part, silent_aside
from judge.capabilities.qa.refusals import is_nothing, read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.sections import section_gaps, section_parts
from judge.capabilities.qa.subject import shown, subject_of
from judge.capabilities.qa.support import holds_figures, support_of
from judge.capabilities.qa.texts import is_accepted, passages_of, question_of, with_pages
from judge.capabilities.qa.unanswerable import invented_figures, unanswerable
from judge.capabilities.wording import alternatives
from judge.records import Decision, Fact, Finding, Outcome, Part, Question


def judge(context: Context) -> list[Decision]:
    """The one item of a Q&A case: the answer."""
    output: QaOutput | None = context.case.output
    gold: QaGold | None = context.case.gold
    if output is None:
        missed = closed(Outcome.FAIL, "There is no answer.", "4.1 Fail", Finding("NOT_REPORTED", "no output"))
        return [decide(context, subject_of(context, gold), missed, aside=silent_aside(context))]
    if gold is None:
        return [_without_gold(context, output)]
    return [_answerable(context, output, gold) if gold.answerable else unanswerable(context, output, gold)]


def _answerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    subject, claims = subject_of(context, gold), output.claims
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    is_refused = refusal.is_pure or ((refusal.is_refusal or is_nothing(output.answer)) and not claims)
    if is_refused and not is_accepted(output, gold):
        refused = closed(Outcome.FAIL, "Refuses a question that the document answers.", "4.1 Fail", _refused())
        part = worst_part([refused, *invented_parts(context, claims)])
        return decide(context, subject, part, shown(context, claims), aside=_refusing_aside(context, gold, refused))
    support = support_of(context, output, gold)
    if context.contract.dimensions is not None:
        support = replace(support, content=_accuracy(context, output, gold), shows=lambda text: _shows(context, output, text))
    assessed, provenances = assess_all(context, claims, support, combine=worst_of_several)
    correctness, sections = _correctness(context, output, gold), section_parts(context, claims, gold)
    manner = _manner(context, output, gold)
    part = worst_part([correctness, *sections, assessed.part, *manner.values()])
    aside = _aside(context, output, gold, {"content": correctness, **manner}, assessed)
    return decide(context, subject, part, assessed.provenance, provenances, aside=aside)


def _shows(context: Context, output: QaOutput, text: str) -> bool:
    """Whether a quote holds a figure of the answer; of an answer without figures only a judge can tell."""
    return not values_in(output.answer) or holds_figures(context, output, text)


def _accuracy(context: Context, output: QaOutput, gold: QaGold) -> Part:
    """How far the answer is right (companion rubric): by the values that both sides state, else one question."""
    if compare_answer(output, gold) != "open":
        return _correctness(context, output, gold)
    return accuracy_part(context, replace(_correctness_question(context, output, gold), rubric="answer_accuracy"))


def _aside(context: Context, output: QaOutput, gold: QaGold, parts: Mapping[str, Part], assessed: Assessed) -> Aside | None:
    if context.contract.dimensions is None:
        return None
    asked = Question.of(
        "answer_imports", question=question_of(context), answer=output.answer, passages=passages_of(context, output.claims, gold)
    )
    asked = with_pages(context, output.claims, asked)
    whole = {
        **parts,
        "accuracy": _accuracy(context, output, gold),
        "imports": imports_part(context, parts.get("scope", RIGHT), asked),
        "uncertainty": parts.get("uncertainty", RIGHT),
        "refusal": RIGHT,
    }
    return answer_aside(context, whole, assessed, section_gaps(context, output, gold), _facts(context, output, gold, parts["content"]))


def _refusing_aside(context: Context, gold: QaGold, refused: Part) -> Aside | None:
    """A refusal of a question that the document answers: nothing is right of it, but nothing is imported."""
    parts = {"content": refused, "accuracy": WRONG, "imports": RIGHT, "uncertainty": WRONG if gold.qualified else RIGHT, "refusal": RIGHT}
    return answer_aside(context, parts, None, NO_SECTIONS, {})


def _fold_space(text: str) -> str:
    return " ".join(text.split())


def _facts(context: Context, output: QaOutput, gold: QaGold, content: Part) -> Mapping[str, Fact]:
    """Whether the answer states gold's figure, a figure that is nowhere in the document, and writes gold's answer as gold does."""
    known = frozenset(map(_fold_space, (gold.answer or "", *gold.accepted))) - {""}
    is_same = any(text in _fold_space(output.answer) for text in known)
    is_invented = bool(invented_figures(context, output))
    nowhere = is_invented if context.is_readable or not is_invented else None
    return {"figure": figure_fact(content, nowhere), "form": Fact(frozenset({"same"} if is_same else ()))}


def _refused() -> Finding:
    return Finding("REFUSED_ANSWERABLE", "the document answers the question")


def _correctness(context: Context, output: QaOutput, gold: QaGold) -> Part:
    if is_accepted(output, gold):
        return closed(Outcome.CORRECT, "The answer is an accepted text.", "4.1 Correct")
    verdict = compare_answer(output, gold)
    if verdict == "equal":
        return closed(Outcome.CORRECT, "The answer states the value of gold's answer.", "4.1 Correct")
    if verdict == "different":
        return closed(Outcome.FAIL, f"The answer is {gold.answer!r}; reported: {output.answer[:200]!r}.", "4.1 Fail")
    question = _correctness_question(context, output, gold)
    branches = {
        "correct": closed(Outcome.CORRECT, "The judge finds the answer correct.", "4.1 Correct"),
        "incorrect": closed(Outcome.FAIL, "The judge finds the answer incorrect.", "4.1 Fail"),
        "non_answer": closed(Outcome.FAIL, "The judge finds that the answer says nothing specific.", "4.1 Fail", _refused()),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the answer is right.", "4.1")


def _correctness_question(context: Context, output: QaOutput, gold: QaGold) -> Question:
    question = Question.of(
        "answer_correctness",
        question=question_of(context),
        answer=output.answer,
        gold=alternatives([gold.answer or "", *gold.accepted]),
        passages=passages_of(context, output.claims, gold),
    )
    return with_pages(context, output.claims, question)


def _manner(context: Context, output: QaOutput, gold: QaGold) -> dict[str, Part]:
    """Qualified language reflected, nothing beyond the document claimed; an accepted text is right in both."""
    if compare_answer(output, gold) == "equal":
        return {}
    asked = {"question": question_of(context), "answer": output.answer, "passages": passages_of(context, output.claims, gold)}
    scope = _scope(context, output, gold, asked)
    if not gold.qualified:
        return {"scope": scope}
    uncertainty = by_verdict(
        context.answers,
        with_pages(context, output.claims, Question.of("uncertainty", gold=gold.answer or "", **asked)),
        {
            "reflected": closed(Outcome.CORRECT, "The source's qualification is reflected.", "4.2 Uncertainty acknowledgement"),
            "missing": closed(Outcome.FAIL, "The source's qualification is missing.", "4.2 Uncertainty acknowledgement"),
            "no_qualification": closed(
                Outcome.CORRECT,
                "The judge finds that the source makes no qualification that bears on the question.",
                "4.2 Uncertainty acknowledgement",
                Finding("NO_QUALIFICATION", "gold says that the source is qualified; the judge finds no qualification in it"),
            ),
        },
        "No rule tells whether the answer reflects the source's qualified language.",
        "4.2 Uncertainty acknowledgement",
    )
    return {"uncertainty": uncertainty, "scope": scope}


def _scope(context: Context, output: QaOutput, gold: QaGold, asked: Mapping[str, str]) -> Part:
    """An answer that adds no word to gold's answer and the question claims nothing beyond them; without a text to read nobody can tell."""
    rule = "4.2 Document-only answers"
    known = content_words("\n".join([question_of(context), gold.answer or "", *gold.accepted]))
    if content_words(output.answer) <= known:
        return closed(Outcome.CORRECT, "The answer says nothing beyond the reference answer.", rule)
    if not asked["passages"]:
        return opened(Outcome.FAIL, Outcome.CORRECT, "No cited text was found that would show the answer's scope.", rule, "no_passage")
    return by_verdict(
        context.answers,
        with_pages(context, output.claims, Question.of("answer_scope", **asked)),
        {
            "within_scope": closed(Outcome.CORRECT, "The answer stays within the document.", rule),
            "outside_scope": closed(Outcome.FAIL, "The answer claims what the document does not say.", rule),
        },
        "No rule tells whether the answer claims more than the document says.",
        rule,
    )


def _without_gold(context: Context, output: QaOutput) -> Decision:
    subject = subject_of(context, None)
    part = opened(Outcome.FAIL, Outcome.CORRECT, "Whether the answer is right is not known.", "4.1", "no_reference")
    refusal = read_refusal(output.answer, question_of(context), None, context.contract.qa)
    if refusal.is_refusal:
        return decide(context, subject, worst_part([part, *invented_parts(context, output.claims)]), shown(context, output.claims))

    support = support_of(context, output, None)
    assessed, provenances = assess_all(context, output.claims, support, combine=worst_of_several)
    aside = provenance_aside(assessed)
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances, aside=aside)
