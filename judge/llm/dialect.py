"""How an endpoint's model takes requests, found by using it: the mode of structured output, parameters, and roles.
The ladder of modes, best first: a JSON Schema as response format, a forced function call, JSON mode, and the schema in the prompt alone.
The first request tries the best one, so an endpoint that has it costs no probe. A mode that is refused, or that never gives a usable reply,
is not tried again; the first usable reply pins the mode."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judge.llm.faults import SYSTEM
from judge.llm.prompt import Form, Message
from judge.llm.tokens import REPLY_LIMITS

Mode = Literal["json_schema", "tools", "json_object", "prompt"]
LADDER: tuple[Mode, ...] = ("json_schema", "tools", "json_object", "prompt")
FUNCTION = "answer"


def lower_mode(mode: Mode) -> Mode | None:
    """The next mode of the ladder; None after the last."""
    at = LADDER.index(mode) + 1
    return LADDER[at] if at < len(LADDER) else None


class Dialect:
    """What was found out about one model. Changed only by what the endpoint did."""

    def __init__(self) -> None:
        self.mode: Mode = LADDER[0]
        self.is_pinned = False
        self.dropped: list[str] = []
        self.renamed: dict[str, str] = {}

    def pin(self, mode: Mode) -> None:
        """A usable reply came by this mode."""
        if not self.is_pinned:
            self.mode, self.is_pinned = mode, True

    def leave(self, mode: Mode) -> Mode | None:
        """The mode to try after a refused one; None when there is no other. Others are spared it unless a reply came by it."""
        if not self.is_pinned and mode == self.mode:
            self.mode = lower_mode(mode) or mode
        return lower_mode(mode)

    def drop(self, part: str, sent: Mapping[str, Any]) -> bool:
        """Leaves out a part that was sent and rejected, or gives it its newer name; whether that changes the request."""
        if part in REPLY_LIMITS[:-1] and part in sent:
            self.renamed[REPLY_LIMITS[0]] = REPLY_LIMITS[REPLY_LIMITS.index(part) + 1]
            return True
        was_sent = sent["messages"][0]["role"] == "system" if part == SYSTEM else part in sent
        if was_sent and part not in self.dropped:
            self.dropped.append(part)
        return was_sent  # another request may have been rejected for it meanwhile

    def body(self, model: str, form: Form, messages: Sequence[Message], mode: Mode, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The body of a chat completion request that asks for the form's answer by this mode, with the parameters as they were set."""
        system, *others = messages
        if mode in ("json_object", "prompt"):
            shape = f"Reply with one JSON object valid under this schema and nothing else:\n{json.dumps(form.schema)}"
            system = {**system, "content": f"{system['content']}\n\n{shape}"}
        if SYSTEM in self.dropped and others:
            said, content = str(system["content"]), others[0]["content"]  # which beside pictures is a list of parts
            joined = f"{said}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": said}, *content]
            others[0] = {**others[0], "content": joined}
        else:
            others = [system, *others]
        return {"model": model, "messages": others, **self._parameters(wanted), **_shape(form, mode)}

    def _parameters(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The wanted parameters as this endpoint takes them."""
        parts = {name: value for name, value in wanted.items() if name not in ("max_output_tokens", "extra_body")}
        if (cap := wanted.get("max_output_tokens")) is not None:
            parts["max_tokens"] = min(parts.get("max_tokens", cap), cap)
        parts |= wanted.get("extra_body", {})
        return {self.renamed.get(name, name): value for name, value in parts.items() if self.renamed.get(name, name) not in self.dropped}


def _shape(form: Form, mode: Mode) -> dict[str, Any]:
    if mode == "json_schema":
        return {"response_format": form.response_format}
    if mode == "tools":
        function = {"name": FUNCTION, "description": "Gives the answer.", "parameters": form.schema}
        choice = {"type": "function", "function": {"name": FUNCTION}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}
