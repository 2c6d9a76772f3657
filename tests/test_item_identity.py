"""What a person's decision is bound to, and what `judge compare` and exceptions see of an item: all that is judged in it."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.capability_cases import cite, context, judged

QUOTE = cite(2, "Clause 1.1", "“Margin” means 2.40 per cent. per annum.")
WAIVER = {"kind": "waiver", "covenant": "Leverage", "original_threshold": "3.75:1", "waived_threshold": "4.50:1", "period": "30 June 2026"}
FLAGS = [
    {**WAIVER, "temporary": True, "citation": QUOTE},
    {"kind": "carve_out", "items": [{"scope": "liens by law", "cap": "GBP 1m"}], "citations": [QUOTE, QUOTE]},
    {"kind": "grace_period", "days": 5, "triggers": ["a missed payment"]},
    {"kind": "cross_default", "threshold": "GBP 2m"},
]
COVENANT = {"name": "Leverage", "type": "financial", "threshold": "3.75:1", "testing_frequency": "quarterly", "effective_date": "original"}
TERM = {"finding": "deviation", "deal_value": "2.40 %", "benchmark_value": "2 %", "gap": "40 bps", "benchmark_reference": "LMA 1.1"}
AMENDED = {"status": "amended", "original_value": "2 %", "new_value": "2.40 %", "effective_date": "2 May 2026", "citation": QUOTE}
OUTPUTS: dict[str, tuple[Any, Any]] = {
    "covenant_monitoring": (
        {"covenants": [{**COVENANT, "secondary_type": "information", "flags": FLAGS, "citation": QUOTE}], "flags": FLAGS},
        {"covenants": [{**COVENANT, "flags": [{k: v for k, v in f.items() if "cit" not in k} for f in FLAGS]}]},
    ),
    "benchmark_validation": (
        {
            "benchmark": "LMA",
            "jurisdiction": "English law",
            "market": "European",
            "jurisdiction_ambiguous": True,
            "findings": [{"term": "margin rate", **TERM, "disclosure": "the LMA form is applied", "citation": QUOTE}],
        },
        {"benchmark": "LMA", "findings": [{"term": "margin", **TERM}]},
    ),
    "loan_onboarding": (
        {
            "fields": {
                "margin": {"status": "extracted", "value": "2.40 %", "shared": True, "scope": ["Facility A"], "citations": [QUOTE, QUOTE]},
                "tenor": AMENDED,
                "borrower": {"status": "missing", "page": 12},
                "facility_amount": {"status": "extracted", "value": {"amount": 5, "currency": "GBP"}, "citation": QUOTE},
            },
            "tranches": [{"label": "Facility A", "fields": {"maturity_date": {"status": "extracted", "value": "2031", "citation": QUOTE}}}],
        },
        {
            "fields": {
                "margin": {"value": "2.40 %"},
                "tenor": {"unchanged": True},
                "borrower": {"value": "X"},
                "facility_amount": {"value": "5"},
            },
            "tranches": [{"label": "Facility A", "fields": {"maturity_date": {"value": "2031"}}}],
        },
    ),
    "document_qa": (
        {"answer": "Long " * 200, "citations": [QUOTE, QUOTE]},
        {"answerable": True, "answer": "Short", "required_sections": ["Clause 1.1"]},
    ),
}
FIXED = ("kind", "finding", "status", "label")  # words of a list, and a label that a rule reads: one that reads otherwise is another item


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    elif path[-1] not in FIXED:
        yield path


def changed(value: Any, path: tuple[Any, ...]) -> Any:
    found = copy.deepcopy(value)
    at = found
    for key in path[:-1]:
        at = at[key]
    old = at[path[-1]]
    at[path[-1]] = not old if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old} or other"
    return found


def identity(capability: str, output: Any, gold: Any) -> list[Any]:
    asked = {"input": {"question": "How long?"}} if capability == "document_qa" else {}
    items = judged(context(capability, output, gold, **asked)).values()
    return [(item.key, item.reported, [cited.claim for cited in item.citations]) for item in items]


@pytest.mark.parametrize("has_gold", [True, False])
@pytest.mark.parametrize("capability", OUTPUTS)
def test_an_output_that_differs_in_anything_judged_is_another_to_a_decision(capability: str, has_gold: bool) -> None:
    output, gold = OUTPUTS[capability]
    gold = gold if has_gold else None
    before = identity(capability, output, gold)
    assert [path for path in leaves(output) if identity(capability, changed(output, path), gold) == before] == []
