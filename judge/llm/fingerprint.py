"""What tells two judges apart: where, which model, and with which texts it is asked. JSON values without secrets, for run.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from judge.llm.address import Address
from judge.llm.inquiry import Voter
from judge.llm.prompt import PROMPT_FORMAT, Form


def rubric_print(form: Form, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Version, and the hash of prompt, schema and parameters: equal hashes mean equally asked questions."""
    asked = json.dumps([form.rubric_hash, form.schema_hash, dict(parameters), PROMPT_FORMAT], sort_keys=True)
    return {"version": form.rubric.version, "hash": blake2b(asked.encode(), digest_size=16).hexdigest()}


def model_print(model: str, address: Address, parameters: Mapping[str, Any], voter: Voter | None) -> dict[str, Any]:
    """A model as asked and as returned, its endpoint, and what was found out about it. mode None: nothing was asked of it."""
    ways = voter.ways if voter else None
    return {
        "model": model,
        "returned": list(voter.returned) if voter else [],
        "endpoint": {"kind": address.kind, "url": address.url},
        "mode": ways.mode if ways and ways.is_pinned else None,
        "parameters": dict(parameters),
        "dropped": list(ways.dropped) if ways else [],
        "renamed": dict(ways.renamed) if ways else {},
    }
