"""Months and units of time, as loan documents write them."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

TimeUnit = Literal["month", "day", "business_day", "banking_day", "none"]
"""The basic units of a length of time; "none" is a number without unit."""

_MONTHS = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec"
)
MONTHS = {name: number for number, names in enumerate(_MONTHS.split("|"), start=1) for name in names.split()}
"""Names and short names of the months -> their number."""

TIME_UNITS: dict[str, tuple[TimeUnit, Fraction]] = {
    "year": ("month", Fraction(12)),
    "yr": ("month", Fraction(12)),
    "y": ("month", Fraction(12)),
    "annum": ("month", Fraction(12)),
    "quarter": ("month", Fraction(3)),
    "qtr": ("month", Fraction(3)),
    "month": ("month", Fraction(1)),
    "mth": ("month", Fraction(1)),
    "mo": ("month", Fraction(1)),
    "m": ("month", Fraction(1)),
    "fortnight": ("day", Fraction(14)),
    "week": ("day", Fraction(7)),
    "wk": ("day", Fraction(7)),
    "w": ("day", Fraction(7)),
    "day": ("day", Fraction(1)),
    "d": ("day", Fraction(1)),
    "hour": ("day", Fraction(1, 24)),
    "hr": ("day", Fraction(1, 24)),
    "business day": ("business_day", Fraction(1)),
    "working day": ("business_day", Fraction(1)),
    "bd": ("business_day", Fraction(1)),
    "banking day": ("banking_day", Fraction(1)),
}
"""A word for a unit -> its basic unit and how many of them it is. A year is 12 months, a week 7 days, an hour 1/24 of a day."""
