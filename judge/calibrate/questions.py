"""The questions that a run put to its judge (questions.jsonl), as the run sealed them, each with the agreement that it is about."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.label_files.labels import moment
from deterministic.lexicon.sketches import SKETCH_PLACES
from judge.disk import file_hashes
from judge.errors import InputError, Problem, UsageError
from judge.records import Kinds
from judge.results.folder import QUESTIONS, RUN, SEAL, VERDICTS
from judge.results.folder import read_run as read_run_file
from judge.results.reading import read_lines
from judge.results.seal import broken, check_seal
from rubrics.named_file import lines_of
from rubrics.rubric import SHIPPED, Rubric, RubricFileError, read_rubrics, shipped_rubric

MODELS = ("llm", "panel")
NO_VERDICT = "no verdict"
VERSION = 105  # of the 128 places of two sketches: texts that share some nine words in ten


@dataclass(frozen=True, slots=True)
class Asked:
    """One distinct question of a run with the judge's answer. verdict None: it gave none; cluster_id: the agreement of its first case, by
    name; kinds: of all cases that asked it."""

    rubric: str
    inputs: tuple[tuple[str, str], ...]
    cluster_id: str
    verdict: str | None
    model: str
    confidence: float | None
    kinds: Kinds = ()

    @property
    def item_id(self) -> str:
        """The same for the same question, wherever it is asked."""
        asked = json.dumps([self.rubric, self.inputs], ensure_ascii=False)
        return hashlib.sha256(asked.encode("utf-8", "backslashreplace")).hexdigest()[:16]

    @property
    def stratum(self) -> str:
        """What a draw goes by: what the judge said."""
        return self.verdict or NO_VERDICT


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A finished run as far as calibration needs it: the judge's fingerprint of run.json and the questions put to it; system: name of what
    was judged, "" where nobody said; picked: why it is only a part of its cases, "" for all; notes: documents that were taken for one
    agreement; started: when, None where run.json does not say; cases: ids of all that were judged."""

    folder: Path
    judge: Mapping[str, Any]
    asked: tuple[Asked, ...]
    system: str = ""
    picked: str = ""
    notes: tuple[str, ...] = ()
    started: datetime | None = None
    cases: frozenset[str] = frozenset()

    def of(self, rubric: str) -> tuple[Asked, ...]:
        """The questions of one rubric, in the order asked."""
        return tuple(one for one in self.asked if one.rubric == rubric)

    def fingerprint(self, rubric: str) -> dict[str, str]:
        """The judge's fingerprint for a rubric, with the models that gave the answers."""
        return rubric_fingerprint(self.judge, rubric, [one.model for one in self.of(rubric) if one.verdict is not None])


def rubric_fingerprint(judge: Mapping[str, Any], rubric: str, returned: Iterable[str] = ()) -> dict[str, str]:
    """What binds a calibration of `rubric`: the models as returned, the endpoints' kinds, and the hash over prompt, schema, parameters and
    rubric version. judge: `Judge.fingerprint()`, or the same out of run.json. returned: model names that the answers in question carry
    (`Answer.model`); they go before what the server named in this run, because an answer from the cache can be of another model. Without
    any name the model is "", which no record covers."""
    models = list(judge.get("models", ()))
    told = {name for model in models for name in model.get("returned", ())}
    names = {part for name in returned for part in name.split(", ") if part} or told
    rubrics = judge.get("rubrics", {})
    return {
        "model": ", ".join(sorted(names)),
        "endpoint": ", ".join(sorted({str(model.get("endpoint", {}).get("kind", "")) for model in models})),
        "asked": f"{len(models)} model(s), {judge.get('repeats', 1)} time(s), quorum {judge.get('quorum')}",
        "prompt format": str(judge.get("prompt_format", "")),
        "rubric": json.dumps(rubrics.get(rubric, {}), sort_keys=True),
    }


def rubrics_of_run(folder: Path) -> dict[str, Rubric]:
    """The shipped rubrics, and those of one's own that a run was made with. Raises UsageError where their files are not as they were."""
    run = read_run_file(folder)
    paths = [Path(path) for path in (run.get("settings") or {}).get("rubrics") or ()]
    if file_hashes(paths) != (run.get("identity") or {}).get("rubrics", []):
        told = ", ".join(map(str, paths))
        raise UsageError(f"{folder}: the rubric files of this run ({told}) are not there as they were: put them back, or judge again")
    try:
        own = read_rubrics(paths)
    except RubricFileError as error:
        raise UsageError(str(error)) from error
    return {name: shipped_rubric(name) for name in SHIPPED} | dict(own)


def print_hash(fingerprint: Mapping[str, str]) -> str:
    """A short form of a fingerprint, for label lines."""
    return hashlib.sha256(json.dumps(dict(fingerprint), sort_keys=True).encode()).hexdigest()[:32]


def read_run(folder: Path) -> JudgedRun:
    """The questions of a result folder. Raises UsageError where it holds none, InputError."""
    file = read_run_file(folder)
    judge = file.get("judge")
    if not isinstance(judge, dict) or "rubrics" not in judge:
        raise UsageError(f"{folder / RUN}: this run.json says nothing of a judge")
    if not (folder / QUESTIONS).is_file():
        raise UsageError(f"{folder}: holds no {QUESTIONS}: no judge was asked there, or an older version ran; run it again")
    if SEAL not in file:
        raise UsageError(f"{folder}: the run did not end, or its seal was taken away: the same `judge run` goes on with it")
    check_seal(folder, with_labels=True)
    texts: dict[str, str] = {}
    found = _questions(folder, texts)
    versions = {*_versions(texts.values())}
    agreements = _agreements(folder, texts, versions)
    named = (replace(one, cluster_id=agreements.get(one.cluster_id, one.cluster_id)) for one in found)
    settings = file.get("settings") or {}
    system, ending = str(settings.get("system") or ""), file.get("ending") or {}
    names = ("case", "limit", "partial") if file.get("left_out", True) else ()  # a run of an older version does not say
    picked = [f"--{n} {settings[n]}".removesuffix(" True") for n in names if settings.get(n)]
    picked += ["stopped before its end"] if any(map(ending.get, ("is_interrupted", "is_budget_reached", "endpoint_error"))) else []
    many, blank = len({later for _, later in versions}), sum(not text for text in texts.values())
    are = "documents are versions of others" if many > 1 else "document is a version of another"
    notes = [f"{many} {are}, for some nine words in ten are the same: one agreement"] if many else []
    notes += [f"{blank} documents gave no text, so copies among them cannot be seen: one agreement (--ocr reads them)"] if blank > 1 else []
    started = moment(file.get("started_at"))
    return JudgedRun(folder, judge, tuple(named), system, ", ".join(picked), tuple(notes), started, frozenset(agreements))


def earlier_runs(run: JudgedRun) -> Iterator[JudgedRun]:
    """Runs beside this one or in its folder that began before it, or with it as a copy does, or whose run.json was changed since, each
    question under the id of its case; what cannot be read is passed over."""
    own = run.folder.resolve()
    for path in sorted({*own.parent.glob(f"*/{QUESTIONS}"), *own.glob(f"*/{QUESTIONS}")}):
        with suppress(InputError, OSError):
            started = moment((file := read_run_file(path.parent)).get("started_at"))
            is_before = bool(started and run.started and started <= run.started)
            if path.parent != own and (is_before or (RUN, "was changed") in broken(path.parent)):  # which reads the whole folder
                yield JudgedRun(path.parent, file.get("judge") or {}, _questions(path.parent, {}), started=started)


def _questions(folder: Path, texts: dict[str, str]) -> tuple[Asked, ...]:
    """The distinct questions of a run, each under the first id of its cases. texts: takes what the lines say of documents."""
    found: dict[str, Asked] = {}
    for number, text in enumerate((line.decode("utf-8", "replace") for line in lines_of(folder / QUESTIONS)), 1):
        if (one := _asked(folder / QUESTIONS, number, text, texts)) is not None:
            same = found.get(one.item_id, one)
            kinds = tuple(sorted({*one.kinds, *same.kinds}))
            found[one.item_id] = replace(one, cluster_id=min(one.cluster_id, same.cluster_id), kinds=kinds)
    return tuple(found.values())


def _agreements(folder: Path, texts: Mapping[str, str], versions: Iterable[tuple[str, str]]) -> dict[str, str]:
    """case -> its agreement. Cases that cite one document are of one agreement, and so are documents that one case cites: a document is its
    content, and its text, whatever its name; texts that are nearly the same are versions of one, and so are documents that gave no text:
    nothing tells copies among them apart. A case that cites none is an agreement of its own. texts: file name -> sketch of the text that
    was read; versions: sketches of one agreement."""
    contents = read_run_file(folder).get("documents") or {}
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    cases: set[str] = set()
    for line in read_lines(folder / VERDICTS):
        case, provenance = str(line.get("case_id")), line.get("provenance") or {}
        cases.add(case)
        for name in {str(one.get("document") or "") for one in (provenance, provenance.get("claim") or {})} - {""}:
            for same in (f"document {contents.get(name, name)}", *([f"text {texts[name]}"] if name in texts else [])):
                first, second = sorted((lead(f"case {case}"), lead(same)))
                leader[second] = first
    for pair in versions:
        first, second = sorted(lead(f"text {text}") for text in pair)
        leader[second] = first
    return {case: lead(f"case {case}") for case in cases}


def _versions(sketches: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Texts that share VERSION of the places of their sketches, each with an earlier one. With so few places apart, one of the bands that
    they are cut into is the same."""
    places, seen = 2 * SKETCH_PLACES, dict[tuple[int, str], list[str]]()
    bands = SKETCH_PLACES - VERSION + 1
    for sketch in sorted({*sketches} - {""}):
        for place in range(0, places, width := 2 * (SKETCH_PLACES // bands)):
            others = seen.setdefault((place, sketch[place : place + width]), [])
            alike = ((sum(one[n : n + 2] == sketch[n : n + 2] for n in range(0, places, 2)), one) for one in others)
            if twin := next((one for count, one in alike if count >= VERSION), None):
                yield twin, sketch
            others.append(sketch)


def _asked(path: Path, number: int, text: str, texts: dict[str, str]) -> Asked | None:
    """A line of the file; None for one that a killed run left half written (its case was judged again), and for a question with a picture,
    which no record covers. texts: takes what the line says of documents."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    inputs, judge = (line.get("inputs"), line.get("judge")) if isinstance(line, dict) else (None, None)
    if not isinstance(inputs, dict) or not isinstance(judge, dict) or not all(isinstance(text, str) for text in inputs.values()):
        raise InputError([Problem(path.name, number, "", "is not a question that a run writes")])
    read = line.get("document_texts")
    texts |= {name: str(text) for name, text in read.items()} if isinstance(read, dict) else {}
    if line.get("pictures"):
        return None
    verdict, confidence = judge.get("verdict"), judge.get("confidence")
    return Asked(
        str(line.get("rubric")),
        tuple(sorted(inputs.items())),
        str(line.get("case_id")),
        None if verdict is None else str(verdict),
        str(judge.get("model", "")),
        confidence if isinstance(confidence, int | float) else None,
        tuple((str(kind), str(value)) for kind, value in line.get("kinds") or ()),
    )
