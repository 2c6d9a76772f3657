"""Answers that contradict the right one whatever else they say (real_agreements.md R0.1): a direction turned, the other side of the loan,
another event that a period runs from, a figure where there is none, nothing specific at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from judge.capabilities.figures import holds_figure, relation, values_in
from judge.capabilities.qa.typed import ALWAYS, without
from judge.capabilities.statement_marks import JOINTS, read_statement, spelt
from judge.capabilities.statements import covers, turns
from judge.capabilities.wording import fold_text, stems

_LENDING = frozenset("lender lenders bank banks agent".split())
_OBLIGED = frozenset("borrower borrowers guarantor guarantors obligor obligors parent company".split())
_BESIDE_ROLE = frozenset("the a an by it is of administrative facility relevant each all any".split())
_WHO = re.compile(r"\b(?:who|whom|whose|which\s+party|by\s+whom)\b", re.IGNORECASE)
_EVENTS = (
    (
        "due",
        re.compile(
            r"\b(?:due\s+date|when\s+due|(?:it|payment)\s+(?:is|was|becomes?|falls)\s+due|scheduled\s+(?:payment\s+)?date)\b", re.IGNORECASE
        ),
    ),
    ("notice", re.compile(r"\b(?:(?:written\s+)?(?:notice|notification|demand|request))\b", re.IGNORECASE)),
    ("knowledge", re.compile(r"\b(?:(?:becom\w+\s+)?aware|knowledge)\b", re.IGNORECASE)),
    ("signing", re.compile(r"\b(?:closing(?:\s+date)?|date\s+of\s+(?:the|this)\s+agreement|effective\s+date|signing)\b", re.IGNORECASE)),
    (
        "end",
        re.compile(
            r"\b(?:(?:quarter|month|year)[\s-]+end|end\s+of\s+(?:the|each|every|such)\s+(?:\w+\s+)?(?:quarter|month|year))\b", re.IGNORECASE
        ),
    ),
)
_BESIDE_EVENT = frozenset("the a an date of from after following within by on such to in any each at least days business calendar".split())
_TERM = re.compile(r"\b(?:(?:An?|Any|Each|Every|All|For|Minimum|Maximum)\s)?(?P<kind>[A-Z][\w-]*)(?P<head>(?:\s[A-Z][\w-]*)+)")
_NONE = re.compile(r"\W*(?:none|nil|no\s+(?:grace|cure)\s+period)\b(?=\W*$|\s*[:;,.])", re.IGNORECASE)


def contradicts(answer: str, gold: str, question: str) -> bool:
    """Whether an answer says the opposite of the right one."""
    return (
        turns(answer, gold, question)
        or (_WHO.search(question) is not None and _is_other_side(answer, gold))
        or _runs_from_another_event(answer, gold)
        or _is_figure_for_none(answer, gold)
        or _is_figure_for_none(gold, answer)
        or _denies_choice(answer, gold)
        or _denies_condition(answer, gold)
        or (_CONSENT.search(question) is not None and _is_other_majority(answer, gold))
    )


def has_another_figure(answer: str, gold: str, quotes: Sequence[str], question: str) -> bool:
    """Whether an answer says all of gold's but one figure, which its own quotes have too, and another of that kind that is in no text."""
    mine, told = values_in(answer), [figure for text in (gold, *quotes, question) for figure in values_in(text)]
    for strange in mine:
        if sum(f.kind == strange.kind for f in mine) > 1 or any(relation(strange, f) == "equal" for f in told):
            continue
        true = [f for f in values_in(gold) if relation(strange, f) == "different" and any(holds_figure(f, quote) for quote in quotes)]
        if len(true) == 1 and covers(answer.replace(strange.text, true[0].text, 1), gold, question):
            return True
    return False


_CHOICE = re.compile(
    r"\b(?:(?:the\s+)?(?:lesser|greater|lower|higher|smaller|larger|earlier|later)\s+of|unless|except|other\s+than|if|subject\s+to)\b", re.I
)


def _denies_choice(answer: str, gold: str) -> bool:
    """A figure "in all cases" and nothing else, for what gold gives as the lesser of two or under a condition."""
    said = without(answer, values_in(answer))
    rest = ALWAYS.sub(" ", said)
    return rest != said and _CHOICE.search(gold) is not None and not fold_text(rest)


_REGARDLESS = re.compile(
    r"\b(?:whether\s+or\s+not|(?:regardless\s+of|irrespective\s+of|without\s+regard\s+to)(?:\s+whether)?|even\s+(?:if|when|where|while)\s+no)\b"
    r"(?P<what>[^.;]+)",
    re.IGNORECASE,
)
_ON_CONDITION = re.compile(
    r"\W*(?:only\s+)?(?:up)?(?:on|after|during|following|if|when|while|where|so\s+long\s+as|in\s+the\s+event)\b", re.I
)
_STATES = stems("has have been is are was occurs occurred occurrence continues continuing continuance then not such exists existing")


def _denies_condition(answer: str, gold: str) -> bool:
    """ "whether or not an Event of Default has occurred" for what gold has on that condition alone."""
    found = _REGARDLESS.search(answer)
    if found is None or _ON_CONDITION.match(gold) is None or _REGARDLESS.search(gold) or ";" in gold:
        return False
    what, true = stems(found["what"]) - _STATES, stems(gold)
    return bool(what) and what <= true and not what & stems(_REGARDLESS.sub(" ", answer))


_MAJORITY = re.compile(r"\b(?:majority|required|requisite|super-?majority)\s+(?:lenders|banks|holders|noteholders)\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|each|every)\s+(?:(?:of|the|affected)\s+){0,3}(?:lenders?|banks?|holders?|noteholders?)\b(?!['’])", re.IGNORECASE
)
_CONSENT = re.compile(r"\b(?:who|whom|whose|consents?|approv\w+|votes?)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|no|never|nor|neither|without|unless|except|than|if|or)\b", re.IGNORECASE)


def _is_other_majority(answer: str, gold: str) -> bool:
    """The Required Lenders for all of them, or all for the Required Lenders, where neither text has a denial, a condition or a figure."""
    said = [(_MAJORITY.search(text) is not None, _ALL.search(text) is not None) for text in (answer, gold)]
    is_plain = not any(_DENIED.search(text) or values_in(text) for text in (answer, gold))
    return is_plain and set(said) == {(True, False), (False, True)}


def _is_other_side(answer: str, gold: str) -> bool:
    """The borrower's side for the lender's, each alone."""
    mine, true = (frozenset(fold_text(text).split()) for text in (answer, gold))
    if mine - _LENDING - _OBLIGED - _BESIDE_ROLE:
        return False
    sides = [(bool(words & _LENDING), bool(words & _OBLIGED)) for words in (mine, true)]
    return set(sides) == {(True, False), (False, True)}


def _runs_from_another_event(answer: str, gold: str) -> bool:
    """A period from an event of one class where gold's runs from one of another, and the answer says nothing else."""
    mine, true = _events_of(answer), _events_of(gold)
    if len(mine) != 1 or len(true) != 1 or mine == true:
        return False
    return len(values_in(answer)) == 1 and not _is_more_than_event(answer)


def _events_of(text: str) -> set[str]:
    return {name for name, pattern in _EVENTS if pattern.search(text)}


def _is_figure_for_none(figure: str, none: str) -> bool:
    """A figure, and not zero, alone or with the event that it runs from, for what the other text says that there is none of."""
    found = values_in(figure)
    if _NONE.match(none) is None or len(found) != 1 or not re.search(r"[1-9]|[a-z]{3}", found[0].text):
        return False
    return not _is_more_than_event(figure)


def _is_more_than_event(text: str) -> bool:
    rest = without(text, values_in(text))
    for _, pattern in _EVENTS:
        rest = pattern.sub(" ", rest)
    return bool(frozenset(fold_text(rest).split()) - _BESIDE_EVENT)


def is_of_another_case(answer: str, gold: str, question: str, quotes: Sequence[str]) -> bool:
    """A figure alone that is not the first of gold's, where every quote gives it for another case than the one that is asked for: that of
    a Base Rate Loan for a Term Rate Loan's."""
    mine, true = values_in(answer), sorted(values_in(gold), key=lambda figure: gold.find(figure.text))
    if len(mine) != 1 or not true or relation(mine[0], true[0]) != "different" or _is_more_than_event(answer):
        return False
    asked = {term["head"]: term["kind"] for term in _TERM.finditer(question)}
    cases = [{term["kind"] for term in _TERM.finditer(quote) if term["head"] in asked} for quote in quotes]
    return bool(cases) and all(kinds and kinds.isdisjoint(asked.values()) for kinds in cases)


_EXCLUSIVE = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in pair)
    for pair in (
        (r"must|shall|will|(?:required|obliged|obligated|has|have)\s+to", "may|can"),
        ("until", "from"),
        (r"(?:each|all|both|every)\s+of", r"one\s+of"),
    )
)
_REFERENCE = re.compile(
    r"(?<![\w.$£€,])\d{1,2}\.\d{1,2}(?:\([a-z]{1,4}\))+|(?:(?<=§)|(?<=section\s)|(?<=clause\s))\d+(?:\.\d+)*", re.IGNORECASE
)
_LIMITED = re.compile(
    r"\b(?P<limit>available|outstanding(?=\s+(?:\w+\s+)?loans?\b)|undrawn|unused|unutili[sz]ed|average|original|initial|written|cash"
    r"|audited|adjusted|unrestricted|reputable)\s+(?:to\s+be\s+)?(?P<thing>\w+)",
    re.IGNORECASE,
)


def exchanges(answer: str, gold: str, question: str) -> bool:
    """Whether an answer with gold's values has another word for one that tells: a duty for a liberty, another party, event or place,
    "and" for "or"; or leaves a limit out, or has a denial more or less in gold's very words."""
    answer, gold = spelt(answer), spelt(gold)
    statements = [read_statement(text) for text in (answer, gold)]
    both = [statement.marks for statement in statements]
    more = [[len(word.findall(answer)) - len(word.findall(gold)) for word in pair] for pair in _EXCLUSIVE]
    parties = [Counter(mark for mark in marks if mark[0] == "party") for marks in both]
    joins = [{(a, joint, b) for a, joint, b in zip(marks, marks[1:], marks[2:], strict=False) if joint in JOINTS} for marks in both]
    return (
        any(one * other < 0 for one, other in more)
        or bool(parties[0] - parties[1] and parties[1] - parties[0])
        or any((a, other, b) in joins[1] for a, joint, b in joins[0] for other in JOINTS if other != joint)
        or _are_apart(_events_of(answer), _events_of(gold))
        or _are_apart(set(_REFERENCE.findall(answer)), set(_REFERENCE.findall(gold)))
        or leaves_limit_out(answer, gold, question)
        or (statements[0].guards["NOT"] != statements[1].guards["NOT"] and _without_denials(answer) == _without_denials(gold))
    )


def _without_denials(text: str) -> frozenset[str]:
    return frozenset(fold_text(text).split()) - {"not", "no", "never", "nor", "neither"}


def denies_more(answer: str, sources: Sequence[str]) -> bool:
    """Whether an answer has more denials than any of its sources."""
    return read_statement(answer).guards["NOT"] > max((read_statement(text).guards["NOT"] for text in sources), default=0)


def leaves_limit_out(answer: str, source: str, question: str) -> bool:
    """Whether an answer names a thing, as its question does not, without the word that limits it in a text: "amount drawn" of "amount
    available to be drawn"."""
    words, asked = (frozenset(fold_text(text).split()) for text in (answer, question))
    return any(m["limit"].casefold() not in words and m["thing"].casefold() in words - asked for m in _LIMITED.finditer(source))


def _are_apart(mine: set[str], true: set[str]) -> bool:
    return bool(mine and true and not mine & true)


_VAGUE = frozenset(
    """a an the this that it its they these on in of to for with by under and or as is are be been will would may might can could
    should must need needs has have please refer see consult review check checked verified confirmed reviewed determined depends
    depend depending upon circumstances circumstance specific particular relevant individual applicable facts case situation
    factors various several terms provisions conditions agreement document documents loan credit facility finance set out
    provided specified described stated details detail further information vary varies differ usual normal standard market
    practice legal counsel appropriate full text carefully""".split()
)
_EVASION = re.compile(
    r"\b(?:depend(?:s|ing)?|var(?:y|ies)|differs?|refer|consult|check(?:ed)?|verified|confirmed|review(?:ed)?)\b", re.IGNORECASE
)


def is_evasive(answer: str, gold: str) -> bool:
    """Whether an answer only says that it depends, or where one could look, and the right answer says more than that."""
    if not _EVASION.search(answer) or frozenset(fold_text(answer).split()) - _VAGUE:
        return False
    return bool(frozenset(fold_text(gold).split()) - _VAGUE)
