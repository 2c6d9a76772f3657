"""The price table is data that a user can change."""

from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.llm.forecast import Estimate
from judge.llm.prompt import Prompt
from judge.llm.tokens import FREE, Price, load_prices, price_of
from tests.tables import table


def test_a_dated_model_has_its_base_price_and_another_model_none() -> None:
    prices = load_prices(None)
    assert price_of("gpt-4.1-mini-2025-04-14", prices) == prices["gpt-4.1-mini"]
    assert price_of("gpt-4.1-mini-turbo", prices) is None and price_of("llama:default", prices) is FREE


def test_money_is_per_million_tokens() -> None:
    assert Price(2.0, 8.0).usd(500_000, 250_000) == 3.0


@pytest.mark.parametrize(("price", "usd"), [(Price(2.0, 8.0, 0.5), 2.0), (Price(2.0, 8.0, 0.0), 1.8), (Price(2.0, 8.0), 2.6)])
def test_what_a_provider_has_kept_costs_its_own_price(price: Price, usd: float) -> None:
    assert price.usd(500_000, 200_000, 400_000) == pytest.approx(usd)


def test_a_bill_knows_the_beginnings_that_a_provider_keeps() -> None:
    bill, price = Estimate(), Price(2.0, 8.0, 0.5)
    long, short = Prompt("s" * 4 * 1024, "u" * 400), Prompt("s" * 4 * 1023, "u" * 400)
    for model, prompt in (("a", long), ("b", long), ("a", long), ("a", short), ("a", short)):
        bill.add(model, prompt, price)
    assert (bill.calls, bill.input_tokens, bill.kept_tokens) == (5, 3 * 1124 + 2 * 1123, 1024)
    assert bill.usd == pytest.approx((2.0 * bill.input_tokens + 8.0 * 5 * 120) / 1e6)
    assert bill.usd is not None and bill.usd_kept is not None and bill.usd - bill.usd_kept == pytest.approx(1.5 * 1024 / 1e6)
    bill.add("none", short, None)
    assert bill.calls == 6 and bill.usd is None


def test_a_users_entry_goes_first(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('["gpt-4.1"]\ninput = 1\noutput = 2\n["own"]\ninput = 0\noutput = 0\n')
    prices = load_prices(file)
    assert prices["gpt-4.1"] == Price(1.0, 2.0) and prices["own"] == FREE and "gpt-4o" in prices


@pytest.mark.parametrize("text", table("prices", "a_wrong_table_is_refused_by_name"))
def test_a_wrong_table_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"p\.toml"):
        load_prices(file)
    if "kept" in text:
        with pytest.raises(UsageError, match=r"own\.kept: "):
            load_prices(file)
    with pytest.raises(UsageError, match=r"q\.toml"):
        load_prices(tmp_path / "q.toml")
