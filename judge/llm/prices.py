"""What tokens cost: a table that the user can edit."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from judge.errors import UsageError
from rubrics.named_file import read_settings

_DATE = re.compile(r"-\d{4}(?:-?\d{2}-?\d{2})?$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. cached_input: of a prompt's beginning that the provider has kept; None where that is not cheaper."""

    input: float
    output: float
    cached_input: float | None = None

    def usd(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """What so many tokens cost, of which the input has so many from the provider's cache."""
        cached = self.input if self.cached_input is None else self.cached_input
        return (self.input * (input_tokens - cached_tokens) + cached * cached_tokens + self.output * output_tokens) / 1e6


FREE = Price(0.0, 0.0)


def load_prices(path: Path | None) -> dict[str, Price]:
    """The shipped table with the user's entries before it. Raises UsageError naming file and entry."""
    prices = _parsed(resources.files("judge.llm").joinpath("prices.toml").read_text("utf-8"), "prices.toml")
    if path is not None:
        try:
            prices |= _parsed(read_settings(path), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: the price table cannot be read: {error}") from error
    return prices


def _parsed(text: str, source: str) -> dict[str, Price]:
    try:
        return {model: _price(entry) for model, entry in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{source}: not a TOML file: {error}") from error
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise UsageError(
            f'{source}: every entry is ["model"] with numbers `input` and `output` (and `cached_input`), USD per million tokens: {error}'
        ) from error


def _price(entry: Any) -> Price:
    if set(entry) - {"cached_input"} != {"input", "output"}:
        raise ValueError(f"found the keys {', '.join(entry)}")
    price = Price(**{name: float(value) for name, value in entry.items()})
    if not all(0 <= value < float("inf") for value in (price.input, price.output, price.cached_input or 0.0)):
        raise ValueError("a price must be 0 or more")
    return price


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model; None when the table has none. A model on this machine is free."""
    if model.startswith("llama:"):
        return FREE
    return prices.get(model) or prices.get(_DATE.sub("", model))
