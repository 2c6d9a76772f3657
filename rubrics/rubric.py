"""A rubric: one question that a judge model is asked, as data. Loading is strict, a loaded rubric is frozen.
One TOML file a rubric. `id`, `version`, `question`, `point` (what a person is asked while it is open; no model is shown it), `standard`
(what the standard says of it), `evidence` (what to quote), `guidance` (a list), `checks` (of a question with several parts: what is
answered one by one before the verdict), `[choices]` (verdict -> meaning, closed, `cannot_determine` always among them), `[relations]` (how
two texts can relate, by name -> meaning and verdict), `[variables.NAME]` in the order in which the prompt shows them, `[[examples]]`,
`[[settled]]`: texts that need no model, and `[probes]`: calibration probes that would charge a perfect judge, each with the reason why."""

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rubrics.named_file import read_settings
from rubrics.verdicts import CANNOT_DETERMINE, NONE_FITS
from rubrics.wording import message_of

_FILES = sorted(Path(entry.name) for entry in resources.files("rubrics").iterdir() if entry.name.endswith(".toml"))
SHIPPED = tuple(file.stem for file in _FILES if not file.stem.startswith("contract-"))
"""The rubrics that come with the program; the contracts stand beside them."""

Source = Literal["program", "gold", "output", "document"]


class RubricFileError(Exception):
    """A rubric file cannot be used; the message names the file and the key."""


class RubricVariableError(ValueError):
    """A question does not give exactly the variables that its rubric has; the message names them."""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Variable(_Frozen):
    """A text that goes into the prompt. source: who wrote it; `output` (the system under test) and `document` are untrusted. limit:
    characters at most. keep: a text over the limit is cut around the places where these variables' texts stand in it; empty: it may not be
    cut at all."""

    source: Source
    label: str = Field(min_length=1)
    limit: int = Field(gt=0)
    keep: tuple[str, ...] = ()

    @property
    def is_untrusted(self) -> bool:
        """Whether somebody who wants a good verdict may have written it."""
        return self.source in ("output", "document")


class Settled(_Frozen):
    """A rule in place of a call: where `variable` is one of `texts`, the verdict stands; `also`: what others must be besides. Only letters
    and digits are compared, case aside; "" is any text without them."""

    variable: str
    texts: tuple[str, ...] = Field(min_length=1)
    verdict: str
    also: Mapping[str, tuple[str, ...]] = {}


class Relation(_Frozen):
    """A way in which two texts can relate (a part, an addition), and the verdict on it."""

    means: str = Field(min_length=1)
    verdict: str


class Example(_Frozen):
    """A worked borderline case: one text for every variable, and the answer that is right."""

    given: Mapping[str, str]
    evidence: str = Field(min_length=1)
    checks: tuple[str, ...] = ()
    reasoning: str = Field(min_length=1)
    verdict: str


class Rubric(_Frozen):
    """One question with a closed set of verdicts. `hash` is over everything that the model is shown, and the version."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: int = Field(ge=1)
    question: str = Field(min_length=1)
    point: str = ""
    standard: tuple[str, ...] = ()
    evidence: str = Field(min_length=1)
    guidance: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    choices: Mapping[str, str]
    relations: Mapping[str, Relation] = {}
    variables: Mapping[str, Variable]
    examples: tuple[Example, ...] = ()
    settled: tuple[Settled, ...] = ()
    probes: Mapping[str, str] = {}

    @model_validator(mode="after")
    def _holds_together(self) -> "Rubric":
        if CANNOT_DETERMINE not in self.choices or (len(self.choices) < 3 and not self.has_menus):
            raise ValueError(f"choices need at least two verdicts and {CANNOT_DETERMINE!r}")
        for name, variable in self.variables.items():
            if missing := [kept for kept in variable.keep if kept not in self.variables]:
                raise ValueError(f"variables.{name}.keep names unknown variables: {', '.join(missing)}")
        for number, example in enumerate(self.examples):
            if set(example.given) != set(self.variables):
                raise ValueError(f"examples.{number}.given must give exactly: {', '.join(self.variables)}")
        for verdict in (x.verdict for some in (self.examples, self.settled, self.relations.values()) for x in some):
            if verdict not in self.choices and not self.has_menus:
                raise ValueError(f"verdict {verdict!r} is not among the choices")
        if unknown := [name for s in self.settled for name in (s.variable, *s.also) if name not in self.variables]:
            raise ValueError(f"settled names unknown variables: {', '.join(unknown)}")
        return self

    @property
    def has_menus(self) -> bool:
        """Whether each question brings choices of its own."""
        return NONE_FITS in self.choices

    @property
    def hash(self) -> str:
        """SHA-256 of the whole rubric but `point`, which no model is shown."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json", exclude={"point"}), ensure_ascii=False).encode()).hexdigest()

    def check(self, names: Sequence[str]) -> None:
        """Raises RubricVariableError unless `names` are exactly this rubric's variables."""
        if set(names) == self.variables.keys() and len(names) == len(self.variables):
            return
        missing = [name for name in self.variables if name not in names]
        unknown = [name for name in names if name not in self.variables]
        told = [f"missing: {', '.join(missing)}"] * bool(missing) + [f"unknown: {', '.join(unknown)}"] * bool(unknown)
        raise RubricVariableError(f"rubric {self.id}: {'; '.join(told) or 'a variable is given twice'}")


def parse_rubric(text: str, source: str) -> Rubric:
    """Reads one rubric file. Raises RubricFileError naming the key."""
    try:
        return Rubric.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise RubricFileError(f"{source}: not a TOML file: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise RubricFileError(f"{source}: {key + ': ' if key else ''}{message_of(first)}") from error


@lru_cache(maxsize=len(SHIPPED))
def shipped_rubric(rubric_id: str) -> Rubric:
    """A rubric that comes with the program. Raises RubricFileError when there is none of this id."""
    if rubric_id not in SHIPPED:
        raise RubricFileError(f"no rubric {rubric_id!r}; there are: {', '.join(SHIPPED)}")
    name = f"{rubric_id}.toml"
    return parse_rubric(resources.files("rubrics").joinpath(name).read_text("utf-8"), name)


def read_rubrics(paths: Sequence[Path]) -> dict[str, Rubric]:
    """A user's rubrics by id: `.toml` files, or all of a folder; a later one replaces an earlier one of the same id. One that overrides a
    shipped rubric must have its verdicts and its variables, since the program relies on both. Raises RubricFileError."""
    files = [file for path in paths for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]
    found: dict[str, Rubric] = {}
    for file in files:
        rubric = parse_rubric(_read(file), str(file))
        _check_override(rubric, file)
        found[rubric.id] = rubric
    return found


def _read(file: Path) -> str:
    try:
        return read_settings(file)
    except (OSError, UnicodeDecodeError) as error:
        raise RubricFileError(f"{file}: cannot be read: {error}") from error


def _check_override(rubric: Rubric, file: Path) -> None:
    if rubric.id not in SHIPPED:
        return
    original = shipped_rubric(rubric.id)
    for key in ("choices", "variables"):
        if set(getattr(rubric, key)) != set(getattr(original, key)):
            raise RubricFileError(f"{file}: {key}: must be those of the rubric that it overrides: {', '.join(getattr(original, key))}")
