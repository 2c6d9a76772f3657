"""Which row of a case's own scoring table fits (companion.md section 3): by rule where one tells, else by one question with the rows that
are still possible."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from judge.capabilities import Capability, Scored
from judge.capabilities.cases import Criterion
from judge.capabilities.context import Context
from judge.capabilities.decisions import worst_part
from judge.capabilities.own_checks import own_decisions
from judge.capabilities.wording import fold_text
from judge.records import (
    NO_CLAIM,
    SEVERITY,
    Answer,
    Bounds,
    CriteriaResult,
    DecidedBy,
    Decision,
    Fact,
    Finding,
    Item,
    Outcome,
    Question,
    rows_text,
)
from rubrics.verdicts import CANNOT_DETERMINE

CASE = "@case"
GAP = "CRITERIA_GAP"
ZERO, ONE = Fraction(0), Fraction(1)
FULL = frozenset({"correct", "true_negative", "grounded_refusal"})  # the labels with full marks are one as content


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of which row fits an item or a case. rows: those that can still be it, in order; row: the one that fits; may_be_none:
    whether none may fit; question: what decides it."""

    rows: tuple[Criterion, ...]
    row: Criterion | None = None
    may_be_none: bool = True
    question: Question | None = None
    answer: Answer | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is not known yet."""
        return self.row is None and bool(self.rows)


def decisions_of(capability: Capability, context: Context) -> list[Decision]:
    """The decisions of a case; with its own criteria where it has some and the contract counts them. The rows are asked once nothing else
    is: the checks' facts are part of the question."""
    decisions, case = list(capability.judge(context)), context.case
    if context.contract.criteria is not None and capability.scored is not None and case.criteria and case.gold is not None and decisions:
        result, questions, has_gap = _Table(capability.scored, context, decisions).result()
        first = decisions[0]
        gap = (Finding(GAP, "no row of the case's own table fits, and it has rows for the whole case only"),) if has_gap else ()
        is_waiting = any(q not in context.answers for decision in decisions for q in decision.questions)
        item = replace(first.item, criteria=result, findings=(*first.item.findings, *gap))
        decisions[0] = replace(first, item=item, questions=first.questions if is_waiting else tuple(questions))
    return decisions + own_decisions(context)


QUOTED = 300  # characters of a provision that stand for a quote of it


def missed_by_gold(capability: Capability, context: Context) -> Iterator[str]:
    """The ids of the rows of score 1 whose rule gold itself, given as an output, does not meet. What only a judge can tell is not held
    against it."""
    case, scored = context.case, capability.scored
    rows = [row for row in case.criteria if row.scope == "case" and row.score == 1 and row.rule is not None]
    if scored is None or capability.case_file is None or not rows:
        return
    said = capability.case_file.output_of(case.gold.model_dump(mode="json", exclude_none=True, exclude_defaults=True))
    output = capability.output.model_validate_json(json.dumps(_quoted(context, said)))
    own = replace(context, case=case.model_copy(update={"output": output}), memo={})
    table = _Table(scored, own, list(capability.judge(own)))
    yield from (row.id for row in rows if table.holds_of_case(row) is False)


def _quoted(context: Context, said: Any) -> Any:
    """Gold's citations with the document's name and the words of the cited provision."""
    if isinstance(said, list):
        return [_quoted(context, one) for one in said]
    if not isinstance(said, dict):
        return said
    found = {key: _quoted(context, one) for key, one in said.items()}
    if "section" not in found or found.get("quote"):
        return found
    for name, document in context.documents.items():
        clauses = document.clauses.find(found["section"]).clauses if found.get("document") in (None, name) else ()
        if clauses:
            text = document.text[clauses[0].start : min(clauses[0].end, clauses[0].start + QUOTED)]
            page = document.pages_of(clauses[0].start, clauses[0].start + 1)[0]
            return {"page": page, **found, "document": name, "quote": text.strip()}
    return found


class _Table:
    """One case under its own scoring table."""

    def __init__(self, scored: Scored, context: Context, decisions: Sequence[Decision]) -> None:
        self._scored, self._context, self._decisions = scored, context, decisions
        rows = context.case.criteria
        self._case_rows = sorted((row for row in rows if row.scope == "case"), key=lambda row: row.score != 1)  # the 1.0 row first
        self._item_rows = [row for row in rows if row.scope != "case"]
        self._known = [known_of(decision) for decision in decisions]
        self._scored_at = [n for n, d in enumerate(decisions) if d.item.weight > 0 and d.item.item.partition(".")[0] in scored.prefixes]

    def result(self) -> tuple[CriteriaResult, list[Question], bool]:
        """The result as far as it is known, what is worth asking for it, and whether no row fits that could."""
        reading = self._read(self._case_rows, [self.holds_of_case(row) for row in self._case_rows], range(len(self._decisions)))
        if reading.row is not None:
            row = reading.row
            return CriteriaResult(_span([row]), row.hallucination, {CASE: row.id}, _by([reading])), [], False
        if not reading.is_open:
            if not self._item_rows:
                return CriteriaResult((ZERO, ZERO), decided_by=_by([reading])), [], True
            return self._of_items(reading)
        others, may = [_span(reading.rows)], any(row.hallucination for row in reading.rows)
        if reading.may_be_none:
            inner = self._of_items(reading)[0] if self._item_rows else CriteriaResult((ZERO, ZERO))
            others.append(inner.bounds)
            may = may or inner.can_hallucinate or inner.hallucinated
        bounds = (ZERO if may else min(low for low, _ in others), max(high for _, high in others))
        asked = [reading.question] if reading.question is not None else []
        return CriteriaResult(bounds, decided_by="none", can_hallucinate=may), asked, False

    def _of_items(self, whole: Reading) -> tuple[CriteriaResult, list[Question], bool]:
        """Each item by the first row that fits it, else by the rubric; then the weighted mean."""
        low = high = total = ZERO
        readings, rows, questions = [whole], {}, []
        is_made_up = may = False
        for n in self._scored_at:
            item, kept = self._decisions[n].item, self._kept(self._decisions[n].item)
            is_full = kept == (ONE, ONE) and item.bounds == (1.0, 1.0) and not item.is_open
            own = [row for row in self._item_rows if row.item in (None, _name(item))]
            reading = Reading(()) if is_full else self._read(own, [self._holds(row, n) for row in own], [n])
            readings.append(reading)
            score = _span([reading.row] if reading.row else reading.rows) if reading.row or reading.rows else kept
            if reading.row is not None:
                rows[item.item] = reading.row.id
                is_made_up |= reading.row.hallucination
            else:
                score = (min(score[0], kept[0]), max(score[1], kept[1])) if reading.may_be_none else score
                is_made_up |= not reading.is_open and item.outcome is Outcome.HALLUCINATION
                may |= item.can_hallucinate or any(row.hallucination for row in reading.rows)
                questions += [reading.question] if reading.question is not None else []
            low, high, total = low + item.weight * score[0], high + item.weight * score[1], total + item.weight
        bounds = (low / total, high / total) if total else (ONE, ONE)
        bounds = (ZERO, ZERO) if is_made_up else (ZERO, bounds[1]) if may else bounds
        by: DecidedBy = "none" if bounds[0] != bounds[1] or questions else _by(readings)
        return CriteriaResult(bounds, is_made_up, rows, by, may and not is_made_up), questions, False

    def _read(self, rows: Sequence[Criterion], holds: Sequence[bool | None], about: Sequence[int]) -> Reading:
        """The first row that holds, else one question with the rows that may."""
        sure = next((n for n, held in enumerate(holds) if held), None)
        end = len(rows) if sure is None else sure + 1
        possible = tuple(row for row, held in zip(rows[:end], holds[:end], strict=True) if held is not False)
        if len(possible) == (sure is not None):  # none, or the sure one alone
            return Reading((), possible[0] if possible else None, sure is None)
        question = self._question(possible, about)
        answer = self._context.answers.get(question)
        if answer is None or answer.verdict is None or answer.verdict == CANNOT_DETERMINE:
            return Reading(possible, None, sure is None, question if answer is None else None, answer)
        chosen = next((row for row in possible if row.id == answer.verdict), rows[sure] if sure is not None else None)
        return Reading((), chosen, answer=answer)

    def _holds(self, row: Criterion, n: int) -> bool | None:
        """Whether a row's rule holds of an item; None where no rule or nobody can tell."""
        if row.rule is None:
            return None
        found = [self._key_holds(key, words, n) for key, words in row.rule.keys.items()]
        return False if False in found else None if None in found else True

    def _key_holds(self, key: str, words: Sequence[str], n: int) -> bool | None:
        if key == "cites":
            return _any([_cites(self._context, self._decisions[n].item, section) for section in words])
        fact = self._known[n].get(key, Fact())
        return True if fact.true & set(words) else None if fact.open & set(words) else False

    def holds_of_case(self, row: Criterion) -> bool | None:
        """A row for the whole case: of the one item that it names; else the row of score 1 of every item, any other of at least one."""
        if row.rule is None:
            return None
        named = [n for n, decision in enumerate(self._decisions) if row.item is not None and _name(decision.item) == row.item]
        is_all = row.score == 1 and not named
        held = [self._holds(row, n) for n in named or (self._scored_at if is_all else range(len(self._decisions)))]
        decisive = not is_all
        return decisive if decisive in held else None if None in held else not decisive

    def _question(self, rows: Sequence[Criterion], about: Sequence[int]) -> Question:
        chosen, choices = [self._decisions[n] for n in about], tuple((row.id, row.when) for row in rows)
        texts = {
            "rows": rows_text(choices),
            "task": self._context.case.task or str(self._context.case.input.get("question", "")),
            "output": "\n".join(_item_text(decision.item) for decision in chosen),
            "gold": "\n".join(f"{d.item.item}: {d.item.gold}" for d in chosen if d.item.gold),
            "facts": "\n".join(dict.fromkeys(line for decision in chosen for line in _sentences(decision))),
        }
        return replace(Question.of("case_criteria", **texts), choices=choices)

    def _kept(self, item: Item) -> Bounds:
        """What an item is worth that no row fits: by the rubric, else by the standard."""
        rules = self._context.contract.dimensions
        if self._scored.item_score is not None and rules is not None and item.dimensions:
            return self._scored.item_score(item, rules)
        return Fraction(repr(item.bounds[0])), Fraction(repr(item.bounds[1]))


def _by(readings: Iterable[Reading]) -> DecidedBy:
    return next((reading.answer.by for reading in readings if reading.answer is not None), "deterministic")


def _span(rows: Sequence[Criterion]) -> Bounds:
    scores = [ZERO if row.hallucination else row.score for row in rows]
    return min(scores), max(scores)


def _name(item: Item) -> str:
    """What a row calls an item: the field key, the covenant's name, the term."""
    head, _, rest = item.item.partition(".")
    return rest.rpartition(".")[2] if head == "tranches" else rest


def known_of(decision: Decision) -> dict[str, Fact]:
    """The words of each key of a rule that are true of an item, and those that may still be."""
    item, found = decision.item, decision.item.provenance
    codes = frozenset(finding.code for finding in item.findings)
    is_cited = any(one.claim != NO_CLAIM for one in item.citations)
    quote = frozenset({"paraphrased", "not_found"}) if found.is_open and found.quote == "paraphrased" else frozenset[str]()
    known = {"content": _content(decision), "outcome": _outcome(item), "findings": Fact(codes), "cited": _word("yes" if is_cited else "no")}
    known |= {"quote": Fact(open=quote) if quote else _word(found.quote), "page": _word(found.page), "section": _word(found.section)}
    return {**known, **decision.facts}


def _word(word: str | None) -> Fact:
    return Fact(frozenset({word} if word else ()))


def _content(decision: Decision) -> Fact:
    """The label of what is said, whatever its citations are worth."""
    if not (parts := {name: part for name, part in decision.parts.items() if name not in ("provenance", "degree")}):
        return _outcome(decision.item)
    part = parts["content"] if "content" in parts else worst_part(list(parts.values()))
    if not part.is_open:
        return Fact(FULL if part.best.value in FULL else frozenset({part.best.value}))
    ranks = SEVERITY[part.best], SEVERITY[part.worst]
    return Fact(open=frozenset(label.value for label in Outcome if ranks[0] <= SEVERITY[label] <= ranks[1]))


def _outcome(item: Item) -> Fact:
    if not item.is_open:
        return Fact(frozenset({str(item.outcome)}))
    able = {label.value for label in Outcome if label is not Outcome.HALLUCINATION or item.can_hallucinate}
    return Fact(open=frozenset(able))


def _cites(context: Context, item: Item, section: str) -> bool | None:
    """Whether a citation of the item names the section, or one within it, or quotes from it; None where its numbering is not known."""
    found: list[bool | None] = [False]
    for cited in item.citations:
        names = [name for name in (cited.document, cited.claim.document) if name in context.documents]
        document = context.documents.get(names[0]) if names else next(iter(context.documents.values()), None)
        if document is None or cited.claim == NO_CLAIM:
            continue
        wanted = document.clauses.find(section).clauses
        named = document.clauses.find(cited.claim.section).clauses if cited.claim.section else ()
        is_within = any(w.start <= n.start and n.end <= w.end for n in named for w in wanted)
        is_quoted = any(w.start < end and start < w.end for start, end in cited.spans for w in wanted)
        is_same = bool(cited.claim.section) and fold_text(cited.claim.section) == fold_text(section)
        found.append(is_within or is_quoted or is_same or (False if wanted else None))
    return _any(found)


def _any(found: Sequence[bool | None]) -> bool | None:
    return True if True in found else None if None in found else False


def _item_text(item: Item) -> str:
    quoted = [f'{one.claim.place}: "{one.claim.quote}"' for one in item.citations if one.claim != NO_CLAIM]
    return f"{item.item}: {item.reported or 'nothing reported'}" + (f" [cited: {'; '.join(quoted)}]" if quoted else "")


def _sentences(decision: Decision) -> Iterator[str]:
    reasons = [decision.item.reason, *(part.reason for part in decision.parts.values() if not part.is_open)]
    details = [f"{finding.code}: {finding.detail}" for finding in decision.item.findings]
    yield from (f"{decision.item.item}: {text}" for text in dict.fromkeys([*reasons, *details]) if text)
