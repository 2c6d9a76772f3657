"""What `judge check` finds: problems of gold, unreadable documents, the calls a run would make and their estimated cost.
Gold is held against the documents, so that wrong gold is found before a system is blamed: GOLD_NOT_FOUND, with file, line and JSON path.
What is looked for is each capability's own (`gold_faults`). A document with unreadable pages proves nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge.capabilities import Capability, late
from judge.capabilities.context import Context
from judge.capabilities.gold import citation_faults
from judge.capabilities.registry import capability_of, names
from judge.capabilities.scoring.table import decisions_of, missed_by_gold
from judge.engines.judge_choice import is_offline, judge_settings
from judge.engines.run_file import Prepared
from judge.engines.session import checked_exceptions, document_store, prepare
from judge.errors import Problem
from judge.inputs.case_files import line_at
from judge.inputs.documents import DocumentStore
from judge.inputs.table import CaseEntry
from judge.printing import say
from judge.records import Answer, JudgedCase, Question
from judge.report.rendering import template
from judge.results.exceptions import uncounted
from judge.settings import Settings
from rubrics.contract import Contract, load_contract

if TYPE_CHECKING:
    from judge.llm.forecast import Estimate
    from judge.llm.judge import Judge

CODE = "GOLD_NOT_FOUND"
WITH_DIMENSIONS = "companion"  # the contract under which an item keeps what a row's rule asks for
UNMET = "gold as an output does not meet the rule of row {row!r}, which is for a right one"


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of a check. warnings: what stops no run and a person should look at.
    questions: first-round questions by rubric; estimate None offline (no model, no price)."""

    cases: int
    documents: int
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    unreadable_documents: tuple[str, ...]
    unopened: tuple[str, ...]
    """Those of them that no run can read."""
    questions: dict[str, int]
    asked: tuple[dict[str, Any], ...]
    """Case, item, tranche and rubric of every question, as in verdicts.jsonl."""
    estimate: "Estimate | None"
    exceptions: tuple[str, ...] = ()
    """How many accepted deviations count by what rules alone say, and which do not."""

    def sentences(self) -> list[str]:
        """For a person."""
        return template("check.txt.j2").render(found=self).splitlines()

    def as_json(self) -> dict[str, Any]:
        """For a program."""
        return {key: own for key, own in asdict(self).items() if key != "unopened" and (own or key not in ("warnings", "exceptions"))}


def check_inputs(settings: Settings, batch: Path) -> Findings:
    """Raises InputError when the inputs themselves are wrong (all problems listed), UsageError for a wrong contract or capability."""
    for name in names():
        capability_of(name)  # one that lacks a part is told before a batch needs it
    prepared = prepare(settings, batch)
    store = document_store(prepared, settings)
    judged = list[JudgedCase]()
    accepted = checked_exceptions(settings, prepared, store, judged)
    problems = tuple(dict.fromkeys(gold_problems(prepared, store)))
    judge = None if is_offline(settings) else _judge(judge_settings(settings))
    questions, asked, cited, later = _rounds(prepared, store, judge)  # which opens every document, also those that no gold is held against
    return Findings(
        cases=len(prepared.entries),
        documents=len(prepared.document_hashes),
        problems=problems,
        warnings=(*dict.fromkeys(gold_warnings(prepared, store)), *batch_warnings(batch, cited | Counter(none=not prepared.entries))),
        unreadable_documents=tuple(store.trouble.values()),
        unopened=store.unopened(),
        questions=dict(Counter(question.rubric for question in questions)),
        asked=tuple(asked),
        estimate=None if judge is None else _estimate((*questions, *later), judge),
        exceptions=() if accepted is None else tuple(_exceptions(len(accepted.lines), judged)),
    )


def _exceptions(lines: int, judged: Iterable[JudgedCase]) -> Iterator[str]:
    items = list(chain.from_iterable(case.items for case in judged))
    yield f"accepted deviations that count by what rules alone say: {sum(item.exception is not None for item in items)} of {lines}"
    yield from (f"exception not counted: {text}" for item in items if (text := uncounted(item)))


_judge = late("judge.llm.judge", "Judge")
_estimate = late("judge.llm.forecast", "estimate")


def _contexts(
    prepared: Prepared, store: DocumentStore, contract: Contract | None = None
) -> Iterator[tuple[CaseEntry, Capability, Context]]:
    """The cases, those of one document together, as their capabilities see them."""
    for entry in chain.from_iterable(group for _, group in sorted(prepared.entries.by_documents().items())):
        context = Context(prepared.index.load(entry), store.documents(entry.documents), contract or prepared.contract)
        yield entry, capability_of(entry.capability), context


def _rounds(
    prepared: Prepared, store: DocumentStore, judge: "Judge | None"
) -> tuple[list[Question], list[dict[str, Any]], Counter[str], list[Question]]:
    """Every question of the first round, once; the case, item, tranche and rubric of each, also of one that several items put; how many
    citations there are; and the questions of later rounds where every answer is the one that the judge remembers or the favourable one."""
    questions, asked, cited, later = dict[Question, None](), list[dict[str, Any]](), Counter[str](), dict[Question, None]()
    for entry, capability, context in _contexts(prepared, store):
        decisions, answers = decisions_of(capability, context), dict[Question, Answer]()
        for decision in decisions:
            claims = [one.claim for one in decision.item.citations if any(one.claim)]
            cited.update(all=len(claims), unnamed=sum(not c.document for c in claims), zero=sum(str(c.page) == "0" for c in claims))
            of = {"case_id": entry.case_id, "item": decision.item.item, "tranche": decision.item.tranche}
            asked += [{**of, "rubric": question.rubric} for question in decision.questions]
            questions |= dict.fromkeys(decision.questions)
        while judge and (new := [q for decision in decisions for q in decision.questions if q not in answers]):
            answers |= {question: judge.free_answer(question) or judge.likely(question) for question in new}
            decisions = decisions_of(capability, replace(context, answers=answers))
        later |= dict.fromkeys(answers)
    return list(questions), asked, cited, [question for question in later if question not in questions]


Menu = Callable[[Question], Sequence[str]]  # the verdicts that a question can have; one where a rule answers it
REPLAYS = 400  # of one case; more branches than that are not followed


def reachable_questions(prepared: Prepared, store: DocumentStore, menu: Menu) -> Iterator[tuple[str, Question]]:
    """Every question that the cases can lead to, with its place: case, items and round."""
    for entry, capability, context in _contexts(prepared, store):
        found, is_whole = branches(capability, context, menu)
        for question, (items, number) in found.items():
            when = "first round" if number == 1 else f"round {number}, if the answers lead there"
            yield f"case {entry.case_id}, {', '.join(items)}, {when}", question
        if not is_whole:
            say(f"case {entry.case_id} has more branches than were followed: later rounds can send further questions")


def branches(capability: Capability, context: Context, menu: Menu) -> tuple[dict[Question, tuple[list[str], int]], bool]:
    """Every question of a case in the order in which it is met, with the items that put it and the round; and whether all was followed.
    Followed are the path on which every question gets its first verdict, and, where a question is first met, a path for every other
    verdict: what only two answers together lead to may be missing."""
    found: dict[Question, tuple[list[str], int]] = {}
    paths: list[dict[Question, str]] = [{}]
    replays = 0
    while paths and replays < REPLAYS:
        path, number = paths.pop(), 0
        while replays < REPLAYS:
            replays, number = replays + 1, number + 1
            answers = {question: Answer(verdict) for question, verdict in path.items()}
            decisions = decisions_of(capability, replace(context, answers=answers))
            asked = [(question, decision.item.item) for decision in decisions for question in decision.questions if question not in path]
            paths += [{**path, q: verdict} for q in dict.fromkeys(q for q, _ in asked if q not in found) for verdict in menu(q)[1:]]
            for question, item in asked:
                items, _ = found.setdefault(question, ([], number))
                items += [item] * (item not in items)
            if not asked:
                break
            path |= {question: menu(question)[0] for question, _ in asked}
    return found, not paths


def gold_problems(prepared: Prepared, store: DocumentStore) -> Iterator[Problem]:
    """Everything that gold says and its documents do not, case by case."""
    for entry, capability, context in _contexts(prepared, store):
        if entry.gold is not None and context.documents and context.is_readable:
            own = capability.gold_faults(context.case, context.documents, context.contract)
            for path, message in chain(own, citation_faults(context.case.gold, "gold", context.documents)):
                yield Problem(str(entry.gold.path), line_at(entry.gold, path), path, f"{CODE}: {message}")


def batch_warnings(batch: Path, cited: Mapping[str, int]) -> Iterator[Problem]:
    """What a run would find of citations at many items, once; a batch of which nothing is checked."""
    told = {
        "none": "no case is checked: it holds none, or none that --case, --capability and --limit leave; a run ends with 5",
        "unnamed": "citations without a document: {} of {}; a citation that names none is not complete",
        "zero": "citations to page 0: {} of {}; page 0 is no page, the first one is 1",
    }
    for kind, text in told.items():
        if cited[kind]:
            yield Problem(str(batch), None, "", text.format(cited[kind], cited["all"]))


def gold_warnings(prepared: Prepared, store: DocumentStore) -> Iterator[Problem]:
    """What gold says, the documents do not, and gold may have worked out; gold that misses its own table's row for a right output."""
    contract = prepared.contract if prepared.contract.dimensions is not None else load_contract(WITH_DIMENSIONS)
    for entry, capability, context in _contexts(prepared, store, contract):
        if entry.gold is not None and context.documents and context.is_readable:
            for path, message in capability.gold_doubts(context.case, context.documents):
                yield Problem(str(entry.gold.path), line_at(entry.gold, path), path, f"{CODE}: {message}")
        if entry.gold is not None and context.documents and context.case.criteria:
            for row in missed_by_gold(capability, context):
                yield Problem(str(entry.gold.path), line_at(entry.gold, "criteria"), "criteria", UNMET.format(row=row))
