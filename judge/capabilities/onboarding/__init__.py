"""Loan onboarding: sixteen fields of a facility agreement or an amendment, extracted with their citations (standard 1)."""

from judge.capabilities import NOWHERE, TIER1_FIELDS, Capability, CaseFormat, Scored, late
from judge.capabilities.cases import NoInput
from judge.capabilities.onboarding.schema import ExtractionGold, ExtractionOutput, gold_gaps, item_names
from judge.records import Outcome

_CASE = "judge.capabilities.onboarding.case_file"
_GOLD = "judge.capabilities.onboarding.gold"

CAPABILITY = Capability(
    name="loan_onboarding",
    title="Loan onboarding",
    input=NoInput,
    output=ExtractionOutput,
    gold=ExtractionGold,
    labels={
        Outcome.CORRECT: "the value is what the document says, and the citation names the right page and section (standard 1.1)",
        Outcome.SEMANTIC_MATCH: "the same meaning and magnitude in another form, with a right and precise citation (standard 1.1)",
        Outcome.PARTIAL: "partly right (no currency, another tranche's amount), or the citation is imprecise (standard 1.1)",
        Outcome.FAIL: "wrong, missing though the document has it, or the cited place does not contain it (standard 1.1)",
        Outcome.HALLUCINATION: NOWHERE,
    },
    groups={},
    gates=frozenset({TIER1_FIELDS}),
    rules=None,
    judge=late("judge.capabilities.onboarding.items", "judge"),
    gold_gaps=gold_gaps,
    gold_faults=late(_GOLD, "gold_faults"),
    gold_tasks=late(_GOLD, "gold_tasks"),
    gold_of=late(_GOLD, "gold_of"),
    check_answer=late(_GOLD, "check_answer"),
    case_file=CaseFormat(late(_CASE, "read"), late(_CASE, "output_of")),
    scored=Scored(
        scope="field",
        prefixes=("fields", "tranches"),
        names=item_names,
        composite=late("judge.capabilities.onboarding.degrees", "composite"),
        item_score=late("judge.capabilities.onboarding.degrees", "item_score"),
        titles={"field": "field"},
    ),
)
