"""Remote CSV files are read about once, beside what pandas reads of the same text."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.formats import tuning as formats_tuning
from akdask.formats.csv.text_file import BEGINNINGS, CachingReader
from akdask.storage import tuning
from akdask.storage.files import identify
from tests.storage.stores import FaultyFileSystem

TEXT = "n,f,s\n" + "".join(f"{k},{k / 8},text {k % 13}\n" for k in range(30_000))
URL = "faulty://bucket/x.csv"


@pytest.fixture(autouse=True)
def store():
    FaultyFileSystem.reset()
    BEGINNINGS.clear()
    yield
    FaultyFileSystem.reset()
    BEGINNINGS.clear()


def put(text):
    FaultyFileSystem().pipe_file(URL, text.encode())
    FaultyFileSystem.ranges.clear()


def asked():
    return sum(end - start for _, start, end in FaultyFileSystem.ranges)


def check(text):
    expected = pd.read_csv(io.StringIO(text))
    pd.testing.assert_frame_equal(ak.DataFrame(ak.read_csv(URL)).to_pandas(), expected)


def test_a_small_remote_file_is_read_once():
    put(TEXT)
    check(TEXT)
    assert asked() == len(TEXT)
    check(TEXT)
    assert asked() == len(TEXT)  # nor again, while it is as it was


@pytest.mark.lazy_only
def test_a_large_one_is_read_twice_but_its_beginning_once():
    put(TEXT)
    with ak.config.set(read_ahead=2**20):
        check(TEXT)
        assert len(TEXT) > 2**20 // 16
    # The head and the types by the beginning and a sample, the ends of rows and the rows by all of it.
    assert asked() <= 3 * len(TEXT)
    assert sum(start == 0 for _, start, _ in FaultyFileSystem.ranges) == 1


def test_nothing_is_kept_where_nothing_may_be_read_ahead():
    put(TEXT)
    with ak.config.set(read_ahead=0):
        check(TEXT)
        assert not len(BEGINNINGS)


def test_a_file_that_was_replaced_is_read_anew():
    put(TEXT)
    check(TEXT)
    other = TEXT.replace("text", "word") + "1,2,new\n"
    put(other)
    check(other)


def test_what_is_kept_stays_within_a_part_of_the_setting():
    with ak.config.set(read_ahead=12 * 2**20):
        for number in range(4):
            url = f"faulty://bucket/many{number}.csv"
            FaultyFileSystem().pipe_file(url, TEXT.encode())
            ak.read_csv(url)
        assert BEGINNINGS.nbytes <= 3 * 2**20


CONTENT = np.random.default_rng(1).integers(0, 256, 3000).astype(np.uint8)
spans = st.tuples(st.integers(0, 3000), st.integers(0, 3000)).map(lambda ends: tuple(sorted(ends)))


@given(st.lists(st.lists(spans, max_size=5), max_size=4), st.sampled_from([0, 3000, 2**16]), st.booleans())
def test_reads_are_the_bytes_whatever_was_read_before(visits, room, ahead):
    FaultyFileSystem.reset()
    BEGINNINGS.clear()
    FaultyFileSystem().pipe_file(URL, CONTENT.tobytes())
    file = identify(URL)
    with ak.config.set(read_ahead=room), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "REQUEST", 256)
        patch.setattr(formats_tuning, "FIRST_BYTES", 500)
        for reads in visits:
            with CachingReader(file) as reader:
                if ahead:
                    reader.expect([[span for span in sorted(reads) if span[0] < span[1]]])
                for start, stop in reads:
                    out = np.zeros(stop - start, np.uint8)
                    reader.read_into(out, start, "CSV")
                    assert out.tobytes() == CONTENT[start:stop].tobytes()
            known = BEGINNINGS.get(file)
            assert known is None or known.tobytes() == CONTENT[: len(known)].tobytes()
