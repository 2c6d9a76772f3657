"""Word files: what a reader sees of them, Word's own numbers, tracked changes, and files that mean harm."""

import zipfile
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deterministic.citations.check import CitationCheck, CitationPolicy, Claim, check_citation
from deterministic.documents.closer_looks import page_image, quote_rectangles
from deterministic.documents.documents import Document, DocumentError, open_document
from deterministic.documents.word.numbering import formatted
from deterministic.documents.word.text import parse_word, read_word
from tests.tables import entries, table
from tests.word_files import MAIN, W, level, numbered, numbering, paragraph, run, write_word

POLICY = CitationPolicy(70.0)
NOTE = "Stepping down to 1.65 per cent. in year two."
LEVELS = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)") + level(3, "lowerRoman", "(%4)")
CLAUSES = table("word", "clauses")  # fmt: skip


def text_of(path: Path) -> str:
    return read_word(str(path)).body


def body(tmp_path: Path, *paragraphs: str, **parts: str) -> str:
    return text_of(write_word(tmp_path / "a.docx", paragraphs, **parts))


def cite(document: Document, quote: str | None, section: str | None = None, page: int | str | None = None) -> CitationCheck:
    return check_citation(Claim(document.name, page, section, quote), [document], POLICY)


# ---- Word's own numbers ----

Outline = list[tuple[str, int]]


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    """Clauses of one to four levels; none is more than one level below the one before it."""
    found: Outline = [("Clause 0 of this Agreement applies", 0)]
    for n in range(draw(st.integers(1, 30))):
        found.append((f"The Borrower shall do thing {n}", draw(st.integers(0, min(3, found[-1][1] + 1)))))
    return found


def typed_numbers(outline: Outline) -> list[str]:
    """The numbers as a typist would count them: by the place of each clause among its brothers."""
    path: list[int] = []
    found = []
    for _, depth in outline:
        path = [*path[:depth], path[depth] + 1] if depth < len(path) else [*path, 1]
        letters = ascii_lowercase[(path[-1] - 1) % 26] * ((path[-1] - 1) // 26 + 1)
        found.append((f"{path[0]}.", f"{path[0]}.{path[-1]}", f"({letters})", f"({formatted(path[-1], 'lowerRoman')})")[depth])
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outlines(), st.booleans())
def test_automatic_numbers_are_those_of_the_plain_twin(tmp_path: Path, outline: Outline, is_by_style: bool) -> None:
    styles = "".join(
        f'<w:style w:styleId="L{n}"><w:pPr><w:numPr><w:ilvl w:val="{n}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' for n in range(4)
    )
    own = [paragraph(text, f'<w:pStyle w:val="L{n}"/>') if is_by_style else numbered(text, n) for text, n in outline]
    automatic = write_word(
        tmp_path / "numbered.docx", own, numbering=numbering(LEVELS, {"1": ""}), styles=f"<w:styles {W}>{styles}</w:styles>"
    )
    typed = [paragraph(f"{number} {text}") for number, (text, _) in zip(typed_numbers(outline), outline, strict=True)]
    plain = write_word(tmp_path / "plain.docx", typed)
    one, two = (parse_word(str(path), characters=10**6) for path in (automatic, plain))
    assert one["pages"] == two["pages"] and one["clauses"] == two["clauses"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outlines(), st.data())
def test_deleted_paragraphs_change_nothing_of_the_text_that_will_be(tmp_path: Path, outline: Outline, data: st.DataObject) -> None:
    numbers = {"numbering": numbering(LEVELS, {"1": ""})}
    deleted = "<w:del w:id='1'><w:r><w:delText>An old undertaking</w:delText></w:r></w:del>"
    tracked = []
    for text, depth in outline:
        if data.draw(st.booleans()):
            tracked.append(numbered(deleted, depth, more="<w:rPr><w:del/></w:rPr>"))
        mark, words = ("<w:rPr><w:ins/></w:rPr>", f"<w:ins w:id='2'>{run(text)}</w:ins>") if data.draw(st.booleans()) else ("", text)
        tracked.append(numbered(words, depth, more=mark))
    before = read_word(str(write_word(tmp_path / "plain.docx", [numbered(*one) for one in outline], **numbers))).body
    found = read_word(str(write_word(tmp_path / "tracked.docx", tracked, **numbers)))
    living = found.body
    for start, end, _ in reversed(found.spans):
        living = living[:start] + living[end + (living[end : end + 1] == "\n") :]
    assert living.strip("\n") == before


def test_pdf_twin_has_the_same_clauses(tmp_path: Path) -> None:
    word = write_word(tmp_path / "a.docx", [numbered(*one) for one in CLAUSES], numbering=numbering(LEVELS, {"1": ""}))
    pdf = pymupdf.open()
    lines = [f"{number} {text}" for number, (text, _) in zip(typed_numbers(CLAUSES), CLAUSES, strict=True)]
    for part in (lines[:5], lines[5:]):
        pdf.new_page().insert_text((72, 100), part, fontsize=11)
    pdf.save(tmp_path / "a.pdf")
    numbers = [[clause.number for clause in open_document(path).clauses.clauses] for path in (word, tmp_path / "a.pdf")]
    assert numbers[0] == numbers[1] and {"1", "1.1", "1.2(b)(ii)", "2.1"} <= set(numbers[0])


def test_restarts_overrides_and_legal_numbers(tmp_path: Path) -> None:
    levels = level(0, "upperRoman", "Article %1.") + level(1, "decimalZero", "Section %1.%2", "<w:isLgl/>")
    levels += level(2, "lowerLetter", "(%3)", '<w:lvlRestart w:val="0"/>')
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    own = '<w:lvlOverride w:ilvl="0">' + level(0, "ordinalText", "%1 Schedule", start=3) + "</w:lvlOverride>"
    lists = numbering(levels, {"1": "", "2": "", "3": again, "4": own})
    shown = body(
        tmp_path, numbered("A", 0), numbered("B", 1), numbered("C", 2), numbered("D", 1), numbered("E", 2), numbered("F", 0, "2"),
        numbered("G", 1, "2"), numbered("H", 0, "3"), numbered("I", 0, "3"), numbered("J", 0, "4"), numbered("K", 0, "0"), numbering=lists,
    )  # fmt: skip
    assert shown.split("\n") == [
        "Article I. A", "Section 1.01 B", "(a) C", "Section 1.02 D", "(b) E", "Article II. F", "Section 2.01 G",
        "Article I. H", "Article II. I", "Third Schedule J", "K",
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "form", "shown"), table("word", "forms_of_numbers"))
def test_forms_of_numbers(count: int, form: str, shown: str) -> None:
    assert formatted(count, form) == shown


def test_a_style_may_take_its_numbers_from_another_or_from_a_numbering_style(tmp_path: Path) -> None:
    styles = (
        f'<w:styles {W}><w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Own"><w:basedOn w:val="Base"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>'
        '<w:style w:type="numbering" w:styleId="Lists"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>'
    )
    linked = level(0, "decimal", "Item %1") + level(1, "decimal", "%1-%2", '<w:pStyle w:val="Own"/>')
    numbers = (
        f'<w:numbering {W}><w:abstractNum w:abstractNumId="0">{linked}</w:abstractNum>'
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Lists"/></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>'
    )
    shown = body(
        tmp_path, paragraph("A", '<w:pStyle w:val="Base"/>'), paragraph("B", '<w:pStyle w:val="Own"/>'),
        paragraph("C", '<w:pStyle w:val="Loop"/>'), styles=styles, numbering=numbers,
    )  # fmt: skip
    assert shown == "Item 1 A\n1-1 B\nC"


# ---- what a reader sees ----


def test_tables_by_row_boxes_fields_and_signs(tmp_path: Path) -> None:
    cell = "<w:tc><w:tcPr/>{}</w:tc>".format
    row = "<w:tr>" + cell(paragraph("Margin")) + cell(paragraph("1.85%")) + "</w:tr>"
    tall = "<w:tr>" + cell(paragraph("Notes")) + cell(paragraph("(a) one") + paragraph("(b) two")) + "</w:tr>"
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>'
        '<w:ins><w:r><w:fldChar w:fldCharType="separate"/></w:r></w:ins>' + run("Clause 5")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>' + run(" applies")
    )  # fmt: skip
    box = (
        run("Anchor") + "<w:r><mc:AlternateContent><mc:Choice><w:txbxContent>" + paragraph("In the box") + "</w:txbxContent></mc:Choice>"
        "<mc:Fallback><w:txbxContent>" + paragraph("In the box") + "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r>"
    )
    signs = (
        '<w:r><w:t>Ratio</w:t><w:tab/><w:sym w:font="Symbol" w:char="F0B3"/><w:t>3</w:t><w:noBreakHyphen/><w:t>year</w:t><w:softHyphen/>'
        "<w:br/><w:t>next</w:t></w:r><w:r><w:commentReference w:id='1'/></w:r>"
    )
    control = "<w:sdt><w:sdtPr/><w:sdtContent>" + paragraph("In a control") + "</w:sdtContent></w:sdt>"
    fraction = "<m:oMath><m:f><m:num><m:r><m:t>2</m:t></m:r></m:num><m:den><m:r><m:t>3</m:t></m:r></m:den></m:f></m:oMath>"
    shown = body(
        tmp_path, f"<w:tbl>{row}{tall}</w:tbl>", paragraph(field), paragraph(box), paragraph(signs), control, paragraph(fraction),
        comments=f"<w:comments {W}><w:comment>{paragraph('A comment')}</w:comment></w:comments>",
    )  # fmt: skip
    assert shown.split("\n") == [
        "Margin\t1.85%", "Notes", "(a) one", "(b) two", "Clause 5 applies", "Anchor", "In the box", "Ratio\t≥3-year", "next",
        "In a control", "2/3",
    ]  # fmt: skip


def test_running_lines_and_notes_stand_apart(tmp_path: Path) -> None:
    reference = run("The Margin is 1.85") + "<w:r><w:footnoteReference w:id='7'/></w:r>" + run(" per cent. per annum.")
    path = write_word(
        tmp_path / "a.docx",
        [numbered("Interest", 0), numbered(reference, 1), numbered("Fees", 0), numbered("A fee is payable on each Quarter Date.", 1)],
        numbering=numbering(LEVELS, {"1": ""}),
        footnotes=f"<w:footnotes {W}><w:footnote w:id='7'>{paragraph(NOTE)}</w:footnote></w:footnotes>",
        header=f"<w:hdr {W}>{paragraph('Facility Agreement, execution version')}</w:hdr>",
    )
    document = open_document(path)
    assert document.text.split("\n")[1] == "1.1 The Margin is 1.85¹ per cent. per annum."
    assert document.text.split("\n")[-1] == f"¹ {NOTE}"
    assert "execution version" not in document.text and "execution version" in document.pages[0].text
    assert cite(document, "The Margin is 1.85 per cent. per annum.", "Clause 1.1").outcome in ("exact", "normalised")
    note = cite(document, NOTE, "Clause 1.1")
    assert (note.outcome, note.section, note.sections_found) == ("exact", "right", ("Clause 1.1",))
    assert cite(document, NOTE, "Clause 2.1").section == "wrong"


def test_pictures_that_can_hold_text_leave_a_quote_open(tmp_path: Path) -> None:
    picture = '<w:r><w:drawing><wp:inline><wp:extent cx="7000000" cy="9000000"/><a:blip/></wp:inline></w:drawing></w:r>'
    logo = picture.replace("7000000", "700000").replace("9000000", "900000")
    texts = [paragraph("1. Interest"), paragraph("The Margin is 1.85 per cent. per annum and is payable in arrear.")]
    scanned = open_document(write_word(tmp_path / "a.docx", [*texts, paragraph(picture)]))
    printed = open_document(write_word(tmp_path / "b.docx", [*texts, paragraph(logo)]))
    quote = "No Obligor shall create or permit to subsist any Security over any of its assets."
    assert cite(scanned, quote).quote == "unreadable" and cite(printed, quote).quote == "not_found"


# ---- citations of a document without pages ----


@pytest.fixture(scope="module")
def agreement(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("word") / "agreement.docx"
    return open_document(write_word(path, [numbered(*one) for one in CLAUSES], numbering=numbering(LEVELS, {"1": ""})))


@pytest.mark.parametrize("page", [None, 1, 4, 900])
def test_a_page_is_neither_right_nor_wrong(agreement: Document, page: int | None) -> None:
    found = cite(agreement, "The Lenders make available a term loan of USD 280,000,000.", "Clause 1.1", page)
    assert (found.outcome, found.page, found.is_whole, found.pages_found) == ("exact", "not_applicable", True, ())
    assert [code for code, _ in found.findings] == []
    assert cite(agreement, "The Lenders make available a term loan of USD 280,000,000.", None, page).outcome == "incomplete"


@pytest.mark.parametrize(("quote", "outcome"), table("word", "quotes_with_and_without_numbers"))
def test_quotes_with_and_without_numbers(agreement: Document, quote: str, outcome: str) -> None:
    assert cite(agreement, quote).quote == outcome


def test_sections_of_a_numbered_file(agreement: Document) -> None:
    quote = "30 June; and"
    assert cite(agreement, quote, "Clause 1.2(b)(ii)").section == "right"
    assert cite(agreement, quote, "Clause 1.2(a)").section == "wrong"
    assert cite(agreement, quote, "Clause 41.2").outcome == "fabricated_location"


def test_a_page_off_words_own_hints_is_told(tmp_path: Path) -> None:
    new_page = "<w:r><w:lastRenderedPageBreak/></w:r>"
    texts = ["The first page of the agreement speaks of Lenders.", "The second page of the agreement speaks of Borrowers."]
    path = write_word(tmp_path / "a.docx", [paragraph(texts[0]), paragraph(new_page + run(texts[1]))])
    document = open_document(path)
    codes = {page: [code for code, _ in cite(document, texts[1], None, page).findings] for page in (1, 2, "1-2", None)}
    assert codes == {1: ["PAGE_NOT_IN_FORMAT"], 2: [], "1-2": [], None: []}


def test_closer_looks_find_nothing_and_fail_nothing(agreement: Document) -> None:
    assert quote_rectangles(agreement, 0, 20) == () and agreement.missing_pages == ()
    assert agreement.path is not None
    with pytest.raises(DocumentError):
        page_image(agreement.path, 1)


# ---- tracked changes ----


@pytest.fixture(scope="module")
def redline(tmp_path_factory: pytest.TempPathFactory) -> Document:
    struck = "<w:del w:id='1'><w:r><w:delText xml:space='preserve'>{}</w:delText></w:r></w:del>".format
    added = "<w:ins w:id='2'>{}</w:ins>".format
    moved = "<w:moveFrom w:id='3'>{}</w:moveFrom>".format
    texts = [
        numbered("Interest", 0),
        numbered(run("The Margin is ") + struck("225 basis points") + added(run("235 basis points")) + run(" per annum."), 1),
        numbered(struck("The Borrower pays an amendment fee of 0.10 per cent. of the Loan."), 1, more="<w:rPr><w:del/></w:rPr>"),
        numbered(run("The Borrower pays the costs") + struck(" of the Agent") + run(" of the Lenders."), 1),
        numbered(run("The Facility is repaid "), 1, more="<w:rPr><w:del/></w:rPr>"),
        numbered(run("on the Maturity Date."), 1),
        numbered(moved(run("A clause that moved away.")) + "<w:moveTo w:id='4'>" + run("A clause that moved here.") + "</w:moveTo>", 1),
        paragraph(run("Written by hand as ") + run("void", "<w:strike/>") + run(" and ") + run("unseen", "<w:vanish/>")),
    ]
    path = tmp_path_factory.mktemp("redline") / "redline.docx"
    return open_document(write_word(path, texts, numbering=numbering(LEVELS, {"1": ""})))


def test_changes_are_read_as_accepted(redline: Document) -> None:
    assert redline.is_tracked
    assert [clause.number for clause in redline.clauses.clauses if clause.number[0] == "1"] == ["1", "1.1", "1.2", "1.2", "1.3", "1.4"]
    assert cite(redline, "The Margin is 235 basis points per annum.", "Clause 1.1").outcome == "normalised"
    assert cite(redline, "The Borrower pays the costs of the Lenders.", "Clause 1.2").outcome == "normalised"
    assert cite(redline, "The Facility is repaid on the Maturity Date.", "Clause 1.3").outcome == "exact"
    assert cite(redline, "A clause that moved here.", "Clause 1.4").outcome == "exact"


@pytest.mark.parametrize(("quote", "section"), table("word", "struck_words_support_nothing_and_are_not_invented"))
def test_struck_words_support_nothing_and_are_not_invented(redline: Document, quote: str, section: str | None) -> None:
    found = cite(redline, quote, section)
    assert found.outcome == "unsupported" and "DELETED_TEXT" in [code for code, _ in found.findings]


def test_hidden_words_support_nothing(redline: Document) -> None:
    assert "HIDDEN_TEXT" in [code for code, _ in cite(redline, "Written by hand as void and unseen").findings] or (
        cite(redline, "and unseen").outcome == "unsupported"
    )


WORDS = "The Lender waives every fee."
HIDDEN, DOUBTFUL = "HIDDEN_TEXT", "MAYBE_HIDDEN"


def boxed(shape: str, end: str) -> str:
    return f"<w:p><w:r>{shape}<w:txbxContent>{paragraph(WORDS)}</w:txbxContent>{end}</w:r></w:p>"


def drawn(size: int = 99999, more: str = "", inside: str = "") -> str:
    return boxed(f'<w:drawing><wp:anchor>{more}<wp:extent cx="{size}" cy="{size}"/>{inside}', "</wp:anchor></w:drawing>")


def shaped(style: str) -> str:
    return boxed(f'<w:pict><v:shape style="{style}">', "</v:shape></w:pict>")


def tabled(words: str, table: str = "", row: str = "", cell: str = "", grid: str = "") -> str:
    inner = f"<w:tc><w:tcPr>{cell}</w:tcPr>{words}</w:tc>"
    return f"<w:tbl><w:tblPr>{table}</w:tblPr>{grid}<w:tr><w:trPr>{row}</w:trPr>{inner}</w:tr></w:tbl>"


def looking(look: str) -> str:
    return paragraph(run(WORDS, look))


def formula(look: str = "", before: str = "", behind: str = "") -> str:
    return f"<w:p><m:oMath>{before}<m:r><w:rPr>{look}</w:rPr><m:t>{WORDS}</m:t></m:r>{behind}</m:oMath></w:p>"


DELETED = "DELETED_TEXT"
WHITE = '<w:color w:val="FFFFFF"/>'
BEHIND = "<w:p><w:r><w:drawing><wp:anchor behindDoc='1'/></w:drawing></w:r></w:p>"


def made(cell: Any) -> Any:
    """What a row says: the name of a maker above and what it is given, within one another."""
    if not isinstance(cell, list):
        return cell
    name, given, *more = cell
    return globals()[name](*map(made, given), **(more[0] if more else {}))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        *((made(body), code) for body, code in table("word", "what_nobody_sees")),
        (drawn().replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>", 1), HIDDEN),
        (BEHIND + looking(WHITE), DOUBTFUL),
        (drawn().replace("<w:r>", "<w:del><w:r>", 1).removesuffix("</w:p>") + "</w:del></w:p>", DELETED),
    ],
)
def test_what_nobody_sees_supports_nothing_and_what_only_a_layout_tells_is_open(tmp_path: Path, body: str, code: str) -> None:
    vanished = '<w:style w:type="table" w:styleId="Vanished"><w:rPr><w:vanish/></w:rPr></w:style>'
    shaded = '<w:style w:styleId="Shaded"><w:tblStylePr><w:tcPr><w:shd w:val="clear" w:fill="000080"/></w:tcPr></w:tblStylePr></w:style>'
    first = '<w:style w:styleId="First"><w:tblStylePr w:type="firstRow"><w:rPr><w:vanish/></w:rPr></w:tblStylePr></w:style>'
    dark = '<w:tcPr><w:shd w:val="clear" w:fill="000000"/></w:tcPr><w:rPr><w:color w:val="000000"/></w:rPr></w:tblStylePr></w:style>'
    first += f'<w:style w:styleId="Dark"><w:tblStylePr w:type="firstRow">{dark}'
    flat = '<w:style w:styleId="Flat"><w:pPr><w:spacing w:line="1" w:lineRule="exact"/></w:pPr></w:style>'
    theme = '<a:accent1><a:srgbClr val="FFFFFF"/></a:accent1><a:accent2><a:srgbClr val="203864"/></a:accent2>'
    path = write_word(
        tmp_path / "a.docx",
        [paragraph("1. Fees"), body],
        styles=f"<w:styles {W}>{vanished}{shaded}{first}{flat}</w:styles>",
        numbering=numbering(level(0, "decimal", WORDS, "<w:rPr><w:vanish/></w:rPr>") + level(1, "decimal", WORDS), {"1": ""}),
        theme=f'<a:theme xmlns:a="urn:a"><a:clrScheme>{theme}</a:clrScheme></a:theme>',
    )
    found = cite(open_document(path), WORDS)
    assert "".join(code for code, _ in found.findings) == code
    assert (found.outcome in ("exact", "normalised", "incomplete"), found.open == "unreadable") == (not code, code == DOUBTFUL)


UNSEEN = {
    "white": '<w:color w:val="FFFFFF"/>',
    "tiny": '<w:sz w:val="2"/>',
    "white by its style": '<w:rStyle w:val="Unseen"/>',
    **entries("word", "unseen"),
}
UNSEEN_STYLE = f'<w:styles {W}><w:style w:type="character" w:styleId="Unseen"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style></w:styles>'
ON_GROUND = entries("word", "on_ground", tuples=True)


@pytest.mark.parametrize("look", UNSEEN.values(), ids=UNSEEN)
def test_white_and_tiny_words_support_nothing(tmp_path: Path, look: str) -> None:
    document = open_document(
        write_word(tmp_path / "a.docx", [paragraph("1. Fees"), paragraph(run("The Lender waives every fee.", look))], styles=UNSEEN_STYLE)
    )
    found = cite(document, "The Lender waives every fee.")
    assert found.outcome == "unsupported" and "HIDDEN_TEXT" in [code for code, _ in found.findings]


@pytest.mark.parametrize("rows", [1, 2])
def test_words_of_a_hidden_row_support_nothing(tmp_path: Path, rows: int) -> None:
    shown, hidden = (paragraph(f"The Lender {verb} every fee.") for verb in ("pays", "waives"))
    hidden_row = f"<w:tr><w:trPr><w:hidden/></w:trPr><w:tc>{hidden}</w:tc></w:tr>"
    off = f'<w:tr><w:trPr><w:hidden w:val="0"/></w:trPr><w:tc>{shown}</w:tc></w:tr>'
    document = open_document(write_word(tmp_path / "a.docx", [f"<w:tbl>{off}{hidden_row * rows}</w:tbl>", paragraph("1. Fees")]))
    assert cite(document, "The Lender pays every fee.").quote == "exact"
    found = cite(document, "The Lender waives every fee.")
    assert found.outcome == "unsupported" and "HIDDEN_TEXT" in [code for code, _ in found.findings]


@pytest.mark.parametrize(("requires", "is_shown"), table("word", "what_a_choice_requires"))
@pytest.mark.parametrize("is_block", [False, True])
def test_a_choice_is_shown_only_where_word_knows_what_it_requires(tmp_path: Path, requires: str, is_shown: bool, is_block: bool) -> None:
    choice, fallback = (f"The {who} pays every fee." for who in ("Lender", "Borrower"))
    choice, fallback = (paragraph(one) if is_block else run(one) for one in (choice, fallback))
    forms = f"<mc:AlternateContent><mc:Choice {requires}>{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    document = open_document(write_word(tmp_path / "a.docx", [paragraph("1. Fees"), forms if is_block else paragraph(forms)]))
    found = cite(document, "The Lender pays every fee.")
    assert ("HIDDEN_TEXT" in [code for code, _ in found.findings]) != is_shown and (not is_shown or found.quote == "exact")
    if not is_shown:
        assert found.outcome == "unsupported" and cite(document, "The Borrower pays every fee.").quote == "exact"


@pytest.mark.parametrize(("inside", "properties"), ON_GROUND.values(), ids=ON_GROUND)
def test_white_words_on_a_ground_are_seen(tmp_path: Path, inside: str, properties: str) -> None:
    document = open_document(write_word(tmp_path / "a.docx", [paragraph("1. Fees"), paragraph(inside, properties)]))
    assert cite(document, "The Lender waives every fee.").quote == "exact"


@pytest.mark.parametrize(("form", "shown"), table("word", "a_form_field_says_what_was_chosen"))
def test_a_form_field_says_what_was_chosen(tmp_path: Path, form: str, shown: str) -> None:
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{form}</w:ffData></w:fldChar></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    document = open_document(write_word(tmp_path / "a.docx", paragraph(run("The tenor: ") + begin + end + run("."))))
    assert f"The tenor: {shown}." in document.text


MARK = '<w:r><w:fldChar w:fldCharType="%s"/></w:r>'
FIELD = MARK % "begin" + "<w:r><w:instrText>REF x</w:instrText></w:r>" + MARK % "separate" + run("Clause 7") + MARK % "end"


@pytest.mark.parametrize("part", ["body", "footnotes"])
def test_a_field_that_never_ends_takes_no_text_away(tmp_path: Path, part: str) -> None:
    cut = paragraph(MARK % "begin" + "<w:r><w:instrText>REF y</w:instrText></w:r>")
    words = [paragraph("The Lender waives every fee of " + "the Agent."), paragraph(run("See ") + FIELD + run(" for costs."))]
    if part == "body":
        path = write_word(tmp_path / "a.docx", [cut, *words])
    else:
        note = f'<w:footnotes {W}><w:footnote w:id="2">{cut}</w:footnote></w:footnotes>'
        reference = paragraph('<w:r><w:footnoteReference w:id="2"/></w:r>')
        path = write_word(tmp_path / "a.docx", [reference, *words], footnotes=note)
    text = text_of(path)
    assert "The Lender waives every fee of the Agent." in text and "See Clause 7 for costs." in text and "REF" not in text


# ---- files that mean harm ----


def refused(path: Path) -> tuple[str, str]:
    with pytest.raises(DocumentError) as caught:
        open_document(path)
    assert "\n" not in str(caught.value) and str(caught.value).startswith(path.name) and len(str(caught.value)) < 400
    return caught.value.cause, caught.value.message


def test_bombs_entities_and_broken_parts_are_refused(tmp_path: Path) -> None:
    bomb = f"<w:document {W}><w:body><w:p>" + " " * 200_000_000 + "</w:p></w:body></w:document>"
    assert refused(write_word(tmp_path / "bomb.docx", "", main=bomb))[0] == "too_large"
    for name, declared in {"lol": '<!ENTITY a "b"><!ENTITY c "&a;&a;">', "file": '<!ENTITY a SYSTEM "file:///etc/passwd">'}.items():
        entity = f"<!DOCTYPE x [{declared}]><w:document {W}><w:body><w:p><w:r><w:t>&a;</w:t></w:r></w:p></w:body></w:document>"
        assert "document type" in refused(write_word(tmp_path / f"{name}.docx", "", main=entity))[1]
    deep = "<w:sdt><w:sdtContent>" * 3000 + "</w:sdtContent></w:sdt>" * 3000
    assert refused(write_word(tmp_path / "deep.docx", deep))[0] == "too_large"
    assert refused(write_word(tmp_path / "torn.docx", "", main=f"<w:document {W}><w:body>"))[0] == "corrupt"
    with zipfile.ZipFile(tmp_path / "many.docx", "w") as file:
        for n in range(10_001):
            file.writestr(f"word/{n}", "")
    assert refused(tmp_path / "many.docx")[0] == "too_large"


@pytest.mark.parametrize(
    "main",
    [
        "<document><body><p><r><t>The Margin is 1.85 per cent.</t></r></p></body></document>",
        f"<w:document {W}><w:body><w:p><w:r><w:drawing/></w:r></w:p></w:body></w:document>",
        f"<w:document {W}><w:body><p><r><t>The Margin is 1.85 per cent.</t></r></p></w:body></w:document>",
    ],
)
def test_a_file_without_text_is_no_empty_document(tmp_path: Path, main: str) -> None:
    assert "no text" in refused(write_word(tmp_path / "a.docx", "", main=main))[1]


@pytest.mark.parametrize("part", ["word/document.xml", "word/Document.xml", "[Content_Types].xml", "word/_rels/document.xml.rels"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_part_that_stands_twice_is_ambiguous(tmp_path: Path, part: str) -> None:
    path = write_word(tmp_path / "a.docx", [paragraph("The Margin is 1.85 per cent.")])
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(part, f"<w:document {W}><w:body>{paragraph('The Margin is 1.58 per cent.')}</w:body></w:document>")
    assert "twice" in refused(path)[1]


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_cut_files_are_refused(tmp_path: Path, share: float) -> None:
    whole = write_word(tmp_path / "whole.docx", [paragraph("The Margin is 1.85 per cent.")] * 50).read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole[: int(len(whole) * share)])
    assert refused(tmp_path / "cut.docx")[0] == "corrupt"


def test_every_damaged_byte_is_an_answer_in_one_line(tmp_path: Path) -> None:
    whole = bytearray(
        write_word(tmp_path / "whole.docx", [numbered(*one) for one in CLAUSES], numbering=numbering(LEVELS, {"1": ""})).read_bytes()
    )
    for at in range(0, len(whole), 97):
        damaged = whole.copy()
        damaged[at] ^= 0xFF
        (tmp_path / "damaged.docx").write_bytes(damaged)
        try:
            assert open_document(tmp_path / "damaged.docx").paging == "none"
        except DocumentError as error:
            assert "\n" not in str(error)


def test_macros_and_relations_outside_are_left_alone(tmp_path: Path) -> None:
    macros = "application/vnd.ms-word.document.macroEnabled.main+xml"
    assert open_document(write_word(tmp_path / "a.docm", [paragraph("The Margin is 1.85 per cent.")], kind=macros)).text.startswith(
        "The Margin"
    )
    outside = f"<w:document {W}><w:body>{paragraph('Text')}<w:altChunk/></w:body></w:document>"
    assert open_document(write_word(tmp_path / "b.docx", "", main=outside, kind=MAIN)).unreadable_pages == (2,)
