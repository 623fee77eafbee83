from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64
from akdask.errors import FileFormatError
from akdask.formats.csv.lines import Lines
from akdask.formats.csv.parse import CsvColumn, RowParser

COLUMNS = {"n": CsvColumn(0, INT64), "s": CsvColumn(1, STR)}


def rows_of(delimiter=b",", **options):
    return RowParser("x.csv", ("n", "s"), Lines(delimiter, keeps_blank=False), **options)


def data_of(text):
    return np.frombuffer(text if isinstance(text, bytes) else text.encode(), np.uint8)


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from('ab,"\n é'), max_size=30), max_size=30), st.integers(8, 200))
def test_blocks_of_any_size_give_the_rows_that_python_s_own_module_reads(texts, block):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(enumerate(texts))
    found = rows_of().parse(data_of(text.getvalue()), COLUMNS, 0, len(texts), block)
    assert found["n"].tolist() == list(range(len(texts)))
    assert found["s"].to_pylist() == texts


def test_a_row_longer_than_a_block_is_read():
    found = rows_of().parse(data_of('1,a\n2,"' + "b\n" * 500 + '"\n3,c\n'), COLUMNS, 0, 3, 64)
    assert found["s"].to_pylist() == ["a", "b\n" * 500, "c"]


@pytest.mark.parametrize("block", [5, 2**20])
@pytest.mark.parametrize("nrows", [1, 3])
def test_other_rows_than_lines_are_refused(nrows, block):
    with pytest.raises(FileFormatError, match=f"from byte 7 on(.|\n)*{nrows} lines"):
        rows_of().parse(data_of("1,a\n2,b\n"), COLUMNS, 7, nrows, block)


@pytest.mark.parametrize("block", [16, 2**20])
@pytest.mark.parametrize("cell", ["x", "", "1.5", str(2**63)])
def test_cells_that_are_no_integers_are_told_by_row(cell, block):
    data = data_of("1,a\n" * 20 + f"{cell},b\n" + "2,c\n" * 20)
    with pytest.raises(FileFormatError, match=r"column 'n' of 'x\.csv'(.|\n)*row 21 of those from byte 5"):
        rows_of().parse(data, COLUMNS, 5, 41, block)
    found = rows_of(allow_errors=True).parse(data, COLUMNS, 5, 41, block)
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
    found = rows_of(b"::").parse(data_of('1::"a::b"\n2::c:d\n'), COLUMNS, 0, 2, 10)
    assert found["s"].to_pylist() == ["a::b", "c:d"]
    every = bytes(code for code in range(1, 0x20) if code not in b"\n\r\t")
    with pytest.raises(FileFormatError, match="delimiter of one character"):
        rows_of(b"::").parse(data_of(b"1::" + every + b"\n"), COLUMNS, 0, 1)


def test_text_that_is_not_utf_8_is_refused():
    with pytest.raises(FileFormatError, match="UTF8"):
        rows_of().parse(data_of(b"1,\xff\n"), COLUMNS, 0, 1)
