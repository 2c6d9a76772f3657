"""The layout bench knows where its sentences stand: what it notes is checked with another PDF reader."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest

from benchmarks.layout_corpus import real_agreement
from benchmarks.layout_model import letters, sentences, siblings
from benchmarks.layout_texts import continental, term_sheet
from benchmarks.layout_writers import rendered


@pytest.mark.parametrize("writer", ["word", "stamped", "columns"])
def test_noted_page_of_every_sentence_holds_its_words(writer: str, tmp_path: Path) -> None:
    agreement = continental()
    path, truth = rendered(agreement, writer, tmp_path)
    pdf = pypdfium2.PdfDocument(path)
    pages = [letters(page.get_textpage().get_text_range()) for page in pdf]
    pdf.close()
    asked = sentences(agreement)
    assert len(asked) > 300
    for sentence in asked:
        noted = truth.words[sentence.block][sentence.start : sentence.end]
        words = sentence.text.split()
        for page in set(noted):
            assert letters(" ".join(w for w, at in zip(words, noted, strict=True) if at == page)) in pages[page - 1]


def test_siblings_are_other_provisions_of_the_same_level() -> None:
    agreement = term_sheet()
    for sentence in sentences(agreement):
        for _, path in siblings(agreement, sentence.path):
            assert path != sentence.path
            assert agreement.spellings[path] != agreement.spellings[sentence.path]


def test_parse_of_a_real_text_leaves_out_what_it_is_not_sure_of(tmp_path: Path) -> None:
    text = tmp_path / "corpus_7_AGREEMENT.txt"
    text.write_text(
        "ARTICLE I\n\nDEFINITIONS\n\nSECTION 1.01. Terms. These words have these meanings in this agreement:\n\n"
        "“Bank” means a bank that takes deposits in New York.\n\n3\n\nARTICLE II\n\n"
        "SECTION 2.01. Loans. Each lender shall lend to the borrower as follows:\n\n"
        "(a) on the first day an amount of ten dollars;\n\n(b) on the next day twenty dollars more, as\n\n4\n\nset out in the letter.\n\n"
        "(d) on a later day an amount that was forgotten above.\n\nThese words belong to nobody knows which of them.\n\n"
        "SECTION 2.05. Gap. This section does not follow on the one before it.\n"
    )
    placed = {sentence.text.split()[-1]: sentence.path for sentence in sentences(real_agreement(text))}
    assert placed["York."] == ("Article I", "1.01", "“Bank”")
    assert placed["dollars;"] == ("Article II", "2.01", "(a)")
    assert placed["letter."] == ("Article II", "2.01", "(b)")
    assert not {"above.", "them.", "it."} & set(placed)
