"""Columns of Parquet files of any type are lazy, and give what pandas gives.

Each line of a subject is an expression of ``df``, a frame read from a file, and of ``few``, one with other rows.
It has the value, the types and the display that it has in pandas.  Lines that begin with ``~`` go
through pandas, those with ``+`` may, and those with ``#`` where digits have no
bounds.
"""

from __future__ import annotations

import datetime
import decimal
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask.pandas as face
from akdask import config
from akdask.pandas import lazy_parquet, tuning
from akdask.pandas.refusals import NotLazyError
from tests.pandas_face.compare import difference

ROWS = 60

SUBJECTS = {
    "narrow numbers": """
        df[["i8", "i16", "i32", "u8", "u16", "u32", "f32"]]
        df.dtypes
        df[df["i32"] > 3]
        df[df.i8.isin([1, 2, -3])]
        df[df.u16 == 7]["i64"].sum()
        df.groupby("i32")["i64"].sum()
        df.groupby("i64")["i32"].sum()
        df.groupby("i64")["i32"].mean()
        df.groupby("i64")[["i8", "i32"]].max()
        df["i32"].sum(), df["i8"].mean(), df["u16"].max(), df["i16"].min()
        df["i32"] + 1
        df["i8"] * 100
        ~df["i32"] + df["i64"]
        df["i32"] / 4
        df.sort_values("i32", kind="stable")
        df.merge(few, on="i32")
        df["i32"].nunique(), df["i8"].value_counts().sort_index()
        df.pivot_table(index="i8", columns="i32", values="i64", aggfunc="sum")
        df.pivot_table(index=["i64", "i16"], columns="u8", values=["x"], aggfunc=["min", "count"])
        df.pivot_table(index="i16", values="i64", fill_value=0)
        ~df.pivot_table(index="i16", columns="i64", values="i32")
        ~df.pivot_table(index="i16", columns="i64", values="x", margins=True)
        ~df["f32"].sum()
        df["f32"].isna().sum()
        df.f32.astype("float64").sum()
    """,
    "dates": """
        df["day"]
        df[["day", "i64"]].head(7)
        df[df["day"] >= date(2020, 2, 1)]
        df[(df["day"] > date(2020, 1, 9)) & (df["day"] <= date(2020, 2, 9))]["i64"].sum()
        df[df["day"] != date(2020, 1, 4)]
        df[df["day"].isin([date(2020, 1, 4), date(2020, 1, 7)])]
        df[df["day"] < df["later"]]
        df["day"] == df["later"]
        df["day"].between(date(2020, 1, 4), date(2020, 2, 4))
        df["day"].between(date(2020, 1, 4), date(2020, 1, 7), inclusive="left")
        df["day"].between(date(2020, 1, 4), date(2020, 1, 7), inclusive="right")
        df["day"].between(date(2020, 1, 4), date(2020, 1, 7), inclusive="neither").sum()
        df["day"].min(), df["day"].max()
        df["day"].nunique(), df["day"].count()
        df["day"].isna()
        df.groupby("day")["i64"].sum()
        df.groupby(["i8", "day"], as_index=False)["i64"].mean()
        df.groupby("i8")["day"].min()
        df.groupby("i8").agg(first=("day", "min"), last=("day", "max"), n=("i64", "sum"))
        df.sort_values("day", kind="stable")
        df.sort_values(["day", "i64"], ascending=[False, True])
        df.merge(few, on="day")
        df.merge(few, left_on="later", right_on="day")
        df.drop_duplicates("day")
        +df.merge(few, on="i64", how="left")
        +df[["i64", "day"]].merge(few[["i64", "day"]], on="day", how="outer")
        +few[["i64", "day"]].set_index("i64").join(df[["i64", "later"]].set_index("i64"))
        +df["day"].shift()
        ~df.assign(next=df["day"].shift(-1))
        pd.to_datetime(df["day"])
        pd.to_datetime(df["day"]).dt.year
        df["day"].astype("datetime64[ns]")
        df["day"].value_counts().sort_index()
        ~df["day"].map(str)
        ~df[df["day"] >= "2020-02-01"]
    """,
    "decimals": """
        df["price"]
        df[df["price"] > 2]
        df[df["price"] >= 0.05]
        df[df["price"] < Decimal("3.10")]
        df[(df["price"] >= 0.05) & (df["price"] <= 0.07)]
        df["price"] == Decimal("0.07")
        df["price"].between(1, 2.5)
        df["price"].sum()
        df["price"].min(), df["price"].max()
        df["price"].astype(float)
        df["price"].astype("float64").sum()
        +df["wide"].astype("float64")
        df.groupby("i8")["price"].sum()
        df.groupby("i8")["price"].min()
        df.groupby("price")["i64"].sum()
        df.groupby("i8").agg(total=("price", "sum"), least=("price", "min"), n=("price", "count"))
        df.groupby("i8")[["price", "i64"]].sum()
        df.sort_values("price", kind="stable")
        df.merge(few, on="price")
        df["price"].nunique(), df["price"].count(), df["price"].isna().sum()
        ~df["price"] * 2
        ~df["wide"].sum()
        df[["wide", "i64"]].head(3)
    """,
    "types of Arrow": """
        df[["i8", "i16", "i32", "u8", "u16", "u32", "f32", "i64", "x"]]
        df[["day", "price", "s", "flag", "time", "list"]]
        df.dtypes
        df[df["i32"] > 3]
        df[df["i32"] == 3]["i64"]
        df["i32"] > 3
        df["i64"] <= 2.5
        df["i32"] != df["i64"]
        df["day"] >= date(2020, 2, 1)
        df[(df["day"] > date(2020, 1, 9)) & (df["day"] <= date(2020, 2, 9))]
        df[(df["i32"] > 3) | (df["i64"] < 2)]
        (df["i32"] > 3) | (df["i16"] < 2)
        (df["i32"] > 3) & (df["i16"] < 2)
        (df["i64"] > 3) & df["i64"].isin([4])
        ~(df["i64"] > 3)
        df["day"] < df["later"]
        [df["day"].between(date(2020, 1, 4), date(2020, 1, 7), how) for how in ("both", "left", "right", "neither")]
        df["day"].min(), df["day"].max(), df["i32"].min(), df["price"].max()
        df["day"].dt.year
        df["day"].dt.month
        df["day"].isin([date(2020, 1, 4), date(2020, 1, 7)])
        df["s"] == "b"
        df[df["s"] == "b"]
        df[df["s"] != "b"]
        df[df["s"].str.endswith("b")]
        df["s"].str.startswith("a")
        df["price"] > 2
        df["price"] >= 0.05
        df["price"] <= 0.07
        df["price"] == 0.07
        df["price"] == 0.35
        df["price"] > 0.35
        df["price"] > 0.57
        df[(df["price"] >= 0.05) & (df["price"] <= 0.07)]
        df["price"].between(1, 2.5)
        df["price"] > df["cost"]
        1 - df["price"]
        1.0 - df["price"]
        #df["price"] * df["cost"]
        #df["price"] * (1 - df["cost"])
        df["price"] * (1.0 - df["cost"]) * (1.0 + df["price"])
        df["price"] + df["cost"]
        df["price"] * 2
        df["price"] * 0.5
        +df["price"] / 2
        +df["price"] * df["price"] * df["price"]
        df["i32"] + 1
        df["i64"] / 2
        +df["i64"] * df["i64"]
        +df["i64"] + 2**62
        df["x"] * 2 + df["x"]
        df["price"].sum(), df["i64"].sum(), df["i32"].sum()
        #(df["price"] * df["cost"]).sum()
        (df["price"] * 0.5).sum()
        (df["i64"] > 2).sum()
        df["price"].astype("float64")
        df["price"].astype(df["price"].dtype), df["day"].astype(df["day"].dtype), df["s"].astype(df["s"].dtype)
        +df["wide"].astype("float64")
        +df["i64"].astype("float64")
        +df["price"].astype("float32")
        +df["day"].astype("float64")
        df["day"].astype("datetime64[ns]")
        df["day"].astype("datetime64[s]"), df["later"].astype("datetime64[ms]")
        +df["i64"].astype("datetime64[ns]")
        +df["day"].astype("timedelta64[ns]")
        df["i32"].isna().sum(), df["s"].nunique(), df["i64"].nunique()
        df["time"] > pd.Timestamp("2020-01-20")
        df[df["time"] <= pd.Timestamp("2020-01-20 12:00")]["i64"]
        df.groupby("i8")["price"].sum()
        df.groupby("i8", as_index=False)["price"].mean()
        df.groupby(["s", "day"], as_index=False)["i64"].sum()
        df.groupby("s").agg(n=("i64", "size"), a=("price", "sum"), b=("day", "max"), c=("i32", "count"))
        df.groupby("s").agg(d=("i64", "mean"), e=("i64", "std"), f=("s", "nunique"), g=("day", "first"))
        df.groupby("s", as_index=False).agg(x=("price", "mean"), y=("i32", "sum"), z=("cost", "min"), w=("s", "count"))
        df.groupby("day")["i64"].max()
        df.groupby("i64")["s"].nunique()
        df.groupby("flag")["i64"].sum()
        df.assign(y=df["price"] * (1.0 - df["cost"])).groupby("s")["y"].sum()
        #df.assign(y=df["price"] * (1 - df["cost"])).groupby(["s", "i8"], as_index=False)["y"].sum()
        +df.groupby("s")["x"].sum()
        +df.groupby("s")["x"].count()
        +df["x"].sum(), df["x"].min(), df["x"].mean(), df["x"].isna().sum()
        +df["x"] > 0.5
        df.sort_values(["s", "day", "i64"], ascending=[True, False, True], kind="stable")
        +df.sort_values("price", kind="stable")
        df.drop_duplicates(["s", "i8"])
        df.merge(few, on="i64")
        df.merge(few, on="day")
        df.merge(few, left_on=["i64", "i32"], right_on=["i64", "i32"])
        df[["i64", "s", "price"]].merge(few[["i64", "day"]], on="i64", how="left")
        +df[["i64", "x"]].merge(few[["i64", "day"]], on="i64", how="outer")
        pd.concat([df, df[df["i64"] > 2]])
        pd.concat([df[["i64", "s"]], few[["i64"]]])
        df.loc[:, ["i64", "s"]]
        df.loc[df["i64"] > 2, ["i64", "s"]]
        df.rename(columns={"i64": "n"}).head(3)
        df["i64"].head(3), df["price"].tail(3)
        df.set_index("i64").head(5)
        df.reset_index(drop=True).head(5)
        +df["s"].value_counts()
        +df["i64"].mean()
        +df["i64"].std()
        +df["price"].mean()
        +df.sum(numeric_only=True)
        +df["s"].str.upper()
        +df["s"].str.contains("[ab]")
        +df["i64"].abs()
        +df["i64"].fillna(0)
        +df["i64"].cumsum()
        +df["i64"] % 2
        +df["i64"].map({1: 2})
        +df.describe()
        +df["i64"] == "b"
        +df["s"] == 3
        +df["day"] >= "2020-02-01"
        +df["flag"] & df["flag"]
        +df["flag"].sum()
        +df["flag"] == True
        +df["i64"].unique()
        +df["price"] == Decimal("0.07")
        +df["i64"] > 2**60
        +df[df["i64"].isin([1, 2]) & (df["s"] == "b")]
    """,
    "nullable types": """
        df
        df.dtypes
        df[["i8", "i32", "i64", "x", "flag", "s", "u8", "f32"]]
        df[df["i32"] > 3]
        df["i32"] > 3
        df["i64"] <= 2.5
        df["i32"] != df["i64"]
        (df["i32"] > 3) | (df["i16"] < 2)
        (df["i32"] > 3) & (df["i16"] < 2)
        ~(df["i64"] > 3)
        df["s"] == "b"
        df[df["s"] == "b"]
        df[df["s"].str.endswith("b")]
        df["i32"].between(1, 3)
        df["i32"].sum(), df["i64"].min(), df["i8"].max()
        df["i32"].isna().sum(), df["s"].nunique()
        df.groupby("i8")["i64"].sum()
        df.groupby("i64")["i32"].sum()
        df.groupby(["s", "i8"], as_index=False)["i64"].mean()
        df.groupby("s").agg(a=("i64", "sum"), b=("i32", "count"), c=("i8", "max"), d=("i16", "first"))
        df.groupby("i64")["s"].nunique()
        df.groupby("flag")["i64"].sum()
        df.sort_values(["s", "i64", "i32"], ascending=[True, False, True], kind="stable")
        df.merge(few, on="i64")
        df.merge(few, left_on=["i64", "i32"], right_on=["i64", "i32"])
        df[["i64", "s", "i32"]].merge(few[["i64", "day"]], on="i64")
        df[["i64", "i32"]].merge(few[["i64"]], on="i64", how="left")
        df.drop_duplicates(["s", "i8"])
        df[df["day"] >= date(2020, 2, 1)]
        df.loc[df["i64"] > 2, ["i64", "s"]]
        df.head(3), df.tail(2), df["i64"].head(2)
        +df["i64"] + 1
        +df["i64"] / 2
        +df["x"] * 2
        +df["x"].sum()
        +df["i64"].isin([1, 2])
        +df["i64"].mean()
        +df["s"].str.upper()
        +df["flag"].sum()
        +df.groupby("s").size()
        +df.groupby("s").agg(n=("i64", "size"))
        +df.groupby("s")["x"].sum()
        +df["i64"].value_counts()
        +pd.concat([df, df])
        +df["i64"].fillna(0)
        +df["i64"].astype("int64")
        +df.describe()
        +df["s"].isin(["a"])
    """,
    "other types": """
        df[["clock", "bytes", "list", "struct"]]
        df[df["i64"] > 2][["list", "i64"]]
        df.merge(few, on="i64")
        df.sort_values("i64", kind="stable")
        df.head(4)
        df.tail(4)
        df.dtypes
        ~df["list"].map(len, na_action="ignore")
        ~df["flag"].sum()
        df[["flag", "s"]]
        df[df["s"] == "b"]
        len(df), df.shape
    """,
}


BACKENDS: dict[str, dict[str, object]] = {
    "types of Arrow": {"dtype_backend": "pyarrow"},
    "nullable types": {"dtype_backend": "numpy_nullable"},
}


def table(with_nulls: bool) -> pa.Table:
    """Return rows of many types."""
    rng = np.random.default_rng(5)

    def some(values: list, kind: pa.DataType) -> pa.Array:
        missing = rng.random(ROWS) < 0.2 if with_nulls else np.zeros(ROWS, bool)
        return pa.array([None if gap else value for value, gap in zip(values, missing, strict=True)], kind)

    def whole(low: int, high: int, kind: pa.DataType) -> pa.Array:
        return some(rng.integers(low, high, ROWS).tolist(), kind)

    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(day)) for day in rng.integers(0, 60, ROWS)]
    cents = [Decimal(int(number)).scaleb(-2) for number in rng.integers(-20, 400, ROWS)]
    cents[:4] = map(Decimal, ("0.35", "0.07", "0.57", "0.05"))  # whose floats depend on how they are made
    return pa.table(
        {
            "i64": pa.array(rng.integers(-5, 5, ROWS)),
            "i8": whole(-3, 3, pa.int8()),
            "i16": whole(-300, 300, pa.int16()),
            "i32": whole(-9, 9, pa.int32()),
            "u8": whole(0, 9, pa.uint8()),
            "u16": whole(0, 9, pa.uint16()),
            "u32": whole(0, 9, pa.uint32()),
            "f32": some(rng.normal(size=ROWS).tolist(), pa.float32()),
            "flag": some((rng.random(ROWS) > 0.5).tolist(), pa.bool_()),
            "day": some(days, pa.date32()),
            "later": some(days[::-1], pa.date32()),
            "price": some(cents, pa.decimal128(15, 2)),
            "cost": some(cents[::-1], pa.decimal128(15, 2)),
            "x": pa.array([float("nan") if number % 9 == 0 else number / 7 for number in range(ROWS)]),
            "time": some(
                [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=9 * n) for n in range(ROWS)],
                pa.timestamp("us"),
            ),
            "wide": some([price * 10**20 for price in cents], pa.decimal128(38, 2)),
            "clock": some([datetime.time(1, minute % 60) for minute in range(ROWS)], pa.time64("us")),
            "bytes": some([b"x%d" % number for number in range(ROWS)], pa.binary()),
            "list": some([[number, None] for number in range(ROWS)], pa.list_(pa.int32())),
            "struct": some([{"a": number} for number in range(ROWS)], pa.struct([("a", pa.int64())])),
            "s": some(rng.choice(["a", "b", "c"], ROWS).tolist(), pa.string()),
        }
    )


@pytest.fixture
def _large(monkeypatch):
    """Let all files be large."""
    monkeypatch.setattr(tuning, "READ_VALUES", 0)


def check(subject: str, path: str, few: str, has_bounds: bool, **options: object) -> None:
    """Compare the values of the lines of a subject with pandas', and the ways that they take."""
    wrong = []
    names = {"date": datetime.date, "Decimal": decimal.Decimal, "np": np, "datetime": datetime}
    frames = {
        pd: {"pd": pd, "df": pd.read_parquet(path, **options), "few": pd.read_parquet(few, **options), **names}
        for pd in (pandas, face)
    }
    assert frames[face]["df"]._lazy is not None
    for line in filter(None, map(str.strip, SUBJECTS[subject].splitlines())):
        expression = line.lstrip("~+#")
        try:
            wanted = eval(expression, frames[pandas])
        except Exception as error:
            wanted = error
        for mode in ("silent", "error"):
            try:
                with config.set(pandas_fallback=mode):
                    found = eval(expression, frames[face])
                    told = difference(found, wanted) if not isinstance(wanted, Exception) else f"no {wanted!r}"
            except Exception as error:
                told = repr(error)
                if isinstance(wanted, Exception):
                    told = None if isinstance(error, type(wanted)) or mode == "error" else f"{error!r}, not {wanted!r}"
                elif mode == "error" and line[0] in ("~+" if has_bounds else "~+#"):
                    told = None
            if told is not None:
                wrong.append(f"{mode}: {expression}\n    {told}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.sampled(one_of=8)
@pytest.mark.parametrize(
    ("subject", "digits_as_bytes"),
    [*((subject, False) for subject in SUBJECTS), ("decimals", True), ("types of Arrow", True)],
)
@pytest.mark.parametrize("with_nulls", [False, True], ids=["complete", "with nulls"])
@pytest.mark.usefixtures("_large")
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_columns_of_files_are_lazy_as_pandas_has_them(tmp_path, subject, with_nulls, digits_as_bytes):
    path, few = str(tmp_path / "x.parquet"), str(tmp_path / "few.parquet")
    rows = table(with_nulls)
    pq.write_table(rows, path, row_group_size=17, store_decimal_as_integer=not digits_as_bytes)
    pq.write_table(rows.slice(3, 9).select(["i64", "i32", "day", "price", "list"]), few)
    check(subject, path, few, not digits_as_bytes, **BACKENDS.get(subject, {}))


@pytest.mark.parametrize("read_values", [0, 10**6], ids=["lazily", "by pandas"])
@pytest.mark.parametrize("with_nulls", [False, True], ids=["complete", "with nulls"])
def test_scan_reads_days_as_times_and_decimals_as_floats(tmp_path, monkeypatch, read_values, with_nulls):
    monkeypatch.setattr(tuning, "READ_VALUES", read_values)
    path = tmp_path / "x.parquet"
    pq.write_table(table(with_nulls), path, row_group_size=17)
    wanted = pandas.read_parquet(path)
    for name in ("day", "later"):
        wanted[name] = pandas.to_datetime(wanted[name])
    for name in ("price", "cost", "wide"):
        wanted[name] = wanted[name].astype(float)
    found = face.scan(path)
    assert (found._lazy is None) == bool(read_values)
    pandas.testing.assert_frame_equal(found.to_pandas(), wanted)
    assert found["price"].sum() == pytest.approx(wanted["price"].sum())
    late = datetime.datetime(2020, 2, 1)
    pandas.testing.assert_frame_equal(found[found["day"] > late].to_pandas(), wanted[wanted["day"] > late])


@pytest.mark.parametrize("read_values", [0, 10**6], ids=["lazily", "by pandas"])
def test_scan_leaves_labels_of_days_as_they_are(tmp_path, monkeypatch, read_values):
    monkeypatch.setattr(tuning, "READ_VALUES", read_values)
    days = [datetime.date(2020, 1, day) for day in (3, 1, 2)]
    wanted = pandas.DataFrame({"x": [1, 2, 3], "day": days}, index=pandas.Index(days, name="when"))
    wanted.to_parquet(tmp_path / "x.parquet")
    wanted["day"] = pandas.to_datetime(wanted["day"])
    pandas.testing.assert_frame_equal(face.scan(tmp_path / "x.parquet").to_pandas(), wanted)


@pytest.mark.parametrize("options", [{}, {"dtype_backend": "pyarrow"}], ids=["numpy", "arrow"])
@pytest.mark.parametrize(
    "labels", ["i32", "day", ["s", "day"], slice(5, None), slice(None, None, 3), "numbers"], ids=str
)
@pytest.mark.usefixtures("_large")
def test_labels_of_any_type_are_those_of_pandas(tmp_path, labels, options):
    path = tmp_path / "x.parquet"
    rows = table(False).select(["i64", "i32", "day", "s", "list", "x"]).to_pandas()
    if isinstance(labels, slice):
        rows = rows[labels]
    else:
        rows = rows.set_axis(range(6), axis=1) if labels == "numbers" else rows.set_index(labels)
    rows.to_parquet(path)
    wanted, found = pandas.read_parquet(path, **options), face.read_parquet(path, **options)
    assert found._lazy is not None or isinstance(labels, list)
    pandas.testing.assert_frame_equal(found.to_pandas(), wanted)
    pandas.testing.assert_frame_equal(found.head(3).to_pandas(), wanted.head(3))


TYPES = [
    *(pa.int8(), pa.int64(), pa.uint16(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_()),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(3), pa.null()),
    *(pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("us"), pa.duration("ms"), pa.decimal128(15, 2)),
    *(pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC")),
    *(pa.list_(pa.int64()), pa.struct([("a", pa.int32())]), pa.map_(pa.string(), pa.int32())),
    *(pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.int8(), pa.int64())),
]
"""Types of columns of Arrow."""

LABELLED = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": pandas.Categorical(["u", "v"])})


@pytest.mark.parametrize(
    "stored",
    [
        *(pa.table({"x": pa.array([], dtype)}) for dtype in TYPES),
        *(pa.Table.from_pandas(rows) for rows in (LABELLED, LABELLED[::-1], LABELLED.convert_dtypes())),
        *(pa.Table.from_pandas(LABELLED.set_index(keys)) for keys in ("a", "b", "c", ["a", "b"])),
        pa.Table.from_pandas(pandas.DataFrame({("a", "b"): [1], ("a", "c"): [2]})),
        pa.Table.from_pandas(LABELLED.set_index(pandas.date_range("2020", periods=2, tz="UTC", name="at"))),
    ],
    ids=lambda table: ", ".join(f"{field.name}-{field.type}" for field in table.schema),
)
def test_what_pandas_reads_is_known_without_its_reader(tmp_path, monkeypatch, stored):
    path = tmp_path / "x.parquet"
    pq.write_table(stored.slice(0, 0), path)
    wanted = pandas.read_parquet(path)
    monkeypatch.setattr(pandas, "read_parquet", None)
    found = lazy_parquet._without_rows(pq.read_schema(path), None, None, {})
    assert list(found.dtypes.map(str)) == list(wanted.dtypes.map(str))
    assert found.columns.equals(wanted.columns)
    assert (found.index.names, type(found.index)) == (wanted.index.names, type(wanted.index))
    assert (
        [level.dtype for level in found.index.levels] == [level.dtype for level in wanted.index.levels]
        if (isinstance(wanted.index, pandas.MultiIndex))
        else str(found.index.dtype) == str(wanted.index.dtype)
    )


@pytest.mark.light
@pytest.mark.parametrize("plain", [False, True], ids=["as pandas", "plain"])
@pytest.mark.parametrize("storage", ["auto", "python"])
def test_what_pandas_makes_of_types_is_known_of_later_files(monkeypatch, plain, storage):
    schema = pa.schema([(f"x {number}", dtype) for number, dtype in enumerate(TYPES)])
    with pandas.option_context("mode.string_storage", storage):
        general = lazy_parquet.PandasTypes.of(
            lazy_parquet._without_rows(schema.remove(len(schema) - 1), None, None, {}, plain)
        )
    with_dictionaries, schema = schema, pa.schema(list(schema)[:-2])
    for _ in range(2):
        with pandas.option_context("mode.string_storage", storage):
            found = lazy_parquet._known_types(schema, None, None, {}, plain)
        assert found.columns.equals(general.columns[:-1])
        assert found.columns.dtype == general.columns.dtype
        assert list(map(repr, found.dtypes)) == list(map(repr, general.dtypes[:-1]))
        assert isinstance(found.index, pandas.RangeIndex)
        assert not len(found.index)
        # The second time, pandas is not asked.
        monkeypatch.setattr(lazy_parquet, "_made_of", None)
    assert lazy_parquet._known_types(with_dictionaries, None, None, {}, plain) is None
    for given in ((["x 0"], None, {}), (None, [("x 0", ">", 1)], {}), (None, None, {"dtype_backend": "pyarrow"})):
        assert lazy_parquet._known_types(schema, *given, plain) is None
    assert lazy_parquet._known_types(schema.with_metadata({b"pandas": b"{}"}), None, None, {}, plain) is None
    assert lazy_parquet._known_types(pa.schema([*schema, schema.field(0)]), None, None, {}, plain) is None
    assert lazy_parquet._known_types(pa.schema([]), None, None, {}, plain) is None


KINDS = {
    "h": pa.array([1, 2], pa.int16()),
    "i": pa.array([1, 2], pa.int32()),
    "l": pa.array([1, 2], pa.int64()),
    "x": pa.array([1.5, 2.5]),
    "s": pa.array(["a", "b"]),
    "t": pa.array([1, 2], pa.timestamp("us")),
    "u": pa.array([1, 2], pa.timestamp("ms")),
    "z": pa.array([1, 2], pa.timestamp("us", "UTC")),
    "d": pa.array([1, 2], pa.date32()),
    "n": pa.array([1, None], pa.int64()),
}


def test_types_are_compared_with_those_of_pandas_before_and_after_they_are_known(tmp_path):
    pq.write_table(pa.table(KINDS), tmp_path / "x.parquet")
    frame = lazy_parquet.parquet(str(tmp_path / "x.parquet"))
    right = lazy_parquet.PandasTypes.of(pandas.read_parquet(tmp_path / "x.parquet").iloc[:0])
    lazy_parquet._compare(frame, right)
    lazy_parquet._compare(frame, right)
    for place, dtype in enumerate(right.dtypes):
        for other in right.dtypes:
            wrong = list(right.dtypes)
            wrong[place] = other
            # Integers with gaps are floats in the end.
            if other != dtype and not (other.kind == "i" and dtype == "float64"):
                with pytest.raises(NotLazyError, match="is read as"):
                    lazy_parquet._compare(frame, replace(right, dtypes=tuple(wrong)))


def test_labels_are_compared_though_types_are_known(tmp_path):
    rows = pandas.DataFrame({"x": [1.5, 2.5]}, index=pandas.Index([3, 4], name="k"))
    rows.to_parquet(tmp_path / "x.parquet")
    frame = lazy_parquet.parquet(str(tmp_path / "x.parquet"))
    right = lazy_parquet.PandasTypes.of(rows.iloc[:0])
    lazy_parquet._compare(frame, right)
    for labels in (rows.index.astype(float), rows.index.astype(str)):
        with pytest.raises(NotLazyError, match="is read as"):
            lazy_parquet._compare(frame, replace(right, index=labels[:0]))


def test_attributes_and_repeated_names_are_left_to_the_reader(tmp_path, monkeypatch):
    rows = LABELLED.copy()
    rows.attrs = {"by": "me"}
    rows.to_parquet(tmp_path / "x.parquet")
    asked = []
    monkeypatch.setattr(pandas, "read_parquet", lambda *args, **options: asked.append(1) or rows)
    for schema in (pq.read_schema(tmp_path / "x.parquet"), pa.schema([("x", pa.int64()), ("x", pa.int64())])):
        with pytest.raises(NotLazyError, match="attributes"):
            lazy_parquet._without_rows(schema, None, None, {})
    assert len(asked) == 2


def _with_columns_by_dates(module, path):
    frame = module.read_parquet(path)
    later = module.Series(range(8), index=module.date_range("2024-03-02", periods=8))
    frame["new"] = later
    frame.loc[frame["a"] > 3, "a"] = later * 10.0
    return frame


def test_labels_with_a_frequency_meet_dates_of_a_file(tmp_path, monkeypatch):
    dates = pandas.date_range("2024-03-01", periods=8, name="when")
    pandas.DataFrame({"a": np.arange(8.0)}, index=dates).to_parquet(tmp_path / "dates")
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    with config.set(pandas_fallback="silent"):
        found = _with_columns_by_dates(face, tmp_path / "dates")
        assert difference(found, _with_columns_by_dates(pandas, tmp_path / "dates")) is None
