"""Data at hand as arrays: missing elements, times, lists of several lengths, and what no column can hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ConversionError
from akdask.testing import assert_equal

NUMBERS = [
    [1.0, None],
    [None, 1.5, 2],
    [1, None, 3],
    [2**70, None],
    [np.nan, None],
    [np.float32(1.5), None],
    [np.int64(3), None],
    [np.inf, None, -np.inf],
]


@pytest.mark.parametrize("items", NUMBERS, ids=map(str, NUMBERS))
@pytest.mark.parametrize("form", [list, tuple, iter, lambda items: np.array(items, object)])
def test_missing_numbers_are_nan_as_in_pandas(items, form):
    expected = pd.Series(items, dtype=float).to_numpy()
    assert_equal(ak.array(form(items)), expected)


@pytest.mark.parametrize("items", [[1.0, None], [None, 2]])
def test_missing_numbers_are_nan_in_columns_and_lists(items):
    expected = np.array(items, float)
    np.testing.assert_array_equal(ak.DataFrame({"x": items}).to_pandas()["x"], expected)
    np.testing.assert_array_equal(ak.array([items, items]).to_ndarray(), [expected, expected])


def test_pandas_own_missing_values_are_nan():
    assert_equal(ak.array([pd.NA, 1]), np.array([np.nan, 1.0]))
    assert_equal(ak.array(pd.Series([1, None], dtype="Int64")), np.array([1.0, np.nan]))


def test_objects_that_are_all_of_one_type_of_numbers_have_it():
    assert_equal(ak.array(np.array([1, 2], object)), np.array([1, 2]))
    assert_equal(ak.array(np.array([1, 2.5], object)), np.array([1, 2.5]))
    assert_equal(ak.array(np.array([True, False], object)), np.array([True, False]))


@pytest.mark.parametrize("items", [["a", None], [None, "a"], [None]])
def test_missing_text_stays_missing(items):
    assert ak.array(items).tolist() == items


@pytest.mark.parametrize("items", [[True, None], [None, False], pd.Series([True, None], dtype="boolean")])
def test_truth_values_may_be_missing(items):
    expected = pd.Series(items, dtype="boolean")
    assert_equal(ak.array(items), expected.to_numpy(float, na_value=np.nan))
    found = ak.DataFrame({"x": items}).to_pandas(nullable=True)["x"]
    pd.testing.assert_series_equal(found, expected, check_names=False)


BIG = 2**60 + 1
WIDE = [
    [BIG, None, -3],
    (None, BIG),
    np.array([BIG, None], object),
    pd.Series([BIG, None], dtype="Int64"),
    pd.array([2**64 - 1, None], dtype="UInt64"),
    pa.array([BIG, None]),
    pa.chunked_array([[BIG], [None]]),
    np.ma.masked_array([BIG, 7], mask=[False, True]),
]


@pytest.mark.parametrize("items", WIDE, ids=str)
def test_wide_integers_beside_missing_ones_are_kept_and_never_become_other_floats(items):
    given = [None if item is np.ma.masked or pd.isna(item) else int(item) for item in _plain(items)]
    for found in (ak.DataFrame({"x": items}), ak.Series(items).to_frame() if hasattr(items, "dtype") else None):
        if found is None:
            continue
        column = found.to_pandas(nullable=True).iloc[:, 0]
        assert str(column.dtype) in {"Int64", "UInt64"}
        assert [None if pd.isna(item) else int(item) for item in column] == given
    with pytest.raises(ConversionError, match=f"the integer {max(map(abs, filter(None, given)))}"):
        ak.array(items).to_ndarray()


@pytest.mark.parametrize(
    "items", [[2**70 + 1, None], [2**70, 2**53 + 1, None], [10**400, None]], ids=["odd", "two", "huge"]
)
def test_integers_of_more_than_64_bits_beside_missing_ones_are_refused_unless_they_are_floats(items):
    with pytest.raises(ArgumentError, match="more than 64 bits have no missing values"):
        ak.array(items)


def _plain(items):
    return items.to_pylist() if hasattr(items, "to_pylist") else list(items)


MASKED = [
    np.ma.masked_array([1.0, -9999.0, 3.0], mask=[False, True, False]),
    np.ma.masked_array([1.0, 2.0], mask=False),
    np.ma.masked_array([1, -9999, 3], mask=[False, True, False]),
    np.ma.masked_array([1, 2], mask=[False, False]),
    np.ma.masked_array([True, False], mask=[False, True]),
    np.ma.masked_array(["a", "b"], mask=[False, True]),
    np.ma.masked_array(["a", "b"], mask=[True, True]),
    np.ma.masked_array(np.array(["2024-01-05", "2021-01-01"], "M8[s]"), mask=[False, True]),
    np.ma.masked_array(np.array([5, 6], "m8[ms]"), mask=[True, False]),
]


@pytest.mark.parametrize("items", MASKED, ids=str)
def test_what_a_mask_covers_is_missing(items):
    expected = [None if covered else item for item, covered in zip(items.data, np.ma.getmaskarray(items), strict=True)]
    made = [ak.Series(items), ak.DataFrame({"x": items}).x, ak.Series(ak.array(items))]
    for found in made:
        assert found.isna().tolist() == np.ma.getmaskarray(items).tolist()
        for item, wanted in zip(found.to_pandas().tolist(), expected, strict=True):
            assert pd.isna(item) if wanted is None else item == pd.Series([wanted])[0]


def test_what_a_mask_covers_in_two_dimensions_is_missing():
    for dtype in (float, int):
        items = np.ma.masked_array(np.array([[1, 2], [3, 4]], dtype), mask=[[0, 1], [0, 0]])
        plain_last = [items[0], [3, 4]]
        for found in (ak.array(items), ak.array(list(items)), ak.array(plain_last), ak.array(plain_last[::-1])[::-1]):
            np.testing.assert_array_equal(found.to_ndarray(), [[1, np.nan], [3, 4]])
        table = ak.DataFrame(items, columns=["a", "b"]).to_pandas()
        np.testing.assert_array_equal(table.to_numpy(float, na_value=np.nan), [[1, np.nan], [3, 4]])


def test_a_mask_over_what_cannot_be_missing_is_an_error():
    with pytest.raises(ArgumentError, match="masked array of complex128"):
        ak.array(np.ma.masked_array([1 + 1j, 2], mask=[False, True]))
    with pytest.raises(ArgumentError, match="more than 64 bits"):
        ak.array(np.ma.masked_array(np.array([2**70 + 1, 2], object), mask=[False, True]))


@pytest.mark.parametrize(
    "items", [pd.Series([None, None], dtype="str"), pd.array([None], "string"), pa.array([None], "string")]
)
def test_text_of_which_all_is_missing_is_text(items):
    for found in (ak.array(items), ak.Series(items).values, ak.DataFrame({"x": items})["x"]):
        assert isinstance(found, ak.Strings)
        assert set(found.tolist()) == {None}
    more = ak.concatenate([ak.array(["a"]), ak.array(items)])
    assert more.tolist() == ["a", *[None] * len(items)]


TIMES = [
    [pd.Timestamp("2024-01-01"), None],
    [None, pd.NaT, pd.Timestamp("2024-01-01")],
    [np.datetime64("2024"), None],
    [pd.Timestamp("2024-01-01").to_pydatetime(), pd.NaT],
    [pd.Timestamp("2024-01-01")],
]


@pytest.mark.parametrize("items", TIMES, ids=map(str, TIMES))
def test_times_at_hand_are_datetimes_with_nat_for_missing_ones(items):
    expected = pd.DatetimeIndex(items).as_unit("ns").to_numpy()
    found = ak.array(items)
    assert isinstance(found, ak.Datetime)
    np.testing.assert_array_equal(found.to_ndarray(), expected)
    np.testing.assert_array_equal(ak.DataFrame({"t": items}).to_pandas()["t"], expected)


@pytest.mark.parametrize("items", [[pd.Timedelta("1h"), None], [None, np.timedelta64(5, "s")]])
def test_spans_at_hand_are_timedeltas_with_nat_for_missing_ones(items):
    found = ak.array(items)
    assert isinstance(found, ak.Timedelta)
    np.testing.assert_array_equal(found.to_ndarray(), pd.TimedeltaIndex(items).as_unit("ns").to_numpy())


RAGGED = [[[1, 2], [3]], [[1.0], [2.0, 3]], ((1, 2), (3,)), [1, [2]], [[[1]], [2]], [np.array([1]), np.array([1, 2])]]


@pytest.mark.parametrize("items", RAGGED, ids=str)
def test_lists_of_several_lengths_are_refused_with_what_takes_them(items):
    with pytest.raises(ArgumentError, match="lists of one length") as caught:
        ak.array(items)
    assert "SegArray.from_multi_array" in caught.value.hint
    with pytest.raises(ArgumentError, match="lists of one length"):
        ak.DataFrame({"x": list(items)})


def test_tuples_of_tuples_have_a_shape_as_lists_of_lists_have():
    assert ak.array(((1, 2), (3, 4))).tolist() == [[1, 2], [3, 4]]


def test_elements_of_several_types_are_named_with_their_positions():
    with pytest.raises(ArgumentError, match="neither all numbers nor all strings") as caught:
        ak.array([1, 2, "a", None])
    assert caught.value.details == ("types: int (position 0), str (position 2), NoneType (position 3)",)


def test_one_long_string_among_many_takes_no_more_than_its_length():
    # As NumPy's text of one width these would take 4 TB.
    texts = ["a"] * 10**6 + ["b" * 10**6]
    assert ak.array(texts).get_lengths().sum() == 2 * 10**6
    assert len(ak.DataFrame({"s": texts})) == 10**6 + 1
