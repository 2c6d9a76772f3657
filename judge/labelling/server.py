"""The page's server: loopback only, a random token in every request, Host and Origin checked, nothing asked of any other server."""

import hmac
import itertools
import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, urlsplit

from calibration.strict_json import loads
from deterministic.documents.documents import PageImage
from judge.errors import JudgeError
from judge.labelling.people import ANYBODY, Reviewers, checked_name
from judge.labelling.session import LabelSession, State
from judge.labelling.tasks import Task
from judge.records import Provenance
from judge.report.page_cuts import VERBATIM, View, views_of
from judge.report.pdf_pages import PdfPages
from judge.report.rendering import source_hash
from judge.results.decisions import changed_since

HOST = "127.0.0.1"
BODY_MOST = 65_536
_RECENT_PAGES = 64
_MOST_THREADS = 64
_HITS_MOST, _WORDS_MOST = 300, 200
_GIVEN_MOST = 200  # of a person's own answers, the last ones, that the page lists


class LabelServer(ThreadingHTTPServer):
    """Serves one label session. `url` holds the token; who does not have it is refused."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, session: LabelSession, pages: PdfPages | None, *, port: int = 0, reviewers: Reviewers = ANYBODY) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.reviewers = reviewers
        self.pages = PageDesk(pages) if pages is not None else None
        self.token = secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{HOST}:{self.server_port}/?token={self.token}"

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers that a browser sends when it really means this server."""
        return frozenset({f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"})

    def process_request(self, request: Any, client_address: Any) -> None:
        """Takes a connection, as long as few are open: a half request keeps its thread until the time is over."""
        if threading.active_count() > _MOST_THREADS:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no event; nothing of a request is printed."""


class PageDesk:
    """Page images one at a time (the PDF library is not for threads), the recent ones kept."""

    def __init__(self, pages: PdfPages) -> None:
        self._pages = pages
        self._lock = threading.Lock()
        self._leaf = lru_cache(maxsize=_RECENT_PAGES)(pages.leaf)

    def leaf(self, document: str, page: int) -> PageImage | None:
        """One image."""
        with self._lock:
            return self._leaf(document, page)

    def views(self, task: Task) -> dict[str, Any]:
        """Where the cited quote stands, and the page that the citation names."""
        with self._lock:
            cited = self._located(task.cited)
            views = [_view(view, self._leaf(view.document, view.page)) for view in views_of(cited, self._pages)]
            names = dict.fromkeys((*task.documents, *([cited.document] if cited.document else ())))
            parts = {name: self._pages.text_parts(name) for name in names}
            counts = {name: len(parts[name]) or self._pages.page_count(name) for name in names}
            place = cited.spans[0][0] if cited.spans else -1
            if at := [n for n, (start, end) in enumerate(parts.get(cited.document, ()), 1) if start <= place < end]:
                views = [{"document": cited.document, "page": at[0], "role": "found", "marks": [], "size": [0, 0]}]
        return {
            "views": views,
            "is_similar": cited.quote not in VERBATIM,
            "is_lost": bool(cited.claim.quote) and not cited.spans,
            "documents": {name: count for name, count in counts.items() if count},
            "texts_of": [name for name, found in parts.items() if found],
        }

    def part(self, task: Task, document: str, number: int, words: str) -> dict[str, Any]:
        """Part `number` (from 1) of a document without pages: its text, and (start, end) of the words that are looked for in it, or of the
        cited quote."""
        with self._lock:
            parts, text = self._pages.text_parts(document), self._pages.text(document) or ""
            cited = self._located(task.cited)
        if not 1 <= number <= len(parts):
            return {"text": "", "marks": []}
        start, end = parts[number - 1]
        spans = [hit.span() for hit in _hits(text, words)] if words.strip() else cited.spans if cited.document == document else ()
        marks = [(max(start, a) - start, min(end, b) - start) for a, b in spans if a < end and b > start]
        return {"text": text[start:end], "marks": marks}

    def _located(self, cited: Provenance) -> Provenance:
        """The citation with the place of its quote, where nobody has looked for it yet (gold is made before anything is judged)."""
        claim = cited.claim
        if cited.spans or cited.outcome != "not_required" or not claim.quote:
            return cited
        spans = tuple(self._pages.find(claim.document, claim.quote, int(claim.page) if str(claim.page).isdecimal() else None))
        return replace(cited, document=claim.document, spans=spans, quote="exact")

    def search(self, document: str, text: str) -> list[dict[str, Any]]:
        """Where words stand in a document's text, recognised text included: the pages with their marks in points, in order."""
        pages: dict[int, list[list[float]]] = {}
        with self._lock:
            parts = self._pages.text_parts(document)
            for hit in _hits(self._pages.text(document) or "", text):
                for number in (n for n, (start, end) in enumerate(parts, 1) if start <= hit.start() < end):
                    pages.setdefault(number, []).append([])
                for page, *corners in self._pages.rectangles(document, hit.start(), hit.end()):
                    pages.setdefault(page, []).append(_box(*corners))
        return [{"page": page, "marks": marks} for page, marks in sorted(pages.items())]

    def holds(self, task: Task, document: str) -> bool:
        """Whether this task may show this document."""
        return document in task.documents or document in (task.cited.document, task.cited.claim.document)


def _hits(text: str, words: str) -> Iterator[re.Match[str]]:
    """Where words stand in a text, whatever space is between them."""
    looked_for = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
    return itertools.islice(looked_for.finditer(text) if words.split() else iter(()), _HITS_MOST)


def _view(view: View, leaf: PageImage | None) -> dict[str, Any]:
    """A page with its marks in points, and its size in the same unit."""
    size = [leaf.page_width, leaf.page_height] if leaf else [595, 842]
    marks = [_box(*corners) for kind, (_, *corners) in view.marks if kind == "hit"]
    return {"document": view.document, "page": view.page, "role": view.role, "marks": marks, "size": size}


def _box(x0: float, y0: float, x1: float, y1: float) -> list[float]:
    """Place and size of a rectangle."""
    return [round(v, 1) for v in (x0, y0, x1 - x0, y1 - y0)]


@lru_cache(maxsize=1)
def page_assets() -> tuple[str, str, str]:
    """HTML with its placeholders, style and script."""
    folder = resources.files("judge.labelling").joinpath("templates")
    page, style, script = (folder.joinpath(name).read_text("utf-8") for name in ("label.html", "label.css", "label.js"))
    return page, style, script


def policy() -> str:
    """The content security policy of the page."""
    _, style, script = page_assets()
    own = f"script-src '{source_hash(script)}'; style-src '{source_hash(style)}'; img-src 'self' data:; connect-src 'self'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    protocol_version = "HTTP/1.1"
    server_version = "loan-judge"
    sys_version = ""
    timeout = 20  # seconds without a byte

    def do_GET(self) -> None:
        """The page, the state, a page image."""
        parts = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        if not self._is_allowed(query.get("token", "") or self.headers.get("X-Judge-Token", "")):
            return
        if parts.path == "/":
            self._send_page()
        elif parts.path == "/api/state":
            number = query.get("task", "")
            self._answer(lambda: self._state(self._who(query.get("annotator", "")), _number(number) if number else None))
        elif parts.path == "/api/search":
            self._answer(lambda: self._search(query))
        elif parts.path == "/api/text":
            self._answer(lambda: self._part(query))
        elif parts.path == "/api/page" and (leaf := self._leaf(query)) is not None:
            self._send(HTTPStatus.OK, leaf.png, "image/png")
        else:
            self._send(HTTPStatus.NOT_FOUND, b"not found", "text/plain")

    def do_POST(self) -> None:
        """A label, a skip, an undo."""
        body, path = self._body(), urlsplit(self.path).path
        if body is None or not self._is_allowed(self.headers.get("X-Judge-Token", "")):
            return
        if path in ("/api/label", "/api/skip", "/api/undo"):
            self._answer(lambda: self._act(path, body))
        else:
            self._send(HTTPStatus.NOT_FOUND, b"not found", "text/plain")

    def _who(self, given: object) -> str:
        """Who asks: by name, or with a reviewers' file by token."""
        people = self.server.reviewers
        return people.of_token(str(given or "")) if people.tokens else checked_name(str(given or ""))

    def _search(self, query: Mapping[str, str]) -> dict[str, Any]:
        desk, task, document = self.server.pages, self.server.session.task(_number(query.get("task"))), query.get("document", "")
        text = query.get("text", "")[:_WORDS_MOST]
        return {"pages": desk.search(document, text) if desk is not None and desk.holds(task, document) else []}

    def _part(self, query: Mapping[str, str]) -> dict[str, Any]:
        desk, task, document = self.server.pages, self.server.session.task(_number(query.get("task"))), query.get("document", "")
        if desk is None or not desk.holds(task, document):
            return {"text": "", "marks": []}
        return desk.part(task, document, _number(query.get("page")), query.get("text", "")[:_WORDS_MOST])

    def _act(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        session, name, number, at = self.server.session, self._who(body.get("annotator")), _number(body.get("task")), None
        if path == "/api/label":
            session.label(name, number, *(str(body.get(key, "")) for key in ("choice", "note", "text")))
        elif path == "/api/skip":
            session.skip(name, number)
        else:
            at = session.undo(name)
        return self._state(name, at)

    def _state(self, annotator: str, number: int | None = None) -> dict[str, Any]:
        state = self.server.session.state(annotator, number)
        found = {**state_json(state), "who": annotator}
        if state.task is not None and self.server.pages is not None:
            found["task"] |= self.server.pages.views(state.task)
        if state.task is None:
            found["closing"] = self.server.session.finish()
        return found

    def _answer(self, call: Callable[[], Any]) -> None:
        try:
            status, value = HTTPStatus.OK, call()
        except (JudgeError, ValueError, TypeError, OSError) as error:
            status, value = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        self._send(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"), "application/json")

    def _body(self) -> dict[str, Any] | None:
        """The JSON body of a POST; answers and returns None when it is too long or is no JSON object."""
        length = self.headers.get("Content-Length", "")
        if not 0 <= _number(length) <= BODY_MOST:
            self.close_connection = True
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"too long", "text/plain")
            return None
        data = self.rfile.read(int(length))
        try:
            body = loads(data)
        except ValueError:
            body = None
        if not isinstance(body, dict) or self.headers.get_content_type() != "application/json":
            self._send(HTTPStatus.BAD_REQUEST, b"not JSON", "text/plain")
            return None
        return body

    def _is_allowed(self, token: str) -> bool:
        """Host and Origin are this server's own (a page of another site cannot fake them), and the token is right."""
        hosts, origin = self.headers.get_all("Host", [""]), self.headers.get("Origin")
        is_own = {*hosts} <= self.server.hosts and (origin is None or origin.removeprefix("http://") in self.server.hosts)
        is_own = is_own and self.path.startswith("/")
        if is_own and hmac.compare_digest(token.encode(), self.server.token.encode()):
            return True
        self.close_connection = True
        self._send(HTTPStatus.FORBIDDEN, b"forbidden: open the address that judge label printed", "text/plain")
        return False

    def _send_page(self) -> None:
        page, style, script = page_assets()
        text = page.replace("/*style*/", style).replace("/*script*/", script)
        if self.server.reviewers.tokens:
            for old, new in (('data-by="name"', 'data-by="token"'), ("our name", "our token"), ('maxlength="80"', 'type="password"')):
                text = text.replace(old, new)
        self._send(HTTPStatus.OK, text.encode(), "text/html; charset=utf-8")

    def _leaf(self, query: Mapping[str, str]) -> PageImage | None:
        """The page image that a task may show."""
        desk, document, page = self.server.pages, query.get("document", ""), _number(query.get("page"))
        with suppress(JudgeError):
            if desk is not None and page > 0 and desk.holds(self.server.session.task(_number(query.get("task"))), document):
                return desk.leaf(document, page)
        return None

    def _send(self, status: HTTPStatus, data: bytes, kind: str) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "Content-Security-Policy": policy(),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the request line holds the token."""


def _number(value: object) -> int:
    """A number of a request; -1 for what is none."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def state_json(state: State) -> dict[str, Any]:
    """The state as the page reads it; what a judge said is never in it, what other people said only in an adjudication."""
    task = state.task
    titles, settles = ({choice.value: choice.title for choice in task.choices}, task.settles) if task else ({}, "")
    shown = task and {
        "number": state.number,
        "case": task.cluster_id,
        "question": task.question,
        "point": task.point,
        "barred": task.barred,
        "texts": [[title, text[:20_000]] for title, text in task.texts],
        "choices": [asdict(choice) for choice in task.choices],
    }
    return {
        "task": shown,
        **{name: getattr(state, name) for name in ("done", "total", "skipped")},
        "can_undo": bool(state.given),
        "mine": state.mine and {"choice": state.mine.value, "note": state.mine.note, "text": state.mine.text},
        "given": [asdict(entry) for entry in state.given[:_GIVEN_MOST]],
        "others": [{"annotator": x.annotator, "answer": titles.get(x.value, x.value), "note": x.note} for x in state.others],
        "former": [{**asdict(x), "answer": titles.get(x.value, x.value), "why": changed_since(x.settles, settles)} for x in state.former],
        "adjudication": state.is_adjudication,
        "agreement": [asdict(pair) for pair in state.agreement],
    }
