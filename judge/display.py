"""Progress on standard error: a bar on a terminal, a line now and then elsewhere, nothing when told so."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from judge.printing import say

PLAIN_SECONDS = 10.0


class Progress:
    """Counts judged cases. This one stays silent."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def advance(self) -> None:
        """One more case is judged."""
        self.done += 1

    def say(self, text: str) -> None:
        """A line for the person who waits."""
        say(text)


class PlainProgress(Progress):
    """A line every ten seconds."""

    def __init__(self, total: int, done: int) -> None:
        super().__init__(total, done)
        self._last = time.monotonic()

    def advance(self) -> None:
        super().advance()
        if time.monotonic() - self._last >= PLAIN_SECONDS:
            self._last = time.monotonic()
            self.say(f"{self.done} of {self.total} cases judged")


class BarProgress(Progress):
    """A rich progress bar."""

    def __init__(self, total: int, done: int, bar: Any) -> None:
        super().__init__(total, done)
        self._bar = bar
        self._task = bar.add_task("judging", total=total, completed=done)

    def advance(self) -> None:
        super().advance()
        self._bar.update(self._task, completed=self.done)


def wants_rich(display: str, stream: Any) -> bool:
    """Whether colours and tables are drawn on a stream."""
    return display == "rich" or (display == "auto" and stream.isatty())


@contextlib.contextmanager
def open_progress(display: str, total: int, done: int) -> Iterator[Progress]:
    """The progress that fits the display setting and the terminal."""
    if display == "none":
        yield Progress(total, done)
    elif not wants_rich(display, sys.stderr):
        yield PlainProgress(total, done)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("judging"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            yield BarProgress(total, done, bar)
