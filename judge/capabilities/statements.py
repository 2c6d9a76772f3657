"""Whether a text says what its sources say, in their own words: every statement of it stands in one sentence of a source with the same
figures, parties, directions and limits in one order, and that sentence has no denial or condition that the statement lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from deterministic.lexicon.phrases import FINITE_VERBS, FUNCTION_WORDS, OPPOSITES
from deterministic.quotes.retelling import stem
from deterministic.quotes.tokens import Token, tokenize
from judge.capabilities.figures import Figure, relation, share_of, values_in
from judge.capabilities.wording import fold_text

_SPELLINGS = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (r"\((?:[ivx]{1,5}|[a-z]|\d)\)(?=\s)", " "),
        (r"\b(?:equal\s+to\s+or\s+(?:greater|more)\s+than|(?:greater|more)\s+than\s+or\s+equal\s+to)\b", "at least"),
        (r"\b(?:equal\s+to\s+or\s+less\s+than|less\s+than\s+or\s+equal\s+to)\b", "at most"),
        (r"\bin\s+writing\b", "written"),
        (r"\bbut\s+(?=not\b)", " "),
        (r"\b(?:counted|running|calculated|reckoned)\s+from\b", "after"),
        (r"\bbeforehand\b", "prior"),
        (r"\bmay\s+not\b", "shall not"),
        (r"\bunless\b", "if not"),
        (r"(?<=\d)\s+over\s+", " in excess of "),
        (r"\bno\s+((?:[\w’']+\s+){1,3}?)(?:is|are|be)\s+(?:required|needed|necessary)\b", r"without \1"),
        (r"\b((?:consent|approval)\b(?:\s+of\s+[\w\s]{1,40}?)?)\s+(?:is|are)\s+(?:required|needed|necessary)\b", r"without \1"),
        (r"\b(?:beginning|commencing|starting)\s+(?:on|from|with)\b|\b(?:beginning|commencing|starting|from)\s+(?=\d)", "on "),
        (r"\b(8\d{6})\s+(?:from|of|following)\b", r"\1 after"),
        (r"(?<=[\w%])\s*\+\s*(?=[\w$£€])", " plus "),
    )
)
"""What loan agreements and their readers say in two ways."""
_SENTENCE = re.compile(r"[;•]|(?<!\w\.\w)\.(?=\s|$)|:(?=\s)|\bprovided\b(?:\s*,?\s*however\s*,?)?(?:\s+that\b)?|…|\.{3}", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"[,:;\n•–—]|(?<!\w\.\w)\.(?=\s|$)|\s*[()\[\]]\s*|(?=\b(?:for|in\s+the\s+case\s+of|in\s+respect\s+of|if|unless|except|provided|subject\s+to)\b)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[;\n•]+|(?<!\w\.\w)\.(?=\s|$)|:(?=\s)|,(?=\s*(?:and|but)\b)", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\W*(?:as|because|since|if|when|where|for|provided|unless|except|which|who|subject)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:shall|will|must|may|can|is|are|was|were|has|have|does|do|means?|requires?)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|so\s+long\s+as|as\s+long\s+as|to\s+the\s+extent|subject\s+to|in\s+case|provided)\b", re.IGNORECASE)
_OCCASION = re.compile(r"\b(?:upon|when|where|once|after|following)\b", re.IGNORECASE)
_CARRIERS = FUNCTION_WORDS | frozenset(
    """yes no if but when where upon counted given made say says equal equals means basis namely thereafter thereof how what which whose
    currently give gives from to""".split()
)
_ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|how|why|many|much|long|often|soon|far|ask\w*|need\w*|allow\w*|permit\w*|requir\w*|appl(?:y|ies|icable)"
    r"|periods?|stat(?:e|es|ed)|names?|comput\w*|calculat\w*|us(?:e|ed)|say|happens?|agreement|documents?|there|every|latest|earliest)\b",
    re.IGNORECASE,
)
_TELLING = 3  # marks of an answer that another provision does not have by chance where it is about half of the question too
_LONGEST_TEXT, _LONGEST_SOURCE = 1_500, 4_000
_FIRST_PERIOD, _FIRST_FIGURE = 8_000_000, 9_000_000
_REACH, _DENIED = 8, 3  # words behind a denial in which what it denies is looked for, and marks of them that it can deny
_JOINTS = (("joint", "AND"), ("joint", "OR"))
_MEASURED = frozenset(("word", stem(word)) for word in ("tested", "measured"))
_LOANS = frozenset(f"{row}:{column}" for row, _ in OPPOSITES["interest"] for column in (0, 1))
_ARTICLES = frozenset(("the", "a", "an", "such", "each"))
_YES_OR_NO = re.compile(r"^\W*(?P<word>yes|no)\b(?=\s*[.,;:–—-]|\s*$)", re.IGNORECASE)
_PAY = frozenset("pay pays paid paying payment payments repay repays repaid repaying repayment".split())
_DIRECTIONS = frozenset(
    row
    for word in ("before", "above", "or more", "more", "earlier", "increase", "higher", "include", "plus", "interest")
    for row, _ in OPPOSITES[word]
)
_BOUNDS = frozenset(("MINIMUM", "MAXIMUM", "MORE", "LESS", "LATEST", "EARLIEST"))


@dataclass(frozen=True, slots=True)
class _Said:
    """What a text says: its marks in order, (kind, meaning) each, and how often it denies, excepts and conditions."""

    marks: tuple[tuple[str, str], ...]
    guards: Counter[str]
    conditions: tuple[int, int]
    denied: tuple[tuple[tuple[str, str], ...], ...] = ()
    """For each denial the marks that follow it, the nearest ones only."""

    @property
    def content(self) -> frozenset[tuple[str, str]]:
        return frozenset(mark for mark in self.marks if mark[0] not in ("limit", "verb"))


@lru_cache(maxsize=512)
def retells(text: str, sources: tuple[str, ...], question: str) -> bool:
    """Whether a text says nothing but what the sources say; each source is one verbatim text. Words of the question are no surprise."""
    if len(text) > _LONGEST_TEXT:
        return False
    text, question, *given = _with_equal_figures((text, question, *(source for source in sources if len(source) <= _LONGEST_SOURCE)))
    if names_another(text, (question, *given)):
        return False
    asked = _said(question)
    sentences = [part for source in given for part in (*_SENTENCE.split(source), source) if part.strip()]
    statements = [one for one in _statements(text) if _said(one).marks]
    if any(_holds(sentence, text, asked) for sentence in sentences):
        return bool(statements)
    return bool(statements) and all(any(_holds(sentence, one, asked) for sentence in sentences) for one in statements)


@lru_cache(maxsize=512)
def held_together(text: str, sources: tuple[str, ...], question: str) -> frozenset[int]:
    """Which sources hold a phrase of a text; none unless they hold all of them together."""
    if len(text) > _LONGEST_TEXT:
        return frozenset()
    text, question, *given = _with_equal_figures((text, question, *(source[:_LONGEST_SOURCE] for source in sources)))
    asked, said = _said(question), _said(text)
    free = {mark for mark in asked.content if mark[0] == "word"}
    skippable = {mark for mark in (*asked.marks, *said.marks) if mark[0] in ("number", "party")}
    sentences = [(n, _said(part)) for n, one in enumerate(given) for part in _SENTENCE.split(one) if part.strip()]
    used: dict[int, _Said] = {}
    holders: set[int] = set()
    for phrase in _FRAGMENT.split(text):
        marks = [mark for mark in _said(phrase).marks if mark not in free]
        found = [n for n, (_, sentence) in enumerate(sentences) if marks and _place(sentence.marks, marks, skippable)]
        if marks and not found:
            return frozenset()
        used.update((n, sentences[n][1]) for n in found[:1])
        holders |= {sentences[n][0] for n in found}
    guards = sum((sentence.guards for sentence in used.values()), Counter[str]())
    return frozenset(holders) if guards in (said.guards, said.guards + asked.guards) else frozenset()


def _statements(text: str) -> list[str]:
    """A text's statements, each with a verb of its own; what has none belongs to the one before it."""
    found: list[str] = []
    at = 0
    for end in (*(match.end() for match in _NEXT.finditer(text)), len(text)):
        part, at = text[at:end], end
        is_own = _VERB.search(part) is not None and not _SUBORDINATE.match(part)
        if found and not is_own:
            found[-1] += "\n" + part
        else:
            found.append(part)
    return found


def covers(text: str, gold: str, question: str) -> bool:
    """Whether a text has every informative word, figure, denial and exception of another that the question does not have, and its figures
    first."""
    text, gold, question = _with_equal_figures((text, gold, question))
    answers = [found["word"].casefold() if (found := _YES_OR_NO.match(one)) else "" for one in (text, gold)]
    if answers[1] and (answers[0] != answers[1] or not _YES_OR_NO.sub("", gold).strip(" .")):
        return answers[0] == answers[1]
    mine, true, asked = _said(text), _said(gold), _said(question)
    wanted = [
        mark
        for mark in true.marks
        if mark[0] not in ("limit", "verb") and mark not in _JOINTS and (mark not in asked.content or mark[0] in ("number", "party"))
    ]
    if not wanted or not set(wanted) <= mine.content or any(mine.guards[guard] < count for guard, count in true.guards.items()):
        return False
    if any(mine.conditions[0] + mine.conditions[1] < count for count in true.conditions[:1]):
        return False
    figures = [mark for mark in mine.marks if mark[0] == "number" and mark not in asked.content]
    known = {mark for mark in true.marks if mark[0] == "number"}
    return (not known or figures[:1] == [] or figures[0] in known) and _in_order([m for m in wanted if _is_anchor(m)], mine.marks)


_OPPOSED = tuple(frozenset(pair) for pair in (("MINIMUM", "MAXIMUM"), ("MORE", "LESS"), ("MORE", "MAXIMUM"), ("LESS", "MINIMUM")))


def turns(text: str, gold: str, question: str) -> bool:
    """Whether a text that has nothing but words of gold and the question turns one direction or limit of gold: later for earlier."""
    text, gold, question = _with_equal_figures((text, gold, question))
    mine, true, asked = _said(text), _said(gold), _said(question)
    is_whole = any(_is_figure(mark) for mark in mine.marks) and mine.content <= true.content
    if mine.guards != true.guards or not (is_whole or len(mine.content & true.content) >= _TELLING - 1):
        return False
    more, less = set(mine.marks) - set(true.marks) - set(asked.marks), set(true.marks) - set(mine.marks)
    more = {mark for mark in more if mark[0] not in ("verb", "joint", "modal")}
    return len(more) == 1 and any(_are_opposed(mark, other) for mark in more for other in less)


def _are_opposed(mark: tuple[str, str], other: tuple[str, str]) -> bool:
    if mark[0] != other[0] or mark[1] in _LOANS:
        return False
    if mark[0] == "limit":
        return frozenset((mark[1], other[1])) in _OPPOSED
    return mark[0] == "direction" and {mark[1][-1], other[1][-1]} == {"0", "1"} and mark[1][:-1] == other[1][:-1]


def is_about(text: str, question: str, gold: Iterable[str]) -> bool:
    """Whether a text has two thirds of the words that a question asks about, or half of them and all that a right answer says."""
    asked = {mark for mark in _said(_ASKING.sub(" ", question)).marks if mark[0] in ("word", "direction")}
    if not asked:
        return False
    share = Fraction(len(asked & _said(text).content), len(asked))
    return share >= Fraction(2, 3) or (share >= Fraction(1, 2) and any(_has_all(text, one) for one in gold))


def _has_all(text: str, gold: str) -> bool:
    text, gold = _with_equal_figures((text, gold))
    return len(true := _said(gold).content) >= _TELLING and true <= _said(text).content


_TERM = re.compile(r"\b[A-Z][\w’'-]+(?:\s+(?:of\s+)?[A-Z][\w’'-]+)+")


def names_another(text: str, known: Iterable[str]) -> bool:
    """Whether a text has a term of several capitalised words that no known text has: "Financing Offer" for "Financing Notice"."""
    for figure in values_in(text):
        text = text.replace(figure.text, " | ", 1)
    folded = " " + " ".join(_words_of(one) for one in known) + " "
    terms = (
        _words_of(re.sub(r"^(?:The|A|An|On|At|In|By|If|No|Yes|Within|Any|Each|All|From|For|To|Of|Up)\s+", "", match[0]))
        for match in _TERM.finditer(text)
    )
    return any(f" {term} " not in folded and " " in term for term in terms)


def _words_of(text: str) -> str:
    return " ".join(word.removesuffix("s") if len(word) > 3 else word for word in fold_text(text).split())


def agrees_in_order(text: str, gold: str) -> bool:
    """Whether two texts have the parties and directions that they share in one order, and what goes to a party in one of them to no other
    in the other."""
    mine, true = _said(text), _said(gold)
    shared = {mark for mark in mine.content & true.content if mark[0] in ("party", "direction") and mark[1] not in _LOANS}
    toward = [{mark for mark in one.marks if mark[0] == "to"} for one in (mine, true)]
    if toward[0] and toward[1]:
        return toward[0] == toward[1] and _shared_order(mine, shared, "direction") == _shared_order(true, shared, "direction")
    return all(_shared_order(mine, shared, kind) == _shared_order(true, shared, kind) for kind in ("party", "direction"))


def _shared_order(said: _Said, shared: set[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys(mark for mark in said.marks if mark in shared and mark[0] == kind))


def _with_equal_figures(texts: Sequence[str]) -> list[str]:
    """Texts with one number in place of all figures that are the same value in any notation."""
    classes: list[Figure] = []
    found = list(texts)
    for n, text in enumerate(texts):
        for figure in sorted(values_in(text), key=lambda one: -len(one.text)):
            number = next((i for i, other in enumerate(classes) if _is_same(figure, other)), len(classes))
            if number == len(classes):
                classes.append(figure)
            found[n] = re.sub(
                rf"(?<![\w.,]){re.escape(figure.text)}(?![\w%]|[.,]\d)",
                f" {_FIRST_PERIOD + number if figure.kind == 'period' else _FIRST_FIGURE + number} ",
                found[n],
            )
    return found


def _is_same(figure: Figure, other: Figure) -> bool:
    """One value in any notation; "0.65 to 1" is 65%."""
    if {figure.kind, other.kind} != {"ratio", "rate"}:
        return relation(figure, other) == "equal"
    return share_of(figure) == share_of(other) is not None


def _said(text: str) -> _Said:
    text = _spelt(text)
    tokens = _bounded(tokenize(_YES_OR_NO.sub("", text)))
    marks: list[tuple[str, str]] = []
    before = ""
    for token in tokens:
        mark = _mark(token)
        if before == "to" and token.kind in ("party", "name"):
            marks.append(("to", token.meaning if token.kind == "party" else stem(token.folded)))
        before = before if token.folded in _ARTICLES else token.folded
        if mark is not None and not (mark[0] == "number" and mark in marks[-2:] and marks[-1][0] != "month"):
            marks.append(mark)
    guards = Counter(t.meaning for t in tokens if t.kind == "negation" or (t.kind == "limit" and t.meaning not in _BOUNDS))
    return _Said(tuple(_dated(marks)), guards, (len(_CONDITION.findall(text)), len(_OCCASION.findall(text))), _denied(tokens))


def _denied(tokens: Sequence[Token]) -> tuple[tuple[tuple[str, str], ...], ...]:
    found = []
    for n, token in enumerate(tokens):
        if token.kind == "negation":
            behind = [mark for mark in map(_mark, tokens[n + 1 : n + 1 + _REACH]) if mark is not None and mark[0] not in ("verb", "modal")]
            found.append(tuple(behind[:_DENIED]))
    return tuple(found)


def _spelt(text: str) -> str:
    for pattern, spelling in _SPELLINGS:
        text = pattern.sub(spelling, text)
    return text


def _dated(marks: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A day of a month is one mark, whichever of the two is written first."""
    at = 0
    while at < len(marks):
        first, second = marks[at], marks[at + 1] if at + 1 < len(marks) else ("", "")
        if {first[0], second[0]} == {"month", "number"}:
            month, day = sorted((first, second))
            yield "number", f"{month[1]}/{day[1]}"
            at += 1
        else:
            yield first
        at += 1


def _bounded(tokens: Iterable[Token]) -> list[Token]:
    """ "shall not at any time exceed" is one limit, as "not exceeding" is."""
    found: list[Token] = []
    for token in tokens:
        if token.kind == "limit" and token.meaning in ("MORE", "LESS"):
            denial = next((n for n in range(len(found) - 1, -1, -1) if found[n].kind == "negation"), None)
            if denial is not None and not any(t.kind in ("limit", "number") for t in found[denial:]):
                del found[denial - (denial > 0 and found[denial - 1].kind == "modal") : denial + 1]
                token = token._replace(meaning="MAXIMUM" if token.meaning == "MORE" else "MINIMUM")
        if token.kind == "limit" and token.meaning in _BOUNDS and found and found[-1].kind == "modal":
            found.pop()
        found.append(token)
    return found


def _mark(token: Token) -> tuple[str, str] | None:
    kind, folded = token.kind, token.folded
    if kind == "number":
        return "number", re.sub(r"(?<=\d)(?:th|:1)$", "", token.meaning)
    if kind == "limit":
        return ("limit", token.meaning) if token.meaning in _BOUNDS else None
    if kind in ("party", "month", "unit", "modal"):
        return kind, token.meaning
    if folded in FINITE_VERBS:
        return "verb", ""
    if folded in _PAY:
        return "word", "pay"
    if folded == "every":
        return "joint", "each"
    if kind == "connective" or (kind == "quantifier" and folded in ("all", "both", "some", "whole", "each", "every")):
        return "joint", token.meaning
    if kind in ("negation", "currency", "quantifier", "sign") or folded in _CARRIERS or (len(folded) < 3 and kind != "name"):
        return None
    if kind == "opposite":
        return _opposite(token)
    return "word", stem(folded)


def _opposite(token: Token) -> tuple[str, str]:
    row, column, _ = token.meaning.split(":", 2)
    return "direction" if int(row) in _DIRECTIONS else "word", f"{row}:{column}"


def _is_anchor(mark: tuple[str, str]) -> bool:
    return mark[0] in ("number", "party", "month", "unit", "limit", "direction")


def _is_figure(mark: tuple[str, str]) -> bool:
    """An amount, rate, period or date; a lone number can be a row's or a limb's."""
    return mark[0] == "number" and ("/" in mark[1] or (mark[1].isdigit() and int(mark[1]) >= _FIRST_PERIOD))


def _in_order(wanted: Sequence[tuple[str, str]], given: Iterable[tuple[str, str]]) -> bool:
    rest = iter(given)
    return all(mark in rest for mark in wanted)


def _holds(sentence: str, statement: str, asked: _Said) -> bool:
    """Whether a sentence has all marks of a statement, those of each phrase together, and denies, excepts and conditions as much."""
    source, said = _said(sentence), _said(statement)
    if not _has_equal_guards(source, said, asked) or (_SENTENCE.search(sentence.rstrip(" .;:")) and not _is_one(sentence)):
        return False
    if any(not any(mine[0] in true for true in source.denied) for mine in said.denied if mine):  # the word that a denial is nearest to
        return False
    free = {mark for mark in asked.content if mark[0] == "word"}
    skippable = {mark for mark in (*asked.marks, *said.marks) if mark[0] in ("number", "party")}
    places = []
    for n, phrase in enumerate(part for part in _FRAGMENT.split(_spelt(statement)) if part.strip(" .;:•")):
        marks = _without_question(_said(phrase).marks, free, source, is_first=not n)
        if (place := _place(source.marks, marks, skippable)) is None:
            return False
        is_clear = _is_defined(sentence, phrase) or _governs(phrase, source)
        if n and place[0] < place[1] and not is_clear and _is_repeated(sentence, marks):
            return False
        places.append(place)
    return all(_belongs(source.marks, places[0], place, skippable) for place in places[1:])


def _without_question(
    marks: Sequence[tuple[str, str]], free: set[tuple[str, str]], source: _Said, *, is_first: bool
) -> list[tuple[str, str]]:
    """The marks of a phrase without the words of the question that a statement begins with; further on they would stand for others."""
    known = source.content
    lead = next((n for n, mark in enumerate(marks) if mark not in free and mark[0] != "verb"), len(marks)) if is_first else 0
    return [mark for n, mark in enumerate(marks) if (n >= lead and mark not in _MEASURED) or mark in known or mark[0] == "verb"]


def _is_one(source: str) -> bool:
    """Whether no part of a source but its first has a verb of its own: a list."""
    return not any(_VERB.search(part) for part in _SENTENCE.split(source)[1:])


def _place(source: Sequence[tuple[str, str]], marks: Sequence[tuple[str, str]], skippable: set[tuple[str, str]]) -> tuple[int, int] | None:
    """From where to where a source has all marks in order, with no other figure and no other party between them."""
    needed = {mark for mark in marks if mark != ("joint", "AND") and mark[0] != "verb"}
    has_verb = any(mark[0] in ("verb", "modal") for mark in marks)
    has_several = len(needed) > 2 and sum(mark[0] in ("number", "unit", "month") for mark in marks) > 1  # each word belongs to one of them
    for start, end in _stretches(source, needed):
        stretch = source[start:end]
        if not has_verb and _has_clause(stretch):
            continue
        anchors = [m for m in marks if (_is_anchor(m) or (has_several and m[0] == "word")) and not _is_free(m, marks, stretch)]
        skipped = {mark for mark in stretch if mark[0] in ("number", "party")} - skippable
        if not skipped and _in_order(anchors, stretch) and _joins_alike(marks, stretch):
            return start, end
    return None if needed else (0, 0)


def _is_free(mark: tuple[str, str], marks: Sequence[tuple[str, str]], stretch: Sequence[tuple[str, str]]) -> bool:
    """A party that something goes "to" in both texts, or interest or principal where the other is not spoken of: its place says nothing."""
    if mark[0] == "party":
        return ("to", mark[1]) in marks and ("to", mark[1]) in stretch
    return mark[1] in _LOANS and len(_LOANS & {other[1] for other in stretch}) < 2


def _is_repeated(sentence: str, marks: Sequence[tuple[str, str]]) -> bool:
    """Whether a sentence has the figures of a phrase, or a word of one without figures, twice, as tables and lists of cases do: nobody can
    tell what the phrase belongs to."""
    counted = [mark for mark in marks if _is_figure(mark)] or [mark for mark in marks if mark[0] == "word"]
    once = _said(re.sub(r"\b(?:such|said|that)\s+\w+", " ", sentence)).marks
    return any(once.count(mark) > 1 for mark in counted)


def _governs(phrase: str, source: _Said) -> bool:
    """The only condition, or the only exception, of a sentence belongs to the whole of it."""
    if _CONDITION.match(phrase.strip()):
        return source.conditions[0] == 1
    return source.guards["EXCEPT"] == 1 and _said(phrase).guards["EXCEPT"] == 1


def _is_defined(sentence: str, phrase: str) -> bool:
    return re.search(rf"[“\"]{re.escape(phrase.strip().removeprefix('the '))}[”\"]", sentence) is not None


def _belongs(source: Sequence[tuple[str, str]], main: tuple[int, int], place: tuple[int, int], skippable: set[tuple[str, str]]) -> bool:
    """Whether a statement and a phrase beside it stand together: no other figure between them, and no "and" with a verb unless the phrase
    has a figure of its own."""
    between = source[main[1] : place[0]] if main[1] <= place[0] else source[place[1] : main[0]]
    if any(mark[0] == "number" and mark not in skippable for mark in between):
        return False
    return not _has_clause(between) or any(_is_figure(mark) for mark in source[place[0] : place[1]])


def _has_clause(marks: Sequence[tuple[str, str]]) -> bool:
    """Whether an "and" or "or" with a verb behind it stands among marks."""
    joins = [n for n, mark in enumerate(marks) if mark in _JOINTS]
    return bool(joins) and any(mark[0] in ("verb", "modal") for mark in marks[joins[0] :])


def _joins_alike(said: Iterable[tuple[str, str]], stretch: Sequence[tuple[str, str]]) -> bool:
    """ "A and B" is not told by "A or B"."""
    mine, true = ({mark[1] for mark in marks if mark[0] == "joint"} & {"AND", "OR"} for marks in (said, stretch))
    return not mine or not true or bool(mine & true)


def _stretches(marks: Sequence[tuple[str, str]], needed: set[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """From every needed mark on, the shortest stretch that has all of them, and the one that goes on to the end."""
    for start, mark in enumerate(marks):
        if mark not in needed:
            continue
        missing = set(needed)
        for end in range(start, len(marks)):
            missing.discard(marks[end])
            if not missing:
                yield start, end + 1
                yield start, len(marks)
                break


def _has_equal_guards(source: _Said, said: _Said, asked: _Said) -> bool:
    if source.guards != said.guards and source.guards != said.guards + asked.guards:
        return False
    hard, soft = said.conditions
    true, occasions = source.conditions
    return hard <= true + occasions and true <= hard + soft + sum(asked.conditions)
