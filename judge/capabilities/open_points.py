"""What must be answered to close an open item, as one question to a person (of a rubric: its `point`), and why it is open, in words."""

from judge.records import Part

_RIGHT = "Is it right?"
_CAUSES = {
    "unasked": ("no judge was asked", _RIGHT),
    "offline": ("no judge was asked", _RIGHT),
    "budget": ("the budget was reached", _RIGHT),
    "judge_error": ("the judge gave no usable answer", _RIGHT),
    "cannot_determine": ("it cannot be told from what is there", _RIGHT),
    "no_reference": ("there is no gold that tells", "Is it right? There is no gold to hold it against."),
    "no_passage": ("there is no text to read", _RIGHT),
    "unreadable": (
        "the text cannot be searched there: have it recognised (--ocr), let the judge see it (--judge-images), or look at it",
        "Is it what the document says? It may stand where a page has no text that can be searched.",
    ),
    "section_unknown": ("the document's numbering is not known", "Is the cited section right? The document's numbering is not known."),
    "page_unknown": (
        "the numbers printed on the pages do not tell",
        "Is the cited page right? The numbers printed on the pages do not tell.",
    ),
    "check_failed": ("the check's own program failed", "What does the check say? Its own program failed."),
    "people_disagree": ("people differ", "Who is right? Two people differ."),
    "further_person": ("a further person has not answered yet", "One person has answered: does a further one say the same?"),
    "citation": ("its label stands, its citation or whether it is invented is not known", _RIGHT),
    "uncovered": ("no calibration record lets the judge's verdict count", _RIGHT),
}
"""Why an item is open -> in words for a sentence, and what must be answered."""


def open_point(part: Part) -> str:
    """What must be answered to close an open part, as one question; "" for a closed one."""
    if not part.is_open:
        return ""
    asked = [*part.questions, *([part.question] if part.question else [])]
    return next((_point_of(q.rubric) for q in asked if _point_of(q.rubric)), point_of_cause(part.why_open))


def point_of_cause(cause: str, rubric: str = "") -> str:
    """The open point by its cause, or by the rubric of a judge's verdict that does not count."""
    return _point_of(rubric) or _CAUSES.get(cause, ("", _RIGHT))[1]


def _point_of(rubric: str) -> str:
    if not rubric:
        return ""
    from rubrics.rubric import SHIPPED, shipped_rubric  # late: a finished run reads no rubric

    return shipped_rubric(rubric).point if rubric in SHIPPED else ""


def cause_words(cause: str) -> str:
    """Why an item is open, for a sentence."""
    return _CAUSES[cause][0] if cause in _CAUSES else cause.replace("_", " ")
