"""Where questions go, and that secrets and other hosts stay out."""

import pytest
from judge_stub import settings

from judge.errors import UsageError
from judge.llm.address import resolve_address
from tests.tables import table


def test_flag_before_environment_before_default() -> None:
    env = {"OPENAI_BASE_URL": "http://gateway.test:4000/v1/", "OPENAI_API_KEY": "k1"}
    assert resolve_address(settings(base_url=None), "m", env).url == "http://gateway.test:4000/v1"
    assert resolve_address(settings(base_url="http://flag.test/v1"), "m", env).host == "flag.test"
    found = resolve_address(settings(base_url=None), "m", {"OPENAI_API_KEY": "k1"})
    assert (found.kind, found.host, found.api_key) == ("openai", "api.openai.com", "k1")


def test_azure_comes_from_the_sdks_own_variables() -> None:
    env = {"AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com/", "AZURE_OPENAI_API_KEY": "k2"}
    found = resolve_address(settings(base_url=None), "deployment", env)
    assert (found.kind, found.url, found.api_key) == ("azure", "https://mine.openai.azure.com", "k2")


@pytest.mark.parametrize(("url", "is_loopback"), table("address", "loopback_is_told_by_address_not_by_likeness"))
def test_loopback_is_told_by_address_not_by_likeness(url: str, is_loopback: bool) -> None:
    assert resolve_address(settings(base_url=url), "m", {}).is_loopback is is_loopback
    assert resolve_address(settings(), "llama:default", {}).is_loopback


def test_credentials_in_a_url_are_not_shown() -> None:
    found = resolve_address(settings(base_url="https://me:pass@h.test:8/v1?token=abc"), "m", {})
    assert found.url == "https://h.test:8/v1" and "pass" not in repr(found) and "abc" not in repr(found)


@pytest.mark.parametrize("url", table("address", "what_is_no_url_is_refused"))
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"http|no URL") as caught:
        resolve_address(settings(base_url=url), "m", {"https_proxy": "http://[bad"})
    assert "hunter22" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("host", ["h.test", "H.TEST", "h.test:8"])
def test_allowed_hosts_with_or_without_port(host: str) -> None:
    assert resolve_address(settings(base_url="https://h.test:8/v1", allow_endpoint=(host,)), "m", {}).host == "h.test"


@pytest.mark.parametrize("host", ["test", "xh.test", "h.test.evil", "h.test:9"])
def test_other_hosts_are_refused(host: str) -> None:
    with pytest.raises(UsageError, match="not among the allowed"):
        resolve_address(settings(base_url="https://h.test:8/v1", allow_endpoint=(host,)), "m", {})


def test_allowed_plain_http_never_passes_a_proxy_that_could_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    with pytest.raises(UsageError, match="a proxy of the environment would read"):
        resolve_address(settings(base_url="http://h.test/v1", allow_endpoint=("h.test",)), "m", {})
    for url in ("https://h.test/v1", "http://127.0.0.1:8/v1"):  # a tunnel; not sent through a proxy at all
        host = resolve_address(settings(base_url=url), "m", {}).host
        assert resolve_address(settings(base_url=url, allow_endpoint=(host,)), "m", {}).host == host
    monkeypatch.setenv("no_proxy", "h.test")
    assert resolve_address(settings(base_url="http://h.test/v1", allow_endpoint=("h.test",)), "m", {}).host == "h.test"
