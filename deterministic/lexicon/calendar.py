"""Months and units of time, as loan documents write them."""

from fractions import Fraction
from typing import Literal

TimeUnit = Literal["month", "day", "business_day", "banking_day", "none"]
"""The basic units of a length of time; "none" is a number without unit."""

_MONTHS = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec"
)
MONTHS = {name: number for number, names in enumerate(_MONTHS.split("|"), start=1) for name in names.split()}
"""Names and short names of the months -> their number."""
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"

_UNITS: dict[tuple[TimeUnit, Fraction], str] = {
    ("month", Fraction(12)): "year yr y annum",
    ("month", Fraction(3)): "quarter qtr",
    ("month", Fraction(1)): "month mth mo m",
    ("day", Fraction(14)): "fortnight",
    ("day", Fraction(7)): "week wk w",
    ("day", Fraction(1)): "day d",
    ("day", Fraction(1, 24)): "hour hr",
    ("business_day", Fraction(1)): "business_day working_day bd",
    ("banking_day", Fraction(1)): "banking_day",
}
TIME_UNITS = {name.replace("_", " "): unit for unit, names in _UNITS.items() for name in names.split()}
"""A word for a unit -> its basic unit and how many of them it is. A year is 12 months, a week 7 days, an hour 1/24 of a day."""
