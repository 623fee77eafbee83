import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.text.matches import between, find_matches, replaced, replacement

pytestmark = pytest.mark.light

# Python and RE2 agree on patterns that take a character at least.
PATTERNS = ["_+", "[ab]", "(a)(b)?", "^a", "b$", r"\bab", "(?i)A+", ".", "日|b_", r"\w\w", "_|_+"]
TEXT = st.lists(st.text("abAB_ \n日ü\x01\x1f", max_size=8), max_size=10)


def column(words):
    """An Arrow array that begins in the middle of its buffers, as slices of partitions do."""
    return pa.array(["_a_b", *words, "ab_"], pa.large_string()).slice(1, len(words))


def flags(pattern):
    """Python's pattern of the same meaning: to RE2 the letters of `\\w` are those of ASCII, and `$` is the very end."""
    return re.compile(pattern.replace("$", r"\Z"), re.ASCII)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(words=TEXT)
def test_matches_are_those_of_python(pattern, words):
    found = find_matches(column(words), pattern)
    wanted = [list(flags(pattern).finditer(word)) for word in words]
    assert found.first.tolist() == np.cumsum([0, *map(len, wanted)]).tolist()
    assert between(column(words), found).to_pylist() == [match[0] for row in wanted for match in row]
    before = np.cumsum([0, *(len(word.encode()) for word in words)])
    starts = [
        first + len(match.string[: match.start()].encode())
        for first, row in zip(before[:-1], wanted, strict=True)
        for match in row
    ]
    assert found.starts.tolist() == starts
    first = found.up_to(1)
    assert between(column(words), first).to_pylist() == [row[0][0] for row in wanted if row]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(words=TEXT, most=st.integers(0, 3))
def test_replacements_are_those_of_python(pattern, words, most):
    template = r"<\g<0>\\>" if "(" not in pattern or "?i" in pattern else r"<\1\2>"
    made = replaced(column(words), replacement(pattern, template), most)
    assert made.to_pylist() == [flags(pattern).sub(template, word, most) for word in words]


def test_matches_of_no_character_do_not_follow_another():
    words = pa.array(["aab", "", "ba"], pa.large_string())
    assert replaced(words, replacement("a*", "-"), 0).to_pylist() == ["-b-", "-", "-b-"]
    assert replaced(words, replacement("a*", "-"), 1).to_pylist() == ["-b", "-", "-ba"]
    assert find_matches(words, "a*").counts.tolist() == [2, 1, 2]
    assert between(words, find_matches(words, "$")).to_pylist() == ["", "", ""]
