"""Where the numbering of a file starts again: attachments, a second agreement, and lists inside a clause, which are no provisions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from deterministic.clauses.headings import Heading

_COPY = re.compile(r"\b(?:amended|restated|conformed|consolidated|(?:credit|facilit(?:y|ies)|loan) agreement)\b", re.I)
_FORM = re.compile(r"\bform of\b", re.I)


@dataclass(slots=True)
class Segment:
    """A stretch with one numbering: the body of an agreement, or one attachment."""

    attachment: Heading | None
    start: int
    end: int = 0
    headings: list[Heading] = field(default_factory=list)

    @property
    def is_agreement(self) -> bool:
        """Numbered as clauses of an agreement (also one that is attached as an exhibit), not as items of a schedule."""
        if self.attachment is None:
            return True
        sections = [h for h in self.headings if h.kind == "section"]
        has_articles = any(h.kind == "article" and h.has_word for h in self.headings) or any(h.number.startswith("i") for h in sections)
        # Different numbers: two short forms in one exhibit, each counted from 1, are no agreement.
        numbers = {h.key for h in sections}
        divided = sum(len(key) > 1 for key in numbers)
        is_copy = _COPY.search(self.attachment.title) is not None and not _FORM.search(self.attachment.title)
        return divided >= 12 or (len(numbers) >= 3 and (has_articles or (is_copy and (divided >= 2 or len(numbers) >= 25))))


def place_in_articles(candidates: Sequence[Heading]) -> list[Heading]:
    """Where sections are counted on from article to article (ARTICLE II, Section 3, Section 4, ARTICLE III, Section 5) or anew in each,
    their keys are put below the article's: (3, 5). Elsewhere, and where sections are numbered 3.5 themselves, all stay as they are."""
    article: tuple[float, ...] = ()
    last, goes_on, starts_again, is_next = 0.0, 0, 0, False
    placed: list[Heading] = []
    for heading in candidates:
        is_flat = heading.kind == "section" and len(heading.key) == 1
        expected = (last + 1, 1) if is_next else (last + 1,)
        if heading.kind == "article":
            article, is_next = heading.key, bool(article)
        elif heading.kind == "attachment":
            article, last = (), 0.0
        elif is_flat and article and (heading.has_word or heading.weight >= 1.3 or heading.key[0] in expected):
            goes_on += is_next and last > 0 and heading.key[0] == last + 1
            starts_again += is_next and heading.key[0] == 1
            last, is_next = heading.key[0], False
            heading = replace(heading, key=(*article, *heading.key))
        placed.append(heading)
    divided = sum(len(heading.key) > 1 and heading.kind == "section" and heading.weight >= 1.0 for heading in candidates)
    return placed if goes_on > starts_again or starts_again >= max(2, divided + 1) else list(candidates)


_LEAD_IN = 2000  # characters of a clause's own text before its first section at most


def count_anew(candidates: Sequence[Heading]) -> list[Heading]:
    """Where the sections of every clause are printed as 1.1, 1.2 ... (an automatic number that lost its first level), those below clause 2
    are 2.1, 2.2: so the document's own references call them."""
    heads = [(one, two) for one, two in pairwise(candidates) if one.kind == "section" and len(one.key) == 1 and one.key[0] > 1]
    lost = [one for one, two in heads if one.weight >= 1.3 and two.key == (1, 1) and two.start <= one.end + _LEAD_IN]
    kept = sum(len(h.key) == 2 and h.key[0] > 1 and h.key[1] == 1 and not h.has_word for h in candidates)
    if len(lost) < 2 or kept > len(lost):
        return list(candidates)
    mended: list[Heading] = []
    top, last = None, 0.0
    for heading in candidates:
        key = heading.key
        if heading in lost:
            top, last = heading, 0.0
        elif top and len(key) == 2 and key[0] == 1 and not heading.has_word and 0 < key[1] - last <= 2:
            last = key[1]
            heading = replace(heading, key=(*top.key, last), number=f"{top.number}.{int(last)}", shown=heading.number)
        elif top and (not key or (len(key) == 1 and heading.weight >= 1.3 and key[0] == top.key[0] + 1)):
            top = None
        mended.append(heading)
    return mended


def without_listed_items(candidates: Sequence[Heading]) -> list[Heading]:
    """The candidates without lists between a number and the next, 4., then I. to VI., then 5.: a chain cannot go back behind them."""
    kept, n = list[Heading](), 0
    while n < len(candidates):
        stop = n
        while stop < len(candidates) and candidates[stop].key == (stop - n + 1,) and candidates[stop].kind == candidates[n].kind:
            stop += 1
        last, following = kept[-1:], candidates[stop : stop + 1]
        is_flat = all(h.kind == "section" and len(h.key) == 1 for h in (*last, *following)) and not candidates[n].has_word
        if last and is_flat and stop > n + 1 and [h.key[0] + 1 for h in last] == [h.key[0] for h in following]:
            n = stop
        else:
            kept.append(candidates[n])
            n += 1
    return kept


def is_item(heading: Heading) -> bool:
    return heading.kind == "section" and len(heading.key) == 1 and not heading.has_word


def split_numbering(chain: Sequence[Heading], length: int) -> list[Segment]:
    """Cuts the chain where an attachment starts or the numbers start again."""
    segments = [Segment(None, 0)]
    last: tuple[float, ...] = ()
    body = 0.0
    for heading in chain:
        current = segments[-1]
        is_body = current.attachment is None
        body = last[0] if is_body and last else body
        # a letter's execution clauses behind its schedule of items go on where the body stopped
        is_own = not is_body and any(h.kind == "part" for h in current.headings[-1:])
        goes_on = not (is_body or is_own) and heading.key[:1] == (body + 1,) and heading.title and last[:1] < (body,)
        starts_again = heading.key and heading.key <= last and not (heading.key == last and current.headings[-1].kind == "article")
        # items start again under each part of a schedule; elsewhere a new start is a new agreement
        if goes_on or heading.kind == "attachment" or (starts_again and (is_body or current.is_agreement)):
            segments.append(Segment(heading if heading.kind == "attachment" else None, heading.start))
        if heading.kind != "attachment":
            segments[-1].headings.append(heading)
        last = () if heading.kind in ("attachment", "part") else heading.key or last
    for n, segment in enumerate(segments):
        segment.end = segments[n + 1].start if n + 1 < len(segments) else length
    return segments


def signed_at(segments: Sequence[Segment], signatures: Sequence[tuple[int, int]]) -> int:
    """Where the last schedule ends: before the signatures of an agreement that is signed behind its schedules and not before them."""
    last, first = segments[-1], next((s.start for s in segments if s.attachment is not None), 0)
    if last.attachment is None or _FORM.search(last.attachment.title) or any(start < first for start, _ in signatures):
        return last.end
    heads = [h.end for h in last.headings]
    return next((start for start, _ in signatures if start > max([last.attachment.end, *heads])), last.end)


_ATTACHED_TO = re.compile(r"\(?to\b", re.I)


def outer_end(segments: Sequence[Segment], n: int) -> int:
    """Where the attachment of a segment ends: behind those that are attached to it in turn ("Attachment 1 to Compliance Certificate" behind
    Exhibit B; Annexes 1 and 2 between Exhibits C and D, Exhibits A and B between J and K)."""
    own = segments[n].attachment
    end = segments[n].end
    if own is None or _ATTACHED_TO.match(own.title):
        return end
    for later in segments[n + 1 :]:
        other = later.attachment
        # THE SCHEDULE of a form that is Schedule 4
        is_own = other is not None and " " not in other.number and " " in own.number
        is_own = is_own or (other is not None and segments[n].is_agreement and other.number.split()[0] != own.number.split()[0])
        if other is None or not (is_own or _ATTACHED_TO.match(other.title) or _is_between(own, other, later, segments)):
            break
        end = later.end
    return end


def _is_between(own: Heading, other: Heading, at: Segment, segments: Sequence[Segment]) -> bool:
    """`other` is counted apart (an annex, or A after J), and behind it the count of `own` goes on (K)."""
    word, _, label = own.number.partition(" ")
    is_apart = not other.number.startswith(word) or (len(label) == 1 and other.number < own.number and len(other.number) == len(own.number))
    if not is_apart or not re.fullmatch(r"[a-z]|\d{1,2}", label):
        return False
    following = f"{word} {int(label) + 1 if label.isdecimal() else chr(ord(label) + 1)}"
    return any(s.attachment is not None and s.attachment.number == following for s in segments if s.start > at.start)
