"""The cap on money and the file that says what was paid, call by call: no network, no clock."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import BudgetReached, InputError
from judge.results.spending import Budget, Spent, Usage, read_spending
from tests.tables import table

PAID = Spent(judge_calls=1, input_tokens=100, output_tokens=20, usd=0.25)


def reserve(budget: Budget, usd: float) -> int:
    return asyncio.run(budget.reserve("quote_support", usd))


@pytest.mark.parametrize(("usd", "is_reached"), [(0.75, False), (0.7501, True)])
def test_the_cap_itself_may_be_spent(usd: float, is_reached: bool) -> None:
    budget = Budget(1.0)
    budget.count("quote_support", PAID)
    if not is_reached:
        budget.check(usd)
        assert reserve(budget, usd) == 1
        return
    for spend in (lambda: budget.check(usd), lambda: reserve(budget, usd)):
        with pytest.raises(BudgetReached, match=r"budget of 1 USD .* 0\.2500 spent"):
            spend()


def test_without_a_cap_nothing_is_refused() -> None:
    budget = Budget(None)
    budget.check(1e9)
    assert [reserve(budget, 1e9), reserve(budget, 1e9)] == [1, 2] and budget.reserved == 2e9


def test_a_call_waits_for_those_in_flight_and_is_refused_only_by_what_is_spent() -> None:
    async def calls() -> list[str]:
        budget, told = Budget(1.0), list[str]()
        first = await budget.reserve("a", 0.75)
        second = asyncio.create_task(budget.reserve("a", 0.5))
        await asyncio.sleep(0)
        told.append("waits" if not second.done() else "sent")
        budget.settle(first, "a", 0.75, Spent(judge_calls=1, usd=0.25))
        told.append(f"sent as {await second}, {budget.reserved} reserved, {budget.spent} spent")
        third = asyncio.create_task(budget.reserve("a", 0.5))
        await asyncio.sleep(0)
        budget.settle(2, "a", 0.5, Spent(lost_usd=0.5))
        with pytest.raises(BudgetReached):
            await third
        return told

    assert asyncio.run(calls()) == ["waits", "sent as 2, 0.5 reserved, 0.25 spent"]


def test_what_is_settled_is_paid_and_what_is_only_reserved_may_have_been(tmp_path: Path) -> None:
    file = tmp_path / "spending.jsonl"
    budget = Budget(None, file)
    first, second, third = (reserve(budget, 0.5) for _ in range(3))
    budget.settle(first, "quote_support", 0.5, PAID)
    budget.settle(second, "quote_support", 0.5, None)  # never sent
    assert budget.reserved == 0.5
    after_a_kill = read_spending(file)
    assert (after_a_kill.judge_calls, after_a_kill.usd, after_a_kill.lost_usd) == (1, 0.25, 0.5)
    assert after_a_kill.rubrics["quote_support"].lost_usd == 0.5
    budget.settle(third, "quote_support", 0.5, PAID)
    budget.close()
    budget.close()
    again = Budget(None, file)
    assert (again.usage.judge_calls, again.usage.usd, again.usage.lost_usd, again.spent) == (2, 0.5, 0.0, 0.5)
    assert again.usage.rubrics["quote_support"] == Spent(judge_calls=2, input_tokens=200, output_tokens=40, usd=0.5)
    again.close()


def test_a_line_without_its_end_is_none(tmp_path: Path) -> None:
    file = tmp_path / "spending.jsonl"
    file.write_text('{"reserved": 1, "rubric": "a", "usd": 0.5}\n{"settled": 1, "rubric": "a", "spe')
    assert read_spending(file).lost_usd == 0.5
    assert read_spending(tmp_path / "none.jsonl") == read_spending(None) == Usage()


@pytest.mark.parametrize("text", table("budget", "a_file_that_no_run_wrote_is_refused"))
def test_a_file_that_no_run_wrote_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "spending.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match="is not what a run writes"):
        Budget(None, file)


def test_answers_that_cost_nothing_are_counted_apart() -> None:
    budget = Budget(None)
    budget.usage.from_cache("a")
    budget.usage.from_cache("a")
    budget.count("a", Spent(judge_calls=1, unpriced_calls=1))
    assert (budget.usage.cached, budget.usage.judge_calls, budget.usage.unpriced_calls, budget.spent) == (2, 1, 1, 0.0)
    assert budget.usage.rubrics == {"a": Spent(judge_calls=1, cached=2, unpriced_calls=1)}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_reservation_stands_in_the_file_before_the_call(tmp_path: Path) -> None:
    file = tmp_path / "spending.jsonl"
    budget = Budget(2.0, file)
    number = reserve(budget, 0.5)
    assert lines(file)[-1] == {"reserved": number, "rubric": "quote_support", "usd": 0.5}
    budget.settle(number, "quote_support", 0.5, None)
    assert lines(file)[-1] == {"settled": number, "rubric": "quote_support", "spent": None} and budget.reserved == 0
    budget.close()
    assert list(lines(file)[-1]) == ["usage"]
