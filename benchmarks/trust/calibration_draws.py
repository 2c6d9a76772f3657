"""Labels until a judge is trusted, and false trust at the bar, with draws that grow.

steps: simulated questions, one a case, fixed steps. shapes: agreements of equal and unequal size, at most four steps, each as large as the
calibration before says. people: two people who err, with and without a third who settles; the whole decision with worst case and ties.

python benchmarks/trust/calibration_draws.py steps|shapes|people [--runs 2500] [--questions 1000] [--seeds 20] [--only 3 5]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np

from calibration.decision.counted import count_items
from calibration.decision.gate import Trust, check_rate, checks_of, decide
from calibration.decision.objections import Rules, against_floors
from calibration.label_files.labels import JUDGE, LabelledItem
from calibration.measures.sample import build_sample
from calibration.statistics.estimate import wilson
from calibration.statistics.looks import level_of_look
from calibration.statistics.pool import Growth, Parts, Pool, Rows, allocate, clears, most_of_one, rate_in, spread
from judge.calibrate.draws import FIRST
from judge.calibrate.next_steps import further

BAR, SENSITIVITY, SEED, STEPS = 0.8, 0.97, 2, 4
BAD, GOOD = "refused", "accepted"
STRATA = ((GOOD, False), (BAD, True))


@dataclass(frozen=True)
class Shape:
    """failing: share that should be refused; rows: mean questions an agreement; icc: of failing and of the judge's being right within an
    agreement; sigma: of the logarithm of the questions an agreement, 0 for equal ones; people: error rate of each of two, 0 for one who
    never errs; is_settled: a third who never errs decides where they differ."""

    failing: float
    rows: int = 1
    icc: float = 0.0
    sigma: float = 0.0
    people: float = 0.0
    is_settled: bool = False

    def __str__(self) -> str:
        size = (
            "one question an agreement"
            if self.rows == 1
            else f"{self.rows} an agreement{', unequal' if self.sigma else ''}, alike {self.icc:g}"
        )
        return f"{self.failing:.0%} failing, {size}"


SHAPES = tuple(
    Shape(failing, rows, icc, sigma)
    for failing in (0.2, 0.5)
    for rows, icc, sigma in ((1, 0.0, 0.0), (3, 0.1, 0.0), (5, 0.1, 0.0), (10, 0.1, 0.0), (5, 0.1, 1.0), (5, 0.3, 1.0))
)


@dataclass(frozen=True)
class Questions:
    """What a draw chooses from, each verdict in its order: the accepted ones, then the refused. case: its agreement; bad: should be
    refused; refused: the judge says so; people: what each of them says, (p, n)."""

    case: np.ndarray
    bad: np.ndarray
    refused: np.ndarray
    people: np.ndarray

    def first(self, drawn: dict[str, int]) -> np.ndarray:
        """Places of the drawn ones."""
        accepted = np.count_nonzero(~self.refused)
        return np.concatenate([np.arange(drawn[GOOD]), accepted + np.arange(drawn[BAD])])

    def pool(self, sizes: list[int], drawn: dict[str, int]) -> Pool:
        """As `judge calibrate` makes it."""
        _, code = np.unique(self.case, return_inverse=True)
        counts = {name: tuple(np.bincount(code[self.refused == is_bad], minlength=code.max() + 1).tolist()) for name, is_bad in STRATA}
        return Pool(counts, tuple(sizes), drawn, {}, 0.95, (GOOD,))


def questions_of(generator: np.random.Generator, shape: Shape, rates: tuple[float, float], size: int) -> Questions:
    """rates: sensitivity, specificity."""
    cases = max(2, round(size / shape.rows))
    sizes = np.full(cases, shape.rows)
    if shape.sigma:
        sizes = np.maximum(1, np.rint(np.exp(generator.normal(np.log(shape.rows) - shape.sigma**2 / 2, shape.sigma, cases)))).astype(int)
    case = np.repeat(np.arange(cases), sizes)

    def drawn(mean: float) -> np.ndarray:
        if shape.icc == 0:
            return generator.random(len(case)) < mean
        weight = (1 - shape.icc) / shape.icc
        return generator.random(len(case)) < generator.beta(mean * weight, (1 - mean) * weight, cases)[case]

    bad = drawn(shape.failing)
    refused = bad == np.where(bad, drawn(rates[1]), drawn(rates[0]))
    people = np.stack([bad] if not shape.people else [bad ^ (generator.random(len(bad)) < shape.people) for _ in range(2)])
    order = np.lexsort((generator.permutation(len(case)), generator.permutation(cases)[case]))
    most = most_of_one(sizes.tolist())
    pool = [n for _, ones in groupby(order.tolist(), key=lambda n: case[n]) for n in islice(ones, most)]
    strata = [[n for n in pool if refused[n] == is_bad] for _, is_bad in STRATA]
    there = np.array([of[place] for of in strata for place in spread([f"{generator.random()}" for _ in of])])
    return Questions(case[there], bad[there], refused[there], people[:, there])


def decided(asked: Questions, sizes: list[int], drawn: dict[str, int]) -> Trust:
    """The decision of `judge calibrate` at this step where every label is right: both rates against their bars; after the last step nobody
    asks how many labels more."""
    pool, rows = asked.pool(sizes, drawn), asked.first(drawn)
    level, bad, refused = pool.look_level, asked.bad[rows], asked.refused[rows]
    stratum = np.array([pool.strata.index(name) for name, _ in STRATA])[refused.astype(int)]
    cluster = np.unique(asked.case[rows], return_inverse=True)[1]
    checks = []
    for name, of_class, right in ((BAD, bad, refused), (GOOD, ~bad, ~refused)):
        own = np.array([one == name for one in pool.strata])
        part = Rows(stratum, cluster, np.where(of_class & right, 1.0, 0.0), np.where(of_class & ~right, 1.0, 0.0), int(of_class.sum()))
        in_class = {one: float(of_class[refused == is_bad].sum()) for one, is_bad in STRATA}
        growth = Growth(pool, in_class, (name,), BAR, (BAR, BAR)) if len(sizes) < STEPS else None
        checks.append(check_rate(name, rate_in(pool, part, level, own=own), BAR, level=level, further=growth))
    return decide(checks, is_drawn=True)


def decided_by_people(asked: Questions, sizes: list[int], drawn: dict[str, int], *, is_settled: bool) -> Trust:
    """The whole decision, with what people leave open at its worst; without bootstrap and without probes."""
    pool, words, items = asked.pool(sizes, drawn), {is_bad: name for name, is_bad in STRATA}, []
    for n in asked.first(drawn):
        labels = tuple((f"person {k}", words[bool(said)]) for k, said in enumerate(asked.people[:, n]))
        settled, said = words[bool(asked.bad[n])] if is_settled and len({*asked.people[:, n]}) > 1 else "", words[bool(asked.refused[n])]
        one = LabelledItem(str(n), f"agreement {asked.case[n]}", labels, ((JUDGE, said),), inputs=(("text", f"text {n}"),))
        items.append(replace(one, settled=settled, stratum=said))
    rules = replace(Rules(), level=pool.look_level)
    counted, left = count_items(build_sample(items, (BAD, GOOD), pool=pool))
    return decide(checks_of(counted, (GOOD,), rules), against_floors(left, counted, rules), (), left, is_drawn=True)


@dataclass
class Tally:
    """How often trusted at the end, and in two steps, labels used, whether both rates were inside their intervals at every look."""

    trusted: int = 0
    early: int = 0
    early_labels: int = 0
    labels: int = 0
    covered: int = 0
    runs: int = 0


def calibrated(shape: Shape, rates: tuple[float, float], size: int, seed: int, tally: Tally) -> None:
    """One run, labelled in at most STEPS steps as `next:` says."""
    generator = np.random.default_rng([SEED, seed])
    asked = questions_of(generator, shape, rates, size)
    totals = {name: int(np.count_nonzero(asked.refused == is_bad)) for name, is_bad in STRATA}
    sizes: list[int] = []
    drawn, is_inside, wanted, trust = {GOOD: 0, BAD: 0}, True, FIRST, None
    for _ in range(STEPS):
        more = allocate(totals, (GOOD,), wanted, (BAR, BAR))
        drawn = {name: max(drawn[name], more[name]) for name in drawn}
        sizes.append(sum(drawn.values()))
        is_plain = not shape.people
        trust = decided(asked, sizes, drawn) if is_plain else decided_by_people(asked, sizes, drawn, is_settled=shape.is_settled)
        for check, truth in zip(trust.checks, (rates[1], rates[0]), strict=True):
            low, high = check.rate.low, check.rate.high
            is_inside &= low is None or high is None or low - 1e-9 <= truth <= high + 1e-9
        if trust.outcome != "inconclusive":
            break
        wanted = sizes[-1] + further(trust, sizes[-1])
    tally.trusted += trust is not None and trust.outcome == "trusted"
    tally.early += trust is not None and trust.outcome == "trusted" and len(sizes) < 3
    tally.early_labels += sizes[:2][-1]
    tally.labels += sizes[-1]
    tally.covered += is_inside
    tally.runs += 1


def table(shapes: tuple[Shape, ...], name: Callable[[Shape], str], seeds: int, runs: int, size: int) -> None:
    """A row a shape: good judges trusted, in two steps and in all, their labels; coverage with looking; false trust of a judge at either
    bar with Wilson's 95 % interval."""
    print(f"| shape | trusted at 97/97 in two steps, in all, of {seeds} | labels | coverage | false trust, specificity | sensitivity |")
    print("|---|---:|---:|---:|---:|---:|")
    for shape in shapes:
        good, many, low, weak = Tally(), Tally(), Tally(), Tally()
        for tally, rates, most in (
            (good, (0.97, 0.97), seeds),
            (low, (0.97, BAR), runs),
            (weak, (BAR, 0.97), runs),
            (many, (0.9, 0.9), runs),
        ):
            for seed in range(most):
                calibrated(shape, rates, size, seed, tally)

        def share(tally: Tally) -> str:
            ends = wilson(tally.trusted, tally.runs)
            return f"{tally.trusted / tally.runs:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]" if tally.runs else "not run"

        tallies = [tally for tally in (good, many, low, weak) if tally.runs]
        inside = sum(tally.covered for tally in tallies) / max(1, sum(tally.runs for tally in tallies))
        used = f"{good.early}, {good.trusted} | {good.early_labels / max(good.runs, 1):.0f}, {good.labels / max(good.runs, 1):.0f}"
        print(f"| {name(shape)} | {used} | {inside:.3f} | {share(low)} | {share(weak)} |", flush=True)


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
            passed &= clears(values, level, BAR)
        used = np.where(done, used, rows.sum(1))
        done |= passed
        said.append(f"{step}: {done.mean():.3f}")
    return f"{failing:.0%} failing, specificity {specificity:.0%}: trusted by step {', '.join(said)}; labels {used.mean():.1f} on average"


def main() -> None:
    """Prints the tables of docs/use/calibration.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("steps", "shapes", "people"), nargs="?", default="steps")
    parser.add_argument("--runs", type=int, default=2500)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", type=int, nargs="*", default=None, help="places of the shapes, from 0")
    given = parser.parse_args()
    start = time.process_time()
    if given.part == "steps":
        for steps, failing in (([80, 150], 0.2), ([80, 150, 220], 0.2), ([180, 300], 0.1), ([44, 80], 0.5)):
            for specificity in (0.97, BAR):
                print(simulate(steps, failing, specificity, given.runs, given.questions))
    elif given.part == "shapes":
        table(
            tuple(shape for n, shape in enumerate(SHAPES) if given.only is None or n in given.only),
            str,
            given.seeds,
            given.runs,
            given.questions,
        )
    else:
        people = tuple(replace(shape, people=0.06, is_settled=settled) for shape in (SHAPES[0], SHAPES[4]) for settled in (True, False))
        table(
            people,
            lambda shape: f"{shape}, {'a third settles' if shape.is_settled else 'ties stay'}",
            given.seeds,
            given.runs,
            given.questions,
        )
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
