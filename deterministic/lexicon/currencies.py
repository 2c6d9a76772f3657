"""Names and symbols of the currencies of the loan market; ISO 4217 codes come from pycountry.
A name or symbol that several currencies share lists them all, the most usual first. Source of the codes: ISO 4217 (pycountry); of the names
and symbols: own table, after the notations of the loan market (domain notes, "Value matching rules")."""

import re
from functools import cache

from deterministic.lexicon.tables import forms, lists

_LISTS = dict(lists("currency_codes"))
DOLLARS, EXTRA_CODES = _LISTS["dollars"], _LISTS["old"]
NOT_LOAN_CURRENCIES, WORDLIKE_CODES, WORDLIKE_NAMES = (frozenset(_LISTS[name]) for name in ("not loans", "wordlike", "wordlike names"))

# market codes that ISO does not have
CODE_ALIASES: dict[str, str] = {"CNH": "CNY", "RMB": "CNY", "NTD": "TWD", "UKP": "GBP", "STG": "GBP"}


def _codes(table: str) -> dict[str, tuple[str, ...]]:
    return {form: DOLLARS if codes == "DOLLARS" else tuple(codes.split()) for form, codes in forms(table).items()}


SYMBOLS = _codes("currency_symbols")
NAMES = _codes("currency_names")
KNOWN_CODES = frozenset(code for codes in (*SYMBOLS.values(), *NAMES.values()) for code in codes) | CODE_ALIASES.keys()
"""The codes that the tables above name, without the 180 others of ISO 4217."""
MONEY_OF = forms("currency_countries")  # "lawful money of …"


@cache
def iso_codes() -> frozenset[str]:
    """The alphabetic codes that a loan can be in: ISO 4217 without metals, funds and test codes, with withdrawn codes of old agreements."""
    import pycountry  # late: 50 ms at first use

    return frozenset(c.alpha_3 for c in pycountry.currencies) - NOT_LOAN_CURRENCIES | frozenset(EXTRA_CODES)


@cache
def plural_names() -> dict[str, tuple[str, ...]]:
    """The table of names with their plurals."""
    return NAMES | {
        f"{name}s": codes for name, codes in NAMES.items() if not name.endswith(("s", "reais", "yen", "yuan", "baht", "won", "kroner"))
    }


_WHITE = re.compile(r"\s+")


def lookup(form: str) -> tuple[tuple[str, ...], str] | None:
    """The candidate codes of one written form and its sort (`code`, `symbol`, `name`), None when it names no currency. Codes are read in
    capitals only: `all`, `top` and `try` are words. A `the` and a plural do not matter."""
    text = _WHITE.sub(" ", form.strip())
    if len(text) == 3 and text.isascii() and text.isupper() and text.isalpha():
        if text in iso_codes():
            return (text,), "code"
        return ((CODE_ALIASES[text],), "name") if text in CODE_ALIASES else None
    folded = text.casefold().removeprefix("the ")
    codes = SYMBOLS.get(folded)
    if codes is not None and not (folded.isalpha() and text.islower() and folded not in {"rs", "kr"}):
        return codes, "symbol"
    codes = plural_names().get(folded.replace("u.s ", "u.s. ").replace("u. s. ", "u.s. "))
    return None if codes is None else (codes, "name")
