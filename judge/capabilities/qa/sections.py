"""The sections that an answer has to cite (standard 4.2, Multi-clause synthesis): which are cited, and what a missing one leaves open."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import by_verdict, closed, opened
from judge.capabilities.figures import holds_figure
from judge.capabilities.places import stands_at
from judge.capabilities.provenance import check_claim
from judge.capabilities.qa.dimensions import Sections
from judge.capabilities.qa.schema import QaGold, QaOutput, RequiredSection
from judge.capabilities.qa.texts import own_figures
from judge.capabilities.wording import fold_text
from judge.records import Finding, Outcome, Part, Question

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
    """The section is missing where no citation can meet it, and a question where one may."""
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
