import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError
from akdask.frames.functions import (
    convert_if_categorical,
    generic_concat,
    get_callback,
    identity,
    is_float,
    is_int,
    is_numeric,
)

ITEMS = {
    "int": ak.arange(2),
    "uint": ak.array(np.array([1], np.uint64)),
    "float": ak.array([0.5]),
    "bool": ak.array([True]),
    "bigint": ak.array([2**70]),
    "Strings": ak.array(["a"]),
    "Categorical": ak.Categorical(ak.array(["a"])),
    "Datetime": ak.Datetime(ak.arange(2)),
    "Index": ak.Index(ak.arange(2)),
    "list": [1],
}


def test_kinds_of_numbers_are_told():
    assert [name for name, item in ITEMS.items() if is_numeric(item)] == [
        "int",
        "uint",
        "float",
        "bigint",
        "Index",
    ]
    assert [name for name, item in ITEMS.items() if is_float(item)] == ["float"]
    assert [name for name, item in ITEMS.items() if is_int(item)] == ["int", "uint", "bigint", "Index"]


def test_items_of_one_kind_are_joined():
    assert generic_concat([ak.Index(ak.arange(2)), ak.Index(ak.arange(1))]).tolist() == [0, 1, 0]
    frame = generic_concat([ak.DataFrame({"a": ak.arange(2)}), ak.DataFrame({"a": ak.arange(1)})])
    assert frame["a"].tolist() == [0, 1, 0]
    assert generic_concat([ak.array(["a"]), ak.array(["b"])]).tolist() == ["a", "b"]
    with pytest.raises(ArgumentTypeError, match="objects of one kind"):
        generic_concat([ak.arange(2), ak.array(["a"])])
    with pytest.raises(ArgumentTypeError, match="none"):
        generic_concat([])


def test_kinds_are_given_back_to_plain_numbers():
    assert get_callback(ITEMS["int"]) is identity
    assert identity(3) == 3
    assert isinstance(get_callback(ITEMS["Datetime"])(ak.arange(2)), ak.Datetime)
    assert get_callback(ak.BitVector(ak.arange(2), width=3, reverse=True))(ak.array([1])).tolist() == ["|.."]
    assert convert_if_categorical(ITEMS["Categorical"]).tolist() == ["a"]
    assert convert_if_categorical(ITEMS["int"]) is ITEMS["int"]
