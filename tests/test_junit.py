"""junit.xml: valid against the format, with the right kind of result for each outcome, whatever the values hold."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from result_folder_samples import verdict, write_results

from judge.report.files import junit_xml
from judge.results.reading import read_results
from tests.tables import table

SCHEMA = etree.XMLSchema(etree.parse(str(Path(__file__).parent / "data" / "junit.xsd")))


def parse(text: str) -> etree._Element:
    root = etree.fromstring(text.encode())
    SCHEMA.assertValid(root)
    return root


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> etree._Element:
    return parse(junit_xml(read_results(write_results(tmp_path_factory.mktemp("run")))))


@pytest.mark.parametrize(("item", "tag"), table("junit", "outcomes_become_the_right_kind"))
def test_outcomes_become_the_right_kind(sample: etree._Element, item: str, tag: str | None) -> None:
    case = sample.xpath(f"//testcase[@name='{item}'][@classname='loan_onboarding.acme-001']")[0]
    assert [child.tag for child in case] == ([tag] if tag else [])


def test_a_failure_says_rule_values_and_finding(sample: etree._Element) -> None:
    text = sample.xpath("//testcase[@name='fields.commitment_fee']/failure")[0].text
    assert "reported: 0.45 %" in text and "gold: 0.40 %" in text and "ALTERED_QUOTE" in text and "page 2" in text


def test_totals_are_the_sums_of_the_suites(sample: etree._Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(sample.get(name)) == len(sample.xpath(f"//{tag}"))


def test_a_broken_gate_is_a_failing_test(sample: etree._Element) -> None:
    assert sample.xpath("//testsuite[@name='gates']/testcase[@name='Hallucination rate']/failure")


def test_an_accepted_exception_is_no_failure(tmp_path: Path) -> None:
    line = verdict(outcome="fail", score=0.0, exception={"who": "M. Tan", "why": "agreed", "expires": "2027-06-30"})
    root = parse(junit_xml(read_results(write_results(tmp_path, [line]))))
    assert not root.xpath("//testcase[@name='fields.borrower']/failure")


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_a_valid_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    line = verdict(
        case_id=text.encode("utf-8", "replace").decode() or "c",
        outcome="fail",
        score=0.0,
        reason=text + "\x00\x1b[31m\ud800",
        reported=text,
    )
    folder = tmp_path_factory.mktemp("hostile")
    line = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in line.items()}
    parse(junit_xml(read_results(write_results(folder, [line]))))


def test_a_partial_item_passes_where_every_gate_that_it_counts_in_passes(tmp_path: Path) -> None:
    good = [verdict("c", f"fields.f{n}") for n in range(20)]
    line = verdict("c", "fields.maturity_date", outcome="partial", score=0.5)
    root = parse(junit_xml(read_results(write_results(tmp_path, [*good, line], verdict_word="pass"))))
    assert [child.tag for child in root.xpath("//testcase[@name='fields.maturity_date']")[0]] == ["system-out"]
