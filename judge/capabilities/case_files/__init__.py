"""What the readers of evaluation cases in Markdown share: each capability reads its own expected output (`case_file.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judge.capabilities.case_files.evidence import Target
from judge.capabilities.wording import fold_text

Gold = dict[str, Any]


@dataclass(slots=True)
class Reading:
    """Gold as far as it was read. targets: what can be cited; lines: path in gold -> line of the file (negative: a fault is told of it);
    items: folded name -> item that a row of the scoring criteria may be limited to."""

    gold: Gold
    targets: list[Target] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)


def columns(*titles: str) -> dict[str, str]:
    """Column titles, folded -> key."""
    return {fold_text(title): fold_text(title).replace(" ", "_") for title in titles}
