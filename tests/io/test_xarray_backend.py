"""The engine that opens files for xarray."""

from __future__ import annotations

import io
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import akdask as ak

xarray = pytest.importorskip("xarray")


def engine() -> Any:
    """Return what xarray finds by the name ``akdask`` where this tree is installed."""
    with open(Path(__file__).parents[2] / "pyproject.toml", "rb") as file:
        told = tomllib.load(file)["project"]["entry-points"]["xarray.backends"]
    return EntryPoint("akdask", told["akdask"], "xarray.backends").load()


@pytest.mark.parametrize("chunks", [None, {}])
def test_xarray_opens_sets_by_an_engine(tmp_path, chunks):
    for number, rows in enumerate(([1, 2], [3, 4, 5])):
        with h5py.File(tmp_path / f"x_LOCALE{number:04}", "w") as file:
            file["a"] = np.array(rows)
            file["b"] = np.array(rows) * 0.5
    found = xarray.open_dataset(tmp_path / "x", engine=engine(), chunks=chunks)
    assert found["a"].values.tolist() == [1, 2, 3, 4, 5]
    assert found["b"].isel(index=[3, 0]).values.tolist() == [2.0, 0.5]
    assert (found["a"].chunks is None) == (chunks is None)
    for left_out in ("a", ["a"], ("a", "a")):
        found = xarray.open_dataset(tmp_path / "x_LOCALE0001", engine=engine(), drop_variables=left_out)
        assert list(found) == ["b"]
        assert found["b"].values.tolist() == [1.5, 2.0, 2.5]
    (tmp_path / "x.csv").write_text("a;b\n1;2\n3;4\n")
    found = xarray.open_dataset(tmp_path / "x.csv", engine=engine(), options={"usecols": ["b"]})
    assert {name: variable.values.tolist() for name, variable in found.items()} == {"b": [2, 4]}
    with pytest.raises(ak.errors.MissingColumnError, match="'c'"):
        xarray.open_dataset(tmp_path / "x", engine=engine(), drop_variables=["c"])
    with pytest.raises(ak.errors.ArgumentTypeError, match="BytesIO"):
        xarray.open_dataset(io.BytesIO(), engine=engine())


def test_an_engine_is_guessed_for_files_of_sets_alone():
    guess = engine()().guess_can_open
    assert [guess(name) for name in ("d/x_LOCALE0000", "x_LOCALE0012.parquet", Path("x_LOCALE0000.h5"))] == [True] * 3
    assert [guess(name) for name in ("x.nc", "x_LOCALE0000/a.nc", "x_LOCALE", io.BytesIO())] == [False] * 4
