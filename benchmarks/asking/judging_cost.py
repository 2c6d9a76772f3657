"""What judging 1,000 cases of the sample's kind costs with the shipped price table: tokens, kept tokens, US dollars.

    python -m benchmarks.asking.judging_cost [--model gpt-4.1-mini] [--capability document_qa]

Every question of the sample's cases of one capability is counted as often as a judge that finds everything right would be asked it, and the
cases are taken as 1,000 different ones: no question is shared between them, while each rubric's text is kept by the provider after its
first request. Four characters are a token; nothing is sent.
"""

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from judge.capabilities.context import Context
from judge.capabilities.registry import capability_of
from judge.engines.session import document_store, prepare
from judge.llm.forecast import EXPECTED_OUTPUT, SHORTEST_KEPT
from judge.llm.prompt import Forms, render, settled_answer
from judge.llm.tokens import load_prices, price_of
from judge.records import Answer, Question
from judge.settings import Settings

SAMPLE = Path(__file__).parents[2] / "judge" / "samples" / "deal"
CASES = 1000


def sample_questions(capability: str) -> tuple[list[Question], int]:
    """Every question of the sample's cases of a capability, rule by rule, and the number of the cases."""
    forms, found, cases = Forms(()), list[Question](), 0
    with TemporaryDirectory() as cache:
        settings = Settings(gold=SAMPLE / "gold.jsonl", documents=SAMPLE / "documents", cache_dir=Path(cache))
        prepared = prepare(settings, SAMPLE / "batch.jsonl")
        store = document_store(prepared, settings)
        for entry in (e for e in prepared.entries if e.capability == capability):
            cases += 1
            store.prefetch(entry.documents)
            context = Context(prepared.index.load(entry), store.documents(entry.documents), prepared.contract)
            found += asked(context, forms)
    return found, cases


def asked(context: Context, forms: Forms) -> list[Question]:
    """The questions that a case puts to a judge who finds everything right."""
    answers: dict[Question, Answer] = {}
    judge = capability_of(context.case.capability).judge
    while new := [q for d in judge(replace(context, answers=answers)) for q in d.questions if q not in answers]:
        answers |= {q: Answer(next(iter(forms[q.rubric].rubric.choices))) for q in new}
    return [q for q in answers if settled_answer(forms[q.rubric].rubric, q, render(forms[q.rubric], q)) is None]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", default="gpt-4.1-mini")
    parser.add_argument("--capability", default="loan_onboarding")
    given = parser.parse_args()
    model = given.model
    price = price_of(model, load_prices(None))
    questions, cases = sample_questions(given.capability)
    forms, tokens, kept = Forms(()), 0, 0
    for question in questions:
        prompt = render(forms[question.rubric], question)
        tokens += (len(prompt.system) + len(prompt.user)) // 4
        beginning = len(prompt.system) // 4
        kept += beginning if beginning >= SHORTEST_KEPT else 0
    times = CASES / max(1, cases)
    calls = len(questions) * times
    print(f"{cases} cases of {given.capability}, {len(questions)} questions: {dict(Counter(q.rubric for q in questions))}")
    print(f"a question: {tokens / max(1, len(questions)):.0f} input tokens in the mean, {100 * kept / max(1, tokens):.0f} % kept")
    print(f"1,000 cases: {calls:,.0f} questions, {tokens * times:,.0f} input tokens, {kept * times:,.0f} of them kept")
    if price is not None:
        whole = price.usd(int(tokens * times), int(calls * EXPECTED_OUTPUT))
        cheaper = price.usd(int(tokens * times), int(calls * EXPECTED_OUTPUT), int(kept * times))
        print(f"{model}: {whole:.2f} USD, {cheaper:.2f} USD where the provider keeps prompt beginnings")


if __name__ == "__main__":
    main()
