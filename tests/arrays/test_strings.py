import operator
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert_equal("<" + s, ["<" + word for word in WORDS])


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


def test_bytes_are_taken_for_text(s):
    assert_equal(s.contains(b"c"), s.contains("c"))
    assert_equal(s.startswith("日".encode()), s.startswith("日"))
    assert_equal(s.endswith(b"[cp]", regex=True), s.endswith("[cp]", regex=True))
    assert_equal(s.stick(s, delimiter=b"-"), s.stick(s, delimiter="-"))
    assert_equal(s.strip(b"tp"), s.strip("tp"))
    assert_equal(s.strip(None), s.strip())
    with pytest.raises(ArgumentError, match="UTF-8"):
        s.contains(b"\xff")


def test_the_second_argument_of_argsort_is_the_direction():
    words = ak.array(["b", "a", "c"])
    assert words.argsort(ak.SortingAlgorithm.RadixSortLSD, False).tolist() == [2, 0, 1]
    assert ak.Categorical(words).argsort(ak.SortingAlgorithm.RadixSortLSD, False).tolist() == [2, 0, 1]


def cut(words, lengths):
    """Put words into several partitions."""
    return MemorySource({"s": words}, lengths).arrays()["s"]


# the examples of Arkouda's documentation

UNDER = ["1_2___", "____", "3", "__4___5____6___7", ""]
DOTTED = ["a.b", "c.d", "e.f.g"]


def test_strings_are_split_as_arkouda_splits_them():
    fields, segments = cut(["one|two", "three|four|five", "six"], [1, 2]).split("|", return_segments=True)
    assert_equal(fields, ["one", "two", "three", "four", "five", "six"], lazy=True)
    assert_equal(segments, [0, 2, 5], lazy=True)
    words = cut(["one_two", "three_____four____five", "six"], [2, 0, 1])
    fields, segments = words.split("_+", return_segments=True, regex=True)
    assert fields.tolist() == ["one", "two", "three", "four", "five", "six"]
    assert segments.tolist() == [0, 2, 5]
    fields, segments = cut(UNDER, [2, 3]).regex_split("_+", maxsplit=2, return_segments=True)
    assert fields.tolist() == ["1", "2", "", "", "", "3", "", "4", "5____6___7", ""]
    assert segments.tolist() == [0, 3, 5, 6, 9]


@pytest.mark.parametrize(
    ("how", "left", "right"),
    [
        ({}, ["a", "c", "e"], ["b", "d", "f.g"]),
        ({"includeDelimiter": True}, ["a.", "c.", "e."], ["b", "d", "f.g"]),
        ({"times": 2}, ["", "", "e.f"], ["a.b", "c.d", "g"]),
        ({"times": 2, "keepPartial": True}, ["a.b", "c.d", "e.f"], ["", "", "g"]),
        ({"fromRight": True}, ["a", "c", "e.f"], ["b", "d", "g"]),
    ],
)
@pytest.mark.parametrize("delimiter", [{"delimiter": "."}, {"delimiter": b"[.]", "regex": True}])
def test_strings_are_peeled_as_arkouda_peels_them(delimiter, how, left, right):
    found = cut(DOTTED, [1, 0, 2]).peel(**delimiter, **how)
    assert_equal(found[0], left, lazy=True)
    assert_equal(found[1], right, lazy=True)


texts = st.lists(st.text(st.sampled_from("ab.é\x01"), max_size=8), max_size=12)


@given(texts, st.sampled_from([".", "aa", "é", "a.a"]), st.integers(0, 12))
def test_parts_are_those_of_python(words, delimiter, at):
    at = min(at, len(words))
    s = cut(np.array(words, dtype=str), [at, len(words) - at])
    fields = [word.split(delimiter) for word in words]
    assert s.split(delimiter).tolist() == [field for row in fields for field in row]
    first, last = [word.partition(delimiter) for word in words], [word.rpartition(delimiter) for word in words]
    for regex in (False, True):
        pattern = delimiter.replace(".", "[.]") if regex else delimiter
        left, right = s.peel(pattern, includeDelimiter=True, keepPartial=True, regex=regex)
        assert left.tolist() == [head + found for head, found, _ in first]
        assert right.tolist() == [rest for _, _, rest in first]
    left, right = s.rpeel(delimiter, includeDelimiter=True, keepPartial=True)
    assert left.tolist() == [head for head, _, _ in last]
    assert right.tolist() == [found + rest for _, found, rest in last]
    assert s.get_bytes().to_ndarray().tobytes() == b"".join(word.encode() + b"\0" for word in words)
    assert s.nbytes == sum(len(word.encode()) + 1 for word in words)


@given(texts, st.integers(1, 3), st.booleans(), st.booleans(), st.booleans())
def test_delimiters_are_counted_from_the_end_that_is_peeled(words, times, include, partial, from_right):
    found = cut(np.array(words, dtype=str), [len(words)]).peel(".", times, include, partial, from_right)
    for word, left, right in zip(words, *(side.tolist() for side in found), strict=True):
        if word.count(".") < times:
            assert (left, right) == ((word, "") if partial != from_right else ("", word))
            continue
        fields = word.rsplit(".", times) if from_right else word.split(".", times)
        cut_at = 1 if from_right else times
        assert left == ".".join(fields[:cut_at]) + ("." if include and not from_right else "")
        assert right == ("." if include and from_right else "") + ".".join(fields[cut_at:])


def test_delimiters_that_make_no_sense_are_refused(s):
    for how in ({"delimiter": ""}, {"delimiter": "x*", "regex": True}, {"delimiter": "(", "regex": True}):
        with pytest.raises(ArgumentError):
            s.split(**how)
        with pytest.raises(ArgumentError):
            s.peel(**how)
    with pytest.raises(ArgumentError):
        s.peel(".", times=0)
    with pytest.raises(ArgumentTypeError):
        s.peel(".", times=1.5)
    with pytest.raises(ArgumentTypeError):
        s.split(5)


def test_matches_of_no_characters_separate_fields():
    # As in Python, which finds a border of a word on both sides of it.
    words = ["ab c", "", "."]
    wanted = [re.split(r"\b", word) for word in words]
    fields, segments = ak.array(words).split(r"\b", return_segments=True, regex=True)
    assert fields.tolist() == [field for row in wanted for field in row]
    assert segments.tolist() == np.cumsum([0, *map(len, wanted)])[:-1].tolist()


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("proper", [True, False])
def test_ends_are_those_of_strings_that_are_long_enough(s, n, proper):
    is_long = [len(word) >= n + proper for word in WORDS]
    chosen = [word for word, enough in zip(WORDS, is_long, strict=True) if enough]
    prefixes, origins = s.get_prefixes(n, proper=proper)
    assert_equal(prefixes, [word[:n] for word in chosen], lazy=True)
    assert_equal(origins, is_long, lazy=True)
    suffixes = s.get_suffixes(n, return_origins=False, proper=proper)
    assert suffixes.tolist() == [word[len(word) - n :] for word in chosen]


def test_ends_have_a_number_of_characters(s):
    for method in (s.get_prefixes, s.get_suffixes):
        with pytest.raises(ArgumentTypeError):
            method(1.5)
        with pytest.raises(ArgumentError):
            method(-1)


def test_the_layout_of_arkouda_is_at_hand(s):
    assert_equal(s.get_bytes(), np.frombuffer("".join(word + "\0" for word in WORDS).encode(), np.uint8), lazy=True)
    lengths = [len(word.encode()) + 1 for word in WORDS]
    assert_equal(s.get_offsets(), np.cumsum(lengths) - lengths, lazy=True)
    assert s.flatten() is s
    assert s.inferred_type == "string"


def test_equal_strings_have_equal_hashes_and_others_do_not(s):
    pairs = list(zip(*(half.tolist() for half in s.hash()), strict=True))
    assert [[one == other for other in pairs] for one in pairs] == [[a == b for b in WORDS] for a in WORDS]
    again = ak.Categorical(ak.array(WORDS)).hash()
    assert list(zip(*(half.tolist() for half in again), strict=True)) == pairs


def test_strings_are_made_of_their_parts(s):
    again = ak.Strings.from_parts(s.get_offsets(), s.get_bytes())
    assert_equal(again, WORDS)
    assert s.entry.tolist() == s.get_bytes().tolist()
    nothing = np.array([], np.int64)
    assert ak.Strings.from_parts(nothing, nothing).tolist() == []
    with pytest.raises(RuntimeError, match="the offsets of strings are an array of integers, not str"):
        ak.Strings.from_parts("a", "b")
    with pytest.raises(RuntimeError, match="the bytes of strings"):
        ak.Strings.from_parts(ak.array([0]), 5)
    with pytest.raises(ArgumentError, match="end in NUL"):
        ak.Strings.from_parts(ak.array([0]), ak.array([97])).tolist()
    with pytest.raises(ArgumentError, match="no text in UTF-8"):
        ak.Strings.from_parts(ak.array([0]), ak.array([255, 0])).tolist()


def test_strings_of_several_arrays_are_joined_without_repetition(s):
    found = ak.Strings.concatenate_uniquely([s, ak.array(["new", "tcp", None])])
    assert found.tolist() == [*sorted({*WORDS, "new"}, key=str.encode), None]
    with pytest.raises(ArgumentTypeError, match="got pdarray"):
        ak.Strings.concatenate_uniquely([ak.arange(2)])
    with pytest.raises(ArgumentError, match="got none"):
        ak.Strings.concatenate_uniquely([])


def test_strings_become_numpys_of_any_width(s):
    found = s.to_numpy(np.dtypes.StringDType())
    assert found.dtype == np.dtypes.StringDType()
    assert found.tolist() == WORDS
    missing = ak.array(["a", None])
    assert missing.to_numpy(np.dtypes.StringDType(na_object=None)).tolist() == ["a", None]
    with pytest.raises(ArgumentError, match="has nothing for it"):
        missing.to_numpy(np.dtypes.StringDType())


def test_numeric_strings_are_told_by_a_function_too(s):
    assert_equal(ak.isnumeric(ak.array(["1", "一", "x"])), [True, True, False])
    with pytest.raises(ArgumentTypeError, match="isnumeric takes Strings"):
        ak.isnumeric(ak.arange(2))
