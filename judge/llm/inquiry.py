"""One question to one model until it has an answer or none can be had: attempts, re-asks, and what each of them may cost."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.errors import EndpointError
from judge.llm.client import Client
from judge.llm.clock import Clock
from judge.llm.faults import Fault
from judge.llm.limits import Budget, Concurrency, Rates
from judge.llm.modes import Mode, Ways, request_body
from judge.llm.prices import Price
from judge.llm.prompt import Form, Message
from judge.llm.replies import Reply, read_reply
from judge.llm.retries import Retries
from judge.llm.usage import Usage

REASKS = 2  # of a reply that is not the asked object, or off the menu
CUTS = 2  # of a reply that ends at the token limit
UNKNOWN_OUTPUT = 1024  # tokens that a reply is taken to cost at most where the user set no limit and none longer was seen
USUAL_OUTPUT = 200.0  # before the first reply
_REMEMBERED = 20  # replies
_MOST_TOKENS = 100_000_000  # that a server may say it counted in one request
_LONGER = 4  # times the tokens that a cut reply had


@dataclass(slots=True)
class Shared:
    """What all inquiries of a run share."""

    clock: Clock
    concurrency: Concurrency
    rates: Rates
    budget: Budget
    retries: Retries
    usage: Usage
    timeout_s: float
    deadline_s: float


class Voter:
    """One model at one endpoint, and what was found out about it."""

    def __init__(self, model: str, client: Client, parameters: Mapping[str, Any], price: Price | None, shared: Shared) -> None:
        self.model, self.client, self.price = model, client, price
        self.ways = Ways()
        self.returned: dict[str, None] = {}  # models as returned by the server, in order of appearance
        self.longest_output = 0
        self.usual_output = USUAL_OUTPUT  # what a reply takes beyond the estimate of its request, as seen lately
        self._wanted, self._shared = dict(parameters), shared
        self._has_answered = False

    async def ask(self, form: Form, messages: Sequence[Message]) -> Reply:
        """The reply.

        Raises Fault when this question has no answer, EndpointError when none can have one, BudgetReached, DoorClosed.
        """
        return await _Inquiry(self, form, list(messages), self._wanted).run()

    async def attempt(self, form: Form, body: Mapping[str, Any], time_left: float) -> Reply:
        """One request. Raises Fault."""
        shared, tokens = self._shared, _tokens(body)
        limit = int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
        most = self._most(tokens, limit or max(UNKNOWN_OUTPUT, self.longest_output))
        taken = tokens + (limit or max(0, round(self.usual_output)))  # providers count a limit that is sent as if it were used
        cost = 0.0
        await shared.concurrency.enter()
        try:
            await shared.budget.reserve(most)
            try:
                await shared.rates.take(taken)
                try:
                    completion = await self.client.post(body, max(0.001, min(shared.timeout_s, time_left)))
                except (Fault, asyncio.CancelledError) as error:
                    if not isinstance(error, Fault) or error.may_be_billed:
                        cost = most  # nobody knows; a cap must hold all the same
                    raise
                used_in, used_out = _used(completion, tokens)
                cost = self._count(form, used_in, used_out)
                shared.rates.correct(taken, taken if limit else used_in + used_out)
                self.usual_output += (used_in + used_out - tokens - self.usual_output) / _REMEMBERED
            finally:
                shared.budget.settle(most, cost)
        except Fault as fault:
            if fault.is_overload:
                shared.concurrency.overloaded(fault.wait)
            raise
        finally:
            shared.concurrency.leave()
        shared.concurrency.succeeded()
        self._has_answered = True
        return self._read(form, completion)

    def _read(self, form: Form, completion: Any) -> Reply:
        has_meaning, clean = self.client.address.kind != "llama", self.client.redactor.text
        reply = read_reply(completion, form.rubric.choices, asked_model=self.model, has_meaning=has_meaning, clean=clean)
        self.returned.setdefault(reply.model)
        return reply

    def receive(self, form: Form, body: Mapping[str, Any], completion: Any, usd_share: float) -> Reply:
        """The reply of a request that was sent by another way, at that share of the price. Raises Fault."""
        used_in, used_out = _used(completion, _tokens(body))
        self._shared.budget.spent += self._count(form, used_in, used_out, usd_share)
        reply = self._read(form, completion)
        self.ways.pin(self.ways.mode)
        return reply

    def most(self, body: Mapping[str, Any], usd_share: float) -> float:
        """The most dollars that a request can cost at that share of the price."""
        expected = int(body.get("max_tokens") or body.get("max_completion_tokens") or max(UNKNOWN_OUTPUT, self.longest_output))
        return usd_share * self._most(_tokens(body), expected)

    def _most(self, tokens: int, output: int) -> float:
        """The most that an attempt can cost. Without a price that is nothing where no budget is set, and more than any budget otherwise."""
        if self.price is not None:
            return self.price.usd(tokens, output)
        return 0.0 if self._shared.budget.cap is None else math.inf

    def _count(self, form: Form, used_in: int, used_out: int, usd_share: float = 1.0) -> float:
        self.longest_output = max(self.longest_output, used_out)
        usd = usd_share * self.price.usd(used_in, used_out) if self.price else None
        self._shared.usage.paid(form.rubric.id, used_in, used_out, usd)
        return usd or 0.0

    async def attempts(self, form: Form, body: Mapping[str, Any], deadline: list[float]) -> Reply:
        """The request with its retries. `deadline` holds when the question's time is over, from its first attempt on. Raises Fault."""
        clock = self._shared.clock

        def time_left() -> float:
            return deadline[0] - clock.monotonic() if deadline else self._shared.deadline_s

        async def one() -> Reply:
            if not deadline:
                deadline.append(clock.monotonic() + self._shared.deadline_s)
            if time_left() <= 0:
                raise Fault("timeout", "give_up", f"no answer within the deadline of {self._shared.deadline_s:g} s")
            return await self.attempt(form, body, time_left())

        try:
            return await self._shared.retries.run(one, time_left)
        except Fault as fault:
            if fault.remedy == "stop" or (fault.subject == "connection" and not self._has_answered):
                raise EndpointError(fault.detail) from None
            raise


class _Inquiry:
    """The state of one question's conversation: what was changed after which reply."""

    def __init__(self, voter: Voter, form: Form, messages: list[Message], wanted: dict[str, Any]) -> None:
        self._voter, self._form, self._messages, self._first = voter, form, messages, messages
        self._wanted = wanted
        self._reasks, self._cuts = 0, 0
        self._deadline: list[float] = []

    async def run(self) -> Reply:
        while True:
            mode = self._voter.ways.mode
            parameters = self._voter.ways.parameters(self._wanted)
            body = request_body(self._voter.model, self._form, self._messages, mode, parameters)
            try:
                reply = await self._voter.attempts(self._form, body, self._deadline)
            except Fault as fault:
                if not await self._has_another_try(fault, mode, body):
                    raise
                continue
            self._voter.ways.pin(mode)
            return reply

    async def _has_another_try(self, fault: Fault, mode: Mode, body: Mapping[str, Any]) -> bool:
        if fault.remedy == "adapt":
            ways = self._voter.ways
            if ways.step_down(mode) if fault.subject == "mode" else ways.drop(fault.subject, body):
                return True
            raise EndpointError(fault.detail)
        if fault.remedy == "longer" and self._cuts < CUTS:
            self._cuts += 1  # the limit is raised once; a reply that is cut again may have been cut for another reason
            if self._cuts > 1:
                return True
            self._wanted = {**self._wanted, "max_tokens": _longer_limit(fault.reply, self._wanted)}
            return True
        if fault.remedy == "reask":
            return await self._reask(fault, mode, body)
        return False

    async def _reask(self, fault: Fault, mode: Mode, body: Mapping[str, Any]) -> bool:
        if self._reasks < REASKS:
            self._reasks += 1
            self._messages = await asyncio.to_thread(corrected_messages, body, self._first, fault, mode)
            return True
        if self._voter.ways.is_pinned or fault.cause != "schema":
            return False
        self._messages = self._first  # this way never gave a usable reply: one try in each of the others
        return self._voter.ways.step_down(mode) and self._voter.ways.mode != mode


def corrected_messages(body: Mapping[str, Any], first: Sequence[Message], fault: Fault, mode: Mode) -> list[Message]:
    """The conversation with the unusable reply and what is wrong with it, as instructor words it for the mode."""
    import instructor
    from instructor.processing.response import handle_reask_kwargs
    from openai.types.chat import ChatCompletion

    modes = {"tools": instructor.Mode.TOOLS, "json_schema": instructor.Mode.JSON_SCHEMA, "json_object": instructor.Mode.JSON}
    try:
        reply = ChatCompletion.model_validate(fault.reply)
        kwargs = {**body, "messages": [*first]}
        if mode == "tools" and not reply.choices[0].message.tool_calls:
            mode = "prompt"
        messages = handle_reask_kwargs(kwargs, modes.get(mode, instructor.Mode.MD_JSON), reply, fault)["messages"]
        return [_plain(message) for message in messages]
    except Exception:  # a reply too odd for the SDK's models: say what is wrong without quoting it
        return [*first, {"role": "user", "content": f"{fault.detail}. Give the JSON object that was asked for."}]


def _plain(message: Any) -> Message:
    return {key: value for key, value in dict(message).items() if value is not None}


def _longer_limit(reply: object, wanted: Mapping[str, Any]) -> int:
    used = _used(reply, 0)[1]
    return max(_LONGER * max(used, int(wanted.get("max_tokens") or 0)), 2 * UNKNOWN_OUTPUT)


def _tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a request, from its characters: four a token, and the shape around them."""
    return sum(len(str(m.get("content") or "")) for m in body["messages"]) // 4 + 60


def _used(completion: Any, expected_input: int) -> tuple[int, int]:
    """(input, output) tokens as the server counted them; where it did not, from the characters."""
    usage = completion.get("usage") if isinstance(completion, Mapping) else None
    counts = [usage.get(name) if isinstance(usage, Mapping) else None for name in ("prompt_tokens", "completion_tokens")]
    used_in = counts[0] if _is_count(counts[0]) else None
    if used_in is None:
        return expected_input, len(str(completion)) // 4
    used_out = 0 if counts[1] is None else counts[1] if _is_count(counts[1]) else len(str(completion)) // 4
    return int(used_in), int(used_out)


def _is_count(value: object) -> bool:
    """Whether a server's number can be a count of tokens: a negative or absurd one must not lift or spend a budget."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
