"""Accepted deviations (docs/contract/formats.md): who accepted which item of which case, why, and until when."""

import datetime
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from calibration.label_files.identity import is_name
from judge.capabilities.cases import Strict, Text
from judge.disk import read_json, write_atomically
from judge.errors import InputError, Problem
from judge.inputs.files import places_of
from judge.inputs.index import read_line
from judge.records import RIGHT, Excepted, Finding, Item, Key, Outcome
from judge.results.folder import EXCEPTIONS, SUMMARY, as_written, read_run
from rubrics.named_file import read_named

CODES = "EXCEPTION_"
EXPIRED = "EXCEPTION_EXPIRED"
EXPIRED_COUNT = "exceptions_expired"  # among the counts of summary.json


def expired_text(count: int) -> str:
    """What a verdict that is no pass says of exceptions whose day is over."""
    return f"{count} accepted deviation{' has' if count == 1 else 's have'} expired"


def _seen(text: str) -> str:
    if not is_name(text):
        raise ValueError("needs a letter or digit that can be seen")
    return text


class ExceptionLine(Strict):
    """One accepted deviation. It counts through the day of `expires`, and where `reported` is given for that value alone."""

    case_id: Text
    item: Text
    tranche: Text | None = None
    reported: Text | None = None
    who: Annotated[Text, AfterValidator(_seen)]
    why: Annotated[Text, AfterValidator(_seen)]
    expires: datetime.date


@dataclass(slots=True)
class Exceptions:
    """The file as read; `met` are the entries whose item was seen."""

    path: Path
    lines: Mapping[Key, tuple[ExceptionLine, int]]
    today: datetime.date
    met: set[Key] = field(default_factory=set)

    @property
    def case_ids(self) -> set[str]:
        """The cases that an entry names."""
        return {key[0] for key in self.lines}

    def apply(self, item: Item) -> Item:
        """The item with its exception, or with the finding that says why the exception does not count. What an earlier file said goes."""
        if item.exception or any(one.code.startswith(CODES) for one in item.findings):
            item = replace(item, exception=None, findings=tuple(one for one in item.findings if not one.code.startswith(CODES)))
        if (found := self.lines.get(item.key)) is None:
            return item
        self.met.add(item.key)
        accepted = found[0]
        if accepted.expires < self.today:
            return _with_finding(item, Finding(EXPIRED, f"accepted by {accepted.who} until {accepted.expires}"))
        if item.outcome is Outcome.HALLUCINATION:
            return _with_finding(item, Finding("EXCEPTION_REFUSED", "a hallucination cannot be accepted as a deviation"))
        if accepted.reported not in (None, item.reported):
            return _with_finding(item, Finding("EXCEPTION_REFUSED", f"accepted for {accepted.reported!r}, reported is {item.reported!r}"))
        if item.outcome in RIGHT and not item.is_waiting and (item.provenance.complete or not item.provenance.is_required):
            return _with_finding(
                item, Finding("EXCEPTION_REFUSED", "the item is right and its citation complete: there is nothing to accept")
            )
        return replace(item, exception=Excepted(accepted.who, accepted.why, accepted.expires.isoformat()))

    def check(self, judged_cases: Collection[str], spared: str = "") -> None:
        """Raises InputError for entries whose item does not exist in a case that was judged. spared: a mark in names that may yet come."""
        problems = [
            Problem(str(self.path), number, "item", f"case {key[0]!r} has no item {key[1]!r} (tranche {key[2]!r})")
            for key, (_, number) in self.lines.items()
            if key not in self.met and key[0] in judged_cases and not (spared and spared in key[1])
        ]
        if problems:
            raise InputError(problems)


def uncounted(item: Item) -> str:
    """The exception of an item that does not count, and why; "" where there is none."""
    why = [] if item.exception else [finding.detail for finding in item.findings if finding.code.startswith(CODES)]
    return f"{item.case_id} {item.title}: {'; '.join(why)}" if why else ""


def _with_finding(item: Item, finding: Finding) -> Item:
    return item if finding in item.findings else replace(item, findings=(*item.findings, finding))


def keep_exceptions(folder: Path, path: Path) -> None:
    """Keeps the file that the gates were applied with beside the results, for reports, later labels and gates."""
    kept = folder / EXCEPTIONS
    if not (kept.exists() and kept.samefile(path)):
        write_atomically(kept, [read_named(path).decode()])


def kept_exceptions(folder: Path) -> Path | None:
    """The file that the gates were last applied with; None where they were applied with none."""
    return folder / EXCEPTIONS if (folder / EXCEPTIONS).is_file() else None


def gated_on(folder: Path) -> datetime.date:
    """The day by which a folder's gates took its accepted deviations: it goes on counting for what is made of them later."""
    day = read_json(folder / SUMMARY).get("exceptions_on") or str(read_run(folder).get("started_at", ""))[:10]
    with as_written(folder / SUMMARY):
        return datetime.date.fromisoformat(day) if day else datetime.date.today()


def read_exceptions(path: Path, case_ids: Container[str], today: datetime.date) -> Exceptions:
    """Reads the file. Raises InputError with all problems: not JSON, an unknown key or case, one item twice."""
    problems: list[Problem] = []
    lines: dict[Key, tuple[ExceptionLine, int]] = {}
    for place, data in places_of(path, problems):
        line: ExceptionLine | None = read_line(place, data, ExceptionLine, problems)
        if line is None:
            continue
        key = (line.case_id, line.item, line.tranche)
        if line.case_id not in case_ids:
            problems.append(Problem(str(path), place.line, "case_id", f"there is no case {line.case_id!r} in this run"))
        elif key in lines:
            problems.append(Problem(str(path), place.line, "item", f"{line.item!r} of case {line.case_id!r} is excepted twice"))
        lines[key] = (line, place.line)
    if problems:
        raise InputError(problems)
    return Exceptions(path, lines, today)
