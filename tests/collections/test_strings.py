import operator

import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

WORDS = ["tcp", "", "Ünï code", "udp", " x\t", "日本", "tcp", "a.c"]


@pytest.fixture
def s():
    return MemorySource({"s": WORDS}, [3, 0, 5]).arrays()["s"]


@pytest.mark.parametrize(
    "name", ["lower", "upper", "title", "capitalize", "islower", "isupper", "istitle", "isalpha", "isdigit", "isspace"]
)
def test_methods_are_those_of_python(s, name):
    assert_equal(getattr(s, name)(), [getattr(word, name)() for word in WORDS], lazy=True)


@pytest.mark.parametrize("pattern", ["tc", "", "日", ".", "p"])
def test_searches_are_those_of_python(s, pattern):
    assert_equal(s.contains(pattern), [pattern in word for word in WORDS], lazy=True)
    assert_equal(s.startswith(pattern), [word.startswith(pattern) for word in WORDS])
    assert_equal(s.endswith(pattern), [word.endswith(pattern) for word in WORDS])


def test_searches_take_regular_expressions(s):
    assert_equal(s.contains("[tu].p", regex=True), [word in ("tcp", "udp") for word in WORDS])
    assert_equal(s.startswith("t|u", regex=True), [word in ("tcp", "udp") for word in WORDS])
    assert_equal(s.endswith("c|d", regex=True), [word == "a.c" for word in WORDS])
    with pytest.raises(ArgumentError, match="is no regular expression"):
        s.contains("(", regex=True)


@pytest.mark.parametrize("function", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_comparison_is_that_of_the_bytes(s, function):
    wanted = [function(word.encode(), b"tcp") for word in WORDS]
    assert_equal(function(s, "tcp"), wanted, lazy=True)
    assert_equal(function(s, ak.array(["tcp"] * 8)), wanted)
    assert_equal(function(s, ["tcp"] * 8), wanted)
    assert_equal(function("tcp", s), [function(b"tcp", word.encode()) for word in WORDS])


def test_strings_are_joined_row_by_row(s):
    assert_equal(s.stick(s, delimiter="-"), [f"{word}-{word}" for word in WORDS], lazy=True)
    assert_equal(
        s.lstick(ak.array(WORDS[::-1])), [left + right for left, right in zip(WORDS[::-1], WORDS, strict=True)]
    )
    assert_equal(s + "!", [word + "!" for word in WORDS])
    assert_equal(s.stick("<", toLeft=True), ["<" + word for word in WORDS])


def test_strings_are_stripped(s):
    assert_equal(s.strip(), [word.strip() for word in WORDS])
    assert_equal(s.strip("tp"), [word.strip("tp") for word in WORDS])


def test_lengths_count_bytes(s):
    assert_equal(s.get_lengths(), [len(word.encode()) for word in WORDS], lazy=True)
    assert_equal(s.isempty(), [not word for word in WORDS])


def test_filters_on_strings_and_of_strings(s):
    assert_equal(s[s == "tcp"], ["tcp", "tcp"], lazy=True)
    assert_equal(s[s.get_lengths() > 3].upper(), [word.upper() for word in WORDS if len(word.encode()) > 3])
    assert (s == "tcp").sum() == 2
    assert_equal(ak.where(s == "", "empty", s), [word or "empty" for word in WORDS])


def test_what_is_no_text_is_refused(s):
    with pytest.raises(ArgumentTypeError, match="expected a str"):
        s.contains(5)
    with pytest.raises(ArgumentTypeError):
        s == ak.arange(8)  # noqa: B015
    with pytest.raises(TypeError):
        s < 5  # noqa: B015
    with pytest.raises(TypeError):
        hash(s)


def test_no_strings_are_strings():
    nothing = ak.array(["a"])[ak.array([False])]
    assert nothing.tolist() == []
    assert nothing.to_ndarray().dtype.kind == "U"
    assert nothing.upper().get_lengths().tolist() == []
    assert repr(nothing) == "array([])"


def test_strings_keep_multibyte_characters_across_blocks():
    words = np.array([f"é{number}日" * (number % 3) for number in range(50)])
    s = MemorySource({"s": words}, [20, 30]).arrays()["s"]
    with ak.config.set(block_size=24):
        assert_equal(s[s != ""].upper(), np.char.upper(words[words != ""]))
        assert s.nunique() == len(set(words.tolist()))
