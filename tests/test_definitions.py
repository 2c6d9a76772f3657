"""Defined terms: what a quote that uses them supports (design/support.md)."""

from deterministic.documents.documents import Document
from judge.capabilities.definitions import definition_ranges, meant_terms

DEAL = Document.from_pages(
    "deal.pdf",
    [
        "Deal\nTHIS AGREEMENT (this “Agreement”) is between ALDERNEY PORTS LIMITED (the “Borrower”) and CREWE BANK PLC (the “Agent”).\n",
        "Deal\n1. DEFINITIONS\n1.1 Definitions\n“Commitment” means £40,000,000.\n“Final Maturity Date” means 3 May 2031.\n"
        "“Liquidity” means cash held by an Obligor.\n“Obligor” means the Borrower or a guarantor.\n"
        "“Termination Date” means the Final Maturity Date.\n“Total Commitments” means the aggregate of the Commitment.\n"
        "“Overadvance” means Utilisations above the Total Commitments.\n“Business” means what the Group does in the course of business.\n"
        "2. THE FACILITY\n2.1 The Lender makes the Total Commitments available.\n",
    ],
)


def test_terms_are_found_in_their_defined_spelling() -> None:
    assert meant_terms(DEAL, "the Total Commitments of the borrower") == ("Total Commitments",)
    assert meant_terms(DEAL, "a final maturity date for each Obligor") == ("Final Maturity Date", "Obligor")


def test_one_word_in_small_letters_is_a_term_where_the_document_never_writes_it_so() -> None:
    assert meant_terms(DEAL, "bullet, subject to prepayment of overadvances") == ("Overadvance",)
    assert meant_terms(DEAL, "the agent, the borrower, its business and liquidity") == ("Liquidity",)


def test_the_agreement_itself_has_no_definition_to_show() -> None:
    assert definition_ranges(DEAL).keys() >= {"Borrower", "Agent"} and "Agreement" not in definition_ranges(DEAL)
