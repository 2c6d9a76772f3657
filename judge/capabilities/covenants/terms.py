"""What a covenant says beside gold: its type, threshold, testing frequency and effective date; and what its citations have to show
(standard 2.1, 2.2, design/covenants.md): the threshold and no other, at gold's place or beside its name."""

import re
from collections.abc import Iterator
from functools import partial

from deterministic.citations.check import CitationCheck
from deterministic.clauses.index import Clause
from deterministic.documents.documents import Document
from deterministic.lexicon.guarded import pattern
from deterministic.lexicon.tables import forms, lists
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS, Surroundings
from deterministic.values.figures import thresholds
from deterministic.values.time import dates, frequency
from judge.capabilities.context import Context
from judge.capabilities.covenants import Covenant, CovenantGold
from judge.capabilities.decisions import asked, closed, opened, same_meaning
from judge.capabilities.figures import others_in, values_in
from judge.capabilities.passages import reading
from judge.capabilities.provenance import Support, check_claim
from judge.capabilities.wording import fold_text, names_subject
from judge.records import Finding, Outcome, Part

TYPE_WORDS = forms("covenant_types")
ORIGINAL_DATE = frozenset(dict(lists("words"))["of an original date"])


def type_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    reported, expected = (fold_text(mine.type or ""), fold_text(true.type))
    rule, taxonomy = "2.2 Type", context.contract.covenants.taxonomy
    if not reported:
        return closed(Outcome.FAIL, f"The type is not stated; it is {true.type}.", rule, mark="none")
    if TYPE_WORDS.get(reported, reported) == expected:
        return closed(Outcome.CORRECT, "Name, type, threshold, frequency and effective date are right.", "2.1 Correct")
    sentence = f"The type is {true.type}; reported: {mine.type}."
    if reported in taxonomy:
        is_straddling = true.secondary_type is not None and reported == fold_text(true.secondary_type)
        if is_straddling and fold_text(mine.secondary_type or "") == expected:
            return closed(Outcome.PARTIAL, f"{sentence} Primary and secondary type are exchanged.", "2.2 Straddling (A10)")
        return closed(Outcome.FAIL, sentence, "2.1 Fail")
    described = "\n".join(f"{name}: {meaning}" for name, meaning in taxonomy.items())
    branches = {
        "same": closed(Outcome.CORRECT, f"The judge finds {mine.type!r} to be the class {true.type!r}.", rule),
        "adjacent": closed(Outcome.PARTIAL, f"{sentence} The judge finds the classes adjacent.", "2.1 Partial"),
        "different": closed(Outcome.FAIL, f"{sentence} The judge finds the classes different.", "2.1 Fail"),
    }
    texts = {"covenant": mine.name, "reported_type": mine.type or "", "gold_type": true.type, "taxonomy": described}
    return asked(context, "covenant_type_adjacency", branches, f"{mine.type!r} is outside the taxonomy.", rule, **texts)


def secondary_findings(mine: Covenant, true: CovenantGold) -> tuple[Finding, ...]:
    if true.secondary_type is None or fold_text(mine.type or "") != fold_text(true.type):
        return ()
    if fold_text(mine.secondary_type or "") == fold_text(true.secondary_type):
        return ()
    return (Finding("SECONDARY_TYPE_MISSING", f"the secondary type {true.secondary_type} is not noted"),)


LABELS = {"correct": Outcome.CORRECT, "semantic_match": Outcome.CORRECT, "partial": Outcome.PARTIAL, "wrong": Outcome.FAIL}


def threshold_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    is_verbatim = mine.threshold is not None and _stands_verbatim(context, mine.threshold)
    if not is_verbatim and not context.is_readable and not thresholds.is_nothing(mine.threshold):
        found = thresholds.compare_threshold(mine.threshold, true.threshold, is_verbatim=True)
        if found.label in ("correct", "semantic_match"):
            reason = "The threshold is right; its wording is on no readable page."
            return opened(Outcome.PARTIAL, Outcome.CORRECT, reason, "2.1", "unreadable")
    found = thresholds.compare_threshold(mine.threshold, true.threshold, is_verbatim=is_verbatim)
    findings = tuple(Finding(code, found.reason) for code in found.codes)
    if found.label in LABELS:
        mark = "equal" if "THRESHOLD_NOT_VERBATIM" in found.codes and found.label == "partial" else ""
        return closed(LABELS[found.label], found.reason, "2.1 Threshold", *findings, mark=mark)
    stated = true.threshold or "no threshold"
    same = closed(Outcome.CORRECT, "The judge finds the threshold equivalent.", "2.1 Threshold")
    if not is_verbatim:
        finding = Finding("THRESHOLD_NOT_VERBATIM", f"{mine.threshold} is not the wording of the document")
        same = closed(Outcome.PARTIAL, "The threshold is right, but not verbatim.", "2.1", finding, mark="equal")
    partly = closed(Outcome.PARTIAL, "The judge finds the threshold partially equivalent.", "2.1 Partial")
    wrong = closed(Outcome.FAIL, f"The threshold is {stated!r}; reported: {mine.threshold!r}.", "2.1 Fail")
    texts = _texts(context, "Threshold", mine, true, mine.threshold, stated)
    return same_meaning(context, (same, partly, wrong), found.reason, "2.1 Threshold", **texts)


def _texts(context: Context, what: str, mine: Covenant, true: CovenantGold, reported: str | None, gold: str) -> dict[str, str]:
    """What a question about one value shows: what the covenant's citations show; without one that leads anywhere gold's provision."""
    about = [mine.name, mine.threshold, mine.testing_frequency, true.threshold, true.testing_frequency]
    checks = [check_claim(context, citation) for citation in mine.claims]
    sections = [(c.section, c.document) for c in true.claims if c.section and not any(check.spans for check in checks)]
    passage = reading(context, checks, "\n".join(filter(None, about)), sections=sections)
    return {"field": f"{what} of the covenant {true.name!r}", "reported": reported or "", "gold": gold, "context": passage}


def _stands_verbatim(context: Context, threshold: str) -> bool:
    policy = context.citation_policy
    found = (find_quote(d, threshold, lower=policy.paraphrase_lower) for d in context.documents.values())
    return context.cached(("verbatim", threshold), lambda: any(match.verdict in ("exact", "normalised") for match in found))


def frequency_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    """One level off is partial, more (or periodic against on_event / none) a fail; right but stated nowhere near is inferred."""
    if true.testing_frequency is None:
        return closed(Outcome.CORRECT, "Gold states no testing frequency.", "2.1 Frequency")
    policy, right = context.contract.covenants, closed(Outcome.CORRECT, "The testing frequency is right.", "2.1 Frequency")
    ladder = policy.frequency_ladder
    words = [frequency.parse(text or "") for text in (true.testing_frequency, mine.testing_frequency)]
    expected, reported = (word if word in (*ladder, *policy.frequency_outside_ladder) else None for word in words)
    sentence = f"The testing frequency is {true.testing_frequency}; reported: {mine.testing_frequency or 'nothing'}."
    fail = closed(Outcome.FAIL, sentence, "2.1 Fail")
    if expected == frequency.NONE and mine.testing_frequency is None:
        return closed(Outcome.CORRECT, "There is no test, and none is reported.", "2.1 Frequency")
    if reported is None or expected is None:
        if fold_text(mine.testing_frequency or "") == fold_text(true.testing_frequency):
            return right
        return _frequency_words(context, mine, true, sentence) if mine.testing_frequency else fail
    if reported == expected:
        if _has_other_days(context, mine):
            return _frequency_words(context, mine, true, sentence)
        if expected in ladder and _is_frequency_stated(context, mine, expected) is False:
            finding = Finding("FREQUENCY_INFERRED", f"{expected} is not stated where the covenant is cited")
            inferred = "The testing frequency is right but inferred: no cited place states it."
            return closed(Outcome.PARTIAL, inferred, "2.1 Partial", finding, mark="inferred")
        return right
    if reported in ladder and expected in ladder:
        steps = abs(ladder.index(reported) - ladder.index(expected))
        label = Outcome.PARTIAL if steps <= policy.partial_frequency_steps else Outcome.FAIL
        return closed(label, f"{sentence} They are {steps} step{'s' if steps > 1 else ''} apart on the scale of periods.", "2.1 Frequency")
    return fail


def _frequency_words(context: Context, mine: Covenant, true: CovenantGold, sentence: str) -> Part:
    same = closed(Outcome.CORRECT, "The judge finds the testing frequency equivalent.", "2.1 Frequency")
    others = closed(Outcome.PARTIAL, sentence, "2.1 Partial"), closed(Outcome.FAIL, sentence, "2.1 Fail")
    texts = _texts(context, "Testing frequency", mine, true, mine.testing_frequency, true.testing_frequency or "")
    return same_meaning(context, (same, *others), f"{sentence} No rule reads it.", "2.1 Frequency", **texts)


def date_part(context: Context, mine: Covenant, true: CovenantGold) -> Part:
    """Equal or both as in the original agreement; two whole dates that differ are partial; other words are a question."""
    rule = "2.1 Effective date (A11)"
    right = closed(Outcome.CORRECT, "The effective date is right.", rule)
    other = closed(Outcome.PARTIAL, f"The effective date is {true.effective_date}; reported: {mine.effective_date or 'nothing'}.", rule)
    if true.effective_date is None:
        return right
    if mine.effective_date is None:
        return other
    said = [fold_text(text) for text in (mine.effective_date, true.effective_date)]
    if said[0] == said[1] or all(text in ORIGINAL_DATE for text in said):
        return right
    found = KINDS["date"].compare(mine.effective_date, true.effective_date, (), Surroundings()).label
    is_mixed = any(text in ORIGINAL_DATE for text in said) and any(dates.parse(text) for text in (mine.effective_date, true.effective_date))
    if found != "open" or is_mixed:
        return right if found in ("correct", "semantic_match") else other
    texts = _texts(context, "effective date", mine, true, mine.effective_date, true.effective_date)
    return same_meaning(context, (right, other, other), f"{other.reason} No rule reads it.", rule, **texts)


_OBLIGATION = re.compile(pattern("modal"), re.IGNORECASE)


def support_of(context: Context, mine: Covenant, true: CovenantGold | None, content: Part | None = None) -> Support:
    """The support of one covenant. content: what is known of its threshold."""
    values = [str(t) for t in (mine.threshold, true.threshold if true else None) if not thresholds.is_nothing(t)]
    figures = [figure for value in values for figure in values_in(value)]
    names = [mine.name, *((true.name, *true.aliases) if true is not None else ())]

    def contains(text: str) -> bool:
        if values:
            return any(thresholds.supports(value, text) for value in values)
        return _OBLIGATION.search(text) is not None

    def is_own(check: CitationCheck) -> bool:
        told = "\n".join((check.claim.quote or "", *_headings(context, check)))
        return any(names_subject(told, name) for name in names)

    stated = {"threshold": mine.threshold, "testing frequency": mine.testing_frequency, "effective date": mine.effective_date}
    claim = "; ".join([f"covenant {mine.name!r}", *(f"{name}: {text}" for name, text in stated.items() if text)])
    return Support(
        "covenant",
        claim,
        contains,
        has_others=lambda text: others_in(text, figures),
        is_own=is_own,
        content=None if thresholds.is_nothing(mine.threshold) else content,
        shows=partial(thresholds.supports, str(mine.threshold)),
    )


def _headings(context: Context, check: CitationCheck) -> Iterator[str]:
    if (document := context.documents.get(check.found_in or "")) is not None:
        for start, end in check.spans[:1]:
            yield from (clause.title or "" for clause in document.clauses.at(start, end))


def _is_frequency_stated(context: Context, mine: Covenant, expected: str) -> bool | None:
    """Whether a cited place states the frequency: the paragraph of a quote, the base clause outside its lettered paragraphs, or another
    citation of the covenant. None when no citation could be located, so that nothing can be said."""
    texts: list[str] = []
    for claim in (*mine.claims, *(c for flag in mine.flags for c in flag.claims)):
        check = check_claim(context, claim)
        if (document := context.documents.get(check.found_in or "")) is not None:
            texts.extend(text for start, end in check.spans[:3] for text in _near_texts(document, start, end))
    return any(expected in frequency.scan(text) for text in texts) if texts else None


def _has_other_days(context: Context, mine: Covenant) -> bool:
    """Whether the reported frequency names testing days that no document lists so."""
    listed = frequency.month_lists(mine.testing_frequency or "")
    return bool(listed) and not any(listed <= frequency.month_lists(document.text) for document in context.documents.values())


def _near_texts(document: Document, start: int, end: int) -> Iterator[str]:
    """The quote, its innermost clause, and the own words of the clauses around it up to the base clause."""
    yield document.text[start:end]
    if not (around := document.clauses.at(start, end)):
        return
    innermost = around[-1]
    yield document.text[innermost.start : innermost.end]
    for clause in reversed(around[:-1]):
        if "(" not in innermost.number:
            return  # the quote stands in a base clause itself
        yield _own_words(document, clause)
        if "(" not in clause.number:
            return


def _own_words(document: Document, clause: Clause) -> str:
    within = (c for c in document.clauses.clauses if clause.start <= c.start and c.end <= clause.end)
    inner = [(c.start, c.end) for c in within if c.number.startswith(f"{clause.number}(")]
    parts, at = [], clause.start
    for start, end in sorted(inner, key=lambda span: span[0]):
        if start >= at:
            parts.append(document.text[at:start])
        at = max(at, end)
    return "\n".join([*parts, document.text[at : clause.end]])
