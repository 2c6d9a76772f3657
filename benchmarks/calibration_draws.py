"""Labels until a judge is trusted, and false trust at the bar, with draws that grow: simulated questions, one a case.

python benchmarks/calibration_draws.py [--runs 2500] [--questions 1000]
"""

from __future__ import annotations

import argparse

import numpy as np

from calibration.looks import level_of_look
from calibration.pool import Parts, allocate, ends

BAR, SENSITIVITY, SEED = 0.8, 0.97, 1


def simulate(steps: list[int], failing: float, specificity: float, runs: int, questions: int) -> str:
    """Trusted up to each step, and the mean number of labels; the runs' own questions differ."""
    generator = np.random.default_rng(SEED)
    bad = generator.binomial(questions, failing, runs)
    caught, wrong = generator.binomial(bad, specificity), generator.binomial(questions - bad, 1 - SENSITIVITY)
    totals = np.stack([questions - caught - wrong, caught + wrong], -1)  # accepted, refused
    left, left_bad = totals.copy(), np.stack([bad - caught, caught], -1)
    rows, hits = np.zeros((runs, 2), int), np.zeros((runs, 2), int)
    share, worth = totals / questions, np.full((runs, 2), float(questions))
    done, used, said, sizes = np.zeros(runs, bool), np.zeros(runs), [], []
    own = np.array([False, True])
    for step in steps:
        sizes.append(step)
        wanted = [allocate({"a": int(a), "r": int(r)}, ("a",), step, (BAR, BAR)) for a, r in totals]
        more = np.maximum(np.array([[w["a"], w["r"]] for w in wanted]), rows) - rows
        found = generator.hypergeometric(left_bad, left - left_bad, more)
        hits, rows, left, left_bad = hits + found, rows + more, left - more, left_bad - found
        part, size, level = hits / rows, rows.astype(float), level_of_look(sizes, 0.95)
        passed = np.ones(runs, bool)
        for of, is_own in ((part, own), (1 - part, ~own)):
            values = Parts(np.where(is_own, of, 0.0), np.where(is_own, 0.0, of), size, size, is_own, ~is_own, share, worth)
            passed &= ends(values, level)[0] >= BAR
        used = np.where(done, used, rows.sum(1))
        done |= passed
        said.append(f"{step}: {done.mean():.3f}")
    return f"{failing:.0%} failing, specificity {specificity:.0%}: trusted by step {', '.join(said)}; labels {used.mean():.1f} on average"


def main() -> None:
    """Prints the table of docs/calibration.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2500)
    parser.add_argument("--questions", type=int, default=1000)
    given = parser.parse_args()
    for steps, failing in (([80, 150], 0.2), ([80, 150, 220], 0.2), ([180, 300], 0.1), ([44, 80], 0.5)):
        for specificity in (0.97, BAR):
            print(simulate(steps, failing, specificity, given.runs, given.questions))


if __name__ == "__main__":
    main()
