"""Limits on a clock without waiting: places, rates, money, and how long a server asks to wait."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from judge_stub import FakeTime
from rate_limit_simulation import simulate

from judge.errors import BudgetReached
from judge.llm.clock import Clock
from judge.llm.faults import Fault
from judge.llm.limits import Budget, Concurrency, DoorClosed, Rates
from judge.llm.retries import Retries, server_wait


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


# ---- places -----------------------------------------------------------------------------------------------------------


def test_no_more_than_the_limit_are_inside() -> None:
    async def check() -> None:
        places, inside, most = Concurrency(3, FakeTime().clock), 0, 0

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
    places = Concurrency(20, FakeTime().clock)
    places.overloaded(1.0)
    slowed = places.limit
    places.overloaded(1.0)
    assert slowed == places.limit == 14.0  # many rejections of one moment are one message
    for _ in range(60):
        places.succeeded()
    assert places.limit == 20.0


def test_the_limit_never_falls_below_one_and_later_rejections_count_again() -> None:
    time = FakeTime()
    places = Concurrency(8, time.clock)
    for _ in range(30):
        places.overloaded(1.0)
        time.now += 2.0
    assert places.limit == 1.0


def test_when_everything_is_rejected_everybody_waits_as_long_as_asked() -> None:
    async def check() -> None:
        time = FakeTime()
        places = Concurrency(16, time.clock)
        for _ in range(10):
            places.overloaded(20.0)
        await places.enter()
        assert time.slept == [20.0]

    run(check)


def test_single_rejections_between_good_replies_stop_nobody() -> None:
    async def check() -> None:
        time = FakeTime()
        places = Concurrency(16, time.clock)
        for _ in range(40):
            places.overloaded(20.0)
            places.succeeded()
            places.succeeded()
        await places.enter()
        assert time.slept == []

    run(check)


def test_a_cancelled_wait_loses_no_place() -> None:
    async def check() -> None:
        places = Concurrency(1, FakeTime().clock)
        await places.enter()
        waiting = [asyncio.create_task(places.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        places.leave()
        waiting[1].cancel()
        await asyncio.wait_for(waiting[2], 1)
        assert places.in_flight == 1

    run(check)


def test_after_closing_nobody_enters() -> None:
    async def check() -> None:
        places = Concurrency(1, FakeTime().clock)
        await places.enter()
        waiting = asyncio.create_task(places.enter())
        await asyncio.sleep(0)
        places.close()
        for late in (waiting, places.enter()):
            with pytest.raises(DoorClosed):
                await late

    run(check)


# ---- rates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rpm", "tpm", "tokens", "seconds"),
    [(60, None, 10, 60), (None, 60_000, 1000, 60.5), (60, 600_000, 1000, 60), (600, None, 1, 5.6)],
)
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
    assert day.over < 0.03


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
        await budget.reserve(0.6)
        second = asyncio.create_task(budget.reserve(0.6))
        await asyncio.sleep(0)
        assert not second.done()
        budget.settle(0.6, 0.1)
        await asyncio.wait_for(second, 1)
        budget.settle(0.6, 0.6)
        with pytest.raises(BudgetReached, match=r"0\.7000 spent"):
            await budget.reserve(0.4)

    run(check)


# ---- waits and retries ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": format_datetime(datetime.fromtimestamp(1_700_001_030, UTC), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(1_600_000_000, UTC), usegmt=True)}, 0.0),
        ({"retry-after": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m2.5s"}, 62.5),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1m"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms", "retry-after": ""}, 0.02),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "12"}, 12.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
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
