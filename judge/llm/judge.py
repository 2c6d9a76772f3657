"""The judge: one Question in, one Answer out; cached, deduplicated, limited, retried and counted below this door."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from judge.errors import ContractError, UsageError
from judge.llm.address import Address, resolve_address
from judge.llm.cache import AnswerCache, Explainer, KeyMaker
from judge.llm.client import Client
from judge.llm.clock import Clock
from judge.llm.faults import Fault
from judge.llm.inquiry import Shared, Voter
from judge.llm.limits import Budget, Concurrency, Rates
from judge.llm.panel import Vote, combined_answer
from judge.llm.prices import load_prices, price_of
from judge.llm.prompt import PROMPT_FORMAT, Form, Prompt, render
from judge.llm.replies import Reply
from judge.llm.retries import Retries
from judge.llm.settings import JudgeSettings
from judge.llm.settled import settled_answer
from judge.llm.usage import Ledger, Usage
from judge.records import Answer, Question
from rubrics.rubric import Rubric, RubricFileError, read_rubrics, shipped_rubric

log = logging.getLogger("judge.llm")


class Judge:
    """Open it with `async with Judge.open(settings) as judge`; every method may be used from one event loop only."""

    def __init__(self, settings: JudgeSettings, environ: Mapping[str, str], *, clock: Clock | None = None, transport: Any = None) -> None:
        self.settings, self._ledger = settings, Ledger()
        self._forms = Forms(settings)
        self._prices = load_prices(settings.price_file)
        self._check_budget()
        self._addresses = {model: resolve_address(settings, model, environ) for model in settings.models}
        self._shared = _shared(settings, clock or Clock(), self._ledger)
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

    @property
    def usage(self) -> Usage:
        """What was spent so far."""
        return self._ledger.total

    @property
    def rubric_usage(self) -> Mapping[str, Usage]:
        """The same by rubric id."""
        return self._ledger.rubrics

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

    def recall(self, question: Question) -> Answer | None:
        """The answer if no call is needed for it (a rule or the cache has all votes), else None. Never waits."""
        form = self._forms[question.rubric]
        prompt = render(form, question)
        if (answer := settled_answer(form.rubric, question, prompt)) is not None:
            return answer
        votes = []
        for model in self.settings.models:
            for repeat in range(self.settings.repeats):
                reply = self._recalled(self._key_maker(model, form, repeat).key(prompt.user), form)
                if reply is None:
                    return None
                votes.append(Vote(model, repeat, reply, cached=True))
        for _ in votes:
            self._ledger.recalled(form.rubric.id)
        return _with_findings(combined_answer(votes, self.settings.quorum), prompt)

    def stop_sending(self) -> None:
        """For an orderly end: requests in flight end and are kept, what was not sent yet raises DoorClosed."""
        self._shared.concurrency.close()

    def fingerprint(self) -> dict[str, Any]:
        """What run.json says of the judge, as JSON values. No secrets.

        models: per model its endpoint (kind, URL), mode, parameters, rejected parameters, and names as returned by the server.
        rubrics: per rubric used its version and the hash of prompt, schema and parameters.
        """
        parameters = _parameters(self.settings)
        forms = self._forms.used
        return {
            "prompt_format": PROMPT_FORMAT,
            "models": [self._model_print(model, address) for model, address in self._addresses.items()],
            "repeats": self.settings.repeats,
            "quorum": self.settings.quorum,
            "rubrics": {
                name: {
                    "version": forms[name].rubric.version,
                    "hash": blake2b(
                        json.dumps([forms[name].rubric_hash, forms[name].schema_hash, parameters, PROMPT_FORMAT]).encode(), digest_size=16
                    ).hexdigest(),
                }
                for name in sorted(forms)
            },
        }

    def _model_print(self, model: str, address: Address) -> dict[str, Any]:
        voter = self._voters.get(model)
        return {
            "model": model,
            "returned": list(voter.returned) if voter else [],
            "endpoint": {"kind": address.kind, "url": address.url},
            "mode": voter.ways.mode if voter and voter.ways.is_pinned else None,
            "parameters": _parameters(self.settings),
            "dropped": list(voter.ways.dropped) if voter else [],
            "renamed": dict(voter.ways.renamed) if voter else {},
        }

    async def _vote(self, model: str, repeat: int, form: Form, prompt: Prompt) -> Vote:
        maker = self._key_maker(model, form, repeat)
        key = maker.key(prompt.user)
        while True:
            if (reply := self._recalled(key, form)) is not None:
                self._ledger.recalled(form.rubric.id)
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
            self._ledger.recalled(form.rubric.id)
            return Vote(model, repeat, reply, cached=True)

    async def _paid_vote(self, model: str, repeat: int, form: Form, prompt: Prompt, maker: KeyMaker, key: str) -> Vote:
        if self._explainer is not None:
            log.warning("cache miss, %s: %s", form.rubric.id, self._explainer.why(maker.parts(prompt.user)))
        running: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._in_flight[key] = running
        code = blake2b(
            prompt.user.encode("utf-8", "surrogatepass"), key=self._secret, salt=bytes([repeat % 256]), digest_size=6
        ).hexdigest()
        try:
            reply = await self._voter(model).ask(form, prompt.messages(code))
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

    def _recalled(self, key: str, form: Form) -> Reply | None:
        return self._cache.get(key, form.rubric.choices) if self._cache is not None else None

    def _key_maker(self, model: str, form: Form, repeat: int) -> KeyMaker:
        place = (model, form.rubric.id, repeat)
        if (maker := self._keys.get(place)) is None:
            address = self._addresses[model]
            maker = self._keys[place] = KeyMaker(
                {
                    "endpoint": f"{address.kind} {address.url}",
                    "model": model,
                    "rubric": f"{form.rubric.id} {form.rubric_hash[:16]}",
                    "schema": form.schema_hash[:16],
                    "parameters": json.dumps(_parameters(self.settings), sort_keys=True),
                    "repeat": str(repeat),
                    "prompt_format": PROMPT_FORMAT,
                }
            )
        return maker

    def _voter(self, model: str) -> Voter:
        if (voter := self._voters.get(model)) is None:
            client = Client(
                self._addresses[model], connections=self.settings.concurrency, clock=self._shared.clock, transport=self._transport
            )
            voter = self._voters[model] = Voter(model, client, _parameters(self.settings), price_of(model, self._prices), self._shared)
        return voter

    def _check_budget(self) -> None:
        unpriced = [m for m in self.settings.models if price_of(m, self._prices) is None]
        if self.settings.budget_usd and unpriced:
            raise UsageError(f"a budget needs a price for {', '.join(unpriced)}: add it to a price table (--price-file)")

    async def _close(self) -> None:
        for voter in self._voters.values():
            await voter.client.close()
        if self._cache is not None:
            self._cache.close()


class Forms:
    """Rubrics by id as forms: a user's own (read at once, so that a mistake in them costs nothing), then the shipped ones when asked for."""

    def __init__(self, settings: JudgeSettings) -> None:
        try:
            self._own: dict[str, Rubric] = read_rubrics(settings.rubric_paths)
        except RubricFileError as error:
            raise ContractError(str(error)) from error
        self.used: dict[str, Form] = {}

    def __getitem__(self, rubric_id: str) -> Form:
        if (form := self.used.get(rubric_id)) is None:
            try:
                rubric = self._own.get(rubric_id) or shipped_rubric(rubric_id)
            except RubricFileError as error:
                raise ContractError(str(error)) from error
            form = self.used[rubric_id] = Form.of(rubric)
        return form


def _shared(settings: JudgeSettings, clock: Clock, ledger: Ledger) -> Shared:
    return Shared(
        clock,
        Concurrency(settings.concurrency, clock),
        Rates(settings.rpm, settings.tpm, clock),
        Budget(settings.budget_usd),
        Retries(settings.max_retries, clock),
        ledger,
        settings.timeout_s,
        settings.deadline_s,
    )


def _cache(settings: JudgeSettings) -> AnswerCache | None:
    if settings.cache_dir is None or not settings.use_cache:
        return None
    return AnswerCache(settings.cache_dir, days=settings.cache_days, size_mb=settings.cache_mb)


def _parameters(settings: JudgeSettings) -> dict[str, Any]:
    """Only what the user set."""
    given = {"temperature": settings.temperature, "max_tokens": settings.max_tokens, "seed": settings.seed}
    return {name: value for name, value in given.items() if value is not None} | ({"logprobs": True} if settings.logprobs else {})


def _with_findings(answer: Answer, prompt: Prompt) -> Answer:
    return replace(answer, findings=(*answer.findings, *prompt.findings)) if prompt.findings else answer


async def _all_votes(asked: list[Any]) -> list[Vote]:
    """All votes; an error that ends the run is raised after every vote is in, so that none that was paid for is lost."""
    done = await asyncio.gather(*asked, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return list(done)
