"""`judge schema`: the JSON Schema of a file format."""

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import click
from pydantic import BaseModel

from judge.capabilities.registry import capability_of, names
from judge.inputs.lines import BatchLine, GoldLine
from judge.printing import put_json

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def batch_schema() -> Schema:
    """One line of a batch: which output belongs to which capability is part of it."""
    rules = []
    schema = _schema(BatchLine)
    schema["properties"]["capability"] = {"enum": list(names())}
    for capability in map(capability_of, names()):
        then = {"properties": {"output": _part(schema, capability.output), "input": _part(schema, capability.input)}}
        rules.append({"if": {"properties": {"capability": {"const": capability.name}}}, "then": then})
    one_of = [{"required": ["document"]}, {"required": ["documents"]}]
    return {**schema, "title": "batch line", "allOf": rules, "oneOf": one_of}


def gold_schema() -> Schema:
    """One line of gold; the capability is that of the batch line with the same case_id."""
    schema = _schema(GoldLine)
    schema["properties"]["gold"] = {"anyOf": [_part(schema, capability_of(name).gold) for name in names()]}
    return {**schema, "title": "gold line"}


def labels_schema() -> Schema:
    """One line of a label file (calibration)."""
    from calibration.label_files.labels import LabelLine

    return {**_schema(LabelLine), "title": "label line"}


def contract_schema() -> Schema:
    """The contract file, as JSON; `hash` is computed, not written."""
    from rubrics.contract import Contract

    schema = _schema(Contract)
    schema["properties"].pop("hash", None)
    return {**schema, "title": "contract", "required": [key for key in schema["required"] if key != "hash"]}


def verdicts_schema() -> Schema:
    """One line of verdicts.jsonl; further keys may stand beside these."""
    schema: Schema = json.loads(resources.files("judge.commands.preparing").joinpath("verdict-line.schema.json").read_text("utf-8"))
    schema["properties"]["capability"]["enum"] = list(names())
    return {"$schema": DIALECT, **schema}


SCHEMAS: dict[str, Callable[[], Schema]] = {"batch": batch_schema, "gold": gold_schema, "labels": labels_schema}
SCHEMAS |= {"verdicts": verdicts_schema, "contract": contract_schema}


def _schema(model: type[BaseModel]) -> Schema:
    return {"$schema": DIALECT, **model.model_json_schema(ref_template="#/$defs/{model}")}


def _part(schema: Schema, model: type[BaseModel]) -> Schema:
    """A reference to a model whose definitions are added to the schema."""
    part = model.model_json_schema(ref_template="#/$defs/{model}")
    definitions = schema.setdefault("$defs", {})
    definitions |= part.pop("$defs", {})
    definitions[model.__name__] = part
    return {"$ref": f"#/$defs/{model.__name__}"}


@click.command("schema")
@click.argument("kind", type=click.Choice(sorted(SCHEMAS)), default="batch")
def command(kind: str) -> int:
    """Print the JSON Schema of one line of a batch, gold, labels or verdicts file, or of the contract."""
    put_json(SCHEMAS[kind](), indent=2)
    return 0
