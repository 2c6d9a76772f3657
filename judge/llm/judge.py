"""The judge: one Question in, one Answer out.
The way of a question: it is rendered as a Request a vote, which its fingerprint names; the cache answers it, or an exchange with the
endpoint does: money is reserved (budget), a place and the rate are waited for (limits), it is sent (attempt) and its reply read (parse)."""

import asyncio
import json
import logging
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from judge.errors import UsageError
from judge.llm.address import resolve_address
from judge.llm.cache import AnswerCache, Explainer, KeyMaker, SharedCache
from judge.llm.client import Client, content_mark
from judge.llm.clock import Clock
from judge.llm.dialect import Mode
from judge.llm.exchange import Endpoint, Shared, request_again
from judge.llm.faults import Fault
from judge.llm.panel import Vote, combined_answer
from judge.llm.prompt import PROMPT_FORMAT, Form, Forms, Message, Prompt, render, render_both, settled_answer
from judge.llm.replies import Reply, is_found
from judge.llm.tokens import Price, load_prices, price_of
from judge.printing import shown
from judge.records import Answer, Finding, Question
from judge.results.spending import Usage
from judge.settings import Settings
from rubrics.verdicts import CANNOT_DETERMINE

log = logging.getLogger("judge.llm")
NOTHING_FAILED: Mapping[str, Fault] = {}


@dataclass(frozen=True, slots=True)
class Request:
    """One question to one model, for its nth time (from 0). key: of its reply in the cache."""

    question: Question
    model: str
    repeat: int
    form: Form
    prompt: Prompt
    key: str
    maker: KeyMaker

    @property
    def parts(self) -> dict[str, str]:
        """The parts of the key."""
        return self.maker.parts(self.prompt.user)


@dataclass(frozen=True, slots=True)
class Sent:
    """What is kept of a request that is out by another way than `ask`: where its reply goes, how it was sent, blanks for its texts, and the
    choices that its question brought."""

    key: str
    model: str
    rubric: str
    parts: Mapping[str, str]
    mode: Mode
    body: Mapping[str, Any]
    choices: tuple[tuple[str, str], ...] = ()


class Judge:
    """Open it with `async with Judge.open(settings) as judge`; every method may be used from one event loop only."""

    def __init__(
        self,
        settings: Settings,
        spending: Path | None = None,
        *,
        environ: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        transport: Any = None,
    ) -> None:
        self.settings = settings
        self._forms = Forms(settings.rubrics)
        self._prices = load_prices(settings.prices)
        unpriced = [model for model in settings.models if self.price(model) is None]
        if settings.budget and unpriced:
            raise UsageError(f"a budget needs a price for {', '.join(unpriced)}: add it to a price table (--prices)")
        self._addresses = {model: resolve_address(settings, model, environ) for model in settings.models}
        self.shared = Shared(settings, clock or Clock(), spending)
        self._transport = transport
        self._endpoints: dict[str, Endpoint] = {}
        self._cache = _cache(settings)
        self._explainer = Explainer(self._cache.all_parts()) if settings.explain_cache and settings.answers else None
        self._keys: dict[tuple[str, str, int, str], KeyMaker] = {}
        self._in_flight: dict[str, asyncio.Future[Reply]] = {}
        self._next: dict[Question, Question] = {}  # what goes along with a question
        self._brought: dict[str, Reply] = {}  # replies that came along, until they are used
        self._secret = secrets.token_bytes(32)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, spending: Path | None = None, **network: Any) -> "AsyncIterator[Judge]":
        """A judge that is ready to be asked; nothing is sent and the SDK is not imported until a question needs it. Raises UsageError for
        settings that cannot be met, ContractError for a rubric file that is wrong. spending: a file that keeps
        what was spent. network: environ, clock and transport of tests."""
        judge = cls(settings, spending, **network)
        try:
            yield judge
        finally:
            for endpoint in judge._endpoints.values():
                await endpoint.client.close()
            judge.close()

    @property
    def usage(self) -> Usage:
        """What was spent; with a spending file also by earlier runs."""
        return self.shared.budget.usage

    async def ask(self, question: Question) -> Answer:
        """The answer, from a rule, the cache, or the model. One item's failure is an Answer with `error`; it is never raised.
        Raises EndpointError (authentication, quota, bad request, unknown model) and BudgetReached: both end the run; Postponed after
        `stop`; RubricVariableError for a question that does not give its rubric's variables."""
        asked, then = self.requests(question), self._next.pop(question, None)
        if isinstance(asked, Answer):
            return asked
        others = self.requests(then) if then is not None else None
        along = others if isinstance(others, list) else [None] * len(asked)
        votes = [self._vote(request, other) for request, other in zip(asked, along, strict=True)]
        return self._combined(await _all_votes(votes) if len(votes) > 1 else [await votes[0]], asked[0].prompt)

    def menu(self, question: Question) -> list[str]:
        """The verdicts that a question can have, the favourable one first; the one of a rule where one answers it."""
        asked = self.requests(question)
        if isinstance(asked, Answer):
            return [asked.verdict or CANNOT_DETERMINE]
        return [verdict for verdict in asked[0].form.rubric.choices if verdict != CANNOT_DETERMINE]

    def likely(self, question: Question) -> Answer:
        """The answer with the first verdict of its menu."""
        return Answer(self.menu(question)[0])

    def bring(self, question: Question, then: Question) -> None:
        """From now on the request of `question` asks `then`, another one of its item, too; that answer is kept until it is asked for."""
        self._next[question] = then

    def free_answer(self, question: Question, failed: Mapping[str, Fault] = NOTHING_FAILED) -> Answer | None:
        """The answer if no call is needed for it (a rule or the cache has all votes), else None. Never waits. failed: requests that have no
        answer, by their key in the cache; they are votes too."""
        asked = self.requests(question)
        if isinstance(asked, Answer):
            return asked
        votes = []
        for request in asked:
            if (reply := self._kept(request)) is None and request.key not in failed:
                return None
            votes.append(Vote(request.model, request.repeat, reply, failed.get(request.key) if reply is None else None, cached=True))
        for vote in votes:
            if vote.reply is not None:
                self.usage.from_cache(question.rubric)
        return self._combined(votes, asked[0].prompt)

    def requests(self, question: Question) -> Answer | list[Request]:
        """The requests that the question needs, one a vote; the answer itself where a rule has it."""
        form = self._forms[question.rubric].with_choices(question.choices)
        prompt = render(form, question)
        if (answer := settled_answer(form.rubric, question, prompt)) is not None:
            return answer
        found = []
        for model in self.settings.models:
            for repeat in range(self.settings.repeats):
                maker = self._key_maker(model, form, repeat)
                found.append(Request(question, model, repeat, form, prompt, maker.key(prompt.user), maker))
        return found

    def unanswered(self, question: Question) -> list[Request]:
        """The requests that asking would send when nothing fails."""
        asked = self.requests(question)
        return [] if isinstance(asked, Answer) else [request for request in asked if self._kept(request) is None]

    def _messages(self, prompt: Prompt, repeat: int) -> list[Message]:
        """As sent, with a fence code that no text can know, since it is made with a secret of this run."""
        return prompt.messages(blake2b(f"{repeat}\n{prompt.user}".encode(), key=self._secret, digest_size=6).hexdigest())

    def body(self, request: Request) -> dict[str, Any]:
        """The request as its endpoint takes it, to be sent by another way than `ask`."""
        endpoint, messages = self.endpoint(request.model), self._messages(request.prompt, request.repeat)
        return endpoint.dialect.body(request.model, request.form, messages, endpoint.dialect.mode, endpoint.parameters)

    def keep(self, sent: Sent, completion: Any) -> None:
        """Stores the reply in a completion. Raises Fault."""
        reply = self.endpoint(sent.model).read(self._forms[sent.rubric].with_choices(sent.choices), sent.body, completion)
        self._cache.put(sent.key, reply, sent.parts)

    def price(self, model: str) -> Price | None:
        """The price of a model, None when it is not in the table."""
        return price_of(model, self._prices)

    def host(self, model: str) -> str:
        """The host that a model's requests go to."""
        return self._addresses[model].host

    def close(self) -> None:
        """Closes the files; for one that was never asked."""
        self.shared.budget.close()
        self._cache.close()

    def stop(self) -> None:
        """For an orderly end: requests in flight end and are kept; whatever waits or was not sent yet raises Postponed."""
        self.shared.stop.set()

    def fingerprint(self) -> dict[str, Any]:
        """What run.json says of the judge, as JSON values. No secrets.
        models: per model its endpoint (kind, URL), mode, parameters, rejected parameters, and names as returned by the server.
        rubrics: per rubric used its version and the hash of prompt, schema and parameters."""
        used, settings = self._forms.used, self.settings
        return {
            "prompt_format": PROMPT_FORMAT,
            "models": [self.endpoint(name).fingerprint() for name in settings.models],
            "repeats": settings.repeats,
            "quorum": settings.quorum,
            "rubrics": {name: used[name].fingerprint(settings.request_parameters, together=settings.together) for name in sorted(used)},
        }

    def endpoint(self, model: str) -> Endpoint:
        """Where a model is asked."""
        if (endpoint := self._endpoints.get(model)) is None:
            client = Client(self._addresses[model], clock=self.shared.stop.clock, transport=self._transport)
            endpoint = self._endpoints[model] = Endpoint(model, client, self.settings.request_parameters, self.price(model), self.shared)
        return endpoint

    async def _vote(self, request: Request, along: Request | None = None) -> Vote:
        while True:
            if (reply := self._kept(request)) is not None:
                break
            if (running := self._in_flight.get(request.key)) is None:
                return await self._paid_vote(request, along)
            try:
                reply = await asyncio.shield(running)
                break
            except Fault as fault:
                return Vote(request.model, request.repeat, None, fault)
            except asyncio.CancelledError:
                if not running.cancelled():
                    raise  # it is this one who was cancelled, else the one who asked was: ask again
        self.usage.from_cache(request.form.rubric.id)
        return Vote(request.model, request.repeat, reply, cached=True)

    async def _paid_vote(self, request: Request, along: Request | None) -> Vote:
        if self._explainer is not None:
            log.warning("cache miss, %s", shown(f"{request.form.rubric.id}: {self._explainer.why(request.parts)}"))
        running: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._in_flight[request.key] = running
        try:
            reply = await self._evidenced(request, along)
        except Fault as fault:
            running.set_exception(fault)
            running.exception()  # nobody needs to be waiting for it
            return Vote(request.model, request.repeat, None, fault)
        except BaseException:
            running.cancel()
            raise
        else:
            self._cache.put(request.key, reply, request.parts)
            running.set_result(reply)
            return Vote(request.model, request.repeat, reply)
        finally:
            del self._in_flight[request.key]

    async def _evidenced(self, request: Request, along: Request | None) -> Reply:
        """A reply whose evidence stands in the texts, as far as one more request brings it about; the last one counts. The first one is
        kept meanwhile: a run that is killed between the two does not pay it again."""
        endpoint, first = self.endpoint(request.model), f"{request.key}-first"
        messages = self._messages(request.prompt, request.repeat)
        reply = self._cache.get(first, request.form.rubric.choices)
        if reply is None:
            reply = (along and await self._first_of_both(request, along)) or await endpoint.ask(request.form, messages)
            if is_found(request.prompt, reply.verdict, reply.evidence):
                return reply
            self._cache.put(first, reply, request.parts)
        try:
            return await endpoint.ask(request.form, request_again(messages, reply))
        except Fault:
            return reply

    async def _first_of_both(self, request: Request, along: Request) -> Reply | None:
        """The reply to a question that another one goes along with; that one's reply is kept if its evidence is found. None where both
        cannot go in one request, or got no usable reply: then each goes alone."""
        endpoint = self.endpoint(request.model)
        dialect = endpoint.dialect
        is_known = along.key in self._brought or along.key in self._in_flight or self._stored(along) is not None
        has_room = dialect.is_pinned and dialect.mode != "prompt" and not (request.prompt.pictures or along.prompt.pictures)
        if is_known or not has_room:
            return None
        form = request.form.beside(along.form)
        try:
            reply = await endpoint.ask(form, self._messages(render_both(form, (request.question, along.question)), request.repeat))
        except Fault as fault:
            if fault.cause in ("transport", "timeout"):
                raise
            return None
        if (second := reply.second) is not None and is_found(along.prompt, second.verdict, second.evidence):
            self._brought[along.key] = second
            self._cache.put(along.key, second, along.parts)
        return replace(reply, second=None)

    def _combined(self, votes: Sequence[Vote], prompt: Prompt) -> Answer:
        answer, found = combined_answer(votes, self.settings.quorum), prompt.findings
        if not is_found(prompt, answer.verdict, answer.evidence):
            found = (*found, Finding("EVIDENCE_NOT_FOUND", f"the judge's evidence is in no text: {answer.evidence[:120]!r}"))
        return replace(answer, findings=(*answer.findings, *found)) if found else answer

    def _kept(self, request: Request) -> Reply | None:
        return self._brought.pop(request.key, None) or self._stored(request)

    def _stored(self, request: Request) -> Reply | None:
        return self._cache.get(request.key, request.form.rubric.choices)

    def _key_maker(self, model: str, form: Form, repeat: int) -> KeyMaker:
        place = (model, form.rubric.id, repeat, form.schema_hash)
        if place not in self._keys:
            address, settings = self._addresses[model], self.settings
            parts = {
                "endpoint": f"{address.kind} {address.url}{content_mark(model) if address.kind == 'llama' else ''}",
                "model": model,
                "rubric": f"{form.rubric.id} {form.rubric_hash[:16]}",
                "schema": form.schema_hash[:16],
                "parameters": json.dumps(settings.request_parameters, sort_keys=True),
                "repeat": str(repeat),
                "prompt_format": PROMPT_FORMAT,
                **({"asked": "together"} if settings.together else {}),
            }
            self._keys[place] = KeyMaker(parts)
        return self._keys[place]


def _cache(settings: Settings) -> AnswerCache:
    folder, bounds = settings.answers, {"days": settings.cache_days, "size_mb": settings.cache_mb}
    if folder is None or settings.shared_cache is None:
        return AnswerCache(folder, **bounds)
    return SharedCache(folder, **bounds, shared=settings.shared_cache)


async def _all_votes(asked: Iterable[Awaitable[Vote]]) -> list[Vote]:
    """All votes; an error that ends the run is raised after every vote is in, so that none that was paid for is lost."""
    votes: list[Vote] = []
    for result in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        votes.append(result)
    return votes
