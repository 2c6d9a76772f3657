"""Sketches of texts: short strings by which near copies of one text are told without the texts."""

from bisect import bisect_left
from collections import Counter
from zlib import crc32

from deterministic.lexicon.folding import fold

SKETCH_PLACES = 128  # a power of two
_MIX = 0x9E3779B1


def sketch_of(text: str) -> str:
    """SKETCH_PLACES places of two characters: two texts have about as large a share of them alike as of their words, each as often as
    it stands there, in any order (one permutation hashing: Li, Owen and Zhang, NIPS 25, 2012). "" where there is no text."""
    least: dict[int, int] = {}
    for word, times in Counter(filter(None, map(fold, text.split()))).items():
        start = crc32(word.encode("utf-8", "backslashreplace"))
        for n in range(times):
            mixed = (start + n * _MIX) * _MIX & 0xFFFFFFFF
            place, rest = divmod((mixed ^ mixed >> 15) * _MIX & 0xFFFFFFFF, (1 << 32) // SKETCH_PLACES)
            if rest < least.get(place, 1 << 32):
                least[place] = rest
    known = sorted(least) or [0]  # a place that nothing fell on has what the next one has
    filled = (known[bisect_left(known, place) % len(known)] for place in range(SKETCH_PLACES))
    return "".join(f"{least[place] & 0xFF:02x}" for place in filled) if least else ""
