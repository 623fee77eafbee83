"""Text that Arrow hands on as a slice of longer arrays."""

from __future__ import annotations

import pyarrow as pa
import pytest

from akdask.formats.parquet.chunks import _text


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_binary(), pa.null()])
def test_the_text_of_a_slice_is_that_of_its_rows(kind):
    items = [None] * 5 if kind == pa.null() else ["zero", None, "", "é", "four"]
    array = pa.array(items, kind)
    for start, stop in [(0, 5), (1, 4), (3, 5), (2, 2)]:
        found = _text(array.slice(start, stop - start))
        assert found.type == pa.large_string()
        assert found.to_pylist() == items[start:stop]


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(pa.ArrowInvalid, match="Invalid UTF8"):
        _text(pa.array([b"ok", b"\xff"]))
