"""Limits on a clock without waiting: places, rates, money, and how long a server asks to wait."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from judge_stub import FakeTime
from rate_limit_simulation import simulate

from judge.errors import BudgetReached, InputError, Postponed
from judge.llm.clock import Clock, Stop
from judge.llm.faults import Fault, server_wait
from judge.llm.limits import Concurrency, Rates, Retries
from judge.results.spending import Budget, Spent
from tests.tables import table


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


# ---- places -----------------------------------------------------------------------------------------------------------


def test_no_more_than_the_limit_are_inside() -> None:
    async def check() -> None:
        places, inside, most = Concurrency(3, Stop(FakeTime().clock)), 0, 0

        async def work() -> None:
            nonlocal inside, most
            await places.enter()
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1
            places.leave()

        await asyncio.gather(*(work() for _ in range(50)))
        assert most == 3 and places.in_flight == 0

    run(check)


def test_one_rejection_slows_all_and_good_replies_bring_it_back() -> None:
    places = Concurrency(20, Stop(FakeTime().clock))
    places.overloaded(1.0)
    slowed = places.limit
    places.overloaded(1.0)
    assert slowed == places.limit == 14.0  # many rejections of one moment are one message
    for _ in range(60):
        places.succeeded()
    assert places.limit == 20.0


def test_the_limit_never_falls_below_one_and_later_rejections_count_again() -> None:
    time = FakeTime()
    places = Concurrency(8, Stop(time.clock))
    for _ in range(30):
        places.overloaded(1.0)
        time.now += 2.0
    assert places.limit == 1.0


def test_when_everything_is_rejected_everybody_waits_as_long_as_asked() -> None:
    async def check() -> None:
        time = FakeTime()
        places = Concurrency(16, Stop(time.clock))
        for _ in range(10):
            places.overloaded(20.0)
        await places.enter()
        assert time.slept == [20.0]

    run(check)


def test_single_rejections_between_good_replies_stop_nobody() -> None:
    async def check() -> None:
        time = FakeTime()
        places = Concurrency(16, Stop(time.clock))
        for _ in range(40):
            places.overloaded(20.0)
            places.succeeded()
            places.succeeded()
        await places.enter()
        assert time.slept == []

    run(check)


def test_a_cancelled_wait_loses_no_place() -> None:
    async def check() -> None:
        places = Concurrency(1, Stop(FakeTime().clock))
        await places.enter()
        waiting = [asyncio.create_task(places.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        places.leave()
        waiting[1].cancel()
        await asyncio.wait_for(waiting[2], 1)
        assert places.in_flight == 1

    run(check)


def test_after_a_stop_nobody_enters_and_nobody_sleeps_on() -> None:
    async def check() -> None:
        stop = Stop(Clock())
        places = Concurrency(1, stop)
        await places.enter()
        waiting = [asyncio.create_task(places.enter()), asyncio.create_task(stop.clock.sleep(1000))]
        await asyncio.sleep(0)
        stop.set()
        for late in (*waiting, places.enter(), stop.clock.sleep(1000)):
            with pytest.raises(Postponed):
                await asyncio.wait_for(late, 5)

    run(check)


# ---- rates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rpm", "tpm", "tokens", "seconds"), table("limits", "a_minutes_worth_does_not_go_at_once"))
def test_a_minutes_worth_does_not_go_at_once(rpm: float | None, tpm: float | None, tokens: int, seconds: float) -> None:
    async def check() -> None:
        time = FakeTime()
        rates = Rates(rpm, tpm, time.clock)
        start = time.now
        for _ in range(60):
            await rates.take(tokens)
        assert time.now - start == pytest.approx(seconds, abs=1.0)

    run(check)


def test_unused_tokens_are_given_back_and_a_large_request_is_not_refused() -> None:
    async def check() -> None:
        time = FakeTime()
        rates = Rates(None, 6000, time.clock)  # 100 a second
        await rates.take(500)
        assert time.slept == [pytest.approx(450 / 98.3, abs=0.01)]  # 50 may go at once, and a sixtieth of the limit is never used
        rates.correct(500, 100)
        await rates.take(50)
        assert len(time.slept) == 1

    run(check)


def test_who_gives_up_waiting_takes_nothing_and_the_next_one_goes() -> None:
    async def check() -> None:
        rates = Rates(None, 60_000, Clock())
        await rates.take(500)
        long, short = asyncio.create_task(rates.take(10**9)), asyncio.create_task(rates.take(1))
        await asyncio.sleep(0)
        long.cancel()
        await asyncio.wait_for(short, 1)

    run(check)


@pytest.mark.parametrize("characters", [(400, 900), (1200, 3600)], ids=["requests bind", "tokens bind"])
@pytest.mark.parametrize("concurrency", [16, 200])
def test_a_strict_provider_never_rejects_and_hardly_a_second_is_lost(characters: tuple[int, int], concurrency: int) -> None:
    day = simulate(2000, rpm=500, tpm=200_000, concurrency=concurrency, characters=characters)
    assert day.rejected == 0
    assert day.over < 0.035  # of which the first question, which goes alone, takes one round trip


def test_without_limits_nothing_waits() -> None:
    async def check() -> None:
        time = FakeTime()
        for _ in range(1000):
            await Rates(None, None, time.clock).take(10**9)
        assert time.slept == []

    run(check)


# ---- money ------------------------------------------------------------------------------------------------------------


def test_a_reservation_waits_for_those_in_flight_and_then_goes_or_is_refused() -> None:
    async def check() -> None:
        budget = Budget(1.0)
        first = await budget.reserve("r", 0.6)
        second = asyncio.create_task(budget.reserve("r", 0.6))
        await asyncio.sleep(0)
        assert not second.done()
        budget.settle(first, "r", 0.6, Spent(usd=0.1))
        await asyncio.wait_for(second, 1)
        budget.settle(second.result(), "r", 0.6, Spent(lost_usd=0.6))
        with pytest.raises(BudgetReached, match=r"0\.7000 spent"):
            await budget.reserve("r", 0.4)

    run(check)


def test_what_was_spent_outlives_a_kill_and_an_open_reservation_counts_in_full(tmp_path: Path) -> None:
    """The budget is never closed, as by SIGKILL; then the last line is cut off too, as by a full disk."""
    file = tmp_path / "spending.jsonl"

    async def spend() -> None:
        budget = Budget(2.0, file)
        budget.settle(await budget.reserve("a", 0.3), "a", 0.3, Spent(1, 0, 100, 20, 0.125))
        budget.settle(await budget.reserve("b", 0.3), "b", 0.3, Spent(lost_usd=0.25))
        budget.settle(await budget.reserve("b", 0.3), "b", 0.3, None)
        await budget.reserve("b", 0.0625)

    run(spend)
    usage = Budget(2.0, file).usage
    assert (usage.usd, usage.lost_usd, usage.judge_calls, usage.input_tokens) == (0.125, 0.3125, 1, 100)
    assert (usage.rubrics["a"].usd, usage.rubrics["b"].lost_usd, usage.rubrics["b"].judge_calls) == (0.125, 0.3125, 0)
    run(spend)
    assert Budget(1.0, file).spent == 2 * 0.4375

    async def more() -> None:
        budget = Budget(1.0, file)
        await budget.reserve("c", 0.0625)
        with pytest.raises(BudgetReached):
            await budget.reserve("c", 0.25)

    run(more)
    file.write_bytes(file.read_bytes()[:-5])
    assert Budget(1.0, file).spent == 2 * 0.4375


@pytest.mark.parametrize("content", ["[]", "{}", '{"reserved": {}}', "nonsense", '{"settled": 1, "x": 2}', '{"usage": {"usd": 1}}'])
def test_a_spending_file_that_no_run_wrote_is_said(content: str, tmp_path: Path) -> None:
    (tmp_path / "s").write_text(content + "\n")
    with pytest.raises(InputError, match="--fresh"):
        Budget(1.0, tmp_path / "s")


# ---- waits and retries ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("headers", "wait"), table("limits", "every_form_of_asking_to_wait"))
def test_every_form_of_asking_to_wait(headers: dict[str, str], wait: float | None) -> None:
    assert server_wait(headers, FakeTime().clock) == (None if wait is None else pytest.approx(wait, abs=1e-6))


def test_without_a_word_from_the_server_waits_double_with_jitter() -> None:
    async def check() -> None:
        time = FakeTime()

        async def fail() -> None:
            raise Fault("transport", "retry", "HTTP 500")

        with pytest.raises(Fault):
            await Retries(6, time.clock).run(fail, lambda: 1e9)
        assert len(time.slept) == 6
        for wait, most in zip(time.slept, [0.5, 1, 2, 4, 8, 16], strict=True):
            assert most / 2 <= wait <= most

    run(check)


def test_other_faults_are_not_retried() -> None:
    async def check() -> None:
        time, attempts = FakeTime(), 0

        async def fail() -> None:
            nonlocal attempts
            attempts += 1
            raise Fault("refusal", "give_up", "no")

        with pytest.raises(Fault):
            await Retries(6, time.clock).run(fail, lambda: 1e9)
        assert attempts == 1 and time.slept == []

    run(check)
