"""What tells two judges and two requests apart: where, which model, with which texts and parameters. JSON values without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from judge.llm.address import Address
from judge.llm.exchange import Endpoint
from judge.llm.local_model import content_mark
from judge.llm.prompt import PROMPT_FORMAT, Form


def rubric_print(form: Form, parameters: Mapping[str, Any], *, together: bool = False) -> dict[str, Any]:
    """Version, and the hash of prompt, schema and parameters: equal hashes mean equally asked questions."""
    parts = [form.rubric_hash, form.schema_hash, dict(parameters), PROMPT_FORMAT, *["together"] * together]
    asked = json.dumps(parts, sort_keys=True)
    return {"version": form.rubric.version, "hash": blake2b(asked.encode(), digest_size=16).hexdigest()}


def model_print(model: str, address: Address, parameters: Mapping[str, Any], endpoint: Endpoint | None) -> dict[str, Any]:
    """A model as asked and as returned, its endpoint, and what was found out about it. mode None: nothing was asked of it."""
    dialect = endpoint.dialect if endpoint else None
    return {
        "model": model,
        "returned": list(endpoint.returned) if endpoint else [],
        "endpoint": {"kind": address.kind, "url": address.url},
        "mode": dialect.mode if dialect and dialect.is_pinned else None,
        "parameters": dict(parameters),
        "dropped": list(dialect.dropped) if dialect else [],
        "renamed": dict(dialect.renamed) if dialect else {},
    }


class KeyMaker:
    """Keys in the cache of one model's answers in one form and repeat. Parts, in order: what explains a miss."""

    __slots__ = ("_head", "_parts")

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts = dict(parts)
        self._head = blake2b(json.dumps(list(self._parts.items())).encode(), digest_size=24)

    @classmethod
    def of(
        cls, model: str, address: Address, form: Form, parameters: Mapping[str, Any], repeat: int, *, together: bool = False
    ) -> KeyMaker:
        """For a model at its endpoint. together: whether other questions may go along."""
        return cls(
            {
                "endpoint": f"{address.kind} {address.url}{content_mark(model) if address.kind == 'llama' else ''}",
                "model": model,
                "rubric": f"{form.rubric.id} {form.rubric_hash[:16]}",
                "schema": form.schema_hash[:16],
                "parameters": json.dumps(parameters, sort_keys=True),
                "repeat": str(repeat),
                "prompt_format": PROMPT_FORMAT,
                **({"asked": "together"} if together else {}),
            }
        )

    def key(self, user_text: str) -> str:
        """The key for the question's own texts (rendered with the placeholder, never with a fence code)."""
        digest = self._head.copy()
        digest.update(user_text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def parts(self, user_text: str) -> dict[str, str]:
        """Every part of the key, the texts by their own hash."""
        return {**self._parts, "texts": blake2b(user_text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()}


class Explainer:
    """Says at a miss which part of the key is new (--explain-cache)."""

    def __init__(self, stored: Sequence[Mapping[str, str]]) -> None:
        self._stored = stored
        self._by_texts: dict[str, list[Mapping[str, str]]] = {}
        for parts in stored:
            self._by_texts.setdefault(parts.get("texts", ""), []).append(parts)

    def why(self, parts: Mapping[str, str]) -> str:
        """One line: the parts that differ from the nearest stored answer to the same texts."""
        candidates = self._by_texts.get(parts["texts"], [])
        if not candidates:
            same_rubric = any(stored.get("rubric") == parts["rubric"] for stored in self._stored)
            return "texts: never asked before" if same_rubric else "texts: never asked before; rubric: new or changed"
        nearest = min(candidates, key=lambda stored: sum(stored.get(name) != value for name, value in parts.items()))
        changed = [f"{name}: {nearest.get(name)} -> {value}" for name, value in parts.items() if nearest.get(name) != value]
        return "; ".join(changed) or "expired or removed"
