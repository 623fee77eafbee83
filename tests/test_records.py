"""Records are what frozen dataclasses with slots are."""

from __future__ import annotations

import copy
import inspect
import pickle
from abc import ABC, abstractmethod
from dataclasses import MISSING, FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_type_hints

import pytest

from akdask.records import record


@record
class Span:
    """A span."""

    start: int
    stop: int = 5
    names: list[str] = field(default_factory=list)
    seen: Any = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "span"

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class SameSpan:
    """A span."""

    start: int
    stop: int = 5
    names: list[str] = field(default_factory=list)
    seen: Any = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "span"


class Sized(ABC):
    __slots__ = ()

    @abstractmethod
    def size(self) -> int: ...


@record
class Named(Sized):
    name: str

    def size(self) -> int:
        return len(self.name)


@record
class Called(Named):
    number: int = 0
    name: str = "nobody"

    def size(self) -> int:
        return 10 * Named.size(self)


@record
class Checked:
    number: int

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("negative")


@record
class Nothing:
    pass


@record
class Squared:
    number: int

    @cached_property
    def square(self) -> list[int]:
        return [self.number**2]


@record(eq=False)
class Alone:
    number: int


def test_fields_are_arguments_with_defaults():
    assert (Span(1).start, Span(1).stop, Span(1, 2).stop, Span(start=3).names, Span(1, seen=4).seen) == (1, 5, 2, [], 4)
    assert Span(1).names is not Span(1).names
    assert len(Span(1)) == 4
    for wrong in (Span, lambda: Span(1, start=1), lambda: Span(1, other=2), lambda: Span(1, 2, [], 3, 4)):
        with pytest.raises(TypeError):
            wrong()
    match Span(1, 2):
        case Span(start, stop):
            assert (start, stop) == (1, 2)


def test_records_never_change_and_have_no_other_attributes():
    span = Span(1)
    for change in (lambda: setattr(span, "start", 2), lambda: setattr(span, "x", 2), lambda: delattr(span, "start")):
        with pytest.raises(FrozenInstanceError, match="of a Span, as records never change"):
            change()
    assert not hasattr(span, "__dict__")
    assert span == Span(1)


def test_records_are_equal_if_all_fields_that_are_compared_are():
    assert Named("a") == Named("a") != Named("b")
    assert Named("a") != Called(name="a")
    assert Span(1, seen=2) == Span(1, seen=3)
    assert Span(1) != (1, 5, [], None)
    assert len({Named("a"), Named("a"), Called(1, "a"), Nothing(), Nothing()}) == 3
    missing = float("nan")
    assert Named(missing) == Named(missing)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Span(1))


def test_records_look_like_dataclasses():
    given = (1, 2, ["a"], 3)
    assert repr(Span(*given)) == repr(SameSpan(*given)).replace("SameSpan", "Span")
    assert repr(Nothing()) == "Nothing()"
    assert is_dataclass(Span)
    assert [each.name for each in fields(Span)] == [each.name for each in fields(SameSpan)]
    assert asdict(Span(*given)) == asdict(SameSpan(*given))
    assert str(inspect.signature(Checked)) == "(number: 'int') -> 'None'"
    assert inspect.signature(Span).parameters.keys() == inspect.signature(SameSpan).parameters.keys()
    assert get_type_hints(Checked.__init__) == {"number": int, "return": type(None)}
    assert (Span.__doc__, Span.__qualname__, Span.__module__) == ("A span.", "Span", __name__)


def test_a_record_is_replaced_by_one_that_differs_in_some_fields():
    assert replace(Span(1, names=["a"]), start=3) == Span(3, names=["a"])
    with pytest.raises(TypeError):
        replace(Span(1), other=2)


def test_records_inherit_fields_and_abstract_methods():
    assert repr(Called("a", 1)) == "Called(name='a', number=1)"
    assert (Called().name, Called("b").number, Called("b").size()) == ("nobody", 0, 10)

    @record
    class Unfinished(Sized):
        name: str

    with pytest.raises(TypeError, match="abstract"):
        Unfinished("a")

    @dataclass(frozen=True)
    class Usual(Named):
        more: int = 1

    assert Usual("a").more == 1


def test_what_is_checked_is_checked_whenever_a_record_is_made():
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    with pytest.raises(ValueError, match="negative"):
        replace(Checked(1), number=-1)


@pytest.mark.parametrize("item", [Span(1, 2, ["a"], 3), Called("a", 1), Nothing()])
def test_records_are_copied_and_pickled(item):
    for made in (pickle.loads(pickle.dumps(item)), copy.copy(item), copy.deepcopy(item)):
        assert made == item
        assert repr(made) == repr(item)


def test_a_record_keeps_cached_properties():
    found = Squared(3)
    assert found.square == [9]
    assert found.square is found.square
    assert found == Squared(3)
    assert replace(found, number=2).square == [4]
    assert not hasattr(Span(1), "__dict__")


def test_a_record_may_be_equal_to_itself_alone():
    one = Alone(1)
    assert one != Alone(1)
    assert [one, Alone(1)].index(one) == 0
    assert len({one, one, Alone(1)}) == 2
    assert replace(one, number=2).number == 2


FORMS = {
    "Left": lambda: {"at": MISSING, "by": 1, "made": field(default_factory=list)},
    "Right": lambda: {"_set_0": MISSING, "name": "x", "of": field(default_factory=dict)},
    "Other": lambda: {"made": field(default_factory=list), "by": 1, "at": 3},
}
"""Fields and their defaults; the first two are of one form."""


def with_fields(name):
    given = FORMS[name]()
    defaults = {field_name: default for field_name, default in given.items() if default is not MISSING}
    return type(name, (), {"__annotations__": dict.fromkeys(given, "Any"), "__module__": __name__, **defaults})


PAIRS = [(record(with_fields(name)), dataclass(frozen=True)(with_fields(name))) for name in FORMS]


def _refusal(cls, given, own):
    try:
        cls(*given, **own)
    except TypeError as error:
        return str(error)
    return None


@pytest.mark.light
@pytest.mark.parametrize("given", [(1,), (1, 2), (1, 2, 3), (), (1, 2, 3, 4)])
@pytest.mark.parametrize("own", [{}, {"by": 7}, {"name": "y"}, {"at": 5}, {"_set_0": 5}, {"made": [8]}, {"none": 1}])
def test_records_of_one_form_have_fields_and_defaults_of_their_own(given, own):
    for one, other in PAIRS:
        refusals = [_refusal(cls, given, own) for cls in (one, other)]
        assert refusals[0] == refusals[1]
        if refusals[0] is not None:
            continue
        wanted = other(*given, **own)
        found = one(*given, **own)
        assert asdict(found) == asdict(wanted)
        assert found == one(*given, **own) != one(9, 9, 9)
        assert inspect.signature(one).parameters.keys() == inspect.signature(other).parameters.keys()


def test_fields_without_defaults_come_first():
    wrong = type(
        "Wrong", (), {"__annotations__": {"first": "int", "second": "int"}, "first": 1, "__module__": __name__}
    )
    with pytest.raises(TypeError, match="'second' of Wrong has no default"):
        record(wrong)(1, 2)
