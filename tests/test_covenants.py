"""Standard section 2 as tables: pairing, type, threshold, frequency, effective date, mandatory flags, extras."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.records import NonOutcome, Outcome
from tests.capability_cases import PAGES, cite, codes, context, document, judged, replayed
from tests.tables import entries, table

COVENANTS: dict[str, dict[str, Any]] = entries("capability_cases", "covenants")
LEVERAGE, COVER, PLEDGE = COVENANTS.values()
YES = {"quote_support": "supports"}


def bare(covenant: dict[str, Any]) -> dict[str, Any]:
    """As gold: without the output's quote."""
    return {k: v for k, v in covenant.items() if k != "citation"}


def judged_covenants(reported: list[dict[str, Any]], gold: list[dict[str, Any]], verdicts: dict[str, str] | None = None):
    ctx = context("covenant_monitoring", {"covenants": reported}, {"covenants": gold})
    return judged(ctx, YES | (verdicts or {}))


def judged_one(changes: dict[str, Any], gold_changes: dict[str, Any] | None = None, verdicts: dict[str, str] | None = None, of=LEVERAGE):
    return judged_covenants([of | changes], [bare(of) | (gold_changes or {})], verdicts)[f"covenants.{of['name']}"]


def test_a_right_covenant_needs_no_judge():
    decisions, asked = replayed(
        context("covenant_monitoring", {"covenants": [LEVERAGE, COVER]}, {"covenants": [bare(LEVERAGE), bare(COVER)]}), {}
    )
    assert [d.item.outcome for d in decisions] == [Outcome.CORRECT, Outcome.CORRECT] and asked == []


TYPES = table("covenants", "types")


@pytest.mark.parametrize(("changes", "gold", "verdict", "outcome"), TYPES)
def test_types(changes, gold, verdict, outcome):
    verdicts = {"covenant_type_adjacency": verdict} if verdict else {}
    assert judged_one(changes, gold, verdicts).outcome == outcome


def test_a_secondary_type_that_is_not_noted_is_a_finding():
    assert "SECONDARY_TYPE_MISSING" in codes(judged_one({}, {"secondary_type": "negative"}))
    assert "SECONDARY_TYPE_MISSING" not in codes(judged_one({"secondary_type": "negative"}, {"secondary_type": "negative"}))


THRESHOLDS = table("covenants", "thresholds")


@pytest.mark.parametrize(("threshold", "outcome", "code"), THRESHOLDS)
def test_thresholds(threshold, outcome, code):
    item = judged_one({"threshold": threshold})
    assert item.outcome == outcome
    assert code is None or code in codes(item)


@pytest.mark.parametrize(("of", "reported", "truth", "outcome", "code"), table("covenants", "frequencies"))
def test_frequencies(of, reported, truth, outcome, code):
    item = judged_one({"testing_frequency": reported}, {"testing_frequency": truth}, of=COVENANTS[of])
    assert item.outcome == outcome
    assert code is None or code in codes(item)


@pytest.mark.parametrize(("reported", "truth", "outcome"), table("covenants", "effective_dates"))
def test_effective_dates(reported, truth, outcome):
    assert judged_one({"effective_date": reported}, {"effective_date": truth}).outcome == outcome


# ---- flags (standard 2.3) ----------------------------------------------------------------------------------------

GRACE: dict[str, Any] = {"kind": "grace_period", "days": "four Business Days", "triggers": ["non-payment on the due date"]}
CROSS: dict[str, Any] = {"kind": "cross_default", "threshold": "£3,200,000"}
FLAG_QUOTES = entries("covenants", "flag_quotes")
FLAGS = table("covenants", "flags")


@pytest.mark.parametrize(("gold", "changes", "outcome"), FLAGS)
def test_flags(gold, changes, outcome):
    flags = [] if changes is None else [gold | {"citation": FLAG_QUOTES[gold["kind"]]} | changes]
    item = judged_one({"flags": flags}, {"flags": [gold]})
    assert item.outcome == outcome
    assert ("FLAG_MISSING" in codes(item)) == (changes is None or changes.get("items") == [])


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_flags_of_a_kind_the_one_that_shares_most_values_is_compared(order):
    right = CROSS | {"citation": FLAG_QUOTES["cross_default"]}
    other = right | {"threshold": "£9,900,000"}
    found = judged_one({"flags": [right, other][::order]}, {"flags": [CROSS]})
    assert found.outcome == Outcome.CORRECT and "EXTRA_FLAG" in codes(found)
    only_wrong = judged_one({"flags": [CROSS | {"citation": FLAG_QUOTES["cross_default"], "threshold": "£2,500,000"}]}, {"flags": [CROSS]})
    assert "The threshold of the cross-default: gold says '£3,200,000', reported '£2,500,000'." in only_wrong.reason


def test_a_wrong_threshold_is_no_matter_of_support():
    """The quote holds gold's threshold, so that nobody is asked whether it supports the covenant."""
    ctx = context(
        "covenant_monitoring", {"covenants": [LEVERAGE | {"threshold": "shall not exceed 3.90:1"}]}, {"covenants": [bare(LEVERAGE)]}
    )
    decisions, asked = replayed(ctx, {})
    assert decisions[0].item.outcome == Outcome.FAIL and not [q for q in asked if q.rubric == "quote_support"]


@pytest.mark.parametrize(("reported", "outcome"), [("4.10:1", "correct"), ("4.20:1", "fail"), ("shall not be less than 4.10:1", "fail")])
def test_a_bare_figure_has_the_comparator_of_its_own_sentence(reported, outcome):
    assert judged_one({"threshold": reported}).outcome == outcome


def test_no_test_is_reported_by_saying_nothing():
    assert judged_one({"testing_frequency": None}, of=COVER).outcome == Outcome.CORRECT
    assert judged_one({"testing_frequency": None}).outcome == Outcome.FAIL


def test_words_of_a_flag_go_to_the_judge():
    changed = {"flags": [GRACE | {"citation": FLAG_QUOTES["grace_period"], "triggers": ["a sum falls due and is not met"]}]}
    for verdict, outcome in (("complete", "correct"), ("incomplete", "partial"), ("wrong", "fail"), ("cannot_determine", "undecided")):
        assert judged_one(changed, {"flags": [GRACE]}, {"flag_content": verdict}).outcome == outcome


def test_a_flags_citation_counts_into_the_covenants_provenance():
    wrong_page = CROSS | {"citation": FLAG_QUOTES["cross_default"] | {"page": 3}}
    invented = CROSS | {"citation": FLAG_QUOTES["cross_default"] | {"quote": "in an aggregate amount of £9,900,000 or more"}}
    assert judged_one({"flags": [wrong_page]}, {"flags": [CROSS]}).outcome == Outcome.PARTIAL
    uncited = judged_one({"flags": [CROSS]}, {"flags": [CROSS]})
    assert (uncited.provenance.outcome, uncited.reason) == ("absent", "The cross default flag has no citation.")
    item = judged_one({"flags": [invented]}, {"flags": [CROSS]})
    assert (item.outcome, item.provenance.outcome) == (Outcome.HALLUCINATION, "not_found")


def test_a_flag_that_gold_lacks_is_a_finding_only():
    item = judged_one({"flags": [CROSS | {"citation": FLAG_QUOTES["cross_default"]}]})
    assert item.outcome == Outcome.CORRECT and "EXTRA_FLAG" in codes(item)


# ---- pairing -----------------------------------------------------------------------------------------------------


def test_pairing_by_name_then_alias_then_the_judge():
    gold = [bare(LEVERAGE) | {"aliases": ["Total Net Leverage"]}, bare(COVER)]
    by_alias = judged_covenants([LEVERAGE | {"name": "total net  LEVERAGE"}, COVER], gold)
    assert by_alias["covenants.Leverage Ratio"].outcome == Outcome.CORRECT
    grey = [LEVERAGE, COVER | {"name": "Interest Payment Cover"}]
    same = judged_covenants(grey, gold, {"covenant_identity": "same"})
    assert same["covenants.Interest Cover Ratio"].outcome == Outcome.CORRECT
    other = judged_covenants(grey, gold, {"covenant_identity": "different"})
    assert other["covenants.Interest Cover Ratio"].outcome == Outcome.FAIL
    assert other["covenants.+Interest Payment Cover"].outcome is NonOutcome.EXTRA
    offline = judged(context("covenant_monitoring", {"covenants": grey}, {"covenants": gold}))
    assert offline["covenants.Interest Cover Ratio"].bounds == (0, 1)


def test_unpaired_reports_are_extra_and_their_provenance_is_checked():
    invented = COVER | {
        "name": "Cash Sweep",
        "citation": cite(4, "Clause 14.1(b)", "Excess Cash shall be swept every month into a blocked account"),
    }
    items = judged_covenants([LEVERAGE, COVER, COVER, invented], [bare(LEVERAGE)], {"quote_paraphrase": "fabricated"})
    extra, second, hallucinated = (items[f"covenants.+{n}"] for n in ("Interest Cover Ratio", "Interest Cover Ratio#2", "Cash Sweep"))
    assert extra.outcome is second.outcome is NonOutcome.EXTRA and codes(extra) == {"EXTRA_COVENANT"} and extra.weight == 0
    assert hallucinated.outcome == Outcome.HALLUCINATION
    twice = judged_covenants([LEVERAGE, LEVERAGE], [bare(LEVERAGE)])
    assert "DUPLICATE_COVENANT" in codes(twice["covenants.+Leverage Ratio"])


def test_a_missed_covenant_fails_and_no_gold_leaves_values_open():
    assert judged_covenants([LEVERAGE], [bare(LEVERAGE), bare(PLEDGE)])["covenants.Negative pledge"].outcome == Outcome.FAIL
    item = judged(context("covenant_monitoring", {"covenants": [LEVERAGE]}), YES)["covenants.Leverage Ratio"]
    assert (item.outcome, item.why_open, item.provenance.complete) == (NonOutcome.UNDECIDED, "no_reference", True)


PLACED = [bare(c) | {"citation": {"page": 4, "section": c["citation"]["section"]}} for c in (LEVERAGE, COVER, PLEDGE)]
OTHER = PLEDGE | {"name": "Disposals", "citation": cite(4, "Clause 14.2(a)", "liens arising by operation of law")}


def outcomes(reported: list[dict[str, Any]], gold: list[dict[str, Any]], verdicts: dict[str, str] | None = None) -> dict[str, str]:
    decisions, _ = replayed(context("covenant_monitoring", {"covenants": reported}, {"covenants": gold}), YES | (verdicts or {}))
    return {d.item.item.removeprefix("covenants."): str(d.item.outcome.value) for d in decisions}


@pytest.mark.parametrize(
    ("covenant", "name"), [(COVER, "ICR"), (COVER, "Interest coverage"), (PLEDGE, "Encumbrances"), (LEVERAGE, "the Leverage covenant")]
)
def test_a_usual_name_or_short_form_makes_a_pair_without_a_question(covenant, name):
    decisions, asked = replayed(context("covenant_monitoring", {"covenants": [covenant | {"name": name}]}, {"covenants": PLACED}), {})
    found = {d.item.item: d.item.outcome for d in decisions}
    assert found[f"covenants.{covenant['name']}"] == Outcome.CORRECT and not asked and len(found) == 3


@pytest.mark.parametrize(("of", "name"), table("covenants", "names_in_other_words"))
def test_a_name_in_other_words_is_a_question_and_nothing_else_is_decided_by_likeness(of, name):
    decisions, asked = replayed(context("covenant_monitoring", {"covenants": [COVENANTS[of] | {"name": name}]}, {"covenants": PLACED}), {})
    found = {d.item.item: d.item.outcome for d in decisions}
    assert found[f"covenants.{of}"] == NonOutcome.UNDECIDED
    assert "covenant_identity" in {question.rubric for question in asked}


def test_another_name_in_golds_provision_is_a_question_and_never_a_miss():
    report = COVER | {"name": "Debt affordability"}
    assert outcomes([report], PLACED[1:2], {"covenant_identity": "cannot_determine"}) == {"Interest Cover Ratio": "undecided"}
    different = outcomes([report], PLACED[1:2], {"covenant_identity": "different"})
    assert different == {"Interest Cover Ratio": "fail", "+Debt affordability": "extra"}


def test_a_limb_under_another_name_is_not_the_whole_provision():
    report = PLEDGE | {"name": "Statutory charges", "citation": cite(4, "Clause 14.2(a)", "liens arising by operation of law")}
    assert outcomes([report], PLACED[2:], {"covenant_identity": "cannot_determine"}) == {"Negative pledge": "undecided"}


def test_two_covenants_of_one_provision_wait_for_the_one_report_that_both_could_be():
    gold = [PLACED[1] | {"name": name, "citation": {"section": "Clause 14.1"}} for name in ("Debt Burden", "Payment Capacity")]
    report = COVER | {"name": "Debt affordability"}
    assert set(outcomes([report], gold, {"covenant_identity": "cannot_determine"}).values()) == {"undecided"}
    context_ = context("covenant_monitoring", {"covenants": [report]}, {"covenants": gold})
    questions = [q for q in replayed(context_, {})[1] if q.rubric == "covenant_identity"]
    assert len(questions) == 2
    same = replayed(context_, YES | {"covenant_identity": "same"})[0]
    assert [str(d.item.outcome.value) for d in same] == ["correct", "fail"]


@pytest.mark.parametrize(
    "report",
    [
        LEVERAGE | {"citation": COVER["citation"]},  # cites gold's provision, and has its own pair
        OTHER | {"citation": cite(4, "Clause 16.2", "is not paid when due")},  # another name in another provision
        OTHER | {"citation": cite(4, "Clause 14.1(b)", "Cash shall be swept into a blocked account every month")},  # invented
    ],
)
def test_a_covenant_is_missed_where_nothing_left_over_could_be_it(report):
    found = outcomes([report, LEVERAGE], PLACED[:2], {"quote_paraphrase": "fabricated", "covenant_identity": "same"})
    assert found["Interest Cover Ratio"] == "fail"


def test_an_invented_covenant_at_a_true_provision_stays_an_extra():
    report = OTHER | {"name": "Cash Sweep", "citation": cite(4, "Clause 14.2", "Excess Cash shall be swept into a blocked account")}
    found = outcomes([report], PLACED[2:], {"quote_paraphrase": "fabricated"})
    assert found == {"Negative pledge": "fail", "+Cash Sweep": "hallucination"}


USUAL = entries("covenants", "usual", tuples=True)


@given(st.lists(st.sampled_from([(of, name) for of, names in USUAL.items() for name in names]), unique_by=lambda one: one[0], max_size=3))
def test_whatever_it_is_called_a_right_covenant_is_never_missed_and_one_that_is_not_there_is(told):
    found = outcomes([COVENANTS[of] | {"name": name} for of, name in told], PLACED, {"covenant_identity": "cannot_determine"})
    assert {name for name, outcome in found.items() if outcome == "fail"} == set(COVENANTS) - {of for of, _ in told}
    assert not any(name.startswith("+") for name in found)


CROSS = {"kind": "cross_default", "threshold": "£3,200,000"}
CITED = cite(4, "Clause 16.2", "Any Financial Indebtedness of an Obligor in an aggregate amount of £3,200,000 or more is not paid when due")


def with_flags(top: list[dict[str, Any]], at_covenant: list[dict[str, Any]], gold: list[dict[str, Any]]) -> dict[str, Any]:
    output = {"covenants": [LEVERAGE | {"flags": at_covenant}], "flags": top}
    return judged(context("covenant_monitoring", output, {"covenants": [bare(LEVERAGE)], "flags": gold}), YES)


@pytest.mark.parametrize("at_covenant", [False, True])
def test_a_flag_of_the_case_is_met_at_the_top_or_at_a_covenant(at_covenant: bool) -> None:
    flag = [CROSS | {"citation": CITED}]
    items = with_flags([] if at_covenant else flag, flag if at_covenant else [], [CROSS])
    item = items["flags.cross_default"]
    assert item.outcome == Outcome.CORRECT and item.weight == 0 and item.provenance.is_required is not at_covenant
    assert "EXTRA_FLAG" not in codes(items["covenants.Leverage Ratio"]) and items["covenants.Leverage Ratio"].outcome == Outcome.CORRECT


def test_a_flag_of_the_case_that_is_missed_costs_nothing_by_the_standard() -> None:
    items = with_flags([], [], [CROSS])
    assert items["flags.cross_default"].outcome == Outcome.FAIL and codes(items["flags.cross_default"]) == {"FLAG_MISSING"}
    assert sum(item.weight for item in items.values()) == 1


def test_flags_at_the_top_that_gold_lacks_are_extra_and_an_invented_one_is_told() -> None:
    assert with_flags([CROSS | {"citation": CITED}], [], [])["flags.+cross_default"].outcome == NonOutcome.EXTRA
    invented = with_flags([{"kind": "cross_default", "threshold": "£77,700,000", "citation": CITED}], [], [])
    assert invented["flags.+cross_default"].outcome == Outcome.HALLUCINATION


def test_a_threshold_that_gold_does_not_have_is_named_as_one():
    flag = CROSS | {"citation": FLAG_QUOTES["cross_default"]}
    reason = judged_one({"flags": [flag]}, {"flags": [CROSS | {"threshold": None}]}).reason
    assert "The threshold of the cross-default: gold says 'no threshold', reported '£3,200,000'." in reason


NOTICE = PLEDGE | {"name": "Notice of distress", "citation": cite(4, "Clause 16.2", "is not paid when due")}


@pytest.mark.parametrize(("threshold", "quote", "outcome"), table("covenants", "a_time_without_a_figure_is_no_threshold_that_gold_lacks"))
def test_a_time_without_a_figure_is_no_threshold_that_gold_lacks(threshold, quote, outcome):
    pages = (*PAGES[:3], PAGES[3].replace("16.2 Cross default", f"16.2 Notice of distress\n{quote}."))
    report = NOTICE | {"type": "positive", "threshold": threshold, "citation": cite(4, "Clause 16.2", quote)}
    case = context(
        "covenant_monitoring",
        {"covenants": [report]},
        {"covenants": [bare(report) | {"threshold": None}]},
        documents=[document(pages=pages)],
    )
    assert judged(case, YES)["covenants.Notice of distress"].outcome.value == outcome


TESTED = (
    *PAGES[:3],
    PAGES[3].replace(
        "14.2 Negative pledge",
        "(d) Cashflow Cover shall not be less than 4.10:1, tested half-yearly on the last day of each Half Year Period, being\n"
        "30 June and 31 December;\n14.2 Negative pledge",
    ),
)
CASHFLOW: dict[str, Any] = entries("covenants", "cashflow")


def cashflow(**changes: Any):
    gold = bare(CASHFLOW) | {"citations": [{"page": 4, "section": "Clause 14.1(d)"}]}
    ctx = context("covenant_monitoring", {"covenants": [CASHFLOW | changes]}, {"covenants": [gold]}, documents=(document(pages=TESTED),))
    return judged(ctx)["covenants.Cashflow Cover"].outcome


@pytest.mark.parametrize(("stated", "outcome"), table("covenants", "testing_days_beside_a_right_frequency"))
def test_testing_days_beside_a_right_frequency(stated: str, outcome: str) -> None:
    assert cashflow(testing_frequency=stated) == outcome


def test_the_same_figure_of_another_covenant_is_no_support() -> None:
    other = cite(4, "Clause 14.1(a)", "shall not exceed 4.10:1, tested quarterly on each Quarter Date")
    assert cashflow(citation=other) == "undecided"
    assert cashflow(citation=CASHFLOW["citation"] | {"section": "Clause 14.1, paragraph (d)"}) == "correct"
