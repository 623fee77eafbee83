"""Columns as the bytes of CSV rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from akdask.columns import offsets_and_bytes, slice_rows
from akdask.deferred import pc
from akdask.typing import Column

BLOCK_ROWS = 2**16
"""Rows that are encoded at a time, so that their text stays in the cache."""


def encoded_rows(columns: Sequence[Column], delimiter: bytes) -> Iterator[memoryview]:
    """Yield the rows of columns as text, some at a time.

    Floats have as many digits as tell them apart; text is in quotes only where it holds the delimiter, a quote or a
    line break.

    Parameters
    ----------
    columns : sequence of ndarray or Arrow array
        Of the same number of rows, at least one.
    delimiter : bytes
        What stands between fields.
    """
    between, end = (pa.scalar(text, pa.large_string()) for text in (delimiter.decode(), "\n"))
    nothing = pa.scalar("", pa.large_string())
    for start in range(0, len(columns[0]), BLOCK_ROWS):
        fields = [_text(slice_rows(column, start, start + BLOCK_ROWS), delimiter) for column in columns]
        lines = pc.binary_join_element_wise(*fields, between)
        yield offsets_and_bytes(pc.binary_join_element_wise(lines, nothing, end))[1].data


def _text(column: Column, delimiter: bytes) -> pa.Array:
    if isinstance(column, np.ndarray):
        return pc.cast(pa.array(column), pa.large_string())
    data = offsets_and_bytes(column)[1].tobytes()
    # Only the first byte of a long delimiter is looked for, which is many times as fast.
    if not any(mark in data for mark in (delimiter[:1], b'"', b"\n", b"\r")):
        return column
    needs = pc.match_substring_regex(column, pattern=f'["\\n\\r]|{re.escape(delimiter.decode())}')
    doubled = pc.replace_substring(column, pattern='"', replacement='""')
    mark = pa.scalar('"', pa.large_string())
    return pc.if_else(needs, pc.binary_join_element_wise(mark, doubled, mark, pa.scalar("", pa.large_string())), column)
