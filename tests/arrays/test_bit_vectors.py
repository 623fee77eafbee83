import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

words = st.lists(st.integers(0, 2**64 - 1), max_size=8)


def shown(number, width, reverse):
    text = f"{number:b}".zfill(width).replace("0", ".").replace("1", "|")
    return text[::-1] if reverse else text


@given(words, st.integers(0, 70), st.booleans())
def test_bits_show_as_those_of_python(numbers, width, reverse):
    bits = ak.BitVector(ak.array(np.array(numbers, np.uint64)), width, reverse)
    assert bits.tolist() == [shown(number, width, reverse) for number in numbers]
    assert [bits.format(number) for number in numbers] == bits.tolist()
    assert bits.values.tolist() == numbers


@pytest.mark.lazy_only
def test_bits_show_one_below_the_other():
    assert repr(ak.BitVector(ak.array([1]), 2, reverse=True)) == "BitVector([|.],\n          width=2, reverse=True)"
    assert ",\n           ...,\n" in repr(ak.BitVector(ak.arange(101), 7))
    with ak.config.set(display_seconds=0):
        assert "lazy" in repr(ak.BitVector(ak.sort(ak.arange(300_000)), 4))


def test_operators_on_bits_give_bits():
    bits = ak.BitVector(ak.array([3, 5]), 4)
    for made in (bits & 1, bits | bits, bits ^ ak.array([1, 1]), bits + 1, bits - 1, bits << 1, bits >> 1, ~bits):
        assert isinstance(made, ak.BitVector)
        assert (made.width, made.reverse) == (4, False)
    assert (1 | bits).values.tolist() == [3, 5]
    assert (bits << 1).values.tolist() == [6, 10]
    assert type(bits * 2) is type(bits == 3) is ak.pdarray
    assert (bits == ak.BitVector(ak.array([3, 4]))).tolist() == [True, False]
    assert bits.max() == 5


def test_rows_and_items():
    bits = ak.BitVector(ak.array([3, 5, 7]), 3)
    assert (bits[0], bits[bits > 3].tolist()) == (".||", ["|.|", "|||"])
    bits[1] = 0
    bits[ak.array([2])] = ak.BitVector(ak.array([1]))
    assert bits.values.tolist() == [3, 0, 1]
    bits.opeq(4, "|=")
    bits.opeq(ak.array([0, 0, 4]), "^=")
    assert bits.values.tolist() == [7, 4, 1]
    with pytest.raises(ArgumentError, match="no operator in place"):
        bits.opeq(1, "?")
    assert bits.equals(bits.copy())
    assert not bits.equals(bits.values)
    assert bits.astype("int64").dtype == np.int64
    assert ak.bit_vectorizer(2)(ak.array([1])).tolist() == [".|"]


def test_what_is_no_array_of_integers_has_no_bits():
    for wrong in ([1], ak.array([1.5]), ak.array(["a"])):
        with pytest.raises(ArgumentTypeError, match="array of integers"):
            ak.BitVector(wrong)


def test_named_bits_show_by_their_names():
    flags = ak.Fields(ak.array([0, 1, 6]), names="SAF")
    assert flags.tolist() == ["--- (0)", "--F (1)", "SA- (6)"]
    assert ak.Fields(ak.array([1]), names="SAF", MSB_left=False, show_int=False).tolist() == ["S--"]
    assert ak.Fields(ak.array([5]), names="SAF", pad="", show_int=False).tolist() == ["SF"]
    names = ["read", "write", "exec"]
    assert ak.Fields(ak.array([2]), names, separator=":").tolist() == ["-----:write:-----: (2)"]
    assert flags.format(3) == "-AF (3)"
    assert repr(flags[:1]) == "Fields([--- (0)],\n       width=3, reverse=False)"


def test_text_names_bits():
    assert ak.Fields(ak.array(["SF", "", "A"]), names="SAF").values.tolist() == [5, 0, 2]
    named = ak.Fields(ak.array(["read:exec", "write", "readwrite", ""]), ["read", "write", "exec"], separator=":")
    assert named.values.tolist() == [5, 2, 0, 0]
    assert (named == "exec:read").tolist() == [True, False, False, False]
    assert (named | "write").values.tolist() == [7, 2, 2, 2]
    named[1] = "exec"
    assert named[:2].values.tolist() == [5, 1]
    assert isinstance(named[:2], ak.Fields)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ("AA", {}, "comes twice"),
        ([], {}, "there are 0 names"),
        ([f"{n:02}" for n in range(64)], {"separator": ":"}, "there are 64 names"),
        (["a", ""], {}, "is empty"),
        (["a", ":"], {"separator": ":"}, "separator is a name"),
        (["ab"], {}, "need a separator"),
        ("ab", {"pad": "--"}, "pad is one"),
    ],
)
def test_names_that_do_not_tell_bits_apart_are_refused(names, options, message):
    with pytest.raises(ArgumentError, match=message):
        ak.Fields(ak.array([1]), names, **options)
