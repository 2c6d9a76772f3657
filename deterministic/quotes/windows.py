"""Where in a document does a text that is not verbatim come from? Rare words vote for a place; the best few places are compared in full.
Voting costs about a millisecond whatever the length of the document; the index of words is built once per document. Rules: design/quotes.md
section 1.4 ("the best window of the best few pages"); figures: design/quotes.md."""

import heapq
import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import floordiv, sub

from deterministic.lexicon.folding import fold

_WORD = re.compile(r"[^\W_]+")
_BUCKET = 16
_RAREST = 32
_MOST_POSTINGS = 400


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The words of a text: where each begins, where each word stands, and which words are mostly not names (often in lower case)."""

    text: str
    starts: "array[int]"
    postings: "dict[str, array[int]]"
    lower_case: frozenset[str]


def index_words(text: str) -> WordIndex:
    starts = array("l")
    numbers: defaultdict[str, array[int]] = defaultdict(lambda: array("l"))
    for number, match in enumerate(_WORD.finditer(text)):
        starts.append(match.start())
        numbers[match[0]].append(number)
    spelled = defaultdict[str, list[str]](list)
    for raw in numbers:
        spelled[fold(raw)].append(raw)
    postings = {word: numbers[raws[0]] for word, raws in spelled.items()}
    for word, raws in spelled.items():
        if len(raws) > 1:
            postings[word] = array("l", sorted(number for raw in raws for number in numbers[raw]))
    lower = {word: sum(len(numbers[raw]) for raw in raws if raw.islower()) for word, raws in spelled.items()}
    return WordIndex(text, starts, postings, frozenset(word for word, n in lower.items() if n and 4 * n >= len(postings[word])))


def candidate_windows(index: WordIndex, quote: str, *, within: tuple[int, int] | None = None, most: int = 4) -> list[tuple[int, int]]:
    """Ranges of the text that share the most rare words with the quote at matching distances, best first. `within` restricts them to a
    range of the text (a cited page)."""
    words = [fold(match[0]) for match in _WORD.finditer(quote)]
    votes = _vote(index, words, within, 3 * most)  # a place takes two neighbours with it
    windows: list[tuple[int, int]] = []
    taken: list[int] = []
    for bucket in sorted(votes, key=lambda bucket: (-votes[bucket], bucket)):
        if any(abs(bucket - other) <= 1 for other in taken):
            continue
        taken.append(bucket)
        windows.append(_range(index, bucket * _BUCKET, len(words)))
        if len(windows) == most:
            break
    return windows


def _vote(index: WordIndex, words: Sequence[str], within: tuple[int, int] | None, most: int) -> dict[int, int]:
    """Weight of each stretch of the text at which the quote could begin; of the `most` heaviest ones at least."""
    known = [(len(index.postings[word]), at, word) for at, word in enumerate(words) if word in index.postings]
    votes: dict[int, int] = {}
    get = votes.get
    for count, at, word in sorted(known)[:_RAREST]:
        if count > _MOST_POSTINGS and votes and within is None:
            break
        weight = 1_000 if within else round(1_000_000 / (count + 2) ** 0.5)
        found = _positions(index, word, within)[: _MOST_POSTINGS * 10]
        early = bisect_left(found, at)  # a text that would begin before the document begins with it
        if early:
            votes[0] = get(0, 0) + early * weight
        for bucket in map(floordiv, map(sub, found[early:], repeat(at)), repeat(_BUCKET)):
            votes[bucket] = get(bucket, 0) + weight
    least = min(heapq.nlargest(most, votes.values()), default=0)
    near = {bucket + step for bucket, count in votes.items() if 3 * count >= least for step in (-1, 0, 1)}
    return {bucket: votes[bucket] + get(bucket + 1, 0) + get(bucket - 1, 0) for bucket in near & votes.keys()}


def _positions(index: WordIndex, word: str, within: tuple[int, int] | None) -> Sequence[int]:
    """Numbers of the words equal to `word`, in order; only those that begin in the range."""
    found = index.postings[word]
    if within is None:
        return found
    first, last = (bisect_left(index.starts, offset) for offset in within)
    return found[bisect_left(found, first) : bisect_left(found, last)]


def _range(index: WordIndex, first: int, count: int) -> tuple[int, int]:
    slack = max(12, count // 4)
    low = max(0, first - _BUCKET - slack)
    high = min(len(index.starts), first + 2 * _BUCKET + count + slack)
    end = index.starts[high] if high < len(index.starts) else len(index.text)
    return (index.starts[low] if low < len(index.starts) else 0), end
