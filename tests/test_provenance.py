"""What citations make of an item (standard 5, design/support.md): the label of one, of several, and the block that is written."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from capability_cases import AGREEMENT, NAME, PAGES, context

from deterministic.documents.documents import Document
from judge.capabilities.cases import Citation
from judge.capabilities.provenance import (
    Assessed,
    Support,
    assess,
    assess_all,
    best_of_several,
    check_claim,
    gold_places,
    invented_parts,
    stands_in_any_place,
    worst_of_several,
)  # fmt: skip
from judge.records import Answer, Outcome, Part, Provenance, Question
from tests.tables import table

MARGIN, FEE = "“Margin” means 2.40 per cent. per annum.", "a fee computed at the rate of 0.90 per cent. per annum"
LIKE = "The Borrower shall repay all Loans by twelve semi-annual equal instalments to the Agent."
SCANNED = Document.from_pages(NAME, [PAGES[0], "", *PAGES[2:]], states=["text", "scan", "text", "text"])


class Answers(dict[Question, Answer]):
    """The scripted judge: one verdict a rubric."""

    def __init__(self, verdicts: Mapping[str, str]) -> None:
        super().__init__()
        self.verdicts = verdicts

    def get(self, question: Question, default: Any = None) -> Any:
        return Answer(self.verdicts[question.rubric], model="scripted") if question.rubric in self.verdicts else default

    def __contains__(self, question: object) -> bool:
        return isinstance(question, Question) and question.rubric in self.verdicts

    def __getitem__(self, question: Question) -> Answer:
        return Answer(self.verdicts[question.rubric], model="scripted")


def case(verdicts: Mapping[str, str] | None = None, *documents: Document) -> Any:
    found = context("document_qa", {"answer": "x", "citations": []}, documents=documents or (AGREEMENT,))
    return replace(found, answers=Answers(verdicts or {}))


def cited(quote: str | None = MARGIN, page: int | str | None = 2, section: str | None = "Clause 1.1", name: str | None = NAME) -> Citation:
    return Citation(document=name, page=page, section=section, quote=quote)


def support(text: str = "2.40", **changes: Any) -> Support:
    return Support("margin", f"margin: {text}", lambda passage: text in passage, **{"is_own": lambda check: True, **changes})


def told(found: Assessed) -> tuple[Any, ...]:
    block = found.provenance
    ends = str(found.part.best) if not found.part.is_open else f"{found.part.worst}..{found.part.best}"
    return ends, block.outcome, None if block.score is None else float(block.score), block.complete, block.is_open


SUPPORTS, SUPPORTS_NOT = {"quote_support": "supports"}, {"quote_support": "does_not_support"}
REWORDS, INVENTS = {"quote_paraphrase": "paraphrase"}, {"quote_paraphrase": "fabricated"}
OTHER = support("9.99")


@pytest.mark.parametrize(
    ("citation", "claim", "verdicts", "expected"),
    [
        (cited(), support(), {}, ("correct", "exact", 1.0, True, False)),
        (cited(), None, {}, ("correct", "exact", 1.0, True, False)),
        (cited(MARGIN.casefold()), support(), {}, ("correct", "normalised", 1.0, True, False)),
        (cited(), OTHER, {}, ("fail..correct", "exact", None, True, True)),
        (cited(), OTHER, SUPPORTS, ("correct", "exact", 1.0, True, False)),
        (cited(), OTHER, SUPPORTS_NOT, ("fail", "unsupported", 0.0, False, False)),
        (cited(), support(has_others=lambda text: "Margin" in text), {}, ("fail..correct", "exact", None, True, True)),
        (cited(), support(is_impossible=True), {}, ("fail", "unsupported", 0.0, False, False)),
        (cited(), support(is_own=lambda check: False), {}, ("fail..correct", "exact", None, True, True)),
        (
            cited(),
            support(is_own=lambda check: False, is_at_place=lambda check: check.page == "right"),
            {},
            ("correct", "exact", 1.0, True, False),
        ),
        (cited(page=3), support(), {}, ("partial", "wrong_page", 0.5, False, False)),
        (cited(page=3, section="Clause 5.1"), support(), {}, ("fail", "wrong_page", 0.5, False, False)),
        (cited(page=3, section="Clause 5.1"), support("twelve equal"), {}, ("fail..partial", "wrong_page", None, False, True)),
        (cited(section=None), support(), {}, ("partial", "incomplete", 0.5, False, False)),
        (cited(page=9), support(), {}, ("hallucination", "fabricated_location", 0.0, False, False)),
        (cited("Each party waives trial by jury in Zurich."), support(), {}, ("hallucination", "not_found", 0.0, False, False)),
        (cited(LIKE, 3, "Clause 5.1"), None, {}, ("hallucination..partial", "paraphrased", None, False, True)),
        (cited(LIKE, 3, "Clause 5.1"), None, REWORDS, ("partial", "paraphrased", 0.5, False, False)),
        (cited(LIKE, 3, "Clause 5.1"), None, INVENTS, ("hallucination", "not_found", 0.0, False, False)),
    ],
)
def test_one_citation(citation: Citation, claim: Support | None, verdicts: Mapping[str, str], expected: tuple[Any, ...]) -> None:
    assert told(assess(case(verdicts), citation, claim)) == expected


@pytest.mark.parametrize(
    ("citation", "claim", "expected"),
    [
        (cited(), support(), "fail..correct"),
        (cited(page=4, section=None), support(), "fail..partial"),
        (cited("Each party waives trial by jury in Zurich."), support(), "fail..correct"),
        (cited(section="Part Nowhere"), support(), "fail..correct"),
    ],
)
def test_what_cannot_be_verified_is_open(citation: Citation, claim: Support, expected: str) -> None:
    assert told(assess(case({}, SCANNED), citation, claim)) == (expected, "unreadable", None, False, True)


def test_the_block_says_what_was_cited_and_where_it_stands() -> None:
    block = assess(case(), cited(page=3), support()).provenance
    assert (block.quote, block.page, block.section, block.pages_found, block.sections_found) == (
        "exact",
        "wrong",
        "right",
        (2,),
        ("Clause 1.1",),
    )
    assert (block.match, block.document, tuple(block.claim)) == (100.0, NAME, (NAME, 3, "Clause 1.1", MARGIN))
    assert tuple(assess(case(), cited(page=None), None).provenance.claim) == (NAME, "", "Clause 1.1", MARGIN)
    start, end = block.spans[0]
    assert "2.40" in AGREEMENT.text[start:end]
    reworded = assess(case(REWORDS), cited(LIKE, 3, "Clause 5.1"), None).provenance
    assert (reworded.quote, assess(case(INVENTS), cited(LIKE, 3, "Clause 5.1"), None).provenance.quote) == ("paraphrased", "not_found")


def test_an_item_that_waits_for_support_alone_says_so() -> None:
    assert assess(case(), cited(), OTHER).provenance.waits_for_support
    assert not assess(case(), cited(LIKE, 3, "Clause 5.1"), OTHER).provenance.waits_for_support
    assert not assess(case(SUPPORTS), cited(), OTHER).provenance.waits_for_support


@pytest.mark.parametrize(("change", "words"), table("provenance", "the_reason_is_one_plain_sentence"))
def test_the_reason_is_one_plain_sentence(change: dict[str, Any], words: str) -> None:
    assert words in assess(case(), cited(**change), support()).part.reason


def test_without_a_citation() -> None:
    found, blocks = assess_all(case(), [], support())
    assert told(found) == ("fail", "absent", 0.0, False, False) and blocks == () and found.provenance.is_required
    one, blocks = assess_all(case(), [cited()], support())
    assert told(one)[:2] == ("correct", "exact") and blocks == ()


INVENTED = cited("Each party waives trial by jury in Zurich.")


@pytest.mark.parametrize(
    ("citations", "verdicts", "best", "worst"),
    [
        ([cited(), cited(page=3)], {}, "correct", "partial"),
        ([cited(page=3), cited()], {}, "correct", "partial"),
        ([cited(), INVENTED], {}, "hallucination", "hallucination"),
        ([cited(page=3), cited(section=None)], {}, "partial", "partial"),
        ([cited(FEE, 3, "Clause 8.1(a)"), cited()], {}, "correct", "fail..correct"),
        ([cited(), cited(LIKE, 3, "Clause 5.1")], {}, "hallucination..correct", "hallucination..partial"),
        ([cited(), cited(LIKE, 3, "Clause 5.1")], REWORDS, "correct", "partial"),
        ([cited(), cited(LIKE, 3, "Clause 5.1")], INVENTS, "hallucination", "hallucination"),
    ],
)
def test_several_citations(citations: list[Citation], verdicts: Mapping[str, str], best: str, worst: str) -> None:
    """The best one of a field counts unless one is invented; of an answer every one does."""
    found, blocks = assess_all(case(verdicts), citations, support())
    assert told(found)[0] == best and len(blocks) == len(citations)
    assert told(assess_all(case(verdicts), citations, support(), combine=worst_of_several)[0])[0] == worst


def test_all_of_several_that_count_must_be_complete() -> None:
    whole = assess_all(case(), [cited(), cited()], support(), combine=worst_of_several)[0]
    assert told(whole) == ("correct", "exact", 1.0, True, False)
    broken = assess_all(case(), [cited(), cited(page=3)], support(), combine=worst_of_several)[0]
    assert told(broken) == ("partial", "wrong_page", 0.5, False, False)
    waiting = assess_all(case(), [cited(), cited(FEE, 3, "Clause 8.1(a)")], support(), combine=worst_of_several)[0]
    assert told(waiting)[1:] == ("exact", None, True, True) and waiting.provenance.waits_for_support
    doubtful = assess_all(case(), [cited(FEE, 3, "Clause 8.1(a)"), cited(LIKE, 3, "Clause 5.1")], support(), combine=worst_of_several)[0]
    assert told(doubtful)[4] and not doubtful.provenance.waits_for_support
    lost = assess_all(case(), [cited(page=9), cited(FEE, 3, "Clause 8.1(a)")], support(), combine=worst_of_several)[0]
    assert told(lost)[2:] == (0.0, False, False), "nothing that is open can mend it"


def test_findings_of_all_citations_are_kept_once() -> None:
    found = best_of_several([assess(case(), c, support()) for c in (cited(), cited(name=NAME.upper()), cited(name=NAME.upper()))])
    assert [finding.code for finding in found.part.findings].count("DOCUMENT_NAME_IMPRECISE") == 1
    found = assess(case({"quote_paraphrase": "altered"}), cited(LIKE, 3, "Clause 5.1"), None)
    assert told(found)[:2] == ("hallucination", "not_found") and [finding.code for finding in found.part.findings] == ["ALTERED_QUOTE"]


def test_only_an_invented_citation_counts_where_none_is_owed() -> None:
    assert invented_parts(case(), [cited(), cited(page=3), cited(name=None)]) == []
    assert [str(p.best) for p in invented_parts(case(), [cited(), INVENTED, cited(page=9)])] == ["hallucination", "hallucination"]
    (doubtful,) = invented_parts(case(), [cited(LIKE, 3, "Clause 5.1")])
    assert (str(doubtful.worst), str(doubtful.best)) == ("hallucination", "correct")


@pytest.mark.parametrize(("name", "page", "section", "stands"), table("provenance", "a_quote_in_one_of_golds_places"))
def test_a_quote_in_one_of_golds_places(name: str | None, page: int | None, section: str | None, stands: bool) -> None:
    own = case()
    assert stands_in_any_place(own, check_claim(own, cited()), ((name, page, section),)) is stands


def test_golds_places_are_physical_pages() -> None:
    assert gold_places([cited(), cited(page="iv", section=None)]) == ((NAME, 2, "Clause 1.1"), (NAME, None, None))


def test_an_ellipsis_supports_only_by_its_own_words() -> None:
    joined = cited("The Borrower shall repay … equal semi-annual instalments.", 3, "Clause 5.1")
    assert told(assess(case(), joined, support("the Loans")))[0] == "fail..correct"
    assert told(assess(case(), joined, support("semi-annual")))[0] == "correct"


def test_the_source_supports_what_the_quote_has_lost() -> None:
    lost = cited("the lenders make available to the borrower", 2, "Clause 2.1")
    assert told(assess(case(), lost, support("Lenders make")))[:2] == ("correct", "normalised")


def test_a_question_names_the_part_that_a_citation_is_for() -> None:
    asked = assess(case(), cited(), replace(OTHER, part=lambda check, checks: f"part {len(checks)} of {check.page}"))
    assert dict(asked.part.questions[0].variables)["claim"] == "part 0 of right"
    assert dict(assess(case(), cited(), OTHER).part.questions[0].variables)["claim"] == "margin: 9.99"


def test_equal_parts_stay_in_output_order() -> None:
    def one(reason: str) -> Assessed:
        return Assessed(Part(Outcome.PARTIAL, Outcome.PARTIAL, reason, "r"), Provenance("absent", None, False, document=reason))

    assert best_of_several([one("first"), one("second")]).provenance.document == "first"
    assert worst_of_several([one("first"), one("second")]).provenance.document == "first"


UNNUMBERED = Document.from_pages(NAME, ["1. LOAN\nThe Lender lends. The sum is ten, and b. it is due.\n2. FEES\n(a) A fee is paid."])


@pytest.mark.parametrize(("verdict", "outcome", "section", "label"), table("provenance", "a_place_that_no_rule_knows"))
def test_a_place_that_no_rule_knows_is_asked_and_settled_by_the_answer(verdict: str | None, outcome: str, section: str, label: str) -> None:
    found = assess(case({"place": verdict} if verdict else {}, UNNUMBERED), cited("The sum is ten", 1, "Clause 1(b)"), None)
    assert (told(found)[0], found.provenance.outcome, found.provenance.section) == (label, outcome, section)
    question = found.part.question or found.part.questions[0]
    assert question.rubric == "place" and "b. it is due" in dict(question.variables)["passage"]
