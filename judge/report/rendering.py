"""How reports are put together: templates that show foreign text harmlessly, their styles and scripts, and what a page's policy allows."""

import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from markupsafe import Markup

from judge.printing import shown, shown_lines
from judge.report import about, wording


@lru_cache(maxsize=4)
def asset(name: str) -> str:
    """A style or script of the reports."""
    return resources.files("judge.report").joinpath("templates", name).read_text("utf-8")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """Every text is shown as `shown_lines` does, and escaped in a page or XML; `words` is how reports say things, `facts` what of a run."""
    environment = Environment(
        loader=PackageLoader("judge.report"),
        autoescape=select_autoescape(("html.j2", "xml.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: shown_lines(value, 1_000_000) if type(value) is str else value,  # not what is markup already
    )
    environment.filters["md"] = markdown_cell
    environment.filters["shown"] = shown
    environment.filters["code"] = code_span
    environment.globals.update(words=wording, facts=about)
    return environment


def template(name: str) -> Template:
    """A template of the reports."""
    return _environment().get_template(name)


def part(name: str, *values: Any) -> Markup:
    """A block of a page: the macro of this name in parts.html.j2."""
    return Markup(getattr(template("parts.html.j2").module, name)(*values))


def rendered_page(name: str, style: str, mark: str, **values: Any) -> str:
    """A page as one file with its style; its content security policy forbids every request, and every style but this one. mark: what
    stands at the foot of every printed sheet beside its number."""
    plain = "".join(one if one.isalnum() or one in " .,:-" else "_" for one in mark)
    style += asset("sheet.css").replace("MARK", plain)
    return template(name).render(style=Markup(style), style_hash=source_hash(style), **values)


def source_hash(source: str) -> str:
    """The hash by which a content security policy allows one inline script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def json_text(value: Any) -> Markup:
    """JSON that may stand in a script element: nothing in it can end the element or be read as markup."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text.encode("utf-8", "backslashreplace").decode("utf-8"))


_LINKED = re.compile(r"\]\(|://|www\.|[@#]\w|\bGH-\d|:(?!\d\d:)[\w+-]+:|\b(?=\w*[a-f])[0-9a-f]{7,40}\b", re.I)
"""Matches what a server links, or draws, in plain text whatever escapes stand in it: addresses, names, issues, commits, :smile:."""


def markdown_cell(text: str, most: int = 200) -> str:
    """Foreign text for a Markdown table: nothing of it is read as markup, as HTML or as a link."""
    flat = shown(text, most)
    if _LINKED.search(flat):
        return code_span(flat, most)
    return re.sub(r"([\\`*_{}\[\]|#!~])", r"\\\1", flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def code_span(text: str, most: int = 120) -> str:
    """A text that is shown and never read: no markup, mention or link comes of it."""
    plain = shown(text, most).replace("`", "'").replace("|", "¦")
    return f"`{plain}`" if plain else ""


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows of cells as CSV; a text that would be a formula gets an apostrophe."""
    out = io.StringIO()
    csv.writer(out).writerows([f"'{c}" if isinstance(c, str) and is_formula(c) else c for c in row] for row in rows)
    return out.getvalue()


def is_formula(text: str) -> bool:
    """Spreadsheets may read it as a formula when they open a CSV, white space before it or not."""
    return text.startswith(("\t", "\r")) or text.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
