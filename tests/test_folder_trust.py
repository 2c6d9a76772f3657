"""A checkout's files never say where a key of somebody else goes, unless that person has said so."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from judge.commands.preparing.trust import command
from judge.errors import UsageError
from judge.settings import Settings, resolve
from judge.settings.folder_trust import store
from tests.tables import table

ROUTES = table("folder_trust", "routes")
SECRETS = ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_CUSTOM_HEADERS"]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found = {"OPENAI_API_KEY": "sk-own-0123456789", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    monkeypatch.setattr(os, "environ", found)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checkout").mkdir()
    return tmp_path / "checkout"


def settle(folder: Path, *, asks: bool = True, **flags: object) -> Settings:
    return resolve({name: (value, f"--{name}") for name, value in {"judge": "m", **flags}.items()}, folder, {}, asks=asks)


@pytest.mark.parametrize(("name", "text"), ROUTES)
def test_what_a_folder_names_is_refused_for_a_key_from_elsewhere(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text)
    before = dict(os.environ)
    with pytest.raises(UsageError, match="--trust-folder"):
        settle(folder)
    assert os.environ == before
    settle(folder, trust_folder=True)


@pytest.mark.parametrize("secret", SECRETS)
def test_every_secret_of_a_request_counts(secret: str, folder: Path) -> None:
    (folder / "judge.toml").write_text("base_url = 'http://elsewhere.test/v1'")
    del os.environ["OPENAI_API_KEY"]
    assert settle(folder).base_url
    os.environ[secret] = "X-Key: 0123456789"
    with pytest.raises(UsageError):
        settle(folder)


def test_the_identity_of_the_person_goes_to_no_endpoint_of_a_folder(folder: Path) -> None:
    del os.environ["OPENAI_API_KEY"]
    (folder / ".env").write_text("AZURE_OPENAI_ENDPOINT=https://elsewhere.test")
    with pytest.raises(UsageError):
        settle(folder)


def test_a_folder_with_key_and_endpoint_keeps_working_twice_and_its_key_is_not_the_next_folders(folder: Path, tmp_path: Path) -> None:
    del os.environ["OPENAI_API_KEY"]
    (folder / ".env").write_text("OPENAI_API_KEY=sk-of-the-folder\nHTTPS_PROXY=http://gateway.test")
    (folder / "judge.toml").write_text("base_url = 'http://gateway.test/v1'")
    for _ in range(2):
        assert settle(folder).base_url == "http://gateway.test/v1"
    assert os.environ["OPENAI_API_KEY"] == "sk-of-the-folder" and os.environ["HTTPS_PROXY"] == "http://gateway.test"
    with pytest.raises(UsageError):
        (tmp_path / "judge.toml").write_text("base_url = 'http://elsewhere.test/v1'")
        settle(tmp_path)


@pytest.mark.parametrize("text", ["OPENAI_API_KEY=\nOPENAI_BASE_URL=http://file", "OPENAI_BASE_URL=http://file\nOPENAI_API_KEY=theirs"])
def test_a_key_beside_the_endpoint_does_not_hide_that_ours_is_used(text: str, folder: Path) -> None:
    (folder / ".env").write_text(text)
    with pytest.raises(UsageError):
        settle(folder)


def test_variables_of_ci_and_flags_win_over_the_folder(folder: Path) -> None:
    (folder / "judge.toml").write_text("base_url = 'http://elsewhere.test/v1'")
    (folder / ".env").write_text("AZURE_OPENAI_ENDPOINT=https://elsewhere.test\nOPENAI_BASE_URL=http://elsewhere.test")
    assert settle(folder, base_url="http://mine.test/v1").base_url == "http://mine.test/v1"
    os.environ["OPENAI_BASE_URL"] = "http://mine.test/v1"
    assert settle(folder).base_url is None and os.environ["OPENAI_BASE_URL"] == "http://mine.test/v1"
    assert "AZURE_OPENAI_ENDPOINT" not in os.environ


def test_commands_that_ask_no_judge_go_on_without_the_folders_routes(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_BASE_URL=http://elsewhere.test\nOPENAI_ORG_ID=org")
    for change in ({"asks": False}, {"judge": "offline"}):
        settle(folder, **change)  # type: ignore[arg-type]
        assert "OPENAI_BASE_URL" not in os.environ and os.environ["OPENAI_ORG_ID"] == "org"


@pytest.mark.parametrize(("name", "text"), [("judge.toml", "trust_folder = true"), (".env", "JUDGE_TRUST_FOLDER=1")])
def test_a_folder_cannot_trust_itself(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text)
    with pytest.raises(UsageError, match="cannot say that it is trusted"):
        settle(folder)


def test_a_stored_decision_holds_until_a_route_changes(folder: Path) -> None:
    (folder / "judge.toml").write_text("base_url = 'http://user:pass@gateway.test/v1?key=secret'\nrpm = 1")
    said = CliRunner().invoke(command, [str(folder)]).output
    assert "gateway.test/v1" in said and "pass" not in said and "secret" not in said
    (folder / "judge.toml").write_text("base_url = 'http://user:pass@gateway.test/v1?key=secret'\nrpm = 2")
    assert settle(folder).base_url
    assert str(folder) in CliRunner().invoke(command, ["--list"]).output and "pass" not in store().read_text()
    (folder / ".env").write_text("HTTPS_PROXY=http://elsewhere.test")
    with pytest.raises(UsageError, match="HTTPS_PROXY"):
        settle(folder)
    (folder / ".env").unlink()
    CliRunner().invoke(command, ["--remove", str(folder)])
    with pytest.raises(UsageError):
        settle(folder)


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"x": 1}', "[" * 100_000])
def test_a_broken_list_trusts_nobody(text: str, folder: Path) -> None:
    (folder / "judge.toml").write_text("base_url = 'http://gateway.test/v1'")
    store().parent.mkdir(parents=True)
    store().write_text(text)
    with pytest.raises(UsageError):
        settle(folder)
