"""Arguments of functions that read and write files, each at several values, give what they give in pandas.

Texts of a few lines hold what readers trip over; each argument meets each of them.  The list of ways has a letter for
each: l where the frame is lazy, m where it is in memory, and e where pandas refuses the text.
``python -m tests.pandas_face.file_texts`` writes it.
"""

from __future__ import annotations

import csv

import pandas
import pytest

import akdask.pandas
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas import lazy_csv, tuning, writing
from tests.pandas_face.calls import MADE, listed
from tests.pandas_face.compare import difference
from tests.pandas_face.file_texts import OPTIONS, TEXTS, letter_of

WAYS = listed("ways_of_reads.lst")


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    monkeypatch.setattr(tuning, "READ_BYTES", 0)
    monkeypatch.setattr(tuning, "WRITTEN_BYTES", 60)
    monkeypatch.setattr(writing, "ROWS_OF_GROUP", 2)
    monkeypatch.setattr(lazy_csv, "partition_size", lambda: 60)


@pytest.mark.parametrize("option", OPTIONS)
def test_arguments_of_read_csv_give_what_they_give_in_pandas(option, tmp_path):
    letters = ""
    for value in OPTIONS[option]:
        for name, text in TEXTS.items():
            path = tmp_path / f"{name}.csv"
            path.write_bytes(text.encode())
            letter, different = letter_of(path, value)
            assert different is None, (name, value, different)
            letters += letter
    assert letters == WAYS[option]


WRITTEN = [
    {}, {"sep": ";"}, {"na_rep": "-"}, {"float_format": "%.1f"}, {"columns": ["i", "x"]}, {"header": False},
    {"header": ["p", "q", "r"]}, {"index": False}, {"index_label": "row"}, {"index_label": False},
    {"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}, {"quotechar": "'", "quoting": csv.QUOTE_ALL},
    {"lineterminator": "\r\n"}, {"chunksize": 2}, {"chunksize": 1}, {"date_format": "%d.%m."}, {"decimal": ","},
    {"escapechar": "\\", "doublequote": False}, {"encoding": "latin-1"}, {"encoding": "utf-16"}, {"compression": None},
    {"compression": "gzip"}, {"mode": "a"}, {"mode": "x"}, {"errors": "replace", "encoding": "ascii"},
    {"columns": ["z"]}, {"sep": ";;"}, {"encoding": "z"}, {"float_format": "z"},
]  # fmt: skip
"""Arguments of `to_csv`."""


@pytest.mark.filterwarnings("ignore")
def test_arguments_of_to_csv_write_what_they_write_in_pandas(tmp_path):
    for made in ("some", "mixed", "numbers", "levels", "none", "x", "s"):
        kind = akdask.pandas.DataFrame if isinstance(MADE[made], pandas.DataFrame) else akdask.pandas.Series
        for number, options in enumerate(WRITTEN):
            found, wanted = (tmp_path / f"{made}{number}{name}.csv" for name in ("a", "b"))
            error = None
            try:
                MADE[made].to_csv(wanted, **options)
            except Exception as refused:
                error = refused
            own = kind._of(kind(MADE[made]).lazy(), None)
            if error is not None:
                with pytest.raises(type(error)):
                    own.to_csv(found, **options)
                continue
            own.to_csv(found, **options)
            if options.get("compression") == "gzip":
                assert pandas.read_csv(found, compression="gzip").equals(pandas.read_csv(wanted, compression="gzip"))
            else:
                assert found.read_bytes() == wanted.read_bytes(), (made, options)


def test_arguments_of_parquet_give_what_they_give_in_pandas(tmp_path):
    """Of what is written, and of what is read."""
    for made in ("some", "mixed", "numbers", "levels", "none", "keyed"):
        rows = MADE[made]
        wanted, found = tmp_path / f"{made}.b.parquet", tmp_path / f"{made}.a.parquet"
        for options in (
            {}, {"index": True}, {"index": False}, {"compression": None}, {"compression": "gzip"},
            {"engine": "pyarrow"}, {"row_group_size": 3}, {"compression": "z"}, {"engine": "z"},
        ):  # fmt: skip
            own = akdask.pandas.DataFrame._of(akdask.pandas.DataFrame(rows).lazy(), None)
            try:
                rows.to_parquet(wanted, **options)
            except Exception as error:
                with pytest.raises((type(error), AkdaskError)):
                    own.to_parquet(found, **options)
                continue
            own.to_parquet(found, **options)
            pandas.testing.assert_frame_equal(pandas.read_parquet(found), pandas.read_parquet(wanted))
        rows.to_parquet(wanted)
        for options in (
            {}, {"columns": ["i", "x"]}, {"columns": ["x", "i"]}, {"columns": []}, {"columns": ["z"]},
            {"filters": [("i", ">", 1)]}, {"filters": [[("i", "<", 1)], [("i", "==", 3)]]},
            {"filters": [("z", ">", 1)]}, {"dtype_backend": "pyarrow"},
            {"dtype_backend": "numpy_nullable"}, {"dtype_backend": "z"}, {"engine": "z"},
            {"engine": "pyarrow"}, {"filters": []}, {"columns": ["i"], "filters": [("x", ">", 0)]},
        ):  # fmt: skip
            try:
                expected = pandas.read_parquet(wanted, **options)
            except Exception as error:
                with pytest.raises((type(error), AkdaskError)):
                    akdask.pandas.read_parquet(wanted, **options).to_pandas()
                continue
            with config.set(pandas_fallback="silent"):
                assert difference(akdask.pandas.read_parquet(wanted, **options), expected) is None, (made, options)
