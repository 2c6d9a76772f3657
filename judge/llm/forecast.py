"""What asking would send and cost, without asking: for `judge check` and `--dry-run`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from judge.llm.judge import Judge
from judge.llm.messages import text_of
from judge.llm.prices import Price
from judge.llm.prompt import Prompt
from judge.llm.settings import JudgeSettings
from judge.records import Question


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking would cost.

    calls: requests when nothing fails; cached, settled: questions that need none. usd None when a model has no price.
    rubrics: calls by rubric id. kept_tokens: of the input, what a provider that keeps prompt beginnings has seen before;
    usd_kept: the cost at its price for them. pictures: pages that go along as pictures, whose tokens are in the input.
    """

    calls: int
    cached: int
    settled: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    rubrics: Mapping[str, int]
    kept_tokens: int = 0
    usd_kept: float | None = None
    pictures: int = 0


EXPECTED_OUTPUT = 120  # tokens of an answer in an estimate: two short texts and a verdict
SHORTEST_KEPT = 1024  # tokens from which on providers keep the beginning of a prompt


class Bill:
    """The sum of some requests. kept: tokens that the provider has seen at the beginning of an earlier one."""

    def __init__(self) -> None:
        self.calls = self.tokens = self.kept = self.pictures = 0
        self.usd = self.usd_kept = 0.0
        self._seen: set[tuple[str, str]] = set()

    def add(self, model: str, prompt: Prompt, price: Price | None) -> None:
        """One request; four characters are a token, and so are 750 pixels of a picture."""
        pictures = sum(picture.tokens for picture in prompt.pictures)
        size, beginning = (len(prompt.system) + len(prompt.user)) // 4 + pictures, len(prompt.system) // 4
        self.pictures += len(prompt.pictures)
        is_kept = beginning >= SHORTEST_KEPT and (model, prompt.system) in self._seen
        self._seen.add((model, prompt.system))
        kept = beginning if is_kept else 0
        self.calls, self.tokens, self.kept = self.calls + 1, self.tokens + size, self.kept + kept
        if price is not None:
            self.usd += price.usd(size, EXPECTED_OUTPUT)
            self.usd_kept += price.usd(size, EXPECTED_OUTPUT, kept)


def estimate(questions: Iterable[Question], settings: JudgeSettings) -> Estimate:
    """Calls, tokens and money that asking would cost, after rules and cache. Sends nothing."""
    judge = Judge(settings, os.environ)
    cached, settled, bill, rubrics = 0, 0, Bill(), Counter[str]()
    is_priced = all(judge.price(model) is not None for model in settings.models)
    for question in questions:
        needed = judge.unanswered(question)
        settled += (is_settled := judge.is_settled(question))
        cached += not needed and not is_settled
        for request in needed:
            bill.add(request.model, request.prompt, judge.price(request.model))
            rubrics[question.rubric] += 1
    judge.close()
    return Estimate(
        bill.calls,
        cached,
        settled,
        bill.tokens,
        bill.calls * EXPECTED_OUTPUT,
        bill.usd if is_priced else None,
        dict(sorted(rubrics.items())),
        bill.kept,
        bill.usd_kept if is_priced else None,
        bill.pictures,
    )


def preview(
    placed: Callable[[Callable[[Question], Sequence[str]]], Iterable[tuple[str, Question]]], settings: JudgeSettings
) -> Iterator[str]:
    """For --dry-run: host, model and every text of each request that would be sent, with its place (case, items, round); the shared text of
    a rubric once. Sends nothing. placed: the questions by the menus of the judge's rubrics."""
    judge, shown, count = Judge(settings, os.environ), set[str](), 0
    for place, question in placed(judge.menu):
        for request in judge.unanswered(question):
            prompt, model, count = request.prompt, request.model, count + 1
            if question.rubric not in shown:
                shown.add(question.rubric)
                yield f"=== with every question of rubric {question.rubric} ===\n{prompt.system}"
            to = f"to {judge.host(model)}, model {model}, rubric {question.rubric}, {place}"
            yield f"=== {to} ===\n{text_of(prompt.messages('CODE')[1])}"
            for one in prompt.pictures:
                yield f"=== with a picture: {one}, {one.kind}, {len(one.data)} bytes, about {one.tokens} tokens ==="
    yield f"=== {count} requests at most leave this machine, beside repetitions; which of the later rounds, the answers decide ==="
    judge.close()
