"""Values of loan documents: one module per kind, each with parse, scan and the comparison rule of judging.md section 2."""

from __future__ import annotations

from deterministic.values.comparison import Comparison, Kind, Label, Mention, Surroundings

KINDS: dict[str, Kind] = {}

__all__ = ["KINDS", "Comparison", "Kind", "Label", "Mention", "Surroundings"]
