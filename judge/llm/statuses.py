"""What an HTTP error status means for a request and for the run. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from judge.llm.clock import Clock
from judge.llm.dialect import SYSTEM
from judge.llm.faults import Fault, one_line
from judge.llm.retries import server_wait

_NO_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "exceeded your current quota", "credit balance")
_FILTERED = ("content_filter", "content management policy", "invalid_prompt", "usage polic", "moderation", "safety")
_GENERATION = ("json_validate_failed", "tool_use_failed", "failed_generation", "failed to generate json", "failed to call a function")
_LATER = (408, 409, 425, 429)
# "decoder prompt (length 9000) is longer than the maximum model length", "prompt is too long: 9 tokens > 8 maximum";
# not "max_tokens is too large", "name must not be longer than 64 characters".
_TOO_LONG = re.compile(
    r"""context[_ ](?:length|window|size) | exceed\w*[_ ]context | too\ many\ (?:input\ |prompt\ )?tokens
      | reduce\ the\ length\ of\ the\ (?:messages|prompt|input)
      | \b(?:prompt|input|messages?|request)\b [^.]{0,60} \b(?:too\ (?:long|large)|longer\ than|exceed)""",
    re.VERBOSE,
)
# "response_schema is not supported", "does not support Json Output", "No endpoints found that support tool use";
# not "json: cannot unmarshal".
_SHAPE = re.compile(
    r"""response[_ ]?(?:format|schema) | json[_ ](?:schema|object|output|mode) | structured[_ ]outputs? | tool[_ ](?:choice|use|call)
      | \btools\b | \bfunctions\b | function[_ ]call | guided | grammar | no\ endpoints\ found\ that\ support""",
    re.VERBOSE,
)
# "System role not supported", "only user and assistant roles are supported", "Conversation roles must alternate";
# not "the system is overloaded".
_SYSTEM = re.compile(
    r"""system[_ ](?:role|message|prompt|instruction)s?\b | developer\ instruction | role[^.]{0,20}\bsystem\b
      | roles\ must\ alternate | only\ user\ and\ assistant""",
    re.VERBOSE,
)
# "image_url is only supported by certain models", "content must be a string", "does not support vision", "no multimodal projector"
_PICTURE = re.compile(r"image|picture|vision|multi-?modal|mmproj|content\W+(?:\w+\W+){0,3}string")
_SHAPE_PARTS = ("response_format", "tools", "tool_choice")


def status_fault(status: int, headers: Mapping[str, str], body: Any, sent: Mapping[str, Any], clock: Clock, message: str = "") -> Fault:
    """The fault of a response that is an error. body: its `error` as JSON values, without secrets; sent: the request's body."""
    fault = _fault(status, headers, body, sent, clock, message)
    fault.status = status
    return fault


def _fault(status: int, headers: Mapping[str, str], body: Any, sent: Mapping[str, Any], clock: Clock, message: str) -> Fault:
    named = body if isinstance(body, Mapping) else {}
    code, part = one_line(str(named.get("code") or ""))[:60], str(named.get("param") or "")
    said = one_line(str((named.get("message") if named else body) or message))
    told = f"{code} {said} {json.dumps(body, default=str) if body else ''}".casefold()
    if status == 402 or (status == 429 and any(sign in told for sign in _NO_QUOTA)):
        return Fault("quota", "stop", f"the endpoint's quota is used up: {said}")
    if status == 401:
        return Fault("transport", "stop", f"the endpoint refuses the API key (HTTP 401): {said}")
    if status < 400:
        return Fault("transport", "stop", f"the endpoint redirects (HTTP {status}), which is not followed; set the final base URL")
    if status not in _LATER and (fault := _mended(status, code, part, said, told, sent)):
        return fault
    if status in _LATER or status >= 500:
        wait = server_wait({name.lower(): value for name, value in headers.items()}, clock)
        return Fault("transport", "retry", f"HTTP {status}: {said}", wait=wait, is_overload=status in (429, 503, 529))
    why = {403: "the endpoint refuses the API key or the request", 404: "unknown model or URL"}.get(
        status, "the endpoint rejects the request"
    )
    return Fault("transport", "refused", f"{why} (HTTP {status}{', ' + code if code else ''}): {said}")


def _mended(status: int, code: str, part: str, said: str, told: str, sent: Mapping[str, Any]) -> Fault | None:
    """What can be done about a request that is refused for what it is; None when nothing is known."""
    if any(sign in told for sign in _GENERATION):
        return Fault("schema", "reask", f"the endpoint could not make the reply that was asked for: {said}")
    if _PICTURE.search(told) and any(isinstance(message.get("content"), list) for message in sent.get("messages") or ()):
        return Fault("no_pictures", "refused", f"(HTTP {status}) {said}", subject="picture")
    asks_shape = any(name in sent for name in _SHAPE_PARTS)
    if asks_shape and (part.split(".")[0].split("[")[0] in _SHAPE_PARTS or (not part and _SHAPE.search(told))):
        return Fault("schema", "adapt", f"the endpoint does not take this form of answer: {said}", subject="mode")
    if status >= 500:
        return None
    if status == 413 or _TOO_LONG.search(told):
        return Fault("truncated", "give_up", f"the prompt is longer than the model takes: {said}")
    if any(sign in told for sign in _FILTERED):
        return Fault("content_filter", "give_up", f"the endpoint's content filter rejects the prompt: {said}")
    for name in sent:
        if name not in ("model", "messages", *_SHAPE_PARTS) and (part == name or (not part and re.search(rf"\b{re.escape(name)}\b", told))):
            return Fault("schema", "adapt", f"the endpoint rejects {name}: {said}", subject=name)
    if _SYSTEM.search(told):
        return Fault("schema", "adapt", f"the endpoint takes no system message: {said}", subject=SYSTEM)
    return None
