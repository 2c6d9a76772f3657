"""Evaluation cases in Markdown: the little of Markdown that they are made of, their citations, and what a cell says of a value.
Each capability reads its own expected output (`gold.py`) with these."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from deterministic.values.stated import read_illegible
from judge.capabilities.wording import fold_text
from judge.errors import Problem, did_you_mean
from judge.printing import quoted

NOTHING = frozenset({"", "-", "–", "—"})
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?")  # |---|:---:|
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_KEY = re.compile(r"\**(?P<key>[A-Za-z][A-Za-z ()&-]{0,40}?)\s*(?:\*\*:|:\*\*|:)\**\s*(?P<value>.*)", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(?P<text>.*)")


class Line(NamedTuple):
    """A line of the file; number counts from 1."""

    number: int
    text: str


@dataclass(slots=True)
class Section:
    """A heading with the lines below it, down to the next heading; children: the sections of the level below."""

    title: str
    line: int
    lines: list[Line] = field(default_factory=list)
    children: "list[Section]" = field(default_factory=list)


class Row(NamedTuple):
    """A row of a table: column -> cell; cells that say nothing are left out."""

    line: int
    cells: dict[str, str]


@dataclass(slots=True)
class Faults:
    """Everything that is wrong with one case file."""

    file: str
    found: list[Problem] = field(default_factory=list)

    def add(self, line: int, key: str, message: str) -> None:
        """One more fault: what to do about a key on a line."""
        self.found.append(Problem(self.file, line, key, message))

    def unknown(self, line: int, what: str, given: str, known: Sequence[str]) -> None:
        """A word that is none of a list, with the list."""
        near = did_you_mean(given, known)
        self.add(line, what, f"unknown {what} {quoted(given)}{near if near.endswith('?') else ''}; known: {', '.join(known)}")


def outline(text: str) -> Section:
    """The whole file below its title; what stands before the title is in `lines` of a section without one."""
    top = [Section("", 1)]
    for number, raw in enumerate(_without_comments(text).splitlines(), 1):
        heading = re.fullmatch(r"\s{0,3}(#{1,6})\s+(.*)", raw)
        if heading is None:
            top[-1].lines.append(Line(number, raw.strip()))
            continue
        section, depth = Section(without_emphasis(heading[2].rstrip().rstrip("#")), number), min(len(heading[1]), 3)
        del top[depth:]
        top[-1].children.append(section)
        top.append(section)
    return top[0]


def _without_comments(text: str) -> str:
    """A text without `<!-- … -->`; its lines keep their numbers."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])


def without_emphasis(text: str) -> str:
    """A text without the emphasis around it, line breaks of a cell as `;`."""
    text = _BREAK.sub("; ", text.strip()).strip()
    while found := re.fullmatch(r"(\*\*|__|\*|`)(?P<inner>[^*`]+)\1", text):
        text = found["inner"].strip()
    return text


def rows(lines: Sequence[Line], columns: Mapping[str, str], faults: Faults, needed: Collection[str] = ()) -> list[Row]:
    """The rows of all tables among the lines. columns: title, folded -> key. A column that is not known, or is missing, is a fault."""
    found: list[Row] = []
    for table in _tables(lines):
        keys = [columns.get(fold_text(title)) for title in _cells(table[0].text)]
        for title, key in zip(_cells(table[0].text), keys, strict=True):
            if key is None:
                faults.unknown(table[0].number, "column", title, list(columns))
        for title, key in columns.items():
            if key in needed and key not in keys:
                faults.add(table[0].number, "column", f"the table has no column {title!r}; its columns: {', '.join(columns)}")
        for line in table[2:]:
            cells = _cells(line.text)
            if len(cells) > len(keys):
                faults.add(line.number, "row", f"has {len(cells)} cells under {len(keys)} columns; write a | within a cell as \\|")
                continue
            given = zip(keys, cells, strict=False)
            found.append(Row(line.number, {key: cell for key, cell in given if key is not None and cell not in NOTHING}))
    return [row for row in found if row.cells]


def _tables(lines: Sequence[Line]) -> Iterator[list[Line]]:
    at = 0
    while at + 1 < len(lines):
        if "|" in lines[at].text and "|" in lines[at + 1].text and _RULE.fullmatch(lines[at + 1].text):
            end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n].text), len(lines))
            yield list(lines[at:end])
            at = end
        at += 1


def _cells(text: str) -> list[str]:
    if (parts := re.split(r"(?<!\\)\|", text.removeprefix("|"))) and not parts[-1].strip():
        del parts[-1]
    return [without_emphasis(part.replace("\\|", "|")) for part in parts]


class Keyed(NamedTuple):
    """The value of a `Key: value` line, with the lines that go on with it."""

    line: int
    key: str
    value: str


def keyed(lines: Sequence[Line], known: Collection[str], faults: Faults) -> list[Keyed]:
    """The `Key: value` lines; a value goes on over the lines behind it, up to the next key. known: keys, folded. A first line with another
    key, and one that is nearly a known key, is a fault; other text without a key is passed over."""
    found: list[Keyed] = []
    for number, text in lines:
        match = _KEY.fullmatch(text)
        key = fold_text(match["key"]) if match else ""
        if match and key in known:
            found.append(Keyed(number, key, without_emphasis(match["value"])))
        elif match and not text.startswith("|") and (not found or "?" in did_you_mean(key, list(known))):
            faults.unknown(number, "key", match["key"], list(known))
        elif text and not text.startswith("|") and found:
            item = _ITEM.fullmatch(text)
            rest = without_emphasis(item["text"] if item else text)
            found[-1] = found[-1]._replace(value=f"{found[-1].value}\n{rest}" if item else f"{found[-1].value} {rest}".strip())
    return found


def paragraphs(lines: Sequence[Line]) -> str:
    """Running text: lines of a paragraph joined, paragraphs apart by an empty line."""
    groups = groupby(lines, key=lambda line: bool(line.text))
    return "\n\n".join(" ".join(line.text for line in group) for has_text, group in groups if has_text)


def items(lines: Sequence[Line]) -> list[str]:
    """The points of a list; a point goes on over lines without a mark."""
    found: list[str] = []
    for _, text in lines:
        if match := _ITEM.fullmatch(text):
            found.append(match["text"].strip())
        elif text and found:
            found[-1] += f" {text}"
        elif text:
            found.append(text)
    return found


_LABEL = re.compile(r"(?:\*\*|__)(?P<label>.+?):?(?:\*\*|__):?")
_PAGE = re.compile(r",\s*(?:physical\s+)?(?:pages?|pp?\.)\s*(?P<page>[^,]+?)\s*(?:,|$)", re.IGNORECASE)
HOW = 'write `> "quote"`, then `> Source: file, page N, clause`'


@dataclass(frozen=True, slots=True)
class Evidence:
    """One citation. label: the value that it is given for, "" where none is named."""

    line: int
    label: str
    quote: str
    document: str
    page: int | str | None
    section: str | None

    def place(self, documents: Sequence[str]) -> dict[str, Any]:
        """The citation as gold has it, with its quote, which gold leaves out in the end."""
        found = {"document": self.document if len(documents) > 1 else None, "page": self.page, "section": self.section, "quote": self.quote}
        return {key: value for key, value in found.items() if value is not None}


@dataclass(slots=True)
class Target:
    """A value that can be cited. names: what a label may call it; rank: how well a quote shows it, 0 not at all. place: the object of gold
    that its citations go to, None for one that has no value to cite."""

    name: str
    names: frozenset[str]
    place: dict[str, Any] | None
    rank: Callable[[str], int] = field(default=lambda quote: 0)


def citations(lines: Sequence[Line], documents: Sequence[str], faults: Faults) -> list[Evidence]:
    """All citations in their order; a label holds up to the next one."""
    found: list[Evidence] = []
    label, quote = "", list[Line]()
    for line in (*lines, Line(0, "**end**")):
        number, text = line
        if text.startswith(">"):
            inner = text.lstrip("> ").strip()
            if inner.casefold().startswith("source:"):
                found += _evidence(number, label, quote, inner[len("source:") :].strip(), documents, faults)
                quote = []
            elif inner:
                quote.append(Line(number, inner))
            continue
        if quote and text:
            faults.add(quote[0].number, "source", f"the quote has no source: {HOW}")
            quote = []
        if match := _LABEL.fullmatch(text):
            label = without_emphasis(match["label"])
        elif text and not re.match(r"none\b", text, re.IGNORECASE):
            faults.add(number, "citation", f"{quoted(text)} is neither **item** nor a quote: {HOW}")
    return found


def _evidence(line: int, label: str, quote: Sequence[Line], source: str, documents: Sequence[str], faults: Faults) -> Iterator[Evidence]:
    named = next((name for name in documents if source.casefold().startswith(name.casefold())), None)
    if not quote:
        faults.add(line, "quote", f"the source has no quote: {HOW}")
    if named is None:
        if documents:
            given = quoted(source.partition(",")[0])
            faults.add(line, "source", f"{given} is not the document of this case ({', '.join(documents)}): {HOW}")
        return
    rest = source[len(named) :].strip()
    page = _PAGE.match(rest)
    section = (rest[page.end() :] if page else rest).strip(" ,") or None
    if rest and not rest.startswith(","):
        faults.add(line, "source", f"{quoted(rest)} after the file: {HOW}")
        return
    if not rest.strip(" ,"):
        faults.add(line, "source", f"names neither page nor clause: {HOW}")
    number = page["page"] if page else None
    yield Evidence(
        line=quote[0].number if quote else line,
        label=label,
        quote=" ".join(part.text for part in quote),
        document=named,
        page=int(number) if number is not None and number.isascii() and number.isdigit() else number,
        section=section,
    )


def attach(found: Sequence[Evidence], targets: Sequence[Target], documents: Sequence[str], faults: Faults) -> None:
    """Gives every citation to its value: the one that its label names, else the one that its quote shows best, if that is one."""
    given: dict[int, list[dict[str, Any]]] = {}
    for one in found:
        target = _labelled(one, targets, faults) if one.label else _shown_by(one, targets, faults)
        if target is not None and target.place is None:
            faults.add(one.line, "citation", f"{target.name} has no value that could be cited: take the citation out, or give the value")
        elif target is not None:
            given.setdefault(id(target.place), []).append(one.place(documents))
    for target in targets:
        if target.place is not None and (places := given.pop(id(target.place), None)):
            target.place.update({"citation": places[0]} if len(places) == 1 else {"citations": places})


def _labelled(one: Evidence, targets: Sequence[Target], faults: Faults) -> Target | None:
    named = [target for target in targets if fold_text(one.label) in target.names]
    if len(named) == 1:
        return named[0]
    what = "more than one value" if named else "no value of this case"
    faults.add(one.line, "citation", f"{quoted(one.label)} names {what}{did_you_mean(one.label, [target.name for target in targets])}")
    return None


def _shown_by(one: Evidence, targets: Sequence[Target], faults: Faults) -> Target | None:
    ranks = [target.rank(one.quote) if target.place is not None else 0 for target in targets]
    best = [target for target, rank in zip(targets, ranks, strict=True) if rank and rank == max(ranks)]
    if len(best) == 1:
        return best[0]
    what = f"shows more than one value ({', '.join(t.name for t in best)})" if best else "shows no value of this case"
    faults.add(one.line, "citation", f"the quote {what}: write **item** above it")
    return None


Gold = dict[str, Any]
_LOW = re.compile(r"\W*low\s*(?:[-–—:,]+\s*|\W*$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_ABSENT = re.compile(r"[\[(]?\s*absent\s*(?:[-–—:,;(].*)?[\])]?", re.IGNORECASE | re.DOTALL)


@dataclass(slots=True)
class Reading:
    """Gold as far as it was read. targets: what can be cited; lines: path in gold -> line of the file (negative: a fault is told of it);
    items: folded name -> item that a row of the scoring criteria may be limited to."""

    gold: Gold
    targets: list[Target] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, name: str, one: Gold, line: int, rank: Callable[[str], int]) -> None:
        """One more entry of a list of gold, which can be cited."""
        listed = self.gold.setdefault(kind, [])
        self.lines[f"gold.{kind}[{len(listed)}]"] = line
        listed.append(one)
        self.items.setdefault(fold_text(name), name)
        self.targets.append(Target(name, frozenset({fold_text(name)}), one, rank))


def columns(*titles: str) -> dict[str, str]:
    """Column titles, folded -> key."""
    return {fold_text(title): fold_text(title).replace(" ", "_") for title in titles}


def listed(text: str) -> list[str]:
    """The parts of a list written with `;`."""
    return [part.strip() for part in text.split(";") if part.strip()]


def field_gold(text: str, *, is_list: bool) -> dict[str, Any]:
    """Gold of a field from its cell. is_list: the field is a list also where one entry is given. "LOW — …" always is illegible."""
    low = _LOW.fullmatch(text)
    if _ABSENT.fullmatch(text):
        return {"absent": True}
    rest = low["rest"].removesuffix("]" if text.startswith("[") else "") if low else text
    if (found := read_illegible(rest)) is not None and found.page is not None:
        return {"legible": False, "missing_page": found.page}
    if found is not None and found.visible:
        several = is_list or len(found.visible) > 1
        return {"legible": False, "visible": list(found.visible) if several else found.visible[0]}
    if found is not None or low:
        return {"legible": False}
    return {"value": listed(text) if is_list else text}
