"""`judge doctor`: resolves the configuration, makes one real call per model, and prints what was found."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.commands.options import JUDGE_FLAGS, settings_of, with_flags
from judge.errors import UsageError
from judge.printing import put, put_json
from judge.records import Answer, Question
from judge.report.rendering import template
from judge.settings import Settings

if TYPE_CHECKING:
    from judge.settings import Settings

_PRINTED = "No Event of Default under Clause 4.1 occurs if the failure to pay is remedied within five Business Days"


@click.command("doctor")
@with_flags(JUDGE_FLAGS, "doctor")
@click.pass_context
def command(context: click.Context, /, **_: object) -> int:
    """Check the judge before a run: configuration, one real call, how it answers, calibration record. Exit code 3 if the call fails."""
    settings = settings_of(context)
    found = examine(settings)
    if settings.json_output:
        put_json(found)
    else:
        put(*template("doctor.txt.j2").render(found=found).splitlines())
    return 0 if found["verdict"] is not None or found["models"] == [] else 3


def examine(settings: Settings) -> dict[str, Any]:
    """What a doctor's call finds, as JSON values. Raises UsageError, EndpointError."""
    from judge.engines.judge_choice import is_offline, judge_settings

    record = _record(settings.require_calibrated)
    if is_offline(settings):
        return {"models": [], "verdict": None, "error": None, "cache": None, "calibration": record}
    from judge.llm.address import resolve_address

    wanted = judge_settings(settings)
    started = time.perf_counter()
    picture = _picture_question() if settings.judge_images else None
    answer, pictured, print_, usage = asyncio.run(_calls(wanted.model_copy(update={"no_cache": True}), picture))
    return {
        "models": print_["models"],
        "verdict": answer.verdict,
        **({} if pictured is None else {"pictures": _pictures_text(pictured)}),
        "error": f"{answer.error}: {answer.error_detail}" if answer.error else None,
        "seconds": round(time.perf_counter() - started, 2),
        "usage": {"calls": usage.judge_calls, "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "usd": usage.usd},
        "is_priced": usage.unpriced_calls == 0,
        "key_is_set": all(resolve_address(wanted, model, os.environ).has_secret_key for model in wanted.models),
        "cache": wanted.answers and str(wanted.answers),
        "calibration": record,
    }


def _record(paths: Sequence[Path]) -> dict[str, Any]:
    if not paths:
        return {"record": None}
    from judge.calibrate.certification import read_records

    record = read_records(paths)
    rubrics = {entry.rubric: entry.outcome for entry in record.rubrics}
    return {"record": ", ".join(map(str, paths)), "rubrics": rubrics, "expires": record.expires}


def _picture_question() -> Question:
    """A page of the shipped sample as a picture, and a sentence that stands on it."""
    from tempfile import TemporaryDirectory

    from deterministic.documents.closer_looks import page_picture
    from deterministic.documents.documents import open_document
    from judge.commands.preparing.init import sample_files

    name, data = next((name, data) for name, data in sample_files("first").items() if name.endswith(".pdf"))
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        picture = page_picture(open_document(path), 2)
    if picture is None:
        raise UsageError("the sample page cannot be drawn: is PyMuPDF installed?")
    return replace(Question.of("quote_picture", quote=_PRINTED, page=str(picture)), pictures=(picture,))


def _pictures_text(answer: Answer) -> str:
    if answer.verdict == "verbatim":
        return "taken and read (a sentence on a page as a picture was found)"
    told = "the endpoint takes them, but asked for a sentence that stands on a page as a picture the model did not find it"
    told = f"{told} (it said: {answer.verdict or answer.error_detail})"
    told = f"the endpoint refuses them: {answer.error_detail}" if answer.error == "no_pictures" else told
    return f"{told}; leave --judge-images out, or take a model that reads pictures"


async def _calls(settings: "Settings", picture: Question | None) -> tuple[Answer, Answer | None, dict[str, Any], Any]:
    from judge.llm.judge import Judge

    question = Question.of("semantic_match", field="Sacks owed", reported="twelve sacks", gold="12 sacks", context="")
    async with Judge.open(settings) as judge:
        answer = await judge.ask(question)
        pictured = await judge.ask(picture) if picture and answer.verdict else None
        return answer, pictured, judge.fingerprint(), judge.usage
