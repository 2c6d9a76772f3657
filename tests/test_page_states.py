"""Text layers that can be read, in any language, and those that cannot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deterministic.documents.page_states import has_common_words, is_garbled, page_state

ENGLISH = (
    "The Borrower shall pay to the Agent a fee on the undrawn amount of the Commitments of the Lenders within five Business Days. " * 3
)
GERMAN = (
    "Der Darlehensnehmer zahlt der Bank die vereinbarten Zinsen und Gebühren für den nicht in Anspruch genommenen Teil des Darlehens. " * 3
)
FRENCH = "L’Emprunteur verse à la Banque les intérêts et commissions convenus sur le montant non utilisé du crédit pendant la période. " * 3
CHINESE = "借款人应当按照本协议的约定向贷款人支付利息和费用，逾期未付的，应当承担违约责任。" * 6
ARABIC = "يلتزم المقترض بأن يدفع إلى البنك الفوائد والرسوم المتفق عليها في هذا العقد " * 5
THAI = "ผู้กู้ตกลงชำระดอกเบี้ยและค่าธรรมเนียมให้แก่ธนาคารตามสัญญานี้" * 5
RUSSIAN = "Заёмщик обязуется уплатить Банку проценты и комиссии по настоящему договору в установленный срок. " * 4
TABLE = "1,250,000.00 2.50% 30/06/2031\n" * 30
NAMES = "BNP PARIBAS\nHSBC BANK PLC\nDBS BANK LTD.\nKFW IPEX-BANK GMBH\nNRW.BANK\nSMBC\nMUFG BANK, LTD.\n" * 3
INITIALS = "LLC LTD PLC PTY NV BV SARL KGK SCSP\n" * 3


@pytest.mark.parametrize(
    "text",
    [ENGLISH, GERMAN, FRENCH, CHINESE, ARABIC, THAI, RUSSIAN, TABLE, NAMES, INITIALS, ENGLISH.upper(), "", "14", " ".join(ENGLISH[:200])],
)
def test_readable_text(text: str) -> None:
    assert not is_garbled(text)
    assert page_state(text, 0.0, bool(text)) == "text"


def shift(text: str) -> str:
    return "".join(chr(ord(c) - 29) if c.isalpha() and c.isascii() else c for c in text)


@pytest.mark.parametrize(
    "text",
    [
        shift(ENGLISH),
        "\ufffd" * 60 + " Page 3",
        "\x02\x03\x04\x05\x06 \x07\x08\x0e" * 20,
        "\uf041\uf042\uf043 \uf044\uf045" * 20,
        "".join(chr(c) for c in (0x33D, 0xB5C, 0x4A8, 0x1E5, 0x1B9, 0xE5F, 0x104E, 0x5D0, 0x391, 0x627)) * 20,
    ],
)
def test_text_that_is_not_what_a_reader_sees(text: str) -> None:
    assert is_garbled(text)
    assert page_state(text, 0.0, True) == "garbled"


@pytest.mark.parametrize(
    ("text", "share", "has_ink", "state"),
    [
        ("", 0.0, False, "text"),
        ("", 0.0, True, "empty"),
        ("", 0.9, True, "scan"),
        ("Received 1 May 2030", 0.9, True, "scan"),
        ("Logo page with a short title", 0.1, True, "text"),
        (ENGLISH, 1.0, True, "text"),
    ],
)
def test_states_of_pages_with_few_characters(text: str, share: float, has_ink: bool, state: str) -> None:
    assert page_state(text, share, has_ink) == state


def test_character_codes_are_taken_only_where_they_make_words() -> None:
    assert has_common_words(ENGLISH) and has_common_words(GERMAN)
    assert not has_common_words(shift(ENGLISH)) and not has_common_words("The end")


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_text_has_a_state(text: str) -> None:
    assert page_state(text, 0.0, True) in ("text", "empty", "garbled")


ROTATED = str.maketrans("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza")
LINES = """The Lender makes available to the Borrower a term loan facility.
This Agreement is governed by the law of Singapore and shall not be amended.
The rate of interest is the aggregate of the Margin and that of Term SOFR for each period.
No Event of Default under any Clause occurs if it is remedied within five Business Days.
The Borrower shall pay the Fee with all other sums which are due from it."""


@pytest.mark.parametrize(
    "text",
    [
        LINES.lower().translate(ROTATED),
        "".join(c if c == "\n" else chr(ord(c) + 1) for c in LINES),
        "".join(c if c.isupper() or c == "\n" else chr(ord(c) + 0x45) for c in LINES),
        "".join(chr(0x10000 + ord(c)) for c in ENGLISH),
        "".join(chr(ord(c) - 32) if c.isupper() else c.upper() for c in LINES),
    ],
    ids=["letters by one", "all by one", "small letters are signs", "counted beyond the map", "capitals are signs"],
)
def test_character_maps_that_are_off(text: str) -> None:
    assert is_garbled(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://www.example.com/a?b=1&c=2#d $5,000,000 US$55,200,000 +65 6123 4567\n" * 6,
        "i=0 x2+y2 n+1 k=1 f(x)=a+b of the sum and the product in a ring\n" * 6,
        "Tranche;Margin;Fee\nA;2.50;1\nB;2.75;2\n" * 8,
        "Signed & delivered\n¶ 5 §7 *note !x <br> +1% -ve\n" * 4,
    ],
    ids=["addresses and amounts", "mathematics", "columns", "marks"],
)
def test_signs_of_ordinary_texts(text: str) -> None:
    assert not is_garbled(text)
