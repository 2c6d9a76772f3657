"""Comparison, history and sign-off: one offline file each, readable in every form, with what a reader must find."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from browser import printed, seen_as
from click.testing import CliRunner
from result_folder_samples import sample_lines, verdict, write_results
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from test_report_html import AXE

from deterministic.documents.documents import PageImage
from judge.commands.people.calibrate import command as calibrate_command
from judge.commands.results.compare import command as compare_command
from judge.commands.results.history import command as history_command
from judge.commands.results.report import command as report_command
from judge.errors import UsageError
from judge.report.page_cuts import View
from judge.report.pages import leaf_figure

EVIL = "</script><img src=x onerror=window.hacked=1>"


def invoke(command: Any, *arguments: str) -> Any:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False, catch_exceptions=False)


def run_file(day: int, **more: Any) -> dict[str, Any]:
    return {
        "started_at": f"2026-11-{day:02}T10:00:00+00:00",
        "run_id": f"202611{day:02}-100000-abc123",
        "git_commit": "c0ffee0123456789",
        "inputs": {"batch": "evals/batch.jsonl", "batch_sha256": "b" * 64, "gold": "gold.jsonl", "gold_sha256": "d" * 64},
        "settings": {"system": "Extractor 3.2"},
        **more,
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    lines = sample_lines()
    right = {"outcome": "correct", "score": 1.0, "bounds": [1.0, 1.0]}
    before = [line | right if line["item"] == "fields.margin" else line for line in lines]
    before[3] = {**before[3], "reported": EVIL, "reason": EVIL}
    after = [line | right if line["item"] == "fields.currency" else line for line in lines]
    after[3] = {**after[3], "outcome": "fail", "score": 0.0, "bounds": [0.0, 0.0]}
    person = {"decided_by": "human", "who": "Ann, Ben", "when": "2026-11-28T00:00:00+00:00", "why": "page 3"}
    excepted = {"exception": {"who": "M. Tan", "why": "agreed on 3 May", "expires": "2027-06-30"}}
    asked = {"capability": "document_qa", "question": "Which law?"}
    after.append(verdict("qa-2", "answer", outcome="undecided", score=None, bounds=[0.0, 1.0], **asked))
    after.append(verdict("qa-2", "answer", **asked, **person))
    after.append(verdict("c-9", outcome="fail", score=0.0, **excepted))
    write_results(folder / "a", before, run=run_file(1))
    write_results(folder / "b", after, run=run_file(2, judge={"model": "judge-2", "models": [{"model": "judge-2"}]}))
    for name in ("a", "b"):
        invoke(report_command, str(folder / name), "--sign-off", "--cache-dir", str(folder / "cache"))
    invoke(compare_command, str(folder / "a"), str(folder / "b"), "--html", str(folder / "compare.html"))
    invoke(history_command, str(folder), "--out", str(folder / "history.html"))
    invoke(calibrate_command, "judge/samples/labels.jsonl", "--out", str(folder / "calibration"))
    pages = {"compare": folder / "compare.html", "history": folder / "history.html", "sign-off": folder / "b" / "sign-off.html"}
    return {**pages, "calibration": folder / "calibration" / "calibration.html", "report": folder / "b" / "report.html"}


KINDS = ("compare", "history", "sign-off")


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_asks_nothing_of_the_network_and_runs_no_script(pages: dict[str, Path], chrome: Chrome, kind: str) -> None:
    text = pages[kind].read_text()
    assert "default-src 'none'" in text and "<script" not in text and "http://" not in text and "https://" not in text
    chrome.get(pages[kind].as_uri())
    assert chrome.execute_script("return window.hacked") is None
    assert not [entry for entry in chrome.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_a_page_has_no_barrier(pages: dict[str, Path], chrome: Chrome, kind: str, width: int, scheme: str) -> None:
    with seen_as(chrome, width, scheme):
        chrome.get(pages[kind].as_uri())
        chrome.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE})
        found = chrome.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations))")
        assert [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in found] == []
        assert chrome.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("kind", "boxes"), [("calibration", "Confusion matrix,Agreement"), ("report", "The judge against people,Gates table")]
)
def test_a_page_fits_a_telephone(pages: dict[str, Path], chrome: Chrome, kind: str, boxes: str) -> None:
    with seen_as(chrome, 390, "light"):
        chrome.get(pages[kind].as_uri())
        assert chrome.execute_script("return document.documentElement.scrollWidth") <= 390
        for box in boxes.split(","):
            width = "const box = document.querySelector(`[aria-label^='${arguments[0]}']`); return box.scrollWidth - box.clientWidth"
            assert chrome.execute_script(width, box) <= 0, box


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_prints_and_is_reached_by_keyboard(pages: dict[str, Path], chrome: Chrome, kind: str) -> None:
    chrome.get(pages[kind].as_uri())
    text = "".join(printed(chrome))
    wanted = {"compare": ["Lost", "2.50 per cent. is not 2.75 %."], "history": ["Trend", "judge"], "sign-off": ["Approved by", "M. Tan"]}
    assert all(word in text for word in wanted[kind])
    chrome.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert chrome.execute_script("return document.activeElement.matches('.scroll, a, .sheet')")


def test_the_comparison_shows_both_sides_and_links_to_both_reports(pages: dict[str, Path], chrome: Chrome) -> None:
    chrome.get(pages["compare"].as_uri())
    lost = chrome.find_element(By.XPATH, "//section[h2[starts-with(., 'Lost')]]").text
    assert "fields.margin" in lost and "Correct" in lost and "Fail" in lost and "2.50 per cent. is not 2.75 %." in lost
    assert "fields.currency" in chrome.find_element(By.XPATH, "//section[h2[starts-with(., 'Gained')]]").text
    assert (
        EVIL
        in chrome.find_element(By.XPATH, "//section[h2[starts-with(., 'Worse') or starts-with(., 'Better')]][contains(., 'onerror')]").text
    )
    assert "judge" in chrome.find_element(By.XPATH, "//section[h2[starts-with(., 'What else changed')]]").text
    links = [a.get_attribute("href") for a in chrome.find_elements(By.CSS_SELECTOR, ".change a")]
    assert any(link.endswith("a/report.html#item-1") for link in links) and any(link.endswith("b/report.html#item-1") for link in links)


def test_the_history_links_to_the_report_of_each_run(pages: dict[str, Path]) -> None:
    text = pages["history"].read_text()
    assert '<a href="a/report.html">a</a>' in text and '<a href="b/report.html">b</a>' in text


def test_page_images_are_no_landmarks_so_that_two_of_one_page_may_stand_on_a_page() -> None:
    leaf = PageImage(b"", 10, 10, 595.0, 842.0)
    assert 'role="group"' in leaf_figure(View("a.pdf", 5, "cited"), leaf)


def test_runs_that_share_no_case_have_no_p(tmp_path: Path) -> None:
    write_results(tmp_path / "a", [verdict("one")], run=run_file(1))
    write_results(tmp_path / "b", [verdict("two")], run=run_file(2))
    done = invoke(compare_command, str(tmp_path / "a"), str(tmp_path / "b"), "--html", str(tmp_path / "c.html"))
    assert "share no case" in done.output and "McNemar" not in done.output and "McNemar" not in (tmp_path / "c.html").read_text()


def test_the_history_marks_where_something_else_changed(tmp_path: Path) -> None:
    for day in range(1, 51):
        more = {"contract_hash": "abc" if day < 20 else "def", "judge": {"model": "one" if day < 30 else "two"}}
        lines = [verdict(f"c{n}", outcome="correct" if n < day else "fail", score=float(n < day)) for n in range(50)]
        write_results(
            tmp_path / "runs" / f"run-{day:02}",
            lines,
            run=run_file(day % 29 + 1, **more) | {"started_at": f"2026-01-01T00:{day:02}:00+00:00"},
        )
    invoke(history_command, str(tmp_path / "runs"), "--out", str(tmp_path / "h.html"))
    text = (tmp_path / "h.html").read_text()
    assert text.count('<strong class="badge r-inconclusive">contract: abc and def') == 1
    assert text.count('<strong class="badge r-inconclusive">judge: model differs') == 1
    assert text.count("<circle") >= 50 and text.index(">run-50<") < text.index(">run-01<")


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a result folder"):
        invoke(history_command, str(tmp_path), "--out", str(tmp_path / "h.html"))


def test_the_record_names_system_people_deviations_open_items_and_hashes(pages: dict[str, Path], chrome: Chrome) -> None:
    chrome.get(pages["sign-off"].as_uri())
    text = chrome.find_element(By.TAG_NAME, "main").text
    for word in ("Extractor 3.2", "batch.jsonl", "c0ffee012345", "1 item: Ann, Ben", "agreed on 3 May", "b" * 64, "Prepared by"):
        assert word in text, word
    sheets, run = printed(chrome), json.loads((pages["sign-off"].parent / "run.json").read_text())["run_id"]
    signed = next(sheet for sheet in sheets if "Prepared by" in sheet)  # one block: who signs, what, and its hash
    hashed = hashlib.sha256((pages["sign-off"].parent / "verdicts.jsonl").read_bytes()).hexdigest()
    assert signed.count("Date and signature") == 3 and hashed in "".join(signed[signed.index("Signatures") :].split())
    for n, sheet in enumerate(sheets, 1):
        assert f"page {n} of {len(sheets)}" in sheet and f"of run {run} with verdicts.jsonl {hashed[:16]}" in sheet
    opened = chrome.find_element(By.XPATH, "//section[h2[starts-with(., 'Open items')]]").text
    assert "fields.governing_law" in opened and "fields.facility_agent" in opened


def test_report_and_summary_say_what_was_judged_and_who_decided(pages: dict[str, Path]) -> None:
    folder = pages["sign-off"].parent
    for name in ("report.html", "summary.md"):
        text = (folder / name).read_text()
        assert "Extractor 3.2" in text and "1 item: Ann, Ben" in text and "judge-2" in text, name
    assert "Which law?" in (folder / "report.html").read_text()


def test_a_field_has_one_figure_in_gates_and_scores(tmp_path: Path) -> None:
    margins = [("c-1", "fail", 0.0, 1.0), ("c-2", "correct", 1.0, 0.0), ("c-3", "correct", 1.0, 1.0)]
    lines = [verdict(case, "fields.margin", outcome, score=score, weight=weight) for case, outcome, score, weight in margins]
    folder = write_results(tmp_path / "run", lines, run=run_file(1))
    summary = json.loads((folder / "summary.json").read_text())
    gate = {"name": "tier1_field_score", "scope": "margin", "threshold": 0.85, "result": "fail"}
    gate |= {"value": 0.84996, "bounds": [0.84996, 0.84996]}
    (folder / "summary.json").write_text(json.dumps(summary | {"gates": [*summary["gates"], gate]}))
    invoke(report_command, str(folder), "--cache-dir", str(tmp_path / "cache"))
    text = (folder / "report.html").read_text()
    row = text[text.index("<code>margin</code>") :]
    assert '<td class="num">0.849</td>' in row[: row.index("</tr>")] and "0.849" in (folder / "summary.md").read_text()
    assert "0.850" not in text[: text.index('id="data"')]
