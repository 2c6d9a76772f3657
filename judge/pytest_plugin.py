"""pytest: the fixture `judge` and the marker of the same name, for teams that gate inside their own tests.

    @pytest.mark.judge(documents="documents", gold="gold.jsonl")
    def test_onboarding(judge):
        judge.gate("batch.jsonl")

Installed with the distribution; `-p no:judge` turns it off.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from judge.api import Evaluation, Lines

_MARKER = "judge(**settings): settings of this test's `judge` fixture, by the names of the flags of `judge run`"


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line("markers", _MARKER)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--judge-out DIR` keeps the result folders; without it they go to pytest's temporary folder."""
    group = parser.getgroup("judge", "evaluation of AI outputs on loan documents")
    group.addoption("--judge-out", metavar="DIR", help="keep the result folders of the `judge` fixture here")


@dataclass(frozen=True, slots=True)
class JudgeFixture:
    """Judges batches in a test. settings: the markers', nearest last; out: the folder of this test's result folders."""

    settings: dict[str, Any]
    out: Path

    def evaluate(self, batch: "Lines", **settings: Any) -> "Evaluation":
        """Judges a batch; settings given here win over the marker's. `documents` must be given in one of the two places."""
        from judge.api import evaluate

        given = {**self.settings, **settings}
        if "documents" not in given:
            raise pytest.UsageError("judge: say where the PDFs are: documents=... in the marker or in the call")
        given.setdefault("out", self.out / f"run-{len(list(self.out.glob('run-*[0-9]'))) + 1}")
        return evaluate(batch, **given)

    def gate(self, batch: "Lines", **settings: Any) -> "Evaluation":
        """Judges a batch and fails the test unless every gate passes; skips nothing and hides nothing."""
        evaluation = self.evaluate(batch, **settings)
        if not evaluation.passed:
            pytest.fail(evaluation.why(), pytrace=False)
        return evaluation


@pytest.fixture
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> JudgeFixture:
    """Judges batches under the gates of the contract."""
    settings: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("judge"))):
        settings |= marker.kwargs
    kept = request.config.getoption("--judge-out")
    out = Path(kept) / request.node.name.replace("/", "_") if kept else tmp_path / "judge"
    out.mkdir(parents=True, exist_ok=True)
    return JudgeFixture(settings, out)
