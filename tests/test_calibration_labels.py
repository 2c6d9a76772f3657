"""Label files: what is read, and how hostile ones end."""

import json
from pathlib import Path
from typing import Any

import pytest

from calibration.label_files.identity import can_be_one, is_machine_name, is_model_name
from calibration.label_files.label_csv import read_csv
from calibration.label_files.label_map import LabelMap
from calibration.label_files.labels import UNUSABLE, LabelFileError, read_json_lines
from calibration.measures.sample import ABSTAINED, MISSING, UNUSABLE_CODE, build_sample
from deterministic.lexicon.sketches import sketch_of
from judge.calibrate.assess import Request, read_items
from judge.calibrate.questions import _versions
from tests.tables import table as cases_of


def line(**changes: Any) -> dict[str, Any]:
    base = {
        "item_id": "i1",
        "rubric": "semantic_match",
        "cluster_id": "c1",
        "inputs": {},
        "labels": [{"annotator": "a1", "label": "yes"}],
        "label_source": "human",
        "judge": {"model": "m", "verdict": "yes", "confidence": 0.9},
        "weight": 1,
        "sampled": "random",
    }
    return {**base, **changes}


def write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in lines) + "\n", "utf-8")
    return path


def refused(path: Path, *lines: Any, match: str) -> None:
    with pytest.raises(LabelFileError, match=match):
        read_json_lines(write(path, *lines))


def test_json_lines_are_read_whole(tmp_path: Path) -> None:
    judge = {"verdict": "yes", "swapped": "no", "repeats": ["yes", "no"], "probes": {"padding": "no"}, "others": {"gpt": "yes"}}
    items = read_json_lines(write(tmp_path / "l.jsonl", line(judge=judge, weight=2.5), "", line(item_id="i2", judge={})))
    assert [item.item_id for item in items] == ["i1", "i2"]
    assert items[0].weight == 2.5 and items[0].sampled == "random"
    assert dict(items[0].readings) == {
        "judge": "yes",
        "swapped": "no",
        "repeat:1": "yes",
        "repeat:2": "no",
        "probe:padding": "no",
        "other:gpt": "yes",
    }
    assert items[1].readings == ()


def test_lines_of_one_item_by_different_annotators_are_one_item(tmp_path: Path) -> None:
    second = line(labels=[{"annotator": "a2", "label": "no"}])
    items = read_json_lines(write(tmp_path / "l.jsonl", line(), second))
    assert items[0].labels == (("a1", "yes"), ("a2", "no"))


def test_the_byte_order_mark_and_crlf_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(line()).encode() + b"\r\n")
    assert len(read_json_lines(path)) == 1


HOSTILE = (
    ("not JSON", ["{"], r"l.jsonl:1: not a JSON object"),
    ("NaN", ['{"item_id": "x", "weight": NaN}'], "NaN is not JSON"),
    ("key twice", ['{"item_id": "x", "item_id": "y"}'], "is given twice"),
    ("a list", ["[1]"], "not a JSON object"),
    ("unknown key", [line(lables=[])], "lables: unknown key; did you mean 'labels'"),
    ("no source", [{k: v for k, v in line().items() if k != "label_source"}], "label_source: expected one of human, constructed"),
    ("duplicate id", [line(), line()], r"l.jsonl:2: item_id: 'i1' is repeated \(first on line 1\): annotator 'a1'"),
    ("id with other content", [line(), line(labels=[{"annotator": "a2", "label": "no"}], weight=2)], "other contents"),
    ("confidence", [line(judge={"verdict": "yes", "confidence": 1.5})], "judge.confidence: expected a number between 0 and 1"),
    (
        "confidence infinite",
        ['{"item_id": "x", "label_source": "human", "judge": {"verdict": "y", "confidence": 1e999}}'],
        "out of range",
    ),
    ("weight", [line(weight=-1)], "weight"),
    ("label nan", [line(labels=[{"annotator": "a1", "label": "NaN"}])], "is no label"),
    ("label object", [line(labels=[{"annotator": "a1", "label": {"x": 1}}])], "a label is a string"),
    ("label float", [line(labels=[{"annotator": "a1", "label": 0.5}])], "a label is a string or a whole number"),
    ("terminal codes in a label", [line(labels=[{"annotator": "a1", "label": "\x1b[31mgood"}])], "printable characters"),
    ("annotator twice", [line(labels=[{"annotator": "a", "label": "x"}, {"annotator": "a", "label": "y"}])], "labels this item twice"),
    ("deep nesting", ["[" * 100_000], "not a JSON object"),
)


@pytest.mark.parametrize(("lines", "match"), [(entry[1], entry[2]) for entry in HOSTILE], ids=[entry[0] for entry in HOSTILE])
def test_hostile_json_lines_end_in_a_clear_error(tmp_path: Path, lines: list[Any], match: str) -> None:
    refused(tmp_path / "l.jsonl", *lines, match=match)


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_csv_columns_are_mapped(tmp_path: Path) -> None:
    text = "idx,doc,a,b,gpt,sure,again,padded\n1,d1,yes,,yes,0.9,yes,no\n2,d1,no,no,broken,,no,no\n"
    columns = LabelMap(
        human=("a", "b"),
        judge_column="gpt",
        cluster="doc",
        confidence_column="sure",
        repeat_columns=("again",),
        probe_columns={"padding": "padded"},
        unusable=("broken",),
    )
    first, second = read_csv(table(tmp_path / "l.csv", text), columns)
    assert (first.item_id, first.cluster_id, first.labels, first.confidence) == ("1", "d1", (("a", "yes"),), 0.9)
    assert dict(second.readings) == {"judge": UNUSABLE, "repeat:1": "no", "probe:padding": "no"}
    assert second.confidence is None


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_common_delimiters(tmp_path: Path, mark: str) -> None:
    path = table(tmp_path / "l.csv", f"id{mark}h{mark}j\n1{mark}a{mark}a\n2{mark}b{mark}a\n")
    assert len(read_csv(path, LabelMap(human=("h",), judge_column="j"))) == 2


def test_one_row_a_label(tmp_path: Path) -> None:
    text = "id,who,choice,gpt\n7,ann,yes,yes\n7,ben,no,yes\n8,ann,no,no\n"
    columns = LabelMap(human=("choice",), annotator="who", judge_column="gpt")
    first, second = read_csv(table(tmp_path / "l.csv", text), columns)
    assert first.labels == (("ann", "yes"), ("ben", "no")) and second.labels == (("ann", "no"),)
    with pytest.raises(LabelFileError, match="'ann' labelled it already"):
        read_csv(table(tmp_path / "l.csv", text + "8,ann,yes,no\n"), columns)
    with pytest.raises(LabelFileError, match="nobody is named"):
        read_csv(table(tmp_path / "l.csv", "id,who,choice,gpt\n7,,yes,yes\n"), columns)


def test_both_orders_in_one_cell(tmp_path: Path) -> None:
    path = table(tmp_path / "l.csv", "id,h,j\n1,1,12\n2,2,x1\n3,1,1|2\n4,2,x\n")
    items = read_csv(path, LabelMap(human=("h",), judge_column="j", both_orders=True, unusable=("x",)))
    assert [dict(item.readings) for item in items] == [
        {"judge": "1", "swapped": "2"},
        {"judge": UNUSABLE, "swapped": "1"},
        {"judge": "1", "swapped": "2"},
        {"judge": UNUSABLE, "swapped": UNUSABLE},
    ]
    by_position = build_sample(items, is_by_position=True)
    assert by_position.reading("swapped").tolist() == [0, 1, 0, UNUSABLE_CODE]


BAD_TABLES = tuple(cases_of("calibration_labels", "bad_tables"))


@pytest.mark.parametrize(("text", "match"), BAD_TABLES)
def test_hostile_csv_ends_in_a_clear_error(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(LabelFileError, match=match):
        read_csv(table(tmp_path / "l.csv", text), LabelMap(human=("h",), judge_column="j"))


def sample_of(tmp_path: Path, *pairs: tuple[str, str], labels: tuple[str, ...] | None = None, **flags: Any) -> Any:
    text = "id,h,j\n" + "".join(f"{number},{h},{j}\n" for number, (h, j) in enumerate(pairs))
    return build_sample(read_csv(table(tmp_path / "l.csv", text), LabelMap(human=("h",), judge_column="j", **flags)), labels)


def test_the_two_label_sets_must_match(tmp_path: Path) -> None:
    with pytest.raises(LabelFileError, match=r"the judge gave '0', people only 1, 2.*--map"):
        sample_of(tmp_path, ("1", "0"), ("2", "1"))
    mapped = sample_of(tmp_path, ("1", "0"), ("2", "3"), translate={"0": "1", "3": "2"})
    assert mapped.reading().tolist() == [0, 1]


def test_labels_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelFileError, match="differ only in case"):
        sample_of(tmp_path, ("Yes", "Yes"), ("yes", "Yes"))


def test_a_million_distinct_labels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelFileError, match="looks like an id"):
        sample_of(tmp_path, *((f"label {number}", "label 1") for number in range(3000)))


def test_no_human_label_at_all(tmp_path: Path) -> None:
    with pytest.raises(LabelFileError, match="no human label in any of 2 items"):
        sample_of(tmp_path, ("", "a"), ("", "a"))


def test_missing_unusable_and_abstained_are_told_apart(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, ("a", ""), ("b", "x"), ("a", "cannot_determine"), ("cannot_determine", "a"), unusable=("x",))
    assert sample.reading().tolist() == [MISSING, UNUSABLE_CODE, ABSTAINED, 0]
    assert sample.truth.tolist() == [0, 1, 0, MISSING]


def test_a_given_label_list_keeps_classes_that_do_not_occur(tmp_path: Path) -> None:
    assert sample_of(tmp_path, ("1", "1"), ("3", "3"), labels=("1", "2", "3")).labels == ("1", "2", "3")
    with pytest.raises(LabelFileError, match="people gave '9'"):
        sample_of(tmp_path, ("1", "1"), ("9", "1"), labels=("1", "2"))


def test_defaults_fill_what_a_file_does_not_say(tmp_path: Path) -> None:
    bare = {"item_id": "x", "labels": [{"annotator": "a", "label": "ja"}], "judge": {"verdict": "??"}}
    defaults = LabelMap(rubric="r", label_source="constructed", translate={"ja": "yes"}, unusable=("??",))
    (item,) = read_json_lines(write(tmp_path / "l.jsonl", bare), defaults)
    assert (item.rubric, item.source, item.labels, item.readings) == ("r", "constructed", (("a", "yes"),), (("judge", UNUSABLE),))


def test_only_items_of_the_wanted_rubric_are_read_and_none_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "l.jsonl", line(), line(item_id="i2", rubric="quote_support"))
    wanted = {rubric: [item.item_id for item in read_items(Request(path, LabelMap(rubric=rubric)))] for rubric in (None, "quote_support")}
    assert wanted == {None: ["i1", "i2"], "quote_support": ["i2"]}
    with pytest.raises(LabelFileError, match="no item of the rubric 'answer_scope'; there are: quote_support, semantic_match"):
        read_items(Request(path, LabelMap(rubric="answer_scope")))


@pytest.mark.parametrize(("one", "other", "expected"), cases_of("calibration_labels", "names"))
def test_two_names_that_can_be_one_person(one: str, other: str, expected: bool) -> None:
    assert can_be_one(one, other) is can_be_one(other, one) is expected


@pytest.mark.parametrize(("name", "expected"), cases_of("calibration_labels", "machines"))
def test_a_name_that_is_a_machines(name: str, expected: bool) -> None:
    assert is_machine_name(name) is expected


@pytest.mark.parametrize(("name", "model", "expected"), cases_of("calibration_labels", "models"))
def test_a_name_that_holds_the_judges(name: str, model: str, expected: bool) -> None:
    assert is_model_name(name, [model]) is expected


@pytest.mark.parametrize(
    ("every", "how", "expected"), cases_of("calibration_labels", "texts_that_are_nearly_the_same_are_versions_of_one_agreement")
)
def test_texts_that_are_nearly_the_same_are_versions_of_one_agreement(every: int, how: str, expected: bool) -> None:
    words = [f"word{n * n % 99991}" for n in range(4000)]
    other = [word if n % every else f"other{n} {word if how == 'put in' else ''}" for n, word in enumerate(words, 1)]
    other = [word for start in reversed(range(0, 4000, every)) for word in words[start : start + every]] if "order" in how else other
    one, two = (sketch_of(" ".join(some)) for some in (words, other))
    assert (one == two or bool([*_versions([one, two, one, ""])])) is expected


def test_more_people_than_can_be_held_against_each_other_are_refused(tmp_path: Path) -> None:
    labels = [{"annotator": f"Ann {n}", "label": "yes"} for n in range(30_000)]
    lines = [{"item_id": "a", "rubric": "r", "label_source": "human", "labels": labels}]
    lines = [lines, [{**lines[0], "item_id": str(n), "labels": [one]} for n, one in enumerate(labels[:1001])]]  # type: ignore[list-item]
    for some in lines:
        (path := tmp_path / "l.jsonl").write_text("\n".join(map(json.dumps, some)))
        with pytest.raises(LabelFileError, match="more than 1,000 people"):
            read_json_lines(path)
