"""The flags of `judge run` and of the commands that share them; each is also an environment variable JUDGE_<FLAG>."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from pydantic import BaseModel

from calibration.words import table
from judge.errors import UsageError
from judge.settings import KNOWN, InputSettings, ModelSettings, RunSettings, Settings, default_cache_dir, resolve

Command = TypeVar("Command", bound=Callable[..., Any])

# flag, help, keyword arguments for click. A flag that is not given is None, so that weaker sources can fill it.
Flag = tuple[str, str, dict[str, Any]]
RUN_CONTRACT: Flag = ("--contract", "The contract of the run, where its file has moved.", {"metavar": "FILE"})
TEXT_CACHE: Flag = ("--cache-dir", "Where document texts are kept.", {"metavar": "DIR"})


def _flags_of(settings: type[BaseModel]) -> tuple[Flag, ...]:
    """The flags of a group of settings, in their order."""
    named = ((f"--{(info.alias or name).replace('_', '-')}", info) for name, info in settings.model_fields.items())
    return tuple((flag, info.description or "", cast(dict[str, Any], info.json_schema_extra)) for flag, info in named)


INPUT_FLAGS, RUN_FLAGS, JUDGE_FLAGS = (_flags_of(group) for group in (InputSettings, RunSettings, ModelSettings))
_BY_NAME = {flag[0]: flag for flag in _flags_of(Settings)}
CONTRACT = _BY_NAME["--contract"]
GATE_FLAGS = tuple(_BY_NAME[f"--{name}"] for name in "contract max-judge-errors allow-empty exceptions baseline display json".split())


_OWN = table("judge.commands", "commands.toml")


def _own_flags(command: str) -> Iterator[Flag]:
    for name, told in _OWN[command]["flags"].items():
        if isinstance(told, str):
            yield f"--{name}", told, {"is_flag": True}
        else:
            metavar, text, *needed = told
            yield f"--{name}", text, {"metavar": metavar, **({"required": True} if needed else {})}


def with_flags(*groups: str | Sequence[Flag]) -> Callable[[Command], Command]:
    """Adds groups of flags to a command, in their order; a command's name stands for the flags that it has in commands.toml."""
    flags = [entry for group in groups for entry in (_own_flags(group) if isinstance(group, str) else group)]

    def add(function: Command) -> Command:
        for flag, text, extra in reversed(flags):
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
    from judge.cli import COMMANDS, command_of

    found: set[str] = set()
    for name in COMMANDS:
        with contextlib.suppress(ImportError):
            top: Any = command_of(name)
            parameters = [p for one in (top, *getattr(top, "commands", {}).values()) for p in one.params]
            found |= {p.envvar for p in parameters if isinstance(p.envvar, str)}
    return found
