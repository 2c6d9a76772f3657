"""One request until it has a reply, or none can be had. Steps of an attempt: budget, limits, sending, parsing; what went wrong decides
about the next one."""

import asyncio
import json
import logging
import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from judge.errors import EndpointError
from judge.llm.client import Client, aside
from judge.llm.clock import Clock, Stop
from judge.llm.dialect import Dialect, Mode, lower_mode
from judge.llm.faults import Fault
from judge.llm.limits import Concurrency, Rates, Retries
from judge.llm.prompt import Form, Message, picture_parts, text_of
from judge.llm.replies import Reply, read_reply
from judge.llm.tokens import Price, PromptSizes, count_tokens, counted_tokens, reported_tokens, token_limit, used_tokens
from judge.printing import shown
from judge.results.spending import Budget, Spent
from judge.settings import Settings

log = logging.getLogger("judge.llm")
REASKS = 2  # of a reply that is not the asked object, or off the menu
CUTS = 2  # of a reply that ends at the token limit
SLOW = 2  # attempts that end at their timeout, each perhaps billed: one slow answer is not paid for six times
REFUSED_IN_A_ROW = 25  # questions without an answer, and none with one between them: it is the endpoint
SERVER_ERRORS = 2  # in a mode that never gave a reply: some servers crash on a form of answer that they do not know
UNKNOWN_OUTPUT = 1024  # tokens that a reply is taken to cost at most where the user set no limit and none longer was seen
USUAL_OUTPUT = 200.0  # before the first reply
_REMEMBERED = 20  # replies
_ROOM = 4.0  # times what is reserved for a reply without a limit that it may cost after all
_LONGER = 4  # times the tokens that a cut reply had
_SAID_S = 10.0  # a longer wait that the endpoint asks for is said


class Shared:
    """What all requests of a run share."""

    def __init__(self, settings: Settings, clock: Clock, spending: Path | None = None) -> None:
        self.stop = Stop(clock)
        self.concurrency = Concurrency(settings.concurrency, self.stop)
        self.rates = Rates(settings.rpm, settings.tpm, self.stop.clock)
        self.budget = Budget(settings.budget, spending)
        self.retries = Retries(settings.max_retries, self.stop.clock)
        self.timeout, self.deadline = settings.timeout, settings.deadline


class Endpoint:
    """One model at one endpoint, and what was found out about it."""

    def __init__(self, model: str, client: Client, parameters: Mapping[str, Any], price: Price | None, shared: Shared) -> None:
        self.model, self.client, self.parameters, self.price, self.shared = model, client, dict(parameters), price, shared
        self.dialect, self.sizes = Dialect(), PromptSizes()
        self.returned: dict[str, None] = {}  # models as returned by the server, in order of appearance
        self.has_answered = False
        self.no_pictures = ""  # how it refused one, where it takes none
        self._first: dict[str, asyncio.Future[None]] = {}  # rubric -> its first request
        self._in_flight, self._failed_in_a_row = 0, 0
        self._longest_output = 0
        self._usual_output = USUAL_OUTPUT  # what a reply takes beyond the estimate of its request, as seen lately

    async def ask(self, form: Form, messages: Sequence[Message]) -> Reply:
        """The reply. Raises Fault when this question has no answer, EndpointError when none can have one, BudgetReached, Postponed at the
        run's end."""
        has_pictures = any(map(picture_parts, messages))
        self._in_flight += 1
        try:
            reply = await self._after_first(form, messages, has_pictures=has_pictures)
        except Fault as fault:
            if has_pictures and fault.remedy == "refused":  # no other is sent with one, and the run goes on
                if not self.no_pictures:
                    self.no_pictures = f"{self.client.address.host} takes no pictures: {fault.detail}"
                    log.warning("judge: %s", shown(f"{self.no_pictures}; what stands on pages without text stays open"))
                fault = Fault("no_pictures", "give_up", self.no_pictures)
            self._check(fault)
            raise fault from None
        finally:
            self._in_flight -= 1
        self._failed_in_a_row = 0
        return reply

    async def _after_first(self, form: Form, messages: Sequence[Message], *, has_pictures: bool) -> Reply:
        """The reply; the first request of a rubric goes alone, so that its shared text is kept when the others come."""
        if (first := self._first.get(form.rubric.id)) is not None:
            await asyncio.shield(first)
        if has_pictures and self.no_pictures:
            raise Fault("no_pictures", "give_up", self.no_pictures)
        if first is not None:
            return await _Exchange(self, form, messages).reply()
        first = self._first[form.rubric.id] = asyncio.get_running_loop().create_future()
        try:
            return await _Exchange(self, form, messages).reply()
        finally:
            first.set_result(None)

    def _check(self, fault: Fault) -> None:
        """Raises EndpointError for a fault that the next question will meet too."""
        if fault.cause not in ("transport", "timeout") and fault.remedy not in ("stop", "adapt"):
            return  # of this text or this reply
        self._failed_in_a_row += 1
        is_first = not self.has_answered and (fault.remedy in ("refused", "adapt") or fault.subject == "connection")
        is_certain = fault.remedy == "stop" or (is_first and (self._in_flight == 1 or self._failed_in_a_row > 2))
        if is_certain or self._failed_in_a_row >= REFUSED_IN_A_ROW:
            raise EndpointError(fault.detail)

    async def attempt(self, form: Form, body: Mapping[str, Any], timeout: float) -> Reply:
        """One request. Raises Fault."""
        shared, tokens = self.shared, count_tokens(body)
        limit = token_limit(body)
        taken = tokens + (limit or max(0, round(self._usual_output)))  # providers count a limit that is sent as if it were used
        if (alone := shared.rates.alone(taken)) > shared.deadline:
            told = f"--rpm and --tpm let a request of {taken} tokens go once in {alone:.6g} s, past --deadline ({shared.deadline:g} s)"
            raise EndpointError(f"{told}: raise one of them")
        await shared.concurrency.enter()
        try:
            completion = await self._paid(form, body, tokens, taken, timeout)
        except Fault as fault:
            if fault.is_overload and (fault.wait is None or fault.wait < shared.deadline):
                shared.concurrency.overloaded(fault.wait)
            raise
        finally:
            shared.concurrency.leave()
        shared.concurrency.succeeded()
        used_in, used_out = used_tokens(completion, tokens)
        shared.rates.correct(taken, taken if limit else used_in + used_out)
        self._usual_output += (used_in + used_out - tokens - self._usual_output) / _REMEMBERED
        self.has_answered = True
        return await aside(self.read, form, body, completion, size=len(str(completion)))

    async def _paid(self, form: Form, body: Mapping[str, Any], tokens: int, taken: int, timeout: float) -> Any:
        """The completion, its money reserved before and settled after."""
        shared, most = self.shared, self.most(body)
        rubric, spent = form.rubric.id, None
        number = await shared.budget.reserve(rubric, most, 1.0 if token_limit(body) else _ROOM)
        try:
            await shared.rates.take(taken)
            shared.stop.check()
            spent = Spent(lost_usd=most, unpriced_calls=self.price is None)
            completion = await self.client.post(body, timeout)
            spent = self.spent(completion, tokens, most)
            return completion
        except Fault as fault:
            if not fault.may_be_billed:
                spent = None
            raise
        finally:
            shared.budget.settle(number, rubric, most, spent)

    def spent(self, completion: Any, tokens: int, most: float, usd_share: float = 1.0) -> Spent:
        """What a completion cost at that share of the price; the most that it can have cost where the server counted nothing."""
        used_in, used_out = used_tokens(completion, tokens)
        self._longest_output = max(self._longest_output, used_out)
        spent = Spent(1, 0, used_in, used_out, unpriced_calls=self.price is None)
        if self.price is not None:
            spent.usd = most if None in counted_tokens(completion, tokens) else usd_share * self.price.usd(used_in, used_out)
        return spent

    def most(self, body: Mapping[str, Any], usd_share: float = 1.0) -> float:
        """The most dollars that a request can cost. Without a price that is nothing where no budget is set, and more than any otherwise."""
        if self.price is None:
            return 0.0 if self.shared.budget.cap is None else math.inf
        return usd_share * self.price.usd(count_tokens(body), token_limit(body) or max(UNKNOWN_OUTPUT, self._longest_output))

    def fingerprint(self) -> dict[str, Any]:
        """The model as asked and as returned, its endpoint, and what was found out about it. mode None: no reply came."""
        dialect, address = self.dialect, self.client.address
        return {
            "model": self.model,
            "returned": list(self.returned),
            "endpoint": {"kind": address.kind, "url": address.url},
            "mode": dialect.mode if dialect.is_pinned else None,
            "parameters": dict(self.parameters),
            "dropped": list(dialect.dropped),
            "renamed": dict(dialect.renamed),
        }

    def read(self, form: Form, body: Mapping[str, Any], completion: Any) -> Reply:
        """The reply in a completion. Raises Fault."""
        self.sizes.check(body, reported_tokens(completion)[0])
        texts = text_of(next(m for m in body["messages"] if m.get("role") == "user"))
        first, second = form.both or (form, None)
        reply = read_reply(
            completion,
            first.rubric.choices,
            second=second.rubric.choices if second else None,
            asked_model=self.model,
            has_meaning=self.client.address.kind != "llama",
            clean=self.client.redactor.text,
            texts=texts,
        )
        self.returned.setdefault(reply.model)
        return reply


class _Exchange:
    """The state of one request: what was changed after which fault."""

    def __init__(self, endpoint: Endpoint, form: Form, messages: Sequence[Message]) -> None:
        self._endpoint, self._form, self._messages, self._first = endpoint, form, messages, messages
        self._parameters = endpoint.parameters
        self._mode: Mode | None = None  # below the endpoint's own, which others go on with
        self._reasks, self._cuts, self._slow, self._server_errors = 0, 0, 0, 0
        self._until = math.inf

    async def reply(self) -> Reply:
        """The reply. Raises Fault."""
        dialect = self._endpoint.dialect
        while True:
            mode = self._mode or dialect.mode
            body = dialect.body(self._endpoint.model, self._form, self._messages, mode, self._parameters)
            try:
                reply = await self._endpoint.shared.retries.run(partial(self._attempt, body, mode), self._time_left)
            except Fault as fault:
                if not await self._is_mended(fault, mode, body):
                    raise
            else:
                dialect.pin(mode)
                return reply

    def _time_left(self) -> float:
        return self._until - self._endpoint.shared.stop.clock.monotonic()

    async def _attempt(self, body: Mapping[str, Any], mode: Mode) -> Reply:
        """One attempt within the deadline, which begins with the first."""
        shared = self._endpoint.shared
        if self._until == math.inf:
            self._until = shared.stop.clock.monotonic() + shared.deadline
        if (left := self._time_left()) <= 0:
            raise Fault("timeout", "give_up", f"no answer within {shared.deadline:g} s (--deadline)")
        try:
            return await self._endpoint.attempt(self._form, body, max(0.001, min(shared.timeout, left)))
        except Fault as fault:
            self._slow += fault.cause == "timeout"
            if self._slow >= SLOW and fault.cause == "timeout":
                fault.remedy, fault.detail = "give_up", f"{fault.detail}; asked {SLOW} times, each may be billed"
            if (wait := fault.wait or 0.0) > _SAID_S:
                plan = "waiting" if wait < self._time_left() else "not waited for, it is past the deadline"
                shared.concurrency.say(wait, f"{self._endpoint.client.address.host} asks to wait {wait:.6g} s: {plan}")
            if fault.status in (500, 501) and not self._endpoint.dialect.is_pinned and lower_mode(mode):
                self._server_errors += 1
                if fault.status == 501 or self._server_errors >= SERVER_ERRORS:
                    fault.remedy = "refused"
            raise

    async def _is_mended(self, fault: Fault, mode: Mode, body: Mapping[str, Any]) -> bool:
        """Whether another request can do better, and is set up."""
        dialect = self._endpoint.dialect
        if fault.remedy == "adapt" and fault.subject == "mode":
            self._mode = dialect.leave(mode) if not dialect.is_pinned else lower_mode(mode)
            return self._mode is not None
        if fault.remedy == "adapt":
            return dialect.drop(fault.subject, body)
        if fault.remedy == "refused" and fault.subject != "picture" and fault.status in (400, 422, 500, 501) and not dialect.is_pinned:
            self._mode = lower_mode(mode)  # perhaps it is the form of answer; without a reply by it nobody else is led there
            return self._mode is not None
        if fault.remedy == "longer":
            return self._is_longer(fault, body)
        return fault.remedy == "reask" and await self._is_reasked(fault, mode, body)

    def _is_longer(self, fault: Fault, body: Mapping[str, Any]) -> bool:
        """Raises the token limit of the next request, if it may be raised."""
        limit, cap = token_limit(body), self._endpoint.parameters.get("max_output_tokens") or math.inf
        fault.detail += f"; raise it with {'--max-output-tokens' if limit >= cap else '--max-tokens'}"
        if self._cuts >= CUTS or limit >= cap:
            return False
        self._cuts += 1
        longer = max(_LONGER * max(used_tokens(fault.reply, 0)[1], limit), 2 * UNKNOWN_OUTPUT)
        self._parameters = {**self._parameters, "max_tokens": min(longer, cap)}
        return True

    async def _is_reasked(self, fault: Fault, mode: Mode, body: Mapping[str, Any]) -> bool:
        dialect = self._endpoint.dialect
        if self._reasks < REASKS:
            self._reasks += 1
            if fault.reply is not None:
                self._messages = await asyncio.to_thread(corrected_messages, body, self._first, fault, mode)
            return True
        if dialect.is_pinned or fault.cause != "schema":
            return False
        self._messages = self._first  # this mode never gave a usable reply: one try in each of the others
        self._mode = dialect.leave(mode)
        return self._mode is not None


def corrected_messages(body: Mapping[str, Any], first: Sequence[Message], fault: Fault, mode: Mode) -> list[Message]:
    """The conversation with the unusable reply and what is wrong with it, as instructor words it for the mode. The one place where
    instructor earns its import of seconds: a re-ask answers a tool call with a tool message, by rules of its own for each mode."""
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
        return [{key: value for key, value in dict(message).items() if value is not None} for message in messages]
    except Exception:  # a reply too odd for the SDK's models: say what is wrong without quoting it
        return [*first, {"role": "user", "content": f"{fault.detail}. Give the JSON object that was asked for."}]


def request_again(messages: list[Message], reply: Reply) -> list[Message]:
    """The conversation with a reply whose evidence stands in no text, and what it lacks."""
    said = json.dumps({"evidence": reply.evidence, "reasoning": reply.reasoning, "verdict": reply.verdict}, ensure_ascii=False)
    lacks = (
        "The words that you gave as evidence do not stand in the texts. Copy the evidence from the texts, word by word, and give the whole "
        "JSON object again; change the verdict if the texts ask for it."
    )
    return [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": lacks}]
