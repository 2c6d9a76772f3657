"""A judge as a run asks it: with the calibration record that its answers need, and the confidence below which they are none."""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from judge.calibrate.certification import Certification, CertifiedAsker, read_records
from judge.engines import Account
from judge.engines.judge_choice import judge_settings
from judge.llm.judge import Judge
from judge.records import Answer, Question
from judge.run import Asker
from judge.settings import Settings
from rubrics.contract import load_contract
from rubrics.rubric import read_rubrics

if TYPE_CHECKING:
    from calibration.record import Record


@dataclass(frozen=True, slots=True)
class Asking:
    """An opened judge. certification: None when no record is required; threshold: the record with certified confidences,
    None for none."""

    judge: Judge
    certification: Certification | None
    threshold: Certification | None

    @property
    def asker(self) -> Asker:
        """What the loop asks."""
        return self.certified(self.judge)

    def certified(self, asker: Asker) -> Asker:
        """An asker whose answers below the certified confidence are none."""
        return CertifiedAsker(asker, self.threshold) if self.threshold else asker

    def covers(self, question: Question, answer: Answer) -> bool:
        """Whether an answer counts for the gates."""
        return self.certification is None or self.certification.covers(question, answer)

    def account(self) -> Account:
        """What it took, with the judge's fingerprint."""
        uncovered = {rubric: why for one in (self.threshold, self.certification) if one for rubric, why in one.reasons.items()}
        return Account(asdict(self.judge.usage), dict(self.judge.fingerprint()), uncovered)


@asynccontextmanager
async def open_asking(settings: Settings) -> AsyncIterator[Asking]:
    """Opens the judge of the settings. Raises UsageError, ContractError."""
    required, threshold = (read_records(paths) if paths else None for paths in (settings.require_calibrated, settings.certified_threshold))
    async with Judge.open(judge_settings(settings)) as judge:
        held = (_certification(record, judge, settings) if record else None for record in (required, threshold))
        yield Asking(judge, *held)


def _certification(record: Record, judge: Judge, settings: Settings) -> Certification:
    from judge.calibrate.assess import accepting_of, rules_text

    known = read_rubrics(settings.rubrics)

    def accepting(rubric: str) -> tuple[str, ...] | None:
        found = accepting_of(rubric, known)
        return None if found is None else found[1]

    return Certification(record, judge.fingerprint, datetime.date.today(), rules_text(load_contract(settings.contract)), accepting)
