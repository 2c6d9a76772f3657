"""This project's judge client under the shared benchmark's driver: one rubric call an item, as every peer's script does it.

judge_client.py copies it beside the driver's own scripts, whose `common` it imports. Variants: `impatient` gives an attempt one second
(for servers that hang), `lean` leaves the SDK out of the start-up (a fully cached run never imports it).
"""

import asyncio
import sys
from pathlib import Path

import common

a = common.args()

from judge.llm.judge import Judge  # noqa: E402
from judge.records import Question  # noqa: E402
from judge.settings import Settings  # noqa: E402

LETTERS = {"equivalent": "Y", "partially_equivalent": "A", "not_equivalent": "N", "cannot_determine": "B"}
SETTINGS = Settings(
    judge=a.model,
    concurrency=a.c,
    temperature=0,
    cache_dir=Path(a.cache or "."),
    no_cache=not a.cache,
    timeout=1.0 if a.variant == "impatient" else 60.0,
)


async def main() -> None:
    results: dict[str, str] = {}
    todo = iter(a.data)
    async with Judge.open(SETTINGS) as judge:
        if a.startup:
            if a.variant != "lean":
                import openai  # noqa: F401  # the others' start-up has it too
            return

        async def worker() -> None:
            for item in todo:
                question = Question.of(
                    "semantic_match", field="Summary", reported=item["output"], gold=item["expected"], context=item["input"]
                )
                answer = await judge.ask(question)
                results[item["id"]] = LETTERS.get(answer.verdict or "") or f"{answer.error}: {answer.error_detail}"

        await asyncio.gather(*(worker() for _ in range(a.c)))
        print(judge.usage, file=sys.stderr)
    common.finish(a, results)


asyncio.run(main())
