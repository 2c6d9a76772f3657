"""Provenance of an item (standard 5, design/support.md): the citations are located by `deterministic.citations.check`; here it is decided
what they make of the item, whether they support the claim, and which of several counts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.words import table
from deterministic.citations.check import ORDER, CitationCheck, Claim, check_citation
from deterministic.documents.documents import Document
from deterministic.lexicon.records import record
from deterministic.quotes.joins import split_ellipsis
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, asked, best_part, by_verdict, closed, opened, worst_part
from judge.capabilities.passages import places_of, reading
from judge.capabilities.places import ALTERED, picture_note, place_part, sentence, shown_page, with_answered_place
from judge.capabilities.scoring.citations import (
    GoldPlaces,
    Measure,
    document_score,
    place_score,
    quote_score,
    shortened,
    worst_measure,
    worth_of,
)
from judge.capabilities.scoring.dimensions import lowest
from judge.records import SEVERITY, Bounds, Claimed, Fact, Finding, Outcome, Part, Provenance, Question

RULES = table("judge.capabilities", "citations.toml")["rules"]


@record
class Support:
    """What a capability knows about the claim that a citation has to support (design/support.md). contains: whether a text holds the
    claimed value, or gold's, in an equivalent form. has_others: whether a text holds another value of the kind, or the value in another
    role or limb: then only a judge can tell. is_own: whether the words of a quote that holds the value make it what is claimed ("“Margin”
    means ...", "governed by ..."). is_at_place: whether it stands at gold's place, where gold's citations do not say so. is_impossible: the
    claimed value is not in any document, so no quote can support it. part: of a claim that several citations carry together, what one of
    them is cited for (all of them are given). checks: all of them. content: what is known of the claimed value itself, and shows: whether a
    text holds it, not gold's (companion.md B12)."""

    field: str
    claim: str
    contains: Callable[[str], bool]
    has_others: Callable[[str], bool] = lambda text: False
    is_own: Callable[[CitationCheck], bool] = lambda check: False
    is_at_place: Callable[[CitationCheck], bool] = lambda check: False
    is_impossible: bool = False
    part: Callable[[CitationCheck, Sequence[CitationCheck]], str] | None = None
    checks: tuple[CitationCheck, ...] = ()
    content: Part | None = None
    shows: Callable[[str], bool] = lambda text: True


@record
class Assessed:
    """One citation (or several, combined): its say on the item, its provenance block, and what was located. Under a contract with
    dimensions also its scores, those of each citation, and the parts whose questions they wait for."""

    part: Part
    provenance: Provenance
    check: CitationCheck | None = None
    measure: Measure | None = None
    each: tuple[Measure, ...] = ()
    asked: tuple[Part, ...] = ()

    @property
    def dimensions(self) -> Mapping[str, Bounds]:
        """A, B and C; nothing under a contract without them."""
        return {} if self.measure is None else self.measure.dimensions

    @property
    def aside(self) -> Aside | None:
        """A, B and C of an item without further dimensions; None under a contract without them."""
        return None if self.measure is None else Aside(self.measure.dimensions, asked=self.asked)


def aside_of(dimensions: Mapping[str, Bounds], parts: Mapping[str, Part], cited: Assessed | None, facts: Mapping[str, Fact]) -> Aside:
    """An item's own scores and checks beside those of its citations; the questions of all of them are asked."""
    if cited is None:
        return Aside(dimensions, parts, tuple(parts.values()), facts)
    asked = (*parts.values(), *cited.asked)
    return Aside({**dimensions, **cited.dimensions}, {**parts, "provenance": cited.part}, asked, facts)


def check_claim(context: Context, citation: Citation, gold_places: GoldPlaces = ()) -> CitationCheck:
    """One citation located in the case's documents, with what has been answered about its place."""
    return with_answered_place(context, _located(context, citation, gold_places))


def _located(context: Context, citation: Citation, gold_places: GoldPlaces) -> CitationCheck:
    def build() -> CitationCheck:
        claim = Claim(citation.document, citation.page, citation.section, citation.quote)
        return check_citation(claim, tuple(context.documents.values()), context.citation_policy, gold_places=gold_places)

    return context.cached(("citation", citation, gold_places), build)


def assess(context: Context, citation: Citation, support: Support | None, gold_places: GoldPlaces = ()) -> Assessed:
    """Judges one citation: located first, then whether it supports the claim (None: nothing to support)."""
    check = check_claim(context, citation, gold_places)
    located = place_part(context, _located(context, citation, gold_places), lambda one: _location_part(context, one, support))
    supported = None
    if support is not None and check.quote in ("exact", "normalised") and SEVERITY[located.best] < SEVERITY[Outcome.FAIL]:
        supported = _support_part(context, check, support, gold_places)
    part = located if supported is None else worst_part([located, supported])
    assessed = Assessed(part, _provenance(context, check, part, supported), check)
    if (rules := context.contract.dimensions) is None:
        return assessed
    # the scores of the companion rubrics; a shortened name is looked up in the file that it means
    name = shortened(citation.document, context.documents, rules.name_letters) if check.document == "unknown" else None
    if name is not None:
        meant = assess(context, citation.model_copy(update={"document": name}), support, gold_places)
        assert meant.measure is not None
        named, most = rules.document["imprecise"], rules.citation["incomplete"]
        measure = replace(meant.measure, document=(named, named), worth=lowest([meant.measure.worth, (most, most)]))
        return replace(assessed, measure=measure, each=(measure,), asked=(part, *meant.asked))
    shows = support.content if support is not None else None
    if shows is not None and support is not None and support.shows(_standing_text(check, context.documents.get(check.found_in or ""))):
        shows = None
    measure = Measure(
        document_score(check, rules),
        place_score(check, context.documents, rules, gold_places),
        quote_score(check, context.documents, rules, located, supported, shows),
        worth_of(part, assessed.provenance, rules, shows),
    )
    return replace(assessed, measure=measure, each=(measure,), asked=(part,))


def unread_measure(context: Context, assessed: Assessed) -> Assessed:
    """The scores of a citation whose quote cannot be verified after all: its place as without a quote, its quote open."""
    rules, check, measure = context.contract.dimensions, assessed.check, assessed.measure
    if rules is None or check is None or measure is None:
        return assessed
    claim, unread = check.claim, replace(check, quote="unreadable")
    bare = check_claim(context, Citation(document=claim.document, page=claim.page, section=claim.section))
    place = place_score(bare, context.documents, rules, ())
    quote = quote_score(unread, context.documents, rules, assessed.part, None, None)
    measure = replace(measure, place=place, quote=quote, worth=worth_of(assessed.part, assessed.provenance, rules))
    return replace(assessed, measure=measure, each=(measure,))


def _location_part(context: Context, check: CitationCheck, support: Support | None) -> Part:
    if check.open == "paraphrase":
        return _paraphrase_part(context, check)
    findings = tuple(Finding(code, detail) for code, detail in check.findings)
    rule = RULES[check.outcome]
    if check.open is not None:
        best = Outcome.CORRECT if check.is_whole and check.document == "right" else Outcome.PARTIAL
        worst = Outcome.PARTIAL if check.open in ("section_unknown", "page_unknown") else Outcome.FAIL
        return opened(worst, best, sentence(check), rule, check.open, *findings)
    label = Outcome(context.contract.provenance_labels[check.outcome])
    if label is Outcome.PARTIAL and check.both_wrong and support is not None and not support.contains(check.cited_page_text):
        return closed(Outcome.FAIL, f"{sentence(check)} The cited page does not contain the claimed value.", "1.1 Fail", *findings)
    return closed(label, sentence(check), rule, *findings)


def _paraphrase_part(context: Context, check: CitationCheck) -> Part:
    codes = tuple(Finding(code, detail) for code, detail in check.findings)
    altered = Finding(ALTERED, "the judge finds that the quote says something else than the text that it follows")
    other = "The quote was altered: it says something else than the text that it follows."
    branches = {
        "paraphrase": closed(Outcome.PARTIAL, "The quote rewords the text of the document.", RULES["paraphrased"]),
        "altered": closed(Outcome.HALLUCINATION, other, RULES["not_found"], altered),
        "fabricated": closed(Outcome.HALLUCINATION, "The quote is invented.", RULES["not_found"]),
    }
    reason, texts = "No rule tells whether the quote is a rewording, altered or invented.", {"quote": check.claim.quote or ""}
    part = asked(context, "quote_paraphrase", branches, reason, RULES["paraphrased"], passage=places_of(context, check), **texts)
    return replace(part, findings=(*codes, *part.findings))


def _support_part(context: Context, check: CitationCheck, support: Support, places: GoldPlaces) -> Part:
    if support.is_impossible:
        return closed(Outcome.FAIL, "The quote cannot support a value that is not in the document.", RULES["unsupported"])
    if _is_supported(context, check, support, places):
        return closed(Outcome.CORRECT, "The quote contains the value.", RULES["exact"])
    claim = support.claim if support.part is None else support.part(check, support.checks)
    shown = shown_page(context, check) if check.is_seen else None
    passage = picture_note(shown[1]) if shown else reading(context, [check], claim, beside=support.checks)
    question = Question.of("quote_support", field=support.field, claim=claim, quote=check.claim.quote or "", passage=passage)
    question = replace(question, pictures=(shown[1],) if shown else ())
    branches = {
        "supports": closed(Outcome.CORRECT, "The judge finds that the quote supports the value.", RULES["exact"]),
        "does_not_support": closed(Outcome.FAIL, "The quote is verbatim but does not support the value.", RULES["unsupported"]),
    }
    return by_verdict(context.answers, question, branches, "No rule tells whether the quote supports the value.", RULES["unsupported"])


def _is_supported(context: Context, check: CitationCheck, support: Support, places: GoldPlaces) -> bool:
    """The quote holds the value and no other of its kind, and its own words or gold's place make it the one that is claimed."""
    said, quote = check.claim.quote or "", _standing_text(check, context.documents.get(check.found_in or ""))
    if not (support.contains(said) or (quote != said and support.contains(quote))) or support.has_others(said):
        return False
    return support.is_own(check) or support.is_at_place(check) or stands_in_any_place(context, check, places)


def _standing_text(check: CitationCheck, document: Document | None) -> str:
    """The source characters at the place (a quote may have lost marks that the value needs), with the quote itself. What an ellipsis leaves
    out was not quoted: a joined quote supports only by its own words."""
    if document is None or not check.spans or len(split_ellipsis(check.claim.quote or "")) > 1:
        return check.claim.quote or ""
    start, end = check.spans[0]
    return f"{document.text[start:end]};\n{check.claim.quote or ''}"


def stands_in_any_place(context: Context, check: CitationCheck, places: GoldPlaces) -> bool:
    """Whether the quote of one citation stands in one of the provisions that gold cites, on the page that gold cites for it."""
    if (document := context.documents.get(check.found_in or "")) is None or check.quote not in ("exact", "normalised"):
        return False
    for name, cited, section in places:
        if name in (None, document.name) or name not in context.documents:
            page = cited if name in (None, document.name) and document.paging == "physical" else None
            clauses = document.clauses.find(section).clauses if section else ()
            for start, end in check.spans if clauses or page is not None else ():
                is_inside = not clauses or any(clause.start <= start and end <= clause.end for clause in clauses)
                if is_inside and (page is None or page in document.pages_of(start, end)):
                    return True
    return False


def _provenance(context: Context, check: CitationCheck, part: Part, supported: Part | None = None) -> Provenance:
    outcome, claim = check.outcome, check.claim
    if is_settled := check.open == "paraphrase" and not part.is_open:
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
        claim=Claimed(claim.document or "", "" if claim.page is None else claim.page, claim.section or "", claim.quote or ""),
    )


def absent(context: Context) -> Assessed:
    """What an item that owes a citation and has none is worth by it, under the contract (design/support.md)."""
    score, rules = context.contract.provenance_scores["absent"], context.contract.dimensions
    part = closed(Outcome(context.contract.provenance_labels["absent"]), "There is no citation.", RULES["absent"])
    assessed = Assessed(part, Provenance("absent", score, False))
    if rules is None:
        return assessed
    scores = (rules.document["other"], rules.place["nothing"], rules.quote["not_found"], rules.citation["absent"])
    return replace(assessed, measure=Measure(*((score, score) for score in scores)))


def best_of_several(assessed: Sequence[Assessed]) -> Assessed:
    """Several citations of a field, covenant or flag as one: the best supporting one, or one that is invented (design/support.md)."""
    parts = [a.part for a in assessed]
    invented = next((a for a in assessed if a.part.best is Outcome.HALLUCINATION), None)
    chosen_part = invented.part if invented else best_part(parts)
    alike = [a for a in assessed if a.part.reason == chosen_part.reason]
    chosen = next((a for a in alike if SEVERITY[a.part.best] == SEVERITY[chosen_part.best]), alike[0])  # else the best is another's
    if invented is None and chosen_part.worst is not Outcome.HALLUCINATION:
        # another citation that may prove invented can only make the item a hallucination, or leave it as it is
        others = [p for p in parts if p is not chosen.part and p.worst is Outcome.HALLUCINATION]
        chosen_part = worst_part([chosen_part, *(replace(p, best=chosen_part.best) for p in others)])
    findings = dict.fromkeys([*chosen_part.findings, *(f for a in assessed for f in a.part.findings)])
    return replace(chosen, part=replace(chosen_part, findings=tuple(findings)), **_together(assessed, chosen.measure))


def _together(assessed: Sequence[Assessed], measure: Measure | None) -> dict[str, Any]:
    each = tuple(m for a in assessed for m in a.each)
    return {"measure": measure, "each": each, "asked": tuple(part for a in assessed for part in a.asked)}


def worst_of_several(assessed: Sequence[Assessed]) -> Assessed:
    """Several citations as one where all count (an answer's; a covenant's own with each flag's): as the worst, whole where all are."""
    part = worst_part([a.part for a in assessed])
    worst = min(assessed, key=lambda a: ORDER.index(a.provenance.outcome))
    is_open = any(a.provenance.is_open for a in assessed) and worst.provenance.score != 0
    waits = is_open and all(a.provenance.waits_for_support for a in assessed if a.provenance.is_open)
    is_whole, score = all(a.provenance.complete for a in assessed), None if is_open else worst.provenance.score
    provenance = replace(worst.provenance, complete=is_whole, is_open=is_open, waits_for_support=waits, score=score)
    measures = [a.measure for a in assessed if a.measure is not None]
    return Assessed(part, provenance, worst.check, **_together(assessed, worst_measure(measures) if measures else None))


def invented_parts(context: Context, claims: Sequence[Citation]) -> list[Part]:
    """A part for each citation of what owes none (a refusal, an absent field) that is invented, or may be; none for the others."""
    found = [part for claim in claims if (part := assess(context, claim, None).part).worst is Outcome.HALLUCINATION]
    return [replace(part, best=part.best if part.best is Outcome.HALLUCINATION else Outcome.CORRECT) for part in found]


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
    return (assessed[0], ()) if len(assessed) == 1 else (combine(assessed), tuple(a.provenance for a in assessed))
