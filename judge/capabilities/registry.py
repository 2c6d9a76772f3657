"""Which capabilities there are: the shipped ones, and those that other distributions register. A record is loaded when it is asked for.
Another distribution registers its capability as an entry point of the group `loan_judge.capabilities`, whose name is the capability's and
whose object is its record. Entry points are looked at only for a name that is not shipped, so that start-up does not pay for them."""

import importlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from judge.capabilities import Capability, Group
from judge.errors import UsageError, did_you_mean
from judge.records import Item
from rubrics.contract import Contract
from rubrics.wording import message_of

GROUP = "loan_judge.capabilities"
# name -> package whose CAPABILITY is the record
SHIPPED: Mapping[str, str] = {
    "loan_onboarding": "judge.capabilities.onboarding",
    "covenant_monitoring": "judge.capabilities.covenants",
    "benchmark_validation": "judge.capabilities.benchmark",
    "document_qa": "judge.capabilities.qa",
}
LOADED: dict[str, Capability] = {}  # what was asked for so far


@lru_cache(maxsize=1)
def _registered() -> Mapping[str, EntryPoint]:
    """The entry points by name. Raises UsageError when a name is taken."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name in SHIPPED or found.get(point.name, point).value != point.value:
            raise UsageError(f"capability {point.name!r}: {point.value} registers a name that is taken already (entry point group {GROUP})")
        found[point.name] = point
    return found


def names() -> tuple[str, ...]:
    """All names, the shipped ones first. Raises UsageError."""
    return (*SHIPPED, *sorted(_registered()))


def is_known(name: str) -> bool:
    """Whether there is such a capability."""
    return name in SHIPPED or name in _registered()


def capability_of(name: str) -> Capability:
    """The record of a capability. Raises UsageError when there is none, or when it lacks a part."""
    if name not in LOADED:
        LOADED[name] = importlib.import_module(SHIPPED[name]).CAPABILITY if name in SHIPPED else _load(name)
    return LOADED[name]


def _load(name: str) -> Capability:
    if (point := _registered().get(name)) is None:
        raise UsageError(f"unknown capability {name!r}{did_you_mean(name, names())}")
    try:
        found = point.load()
    except Exception as error:
        raise UsageError(f"capability {name!r}: {point.value} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Capability) or found.name != name:
        raise UsageError(f"capability {name!r}: {point.value} is not the record of a capability of this name")
    return found


def checked_name(name: str) -> str:
    """A name as an input gives it. Raises pydantic's error for a word that is none of a list."""
    if is_known(name):
        return name
    *others, last = map(repr, names())
    raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": f"{', '.join(others)} or {last}"})


def title_of(name: str) -> str:
    """What a capability is called for people; its name where it is not installed."""
    return capability_of(name).title if is_known(name) else name


def groups_of(name: str) -> Mapping[str, Group]:
    """The groups of a capability's items; none where it is not installed."""
    return capability_of(name).groups if is_known(name) else {}


def field_of(item: Item) -> str:
    """What an item is of: a field key, or the noun of the group that it belongs to."""
    head, _, rest = item.item.partition(".")
    if head == "fields":
        return rest
    if head == "tranches":
        return "extra tranche" if rest.startswith("+") else rest.rpartition(".")[2] or rest
    group = groups_of(item.capability).get(head)
    return group.noun if group else head


def rules_of(name: str, contract: Contract) -> Any:
    """What the contract says under [capabilities.NAME], as the capability's own model; None for one without. Raises UsageError."""
    if (model := capability_of(name).rules) is None:
        return None
    try:
        return model.model_validate(contract.capabilities.get(name, {}))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, ("capabilities", name, *first["loc"])))
        raise UsageError(f"contract {contract.version}: {place}: {message_of(first)}") from None


def check_rules(used: Iterable[str], contract: Contract) -> None:
    """Holds the contract against the capabilities that are used, and its tables against those that there are. Raises UsageError."""
    for name in (*used, *contract.capabilities):
        if rules_of(name, contract) is None and name in contract.capabilities:
            raise UsageError(f"contract {contract.version}: capabilities.{name}: this capability reads no such table")
