"""Attributes and methods without arguments, each beside pandas, Python or NumPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays import memory_report, shapes
from akdask.errors import ArgumentError

pytestmark = pytest.mark.light

DAYS = [
    f"{year}-{day}"
    for year in (1999, 2000, 2023, 2024)
    for day in ("01-01", "02-28", "03-01", "03-31", "04-01", "06-30", "09-30", "10-01", "12-31")
]
TIMES = pd.DatetimeIndex([*DAYS, "2024-02-29", "2024-05-06 07:08:09.010011012"], dtype="datetime64[ns]")
FIELDS = [
    "year", "month", "day", "hour", "minute", "second", "nanosecond", "day_of_week", "day_of_year",

    "quarter", "days_in_month", "is_leap_year", "is_month_start", "is_month_end", "is_quarter_start",
    "is_quarter_end",
    "is_year_start", "is_year_end",
]  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_fields_of_times_are_those_of_pandas(name):
    assert getattr(ak.Datetime(TIMES), name).tolist() == list(getattr(TIMES, name))


WORDS = ["", "a", "A", "1", "½", "٣", "a1", "A1", " ", "\t\n", "Ab", "aB", "Ab Cd", "_", "é", "É", "1.5", "ǅ", "²"]
TESTS = ["isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isspace", "islower", "isupper", "istitle"]


@pytest.mark.parametrize("name", TESTS)
def test_classes_of_text_are_those_of_python(name):
    assert getattr(ak.array(WORDS), name)().tolist() == [getattr(word, name)() for word in WORDS]


@pytest.mark.parametrize("name", ["lower", "upper", "title", "capitalize"])
def test_cases_of_text_are_those_of_python(name):
    words = ["", "abc", "ABC", "aBC d", "éA", "1a b2c"]
    assert getattr(ak.array(words), name)().tolist() == [getattr(word, name)() for word in words]


def test_text_is_empty_missing_or_encoded():
    text = ak.array(WORDS)
    assert text.isempty().tolist() == [not word for word in WORDS]
    lacking = ak.array(["a", None, ""])
    assert lacking.isna().tolist() == lacking.isnull().tolist() == [False, True, False]
    assert text.isna().tolist() == [False] * len(WORDS)
    hosts = ak.array(["münchen.de", "a.b"])
    assert hosts.encode("idna").tolist() == ["xn--mnchen-3ya.de", "a.b"]
    assert hosts.encode("idna").decode("idna").tolist() == hosts.tolist()


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_grids_are_those_of_numpy(indexing, count):
    arrays = [np.arange(length) * 10 for length in (2, 3, 4)[:count]]
    found = shapes.meshgrid(*map(ak.array, arrays), indexing=indexing)
    for one, other in zip(found, np.meshgrid(*arrays, indexing=indexing), strict=True):
        np.testing.assert_array_equal(one.to_ndarray(), other)
    with pytest.raises(ArgumentError, match="neither"):
        shapes.meshgrid(ak.arange(2), indexing="ab")
    with pytest.raises(ArgumentError, match="one dimension"):
        shapes.meshgrid(ak.array(np.zeros((2, 2))))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_arrays_are_taken_apart_along_a_dimension(axis):
    block = np.arange(24).reshape(2, 3, 4)
    found = shapes.unstack(ak.array(block), axis=axis)
    for one, other in zip(found, np.moveaxis(block, axis, 0), strict=True):
        np.testing.assert_array_equal(one.to_ndarray(), other)


def test_names_of_bits_are_read_between_separators():
    plain, parted = (
        ak.Fields(ak.array([0, 5, 6]), "SAF"),
        ak.Fields(ak.array([0, 5, 6]), ["S1", "A", "F"], separator="|"),
    )
    reverse = ak.Fields(ak.array([0]), "SAF", MSB_left=False)
    assert [plain._number(text) for text in ("", "S", "FS", "SAF", "X")] == [0, 4, 5, 7, 0]
    assert [parted._number(text) for text in ("", "S1", "A|F", "S", "S1|F")] == [0, 4, 3, 0, 5]
    assert [reverse._number(text) for text in ("S", "F", "SF")] == [1, 4, 5]
    assert (plain == "FS").tolist() == [False, True, False]
    assert (parted == "S1|A").tolist() == [False, False, True]
    assert plain.namewidth == 1
    assert parted.namewidth == 2


def test_numbers_of_reports_stand_to_the_right_and_text_to_the_left():
    rows = [["what", "bytes"], ["a<b", "7"], ["longer", "1000"]]
    assert list(memory_report._text(rows)) == ["what    bytes", "a<b         7", "longer   1000"]
    found = memory_report._html(rows)
    assert "<tr><th style='text-align: left'>what</th><th style='text-align: right'>bytes</th></tr>" in found
    assert "<tr><td style='text-align: left'>a&lt;b</td><td style='text-align: right'>7</td></tr>" in found
    assert memory_report._numbers([["entries", "bytes", "used", "limit", "on disk", "name"]]) == [True] * 5 + [False]
    assert [memory_report.UNITS[unit] for unit in ("b", "kb", "mb", "gb")] == [1, 2**10, 2**20, 2**30]
