"""What is wrong with a value of a file, in plain words in place of the checking library's."""

import re
from typing import Any

_WORDS = {
    "missing": "is required and missing",
    "extra_forbidden": "unknown key",
    "string_type": "must be a text",
    "string_too_short": "is empty",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "fraction_parsing": "must be a number",
    "fraction_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must hold keys with values",
    "mapping_type": "must hold keys with values",
    "model_type": "must hold keys with values",
    "model_attributes_type": "must hold keys with values",
    "path_type": "must be a path",
}


def plain(entry: Any) -> str:
    """One entry of a validation error."""
    said = _WORDS.get(entry["type"]) or str(entry["msg"])
    return re.sub("(?:Input |String )?should", "must", said.removeprefix("Value error, "))
