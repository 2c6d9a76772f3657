"""The nouns that travel through the engine: Question, Answer, Part, Provenance, Item, Decision.
Scores are exact `Fraction`s between 0 and 1 while they are computed; an item has the numbers of its line in verdicts.jsonl."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, WrapSerializer, WrapValidator

from calibration.label_files.identity import fold_name
from deterministic.documents.pages import PagePicture
from deterministic.lexicon.records import record
from judge.records import line_parts as line

K = TypeVar("K")
V = TypeVar("V")
Bounds = tuple[Fraction, Fraction]
FALSE_POSITIVES, FALSE_NEGATIVES = "false_positives", "false_negatives"  # counted beside the dimensions
INTERNAL_ERROR = "internal_error"
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


# design/README.md, order of an item's outcome: hallucination, fail, partial, semantic_match, correct (the three full labels rank alike).
SEVERITY: Mapping[Outcome, int] = dict(zip(Outcome, (0, 0, 0, 1, 2, 3, 4), strict=True))

RIGHT = frozenset(outcome for outcome, rank in SEVERITY.items() if rank < SEVERITY[Outcome.PARTIAL])

ErrorCause = Literal[
    "transport", "timeout", "refusal", "truncated", "schema", "off_menu", "quota", "content_filter", "quorum", "no_pictures"
]


class Finding(NamedTuple):
    """An extra fact with a stable code; `detail` is one plain sentence."""

    code: str
    detail: str = ""


Findings = tuple[Annotated[Finding, PlainSerializer(Finding._asdict)], ...]
Kinds = tuple[tuple[str, str], ...]  # (kind, value) pairs


@dataclass(frozen=True, slots=True)
class Question:
    """One rubric asked about one set of texts. Equal questions are one question: they are asked, paid for and cached once. variables:
    (name, text) pairs, sorted by name, exactly the template variables of the rubric. choices: (id, text) pairs that the question adds to
    its rubric's. pictures: of pages that have no text; a text of the question names each by its hash, so they tell no two apart. kinds:
    what the case is that asks it (`Context.kinds`), which tells no two apart either."""

    rubric: str
    variables: tuple[tuple[str, str], ...]
    choices: tuple[tuple[str, str], ...] = ()
    pictures: tuple[PagePicture, ...] = field(default=(), compare=False, repr=False)
    kinds: Kinds = field(default=(), compare=False, repr=False)

    @classmethod
    def of(cls, rubric: str, **variables: str) -> Question:
        """Builds a question from keyword texts."""
        return cls(rubric, tuple(sorted(variables.items())))

    @property
    def uncoverable(self) -> tuple[str, ...]:
        """By what a calibration record can fail to cover it: its rubric, and each kind of its case."""
        return self.rubric, *(f"{self.rubric}, {kind} {value}" for kind, value in self.kinds)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the judge (or a panel, or a person) said to a question; either a verdict or an error cause, never both. verdict: a choice of the
    rubric, `cannot_determine` included; None when `error` is set. confidence: 0..1 share of votes or probability of the verdict, None when
    unknown."""

    verdict: str | None
    evidence: str = ""
    reasoning: str = ""
    error: ErrorCause | None = None
    error_detail: str = ""
    model: str = ""
    by: DecidedBy = "llm"
    confidence: float | None = None
    votes: tuple[tuple[str, str], ...] = ()
    findings: Findings = ()
    cached: Annotated[bool, Field(exclude=True)] = False


AnswerBlock = Annotated[
    Answer,
    BeforeValidator(lambda given: {"verdict": None, **line.held(given)} if isinstance(given, Mapping) else given),
    WrapSerializer(lambda answer, dump: line.held({"model": answer.model, "by": answer.by, **dump(answer)})),
]
Answers = Mapping[Question, Answer]


def rows_text(choices: Iterable[tuple[str, str]]) -> str:
    """The choices that a question brings, as its text `rows` shows them: a line each."""
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in choices)


def rows_of(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The choices that a question's own texts bring; none where it has no text `rows`."""
    lines = [row.partition(": ") for name, text in variables if name == "rows" for row in text.splitlines() if row]
    return tuple((name, text) for name, _, text in lines)


@record
class Part:
    """What one check says of an item: a label, or the worst and the best that it can still become. `questions` are what a judge must be
    asked before the part is closed (empty when closed, or when only a person can close it). `why_open` names the cause: "unasked",
    "cannot_determine", "no_reference", "unreadable", "section_unknown", "no_passage", "judge_error"."""

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
    mark: str = ""  # its word in a table of the contract's dimensions, where its label does not tell it
    marks: tuple[str, ...] = ()  # of an open part: the words that it can still get

    @property
    def is_open(self) -> bool:
        """Whether the label is not settled yet."""
        return self.worst is not self.best


class Claimed(NamedTuple):
    """A citation as the judged system reported it; "" for what it does not give."""

    document: str = ""
    page: int | str = ""
    section: str = ""
    quote: str = ""

    @property
    def place(self) -> str:
        """Document, page and section in a line."""
        return ", ".join(part for part in (self.document, f"page {self.page}" if self.page != "" else "", self.section) if part)


NO_CLAIM = Claimed()
_NOT, _NO = PlainSerializer(lambda yes: not yes), PlainSerializer(lambda yes: None if yes else "no")


@record
class Provenance:
    """The provenance block of a verdict line (docs/contract/formats.md). `score` None while undecided; `label` is its say on the item."""

    outcome: str
    score: line.Exactly | None
    complete: bool
    quote: str | None = None
    page: str | None = None
    section: str | None = None
    pages_found: tuple[int, ...] = ()
    sections_found: tuple[str, ...] = ()
    match: line.Number | None = None
    document: str = ""  # where the quote stands (file name), for the report
    spans: tuple[tuple[int, int], ...] = ()  # offsets in that document's text, for highlighting
    is_required: Annotated[bool, Field(alias="not_required"), line.Unset, _NOT] = True  # counts in the completeness gate
    is_open: Annotated[bool, Field(alias="open"), line.Set] = (
        False  # completeness is not known yet; `complete` then says what it is if all that is open turns out well
    )
    waits_for_support: Annotated[bool, Field(exclude=True)] = False  # located, and only whether the quote supports the claim is open
    claim: Annotated[Claimed, line.AsObject] = NO_CLAIM  # the citation as reported, for reports


NOT_REQUIRED = Provenance("not_required", None, False, is_required=False)


def _cited(given: Any, read: Callable[[Any], Provenance]) -> Provenance:
    if isinstance(given, Mapping):
        if given.get("outcome", "not_required") == "not_required":
            return NOT_REQUIRED
        given = {"score": None, "complete": False, **line.held(given)}
    return read(given)


_FULL = frozenset("outcome score complete quote page section pages_found sections_found match".split())
Cited = Annotated[Provenance, WrapValidator(_cited), WrapSerializer(lambda found, dump: line.held(dump(found), _FULL))]


class Excepted(NamedTuple):
    """A deviation that a person accepted; `expires` is the last day on which it counts."""

    who: str
    why: str
    expires: str


class Said(NamedTuple):
    """A person's verdict that did not settle its item. label: an outcome's name. As `former`: on another output, document, gold, citation,
    contract or verdict than the present one, which it never settles. As `correction`: of a verdict that is not open, or beyond what an
    open item can still be; it needs a second person, and a contract that lets it count. others: what further people say of it."""

    label: str
    who: str = ""
    when: str = ""
    why: str = ""
    second: str = ""
    others: tuple[Said, ...] = ()

    @property
    def is_confirmed(self) -> bool:
        """Whether a correction has its reason and two people."""
        return bool(self.why and self.second and fold_name(self.who) != fold_name(self.second))


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Values by their keys, both in the order given."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


@dataclass(frozen=True, slots=True)
class CriteriaResult:
    """What a case's own scoring table says. rows: item or `@case` -> the row that fits; an item of no row keeps the rubric's score.
    decided_by: rules alone, a judge, or none while it is open."""

    bounds: Bounds
    hallucinated: bool = False
    rows: Mapping[str, str] = field(default_factory=dict)
    decided_by: DecidedBy = "deterministic"
    can_hallucinate: bool = False


def _criteria_of(block: Mapping[str, Any]) -> CriteriaResult:
    told = bool(block["hallucinated"]), dict(block["rows"]), block["decided_by"], "can_hallucinate" in block
    return CriteriaResult(line.bounds_of(block), *told)


def _criteria_block(result: CriteriaResult) -> dict[str, Any]:
    told = {"hallucinated": result.hallucinated, "rows": dict(result.rows), "decided_by": result.decided_by}
    return {**line.score_block(result.bounds), **told, **line.held({"can_hallucinate": result.can_hallucinate})}


CriteriaBlock = Annotated[CriteriaResult, PlainValidator(_criteria_of), PlainSerializer(_criteria_block)]


@dataclass(frozen=True, slots=True)
class GateView:
    """What of an item the gates see where answers that no calibration record covers do not count."""

    outcome: Outcome | NonOutcome
    bounds: line.WorstBest
    can_hallucinate: bool
    provenance: Cited
    dimensions: line.ScoreBlocks = field(default_factory=dict)
    criteria: CriteriaBlock | None = None


Key = tuple[str, str, str | None]


@record
class Item:
    """One judged item: a line of verdicts.jsonl. score: 0..1, None for non-outcomes; bounds: [worst, best]; weight 0 keeps it out of the
    case score."""

    case_id: str
    capability: str
    item: str
    tranche: str | None
    outcome: Outcome | NonOutcome
    score: line.ScoreNumber | None
    bounds: line.WorstBest
    weight: Annotated[line.Exactly, Field(ge=0)]
    provenance: Cited
    decided_by: DecidedBy
    rule: str
    reason: str
    provenances: tuple[Cited, ...] = ()
    rubric: str = ""
    judge: AnswerBlock | None = None
    findings: Findings = ()
    can_hallucinate: bool = False  # it could still become a hallucination
    reported: str = ""  # short texts for reports and labelling
    gold: str = ""
    is_unanswerable: Annotated[bool, Field(alias="unanswerable"), line.Set] = (
        False  # Q&A: gold says the document does not contain it (refusal gate)
    )
    why_open: str = ""
    confidence: int | float | str | None = None  # of the system under test, as reported: 0..1, or a band's name
    counts_for_field: Annotated[bool, line.Unset, _NO] = True  # False: left out of a tier-1 field's own score (`unchanged` fields)
    hitl: str = ""  # the human review that the output asked for
    uncertified: GateView | None = None
    is_provisional: Annotated[bool, Field(alias="provisional"), line.Set] = False  # judged without answers that the budget did not allow
    exception: Annotated[Excepted, line.AsObject] | None = None
    question: str = ""  # what the system was asked (Q&A)
    note: str = ""  # what the standard says of the field
    open_point: str = ""  # what must be answered to close it, in one sentence; "" for a closed item
    dimensions: line.ScoreBlocks = field(default_factory=dict)  # under a contract that has them, exactly
    criteria: CriteriaBlock | None = None  # of the whole case, with its first item
    who: str = ""  # a person's verdict: by whom, when, why
    when: str = ""
    why: str = ""
    settles: str = ""  # of a person's verdict: the binding of what it settles (results/decisions.py)
    documents_hash: str = ""  # of the contents of its case's documents, which a decision is bound to
    before: Annotated[Item | None, Field(exclude=True)] = None  # of an item that a person settled: as the program left it
    former: Annotated[tuple[Said, ...], Field(exclude=True)] = ()
    correction: Annotated[Said | None, Field(exclude=True)] = None
    metadata: Mapping[str, object] = field(default_factory=dict)  # what the output gave along with it, read by no judgement

    @property
    def key(self) -> Key:
        """Case, item, tranche: what one item is across lines and runs."""
        return self.case_id, self.item, self.tranche

    @property
    def asked(self) -> Item | None:
        """The open item that a person may settle, or has settled; None for one that the program decided."""
        return self.before or (self if self.is_waiting else None)

    @property
    def title(self) -> str:
        """The item with its tranche, for people."""
        return f"{self.item} ({self.tranche})" if self.tranche and self.tranche not in self.item else self.item

    @property
    def is_open(self) -> bool:
        """No label yet."""
        return self.outcome is NonOutcome.UNDECIDED or self.outcome is NonOutcome.JUDGE_ERROR

    @property
    def is_waiting(self) -> bool:
        """A gate waits for a person: no label yet, or it may still be a hallucination, or whether its citation is complete is not known."""
        may_be_made_up = self.can_hallucinate and self.outcome is not Outcome.HALLUCINATION
        cites = self.provenance.is_required and self.provenance.is_open
        return may_be_made_up or (self.exception is None and (self.is_open or cites))

    @property
    def citations(self) -> tuple[Provenance, ...]:
        """Every citation of the item, or the one that stands for all."""
        return self.provenances or (self.provenance,)

    @property
    def document(self) -> str:
        """The document that the item is about, "" when no citation names one."""
        return self.provenance.document or self.provenance.claim.document


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """Everything that came of one case. answers: what was asked for it; texts: hash of each document's text, where something was asked;
    documents: the names of those that it was judged on."""

    items: tuple[Item, ...]
    answers: Answers = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[str, ...] = ()


class Fact(NamedTuple):
    """Words of a key of a criterion's rule: those that are true of an item, and those of which nobody can tell yet."""

    true: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()


@record
class Decision:
    """An item as far as it is decided, and the questions that are still worth asking for it. parts: under a contract with dimensions its
    checks by name; facts: what a row of the case's own criteria can ask of it beside them."""

    item: Item
    questions: tuple[Question, ...] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
