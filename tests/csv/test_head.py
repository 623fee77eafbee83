from __future__ import annotations

import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import FLOAT64, INT64, STR
from akdask.errors import ArgumentError, ArgumentTypeError, FileFormatError
from akdask.formats.csv.lines import checked_delimiter, checked_encoding, head_bytes, read_head, split_line
from akdask.storage.files import identify


def head_of(tmp_path, content, delimiter=b",", names=None):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    return read_head(identify(str(path)), delimiter, names)


@given(st.lists(st.text(st.sampled_from('ab,;"\n\r é'), max_size=5), min_size=2, max_size=5))
def test_fields_are_split_as_python_s_own_module_does(fields):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(fields)
    line = text.getvalue().encode()
    assert split_line(line + b"rest", 0, b",") == ([field.encode() for field in fields], len(line))


def test_arkouda_s_header_tells_names_and_types(tmp_path):
    head = head_of(tmp_path, b"**HEADER**\nint64,str\n*/HEADER/*\na|*|b\n1|*|x\n", b"|*|")
    assert (head.names, head.types) == (("a", "b"), (INT64, STR))
    assert head.start == len(b"**HEADER**\nint64,str\n*/HEADER/*\na|*|b\n")


def test_what_is_written_is_read(tmp_path):
    names = ['a,"b', "c\nd", " e "]
    head = head_of(tmp_path, head_bytes(names, [INT64, FLOAT64, STR], b",") + b"1,2,3\n")
    assert (head.names, head.types) == (tuple(names), (INT64, FLOAT64, STR))


@pytest.mark.parametrize(
    ("content", "names", "start"),
    [
        (b"a,b\n1,2\n", ("a", "b"), 4),
        (b"\xef\xbb\xbfa,b\r\n1,2\r\n", ("a", "b"), 8),
        (b'"a\nc",b', ("a\nc", "b"), 7),
        (b"a,b", ("a", "b"), 3),
    ],
)
def test_other_writers_begin_with_the_names(tmp_path, content, names, start):
    head = head_of(tmp_path, content)
    assert (head.names, head.types, head.start) == (names, None, start)


def test_names_may_be_given(tmp_path):
    assert head_of(tmp_path, b"1,2\n", names=["a", "b"]).start == 0


@pytest.mark.slow
def test_long_lines_of_names_are_read_to_their_end(tmp_path):
    names = [f"column number {k}" for k in range(20_000)]
    assert head_of(tmp_path, ",".join(names).encode() + b"\n1\n").names == tuple(names)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no names"),
        (b"\n\r\n", "no names"),
        (b"**HEADER**\nint64\n", "no end"),
        (b"**HEADER**\nint64,complex\n*/HEADER/*\na,b\n", "'complex'"),
        (b"**HEADER**\nint64\n/HEADER/\na\n", "third line"),
        (b"**HEADER**\nint64,str\n*/HEADER/*\na|b\n", "2 types for 1 columns"),
        (b"\xff\xfea\0,\0b\0\n\0", "NUL"),
        (b"\xe9t\xe9\n", "not UTF-8(.|\n)*encoding='latin-1'"),
    ],
)
def test_broken_heads_are_refused(tmp_path, content, message):
    with pytest.raises(FileFormatError, match=message):
        head_of(tmp_path, content)


def test_names_that_are_there_twice_get_numbers_and_lines_before_them_are_skipped(tmp_path):
    assert head_of(tmp_path, b"\n\r\na,b,a,a.1\n1,2,3,4\n").names == ("a", "b", "a.2", "a.1")
    path = tmp_path / "x.csv"
    path.write_bytes(b"\n\na,b,a\n1,2,3\n")
    found = {name: array.tolist() for name, array in ak.read_csv(path).items()}
    assert found == {"a": [1], "b": [2], "a.1": [3]}
    assert list(found) == list(pd.read_csv(path).columns)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift_jis"])
def test_other_encodings_are_read_where_they_are_named(tmp_path, encoding):
    text = "カ" if encoding == "shift_jis" else "é"
    path = tmp_path / "x.csv"
    path.write_bytes(f'{text}t,n\n{text},1\n"a\n{text}",2\n'.encode(encoding))
    found = ak.read_csv(path, encoding=encoding)
    assert {name: array.tolist() for name, array in found.items()} == {f"{text}t": [text, f"a\n{text}"], "n": [1, 2]}
    with pytest.raises(FileFormatError, match="encoding='latin-1'"):
        ak.read_csv(path)


def test_encodings_have_ascii_as_it_is():
    assert [checked_encoding(name) for name in ("UTF-8", "utf-8-sig", "utf-16", "latin1")] == [
        *["utf8"] * 3,
        "iso8859-1",
    ]
    for encoding in ("utf-16-le", "utf-7", "nothing", "hex", "iso2022_jp"):
        with pytest.raises(ArgumentError, match=encoding):
            checked_encoding(encoding)
    with pytest.raises(ArgumentTypeError, match="int"):
        checked_encoding(1)


def test_delimiters_are_text_that_is_neither_quote_nor_line_break():
    assert checked_delimiter("|*|") == b"|*|"
    for delimiter in ("", '"', "a\n", "\r"):
        with pytest.raises(ArgumentError):
            checked_delimiter(delimiter)
    with pytest.raises(ArgumentTypeError, match="int"):
        checked_delimiter(1)
