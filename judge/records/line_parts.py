"""Parts of the nouns as a line of a result folder has them: a number for a fraction, an object for a named tuple."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, WrapSerializer


@lru_cache(maxsize=4096)
def exact(number: float | int) -> Fraction:
    """The fraction that a JSON number was written for: 0.9 is 9/10."""
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def exactly(ends: tuple[float, float]) -> tuple[Fraction, Fraction]:
    """Both ends of a score as fractions."""
    return exact(ends[0]), exact(ends[1])


def held(block: Mapping[str, Any], always: Collection[str] = ()) -> dict[str, Any]:
    """The keys that hold something, a zero too, and those that always stand there."""
    return {k: v for k, v in block.items() if v or k in always or (v == 0 and v is not False)}


def score_block(bounds: tuple[Fraction, Fraction]) -> dict[str, Any]:
    """A score, null while it is open, and its bounds; exactly where no JSON number holds them."""
    low, high = bounds
    line = {"score": float(low) if low == high else None, "bounds": [float(low), float(high)]}
    return line | held({"exact": None if all(exact(float(b)) == b for b in bounds) else [str(low), str(high)]})


def bounds_of(block: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """The bounds of such a block. Raises KeyError, TypeError, ValueError for an edited one."""
    low, high = map(Fraction, block["exact"]) if "exact" in block else map(exact, block["bounds"])
    return low, high


def _fraction(given: Any) -> Any:
    return given if isinstance(given, str) else exact(given)  # a text is pydantic's to read: it bounds its size


def _object(found: NamedTuple) -> dict[str, Any]:
    return held(found._asdict())


def _ordered(ends: tuple[float, float]) -> tuple[float, float]:
    if ends[0] > ends[1]:
        raise ValueError("the worst is better than the best")
    return ends


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
ScoreNumber = Annotated[float, Field(strict=True, ge=0, le=1)]
Ends = tuple[ScoreNumber, ScoreNumber]
WorstBest = Annotated[Ends, AfterValidator(_ordered)]
Whole = Annotated[int, Field(strict=True)]
Exactly = Annotated[Fraction, BeforeValidator(_fraction), PlainSerializer(float)]
ScoreBlock = Annotated[tuple[Fraction, Fraction], PlainValidator(bounds_of), PlainSerializer(score_block)]
ScoreBlocks = Annotated[
    Mapping[str, ScoreBlock], BeforeValidator(lambda given: given or {}), WrapSerializer(lambda found, dump: dump(found) or None)
]
AsObject = PlainSerializer(_object)
Set = BeforeValidator(lambda _: True)  # of a key that stands there only where it is so
Unset = BeforeValidator(lambda _: False)  # of one that stands there only where it is not
