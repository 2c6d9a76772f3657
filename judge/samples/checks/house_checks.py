"""A check of one's own in ten lines: judge run batch.jsonl ... --checks house_checks.py"""

from judge.api import CheckedCase, check


@check("loan_onboarding")
def maturity_is_cited(case: CheckedCase) -> tuple[str, str] | None:
    if (field := case.output.get("fields", {}).get("maturity_date")) is None or field.get("status") == "absent":
        return None
    if field.get("citation", {}).get("section"):
        return "correct", "The maturity date names its clause."
    return "fail", "The maturity date names no clause."
