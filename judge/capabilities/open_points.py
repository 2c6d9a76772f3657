"""What must be answered to close an open item, as one question to a person (of a rubric: its `point`), and why it is open, in words."""

from calibration.words import table
from judge.records import Part

_CAUSES = table("judge.capabilities", "open_points.toml")


def open_point(part: Part) -> str:
    """What must be answered to close an open part, as one question; "" for a closed one."""
    if not part.is_open:
        return ""
    asked = [*part.questions, *([part.question] if part.question else [])]
    return next((_point_of(q.rubric) for q in asked if _point_of(q.rubric)), point_of_cause(part.why_open))


def point_of_cause(cause: str, rubric: str = "") -> str:
    """The open point by its cause, or by the rubric of a judge's verdict that does not count."""
    return _point_of(rubric) or str(_CAUSES.get(cause, {}).get("question", "Is it right?"))


def _point_of(rubric: str) -> str:
    if not rubric:
        return ""
    from rubrics.rubric import SHIPPED, shipped_rubric  # late: a finished run reads no rubric

    return shipped_rubric(rubric).point if rubric in SHIPPED else ""


def cause_words(cause: str) -> str:
    """Why an item is open, for a sentence."""
    return _CAUSES[cause]["why"] if cause in _CAUSES else cause.replace("_", " ")
