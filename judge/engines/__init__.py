"""A run from its settings to its summary (session), its loop, and where that runs: in this process (local), or as tasks of a Ray cluster
(ray_engine). Both take the same assignment."""

from __future__ import annotations

from judge.engines.assignment import Engine


def engine_of(name: str) -> Engine:
    """The engine of a setting; only the chosen one is imported. Raises UsageError when its extra is not installed."""
    if name == "ray":
        from judge.engines.ray_engine import judge_on_cluster

        return judge_on_cluster
    from judge.engines.local import judge_here

    return judge_here
