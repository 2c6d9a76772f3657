"""Tokens of a request and its reply: how many there are, whether a server read them all, and what they cost by a table that the user can
edit."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from judge.errors import UsageError
from judge.llm.faults import Fault
from judge.llm.prompt import picture_parts, picture_tokens, text_of
from rubrics.named_file import read_settings

REPLY_LIMITS = ("max_tokens", "max_completion_tokens")  # providers' names of a reply's token limit: one that is refused gets the next
_DATE = re.compile(r"-\d{4}(?:-?\d{2}-?\d{2})?$")
_MOST_TOKENS = 1_000_000  # that a reply has; no model writes more at once
_LEAST_CHARACTERS, _MOST_CHARACTERS = 0.4, 6  # of a prompt, for a token of it: no tokenizer counts more, nor fewer
_PICTURE_TOKENS = 50_000  # that pictures and what an endpoint adds may take beyond it
_SHAPE_TOKENS = 60  # around the texts of a request
LONG_PROMPT = 400  # words; no server's context is smaller
TOKENS_A_WORD = 0.75  # fewer are counted only by a server that dropped a part
TOKENS_A_CHARACTER = 1 / 7  # the same, before a server is known
NEAR = 0.75  # of the tokens that its own count for other prompts makes expect
LEAST_COUNT = 256  # tokens; less is no server's context, so a server that counts less counts something else
_REMEMBERED = 20  # prompts that weigh in a server's own count


_Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. cached_input: of a prompt's beginning that the provider has kept; None where that is not cheaper."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    input: _Usd
    output: _Usd
    cached_input: _Usd | None = None

    def usd(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """What so many tokens cost, of which the input has so many from the provider's cache."""
        cached = self.input if self.cached_input is None else self.cached_input
        return (self.input * (input_tokens - cached_tokens) + cached * cached_tokens + self.output * output_tokens) / 1e6


FREE = Price(0.0, 0.0)
_TABLE = TypeAdapter(dict[str, Price])


def load_prices(path: Path | None) -> dict[str, Price]:
    """The shipped table with the user's entries before it. Raises UsageError naming file and entry."""
    prices = _parsed(resources.files("judge.llm").joinpath("prices.toml").read_text("utf-8"), "prices.toml")
    try:
        return prices if path is None else prices | _parsed(read_settings(path), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the price table cannot be read: {error}") from error


def _parsed(text: str, source: str) -> dict[str, Price]:
    try:
        return _TABLE.validate_python(tomllib.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        wanted = 'every entry is ["model"] with numbers `input` and `output` (and `cached_input`), USD per million tokens'
        told = f"{'.'.join(map(str, first['loc']))}: {first['msg'][:1].lower()}{first['msg'][1:]}"
        raise UsageError(f"{source}: {wanted}: {told}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{source}: not a TOML file: {error}") from error


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model; None when the table has none. A model on this machine is free."""
    return FREE if model.startswith("llama:") else prices.get(model) or prices.get(_DATE.sub("", model))


def token_limit(body: Mapping[str, Any]) -> int:
    """The token limit that is sent; 0 for none."""
    return next((int(body[name]) for name in REPLY_LIMITS if body.get(name)), 0)


def count_tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a request, from its characters: four a token, the shape around them, and those of its pictures by their own rule."""
    return sum(len(text_of(m)) + 4 * picture_tokens(m) for m in body["messages"]) // 4 + _SHAPE_TOKENS


def used_tokens(completion: Any, expected_input: int) -> tuple[int, int]:
    """(input, output) tokens as the server counted them; where it did not, or fewer than were sent, from the characters."""
    used_in, used_out = counted_tokens(completion, expected_input)
    if used_out is None:
        has_usage = isinstance(completion, Mapping) and isinstance(completion.get("usage"), Mapping)
        used_out = (_reply_characters(completion) if has_usage else len(str(completion))) // 4
    return expected_input if used_in is None else used_in, used_out


def counted_tokens(completion: Any, expected_input: int) -> tuple[int | None, int | None]:
    """What the server counted of such a request and its reply: never less than was sent, and None for what is absurd, since neither may
    lift a budget or spend one. expected_input: tokens of the request from its characters."""
    first, second = reported_tokens(completion)
    most = 4 * expected_input / _LEAST_CHARACTERS + _PICTURE_TOKENS
    return _bounded(first, 4 * (expected_input - _SHAPE_TOKENS), most), _bounded(second, _reply_characters(completion), _MOST_TOKENS)


def reported_tokens(completion: Any) -> list[int | None]:
    """The server's numbers for request and reply."""
    usage = completion.get("usage") if isinstance(completion, Mapping) else None
    told = [usage.get(name) if isinstance(usage, Mapping) else None for name in ("prompt_tokens", "completion_tokens")]
    return [n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 10**9 else None for n in told]


def _bounded(told: int | None, characters: int, most: float) -> int | None:
    if told is None or told > most:
        return None
    return told if told >= characters // _MOST_CHARACTERS else characters // 4


def _reply_characters(completion: Any) -> int:
    """Length of a reply's words."""
    try:
        message = completion["choices"][0]["message"]
        return len(message.get("content") or "") + sum(len(call["function"]["arguments"]) for call in message.get("tool_calls") or ())
    except (LookupError, TypeError, AttributeError):
        return 0


class PromptSizes:
    """What a server counted of its prompts. One whose context is too small drops a part unasked, and answers as if nothing were missing.
    Every character of a request counts, whatever its size. A server may leave out what it kept of an earlier request: a count that fits the
    question's own texts alone is right once the shared text was read."""

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
