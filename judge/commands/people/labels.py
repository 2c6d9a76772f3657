"""`judge labels`: label files of several people as one."""

from pathlib import Path

import click

from judge.printing import put


@click.group("labels")
def command() -> None:
    """Work with label files."""


@command.command("merge")
@click.argument("files", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, metavar="FILE", type=click.Path(path_type=Path), help="File to write; none of those merged.")
def merge(files: tuple[Path, ...], out: Path) -> int:
    """Put label files of several people together; prints how far they agree.

    `judge label RESULTS --labels FILE` then settles what they say. One person who says different things in two files is an error.
    """
    from calibration.label_files.identity import fold_name
    from judge.labelling.label_file import merge_files, pairwise_agreement
    from judge.report.wording import counted

    labels = merge_files(files, out)
    people = len({fold_name(label.annotator) for label in labels})
    put(f"{counted(len(labels), 'label')} of {people} {'person' if people == 1 else 'people'} written to {out}")
    for pair in pairwise_agreement(labels):
        kappa = "kappa undefined (one label only)" if pair.kappa is None else f"kappa {pair.kappa:.2f}"
        put(f"{pair.first} and {pair.second}: agree on {pair.agreed} of {pair.items}, {kappa}")
    return 0
