"""Whether a text says what its sources say, in their own words: every statement of it stands in one sentence of a source with the same
figures, parties, directions and limits in one order, and that sentence has no denial or condition that the statement lacks."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from deterministic.lexicon.stems import stem
from judge.capabilities.figures import values_in
from judge.capabilities.statement_marks import (
    CONDITION,
    JOINTS,
    LOANS,
    YES_OR_NO,
    Statement,
    in_order,
    is_anchor,
    is_figure,
    read_statement,
    spelt,
    with_equal_figures,
)
from judge.capabilities.wording import fold_text

_PROVISO = re.compile(r"\bprovided\b(?:\s*,?\s*however\s*,?)?(?:\s+that\b)?", re.IGNORECASE)
_SENTENCE = re.compile(rf"[;•]|(?<!\w\.\w)\.(?=\s|$)|:(?=\s)|{_PROVISO.pattern}|…|\.{{3}}", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"[,:;\n•–—]|(?<!\w\.\w)\.(?=\s|$)|\s*[()\[\]]\s*|(?=\b(?:for|in\s+the\s+case\s+of|in\s+respect\s+of|if|unless|except|provided|subject\s+to)\b)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"[;\n•]+|(?<!\w\.\w)\.(?=\s|$)|:(?=\s)|,(?=\s*(?:and|but)\b)", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\W*(?:as|because|since|if|when|where|for|provided|unless|except|which|who|subject)\b", re.IGNORECASE)
_VERB = re.compile(r"\b(?:shall|will|must|may|can|is|are|was|were|has|have|does|do|means?|requires?)\b", re.IGNORECASE)
_ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|how|why|many|much|long|often|soon|far|ask\w*|need\w*|allow\w*|permit\w*|requir\w*|appl(?:y|ies|icable)"
    r"|periods?|stat(?:e|es|ed)|names?|comput\w*|calculat\w*|us(?:e|ed)|say|happens?|agreement|documents?|there|every|latest|earliest)\b",
    re.IGNORECASE,
)
_TELLING = 3  # marks of an answer that another provision does not have by chance where it is about half of the question too
_LONGEST_TEXT, _LONGEST_SOURCE = 800, 2_500  # characters; a longer one would hold up the loop
_FORM = frozenset(mark for mark in read_statement("written prior express a each any").marks)  # of a consent that is denied, not what is
_BETWEEN = (*JOINTS, ("joint", "each"))
_DENIES_NEED = re.compile(r"\W*no\s*[,.:–—-].*\b(?:no|not|without)\b.{0,80}\b(?:required|needed|necessary)\b", re.IGNORECASE | re.DOTALL)
"""An answer that can deny the question, or what the question says is not needed."""
_MEASURED = frozenset(("word", stem(word)) for word in ("tested", "measured"))


@lru_cache(maxsize=512)
def retells(text: str, sources: tuple[str, ...], question: str) -> bool:
    """Whether a text says nothing but what the sources say; each source is one verbatim text. Words of the question are no surprise."""
    if len(text) > _LONGEST_TEXT or _DENIES_NEED.match(text):
        return False
    text, question, *given = with_equal_figures((text, question, *(source for source in sources if len(source) <= _LONGEST_SOURCE)))
    if names_another(text, (question, *given)):
        return False
    asked = read_statement(question)
    sentences = [_in_active(part, text) for source in given for part in (*_SENTENCE.split(source), source) if part.strip()]
    statements = [one for one in _statements(text) if read_statement(one).marks]
    if any(_holds(sentence, text, asked) or _holds_with_proviso(sentence, text, asked) for sentence in sentences):
        return bool(statements)
    return bool(statements) and all(any(_holds(sentence, one, asked) for sentence in sentences) for one in statements)


_PASSIVE = re.compile(
    r"(?P<what>[^.,;:]{3,80}?)\s+(?P<modal>(?:may|shall|must|will|can)(?:\s+not)?)\s+be\s+(?P<verb>\w+ed)\b(?P<rest>[^.;:]{0,100}?)"
    r"\s+by\s+(?P<who>(?:(?:the|any|each)\s+)?[A-Z][\w’'-]*(?:\s+(?:(?:of|or|and|the)\s+)*[A-Z][\w’'-]*){0,5})(?P<more>[^.;:]{0,100})[\s.;]*$"
)
_BE_DONE = re.compile(r"\b(?:be|been|is|are|was|were)\s+(?:\w+ly\s+)?\w+ed\b", re.IGNORECASE)
_DOES = re.compile(r"(?P<who>\w+)\s+(?:may|shall|must|will|can)\b", re.IGNORECASE)


def _in_active(source: str, text: str) -> str:
    """ "the Agent may be replaced by the Lenders" as what the Lenders may do, "" where another party may in the text. A sentence without
    "by", or beside a text in the passive, stays as it is."""
    if (found := _PASSIVE.search(source)) is None or _BE_DONE.search(text):
        return source
    if (does := _DOES.search(text)) is not None and does["who"] not in found["who"].split():
        return ""
    verb = re.sub(r"(?<=\w{4})(\w)\1ed$", r"\1", found["verb"])
    return f"{found['who']} {found['modal']} {verb} {found['what']} {found['rest']} {found['more']}"


@lru_cache(maxsize=512)
def held_together(text: str, sources: tuple[str, ...], question: str) -> frozenset[int]:
    """Which sources hold a phrase of a text; none unless they hold all of them together."""
    if len(text) > _LONGEST_TEXT:
        return frozenset()
    text, question, *given = with_equal_figures((text, question, *(source[:_LONGEST_SOURCE] for source in sources)))
    asked, said = read_statement(question), read_statement(text)
    free, skippable = _expected(asked, said)
    sentences = [(n, read_statement(part)) for n, one in enumerate(given) for part in _SENTENCE.split(one) if part.strip()]
    used: dict[int, Statement] = {}
    holders: set[int] = set()
    for phrase in _FRAGMENT.split(text):
        marks = [mark for mark in read_statement(phrase).marks if mark not in free]
        found = [n for n, (_, sentence) in enumerate(sentences) if marks and _place(sentence.marks, marks, skippable)]
        if marks and not found:
            return frozenset()
        used.update((n, sentences[n][1]) for n in found[:1])
        holders |= {sentences[n][0] for n in found}
    guards = sum((sentence.guards for sentence in used.values()), Counter[str]())
    return frozenset(holders) if guards in (said.guards, said.guards + asked.guards) else frozenset()


def _expected(asked: Statement, said: Statement) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The question's words, which an answer may have beside its source's, and the marks between which a source may have others."""
    free = {mark for mark in asked.content if mark[0] == "word"}
    return free, {mark for mark in (*asked.marks, *said.marks) if mark[0] in ("number", "party", "month")}


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
    text, gold, question = with_equal_figures((text, gold, question))
    answers = [found["word"].casefold() if (found := YES_OR_NO.match(one)) else "" for one in (text, gold)]
    if answers[1] and (answers[0] != answers[1] or not YES_OR_NO.sub("", gold).strip(" .")):
        return answers[0] == answers[1]
    mine, true, asked = read_statement(text), read_statement(gold), read_statement(question)
    wanted = [
        mark
        for mark in true.marks
        if mark[0] not in ("limit", "verb") and mark not in JOINTS and (mark not in asked.content or mark[0] in ("number", "party"))
    ]
    if not wanted or not set(wanted) <= mine.content or any(mine.guards[guard] < count for guard, count in true.guards.items()):
        return False
    if any(mine.conditions[0] + mine.conditions[1] < count for count in true.conditions[:1]):
        return False
    figures = [mark for mark in mine.marks if mark[0] == "number" and mark not in asked.content]
    known = {mark for mark in true.marks if mark[0] == "number"}
    return (not known or figures[:1] == [] or figures[0] in known) and in_order([m for m in wanted if is_anchor(m)], mine.marks)


_OPPOSED = tuple(frozenset(pair) for pair in (("MINIMUM", "MAXIMUM"), ("MORE", "LESS"), ("MORE", "MAXIMUM"), ("LESS", "MINIMUM")))


def turns(text: str, gold: str, question: str) -> bool:
    """Whether a text that has nothing but words of gold and the question turns one direction or limit of gold: later for earlier."""
    text, gold, question = with_equal_figures((text, gold, question))
    mine, true, asked = read_statement(text), read_statement(gold), read_statement(question)
    is_whole = any(is_figure(mark) for mark in mine.marks) and mine.content <= true.content
    if mine.guards != true.guards or not (is_whole or len(mine.content & true.content) >= _TELLING - 1):
        return False
    more, less = set(mine.marks) - set(true.marks) - set(asked.marks), set(true.marks) - set(mine.marks)
    more = {mark for mark in more if mark[0] not in ("verb", "joint", "modal")}
    return len(more) == 1 and any(_are_opposed(mark, other) for mark in more for other in less)


def _are_opposed(mark: tuple[str, str], other: tuple[str, str]) -> bool:
    if mark[0] != other[0] or mark[1] in LOANS:
        return False
    if mark[0] == "limit":
        return frozenset((mark[1], other[1])) in _OPPOSED
    return mark[0] == "direction" and {mark[1][-1], other[1][-1]} == {"0", "1"} and mark[1][:-1] == other[1][:-1]


def is_about(text: str, question: str, gold: Iterable[str]) -> bool:
    """Whether a text has two thirds of the words that a question asks about, or half of them and all that a right answer says."""
    asked = {mark for mark in read_statement(_ASKING.sub(" ", question)).marks if mark[0] in ("word", "direction")}
    if not asked:
        return False
    share = Fraction(len(asked & read_statement(text).content), len(asked))
    return share >= Fraction(2, 3) or (share >= Fraction(1, 2) and any(_has_all(text, one) for one in gold))


def _has_all(text: str, gold: str) -> bool:
    text, gold = with_equal_figures((text, gold))
    return len(true := read_statement(gold).content) >= _TELLING and true <= read_statement(text).content


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
    mine, true = read_statement(text), read_statement(gold)
    if _exchanges_roles(text, gold) or _joins_parties_otherwise(mine, true):
        return False
    shared = {mark for mark in mine.content & true.content if mark[0] in ("party", "direction") and mark[1] not in LOANS}
    toward = [{mark for mark in one.marks if mark[0] == "to"} for one in (mine, true)]
    if toward[0] and toward[1]:
        return toward[0] == toward[1] and _shared_order(mine, shared, "direction") == _shared_order(true, shared, "direction")
    return all(_shared_order(mine, shared, kind) == _shared_order(true, shared, kind) for kind in ("party", "direction"))


_ROLE = re.compile(r"\b(?P<role>to|from|by)\s+(?:(?:the|an?|each|any|all|such)\s+)*(?P<whom>[^\W\d]+|\d[\d.,]*)", re.IGNORECASE)


def _exchanges_roles(text: str, other: str) -> bool:
    """Whether something comes from a party, or changes by a figure, in one text and goes to it in the other, or the other way round."""
    mine, true = (
        {(found["role"].casefold() == "to", stem(found["whom"].casefold())) for found in _ROLE.finditer(one)} for one in (text, other)
    )
    return any((not is_to, whom) in true and (is_to, whom) not in true for is_to, whom in mine)


def _joins_parties_otherwise(mine: Statement, true: Statement) -> bool:
    """ "the Agent or the Lenders" for "the Agent and the Lenders"."""
    joints = [
        {
            joint
            for joint, other in itertools.pairwise(m for m in said.marks if m != ("joint", "each"))
            if joint in JOINTS and other[0] == "party"
        }
        for said in (mine, true)
    ]
    return bool(joints[0] and joints[1]) and joints[0].isdisjoint(joints[1])


def _shared_order(said: Statement, shared: set[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    return list(dict.fromkeys(mark for mark in said.marks if mark in shared and mark[0] == kind))


def _holds(sentence: str, statement: str, asked: Statement) -> bool:
    """Whether a sentence has all marks of a statement, those of each phrase together, and denies, excepts and conditions as much."""
    source, said = read_statement(sentence), read_statement(statement)
    if not _has_equal_guards(source, said, asked) or (_SENTENCE.search(sentence.rstrip(" .;:")) and not _is_one(sentence)):
        return False
    if not all(any(_is_same_denial(mine, true) for true in source.denied) for mine in said.denied if mine):
        return False
    if _exchanges_roles(statement, sentence) or _has_another_subject(said, source):
        return False
    if _is_whole(said, source, asked):
        return True
    free, skippable = _expected(asked, said)
    places = []
    for n, phrase in enumerate(part for part in _FRAGMENT.split(spelt(statement)) if part.strip(" .;:•")):
        marks = _without_question(read_statement(phrase).marks, free, source, is_first=not n)
        if (place := _place(source.marks, marks, skippable)) is None:
            return False
        is_clear = _is_defined(sentence, phrase) or _governs(phrase, source)
        if n and place[0] < place[1] and not is_clear and _is_repeated(sentence, marks):
            return False
        places.append(place)
    return all(_belongs(source.marks, places[0], place, skippable) for place in places[1:])


def _is_whole(said: Statement, source: Statement, asked: Statement) -> bool:
    """Whether a statement has every mark of a sentence in its order, but for what the sentence begins with and the question has."""
    mine, true = (list(itertools.dropwhile(lambda mark: mark[0] == "verb" or mark in asked.content, one.marks)) for one in (said, source))
    leads = [set(one.marks[: len(one.marks) - len(rest)]) for one, rest in ((said, mine), (source, true))]
    return len(mine) >= _TELLING and mine == true and {mark for mark in leads[0] if mark[0] != "verb"} <= leads[1]


def _holds_with_proviso(sentence: str, text: str, asked: Statement) -> bool:
    """Whether a sentence has what a text says before its only proviso, and behind its own the text's proviso."""
    true, mine = _PROVISO.split(sentence), _PROVISO.split(text)
    return len(true) == len(mine) == 2 and all(_holds(one, other, asked) for one, other in zip(true, mine, strict=True))


def _has_another_subject(said: Statement, source: Statement) -> bool:
    """Whether a party shall or may do something in a statement where only other ones shall or may in its source, or do it to that party."""
    mine, true = (
        {first for first, second in itertools.pairwise(one.marks) if first[0] == "party" and second[0] == "modal"} for one in (said, source)
    )
    return any(true or ("to", party[1]) in source.marks for party in mine - true)


def _is_same_denial(mine: Sequence[tuple[str, str]], true: Sequence[tuple[str, str]]) -> bool:
    """Whether two denials deny the same: the nearest mark, and the words behind it as far as both go on."""
    near = [[mark for mark in marks if mark not in _FORM] for marks in (mine, true)]
    words = [list(itertools.takewhile(lambda mark: mark[0] in ("word", "unit"), marks)) for marks in near]
    return near[0][:1] == near[1][:1] and all(one == other for one, other in zip(*words, strict=False))


def _without_question(
    marks: Sequence[tuple[str, str]], free: set[tuple[str, str]], source: Statement, *, is_first: bool
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
        anchors = [m for m in marks if (is_anchor(m) or (has_several and m[0] == "word")) and not _is_free(m, marks, stretch)]
        skipped = {mark for mark in stretch if mark[0] in ("number", "party")} - skippable
        if (
            not skipped
            and in_order(anchors, stretch)
            and _joins_alike(marks, stretch)
            and not _is_shortened({*marks, *skippable}, source, start, end)
        ):
            return start, end
    return None if needed else (0, 0)


def _is_free(mark: tuple[str, str], marks: Sequence[tuple[str, str]], stretch: Sequence[tuple[str, str]]) -> bool:
    """A party that something goes "to" in both texts, or interest or principal where the other is not spoken of: its place says nothing."""
    if mark[0] == "party":
        return ("to", mark[1]) in marks and ("to", mark[1]) in stretch
    return mark[1] in LOANS and len(LOANS & {other[1] for other in stretch}) < 2


def _is_repeated(sentence: str, marks: Sequence[tuple[str, str]]) -> bool:
    """Whether a sentence has the figures of a phrase, or a word of one without figures, twice, as tables and lists of cases do: nobody can
    tell what the phrase belongs to."""
    counted = [mark for mark in marks if is_figure(mark)] or [mark for mark in marks if mark[0] == "word"]
    once = read_statement(re.sub(r"\b(?:such|said|that)\s+\w+", " ", sentence)).marks
    return any(once.count(mark) > 1 for mark in counted)


def _governs(phrase: str, source: Statement) -> bool:
    """The only condition, or the only exception, of a sentence belongs to the whole of it."""
    if CONDITION.match(phrase.strip()):
        return source.conditions[0] == 1
    return source.guards["EXCEPT"] == 1 and read_statement(phrase).guards["EXCEPT"] == 1


def _is_defined(sentence: str, phrase: str) -> bool:
    return re.search(rf"[“\"]{re.escape(phrase.strip().removeprefix('the '))}[”\"]", sentence) is not None


def _belongs(source: Sequence[tuple[str, str]], main: tuple[int, int], place: tuple[int, int], skippable: set[tuple[str, str]]) -> bool:
    """Whether a statement and a phrase beside it stand together: no other figure between them, and no "and" with a verb unless the phrase
    has a figure of its own."""
    between = source[main[1] : place[0]] if main[1] <= place[0] else source[place[1] : main[0]]
    if any(mark[0] == "number" and mark not in skippable for mark in between):
        return False
    return not _has_clause(between) or any(is_figure(mark) for mark in source[place[0] : place[1]])


def _has_clause(marks: Sequence[tuple[str, str]]) -> bool:
    """Whether an "and" or "or" with a verb behind it stands among marks."""
    joins = [n for n, mark in enumerate(marks) if mark in JOINTS]
    return bool(joins) and any(mark[0] in ("verb", "modal") for mark in marks[joins[0] :])


def _joins_alike(said: Sequence[tuple[str, str]], stretch: Sequence[tuple[str, str]]) -> bool:
    """ "A and B" is not told by "A or B"."""
    for n, joint in enumerate(said):
        if joint in JOINTS and 0 < n < len(said) - 1:
            behind = next((mark for mark in said[n + 1 :] if mark[0] not in ("joint", "verb")), joint)
            ends = [at for at, mark in enumerate(stretch) if mark == behind]
            between = {next((m for m in reversed(stretch[:at]) if m in JOINTS or m[0] == "modal"), joint) for at in ends}
            if between and joint not in between and not between.isdisjoint(JOINTS):
                return False
    mine, true = ({mark[1] for mark in marks if mark[0] == "joint"} & {"AND", "OR"} for marks in (said, stretch))
    return not mine or not true or bool(mine & true)


def _is_shortened(marks: set[tuple[str, str]], source: Sequence[tuple[str, str]], start: int, end: int) -> bool:
    """Whether a source lists months, or days of the year, of which a statement has some and not all: "March and June" of four quarters."""
    for n, mark in enumerate(source[start:end], start):
        if _is_listed(mark) and mark in marks:
            run = {mark}
            for side in (range(n - 1, -1, -1), range(n + 1, len(source))):
                run |= set(itertools.takewhile(_is_listed, (source[at] for at in side if source[at] not in _BETWEEN)))
            if not run <= marks:
                return True
    return False


def _is_listed(mark: tuple[str, str]) -> bool:
    return mark[0] == "month" or (mark[0] == "number" and "/" in mark[1])


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


def _has_equal_guards(source: Statement, said: Statement, asked: Statement) -> bool:
    if source.guards != said.guards and (said.guards["NOT"] or source.guards != said.guards + asked.guards):
        return False
    hard, soft = said.conditions
    true, occasions = source.conditions
    return hard <= true + occasions and true <= hard + soft + sum(asked.conditions)
