"""The contract that a result folder was judged under. A folder is always read with it, whatever the default is by now."""

from __future__ import annotations

from pathlib import Path

from judge.errors import UsageError
from judge.results.folder import RUN, read_run
from judge.results.reading import Results, read_results
from judge.results.seal import check_seal
from rubrics.contract import Contract, load_contract


def contract_of_run(folder: Path, given: str | None = None) -> Contract:
    """The contract of a result folder. given: `--contract`, needed only where the file it was judged with has moved.

    Raises UsageError when the contract at hand is not the one of the run, ContractFileError when there is none, InputError for a folder
    that was changed since the run wrote it.
    """
    run = read_run(folder) if (folder / RUN).exists() else {}
    if run:
        check_seal(folder)
    version, digest = run.get("contract_version"), run.get("contract_hash")
    name = given or run.get("contract_file") or version
    contract = load_contract(name)
    if digest is not None and contract.hash != digest:
        raise UsageError(
            f"{folder}: was judged under contract {version} (hash {str(digest)[:12]}); {name} is another one now "
            f"({contract.version}, {contract.hash[:12]}). Give the contract of the run with --contract FILE, or judge again."
        )
    return contract


def results_of_run(folder: Path, given: str | None = None) -> Results:
    """What a result folder says, read with its contract. Raises JudgeError."""
    return read_results(folder, contract_of_run(folder, given).label_scores)
