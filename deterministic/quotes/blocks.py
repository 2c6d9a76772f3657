"""One block of words that differ between a quote and its source: what kind of words are they, and did the meaning change?

Each kind of word is compared with its own kind, by the tables of the lexicon. Words that no table knows leave it open.
Rules: judging.md section 1.4 ("compared both ways"), real_agreements.md R1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from deterministic.lexicon.calendar import TIME_UNITS
from deterministic.lexicon.folding import WILDCARDS, fold
from deterministic.lexicon.legal_forms import LEGAL_FORMS
from deterministic.lexicon.phrases import FUNCTION_WORDS, LIMITING, NEGATING_PREFIXES, OPPOSITES, are_opposed, say_the_same
from deterministic.quotes.tokens import HAS_WILDCARD, Token

TIGHT = 6
"""Words on either side up to which a block is surely one wording in place of another; in longer ones words may have moved."""
_LIGATURE = "(?:ff[il]?|f[il]|ft|st)?"
_LIGATURE_RUN = re.compile(r"f+[il]?")
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
    """What a block changes."""

    lost: list[str] = field(default_factory=list)
    """Marks of the source that are left out beside what they belong to."""
    altered: list[str] = field(default_factory=list)
    """Figures and names that are not the source's."""
    soft: list[str] = field(default_factory=list)
    """Other guarded words that differ: altered, unless the quote is a retelling."""
    doubtful: list[str] = field(default_factory=list)
    """Guarded words differ in a block so long or so free that they may only have moved."""
    changed: list[str] = field(default_factory=list)
    """Quantifiers, standards and labels of paragraphs that differ."""
    skipped: list[str] = field(default_factory=list)
    """Limiters that are left out with what they limit."""
    left_out: list[str] = field(default_factory=list)
    """Words of the source without any counterpart."""
    unknown: list[str] = field(default_factory=list)
    """Words that no table knows: only a reader can tell what they change."""
    is_glyph: bool = False
    is_reworded: bool = False

    def add(self, other: Judgement) -> None:
        for name in ("lost", "altered", "doubtful", "changed", "skipped", "left_out", "unknown"):
            getattr(self, name).extend(getattr(other, name))
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
    result.is_reworded = True
    if _is_same_form(block, sides):
        return result
    before = len(result.lost)
    for compare in (_compare_numbers, _compare_currencies, _compare_units, _compare_modals, _compare_names, _compare_weights):
        compare(block, sides, result)
    _compare_words(block, sides, result)
    _compare_negations(block, blocks, sides, result)
    _compare_connectives(block, result)
    _compare_opposites(block, result)
    result.is_reworded = bool(block.given) or len(result.lost) - before != len(block.wanted)
    return result


def _note(block: Block, result: Judgement, text: str) -> None:
    (result.soft if block.is_tight else result.doubtful).append(text)


# --- spelling ----------------------------------------------------------------------------------------------------------------------------


def _is_same_spelling(block: Block, sides: Sides, result: Judgement) -> bool:
    """Only spaces, hyphens, ligatures or unmapped glyphs differ."""
    if not block.given or not block.wanted:
        return False
    left, right = "".join(t.folded for t in block.given), "".join(t.folded for t in block.wanted)
    has_figures = any(t.kind == "number" and not t.folded.isalpha() for t in block.given + block.wanted)
    if any(t.kind == "sign" for t in block.given + block.wanted):
        return False
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
    return left not in sides.common and _has_lost_ligature(left, right)


def _has_lost_ligature(short: str, long: str) -> bool:
    """A word of which letters of a ligature were lost: "certicate", "Affliate"."""
    if not len(short) < len(long) or "f" not in long:
        return False
    return bool(re.fullmatch(_LIGATURE_RUN.sub(lambda run: "".join(f"{letter}?" for letter in run[0]), long), short))


_FORM_WORDS = frozenset(word for words in LEGAL_FORMS for word in words)
_BESIDE = 6
"""Words beside a block that can belong to one legal form with it."""


def _is_same_form(block: Block, sides: Sides) -> bool:
    """Spellings of one legal form, with the words beside them: Pte [Ltd] for Private [Limited]."""
    if not any(word in _FORM_WORDS for t in (*block.given, *block.wanted) for word in t.folded.split()):
        return False
    given = _forms(sides.given, block.given_at, len(block.given))
    return bool(given) and bool(given & _forms(sides.wanted, block.wanted_at, len(block.wanted)))


def _forms(tokens: Sequence[Token], at: int, length: int) -> set[str]:
    """The legal forms that a block can be or be a part of."""
    starts, ends = range(max(0, at - _BESIDE), at + 1), range(at + length, at + length + _BESIDE)
    return {form for start in starts for end in ends if (form := _form(tokens[start:end]))}


def _form(tokens: Sequence[Token]) -> str | None:
    words = tuple(word for t in tokens for word in t.folded.split())
    return LEGAL_FORMS.get(words) or LEGAL_FORMS.get(("".join(words),))


def _same_numbers(block: Block) -> bool:
    return [t.meaning for t in block.given if t.kind == "number"] == [t.meaning for t in block.wanted if t.kind == "number"]


def _wild(raw: str, pattern: str) -> str:
    parts = re.split(f"[{WILDCARDS}]", raw)
    return pattern.join(re.escape(fold(part)) for part in parts)


# --- numbers, currencies, units -----------------------------------------------------------------------------------------------------------


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


def _same_quantities(block: Block, sides: Sides) -> set[Token]:
    """Numbers and units of the block that say in another form what the source says there."""
    last = block.given_at + len(block.given) + 4
    given = list(_quantities(sides.given[max(0, block.given_at - 3) : last]))
    wanted = {(kind, value) for _, _, kind, value in _quantities(sides.shown)}
    return {token for number, unit, kind, value in given if (kind, value) in wanted for token in (number, unit)}


def _compare_numbers(block: Block, sides: Sides, result: Judgement) -> None:
    same = _same_quantities(block, sides)
    given = _numbers(t for t in block.given if t not in same)
    given.update(f"month {t.meaning}" for t in block.given if t.kind == "month")
    wanted = _numbers(block.wanted)
    wanted.update(f"month {t.meaning}" for t in block.wanted if t.kind == "month")
    added, missing = given - wanted, wanted - given
    everywhere = _numbers(sides.shown)
    everywhere.update(f"month {t.meaning}" for t in sides.shown if t.kind == "month")
    pronouns = {t.meaning for t in block.given if t.folded == "one"} - {t.meaning for t in block.given if t.folded in ("1", "first")}
    for number in added:
        if _is_same_date(number, sides) or (number in pronouns and not missing):
            continue
        if number not in everywhere:
            result.altered.append(
                _misquoted(_as_written(number, block.given, sides.quote), [_as_written(m, block.wanted, sides.source) for m in missing])
            )
        elif missing:
            _note(block, result, f"{number} in place of {', '.join(missing)}")


def _as_written(number: str, tokens: Sequence[Token], text: str) -> str:
    """A number as its text has it ("09260571", "66 2/3"), for people; its meaning is what was compared."""
    return next((text[t.start : t.end] for t in tokens if t.kind == "number" and t.meaning == number), number)


def _misquoted(given: str, wanted: Sequence[str]) -> str:
    return f"the quote says {given}" + (f", the document {', '.join(wanted)}" if wanted else ", the document does not say it there")


def _is_same_date(number: str, sides: Sides) -> bool:
    """A day that stands beside the same month in both texts, only on its other side: February 14 / 14 February."""
    return bool(_days_of(number, sides.given) & _days_of(number, sides.shown))


def _days_of(number: str, tokens: Sequence[Token]) -> set[str]:
    """The months beside which a number stands as a day."""
    found = set()
    if not number.removesuffix("th").isdigit() or int(number.removesuffix("th")) > 31:
        return set()
    for n, token in enumerate(tokens):
        if token.kind == "number" and token.meaning.removesuffix("th") == number.removesuffix("th"):
            found |= {other.meaning for other in (*tokens[max(0, n - 2) : n], *tokens[n + 1 : n + 3]) if other.kind == "month"}
    return found


def _compare_currencies(block: Block, sides: Sides, result: Judgement) -> None:
    given = {t.meaning for t in block.given if t.kind == "currency"}
    wanted = {t.meaning for t in block.wanted if t.kind == "currency"}
    shown = {t.meaning for t in sides.shown if t.kind == "currency"}
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


def _compare_units(block: Block, sides: Sides, result: Judgement) -> None:
    same = _same_quantities(block, sides)
    given = {t.meaning for t in block.given if t.kind == "unit" and t not in same}
    wanted = {t.meaning for t in block.wanted if t.kind == "unit"}
    added, missing = given - wanted, wanted - given
    if added and missing:
        _note(block, result, f"{', '.join(sorted(added))} in place of {', '.join(sorted(missing))}")
    elif added and _follows_number(block.given, block.given_at, sides.given):
        result.altered.append(f"{', '.join(sorted(added))}, which the source does not have")
    elif missing & _RATES.keys() and not same and not any(t.kind == "number" for t in block.wanted):
        result.lost.extend(f"{unit} of the source is left out" for unit in sorted(missing & _RATES.keys()))


def _follows_number(tokens: Sequence[Token], at: int, text: Sequence[Token]) -> bool:
    return any(t.kind == "unit" and at + n > 0 and text[at + n - 1].kind == "number" for n, t in enumerate(tokens))


# --- negations, limits, modals, connectives, opposites ------------------------------------------------------------------------------------

_SIGNS = {"≥": "MINIMUM", "≤": "MAXIMUM", ">": "MORE", "<": "LESS"}


def _polarity(tokens: Sequence[Token]) -> Counter[str]:
    """Negations and limits; a sign counts as the limit that it stands for."""
    signs = (_SIGNS.get(t.meaning, t.meaning) for t in tokens if t.kind == "sign")
    return Counter([t.meaning for t in tokens if t.kind in ("negation", "limit")]) + Counter(signs)


def _compare_negations(block: Block, blocks: Sequence[Block], sides: Sides, result: Judgement) -> None:
    given, wanted = _polarity(block.given), _polarity(block.wanted)
    added, missing = given - wanted, wanted - given
    signs = {_SIGNS.get(t.meaning, t.meaning): t.meaning for t in block.wanted if t.kind == "sign"}
    for word in (*added, *missing):
        other = missing if word in added else added
        if word in signs and not other:
            result.lost.append(f"{signs[word]} of the source is left out")
            continue
        if word == "-" and "+" not in (*added, *missing):
            continue
        if word == "LATEST" and any(t.folded in ("within", "by") for t in (block.wanted if word in added else block.given)):
            continue
        if {word, *other} >= {"NOT", "FAIL"} or (word == "FAIL" and not block.given and len(block.wanted) > 2):
            continue
        if word == "NOT" and not other and _is_moved(block, blocks, word in added, sides):
            continue
        if word in missing and not other and any(t.kind == "word" and t.folded in result.unknown for t in block.given):
            continue  # perhaps an unknown word says it: "surpass" for "exceed"
        if word in missing and word == "EXCEPT" and not block.given and len(block.wanted) > _SHORT:
            result.skipped.append(word.lower())
            continue
        _note(block, result, f"the quote {'adds' if word in added else 'leaves out'} '{word.lower()}'")
    if pair := _negated_pair(block):
        _note(block, result, pair)


_SHORT = 3
"""Words up to which a limiter that is left out is left out alone, without what it limits."""


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
            if len(shorter) >= 4 and any(longer == prefix + shorter for prefix in NEGATING_PREFIXES):
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


def _compare_opposites(block: Block, result: Judgement) -> None:
    """A word in place of another that turns the meaning: before / after, increase / reduce, interest / principal."""
    given = [t for t in block.given if t.folded in OPPOSITES]
    wanted = [t for t in block.wanted if t.folded in OPPOSITES]
    stay = {t.folded for t in given} & {t.folded for t in wanted}
    for left in given:
        for right in wanted:
            if left.folded not in stay and right.folded not in stay and are_opposed(left.folded, right.folded):
                _note(block, result, f"{left.folded} in place of {right.folded}")
                return


def _compare_weights(block: Block, sides: Sides, result: Judgement) -> None:
    """Quantifiers, standards, and the labels of paragraphs, where they are not left out with all that stands around them."""
    if not block.given and len(block.wanted) > _SHORT:
        return
    for kind in ("quantifier", "standard"):
        given = Counter(t.folded for t in block.given if t.kind == kind)
        wanted = Counter(t.folded for t in block.wanted if t.kind == kind)
        if given != wanted and not (kind == "quantifier" and len(block.wanted) > TIGHT):
            added, missing = [*(given - wanted)], [*(wanted - given)]
            result.changed.append(_exchange(added, missing))
    labels = [t.folded for t in block.given if _is_label(t, sides.quote)], [t.folded for t in block.wanted if _is_label(t, sides.source)]
    if labels[0] != labels[1] and len(block.wanted) <= TIGHT:
        result.changed.append(_exchange(labels[0], labels[1]))


def _exchange(added: Sequence[str], missing: Sequence[str]) -> str:
    if not added:
        return f"{', '.join(missing)} left out"
    return f"{', '.join(added)} in place of {', '.join(missing)}" if missing else f"{', '.join(added)} added"


def _is_label(token: Token, text: str) -> bool:
    """(a), (iv), (2) as the name of a paragraph."""
    return len(token.folded) <= 4 and text[max(0, token.start - 1) : token.start] == "(" and text[token.end : token.end + 1] == ")"


_COMPARED = frozenset({"number", "month", "currency", "unit", "sign", "negation", "limit", "modal", "connective", "quantifier", "standard"})


def _compare_words(block: Block, sides: Sides, result: Judgement) -> None:
    """What no other comparison knows: words that are neither the same, nor function words, nor synonyms."""
    given = [t for t in block.given if t.kind not in _COMPARED and not _is_label(t, sides.quote)]
    wanted = [t for t in block.wanted if t.kind not in _COMPARED and not _is_label(t, sides.source)]
    facing = {_inflected(t) for t in block.wanted}
    for token in given:
        if token.folded in FUNCTION_WORDS and not _turns_direction(token, wanted):
            continue
        if _inflected(token) not in facing and not any(say_the_same(token.folded, other.folded) for other in wanted):
            result.unknown.append(token.folded)
    facing = {_inflected(t) for t in block.given}
    for token in wanted:
        if token.folded in FUNCTION_WORDS or _inflected(token) in facing or any(say_the_same(token.folded, t.folded) for t in given):
            continue
        result.left_out.append(token.folded)
    if not block.given and (limiters := [t.folded for t in block.wanted if t.folded in LIMITING and t.kind != "limit"]):
        result.skipped.extend(limiters)


_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ied|es|ed|ing|s|y)$")


def _inflected(token: Token) -> str:
    """The word without the endings of number and tense."""
    return token.meaning if token.kind == "party" else _ENDINGS.sub("", token.folded)


def _turns_direction(token: Token, wanted: Sequence[Token]) -> bool:
    return token.folded in ("to", "from", "by") and any(t.folded in ("to", "from", "by") and t.folded != token.folded for t in wanted)


# --- names and parties -------------------------------------------------------------------------------------------------------------------


def _compare_names(block: Block, sides: Sides, result: Judgement) -> None:
    given = {_inflected(t): t for t in block.given if _is_name(t, sides.quote, sides)}
    wanted = {_inflected(t) for t in block.wanted if _is_name(t, sides.source, sides)}
    facing = {_inflected(t) for t in block.wanted}
    added = [stem for stem in given if stem not in facing]
    missing = sorted(wanted - {_inflected(t) for t in block.given})
    if not added:
        return
    everywhere = {_inflected(t) for t in sides.around}
    for stem in added:
        if not missing and given[stem].kind == "name" and _is_plain_start(given[stem], sides.quote):
            continue
        if stem not in everywhere:
            result.soft.append(_misquoted(given[stem].folded, missing))
        elif missing:
            _note(block, result, f"{given[stem].folded} in place of {', '.join(missing)}")


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
