"""One lexicon: what the values call equal the quote check never calls altered, and what differs for a value never has marks in a quote.

Every entry of the tables is tried in a sentence of its own.
"""

from fractions import Fraction
from itertools import pairwise

import pytest

from deterministic.documents.documents import Document
from deterministic.lexicon.calendar import MONTHS, TIME_UNITS
from deterministic.lexicon.currencies import KNOWN_CODES, NAMES, SYMBOLS
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.lexicon.numbers import ORDINALS, SCALES, SMALL_WORDS, TEN_WORDS, VULGAR
from deterministic.lexicon.phrases import OPPOSITES, are_opposed
from deterministic.lexicon.tables import rows
from deterministic.quotes.find import find_quote
from deterministic.values.figures import currency, money
from deterministic.values.names import parties
from deterministic.values.time import dates, periods

SENTENCE = (
    "Under this Agreement the Borrower shall pay to the Agent for the account of the Lenders {} as set out in the Fee Letter of that day."
)


def verdict(source: str, quote: str, sentence: str = SENTENCE) -> str:
    document = Document.from_pages("a.pdf", [f"1.1 Fees\n{sentence.format(source)}\n1.2 Notices\nA notice is given in writing.\n"])
    return find_quote(document, sentence.format(quote), page_hint=1, lower=70).verdict


def accused(pairs: list[tuple[str, str]], sentence: str = SENTENCE) -> list[tuple[str, str, str]]:
    """Pairs that mean the same and are not taken for it."""
    found = [(source, quote, verdict(source, quote, sentence)) for source, quote in pairs]
    return [row for row in found if row[2] not in ("exact", "normalised", "paraphrased")]


def passed(pairs: list[tuple[str, str]], sentence: str = SENTENCE) -> list[tuple[str, str, str]]:
    """Pairs that differ and have marks."""
    found = [(source, quote, verdict(source, quote, sentence)) for source, quote in pairs]
    return [row for row in found if row[2] in ("exact", "normalised", "paraphrased")]


def test_scales() -> None:
    forms = {scale: f"USD 5 {scale}" for scale in SCALES} | {f"{scale} ": f"USD 5{scale}" for scale in SCALES if len(scale) < 4}
    equal = {form: f"USD {5 * SCALES[scale.strip()]:,}" for scale, form in forms.items()}
    for form, figure in equal.items():
        assert money.parse(form) == money.parse(figure), form
    assert accused([(figure, form) for form, figure in equal.items()]) == []
    assert accused(list(equal.items())) == []
    assert passed([(figure, form.replace("5", "6")) for form, figure in equal.items()]) == []


def test_scales_exchanged() -> None:
    pairs = [
        (f"USD 5 {a}", f"USD 5 {b}")
        for a in SCALES
        for b in ("hundred", "thousand", "million", "billion", "crore")
        if SCALES[a] != SCALES[b]
    ]
    assert passed(pairs) == []


def test_number_words() -> None:
    words = SMALL_WORDS | TEN_WORDS | {"twenty-five": 25, "three hundred and fifty": 350, "two lakh": 200_000}
    assert accused([(f"{word} instalments", f"{number:,} instalments") for word, number in words.items()]) == []
    assert passed([(f"{word} instalments", f"{number + 1:,} instalments") for word, number in words.items()]) == []
    every = list(words)
    assert passed([(f"{word} instalments", f"{other} instalments") for word, other in pairwise(every)]) == []


def test_fractions() -> None:
    forms = [(f"66{sign} per cent.", f"66 {value.numerator}/{value.denominator} per cent.") for sign, value in VULGAR.items()]
    assert accused(forms) == []
    assert accused([(b, a) for a, b in forms]) == []
    assert passed([(source, "66 per cent.") for source, _ in forms]) == []
    others = list(VULGAR)
    assert passed([(f"1{a} per cent.", f"1{b} per cent.") for a, b in pairwise(others) if VULGAR[a] != VULGAR[b]]) == []


def test_currencies() -> None:
    written = [(form, codes) for table in (NAMES, SYMBOLS) for form, codes in table.items() if len(codes) == 1]
    pairs = [(f"{code} 500,000", f"500,000 {form}" if form.isalpha() and len(form) > 3 else f"{form} 500,000") for form, (code,) in written]
    for (code, _), (form, _codes) in zip(pairs, written, strict=True):
        assert currency.parse(form) is None or code[:3] in currency.parse(form).codes, form  # type: ignore[union-attr]
    assert accused(pairs) == []


def test_currencies_exchanged() -> None:
    codes = sorted(code for code in KNOWN_CODES if code not in ("CNH", "RMB", "NTD", "UKP", "STG"))
    assert passed([(f"{a} 500,000", f"{b} 500,000") for a, b in pairwise(codes)]) == []
    names = [name for name, found in NAMES.items() if len(found) == 1 and name.replace(" ", "").isalpha()]
    pairs = [(f"500,000 {a}", f"500,000 {b}") for a, b in zip(names, names[7:], strict=False) if NAMES[a] != NAMES[b]]
    assert passed(pairs) == []


def test_units_of_time() -> None:
    units = {name: unit for name, unit in TIME_UNITS.items() if len(name) > 2 and name != "annum"}
    pairs = [
        (f"a fee for {Fraction(a) * 24} {first}s", f"a fee for {Fraction(a) * 24 * units[first][1] / units[second][1]} {second}s")
        for first in units
        for second in units
        for a in (1,)
        if units[first][0] == units[second][0] and (Fraction(24) * units[first][1] / units[second][1]).denominator == 1
    ]
    for source, quote in pairs:
        assert periods.parse(source.removeprefix("a fee for ")) == periods.parse(quote.removeprefix("a fee for ")), (source, quote)
    assert [row for row in accused(pairs) if row[2] == "not_found"] == []
    exchanged = [(f"a fee for 30 {a}s", f"a fee for 30 {b}s") for a in units for b in units if units[a] != units[b]]
    assert passed(exchanged) == []


def test_months() -> None:
    names = {number: name for name, number in reversed(MONTHS.items())}
    pairs = [(f"the sum due on 4 {names[number].title()} 2031", f"the sum due on 4 {name.title()} 2031") for name, number in MONTHS.items()]
    for source, quote in pairs:
        assert dates.parse(source[15:]) == dates.parse(quote[15:]), quote
    assert accused(pairs) == []
    others = [
        (f"the sum due on 4 {a.title()} 2031", f"the sum due on 4 {b.title()} 2031")
        for a in names.values()
        for b in MONTHS
        if MONTHS[a] != MONTHS[b]
    ]
    assert passed(others) == []


def test_ordinals() -> None:
    days = [word for word in ORDINALS if "-" not in word]
    assert passed([(f"the {a} instalment", f"the {b} instalment") for a, b in pairwise(days)]) == []


def test_legal_forms() -> None:
    rows: dict[str, list[str]] = {}
    for words, mark in LEGAL_FORMS.items():
        rows.setdefault(mark, []).append(" ".join(words))
    pairs = [
        (f"Northgate Quarries {spellings[0].title()}", f"Northgate Quarries {other.title()}")
        for spellings in rows.values()
        for other in spellings[1:]
    ]
    equal = [(a, b) for a, b in pairs if parties.name_key(a) == parties.name_key(b)]
    assert len(equal) > 150
    assert [row for row in accused(equal) if row[2] == "not_found"] == []
    assert passed([(source, source.replace("Northgate", "Kettering")) for source, _ in equal[::9]]) == []


def phrases_of(kind: str) -> dict[str, list[str]]:
    """Meaning -> phrases of a kind of the table."""
    cells = (row.split(" | ") for row in rows("phrases"))
    return {meaning: phrases.split(", ") for name, meaning, phrases in (c for c in cells if len(c) == 3) if name == kind}


GUARDED = [
    phrase
    for kind in ("limit", "negation")
    for phrases in phrases_of(kind).values()
    for phrase in phrases
    if phrase not in ("minimum", "maximum")
]


@pytest.mark.parametrize("phrase", GUARDED)
def test_a_negation_or_limit_is_never_left_out_or_added(phrase: str) -> None:
    sentence = "The Borrower and each Guarantor shall {} pay amounts under the Finance Documents to the Agent on the due date for value."
    assert passed([(phrase, ""), ("", phrase)], sentence) == []


def test_limits_exchanged() -> None:
    forms = {meaning: phrases[0] for meaning, phrases in phrases_of("limit").items()}
    pairs = [(f"{a} USD 5,000,000", f"{b} USD 5,000,000") for a in forms.values() for b in forms.values() if a != b]
    assert passed(pairs) == []


def test_obligations_and_permissions() -> None:
    must, may = phrases_of("modal").values()
    sentence = "Each Original Lender {} make the Loans available to the Company through its Facility Office in London."
    assert passed([(a, b) for a in must for b in may] + [(b, a) for a in must for b in may], sentence) == []


def test_connectives_exchanged() -> None:
    forms = [phrases[0].replace("and or", "and/or") for phrases in phrases_of("connective").values()]
    sentence = "The Company {} the Parent shall supply the accounts to the Agent in sufficient copies for the Lenders."
    assert passed([(a, b) for a in forms[:2] for b in forms[:2] if a != b], sentence) == []


def test_opposites() -> None:
    phrases = sorted(OPPOSITES)
    pairs = [(a, b) for a in phrases for b in phrases if are_opposed(a, b)]
    assert len(pairs) > 700
    sentence = "In this Agreement the parties have dealt with the amounts that are {} those of the Schedule in the way described there."
    assert passed(pairs[::5], sentence) == []
