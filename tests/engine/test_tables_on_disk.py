"""Tables on disk: any range of their rows, and each column, as it was."""

from __future__ import annotations

import errno
import os
import pickle

import dask
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import Table
from akdask.engine.spill import SpillFile, TableOnDisk
from akdask.errors import WriteError

WORDS = st.lists(st.text(max_size=8), max_size=30)


def table_of(words):
    """Return rows of every kind that a column may be of."""
    numbers = np.arange(len(words))
    lists = [list(range(len(word))) for word in words]
    columns = {
        0: numbers - 3,
        1: numbers.astype(np.uint64) << np.uint64(60),
        2: np.where(numbers % 3, numbers / 7, np.nan),
        3: numbers % 2 == 0,
        4: numbers.astype(np.uint8),
        ("a", 5): pa.array(words, pa.large_string()),
        6: from_ints([-(3**80) + number for number in range(len(words))]),
        7: pa.array(lists, pa.large_list(pa.int64())),
        8: pa.array([[word] * 2 for word in words], pa.large_list(pa.large_string())),
        9: pa.array([[value % 2 == 0 for value in item] for item in lists], pa.large_list(pa.bool_())),
        10: pa.array([[None] * (number % 3) for number in range(len(words))], pa.large_list(pa.null())),
    }
    return Table(columns, len(words))


def assert_same(found, wanted):
    assert found.nrows == wanted.nrows
    assert list(found.columns) == list(wanted.columns)
    for column, other in zip(found.columns.values(), wanted.columns.values(), strict=True):
        assert type(column) is type(other)
        if isinstance(column, np.ndarray):
            np.testing.assert_array_equal(column, other, strict=True)
            assert column.flags.writeable
        else:
            assert column.equals(other)


@given(WORDS, st.data())
def test_any_range_of_rows_comes_back(words, data):
    table = table_of(["", "é", *words, "z"])
    first = data.draw(st.integers(0, table.nrows))
    # Also of what is itself a slice, whose buffers hold more.
    table = table.slice(first, table.nrows)
    on_disk = TableOnDisk(table)
    start = data.draw(st.integers(0, table.nrows))
    stop = data.draw(st.integers(start, table.nrows))
    assert_same(on_disk.read(start, stop), table.slice(start, stop))
    assert_same(on_disk.read(0, table.nrows), table)


def test_no_rows_come_back():
    assert_same(TableOnDisk(table_of([])).read(0, 0), table_of([]))


def test_several_tables_share_a_file_and_large_columns_are_written_as_they_are(tmp_path):
    with dask.config.set(temporary_directory=str(tmp_path)):
        tables = [Table({0: np.arange(start, start + 100_000)}, 100_000) for start in (0, 7, 10**6)]
        on_disk = [TableOnDisk(table) for table in tables]
    for table, rows in zip(tables, on_disk, strict=True):
        assert_same(rows.read(99_990, 100_000), table.slice(99_990, 100_000))
    assert os.listdir(tmp_path) == []


def test_rows_travel_to_other_processes():
    table = table_of(["a", "bb"])
    assert_same(pickle.loads(pickle.dumps(TableOnDisk(table))).read(1, 2), table.slice(1, 2))


def test_a_full_disk_is_told_and_takes_nothing(tmp_path, monkeypatch):
    with dask.config.set(temporary_directory=str(tmp_path)):
        before = TableOnDisk(Table({0: np.arange(4)}, 4))
        size = before._file.nbytes
        write = SpillFile._write

        def full(self, part):
            write(self, part[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(SpillFile, "_write", full)
        with pytest.raises(WriteError, match="No space left on device") as caught:
            TableOnDisk(Table({0: np.arange(100_000)}, 100_000))
    assert list(caught.value.details) == [f"folder: {tmp_path}"]
    assert os.fstat(before._file._file.fileno()).st_size == size


@pytest.mark.parametrize("lacks", [[True, False, True, False, False], [False] * 5, [True] * 5, None])
@pytest.mark.parametrize("values", [np.arange(5), np.arange(5) % 2 == 0])
def test_numbers_with_missing_rows_come_back_whole_and_in_part(lacks, values):
    column = NullableColumn(values, None if lacks is None else np.array(lacks))
    stored = TableOnDisk(Table({"before": np.arange(5), "n": column, "behind": np.arange(5)}, 5))
    lacks = lacks or [False] * 5
    for start, stop in ((0, 5), (1, 4), (2, 2), (4, 5)):
        found = stored.read_column("n", start, stop)
        assert type(found) is NullableColumn
        assert found.values.dtype == values.dtype
        assert found.mask.tolist() == lacks[start:stop]
        assert found.values[~found.mask].tolist() == values[start:stop][~np.array(lacks[start:stop], bool)].tolist()
    assert stored.read(0, 5).columns["behind"].tolist() == [0, 1, 2, 3, 4]
