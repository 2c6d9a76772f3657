"""The price table is data that a user can change."""

from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.llm.prices import FREE, Price, load_prices, price_of


def test_a_dated_model_has_its_base_price_and_another_model_none() -> None:
    prices = load_prices(None)
    assert price_of("gpt-4.1-mini-2025-04-14", prices) == prices["gpt-4.1-mini"]
    assert price_of("gpt-4.1-mini-turbo", prices) is None and price_of("llama:default", prices) is FREE


def test_money_is_per_million_tokens() -> None:
    assert Price(2.0, 8.0).usd(500_000, 250_000) == 3.0


def test_a_users_entry_goes_first(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('["gpt-4.1"]\ninput = 1\noutput = 2\n["own"]\ninput = 0\noutput = 0\n')
    prices = load_prices(file)
    assert prices["gpt-4.1"] == Price(1.0, 2.0) and prices["own"] == FREE and "gpt-4o" in prices


@pytest.mark.parametrize(
    "text",
    [
        "[own",
        "own = 1",
        "[own]\ninput = 1",
        "[own]\ninput = 1\noutput = -1",
        "[own]\ninput = 1\noutput = nan",
        "[own]\ninput = 'x'\noutput = 1",
    ],
)
def test_a_wrong_table_is_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"p\.toml"):
        load_prices(file)
    with pytest.raises(UsageError, match=r"q\.toml"):
        load_prices(tmp_path / "q.toml")
