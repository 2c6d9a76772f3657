"""The numbers that Word makes: which list and level a paragraph belongs to, by itself or by its style, and what is printed for it.
They stand nowhere in the text of the file. Source: ECMA-376 part 1, 17.9 (numbering) and 17.7 (styles)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deterministic.documents.word.container import Element, child, is_on, number, value
from deterministic.lexicon.spelling import NUMBER_WORDS, ORDINALS, roman_text

_DEEPEST = 8
_LONGEST_CHAIN = 40  # styles that one style is based on, one by one
_LARGEST = 9999


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list. `text`: what is printed, "%1" for the number of the first level. `restart`: None after any higher level, 0
    never, else after a level above this one (counted from 1). `style`: the paragraph style that it belongs to. `look`: its element, for the
    properties of its letters."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    is_legal: bool = False
    restart: int | None = None
    style: str = ""
    look: Element | None = None


@dataclass(frozen=True, slots=True)
class List:
    """A list as paragraphs name it; lists of one `kind` count on from one another but where `starts` (by level) says otherwise."""

    kind: str
    levels: Mapping[int, Level]
    starts: Mapping[int, int]


class Styles:
    """The paragraph styles of a document. `default`: the one of a paragraph that names none."""

    def __init__(self, root: Element | None) -> None:
        found = [element for element in root if element.tag == "w:style"] if root is not None else []
        self._by_id = {element.get("w:styleId", ""): element for element in found}
        plain = (e for e in found if e.get("w:type") == "paragraph" and e.get("w:default") in ("1", "true"))
        self.default = next((e.get("w:styleId", "") for e in plain), "")
        self.defaults = child(root, "w:docDefaults", "w:rPrDefault")

    def chain(self, style: str) -> Iterator[tuple[str, Element]]:
        """(id, definition) of a style and of those that it is based on, the nearest first."""
        for _ in range(_LONGEST_CHAIN):
            if (element := self._by_id.get(style)) is None:
                return
            yield style, element
            style = value(element, "w:basedOn") or ""


class Lists:
    """The lists of a document (`numbering.xml`)."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        elements = list(root) if root is not None else []
        kinds = {e.get("w:abstractNumId", ""): e for e in elements if e.tag == "w:abstractNum"}
        lists = {e.get("w:numId", ""): e for e in elements if e.tag == "w:num"}
        self._by_id = {name: self._list(element, kinds, lists) for name, element in lists.items()}

    def _list(self, element: Element, kinds: Mapping[str, Element], lists: Mapping[str, Element]) -> List:
        kind = value(element, "w:abstractNumId") or ""
        for _ in range(_LONGEST_CHAIN):  # a list may be that of a numbering style
            if not (style := value(kinds.get(kind), "w:numStyleLink")):
                break
            named = next((n for _, e in self._styles.chain(style) if (n := value(e, "w:pPr", "w:numPr", "w:numId"))), "")
            kind = value(lists.get(named), "w:abstractNumId") or kind
        levels = dict(map(_level, _children(kinds.get(kind), "w:lvl")))
        starts = {}
        for override in _children(element, "w:lvlOverride"):
            at = number(override.get("w:ilvl"), 0)
            levels.update(map(_level, _children(override, "w:lvl")))
            if (start := value(override, "w:startOverride")) is not None:
                starts[at] = number(start, 1)
        return List(kind, levels, starts)

    def place_of(self, paragraph: Element) -> tuple[str, int] | None:
        """(list, level) of a paragraph; None for one without a number."""
        own = child(paragraph, "w:pPr", "w:numPr")
        chain = list(self._styles.chain(value(paragraph, "w:pPr", "w:pStyle") or self._styles.default))
        name = value(own, "w:numId") or next((n for _, e in chain if (n := value(e, "w:pPr", "w:numPr", "w:numId"))), "")
        if name not in self._by_id:
            return None
        if (level := value(own, "w:ilvl")) is None:
            linked = (at for style, _ in chain for at, one in self._by_id[name].levels.items() if one.style == style)
            of_style = next((n for _, e in chain if (n := value(e, "w:pPr", "w:numPr", "w:ilvl"))), "0")
            level = str(next(linked, of_style))
        return name, min(number(level, 0), _DEEPEST)

    def get(self, name: str) -> List:
        return self._by_id[name]

    def look_of(self, place: tuple[str, int] | None) -> Element | None:
        """What says how the numbers of a place look."""
        return None if place is None else self._by_id[place[0]].levels.get(place[1], Level()).look


def _children(element: Element | None, name: str) -> Iterator[Element]:
    return (inner for inner in element if inner.tag == name) if element is not None else iter(())


def _level(element: Element) -> tuple[int, Level]:
    restart = value(element, "w:lvlRestart")
    return number(element.get("w:ilvl"), 0), Level(
        start=number(value(element, "w:start"), 0),
        form=value(element, "w:numFmt") or "decimal",
        text=value(element, "w:lvlText") or "",
        is_legal=bool(is_on(element, "w:isLgl")),
        restart=None if restart is None else number(restart, 0),
        style=value(element, "w:pStyle") or "",
        look=element,
    )


class Counter:
    """Counts the paragraphs of a text in their order."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        self._started: set[tuple[str, int]] = set()

    def next(self, place: tuple[str, int] | None) -> str:
        """What Word prints before the next paragraph, which has this place (`Lists.place_of`): "2.1", "(a)", "•", "" for nothing."""
        if place is None:
            return ""
        name, at = place
        one = self._lists.get(name)
        counts = self._counts[one.kind]
        if at in one.starts and place not in self._started:
            counts[at] = one.starts[at]
        else:
            counts[at] = counts[at] + 1 if at in counts else one.levels.get(at, Level()).start
        self._started.add(place)
        for deeper in [level for level in counts if level > at]:
            if (restart := one.levels.get(deeper, Level()).restart) is None or 0 <= at < restart:
                del counts[deeper]
        return _printed(one.levels, counts, at)


def _printed(levels: Mapping[int, Level], counts: Mapping[int, int], at: int) -> str:
    level = levels.get(at, Level())
    if level.form == "bullet":
        return "•" if level.text.strip() else ""

    def shown(match: re.Match[str]) -> str:
        n = int(match[1]) - 1
        other = levels.get(n, Level())
        form = "decimal" if level.is_legal and other.form not in ("decimalZero", "none") else other.form
        return formatted(counts.get(n, other.start), form)

    return re.sub(r"%([1-9])", shown, level.text).strip()


def formatted(count: int, form: str) -> str:
    """A number as a list prints it; forms that are not known are printed as decimals."""
    if form == "none":
        return ""
    if not 0 < count <= _LARGEST:
        return str(count)
    if form in ("lowerLetter", "upperLetter", "lowerRoman", "upperRoman"):
        shown = roman_text(count) if form.endswith("Roman") else chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return shown.upper() if form.startswith("upper") else shown
    if form == "decimalZero":
        return f"{count:02d}"
    if form == "ordinal":
        return f"{count}{'th' if 10 < count % 100 < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th')}"
    words = {"cardinalText": NUMBER_WORDS, "ordinalText": ORDINALS}.get(form, ())
    return words[count - 1].capitalize() if count <= len(words) else str(count)
