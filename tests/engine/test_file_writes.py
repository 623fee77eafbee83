"""Writes: how rows are cut into files, what a writer is given, and what it is told in the end."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import file_writes
from akdask.engine.file_writes import Filling, Write
from akdask.engine.rowwise import Project
from akdask.engine.sources import Literal
from akdask.errors import AkdaskError, ArgumentError, SchemaError, WriteError
from akdask.storage.objects import JoiningWriter
from akdask.testing.memory import MemorySource

LOG: list = []


class Noting:
    """A writer that notes what it is given."""

    path = "a set"

    def __init__(self, count, error=None):
        self.count, self.error = count, error

    @property
    def npartitions(self):
        return self.count

    def begin(self):
        LOG.append("begin")

    def write(self, index, table, tables=None):
        if self.error is not None:
            raise self.error
        columns = {
            name: column.tolist() if hasattr(column, "tolist") else column.to_pylist()
            for name, column in table.columns.items()
        }
        LOG.append((index, columns, table.nrows, {name: column.tolist() for name, column in (tables or {}).items()}))
        return index

    def commit(self, receipts):
        LOG.append(("commit", receipts))
        return ["file"]

    def abort(self):
        LOG.append("abort")


class Joining(Noting, JoiningWriter):
    """The same, with several partitions for each file."""

    per_file = 2

    def join(self, index, receipts):
        LOG.append(("join", index, receipts))
        return tuple(receipts)


@pytest.fixture(autouse=True)
def log():
    LOG.clear()
    return LOG


def project(*lengths, name="x", step=1):
    source = MemorySource({"x": np.arange(sum(lengths)) * step}, lengths).arrays()["x"]
    return Project(source._frame, (name,), (source._value,))


def of_unknown(limit, *lengths):
    source = MemorySource({"x": np.arange(sum(lengths))}, lengths).arrays()["x"]
    kept = source[source < limit]
    return Project(kept._frame, ("x",), (kept._value,))


def table_of(*items):
    frame = Literal.of([Table({"t": np.array(items)}, len(items))])
    return Project(frame, ("t",), (frame.column("t"),))


def test_files_are_written_of_the_rows_of_all_frames_and_whole_tables(log):
    names, filled = file_writes.write(Noting(2), [project(3, 2), project(3, 2, name="y", step=10)], [table_of(7, 8)])
    assert (names, filled) == (["file"], set())
    assert log[0] == "begin"
    assert sorted(log[1:3]) == [
        (0, {"x": [0, 1, 2], "y": [0, 10, 20]}, 3, {"t": [7, 8]}),
        (1, {"x": [3, 4], "y": [30, 40]}, 2, {"t": [7, 8]}),
    ]
    assert log[3:] == [("commit", [0, 1])]


def test_partitions_of_a_file_are_joined_in_order(log):
    names, _ = file_writes.write(Joining(4), [project(1, 2, 3, 4)], [])
    assert names == ["file"]
    assert sorted(item[0] for item in log if isinstance(item[0], int)) == [0, 1, 2, 3]
    assert sorted(item for item in log if item[0] == "join") == [("join", 0, [0, 1]), ("join", 1, [2, 3])]
    assert log[-1] == ("commit", [(0, 1), (2, 3)])


def test_columns_that_were_filled_are_told_of_all_files(log):
    text = pa.array(["a", None, "c", None], pa.large_string())
    frame = Literal.of([Table({"s": text.slice(start, 2), "t": text.slice(start, 2)}, 2) for start in (0, 2)])
    rows = Project(frame, ("s", "t"), (frame.column("s"), frame.column("t")))
    for writer in (Noting(2), Joining(2)):
        log.clear()
        _, filled = file_writes.write(writer, [rows], [], Filling(frozenset({"s", "t"}), "-"))
        assert filled == {"s", "t"}
        assert sorted(item[:2] for item in log if isinstance(item[0], int)) == [
            (0, {"s": ["a", "-"], "t": ["a", "-"]}), (1, {"s": ["c", "-"], "t": ["c", "-"]}),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "raised", "told"),
    [
        (ValueError("no room"), WriteError, "'a set' was not written: ValueError: no room"),
        (MemoryError("all gone"), WriteError, "'a set' was not written: TransferError"),
        (ArgumentError("ours."), ArgumentError, "ours"), (KeyboardInterrupt(), KeyboardInterrupt, None),
    ],
)  # fmt: skip
def test_what_fails_is_undone(log, error, raised, told):
    with pytest.raises(raised, match=told):
        file_writes.write(Noting(1, error), [project(3)], [])
    assert log == ["begin", "abort"]


def test_a_write_is_one_partition_of_its_files():
    node = Write(Noting(3), 1, None, project(1, 1, 1), _determ_token="here")
    assert (node.npartitions, node.rows.size, node.describe()) == (1, 3, "Write a set  3 files")
    assert pickle.loads(pickle.dumps(Filling(frozenset({"s"}), "x"))) == Filling(frozenset({"s"}), "x")


@pytest.mark.parametrize(
    ("lengths", "count", "per_file", "wanted"),
    [
        ((3, 2), 2, 1, (3, 2)), ((5, 0), 2, 1, (5, 0)), ((5, 0), 2, 2, (3, 2)), ((7,), 2, 1, (4, 3)),
        ((4, 3, 0), 4, 2, (2, 2, 2, 1)),
        ((2, 2), 4, 1, (1, 1, 1, 1)), ((4, 3), 2, 1, (4, 3)), ((0,), 2, 1, (0, 0)),
    ],
)  # fmt: skip
def test_rows_are_cut_into_files(lengths, count, per_file, wanted):
    frame = project(*lengths)
    found = file_writes.fitted(frame, count, per_file)
    assert found.rows.lengths == wanted
    assert (found is frame) == (lengths == wanted)
    assert file_writes.aligned([frame], count, per_file)[0].rows.lengths == wanted
    both = file_writes.aligned([frame, project(sum(lengths), name="y")], count, per_file)
    assert [one.rows.lengths for one in both] == [wanted] * 2
    assert (both[0] is frame) == (lengths == wanted)


def test_rows_of_unknown_number_are_counted_where_they_are_cut():
    frame = of_unknown(4, 3, 3)
    assert file_writes.fitted(frame, 2) is frame
    assert frame.rows.lengths is None
    assert file_writes.fitted(frame, 3).rows.lengths == (2, 1, 1)
    assert file_writes.aligned([of_unknown(5, 3, 4), project(1, 4)], 2)[1].rows.lengths == (3, 2)
    with pytest.raises(SchemaError, match="as many rows each") as error:
        file_writes.aligned([project(3, 2), project(4, name="y")], 2)
    assert error.value.details == ("x: 5 rows", "y: 4 rows")
    assert isinstance(error.value, AkdaskError)


@pytest.mark.parametrize(
    ("lengths", "count", "size", "most"),
    [
        # A file may be larger than a partition if the rows of eight bytes exceed so many partitions as there are files.
        ((5,) * 4, 2, 80, 1), ((5,) * 4, 2, 79, 2), ((5,) * 4, 4, 1, 1), ((5,) * 5, 2, 50, 3), ((5,) * 5, 5, 1, 1),
        ((5,) * 4, 8, 1, 1),
    ],
)  # fmt: skip
def test_large_files_are_made_of_several_partitions(lengths, count, size, most):
    with ak.config.set(partition_size=size):
        assert file_writes.partitions_per_file([project(*lengths)], count) == most
        half = size // 2 if most == 1 else size
        with ak.config.set(partition_size=max(2 * half, 1)):
            assert file_writes.partitions_per_file([project(*lengths), project(*lengths, name="y")], count) == (
                1 if -(-len(lengths) // count) == 1 else -(-len(lengths) // count)
            )
