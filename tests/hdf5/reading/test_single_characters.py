"""Text of single characters is read as positions in a dictionary, and gives what all text gives."""

import h5py
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import decoded, is_encoded
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.null_terminated import Characters, decode

TEXT = st.one_of(st.sampled_from([*"ABa~\x01"]), st.sampled_from(["", "ab", "é", "\x7f"]))


def _bytes(strings):
    return np.frombuffer(b"".join(text.encode() + b"\0" for text in strings), np.uint8)


@given(st.lists(st.lists(TEXT, max_size=6), max_size=4))
@example([["A"], ["é", ""], ["B", "A"]])
@example([[""], ["ab"]])
def test_blocks_of_single_characters_share_a_dictionary(blocks):
    characters = Characters()
    known = []
    for strings in blocks:
        values = _bytes(strings)
        if len(values) != 2 * len(strings) or not strings:
            continue
        found = characters.decode(values)
        assert (found is None) == any(len(text.encode()) != 1 for text in strings)
        if found is not None:
            known += [text for text in dict.fromkeys(strings) if text not in known]
            assert found.to_pylist() == strings
            assert found.dictionary.to_pylist() == known
            ends = np.cumsum([0, *(len(text) + 1 for text in strings)])
            assert decoded(found).equals(decode(values, ends))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("characters")


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
@given(
    st.lists(st.tuples(TEXT, st.sampled_from([*"xyz"]), st.integers(-2, 2)), min_size=1, max_size=9), st.integers(1, 3)
)
def test_rows_of_files_are_as_written(folder, rows, files):
    given_rows = pd.DataFrame(rows, columns=["s", "c", "v"])
    made = ak.DataFrame({name: ak.array(given_rows[name].to_numpy()) for name in given_rows})
    path = folder / "set"
    for old in folder.iterdir():
        old.unlink()
    made.to_hdf(str(path), num_locales=files)
    found = ak.DataFrame(ak.read_hdf(f"{path}*"))
    assert found.to_pandas()[["s", "c", "v"]].to_numpy().tolist() == given_rows.to_numpy().tolist()
    for name in "sc":
        keys, sums = ak.GroupBy(found[name]).sum(found["v"])
        wanted = given_rows.groupby(name)["v"].sum()
        assert dict(zip(keys.tolist(), sums.tolist(), strict=True)) == wanted.to_dict()
        few = found[ak.in1d(found[name], ak.array(["A", "x", "ab"]))]
        assert few["v"].tolist() == given_rows[given_rows[name].isin(["A", "x", "ab"])]["v"].tolist()
        assert found[found[name] == "x"][name].tolist() == ["x"] * (given_rows[name] == "x").sum()
        assert ak.argsort(found[name]).tolist() == np.argsort(given_rows[name].to_numpy(), kind="stable").tolist()
        assert found[name].get_lengths().tolist() == [len(text.encode()) for text in given_rows[name]]
    other = ak.DataFrame({"c": ak.array(["x", "z", "A"]), "w": ak.array([1, 2, 3])})
    joined = given_rows.merge(pd.DataFrame({"c": ["x", "z", "A"], "w": [1, 2, 3]}), on="c")
    rows_of = [frame[["s", "w"]].to_numpy().tolist() for frame in (found.merge(other, on="c").to_pandas(), joined)]
    assert sorted(rows_of[0]) == sorted(rows_of[1])


def test_text_that_is_no_single_character_is_read_as_text(folder):
    for old in folder.iterdir():
        old.unlink()
    columns = {"c": [*"abcab"], "s": ["ab", "", "c", "a", "b"], "t": ["abc", "x", "", "", "y"]}
    ak.DataFrame({name: ak.array(strings) for name, strings in columns.items()}).to_hdf(str(folder / "set"))
    (base,) = ak.DataFrame(ak.read_hdf(f"{folder}/set*"))["c"]._frame.bases
    with base.source.part(0, [*"cst"]).open() as reader:
        assert is_encoded(reader.read_text("c", 1, 4))
        assert not is_encoded(reader.read_text("s", 0, 3))
        assert reader.read_text("c", 2, 2).to_pylist() == []
        for name, strings in columns.items():
            # Bytes of some rows are where those of single characters would be, or are those of other rows.
            for start in range(5):
                assert reader.read_text(name, start, start + 1).to_pylist() == strings[start : start + 1]


def test_parts_of_a_file_have_their_own_characters(tmp_path):
    letters = [*"abcabdaeff"]
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["n"] = np.arange(len(letters))
        file["c/values"], file["c/segments"] = _bytes(letters), 2 * np.arange(len(letters))
    with ak.config.set(partition_size=24):
        source = open_set(str(tmp_path / "x.h5")).select(["n", "c"])["c"].members["values"].source
    lengths = source.lengths
    assert len(lengths) > 2
    first = 0
    for number, length in enumerate(lengths):
        with source.part(number, ["c"]).open() as reader:
            for start in range(length):
                found = reader.read_text("c", start, length)
                assert is_encoded(found)
                assert found.to_pylist() == letters[first + start : first + length]
        first += length
