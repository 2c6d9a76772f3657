"""What must be answered to close an open item, as one question to a person (of a rubric: its `point`), and why it is open, in words."""

from collections.abc import Mapping

from judge.records import Part

_POINTS_BY_CAUSE: Mapping[str, str] = {
    "no_reference": "Is it right? There is no gold to hold it against.",
    "unreadable": "Is it what the document says? It may stand where a page has no text that can be searched.",
    "section_unknown": "Is the cited section right? The document's numbering is not known.",
    "page_unknown": "Is the cited page right? The numbers printed on the pages do not tell.",
    "check_failed": "What does the check say? Its own program failed.",
    "people_disagree": "Who is right? Two people differ.",
    "further_person": "One person has answered: does a further one say the same?",
}


def open_point(part: Part) -> str:
    """What must be answered to close an open part, as one question; "" for a closed one."""
    if not part.is_open:
        return ""
    asked = [*part.questions, *([part.question] if part.question else [])]
    return next((_point_of(q.rubric) for q in asked if _point_of(q.rubric)), point_of_cause(part.why_open))


def point_of_cause(cause: str, rubric: str = "") -> str:
    """The open point by its cause, or by the rubric of a judge's verdict that does not count."""
    return _point_of(rubric) or _POINTS_BY_CAUSE.get(cause, "Is it right?")


def _point_of(rubric: str) -> str:
    if not rubric:
        return ""
    from rubrics.rubric import SHIPPED, shipped_rubric  # late: a finished run reads no rubric

    return shipped_rubric(rubric).point if rubric in SHIPPED else ""


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
