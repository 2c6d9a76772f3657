"""Covenant monitoring: every covenant with its type, threshold, frequency, date and mandatory flags (standard 2).
Its formats (docs/contract/formats.md) and its record."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import StrictBool, StrictInt

from judge.capabilities import Capability, Group, Scored, late, late_parts, nothing
from judge.capabilities.cases import MANY, Cited, Confidence, NoInput, Strict, Text, Threshold
from judge.capabilities.scoring.dimensions import covenant_score, of_covenants
from judge.capabilities.wording import unique_names


class CarveOutItem(Strict):
    """One carve-out: its scope and cap."""

    scope: Text
    cap: Text | None = None


class Flag(Cited):
    """A mandatory flag of the standard's section 2.3; which keys matter depends on `kind`."""

    kind: Literal["waiver", "carve_out", "grace_period", "cross_default"]
    covenant: Text | None = None
    original_threshold: Threshold | None = None
    waived_threshold: Threshold | None = None
    period: Text | None = None
    temporary: StrictBool | None = None
    items: Annotated[tuple[CarveOutItem, ...], MANY] | None = None
    days: StrictInt | Text | None = None
    triggers: Annotated[tuple[Text, ...], MANY] | None = None
    threshold: Threshold | None = None


class Covenant(Cited):
    """A covenant, as reported or (with `aliases`) as gold."""

    name: Text
    type: Text | None = None
    secondary_type: Text | None = None
    threshold: Threshold | None = None
    testing_frequency: Text | None = None
    effective_date: Text | None = None
    confidence: Confidence | None = None
    flags: Annotated[tuple[Flag, ...], MANY] = ()


class CovenantGold(Covenant):
    """A true covenant."""

    type: Text
    aliases: tuple[Text, ...] = ()


class CovenantOutput(Strict):
    """Output of covenant monitoring. flags: those that hang on no single covenant."""

    covenants: Annotated[tuple[Covenant, ...], MANY] = ()
    flags: Annotated[tuple[Flag, ...], MANY] = ()


class CovenantsGold(Strict):
    """Gold of covenant monitoring. flags: those of the case (a cross default among the events of default)."""

    covenants: Annotated[tuple[CovenantGold, ...], MANY] = ()
    flags: Annotated[tuple[Flag, ...], MANY] = ()


def item_names(gold: CovenantsGold) -> Iterator[str]:
    """The covenants of gold by name."""
    yield from unique_names([covenant.name for covenant in gold.covenants])


CAPABILITY = Capability(
    name="covenant_monitoring",
    title="Covenant monitoring",
    input=NoInput,
    output=CovenantOutput,
    gold=CovenantsGold,
    groups={"covenants": Group("covenant", is_list=True), "flags": Group("flag of the case")},
    gates=frozenset(),
    rules=None,
    gold_gaps=nothing,
    scored=Scored(
        scope="covenant",
        prefixes=("covenants",),
        names=item_names,
        composite=of_covenants,
        item_score=covenant_score,
        titles={"D1": "coverage", "D2": "type", "D3": "threshold", "D4": "frequency", "D5": "edge cases"},
    ),
    gold_doubts=late("judge.capabilities.covenants.gold", "gold_doubts"),
    **late_parts("judge.capabilities.covenants"),
)
