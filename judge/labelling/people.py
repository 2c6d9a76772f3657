"""Who decides: names that are compared folded, and reviewers who are known by a token each."""

import getpass
import hmac
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from calibration.label_files.identity import can_be_one, fold, fold_name, is_name
from judge.disk import write_atomically
from judge.errors import UsageError
from judge.results.folder import REVIEWERS
from rubrics.named_file import read_settings

T = TypeVar("T")
_NAME_MOST, _TOKEN_LEAST = 80, 8


@dataclass(frozen=True, slots=True)
class Reviewers:
    """The people of a reviewers' file: name -> token. Without a file anybody gives a name."""

    tokens: Mapping[str, str]

    def of_token(self, token: str) -> str:
        """The name that belongs to a token. Raises UsageError."""
        if not (given := token.strip().encode()):
            raise UsageError("give your token, on a command line with --by")
        if not (names := [name for name, own in self.tokens.items() if hmac.compare_digest(own.encode(), given)]):
            raise UsageError("this token is none of the reviewers' file")
        return names[0]

    def without_tokens(self, cell: T) -> T | str:
        """A cell of a sheet as it may be shown and kept: not one that holds a token."""
        holds = isinstance(cell, str) and any(fold(token) in fold(cell) for token in self.tokens.values())
        return "[a reviewer's token]" if holds else cell

    def remember(self, run: Path) -> None:
        """Keeps in a result folder that its people give tokens."""
        if self.tokens:
            write_atomically(run / REVIEWERS, [json.dumps([*self.tokens], ensure_ascii=False) + "\n"])

    def checked(self, name: str) -> str:
        """The name as the file has it, where there is one. Raises UsageError for nobody of it."""
        given = checked_name(name)
        if not self.tokens:
            return given
        if (known := next((one for one in self.tokens if fold_name(one) == fold_name(given)), None)) is None:
            raise UsageError(f"{given} is none of the reviewers: {', '.join(self.tokens)}")
        return known


ANYBODY = Reviewers({})


def read_reviewers(path: Path | None, run: Path | None = None) -> Reviewers:
    """A reviewers' file, TOML with a table [reviewers] of "Name" = "token". run: a result folder, where nobody types a name if others gave
    a token. Raises UsageError."""
    if path is None:
        if run is not None and (run / REVIEWERS).exists():
            raise UsageError(f"{run}: who decides here gives a token: say --reviewers FILE, as before ({REVIEWERS} remembers it)")
        return ANYBODY
    try:
        found = tomllib.loads(read_settings(path)).get("reviewers")
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    if not isinstance(found, dict) or not found or not all(isinstance(t, str) and len(t) >= _TOKEN_LEAST for t in found.values()):
        raise UsageError(f'{path}: needs a table [reviewers] with "Name" = "token", each token of at least {_TOKEN_LEAST} characters')
    if len(set(found.values())) < len(found) or len({fold_name(name) for name in found}) < len(found):
        raise UsageError(f"{path}: two reviewers share a name or a token")
    return Reviewers({checked_name(name): token for name, token in found.items()})


def checked_name(annotator: str) -> str:
    """An annotator's name. Raises UsageError when it is empty or too long."""
    if len(name := " ".join(annotator.split())) > _NAME_MOST or not name.isprintable() or not is_name(name):
        raise UsageError(f"give your name, 1 to {_NAME_MOST} characters that can be seen")
    return name


def check_alike(name: str, others: Iterable[str]) -> None:
    """Raises UsageError for a name that may be another person's at the same task, written in another way."""
    if twin := next((one for one in others if not is_same_person(name, one) and can_be_one(name, one)), None):
        raise UsageError(f"{name} and {twin} can be one person: write your name in full, or as before")


def is_same_person(one: str, other: str) -> bool:
    """Whether two names are one person's."""
    return fold_name(one) == fold_name(other)


def local_user() -> str:
    """The user of this machine, kept beside a name that anybody could type; "" where there is none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
