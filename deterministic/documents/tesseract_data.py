"""Where Tesseract's data files are on this machine. Asked in the judge's own process too, so nothing here opens a document."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from deterministic.documents.kinds import ReadingError

_PACKAGED = Path("/usr/share/tesseract-ocr")
"""Debian's folder, one below it a version: looked at first, because asking the program costs a start of it."""


def find_data(language: str) -> str:
    """Folder of the data files for a language ("eng", "eng+deu"). Raises `ReadingError` when one is missing."""
    folder = os.environ.get("TESSDATA_PREFIX") or max(map(str, _PACKAGED.glob("*/tessdata")), default="") or _as_the_program_says()
    if not folder:
        raise ReadingError("missing", "Tesseract is not installed")
    for name in language.split("+"):
        if not (Path(folder) / f"{name}.traineddata").is_file():
            raise ReadingError("missing", f"Tesseract has no data for the language {name!r} in {folder}")
    return folder


def _as_the_program_says() -> str:
    try:
        told = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search('List of available languages in "(.+)"', told)
    return found[1] if found else ""
