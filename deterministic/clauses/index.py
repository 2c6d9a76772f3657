"""The clause index of a document: which provisions there are, which of them contain a place, and what a reference means.
Rules: design/places.md."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from string import ascii_lowercase
from typing import TypeVar

from deterministic.clauses.clause import Clause, Resolution, together
from deterministic.clauses.headings import leaves_out
from deterministic.clauses.numerals import ATTACHMENTS, Identity, identity, labels_behind, number_text, order_key, other_names, plain_label
from deterministic.clauses.opening import AGREEMENT
from deterministic.clauses.outline import GENERIC, heading_parts, is_same_heading, names_heading
from deterministic.clauses.paragraphs import bracketed, is_next_label
from deterministic.clauses.provisions import build_provisions
from deterministic.clauses.references import NO_TITLES, Reference, is_layout, parse_reference
from deterministic.lexicon.memory import recalled
from deterministic.lexicon.searching import is_found
from deterministic.lexicon.spelling import fold_words, roman_text, spaced_pattern

__all__ = ["Clause", "ClauseIndex", "Reference", "Resolution", "build_index", "parse_reference"]

_INLINE = re.compile(r"(?<![\w)])\(([a-z]{1,5}|[A-Z]{1,4}|\d{1,2})\)(?=[\s\xa0])")
_CITED = re.compile(
    r"(?:\b(?:sub-?)?(?:clauses?|paragraphs?|sections?|items?)|\d|"
    r"\((?:([a-z])\1?|[ivxl]{1,6}|\d{1,2})\)(?:\s*\([^()]*\))?\s*(?:,|and|or|to|through|,\s*and|,\s*or)?)[\s\xa0]*$",
    re.I,
)
"""Matches "clause ", "(a) and ", "(a) (Liens) or " before a number; not "Article 8 (Liens) or ", behind which a paragraph begins."""
_FORM = re.compile(r"\(?\w{1,5}[.)](?=\s)")  # how a label is written: "2.", "(b)"
_CITED_REACH = 90  # characters: a number, its title in brackets and the connective
_PROVISIONS = "(?:sub-?)?clause|(?:sub-?)?section|§|paragraph|article"
K = TypeVar("K")
_SPACED = re.compile(r"^[ \t]*[A-Z](?:[ \xa0][A-Z]){3}", re.M)  # S C H E D U L E  4
_DOCUMENT = re.compile(rf"\b{AGREEMENT}\b")
_OPENING = 150  # characters in which an agreement says what it is
_COVER = 3_000  # characters in which its name stands
_ANY_AGREEMENT = frozenset(("the", "this", "agreement", "document", "and", "of"))
_RUN_IN = 200  # characters of a clause in which a heading without a line of its own stands
_SOON = 3_000  # characters behind a definition in which others may belong to it
_INDENT = 120  # characters before the first of a line, at most
_DEEPEST = 9  # labels of a paragraph inside others that a line may begin with


class ClauseIndex:
    """The provisions of one document. Built by `build_index`; immutable."""

    def __init__(self, text: str, clauses: Sequence[Clause], listed: Iterable[str] = ()) -> None:
        self._text = text
        self.clauses = tuple(clauses)
        self.listed = frozenset(listed)
        """Numbers and attachments that the contents pages list, or that lines begin with which were not taken for headings."""
        self.has_numbering = any(clause.number[0].isdigit() or clause.number.startswith("article ") for clause in self.clauses)
        self._starts = [clause.start for clause in self.clauses]
        self._found: dict[str, Resolution] = {}
        self._explained: dict[Reference, bool] = {}
        self._labels: dict[str, frozenset[str]] = {}

    @cached_property
    def _by_identity(self) -> dict[Identity, list[Clause]]:
        return _grouped((identity(clause.number), clause) for clause in self.clauses)

    @cached_property
    def _by_other_name(self) -> dict[Identity, list[Clause]]:
        return _grouped((name, clause) for own, group in self._by_identity.items() for clause in group for name in other_names(*own))

    @cached_property
    def _by_title(self) -> dict[str, list[Clause]]:
        titled = (clause for clause in self.clauses if clause.title and not clause.number.startswith("definition "))
        return _grouped((fold_words(clause.title), clause) for clause in titled)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(fold_words(self._text).split())

    def at(self, start: int, end: int) -> tuple[Clause, ...]:
        """Provisions that contain the range, outermost first, of all numberings."""
        found = [clause for clause in self.clauses[: bisect_right(self._starts, start)] if end <= clause.end]
        return tuple(sorted(found, key=lambda clause: (clause.start, -clause.end)))

    def find(self, reference: str) -> Resolution:
        """What `reference` means. Several provisions ("Clauses 22.3 to 22.5") are found when one of them is."""
        return recalled(self._found, reference, lambda said: together([self._resolve(one) for one in parse_reference(said)]))

    def explains(self, reference: Reference, name: str) -> bool:
        """All that a reference says beside a number is this agreement (a file of that name), or a title of what the number
        means, of what is around or in it. "Clause 3.1 of the Fee Letter", "former Clause 3.1", "Clause 3.1 (deleted)" are other places."""
        named, cover = re.sub("^(?:the|this) ", "", reference.document), f" {fold_words(self._text[:_COVER])} "
        said = {*named.split()} - _ANY_AGREEMENT - {*fold_words(name.replace("_", " ")).split()}
        if said and not self._by_title.get(named) and f" {named} " not in cover:
            return False
        if not reference.beside or reference.kind in ("words", "layout", "named"):
            return True
        return recalled(self._explained, reference, self._are_titles)

    def _are_titles(self, reference: Reference) -> bool:
        meant = self._resolve(reference).clauses
        near = {c for one in meant for c in self.clauses if c.start <= one.start < c.end or one.start <= c.start < one.end}
        titles = {clause.title for clause in near}
        return all(self._is_title(words, near, titles, meant) for words in reference.beside)

    def _is_title(self, words: str, near: Collection[Clause], titles: Collection[str], meant: Sequence[Clause]) -> bool:
        folded = fold_words(words)
        is_known = is_layout(folded) or folded in NO_TITLES
        if is_known or any(names_heading(folded, title) for title in titles):
            return True
        last = max((one.end for one in meant), default=len(self._text))  # a line below it is of another list
        lines = (line for one in near for line in self._text[one.start : min(one.end, last)].split("\n"))
        if folded not in self._by_title and any(fold_words(line) == folded for line in lines):
            return True  # a heading without a number
        if parts := heading_parts(words):
            return all(self._is_title(part, near, titles, meant) for part in parts)
        if not words[:1].isupper():
            return False
        if any(map(str.isdigit, folded)):  # "Attachment 1, A6"
            return not meant or any(self.stands(folded, one.start, one.end) for one in meant)
        run_in = re.compile(rf"(?:\A|[\n.\d)“\"])\s*(?:the\s+)?{spaced_pattern(folded)}\s*(?:[\n.,:;(—–”\"-]|\Z)", re.I)
        return not meant or any(run_in.search(self._text[one.start : min(one.end, one.start + _RUN_IN)]) for one in meant)

    def bases_of(self, references: Iterable[Reference]) -> tuple[Clause, ...]:
        """The provisions around the paragraphs that references name; none for one without paragraphs."""
        return tuple(clause for one in references if one.parts for clause in self._exact(one.base, ()))

    def counts_anew(self, at: int) -> bool:
        """The place is in an item inside one that is labelled alike (2. in 3.): which of two lists it belongs to is not known."""
        labels = [_FORM.match(self._text, start) for start in dict.fromkeys(one.start for one in self.at(at, at + 1))]
        shapes = [re.sub(r"\d+", "1", re.sub("[a-hj-uw-z]", "a", label[0])) for label in labels if label]
        return any(outer == inner for outer, inner in pairwise(shapes))

    def _resolve(self, reference: Reference) -> Resolution:
        if reference.kind in ("words", "layout"):
            return self._find_words(reference)
        if reference.kind == "definition":
            return self._find_definition(reference)
        exact = self._in_agreement(reference.document, self._within(reference.inside, self._exact(reference.base, reference.parts)))
        if reference.is_paragraph or reference.base[1:2] == "-":  # of a schedule, when it does not say of which
            item = "#" + (number_text(reference.base) or reference.base)
            exact = (*exact, *self._by_other_name.get(("", (item, *reference.parts)), ()))
        if not exact and (apart := self._exact(reference.base, reference.parts)):
            return Resolution("mentioned", (*self._exact(reference.inside, ()), *apart))  # not inside the provision that is named along
        title = fold_words(reference.title)
        if reference.kind == "attachment" and title and all(fold_words(clause.title) != title for clause in exact):
            exact = _inside(exact, self._by_title.get(title, ())) or exact  # "Schedule, Interest Rate"
        if exact:
            is_coarse = self._is_coarse(reference)
            # the same number in the file's other numberings: 8 of an amendment is article viii of the agreement attached to it
            others = self._by_other_name.get(identity(reference.base), ()) if is_coarse else ()
            return Resolution("found", tuple(dict.fromkeys((*exact, *others))), is_coarse)
        if nested := self._nested(reference):
            return Resolution("found", nested)
        bases = self._exact(reference.base, ()) or self._nested(replace(reference, parts=()))
        bases = self._nested(replace(reference, parts=reference.parts[:1])) or bases
        if reference.parts and bases:
            return self._paragraph_of(bases, reference)
        if reference.kind == "attachment" and reference.inside and (bases := self._exact(reference.inside, ())):
            own = _inside(bases, self._exact(reference.base.removeprefix(reference.inside).strip(), reference.parts))
            return Resolution("found" if own else "mentioned", own or bases)
        if " part " in reference.base and (bases := self._exact(reference.base.split(" part ")[0], ())):
            part = reference.base[reference.base.index(" part ") + 1 :]
            return Resolution("mentioned" if any(self.stands(part, base.start, base.end) for base in bases) else "imprecise", bases)
        return Resolution("mentioned" if self._is_mentioned(reference) else "not_in_document")

    def _paragraph_of(self, bases: Sequence[Clause], reference: Reference) -> Resolution:
        """A paragraph that has no line of its own: in running text, or somewhere that its label stands; else only its base is there."""
        if inner := self._inline(reference):
            return Resolution("found", inner)
        stands = reference.kind == "named" or self._has_label(bases, reference.parts[-1])
        return Resolution("mentioned" if stands else "imprecise", tuple(bases))

    def _has_label(self, bases: Sequence[Clause], label: str) -> bool:
        pattern = re.compile(rf"(?<![\w.]){re.escape(label)}[.)]", re.I)
        return any(pattern.search(self._text, base.start, base.end) for base in bases)

    def _within(self, outer: str, found: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """Those inside a provision that is named along ("Article VII, Section 2"); all of them when none is."""
        around = self._exact(outer, ()) if outer else ()
        return _inside(around, found) if around else found

    def _nested(self, reference: Reference) -> tuple[Clause, ...]:
        """ "5.4" for item 4 of a list in Clause 5, "5.1a" for paragraph (a) of 5.1, and 5.1(a) for a section 5.1a; "II.3" or paragraph 3 of
        Article II where each article counts anew; Clause 2.1 of an agreement that is a schedule, paragraphs "II.1" and 1 of one."""
        if reference.kind == "attachment" and reference.parts and (number := reference.parts[0].removeprefix("#")) != reference.parts[0]:
            (section, _, last), rest = number.rpartition("."), reference.parts[1:]
            found = self._exact(reference.base, (f"#{section}", last, *rest)) or self._exact(reference.base, (number, *rest))
            found = found or self._exact(number, rest)
            return _inside(self._exact(reference.base, ()), found)
        if reference.kind == "attachment" and reference.parts and (value := number_text(reference.parts[0])):
            return self._exact(reference.base, (f"#{value}", *reference.parts[1:]))
        if reference.kind == "article" and reference.parts:
            return self._counted_in(reference.base, reference.parts)
        is_divided = reference.kind == "clause" and bool(reference.parts)
        if is_divided and (found := self._exact(reference.base + reference.parts[0], reference.parts[1:])):
            return found
        if reference.kind != "clause" or not (match := re.fullmatch(r"(.+)\.(\d+)|(.*\d)([a-z])", reference.base)):
            return ()
        base, part = (match[1], match[2]) if match[1] else (match[3], match[4])
        lettered = (one for label in (part, part.upper()) if (one := self._exact(base, (label, *reference.parts))))
        return next(lettered, ()) or self._counted_in(f"article {base}", (part, *reference.parts))

    def _counted_in(self, article: str, parts: tuple[str, ...]) -> tuple[Clause, ...]:
        found = self._exact(parts[0], parts[1:]) if parts[0].isdigit() else ()
        around = [clause for clause in self._exact(article, ()) if clause.number.startswith("article ")]
        return _inside(around, [one for one in found if not one.number.startswith("article ")])

    def _in_agreement(self, name: str, found: tuple[Clause, ...]) -> tuple[Clause, ...]:
        """Those in the agreement of that name, of several in a file: the schedule that it is, or the one that opens with it."""
        if len(found) < 2 or not (word := _DOCUMENT.search(name)):
            return found
        opens = {one.numbering: self._text[one.start :][:_OPENING].casefold() for one in self.clauses if one.number == "preamble"}
        opened = tuple(one for one in found if word[0] in opens.get(one.numbering, word[0]))
        return _inside(self._by_title.get(name.removeprefix("the "), ()), found) or opened or found

    def _is_mentioned(self, reference: Reference) -> bool:
        if reference.kind in ("clause", "article"):
            if not (number := number_text(reference.base.removeprefix("article "))):
                return self.stands(reference.base)
            outer, _, last = number.rpartition(".")
            around = () if any(one.number.startswith(f"{outer}.") for one in self.clauses) else self._exact(outer, ())  # of a list: "7.4"
            is_gap = self._lies_in_gap(order_key(number) or ()) or self._has_label(around, last)
            is_gap = is_gap or any(one.number == "unplaced" and any(one.start == own.end for own in around) for one in self.clauses)
            dotted = re.escape(number).replace(".", ".0*")
            run_in = re.compile(rf"[^\w\s,$€£]\s*{dotted}[.)]?\s+[A-Z]")  # "of such excess. 1.4 Repayment.", "(√) 1.4 Loan"
            is_listed = is_gap or not self.listed.isdisjoint((number, number.rstrip(ascii_lowercase)))
            return is_listed or self._is_named(_PROVISIONS, number) or (bool(outer) and is_found(run_in, self._text))
        if reference.kind == "attachment":
            name = reference.base.split(" part ")[0]
            word, _, label = name.partition(" ")
            is_listed = name in self.listed or is_found(_SPACED, self._text)
            return is_listed or (self._is_named(word.removesuffix("ix"), label) if label else self.stands(name))
        return True  # front and back matter goes by many names

    @cached_property
    def _keys(self) -> list[list[tuple[float, ...]]]:
        """The numbers of each numbering, in order."""
        tops = ((one.numbering, order_key(one.number.removeprefix("article "))) for one in self.clauses if "(" not in one.number)
        counts: dict[int, set[tuple[float, ...]]] = defaultdict(set)
        for numbering, key in tops:
            counts[numbering].update([key] if key else ())
        return [sorted(keys) for keys in counts.values()]

    def _lies_in_gap(self, key: tuple[float, ...]) -> bool:
        """The number lies where a numbering leaves numbers out: that provision was overlooked, or is not in this extract."""
        around = (([(), *keys[:at]][-1], keys[at]) for keys in self._keys if (at := bisect_left(keys, key)) < len(keys))
        return any(leaves_out(before, behind) for before, behind in around)

    def _is_named(self, words: str, label: str) -> bool:
        """The label stands close behind such a word: the text refers to it, or has it in a form that was not taken for a heading."""
        labels = recalled(self._labels, words, lambda behind: frozenset(labels_behind(behind, self._text)))
        return not labels.isdisjoint((plain_label(label), roman_text(int(label)) if label.isdecimal() else label))

    def _exact(self, base: str, parts: tuple[str, ...]) -> tuple[Clause, ...]:
        name = identity(base + bracketed(parts))
        return tuple(self._by_identity.get(name) or self._by_other_name.get(name) or ())

    def _is_coarse(self, reference: Reference) -> bool:
        if reference.parts or not (reference.kind == "article" or re.fullmatch(r"\d+[a-z]{0,2}", reference.base)):
            return False
        top = identity(reference.base)[0].removeprefix("article ")
        return any(other.number.startswith(f"{top}.") or identity(other.number)[0] == f"{top}.1" for other in self.clauses)

    def _inline(self, reference: Reference) -> tuple[Clause, ...]:
        """A paragraph that is numbered in running text ("unless (i) the Borrower ... or (ii) ...") and so has no line of its own."""
        depths = range(min(len(reference.parts) - 1, _DEEPEST), -1, -1)
        outer = ((size, self._exact(reference.base, reference.parts[:size])) for size in depths)
        size, around = next(((size, clauses) for size, clauses in outer if clauses), (0, ()))
        found = (self._inline_in(clause, reference.number, reference.parts[size:]) for clause in around)
        return tuple(clause for clause in found if clause is not None)

    def _inline_in(self, clause: Clause, number: str, wanted: Sequence[str], at: int = 0) -> Clause | None:
        """The paragraph of `clause` that `wanted` names, level by level; the first one at or after `at`."""
        start, end = max(clause.start + 1, at), clause.end
        for part in wanted:
            found = _INLINE.finditer(self._text, start, end)
            marks = [m for m in found if not _CITED.search(self._text, max(0, m.start() - _CITED_REACH), m.start())]
            here = min((m for m in marks if m[1].casefold() == part.casefold()), key=lambda m: m[1] != part, default=None)
            if here is None:
                return None
            end = next((m.start() for m in marks if m.start() > here.start() and is_next_label(part, m[1])), end)
            start = here.start() + 1
        start -= 1
        paragraphs = [c.end for c in self.at(start, start + 1) if c.start < start and c.number.startswith(f"{clause.number}(")]
        return Clause(number, "", start, min([end, *paragraphs]), clause.numbering)

    def _definitions_of(self, term: str, parts: tuple[str, ...]) -> tuple[Clause, ...]:
        """The definitions of a term, in the singular or plural."""
        variants = (term, term + "s", term.removesuffix("s"), "the " + term, term.removeprefix("the "))
        numbers = (f"definition {variant}" for variant in variants)
        return next((found for number in numbers if (found := self._exact(number, parts))), ())

    def _find_definition(self, reference: Reference) -> Resolution:
        """A definition; what stands in quotation marks may also be a heading. Not found inside a provision that exists, it is imprecise."""
        term = reference.base.removeprefix("definition ")
        if found := self._definitions_of(term, reference.parts):
            own = _inside(self._exact(reference.inside, ()), found) if reference.inside else found
            return Resolution("found" if own else "mentioned", own or found)
        if bases := self._definitions_of(term, ()):
            return self._paragraph_of(bases, replace(reference, base=bases[0].number))
        around = self._exact(reference.inside, ()) if reference.inside else ()
        titled = tuple(one for one in around if fold_words(one.title) == term) or _inside(around, self._by_title.get(term, ()))
        if titled or around:
            return Resolution("found" if titled else "mentioned", titled or around)
        if reference.inside and not self._is_mentioned(Reference("clause", reference.inside)):
            return Resolution("not_in_document")
        words = self._find_words(Reference("words", term, reference.parts, term))
        if words.status == "found":
            return words
        return Resolution("mentioned" if all(word in self._words for word in term.split()) else "not_in_document")

    def _find_words(self, reference: Reference) -> Resolution:
        """A heading's words do as well as its number; a defined term's do as its definition. Words that no provision has claim no number
        that the document lacks."""
        found = self._by_words(reference)
        if reference.kind == "layout" and reference.parts and not found:  # "(17)": a paragraph by its label alone
            size = len(reference.parts)
            items = [clause for (_, parts), group in self._by_identity.items() if parts[-size:] == reference.parts for clause in group]
            return Resolution("found" if items else "mentioned", tuple(items))
        if found and reference.parts:
            inner = [part for clause in found for part in self._exact(clause.number, reference.parts)]
            inner = inner or [*_inside(found, self._exact(reference.parts[0], reference.parts[1:]))]
            inner = inner or [part for clause in found if (part := self._inline_in(clause, clause.number, reference.parts))]
            return Resolution("found", tuple(inner)) if inner else self._paragraph_of(found, reference)
        if found:
            return Resolution("found", tuple(sorted(found, key=lambda clause: clause.start)))
        return Resolution("mentioned" if reference.kind == "words" else "imprecise")

    def stands(self, words: str, start: int = 0, end: int | None = None) -> bool:
        """Whether the words stand in [start, end) of the text, whatever is between them; never for none."""
        spaced = spaced_pattern(words)
        return bool(spaced) and is_found(re.compile(rf"(?<!\w){spaced}(?!\w)", re.I), self._text[start:end])

    def is_defined(self, term: str, start: int, end: int) -> bool:
        """Whether the term stands in quotation marks in [start, end) or behind it in the same sentence: (the “Borrower”)."""
        behind = re.split(r"[.;]\s", self._text[end : end + _CITED_REACH], maxsplit=1)[0]
        return is_found(re.compile(rf"[“\"](?:the\s+)?{spaced_pattern(term)}", re.I), self._text[start:end] + behind)

    def is_defined_alone(self, term: str, start: int, end: int) -> bool:
        """Whether the term stands in quotation marks once in the text, and there: in [start, end), directly before it, or behind it in the
        same sentence with no other term or party between."""
        quoted = re.compile(rf"[“\"](?:the\s+)?{spaced_pattern(term)}[,.]?[”\"]", re.I)
        first, last = next((match.span() for match in quoted.finditer(self._text)), (0, 0))
        if not last or quoted.search(self._text, last) or not self.is_defined(term, min(start, first), end):
            return False
        between = self._text[last:start].strip(" \n\xa0(),") if first < start else re.search(r"[“\"]|\b(?:and|or)\b", self._text[end:first])
        return not between

    def begins_term(self, outer: Clause, at: int) -> bool:
        """Whether a line before a place of a definition begins with a term in quotation marks, as another definition does."""
        return is_found(re.compile(r"[.;]\s*\n[ \t\xa0•*]*[“\"][A-Z][^”\"\n]{1,60}[”\"]"), self._text[outer.start : at])

    def may_hold(self, outer: Clause, at: int) -> bool:
        """Whether a definition may go on at a place of one that begins soon behind it: it uses that term, or the other one begins inside a
        line."""
        terms = [one for one in self.at(at, at + 1) if one.number.startswith("definition ") and 0 <= one.start - outer.end < _SOON]
        before = (self._text[max(0, own.start - _INDENT) : own.start].rpartition("\n")[2] for own in terms)
        return any(line.strip(" \t\xa0•*") for line in before) or any(self.stands(one.title, outer.start, outer.end) for one in terms)

    def _by_words(self, reference: Reference) -> Sequence[Clause]:
        words = reference.base
        trimmed = " ".join(word for word in words.split() if word not in GENERIC)
        for wanted in (words, trimmed):
            if wanted and (titled := self._by_title.get(wanted)):
                return titled
        bare = " ".join(word for word in trimmed.split() if word not in ATTACHMENTS)  # "Closing Conditions Annex"
        if bare != trimmed and (own := [one for one in self._by_title.get(bare, ()) if one.number.split()[0] in ATTACHMENTS]):
            return own
        if reference.kind == "layout":
            return []
        if defined := self._definitions_of(words, ()):
            return defined
        near = [clause for title, group in self._by_title.items() if is_same_heading(words, title) for clause in group]
        # "Governing Law" for the heading "Governing Law; Jurisdiction", and "Negative Covenants – Liens" for the heading "Liens"
        near = near or [clause for group in self._by_title.values() for clause in group if words in heading_parts(clause.title)]
        last = [self._by_title[part] for part in heading_parts(reference.title) if part in self._by_title][-1:]
        return near or (last[0] if last else [])


def _inside(around: Sequence[Clause], found: Sequence[Clause]) -> tuple[Clause, ...]:
    return tuple(one for one in found if one not in around and any(a.start <= one.start and one.end <= a.end for a in around))


def _grouped(named: Iterable[tuple[K, Clause]]) -> dict[K, list[Clause]]:
    table: dict[K, list[Clause]] = defaultdict(list)
    for name, clause in named:
        table[name].append(clause)
    return table


def build_index(text: str, page_starts: Sequence[int] = ()) -> ClauseIndex:
    """The index of a text; `page_starts` are the offsets of its pages."""
    clauses, listed = build_provisions(text, page_starts)
    return ClauseIndex(text, clauses, listed)
