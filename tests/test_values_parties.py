"""Parties: legal forms, spellings, wrong parties, lists of guarantors, occurrence, roles."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.documents import Document
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.values import Surroundings, parties, party_lists, party_names
from deterministic.values.comparison import as_text
from deterministic.values.roles import is_only_other_role, roles_of

NOTHING = Surroundings()

SAME = [
    ("Acme Pte. Ltd.", "Acme Private Limited"),
    ("Acme Pvt. Ltd.", "Acme Private Limited"),
    ("Acme Ltd", "Acme Limited"),
    ("Acme PLC.", "Acme public limited company"),
    ("Acme Co., Ltd.", "Acme Company Limited"),
    ("Acme Corp.", "Acme Corporation"),
    ("Acme, Inc.", "Acme Incorporated"),
    ("Acme L.L.C.", "Acme LLC"),
    ("Acme, L.P.", "Acme Limited Partnership"),
    ("First Bank, N.A.", "First Bank, National Association"),
    ("First Bank N. A.", "First Bank NA"),
    ("Acme S.à r.l.", "Acme Sarl"),
    ("Acme S. à r. l.", "ACME S.A R.L."),
    ("Acme GmbH", "Acme Gesellschaft mit beschränkter Haftung"),
    ("Acme GmbH & Co. KG", "Acme GmbH und Co KG"),
    ("Acme AG", "Acme Aktiengesellschaft"),
    ("Acme S.p.A.", "Acme SpA"),
    ("Acme Sdn. Bhd.", "Acme Sendirian Berhad"),
    ("Acme B.V.", "Acme BV"),
    ("Acme A/S", "Acme AS"),
    ("Acme K.K.", "Acme Kabushiki Kaisha"),
    ("PT Acme Tbk", "PT. Acme, Tbk."),
    ("Acme Pty Ltd", "Acme Proprietary Limited"),
    ("The Acme Bank plc", "Acme Bank plc"),
    ("Smith & Sons Limited", "Smith and Sons Limited"),
    ("Société Générale", "Societe Generale"),
    ("O’Neill Ltd", "ONeill Limited"),
    ("J.P. Morgan SE", "JP Morgan SE"),
    ("U.S. Bank National Association", "US Bank N.A."),
    ("Acme (Asia) Pte. Ltd.", "Acme Asia Pte Ltd"),
    ("Acme II, LLC", "Acme II LLC"),
    ("Acme Limited (the “Borrower”)", "Acme Limited"),
    ("Acme Limited, a company incorporated in Hong Kong", "Acme Limited"),
    ("Acme Bank plc, as Administrative Agent", "Acme Bank plc"),
    ("Acme Pte. Ltd. (UEN 200012345K)", "Acme Pte. Ltd."),
    ("Acme Bank plc, as Administrative Agent for the Lenders", "Acme Bank plc"),
    ("Acme Trust Company, in its capacity as trustee for the Noteholders", "Acme Trust Company"),
    ("Acme Intl Hldgs Ltd", "Acme International Holdings Limited"),
    ("Acme Int'l Svcs Inc.", "Acme International Services, Inc."),
]
OTHER = [
    ("Acme GmbH", "Acme GmbH & Co. KG"),
    ("Acme Pte. Ltd.", "Acme Ltd."),
    ("Acme plc", "Acme Limited"),
    ("Acme", "Acme Limited"),
    ("Acme Inc.", "Acme Corp."),
    ("Acme II, LLC", "Acme III, LLC"),
    ("North Sea Bank", "Sea North Bank"),
    ("Acme Holdings Limited", "Acme Limited"),
    ("Acme Limited, London Branch", "Acme Limited"),
    ("Acme, as Trustee Services Limited", "Acme Limited"),
    ("Acme Limited (Singapore Branch)", "Acme Limited"),
    ("", "Acme Limited"),
    ("Acme Intl Ltd", "Acme Interstate Limited"),
    ("Entities on Sched. 4(b)", "the Entities named in Schedule 4(a)"),
    ("Foreign Subsidiaries", "each Domestic Subsidiary"),
    ("certain Material Subsidiaries", "all Material Subsidiaries"),
]


@pytest.mark.parametrize(("reported", "gold"), SAME)
def test_spellings_of_one_party_are_a_semantic_match(reported: str, gold: str) -> None:
    assert parties.compare(reported, gold, (), NOTHING).label == "semantic_match"
    assert parties.compare(gold, reported, (), NOTHING).label == "semantic_match"


@pytest.mark.parametrize(("reported", "gold"), OTHER)
def test_another_name_or_legal_form_is_never_equal(reported: str, gold: str) -> None:
    assert parties.compare(reported, gold, (), NOTHING).label == "open"


def test_case_and_white_space_are_free() -> None:
    assert parties.compare("KESTREL  LEASING\nLIMITED", "Kestrel Leasing Limited", (), NOTHING).label == "correct"


def test_an_accepted_name_is_a_semantic_match_wherever_it_stands() -> None:
    surroundings = Surroundings(quotes=("VHB Agency Services as agent",))
    assert parties.compare("VHB Agency Services", "Victoria Bank Limited", ("VHB Agency Services",), surroundings).label == "semantic_match"


def test_the_spelling_of_the_source_is_correct() -> None:
    assert parties.compare("Acme Ltd.", "Acme Limited", (), Surroundings(quotes=("ACME LTD. as borrower",))).label == "correct"


TEXT = """(1) KESTREL AVIATION LEASING
LIMITED, a company incorporated in Hong Kong, as borrower (the “Borrower”);
(2) Kestrel Engine Services Pte. Ltd. as guarantor; (3) Acme Corp Ltd and (4) J.P. Morgan SE, as agent of the Lenders"""


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("Kestrel Aviation Leasing Ltd", True),
        ("Kestrel Engine Services Private Limited", True),
        ("JP Morgan SE", True),
        ("Acme Corporation Limited", True),
        ("Acme Corp", False),
        ("Kestrel Limited", False),
        ("Aviation", True),
        ("Avia", False),
        ("Leasing Kestrel", False),
        ("", False),
    ],
)
def test_names_are_found_on_token_boundaries(name: str, is_there: bool) -> None:
    assert parties.supports(name, TEXT) == is_there
    assert parties.occurs(name, Document.from_pages("a.pdf", [TEXT])) == is_there


def test_every_name_of_a_list_must_be_there() -> None:
    document = Document.from_pages("a.pdf", [TEXT])
    assert parties.occurs(["Kestrel Aviation Leasing Limited", "J.P. Morgan SE"], document)
    assert not parties.occurs(["Kestrel Aviation Leasing Limited", "Nobody Limited"], document)


GOLD = ["Kestrel Group Holdings Limited", "Kestrel Engine Services Pte. Ltd."]


@pytest.mark.parametrize(
    ("reported", "label"),
    [
        (list(reversed(GOLD)), "correct"),
        ([name.upper() for name in GOLD], "correct"),
        (["Kestrel Group Holdings Ltd", "Kestrel Engine Services Private Limited"], "semantic_match"),
        (GOLD[:1], "partial"),
        ([GOLD[0], GOLD[0]], "partial"),
        ([*GOLD, "Acme Limited"], "wrong"),
        (["Acme Limited"], "wrong"),
        ([], "wrong"),
        (GOLD[0], "partial"),
        ([GOLD[0], "KES"], "semantic_match"),
    ],
)
def test_guarantors_compare_as_a_set(reported: list[str] | str, label: str) -> None:
    assert party_lists.compare(reported, GOLD, ("KES",), NOTHING).label == label


CLASSES = ["the Entities named in Schedule 4(b)", "each Foreign Subsidiary bound to accede as a Guarantor under Section 23.5"]
BESIDE_CLASSES = Document.from_pages("a.pdf", ["The Guarantors: the Entities named in Schedule 4(b). Tern Holdings Limited is a Lender."])


@pytest.mark.parametrize(
    "reported",
    [
        ["Entities on Sched. 4(b)", "Foreign Subsidiaries bound to accede as Guarantors (§23.5)"],
        ["Those entities listed in Sch. 4(b)", "any Foreign Subsidiary bound to accede as a Guarantor (Sec. 23.5)"],
        "The entities specified in Schedule 4(b); Foreign Subs bound to accede as Guarantors under sec. 23.5",
    ],
)
def test_a_class_of_parties_is_told_in_other_words_and_is_no_name(reported: list[str] | str) -> None:
    around = Surroundings(document_text=BESIDE_CLASSES.text)
    assert party_lists.compare(reported, CLASSES, (), around).label in ("semantic_match", "open" if "Those" in reported[0] else "")
    assert party_lists.parts(reported) == ()


@pytest.mark.parametrize(
    ("reported", "label"),
    [
        (["Entities on Sched. 4(a)", CLASSES[1]], "open"),  # another schedule
        ([CLASSES[0], "Material Subsidiaries"], "open"),  # another class
        ([CLASSES[0]], "partial"),
        (["the Entities named"], "open"),  # words of the document, and no class of gold's
        ([*CLASSES, "Guarantors"], "open"),
        ([*CLASSES, "Wren Power Limited"], "wrong"),  # a name among descriptions is one
    ],
)
def test_another_class_is_no_match_and_a_name_beside_a_class_is_a_name(reported: list[str], label: str) -> None:
    assert party_lists.compare(reported, CLASSES, (), Surroundings(document_text=BESIDE_CLASSES.text)).label == label
    assert party_lists.parts(reported) == (("Wren Power",) if label == "wrong" else ())


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("Guarantor Subsidiaries", "each Guarantor Subsidiary", "semantic_match"),
        ("All of the Guarantor Subsidiaries", "each Guarantor Subsidiary", "semantic_match"),
        ("Material Subsidiary of the Borrower", "each Material Subsidiary of the Borrower", "semantic_match"),
        ("the Subsidiary Guarantors", "every Subsidiary Guarantor", "semantic_match"),
        ("Guarantor Subsidiaries (each wholly owned one other than excluded ones)", "each Guarantor Subsidiary", "open"),
        ("Mortgage Subsidiaries", "each Guarantor Subsidiary", "open"),  # another kind, or gold's by another name
        ("wholly owned restricted ones", "each Guarantor Subsidiary", "open"),
        ("each Guarantor Subsidiary; Tern Bank", "each Guarantor Subsidiary", "wrong"),  # a party beside the class
        ("each Guarantor Subsidiary and Tern Holdings Ltd", ["each Guarantor Subsidiary", "Tern Holdings Ltd"], "correct"),
        ("each Guarantor Subsidiary and Wren Power Ltd", ["each Guarantor Subsidiary", "Tern Holdings Ltd"], "wrong"),
        ("each Guarantor Subsidiary; Issuing Bank", "each Guarantor Subsidiary", "open"),  # a role, and no name
        ("Wren Power Limited", "each Guarantor Subsidiary", "wrong"),
    ],
)
def test_a_class_is_one_in_the_singular_and_the_plural_and_only_a_name_is_another_party(
    reported: str, gold: str | list[str], label: str
) -> None:
    assert party_lists.compare(reported, gold, (), Surroundings(document_text=BESIDE_CLASSES.text)).label == label


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Guarantor Subsidiaries (each wholly owned one other than excluded ones)", ()),
        ("Mortgage Subsidiaries", ("Mortgage",)),
        ("restricted ones that are wholly owned", ()),
        ("each Guarantor Subsidiary and Wren Power Ltd", ("Wren Power",)),
        ("Wren Subsidiaries", ("Wren",)),
        ("Wren Bank", ("Wren",)),
        ("the Account Bank", ()),
        ("wren power ltd", ("wren power",)),
    ],
)
def test_only_what_reads_as_a_name_can_be_an_invented_party(value: str, names: tuple[str, ...]) -> None:
    assert party_lists.parts(value) == names


def test_an_abbreviated_name_is_looked_for_in_full() -> None:
    assert parties.occurs("Tern Hldgs", BESIDE_CLASSES)
    assert not parties.occurs("Tern Svcs", BESIDE_CLASSES)


def test_each_reported_name_is_matched_by_itself() -> None:
    matches = party_lists.match_names(["Kestrel Group Holdings Ltd", "Acme Limited"], GOLD, (), NOTHING)
    assert [(match.gold, match.label) for match in matches] == [(GOLD[0], "semantic_match"), (None, "open")]


ROLES = """(1) KESTREL AVIATION LEASING LIMITED, a private limited company incorporated in Hong Kong, as borrower (the “Borrower”);
(2) KESTREL GROUP HOLDINGS LIMITED, a company incorporated in Bermuda, as guarantor of the obligations of the Borrower;
(3) VICTORIA HARBOUR BANK LIMITED as agent of the other Finance Parties (the “Facility Agent”); and
(4) DELACROIX & CIE, HONG KONG BRANCH as mandated lead arranger and original lender; and
(5) Trent Bank plc as security agent and trustee for the Secured Parties (the “Security Agent”)."""


@pytest.mark.parametrize(
    ("text", "name", "field", "is_other"),
    [
        (ROLES, "Kestrel Aviation Leasing Limited", "borrower", False),
        (ROLES, "Kestrel Group Holdings Limited", "guarantors", False),
        (ROLES, "Kestrel Group Holdings Limited", "borrower", True),
        (ROLES, "Victoria Harbour Bank Limited", "facility_agent", False),
        (ROLES, "Delacroix & Cie, Hong Kong Branch", "facility_agent", True),
        (ROLES, "Trent Bank PLC", "facility_agent", True),
        ("“Security Agent” means Trent Bank plc.", "Trent Bank plc", "facility_agent", True),
        ("“Agent” means Trent Bank plc.", "Trent Bank plc", "facility_agent", False),
        ("Trent Bank plc as Administrative Agent and Collateral Agent", "Trent Bank plc", "facility_agent", False),
        ("Trent Bank plc (the “Facility Agent”) and Foo Bank plc as Security Agent", "Foo Bank plc", "facility_agent", True),
        ("Trent Bank plc (the “Facility Agent”) and Foo Bank plc as Security Agent", "Trent Bank plc", "facility_agent", False),
        ("Foo Bank plc as Security Agent and Trent Bank plc (the “Facility Agent”)", "Foo Bank plc", "facility_agent", True),
        ("The Borrower shall pay to Trent Bank plc", "Trent Bank plc", "facility_agent", False),
        ("TRENT BANK PLC", "Trent Bank plc", "facility_agent", False),
        ("Trent Bank plc as security agent", "Trent Bank plc", "governing_law", False),
    ],
)
def test_a_party_named_only_in_another_role_is_told_apart(text: str, name: str, field: str, is_other: bool) -> None:
    assert is_only_other_role(text, name, field) == is_other


def test_all_roles_of_a_party_are_given() -> None:
    assert roles_of(ROLES, "Delacroix & Cie, Hong Kong Branch") == {"arranger", "lender"}


def test_the_table_of_forms_has_one_meaning_a_spelling() -> None:
    assert len(set(LEGAL_FORMS.values())) > 120
    assert all(form.startswith("§") for form in LEGAL_FORMS.values())


NAMES = st.text("ABCdefé &.,'-()", min_size=1, max_size=25)


@settings(max_examples=150, deadline=None)
@given(NAMES, NAMES)
def test_comparison_of_names_is_symmetric_and_never_crashes(one: str, other: str) -> None:
    assert parties.compare(one, other, (), NOTHING).label == parties.compare(other, one, (), NOTHING).label
    roles_of(one, other)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_name_stands_in_a_text_that_holds_it_between_commas(name: str, rest: str) -> None:
    key = party_names.name_key(name)
    is_number = as_text(name) != " ".join(name.split())  # "0E0", which is read as a figure
    if key and not is_number and not any(len(word) == 1 for word in key):
        assert parties.supports(name, f"{rest}, (x9) {name}, y9") or not key[-1].isalnum()


AGREEMENT = """Acme Savings and Trust Association, doing business as Blue Harbor Bank, as agent (the "Agent"),
and Corn Belt Bank, N.A. ("Corn Belt").
Old Mill Company, formerly known as Grist Works Company. The Existing Agreement among Borrower and Dover Chase Bank, N.A., as agent.
Puffin (Delaware), Inc., as agent, and The Puffin Bank, as issuer. Bank of Gull Puffin arranges. Heron Finance, Inc. (the "Heron Bank").
Gannet Homes, Inc. and the Stone Agreement with Gannet Homes, LLC.
Petrel, LLC, and Petrel, Inc., its successor by conversion to Petrel, LLC.
Skua AG, Zug (Skua, Inc.)."""


@pytest.mark.parametrize(
    ("reported", "gold", "label"),
    [
        ("Acme Savings and Trust Association (d/b/a Blue Harbor Bank)", "Acme Savings and Trust Association", "semantic_match"),
        ("Acme Savings and Trust Association, trading as Blue Harbor Bank", "Acme Savings and Trust Association", "semantic_match"),
        ("Acme Savings and Trust Association doing business as Blue Harbor Bank", "Acme Savings and Trust Association", "semantic_match"),
        ("Acme Savings and Trust Association (d/b/a Red Harbor Bank)", "Acme Savings and Trust Association", "open"),
        ("Corn Belt Bank, N.A.", "Acme Savings and Trust Association", "wrong"),
        ("Dover Chase Bank, N.A.", "Acme Savings and Trust Association", "wrong"),
        ("Blue Harbor Bank", "Acme Savings and Trust Association", "open"),  # its trade name
        ("Corn Belt", "Acme Savings and Trust Association", "open"),  # a defined term may be anybody's
        ("Grist Works Company", "Old Mill Company", "open"),  # its former name
        ("The Bank of Elsewhere", "Acme Savings and Trust Association", "open"),
        ("The Puffin Bank", "Puffin (Delaware), Inc.", "wrong"),  # a bank is not the company of its group
        ("Puffin Bank", "Puffin, Inc.", "open"),
        ("Bank of Gull Puffin", "Puffin (Delaware), Inc.", "open"),  # may be what it trades under
        ("Heron Bank", "Heron Finance, Inc.", "open"),  # its defined term
        ("Gannet Homes, LLC", "Gannet Homes, Inc.", "wrong"),  # two legal persons of one name
        ("Gannet Homes, L.P.", "Gannet Homes, Inc.", "open"),  # the document has none
        ("Petrel, LLC", "Petrel, Inc.", "open"),  # one that changed its form
        ("Skua, Inc.", "Skua AG", "open"),  # its name in another language
    ],
)
def test_a_trade_name_is_checked_for_itself_and_another_party_is_wrong(reported: str, gold: str, label: str) -> None:
    assert parties.compare(reported, gold, (), Surroundings(document_text=AGREEMENT)).label == label


def test_a_trade_name_is_no_part_that_could_make_the_name_invented() -> None:
    plain = parties.parts("Acme Savings and Trust Association")
    assert parties.parts("Acme Savings and Trust Association (d/b/a Red Harbor Bank)") == plain != ()


def test_an_accepted_trade_name_does_not_reopen_another_party() -> None:
    found = parties.compare(
        "Corn Belt Bank, N.A.", "Acme Savings and Trust Association", ("Blue Harbor Bank",), Surroundings(document_text=AGREEMENT)
    )
    assert found.label == "wrong"


@pytest.mark.parametrize(
    ("reported", "label"),
    [
        ("Gannet Homes, LLC; each Subsidiary Guarantor", "wrong"),
        ("Gannet Homes, Incorporated; each Subsidiary Guarantor", "semantic_match"),
        ("Gannet Homes; each Subsidiary Guarantor", "open"),
        ("Gannet Homes, L.P.; each Subsidiary Guarantor", "open"),  # the document has none
    ],
)
def test_another_legal_person_of_the_name_in_a_list(reported: str, label: str) -> None:
    around = Surroundings(document_text=AGREEMENT)
    assert party_lists.compare(reported, "Gannet Homes, Inc.; each Subsidiary Guarantor", (), around).label == label
