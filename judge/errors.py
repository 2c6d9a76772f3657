"""The error tree.

JudgeError                    anything this program raises on purpose; `exit_code` is what the command ends with
|- UsageError            2    the command line or a setting is wrong
|- InputError            2    batch, gold, labels or documents are wrong; carries every problem found
|- ContractError         2    the contract or a rubric file is wrong, or was changed without a version bump
|- EndpointError         3    the judge's endpoint cannot be used at all: authentication, quota, unknown model, bad request
|- BudgetReached         6    the budget is spent; what was judged is saved"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from judge.printing import quoted, shown


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input: where it is (file, 1-based line, JSON path) and what to do about it."""

    file: str
    line: int | None
    path: str
    message: str

    def __str__(self) -> str:
        place = shown(self.file) + (f":{self.line}" if self.line is not None else "")
        return ": ".join((place, *((shown(self.path),) if self.path else ()), shown(self.message, 2000)))


class JudgeError(Exception):
    """Base of everything this program raises on purpose; the message says what to do."""

    exit_code = 2


class UsageError(JudgeError):
    """The command line or a setting is wrong."""


class InputError(JudgeError):
    """One or more inputs are wrong; `problems` lists all of them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class ContractError(JudgeError):
    """The contract or a rubric file is wrong, or was changed without a version bump."""


class EndpointError(JudgeError):
    """The judge's endpoint cannot be used at all."""

    exit_code = 3


class BudgetReached(JudgeError):
    """The budget is spent; what was judged is saved."""

    exit_code = 6


def nearest(word: str, known: Sequence[str]) -> str:
    """Of the known words the one that differs in letter case and signs alone, else the one that is spelt most alike; "" for none."""
    plain = ["".join(filter(str.isalnum, one.casefold())) for one in (word, *known)]
    same = [one for one, letters in zip(known, plain[1:], strict=True) if letters == plain[0]]
    return next(iter(same or difflib.get_close_matches(word, known, n=1, cutoff=0.6)), "")


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """`; did you mean 'x'?`, else the list of what is known (when it is short)."""
    if near := nearest(word, known):
        return f"; did you mean {quoted(near)}?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 20 else ""


class Postponed(Exception):
    """Raised by an asker that has no answer now (a batch, the end of a run): the case is left as it is, to be looked at again."""
