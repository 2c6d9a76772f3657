"""Loan onboarding: sixteen fields of a facility agreement or an amendment, extracted with their citations (standard 1).
Its formats (docs/contract/formats.md) and its record."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, model_validator

from deterministic.lexicon.tables import rows
from judge.capabilities import TIER1_FIELDS, Capability, Fault, Scored, late_parts
from judge.capabilities.cases import MANY, Cited, Confidence, Level, NoInput, Strict, Text, as_text
from judge.capabilities.scoring.dimensions import field_score, of_fields
from rubrics.contract_sections import FIELD_KEYS, FieldKey

NOTES = {key: (title, note) for key, title, note in (row.split(" | ") for row in rows("fields"))}


def field_title(key: str) -> str:
    """A field's name for people."""
    return NOTES[key][0] if key in NOTES else key.replace("_", " ")


def field_note(key: str) -> str:
    """The standard's note on a field; "" for one that it does not have."""
    return NOTES[key][1] if key in NOTES else ""


def field_label(key: str, tranche: str | None = None, of: str = "") -> str:
    """A field's name with its note, for one tranche (None: the whole deal). of: which value of an amended field, "original value"."""
    parts = [f"{of} of the amended field" * bool(of), f"for the tranche {tranche!r}" if tranche else ""]
    return ", ".join(filter(None, [f"{field_title(key)} ({NOTES[key][1]})" if key in NOTES else field_title(key), *parts]))


def claim_text(key: str, value: str, tranche: str | None = None) -> str:
    """What a quote of a field has to support."""
    return f"{field_title(key)}{f' of {tranche}' if tranche else ''}: {value}"


class MoneyObject(Strict):
    """Money as an object: amount in whole currency units."""

    amount: StrictInt | StrictFloat | Text
    currency: Text | None = None


_Plain = Text | StrictBool | StrictInt | StrictFloat | Annotated[tuple[Text, ...], MANY] | MoneyObject
Value = Annotated[_Plain, BeforeValidator(as_text, json_schema_input_type=_Plain | list[Level])]


class FieldOutput(Cited):
    """One extracted field. status illegible: it is there and cannot be read; missing: it stands on `page`, which the file lacks."""

    status: Literal["extracted", "absent", "amended", "unchanged", "illegible", "missing"]
    value: Value | None = None
    original_value: Value | None = None
    new_value: Value | None = None
    effective_date: Text | None = None
    page: StrictInt | Text | None = None
    confidence: Confidence | None = None
    hitl: Literal["none", "flag", "block"] | None = None
    shared: StrictBool | None = None
    scope: tuple[Text, ...] | None = None


class TrancheOutput(Strict):
    """The fields of one tranche as reported."""

    label: Text
    fields: dict[FieldKey, FieldOutput] = Field(default={})


class ExtractionOutput(Strict):
    """Output of loan onboarding."""

    document_type: Literal["primary_agreement", "amendment"] | None = None
    fields: dict[FieldKey, FieldOutput] = Field(default={})
    tranches: Annotated[tuple[TrancheOutput, ...], MANY] = ()


class Amended(Strict):
    """Gold of an amended field; None = not stated in the amendment."""

    original_value: Value | None = None
    new_value: Value
    effective_date: Text | None = None
    one_time: StrictBool = False  # a condition of this amendment alone: the agreement has no original of it


class FieldGold(Cited):
    """What is true of one field: exactly one of value, absent, amended, unchanged, or only `legible: false`. visible: the part (or parts)
    of an illegible value that can be read; missing_page: the page that the file lacks."""

    value: Value | None = None
    accepted: tuple[Value, ...] = ()
    absent: StrictBool = False
    legible: StrictBool = True
    visible: Text | tuple[Text, ...] | None = None
    missing_page: StrictInt | None = None
    derived: StrictBool = False
    scope: tuple[Text, ...] | None = None
    amended: Amended | None = None
    unchanged: StrictBool = False

    @model_validator(mode="after")
    def _exactly_one(self) -> "FieldGold":
        given = [self.value is not None, self.absent, self.amended is not None, self.unchanged]
        if sum(given) != 1 and (sum(given) or self.legible):
            raise ValueError(
                "give exactly one of `value`, `absent: true`, `amended`, `unchanged: true` (or none of them with `legible: false`)"
            )
        if isinstance(self.truth, str) and not self.truth.strip():
            raise ValueError("an empty text is no value: give what the document says, or `absent: true`")
        return self

    @property
    def truth(self) -> Value | None:
        """The right value: of an amended field the new one."""
        return self.value if self.amended is None else self.amended.new_value


class TrancheGold(Strict):
    """The fields of one tranche as they are; aliases: other labels that mean it."""

    label: Text
    aliases: tuple[Text, ...] = ()
    fields: dict[FieldKey, FieldGold] = Field(default={})


class ExtractionGold(Strict):
    """Gold of loan onboarding; every required field is in `fields` or under every tranche that has it."""

    document_type: Literal["primary_agreement", "amendment"] = "primary_agreement"
    fields: dict[FieldKey, FieldGold] = Field(default={})
    tranches: Annotated[tuple[TrancheGold, ...], MANY] = ()


def gold_gaps(gold: ExtractionGold) -> Iterator[Fault]:
    """Gold must say what is true of all sixteen fields, in `fields` or under a tranche; tranche labels are item names, so they differ."""
    mentioned = set(gold.fields) | {key for tranche in gold.tranches for key in tranche.fields}
    if silent := [key for key in FIELD_KEYS if key not in mentioned]:
        yield "gold.fields", f'gold must say what is true of each field, its value or {{"absent": true}}; it lacks {", ".join(silent)}'
    labels = [tranche.label for tranche in gold.tranches]
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield "gold.tranches", f"two tranches are labelled {label!r}"


def item_names(gold: ExtractionGold) -> Iterator[str]:
    """Every field that gold speaks of, at the top or under a tranche."""
    yield from dict.fromkeys(key for fields in (gold.fields, *(tranche.fields for tranche in gold.tranches)) for key in fields)


CAPABILITY = Capability(
    name="loan_onboarding",
    title="Loan onboarding",
    input=NoInput,
    output=ExtractionOutput,
    gold=ExtractionGold,
    groups={},
    gates=frozenset({TIER1_FIELDS}),
    rules=None,
    gold_gaps=gold_gaps,
    scored=Scored(
        scope="field",
        prefixes=("fields", "tranches"),
        names=item_names,
        composite=of_fields,
        item_score=field_score,
        titles={"field": "field"},
    ),
    **late_parts("judge.capabilities.onboarding"),
)
