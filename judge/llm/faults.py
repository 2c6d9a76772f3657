"""What can go wrong with one attempt, as one exception with a cause and a remedy; and which of them an HTTP error status is. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from calibration.words import table
from judge.llm.clock import Clock
from judge.printing import shown
from judge.records import ErrorCause

# retry: the same request again, later. reask: the reply was unusable. longer: the reply was cut, raise its limit.
# adapt: the endpoint rejects a part of the request that can be left out. refused: the endpoint takes this request not at all, perhaps none.
# give_up: this question has no answer.
# stop: the endpoint is of no use to anybody.
Remedy = Literal["retry", "reask", "longer", "adapt", "refused", "give_up", "stop"]
SYSTEM = "system role"  # what an endpoint without system messages rejects
_KEY = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{6,}")
_REFUSED = {403: "the endpoint refuses the API key or the request", 404: "unknown model or URL"}
_LATER = (408, 409, 425, 429)
_SAID = {fault: re.compile("|".join(forms)) for fault, forms in table("judge.llm", "faults.toml").items()}
_SHAPE_PARTS = ("response_format", "tools", "tool_choice")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def one_line(text: str) -> str:
    """An endpoint's words as one bounded line of printable characters, without anything that looks like a key."""
    return shown(_KEY.sub("[key]", shown(text, 3000)))


@dataclass(slots=True)
class Fault(Exception):
    """One failed attempt. detail: one line without secrets. wait: seconds that the server asked to wait, None when it did not. subject:
    what to leave out, for `adapt`; "connection" where none came about. status: of the HTTP response, 0 for none. is_overload: the server
    said that there are too many requests. may_be_billed: nobody knows whether the attempt was paid. reply: the reply as it came, for a
    re-ask."""

    cause: ErrorCause
    remedy: Remedy
    detail: str
    wait: float | None = None
    subject: str = ""
    is_overload: bool = False
    may_be_billed: bool = False
    reply: object = None
    status: int = 0

    def __str__(self) -> str:
        return self.detail


def status_fault(status: int, headers: Mapping[str, str], body: Any, sent: Mapping[str, Any], clock: Clock, message: str = "") -> Fault:
    """The fault of a response that is an error. body: its `error` as JSON values, without secrets; sent: the request's body."""
    named = body if isinstance(body, Mapping) else {}
    code, part = one_line(str(named.get("code") or ""))[:60], str(named.get("param") or "")
    said = one_line(str((named.get("message") if named else body) or message))
    told = f"{code} {said} {json.dumps(body, default=str) if body else ''}".casefold()
    why = _REFUSED.get(status, "the endpoint rejects the request")
    fault = Fault("transport", "refused", f"{why} (HTTP {status}{', ' + code if code else ''}): {said}")
    if status == 402 or (status == 429 and _SAID["no_quota"].search(told)):
        fault = Fault("quota", "stop", f"the endpoint's quota is used up: {said}")
    elif status == 401:
        fault = Fault("transport", "stop", f"the endpoint refuses the API key (HTTP 401): {said}")
    elif status < 400:
        fault = Fault("transport", "stop", f"the endpoint redirects (HTTP {status}), which is not followed; set the final base URL")
    elif status not in _LATER and (known := _mended(status, part, said, told, sent)):
        fault = known
    elif status in _LATER or status >= 500:
        wait = server_wait({name.lower(): value for name, value in headers.items()}, clock)
        fault = Fault("transport", "retry", f"HTTP {status}: {said}", wait=wait, is_overload=status in (429, 503, 529))
    fault.status = status
    return fault


def _mended(status: int, part: str, said: str, told: str, sent: Mapping[str, Any]) -> Fault | None:
    """What can be done about a request that is refused for what it is; None when nothing is known."""
    if _SAID["generation"].search(told):
        return Fault("schema", "reask", f"the endpoint could not make the reply that was asked for: {said}")
    if _SAID["picture"].search(told) and any(isinstance(message.get("content"), list) for message in sent.get("messages") or ()):
        return Fault("no_pictures", "refused", f"(HTTP {status}) {said}", subject="picture")
    asks_shape = any(name in sent for name in _SHAPE_PARTS)
    if asks_shape and (part.split(".")[0].split("[")[0] in _SHAPE_PARTS or (not part and _SAID["shape"].search(told))):
        return Fault("schema", "adapt", f"the endpoint does not take this form of answer: {said}", subject="mode")
    if status >= 500:
        return None
    if status == 413 or _SAID["too_long"].search(told):
        return Fault("truncated", "give_up", f"the prompt is longer than the model takes: {said}")
    if _SAID["filtered"].search(told):
        return Fault("content_filter", "give_up", f"the endpoint's content filter rejects the prompt: {said}")
    for name in sent:
        if name not in ("model", "messages", *_SHAPE_PARTS) and (part == name or (not part and re.search(rf"\b{re.escape(name)}\b", told))):
            return Fault("schema", "adapt", f"the endpoint rejects {name}: {said}", subject=name)
    if _SAID["system"].search(told):
        return Fault("schema", "adapt", f"the endpoint takes no system message: {said}", subject=SYSTEM)
    return None


def server_wait(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Seconds that a response asks to wait: Retry-After in milliseconds, seconds or as an HTTP date, else the reset time of an
    exhausted limit ("6m0s"). None when it does not ask. Header names are lower case."""
    if (millis := _number(headers.get("retry-after-ms", ""))) is not None:
        return millis / 1000
    after = headers.get("retry-after", "").strip()
    if (wait := _seconds(after)) is not None:
        return wait
    try:
        date = parsedate_to_datetime(after)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - clock.wall())
    except (ValueError, OverflowError, OSError):
        pass
    names = ("x-ratelimit-{}-requests", "x-ratelimit-{}-tokens", "ratelimit-{}")
    used_up = (name for name in names if headers.get(name.format("remaining"), "").strip() in ("0", "0.0"))
    resets = [_seconds(headers.get(name.format("reset"), "").strip()) for name in used_up]
    return max((wait for wait in resets if wait is not None), default=None)


def _seconds(text: str) -> float | None:
    """A number of seconds, or a duration with units."""
    if (parts := _DURATION.findall(text)) and "".join(n + unit for n, unit in parts) == text:
        return sum(float(n) * _UNITS[unit] for n, unit in parts)
    return _number(text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
