"""The judge's fingerprint for one rubric, in the flat form in which a calibration record keeps and compares it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def rubric_fingerprint(judge: Mapping[str, Any], rubric: str, returned: Iterable[str] = ()) -> dict[str, str]:
    """What binds a calibration of `rubric`: the models as returned, the endpoints' kinds, and the hash over prompt, schema, parameters and
    rubric version.

    judge: `Judge.fingerprint()`, or the same out of run.json. returned: model names that the answers in question carry (`Answer.model`);
    they go before what the server named in this run, because an answer from the cache can be of another model. Without any name the model
    is "", which no record covers.
    """
    models = list(judge.get("models", ()))
    names = {part for name in returned for part in name.split(", ") if part} or {
        name for model in models for name in model.get("returned", ())
    }
    rubrics = judge.get("rubrics", {})
    return {
        "model": ", ".join(sorted(names)),
        "endpoint": ", ".join(sorted({str(model.get("endpoint", {}).get("kind", "")) for model in models})),
        "asked": f"{len(models)} model(s), {judge.get('repeats', 1)} time(s), quorum {judge.get('quorum')}",
        "prompt format": str(judge.get("prompt_format", "")),
        "rubric": json.dumps(rubrics.get(rubric, {}), sort_keys=True),
    }
