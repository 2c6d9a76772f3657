"""Can the text layer of a page be trusted? Pure functions of its text and of how much of it is drawn as images."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from unicodedata import name

from deterministic.documents.pages import PageState
from deterministic.lexicon.tables import lists

FEW_CHARACTERS = 150
"""Letters and digits under which a page is looked at for images."""
SCAN_SHARE = 0.35
"""Share of the page that images must cover for a page with few characters to be a scan."""
BROKEN_SHARE = 0.2
"""Share of control, private-use and replacement characters from which a text layer is garbled."""
FREQUENT_SHARE = 0.3
"""Share of the letters e a i o n r t s under which Latin text is no language (English has 0.63, chance 0.31)."""

_BROKEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff\ue000-\uf8ff\U00010000-\U0001cfff\U000f0000-\U0010ffff]")
"""Control, replacement and private-use characters, and the scripts of antiquity, to which a character map without end counts on."""
_SIGNS = '!#$%*+<=>^`{|}~?;¡-©«-¸¹º»¼½¾¿×÷"'
_GLUED = re.compile(rf"(?<=[^\W\d_])[{_SIGNS}](?=[^\W_])|(?<=[^\W_])[{_SIGNS}](?=[^\W\d_])")
"""A sign inside a word, where a shifted code has its spaces and letters."""
GLUED_SHARE, GLUED_WORDS = 0.25, 5
"""Share of a page's characters in such words from which it is no language (prose has 0.03 at most, mathematics 0.1), and how many
different ones."""
_LED = re.compile(r"(?<!\S)[!$%&*+,;=>?@](?=[A-Za-z]{2})")
"""A sign that opens a word, where the capitals have the code of signs ("!GENT AND THE ,ENDER")."""
LED_SHARE, LED_SIGNS = 0.03, 3
"""Share of words that begin so from which capitals are lost, and how many different signs do it."""
LANGUAGE_SHARE = 0.1
"""Share of words that must be among the commonest of a language for a text to be of it (contracts have 0.2 to 0.5)."""
_LATIN_TOKEN = re.compile(r"[^\s]*[A-Za-z][^\s]*")
_PLAIN_WORD = re.compile(r"^[^\w]*([A-Za-zÀ-ɏ’'-]+)[^\w]*$")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
_FREQUENT = "eaionrtsEAIONRTS"
_COMMON_OF = dict(lists("common_words"))
_COMMON = frozenset(word for words in _COMMON_OF.values() for word in words)
_OBVIOUS = (" the ", " of ", " and ", " der ", " die ", " und ", " de ", " la ", " et ", " que ")
_SCRIPTS = (
    re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"),  # cjk
    re.compile("[\u1100-\u11ff\uac00-\ud7af]"),  # hangul
    re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"),  # arabic
    re.compile("[\u0e00-\u0eff]"),  # thai
    re.compile("[\u0400-\u052f]"),  # cyrillic
    re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),  # greek
    re.compile("[\u0590-\u05ff]"),  # hebrew
    re.compile("[\u0900-\u0dff]"),  # indic
    re.compile("[\u00c0-\u024f\u1e00-\u1eff]"),  # latin
)


def has_few_characters(text: str, few: int) -> bool:
    """Fewer letters and digits than that; of a long text only its beginning is looked at."""
    return next(islice(filter(str.isalnum, text), few - 1, None), None) is None


def page_state(body: str, image_share: float, has_ink: bool, *, is_damaged: bool = False) -> PageState:
    """State of a page from its text without running lines, the share (0-1) that images cover, and whether anything but rules is drawn. The
    two last are only looked at for a page with few characters; callers may pass 0.0 and True for others. `is_damaged`: the file was
    rebuilt, so that a blank page may have lost its text."""
    if image_share >= SCAN_SHARE and has_few_characters(body, FEW_CHARACTERS):
        return "scan"
    if has_few_characters(body, 1) and not _BROKEN.search(body):
        return "empty" if has_ink or is_damaged else "text"
    return "garbled" if is_garbled(body) else "text"


def is_garbled(text: str) -> bool:
    """The characters are not those that a reader sees: glyphs without Unicode, a shifted encoding, scripts at random."""
    if len(list(islice((word for word in _OBVIOUS if word in text), 2))) == 2 and not _BROKEN.search(text):
        return False
    visible = len(text) - text.count(" ") - text.count("\n") - text.count("\xa0")
    if visible >= 8 and len(_BROKEN.findall(text)) > BROKEN_SHARE * visible:
        return True
    if len(text.encode("utf-8", "replace")) - len(text) > 0.3 * visible:
        foreign = [len(pattern.findall(text)) for pattern in _SCRIPTS]
        if (total := sum(foreign)) > 0.3 * visible and total >= 40:
            return sum(count > 0.05 * total for count in foreign) >= 4
    words = _words(text)
    return _has_signs_for_letters(text, visible) or _is_shifted(text, words) or _is_rotated(words)


def _has_signs_for_letters(text: str, visible: int) -> bool:
    tokens = text.split()
    glued = [token for token in tokens if _GLUED.search(token)]
    led = _LED.findall(text)
    is_led = len(set(led)) >= LED_SIGNS and len(led) > LED_SHARE * len(tokens)
    return is_led or (len(set(glued)) >= GLUED_WORDS and sum(map(len, glued)) > GLUED_SHARE * visible)


def has_common_words(text: str) -> bool:
    """Enough tokens, and as many common words among them as running text of a European language has."""
    count = len(_LATIN_TOKEN.findall(text))
    return count >= 20 and count_common_words(text) >= 0.05 * count and not is_garbled(text)


def language_of(text: str) -> str:
    """The language of running text by its commonest words, the script where that is not the Latin one; "" for no letters, "other" where
    hardly any such word stands in it."""
    scripts = Counter[str]()
    for sign, count in Counter(text).items():
        if sign.isalpha():
            scripts[name(sign, "").partition(" ")[0]] += count
    if not scripts or (script := max(scripts, key=lambda one: scripts[one])) != "LATIN":
        return script.lower() if scripts else ""
    words = Counter(_words(text))
    found = {language: sum(words[word] for word in common) for language, common in _COMMON_OF.items()}
    first = max(found, key=lambda one: found[one])
    return first if found[first] >= LANGUAGE_SHARE * words.total() else "other"


def count_common_words(text: str, shortest: int = 1) -> int:
    """How many words of a text, of so many letters or more, are among the commonest of their language."""
    return sum(word in _COMMON for word in _words(text) if len(word) >= shortest)


def _words(text: str) -> list[str]:
    return [match[1].casefold() for token in _LATIN_TOKEN.findall(text) if (match := _PLAIN_WORD.match(token))]


def _is_shifted(text: str, words: Sequence[str]) -> bool:
    """Latin letters of another code ("7KH GDQFHUV"): hardly a common word, and few of the letters that every language uses most."""
    letters = len(_LATIN_LETTER.findall(text))
    is_odd = letters >= 100 and sum(map(text.count, _FREQUENT)) < FREQUENT_SHARE * letters
    return is_odd and sum(word in _COMMON for word in words) < 0.03 * max(len(words), 1)


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_KINDS = 5  # different common words that a step back must give


def _is_rotated(all_words: Sequence[str]) -> bool:
    """Letters that are all off by the same step: hardly a common word, and the common words of a language with the step taken back."""
    words = [word for word in all_words if len(word) > 2]
    if len(words) < 2 * _KINDS or sum(word in _COMMON for word in words) >= 0.01 * len(words):
        return False
    joined = " ".join(words)
    for step in range(1, 26):
        table = str.maketrans(_LETTERS, _LETTERS[step:] + _LETTERS[:step])
        found = [word for word in joined.translate(table).split() if word in _COMMON]
        if len(set(found)) >= _KINDS and len(found) >= 0.1 * len(words):
            return True
    return False
