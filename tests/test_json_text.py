import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.strict_json import JsonTextError, loads
from tests.tables import table

TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e200, 1e200) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(TREES)
@settings(max_examples=60, deadline=None)
def test_reads_what_json_writes(tree: object) -> None:
    assert loads(json.dumps(tree).encode()) == tree
    assert loads(json.dumps(tree, ensure_ascii=False).encode("utf-8-sig", "surrogatepass")) == tree if _is_whole(tree) else True


def _is_whole(tree: object) -> bool:
    try:
        json.dumps(tree, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


LARGE = [("[" + "9" * 5000 + "]", "has 5000 digits"), ("[" * 100_000, "nested too deeply")]


@pytest.mark.parametrize(("text", "said"), [*table("json_text", "refused"), *LARGE])
def test_refuses_what_is_no_json(text: str, said: str) -> None:
    with pytest.raises(JsonTextError) as caught:
        loads(text)
    assert said in caught.value.message
    with pytest.raises(JsonTextError) as ended:  # a line of a file, cut short: the fault is its own, not the next one's
        loads(text.encode() + b"\r\n")
    assert ended.value.line == caught.value.line


def test_counts_lines_within_the_text_and_bytes_of_bad_encoding() -> None:
    with pytest.raises(JsonTextError) as caught:
        loads('{"a": 1,\n"b": }')
    assert caught.value.line == 2
    with pytest.raises(JsonTextError) as caught:
        loads(b'{"a":\n "\xff"}')
    assert caught.value.line == 2 and "UTF-8" in caught.value.message


@given(st.binary(max_size=40))
@settings(max_examples=100, deadline=None)
def test_never_raises_anything_else(data: bytes) -> None:
    with contextlib.suppress(JsonTextError):
        loads(data)
