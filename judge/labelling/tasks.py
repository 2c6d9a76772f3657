"""What a person is asked: one task is one item with its texts and its choices, blind to what any judge said."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.calibrate.sampling import WHOLE_LIST, Sampling
from judge.capabilities import Choice
from judge.capabilities.places import FAULTS, MISPLACED
from judge.capabilities.registry import capability_of, field_of, title_of
from judge.records import NOT_REQUIRED, Item, Key, NonOutcome, Provenance, rows_of
from judge.report.wording import OUTCOME_TITLES
from judge.results.decisions import can_become, point_of
from judge.results.reading import Results
from rubrics.rubric import Rubric
from rubrics.verdicts import CANNOT_DETERMINE

OUTCOME_RUBRIC = "outcome"


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to decide. texts: (title, text) pairs; cited: where the reported citation points, for the page image.
    key: the item of a result folder that the answer settles, None when it settles nothing. judge: what the label file keeps of the judge,
    never shown. bound: what ties the task to the run that it was drawn from."""

    task_id: str
    cluster_id: str
    rubric: str
    question: str
    texts: tuple[tuple[str, str], ...]
    choices: tuple[Choice, ...]
    cited: Provenance = NOT_REQUIRED
    documents: tuple[str, ...] = ()
    key: Key | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    judge: Mapping[str, Any] = field(default_factory=dict)
    sampling: Sampling = WHOLE_LIST
    source: str = "human"
    point: str = ""  # what is open, in one sentence
    bound: Mapping[str, str] = field(default_factory=dict)
    settles: str = ""  # what an answer is bound to: an answer to anything else is none to this task
    barred: str = ""  # which labels an open item cannot get any more, and why


def item_task(item: Item, results: Results | None = None, sampling: Sampling | None = None) -> Task:
    """The task of one judged item: its outcome under the standard, blind, beside a citation that was found, else one that names a page.
    results: the run, whose open items are settled by the answer."""
    waiting = item.asked
    choices, barred = outcome_choices(item.capability), ""
    if waiting is not None and results is not None:
        choices, barred = open_choices(waiting, results.label_scores)
    return Task(
        task_id=json.dumps(item.key, ensure_ascii=False),
        cluster_id=item.case_id,
        rubric=OUTCOME_RUBRIC,
        question=f"{title_of(item.capability)}: how does the standard label {'the ' * (item.item == 'answer')}{item_name(item)}?",
        texts=_texts(item),
        choices=choices,
        cited=next((c for c in item.citations if c.spans), next((c for c in item.citations if c.claim.page), item.provenance)),
        documents=tuple(dict.fromkeys(c.claim.document for c in item.citations if c.claim.document)),
        key=None if waiting is None else item.key,
        inputs={"reported": item.reported, "gold": item.gold, "quote": item.provenance.claim.quote},
        judge={} if waiting is not None else {"model": item.judge.model if item.judge else "", "verdict": str(item.outcome)},
        sampling=sampling or Sampling(),
        point=point_of(waiting or item),
        settles=results.binding(item) if results is not None else "",
        barred=barred,
    )


def item_name(item: Item) -> str:
    """An item in words: "margin", "margin of Facility A", "covenant Leverage Ratio"."""
    head, _, rest = item.item.partition(".")
    name = field_of(item) if head in ("fields", "tranches") or not rest else f"{field_of(item)} {rest}"
    return f"{name.replace('_', ' ')} of {item.tranche}" if item.tranche else name.replace("_", " ")


def _texts(item: Item) -> tuple[tuple[str, str], ...]:
    texts = [("Reported", item.reported or "(nothing)"), ("Gold", item.gold or "(nothing)")]
    texts += [("Question", item.question)] if item.question else []
    texts += [("What the standard asks for", item.note)] if item.note else []
    for n, cited in enumerate(item.citations, 1):
        claim = cited.claim
        title = "Citation" if len(item.citations) == 1 else f"Citation {n}"
        if claim.place or claim.quote:
            texts.append((title, f"{claim.place}\n{claim.quote}".strip()))
    return tuple(texts)


def outcome_choices(capability: str) -> tuple[Choice, ...]:
    """The labels of a capability, and that a person cannot tell. Raises UsageError for one that is not installed."""
    labels = capability_of(capability).labels
    known = (Choice(label, OUTCOME_TITLES[label], hint=meaning) for label, meaning in labels.items())
    return (*known, Choice(CANNOT_DETERMINE, "Cannot tell", hint="leaves the item open"))


def written_choice(choices: Sequence[Choice], text: str) -> str | None:
    """The value of the choice that a person writes, as it is called or as it is shown."""
    return next((c.value for c in choices if text.strip().casefold() in (c.value.casefold(), c.title.casefold())), None)


COMPLETE = "complete"  # behind a label that is not full: the citation is right all the same


def open_choices(item: Item, label_scores: Mapping[str, Any]) -> tuple[tuple[Choice, ...], str]:
    """The labels that an open item can still get, and in a sentence why the others are barred. One that has its label already gets it
    again, with or without a complete citation."""
    known = outcome_choices(item.capability)
    if item.weight == 0:
        known = (Choice(NonOutcome.EXTRA, OUTCOME_TITLES["extra"], hint="reported beside gold, and in the document"), *known)
    scores = {label: float(score) for label, score in label_scores.items()}
    may = {c.value for c in known if c.value == CANNOT_DETERMINE or can_become(item, c.value, scores.get(c.value))}
    offered = [c for c in known if c.value in may]
    if not item.is_open and item.provenance.is_open:
        whole = "the same, and the citation names the right document, page and section"
        offered[:1] = [offered[0], Choice(f"{item.outcome}:{COMPLETE}", f"{offered[0].title}, with a complete citation", hint=whole)]
    barred = ", ".join(c.title for c in known if c.value not in may)
    return tuple(offered), f"Not offered: {barred}. {_left(item)} {item.reason}" if barred else ""


_FOUND = FAULTS | MISPLACED


def _left(item: Item) -> str:
    """What the rules found of an item, and the scores that it leaves."""
    least, most = item.bounds
    left = f"{least:.3f}" if least == most else f"{least:.3f} to {most:.3f}"
    cited = [said for (part, word), said in _FOUND.items() if getattr(item.provenance, part, None) == word]
    found = [f"the citation {' and '.join(cited)}"] if cited else []
    found += [finding.detail.rstrip(".") for finding in item.findings if finding.detail]
    return f"What the rules found leaves a score of {left}" + (f" ({'; '.join(found)}):" if found else ":")


def rubric_tasks(lines: Iterable[Mapping[str, Any]], rubrics: Mapping[str, Rubric]) -> list[Task]:
    """Tasks of items in the format of calibration labels: each shows its rubric's question, blind to the judge."""
    return [_rubric_task(line, rubrics[str(line["rubric"])]) for line in lines]


def _rubric_task(line: Mapping[str, Any], rubric: Rubric) -> Task:
    item_id = str(line["item_id"])
    inputs = {str(k): str(v) for k, v in (line.get("inputs") or {}).items()}
    own = dict(rows_of(inputs.items()) if rubric.has_menus else ())
    choices = tuple(Choice(name, f"{name.replace('_', ' ')}: {meaning}") for name, meaning in {**own, **rubric.choices}.items())
    is_known = inputs.keys() == rubric.variables.keys()
    shown = {about.label: inputs[name] for name, about in rubric.variables.items()} if is_known else inputs
    metadata = line.get("metadata") or {}
    return Task(
        task_id=item_id,
        cluster_id=str(line.get("cluster_id") or item_id),
        rubric=rubric.id,
        question=f"{rubric.id.replace('_', ' ').capitalize()}: {rubric.question}",
        texts=tuple((title, text or "(nothing)") for title, text in shown.items()),
        choices=choices,
        inputs=inputs,
        judge=dict(line.get("judge") or {}),
        sampling=Sampling(str(line.get("sampled") or "hand_picked"), str(metadata.get("stratum", "")), 1 / float(line.get("weight") or 1)),
        bound={key: str(metadata[key]) for key in ("fingerprint",) if key in metadata},
    )
