"""Each type of Parquet that the table of types in the documents names, beside what pyarrow reads."""

import datetime as dt
import decimal
import math
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak

NAN = math.nan
DAY = dt.date(2024, 5, 17)
NOON = dt.datetime(2024, 5, 17, 12, 30, 0, 5000)
CASES = {
    "BOOLEAN": (pa.array([True, False]), [True, False]),
    "INT(8, signed)": (pa.array([-5, 5], pa.int8()), [-5, 5]),
    "INT(32, unsigned)": (pa.array([2**32 - 1, 0], pa.uint32()), [2**32 - 1, 0]),
    "INT(64, signed)": (pa.array([-(2**63), 2**63 - 1]), [-(2**63), 2**63 - 1]),
    "INT(64, unsigned)": (pa.array([2**64 - 1, 0], pa.uint64()), [2**64 - 1, 0]),
    "FLOAT": (pa.array([0.5, None], pa.float32()), [0.5, NAN]),
    "DOUBLE": (pa.array([0.1, None]), [0.1, NAN]),
    "FLOAT16": (pa.array([1.5, None], pa.float16()), [1.5, NAN]),
    "DECIMAL": (pa.array([decimal.Decimal("1.10"), None], pa.decimal128(30, 2)), [1.1, NAN]),
    "DATE": (pa.array([DAY, None]), [np.datetime64(DAY, "s"), np.datetime64("NaT", "s")]),
    "TIMESTAMP": (pa.array([NOON, None], pa.timestamp("ms")), [np.datetime64(NOON, "ms"), np.datetime64("NaT", "ms")]),
    "TIME": (pa.array([1, None], pa.time64("us")), [np.timedelta64(1, "us"), np.timedelta64("NaT", "us")]),
    "STRING": (pa.array(["a", None, "é"]), ["a", None, "é"]),
    "BYTE_ARRAY": (pa.array([b"\xff", None, b"a"]), ["ff", None, "61"]),
    "FIXED_LEN_BYTE_ARRAY": (pa.array([b"ab", None], pa.binary(2)), ["6162", None]),
    "UUID": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16], pa.binary(16))),
        [str(UUID(bytes=b"0" * 16))],
    ),
    "LIST": (pa.array([[1, 2], None, []]), [[1, 2], [], []]),
    "UNKNOWN": (pa.nulls(2), [NAN, NAN]),
}
HAVE_GAPS = {"FLOAT", "DOUBLE", "FLOAT16", "DECIMAL", "DATE", "TIMESTAMP", "TIME", "UNKNOWN"}
"""Types whose missing values are NaN or NaT, which equal nothing among objects."""


@pytest.mark.parametrize("name", CASES)
def test_each_type_is_read_as_the_table_says(tmp_path, name):
    array, expected = CASES[name]
    pq.write_table(pa.table({"x": array, "s": pa.StructArray.from_arrays([array], ["f"])}), tmp_path / "x")
    found = ak.read_parquet(tmp_path / "x")
    for column in ("x", "s.f"):
        if name in HAVE_GAPS:
            values, wanted = found[column].to_ndarray(), np.array(expected)
            np.testing.assert_array_equal(values, wanted)
            assert values.dtype.kind == wanted.dtype.kind
            if wanted.dtype.kind in "mM":
                assert values.dtype == wanted.dtype
        else:
            assert list(found[column].tolist()) == expected


def test_the_table_has_all_types():
    told = Path(__file__, "../../../../docs/formats.md").resolve().read_text(encoding="utf-8")
    table = told[told.index("| Type of Parquet |") :]
    assert [name for name in CASES if f"`{name.partition('(')[0]}`" not in table] == []
