from __future__ import annotations

import csv
import io
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask.formats import tuning
from akdask.formats.csv.write import encoded_rows


def text_of(columns, delimiter=b","):
    return b"".join(encoded_rows(columns, delimiter))


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from('ab,"\n\r é'), max_size=5), min_size=1, max_size=20))
def test_text_is_read_back_by_python_s_own_module(texts):
    columns = [np.arange(len(texts)), pa.array(texts, pa.large_string())]
    rows = list(csv.reader(io.StringIO(text_of(columns).decode(), newline="")))
    assert rows == [[str(number), text] for number, text in enumerate(texts)]


def test_only_what_must_be_is_in_quotes():
    texts = pa.array(["plain", "a,b", 'q"', "", "l\nm", "|*"], pa.large_string())
    assert text_of([texts, np.arange(6)]) == b'plain,0\n"a,b",1\n"q""",2\n,3\n"l\nm",4\n|*,5\n'
    assert text_of([texts], b"|*|") == b'plain\na,b\n"q"""\n\n"l\nm"\n|*\n'
    assert text_of([pa.array(["a|*|b"], pa.large_string())], b"|*|") == b'"a|*|b"\n'


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_floats_have_all_their_digits(numbers):
    found = [float(line) for line in text_of([np.array(numbers)]).decode().splitlines()]
    assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(found, numbers, strict=True))


def test_numbers_are_written_as_arkouda_does():
    columns = [np.array([True, False]), np.array([2**64 - 1, 0], np.uint64), np.array([-(2**63), 5])]
    assert text_of(columns) == b"true,18446744073709551615,-9223372036854775808\nfalse,0,5\n"
    assert text_of([np.array([np.nan, np.inf, -np.inf])]) == b"nan\ninf\n-inf\n"


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_blocks_of_any_size_give_the_same(monkeypatch, rows):
    texts = pa.array([f"{k},\n" * (k % 3) for k in range(10)], pa.large_string())
    whole = text_of([texts, np.arange(10)])
    monkeypatch.setattr(tuning, "BLOCK_ROWS", rows)
    assert text_of([texts.slice(0), np.arange(10)]) == whole
    assert not text_of([texts.slice(0, 0)])
