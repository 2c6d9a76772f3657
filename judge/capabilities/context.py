"""What a capability may look at: one case, its documents, the contract, and the answers so far. Nothing else."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from deterministic.citations.check import CitationPolicy
from deterministic.documents.documents import Document
from judge.capabilities.cases import Case
from judge.records import Answers, Kinds
from rubrics.contract import Contract

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Context:
    """One case as a capability sees it. documents: file name -> Document, in the case's order; a file that could not be read is a Document
    without readable pages. answers: what the judge (or a person) has said so far; empty offline. memo: results of pure functions over this
    case, so that a replay with more answers checks no citation twice."""

    case: Case
    documents: Mapping[str, Document]
    contract: Contract
    answers: Answers = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def cached(self, key: Hashable, build: Callable[[], T]) -> T:
        """The value of `build()`, a pure function of the case, its documents and the contract, computed once per key."""
        try:
            return cast(T, self.memo[key])
        except KeyError:
            pass
        value = self.memo[key] = build()
        return value

    @property
    def citation_policy(self) -> CitationPolicy:
        """The contract's numbers for locating quotes."""
        quotes = self.contract.quotes
        return self.cached(
            "policy", lambda: CitationPolicy(float(quotes.paraphrase_lower), float(quotes.rewording_share), quotes.most_edits)
        )

    @property
    def kinds(self) -> Kinds:
        """What makes it another kind of case for a judge: its capability, and the file kinds and languages of its documents."""

        documents = self.documents.values()
        found = {("document kind", one.kind) for one in documents} | {("language", one.language) for one in documents if one.language}
        return (("capability", self.case.capability), *sorted(found))

    @property
    def text(self) -> str:
        """The text of its documents, one behind the other."""
        return self.cached("text", lambda: "\n".join(document.text for document in self.documents.values()))

    @property
    def is_readable(self) -> bool:
        """Whether every page of every document of the case could be read."""
        return all(document.is_readable for document in self.documents.values())
