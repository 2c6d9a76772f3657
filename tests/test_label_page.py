"""The label page: who may talk to the server, and ten items labelled by keyboard with the server killed midway."""

import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from browser import printed, seen_as
from loopback import answering
from result_folder_samples import DOCUMENT, FakePages, provenance, sample_lines, verdict, write_results
from selenium.webdriver import ActionChains, Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from test_report_html import AXE

from judge.labelling.label_file import LabelFile
from judge.labelling.server import LabelServer
from judge.labelling.session import LabelSession, Rules
from judge.labelling.tasks import item_task
from judge.results.reading import read_results
from tests.tables import table


@contextmanager
def serving(folder: Path, lines: list[dict[str, Any]] | None = None) -> Iterator[LabelServer]:
    items = read_results(write_results(folder, lines)).items
    server = LabelServer(LabelSession([item_task(i) for i in items], LabelFile(folder / "labels.jsonl")), FakePages())
    with answering(server):
        yield server


def ask(server: LabelServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    sent = {"X-Judge-Token": server.token, "Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    connection.request(method, path, None if body is None else json.dumps(body), sent)
    reply = connection.getresponse()
    data = reply.read()
    connection.close()
    is_json = reply.headers.get_content_type() == "application/json"
    return reply.status, json.loads(data) if is_json else data


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LabelServer]:
    with serving(tmp_path) as found:
        yield found


def test_the_browsers_command_line_holds_no_token(server: LabelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from judge.commands.people.label import serve

    def opened(url: str) -> None:
        page = Path(unquote(urlsplit(url).path))
        assert server.token not in url and server.url in page.read_text() and page.parent.stat().st_mode & 0o077 == 0
        pages.append(page)

    pages: list[Path] = []
    monkeypatch.setattr("webbrowser.open", opened)
    monkeypatch.setattr(server, "serve_forever", lambda: None)
    monkeypatch.setattr(server, "server_close", lambda: None)
    serve(server, opens_browser=True)
    assert pages and not pages[0].exists()


def test_half_requests_hold_no_more_than_some_threads(server: LabelServer) -> None:
    held = [socket.create_connection(("127.0.0.1", server.server_port)) for _ in range(150)]
    for one in held:
        one.sendall(b"GET / HT")
    time.sleep(0.5)
    assert threading.active_count() <= 70
    for one in held:
        one.close()


def test_a_second_host_and_an_absolute_target_are_strangers(server: LabelServer) -> None:
    own = f"127.0.0.1:{server.server_port}"
    for target, second in (("/api/state?annotator=Ann", "evil.example"), (f"http://{own}/api/state?annotator=Ann", own)):
        with socket.create_connection(server.server_address[:2], 10) as raw:
            raw.sendall(f"GET {target} HTTP/1.1\r\nHost: {own}\r\nHost: {second}\r\nX-Judge-Token: {server.token}\r\n\r\n".encode())
            assert b" 403 " in raw.recv(100)


def test_it_listens_on_loopback_only(server: LabelServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("headers", table("label_page", "strangers_are_refused"))
def test_strangers_are_refused(server: LabelServer, headers: dict[str, str]) -> None:
    for method, path, body in (
        ("GET", "/api/state?annotator=Ann", None),
        ("POST", "/api/label", {"annotator": "Ann", "task": 0, "choice": "fail"}),
    ):
        assert ask(server, method, path, body, **headers)[0] == 403
    assert ask(server, "GET", "/api/state?annotator=Ann")[1]["done"] == 0


def test_the_page_itself_needs_the_token(server: LabelServer) -> None:
    assert ask(server, "GET", "/", X_Judge_Token="")[0] == 403
    status, page = ask(server, "GET", f"/?token={server.token}", X_Judge_Token="")
    assert status == 200 and server.token.encode() not in page


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ({"annotator": "Ann", "task": 0, "choice": "nonsense"}, {}, 400),
        ({"annotator": "", "task": 0, "choice": "fail"}, {}, 400),
        ({"annotator": "Ann", "task": "x", "choice": "fail"}, {}, 400),
        ([1], {}, 400),
        ({"annotator": "Ann", "task": 0, "choice": "fail"}, {"Content_Type": "text/plain"}, 400),
        ({"note": "x" * 70_000}, {}, 413),
    ],
)
def test_bad_requests_change_nothing(server: LabelServer, body: Any, headers: dict[str, str], status: int) -> None:
    assert ask(server, "POST", "/api/label", body, **headers)[0] == status
    assert ask(server, "GET", "/api/state?annotator=Ann")[1]["done"] == 0


def test_only_the_tasks_own_documents_are_shown(server: LabelServer) -> None:
    def status(document: str, page: str = "1") -> int:
        return ask(server, "GET", f"/api/page?task=0&document={document}&page={page}")[0]

    assert status(DOCUMENT) == 200
    assert [status(d) for d in ("other.pdf", "..%2F..%2Fetc%2Fpasswd", "")] == [404, 404, 404]
    assert status(DOCUMENT, "x") == 404 and ask(server, "GET", f"/api/page?task=999&document={DOCUMENT}&page=1")[0] == 404


def test_two_people_are_asked_apart_and_their_agreement_shows(server: LabelServer) -> None:
    for name, choices in (("Ann", ("correct", "fail")), ("Ben", ("correct", "partial"))):
        for number, choice in enumerate(choices):
            state = ask(server, "POST", "/api/label", {"annotator": name, "task": number, "choice": choice})[1]
    (pair,) = state["agreement"]
    assert (pair["items"], pair["agreed"]) == (2, 1) and pair["kappa"] == pytest.approx(1 / 3)


# ---- in the browser ----------------------------------------------------------------------------------------------


def start(chrome: Chrome, url: str, name: str = "Ann") -> None:
    chrome.get(url)
    chrome.find_element(By.ID, "annotator").send_keys(name + "\n")
    WebDriverWait(chrome, 5).until(
        lambda d: not d.find_element(By.ID, "ask").get_attribute("hidden") or not d.find_element(By.ID, "done").get_attribute("hidden")
    )


def press(chrome: Chrome, key: str, count: str) -> None:
    ActionChains(chrome).send_keys(key).perform()
    WebDriverWait(chrome, 5).until(lambda d: count in d.find_element(By.ID, "count").text)


def test_the_page_shows_texts_and_the_highlighted_page_blind(chrome: Chrome, server: LabelServer) -> None:
    start(chrome, server.url)
    press(chrome, "2", "1 of 11")
    text = chrome.find_element(By.ID, "ask").text
    assert "2.50 per cent. per annum" in text and "2.75 %" in text and "is not 2.75" not in text
    WebDriverWait(chrome, 5).until(lambda d: d.find_elements(By.CSS_SELECTOR, "#sheet rect"))
    assert "Cited: page 2" in chrome.find_element(By.ID, "place").text
    chrome.execute_script(AXE)
    found = chrome.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations))")
    assert [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in found] == []


def test_keys_skip_note_and_undo(chrome: Chrome, server: LabelServer) -> None:
    start(chrome, server.url)
    press(chrome, "s", "1 skipped")
    ActionChains(chrome).send_keys("n").send_keys("because 1").perform()
    chrome.execute_script("document.activeElement.blur()")
    press(chrome, "4", "1 of 11")
    line = json.loads(server.session._file.path.read_text().splitlines()[0])
    assert line["labels"][0]["comment"] == "because 1" and line["labels"][0]["label"] == "fail"
    press(chrome, "u", "0 of 11")
    lines = server.session._file.path.read_text().splitlines()
    assert [json.loads(text)["labels"][0].get("withdrawn", False) for text in lines] == [False, True]


def test_words_that_were_looked_for_are_marked_in_their_item_alone(chrome: Chrome, server: LabelServer) -> None:
    start(chrome, server.url)
    chrome.find_element(By.ID, "find-text").send_keys("Margin\n")
    WebDriverWait(chrome, 5).until(lambda d: d.find_elements(By.CSS_SELECTOR, "#sheet rect.hit"))
    chrome.execute_script("document.activeElement.blur()")
    press(chrome, "1", "1 of 11")
    WebDriverWait(chrome, 5).until(lambda d: d.find_elements(By.CSS_SELECTOR, "#sheet rect"))
    assert not chrome.find_elements(By.CSS_SELECTOR, "#sheet rect.hit") and not chrome.find_element(By.ID, "find-count").text


def test_a_note_without_an_answer_stays_with_its_item(chrome: Chrome, server: LabelServer) -> None:
    start(chrome, server.url)
    ActionChains(chrome).send_keys("n").send_keys("look again").perform()
    chrome.execute_script("document.activeElement.blur()")
    press(chrome, "s", "1 skipped")
    assert chrome.find_element(By.ID, "note").get_attribute("value") == ""
    for n in range(1, 11):
        press(chrome, "1", f"{n} of 11")
    WebDriverWait(chrome, 5).until(lambda d: d.find_element(By.ID, "note").get_attribute("value") == "look again")


def test_the_name_is_kept_when_the_page_is_loaded_again_and_own_answers_are_opened(chrome: Chrome, server: LabelServer) -> None:
    start(chrome, server.url, "Ann Lee")
    press(chrome, "1", "1 of 11")
    chrome.refresh()
    WebDriverWait(chrome, 5).until(lambda d: "1 of 11" in d.find_element(By.ID, "count").text)
    assert chrome.find_element(By.ID, "annotator").get_attribute("value") == "Ann Lee"
    chrome.find_element(By.CSS_SELECTOR, "#given-box summary").click()
    chrome.find_element(By.CSS_SELECTOR, "#given button").click()
    WebDriverWait(chrome, 5).until(lambda d: "You answered this: Correct" in d.find_element(By.ID, "again").text)
    press(chrome, "4", "1 of 11")
    said = [json.loads(text)["labels"][0]["label"] for text in server.session._file.path.read_text().splitlines()]
    assert said == ["correct", None, "fail"]


def test_hostile_texts_execute_nothing(chrome: Chrome, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=window.hacked=1>"
    block = provenance("The Margin is 2.50 per cent. per annum.")
    lines = [verdict(evil, f"fields.{evil}", "fail", score=0.0, reported=evil, gold=evil, tranche=evil, provenance=block)]
    with serving(tmp_path, lines) as server:
        start(chrome, server.url, evil)
        assert evil in chrome.find_element(By.ID, "texts").text
        assert chrome.execute_script("return window.hacked") is None


def cli_server(folder: Path) -> tuple[subprocess.Popen[str], str]:
    command = [
        sys.executable,
        "-m",
        "judge.cli",
        "label",
        str(folder),
        "--no-browser",
        "--sample",
        "20",
        "--labels",
        str(folder / "l.jsonl"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().removeprefix("Label at ").strip()


def test_ten_items_by_keyboard_with_the_server_killed_midway(chrome: Chrome, tmp_path: Path) -> None:
    from test_label_settling import RUN

    write_results(tmp_path, [*sample_lines(), *(verdict(f"more-{n}") for n in range(4))], run=RUN)
    process, url = cli_server(tmp_path)
    try:
        start(chrome, url)
        for n in range(5):
            press(chrome, "1234"[n % 4], f"{n + 1} of ")
    finally:
        process.kill()
        process.wait()
    ActionChains(chrome).send_keys("1").perform()
    WebDriverWait(chrome, 5).until(lambda d: "does not answer" in d.find_element(By.ID, "error").text)
    process, url = cli_server(tmp_path)
    try:
        assert parse_qs(urlsplit(url).query)["token"]
        start(chrome, url)
        assert "5 of " in chrome.find_element(By.ID, "count").text
        for n in range(5, 10):
            press(chrome, "1234"[n % 4], f"{n + 1} of ")
    finally:
        process.terminate()
        process.wait()
    assert process.returncode == 0  # ended in order, as by Ctrl-C
    labels = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert len(labels) == 10 and len({line["item_id"] for line in labels}) == 10
    assert {line["labels"][0]["annotator"] for line in labels} == {"Ann"}
    assert {line["sampled"] for line in labels} == {"hand_picked", "stratified"}
    settled = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines() if '"human"' in line]
    assert {line["item"] for line in settled} == {"fields.facility_agent", "fields.governing_law"}


def violations(driver: Chrome) -> list[Any]:
    """What axe has against the page."""
    driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE})
    found = driver.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations))")
    return [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in found]


@contextmanager
def making_gold(folder: Path) -> Iterator[LabelServer]:
    from test_make_gold import COVENANTS, case_of

    from judge.labelling.gold_sink import GoldSink, gold_tasks

    case = case_of("covenant_monitoring", json.loads(json.dumps(COVENANTS).replace("a.pdf", DOCUMENT)))
    session = LabelSession(gold_tasks(case), LabelFile(folder / "answers.jsonl"), GoldSink(folder / "gold.jsonl", [case]))
    server = LabelServer(session, FakePages())
    with answering(server):
        yield server


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_has_no_barrier_before_a_name_at_an_item_and_at_the_end(
    chrome: Chrome, server: LabelServer, width: int, scheme: str
) -> None:
    with seen_as(chrome, width, scheme):
        chrome.get(server.url)
        chrome.execute_script("localStorage.clear()")
        chrome.get(server.url)
        assert chrome.switch_to.active_element.get_attribute("id") == "annotator"  # a name is the first thing asked for
        assert_no_barrier(chrome, width)
        start(chrome, server.url)
        WebDriverWait(chrome, 5).until(lambda d: d.find_elements(By.CSS_SELECTOR, "#sheet img"))
        assert_no_barrier(chrome, width)
        for n in range(1, int(chrome.find_element(By.ID, "progress").get_attribute("max") or 0) + 1):
            press(chrome, "1", f"{n} of ")
        WebDriverWait(chrome, 5).until(lambda d: d.find_element(By.ID, "done").is_displayed())
        assert_no_barrier(chrome, width)


def assert_no_barrier(chrome: Chrome, width: int) -> None:
    assert violations(chrome) == []
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= width


def test_an_item_and_a_form_can_be_printed(chrome: Chrome, server: LabelServer, tmp_path: Path) -> None:
    start(chrome, server.url)
    text = " ".join(" ".join(printed(chrome)).split())
    assert "Loan onboarding: how does the standard label" in text and "leaves the item open" in text and "Your name" not in text
    with making_gold(tmp_path) as gold:
        start(chrome, gold.url)
        ActionChains(chrome).send_keys("2").perform()
        WebDriverWait(chrome, 5).until(lambda d: d.find_element(By.ID, "form").is_displayed())
        assert "Threshold, as the document says it" in " ".join(printed(chrome))


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_gold_is_corrected_in_a_form_by_keyboard_and_nobody_types_a_brace(chrome: Chrome, tmp_path: Path, width: int, scheme: str) -> None:
    with seen_as(chrome, width, scheme), making_gold(tmp_path) as server:
        start(chrome, server.url)
        assert "{" not in chrome.find_element(By.ID, "texts").text
        ActionChains(chrome).send_keys("2").perform()
        WebDriverWait(chrome, 5).until(lambda d: d.find_element(By.ID, "form").is_displayed())
        assert_no_barrier(chrome, width)
        page = chrome.find_element(By.XPATH, "//div[@id='lines']/div/div/label[starts-with(., 'Page (needed)')]/following-sibling::input")
        assert page.get_attribute("value") == "2"
        chrome.find_element(By.ID, "after").click()  # the open form goes along
        assert page.get_attribute("value") == "3"
        chrome.find_element(By.XPATH, "//button[starts-with(., 'Add: Flags')]").click()
        kind = chrome.find_element(By.XPATH, "//label[starts-with(., 'Flag')]/following-sibling::select")
        kind.send_keys("Cross default")
        amount = chrome.find_element(By.XPATH, "//fieldset//div[not(@hidden)]/label[starts-with(., 'Threshold')]/following-sibling::input")
        amount.send_keys("{bad")
        ActionChains(chrome).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        WebDriverWait(chrome, 5).until(lambda d: "is not an amount" in d.find_element(By.ID, "error").text)
        amount.clear()
        amount.send_keys("GBP 7,500,000")
        ActionChains(chrome).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        WebDriverWait(chrome, 5).until(lambda d: "1 of " in d.find_element(By.ID, "count").text)
    given = json.loads(json.loads((tmp_path / "answers.jsonl").read_text())["metadata"]["text"])
    assert given["page"] == "3" and given["flags"][0]["threshold"] == "GBP 7,500,000" and given["name"] == "Leverage Ratio"


def test_an_adjudicator_sees_both_answers_with_their_notes(chrome: Chrome, tmp_path: Path) -> None:
    items = read_results(write_results(tmp_path)).items
    tasks, file = [item_task(i) for i in items], LabelFile(tmp_path / "labels.jsonl")
    for name, choice in (("Ann", "correct"), ("Ben", "fail")):
        LabelSession(tasks, file).label(name, 1, choice, note=f"because {name}")
    with answering(LabelServer(LabelSession(tasks, file, rules=Rules(is_adjudication=True)), FakePages())) as server:
        start(chrome, server.url, "Cem")
        text = chrome.find_element(By.ID, "others").text
        assert "Ann: Correct. because Ann" in text and "Ben: Fail. because Ben" in text and violations(chrome) == []
        ActionChains(chrome).send_keys("4").perform()
        WebDriverWait(chrome, 5).until(lambda d: "needs a reason" in d.find_element(By.ID, "error").text)
        ActionChains(chrome).send_keys("n").send_keys("2.50 is not 2.75").perform()
        chrome.execute_script("document.activeElement.blur()")
        ActionChains(chrome).send_keys("4").perform()
        WebDriverWait(chrome, 5).until(lambda d: not d.find_element(By.ID, "done").get_attribute("hidden"))
