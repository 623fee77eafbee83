"""Sets of files as users mix them: tags, old names of functions, legacy families, foreign shapes."""

import warnings

import h5py
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask import io
from akdask.errors import ArgumentError, FileError, InconsistentFilesError, MissingDatasetError, MissingFileError
from akdask.storage.ranges import _LocalReader


def write(path, **datasets):
    """Write plain datasets, without attributes, and texts as groups."""
    with h5py.File(path, "w") as file:
        for name, values in datasets.items():
            if isinstance(values, list):
                texts = [text.encode() + b"\0" for text in values]
                file[f"{name}/values"] = np.frombuffer(b"".join(texts), np.uint8)
                file[f"{name}/segments"] = np.cumsum([0, *map(len, texts)])[:-1].astype(np.int64)
            else:
                file[name] = values


SHARES = [[1, 2], [], [3], [], [4, 5, 6]]


@pytest.fixture
def tagged(tmp_path):
    for number, share in enumerate(SHARES):
        write(tmp_path / f"x_LOCALE{number:04d}", a=np.array(share, np.int64), s=[str(item) for item in share])
    return tmp_path


def test_rows_are_tagged_with_their_files(tagged):
    files = sorted(map(str, tagged.iterdir()))
    codes = [number for number, share in enumerate(SHARES) for _ in share]
    found = io.read_hdf(files, tag_data=True)
    assert list(found) == ["a", "s", "Filename_Codes"]
    assert found["Filename_Codes"].tolist() == codes
    data, names = io.read_tagged_data(str(tagged / "x_LOCALE*"), ["a"])
    assert names.tolist() == files
    assert names.categories.tolist()[:-1] == files
    names = names[found["Filename_Codes"]]
    assert names.tolist() == [files[code] for code in codes]
    df = ak.DataFrame({**found, "name": names})
    assert df[df["Filename_Codes"] == 4]["a"].tolist() == [4, 5, 6]
    assert data["a"][names == files[2]].tolist() == [3]


def test_files_split_into_partitions_keep_their_tags(tmp_path):
    for number, count in enumerate([300, 0, 500]):
        write(tmp_path / f"x{number}", a=np.arange(count))
    with ak.config.set(partition_size=800):
        found = io.read_hdf(str(tmp_path / "x*"), tag_data=True)
    assert found["Filename_Codes"].npartitions > 3
    assert found["Filename_Codes"].tolist() == [0] * 300 + [2] * 500


def test_order_of_given_files_is_the_order_of_tags(tagged):
    files = [str(tagged / "x_LOCALE0004"), str(tagged / "x_LOCALE0000")]
    data, names = io.read_tagged_data(files)
    assert data["a"].tolist() == [4, 5, 6, 1, 2]
    assert names.tolist() == files
    assert data["Filename_Codes"].tolist() == [0] * 3 + [1] * 2


def test_files_left_out_have_no_tag(tagged):
    (tagged / "x_LOCALE0002").write_bytes(b"damaged")
    files = sorted(map(str, tagged.iterdir()))
    with pytest.warns(RuntimeWarning, match="1 file is left out"):
        found = io.read_hdf(files, ["a"], allow_errors=True, tag_data=True)
    assert found["Filename_Codes"].tolist() == [0, 0, 3, 3, 3]


def test_what_cannot_be_tagged_is_refused(tmp_path):
    write(tmp_path / "x", a=np.arange(3), b=np.arange(2))
    with pytest.raises(InconsistentFilesError, match="'b' has other numbers of rows than 'a'"):
        io.read_hdf(tmp_path / "x", tag_data=True)
    with pytest.raises(FileError, match="one by one"):
        io.read_hdf(tmp_path / "x", iterative=True, tag_data=True)


def test_old_names_write_too(prefix, tmp_path):
    a = ak.arange(4)
    io.save_all({"a": a}, prefix)
    assert io.load_all(prefix)["a"].tolist() == [0, 1, 2, 3]
    a.save(tmp_path / "y", "b")
    assert io.load(tmp_path / "y", dataset="b")["b"].tolist() == [0, 1, 2, 3]
    ak.DataFrame({"x": a}).save(tmp_path / "z")
    pd.testing.assert_frame_equal(ak.DataFrame.load(tmp_path / "z").to_pandas(), pd.DataFrame({"x": range(4)}))
    io.save_all({"a": a}, tmp_path / "p", file_format="Parquet")
    assert pq.read_table(tmp_path / "p_LOCALE0000").to_pydict() == {"a": [0, 1, 2, 3]}
    words = ak.array(["x", "y"])
    words.save(
        tmp_path / "w", dataset="s", save_offsets=False, compression=None, file_format="HDF5", file_type="single"
    )
    assert io.read_hdf(tmp_path / "w", calc_string_offsets=True)["s"].tolist() == ["x", "y"]
    words[::-1].update_hdf(tmp_path / "w", "s", save_offsets=True, repack=False)
    assert io.read_hdf(tmp_path / "w")["s"].tolist() == ["y", "x"]
    for array in (a, words):
        array.save(tmp_path / f"{array.dtype}.parquet", file_format="Parquet")
        (column,) = pq.read_table(tmp_path / f"{array.dtype}_LOCALE0000.parquet").columns
        assert column.to_pylist() == array.tolist()


def test_errors_are_those_of_arkouda(tmp_path, prefix):
    ak.arange(3).to_hdf(prefix)
    for kind in (RuntimeError, ValueError, FileNotFoundError):
        with pytest.raises(kind):
            io.load(tmp_path / "nothing.h5")
    with pytest.raises(ValueError, match="no dataset 'b'"):
        io.read_hdf(f"{prefix}_LOCALE*", ["b"])
    with pytest.raises(RuntimeError):
        ak.arange(3).to_hdf(prefix, mode="append")
    with pytest.raises(RuntimeError):
        io.to_hdf({}, prefix)
    assert issubclass(MissingFileError, FileError)
    assert issubclass(MissingDatasetError, KeyError)


# Categoricals of before v2023.05.05: several root objects.


def write_family(folder, shares, categories, **extra):
    for number, codes in enumerate(shares):
        parts = {"c.codes": np.array(codes, np.int64), "c.categories": categories[number]}
        write(folder / f"x_LOCALE{number:04d}", **parts, **{name: values[number] for name, values in extra.items()})
    return sorted(map(str, folder.iterdir()))


def test_a_categorical_in_several_objects_is_one(tmp_path):
    nas = [np.array([2]), np.array([], np.int64)]
    files = write_family(
        tmp_path, [[0, 2], [1]], [["a", "b"], ["none"]], **{"c._akNAcode": nas, "x": [np.arange(2), np.arange(1)]}
    )
    found = io.read_hdf(files)
    assert list(found) == ["c", "x"]
    assert found["c"].tolist() == ["a", "none", "b"]
    assert found["c"].isna().tolist() == [False, True, False]
    assert list(io.read_hdf(files, "c")) == ["c"]
    assert io.read_hdf(files, "c.codes")["c.codes"].tolist() == [0, 2, 1]
    assert io.get_datasets(files) == ["c._akNAcode", "c.categories", "c.codes", "x"]


def test_missing_elements_without_a_code_of_their_own_are_negative(tmp_path):
    files = write_family(tmp_path, [[0, -1], [1]], [["a"], ["b"]])
    found = io.read_hdf(files)["c"]
    assert found.tolist() == ["a", "N/A", "b"]
    assert found.isna().tolist() == [False, True, False]
    assert found.categories.tolist() == ["a", "b", "N/A"]


@pytest.mark.parametrize(
    "parts",
    [
        {"c.codes": np.arange(2)},
        {"c.codes": np.arange(2.0), "c.categories": ["a", "b"]},
        {"c.codes": np.arange(2), "c.categories": np.arange(2)},
        {"c.codes": np.arange(2), "c.categories": ["a", "b"], "c": np.arange(2)},
        {".codes": np.arange(2), ".categories": ["a", "b"]},
    ],
    ids=["no categories", "float codes", "categories no text", "name taken", "no name"],
)
def test_columns_that_only_look_like_a_family_stay_as_they_are(tmp_path, parts):
    write(tmp_path / "x", **parts)
    assert set(io.read_hdf(tmp_path / "x")) == set(parts)


# SegArrays of before v2023.04.07: two root objects, whose segments count from the first value of the set.


def write_lists(folder, shares, values, names=("l_segments", "l_values")):
    for number, (segments, share) in enumerate(zip(shares, values, strict=True)):
        parts = dict(zip(names, (np.asarray(segments, np.int64), np.asarray(share)), strict=True))
        write(folder / f"x_LOCALE{number:04d}", **parts)
    return sorted(map(str, folder.iterdir()))


def bytes_read(monkeypatch, call):
    """Return what a call gives, and how many bytes of data it reads."""
    read = []
    read_into = _LocalReader.read_into

    def counted(self, out, offset, dataset):
        read.append(out.nbytes)
        read_into(self, out, offset, dataset)

    monkeypatch.setattr(_LocalReader, "read_into", counted)
    found = call()
    monkeypatch.undo()
    return found, sum(read)


@pytest.mark.lazy_only
def test_a_segarray_in_two_objects_is_one_and_opening_reads_a_sample_of_it(tmp_path, monkeypatch):
    ends = np.arange(0, 400_000, 2)
    shares, values = np.split(ends, [70_000, 150_000]), np.split(np.arange(400_000) * 3, [250_000, 250_001])
    files = write_lists(tmp_path, shares, values)
    found, nbytes = bytes_read(monkeypatch, lambda: io.read_hdf(files)["l"])
    assert nbytes <= 2**16
    assert type(found) is ak.SegArray
    assert (len(found), found.npartitions, str(found.dtype)) == (200_000, 3, "int64")
    chosen = np.array([0, 69_999, 70_000, 199_999])
    expected = np.stack([6 * chosen, 6 * chosen + 3], axis=1)
    np.testing.assert_array_equal(found[ak.array(chosen)].values.to_ndarray(), expected.ravel())
    assert int(found.sum().sum()) == 3 * 399_999 * 200_000
    assert list(io.read_hdf(files, "l_segments")) == ["l_segments"]


@pytest.mark.parametrize(
    "shares",
    [[[1, 2], [3, 4]], [[0, 3], [2, 4]], [[0, 2], [3, 9]], [[0, 5000], [3, 4]]],
    ids=["not from 0", "falling", "past the end", "past what follows"],
)
def test_columns_that_only_end_as_segments_and_values_stay_as_they_are(tmp_path, shares):
    files = write_lists(tmp_path, shares, [np.arange(4), np.arange(2)])
    assert {name: column.tolist() for name, column in io.read_hdf(files).items()} == {
        "l_segments": [*shares[0], *shares[1]],
        "l_values": [0, 1, 2, 3, 0, 1],
    }


@pytest.mark.lazy_only
def test_segments_that_fall_where_no_sample_is_taken_are_told_when_they_are_used(tmp_path):
    segments = np.arange(20_000)
    segments[10_000] = 3
    files = write_lists(tmp_path, [segments], [np.arange(20_000)])
    found = io.read_hdf(files)["l"]
    with pytest.raises(ArgumentError, match="segments do not fit"):
        found.tolist()


def test_all_objects_are_written_whatever_their_names_and_lengths(prefix):
    taken = {
        "with space": ak.arange(5),
        'quo"te': ak.array(["a", "b"]),
        "dot.s": ak.Categorical(ak.array(["x", "y", "x"])),
        "com,ma": ak.Index(ak.array([1.5, 2.5])),
        "größe": ak.DataFrame({"ä b": ak.arange(2), 'x"y': ak.array(["u", "v"]), "p.q,r": ak.arange(2) > 0}),
    }
    for file_type in ("distribute", "single"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            io.to_hdf(taken, f"{prefix}{file_type}", file_type=file_type)
        found = io.load_all(f"{prefix}{file_type}")
        assert list(found) == list(taken)
        assert found["größe"].columns == ["ä b", 'x"y', "p.q,r"]
        pd.testing.assert_frame_equal(found["größe"].to_pandas(), taken["größe"].to_pandas())
        for name in list(taken)[:4]:
            assert found[name].tolist() == taken[name].tolist()


def test_adding_to_a_set_of_another_number_of_files_says_what_to_do(tmp_path):
    ak.arange(10).to_hdf(tmp_path / "x", "a", num_locales=3)
    ak.arange(7).to_hdf(tmp_path / "y", "b", num_locales=2)
    two = ak.read_hdf(tmp_path / "y_LOCALE*")["b"]
    with pytest.raises(InconsistentFilesError, match=r"has 3 files.*2 partitions(.|\n)*num_locales=3"):
        two.to_hdf(tmp_path / "x", "b", mode="append")
    assert ak.get_datasets(tmp_path / "x_LOCALE*") == ["a"]
    two.to_hdf(tmp_path / "x", "b", mode="append", num_locales=3)
    ak.arange(5).to_hdf(tmp_path / "x", "c", mode="append")
    found = ak.read_hdf(tmp_path / "x_LOCALE*")
    assert {name: array.tolist() for name, array in found.items()} == {
        "a": list(range(10)),
        "b": list(range(7)),
        "c": list(range(5)),
    }


@pytest.mark.parametrize(("file_type", "kept"), [("single", False), ("SINGLE", False), ("distribute", True)])
def test_offsets_of_strings_are_left_out_of_single_files_only(tmp_path, file_type, kept):
    texts = ["one", "", "zwölf"]
    ak.array(texts).to_hdf(tmp_path / "x", "s", save_offsets=False, file_type=file_type)
    path = tmp_path / ("x_LOCALE0000" if file_type == "distribute" else "x")
    with h5py.File(path) as file:
        assert set(file["s"]) == {"values", "s_values"} | ({"segments", "s_segments"} if kept else set())
        assert file["s/values"][()].tobytes() == "one\0\0zwölf\0".encode()
    assert ak.read_hdf(path)["s"].tolist() == texts


def test_a_set_that_is_scanned_again_is_another_frame_of_the_same_rows(tmp_path):
    path = str(tmp_path / "x.h5")
    ak.DataFrame({"n": [3, 1], "t": ["a", "b"]}).to_hdf(path)
    first = ak.scan(path)
    first["n"] = first["n"] * 2
    first["m"] = 0
    first["t"][0] = "z"
    assert ak.scan(path).to_pandas().to_dict("list") == {"n": [3, 1], "t": ["a", "b"]}
    assert list(ak.scan(path, datasets="t").columns) == ["t"]
    for file in tmp_path.iterdir():
        file.unlink()
    ak.DataFrame({"n": [5, 6, 7], "t": ["c", "d", "e"]}).to_hdf(path)
    assert ak.scan(path).to_pandas().to_dict("list") == {"n": [5, 6, 7], "t": ["c", "d", "e"]}


def test_what_a_frame_leaves_out_is_told_each_time(tmp_path):
    write(tmp_path / "x_LOCALE0000", a=np.arange(3), b=np.arange(3), odd=np.arange(2))
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="leaves out:\n'odd': 2 rows"):
            assert list(ak.scan(str(tmp_path / "x*")).columns) == ["a", "b"]
