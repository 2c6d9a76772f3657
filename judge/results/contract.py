"""The contract that a result folder was judged under. A folder is always read with it, whatever the default is by now."""

from __future__ import annotations

from pathlib import Path

from judge.errors import UsageError
from judge.results.folder import RUN, read_run
from rubrics.contract import Contract, load_contract


def contract_of_run(folder: Path, given: str | None = None) -> Contract:
    """The contract of a result folder. given: `--contract`, needed only where the file it was judged with has moved.

    Raises UsageError when the contract at hand is not the one of the run, ContractFileError when there is none.
    """
    run = read_run(folder) if (folder / RUN).exists() else {}
    version, digest = run.get("contract_version"), run.get("contract_hash")
    name = given or run.get("contract_file") or version
    contract = load_contract(name)
    if digest is not None and contract.hash != digest:
        raise UsageError(
            f"{folder}: was judged under contract {version} (hash {str(digest)[:12]}); {name} is another one now "
            f"({contract.version}, {contract.hash[:12]}). Give the contract of the run with --contract FILE, or judge again."
        )
    return contract
