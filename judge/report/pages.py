"""Pages without script: a heading with facts, then sections with a table or with blocks. All values are escaped by the template."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from deterministic.documents.documents import PageImage
from judge.report.page_cuts import View, encoded
from judge.report.rendering import asset, part, rendered_page
from judge.report.wording import OUTCOME_TITLES, gate_result
from judge.results.lines import Gate


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a page. rows: cells, text or Markup; html: finished blocks; left_out: a sentence where not everything is shown."""

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    hint: str = ""
    count: int | None = None
    html: Sequence[Markup] = ()
    left_out: str = ""

    @property
    def id(self) -> str:
        """What the heading is called in a link."""
        return re.sub(r"\W+", "-", self.title.lower())


def beginning(kind: str) -> str:
    """How a page of this kind begins, as a regular expression."""
    return f'<!doctype html>.{{,50000}}<p class="brand">loan-judge <span>{kind}</span>'


def page_html(kind: str, title: str, lead: str, sections: Sequence[Section], *, tone: str, mark: str = "", **more: Sequence[Any]) -> str:
    """The page as one file; its content security policy forbids every request and every script. tone: a verdict, the heading's colour;
    mark: of which run it is, for the foot of every printed sheet."""
    page = {"kind": kind, "title": title, "lead": lead, "sections": sections, "tone": tone, "facts": (), "notes": (), **more}
    return rendered_page("page.html.j2", asset("report.css") + asset("page.css"), f"loan-judge, {kind} {mark}", page=page)


def outcome_badge(outcome: str) -> Markup:
    """An outcome as the report shows it."""
    return Markup('<span class="badge b-{}">{}</span>').format(outcome, OUTCOME_TITLES.get(outcome, outcome))


def result_badge(gate: Gate) -> Markup:
    """A gate's result as the report shows it."""
    return Markup('<span class="badge r-{}">{}</span>').format(gate.result, gate_result(gate))


def unbroken(text: str) -> Markup:
    """A figure, a range or a date that stays on one line."""
    return Markup('<span class="num">{}</span>').format(text)


def report_link(folder: Path, out: Path) -> str:
    """The report of a run as seen from a page at `out`; "" where there is none."""
    report = folder / "report.html"
    return Path(os.path.relpath(report.resolve(), out.resolve().parent)).as_posix() if report.is_file() else ""


def leaf_figure(view: View, leaf: PageImage) -> Markup:
    """A page image with its marks."""
    return part("leaf_figure", view, leaf, Markup(encoded(leaf)))
