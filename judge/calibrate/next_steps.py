"""What comes next, from a run to a judge that may gate: the one command, which the one before it prints, and disagreements as proposed
examples for a rubric: a file for a person to read. Nothing reads it back or applies it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.decision.assessment import Assessment, Disagreement
from calibration.decision.gate import Trust
from judge.calibrate.draws import FURTHER, read_draws
from judge.calibrate.uses import note_use
from judge.disk import begins, write_named
from judge.printing import shown

SUGGESTIONS = "suggestions.md"
MOST = 8  # of a rubric; a prompt with more examples costs more than it teaches
LONGEST = 1500  # characters of a text


def write_suggestions(assessments: Sequence[Assessment], labelled: Mapping[str, Path], out: Path) -> Path | None:
    """The file with the proposals; None where judge and people agree everywhere. The labels are marked as tuned on. labelled: rubric ->
    label file that is marked."""
    human = [one for one in assessments if any(name == "human" for name, _ in one.sources)]
    if not (told := [(one, some[:MOST]) for one in human if (some := [d for d in one.disagreements if d.inputs])]):
        return None
    path = out / SUGGESTIONS
    text = "\n".join([_HEAD, *(line for one, some in told for line in _of_rubric(one, some))]) + "\n"
    write_named(path, [text.encode("utf-8", "backslashreplace")], begins("# Proposed examples\n"))
    for one, _ in told:
        note_use(labelled[one.rubric], one.rubric, "tuned")
    return path


_HEAD = """# Proposed examples

Read each: is the label of the people right, and does the rubric leave it open? Only then write the reasoning and add the block to a copy of
the rubric (`--rubrics FILE`). These labels are now marked as tuned on: a judge with the changed rubric needs others
(`judge label RUN --for-calibration RUBRIC` on a new run)."""


def _of_rubric(assessment: Assessment, some: Sequence[Disagreement]) -> Iterator[str]:
    yield f"\n## {assessment.rubric or 'labels'}"
    for one in some:
        united = f"{one.unity:.0%} of {len(one.labels)} people" if one.labels else "people"
        said = f"says {one.judge}" if one.judge else "gave no verdict"
        yield f"\n{shown(one.item_id)} (case {shown(one.cluster_id)}): {united} say {one.human}, the judge {said}.\n"
        yield "```toml\n[[examples]]"
        yield f"verdict = {_toml(one.human)}"
        yield 'evidence = ""\nreasoning = ""\n[examples.given]'
        yield from (f"{name} = {_toml(text[:LONGEST])}" for name, text in one.inputs)
        yield "```"


def _toml(text: str) -> str:
    """A basic string; what JSON escapes, TOML escapes alike. A fence in a text could end the block."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f").replace("`" * 3, "\\u0060" * 3)


if TYPE_CHECKING:
    from judge.calibrate.assess import Calibration

RECORD = "record.json"


def next_commands(result: "Calibration", out: Path) -> Iterator[str]:
    """What to do now, with labels of a run; nothing for other labels, or where the judge is not trusted."""
    if result.run is None or not all(entry.covers for entry in result.record.rubrics):
        return
    by = {name: [one for one in result.assessments if one.trust.outcome == name] for name in ("trusted", "not_trusted", "inconclusive")}
    if any(check.rate.reason == "one_cluster" for one in by["inconclusive"] for check in one.trust.checks):
        yield "next: judge run a batch of more agreements: all labels of a class are of one agreement, which says nothing of others"
    elif still := by["inconclusive"]:
        draws = read_draws(result.run)
        spent = {one.rubric for one in still if _how([one]).startswith(_MORE) and one.rubric in draws and draws[one.rubric].has_all}
        more = [one for one in still if one.rubric not in spent]
        if names := ",".join(one.rubric for one in more):
            yield f"next: judge label {result.run} --for-calibration {names}{_how(more)}"
        else:
            yield "next: judge run a batch of more agreements: every question that this run has to draw is drawn and labelled"
    elif by["trusted"]:
        yield f"next: judge run ... --require-calibrated {out / RECORD}"


_MORE = " --more "


def _how(still: "list[Assessment]") -> str:
    """What of labelling: the labels that are missing, the people who differ, or more of the draw."""
    left = [one.trust.left_out for one in still if one.trust.left_out is not None]
    if any(one.unlabelled for one in left):
        return ""
    if any(one.tied for one in left):
        return " --adjudicate"
    asked = [str(further(one.trust, one.items)) for one in still]
    return f"{_MORE}{asked[0] if len({*asked}) == 1 else ','.join(asked)}"


def further(trust: Trust, labelled: int) -> int:
    """Labels of a further step: what the open checks ask for; as many again where they ask for none."""
    asked = max((check.labels_needed or 0 for check in trust.checks if check.state == "open"), default=0)
    return asked or max(FURTHER, labelled)
