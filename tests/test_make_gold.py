"""Gold from a batch: answers become valid gold lines, one case at a time, and nothing is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.capabilities.cases import Case
from judge.capabilities.gold import place_inputs, value_problem
from judge.capabilities.registry import capability_of
from judge.errors import UsageError
from judge.labelling.gold_sink import GoldSink, gold_tasks, path_of
from judge.labelling.label_file import LabelFile
from judge.labelling.session import LabelSession
from judge.labelling.tasks import Task
from rubrics.contract_sections import FIELD_KEYS
from tests.tables import entries, table

CITATION = {"document": "a.pdf", "page": 2, "section": "Clause 5.1", "quote": "the Margin is 2.50 per cent."}
EXTRACTION = entries("make_gold", "extraction")
COVENANTS = {
    "covenants": [{"name": "Leverage Ratio", "type": "financial", "threshold": "4.00:1", "citation": CITATION}, {"name": "Made up"}]
}
BENCHMARK = entries("make_gold", "benchmark")
QA = {"answer": "Ten days.", "citation": CITATION}


def case_of(capability: str, output: dict[str, Any], case_id: str = "c-1") -> Case:
    question = {"question": "How long?"} if capability == "document_qa" else {}
    parsed = capability_of(capability).output.model_validate(output)
    return Case(case_id=case_id, capability=capability, documents=("a.pdf",), input=question, output=parsed)  # type: ignore[arg-type]


def form(**lines: Any) -> str:
    """A filled-in form as the page sends it."""
    return json.dumps(lines)


class Desk:
    """A labelling session over some cases, answered by place."""

    def __init__(self, folder: Path, *cases: Case) -> None:
        self.gold = folder / "gold.jsonl"
        self.tasks = [task for case in cases for task in gold_tasks(case)]
        file = LabelFile(folder / "answers.jsonl")
        sink = GoldSink(self.gold, cases)
        sink.resume(file.labels())
        self.session = LabelSession(self.tasks, file, sink, now=lambda: "2026-11-28T00:00:00+00:00")

    def answer(self, given: dict[tuple[str, ...], tuple[str, str]], default: str = "confirm") -> None:
        """Answers everything; what is not given takes the default, or the first choice where there is no such one."""
        for number, task in enumerate(self.tasks):
            value, text = given.get(path_of(task.task_id)[1], (default, ""))
            self.session.label("Ann", number, value if value in values(task) else values(task)[0], text=text)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.gold.read_text().splitlines()] if self.gold.exists() else []


def values(task: Task) -> list[str]:
    return [choice.value for choice in task.choices]


def test_an_extraction_case_becomes_valid_gold_of_all_sixteen_fields(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("loan_onboarding", EXTRACTION))
    missing = [
        {"label": label, "fields": [{"field": "facility_amount", "value": "USD 20,000,000", "page": "7"}]}
        for label in ("Facility A", "Facility B")
    ]
    given = {
        ("document_type",): ("primary_agreement", ""),
        ("fields", "currency"): ("correct", form(value="USD", page="4", scope="Facility A\n Facility B")),
        ("missing",): ("correct", form(missing=missing)),
    }
    desk.answer(given)
    (line,) = desk.lines()
    gold = line["gold"]
    capability_of("loan_onboarding").gold.model_validate(gold)
    assert set(gold["fields"]) | {"margin"} == set(FIELD_KEYS)
    assert gold["fields"]["borrower"] == {"value": "Acme Pte. Ltd.", "citation": {"document": "a.pdf", "page": 2, "section": "Clause 5.1"}}
    assert gold["fields"]["guarantors"] == {"value": ["One Ltd", "Two Ltd"]}
    assert gold["fields"]["currency"] == {"value": "USD", "citation": {"page": 4}, "scope": ["Facility A", "Facility B"]}
    assert gold["fields"]["tenor"] == {"absent": True} and gold["fields"]["commitment_fee"] == {"value": "0.5 %", "scope": ["Facility A"]}
    amount = {"facility_amount": {"value": "USD 20,000,000", "citation": {"page": 7}}}
    assert gold["tranches"] == [
        {"label": "Facility A", "fields": {"margin": {"value": "2.50 %", "citation": gold["fields"]["borrower"]["citation"]}, **amount}},
        {"label": "Facility B", "fields": amount},
    ]
    corrected = next(c for t in desk.tasks if path_of(t.task_id)[1] == ("fields", "borrower") for c in t.choices if c.value == "correct")
    assert {line.name: line.value for line in corrected.form}["section"] == "Clause 5.1"  # which was cited
    first = {path_of(task.task_id)[1]: values(task)[0] for task in desk.tasks}  # the first key: right as reported
    assert first["fields", "borrower"] == "confirm" and first["fields", "tenor"] == "absent"
    shown = {path_of(task.task_id)[1]: dict(task.texts).get("Reported") for task in desk.tasks}
    assert shown["fields", "facility_amount"] == "USD 500,000,000" and shown["fields", "commitment_fee"] == "0.5 %\n(applies to Facility A)"


def test_an_amendment(tmp_path: Path) -> None:
    fields = {
        "margin": {"status": "amended", "original_value": "2 %", "new_value": "3 %", "effective_date": "unclear"},
        "tenor": {"status": "unchanged"},
    }
    desk = Desk(tmp_path, case_of("loan_onboarding", {"document_type": "amendment", "fields": fields}))
    desk.answer(
        {
            ("document_type",): ("amendment", ""),
            ("fields", "margin"): ("correct", form(original_value="2 %", new_value="3.5 %", effective_date="unclear", page="2")),
            ("missing",): ("none", ""),
        }
    )
    gold = desk.lines()[0]["gold"]
    capability_of("loan_onboarding").gold.model_validate(gold)
    amended = {"original_value": "2 %", "new_value": "3.5 %", "effective_date": None}
    assert gold["fields"]["margin"] == {"amended": amended, "citation": {"page": 2}}
    assert gold["fields"]["tenor"] == {"unchanged": True}


def test_covenants_are_confirmed_dropped_and_added(tmp_path: Path) -> None:
    sure = {"covenants": [one | {"confidence": 0.9} for one in COVENANTS["covenants"]]}
    desk = Desk(tmp_path, case_of("covenant_monitoring", COVENANTS | sure))
    missing = form(missing=[{"name": "Interest Cover", "type": "financial", "threshold": "2.0x", "page": "13"}])
    desk.answer({("covenants", "1"): ("absent", ""), ("missing",): ("correct", missing)})
    gold = capability_of("covenant_monitoring").gold.model_validate(desk.lines()[0]["gold"])
    assert [(c.name, c.confidence) for c in gold.covenants] == [("Leverage Ratio", None), ("Interest Cover", None)]


def test_benchmark_findings(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("benchmark_validation", BENCHMARK))
    head = form(benchmark="APLMA", jurisdiction="Singapore law", market="APAC", jurisdiction_ambiguous="no")
    desk.answer({("head",): ("correct", head), ("missing",): ("none", "")})
    gold = capability_of("benchmark_validation").gold.model_validate(desk.lines()[0]["gold"])
    assert gold.benchmark == "APLMA" and [f.term for f in gold.findings] == ["margin"]


@pytest.mark.parametrize(("value", "expected"), [("confirm", True), ("absent", False)])
def test_questions(tmp_path: Path, value: str, expected: bool) -> None:
    desk = Desk(tmp_path, case_of("document_qa", QA))
    desk.answer({("answer",): (value, "")})
    gold = capability_of("document_qa").gold.model_validate(desk.lines()[0]["gold"])
    assert gold.answerable is expected
    assert gold.required_sections == (("Clause 5.1",) if expected else ())
    assert "qualified" not in desk.lines()[0]["gold"]  # who was not asked says nothing of it


@pytest.mark.parametrize(("given", "said"), table("make_gold", "a_form_that_is_not_filled_in_right_is_refused_with_the_reason"))
def test_a_form_that_is_not_filled_in_right_is_refused_with_the_reason(tmp_path: Path, given: str, said: str) -> None:
    desk = Desk(tmp_path, case_of("covenant_monitoring", COVENANTS))
    with pytest.raises(UsageError, match=said):
        desk.session.label("Ann", 0, "correct", text=given)


@pytest.mark.parametrize(("key", "wrong", "right"), table("make_gold", "amounts_and_dates_are_checked", tuples=True))
def test_amounts_and_dates_are_checked(tmp_path: Path, key: str, wrong: tuple[str, ...], right: tuple[str, ...]) -> None:
    desk = Desk(tmp_path, case_of("loan_onboarding", EXTRACTION))
    number = next(n for n, task in enumerate(desk.tasks) if path_of(task.task_id)[1] == ("fields", key))
    for text in wrong:
        with pytest.raises(UsageError, match="is not a"):
            desk.session.label("Ann", number, "correct", text=form(value=text, page="1"))
    for text in right:
        desk.session.label("Ann", number, "correct", text=form(value=text, page="1"))


def test_flags_of_a_covenant_are_filled_in_as_forms(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("covenant_monitoring", COVENANTS))
    flags = [
        {"kind": "waiver", "covenant": "Leverage Ratio", "waived_threshold": "5.25:1", "temporary": "yes", "page": "2", "days": "unused"},
        {"kind": "carve_out", "items": [{"scope": "subsidiary debt", "cap": "GBP 12,000,000"}]},
        {"kind": "grace_period", "days": "10 Business Days", "triggers": "failure to pay\nbreach\n"},
    ]
    given = form(
        name="Leverage Ratio", type="financial", threshold="shall not exceed 4.00:1", flags=flags, page="13", section="Clause 16.2"
    )
    desk.answer({("covenants", "0"): ("correct", given), ("covenants", "1"): ("absent", ""), ("missing",): ("none", "")})
    (covenant,) = capability_of("covenant_monitoring").gold.model_validate(desk.lines()[0]["gold"]).covenants
    assert covenant.claims[0].page == 13 and covenant.claims[0].document is None
    waiver, carve_out, grace = covenant.flags
    assert (waiver.temporary, waiver.days, waiver.claims[0].page) == (True, None, 2)
    assert carve_out.items[0].cap == "GBP 12,000,000" and grace.triggers == ("failure to pay", "breach")


def test_a_question_is_corrected_in_a_form(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("document_qa", QA))
    with pytest.raises(UsageError, match="The right answer"):
        desk.session.label("Ann", 0, "correct", text=form(answerable="yes"))
    given = form(answerable="yes", answer="Five days.", required_sections="Clause 5.1\nClause 6", qualified="no", topic="remedy")
    desk.answer({("answer",): ("correct", given)})
    gold = capability_of("document_qa").gold.model_validate(desk.lines()[0]["gold"])
    assert (gold.answer, gold.required_sections, gold.topic) == ("Five days.", ("Clause 5.1", "Clause 6"), "remedy")


def test_every_form_starts_as_a_person_can_save_it_with_the_page_added(tmp_path: Path) -> None:
    """What was reported, opened for correction and saved with a page, is gold."""
    for capability, output in (("covenant_monitoring", COVENANTS), ("benchmark_validation", BENCHMARK), ("document_qa", QA)):
        desk = Desk(tmp_path / capability, case_of(capability, output))
        for number, task in enumerate(desk.tasks):
            choice = next(c for c in task.choices if c.value == "correct")
            given = {line.name: line.value for line in choice.form if line.value is not None and line.kind != "forms"}
            if choice.form[0].name == "missing" or "Made up" in task.question:
                continue
            names = {line.name for line in choice.form}
            desk.session.label("Ann", number, "correct", text=json.dumps({**given, **({"page": "7"} if "page" in names else {})}))


def test_a_crash_loses_nothing_and_an_undo_takes_the_line_back(tmp_path: Path) -> None:
    cases = [case_of("document_qa", QA, "c-1"), case_of("covenant_monitoring", COVENANTS, "c-2")]
    desk = Desk(tmp_path, *cases)
    desk.session.label("Ann", 0, "confirm")
    desk.session.label("Ann", 1, "confirm")
    again = Desk(tmp_path, *cases)
    assert [line["case_id"] for line in again.lines()] == ["c-1"] and again.session.state("Ann").number == 2
    again.session.label("Ann", 2, "absent")
    again.session.label("Ann", 3, "none")
    assert [line["case_id"] for line in again.lines()] == ["c-1", "c-2"]
    again.session.undo("Ann")
    assert [line["case_id"] for line in again.lines()] == ["c-1"]


def test_another_answer_changes_the_line_unless_somebody_else_wrote_it(tmp_path: Path) -> None:
    cases = [case_of("document_qa", QA, case_id) for case_id in ("c-1", "c-2")]
    desk = Desk(tmp_path, *cases)
    desk.answer({})
    given = form(answerable="yes", answer="Five days.", required_sections="Clause 5.1", topic="remedy")
    desk.session.label("Ann", 0, "correct", text=given)
    assert [line["gold"].get("answer") for line in desk.lines()] == ["Five days.", "Ten days."]
    assert [line["gold"].get("answer") for line in Desk(tmp_path, *cases).lines()] == ["Five days.", "Ten days."]
    edited = desk.gold.read_text().replace("Five", "Six")
    desk.gold.write_text(edited)
    again = Desk(tmp_path, *cases)
    with pytest.raises(UsageError, match="take it out"):
        again.session.label("Ann", 0, "absent")
    again.session.label("Ann", 1, "absent")
    assert [line["gold"].get("answer") for line in again.lines()] == ["Six days.", None]


def test_a_line_that_the_crash_came_before_is_written_at_the_next_start(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("document_qa", QA))
    desk.session.label("Ann", 0, "confirm")
    desk.gold.unlink()
    assert len(Desk(tmp_path, case_of("document_qa", QA)).lines()) == 1


def test_a_refusal_that_is_confirmed_says_that_the_document_does_not_contain_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, case_of("document_qa", {"answer": "The document does not contain information about how long it is."}))
    desk.answer({})
    assert desk.lines()[0]["gold"] == {"answerable": False, "topic": "how long it is"}
    (task,) = gold_tasks(case_of("document_qa", {"answer": "The rating is not specified."}))  # in no form that a rule reads
    assert [c.title for c in task.choices if c.value == "confirm"] == ["Right as reported: the document contains this answer"]


@pytest.mark.parametrize(("kind", "text", "is_problem"), table("make_gold", "gold_that_is_no_value_of_its_kind_is_told"))
def test_gold_that_is_no_value_of_its_kind_is_told(kind: str, text: str, is_problem: bool) -> None:
    assert bool(value_problem(kind, text)) == is_problem


@pytest.mark.parametrize(("documents", "is_needed"), table("make_gold", "a_page_is_asked_for_unless_all_documents_are_word_files"))
def test_a_page_is_asked_for_unless_all_documents_are_word_files(documents: list[str], is_needed: bool) -> None:
    page = next(line for line in place_inputs(documents) if line.name == "page")
    assert page.is_needed is is_needed
