"""Document Q&A (standard 4, design/answers.md): right answers with every required section cited, and grounded refusals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from deterministic.lexicon.stems import content_words
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, Subject, asked, by_verdict, closed, decide, figure_fact, opened, unverified, worst_part
from judge.capabilities.figures import Relation, invented_figures, relation, values_in, whole_value
from judge.capabilities.provenance import Assessed, aside_of, assess, assess_all, invented_parts, worst_of_several
from judge.capabilities.qa import QaGold, QaOutput
from judge.capabilities.qa.citing import (
    holds_figures,
    is_accepted,
    question_of,
    question_with_passages,
    right_answers,
    section_gaps,
    section_parts,
    support_of,
)
from judge.capabilities.qa.refusals import Refusal, has_all_words, is_nothing, read_refusal
from judge.capabilities.scoring.citations import score_of
from judge.capabilities.scoring.dimensions import FULL, NONE, Sections, citing_score, uncertainty_score
from judge.capabilities.wording import alternatives, fold_text, with_conditions
from judge.records import NOT_REQUIRED, Decision, Fact, Finding, Outcome, Part, Provenance, Question

COMPANION = "companion"
RIGHT = closed(Outcome.CORRECT, "", COMPANION)
WRONG = closed(Outcome.FAIL, "", COMPANION)


def imports_part(context: Context, scope: Part, question: Question) -> Part:
    """Whether what goes beyond the document is brought from elsewhere; an error about its own matter is accuracy's (B13)."""
    if scope.is_open or scope.best is Outcome.CORRECT:
        return scope
    kinds = {
        "imported": closed(Outcome.FAIL, "The judge finds a claim brought from outside the document.", COMPANION),
        "own_error": closed(Outcome.CORRECT, "The judge finds an error about the document's own matter.", COMPANION),
    }
    return by_verdict(context.answers, question, kinds, "No rule tells whether a claim is brought from elsewhere.", COMPANION)


def answer_aside(
    context: Context, parts: Mapping[str, Part], cited: Assessed | None, sections: Sections, facts: Mapping[str, Fact]
) -> Aside | None:
    """The scores of an answer. parts: accuracy, imports, uncertainty, refusal, and what else is shown; cited: its citations, if any."""
    if (rules := context.contract.dimensions) is None:
        return None
    accuracy = score_of(parts["accuracy"], rules.accuracy)
    citing = citing_score([one.worth for one in cited.each] if cited else (), sections, rules)
    dimensions = {"D1": accuracy, "D2": citing, "D3": score_of(parts["imports"], rules.imports)}
    dimensions |= {"D4": uncertainty_score(parts["uncertainty"], accuracy, rules), "D5": score_of(parts["refusal"], rules.refusal)}
    return aside_of(dimensions, parts, cited, facts)


def refusal_aside(context: Context, refusal: Part, *, is_pure: bool, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of a refusal of a question that cannot be answered: D1 and D2 are right, since nothing is claimed (B14)."""
    if (rules := context.contract.dimensions) is None:
        return None
    score = score_of(refusal, rules.refusal)
    claimed = (Fraction(bool(score[0] and is_pure)), Fraction(bool(score[1] and is_pure)))
    dimensions = {"D1": claimed, "D2": claimed, "D3": FULL, "D4": FULL, "D5": score}
    return Aside(dimensions, {"content": refusal, "refusal": refusal}, (refusal,), facts)


def imagined_aside(context: Context, imports: Part, cited: Assessed, facts: Mapping[str, Fact]) -> Aside | None:
    """The scores of an answer to a question that cannot be answered: no citation can show it."""
    if (rules := context.contract.dimensions) is None or cited.measure is None:
        return None
    parts = {"content": WRONG, "accuracy": WRONG, "imports": imports, "uncertainty": RIGHT, "refusal": WRONG}
    unsupported = rules.quote["unsupported"]
    shown = replace(cited, measure=replace(cited.measure, quote=(unsupported, unsupported)), each=())
    return answer_aside(context, parts, shown, Sections(), facts)


WEIGHT = Fraction(1)


def subject_of(context: Context, gold: QaGold | None) -> Subject:
    """What an answer's item shows of output and gold."""
    output: QaOutput | None = context.case.output
    expected = None if gold is None else gold.answer if gold.answerable else f"not in the document: {gold.topic or ''}".rstrip(": ")
    if gold is not None and gold.answerable:
        named = [(one, None) if isinstance(one, str) else (one.section, one.document) for one in gold.required_sections]
        wanted = [f"{section} of {document}" if document else section for section, document in named]
        note = ["the source is qualified, and a right answer says so"] if gold.qualified else []
        expected = with_conditions(gold.answer or "", {"Also right": gold.accepted, "A right answer cites": wanted, "Note": note})
    return Subject(
        "answer",
        WEIGHT,
        reported=output.answer if output else None,
        gold=expected,
        confidence=output.confidence if output else None,
        metadata=output.carried if output else {},
        is_unanswerable=gold is not None and not gold.answerable,
    )


def unowed(context: Context, claims: Sequence[Citation]) -> Provenance:
    """The provenance of an answer that owes no citation: that of its first invented one, else NOT_REQUIRED."""
    for claim in claims:
        assessed = assess(context, claim, None)
        if assessed.part.best is Outcome.HALLUCINATION:
            return assessed.provenance
    return NOT_REQUIRED


def compare_answer(output: QaOutput, gold: QaGold) -> Relation:
    """The answer beside gold's and each accepted one: equal to one of them; different only from all of them."""
    if is_accepted(output, gold):
        return "equal"
    found = set[Relation]()
    for right in right_answers(gold):  # two texts that are one value each, or a bare yes and a bare no
        mine, true = whole_value(output.answer), whole_value(right)
        if {fold_text(output.answer), fold_text(right)} == {"yes", "no"}:
            found.add("different")
        else:
            found.add("open" if mine is None or true is None else relation(mine, true))
    return "equal" if "equal" in found else "different" if found == {"different"} else "open"


_REFUSED = Finding("REFUSED_ANSWERABLE", "the document answers the question")


def judge(context: Context) -> list[Decision]:
    """The one item of a Q&A case: the answer."""
    output: QaOutput | None = context.case.output
    gold: QaGold | None = context.case.gold
    if output is None:
        missed = closed(Outcome.FAIL, "There is no answer.", "4.1 Fail", Finding("NOT_REPORTED", "no output"))
        aside = None if context.contract.dimensions is None else Aside(dict.fromkeys(("D1", "D2", "D3", "D4", "D5"), NONE))
        return [decide(context, subject_of(context, gold), missed, aside=aside)]
    if gold is None:
        return [_without_gold(context, output)]
    return [_answerable(context, output, gold) if gold.answerable else unanswerable(context, output, gold)]


def _answerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    subject, claims = subject_of(context, gold), output.claims
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    is_refused = refusal.is_pure or ((refusal.is_refusal or is_nothing(output.answer)) and not claims)
    if is_refused and not is_accepted(output, gold):
        refused = closed(
            Outcome.FAIL,
            f"{'Says nothing on' if is_nothing(output.answer) else 'Refuses'} a question that the document answers.",
            "4.1 Fail",
            _REFUSED,
        )
        part = worst_part([refused, *invented_parts(context, claims)])
        return decide(context, subject, part, unowed(context, claims), aside=_refusing_aside(context, gold, refused))
    support = support_of(context, output, gold)
    if context.contract.dimensions is not None:
        support = replace(
            support,
            content=_accuracy(context, output, gold),
            shows=lambda text: not values_in(output.answer) or holds_figures(context, output, text),
        )
    assessed, provenances = assess_all(context, claims, support, combine=worst_of_several)
    correctness, sections = _correctness(context, output, gold), section_parts(context, claims, gold)
    manner = _manner(context, output, gold)
    part = worst_part([correctness, *sections, assessed.part, *manner.values()])
    aside = _aside(context, output, gold, {"content": correctness, **manner}, assessed)
    return decide(context, subject, part, assessed.provenance, provenances, aside=aside)


def _accuracy(context: Context, output: QaOutput, gold: QaGold) -> Part:
    """How far the answer is right (companion rubric): by the values that both sides state, else one question."""
    if compare_answer(output, gold) != "open":
        return _correctness(context, output, gold)
    question = replace(_correctness_question(context, output, gold), rubric="answer_accuracy")
    shades = {
        "all_right": closed(Outcome.CORRECT, "The judge finds every claim right.", COMPANION),
        "one_imprecise": closed(Outcome.SEMANTIC_MATCH, "The judge finds one claim imprecise.", COMPANION, mark="one_imprecise"),
        "mixed": closed(Outcome.PARTIAL, "The judge finds right and wrong claims mixed.", COMPANION),
        "mainly_wrong": closed(Outcome.FAIL, "The judge finds the main claim wrong.", COMPANION, mark="mainly_wrong"),
        "wrong": closed(Outcome.FAIL, "The judge finds the answer wrong.", COMPANION),
        "outside_fact": closed(Outcome.FAIL, "The judge finds a fact from outside the document.", COMPANION),
    }
    return by_verdict(context.answers, question, shades, "No rule tells how far the answer is right.", COMPANION)


def _aside(context: Context, output: QaOutput, gold: QaGold, parts: Mapping[str, Part], assessed: Assessed) -> Aside | None:
    if context.contract.dimensions is None:
        return None
    imports = question_with_passages(context, "answer_imports", output, gold)
    imported, unsure = imports_part(context, parts.get("scope", RIGHT), imports), parts.get("uncertainty", RIGHT)
    whole = {**parts, "accuracy": _accuracy(context, output, gold), "imports": imported, "uncertainty": unsure, "refusal": RIGHT}
    return answer_aside(context, whole, assessed, section_gaps(context, output, gold), _facts(context, output, gold, parts["content"]))


def _refusing_aside(context: Context, gold: QaGold, refused: Part) -> Aside | None:
    """A refusal of a question that the document answers: nothing is right of it, but nothing is imported."""
    parts = {"content": refused, "accuracy": WRONG, "imports": RIGHT, "uncertainty": WRONG if gold.qualified else RIGHT, "refusal": RIGHT}
    return answer_aside(context, parts, None, Sections(), {})


def _facts(context: Context, output: QaOutput, gold: QaGold, content: Part) -> Mapping[str, Fact]:
    """Whether the answer states gold's figure, a figure that is nowhere in the document, and writes gold's answer as gold does."""
    known = {" ".join(text.split()) for text in right_answers(gold)} - {""}
    is_same = any(text in " ".join(output.answer.split()) for text in known)
    is_invented = bool(_invented_figures(context, output))
    nowhere = is_invented if context.is_readable or not is_invented else None
    return {"figure": figure_fact(content, nowhere), "form": Fact(frozenset({"same"} if is_same else ()))}


def _correctness(context: Context, output: QaOutput, gold: QaGold) -> Part:
    if is_accepted(output, gold):
        return closed(Outcome.CORRECT, "The answer is an accepted text.", "4.1 Correct")
    if (verdict := compare_answer(output, gold)) == "equal":
        return closed(Outcome.CORRECT, "The answer states the value of gold's answer.", "4.1 Correct")
    if verdict == "different":
        return closed(Outcome.FAIL, f"The answer is {gold.answer!r}; reported: {output.answer[:200]!r}.", "4.1 Fail")
    question = _correctness_question(context, output, gold)
    branches = {
        "correct": closed(Outcome.CORRECT, "The judge finds the answer correct.", "4.1 Correct"),
        "incorrect": closed(Outcome.FAIL, "The judge finds the answer incorrect.", "4.1 Fail"),
        "non_answer": closed(Outcome.FAIL, "The judge finds that the answer says nothing specific.", "4.1 Fail", _REFUSED),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the answer is right.", "4.1")


def _correctness_question(context: Context, output: QaOutput, gold: QaGold) -> Question:
    right = alternatives([gold.answer or "", *gold.accepted])
    return question_with_passages(context, "answer_correctness", output, gold, gold=right)


def _manner(context: Context, output: QaOutput, gold: QaGold) -> dict[str, Part]:
    """`scope`, and `uncertainty` where gold says that the source is qualified; nothing for an answer that is one of gold's texts."""
    if compare_answer(output, gold) == "equal":
        return {}
    scope, rule = _scope(context, output, gold), "4.2 Uncertainty acknowledgement"
    if not gold.qualified:
        return {"scope": scope}
    finding = Finding("NO_QUALIFICATION", "gold says that the source is qualified; the judge finds no qualification in it")
    unqualified = "The judge finds that the source makes no qualification that bears on the question."
    branches = {
        "reflected": closed(Outcome.CORRECT, "The source's qualification is reflected.", rule),
        "missing": closed(Outcome.FAIL, "The source's qualification is missing.", rule),
        "no_qualification": closed(Outcome.CORRECT, unqualified, rule, finding),
    }
    question = question_with_passages(context, "uncertainty", output, gold, gold=gold.answer or "")
    reason = "No rule tells whether the answer reflects the source's qualified language."
    return {"uncertainty": by_verdict(context.answers, question, branches, reason, rule), "scope": scope}


def _scope(context: Context, output: QaOutput, gold: QaGold) -> Part:
    """Whether an answer claims more than the document says: not where it adds no word to question and gold, else by one question."""
    rule = "4.2 Document-only answers"
    known = content_words("\n".join([question_of(context), gold.answer or "", *gold.accepted]))
    if content_words(output.answer) <= known:
        return closed(Outcome.CORRECT, "The answer says nothing beyond the reference answer.", rule)
    question = question_with_passages(context, "answer_scope", output, gold)
    if not dict(question.variables)["passages"]:
        return opened(Outcome.FAIL, Outcome.CORRECT, "No cited text was found that would show the answer's scope.", rule, "no_passage")
    branches = {
        "within_scope": closed(Outcome.CORRECT, "The answer stays within the document.", rule),
        "outside_scope": closed(Outcome.FAIL, "The answer claims what the document does not say.", rule),
    }
    reason = "No rule tells whether the answer claims more than the document says."
    return by_verdict(context.answers, question, branches, reason, rule)


def _without_gold(context: Context, output: QaOutput) -> Decision:
    subject = subject_of(context, None)
    part = opened(Outcome.FAIL, Outcome.CORRECT, "Whether the answer is right is not known.", "4.1", "no_reference")
    refusal = read_refusal(output.answer, question_of(context), None, context.contract.qa)
    if refusal.is_refusal:
        return decide(context, subject, worst_part([part, *invented_parts(context, output.claims)]), unowed(context, output.claims))

    support = support_of(context, output, None)
    assessed, provenances = assess_all(context, output.claims, support, combine=worst_of_several)
    aside = assessed.aside
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances, aside=aside)


def unanswerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    """The item of a question that the documents do not answer."""
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    subject = subject_of(context, gold)
    if refusal.is_refusal:
        refused = _refusal_part(context, output, gold, refusal)
        part = worst_part([refused, *invented_parts(context, output.claims)])
        is_pure = refusal.code != "REFUSAL_EXTRA_CLAIM"
        aside = refusal_aside(context, refused, is_pure=is_pure, facts=_imagined_facts(context, output))
        return decide(context, subject, part, unowed(context, output.claims), best_label=Outcome.GROUNDED_REFUSAL, aside=aside)
    assessed, provenances = assess_all(context, output.claims, None, combine=worst_of_several)
    claimed = closed(Outcome.FAIL, "Answers a question that the document does not answer.", "4.1 Fail")
    figures = _figures_part(context, output)
    part = worst_part([claimed, figures, *invented_parts(context, output.claims)])
    aside = imagined_aside(context, _imagined_imports(context, output, figures), assessed, _imagined_facts(context, output))
    return decide(context, subject, part, assessed.provenance, provenances, aside=aside)


def _imagined_imports(context: Context, output: QaOutput, figures: Part) -> Part:
    """Whether an answer to an unanswerable question has its content from elsewhere: wrong with an invented figure, else by one question."""
    if figures.best is Outcome.HALLUCINATION:
        return WRONG
    return imports_part(context, WRONG, question_with_passages(context, "answer_imports", output, None))


def _imagined_facts(context: Context, output: QaOutput) -> Mapping[str, Fact]:
    """The fact `figure` of an answer to an unanswerable question: `nowhere` where one is in no document (open with unreadable pages)."""
    nowhere = frozenset({"nowhere"})
    if not _invented_figures(context, output):
        return {"figure": Fact()}
    return {"figure": Fact(nowhere) if context.is_readable else Fact(open=nowhere)}


def _refusal_part(context: Context, output: QaOutput, gold: QaGold, refusal: Refusal) -> Part:
    rule, question = "4.2 Grounded refusal format", question_of(context)
    if refusal.code == "":
        return closed(Outcome.CORRECT, "The mandated refusal names the topic asked for.", rule)
    # whether a refusal in another form than the mandated one names the topic
    names = any(has_all_words(output.answer, text) for text in (question, gold.topic or "") if text)
    mark = "form" if names and refusal.code != "REFUSAL_WRONG_TOPIC" else "generic"
    sentence, finding = f"{refusal.reason[0].upper()}{refusal.reason[1:]}.", Finding(refusal.code, refusal.reason)
    fail = closed(Outcome.FAIL, sentence, rule, finding, mark=mark)
    if not refusal.is_open:
        return fail
    grounded = closed(Outcome.CORRECT, "The judge finds that the refusal names the topic asked for.", rule)
    branches = {"grounded": grounded, "generic": fail, "not_a_refusal": replace(fail, mark="")}
    texts = {"question": question, "answer": output.answer, "topic": gold.topic or question}
    return asked(context, "refusal_quality", branches, "No rule tells whether the refusal names the topic asked for.", rule, **texts)


def _figures_part(context: Context, output: QaOutput) -> Part:
    """What the figures of such an answer make of it: a hallucination where an amount, percentage or date is nowhere in the document."""
    if not (invented := _invented_figures(context, output)):
        return closed(Outcome.CORRECT, "Every figure of the answer stands in the document.", "4.1")
    if not context.is_readable:
        return closed(Outcome.FAIL, f"{invented[0]} is on no readable page.", "4.1 Fail", unverified(invented[0]))
    return closed(Outcome.HALLUCINATION, f"{invented[0]} is not in the document.", "1.1 Hallucination")


def _invented_figures(context: Context, output: QaOutput) -> list[str]:
    return invented_figures(output.answer, question_of(context), context.documents.values())
