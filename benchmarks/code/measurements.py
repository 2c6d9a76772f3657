"""Writes docs/development/measurements.md, the one page of figures, from benchmarks/data/measurements.toml.

python -m benchmarks.code.measurements
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "development" / "measurements.md"


def read() -> dict[str, Any]:
    """The figures, in the order of the page."""
    return tomllib.loads((ROOT / "benchmarks" / "data" / "measurements.toml").read_text("utf-8"))


def page() -> str:
    """The whole page."""
    found = read()
    return "\n".join([f"# Measurements\n\n{found['about']}", *(line for one in found["table"] for line in _section(one))])


def _section(one: dict[str, Any]) -> Iterator[str]:
    scripts = ", ".join(f"`benchmarks.{script.removesuffix('.py').replace('/', '.')}`" for script in one["script"])
    yield f"## {one['title']}\n\n{one['text']}{f' Script: {scripts}.' if scripts else ''}\n"
    yield f"| {one['head']} |\n|{'---|' * len(one['head'].split('|'))}"
    yield from (f"| {row} |" for row in one["rows"])
    yield f"\n{one['left']}\n" if "left" in one else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
