"""The probe suite against judges with a planted bias of known size, and the perturbed texts themselves."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.label_files.labels import LabelledItem
from calibration.measures.perturbations import CHANGES, INJECTIONS, inject, negate, pad, swap_date, swap_number, swap_party, swap_unit
from calibration.measures.probes import ProbeResult, measure_probes
from calibration.measures.sample import build_sample
from tests.tables import table

CASES, ROWS = 60, 5
TEXTS = tuple(table("calibration_probes", "texts"))
Judge = Callable[[str, str, np.random.Generator], str]  # text, right verdict, noise -> verdict


def fair(text: str, right: str, noise: np.random.Generator) -> str:
    """Right but for noise of 3 %."""
    return right if noise.random() > 0.03 else ("fail" if right == "pass" else "pass")


def planted(mark: str, size: float) -> Judge:
    """The fair judge, but a text that holds `mark` is accepted in a share `size` of the calls, whatever it says."""

    def judge(text: str, right: str, noise: np.random.Generator) -> str:
        return "pass" if mark in text and noise.random() < size else fair(text, right, noise)

    return judge


def run(judge: Judge, probes: tuple[str, ...], seed: int = 1) -> dict[str, ProbeResult]:
    """The results of the probes on 300 items of 60 cases, each asked once more for the retest noise."""
    noise = np.random.default_rng(seed)
    items = []
    for number in range(CASES * ROWS):
        text, right = TEXTS[number % len(TEXTS)], "pass" if (number // 3) % 2 else "fail"
        donor = TEXTS[(number + 1) % len(TEXTS)]
        readings = [("judge", judge(text, right, noise)), ("repeat:1", judge(text, right, noise))]
        for name in probes:
            changed = CHANGES[name][1](text, donor)
            if changed is not None:
                now = "fail" if name in ("empty", "one_token", "number", "negation", "other_case") else right
                readings.append((f"probe:{name}", judge(changed, now, noise)))
        items.append(LabelledItem(str(number), f"case {number // ROWS}", (("a", right),), tuple(readings)))
    return {result.name: result for result in measure_probes(build_sample(items), ("pass",))}


@pytest.mark.parametrize("size", [0.2, 0.5, 0.9])
def test_a_planted_bias_is_found_at_its_size(size: float) -> None:
    results = run(planted("usual manner", size), ("padding", "authority", "formatting"))
    found = results["padding"]
    wanted = size * (0.5 + 0.03 - 0.03)  # it turns refusals, which are about half of the items
    assert found.is_flagged and found.p < 0.05
    assert found.change.low is not None and found.change.high is not None
    assert found.change.low <= wanted <= found.change.high
    assert found.to_accept > found.to_refuse
    assert not results["authority"].is_flagged and not results["formatting"].is_flagged


def test_an_unbiased_judge_is_not_flagged() -> None:
    flagged = [
        result.name for seed in range(8) for result in run(fair, ("padding", "authority", "formatting"), seed).values() if result.is_flagged
    ]
    assert len(flagged) <= 1  # 24 probes without effect, at most 5 %


def test_no_effect_seen_comes_with_what_could_have_been_seen() -> None:
    found = run(fair, ("padding",))["padding"]
    assert found.detectable is not None and 0.1 < found.detectable < 0.3, "60 cases do not show 5 points"
    assert found.noise is not None and found.excess.low is not None


def test_attacks_must_not_get_through_at_all() -> None:
    safe: Judge = lambda text, right, noise: right  # noqa: E731
    for name, result in run(safe, ("empty", "one_token", "injection_answer")).items():
        assert result.accepted == 0 and not result.is_flagged, name
        assert result.bound is not None and 0 < result.bound < 0.12, "never zero: only so many cases were tried"
    open_door = run(planted(INJECTIONS[0][:20], 1.0), ("injection_answer",))["injection_answer"]
    assert open_door.accepted > 0 and open_door.is_flagged


def test_mutations_count_what_is_refused() -> None:
    blind: Judge = lambda text, right, noise: "pass"  # noqa: E731
    assert run(blind, ("number",))["number"].caught.value == 0.0  # type: ignore[union-attr]
    sharp = run(lambda text, right, noise: right, ("number", "negation", "other_case"))
    assert all(result.caught is not None and result.caught.value == 1.0 for result in sharp.values())


def test_without_a_repeat_the_noise_is_unknown() -> None:
    items = [LabelledItem(str(n), str(n), (("a", "pass"),), (("judge", "pass"), ("probe:padding", "pass"))) for n in range(20)]
    (found,) = measure_probes(build_sample(items, ("pass", "fail")), ("pass",))
    assert found.noise is None and found.excess.value is None and found.excess.reason == "no_items"


def test_changes_of_texts() -> None:
    assert swap_number("USD 350,000", "") == "USD 250,000"
    assert swap_number("1 of 2", "") == "2 of 2"
    assert swap_number("none", "") is None
    assert swap_unit("2.50 per cent", "") == "2.50 basis points"
    assert swap_unit("nothing", "") is None
    assert swap_date("on 30 June 2031", "") == "on 30 July 2031"
    assert swap_date("on 2031-12-05", "") == "on 2031-01-05"
    assert swap_party("North Quay Bank lends", "East Pier Trust lends") == "East Pier Trust lends"
    assert negate("it shall not pay", "") == "it shall pay"
    assert negate("it shall pay", "") == "it shall not pay"
    assert negate("no verb", "") is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_every_change_is_a_pure_function_that_never_fails(text: str, donor: str) -> None:
    for name, (_, change) in CHANGES.items():
        first, again = change(text, donor), change(text, donor)
        assert first == again
        if first is not None and name in ("number", "unit", "date", "party", "negation", "other_case"):
            assert first != text
    assert pad(text, "") is None or pad(text, "").startswith(text)  # type: ignore[union-attr]
    assert inject(text, "").startswith(text)  # type: ignore[union-attr]
