"""What a quote has to show for an answer."""

from __future__ import annotations

from collections.abc import Sequence

from deterministic.citations.check import CitationCheck
from judge.capabilities.context import Context
from judge.capabilities.figures import holds_figure, others_in, whole_value
from judge.capabilities.passages import nearest_part
from judge.capabilities.provenance import Support
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.sections import is_required
from judge.capabilities.qa.texts import own_figures, question_of
from judge.capabilities.wording import has_words

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
        has_others=lambda text: value is not None and bool(others_in(text, [value])),
        part=lambda check, checks: _claim_of(context, output, check, checks),
    )


def _claim_of(context: Context, output: QaOutput, check: CitationCheck, checks: Sequence[CitationCheck]) -> str:
    """The answer with its question; of an answer that rests on several citations the part that this one is cited for."""
    whole, part = f"{question_of(context)}\n{output.answer}", nearest_part(output.answer, check, checks)
    return f"{whole}\nThe part that this quote is cited for: {part}" if part else whole


def holds_figures(context: Context, output: QaOutput, text: str) -> bool:
    """Whether a quote holds every figure of the answer; of several quotes together all, and each one of them."""
    figures = own_figures(context, output)
    if len(output.claims) > 1:
        together = "\n".join([text, *(c.quote or "" for c in output.claims)])
        return any(holds_figure(f, text) for f in figures) and all(holds_figure(f, together) for f in figures)
    return bool(figures) and all(holds_figure(f, text) for f in figures)
