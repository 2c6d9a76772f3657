"""The source of the product as syntax trees, each parsed once in a process for all tests that read it."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("judge", "rubrics", "deterministic", "calibration")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def modules(*folders: str) -> tuple[Path, ...]:
    """The modules below some folders of the repository, by path; without any below the four packages."""
    return tuple(sorted(path for folder in folders or PACKAGES for path in (ROOT / folder).rglob("*.py")))
