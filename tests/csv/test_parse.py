from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64
from akdask.errors import FileFormatError
from akdask.formats.csv.lines import Lines, padded
from akdask.formats.csv.parse import RowParser
from akdask.formats.csv.types import CsvColumn
from akdask.storage.files import identify

COLUMNS = {"n": CsvColumn(0, INT64), "s": CsvColumn(1, STR)}


def rows_of(delimiter=b",", **options):
    return RowParser("x.csv", ("n", "s"), Lines(delimiter, keeps_blank=False), **options)


def data_of(text):
    given = text if isinstance(text, bytes) else text.encode()
    data = padded(len(given))
    data[: len(given)] = np.frombuffer(given, np.uint8)
    return data


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from('ab,"\n é'), max_size=30), max_size=30))
def test_rows_are_those_that_python_s_own_module_reads(texts):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(enumerate(texts))
    found = rows_of().parse(data_of(text.getvalue()), COLUMNS, 0, len(texts))
    assert found["n"].tolist() == list(range(len(texts)))
    assert found["s"].to_pylist() == texts


@pytest.mark.parametrize("nrows", [1, 3])
def test_other_rows_than_lines_are_refused(nrows):
    with pytest.raises(FileFormatError, match=f"from byte 7 on(.|\n)*{nrows} lines"):
        rows_of().parse(data_of("1,a\n2,b\n"), COLUMNS, 7, nrows)


@pytest.mark.parametrize("cell", ["x", "", "1.5", "0x1F", "1_000", "-", str(2**63), "1" * 30])
def test_cells_that_are_no_integers_are_told_by_row(cell):
    data = data_of("1,a\n" * 20 + f"{cell},b\n" + "2,c\n" * 20)
    with pytest.raises(FileFormatError, match=r"column 'n' of 'x\.csv'(.|\n)*row 21 of those from byte 5"):
        rows_of().parse(data, COLUMNS, 5, 41)
    found = rows_of(allow_errors=True).parse(data, COLUMNS, 5, 41)
    assert found["n"].tolist() == [1] * 20 + [-(2**63)] + [2] * 20


def test_every_type_is_read_from_its_text():
    columns = {
        "u": CsvColumn(0, UINT64),
        "f": CsvColumn(1, FLOAT64),
        "b": CsvColumn(2, BOOL),
        "t": CsvColumn(3, INT64, is_time=True),
    }
    rows = RowParser("x.csv", ("u", "f", "b", "t"), Lines(b";", keeps_blank=False))
    found = rows.parse(data_of("18446744073709551615;-inf;True;1970-01-01T00:00:01\n0;;0;\n"), columns, 0, 2)
    assert found["u"].tolist() == [2**64 - 1, 0]
    assert str(found["f"].tolist()) == "[-inf, nan]"
    assert found["b"].tolist() == [True, False]
    assert found["t"].tolist() == [10**9, -(2**63)]


def test_a_long_delimiter_is_put_back_where_it_is_text():
    found = rows_of(b"::").parse(data_of('1::"a::b"\n2::c:d\n'), COLUMNS, 0, 2)
    assert found["s"].to_pylist() == ["a::b", "c:d"]


def test_text_that_is_not_utf_8_is_refused():
    with pytest.raises(FileFormatError, match="UTF8"):
        rows_of().parse(data_of(b"1,\xff\n"), COLUMNS, 0, 1)


def test_errors_tell_the_line_where_it_is_known_and_else_the_row_or_the_byte(tmp_path):
    (tmp_path / "x.csv").write_text("n,s\n1,a\n2,b\n3,c\n")
    file, unread = identify(str(tmp_path / "x.csv")), rows_of()
    for (row_start, start, row), told, with_file in (
        ((8, 4, None), "byte 8", "line 3"),
        ((8, 4, 2), "row 2 of those from byte 4", "line 3: row 2 of those from byte 4"),
        ((8, 0, 2), "row 2", "line 3: row 2"),
        ((0, 0, 1), "row 1", "line 1: row 1"),
    ):
        assert unread._place(row_start, start, row) == told
        assert rows_of(file=file)._place(row_start, start, row) == with_file
    latin = RowParser("x.csv", ("n", "s"), Lines(b",", keeps_blank=False, encoding="iso8859-1"), file=file)
    assert latin._place(8, 4, None) == "byte 8"
    (tmp_path / "x.csv").unlink()
    assert rows_of(file=file)._place(8, 4, 2) == "row 2 of those from byte 4"
