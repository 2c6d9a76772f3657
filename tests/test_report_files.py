"""Reading a result folder, the figures that reports add, and the files for CI."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from result_folder_samples import FakePages, provenance, sample_lines, verdict, write_results
from sklearn.calibration import calibration_curve

from calibration.statistics.estimate import wilson
from judge.capabilities.registry import field_of
from judge.commands.results.compare import command as compare_command
from judge.commands.results.report import command as report_command
from judge.errors import InputError
from judge.labelling.label_file import Label, LabelFile
from judge.labelling.tasks import item_task
from judge.records import Item
from judge.report.about import judge_rows, people
from judge.report.files import ReportOptions, annotation_lines, write_reports
from judge.report.page_cuts import cut_pages, word_changes
from judge.report.pull_request import summary_markdown, write_step_summary
from judge.report.rendering import markdown_cell
from judge.report.suspicions import gold_suspects, root_causes
from judge.report.wording import number, sentence
from judge.results.folder import REPORT_FILES
from judge.results.reading import read_results
from judge.results.statistics import confidence_audit, field_scores, list_coverage
from rubrics.contract import load_contract
from tests.tables import table


def items_of(folder: Path, lines: list[dict[str, Any]] | None = None) -> tuple[Item, ...]:
    return read_results(write_results(folder, lines)).items


# ---- reading -----------------------------------------------------------------------------------------------------


def test_the_last_line_of_an_item_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    lines = [verdict(outcome="undecided", score=None, bounds=[0, 1]), verdict(outcome="fail", score=0.0, decided_by="human", who="Ann")]
    write_results(tmp_path, lines)
    path = tmp_path / "verdicts.jsonl"
    path.write_text(path.read_text() + '{"case_id": "acme-001", "item": "fields.bor')
    (item,) = read_results(tmp_path).items
    assert (item.outcome, item.decided_by, item.who) == ("fail", "human", "Ann")


def test_items_follow_the_batch(tmp_path: Path) -> None:
    write_results(tmp_path, [verdict("b"), verdict("a")])
    lines = (tmp_path / "verdicts.jsonl").read_text().splitlines()
    (tmp_path / "verdicts.jsonl").write_text("\n".join(reversed(lines)) + "\n")
    assert [i.case_id for i in read_results(tmp_path).items] == ["b", "a"]


@pytest.mark.parametrize("name", ["summary.json", "cases.jsonl"])
def test_a_folder_that_is_none_is_said(tmp_path: Path, name: str) -> None:
    write_results(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(InputError, match="result folder"):
        read_results(tmp_path)


@pytest.mark.parametrize(("item", "field", "capability"), table("report_files", "what_an_item_is_of"))
def test_what_an_item_is_of(tmp_path: Path, item: str, field: str, capability: str) -> None:
    assert field_of(items_of(tmp_path, [verdict(item=item, capability=capability)])[0]) == field


# ---- figures -----------------------------------------------------------------------------------------------------


def test_wilson_vectors() -> None:
    assert wilson(0, 20, 0.95)[1] == pytest.approx(0.1611251580528194)
    assert wilson(47, 50, 0.95) == pytest.approx((0.8378290831116182, 0.979385029651026))
    assert wilson(0, 0, 0.95) == (0.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.integers(1, 500))
def test_wilson_holds_the_share_and_has_a_width(share: float, n: int) -> None:
    low, high = wilson(share * n, n, 0.95)
    assert 0 <= low <= share + 1e-12 and share - 1e-12 <= high <= 1 and high > low


def test_a_field_is_the_mean_over_cases_and_open_items_leave_bounds(tmp_path: Path) -> None:
    lines = [
        verdict("a", "tranches.A.margin", score=1.0),
        verdict("a", "tranches.B.margin", "fail", score=0.0),
        verdict("b", "fields.margin", "undecided", score=None, bounds=[0.0, 1.0]),
        verdict("c", "fields.tenor", decided_by="llm", rubric="semantic_match"),
    ]
    margin, tenor = field_scores(items_of(tmp_path, lines), 0.95)
    assert (margin.cases, margin.items, margin.score, margin.bounds) == (2, 3, None, (0.25, 0.75))
    assert margin.needed_model == 0.0 and tenor.needed_model == 1.0 and tenor.score == 1.0


def test_covenants_found_and_made_up(tmp_path: Path) -> None:
    found = next(list_coverage(items_of(tmp_path), "covenant_monitoring", 0.95), None)
    assert found is not None
    assert (found.recall.k, found.recall.n, found.precision.k, found.precision.n, found.right.k) == (1, 2, 1, 2, 1)
    assert next(list_coverage(items_of(tmp_path / "none", [verdict()]), "covenant_monitoring", 0.95), None) is None


def test_confidence_audit_agrees_with_a_library(tmp_path: Path) -> None:
    confidences = [0.05, 0.12, 0.31, 0.33, 0.48, 0.55, 0.61, 0.72, 0.78, 0.83, 0.91, 0.97]
    right = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1]
    pairs = list(zip(confidences, right, strict=True))
    lines = [verdict(f"c{n}", outcome="correct" if r else "fail", score=float(r), confidence=c) for n, (c, r) in enumerate(pairs)]
    audit = confidence_audit(items_of(tmp_path, lines), load_contract().confidence, 0.95)
    assert audit is not None and audit.ece is not None
    shares, means = calibration_curve(right, confidences, n_bins=10)
    assert [b.right.value for b in audit.bins] == pytest.approx(list(shares))
    assert [b.mean_confidence for b in audit.bins] == pytest.approx(list(means))
    assert audit.ece == pytest.approx(sum(b.items * abs(s - m) for b, s, m in zip(audit.bins, shares, means, strict=True)) / 12)
    assert [(b.name, b.items) for b in audit.bands] == [("HIGH", 2), ("MEDIUM", 3), ("LOW", 7)]


def test_named_confidence_counts_in_its_band_only(tmp_path: Path) -> None:
    audit = confidence_audit(
        items_of(tmp_path, [verdict(confidence="LOW"), verdict("b", confidence=0.9)]), load_contract().confidence, 0.95
    )
    assert audit is not None and [b.items for b in audit.bands] == [1, 0, 1] and [b.name for b in audit.bins] == ["0.8 to 0.9"]


def test_root_causes_and_doubtful_gold(tmp_path: Path) -> None:
    results = read_results(write_results(tmp_path))
    items = results.items
    assert [(s.item.item, s.cause.split(":")[1].strip()) for s in root_causes(results)] == [("fields.commitment_fee", "Altered quote")]
    labels, made_up = LabelFile(tmp_path / "labels.jsonl"), next(i for i in items if i.item == "fields.commitment_fee")
    task = item_task(made_up, results)
    given = [("Ann", "an OCR fault", task.settles), ("Ben", "of another output", "another")]
    labels.append_all((task, Label(task.task_id, task.rubric, who, "hallucination", why, settles=settles)) for who, why, settles in given)
    assert [s.cause for s in root_causes(read_results(tmp_path))] == ["Ann: an OCR fault"]
    assert [s.item.item for s in gold_suspects(items)] == ["fields.margin"]


def test_a_value_cut_out_of_a_longer_one_is_no_doubt_about_gold(tmp_path: Path) -> None:
    line = verdict(outcome="fail", score=0.0, reported="50", gold="2.50", provenance=provenance("The Margin is 2.50 per cent. per annum."))
    assert gold_suspects(items_of(tmp_path, [line])) == ()


def test_scores_are_never_rounded_up_to_a_pass() -> None:
    assert (number(0.8499), number(0.85), number(0.29), number(None)) == ("0.849", "0.850", "0.290", "–")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from("a b c d".split()), max_size=12), st.lists(st.sampled_from("a b c d".split()), max_size=12))
def test_word_changes_give_back_both_texts(quote: list[str], found: list[str]) -> None:
    changes = word_changes(" ".join(quote), " ".join(found))
    assert " ".join(t for op, t in changes if op != "+").split() == quote
    assert " ".join(t for op, t in changes if op != "-").split() == found


def test_punctuation_around_a_word_is_no_change() -> None:
    changed = (("=", "“Margin” means"), ("-", "2.85"), ("+", "2.35"), ("=", "per cent."))
    assert word_changes("“Margin” means 2.85 per cent.", "Margin” means 2.35 per cent") == changed


def test_pages_are_shared_and_marked(tmp_path: Path) -> None:
    items = items_of(tmp_path)
    cuts = cut_pages(items, FakePages(), 10_000_000)
    assert {page for _, page in cuts.leaves} == {1, 2, 3}
    number_of = {item.item: n for n, item in enumerate(items)}
    roles = {item: [v.role for v in cuts.views[n, 0]] for item, n in number_of.items() if (n, 0) in cuts.views}
    assert roles["fields.margin"] == ["both"] and roles["fields.maturity_date"] == ["cited", "found"]


# ---- files for people and CI -------------------------------------------------------------------------------------


def test_all_files_are_written_and_valid_without_documents(tmp_path: Path) -> None:
    paths = write_reports(write_results(tmp_path), load_contract(), ReportOptions())
    assert [p.name for p in paths] == [name for name in REPORT_FILES if name != "sign-off.html"]
    assert [p.name for p in paths if p.stat().st_size < 60] == [] and json.loads(paths[2].read_text())["version"] == "2.1.0"


def test_summary_says_verdict_gates_and_worst_items(tmp_path: Path) -> None:
    text = summary_markdown(read_results(write_results(tmp_path)))
    assert "**Not ready for release: " in text and "| ❌ | Hallucination rate | 0.100 | ≤ 0.00 | fail |" in text
    assert text.index("Hallucination | acme-001") < text.index("Fail | acme-001")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_no_text_leaves_its_table_cell(text: str) -> None:
    cell = markdown_cell(text)
    assert "\n" not in cell and "<" not in cell and not any(c == "|" and (i == 0 or cell[i - 1] != "\\") for i, c in enumerate(cell))


def test_step_summary_where_the_environment_names_one(tmp_path: Path) -> None:
    assert write_step_summary("text", {}) is None
    target = tmp_path / "summary"
    write_step_summary("one\n", {"GITHUB_STEP_SUMMARY": str(target)})
    write_step_summary("two\n", {"GITHUB_STEP_SUMMARY": str(target)})
    assert target.read_text() == "one\ntwo\n"


def test_annotations_in_github_only_and_no_text_makes_a_command(tmp_path: Path) -> None:
    evil = "x\n::stop-commands::t\r::error::%0A"
    results = read_results(write_results(tmp_path, [verdict(evil, outcome="hallucination", score=0.0, reason=evil)]))
    assert annotation_lines(results, {}) == ()
    lines = annotation_lines(results, {"GITHUB_ACTIONS": "true"})
    assert lines[0].startswith("::error title=loan-judge::Not ready for release")
    assert all("\n" not in line and line.startswith(("::error title=", "::warning title=", "::notice title=")) for line in lines)
    assert "::stop-commands" not in lines[-1].split("::", 2)[1] and "%250A" in lines[-1]


def test_at_most_ten_annotations_of_a_level(tmp_path: Path) -> None:
    lines = [verdict(f"c{n}", outcome="fail", score=0.0) for n in range(30)]
    found = annotation_lines(read_results(write_results(tmp_path, lines)), {"GITHUB_ACTIONS": "true"})
    assert sum("Fail" in line for line in found) == 10


def test_each_verdict_has_its_sentence(tmp_path: Path) -> None:
    for word, start in (("pass", "Ready for release: all"), ("inconclusive", "No verdict yet: "), ("nothing_evaluated", "Nothing was")):
        assert sentence(read_results(write_results(tmp_path / word, verdict_word=word))).startswith(start)


def test_the_sentence_names_gates_once_with_their_scopes(tmp_path: Path) -> None:
    said = sentence(read_results(write_results(tmp_path)))
    assert said.endswith("4 of 4 gates fail (Capability score: Loan onboarding, Covenant monitoring, Document Q&A; Hallucination rate).")


def test_report_command_prints_its_files_and_redacts(tmp_path: Path) -> None:
    write_results(tmp_path)
    done = CliRunner().invoke(report_command, [str(tmp_path), "--redact", "--cache-dir", str(tmp_path / "cache")], standalone_mode=False)
    assert done.exception is None and str(tmp_path / "redacted" / "report.html") in done.output
    assert "Redacted copy" in (tmp_path / "redacted" / "report.html").read_text() and not (tmp_path / "report.html").exists()


def test_no_redacted_file_holds_a_quote_a_judges_word_or_a_path_of_this_machine(tmp_path: Path) -> None:
    settings = {"documents": "/home/ann/bank/documents", "gold": "/home/ann/bank/gold.jsonl"}
    inputs = {"batch": str(tmp_path / "batch.jsonl"), "gold": "/home/ann/bank/gold.jsonl"}
    run = {"inputs": inputs, "settings": settings, "documents_folder": "/home/ann/bank/documents"}
    write_results(tmp_path, run=run)
    said = {"case_id": "acme-001", "item": "fields.margin", "tranche": None, "outcome": "correct", "decided_by": "human"}
    with (tmp_path / "verdicts.jsonl").open("a") as file:
        file.write(json.dumps({**said, "who": "Ann", "second": "Ben", "why": "clause 17.3 has it"}) + "\n")
    full = write_reports(tmp_path, load_contract(), ReportOptions(with_sign_off=True))
    paths = write_reports(tmp_path, load_contract(), ReportOptions(redact=True, with_sign_off=True))
    assert [path.name for path in paths] == [path.name for path in full] and all(path.parent.name == "redacted" for path in paths)
    for path in paths:
        text = path.read_text("utf-8")
        secrets = ("Commitment Fee is 0.40", "repay the Loan in full", "Another company.", "0.45 stands in", "clause 17.3", "/home/ann")
        assert [secret for secret in (*secrets, str(tmp_path)) if secret in text] == [], path.name
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "/home/ann" in page and "clause 17.3" in page
    assert "Ann says correct, and Ben confirms it" in paths[0].read_text("utf-8")


def test_the_row_of_a_judge_says_what_its_record_holds() -> None:
    rate = {"value": 0.625, "low": None, "high": None, "n": 16, "clusters": 2}
    left = {"sampled": 16, "decided": 15, "tied": 1, "differed": 0}
    entry = {"rubric": "semantic_match", "counts": True, "why_not": [], "sentence": "Yes.", "made": "2026-11-01", "expires": "2027-05-01"}
    entry |= {"label_file": "l.jsonl", "data_hash": "a" * 64, "annotators": ["Ann"]}
    entry |= {"label_sources": ["human"], "label_counts": {"correct": 16}}
    row = "|".join(judge_rows({"calibration": [{**entry, "human_rate": rate, "left_out": left}]})[0])
    assert "share of accepting labels: 0.625" in row and "among themselves" not in row and "differed" not in row
    assert "16 drawn items, 15 decide; left out: 1 without a majority" in row
    assert "people differed on 2 of them" in judge_rows({"calibration": [{**entry, "left_out": {"differed": 2}}]})[0][4]


def test_one_person_under_two_spellings_is_one(tmp_path: Path) -> None:
    lines = []
    for n, who in enumerate(["Ann Miller", "ann  miller", "Ben, ANN MILLER"]):
        lines += [verdict(f"c{n}", outcome="undecided", score=None, bounds=[0.0, 1.0]), verdict(f"c{n}", decided_by="human", who=who)]
    assert people(read_results(write_results(tmp_path, lines))) == "3 items: Ann Miller, Ben"


def test_exceptions_accepted_after_the_run_stand_in_every_report(tmp_path: Path) -> None:
    write_results(tmp_path)
    line = {"case_id": "acme-001", "item": "fields.margin", "tranche": None, "who": "M. Tan", "why": "agreed", "expires": "2999-01-01"}
    (tmp_path / "gate-exceptions.jsonl").write_text(json.dumps(line) + "\n")
    write_reports(tmp_path, load_contract())
    assert "M. Tan, until 2999-01-01" in (tmp_path / "report.html").read_text()
    assert "suppressions" in (tmp_path / "results.sarif").read_text()


def test_compare_command_says_changed_inputs_first_and_exits_with_the_decision(tmp_path: Path) -> None:
    before = [verdict(f"c{n:02}") for n in range(10)]
    write_results(tmp_path / "a", before, run={"judge": {"model": "one"}})
    write_results(tmp_path / "b", [verdict(f"c{n:02}", outcome="fail", score=0.0) for n in range(10)], run={"judge": {"model": "two"}})
    done = CliRunner().invoke(compare_command, [str(tmp_path / "a"), str(tmp_path / "b")], standalone_mode=False)
    assert done.return_value == 1
    lines = done.output.splitlines()
    assert lines[0].startswith("Not only the outputs changed") and "judge: model differs" in lines[1] and "Regression" in lines[3]
    data = CliRunner().invoke(compare_command, [str(tmp_path / "a"), str(tmp_path / "b"), "--json"], standalone_mode=False)
    assert json.loads(data.output)["mcnemar"]["lost"] == 10


def test_sample_lines_cover_every_kind() -> None:
    kinds = {"correct", "fail", "hallucination", "partial", "undecided", "judge_error", "extra"}
    assert {line["outcome"] for line in sample_lines()} >= kinds
