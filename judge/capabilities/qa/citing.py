"""What an answer cites (standard 4.2): the texts, what a quote has to show, and the sections that are required."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from deterministic.citations.check import CitationCheck
from deterministic.lexicon.stems import content_words
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened
from judge.capabilities.figures import Figure, holds_figure, others_in, values_in, whole_value
from judge.capabilities.passages import reading
from judge.capabilities.places import picture_note, pictures_of, stands_at
from judge.capabilities.provenance import Support, check_claim
from judge.capabilities.qa import QaGold, QaOutput, RequiredSection
from judge.capabilities.scoring.dimensions import Sections
from judge.capabilities.wording import fold_text, has_words
from judge.records import Finding, Outcome, Part, Question


def question_of(context: Context) -> str:
    """The question that was asked."""
    return str(context.case.input.get("question", ""))


def passages_of(context: Context, claims: Sequence[Citation], gold: QaGold | None = None) -> str:
    """The cited source texts and the sections that gold requires, each once: what a reviewer would look at."""
    output: QaOutput | None = context.case.output
    about = [question_of(context), output.answer if output else "", *(right_answers(gold) if gold else ())]
    required = [(one, None) if isinstance(one, str) else (one.section, one.document) for one in (gold.required_sections if gold else ())]
    checks = [check_claim(context, c) for c in claims]
    text = reading(context, checks, "\n".join(about), sections=required)
    return "\n\n".join([*map(picture_note, pictures_of(context, checks)), *([text] if text else [])])


def question_with_passages(context: Context, rubric: str, output: QaOutput, gold: QaGold | None, /, **texts: str) -> Question:
    """A question about an answer and its passages, with the pages that they name as pictures."""
    shown = {"question": question_of(context), "answer": output.answer, "passages": passages_of(context, output.claims, gold)}
    pictures = pictures_of(context, [check_claim(context, c) for c in output.claims])
    return replace(Question.of(rubric, **shown, **texts), pictures=pictures)


def right_answers(gold: QaGold) -> tuple[str, ...]:
    """Gold's answer and what it accepts beside it."""
    return tuple(text for text in (gold.answer, *gold.accepted) if text)


def is_accepted(output: QaOutput, gold: QaGold) -> bool:
    """The answer is a right one word for word."""
    return fold_text(output.answer) in map(fold_text, right_answers(gold))


def own_figures(context: Context, output: QaOutput) -> list[Figure]:
    """The figures of an answer that its question does not have."""
    asked = question_of(context)
    return [f for f in values_in(output.answer) if not holds_figure(f, asked)] or list(values_in(output.answer))


RULE = "4.2 Multi-clause synthesis"


def section_parts(context: Context, claims: Sequence[Citation], gold: QaGold) -> list[Part]:
    """A part for each required section that no citation is known to meet."""
    parts = []
    for wanted in required_sections(gold):
        where = f"{wanted.section} of {wanted.document}" if wanted.document else wanted.section
        finding = Finding("REQUIRED_SECTION_MISSING", f"{where} is not cited")
        missing = closed(Outcome.FAIL, f"{where} is required for this answer and not cited.", RULE, finding)
        met = [_meets(context, claim, wanted) for claim in claims]
        if True not in met:
            parts.append(_asked_of(context, met, missing, where))
    return parts


def _asked_of(context: Context, met: Sequence[bool | Question | None], missing: Part, where: str) -> Part:
    """The part of a required section that no citation is known to meet: a question where one of `met` is one, else open or `missing`."""
    if (question := next((one for one in met if isinstance(one, Question)), None)) is not None:
        others = dict.fromkeys(("beside", "elsewhere", "no_such_place"), missing)
        is_cited = closed(Outcome.CORRECT, f"{where} is cited.", RULE)
        return by_verdict(context.answers, question, {"at_place": is_cited, **others}, f"Whether {where} is cited is a question.", RULE)
    if None in met:
        return opened(Outcome.FAIL, Outcome.CORRECT, f"Whether {where} is cited cannot be told.", RULE, "unreadable")
    return missing


def section_gaps(context: Context, output: QaOutput, gold: QaGold) -> Sections:
    """Which required sections no citation meets, and which citations hold the answer's figures together."""
    met = [[_meets(context, claim, wanted) for claim in output.claims] for wanted in required_sections(gold)]
    missing = frozenset(n for n, row in enumerate(met) if all(one is False for one in row))
    unsure = frozenset(n for n, row in enumerate(met) if True not in row and n not in missing)
    figures = own_figures(context, output)
    held = {n: frozenset(f for f in figures if holds_figure(f, claim.quote or "")) for n, claim in enumerate(output.claims)}
    groups = (frozenset(group) for size in range(1, min(len(held), 6) + 1) for group in itertools.combinations(held, size))
    holds = {group: bool(figures) and frozenset().union(*(held[n] for n in group)) >= frozenset(figures) for group in groups}
    return Sections(missing, unsure, holds)


def required_sections(gold: QaGold) -> list[RequiredSection]:
    """The sections that an answer has to cite."""
    return [entry if isinstance(entry, RequiredSection) else RequiredSection(section=entry) for entry in gold.required_sections]


def is_required(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a quote that the text holds stands in one of the required sections."""
    claims = [claim for claim in output.claims if claim.quote and claim.quote in text]
    return any(_meets(context, claim, wanted) is True for claim in claims for wanted in required_sections(gold))


def _meets(context: Context, claim: Citation, wanted: RequiredSection) -> bool | Question | None:
    """A found quote that overlaps the required section, or whose cited section does; a citation without quote by its section. A question,
    or None, where the document's provisions are not known well enough to tell."""
    check = check_claim(context, claim)
    if check.quote == "missing":
        return _refers_to(context, claim, wanted)
    document = context.documents.get(check.found_in or "")
    if document is None or wanted.document not in (None, document.name):
        # a citation whose quote could not be located is judged by its own fault, not called missing as well
        return _refers_to(context, claim, wanted) if document is None and check.open is not None else False
    if check.section == "right" and _refers_to(context, claim, wanted):
        return True
    return stands_at(context, check, wanted.section)


def _refers_to(context: Context, claim: Citation, wanted: RequiredSection) -> bool | None:
    """Whether a citation names the required section or a part of it. None where a page that cannot be read may hold that section."""
    name = claim.document or next(iter(context.documents), "")
    document = context.documents.get(name)
    if document is None or claim.section is None or wanted.document not in (None, name):
        return False
    mine, theirs = document.clauses.find(claim.section), document.clauses.find(wanted.section)
    if not theirs.clauses:
        return fold_text(claim.section) == fold_text(wanted.section) or (False if document.is_readable else None)
    return any(t.start <= m.start and m.end <= t.end for m in mine.clauses for t in theirs.clauses)


_SENTENCE = 6  # words from which an answer that stands in its quote word for word is what the quote says, not what it mentions


def support_of(context: Context, output: QaOutput, gold: QaGold | None) -> Support:
    """A quote supports an answer without a call when it has the answer's sentence word for word, or when the answer is one value, the quote
    has no other of its kind, and it stands in a required section."""
    value = whole_value(output.answer)
    is_sentence = value is None and len(output.answer.split()) >= _SENTENCE

    def contains(text: str) -> bool:
        return has_words(text, output.answer) or (value is not None and holds_figure(value, text))

    def is_own(check: CitationCheck) -> bool:
        return is_sentence and has_words(check.claim.quote or "", output.answer)

    def is_at_place(check: CitationCheck) -> bool:
        return value is not None and gold is not None and is_required(context, output, gold, check.claim.quote or "")

    return Support(
        "answer",
        f"{question_of(context)}\n{output.answer}",
        contains,
        is_own=is_own,
        is_at_place=is_at_place,
        has_others=lambda text: value is not None and others_in(text, [value]),
        part=lambda check, checks: _claim_of(context, output, check, checks),
    )


def _claim_of(context: Context, output: QaOutput, check: CitationCheck, checks: Sequence[CitationCheck]) -> str:
    whole, part = f"{question_of(context)}\n{output.answer}", nearest_part(output.answer, check, checks)
    return f"{whole}\nThe part that this quote is cited for: {part}" if part else whole


def holds_figures(context: Context, output: QaOutput, text: str) -> bool:
    """Whether a quote holds every figure of the answer; of several quotes together all, and each one of them."""
    figures = own_figures(context, output)
    if len(output.claims) > 1:
        together = "\n".join([text, *(c.quote or "" for c in output.claims)])
        return any(holds_figure(f, text) for f in figures) and all(holds_figure(f, together) for f in figures)
    return bool(figures) and all(holds_figure(f, text) for f in figures)


_ALIKE, _STATEMENT = 0.3, 3  # share of a statement's informative words that its quote has at least; words that a statement has at least


def nearest_part(text: str, check: CitationCheck, others: Sequence[CitationCheck]) -> str:
    """The statement of an answer that a quote is cited for, a whole one and nearer to it than to any other quote; "" for none."""
    parts = [part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[“\"(]?[A-Z])|(?<=;)\s+|\n+", text) if part.strip()]
    if len(others) < 2 or len(parts) < 2:
        return ""

    def likeness(part: str, quoted: CitationCheck) -> float:
        words = content_words(part)
        return len(words & content_words(quoted.claim.quote or "")) / len(words) if words else 0.0

    alike = [(likeness(part, check), max((likeness(part, o) for o in others if o is not check), default=0.0)) for part in parts]
    best = max(range(len(parts)), key=lambda n: alike[n][0] - alike[n][1])
    mine, theirs = alike[best]
    return parts[best].rstrip(";") if mine > max(theirs, _ALIKE) and len(content_words(parts[best])) >= _STATEMENT else ""
