"""When two names, labels, cases or texts are the same one, however they are written.
Folded alike: letter case, full-width forms, look-alike letters of other scripts, spaces. Kept: signs and comparators, which turn a text
into another one ("<= 2.5:1" is not ">= 2.5:1"), and the decimal point."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from calibration.words import table

_LATIN = "aaaaccceeeeghhiiijkkmmnooopppssttuvvwxxyyybzi"
_OTHER = "аαɑａсϲⅽеεҽｅɡһніιɩјкκмμпоοօрρｐѕꜱтτυνѵԝхχуγүвᴢı"
_LOOKS = str.maketrans(_OTHER, _LATIN) | str.maketrans("−–—‐‑∕⁄", "-----//")
# Default_Ignorable_Code_Point (Unicode's DerivedCoreProperties) outside the category Cf, and the characters whose glyph is blank.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U00016fe4\U0001d159"
    "\U000e0000-\U000e0fff]"
)
_COMPARATORS = (("<=", "≤"), (">=", "≥"), ("=<", "≤"), ("=>", "≥"), ("!=", "≠"))
_KEPT = frozenset("<>≤≥≠=+%‰$€£¥~±/*^[]☐☑☒")
_WORDS = re.compile(r"[^\W\d_]+|\d+")


def is_unseen(character: str) -> bool:
    """Whether nobody sees it: a format character, one that Unicode lets be ignored, or one whose glyph is blank; white space is none."""
    return unicodedata.category(character) == "Cf" or _BLANK.match(character) is not None


class _Folded(dict[int, int | str | None]):
    """What stands for a character in a folded text, found when it is first met."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = None if is_unseen(chr(code)) else code
        return self[code]


_FOLDED = _Folded(_LOOKS)


def fold(text: str) -> str:
    """Without case, forms, look-alikes and what nobody sees; spaces as one."""
    lower = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i")  # of a Turkish capital I with its dot
    return " ".join(unicodedata.normalize("NFKC", lower.translate(_FOLDED)).split())


def is_name(text: str) -> bool:
    """Whether a person can be called so, or it can be a reason: a letter or digit is seen in it."""
    return any(map(str.isalnum, fold(text)))


@lru_cache(maxsize=1 << 14)
def fold_name(name: str) -> str:
    """A person, a case or a model: its words and numbers in order ("Deal-01", "DEAL 1" and "deal1" are one)."""
    parts = _WORDS.findall(fold(name))
    return " ".join(_without_zeros(part) if part.isdecimal() else part for part in parts) or fold(name)


def each_once(names: Iterable[str]) -> list[str]:
    """People as they are listed: each once, as written first."""
    first: dict[str, str] = {}
    for name in filter(None, map(str.strip, names)):
        first.setdefault(fold_name(name), name)
    return list(first.values())


@lru_cache(maxsize=1 << 12)
def can_be_one(one: str, other: str) -> bool:
    """Whether two names may be one person's: the same words in another order, with initials, as the local part of an address, or with words
    that the other leaves away ("Ann Lee"; "Lee, A."; "alee@bank.com"; "Ann"). Numbers tell people apart ("person 1", "person 2")."""
    shorter, longer = sorted((_words_of_person(one), _words_of_person(other)), key=len)
    numbers = [[word for word in words if word.isdecimal()] for words in (shorter, longer)]
    if not shorter or numbers[0] != numbers[1]:
        return False
    first, last = longer[0], longer[-1]
    glued = {first[0] + last, first + last, first + last[0], last + first, last + first[0]} if len(longer) > 1 else {first}
    if len(shorter) == 1 and len(shorter[0]) > 3 and shorter[0] in glued:
        return True
    left = list(longer)
    for word in sorted(shorter, key=len, reverse=True):
        initials = (part for part in left if 1 in (len(part), len(word)) and part[0] == word[0])
        if (same := word if word in left else next(initials, None)) is None:
            return False
        left.remove(same)
    return any(len(word) > 2 for word in {*shorter} & {*longer})


@lru_cache(maxsize=1 << 12)
def _words_of_person(name: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", name.rpartition("@")[0] or name)
    return tuple(fold_name("".join(sign for sign in plain if not unicodedata.combining(sign))).split())


_FILES = frozenset("py sh ipynb csv json jsonl xlsx".split())
_MACHINES = _FILES | frozenset(
    """ai auto automatic automated autolabel autolabeler autolabeller autograder bot llm machine model judge grader scorer evaluator
    assistant copilot system pipeline script program algorithm classifier
    synthetic generated import imported anonymous unknown nobody none na test tbd""".split()
)
_BESIDE = frozenset("the a an my v version label labels labeler labeller annotator reviewer gold silver run agent user instant pro".split())
_PEOPLES = frozenset("claude gemma nova sonnet palm".split())  # models that are called as people are
_JOINTS = frozenset("by via from with of reviewed checked".split())


def is_machine_name(name: str) -> bool:
    """Whether a person's name is a machine's, a file's or nobody's: of a model's family, or of words for machines and nothing but words
    beside them ("AI judge 2", "Claude", "labels.py", "n/a"; not "Mike Judge", "Claude Moreau")."""
    if fold(name).rpartition(".")[2] in _FILES or "".join(fold_name(name).split()) in _MACHINES:
        return True
    families = frozenset().union(*FAMILIES.values())
    for words in ({word for word in run if not word.isdecimal()} for run in _runs(name)):
        if {"llm", "bot"} & words or ((_MACHINES | families) & words and words <= _MACHINES | families | _BESIDE):
            return True
    return bool(model_family(name)) and _PEOPLES.isdisjoint(fold_name(name).split())


def _runs(name: str) -> list[list[str]]:
    """The words of a name, parted where one joins two ("gpt-4o, reviewed by A. Smith")."""
    parts = groupby(fold_name(name).split(), _JOINTS.__contains__)
    return [list(run) for is_joint, run in parts if not is_joint]


def fold_label(label: str) -> str:
    """A label: "00" and "0" are one, "+1" and "1" too."""
    folded = fold(label)
    return _without_zeros(folded) if re.fullmatch(r"[+-]?\d+", folded) else folded


def _without_zeros(number: str) -> str:
    return str(int(number)) if len(number) < 1000 else number  # Python turns no number of thousands of digits into text


def fold_text(text: str) -> str:
    """A judged text: letters, digits, signs, and points and dashes that belong to a number."""
    folded = fold(text)
    for written, sign in _COMPARATORS:
        folded = folded.replace(written, sign)
    kept = []
    for place, sign in enumerate(folded):
        before, after = folded[place - 1 : place], folded[place + 1 : place + 2]
        is_in_number = sign in ".,:" and before.isdigit() and after.isdigit()
        is_minus = sign == "-" and after.isdigit() and not before.isalnum()
        if sign.isalnum() or sign in _KEPT or is_in_number or is_minus:
            kept.append(sign)
    return "".join(kept)


def is_called_so(name: str, other: str) -> bool:
    """Whether two names have the same letters, whatever stands between them and in which version ("Acme Extract", "acmeextract-2")."""
    one, two = ("".join(word for word in fold_name(text).split() if word.isalpha() and word != "v") for text in (name, other))
    return one == two != ""


def is_model_name(name: str, models: Sequence[str]) -> bool:
    """Whether a person's name is that of a model, whole or without its maker, version or date ("gpt-4o" of "openai/gpt-4o-2024-08-06"), or
    holds it beside a person's ("gpt-4o, reviewed by A. Smith")."""
    whole, known = f" {fold_name(name)} ", [f" {fold_name(model)} " for model in models]
    runs = [f" {' '.join(run)} " for run in _runs(name)]
    is_held = any(run in model for run in runs for model in known) or any(is_called_so(name, model) for model in models)
    return is_held or any(whole.startswith(model) for model in known if model.count(" ") > 2)


FAMILIES: Mapping[str, frozenset[str]] = {name: frozenset(words) for name, words in table("calibration", "words.toml")["families"].items()}


def model_family(model: str) -> str:
    """The family of a model or system by the words of its name, "" where it is not known."""
    words = set(_WORDS.findall(fold(model))) | set(re.split(r"[-/ _.:]", fold(model)))
    return next((family for family, names in FAMILIES.items() if words & names), "")


def family_note(judges: Iterable[str], system: str) -> str:
    """What a reader must know where judge and judged system are of one family: models rate text like their own higher (Panickssery, Bowman
    and Feng, NeurIPS 37, 2024); "" where they are not, or nobody said what is judged."""
    own = model_family(system)
    if not (same := sorted(name for name in judges if own and model_family(name) == own)):
        return ""
    return f"judge ({', '.join(same)}) and judged system ({system}) are of one model family, {own}: such a judge can favour what it judges"
