"""Every input that once ended in a traceback, a wrong verdict, minutes or gigabytes, here; `benchmarks/attacks/fuzz.py` looks for more."""

import asyncio
import fcntl
import http.client
import json
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pymupdf
import pytest
from engine_samples import DOCUMENT, Inputs, many
from hypothesis import given
from hypothesis import strategies as st
from judge_stub import Server, opened, question
from loopback import answering

from calibration.label_files.identity import fold_label, fold_name
from calibration.label_files.labels import LabelFileError, read_json_lines
from deterministic.documents.documents import Document, open_document
from judge.calibrate.questions import read_run as read_questions
from judge.capabilities.provenance import Assessed, best_of_several
from judge.cli import execute
from judge.commands.preparing.init import sample_files
from judge.errors import EndpointError, JudgeError
from judge.labelling.label_file import Label, LabelFile
from judge.labelling.server import LabelServer
from judge.labelling.session import LabelSession
from judge.labelling.tasks import item_task
from judge.llm.batches import _json_lines
from judge.llm.cache import AnswerCache
from judge.llm.replies import Reply
from judge.records import NOT_REQUIRED, SEVERITY, Outcome, Part
from judge.results.folder import ResultFolder
from judge.results.reading import read_results
from judge.results.seal import seal
from judge.settings import resolve
from tests.tables import table


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return many(Inputs(tmp_path / "in"), 2)


def refused(call: Callable[[], Any], capsys: pytest.CaptureFixture[str] | None = None) -> str:
    """What is said of an input, in lines and never as an internal error."""
    code = call()
    told = capsys.readouterr().err if capsys else ""
    assert code == 2 and "internal error" not in told and "Traceback" not in told and told.startswith("judge: error: ")
    return told


# ---- batch, gold, settings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[%s]\n[%s]", "[%s] xyz", "[%s,]", "[%s", "[%s}", '[{"case_id": ' + "9" * 5000 + "}]", "[" * 5000])
def test_an_array_is_read_to_its_end(text: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    (inputs.folder / "batch.jsonl").write_text(text.replace("%s", json.dumps(inputs.batch[0])))
    told = refused(inputs.run, capsys)
    assert "batch.jsonl" in told and not inputs.out.exists()


def test_a_million_wrong_lines_are_not_all_kept(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f'{{"case_id": "{n}", "x": 1}}\n' for n in range(3000))
    for name in ("batch.jsonl", "gold.jsonl"):
        (inputs.folder / name).write_text(lines)
    assert len(refused(inputs.run, capsys).splitlines()) == 500


SETTINGS = {
    "judge.toml": ["seed = " + "9" * 5000, "extra_body = " + "[" * 3000 + "]" * 3000, 'out = "a\\u0000b"', 'panel = ["a\\u0000"]', "x ="],
    ".env": ["JUDGE_RPM=\0", "JUDGE_\0=1"],
    "pyproject.toml": ["tool = 3", "[tool]\njudge = 3", "[[tool]]\na = 1"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SETTINGS.items() for text in texts])
def test_settings_of_another_shape_are_refused(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(JudgeError, match=name.replace(".", r"\.")):
        resolve({}, tmp_path, {})


@pytest.mark.parametrize("url", ["http://[bad/v1", "http://x\r\ny/v1", "ftp://x", "http://", "http://x:99999999/v1"])
def test_a_base_url_that_is_none_is_refused(url: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    refused(lambda: inputs.run("--judge", "m", "--base-url", url), capsys)


def test_the_hash_of_a_folder_of_rubrics_reads_no_other_file(inputs: Inputs, tmp_path: Path) -> None:
    (tmp_path / "rubrics" / "deep").mkdir(parents=True)
    plain = inputs.run()
    assert inputs.run("--rubrics", str(tmp_path / "rubrics")) == plain
    (tmp_path / "rubrics" / "deep" / "any.bin").write_bytes(b"changed since")
    assert inputs.run("--rubrics", str(tmp_path / "rubrics")) == plain


# ---- documents -----------------------------------------------------------------------------------------------------


def test_a_cut_file_makes_no_right_output_a_hallucination(tmp_path: Path) -> None:
    whole, made_up = sample_files("first")[f"documents/{DOCUMENT}"], 0
    for part in range(1, 8):
        inputs = Inputs(tmp_path / str(part))
        (inputs.folder / "documents" / DOCUMENT).write_bytes(whole[: len(whole) * part // 8])
        assert inputs.run() in (0, 1, 4)
        made_up += sum(line["outcome"] == "hallucination" for line in inputs.verdicts())
    assert made_up == 0


def test_overlapping_text_is_read(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for n in range(400):
        page.insert_text((72 + n % 3, 100), f"shall pay {n}", fontsize=9)
    document.save(tmp_path / "x.pdf")
    assert open_document(tmp_path / "x.pdf").pages


# ---- judging -------------------------------------------------------------------------------------------------------


severities = sorted(Outcome, key=SEVERITY.__getitem__)
spans = st.tuples(st.sampled_from(severities), st.sampled_from(severities)).map(lambda pair: sorted(pair, key=SEVERITY.__getitem__))


@given(st.lists(spans, min_size=1, max_size=4))
def test_any_open_citations_have_a_best_one(found: list[list[Outcome]]) -> None:
    assessed = [Assessed(Part(worst, best, f"citation {n}", "5"), NOT_REQUIRED) for n, (best, worst) in enumerate(found)]
    part = best_of_several(assessed).part
    assert SEVERITY[part.best] <= SEVERITY[part.worst]


# ---- result folders ------------------------------------------------------------------------------------------------


def holding(**parts: Any) -> Callable[[Any], Any]:
    return lambda found: {**found, **parts}


EDITS: list[tuple[str, Callable[[Any], Any]]] = [
    *((name, holding(**parts)) for name, parts in table("past_faults", "edits")),
    ("run.json", lambda found: [found]),
    ("run.json", lambda found: {**found, "seal": {**found["seal"], "files": {"verdicts.jsonl": True}}}),
    ("run.json", lambda found: {**found, "seal": {**found["seal"], "files": {"verdicts.jsonl": {"bytes": 0.5, "sha256": ""}}}}),
    ("summary.json", lambda found: {**found, "gates": [{**gate, "threshold": 1e999} for gate in found["gates"]]}),
]


@pytest.mark.parametrize("command", ["gate", "compare", "report", "export"])
@pytest.mark.parametrize(("name", "edit"), EDITS)
def test_an_edited_result_folder_is_refused_in_lines(
    command: str, name: str, edit: Callable[[Any], Any], inputs: Inputs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs.run()
    path = inputs.out / name
    texts = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    path.write_text("".join(json.dumps(edit(json.loads(text))) + "\n" for text in texts))
    more = {"gate": ["--display", "none"], "compare": [str(inputs.out)], "report": [], "export": ["--to", str(tmp_path / "i.csv")]}
    code = execute([command, str(inputs.out), *more[command]])
    told = capsys.readouterr().err
    assert "internal error" not in told and code in (0, 1, 2, 4)


SPENDING = (
    '{"usage": 5}', '{"reserved": [], "rubric": "r", "usd": 1}', '{"settled": 1, "rubric": "r", "spent": {"usd": -9}}',
    '{"settled": 1, "rubric": "r", "spent": {"usd": "a"}}', "[" * 5000, "[]",
)  # fmt: skip


@pytest.mark.parametrize("text", SPENDING)
def test_an_edited_spending_file_lifts_no_budget(text: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    inputs.out.mkdir()
    (inputs.out / "spending.jsonl").write_text(text + "\n")
    refused(
        lambda: inputs.run("--judge", "m", "--base-url", "http://127.0.0.1:9/v1", "--budget", "1", "--prices", str(prices(inputs))), capsys
    )


def prices(inputs: Inputs) -> Path:
    (path := inputs.folder / "prices.toml").write_text('["m"]\ninput = 1.0\noutput = 1.0\n')
    return path


# ---- line ends that JSON holds as they are -------------------------------------------------------------------------

LINE_ENDS = "before\u2028between\u2029and\x85after"


def test_a_label_with_a_line_separator_is_read_again(inputs: Inputs) -> None:
    inputs.run()
    task = item_task(read_results(inputs.out).items[0])
    file = LabelFile(inputs.folder / "labels.jsonl")
    file.append_all([(task, Label(task.task_id, task.rubric, "Ann", "correct", LINE_ENDS, LINE_ENDS, "2026-01-01T00:00:00+00:00"))])
    assert [label.note for label in LabelFile(file.path).labels()] == [LINE_ENDS]


def test_a_question_with_a_line_separator_is_not_lost(inputs: Inputs) -> None:
    line = {"rubric": "r", "case_id": "c", "item_id": "i", "inputs": {"text": LINE_ENDS}, "judge": {"verdict": "x", "model": "m"}}
    inputs.out.mkdir()
    (inputs.out / "run.json").write_text(json.dumps({"judge": {"rubrics": {}}}))
    (inputs.out / "verdicts.jsonl").write_text("")
    (inputs.out / "questions.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", "utf-8")
    seal(inputs.out)
    assert [dict(one.inputs) for one in read_questions(inputs.out).asked] == [{"text": LINE_ENDS}]


def test_a_line_of_a_providers_batch_ends_at_a_line_feed_alone() -> None:
    async def parts() -> Any:
        data = b"".join(json.dumps({"n": n, "t": LINE_ENDS}, ensure_ascii=False).encode() + b"\n" for n in range(3)) + b"no json\n[1]"
        for start in range(0, len(data), 7):
            yield data[start : start + 7]

    async def read() -> list[Any]:
        return [line async for line in _json_lines(parts())]

    found = asyncio.run(read())
    assert [line["t"] for line in found[:3]] == [LINE_ENDS] * 3 and found[3:] == [[1]]


# ---- endpoint, caches, label server --------------------------------------------------------------------------------


def test_an_endpoints_error_code_is_foreign_text() -> None:
    body = {"error": {"message": "no", "code": "\ud800\x1b[2J" + "x" * 10**6, "param": None}}

    async def ask() -> Any:
        async with opened(Server(httpx2.Response(422, content=json.dumps(body).encode()))) as judge:
            return await judge.ask(question())

    with pytest.raises(EndpointError) as error:
        asyncio.run(ask())
    assert str(error.value).isprintable() and len(str(error.value)) < 1000


@pytest.mark.parametrize("row", [[1], "x", 5, None, {"verdict": ["supports"]}, '{"verdict": NaN}', "[" * 100_000])
def test_a_planted_cache_row_is_a_miss(row: Any, tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path, days=1, size_mb=1)
    for key in ("a", "b"):
        cache.put(key, Reply("supports", "Charge", "", "m", None), {"texts": "t"})
    with sqlite3.connect(tmp_path / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ? WHERE key = 'a'", (row if isinstance(row, str) else json.dumps(row),))
    assert cache.get("a", ("supports",)) is None and cache.get("b", ("supports",)) is not None
    cache.all_parts()
    cache.close()


@pytest.mark.parametrize("path", ["/api/state?annotator=Ann&task=²", "/api/page?task=²&page=1&document=x", "/api/state?task=" + "9" * 5000])
def test_a_label_request_with_a_strange_number_is_answered(path: str, inputs: Inputs) -> None:
    assert request(inputs, "GET", path.replace("²", "%C2%B2"), None) in (200, 400, 404)


@pytest.mark.parametrize("task", ["Infinity", "NaN", "1e999", '"²"', "[]", "9" * 5000, "[" * 5000 + "]" * 5000])
def test_a_label_with_a_strange_task_is_answered(task: str, inputs: Inputs) -> None:
    assert request(inputs, "POST", "/api/label", f'{{"annotator": "Ann", "choice": "correct", "task": {task}}}') == 400


def test_a_note_with_half_a_character_never_reaches_the_label_file(inputs: Inputs) -> None:
    body = '{"annotator": "Ann", "choice": "correct", "task": 0, "note": "\\ud800"}'
    assert request(inputs, "POST", "/api/label", body) == 400 and not (inputs.folder / "labels.jsonl").exists()


def request(inputs: Inputs, method: str, path: str, body: str | None) -> int:
    inputs.run()
    tasks = [item_task(item) for item in read_results(inputs.out).items]
    server = LabelServer(LabelSession(tasks, LabelFile(inputs.folder / "labels.jsonl")), None)
    with answering(server):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request(method, path, body, {"X-Judge-Token": server.token, "Content-Type": "application/json"})
        return connection.getresponse().status


def test_labels_that_are_none_are_refused(tmp_path: Path) -> None:
    for text in ("[" * 5000, '{"item_id": ' + "9" * 5000 + "}", '{"a": 1, "a": 2}', "\ud800"):
        (path := tmp_path / "l.jsonl").write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(LabelFileError):
            read_json_lines(path)
    assert fold_name("İlker") == fold_name("ilker") == fold_name("ılker") and fold_name("IRMAK") == fold_name("ırmak")
    assert fold_name("Ann 007 " + "9" * 5000) == "ann 7 " + "9" * 5000 and fold_label("9" * 5000) == "9" * 5000


LONG_RUNS = ["x" + " " * 20_000 + "y", "x" + "…" * 20_000 + "y", ("x" + "\xa0" * 300 + "y\n") * 60, "." * 20_000, " \t" * 10_000]


@pytest.mark.parametrize("text", LONG_RUNS)
def test_long_runs_of_one_character_cost_no_minutes(text: str) -> None:
    assert Document.from_pages("x.pdf", [text]).clauses is not None


@pytest.mark.parametrize("part", ["value", "citations"])
def test_a_list_longer_than_any_agreement_s_is_refused(part: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    field = {"status": "extracted", "value": ["a"] * 1001} if part == "value" else {"status": "extracted", "citations": [{}] * 1001}
    inputs.batch[0].update(capability="loan_onboarding", output={"fields": {"guarantors": field}})
    inputs.write()
    assert "at most 1000 items" in refused(inputs.run, capsys)


# ---- the command and its folder ------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_fault_and_lends_its_number_to_no_file(closed: str, inputs: Inputs) -> None:
    command = shlex.join([sys.executable, "-c", "from judge.cli import main; main()", *inputs.arguments()])
    done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True, text=True, timeout=120)
    assert done.returncode == 4 and "internal error" not in done.stderr + done.stdout
    assert all(json.loads(line)["case_id"] for line in (inputs.out / "verdicts.jsonl").read_text().splitlines())


@pytest.mark.parametrize(("words", "stream", "code"), table("past_faults", "a_full_stream_ends_with_a_code_of_ours"))
def test_a_full_stream_ends_with_a_code_of_ours(words: str, stream: str, code: int) -> None:
    command = shlex.join([sys.executable, "-c", "from judge.cli import main; main()", *words.split()])
    done = subprocess.run(f"{command} {stream} /dev/full", shell=True, capture_output=True, text=True, timeout=120)
    assert done.returncode == code and (stream == "2>" or done.stderr.startswith("judge: error: ")) and "Traceback" not in done.stderr


def test_the_root_of_the_disk_is_no_result_folder(inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    assert "root of the disk" in refused(lambda: inputs.run("--out", "/"), capsys)


@pytest.mark.parametrize("flag", ["--out", "--documents", "--gold", "--contract", "--cache-dir", "--exceptions"])
def test_a_link_to_itself_is_no_internal_error(flag: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    (loop := inputs.folder / "loop").symlink_to(loop)
    assert inputs.run(flag, str(loop)) == (4 if flag == "--cache-dir" else 2) and "internal error" not in capsys.readouterr().err
    assert execute(["import", "sheet.csv", str(loop)]) == 2


@pytest.mark.parametrize("weight", ["9" * 399, "1e300", "1e-99999999", "-1"])
def test_a_weight_that_no_score_can_hold_is_refused(weight: str, inputs: Inputs, capsys: pytest.CaptureFixture[str]) -> None:
    path = inputs.folder / "gold.jsonl"
    path.write_text(path.read_text().replace('"gold":', f'"weight": {weight}, "gold":', 1))
    assert "gold.jsonl:1" in refused(inputs.run, capsys)


def test_a_link_for_a_lock_cuts_no_file(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".lock").symlink_to(tmp_path / "mine.txt")
    with ResultFolder(tmp_path / "out"):
        pass
    assert (tmp_path / "mine.txt").read_text() == "kept" and not (tmp_path / "out" / ".lock").is_symlink()


def test_a_lock_that_was_taken_away_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening the file and locking it the run before may end: two runs would each hold a lock of their own."""
    real, taken = fcntl.flock, list[int]()

    def late(file: Any, how: int) -> None:
        if not taken:
            (tmp_path / ".lock").unlink()
        taken.append(how)
        real(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with ResultFolder(tmp_path):
        assert len(taken) == 2
        with pytest.raises(JudgeError, match="another run is writing here"), ResultFolder(tmp_path):
            pass
