"""`judge init`: a commented judge.toml, a sample batch with its PDF, and a CI workflow."""

import shlex
from importlib import metadata, resources
from pathlib import Path

import click

from judge.errors import UsageError
from judge.printing import put

# CI system -> where its files go -> their templates
CI_FILES: dict[str, dict[str, str]] = {
    "github": {".github/workflows/judge.yml": "github-workflow.yml", ".github/actions/loan-judge/action.yml": "action.yml"},
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
        if is_new := not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        written.append((name, is_new))
    return written


def _command(folder: Path, name: str, out: str) -> str:
    """The run of a sample, as it is typed where the user is."""
    given = {"--gold": f"{name}/gold.jsonl", "--documents": f"{name}/documents", "--out": out}
    flags = [part for flag, path in given.items() for part in (flag, str(folder / path))]
    return shlex.join(["judge", "run", str(folder / name / "batch.jsonl"), *flags])


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--ci", type=click.Choice(["github", "gitlab", "jenkins"]), help="Whose workflow file is written (github; with --deal none).")
@click.option(
    "--deal", is_flag=True, help="The larger sample too: an agreement, 43 outputs, some of which stay open, and constructed labels."
)
def command(folder: Path, ci: str | None, deal: bool) -> int:
    """Write judge.toml, a two-case sample and a CI workflow into FOLDER (default: here). Existing files are kept."""
    try:
        written = write_initial_files(folder, ci or (None if deal else "github"), with_deal=deal)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    for name, is_new in written:
        put(f"{'wrote' if is_new else 'kept '} {folder / name}")
    put(f"next: {_command(folder, 'sample', 'judge-results')}")
    if deal:
        put(f"and:  {_command(folder, 'deal', 'deal-results')}")
    return 0
