"""Hypothesis strategies: columns of every type with their extremes, and the same rows in any partitions.

Needs the package ``hypothesis``, which ``akdask[test]`` brings along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.arrays.creation import array
from akdask.arrays.shapes import chained
from akdask.deferred import pa
from akdask.typing import NumberArray

Lengths: TypeAlias = list[int]

DTYPES = ("int64", "uint64", "uint8", "float64", "bool", "str")
"""Names of the types that columns have."""

# Extremes are drawn explicitly, since random draws rarely hit them.
_EXTREMES: dict[str, list[Any]] = {
    "int64": [-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1],
    "uint64": [0, 1, 2**63, 2**64 - 1],
    "uint8": [0, 1, 127, 128, 255],
    "float64": [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.7976931348623157e308],
    "bool": [False, True],
    "str": ["", " ", "a", "aa", "é", "日本", "\U0001f9ea", "a,b", "x" * 300],
}


def row_counts(max_value: int = 30) -> st.SearchStrategy[int]:
    """Return numbers of rows; zero and one are as likely as many."""
    return st.sampled_from([0, 1]) | st.integers(0, max_value)


def partition_lengths(rows: int | None = None, max_partitions: int = 5) -> st.SearchStrategy[Lengths]:
    """Return numbers of rows in partitions, empty ones at any place included.

    Parameters
    ----------
    rows : int, optional
        Their sum; any small number if None.
    max_partitions : int, default 5
        There is at least one partition.
    """
    if rows is None:
        return row_counts().flatmap(lambda drawn: partition_lengths(drawn, max_partitions))
    bounds = st.lists(st.integers(0, rows), max_size=max_partitions - 1).map(sorted)
    return bounds.map(lambda inner: np.diff([0, *inner, rows]).tolist())


def elements(dtype: str) -> st.SearchStrategy[Any]:
    """Return single elements of a type: extremes, NaN and infinities, empty and multibyte strings, anything else.

    Strings hold no NUL, which ends a string in Arkouda's files, and no lone surrogates, which UTF-8 lacks.
    """
    drawn: st.SearchStrategy[Any] = (
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
        if dtype == "str"
        else npst.from_dtype(np.dtype(dtype))
    )
    return st.sampled_from(_EXTREMES[dtype]) | drawn


def columns(dtype: str, rows: int | None = None) -> st.SearchStrategy[NumberArray]:
    """Return NumPy arrays of one type; strings as NumPy strings.

    Parameters
    ----------
    dtype : str
        One of `DTYPES`.
    rows : int, optional
        Number of elements; any small number if None.
    """
    if rows is None:
        return row_counts().flatmap(lambda drawn: columns(dtype, drawn))
    kind = np.dtype(str) if dtype == "str" else np.dtype(dtype)
    return st.lists(elements(dtype), min_size=rows, max_size=rows).map(lambda items: np.array(items, dtype=kind))


def tables(lengths: Sequence[int], dtypes: Sequence[str] = DTYPES) -> st.SearchStrategy[dict[str, NumberArray]]:
    """Return one NumPy array of each type, named for it, with as many rows as `lengths` add up to."""
    return st.fixed_dictionaries({dtype: columns(dtype, sum(lengths)) for dtype in dtypes})


@st.composite
def arrays(draw: st.DrawFn, dtype: str) -> tuple[Any, NumberArray]:
    """Return a lazy array in any partitions, and the NumPy array with the same elements."""
    expected = draw(columns(dtype))
    return partitioned(expected, draw(partition_lengths(len(expected)))), expected


@st.composite
def two_arrays(draw: st.DrawFn, dtypes: Sequence[str] = DTYPES) -> list[tuple[Any, NumberArray]]:
    """Return two pairs as `arrays` does, of one type and with elements drawn from few, so that they share some."""
    pool = draw(columns(draw(st.sampled_from(dtypes)), draw(st.integers(1, 10))))
    made = []
    for _ in range(2):
        rows = draw(row_counts(20))
        positions = draw(st.lists(st.integers(0, len(pool) - 1), min_size=rows, max_size=rows))
        plain = pool[np.array(positions, np.int64)]
        made.append((partitioned(plain, draw(partition_lengths(rows))), plain))
    return made


@st.composite
def strings_in_buffers(draw: st.DrawFn, strings: st.SearchStrategy[str]) -> pa.LargeStringArray:
    """Return strings that are a part of their buffers, between any bytes or where the buffers end."""
    plain = [text.encode() for text in draw(st.lists(strings, max_size=30))]
    before, behind = draw(st.binary(max_size=9)), draw(st.binary(max_size=9) | st.just(b""))
    offsets = np.cumsum([0, len(before), *map(len, plain), len(behind)])
    data = np.frombuffer(b"".join([before, *plain, behind]), np.uint8)
    padded = pa.LargeStringArray.from_buffers(len(plain) + 2, pa.py_buffer(offsets), pa.py_buffer(data))
    return padded[1:-1]


def partitioned(column: NumberArray, lengths: Sequence[int]) -> Any:
    """Return a NumPy array as a lazy array with the given numbers of rows in its partitions."""
    return chained([array(part) for part in np.split(column, np.cumsum(lengths[:-1]))])
