"""The words that turn a meaning stand once, in the lexicon: no reader has a list of its own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deterministic.lexicon.guarded import GUARDED, carriers, pattern, words_of
from deterministic.lexicon.stems import content_words, singular, stem
from tests.source import ROOT, modules, tree
from tests.tables import entries

GUARDS = words_of("negation", "exception") | frozenset("least most less fewer exceed exceeding maximum minimum until unless".split())
MANY = 3
"""Guarded words from which a list is a vocabulary and no single case."""
STEMMERS = re.compile(r"def _?(?:stems?|singular|content_words|inflected)\b|_ENDINGS =|(?:removesuffix|rstrip)\([\"']s[\"']\)")
LEFT: dict[str, str] = entries("one_vocabulary", "left")
"""Module -> why it still has words of its own; every line of it is a debt."""


def lists(module: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, words) of every set, tuple, list or mapping of texts, every table that is split, and every pattern with alternatives."""
    for node in ast.walk(module):
        if isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            yield node.lineno, " ".join(text for text in texts if len(text.split()) < 4)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "compile"):
            inner = node.func.value if node.func.attr == "split" else (node.args or [node])[0]
            texts = [c.value for c in ast.walk(inner) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            yield node.lineno, " ".join(texts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count("|") > 2 and ". " not in node.value:
            yield node.lineno, node.value


def own_words(path: Path) -> list[str]:
    source = path.read_text(encoding="utf-8")
    found = []
    for line, text in lists(tree(path)):
        words = {word for word in re.split(r"[^a-z]+", re.sub(r"\\[a-zA-Z]", " ", text).casefold()) if word in GUARDS}
        if len(words) >= MANY:
            found.append(f"{path.relative_to(ROOT)}:{line}: {', '.join(sorted(words))}")
    found += [f"{path.relative_to(ROOT)}:{source[: match.start()].count(chr(10)) + 1}: {match[0]}" for match in STEMMERS.finditer(source)]
    return found


@pytest.mark.parametrize("path", [path for path in modules() if "lexicon" not in path.parts], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_has_guarded_words_or_a_stemmer_of_its_own(path: Path) -> None:
    if str(path.relative_to(ROOT)) not in LEFT:
        assert own_words(path) == []


def test_no_neutral_word_is_guarded() -> None:
    assert "rate" in carriers("the a of rate", own="per annum")
    for word in ("not", "to", "until", "least", "lender", "million", "percent", "if", "unless", "approximately"):
        with pytest.raises(ValueError, match="guarded"):
            carriers(f"the {word}")


def test_patterns_take_the_longest_phrase() -> None:
    assert re.findall(pattern("limit"), "not less than five, and no more than ten", re.IGNORECASE) == ["not less than", "no more than"]
    assert not re.search(pattern("negation"), "another notice", re.IGNORECASE)


def test_every_class_has_words() -> None:
    assert [name for name, words in GUARDED.items() if not words] == ["sign", "box"]


def test_stems() -> None:
    assert stem("payments") == stem("payment") == stem("pays") and stem("overadvances") == stem("overadvance")
    assert singular("facilities") == "facility" and singular("interest") == "interest" and singular("loss") == "loss"
    assert content_words("No Obligor shall pay 2.50 to the Agents") == content_words("the Agent paying an obligor 2.50")
