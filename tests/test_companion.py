"""The companion rubrics row by row (a right input, the nearest wrong one, and what is open), on an agreement of our own."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.capabilities.decisions import by_verdict, closed
from judge.capabilities.registry import capability_of
from judge.capabilities.scoring.citations import is_folded, score_of, shortened
from judge.capabilities.scoring.dimensions import citing_word, companion_of, covenant_score, coverage, of_covenants, uncertainty_score
from judge.records import NOT_REQUIRED, SEVERITY, Answer, Bounds, Item, Outcome, Part, Question
from judge.results.gates import case_bounds
from judge.results.summary import overall
from rubrics.contract import ContractFileError, load_contract, parse_contract
from rubrics.contract_sections import DIMENSION_TABLES
from tests.capability_cases import NAME, cite, context, judged, replayed
from tests.tables import entries, table

CONTRACT = load_contract("companion")
RULES = CONTRACT.dimensions
assert RULES is not None
ALL_GOOD = entries("companion", "all_good")


def companion(capability: str, output: Any, gold: Any, verdicts: dict[str, str] | None = None, **case: Any) -> tuple[dict[str, Item], Any]:
    """The items of a case under the companion contract, and its companion scores; verdicts None: offline."""
    asked = replace(context(capability, output, gold, **case), contract=CONTRACT)
    items = judged(asked, None if verdicts is None else {**ALL_GOOD, **verdicts})
    found = companion_of(list(items.values()), CONTRACT, case_bounds(list(items.values())), capability_of(capability).scored, has_gold=True)
    assert found is not None
    return items, found


def numbers(bounds: Bounds) -> tuple[float, float]:
    return float(bounds[0]), float(bounds[1])


def value(bounds: Bounds) -> float:
    assert bounds[0] == bounds[1], bounds
    return float(bounds[0])


# ---- provenance --------------------------------------------------------------------------------------------------

MARGIN = cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")
FEE = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")


def fee(citation: dict[str, Any] | None, reported: str = "0.90 per cent. per annum", verdicts: dict[str, str] | None = None) -> Item:
    absent = {key: {"absent": True} for key in ("borrower",)}
    field = {"status": "extracted", "value": reported} | ({"citation": citation} if citation else {})
    gold = {"fields": {"commitment_fee": {"value": "0.90 per cent. per annum", "citation": FEE}, **absent}}
    items, _ = companion("loan_onboarding", {"fields": {"commitment_fee": field}}, gold, verdicts or {})
    return items["fields.commitment_fee"]


def cited(change: dict[str, Any] | None) -> dict[str, Any] | None:
    """The fee's right citation with a change; None for none at all."""
    return None if change is None else FEE | change


@pytest.mark.parametrize(("change", "a", "b", "c"), table("companion", "citations"))
def test_a_citation_in_three_dimensions(change: dict[str, Any] | None, a: float, b: float, c: float) -> None:
    found = fee(cited(change)).dimensions
    assert [value(found[name]) for name in "ABC"] == [a, b, c]


UNLIKE = "Zebras migrate yearly through unfathomable savannah grasslands, unaccompanied."
A_LITTLE_ALIKE = "No fee of any kind is ever charged on whatever remains to be drawn by anybody."


@pytest.mark.parametrize("quote", [UNLIKE, A_LITTLE_ALIKE])
@pytest.mark.parametrize(("page", "section", "gold", "score"), table("companion", "an_invented_quote_has_the_place_of_gold"))
def test_an_invented_quote_has_the_place_that_gold_cites(
    page: int | None, section: str | None, gold: str, score: float, quote: str
) -> None:
    reported = {"status": "extracted", "value": "0.90 per cent. per annum", "citation": cite(page, section, quote)}
    truth = {"fields": {"commitment_fee": {"value": "0.90 per cent. per annum", "citation": cite(3, gold, None)}}}
    items, _ = companion("loan_onboarding", {"fields": {"commitment_fee": reported}}, truth, {})
    assert value(items["fields.commitment_fee"].dimensions["B"]) == score


def test_a_page_that_is_further_off_than_two_is_worth_less_beside_the_right_clause() -> None:
    margin = {"fields": {"margin": {"value": "2.40 per cent. per annum"}}}
    found = []
    for page in (4, 1, 3):
        law = cite(page, "Clause 22.1", "This Agreement and any non-contractual obligations arising out of it are governed by English law.")
        reported = {"fields": {"governing_law": {"status": "extracted", "value": "English law", "citation": law}}}
        gold = {"fields": {**margin["fields"], "governing_law": {"value": "English law"}}}
        items, _ = companion("loan_onboarding", reported, gold, {})
        found.append(value(items["fields.governing_law"].dimensions["B"]))
    assert found == [1, 0.5, 0.75]


def test_a_quote_of_the_right_value_does_not_show_a_wrong_one() -> None:
    assert value(fee(FEE, "1.90 per cent. per annum").dimensions["C"]) == 0
    assert value(fee(FEE, "0.9%").dimensions["C"]) == 1


def test_an_open_support_leaves_the_quote_open() -> None:
    items, _ = companion(
        "loan_onboarding",
        {"fields": {"facility_agent": {"status": "extracted", "value": "Ormsby Bank plc", "citation": FEE}}},
        {"fields": {"facility_agent": {"value": "Ormsby Bank plc"}}},
    )
    assert numbers(items["fields.facility_agent"].dimensions["C"]) == (0, 1)
    assert numbers(items["fields.facility_agent"].dimensions["field"]) == (0, 1)


@pytest.mark.parametrize(("name", "found"), table("companion", "a_shortened_name_is_that_of_one_file"))
def test_a_shortened_name_is_that_of_one_file(name: str | None, found: str | None) -> None:
    files = ["larkhill-facilities-agreement.pdf"] if name == "larkhill" else ["larkhill-facilities-agreement.pdf", "larkhill-amendment.pdf"]
    assert shortened(name, files, 4) == found


@pytest.mark.parametrize(("quote", "source", "ways"), table("companion", "which_foldings_a_quote_needed"))
def test_a_quote_that_needed_folding(quote: str, source: str, ways: list[str]) -> None:
    assert is_folded(quote, source) == bool(ways)


# ---- onboarding --------------------------------------------------------------------------------------------------

PARTIES = cite(1, "Parties", "(1) LARKHILL WIND LIMITED, a company incorporated in England and Wales, as borrower (the “Borrower”)")
REPAY = cite(3, "Clause 5.1", "The Borrower shall repay the Loans in twelve equal semi-annual instalments.")
TWELVE = "twelve equal semi-annual instalments of £4,000,000"


@pytest.mark.parametrize(("change", "reported", "score"), table("companion", "the_lowest_of_content_and_citation_is_the_field"))
def test_the_lowest_of_content_and_citation_is_the_field(change: dict[str, Any] | None, reported: str, score: float) -> None:
    assert value(fee(cited(change), reported).dimensions["field"]) == score


@pytest.mark.parametrize(("reported", "verdicts", "score"), table("companion", "how_much_of_a_schedule_is_given"))
def test_how_much_of_a_schedule_is_given(reported: str, verdicts: dict[str, str], score: float) -> None:
    output = {"fields": {"repayment_schedule": {"status": "extracted", "value": reported, "citation": REPAY}}}
    items, _ = companion("loan_onboarding", output, {"fields": {"repayment_schedule": {"value": TWELVE}}}, verdicts)
    assert value(items["fields.repayment_schedule"].dimensions["field"]) == score


def test_the_degree_waits_for_the_judge_within_bounds() -> None:
    output = {"fields": {"repayment_schedule": {"status": "extracted", "value": "repaid in parts", "citation": REPAY}}}
    gold = {"fields": {"repayment_schedule": {"value": TWELVE}}}
    items, _ = companion("loan_onboarding", output, gold, {"semantic_match": "partially_equivalent"})
    assert numbers(items["fields.repayment_schedule"].dimensions["field"]) == (0, 0.5)
    assert numbers(companion("loan_onboarding", output, gold)[0]["fields.repayment_schedule"].dimensions["field"]) == (0, 0.75)


def test_tiers_weigh_and_the_document_type_does_not_count() -> None:
    gold = {
        "document_type": "amendment",
        "fields": {"borrower": {"value": "Larkhill Wind Limited"}, "commitment_fee": {"value": "0.90 per cent. per annum"}},
    }
    output = {"fields": {"borrower": {"status": "extracted", "value": "Larkhill Wind Limited", "citation": PARTIES}}}
    items, found = companion("loan_onboarding", output, gold, {})
    assert items["document_type"].outcome == Outcome.FAIL and "field" not in items["document_type"].dimensions
    assert value(found.scores["score"]) == 0.75  # 3.0 of 3.0 + 1.0


def test_a_made_up_value_makes_the_composite_nothing_and_leaves_the_rest_to_be_seen() -> None:
    gold = {"fields": {"borrower": {"value": "Larkhill Wind Limited"}, "commitment_fee": {"value": "0.90 per cent. per annum"}}}
    output = {
        "fields": {
            "borrower": {"status": "extracted", "value": "Wexcombe Trading SA", "citation": PARTIES},
            "commitment_fee": {"status": "extracted", "value": "0.90 per cent. per annum", "citation": FEE},
        }
    }
    items, found = companion("loan_onboarding", output, gold, {})
    assert items["fields.borrower"].outcome == Outcome.HALLUCINATION and value(found.scores["score"]) == 0
    assert value(items["fields.commitment_fee"].dimensions["field"]) == 1
    assert value(found.provenance["A"]) == 1 and value(found.provenance["C"]) == 0.5


@pytest.mark.parametrize(("label", "score"), [("correct", 1), ("semantic_match", 0.75), ("partial", 0.5), ("fail", 0)])
def test_a_persons_label_settles_a_field(label: str, score: float) -> None:
    items, _ = companion("loan_onboarding", {"fields": {"commitment_fee": {"status": "extracted", "value": "90 a year", "citation": FEE}}},
                         {"fields": {"commitment_fee": {"value": "0.90 per cent. per annum"}}})  # fmt: skip
    item = items["fields.commitment_fee"]
    said = replace(item, outcome=Outcome(label), decided_by="human", can_hallucinate=False)
    found = companion_of([said], CONTRACT, (Fraction(0), Fraction(1)), capability_of(said.capability).scored, has_gold=True)
    assert found is not None and value(found.scores["score"]) == score
    assert found.provenance["C"] == item.dimensions["C"]


# ---- covenants ---------------------------------------------------------------------------------------------------

LEVERAGE, PLEDGE = entries("companion", "covenants").values()
EXCEPTIONS = entries("companion", "exceptions")


def leverage(verdicts: dict[str, str] | None = None, **changes: Any) -> Item:
    gold = {key: entry for key, entry in LEVERAGE.items() if key != "citation"}
    return companion("covenant_monitoring", {"covenants": [LEVERAGE | changes]}, {"covenants": [gold]}, verdicts or {})[0][
        "covenants.Leverage Ratio"
    ]


@pytest.mark.parametrize(("changes", "verdicts", "name", "score"), table("companion", "a_covenant_in_its_dimensions"))
def test_a_covenant_in_its_dimensions(changes: dict[str, Any], verdicts: dict[str, str], name: str, score: float) -> None:
    assert value(leverage(verdicts, **changes).dimensions[name]) == score


def test_a_cadence_that_no_cited_place_states_is_inferred() -> None:
    cover = {
        "name": "Interest Cover Ratio",
        "type": "financial",
        "threshold": "shall not be less than 2.60:1",
        "testing_frequency": "quarterly",
        "citation": cite(4, "Clause 14.1(b)", "the Interest Cover Ratio shall not be less than 2.60:1"),
    }
    items, _ = companion("covenant_monitoring", {"covenants": [cover]}, {"covenants": [cover]}, {})
    assert value(items["covenants.Interest Cover Ratio"].dimensions["D4"]) == 0.75


def test_no_threshold_in_both_is_right() -> None:
    items, _ = companion("covenant_monitoring", {"covenants": [PLEDGE]}, {"covenants": [PLEDGE]}, {})
    assert value(items["covenants.Negative pledge"].dimensions["D3"]) == 1


@pytest.mark.parametrize(
    ("flags", "score"),
    [
        ([EXCEPTIONS], 1),
        ([EXCEPTIONS | {"items": EXCEPTIONS["items"][:1]}], 0.5),
        ([EXCEPTIONS | {"items": [EXCEPTIONS["items"][0], {"scope": "Security securing indebtedness", "cap": "£3,500,000"}]}], 0),
        ([], 0),
    ],
)
def test_edge_cases_are_the_mean_over_golds_flags(flags: list[Any], score: float) -> None:
    gold = {"covenants": [PLEDGE | {"flags": [EXCEPTIONS]}]}
    _, found = companion("covenant_monitoring", {"covenants": [PLEDGE | {"flags": flags}]}, gold, {})
    assert value(found.scores["D5"]) == score


def test_flags_of_a_missed_covenant_count_as_missing_and_an_extra_one_where_there_is_none() -> None:
    gold = {"covenants": [LEVERAGE, PLEDGE | {"flags": [EXCEPTIONS]}]}
    _, found = companion("covenant_monitoring", {"covenants": [LEVERAGE]}, gold, {})
    assert value(found.scores["D5"]) == 0 and value(found.scores["D1"]) == 0.5 and value(found.scores["D2"]) == 1
    _, extra = companion("covenant_monitoring", {"covenants": [PLEDGE | {"flags": [EXCEPTIONS]}]}, {"covenants": [PLEDGE]}, {})
    assert value(extra.scores["D5"]) == 0
    _, none = companion("covenant_monitoring", {"covenants": [PLEDGE]}, {"covenants": [PLEDGE]}, {})
    assert value(none.scores["D5"]) == 1 and value(none.scores["score"]) == 1


def test_none_found_is_nothing_but_the_edge_cases() -> None:
    _, found = companion("covenant_monitoring", {"covenants": []}, {"covenants": [LEVERAGE]}, {})
    assert {name: value(score) for name, score in found.scores.items()} == {"D1": 0, "D2": 0, "D3": 0, "D4": 0, "D5": 1, "score": 0.1}


def test_a_wrong_threshold_is_not_shown_by_the_quote_of_the_right_one() -> None:
    assert value(leverage(threshold="shall not exceed 4.60:1").dimensions["C"]) == 0
    wrong = EXCEPTIONS | {"items": [EXCEPTIONS["items"][0], {"scope": "Security securing indebtedness", "cap": "£3,500,000"}]}
    gold = {"covenants": [PLEDGE | {"flags": [EXCEPTIONS]}]}
    items, _ = companion("covenant_monitoring", {"covenants": [PLEDGE | {"flags": [wrong]}]}, gold, {})
    assert value(items["covenants.Negative pledge"].dimensions["C"]) == 0


@pytest.mark.parametrize(("found", "of", "score"), table("companion", "coverage_goes_by_steps"))
def test_coverage_goes_by_steps(found: int, of: int, score: float) -> None:
    gold = [covenant_item({"D1": (Fraction(n < found),) * 2}) for n in range(of)]
    assert [float(end) for end in coverage(gold, RULES)] == [score, score]


def test_a_covenant_that_may_be_another_leaves_its_case_within_bounds() -> None:
    other = LEVERAGE | {"name": "Total gearing ratio"}
    asked = replace(context("covenant_monitoring", {"covenants": [other]}, {"covenants": [LEVERAGE]}), contract=CONTRACT)
    decisions, _ = replayed(asked, None)
    assert {q.rubric for d in decisions for q in d.questions} == {"covenant_identity"}  # nothing else before it is known which it is
    _, open_ = companion("covenant_monitoring", {"covenants": [other]}, {"covenants": [LEVERAGE]})
    ends = {}
    for verdict in ("same", "different"):
        _, closed_ = companion("covenant_monitoring", {"covenants": [other]}, {"covenants": [LEVERAGE]}, {"covenant_identity": verdict})
        ends[verdict] = closed_.scores
        assert all(open_.scores[n][0] <= closed_.scores[n][0] and closed_.scores[n][1] <= open_.scores[n][1] for n in open_.scores)
    assert value(ends["same"]["D1"]) == 1 and value(ends["different"]["D1"]) == 0


# ---- Q&A ---------------------------------------------------------------------------------------------------------

ASKED = "What is the commitment fee and when is it payable?"
PAID = cite(3, "Clause 8.1(b)", "The accrued commitment fee is payable on the last day of each successive period of three Months")
BOTH = "The fee is 0.90 per cent. per annum, payable at the end of each successive period of three Months."
GOLD = entries("companion", "gold")


def answered(
    answer: str, citations: list[Any], gold: dict[str, Any] | None = None, verdicts: dict[str, str] | None = None, **case: Any
) -> Any:
    question = case.pop("question", ASKED)
    output = {"answer": answer, "citations": citations}
    return companion("document_qa", output, {**GOLD, **(gold or {})}, verdicts or {}, input={"question": question}, **case)


@pytest.mark.parametrize(("verdict", "score"), table("companion", "accuracy_goes_by_the_judges_word"))
def test_accuracy_goes_by_the_judges_word(verdict: str, score: float) -> None:
    _, found = answered(BOTH, [FEE, PAID], verdicts={"answer_accuracy": verdict})
    assert value(found.scores["D1"]) == score


def test_one_value_each_needs_no_judge_for_its_accuracy() -> None:
    simple = {"answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"]}
    for answer, score in (("0.9% p.a.", 1), ("1.9% p.a.", 0)):
        asked = context(
            "document_qa", {"answer": answer, "citations": [FEE]}, {**GOLD, **simple}, input={"question": "What is the commitment fee?"}
        )
        decisions, questions = replayed(replace(asked, contract=CONTRACT), ALL_GOOD)
        assert value(decisions[0].item.dimensions["D1"]) == score
        assert "answer_accuracy" not in {q.rubric for q in questions}


@pytest.mark.parametrize(
    ("citations", "verdicts", "score"),
    [
        ([FEE, PAID], {}, 1),
        ([FEE | {"page": 4}, PAID], {}, 0.75),
        ([FEE], {}, 0.5),
        ([PAID], {}, 0.25),
        ([FEE, PAID], {"quote_support": "does_not_support"}, 0),
        ([], {}, 0),
    ],
)
def test_citations_of_an_answer(citations: list[Any], verdicts: dict[str, str], score: float) -> None:
    _, found = answered("The fee is due; when, the clause on it says.", citations, verdicts=verdicts)
    assert value(found.scores["D2"]) == score


def test_the_figures_of_an_answer_from_another_place_than_required() -> None:
    commitments = cite(
        2, "Clause 1.1", "“Total Commitments” means the aggregate of the Commitments, being £64,000,000 at the date of this Agreement."
    )
    gold = {"answer": "£64,000,000", "required_sections": ["Clause 2.1"], "topic": "size"}
    _, found = answered("£64,000,000", [commitments], gold, question="How large are the facilities?")
    assert value(found.scores["D2"]) == 0.75 and value(found.scores["D1"]) == 1


@pytest.mark.parametrize(("worths", "missing", "elsewhere", "word"), table("companion", "the_word_of_the_citations"))
def test_the_word_of_the_citations(worths: list[float], missing: list[int], elsewhere: bool, word: str) -> None:
    assert citing_word([Fraction(worth) for worth in worths], frozenset(missing), elsewhere) == word


@pytest.mark.parametrize(("verdicts", "score"), table("companion", "scope_is_lost_only_by_what_comes_from_outside"))
def test_scope_is_lost_only_by_what_comes_from_outside(verdicts: dict[str, str], score: float) -> None:
    _, found = answered(BOTH, [FEE, PAID], verdicts=verdicts)
    assert value(found.scores["D3"]) == score


def test_imports_are_asked_only_where_the_scope_found_something() -> None:
    asked = context("document_qa", {"answer": BOTH, "citations": [FEE, PAID]}, GOLD, input={"question": ASKED})
    _, questions = replayed(replace(asked, contract=CONTRACT), ALL_GOOD)
    assert "answer_imports" not in {q.rubric for q in questions}


@pytest.mark.parametrize(("verdicts", "score"), table("companion", "a_missing_qualification_is_worth_nothing_beside_a_wrong_answer"))
def test_a_missing_qualification_is_worth_nothing_beside_a_wrong_answer(verdicts: dict[str, str], score: float) -> None:
    _, found = answered(BOTH, [FEE, PAID], {"qualified": True}, verdicts)
    assert value(found.scores["D4"]) == score


REFUSALS = table("companion", "refusals")


@pytest.mark.parametrize(("answer", "scores"), REFUSALS)
def test_refusals_of_what_the_document_does_not_say(answer: str, scores: list[float]) -> None:
    question = "What is the credit rating of the Borrower?"
    gold = {"answerable": False, "topic": "credit rating of the Borrower"}
    asked = {"answer_imports": "imported"}  # a rating is no atom that a rule may call invented (rules_and_judge.md L2)
    items, found = companion("document_qa", {"answer": answer, "citations": []}, gold, asked, input={"question": question})
    assert [value(items["answer"].dimensions[f"D{n}"]) for n in range(1, 6)] == scores
    assert (value(found.scores["score"]) == 0) == (items["answer"].outcome == Outcome.HALLUCINATION)


def test_a_refusal_of_what_the_document_says_has_no_accuracy() -> None:
    _, found = answered("The document does not contain information about the commitment fee.", [])
    assert [value(found.scores[f"D{n}"]) for n in range(1, 6)] == [0, 0, 1, 1, 1]
    assert value(found.scores["score"]) == 0.4


def test_a_citation_of_an_imagined_answer_shows_nothing() -> None:
    gold = {"answerable": False, "topic": "credit rating"}
    output = {"answer": "The Borrower is rated BBB+.", "citations": [PARTIES]}
    items, _ = companion("document_qa", output, gold, {}, input={"question": "What is its credit rating?"})
    assert [value(items["answer"].dimensions[name]) for name in "ABC"] == [1, 1, 0]


# ---- benchmark ---------------------------------------------------------------------------------------------------


def test_benchmark_findings_are_counted_beside_the_standards_score() -> None:
    place = {"citation": cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")}
    true = table("companion", "findings")
    said = [{"term": "margin", "finding": "deviation", "deal_value": "240 bps", **place}]
    gold = {"benchmark": "LMA", "jurisdiction": "English law", "findings": true}
    items, found = companion("benchmark_validation", {"benchmark": "LMA", "findings": said}, gold, {})
    assert found.counts == {"false_positives": 1, "false_negatives": 1}
    assert found.scores["score"] == case_bounds(list(items.values()))


# ---- the contract ------------------------------------------------------------------------------------------------


def test_the_contract_is_known_by_its_name_and_extends_the_standards() -> None:
    standard = load_contract()
    assert CONTRACT is not None and CONTRACT.version == "companion-1.1" and CONTRACT.quotes == standard.quotes
    assert CONTRACT.label_scores == standard.label_scores and standard.dimensions is None and standard.gates.basis == "standard"
    assert set(CONTRACT.assumptions) == set(standard.assumptions) | {f"B{n}" for n in range(1, 17)}


def test_an_overlay_of_the_companion_keeps_its_dimensions() -> None:
    own = parse_contract('version = "mine"\nextends = "companion-1.0"\n[criteria]\nwins = false', "mine.toml")
    assert own.dimensions == RULES and own.criteria is not None and not own.criteria.wins


@pytest.mark.parametrize(("change", "said"), table("companion", "a_wrong_table_is_refused"))
def test_a_wrong_table_is_refused(change: str, said: str) -> None:
    with pytest.raises(ContractFileError, match=r"mine\.toml") as caught:
        parse_contract(f'version = "mine"\nextends = "companion-1.0"\n{change}', "mine.toml")
    assert said in str(caught.value)


def test_a_contract_that_judges_by_dimensions_must_have_some() -> None:
    with pytest.raises(ContractFileError, match="dimensions: is missing"):
        parse_contract('version = "mine"\nextends = "1.1"\n[gates]\nbasis = "both"\ncompanion_score = "0.85"', "mine.toml")


@pytest.mark.parametrize(("statuses", "common", "word"), table("companion", "the_overall_word"))
def test_the_overall_word(statuses: list[str], common: list[str], word: str) -> None:
    assert overall(statuses, common) == word


# ---- properties --------------------------------------------------------------------------------------------------

LABELS = (Outcome.CORRECT, Outcome.SEMANTIC_MATCH, Outcome.PARTIAL, Outcome.FAIL, Outcome.HALLUCINATION)
BY_LABEL = [name for name, words in DIMENSION_TABLES.items() if {"correct", "fail"} <= set(words)]


def part_of(words: tuple[str, ...], n: int) -> Part:
    """The part that stands for a word of a table: by its label, or by a mark between two labels."""
    word = words[n]
    label = next((w for w in words[n:] if w in {o.value for o in LABELS}), "fail")
    return closed(Outcome(label), word, "", mark="" if word == label else word)


@given(st.sampled_from(BY_LABEL), st.data())
def test_a_worse_part_never_scores_more_and_open_bounds_hold_every_closed_score(table: str, data: st.DataObject) -> None:
    words, scores = DIMENSION_TABLES[table], getattr(RULES, table)
    some = data.draw(st.lists(st.integers(0, len(words) - 1), min_size=1, max_size=4, unique=True))
    parts = [part_of(words, n) for n in sorted(some)]
    found = [score_of(part, scores) for part in parts]
    assert found == sorted(found, reverse=True)
    question = Question.of("semantic_match", field=table)
    branches = {str(n): part for n, part in enumerate(parts)}
    low, high = score_of(by_verdict({}, question, branches, "", ""), scores)
    for n in range(len(parts)):
        answered_ = by_verdict({question: Answer(str(n))}, question, branches, "", "")
        assert low <= score_of(answered_, scores)[0] <= high


def covenant_item(dimensions: dict[str, Bounds]) -> Item:
    return Item(
        case_id="a", capability="covenant_monitoring", item="covenants.x", tranche=None, outcome=Outcome.CORRECT, score=1.0,
        bounds=(1.0, 1.0), weight=Fraction(1), provenance=NOT_REQUIRED, decided_by="deterministic", rule="", reason="",
        dimensions=dimensions,
    )  # fmt: skip


@pytest.mark.parametrize(("found", "type_score", "low", "high"), table("companion", "a_missed_covenant", tuples=True))
def test_a_covenant_that_is_missed_or_may_be_is_worth_nothing_at_the_least(
    found: tuple[int, int], type_score: int, low: float, high: float
) -> None:
    rest = dict.fromkeys(("D3", "D4", "flags.waiver"), (Fraction(1), Fraction(1)))
    item = covenant_item({"D1": (Fraction(found[0]), Fraction(found[1])), "D2": (Fraction(type_score),) * 2, **rest})
    assert numbers(covenant_score(item, RULES)) == (low, high)


SCORE = st.sampled_from([Fraction(n, 4) for n in range(5)])
COVENANT = st.fixed_dictionaries(
    {"D1": st.sampled_from([Fraction(0), Fraction(1)]), **dict.fromkeys(("D2", "D3", "D4", "flags.waiver"), SCORE)}
)


@settings(max_examples=200)
@given(st.lists(st.tuples(COVENANT, COVENANT), min_size=1, max_size=5))
def test_open_covenants_hold_what_they_become(pairs: list[tuple[dict[str, Fraction], dict[str, Fraction]]]) -> None:
    """Each covenant is open between two closed states; whichever it becomes lies within the bounds of its case."""
    opened = [{n: (min(a[n], b[n]), max(a[n], b[n])) for n in a} for a, b in pairs]
    whole = of_covenants([covenant_item(o) for o in opened], RULES)
    for pick in (0, 1):
        one = of_covenants([covenant_item({n: (s, s) for n, s in pair[pick].items()}) for pair in pairs], RULES)
        assert all(whole[n][0] <= one[n][0] and one[n][1] <= whole[n][1] for n in one)


@given(st.lists(COVENANT, min_size=1, max_size=5), st.integers(0, 4), st.sampled_from(["D2", "D3", "D4", "flags.waiver"]), SCORE)
def test_a_worse_covenant_never_raises_a_dimension(cases: list[dict[str, Fraction]], at: int, name: str, lower: Fraction) -> None:
    """All but whether it is found: a wrong covenant that is found counts in the means over the found."""
    at %= len(cases)
    worse = [dict(case) for case in cases]
    worse[at][name] = min(lower, worse[at][name])
    before, after = (of_covenants([covenant_item({n: (s, s) for n, s in c.items()}) for c in some], RULES) for some in (cases, worse))
    assert all(after[n][0] <= before[n][0] for n in before)


@given(st.lists(SCORE, max_size=4), st.sets(st.integers(0, 3)), st.booleans(), st.integers(0, 3), SCORE)
def test_a_worse_citation_never_raises_the_citations(
    worths: list[Fraction], missing: set[int], elsewhere: bool, at: int, lower: Fraction
) -> None:
    before = RULES.citing[citing_word(worths, frozenset(missing), elsewhere)]
    more_missing = RULES.citing[citing_word(worths, frozenset(missing | {at}), elsewhere)]
    assert more_missing <= before
    if worths:
        worse = list(worths)
        worse[at % len(worths)] = min(lower, worse[at % len(worths)])
        assert RULES.citing[citing_word(worse, frozenset(missing), elsewhere and all(worse))] <= before


@given(SCORE, SCORE, st.booleans())
def test_the_qualification_is_monotone_in_the_accuracy(one: Fraction, two: Fraction, is_missing: bool) -> None:
    part = closed(Outcome.FAIL if is_missing else Outcome.CORRECT, "", "")
    low, high = min(one, two), max(one, two)
    scores = uncertainty_score(part, (low, high), RULES)
    assert scores[0] <= uncertainty_score(part, (high, high), RULES)[0] == scores[1]
    assert SEVERITY[part.best] == 0 or scores[1] < 1


def test_the_document_of_the_tests_is_the_one_that_is_cited() -> None:
    assert {MARGIN["document"], FEE["document"]} == {NAME}
