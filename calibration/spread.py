"""The order in which questions are drawn: any beginning of it is spread evenly over the agreements, each question equally likely."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

SEED = 0


def hash_rank(name: str) -> bytes:
    """A place that follows from the name alone."""
    return hashlib.sha256(f"{SEED}\0{name}".encode("utf-8", "backslashreplace")).digest()


def spread(names: Sequence[str]) -> list[int]:
    """Places of a list that stands agreement by agreement: a systematic sample of any size (places in van der Corput's order), begun
    anywhere, so that rows of one agreement are drawn together only where there are more rows than agreements."""
    if not names:
        return []
    bits, start = (len(names) - 1).bit_length(), int.from_bytes(hash_rank("\0".join(names))) % len(names)
    reversed_ = (int(f"{place:b}".zfill(bits)[::-1], 2) if bits else 0 for place in range(1 << bits))
    return [(place + start) % len(names) for place in dict.fromkeys(value * len(names) >> bits for value in reversed_)]
