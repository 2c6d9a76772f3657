"""What changed between two runs, and the comment that a pull request gets of it."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from result_folder_samples import verdict, write_results

from judge.commands.results.report import command as report
from judge.report.comparison_html import comparison_data, comparison_html
from judge.report.pull_request import MARK, MOST, NO_BASELINE, pull_request_comment
from judge.results.comparison import Comparison, compare_runs
from judge.results.reading import Results, read_results


def runs(tmp_path: Path, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> tuple[Comparison, Results, Results]:
    a, b = (read_results(write_results(tmp_path / name, lines)) for name, lines in (("a", before), ("b", after)))
    return compare_runs(a, b, margin=0.02, significance=0.05), a, b


def line(item: str, outcome: str = "correct", **more: Any) -> dict[str, Any]:
    score = {"correct": 1.0, "fail": 0.0}.get(outcome)
    return verdict("acme", f"fields.{item}", outcome, score=score, bounds=[0.0, 1.0] if score is None else [score, score], **more)


def test_an_output_that_changed_under_the_same_outcome_is_listed(tmp_path: Path) -> None:
    found, *_ = runs(tmp_path, [line("tenor", reported="5 years")], [line("tenor", reported="60 months")])
    assert not found.flips and [change.what for change in found.changes] == [("output",)]


def test_gold_and_who_decided_are_listed(tmp_path: Path) -> None:
    before = [line("margin", gold="2%"), line("tenor", "undecided")]
    opened = [line("margin", gold="2.5%"), line("tenor", "undecided")]
    first = read_results(write_results(tmp_path / "open", opened))
    bound = first.binding(next(item for item in first.items if item.item == "fields.tenor"))
    after = [*opened, line("tenor", decided_by="human", who="Ann Miller", when="2026-01-01", settles=bound)]
    found, first, second = runs(tmp_path, before, after)
    assert [change.what for change in found.changes] == [("gold",), ("outcome", "decided by")]
    assert comparison_data(found)["changes"][1]["after"]["who"] == "Ann Miller"
    page = comparison_html(found, first, second, None, tmp_path / "x.html")
    assert "Every change" in page and "person Ann Miller" in page


def test_equal_runs_list_nothing(tmp_path: Path) -> None:
    found, *_ = runs(tmp_path, [line("margin")], [line("margin")])
    assert found.changes == ()


def test_items_of_one_run_alone_are_listed(tmp_path: Path) -> None:
    found, *_ = runs(tmp_path, [line("margin")], [line("margin"), line("tenor")])
    assert [(change.item, change.what) for change in found.changes] == [("fields.tenor", ("only after",))]


def test_the_difference_stands_first_and_items_are_links(tmp_path: Path) -> None:
    found, _, second = runs(tmp_path, [line("margin")], [line("margin", "fail", reported="3%")])
    text = pull_request_comment(second, found, "https://ci.example/report.html")
    assert text.startswith(MARK) and text.index("Against the baseline") < text.index("| Gate |")
    assert "[`fields.margin`](https://ci.example/report.html#item-0)" in text
    assert NO_BASELINE in pull_request_comment(second, None)


@pytest.mark.parametrize("hostile", ["a | b | c", "`x` @everyone <img src=x>", "[go](http://x)\n# big", "\u202eabc"])
def test_a_text_of_the_output_is_never_markup(tmp_path: Path, hostile: str) -> None:
    found, _, second = runs(tmp_path, [line("margin")], [line("margin", "fail", reported=hostile, reason=hostile)])
    rows = [row for row in pull_request_comment(second, found).splitlines() if "fields.margin" in row]
    assert len(rows) == 2 and all(row.count("`") % 2 == 0 and row.startswith("| `acme`") for row in rows)
    outside = "".join(part for row in rows for part in row.split("`")[::2])
    assert not set("@<[#\u202e") & set(outside) and [row.count("|") for row in rows] == [7, 5]


def test_a_comment_stays_below_what_a_server_takes(tmp_path: Path) -> None:
    many = [verdict(f"case-{n:04}" + "x" * 80, "fields.margin", "fail", score=0.0, reason="y" * 900) for n in range(900)]
    found, _, second = runs(tmp_path, [{**one, "outcome": "correct", "score": 1.0} for one in many], many)
    text = pull_request_comment(second, found, "https://ci.example/" + "z" * 300)
    assert len(text) < MOST and "more: `judge compare` and the report have all" in text


def test_what_got_worse_comes_before_what_got_better(tmp_path: Path) -> None:
    turned = [
        ("margin", "partial", "correct"),
        ("tenor", "partial", "hallucination"),
        ("currency", "partial", "fail"),
        ("borrower", "fail", "partial"),
    ]
    scores = {"correct": 1.0, "partial": 0.5}
    sides = ([verdict("acme", f"fields.{name}", pair[n], score=scores.get(pair[n], 0.0)) for name, *pair in turned] for n in (0, 1))
    found, _, second = runs(tmp_path, *sides)
    text = pull_request_comment(second, found).partition("### To look at")[0]
    assert "0 lost, 2 worse, 1 gained, 1 better; 1 new hallucination" in text
    assert sorted((text.index(f"fields.{name}"), name) for name, *_ in turned) == [
        (text.index(f"fields.{name}"), name) for name in ("tenor", "currency", "borrower", "margin")
    ]


def test_the_command_writes_it_and_refuses_what_is_no_address(tmp_path: Path) -> None:
    a, b = (write_results(tmp_path / name, [line("margin", outcome)]) for name, outcome in (("a", "correct"), ("b", "fail")))
    out = tmp_path / "comment.md"
    flags = ["--pr-comment", str(out), "--baseline", str(a)]
    assert CliRunner().invoke(report, [str(b), *flags]).exit_code == 0
    assert "Against the baseline" in out.read_text(encoding="utf-8")
    refused = CliRunner().invoke(report, [str(b), *flags, "--report-url", "javascript:alert(1)"], standalone_mode=False)
    assert "http" in str(refused.exception)
