"""`judge convert`: another system's CSV, Excel or JSON export as a batch or as gold, by a map file."""

from pathlib import Path
from typing import Literal

import click

from judge.commands.options import TEXT_CACHE, choice, document_cache, with_flags
from judge.printing import put_json, say


@click.command("convert")
@click.argument("source", metavar="EXPORT", type=click.Path(path_type=Path))
@with_flags("convert", (TEXT_CACHE,))
def command(
    source: Path, map: str, to: str | None, out: str | None, documents: str | None, complete_citations: bool | None, cache_dir: str | None
) -> int:
    """Convert EXPORT (.csv, .xlsx, .json, .jsonl, or a folder of .json files) to a batch or to gold.

    Values stay as they are; what the map leaves out is listed.

    Exit code 2 lists every problem by row or JSON path, and writes nothing.
    """
    from judge.convert.cases import convert
    from judge.convert.map_file import read_map
    from judge.disk import lines_with, to_json, write_named
    from judge.inputs.files import files_of
    from judge.report.wording import counted

    target: Literal["batch", "gold"] = "gold" if choice(to, "--to", ("batch", "gold")) == "gold" else "batch"
    found = convert(source, read_map(Path(map)), target)
    if complete_citations:
        from judge.convert.completing import complete_citations as complete

        places = complete(found, Path(documents or "documents"), target, document_cache(cache_dir))
        say(f"page or section of {places} quotes found and marked as derived")
    for note in found.notes:
        say(note)
    if found.unmapped:
        names = ", ".join(found.unmapped[:40]) + (f" and {len(found.unmapped) - 40} more" if len(found.unmapped) > 40 else "")
        say(f"not in the map, left out: {names} (name them under `ignore` to keep this quiet)")
    if out is None:
        for line in found.lines:
            put_json(line)
    else:
        check = lines_with("case_id", "gold" if target == "gold" else "output", among={str(line["case_id"]) for line in found.lines})
        write_named(Path(out), (to_json(line) + "\n" for line in found.lines), check, files_of(source))
        say(f"{counted(len(found.lines), 'case')} written to {out}")
    return 0
