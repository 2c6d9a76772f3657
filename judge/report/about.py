"""What was judged, by what, and what the result cannot say: the same facts at the top of the report, in the summary and in the record."""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from calibration.label_files.identity import each_once
from judge.report.wording import WORDS, accepted_text, counted, number, span_text
from judge.results.exceptions import uncounted
from judge.results.reading import Results
from judge.results.summary import judge_block

UNNAMED = "not named"


def about(results: Results) -> list[tuple[str, str]]:
    """(name, text) of everything that identifies the run."""
    run = results.run
    inputs, settings = run.get("inputs") or {}, run.get("settings") or {}
    documents = run.get("documents") or {}
    return [
        ("System", str(settings.get("system") or UNNAMED)),
        ("Batch", _file(inputs, "batch")),
        ("Gold", _file(inputs, "gold") if run.get("has_gold", True) else "none: judged without reference"),
        ("Documents", counted(len(documents), "document")),
        ("Date", str(run.get("started_at") or "not known").replace("T", " ").removesuffix("+00:00") + " UTC"),
        ("Commit", str(run.get("git_commit") or "")[:12] or "not in a repository"),
        ("Contract", f"{results.contract_version}, {str(run.get('contract_hash') or '')[:12]}".rstrip(", ")),
        ("Judge", _judge(run, settings)),
        ("Decided by people", people(results)),
    ]


def _file(inputs: Mapping[str, Any], name: str) -> str:
    path, digest = str(inputs.get(name) or "not known"), str(inputs.get(f"{name}_sha256") or "")
    return f"{PurePath(path).name}{f', SHA-256 {digest[:12]}' if digest else ''}"


def _judge(run: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    if not (models := judge_block(run).get("models")):
        model = (run.get("judge") or {}).get("model") or settings.get("judge")
        return "none: rules alone decide" if model in (None, "offline") else f"{model}: was asked nothing"
    named = []
    for one in models:
        others = [name for name in one["returned"] if name != one["model"]]
        named.append(str(one["model"]) + (f" (answers as {', '.join(others)})" if others else ""))
    wrong = "".join(f"; {one['detail']}" for one in judge_block(run).get("findings") or ())
    return f"{', '.join(named)}{wrong}; {trust(run)}"


def trust(run: Mapping[str, Any]) -> str:
    """What the calibration records of a run let its judge decide, in a sentence that is true of them."""
    if not (entries := run.get("calibration")):
        return "not held against people's labels: no record was required, so its verdicts count as they are"
    yes, no = ([one["rubric"] for one in entries if bool(one["counts"]) is counts] for counts in (True, False))
    parts = [f"its verdicts on {', '.join(yes)} count, by its record"] * bool(yes)
    refused = f"those on {', '.join(no)} do not count: a person decides" if yes else "none of its verdicts count: a person decides"
    return "; ".join([*parts, *[refused] * bool(no)])


JUDGE_HEAD = ("Question", "Counts in the gates", "What the record says", "Against people", "Measured on", "Labelled by")


def judge_rows(run: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A row a rubric of the required calibration records: whether its verdicts count and why not, on what data, and who labelled."""
    if judge_block(run) and not run.get("calibration"):
        return [("every kind", "yes", trust(run), "–", "–", "–")]
    return [_judge_row(one) for one in run.get("calibration") or ()]


def _judge_row(one: Mapping[str, Any]) -> tuple[str, ...]:
    from calibration.decision.counted import said_drawn

    why = "; ".join(map(str, one["why_not"])) or f"what the labels say of the judge: {one.get('outcome', '').replace('_', ' ')}"
    counts = "yes" if one["counts"] else f"no: {why}"
    if "label_file" not in one:
        return one["rubric"], counts, "nothing", "–", "–", "–"
    rates = [f"{title} {_rate(one[key])}" for key, title in WORDS["rates"].items() if one.get(key)]
    labels = sum(one["label_counts"].values())
    told = ", ".join(f"{n} {label.replace('_', ' ')}" for label, n in one["label_counts"].items())
    left = [said_drawn(one["left_out"])] if "sampled" in one["left_out"] else []
    left += [f"people differed on {differed} of them"] if (differed := one["left_out"].get("differed")) else []
    data = "; ".join([f"{one['label_file']} (SHA-256 {one['data_hash'][:12]}), {counted(labels, 'label')}: {told}", *left])
    slices = [f"{name.replace('=', ' ').replace('_', ' ')}: {text}." for name, text in (one.get("slices") or {}).items()]
    who = f"{', '.join(one['annotators']) or 'not known'} ({', '.join(one['label_sources'])})"
    said = " ".join([f"{one['sentence']} Made {one['made']}, holds until {one['expires']}.", *slices])
    return one["rubric"], counts, said, "; ".join(rates), data, who


def _rate(rate: Mapping[str, Any]) -> str:
    ends = "" if rate["low"] is None or rate["high"] is None else f" ({span_text((rate['low'], rate['high']))})"
    return f"{number(rate['value'])}{ends} on {counted(rate['n'], 'label')} of {counted(rate['clusters'], 'case')}"


def people(results: Results) -> str:
    """How many items people decided, and who they are."""
    decided = [item for item in results.items if item.decided_by == "human" and not item.is_open]
    names = sorted(each_once(name for item in decided for name in item.who.split(",")))
    half = sum(item.why_open == "further_person" for item in results.items)
    waiting = f"; {half} more by one person alone: a further one has yet to answer" if half else ""
    return (f"{counted(len(decided), 'item')}: {', '.join(names)}" if decided else "no item") + waiting


def open_count(results: Results) -> int:
    """How many items a gate waits for."""
    counts = results.counts
    return counts.get("open", counts.get("undecided", 0) + counts.get("judge_error", 0))


def limits(results: Results) -> Iterator[str]:
    """What the result does not say."""
    counts, run = results.counts, results.run
    settings = run.get("settings") or {}
    if waiting := open_count(results):
        yield f"{counted(waiting, 'item')} open: a score with open items is a range"
    if skipped := counts.get("skipped", 0):
        yield f"{counted(skipped, 'case')} not judged"
    if not run.get("has_gold", True):
        yield "no gold: only what needs no reference is decided"
    for key, text in (("limit", "the first {} cases"), ("case", "cases named like {}"), ("capability", "cases of {}")):
        if settings.get(key):
            yield f"only a part of the batch: {text.format(settings[key])}"
    if judge_block(run) and not all(one["counts"] for one in run.get("calibration") or ({"counts": False},)):
        yield f"the judge{': ' if run.get('calibration') else ' is '}{trust(run)}"
    if unreadable := run.get("unreadable_documents"):
        yield f"{counted(len(unreadable), 'document')} could not be read"
    if excepted := sum(item.exception is not None for item in results.items):
        yield accepted_text(excepted)
    yield from (f"exception not counted: {text}" for item in results.items if (text := uncounted(item)))
    if corrections := sum(item.correction is not None for item in results.items):
        count = f", {counts['as_corrected']} of them counted in the gates as people say" if counts.get("as_corrected") else ""
        yield f"{counted(corrections, 'verdict')} of the program disputed by people{count}: see the corrections"
    if former := sum(bool(item.former) for item in results.items):
        yield f"{counted(former, 'item')} with a decision on an earlier output, document or gold, which does not count"
    yield "gold decides what is true; gold that is wrong makes the result wrong"
