"""Quotes in parts: with an ellipsis, or two quotes in one. All parts must be found, in order, within one provision; what is skipped between
them decides whether the meaning stays. Rules: design/quotes.md."""

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from deterministic.documents.documents import Clause, Document
from deterministic.lexicon.folding import fold
from deterministic.lexicon.guarded import any_of, saying
from deterministic.lexicon.phrases import FINITE_VERBS, LIMITING
from deterministic.quotes.quote_match import SEVERITY, Finding, Occurrence, QuoteMatch, occurrence
from deterministic.quotes.tokens import tokenize

_ELLIPSIS = re.compile(r"[\[(]\s*(?:…|\.{3,}|\*{3,}|(?:\.\s){2,}\.)\s*[\])]|…|\.{3,}|(?:\.\s){2,}\.|(?<=\s)\*\s?\*\s?\*(?=\s)")
_TWO_QUOTES = re.compile(r"[”\"]\s*(?:,|;|/|and|&)?\s*[“\"]")
INSERTED = re.compile(r"\[[^\[\]]{2,60}\]")
_NEAR = 6000
"""Characters within which parts belong together in a document without any clause numbering."""
_PART = 3
"""Words that a part of a quote with an ellipsis has at least."""


def split_ellipsis(quote: str) -> list[str]:
    """The parts of a quote that an ellipsis joins; a single one when there is none."""
    can_have_one = "…" in quote or "*" in quote or quote.count(".") > 2  # the pattern is slow
    return [part.strip() for part in (_ELLIPSIS.split(quote) if can_have_one else (quote,)) if fold(part)]


def find_joined(document: Document, quote: str, find: Callable[[str, bool], QuoteMatch]) -> QuoteMatch | None:
    """The verdict on a quote with an ellipsis, or on two quotes in one string; None when it is neither. Good parts in order within one
    provision are `normalised`, with the whole range as place, unless what is skipped matters. Good parts otherwise are `paraphrased` with
    JOIN_BROKEN, at the first part's place. A part that is not good is judged by itself; the worst counts."""
    if _ELLIPSIS.search(quote):
        parts = split_ellipsis(quote)
    elif all(len(part.split()) >= _PART for part in _TWO_QUOTES.split(quote)):
        parts = _TWO_QUOTES.split(quote)
    else:
        return None
    if len(parts) == 1:
        return _softened(find(parts[0], False)) if _ELLIPSIS.search(quote) else None
    matches = [find(part, n > 0) for n, part in enumerate(parts)]
    matches = [_of_lone_words(match) if len(part.split()) < _PART else match for match, part in zip(matches, parts, strict=True)]
    worst = min(matches, key=lambda match: SEVERITY[match.verdict])
    findings = tuple(dict.fromkeys(finding for match in matches for finding in match.findings))
    window = " … ".join(match.window for match in matches if match.window)
    joined = QuoteMatch(worst.verdict, matches[0].occurrences or worst.occurrences, min(m.similarity for m in matches), window, findings)
    if not worst.is_verbatim:
        return joined
    if chains := _chains(document, [match.occurrences for match in matches]):
        return _of_chains(document, chains, findings)
    return replace(
        joined, verdict="paraphrased", findings=(*findings, ("JOIN_BROKEN", "the parts stand in two clauses or in another order"))
    )


def _of_lone_words(match: QuoteMatch) -> QuoteMatch:
    """One or two words by themselves quote nothing, even where they stand in the text."""
    return replace(match, verdict="open", findings=()) if match.occurrences and match.similarity == 100 else match


def _softened(match: QuoteMatch) -> QuoteMatch:
    """A quote that only begins or ends with an ellipsis: never `exact`."""
    return replace(match, verdict="normalised") if match.verdict == "exact" else match


Chain = tuple[Occurrence, ...]
"""The places of the parts, in order."""


def _chains(document: Document, places: Sequence[Sequence[Occurrence]]) -> list[Chain]:
    """Every way, one for each place of the first part, to read the parts in order within one provision."""
    found = []
    for first in places[0]:
        chain = [first]
        for following in places[1:]:
            after = min((p for p in following if p.start >= chain[-1].end), key=lambda p: p.start, default=None)
            if after is None:
                break
            chain.append(after)
        else:
            if _is_one_clause(document, first.start, chain[-1].end):
                found.append(tuple(chain))
    return found


def _of_chains(document: Document, chains: Sequence[Chain], findings: tuple[Finding, ...]) -> QuoteMatch:
    """The verdict of the chains that skip least: nothing that matters, a limiter, a negation."""
    weighed = [(_skipped(document.text, chain), chain) for chain in chains]
    least = min(_WEIGHT[code] for (code, _), _ in weighed)
    best = [(found, chain) for found, chain in weighed if _WEIGHT[found[0]] == least]
    (code, word), chain = best[0]
    places = tuple(occurrence(document, chain[0].start, chain[-1].end) for _, chain in best)
    window = document.text[chain[0].start : chain[-1].end]
    if code == "negation":
        return QuoteMatch("not_found", places, 100.0, window, (*findings, ("ALTERED_QUOTE", f"the quote skips {word}")))
    if code == "doubt":
        return QuoteMatch("open", places, 100.0, window, findings)
    if code in ("aside", "limiter"):
        told = ("WORD_CHANGED", f"{word} is left out") if code == "aside" else ("ELLIPSIS_SKIPS_LIMITER", word)
        return QuoteMatch("paraphrased", places, 100.0, window, (*findings, told))
    return QuoteMatch("normalised", places, 100.0, window, findings)


_WEIGHT = {"nothing": 0, "limiter": 1, "aside": 1, "doubt": 2, "negation": 3}
_BRACKETS = re.compile(r"\([^()]{6,}\)")
_LABEL = r"(?:[a-zA-Z]{1,2}|[ivxlc]{1,5}|\d{1,2})"
_BOUNDARY = re.compile(rf"[;:]\s|\.\s+(?=[“\"(]?[A-Z])|(?:\n\s*\(?{_LABEL}[.)]|\({_LABEL}\))\s")
_BUSINESS_DAY = r"\s+(?:(?:any\s+)?such\s+(?:day|date)\s+is\s+)?not\s+a\s+Business\s+Day"  # a convention, no condition
_LIMITER = re.compile(rf"(?:{any_of({*saying('EXCEPT'), *LIMITING, 'without'} - {'if'})}|\bif\b(?!\s+(?:any|so)\b|{_BUSINESS_DAY}))", re.I)
_SECOND_SUBJECT = re.compile(r"\s*,\s*(?:and|or|nor)\b.*,\s*", re.S)
"""Set off by commas between a verb and its object: ", and will not permit any of its Subsidiaries to,"."""


def _skipped(text: str, chain: Chain) -> tuple[str, str]:
    """(one of `_WEIGHT`, the word) of what stands between the parts."""
    found = [_gap(text, left.end, right.start) for left, right in itertools.pairwise(chain)]
    return max(found, key=lambda one: _WEIGHT[one[0]], default=("nothing", ""))


def _gap(text: str, start: int, end: int) -> tuple[str, str]:
    """What one passage that is left out does to what is joined. Limbs that are skipped whole, and what stands in brackets, do nothing."""
    bare, count = text[start:end] + " ", 1
    while count:
        bare, count = _BRACKETS.subn(" ", bare)
    pieces = _BOUNDARY.split(bare)
    for piece in dict.fromkeys((pieces[0], pieces[-1])):
        if negation := _negation(piece):
            if _governs(text[max(0, start - _EDGE) : start], piece, piece is pieces[0], piece is pieces[-1]):
                return "negation", negation
            return ("aside", "a second subject") if _SECOND_SUBJECT.fullmatch(piece) else ("doubt", negation)
    if len(pieces) > 1 and fold(pieces[-1]) and (fold(pieces[0]) or not _BOUNDARY.search(text, end - 2, end + len("and (viii) "))):
        return "doubt", "the beginning of a limb"
    if governing := next((match[0] for match in _LIMITER.finditer(pieces[-1]) if _is_unclosed(pieces[-1][match.end() :])), None):
        return "doubt", governing
    if limiter := next((match[0] for piece in (pieces[0], pieces[-1]) if (match := _LIMITER.search(piece))), None):
        return "limiter", limiter
    return "nothing", ""


def _is_unclosed(rest: str) -> bool:
    """Behind a limiter no comma ends what it limits, so that it governs what is quoted next: "unless [its failure] is caused by"."""
    return "," not in rest or rest.lstrip().startswith(",")


_EDGE = 40


def _negation(text: str) -> str:
    """The first word that denies a verb; "non-" and "without" deny only their own word."""
    tokens = tokenize(text)
    denials = (t for n, t in enumerate(tokens) if t.meaning == "NOT" and (t.folded != "without" or n + _ADVERBS >= len(tokens)))
    return next((t.folded for t in denials if t.folded != "non" or not text[t.end :].strip(" -")), "")


def _governs(before: str, piece: str, is_first: bool, is_last: bool) -> bool:
    """The denial is of the verb that is joined: "shall [not, without consent,] sell", "[no Obligor shall] sell", "and [not] cause"."""
    tokens = tokenize(piece)
    last = [token for token in tokenize(before) if token.end <= len(before)][-1:]
    if is_first and any(t.kind == "modal" or t.folded in FINITE_VERBS for t in last) and any(t.meaning == "NOT" for t in tokens[:1]):
        return True
    if not is_last:
        return False
    at = max((n for n, token in enumerate(tokens) if token.meaning == "NOT"), default=0)
    is_adjacent = len(tokens) - at <= _ADVERBS
    return is_adjacent or (tokens[-1].kind == "modal" and not any(t.kind == "modal" for t in tokens[at:-1]))


_ADVERBS = 2
"""Words from the denial on, itself among them, up to which it stands right before its verb."""


def _is_one_clause(document: Document, start: int, end: int) -> bool:
    """One clause (5.1, a schedule's part, the parties block, one definition) holds the range; a top-level number or exhibit that is
    divided is not one, and neither are two definitions."""
    index = document.clauses
    if not index.clauses:
        return end - start <= _NEAR
    around = index.at(start, end)
    begun = [clause for clause in index.at(start, start + 1) if clause.number.startswith("definition")]
    is_defined = not begun or any(clause in around for clause in begun)
    return is_defined and any(not _is_divided(clause, index.clauses) for clause in around)


def _is_divided(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """An article, or an exhibit that is an agreement of its own, is no single clause: it has numbered clauses."""
    if re.match(r"\d+\.\d", clause.number):
        return False
    return any(clause.start <= other.start < clause.end and re.match(r"\d+\.\d", other.number) for other in clauses)
