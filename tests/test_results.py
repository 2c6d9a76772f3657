import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from engine_samples import Inputs, write_lines

from judge.capabilities.registry import field_of
from judge.disk import to_json, write_atomically
from judge.errors import InputError, UsageError
from judge.records import NOT_REQUIRED, Answer, Claimed, Finding, GateView, Item, JudgedCase, NonOutcome, Outcome, Provenance, Said
from judge.results.decisions import binding
from judge.results.folder import ResultFolder, VerdictReader
from judge.results.growth import Growth
from judge.results.lines import JsonLine, item_of, lines_of_case, verdict_line, wrong_part
from rubrics.contract import load_contract
from tests.tables import table

SCORES = load_contract().label_scores
RUN = {"identity": {"batch": "x", "contract": "1"}}


def line(case_id: str, item: str = "answer", outcome: str = "correct", **more: Any) -> JsonLine:
    score = None if outcome in ("undecided", "judge_error") else float(SCORES[outcome])
    bounds = [0.0, 1.0] if score is None else [score, score]
    given = {"case_id": case_id, "item": item, "tranche": None, "outcome": outcome, "score": score, "bounds": bounds, "weight": 1.0}
    return {**given, "decided_by": "deterministic", **more}


def append(folder: Path, *cases: list[JsonLine], is_fresh: bool = False, run: dict[str, Any] = RUN) -> set[str]:
    with ResultFolder(folder) as results:
        finished = results.start(run, is_fresh=is_fresh)
        for lines in cases:
            results.append(JudgedCase(tuple(map(item_of, lines))))
    return set(finished)


def add(folder: Path, lines: str | bytes) -> None:
    """Lines behind those of a folder, which vouches for them."""
    with (folder / "verdicts.jsonl").open("ab") as file:
        file.write(lines.encode() if isinstance(lines, str) else lines)
    Growth(folder / "verdicts.jsonl", folder / "questions.jsonl").note()


def read(folder: Path, case_id: str) -> list[Item] | None:
    reader = VerdictReader(folder / "verdicts.jsonl", SCORES)
    try:
        return reader.case(case_id)
    finally:
        reader.close()


def test_resumes_after_any_cut(tmp_path: Path) -> None:
    append(tmp_path, [line("a"), line("a", "b")], [line("c"), line("c", "d")])
    whole = (tmp_path / "verdicts.jsonl").read_bytes()
    growth = (tmp_path / "growth.txt").read_bytes()
    of_a = whole.index(b'{"case_id": "c"')
    for cut in range(0, len(whole) + 1, 7):
        (tmp_path / "verdicts.jsonl").write_bytes(whole[:cut])
        (tmp_path / "growth.txt").write_bytes(growth)
        assert append(tmp_path) == ({"a", "c"} if cut == len(whole) else {"a"} if cut >= of_a else set())
        kept = (tmp_path / "verdicts.jsonl").read_bytes()
        assert kept == (whole if cut == len(whole) else whole[:of_a] if cut >= of_a else b"")


@pytest.mark.parametrize(("what", "left"), [("c", {"a"}), ("a", set()), ("growth.txt", set()), ("questions.jsonl", set())])
def test_what_nobody_vouches_for_in_a_run_that_was_stopped_is_judged_again(tmp_path: Path, what: str, left: set[str]) -> None:
    append(tmp_path, [line("a"), line("a", "b")], [line("c")])
    path = tmp_path / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    if what == "growth.txt":
        (tmp_path / what).unlink()
    elif what == "questions.jsonl":
        (tmp_path / what).write_bytes(b'{"case_id": "a"}\n')
    else:
        path.write_bytes(
            b"".join(one.replace(b"correct", b"partial") if b'"case_id": "%c"' % what.encode() in one else one for one in lines)
        )
    whole = append(tmp_path)
    assert whole == (left if what != "questions.jsonl" else {"a", "c"})  # the lines of no case are behind what was written: they go
    assert b"partial" not in path.read_bytes() and not (what == "questions.jsonl" and (tmp_path / what).read_bytes())
    assert append(tmp_path, [line("z")]) == whole and append(tmp_path) == whole | {"z"}


@pytest.mark.parametrize("seal", [{"seal": {}}, {}])
def test_a_case_that_is_judged_again_leaves_the_others_vouched_for(tmp_path: Path, seal: dict[str, Any]) -> None:
    append(tmp_path, [line("a")], [line("b", outcome="judge_error")], [line("c")])
    (tmp_path / "run.json").write_text(json.dumps({**RUN, **seal}))
    assert append(tmp_path) == {"a", "c"} == append(tmp_path)
    assert append(tmp_path, [line("b")]) == {"a", "c"} and append(tmp_path) == {"a", "b", "c"}


def test_a_result_folder_writes_through_no_link(tmp_path: Path) -> None:
    append(tmp_path / "out", [line("a")])
    for name in ("verdicts.jsonl", "labels.jsonl", "batches", "redacted", "growth.txt"):
        kept = tmp_path / "out" / name
        kept.unlink(missing_ok=True)
        kept.symlink_to(tmp_path / "theirs")
        with pytest.raises(UsageError, match=f"{name} is a link"):
            append(tmp_path / "out", [line("b")])
        kept.unlink()
    assert not (tmp_path / "theirs").exists()


def test_other_inputs_are_refused_naming_what_changed(tmp_path: Path) -> None:
    append(tmp_path, [line("a")])
    with pytest.raises(UsageError, match=r"other batch; start over with --fresh or give another --out"):
        append(tmp_path, run={"identity": {"batch": "y", "contract": "1"}})
    assert append(tmp_path, run={"identity": {"batch": "y"}}, is_fresh=True) == set()
    assert (tmp_path / "verdicts.jsonl").read_bytes() == b""


def test_verdicts_without_run_json_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "verdicts.jsonl").write_text("x\n")
    with pytest.raises(UsageError, match="no run wrote it"):
        append(tmp_path)


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with ResultFolder(tmp_path), pytest.raises(UsageError, match="another run is writing here"), ResultFolder(tmp_path):
        pass
    with ResultFolder(tmp_path):
        pass


def test_provisional_cases_and_judge_errors_are_judged_again(tmp_path: Path) -> None:
    broken = [line("a", outcome="judge_error")]
    provisional = [line("b", outcome="undecided", provisional=True)]
    append(tmp_path, broken, provisional, [line("c", outcome="undecided")])
    assert append(tmp_path) == {"c"}
    assert [x["case_id"] for x in map(json.loads, (tmp_path / "verdicts.jsonl").read_text().splitlines())] == ["c"]


def by_person(case_id: str, item: str, outcome: str, **more: Any) -> str:
    said = {"case_id": case_id, "item": item, "tranche": None, "outcome": outcome, "decided_by": "human", "who": "Ann", **more}
    return json.dumps(said) + "\n"


@pytest.mark.parametrize("who", [None, "", "  "])
def test_a_verdict_of_nobody_is_no_line(who: str | None) -> None:
    assert "who is missing" in wrong_part(json.loads(by_person("a", "fields.margin", "correct", who=who)))


def test_a_persons_verdict_wins_and_keeps_what_it_does_not_say(tmp_path: Path) -> None:
    append(tmp_path, [line("a", outcome="undecided", why_open="offline", can_hallucinate=True, reported="x"), line("a", "b")])
    with (tmp_path / "verdicts.jsonl").open("a") as file:
        file.write(by_person("a", "answer", "fail") + by_person("a", "answer", "semantic_match", reason="read it"))
    found = read(tmp_path, "a")
    assert found is not None and [x.item for x in found] == ["answer", "b"]
    assert (found[0].outcome, found[0].score, found[0].bounds, found[0].reported) == ("semantic_match", 0.75, (0.75, 0.75), "x")
    assert found[0].why_open == "" and not found[0].can_hallucinate


def test_a_persons_verdict_survives_judging_the_case_again_but_overrules_nothing(tmp_path: Path) -> None:
    broken, open_ = {"outcome": "judge_error"}, {"outcome": "undecided", "bounds": [0.0, 1.0]}
    append(tmp_path, [line("a", **broken), line("a", "b", **broken), line("a", "c", **broken)])
    add(tmp_path, by_person("a", "answer", "partial", who="Ann") + by_person("a", "c", "partial"))
    assert append(tmp_path, [line("a"), line("a", "b"), line("a", "c", **open_)]) == set()
    found = read(tmp_path, "a")
    assert found is not None and [x.outcome for x in found] == ["correct", "correct", "partial"]
    assert found[0].correction == Said("partial", "Ann") and found[1].correction is None


def test_a_decision_is_bound_to_what_it_settles(tmp_path: Path) -> None:
    waiting = {"outcome": "undecided", "bounds": [0.0, 1.0], "why_open": "offline", "reported": "3.10", "gold": "3.10 %"}
    append(tmp_path, [line("a", **waiting)])
    bound = binding(item_of(line("a", **waiting)), "")
    with (tmp_path / "verdicts.jsonl").open("a") as file:
        file.write(by_person("a", "answer", "correct", who="Ann", settles=bound))
    assert read(tmp_path, "a")[0].outcome == "correct"  # type: ignore[index]
    cited = {"outcome": "exact", "claim": {"document": "a.pdf", "page": 3, "quote": "another"}}
    others = {
        "reported": "9.99",
        "gold": "3.20 %",
        "bounds": [0.0, 0.5],
        "provenance": cited,
        "question": "And now?",
        "documents_hash": "b",
    }
    for other in ({key: value} for key, value in others.items()):
        text = (tmp_path / "verdicts.jsonl").read_text().splitlines()[-1]
        (tmp_path / "verdicts.jsonl").write_text(json.dumps({**line("a", **{**waiting, **other}), "case_items": 1}) + "\n" + text + "\n")
        (found,) = read(tmp_path, "a") or ()
        assert (found.outcome, found.former) == ("undecided", (Said("correct", "Ann"),)), other


def test_documents_are_told_apart_by_what_they_hold_and_not_by_name() -> None:
    item, hashes = item_of(line("a", documents_hash="old")), {"a.pdf": "1", "copy of a.pdf": "1", "b.pdf": "2"}

    def mark(*names: str) -> str | None:
        return lines_of_case(JudgedCase((item,), documents=names), hashes)[0].get("documents_hash")

    assert mark("a.pdf") == mark("copy of a.pdf") and mark("a.pdf", "b.pdf") == mark("b.pdf", "copy of a.pdf") and mark() is None
    assert len({mark("a.pdf"), mark("b.pdf"), mark("a.pdf", "b.pdf")}) == 3


def test_nobody_settles_an_item_beyond_what_it_can_still_be(tmp_path: Path) -> None:
    append(tmp_path, [line("a", outcome="undecided", bounds=[0.0, 0.5], why_open="offline")])
    for label, outcome in (("correct", "undecided"), ("hallucination", "undecided"), ("partial", "partial"), ("fail", "fail")):
        with (tmp_path / "verdicts.jsonl").open("a") as file:
            file.write(by_person("a", "answer", label))
        (found,) = read(tmp_path, "a") or ()
        assert found.outcome == outcome and (found.correction is None) == (label == outcome)


def test_a_line_that_is_no_verdict_names_file_and_line(tmp_path: Path) -> None:
    append(tmp_path, [line("a")])
    add(tmp_path, "{}\n")
    with pytest.raises(InputError, match=r"verdicts\.jsonl:2: is not a line that a run writes"):
        append(tmp_path)


def test_cases_are_read_in_any_order(tmp_path: Path) -> None:
    append(tmp_path, [line("ä"), line("ä", "b")], [line('"q\\')])
    assert len(read(tmp_path, "ä") or []) == 2 and len(read(tmp_path, '"q\\') or []) == 1 and read(tmp_path, "none") is None


def test_a_failed_rebuild_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    write_atomically(path, ["old"])

    def chunks() -> Any:
        yield "new"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_atomically(path, chunks())
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["cases.jsonl"]


def test_weights_that_no_number_holds_come_back_exactly() -> None:
    item = Item("a", "loan_onboarding", "tranches.Facility B.1.margin", "Facility B.1", Outcome.PARTIAL, 0.5,
                (0.5, 0.5), Fraction(3, 7), NOT_REQUIRED, "deterministic", "r", "why")  # fmt: skip
    found = item_of(json.loads(json.dumps(verdict_line(item))))
    assert found == item and found.weight == Fraction(3, 7) and field_of(found) == "margin" and not found.provenance.is_required


@pytest.mark.parametrize("change", table("results", "an_edited_line_is_named_and_never_a_score"))
def test_an_edited_line_is_named_and_never_a_score(tmp_path: Path, change: dict[str, Any]) -> None:
    append(tmp_path, [line("a")])
    add(tmp_path, json.dumps({**line("a", "b"), **change}) + "\n")
    with pytest.raises(InputError, match=r"verdicts\.jsonl:2: is not a line that a run writes: "):
        append(tmp_path)
    with pytest.raises(InputError, match=r"verdicts\.jsonl:2: "):
        read(tmp_path, "a")


@pytest.mark.parametrize(
    "tail", [b"garbage\n", b"\0" * 4096 + b"\n", b"[" * 100_000 + b"\n", b"null\n", b'{"case_id": "a", "x": NaN}\n', b"\xff\xfe\n"]
)
def test_a_line_that_is_none_is_named(tmp_path: Path, tail: bytes) -> None:
    append(tmp_path, [line("a")])
    add(tmp_path, tail)
    for use in (lambda: append(tmp_path), lambda: read(tmp_path, "a")):
        with pytest.raises(InputError, match=r"verdicts\.jsonl:2: is not a line that a run writes"):
            use()


@pytest.mark.parametrize("text", ["[]", "null", '{"identity": "x"}', '{"identity": {}, "usage": "x"}', '{"a":'])
def test_a_run_file_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    append(tmp_path, [line("a")])
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=r"run\.json: (is not|identity: is|usage: is)"):
        append(tmp_path)


def test_every_line_of_a_run_is_written_again_byte_for_byte(tmp_path: Path) -> None:
    inputs = Inputs(tmp_path / "in")
    inputs.batch[0]["output"]["fields"]["margin"] |= {"confidence": 0, "hitl": "block"}
    inputs.batch[0]["output"]["fields"]["borrower"]["citation"]["page"] = "ii"
    accepted = {"case_id": "sample-onboarding", "item": "fields.margin", "who": "A", "why": "B", "expires": "2100-01-01"}
    inputs.write().run("--exceptions", str(write_lines(tmp_path / "exceptions.jsonl", [accepted])))
    raw = (inputs.out / "verdicts.jsonl").read_text("utf-8").splitlines()
    for text in raw:
        given = json.loads(text)
        assert to_json({**verdict_line(item_of(given)), "case_items": given["case_items"]}) == text
    assert len(raw) == 17 and '"confidence": 0,' in raw[8] and '"exception": {"who": "A"' in raw[8]


def test_the_gates_view_and_a_judges_answer_are_written_and_read_alike() -> None:
    answer = Answer(
        "equivalent", "x", "y", model="m", by="panel", confidence=0.0, votes=(("a", "equivalent"),), findings=(Finding("F", "d"),)
    )
    cited = Provenance("exact", Fraction(1), True, "exact", "right", "right", (2,), ("Clause 1",), 100.0, "a.pdf", ((1, 5),),
                       claim=Claimed("a.pdf", 2, "Clause 1", "words"))  # fmt: skip
    view = GateView(NonOutcome.UNDECIDED, (0.0, 1.0), True, NOT_REQUIRED)
    item = Item("a", "loan_onboarding", "fields.margin", None, Outcome.CORRECT, 1.0, (1.0, 1.0), Fraction(3), cited, "panel", "r",
                "why", (cited,), "semantic_match", answer, uncertified=view, is_provisional=True, who="Ann", when="now",
                why="because", dimensions={"D1": (Fraction(1, 3), Fraction(1))})  # fmt: skip
    line = json.loads(to_json(verdict_line(item)))
    assert item_of(line) == item
    assert (
        line["uncertified"]["outcome"] == "undecided"
        and line["uncertified"]["dimensions"] is None
        and line["provenance"]["claim"]["page"] == 2
    )


@pytest.mark.parametrize("inner", table("results", "an_edited_part_of_a_line_is_named"))
def test_an_edited_part_of_a_line_is_named(tmp_path: Path, inner: dict[str, Any]) -> None:
    append(tmp_path, [line("a")])
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps({**line("a"), **inner, "case_items": 1}) + "\n")
    with pytest.raises(InputError, match=r"verdicts\.jsonl:1: is not a line that a run writes: (provenance|findings|judge)\."):
        read(tmp_path, "a")
