"""What the standard asks of each capability: a pure function from a Context to decisions, registered here by the name that a batch uses."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from judge.capabilities.context import Context
from judge.records import Decision

Capability = Callable[[Context], list[Decision]]

# capability -> module with its `judge`; imported when the first case of it comes.
MODULES: dict[str, str] = {
    "loan_onboarding": "judge.capabilities.onboarding.items",
    "covenant_monitoring": "judge.capabilities.covenants.items",
    "benchmark_validation": "judge.capabilities.benchmark.items",
    "document_qa": "judge.capabilities.qa.items",
}


def _lazy(module: str) -> Capability:
    def judge(context: Context) -> list[Decision]:
        decided: list[Decision] = importlib.import_module(module).judge(context)
        return decided

    return judge


CAPABILITIES: dict[str, Capability] = {name: _lazy(module) for name, module in MODULES.items()}
