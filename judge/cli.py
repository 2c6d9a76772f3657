"""The command line: parse, call, print. Commands are imported when they are used, so that `judge --help` is fast."""

import errno
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, cast

import click

from calibration.words import table
from judge.printing import put, shown

_TABLES = table("judge.commands", "commands.toml")
COMMANDS: dict[str, str] = {name: told["about"] for name, told in _TABLES.items() if "about" in told}
"""Name -> one-line help."""

INTERNAL = INFRASTRUCTURE = 3
_OF_NAMES = (errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)  # what a person named is to be named otherwise
_ENDED = 100  # added to the code of a command that came to its end in a process of its own


def command_of(name: str) -> click.Command:
    """The command of this name: `command` in the module of its name, in its folder of judge/commands."""
    return cast(click.Command, importlib.import_module(f"judge.commands.{_TABLES[name]['folder']}.{name}").command)


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_of(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="loan-judge", prog_name="judge")
def group() -> None:
    """Judge AI outputs on loan documents against a written quality contract."""


def main(*first: str) -> None:
    """The console script `judge`."""
    _reopen_streams()
    gc.set_threshold(50_000)  # results and sheets are many objects that stay: looking for circles among them is a sixth of the time
    sys.exit(_flushed(_executed([*first, *sys.argv[1:]])))


def run_main() -> None:
    """The console script `judge-run`: `judge run`."""
    main("run")


def _flushed(code: int) -> int:
    """The exit code once all is written: what cannot be is told here, and not by Python's own end with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = code or INFRASTRUCTURE
            _complain(f"what the command says cannot be written: {error.strerror}")
    return code


def _executed(arguments: Sequence[str]) -> int:
    """Runs a command line; one with a checks file in a process of its own, since what its code ends (`os._exit(0)`) is no success."""
    if not any(argument.startswith("--checks") for argument in arguments) and not os.environ.get("JUDGE_CHECKS"):
        return execute(arguments)
    if not (child := os.fork()):
        os.setpgid(0, 0)  # signals come from the parent, once
        try:
            code = execute(arguments)
        except BaseException as error:  # past every `except Exception`
            _complain(f"--checks: its code ended the command ({type(error).__name__}: {error})")
            code = 2
        sys.exit(_ENDED + _flushed(code))
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    told: list[int] = []

    def forward(number: int, _: object) -> None:
        told.append(number)
        os.kill(child, number)

    before = [signal.signal(number, forward) for number in numbers]
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
    if code == _ENDED + 130 and not told and arguments[0] != "gate":
        _complain("--checks: its code interrupted the command, no person did")
        return 2
    if code < _ENDED:
        _complain(f"the process that runs the checks file ended before the command did (code {code})")
    return code - _ENDED if code >= _ENDED else 2


class _Pipe(io.FileIO):
    """A stream whose reader may leave (`judge report RESULTS | head -1`): the command does what it is for, and ends with its own code."""

    def write(self, data: Any) -> int:
        """As a file's; what nobody reads is written."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def _reopen_streams() -> None:
    """A stream that a shell closed (`>&-`) leads nowhere: its number would go to the next file that is opened."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            if (null := os.open(os.devnull, os.O_RDWR)) != number:
                os.dup2(null, number)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
        elif number:
            was = getattr(sys, name)
            out = io.BufferedWriter(_Pipe(number, "wb", closefd=False))
            setattr(sys, name, io.TextIOWrapper(out, was.encoding, was.errors, line_buffering=was.line_buffering))


NO_WINDOWS = (
    "loan-judge does not run on Windows itself: its locks and its limits on PDF parsing need Linux or macOS. Run it in the Windows "
    "Subsystem for Linux (`wsl --install`, then install it there), or in the container of the Dockerfile; both see your Windows folders."
)


def execute(arguments: Sequence[str], system: str = sys.platform) -> int:
    """Runs a command line and returns its exit code; what is wrong is said on stderr. system: as `sys.platform` names it."""
    if system == "win32":
        _complain(NO_WINDOWS)
        return 2
    return _guarded(lambda: group.main(args=_with_ocr_alone(_texts(arguments)), prog_name="judge", standalone_mode=False))


def _with_ocr_alone(arguments: list[str]) -> list[str]:
    """`--ocr` without a word behind it means on, also before the batch's name."""
    pairs = pairwise([*arguments, ""])
    return ["--ocr=on" if one == "--ocr" and after not in ("auto", "on", "off") else one for one, after in pairs]


def _texts(arguments: Sequence[str]) -> list[str]:
    """The command line, of which every word can be written to run.json. Raises UsageError."""
    from judge.errors import UsageError
    from judge.printing import has_lone_surrogates

    if broken := [argument for argument in arguments if has_lone_surrogates(argument)]:
        raise UsageError(f"the command line is not UTF-8 text: {broken[0]!r}")
    return list(arguments)


def _guarded(call: Callable[[], Any]) -> int:
    """Runs a command; every way it can end becomes an exit code and, where something is wrong, lines on stderr. No traceback."""
    try:
        code = call()
    except click.ClickException as error:
        with io.StringIO() as text:
            error.show(text)
            _tell(*text.getvalue().rstrip("\n").split("\n"))
        return error.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        return 130
    except _raised_on_purpose() as error:
        _complain(str(error))
        return getattr(error, "exit_code", 2)
    except OSError as error:  # the disk is full, something else stands where a file goes: nothing to mend in the program
        if os.environ.get("JUDGE_TRACEBACK"):
            raise
        place = f"{error.filename2 or error.filename}: " if error.filename else ""
        _complain(f"{place}{error.strerror or error}; what was written is kept, and the same command goes on from there")
        return 2 if error.errno in _OF_NAMES else INFRASTRUCTURE
    except MemoryError:
        _complain("the system gave no more memory; what was written is kept, and the same command goes on where there is more")
        return INFRASTRUCTURE
    except Exception as error:
        if os.environ.get("JUDGE_TRACEBACK"):
            raise
        if str(error).startswith("Symlink loop"):  # Path.resolve
            _complain(f"{error}: give another path")
            return 2
        _complain(f"internal error: {type(error).__name__}: {error} (set JUDGE_TRACEBACK=1 to see where)")
        return INTERNAL
    return code if isinstance(code, int) else 0


def _raised_on_purpose() -> tuple[type[Exception], ...]:
    """Imported only once something was raised: the contract's module is most of the time that `judge --help` would take."""
    from judge.errors import JudgeError
    from rubrics.contract import ContractFileError
    from rubrics.named_file import NamedFileError

    return JudgeError, ContractFileError, NamedFileError


def _complain(text: str) -> None:
    _tell(*(f"judge: {shown(f'error: {line}', 4000)}" for line in text.splitlines() or [""]))


def _tell(*lines: str) -> None:
    try:
        put(*lines, stream=sys.stderr)
    except OSError:  # nobody can be told; the code says it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


if __name__ == "__main__":
    main()
