"""The law of R0 as properties, over all four capabilities and all kinds of field: decorations never zero a right output, and gold never
hides an invention that is found without it."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.records import Item
from tests.capability_cases import cite, context, judged
from tests.tables import entries, table
from tests.test_benchmark import FEE, FEE_QUOTE, MARGIN, QUOTE
from tests.test_covenants import COVER, LEVERAGE, PLEDGE, bare
from tests.test_extraction import CITES, GOLD, right_output

NEVER = ("fail", "hallucination")

# What may stand around a right value of a field: no decoration says anything untrue of the agreement.
DECORATIONS: dict[str, tuple[str, ...]] = entries("certainty", "decorations", tuples=True)


def judged_value(key: str, value: Any, *, gold: bool = True, citation: dict[str, Any] | None = None) -> Item:
    """One field of an otherwise right output, judged offline."""
    fields = right_output()
    fields[key] = {"status": "extracted", "value": value, **({"citation": citation or CITES[key]} if key in CITES else {})}
    output = {"document_type": "primary_agreement", "fields": fields}
    return judged(context("loan_onboarding", output, {"fields": copy.deepcopy(GOLD)} if gold else None))[f"fields.{key}"]


@pytest.mark.parametrize(("key", "form"), [(key, form) for key, forms in DECORATIONS.items() for form in forms])
def test_a_decorated_right_value_is_never_zeroed(key: str, form: str) -> None:
    assert judged_value(key, form.format(GOLD[key]["value"])).outcome not in NEVER


@pytest.mark.parametrize("form", table("certainty", "a_decorated_guarantor_is_never_zeroed"))
@pytest.mark.parametrize("beside", [[], ["each Additional Guarantor"], ["the Guarantor"]])
def test_a_decorated_guarantor_is_never_zeroed(form: str, beside: list[str]) -> None:
    assert judged_value("guarantors", [form.format("Larkhill Holdings plc"), *beside]).outcome not in NEVER


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(DECORATIONS)), st.data())
def test_two_decorations_do_not_zero_a_right_value_either(key: str, data: st.DataObject) -> None:
    if key in ("negative_pledge", "mac_clause"):
        return  # a yes or no is said once
    once, twice = (data.draw(st.sampled_from(DECORATIONS[key])) for _ in range(2))
    value = twice.format(once.format(GOLD[key]["value"]))
    assert judged_value(key, value).outcome not in NEVER


@pytest.mark.parametrize("form", ["{} (England and Wales) (the Company)", "{}, a company incorporated in England and Wales (the Company)"])
def test_a_role_in_brackets_ends_no_second_name(form: str) -> None:
    assert judged_value("borrower", form.format(GOLD["borrower"]["value"])).outcome not in NEVER


def test_a_decorated_wrong_value_gets_no_marks() -> None:
    for key, wrong in {"borrower": "Larkhill Holdings plc", "facility_amount": "£48,000,000", "margin": "0.90 per cent. per annum"}.items():
        for form in DECORATIONS[key]:
            outcome = judged_value(key, form.format(wrong)).outcome
            assert outcome not in ("correct", "semantic_match", "partial"), (key, form)


NAMES = st.sampled_from(table("certainty", "names"))
AMOUNTS = st.sampled_from(table("certainty", "amounts"))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_gold_never_hides_an_invention(data: st.DataObject) -> None:
    """Whatever is an invention without gold is one beside gold."""
    pools = {
        "borrower": NAMES,
        "facility_agent": NAMES,
        "facility_amount": AMOUNTS,
        "currency": st.sampled_from(["GBP", "EUR", "yen", "£", "KRW"]),
    }
    key = data.draw(st.sampled_from(sorted(pools)))
    value = data.draw(pools[key])
    if judged_value(key, value, gold=False).outcome == "hallucination":
        assert judged_value(key, value).outcome == "hallucination"


def test_gold_never_hides_an_invented_guarantor() -> None:
    for names in (
        ["Thornycroft Mining Inc."],
        ["Larkhill Holdings plc (the Guarantor)", "Thornycroft Mining Inc. (Canada)"],
        ["Larkhill Holdings plc"],
    ):
        if judged_value("guarantors", names, gold=False).outcome == "hallucination":
            assert judged_value("guarantors", names).outcome == "hallucination"


# ---- covenants, benchmark terms, answers -------------------------------------------------------------------------

THRESHOLDS = tuple(table("certainty", "thresholds"))
COVENANT_NAMES = ("{}", "{} covenant", "{} (financial)", "Maximum {}", "LEVERAGE ratio")


@pytest.mark.parametrize("form", THRESHOLDS)
def test_a_threshold_in_other_words_is_never_zeroed(form: str) -> None:
    assert _covenant(LEVERAGE | {"threshold": form.format(LEVERAGE["threshold"])}, LEVERAGE).outcome not in NEVER


@pytest.mark.parametrize("form", COVENANT_NAMES)
@pytest.mark.parametrize("covenant", [LEVERAGE, COVER, PLEDGE], ids=lambda c: c["name"])
def test_a_decorated_covenant_name_is_never_missed(covenant: dict[str, Any], form: str) -> None:
    if form != "LEVERAGE ratio" or covenant is LEVERAGE:
        assert _covenant(covenant | {"name": form.format(covenant["name"])}, covenant).outcome not in NEVER


def _covenant(reported: dict[str, Any], gold: dict[str, Any]) -> Item:
    ctx = context("covenant_monitoring", {"covenants": [reported]}, {"covenants": [bare(gold)]})
    return judged(ctx)[f"covenants.{gold['name']}"]


@pytest.mark.parametrize("changes", table("certainty", "a_benchmark_finding_in_other_words_is_never_zeroed"))
def test_a_benchmark_finding_in_other_words_is_never_zeroed(changes: dict[str, Any]) -> None:
    output = {"jurisdiction": "English law", "market": "European", "benchmark": "LMA", "findings": [MARGIN | {"citation": QUOTE} | changes]}
    items = judged(context("benchmark_validation", output, {"benchmark": "LMA", "findings": [MARGIN]}))
    assert items["findings.margin"].outcome not in NEVER


@pytest.mark.parametrize("value", ["0.90%", "between 80 and 100 bps", "80-100 bps (term loans)", "0.80% - 1.00%"])
def test_an_affirmed_term_whose_benchmark_holds_the_deal_is_a_true_negative(value: str) -> None:
    gold = FEE | {"benchmark_value": "80-100 bps", "benchmark_range": {"low": 80, "high": 100, "unit": "bps"}}
    output = {"benchmark": "LMA", "findings": [FEE | {"citation": FEE_QUOTE, "benchmark_value": value}]}
    items = judged(context("benchmark_validation", output, {"benchmark": "LMA", "findings": [gold]}))
    assert items["findings.commitment_fee"].outcome not in NEVER


ANSWERS = tuple(table("certainty", "answers"))
SENTENCES = tuple(table("certainty", "sentences"))
FEE_CLAIM = cite(3, "Clause 8.1(a)", "a fee computed at the rate of 0.90 per cent. per annum on the Available Commitment")


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_right_answer_in_other_words_is_never_failed(answer: str) -> None:
    gold = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "commitment fee"}
    assert _answer(answer, "What is the commitment fee?", gold).outcome == "correct"


@pytest.mark.parametrize("answer", SENTENCES)
def test_a_right_answer_that_says_more_than_one_value_is_asked(answer: str) -> None:
    """Only an answer that is one value from end to end is compared by rule (rules_and_judge.md L3); any other is `answer_correctness`."""
    gold = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "commitment fee"}
    item = _answer(answer, "What is the commitment fee?", gold)
    assert (item.outcome, item.decided_by, item.bounds[1]) == ("undecided", "none", 1)


@pytest.mark.parametrize("answer", ["1.90% p.a.", "The commitment fee is 2.40% per annum.", "No commitment fee of 0.90% is payable."])
def test_a_wrong_or_turned_answer_gets_no_marks(answer: str) -> None:
    gold = {"answerable": True, "answer": "0.90 per cent. per annum", "required_sections": ["Clause 8.1(a)"], "topic": "commitment fee"}
    assert _answer(answer, "What is the commitment fee?", gold).outcome not in ("correct", "partial")


REFUSAL = "The document does not contain information about the hedging requirements."


@pytest.mark.parametrize("form", table("certainty", "a_wrapped_refusal_is_still_a_refusal"))
def test_a_wrapped_refusal_is_still_a_refusal(form: str) -> None:
    gold = {"answerable": False, "topic": "hedging requirements"}
    ctx = context(
        "document_qa", {"answer": form.format(REFUSAL), "citations": []}, gold, input={"question": "What are the hedging requirements?"}
    )
    assert judged(ctx)["answer"].outcome == "grounded_refusal"


def _answer(answer: str, question: str, gold: dict[str, Any]) -> Item:
    return judged(context("document_qa", {"answer": answer, "citations": [FEE_CLAIM]}, gold, input={"question": question}))["answer"]
