from __future__ import annotations

from contextlib import ExitStack, contextmanager

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import decoded, is_encoded, to_objects
from akdask.errors import FileFormatError
from akdask.formats.parquet import chunks
from akdask.formats.parquet.file_set import open_set
from akdask.formats.parquet.text_pages import TextPageReader
from akdask.operators.group.strategies import Dictionary
from akdask.storage.objects import VALUES
from akdask.storage.source import ConsecutiveParts
from tests.parquet.conftest import read_set

TEXT = st.sampled_from(["", "a", "b", "ñ", "a long string of many letters", "a\0b"]) | st.text("xyz", max_size=5)
STORED = [pa.string(), pa.large_string(), pa.binary(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]


@pytest.fixture(autouse=True, scope="module")
def _small_batches():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chunks.tuning, "PARQUET_BATCH_ROWS", 16)
        yield


@contextmanager
def readers_of(path):
    """Yield the readers of the partitions of a column."""
    source = open_set(path).objects(["k"])["k"].members[VALUES].source
    with ExitStack() as stack:
        yield [stack.enter_context(source.part(index, ["k"]).open()) for index in range(len(source.lengths))]


@st.composite
def tables(draw):
    """Draw a table of text, of few different strings or many, with nulls or without, and of numbers."""
    item = TEXT | st.none() if draw(st.booleans()) else TEXT
    few = st.lists(item, min_size=1, max_size=4).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=120))
    rows = draw(few | st.lists(item, max_size=60))
    return pa.table({"k": pa.array(rows, pa.string()), "v": np.arange(len(rows), dtype=np.float64)})


@st.composite
def writings(draw):
    """Draw a way to write a table: dictionaries that are given up, row groups, small pages, whoever writes."""
    writer = draw(st.sampled_from(["pyarrow", "pyarrow", "polars", "duckdb"]))
    group_size = draw(st.sampled_from([20, 2**20]))
    stored = draw(st.sampled_from(STORED))
    options = {
        "dictionary_pagesize_limit": draw(st.sampled_from([8, 2**20])),
        "data_page_size": draw(st.sampled_from([16, 2**20])),
        "data_page_version": draw(st.sampled_from(["1.0", "2.0"])),
        "compression": draw(st.sampled_from(["none", "snappy", "zstd"])),
        "write_batch_size": draw(st.sampled_from([3, 1024])),
    }

    def write(table, path):
        if writer == "polars":
            pl.from_arrow(table).write_parquet(path, row_group_size=group_size)
        elif writer == "duckdb":
            duckdb.from_arrow(table).write_parquet(path)
        else:
            text = table["k"].dictionary_encode() if pa.types.is_dictionary(stored) else table["k"]
            table = table.set_column(0, "k", text.cast(stored))
            pq.write_table(table, path, row_group_size=group_size, **options)

    return write


@given(tables(), writings(), st.sampled_from([None, 7, 16, 33]), st.data())
def test_text_is_read_as_it_was_written_as_strings_and_as_positions(tmp_path_factory, table, write, step, data):
    path = str(tmp_path_factory.mktemp("text") / "x.parquet")
    write(table, path)
    expected = table["k"].to_pylist()
    assert read_set(path, ["k"], step)["k"] == expected
    with readers_of(path) as (reader,):
        nrows = len(expected)
        starts = range(0, nrows, step or max(nrows, 1))
        found = [reader.read_text("k", start, min(start + (step or nrows), nrows)) for start in starts]
        assert [text for rows in found for text in to_objects(decoded(rows))] == expected
        # Rows that lie before others can be read again.
        assert to_objects(decoded(reader.read_text("k", 0, min(nrows, 3)))) == expected[:3]
        some = sorted(data.draw(st.sets(st.integers(0, nrows - 1), min_size=1))) if nrows else []
        if some:
            rows = np.array(some)
            assert to_objects(decoded(reader.read_rows("k", rows))) == [expected[row] for row in some]


@given(
    st.lists(st.tuples(tables(), writings()), min_size=1, max_size=2),
    st.sampled_from(["all", "some", "key"]),
    st.booleans(),
)
def test_groups_by_positions_are_those_that_pandas_finds(tmp_path_factory, written, kept, dropna):
    folder = tmp_path_factory.mktemp("groups")
    for number, (table, write) in enumerate(written):
        write(table, str(folder / f"x_{number}.parquet"))
    rows = ak.DataFrame(ak.read_parquet(str(folder / "x_*.parquet")))
    expected = pd.concat([table.to_pandas() for table, _ in written], ignore_index=True)
    if kept == "some":
        rows, expected = rows[rows["v"] > 5], expected[expected["v"] > 5]
    elif kept == "key":
        rows, expected = rows[rows["k"] == "a"], expected[expected["k"] == "a"]
    groups = ak.GroupBy(rows["k"], dropna=dropna)
    keys, sums = groups.sum(rows["v"])
    _, firsts = groups.first(rows["k"])
    wanted = expected.groupby("k", dropna=dropna)["v"].sum()
    found = dict(zip(map(_text, keys.to_list()), sums.to_list(), strict=True))
    if isinstance(rows["k"], ak.Categorical) and dropna:
        # Labels of missing rows are labels like others.
        found.pop(None, None)
    assert found == {_text(key): value for key, value in wanted.items()}
    assert list(map(_text, firsts.to_list())) == list(map(_text, keys.to_list()))


def _text(value):
    """Return a label; Categoricals, as which dictionaries of Arrow are read, name missing rows."""
    return None if pd.isna(value) or value == "N/A" else value


@pytest.mark.lazy_only
@pytest.mark.parametrize("item", ["b", None])
@pytest.mark.parametrize("kept", [0, 20])
def test_the_strings_of_a_dictionary_are_grouped_and_not_those_of_rows(tmp_path, monkeypatch, item, kept):
    pq.write_table(pa.table({"k": ["a", item, "c"] * 16, "v": np.arange(48)}), tmp_path / "x.parquet")
    rows = ak.DataFrame(ak.read_parquet(str(tmp_path / "x.parquet")))
    rows, seen, codes = rows[rows["v"] >= kept], [], Dictionary.codes
    monkeypatch.setattr(Dictionary, "codes", lambda self, text: seen.append(type(text)) or codes(self, text))
    keys, sums = ak.GroupBy(rows["k"]).sum(rows["v"])
    expected = pd.DataFrame({"k": ["a", item, "c"] * 16, "v": range(48)}).query("v >= @kept").groupby("k")["v"].sum()
    assert dict(zip(keys.to_list(), sums.to_list(), strict=True)) == expected.to_dict()
    assert seen[0] is pa.DictionaryArray


@given(st.lists(tables(), min_size=1, max_size=4), st.data())
def test_small_files_that_are_read_as_one_give_the_text_of_each(tmp_path_factory, written, data):
    folder = tmp_path_factory.mktemp("small")
    for number, table in enumerate(written):
        pq.write_table(table, folder / f"x_{number}.parquet")
    expected = [text for table in written for text in table["k"].to_pylist()]
    source = open_set(str(folder / "x_*.parquet")).objects(["k"])["k"].members[VALUES].source
    start = data.draw(st.integers(0, len(expected)))
    stop = data.draw(st.integers(start, len(expected)))
    with ConsecutiveParts([source.part(index, ["k"]) for index in range(len(source.lengths))]).open() as reader:
        if start < stop:
            assert to_objects(decoded(reader.read_text("k", start, stop))) == expected[start:stop]
            assert to_objects(reader.read("k", start, stop)) == expected[start:stop]


def test_small_files_that_are_read_as_one_keep_positions(tmp_path):
    for number, text in enumerate((["a", "b"], ["c", "b"])):
        pq.write_table(pa.table({"k": text * 16}), tmp_path / f"x_{number}.parquet")
    with readers_of(str(tmp_path / "x_*.parquet")) as readers:
        assert all(is_encoded(reader.read_text("k", 0, 32)) for reader in readers)
    source = open_set(str(tmp_path / "x_*.parquet")).objects(["k"])["k"].members[VALUES].source
    with ConsecutiveParts([source.part(index, ["k"]) for index in range(2)]).open() as reader:
        found = reader.read_text("k", 1, 64)
    assert found.dictionary.to_pylist() == ["a", "b", "c"]
    assert found.to_pylist() == (["a", "b"] * 16 + ["c", "b"] * 16)[1:]


def test_strings_are_read_where_a_dictionary_has_about_as_many(tmp_path):
    few, many = ["a", "b"] * 32, [f"text {row}" for row in range(64)]
    pq.write_table(pa.table({"k": few + many}), tmp_path / "x.parquet", row_group_size=64)
    with readers_of(str(tmp_path / "x.parquet")) as (reader,):
        assert [is_encoded(reader.read_text("k", start, start + 64)) for start in (0, 64)] == [True, False]


@pytest.mark.parametrize("way", ["read", "read_text"])
def test_positions_outside_of_the_dictionary_are_damage(tmp_path, way):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"k": ["a", "b", "c"] * 16}), path, compression="none")
    # Three positions of two bits each, and a fourth, again and again.
    packed = b"\x24\x49\x92" * 4
    data = path.read_bytes()
    assert data.count(packed) == 1
    path.write_bytes(data.replace(packed, b"\xff" * len(packed)))
    with readers_of(str(path)) as (reader,), pytest.raises(FileFormatError, match="name no value"):
        getattr(reader, way)("k", 0, 48)


TEXTS_OF_BYTES = st.lists(st.text(max_size=20), min_size=1, max_size=30)


@given(TEXTS_OF_BYTES, st.binary(min_size=1, max_size=6), st.booleans(), st.data())
def test_bytes_are_text_where_python_decodes_them(tmp_path_factory, texts, odd, use_dictionary, data):
    rows = [text.encode() for text in texts]
    place = data.draw(st.integers(0, len(rows) - 1))
    at = data.draw(st.integers(0, len(rows[place])))
    rows[place] = rows[place][:at] + odd + rows[place][at:]
    path = str(tmp_path_factory.mktemp("bytes") / "x.parquet")
    pq.write_table(pa.table({"k": pa.array(rows, pa.binary())}), path, use_dictionary=use_dictionary)
    first = chunks.tuning.PARQUET_BATCH_ROWS
    with readers_of(path) as (reader,):
        if not _decodes(rows[:first]):
            assert to_objects(reader.read("k", 0, len(rows))) == [row.hex() for row in rows]
        elif _decodes(rows):
            assert to_objects(reader.read("k", 0, len(rows))) == [row.decode() for row in rows]
        else:
            with pytest.raises(FileFormatError, match="not UTF-8"):
                reader.read("k", 0, len(rows))


def _decodes(rows):
    try:
        return [row.decode() for row in rows]
    except UnicodeDecodeError:
        return None


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_dictionaries_that_are_given_up_in_the_middle_need_no_general_reader(tmp_path, version, compression):
    rows = [f"text {row % 7}" for row in range(3000)] + [None if row % 5 == 0 else f"text {row}" for row in range(3000)]
    pq.write_table(
        pa.table({"k": rows}),
        tmp_path / "x.parquet",
        compression=compression,
        data_page_version=version,
        dictionary_pagesize_limit=2000,
        data_page_size=1000,
        write_batch_size=100,
    )
    with readers_of(str(tmp_path / "x.parquet")) as (reader,):
        assert is_encoded(reader.read_text("k", 0, 1000))
        assert not is_encoded(reader.read_text("k", 3500, 6000))
        assert to_objects(reader.read("k", 0, 6000)) == rows
        some = np.array([5, 2999, 3000, 4321, 5999])
        assert to_objects(decoded(reader.read_rows("k", some))) == [rows[row] for row in some]
        assert all(isinstance(chunk, TextPageReader) for _, chunk in reader._chunks.values())


def test_plain_text_that_is_cut_short_is_damage(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"k": ["abc", "de"]}), path, compression="none", use_dictionary=False)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\x02\0\0\0de", b"\x03\0\0\0de"))
    with readers_of(str(path)) as (reader,), pytest.raises(FileFormatError, match="fewer bytes than its rows"):
        reader.read("k", 0, 2)


@given(tables(), writings(), st.integers(1, 3), st.booleans())
def test_extremes_of_text_are_found_among_the_strings_of_dictionaries(tmp_path_factory, table, write, apart, in_blocks):
    path = str(tmp_path_factory.mktemp("extremes") / "x.parquet")
    write(table, path)
    rows = table["k"].to_pylist()[::apart]
    with ak.config.set(block_size=2**8 if in_blocks else 2**20):
        text = ak.read_parquet(path, ["k"])["k"]
        kept = text[ak.arange(text.size) % apart == 0] if apart > 1 else text
        if not rows or None in rows or not isinstance(text, ak.Strings):
            return
        assert str(kept.min()) == min(rows)
        assert str(kept.max()) == max(rows)
        assert [int(kept.argmin()), int(kept.argmax())] == [rows.index(min(rows)), rows.index(max(rows))]
