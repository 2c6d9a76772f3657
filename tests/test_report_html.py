"""report.html in a real browser: what a reader sees, clicks and types; hostile values do nothing; the page is accessible."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import printed, seen_as
from result_folder_samples import OPEN_POINT, FakePages, provenance, sample_lines, verdict, write_results
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from judge.report.files import redacted
from judge.report.html import report_html
from judge.report.rendering import json_text
from judge.results.reading import read_results
from rubrics.contract import load_contract
from tests.tables import table

AXE = (Path(__file__).parent / "data" / "axe-core-4.14.1.min.js").read_text("utf-8")


def write_report(folder: Path, lines: list[dict[str, Any]] | None = None, **options: Any) -> Path:
    results, pages = read_results(write_results(folder, lines)), FakePages()
    if options.get("is_redacted"):
        results, pages = redacted(results), None
    path = folder / "report.html"
    path.write_text(report_html(results, load_contract(), pages, **options), "utf-8")
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"))


def load(chrome: Chrome, path: Path) -> None:
    chrome.get("about:blank")
    chrome.get(path.as_uri())
    assert chrome.execute_script("return document.documentElement.dataset.ready") == "true"


def rows(chrome: Chrome) -> list[str]:
    return [r.text for r in chrome.find_elements(By.CSS_SELECTOR, "#item-list > li > .row")]


def row_of(chrome: Chrome, item: str) -> Any:
    return chrome.find_element(By.XPATH, f"//ol[@id='item-list']/li[button[.//bdi[.='{item}']]]")


def test_the_verdict_comes_first_in_one_sentence(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    assert chrome.find_element(By.TAG_NAME, "h1").text == "Not ready for release"
    assert "gates fail" in chrome.find_element(By.CSS_SELECTOR, ".lead").text
    assert "Hallucination rate" in chrome.find_element(By.ID, "gates").text


def test_a_failing_item_opens_to_values_rule_and_the_highlighted_quote(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    row = row_of(chrome, "fields.commitment_fee")
    row.find_element(By.CSS_SELECTOR, ".row").click()
    text = row.text
    for told in ("0.45 %", "0.40 %", "standard 5.2 Quote not in document", "ALTERED_QUOTE"):
        assert told in text
    assert row.find_element(By.TAG_NAME, "del").text.strip() == "0.45"
    assert row.find_element(By.TAG_NAME, "ins").text.strip() == "0.40"
    image = row.find_element(By.CSS_SELECTOR, ".sheet img")
    assert chrome.execute_script("return arguments[0].complete && arguments[0].naturalWidth", image) == 200
    assert [r.get_attribute("class") for r in row.find_elements(By.CSS_SELECTOR, ".sheet rect")] == ["hit", "changed"]


def test_a_quote_that_stands_elsewhere_shows_both_pages(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    row = row_of(chrome, "fields.maturity_date")
    row.find_element(By.CSS_SELECTOR, ".row").click()
    captions = [c.text for c in row.find_elements(By.TAG_NAME, "figcaption")]
    assert captions[0].startswith("Cited page: page 1") and captions[1].startswith("Where it stands: page 3")
    assert row.find_element(By.TAG_NAME, "mark").text == "repay the Loan in full on 21 June 2029"


def test_the_judges_words_are_shown(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    row = row_of(chrome, "fields.currency")
    row.find_element(By.CSS_SELECTOR, ".row").click()
    assert "not equivalent" in row.text and "Another company." in row.text and "judge-1" in row.text


@pytest.mark.parametrize(("name", "value", "expected"), table("report_html", "filters"))
def test_filters(chrome: Chrome, report: Path, name: str, value: str, expected: int) -> None:
    load(chrome, report)
    Select(chrome.find_element(By.ID, f"f-{name}")).select_by_value(value)
    assert len(rows(chrome)) == expected
    assert f"{expected} of 11 items" in chrome.find_element(By.ID, "item-count").text
    chrome.find_element(By.ID, "f-clear").click()
    assert len(rows(chrome)) == 11


def test_a_heading_sorts_the_items_and_turns_the_order_round(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    as_given = rows(chrome)
    heading = chrome.find_element(By.XPATH, "//div[@id='item-head']/button[text()='Item']")
    heading.send_keys(Keys.ENTER)
    names = [bdi.text.split(" (")[0] for bdi in chrome.find_elements(By.CSS_SELECTOR, "#item-list .c-item bdi")]
    assert names == sorted(names, key=str.casefold) and heading.text == "Item ↑" and heading.get_attribute("aria-pressed") == "true"
    heading.send_keys(Keys.ENTER)
    assert [bdi.text.split(" (")[0] for bdi in chrome.find_elements(By.CSS_SELECTOR, "#item-list .c-item bdi")] != names
    heading.send_keys(Keys.ENTER)
    assert rows(chrome) == as_given and heading.text == "Item"


def test_items_with_one_cause_are_one_entry_to_follow_up(chrome: Chrome, tmp_path: Path) -> None:
    open_line: dict[str, Any] = {"score": None, "bounds": [0, 1], "why_open": "offline", "reason": "a judge must answer"}
    alike = [verdict(f"case-{n:02}", "fields.margin", "undecided", **open_line) for n in range(15)]
    load(chrome, write_report(tmp_path, alike))
    entries = [li.text for li in chrome.find_elements(By.CSS_SELECTOR, "#follow-up li") if "case-" in li.text]
    assert len(entries) == 1 and entries[0].count("fields.margin") == 12 and "and 3 more" in entries[0]


def test_keyboard_alone_is_enough(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    ActionChains(chrome).send_keys("/").send_keys("0.45").pause(0.3).perform()
    assert len(rows(chrome)) == 1
    row = row_of(chrome, "fields.commitment_fee")
    chrome.execute_script("arguments[0].focus()", row.find_element(By.CSS_SELECTOR, ".row"))
    ActionChains(chrome).send_keys(Keys.ENTER).perform()
    assert row.find_element(By.CSS_SELECTOR, ".detail").is_displayed()
    ActionChains(chrome).send_keys(Keys.ESCAPE).perform()
    assert not row.find_elements(By.CSS_SELECTOR, ".detail")


def test_a_case_shows_its_items_and_a_follow_up_opens_its_item(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    chrome.find_element(By.XPATH, "//ol[@id='case-list']//button[.//bdi[.='qa-001']]").click()
    assert len(rows(chrome)) == 1
    chrome.find_element(By.CSS_SELECTOR, "#follow-up .to-item").send_keys(Keys.ENTER)
    assert chrome.switch_to.active_element.get_attribute("aria-expanded") == "true"
    assert len(rows(chrome)) == 11


def test_follow_up_lists(chrome: Chrome, report: Path) -> None:
    load(chrome, report)
    text = chrome.find_element(By.ID, "follow-up").text
    assert "Altered quote" in text and "stands verbatim in its own quote" in text and OPEN_POINT in text and "?." not in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_accessible_and_no_wider_than_the_screen(chrome: Chrome, report: Path, width: int, scheme: str) -> None:
    with seen_as(chrome, width, scheme):
        load(chrome, report)
        for item in ("fields.commitment_fee", "fields.maturity_date", "fields.currency"):
            chrome.execute_script("arguments[0].click()", row_of(chrome, item).find_element(By.CSS_SELECTOR, ".row"))
        assert chrome.execute_script("return document.documentElement.scrollWidth") <= width
        name = "document.querySelector('.case-row>span')"
        assert chrome.execute_script(f"return {name}.clientWidth >= 120 && {name}.scrollWidth <= {name}.clientWidth")
        chrome.execute_script(AXE)
        found = chrome.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations))")
        assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []


def test_paper_holds_what_is_not_right_and_says_what_is_left_out(chrome: Chrome, tmp_path: Path) -> None:
    right = [verdict(f"c-{n:03}", case_items=1, **({"outcome": "semantic_match", "score": 0.75} if n < 8 else {})) for n in range(60)]
    wrong = [verdict(f"w-{n:03}", outcome="fail", score=0.0, case_items=1, reason=f"wrong {n:03}") for n in range(70)]
    load(chrome, write_report(tmp_path, [*right, *wrong]))
    text = "\n".join(printed(chrome))
    assert "Printed: 70 of 70 items that are not right. Left out: 60 of 130 items, all of them right (8 as semantic matches)." in " ".join(
        text.split()
    )
    items = text[text.rindex("Items\n") :]
    assert all(f"wrong {n:03}" in items for n in range(70)) and "c-000" not in items
    assert len(rows(chrome)) == 50  # the screen is as it was


HOSTILE = tuple(table("report_html", "hostile"))


def test_hostile_values_execute_nothing_and_are_shown_as_they_are(chrome: Chrome, tmp_path: Path) -> None:
    lines = []
    for n, text in enumerate(HOSTILE):
        block = provenance(text, found="per annum", outcome="not_found", document="acme-facility-agreement.pdf")
        block["claim"]["document"] = text + "'.pdf"
        judge = {"model": text, "verdict": text, "evidence": text, "reasoning": text, "votes": [[text, text]]}
        lines.append(
            verdict(
                f"{n} {text}",
                f"fields.{text}",
                "fail",
                score=0.0,
                tranche=text,
                reason=text,
                rule=text,
                reported=text,
                gold=text,
                provenance=block,
                judge=judge,
                findings=[{"code": text, "detail": text}],
                why_open=text,
                confidence=text,
            )
        )
    load(chrome, write_report(tmp_path, lines))
    for row in chrome.find_elements(By.CSS_SELECTOR, "#item-list .row"):
        chrome.execute_script("arguments[0].click()", row)
    page = chrome.find_element(By.ID, "item-list").text
    assert "<img src=x onerror=window.hacked=1>" in page and "{{ 7*7 }}${7*7}" in page
    assert chrome.execute_script("return window.hacked") is None
    assert not chrome.find_elements(By.CSS_SELECTOR, "#item-list img[src='x'], main script, main style, svg[onload]")
    assert [e for e in chrome.get_log("browser") if "Content Security Policy" in e["message"]] == []


def test_a_megabyte_of_text_stays_readable(chrome: Chrome, tmp_path: Path) -> None:
    path = write_report(tmp_path, [verdict(outcome="fail", score=0.0, reported="A" * 1_000_000, reason="B" * 1_000_000)])
    assert path.stat().st_size < 200_000
    load(chrome, path)
    chrome.find_element(By.CSS_SELECTOR, "#item-list .row").click()
    assert "more characters" in chrome.find_element(By.CSS_SELECTOR, ".detail").text
    assert chrome.execute_script("return document.documentElement.scrollWidth") <= chrome.execute_script("return window.innerWidth")


def test_nothing_is_requested_and_the_policy_forbids_it(chrome: Chrome, report: Path) -> None:
    text = report.read_text("utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy and policy.group(1).startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy.group(1)
    assert not re.findall(r"(?:src|href)=[\"']?(?!#|data:)", text.split("<body>")[0])
    load(chrome, report)
    requested = chrome.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in requested if not name.startswith("data:")] == []
    blocked = "fetch(arguments[0]).then(() => arguments[1]('sent'), () => arguments[1]('refused'))"
    assert chrome.execute_async_script(blocked, "http://127.0.0.1:9/") == "refused"


def test_redacted_leaves_out_texts_and_images(tmp_path: Path) -> None:
    text = write_report(tmp_path, is_redacted=True).read_text("utf-8")
    full = write_report(tmp_path / "full").read_text("utf-8")
    for secret in ("Commitment Fee is 0.40", "repay the Loan in full", "Another company."):
        assert secret in full and secret not in text
    assert 'id="page-0"' in full and 'id="page-0"' not in text
    assert "Redacted copy" in text and "0.45 %" in text


def test_the_image_budget_serves_the_worst_first(tmp_path: Path) -> None:
    text = write_report(tmp_path, image_budget=1).read_text("utf-8")
    data = json.loads(text.split('<script type="application/json" id="data">')[1].split("</script>")[0])
    with_image = [i["i"] for i in data["items"] if any(p.get("views") for p in i["p"])]
    assert len(data["pages"]) == 1 and with_image == ["fields.commitment_fee"]


def test_json_text_cannot_leave_its_element() -> None:
    found = json_text({"a": "</script><!--\u2028&", "b": "\ud800"})
    assert not re.search("[<>&\u2028]", found) and json.loads(str(found))["a"] == "</script><!--\u2028&"


def test_ten_thousand_items_come_in_pages(chrome: Chrome, tmp_path: Path) -> None:
    lines = [
        verdict(f"case-{n // 16:05}", f"fields.f{n % 16}", "correct" if n % 9 else "fail", score=float(bool(n % 9))) for n in range(10_000)
    ]
    load(chrome, write_report(tmp_path, [*lines, *sample_lines()]))
    assert len(rows(chrome)) == 50
    chrome.find_element(By.XPATH, "//div[@id='item-pager']/button[text()='Next']").click()
    assert "Page 2 of" in chrome.find_element(By.ID, "item-pager").text


def test_the_same_folder_gives_the_same_file(tmp_path: Path) -> None:
    assert write_report(tmp_path).read_bytes() == write_report(tmp_path).read_bytes()
