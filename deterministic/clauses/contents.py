"""The contents page: it repeats every heading and contains none of the text, so its lines are no headings."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise

from deterministic.clauses.clause import is_within
from deterministic.clauses.headings import Heading, leaves_out
from deterministic.clauses.numerals import KINDS
from deterministic.clauses.opening import INTRO
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import fold_words

_TITLE = re.compile(
    r"^[ \t\xa0*_#]*(?:(?:TABLE|Table|table)[ ]+(?:OF|of|Of)[ ]+)?(?:CONTENTS|Contents|contents|INDEX|TABLE OF CONTENTS)"
    r"[ \t\xa0*:_]*(?:\(cont[^)\n]*\))?$",
    re.M,
)
_PROSE = re.compile(
    r"^(?!\W*\w{1,5}\.?[ \t\xa0]*$)(?=[^\n]*\b(?!(?:of|and|or|the|to|for|in|on|by|with|from|etc)\b)[a-z]{2})"
    r"[^\n]*(?:[A-Za-z)”\"][.;]|[^\n]{130})[ \t\xa0]*$(?!\n[ \t\xa0]*(?:\d{1,3}|[ivxlc]{1,7})[ \t\xa0]*$)",
    re.M,
)
"""A line that ends like a sentence, or is longer than an entry; a wrapped title ("7.05 Binding Effect;") has no words in small letters, and
a title with a full stop has its page number on the next line."""
_GAP = 420


def find_contents(text: str, candidates: Sequence[Heading]) -> tuple[tuple[int, int], ...]:
    """Ranges of the contents pages (an amendment with a conformed copy has two), in order."""
    starts = [match.start() for match in find_lines(_TITLE, text)] or _repeated_starts(text, candidates)
    found: list[tuple[int, int]] = []
    for start in (at for at in starts if not is_within(at, found[-1:])):
        # entries follow one another closely, before the first words of an agreement
        entries = [heading.start for heading in candidates if heading.start >= start]
        opened = (match.start() for match in INTRO.finditer(text, start + 1) if not _NUMBER_BELOW.match(text, match.end()))
        body = min([next(opened, len(text)), *(at + 1 for at in entries[-1:])])
        if entries and (end := _entries_end(text, start, body, set(entries))) > start:
            found.append((start, end))
    return tuple(found)


def _repeated_starts(text: str, candidates: Sequence[Heading]) -> list[int]:
    """Without title and page numbers: the first headings follow one another without a sentence, and two come again in their words."""
    own = [h for h in candidates if h.key and h.title]
    words = [(h.key, fold_words(h.title)) for h in own]
    is_close = all(two.start - one.start <= _ROW and not _PROSE.search(text, one.start, two.start) for one, two in pairwise(own[:_FEWEST]))
    return [own[0].start] if is_close and len(set(words[:_FEWEST]) & set(words[_FEWEST:])) > 1 else []


_FEWEST = 5


_ENTRY = re.compile(
    r"\W*(?:(?:article|section|clause|schedule|exhibit|annex\w*|appendix|part)\b.{0,100}|(?<=[—–-]).{2,90}|\(?[a-zA-Z]{1,5}[.)].{2,90}|"
    r"\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+\S.{1,110}|\d{1,3})$|"
    r".{1,200}?(?<=[^ .\t…])(?=[ .\t…]*(?:\.{3}|\. \.|…|  |\t))[ .\t…]+[\w-]{0,5}$|.{0,400}?\b\d{1,3}\.\d{1,3}[ \t].*\d",
    re.I,
)
"""A line of a contents page: with a number, a label, or a page number at its end, or with several entries run together."""
_BODY_OPENS = re.compile(
    r"^(?:[^\w\n]*(?:THIS|This|WHEREAS|Whereas|WITNESSETH|RECITALS?|PRELIMINARY|BACKGROUND|BETWEEN|PARTIES|DATED|Dated)\b|"
    r"[^\n]*\b(?:AGREEMENT|Agreement)\b[^\n]*\b[Dd]ated\b)",
    re.M,
)
_NUMBER_BELOW = re.compile(r"\s*\d{1,3}[ \t\xa0]*$", re.M)


def _entries_end(text: str, start: int, body: int, heads: Collection[int]) -> int:
    """Where the last line like an entry ends, before the formulas and sentences that lead to the first heading of the body."""
    at = end = start
    while at < min(body, end + (_GAP if end > start else 2 * _GAP)):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop].replace("\xa0", " ").strip()
        is_entry = at in heads or _ENTRY.match(line) is not None
        if _BODY_OPENS.match(line) or (_PROSE.match(text, at) and not is_entry):
            break
        end = stop if is_entry else end
        at = stop + 1
    return min(end, body)


_ROW = 200  # characters from one line of a list of attachments to the next, at most
_LONGEST_LIST = 6_000  # characters
_LIST_TITLE = re.compile(
    rf"^[ \t\xa0*]*(?=[A-Z])(?i:(?:(?:list|index) (?:of|to) )?(?:the )?{KINDS}(?:(?:,| and| &)+ {KINDS})*(?: index| list)?)[ \t\xa0*:]*$",
    re.M,
)


def listed_attachments(candidates: Sequence[Heading]) -> list[list[Heading]]:
    """Lists of attachments, line after line, the attachments themselves elsewhere: the last line would else own all that follows."""
    return [run for run in _runs(candidates) if _is_list(run, candidates)]


def find_lists(text: str, candidates: Sequence[Heading], runs: Sequence[Sequence[Heading]]) -> list[tuple[int, int]]:
    """Ranges of the lists of attachments: the `runs` line after line, and what stands below a title up to the first sentence or clause."""
    found = [(run[0].start, max(run[-1].end, run[-1].start + 1)) for run in runs]
    listed = {heading.start for run in runs for heading in run}
    ends = [h.start for h in candidates if h.start not in listed and h.weight >= (2.0 if h.kind == "attachment" else 1.0)]
    for match in find_lines(_LIST_TITLE, text):
        stop = min([match.end() + _LONGEST_LIST, len(text), *ends[(at := bisect_right(ends, match.start())) : at + 1]])
        opened = (form.search(text, match.end(), stop) for form in (_PROSE, _BODY_OPENS, INTRO))
        found.append((match.start(), min([stop, *(one.start() - 1 for one in opened if one)])))
    return sorted(found)


def _runs(candidates: Sequence[Heading]) -> list[list[Heading]]:
    """Attachments that follow one another line after line, none with text of its own; most of them alone."""
    runs: list[list[Heading]] = []
    for before, heading in pairwise([None, *candidates]):
        if heading is None or heading.kind != "attachment":
            continue
        is_near = before is not None and before.kind == "attachment" and heading.start - before.start <= _ROW
        # where one comes again behind others, the attachments themselves begin
        again = is_near and len(runs[-1]) > 1 and heading.number in {one.number for one in runs[-1]}
        if is_near and not (again and (heading.number != runs[-1][-1].number or heading.weight > runs[-1][-1].weight + 0.9)):
            runs[-1].append(heading)
        else:
            runs.append([heading])
    return runs


def _is_list(run: Sequence[Heading], candidates: Sequence[Heading]) -> bool:
    """Most of them come again later, or the clauses of the agreement all come later. One alone: both, and it comes again in its words."""
    later = [h for h in candidates if h.kind == "attachment" and h.start > run[-1].start]
    clauses = [h for h in candidates if h.key and h.weight >= 0.5]
    behind = bisect_right(clauses, run[-1].start, key=lambda h: h.start)
    before, after = (clauses[n].key if 0 <= n < len(clauses) else () for n in (behind - 1, behind))
    if len(run) > 1 and () < before < after and not leaves_out(before, after):
        return True  # inside a clause, behind which the count goes on
    is_in_front = bool(clauses) and not behind
    if len({heading.number for heading in run}) == 1:
        return is_in_front and any(h.number == run[0].number and _spellings(h.title) & _spellings(run[0].title) for h in later)
    numbers = {h.number for h in later}
    return is_in_front or 2 * sum(h.number in numbers for h in run) > len(run)


def _spellings(title: str) -> set[str]:
    """A title in one spelling, with and without the page number that may follow it."""
    plain = re.sub(r"[\s.…_\xa0]*$", "", title)
    return {fold_words(plain)[:40], fold_words(re.sub(r"[\s.…_\xa0]*(?:\d{1,3}|[ivxl]{1,6})$", "", plain))[:40]} - {""}
