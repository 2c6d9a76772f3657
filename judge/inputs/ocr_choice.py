"""Whether a run recognises pages without a text layer (`--ocr`), and one notice when it cannot."""

from __future__ import annotations

import sys
from functools import lru_cache

from deterministic.pdf.ocr import Ocr, why_unavailable
from judge.settings import Settings


def ocr_of(settings: Settings) -> Ocr | None:
    """How pages are recognised; None when that is off, or not possible on this machine, which is said once to who asked for it."""
    ocr = Ocr(cache_dir=settings.cache_dir.absolute() / "ocr")
    return ocr if settings.ocr != "off" and _is_available(ocr, settings.ocr == "on") else None


@lru_cache(maxsize=8)
def _is_available(ocr: Ocr, is_asked_for: bool) -> bool:
    why = why_unavailable(ocr)
    if why and is_asked_for:
        install = "apt-get install tesseract-ocr tesseract-ocr-eng, or set TESSDATA_PREFIX to the folder of its data files"
        print(f"judge: OCR not available: {why}; install it ({install}). The run goes on without OCR.", file=sys.stderr)
    return not why
