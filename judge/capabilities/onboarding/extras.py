"""What an extraction reports and gold does not have: not scored, but neither citations nor values may be invented (A9)."""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from deterministic.values import KINDS, Surroundings
from judge.capabilities.context import Context
from judge.capabilities.decisions import Subject, closed, decide_extra, nowhere_part, opened, shown_text, worst_part
from judge.capabilities.onboarding import ExtractionGold, ExtractionOutput, FieldOutput, TrancheOutput
from judge.capabilities.onboarding.field_values import asked_review, invented, is_negative, reported_text, reported_value
from judge.capabilities.onboarding.support import truths_of
from judge.capabilities.onboarding.tranches import TranchePairing, fold_label, is_designated_otherwise, stands_in_documents
from judge.capabilities.provenance import assess_all, worst_of_several
from judge.records import NOT_REQUIRED, Decision, Finding, Outcome, Part


def extras(
    context: Context,
    output: ExtractionOutput,
    gold: ExtractionGold | None,
    pairing: TranchePairing,
    known: Collection[tuple[str | None, str]],
) -> Iterator[Decision]:
    """Reported tranches and fields that gold does not have: not scored, but neither citations nor values may be invented."""
    if gold is None:
        return
    truths = _all_truths(gold)
    for key, field in output.fields.items():
        if (None, key) not in known:
            yield from _extra_field(context, f"fields.{key}", None, key, field, truths)
    paired = {r: gold.tranches[g].label for g, r in pairing.pairs.items()}
    seen: dict[str, int] = {}
    for index, tranche in enumerate(output.tranches):
        folded = fold_label(tranche.label)
        seen[folded] = seen.get(folded, 0) + 1
        if index not in paired:
            yield _extra_tranche(context, tranche, seen[folded], index in pairing.second, truths)
            continue
        for key, field in tranche.fields.items():
            if (paired[index], key) not in known:
                yield from _extra_field(context, f"tranches.{tranche.label}.{key}", tranche.label, key, field, truths)


def _all_truths(gold: ExtractionGold) -> Mapping[str, tuple[Any, ...]]:
    """Every value that gold gives a field, at the top or under a tranche: a repetition of one of them is no invention."""
    found: dict[str, tuple[Any, ...]] = {}
    for fields in (gold.fields, *(tranche.fields for tranche in gold.tranches)):
        for key, field in fields.items():
            found[key] = (*found.get(key, ()), *truths_of(field))
    return found


def _extra_field(
    context: Context, item: str, tranche: str | None, key: str, field: FieldOutput, truths: Mapping[str, tuple[Any, ...]]
) -> Iterator[Decision]:
    if (value := reported_value(field)) is None or is_negative(context.contract.fields[key].kind, value):
        return
    assessed, provenances = assess_all(context, field.claims, None)
    hitl = asked_review(field) if tranche is None else ""
    subject = Subject(item, Fraction(0), tranche, reported_text(field), confidence=field.confidence, hitl=hitl, metadata=field.carried)
    finding = Finding("EXTRA_FIELD", f"gold does not have {item}")
    part = worst_part([assessed.part, *_invented_values(context, key, value, truths)])
    yield decide_extra(context, subject, finding, part, assessed.provenance, provenances, assessed.aside)


def _invented_values(context: Context, key: str, value: Any, truths: Mapping[str, tuple[Any, ...]]) -> Iterator[Part]:
    """A value that gold does not judge, and that is not in the document; a length can have been computed from two of its days."""
    kind, known = KINDS[context.contract.fields[key].kind], truths.get(key, ())
    missing = () if kind.is_computed else invented(context, context.contract.fields[key].kind, value, *known)
    if missing and all(kind.compare(value, truth, (), Surroundings()).label in ("wrong", "open") for truth in known):
        yield nowhere_part(context, shown_text(missing[0]))


def _extra_tranche(context: Context, tranche: TrancheOutput, nth: int, is_second: bool, truths: Mapping[str, tuple[Any, ...]]) -> Decision:
    """A tranche that gold lacks, or a second report of one: its label and values are looked for, its citations checked."""
    label = tranche.label
    subject = Subject(f"tranches.+{label}" + (f"#{nth}" if nth > 1 else ""), Fraction(0), label, label)
    finding = Finding("EXTRA_TRANCHE", f"gold has no tranche {label!r}")
    if is_second:
        finding = Finding("DUPLICATE_TRANCHE", f"a second report of the tranche {label!r}")
    parts = [] if is_second else [_label_part(context, label)]
    reported = [(key, f, reported_value(f)) for key, f in tranche.fields.items()]
    for key, _, value in reported:
        parts.extend(_invented_values(context, key, value, truths) if value is not None else ())
    assessed = [assess_all(context, f.claims, None)[0] for _, f, value in reported if value is not None and f.claims]
    provenance, aside = NOT_REQUIRED, None
    if assessed:
        combined = worst_of_several(assessed)
        parts.append(combined.part)
        provenance, aside = combined.provenance, combined.aside
    return decide_extra(context, subject, finding, worst_part(parts) if parts else None, provenance, aside=aside)


def _label_part(context: Context, label: str) -> Part:
    """Other words than the document's are no proof that a tranche is invented: only a letter or number that no tranche of it has is."""
    if stands_in_documents(context, label):
        return closed(Outcome.CORRECT, f"The document has {label!r}.", "1.5")
    if not context.is_readable:
        return opened(Outcome.HALLUCINATION, Outcome.CORRECT, f"{label!r} is on no readable page.", "1.5", "unreadable")
    if is_designated_otherwise(context, label):
        return closed(Outcome.HALLUCINATION, f"The tranche {label!r} is not in the document.", "1.1 Hallucination")
    return opened(Outcome.HALLUCINATION, Outcome.CORRECT, f"The document does not say {label!r}.", "1.5", "cannot_determine")
