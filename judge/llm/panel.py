"""Several votes become one answer. Pure. A model that was asked repeatedly has the verdict that most of its valid replies give; a panel has
the verdict that most of its models give. Most means more than half of those that voted; without such a verdict the answer is
`cannot_determine`. Fewer valid votes than the quorum are an error, never a verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judge.llm.faults import Fault
from judge.llm.replies import Reply
from judge.records import Answer, DecidedBy, Finding
from judge.results.models import OTHER_MODEL, is_other_model
from rubrics.verdicts import CANNOT_DETERMINE


@dataclass(frozen=True, slots=True)
class Vote:
    """One model's reply in one repeat (from 0), or why there is none."""

    model: str
    repeat: int
    reply: Reply | None
    fault: Fault | None = None
    cached: bool = False

    @property
    def name(self) -> str:
        """As shown: the model, from the second repeat on with its number."""
        return self.model if self.repeat == 0 else f"{self.model}#{self.repeat + 1}"


def combined_answer(votes: Sequence[Vote], quorum: int | None) -> Answer:
    """The answer of all votes. quorum: least number of models with a valid vote; None: more than half of the models."""
    models, is_single = list(dict.fromkeys(vote.model for vote in votes)), len(votes) == 1
    of_model = {model: [v for v in votes if v.model == model] for model in models}
    heard = [model for model, own in of_model.items() if 2 * sum(v.reply is not None for v in own) > len(own)]
    needed = len(models) // 2 + 1 if quorum is None or is_single else quorum
    shown = tuple((v.name, v.reply.verdict if v.reply else f"error: {v.fault.cause if v.fault else 'none'}") for v in votes)
    by: DecidedBy = "panel" if len(models) > 1 else "llm"
    if len(heard) < needed:
        failed = next((v.fault for v in votes if v.fault), None)
        said = () if is_single else shown
        if failed is not None and all(v.fault and v.fault.cause == "no_pictures" for v in votes):
            return Answer(None, error="no_pictures", error_detail=failed.detail, model=", ".join(models), by=by, votes=said)
        if len(models) == 1 and failed is not None:
            return Answer(None, error=failed.cause, error_detail=failed.detail, model=models[0], votes=said)
        told = f"{len(heard)} of {len(models)} models answered, {needed} are needed" + (f": {failed.detail}" if failed else "")
        return Answer(None, error="quorum", error_detail=told, model=", ".join(models), by="panel", votes=said)
    verdicts = [majority([v.reply.verdict for v in of_model[model] if v.reply]) for model in heard]
    verdict = majority(verdicts)
    valid = [v.reply for v in votes if v.reply and v.model in heard]
    is_majority = 2 * verdicts.count(verdict) > len(verdicts)
    spoken = next((reply for reply in valid if reply.verdict == verdict), None) if is_majority else None
    return Answer(
        verdict,
        spoken.evidence if spoken else "",
        spoken.reasoning if spoken else "The votes disagree: " + "; ".join(f"{name}: {said}" for name, said in shown),
        model=", ".join(dict.fromkeys(reply.model for reply in valid)),
        by=by,
        confidence=valid[0].probability if is_single else sum(reply.verdict == verdict for reply in valid) / len(valid),
        votes=() if is_single else shown,
        findings=tuple(_findings(votes, models, verdicts)),
        cached=all(v.cached for v in votes if v.reply),
    )


def majority(verdicts: Sequence[str]) -> str:
    """The verdict of more than half, else `cannot_determine`."""
    verdict, count = Counter(verdicts).most_common(1)[0]
    return verdict if 2 * count > len(verdicts) else CANNOT_DETERMINE


def _findings(votes: Sequence[Vote], models: Sequence[str], verdicts: Sequence[str]) -> Iterator[Finding]:
    for model in models:
        said = Counter(v.reply.verdict for v in votes if v.model == model and v.reply)
        if len(said) > 1:
            spread = ", ".join(f"{verdict} {count}" for verdict, count in sorted(said.items()))
            yield Finding("FLAKY", f"{model} gave different verdicts to the same question: {spread}")
    if len(set(verdicts)) > 1:
        yield Finding("PANEL_DISAGREES", "the models of the panel gave different verdicts: " + ", ".join(verdicts))
    for asked, returned in dict.fromkeys((v.model, v.reply.model) for v in votes if v.reply):
        if is_other_model(asked, returned):
            yield Finding(OTHER_MODEL, f"asked {asked}, answered as {returned}")
