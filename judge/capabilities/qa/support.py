"""What a quote has to show for an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deterministic.citations.check import CitationCheck
from judge.capabilities.context import Context
from judge.capabilities.figures import holds_figure, relation, values_in
from judge.capabilities.passages import nearest_part
from judge.capabilities.provenance import Support, check_claim
from judge.capabilities.qa.comparing import is_computed, is_evidence, own_quotes, typed_verdict, with_titles
from judge.capabilities.qa.schema import QaGold, QaOutput
from judge.capabilities.qa.sections import is_required
from judge.capabilities.qa.singles import DENIALS, INTRODUCES, is_row, shows_answer
from judge.capabilities.qa.texts import is_accepted, own_figures, question_of, right_answers
from judge.capabilities.qa.typed import is_wording, subject_words
from judge.capabilities.statements import held_together, retells
from judge.capabilities.wording import fold_text, has_stems, has_words, stems


def support_of(context: Context, output: QaOutput, gold: QaGold) -> Support:
    """A quote supports an answer without a call when it holds the answer's words, or all its figures in a provision on the same subject."""
    answers = [a for a in (output.answer, *gold.accepted, gold.answer) if a and is_wording(a)]

    def contains(text: str) -> bool:
        if any(fold_text(a).rstrip(". ") in fold_text(text) for a in answers) or _tells(context, output, gold, text):
            return True
        if is_computed(context, output, gold) or _is_only_place(context, output, gold, text):
            return True
        return holds_figures(context, output, text) and (is_on_subject(context, output, text) or is_required(context, output, gold, text))

    return Support("answer", f"{question_of(context)}\n{output.answer}", contains, part=lambda c, all_: _claim_of(context, output, c, all_))


def _tells(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a quote from a required section has a right answer whole: as it stands, or all of its words and as many denials."""
    if not is_evidence(context, output, gold, text) or typed_verdict(context, output, gold) == "different":
        return False
    quote = next((claim.quote for claim in output.claims if claim.quote and claim.quote in text), "")
    asked, quotes = question_of(context), own_quotes(context, output, gold)
    right = [a for a in right_answers(gold) if len(fold_text(a)) > 3]
    is_shown = any(has_words(text, a) for a in right) or shows_answer(asked, output.answer, subject_words(asked, ""), quote)
    is_shown = is_shown or (quote in quotes and quotes.index(quote) in held_together(output.answer, quotes, asked))
    tables = quotes if INTRODUCES.search(quote) else (quote,)  # "specified below" goes with the row that is quoted beside it
    is_shown = is_shown or any(is_row(asked, output.answer, row) for row in tables) or retells(output.answer, (quote,), asked)
    if is_shown and typed_verdict(context, output, gold) == "equal":
        return True
    if not is_accepted(output, gold):
        return False
    answer = _CARRIES.sub(" ", _SAYS_YES.sub("", output.answer))
    return bool(stems(answer)) and has_stems(quote, answer) and len(DENIALS.findall(answer)) == len(DENIALS.findall(quote))


_SAYS_YES = re.compile(r"^\W*(?:yes|no)\b\W*", re.IGNORECASE)


_CARRIES = re.compile(r"\b(?:they|it|them|these|those|this|that|he|she)\b|[;/–—-]", re.IGNORECASE)


def _is_only_place(context: Context, output: QaOutput, gold: QaGold, text: str) -> bool:
    """Whether a right answer's date or long amount stands in its quote and nowhere else in that document."""
    figures = [f for f in values_in(output.answer) if f.kind in ("money", "date")]
    if len(figures) != 1 or typed_verdict(context, output, gold) != "equal":
        return False
    for claim in output.claims:
        check = check_claim(context, claim)
        document = context.documents.get(check.found_in or "")
        if document is None or not claim.quote or claim.quote not in text or check.quote not in ("exact", "normalised"):
            continue
        spelt = [f.text for f in values_in(claim.quote) if relation(f, figures[0]) == "equal"]
        cores = {core for one in spelt for core in _CORE.findall(one)}
        (start, end), *others = check.spans
        if cores and not others and all(core not in document.text[:start] and core not in document.text[end:] for core in cores):
            return True
    return False


_CORE = re.compile(r"\d{1,3}(?:,\d{3})+|[A-Z][a-z]+\s+\d{1,2},\s+\d{4}|\d{1,2}\s+[A-Z][a-z]+\s+\d{4}|\d{4}-\d\d-\d\d")


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


def is_on_subject(context: Context, output: QaOutput, text: str) -> bool:
    """Whether the quote, or the heading of its provision, has an informative word of the question or the answer, where they have any."""
    subject = subject_words(question_of(context), output.answer)
    if not subject:
        return True
    return bool(subject & stems(with_titles(context, output, text)))
