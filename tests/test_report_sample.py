"""The shipped sample from batch to browser: a reader opens the item that fails the gate and reads the highlighted quote on its page."""

import base64
from pathlib import Path

import pymupdf
import pytest
from browser import browser
from engine_samples import DOCUMENT
from selenium.webdriver.common.by import By

from judge.api import evaluate
from judge.commands.preparing.init import write_initial_files
from judge.report.files import ReportOptions, write_reports
from rubrics.contract import load_contract

DEAL = Path(__file__).parents[1] / "judge" / "samples" / "deal"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_initial_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        sample, cache = folder / "sample", folder / "cache"
        evaluate(sample / "batch.jsonl", gold=sample / "gold.jsonl", documents=sample / "documents", out=folder / "out", cache_dir=cache)
    return write_reports(folder / "out", load_contract(), ReportOptions(cache_dir=cache / "documents"))[0]


def test_the_item_that_fails_the_gate_opens_to_its_highlighted_quote(report: Path) -> None:
    with browser() as chrome:
        chrome.get(report.as_uri())
        assert "margin" in chrome.find_element(By.CSS_SELECTOR, ".lead").text
        row = chrome.find_element(By.XPATH, "//ol[@id='item-list']/li[button[.//bdi[.='fields.margin']]]")
        row.find_element(By.CSS_SELECTOR, ".row").click()
        assert row.find_element(By.TAG_NAME, "mark").text == "The Margin is 2.35 per cent. per annum"
        assert row.find_element(By.TAG_NAME, "figcaption").text.startswith("Cited page, quote highlighted: page 2")
        image = row.find_element(By.CSS_SELECTOR, ".sheet img")
        assert chrome.execute_script("return arguments[0].complete && arguments[0].naturalWidth > 400", image)
        (rect,) = row.find_elements(By.CSS_SELECTOR, ".sheet rect")
        box = [float(rect.get_attribute(name) or 0) for name in ("x", "y", "width", "height")]
    assert words_inside(report.parents[1] / "sample" / "documents" / DOCUMENT, 2, box) == "The Margin is 2.35 per cent. per annum."


def test_a_hallucination_of_the_deal_shows_the_altered_word_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    documents, cache = DEAL / "documents", tmp_path / "cache"
    evaluate(DEAL / "batch.jsonl", gold=DEAL / "gold.jsonl", documents=documents, out=tmp_path / "out", case="lo-invented", cache_dir=cache)
    page = write_reports(tmp_path / "out", load_contract(), ReportOptions(cache_dir=cache / "documents"))[0]
    with browser() as chrome:
        chrome.get(page.as_uri())
        row = chrome.find_element(By.XPATH, "//ol[@id='item-list']/li[button[.//bdi[.='fields.borrower']]]")
        row.find_element(By.CSS_SELECTOR, ".row").click()
        assert (row.find_element(By.TAG_NAME, "del").text.strip(), row.find_element(By.TAG_NAME, "ins").text.strip()) == (
            "09260571",
            "09260517",
        )
        changed = row.find_element(By.CSS_SELECTOR, ".sheet rect.changed")
        box = [float(changed.get_attribute(name) or 0) for name in ("x", "y", "width", "height")]
    assert words_inside(documents / "tarnbrook-facilities-agreement.pdf", 3, box) == "09260517"


def words_inside(pdf: Path, page: int, box: list[float]) -> str:
    """What stands in the PDF under a rectangle of the report: the highlight is read, not believed."""
    x, y, width, height = box
    words = pymupdf.open(pdf)[page - 1].get_text("words")
    inside = [w for w in words if x - 1 <= (w[0] + w[2]) / 2 <= x + width + 1 and y - 1 <= (w[1] + w[3]) / 2 <= y + height + 1]
    return " ".join(w[4] for w in inside)


def test_images_are_inside_the_file(report: Path) -> None:
    text = report.read_text("utf-8")
    first = text.split('class="page" id="page-0">"')[1].split('"')[0]
    assert base64.b64decode(first).startswith(b"\x89PNG")
