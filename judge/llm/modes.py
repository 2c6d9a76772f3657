"""How an answer of the asked shape is asked for: the best way that the endpoint has, found by using it.

The ladder, best first: a JSON Schema as response format, a forced function call, JSON mode, and the schema in the prompt alone. The first
request tries the best one, so an endpoint that has it costs no probe. A way that is refused, or that never gives a usable reply, is left
for good; the first usable reply pins the way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judge.llm.prompt import Form, Message

Mode = Literal["json_schema", "tools", "json_object", "prompt"]
LADDER: tuple[Mode, ...] = ("json_schema", "tools", "json_object", "prompt")
FUNCTION = "answer"


class Ways:
    """What an endpoint's model was found to take: its mode, and which parameters it rejects. Changed only by what the endpoint did."""

    def __init__(self) -> None:
        self.mode: Mode = LADDER[0]
        self.is_pinned = False
        self.dropped: list[str] = []
        self.renamed: dict[str, str] = {}

    def pin(self, mode: Mode) -> None:
        """A usable reply came by this mode."""
        if mode == self.mode:
            self.is_pinned = True

    def step_down(self, mode: Mode) -> bool:
        """Leaves a mode that does not work; whether there is another one to try (also when somebody else has left it already)."""
        if mode != self.mode:
            return True
        at = LADDER.index(mode)
        if at + 1 == len(LADDER) or self.is_pinned:
            return False
        self.mode = LADDER[at + 1]
        return True

    def drop(self, parameter: str, sent: Mapping[str, Any]) -> bool:
        """Leaves out a parameter that was sent and rejected, or gives it its newer name; whether that changes the request."""
        if parameter == "max_tokens" and "max_tokens" in sent:
            self.renamed["max_tokens"] = "max_completion_tokens"
            return True
        if parameter in self.dropped:
            return parameter in sent  # another request was rejected for it meanwhile
        if parameter in sent:
            self.dropped.append(parameter)
            return True
        return False

    def parameters(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The wanted parameters as this endpoint takes them."""
        return {self.renamed.get(name, name): value for name, value in wanted.items() if self.renamed.get(name, name) not in self.dropped}


def request_body(model: str, form: Form, messages: Sequence[Message], mode: Mode, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a chat completion request that asks for the form's answer by this mode."""
    body: dict[str, Any] = {"model": model, "messages": list(messages), **parameters}
    if mode == "json_schema":
        body["response_format"] = form.response_format
    elif mode == "tools":
        body["tools"] = [
            {"type": "function", "function": {"name": FUNCTION, "description": "Gives the answer.", "parameters": form.schema}}
        ]
        body["tool_choice"] = {"type": "function", "function": {"name": FUNCTION}}
    else:
        body["messages"] = [_with_schema(messages[0], form), *messages[1:]]
        if mode == "json_object":
            body["response_format"] = {"type": "json_object"}
    return body


def _with_schema(system: Message, form: Form) -> Message:
    shape = json.dumps(form.schema)
    return {**system, "content": f"{system['content']}\n\nReply with one JSON object valid under this schema and nothing else:\n{shape}"}
