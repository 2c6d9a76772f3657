"""What can go wrong with one attempt, as one exception with a cause and a remedy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from judge.printing import shown
from judge.records import ErrorCause

# retry: the same request again, later. reask: the reply was unusable. longer: the reply was cut, raise its limit.
# adapt: the endpoint rejects a part of the request that can be left out. refused: the endpoint takes this request not at all, perhaps none.
# give_up: this question has no answer.
# stop: the endpoint is of no use to anybody.
Remedy = Literal["retry", "reask", "longer", "adapt", "refused", "give_up", "stop"]


_KEY = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.-]{6,}")


def one_line(text: str) -> str:
    """An endpoint's words as one bounded line of printable characters, without anything that looks like a key."""
    return shown(_KEY.sub("[key]", shown(text, 3000)))


@dataclass(slots=True)
class Fault(Exception):
    """One failed attempt.

    detail: one line without secrets. wait: seconds that the server asked to wait, None when it did not.
    subject: what to leave out, for `adapt`; "connection" where none came about. status: of the HTTP response, 0 for none.
    is_overload: the server said that there are too many requests. may_be_billed: nobody knows whether the attempt was paid.
    reply: the reply as it came, for a re-ask.
    """

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
