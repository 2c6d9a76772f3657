"""Answers in the words of their quotes: right ones are told by a sentence of a source, and each of their nearest wrong ones is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deterministic.clauses.index import build_index
from deterministic.values import KINDS
from judge.capabilities.qa.computed import operands
from judge.capabilities.qa.contradictions import (
    contradicts,
    denies_more,
    exchanges,
    has_another_figure,
    is_evasive,
    is_of_another_case,
)
from judge.capabilities.qa.singles import INTRODUCES, is_row
from judge.capabilities.qa.typed import compare_answers
from judge.capabilities.statements import covers, held_together, retells
from judge.capabilities.wording import in_full
from tests.capability_cases import PAGES, cite, context, document, judged

NOTICE = "such failure continues for 20 days after written notice of it has been given to the Company by the Trustee"
GRID = "Level I 1.10% Level II 1.35% Level III 1.60%"
TAX = "The Company may redeem the Notes, in whole but not in part, at any time, provided that it pays all accrued but unpaid coupons."
TEST = "Liquidity (certified on a quarterly basis and tested on an annual basis) not less than $8,000,000"
CONSENT = "without the consent of the Trustee (which shall not be unreasonably withheld, conditioned or delayed)"
LIMIT = "The ratio of Net Debt to Total Assets shall not at any time exceed 0.45 to 1."
REPLACED = "the Agent may be replaced on any Quarter Date with or without reasons by the Majority Holders"
CANCELLED = "The Commitments may be cancelled in whole or in part on five days' notice by the Company."
USE = "except that up to $7,000,000 of the Notes may be spent on fees, provided that the Tangible Net Worth is kept throughout"
FLOOR = "Each partial redemption shall be in a minimum amount of $300,000 and shall be in an integral multiple of $60,000."


@pytest.mark.parametrize(
    ("answer", "quote", "is_told"),
    [
        ("Twenty days after written notice given by the Trustee to the Company.", NOTICE, True),
        ("20 days\n• counted from written notice to the Company", NOTICE, True),
        ("20 days after written notice given by the Company to the Trustee.", NOTICE, False),
        ("20 days before written notice given by the Trustee to the Company.", NOTICE, False),
        ("20 days after written notice given by the Guarantor to the Company.", NOTICE, False),
        ("30 days after written notice given by the Trustee to the Company.", NOTICE, False),
        ("20 days after written notice, unless waived by the Trustee.", NOTICE, False),
        (
            "Yes, at any time and in whole; accrued coupons on the redeemed principal must be paid with it.",
            TAX,
            False,
        ),  # "not in part" is lost
        ("Yes, in whole but not in part, at any time.", TAX, True),
        ("Yes, in part but not in whole, at any time.", TAX, False),
        ("No. It is certified quarterly and tested annually.", TEST, True),
        ("No. It is tested quarterly and certified annually.", TEST, False),
        ("No – the Trustee's consent is required, but it must not be unreasonably withheld, conditioned or delayed.", CONSENT, True),
        ("No – the Trustee's consent is required, but it may be unreasonably withheld, conditioned or delayed.", CONSENT, False),
        ("No – the Company's consent is required, but it must not be unreasonably withheld.", CONSENT, False),
        ("Net Debt to Total Assets may not exceed 0.45 to 1 (45%).", LIMIT, True),
        ("Total Assets to Net Debt may not be less than 0.45 to 1.", LIMIT, False),
        ("Net Debt to Total Assets may not exceed 0.45 to 1 (54%).", LIMIT, False),
        ("USD 300,000, in integral multiples of USD 60,000.", FLOOR, True),
        ("USD 60,000, in integral multiples of USD 300,000.", FLOOR, False),
        ("USD 300,000, and no integral multiple of $60,000.", FLOOR, False),
        ("In the event that the coupons are not paid, 5%", "If the coupons are not paid, the rate is 5%", True),
        ("<0.45 to 1", LIMIT, False),
        (">0.45 to 1", LIMIT, False),
        ("≤0.45 to 1", LIMIT, True),
        ("USD 300,000, in multiples of USD 60,000.", FLOOR, True),
        # in the active what the quote says in the passive, with the same two parties in the same places
        ("The Majority Holders may replace the Agent on any Quarter Date with or without reasons.", REPLACED, True),
        ("The Agent may replace the Majority Holders on any Quarter Date with or without reasons.", REPLACED, False),
        ("The Majority Holders may not replace the Agent on any Quarter Date without reasons.", REPLACED, False),
        ("The Agent may be replaced by the Majority Holders on any Quarter Date with or without reasons.", REPLACED, True),
        ("The Agent may be replaced on any Quarter Date with or without reasons by the Majority Holders.", REPLACED, True),
        ("The Trustee may replace the Agent on any Quarter Date with or without reasons.", REPLACED, False),
        ("The Company may cancel the Commitments in whole or in part on five days' notice.", CANCELLED, True),
        ("The Commitments may cancel the Company in whole or in part on five days' notice.", CANCELLED, False),
        ("The Company may repay any Loan at any time.", "Any Loan may be repaid by the Company at any time.", True),
        ("The Company may cancel the Commitments in whole or in part on six days' notice.", CANCELLED, False),
        ("The Company shall cancel the Commitments in whole or in part on five days' notice.", CANCELLED, False),
        # a proviso behind the statement that it belongs to
        (
            "Up to $7,000,000 of the Notes may be spent on fees, provided that the Tangible Net Worth is kept throughout.",
            USE,
            True,
        ),
        ("Up to $7,000,000 of the Notes may be spent on fees, provided that the Tangible Net Worth is not kept.", USE, False),
        ("The Tangible Net Worth is kept throughout, provided that up to $7,000,000 may be spent on fees.", USE, False),
        ("Up to $8,000,000 of the Notes may be spent on fees, provided that the Tangible Net Worth is kept.", USE, False),
        ("1.35% (Level I)", GRID, False),
        ("1.35% (Level II)", GRID, False),  # a row: nobody can tell on which side the level stands
    ],
)
def test_an_answer_is_told_by_its_quote(answer: str, quote: str, is_told: bool) -> None:
    assert retells(answer, (quote,), "What applies?") is is_told


PARTIES = ("Company", "Trustee", "Guarantor", "Agent")


@given(st.integers(2, 90), st.permutations(PARTIES), st.sampled_from(("after", "before")))
def test_a_statement_with_its_parties_or_its_direction_exchanged_is_not_told(days: int, parties: list[str], side: str) -> None:
    giver, taker, other, _ = parties
    other_side = "before" if side == "after" else "after"
    quote = f"within {days} days {side} notice given by the {giver} to the {taker}"
    assert retells(f"{days} days {side} notice by the {giver} to the {taker}", (quote,), "When?")
    for wrong in (
        f"{days} days {side} notice by the {taker} to the {giver}",
        f"{days} days {side} notice by the {other} to the {taker}",
        f"{days} days {other_side} notice by the {giver} to the {taker}",
        f"{days + 1} days {side} notice by the {giver} to the {taker}",
        f"{days} days {side} notice by the {giver} to the {taker}, unless waived",
    ):
        assert not retells(wrong, (quote,), "When?"), wrong


@pytest.mark.parametrize(
    ("answer", "gold", "is_covered"),
    [
        ("20 days after written notice by the Trustee", "20 days after written notice", True),
        ("20 days", "20 days after written notice", False),
        ("10 days for coupons, 20 days for others", "20 days", False),  # its first figure is another one
        ("$900 (multiples of $300 in excess)", "$900 or an integral multiple of $300 in excess thereof", True),
        ("$900, multiples of $300", "$900 or an integral multiple of $300 in excess thereof", True),
        ("$900 (multiples of $200 in excess)", "$900 or an integral multiple of $300 in excess thereof", False),
        ("$300 (multiples of $900 in excess)", "$900 or an integral multiple of $300 in excess thereof", False),
        (">=40% of Shares", "40% or more of the issued and outstanding Shares", True),
        ("Yes, at any time", "Yes", True),
        ("No, at no time", "Yes", False),
        ("the lower of 2% and 3%", "2%, except in the first year", False),
    ],
)
def test_an_answer_has_all_of_a_right_one(answer: str, gold: str, is_covered: bool) -> None:
    assert covers(answer, gold, "What applies?") is is_covered


def test_quotes_support_an_answer_together_when_they_hold_every_phrase_of_it() -> None:
    quotes = ("Coupons are payable quarterly in arrears on each Coupon Date.", "“Coupon Date” means each March 31 and September 30.")
    answer = "Quarterly in arrears on each Coupon Date (March 31 and September 30)"
    assert held_together(answer, quotes, "When?") == {0, 1}
    assert held_together("Monthly in arrears on each Coupon Date (March 31 and September 30)", quotes, "When?") == frozenset()
    assert held_together(answer, quotes[:1], "When?") == frozenset()


@pytest.mark.parametrize(
    ("answer", "gold", "question", "is_wrong"),
    [
        ("the greater of 70% of Costs and 55% of Value", "the lesser of 70% of Costs and 55% of Value", "What is the cap?", True),
        ("the lower of 70% of Costs and 55% of Value", "the lesser of 70% of Costs and 55% of Value", "What is the cap?", False),
        ("the later of 2 Business Days after notice and 6 Business Days after delivery", "the earlier of two Business Days after notice, "
         "six Business Days after delivery of a report, and the Termination Date", "When?", True),
        ("90 days after the Maturity Date", "at least 90 days before the Maturity Date", "How long?", True),
        ("90 days prior to the Maturity Date", "at least 90 days before the Maturity Date", "How long?", False),
        ("at most 90 days before the Maturity Date", "at least 90 days before the Maturity Date", "How long?", True),
        ("within 15 days of notice", "15 days after notice", "How long?", False),
        ("The Company", "Lender, at its option", "Who decides?", True),
        ("The Administrative Agent", "the Lenders", "Who decides?", False),
        ("The Company or the Lender", "the Lender", "Who decides?", False),
        ("<40% of Shares", "40% or more of the issued and outstanding Shares", "What is the trigger?", True),
        (">=40% of Shares", "40% or more of the issued and outstanding Shares", "What is the trigger?", False),
        ("15 days from the due date", "15 days after written notice", "How long?", True),
        ("15 days from the due date, if notice was given", "15 days after written notice", "How long?", False),
        ("15 days after demand", "15 days after written notice", "How long?", False),
        ("Six days.", "none: it is an Event of Default at once", "What grace period?", True),
        ("Six days, for interest only", "none: it is an Event of Default at once", "What grace period?", False),
        ("None.", "0.00%", "What floor?", False),
        # what is one of two amounts, or depends on a condition, is none "in all cases"
        ("$700 in all cases.", "the lesser of $700 and the Borrowing Base", "What is the cap?", True),
        ("Always $700", "$700, unless the Agent agrees to more", "What is the cap?", True),
        ("$700 in all cases.", "$700", "What is the cap?", False),
        ("In all cases the lesser of $700 and the Base", "the lesser of $700 and the Borrowing Base", "What is the cap?", False),
        # a majority for all of them
        ("The consent of the Required Lenders", "each affected Lender", "Whose consent is needed?", True),
        ("All of the Banks", "the Majority Banks", "Who may waive it?", True),
        ("The Majority Banks", "the Required Banks", "Who may waive it?", False),
        ("The Required Lenders and each affected Lender", "each affected Lender", "Whose consent is needed?", False),
        ("The Majority Banks, not all Banks", "the Majority Banks", "Who may waive it?", False),
        ("Required Lenders: holders of more than 50%", "more than 50% of all Lenders' commitments", "Whose consent is needed?", False),
        ("Notice goes to the Required Lenders", "each Lender has notice", "What happens on a Default?", False),
        ("Not the Required Lenders", "all of the Lenders", "Whose consent is needed?", False),
    ],
)  # fmt: skip
def test_an_answer_that_turns_golds_round_is_wrong(answer: str, gold: str, question: str, is_wrong: bool) -> None:
    assert contradicts(answer, gold, question) is is_wrong


@pytest.mark.parametrize(
    ("answer", "gold", "is_nothing"),
    [
        ("It depends on the circumstances; please consult the Loan Documents.", "2%", True),
        ("It depends on the Pricing Level.", "the Pricing Level", False),
        ("See the agreement.", "as specified in the Agreement", False),
        ("It depends on the terms of the agreement, but is 2%.", "2%", False),
    ],
)
def test_words_without_anything_specific(answer: str, gold: str, is_nothing: bool) -> None:
    assert is_evasive(answer, gold) is is_nothing


@pytest.mark.parametrize(
    ("answer", "gold", "count"),
    [
        ("0.25% × $8,000,000 = $20,000.", "USD 20,000", 2),
        ("By USD 30 million ($50,000,000 less $20,000,000).", "$30,000,000", 2),
        ("25% - 18% = 7%", "7%", 2),
        ("By USD 30 million ($50,000,000 less $25,000,000).", "$30,000,000", 0),
        ("0.25% × $8,000,000 = $25,000.", "USD 20,000", 0),
        ("0.25% × $8,000,000 = $20,000 in each year.", "USD 20,000", 0),
        ("$20,000", "$20,000", 0),
    ],
)
def test_a_computed_answer_rests_on_its_two_figures(answer: str, gold: str, count: int) -> None:
    assert len(operands(answer, gold)) == count


MULTIPLE = "$600,000 (in multiples of $200,000)"
PRIME = "$200,000 if such Advance is a Prime Rate Advance"


@pytest.mark.parametrize(
    ("answer", "question", "quotes", "is_wrong"),
    [
        ("$200k", "Minimum Term Rate Advance?", (PRIME,), True),
        ("$200,000", "What is the minimum of a Fixed Advance?", ("For each Floating Advance $200,000",), True),
        ("$600k", "Minimum Term Rate Advance?", (PRIME,), False),
        ("$200k", "Minimum Prime Rate Advance?", (PRIME,), False),
        ("$200k", "Minimum Term Rate Advance?", ("$200,000 if it is a Prime Rate Advance or a Term Rate Advance",), False),
        ("$200k", "Minimum Term Rate Advance?", (), False),
        ("$600,000 and then $200,000", "Minimum Term Rate Advance?", (PRIME,), False),
        ("$200k is the multiple of the minimum", "Minimum Term Rate Advance?", (PRIME,), False),
    ],
)
def test_a_figure_that_its_quote_gives_for_another_case(answer: str, question: str, quotes: tuple[str, ...], is_wrong: bool) -> None:
    assert is_of_another_case(answer, MULTIPLE, question, quotes) is is_wrong


@pytest.mark.parametrize(
    ("answer", "is_other"),
    [
        ("$90mm less §4.2 cancellations", False),
        ("$90mm less §4.3 cancellations", True),
        ("$90,000,000 less cancellations under Clause 4.3", True),
        ("$90,000,000 less cancellations", False),
    ],
)
def test_another_section_in_an_answer_is_another(answer: str, is_other: bool) -> None:
    assert exchanges(answer, "$90,000,000 less cancellations under Section 4.2", "What is the most?") is is_other


DAY_COUNT = "Which day count applies?"


@pytest.mark.parametrize(
    ("answer", "gold", "question", "verdict"),
    [
        ("Act/360", "actual number of days elapsed over a year of 360 days", DAY_COUNT, "equal"),
        ("a 360-day year and the actual number of days", "Actual/360", DAY_COUNT, "equal"),
        ("Actual/360", "a year of 360 days and the actual number of days elapsed", DAY_COUNT, "equal"),
        ("Actual/365", "a year of 360 days and the actual number of days elapsed", DAY_COUNT, "different"),
        ("30/360", "Actual/360", DAY_COUNT, "different"),
        ("a year of 365 or 366 days, as the case may be, and actual days elapsed", "Actual/360", DAY_COUNT, "different"),
        ("365/366 days and actual days elapsed", "a year of 365 days (or 366) and actual days elapsed", DAY_COUNT, "equal"),
        ("a year of 365 or 366 days and actual days elapsed", "Actual/365", DAY_COUNT, "open"),
        ("Actual/365", "Actual/360", DAY_COUNT, "different"),
        ("Actual/360, or Actual/365 for Base Rate Loans", "Actual/360", DAY_COUNT, "open"),
        ("Yes, it may terminate without notice.", "No, an Event of Default is needed", "May the Lender terminate at once?", "different"),
        ("Yes, with the Lender's consent", "No", "May the Company merge without consent?", "open"),
        ("No.", "Yes", "May Notes be sold without consent?", "different"),
        # who pays whom, what is taken off what, another term, the limit that is not asked for
        ("The Trustee pays the Agent a fee of $700.", "$700, payable by the Agent to Trustee", "What fee is due and who pays it?", "open"),
        ("The Agent pays the Trustee a fee of $700.", "$700, payable by the Agent to Trustee", "What fee is due and who pays it?", "equal"),
        ("Debt plus Leases minus Cash, at most 2.5 to 1", "Debt minus Leases plus Cash, at most 2.5 to 1", "How is it defined?", "open"),
        ("30 days from receipt of the Sale Offer", "30 days from receipt of the Sale Notice", "How long is the offer open?", "open"),
        ("No less than $900", "$900", "Is there a cap on fees?", "open"),
        ("No more than $900", "$900", "Is there a cap on fees?", "equal"),
        # limits in signs
        ("≥40% of Shares", "at least 40% of Shares", "What is the trigger?", "equal"),
        (">=40% of Shares", "at least 40% of Shares", "What is the trigger?", "equal"),
        (">$1m", "in excess of $1,000,000", "What is the threshold?", "equal"),
        ("<40% of Shares", "at least 40% of Shares", "What is the trigger?", "open"),
        (">40% of Shares", "at most 40% of Shares", "What is the trigger?", "open"),
        # a place by its sign, a ratio without one
        ("$90mm less §4.2 cancellations", "$90,000,000 less cancellations under Section 4.2", "What is the most?", "equal"),
        ("$90mm less Sec. 4.2 cancellations", "$90,000,000 less cancellations under Section 4.2", "What is the most?", "equal"),
        ("$90mm plus §4.2 cancellations", "$90,000,000 less cancellations under Section 4.2", "What is the most?", "open"),
        ("1.75x", "1.75", "What is the minimum ratio?", "equal"),
        ("2.00x", "1.75", "What is the minimum ratio?", "different"),
        ("2.00 to 1.00", "1.75", "What is the minimum ratio?", "different"),
        ("175%", "1.75", "What is the minimum ratio?", "open"),
        ("6.10", "6.1", "Which clause is it?", "open"),
        ("<$1m", "in excess of $1,000,000", "What is the threshold?", "open"),
    ],
)
def test_answers_with_a_value_beside_their_nearest_ones(answer: str, gold: str, question: str, verdict: str) -> None:
    assert compare_answers(answer, gold, question) == verdict


NOTICE_DAYS = "How many days before the drawing must notice of a Sterling Loan be given?"


@pytest.mark.parametrize(
    ("answer", "quote", "is_told"),
    [
        ("Three days.", "Sterling Loan 3", True),
        ("3", "Notice of Drawing: 3", True),
        ("Two days.", "Sterling Loan 3", False),
        ("Three days.", "Euro Loan 3", False),  # another row
        ("Three days.", "Sterling Loan 3 Euro Loan 1", False),
        ("Three days.", "3", False),
    ],
)
def test_a_row_of_a_table_tells_its_count(answer: str, quote: str, is_told: bool) -> None:
    assert is_row(NOTICE_DAYS, answer, quote) is is_told
    assert INTRODUCES.search("so many days before the drawing as are specified below")
    assert not INTRODUCES.search("The Company shall give notice of each drawing.")


def test_rows_between_a_clause_and_its_first_sub_clause_are_its_items() -> None:
    rows = "1. Company\nAnnual accounts\n2. Company\nMonthly reports\n3. Company\nTax returns\n"
    text = f"2.1 Fees. None.\n9.4 Reports. The Company shall furnish:\n{rows}9.4.1 Accounts. As above.\n9.5 Visits. On request.\n"
    index = build_index(text)
    found = index.find("Section 9.4")
    assert found.status == "found"
    assert "9.4(2)" in {clause.number for clause in index.at(text.index("Monthly"), text.index("Monthly") + 5)}


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("if such rate shall be less than zero, it shall be deemed to be zero", True),
        ("a floor of zero", True),
        ("the Company has zero tolerance", False),
        ("if the balance is more than zero", False),
    ],
)
def test_a_floor_of_zero_in_words_supports_zero_per_cent(text: str, is_told: bool) -> None:
    assert KINDS["rate"].supports("0.00%", text) is is_told


FEE = (
    "The Company shall pay to the Trustee for the account of each Bank a fee of 0.40% per annum on the average daily unused amount, "
    "payable in arrears on the first day of March, June, September and December."
)
LAW = "This Deed is governed by the statutes of Ruritania, without regard to conflict of laws."
NEED = "No waiver shall postpone a scheduled payment of principal without the written consent of each Bank."
TRANSFER = "The Company shall not transfer any of its rights or duties without the written consent of the Trustee and each Bank."
STEP = "The margin shall be reduced to 1.25% once the Notes are listed."
DEMAND = "The amount of the excess shall, upon demand, be paid to the Trustee by the Company."
OWNERS = "“Owners” means Alder Fund LP, Birch Fund LP and their respective managers (but excluding any of their managers' staff)."
CURES = "The Company may cure up to three times, not in respect of consecutive quarters."


@pytest.mark.parametrize(
    ("right", "wrong", "quote"),
    [
        # for whose account
        ("0.40% per annum on the average daily unused amount, for the account of each Bank",
         "0.40% per annum on the average daily unused amount, for the account of the Trustee", FEE),
        # a list cut short at its end, in its middle, at its beginning
        ("payable in arrears on the first day of March, June, September and December",
         "payable in arrears on the first day of March and June", FEE),
        ("the first day of March, June, September and December", "the first day of March, June and December", FEE),
        ("the first day of March, June, September and December", "the first day of September and December", FEE),
        # what is denied
        ("The statutes of Ruritania, without regard to conflict of laws", "Not the statutes of Ruritania", LAW),
        ("Three times, not in respect of consecutive quarters", "Three times, not in respect of quarters", CURES),
        # a consent that is needed and one that is not
        ("No waiver shall postpone a scheduled payment without the written consent of each Bank",
         "No written consent of each Bank is needed.", NEED),
        ("No waiver shall postpone a scheduled payment without the consent of each Bank", "Consent of each Bank is not required.", NEED),
        ("No, it shall not transfer any of its rights without the written consent of the Trustee and each Bank",
         "No, no consent of each Bank is required.", TRANSFER),
        # "and" for "or", also beside another "or"
        ("The Company shall not transfer its rights without the written consent of the Trustee and each Bank",
         "The Company shall not transfer its rights without the written consent of the Trustee or each Bank", TRANSFER),
        # to a figure and by a figure
        ("reduced to 1.25% once the Notes are listed", "reduced by 1.25% once the Notes are listed", STEP),
        # a definition whole, with a comma for its bracket
        ("The Owners are Alder Fund LP, Birch Fund LP and their respective managers, but excluding any of their managers' staff",
         "The Owners are Alder Fund LP, Birch Fund LP and their respective managers, including any of their managers' staff", OWNERS),
        ("Owners means Alder Fund LP, Birch Fund LP and their respective managers, excluding any of their managers' staff",
         "Owners means Alder Fund LP, Birch Fund LP and their respective managers", OWNERS),
        ("Owners are Alder Fund LP, Birch Fund LP and their respective managers (but excluding any of their managers' staff)",
         "Owners are Alder Fund LP or Birch Fund LP and their respective managers (but excluding any of their managers' staff)", OWNERS),
        # who does it
        ("Upon demand the excess shall be paid to the Trustee by the Company", "Upon demand the Trustee shall pay the excess", DEMAND),
    ],
)  # fmt: skip
def test_the_nearest_wrong_answer_is_not_told(right: str, wrong: str, quote: str) -> None:
    assert not retells(wrong, (quote, right), "What applies?")
    assert retells(right, (quote,), "What applies?")


MONTHS = ("January", "March", "April", "June", "July", "September", "October", "December")


@given(st.lists(st.sampled_from(MONTHS), min_size=2, max_size=5, unique=True), st.data())
def test_a_list_of_months_is_told_whole_only(months: list[str], data: st.DataObject) -> None:
    quote = f"Coupons are payable on the last day of {', '.join(months[:-1])} and {months[-1]}."
    fewer = data.draw(
        st.lists(st.sampled_from(months), min_size=1, max_size=len(months) - 1, unique=True).map(lambda m: sorted(m, key=months.index))
    )
    assert retells(f"On the last day of {', '.join(months[:-1])} and {months[-1]}", (quote,), "When?")
    assert not retells(f"On the last day of {' and '.join(fewer)}", (quote,), "When?")


@pytest.mark.parametrize(
    ("answer", "gold", "question"),
    [
        ("At least the greater of $90 and 8% of Assets", "the greater of $90 and 8% of Assets", "How much may the Company draw?"),
        ("On 20 days' notice to the Banks or the Company", "on 20 days' notice to the Banks and the Company", "How may the Agent resign?"),
        (
            "On 20 days' notice from the Banks and the Company",
            "on 20 days' notice to the Banks and the Company",
            "How may the Agent resign?",
        ),
        ("3%, reduced by 2%", "3%, reduced to 2%", "What is the margin?"),
    ],
)
def test_answers_with_golds_figures_that_say_another_thing(answer: str, gold: str, question: str) -> None:
    assert compare_answers(gold, gold, question) == "equal"
    assert compare_answers(answer, gold, question) != "equal"


@pytest.mark.parametrize(
    ("answer", "gold", "is_other"),
    [
        # a liberty for a duty
        ("It must sell the Plant within 9 months", "It may sell the Plant within 9 months", True),
        ("It can sell the Plant within 9 months", "It may sell the Plant within 9 months", False),
        ("It may not sell the Plant", "It shall not sell the Plant", False),
        ("It must deliver the report it may be asked for", "It shall deliver the report that may be requested", False),
        # one party, event, provision, joint for another
        ("9 days from the earlier of the Agent giving notice to the Parent and the Agent knowing of it",
         "9 days from the earlier of the Agent giving notice to the Parent and the Parent knowing of it", True),
        ("9 days from the earlier of notice by the Agent and the Parent's knowledge of it",
         "9 days from the earlier of the Agent giving notice and the Parent knowing of it", False),
        ("9 Business Days of notice, if the error is technical", "9 Business Days of the due date, if the error is technical", True),
        ("9 Business Days of its due date, if the error is technical", "9 Business Days of the due date, if the error is technical", False),
        ("No. It does not apply to Section 7.11(a).", "No. It does not apply to Section 7.11(d).", True),
        ("No. It does not apply to Section 7.11(d), (e) or (f).", "No. It does not apply to Section 7.11(d).", False),
        ("2% if caused by floods and storms", "2% if caused by floods or storms", True),
        ("2%, if storms or floods caused it", "2% if caused by floods or storms", False),
        ("one of the next two quarters, by 0.50:1", "each of the next two quarters, by 0.50:1", True),
        ("from the 9th day after delivery", "until the 9th day after delivery", True),
        # a denial put in or left out
        ("Dividends while no Default occurred and is not continuing", "Dividends while no Default occurred and is continuing", True),
        ("Never, if it is drawn", "If it is not drawn, never", True),
        ("Not while any Loan is outstanding", "Never while any Loan is outstanding", False),
        ("No. The Parent may not do so.", "No", False),
        # what limits a thing that the answer names
        ("0.4% on the daily amount drawn", "0.4% on the daily amount available to be drawn", True),
        ("0.4% on the daily balance", "0.4% on the average daily balance", True),
        ("Swaps for at least 40% of the Loans", "Swaps for at least 40% of the outstanding Loans", True),
        ("0.4%", "0.4% on the average daily amount available to be drawn", False),
        ("0.4% on the average daily amount that is available to be drawn", "0.4% on the average daily amount available to be drawn", False),
    ],
)  # fmt: skip
def test_an_equal_answer_with_a_telling_word_exchanged_is_another(answer: str, gold: str, is_other: bool) -> None:
    assert exchanges(answer, gold, "What applies?") is is_other


@pytest.mark.parametrize(("modal", "outcome"), [("shall", "correct"), ("must", "correct"), ("may", "undecided")])
def test_an_answer_with_a_telling_word_exchanged_gets_no_marks(modal: str, outcome: str) -> None:
    cited = cite(3, "Clause 5.1", "The Borrower shall repay the Loans in twelve equal semi-annual instalments.")
    gold = {"answerable": True, "answer": "The Borrower shall repay the Loans in twelve equal semi-annual instalments"}
    output = {"answer": f"The Borrower {modal} repay the Loans in twelve equal semi-annual instalments.", "citations": [cited]}
    case = context("document_qa", output, gold | {"required_sections": ["Clause 5.1"]}, input={"question": "How are the Loans repaid?"})
    assert judged(case)["answer"].outcome == outcome


DRAWABLE = (*PAGES[:2], PAGES[2].replace("on the Available Commitment.", "on the amount available to be drawn by the Borrower."), PAGES[3])
FEE_QUOTE = "a fee computed at the rate of 0.90 per cent. per annum on the amount available to be drawn by the Borrower"


@pytest.mark.parametrize(
    ("answer", "gold", "outcome"),
    [
        ("0.90% per annum on the amount available to be drawn", "0.90% per annum", "correct"),
        ("The commitment fee is 0.90% per annum", "0.90% per annum", "correct"),  # the question's word
        ("0.90% per annum on the amount drawn", "0.90% per annum", "undecided"),  # the limit that its own quote has
        ("0.90% per annum on the amount drawn", "0.90% per annum on the amount drawn", "correct"),  # gold leaves it out, too
    ],
)
def test_an_answer_that_drops_a_limit_of_its_quote(answer: str, gold: str, outcome: str) -> None:
    output = {"answer": answer, "citations": [cite(3, "Clause 8.1(a)", FEE_QUOTE)]}
    truth = {"answerable": True, "answer": gold, "required_sections": ["Clause 8.1"]}
    text = document(pages=DRAWABLE)
    case = context("document_qa", output, truth, documents=(text,), input={"question": "What is the commitment fee?"})
    assert judged(case)["answer"].outcome == outcome


@pytest.mark.parametrize(
    ("answer", "sources", "is_more"),
    [
        (
            "The ratio is not increased, and shall in no event exceed 5:1",
            ("The ratio is increased, and shall in no event exceed 5:1",),
            True,
        ),
        ("The ratio is increased, and shall not exceed 5:1", ("The ratio is increased, and shall in no event exceed 5:1",), False),
        ("All is due without notice", ("All is due", "all shall be due without notice of any kind"), False),  # its quote denies as much
        ("All is not due without notice", ("All is due", "all shall be due without notice of any kind"), True),
        ("No. It may not be drawn again", ("No", "amounts may not be drawn again"), False),
    ],
)
def test_an_answer_that_denies_more_than_its_sources(answer: str, sources: tuple[str, ...], is_more: bool) -> None:
    assert denies_more(answer, sources) is is_more


SILENCE = "the Company shall be taken to have agreed ten Business Days after the Agent has given notice of the transfer"


@pytest.mark.parametrize(
    ("answer", "is_wrong"),
    [
        ("Yes, the Company is taken to have agreed fifteen Business Days after notice of the transfer", True),
        ("Yes. Ten Business Days after notice of the transfer it is taken to have agreed", False),
        ("Yes, 10 Business Days after notice of the transfer", False),
        ("Yes, fifteen Business Days after a reminder", False),  # not all of gold's words
        ("Yes, ten Business Days after notice of the transfer and fifteen Business Days in the case of an Affiliate", False),
    ],
)
def test_all_words_of_the_right_answer_with_another_figure_are_wrong(answer: str, is_wrong: bool) -> None:
    gold, asked = "Yes, ten Business Days after notice of the transfer", "Can silence be agreement?"
    assert has_another_figure(answer, gold, (SILENCE,), asked) is is_wrong
    assert not has_another_figure(answer, gold, ("the Company shall be taken to have agreed",), asked)


@pytest.mark.parametrize(
    ("answer", "gold", "quote", "is_wrong"),
    [
        ("EUR 4m of unused baskets in the next year", "EUR 3,000,000 of unused baskets in the next year", "EUR 3,000,000 of baskets", True),
        (
            "EUR 3m of unused baskets in the next year",
            "EUR 3,000,000 of unused baskets in the next year",
            "EUR 3,000,000 of baskets",
            False,
        ),
        ("80 bps of drawn amounts", "0.80% of drawn amounts", "0.80 per cent. of drawn amounts", False),
        ("85 bps of drawn amounts", "0.80% of drawn amounts", "0.80 per cent. of drawn amounts", True),
    ],
)
def test_another_figure_of_any_kind(answer: str, gold: str, quote: str, is_wrong: bool) -> None:
    assert has_another_figure(answer, gold, (quote,), "How much?") is is_wrong


@pytest.mark.parametrize(
    ("answer", "gold", "is_wrong"),
    [
        ("At all times, regardless of whether a Default is continuing.", "Only if a Default is continuing", True),
        ("Whenever it likes, even if no Trigger Event has occurred", "After a Trigger Event has occurred", True),
        ("If a Default is continuing, whether or not notice has been given", "Only if a Default is continuing", False),
        ("If a Default is continuing, whether or not the Default has been waived", "Only if a Default is continuing", False),
        ("At all times, whether or not drawn", "At all times; after drawing without notice", False),
        ("On each Quarter Date, irrespective of use", "On each Quarter Date, irrespective of use", False),
    ],
)
def test_an_answer_that_turns_the_only_condition_off_is_wrong(answer: str, gold: str, is_wrong: bool) -> None:
    assert contradicts(answer, gold, "When may the Lender do so?") is is_wrong


@pytest.mark.parametrize(
    ("answer", "gold", "verdict"),
    [
        ("Yes, only after three Business Days.", "No; a missed payment of principal counts at once", "different"),
        ("Yes. Such a default counts only within three Business Days", "No", "different"),
        ("Yes, only after consent of the Agent.", "No; a missed payment of principal counts at once", "open"),
        ("Yes, but only after ten days", "No", "open"),
        ("No, only after three Business Days.", "No; at once", "open"),
    ],
)
def test_a_yes_that_is_qualified_by_the_questions_own_figure_is_a_yes(answer: str, gold: str, verdict: str) -> None:
    assert compare_answers(answer, gold, "Do the three Business Days of grace apply to principal?") == verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if FCCR < 1.5x", "if Fixed Charge Coverage Ratio < 1.5"),
        ("on an EOD", "on an Event of Default"),
        ("2.5x", "2.5x"),
        ("USD 1.5 of EBITDA", "USD 1.5 of EBITDA"),
        ("ICR above 1.50x", "ICR above 1.50x"),
    ],
)
def test_initials_stand_for_the_words_of_the_right_answer(text: str, expected: str) -> None:
    assert in_full(text, "an Event of Default or a Fixed Charge Coverage Ratio of less than 1.5") == expected


def test_initials_and_a_turned_limit() -> None:
    gold = "60% of Net Cash Proceeds if the Senior Leverage Ratio is greater than 3.5"
    assert contradicts(in_full("60%, if SLR < 3.5x", gold), gold, "Which share is swept?")
    assert not contradicts(in_full("60%, if SLR > 3.5x", gold), gold, "Which share is swept?")


ORDER = "first Agency Fees, second Coupons, third Notes, then cash cover for Guarantees"


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("First to the Agency Fees, second to the Coupons, third to the Notes, and then to cash cover for Guarantees.", "equal"),
        ("first, Agency Fees; second, Coupons; third, Notes; then, cash cover for Guarantees", "equal"),
        ("First to the Coupons, second to the Agency Fees, third to the Notes, and then to cash cover for Guarantees.", "open"),
        ("First to the Agency Fees, second to the Coupons or Notes, and then to cash cover for Guarantees.", "open"),
        ("First to up to the Agency Fees, second to the Coupons, third to the Notes, and then to cash cover for Guarantees.", "open"),
    ],
)
def test_an_order_of_ranks_is_one_however_its_ranks_are_joined(answer: str, verdict: str) -> None:
    assert compare_answers(answer, ORDER, "In what order are receipts applied?") == verdict
