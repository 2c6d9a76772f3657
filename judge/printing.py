"""The one way to a terminal and to a CI log, and foreign text in every file that cannot escape it itself (XML, Markdown, Excel). Foreign is
what this program did not write: ids, keys, file names, values, what an endpoint or a library says. Such text can hold escape sequences,
workflow commands of a CI server, line ends that begin a forged line, characters that turn the reading direction, and megabytes."""

import contextlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, Any

PLAIN_SECONDS = 10.0  # between two lines of progress
_LINE_MOST = 100_000  # characters of a printed line
_SPACE = re.compile(r"\s+")
_COMMAND = re.compile(r"(?<!\S):(?=:[\w-]+[ :])|#(?=#\w*\[)")  # of GitHub, Azure Pipelines and TeamCity, at its first character
_KEPT = frozenset("\t\n\xa0\xad\u1680\u202f\u205f\u3000") | {chr(code) for code in range(0x2000, 0x200B)}
_STEERING = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|(?<=#)#(?=\\w*\\[)")


def shown(foreign: object, most: int = 300) -> str:
    """Foreign text on one line: what is not printable as `\\x1b`, no workflow command, and how many characters are left out."""
    return _SPACE.sub(" ", shown_lines(foreign, most)).strip()


def shown_lines(foreign: object, most: int = 1200) -> str:
    """`shown` with its line ends and spaces."""
    text = str(foreign)
    left_out, text = len(text) - most, text[:most]
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _KEPT else _escaped(c) for c in text)
    if "::" in text or "##" in text:
        text = _COMMAND.sub(r"\g<0> ", text)
    return f"{text}… [{left_out:,} more character{'s'[: left_out > 1]}]" if left_out > 0 else text


def _escaped(character: str) -> str:
    return " " if character.isspace() else character.encode("unicode_escape", "surrogatepass").decode()


def has_lone_surrogates(text: str) -> bool:
    """Whether it cannot be written as UTF-8: the system hands bytes that are no UTF-8 over as lone surrogates."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def quoted(foreign: object, most: int = 60) -> str:
    """A value as an error shows it, in quotes where it is text."""
    text = repr(foreign)
    return text if len(text) <= most else f"{text[: most - 4]}...{text[-1]}"


def say(text: object) -> None:
    """One line on standard error, beside what the command prints."""
    put(f"judge: {shown(text, 4000)}", stream=sys.stderr)


def put(*lines: object, stream: IO[str] | None = None) -> None:
    """Lines as this program laid them out, on standard output or another stream, at once; a line end within one is a space."""
    out: Any = stream or sys.stdout
    coding = out.encoding or "utf-8"
    for line in lines:
        text = shown_lines(line, _LINE_MOST).replace("\n", " ")
        print(text.encode(coding, "backslashreplace").decode(coding), file=out, flush=True)


def put_json(value: Any, indent: int | None = None) -> None:
    """The value as JSON on standard output, with real characters but for those that steer a terminal or a CI server; NaN is refused."""
    is_plain = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"
    text = json.dumps(value, ensure_ascii=is_plain, allow_nan=False, indent=indent)
    print(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def wants_rich(display: str, stream: Any) -> bool:
    """Whether colours and tables are drawn on a stream."""
    return display == "rich" or (display == "auto" and stream.isatty())


class Progress:
    """Counts judged cases. told: what is done at each one."""

    def __init__(self, total: int, done: int, told: "Callable[[Progress], object]" = lambda progress: None) -> None:
        self.total, self.done, self._told, self.last = total, done, told, time.monotonic()

    def advance(self) -> None:
        """One more case is judged."""
        self.done += 1
        self._told(self)


def _say_at_times(progress: Progress) -> None:
    if time.monotonic() - progress.last >= PLAIN_SECONDS:
        progress.last = time.monotonic()
        say(f"{progress.done} of {progress.total} cases judged")


@contextlib.contextmanager
def open_progress(display: str, total: int, done: int) -> Iterator[Progress]:
    """The progress that fits the display setting and the terminal."""
    if display == "none":
        yield Progress(total, done)
    elif not wants_rich(display, sys.stderr):
        yield Progress(total, done, _say_at_times)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("judging"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("judging", total=total, completed=done)
            yield Progress(total, done, lambda progress: bar.update(task, completed=progress.done))
