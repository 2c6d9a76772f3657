"""From a run through people's labels to a record that a later run accepts, with nothing edited by hand; and what breaks the chain.

The judge is a stub and the annotators are scripted: they stand in for people and say what the answers were built to deserve.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs, Line, break_off, many, read_lines, write_lines
from test_certification import Endpoint

import rubrics
from calibration.label_files.labels import seal_of
from judge.cli import execute
from judge.commands.people.label import command as label_command
from judge.commands.people.label import open_session
from judge.labelling.session import LabelSession
from judge.report.files import write_reports
from rubrics.contract import load_contract
from tests.tables import entries, table

CASES, AGREEMENTS = 192, 96
RUBRICS = ("answer_correctness", "answer_scope", "quote_support")
MARKS = entries("calibration_chain", "marks")
SLIP = "the wording is old"


VERDICTS = entries("calibration_chain", "verdicts", tuples=True)


class QuestionJudge(Endpoint):
    """Knows a wrong answer by its mark, and one that goes beyond the document by another; wrong about answers that hold `blind`."""

    blind = "no such words"

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        found, text = super().completion(body), json.dumps(body["messages"][-1])
        rubric = next(name for name, words in VERDICTS.items() if f'"{words[1]}"' in json.dumps(body).replace("\\", ""))
        marks, verdicts = MARKS[rubric], VERDICTS[rubric]
        verdict = verdicts[(marks in text) != (self.blind in text)]
        choice = found["choices"][0]
        choice["message"]["content"] = json.dumps({"evidence": "e", "reasoning": "r", "verdict": verdict})
        del choice["logprobs"]
        return found

    @property
    def flags(self) -> list[str]:
        return super().flags[:-1]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[QuestionJudge]:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-test")
    monkeypatch.chdir(tmp_path)
    found = QuestionJudge()
    yield found
    found.server.shutdown()
    found.server.server_close()


def vary(n: int, line: Line) -> None:
    """Half of the answers are wrong, an eighth goes beyond the document, a quarter is not what the quote says.
    Three in eight hold the words that a blind judge slips on."""
    wrong, beyond, elsewhere = MARKS.values()
    plain = "roughly one working week"
    ends = (wrong, wrong, plain, f"{plain} {beyond}", wrong, wrong, f"{plain} {elsewhere}", f"{plain} {elsewhere}")
    line["input"]["question"] = f"Within how many Business Days may failure {n} be remedied?"
    kind = n + n // AGREEMENTS  # an agreement's two questions are of two kinds
    line["output"]["answer"] = f"For failure {n} it is {ends[kind % 8]}{'; ' + SLIP if kind % 16 < 6 else ''}."


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the documents' texts are kept: read once for all tests here."""
    return tmp_path_factory.mktemp("texts")


def made_in(folder: Path, texts: Path) -> Inputs:
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "documents").symlink_to(texts)
    return many(Inputs(folder), CASES, vary, AGREEMENTS)


@pytest.fixture
def inputs(tmp_path: Path, texts: Path) -> Inputs:
    return made_in(tmp_path / "in", texts)


def right_verdict(rubric: str, inputs: Mapping[str, str]) -> str:
    return VERDICTS[rubric][any(MARKS[rubric] in text for text in inputs.values())]


Say = Callable[[LabelSession, int], str | None]  # the scripted annotator's choice; None skips


def honest(session: LabelSession, number: int) -> str | None:
    task = session.task(number)
    return right_verdict(task.rubric, task.inputs)


def label(folder: Path, rubric: str, sample: int | None = 1000, say: Say = honest, *more: str) -> Path:
    """What `judge label` does, with a scripted annotator at the page."""
    flags = ("--for-calibration", rubric, *(() if sample is None else ("--sample", str(sample))), *more)
    given = label_command.make_context("label", [str(folder), *flags]).params
    with open_session(given.pop("source"), given) as (session, _):
        for number in range(session.state("Ann").total):
            if (choice := say(session, number)) is not None:
                session.label("Ann", number, choice)
    return folder / f"labels-{rubric}.jsonl"


def calibrate(labels: Path, out: Path, *more: str) -> int:
    return execute(["calibrate", str(labels), "--out", str(out), *more])


def test_the_chain_ends_with_a_trusted_judge(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert inputs.run(*endpoint.flags, "--display", "plain") == 1, "half of the answers are wrong, so a gate fails"
    said, limit = capfd.readouterr().out, "the judge is not held against people's labels"
    assert f"next: judge label {inputs.out} --for-calibration all" in said and limit in said
    write_reports(inputs.out, load_contract())
    assert limit in (inputs.out / "summary.md").read_text("utf-8").split("Limits: ")[1].split("\n")[0]
    records = []
    for rubric in RUBRICS:
        labels = label(inputs.out, rubric)
        assert calibrate(labels, tmp_path / rubric) == 0
        records.append(str(tmp_path / rubric / "record.json"))
    again = ("--fresh", *endpoint.flags)
    assert inputs.run(*again, "--require-calibrated", ",".join(records)) == 1
    assert not any("uncertified" in line for line in inputs.verdicts())
    assert set(inputs.summary()["rates"]) == set(RUBRICS)
    assert execute(["calibrate", "--merge", *records, "--out", str(tmp_path / "both")]) == 0
    assert inputs.run(*again, "--require-calibrated", str(tmp_path / "both" / "record.json")) == 1
    assert not any("uncertified" in line for line in inputs.verdicts())
    capfd.readouterr()
    assert inputs.run(*again, "--require-calibrated", records[0]) == 1
    assert "the record holds nothing of the rubric 'answer_scope'" in capfd.readouterr().err
    assert any("uncertified" in line for line in inputs.verdicts()), "one record covers one rubric"


def test_label_lines_bind_every_drawn_question_to_its_run(endpoint: QuestionJudge, inputs: Inputs) -> None:
    inputs.run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0], 30, lambda session, number: honest(session, number) if number < 10 else None)
    lines = read_lines(labels)
    assert len({line["item_id"] for line in lines}) == 30 and sum(bool(line["labels"]) for line in lines) == 10
    first = lines[0]
    assert first["inputs"].keys() == {"question", "answer", "gold", "passages"} and first["judge"]["verdict"] in ("correct", "incorrect")
    assert len(first["metadata"]["fingerprint"]) == 32 and first["cluster_id"].startswith("case q-")
    (step,) = read_lines(inputs.out / "draws.jsonl")
    assert step["drawn"] == {"correct": 15, "incorrect": 15} and step["pool"] == {"correct": 96, "incorrect": 96} and step["seed"] == 0
    assert [line["item_id"] for line in lines[:30]] == step["items"] and step["made"] and step["labels"] == labels.name


def test_the_page_shows_the_question_blind(endpoint: QuestionJudge, inputs: Inputs) -> None:
    inputs.run(*endpoint.flags)
    given = label_command.make_context("label", [str(inputs.out), "--for-calibration", RUBRICS[0], "--sample", "5"]).params
    with open_session(given.pop("source"), given) as (session, _):
        task = session.task(0)
    assert "Is the answer right against the reference answer" in task.question
    assert [title for title, _ in task.texts] == ["Question put to the system", "Answer", "Reference answer", "Cited passages"]
    assert [choice.value for choice in task.choices] == ["correct", "incorrect", "non_answer", "cannot_determine"]
    assert not any("judge-2026" in text for _, text in task.texts)


def resealed(line: Line) -> Line:
    """The line with the seal of what its label is now, so that it can be bent further."""
    if "seal" not in (metadata := line.get("metadata") or {}) or not line["labels"]:
        return line
    return {**line, "metadata": {**metadata, "seal": seal_of(line["item_id"], line["rubric"], line["labels"][0])}}


def is_slip(line: Line) -> bool:
    return SLIP in line["inputs"]["answer"]


def flipped(line: Line) -> Line:
    other = {"correct": "incorrect", "incorrect": "correct"}
    return {**line, "judge": {**line["judge"], "verdict": other[line["judge"]["verdict"]]}} if is_slip(line) else line


def fewer(line: Line) -> Line:
    """The step of a draw as it would have been for 20 questions."""
    from judge.calibrate.draws import drawn_questions
    from judge.calibrate.questions import read_run

    counts = {"correct": 10, "incorrect": 10}
    return {**line, "drawn": counts, "items": [one.item_id for one in drawn_questions(read_run(Path("run")), line["rubric"], counts)]}


def as_judged(line: Line, **more: str) -> Line:
    """The line with the judge's verdict as what its people say."""
    return {**line, "labels": [{**entry, "label": line["judge"]["verdict"], **more} for entry in line["labels"]]}


def by(name: str, line: Line, label: Line) -> Line:
    return {**label, "annotator": name, "label": line["judge"]["verdict"]}


def settled_as_judged(line: Line) -> list[Line]:
    """The line with Ben's label, and Cem's where Ben and Ann differ; both are the judge's verdict."""
    given = line.get("labels") or []
    ben = [{**line, "labels": [by("Ben", line, one)]} for one in given]
    cem = [{**line, "labels": [by("Cem", line, one) | {"role": "adjudicator"}]} for one in given if is_slip(line)]
    return [line, *ben, *cem]


def filled_in(line: Line, **given: Any) -> list[Line]:
    """The lines of a slip that Ann left open as `given` says, and on which Ben says what the judge says."""
    if not (line["labels"] and is_slip(line)):
        return [line]
    return [{**line, "labels": [one]} for one in ({**line["labels"][0], **given}, by("Ben", line, line["labels"][0]))]


# What becomes of a line of a file; a cheat of the table names one
CHANGES: dict[str, Callable[[Line], Line | list[Line] | None]] = {
    "as it is": lambda line: line,
    "verdict turned": flipped,
    "verdict turned of one rubric": lambda line: flipped(line) if line["rubric"] == RUBRICS[0] else line,
    "gone": lambda line: None if is_slip(line) else line,
    "gone where labelled": lambda line: None if is_slip(line) and line["labels"] else line,
    "gone, others without draw": lambda line: None if is_slip(line) else {**line, "metadata": {}},
    "weighs nothing": lambda line: {**line, "weight": 1e-9 if is_slip(line) else 1},
    "an easy one beside": lambda line: [line, {**line, "item_id": f"x{line['item_id']}", "inputs": {"a": line["item_id"]}}],
    "another fingerprint": lambda line: {**line, "metadata": {**line["metadata"], "fingerprint": "ab" * 16}},
    "the first hundred": lambda line: {**line, "items": line["items"][:100]},
    "made in 2024": lambda line: {**line, "made": "2024-01-01T00:00:00+00:00"},
    "labelled in 2999": lambda line: {**line, "labels": [{**one, "at": "2999-01-01"} for one in line.get("labels") or ()]},
    "settled as judged": settled_as_judged,
    "as judged": as_judged,
    "slips as judged": lambda line: as_judged(line) if is_slip(line) else line,
    "slips as judged by Bea": lambda line: as_judged(line, annotator="Bea Ott") if is_slip(line) else line,
    "all as judged by Bea": lambda line: as_judged(line, annotator="Bea Ott"),
    "slips skipped": lambda line: filled_in(line, label=None, withdrawn=True),
    "slips undecided": lambda line: filled_in(line, label="cannot_determine"),
    "labelled by what was asked": lambda line: as_judged(line, annotator="Judge"),
    "labelled by what was judged": lambda line: as_judged(line, annotator="acme extract v3"),
    "slips constructed": lambda line: {**line, "label_source": "constructed"} if is_slip(line) else line,
    "labelled by a machine": lambda line: {**line, "labels": [by("Judge LLM", line, one) for one in line.get("labels") or ()]},
    "labelled in 2020": lambda line: as_judged(line, at="2020-01-01T00:00:00+00:00"),
    "labelled at no time": lambda line: as_judged(line, at=""),
    "another id": lambda line: {**line, "item_id": f"0{line['item_id'][1:]}"},
    "fewer drawn": fewer,
    "a second step": lambda line: {**line, "step": 2},
    "of another judge": lambda line: {**line, "fingerprint": "ab" * 16},
    "sure": lambda line: {**line, "judge": {**line["judge"], "confidence": 0.99}},
}


def change(labels: Path, file: str, name: str, is_resealed: bool) -> None:
    """Bends a file of a labelled run. file: beside the labels, "" for the labels; is_resealed: as if the page had taken the labels."""
    path = labels.with_name(file) if file else labels
    made = map(CHANGES[name], read_lines(path))
    lines = [line for one in made for line in (one if isinstance(one, list) else [one]) if line is not None]
    write_lines(path, [resealed(line) if is_resealed else line for line in lines])


# A judge that is wrong about three in eight answers, and how that is hidden
TRICKS: dict[str, list[Any]] = {title: how for title, *how in table("calibration_chain", "tricks")}


def often_wrong(folder: Path, texts: Path) -> Path:
    """A labelled run of a judge that is often wrong."""
    endpoint = QuestionJudge()
    endpoint.blind = SLIP
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key-of-the-test")
        made = made_in(folder / "in", texts)
        made.run(*endpoint.flags, "--system", "Acme Extract 2")
        label(made.out, RUBRICS[0])
    endpoint.server.shutdown()
    endpoint.server.server_close()
    return made.out


@pytest.fixture(scope="module")
def blind_run(tmp_path_factory: pytest.TempPathFactory, texts: Path) -> Path:
    return often_wrong(tmp_path_factory.mktemp("blind"), texts)


@pytest.mark.parametrize("trick", TRICKS)
def test_a_judge_that_is_often_wrong_is_not_certified(
    trick: str, blind_run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = Path(shutil.copytree(blind_run, tmp_path / "run")) / f"labels-{RUBRICS[0]}.jsonl"
    monkeypatch.chdir(tmp_path)
    file, name, is_resealed, code, said = TRICKS[trick]
    change(labels, file, name, is_resealed)
    assert calibrate(labels, tmp_path / "out") == code
    shown = capfd.readouterr()
    assert said in shown.out + shown.err


def test_a_run_without_the_cases_that_an_earlier_one_asked_says_so(
    blind_run: Path, inputs: Inputs, endpoint: QuestionJudge, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(blind_run, inputs.folder / "full")
    endpoint.blind = SLIP
    hard = {line["case_id"] for line in inputs.batch if SLIP in line["output"]["answer"]}
    inputs.batch, inputs.gold = ([line for line in lines if line["case_id"] not in hard] for lines in (inputs.batch, inputs.gold))
    inputs.write().run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0])
    assert calibrate(labels, tmp_path / "a") == 4
    assert "the run full before it asked 72 further questions, of 72 cases that this one leaves out" in capfd.readouterr().out
    shutil.rmtree(inputs.folder / "full")
    assert calibrate(labels, tmp_path / "b") == 0, "where nothing shows it, it is not visible"


def test_what_another_person_said_of_the_same_question_in_a_run_beside_counts(
    blind_run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(blind_run, tmp_path / "first")
    labels = Path(shutil.copytree(blind_run, tmp_path / "again")) / f"labels-{RUBRICS[0]}.jsonl"
    change(labels, "", "all as judged by Bea", True)
    assert calibrate(labels, tmp_path / "out" / "a") == 4
    assert "72 without a majority" in capfd.readouterr().out
    shutil.rmtree(tmp_path / "first")
    assert calibrate(labels, tmp_path / "out" / "b") == 0, "nothing of this folder shows it"


def test_a_label_file_elsewhere_is_held_against_the_run_that_is_named(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    inputs.run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0]).rename(tmp_path / "labels.jsonl")
    assert calibrate(labels, tmp_path / "a") == 0
    own = json.loads((tmp_path / "a" / "record.json").read_text("utf-8"))["rubrics"][0]["fingerprint"]
    assert own["model"].startswith("recorded verdicts of"), "no run is named, so no run is covered"
    assert json.loads((tmp_path / "a" / "record.json").read_text("utf-8"))["trusted"] is False
    assert calibrate(labels, tmp_path / "b", "--fingerprint", str(inputs.out / "run.json")) == 0
    bound = json.loads((tmp_path / "b" / "record.json").read_text("utf-8"))["rubrics"][0]["fingerprint"]
    assert bound["model"] == "judge-2026-01"
    assert json.loads((tmp_path / "b" / "record.json").read_text("utf-8"))["trusted"] is True
    lonely = tmp_path / "run.json"
    lonely.write_bytes((inputs.out / "run.json").read_bytes())
    assert calibrate(labels, tmp_path / "c", "--fingerprint", str(lonely)) == 2


def test_a_selection_that_leaves_nothing_out_is_none(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    inputs.run("--partial", "--limit", str(CASES), "--case", "q-*", *endpoint.flags)
    assert calibrate(label(inputs.out, RUBRICS[0], 90), tmp_path / "out") == 0


def test_a_run_has_one_draw_of_a_rubric(endpoint: QuestionJudge, inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 20)
    assert label(inputs.out, RUBRICS[0], 20, lambda session, number: None).exists(), "the same draw goes on"
    for flags, said in (
        (("--sample", "40"), "draw further ones with --more N"),
        (("--sample", "20", "--seed", "3"), "could be tried until it suits"),
        (("--design", "random"), "could be tried until it suits"),
    ):
        assert execute(["label", str(inputs.out), "--no-browser", "--for-calibration", RUBRICS[0], *flags]) == 2
        assert said in capfd.readouterr().err
    assert execute(["label", str(inputs.out), "--no-browser", "--for-calibration", "semantic_match", "--sample", "5"]) == 2
    assert (
        "the judge was asked nothing of it in this run; there are: answer_correctness, answer_scope, quote_support"
        in capfd.readouterr().err
    )


def test_a_draw_grows_and_its_looks_are_paid_for(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0], 12)
    assert calibrate(inputs.out, tmp_path / "a") == 4
    said = capfd.readouterr().out
    assert "more labels of this draw can do" in said
    (command,) = (line for line in said.splitlines() if line.startswith("next: "))
    assert command.startswith(f"next: judge label {inputs.out} --for-calibration {RUBRICS[0]} --more ")
    first = [line["item_id"] for line in read_lines(labels)]
    grown = label(inputs.out, RUBRICS[0], None, honest, "--more", "90")
    assert grown == labels and {line["item_id"] for line in read_lines(grown)} > set(first)
    assert calibrate(inputs.out, tmp_path / "b") == 0
    assert f"next: judge run ... --require-calibrated {tmp_path / 'b' / 'record.json'}" in capfd.readouterr().out
    entry = json.loads((tmp_path / "b" / "record.json").read_text("utf-8"))["rubrics"][0]
    assert "steps of 12, 102 questions" in entry["draw"] and entry["covers"] and entry["uses"] == 1 and entry["annotators"] == ["Ann"]
    data = json.loads((tmp_path / "b" / "calibration.json").read_text("utf-8"))["rubrics"][0]
    assert data["trust"]["checks"][0]["rate"]["level"] > 0.975, "two looks share the chance of an error"


def test_a_draw_that_has_everything_grows_by_other_agreements_alone(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)

    def unsure(session: LabelSession, number: int) -> str | None:  # five of six as the judge: its interval holds the bar
        said = honest(session, number)
        return said if number % 6 else {"correct": "incorrect"}.get(str(said), "correct")

    label(inputs.out, RUBRICS[0], 1000, unsure)
    assert calibrate(inputs.out, tmp_path / "a") == 4
    assert "next: judge run a batch of more agreements: every question that this run has to draw" in capfd.readouterr().out


def test_several_rubrics_are_labelled_in_one_sitting(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    inputs.run(*endpoint.flags)
    given = label_command.make_context("label", [str(inputs.out), "--for-calibration", "all", "--sample", "90"]).params
    with open_session(given.pop("source"), given) as (session, _):
        for number in range(session.state("Ann").total):
            session.label("Ann", number, str(honest(session, number)))
        assert session.finish().endswith(f"next: judge calibrate {inputs.out} --out calibration")
    assert calibrate(inputs.out, tmp_path / "out") == 0
    record = json.loads((tmp_path / "out" / "record.json").read_text("utf-8"))
    assert record["trusted"] and [entry["rubric"] for entry in record["rubrics"]] == sorted(RUBRICS)


@pytest.mark.parametrize("files", [{}, {"copy": 39}, {"scan": 39}])
def test_questions_of_one_text_are_one_case(
    files: dict[str, int], endpoint: QuestionJudge, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also of documents without text, for nothing tells copies among them apart."""
    made = many(Inputs(tmp_path / "one"), 80, vary, **files)
    made.run("--ocr", "off", *endpoint.flags)
    assert calibrate(label(made.out, RUBRICS[0], 80), tmp_path / "out") == 4
    said = capfd.readouterr().out
    assert "come from one case" in said and "next: judge run a batch of more agreements" in said


def test_a_further_person_settles_what_two_people_differ_on(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 90)

    def sitting(name: str, say: Callable[[LabelSession, int], str], *flags: str) -> str:
        given = label_command.make_context("label", [str(inputs.out), "--for-calibration", RUBRICS[0], "--overlap", "2", *flags]).params
        with open_session(given.pop("source"), given) as (session, _):
            while (number := session.state(name).number) >= 0:
                session.label(name, number, say(session, number), note="read again")
            return session.finish()

    other = {"correct": "incorrect", "incorrect": "correct"}
    closing = sitting("Ben", lambda session, n: other[str(honest(session, n))] if n % 10 == 0 else str(honest(session, n)))
    assert "People differ on 9 questions" in closing and closing.endswith("--adjudicate")
    calibrate(inputs.out, tmp_path / "a")
    assert "--adjudicate" in capfd.readouterr().out
    sitting("Cem", lambda session, n: str(honest(session, n)), "--adjudicate")
    assert calibrate(inputs.out, tmp_path / "b") == 0
    record = json.loads((tmp_path / "b" / "record.json").read_text("utf-8"))["rubrics"][0]
    assert record["left_out"]["differed"] == 9 and "People differed" in (tmp_path / "b" / "calibration.html").read_text("utf-8")
    assert "people differed on 9 of 90 items, a further person settled 9 of them" in json.dumps(
        json.loads((tmp_path / "b" / "calibration.json").read_text("utf-8"))
    ).replace("People", "people")


def test_labels_of_fewer_people_than_the_draw_asks_for_do_not_count(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0], 90, honest, "--overlap", "2")
    assert calibrate(labels, tmp_path / "a") == 2
    assert "90 items have labels of fewer than the 2 people asked for" in capfd.readouterr().err
    given = label_command.make_context("label", [str(inputs.out), "--for-calibration", RUBRICS[0]]).params
    with open_session(given.pop("source"), given) as (session, _):
        assert session.state("Ben").total == 90 and "90 questions of 90 wait for a further person's answer" in session.finish()
    seconds = [resealed({**line, "labels": [by("Ben", line, line["labels"][0])]}) for line in read_lines(labels) if line["labels"]]
    write_lines(labels, [*read_lines(labels), *seconds])
    assert calibrate(labels, tmp_path / "b") == 0


def test_what_was_labelled_stands_as_the_page_left_it(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    labels = label(inputs.out, RUBRICS[0], 90)
    given = label_command.make_context("label", [str(inputs.out), "--for-calibration", RUBRICS[0]]).params
    with open_session(given.pop("source"), given) as (session, _):
        session.finish()
    assert calibrate(labels, tmp_path / "a") == 0 and execute(["verify", str(inputs.out)]) == 0
    uses, text = labels.with_name(f"{labels.name}.uses"), labels.read_text("utf-8")
    kept = uses.read_bytes()
    uses.unlink()
    assert calibrate(labels, tmp_path / "b") == 2
    assert f"{uses.name}: is gone since it was labelled" in capfd.readouterr().err
    uses.write_bytes(kept)
    change(labels, "", "slips as judged by Bea", True)
    assert calibrate(labels, tmp_path / "c") == 2, "hard labels overwritten, each with a new seal"
    assert f"{labels.name}: was changed since it was labelled" in capfd.readouterr().err
    labels.write_text(text, "utf-8")
    assert calibrate(labels, tmp_path / "d") == 0


def test_worked_examples_of_the_rubric_do_not_count(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    told = [line for line in read_lines(label(inputs.out, RUBRICS[0], 90)) if line.get("labels")][:40]
    text = (Path(rubrics.__file__).parent / f"{RUBRICS[0]}.toml").read_text("utf-8")
    for line in told:
        given = "\n".join(f"{name} = {json.dumps(part)}" for name, part in line["inputs"].items())
        answer = json.dumps(line["labels"][0]["label"])
        text += f'\n[[examples]]\nverdict = {answer}\nevidence = "e"\nreasoning = "r"\n[examples.given]\n{given}\n'
    (tmp_path / "answer_correctness.toml").write_text(text, "utf-8")
    shutil.rmtree(inputs.out)
    inputs.run("--rubrics", str(tmp_path / "answer_correctness.toml"), *endpoint.flags)
    assert calibrate(label(inputs.out, RUBRICS[0], 90), tmp_path / "a") == 4
    assert "40 of 90 drawn items decide nothing" in capfd.readouterr().out


def test_questions_survive_a_killed_run(endpoint: QuestionJudge, inputs: Inputs) -> None:
    from judge.calibrate.questions import read_run

    inputs.run(*endpoint.flags)
    whole = read_run(inputs.out).asked
    break_off(inputs.out)
    path = inputs.out / "questions.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    verdicts = inputs.out / "verdicts.jsonl"
    verdicts.write_text("".join(verdicts.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    inputs.run(*endpoint.flags)
    assert set(read_run(inputs.out).asked) == set(whole)


def test_labels_of_whole_items_beside_a_run_are_still_read(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    inputs.run(*endpoint.flags)
    lines = [
        {
            "item_id": str(n),
            "rubric": "outcome",
            "labels": [{"annotator": "Ann", "label": ("correct", "fail")[n % 2]}],
            "label_source": "human",
            "judge": {"verdict": ("correct", "fail")[n % 2]},
        }
        for n in range(100)
    ]
    assert calibrate(write_lines(inputs.out / "labels.jsonl", lines), tmp_path / "out") == 0
