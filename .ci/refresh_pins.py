"""Pins every contract file in rubrics/ under its version. A pinned version whose values changed is refused unless --force is given."""

import json
import sys
import tomllib
from pathlib import Path

from rubrics.contract import changed_keys, pins_of

FOLDER = Path("rubrics")


def main(*, is_forced: bool) -> None:
    """Rewrites rubrics/pins.json."""
    path = FOLDER / "pins.json"
    pins = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for contract in sorted(FOLDER.glob("contract-*.toml")):
        data = tomllib.loads(contract.read_text("utf-8"))
        version = data["version"]
        if version in pins and (keys := changed_keys(data, pins[version])) and not is_forced:
            sys.exit(f"{contract}: changed under version {version}: {', '.join(keys)}. Give it a new version, or --force before a release.")
        pins[version] = pins_of(data)
    path.write_text(json.dumps(pins, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main(is_forced="--force" in sys.argv[1:])
