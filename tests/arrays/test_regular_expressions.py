import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.text import Matcher, MatchType
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths

TEXT = ["1_2___", "____", "3", "__4___5____6___7", "", "ä_ü__"]
PATTERN = r"(?P<first>_)(_)?"

words = st.sampled_from([None, "", "a", "ab", "ba_a", "äb", "a\x00b", "ÿ", "bb_"])


@pytest.fixture
def s():
    return MemorySource({"s": TEXT}, [3, 0, 3]).arrays()["s"]


@st.composite
def columns(draw):
    """Text in any partitions, and the same as a list with None."""
    items = draw(st.lists(words, max_size=12))
    bounds = np.cumsum([0, *draw(partition_lengths(len(items)))])
    parts = [ak.array(pa.array(items[start:stop], pa.large_string())) for start, stop in pairwise(bounds)]
    return ak.concatenate(parts), items


def in_bytes(match):
    return len(match.string[: match.start()].encode()), len(match.string[: match.end()].encode())


@pytest.mark.parametrize("name", ["search", "match", "fullmatch"])
@pytest.mark.parametrize("pattern", [PATTERN, "_+", "[1-3]", "_|_+"])
def test_the_first_match_is_that_of_python(s, name, pattern):
    wanted = [getattr(re, name)(pattern, text) for text in TEXT]
    found = getattr(s, name)(pattern)
    there = [match for match in wanted if match]
    assert_equal(found.matched(), [match is not None for match in wanted], lazy=True)
    assert_equal(found.start(), np.array([in_bytes(match)[0] for match in there], np.int64))
    assert_equal(found.end(), np.array([in_bytes(match)[1] for match in there], np.int64))
    matches, origins = found.find_matches(return_match_origins=True)
    assert matches.tolist() == [match[0] for match in there]
    assert origins.tolist() == [row for row, match in enumerate(wanted) if match]
    for group in range(re.compile(pattern).groups + 1):
        assert found.group(group).tolist() == [match[group] or "" for match in there]
    assert (found.re, found.match_type()) == (pattern, name.upper())
    shown = [f"matched=True, span={in_bytes(match)}" if match else "matched=False" for match in wanted]
    assert [found[row] for row in range(len(TEXT))] == shown
    assert repr(found) == f"<ak.Match object: {'; '.join(shown)}>" == str(found)


def test_long_matches_are_shown_in_part_and_costly_ones_not_at_all():
    assert "; ... ; " in repr(ak.array(["a", "b"] * 60).search("a"))
    many = ak.array(["a", "b"] * 60)
    assert "lazy" in repr(many[many != "c"].search("a"))


def test_groups_that_are_not_there_are_refused(s):
    with pytest.raises(ArgumentError, match="no group 3"):
        s.search(PATTERN).group(3)
    with pytest.raises(ArgumentError, match="no group -1"):
        s.search(PATTERN).group(-1)
    for number in (True, "first"):
        with pytest.raises(ArgumentTypeError):
            s.search(PATTERN).group(number)


@given(columns(), st.sampled_from(["a", "b+", "(a)|(b)", "[ä_]"]))
def test_all_matches_are_those_of_python_in_any_partitions(column, pattern):
    strings, items = column
    wanted = [[] if text is None else list(re.finditer(pattern, text)) for text in items]
    matches, origins = strings.findall(pattern, return_match_origins=True)
    assert matches.tolist() == [match[0] for row in wanted for match in row]
    assert origins.tolist() == [number for number, row in enumerate(wanted) for _ in row]
    counts, starts, lengths = strings.find_locations(pattern)
    assert counts.tolist() == list(map(len, wanted))
    spans = [in_bytes(match) for row in wanted for match in row]
    assert starts.tolist() == [start for start, _ in spans]
    assert lengths.tolist() == [stop - start for start, stop in spans]


@given(columns(), st.sampled_from(["a", "b+", "(a)|(b)", "[ä_]"]), st.integers(0, 2))
def test_replacements_are_those_of_python_in_any_partitions(column, pattern, count):
    strings, items = column
    wanted = [(None, 0) if text is None else re.subn(pattern, r"<\g<0>>", text, count=count) for text in items]
    changed, counts = strings.subn(pattern, r"<\g<0>>", count)
    assert changed.tolist() == [text for text, _ in wanted] == strings.sub(pattern, r"<\g<0>>", count).tolist()
    assert counts.tolist() == [number for _, number in wanted]


def test_missing_text_does_not_match_what_empty_text_does():
    s = ak.concatenate([ak.array(["", None]), ak.array(["b"])])
    assert s.search("a*").matched().tolist() == [True, False, True]
    assert s.search("a*").find_matches(return_match_origins=True)[1].tolist() == [0, 2]
    assert [part.tolist() for part in s.find_locations("a*")] == [[1, 0, 2], [0, 0, 1], [0, 0, 0]]
    assert s.findall("$").tolist() == ["", ""]


def test_a_matcher_tells_all_that_is_found(s):
    matcher = Matcher(b"_+", s)
    assert not matcher.populated
    matcher.find_locations()
    assert matcher.populated
    assert matcher.indices.tolist() == [0, 2, 3, 3, 7, 7]
    assert matcher.search_bool.tolist() == [True, True, False, True, False, True]
    assert matcher.search_ind.tolist() == [0, 1, 2, 2, 3, 3]
    assert matcher.match_ind.tolist() == [0, 0, 1, 1, 2, 2]
    assert matcher.full_match_bool.tolist() == [False, True, False, False, False, False]
    assert matcher.full_match_ind.tolist() == [0, 0, 1, 1, 1, 1]
    assert matcher.get_match(MatchType.MATCH).start().tolist() == [0, 0]
    assert matcher.split(1).tolist() == s.regex_split("_+", 1).tolist()
    assert matcher.findall().tolist() == s.findall("_+").tolist()
    assert matcher.sub("-", 1).tolist() == s.sub("_+", "-", 1).tolist()


def test_patterns_that_were_looked_for_are_told_until_they_are_forgotten(s):
    s.search("_"), s.findall(b"a"), s.sub("_", "")
    assert s.cached_regex_patterns() == ["_", "a"]
    assert s.copy().cached_regex_patterns() == []
    s.purge_cached_regex_patterns()
    assert s.cached_regex_patterns() == []


def test_matches_stay_when_strings_are_assigned():
    s = ak.array(["a", "b"])
    found = s.search("a")
    s[1] = "aa"
    assert found.find_matches().tolist() == ["a"]


@pytest.mark.parametrize("name", ["search", "match", "fullmatch", "findall", "find_locations"])
def test_what_is_no_pattern_is_refused(s, name):
    with pytest.raises(ArgumentError, match="no regular expression"):
        getattr(s, name)("(?=a)")
    with pytest.raises(ArgumentTypeError, match="expected a str"):
        getattr(s, name)(3)


def test_counts_of_replacements_are_checked(s):
    with pytest.raises(ArgumentError, match="there are no -1"):
        s.sub("a", "b", -1)
    with pytest.raises(ArgumentTypeError, match="counted by an integer"):
        s.subn("a", "b", 1.5)
    with pytest.raises(ArgumentError, match="no such group"):
        s.sub("(a)", r"\2")


def test_nothing_is_found_in_no_strings():
    nothing = ak.array(np.array([], str))
    assert nothing.findall("a", return_match_origins=True)[1].tolist() == []
    assert nothing.sub("a", "b", 1).tolist() == nothing.search("a").find_matches().tolist() == []
    assert [part.tolist() for part in nothing.find_locations("a")] == [[], [], []]


@pytest.mark.cluster
def test_workers_find_the_same(cluster_client):
    s = ak.array(TEXT).repartition(3)
    assert s.findall("_+").tolist() == [found for text in TEXT for found in re.findall("_+", text)]
    assert s.sub("(_)+", r"<\1>", 1).tolist() == [re.sub("(_)+", r"<\1>", text, count=1) for text in TEXT]
    assert ak.apply(s, lambda text: text[::-1]).tolist() == [text[::-1] for text in TEXT]
    assert ak.search_intervals(s.get_lengths(), (ak.array([0, 4]), ak.array([1, 6]))).tolist() == [1, 1, 0, -1, 0, -1]
