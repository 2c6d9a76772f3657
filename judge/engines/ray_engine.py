"""The loop as tasks of a Ray cluster (optional extra `ray`). Ray schedules, retries and moves everything; nothing here does.
Three things are remote. `_read`: a task that reads one document, once per content hash; the result lies in the object store. `_replay`: a
task that judges some cases of the same documents with the answers known so far, a pure function, so Ray may run it again on another node as
often as it likes. `_ClusterJudge`: one actor on the driver's node that asks the endpoint; only there are calls limited, paid, shared and
cached, so a lost worker has never paid for anything and RPM, TPM and budget hold for the whole cluster. The driver writes the results."""

import asyncio
import importlib
import os
import signal
import socket
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import judge
from deterministic.documents.documents import Document, DocumentError, open_document
from deterministic.documents.kinds import files_of
from deterministic.documents.ocr import Ocr
from judge.engines.assignment import Account, Assignment
from judge.engines.judge_choice import is_offline
from judge.engines.loop import internal_error
from judge.engines.opened import ClusterJudge, open_judge
from judge.engines.replay import Replayed, ShippedCase, replay
from judge.errors import EndpointError, InputError, UsageError
from judge.inputs.documents import damage_of, findings_of, ocr_of, stand_in
from judge.printing import say, shown
from judge.records import INTERNAL_ERROR, Finding, JudgedCase
from judge.settings import Settings
from judge.settings.folder_trust import FOREIGN_PREFIXES
from rubrics.contract import Contract

try:  # by name, so that types are checked alike with and without the extra
    ray: Any = importlib.import_module("ray")
    NodeAffinity: Any = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
except ImportError as error:
    raise UsageError(f"--engine ray needs the extra: pip install 'loan-judge[ray]' ({error})") from None

CHUNK = 16  # cases of a task: some 100 ms of work against 1 ms of scheduling
RETRIES = 5  # of a task whose worker or node died; a case that kills every worker ends as an internal error
ANSWERS_WITHIN = 10.0  # seconds, for a cluster's port
_SETTINGS = b"\4"  # kind of the frame with which both ends of HTTP/2, and so of gRPC, begin
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0" + _SETTINGS + bytes(5)
MAX_CHARACTERS = 4_000_000  # of documents that a worker keeps open
Ref = Any  # ray.ObjectRef


@dataclass(frozen=True, slots=True)
class SharedDocument:
    """A document of the run. text: reference to the read Document (None: it cannot be read); file: reference to its files (`packed`)."""

    name: str
    sha256: str
    text: Ref
    file: Ref


_kept: OrderedDict[str, Document] = OrderedDict()  # of this worker, by content hash and name
_contracts: dict[str, Contract] = {}
Packed = Mapping[str, bytes]  # the files of a document by name, "" for the one that is the document itself


def packed(source: Path) -> Packed:
    """The bytes of a document, to be sent to other nodes."""
    return {"" if file == source else file.name: file.read_bytes() for file in files_of(source)}


def read_document(source: Path, sha256: str, data: Packed, cache_dir: Path, ocr: Ocr | None = None) -> tuple[Document | None, str]:
    """The document, or None and why it cannot be read. source: where the driver has it, which a message may name."""
    path = _on_disk(source.name, sha256, lambda: data)
    try:
        document = open_document(path, cache_dir=cache_dir, ocr=ocr)
        return document, damage_of(document)
    except DocumentError as error:
        return None, str(error).replace(str(path), str(source))


def _on_disk(name: str, sha256: str, fetch: Callable[[], Packed]) -> Path:
    """The document as a file, or a folder of pages, of this node, for the reader's child process and for closer looks at a page."""
    root = Path(tempfile.gettempdir()) / f"loan-judge-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.stat().st_uid != os.getuid() or root.is_symlink():
        raise DocumentError(name, "missing", f"{root} belongs to somebody else")
    path = root / sha256 / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        temporary, data = path.with_name(f".{os.getpid()}.tmp"), fetch()
        if "" in data:
            temporary.write_bytes(data[""])
        else:
            temporary.mkdir()
            for part, content in data.items():
                (temporary / part).write_bytes(content)
        temporary.replace(path)
    return path


class SharedDocuments:
    """The documents of a replay, taken from the object store once per worker."""

    chunk = 1

    def __init__(self, shared: Sequence[SharedDocument], troubles: Sequence[str]) -> None:
        self._shared = {one.name: one for one in shared}
        self._trouble = {one.name: trouble for one, trouble in zip(shared, troubles, strict=True) if trouble}

    def has(self, names: Iterable[str]) -> bool:
        return True

    def prefetch(self, names: Sequence[str]) -> None:
        """Nothing to do: Ray has brought them."""

    def release(self, names: Iterable[str]) -> None:
        """Nothing to do: later replays in this worker may want them."""

    def documents(self, names: Sequence[str]) -> Mapping[str, Document]:
        return {name: self._document(self._shared[name]) for name in names}

    def findings(self, documents: Mapping[str, Document]) -> tuple[Finding, ...]:
        return tuple(finding for name, found in documents.items() for finding in findings_of(found, self._trouble.get(name, "")))

    def _document(self, shared: SharedDocument) -> Document:
        if (key := f"{shared.sha256} {shared.name}") not in _kept:
            if (found := ray.get(shared.text)) is None:
                found = stand_in(shared.name)
            else:
                found.name, found.path = shared.name, _on_disk(shared.name, shared.sha256, lambda: ray.get(shared.file))
            _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > len(self._shared) and sum(len(d.text) for d in _kept.values()) > MAX_CHARACTERS:
            _kept.popitem(last=False)
        return _kept[key]


def replay_with(
    cases: Sequence[ShippedCase], shared: Sequence[SharedDocument], contract: tuple[str, Ref], offline: bool, count: int, *arrived: Any
) -> Replayed:
    """One replay. arrived: first so many sets of answers, then the troubles of the documents; being arguments, Ray waits for them."""
    digest, reference = contract
    if digest not in _contracts:
        _contracts[digest] = ray.get(reference)
    documents = SharedDocuments(shared, arrived[count:])
    return replay(cases, documents, _contracts[digest], arrived[:count], is_offline=offline)


def judge_on_cluster(assignment: Assignment) -> Account:
    """Judges the entries. Raises JudgeError; what was judged until then is written."""
    with _connected(assignment.settings):
        return _Driver(assignment).run()


def check_answers(address: str | None) -> None:
    """Ray itself waits minutes for a HOST:PORT, or ray://HOST:PORT, where no cluster is. Raises UsageError."""
    if address in (None, "auto", "local"):
        return
    try:
        place = urlsplit(address if "://" in address else f"//{address}")
        if not place.hostname or not place.port:
            raise ValueError("an address is HOST:PORT, ray://HOST:PORT, or auto for the cluster of this machine")
        with socket.create_connection((place.hostname, place.port), ANSWERS_WITHIN) as line:
            line.sendall(_GREETING)
            if not os.environ.get("RAY_USE_TLS") and line.recv(4)[3:] != _SETTINGS:
                raise ValueError("what listens there is no Ray")
    except (OSError, ValueError) as error:
        raise UsageError(f"--ray-address {shown(address)}: no cluster: {error}") from None


@contextmanager
def _connected(settings: Settings) -> Iterator[None]:
    """A connection to the cluster, or a local one for this run. An existing connection (tests, notebooks) is used and left as it is."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    before = signal.getsignal(signal.SIGTERM)
    local = {} if settings.ray_address else {"include_dashboard": False}
    check_answers(settings.ray_address)
    try:
        with chdir(Path(judge.__file__).parents[1]):  # Ray lets its workers import from where it is started, which may be anybody's folder
            ray.init(address=settings.ray_address, log_to_driver=False, logging_level="warning", **local)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(f"--ray-address {settings.ray_address}: no cluster: {error}") from None
    except Exception as error:  # a node that does not come up in time is a bare Exception
        raise EndpointError(f"Ray did not start: {error}; the same command tries it again, without --engine ray it runs here") from None
    signal.signal(signal.SIGTERM, before)  # Ray takes it; the run's own handler ends it in order
    try:
        yield
    except ray.exceptions.RayError as error:
        raise EndpointError(f"Ray failed: {error}; what was judged is saved, and the same command goes on from there") from None
    finally:
        ray.shutdown()


@dataclass(frozen=True, slots=True)
class _Task:
    """A replay on its way: its cases and the answers that it was given."""

    cases: tuple[ShippedCase, ...]
    replies: tuple[Ref, ...] = ()


@dataclass(slots=True)
class _Driver:
    """Hands out replays, takes results, hands over cases."""

    given: Assignment
    offline: bool = False
    running: dict[Ref, _Task] = field(default_factory=dict)
    library: dict[str, tuple[SharedDocument, Ref]] = field(default_factory=dict)
    read_once: dict[str, tuple[Ref, Ref, Ref]] = field(default_factory=dict)  # by content hash: document, trouble, bytes
    contract: tuple[str, Ref] | None = None
    judge: Any = None

    def run(self) -> Account:
        self.offline = is_offline(self.given.settings)
        self.contract = (self.given.prepared.contract.hash, ray.put(self.given.prepared.contract))
        if not self.offline and len(self.given.prepared.entries):
            asyncio.run(_check(self.given.settings))
            self.judge = self._open_judge()
        chunks = self._chunks()
        while True:
            while not self.given.control.is_over and len(self.running) < self._most and (cases := next(chunks, None)):
                self._send(_Task(cases))
            if not self.running:
                break
            done, _ = ray.wait(list(self.running), timeout=1.0)
            for reference in done:
                self._take(self.running.pop(reference), reference)
        return self._account()

    @property
    def _most(self) -> int:
        """Replays in flight: enough for every processor of the cluster as it is now, and for the questions that may be in flight."""
        asking = 0 if self.offline else 4 * self.given.settings.concurrency // CHUNK + 1
        return 2 * int(ray.cluster_resources().get("CPU", 1)) + asking

    def _chunks(self) -> Iterator[tuple[ShippedCase, ...]]:
        for group in self.given.prepared.entries.by_documents().values():
            for _, same in groupby(group, key=lambda entry: entry.capability):  # a record covers some capabilities only
                while entries := tuple(islice(same, CHUNK)):
                    yield tuple(ShippedCase(e, e.batch.read() if e.batch else b"", e.gold.read() if e.gold else b"") for e in entries)

    def _send(self, task: _Task) -> None:
        shared = [self._shared(name) for name in task.cases[0].entry.documents]
        arguments = (task.cases, [document for document, _ in shared], self.contract, self.offline, len(task.replies))
        troubles = [trouble for _, trouble in shared]
        self.running[_replay.remote(*arguments, *task.replies, *troubles)] = task

    def _shared(self, name: str) -> tuple[SharedDocument, Ref]:
        if name not in self.library:
            if (sha256 := self.given.prepared.document_hashes[name]) not in self.read_once:
                source, settings = self.given.prepared.index.folder.path(name), _absolute(self.given.settings)
                data, ocr = ray.put(packed(source)), ocr_of(settings.ocr, settings.cache_dir)
                self.read_once[sha256] = *_read.remote(source, sha256, data, settings.cache_dir / "documents", ocr), data
            text, trouble, data = self.read_once[sha256]
            self.library[name] = SharedDocument(name, sha256, text, data), trouble
        return self.library[name]

    def _take(self, task: _Task, reference: Ref) -> None:
        """Writes what is finished; what is left goes on with the answers that it waits for."""
        control = self.given.control
        try:
            replayed: Replayed = ray.get(reference)
        except ray.exceptions.RayActorError as error:
            control.endpoint_error = control.endpoint_error or f"the process that asks the judge ended: {_first_line(error)}"
            return
        except ray.exceptions.RayError as error:
            self._give_up(task, error)
            return
        if replayed.problems:
            raise InputError(replayed.problems)
        for case in replayed.cases:
            self._write(case)
        control.is_budget_reached |= replayed.is_budget_reached
        control.endpoint_error = control.endpoint_error or replayed.endpoint_error
        if replayed.left and replayed.questions and not control.is_over:
            self._send(_Task(replayed.left, (*task.replies, self.judge.ask.remote(replayed.questions))))

    def _give_up(self, task: _Task, error: Exception) -> None:
        """A task that failed in spite of all retries: each case alone, and then it is the case."""
        if len(task.cases) > 1:
            for case in task.cases:
                self._send(_Task((case,), task.replies))
        else:
            failure = RuntimeError(f"{type(error).__name__}: {_first_line(error)}")
            self._write(internal_error(task.cases[0].entry, failure), is_said=True)

    def _write(self, case: JudgedCase, *, is_said: bool = False) -> None:
        first, exceptions = case.items[0], self.given.exceptions
        if first.item == INTERNAL_ERROR and not is_said:
            say(f"case {shown(first.case_id)}: {first.reason}")  # the worker's own words stay there
        self.given.sink.append(case if exceptions is None else replace(case, items=tuple(map(exceptions.apply, case.items))))
        self.given.control.advance()

    def _open_judge(self) -> Any:
        here = NodeAffinity(ray.get_runtime_context().get_node_id(), soft=False)
        environment = {name: value for name, value in os.environ.items() if name.upper().startswith(FOREIGN_PREFIXES)}
        options = {"scheduling_strategy": here, "max_restarts": RETRIES, "max_task_retries": RETRIES}  # what it spent is on disk
        return _ClusterJudge.options(**options).remote(_absolute(self.given.settings), environment)

    def _account(self) -> Account:
        account = Account()
        with suppress(ray.exceptions.RayActorError):
            account = account if self.judge is None else ray.get(self.judge.account.remote())
        troubles = {name: ray.get(trouble) for name, (_, trouble) in self.library.items()}
        return replace(account, trouble={name: t for name, t in troubles.items() if t})


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]


async def _check(settings: Settings) -> None:
    """Raises what is wrong with the judge's settings here, where it ends the run as it should."""
    async with open_judge(settings):
        pass


def _absolute(settings: Settings) -> Settings:
    """The settings with paths that mean the same in another process."""
    given = {name: getattr(settings, name) for name in type(settings).model_fields}
    changed = {name: value.resolve() for name, value in given.items() if isinstance(value, Path)}
    return settings.model_copy(update={**changed, "rubrics": tuple(path.resolve() for path in settings.rubrics)})


_read = ray.remote(num_returns=2, max_retries=RETRIES)(read_document)
_replay = ray.remote(max_retries=RETRIES)(replay_with)
_ClusterJudge = ray.remote(num_cpus=0, max_concurrency=10_000)(ClusterJudge)
