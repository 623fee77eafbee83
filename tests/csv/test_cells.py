"""Cells one by one: the classes that a scan notes of them, their values, and the types of columns that have some."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT64
from akdask.errors import ArgumentError, FileFormatError
from akdask.formats.csv import file_set, lines, loops, parse, types
from akdask.formats.csv.lines import (
    AFTER_T,
    BIG,
    DAY,
    FAR,
    FINE,
    FLOAT,
    FORM,
    FRACTION,
    FRACTION_AFTER_T,
    INEXACT,
    MISSING,
    NAIVE,
    NEGATIVE,
    NO_VALUE,
    SECOND,
    SMALL,
    TEXT,
    TIME,
    UNSIGNED,
    WORD,
    ZERO,
    ZONED,
    Lines,
    merged_classes,
    padded,
)
from akdask.formats.csv.parse import RowParser
from akdask.formats.csv.types import CsvColumn

PLAIN = Lines(b";", keeps_blank=False)


def bytes_of(text):
    data = text.encode()
    array = padded(len(data))
    array[: len(data)] = np.frombuffer(data, np.uint8)
    return array


def classes_of(*cells, rules=PLAIN):
    """Return the classes of a column of some cells, and the least and most offset of times."""
    data = bytes_of("".join(f"{cell};\n" for cell in cells))
    found = np.zeros((2, 3), np.int64)
    scanned = loops.scan(data, len(data) - lines.MARGIN, True, rules.delimiter, rules.options, 2, 2**62, 2**62, found)
    assert scanned[1] == len(cells)
    assert found[1].tolist() == [NO_VALUE, 0, 0]
    return tuple(found[0].tolist())


NEGATIVE_ZERO = SMALL | NEGATIVE | ZERO
CLASSES = {
    SMALL: ["0", "7", "+7", " 7 ", "\t7", "0000000000000000000000007", "9007199254740992", "9223372036854774784",
    "1000000000000000000"],
    SMALL | NEGATIVE: ["-1", "-9007199254740992", "-9223372036854775808", "-09223372036854775808", " -5"],
    NEGATIVE_ZERO: ["-0", "-00000000000000000000000000"],
    SMALL | INEXACT: ["9007199254740993", "9223372036854775807", "1000000000000000001"],
    SMALL | NEGATIVE | INEXACT: ["-9007199254740993", "-9223372036854775807"],
    UNSIGNED: ["9223372036854775808", "18446744073709549568"],
    UNSIGNED | INEXACT: ["9223372036854775809", "18446744073709551615", "018446744073709551615"],
    BIG | INEXACT: ["18446744073709551616", "99999999999999999999", "100000000000000000000", "1" * 40],
    BIG | INEXACT | NEGATIVE: ["-9223372036854775809", "-18446744073709551616", "-" + "1" * 40],
    FLOAT: [
        "1.5", "-1.5", "1.", ".5", "-.5", "1e5", "1E+5", "1e-5", "12345678.5", "123456789.5", "1.123456789", "0.0",
        "+1.5",
        "inf", "-inf", "+Infinity", "INF", "1.5e300", "1" * 30 + ".5", " 1.5", "00000001.5", "1.12345678",
    ],
    WORD: ["true", "False", "TRUE"],
    NO_VALUE: ["", "NA", "null", "nan", "-NaN", "1.#IND", "#N/A", "None", "<NA>"],
    TEXT: [
        "x", "-", "+", ".", "-.", "1e", "1e+", "1.5.5", "0x1F", "1_000", "--1", "1-", "1 2", "truex", "tru", "infi",
        "i",
        "yes", "na", "N", "1,5", "1.5x", "e5", "5e", "infinit", "- 5", "1.e", "\u00e9",
    ],
    TIME | NAIVE | DAY: ["2020-02-29", "2000-02-29", "1970-01-01", "1677-09-22", "2262-04-11", "1999-12-31"],
    TIME | NAIVE | DAY | FAR: ["2262-04-12", "9999-12-31", "0001-01-01", "1600-02-29", "1677-09-20"],
    TIME | NAIVE | SECOND: ["2020-01-01 10:20:30", "2020-01-01 23:59:59", "2020-01-01 00:00:00"],
    TIME | NAIVE | AFTER_T: ["2020-01-01T10:20:30"],
    TIME | NAIVE | FRACTION: ["2020-01-01 10:20:30.5", "2020-01-01 10:20:30.123456"],
    TIME | NAIVE | FRACTION_AFTER_T: ["2020-01-01T10:20:30.5", "2020-01-01T10:20:30.123456"],
    TIME | NAIVE | FORM: ["2020-01-01 10", "2020-01-01 10:20", "2020-01-01T10:20", " 2020-01-01 ",
    "2020-01-01 10:20:30 ", "2020-01-01 10:20:30.1234560"],
    TIME | NAIVE | FORM | FINE: ["2020-01-01 10:20:30.1234567", "2020-01-01T10:20:30.123456789",
    "2020-01-01 10:20:30.000000001"],
    TIME | ZONED | FORM: ["2020-01-01 10:20Z", "2020-01-01T10:20:30Z", "2020-01-01T10:20:30.5Z"],
}  # fmt: skip


@pytest.mark.parametrize("expected", CLASSES, ids=str)
def test_cells_have_the_class_of_how_they_are_written(expected):
    for cell in CLASSES[expected]:
        assert classes_of(cell) == (expected, 0, 0), cell
        # In quotes, they are what they are without.
        assert classes_of(f'"{cell}"') == (expected, 0, 0), cell


@pytest.mark.parametrize(
    "cell",
    [
        "2019-02-29", "1900-02-29", "2020-02-30", "2020-04-31", "2020-13-01", "2020-00-01", "2020-01-00", "2020-01-32",
        "2020-1-01", "2020-01-1", "2020/01/01", "2020-01-01 24:00", "2020-01-01 10:60", "2020-01-01 10:20:60",
        "2020-01-01 10:20:30.", "2020-01-01 10:20:30.1234567890", "2020-01-01 1", "2020-01-01x", "2020-01-01 10:20+",
        "2020-01-01 10:20+24", "2020-01-01 10:20+01:60", "2020-01-01 10:20+01:0", "2020-01-01 10:20Zx",
        "2020-01-01  10",
        "2020-01-01 10:20+0100x", "2020-01-01T", "2020-01-01 10:", "2020-01-01Z", "202-01-01", "-020-01-01",
    ],
)  # fmt: skip
def test_times_that_are_none_are_text(cell):
    assert classes_of(cell)[0] == TEXT
    with pytest.raises(FileFormatError, match="invalid value"):
        values_of([cell], CsvColumn(0, INT64, is_time=True))


@pytest.mark.parametrize(
    ("cells", "least", "most"),
    [
        (["2020-01-01 10:20+01:30"], 90, 90),
        (["2020-01-01 10:20-0130"], -90, -90),
        (["2020-01-01 10:20+02", "2020-01-01 10:20Z", "2020-01-01 10:20-23:59"], -1439, 120),
        (["2020-01-01 10:20+02", "", "2020-01-01 10:20+03"], 120, 180),
        (["", "2020-01-01 10:20-02"], -120, -120),
        (["2020-01-01 10:20-02", "2020-01-01 10:20-03", "2020-01-01 10:20-01"], -180, -60),
    ],
)
def test_offsets_of_times_lie_between_the_least_and_the_most(cells, least, most):
    assert classes_of(*cells)[1:] == (least, most)
    # So they do where they come from several parts of a file.
    parts = [np.array([classes_of(cell)]) for cell in cells]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged_classes(merged, part)
    assert tuple(merged[0].tolist()) == classes_of(*cells)


def values_of(cells, column, rules=PLAIN, **options):
    """Return the values of cells of one type."""
    parser = RowParser("x.csv", ("v", "other"), rules, **options)
    data = bytes_of("".join(f"{cell};\n" for cell in cells))
    return parser.parse(data, {"v": column}, 0, len(cells))["v"]


@pytest.mark.parametrize("unit", ["ns", "us"])
def test_times_are_counted_from_1970_in_the_zone_of_their_offset(unit):
    cells = {
        "1970-01-01": datetime(1970, 1, 1),
        "1969-12-31 23:59:59.5": datetime(1969, 12, 31, 23, 59, 59, 500_000),
        "2000-02-29T12:30": datetime(2000, 2, 29, 12, 30),
        "2000-03-01 01": datetime(2000, 3, 1, 1),
        "1900-03-01": datetime(1900, 3, 1),
        "2100-02-28 23:59:59.000001": datetime(2100, 2, 28, 23, 59, 59, 1),
        "1999-12-31 10:20+01:30": datetime(1999, 12, 31, 8, 50),
        "2001-01-01 10:20-0130": datetime(2001, 1, 1, 11, 50),
        "2004-12-31 23:00Z": datetime(2004, 12, 31, 23),
        " 1700-01-01 ": datetime(1700, 1, 1),
        **{f"2023-{month:02}-{day:02}": datetime(2023, month, day) for month in range(1, 13) for day in (1, 28)},
        **{f"{year}-03-01": datetime(year, 3, 1) for year in range(1996, 2005)},
    }
    per_second = 10**9 if unit == "ns" else 10**6
    expected = [
        int(
            Fraction((time.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1), 10**6)
            * per_second
        )
        for time in cells.values()
    ]
    assert values_of(cells, CsvColumn(0, INT64, is_time=True, unit=unit)).tolist() == expected


def test_times_reach_as_far_as_their_unit():
    column = CsvColumn(0, INT64, is_time=True)
    edges = ["1677-09-21T00:12:43.145224193", "2262-04-11T23:47:16.854775807"]
    assert values_of([*edges, ""], column).tolist() == [-(2**63) + 1, 2**63 - 1, -(2**63)]
    for cell in (
        "1677-09-21T00:12:43.145224192",
        "2262-04-11T23:47:16.854775808",
        "1677-09-20",
        "0001-01-01",
        "9999-12-31",
    ):
        assert classes_of(cell)[0] & FAR
        with pytest.raises(FileFormatError):
            values_of([cell], column)
    micros = CsvColumn(0, INT64, is_time=True, unit="us")
    assert values_of(["0001-01-01", "9999-12-31 23:59:59.999999"], micros).tolist() == [
        -62135596800000000,
        253402300799999999,
    ]


@pytest.mark.parametrize(
    ("cell", "int64", "uint64"),
    [
        ("0", 0, 0), ("-0", 0, 0), ("7", 7, 7), ("-7", -7, None), ("+7", 7, 7), (" 7 ", 7, 7),
        ("12345678", 12345678, 12345678), ("123456789", 123456789, 123456789), ("1234567890123456",
        1234567890123456, 1234567890123456),
        ("12345678901234567", 12345678901234567, 12345678901234567), (str(2**63 - 1), 2**63 - 1, 2**63 - 1),
        (str(2**63), None, 2**63), (str(-(2**63)), -(2**63), None), (str(-(2**63) - 1), None, None),
        (str(2**64 - 1), None, 2**64 - 1), (str(2**64), None, None), ("0" * 30 + "9", 9, 9), ("-" + "0" * 30, 0, 0),
        ("-0000000000000000000000009", -9, None), ("1.0", None, None), ("1e3", None, None), ("", None, None), ("-",
        None, None),
    ],
)  # fmt: skip
def test_integers_have_the_bits_of_their_type(cell, int64, uint64):
    for dtype, expected in (INT64, int64), (UINT64, uint64):
        if expected is None:
            with pytest.raises(FileFormatError, match="not of its type"):
                values_of([cell], CsvColumn(0, dtype))
            found = values_of(["1", cell], CsvColumn(0, dtype), allow_errors=True).tolist()
            assert found == [1, -(2**63) if dtype == INT64 else 0]
        else:
            assert values_of([cell], CsvColumn(0, dtype)).tolist() == [expected]


FLOATS = [
    "0.1", "1.5", "-1.5", ".5", "5.", "1234567.5", "12345678.5", "123456789.125", "0.12345678", "0.123456789",
    "9007199254740993",
    "90071992547409.93", "9007199254740993.5", "1e22", "1e23", "1e-22", "1e-23", "123e-25",
    "1.7976931348623157e308", "1e309",
    "-1e400", "1e-400", "0e999999999", "4.9e-324", "2.2250738585072014e-308", "0." + "0" * 400 + "1", "1" * 400,
    "1" * 400 + "e-399",
    "0." + "0" * 30 + "12345678901234567890", "12345678901234567890", "1234567890123456789012", "inf", "-Infinity",
    "1E5", "1e+5", "00.5",
]  # fmt: skip


@pytest.mark.parametrize("decimal", [".", ","])
def test_floats_are_the_nearest_ones(decimal):
    rules = Lines(b";", keeps_blank=False, decimal=decimal)
    cells = [cell.replace(".", decimal) for cell in FLOATS]
    found = values_of([*cells, "", "NA"], CsvColumn(0, FLOAT64), rules)
    assert [repr(one) for one in found.tolist()] == [*(repr(float(cell)) for cell in FLOATS), "nan", "nan"]
    for cell in "x", "1.5x", "-", "1e", "true":
        with pytest.raises(FileFormatError, match="not of its type"):
            values_of([cell.replace(".", decimal)], CsvColumn(0, FLOAT64), rules)
    assert values_of(["x"], CsvColumn(0, FLOAT64), allow_errors=True)[0] == np.finfo(float).min


def test_words_are_bools_and_digits_where_that_is_asked_for():
    cells = ["true", "False", "TRUE", "1", "0"]
    assert values_of(cells, CsvColumn(0, BOOL)).tolist() == [True, False, True, True, False]
    for cell in "2", "10", "", "tru", "truee", "yes":
        with pytest.raises(FileFormatError):
            values_of([cell], CsvColumn(0, BOOL))
    assert values_of(["x"], CsvColumn(0, BOOL), allow_errors=True).tolist() == [False]
    found = CsvColumn(0, BOOL, is_found=True)
    assert values_of(cells[:3], found).tolist() == [True, False, True]
    with pytest.raises(FileFormatError):
        values_of(["1"], found)


def test_marks_of_thousands_part_digits_alone():
    rules = Lines(b";", keeps_blank=False, thousands=",")
    assert values_of(["1,000", "12,345,678", "1,2,3", "-1,000"], CsvColumn(0, INT64), rules).tolist() == [
        1000,
        12345678,
        123,
        -1000,
    ]
    assert values_of(["1,000.5"], CsvColumn(0, FLOAT64), rules).tolist() == [1000.5]
    for cell, expected in {
        "1,000": SMALL, "1,000.5": FLOAT, ",5": TEXT, "a,b": TEXT, "1,": SMALL, "1,x": TEXT,
        "2020-01-01": TIME | NAIVE | DAY,
    }.items():  # fmt: skip
        assert classes_of(cell, rules=rules)[0] == expected, cell


def test_missing_values_may_be_named():
    rules = Lines(b";", keeps_blank=False, missing=(*MISSING, b"-999", b"?", b"0.5"))
    assert classes_of("-999", "?", "0.5", rules=rules)[0] == NO_VALUE
    assert classes_of("-998", rules=rules)[0] == SMALL | NEGATIVE
    found = values_of(["-999", "?", "0.5", "-999.0", "1"], CsvColumn(0, FLOAT64), rules)
    np.testing.assert_array_equal(found, [np.nan, np.nan, np.nan, -999, 1])
    with pytest.raises(FileFormatError):
        values_of(["-999"], CsvColumn(0, INT64), rules)
    none = Lines(b";", keeps_blank=False, missing=())
    data = bytes_of("NA;\n;\n")
    seen = np.zeros((2, 3), np.int64)
    loops.scan(data, 6, True, b";", none.options, 2, 2**62, 2**62, seen)
    assert seen[:, 0].tolist() == [TEXT, TEXT]


# ---- types


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (0, STR),
        (SMALL, INT64), (SMALL | NEGATIVE | INEXACT, INT64), (UNSIGNED, UINT64), (SMALL | UNSIGNED, UINT64),
        (UNSIGNED | NEGATIVE | SMALL, BIGINT), (BIG | INEXACT, BIGINT), (BIG | UNSIGNED, BIGINT),
        (FLOAT, FLOAT64), (NO_VALUE, FLOAT64), (SMALL | NO_VALUE, FLOAT64), (SMALL | FLOAT, FLOAT64),
        (UNSIGNED | FLOAT, FLOAT64), (UNSIGNED | NO_VALUE, STR), (BIG | FLOAT, STR), (BIG | NO_VALUE, STR),
        (WORD, BOOL), (WORD | SMALL, STR), (WORD | TIME | NAIVE, STR), (WORD | TEXT, STR), (TEXT | SMALL, STR),
        (TEXT, STR),
        (TIME | NAIVE | SMALL, STR), (TIME | NAIVE | ZONED, STR), (TIME | NAIVE | FAR | FINE, STR),
        (TEXT | NO_VALUE, STR),
    ],
)  # fmt: skip
def test_columns_have_the_type_that_holds_all_cells(seen, expected):
    found = types._column(3, seen, 0, 0)
    assert (found.position, found.dtype, found.is_found, found.is_time) == (3, expected, True, False)
    assert found.may_change == (expected == FLOAT64 and bool(seen & INEXACT))


def test_columns_of_times_have_a_unit_a_zone_and_missing_ones():
    for seen, least, most, unit, zone, may_lack in (
        (TIME | NAIVE, 0, 0, "ns", None, False),
        (TIME | NAIVE | FAR, 0, 0, "us", None, False),
        (TIME | NAIVE | FINE | NO_VALUE, 0, 0, "ns", None, True),
        (TIME | ZONED, 0, 0, "ns", "UTC", False),
        (TIME | ZONED, 90, 90, "ns", "+01:30", False),
        (TIME | ZONED, -90, -90, "ns", "-01:30", False),
        (TIME | ZONED, 60, 90, "ns", "UTC", False),
        (TIME | ZONED | FAR, -600, -600, "us", "-10:00", False),
    ):
        found = types._column(0, seen, least, most)
        assert (found.dtype, found.is_time, found.unit, found.zone, found.may_lack) == (
            INT64,
            True,
            unit,
            zone,
            may_lack,
        )
    assert types._column(0, FLOAT | INEXACT, 0, 0).may_change
    assert [types._column(0, seen, 0, 0).dtype.nullable for seen in (WORD, WORD | NO_VALUE)] == [False, True]


def test_files_with_other_numbers_are_told_by_the_first_file_of_each_kind():
    def one(seen):
        return np.array([[seen, 0, 0]])

    files = [
        ("a", ["v"], one(SMALL)),
        ("b", ["w", "v"], np.concatenate([one(TEXT), one(FLOAT)])),
        ("c", ["v"], one(SMALL)),
        ("d", ["v"], one(UNSIGNED)),
    ]
    columns, differing = types.found_types(files, ["v", "w"], {})
    assert (columns["v"].dtype, columns["v"].position, columns["w"].dtype, columns["w"].position) == (
        FLOAT64,
        0,
        STR,
        1,
    )
    assert differing == {"v": {"int64": "a", "double": "b", "uint64": "d"}}
    columns, differing = types.found_types(files[::2], ["v"], {})
    assert (columns["v"].dtype, differing) == (INT64, {})
    # Integers that fit together are no difference.
    columns, differing = types.found_types([files[0], files[3]], ["v"], {})
    assert (columns["v"].dtype, differing) == (UINT64, {})
    known = {"v": CsvColumn(0, STR)}
    assert types.found_types(files, ["v"], known) == (known, {})


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ([INT64], INT64), ([STR, INT64], STR), ([INT64, STR], INT64), ([INT64, UINT64], INT64), ([UINT64, INT64],
        INT64),
        ([INT64, FLOAT64], FLOAT64), ([UINT64, FLOAT64, INT64], FLOAT64), ([BOOL, FLOAT64], BOOL), ([UINT64,
        UINT64], UINT64),
    ],
)  # fmt: skip
def test_types_of_headers_have_a_common_one_where_all_are_numbers(dtypes, expected):
    assert file_set._common(dtypes) == expected


@pytest.mark.parametrize(
    ("cell", "dtype", "expected"),
    [
        ("", INT64, "float64"), ("", STR, "float64"), ("1", BOOL, "bool"), ("0", BOOL, "bool"), ("2", BOOL, "str"),
        ("", BOOL, "str"),
        ("12", INT64, "uint64"), (str(2**64 - 1), INT64, "uint64"), (str(2**64), INT64, "str"), ("-5", UINT64,
        "float64"),
        ("1.5", INT64, "float64"), ("x", INT64, "str"), ("٣", INT64, "float64"),
    ],
)  # fmt: skip
def test_errors_name_a_type_for_what_does_not_fit(cell, dtype, expected):
    assert parse._type_for(cell, CsvColumn(0, dtype)) == expected
    assert parse._type_for("1", CsvColumn(0, INT64, is_time=True)) == "str"


# ---- rules


def test_rules_are_characters_of_ascii():
    assert file_set._rules("skip", "#", ",", " ") == {
        "skips_long": True,
        "comment": "#",
        "decimal": ",",
        "thousands": " ",
    }
    assert file_set._rules("error", None, ".", None) == {
        "skips_long": False,
        "comment": "",
        "decimal": ".",
        "thousands": "",
    }
    wrong = [
        ("warn", None, ".", None),
        ("error", None, "", None),
        ("error", "ab", ".", None),
        ("error", None, "é", None),
    ]
    wrong += [("error", None, mark, None) for mark in '"\r\n09'] + [("error", 5, ".", None), ("error", None, ".", "9")]
    for given in wrong:
        with pytest.raises(ArgumentError):
            file_set._rules(*given)


def test_missing_values_are_the_common_ones_and_those_that_are_named():
    for given, more in (
        ((), []), (None, []), ("", [b""]), (0, [b"0"]), (1.5, [b"1.5"]), (["a", 2], [b"a", b"2"]), ("NA", []),
        ("x" * 255, [b"x" * 255]), (["b", "b"], [b"b"]),
    ):  # fmt: skip
        assert file_set._missing(given) == tuple(dict.fromkeys([*MISSING, *more])), given
    for wrong in {"a": "b"}, [["a"]], ["x" * 256], [None]:
        with pytest.raises(ArgumentError):
            file_set._missing(wrong)


# ---- lines


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("a", 0), ("a\n", 1), ("a\r\nb", 1), ("\r", 1), ("\r\r\n\n", 3), ("\n\r", 2), ("\r\n\r\n", 2)],
)
def test_a_return_and_a_line_feed_are_one_break(text, count):
    assert lines.count_breaks(np.frombuffer(text.encode(), np.uint8)) == count


@pytest.mark.parametrize(
    ("text", "start", "delimiter", "fields", "stop"),
    [
        ("a,b\nrest", 0, ",", ["a", "b"], 4),
        ("a,b\r\nrest", 0, ",", ["a", "b"], 5),
        ("a,b\rrest", 0, ",", ["a", "b"], 4),
        ("xx\na,b\n", 3, ",", ["a", "b"], 7),
        ("a,b", 0, ",", ["a", "b"], None),
        ("", 0, ",", [""], None),
        ("\n", 0, ",", [""], 1),
        (",\n", 0, ",", ["", ""], 2),
        ('"a\nb",c\n', 0, ",", ["a\nb", "c"], 8),
        ('"a""b",c\n', 0, ",", ['a"b', "c"], 9),
        ('"a"b,c\n', 0, ",", ["ab", "c"], 7),
        ('a"b",c\n', 0, ",", ['a"b"', "c"], 7),
        ('"",c\n', 0, ",", ["", "c"], 5),
        ('"a,b\n', 0, ",", ["a,b\n"], None),
        ("a::b:c::\n", 0, "::", ["a", "b:c", ""], 9),
        ('a::"b::c"\n', 0, "::", ["a", "b::c"], 10),
        ('""""\n', 0, ",", ['"'], 5),
    ],
)
def test_fields_of_a_line_end_at_delimiters_outside_of_quotes(text, start, delimiter, fields, stop):
    found = lines.split_line(text.encode(), start, delimiter.encode())
    assert found == ([field.encode() for field in fields], stop)


@pytest.mark.parametrize(
    ("text", "start", "delimiter", "comment", "expected"),
    [
        ("a\n", 0, ",", "", 0), ("\n\n a\n", 0, ",", "", 2), (" \t\n\r\na", 0, ",", "", 5), ("\t\na", 0, "\t", "",
        0), ("  \na", 0, " ", "", 0),
        ("#x\na", 0, ",", "#", 3), ("#x\na", 0, ",", "", 0), (" #x\n\n#\ra", 0, ",", "#", 7), ("#x", 0, ",", "#",
        0), ("ab\n\nc", 3, ",", "", 4),
        ("^\na", 0, ",", "^", 2),
    ],
)  # fmt: skip
def test_blank_lines_and_comments_before_the_names_are_skipped(text, start, delimiter, comment, expected):
    assert lines._first_line(text.encode(), start, delimiter.encode(), comment) == expected


@pytest.mark.parametrize(
    ("text", "keeps_blank", "expected"),
    [
        ("", False, 0),
        ("a", False, 0),
        ("a\n", False, 2),
        ("a\nb", False, 2),
        ('a\n"b\n', False, 2),
        ("a\r\n", False, 3),
        ("a\n\n", True, 3),
        ("a\nb\nc", False, 4),
    ],
)
def test_rows_end_at_the_last_break_that_is_not_in_quotes(text, keeps_blank, expected):
    assert lines.last_end(text.encode(), Lines(b",", keeps_blank=keeps_blank)) == expected


def cut(row_bytes, nrows, limit, marks=()):
    """Cut rows of one length into ranges, where a scan noted the places of some."""
    every = lines.ByteRange(5, 5 + row_bytes * nrows, nrows)
    walks = []

    def walk(position, until, most):
        walks.append((position, until, most))
        row = (position - 5) // row_bytes
        last = min(nrows, row + most, max(row, -(-(until - 5) // row_bytes)) if until < 2**61 else nrows)
        return 5 + last * row_bytes, last - row

    places = [(5, 0), *((5 + row_bytes * row, row) for row in marks)]
    return lines._cut(every, places, limit, walk), walks


@pytest.mark.parametrize("marks", [(), (2,), (3, 6), tuple(range(1, 10))])
@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (100, [10]),
        (99, [5, 5]),
        (50, [5, 5]),
        (49, [4, 4, 2]),
        (34, [4, 4, 2]),
        (10, [1] * 10),
        (1, [1] * 10),
        (30, [3, 3, 3, 1]),
    ],
)
def test_ranges_end_at_the_first_row_behind_enough_bytes(limit, expected, marks):
    found, walks = cut(10, 10, limit, marks)
    assert [one.nrows for one in found] == expected
    assert [one.start for one in found] == [5, *(one.stop for one in found[:-1])]
    assert found[-1].stop == 105
    assert all(position in {5, *(5 + 10 * row for row in range(10))} for position, *_ in walks)


def test_large_ranges_end_at_multiples_of_some_rows(monkeypatch):
    monkeypatch.setattr(lines, "ALIGNED_ROWS", 4)
    monkeypatch.setattr(lines, "MANY_RANGES", 2)
    assert [one.nrows for one in cut(10, 30, 100)[0]] == [12, 12, 6]
    assert [one.nrows for one in cut(10, 30, 80)[0]] == [8, 8, 8, 6]
    # Ranges of fewer rows are cut where enough bytes are.
    assert [one.nrows for one in cut(10, 30, 75)[0]] == [8, 8, 8, 6]
    assert [one.nrows for one in cut(10, 30, 70)[0]] == [6] * 5
    # Eight rows are expected in a range of 85 bytes: as many as two ranges of four rows.
    assert [one.nrows for one in cut(10, 34, 85)[0]] == [12, 12, 10]
    assert [one.nrows for one in cut(10, 34, 84)[0]] == [7, 7, 7, 7, 6]


def rows_of(text, columns=7):
    """Return the rows that the loop finds in some text, with empty cells behind the last; None if a quote is open."""
    data = bytes_of(text)
    starts, ends = np.zeros((columns, 9), np.uint64), np.zeros((columns, 10), np.uint64)
    places, kinds = np.arange(columns), np.full(columns, 7)
    instead, values = np.zeros(columns, np.uint64), np.zeros((0, 9), np.uint64)
    options = Lines(b",", keeps_blank=False).options
    size = len(data) - lines.MARGIN
    count, failure, *_ = loops.parse(
        data, size, b",", options, columns, places, kinds, instead, False, values, starts, ends
    )
    if failure:
        return None
    sizes = np.diff(ends.astype(np.int64), axis=1)
    return [
        [bytes(data[start : start + length]).decode() for start, length in zip(*row, strict=True)]
        for row in zip(starts.T[:count].astype(int).tolist(), sizes.T[:count].tolist(), strict=True)
    ]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("first", ["", "a", ",", '"', "\n", "\r"], ids=ascii)
def test_all_short_texts_have_the_rows_that_python_s_own_module_finds(first):
    for rest in product('a,"\n\r', repeat=5):
        text = first + "".join(rest)
        # A row behind the text tells whether its last quote is closed.
        *rows, last = csv.reader(io.StringIO(f"{text}\nend\n", newline=""))
        found = rows_of(text)
        if last != ["end"]:
            assert found is None, text
        else:
            assert found == [row + [""] * (7 - len(row)) for row in rows if row], text


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 30])
def test_missing_cells_of_text_are_told_by_bits(count):
    cells = ([*"ab", "", "NA", "n/a", "x NA", "null", "é"] * 4)[:count]
    data = "".join(cells).encode()
    text = np.frombuffer(data, np.uint8).copy()
    offsets = np.cumsum([0, *(len(cell.encode()) for cell in cells)])
    bits = np.full(-(-count // 8), 255, np.uint8)
    missing = [cell.encode() in MISSING or not cell for cell in cells]
    assert loops.find_missing(text, offsets, PLAIN.options, bits) == sum(missing)
    has_value = np.unpackbits(bits, bitorder="little")[:count].astype(bool).tolist()
    assert has_value == [not lacks for lacks in missing]
    # Bits behind the last cell are not set.
    assert not np.unpackbits(bits, bitorder="little")[count:].any()
