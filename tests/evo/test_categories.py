"""Section 9: text as codes in the order of first appearance, and one lookup table for all columns."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.evo import categories
from akdask.evo.errors import ContentError, KindError

COLUMNS = {"a": ["x", "y", None, "x"], "b": ["z", "x", "z", None]}
CODES = {"a": [0, 1, None, 0], "b": [2, 0, 2, None]}
TABLE = {"key": [0, 1, 2], "value": ["x", "y", "z"]}

FORMS = {
    "dict": lambda: COLUMNS,
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[5, 6, 7, 9]),
    "objects": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "arrow": lambda: pa.table(COLUMNS),
    "large": lambda: pa.table({name: pa.array(column, pa.large_string()) for name, column in COLUMNS.items()}),
    "chunks": lambda: pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
    "dictionaries": lambda: pa.table({name: pa.array(c).dictionary_encode() for name, c in COLUMNS.items()}),
}


def as_columns(lazy):
    """Return lazy columns as lists, None where values are missing."""
    return pa.Table.from_pandas(lazy.to_pandas(), preserve_index=False).to_pydict()


@pytest.mark.parametrize("form", FORMS)
def test_section_9_the_example(form):
    codes, table = categories.encode(FORMS[form]())
    assert codes.to_pydict() == CODES
    assert table.to_pydict() == TABLE
    assert codes.schema.types == [pa.int32(), pa.int32()]
    assert table.schema.types == [pa.int32(), pa.string()]


@pytest.mark.parametrize("npartitions", [1, 2, 4])
def test_section_9_lazy_rows_have_the_same_codes(npartitions):
    codes, table = categories.encode(dd.from_pandas(pd.DataFrame(COLUMNS), npartitions=npartitions))
    assert table.to_pydict() == TABLE
    assert as_columns(codes) == CODES
    assert as_columns(categories.decode(codes, table)) == COLUMNS


def test_section_9_pandas_categories_keep_their_order_unused_ones_too():
    frame = pd.DataFrame({"a": pd.Categorical(["b", None, "a"], categories=["c", "b", "a", "q"]), "b": ["z", "a", "q"]})
    for given_as in (frame, dd.from_pandas(frame, npartitions=2)):
        codes, table = categories.encode(given_as)
        found = codes.to_pydict() if isinstance(codes, pa.Table) else as_columns(codes)
        assert found == {"a": [1, None, 2], "b": [4, 2, 3]}
        assert table.column("value").to_pylist() == ["c", "b", "a", "q", "z"]


def test_categoricals_of_akdask_have_no_code_for_what_is_missing():
    labels = pd.Categorical(["y", None, "x"], categories=["y", "q", "x"])
    codes, table = categories.encode(ak.DataFrame({"a": ak.Categorical(labels)}))
    assert table.column("value").to_pylist() == ["y", "q", "x"]
    assert as_columns(codes) == {"a": [0, None, 2]}


def test_strings_of_akdask_are_a_column():
    codes, table = categories.encode(ak.array(["x", "y", "x"]))
    assert as_columns(codes) == {"values": [0, 1, 0]}
    assert table.column("value").to_pylist() == ["x", "y"]


def test_section_9_codes_are_looked_up_by_key_and_unknown_ones_are_null():
    table = pa.table({"key": pa.array([70, -3, 5], pa.int64()), "value": ["sand", "clay", "rock"]})
    codes = pa.array([5, 70, 1, None, -3], pa.int32())
    assert categories.decode(codes, table).to_pylist() == ["rock", "sand", None, None, "clay"]
    assert categories.decode({"a": [5], "b": [70]}, {5: "r", 70: "s"}).to_pydict() == {"a": ["r"], "b": ["s"]}
    assert categories.decode(np.array([5.0, np.nan]), {5: "r"}).to_pylist() == ["r", None]


TEXT = st.none() | st.sampled_from(["", "x", "Ä", "a longer one", "y"])


@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[TEXT] * width), min_size=1, max_size=12)))
def test_decoding_gives_back_what_was_encoded(rows):
    columns = {f"c{number}": list(column) for number, column in enumerate(zip(*rows, strict=True))}
    codes, table = categories.encode(columns)
    assert categories.decode(codes, table).to_pydict() == columns
    in_order = list(dict.fromkeys(value for column in columns.values() for value in column if value is not None))
    assert table.column("value").to_pylist() == in_order


def test_nothing_but_missing_text_has_an_empty_table():
    codes, table = categories.encode({"a": [None, None]})
    assert codes.to_pydict() == {"a": [None, None]}
    assert table.num_rows == 0


@pytest.mark.parametrize("column", [[1, 2], [1.5], [True], pd.Series(pd.Categorical([1, 2]))])
def test_only_text_has_categories(column):
    with pytest.raises(KindError):
        categories.encode({"a": column} if isinstance(column, list) else column)


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        (pa.table({"k": [1, 1], "v": ["a", "b"]}), ContentError, "more than once"),
        (pa.table({"k": [1, None], "v": ["a", "b"]}), ContentError, "are null"),
        (pa.table({"v": ["a"], "k": [1]}), ArgumentError, "whole numbers and one of text"),
        (pa.table({"k": [1]}), ArgumentError, "whole numbers and one of text"),
        (None, ArgumentTypeError, "none is given"),
    ],
)
def test_tables_that_look_nothing_up_are_refused(table, error, words):
    with pytest.raises(error, match=words):
        categories.decode(np.array([1]), table)


@pytest.mark.parametrize("codes", [np.array([1.5]), pa.array(["a"])])
def test_codes_are_integers(codes):
    with pytest.raises(KindError):
        categories.decode(codes, {1: "a"})
