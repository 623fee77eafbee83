"""Objects that the files of a set have differently, or that one of them cannot read."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.cli import main
from akdask.errors import AkdaskError, ConversionError, FileFormatError, InconsistentFilesError


@pytest.fixture
def make(tmp_path):
    def build(*files):
        for index, objects in enumerate(files):
            with h5py.File(tmp_path / f"x_LOCALE{index:04d}", "w") as file:
                for name, values in objects.items():
                    file[name] = values
        return str(tmp_path / "x_LOCALE*")

    return build


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("one", "two"), [("i8", "f8"), ("f8", "i8"), ("u8", "f4"), ("?", "i8"), ("i8", "?")])
def test_numbers_of_another_class_are_left_out_and_an_error_by_name(make, tmp_path, one, two, strict):
    rest = {"k": np.arange(2)}
    pattern = make({"a": np.arange(2).astype(one), **rest}, {"a": np.arange(2).astype(two), **rest})
    with pytest.warns(RuntimeWarning, match="leaves out(.|\n)*'a'") as told:
        found = ak.read_hdf(pattern, strict_types=strict)
    assert len(told) == 1
    assert {name: rows.tolist() for name, rows in found.items()} == {"k": [0, 1, 0, 1]}
    with pytest.raises(InconsistentFilesError, match=r"'a'(.|\n)*LOCALE0001(.|\n)*Hint"):
        ak.read_hdf(pattern, "a", strict_types=strict)
    assert ak.ls(pattern) == ["a", "k"]
    for command in ("ls", "info"):
        with redirect_stdout(StringIO()) as told:
            assert main([command, str(tmp_path / "x")]) == 0
        assert "differ" in told.getvalue()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_object_that_a_file_lacks_is_left_out_whichever_it_is(make, number):
    files = [{"a": np.arange(2), "b": np.arange(2)} for _ in range(3)]
    del files[number]["b"]
    pattern = make(*files)
    with pytest.warns(RuntimeWarning, match="'b': has no object 'b'"):
        assert list(ak.read_hdf(pattern)) == ["a"]
    with pytest.raises(InconsistentFilesError, match=f"LOCALE000{number}: has no object 'b'"):
        ak.read_hdf(pattern, ["b"])


def test_numbers_are_widened_on_request(make):
    files = [
        np.arange(2),
        np.array([0.5, np.nan]),
        np.array([200], "u1"),
        np.array([7], ">i4"),
        np.array([2**60], "u8"),
    ]
    pattern = make(*({"a": numbers} for numbers in files))
    with pytest.raises(InconsistentFilesError, match="widen=True"):
        ak.read_hdf(pattern)
    expected = np.concatenate(files)
    for read in (ak.read_hdf, ak.read):
        found = read(pattern, widen=True)["a"]
        np.testing.assert_array_equal(found.to_ndarray(), expected)
        assert found[found == 2**60].tolist() == [2.0**60]
    frame = ak.DataFrame.load(pattern.removesuffix("_LOCALE*"), widen=True)
    np.testing.assert_array_equal(frame["a"].to_ndarray(), expected)


@pytest.mark.lazy_only
@pytest.mark.parametrize(
    ("one", "two", "value"),
    [("f8", "i8", 2**53 + 1), ("i8", "f8", None), ("f8", "u8", 2**64 - 1), ("i8", "u8", 2**63), ("u8", "i8", -1)],
)
def test_a_number_that_would_change_is_an_error_where_it_is_read(make, one, two, value):
    values = np.array([value if value is not None else 1, 2], two)
    first = np.array([5 if value is not None else 2**53 + 1], one)
    found = ak.read_hdf(make({"a": first}, {"a": values}), widen=True)["a"]
    if one == "u8":
        assert found.tolist() == [5, -1, 2]
        return
    for read in (lambda: found.sum().compute(), found.tolist):
        with pytest.raises(ConversionError, match=f"{value if value is not None else 2**53 + 1} of column 'a'"):
            read()


# one file that cannot be read


def write(path, kind):
    objects = {
        "pdarray": lambda: ak.arange(6),
        "Strings": lambda: ak.array(["a", "", "cc", "d", "e", "f"]),
        "Categorical": lambda: ak.Categorical(ak.array(["a", "b", "a", "c", "b", "a"])),
        "SegArray": lambda: ak.SegArray(ak.array([0, 1, 1, 3, 4, 5]), ak.arange(6)),
        "SegArray of Strings": lambda: ak.SegArray(ak.array([0, 1, 1, 3, 4, 5]), ak.array(list("abcdef"))),
        "bigint": lambda: ak.array([2**80, 1, 3, 4, 5, 2**70]),
        "Datetime": lambda: ak.Datetime(ak.arange(6)),
        "IPv4": lambda: ak.IPv4(ak.arange(6)),
        "Index": lambda: ak.Index(ak.arange(6)),
        "array of two dimensions": lambda: ak.arange(12).reshape((6, 2)),
    }
    ak.to_hdf({"x": objects[kind](), "rest": ak.arange(6)}, path, num_locales=3)


KINDS = ["pdarray", "Strings", "Categorical", "SegArray", "SegArray of Strings", "bigint", "Datetime", "IPv4", "Index"]
KINDS += ["array of two dimensions"]


def _any_dataset(node):
    return node if isinstance(node, h5py.Dataset) else _any_dataset(node[next(iter(node))])


def _without_attributes(file):
    for name in list(file["x"].attrs):
        del file["x"].attrs[name]


def _without_member(file):
    if isinstance(file["x"], h5py.Dataset):
        del file["x"]
    else:
        for name in list(file["x"])[:2]:
            del file["x"][name]


def _of_other_type(file):
    path = _any_dataset(file["x"]).name
    del file[path]
    file.create_dataset(path, data=["text"] * 2, dtype=h5py.string_dtype())


def _without_shape(file):
    for name in ("Shape", "Rank"):
        file["x"].attrs.pop(name, None)


def _unknown(file):
    file["x"].attrs["ObjType"] = 99


DAMAGES = [_without_attributes, _without_member, _of_other_type, _without_shape, _unknown, "truncated"]


@pytest.mark.sampled(one_of=5)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:.*left out:RuntimeWarning", "ignore:.*leaves out:RuntimeWarning")
def test_one_broken_file_is_an_error_or_left_out(tmp_path, kind, number, damage):
    write(tmp_path / "x.h5", kind)
    pattern = str(tmp_path / "x_LOCALE*.h5")
    whole = ak.read_hdf(pattern)["x"]
    rows = np.asarray(whole.to_ndarray(), dtype=object).reshape(-1).tolist()
    path = tmp_path / f"x_LOCALE{number:04d}.h5"
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        with h5py.File(path, "r+") as file:
            damage(file)
    with ak.config.set(manifest=False):
        try:
            strict = ak.read_hdf(pattern, "x")["x"].to_ndarray()
        except AkdaskError as error:
            assert path.name in str(error) or "x" in str(error)  # noqa: PT017 - either is right
        else:
            # What is broken was not needed: numbers need no attributes.
            assert len(strict)
        # Whatever it is, the rest of the files is read.
        try:
            tolerant = ak.read_hdf(pattern, allow_errors=True)
        except FileFormatError:
            assert kind == "Categorical"
            tolerant = ak.read_hdf(pattern, "rest", allow_errors=True)
        assert len(tolerant["rest"].to_ndarray()) in (2, 4, 6)
        if "x" in tolerant and len(tolerant["x"]) == 4 and kind != "Categorical":
            # Of a Categorical each file has some of the labels, too.
            found = np.asarray(tolerant["x"].to_ndarray(), dtype=object).reshape(-1).tolist()
            size = len(rows) // 3
            rest = rows[: number * size] + rows[(number + 1) * size :]
            # A first array that has lost what says its shape is one of one dimension, and decides what the others are.
            decides = number == 0 and damage is _without_attributes and len(found) == size
            assert str(found) == str(rows[:size] if decides else rest)
        if damage != "truncated":
            assert ak.read_hdf(pattern, "rest")["rest"].tolist() == list(range(6))


def test_the_first_array_of_several_dimensions_may_be_broken(tmp_path):
    write(tmp_path / "x.h5", "array of two dimensions")
    with h5py.File(tmp_path / "x_LOCALE0000.h5", "r+") as file:
        del file["x"].attrs["Shape"]
    pattern = str(tmp_path / "x_LOCALE*.h5")
    with ak.config.set(manifest=False):
        with pytest.raises(InconsistentFilesError, match=r"LOCALE0000.*has no shape"):
            ak.read_hdf(pattern, "x")
        with pytest.warns(RuntimeWarning, match="1 file is left out"):
            found = ak.read_hdf(pattern, "x", allow_errors=True)["x"]
        np.testing.assert_array_equal(found.to_ndarray(), np.arange(4, 12).reshape(4, 2))


def test_frames_name_what_they_leave_out(make):
    pattern = make({"a": np.arange(2), "b": np.arange(2)}, {"a": np.arange(2), "b": np.arange(2.0)})
    with pytest.warns(RuntimeWarning, match="'b' is float64, elsewhere int64"):
        frame = ak.DataFrame.load(pattern.removesuffix("_LOCALE*"))
    pd.testing.assert_frame_equal(frame.to_pandas(), pd.DataFrame({"a": [0, 1, 0, 1]}), check_index_type=False)
