"""Do the tests notice a small change of the code that decides labels, gates and trust? Figures: docs/development/measurements.md.

    python -m benchmarks.code.code_mutants map     [--suites DIR]             which test and which suite runs which line: once, some minutes
    python -m benchmarks.code.code_mutants measure [--suites DIR] [--each N]  N places of each group, drawn by the seed, one after the other
    python -m benchmarks.code.code_mutants table                              the table, and every change that nothing noticed

Everything is done in a copy of the tree under --work, never in the tree itself. A change is held against the tests that run its line
(those of its own test files first, the fastest first), then all tests of these files, then the conformance suites that run it, each
within a bound of time; it is noticed once one of them fails, which passed without the change. What was measured is kept: a second
`measure` goes on, and --again repeats what was not noticed. Own code: mutmut 3 changes nothing outside functions and takes no sample,
cosmic-ray 8 knows one test command for all.
"""

import argparse
import contextlib
import gc
import importlib
import inspect
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from benchmarks.code.code_places import Place, places_of

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("judge", "rubrics", "deterministic", "calibration", "benchmarks", "tests", "scripts")
GROUPS: Mapping[str, tuple[str, ...]] = {
    "gates": ("judge/results/gates.py",),
    "labels": ("judge/capabilities/*.py", "judge/capabilities/*/*.py"),
    "quotes": ("deterministic/quotes/guards.py", "deterministic/quotes/tokens.py", "deterministic/quotes/find.py"),
    "provenance": ("judge/capabilities/provenance.py",),
    "citations": ("deterministic/citations/check.py",),
    "trust": ("judge/calibrate/*.py", *(f"calibration/decision/{name}.py" for name in ("gate", "counted", "objections", "record"))),
    "replies and money": ("judge/llm/replies.py", "judge/results/spending.py", "judge/llm/prices.py", "judge/llm/forecast.py"),
    "values": ("deterministic/values/comparison.py", "deterministic/values/figures/gaps.py"),
}  # fmt: skip
NOT_HERE = ("provenance.py", "schema.py")  # of the labels: a group of its own; shapes only
LEFT_OUT = ("test_ray_engine", "test_packaging", "test_ci_files", "test_mlflow", "test_local_model", "test_label_page",
            "test_report_html", "test_report_sample", "test_public_names", "test_lazy_sdk", "test_ocr")  # fmt: skip
"""Test files that need a browser, a model or minutes, or that read the sources: nothing of theirs is counted."""
SEED = 17
OWN, FIRST, REST, SUITES = 30.0, 20.0, 6.0, 6
"""Seconds of tests that run the line, in the files that run it most and in all; seconds of the other tests of their files; suites."""
MOST_FILES = 4
TRACE = "CODE_MUTANTS_TRACE"


# --- which test runs which line ----------------------------------------------------------------------------------------------------------


class Tracer:
    """Notes the lines of some modules that run, under the name that `now` holds. Threads as well, child processes not."""

    def __init__(self, root: Path, files: Iterable[str]) -> None:
        self.names = {str(root / file): file for file in files}
        self.now = "*"
        self.lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.of_code: dict[Any, frozenset[int]] = {}

    def start(self) -> None:
        """From here on."""
        import threading

        threading.settrace(self)
        sys.settrace(self)

    def __call__(self, frame: Any, event: str, arg: object) -> Any:
        code = frame.f_code
        file = self.names.get(code.co_filename)
        if file is None:
            return None
        seen = self.lines[self.now][file]
        seen.add(frame.f_lineno)
        if self.all_of(code) <= seen:
            return None  # nothing new can come of this call

        def local(frame: Any, event: str, arg: object) -> Any:
            seen.add(frame.f_lineno)
            return local

        return local

    def all_of(self, code: Any) -> frozenset[int]:
        """The lines of a code object."""
        if code not in self.of_code:
            self.of_code[code] = frozenset(line for _, _, line in code.co_lines() if line)
        return self.of_code[code]

    def result(self) -> dict[str, dict[str, list[int]]]:
        """name -> file -> lines."""
        return {name: {file: sorted(lines) for file, lines in files.items()} for name, files in self.lines.items()}


class Watch:
    """A pytest plugin: picks tests, notes seconds and results, tells the tracer which test runs ("*" while a shared fixture is made)."""

    def __init__(self, wanted: list[str] | None = None, tracer: Tracer | None = None) -> None:
        self.wanted, self.tracer = wanted, tracer
        self.tests: dict[str, list[Any]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.wanted is None:
            return
        place = {name: n for n, name in enumerate(self.wanted)}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        self.tests[nodeid] = [time.monotonic(), "passed"]
        if self.tracer:
            self.tracer.now = nodeid

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome != "passed":
            self.tests[report.nodeid][1] = report.outcome

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        self.tests[nodeid][0] = round(time.monotonic() - self.tests[nodeid][0], 4)
        if self.tracer:
            self.tracer.now = "*"

    def failed(self) -> str | None:
        """The first test that failed."""
        return next((name for name, (_, outcome) in self.tests.items() if outcome == "failed"), None)


def _fixture_watch(watch: Watch) -> Any:
    import pytest

    class Fixtures:
        @pytest.hookimpl(hookwrapper=True)
        def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
            before = watch.tracer.now if watch.tracer else "*"
            if watch.tracer and fixturedef.scope != "function":
                watch.tracer.now = "*"
            yield
            if watch.tracer:
                watch.tracer.now = before

    return Fixtures()


# --- a copy of the tree, and a process that runs tests in it -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its answer, or None where it was stopped or broke; seconds."""

    answer: Any
    seconds: float
    stopped: bool = False


def copy_tree(work: Path) -> Path:
    """The files of the tree as they are, with their byte code, in `work`/tree."""
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    subprocess.run([sys.executable, "-m", "compileall", "-q", *[str(tree / package) for package in PACKAGES[:4]]], check=True)
    hook = work / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(
        f"import os\nif os.environ.get({TRACE!r}):\n    import benchmarks.code.code_mutants as m\n    m.trace_process()\n", encoding="utf-8"
    )
    return tree


def in_child(work: Path, job: Callable[[], Any], seconds: float) -> Ended:
    """Runs `job` in a forked process of its own group, in the copy, and returns what it returns (as JSON)."""
    answer, log = work / "answer.json", work / "child.log"
    answer.unlink(missing_ok=True)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            _redirect(log)
            answer.write_text(json.dumps(job()), encoding="utf-8")
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
            os._exit(code)
    stopped = not _wait(child, began + seconds)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if stopped:
        os.waitpid(child, 0)
    result = json.loads(answer.read_text(encoding="utf-8")) if answer.is_file() and not stopped else None
    return Ended(result, time.monotonic() - began, stopped)


def _wait(child: int, until: float) -> bool:
    """Whether the child ended in time."""
    pause = 0.01
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(pause)
        pause = min(pause * 1.3, 0.2)
    return False


def _redirect(log: Path) -> None:
    out, nothing = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), os.open(os.devnull, os.O_RDONLY)
    for number, target in ((0, nothing), (1, out), (2, out)):
        os.dup2(target, number)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def enter_copy(work: Path) -> None:
    """From here on this process works in the copy, and so do its children. Only it writes byte code: tests as pytest rewrites them."""
    tree = work / "tree"
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree), "JUDGE_CACHE_DIR": str(work / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.path[:] = [str(tree), *(p for p in sys.path if Path(p or ".").resolve() != ROOT)]
    forget()


def forget() -> None:
    """The modules of the tree and of its tests are imported anew when they are wanted."""
    places = (str(ROOT), os.getcwd())
    for name, module in list(sys.modules.items()):
        is_ours = name.partition(".")[0] in PACKAGES or str(getattr(module, "__file__", None) or "").startswith(places)
        if is_ours and name != "__main__" and ".venv" not in str(getattr(module, "__file__", "")):
            del sys.modules[name]
    importlib.invalidate_caches()


def swap(path: Path, place: Place, source: bytes, changed: bytes, living: Mapping[str, Sequence[FunctionType]]) -> bool:
    """Gives the living functions of a module the changed code. False where the place is not in a function's body (then import anew)."""
    before, after = (_functions(compile(text, str(path), "exec")) for text in (source, changed))
    at = max(
        (n for n, code in enumerate(before) if code.co_firstlineno <= place.line), key=lambda n: before[n].co_firstlineno, default=None
    )
    if at is None or len(before) != len(after):
        return False
    old, new = before[at], after[at]
    if (old.co_code, old.co_consts, old.co_names) == (new.co_code, new.co_consts, new.co_names) or old.co_freevars != new.co_freevars:
        return False
    own = [function for function in living.get(str(path), ()) if _is_code(function.__code__, old)]
    for function in own:
        function.__code__ = new
    return bool(own)


def _is_code(code: CodeType, wanted: CodeType) -> bool:
    return (code.co_filename, code.co_firstlineno, code.co_qualname) == (wanted.co_filename, wanted.co_firstlineno, wanted.co_qualname)


def _functions(code: CodeType) -> list[CodeType]:
    """The outermost functions and methods of a module's code."""
    found: list[CodeType] = []
    for inner in (one for one in code.co_consts if isinstance(one, CodeType)):
        found += [inner] if inner.co_flags & inspect.CO_OPTIMIZED else _functions(inner)
    return found


def plain_hypothesis() -> None:
    """The same examples each time, none kept, and no time spent on making a failing one smaller."""
    from hypothesis import Phase, settings

    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True, deadline=None)
    settings.load_profile("mutants")


def run_tests(files: Iterable[str], watch: Watch) -> dict[str, Any]:
    """Runs pytest in this process. {"code": its exit code, "tests": name -> [seconds, outcome], "failed": first name}."""
    import pytest

    plain_hypothesis()
    if watch.tracer:
        watch.tracer.start()
    options = ["-x"] if watch.wanted is not None else []
    code = pytest.main(
        ["-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", *options, *sorted(set(files))],
        plugins=[watch, _fixture_watch(watch)],
    )
    sys.settrace(None)
    return {"code": int(code), "tests": watch.tests, "failed": watch.failed()}


def files_of(group: str, root: Path = ROOT) -> list[str]:
    """The modules of a group, from the root."""
    names = {str(path.relative_to(root)) for pattern in GROUPS[group] for path in root.glob(pattern)}
    return sorted(n for n in names if group != "labels" or Path(n).name not in NOT_HERE)


def all_files(root: Path = ROOT) -> list[str]:
    """The modules of all groups."""
    return sorted({file for group in GROUPS for file in files_of(group, root)})


# --- the map ---------------------------------------------------------------------------------------------------------------------------


def make_map(work: Path, suites: Path | None, only: list[str]) -> None:
    """Writes work/map/NAME.json for every test file and suite: {"tests": ..., "lines": name -> file -> lines}."""
    tree = copy_tree(work)
    folder = work / "map"
    folder.mkdir(exist_ok=True)
    names = [p.stem for p in sorted((tree / "tests").glob("test_*.py")) if p.stem not in LEFT_OUT]
    enter_copy(work)
    for name in [n for n in names if not only or n in only]:
        if not only and (folder / f"{name}.json").is_file():
            continue
        ended = in_child(work, lambda name=name: _trace_tests(tree, name), 600)  # type: ignore[misc]
        if ended.answer is None:
            print(f"{name}: no answer ({'too long' if ended.stopped else 'broke'})", flush=True)
            continue
        (folder / f"{name}.json").write_text(json.dumps(ended.answer), encoding="utf-8")
        bad = [test for test, (_, outcome) in ended.answer["tests"].items() if outcome == "failed"]
        print(f"{name}: {len(ended.answer['tests'])} tests, {ended.seconds:.0f} s{', failed: ' + ' '.join(bad) if bad else ''}", flush=True)
    for suite in sorted(p.parent for p in (suites / "suites").glob("*/expected.jsonl")) if suites else ():
        target = folder / f"suite {suite.name}.json"
        if target.is_file() if not only else suite.name not in only:
            continue
        passed, seconds = run_suite(work, suites, suite.name, trace=target)  # type: ignore[arg-type]
        if not passed and target.is_file():
            target.unlink()
        print(f"suite {suite.name}: {'passed' if passed else 'failed'}, {seconds:.0f} s", flush=True)


def _trace_tests(tree: Path, name: str) -> dict[str, Any]:
    tracer = Tracer(tree, all_files(tree))
    answer = run_tests([f"tests/{name}.py"], Watch(None, tracer))
    return answer | {"lines": tracer.result()}


def run_suite(work: Path, suites: Path, name: str, trace: Path | None = None) -> tuple[bool, float]:
    """Whether a conformance suite passes in the copy; seconds."""
    began = time.monotonic()
    path = os.pathsep.join([str(work / "tree"), *([str(work / "hook")] if trace else [])])
    env = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"} | ({TRACE: str(trace)} if trace else {})
    command = f"{Path(sys.executable).parent / 'judge'} run"
    argv = [
        sys.executable,
        str(suites / "check.py"),
        name,
        "--command",
        command,
        "--open",
        str(work / "tree/tests/open_conformance.txt"),
        "--timeout",
        "60",
    ]
    try:
        done = subprocess.run(argv, env=env, cwd=work, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return False, time.monotonic() - began
    return done.returncode == 0, time.monotonic() - began


def trace_process() -> None:
    """Traces the program itself (not the checker, not the judge that plays its part) and writes its lines as it ends."""
    import atexit

    if "judge" not in Path(sys.argv[0] if sys.argv else "").name and not any("judge" in part for part in sys.orig_argv[1:2]):
        return
    if "oracle_judge" in " ".join(sys.orig_argv):
        return
    target = Path(os.environ.pop(TRACE))
    tree = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    tracer = Tracer(tree, all_files(tree))
    tracer.start()

    def write() -> None:
        sys.settrace(None)
        target.write_text(json.dumps({"tests": {}, "lines": tracer.result()}), encoding="utf-8")

    atexit.register(write)


@dataclass(frozen=True, slots=True)
class Map:
    """Who runs what. lines: file -> line -> tests; suites: file -> line -> suites; seconds: of each test that passes.
    weight: test file -> module -> share of all lines that it runs in these modules."""

    lines: Mapping[str, Mapping[int, set[str]]]
    suites: Mapping[str, Mapping[int, set[str]]]
    seconds: Mapping[str, float]
    weight: Mapping[str, Mapping[str, float]]

    def tests(self, place: Place) -> list[str]:
        """The tests that run a place, fastest first. A line outside functions runs on import: the tests that run any line of the file."""
        lines = self.lines.get(place.file, {})
        wanted = range(place.line, place.last + 1) if place.in_function else lines
        names = {name for line in wanted for name in lines.get(line, ())}
        return sorted(names & self.seconds.keys(), key=lambda name: (self.seconds[name], name))

    def own(self, place: Place, tests: Iterable[str]) -> list[str]:
        """Those of the tests that stand in the few files which run little but the place's module."""
        there = {name.partition("::")[0] for name in tests}
        files = sorted(there, key=lambda file: (-self.weight.get(file, {}).get(place.file, 0.0), file))[:MOST_FILES]
        return [name for name in tests if name.partition("::")[0] in files]

    def others(self, tests: Iterable[str]) -> list[str]:
        """All other tests of the files of these, fastest first."""
        known = set(tests)
        files = {name.partition("::")[0] for name in known}
        return sorted((n for n in self.seconds if n.partition("::")[0] in files and n not in known), key=lambda n: (self.seconds[n], n))

    def suites_of(self, place: Place) -> list[str]:
        """The suites that run a place, those first that run the least else."""
        lines = self.suites.get(place.file, {})
        wanted = range(place.line, place.last + 1) if place.in_function else lines
        counts = Counter(name for numbers in self.suites.values() for names in numbers.values() for name in names)
        return sorted({name for line in wanted for name in lines.get(line, ())}, key=lambda name: (counts[name], name))


def read_map(work: Path) -> Map:
    """What `map` wrote. A line that a shared fixture or the collection runs counts for all tests of its file."""
    lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    suites: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    seconds: dict[str, float] = {}
    for path in sorted((work / "map").glob("*.json")):
        answer = json.loads(path.read_text(encoding="utf-8"))
        is_suite = path.stem.startswith("suite ")
        passed = {name: spent for name, (spent, outcome) in answer["tests"].items() if outcome == "passed"}
        seconds |= passed
        for name, files in answer["lines"].items():
            names = {path.stem.removeprefix("suite ")} if is_suite else set(passed) if name == "*" else {name}
            for file, numbers in files.items():
                for number in numbers:
                    (suites if is_suite else lines)[file][number] |= names
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for file, numbers in lines.items():
        for names in numbers.values():
            for test_file in {name.partition("::")[0] for name in names}:
                counts[test_file][file] += 1
    return Map(lines, suites, seconds, {test: {f: n / own.total() for f, n in own.items()} for test, own in counts.items()})


# --- the measurement -------------------------------------------------------------------------------------------------------------------


def sample(group: str, number: int, seed: int, tree: Path) -> list[Place]:
    """The first `number` places of a group: the kinds of change in turn, within a kind by the seed."""
    kinds: dict[str, list[Place]] = defaultdict(list)
    for file in files_of(group, tree):
        for place in places_of(file, (tree / file).read_text(encoding="utf-8")):
            kinds[place.kind].append(place)
    rows = zip_longest(*(sorted(kinds[kind], key=lambda place: place.rank(seed)) for kind in sorted(kinds)))
    return [place for row in rows for place in row if place is not None][:number]


class Measuring:
    """A pytest plugin: in place of running the tests it collected it holds changes against them, each in a child of this process."""

    def __init__(self, work: Path, known: Map, todo: list[tuple[str, Place]], suites: Path | None, *, is_quick: bool) -> None:
        self.work, self.known, self.todo, self.suites, self.is_quick = work, known, todo, suites, is_quick
        self.living: dict[str, list[FunctionType]] = defaultdict(list)
        self.caches: list[Any] = []
        self.items: dict[str, Any] = {}

    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        objects = gc.get_objects()
        for function in (one for one in objects if isinstance(one, FunctionType)):
            self.living[function.__code__.co_filename].append(function)
        self.caches = [one for one in objects if type(one).__name__ == "_lru_cache_wrapper"]
        del objects
        gc.freeze()
        for group, place in self.todo:
            began = time.monotonic()
            by = self.notice(place)
            line = {"key": place.key, "group": group, "file": place.file, "line": place.line, "kind": place.kind, "was": place.was,
                    "now": place.now, "by": by, "seconds": round(time.monotonic() - began, 1)}  # fmt: skip
            with (self.work / "results.jsonl").open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            change = f"{place.file}:{place.line} {place.kind}: {_short(place.was)} -> {_short(place.now)}"
            print(f"{line['seconds']:6.1f} s  {change}: {by or 'NOT NOTICED'}", flush=True)
        return True

    def notice(self, place: Place) -> str | None:
        """What noticed the change: a test, a suite, or the bound of time; None where nothing did.
        First in children that share what is imported, their functions changed; then, unless `is_quick`, with all imported anew."""
        path = self.work / "tree" / place.file
        source = path.read_bytes()
        changed = place.apply(source)
        stale = path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
        try:
            compile(changed, place.file, "exec")
            path.write_bytes(changed)
            stale.unlink(missing_ok=True)
            first = self.known.tests(place)
            rounds = [(self.known.own(place, first), OWN), (first, FIRST), (self.known.others(first), REST)]
            is_living = True
            for is_fresh in (False, True):
                tried: set[str] = set()
                for tests, bound in rounds if not is_fresh or not is_living or not self.is_quick else ():
                    chosen = list(_within([name for name in tests if name not in tried], self.known.seconds, bound))
                    tried |= set(chosen)
                    found = self.failing(chosen, None if is_fresh else (path, place, source, changed)) if chosen else ""
                    if found:
                        return found
                    is_living = is_living and found is not None
            for name in self.known.suites_of(place)[:SUITES] if self.suites else ():
                if not run_suite(self.work, self.suites, name)[0]:  # type: ignore[arg-type]
                    return f"suite {name}"
            return None
        finally:
            path.write_bytes(source)
            stale.unlink(missing_ok=True)

    def failing(self, tests: list[str], change: tuple[Path, Place, bytes, bytes] | None) -> str | None:
        """The first of the tests that fails, "" for none; "time" where they take far longer than they did, "import" where they cannot be
        collected. change: made to the functions that live, None where that cannot be; without one the file is read anew."""
        expected = sum(self.known.seconds[name] for name in tests)

        def job() -> Any:
            if change is None:
                forget()
                return run_tests({name.partition("::")[0] for name in tests}, Watch(tests))
            if not swap(*change, self.living):
                return "dead"
            for cached in self.caches:
                cached.cache_clear()
            return self.run_living([self.items[name] for name in tests if name in self.items])

        ended = in_child(self.work, job, 60 + 8 * expected)
        if ended.stopped or ended.answer in (None, "dead"):
            return "time" if ended.stopped else None if ended.answer == "dead" else "broke"
        return str(ended.answer["failed"] or ("" if ended.answer["code"] in (0, 5) else "import"))

    def run_living(self, items: list[Any]) -> dict[str, Any]:
        """Runs collected tests until one fails."""
        watch = Watch()
        for item, following in zip_longest(items, items[1:]):
            item.config.pluginmanager.register(watch) if item is items[0] else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if watch.failed():
                break
        return {"code": 0, "failed": watch.failed()}


def measure(
    work: Path, suites: Path | None, each: int, seed: int, groups: list[str], *, again: bool, keep_tree: bool, is_quick: bool
) -> None:
    """Appends one line for every place that has none yet to work/results.jsonl."""
    import pytest

    tree = work / "tree" if keep_tree else copy_tree(work)
    known = read_map(work)
    done = {line["key"]: line["by"] for line in results(work)}
    rows = zip_longest(*(sample(group, each, seed, tree) for group in groups))
    todo = [(group, place) for row in rows for group, place in zip(groups, row, strict=True) if place is not None]
    todo = [(group, place) for group, place in todo if place.key not in done or (again and not done[place.key])]
    enter_copy(work)
    plain_hypothesis()
    files = sorted({name.partition("::")[0] for name in known.seconds})
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=line", f"--basetemp={work / 'tmp'}"]
    pytest.main([*options, *files], plugins=[Measuring(work, known, todo, suites, is_quick=is_quick)])


def _within(tests: Iterable[str], seconds: Mapping[str, float], bound: float) -> Iterator[str]:
    for name in tests:
        bound -= seconds[name]
        if bound < 0:
            return
        yield name


def results(work: Path) -> list[dict[str, Any]]:
    """The last line of each place."""
    path = work / "results.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    return list({line["key"]: line for line in lines}.values())


# --- the table -------------------------------------------------------------------------------------------------------------------------


def table(work: Path) -> str:
    """Markdown: a row a group, and what was not noticed."""
    rows = ["| what | places | noticed | share |", "|---|---|---|---|"]
    lines = results(work)
    for name in [*GROUPS, "all"]:
        own = [line for line in lines if name in ("all", line["group"])]
        noticed = sum(bool(line["by"]) for line in own)
        rows.append(f"| {name} | {len(own)} | {noticed} | {noticed / len(own):.1%} |" if own else f"| {name} | 0 | 0 | |")
    rows.append("")
    rows += [f"- `{e['file']}:{e['line']}` {e['kind']}: `{_short(e['was'])}` -> `{_short(e['now'])}`" for e in lines if not e["by"]]
    return "\n".join(rows)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else f"{text[:60]} ... {text[-35:]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["map", "measure", "table"])
    parser.add_argument("names", nargs="*", help="map: test files or suites to map anew; measure: groups")
    parser.add_argument("--work", type=Path, default=Path("/tmp/code_mutants"), help="folder of the copy, the map and the results")
    parser.add_argument("--suites", type=Path, help="folder of the conformance suites' check.py")
    parser.add_argument("--each", type=int, default=42, help="places of each group (default 42)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--again", action="store_true", help="repeat what was not noticed")
    parser.add_argument("--quick", action="store_true", help="do not import all anew for what was not noticed")
    parser.add_argument("--keep-tree", action="store_true", help="the copy of the tree as it is")
    args = parser.parse_args()
    work = args.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    suites = args.suites.resolve() if args.suites else None
    if args.step == "map":
        make_map(work, suites, args.names)
    elif args.step == "measure":
        flags = {"again": args.again, "keep_tree": args.keep_tree, "is_quick": args.quick}
        measure(work, suites, args.each, args.seed, args.names or list(GROUPS), **flags)
    else:
        print(table(work))


if __name__ == "__main__":
    main()
