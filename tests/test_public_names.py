"""What other code may import: every other module of the program is inside, and may change without notice."""

import importlib
import pkgutil

import pytest

import judge
from tests.tables import entries

PUBLIC = entries("public_names", "public")


@pytest.mark.parametrize("name", PUBLIC)
def test_the_public_names_are_these(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__ == PUBLIC[name]
    assert all(hasattr(module, public) and getattr(module, public) is not None for public in PUBLIC[name])


def test_no_other_module_says_what_is_public() -> None:
    names = {module.name for module in pkgutil.walk_packages(judge.__path__, "judge.") if not module.name.startswith("judge.engines.ray")}
    assert {name for name in names if hasattr(importlib.import_module(name), "__all__")} == set(PUBLIC)
