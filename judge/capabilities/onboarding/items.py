"""Loan onboarding extraction (standard 1): presence, values, fabrication, amendments, tranches, confidence, weights; a field under the
companion rubric is the lowest of its content, how much of the value a text gives, and its citation."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from deterministic.lexicon.labels import LABELS
from deterministic.lexicon.records import record
from deterministic.values import KINDS, Surroundings
from deterministic.values.names import binary
from deterministic.values.stated import is_stated
from judge.capabilities.cases import Citation
from judge.capabilities.context import Context
from judge.capabilities.decisions import Aside, Subject, by_verdict, closed, decide, opened, text_of, unverified, value_facts, worst_part
from judge.capabilities.onboarding import ExtractionGold, ExtractionOutput, FieldGold, FieldOutput, field_note
from judge.capabilities.onboarding.confidence import hitl_findings, is_excused, missing_page_findings
from judge.capabilities.onboarding.extras import extras
from judge.capabilities.onboarding.field_values import (
    FieldView,
    asked_review,
    change_text,
    content_part,
    invented,
    nothing_findings,
    plain,
    reported_text,
    reported_value,
    scoped_text,
)
from judge.capabilities.onboarding.support import FieldClaim, support_of
from judge.capabilities.onboarding.tranches import TranchePairing, pair_tranches, same_labels
from judge.capabilities.provenance import Assessed, aside_of, assess_all, check_claim, gold_places, invented_parts, unread_measure
from judge.capabilities.scoring.citations import score_of, worth_of
from judge.capabilities.scoring.dimensions import lowest
from judge.capabilities.wording import with_conditions
from judge.records import NOT_REQUIRED, Decision, Fact, Finding, Outcome, Part, Provenance, Question


@record
class Place:
    """One field item: which field, in which tranche (None: top level), and both sides of it."""

    key: str
    tranche: str | None
    reported: FieldOutput | None
    value: Any  # that is claimed; None where none is
    gold: FieldGold | None
    weight: Fraction
    names: Mapping[str, tuple[str, ...]]  # what else gold and the output call gold's tranches
    pairing: Question | None = None  # whether the reported tranche is this one
    label: tuple[str, ...] = ()  # of a reported tranche that may be this one
    siblings: tuple[Any, ...] = ()
    shared_by: tuple[str, ...] = ()  # gold's tranches, for a top-level field


def judge(context: Context) -> list[Decision]:
    """Every item of an extraction case, in a fixed order: document type, fields, tranches, extras."""
    output: ExtractionOutput = context.case.output if context.case.output is not None else ExtractionOutput()
    gold: ExtractionGold | None = context.case.gold
    pairing = pair_tranches(context, output.tranches, gold.tranches if gold is not None else ())
    places = list(_places(context, output, gold, pairing))
    decisions = [*_document_type(context, output, gold), *(_field(context, place) for place in places)]
    return [*decisions, *extras(context, output, gold, pairing, {(p.tranche, p.key) for p in places})]


def _places(context: Context, output: ExtractionOutput, gold: ExtractionGold | None, pairing: TranchePairing) -> Iterator[Place]:
    if gold is None:
        reported = {t.label: t.fields for t in reversed(output.tranches)}
        truth: dict[str | None, Mapping[str, FieldGold | None]] = {None: dict.fromkeys(output.fields)}
        truth |= {t.label: dict.fromkeys(t.fields) for t in output.tranches}
    else:
        reported = {gold.tranches[g].label: output.tranches[r].fields for g, r in pairing.pairs.items()}
        tops: dict[str, FieldGold | None] = {str(k): v for k, v in gold.fields.items()}
        truth = {None: tops, **{t.label: {str(k): v for k, v in t.fields.items()} for t in gold.tranches}}
    labels_of = {gold.tranches[g].label: (output.tranches[pairing.pairs[g]].label,) for g in pairing.questions} if gold is not None else {}
    questions = {gold.tranches[g].label: question for g, question in pairing.questions.items()} if gold is not None else {}
    names = _names(output, gold, pairing) if gold is not None else {}
    counts = Counter(key for fields in truth.values() for key in fields)
    labels = tuple(t.label for t in gold.tranches) if gold is not None else ()
    for label, fields in truth.items():
        mine: Mapping[str, FieldOutput] = output.fields if label is None else reported.get(label, {})  # type: ignore[assignment]
        for key in (k for k in context.contract.fields if k in fields):
            weight, field = context.contract.tiers[context.contract.fields[key].tier], mine.get(key)
            yield Place(
                key=key,
                tranche=label,
                reported=field,
                value=reported_value(field),
                gold=fields[key],
                weight=weight if counts[key] == 1 else weight / counts[key],
                pairing=questions.get(label) if label is not None else None,
                label=labels_of.get(label, ()) if label is not None else (),
                siblings=_siblings(truth, key, label),
                shared_by=labels if label is None else (),
                names=names,
            )


def _names(output: ExtractionOutput, gold: ExtractionGold, pairing: TranchePairing) -> dict[str, tuple[str, ...]]:
    """Gold's label of a tranche -> its aliases, and the label that the output gives the tranche that a rule paired with it."""
    sure = {g: output.tranches[r].label for g, r in pairing.pairs.items() if g not in pairing.questions}
    return {t.label: (*t.aliases, *((sure[g],) if g in sure else ())) for g, t in enumerate(gold.tranches)}


def _siblings(truth: Mapping[str | None, Mapping[str, FieldGold | None]], key: str, label: str | None) -> tuple[Any, ...]:
    others = (fields.get(key) for other, fields in truth.items() if other is not None and other != label)
    return tuple(plain(g.value) for g in others if g is not None and g.value is not None)


def _field(context: Context, place: Place) -> Decision:
    claims = place.reported.claims if place.reported is not None else ()
    view = _view(context, place, claims)
    content = content_part(context, view)
    cited: Assessed | None = None
    others: list[Part] = []
    provenances: tuple[Provenance, ...] = ()
    if _needs_provenance(context, place):
        cited, provenances = _provenance(context, place, claims, content)
        cited = _beyond_reading(context, place, cited)
    else:
        others = invented_parts(context, claims)
    part = worst_part([content, *([cited.part] if cited else others), *_scope_parts(place)])
    found = None
    if place.pairing is not None:
        part, found = _if_paired(context, place, part), _if_paired(context, place, closed(Outcome.CORRECT, "", "1.5"))
    subject = Subject(
        item=f"fields.{place.key}" if place.tranche is None else f"tranches.{place.tranche}.{place.key}",
        weight=place.weight,
        tranche=place.tranche,
        reported=scoped_text(reported_text(place.reported), place.label),
        gold=_gold_text(place.gold),
        confidence=place.reported.confidence if place.reported else None,
        counts_for_field=not (place.gold is not None and place.gold.unchanged),
        hitl=asked_review(place.reported) if place.tranche is None else "",
        note=field_note(place.key),
        metadata=place.reported.carried if place.reported else {},
    )
    findings = (*hitl_findings(place.reported, context.contract.confidence), *nothing_findings(place.reported))
    findings += tuple(missing_page_findings(place.reported, place.value, place.gold))
    aside = field_aside(context, view, content, cited, others, found)
    return decide(context, subject, part, cited.provenance if cited else NOT_REQUIRED, provenances, findings, aside=aside)


def _if_paired(context: Context, place: Place, part: Part) -> Part:
    """An item of a reported tranche that only a judge can tell to be gold's."""
    assert place.pairing is not None
    reason = f"No rule tells whether a reported tranche is {place.tranche!r}."
    finding = Finding("NOT_REPORTED", "tranche not reported")
    missed = closed(Outcome.FAIL, f"Nothing is reported for the tranche {place.tranche!r}.", "1.5", finding)
    branches = {"equivalent": part, "partially_equivalent": missed, "not_equivalent": missed}
    return by_verdict(context.answers, place.pairing, branches, reason, "1.5")


def _view(context: Context, place: Place, claims: Sequence[Citation]) -> FieldView:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    checks = [check_claim(context, c, places) for c in claims]
    quotes: list[str] = []
    for check in checks:
        document = context.documents.get(check.found_in or "")
        if document is not None and check.quote in ("exact", "normalised"):
            # a quote that OCR reads has no place in the text; it is the recognised text itself
            quotes.extend([document.text[start:end] for start, end in check.spans[:4]] or [check.claim.quote or ""])
    labels = (*LABELS.get(place.key, ()), *((place.tranche, *place.names.get(place.tranche, ())) if place.tranche else ()))
    surroundings = Surroundings(tuple(quotes), context.text, place.siblings, labels)
    kind = context.contract.fields[place.key].kind
    return FieldView(place.key, kind, place.reported, place.gold, surroundings, tuple(checks), place.tranche)


def _needs_provenance(context: Context, place: Place) -> bool:
    """Every extracted or amended field; not `absent`, `unchanged`, a binary N, or what was rightly given up as illegible (A14). A yes in
    other words than the table's is right only as what gold says, so it owes what that owes."""
    if place.reported is None or place.value is None or is_excused(place.reported, place.gold, context.contract.confidence):
        return False
    said, gold = binary.parse(place.value), place.gold
    if said is None and gold is not None:
        said = binary.parse(plain(gold.truth))
    return not KINDS[context.contract.fields[place.key].kind].is_yes_no or bool(said)


def _provenance(context: Context, place: Place, claims: Sequence[Citation], content: Part) -> tuple[Assessed, tuple[Provenance, ...]]:
    places = gold_places(place.gold.claims) if place.gold is not None else ()
    tranches = tuple(label for label in place.names if label != place.tranche) if place.tranche is not None else ()
    claim = FieldClaim(place.key, place.value, place.gold, claims, places, _claimed(place), place.tranche, tranches)
    living = [claim for claim in claims if not _is_struck_original(context, place, claim, places)]
    return assess_all(context, living or claims, support_of(context, claim, content), places)


def _beyond_reading(context: Context, place: Place, assessed: Assessed) -> Assessed:
    """What is quoted for a passage that nobody can read cannot be shown to be invented; where the page itself is missing it is (5.2), or
    may be, if the others cannot be read."""
    gold, found = place.gold, assessed.provenance
    if gold is None or gold.legible:
        return assessed
    if gold.missing_page is not None and found.outcome == "unreadable":
        finding = unverified(f"the quote is on no readable page, and page {gold.missing_page} is not in the file")
        return replace(assessed, part=replace(assessed.part, findings=(*assessed.part.findings, finding)))
    if gold.missing_page is not None or found.outcome != "not_found" or found.page == "out_of_range":
        return assessed
    reason, rule = "The quote cannot be verified: the passage cannot be read.", "5.1 Not verifiable"
    part = opened(Outcome.FAIL, Outcome.CORRECT, reason, rule, "unreadable", *assessed.part.findings)
    unread = replace(found, outcome="unreadable", quote="unreadable", page="unknown", section="unknown", score=None, is_open=True)
    return unread_measure(context, replace(assessed, part=part, provenance=unread))


def _is_struck_original(context: Context, place: Place, claim: Citation, places: tuple[Any, ...]) -> bool:
    """Whether a citation quotes struck text as the evidence of an amended field's original value, which it is."""
    original = plain(place.reported.original_value) if place.reported is not None and place.reported.status == "amended" else None
    if original is None or all(code != "DELETED_TEXT" for code, _ in check_claim(context, claim, places).findings):
        return False
    return KINDS[context.contract.fields[place.key].kind].supports(original, claim.quote or "")


def _claimed(place: Place) -> str:
    """What the citations of a field show together: its value; of an amended field also what it was and from when."""
    value, reported = text_of(place.value) or "", place.reported
    if reported is None or reported.status != "amended":
        return value
    also = {"in place of": text_of(plain(reported.original_value)), "from": reported.effective_date}
    return "; ".join([f"amended to {value}", *(f"{name} {text}" for name, text in also.items() if text and is_stated(text))])


def _scope_parts(place: Place) -> list[Part]:
    """Multi-tranche deals: a shared field is noted as shared, a scope is stated (standard 1.5, A7)."""
    gold, reported = place.gold, place.reported
    if not place.shared_by or gold is None or gold.absent or reported is None or place.value is None:
        return []
    stated, rule = reported.scope or (), "1.5 Partial (A7)"
    if gold.scope is None:
        if reported.shared or (reported.shared is None and same_labels(stated, place.shared_by, place.names)):
            return []
        finding = Finding("SHARED_NOT_NOTED", "a field of all tranches is not noted as shared")
        return [closed(Outcome.PARTIAL, "The field is shared by all tranches but not noted as shared.", rule, finding)]
    if same_labels(stated, gold.scope, place.names):
        return []
    detail = f"applies to {', '.join(gold.scope)}; stated: {', '.join(stated) or 'nothing'}"
    finding = Finding("TRANCHE_SCOPE_WRONG" if stated else "TRANCHE_SCOPE_MISSING", detail)
    return [closed(Outcome.PARTIAL, f"The tranches that the field applies to are not stated rightly: {detail}.", rule, finding)]


def _document_type(context: Context, output: ExtractionOutput, gold: ExtractionGold | None) -> list[Decision]:
    truth = gold.document_type if gold is not None else None
    if "amendment" not in (output.document_type, truth):
        return []
    subject = Subject("document_type", context.contract.extraction.document_type_weight, reported=output.document_type, gold=truth)
    if truth is None:
        part = opened(Outcome.FAIL, Outcome.CORRECT, "Reported as an amendment.", "1.4", "no_reference")
    elif output.document_type == truth:
        part = closed(Outcome.CORRECT, "Flagged as an amendment.", "1.4 Correct")
    else:
        said = output.document_type or "nothing"
        part = closed(Outcome.FAIL, f"The document type is {truth.replace('_', ' ')}; reported: {said.replace('_', ' ')}.", "1.4 Fail")
    return [decide(context, subject, part)]


def _gold_text(gold: FieldGold | None) -> str | None:
    if gold is None:
        return None
    text = "absent" if gold.absent else "unchanged" if gold.unchanged else scoped_text(text_of(gold.value), gold.scope) or ""
    if gold.amended is not None:
        text = change_text(gold.amended)
    elif not gold.legible and gold.value is None:
        text = "illegible" if gold.missing_page is None else f"on page {gold.missing_page}, which is missing"
    seen = (gold.visible,) if isinstance(gold.visible, str) else gold.visible or ()
    notes = ["not legible"] * (not gold.legible and gold.value is not None) + ["worked out, not stated in the document"] * gold.derived
    return with_conditions(text, {"Also right": [text_of(one) or "" for one in gold.accepted], "Legible of it": seen, "Note": notes})


DEGREE = "companion: degree"


def field_aside(
    context: Context, view: FieldView, content: Part, cited: Assessed | None, others: Sequence[Part], found: Part | None
) -> Aside | None:
    """The scores and checks of one field; None under a contract without dimensions. cited: its citations where it owes some; others: what
    else its citations can make of it, and its scope; found: whether its tranche is the one that was reported, None where no judge is needed
    for that."""
    if (rules := context.contract.dimensions) is None:
        return None
    parts = {"content": content} | ({"degree": degree} if (degree := _degree(context, view, content)) is not None else {})
    scores = [score_of(part, rules.content) for part in parts.values()]
    if cited is not None and cited.measure is not None:
        scores.append(cited.measure.worth)
    else:
        scores += [worth_of(part, NOT_REQUIRED, rules) for part in others]
    if found is not None:
        scores.append(score_of(found, rules.content))
    aside = aside_of({"field": lowest(scores)} if view.gold is not None else {}, parts, cited, _facts(context, view, content))
    asked = aside.asked if cited is not None else (*aside.asked, *others)
    if found is not None:
        asked = (found,) if found.questions else (found, *asked)
    return replace(aside, asked=asked, parts=aside.parts if found is None else {**aside.parts, "found": found})


def _degree(context: Context, view: FieldView, content: Part) -> Part | None:
    """How much of the value a text gives that a judge found to be part of it; None where a rule or the judge told all."""
    asked = content.question
    if asked is None or not KINDS[view.kind].is_graded or content.is_open or content.best is not Outcome.PARTIAL:
        return None
    branches = {
        "part": closed(Outcome.PARTIAL, "The judge finds that a part of the value is given.", DEGREE),
        "structural": closed(Outcome.PARTIAL, "The judge finds that only the kind of thing is named.", DEGREE, mark="structural"),
        "wrong": closed(Outcome.FAIL, "The judge finds that nothing of the value is given rightly.", DEGREE),
    }
    question = Question("value_degree", asked.variables)
    return by_verdict(context.answers, question, branches, "No rule tells how much of the value is given.", DEGREE)


def _facts(context: Context, view: FieldView, content: Part) -> Mapping[str, Fact]:
    """Whether the value is gold's figure, and written as gold writes it; nothing of a field that claims none."""
    if (value := reported_value(view.reported)) is None:
        return {}
    missing, gold = bool(invented(context, view.kind, value)), view.gold
    truths = () if gold is None else (gold.amended.new_value,) if gold.amended is not None else (gold.value, *gold.accepted)
    return value_facts(content, missing if context.is_readable or not missing else None, text_of(value), *map(text_of, truths))
