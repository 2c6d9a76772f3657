"""Flags of `judge calibrate` with lines of its map among them."""

from collections.abc import Sequence
from pathlib import Path


def with_map(flags: Sequence[str], folder: Path) -> list[str]:
    """The flags, and `--map` with a file of those among them that are lines of TOML."""
    lines = [flag for flag in flags if " = " in flag]
    if not lines:
        return list(flags)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "map.toml").write_text("\n".join(lines) + "\n", "utf-8")
    return [*(flag for flag in flags if flag not in lines), "--map", str(folder / "map.toml")]
