"""Margin grids with conditions, compared level by level: what is the same in other notation, and what is not."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.values.comparison import Surroundings
from deterministic.values.rate_steps import read_steps
from deterministic.values.rates import compare

LEVERAGE = "the ratio of Total Funded Debt to Pro Forma EBITDA is"
GRID = (
    f"LIBOR Rate Loans: 1.75% if {LEVERAGE} equal to or greater than 2.0 to 1.0; 1.50% if equal to or greater than 1.5 to 1.0 "
    "but less than 2.0 to 1.0; 1.25% if less than 1.5 to 1.0"
)
FEE = f".35% if {LEVERAGE} equal to or greater than 2.0 to 1.0; .30% if less than 2.0 to 1.0"
USAGE = "0.50% per annum if Utilisation is less than 33%; 0.375% per annum if Utilisation is at least 33%"
THIRDS = "0.80% if Drawn Amount is less than 1/3 of the Limit; 0.60% if at least 1/3 and less than 2/3; 0.40% if at least 2/3"
QUOTE = "LIBOR ABR Equal to or Greater than 2.0 to 1.0 1.75% .000% Less than 1.5 to 1.0 1.25% .000%"


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("LIBOR: 1.75% (ratio ≥ 2.0 to 1.0); 1.50% (≥ 1.5 to 1.0 but < 2.0 to 1.0); 1.25% (< 1.5 to 1.0)", GRID, "semantic_match"),
        ("LIBOR 1.75% / 1.50% / 1.25% (ratio ≥ 2.0 / ≥ 1.5 < 2.0 / < 1.5)", GRID, "semantic_match"),
        ("LIBOR Rate Loans 175 bps (≥2.0x), 150 bps (≥1.5x), 125 bps (<1.5x)", GRID, "semantic_match"),  # each level reaches to the next
        ("0.35% if leverage ≥ 2.0x; 0.30% if < 2.0x", FEE, "semantic_match"),
        ("≥ 2.0:1: 35 bps; below 2.0:1: 30 bps", FEE, "semantic_match"),
        ("Utilisation < 33%: 50 bps p.a.; ≥ 33%: 37.5 bps p.a.", USAGE, "semantic_match"),
        ("LIBOR: 1.75% (≥ 2.0x); 1.50% (≥ 1.5x but < 2.0x)", GRID, "partial"),
        ("LIBOR: 1.25% (≥ 2.0x); 1.50% (≥ 1.5x but < 2.0x); 1.75% (< 1.5x)", GRID, "wrong"),
        ("0.30% if leverage ≥ 2.0x; 0.35% if < 2.0x", FEE, "wrong"),
        ("0.35% if leverage ≥ 2.0x; 0.25% if < 2.0x", FEE, "wrong"),
        ("80 bps (<1/3 drawn) / 60 bps (1/3 to <2/3) / 40 bps (>=2/3)", THIRDS, "semantic_match"),
        (
            "0.80% while the Drawn Amount is less than one-third of the Limit, 0.60% while it is at least one-third but less than "
            "two-thirds, and 0.40% while it is two-thirds or more",
            THIRDS,
            "semantic_match",
        ),
        ("40 bps (<1/3 drawn) / 60 bps (1/3 to <2/3) / 80 bps (>=2/3)", THIRDS, "wrong"),
        ("80 bps (<1/3 drawn) / 60 bps (1/3 to <1/2) / 40 bps (>=1/2)", THIRDS, "open"),
        ("80 bps (<=1/3 drawn) / 60 bps (>1/3 to <=2/3) / 40 bps (>2/3)", THIRDS, "open"),
        ("35 bps (2.0x or more); 30 bps (below 2.0x)", FEE, "semantic_match"),
        # the nearest that must not win: another end of an interval, another ratio, a date, an exception, another kind of loan
        ("0.35% if leverage > 2.0x; 0.30% if ≤ 2.0x", FEE, "open"),
        ("0.35% if leverage ≥ 2.5x; 0.30% if < 2.5x", FEE, "open"),
        ("0.35% if utilisation ≥ 2.0x; 0.30% if < 2.0x", FEE, "open"),
        ("0.50% if leverage < 33%; 0.375% if ≥ 33%", USAGE, "open"),
        ("0.35% if leverage ≥ 2.0x; 0.30% if < 2.0x until 30 June 2003", FEE, "open"),
        ("0.35% if leverage ≥ 2.0x; 0.30% if < 2.0x, except for swingline loans", FEE, "open"),
        ("ABR: 1.75% (≥ 2.0x); 1.50% (≥ 1.5x but < 2.0x); 1.25% (< 1.5x)", GRID, "open"),
        ("LIBOR 1.75% (≥2.0x), 1.50% (≥1.5x), 1.25% (<1.5x); ABR flat", GRID, "open"),
    ],
)
def test_levels_are_compared_with_their_conditions(reported: str, gold: str, label: str) -> None:
    assert compare(reported, gold, (), Surroundings((QUOTE,))).label == label


@pytest.mark.parametrize(
    ("beside", "label"),
    [("ABR: 0%", "semantic_match"), ("ABR: 0.10%", "open"), ("Prime: .75% (≥ 2.0x), .50% (< 2.0x)", "open")],
)
def test_rates_of_a_kind_that_gold_leaves_out_must_be_quoted(beside: str, label: str) -> None:
    reported = f"LIBOR: 1.75% (≥ 2.0x); 1.50% (≥ 1.5x but < 2.0x); 1.25% (< 1.5x). {beside}"
    assert compare(reported, GRID, (), Surroundings((QUOTE,))).label == label


def test_rates_of_another_kind_beside_a_grid_in_other_words_are_no_fault() -> None:
    gold = "SOFR loans: 2.00% or 1.75% by rating"
    assert compare("SOFR: 2.00% / 1.75% as per the ratings; ABR: 1.00% / 0.75%", gold, (), Surroundings()).label == "open"
    assert compare("SOFR: 2.25% / 1.75% as per the ratings; ABR: 1.00% / 0.75%", gold, (), Surroundings()).label == "wrong"


levels = st.lists(st.integers(1, 40), min_size=2, max_size=5, unique=True).map(sorted)
NOTATIONS = [
    ("{rate}% (≥ {low}x)", "{rate}% (≥ {low}x, < {high}x)", "{rate}% (< {high}x)", "; "),
    (
        "{bps} bps if the ratio is at least {low}:1",
        "{bps} bps if at least {low}:1 but below {high}:1",
        "{bps} bps if below {high}:1",
        ", ",
    ),
    (
        "equal to or greater than {low} to 1.0: {rate} per cent.",
        "equal to or greater than {low} to 1.0 but less than {high} to 1.0: {rate} per cent.",
        "less than {high} to 1.0: {rate} per cent.",
        "\n",
    ),
]


def written(bounds: list[int], rates: list[int], notation: int) -> str:
    """The grid whose level i is for ratios from bounds[i] on (the last: below all)."""
    first, middle, last, between = NOTATIONS[notation]
    ends = [value / 4 for value in reversed(bounds)]
    parts = []
    for index, rate in enumerate(rates):
        pattern = first if index == 0 else last if index == len(ends) else middle
        low, high = ends[min(index, len(ends) - 1)], ends[index - 1]
        parts.append(pattern.format(rate=rate / 8, bps=rate * 12.5, low=low, high=high))
    return between.join(parts)


@given(levels, st.integers(0, 2), st.integers(0, 2), st.data())
def test_a_grid_is_itself_in_every_notation_and_no_other(bounds: list[int], one: int, other: int, data: st.DataObject) -> None:
    rates = data.draw(st.lists(st.integers(1, 60), min_size=len(bounds) + 1, max_size=len(bounds) + 1, unique=True))
    gold = written(bounds, rates, one)
    assert [step.rate.value for step in read_steps(gold)[0]] == [Fraction(rate, 8) for rate in rates]
    assert compare(written(bounds, rates, other), gold, (), Surroundings()).label in ("correct", "semantic_match")
    turned = data.draw(st.permutations(rates).filter(lambda order: list(order) != rates))
    assert compare(written(bounds, list(turned), other), gold, (), Surroundings()).label == "wrong"
    assert compare(written(bounds[:-1], rates[1:], other), gold, (), Surroundings()).label not in ("correct", "semantic_match")
