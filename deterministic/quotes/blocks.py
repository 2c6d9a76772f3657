"""One block of words that differ between a quote and its source: what kind of words are they, and did the meaning change?

Each kind of word is compared with its own kind, by the tables of the lexicon. Words that no table knows leave it open.
Rules: judging.md section 1.4 ("compared both ways"), real_agreements.md R1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from deterministic.lexicon.phrases import FUNCTION_WORDS, LIMITING, SYNONYMS
from deterministic.quotes.block import TIGHT, Block, Judgement, Texts, inflected, is_label, note
from deterministic.quotes.measures import compare_currencies, compare_numbers, compare_units
from deterministic.quotes.polarity import SHORT, compare_connectives, compare_modals, compare_negations, compare_opposites
from deterministic.quotes.spellings import is_same_form, is_same_spelling
from deterministic.quotes.tokens import Token


def judge_block(block: Block, blocks: Sequence[Block], texts: Texts) -> Judgement:
    """What this block changes, seen with its surroundings; `blocks` are all blocks of the comparison."""
    result = Judgement()
    if is_same_spelling(block, texts, result):
        return result
    result.is_reworded = True
    if is_same_form(block, texts):
        return result
    before = len(result.lost)
    for compare in (compare_numbers, compare_currencies, compare_units, compare_modals, _compare_names, _compare_weights):
        compare(block, texts, result)
    _compare_words(block, texts, result)
    compare_negations(block, blocks, texts, result)
    compare_connectives(block, result)
    compare_opposites(block, result)
    result.is_reworded = bool(block.given) or len(result.lost) - before != len(block.wanted)
    return result


def _compare_weights(block: Block, texts: Texts, result: Judgement) -> None:
    """Quantifiers, standards, and the labels of paragraphs, where they are not left out with all that stands around them."""
    if not block.given and len(block.wanted) > SHORT:
        return
    for kind in ("quantifier", "standard"):
        given = Counter(t.folded for t in block.given if t.kind == kind)
        wanted = Counter(t.folded for t in block.wanted if t.kind == kind)
        if given != wanted and not (kind == "quantifier" and len(block.wanted) > TIGHT):
            added, missing = [*(given - wanted)], [*(wanted - given)]
            result.changed.append(_exchange(added, missing))
    labels = [t.folded for t in block.given if is_label(t, texts.quote)], [t.folded for t in block.wanted if is_label(t, texts.source)]
    if labels[0] != labels[1] and len(block.wanted) <= TIGHT:
        result.changed.append(_exchange(labels[0], labels[1]))


def _exchange(added: Sequence[str], missing: Sequence[str]) -> str:
    if not added:
        return f"{', '.join(missing)} left out"
    return f"{', '.join(added)} in place of {', '.join(missing)}" if missing else f"{', '.join(added)} added"


_COMPARED = frozenset({"number", "month", "currency", "unit", "sign", "negation", "limit", "modal", "connective", "quantifier", "standard"})


def _compare_words(block: Block, texts: Texts, result: Judgement) -> None:
    """What no other comparison knows: words that are neither the same, nor function words, nor synonyms."""
    given = [t for t in block.given if t.kind not in _COMPARED and not is_label(t, texts.quote)]
    wanted = [t for t in block.wanted if t.kind not in _COMPARED and not is_label(t, texts.source)]
    facing, are_said = {inflected(t) for t in block.wanted}, _sayings(wanted)
    for token in given:
        if token.folded in FUNCTION_WORDS and not _turns_direction(token, wanted):
            continue
        if inflected(token) not in facing and not are_said(token.folded):
            result.unknown.append(token.folded)
    facing, are_said = {inflected(t) for t in block.given}, _sayings(given)
    for token in wanted:
        if token.folded in FUNCTION_WORDS or inflected(token) in facing or are_said(token.folded):
            continue
        result.left_out.append(token.folded)
    if not block.given and (limiters := [t.folded for t in block.wanted if t.folded in LIMITING and t.kind != "limit"]):
        result.skipped.extend(limiters)


def _sayings(tokens: Sequence[Token]) -> Callable[[str], bool]:
    """Whether a folded word, or one that says the same, is among the tokens."""
    words = {token.folded for token in tokens}
    rows = frozenset[int]().union(*(SYNONYMS.get(word, ()) for word in words))
    return lambda word: word in words or not rows.isdisjoint(SYNONYMS.get(word, ()))


def _turns_direction(token: Token, wanted: Sequence[Token]) -> bool:
    return token.folded in ("to", "from", "by") and any(t.folded in ("to", "from", "by") and t.folded != token.folded for t in wanted)


def _compare_names(block: Block, texts: Texts, result: Judgement) -> None:
    given = {inflected(t): t for t in block.given if _is_name(t, texts.quote, texts)}
    wanted = {inflected(t) for t in block.wanted if _is_name(t, texts.source, texts)}
    facing = {inflected(t) for t in block.wanted}
    added = [stem for stem in given if stem not in facing]
    missing = sorted(wanted - {inflected(t) for t in block.given})
    if not added:
        return
    everywhere = {inflected(t) for t in texts.around}
    for stem in added:
        if not missing and given[stem].kind == "name" and _is_plain_start(given[stem], texts.quote):
            continue
        if stem not in everywhere:
            result.soft.append(f"{given[stem].folded} does not stand at the place" + (f" ({', '.join(missing)} does)" if missing else ""))
        elif missing:
            note(block, result, f"{given[stem].folded} in place of {', '.join(missing)}")


_SENTENCE_START = re.compile(r"(?:^|[.;:?!•]|\([a-z0-9]{1,4}\))[\s“\"'(\[]*$|^[\s“\"'(\[]*$")


def _is_name(token: Token, raw: str, texts: Texts) -> bool:
    """A party word, or a capitalised word that is not capitalised by its place or by capitals all round."""
    if token.kind == "party":
        return True
    if token.kind != "name":
        return False
    if token.folded not in texts.common:
        return True
    return not _is_plain_start(token, raw) and not _is_shouted(token, raw)


def _is_plain_start(token: Token, raw: str) -> bool:
    return bool(_SENTENCE_START.search(raw[max(0, token.start - 8) : token.start]))


def _is_shouted(token: Token, raw: str) -> bool:
    around = raw[max(0, token.start - 60) : token.end + 60]
    letters = [c for c in around if c.isalpha()]
    return sum(c.isupper() for c in letters) > 0.6 * len(letters)
