"""Kinds that natural outputs on a third set of real agreements showed, with relatives: right stays right, wrong gets no marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.clauses.index import build_index
from deterministic.documents.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import (
    KINDS,
    Surroundings,
    currency,
    dates,
    facility_types,
    laws,
    money,
    periods,
    rates,
    reference_rates,
    repayment,
)
from deterministic.values.frequency import scan as frequencies
from deterministic.values.stated import is_stated
from deterministic.values.thresholds import compare_threshold
from judge.capabilities.qa.singles import shows_answer
from judge.capabilities.qa.typed import compare_answers, subject_words
from judge.capabilities.statements import covers, retells

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


@pytest.mark.parametrize(
    "name", ["Pricing Schedule", "PRICING SCHEDULE", "the Pricing Schedule", "Pricing Schedule, Level II", "Commitment Schedule"]
)
def test_a_schedule_that_goes_by_its_name_is_found(index: object, name: str) -> None:
    found = index.find(name)  # type: ignore[attr-defined]
    assert found.status == "found"
    assert all("schedule" in clause.number for clause in found.clauses)


def test_the_title_of_a_table_inside_a_clause_cuts_nothing(index: object) -> None:
    (clause,) = index.find("Clause 1.2").clauses  # type: ignore[attr-defined]
    assert clause.end >= BODY.index("1.3 Margin") - 1


@pytest.mark.parametrize(
    ("name", "status"), [("Schedule 9", "not_in_document"), ("Fee Schedule", "imprecise"), ("the Schedule", "mentioned")]
)
def test_a_name_claims_no_number(index: object, name: str, status: str) -> None:
    assert index.find(name).status == status  # type: ignore[attr-defined]


# ---- quotes --------------------------------------------------------------------------------------------------------------------------

DOCUMENT = Document.from_pages(
    "a.pdf",
    [
        "1.1 Rates. Euro-Dollar Margin\n1.025%\n1.125%\n1.50\n0%\nBase Rate Margin\n0.025%\n"
        "1.2 Negative Pledge. Neither the Borrower nor any Subsidiary will create, assume or suffer to exist any Lien "
        "on any asset.\n"
        "1.3 Financial indebtedness. No Obligor shall incur any Financial Indebtedness. The Parent shall procure that.\n"
        "1.4 Law. This Agreement shall be governed by the laws of the State of New York. The Borrower submits to the "
        "jurisdiction of the District Court or, if that court does not have subject matter "
        "jurisdiction, of any State court for purposes of all legal proceedings arising "
        "out of this Agreement.\n"
        "1.5 Payment. The Borrower shall, on each Payment Date (if such day is not a Business Day, the next Business Day), "
        "pay the instalment.\n"
        "1.6 Waiver. The Lender may waive and, for the avoidance of doubt, shall not be obliged to waive any Default.",
    ],
)


@pytest.mark.parametrize(
    ("quote", "verdicts"),
    [
        ("Euro-Dollar Margin 1.025% 1.125% 1.500%", {"normalised"}),  # a narrow cell breaks the number
        ("Euro-Dollar Margin 1.025% 1.125% 1.600%", {"not_found"}),
        ("will create, assume or suffer to exist any Lien on any asset", {"open"}),  # its denied subject is left out
        ("shall incur any Financial Indebtedness", {"open"}),
        ("Neither the Borrower nor any Subsidiary will create, assume or suffer to exist any Lien", {"exact"}),
        ("No Obligor shall incur any Financial Indebtedness", {"exact"}),
        ("The Parent shall procure that", {"exact"}),
        ("governed by the laws of the State of New York … all legal proceedings arising out of this Agreement", {"open", "paraphrased"}),
        ("The Borrower shall, on each Payment Date … pay the instalment", {"normalised"}),
        ("The Lender may waive and … be obliged to waive any Default", {"not_found"}),  # the "not" that governs what is quoted
    ],
)
def test_a_quote_is_taken_for_what_it_is(quote: str, verdicts: set[str]) -> None:
    assert find_quote(DOCUMENT, quote, lower=80, upper=90).verdict in verdicts


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


@pytest.mark.parametrize(
    ("value", "is_there"), [("USD 36.46 million", True), ("USD 36.5m", True), ("USD 36.47 million", False), ("USD 40m", False)]
)
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


SENTENCE = "Allow, as of the close of any fiscal month, the ratio of Current Assets to Current Liabilities to be less than 1.00 to 1.00."


@pytest.mark.parametrize(
    ("reported", "gold", "sentences", "labels"),
    [
        ("not more than 1.00 to 1.00", "less than 1.00 to 1.00", (SENTENCE,), {"wrong"}),
        ("at least 1.00 to 1.00", "less than 1.00 to 1.00", (SENTENCE,), {"partial"}),
        ("shall not be less than 4.10:1", "4.10:1", ("Leverage shall not exceed 4.10:1.",), {"wrong"}),
        ("not to be greater than 3.5x", "3.5 to 1.00", ("It will not permit the ratio to be less than 3.5 to 1.00.",), {"wrong"}),
        (
            "not to exceed 1.69:1",
            "1.69:1",
            ("Cover shall not be less than the ratio set out in column 2.",),
            {"wrong"},
        ),
        ("at least 1.69:1", "1.69:1", ("Cover shall not be less than the ratio set out in column 2.",), {"partial"}),
        ("at least 2.50:1", "2.50:1", ("No Lender needs to agree once Cover exceeds 2.50:1.",), {"partial", "open"}),
        ("at most 2.50:1", "2.50:1", ("Leverage is tested against 2.50:1.",), {"partial"}),
        ("shall not be more than 4.10:1", "4.10:1", ("Leverage shall not exceed 4.10:1.",), {"partial"}),
        ("not less than 2.00:1", "to be less than 2.00:1", ("(b) permit the ratio to be less than 2.00:1",), {"partial"}),
        ("within 50 days of each of the four quarters", "within 50 days of each of the first three quarters", (), {"open", "wrong"}),
        ("within 50 days of each of the first three quarters", "within 50 days after each of the first three quarters", (), {"partial"}),
        (
            "on or before the thirtieth (30th) day after each month",
            "on or before the forty-fifth (45th) day after each month",
            (),
            {"wrong"},
        ),
        ("within 45 days after each month", "on or before the forty-fifth (45th) day after each month", (), {"partial"}),
    ],
)
def test_thresholds_with_words_around_them(reported: str, gold: str, sentences: tuple[str, ...], labels: set[str]) -> None:
    assert compare_threshold(reported, gold, is_verbatim=False, sentences=sentences).label in labels


@pytest.mark.parametrize(
    ("text", "rung"),
    [("as of the close of any fiscal month", "monthly"), ("each Financial Month", "monthly"), ("any calendar month", "monthly")],
)
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


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("0.50% of the Maximum Amount", "0.50% of the Initial Borrowing Base", "open"),
        ("0.50% of the Initial Borrowing Base", "0.50 per cent. of the Initial Borrowing Base", "equal"),
        ("0.50%", "0.50% of the Initial Borrowing Base", "equal"),
        ("0.60% of the Initial Borrowing Base", "0.50% of the Initial Borrowing Base", "different"),
    ],
)
def test_a_share_of_another_thing_is_another_answer(answer: str, gold: str, verdict: str) -> None:
    assert compare_answers(answer, gold, "What is the fee?") == verdict


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


@pytest.mark.parametrize(
    ("kind", "text", "is_shown"),
    [
        ("term loan", "Any amounts borrowed under this Agreement and repaid or prepaid may not be reborrowed.", True),
        (
            "Term loan (single borrowing)",
            "each Lender agrees to make Loans to the Borrower in a single Borrowing on the Effective Date",
            True,
        ),
        ("term loan (non-revolving)", "amounts repaid may not be re-borrowed", True),
        ("revolving credit facility", "the Borrower may borrow, repay and reborrow Loans", True),
        ("term loan", "the Borrower may borrow, repay and reborrow Loans", False),
        ("revolving credit facility", "Amounts repaid or prepaid may not be reborrowed.", False),
        ("revolving credit facility", "The Borrower may repay the Loans. No amount may be reborrowed.", False),
        ("term loan and revolving credit facility", "Amounts repaid may not be reborrowed.", False),
        ("Uncommitted term loan", "Amounts repaid may not be reborrowed.", False),
    ],
)
def test_what_makes_a_loan_of_its_type_shows_it(kind: str, text: str, is_shown: bool) -> None:
    assert facility_types.supports(kind, text) is is_shown


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("references to currency of the United States of America", "USD"),
        ("the official currency of Singapore", "SGD"),
        ("the currency of the Borrower", None),
        ("in the currency of Unitedland", None),
    ],
)
def test_the_currency_of_a_country_is_named_by_it(text: str, code: str | None) -> None:
    assert [mention.value.codes[0] for mention in currency.scan(text)] == ([code] if code else [])


# ---- answers with words around their value -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "gold", "question", "verdict"),
    [
        ("£2,000 monthly", "£2,000", "What fee is payable?", "open"),
        ("£2,000 annually", "£2,000 monthly", "What fee is payable?", "open"),
        ("£2,000 to the Borrower", "£2,000 to the Lender", "What fee is payable?", "open"),
        ("5 days before the end of the period", "5 days after the end", "When is it due?", "open"),
        ("2% of undrawn commitments", "2% of outstanding loans", "What fee is payable?", "open"),
        ("a fixed 2%", "a floating 2%", "What rate applies?", "open"),
        ("less than £2,000", "£2,000", "What fee is payable?", "open"),
        ("Three Business Days in every case", "three Business Days", "How long is the grace period?", "open"),
        # a carrier of the question, or of both sides
        ("a fee of £2,000", "£2,000", "What fee is payable?", "equal"),
        ("5 days after the end", "5 days after the end of the period", "How many days after the end of the period is it due?", "equal"),
        ("£2,000 monthly", "£2,000", "What monthly fee is payable?", "equal"),
    ],
)
def test_a_carrier_makes_another_answer_where_only_one_side_has_it(answer: str, gold: str, question: str, verdict: str) -> None:
    assert compare_answers(answer, gold, question) == verdict


MARGIN = "What LIBOR margin applies if the ratio is 1.7 to 1.0?"


@pytest.mark.parametrize(
    ("answer", "gold", "question", "verdict"),
    [
        # one count
        ("12", "twelve (12)", "How many LIBOR Rate Loans may be outstanding?", "equal"),
        ("three", "3", "How many Eurodollar Loans may be in effect?", "equal"),
        ("twice", "not more than two", "How often may it be used?", "equal"),
        ("Up to four.", "not more than twice", "How many cures are allowed?", "different"),
        ("at least three", "at most three", "How many?", "open"),
        ("three", "three or four", "How many?", "open"),
        ("12 a day", "12", "How many?", "open"),
        ("Clause 3", "Clause 4", "Which Clause?", "open"),  # two places, and either may say it
        ("3 days", "3", "How many?", "open"),
        # one day of every year
        ("January 31", "On or before January 31 of each fiscal year", "By when is the budget due?", "equal"),
        ("31st January", "on or before January 31", "By when is the budget due?", "equal"),
        ("15 March", "March 15 in each year", "When is it paid?", "equal"),
        ("January 15", "On or before January 31 of each fiscal year", "By when is the budget due?", "different"),
        ("January 31, 2002", "January 31 of each year", "By when is the budget due?", "open"),
        ("January 31 of the following year", "January 31", "By when is it due?", "open"),
        ("March 31", "March 31 and June 30", "When is it paid?", "open"),
        ("after January 31", "January 31", "When is it paid?", "open"),
        # the same value in another notation, in a sentence
        ("More than two thirds (66 2/3%) of the Loans", "more than 66⅔ per cent of the Loans", "What share is needed?", "equal"),
        ("one third of the Loans", "33⅓ per cent of the Loans", "What share is needed?", "equal"),
        ("two thirds of the Loans", "more than 33⅓ per cent of the Loans", "What share is needed?", "different"),
        ("less than two thirds of the Loans", "more than 66⅔ per cent of the Loans", "What share is needed?", "open"),
        ("200 bps over the rate then in effect", "2% per annum in excess of the rate in effect", "What default interest applies?", "equal"),
        ("200 bps below the rate then in effect", "2% per annum in excess of the rate in effect", "What default interest applies?", "open"),
        ("200 bps a month over the rate in effect", "2% per annum in excess of the rate in effect", "What interest applies?", "different"),
        ("1 per cent of the amount prepaid", "1 per cent of the amount so prepaid", "What fee is payable?", "equal"),
        ("L+150", "1.50%", MARGIN, "equal"),
        ("L+175", "1.50%", MARGIN, "different"),
        ("S+175", "1.50%", MARGIN, "open"),  # another family than the question's
        # figures of one kind in exchanged places
        ("HSBC £5m; Barclays £10m", "HSBC £10m; Barclays £5m", "Who lends what?", "open"),
        ("Barclays £5m; HSBC £10m", "HSBC £5m; Barclays £10m", "Who lends what?", "open"),
        ("Tranche B £2m, Tranche A £3m", "Tranche A £2m, Tranche B £3m", "How large are they?", "open"),
        ("1% if drawn, 2% if undrawn", "2% if drawn, 1% if undrawn", "What fee is payable?", "open"),
        ("2% or 3%", "2% and 3%", "What is payable?", "open"),
        ("HSBC GBP 5m; Barclays GBP 10 million", "HSBC £5,000,000; Barclays £10,000,000", "Who lends what?", "equal"),
        ("between 2% and 3%", "from 2% and up to 3%", "What is payable between the two?", "equal"),
        # another currency
        ("$2,000", "£2,000", "What fee is payable?", "different"),
        ("¥2,000", "€2,000", "What fee is payable?", "different"),
        # another figure for all cases is wrong whatever gold's condition; the same figure says too much
        ("Five Business Days in all cases.", "three Business Days, if caused by an error", "How long is the grace period?", "different"),
        ("Three Business Days in all cases.", "three Business Days, if caused by an error", "How long is the grace period?", "open"),
        ("Three Business Days in every case.", "three Business Days", "How long is the grace period?", "open"),
    ],
)
def test_answers_that_are_one_value_in_another_form(answer: str, gold: str, question: str, verdict: str) -> None:
    assert compare_answers(answer, gold, question) == verdict


@pytest.mark.parametrize(
    ("question", "answer", "quote", "is_shown"),
    [
        ("How many Term Borrowings may be outstanding at once?", "ten", "no more than a total of ten Term Borrowings outstanding", True),
        ("How many Term Loans may be in effect?", "three", "Borrower shall not have more than 3 Term Loans in effect", True),
        ("How many LIBOR Rate Loans may there be?", "12", "up to twelve (12) LIBOR Rate Loans", True),
        ("How many LIBOR Rate Loans may there be?", "10", "ten days' notice of LIBOR Rate Loans", False),
        ("How many Term Loans may be in effect?", "three", "not more than 3 Swingline Loans and 5 Term Loans", False),
        ("Are the Borrowers jointly and severally liable?", "Yes.", "each Borrower shall be jointly and severally liable", True),
        ("Are the Borrowers jointly and severally liable?", "Yes.", "no Borrower shall be jointly and severally liable", False),
        (
            "Are there any Alternative Currencies on the Effective Date?",
            "No",
            "There are no Alternative Currencies as of the Effective Date",
            True,
        ),
        ("Are there any Alternative Currencies on the Effective Date?", "No", "the Alternative Currencies as of the Effective Date", False),
        ("Are the Borrowers jointly and severally liable?", "Yes.", "each Borrower shall be severally liable", False),
    ],
)
def test_a_quote_that_counts_or_states_what_is_asked_for(question: str, answer: str, quote: str, is_shown: bool) -> None:
    assert shows_answer(question, answer, subject_words(question, ""), quote) is is_shown


@pytest.mark.parametrize(
    ("reported", "accepted", "label"),
    [
        ("0.50% payable quarterly in arrears", ("0.50%",), "open"),
        ("0.50% payable annually in arrears", ("0.50%",), "open"),
        ("0.50% p.a.", ("0.50%",), "semantic_match"),
    ],
)
def test_a_fee_that_is_paid_at_other_times_gets_no_marks(reported: str, accepted: tuple[str, ...], label: str) -> None:
    gold = "0.50% of the Commitment Amount, payable annually in advance"
    assert rates.compare(reported, gold, accepted, Surroundings()).label == label


# ---- answers that go on in the words of their quote ----------------------------------------------------------------------------------

FEE = "Unless the Agent otherwise agrees, the New Lender shall, on the date of the transfer, pay a fee of £2,000."
RATIO = (
    "For each trailing four quarter period, Borrower will not permit the ratio of (a) EBITDA to (b) Interest to be less than 3.5 to 1.00."
)
OVERDUE = "in the case of overdue principal of or interest on any Loan, 2% plus the rate otherwise applicable to such Loan"
DUE = "Upon an Event of Default under Section 7.1(f), immediately and without notice, all Obligations shall become due and payable"


@pytest.mark.parametrize(
    ("answer", "gold", "quote", "is_right"),
    [
        ("£2,000, unless the Agent otherwise agrees.", "£2,000", FEE, True),
        ("£2,000, on the date of the transfer, unless the Agent otherwise agrees", "£2,000", FEE, True),
        ("£2,000, on the date of the transfer", "£2,000", FEE, False),  # the condition is left out
        ("£2,000, provided that the Agent otherwise agrees", "£2,000", FEE, False),
        ("£3,000, unless the Agent otherwise agrees", "£2,000", FEE, False),
        ("£2,000 monthly, unless the Agent otherwise agrees", "£2,000", FEE, False),
        ("$2,000, unless the Agent otherwise agrees", "£2,000", FEE, False),
        ("£2,000, unless the Borrower otherwise agrees", "£2,000", FEE, False),
        ("unless the Agent otherwise agrees", "£2,000", FEE, False),
        ("the New Lender shall", "£2,000", FEE, False),
        ("not less than 3.5 to 1.00, tested for each trailing four quarter period", "3.5 to 1.00", RATIO, True),
        ("not more than 3.5 to 1.00, tested for each trailing four quarter period", "at least 3.5 to 1.00", RATIO, False),
        ("less than 3.5 to 1.00 for each trailing four quarter period", "3.5 to 1.00", RATIO, False),
        ("2% plus the rate otherwise applicable to the Loan", "2%", OVERDUE, True),
        ("2 per cent. on the undrawn Loans", "2%", "a fee of 2 per cent. on the undrawn Loans", True),
        ("2 per cent. on the drawn Loans", "2%", "a fee of 2 per cent. on the undrawn Loans", False),
        ("2% minus the rate otherwise applicable to the Loan", "2%", OVERDUE, False),
        ("All Obligations become due and payable without notice.", "all Obligations become due and payable", DUE, True),
        ("All Obligations become due and payable upon notice.", "all Obligations become due and payable", DUE, False),
        ("All Obligations become due and payable, but not without notice.", "all Obligations become due and payable", DUE, False),
        # another row, another clause or another limb of the same quote
        ("2% (for Level II)", "2%", "for Level I, 2%, for Level II", False),
        ("2% (for Term Loans)", "2%", "for Revolving Loans 2%, for Term Loans nil", False),
        ("2% (Level Two Loans)", "2%", "Level One Loans 2% Level Two Loans", False),
        ("2% in the case of Term Loans", "2%", "in the case of Revolving Loans, 2%, and in the case of Term Loans, as agreed", False),
        ("2% in the case of Term Loans", "2%", "in the case of Revolving Loans 2% and, in the case of Term Loans, as agreed", False),
        ("2% in the case of Term Loans", "2%", "in the case of Revolving Loans, 2%, in the case of Term Loans, 3%", False),
        ("£2,000, on demand by the Agent", "£2,000", "the fee is £2,000 and interest is payable, on demand by the Agent, on it", False),
        ("£2,000, on demand by the Agent", "£2,000", "the Borrower shall pay £2,000; on demand by the Agent, it shall repay", False),
        ("£2,000, if the Agent asks", "£2,000", "the Borrower shall pay £2,000, provided that no fee is due, if the Agent asks", False),
    ],
)
def test_what_an_answer_adds_is_its_quote(answer: str, gold: str, quote: str, is_right: bool) -> None:
    assert (covers(answer, gold, "What applies?") and retells(answer, (quote,), "What applies?")) is is_right


CONDITIONS = (
    "unless the Agent otherwise agrees",
    "if the transfer takes effect",
    "subject to the consent of the Parent",
    "except in the first year",
)


@given(st.integers(1, 9999), st.lists(st.sampled_from(CONDITIONS), unique=True, max_size=4), st.sets(st.sampled_from(CONDITIONS)))
def test_an_answer_is_only_right_with_every_condition_of_its_quote(amount: int, quoted: list[str], given_: set[str]) -> None:
    quote = f"The Borrower shall pay £{amount}{''.join(f', {one}' for one in quoted)}"
    answer = f"£{amount}, {', '.join(sorted(given_))}"
    assert retells(answer, (quote,), "What fee is due?") is (given_ == set(quoted))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("in the judgment of an asset-based secured lender", "semantic_match"),
        ("an asset-based revolving credit facility", "semantic_match"),
        ("the valuation is asset-based. The Lenders make a revolving credit facility available", "open"),
    ],
)
def test_a_facility_is_asset_based_where_the_agreement_says_so_of_lending(text: str, label: str) -> None:
    around = Surroundings(document_text=text)
    assert facility_types.compare("asset-based revolving credit facility", "revolving credit facility", (), around).label == label


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("20 days after the end of the year", "20 days before the end of the year", "open"),
        ("20 days before the end of the year", "20 days after the end of the year", "open"),
        ("20 days before year end", "20 days before the year end", "equal"),
    ],
)
def test_a_question_that_names_both_sides_of_an_event(answer: str, gold: str, verdict: str) -> None:
    assert compare_answers(answer, gold, "How many days before or after the end of the year is the plan due?") == verdict


SCHEDULE = "Amortising: half-yearly instalments of GBP 812,500 from 31 May 2024 to 31 May 2028; GBP 9,437,500 on 30 November 2028"


@pytest.mark.parametrize(
    ("mine", "gold", "label"),
    [
        (SCHEDULE.replace("9,437,500", "9,437,000"), SCHEDULE, "wrong"),
        ("Rising from EUR 51,250 to EUR 61,000.00 a quarter", "Rising from EUR 51,250 to EUR 61,500.00 a quarter", "wrong"),
        (SCHEDULE.replace("GBP 9,437,500", "GBP 9,437,500.40"), SCHEDULE, "open"),  # by its cents
        (SCHEDULE.replace("812,500", "8,125").replace("9,437,500", "94,375"), SCHEDULE, "open"),  # in another unit
        (SCHEDULE.replace("of GBP", "of about GBP").replace("9,437,500", "9,400,000"), SCHEDULE, "open"),
        (SCHEDULE, SCHEDULE, "correct"),
    ],
)
def test_a_schedule_that_is_golds_but_for_an_amount_is_wrong(mine: str, gold: str, label: str) -> None:
    assert repayment.compare(mine, gold, (), NOTHING).label == label


def test_another_amount_that_an_accepted_schedule_has_is_not_wrong() -> None:
    mine = SCHEDULE.replace("9,437,500", "9,437,000")
    assert repayment.compare(mine, SCHEDULE, ("GBP 9,437,000 at the end",), NOTHING).label == "open"


ROWS = ("each 31 May and 30 November, commencing 31 May 2024 and ending 31 May 2028 £812,500", "30 November 2028 9,437,500")


@pytest.mark.parametrize(
    ("row", "quotes", "is_shown"),
    [
        (ROWS[0], ROWS, True),
        (ROWS[1], ROWS, True),
        (ROWS[1], ROWS[1:], False),  # the rows that are quoted do not have the other amount
        ("30 November 2028 9,437,000", (*ROWS, "30 November 2028 9,437,000"), False),
        ("31 May 2029 £812,500", (*ROWS, "31 May 2029 £812,500"), False),
        ("The Borrower shall repay the Loans on 30 November 2028", ROWS, False),
    ],
)
def test_a_schedule_is_shown_by_its_rows_together(row: str, quotes: tuple[str, ...], is_shown: bool) -> None:
    assert repayment.is_row(SCHEDULE, row, "\n".join(quotes)) is is_shown


DAY = "means 14 March 2032 (or, if such day is not a Business Day, the immediately preceding Business Day)"


@pytest.mark.parametrize(
    ("mine", "label"),
    [
        ("14 March 2032 (or, if such day is not a Business Day, the next following Business Day)", "open"),
        ("14 March 2032 provided that the Company may extend it", "open"),
    ],
)
def test_a_day_with_the_proviso_of_its_own_quote_is_the_day(mine: str, label: str) -> None:
    quotes = (DAY, "14 March 2032 provided that the Company may extend it")
    assert dates.compare(mine, "2032-03-14", (), Surroundings(quotes=quotes)).label == label


@pytest.mark.parametrize(
    ("mine", "gold", "label"),
    [
        ("2.85% then 3.10%, by FCCR", "initially 3.10%, thereafter 2.85% by FCCR", "open"),
    ],
)
def test_then_and_thereafter_are_one(mine: str, gold: str, label: str) -> None:
    assert rates.compare(mine, gold, (), NOTHING).label == label


@pytest.mark.parametrize(
    ("mine", "label"),
    [
        ("3.10% for EURIBOR Loans and 2.10% for Base Rate Loans, below every level of the Senior Leverage Ratio", "open"),
    ],
)
def test_a_rate_at_every_level_is_a_flat_one(mine: str, label: str) -> None:
    assert rates.compare(mine, "3.10% (EURIBOR Loans); 2.10% (Base Rate Loans)", (), NOTHING).label == label
