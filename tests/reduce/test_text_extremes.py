"""Extremes of text, alone and in groups, beside those of Python and pandas."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import STR
from akdask.columns.strings import offsets_and_bytes
from akdask.engine.values import Program
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.reduce import loops
from akdask.operators.reduce.plan import _with_encoded
from akdask.operators.reduce.reductions import REDUCTIONS, ScalarReduction

TEXT = st.one_of(
    st.sampled_from(["", "\0", "a", "a\0", "aaaaaaaa", "aaaaaaaab", "ÿ", "y", "\U0010ffff", "http://www.a"]),
    st.text(max_size=12).filter(lambda text: text.encode(errors="ignore").decode() == text),
)
ROWS = st.lists(st.tuples(st.integers(0, 3), st.none() | TEXT), min_size=1, max_size=30)


@given(ROWS, st.sampled_from(["few", "many", "text"]))
def test_extremes_of_groups_are_those_of_python(rows, kind):
    """Keys of a close range, wide ones and text are grouped in different ways."""
    labels = [{"few": key, "many": key * 2**60, "text": f"key {key}"}[kind] for key, _ in rows]
    groups = ak.GroupBy(ak.array(labels))
    values = ak.array(pd.Series([text for _, text in rows], dtype="str"))
    for name, best in (("min", min), ("max", max)):
        keys, found = getattr(groups, name)(values)
        _, places = getattr(groups, f"arg{name}")(values)
        listed = zip(keys.tolist(), found.tolist(), places.tolist(), strict=True)
        _, strict = getattr(groups, name)(values, skipna=False)
        for (key, text, place), whole in zip(listed, strict.tolist(), strict=True):
            own = [(at, value) for at, (label, (_, value)) in enumerate(zip(labels, rows, strict=True)) if label == key]
            there = [value for _, value in own if value is not None]
            wanted = best(there) if there else None
            assert text == wanted
            assert whole == (wanted if len(there) == len(own) else None)
            assert place == next((at for at, value in own if value == wanted and there), -1)


@given(st.lists(TEXT, min_size=1, max_size=30))
def test_extremes_alone_are_those_of_python(texts):
    strings = ak.array(texts)
    assert strings.min().value() == min(texts)
    assert strings.max().value() == max(texts)
    assert strings.argmin() == texts.index(min(texts))
    assert strings.argmax() == texts.index(max(texts))


OF_ONE_BEGINNING = ["eight by", "eight byt", "eight bytes", "eight bytez", "eight by\0"]
"""Strings whose first eight bytes tell nothing."""


@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from(OF_ONE_BEGINNING)), min_size=1, max_size=8),
    st.randoms(),
    st.booleans(),
)
def test_of_equal_strings_in_any_order_that_of_the_first_position_is_the_extreme(drawn, random, is_largest):
    texts, positions = [text for _, text in drawn], np.array(random.sample(range(len(drawn)), len(drawn)))
    codes, rows = np.array([code for code, _ in drawn]), np.empty(2, np.int64)
    strings = offsets_and_bytes(pa.array(texts, pa.large_string()))
    loops.find_extremes(codes, *strings, positions, is_largest, np.empty(2, np.uint64), rows)
    for code in (0, 1):
        own = [text for text, other in zip(texts, codes, strict=True) if other == code]
        best = (max if is_largest else min)(own, default=None)
        of_best = [row for row in range(len(texts)) if codes[row] == code and texts[row] == best]
        assert rows[code] == min(of_best, key=positions.__getitem__, default=-1)


@given(st.lists(st.sampled_from(["b", "a", "c", "ab"]), min_size=1, max_size=8), st.booleans())
def test_extremes_of_encoded_strings_are_those_of_the_strings(texts, is_largest):
    form = REDUCTIONS["max" if is_largest else "min"].strings
    # One string is there twice, and one that no row has.
    dictionary = pa.array(["ab", "c", "b", "a", "c", "0", "z"], pa.large_string())
    codes = [[place for place, word in enumerate(dictionary.to_pylist()) if word == text] for text in texts]
    encoded = pa.DictionaryArray.from_arrays(
        pa.array([places[row % len(places)] for row, places in enumerate(codes)], pa.int32()), dictionary
    )
    best = (max if is_largest else min)(texts)
    assert form.partial(encoded, None) == (len(texts), texts.index(best), best)


def test_text_stays_encoded_for_reductions_that_all_take_it_so():
    least, greatest, distinct = (ScalarReduction(name, STR) for name in ("min", "max", "nunique"))
    program = Program((), (0, 0, 1, 1), (STR,) * 4)
    assert _with_encoded(program, list(enumerate([least, greatest, least, distinct]))).encoded == {0}
    assert not _with_encoded(program, list(enumerate([distinct] * 4))).encoded
    three = Program((), (0, 1, 2), (STR,) * 3)
    assert _with_encoded(three, list(enumerate([distinct, distinct, least]))).encoded == {2}


def test_extremes_of_several_partitions(tmp_path):
    texts = [f"row {number * 7919 % 1000:04d}" for number in range(1000)]
    with ak.config.set(partition_size=512):
        parts = ak.concatenate([ak.array(texts[start : start + 100]) for start in range(0, 1000, 100)])
        keys = ak.concatenate([ak.array(np.arange(start, start + 100) % 7) for start in range(0, 1000, 100)])
        wanted = pd.Series(texts).groupby(np.arange(1000) % 7)
        assert (parts.min().value(), int(parts.argmax())) == ("row 0000", texts.index("row 0999"))
        groups = ak.GroupBy(keys)
        assert groups.max(parts)[1].tolist() == wanted.max().tolist()
        assert groups.argmin(parts)[1].tolist() == [texts.index(text) for text in wanted.min()]


def test_missing_text_wins_alone_as_nan_does():
    strings = ak.array(pd.Series(["b", None, "a"], dtype="str"))
    assert np.isnan(strings.min().value())
    assert (int(strings.argmin()), int(strings.argmax())) == (1, 1)
    series = ak.Series(strings)
    assert (series.min(skipna=True), series.max(skipna=True)) == ("a", "b")
    assert series.idxmax() == 0


def test_nothing_has_no_extreme():
    with pytest.raises(ArgumentError, match="min of no rows"):
        ak.array(["a"])[:0].min().value()
    assert np.isnan(ak.Series(ak.array(["a"])[:0]).max().value())


def test_labels_in_no_order_have_no_extreme():
    labels = ak.Categorical(ak.array(["b", "a"]))
    with pytest.raises(ArgumentTypeError, match="in no order"):
        ak.GroupBy(ak.array([1, 1])).min(labels)


def test_text_is_true_unless_it_is_empty():
    frame = pd.DataFrame({"k": [0, 0, 1, 1, 2], "s": pd.Series(["", "a", "", None, None], dtype="str")})
    made = ak.DataFrame(frame).groupby("k").agg(any=("s", "any"), all=("s", "all")).to_pandas()
    wanted = frame.groupby("k").agg(any=("s", "any"), all=("s", "all"))
    assert made["any"].tolist() == wanted["any"].tolist()
    assert made["all"].tolist() == wanted["all"].tolist()
    assert bool(ak.DataFrame(frame).s.any(skipna=True))
    assert not bool(ak.DataFrame(frame).s.all(skipna=True))
