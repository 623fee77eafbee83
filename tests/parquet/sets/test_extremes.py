"""Minima and maxima that statistics of Parquet files tell, so that no rows are read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
import akdask.pandas as face
from akdask.formats.parquet.reader import ParquetPart
from akdask.pandas import tuning


@pytest.fixture(autouse=True)
def _no_file_is_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tuning, "READ_VALUES", -1)
    with ak.config.set(pandas_fallback="silent"):
        yield


def _columns(seed: int, count: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    floats = np.where(rng.random(count) < 0.3, np.nan, rng.normal(size=count))
    times = np.datetime64("2024-01-01", "us") + rng.integers(0, 10**12, count)
    missing = rng.random(count) < 0.3
    return pa.table({
        "small": pa.array(rng.integers(-9, 9, count), pa.int16()),
        "large": pa.array(rng.integers(2**62, 2**63 - 1, count)),
        "unsigned": pa.array(rng.integers(0, 2**64 - 1, count, np.uint64)),
        "least": pa.array(rng.integers(-(2**63), -(2**63) + 2, count)),
        "with nulls": pa.array(rng.integers(-(2**40), 2**40, count), mask=missing),
        "float": pa.array(floats),
        "single": pa.array(floats.astype(np.float32), mask=missing),
        "NaN first": pa.array(np.where(np.arange(count) < count // 2, np.nan, 0.5)),
        "zero": pa.array(np.where(missing, -0.0, 0.0)),
        "nothing": pa.array(np.full(count, np.nan), mask=missing),
        "time": pa.array(times),
        "lacking": pa.array(times.astype("M8[ms]"), mask=missing),
        "never": pa.nulls(count, pa.timestamp("ns")),
        "span": pa.array(times - np.datetime64("2024-01-02", "us"), mask=missing),
        "day": pa.array(times.astype("M8[D]")),
        "true": pa.array(missing),
        "text": pa.array([f"{number:040d}" for number in rng.integers(0, 9, count)], pa.string()),
    })  # fmt: skip


def _written(folder: Path, counts: tuple[int, ...], **options: Any) -> tuple[Any, pandas.DataFrame]:
    parts = [_columns(number, count) for number, count in enumerate(counts)]
    for number, part in enumerate(parts):
        pq.write_table(part, folder / f"{number}.parquet", row_group_size=9, **options)
    return face.read_parquet(str(folder)), pa.concat_tables(parts).to_pandas()


def _are_same(found: Any, expected: Any) -> bool:
    return bool(found == expected or (pandas.isna(found) and pandas.isna(expected)))


@pytest.mark.parametrize("has_statistics", [True, False])
@pytest.mark.parametrize("counts", [(0,), (1,), (40,), (7, 0, 33)])
def test_extremes_of_plain_files_are_those_of_pandas(
    tmp_path: Path, counts: tuple[int, ...], has_statistics: bool
) -> None:
    rows, expected = _written(tmp_path, counts, write_statistics=has_statistics)
    for name in expected:
        for how in ("min", "max"):
            if name == "day" and not sum(counts):
                continue  # pandas has no types for it.
            found, wanted = getattr(rows[name], how)(), getattr(expected[name], how)()
            assert _are_same(found, wanted), (name, how)
            some = getattr(rows[rows["small"] > 0][name], how)()
            assert _are_same(some, getattr(expected[expected["small"] > 0][name], how)()), (name, how)
        assert int(rows[name].count()) == expected[name].count()
    numbers = ["small", "large", "float", "single", "true"]
    pandas.testing.assert_series_equal(rows[numbers].max().to_pandas(), expected[numbers].max())
    for column in ("lacking", "time"):
        left, wanted = rows[column].dropna(), expected[column].dropna()
        assert (len(left), _are_same(left.max(), wanted.max())) == (len(wanted), True)
        pandas.testing.assert_series_equal(rows[column].isna().to_pandas(), expected[column].isna())


def test_no_rows_are_read_for_extremes_that_files_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, expected = _written(tmp_path, (30, 12))

    own = ParquetPart.open

    def opened(part: ParquetPart) -> Any:
        assert not part.columns, "rows are read"
        return own(part)

    monkeypatch.setattr(ParquetPart, "open", opened)
    for name in ("small", "large", "unsigned", "float", "time", "day", "true"):
        assert (rows[name].min(), rows[name].max()) == (expected[name].min(), expected[name].max()), name
    for name in ("text", "nothing"):
        with pytest.raises(AssertionError, match="rows are read"):
            rows[name].min()
