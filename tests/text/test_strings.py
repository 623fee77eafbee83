from __future__ import annotations

import operator
import re
from ipaddress import ip_address
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, INT64, STR
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.text import loops, strings
from akdask.operators.text.strings import _branches, _has_pair, ipv4_number, ipv4_text, leading_sets, unicode_array
from akdask.testing.strategies import strings_in_buffers

WORDS = [
    "",
    "a",
    "Ab cd",
    "ABC",
    "x1",
    "12",
    " ",
    "\t\n",
    "Straße",
    "ÉCOLE",
    "ñandú",
    "日本",
    "a\x00b",
    "Zz",
    "٣",
    "it's",
]
MANY_CHARACTERS = [chr(code) for code in (*range(0x3000), *range(0x3000, 0x110000, 7)) if not 0xD800 <= code < 0xE000]
TEXT = st.lists(st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=12)
PREDICATES = ["islower", "isupper", "istitle", "isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isspace"]
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


def column(words):
    """An Arrow array that begins in the middle of its buffers, as slices of partitions do."""
    return pa.array(["skipped", "ü", *words, "behind"], pa.large_string()).slice(2, len(words))


def check(name, words, expected, *args, **params):
    operation = OPERATIONS[name]
    found = operation.evaluate(column(words), *args, **params)
    types = [STR, *(STR for _ in args)]
    if operation.result_type(*types, **params) == STR:
        assert found.type == pa.large_string()
        assert found.to_pylist() == expected
        return
    assert found.dtype == operation.result_type(*types, **params).numpy
    assert found.tolist() == expected
    out = np.empty(len(words), found.dtype)
    assert operation.evaluate(column(words), *args, out=out, **params) is out
    assert out.tolist() == expected


@pytest.mark.light
@pytest.mark.parametrize("name", PREDICATES)
@given(words=TEXT)
def test_predicates_agree_with_python(name, words):
    check(name, words, [getattr(word, name)() for word in words])


@pytest.mark.light
@pytest.mark.parametrize("name", PREDICATES)
@given(words=st.lists(st.text(st.characters(max_codepoint=0x7F), max_size=6)))
def test_predicates_of_ascii_agree_with_python(name, words):
    check(name, words, [getattr(word, name)() for word in words])


@pytest.mark.parametrize("name", PREDICATES)
def test_predicates_agree_with_python_on_many_characters(name):
    found = OPERATIONS[name].evaluate(pa.array(MANY_CHARACTERS, pa.large_string()))
    of_text = getattr(str, name)
    assert [char for char, holds in zip(MANY_CHARACTERS, found.tolist(), strict=True) if holds != of_text(char)] == []


@pytest.mark.light
@pytest.mark.parametrize("name", ["lower", "upper", "title", "capitalize"])
@given(words=st.lists(st.text("abzABZ 1_'-éÉñÑ日", max_size=8)))
def test_case_changes_agree_with_python(name, words):
    check(name, words, [getattr(word, name)() for word in words])


@given(words=TEXT)
def test_lengths_count_bytes(words):
    check("byte_length", words, [len(word.encode()) for word in words])
    check("isempty", words, [word == "" for word in words])


def test_no_strings_have_no_lengths():
    nothing = pa.array([], pa.large_string())
    assert OPERATIONS["byte_length"].evaluate(nothing).tolist() == []
    assert OPERATIONS["byte_length"].evaluate(nothing, out=np.empty(0, np.int64)).tolist() == []
    assert OPERATIONS["equal"].evaluate(nothing, "a").tolist() == []


@pytest.mark.light
@pytest.mark.parametrize("name", COMPARISONS)
@given(words=TEXT, other=st.sampled_from(WORDS), data=st.data())
def test_comparisons_go_by_bytes(name, words, other, data):
    compare = COMPARISONS[name]
    others = data.draw(st.permutations(words))
    check(name, words, [compare(w.encode(), o.encode()) for w, o in zip(words, others, strict=True)], column(others))
    check(name, words, [compare(w.encode(), other.encode()) for w in words], other)
    flipped = OPERATIONS[name].evaluate(other, column(words))
    assert flipped.tolist() == [compare(other.encode(), w.encode()) for w in words]
    assert OPERATIONS[name].evaluate("a", other) == compare("a", other)


@pytest.mark.light
@given(st.lists(st.integers(0, 20), min_size=1), st.integers(0, 20), st.sampled_from([np.empty, None]))
def test_strings_that_are_long_or_begin_alike_equal_none_but_themselves(lengths, length, make):
    text = "abcdefghijklmnopqrst"
    words = [word for size in lengths for word in (text[:size], f"{text[: max(size - 1, 0)]}!")]
    for wanted in (text[:length], f"{text[: max(length - 1, 0)]}!"):
        for name, expected in (("equal", True), ("not_equal", False)):
            out = make(len(words), np.bool_) if make else None
            found = OPERATIONS[name].evaluate(column(words), wanted, out=out)
            assert found.tolist() == [(word == wanted) == expected for word in words]
            assert out is None or found is out
            same = OPERATIONS[name].evaluate(column(words), column([*words[1:], wanted]), out=out)
            assert same.tolist() == [(w == o) == expected for w, o in pairwise([*words, wanted])]


@given(words=TEXT, part=st.sampled_from(["", "a", "b", " ", "ß", ".", "日", "\x00"]))
def test_substrings_are_found_anywhere_in_front_and_at_the_end(words, part):
    check("contains", words, [part in word for word in words], substr=part)
    check("startswith", words, [word.startswith(part) for word in words], substr=part)
    check("endswith", words, [word.endswith(part) for word in words], substr=part)


@pytest.mark.light
@pytest.mark.parametrize(
    ("pattern", "has_pair"),
    [
        ("a", True),
        ("[ac]", True),
        ("[AB]", False),
        ("[@A]", True),
        ("[ab]", False),
        ("[abc]", False),
        ("[AB][ac]", True),
    ],
)
def test_searches_begin_at_one_byte_or_two_that_differ_in_a_bit(pattern, has_pair):
    sets, is_all = leading_sets(pattern)
    assert (_has_pair(sets), is_all) == (has_pair, True)
    words = ["", "a", "xb", "xAc", "B", "@", "Ac", "ca"]
    check("contains", words, [bool(re.search(pattern, word)) for word in words], substr=pattern, regex=True)


@given(words=TEXT, pattern=st.sampled_from([r"\d", "a|b", "^A", "[^a-z]+", "b$", "(a)(b)?", "^$", "日.", r"\s+", "c*"]))
def test_regular_expressions_match_anywhere_in_front_and_at_the_end(words, pattern):
    words = [word for word in words if "\n" not in word]  # Python's $ and . see lines, RE2's only the whole text
    python = pattern.replace(r"\s", r"[\t\n\f\r ]")  # RE2's white space lacks the vertical tab
    check("contains", words, [bool(re.search(python, w, re.ASCII)) for w in words], substr=pattern, regex=True)
    check("startswith", words, [bool(re.match(python, w, re.ASCII)) for w in words], substr=pattern, regex=True)
    ends = [bool(re.search(rf"(?:{python})\Z", w, re.ASCII)) for w in words]
    check("endswith", words, ends, substr=pattern, regex=True)


SIMPLE = st.lists(
    st.sampled_from(
        ["a", "b", "ß", "日", " ", "1", r"\d", r"\w", r"\s", r"\.", "[ab]", "[a-c1-3]", "[ _x]", "-", "\x00"]
    ),
    min_size=1,
    max_size=4,
).map("".join)
LEADING = [
    "ab+",
    "a+b",
    "ab*",
    "ab?",
    "ab{2}",
    "ab{0}x",
    "ß+",
    "ß*",
    "a(b|1)",
    "ab|1",
    "(?i)aB",
    "(?i)as",
    "(?i)ab+1",
    "(?i)aß",
    "(?i)a[ab]",
    "aa\\b",
]
BEYOND = ["a+", "a{2}", "[^a]", ".", "^a", "(a)", "a|b", "(?i)a", r"\pL", r"\Qa\E", "[[:alpha:]]", r"[\d]", "[日]", ""]


@given(
    words=st.lists(st.text("abß日 1.x_-\x00", max_size=12), max_size=30),
    pattern=SIMPLE | st.sampled_from(BEYOND + LEADING),
)
@example(words=["ſ", "as", "aſ", "AB", "aK"], pattern="(?i)as")
@example(words=["AB", "ab", "xab"], pattern="(?i)ab")
@example(words=["b", "xb", ""], pattern="b?")
def test_simple_patterns_are_found_by_the_loop_as_by_re2(words, pattern):
    for anchored in (pattern, rf"\A(?:{pattern})", rf"\A(?:{pattern})\z", rf"\A(?:{pattern})(?:b)"):
        expected = pc.match_substring_regex(column(words), anchored).to_pylist()
        check("contains", words, expected, substr=anchored, regex=True)
    plain = pc.match_substring(column(words), pattern).to_pylist()
    check("contains", words, plain, substr=pattern)


@given(
    words=st.lists(st.text("abß日 1x_-\x00\n", max_size=12), max_size=30),
    branches=st.lists(st.text("abß日 1x_-\x00\n", max_size=3), min_size=2, max_size=9),
    case=st.sampled_from(["", "(?i)"]),
)
@example(words=["ſ", "as", "aſ", "AB", "aK", "b"], branches=["as", "b"], case="(?i)")
@example(words=["a", "", "b|c"], branches=["x", ""], case="")
def test_one_of_several_words_is_found_as_by_re2(words, branches, case):
    pattern = case + "|".join(branches)
    expected = pc.match_substring_regex(column(words), pattern).to_pylist()
    check("contains", words, expected, substr=pattern, regex=True)
    check("contains", words, expected, substr=f"(?:{pattern})", regex=True)


@pytest.mark.light
@pytest.mark.parametrize(
    ("pattern", "branches"),
    [
        ("ab|b", ["ab", "b"]),
        ("(?i)ab|b", ["(?i)ab", "(?i)b"]),
        ("ab", []),
        ("|".join("abcdefgh"), [*"abcdefgh"]),
        ("|".join("abcdefghi"), []),
        ("a|", []),
        ("a.|b", []),
        ("(?i)as|b", []),
        (r"a\||b", []),
    ],
)
def test_words_are_sought_one_by_one_if_loops_find_all_of_them(pattern, branches):
    assert _branches(pattern) == branches


@pytest.mark.light
@pytest.mark.parametrize("pattern", [*BEYOND, *LEADING, "a" * 1025])
def test_patterns_that_are_not_so_simple_are_left_to_re2(pattern):
    is_all = leading_sets(pattern)[1]
    assert is_all == (pattern in {"a+", "(?i)a", "ab+", "ab*", "ab?", "ß+", "(?i)aB"})


@pytest.mark.light
def test_few_rows_that_begin_as_a_match_are_searched_by_re2():
    words = ["fob", "foob", "fo", "x", "y", "z", "fox", "w"]
    with patch("akdask.operators.text.strings.pc", wraps=pc) as functions:
        check("contains", words, [word in ("fob", "foob") for word in words], substr="fo+b", regex=True)
    assert max(len(call.args[0]) for call in functions.match_substring_regex.call_args_list) == 4


@pytest.mark.light
@pytest.mark.parametrize("pattern", ["(", "a(?=b)", r"(a)\1"])
def test_a_bad_pattern_is_an_error_when_it_is_written(pattern):
    with pytest.raises(ArgumentError, match="RE2"):
        OPERATIONS["contains"].result_type(STR, substr=pattern, regex=True)
    assert OPERATIONS["contains"].result_type(STR, substr=pattern) == BOOL


@given(words=TEXT, chars=st.sampled_from(["", "a", " x1", "aé日"]))
def test_strip_takes_white_space_or_the_given_characters(words, chars):
    # Python counts the separators 0x1c to 0x1f as white space, Unicode's property does not.
    words = [word for word in words if not set(word) & set("\x1c\x1d\x1e\x1f")]
    check("strip", words, [word.strip(chars or None) for word in words], chars=chars)


@given(words=TEXT, delimiter=st.sampled_from(["", "-", "::", "ß"]))
def test_stick_joins_row_by_row(words, delimiter):
    others = words[::-1]
    expected = [f"{left}{delimiter}{right}" for left, right in zip(words, others, strict=True)]
    check("stick", words, expected, column(others), delimiter=delimiter)
    check("stick", words, [f"{left}{delimiter}end" for left in words], "end", delimiter=delimiter)
    before = OPERATIONS["stick"].evaluate("front", column(words), delimiter=delimiter)
    assert before.to_pylist() == [f"front{delimiter}{right}" for right in words]


@given(words=TEXT, seed=st.integers(0, 99))
def test_where_chooses_strings(words, seed):
    condition = np.random.default_rng(seed).random(len(words)) < 0.5
    assert OPERATIONS["where"].result_type(BOOL, STR, STR) == STR
    for x, y in [(words, words[::-1]), (words, "no"), ("yes", words), ("yes", "no")]:
        args = [item if isinstance(item, str) else column(item) for item in (x, y)]
        rows = [[item] * len(words) if isinstance(item, str) else item for item in (x, y)]
        found = OPERATIONS["where"].evaluate(condition, *args)
        assert found.type == pa.large_string()
        assert found.to_pylist() == [a if holds else b for holds, a, b in zip(condition, *rows, strict=True)]


@given(words=TEXT, wanted=st.lists(st.sampled_from(WORDS), max_size=4))
def test_isin_finds_strings_in_a_set(words, wanted):
    check("isin", words, [word in wanted for word in words], values=tuple(wanted))


@pytest.mark.light
@pytest.mark.parametrize("name", [*PREDICATES, "lower", "byte_length", "isempty", "strip"])
def test_string_operations_refuse_numbers(name):
    with pytest.raises(ArgumentTypeError, match=f"{name} does not take"):
        OPERATIONS[name].result_type(INT64)


def test_strings_do_not_compare_with_numbers():
    with pytest.raises(ArgumentTypeError, match="str, int64"):
        OPERATIONS["less"].result_type(STR, INT64)


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10) | st.text("ab\0", max_size=70)


@given(strings_in_buffers(ANY_TEXT), st.text("ab\0日", max_size=4))
@example(column(["a", "bc", "ab"]), "ab")
@example(column(["xa", "b", ""]), "ab")
def test_text_is_found_within_strings_and_not_across_them(words, substr):
    expected = [substr in word for word in words.to_pylist()]
    assert OPERATIONS["contains"].evaluate(words, substr=substr).tolist() == expected


@pytest.mark.light
@pytest.mark.parametrize("length", [1, 7, 1000, 5000])
def test_text_is_found_wherever_it_lies_in_long_strings(length):
    words = ["".join("ab"[number * step % 7 % 2] for number in range(length)) for step in range(1, 6)]
    for substr in ("abb", "bab", "aabab", "a" * 9, "ab" * 600):
        check("contains", words, [substr in word for word in words], substr=substr)


@given(strings_in_buffers(ANY_TEXT))
def test_strings_become_arrays_of_numpy(words):
    found, expected = unicode_array(words), np.array(words.to_pylist(), str)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_loops_refuse_strings_beyond_their_text():
    text, found = np.zeros(4, np.uint8), np.zeros(1, np.bool_)
    for offsets in (np.array([0, 5]), np.array([0, -5]), np.array([4, 0])):
        with pytest.raises(ValueError, match="strings"):
            loops.widen(offsets, text, np.zeros((1, 8), np.uint32))
    sets, _ = leading_sets("a")
    with pytest.raises(ValueError, match="strings"):
        loops.contain(np.array([0, 5]), text, sets, found)
    with pytest.raises(ValueError, match="no set"):
        loops.contain(np.array([0, 4]), text, np.ones((1, 256), np.bool_), found)
    with pytest.raises(ValueError, match="strings"):
        loops.find_delimiter(np.array([0, 5]), text, text[:1], 1, 1, np.zeros(1, np.int64))


def test_literals_are_sets_of_one_byte_up_to_a_length(monkeypatch):
    monkeypatch.setattr(strings, "_LONGEST", 5)
    strings.literal_sets.cache_clear()
    for text in ("", "a", "ab", "éa", "abcd", "abcde", "abcdef", "ééé"):
        found, raw = strings.literal_sets(text), text.encode()
        if not 0 < len(raw) <= 5:
            assert found is None
            continue
        assert [np.flatnonzero(allowed).tolist() for allowed in found] == [[byte] for byte in raw]
        # All who look for the same text share it.
        assert not found.flags.writeable
    strings.literal_sets.cache_clear()
    leading_sets.cache_clear()
    for pattern, is_all in {"abcde": True, "abcdef": None, "abcde|x": None, "abc[0-9]d": True, "abcd.": False}.items():
        found, all_found = leading_sets(pattern)
        assert (found is None) == (is_all is None)
        assert all_found == bool(is_all)
    leading_sets.cache_clear()


@pytest.mark.parametrize("number", [0, 1, 255, 256, 2**24, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
def test_addresses_are_written_and_read(number):
    wanted = str(ip_address(number))
    assert ipv4_text(np.uint64(number)) == wanted
    assert ipv4_text(np.array([number, 7, number], np.uint64)).to_pylist() == [wanted, "0.0.0.7", wanted]
    if number < 2**32:
        texts = pa.array([wanted, "1.2.3.4"], pa.large_string())
        out = np.full(2, 9, np.uint64)
        assert ipv4_number(texts).tolist() == [number, 0x01020304]
        assert ipv4_number(texts, out) is out
        assert out.tolist() == [number, 0x01020304]
        assert ipv4_number(wanted) == number
    for wrong in ("", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", " 1.2.3.4"):
        for given_text in (wrong, pa.array(["1.2.3.4", wrong], pa.large_string())):
            with pytest.raises(ArgumentError, match="is no IPv4 address"):
                ipv4_number(given_text)
