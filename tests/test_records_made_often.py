"""A record that is made many times a case is a value like any other."""

import copy
import pickle
from collections.abc import Mapping
from dataclasses import field, fields, replace

import pytest

from deterministic.lexicon.records import record


@record
class Clipping:
    """Some words of a page."""

    text: str
    page: int = 1
    marks: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict, compare=False)


def test_equal_fields_make_equal_records():
    one, other = Clipping("margin", 3, ("bold",)), Clipping("margin", page=3, marks=("bold",))
    assert one == other
    assert hash(one) == hash(other)
    assert {one: "known"}[other] == "known"
    assert one != Clipping("margin", 4, ("bold",))
    assert repr(one) == "Clipping(text='margin', page=3, marks=('bold',), notes={})"


def test_a_changed_copy_leaves_the_record_as_it_is():
    one = Clipping("margin", 3)
    assert replace(one, page=4) == Clipping("margin", 4)
    assert one.page == 3
    with pytest.raises(TypeError):
        replace(one, line=4)


def test_a_record_has_its_fields_and_no_others():
    assert [f.name for f in fields(Clipping)] == ["text", "page", "marks", "notes"]
    with pytest.raises(AttributeError):
        Clipping("margin").line = 4


def test_records_travel_between_processes():
    one = Clipping("margin", 3, ("bold",), {"by": "hand"})
    for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert other == one
        assert other.notes == one.notes


def test_each_record_has_defaults_of_its_own():
    assert Clipping("a").notes is not Clipping("b").notes
