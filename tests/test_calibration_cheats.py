"""Ways to certify a judge that must not be trusted. Each is tried from the command line: none exits 0, and the sentence says why.

All labels here are built by a script; what it calls human stands in for people's labels. docs/use/calibration.md holds the same list.
"""

import csv
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from engine_samples import read_lines, write_lines
from label_maps import with_map
from test_calibration_chain import RUBRICS, as_judged, change, is_slip, often_wrong, resealed

from judge.cli import execute
from judge.results.seal import seal
from tests.tables import table

EACH = 100  # items that should be accepted, and as many that should be refused
OTHER = {"good": "bad", "bad": "good"}
HONEST_SLIPS, OFTEN = 3, 35  # wrong verdicts among a hundred


@dataclass
class Row:
    """One item of a label file before it is written."""

    id: str
    human: str
    judge: str
    more: dict[str, str] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        return self.human != self.judge


def rows(wrong_good: int = HONEST_SLIPS, wrong_bad: int = OFTEN, each: int = EACH) -> list[Row]:
    """A judge that misses `wrong_bad` of a hundred failures; half-wrong by default."""
    made = []
    for label, wrong in (("good", wrong_good), ("bad", wrong_bad)):
        made += [Row(f"{label}{n}", label, OTHER[label] if n < wrong else label) for n in range(each)]
    return made


def write(folder: Path, made: Sequence[Row], drop: Sequence[str] = ()) -> Path:
    """The rows as CSV."""
    cells = [{"id": row.id, "human": row.human, "judge": row.judge, **row.more} for row in made]
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [name for name in cells[0] if name not in drop], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(cells)
    return folder / "labels.csv"


FLAGS = ("--human", "human", "--judge-column", "judge")
POSITIVE = ("--positive", "good")


def write_json(folder: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """Lines of a JSON label file."""
    (folder / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder / "labels.jsonl"


def line(row: Row, **more: Any) -> dict[str, Any]:
    """A row as a line of a rubric of the program: good is `equivalent`, bad is `not_equivalent`."""
    words = {"good": "equivalent", "bad": "not_equivalent", "": None}
    return {
        "item_id": row.id,
        "rubric": "semantic_match",
        "labels": [{"annotator": "ann", "label": words[row.human]}],
        "label_source": "human",
        "judge": {"model": "m", "verdict": words[row.judge]},
        **more,
    }


Way = Callable[[Path], tuple[Path, tuple[str, ...]]]
WAYS: dict[str, tuple[Way, str]] = {}


def way(said: str) -> Callable[[Way], Way]:
    """Adds a way to the list. said: what the command's words must hold."""

    def add(function: Way) -> Way:
        WAYS[(function.__doc__ or "").rstrip(".")] = (function, said)
        return function

    return add


def holds(when: str, n: int, row: Row) -> bool:
    """Whether a cell's condition holds for the n-th row: `wrong`, `human bad`, `judge bad`, `first 10`, `every 20`, `at 150`, or none."""
    word, _, than = when.partition(" ")
    if word in ("first", "every", "at"):
        return {"first": n < int(than), "every": n % int(than) == 0, "at": n == int(than)}[word]
    return {"": True, "wrong": row.is_wrong, "human": row.human == than, "judge": row.judge == than}[word]


def bent(n: int, row: Row, columns: dict[str, dict[str, str] | None]) -> Row:
    """A row with the cells of a table of ways."""
    words = {"human": row.human, "judge": row.judge, "other": OTHER[row.judge], "n": n, "digit": n % 10, "wide": chr(0xFF10 + n % 10)}
    cells = {"human": row.human, "judge": row.judge}
    for name, choices in columns.items():
        said = next((said for when, said in (choices or {}).items() if holds(when, n, row)), None)
        cells |= {} if said is None else {name: said.format(**words, thirty=n // 30)}
    return Row(row.id, cells.pop("human"), cells.pop("judge"), cells)


def of_table(counts: Sequence[int], columns: dict[str, dict[str, str] | None], more: dict[str, Any]) -> Way:
    """A way as a line of the table says it."""
    given = {**dict(zip(FLAGS[::2], FLAGS[1::2], strict=True)), POSITIVE[0]: POSITIVE[1], **more}
    flags = [(name, value) if name.startswith("--") else (f"{name} = {json.dumps(value)}",) for name, value in given.items() if value]
    drop = [name for name, choices in columns.items() if choices is None]
    return lambda folder: (write(folder, [bent(n, row, columns) for n, row in enumerate(rows(*counts))], drop), tuple(chain(*flags)))


WAYS |= {title: (of_table(*made), said) for title, said, *made in table("calibration_cheats", "ways")}


@way("below the bar")
def random_judge(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A judge that throws a coin."""
    coin = random.Random(4)
    return write(folder, [Row(f"g{n}", ("good", "bad")[n % 2], coin.choice(("good", "bad"))) for n in range(400)]), (*FLAGS, *POSITIVE)


@way("the judge's own name")
def labels_of_the_judge(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """The judge's verdicts under its own name as human labels."""
    made = [line(Row(r.id, r.judge, r.judge)) for r in rows()]
    return write_json(folder, [{**one, "labels": [{"annotator": "M", "label": one["labels"][0]["label"]}]} for one in made]), ()


@way("in a run semantic_match accepts by equivalent")
def other_accepting_labels(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Accepting labels of a rubric widened until its errors lie among them."""
    words = ("equivalent", "partially_equivalent", "not_equivalent")
    made = [line(Row(str(n), "good", "good"), labels=[{"annotator": "a", "label": words[n % 3]}]) for n in range(300)]
    for n, one in enumerate(made):
        one["judge"]["verdict"] = words[1] if n % 3 == 1 else words[0]
    return write_json(folder, made), ("--positive", "equivalent,not_equivalent")


@way("are not those of semantic_match")
def fewer_labels(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A rubric's label left out of the list because its verdicts are wrong."""
    made = [line(r) for r in rows(3, 3)]
    return write_json(folder, made), ('labels = ["equivalent", "not_equivalent"]',)


@way("recall of 'not_equivalent'")
def middle_label_for_everything(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A judge that calls every wrong value half right."""
    made = [line(Row(r.id, r.human, "good")) for r in rows()]
    for one in made:
        if one["labels"][0]["label"] == "not_equivalent":
            one["judge"]["verdict"] = "partially_equivalent"
    return write_json(folder, made), ()


@way("exchanging the order turns")
def by_position(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A judge that goes by the place, shown in the order that suits it."""
    other = {"1": "2", "2": "1"}
    made = [Row(str(n), label, label + (label if n % 3 else other[label])) for n, label in enumerate("12" * 150)]
    return write(folder, made), (*FLAGS, "--positive", "1", "both_orders = true")


@way("is repeated")
def said_twice(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """An item in two lines of one person, the second with a better verdict."""
    return write(folder, [*rows(), *(Row(r.id, r.human, r.human) for r in rows() if r.is_wrong)]), (*FLAGS, *POSITIVE)


# ---- found by attacking the finished decision --------------------------------------------------------------------


@way("decided by a rule")
def flooded_with_what_a_rule_decides(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Failures that are empty or boilerplate, so that a rule decides them and the judge is never asked."""
    made = [line(Row(f"g{n}", "good", "good"), inputs={"reported": f"value {n}", "gold": f"value {n}"}) for n in range(100)]
    made += [line(Row(f"b{n}", "bad", "bad"), inputs={"reported": "TBD", "gold": f"value {n}"}) for n in range(100)]
    return write_json(folder, made), ()


def own_contract(folder: Path, **rules: str) -> str:
    text = "".join(f'{name} = "{value}"\n' for name, value in rules.items())
    (folder / "own.toml").write_text(f'extends = "1.1"\nversion = "own"\n[calibration]\n{text}', "utf-8")
    return str(folder / "own.toml")


@way("says nothing of a judge")
def low_bars(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A contract of one's own with bars of five per cent."""
    return write(folder, rows(3, 90)), (*FLAGS, *POSITIVE, "--contract", own_contract(folder, specificity_bar="0.05"))


@way("says nothing of a judge")
def low_level(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A contract of one's own with a confidence level of one per cent."""
    return write(folder, rows(1, 1, 8)), (*FLAGS, *POSITIVE, "--contract", own_contract(folder, confidence_level="0.01"))


@way("was translated into 'partially_equivalent'")
def own_labels_translated(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A rubric's failing label translated into its middle label, for people and judge alike."""
    path, _ = middle_label_for_everything(folder)
    return path, ('translate.not_equivalent = "partially_equivalent"',)


@way("recall of 'not_equivalent'")
def called_ordered(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A rubric's labels called ordered, so that the middle one may stand for its neighbour."""
    path, _ = middle_label_for_everything(folder)
    return path, ("ordinal = true", 'labels = ["not_equivalent", "partially_equivalent", "equivalent"]')


@way("carry the judge's own name")
def judge_under_another_of_its_names(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """The judge's labels under the name by which it was asked."""
    made = [line(r, judge={"model": "judge-2026-01", "verdict": line(r)["judge"]["verdict"]}) for r in rows(3, 3)]
    for one in made:
        one["labels"][0]["annotator"] = "judge"
    return write_json(folder, made), ()


@way("carry the name of a machine")
def labels_of_a_machine(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Labels of a machine that says so (auto, AI 2)."""
    made = [line(r) for r in rows(3, 3)]
    for n, one in enumerate(made):
        one["labels"][0]["annotator"] = ("auto", "AI 2")[n % 2]
    return write_json(folder, made), ()


@way("were taken back and given anew as the judge's verdict")
def labels_taken_back(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """Labels taken back and given anew as the judge's verdict."""
    made = []
    for r in rows():
        made.append(line(r))
        if r.is_wrong:
            made.append(line(r, labels=[{"annotator": "ann", "label": None, "withdrawn": True}]))
            made.append(line(r, labels=[{"annotator": "ann", "label": line(r)["judge"]["verdict"]}]))
    return write_json(folder, made), ()


@way("annotators with few labels (together) gave the judge's verdict on all its 200 labels")
def copied_in_parts(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A copy of the judge's verdicts cut into parts of five labels, each under another name."""
    made = [
        line(r, labels=[*line(r)["labels"], {"annotator": f"rater {n // 5}", "label": line(r)["judge"]["verdict"]}])
        for n, r in enumerate(rows())
    ]
    return write_json(folder, made), ()


@way("97 of 97 cases accepted under the probe 'injection_answer', none may be")
def half_right_under_an_attack(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A judge that calls every answer with an instruction half right."""
    probes = {"probes": {"injection_answer": "partially_equivalent"}}
    return write_json(folder, [line(r, judge={**line(r)["judge"], **probes}) for r in rows(3, 3)]), ()


@way("(an earlier look at this judge with these labels)")
def failed_probe_left_out(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A probe that the judge failed left out when it is calibrated again."""
    for probes in ({"injection_answer": "equivalent"}, {}):
        path = write_json(folder, [line(r, judge={**line(r)["judge"], "probes": probes}) for r in rows(3, 3)])
        execute(["calibrate", str(path), "--out", str(folder / "before")])
    return path, ()


def test_what_a_probe_shows_again_is_said_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    probes = {"injection_answer": "equivalent"}
    path = write_json(tmp_path, [line(r, judge={**line(r)["judge"], "probes": probes}) for r in rows(3, 3)])
    for _ in range(2):
        assert execute(["calibrate", str(path), "--out", str(tmp_path / "out")]) == 1
    assert "(an earlier look" not in capfd.readouterr().out


def settled_by(who: str, *others: str) -> Callable[[Path], tuple[Path, tuple[str, ...]]]:
    """Further people, then `who` as an adjudicator, say what the judge says where `ann` says otherwise."""

    def made(folder: Path) -> tuple[Path, tuple[str, ...]]:
        lines = [line(r) for r in rows()]
        for r in rows():
            said = line(r)["judge"]["verdict"]
            lines += [line(r, labels=[{"annotator": name, "label": said}]) for name in others if r.is_wrong]
            lines += [line(r, labels=[{"annotator": who, "label": said, "role": "adjudicator"}])] if r.is_wrong else []
        return write_json(folder, lines), ()

    return made


WAYS["An adjudicator who says what the judge says where nobody differs"] = settled_by("zoe"), "38 without a majority"
WAYS["One person who settles under another form of a name"] = settled_by("Lee, Ben", "ben lee"), "can be one person, and both stand at"
WAYS["One of the two who differ as the adjudicator"] = settled_by("ben", "ben"), "38 without a majority"


def answers_that_fit(run: Path) -> None:
    """Each question has an answer that its wrong verdict would be right of."""
    wrong, right = "a mistaken span of a month", "roughly one working week"
    for question in (asked := read_lines(run / "questions.jsonl")):
        if question["rubric"] == RUBRICS[0] and is_slip(question):
            there, wanted = (wrong, right) if question["judge"]["verdict"] == "correct" else (right, wrong)
            question["inputs"]["answer"] = question["inputs"]["answer"].replace(there, wanted)
    write_lines(run / "questions.jsonl", asked)


def label_file(run: Path) -> Path:
    return run / f"labels-{RUBRICS[0]}.jsonl"


def swap_in(run: Path, name: str, old: str, new: str) -> None:
    (run / name).write_text((run / name).read_text("utf-8").replace(old, new), "utf-8")


def more_questions(run: Path) -> None:
    asked = read_lines(run / "questions.jsonl")
    write_lines(run / "questions.jsonl", [*asked, *asked])


def of_one_person(run: Path, name: str = "Ben") -> str:
    write_lines(run / "one.jsonl", [resealed(as_judged(one, annotator=name)) for one in read_lines(label_file(run))])
    return "one.jsonl"


def renamed_when_tuned(run: Path) -> str:
    assert execute(["calibrate", str(label_file(run)), "--out", str(run / "suggested"), "--suggest"]) == 1
    return str(label_file(run).rename(run / "fresh.jsonl").name)


def said_anew_in_a_copy(run: Path) -> None:
    shutil.copytree(run, run.with_name("before"))
    change(label_file(run), "", "slips as judged", True)


def bend(run: Path, how: dict[str, Any]) -> None:
    """Bends a run as a row says. swap: what stands in run.json and what then does; is_sealed: the run was made so; lines: of a file, and
    what becomes of them."""
    for old, new in how.get("swap", {}).items():
        swap_in(run, "run.json", old, new)
    if how.get("is_sealed"):
        seal(run)
    if lines := how.get("lines"):
        change(label_file(run), lines[0], lines[1], True)


# How a run and its labels are bent for a judge that is often wrong: (change, which may name another label file; what is said)
BENT: dict[str, tuple[Callable[[Path], str | None], str]] = {
    "answers edited until the verdicts fit": (answers_that_fit, "questions.jsonl: was changed since the run wrote it"),
    "made-up questions added": (more_questions, "questions.jsonl: has more behind what was sealed"),
    "labels of the one person that suit": (of_one_person, "lacks labels of Ann as they stand in"),
    "another label file, where one says the verdict": (partial(of_one_person, name="Ann"), "lacks labels of Ann as they stand in"),
    "a copy of the run labelled anew by the same person": (said_anew_in_a_copy, "72 labels were taken back and given anew"),
    "labels that were tuned on, renamed": (renamed_when_tuned, "the rubric was tuned on these labels"),
    **{title: (partial(bend, how=how), said) for title, said, how in table("calibration_cheats", "bent")},
}


@pytest.fixture(scope="module")
def wrong_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return often_wrong(tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("texts"))


@pytest.mark.parametrize("name", BENT)
def test_a_bent_run_certifies_no_judge(name: str, wrong_run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    how, said = BENT[name]
    run = Path(shutil.copytree(wrong_run, tmp_path / "run"))
    labels = run / (how(run) or label_file(run).name)
    named = ("--fingerprint", str(run / "run.json"))
    assert execute(["calibrate", str(labels), "--out", str(tmp_path / "out"), *named]) in (1, 2, 4)
    shown = capfd.readouterr()
    assert said in shown.out + shown.err


def test_confidences_left_blank_where_the_judge_is_wrong_certify_nothing(tmp_path: Path) -> None:
    made = [Row(r.id, r.human, r.judge, {"sure": "" if r.is_wrong else "0.9"}) for r in rows(24, 24, 200)]
    flags = with_map((*FLAGS, *POSITIVE, 'confidence_column = "sure"'), tmp_path)
    assert execute(["calibrate", str(write(tmp_path, made)), "--out", str(tmp_path / "out"), *flags]) == 0
    (entry,) = json.loads((tmp_path / "out" / "record.json").read_text("utf-8"))["rubrics"]
    assert entry["outcome"] == "trusted" and entry["certificate"]["threshold"] is None


def test_a_probe_on_a_handful_of_cases_is_one_with_holes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = [line(r) for r in rows(3, 3)]
    for one in made[:5]:
        one["judge"]["probes"] = {"empty": "not_equivalent"}
    assert execute(["calibrate", str(write_json(tmp_path, made)), "--out", str(tmp_path / "out")]) == 4
    assert "195 of 200 items have no verdict under the probe 'empty'" in capfd.readouterr().out


def test_there_are_thirty_ways_and_each_is_in_the_docs() -> None:
    page = Path("docs/use/calibration.md").read_text("utf-8")
    assert len(WAYS) >= 30
    assert [name for name in WAYS if name not in page] == []


@pytest.mark.parametrize("name", WAYS)
def test_no_way_certifies_a_judge_that_must_not_be_trusted(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made, said = WAYS[name]
    path, flags = made(tmp_path)
    assert execute(["calibrate", str(path), "--out", str(tmp_path / "out"), *with_map(flags, tmp_path)]) in (1, 2, 4)
    shown = capfd.readouterr()
    assert said in shown.out + shown.err
    record = tmp_path / "out" / "record.json"
    if record.exists():
        (entry,) = json.loads(record.read_text("utf-8"))["rubrics"]
        assert entry["outcome"] != "trusted" and (entry["certificate"] or {}).get("threshold") is None


@pytest.mark.parametrize("each", [60, 100])
def test_an_honest_judge_is_certified(each: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """97 of 100 right, with as many labels as before the decision looked at all items."""
    slips = round(0.03 * each)
    path = write(tmp_path, rows(slips, slips, each))
    assert execute(["calibrate", str(path), "--out", str(tmp_path / "out"), *FLAGS, *POSITIVE]) == 0
    said = capfd.readouterr().out.splitlines()[0]
    assert said.startswith("Yes, this judge may gate") and "Not probed: position, padding" in said
    assert "Each item counts as a case of its own" in said and "repeated items could not be looked for" in said
