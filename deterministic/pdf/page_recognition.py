"""Text of a page's image by Tesseract, which the PDF library holds; only its data files are needed. Runs in a child process only."""

# mypy: allow-untyped-calls
# (the PDF library ships types for few of its functions)
from __future__ import annotations

from pathlib import Path

import pymupdf

from deterministic.pdf.reading import ReadingError, is_memory, keep_open

MAX_PIXELS = 20_000_000
"""An A3 page at 200 dpi has 8 million; a larger one is read at a lower resolution."""


def find_data(language: str) -> str:
    """Folder of Tesseract's data files for a language ("eng", "eng+deu"). Raises `ReadingError` when one is missing."""
    try:
        folder = str(pymupdf.get_tessdata() or "")
    except Exception as error:
        if is_memory(error):
            raise MemoryError from None
        folder = ""
    if not folder:
        raise ReadingError("missing", "Tesseract is not installed")
    for name in language.split("+"):
        if not (Path(folder) / f"{name}.traineddata").is_file():
            raise ReadingError("missing", f"Tesseract has no data for the language {name!r} in {folder}")
    return folder


def recognise(path: str, number: int, language: str, dpi: int) -> str:
    """Recognised text of a physical page, "" when nothing is recognised. Raises `ReadingError`."""
    data = find_data(language)
    page = keep_open(path).load_page(number - 1)
    wanted = (MAX_PIXELS / max(page.rect.width * page.rect.height, 1.0)) ** 0.5 * 72
    recognised = page.get_textpage_ocr(flags=0, language=language, dpi=max(1, int(min(dpi, wanted))), full=True, tessdata=data)
    text = str(page.get_text("text", textpage=recognised))
    return text if text.strip() else ""
