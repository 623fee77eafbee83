"""Decimals as the floats next to them, or exactly as integers."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import ArgumentError, InconsistentFilesError, UnsupportedError

PRICES = ["1.25", "-3.50", "0.07", "1234567.89"]
WIDE = ["12345678901234567890123456789012345.678", "-1.001", "0.000", "9007199254740993.000"]


def _decimals(numbers, stored):
    return pa.array([None if number is None else Decimal(number) for number in numbers], stored)


def _counts(numbers, scale):
    """Return the digits of numbers without their points."""
    return [int(number.replace(".", "")) for number in numbers if scale == len(number.partition(".")[2])]


@pytest.mark.parametrize("as_integers", [True, False], ids=["stored as integers", "stored as bytes"])
@pytest.mark.parametrize(
    ("numbers", "stored"),
    [
        (PRICES, pa.decimal128(9, 2)),
        (PRICES, pa.decimal128(18, 2)),
        (PRICES, pa.decimal128(19, 2)),
        (WIDE, pa.decimal128(38, 3)),
        (WIDE, pa.decimal256(76, 3)),
        ([number[:-4] for number in WIDE], pa.decimal128(38, 0)),
    ],
    ids=str,
)
def test_decimals_are_counted_exactly_on_request(tmp_path, numbers, stored, as_integers):
    path = tmp_path / "d.parquet"
    table = pa.table({"d": _decimals(numbers, stored)})
    pq.write_table(table, path, store_decimal_as_integer=as_integers, row_group_size=3)

    counts = ak.read_parquet(path, decimals="integer")["d"]

    assert counts.dtype == ("int64" if stored.precision <= 18 else ak.bigint)
    assert counts.tolist() == _counts(numbers, stored.scale)
    assert counts[1:].tolist() == _counts(numbers[1:], stored.scale)
    assert counts[counts < 0].tolist() == [count for count in _counts(numbers, stored.scale) if count < 0]
    assert ak.read_parquet(path)["d"].tolist() == [float(number) for number in numbers]
    assert ak.scan(path, decimals="integer")["d"].tolist() == counts.tolist()


def test_counted_decimals_may_be_missing_where_they_fit_into_64_bits(tmp_path):
    numbers = ["1.25", None, "-3.50"]
    table = pa.table(
        {"short": _decimals(numbers, pa.decimal128(9, 2)), "wide": _decimals(numbers, pa.decimal128(30, 2))}
    )
    pq.write_table(table, tmp_path / "d.parquet")

    found = ak.read_parquet(tmp_path / "d.parquet", decimals="integer")

    assert found["short"].fillna(7).tolist() == [125, 7, -350]
    with pytest.raises(UnsupportedError, match="decimals='float'"):
        found["wide"].tolist()


def test_files_that_count_different_digits_do_not_go_together(tmp_path):
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, scale in zip(paths, (2, 3), strict=True):
        pq.write_table(pa.table({"d": _decimals(["1.25"], pa.decimal128(9, scale))}), path)

    with pytest.raises(InconsistentFilesError, match="2 digits after the point and decimals of 3"):
        ak.read_parquet(paths, "d", decimals="integer")
    assert ak.read_parquet(paths, "d")["d"].tolist() == [1.25, 1.25]


def test_decimals_in_lists_stay_floats(tmp_path):
    lists = pa.array([[Decimal("1.5")], []], pa.list_(pa.decimal128(9, 1)))
    pq.write_table(pa.table({"l": lists}), tmp_path / "l.parquet")

    assert ak.read_parquet(tmp_path / "l.parquet", decimals="integer")["l"].tolist() == [[1.5], []]


def test_decimals_are_floats_or_integers(tmp_path):
    pq.write_table(pa.table({"d": [1]}), tmp_path / "d.parquet")

    with pytest.raises(ArgumentError, match="'float', 'integer', not 'exact'"):
        ak.read_parquet(tmp_path / "d.parquet", decimals="exact")
