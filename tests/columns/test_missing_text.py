"""Missing text as partitions hold it: to Arrow's nulls and back, slices and chunks included."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.dtypes import NULLABLE_STR
from akdask.columns.strings import (
    demanded,
    filled,
    from_nulls,
    make_missing,
    missing_rows,
    offsets_and_bytes,
    text_at,
    with_nulls,
)
from akdask.columns.table import concat_rows, slice_rows, spread, take_rows, to_objects
from akdask.errors import ArgumentError

items = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=12)


def arrow(rows):
    return pa.array(rows, pa.large_string())


@given(rows=items, cut=st.integers(0, 12))
def test_nulls_become_validity_and_validity_nulls(rows, cut):
    column = from_nulls(arrow(rows))
    assert column.null_count == 0
    assert with_nulls(column).to_pylist() == rows
    assert missing_rows(column).tolist() == [row is None for row in rows]
    part = slice_rows(column, min(cut, len(rows)), len(rows))
    assert with_nulls(part).to_pylist() == rows[cut:]
    assert missing_rows(part).tolist() == [row is None for row in rows[cut:]]
    assert to_objects(part) == rows[cut:]
    assert with_nulls(pa.chunked_array([part, column])).to_pylist() == rows[cut:] + rows


@given(rows=items)
def test_validity_are_kept_by_whatever_moves_rows(rows):
    column = from_nulls(arrow(rows))
    assert to_objects(concat_rows([column, column])) == rows + rows
    assert to_objects(take_rows(column, np.arange(len(rows))[::-1])) == rows[::-1]
    assert [text_at(column, position) for position in range(len(rows))] == rows


@given(rows=items)
def test_text_is_filled_by_one_or_by_row(rows):
    column = from_nulls(arrow(rows))
    assert filled(column, "-").to_pylist() == ["-" if row is None else row for row in rows]
    others = arrow([f"{number}" for number in range(len(rows))])
    expected = [str(number) if row is None else row for number, row in enumerate(rows)]
    assert filled(column, others).to_pylist() == expected
    assert to_objects(filled(column, from_nulls(arrow([None] * len(rows))))) == rows


@given(rows=items, missing=st.lists(st.booleans(), min_size=12, max_size=12))
def test_rows_are_made_missing(rows, missing):
    lost = np.array(missing[: len(rows)], bool)
    found = make_missing(from_nulls(arrow(rows)), lost)
    assert to_objects(found) == [None if gone else row for row, gone in zip(rows, lost, strict=True)]


def test_text_without_nulls_is_not_copied():
    column = arrow(["a", ""])
    assert from_nulls(column) is column
    assert with_nulls(column) is column
    assert filled(column, "-") is column
    assert demanded(column) is column


def test_missing_text_where_none_may_be_is_told_with_its_row():
    with pytest.raises(ArgumentError, match=r"row 1 of a block of 3(.|\n)*fillna"):
        demanded(from_nulls(arrow(["a", None, None])))


def test_a_missing_value_on_every_row():
    column = spread(None, NULLABLE_STR, 3)
    assert to_objects(column) == [None] * 3
    assert offsets_and_bytes(column)[1].tobytes() == b"\xff" * 3
