"""Right outputs to plant faults in: the shipped sample and agreements that a path names (not in this repository).

A data file holds what a person read out of an agreement, in short: a value and, per citation, the section and the quote. The page of
a quote is looked up by plain text search in pymupdf's text, never by the program under test.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks.rendering import RENDERERS
from deterministic.documents.documents import Document, open_document

DATA = Path(__file__).parent / "data"
SAMPLE = Path(__file__).parent.parent / "judge" / "samples" / "deal"
SAMPLE_CASES = (
    "lo-right",
    "lo-amendment-right",
    "cm-right",
    "cm-waiver-right",
    "bm-right",
    "qa-right",
    "qa-two-clauses",
    "qa-qualified",
    "qa-fees",
    "qa-refusal",
)


def squeezed(text: str) -> str:
    """Letters and digits alone, folded: the key of the plain text search."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


@dataclass(frozen=True)
class PlainText:
    """One PDF as pymupdf's text, page by page."""

    name: str
    pages: tuple[str, ...]
    labels: tuple[str, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(squeezed(page) for page in self.pages)

    @cached_property
    def whole(self) -> str:
        return "".join(self.keys)

    @cached_property
    def running(self) -> str:
        """All pages as one line of single-spaced, case-folded text."""
        return " ".join(unicodedata.normalize("NFKC", " ".join(self.pages)).casefold().split())

    def pages_of(self, quote: str) -> tuple[int, ...]:
        """Physical pages on which the quote stands or starts."""
        key = squeezed(quote)
        found = [n for n, page in enumerate(self.keys, 1) if key in page]
        if not found:
            head = key[: min(30, len(key))]
            found = [n for n, page in enumerate(self.keys, 1) if head in page[-len(key) - 200 :]]
        return tuple(found)

    def count(self, quote: str) -> int:
        return self.whole.count(squeezed(quote))

    def has_word(self, text: str) -> bool:
        """Whether the text stands anywhere on word boundaries (white space and case folded)."""
        wanted = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
        return re.search(rf"(?<![\w.,]){re.escape(wanted)}(?![\w]|[.,]\d)", self.running) is not None

    def lone_numbers(self, page: int) -> set[int]:
        """Numbers in the first and last lines of a page, and alone on any line: what could be one of its printed numbers."""
        lines = [line for line in self.pages[page - 1].splitlines() if line.strip()]
        edges = {int(n) for line in lines[:4] + lines[-4:] for n in re.findall(r"\d{1,4}", line)}
        return edges | {int(m[1]) for line in lines if (m := re.fullmatch(r"\W*(\d{1,4})\W*", line))}


@dataclass(frozen=True)
class BaseCase:
    """One right output with its gold, as they would stand in the input files."""

    case_id: str
    capability: str
    documents: tuple[str, ...]
    output: dict[str, Any]
    gold: dict[str, Any]
    input: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Base:
    """A document (with the others of its deal) and the right outputs of all capabilities on it."""

    name: str
    documents: Mapping[str, Document]
    texts: Mapping[str, PlainText]
    cases: tuple[BaseCase, ...]
    other_parties: tuple[str, ...]

    @property
    def is_paged(self) -> bool:
        """Whether the documents have pages of their own: a Word file has none."""
        return not any(name.endswith(".docx") for name in self.documents)

    def stands(self, case: BaseCase, text: str) -> bool:
        """Whether a text stands in any document of the case, on word boundaries."""
        return any(self.texts[name].has_word(text) for name in case.documents)


def read_plain(path: Path) -> PlainText:
    with pymupdf.open(path) as pdf:
        return PlainText(path.name, tuple(p.get_text() for p in pdf), tuple(p.get_label() for p in pdf))


def _base(name: str, paths: Sequence[Path], cases: Sequence[BaseCase], others: Sequence[str], cache: Path) -> Base:
    documents = {p.name: open_document(p, cache_dir=cache) for p in paths}
    return Base(name, documents, {p.name: read_plain(p) for p in paths}, tuple(cases), tuple(others))


def sample_base(cache: Path) -> Base:
    """The shipped sample deal, from the lines that say that nothing is planted in them."""
    outputs = _lines(SAMPLE / "batch.jsonl")
    golds = {line["case_id"]: line["gold"] for line in _lines(SAMPLE / "gold.jsonl")}
    cases = [
        BaseCase(
            line["case_id"],
            line["capability"],
            tuple(line.get("documents") or [line["document"]]),
            line["output"],
            golds[line["case_id"]],
            line.get("input", {}),
        )
        for line in outputs
        if line["case_id"] in SAMPLE_CASES
    ]
    names = {name for case in cases for name in case.documents}
    paths = [path for path in sorted((SAMPLE / "documents").glob("*.pdf")) if path.name in names]
    return _base("sample", paths, cases, ("Quaystone Security Trustees Limited", "Banque Lorrigny S.A."), cache)


def read_base(data: Path, sources: Path, cache: Path) -> Base:
    """A base from a data file; its agreement is taken, or rendered, from the folder `sources`."""
    content = json.loads(data.read_text(encoding="utf-8"))
    path = sources / content["file"] if "file" in content else _rendered(content, sources, cache)
    plain = read_plain(path)
    cases = [_case(content["name"], n, entry, plain) for n, entry in enumerate(content["cases"], 1)]
    base = _base(content["name"], [path], cases, content["other_parties"], cache)
    return base


def _rendered(content: dict[str, Any], sources: Path, cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{content['name']}-agreement.pdf"
    text = (sources / content["source"]).read_text(encoding="utf-8", errors="replace")
    RENDERERS[content["renderer"]](text, path, content["title"])
    return path


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _cited(entry: Mapping[str, Any], plain: PlainText) -> list[dict[str, Any]]:
    return [_citation(cite, plain) for cite in entry.get("cite", ())]


def _citation(cite: Sequence[Any], plain: PlainText) -> dict[str, Any]:
    section, quote, *page = cite
    pages = plain.pages_of(quote)
    if not pages:
        raise ValueError(f"{plain.name}: the quote stands on no page: {quote}")
    if page and page[0] not in pages:
        raise ValueError(f"{plain.name}: the quote does not stand on page {page[0]} but on {pages}: {quote}")
    return {"document": plain.name, "page": page[0] if page else pages[0], "section": section, "quote": quote}


def _with_citation(holder: dict[str, Any], citations: list[dict[str, Any]]) -> dict[str, Any]:
    if len(citations) == 1:
        return {**holder, "citation": citations[0]}
    return {**holder, "citations": citations} if citations else holder


def _places(citations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"page": c["page"], "section": c["section"]} for c in citations]


def _case(name: str, number: int, entry: dict[str, Any], plain: PlainText) -> BaseCase:
    output, gold, given = _BUILDERS[entry["capability"]](entry, plain)
    return BaseCase(f"{name}-{number}", entry["capability"], (plain.name,), output, gold, given)


Built = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def _extraction(entry: dict[str, Any], plain: PlainText) -> Built:
    kind = entry.get("document_type", "primary_agreement")
    output, gold = _fields(entry["fields"], plain)
    tranches = [(t["label"], *_fields(t["fields"], plain)) for t in entry.get("tranches", ())]
    return (
        {"document_type": kind, "fields": output, "tranches": [{"label": label, "fields": f} for label, f, _ in tranches]},
        {"document_type": kind, "fields": gold, "tranches": [{"label": label, "fields": f} for label, _, f in tranches]},
        {},
    )


def _fields(fields: dict[str, Any], plain: PlainText) -> tuple[dict[str, Any], dict[str, Any]]:
    output: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    for key, entry in fields.items():
        sure = {"confidence": 0.95, "hitl": "none"}
        if entry is None:
            output[key], gold[key] = {"status": "absent", **sure}, {"absent": True}
        elif entry.get("unchanged"):
            output[key], gold[key] = {"status": "unchanged"}, {"unchanged": True}
        elif "amended" in entry:
            given = {k: v for k, v in entry["amended"].items() if v is not None}
            output[key] = _with_citation({"status": "amended", **given, **sure}, _cited(entry, plain))
            gold[key] = {"amended": entry["amended"], "citations": _places(_cited(entry, plain))}
        else:
            shared = {"shared": True} if entry.get("shared") else {}
            output[key] = _with_citation({"status": "extracted", "value": entry["value"], **sure, **shared}, _cited(entry, plain))
            gold[key] = {"value": entry["value"], "citations": _places(_cited(entry, plain))}
    return output, gold


def _covenants(entry: dict[str, Any], plain: PlainText) -> Built:
    output, gold = [], []
    for covenant in entry["covenants"]:
        plain_parts = {k: v for k, v in covenant.items() if k not in ("cite", "flags", "aliases")}
        flags = [{k: v for k, v in flag.items() if k != "cite"} for flag in covenant["flags"]]
        cited = [_with_citation(dict(f), _cited(source, plain)) for f, source in zip(flags, covenant["flags"], strict=True)]
        output.append(_with_citation({**plain_parts, "flags": cited}, _cited(covenant, plain)))
        gold.append(_with_citation({**plain_parts, "aliases": covenant["aliases"], "flags": flags}, _places(_cited(covenant, plain))))
    return {"covenants": output}, {"covenants": gold}, {}


def _benchmark(entry: dict[str, Any], plain: PlainText) -> Built:
    head = {k: entry.get(k) for k in ("jurisdiction", "market", "benchmark")}
    head["jurisdiction_ambiguous"] = entry.get("jurisdiction_ambiguous", False)
    output, gold = [], []
    for finding in entry["findings"]:
        parts = {k: v for k, v in finding.items() if k not in ("cite", "accepted_references")}
        disclosed = {"disclosure": "law and market do not settle the benchmark"} if head["jurisdiction_ambiguous"] else {}
        output.append(_with_citation({**parts, **disclosed}, _cited(finding, plain)))
        accepted = {"accepted_references": finding["accepted_references"]}
        gold.append(_with_citation({**parts, **accepted}, _places(_cited(finding, plain))))
    return {**head, "findings": output}, {**head, "findings": gold}, {}


def _question(entry: dict[str, Any], plain: PlainText) -> Built:
    given = {"question": entry["question"]}
    if not entry.get("answerable", True):
        answer = f"The document does not contain information about {entry['topic']}."
        return {"answer": answer}, {"answerable": False, "topic": entry["topic"]}, given
    gold = {k: entry[k] for k in ("answer", "accepted", "required_sections", "qualified", "topic")}
    return {"answer": entry["answer"], "citations": _cited(entry, plain)}, {"answerable": True, **gold}, given


_BUILDERS = {
    "loan_onboarding": _extraction,
    "covenant_monitoring": _covenants,
    "benchmark_validation": _benchmark,
    "document_qa": _question,
}


def all_bases(sources: Path | None, cache: Path) -> Iterator[Base]:
    """The sample, and the documents of every data file where the folder of their sources is given."""
    yield sample_base(cache)
    for data in sorted(DATA.glob("mutation_*.json")) if sources else ():
        assert sources is not None
        yield read_base(data, sources, cache)
