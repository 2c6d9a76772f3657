"""The provider's batch API: requests as a file that is uploaded, judged within a day at a lower price, and fetched.
Each batch is a file in the result folder and an entry of `batches.json`, written before every step, so that a run that ends anywhere goes
on with the batches it has: nothing is sent twice. What a batch's creation answered can be lost with the process; the batch is then found
again among the provider's by the mark that it was given. The endpoints are reached through the OpenAI client's `files` and `batches`."""

import contextlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, TypeVar

from calibration.strict_json import no_key_twice
from judge.disk import write_atomically
from judge.errors import EndpointError
from judge.llm.dialect import Mode
from judge.llm.faults import Fault, status_fault
from judge.llm.judge import Judge, Request, Sent
from judge.llm.prompt import picture_parts, text_of
from judge.llm.tokens import count_tokens
from judge.results.folder import as_written
from judge.results.seal import hash_of
from judge.results.spending import Spent
from rubrics.named_file import MOST_BYTES as MOST_FILE
from rubrics.named_file import lines_of, read_named

T = TypeVar("T")
ENDPOINT: Literal["/v1/chat/completions"] = "/v1/chat/completions"
STATE, MARK = "batches.json", "loan_judge"
MOST_REQUESTS, MOST_BYTES = 10_000, 50_000_000  # of one batch; providers take five times and four times as much
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_NAME = re.compile(r"batch-\d{4,9}\.jsonl")
_MOST_LINE = 4_000_000  # as of a reply
_CALL_S = 600.0  # for moving one file


@dataclass(slots=True)
class Batch:
    """One batch. file: of its requests, in the folder; mark: what the provider's copy is known again by; state: the last step done. usd:
    the most that it can cost."""

    file: str
    model: str
    requests: int
    mark: str
    usd: float = 0.0
    state: Literal["written", "uploaded", "created", "fetched"] = "written"
    input_file_id: str = ""
    batch_id: str = ""
    status: str = ""


class Batches:
    """The batches of one run. `failed`: requests that came back without a usable answer, by key, with the reason. usd_share: of the price
    of a single call. poll_s: seconds between two looks at a batch."""

    def __init__(self, judge: Judge, folder: Path, *, usd_share: float, poll_s: float) -> None:
        self._judge, self._folder, self._usd_share, self._poll_s = judge, folder, usd_share, poll_s
        self.failed: dict[str, Fault] = {}
        folder.mkdir(parents=True, exist_ok=True)
        state = folder / STATE
        with as_written(state, remedy="; start over with --fresh"):
            self._batches = [Batch(**entry) for entry in json.loads(read_named(state))] if state.exists() else []
            if not all(_NAME.fullmatch(batch.file) and batch.usd >= 0 for batch in self._batches):
                raise ValueError("a name or an amount that no batch has")
        self._open: dict[str, Draft] = {}

    @property
    def has_drafts(self) -> bool:
        """Whether requests wait to be sent."""
        return any(draft.requests for draft in self._open.values())

    def add(self, request: Request) -> None:
        """Puts a request into the next batch of its model. Raises BudgetReached when it could cost more than is left."""
        draft = self._open.setdefault(request.model, Draft(self._folder / f"draft-{len(self._open)}.jsonl"))
        if request.key in draft.keys:
            return
        body = self._judge.body(request)
        usd = self._judge.endpoint(request.model).most(body, self._usd_share)
        planned = sum(draft.usd for draft in self._open.values()) + sum(b.usd for b in self._batches if b.state != "fetched")
        self._judge.shared.budget.check(planned + usd)
        draft.add(request, body, self._judge.endpoint(request.model).dialect.mode, usd)
        if draft.requests >= MOST_REQUESTS or draft.size >= MOST_BYTES:
            self._write(request.model, self._open.pop(request.model))

    async def run(self) -> None:
        """Sends what was added, waits for it and for what an earlier run left, and stores the answers. Raises EndpointError when the
        provider's batch endpoints cannot be used, Postponed when the run ends meanwhile."""
        for model, draft in self._open.items():
            self._write(model, draft)
        self._open.clear()
        pending = [batch for batch in self._batches if batch.state != "fetched"]
        for batch in pending:
            await self._send(batch)
        for batch in pending:
            await self._wait(batch)
            await self._fetch(batch)

    def _write(self, model: str, draft: "Draft") -> None:
        """Closes a draft: from here on it is a batch."""
        if not draft.requests:
            return
        draft.close()
        name = f"batch-{len(self._batches) + 1:04}.jsonl"
        digest = hash_of(draft.path)
        draft.path.with_suffix(".keys").replace((self._folder / name).with_suffix(".keys"))
        draft.path.replace(self._folder / name)
        self._batches.append(Batch(name, model, draft.requests, digest[:32], draft.usd))
        self._save()

    def _save(self) -> None:
        write_atomically(self._folder / STATE, [json.dumps([asdict(batch) for batch in self._batches], indent=1)])

    async def _send(self, batch: Batch) -> None:
        may_exist = batch.state == "uploaded"  # an earlier run may have been killed between creation and the note of it

        async def create(sdk: Any) -> Any:
            nonlocal may_exist
            if may_exist:  # an attempt whose answer was lost may have made it: it would be paid twice
                async for other in sdk.batches.list(limit=100):
                    if (other.metadata or {}).get(MARK) == batch.mark:
                        return other
            may_exist, told = True, {MARK: batch.mark}
            return await sdk.batches.create(input_file_id=batch.input_file_id, endpoint=ENDPOINT, completion_window="24h", metadata=told)

        if batch.state == "written":
            path = self._folder / batch.file
            made = await self._ask(batch, lambda sdk: sdk.files.create(file=path, purpose="batch"))
            batch.state, batch.input_file_id = "uploaded", made.id
            self._save()
        if batch.state == "uploaded":
            found = await self._ask(batch, create)
            batch.state, batch.batch_id, batch.status = "created", found.id, found.status or ""
            self._save()

    async def _wait(self, batch: Batch) -> None:
        while batch.status not in _OVER:
            if not (status := (await self._ask(batch, lambda sdk: sdk.batches.retrieve(batch.batch_id))).status):
                raise EndpointError(f"batches of {batch.model}: the state of {batch.batch_id[:60]} is not told")
            batch.status = status
            self._save()
            if batch.status not in _OVER:
                await self._judge.shared.stop.clock.sleep(self._poll_s)

    async def _fetch(self, batch: Batch) -> None:
        """Stores every answer that came; what did not come is `failed`."""
        found = await self._ask(batch, lambda sdk: sdk.batches.retrieve(batch.batch_id))
        waiting, spent, lines = dict(self._sent(batch)), list[tuple[str, Spent]](), dict[str, dict[str, Any]]()
        for file_id in (found.output_file_id, found.error_file_id):
            if file_id:
                await self._call(batch, partial(self._read, waiting, lines, file_id))
        for key, line in lines.items():
            sent = waiting.pop(key)
            self._take(self._judge.endpoint(sent.model).client.redactor.value(line), sent, spent)
        for key in waiting:
            self.failed[key] = Fault("transport", "give_up", f"no answer in the batch: {found.why or f'the batch is {found.status}'}"[:300])
        for rubric, counts in spent:  # at the end, since a run that ends before it reads the batch again
            self._judge.shared.budget.count(rubric, counts)
        batch.state = "fetched"
        self._save()

    async def _read(self, waiting: Mapping[str, Sent], lines: dict[str, dict[str, Any]], file_id: str, sdk: Any) -> None:
        """Adds the results of a file that are ours; two for one request that differ are none."""
        async with sdk.files.with_streaming_response.content(file_id) as response:
            async for line in _json_lines(response.iter_bytes()):
                key = line.get("custom_id") if isinstance(line, dict) and _is_shallow(line) else None
                if isinstance(key, str) and key in waiting and lines.setdefault(key, line) != line:
                    lines[key] = {"error": {"message": "two results that differ"}}

    def _take(self, line: Mapping[str, Any], sent: Sent, spent: list[tuple[str, Spent]]) -> None:
        """One result. What the endpoint's dialect can mend is neither an answer nor a failure: the next round asks it anew."""
        response, endpoint = line.get("response"), self._judge.endpoint(sent.model)
        response = response if isinstance(response, dict) else {}
        dialect = endpoint.dialect
        body, status = response.get("body"), response.get("status_code")
        try:
            if line.get("error") or status != 200:
                told = line.get("error") or (body.get("error") if isinstance(body, Mapping) else body)
                raise status_fault(status if isinstance(status, int) else 500, {}, told, sent.body, self._judge.shared.stop.clock)
            most = endpoint.most(sent.body, self._usd_share)
            spent.append((sent.rubric, endpoint.spent(body, count_tokens(sent.body), most, self._usd_share)))
            self._judge.keep(sent, body)
            dialect.pin(sent.mode)
        except Fault as fault:
            if fault.subject == "mode":
                dialect.leave(sent.mode)
                is_mended = dialect.mode != sent.mode
            else:
                is_mended = fault.remedy == "adapt" and dialect.drop(fault.subject, sent.body)
            if not is_mended:
                fault.detail = f"in the batch: {fault.detail}"
                self.failed[sent.key] = fault

    def _sent(self, batch: Batch) -> Iterator[tuple[str, Sent]]:
        path = self._folder / batch.file
        for key, line in zip(lines_of(path.with_suffix(".keys")), lines_of(path), strict=True):
            known, sent = json.loads(key), json.loads(line)
            body = {name: value for name, value in sent["body"].items() if name not in ("response_format", "tools")}
            body |= {name: {} for name in ("response_format", "tools") if name in sent["body"]}
            body["messages"] = list(map(_blank, body["messages"]))
            choices = tuple((name, "") for name in known.get("choices", ()))
            yield sent["custom_id"], Sent(sent["custom_id"], batch.model, known["rubric"], known["parts"], known["mode"], body, choices)

    async def _ask(self, batch: Batch, request: Callable[[Any], Awaitable[Any]]) -> Any:
        """What is used of a reply about a file or a batch, each a text or None."""

        async def used(sdk: Any) -> dict[str, Any]:
            found = await request(sdk)
            told = {name: getattr(found, name, None) for name in ("id", "status", "output_file_id", "error_file_id")}
            if not told["id"] or not all(text is None or (isinstance(text, str) and len(text) <= _LONGEST_ID) for text in told.values()):
                raise ValueError("it tells of no file and no batch")
            errors = getattr(getattr(found, "errors", None), "data", None)
            return {**told, "why": "; ".join(str(getattr(e, "message", e)) for e in errors) if isinstance(errors, list) else ""}

        return SimpleNamespace(**await self._call(batch, used))

    async def _call(self, batch: Batch, request: Callable[[Any], Awaitable[T]]) -> T:
        shared, client = self._judge.shared, self._judge.endpoint(batch.model).client
        clock = shared.stop.clock
        until = clock.monotonic() + shared.deadline

        try:
            return await shared.retries.run(partial(client.manage, request, _CALL_S), lambda: until - clock.monotonic())
        except Fault as fault:
            raise EndpointError(f"batches of {client.address.host}: {fault.detail}") from None


class Draft:
    """A batch that is still being filled: its lines go to disk at once, beside them what their answers are stored under."""

    def __init__(self, path: Path) -> None:
        self.path, self.requests, self.size, self.usd = path, 0, 0, 0.0
        self.keys: set[str] = set()
        for one in (path, path.with_suffix(".keys")):
            one.unlink(missing_ok=True)  # it may be a link
        self._lines, self._keys = path.open("x", encoding="utf-8"), path.with_suffix(".keys").open("x", encoding="utf-8")

    def add(self, request: Request, body: Mapping[str, Any], mode: Mode, usd: float) -> None:
        """Adds a request, which can cost so many dollars."""
        text = json.dumps({"custom_id": request.key, "method": "POST", "url": ENDPOINT, "body": body}, ensure_ascii=False) + "\n"
        self._lines.write(text)
        own = {"choices": list(request.form.rubric.choices)} if request.form.rubric.has_menus else {}
        self._keys.write(json.dumps({"rubric": request.form.rubric.id, "parts": request.parts, "mode": mode, **own}) + "\n")
        self.keys.add(request.key)
        self.requests, self.size, self.usd = self.requests + 1, self.size + len(text), self.usd + usd

    def close(self) -> None:
        """Ends both files."""
        self._lines.close()
        self._keys.close()


def _blank(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of which only the length and the number of pictures are needed any more."""
    text, pictures = "-" * len(text_of(message)), [{"type": "image_url"} for _ in picture_parts(message)]
    return {"role": message["role"], "content": [{"type": "text", "text": text}, *pictures] if pictures else text}


_LONGEST_ID, _DEEPEST = 512, 60  # no reply has more


def _is_shallow(value: Any, left: int = _DEEPEST) -> bool:
    """Whether a value is nested no deeper than any reply, so that it can be compared and redacted."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_is_shallow(one, left - 1) for one in inner)


async def _json_lines(parts: AsyncIterator[bytes]) -> AsyncIterator[Any]:
    """JSON Lines as they come; a line that is no JSON is left out. Only a line feed ends one: JSON may hold other line ends as they are.
    Raises ValueError for a line or a file that is too long."""
    rest, size = b"", 0
    async for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        size += len(part)
        if len(rest) > _MOST_LINE or size > MOST_FILE:
            raise ValueError("it does not end")
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):
                yield json.loads(line, object_pairs_hook=no_key_twice)
    with contextlib.suppress(ValueError, RecursionError):
        yield json.loads(rest, object_pairs_hook=no_key_twice)
