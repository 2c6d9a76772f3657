"""Covenant monitoring: every covenant with its type, threshold, frequency, date and mandatory flags (standard 2)."""

from judge.capabilities import Capability, Group, late, nothing
from judge.capabilities.covenants.schema import CovenantOutput, CovenantsGold
from judge.cases import NoInput
from judge.records import Outcome

_GOLD = "judge.capabilities.covenants.gold"

CAPABILITY = Capability(
    name="covenant_monitoring",
    title="Covenant monitoring",
    input=NoInput,
    output=CovenantOutput,
    gold=CovenantsGold,
    labels=(Outcome.CORRECT, Outcome.PARTIAL, Outcome.FAIL, Outcome.HALLUCINATION),
    groups={"covenants": Group("covenant", is_list=True)},
    gates=frozenset(),
    rules=None,
    judge=late("judge.capabilities.covenants.items", "judge"),
    gold_gaps=nothing,
    gold_faults=late(_GOLD, "gold_faults"),
    gold_tasks=late(_GOLD, "gold_tasks"),
    gold_of=late(_GOLD, "gold_of"),
    check_answer=late(_GOLD, "check_answer"),
)
