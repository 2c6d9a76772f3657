"""Whether the model that answered is the one that was asked, and stayed the same during a run."""

from collections.abc import Iterator, Mapping
from typing import Any

from judge.records import Finding

OTHER_MODEL, MODEL_CHANGED = "OTHER_MODEL", "MODEL_CHANGED"


def is_other_model(asked: str, returned: str) -> bool:
    """Whether a server answered as another model than it was asked for; a dated name of the same one is none."""
    if not returned or asked.startswith("llama:"):
        return False
    mine, theirs = (name.casefold().rpartition("/")[2].removesuffix(":latest") for name in (asked, returned))
    return not (theirs.startswith(mine) or mine.startswith(theirs))


def model_findings(fingerprint: Mapping[str, Any]) -> Iterator[Finding]:
    """What is wrong with the models of a run, by run.json's `judge`: one answered as another, or under several names. On Azure a
    deployment's name is asked, which is no model's: there only a change is one."""
    for model in fingerprint.get("models") or ():
        asked, returned = model["model"], model.get("returned") or ()
        is_named = (model.get("endpoint") or {}).get("kind") != "azure"
        if is_named and (others := [name for name in returned if is_other_model(asked, name)]):
            yield Finding(OTHER_MODEL, f"{asked} was asked, {', '.join(others)} answered: its verdicts are those of another model")
        if len(returned) > 1:
            yield Finding(MODEL_CHANGED, f"{asked} changed during the run: it answered as {', '.join(returned)}")
