"""What is found in a text once need not be found again: results by content, bounded by the characters of the texts that are kept."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from threading import Lock
from typing import TypeVar, TypeVarTuple

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
A = TypeVarTuple("A")

KEPT = 10_000_000
"""Characters: twice the documents that a run keeps open, and the short texts beside them."""


LONGEST_KEPT = 4_000
"""Characters of a short text: a name, a value, a quote."""


MOST_RECALLED = 2048
"""Results in the table of one object."""


def recalled(table: dict[K, T], key: K, make: Callable[[K], T]) -> T:
    """What `make` gives for `key`, kept in a table of its owner's, the oldest going first. An `lru_cache` of a method would hold the owner
    in a circle; so it is freed with its last user."""
    if key not in table:
        found = make(key)
        while len(table) >= MOST_RECALLED:
            table.pop(next(iter(table)), None)
        table[key] = found
        return found
    return table[key]


def kept(most: int) -> Callable[[Callable[[str, *A], T]], Callable[[str, *A], T]]:
    """Remembers what a function makes of the `most` short texts (and what else it is given) that were asked for last, of no longer one."""

    def keeping(function: Callable[[str, *A], T]) -> Callable[[str, *A], T]:
        known = lru_cache(maxsize=most)(function)

        @wraps(function)
        def with_memory(text: str, *rest: *A) -> T:
            return known(text, *rest) if len(text) <= LONGEST_KEPT else function(text, *rest)

        return with_memory

    return keeping


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remembers what a function makes of a text, for the texts of `KEPT` characters that were asked for last; always for the last one."""
    known: OrderedDict[str, T] = OrderedDict()
    lock, size = Lock(), 0

    @wraps(function)
    def with_memory(text: str) -> T:
        nonlocal size
        with lock:
            if text in known:
                known.move_to_end(text)
                return known[text]
        found = function(text)
        with lock:
            size += len(text) if text not in known else 0
            known[text] = found
            while size > KEPT and len(known) > 1:
                size -= len(known.popitem(last=False)[0])
        return found

    return with_memory
