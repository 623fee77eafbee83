"""Lines of the cheat sheets give the same values on both sides."""

from __future__ import annotations

import re
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import polars as pl
import pytest

import akdask as ak

PAGE = (Path(__file__).parents[1] / "docs" / "cheat_sheets.md").read_text(encoding="utf-8")
FLOWS = {"proto": ["tcp", "udp", "tcp", "tcp"], "port": [80, 53, 443, 80], "bytes": [10, 2, 30, 5]}
SERVICES = {"port": [53, 80], "service": ["dns", "http"]}


def lines_of(section):
    """Return what a line is for, the other library's way, and akdask's."""
    table = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| ([^|`]+) \| ([^|]+) \| `([^|]+)` \|$", table, re.MULTILINE)


def cases(section):
    return pytest.mark.parametrize(
        ("theirs", "ours"),
        [pytest.param(theirs.strip("`"), ours, id=about) for about, theirs, ours in lines_of(section)],
    )


def values(found):
    """Return the columns of a table by their names, or the values of an array, as plain Python."""
    if isinstance(found, pl.DataFrame | pl.Series):
        found = found.to_pandas()
    if isinstance(found, ak.DataFrame | ak.Series):
        found = found.to_pandas()
    if isinstance(found, pd.DataFrame):
        return {str(name): values(column) for name, column in found.items()}
    if isinstance(found, pd.DatetimeIndex):
        return found.to_numpy().astype("datetime64[ns]").tolist()
    found = np.asarray(found.to_ndarray() if isinstance(found, ak.Datetime) else found)
    return [None if item != item else item for item in found.ravel().tolist()]  # noqa: PLR0124 - NaN


def run(code, frame, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = {"ak": ak, "pd": pd, "pl": pl, "np": np, "dask": dask, "df": frame(FLOWS), "services": frame(SERVICES)}
    return eval(code, names)


@pytest.fixture
def folder(tmp_path):
    ak.DataFrame(FLOWS).to_parquet(str(tmp_path / "flows.parquet"))
    ak.DataFrame(FLOWS).to_hdf(str(tmp_path / "flows.h5"))
    return tmp_path


def test_there_are_sheets():
    assert all(len(lines_of(f"From {library}")) > 8 for library in ("pandas", "polars", "Arkouda"))


@cases("From pandas")
def test_lines_give_what_pandas_gives(theirs, ours, folder, monkeypatch):
    expected = run(theirs, pd.DataFrame, folder, monkeypatch)
    assert values(run(ours, ak.DataFrame, folder, monkeypatch)) == values(expected)


@cases("From polars")
def test_lines_give_what_polars_gives(theirs, ours, folder, monkeypatch):
    expected = run(theirs, pl.DataFrame, folder, monkeypatch)
    found = run(ours, ak.DataFrame, folder, monkeypatch)
    if ours.endswith("explain()"):
        assert "port" in str(expected)
        assert "port" in str(found)
    else:
        assert values(found) == values(expected)


ARKOUDA = {
    "begin": None,
    "hold in the server's memory": list(range(10)),
    "a number": 45,
    "several numbers in one pass": (45, 9),
    "groups": (["tcp", "udp"], [45, 2]),
    "save": None,
    "open": FLOWS,
    "end": None,
}
"""What the lines give."""


@pytest.mark.parametrize(
    ("about", "ours"), [(about, ours) for about, _, ours in lines_of("From Arkouda") if "local" not in ours]
)
def test_lines_of_arkouda_give_what_they_are_for(about, ours, folder, monkeypatch):
    found = run(ours, ak.DataFrame, folder, monkeypatch)
    if isinstance(found, ak.DataFrame):
        found = values(found)
    elif isinstance(found, ak.pdarray):
        found = found.tolist()
    elif about == "groups":
        found = tuple(item.tolist() for item in found)
    assert found == ARKOUDA[about]
    if about == "save":
        assert values(ak.DataFrame(ak.read_hdf(str(folder / "saved_LOCALE*")))[["proto", "port", "bytes"]]) == FLOWS
