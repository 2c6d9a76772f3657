"""What `judge init` writes: a commented judge.toml, a sample of two cases with its PDF, and a CI workflow. Existing files are kept.

All of it is shipped under `judge/samples`. The small sample has one planted slip: the margin stands without its unit.
"""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path

# CI system -> where its files go -> their templates
CI_FILES: dict[str, dict[str, str]] = {
    "github": {
        ".github/workflows/judge.yml": "github-workflow.yml",
        ".github/actions/loan-judge/action.yml": "action.yml",
    },
    "gitlab": {".gitlab-ci.yml": "gitlab-ci.yml"},
    "jenkins": {"Jenkinsfile": "Jenkinsfile"},
}


def sample_files(name: str) -> dict[str, bytes]:
    """The files of a shipped sample (`first`, `deal`) by their names in it, the documents last."""
    folder = resources.files("judge").joinpath("samples", name)
    inner = folder.joinpath("documents").iterdir()
    found = {file.name: file for file in folder.iterdir() if file.is_file()} | {f"documents/{file.name}": file for file in inner}
    return {path: found[path].read_bytes() for path in sorted(found, key=lambda path: ("/" in path, path))}


def read_ci_template(name: str) -> bytes:
    """A CI file that installs exactly this version."""
    text = resources.files("judge").joinpath("samples", "ci", name).read_text("utf-8")
    return text.replace("@VERSION@", metadata.version("loan-judge")).encode()


def write_initial_files(folder: Path, ci: str | None = "github", *, with_deal: bool = False) -> list[tuple[str, bool]]:
    """Writes what is not there yet; (name, whether it was written) of every file. ci: a key of CI_FILES, None for no workflow."""
    first = sample_files("first")
    files = {"judge.toml": first.pop("judge.toml")} | {f"sample/{name}": data for name, data in first.items()}
    files |= {name: read_ci_template(shipped) for name, shipped in (CI_FILES[ci] if ci else {}).items()}
    if with_deal:
        files |= {f"deal/{name}": data for name, data in sample_files("deal").items()}
        files["deal/labels.jsonl"] = resources.files("judge").joinpath("samples", "labels.jsonl").read_bytes()
    written = []
    for name, data in files.items():
        path = folder / name
        is_new = not path.exists()
        if is_new:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        written.append((name, is_new))
    return written
