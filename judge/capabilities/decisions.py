"""How checks become labels and verdict lines: a part is closed or open, an item the worst of its parts (design/README.md).
A part that only a judge can close names its question; asking, caching and retrying are the engine's. Capabilities are replayed with the
answers, so the same code decides offline (no answers), online, and with a person's verdicts."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from deterministic.lexicon.records import record
from judge.capabilities.context import Context
from judge.capabilities.extracts import shortened
from judge.capabilities.open_points import cause_words, open_point
from judge.records import (
    NOT_REQUIRED,
    SEVERITY,
    Answers,
    Bounds,
    DecidedBy,
    Decision,
    Fact,
    Finding,
    Item,
    NonOutcome,
    Outcome,
    Part,
    Provenance,
    Question,
)
from rubrics.verdicts import CANNOT_DETERMINE


def closed(outcome: Outcome, reason: str, rule: str, *findings: Finding, mark: str = "") -> Part:
    """A part that is decided. mark: its word in the contract's dimensions, where the label does not tell it."""
    return Part(outcome, outcome, reason, rule, tuple(findings), mark=mark)


def opened(worst: Outcome, best: Outcome, reason: str, rule: str, why: str, *findings: Finding) -> Part:
    """A part that only a person (or gold, or a better document) can close."""
    return Part(worst, best, reason, rule, tuple(findings), why_open=why)


Branch = Part | Callable[[], Part]


def by_verdict(answers: Answers, question: Question, branches: Mapping[str, Branch], reason: str, rule: str) -> Part:
    """A part that one question decides: the branch of its verdict, or open with the question while there is no answer. branches: one for
    every verdict of the rubric but `cannot_determine`; a callable branch may ask further questions. The bounds of an open part are those of
    all branches."""
    if (answer := answers.get(question)) is not None and answer.verdict is not None and answer.verdict in branches:
        branch = branches[answer.verdict]
        return replace(branch if isinstance(branch, Part) else branch(), answer=answer, question=question)
    leaves = [branch if isinstance(branch, Part) else branch() for branch in branches.values()]
    marks = tuple(dict.fromkeys(mark for leaf in leaves for mark in marks_of(leaf)))
    part = Part(_worst(p.worst for p in leaves), _best(p.best for p in leaves), reason, rule, marks=marks)
    if answer is None:
        return replace(part, questions=(question,), why_open="unasked")
    part = replace(part, why_open=CANNOT_DETERMINE, answer=answer, question=question)
    return part if answer.error is None else replace(part, why_open="judge_error", error=answer.error)


def asked(context: Context, rubric: str, branches: Mapping[str, Branch], reason: str, rule: str, /, **texts: str) -> Part:
    """A part that one question of a rubric decides."""
    return by_verdict(context.answers, Question.of(rubric, **texts), branches, reason, rule)


def same_meaning(context: Context, outcomes: tuple[Branch, Branch, Branch], reason: str, rule: str, /, **texts: str) -> Part:
    """A part that `semantic_match` decides: what it is where both values are equivalent, partly, or not."""
    verdicts = ("equivalent", "partially_equivalent", "not_equivalent")
    return asked(context, "semantic_match", dict(zip(verdicts, outcomes, strict=True)), reason, rule, **texts)


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    return max(outcomes, key=SEVERITY.__getitem__)


def _best(outcomes: Iterable[Outcome]) -> Outcome:
    return min(outcomes, key=SEVERITY.__getitem__)


def marks_of(part: Part) -> tuple[str, ...]:
    """The words of a part in a table of the contract's dimensions: one of a closed part, all that an open one can get."""
    return part.marks or ((part.best.value, part.worst.value) if part.is_open else (part.mark or part.best.value,))


def worst_part(parts: Sequence[Part]) -> Part:
    """Several checks that all must hold, as one part: the worst of them, with everybody's findings. Closed when the worst of all best
    labels equals the worst of all worst ones: an open check that cannot change the label costs no call."""
    worst, best = _worst(p.worst for p in parts), _worst(p.best for p in parts)
    findings = tuple(dict.fromkeys(f for p in parts for f in p.findings))
    if SEVERITY[worst] == SEVERITY[best]:
        decider = next(p for p in parts if SEVERITY[p.best] == SEVERITY[best])
        # questions are asked only where they matter, so an answered one was needed for the outcome even if another part names it
        asked = decider if decider.answer is not None else next((p for p in parts if p.answer is not None and not p.is_open), decider)
        label = decider.best
        return Part(label, label, decider.reason, decider.rule, findings, answer=asked.answer, question=asked.question, mark=decider.mark)
    leading = next(p for p in parts if SEVERITY[p.worst] > SEVERITY[best])
    # the first part that could still make the item worse than `best` asks: one at a time, so that no question is asked in vain
    questions = next((p.questions for p in parts if p.questions and SEVERITY[p.worst] > SEVERITY[best]), ())
    return replace(leading, worst=worst, best=best, findings=findings, questions=questions, mark="", marks=())


def best_part(parts: Sequence[Part]) -> Part:
    """Alternatives of which the best counts (several citations of a field), as one part; the first of equals."""
    worst, best = _best(p.worst for p in parts), _best(p.best for p in parts)
    if SEVERITY[worst] == SEVERITY[best]:
        return next(p for p in parts if SEVERITY[p.worst] == SEVERITY[worst])
    leading = next(p for p in parts if SEVERITY[p.best] < SEVERITY[worst])
    questions = next((p.questions for p in parts if p.questions and SEVERITY[p.best] < SEVERITY[worst]), ())
    return replace(leading, worst=worst, best=best, questions=questions)


def decided_by(part: Part) -> DecidedBy:
    """Who closed a part."""
    return "none" if part.is_open else "deterministic" if part.answer is None else part.answer.by


def non_outcome(part: Part) -> NonOutcome:
    """Which non-outcome an open part is."""
    return NonOutcome.JUDGE_ERROR if part.why_open == "judge_error" else NonOutcome.UNDECIDED


def bounds(part: Part, scores: Mapping[str, Fraction]) -> Bounds:
    """[worst, best] score of a part under the contract's label scores."""
    return scores[part.worst], scores[part.best]


UNVERIFIED_VALUE = "UNVERIFIED_VALUE"
TEXT_LENGTH = 600  # characters of a value that a verdict line carries


@record
class Subject:
    """Which item a decision is about, and what a reader needs to recognise it."""

    item: str
    weight: Fraction
    tranche: str | None = None
    reported: str | None = None
    gold: str | None = None
    confidence: float | str | None = None
    counts_for_field: bool = True
    hitl: str = ""
    is_unanswerable: bool = False
    note: str = ""  # what the standard says of the field
    metadata: Mapping[str, Any] = field(default_factory=dict)  # what the output gave along


@dataclass(frozen=True, slots=True)
class Aside:
    """What a contract with dimensions (companion rubrics) adds to an item's label. dimensions: score -> [worst, best]; parts: check -> what
    it says, as reports and questions show it; asked: the parts whose questions go to the judge; facts: what the rows of the case's own
    criteria can ask, by key."""

    dimensions: Mapping[str, Bounds]
    parts: Mapping[str, Part] = field(default_factory=dict)
    asked: tuple[Part, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)


def figure_fact(content: Part, invented: bool | None) -> Fact:
    """Whether a value equals gold's, by the content's label. invented: it is nowhere in the document; None: a page cannot be read."""
    nowhere = frozenset({"nowhere"})
    if content.is_open:
        labels = {"equal" if SEVERITY[o] < SEVERITY[Outcome.PARTIAL] else "different" for o in (content.worst, content.best)}
        return Fact(open=frozenset(labels) | nowhere)
    if SEVERITY[content.best] < SEVERITY[Outcome.PARTIAL]:
        return Fact(frozenset({"equal"}))
    different = frozenset({"different"}) if content.best is not Outcome.PARTIAL else frozenset[str]()
    return Fact(different | (nowhere if invented else frozenset()), nowhere if invented is None else frozenset())


def value_facts(content: Part, invented: bool | None, reported: str | None, *gold: str | None) -> dict[str, Fact]:
    """What rows of a case's own criteria can ask of a value: whether it is gold's, and whether it has gold's own characters."""
    is_same = reported is not None and any(" ".join(reported.split()) == " ".join(text.split()) for text in gold if text)
    return {"figure": figure_fact(content, invented), "form": Fact(frozenset({"same"} if is_same else ()))}


def unverified(detail: str) -> Finding:
    """Of a wrong value that the readable pages do not have, in a document with unreadable ones."""
    return Finding(UNVERIFIED_VALUE, detail)


def decide(
    context: Context,
    subject: Subject,
    part: Part,
    provenance: Provenance = NOT_REQUIRED,
    provenances: tuple[Provenance, ...] = (),
    findings: Sequence[Finding] = (),
    best_label: Outcome | None = None,
    aside: Aside | None = None,
) -> Decision:
    """The verdict line of one item. best_label: what a full-marks outcome is called here (true_negative, grounded_refusal); aside: its
    scores and checks under a contract with dimensions, all of whose questions are asked."""
    scores = context.contract.label_scores
    if best_label is not None:
        scores = {**scores, Outcome.CORRECT.value: scores[best_label.value]}
    worst, best = bounds(part, scores)
    outcome: Outcome | NonOutcome = non_outcome(part) if part.is_open else part.best
    item = replace(
        _item_of(context, subject, aside),
        outcome=best_label if outcome is Outcome.CORRECT and best_label is not None else outcome,
        score=None if part.is_open else float(best),
        bounds=(float(worst), float(best)),
        weight=subject.weight,
        provenance=provenance if part.is_open else _without_support(context, provenance),
        decided_by=decided_by(part),
        rule=part.rule,
        reason=_reason(part),
        provenances=provenances,
        rubric=next((q.rubric for q in (part.question, *part.questions) if q is not None), ""),
        judge=part.answer,
        findings=tuple(dict.fromkeys([*part.findings, *findings, *(part.answer.findings if part.answer else ())])),
        can_hallucinate=can_hallucinate(part),
        gold=_identified(subject.gold),
        is_unanswerable=subject.is_unanswerable,
        why_open=part.why_open if part.is_open else "",
        counts_for_field=subject.counts_for_field,
        open_point=open_point(part),
    )
    return Decision(item, _questions(part, aside), aside.parts if aside else {}, aside.facts if aside else {})


def decide_extra(
    context: Context,
    subject: Subject,
    finding: Finding,
    part: Part | None = None,
    provenance: Provenance = NOT_REQUIRED,
    provenances: tuple[Provenance, ...] = (),
    aside: Aside | None = None,
) -> Decision:
    """A reported item that gold lacks: not scored, unless it is fabricated, which is a hallucination (A9, standard 1.1)."""
    findings = tuple(dict.fromkeys([finding, *(part.findings if part else ())]))
    if part is not None and not part.is_open and part.best is Outcome.HALLUCINATION:
        return decide(context, subject, part, provenance, provenances, findings, aside=aside)
    item = replace(
        _item_of(context, subject, aside),
        provenance=provenance,
        decided_by="deterministic" if part is None or not part.is_open else "none",
        rule="reported, not in gold",
        reason=finding.detail,
        provenances=provenances,
        findings=findings,
        can_hallucinate=part is not None and can_hallucinate(part),
    )
    return Decision(item, _questions(part if part is not None and part.is_open else None, aside))


def _item_of(context: Context, subject: Subject, aside: Aside | None) -> Item:
    return Item(
        case_id=context.case.case_id,
        capability=context.case.capability,
        item=subject.item,
        tranche=subject.tranche,
        outcome=NonOutcome.EXTRA,
        score=None,
        bounds=(0.0, 0.0),
        weight=Fraction(0),
        provenance=NOT_REQUIRED,
        decided_by="none",
        rule="",
        reason="",
        reported=_identified(subject.reported),
        confidence=subject.confidence,
        hitl=subject.hitl,
        question=_identified(context.case.input.get("question", "")),
        note=subject.note,
        metadata=subject.metadata,
        dimensions=aside.dimensions if aside else {},
    )


def _questions(part: Part | None, aside: Aside | None) -> tuple[Question, ...]:
    parts = [*([part] if part is not None else []), *(aside.asked if aside is not None else ())]
    return tuple(dict.fromkeys(question for one in parts for question in one.questions))


def nowhere_part(context: Context, value: str | None) -> Part:
    """The part of a value that gold does not judge and that stands in no text: a hallucination; open where a page cannot be read."""
    sentence = f"{value} is not in the document."
    if context.is_readable:
        return closed(Outcome.HALLUCINATION, sentence, "1.1 Hallucination")
    return opened(Outcome.HALLUCINATION, Outcome.CORRECT, sentence, "1.1", "unreadable")


def can_hallucinate(part: Part) -> bool:
    """Whether the item could still become a hallucination: it is open and may, or its value could not be looked for everywhere."""
    is_unverified = any(f.code == UNVERIFIED_VALUE for f in part.findings)
    return is_unverified or (part.is_open and SEVERITY[part.worst] == SEVERITY[Outcome.HALLUCINATION])


def _without_support(context: Context, provenance: Provenance) -> Provenance:
    """The provenance of an item that its content decides: worth what its location is worth, with no question whether the quote supports."""
    if not provenance.waits_for_support:
        return provenance
    return replace(provenance, score=context.contract.provenance_scores[provenance.outcome], is_open=False, waits_for_support=False)


def _reason(part: Part) -> str:
    if not part.is_open:
        return part.reason
    if part.why_open == "judge_error":
        return f"{part.reason} judge error ({part.error}): {part.answer.error_detail if part.answer else ''}".rstrip(": ")
    named = " (no_reference)" if part.why_open == "no_reference" else ""  # the field's word for a judgement without gold
    return f"{part.reason} Undecided{named}: {cause_words(part.why_open)}."


def shown_text(value: Any) -> str | None:
    """A value as reports and reasons show it: at most `TEXT_LENGTH` characters, cut behind an item or word and marked."""
    text = text_of(value)
    return None if text is None else shortened(text, TEXT_LENGTH)


def _identified(value: Any) -> str:
    """As `shown_text`; one that is cut says how long it is and its hash, so that two of one start are not one value."""
    text = text_of(value) or ""
    if (shown := shortened(text, TEXT_LENGTH)) == text:
        return text
    return f"{shown} ({len(text)} characters, {hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()[:8]})"


def text_of(value: Any) -> str | None:
    """A value as a text, whole; None stays None."""
    if value is None:
        return None
    if isinstance(value, BaseModel):
        value = value.model_dump(exclude_defaults=True)
    if isinstance(value, bool):
        return "Y" if value else "N"
    if isinstance(value, (tuple, list)):
        return "; ".join(str(text_of(v)) for v in value)
    if isinstance(value, dict):
        if set(value) <= {"amount", "currency"}:
            return f"{value.get('currency') or ''} {value.get('amount')}".strip()
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
