"""Generated files of odd cells and rows, read as pandas reads them."""

from __future__ import annotations

import random

import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError

FLOATS = (
    "1.5",
    "-2.25",
    "1e5",
    ".5",
    "5.",
    "inf",
    "-Infinity",
    "1e400",
    "12345678901234567890.5",
    "0.1234567890123456789",
)
CELLS = (
    ("1", "-2", "+3", " 4", "5 ", "0006", "9007199254740992"),
    ("18446744073709551615", "0", "9223372036854775808"),
    ("18446744073709551616", "-5", "1" * 40),
    FLOATS,
    ("", "NA", "null", "-nan", "<NA>", '"NA"', '""'),
    ("True", "false", "TRUE", "tRue"),
    ("0x1F", "1_0", "1e", ".", "-", "--1", "1 2", "1e+", "5d1", "NAN", "yes"),
    ('"a,b"', '"a\nb"', '"a""b"', 'a"b', '"x"y', '"5"', " ", "é🙂", "x" * 70),
)
NAMES = ("a", "b", "c", "a", "", "x y", '"q,r"', "index")


def odd_file(source: random.Random) -> str:
    ncolumns = source.randint(1, 4)
    kinds = [source.sample(CELLS, source.choice([1, 1, 2])) for _ in range(ncolumns)]
    # What pandas makes of integers beyond 64 bits beside floats depends on which comes first.
    kinds = [kind[:1] if FLOATS in kind and not {*CELLS[1:3]}.isdisjoint(kind) else kind for kind in kinds]
    rows = [",".join(source.choices(NAMES, k=ncolumns))]
    for _ in range(source.randint(0, 12)):
        row = [source.choice(source.choice(kind)) for kind in kinds]
        if source.random() < 0.1:
            row = row[: source.randint(1, ncolumns)]
        rows += [source.choice(["", " "])] * (source.random() < 0.1)
        rows.append(",".join([*row, *["9"] * (source.random() < 0.01)]))
    end = source.choice(["\n", "\r\n", "\r"])
    return source.choice(["", "", "\n", "\ufeff"]) + end.join(rows) + end * (source.random() < 0.8)


def plain(column: pd.Series) -> list[str | None]:
    """Return values as text, None where missing words of text columns are, which are text in lazy columns."""
    missing = {"", "NA", "null", "-nan", "<NA>"}
    return [None if pd.isna(item) or str(item) in missing else str(item) for item in column]


@pytest.mark.lazy_only
@pytest.mark.parametrize("seed", range(6))
def test_odd_files_are_read_as_pandas_reads_them(tmp_path, seed):
    source, path, compared = random.Random(seed), tmp_path / "x.csv", 0
    for _ in range(25):
        path.write_text(odd_file(source), encoding="utf-8", newline="")
        try:
            expected = pd.read_csv(path, low_memory=False)
        except pd.errors.ParserError:
            with pytest.raises(AkdaskError):
                ak.read_csv(path).items()
            continue
        if not isinstance(expected.index, pd.RangeIndex) or not len(expected):
            continue
        try:
            found = ak.scan(path).to_pandas()
        except AkdaskError as error:
            assert "would become another as a float" in str(error)  # noqa: PT017 - pandas rounds these
            continue
        assert list(found.columns) == list(expected.columns)
        for name in expected.columns:
            if expected[name].dtype.kind == "f":
                pd.testing.assert_series_equal(found[name], expected[name], rtol=1e-15)
            elif found[name].dtype != object or expected[name].dtype == object:
                assert plain(found[name]) == plain(expected[name]), path.read_text()
            else:
                # pandas leaves integers of both signs beyond 64 bits as text.
                assert list(map(int, expected[name])) == list(found[name])
        compared += 1
    assert compared > 10
