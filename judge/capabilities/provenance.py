"""Provenance of an item (standard 5, judging.md 1): the citations are located by `deterministic.citations.check`; here it is decided what
they make of the item, whether they support the claim, and which of several counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from deterministic.citations.check import ORDER, CitationCheck, Claim, check_citation
from deterministic.pdf.documents import Document
from deterministic.quotes.joins import split_ellipsis
from judge.capabilities.context import Context
from judge.capabilities.decisions import best_part, by_verdict, closed, opened, worst_part
from judge.capabilities.definitions import leads_to
from judge.capabilities.passages import places_of, reading
from judge.cases import Citation
from judge.records import SEVERITY, Claimed, Finding, Outcome, Part, Provenance, Question

RULES = {
    "exact": "5.1 Provenance complete",
    "normalised": "5.1 Provenance complete",
    "wrong_page": "5.2 Wrong page or section",
    "incomplete": "5.1 Element missing",
    "paraphrased": "5.2 Paraphrased",
    "absent": "5.2 Citation absent",
    "unsupported": "5.2 Does not support",
    "not_found": "5.2 Quote not in document",
    "fabricated_location": "1.1 Fabricated citation",
    "unreadable": "5.1 Not verifiable",
}
ABSENT = Provenance("absent", None, False)


@dataclass(frozen=True, slots=True)
class Support:
    """What a capability knows about the claim that a citation has to support.

    contains: whether a text holds the claimed value, or gold's, in an equivalent form.
    needs_judge: whether a text that holds it still has to be judged (a party quoted in another role).
    is_impossible: the claimed value is not in any document, so no quote can support it.
    part: of a claim that several citations carry together, what one of them is cited for (all of them are given). checks: all of them.
    at: whether a citation supports by its place and words what `contains` does not see.
    """

    field: str
    claim: str
    contains: Callable[[str], bool]
    needs_judge: Callable[[str], bool] = lambda text: False
    is_impossible: bool = False
    part: Callable[[CitationCheck, Sequence[CitationCheck]], str] | None = None
    checks: tuple[CitationCheck, ...] = ()
    at: Callable[[CitationCheck], bool] = lambda check: False


@dataclass(frozen=True, slots=True)
class Assessed:
    """One citation (or several, combined): its say on the item, its provenance block, and what was located."""

    part: Part
    provenance: Provenance
    check: CitationCheck | None = None


GoldPlaces = tuple[tuple[str | None, int | None, str | None], ...]


def check_claim(context: Context, citation: Citation, gold_places: GoldPlaces = ()) -> CitationCheck:
    """Locates one citation in the case's documents; remembered for replays of the case."""
    key = ("citation", citation, gold_places)
    if key not in context.memo:
        claim = Claim(citation.document, citation.page, citation.section, citation.quote)
        documents = tuple(context.documents.values())
        context.memo[key] = check_citation(claim, documents, context.citation_policy, gold_places=gold_places)
    found: CitationCheck = context.memo[key]
    return found


def assess(context: Context, citation: Citation, support: Support | None, gold_places: GoldPlaces = ()) -> Assessed:
    """Judges one citation: located first, then whether it supports the claim (None: nothing to support)."""
    check = check_claim(context, citation, gold_places)
    located = _location_part(context, check, support)
    if support is None or check.quote not in ("exact", "normalised") or SEVERITY[located.best] >= SEVERITY[Outcome.FAIL]:
        return Assessed(located, _provenance(context, check, located), check)
    supported = _support_part(context, check, support)
    part = worst_part([located, supported])
    return Assessed(part, _provenance(context, check, part, supported), check)


def _location_part(context: Context, check: CitationCheck, support: Support | None) -> Part:
    findings = tuple(Finding(code, detail) for code, detail in check.findings)
    if check.open == "paraphrase":
        return replace(_paraphrase_part(context, check), findings=findings)
    rule = RULES[check.outcome]
    if check.open is not None:
        best = Outcome.CORRECT if check.is_whole and check.document == "right" else Outcome.PARTIAL
        worst = Outcome.PARTIAL if check.open == "section_unknown" else Outcome.FAIL
        return opened(worst, best, _sentence(check), rule, check.open, *findings)
    label = Outcome(context.contract.provenance_labels[check.outcome])
    if label is Outcome.PARTIAL and check.both_wrong and support is not None and not support.contains(check.cited_page_text):
        return closed(Outcome.FAIL, f"{_sentence(check)} The cited page does not contain the claimed value.", "1.1 Fail", *findings)
    return closed(label, _sentence(check), rule, *findings)


def _paraphrase_part(context: Context, check: CitationCheck) -> Part:
    question = Question.of("quote_paraphrase", quote=check.claim.quote or "", passage=places_of(context, check))
    branches = {
        "paraphrase": closed(Outcome.PARTIAL, "The quote rewords the text of the document.", RULES["paraphrased"]),
        "fabricated": closed(Outcome.HALLUCINATION, "The quote is invented.", RULES["not_found"]),
    }
    return by_verdict(
        context.answers, question, branches, "No rule tells whether the quote is a rewording or invented.", RULES["paraphrased"]
    )


def _support_part(context: Context, check: CitationCheck, support: Support) -> Part:
    document = context.documents.get(check.found_in or "")
    quote = _standing_text(check, document)
    if support.is_impossible:
        return closed(Outcome.FAIL, "The quote cannot support a value that is not in the document.", RULES["unsupported"])
    definition = None
    held = support.contains(quote)
    if not held and document is not None:
        definition = leads_to(document, quote, support.contains)
        held = definition is not None or support.at(check)
    if held and not support.needs_judge(f"{quote}\n{definition or ''}"):
        return closed(Outcome.CORRECT, "The quote contains the value.", RULES["exact"])
    claim = support.claim if support.part is None else support.part(check, support.checks)
    passage = reading(context, [check], claim, beside=support.checks, definition=definition)
    question = Question.of("quote_support", field=support.field, claim=claim, quote=check.claim.quote or "", passage=passage)
    branches = {
        "supports": closed(Outcome.CORRECT, "The judge finds that the quote supports the value.", RULES["exact"]),
        "does_not_support": closed(Outcome.FAIL, "The quote is verbatim but does not support the value.", RULES["unsupported"]),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the quote supports the value.", RULES["unsupported"])


def _standing_text(check: CitationCheck, document: Document | None) -> str:
    """The source characters at the place (a quote may have lost marks that the value needs), with the quote itself.

    What an ellipsis leaves out was not quoted: a joined quote supports only by its own words.
    """
    if document is None or not check.spans or len(split_ellipsis(check.claim.quote or "")) > 1:
        return check.claim.quote or ""
    start, end = check.spans[0]
    return f"{document.text[start:end]}\n{check.claim.quote or ''}"


def _provenance(context: Context, check: CitationCheck, part: Part, supported: Part | None = None) -> Provenance:
    outcome, claim = check.outcome, check.claim
    is_settled = check.open == "paraphrase" and not part.is_open
    if is_settled:
        outcome = "paraphrased" if part.best is Outcome.PARTIAL else "not_found"
    if supported is not None and not supported.is_open and supported.best is Outcome.FAIL:
        outcome = "unsupported"
    is_located = check.open is None or is_settled or outcome != check.outcome
    waits = is_located and supported is not None and supported.is_open
    full = context.contract.provenance_scores.get(outcome) if is_located else None
    return Provenance(
        outcome=outcome,
        score=None if waits else full,
        complete=check.is_whole and full == 1,
        quote=outcome if outcome in ("paraphrased", "not_found") and check.open == "paraphrase" else check.quote,
        page=check.page,
        section=check.section,
        pages_found=check.pages_found,
        sections_found=check.sections_found,
        match=check.match,
        document=check.found_in or "",
        spans=check.spans,
        is_open=waits or not is_located,
        waits_for_support=waits,
        claim=Claimed(*("" if part is None else part for part in (claim.document, claim.page, claim.section, claim.quote))),
    )


def _sentence(check: CitationCheck) -> str:
    """One plain sentence: what was cited and where it stands."""
    claim = check.claim
    cited = ", ".join(str(x) for x in (claim.document, f"page {claim.page}" if claim.page not in (None, "") else None, claim.section) if x)
    stands = ", ".join([f"page {n}" for n in check.pages_found[:3]] + list(check.sections_found[:3]))
    texts = {
        "exact": f"The quote stands at {cited}.",
        "normalised": f"The quote stands at {cited}, up to the published folding rules.",
        "wrong_page": f"The quote stands at {stands or 'another place'}, not at {cited}.",
        "incomplete": f"The citation ({cited or 'a quote alone'}) lacks an element, or its sub-paragraph does not exist.",
        "paraphrased": f"The quote is not verbatim: the document has other words at {stands or cited}.",
        "unsupported": f"The citation ({cited}) cannot support the value.",
        "not_found": _not_found_sentence(check, cited),
        "fabricated_location": f"The cited place does not exist: {cited}.",
        "unreadable": f"The citation ({cited}) cannot be verified: the document cannot be read there, or its numbering is not known.",
        "absent": "There is no citation.",
    }
    return texts[check.outcome]


def _not_found_sentence(check: CitationCheck, cited: str) -> str:
    altered = next((detail for code, detail in check.findings if code == "ALTERED_QUOTE"), None)
    if altered is not None:
        return f"The quote differs from the document: {altered} (cited: {cited})."
    return f"The quote cannot be found in the document (cited: {cited})."


def absent(context: Context) -> Assessed:
    """No citation at all (judging.md 1.6)."""
    score = context.contract.provenance_scores["absent"]
    part = closed(Outcome(context.contract.provenance_labels["absent"]), "There is no citation.", RULES["absent"])
    return Assessed(part, replace(ABSENT, score=score))


def best_of_several(assessed: Sequence[Assessed]) -> Assessed:
    """Several citations of a field, covenant or flag: the best supporting one counts unless another is invented (judging.md 1)."""
    parts = [a.part for a in assessed]
    invented = next((a for a in assessed if a.part.best is Outcome.HALLUCINATION), None)
    chosen_part = invented.part if invented else best_part(parts)
    alike = [a for a in assessed if a.part.reason == chosen_part.reason]
    chosen = next((a for a in alike if SEVERITY[a.part.best] == SEVERITY[chosen_part.best]), alike[0])  # else the best is another's
    if invented is None and chosen_part.worst is not Outcome.HALLUCINATION:
        risky = [_risk(p, chosen_part) for p in parts if p is not chosen.part and p.worst is Outcome.HALLUCINATION]
        chosen_part = worst_part([chosen_part, *risky])
    others = [f for a in assessed for f in a.part.findings]
    return Assessed(replace(chosen_part, findings=tuple(dict.fromkeys([*chosen_part.findings, *others]))), chosen.provenance, chosen.check)


def _risk(part: Part, chosen: Part) -> Part:
    """Another citation that may prove invented: it can only make the item a hallucination, or leave it as it is."""
    return replace(part, best=chosen.best)


def worst_of_several(assessed: Sequence[Assessed]) -> Assessed:
    """Citations that all count (an answer's; a covenant's own with each flag's): the worst one."""
    part = worst_part([a.part for a in assessed])
    worst = min(assessed, key=lambda a: ORDER.index(a.provenance.outcome))
    complete = all(a.provenance.complete for a in assessed)
    is_open = any(a.provenance.is_open for a in assessed) and worst.provenance.score != 0
    waits = all(a.provenance.waits_for_support for a in assessed if a.provenance.is_open)
    provenance = replace(
        worst.provenance,
        complete=complete,
        is_open=is_open,
        waits_for_support=is_open and waits,
        score=None if is_open else worst.provenance.score,
    )
    return Assessed(part, provenance, worst.check)


def invented_parts(context: Context, claims: Sequence[Citation]) -> list[Part]:
    """What owes no citation (a refusal, an absent field) is not judged by one; an invented one is a hallucination all the same."""
    found = [assess(context, claim, None).part for claim in claims]
    return [replace(part, best=part.best if part.best is Outcome.HALLUCINATION else Outcome.CORRECT) for part in found if _is_risky(part)]


def _is_risky(part: Part) -> bool:
    return part.worst is Outcome.HALLUCINATION


def gold_places(citations: Sequence[Citation]) -> GoldPlaces:
    """Gold's own places, for the finding OTHER_LOCATION."""
    return tuple((c.document, c.page if isinstance(c.page, int) else None, c.section) for c in citations)


def assess_all(
    context: Context,
    citations: Sequence[Citation],
    support: Support | None,
    places: GoldPlaces = (),
    combine: Callable[[Sequence[Assessed]], Assessed] = best_of_several,
) -> tuple[Assessed, tuple[Provenance, ...]]:
    """All citations of an item: what they make of it together, and the block of each in output order (empty for a single one)."""
    if not citations:
        return absent(context), ()
    if support is not None:
        support = replace(support, checks=tuple(check_claim(context, citation, places) for citation in citations))
    assessed = [assess(context, citation, support, places) for citation in citations]
    if len(assessed) == 1:
        return assessed[0], ()
    return combine(assessed), tuple(a.provenance for a in assessed)
