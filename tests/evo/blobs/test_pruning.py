"""Filters read no row group whose statistics leave no room for a match."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from akdask import evo

COUNT = 40
NULLED = [None if number % 7 == 0 else number for number in range(COUNT)]


def column(kind):
    if kind == "timestamp":
        return pa.array([1_000_000 * number for number in range(COUNT)], pa.timestamp("us", "UTC"))
    if kind == "string":
        return pa.array([f"s{number:02d}" for number in range(COUNT)])
    if kind == "nan":
        return pa.array([float("nan") if number % 7 == 0 else number for number in range(COUNT)], pa.float64())
    if kind == "nulls":
        return pa.array(NULLED, pa.float64())
    if kind == "missing whole numbers":
        return pa.array(NULLED, pa.int32())
    if kind == "negative":
        return pa.array(range(-20, COUNT - 20), pa.int32())
    if kind == "uint64":
        return pa.array([number if number < 32 else 2**53 - COUNT + number for number in range(COUNT)], pa.uint64())
    return pa.array(range(COUNT), {"uint32": pa.uint32(), "int64": pa.int64(), "uint8": pa.uint8()}[kind])


def written(folder, values):
    return evo.write_blob(pa.table({"data": values}), folder / "blob", row_group_rows=8)


@pytest.mark.parametrize(
    "kind",
    ["timestamp", "string", "nan", "nulls", "missing whole numbers", "negative", "uint32", "uint64", "int64", "uint8"],
)
@pytest.mark.parametrize("options", [{}, {"nan_description": [3]}, {"times": "microseconds"}])
def test_filters_keep_the_rows_that_match(tmp_path, kind, options):
    values = column(kind)
    written(tmp_path, values)
    found = evo.read_blob(tmp_path / "blob", **options)["data"]
    everything = found.tolist()
    for limit in [everything[number] for number in (0, 3, 8, 21, COUNT - 1)]:
        assert found[found == limit].tolist() == [value for value in everything if value == limit]
        if kind != "string":
            assert found[found > limit].tolist() == [value for value in everything if value > limit]
            assert found[found <= limit].tolist() == [value for value in everything if value <= limit]


def test_row_groups_without_a_match_are_not_read(tmp_path):
    written(tmp_path, column("int64"))
    path = tmp_path / "blob"
    footer = pq.read_metadata(path)
    data = bytearray(path.read_bytes())
    for number in (0, 1, 3, 4):
        chunk = footer.row_group(number).column(0)
        data[chunk.data_page_offset : chunk.data_page_offset + chunk.total_compressed_size] = bytes(
            chunk.total_compressed_size
        )
    path.write_bytes(data)
    found = evo.read_blob(path)["data"]
    assert found[(found >= 17) & (found < 20)].tolist() == [17, 18, 19]
    with pytest.raises(evo.errors.BlobFormatError):
        found[found < 20].tolist()
