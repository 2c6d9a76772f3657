"""Numbers, currencies and units of a block, each compared with its own kind; one quantity in two forms is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from deterministic.lexicon.calendar import TIME_UNITS
from deterministic.quotes.block import Block, Judgement, Texts, note
from deterministic.quotes.tokens import EITHER, Token


def _numbers(tokens: Iterable[Token]) -> Counter[str]:
    return Counter(t.meaning for t in tokens if t.kind == "number" and t.bracket != "enumerator")


_RATES = {"%": Fraction(1), "points": Fraction(1), "bps": Fraction(1, 100), "‰": Fraction(1, 10)}
_UNITS = {"business day": ("business_day", Fraction(1)), "half-year": ("month", Fraction(6))} | TIME_UNITS


def _quantities(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token, str, Fraction]]:
    """(number, unit, kind, exact value) of every number with a unit behind it: 65 bps is 0.65 %, half of one per cent 0.5 %."""
    for n, number in enumerate(tokens):
        if number.kind != "number" or (value := _value(number)) is None:
            continue
        behind = [t for t in tokens[n + 1 : n + 5] if t.folded != "of"][:2]
        if len(behind) == 2 and behind[0].kind == "number" and behind[0].meaning == "1" and tokens[n + 1].folded == "of":
            behind = behind[1:]
        unit = behind[0] if behind else number
        if unit.meaning in _RATES:
            yield number, unit, "rate", value * _RATES[unit.meaning]
        elif unit.meaning in _UNITS:
            kind, factor = _UNITS[unit.meaning]
            yield number, unit, kind, value * factor


def _value(token: Token) -> Fraction | None:
    try:
        return Fraction("1/2" if token.meaning == "half" else token.meaning)
    except (ValueError, ZeroDivisionError):
        return None


def _same_quantities(block: Block, texts: Texts) -> set[Token]:
    """Numbers and units of the block that say in another form what the source says there."""
    last = block.given_at + len(block.given) + 4
    given = list(_quantities(texts.given[max(0, block.given_at - 3) : last]))
    wanted = {(kind, value) for _, _, kind, value in _quantities(texts.shown)} if given else ()
    return {token for number, unit, kind, value in given if (kind, value) in wanted for token in (number, unit)}


def compare_numbers(block: Block, texts: Texts, result: Judgement) -> None:
    same = _same_quantities(block, texts)
    given = _numbers(t for t in block.given if t not in same)
    given.update(f"month {t.meaning}" for t in block.given if t.kind == "month")
    wanted = _numbers(block.wanted)
    wanted.update(f"month {t.meaning}" for t in block.wanted if t.kind == "month")
    added, missing = given - wanted, wanted - given
    everywhere = _numbers(texts.shown)
    everywhere.update(f"month {t.meaning}" for t in texts.shown if t.kind == "month")
    pronouns = {t.meaning for t in block.given if t.folded == "one"} - {t.meaning for t in block.given if t.folded in ("1", "first")}
    for number in added:
        if _is_same_date(number, texts) or (number in pronouns and not missing):
            continue
        said, there = _as_written(number, block.given, texts.quote), [_as_written(m, block.wanted, texts.source) for m in missing]
        if number not in everywhere and f"{number}:1" in missing:
            result.lost.append(f"the ratio of {said} is left out")
        elif number not in everywhere and (number.removesuffix(":1") in missing or _has_two_readings(number, block.given)):
            result.unknown.append(f"{said}, which can be read in two ways")
        elif number not in everywhere:
            result.altered.append(_misquoted(said, there))
        elif missing:
            note(block, result, f"{said} in place of {', '.join(there)}")


def _has_two_readings(number: str, tokens: Sequence[Token]) -> bool:
    return any(token.bracket == EITHER and token.meaning == number.removeprefix("month ") for token in tokens)


def _as_written(number: str, tokens: Sequence[Token], text: str) -> str:
    """A number as its text has it ("09260571", "66 2/3"), for people; its meaning is what was compared."""
    return next((text[t.start : t.end] for t in tokens if t.kind == "number" and t.meaning == number), number)


def _misquoted(given: str, wanted: Sequence[str]) -> str:
    return f"the quote says {given}" + (f", the document {', '.join(wanted)}" if wanted else ", the document does not say it there")


def _is_same_date(number: str, texts: Texts) -> bool:
    """A day that stands beside the same month in both texts, only on its other side: February 14 / 14 February."""
    return bool(_days_of(number, texts.given) & _days_of(number, texts.shown))


def _days_of(number: str, tokens: Sequence[Token]) -> set[str]:
    """The months beside which a number stands as a day."""
    found = set()
    if not number.removesuffix("th").isdigit() or int(number.removesuffix("th")) > 31:
        return set()
    for n, token in enumerate(tokens):
        if token.kind == "number" and token.meaning.removesuffix("th") == number.removesuffix("th"):
            found |= {other.meaning for other in (*tokens[max(0, n - 2) : n], *tokens[n + 1 : n + 3]) if other.kind == "month"}
    return found


def compare_currencies(block: Block, texts: Texts, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "currency"}
    wanted = {t.meaning for t in block.wanted if t.kind == "currency"}
    shown = {t.meaning for t in texts.shown if t.kind == "currency"}
    added, missing = given - wanted, wanted - given
    for currency in sorted(added):
        if missing and not _are_compatible(currency, missing):
            result.altered.append(f"{_short(currency)} in place of {', '.join(map(_short, sorted(missing)))}")
        elif not missing and not _are_compatible(currency, shown):
            result.altered.append(f"{_short(currency)}, which the source does not have")
    if missing and not added and not any(t.kind == "number" for t in block.wanted):
        result.lost.extend(f"{_short(currency)} of the source is left out" for currency in sorted(missing))


def _short(currency: str) -> str:
    return "$" if currency.startswith("USD/") else currency


def _are_compatible(currency: str, others: Iterable[str]) -> bool:
    """They can be one: a bare $ and a named dollar."""
    codes = set(currency.split("/"))
    return any(codes & set(other.split("/")) for other in others)


def compare_units(block: Block, texts: Texts, result: Judgement) -> None:
    same = _same_quantities(block, texts)
    given = {t.meaning for t in block.given if t.kind == "unit" and t not in same}
    wanted = {t.meaning for t in block.wanted if t.kind == "unit"}
    added, missing = given - wanted, wanted - given
    if added and missing:
        note(block, result, f"{', '.join(sorted(added))} in place of {', '.join(sorted(missing))}")
    elif added and _follows_number(block.given, block.given_at, texts.given):
        result.altered.append(f"{', '.join(sorted(added))}, which the source does not have")
    elif missing & _RATES.keys() and not same and not any(t.kind == "number" for t in block.wanted):
        result.lost.extend(f"{unit} of the source is left out" for unit in sorted(missing & _RATES.keys()))


def _follows_number(tokens: Sequence[Token], at: int, text: Sequence[Token]) -> bool:
    return any(t.kind == "unit" and at + n > 0 and text[at + n - 1].kind == "number" for n, t in enumerate(tokens))
