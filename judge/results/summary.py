"""A finished or interrupted run, read back from its verdicts: case lines, summary, review list, and what a person should see first."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

from calibration.label_files.identity import each_once, fold_name
from judge.capabilities import TIER1_FIELDS
from judge.capabilities.registry import capability_of
from judge.capabilities.scoring.dimensions import CompanionSums
from judge.disk import open_atomically, to_json, write_atomically
from judge.records import RIGHT, SEVERITY, Item, Outcome
from judge.results.decisions import point_of
from judge.results.exceptions import EXPIRED, EXPIRED_COUNT, Exceptions, expired_text, keep_exceptions, uncounted
from judge.results.folder import CASES, REVIEW, SUMMARY, VERDICTS, VerdictReader
from judge.results.gates import Ending, Ruling, Tally, rule
from judge.results.lines import CapabilityScore, CaseResult, Gate, JsonLine, capability_block, case_line, gate_line, verdict_line
from judge.results.models import model_findings
from judge.results.seal import seal
from rubrics.contract import Contract
from rubrics.named_file import MOST_BYTES, read_named

SCHEMA_VERSION = 1
SHARE = "max_judge_errors"  # in a summary: where the gates were applied with another one than the run's
WORST_SHOWN = 12
OPEN_SHOWN = 6
COMMON = "provenance_completeness"  # the one gate that no capability has for itself
HITL_CODES = frozenset({"HITL_MISSING", "HITL_UNNEEDED"})

CasePlan = tuple[str, str, Fraction, str]  # case id, capability, weight, gold line of several outputs or ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run says. document: the content of summary.json; worst: what a person should see first, each with the number of items
    that have its outcome, weight and reason; open_items: some undecided lines; open_reasons: cause -> number of undecided items;
    uncounted: exceptions that do not count, with the reason."""

    document: Mapping[str, Any]
    ruling: Ruling
    gates: tuple[Gate, ...]
    worst: tuple[tuple[Item, int], ...]
    open_items: tuple[Item, ...]
    open_reasons: Mapping[str, int]
    uncounted: tuple[str, ...] = ()


@dataclass(slots=True)
class _Review:
    """Collects the worst lines and the reasons of open ones, in the batch's order."""

    heap: list[tuple[int, Fraction, int, Item]] = field(default_factory=list)
    alike: Counter[tuple[object, ...]] = field(default_factory=Counter)  # of each entry of the heap: how many items it stands for
    reasons: Counter[str] = field(default_factory=Counter)
    open_items: list[Item] = field(default_factory=list)
    count: int = 0
    people: Counter[str] = field(default_factory=Counter)  # who decided, with how many items each
    spelt: dict[str, str] = field(default_factory=dict)  # folded name -> as written first
    by_people: int = 0
    excepted: int = 0
    uncounted: list[str] = field(default_factory=list)
    expired: int = 0

    def see(self, item: Item) -> None:
        """Looks at one item."""
        self.count += 1
        self.excepted += item.exception is not None
        if item.decided_by == "human" and not item.is_open:
            self.by_people += 1
            self.people.update(self.spelt.setdefault(fold_name(name), name) for name in each_once(item.who.split(",")))
        if item.is_waiting:
            self.reasons[item.why_open or ("citation" if not item.is_open else str(item.outcome))] += 1
            if len(self.open_items) < OPEN_SHOWN:
                self.open_items.append(item)
        if item.findings and (said := uncounted(item)):
            self.uncounted.append(said)
            self.expired += any(finding.code == EXPIRED for finding in item.findings)
        if isinstance(item.outcome, Outcome) and item.outcome not in RIGHT:
            self._rank(item, SEVERITY[item.outcome])

    def _rank(self, item: Item, severity: int) -> None:
        """Keeps the worst, one of those that are alike: a later one of them ranks below the first, which stands for it."""
        key = _cause_of(item)
        self.alike[key] += 1
        if self.alike[key] > 1:
            return
        entry = (severity, item.weight, -self.count, item)
        if len(self.heap) < WORST_SHOWN:
            heapq.heappush(self.heap, entry)
        else:
            del self.alike[_cause_of(heapq.heappushpop(self.heap, entry)[3])]

    @property
    def worst(self) -> tuple[tuple[Item, int], ...]:
        """Worst first; of equals the heavier, then the earlier. Each with the number of items alike."""
        return tuple((entry[3], self.alike[_cause_of(entry[3])]) for entry in sorted(self.heap, key=lambda e: e[:3], reverse=True))


def _cause_of(item: Item) -> tuple[object, ...]:
    return item.outcome, item.weight, item.reason


def summarise(
    folder: Path,
    plan: Iterable[CasePlan],
    contract: Contract,
    ending: Ending,
    run: Mapping[str, Any],
    *,
    exceptions: Exceptions | None = None,
    rates: Callable[[Path], Mapping[str, Any]] | None = None,
) -> Summary:
    """Reads the verdicts in the batch's order, rebuilds cases.jsonl, review.jsonl and summary.json, and rules. run: run.json, which says
    who judged. rates: by a calibration record, to show what the judge accepted beside the rates corrected for its errors."""
    tally, review = Tally(contract, bool(run.get("has_gold", True))), _Review()
    judged_cases, excepted_cases = set[str](), exceptions.case_ids if exceptions else set[str]()

    def case_lines(reader: VerdictReader, reviews: IO[str]) -> Iterator[str]:
        for case_id, capability, weight, gold_id in plan:
            if (items := reader.case(case_id)) is None:
                tally.add_skipped(capability, weight)
                skipped = CaseResult(case_id, capability, None, (0.0, 1.0), False, weight, {}, is_skipped=True, gold_id=gold_id)
                yield to_json(case_line(skipped)) + "\n"
                continue
            if exceptions is not None:
                if case_id in excepted_cases:
                    judged_cases.add(case_id)
                items = [exceptions.apply(item) for item in items]
            for item in items:
                review.see(item)
            reviews.writelines(to_json(entry) + "\n" for item in items if (entry := review_line(item)))
            yield to_json(case_line(replace(tally.add_case(case_id, capability, weight, items), gold_id=gold_id))) + "\n"
        if exceptions is not None:
            exceptions.check(judged_cases)  # before anything of the folder is replaced

    with closing(VerdictReader(folder / VERDICTS, contract.label_scores)) as reader, open_atomically(folder / REVIEW) as reviews:
        write_atomically(folder / CASES, case_lines(reader, reviews))
    gates = tuple(tally.gates())
    ruling = rule(tally, gates, ending)
    if review.expired and ruling.verdict != "pass":
        ruling = replace(ruling, why=f"{ruling.why}; {expired_text(review.expired)}")
    document = _document(tally, gates, ruling, contract, dict(run.get("usage") or {}))
    document["counts"] |= {EXPIRED_COUNT: review.expired} if review.expired else {}
    document["people"] = {"items": review.by_people, "names": dict(sorted(review.people.items()))}
    if exceptions is not None:
        keep_exceptions(folder, exceptions.path)
        document |= {"exceptions_on": str(exceptions.today), "excepted_items": review.excepted}
    document |= {"baseline": ending.baseline} if ending.baseline else {}
    share = str(ending.max_judge_errors)
    document |= {SHARE: share} if share != (run.get("ending") or {}).get(SHARE, share) else {}
    document |= {"judge": judge} if (judge := judge_block(run)) else {}
    if rates is not None:
        document["rates"] = rates(folder)
    if not (folder / SUMMARY).is_file() or read_named(folder / SUMMARY, MOST_BYTES).decode() != to_json(document):
        write_atomically(folder / SUMMARY, [to_json(document)])  # reports that are older than it say something else
    seal(folder)
    found = review.worst, tuple(review.open_items), dict(review.reasons.most_common()), tuple(review.uncounted)
    return Summary(document, ruling, gates, *found)


def stopped(folder: Path, contract: Contract, ending: Ending, *, cases: int, left: int, usage: Mapping[str, Any]) -> Summary:
    """What an interrupted run says without reading its verdicts again, which takes as long as they are many: the next run sums them up."""
    tally = Tally(contract, has_gold=False)
    tally.skipped = left
    ruling = rule(tally, (), ending)
    for name in (CASES, REVIEW, SUMMARY):
        (folder / name).unlink(missing_ok=True)
    document = _document(tally, (), ruling, contract, dict(usage))
    document["counts"]["cases"] = cases
    return Summary(document, ruling, (), (), (), {})


def judge_block(run: Mapping[str, Any]) -> dict[str, Any]:
    """Who judged what rules did not decide: each model as asked and as returned, and what each required calibration record says of it."""
    judge = run.get("judge") or {}
    models = [{"model": one.get("model"), "returned": one.get("returned") or []} for one in judge.get("models") or ()]
    findings = [finding._asdict() for finding in model_findings(judge)]
    return {"models": models, "calibration": run.get("calibration"), **({"findings": findings} if findings else {})} if models else {}


def review_line(item: Item) -> JsonLine | None:
    """What a person must look at: undecided items, judge errors, hallucinations (for root cause), HITL; None for all else."""
    why = [item.why_open or ("citation" if not item.is_open else str(item.outcome))] if item.is_waiting else []
    why += ["former_decision"] if item.former else []
    why += ["correction"] if item.correction else []
    why += ["hallucination"] if item.outcome is Outcome.HALLUCINATION else []
    why += sorted({finding.code for finding in item.findings} & HITL_CODES) if item.findings else []
    why += [f"hitl_{item.hitl}"] if item.hitl else []
    if not why:
        return None
    line = {**verdict_line(item), "open_point": point_of(item)}
    kept = "case_id capability item tranche outcome bounds reason rule rubric reported gold findings question note open_point".split()
    return {**{key: line[key] for key in kept if line.get(key, "") != ""}, "why": why, "pages": list(item.provenance.pages_found)}


def _document(tally: Tally, gates: Sequence[Gate], ruling: Ruling, contract: Contract, usage: dict[str, Any]) -> dict[str, Any]:
    counts = {key: tally.counts[key] for key in "items scored open undecided judge_error hallucinated extra internal_error".split()}
    corrections = {key: tally.counts[key] for key in ("corrected", "correction_proposed", "as_corrected") if tally.counts[key]}
    names = sorted(tally.scores)
    statuses = {name: status_of(name, gates, bool(tally.made_up[name]), bool(tally.may_be_made_up[name])) for name in names}
    told = {name: {"status": status} for name, status in statuses.items()} if contract.dimensions is not None else {}
    empty_usage = {"judge_calls": 0, "cached": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
    return {
        "schema_version": SCHEMA_VERSION,
        "contract_version": contract.version,
        **asdict(ruling),
        "capabilities": {name: _capability(tally, name, contract) | told.get(name, {}) for name in names},
        "gates": [gate_line(gate) for gate in gates],
        **({"overall": overall(statuses.values(), (g.result for g in gates if g.name == COMMON))} if told else {}),
        "counts": {**counts, **corrections, "cases": tally.cases.total(), "skipped": tally.skipped},
        "usage": empty_usage | usage,
    }


def status_of(name: str, gates: Sequence[Gate], made_up: bool, may_be_made_up: bool) -> str:
    """pass, fail or inconclusive of a capability that was judged: its own gates, tier-1 fields, and nothing made up."""
    own = capability_of(name).gates
    found = {gate.result for gate in gates if gate.scope == name or (gate.name == TIER1_FIELDS and TIER1_FIELDS in own)}
    if made_up or "fail" in found:
        return "fail"
    return "inconclusive" if may_be_made_up or "inconclusive" in found or "pass" not in found else "pass"


def overall(statuses: Iterable[str], common: Iterable[str]) -> str:
    """PASS, FAIL, PARTIAL (some capabilities pass, some fail) or INCONCLUSIVE (one open, none fails). common: gates of all together."""
    found, shared = set(statuses), set(common)
    if "fail" in found or "fail" in shared:
        return "PARTIAL" if {"pass", "fail"} <= found and "fail" not in shared else "FAIL"
    return "PASS" if found == {"pass"} and "inconclusive" not in shared else "INCONCLUSIVE"


def _capability(tally: Tally, name: str, contract: Contract) -> JsonLine:
    bounds = tally.plain.capabilities[name].bounds if tally.has_gold else None
    interval = tally.scores[name].interval(float(contract.intervals.confidence_level)) if bounds else None
    score = float(bounds[0]) if bounds and bounds[0] == bounds[1] else None
    ends = bounds and (float(bounds[0]), float(bounds[1]))
    sums = tally.plain.companion.get(name, CompanionSums())
    found = CapabilityScore(name, tally.cases[name], score, ends, interval, sums.means(), sums.means("provenance"))
    return capability_block(found) | sums.counts
