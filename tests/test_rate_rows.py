"""Margin grids in rows: the same grid in the notations of agreements and desks, and the nearest that is another grid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.values.comparison import Surroundings
from deterministic.values.rates import compare, scan

ROWS = "SOFR Loans: 3.10% / 2.85% / 2.60% (Levels I to III); Base Rate Loans: 2.10% / 1.85% / 1.60% (Levels I to III)"
COLUMNS = (
    "Column A (Bridge Loans outstanding): 4.00% / 4.50% (Eurodollar Rate Loans), 3.00% / 3.50% (Base Rate Loans); "
    "Column B: 2.25% (Eurodollar Rate Loans), 1.25% (Base Rate Loans)"
)
PAIR = "3.10% (LIBOR Loans); 2.10% (ABR Loans)"


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("S+310/285/260 bps; BR+210/185/160 bps (Levels I/II/III)", ROWS, "semantic_match"),
        ("S+310 → 285 → 260 bps; BR+210 → 185 → 160 bps", ROWS, "semantic_match"),
        ("Level I: 3.10% (SOFR) / 2.10% (Base Rate); Level II: 2.85% / 1.85%; Level III: 2.60% / 1.60%", ROWS, "semantic_match"),
        ("SOFR / Base Rate: Level 1 3.10% / 2.10%, Level 2 2.85% / 1.85%, Level 3 2.60% / 1.60%", ROWS, "semantic_match"),
        ("Base Rate Loans 2.10%, 1.85% and 1.60%; SOFR Loans 3.10%, 2.85% and 2.60%", ROWS, "semantic_match"),
        ("3.10% (Level I), 2.85% (Level II), 2.60% (Level III) for SOFR Loans and 2.10% (Level I), 1.85% (Level II), 1.60% (Level III) "
         "for Base Rate Loans", ROWS, "semantic_match"),
        ("E+400/450 bps, BR+300/350 bps (Col. A); E+225, BR+125 bps (Col. B)", COLUMNS, "semantic_match"),
        ("While Bridge Loans are outstanding (Column A): 4.00% / 4.50% for Eurodollar Rate Loans and 3.00% / 3.50% for Base Rate Loans; "
         "otherwise (Column B): 2.25% for Eurodollar Rate Loans and 1.25% for Base Rate Loans", COLUMNS, "semantic_match"),
        ("LIBOR / ABR: 3.10% / 2.10%", PAIR, "semantic_match"),
        ("3.10% per annum for Loans maintained as LIBOR Loans and 2.10% per annum for Loans made as ABR Loans", PAIR, "semantic_match"),
        ("2.10% per annum for Loans maintained as LIBOR Loans and 3.10% per annum for Loans made as ABR Loans", PAIR, "wrong"),
        ("3.10% / 2.10% (LIBOR / ABR)", PAIR, "semantic_match"),
        ("S+310/285/260 bps (Levels I-III)", ROWS, "partial"),
        ("E+400/450 bps, BR+300/350 bps (Col. A)", COLUMNS, "partial"),
        # figures at another level, kind of loan or column
        ("S+310/260/285 bps; BR+210/185/160 bps (Levels I/II/III)", ROWS, "wrong"),
        ("S+210/185/160 bps; BR+310/285/260 bps (Levels I/II/III)", ROWS, "wrong"),
        ("Level I: 3.10% (SOFR) / 2.10% (Base Rate); Level II: 2.60% / 1.60%; Level III: 2.85% / 1.85%", ROWS, "wrong"),
        ("S+310/285/275 bps; BR+210/185/160 bps (Levels I/II/III)", ROWS, "wrong"),
        ("E+225, BR+125 bps (Col. A); E+400/450 bps, BR+300/350 bps (Col. B)", COLUMNS, "wrong"),
        ("3.10% / 2.10% (ABR / LIBOR)", PAIR, "wrong"),
        # one unit behind the last row
        ("S+310/285/260; BR+210/185/160 bps", ROWS, "semantic_match"),
        ("S+210/185/160; BR+310/285/260 bps", ROWS, "wrong"),
        ("BR+310/285/260, S+210/185/160 bps", ROWS, "wrong"),
        ("S+310/260/285; BR+210/185/160 bps", ROWS, "open"),  # it names no levels
        # no rule reads it: the order without the levels' names, a condition at another column, a limit, a minus, a level left out
        ("S+260/285/310 bps; BR+160/185/210 bps", ROWS, "open"),
        ("Column A: 4.00% / 4.50% (Eurodollar Rate Loans), 3.00% / 3.50% (Base Rate Loans); Column B (Bridge Loans outstanding): "
         "2.25% (Eurodollar Rate Loans), 1.25% (Base Rate Loans)", COLUMNS, "open"),
        ("S+310/285/260 bps; BR+210/185/160 bps (Levels I/II/III) until the first delivery", ROWS, "open"),
        ("SOFR - 310/285/260 bps; Base Rate - 210/185/160 bps", ROWS, "open"),
        ("S+310/285/260 bps; BR+210/185/160 bps (Levels II to IV)", ROWS, "open"),
    ],
)  # fmt: skip
def test_a_grid_is_compared_by_column_kind_of_loan_and_level(reported: str, gold: str, label: str) -> None:
    assert compare(reported, gold, (), Surroundings()).label == label
    assert compare(gold, gold, (), Surroundings()).label == "correct"


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("225/200/175 bps", [2.25, 2, 1.75]),  # no date
        ("L+50/25 bps", [0.5, 0.25]),  # no fraction of a basis point
        ("2.25/2.00%", [2.25, 2]),
        ("L+125, BR+25 bps", [1.25, 0.25]),
        ("200 -> 250 bps", [2, 2.5]),
        ("1/8%", [0.125]),  # a fraction
        ("1/2 bps", [0.005]),
        ("the fee of 2 1/2%", [2.5]),
        ("on 30/06 a fee of 25 bps", [0.25]),
    ],
)
def test_rates_of_a_row_share_its_unit(text: str, rates: list[float]) -> None:
    assert [float(mention.value.value) for mention in scan(text)] == rates


ROMAN = ("I", "II", "III", "IV")


def row(rates: list[int], name: str) -> str:
    return f"{name}: " + " / ".join(f"{rate / 8}%" for rate in rates)


def written(first: list[int], second: list[int], notation: int) -> str:
    """A grid of two kinds of loan, its rates in eighths, with its levels named."""
    names = "/".join(ROMAN[: len(first)])
    if notation == 0:
        return f"{row(first, 'SOFR Loans')} (Levels {names}); {row(second, 'ABR Loans')} (Levels {names})"
    if notation == 1:
        desk = ["/".join(str(rate * 12.5) for rate in rates) for rates in (first, second)]
        return f"S+{desk[0]} bps; ABR+{desk[1]} bps (Levels I-{ROMAN[len(first) - 1]})"
    return "; ".join(
        f"Level {level}: {a / 8}%{' (SOFR)' if level == 'I' else ''} / {b / 8}%{' (Base Rate)' if level == 'I' else ''}"
        for level, a, b in zip(ROMAN, first, second, strict=False)
    )


@given(st.integers(2, 4), st.integers(0, 2), st.integers(0, 2), st.data())
def test_a_grid_is_itself_in_every_notation_and_with_its_figures_moved_no_grid_of_gold(
    n: int, one: int, other: int, data: st.DataObject
) -> None:
    rates = data.draw(st.lists(st.integers(1, 60), min_size=2 * n, max_size=2 * n, unique=True))
    gold = written(rates[:n], rates[n:], one)
    assert compare(written(rates[:n], rates[n:], other), gold, (), Surroundings()).label in ("correct", "semantic_match")
    moved = list(data.draw(st.permutations(rates).filter(lambda order: list(order) != rates)))
    assert compare(written(moved[:n], moved[n:], other), gold, (), Surroundings()).label == "wrong"
