import json
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from engine_samples import DOCUMENT, Inputs, read_lines, write_lines

from judge.cli import execute
from judge.errors import InputError
from judge.inputs.index import Sources, index_cases
from tests.tables import table


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path / "in")


def sources(inputs: Inputs, **changes: Any) -> Sources:
    given = {"batch": inputs.folder / "batch.jsonl", "gold": inputs.folder / "gold.jsonl", "documents": inputs.folder / "documents"}
    return Sources(**{**given, **changes})


def problems(inputs: Inputs, **changes: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        index_cases(sources(inputs.write(), **changes))
    return [str(problem).replace(str(inputs.folder) + "/", "") for problem in caught.value.problems]


def test_a_line_that_is_no_object_is_named_in_the_words_of_json(inputs: Inputs) -> None:
    inputs.batch[0] = None  # type: ignore[call-overload]
    assert "batch.jsonl:1: must be a JSON object, not null" in problems(inputs)


def test_reads_one_case_at_a_time_in_the_batch_order(inputs: Inputs) -> None:
    index = index_cases(sources(inputs))
    assert [entry.case_id for entry in index.entries] == ["sample-onboarding", "sample-question"]
    case = index.load(index.entries[0])
    assert case.documents == (DOCUMENT,) and case.output.fields["margin"].value == "2.35" and case.gold.fields["guarantors"].absent


def test_an_empty_text_is_no_value_of_gold(inputs: Inputs) -> None:
    inputs.gold[0]["gold"]["fields"]["margin"] = {"value": " "}
    assert "an empty text is no value: give what the document says, or `absent: true`" in problems(inputs)[0]


def test_reports_all_problems_of_all_files_at_once(inputs: Inputs) -> None:
    inputs.batch[0]["output"]["fields"]["borower"] = {"status": "absent"}
    inputs.batch[1]["document"] = "harbor-street-facility-agreement.pdf"
    del inputs.gold[0]["gold"]["fields"]["tenor"]
    inputs.gold[1]["wieght"] = 2
    said = problems(inputs)
    assert any(s.startswith("batch.jsonl:1: output.fields.borower: unknown key 'borower'; did you mean 'borrower'?") for s in said)
    assert any(s.startswith("batch.jsonl:2: document: ") and f"did you mean '{DOCUMENT}'?" in s for s in said)
    assert any(s.startswith("gold.jsonl:1: gold.fields: gold must say") and s.endswith("it lacks tenor") for s in said)
    assert any(s.startswith("gold.jsonl:2: wieght: unknown key 'wieght'; did you mean 'weight'?") for s in said)
    assert len(said) == 4


@pytest.mark.parametrize(("change", "path", "said"), table("inputs", "names_the_json_path_and_the_nearest_key"))
def test_names_the_json_path_and_the_nearest_key(inputs: Inputs, change: dict[str, Any], path: str, said: str) -> None:
    inputs.batch[0]["output"]["fields"]["borrower"].update(change)
    found = problems(inputs)
    assert len(found) == 1
    place = f"output.fields.borrower.{path}".rstrip(".")
    assert found[0].startswith(f"batch.jsonl:1: {place}: ") and said in found[0]


@pytest.mark.parametrize("name", ["../documents/x.pdf", "/etc/hostname", "a/b.pdf", "..", ".", "", "a\\b.pdf", "a\0.pdf"])
def test_refuses_anything_but_a_bare_file_name(inputs: Inputs, name: str) -> None:
    inputs.batch[0]["document"] = name
    assert "must be a bare file name" in problems(inputs)[0]


def test_refuses_a_name_that_no_disk_can_hold(inputs: Inputs) -> None:
    inputs.batch[0]["document"] = "á" * 300 + ".pdf"
    assert "cannot be looked up" in problems(inputs)[0]


def test_refuses_a_link_that_leaves_the_folder(inputs: Inputs, tmp_path: Path) -> None:
    (tmp_path / "secret.pdf").write_bytes(b"%PDF")
    (inputs.folder / "documents" / "link.pdf").symlink_to(tmp_path / "secret.pdf")
    inputs.batch[0]["document"] = "link.pdf"
    assert "a link that leaves" in problems(inputs)[0]


def test_joins_batch_and_gold(inputs: Inputs) -> None:
    inputs.gold[1]["case_id"] = "other"
    said = problems(inputs)
    assert any("case 'sample-question' has no gold line" in s for s in said)
    assert any(s.startswith("gold.jsonl:2: ") and "'other', which the batch does not hold" in s for s in said)


def test_refuses_repeated_ids_naming_both_lines(inputs: Inputs) -> None:
    inputs.batch.append(inputs.batch[1])
    inputs.gold.append(inputs.gold[0])
    said = problems(inputs)
    assert any(s.startswith("batch.jsonl:3: ") and "'sample-question' stands here and on line 2" in s for s in said)
    assert any(s.startswith("gold.jsonl:3: ") and "'sample-onboarding' stands here and on line 1" in s for s in said)


def test_partial_counts_gold_without_output(inputs: Inputs) -> None:
    del inputs.batch[0]
    index = index_cases(sources(inputs.write(), is_partial=True))
    missed = index.entries[1]
    assert (missed.case_id, missed.capability, missed.documents) == ("sample-onboarding", "loan_onboarding", ())
    assert index.load(missed).output is None


def test_an_empty_batch_is_no_fault_of_gold(inputs: Inputs) -> None:
    inputs.batch.clear()
    assert len(index_cases(sources(inputs.write())).entries) == 0


def test_weights_are_exact(inputs: Inputs) -> None:
    inputs.gold[0]["weight"] = 0.85
    assert index_cases(sources(inputs.write())).entries[0].weight == Fraction(17, 20)
    inputs.gold[0]["weight"] = -1
    assert "greater than or equal to 0" in problems(inputs)[0]


@pytest.mark.parametrize("layout", ["array", "folder", "bom and CRLF", "one object"])
def test_other_layouts_say_the_same(inputs: Inputs, layout: str) -> None:
    lines = [json.dumps(line) for line in inputs.batch]
    path = inputs.folder / "other.json"
    if layout == "array":
        path.write_text("\ufeff[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    elif layout == "folder":
        path = inputs.folder / "cases"
        path.mkdir()
        for n, line in enumerate(lines):
            (path / f"{n}.json").write_text(line, "utf-8")
    elif layout == "one object":
        path.write_text(json.dumps(inputs.batch[0], indent=2), "utf-8")
        inputs.gold = inputs.gold[:1]
        inputs.write()
    else:
        path = inputs.folder / "other.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(lines).encode())
    index = index_cases(sources(inputs, batch=path))
    assert [index.load(e).case_id for e in index.entries] == [line["case_id"] for line in inputs.batch][: len(index.entries)]
    assert len(index.entries) == (1 if layout == "one object" else 2)


def test_a_broken_array_names_its_line(inputs: Inputs) -> None:
    path = inputs.folder / "batch.json"
    path.write_text('[\n{"case_id": "a"},\n{"case_id": }\n]', "utf-8")
    assert any(s.startswith("batch.json:3: not JSON") for s in problems(inputs, batch=path))


def test_selects_by_glob_capability_and_limit(inputs: Inputs) -> None:
    index = index_cases(sources(inputs))
    assert [e.case_id for e in index.select(case_glob="*quest*")] == ["sample-question"]
    assert [e.case_id for e in index.select(capability="loan_onboarding")] == ["sample-onboarding"]
    assert len(index.select(limit=1)) == 1 and len(index.select(case_glob="x")) == 0
    del inputs.gold[1]  # of what is not judged nobody needs gold
    inputs.write()
    for only in ((1, None, None), (None, "*onboarding", None), (None, None, "loan_onboarding")):
        assert len(index_cases(sources(inputs, only=only)).select(*only)) == 1
    assert any("'sample-question' has no gold line" in s for s in problems(inputs, only=(None, "sample*", None)))


def test_missing_files_and_folders_are_said_plainly(inputs: Inputs) -> None:
    said = problems(inputs, batch=inputs.folder / "none.jsonl", documents=inputs.folder / "none")
    assert any("is not a folder" in s for s in said) and any("none.jsonl: cannot be read" in s for s in said)
    assert len(said) == 2  # gold is not to blame for a batch that nobody can read


def test_a_file_changed_during_the_run_is_an_input_error(inputs: Inputs) -> None:
    index = index_cases(sources(inputs))
    write_lines(inputs.folder / "batch.jsonl", [{"case_id": "x"}])
    with pytest.raises(InputError, match="changed during the run"):
        index.load(index.entries[0])


@pytest.mark.parametrize("name", ["batch.jsonl", "gold.jsonl"])
def test_a_pipe_is_refused_and_not_waited_for(inputs: Inputs, name: str) -> None:
    inputs.write()
    (inputs.folder / name).unlink()
    os.mkfifo(inputs.folder / name)
    with pytest.raises(InputError, match=rf"{name}: .*it is no regular file; save it to one"):
        index_cases(sources(inputs))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: os.mkfifo(path), "is no file that can be read"),
        (lambda path: path.mkdir(), "is no file that can be read"),
        (lambda path: path.symlink_to(path), "is no file that can be read"),
        (lambda path: path.symlink_to("/dev/zero"), "is no file that can be read"),
    ],
)
def test_a_document_that_is_no_file_is_said_so(inputs: Inputs, make: Callable[[Path], None], said: str) -> None:
    inputs.write()
    path = inputs.folder / "documents" / DOCUMENT
    path.unlink()
    make(path)
    with pytest.raises(InputError) as caught:
        index_cases(sources(inputs))
    assert said in str(caught.value) and "did you mean" not in str(caught.value)


def test_a_document_name_that_no_file_system_takes_is_a_problem_of_its_line(inputs: Inputs) -> None:
    inputs.batch[0]["document"] = "a" * 5000 + ".pdf"
    said = problems(inputs)
    assert said[0].startswith("batch.jsonl:1: document: document 'aaa") and len(said[0]) < 300


def test_a_text_that_no_document_has_is_refused_with_its_length(tmp_path: Path) -> None:
    from pydantic import ValidationError

    from judge.capabilities.onboarding import ExtractionOutput

    with pytest.raises(ValidationError, match="at most 100000 characters"):
        ExtractionOutput.model_validate({"fields": {"borrower": {"status": "extracted", "value": "A" * 100_001}}})
    assert ExtractionOutput.model_validate({"fields": {"borrower": {"status": "extracted", "value": "A" * 100_000}}}).fields


def test_a_folder_of_documents_that_is_not_there_is_one_problem(tmp_path: Path) -> None:
    lines = [
        {"case_id": f"c-{n}", "capability": "document_qa", "document": "a.pdf", "input": {"question": "?"}, "output": {"answer": "a"}}
        for n in range(9)
    ]
    (tmp_path / "batch.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError) as error:
        index_cases(Sources(tmp_path / "batch.jsonl", None, tmp_path / "nowhere"))
    assert len(error.value.problems) == 1 and "is not a folder" in str(error.value)


def test_documents_that_many_cases_name_are_one_problem_each(inputs: Inputs) -> None:
    inputs.batch = [{**inputs.batch[1], "case_id": f"c-{n}", "document": ("a.pdf", "b.pdf")[n % 2]} for n in range(9)]
    said = problems(inputs, gold=None)
    assert [line.split(": ")[0] for line in said] == ["batch.jsonl:1", "batch.jsonl:2"]
    (inputs.folder / "documents").joinpath("A_long name-2026.PDF").write_bytes(b"")
    inputs.batch = [{**inputs.batch[0], "document": "a-long-name_2026.pdf"}]
    assert problems(inputs, gold=None)[0].endswith("did you mean 'A_long name-2026.PDF'?")
    assert "'a.pdf' is not in" in said[0] and said[0].endswith("(named 5 times)") and said[1].endswith("(named 4 times)")


@pytest.mark.parametrize("name", ["gold.xlsx", "nowhere.jsonl"])
def test_a_gold_file_that_cannot_be_read_is_one_problem_and_not_one_of_every_case(inputs: Inputs, name: str) -> None:
    (inputs.folder / "gold.xlsx").write_bytes(b"PK\x03\x04")
    said = problems(inputs, gold=inputs.folder / name)
    assert len(said) == 1 and said[0].startswith(f"{name}: ")


def test_an_excel_file_is_one_problem_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "batch.xlsx").write_bytes(b"PK\x03\x04" + b"\xff\n" * 30)
    with pytest.raises(InputError) as error:
        index_cases(Sources(tmp_path / "batch.xlsx", None, tmp_path / "documents"))
    assert len(error.value.problems) == 1 and "judge convert" in str(error.value)


def named(inputs: Inputs, **gold_ids: str) -> None:
    """Outputs of one line that name their gold by `metadata`."""
    line = inputs.batch[1]
    inputs.batch = [line | {"case_id": case_id, "metadata": {"case": gold_id}} for case_id, gold_id in gold_ids.items()]


def test_one_gold_line_serves_several_outputs_and_one_of_their_own_id_wins(inputs: Inputs) -> None:
    question = inputs.gold[1]
    named(inputs, first="Q-1", second="Q-1", third="Q-1", alone="Q-2")
    own = question | {"case_id": "second", "gold": question["gold"] | {"topic": "its own"}}
    unused = {"case_id": "LO-9", "gold": inputs.gold[0]["gold"]}
    inputs.gold = [own, question | {"case_id": "Q-1", "weight": 2}, question | {"case_id": "Q-2"}, unused]
    index = index_cases(sources(inputs.write()))
    assert [(e.case_id, e.gold_id, e.weight) for e in index.entries] == [
        ("first", "Q-1", 2),
        ("second", "", 1),
        ("third", "Q-1", 2),
        ("alone", "Q-2", 1),
    ]
    assert index.load(index.entries[1]).gold.topic == "its own" and index.unused == ("LO-9",)


def test_another_key_can_name_the_gold_line(inputs: Inputs) -> None:
    inputs.batch = [inputs.batch[1] | {"metadata": {"case": "x", "deal": "Q-1"}}]
    inputs.gold = [inputs.gold[1] | {"case_id": "Q-1"}]
    assert index_cases(sources(inputs.write(), gold_by="deal")).entries[0].gold_id == "Q-1"
    assert any("neither has 'x', which its metadata names" in said for said in problems(inputs))


def test_a_shared_gold_line_is_checked_once_and_its_outputs_are_not_missed(inputs: Inputs) -> None:
    named(inputs, first="Q-1", second="Q-1")
    inputs.gold = [inputs.gold[1] | {"case_id": "Q-1", "gold": {"answerable": "perhaps"}}]
    assert [said.split(": ")[1] for said in problems(inputs)] == ["gold.answerable"]


def test_an_output_that_cannot_be_read_keeps_the_gold_line_that_it_names(inputs: Inputs) -> None:
    named(inputs, first="Q-1")
    del inputs.batch[0]["output"]["answer"]
    inputs.gold = [inputs.gold[1] | {"case_id": "Q-1"}]
    assert [said.split(": ")[1] for said in problems(inputs)] == ["output.answer"]


def test_a_run_tells_which_case_an_output_belongs_to_also_when_its_gates_are_applied_again(inputs: Inputs) -> None:
    named(inputs, first="Q-1", second="Q-1")
    inputs.gold = [inputs.gold[1] | {"case_id": "Q-1"}]
    inputs.write().run()
    for _ in range(2):
        assert [line["case"] for line in read_lines(inputs.folder / "out" / "cases.jsonl")] == ["Q-1", "Q-1"]
        execute(["gate", str(inputs.folder / "out"), "--display", "none"])
