"""The key of the judge reaches no stream and no file, whatever the endpoint echoes."""

import itertools
import json
import os
import subprocess
import sys
import time
import types
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import pytest
from batch_server import completion, serving
from engine_samples import Inputs, open_answers
from hypothesis import given
from hypothesis import strategies as st
from loopback import Handler, answering

from judge.cli import execute
from judge.llm.redaction import Redactor

KEY = "Wq7/zeta+Orbit_55%ivory=Lamp"  # of no known prefix, and with characters that every coding writes otherwise
PASSWORD = "heron:Tunnel-88-Basalt"


def hidden(text: str) -> str:
    """The key as JSON may spell it."""
    return "".join(f"\\u{ord(character):04x}" for character in text)


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: key,
    "bearer": lambda key: f"Authorization: Bearer {key}",
    "api-key header": lambda key: f"{{'api-key': '{key}'}}",
    "url user": lambda key: f"https://{key}@gateway.test/v1",
    "url-encoded": lambda key: quote(key, safe=""),
    "encoded twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 within": lambda key: b64encode(f"user:{key}:realm".encode()).decode(),
    "base32": lambda key: b32encode(f"ab{key}z".encode()).decode(),
    "base64 for URLs": lambda key: urlsafe_b64encode(f"ab{key}z".encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "JSON in JSON": lambda key: json.dumps(json.dumps(key)),
    "JSON escapes": hidden,
    "escaped slashes": lambda key: key.replace("/", "\\/"),
    "HTML": lambda key: "".join(f"&#{ord(character)};" for character in key),
    "cut": lambda key: key[:-4],
}


def traces(text: str, key: str) -> list[str]:
    """The forms of a key that stand in a text."""
    return [name for name, write in FORMS.items() if write(key) in text]


CUTS = {"behind": slice(None, -9), "before": slice(9, None), "at both ends": slice(5, -5)}
SPELLED: dict[str, Callable[[str], str]] = {  # each of a whole key or of one that is cut
    "lines": lambda key: "\n".join(key[at : at + 7] for at in range(0, len(key), 7)),
    "quoted lines": lambda key: "\n> ".join(key[at : at + 10] for at in range(0, len(key), 10)),
    "spaces": " ".join,
    "tag characters": lambda key: "".join(chr(0xE0000 + ord(c)) for c in key),
    "joiners and a filler": lambda key: "\u2060\u180b\u3164".join(key),
    "dashes": "-".join,
    "capitals": str.upper,
    "turned case": str.swapcase,
    "backwards": lambda key: key[::-1],
    "backwards in base64": lambda key: b64encode(key[::-1].encode()).decode(),
    "base64 backwards": lambda key: b64encode(key.encode()).decode()[::-1],
    "hex backwards": lambda key: key.encode().hex()[::-1],
    "backwards, escaped": lambda key: hidden(key[::-1]),
    "base64 in lines": lambda key: "=\r\n".join(b64encode(f"a{key}".encode()).decode()[at : at + 11] for at in range(0, 2 * len(key), 11)),
    "entities without ;": lambda key: "".join(f"&#{ord(c)}" for c in key),
    "hex entities without ;": lambda key: "".join(f"&#x{ord(c):X}" for c in key),
    "octal": lambda key: "".join(f"\\{ord(c):03o}" for c in key),
    "hex escapes": lambda key: "".join(f"\\x{ord(c):02x}" for c in key),
    "hex with colons": lambda key: key.encode().hex(":"),
    "hex dump": lambda key: ", ".join(f"0x{octet:02X}" for octet in key.encode()),
    "decimal list": lambda key: ", ".join(str(octet) for octet in key.encode()),
    "quoted printable": lambda key: "".join(f"={ord(c):02X}" for c in key),
    "every second one escaped": lambda key: "".join(f"%{ord(c):02x}" if n % 2 else f"&#{ord(c)};" for n, c in enumerate(key)),
    "nothing that is seen between": "\u200b".join,
    "accents between": lambda key: json.dumps("\u0301".join(key)),
    "composed accents": lambda key: normalize("NFC", "\u0301".join(key)),
    "full width": lambda key: "".join(chr(ord(c) + 0xFEE0) for c in key),
    "escaped full width": lambda key: json.dumps("".join(chr(ord(c) + 0xFEE0) for c in key)),
    "letters in rings": lambda key: "".join(chr(0x24D0 + ord(c) - 97) if c.islower() else c for c in key),
    "mathematical": lambda key: "".join(chr(0x1D41A + ord(c) - 97) if c.islower() else c for c in key),
    "UTF-16 in hex": lambda key: key.encode("utf-16-be").hex(),
    "UTF-32 in hex": lambda key: key.encode("utf-32-le").hex(),
    "UTF-16 in base64": lambda key: b64encode(key.encode("utf-16-be")).decode(),
    "backslashes": lambda key: "".join("\\" * 5 + f"u00{ord(c):02x}" for c in key),
    **FORMS,
}
KEYS = st.text(st.sampled_from("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_/+="), min_size=40, max_size=80).filter(
    lambda key: not set(key) & set(".") and sum(c.isalnum() for c in key) >= 32 and sum(c.isdigit() for c in key) >= 4
)


def runs_of(key: str, text: str, length: int) -> list[str]:
    return [key[at : at + length] for at in range(len(key) - length + 1) if key[at : at + length] in text]


@given(KEYS, st.sampled_from(sorted(SPELLED)), st.sampled_from([None, *CUTS]), st.text("aé \n", max_size=9))
def test_no_form_of_a_secret_is_left(key: str, form: str, cut: str | None, around: str) -> None:
    written = SPELLED[form](key[CUTS[cut]] if cut else key)
    redacted = Redactor([key]).text(f"{around} <{written}> {around}")
    assert "[key]" in redacted and not runs_of(written, redacted, max(len(written) // 2, 8))


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=60),
    st.sampled_from(["as it is", "bearer", "url user", "url-encoded", "base64", "base64 within", "base64 for URLs", "hex"]),
)
def test_a_secret_of_few_letters_is_taken_out_as_it_stands(key: str, form: str) -> None:
    assert FORMS[form](key) not in Redactor([key]).text(f"a <{FORMS[form](key)}>")


def test_what_only_shares_words_with_a_secret_stays() -> None:
    text = "The Lender makes available a term loan facility agreement of 1 January 2026 in an amount of USD 45,000,000."
    for secret in ("loan-judge-for-facility-agreements", "Term-Loan-2025", "facility", "makes available a term"):
        assert Redactor([secret]).text(text.replace(secret, "")) == text.replace(secret, "")


@pytest.mark.parametrize("unit", ["\\", "%25", "&", "&#1", "=", "a", "Wq7zeta", "%", "\\u00", "Wq7/zeta+Orbit_55%ivory=Lamp"])
def test_the_time_grows_with_the_text(unit: str) -> None:
    redactor, took = Redactor([KEY]), list[float]()
    for size in (40_000, 160_000):
        start = time.process_time()
        redactor.text(unit * (size // len(unit)) + "%20")
        took.append(time.process_time() - start)
    assert took[1] < 8 * took[0] + 0.05 and took[1] < 2


def test_other_texts_are_left_alone() -> None:
    text = "The Margin is 2.40% per annum (\\u00a7 4 &amp; 5), key terms apply; sk- is no key."
    assert Redactor([KEY, PASSWORD]).text(text) == text
    assert Redactor(["none", ""]).value({"a": ["none of these", 1, None]}) == {"a": ["none of these", 1, None]}


def test_names_and_lists_are_redacted_too() -> None:
    assert KEY not in json.dumps(Redactor([KEY]).value({KEY: [{"x": f"a{KEY}b"}]}))


class _Handler(Handler):
    def do_POST(self) -> None:
        sent = " ".join(self.headers.get(name, "") for name in ("authorization", "api-key"))
        self.server.sent.append(sent)
        self.send(*self.server.answer(self.asked(), self.server.echo))


Answer = Callable[[dict[str, Any], str], tuple[int, Any, dict[str, str]]]


def verdict_of(body: dict[str, Any]) -> str:
    choices = body["response_format"]["json_schema"]["schema"]["properties"]["verdict"]["enum"]
    return next(c for c in ("correct", "within_scope", "supports", "equivalent", "reflected", "paraphrase") if c in choices)


def replied(body: dict[str, Any], content: Any, **message: Any) -> tuple[int, Any, dict[str, str]]:
    made = completion(verdict_of(body))
    made["choices"][0]["message"] |= {"content": content, **message}
    return 200, made, {}


def in_verdict(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return replied(body, json.dumps({"evidence": echo, "reasoning": f"You sent {echo}.", "verdict": verdict_of(body)}))


def in_escapes(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return replied(body, f'{{"evidence": "{hidden(echo)}", "reasoning": "{hidden(echo)}", "verdict": "{verdict_of(body)}"}}')


def in_parts(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    text = json.dumps({"evidence": echo, "reasoning": echo, "verdict": verdict_of(body)})
    return replied(body, [{"type": "text", "text": character} for character in text])


def in_model_name(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    made = in_verdict(body, "words")
    made[1]["model"] = echo
    return made


def in_verdict_field(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return replied(body, json.dumps({"evidence": "", "reasoning": "", "verdict": echo}))


def in_unknown_key(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return replied(body, json.dumps({"evidence": "", "reasoning": "", "verdict": "correct", echo: 1}))


def in_refusal(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return replied(body, None, refusal=f"{'I will not. ' * 15} {echo}")


def in_no_completion(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return 200, {"told": f"{'x' * 95}{echo}"}, {}


def in_error(status: int) -> Answer:
    def answer(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
        told = {"message": f"{'wrong ' * 46}{echo}", "code": echo, "param": echo, "type": "x"}
        return status, {"error": told}, {"x-echo": echo, "www-authenticate": echo}

    return answer


def in_page(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return 502, f"<html>{echo}</html>".encode(), {"content-type": "text/html"}


def in_redirect(body: dict[str, Any], echo: str) -> tuple[int, Any, dict[str, str]]:
    return 302, b"", {"location": f"http://{quote(echo, safe='')}@h.test/"}


REPLIES: dict[str, Answer] = {
    "verdict": in_verdict,
    "JSON escapes": in_escapes,
    "parts": in_parts,
    "model name": in_model_name,
    "verdict field": in_verdict_field,
    "unknown key": in_unknown_key,
    "refusal": in_refusal,
    "no completion": in_no_completion,
    **{f"HTTP {status}": in_error(status) for status in (400, 401, 403, 404, 429, 500)},
    "page": in_page,
    "redirect": in_redirect,
}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.sent, server.echo, server.answer = [], KEY, in_verdict
    server.address = f"127.0.0.1:{server.server_port}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{server.address}")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with answering(server):
        yield server


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return open_answers(tmp_path / "in", 2)


QUICK = ("--reports", "all", "--max-retries", "0", "--timeout", "10")


def everything(folder: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """Streams and every file below a folder."""
    told = capfd.readouterr()
    return told.out + told.err + "".join(path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", sorted(REPLIES))
def test_no_reply_brings_the_key_into_a_stream_or_file(kind: str, endpoint: Any, inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    endpoint.answer = REPLIES[kind]
    inputs.run("--judge", "m", *QUICK)
    assert endpoint.sent and KEY in endpoint.sent[0]
    assert (inputs.out / "run.json").exists()
    assert traces(everything(inputs.folder, capfd), KEY) == []


@pytest.mark.parametrize("form", sorted(FORMS))
def test_no_form_of_the_key_passes_in_a_verdict_or_an_error(
    form: str, endpoint: Any, inputs: Inputs, capfd: pytest.CaptureFixture[str]
) -> None:
    endpoint.echo = FORMS[form](KEY)
    endpoint.answer = lambda body, echo: (in_verdict if "Matter 0" in json.dumps(body) else in_error(500))(body, echo)
    inputs.run("--judge", "m", *QUICK)
    shown = everything(inputs.folder, capfd)
    assert endpoint.sent and traces(shown, KEY) == [] and "[key]" in shown


@pytest.mark.parametrize("kind", ["verdict", "HTTP 401", "HTTP 500"])
def test_the_clients_own_log_shows_no_key(kind: str, endpoint: Any, tmp_path: Path) -> None:
    endpoint.answer = REPLIES[kind]
    code = "from judge.cli import main; main()"
    line = [sys.executable, "-c", code, "doctor", "--judge", "m", "--max-retries", "0", "--cache-dir", str(tmp_path)]
    said = subprocess.run(line, env={**os.environ, "OPENAI_LOG": "debug"}, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert endpoint.sent and "DEBUG" in said.stderr and (kind == "verdict" or "[key]" in said.stderr)
    assert traces(said.stdout + said.stderr, KEY) == []


@pytest.mark.parametrize("kind", ["verdict", "HTTP 401", "HTTP 500", "page", "refusal"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_doctor_shows_no_key(kind: str, more: tuple[str, ...], endpoint: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    endpoint.answer = REPLIES[kind]
    execute(["doctor", "--judge", "m", "--max-retries", "0", *more])
    assert endpoint.sent and traces(everything(tmp_path, capfd), KEY) == []


def test_the_password_of_a_base_url_is_a_secret_too(
    endpoint: Any, inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{quote(PASSWORD, safe=':')}@{endpoint.address}")
    endpoint.echo = f"{b64encode(PASSWORD.encode()).decode()} {PASSWORD.partition(':')[2]} http://{PASSWORD}@h"
    inputs.run("--judge", "m", *QUICK)
    assert endpoint.sent and traces(everything(inputs.folder, capfd), PASSWORD.partition(":")[2]) == []


def test_a_key_that_no_header_can_hold_is_not_shown(endpoint: Any, inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\nX-Other: {KEY}")
    inputs.run("--judge", "m", *QUICK)
    assert traces(everything(inputs.folder, capfd), KEY) == []


@pytest.mark.parametrize("status", [200, 400, 401])
def test_batches_bring_no_key(status: int, inputs: Inputs, capfd: pytest.CaptureFixture[str]) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if status != 200:
            return status, {"error": {"message": f"{'wrong ' * 46}{KEY}", "code": KEY}}
        made: dict[str, Any] = in_verdict(body, KEY)[1]
        return 200, made

    with serving(answer, KEY) as plays:
        inputs.run("--judge", "m", "--judge-mode", "batch", "--batch-poll", "0.01", *QUICK)
        assert plays.asked
    assert traces(everything(inputs.folder, capfd), KEY) == []


def azure_module(tokens: Iterator[str]) -> Any:
    """What `azure.identity.aio` has of use here."""
    made: Any = types.ModuleType("azure.identity.aio")

    class DefaultAzureCredential:
        async def close(self) -> None:
            made.closed = True

    def get_bearer_token_provider(credential: Any, scope: str) -> Any:
        async def fetch() -> str:
            made.scope = scope
            return next(tokens)

        return fetch

    made.DefaultAzureCredential, made.get_bearer_token_provider = DefaultAzureCredential, get_bearer_token_provider
    return made


@pytest.fixture
def azure(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The endpoint under the name of Azure, without a key."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://{endpoint.address.partition('/')[0]}")
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
    return endpoint


def test_azure_by_tokens_which_are_secrets_each(
    azure: Any, inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = azure_module(f"eyJ0.Larch{n}-quartz-signal-{n}" for n in itertools.count())
    for name in ("azure", "azure.identity", "azure.identity.aio"):
        monkeypatch.setitem(sys.modules, name, made)
    azure.answer = lambda body, echo: in_verdict(body, azure.sent[-1])
    inputs.run("--judge", "deployment", *QUICK)
    assert len(set(azure.sent)) > 1 and all("Bearer eyJ0.Larch" in sent for sent in azure.sent)  # fetched for each request
    assert (made.scope, made.closed) == ("https://cognitiveservices.azure.com/.default", True)
    shown = everything(inputs.folder, capfd)
    assert "quartz-signal" not in shown and "[key]" in shown and "correct" in shown


@pytest.mark.usefixtures("azure")
def test_azure_without_key_and_without_the_extra_says_what_to_install(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity.aio", None)
    assert inputs.run("--judge", "deployment", *QUICK) == 3 and "loan-judge[azure]" in capfd.readouterr().err
