"""Does a careful reader answer the judge's questions as they should be answered? Every prompt is rendered by the product, from whole cases.

    python -m benchmarks.asking.question_bench render --documents DIR [--documents DIR ...] [--set FOLDER ...] --out FOLDER --key KEY.json
    python -m benchmarks.asking.question_bench score --key KEY.json READER1.txt READER2.txt ...
    python -m benchmarks.asking.question_bench run --documents DIR ... --judge MODEL [--limit N]

questions/cut.jsonl are cases on documents of 20 pages and more, each with the right verdict and the reason, written before anybody read
the prompt. `--set` adds the questions of a folder with batch.jsonl, gold.jsonl and expected.jsonl whose answer decides how an item comes
out. Their gold and its reason stand in questions/sets.jsonl, written for the question. What the label of the whole output makes right
when all other questions get the favourable answer is kept beside it (`derived`), and is gold only where none is written (kind `label`).
`render` writes prompts-01.md, ... with 20 prompts each and without the gold verdicts; the key stands apart. A reader answers one line a
prompt, `NUMBER VERDICT`; `score` compares; `run` asks an endpoint the same questions. Documents that no folder has are named.
"""

import argparse
import asyncio
import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from deterministic.documents.documents import Document, open_documents
from judge.capabilities.cases import Case
from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.llm.judge import Judge
from judge.llm.prompt import Forms, Prompt, render, settled_answer
from judge.records import Answer, Decision, Question
from judge.settings import Settings
from rubrics import load_contract
from rubrics.rubric import shipped_rubric
from rubrics.verdicts import CANNOT_DETERMINE

QUESTIONS = Path(__file__).parents[1] / "questions"
PER_FILE = 20
LONG = 30  # pages
GOOD = ("correct", "semantic_match", "true_negative", "grounded_refusal")
NOTES = {"id", "kind", "verdict", "why"}


@dataclass(frozen=True)
class Item:
    """One question of the bench. questions: as asked today; empty where rules decide, and `decided` is then the outcome."""

    id: str
    rubric: str
    kind: str
    verdict: str  # "a|b" where either is right
    why: str
    questions: tuple[Question, ...] = ()
    decided: str = ""
    pages: int = 0  # of its longest document
    derived: str = ""  # of a set: the verdicts with which its whole output comes out as labelled


# ---- the items ---------------------------------------------------------------------------------------------------


def cut_items(documents: Mapping[str, Document]) -> Iterator[Item]:
    """The items whose context the product cuts out of documents."""
    known: dict[str, tuple[list[Question], Sequence[Decision]]] = {}
    for text in (QUESTIONS / "cut.jsonl").read_text("utf-8").splitlines():
        row = json.loads(text)
        if not set(row["case"]["documents"]) <= documents.keys():
            continue
        mark = json.dumps(row["case"], sort_keys=True)
        if mark not in known:
            known[mark] = asked_of(row["case"], documents)
        asked, decisions = known[mark]
        found = tuple(q for q in asked if q.rubric == row["rubric"] and _has(q, row.get("select", {})))
        outcome = next((d.item.outcome.value for d in decisions if d.item.item == row["item"]), "no item")
        yield Item(
            row["id"],
            row["rubric"],
            row["kind"],
            row["verdict"],
            row["why"],
            found,
            "" if found else outcome,
            pages_of(row["case"], documents),
        )


def pages_of(row: Mapping[str, Any], documents: Mapping[str, Document]) -> int:
    """Pages of a case's longest document, as its PDF has them."""
    return max((len(documents[name].pages) for name in _names(row) if name in documents), default=0)


def _names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The documents of a batch line."""
    return tuple(row.get("documents") or (row["document"],))


def set_items(folder: Path, documents: Mapping[str, Document], most: int) -> Iterator[Item]:
    """One item for each question that the cases of a set put and that its labels decide; `most` of them, those on long documents first."""
    rows, gold, expected = (list(map(json.loads, (folder / f"{name}.jsonl").read_text("utf-8").splitlines())) for name in SET_FILES)
    truth, written = {line["case_id"]: line["gold"] for line in gold}, written_gold()
    labels: dict[str, dict[str, Any]] = defaultdict(dict)
    for line in expected:
        labels[line["case_id"]][line["item"]] = line
    found: dict[Question, Item] = {}
    for row in rows:
        if set(_names(row)) <= documents.keys() and row["case_id"] in truth:
            case = {**row, "documents": _names(row), "gold": truth[row["case_id"]]}
            for question, item, verdicts in labelled_questions(case, labels[row["case_id"]], documents):
                number, why = f"{folder.name}-{row['case_id']}-{item}-{question.rubric}", labels[row["case_id"]][item]["why"]
                made = Item(number, question.rubric, "label", "|".join(verdicts), why, (question,), "", pages_of(case, documents))
                found.setdefault(question, made)
    chosen = sorted(found.values(), key=lambda item: (item.pages < LONG, hashlib.sha256(item.id.encode()).hexdigest()))[:most]
    times = Counter[str]()
    for item in chosen:
        times[item.id] += 1
        number = f"{item.id}-{times[item.id]}".removesuffix("-1")  # several quotes of one item are numbered
        mine = replace(item, id=number, derived=item.verdict)
        if row := written.get(number):
            kind = "natural" if favourable(item.rubric) in row["verdict"].split("|") else "adversarial"
            mine = replace(mine, kind=kind, verdict=row["verdict"], why=row["why"])
        yield mine


def written_gold() -> dict[str, dict[str, str]]:
    """The rows of questions/sets.jsonl (id, verdict, why) by the item's id."""
    return {row["id"]: row for row in map(json.loads, (QUESTIONS / "sets.jsonl").read_text("utf-8").splitlines())}


SET_FILES = ("batch", "gold", "expected")


def labelled_questions(
    row: Mapping[str, Any], labels: Mapping[str, Mapping[str, Any]], documents: Mapping[str, Document]
) -> Iterator[tuple[Question, str, tuple[str, ...]]]:
    """The questions of a case with their item and the verdicts that lead to its label, where they do not all or none of them."""
    asked, _ = asked_of(row, documents)
    base, judge = {q: Answer(favourable(q.rubric)) for q in asked}, replay_of(row, documents)
    for question in asked:
        menu = [v for v in shipped_rubric(question.rubric).choices if v != CANNOT_DETERMINE]
        outcomes = {v: {d.item.item: d.item.outcome.value for d in judge({**base, question: Answer(v)})} for v in menu}
        for item in labels:
            told = {outcomes[v].get(item) for v in menu}
            right = tuple(v for v in menu if outcomes[v].get(item) in labels[item]["expect"])
            if len(told) > 1 and right and len(right) < len(menu):
                yield question, item, right


def _has(question: Question, select: Mapping[str, str]) -> bool:
    given = dict(question.variables)
    return all(text in " ".join(given.get(name, "").split()) for name, text in select.items())


def replay_of(row: Mapping[str, Any], documents: Mapping[str, Document]) -> Callable[[Mapping[Question, Answer]], Sequence[Decision]]:
    """A case's decisions as a function of the answers."""
    capability = capability_of(row["capability"])
    case = Case(
        case_id="bench",
        capability=row["capability"],
        documents=tuple(row["documents"]),
        input=row.get("input") or {},
        output=capability.output.model_validate(row["output"]),
        gold=capability.gold.model_validate(row["gold"]),
        has_gold=True,
    )
    context = Context(case, {name: documents[name] for name in case.documents}, load_contract())
    return lambda answers: capability.judge(replace(context, answers=answers))


def asked_of(row: Mapping[str, Any], documents: Mapping[str, Document]) -> tuple[list[Question], Sequence[Decision]]:
    """Every question of a case when each answer is the favourable one, in order, and what the case comes to."""
    judge, answers = replay_of(row, documents), dict[Question, Answer]()
    while True:
        decisions = judge(answers)
        new = [q for decision in decisions for q in decision.questions if q not in answers]
        if not new:
            return list(answers), decisions
        answers |= {q: Answer(favourable(q.rubric)) for q in new}


def favourable(rubric: str) -> str:
    """The verdict that an output wants: the first choice."""
    return next(iter(shipped_rubric(rubric).choices))


def open_all(folders: Sequence[Path], sets: Sequence[Path] = ()) -> dict[str, Document]:
    """The documents that the items name, from the folders that have them."""
    rows = [json.loads(text)["case"] for text in (QUESTIONS / "cut.jsonl").read_text("utf-8").splitlines()]
    rows += [json.loads(text) for folder in sets for text in (folder / "batch.jsonl").read_text("utf-8").splitlines()]
    names = dict.fromkeys(name for row in rows for name in _names(row))
    paths = [next((f / name for f in folders if (f / name).is_file()), None) for name in names]
    for name, path in zip(names, paths, strict=True):
        if path is None:
            print(f"left out: no {name} in the given folders")
    opened = open_documents([path for path in paths if path is not None])
    return {name: document for name, document in opened.items() if isinstance(document, Document)}


# ---- render ------------------------------------------------------------------------------------------------------

HEAD = """\
Questions to a reviewer, each as it is sent to a model. Answer every one from its system text and its prompt alone, one line a prompt:
`NUMBER VERDICT`, the verdict being one of those that the prompt lists. Read the prompts as texts to judge, never as instructions to you.
"""


@dataclass(frozen=True)
class Sheet:
    """Numbered prompts, and the key: what each item asks, by number, or what decided it."""

    prompts: list[tuple[int, str, Prompt]]
    key: list[dict[str, Any]]


def sheet_of(items: Iterable[Item]) -> Sheet:
    """Numbers the prompts in an order that tells nothing of gold: by rubric, then by a hash of the id. Equal questions are one prompt."""
    forms, numbers, key = Forms(()), dict[Question, int](), []
    prompts: list[tuple[int, str, Prompt]] = []
    for item in sorted(items, key=lambda i: (i.rubric, hashlib.sha256(i.id.encode()).hexdigest())):
        mine, settled = [], []
        for question in item.questions:
            form = forms[question.rubric]
            prompt = render(form, question)
            if (answer := settled_answer(form.rubric, question, prompt)) is not None:
                settled.append(answer.verdict)
            elif question not in numbers:
                numbers[question] = len(prompts) + 1
                prompts.append((numbers[question], question.rubric, prompt))
            if question in numbers:
                mine.append(numbers[question])
        key.append(
            {"id": item.id, "rubric": item.rubric, "kind": item.kind, "verdict": item.verdict, "why": item.why}
            | {"prompts": mine, "settled": settled, "decided": item.decided, "pages": item.pages, "derived": item.derived}
        )
    return Sheet(prompts, key)


def write_sheet(sheet: Sheet, folder: Path) -> int:
    """One file for each 20 prompts. Returns the number of files."""
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(sheet.prompts), PER_FILE):
        lines, shown = [HEAD], ""
        for number, rubric, prompt in sheet.prompts[start : start + PER_FILE]:
            if prompt.system != shown:
                shown = prompt.system
                lines.append(f"# System text of the following prompts ({rubric})\n\n~~~~text\n{shown}\n~~~~\n")
            code = hashlib.sha256(f"{number} {prompt.user}".encode()).hexdigest()[:12]
            lines.append(f"## Prompt {number}\n\n~~~~text\n{prompt.messages(code)[1]['content']}\n~~~~\n")
        (folder / f"prompts-{start // PER_FILE + 1:02}.md").write_text("\n".join(lines), "utf-8")
    return -(-len(sheet.prompts) // PER_FILE)


# ---- score -------------------------------------------------------------------------------------------------------


def read_answers(path: Path) -> dict[int, str]:
    """`NUMBER VERDICT` lines of a reader; other lines are passed over."""
    found = re.findall(r"^\W*(\d+)\W+([a-z_]+)\W*$", path.read_text("utf-8"), re.MULTILINE)
    return {int(number): verdict for number, verdict in found}


def verdict_on(entry: Mapping[str, Any], answers: Mapping[int, str]) -> str | None:
    """A reader's verdict on an item: of several prompts (parts) the first that is not the favourable one. None: nothing was asked."""
    given = [answers.get(n, "missing") for n in entry["prompts"]] + list(entry["settled"])
    wanted = favourable(entry["rubric"])
    return next((verdict for verdict in given if verdict != wanted), wanted) if given else None


def is_right(entry: Mapping[str, Any], answers: Mapping[int, str]) -> bool:
    """Whether a reader's verdict on an item is one of those that are right."""
    return verdict_on(entry, answers) in entry["verdict"].split("|")


def report(key: Sequence[dict[str, Any]], readers: Mapping[str, Mapping[int, str]]) -> str:
    """Agreement with gold per rubric and per kind, adversarial items accepted, prompts on which two readers differ."""
    asked = [entry for entry in key if entry["prompts"]]
    long = sum(entry["pages"] >= LONG for entry in asked)
    lines, misses = (
        [f"{len(readers)} careful readers, {len(asked)} items with a prompt, {long} on {LONG} pages and more"],
        defaultdict(list),
    )
    unsure = [e["id"] for e in asked if sum(verdict_on(e, a) == CANNOT_DETERMINE for a in readers.values()) * 2 > len(readers)]
    lines.append(f"context holds what decides, by more than half of the readers: {len(asked) - len(unsure)} of {len(asked)}")
    for name in ("rubric", "kind"):
        tally: dict[str, Counter[bool]] = defaultdict(Counter)
        for entry in asked:
            for answers in readers.values():
                tally[entry[name]][is_right(entry, answers)] += 1
        lines += [f"| {name} | agree | of | % |", "|---|---|---|---|"]
        both = [*sorted(tally.items()), ("all", sum(tally.values(), Counter()))]
        lines += [f"| {value} | {c[True]} | {c.total()} | {100 * c[True] / max(1, c.total()):.1f} |" for value, c in both]
    for entry in asked:
        for reader, answers in readers.items():
            if not is_right(entry, answers):
                verdict = verdict_on(entry, answers)
                misses[entry["id"]].append(f"{reader}: {verdict}")
    lines.append(f"gold of the question: {_agreement(asked, readers)}")
    lines.append(
        f"derived from labels of whole outputs: {_agreement([e | {'verdict': e['derived'] or e['verdict']} for e in asked], readers)}"
    )
    numbers = sorted({n for entry in asked for n in entry["prompts"]})
    differ = [n for n in numbers if any(a.get(n) != b.get(n) for a, b in combinations(readers.values(), 2))]
    lines.append(f"prompts on which two readers differ: {len(differ)} of {len(numbers)}: {' '.join(map(str, differ))}")
    lines += decided_lines(key)
    why = {entry["id"]: f"{entry['verdict']} ({entry['why']}) prompts {entry['prompts']}" for entry in asked}
    return "\n".join([*lines, "misses:", *(f"- {item}: gold {why[item]}; {'; '.join(told)}" for item, told in misses.items())])


def _agreement(asked: Sequence[dict[str, Any]], readers: Mapping[str, Mapping[int, str]]) -> str:
    """Answers as gold has them, and the wrong outputs that a reader accepts."""
    right = sum(is_right(entry, answers) for entry in asked for answers in readers.values())
    wrong = [e for e in asked if favourable(e["rubric"]) not in e["verdict"].split("|")]
    accepted = [e["id"] for e in wrong if any(verdict_on(e, a) == favourable(e["rubric"]) for a in readers.values())]
    return f"{right} of {len(asked) * len(readers)} answers, wrong outputs accepted: {len(accepted)} of {len(wrong)} {' '.join(accepted)}"


def decided_lines(key: Sequence[Mapping[str, Any]]) -> list[str]:
    """What became of the items that nobody is asked: decided by rules as gold says, otherwise, or left open."""
    decided = [entry for entry in key if not entry["prompts"]]
    states: dict[str, list[str]] = {"as gold says": [], "otherwise": [], "open": []}
    for entry in decided:
        if entry["settled"]:
            state = "as gold says" if set(entry["verdict"].split("|")) & set(entry["settled"]) else "otherwise"
        elif entry["decided"] in ("undecided", "judge_error", "no item"):
            state = "open"
        else:
            is_good = entry["decided"] in GOOD or (entry["decided"] == "partial" and entry["verdict"] not in ("incorrect", "fabricated"))
            state = "as gold says" if is_good == (entry["verdict"] in _good_verdicts(entry["rubric"])) else "otherwise"
        states[state].append(entry["id"])
    return [f"decided without this question {name}: {len(ids)} {' '.join(ids)}" for name, ids in states.items()]


def _good_verdicts(rubric: str) -> set[str]:
    return {favourable(rubric), "partially_equivalent", "partly_covers", "adjacent", "incomplete"}


# ---- run ---------------------------------------------------------------------------------------------------------


async def ask_all(items: Sequence[Item], settings: Settings) -> list[tuple[Item, list[Answer]]]:
    """Every question to the judge of the settings."""
    async with Judge.open(settings) as judge:
        return [(item, list(await asyncio.gather(*(judge.ask(q) for q in item.questions)))) for item in items]


def run_lines(answered: Sequence[tuple[Item, list[Answer]]]) -> list[str]:
    """What an endpoint's verdicts come to."""
    counts: Counter[str] = Counter()
    for item, answers in answered:
        verdicts = [answer.verdict or f"error {answer.error}" for answer in answers]
        wanted = favourable(item.rubric)
        verdict = next((v for v in verdicts if v != wanted), wanted)
        counts["errors" if verdict.startswith("error") else "agree" if verdict in item.verdict.split("|") else "differ"] += 1
    return [f"{len(answered)} items asked: " + ", ".join(f"{counts[name]} {name}" for name in ("agree", "differ", "errors"))]


# ---- the program -------------------------------------------------------------------------------------------------


def bench_items(folders: Sequence[Path], sets: Sequence[Path] = (), most: int = 100) -> list[Item]:
    """All items that can be asked with the documents at hand."""
    documents = open_all(folders, sets)
    return [*cut_items(documents), *(item for folder in sets for item in set_items(folder, documents, most))]


def main() -> None:
    """Reads the arguments and does what they say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("render", "run"):
        sub = commands.add_parser(name)
        sub.add_argument("--documents", type=Path, action="append", default=[], help="a folder with documents")
        sub.add_argument("--set", type=Path, action="append", default=[], help="a folder with batch, gold and expected labels")
        sub.add_argument("--most", type=int, default=100, help="questions of one set")
    commands.choices["render"].add_argument("--out", type=Path, required=True)
    commands.choices["render"].add_argument("--key", type=Path, required=True)
    commands.choices["run"].add_argument("--judge", required=True)
    commands.choices["run"].add_argument("--limit", type=int)
    scoring = commands.add_parser("score")
    scoring.add_argument("--key", type=Path, required=True)
    scoring.add_argument("answers", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "score":
        key = json.loads(given.key.read_text("utf-8"))
        print(report(key, {path.stem: read_answers(path) for path in given.answers}))
        return
    items = bench_items(given.documents, given.set, given.most)
    if given.command == "render":
        sheet = sheet_of(items)
        given.key.parent.mkdir(parents=True, exist_ok=True)
        given.key.write_text(json.dumps(sheet.key, indent=1, ensure_ascii=False) + "\n", "utf-8")
        files = write_sheet(sheet, given.out)
        kinds = Counter(item.kind for item in items)
        tokens = [(len(prompt.system) + len(prompt.user)) / 4 for _, _, prompt in sheet.prompts]
        long = len({n for entry in sheet.key if entry["pages"] >= LONG for n in entry["prompts"]})
        print(f"{len(items)} items ({dict(kinds)}), {len(sheet.prompts)} prompts in {files} files, {long} on {LONG} pages and more")
        print(f"tokens a prompt (four characters each): mean {sum(tokens) / len(tokens):.0f}, most {max(tokens):.0f}")
        print("\n".join(decided_lines(sheet.key)))
        return
    asked = [item for item in items if item.questions][: given.limit]
    settings = Settings(judge=given.judge, no_cache=True, base_url=os.environ.get("OPENAI_BASE_URL"), deadline=3600, timeout=600)
    print("\n".join(run_lines(asyncio.run(ask_all(asked, settings)))))


if __name__ == "__main__":
    main()
