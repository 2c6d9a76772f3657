"""Checks that a wheel holds the four packages and nothing else at its top level (their names are generic, so strays would clash)."""

import sys
import zipfile

EXPECTED = {"judge", "rubrics", "deterministic", "calibration"}


def top_level_names(path: str) -> set[str]:
    """First parts of all paths in the wheel but its own metadata."""
    with zipfile.ZipFile(path) as wheel:
        names = {name.partition("/")[0] for name in wheel.namelist()}
    return {name for name in names if not name.endswith(".dist-info")}


if __name__ == "__main__":
    found = top_level_names(sys.argv[1])
    if found != EXPECTED:
        sys.exit(f"{sys.argv[1]}: top-level names are {sorted(found)}, must be {sorted(EXPECTED)}")
