"""One block of words that differ between a quote and its source: did the meaning-bearing words change, or only the others?

Rules: judging.md section 1.4 ("compared both ways").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from deterministic.lexicon.folding import WILDCARDS, fold
from deterministic.lexicon.phrases import DOLLARS, EXCHANGE_ONLY
from deterministic.quotes.tokens import HAS_WILDCARD, Token

TIGHT = 6
"""Words on either side up to which a block is surely one wording in place of another; in longer ones words may have moved."""
_LIGATURE = "(?:ff[il]?|f[il]|ft|st)?"
_LIGATURE_RUN = re.compile(r"f+[il]?")
_NEGATING = ("un", "non", "dis", "ir", "il", "im", "in", "mis")
_MOVED = 4
"""How many unchanged words may lie between a negation and the place it moved to ("No Obligor shall" / "The Obligors shall not")."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens of the quote and of the source that face each other; `given_at`, `wanted_at`: index of the first in its text."""

    given: tuple[Token, ...]
    wanted: tuple[Token, ...]
    given_at: int
    wanted_at: int

    @property
    def is_tight(self) -> bool:
        return max(len(self.given), len(self.wanted)) <= TIGHT


@dataclass(slots=True)
class Judgement:
    """What a block changes. `doubtful`: guarded words differ in a block so long that they may only have moved."""

    lost: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    is_glyph: bool = False
    is_reworded: bool = False

    def add(self, other: Judgement) -> None:
        self.lost += other.lost
        self.altered += other.altered
        self.doubtful += other.doubtful
        self.is_glyph |= other.is_glyph
        self.is_reworded |= other.is_reworded


@dataclass(frozen=True, slots=True)
class Sides:
    """Both texts whole, for looking around a block. `shown`: the part of the source that the quote is held against; `around`: with what
    stands before and behind it (a name that a rewording takes from the sentence before is not invented)."""

    given: Sequence[Token]
    wanted: Sequence[Token]
    shown: Sequence[Token]
    around: Sequence[Token]
    quote: str
    source: str
    common: Container[str]


def judge_block(block: Block, blocks: Sequence[Block], sides: Sides) -> Judgement:
    """What this block changes, seen with its surroundings; `blocks` are all blocks of the comparison."""
    result = Judgement()
    if _is_same_spelling(block, sides, result):
        return result
    before = len(result.lost)
    _compare_numbers(block, sides, result)
    _compare_currencies(block, sides, result)
    _compare_units(block, sides, result)
    _compare_negations(block, blocks, sides, result)
    _compare_modals(block, sides, result)
    _compare_connectives(block, result)
    _compare_names(block, sides, result)
    is_marks_only = not block.given and len(result.lost) - before == len(block.wanted)
    result.is_reworded = not is_marks_only
    return result


def _note(block: Block, result: Judgement, text: str) -> None:
    (result.altered if block.is_tight else result.doubtful).append(text)


# --- spelling ----------------------------------------------------------------------------------------------------------------------------


def _is_same_spelling(block: Block, sides: Sides, result: Judgement) -> bool:
    """Only spaces, hyphens, ligatures or unmapped glyphs differ."""
    if not block.given or not block.wanted:
        return False
    left, right = "".join(t.folded for t in block.given), "".join(t.folded for t in block.wanted)
    has_figures = any(t.kind == "number" and not t.folded.isalpha() for t in block.given + block.wanted)
    if left == right or has_figures:
        return left == right and (not has_figures or _same_numbers(block))
    raw_quote = sides.quote[block.given[0].start : block.given[-1].end]
    raw_source = sides.source[block.wanted[0].start : block.wanted[-1].end]
    if HAS_WILDCARD.search(raw_source) and re.fullmatch(_wild(raw_source, ".{0,3}"), left):
        result.is_glyph = True
        return True
    if HAS_WILDCARD.search(raw_quote):
        if re.fullmatch(_wild(raw_quote, _LIGATURE), right):
            return True
        if re.fullmatch(_wild(raw_quote, ".{0,3}"), right):
            result.is_glyph = True
            return True
    has_ligature = "f" in left and "f" in right and len(left) != len(right)
    return has_ligature and _LIGATURE_RUN.sub("f", left) == _LIGATURE_RUN.sub("f", right)


def _same_numbers(block: Block) -> bool:
    return [t.meaning for t in block.given if t.kind == "number"] == [t.meaning for t in block.wanted if t.kind == "number"]


def _wild(raw: str, pattern: str) -> str:
    parts = re.split(f"[{WILDCARDS}]", raw)
    return pattern.join(re.escape(fold(part)) for part in parts)


# --- numbers, currencies, units -----------------------------------------------------------------------------------------------------------


def amounts(tokens: Iterable[Token]) -> Counter[str]:
    """Every number of the tokens as one canonical value; number words and scales are composed: three hundred and fifty million."""
    found: Counter[str] = Counter()
    run: list[Token] = []
    for token in [*tokens, None]:
        if token is not None and (token.kind in ("number", "scale") or (run and token.meaning == "AND" and run[-1].kind == "scale")):
            if run and token.kind == "number" and not _extends(run[-1], token):
                found[_compose(run)] += 1
                run = []
            run.append(token)
        elif run:
            found[_compose(run)] += 1
            run = []
    return found


def _extends(left: Token, right: Token) -> bool:
    if left.kind == "scale" or left.meaning == "AND":
        return right.folded.isalpha()
    is_words = left.folded.isalpha() and right.folded.isalpha() and left.meaning.isdigit() and right.meaning.isdigit()
    return is_words and int(left.meaning) >= 20 and int(right.meaning) < 10


def _compose(run: Sequence[Token]) -> str:
    """The value of a run, "" for a scale without a number; what is no plain decimal (ordinals, 4.5.1) stays as it is."""
    if len(run) == 1 and run[0].kind == "number":
        return _plain(run[0].meaning)
    total, current = Decimal(0), Decimal(0)
    for token in run:
        if token.meaning == "AND":
            continue
        if token.kind == "number":
            if not re.fullmatch(r"\d+(?:\.\d+)?", token.meaning):
                return " ".join(t.meaning for t in run)
            current += Decimal(token.meaning)
        elif (scale := Decimal(token.meaning)) == 100:
            current = (current or 1) * scale
        else:
            total, current = total + (current or 1) * scale, Decimal(0)
    return _plain(str(total + current))


def _plain(value: str) -> str:
    if re.fullmatch(r"\d+\.\d+", value):
        return value.rstrip("0").rstrip(".")
    return value.lstrip("0") or "0" if value.isdigit() else value


def _compare_numbers(block: Block, sides: Sides, result: Judgement) -> None:
    given, wanted = amounts(block.given), amounts(block.wanted)
    months = [t.meaning for t in block.given if t.kind == "month"]
    other_months = [t.meaning for t in block.wanted if t.kind == "month"]
    given.update(months)
    wanted.update(other_months)
    has_bare_scale = _is_bare_scale(block.given) or _is_bare_scale(block.wanted)
    if has_bare_scale and given != wanted:
        result.altered.append("a number cut short or extended by a scale word")
        return
    added, missing = given - wanted, wanted - given
    if not added:
        return
    everywhere = amounts(sides.shown)
    everywhere.update(t.meaning for t in sides.shown if t.kind == "month")
    for number in added:
        if _is_same_date(number, sides):
            continue
        if number not in everywhere:
            result.altered.append(f"{number} does not stand at the place" + (f" ({', '.join(missing)} does)" if missing else ""))
        elif missing:
            _note(block, result, f"{number} in place of {', '.join(missing)}")


def _is_same_date(number: str, sides: Sides) -> bool:
    """A day that stands beside the same month in both texts, only on its other side: February 14 / 14 February."""
    return bool(_days_of(number, sides.given) & _days_of(number, sides.shown))


def _days_of(number: str, tokens: Sequence[Token]) -> set[str]:
    """The months beside which a number stands as the only number there."""
    found = set()
    for n, token in enumerate(tokens):
        if token.kind == "number" and _plain(token.meaning) == number:
            found |= {other.meaning for other in (*tokens[max(0, n - 1) : n], *tokens[n + 1 : n + 2]) if other.kind == "month"}
    return found


def _is_bare_scale(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and tokens[0].kind == "scale"


def _compare_currencies(block: Block, sides: Sides, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "currency"}
    wanted = {t.meaning for t in block.wanted if t.kind == "currency"}
    added, missing = given - wanted, wanted - given
    shown = {t.meaning for t in sides.shown if t.kind == "currency"}
    for currency in sorted(added):
        if missing and not _are_compatible(currency, missing):
            result.altered.append(f"{currency} in place of {', '.join(sorted(missing))}")
        elif not missing and currency not in shown and not _are_compatible(currency, shown):
            result.altered.append(f"{currency}, which the source does not have")
    if missing and not added and not any(t.kind == "number" for t in block.wanted):
        result.lost.extend(f"{currency} of the source is left out" for currency in sorted(missing))


def _are_compatible(currency: str, others: Iterable[str]) -> bool:
    """A bare $ and a named dollar."""
    return any((currency == "$" and other in DOLLARS) or (other == "$" and currency in DOLLARS) for other in others)


def _compare_units(block: Block, sides: Sides, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "unit"}
    wanted = {t.meaning for t in block.wanted if t.kind == "unit"}
    added, missing = given - wanted, wanted - given
    if added and missing:
        _note(block, result, f"{', '.join(sorted(added))} in place of {', '.join(sorted(missing))}")
    elif added and _follows_number(block.given, block.given_at, sides.given):
        result.altered.append(f"{', '.join(sorted(added))}, which the source does not have")
    elif missing & {"%", "bps", "‰"} and not any(t.kind == "number" for t in block.wanted):
        result.lost.extend(f"{unit} of the source is left out" for unit in sorted(missing & {"%", "bps", "‰"}))


def _follows_number(tokens: Sequence[Token], at: int, text: Sequence[Token]) -> bool:
    return any(t.kind == "unit" and at + n > 0 and text[at + n - 1].kind in ("number", "scale") for n, t in enumerate(tokens))


# --- negations, limits, modals, connectives -----------------------------------------------------------------------------------------------


def _polarity(tokens: Sequence[Token]) -> Counter[str]:
    return Counter(t.meaning for t in tokens if t.kind in ("negation", "limit"))


def _compare_negations(block: Block, blocks: Sequence[Block], sides: Sides, result: Judgement) -> None:
    given, wanted = _polarity(block.given), _polarity(block.wanted)
    added, missing = given - wanted, wanted - given
    for word in (*added, *missing):
        other = missing if word in added else added
        if word in EXCHANGE_ONLY and not other:
            continue
        if word == "LATEST" and any(t.folded in ("within", "by") for t in (block.wanted if word in added else block.given)):
            continue
        if word == "NOT" and not other and _is_moved(block, blocks, word in added, sides):
            continue
        _note(block, result, f"{word.lower()} {'added' if word in added else 'left out'}")
    if pair := _negated_pair(block):
        _note(block, result, pair)


def _is_moved(block: Block, blocks: Sequence[Block], is_added: bool, sides: Sides) -> bool:
    """The negation that is added here is left out a few words away in the same sentence, or the reverse: it only moved."""
    for other in blocks:
        first, second = (block, other) if block.wanted_at <= other.wanted_at else (other, block)
        between = sides.wanted[first.wanted_at + len(first.wanted) : second.wanted_at]
        if other is block or len(between) > _MOVED or any(t.kind == "connective" for t in between):
            continue
        difference = _polarity(other.given)["NOT"] - _polarity(other.wanted)["NOT"]
        if difference and (difference < 0) == is_added:
            return True
    return False


def _negated_pair(block: Block) -> str:
    """secured / unsecured, lawful / unlawful."""
    for left in block.given:
        for right in block.wanted:
            longer, shorter = sorted((left.folded, right.folded), key=len, reverse=True)
            if len(shorter) >= 5 and any(longer == prefix + shorter for prefix in _NEGATING):
                return f"{left.folded} in place of {right.folded}"
    return ""


def _compare_modals(block: Block, sides: Sides, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "modal"}
    wanted = {t.meaning for t in block.wanted if t.kind == "modal"}
    if len(given) != 1 or len(wanted) != 1 or given == wanted:
        return
    if _is_negated(block.given, block.given_at, sides.given, sides.quote) and _is_negated(
        block.wanted, block.wanted_at, sides.wanted, sides.source
    ):
        return
    _note(block, result, f"{min(given).lower()} in place of {min(wanted).lower()}")


_SUBJECT_NEGATIONS = frozenset({"no", "none", "neither", "nor", "nobody", "nothing", "noone", "never"})


def _is_negated(tokens: Sequence[Token], at: int, text: Sequence[Token], raw: str) -> bool:
    """The modal of the block stands under a negation: "shall not", "no Obligor may" (where obligation and permission are one)."""
    index = next(at + n for n, t in enumerate(tokens) if t.kind == "modal")
    if any(t.meaning == "NOT" and t.folded in ("not", "never", "no", "in no") for t in text[index + 1 : index + 2]):
        return True
    for n in range(index - 1, max(-1, index - 13), -1):
        gap = raw[text[n].end : text[n + 1].start]
        if any(mark in gap for mark in ".;:,") or text[n].kind == "modal" or text[n].meaning == "AND":
            return False
        if text[n].folded in _SUBJECT_NEGATIONS:
            return True
    return False


def _compare_connectives(block: Block, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "connective"}
    wanted = {t.meaning for t in block.wanted if t.kind == "connective"}
    if given and wanted and not (given & wanted):
        _note(block, result, f"{'/'.join(sorted(given)).lower()} in place of {'/'.join(sorted(wanted)).lower()}")


# --- names and parties -------------------------------------------------------------------------------------------------------------------


def _stem(token: Token) -> str:
    if token.kind == "party":
        return token.meaning
    word = token.meaning
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _compare_names(block: Block, sides: Sides, result: Judgement) -> None:
    given = {_stem(t): t for t in block.given if _is_name(t, sides.quote, sides)}
    wanted = {_stem(t) for t in block.wanted if _is_name(t, sides.source, sides)}
    facing = {_stem(t) for t in block.wanted}
    added = [stem for stem in given if stem not in facing]
    missing = sorted(wanted - {_stem(t) for t in block.given})
    if not added:
        return
    everywhere = {_stem(t) for t in sides.around}
    for stem in added:
        if not missing and given[stem].kind == "name" and _is_plain_start(given[stem], sides.quote):
            continue
        if stem not in everywhere:
            result.altered.append(f"{stem} does not stand at the place" + (f" ({', '.join(missing)} does)" if missing else ""))
        elif missing:
            _note(block, result, f"{stem} in place of {', '.join(missing)}")


_SENTENCE_START = re.compile(r"(?:^|[.;:?!•]|\([a-z0-9]{1,4}\))[\s“\"'(\[]*$|^[\s“\"'(\[]*$")


def _is_name(token: Token, raw: str, sides: Sides) -> bool:
    """A party word, or a capitalised word that is not capitalised by its place or by capitals all round."""
    if token.kind == "party":
        return True
    if token.kind != "name":
        return False
    if token.folded not in sides.common:
        return True
    return not _is_plain_start(token, raw) and not _is_shouted(token, raw)


def _is_plain_start(token: Token, raw: str) -> bool:
    return bool(_SENTENCE_START.search(raw[max(0, token.start - 8) : token.start]))


def _is_shouted(token: Token, raw: str) -> bool:
    around = raw[max(0, token.start - 60) : token.end + 60]
    letters = [c for c in around if c.isalpha()]
    return sum(c.isupper() for c in letters) > 0.6 * len(letters)
