"""Which items the decision to trust looks at, and what each of them could be at worst.
Trust is decided on every item that was drawn for labelling. What has no verdict, no majority or no label is not left out quietly: in the
worst case the judge is wrong in all of it. Equal texts are one item, however often and under whatever id they stand in the file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from calibration.label_files.identity import fold_text
from calibration.label_files.labels import POOL, LabelledItem
from calibration.measures.performance import Floats, rate_in_pool, share_of
from calibration.measures.sample import ABSTAINED, MISSING, UNUSABLE_CODE, Flags, Sample
from calibration.statistics.clusters import Cases, sum_by_cluster
from calibration.statistics.estimate import Estimate
from calibration.statistics.intervals import clustered_proportion
from calibration.words import table


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Counts of what a plain rate does not see. sampled: distinct items drawn for labelling, decided: of them with majority and verdict.
    no_verdict, unusable, abstained: with a majority. tied, unlabelled: without. repeated: copies of an item; constructed, pool: not drawn.
    differed: of the sampled ones, those on which people gave different labels, before anybody settled it."""

    sampled: int
    decided: int
    no_verdict: int
    unusable: int
    abstained: int
    tied: int
    unlabelled: int
    repeated: int
    constructed: int
    pool: int
    differed: int = 0


@dataclass(frozen=True, slots=True)
class ClassRate:
    """How well one class is recognised. rate: of items with majority and verdict, unusable replies counted wrong. worst: with everything
    counted wrong that could be; plain: the same without the file's weights, None where there are none. doubts: what the worst case adds, in
    words with counts, "" for nothing. seen: the labels by case, unweighted."""

    name: str
    rate: Estimate
    worst: Estimate
    plain: Estimate | None
    doubts: str
    seen: Cases


def text_keys(items: Sequence[LabelledItem]) -> list[str]:
    """What each item asks, for telling copies; "" without texts. Ids and running numbers among the texts make no item another one."""
    columns: dict[str, list[str]] = {}
    for item in items:
        for name, text in item.inputs:
            columns.setdefault(name, []).append(text)
    counted = {name for name, texts in columns.items() if _is_numbering(texts)}
    folded = ([fold_text(text) for name, text in item.inputs if name not in counted] for item in items)
    return ["\0".join(texts) if any(texts) else "" for texts in folded]


_NUMBERED = re.compile(r"\W*(?:row|item|id|no|nr|line|record)?\W*(\d+)\W*", re.IGNORECASE)


def _is_numbering(texts: Sequence[str]) -> bool:
    """Whether a column of texts is the rows' own numbers: each another one, and nearly all of a stretch of them."""
    found = [int(match[1]) for text in texts if (match := _NUMBERED.fullmatch(text))]
    return 2 < len(texts) == len(found) == len(set(found)) and max(found) - min(found) < 2 * len(found)


def has_texts(sample: Sample) -> bool:
    """Whether copies of an item can be seen at all."""
    return any(text_keys(sample.items))


def distinct_rows(sample: Sample) -> Flags:
    """One row of each text that people label alike; of copies the one that says most against the judge. Rows without texts are their
    own."""
    judge, truth, texts = sample.reading(), sample.truth, text_keys(sample.items)
    blame = np.where(truth < 0, 1, np.where(judge == truth, 0, np.where(judge >= 0, 3, 2)))
    best: dict[tuple[str, int], int] = {}
    for row in sorted(range(len(texts)), key=lambda row: -int(blame[row])):
        best.setdefault((texts[row], int(truth[row])) if texts[row] else ("", -2 - row), row)
    kept = np.zeros(len(texts), bool)
    kept[list(best.values())] = True
    return kept


def count_items(sample: Sample, *, constructed: int = 0) -> tuple[Sample, LeftOut]:
    """The distinct items that were drawn for labelling (all but those that the file calls `pool` and that nobody labelled), and the counts
    of what they hold; those that the file lacks have no label either."""
    drawn = sample.select(np.array([item.sampled != POOL for item in sample.items], bool) | np.any(sample.humans >= 0, axis=0))
    found = drawn.select(distinct_rows(drawn))
    judge, truth = found.reading(), found.truth
    labelled, has_label = truth >= 0, np.any(found.humans >= 0, axis=0) if len(found.humans) else np.zeros(len(truth), bool)
    missing, unusable, abstained = (int(np.count_nonzero(labelled & (judge == code))) for code in (MISSING, UNUSABLE_CODE, ABSTAINED))
    return found, LeftOut(
        sampled=len(truth) + sample.lost,
        decided=int(np.count_nonzero(labelled & (judge >= 0))),
        no_verdict=missing,
        unusable=unusable,
        abstained=abstained,
        tied=int(np.count_nonzero(~labelled & has_label)),
        unlabelled=int(np.count_nonzero(~has_label)) + sample.lost,
        repeated=len(drawn.items) - len(truth),
        constructed=constructed,
        pool=len(sample.items) - len(drawn.items),
        differed=sum(len({label for _, label in item.labels}) > 1 for item in found.items),
    )


GAPS = table("calibration", "words.toml")["gaps"]


def said_gaps(left: LeftOut | Mapping[str, int], names: Sequence[str] = tuple(GAPS)) -> str:
    """What is left out, in words; "" where nothing is."""
    counts = left if isinstance(left, Mapping) else {name: getattr(left, name) for name in names}
    return ", ".join(f"{counts[name]} {GAPS[name]}" for name in names if counts.get(name))


def said_drawn(left: LeftOut | Mapping[str, int]) -> str:
    """How many of the drawn items decide, and what is left out."""
    counts = left if isinstance(left, Mapping) else asdict(left)
    gaps = said_gaps(counts)
    return f"{counts['sampled']} drawn items, {counts['decided']} decide; {f'left out: {gaps}' if gaps else 'nothing is left out'}"


def notes_on(sample: Sample, left: LeftOut, unprobed: Sequence[str]) -> tuple[str, ...]:
    """What a reader must know of the labels even where the judge is trusted."""
    notes = []
    if sample.clusters == len(sample.items):
        notes.append("each item counts as a case of its own")
    if gaps := said_gaps(left):
        notes.append(f"not among the {left.decided} items that decide: {gaps}")
    if len(sample.annotators) == 1:
        notes.append("one person labelled, so how far people agree is not known")
    if settled := [item for item in sample.items if item.settled]:
        notes.append(f"people differed on {left.differed} of {left.sampled} items, a further person settled {len(settled)} of them")
    if not has_texts(sample):
        notes.append("the file holds no texts, so repeated items could not be looked for")
    counts = np.bincount(sample.truth[sample.truth >= 0], minlength=len(sample.labels))
    if rare := [label for label, count in zip(sample.labels, counts.tolist(), strict=True) if not count]:
        notes.append(f"no item that people call {' or '.join(rare)}, so nothing is known of it")
    if unprobed:
        notes.append(f"not probed: {', '.join(unprobed)}")
    return tuple(notes)


def possible_truths(sample: Sample) -> Flags:
    """(K, n): which classes the truth of each row can still be: the majority, the labels that are level, or any where nobody said."""
    counts = np.stack([(sample.humans == code).sum(0) for code in range(len(sample.labels))])
    top = counts.max(0, initial=0)
    return np.asarray(np.where(top > 0, counts == top, True))


def measure_class(sample: Sample, name: str, classes: Sequence[int], level: float, most_abstained: float) -> ClassRate:
    """How often rows of these classes get a verdict of these classes, as it is and at worst. most_abstained: share of abstentions in a
    class that is left out; beyond it they all count as wrong in the worst case."""
    judge, truth = sample.reading(), sample.truth
    own, right, possible = np.isin(truth, classes), np.isin(judge, classes), possible_truths(sample)
    inside, outside = (possible[[(code in classes) is wanted for code in range(len(possible))]].any(0) for wanted in (True, False))
    answered = own & ((judge >= 0) | (judge == UNUSABLE_CODE))
    asked = own & (judge != MISSING)
    abstained = float(np.mean(judge[asked] == ABSTAINED)) if asked.any() else 0.0
    doubtful = (own & (judge == MISSING)) | ((truth < 0) & inside & ~right & (judge != ABSTAINED))
    if abstained > most_abstained:
        doubtful |= inside & (judge == ABSTAINED)
    blame = np.where(answered & ~right, 1.0, 0.0) + np.where(doubtful & ~answered, 1.0, 0.0)
    tied = (truth < 0) & np.any(sample.humans >= 0, axis=0)
    blame[tied & doubtful] = _blame_of_ties(sample, tied, right)
    praise = np.where(answered & right, 1.0, 0.0) + np.where((truth < 0) & inside & ~outside & right, 1.0, 0.0)
    unweighted = replace(sample, weights=np.ones(len(truth)))
    return ClassRate(
        name,
        share_of(sample, answered, right, level, by_verdict=True),
        _at_worst(sample, praise, blame, right, level),
        _at_worst(unweighted, praise, blame, right, level) if sample.is_weighted and sample.pool is None else None,
        _said_doubts(sample, doubtful),
        sample.by_case(answered, right),
    )


def _blame_of_ties(sample: Sample, tied: Flags, right: Flags) -> float:
    """How much of an item on which people are divided counts as a wrong verdict, 0..1. People who slip now and then are divided as often
    where the judge accepts as where it refuses, and then one of two is right: one half. What goes beyond that, on the side that would hide
    the judge's errors, counts whole."""
    asked = sample.reading() >= 0
    there, elsewhere = (float(np.mean(tied[rows])) if rows.any() else 0.0 for rows in (asked & ~right, asked & right))
    return 1.0 if there <= 0 else 1.0 - 0.5 * min(1.0, elsewhere / there)


def _said_doubts(sample: Sample, doubtful: Flags) -> str:
    labelled, has_label, known = sample.truth >= 0, np.any(sample.humans >= 0, axis=0), sample.reading() != ABSTAINED
    kinds = {"no_verdict": labelled & known, "abstained": ~known, "tied": ~labelled & has_label & known, "unlabelled": ~has_label & known}
    counts = {name: int(np.count_nonzero(doubtful & rows)) for name, rows in kinds.items()}
    return said_gaps({**counts, "unlabelled": counts["unlabelled"] + sample.lost}, tuple(kinds))


def _at_worst(sample: Sample, praise: Floats, blame: Floats, right: Flags, level: float) -> Estimate:
    """The share with all doubts, and with what a draw lacks as further cases that are wrong. praise, blame: right and wrong parts, 0..1."""
    if sample.pool is not None:
        return rate_in_pool(sample, praise, blame, right, level, with_lost=True)
    if sample.is_weighted:
        return share_of(sample, praise + blame > 0, praise > 0, level)
    hits, sizes = sum_by_cluster(np.stack([praise, praise + blame], axis=1), sample.cluster, sample.clusters).T
    return clustered_proportion(hits, sizes, level)
