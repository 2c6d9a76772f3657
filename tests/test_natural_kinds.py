"""Kinds that natural outputs on a third set of real agreements showed, with relatives: right stays right, wrong gets no marks."""

import pytest

from deterministic.clauses.index import build_index
from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS, Surroundings
from deterministic.values.figures import currency, money, rates
from deterministic.values.names import facility_types, laws, reference_rates
from deterministic.values.stated import is_stated
from deterministic.values.time import dates, periods
from deterministic.values.time.frequency import scan as frequencies
from tests.tables import table, text

NOTHING = Surroundings()

# ---- schedules that go by a name -----------------------------------------------------------------------------------------------------

BODY = """1.1 Facility. The Lenders make available a facility as the Commitment Schedule says.
1.2 Repayment. The Borrower shall repay the Loan as follows.
AMORTISATION SCHEDULE
31 March 2027 USD 1,000,000
1.3 Margin. The Margin is set out in the Pricing Schedule.
"""
PRICING = "PRICING SCHEDULE\nLevel I 1.025%\nLevel II 1.125%\n"
COMMITMENTS = "Execution version\nCOMMITMENT SCHEDULE\nFirst Bank USD 10,000,000\n"


@pytest.fixture(scope="module")
def index() -> object:
    text = BODY + PRICING + COMMITMENTS
    return build_index(text, (0, len(BODY), len(BODY) + len(PRICING)))


def test_the_title_of_a_table_inside_a_clause_cuts_nothing(index: object) -> None:
    (clause,) = index.find("Clause 1.2").clauses  # type: ignore[attr-defined]
    assert clause.end >= BODY.index("1.3 Margin") - 1


@pytest.mark.parametrize(("name", "status"), table("natural_kinds", "a_name_claims_no_number"))
def test_a_name_claims_no_number(index: object, name: str, status: str) -> None:
    assert index.find(name).status == status  # type: ignore[attr-defined]


# ---- quotes --------------------------------------------------------------------------------------------------------------------------

DOCUMENT = Document.from_pages("a.pdf", [text("natural_kinds", "page")])


@pytest.mark.parametrize(("quote", "verdicts"), table("natural_kinds", "a_quote_is_taken_for_what_it_is"))
def test_a_quote_is_taken_for_what_it_is(quote: str, verdicts: list[str]) -> None:
    assert find_quote(DOCUMENT, quote, lower=80).verdict in verdicts


# ---- values --------------------------------------------------------------------------------------------------------------------------


def test_an_alternative_for_the_whole_of_a_list_of_names() -> None:
    gold, lead = "Acme LLC; Acme East LLC; Acme West LLC", ("Acme LLC",)
    assert KINDS["party"].compare("Acme LLC", gold, lead, NOTHING).label == "semantic_match"
    assert KINDS["party"].compare("Acme LLC (a Nevada limited liability company)", gold, lead, NOTHING).label == "open"
    assert KINDS["party"].compare("Acme East LLC", gold, lead, NOTHING).label == "partial"


def test_a_total_is_computed_and_not_invented() -> None:
    text = "450 bps cash and 450 bps PIK (9.00% all-in)"
    assert "9.00%" not in "".join(rates.parts(text))
    assert rates.compare(text, "Cash Margin of 4.5 per cent. and PIK Margin of 4.5 per cent.", (), NOTHING).label == "open"
    assert any("9.25" in part for part in rates.parts("450 bps cash and 450 bps PIK (9.25% all-in)"))


@pytest.mark.parametrize(("value", "is_there"), table("natural_kinds", "a_rounded_amount_is_not_out_of_the_air"))
def test_a_rounded_amount_is_not_out_of_the_air(value: str, is_there: bool) -> None:
    document = Document.from_pages("a.pdf", ["The Term Loan is USD 36,458,333.00 in aggregate."])
    assert money.occurs(value, document) is is_there
    assert money.compare(value, "USD 36,458,333", (), NOTHING).label == "wrong"


def test_a_place_that_is_named_is_another_law_and_not_out_of_the_air() -> None:
    document = Document.from_pages("a.pdf", ["a Texas limited liability company; governed by the laws of the State of New York"])
    assert laws.occurs("Texas law", document) and not laws.occurs("Delaware law", document)
    assert laws.compare("Texas law", "New York law", (), NOTHING).label == "wrong"


@pytest.mark.parametrize("text", ["None stated", "N/A - no MAC clause", "none given", "Nil: no such guarantee", "N/A (not specified)"])
def test_a_text_that_says_there_is_none_states_nothing(text: str) -> None:
    assert not is_stated(text)


@pytest.mark.parametrize("text", ["None of the Borrowers", "No Borrower may assign", "nil margin for 30 days"])
def test_a_text_that_begins_so_and_goes_on_states_something(text: str) -> None:
    assert is_stated(text)


@pytest.mark.parametrize(("text", "rung"), table("natural_kinds", "months_of_the_business_year"))
def test_months_of_the_business_year(text: str, rung: str) -> None:
    assert frequencies(text) == {rung}


def test_an_anniversary_says_how_long() -> None:
    text = "in relation to Facility B, the sixth anniversary of the Closing Date"
    assert periods.supports("6 years", text) and periods.supports("72 months", text) and not periods.supports("5 years", text)


def test_what_a_quote_names_it_supports() -> None:
    quote = "LIBOR or, in relation to any Loan in euro, EURIBOR or, in relation to any Loan in Zloty, WIBOR"
    assert reference_rates.supports("LIBOR; EURIBOR for euro loans; WIBOR for Zloty loans", quote)
    assert not reference_rates.supports("LIBOR; STIBOR for krona loans", quote)
    both = "a sterling term loan facility; and (ii) a multicurrency revolving credit facility"
    assert facility_types.supports("term loan facility and multicurrency revolving credit facility", both)
    assert not facility_types.supports("uncommitted revolving credit facility", both)


# ---- kinds of a fourth set -----------------------------------------------------------------------------------------------------------


CONTENTS = "TABLE OF CONTENTS\nPage No.\n" + "".join(
    f"Section {n}.1\n{title}.\n{n}\n"
    for n, title in enumerate(("Definitions and other Terms", "Termination of Commitment; Final Maturity of Loan", "Fees", "Law"), 1)
)
OPENING = (
    "364-DAY CREDIT AGREEMENT dated as of May 1, 2020 among\nACME INC. and FIRST BANK, as Agent.\nRecitals\n"
    "Borrower has requested a facility.\nIn consideration of the premises the parties agree as follows:\n"
)
CLAUSES = "".join(
    f"Section {n}.1 {title}. The parties agree on the matter of this section as set out in it.\n"
    for n, title in enumerate(("Definitions and other Terms", "Termination of Commitment; Final Maturity of Loan", "Fees", "Law"), 1)
)


@pytest.mark.parametrize("reference", ["preamble", "Recitals", "Section 2.1"])
def test_titles_that_end_in_a_full_stop_and_an_agreement_with_a_number_in_its_name(reference: str) -> None:
    index = build_index(CONTENTS + OPENING + CLAUSES, (0, len(CONTENTS)))
    found = index.find(reference)
    assert found.status == "found"
    assert all(clause.start >= len(CONTENTS) for clause in found.clauses)


@pytest.mark.parametrize(("text", "code"), table("natural_kinds", "the_currency_of_a_country_is_named_by_it"))
def test_the_currency_of_a_country_is_named_by_it(text: str, code: str | None) -> None:
    assert [mention.value.codes[0] for mention in currency.scan(text)] == ([code] if code else [])


# ---- answers with words around their value -------------------------------------------------------------------------------------------


MARGIN = "What LIBOR margin applies if the ratio is 1.7 to 1.0?"


@pytest.mark.parametrize(("reported", "accepted", "label"), table("natural_kinds", "a_fee_paid_at_other_times", tuples=True))
def test_a_fee_that_is_paid_at_other_times_gets_no_marks(reported: str, accepted: tuple[str, ...], label: str) -> None:
    gold = "0.50% of the Commitment Amount, payable annually in advance"
    assert rates.compare(reported, gold, accepted, Surroundings()).label == label


# ---- answers that go on in the words of their quote ----------------------------------------------------------------------------------

FEE = "Unless the Agent otherwise agrees, the New Lender shall, on the date of the transfer, pay a fee of £2,000."


SCHEDULE = "Amortising: half-yearly instalments of GBP 812,500 from 31 May 2024 to 31 May 2028; GBP 9,437,500 on 30 November 2028"


def test_another_amount_that_an_accepted_schedule_has_is_not_wrong() -> None:
    mine = SCHEDULE.replace("9,437,500", "9,437,000")
    assert KINDS["repayment"].compare(mine, SCHEDULE, ("GBP 9,437,000 at the end",), NOTHING).label == "open"


DAY = "means 14 March 2032 (or, if such day is not a Business Day, the immediately preceding Business Day)"


@pytest.mark.parametrize(("mine", "label"), table("natural_kinds", "a_day_with_the_proviso_of_its_own_quote_is_the_day"))
def test_a_day_with_the_proviso_of_its_own_quote_is_the_day(mine: str, label: str) -> None:
    quotes = (DAY, "14 March 2032 provided that the Company may extend it")
    assert dates.compare(mine, "2032-03-14", (), Surroundings(quotes=quotes)).label == label


@pytest.mark.parametrize(("mine", "gold", "label"), [("2.85% then 3.10%, by FCCR", "initially 3.10%, thereafter 2.85% by FCCR", "open")])
def test_then_and_thereafter_are_one(mine: str, gold: str, label: str) -> None:
    assert rates.compare(mine, gold, (), NOTHING).label == label


@pytest.mark.parametrize(("mine", "label"), table("natural_kinds", "a_rate_at_every_level_is_a_flat_one"))
def test_a_rate_at_every_level_is_a_flat_one(mine: str, label: str) -> None:
    assert rates.compare(mine, "3.10% (EURIBOR Loans); 2.10% (Base Rate Loans)", (), NOTHING).label == label
