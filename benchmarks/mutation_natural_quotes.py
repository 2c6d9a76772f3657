"""Faults of citations that real outputs showed (real_agreements.md R1, R2): what a quote leaves out or turns round, places that are none.

The alterations of `benchmarks.quote_alterations` are planted here in the quotes of right outputs, each under its own name; what R1 calls
partial is expected to be partial, everything else invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from benchmarks.mutation_bases import Base, BaseCase
from benchmarks.mutation_judge import Mutant
from benchmarks.mutation_quotes import NEGATIVES, Plant, Site, planted, sites, text_of
from benchmarks.quote_alterations import KINDS, PARTIAL_BY_R1, Change

FABRICATED, REWORDED = {"quote_paraphrase": "fabricated"}, {"quote_paraphrase": "paraphrase"}
LIMITERS = re.compile(
    r"\b(unless|except|other than|provided|only|if|subject to|excluding|including|save|less|more|than|least|most|later|earlier)\b", re.I
)
PLANTED_BEFORE = ("and / or", "shall / may", "month exchanged", "currency exchanged", "decimal moved", "company name exchanged")
"""Kinds of quote_alterations that mutation_quotes plants under names of its own."""


def stands(base: Base, site: Site, quote: str) -> bool:
    """Whether these words stand, signs and all: a dollar for a euro is another quote."""
    return " ".join(quote.casefold().split()) in text_of(base, site).running


def altered(kind: str, change: Change, expected: str, provenance: str, code: str = "") -> Plant:
    def plant(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
        for site in sites(case):
            quote = site.citation["quote"]
            other = change(quote, rng)
            if other is None or " ".join(other.split()).replace(",", "") == quote.replace(",", "") or stands(base, site, other):
                continue
            verdicts = FABRICATED if expected == "hallucination" else REWORDED
            yield planted(kind, base, case, site, expected, {"quote": other}, provenance=provenance, code=code, verdicts=verdicts)

    return plant


def invented(kind: str, change: Change) -> Plant:
    return altered(kind, change, "hallucination", "not_found")


def rewording(kind: str, change: Change, code: str = "") -> Plant:
    return altered(kind, change, "partial", "paraphrased", code)


def fraction_cut(quote: str, rng: Random) -> str | None:
    """66 of 66 2/3: the number was cut short."""
    return re.sub(r"(?<=\d) \d/\d", "", quote, count=1)


def sign_turned(quote: str, rng: Random) -> str | None:
    turned = {"≥": "≤", "≤": "≥", ">": "<", "<": ">"}
    return re.sub("[≥≤<>]", lambda m: turned[m.group()], quote, count=1)


def sign_added(quote: str, rng: Random) -> str | None:
    return re.sub(r"(?<![\d.,/($€£-])(\d[\d.,]*\d|\d)(?= ?(?:%|per cent))", r"-\1", quote, count=1)


def word_cut(quote: str, rng: Random) -> str | None:
    """A plural inside the quote that lost its last letter."""
    found = [m for m in re.finditer(r"\b[A-Za-z]{4,}[a-rt-z]s\b(?= \w)", quote) if m.start() > 8]
    return quote[: found[0].end() - 1] + quote[found[0].end() :] if found else None


def bracket_left_out(quote: str, rng: Random) -> str | None:
    """A parenthesis of words that is left out without a mark; nothing else of the sentence hangs on it."""
    found = re.search(r" \([^()\d]{12,}\)", quote)
    if not found or NEGATIVES.search(found.group()) or LIMITERS.search(found.group()) or "“" in found.group() or '"' in found.group():
        return None
    rest = quote[: found.start()] + quote[found.end() :]
    return rest if min(len(quote[: found.start()].split()), len(quote[found.end() :].split())) >= 4 else None


def middle_left_out(quote: str, rng: Random) -> str | None:
    """Two words in lower case left out of the middle, without a mark: two verbatim parts of one provision."""
    tokens = quote.split()
    for at in range(5, len(tokens) - 6):
        gone = " ".join(tokens[at : at + 2])
        if re.fullmatch(r"[a-z]{3,} [a-z]{3,}", gone) and not NEGATIVES.search(gone) and not LIMITERS.search(gone):
            return " ".join(tokens[:at] + tokens[at + 2 :])
    return None


def lone_words(quote: str, rng: Random) -> str | None:
    words = [w for w in re.findall(r"[a-z]{5,}", quote) if not NEGATIVES.fullmatch(w)]
    return " … ".join((words[0], words[len(words) // 2], words[-1])) if len(set(words)) >= 6 else None


def on_the_subject(quote: str, rng: Random) -> str | None:
    """A sentence of the same world that no agreement of the bench holds."""
    return rng.choice(
        (
            "The Borrower shall pay a ticking fee to the Mandated Arrangers on the unutilised portion of each Swingline Advance",
            "Each Obligor represents that its pension schemes are funded in accordance with the advice of a qualified actuary",
            "The Lenders may require an independent engineer to inspect the turbines before each milestone drawing",
        )
    )


def _parts(kind: str, part: str, values: tuple[str, ...]) -> Plant:
    """An element of the citation that says nothing: it is missing, and nothing is invented."""

    def plant(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
        for site in sites(case):
            if part == "page" and not base.is_paged:
                continue
            yield planted(kind, base, case, site, "partial", {part: rng.choice(values)}, provenance="incomplete")

    return plant


def schedule_by_name(base: Base, case: BaseCase, rng: Random) -> Iterator[Mutant]:
    """A name claims no number: a schedule that is not there is an imprecise reference."""
    for site in sites(case):
        for name in ("Telescope Schedule", "Schedule of Birch Plantations"):
            yield planted(
                "section: a schedule by a name that is not there", base, case, site, "partial", {"section": name}, provenance="incomplete"
            )


ELLIPSIS_OVER_LIMITER = "ellipsis over a limiter"
NATURAL_QUOTE_KINDS: dict[str, Plant] = {
    "quote: fraction cut short": invented("quote: fraction cut short", fraction_cut),
    "quote: comparison sign turned": invented("quote: comparison sign turned", sign_turned),
    "quote: minus sign added": invented("quote: minus sign added", sign_added),
    "quote: invented on the subject": invented("quote: invented on the subject", on_the_subject),
    "quote: word cut off": rewording("quote: word cut off", word_cut),
    "quote: parenthesis left out": rewording("quote: parenthesis left out", bracket_left_out),
    "quote: middle left out without a mark": rewording("quote: middle left out without a mark", middle_left_out),
    "quote: lone words joined by dots": rewording("quote: lone words joined by dots", lone_words),
    **{
        f"quote: {kind}": (
            rewording(f"quote: {kind}", change, "ELLIPSIS_SKIPS_LIMITER" if kind == ELLIPSIS_OVER_LIMITER else "")
            if kind in PARTIAL_BY_R1
            else invented(f"quote: {kind}", change)
        )
        for kind, change in KINDS.items()
        if kind not in PLANTED_BEFORE
    },
    "quote: a placeholder": _parts(
        "quote: a placeholder", "quote", ("N/A", "none", "not provided in this section", "-", "null", "Not found")
    ),
    "quote: less than one informative word": _parts("quote: less than one informative word", "quote", ("the", "of the", "and", "(a)")),
    "section: no reference": _parts("section: no reference", "section", ("N/A", "none", "header", "table", "not numbered")),
    "section: a schedule by a name that is not there": schedule_by_name,
    "page: no number": _parts("page: no number", "page", ("n/a", "unknown", "not stated")),
}
