"""The words that may not change in a quote: negations, limits, modals, number words, units, currencies, parties.

A closed vocabulary of English as loan agreements use it. Phrases are lists of folded words; the longest one wins.
Rules: judging.md section 1.4 ("compared both ways").
"""

from __future__ import annotations

from typing import Literal

Kind = Literal["word", "number", "scale", "month", "period", "currency", "unit", "negation", "limit", "modal", "connective", "party"]

_LIMITS = {
    "EXCEPT": "except|excepting|excepted|except for|save|save for|save that|save as|save to|save where|unless|other than|excluding|but for|"
    "apart from|with the exception of|to the extent not",
    "MINIMUM": "at least|not less than|no less than|not fewer than|no fewer than|not lower than|no lower than|not below|"
    "minimum|not be less than|"
    "not be lower than|not be below|not fall below|at a minimum",
    "MAXIMUM": "at most|not more than|no more than|not greater than|no greater than|not higher than|no higher than|"
    "not exceed|not exceeding|"
    "not exceeds|does not exceed|up to|maximum|not above|not be more than|not be greater than|not be higher than",
    "LATEST": "not later than|no later than|on or before|on or prior to|at the latest",
    "EARLIEST": "not earlier than|no earlier than|not before|on or after|at the earliest",
    "MORE": "more than|greater than|higher than|in excess of|exceed|exceeds|exceeding|exceeded",
    "LESS": "less than|fewer than|lower than",
    "ABOVE": "above",
    "BELOW": "below",
    "BEFORE": "before|prior to",
    "AFTER": "after",
    "ONLY": "only|solely|exclusively",
    "OR MORE": "or more|or greater|or higher|or longer|or later",
    "OR LESS": "or less|or fewer|or lower|or shorter|or earlier",
    "AND MORE": "and more|and greater|and higher|and longer|and later",
    "AND LESS": "and less|and fewer|and lower|and shorter|and earlier",
}
EXCHANGE_ONLY = frozenset({"ABOVE", "BELOW", "BEFORE", "AFTER", "OR MORE", "OR LESS", "AND MORE", "AND LESS"})
"""Limits that count only when one is exchanged for another: "paragraph (a) above" without "above" says the same."""
_MODALS = {
    "OBLIGATION": "shall|must|will|is required to|are required to|be required to|is obliged to|are obliged to|be obliged to|"
    "is obligated to|"
    "are obligated to",
    "PERMISSION": "may|can|might|is permitted to|are permitted to|be permitted to|is entitled to|are entitled to|"
    "be entitled to|is allowed to|"
    "are allowed to",
}
_NEGATIONS = {"NOT": "not|non|no|none|never|neither|nor|without|nothing|nobody|nowhere|cannot|noone"}
_CONNECTIVES = {"AND": "and", "OR": "or", "AND/OR": "and or"}
_UNITS = {
    "%": "per cent|percent|per centum|pct|percentage",
    "bps": "bps|bp|basis point|basis points",
    "points": "percentage point|percentage points",
    "business day": "business day|business days|banking day|banking days|working day|working days",
    "day": "day|days|calendar day|calendar days",
    "week": "week|weeks",
    "month": "month|months",
    "quarter": "quarter|quarters|quarterly|three monthly",
    "half-year": "half year|half years|half yearly|semi annual|semi annually|semiannual|semiannually|six monthly",
    "year": "year|years|annum|annual|annually|yearly",
    "daily": "daily",
    "weekly": "weekly",
    "monthly": "monthly",
    "times": "times",
}
_SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "millions": 10**6,
    "mn": 10**6,
    "mio": 10**6,
    "billion": 10**9,
    "billions": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "lakhs": 10**5,
    "lac": 10**5,
    "crore": 10**7,
    "crores": 10**7,
}
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth "
    "eighteenth nineteenth twentieth"
).split()
_MONTHS = "january february march april may june july august september october november december".split()
_CURRENCIES = {
    "USD": "us dollar|us dollars|united states dollar|united states dollars|usd|us$|u.s. dollars|american dollars",
    "GBP": "sterling|pounds sterling|pound sterling|british pounds|gbp",
    "EUR": "euro|euros|eur",
    "SGD": "singapore dollar|singapore dollars|sgd|s$",
    "HKD": "hong kong dollar|hong kong dollars|hkd|hk$",
    "AUD": "australian dollar|australian dollars|aud|a$",
    "CAD": "canadian dollar|canadian dollars|cad",
    "NZD": "new zealand dollar|new zealand dollars|nzd",
    "CHF": "swiss franc|swiss francs|chf",
    "JPY": "yen|japanese yen|jpy",
    "CNY": "renminbi|yuan|rmb|cny|cnh",
    "INR": "rupee|rupees|indian rupees|inr|rs",
    "SEK": "swedish krona|swedish kronor|sek",
    "NOK": "norwegian krone|norwegian kroner|nok",
    "DKK": "danish krone|danish kroner|dkk",
    "MYR": "ringgit|myr",
    "THB": "baht|thb",
    "IDR": "rupiah|idr",
    "KRW": "won|korean won|krw",
    "PHP": "philippine peso|philippine pesos|php",
    "ZAR": "rand|zar",
    "AED": "dirham|dirhams|aed",
    "SAR": "riyal|riyals|sar",
    "TWD": "twd|nt$",
    "BRL": "brl|reais",
    "MXN": "mxn",
    "PLN": "pln|zloty",
    "$": "dollar|dollars",
}
CURRENCY_SIGNS = {
    "$": "$",
    "£": "GBP",
    "€": "EUR",
    "¥": "JPY",
    "₹": "INR",
    "₩": "KRW",
    "฿": "THB",
    "₱": "PHP",
    "₽": "RUB",
    "₺": "TRY",
    "₫": "VND",
}
_DOLLAR_PREFIXES = {
    "us": "USD",
    "s": "SGD",
    "hk": "HKD",
    "a": "AUD",
    "au": "AUD",
    "c": "CAD",
    "ca": "CAD",
    "nz": "NZD",
    "nt": "TWD",
    "sg": "SGD",
}
DOLLARS = frozenset({"USD", "SGD", "HKD", "AUD", "CAD", "NZD", "TWD"})
_CASE_BOUND = frozenset({"rs", "won", "rand", "sar", "cad", "php", "aud", "bp"})
"""Phrases that only mean it in capitals or beside a number; too short or too common otherwise."""

_PARTIES = (
    "borrower lender agent guarantor obligor parent company issuer trustee arranger bank bookrunner sponsor creditor debtor "
    "pledgor grantor "
    "mortgagor chargor mortgagee chargee purchaser seller buyer vendor subsidiary affiliate holdings investor shareholder manager servicer "
    "underwriter assignor assignee transferor transferee beneficiary contractor customer supplier landlord tenant lessor lessee licensor "
    "licensee counterparty administrator depositary custodian auditor member partner party parties"
).split()


def _phrases() -> dict[str, list[tuple[tuple[str, ...], Kind, str]]]:
    table: dict[str, list[tuple[tuple[str, ...], Kind, str]]] = {}

    def add(words: str, kind: Kind, meaning: str) -> None:
        parts = tuple(words.split())
        table.setdefault(parts[0], []).append((parts, kind, meaning))

    groups: tuple[tuple[Kind, dict[str, str]], ...] = (
        ("limit", _LIMITS),
        ("modal", _MODALS),
        ("negation", _NEGATIONS),
        ("connective", _CONNECTIVES),
        ("unit", _UNITS),
        ("currency", _CURRENCIES),
    )
    for kind, group in groups:
        for meaning, words in group.items():
            for phrase in words.split("|"):
                if phrase.replace(" ", "").isalpha():
                    add(phrase, kind, meaning)
    for word, value in [*((w, n) for n, w in enumerate(_NUMBER_WORDS)), *_TENS.items()]:
        add(word, "number", str(value))
    for rank, word in enumerate(_ORDINALS, 1):
        add(word, "number", f"{rank}th")
    for word, value in _SCALES.items():
        add(word, "scale", str(value))
    for month in _MONTHS:
        if month != "may":
            add(month, "month", month)
            if month not in ("march", "june", "july"):
                add(month[:3], "month", month)
    add("sept", "month", "september")
    for word in ("half", "halves", "one half", "one quarter", "one third", "two thirds", "twice", "once", "double"):
        add(word, "number", word.replace("halves", "half"))
    for party in _PARTIES:
        add(party, "party", party)
        if party not in ("holdings", "parties"):
            add(party[:-1] + "ies" if party.endswith("y") else party + "s", "party", party)
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return table


PHRASES = _phrases()
"""First folded word -> (words, kind, meaning), longest first."""

NEEDS_CAPITALS = _CASE_BOUND
MONTHS = frozenset(_MONTHS)
DOLLAR_PREFIXES = _DOLLAR_PREFIXES
LEGAL_FORMS = {
    "limited": "ltd",
    "ltd": "ltd",
    "incorporated": "inc",
    "inc": "inc",
    "corporation": "corp",
    "corp": "corp",
    "company": "co",
    "co": "co",
    "private": "pte",
    "pte": "pte",
    "pvt": "pte",
    "plc": "plc",
}
"""Spellings of one legal form; a name that differs only in them is the same name."""
