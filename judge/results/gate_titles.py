"""What gates are called where people read of them; their names in files and flags are keys."""

from __future__ import annotations

from collections.abc import Iterable

from judge.capabilities import TIER1_FIELDS
from judge.capabilities.registry import title_of
from judge.results.lines import Gate

GATE_TITLES = {
    "capability_score": "Capability score",
    "companion_score": "Companion score",
    "tier1_field_score": "Tier 1 field score",
    "hallucination_rate": "Hallucination rate",
    "provenance_completeness": "Provenance completeness",
    "grounded_refusal_accuracy": "Grounded refusal accuracy",
}


def scope_title(gate: str, scope: str) -> str:
    """The scope of a gate of this name: a capability's title, the key of a field, or the whole run."""
    return "whole run" if scope == "all" else scope if gate == TIER1_FIELDS else title_of(scope)


def listed(gates: Iterable[Gate]) -> str:
    """Gates by name with their scopes: "Tier 1 field score: margin, currency; Hallucination rate"."""
    scopes: dict[str, list[str]] = {}
    for gate in gates:
        told = [] if gate.scope == "all" else [scope_title(gate.name, gate.scope)]
        scopes.setdefault(GATE_TITLES.get(gate.name, gate.name), []).extend(told)
    return "; ".join(f"{name}: {', '.join(found)}" if found else name for name, found in scopes.items())
