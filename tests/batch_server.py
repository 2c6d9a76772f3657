"""A loopback endpoint that speaks the provider's files and batches, and single calls: what batch mode is tested against."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from email.policy import HTTP
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from loopback import Handler, answering

Body = dict[str, Any]
Answer = Callable[[Body], "tuple[int, Body]"]


def completion(verdict: str, model: str = "batch-model") -> Body:
    """A chat completion that gives a verdict."""
    content = json.dumps({"evidence": "words", "reasoning": "Because.", "verdict": verdict})
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 2000, "completion_tokens": 100, "total_tokens": 2100}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}


class BatchServer:
    """What was uploaded and asked; `answer` decides each request of a batch and each single call: (status, body).
    looks: how often a batch must be looked at before it is over. lost: how many creations are made without the client hearing of it.
    is_expired: batches end without an answer to their last request."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.asked: list[Body] = []  # bodies within batches, in order
        self.single: list[Body] = []
        self.looks, self.lost, self.is_expired = 1, 0, False
        self.url = ""

    def upload(self, content: bytes) -> Body:
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = content
        return {"id": file_id, "object": "file", "bytes": len(content), "created_at": 0, "filename": "b.jsonl", "purpose": "batch"}

    def create(self, wish: Body) -> Body:
        requests = [json.loads(line) for line in self.files[wish["input_file_id"]].splitlines()]
        assert len({request["custom_id"] for request in requests}) == len(requests)
        self.asked += [request["body"] for request in requests]
        batch = {
            "id": f"batch-{len(self.batches) + 1}",
            "object": "batch",
            "created_at": 0,
            "status": "in_progress",
            "completion_window": wish["completion_window"],
            "endpoint": wish["endpoint"],
            "input_file_id": wish["input_file_id"],
            "metadata": wish.get("metadata"),
            "looks": 0,
        }
        self.batches[batch["id"]] = batch
        return batch

    def look(self, batch_id: str) -> Body:
        batch = self.batches[batch_id]
        batch["looks"] += 1
        if batch["looks"] >= self.looks and batch["status"] == "in_progress":
            self._finish(batch)
        return {key: value for key, value in batch.items() if key != "looks"}

    def _finish(self, batch: Body) -> None:
        good, bad = [], []
        requests = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        for request in reversed(requests[:-1] if self.is_expired else requests):  # results come in any order
            status, body = self.answer(request["body"])
            line = {"id": "r", "custom_id": request["custom_id"], "response": {"status_code": status, "body": body}, "error": None}
            (good if status == 200 else bad).append(json.dumps(line).encode())
        batch["status"] = "expired" if self.is_expired else "completed"
        if good:
            batch["output_file_id"] = self.upload(b"\n".join(good))["id"]
        if bad:
            batch["error_file_id"] = self.upload(b"\n".join(bad))["id"]


class _Handler(Handler):
    def do_GET(self) -> None:
        plays, parts = self.server.plays, self.path.partition("?")[0].strip("/").split("/")[1:]
        if parts[0] == "files":
            self.send(200, plays.files[parts[1]])
        elif len(parts) == 1:
            listed = [{k: v for k, v in batch.items() if k != "looks"} for batch in plays.batches.values()]
            self.send(200, {"object": "list", "data": listed, "has_more": False})
        else:
            self.send(200, plays.look(parts[1]))

    def do_POST(self) -> None:
        plays, content = self.server.plays, self.rfile.read(int(self.headers["content-length"]))
        kind = self.path.strip("/").split("/")[1]
        if kind == "files":
            head = f"content-type: {self.headers['content-type']}\r\n\r\n".encode()
            form = BytesParser(policy=HTTP).parsebytes(head + content)
            file = next(part for part in form.iter_parts() if part.get_param("name", header="content-disposition") == "file")
            self.send(200, plays.upload(file.get_payload(decode=True)))
        elif kind == "batches":
            made = plays.create(json.loads(content))
            plays.lost -= 1
            if plays.lost >= 0:
                self.send(500, {"error": {"message": "the answer is lost"}})
            else:
                self.send(200, {key: value for key, value in made.items() if key != "looks"})
        else:
            plays.single.append(json.loads(content))
            self.send(*plays.answer(plays.single[-1]))


@contextmanager
def serving(answer: Answer, key: str = "test") -> Iterator[BatchServer]:
    """The server on a free port of the loopback device, as the environment names it with this key."""
    plays = BatchServer(answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.plays = plays  # type: ignore[attr-defined]
    plays.url = f"http://127.0.0.1:{server.server_port}/v1"
    with answering(server), pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", plays.url)
        patch.setenv("OPENAI_API_KEY", key)
        yield plays
