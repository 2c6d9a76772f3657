"""Covenant monitoring: every covenant with its type, threshold, frequency, date and mandatory flags (standard 2)."""

from judge.capabilities import NOWHERE, Capability, CaseFormat, Group, Scored, late, nothing
from judge.capabilities.cases import NoInput
from judge.capabilities.covenants.schema import CovenantOutput, CovenantsGold, item_names
from judge.records import Outcome

_CASE = "judge.capabilities.covenants.case_file"
_GOLD = "judge.capabilities.covenants.gold"

CAPABILITY = Capability(
    name="covenant_monitoring",
    title="Covenant monitoring",
    input=NoInput,
    output=CovenantOutput,
    gold=CovenantsGold,
    labels={
        Outcome.CORRECT: "name, type, verbatim threshold, testing frequency and effective date are right (standard 2.1)",
        Outcome.PARTIAL: "found, but an ambiguous threshold, a period inferred without a source, or an adjacent type (standard 2.1)",
        Outcome.FAIL: "missed, wrong threshold or type, frequency off by more than a level, a mandatory flag missing (standard 2.1, 2.3)",
        Outcome.HALLUCINATION: NOWHERE,
    },
    groups={"covenants": Group("covenant", is_list=True), "flags": Group("flag of the case")},
    gates=frozenset(),
    rules=None,
    judge=late("judge.capabilities.covenants.items", "judge"),
    gold_gaps=nothing,
    gold_faults=late(_GOLD, "gold_faults"),
    gold_tasks=late(_GOLD, "gold_tasks"),
    gold_of=late(_GOLD, "gold_of"),
    check_answer=late(_GOLD, "check_answer"),
    case_file=CaseFormat(late(_CASE, "read"), late(_CASE, "output_of")),
    scored=Scored(
        scope="covenant",
        prefixes=("covenants",),
        names=item_names,
        composite=late("judge.capabilities.covenants.dimensions", "composite"),
        item_score=late("judge.capabilities.covenants.dimensions", "item_score"),
        titles={"D1": "coverage", "D2": "type", "D3": "threshold", "D4": "frequency", "D5": "edge cases"},
    ),
)
