"""Data as users have it, made columns: types, missing values, and what no column can hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.bigint import to_ints
from akdask.columns.table import Table
from akdask.engine import sources
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, ConversionError, UnfitArgumentError


def plain(column):
    """Return the type of a column, and its items."""
    if isinstance(column, np.ndarray):
        return column.dtype.name, column.tolist()
    if pa.types.is_fixed_size_binary(column.type):
        return "bigint", list(to_ints(column))
    return str(column.type), column.to_pylist()


NAN = float("nan")

NUMBERS = {
    "integers": ([1, -2], ("int64", [1, -2])),
    "integers above int64": ([2**63, 1], ("uint64", [2**63, 1])),
    "the least and the largest": ([-(2**63), 2**63 - 1], ("int64", [-(2**63), 2**63 - 1])),
    "integers of either kind": ([2**63, -1], ("bigint", [2**63, -1])),
    "wide integers": ([2**64, 0], ("bigint", [2**64, 0])),
    "the largest of 64 bits": ([2**64 - 1, 0], ("uint64", [2**64 - 1, 0])),
    "below the least": ([-(2**63) - 1], ("bigint", [-(2**63) - 1])),
    "bools": ([True, False], ("bool", [True, False])),
    "floats": ([1.5, 2], ("float64", [1.5, 2.0])),
    "objects that are integers": (np.array([3, np.int8(4)], object), ("int64", [3, 4])),
    "objects that are floats": (np.array([3, 4.5], object), ("float64", [3.0, 4.5])),
    "objects that are bools": (np.array([True, False], object), ("bool", [True, False])),
}
NARROW = {
    "int8": (np.array([-3], np.int8), ("int64", [-3])),
    "uint32": (np.array([2**32 - 1], np.uint32), ("int64", [2**32 - 1])),
    "uint8": (np.array([3], np.uint8), ("uint8", [3])),
    "float32": (np.array([1.5], np.float32), ("float64", [1.5])),
    "a series": (pd.Series([1, 2]), ("int64", [1, 2])),
    "a range": (range(3), ("int64", [0, 1, 2])),
    "other bytes": (np.array([1, 2], ">i4"), ("int64", [1, 2])),
    "every second": (np.arange(6)[::2], ("int64", [0, 2, 4])),
    "Arrow": (pa.array([1, 2], pa.int16()), ("int64", [1, 2])),
    "chunks": (pa.chunked_array([[1], [2]]), ("int64", [1, 2])),
    "none": ([], ("float64", [])),
    "a nullable series": (pd.Series([1, 2], dtype="Int64"), ("int64", [1, 2])),
}
TEXT = {
    "strings": (["a", "é"], ["a", "é"]),
    "of NumPy": (np.array(["a", "bcd"]), ["a", "bcd"]),
    "of NumPy's variable kind": (np.array(["a", "bcd"], np.dtypes.StringDType()), ["a", "bcd"]),
    "objects": (np.array(["a", None], object), ["a", None]),
    "with NaN": (np.array(["a", NAN], object), ["a", None]),
    "with NA": (["a", pd.NA, None], ["a", None, None]),
    "of Arrow": (pa.array(["a", None]), ["a", None]),
    "large of Arrow": (pa.array(["a"], pa.large_string()), ["a"]),
    "views of Arrow": (pa.array(["a"], pa.string_view()), ["a"]),
    "chunks of Arrow": (pa.chunked_array([["a"], ["b"]]), ["a", "b"]),
    "pandas' text": (pd.array(["a", None], "string"), ["a", None]),
    "pandas' text without any": (pd.Series([None, None], dtype="string"), [None, None]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_widen_to_the_smallest_column_type_that_holds_them(name):
    given, wanted = NUMBERS[name]
    assert plain(sources.as_column(given)) == wanted
    assert plain(sources.as_column(tuple(given))) == wanted


@pytest.mark.parametrize("name", NARROW)
def test_numbers_of_other_libraries_widen(name):
    given, wanted = NARROW[name]
    found = sources.as_column(given)
    assert plain(found) == wanted
    if isinstance(given, np.ndarray):
        assert not np.shares_memory(found, given)
        assert found.flags.c_contiguous


@pytest.mark.parametrize("name", TEXT)
def test_text_is_of_arrow_with_nulls(name):
    given, wanted = TEXT[name]
    assert plain(sources.as_column(given)) == ("large_string", wanted)


def test_many_strings_are_those_of_few(monkeypatch):
    monkeypatch.setattr(sources, "FEW_STRINGS", 2)
    assert plain(sources.as_column(["a", "b", "c"])) == ("large_string", ["a", "b", "c"])
    assert plain(sources.as_column(["a", "b"])) == ("large_string", ["a", "b"])


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ([[1, 2], [3, 4]], ArgumentError, "a column has one dimension, not 2"), (5, ArgumentError, "not 0"),
        ([1, "a"], UnfitArgumentError, r"int \(position 0\), str \(position 1\)"),
        (["a", 1, 2.5, "b"], UnfitArgumentError, r"str \(position 0\), int \(position 1\), float \(position 2\)"),
        ([True, None], ArgumentError, "truth values are missing(.|\n)*position 1"),
        ([2**53 + 1, 0.5], ConversionError, f"the integer {2**53 + 1} would become {2**53} as a float"),
        ([[1], [2, 3]], UnfitArgumentError, "lists of one length"),
        (["\ud800"], ArgumentError, "as_column takes text that UTF-8 can hold"),
        (object(), ArgumentError, "as_column|not 0"),
    ],
)  # fmt: skip
def test_what_no_column_can_hold_is_refused(given, error, told):
    with pytest.raises(error, match=told):
        sources.as_column(given)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([1, None, 2.5], [1.0, NAN, 2.5]), ([None, NAN], [NAN, NAN]), ([2**53, 0.5], [2.0**53, 0.5]),
        (np.array([2**53 + 1, None], object), None), ([1.0, pd.NA], [1.0, NAN]),
    ],
)  # fmt: skip
def test_missing_numbers_are_nan(given, wanted):
    if wanted is None:
        with pytest.raises(ConversionError):
            sources.as_column(given)
        return
    found = sources.as_column(given)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, wanted)


def test_nothing_but_none_is_no_number():
    assert plain(sources.as_column([None, None])) == ("large_string", [None, None])


def masked(data, mask):
    return np.ma.array(data, mask=mask)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (masked([1.5, 2.5], [True, False]), [NAN, 2.5]), (masked([1, 2], [False, True]), [1, None]),
        (masked([True, False], [False, True]), [True, None]), (masked(["a", "b"], [True, False]), [None, "b"]),
        (masked([1, 2], [False, False]), [1, 2]), (masked([1, 2], False), [1, 2]),
    ],
)  # fmt: skip
def test_masked_elements_are_missing(given, wanted):
    found = sources.without_mask(given)
    assert not isinstance(found, np.ma.MaskedArray)
    assert [None if item is None else item for item in found.tolist()] == pytest.approx(wanted, nan_ok=True)


def test_masks_of_times_and_of_records():
    times = np.array(["2020-01-01", "2021-01-01"], "M8[s]")
    found = sources.without_mask(masked(times, [False, True]))
    assert found.dtype == times.dtype
    assert np.isnat(found).tolist() == [False, True]
    spans = sources.without_mask(masked(np.array([1, 2], "m8[s]"), [True, False]))
    assert np.isnat(spans).tolist() == [True, False]
    for data in (np.array([(1,), (2,)], [("a", int)]), np.array([1j, 2j])):
        with pytest.raises(ArgumentError, match="no column can hold missing ones"):
            sources.without_mask(masked(data, [True, False]))
    assert sources.without_mask("anything") == "anything"


@pytest.mark.parametrize(
    ("given", "numbers", "missing"),
    [
        ([1, None, 3], ("int64", [1, 0, 3]), [False, True, False]),
        ([None, True], ("bool", [False, True]), [True, False]),
        ([2**63, None], ("uint64", [2**63, 0]), [False, True]), ((np.int8(5), pd.NA), ("int64", [5, 0]), [False, True]),
        (pd.array([1, None], "Int8"), ("int64", [1, 0]), [False, True]),
        (pd.Series([1, None], dtype="UInt8"), ("uint8", [1, 0]), [False, True]),
        (pd.Series([True, None], dtype="boolean"), ("bool", [True, False]), [False, True]),
        (pa.array([1, None], pa.int32()), ("int64", [1, 0]), [False, True]),
        (pa.array([None, True]), ("bool", [False, True]), [True, False]),
        (pa.chunked_array([[1], [None]]), ("int64", [1, 0]), [False, True]),
        (np.array([None, 2], object), ("int64", [0, 2]), [True, False]),
    ],
)  # fmt: skip
def test_integers_and_bools_with_missing_rows_are_taken_apart(given, numbers, missing):
    column, mask = sources.integers_apart(given)
    assert plain(column) == numbers
    assert np.asarray(mask).tolist() == missing


@pytest.mark.parametrize(
    "given",
    [
        [1, 2], [1.5, None], ["a", None], [None, None], [1, NAN], [1, None, NAN], pd.array([1, 2], "Int64"),
        pd.array([1.5, None], "Float64"),
        pa.array([1, 2]), pa.array(["a", None]), np.array([1, 2]), [True, None, 1], [],
    ],
)  # fmt: skip
def test_other_data_has_no_integers_apart(given):
    assert sources.integers_apart(given) is None


def test_wide_integers_with_missing_rows_are_floats_or_refused():
    assert sources.integers_apart([2**70, None]) is None
    with pytest.raises(ArgumentError, match=f"the integer {2**70 + 1} is no float(.|\n)*position 1"):
        sources.integers_apart([2**70 + 1, None])


@pytest.mark.parametrize(
    ("rows", "size", "small", "lengths"),
    [
        (0, 800, 10, (0,)), (10, 800, 10, (10,)), (11, 800, 10, (3, 3, 3, 2)), (400, 800, 10, (100,) * 4),
        # As many for each core.
        (401, 800, 10, (51, *(50,) * 7)), (801, 800, 10, (67, 67, 67, 66) * 3), (1000, 800, 10, (84,) * 12),
        (1000, 80, 10, (63, 62, 63, 62, 63, 62, 63, 62, 63, 62, 63, 62, 63, 62, 63, 62)),
    ],
)  # fmt: skip
def test_created_rows_are_cut_for_the_cores(monkeypatch, rows, size, small, lengths):
    monkeypatch.setattr(sources, "CPU_COUNT", 4)
    monkeypatch.setattr(sources, "MOST_PARTITIONS", 16)
    with ak.config.set(small_array=small, partition_size=size):
        found = sources.partition_lengths(rows)
        assert sum(found) == rows
        assert len(found) == len(lengths)
        # Partition k begins at row ceil(k * rows / n).
        starts = [-(-number * rows // len(lengths)) for number in range(len(lengths) + 1)]
        assert list(found) == np.diff(starts).tolist()
        if rows < 1000:
            assert found == lengths
        table = sources.literal_table(Table({"x": np.arange(rows)}, rows))
        assert [len(part.columns["x"]) for part in table.tables] == list(found)
        assert [row for part in table.tables for row in part.columns["x"].tolist()] == list(range(rows))
        frame, column = sources.literal(np.arange(rows), "named")
        assert (column.name, column.source, frame.rows.lengths) == ("named", frame._name, found)


def test_text_at_hand_is_objects():
    assert sources.at_hand(["a", "bc"]).dtype == object
    assert sources.at_hand(np.array(["a", "bc"])).dtype.kind == "U"
    assert sources.at_hand([1, 2]).dtype == np.int64
    assert sources.at_hand([]).shape == (0,)
    with pytest.raises(ConversionError):
        sources.at_hand([[2**53 + 1, 0.5]])
    assert sources.at_hand([[2**53, 0.5]]).tolist() == [[2**53, 0.5]]


def test_errors_of_other_libraries_are_told_as_ours():
    def fails(error):
        @sources.refuses_foreign("another hint.")
        def function():
            raise error

        with pytest.raises(AkdaskError) as told:
            function()
        return told.value

    assert isinstance(fails(TypeError("no\nline")), ArgumentTypeError)
    assert fails(TypeError("first\nsecond")).details == ("TypeError: first",)
    assert fails(ValueError("")).details == ("ValueError: ",)
    assert not isinstance(fails(OverflowError("large")), ArgumentTypeError)
    assert "another hint." in str(fails(ValueError("x")))
    assert "cannot make anything of what it is given" in str(fails(AttributeError("x")))
    own = ArgumentError("ours.")
    assert fails(own) is own
    with pytest.raises(MemoryError):
        sources.refuses_foreign()(lambda: (_ for _ in ()).throw(MemoryError()))()


KNOWN, ABOVE = sources.Interval(np.int64(2), np.int64(5)), sources.Interval(np.int64(6), np.int64(9))
YES, NO, MAYBE = (True, True), (False, False), (False, True)


@pytest.mark.parametrize(
    ("operation", "args", "of_bools", "wanted"),
    [
        (sources.PRESENT, (KNOWN, None), False, (2, 5)), (sources.PRESENT, (None, KNOWN), False, (2, 5)),
        (sources.PRESENT, (None, None), False, None),
        ("less", (KNOWN, ABOVE), False, YES), ("less", (ABOVE, KNOWN), False, NO),
        ("less", (KNOWN, KNOWN), False, MAYBE),
        ("less", (KNOWN, None), False, None), ("less", (None, None), False, None),
        ("add", (KNOWN, ABOVE), False, None), ("logical_and", (KNOWN, ABOVE), False, None),
        ("logical_and", (None, sources.Interval(np.False_, np.False_)), True, NO),
        ("logical_or", (None, sources.Interval(np.False_, np.False_)), True, MAYBE),
    ],
)  # fmt: skip
def test_bounds_of_results_are_known_where_those_of_the_arguments_tell(operation, args, of_bools, wanted):
    found = sources.apply(operation, args, of_bools=of_bools)
    assert wanted == (None if found is None else (found.low, found.high))
