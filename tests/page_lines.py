"""Pages without their running lines, for tests of what counts as one."""

from collections.abc import Sequence

from deterministic.documents.running_lines import find_running_lines


def strip_running_lines(texts: Sequence[str], heights: Sequence[Sequence[float]] = ()) -> tuple[list[str], list[tuple[str, ...]]]:
    """Bodies and printed page numbers (every numbering, the outermost first), one for each page text."""
    found = find_running_lines(texts, heights)
    return found.bodies(texts), list(found.printed)
