"""Gold against the documents, so that wrong gold is found before a system is blamed: GOLD_NOT_FOUND, with file, line and JSON path.

Looked for: values of literal kinds (in any equivalent form), thresholds, cited pages, sections and quotes, required sections. Not looked
for: values that gold marks derived or illegible, binary values and free texts. A document with unreadable pages proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from deterministic.pdf.documents import Document
from deterministic.quotes.find import find_quote
from deterministic.values import KINDS
from judge.capabilities.onboarding.field_values import plain
from judge.capabilities.wording import has_words
from judge.cases import BenchmarkGold, Case, Citation, CovenantsGold, ExtractionGold, FieldGold, QaGold, RequiredSection
from judge.errors import Problem
from judge.inputs.documents import DocumentStore
from judge.inputs.index import CaseIndex
from judge.inputs.problems import shown
from judge.inputs.table import CaseSelection
from rubrics.contract import Contract

CODE = "GOLD_NOT_FOUND"
Documents = Mapping[str, Document]
Fault = tuple[str, str]  # JSON path, what is wrong


def gold_problems(index: CaseIndex, entries: CaseSelection, store: DocumentStore, contract: Contract) -> Iterator[Problem]:
    """Everything that gold says and its documents do not, case by case."""
    for entry in chain.from_iterable(group for _, group in sorted(entries.by_documents().items())):
        if entry.gold is None or not entry.documents:
            continue
        documents = store.documents(entry.documents)
        for path, message in gold_faults(index.load(entry), documents, contract):
            yield Problem(str(entry.gold.path), entry.gold.line, path, f"{CODE}: {message}")


def gold_faults(case: Case, documents: Documents, contract: Contract) -> Iterator[Fault]:
    """The faults of one case's gold; none when a page of its documents cannot be read."""
    if not all(document.is_readable for document in documents.values()):
        return
    gold = case.gold
    if isinstance(gold, ExtractionGold):
        yield from _fields(gold.fields, "gold.fields", documents, contract)
        for n, tranche in enumerate(gold.tranches):
            yield from _fields(tranche.fields, f"gold.tranches[{n}].fields", documents, contract)
    elif isinstance(gold, CovenantsGold):
        for n, covenant in enumerate(gold.covenants):
            path = f"gold.covenants[{n}]"
            yield from _words(covenant.threshold, f"{path}.threshold", documents)
            yield from _citations(covenant, path, documents)
    elif isinstance(gold, BenchmarkGold):
        for n, finding in enumerate(gold.findings):
            path = f"gold.findings[{n}]"
            if finding.finding == "deviation":
                yield from _words(finding.deal_value, f"{path}.deal_value", documents)
            yield from _citations(finding, path, documents)
    elif isinstance(gold, QaGold) and gold.answerable:
        for n, wanted in enumerate(gold.required_sections):
            yield from _section(wanted, f"gold.required_sections[{n}]", documents)


def _fields(fields: Mapping[Any, FieldGold], path: str, documents: Documents, contract: Contract) -> Iterator[Fault]:
    for key, gold in fields.items():
        place = f"{path}.{key}"
        if not gold.derived and gold.legible:
            kind = contract.fields[key].kind
            for name, value, kind_of in _values(gold, kind):
                if not _occurs_any((value, *(gold.accepted if name == "value" else ())), kind_of, documents):
                    yield f"{place}.{name}", f"{shown(plain(value))} stands nowhere in {_named(documents)}"
        yield from _citations(gold, place, documents)


def _values(gold: FieldGold, kind: str) -> Iterator[tuple[str, Any, str]]:
    """(key, value, kind) of what gold states: a list value is looked for one by one."""
    if gold.amended is not None:
        yield "amended.new_value", gold.amended.new_value, kind
        if gold.amended.original_value is not None:
            yield "amended.original_value", gold.amended.original_value, kind
        if gold.amended.effective_date is not None:
            yield "amended.effective_date", gold.amended.effective_date, "date"
    elif gold.value is not None:
        if isinstance(gold.value, tuple):
            yield from (("value", part, "party" if kind == "party_list" else kind) for part in gold.value)
        else:
            yield "value", gold.value, kind


def _occurs_any(values: Sequence[Any], kind: str, documents: Documents) -> bool:
    rule = KINDS[kind]
    return not rule.is_literal or any(rule.occurs(plain(value), document) for value in values for document in documents.values())


def _words(text: str | None, path: str, documents: Documents) -> Iterator[Fault]:
    """A figure or wording that must stand in the text: by its words, else by the amount, rate or ratio in it."""
    if text is None or any(has_words(document.text, text) for document in documents.values()):
        return
    if not any(KINDS[kind].occurs(text, document) for kind in ("money", "rate", "period", "date") for document in documents.values()):
        yield path, f"{shown(text)} stands nowhere in {_named(documents)}"


def _citations(gold: Any, path: str, documents: Documents) -> Iterator[Fault]:
    for n, claim in enumerate(gold.claims):
        place = f"{path}.citation" if gold.citation is not None else f"{path}.citations[{n}]"
        yield from _citation(claim, place, documents)


def _citation(claim: Citation, path: str, documents: Documents) -> Iterator[Fault]:
    if claim.document is not None and claim.document not in documents:
        yield f"{path}.document", f"{claim.document!r} is none of the case's documents ({_named(documents)})"
        return
    searched = [documents[claim.document]] if claim.document else list(documents.values())
    if isinstance(claim.page, int) and not any(1 <= claim.page <= len(document.pages) for document in searched):
        yield f"{path}.page", f"there is no physical page {claim.page} in {_named(documents)}"
    if claim.section and not any(d.clauses.find(claim.section).status in ("found", "empty") for d in searched):
        yield f"{path}.section", f"{claim.section!r} is no provision of {_named(documents)}"
    if claim.quote and not any(_stands(document, claim) for document in searched):
        yield f"{path}.quote", f"the quote does not stand in {_named(documents)}"


def _stands(document: Document, claim: Citation) -> bool:
    hint = claim.page if isinstance(claim.page, int) else None
    return find_quote(document, claim.quote or "", page_hint=hint, lower=100.0, upper=100.0).verdict in ("exact", "normalised")


def _section(wanted: str | RequiredSection, path: str, documents: Documents) -> Iterator[Fault]:
    section, name = (wanted, None) if isinstance(wanted, str) else (wanted.section, wanted.document)
    if name is not None and name not in documents:
        yield path, f"{name!r} is none of the case's documents ({_named(documents)})"
        return
    searched = [documents[name]] if name else list(documents.values())
    if not any(document.clauses.find(section).status == "found" for document in searched):
        yield path, f"{section!r} is no provision of {_named(documents)}"


def _named(documents: Documents) -> str:
    return ", ".join(documents)
