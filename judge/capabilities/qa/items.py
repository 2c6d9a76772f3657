"""Document Q&A (standard 4, judging.md 5): right answers with every required section cited, and grounded refusals."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from deterministic.citations.check import CitationCheck
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened, worst_part
from judge.capabilities.figures import Figure, Verdict, figures_in, holds_figure, ratings_in, relation, stands_in, values_in
from judge.capabilities.items import UNVERIFIED_VALUE, Aside, Subject, decide, figure_fact, provenance_aside
from judge.capabilities.passages import content_words, nearest_part, reading, section_places, with_sections
from judge.capabilities.provenance import Assessed, Support, assess, assess_all, check_claim, invented_parts, worst_of_several
from judge.capabilities.qa.computed import are_quoted, operands
from judge.capabilities.qa.contradictions import (
    contradicts,
    denies_more,
    exchanges,
    has_another_figure,
    is_evasive,
    is_of_another_case,
    leaves_limit_out,
)
from judge.capabilities.qa.dimensions import (
    NO_SECTIONS,
    RIGHT,
    WRONG,
    Sections,
    accuracy_part,
    answer_aside,
    imagined_aside,
    imports_part,
    refusal_aside,
    silent_aside,
)
from judge.capabilities.qa.refusals import Refusal, has_all_words, is_nothing, names_another, read_refusal
from judge.capabilities.qa.schema import QaGold, QaOutput, RequiredSection
from judge.capabilities.qa.singles import DENIALS, INTRODUCES, is_row, shows_answer
from judge.capabilities.qa.typed import compare_answers, conditions, is_wording, reflects_qualification, subject_words
from judge.capabilities.statements import covers, held_together, is_about, retells
from judge.capabilities.wording import alternatives, fold_text, has_stems, has_words, in_full, stems
from judge.records import NOT_REQUIRED, Decision, Fact, Finding, Outcome, Part, Provenance, Question

WEIGHT = Fraction(1)


def judge(context: Context) -> list[Decision]:
    """The one item of a Q&A case: the answer."""
    output: QaOutput | None = context.case.output
    gold: QaGold | None = context.case.gold
    if output is None:
        missed = closed(Outcome.FAIL, "There is no answer.", "4.1 Fail", Finding("NOT_REPORTED", "no output"))
        return [decide(context, _subject(context, gold), missed, aside=silent_aside(context))]
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
    is_refused = refusal.is_pure or ((refusal.is_refusal or is_nothing(output.answer)) and not claims)
    if is_refused and not _is_accepted(output, gold):
        refused = closed(Outcome.FAIL, "Refuses a question that the document answers.", "4.1 Fail", _refused())
        part = worst_part([refused, *invented_parts(context, claims)])
        return decide(context, subject, part, _shown(context, claims), aside=_refusing_aside(context, gold, refused))
    support = _support(context, output, gold)
    if context.contract.dimensions is not None:
        support = replace(support, content=_accuracy(context, output, gold), shows=lambda text: _shows(context, output, text))
    assessed, provenances = assess_all(context, claims, support, combine=worst_of_several)
    correctness, sections = _correctness(context, output, gold), _sections(context, claims, gold)
    manner = _manner(context, output, gold)
    part = worst_part([correctness, *sections, assessed.part, *manner.values()])
    aside = _aside(context, output, gold, {"content": correctness, **manner}, assessed)
    return decide(context, subject, part, assessed.provenance, provenances, aside=aside)


def _shows(context: Context, output: QaOutput, text: str) -> bool:
    """Whether a quote holds a figure of the answer; of an answer without figures only a judge can tell."""
    return not values_in(output.answer) or _holds_figures(context, output, text)


def _accuracy(context: Context, output: QaOutput, gold: QaGold) -> Part:
    """How far the answer is right (companion rubric): by the values that both sides state, else one question."""
    verdict = "equal" if _is_accepted(output, gold) else _typed(context, output, gold)
    if verdict != "open":
        return _correctness(context, output, gold)
    return accuracy_part(context, Question("answer_accuracy", _correctness_question(context, output, gold).variables))


def _aside(context: Context, output: QaOutput, gold: QaGold, parts: Mapping[str, Part], assessed: Assessed) -> Aside | None:
    if context.contract.dimensions is None:
        return None
    asked = Question.of("answer_imports", question=question_of(context), answer=output.answer, passages=passages_of(context, output.claims))
    whole = {
        **parts,
        "accuracy": _accuracy(context, output, gold),
        "imports": imports_part(context, parts.get("scope", RIGHT), asked),
        "uncertainty": parts.get("uncertainty", RIGHT),
        "refusal": RIGHT,
    }
    return answer_aside(context, whole, assessed, _section_gaps(context, output, gold), _facts(context, output, gold, parts["content"]))


def _refusing_aside(context: Context, gold: QaGold, refused: Part) -> Aside | None:
    """A refusal of a question that the document answers: nothing is right of it, but nothing is imported."""
    parts = {"content": refused, "accuracy": WRONG, "imports": RIGHT, "uncertainty": WRONG if gold.qualified else RIGHT, "refusal": RIGHT}
    return answer_aside(context, parts, None, NO_SECTIONS, {})


def _section_gaps(context: Context, output: QaOutput, gold: QaGold) -> Sections:
    """Which required sections no citation meets, and which citations hold the answer's figures together."""
    met = [[_meets(context, claim, wanted) for claim in output.claims] for wanted in _required(gold)]
    missing = frozenset(n for n, row in enumerate(met) if not any(row) and None not in row)
    unsure = frozenset(n for n, row in enumerate(met) if not any(row) and None in row)
    figures = _own_figures(context, output)
    held = {n: frozenset(f for f in figures if holds_figure(f, claim.quote or "")) for n, claim in enumerate(output.claims)}
    groups = (frozenset(group) for size in range(1, min(len(held), 6) + 1) for group in itertools.combinations(held, size))
    holds = {group: bool(figures) and frozenset().union(*(held[n] for n in group)) >= frozenset(figures) for group in groups}
    return Sections(missing, unsure, holds)


def _own_figures(context: Context, output: QaOutput) -> list[Figure]:
    """The figures of an answer that its question does not have."""
    asked = question_of(context)
    return [f for f in values_in(output.answer) if not holds_figure(f, asked)] or list(values_in(output.answer))


def _fold_space(text: str) -> str:
    return " ".join(text.split())


def _facts(context: Context, output: QaOutput, gold: QaGold, content: Part) -> Mapping[str, Fact]:
    """Whether the answer states gold's figure, a figure that is nowhere in the document, and writes gold's answer as gold does."""
    known = frozenset(map(_fold_space, (gold.answer or "", *gold.accepted))) - {""}
    is_same = any(text in _fold_space(output.answer) for text in known)
    is_invented = bool(_invented_figures(context, output))
    nowhere = is_invented if context.is_readable or not is_invented else None
    return {"figure": figure_fact(content, nowhere), "form": Fact(frozenset({"same"} if is_same else ()))}


def _refused() -> Finding:
    return Finding("REFUSED_ANSWERABLE", "the document answers the question")


def _is_accepted(output: QaOutput, gold: QaGold) -> bool:
    texts = {fold_text(t) for t in (*gold.accepted, *([gold.answer] if gold.answer else []))}
    return fold_text(output.answer) in texts


def _correctness(context: Context, output: QaOutput, gold: QaGold) -> Part:
    if _is_accepted(output, gold):
        return closed(Outcome.CORRECT, "The answer is an accepted text.", "4.1 Correct")
    typed = _typed(context, output, gold)
    if typed == "equal":
        return closed(Outcome.CORRECT, "The answer states the value of gold's answer.", "4.1 Correct")
    if typed == "different":
        return closed(Outcome.FAIL, f"The answer is {gold.answer!r}; reported: {output.answer[:200]!r}.", "4.1 Fail")
    if is_evasive(output.answer, " ".join(_right_answers(gold))):
        return closed(Outcome.FAIL, "The answer says nothing specific.", "4.1 Fail", _refused())
    question = _correctness_question(context, output, gold)
    branches = {
        "correct": closed(Outcome.CORRECT, "The judge finds the answer correct.", "4.1 Correct"),
        "incorrect": closed(Outcome.FAIL, "The judge finds the answer incorrect.", "4.1 Fail"),
        "non_answer": closed(Outcome.FAIL, "The judge finds that the answer says nothing specific.", "4.1 Fail", _refused()),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the answer is right.", "4.1")


def _correctness_question(context: Context, output: QaOutput, gold: QaGold) -> Question:
    return Question.of(
        "answer_correctness",
        question=question_of(context),
        answer=output.answer,
        gold=alternatives([gold.answer or "", *gold.accepted]),
        passages=passages_of(context, output.claims),
    )


def _typed(context: Context, output: QaOutput, gold: QaGold) -> Verdict:
    """The answer beside gold's and each accepted one: equal to one of them; different only from all that state a value."""
    return context.cached(("typed", output, gold), lambda: _compare(context, output, gold))


def _compare(context: Context, output: QaOutput, gold: QaGold) -> Verdict:
    right = _right_answers(gold)
    answer, asked = (in_full(text, " ".join(right)) for text in (_without_cited_places(output), question_of(context)))
    verdicts = [compare_answers(answer, text, asked) for text in right]
    quotes, own = _verbatim(context, output), _own_quotes(context, output, gold)
    contradicted = [
        contradicts(answer, text, asked) or has_another_figure(answer, text, own, asked) or is_of_another_case(answer, text, asked, quotes)
        for text in right
    ]
    is_right = "equal" in verdicts or _retells(context, output, gold) or _is_computed(context, output, gold)
    loose = [[leaves_limit_out(text, quote, asked) for text in (answer, *right)] for quote in quotes]
    is_loose = any(row[0] and not any(row[1:]) for row in loose) or any(exchanges(answer, text, asked) for text in right)
    is_loose = is_loose or denies_more(answer, (*right, *quotes))
    if is_right and not any(contradicted) and not is_loose:
        return "equal"
    is_wrong = [verdict == "different" or is_turned for verdict, is_turned in zip(verdicts, contradicted, strict=True)]
    is_short = [covers(right[0], text, "") for text in right]  # what gold's answer says in fewer words says no more
    return "different" if is_wrong and is_wrong[0] and all(map(operator.or_, is_wrong, is_short)) else "open"


def _is_computed(context: Context, output: QaOutput, gold: QaGold) -> bool:
    """An answer that computes gold's figure of two that its verbatim quotes have."""
    return any(are_quoted(operands(output.answer, text), _verbatim(context, output)) for text in _right_answers(gold))


def _verbatim(context: Context, output: QaOutput) -> tuple[str, ...]:
    return tuple(c.quote for c in output.claims if c.quote and check_claim(context, c).quote in ("exact", "normalised"))


_PLACE_BEHIND = re.compile(
    r"\s*\((?:see\s+)?(?:clauses?|cl\.|sections?|sec\.|§|articles?|art\.)\s*(?P<number>\d[\w.()]*)\)(?=[\s.,;]*$)", re.IGNORECASE
)


def _without_cited_places(output: QaOutput) -> str:
    """The answer without a place behind it that one of its citations names: "English law (cl. 23.1)"."""
    found = _PLACE_BEHIND.search(output.answer)
    is_cited = found is not None and any(
        re.search(rf"(?<![\d.]){re.escape(found['number'])}(?![\d.])", c.section or "") for c in output.claims
    )
    return _PLACE_BEHIND.sub("", output.answer) if is_cited else output.answer


def _retells(context: Context, output: QaOutput, gold: QaGold) -> bool:
    """An answer that has all of a right one and says nothing beyond right ones and its own quotes."""
    right = _right_answers(gold)
    asked, answer = question_of(context), _without_cited_places(output)
    return any(covers(answer, text, asked) for text in right) and retells(answer, (*_own_quotes(context, output, gold), *right), asked)


def _right_answers(gold: QaGold) -> tuple[str, ...]:
    return tuple(text for text in (gold.answer, *gold.accepted) if text)


def _own_quotes(context: Context, output: QaOutput, gold: QaGold) -> tuple[str, ...]:
    """The verbatim quotes of an answer from a required section; where none is required, those that are about the question."""
    return tuple(quote for quote in _verbatim(context, output) if _is_evidence(context, output, gold, quote))


def _is_evidence(context: Context, output: QaOutput, gold: QaGold, quote: str) -> bool:
    if gold.required_sections:
        return _is_required(context, output, gold, quote)
    return is_about(_with_titles(context, output, quote), question_of(context), _right_answers(gold))


def _manner(context: Context, output: QaOutput, gold: QaGold) -> dict[str, Part]:
    """Qualified language reflected, nothing beyond the document claimed; an accepted text is right in both."""
    is_equal = _typed(context, output, gold) == "equal"
    is_reflected = not gold.qualified or reflects_qualification(output.answer, gold.answer or "")
    if _is_accepted(output, gold) or (is_equal and (is_reflected or _has_all_conditions(context, output, gold))):
        return {}
    asked = {"question": question_of(context), "answer": output.answer, "passages": passages_of(context, output.claims)}
    scope = _scope(context, output, gold, asked)
    if is_reflected:
        return {"scope": scope}
    passages = with_sections(context, asked["passages"], [(wanted.section, wanted.document) for wanted in _required(gold)])
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
    return {"uncertainty": uncertainty, "scope": scope}


def _has_all_conditions(context: Context, output: QaOutput, gold: QaGold) -> bool:
    """An answer that goes on in the words of its quote, with every condition that the required sections have."""
    places = [place for wanted in _required(gold) for place in section_places(context, wanted.section, wanted.document)]
    provisions = "\n".join(context.documents[name].text[start:end] for name, (start, end) in dict.fromkeys(places))
    return conditions(provisions) == conditions(output.answer) != conditions("") and _retells(context, output, gold)


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
    """A quote supports an answer without a call when it holds the answer's words, or all its figures in a provision on the same subject."""
    answers = [a for a in (output.answer, *gold.accepted, gold.answer) if a and is_wording(a)]

    def contains(text: str) -> bool:
        if any(fold_text(a).rstrip(". ") in fold_text(text) for a in answers) or _tells(context, output, gold, text):
            return True
        if _is_computed(context, output, gold) or _is_only_place(context, output, gold, text):
            return True
        return _holds_figures(context, output, text) and (
            _is_on_subject(context, output, text) or _is_required(context, output, gold, text)
        )

    return Support("answer", f"{question_of(context)}\n{output.answer}", contains, part=lambda c, all_: _claim_of(context, output, c, all_))


def _tells(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a quote from a required section has a right answer whole: as it stands, or all of its words and as many denials."""
    if not _is_evidence(context, output, gold, text) or _typed(context, output, gold) == "different":
        return False
    quote = next((claim.quote for claim in output.claims if claim.quote and claim.quote in text), "")
    asked, quotes = question_of(context), _own_quotes(context, output, gold)
    right = [a for a in _right_answers(gold) if len(fold_text(a)) > 3]
    is_shown = any(has_words(text, a) for a in right) or shows_answer(asked, output.answer, subject_words(asked, ""), quote)
    is_shown = is_shown or (quote in quotes and quotes.index(quote) in held_together(output.answer, quotes, asked))
    tables = quotes if INTRODUCES.search(quote) else (quote,)  # "specified below" goes with the row that is quoted beside it
    is_shown = is_shown or any(is_row(asked, output.answer, row) for row in tables) or retells(output.answer, (quote,), asked)
    if is_shown and _typed(context, output, gold) == "equal":
        return True
    if not _is_accepted(output, gold):
        return False
    answer = _CARRIES.sub(" ", _SAYS_YES.sub("", output.answer))
    return bool(stems(answer)) and has_stems(quote, answer) and len(DENIALS.findall(answer)) == len(DENIALS.findall(quote))


_SAYS_YES = re.compile(r"^\W*(?:yes|no)\b\W*", re.IGNORECASE)
_CARRIES = re.compile(r"\b(?:they|it|them|these|those|this|that|he|she)\b|[;/–—-]", re.IGNORECASE)


def _is_only_place(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a right answer's date or long amount stands in its quote and nowhere else in that document."""
    figures = [f for f in values_in(output.answer) if f.kind in ("money", "date")]
    if len(figures) != 1 or _typed(context, output, gold) != "equal":
        return False
    for claim in output.claims:
        check = check_claim(context, claim)
        document = context.documents.get(check.found_in or "")
        if document is None or not claim.quote or claim.quote not in text or check.quote not in ("exact", "normalised"):
            continue
        spelt = [f.text for f in values_in(claim.quote) if relation(f, figures[0]) == "equal"]
        cores = {core for one in spelt for core in _CORE.findall(one)}
        (start, end), *others = check.spans
        if cores and not others and all(core not in document.text[:start] and core not in document.text[end:] for core in cores):
            return True
    return False


_CORE = re.compile(r"\d{1,3}(?:,\d{3})+|[A-Z][a-z]+\s+\d{1,2},\s+\d{4}|\d{1,2}\s+[A-Z][a-z]+\s+\d{4}|\d{4}-\d\d-\d\d")


def _claim_of(context: Context, output: QaOutput, check: CitationCheck, checks: Sequence[CitationCheck]) -> str:
    """The answer with its question; of an answer that rests on several citations the part that this one is cited for."""
    whole, part = f"{question_of(context)}\n{output.answer}", nearest_part(output.answer, check, checks)
    return whole if part == output.answer else f"{whole}\nThe part that this quote is cited for: {part}"


def _holds_figures(context: Context, output: QaOutput, text: str) -> bool:
    """Whether a quote holds every figure of the answer; of several quotes together all, and each one of them."""
    figures = _own_figures(context, output)
    if len(output.claims) > 1:
        together = "\n".join([text, *(c.quote or "" for c in output.claims)])
        return any(holds_figure(f, text) for f in figures) and all(holds_figure(f, together) for f in figures)
    return bool(figures) and all(holds_figure(f, text) for f in figures)


def _is_on_subject(context: Context, output: QaOutput, text: str) -> bool:
    """Whether the quote, or the heading of its provision, has an informative word of the question or the answer, where they have any."""
    subject = subject_words(question_of(context), output.answer)
    if not subject:
        return True
    return bool(subject & stems(_with_titles(context, output, text)))


def _with_titles(context: Context, output: QaOutput, text: str) -> str:
    """A text with the headings of the provisions that its quotes stand in."""
    told = [text]
    for claim in output.claims:
        check = check_claim(context, claim)
        document = context.documents.get(check.found_in or "")
        if document is not None and claim.quote and claim.quote in text:
            told.extend(c.title or "" for start, end in check.spans[:2] for c in document.clauses.at(start, end))
    return "\n".join(told)


# ---- required sections (standard 4.2 Multi-clause synthesis) -----------------------------------------------------


def _sections(context: Context, claims: Sequence[Citation], gold: QaGold) -> list[Part]:
    """A part for each required section that no citation meets."""
    parts = []
    for wanted in _required(gold):
        met = [_meets(context, claim, wanted) for claim in claims]
        where = f"{wanted.section} of {wanted.document}" if wanted.document else wanted.section
        rule = "4.2 Multi-clause synthesis"
        if not any(met) and None in met:
            parts.append(opened(Outcome.FAIL, Outcome.CORRECT, f"Whether {where} is cited cannot be told.", rule, "unreadable"))
        elif not any(met):
            finding = Finding("REQUIRED_SECTION_MISSING", f"{where} is not cited")
            parts.append(closed(Outcome.FAIL, f"{where} is required for this answer and not cited.", rule, finding))
    return parts


def _required(gold: QaGold) -> list[RequiredSection]:
    return [entry if isinstance(entry, RequiredSection) else RequiredSection(section=entry) for entry in gold.required_sections]


def _is_required(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a quote that the text holds stands in one of the required sections."""
    claims = [claim for claim in output.claims if claim.quote and claim.quote in text]
    return any(_meets(context, claim, wanted) for claim in claims for wanted in _required(gold))


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
        refused = _refusal_part(context, output, gold, refusal)
        part = worst_part([refused, *invented_parts(context, output.claims)])
        is_pure = refusal.code != "REFUSAL_EXTRA_CLAIM"
        aside = refusal_aside(context, refused, is_pure=is_pure, facts=_imagined_facts(context, output))
        return decide(context, subject, part, _shown(context, output.claims), best_label=Outcome.GROUNDED_REFUSAL, aside=aside)
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
    """An invented figure or rating comes from elsewhere; of other answers to such a question a judge tells."""
    if figures.best is Outcome.HALLUCINATION:
        return WRONG
    asked = Question.of("answer_imports", question=question_of(context), answer=output.answer, passages=passages_of(context, output.claims))
    return imports_part(context, WRONG, asked)


def _imagined_facts(context: Context, output: QaOutput) -> Mapping[str, Fact]:
    """Where gold has no answer, a figure can only be one that is nowhere in the document."""
    nowhere = frozenset({"nowhere"})
    if not _invented_figures(context, output):
        return {"figure": Fact()}
    return {"figure": Fact(nowhere) if context.is_readable else Fact(open=nowhere)}


def _refusal_part(context: Context, output: QaOutput, gold: QaGold, refusal: Refusal) -> Part:
    if refusal.code == "":
        return closed(Outcome.CORRECT, "The mandated refusal names the topic asked for.", "4.2 Grounded refusal format")
    finding = Finding(refusal.code, refusal.reason)
    sentence = f"{refusal.reason[0].upper()}{refusal.reason[1:]}."
    fail = closed(Outcome.FAIL, sentence, "4.2 Grounded refusal format", finding, mark=_refusal_mark(context, output, gold, refusal))
    is_other = names_another(output.answer, question_of(context), gold.topic, context.contract.qa)
    if refusal.code != "REFUSAL_WRONG_TOPIC" or is_other:
        return fail
    asked = Question.of("refusal_quality", question=question_of(context), answer=output.answer, topic=gold.topic or question_of(context))
    grounded = closed(Outcome.CORRECT, "The judge finds that the refusal names the topic asked for.", "4.2 Grounded refusal format")
    branches = {"grounded": grounded, "generic": fail, "not_a_refusal": replace(fail, mark="")}
    return by_verdict(
        context.answers, asked, branches, "No rule tells whether the refusal names the topic asked for.", "4.2 Grounded refusal format"
    )


def _figures_part(context: Context, output: QaOutput) -> Part:
    """An amount, percentage or date in such an answer that is nowhere in the document is a hallucination."""
    invented = _invented_figures(context, output)
    if not invented:
        return closed(Outcome.CORRECT, "Every figure of the answer stands in the document.", "4.1")
    if not context.is_readable:
        return closed(Outcome.FAIL, f"{invented[0]} is on no readable page.", "4.1 Fail", Finding(UNVERIFIED_VALUE, invented[0]))
    return closed(Outcome.HALLUCINATION, f"{invented[0]} is not in the document.", "1.1 Hallucination")


def _invented_figures(context: Context, output: QaOutput) -> list[str]:
    """The figures and ratings of an answer that stand in no document and not in the question."""
    documents = tuple(context.documents.values())
    asked = question_of(context)
    invented = [f.text for f in figures_in(output.answer) if not holds_figure(f, asked) and not any(stands_in(f, d) for d in documents)]
    invented += [
        rating for rating in ratings_in(output.answer) if rating not in asked and not any(rating in ratings_in(d.text) for d in documents)
    ]
    return invented


# ---- citations of what needs none --------------------------------------------------------------------------------


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
        return decide(context, subject, worst_part([part, *invented_parts(context, output.claims)]), _shown(context, output.claims))

    def contains(text: str) -> bool:
        is_passage = is_wording(output.answer) and fold_text(output.answer).rstrip(". ") in fold_text(text)
        return is_passage or (_holds_figures(context, output, text) and _is_on_subject(context, output, text))

    support = Support("answer", f"{question_of(context)}\n{output.answer}", contains)
    assessed, provenances = assess_all(context, output.claims, support, combine=worst_of_several)
    aside = provenance_aside(assessed)
    return decide(context, subject, worst_part([part, assessed.part]), assessed.provenance, provenances, aside=aside)
