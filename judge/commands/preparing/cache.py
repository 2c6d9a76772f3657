"""`judge cache`: what this machine keeps of documents and answers, how old it is, and how to delete it."""

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from judge.commands.options import with_flags
from judge.errors import UsageError
from judge.printing import put
from judge.settings import default_cache_dir

ANSWERS = "answers"
KINDS = {"documents": "texts of documents", "ocr": "recognised pages", ANSWERS: "answers of judges, with what they quote"}
DAY = 86_400
_OF_ANSWERS = ("cache.db", "cache.db-wal", "cache.db-shm", "cache.db-journal")
_HASHED = re.compile(r"[0-9a-f]{64}\b")  # how a kept text, or its folder, is named: by the hash of the document
_BEGUN = re.compile(r"tmp\w{8}\.part")
KIND = click.argument("kinds", nargs=-1, type=click.Choice(tuple(KINDS)))


@click.group("cache")
def command() -> None:
    """Show, prune or delete what is kept of documents and answers (documents, ocr, answers; all of them where none is named).

    Nothing of it is needed: what is deleted is read, recognised or asked again. Result folders are not touched.
    """


@command.command("show")
@KIND
@with_flags("cache")
def show(kinds: tuple[str, ...], cache_dir: str | None) -> int:
    """How much is kept, since when, and where."""
    for kind, folder in _folders(kinds, cache_dir):
        ages = [(time.time() - when) / DAY for when in _times(kind, folder)]
        size = sum(one.stat().st_size for one in _files(kind, folder)) / 1e6
        age = f", {min(ages):.0f} to {max(ages):.0f} days old" if ages else ""
        put(f"{kind}: {KINDS[kind]}: {len(ages)} kept, {size:.1f} MB{age} ({folder})")
    return 0


@command.command("prune")
@KIND
@with_flags("cache prune", "cache")
def prune(kinds: tuple[str, ...], days: str, cache_dir: str | None) -> int:
    """Delete what is older than N days."""
    if not days.isdecimal() or len(days) > 6:
        raise UsageError(f"--days: {days!r} is not a whole number")
    before = time.time() - int(days) * DAY
    for kind, folder in _folders(kinds, cache_dir):
        put(f"{kind}: {_prune(kind, folder, before)} deleted")
    return 0


@command.command("delete")
@KIND
@with_flags("cache")
def delete(kinds: tuple[str, ...], cache_dir: str | None) -> int:
    """Delete all of it."""
    for kind, folder in _folders(kinds, cache_dir):
        for one in _files(kind, folder):
            with contextlib.suppress(OSError):
                one.unlink()
        for place, _, _ in os.walk(folder, topdown=False):
            with contextlib.suppress(OSError):  # holds what is not ours
                os.rmdir(place)
        told = "could not be deleted" if any(_files(kind, folder)) else "left: it holds files that this program did not write"
        put(f"{kind}: {told if folder.exists() else 'deleted'} ({folder})")
    return 0


def _folders(kinds: tuple[str, ...], cache_dir: str | None) -> Iterator[tuple[str, Path]]:
    root = Path(cache_dir) if cache_dir else default_cache_dir()
    for kind in kinds or KINDS:
        if os.path.lexists(folder := root / kind) and (folder.is_symlink() or not folder.is_dir()):
            raise UsageError(f"{folder}: is no folder of its own (a link, a pipe, a file): take it away")
        yield kind, folder


def _files(kind: str, folder: Path) -> Iterator[Path]:
    """The regular files that this program kept, by their names; links are not followed."""
    for place, _, names in os.walk(folder):
        for one in (Path(place, name) for name in names):
            parts = one.relative_to(folder).parts
            is_text = (one.suffix == ".json" and any(map(_HASHED.match, parts))) or _BEGUN.fullmatch(one.name)
            if (one.name in _OF_ANSWERS if kind == ANSWERS else is_text) and not one.is_symlink() and one.is_file():
                yield one


def _times(kind: str, folder: Path) -> list[float]:
    """When each entry was kept, in seconds since 1970."""
    if kind != ANSWERS:
        return [one.stat().st_mtime for one in _files(kind, folder)]
    return [when for (when,) in _rows(folder, "SELECT store_time FROM Cache")]


def _prune(kind: str, folder: Path, before: float) -> int:
    if kind == ANSWERS:
        return len(_rows(folder, "DELETE FROM Cache WHERE store_time < ? RETURNING rowid", before))
    old = [one for one in _files(kind, folder) if one.stat().st_mtime < before]
    for one in old:
        one.unlink(missing_ok=True)
    return len(old)


def _rows(folder: Path, sql: str, *values: float) -> list[tuple[float]]:
    path = folder / "cache.db"
    if path.is_symlink() or not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(path, timeout=10)) as database, database:
            rows: list[tuple[float]] = database.execute(sql, values).fetchall()
        if values:
            with closing(sqlite3.connect(path, timeout=10)) as database:
                database.execute("VACUUM")  # deleted rows are not to be read in the file, nor in its journal
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise UsageError(f"{path}: cannot be read ({error}); `judge cache delete {ANSWERS}` takes it away") from None
    return rows
