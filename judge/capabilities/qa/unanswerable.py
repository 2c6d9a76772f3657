"""Questions that the documents do not answer: a grounded refusal, or an answer that imagines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, worst_part
from judge.capabilities.figures import figures_in, holds_figure, stands_in
from judge.capabilities.items import UNVERIFIED_VALUE, decide
from judge.capabilities.provenance import assess_all, invented_parts, worst_of_several
from judge.capabilities.qa.dimensions import WRONG, imagined_aside, imports_part, refusal_aside
from judge.capabilities.qa.refusals import Refusal, has_all_words, read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.subject import shown, subject_of
from judge.capabilities.qa.texts import passages_of, question_of, with_pages
from judge.records import Decision, Fact, Finding, Outcome, Part, Question


def unanswerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    """The item of a question that the documents do not answer."""
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    subject = subject_of(context, gold)
    if refusal.is_refusal:
        refused = _refusal_part(context, output, gold, refusal)
        part = worst_part([refused, *invented_parts(context, output.claims)])
        is_pure = refusal.code != "REFUSAL_EXTRA_CLAIM"
        aside = refusal_aside(context, refused, is_pure=is_pure, facts=_imagined_facts(context, output))
        return decide(context, subject, part, shown(context, output.claims), best_label=Outcome.GROUNDED_REFUSAL, aside=aside)
    assessed, provenances = assess_all(context, output.claims, None, combine=worst_of_several)
    claimed = closed(Outcome.FAIL, "Answers a question that the document does not answer.", "4.1 Fail")
    figures = _figures_part(context, output)
    part = worst_part([claimed, figures, *invented_parts(context, output.claims)])
    aside = imagined_aside(context, _imagined_imports(context, output, figures), assessed, _imagined_facts(context, output))
    return decide(context, subject, part, assessed.provenance, provenances, aside=aside)


def _refusal_mark(context: Context, output: QaOutput, gold: QaGold, refusal: Refusal) -> str:
    """Whether a refusal in another form than the mandated one names the topic."""
    names = any(has_all_words(output.answer, text) for text in (question_of(context), gold.topic or "") if text)
    return "form" if names and refusal.code != "REFUSAL_WRONG_TOPIC" else "generic"


def _imagined_imports(context: Context, output: QaOutput, figures: Part) -> Part:
    """An invented figure comes from elsewhere; of other answers to such a question a judge tells."""
    if figures.best is Outcome.HALLUCINATION:
        return WRONG
    asked = Question.of("answer_imports", question=question_of(context), answer=output.answer, passages=passages_of(context, output.claims))
    return imports_part(context, WRONG, with_pages(context, output.claims, asked))


def _imagined_facts(context: Context, output: QaOutput) -> Mapping[str, Fact]:
    """Where gold has no answer, a figure can only be one that is nowhere in the document."""
    nowhere = frozenset({"nowhere"})
    if not invented_figures(context, output):
        return {"figure": Fact()}
    return {"figure": Fact(nowhere) if context.is_readable else Fact(open=nowhere)}


def _refusal_part(context: Context, output: QaOutput, gold: QaGold, refusal: Refusal) -> Part:
    if refusal.code == "":
        return closed(Outcome.CORRECT, "The mandated refusal names the topic asked for.", "4.2 Grounded refusal format")
    finding = Finding(refusal.code, refusal.reason)
    sentence = f"{refusal.reason[0].upper()}{refusal.reason[1:]}."
    fail = closed(Outcome.FAIL, sentence, "4.2 Grounded refusal format", finding, mark=_refusal_mark(context, output, gold, refusal))
    if not refusal.is_open:
        return fail
    asked = Question.of("refusal_quality", question=question_of(context), answer=output.answer, topic=gold.topic or question_of(context))
    grounded = closed(Outcome.CORRECT, "The judge finds that the refusal names the topic asked for.", "4.2 Grounded refusal format")
    branches = {"grounded": grounded, "generic": fail, "not_a_refusal": replace(fail, mark="")}
    return by_verdict(
        context.answers, asked, branches, "No rule tells whether the refusal names the topic asked for.", "4.2 Grounded refusal format"
    )


def _figures_part(context: Context, output: QaOutput) -> Part:
    """An amount, percentage or date in such an answer that is nowhere in the document is a hallucination."""
    invented = invented_figures(context, output)
    if not invented:
        return closed(Outcome.CORRECT, "Every figure of the answer stands in the document.", "4.1")
    if not context.is_readable:
        return closed(Outcome.FAIL, f"{invented[0]} is on no readable page.", "4.1 Fail", Finding(UNVERIFIED_VALUE, invented[0]))
    return closed(Outcome.HALLUCINATION, f"{invented[0]} is not in the document.", "1.1 Hallucination")


def invented_figures(context: Context, output: QaOutput) -> list[str]:
    """The figures of an answer that stand in no document and not in the question."""
    documents = tuple(context.documents.values())
    asked = question_of(context)
    invented = [f.text for f in figures_in(output.answer) if not holds_figure(f, asked) and not any(stands_in(f, d) for d in documents)]
    return invented
