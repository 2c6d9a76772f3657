"""Defined terms of a document, with the texts that define them, as a question shows them."""

import re
from collections import Counter

from deterministic.documents.documents import Document
from deterministic.lexicon.phrases import PHRASES
from deterministic.lexicon.stems import singular

Range = tuple[int, int]
# (the "Borrower"), ("Borrower"), (each a “Guarantor” and together the “Guarantors”): a term defined where it stands, by the words before it
INLINE_TERM = re.compile(r"\((?:[^()“”\"]{0,60}?)[“\"]([A-Z][^“”\"]{1,60})[”\"](?:[^()“”\"]{0,40}[“\"]([A-Z][^“”\"]{1,60})[”\"])?\s*\)")
WORDS_BEFORE = 400  # characters before an inline term that can hold what it stands for
DEFINITION_LENGTH = 1500  # characters of a definition that are read
COUNTED = 40  # occurrences of a term from which on it says little of a value ("Lender", "Loan Documents")
_LONG_WORD = re.compile(r"[^\W\d_]{8,}")


def definition_ranges(document: Document) -> dict[str, tuple[Range, ...]]:
    """Every defined term of a document with the ranges of its text that define it; built once per document."""
    return document.cached("definition_ranges", lambda: _collect(document))


def _collect(document: Document) -> dict[str, tuple[Range, ...]]:
    listed = [c for c in document.clauses.clauses if c.number.startswith("definition ") and c.title]
    terms = [(c.title or "", (c.start, min(c.end, c.start + DEFINITION_LENGTH))) for c in listed]
    for match in INLINE_TERM.finditer(document.text):
        if match[0].startswith("(this "):  # the agreement itself
            continue
        # not before the innermost clause, schedule or party: a table before it says nothing of a term
        clause = max((clause.start for clause in document.clauses.at(match.start(), match.start() + 1)), default=0)
        around = document.text[max(0, match.start() - WORDS_BEFORE, clause) : match.end()]
        # what an inline term stands for begins after the last sentence end or the last earlier inline term
        around = re.split(r"(?<=[a-z]{3}[.;])\s|[”\"]\)[;,.]?\s", around[: -len(match[0])])[-1] + match[0]
        terms += [(term, (match.end() - len(around), match.end())) for term in match.groups() if term]
    found: dict[str, dict[str, Range]] = {}
    for term, (start, end) in terms:
        found.setdefault(" ".join(term.split()), {}).setdefault(document.text[start:end], (start, end))
    return {term: tuple(ranges.values()) for term, ranges in found.items()}


def meant_terms(document: Document, text: str) -> tuple[str, ...]:
    """The document's defined terms that a text uses, in their defined spelling and in order of use. Also in the plural, and in small
    letters as a claim of a few words writes them: several words, or one rare word (`_rare_words`)."""
    table = document.cached("folded_terms", lambda: _folded_terms(document))
    rare = document.cached("rare_words", lambda: _rare_words(document.text))
    words = re.findall(r"\w+", text)
    folded, found, n = [singular(word.casefold()) for word in words], list[str](), 0
    while n < len(words):
        is_term = words[n][0].isupper() or folded[n] in rare
        named = table.get(folded[n], ())
        key, term = next((row for row in named if folded[n : n + len(row[0])] == row[0] and (row[0][1:] or is_term)), ([], ""))
        found += [term] * bool(term)
        n += len(key) or 1
    return tuple(dict.fromkeys(found))


def _rare_words(text: str) -> frozenset[str]:
    """Long folded words that a document writes with a capital only, and seldom, and that are no everyday words of the trade."""
    counts = Counter(_LONG_WORD.findall(text))
    small = {singular(word) for word in counts if word.islower()}
    total: Counter[str] = Counter()
    for word, count in counts.items():
        total[singular(word.casefold())] += count
    return frozenset(word for word, count in total.items() if count <= COUNTED and word not in small and word not in PHRASES)


def _folded_terms(document: Document) -> dict[str, list[tuple[list[str], str]]]:
    """First folded word -> the folded words of each term that begins with it, and the term; longest first."""
    table: dict[str, list[tuple[list[str], str]]] = {}
    for term in sorted(definition_ranges(document), key=lambda t: (-len(t.split()), t)):
        if words := [singular(word.casefold()) for word in re.findall(r"\w+", term)]:
            table.setdefault(words[0], []).append((words, term))
    return table
