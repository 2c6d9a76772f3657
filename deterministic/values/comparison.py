"""What every kind of value answers: how a reported value compares with the expected one.
A comparison never guesses. `open` means that no rule decides and a judge has to be asked. Both sides are read whole: what stands beside the
values has to be the same on both, but for a closed list that says nothing of them (design/values.md)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from deterministic.documents.documents import Document
from deterministic.lexicon.folding import plain_letters, without_invisible
from deterministic.lexicon.labels import ARTICLES
from deterministic.lexicon.memory import kept
from deterministic.lexicon.numbers import fold
from deterministic.lexicon.records import record
from deterministic.values.words import (
    UNKNOWN_SIGN,
    Frame,
    contains_words,
    frame_of,
    plain,
    same_characters,
    same_words,
    stands_in,
)

Label = Literal["correct", "semantic_match", "partial", "wrong", "open"]

_MATCHES = ("correct", "semantic_match")
_RANK: dict[Label, int] = {"correct": 0, "semantic_match": 1, "partial": 2, "open": 3, "wrong": 4}


@record
class Comparison:
    """A label with one plain sentence that names both values, and the finding codes that go with it."""

    label: Label
    reason: str
    codes: tuple[str, ...] = ()


@record
class Surroundings:
    """What a comparison may look at beside the two values. `quotes` are the texts that stand at the value's own located quotes, in source
    characters; `document_text` is the whole text of the case's documents (do several dollars occur?); `siblings` are gold's values of the
    same field in other tranches; `labels` what the value's own field and tranche are called."""

    quotes: tuple[str, ...] = ()
    document_text: str = ""
    siblings: tuple[Any, ...] = ()
    labels: tuple[str, ...] = ()


@record
class Mention:
    """A value that stands in running text: its half-open range of offsets, the parsed value and the characters."""

    start: int
    end: int
    value: Any
    text: str


def nothing(given: Any) -> tuple[Any, ...]:
    """Of a kind without parts, or without a scan."""
    return ()


def _remembered(supports: Callable[[Any, str], bool]) -> Callable[[Any, str], bool]:
    """Of values in words: one sentence is quoted in many cases for one value. Numbers that are equal (1, True) may be read otherwise."""
    known = kept(512)(lambda text, value: supports(value, text))
    return lambda value, text: known(text, value) if _is_in_words(value) else supports(value, text)


def _is_in_words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(part, str) for part in value))


@dataclass(frozen=True, slots=True)
class Kind:
    """The rules of one kind of value. `compare(reported, gold, accepted, surroundings)`; `occurs(value, document)` says whether the value
    stands anywhere in the document in an equivalent form; `supports(value, text)` whether a text contains it. `parts(value)`: the
    informative parts that are looked for one by one (a name, an amount, a date): a wrong value of a literal kind is a hallucination if
    one of them occurs nowhere. Words beside them are no parts: nothing is said of a text that was not read (R0.2). `scan(text)`: the values
    of the kind in running text, so that a second one in a quote is seen. is_figure: looked for in free text as an amount, percentage, date
    or length; is_computed: can be right without standing in the document, so that nowhere means no invention; is_yes_no: shown by its
    field's own formula alone; is_name: another name than the documents' is an invention; has_roles: a quote may name it in another role
    only; is_covered: a list in other words, of which a judge says how much it covers; is_graded: a text can name the kind of thing alone;
    needs_own_words: a quote has to say whose value it is; is_always_named(value): no document has it under another name; is_slip(value,
    truth, documents): a wrong value that is no invention."""

    compare: Callable[[Any, Any, tuple[Any, ...], Surroundings], Comparison]
    occurs: Callable[[Any, Document], bool]
    supports: Callable[[Any, str], bool]
    parts: Callable[[Any], tuple[Any, ...]] = nothing
    scan: Callable[[str], tuple[Mention, ...]] = nothing
    is_figure: bool = False
    is_computed: bool = False
    is_yes_no: bool = False
    is_name: bool = False
    has_roles: bool = False
    is_covered: bool = False
    is_graded: bool = False
    needs_own_words: bool = True
    is_always_named: Callable[[Any], bool] = lambda _: False
    is_slip: Callable[[Any, Any, Collection[Document]], bool] = lambda *_: False

    @property
    def is_literal(self) -> bool:
        """Whether a value of this kind can be invented."""
        return self.parts is not nothing

    def of_plain_texts(self) -> "Kind":
        """The same rules for texts as they come: what a reader does not see of them says nothing."""
        return replace(
            self,
            compare=lambda mine, gold, others, around: compare_each_reading(
                lambda read: self.compare(plain_value(mine, read), plain_value(gold, read), plain_value(others, read), around), mine, gold
            ),
            occurs=lambda value, document: self.occurs(plain_value(value), document),
            supports=_remembered(lambda value, text: self.supports(plain_value(value), without_invisible(plain_letters(text)))),
            parts=(lambda value: () if _UNSURE.search(fold(str(plain_value(value)))) else self.parts(plain_value(value)))
            if self.is_literal
            else nothing,
        )

    def missing(self, value: Any, documents: Sequence[Document]) -> tuple[Any, ...]:
        """The informative parts of a value that stand in none of the documents, in an equivalent form or letter for letter."""
        lost = (part for part in self.parts(value) if not any(self.occurs(part, document) for document in documents))
        return tuple(part for part in lost if not (isinstance(part, str) and stands_in(part, *(document.text for document in documents))))


_DOUBT = re.compile("[?\u0334-\u0338\u20d0-\u20f0\u202d\u202e]")
"""A question mark, a stroke or ring drawn over letters, and an order of letters other than their own: not the plain value."""
_UNSURE = re.compile(rf"{_DOUBT.pattern}|{UNKNOWN_SIGN}|\bor\b|\s/\s", re.IGNORECASE)
"""Of a text with such a mark, or an alternative, nothing is called invented."""


_RATED = r"\)?\s?(?:%|per\s?-?cent|pct|[x×]|times\b|:\s?1\b|to\s1\b)"
EITHER = re.compile(rf"(?<![\d.,])(?!0)(\d{{1,3}})(?:(?P<comma>,)|\.)(\d{{3}})(?!\d|[.,]\d)(?(comma)(?={_RATED}))", re.IGNORECASE)
"""A mark that groups three digits, or begins decimals: 2,350 %. Amounts in thousands are read as such."""


def compare_each_reading(compare: Callable[[Callable[[str], str]], Comparison], reported: Any, gold: Any) -> Comparison:
    """What a comparison of texts, read by what it is given, says: open where a mark is not gold's, or where one reading of a figure is."""
    found = compare(plain_text)
    is_match = found.label in _MATCHES
    if found.label in (*_MATCHES, "partial") and _DOUBT.search(str(reported)) and not _DOUBT.search(str(gold)):
        return Comparison("open", f"{quoted(reported)} against {quoted(gold)}: no rule reads its marks.")
    either = EITHER.search(f"{reported} \n {gold}") if is_match or found.label == "wrong" else None
    if either and (either["comma"] or not is_match):

        def others(new: str) -> Comparison:
            return compare(lambda text: EITHER.sub(lambda it: it.expand(new) if it["comma"] or not is_match else it[0], plain_text(text)))

        if any((one.label in _MATCHES) != is_match for one in map(others, (r"\1.\g<3>0", r"\1\3"))):
            reason = f"{quoted(reported)} against {quoted(gold)}: a figure has two readings, with decimals and in thousands."
            return Comparison("open", reason)
    return found


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as read: its value (None: not read) and what stands around it, as its kind's frame or as words that nothing reads."""

    value: Any
    unread: Frame = ()


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one kind of text is read beside the field's labels, and how two values of texts that were both read whole compare."""

    noun: str
    read: Callable[[str, tuple[str, ...]], Reading]
    relate: Callable[[Any, Any], Comparison]
    ignore_case: bool = True

    def compare(self, reported: Any, gold: Any, accepted: tuple[Any, ...], surroundings: Surroundings) -> Comparison:
        """Rows of design/values.md whose values are texts: equal characters, else what the grammar reads on both sides."""
        text = as_text(reported)
        labels = surroundings.labels
        compared = best_of(lambda mine, other: self._compare_texts(mine, as_text(other), labels), text, as_text(gold), accepted)
        return raise_verbatim(compared, text, surroundings, ignore_case=self.ignore_case)

    def _compare_texts(self, mine: str, expected: str, labels: tuple[str, ...]) -> Comparison:
        if mine and (same_characters(mine, expected) or (self.ignore_case and plain(mine) == plain(expected))):
            return Comparison("correct", f"{quoted(mine)} is the expected {self.noun}.")
        if same_words(mine, expected):
            return Comparison("semantic_match", f"{quoted(mine)} differs from {quoted(expected)} in letter case and punctuation only.")
        given, wanted = self.read(mine, labels), self.read(expected, labels)
        if given.value is None or wanted.value is None:
            return Comparison("open", f"{quoted(mine)} against {quoted(expected)}: no rule for this {self.noun} decides.")
        if given.unread != wanted.unread:
            return unread_beside(mine, expected, given.unread, wanted.unread)
        found = self.relate(given.value, wanted.value)
        return Comparison(found.label, f"{quoted(mine)} {found.reason} {quoted(expected)}.", found.codes)


def unread_beside(mine: Any, expected: Any, beside: Frame, wanted: Frame) -> Comparison:
    """Two values of which one has something beside it that the other has not."""
    told = [word for one, other in ((beside, wanted), (wanted, beside)) for word in one if word not in other and len(word) < 40]
    what = quoted(tuple(dict.fromkeys(told))) if told else "what stands beside them"
    return Comparison("open", f"{quoted(mine)} against {quoted(expected)}: no rule reads {what}.")


def as_text(value: Any) -> str:
    """The value as one line of text; "" for None and for values that are no single text (lists, objects)."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return str(value).lower() if isinstance(value, bool) else ""
    return " ".join(plain_text(str(value)).split())


_DIVIDED = re.compile(r"\d(?<![\d.,].)(?<!,[ \xa0].)\d{0,2}(?:[ \xa0]?,[ \xa0]?\d{3})++(?![\d,]|\.\d)")  # a digit first: found fast
_EXPONENT = re.compile(r"\d(?<![\w.,].)\d{0,2}(?:\.\d{1,12})?[eE]\+?\d{1,2}(?![\w.])")


@kept(4096)
def plain_text(text: str) -> str:
    """The text with plain letters, without invisible characters, and with numbers as they are written by hand: 500, 000, 000 is one, and so
    is the 5e8 of a program."""
    text = without_invisible(plain_letters(text))
    text = _DIVIDED.sub(lambda number: "".join(number[0].split()), text)
    return _EXPONENT.sub(lambda number: f"{Decimal(number[0]):f}", text)


def plain_value(value: Any, read: Callable[[str], str] = plain_text) -> Any:
    """A value whose texts, in lists and objects too, are plain."""
    if isinstance(value, str):
        return read(value)
    if isinstance(value, Mapping):
        return {key: plain_value(part, read) for key, part in value.items()}
    return type(value)(plain_value(part, read) for part in value) if isinstance(value, list | tuple) else value


def as_items(value: Any) -> tuple[str, ...]:
    """The texts of a list value; a single text is a list of one; empty entries are left out."""
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple(text for text in map(as_text, entries) if text)


def raise_verbatim(comparison: Comparison, reported: str, surroundings: Surroundings, *, ignore_case: bool) -> Comparison:
    """A value equal to gold by type that stands verbatim in its own located quote matches the source: correct (design/values.md)."""
    if comparison.label == "semantic_match" and stands_in(reported, *surroundings.quotes, ignore_case=ignore_case):
        return Comparison("correct", f"{comparison.reason} It stands so in its own quote.", comparison.codes)
    return comparison


def best_of(compare: Callable[[Any, Any], Comparison], reported: Any, gold: Any, accepted: tuple[Any, ...]) -> Comparison:
    """Compare with gold, then with each accepted alternative; an alternative is worth a semantic match at most. An alternative that no rule
    reads leaves the value open only where it could be the value: it has one of its figures or words."""
    best = compare(reported, gold)
    for alternative in accepted:
        candidate = compare(reported, alternative)
        if candidate.label == "correct":
            candidate = Comparison("semantic_match", f"{quoted(reported)} is an accepted form of {quoted(gold)}.", candidate.codes)
        if candidate.label == "open" and _figures_or_words(reported).isdisjoint(_figures_or_words(alternative)):
            continue
        if _RANK[candidate.label] < _RANK[best.label]:
            best = candidate
    return best


def _figures_or_words(value: Any) -> set[str]:
    """The figures of a text; where it has none, its words."""
    told = set(frame_of(as_text(value), carriers=ARTICLES))
    return {token for token in told if token[:1].isdigit()} or told


def join_repeats(mentions: Iterator[Mention], folded: str, join: Callable[[Mention, Mention], Mention | None]) -> Iterator[Mention]:
    """Mentions of which a bracket, "i.e." or "or" says the one before again, as one: "five per cent. (5 %)", "$5m (five million dollars)".
    `join` gives the one mention for both, or None where they are two."""
    held: Mention | None = None
    for mention in mentions:
        is_beside = held is not None and _AGAIN.fullmatch(folded, held.end, mention.start) is not None
        joined = join(held, mention) if held is not None and is_beside else None
        if joined is not None:
            held = joined
            continue
        if held is not None:
            yield held
        held = mention
    if held is not None:
        yield held


def whole_among(mentions: Iterable[Mention], text: str) -> tuple[str, ...]:
    """The mentions of a text but those behind a figure and a space, which may be their own: "1 4 May" is the 14th, "3 6 months" are 36."""
    return tuple(one.text for one in mentions if not _FIGURE_BEFORE.search(text, max(0, one.start - _SPACES), one.start))


_SPACES = 20  # characters between a figure and what may go on with it
_FIGURE_BEFORE = re.compile(r"\d\s+\Z")


_AGAIN = re.compile(r"\s*(?:/-)?\s*[(\[]\s*(?:i\.e\.,?\s*|or\s+|being\s+|in\s+words:?\s+|say\s+)?")


def quoted(value: Any) -> str:
    """The value as it is quoted in a reason."""
    items = as_items(value)
    return '"' + "; ".join(items) + '"' if items else "nothing"


def of_gold(gold: str, reported: str) -> str:
    """Gold's value in a sentence that begins with the reported one: one that prints the same is not said twice."""
    return "that gold gives" if gold == reported else gold


def words_occur(value: Any, document: Document) -> bool:
    """Do the words of the value (of a list: of one of its items) stand anywhere in the document? Text is never hallucinated by value."""
    return any(contains_words(document.text, item) for item in as_items(value))


def words_support(value: Any, text: str) -> bool:
    """Do the words of the value (of a list: of one of its items) stand in the text?"""
    return any(contains_words(text, item) for item in as_items(value))
