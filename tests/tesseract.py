"""Whether this machine can recognise text, for the tests that do it for real."""

import os

import pytest

from deterministic.documents.ocr import why_unavailable


def need_tesseract() -> None:
    """A machine without Tesseract's data leaves the test out and says so; CI never does."""
    why = why_unavailable()
    if why and not os.environ.get("CI"):
        pytest.skip(f"{why}: `.ci/run ocr` installs it")
