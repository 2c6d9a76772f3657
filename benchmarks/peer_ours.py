"""This project's judge client under the shared benchmark's driver (bench.py): one rubric call an item, as every peer's script does it.

Copied by judge_client.py beside the driver's own scripts, whose `common` it imports. The mock's first choice of every rubric is its
positive one. `--variant random` is for judge_random_verdicts.py.
"""

import asyncio
import sys
from pathlib import Path

import common

a = common.args()

from judge.llm.judge import Judge
from judge.llm.settings import JudgeSettings
from judge.records import Question

settings = JudgeSettings(
    a.model,
    concurrency=a.c,
    temperature=0,
    cache_dir=Path(a.cache) if a.cache else None,
    timeout_s=2.0 if a.variant == "hang" else 60.0,
)


async def main() -> None:
    results: dict[str, object] = {}
    todo = iter(a.data)
    async with Judge.open(settings) as judge:
        if a.startup:
            return

        async def worker() -> None:
            for item in todo:
                question = Question.of(
                    "semantic_match", field="Summary", reported=item["output"], gold=item["expected"], context=item["input"]
                )
                answer = await judge.ask(question)
                results[item["id"]] = (
                    f"{answer.error}: {answer.error_detail}"
                    if answer.verdict is None
                    else ("Y" if answer.verdict == "equivalent" else answer.verdict)
                )

        await asyncio.gather(*(worker() for _ in range(a.c)))
        print(judge.usage, file=sys.stderr)
    common.finish(a, results)


asyncio.run(main())
