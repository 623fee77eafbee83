from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.formats import tuning
from akdask.formats.csv import lines
from akdask.formats.csv.lines import Lines, UnclosedQuoteError, byte_ranges, last_end, scanned
from akdask.formats.csv.types import _column
from akdask.storage.files import identify
from akdask.storage.ranges import ALIGNED_ROWS

FIELDS = st.lists(
    st.lists(st.text(st.sampled_from('ab,|*"\n\r é'), max_size=6), min_size=2, max_size=2), min_size=1, max_size=30
)


def quoted(field):
    doubled = field.replace('"', '""')
    return f'"{doubled}"' if any(mark in field for mark in ',"\n\r') else field


def written(path, rows, end="\n", last=True):
    content = end.join(",".join(map(quoted, row)) for row in rows) + (end if last else "")
    path.write_bytes(content.encode())
    return identify(str(path))


def parsed(file, ranges):
    """Read the ranges one by one by Python's own module."""
    with open(file.path, "rb") as opened:
        data = opened.read()
    pieces = [data[found.start : found.stop].decode() for found in ranges]
    return [[row for row in csv.reader(io.StringIO(piece, newline="")) if row] for piece in pieces]


@settings(max_examples=150, deadline=None)
@given(
    rows=FIELDS,
    layout=st.tuples(st.sampled_from(["\n", "\r\n", "\r"]), st.booleans()),
    limit=st.integers(1, 200),
    block=st.integers(2, 70),
)
def test_rows_are_counted_and_cut_where_they_end(tmp_path_factory, rows, layout, limit, block):
    path = tmp_path_factory.mktemp("lines") / "x.csv"
    file = written(path, rows, *layout)
    ranges = byte_ranges(file, 0, Lines(b",", keeps_blank=False), limit, block)
    found = parsed(file, ranges)
    assert [len(piece) for piece in found] == [piece.nrows for piece in ranges]
    assert [row for piece in found for row in piece] == rows
    assert [piece.start for piece in ranges[1:]] == [piece.stop for piece in ranges[:-1]]


def test_large_blocks_find_the_same_as_small_ones(tmp_path):
    rng = np.random.default_rng(1)
    rows = [["x" * int(rng.integers(9)), 'a,"\n' * int(rng.integers(3))] for _ in range(3000)]
    file = written(tmp_path / "x.csv", rows)
    lines = Lines(b",", keeps_blank=False)
    assert (
        byte_ranges(file, 0, lines, 500, 64) == byte_ranges(file, 0, lines, 500) == byte_ranges(file, 0, lines, 500, 77)
    )
    assert sum(found.nrows for found in byte_ranges(file, 0, lines, 500)) == 3000


def test_a_quoted_field_longer_than_a_block(tmp_path):
    rows = [["a", "1\n" * 500], ["b", "2"]]
    file = written(tmp_path / "x.csv", rows)
    ranges = byte_ranges(file, 0, Lines(b",", keeps_blank=False), 10, 64)
    assert [found.nrows for found in ranges] == [1, 1]


def test_delimiters_of_several_bytes_part_fields_across_blocks(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'"a\nb"|*|"c"\nd|*|"e|*|\n"\n' * 50)
    for block in (5, 7, 64, 1000):
        ranges = byte_ranges(identify(str(path)), 0, Lines(b"|*|", keeps_blank=False), 100, block)
        assert sum(found.nrows for found in ranges) == 100
        assert len(ranges) > 5


@pytest.mark.parametrize("block", [3, 1000])
def test_quotes_within_fields_are_text(tmp_path, block):
    path = tmp_path / "x.csv"
    path.write_bytes(b'5" pipe,1\n2,3"\n"a"b"c",1\n' * 40)
    ranges = byte_ranges(identify(str(path)), 0, Lines(b",", keeps_blank=False), 100, block)
    assert sum(found.nrows for found in ranges) == 120
    assert len(ranges) > 5


@pytest.mark.parametrize("block", [3, 1000])
def test_a_quote_that_is_never_closed_is_refused(tmp_path, block):
    path = tmp_path / "x.csv"
    path.write_bytes(b'a,"b\n')
    with pytest.raises(UnclosedQuoteError):
        byte_ranges(identify(str(path)), 0, Lines(b",", keeps_blank=False), 100, block)


@pytest.mark.parametrize("cell", ['"{}\n\n"', '"{}"', "{}", '"{}""\n"', "\n{}"])
def test_stretches_find_the_same_as_one(tmp_path, monkeypatch, cell):
    path = tmp_path / "x.csv"
    path.write_text("".join(f"{cell.format(number)},{number}\n" for number in range(300)))
    file, lines = identify(str(path)), Lines(b",", keeps_blank=False)
    whole = scanned(file, 0, lines, 700, columns=2)
    monkeypatch.setattr(tuning, "CSV_STRETCH", 50)
    monkeypatch.setattr("akdask.formats.csv.lines.CPU_COUNT", 9)
    found = scanned(file, 0, lines, 700, columns=2, block=64)
    assert found.ranges == whole.ranges
    assert found.classes.tolist() == whole.classes.tolist()
    assert sum(piece.nrows for piece in found.ranges) == 300


def test_types_of_columns_are_those_of_all_stretches(tmp_path, monkeypatch):
    path, lines = tmp_path / "x.csv", Lines(b",", keeps_blank=False)
    for cell in ("x", "", "1.5", "true", "2020-01-01", "2020-01-01T00:00:00+02:00"):
        for place in (0, 1, 149, 150, 151, 298, 299):
            path.write_text("".join(f"{number},{cell if number == place else number}\n" for number in range(300)))
            whole = scanned(identify(str(path)), 0, lines, 700, columns=2)
            with monkeypatch.context() as patch:
                patch.setattr(tuning, "CSV_STRETCH", 50)
                patch.setattr("akdask.formats.csv.lines.CPU_COUNT", 9)
                found = scanned(identify(str(path)), 0, lines, 700, columns=2)
            number, changed = (_column(0, *classes) for classes in found.classes.tolist())
            assert changed == _column(0, *whole.classes[1].tolist()) != number, (cell, place)


def test_blank_lines_are_rows_where_a_row_is_one_text(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"head\n\na\n\n\nb\n\n")
    file = identify(str(path))
    assert byte_ranges(file, 5, Lines(b",", keeps_blank=True), 100)[0].nrows == 6
    assert byte_ranges(file, 5, Lines(b",", keeps_blank=False), 100)[0].nrows == 2


def test_large_ranges_begin_at_multiples_of_the_rows_that_floats_are_added_up_by(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"1\n" * (ALIGNED_ROWS * 60) + b"22\n" * 7)
    ranges = byte_ranges(identify(str(path)), 0, Lines(b",", keeps_blank=False), ALIGNED_ROWS * 40)
    assert len(ranges) == 4
    assert [found.nrows % ALIGNED_ROWS for found in ranges] == [0, 0, 0, 7]
    assert sum(found.nrows for found in ranges) == ALIGNED_ROWS * 60 + 7


def test_no_rows_are_one_range_without_any(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n")
    assert byte_ranges(identify(str(path)), 4, Lines(b",", keeps_blank=False), 100) == [(4, 4, 0)]


def test_ranges_are_as_large_as_the_limit_and_as_many_as_threads_unless_they_are_small(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_bytes(b"1\n" * 15)
    file = identify(str(tmp_path / "x.csv"))
    for ranges, small, limit, expected in (
        (3, 4, 100, [5, 5, 5]),
        (3, 10, 100, [5, 5, 5]),
        (3, 15, 100, [8, 7]),
        (3, 29, 100, [8, 7]),
        (3, 30, 100, [15]),
        (1, 4, 100, [15]),
        (7, 4, 100, [3] * 5),
        (3, 4, 6, [3] * 5),
        (3, 15, 6, [3] * 5),
    ):
        monkeypatch.setattr(tuning, "CSV_RANGES", ranges)
        monkeypatch.setattr(tuning, "CSV_SMALL_RANGE", small)
        found = byte_ranges(file, 0, Lines(b",", keeps_blank=False), limit)
        assert [one.nrows for one in found] == expected, (ranges, small, limit)


def test_the_last_end_is_that_of_a_whole_row():
    lines = Lines(b",", keeps_blank=False)
    assert last_end(b'a,b\n"c\nd",e\n"f\n', lines) == len(b'a,b\n"c\nd",e\n')
    assert last_end(b"a,b\r\nc,d\r", lines) == len(b"a,b\r\n")
    assert last_end(b"a,b", lines) == 0


@pytest.mark.parametrize(
    ("start", "limits", "expected"),
    [
        (0, (4, 25, 99), [0, 30, 60, 80]),
        (0, (4, 26, 99), [0, 40, 70]),
        (0, (2, 25, 99), [0, 60]),
        (0, (1, 25, 99), [0]),
        (0, (4, 101, 99), [0]),
        (20, (4, 20, 99), [20, 50, 70, 90]),
        # No break is near enough, or it is that of the last row.
        (0, (4, 25, 5), [0, 30, 80]),
        (0, (9, 11, 99), [0, 20, 30, 40, 50, 60, 70, 80, 90]),
    ],
)
def test_stretches_begin_behind_the_first_break_of_equal_parts(tmp_path, monkeypatch, start, limits, expected):
    (tmp_path / "x.csv").write_bytes(b"aaaaaaaaa\n" * 10)
    monkeypatch.setattr(lines, "CPU_COUNT", limits[0])
    monkeypatch.setattr(tuning, "CSV_STRETCH", limits[1])
    monkeypatch.setattr(tuning, "CSV_LONGEST_GUESS", limits[2])
    assert lines._starts(identify(str(tmp_path / "x.csv")), start) == expected
