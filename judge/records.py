"""The nouns that travel through the engine: Question, Answer, Part, Provenance, ItemResult, Decision, CaseResult.

Scores are exact `Fraction`s between 0 and 1 everywhere inside the program; they become JSON numbers only when written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from deterministic.citations.check import Claim

Bounds = tuple[Fraction, Fraction]
DecidedBy = Literal["deterministic", "llm", "panel", "human", "none"]


class Outcome(StrEnum):
    """The labels of the standard (sections 1.1, 2.1, 3.1, 4.1); non-outcomes are kept apart in `NonOutcome`."""

    CORRECT = "correct"
    TRUE_NEGATIVE = "true_negative"
    GROUNDED_REFUSAL = "grounded_refusal"
    SEMANTIC_MATCH = "semantic_match"
    PARTIAL = "partial"
    FAIL = "fail"
    HALLUCINATION = "hallucination"


class NonOutcome(StrEnum):
    """What an item is when it has no label: score null, bounds [worst, best]."""

    UNDECIDED = "undecided"
    JUDGE_ERROR = "judge_error"
    EXTRA = "extra"


# judging.md, order of an item's outcome: hallucination, fail, partial, semantic_match, correct (the three full labels rank alike).
SEVERITY: Mapping[Outcome, int] = {
    Outcome.CORRECT: 0,
    Outcome.TRUE_NEGATIVE: 0,
    Outcome.GROUNDED_REFUSAL: 0,
    Outcome.SEMANTIC_MATCH: 1,
    Outcome.PARTIAL: 2,
    Outcome.FAIL: 3,
    Outcome.HALLUCINATION: 4,
}

ErrorCause = Literal["transport", "timeout", "refusal", "truncated", "schema", "off_menu", "quota", "content_filter", "quorum"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An extra fact with a stable code; `detail` is one plain sentence."""

    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One rubric asked about one set of texts. Equal questions are one question: they are asked, paid for and cached once.

    variables: (name, text) pairs, sorted by name, exactly the template variables of the rubric.
    """

    rubric: str
    variables: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, rubric: str, **variables: str) -> Question:
        """Builds a question from keyword texts."""
        return cls(rubric, tuple(sorted(variables.items())))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge (or a panel, or a person) said to a question; either a verdict or an error cause, never both.

    verdict: a choice of the rubric, `cannot_determine` included; None when `error` is set.
    confidence: 0..1 share of votes or probability of the verdict, None when unknown.
    """

    verdict: str | None
    evidence: str = ""
    reasoning: str = ""
    error: ErrorCause | None = None
    error_detail: str = ""
    model: str = ""
    by: DecidedBy = "llm"
    confidence: float | None = None
    votes: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    cached: bool = False


Answers = Mapping[Question, Answer]


@dataclass(frozen=True, slots=True)
class Part:
    """What one check says of an item: a label, or the worst and the best that it can still become.

    `questions` are what a judge must be asked before the part is closed (empty when closed, or when only a person can close it).
    `why_open` names the cause: "unasked", "cannot_determine", "no_reference", "unreadable", "section_unknown", "no_passage",
    "judge_error".
    """

    worst: Outcome
    best: Outcome
    reason: str
    rule: str
    findings: tuple[Finding, ...] = ()
    questions: tuple[Question, ...] = ()
    why_open: str = ""
    error: ErrorCause | None = None
    answer: Answer | None = None
    question: Question | None = None  # the question that `answer` answers

    @property
    def is_open(self) -> bool:
        """Whether the label is not settled yet."""
        return self.worst is not self.best


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance block of a verdict line (interface.md section 3). `score` None while undecided; `label` is its say on the item."""

    outcome: str
    score: Fraction | None
    complete: bool
    quote: str | None = None
    page: str | None = None
    section: str | None = None
    pages_found: tuple[int, ...] = ()
    sections_found: tuple[str, ...] = ()
    match: float | None = None
    document: str | None = None  # where the quote stands (file name), for the report
    spans: tuple[tuple[int, int], ...] = ()  # offsets in that document's text, for highlighting
    is_required: bool = True  # counts in the completeness gate
    is_open: bool = False  # completeness is not known yet; `complete` then says what it is if all that is open turns out well
    waits_for_support: bool = False  # located, and only whether the quote supports the claim is open
    claim: Claim | None = None  # the citation as reported, for reports


NOT_REQUIRED = Provenance("not_required", None, False, is_required=False)


@dataclass(frozen=True, slots=True)
class ItemResult:
    """One line of verdicts.jsonl. `score` is None for non-outcomes; `bounds` are [worst, best]; weight 0 keeps it out of the case score."""

    case_id: str
    capability: str
    item: str
    tranche: str | None
    outcome: Outcome | NonOutcome
    score: Fraction | None
    bounds: Bounds
    weight: Fraction
    provenance: Provenance
    decided_by: DecidedBy
    rule: str
    reason: str
    provenances: tuple[Provenance, ...] = ()
    rubric: str | None = None
    judge: Answer | None = None
    findings: tuple[Finding, ...] = ()
    can_hallucinate: bool = False  # an open item that could still become a hallucination
    reported: str | None = None  # short texts for reports and labelling
    gold: str | None = None
    is_unanswerable: bool = False  # Q&A: gold says the document does not contain it (refusal gate)
    why_open: str = ""
    confidence: float | str | None = None  # of the system under test, as reported
    counts_for_field: bool = True  # False: left out of a tier-1 field's own score (`unchanged` fields)


@dataclass(frozen=True, slots=True)
class Decision:
    """An item as far as it is decided, and the questions that are still worth asking for it."""

    item: ItemResult
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One line of cases.jsonl; `score` is None while open items leave the bounds apart."""

    case_id: str
    capability: str
    score: Fraction | None
    bounds: Bounds
    hallucinated: bool
    weight: Fraction
    outcomes: Mapping[str, int] = field(default_factory=dict)
