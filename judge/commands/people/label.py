"""`judge label`: a local page where people label items, settle open ones, and make gold."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, choice, document_cache, number, with_flags
from judge.errors import InputError, Problem, UsageError
from judge.printing import put, say
from judge.settings import Settings

if TYPE_CHECKING:
    from judge.labelling.people import Reviewers
    from judge.labelling.server import LabelServer
    from judge.labelling.session import LabelSession, Rules


@click.command("label")
@click.argument("source", metavar="RESULTS_OR_ITEMS", type=click.Path(path_type=Path))
@with_flags("label", (RUN_CONTRACT, TEXT_CACHE))
def command(source: Path, **given: Any) -> int:
    """Label items blind beside the PDF page, on a page of this machine only.

    RESULTS_OR_ITEMS is a result folder (its open items are settled by the labels, and the gates are applied again; with --for-calibration
    its judge's questions are labelled and nothing is settled), a file of items in the format of `judge calibrate`, or with --make-gold an
    output batch.
    """
    reviewers = _reviewers(given, source)
    settles = source.is_dir() and not given["for_calibration"] and not given["make_gold"]
    with open_session(source, given) as (session, pages):
        from judge.labelling.server import LabelServer

        if settles:
            reviewers.remember(source)
        server = LabelServer(session, pages, port=whole_number(given, "port", 0, 65_535), reviewers=reviewers)
        serve(server, opens_browser=not given["no_browser"])
        if closing := session.finish():
            put(*closing.split("\n"))
    return 0


def serve(server: "LabelServer", *, opens_browser: bool) -> None:
    """Serves until Ctrl-C; prints the address. A browser is led to it by a file of this user, since everybody can read its command line."""
    import signal
    import tempfile
    import webbrowser

    for ending in (signal.SIGTERM, signal.SIGHUP):  # a window that is closed ends the page as Ctrl-C does
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="loan-judge-") as folder:  # which nobody else may enter
        put(f"Label at {server.url}", "Ctrl-C ends; every answer is saved as it is given.")
        if opens_browser:
            page = Path(folder) / "label.html"
            head = '<meta name="referrer" content="no-referrer">'
            page.write_text(f'{head}<meta http-equiv="refresh" content="0;url={server.url}">', "utf-8")
            webbrowser.open(page.as_uri())
        server.serve_forever()
    server.server_close()


@contextlib.contextmanager
def open_session(source: Path, given: Mapping[str, Any]) -> "Iterator[tuple[LabelSession, Any]]":
    """The session that the arguments describe, with its documents. Raises UsageError, InputError."""
    if given["make_gold"]:
        yield _gold_session(source, given)
    elif given["for_calibration"]:
        yield _calibration_session(source, given)
    elif source.is_dir():
        with _run_session(source, given) as opened:
            yield opened
    else:
        yield _items_session(source, given)


@contextlib.contextmanager
def _run_session(folder: Path, given: Mapping[str, Any]) -> "Iterator[tuple[LabelSession, Any]]":
    from judge.labelling.label_file import file_of_run
    from judge.labelling.run_sink import RunSink, tasks_of_run
    from judge.labelling.session import LabelSession
    from judge.report.pdf_pages import pages_of_run
    from judge.results.folder import ResultFolder
    from judge.results.reading import contract_of_run, read_results

    design = choice(given["design"], "--design", ("stratified", "random")) or "stratified"
    contract = contract_of_run(folder, given["contract"])
    results = read_results(folder, contract.label_scores)
    with ResultFolder(folder):  # a run that writes into the folder is refused meanwhile
        size, seed = whole_number(given, "sample", 0, 1_000_000), whole_number(given, "seed", 0)
        tasks = tasks_of_run(results, sample=size, design=design, seed=seed, with_review=bool(given["review"]))
        if not tasks:
            raise UsageError(f"{folder}: nothing is open; label decided items with --sample N or --review")
        rules = _rules(given, folder)
        cache = document_cache(given["cache_dir"])
        sink = RunSink(results, Settings(contract=given["contract"], cache_dir=cache.parent), contract, rules.people)
        file = file_of_run(folder, given["labels"])
        file.people = rules.people
        if not file.labels():
            say(f"no decisions yet; those of an earlier run are taken over by: judge import EARLIER/labels.jsonl {folder}")
        sink.resume(tasks, file)
        session = LabelSession(tasks, file, sink, rules=rules)
        if rules.is_adjudication and not session.tasks:
            raise UsageError(f"{file.path}: no two people differ; there is nothing to decide between")
        documents = Path(given["documents"]) if given["documents"] else None
        yield session, pages_of_run(results, documents, cache)


def _rules(given: Mapping[str, Any], run: Path | None = None) -> "Rules":
    """run: a result folder, which remembers how many people must agree."""
    from judge.labelling.session import Rules
    from judge.labelling.settling import MOST_PEOPLE, people_needed

    people = whole_number(given, "overlap", 1, MOST_PEOPLE)
    if run is not None:
        people = people_needed(run, None if given["overlap"] is None else people)
    names = tuple(_reviewers(given).tokens)
    if given["assign"] and len(names) < people:
        raise UsageError("--assign: shares the items out among the people of a --reviewers file, at least as many as must answer each")
    return Rules(people=people, is_adjudication=bool(given["adjudicate"]), assigned=names if given["assign"] else ())


def _reviewers(given: Mapping[str, Any], source: Path | None = None) -> "Reviewers":
    from judge.labelling.people import read_reviewers

    return read_reviewers(Path(given["reviewers"]) if given["reviewers"] else None, source)


def _calibration_session(folder: Path, given: Mapping[str, Any]) -> "tuple[LabelSession, Any]":
    """The judge's questions of some rubrics, drawn from a finished run; every drawn one is in the label file from the start."""
    from dataclasses import replace

    from judge.calibrate.choices import accepting_of
    from judge.calibrate.draws import item_lines, open_draws
    from judge.calibrate.questions import read_run, rubrics_of_run
    from judge.labelling.label_file import LabelFile
    from judge.labelling.run_sink import CalibrationSink
    from judge.labelling.session import LabelSession
    from judge.labelling.tasks import rubric_tasks
    from judge.results.reading import contract_of_run

    if given["seed"] is not None or given["design"] is not None:
        raise UsageError("--for-calibration: the draw follows from the run; a --seed or --design could be tried until it suits")
    run = read_run(folder)
    if run.picked:
        say(f"this run judged only a part of its cases ({run.picked}): labels of it leave open whether its judge may gate")
    rubrics = rubrics_of_run(folder)
    asked = sorted({one.rubric for one in run.asked} & rubrics.keys())
    names = asked if given["for_calibration"] == "all" else [name.strip() for name in given["for_calibration"].split(",") if name.strip()]
    if strange := [name for name in names if name not in rubrics]:
        raise UsageError(f"--for-calibration: {strange[0]!r} is none of {', '.join(rubrics)}")
    size = None if given["sample"] is None else whole_number(given, "sample", 1, 1_000_000)
    more = [whole_number({"more": part}, "more", 1, 1_000_000) for part in (given["more"] or "").split(",") if part or given["more"]]
    if len(more) not in (0, 1, len(names)):
        raise UsageError(f"--more {given['more']}: one number, or one for each of {', '.join(names)}")
    rules = contract_of_run(folder, given["contract"]).calibration
    accepting = {name: (accepting_of(name, rubrics) or ((), ()))[1] for name in names}
    own = f"labels-{names[0]}.jsonl" if len(names) == 1 else "labels-calibration.jsonl"
    bars = float(rules.specificity_bar), float(rules.sensitivity_bar)
    own, whose = str(Path(given["labels"]).resolve()) if given["labels"] else own, _rules(given)
    draws = open_draws(run, names, size, more * len(names) if len(more) == 1 else more, accepting, bars, own, whose.people)
    file = LabelFile(folder / draws[0].labels)
    tasks = rubric_tasks([line for draw in draws for line in item_lines(run, draw)], rubrics)
    file.register(tasks)
    whose = replace(whose, people=max(whose.people, *(draw.people for draw in draws)))  # at least as the draw was begun
    return LabelSession(tasks, file, CalibrationSink(folder, tasks, file, whose.people), rules=whose), None


def _items_session(path: Path, given: Mapping[str, Any]) -> "tuple[LabelSession, Any]":
    from judge.labelling.label_file import LabelFile
    from judge.labelling.session import LabelSession
    from judge.labelling.tasks import rubric_tasks
    from judge.results.reading import read_lines
    from rubrics.rubric import SHIPPED, shipped_rubric

    lines = list(read_lines(path))
    strange = ((n, name) for n, line in enumerate(lines, 1) if (name := line.get("rubric")) not in SHIPPED)
    problems = [Problem(path.name, n, "rubric", f"{name!r} is none of {', '.join(SHIPPED)}") for n, name in strange]
    problems += [Problem(path.name, n, "item_id", "is missing") for n, line in enumerate(lines, 1) if not line.get("item_id")]
    if problems:
        raise InputError(problems)
    rubrics = {name: shipped_rubric(name) for name in {str(line["rubric"]) for line in lines}}
    file = LabelFile(Path(given["labels"]) if given["labels"] else path.with_name(f"{path.stem}.labels.jsonl"))
    return LabelSession(rubric_tasks(lines, rubrics), file), None


def _gold_session(batch: Path, given: Mapping[str, Any]) -> "tuple[LabelSession, Any]":
    from judge.inputs.documents import ocr_of
    from judge.inputs.index import Sources, index_cases
    from judge.labelling.gold_sink import GoldSink, gold_tasks
    from judge.labelling.label_file import LabelFile
    from judge.labelling.session import LabelSession
    from judge.report.pdf_pages import PdfPages

    documents = Path(given["documents"] or "documents")
    index = index_cases(Sources(batch, None, documents))
    cases = [index.load(entry) for entry in index.entries]
    gold = Path(given["gold"] or "gold.jsonl")
    file = LabelFile(Path(given["labels"]) if given["labels"] else gold.with_name(f"{gold.stem}.answers.jsonl"))
    sink = GoldSink(gold, cases)
    sink.resume(file.labels())
    tasks = [task for case in cases for task in gold_tasks(case)]
    cache = document_cache(given["cache_dir"])
    return LabelSession(tasks, file, sink), PdfPages(documents, cache, ocr=ocr_of("auto", cache.parent))


def whole_number(given: Mapping[str, Any], name: str, least: int, most: int = 2**31) -> int:
    """A flag's whole number, `least` when it is not given. Raises UsageError."""
    value = number(given[name], f"--{name}", least, most)
    if value is not None and value % 1:
        raise UsageError(f"--{name}: {given[name]!r} is not a whole number")
    return least if value is None else int(value)
