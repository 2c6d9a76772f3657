# ruff: noqa: F811 (fixtures of another test file)
"""The labelled set asked again on a schedule, disagreements as proposals, and what a run's folder is beside its draws."""

import json
from pathlib import Path

import pytest
from engine_samples import Inputs, read_lines, write_lines
from test_calibration_chain import RUBRICS, SLIP, QuestionJudge, calibrate, endpoint, inputs, label, texts  # noqa: F401

from calibration.label_files.identity import family_note, model_family
from judge.calibrate.certification import read_records
from judge.cli import execute
from tests.tables import table


@pytest.fixture
def watched(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> list[str]:
    """A calibrated judge, and the command that asks it again."""
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 90)
    assert calibrate(inputs.out, tmp_path / "c") == 0
    record = str(tmp_path / "c" / "record.json")
    return ["calibrate", str(inputs.out), "--watch", record, "--out", str(tmp_path / "c"), *endpoint.flags]


def test_the_same_judge_keeps_its_trust(
    watched: list[str], endpoint: QuestionJudge, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = endpoint.requests
    assert execute(watched) == 0
    assert endpoint.requests - before == 90, "a cached answer is no answer of today"
    said = capfd.readouterr().out
    assert "answer_correctness: trust holds" in said and "0 turned wrong, 0 right" in said
    (line,) = read_lines(tmp_path / "c" / "watch.jsonl")
    assert line["trust"] == "holds" and line["items"] == 90 and line["fingerprint"]["model"] == "judge-2026-01"
    assert execute(watched) == 0 and len(read_lines(tmp_path / "c" / "watch.jsonl")) == 2


def test_a_judge_that_got_worse_loses_it(watched: list[str], endpoint: QuestionJudge, capfd: pytest.CaptureFixture[str]) -> None:
    endpoint.blind = SLIP
    assert execute(watched) == 4
    said = capfd.readouterr().out
    assert "trust is gone" in said and "verdicts turned wrong and 0 right, exact McNemar" in said and "next: " in said
    record = Path(watched[watched.index("--watch") + 1])
    (entry,) = read_records([record]).rubrics
    assert not entry.covers and "watch.jsonl beside the record: trust was gone on" in entry.why_not
    endpoint.blind = QuestionJudge.blind
    assert execute(watched) == 0 and read_records([record]).rubrics[0].covers, "a later look finds it again"


def test_another_model_behind_the_same_name_loses_it(
    watched: list[str], endpoint: QuestionJudge, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.model = "judge-2026-02"
    assert execute(watched) == 4
    assert "model differs: calibrated judge-2026-01, running judge-2026-02" in capfd.readouterr().out


def test_trust_that_was_never_given_is_not_gone(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 8)
    assert calibrate(inputs.out, tmp_path / "c") == 4
    capfd.readouterr()
    watched = ["--watch", str(tmp_path / "c" / "record.json"), "--out", str(tmp_path / "w")]
    assert execute(["calibrate", str(inputs.out), *watched, *endpoint.flags]) == 4
    said = capfd.readouterr().out
    assert "trust was never given" in said and "gone" not in said and "next: the record itself trusts nobody" in said
    assert read_lines(tmp_path / "w" / "watch.jsonl")[0]["trust"] == "never_given"


def test_a_record_is_watched_with_its_own_labels(watched: list[str], inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    label(inputs.out, RUBRICS[0], None, lambda session, number: None, "--more", "5")
    assert execute(watched) == 2
    assert "the record was made of other labels" in capfd.readouterr().err
    assert execute([word for word in watched if not word.startswith("--judge") and word != "judge"]) == 2
    assert "--watch asks the judge again: name its model with --judge" in capfd.readouterr().err


def test_disagreements_are_proposed_and_never_applied(
    endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.blind = "failure 9"
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 150)
    code = calibrate(inputs.out, tmp_path / "c", "--suggest")
    assert code == 0 and "these labels are marked as tuned on" in capfd.readouterr().err
    text = (tmp_path / "c" / "suggestions.md").read_text("utf-8")
    assert "## answer_correctness" in text and "[[examples]]" in text and 'reasoning = ""' in text
    assert calibrate(inputs.out, tmp_path / "d") == 4, "labels that a rubric was tuned on prove nothing of it"
    assert "the rubric was tuned on these labels (--suggest" in capfd.readouterr().out


def test_a_folder_with_draws_and_uses_is_still_what_its_run_wrote(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    inputs.run(*endpoint.flags)
    label(inputs.out, RUBRICS[0], 90)
    assert calibrate(inputs.out, tmp_path / "c") == 0
    assert (inputs.out / "draws.jsonl").is_file() and list(inputs.out.glob("*.uses"))
    assert execute(["verify", str(inputs.out)]) == 0


@pytest.mark.parametrize(("judge", "system", "family"), table("calibration_watch", "one_family_is_said"))
def test_one_family_is_said(judge: str, system: str, family: str) -> None:
    note = family_note([judge], system)
    assert bool(note) == bool(family) and (not family or (family in note and model_family(judge) == family))


def test_a_record_says_that_judge_and_system_are_of_one_family(endpoint: QuestionJudge, inputs: Inputs, tmp_path: Path) -> None:
    endpoint.model = "gpt-4.1-2026"
    inputs.run(*endpoint.flags, "--system", "reader 2 on gpt-4o")
    label(inputs.out, RUBRICS[0], 90)
    calibrate(inputs.out, tmp_path / "c")
    entry = json.loads((tmp_path / "c" / "record.json").read_text("utf-8"))["rubrics"][0]
    assert "are of one model family, gpt" in entry["sentence"].replace("Judge (", "judge (")


def test_each_slice_is_shown_with_its_floor(tmp_path: Path) -> None:
    lines = [
        {
            "item_id": str(n),
            "rubric": "x",
            "inputs": {"text": f"text {n}"},
            "labels": [{"annotator": "Ann", "label": ("good", "bad")[n % 2]}],
            "label_source": "human",
            "judge": {"verdict": "good" if n % 8 == 1 else ("good", "bad")[n % 2]},
            "slices": {"language": "fr" if n % 8 == 1 else "en"},
        }
        for n in range(80)
    ]
    assert calibrate(write_lines(tmp_path / "l.jsonl", lines), tmp_path / "c", "--positive", "good") == 1
    assert (tmp_path / "l.jsonl.uses").is_file()
    made_up = write_lines(tmp_path / "m.jsonl", [{**line, "label_source": "constructed"} for line in lines])
    calibrate(made_up, tmp_path / "d", "--positive", "good")
    assert not (tmp_path / "m.jsonl.uses").exists(), "constructed labels certify nobody, however often they are used"
    page, text = ((tmp_path / "c" / f"calibration.{kind}").read_text("utf-8") for kind in ("html", "md"))
    assert "<h2>Slices</h2>" in page and "language fr" in page and "below its floor" in page
    assert "| language fr | failures caught | 0.000" in text and "| 60% | below its floor |" in text
