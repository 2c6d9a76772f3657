"""The judge: one Question in, one Answer out; cached, deduplicated, limited, retried and counted below this door."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from judge.errors import UsageError
from judge.llm.address import resolve_address
from judge.llm.cache import AnswerCache, Explainer, KeyMaker
from judge.llm.client import Client
from judge.llm.clock import Clock
from judge.llm.faults import Fault
from judge.llm.fingerprint import model_print, rubric_print
from judge.llm.forms import Forms
from judge.llm.inquiry import Shared, Voter
from judge.llm.limits import Budget, Concurrency, Rates
from judge.llm.local_model import content_mark
from judge.llm.modes import request_body
from judge.llm.panel import Vote, combined_answer
from judge.llm.prices import Price, load_prices, price_of
from judge.llm.prompt import PROMPT_FORMAT, Form, Prompt, render
from judge.llm.replies import Reply
from judge.llm.retries import Retries
from judge.llm.settings import JudgeSettings
from judge.llm.settled import settled_answer
from judge.llm.usage import Usage
from judge.records import Answer, Question

log = logging.getLogger("judge.llm")
NOTHING_FAILED: Mapping[str, Fault] = {}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it is sent. key: of its answer in the cache, with the parts of the key."""

    key: str
    model: str
    rubric: str
    parts: Mapping[str, str]
    body: Mapping[str, Any]


class Judge:
    """Open it with `async with Judge.open(settings) as judge`; every method may be used from one event loop only."""

    def __init__(self, settings: JudgeSettings, environ: Mapping[str, str], *, clock: Clock | None = None, transport: Any = None) -> None:
        self.settings, self.usage = settings, Usage()
        self._parameters = _parameters(settings)
        self._forms = Forms(settings.rubric_paths)
        self._prices = load_prices(settings.price_file)
        self._check_budget()
        self._addresses = {model: resolve_address(settings, model, environ) for model in settings.models}
        self._shared = _shared(settings, clock or Clock(), self.usage)
        self._transport = transport
        self._voters: dict[str, Voter] = {}
        self._cache = _cache(settings)
        self._explainer = Explainer(self._cache.all_parts()) if self._cache and settings.explain_cache else None
        self._keys: dict[tuple[str, str, int], KeyMaker] = {}
        self._in_flight: dict[str, asyncio.Future[Reply]] = {}
        self._secret = secrets.token_bytes(32)

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: JudgeSettings, *, clock: Clock | None = None, transport: Any = None) -> AsyncIterator[Judge]:
        """A judge that is ready to be asked; nothing is sent and the SDK is not imported until a question needs it.

        Raises UsageError for settings that cannot be met, ContractError for a rubric file that is wrong. clock, transport: for tests.
        """
        judge = cls(settings, os.environ, clock=clock, transport=transport)
        try:
            yield judge
        finally:
            await judge._close()

    async def ask(self, question: Question) -> Answer:
        """The answer, from a rule, the cache, or the model. One item's failure is an Answer with `error`; it is never raised.

        Raises EndpointError (authentication, quota, bad request, unknown model) and BudgetReached: both end the run; DoorClosed after
        `stop_sending`; RubricVariableError for a question that does not give its rubric's variables.
        """
        form = self._forms[question.rubric]
        prompt = render(form, question)
        if (answer := settled_answer(form.rubric, question, prompt)) is not None:
            return answer
        places = [(model, repeat) for model in self.settings.models for repeat in range(self.settings.repeats)]
        if len(places) == 1:
            votes = [await self._vote(*places[0], form, prompt)]
        else:
            votes = await _all_votes([self._vote(model, repeat, form, prompt) for model, repeat in places])
        return _with_findings(combined_answer(votes, self.settings.quorum), prompt)

    def recall(self, question: Question, failed: Mapping[str, Fault] = NOTHING_FAILED) -> Answer | None:
        """The answer if no call is needed for it (a rule or the cache has all votes), else None. Never waits.

        failed: requests that have no answer, by their key in the cache; they are votes too.
        """
        form = self._forms[question.rubric]
        prompt = render(form, question)
        if (answer := settled_answer(form.rubric, question, prompt)) is not None:
            return answer
        votes = []
        for model in self.settings.models:
            for repeat in range(self.settings.repeats):
                key = self._key_maker(model, form, repeat).key(prompt.user)
                reply = self._recalled(key, form)
                if reply is None and key not in failed:
                    return None
                votes.append(Vote(model, repeat, reply, failed.get(key) if reply is None else None, cached=True))
        for vote in votes:
            if vote.reply is not None:
                self.usage.recalled(form.rubric.id)
        return _with_findings(combined_answer(votes, self.settings.quorum), prompt)

    def needs(self, question: Question) -> list[tuple[str, Prompt]]:
        """The requests that asking would send when nothing fails: (model, prompt) each. Empty when a rule or the cache has the answer."""
        form = self._forms[question.rubric]
        prompt = render(form, question)
        if settled_answer(form.rubric, question, prompt) is not None:
            return []
        return [
            (model, prompt)
            for model in self.settings.models
            for repeat in range(self.settings.repeats)
            if self._recalled(self._key_maker(model, form, repeat).key(prompt.user), form) is None
        ]

    def requests(self, question: Question) -> list[Request]:
        """The requests that the question still needs, one a missing vote, to be sent by another way than `ask`."""
        form = self._forms[question.rubric]
        prompt = render(form, question)
        if settled_answer(form.rubric, question, prompt) is not None:
            return []
        found = []
        for model in self.settings.models:
            ways = self.voter(model).ways
            for repeat in range(self.settings.repeats):
                maker = self._key_maker(model, form, repeat)
                if self._recalled(key := maker.key(prompt.user), form) is not None:
                    continue
                messages = prompt.messages(self._code(prompt, repeat))
                body = request_body(model, form, messages, ways.mode, ways.parameters(self._parameters))
                found.append(Request(key, model, form.rubric.id, maker.parts(prompt.user), body))
        return found

    def keep(self, request: Request, completion: Any, usd_share: float) -> None:
        """A completion that came for a request: counted at that share of the price, checked, and its reply stored. Raises Fault."""
        form, voter = self._forms[request.rubric], self.voter(request.model)
        reply = voter.receive(form, request.body, completion, usd_share)
        if self._cache is not None:
            self._cache.put(request.key, reply, request.parts)

    @property
    def shared(self) -> Shared:
        """What all requests of the run share."""
        return self._shared

    def is_settled(self, question: Question) -> bool:
        """Whether a rule decides the question, so that no model is ever asked it."""
        form = self._forms[question.rubric]
        return settled_answer(form.rubric, question, render(form, question)) is not None

    def price(self, model: str) -> Price | None:
        """The price of a model, None when it is not in the table."""
        return price_of(model, self._prices)

    def host(self, model: str) -> str:
        """The host that a model's requests go to."""
        return self._addresses[model].host

    def close(self) -> None:
        """Closes the cache file; for one that was never asked."""
        if self._cache is not None:
            self._cache.close()

    def stop_sending(self) -> None:
        """For an orderly end: requests in flight end and are kept, what was not sent yet raises DoorClosed."""
        self._shared.concurrency.close()

    def fingerprint(self) -> dict[str, Any]:
        """What run.json says of the judge, as JSON values. No secrets.

        models: per model its endpoint (kind, URL), mode, parameters, rejected parameters, and names as returned by the server.
        rubrics: per rubric used its version and the hash of prompt, schema and parameters.
        """
        used, parameters = self._forms.used, self._parameters
        return {
            "prompt_format": PROMPT_FORMAT,
            "models": [model_print(name, address, parameters, self._voters.get(name)) for name, address in self._addresses.items()],
            "repeats": self.settings.repeats,
            "quorum": self.settings.quorum,
            "rubrics": {name: rubric_print(used[name], parameters) for name in sorted(used)},
        }

    async def _vote(self, model: str, repeat: int, form: Form, prompt: Prompt) -> Vote:
        maker = self._key_maker(model, form, repeat)
        key = maker.key(prompt.user)
        while True:
            if (reply := self._recalled(key, form)) is not None:
                self.usage.recalled(form.rubric.id)
                return Vote(model, repeat, reply, cached=True)
            if (running := self._in_flight.get(key)) is None:
                return await self._paid_vote(model, repeat, form, prompt, maker, key)
            try:
                reply = await asyncio.shield(running)
            except Fault as fault:
                return Vote(model, repeat, None, fault)
            except asyncio.CancelledError:
                if not running.cancelled():
                    raise  # it is this one who was cancelled
                continue  # the one who asked was: ask again
            self.usage.recalled(form.rubric.id)
            return Vote(model, repeat, reply, cached=True)

    async def _paid_vote(self, model: str, repeat: int, form: Form, prompt: Prompt, maker: KeyMaker, key: str) -> Vote:
        if self._explainer is not None:
            log.warning("cache miss, %s: %s", form.rubric.id, self._explainer.why(maker.parts(prompt.user)))
        running: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._in_flight[key] = running
        try:
            reply = await self.voter(model).ask(form, prompt.messages(self._code(prompt, repeat)))
        except Fault as fault:
            running.set_exception(fault)
            running.exception()  # nobody needs to be waiting for it
            return Vote(model, repeat, None, fault)
        except BaseException:
            running.cancel()
            raise
        else:
            if self._cache is not None:
                self._cache.put(key, reply, maker.parts(prompt.user))
            running.set_result(reply)
            return Vote(model, repeat, reply)
        finally:
            del self._in_flight[key]

    def _code(self, prompt: Prompt, repeat: int) -> str:
        """The fence code of a request: no text can know it, since it is made with a secret of this run."""
        return blake2b(f"{repeat}\n{prompt.user}".encode(), key=self._secret, digest_size=6).hexdigest()

    def _recalled(self, key: str, form: Form) -> Reply | None:
        return self._cache.get(key, form.rubric.choices) if self._cache is not None else None

    def _key_maker(self, model: str, form: Form, repeat: int) -> KeyMaker:
        place = (model, form.rubric.id, repeat)
        if (maker := self._keys.get(place)) is None:
            address = self._addresses[model]
            maker = self._keys[place] = KeyMaker(
                {
                    "endpoint": f"{address.kind} {address.url}{content_mark(model) if address.kind == 'llama' else ''}",
                    "model": model,
                    "rubric": f"{form.rubric.id} {form.rubric_hash[:16]}",
                    "schema": form.schema_hash[:16],
                    "parameters": json.dumps(self._parameters, sort_keys=True),
                    "repeat": str(repeat),
                    "prompt_format": PROMPT_FORMAT,
                }
            )
        return maker

    def voter(self, model: str) -> Voter:
        """The model at its endpoint."""
        if (voter := self._voters.get(model)) is None:
            client = Client(self._addresses[model], clock=self._shared.clock, transport=self._transport)
            voter = self._voters[model] = Voter(model, client, self._parameters, price_of(model, self._prices), self._shared)
        return voter

    def _check_budget(self) -> None:
        unpriced = [m for m in self.settings.models if price_of(m, self._prices) is None]
        if self.settings.budget_usd and unpriced:
            raise UsageError(f"a budget needs a price for {', '.join(unpriced)}: add it to a price table (--prices)")

    async def _close(self) -> None:
        for voter in self._voters.values():
            await voter.client.close()
        self.close()


def _shared(settings: JudgeSettings, clock: Clock, usage: Usage) -> Shared:
    return Shared(
        clock,
        Concurrency(settings.concurrency, clock),
        Rates(settings.rpm, settings.tpm, clock),
        Budget(settings.budget_usd),
        Retries(settings.max_retries, clock),
        usage,
        settings.timeout_s,
        settings.deadline_s,
    )


def _cache(settings: JudgeSettings) -> AnswerCache | None:
    if settings.cache_dir is None or not settings.use_cache:
        return None
    own = AnswerCache(settings.cache_dir, days=settings.cache_days, size_mb=settings.cache_mb)
    if settings.shared_cache_dir is None:
        return own
    from judge.llm.shared_cache import SharedCache

    return SharedCache(own, settings.shared_cache_dir)


def _parameters(settings: JudgeSettings) -> dict[str, Any]:
    """Only what the user set."""
    given = {"temperature": settings.temperature, "max_tokens": settings.max_tokens, "seed": settings.seed}
    return {name: value for name, value in given.items() if value is not None} | ({"logprobs": True} if settings.logprobs else {})


def _with_findings(answer: Answer, prompt: Prompt) -> Answer:
    return replace(answer, findings=(*answer.findings, *prompt.findings)) if prompt.findings else answer


async def _all_votes(asked: Iterable[Awaitable[Vote]]) -> list[Vote]:
    """All votes; an error that ends the run is raised after every vote is in, so that none that was paid for is lost."""
    votes: list[Vote] = []
    for result in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        votes.append(result)
    return votes
