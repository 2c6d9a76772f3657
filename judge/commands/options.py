"""The flags of `judge run` and of the commands that share them; each is also an environment variable JUDGE_<FLAG>."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from judge.errors import UsageError
from judge.settings import KNOWN, Settings, default_cache_dir, resolve

Command = TypeVar("Command", bound=Callable[..., Any])

# flag, help, keyword arguments for click. A flag that is not given is None, so that weaker sources can fill it.
Flag = tuple[str, str, dict[str, Any]]
SWITCH: dict[str, Any] = {"is_flag": True}
CONTRACT: Flag = ("--contract", "A shipped quality contract by its version, or a file of your own.", {"metavar": "NAME|FILE"})
RUN_CONTRACT: Flag = ("--contract", "The contract of the run, where its file has moved.", {"metavar": "FILE"})
TEXT_CACHE: Flag = ("--cache-dir", "Where document texts are kept.", {"metavar": "DIR"})

INPUT_FLAGS: tuple[Flag, ...] = (
    ("--gold", "What is true: gold file or folder.", {"metavar": "GOLD"}),
    ("--gold-by", "Key of an output's metadata that names its gold line, for several outputs of a case (case).", {"metavar": "KEY"}),
    ("--no-gold", "Judge without reference, as in production.", SWITCH),
    ("--documents", "Folder of the documents (PDF, Word, images of pages).", {"metavar": "DIR"}),
    (
        "--ocr",
        "Recognise pages without text (Tesseract; seconds a page): auto (default, where it is installed), on or off.",
        {"is_flag": False, "flag_value": "on", "metavar": "[auto|on|off]"},
    ),
    ("--partial", "Allow gold without output; it counts as missed.", SWITCH),
    ("--limit", "Judge only the first N selected cases.", {"metavar": "N"}),
    ("--case", "Judge only cases whose id matches, for example 'acme-*'.", {"metavar": "GLOB"}),
    ("--capability", "Judge only cases of one capability: loan_onboarding, ...", {"metavar": "NAME"}),
    CONTRACT,
    ("--exceptions", "File of deviations that a person accepted.", {"metavar": "FILE"}),
)
JUDGE_FLAGS: tuple[Flag, ...] = (
    ("--judge", "Model at the endpoint, llama:default, or offline (default).", {"metavar": "MODEL"}),
    ("--panel", "Models that vote instead of one; a majority decides.", {"metavar": "M1,M2,M3"}),
    ("--quorum", "Least number of valid votes of a panel (more than half).", {"metavar": "N"}),
    ("--repeats", "Ask every question N times; the majority counts (1).", {"metavar": "N"}),
    ("--together", "Put an item's next question into the request of its first (off).", SWITCH),
    ("--judge-images", "Show the judge pages that have no text as pictures (off); its model must read pictures.", SWITCH),
    ("--concurrency", "Most calls in flight (16).", {"metavar": "N"}),
    ("--rpm", "Most requests a minute (no limit).", {"metavar": "N"}),
    ("--tpm", "Most tokens a minute (no limit).", {"metavar": "N"}),
    ("--budget", "Hard cap on money (none); needs a known price.", {"metavar": "USD"}),
    ("--max-retries", "Attempts after the first (5).", {"metavar": "N"}),
    ("--timeout", "Seconds for one attempt (60).", {"metavar": "S"}),
    ("--deadline", "Seconds for one question with all attempts (600).", {"metavar": "S"}),
    ("--base-url", "The endpoint, in place of OPENAI_BASE_URL.", {"metavar": "URL"}),
    ("--temperature", "Sampling temperature; sent only when given.", {"metavar": "T"}),
    ("--max-tokens", "Most tokens of an answer; sent only when given.", {"metavar": "N"}),
    ("--max-output-tokens", "Never allow an answer more tokens, also where a cut one is asked again; sent when given.", {"metavar": "N"}),
    ("--reasoning-effort", "How long a reasoning model thinks: low, medium, ...; sent only when given.", {"metavar": "LEVEL"}),
    ("--extra-body", "Further parts of every request, for a provider's own switches.", {"metavar": "JSON"}),
    ("--seed", "The model's seed; sent only when given.", {"metavar": "N"}),
    ("--logprobs", "Ask for the probability of the verdict.", SWITCH),
    ("--prices", "Price table of your own, asked before the shipped one.", {"metavar": "FILE"}),
    ("--rubrics", "Rubric files that override or add.", {"metavar": "PATH,..."}),
    ("--allow-endpoint", "Only these hosts may be called.", {"metavar": "HOST,..."}),
    ("--trust-folder", "Let .env and judge.toml say where your key goes, this once (`judge trust`: always).", SWITCH),
    ("--cache-dir", "Where answers and document texts are kept.", {"metavar": "DIR"}),
    ("--cache-days", "Days that answers are kept (365).", {"metavar": "N"}),
    ("--cache-mb", "Megabytes that the answer cache may grow to (2048).", {"metavar": "N"}),
    ("--shared-cache", "A folder for answers that several machines share.", {"metavar": "DIR"}),
    ("--no-cache", "Neither read nor write cached answers.", SWITCH),
    ("--explain-cache", "Say which part of the key changed at a miss.", SWITCH),
)
RUN_FLAGS: tuple[Flag, ...] = (
    ("--out", "Result folder (judge-results); the same command goes on where it was interrupted.", {"metavar": "DIR"}),
    ("--system", "Name and version of what is judged, for the reports.", {"metavar": "NAME"}),
    ("--fresh", "Start over instead of resuming.", SWITCH),
    ("--require-calibrated", "Without these valid calibration records, judged items stay open for the gates.", {"metavar": "RECORD,..."}),
    ("--certified-threshold", "Verdicts below the records' certified confidence go to a person.", {"metavar": "RECORD,..."}),
    ("--max-judge-errors", "Allowed share of items with a judge error, 0..1 (0).", {"metavar": "SHARE"}),
    ("--allow-empty", "Exit 0 when nothing was evaluated.", SWITCH),
    ("--dry-run", "Show every text that can leave the machine, in all rounds; send nothing.", SWITCH),
    ("--checks", "A Python file with checks of your own; it runs with your rights, and no folder can name it.", {"metavar": "FILE"}),
    ("--display", "auto (rich on a terminal), rich, plain or none.", {"metavar": "HOW"}),
    ("--json", "Summary as JSON on standard output.", SWITCH),
    ("--reports", "auto (unless nothing is new, or above 20,000 items), all or none.", {"metavar": "HOW"}),
    ("--engine", "local (default) or ray.", {"metavar": "NAME"}),
    ("--ray-address", "An existing Ray cluster.", {"metavar": "ADDRESS"}),
    ("--judge-mode", "calls (default), or batch for the provider's batch API.", {"metavar": "MODE"}),
    ("--batch-fallback", "Ask by single calls what a batch failed at.", SWITCH),
    ("--batch-poll", "Seconds between two looks at a batch (30).", {"metavar": "S"}),
    ("--batch-price", "Share of the price that a batch costs, 0..1 (0.5).", {"metavar": "SHARE"}),
)
_BY_NAME = {flag[0]: flag for flag in (*INPUT_FLAGS, *RUN_FLAGS)}
GATE_FLAGS: tuple[Flag, ...] = (
    *(_BY_NAME[name] for name in ("--contract", "--max-judge-errors", "--allow-empty", "--exceptions")),
    ("--baseline", "Result folder of an earlier run for the paired regression test.", {"metavar": "RESULTS"}),
    *(_BY_NAME[name] for name in ("--display", "--json")),
)


def with_flags(*groups: Sequence[Flag]) -> Callable[[Command], Command]:
    """Adds groups of flags to a command, in their order."""

    def add(function: Command) -> Command:
        for flag, text, extra in reversed([entry for group in groups for entry in group]):
            name = flag.removeprefix("--").replace("-", "_")
            parameter = "json_" if name == "json" else name
            unset: dict[str, Any] = {} if "required" in extra else {"default": None}  # None would count as given
            option = click.option(flag, parameter, envvar=f"JUDGE_{name.upper()}", help=text, **unset, **extra)
            function = option(function)
        return function

    return add


def settings_of(context: click.Context) -> Settings:
    """The settings of the running command, from its flags that are settings and all weaker sources. Raises UsageError."""
    flags: dict[str, tuple[Any, str]] = {}
    for parameter in context.command.params:
        name = (parameter.name or "").rstrip("_")
        value = context.params.get(parameter.name or "")
        if name in KNOWN and value is not None and is_typed(context, parameter.name or ""):
            flags[name] = (value, parameter.opts[0])
    asks = "trust_folder" in context.params  # no other command asks a judge
    return resolve(flags, Path.cwd(), other_variables=_variables_of_all_commands, asks=asks)


def is_typed(context: click.Context, name: str) -> bool:
    """Whether a parameter was given on the command line itself."""
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def number(text: str | None, flag: str, low: float, high: float) -> float | None:
    """The number of a flag, None when it is not given. Raises UsageError."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise UsageError(f"{flag}: expected a number between {low:g} and {high:g}, found {text!r}")
    return value


def choice(text: str | None, flag: str, choices: tuple[str, ...]) -> str | None:
    """The word of a flag, None when it is not given. Raises UsageError."""
    if text is not None and text not in choices:
        raise UsageError(f"{flag}: expected one of {', '.join(choices)}, found {text!r}")
    return text


def document_cache(cache_dir: str | None) -> Path:
    """Where document texts are kept, by `--cache-dir`."""
    return (Path(cache_dir) if cache_dir else default_cache_dir()) / "documents"


def _variables_of_all_commands() -> set[str]:
    import importlib

    from judge.cli import COMMANDS

    found: set[str] = set()
    for name in COMMANDS:
        with contextlib.suppress(ImportError):
            top = importlib.import_module(f"judge.commands.{name}").command
            parameters = [p for one in (top, *getattr(top, "commands", {}).values()) for p in one.params]
            found |= {p.envvar for p in parameters if isinstance(p.envvar, str)}
    return found
