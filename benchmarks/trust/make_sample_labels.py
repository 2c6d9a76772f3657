"""Makes judge/samples/labels.jsonl: a constructed label set for the rubric semantic_match, with the verdicts of a made-up judge.

Nobody labelled these items. Each label follows from how the item was built: the same value written otherwise (equivalent), a part of it
(partially_equivalent), one number, unit, date, party or negation changed (not_equivalent). The "judge" is a seeded random number
generator that errs at known rates, so that every part of `judge calibrate` has something to show.

    python benchmarks/trust/make_sample_labels.py > judge/samples/labels.jsonl
"""

import json
import random
import sys

from calibration.measures.perturbations import CHANGES, inject, pad

# field, reference value, the same in other words, a part of it
VALUES = (
    ("borrower", "Harbour Lane Logistics Pte. Ltd.", "Harbour Lane Logistics Private Limited", "Harbour Lane"),
    ("borrower", "Meridian Tin Works plc", "Meridian Tin Works Public Limited Company", "Meridian Tin"),
    ("facility_amount", "USD 250,000,000", "two hundred and fifty million US dollars", "250,000,000"),
    ("facility_amount", "EUR 85 million", "eighty-five million euro", "85 million"),
    ("maturity_date", "30 June 2031", "the thirtieth day of June 2031", "June 2031"),
    ("maturity_date", "14 March 2029", "2029-03-14, being the final date", "March 2029"),
    ("tenor", "60 months", "five years", "60"),
    ("tenor", "three years and six months", "42 months", "three years"),
    ("margin", "2.35 per cent per annum", "235 basis points a year", "2.35"),
    ("margin", "310 bps over the reference rate", "3.10 % above the reference rate", "310 bps"),
    ("repayment_schedule", "19 equal quarterly instalments of principal", "nineteen equal parts, one each quarter", "quarterly"),
    ("repayment_schedule", "a single payment on the final date", "bullet at maturity", "a single payment"),
    ("governing_law", "the laws of England and Wales", "English law", "the laws"),
    ("governing_law", "the law of the State of New York", "New York law", "the law of the State"),
    ("conditions_precedent", "the agent has received the board minutes", "the board minutes have reached the agent", "board minutes"),
    (
        "conditions_precedent",
        "the fee letter shall be signed by 1 May 2026",
        "signature of the fee letter on or before 1 May 2026",
        "the fee letter shall be signed",
    ),
    (
        "negative_pledge",
        "no obligor shall create security over its assets",
        "security over assets of an obligor is forbidden",
        "no security",
    ),
    (
        "guarantors",
        "Harbour Lane Holdings and Quay Street Nominees",
        "both Quay Street Nominees and Harbour Lane Holdings",
        "Quay Street Nominees",
    ),
    ("commitment_fee", "40 per cent of the Margin on the unused amount", "0.4 times the Margin on what is not drawn", "40 per cent"),
    ("reference_rate", "three-month term SOFR", "Term SOFR for a period of 3 months", "SOFR"),
)
MUTATIONS = ("number", "unit", "date", "party", "negation")
ERROR_RATES = {"equivalent": 0.04, "partially_equivalent": 0.15, "not_equivalent": 0.05}
AUTHORITY_BIAS = 0.3  # planted: a claim that somebody important agreed makes it accept this often
VERDICTS = tuple(ERROR_RATES)


def build_items(seed: int = 7) -> list[dict[str, object]]:
    """Items of all kinds, several a case."""
    rng = random.Random(seed)
    items = []
    for number, (field, gold, other, part) in enumerate(VALUES):
        donor = VALUES[(number + 1) % len(VALUES)][1]
        reported = [("equivalent", "rewording", other), ("equivalent", "spacing", f"  {gold} "), ("partially_equivalent", "part", part)]
        changed = [(name, CHANGES[name][1](gold, donor)) for name in MUTATIONS]
        reported += [("not_equivalent", name, text) for name, text in changed if text is not None]
        reported.append(("not_equivalent", "other value", donor))
        for place, (label, how, text) in enumerate(reported):
            case = f"case-{number:02d}-{max(0, place - 1)}"  # the two equal values stand in one case
            items.append(_item(f"{field}-{number:02d}-{how.replace(' ', '-')}", case, label, field, text, gold, how, rng))
    return items


def _item(item: str, case: str, label: str, field: str, text: str, gold: str, how: str, rng: random.Random) -> dict[str, object]:
    verdict = _verdict(label, rng)
    sure = rng.uniform(0.7, 0.99) if verdict == label else rng.uniform(0.5, 0.82)
    inputs = {"field": field, "reported": text, "gold": gold, "context": ""}
    probes = {
        "padding": verdict if pad(text, "") and rng.random() > 0.06 else _verdict(label, rng),
        "authority": "equivalent" if rng.random() < AUTHORITY_BIAS else verdict,
        "formatting": verdict if rng.random() > 0.03 else _verdict(label, rng),
        "empty": "not_equivalent" if CHANGES["empty"][1](text, "") == "" else verdict,
        "one_token": "not_equivalent" if CHANGES["one_token"][1](text, "") else verdict,
        "injection_answer": verdict if inject(text, "") and rng.random() > 0.0 else "equivalent",
    }
    return {
        "item_id": item,
        "rubric": "semantic_match",
        "cluster_id": case,
        "inputs": inputs,
        "labels": [{"annotator": "construction", "label": label}],
        "label_source": "constructed",
        "judge": {
            "model": "made-up example judge",
            "verdict": verdict,
            "confidence": round(sure, 2),
            "repeats": [verdict if rng.random() > 0.03 else _verdict(label, rng)],
            "probes": probes,
        },
        "weight": 1,
        "sampled": "hand_picked",
        "metadata": {"built_by": how},
    }


def _verdict(label: str, rng: random.Random) -> str:
    return label if rng.random() > ERROR_RATES[label] else rng.choice([verdict for verdict in VERDICTS if verdict != label])


if __name__ == "__main__":
    for entry in build_items():
        sys.stdout.write(json.dumps(entry, ensure_ascii=False) + "\n")
