"""`judge trust`: folders whose `.env` and judge.toml may say where the user's own key goes."""

from pathlib import Path

import click

from judge.printing import put, shown


@click.command("trust")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Trust the folder no longer.")
@click.option("--list", "lists", is_flag=True, help="Only print the trusted folders.")
def command(folder: Path, *, remove: bool, lists: bool) -> int:
    """Trust FOLDER (the working folder) until its `.env` or judge.toml names another endpoint, proxy, CA, log or cluster."""
    from judge.errors import UsageError
    from judge.settings import folder_files
    from judge.settings.folder_trust import decide, described, store, trusted

    if lists:
        put(*(shown(name) for name in trusted()), f"kept in {store()}")
        return 0
    if not folder.is_dir() and not remove:
        raise UsageError(f"{folder}: is no folder")
    if remove:
        decide(folder, None)
        put(f"no longer trusted: {shown(str(folder.resolve()))}")
        return 0
    here, _ = folder_files(folder)
    decide(folder, here.digest)
    put(f"trusted: {shown(str(folder.resolve()))}: {described(here.routes) or 'names no endpoint, proxy, CA, log or cluster'}")
    return 0
