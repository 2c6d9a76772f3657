"""A small valid set of inputs on disk, and a run of it, for the engine's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pymupdf

from judge.cli import execute
from judge.commands.preparing.init import sample_files

Line = dict[str, Any]
DOCUMENT = "harbour-street-facility-agreement.pdf"  # of the small sample that the program ships


def write_lines(path: Path, lines: list[Line]) -> Path:
    """Writes JSON Lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def read_lines(path: Path) -> list[Line]:
    """Reads JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def break_off(out: Path) -> None:
    """A result folder as of a run that was killed: without its seal."""
    run = json.loads((out / "run.json").read_text("utf-8"))
    (out / "run.json").write_text(json.dumps({key: value for key, value in run.items() if key != "seal"}), "utf-8")


class Inputs:
    """A folder with batch.jsonl, gold.jsonl and documents/; edit the lines, then `write`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        sample = sample_files("first")
        self.batch, self.gold = ([json.loads(line) for line in sample[name].splitlines()] for name in ("batch.jsonl", "gold.jsonl"))
        (folder / "documents").mkdir(parents=True)
        (folder / "documents" / DOCUMENT).write_bytes(sample[f"documents/{DOCUMENT}"])
        self.write()

    def write(self) -> Inputs:
        """Writes batch and gold."""
        write_lines(self.folder / "batch.jsonl", self.batch)
        write_lines(self.folder / "gold.jsonl", self.gold)
        return self

    def arguments(self, *more: str, command: str = "run") -> list[str]:
        """The command line of a run (or check) over these inputs."""
        places = [
            str(self.folder / "batch.jsonl"),
            "--gold",
            str(self.folder / "gold.jsonl"),
            "--documents",
            str(self.folder / "documents"),
        ]
        cache = ["--cache-dir", str(self.folder / "cache")]
        out = ["--out", str(self.folder / "out"), "--display", "none", "--reports", "none"] if command == "run" else []
        return [command, *places, *cache, *out, *more]

    def run(self, *more: str, command: str = "run") -> int:
        """Runs and returns the exit code."""
        return execute(self.arguments(*more, command=command))

    @property
    def out(self) -> Path:
        """The result folder."""
        return self.folder / "out"

    def summary(self) -> Mapping[str, Any]:
        """summary.json."""
        return dict(json.loads((self.out / "summary.json").read_text("utf-8")))

    def verdicts(self) -> list[Line]:
        """verdicts.jsonl."""
        return read_lines(self.out / "verdicts.jsonl")


def many(
    inputs: Inputs, count: int, change: Callable[[int, Line], None] = lambda n, line: None, agreements: int = 1, **further: int
) -> Inputs:
    """`count` question cases with ids q-0, q-1, ...; `change` edits the nth batch line. agreements: documents of other text among them;
    further: files by kind, `copy` for the first one's text in other bytes, `scan` for pictures without text, each another."""
    question, truth = (json.dumps(lines[1]) for lines in (inputs.batch, inputs.gold))
    folder = inputs.folder / "documents"
    whole = (folder / DOCUMENT).read_bytes()
    names = [DOCUMENT, *(f"agreement-{k}.pdf" for k in range(1, agreements))]
    names += [f"{kind}-{k}.pdf" for kind, number in further.items() for k in range(number)]
    for k, name in enumerate(names[1:], 1):
        with pymupdf.open() if name.startswith("scan") else pymupdf.open(stream=whole) as pdf:
            for _ in range(3 if name.startswith("scan") else 0):
                pdf.new_page().insert_image((72, 72, 300, 300), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 8, 8 + k), False))
            if name.startswith("agreement"):
                terms = "\n".join(" ".join(f"{k}term{row}{n}" for n in range(8)) for row in range(40))
                pdf.new_page().insert_text((72, 72), f"Annex of agreement {k}\n{terms}")
            (folder / name).write_bytes(pdf.tobytes() + f"\n% file {k}\n".encode())
    used = [names[n % len(names)] for n in range(count)]
    inputs.batch = [{**json.loads(question.replace(DOCUMENT, name)), "case_id": f"q-{n}"} for n, name in enumerate(used)]
    inputs.gold = [{**json.loads(truth.replace(DOCUMENT, name)), "case_id": f"q-{n}"} for n, name in enumerate(used)]
    for n, line in enumerate(inputs.batch):
        change(n, line)
    return inputs.write()


def open_answers(folder: Path, count: int) -> Inputs:
    """Questions whose answers, each another, say in other words what the document says: nothing but a judge can tell."""

    def reword(n: int, line: Line) -> None:
        line["output"]["answer"] = f"Matter {n}: the payer has a working week to make good."

    return many(Inputs(folder), count, reword)
