"""Whether a server read a prompt whole. One whose context is too small drops a part unasked, and answers as if nothing were missing."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from judge.llm.faults import Fault
from judge.llm.messages import picture_parts, text_of

LONG_PROMPT = 400  # words; no server's context is smaller
TOKENS_A_WORD = 0.75  # fewer are counted only by a server that dropped a part
TOKENS_A_CHARACTER = 1 / 7  # the same, before a server is known
NEAR = 0.75  # of the tokens that its own count for other prompts makes expect
LEAST_COUNT = 256  # tokens; less is no server's context, so a server that counts less counts something else
_REMEMBERED = 20  # prompts that weigh in a server's own count


class PromptSizes:
    """What a server counted of its prompts. Every character of a request counts, whatever its size.

    A server may leave out what it kept of an earlier request: a count that fits the question's own texts alone is right once the shared
    text was read.
    """

    def __init__(self) -> None:
        self._density = 0.0  # tokens a character of the prompts so far
        self._read: set[bytes] = set()  # shared texts that it has counted
        self._is_whole = False  # it counts a shared text also when it has kept it

    def check(self, body: Mapping[str, Any], counted: int | None) -> None:
        """Raises Fault where the server counted far fewer tokens than a request has."""
        if not counted:
            return
        texts = [" ".join(text_of(message).split()) for message in body["messages"]]
        shared, own = (texts[0], "".join(texts[1:])) if body["messages"][0].get("role") == "system" else ("", "".join(texts))
        words = len(own.split())
        if shared and words >= LONG_PROMPT and counted < TOKENS_A_WORD * words:
            raise _cut(counted, f"{words} words")
        size = len(shared) + len(own)
        if counted < LEAST_COUNT or not size or any(map(picture_parts, body["messages"])):  # how it counts a picture is its own affair
            return
        mark = blake2b(shared.encode("utf-8", "surrogatepass")).digest()
        least = max(TOKENS_A_CHARACTER, NEAR * self._density)
        if counted >= least * size:
            self._density += (counted / size - self._density) / (_REMEMBERED if self._density else 1)
            self._is_whole |= mark in self._read
            self._read.add(mark)
        elif self._is_whole or mark not in self._read or not NEAR <= counted / max(1.0, self._density * len(own)) <= 1 / NEAR:
            raise _cut(counted, f"about {round(size * (self._density or 0.25))} tokens")


def _cut(counted: int, size: str) -> Fault:
    told = f"the endpoint read {counted} tokens of a prompt with {size}: its context is too small and it cuts silently"
    return Fault("truncated", "give_up", f"{told}; raise the server's context length")
