from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.zarr.metadata import parsed

GOOD = {
    "zarr_format": 2,
    "shape": [10, 4],
    "chunks": [3, 4],
    "dtype": "<i4",
    "compressor": {"id": "zlib", "level": 1},
    "fill_value": 7,
    "order": "C",
    "filters": None,
}


def told(**changes):
    return parsed("x/.zarray", json.dumps({**GOOD, **changes}).encode())


def test_what_is_said_is_kept():
    found = told(order="F", dimension_separator="/", filters=[{"id": "delta", "dtype": "<i4", "astype": "<i8"}])
    assert (found.grid.shape, found.grid.chunks, found.dtype.str, found.order) == ((10, 4), (3, 4), "<i4", "F")
    assert (found.fill, found.compressor.name, found.filters[0].stored) == (7, "zlib", "<i8")
    assert found.name_of((1, 0)) == "1/0"


def test_arkouda_says_no_more_than_shape_chunks_and_type_and_packs_by_blosc():
    found = parsed("x", b'{"zarr_format":2,"chunks":[5],"dtype":"f8","shape":[12]}')
    assert (found.compressor.name, found.fill, found.dtype) == ("blosc", 0, np.dtype("f8"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"zarr_format": 3}, "zarr_format"),
        ({"shape": None}, "shape"),
        ({"shape": "10"}, "shape"),
        ({"shape": [10]}, "dimensions"),
        ({"shape": [-1, 4]}, "shape"),
        ({"shape": [True, 4]}, "shape"),
        ({"shape": [1.0, 4]}, "shape"),
        ({"shape": [2**59, 4]}, "elements"),
        ({"shape": [10**40, 4]}, "shape"),
        ({"shape": [1] * 40, "chunks": [1] * 40}, "shape"),
        ({"chunks": [0, 4]}, "length 0"),
        ({"chunks": [2**59, 4]}, "elements"),
        ({"order": "X"}, "order"),
        ({"order": ["C"]}, "order"),
        ({"dimension_separator": ""}, "separator"),
        ({"compressor": "zlib"}, "packed"),
        ({"compressor": {"id": 3}}, "packed"),
        ({"filters": {"id": "delta"}}, "filters"),
        ({"filters": [{"id": "vlen-utf8"}]}, "do not fit"),
        ({"filters": [{"id": "shuffle", "elementsize": 0}]}, "shuffle"),
        ({"filters": [{"id": "delta", "dtype": "O"}]}, "delta"),
        ({"filters": [{"id": "delta", "dtype": "<f8"}]}, "delta"),
        ({"fill_value": "x"}, "fill_value"),
        ({"fill_value": 2**31}, "fill_value"),
        ({"fill_value": 1.5}, "fill_value"),
        ({"fill_value": [1]}, "fill_value"),
        ({"dtype": "<f8", "fill_value": 10**400}, "fill_value"),
        ({"dtype": "<f8", "fill_value": "nan"}, "fill_value"),
        ({"dtype": "|b1", "fill_value": 7}, "fill_value"),
        ({"dtype": "|S3", "fill_value": "?"}, "fill_value"),
        ({"dtype": "<U3", "fill_value": 7}, "fill_value"),
        ({"dtype": "<M8[s]", "fill_value": 2**64}, "fill_value"),
        ({"dtype": "<i3"}, "type"),
    ],
)
def test_what_contradicts_itself_is_refused(changes, message):
    with pytest.raises((FileFormatError, UnsupportedError), match=message):
        told(**changes)


@pytest.mark.parametrize(
    "dtype", [[["a", "<i4"]], "<c16", "|V8", None, "i4,i4", "O", "|O", "<M8[Y]", "<f16", "f4" * 999]
)
def test_elements_that_cannot_be_read_are_refused(dtype):
    with pytest.raises(UnsupportedError):
        told(dtype=dtype, fill_value=None)


@pytest.mark.parametrize("name", ["pickle", "json2", "msgpack2", "os.system", "categorize", ""])
def test_codecs_that_are_not_known_are_refused_by_name(name):
    with pytest.raises(UnsupportedError, match=repr(name)):
        told(compressor={"id": name})
    with pytest.raises(UnsupportedError, match=repr(name)):
        told(dtype="|O", filters=[{"id": name}], fill_value=None)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b"\xff\xfe", b"nul", b"[" * 100_000, b'{"shape": ' + b"9" * 9999 + b"}"]
)
def test_what_is_no_json_object_is_refused(content):
    with pytest.raises(FileFormatError):
        parsed("x/.zarray", content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "dtype", "elementsize"]), inner),
    max_leaves=6,
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(sorted(GOOD)), JSON))
def test_whatever_is_said_is_understood_or_refused(changes):
    try:
        found = told(**changes)
    except (FileFormatError, UnsupportedError):
        return
    assert len(found.grid.shape) == len(found.grid.chunks) >= 1
    assert min(found.grid.chunks) >= 1


@pytest.mark.parametrize(
    ("dtype", "given_fill", "fill"),
    [
        ("<f4", "NaN", "nan"),
        ("<f8", "-Infinity", "-inf"),
        ("<f8", 3, "3.0"),
        ("|b1", True, "True"),
        (">u8", 2**64 - 1, str(2**64 - 1)),
        ("<i8", None, "0"),
        ("<M8[s]", 5, "1970-01-01T00:00:05"),
        ("<m8[ns]", -(2**63), "NaT"),
        ("|S3", "YWI=", "b'ab'"),
        ("<U3", "é", "é"),
    ],
)
def test_fill_values(dtype, given_fill, fill):
    assert str(told(dtype=dtype, fill_value=given_fill).fill) == fill
