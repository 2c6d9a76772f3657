import os
from fractions import Fraction
from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.settings import resolve


def test_flag_over_environment_over_dotenv_over_file_over_default(tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text("rpm = 1\ntpm = 1\nrepeats = 2\nconcurrency = 3\n")
    (tmp_path / ".env").write_text("JUDGE_RPM=2\nJUDGE_TPM=2\nJUDGE_REPEATS=4\n")
    found = resolve({"rpm": (9, "--rpm")}, tmp_path, {"JUDGE_RPM": "5", "JUDGE_TPM": "6"})
    assert (found.rpm, found.tpm, found.repeats, found.concurrency, found.max_retries) == (9, 6, 4, 3, 5)


def test_the_stronger_source_says_whether_there_is_gold(tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text("gold = 'g.jsonl'\n")
    found = resolve({"no_gold": (True, "--no-gold")}, tmp_path, {})
    assert found.no_gold and found.gold is None
    found = resolve({"gold": ("a.jsonl", "--gold")}, tmp_path, {"JUDGE_NO_GOLD": "1"})
    assert found.gold == Path("a.jsonl") and not found.no_gold
    found = resolve({}, tmp_path, {"JUDGE_NO_GOLD": "0"})
    assert found.gold == Path("g.jsonl") and not found.no_gold


def test_pyproject_is_read_when_there_is_no_judge_toml(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.judge]\nmax-judge-errors = 0.05\npanel = ['a', 'b']\n")
    found = resolve({}, tmp_path, {})
    assert found.max_judge_errors == Fraction(1, 20) and found.panel == ("a", "b")


def test_lists_and_switches_come_as_text_from_the_environment(tmp_path: Path) -> None:
    found = resolve({}, tmp_path, {"JUDGE_PANEL": "a, b,c", "JUDGE_NO_CACHE": "true", "JUDGE_RUBRICS": "x.toml", "JUDGE_JUDGE": ""})
    assert found.panel == ("a", "b", "c") and found.no_cache and found.rubrics == (Path("x.toml"),) and found.judge == "offline"


@pytest.mark.parametrize("place", ["judge.toml", ".env", "environment"])
def test_a_misspelt_setting_is_refused_with_its_source_and_the_nearest(tmp_path: Path, place: str) -> None:
    environment = {}
    if place == "judge.toml":
        (tmp_path / place).write_text("rmp = 60\n")
    elif place == ".env":
        (tmp_path / place).write_text("JUDGE_RMP=60\n")
    else:
        environment["JUDGE_RMP"] = "60"
    with pytest.raises(UsageError) as caught:
        resolve({}, tmp_path, environment)
    assert place in str(caught.value) and "'rmp'" in str(caught.value) and "did you mean 'rpm'?" in str(caught.value)


def test_variables_of_other_commands_are_left_alone(tmp_path: Path) -> None:
    assert resolve({}, tmp_path, {"JUDGE_PORT": "8000"}, lambda: {"JUDGE_PORT"}).judge == "offline"
    with pytest.raises(UsageError):
        resolve({}, tmp_path, {"JUDGE_PORTS": "8000"}, lambda: {"JUDGE_PORT"})


def test_every_wrong_value_is_listed_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text("repeats = 0\nengine = 'spark'\n")
    with pytest.raises(UsageError) as caught:
        resolve({"budget": ("-1", "--budget")}, tmp_path, {"JUDGE_TIMEOUT": "nan"})
    said = str(caught.value)
    assert "judge.toml: repeats" in said and "judge.toml: engine" in said
    assert "--budget: budget = '-1'" in said and "environment: JUDGE_TIMEOUT: timeout" in said


BEYOND = ["seed=" + "9" * 500, "repeats=10000000", "concurrency=1e9", "max_retries=99999", "tpm=1e308", "cache_mb=inf", "deadline=nan",
          "budget=1e300", "quorum=2", "max_judge_errors=1e-99999999", "temperature=3", "limit=" + "9" * 30]  # fmt: skip


@pytest.mark.parametrize("told", BEYOND)
def test_a_number_beyond_its_range_is_refused_before_anything_is_paid(tmp_path: Path, told: str) -> None:
    name, value = told.split("=")
    with pytest.raises(UsageError, match=f"environment: JUDGE_{name.upper()}: {name}"):
        resolve({}, tmp_path, {f"JUDGE_{name.upper()}": value})


@pytest.mark.parametrize(
    ("text", "flags"), [("[judge]\nmodel = 'm'", {"judge": ("offline", "--judge")}), ("[rmp]", {}), ("[tool.judge]", {})]
)
def test_a_table_of_judge_toml_is_refused_also_where_a_flag_is_stronger(
    tmp_path: Path, text: str, flags: dict[str, tuple[str, str]]
) -> None:
    (tmp_path / "judge.toml").write_text(text)
    with pytest.raises(UsageError, match=r"judge\.toml: \[\w+\] is a table, and no setting is one"):
        resolve(flags, tmp_path, {})


def test_a_quorum_is_held_against_the_panel(tmp_path: Path) -> None:
    assert resolve({}, tmp_path, {"JUDGE_QUORUM": "3", "JUDGE_PANEL": "a,b,c"}).quorum == 3
    with pytest.raises(UsageError, match="so many votes never come of 3 models"):
        resolve({}, tmp_path, {"JUDGE_QUORUM": "4", "JUDGE_PANEL": "a,b,c"})
    with pytest.raises(UsageError, match="names one model twice"):
        resolve({}, tmp_path, {"JUDGE_PANEL": "a,b,a"})


def test_dotenv_fills_the_clients_own_variables_but_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=from-file\nOPENAI_BASE_URL=http://file\nEDITOR_OF_MINE=vi\nOPENAI_ORG_ID=file\n")
    monkeypatch.setattr(os, "environ", {"OPENAI_ORG_ID": "set"})
    resolve({}, tmp_path, {})
    assert os.environ == {"OPENAI_API_KEY": "from-file", "OPENAI_BASE_URL": "http://file", "OPENAI_ORG_ID": "set"}


def test_a_broken_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text("rpm = \n")
    with pytest.raises(UsageError, match=r"judge\.toml: cannot be read"):
        resolve({}, tmp_path, {})


@pytest.mark.parametrize(
    ("setting", "value"),
    [("limit", "9" * 5000), ("limit", 10**30), ("case", "a\udcff"), ("repeats", "1e99"), ("judge", "m" * 9 + "\ud800")],
)
def test_what_cannot_be_counted_or_written_is_one_short_line(tmp_path: Path, setting: str, value: object) -> None:
    with pytest.raises(UsageError, match=rf"--{setting}: ") as caught:
        resolve({setting: (value, f"--{setting}")}, tmp_path, {})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", ["[1]", "{", "1", '{"model": "x"}', '{"messages": []}', '{"a": NaN}', '{"a": 1e999}'])
def test_further_parts_of_a_request_are_an_object_that_leaves_ours_alone(tmp_path: Path, value: str) -> None:
    with pytest.raises(UsageError, match="extra_body"):
        resolve({"extra_body": (value, "--extra-body")}, tmp_path, {})


def test_what_travels_with_a_request_is_what_was_set(tmp_path: Path) -> None:
    given = {
        "temperature": ("0", "f"),
        "extra_body": ('{"top_k": 1}', "f"),
        "reasoning_effort": ("low", "f"),
        "max_output_tokens": ("9", "f"),
    }
    sent = {"temperature": 0.0, "max_output_tokens": 9, "reasoning_effort": "low", "extra_body": {"top_k": 1}}
    assert resolve(given, tmp_path, {}).request_parameters == sent and resolve({}, tmp_path, {}).request_parameters == {}


def test_a_dotenv_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe=1\n")
    with pytest.raises(UsageError, match=r"\.env: cannot be read"):
        resolve({}, tmp_path, {})


def test_a_dotenv_line_with_nul_in_its_name_or_value_sets_no_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    (tmp_path / ".env").write_bytes(b"OPENAI_\0KEY=a\nOPENAI_KEY_B=b\0\nOPENAI_KEY_C=c\n")
    resolve({}, tmp_path, {})
    assert os.environ == {"OPENAI_KEY_C": "c"}
