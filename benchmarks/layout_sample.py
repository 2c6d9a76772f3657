"""The shipped sample agreement as blocks whose places are known: its marked text (`scripts/build_sample.py`) says what a paragraph is."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.layout_model import Agreement, Path_
from benchmarks.layout_texts import add_cover


def sample(text: Path) -> Agreement:
    """The shipped sample agreement: its marked text tells what is a clause, a paragraph, a definition and a schedule."""
    agreement = Agreement("sample", "Tarnbrook Facilities Agreement", bare_number="Clause {}")
    add_cover(agreement, "DATED 14 MAY 2026", "TERM AND REVOLVING FACILITIES AGREEMENT", "for TARNBROOK MARINE TERMINALS LIMITED")
    place: Path_ | None = None
    cite = ""
    for block in re.split(r"\n\s*\n", text.read_text("utf-8").strip()):
        mark, _, rest = block.partition(" ")
        rest = re.sub(r'(^|[\s(/])"', r"\1“", rest.strip()).replace('"', "”").replace("'", "’")
        if mark in ("C", "S"):
            number, _, title = rest.partition(" ")
            place = agreement.cite(
                (number,) if mark == "C" else (number.split(".")[0], number), cite := f"Clause {number}", f"Clause {number} ({title})"
            )
            agreement.add("title", title, f"{number}." if mark == "C" else number, path=place, entry=rest if mark == "C" else "")
        elif mark in ("H", "X", "Y"):
            head, _, title = rest.partition(" | ")
            if mark == "H":
                place = None
            elif mark == "X":
                place, cite = agreement.cite((head.title(),), head.title()), head.title()
            elif place:
                place = agreement.cite((place[0], head), f"{head} of {place[0]}")
            agreement.add("heading", head, path=place, entry=f"{head} {title}" if mark == "X" else "")
            if title:
                agreement.add("heading", title, path=place)
        elif mark == "D":
            term = rest[1 : rest.index("”")]
            place = agreement.cite(
                (*_clause_of(place), f"“{term}”"),
                cite := f"definition of “{term}”",
                f"definition of “{term}” in {'Clause ' + _clause_of(place)[-1]}",
            )
            agreement.add("text", rest, level=1, path=place)
        elif mark in (">", ">>"):
            label, _, words = rest.partition(" ")
            place = _limb(agreement, place, label, mark, cite)
            agreement.add("text", words, label, level=1 if mark == ">" else 2, path=place)
        elif mark == "T":
            for line in rest.splitlines():
                agreement.add("row", " | ".join(cell.strip() for cell in line.split("|")), path=_above_limbs(place))
        elif mark == "PAGE":
            agreement.add("page", "")
        else:
            # Words behind the last limb, and those above the signatures, belong to no provision for certain.
            is_tail = bool(place and place[-1].startswith("(")) or rest.startswith("This Agreement has been entered into")
            agreement.add("text", rest, level=1, path=None if is_tail else place)
    return agreement


def _clause_of(path: Path_ | None) -> Path_:
    return tuple(step for step in path or () if not step.startswith(("“", "(")))


def _above_limbs(path: Path_ | None) -> Path_ | None:
    return tuple(step for step in path if not step.startswith("(")) if path else None


def _limb(agreement: Agreement, path: Path_ | None, label: str, mark: str, cite: str) -> Path_ | None:
    """The place of a labelled paragraph: below its clause or definition, or (of the second kind) below the limb before."""
    if path is None:
        return path
    if not label.startswith("("):
        schedule = tuple(step for step in path if step.startswith(("Schedule", "PART")))
        return agreement.cite((*schedule, number := label.strip(".")), f"paragraph {number} of {agreement.spellings[schedule][0]}")
    limbs = [step for step in path if step.startswith("(")]
    above = tuple(step for step in path if not step.startswith("(")) + tuple(limbs[: 0 if mark == ">" else 1])
    parts = "".join(step for step in (*above, label) if step.startswith("("))
    outer = next((s[0] for s in [agreement.spellings.get(tuple(step for step in above if not step.startswith("(")))] if s), cite)
    is_simple = outer.startswith("Clause")
    return agreement.cite(
        (*above, label),
        f"{outer}{parts}"
        if is_simple
        else f"paragraph {parts} of the {outer}"
        if "definition" in outer
        else f"paragraph {parts} of {outer}",
    )
