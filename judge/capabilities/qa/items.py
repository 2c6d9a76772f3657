"""Document Q&A (standard 4, judging.md 5): right answers with every required section cited, and grounded refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from deterministic.citations.check import CitationCheck
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.figures import figures_in, shares_figure, stands_in, values_in
from judge.capabilities.items import UNVERIFIED_VALUE, Subject, decide
from judge.capabilities.passages import content_words, nearest_part, reading, with_sections
from judge.capabilities.provenance import Assessed, Support, assess, assess_all, check_claim, worst_of_several
from judge.capabilities.qa.refusals import Refusal, is_nothing, read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput, RequiredSection
from judge.capabilities.wording import alternatives, fold_text
from judge.cases import Citation
from judge.records import NOT_REQUIRED, Decision, Finding, Outcome, Part, Provenance, Question

WEIGHT = Fraction(1)


def judge(context: Context) -> list[Decision]:
    """The one item of a Q&A case: the answer."""
    output: QaOutput | None = context.case.output
    gold: QaGold | None = context.case.gold
    if output is None:
        missed = closed(Outcome.FAIL, "There is no answer.", "4.1 Fail", Finding("NOT_REPORTED", "no output"))
        return [decide(context, _subject(context, gold), missed)]
    if gold is None:
        return [_without_gold(context, output)]
    return [_answerable(context, output, gold) if gold.answerable else _unanswerable(context, output, gold)]


def _subject(context: Context, gold: QaGold | None) -> Subject:
    output: QaOutput | None = context.case.output
    expected = None if gold is None else gold.answer if gold.answerable else f"not in the document: {gold.topic or ''}".rstrip(": ")
    return Subject(
        "answer",
        WEIGHT,
        reported=output.answer[:1000] if output else None,
        gold=expected,
        is_unanswerable=gold is not None and not gold.answerable,
    )


def question_of(context: Context) -> str:
    """The question that was asked."""
    return str(context.case.input.get("question", ""))


def passages_of(context: Context, claims: Sequence[Citation]) -> str:
    """The cited source texts, each once: what a reviewer would look at."""
    output: QaOutput | None = context.case.output
    return reading(context, [check_claim(context, c) for c in claims], output.answer if output else "")


# ---- answerable --------------------------------------------------------------------------------------------------


def _answerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    subject, claims = _subject(context, gold), output.claims
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    is_refused = refusal.is_pure or (refusal.is_refusal and not claims) or is_nothing(output.answer)
    if is_refused and not _is_accepted(output, gold):
        refused = closed(Outcome.FAIL, "Refuses a question that the document answers.", "4.1 Fail", _refused())
        part = worst_part([refused, *_invented_parts(context, claims)])
        return decide(context, subject, part, _shown(context, claims))
    assessed, provenances = assess_all(context, claims, _support(context, output, gold), combine=worst_of_several)
    parts = [_correctness(context, output, gold), *_sections(context, claims, gold), assessed.part]
    parts.extend(_manner(context, output, gold))
    return decide(context, subject, worst_part(parts), assessed.provenance, provenances)


def _refused() -> Finding:
    return Finding("REFUSED_ANSWERABLE", "the document answers the question")


def _is_accepted(output: QaOutput, gold: QaGold) -> bool:
    texts = {fold_text(t) for t in (*gold.accepted, *([gold.answer] if gold.answer else []))}
    return fold_text(output.answer) in texts


def _correctness(context: Context, output: QaOutput, gold: QaGold) -> Part:
    if _is_accepted(output, gold):
        return closed(Outcome.CORRECT, "The answer is an accepted text.", "4.1 Correct")
    question = Question.of(
        "answer_correctness",
        question=question_of(context),
        answer=output.answer,
        gold=alternatives([gold.answer or "", *gold.accepted]),
        passages=passages_of(context, output.claims),
    )
    branches = {
        "correct": closed(Outcome.CORRECT, "The judge finds the answer correct.", "4.1 Correct"),
        "incorrect": closed(Outcome.FAIL, "The judge finds the answer incorrect.", "4.1 Fail"),
        "non_answer": closed(Outcome.FAIL, "The judge finds that the answer says nothing specific.", "4.1 Fail", _refused()),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the answer is right.", "4.1")


def _manner(context: Context, output: QaOutput, gold: QaGold) -> list[Part]:
    """Qualified language reflected, nothing beyond the document claimed; an accepted text is right in both."""
    if _is_accepted(output, gold):
        return []
    asked = {"question": question_of(context), "answer": output.answer, "passages": passages_of(context, output.claims)}
    scope = _scope(context, output, gold, asked)
    if not gold.qualified:
        return [scope]
    sections = [(s.section, s.document) if isinstance(s, RequiredSection) else (s, None) for s in gold.required_sections]
    passages = with_sections(context, asked["passages"], sections)
    uncertainty = by_verdict(
        context.answers,
        Question.of("uncertainty", gold=gold.answer or "", **asked | {"passages": passages}),
        {
            "reflected": closed(Outcome.CORRECT, "The source's qualification is reflected.", "4.2 Uncertainty acknowledgement"),
            "missing": closed(Outcome.FAIL, "The source's qualification is missing.", "4.2 Uncertainty acknowledgement"),
        },
        "No rule tells whether the answer reflects the source's qualified language.",
        "4.2 Uncertainty acknowledgement",
    )
    return [uncertainty, scope]


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
        Question.of("answer_scope", **asked),
        {
            "within_scope": closed(Outcome.CORRECT, "The answer stays within the document.", rule),
            "outside_scope": closed(Outcome.FAIL, "The answer claims what the document does not say.", rule),
        },
        "No rule tells whether the answer claims more than the document says.",
        rule,
    )


def _support(context: Context, output: QaOutput, gold: QaGold) -> Support:
    """A quote supports an answer without a call when it holds the answer's words, or one of its figures."""
    answers = [output.answer, *gold.accepted, *([gold.answer] if gold.answer else [])]
    figures = [f for text in answers for f in values_in(text)]

    def contains(text: str) -> bool:
        return any(fold_text(a).rstrip(". ") in fold_text(text) for a in answers if a) or shares_figure(figures, text)

    return Support("answer", f"{question_of(context)}\n{output.answer}", contains, part=lambda c, all_: _claim_of(context, output, c, all_))


def _claim_of(context: Context, output: QaOutput, check: CitationCheck, checks: Sequence[CitationCheck]) -> str:
    """The answer with its question; of an answer that rests on several citations the part that this one is cited for."""
    whole, part = f"{question_of(context)}\n{output.answer}", nearest_part(output.answer, check, checks)
    return whole if part == output.answer else f"{whole}\nThe part that this quote is cited for: {part}"


# ---- required sections (standard 4.2 Multi-clause synthesis) -----------------------------------------------------


def _sections(context: Context, claims: Sequence[Citation], gold: QaGold) -> list[Part]:
    parts = []
    for entry in gold.required_sections:
        wanted = entry if isinstance(entry, RequiredSection) else RequiredSection(section=entry)
        met = [_meets(context, claim, wanted) for claim in claims]
        where = f"{wanted.section} of {wanted.document}" if wanted.document else wanted.section
        rule = "4.2 Multi-clause synthesis"
        if not any(met) and None in met:
            parts.append(opened(Outcome.FAIL, Outcome.CORRECT, f"Whether {where} is cited cannot be told.", rule, "unreadable"))
        elif not any(met):
            finding = Finding("REQUIRED_SECTION_MISSING", f"{where} is not cited")
            parts.append(closed(Outcome.FAIL, f"{where} is required for this answer and not cited.", rule, finding))
    return parts


def _meets(context: Context, claim: Citation, wanted: RequiredSection) -> bool | None:
    """A found quote that overlaps the required section, or whose cited section does; a citation without quote by its section. None where
    the document's provisions are not known well enough to tell."""
    check = check_claim(context, claim)
    if check.quote == "missing":
        return _refers_to(context, claim, wanted)
    document = context.documents.get(check.found_in or "")
    if document is None or wanted.document not in (None, document.name):
        # a citation whose quote could not be located is judged by its own fault, not called missing as well
        return document is None and check.open is not None and _refers_to(context, claim, wanted)
    clauses = document.clauses.find(wanted.section).clauses
    if any(c.start < end and start < c.end for start, end in check.spans for c in clauses):
        return True
    if check.section == "right" and _refers_to(context, claim, wanted):
        return True
    return None if not clauses else False


def _refers_to(context: Context, claim: Citation, wanted: RequiredSection) -> bool:
    name = claim.document or next(iter(context.documents), "")
    document = context.documents.get(name)
    if document is None or claim.section is None or wanted.document not in (None, name):
        return False
    mine, theirs = document.clauses.find(claim.section), document.clauses.find(wanted.section)
    if not theirs.clauses:
        return fold_text(claim.section) == fold_text(wanted.section)
    return any(t.start <= m.start and m.end <= t.end for m in mine.clauses for t in theirs.clauses)


# ---- not answerable ----------------------------------------------------------------------------------------------


def _unanswerable(context: Context, output: QaOutput, gold: QaGold) -> Decision:
    refusal = read_refusal(output.answer, question_of(context), gold.topic, context.contract.qa)
    subject = _subject(context, gold)
    if refusal.is_refusal:
        part = worst_part([_refusal_part(context, output, gold, refusal), *_invented_parts(context, output.claims)])
        provenance = _shown(context, output.claims)
        return decide(context, subject, part, provenance, best_label=Outcome.GROUNDED_REFUSAL)
    assessed, provenances = assess_all(context, output.claims, None, combine=worst_of_several)
    claimed = closed(Outcome.FAIL, "Answers a question that the document does not answer.", "4.1 Fail")
    part = worst_part([claimed, _figures_part(context, output), *_only_invented([assessed])])
    return decide(context, subject, part, assessed.provenance, provenances)


def _refusal_part(context: Context, output: QaOutput, gold: QaGold, refusal: Refusal) -> Part:
    if refusal.code == "":
        return closed(Outcome.CORRECT, "The mandated refusal names the topic asked for.", "4.2 Grounded refusal format")
    finding = Finding(refusal.code, refusal.reason)
    fail = closed(Outcome.FAIL, f"{refusal.reason[0].upper()}{refusal.reason[1:]}.", "4.2 Grounded refusal format", finding)
    if refusal.code != "REFUSAL_WRONG_TOPIC":
        return fail
    asked = Question.of("refusal_quality", question=question_of(context), answer=output.answer, topic=gold.topic or question_of(context))
    grounded = closed(Outcome.CORRECT, "The judge finds that the refusal names the topic asked for.", "4.2 Grounded refusal format")
    branches = {"grounded": grounded, "generic": fail, "not_a_refusal": fail}
    return by_verdict(
        context.answers, asked, branches, "No rule tells whether the refusal names the topic asked for.", "4.2 Grounded refusal format"
    )


def _figures_part(context: Context, output: QaOutput) -> Part:
    """An amount, percentage or date in such an answer that is nowhere in the document is a hallucination."""
    documents = tuple(context.documents.values())
    invented = next((f for f in figures_in(output.answer) if not any(stands_in(f, d) for d in documents)), None)
    if invented is None:
        return closed(Outcome.CORRECT, "Every figure of the answer stands in the document.", "4.1")
    if not context.is_readable:
        return closed(Outcome.FAIL, f"{invented.text} is on no readable page.", "4.1 Fail", Finding(UNVERIFIED_VALUE, invented.text))
    return closed(Outcome.HALLUCINATION, f"{invented.text} stands nowhere in the document.", "1.1 Hallucination")


# ---- citations of what needs none --------------------------------------------------------------------------------


def _invented_parts(context: Context, claims: Sequence[Citation]) -> list[Part]:
    """A refusal owes no citation, and a real one beside it does no harm; an invented one is a hallucination."""
    return _only_invented([assess(context, claim, None) for claim in claims])


def _only_invented(assessed: Sequence[Assessed]) -> list[Part]:
    parts = []
    for a in assessed:
        if a.part.worst is Outcome.HALLUCINATION:
            parts.append(a.part if a.part.best is Outcome.HALLUCINATION else replace(a.part, best=Outcome.CORRECT))
    return parts


def _shown(context: Context, claims: Sequence[Citation]) -> Provenance:
    """Not required, but an invented citation is shown."""
    for claim in claims:
        assessed = assess(context, claim, None)
        if assessed.part.best is Outcome.HALLUCINATION:
            return assessed.provenance
    return NOT_REQUIRED


def _without_gold(context: Context, output: QaOutput) -> Decision:
    subject = _subject(context, None)
    part = opened(Outcome.FAIL, Outcome.CORRECT, "Whether the answer is right is not known.", "4.1", "no_reference")
    refusal = read_refusal(output.answer, question_of(context), None, context.contract.qa)
    if refusal.is_refusal:
        return decide(context, subject, worst_part([part, *_invented_parts(context, output.claims)]), _shown(context, output.claims))
    support = Support("answer", f"{question_of(context)}\n{output.answer}", lambda text: shares_figure(values_in(output.answer), text))
    assessed, provenances = assess_all(context, output.claims, support, combine=worst_of_several)
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances)
