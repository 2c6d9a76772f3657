"""`judge schema`: the JSON Schema of a file format."""

from __future__ import annotations

import click

from judge.commands.schemas import SCHEMAS
from judge.printing import put_json


@click.command("schema")
@click.argument("kind", type=click.Choice(sorted(SCHEMAS)), default="batch")
def command(kind: str) -> int:
    """Print the JSON Schema of one line of a batch, gold, labels or verdicts file, or of the contract."""

    put_json(SCHEMAS[kind](), indent=2)
    return 0
