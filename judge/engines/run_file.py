"""run.json: what was judged, of what, and by whom; and what of it must be the same for an interrupted run to go on."""

import datetime
import secrets
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from judge.disk import file_hashes, hash_text
from judge.engines.judge_choice import endpoints
from judge.inputs.documents import ocr_of
from judge.inputs.index import CaseIndex
from judge.inputs.table import CaseSelection
from judge.settings import REQUEST_PARAMETERS, Settings
from rubrics.contract import Contract, is_file_name

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Prepared:
    """Checked inputs and what is judged of them."""

    index: CaseIndex
    entries: CaseSelection
    contract: Contract
    document_hashes: Mapping[str, str] = field(default_factory=dict)


def run_file(settings: Settings, prepared: Prepared) -> dict[str, Any]:
    """run.json as it stands at the start. `identity` is what a resumed run must share."""
    shown = settings.model_dump(mode="json", exclude={"fresh", "display", "json_output"})
    shown["base_url"] = without_credentials(settings.base_url)
    started = datetime.datetime.now(datetime.UTC)
    return {
        "format_version": FORMAT_VERSION,
        "run_id": f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        "tool_version": metadata.version("loan-judge"),
        "started_at": started.isoformat(timespec="seconds"),
        "git_commit": _git_commit(),
        "standard": prepared.contract.standard,
        "contract_version": prepared.contract.version,
        "contract_file": str(Path(settings.contract).resolve()) if settings.contract and is_file_name(settings.contract) else "",
        "contract_hash": prepared.contract.hash,
        "has_gold": not settings.no_gold,
        "inputs": {
            "batch": str(prepared.index.sources.batch),
            "gold": str(settings.gold or ""),
            **{f"{name}_sha256": value for name, value in prepared.index.hashes.items()},
        },
        "documents": dict(prepared.document_hashes),
        "documents_folder": str(settings.documents.resolve()),
        "settings": shown,
        "left_out": len(prepared.index.select(capability=settings.capability)) - sum(bool(one.batch) for one in prepared.entries),
        "identity": _identity(settings, prepared),
    }


def _identity(settings: Settings, prepared: Prepared) -> dict[str, Any]:
    judged_by = ("judge", "panel", "quorum", "repeats", *REQUEST_PARAMETERS)
    chosen = settings.model_dump(mode="json")
    read_with = {"OCR": True} if ocr_of(settings.ocr, settings.cache_dir) else {}
    return {
        "tool version": metadata.version("loan-judge"),
        "contract": prepared.contract.hash,
        **read_with,
        "documents": hash_text(sorted(prepared.document_hashes.items())),
        **prepared.index.hashes,
        **({} if settings.gold_by == "case" else {"gold by": settings.gold_by}),
        "selection": [chosen[key] for key in ("limit", "case", "capability", "partial")],
        "judge settings": hash_text([chosen[key] for key in judged_by]),
        **({"pages as pictures": True} if settings.judge_images else {}),
        **({"questions together": True} if settings.together else {}),
        "judge endpoint": endpoints(settings),
        "rubrics": file_hashes(settings.rubrics),
        "exceptions": file_hashes([settings.exceptions] if settings.exceptions else ()),
        **({"checks": checks_hash(settings)} if settings.checks else {}),
        "calibration records": file_hashes((*settings.require_calibrated, *settings.certified_threshold)),
    }


def without_credentials(url: str | None) -> str | None:
    """A URL without user name, password and query, which can hold secrets."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:  # is refused where it is to be called
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def checks_hash(settings: Settings) -> list[str]:
    """What identifies the user's own checks."""
    return file_hashes([settings.checks] if settings.checks else ())


def _git_commit() -> str | None:
    """The commit of the working folder, when it is a repository."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
