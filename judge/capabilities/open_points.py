"""What must be answered to close an open item, as one question to a person, and why it is open, in words."""

from __future__ import annotations

from collections.abc import Mapping

from judge.records import Part

_POINTS_BY_RUBRIC: Mapping[str, str] = {
    "semantic_match": "Do the reported value and gold mean the same, with the same magnitude?",
    "quote_support": "Does the quote support the reported value?",
    "place": "Does the quote stand at the cited page or section?",
    "quote_paraphrase": "Is the quote a rewording of the document's text, an altered copy of it, or invented?",
    "quote_picture": "Does the quote stand on the page, which cannot all be read as text?",
    "covenant_identity": "Is the reported covenant the one that gold has?",
    "covenant_type_adjacency": "Is the reported type the right one, one adjacent to it, or another?",
    "flag_content": "Does the flag state what it must?",
    "list_coverage": "Does the reported list cover gold's, and nothing that is not in the document?",
    "benchmark_gap": "Is the gap, given in words, the right one?",
    "benchmark_reference": "Is this the benchmark reference that is needed?",
    "answer_correctness": "Is the answer right against gold and the cited text?",
    "answer_scope": "Does the answer claim anything that the document does not say?",
    "uncertainty": "Does the answer keep the qualification of the source?",
    "value_degree": "How much of gold's value does the reported text give?",
    "answer_accuracy": "How far is the answer right against gold and the cited text?",
    "answer_imports": "Is what the document does not say brought from elsewhere, or an error about its own matter?",
    "case_criteria": "Which row of the case's own table fits?",
    "refusal_quality": "Does the answer refuse, and name what is absent?",
}
_POINTS_BY_CAUSE: Mapping[str, str] = {
    "no_reference": "Is it right? There is no gold to hold it against.",
    "unreadable": "Is it what the document says? It may stand where a page has no text that can be searched.",
    "section_unknown": "Is the cited section right? The document's numbering is not known.",
    "page_unknown": "Is the cited page right? The numbers printed on the pages do not tell.",
    "check_failed": "What does the check say? Its own program failed.",
    "people_disagree": "Who is right? Two people differ.",
    "further_person": "Does a further person agree?",
}


def open_point(part: Part) -> str:
    """What must be answered to close an open part, as one question; "" for a closed one."""
    if not part.is_open:
        return ""
    asked = [question.rubric for question in part.questions] + ([part.question.rubric] if part.question else [])
    return next((_POINTS_BY_RUBRIC[r] for r in asked if r in _POINTS_BY_RUBRIC), point_of_cause(part.why_open))


def point_of_cause(cause: str, rubric: str = "") -> str:
    """The open point by its cause, or by the rubric of a judge's verdict that does not count."""
    return _POINTS_BY_RUBRIC.get(rubric) or _POINTS_BY_CAUSE.get(cause, "Is it right?")


_CAUSES: Mapping[str, str] = {
    "unasked": "no judge was asked",
    "offline": "no judge was asked",
    "budget": "the budget was reached",
    "judge_error": "the judge gave no usable answer",
    "cannot_determine": "it cannot be told from what is there",
    "no_reference": "there is no gold that tells",
    "no_passage": "there is no text to read",
    "unreadable": "the text cannot be searched there: have it recognised (--ocr), let the judge see it (--judge-images), or look at it",
    "section_unknown": "the document's numbering is not known",
    "page_unknown": "the numbers printed on the pages do not tell",
    "check_failed": "the check's own program failed",
    "people_disagree": "people differ",
    "further_person": "a further person has not answered yet",
    "citation": "its label stands, its citation or whether it is invented is not known",
    "uncovered": "no calibration record lets the judge's verdict count",
}


def cause_words(cause: str) -> str:
    """Why an item is open, for a sentence."""
    return _CAUSES.get(cause, cause.replace("_", " "))
