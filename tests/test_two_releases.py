"""Two releases of one system with what people do between: decide on the real page, correct a rule, sign; the next release asks anew."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from engine_samples import Inputs, read_lines
from loopback import answering
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from test_label_page import press, start
from test_report_html import AXE

from judge.cli import execute
from judge.commands.people.label import command as label_command
from judge.commands.people.label import open_session
from judge.labelling.people import read_reviewers
from judge.labelling.server import LabelServer
from judge.report.about import limits
from judge.report.files import sign_off_html
from judge.report.wording import headline
from judge.results.comparison import compare_folders
from judge.results.reading import read_results, results_of_run

TOKENS = {"Ann Miller": "ann-token-1", "Ben Ode": "ben-token-2"}
OPEN, DECIDED = "fields.governing_law", "fields.margin"


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """A release with one item that only a person can tell, and one that a rule calls invented."""
    (tmp_path / "reviewers.toml").write_text("[reviewers]\n" + "".join(f'"{name}" = "{token}"\n' for name, token in TOKENS.items()))
    found = Inputs(tmp_path / "in")
    fields = found.batch[0]["output"]["fields"]
    fields["governing_law"]["citation"]["quote"] = "This Agreement is governed by the law of England, all of it."
    fields["margin"]["value"] = "9.99 per cent. per annum"
    return found.write()


@contextmanager
def page(inputs: Inputs, *flags: str) -> Iterator[LabelServer]:
    """`judge label` on the run."""
    reviewers = str(inputs.folder.parent / "reviewers.toml")
    cache = ["--cache-dir", str(inputs.folder / "cache")]
    given = label_command.make_context("label", [str(inputs.out), "--reviewers", reviewers, *cache, *flags]).params
    with open_session(given.pop("source"), given) as (session, pages):
        with answering(LabelServer(session, pages, reviewers=read_reviewers(Path(reviewers)))) as server:
            yield server
        session.finish()


def command(inputs: Inputs, *arguments: str) -> int:
    return execute([*arguments, "--cache-dir", str(inputs.folder / "cache")])


def no_barrier(chrome: Chrome) -> None:
    chrome.execute_script(AXE)
    found = chrome.execute_async_script("const done = arguments[0]; axe.run().then((r) => done(r.violations))")
    assert [(v["id"], [n["html"][:150] for n in v["nodes"]]) for v in found] == []


def test_two_releases(chrome: Chrome, inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    assert inputs.run("--reports", "all") == 1
    with page(inputs) as server:
        chrome.get(server.url)
        assert "Your token" in chrome.find_element(By.ID, "who").text
        chrome.find_element(By.ID, "annotator").send_keys("Ann Miller\n")
        WebDriverWait(chrome, 20).until(lambda d: "this token is none" in d.find_element(By.ID, "refusal").text)
        start(chrome, server.url, TOKENS["Ann Miller"])
        assert chrome.find_element(By.ID, "me").text == "You are Ann Miller"
        assert "Not offered: " in chrome.find_element(By.ID, "barred").text
        find = chrome.find_element(By.ID, "find-text")
        find.send_keys("governed by  singapore\n")
        WebDriverWait(chrome, 20).until(lambda d: "1 marked on 1 page" in d.find_element(By.ID, "find-count").text)
        WebDriverWait(chrome, 20).until(lambda d: d.find_elements(By.CSS_SELECTOR, "#sheet rect.hit"))
        number = chrome.find_element(By.ID, "page-number")
        chrome.execute_script("arguments[0].value = '1'; arguments[0].dispatchEvent(new Event('change'))", number)
        WebDriverWait(chrome, 20).until(
            lambda d: d.find_element(By.CSS_SELECTOR, "#sheet img").get_attribute("alt").startswith("Page 1 of")
        )
        no_barrier(chrome)
        chrome.execute_script("document.activeElement.blur()")
        waiting = {item.item for item in results_of_run(inputs.out).items if item.is_waiting}
        for n in range(1, len(waiting) + 1):
            press(chrome, "1", f"{n} of {len(waiting)}")
    results = results_of_run(inputs.out)
    settled = [item for item in results.items if item.decided_by == "human"]
    assert {item.item for item in settled} == waiting and OPEN in waiting
    assert all((item.who, item.settles) == ("Ann Miller", results.binding(item)) for item in settled)
    _correct_and_sign(inputs, capfd)
    verified = command(inputs, "verify", str(inputs.out))
    assert verified == 0, capfd.readouterr().out
    before = inputs.out.rename(inputs.folder / "release-1")
    inputs.batch[0]["output"]["fields"]["governing_law"]["citation"]["quote"] += " And of Wales."
    inputs.write()
    assert inputs.run("--reports", "all") == 1
    labels, reviewers = before / "labels.jsonl", ["--reviewers", str(inputs.folder.parent / "reviewers.toml")]
    kept = labels.read_bytes()
    assert command(inputs, "label", str(inputs.out), "--labels", str(labels), *reviewers) == 2
    assert f"judge import {labels} {inputs.out}" in capfd.readouterr().err
    labels.write_bytes(kept.replace(b'"label": "', b'"label":  "', 1))  # an edit that a later gate must not seal
    assert execute(["gate", str(before)]) == 1 and command(inputs, "verify", str(before)) == 1
    assert "labels.jsonl: was changed" in capfd.readouterr().out
    assert command(inputs, "import", str(labels), str(inputs.out), *reviewers) == 2
    labels.write_bytes(kept)
    (typed := inputs.folder / "labels-typed.jsonl").write_bytes(kept)
    assert command(inputs, "import", str(typed), str(inputs.out), *reviewers) == 2
    assert "they decide anew" in capfd.readouterr().err
    assert command(inputs, "import", str(labels), str(inputs.out), *reviewers) == 0 and labels.read_bytes() == kept
    assert f"{len(waiting)} labels taken over; answered as it stands: {len(waiting) - 1}" in capfd.readouterr().out
    with page(inputs) as server:
        start(chrome, server.url, TOKENS["Ann Miller"])
        former = chrome.find_element(By.ID, "former").text
        assert "it does not count now" in former and "Ann Miller:" in former
        assert f"{len(waiting) - 1} of {len(waiting)}" in chrome.find_element(By.ID, "count").text, "what changed is asked anew"
        no_barrier(chrome)
    found = {item.item for item in results_of_run(inputs.out).items if item.decided_by == "human"}
    assert found == waiting - {OPEN}, "what did not change is still decided"
    assert not [item for item in results_of_run(inputs.out).items if item.correction]
    assert command(inputs, "report", str(inputs.out), "--sign-off", "--baseline", str(before), "--gold-author", "Cem Aydin") == 0
    record = (inputs.out / "sign-off.html").read_text("utf-8")
    assert "Against the last release" in record and "Gold written by" in record and "Cem Aydin" in record
    chrome.get((inputs.out / "sign-off.html").as_uri())
    no_barrier(chrome)
    assert command(inputs, "verify", str(inputs.out)) == 0, capfd.readouterr().out


def _correct_and_sign(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    """A rule's verdict is corrected by two people with tokens, and the record shows it; the gates do not count it."""
    case, reviewers = inputs.batch[0]["case_id"], ["--reviewers", str(inputs.folder.parent / "reviewers.toml")]
    gates = inputs.summary()["gates"]
    for token, why, code in ((0, "", 2), (0, "the fee letter says so", 0), (0, "again", 2), (1, "seen", 0), (1, "seen", 2)):
        by = list(TOKENS.values())[token]
        said = ["correct", str(inputs.out), case, DECIDED, "correct", "--by", by, *reviewers, *(["--why", why] if why else [])]
        assert command(inputs, *said) == code, capfd.readouterr().err
    assert "Ann Miller has proposed this correction: a second person confirms it" in capfd.readouterr().err
    assert command(inputs, "correct", str(inputs.out), case, OPEN, "fail", "--by", TOKENS["Ben Ode"], "--why", "no", *reviewers) == 2
    assert "with `judge label` or a sheet" in capfd.readouterr().err
    again = ("correct", str(inputs.out), case, DECIDED)
    assert command(inputs, *again, "partial", "--by", "Cem Ott", "--why", "half of it") == 2
    assert "say --reviewers FILE" in capfd.readouterr().err, "the folder remembers that people give a token"
    for token, label, why, counted in ((1, "partial", "half of it", 0), (0, "fail", "wrong", 0), (1, "fail", "indeed", 1),
                                       (1, "correct", "no, right", 0), (0, "correct", "right", 1)):  # fmt: skip
        assert command(inputs, *again, label, "--by", list(TOKENS.values())[token], "--why", why, *reviewers) == 0
        assert inputs.summary()["counts"].get("corrected", 0) == counted, why
        told = (inputs.out / "verdicts.jsonl").read_text("utf-8")
        assert all(text in told for text in ("the fee letter says so", why)), "nothing that was said is lost"
    counts = inputs.summary()["counts"]
    assert counts["corrected"] == 1 and inputs.summary()["gates"] == gates, "a correction counts only where the contract lets it"
    assert command(inputs, "report", str(inputs.out), "--sign-off") == 0
    for name in ("report.html", "sign-off.html"):
        text = (inputs.out / name).read_text("utf-8")
        assert "Ben Ode says correct, and Ann Miller confirms it" in text and "9.99 per cent. per annum" in text, name
    out = inputs.folder / "corrections.jsonl"
    assert execute(["export", str(inputs.out), "--corrections", "--to", str(out)]) == 0
    (line,) = read_lines(out)
    assert line["program"]["outcome"] == "hallucination" and line["people"]["confirmed"] and line["batch"]["case_id"] == case
    assert line["gold"]["case_id"] == case and json.dumps(line["documents"])


def test_a_decision_counts_for_the_documents_that_it_was_made_on(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    assert inputs.run() == 1
    given = label_command.make_context("label", [str(inputs.out), "--cache-dir", str(inputs.folder / "cache")]).params
    with open_session(given.pop("source"), given) as (session, _):
        for number, task in enumerate(session.tasks):
            session.label("Ann Miller", number, task.choices[0].value)
        session.finish()
    labels = Path(shutil.copyfile(inputs.out / "labels.jsonl", inputs.folder / "decisions.jsonl"))
    (document,) = (inputs.folder / "documents").iterdir()
    for more, settled in ((b"", len(session.tasks)), (b"\n% another print\n", 0)):
        document.write_bytes(document.read_bytes() + more)
        (inputs.out / "labels.jsonl").unlink()
        assert inputs.run("--fresh") == 1 and command(inputs, "import", str(labels), str(inputs.out)) == 0
        told = f"{len(session.tasks)} former answer{'s' * (len(session.tasks) > 1)}: the document changed"
        assert (told in capfd.readouterr().out) == (not settled)
        assert sum(item.decided_by == "human" for item in results_of_run(inputs.out).items) == settled
        assert command(inputs, "verify", str(inputs.out)) == 0
    with open_session(inputs.out, given) as (session, _):
        for number, task in enumerate(session.tasks):
            session.label("Ann Miller", number, task.choices[0].value)
        session.finish()
    capfd.readouterr()  # what is answered as it stands needs no former answer
    assert command(inputs, "import", str(labels), str(inputs.out)) == 0 and "former answer" not in capfd.readouterr().out


def test_confirmed_corrections_count_under_a_contract_that_lets_them(inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    contract = inputs.folder / "ours.toml"
    contract.write_text('extends = "1.1"\nversion = "ours"\n[gates]\ncorrections_count = true\n')
    own = ["--contract", str(contract)]
    assert inputs.run(*own) == 1 and inputs.summary()["counts"]["hallucinated"] == 1
    before = Path(shutil.copytree(inputs.out, inputs.folder / "before"))
    for who in ("Ann", "Ben"):
        said = ["correct", str(inputs.out), inputs.batch[0]["case_id"], DECIDED, " Correct", "--by", who, "--why", "seen", *own]
        assert command(inputs, *said) == 0
        assert inputs.summary()["counts"]["hallucinated"] == (1 if who == "Ann" else 0)
    assert "1 verdict as people corrected it" in headline(results := read_results(inputs.out))
    assert "1 of them counted in the gates as people say" in " ".join(limits(results)) and "none counts" not in sign_off_html(results)
    assert command(inputs, "verify", str(inputs.out), *own) == 0
    assert "believed as people's own: 1 corrected by Ann, Ben; hold it" in capfd.readouterr().out
    found = compare_folders(before, inputs.out, str(contract))
    assert "verdicts that people corrected: 0 and 1" in found.changed_inputs
    assert [(one.item, one.what, one.after and one.after.correction) for one in found.changes] == [
        (DECIDED, ("correction",), "correct (Ann, Ben)")
    ]
    withdrawn = ["correct", str(inputs.out), inputs.batch[0]["case_id"], DECIDED, "hallucination", "--by", "Ann", "--why", "no", *own]
    assert command(inputs, *withdrawn) == 0 and inputs.summary()["counts"]["hallucinated"] == 1
    assert "corrected" not in inputs.summary()["counts"]
