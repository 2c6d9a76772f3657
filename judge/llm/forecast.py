"""What asking would send and cost, without asking: for `judge check` and `--dry-run`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator

from judge.llm.judge import Judge
from judge.llm.settings import JudgeSettings
from judge.llm.spending import Estimate
from judge.records import Question

EXPECTED_OUTPUT = 120  # tokens of an answer in an estimate: two short texts and a verdict


def estimate(questions: Iterable[Question], settings: JudgeSettings) -> Estimate:
    """Calls, tokens and money that asking would cost, after rules and cache. Sends nothing."""
    judge = Judge(settings, os.environ)
    calls, cached, settled, tokens, usd, rubrics = 0, 0, 0, 0, 0.0, Counter[str]()
    is_priced = all(judge.price(model) is not None for model in settings.models)
    for question in questions:
        needed = judge.unanswered(question)
        settled += (is_settled := judge.is_settled(question))
        cached += not needed and not is_settled
        for request in needed:
            size = (len(request.prompt.system) + len(request.prompt.user)) // 4
            calls, tokens = calls + 1, tokens + size
            usd += price.usd(size, EXPECTED_OUTPUT) if (price := judge.price(request.model)) else 0.0
            rubrics[question.rubric] += 1
    judge.close()
    return Estimate(calls, cached, settled, tokens, calls * EXPECTED_OUTPUT, usd if is_priced else None, dict(sorted(rubrics.items())))


def preview(questions: Iterable[Question], settings: JudgeSettings) -> Iterator[str]:
    """For --dry-run: host, model and every text of each request that would be sent, the shared text of a rubric once. Sends nothing."""
    judge, shown = Judge(settings, os.environ), set[str]()
    for question in questions:
        for request in judge.unanswered(question):
            prompt, model = request.prompt, request.model
            if question.rubric not in shown:
                shown.add(question.rubric)
                yield f"=== with every question of rubric {question.rubric} ===\n{prompt.system}"
            yield f"=== to {judge.host(model)}, model {model}, rubric {question.rubric} ===\n{prompt.messages('CODE')[1]['content']}"
    judge.close()
