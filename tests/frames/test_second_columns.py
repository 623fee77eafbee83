"""Everything that takes a second column takes it by its labels: all methods and functions, beside pandas.

The methods are those of the public classes.  Each of their parameters is a plain argument, or has a case here, or is
listed with the reason why labels have no say, so that a new one is not forgotten.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError
from akdask.frames.series_groupby import SeriesGroupBy
from akdask.testing.memory import MemorySource

CLASSES = (ak.Series, ak.DataFrame, SeriesGroupBy, ak.DataFrameGroupBy)

PLAIN = frozenset(
    (  # noqa: SIM905 - a list of a hundred strings is no easier to read
        "alpha args as_series axis closed colname colnames columns com compression connection datalimit default drop "
        "dtype dtypes exclude expr file_size filename fill_value format frac freq global_dict halflife high how "
        "id_vars include index_labels items kwargs label level like limit loc mapper meta method min_periods n "
        "na_action na_rep name names npartitions num_locales numpy offset on options params path pd_df percentiles "
        "prefix prefix_path random_state regex result_dtype rule size skipna span storage_options subset suffix "
        "suffixes thresh to_replace user_defined_name value_label value_labels value_vars window "
        "end_time start_time step time tz win_type "
    ).split()
)
"""Names of parameters that no column is given for."""

NO_LABELS = {
    "DataFrame.GroupBy keys": "the same as groupby",
    "DataFrame.apply_permutation perm": "positions",
    "DataFrame.append other": "rows below",
    "DataFrame.argsort key": "the name of a column",
    "DataFrame.coargsort keys": "names of columns",
    "DataFrame.concat items": "rows below",
    "DataFrame.drop index": "labels themselves",
    "DataFrame.drop keys": "positions or names",
    "DataFrame.equals other": "tells whether labels are the same",
    "DataFrame.ewm times": "by position, as in pandas, as Series.ewm has them",
    "DataFrame.filter_by_range keys": "names of columns",
    "DataFrame.from_dict data": "makes rows",
    "DataFrame.from_records data": "makes rows",
    "DataFrame.insert column": "the name of a column",
    "DataFrame.join other": "joins by labels",
    "DataFrame.merge left_on": "names of columns",
    "DataFrame.merge right": "joins by columns",
    "DataFrame.merge right_on": "names of columns",
    "DataFrame.of index": "labels themselves",
    "DataFrame.pivot index": "names of columns",
    "DataFrame.pivot values": "names of columns",
    "DataFrame.pivot_table index": "names of columns",
    "DataFrame.pivot_table values": "names of columns",
    "DataFrame.reindex index": "labels themselves",
    "DataFrame.reindex labels": "labels themselves",
    "DataFrame.reindex_like other": "labels themselves",
    "DataFrame.rename column": "names of columns",
    "DataFrame.rename index": "labels themselves",
    "DataFrame.replace value": "scalars",
    "DataFrame.save index": "a flag",
    "DataFrame.set_axis labels": "labels themselves",
    "DataFrame.set_index keys": "labels themselves, by position as in pandas",
    "DataFrame.sort_values by": "names of columns",
    "DataFrame.sort_values key": "a function",
    "DataFrame.take indices": "positions",
    "DataFrame.to_hdf index": "a flag",
    "DataFrame.update_hdf index": "a flag",
    "DataFrame.update_parquet index": "a flag",
    "DataFrame.to_parquet index": "a flag",
    "DataFrameGroupBy.broadcast x": "a value for each group",
    "DataFrameGroupBy.ewm times": "by position, as in pandas",
    "DataFrameGroupBy.sample weights": "drawn at random",
    "Series.concat arrays": "has a test of its own: Arkouda's rows and names differ from pandas'",
    "Series.drop index": "labels themselves",
    "Series.drop labels": "labels themselves",
    "Series.equals other": "tells whether labels are the same",
    "Series.isin lst": "values wherever they are, as in pandas",
    "Series.locate key": "labels themselves",
    "Series.pdconcat arrays": "pandas itself",
    "Series.pdconcat labels": "names of columns",
    "Series.reindex index": "labels themselves",
    "Series.rename index": "labels themselves",
    "Series.replace value": "scalars",
    "Series.validate_key key": "the check of __getitem__",
    "Series.validate_val val": "the check of __setitem__",
}
FUNCTIONS = "agg aggregate apply func local_dict map named pipe transform"
"""Parameters that take functions or names; what these return has cases of its own."""

DAYS = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-05", "2024-01-06"])

Act = Callable[[Any, Any, Any], Any]
"""What is done: takes pandas or akdask, an object, and the second column; returns a result, or changes the object."""

BY_SERIES: dict[str, Act] = {
    "Series + other": lambda m, s, t: s.sub(-1 * t),
    "Series.sub other": lambda m, s, t: s.sub(t),
    "Series.sub fill_value": lambda m, s, t: s.sub(t, fill_value=3),
    "Series.mul other": lambda m, s, t: s.mul(t, fill_value=1),
    "Series.div other": lambda m, s, t: s.div(t),
    "Series.truediv other": lambda m, s, t: s.truediv(t),
    "Series.floordiv other": lambda m, s, t: s.floordiv(t),
    "Series.mod other": lambda m, s, t: s.mod(t),
    "Series.pow other": lambda m, s, t: s.pow(t),
    "Series.eq other": lambda m, s, t: s.eq(t),
    "Series.ne other": lambda m, s, t: s.ne(t),
    "Series.lt other": lambda m, s, t: s.lt(t),
    "Series.le other": lambda m, s, t: s.le(t),
    "Series.gt other": lambda m, s, t: s.gt(t),
    "Series.ge other": lambda m, s, t: s.ge(t),
    "Series.combine_first other": lambda m, s, t: s.where(s > 15).combine_first(t),
    "Series.align other": lambda m, s, t: s.align(t)[1],
    "Series.align left": lambda m, s, t: s.align(t, join="left")[1],
    "Series.align right": lambda m, s, t: s.align(t, join="right")[0],
    "Series.ewm times": lambda m, s, t: s.ewm(halflife="1D", times=m.Series(DAYS[: len(t)], index=t.index)).mean(),
    "Series.corr other": lambda m, s, t: s.corr(t),
    "Series.cov other": lambda m, s, t: s.cov(t),
    "Series.dot other": lambda m, s, t: s.dot(t),
    "Series.between left": lambda m, s, t: s.between(t, 25),
    "Series.between right": lambda m, s, t: s.between(15, t * 9),
    "Series.clip lower": lambda m, s, t: s.clip(t * 6),
    "Series.clip upper": lambda m, s, t: s.clip(upper=t * 6),
    "Series.fillna value": lambda m, s, t: s.where(s > 15).fillna(t * 1.0),
    "Series.where cond": lambda m, s, t: s.where(t > 2, 0),
    "Series.where other": lambda m, s, t: s.where(s > 15, t),
    "Series.mask cond": lambda m, s, t: s.mask(t > 2, 0),
    "Series.mask other": lambda m, s, t: s.mask(s > 15, t),
    "Series.map arg": lambda m, s, t: s.map(t),
    "Series.groupby by": lambda m, s, t: s.groupby(t % 2).sum(),
    "SeriesGroupBy.corr other": lambda m, s, t: s.groupby(s % 20).corr(t),
    "SeriesGroupBy.cov other": lambda m, s, t: s.groupby(s % 20).cov(t),
    "Series.transform func": lambda m, s, t: s.transform(lambda one: one.sub(t)),
    "Series.__getitem__ key": lambda m, s, t: s[t > 2],
    "Series.loc": lambda m, s, t: s.loc[t > 2],
    "Series.__setitem__ key": lambda m, s, t: s.__setitem__(t > 2, 5),
    "Series.__setitem__ val": lambda m, s, t: s.__setitem__(s > 15, t * 1),
    "Series.loc[mask] =": lambda m, s, t: s.loc.__setitem__(s > 15, t * 1),
    "Series.str.cat": lambda m, s, t: s.astype(str).str.cat(t.astype(str)),
    "concat": lambda m, s, t: m.concat([s.rename("a"), t.rename("b")], axis=1),
    "concat inner": lambda m, s, t: m.concat([s.rename("a"), t.rename("b")], axis=1, join="inner"),
    "DataFrame()": lambda m, s, t: m.DataFrame({"a": s, "b": t}),
    "DataFrame(index=)": lambda m, s, t: m.DataFrame({"b": t}, index=s.index),
    "crosstab": lambda m, s, t: m.crosstab(s.rename("a"), t.rename("b")),
}

ARITHMETIC = "add sub mul div truediv floordiv mod pow eq ne lt le gt ge"


def by_name(name: str, module: Any, frame: Any, second: Any) -> Any:
    return getattr(frame, name)(second, axis=0)


BY_FRAME: dict[str, Act] = {
    **{f"DataFrame.{name} other": partial(by_name, name) for name in ARITHMETIC.split()},
    "DataFrame.add of frames": lambda m, f, t: f.add(t.to_frame("x"), fill_value=2),
    "DataFrame.sub of frames": lambda m, f, t: f.sub(t.to_frame("x")),
    "DataFrame - frame": lambda m, f, t: f - t.to_frame("x"),
    "DataFrame < frame": lambda m, f, t: f < t.to_frame("x"),
    "DataFrame &": lambda m, f, t: (f > 15) & (t.to_frame("x") > 2),
    "DataFrame |": lambda m, f, t: (f > 15) | (t.to_frame("x") > 2),
    "DataFrame.combine_first other": lambda m, f, t: f.where(f > 15).combine_first(m.DataFrame({"x": t, "a": t})),
    "DataFrame.clip lower": lambda m, f, t: f.clip(lower=t * 6, **({"axis": 0} if m is pd else {})),
    "DataFrame.clip upper": lambda m, f, t: f.clip(upper=(t * 6).to_frame("x")),
    "DataFrame.fillna value": lambda m, f, t: f.where(f > 15).fillna(t.to_frame("x")),
    "DataFrame.fillna by name": lambda m, f, t: f.where(f > 15).fillna(m.Series([7.0], index=["x"])),
    "DataFrame.where cond": lambda m, f, t: f.where(t > 2, 0),
    "DataFrame.where frame": lambda m, f, t: f.where((t > 2).to_frame("x"), 0),
    "DataFrame.where other": lambda m, f, t: f.where(f > 15, t.to_frame("x")),
    "DataFrame.mask cond": lambda m, f, t: f.mask(t > 2, 0),
    "DataFrame.mask other": lambda m, f, t: f.mask(f > 15, t.to_frame("x")),
    "DataFrame.isin values": lambda m, f, t: f.isin(t * 10),
    "DataFrame.isin frame": lambda m, f, t: f.isin((t * 10).to_frame("x")),
    "DataFrame.groupby keys": lambda m, f, t: f.groupby(t % 2)["x"].sum(),
    "DataFrame.__getitem__ key": lambda m, f, t: f[t > 2],
    "DataFrame.loc": lambda m, f, t: f.loc[t > 2],
    "DataFrame.query": lambda m, f, t: f.query("x > @t * 6", local_dict={"t": t}),
    "DataFrame.__setitem__ values": lambda m, f, t: f.__setitem__("c", t),
    "DataFrame.__setitem__ frame": lambda m, f, t: f.__setitem__(["p", "q"], m.DataFrame({"a": t, "b": t * 2})),
    "DataFrame.assign": lambda m, f, t: f.assign(c=t, d=lambda one: one.x.mul(2)),
    "DataFrame.insert value": lambda m, f, t: f.insert(0, "c", t),
    "DataFrame.update other": lambda m, f, t: f.update(t.to_frame("x")),
    "DataFrame.loc[mask] =": lambda m, f, t: f.loc.__setitem__((f.x > 15, "x"), t),
    "DataFrame.loc[mask] = in a new column": lambda m, f, t: f.loc.__setitem__((t > 2, "z"), t),
    "DataFrame.loc[:] =": lambda m, f, t: f.loc.__setitem__((slice(None), "x"), t),
    "DataFrame.x =": lambda m, f, t: setattr(f, "x", t),
    "DataFrame.apply func": lambda m, f, t: f.apply(lambda one: one.sub(t)),
}

GIVEN: dict[str, tuple[list[Any], list[Any]]] = {
    "the same": ([3, 1, 2], [3, 1, 2]),
    "other order": ([3, 1, 2], [1, 2, 3]),
    "missing labels": ([3, 1, 2], [2, 3]),
    "more labels": ([3, 1, 2], [5, 2, 1, 3]),
    "nothing in common": ([3, 1, 2], [7, 8]),
    "repeated on the left": ([3, 1, 3], [1, 3]),
    "repeated on the right": ([3, 1, 2], [1, 1, 2, 3]),
    "repeated and the same": ([3, 1, 3], [3, 1, 3]),
    "text": (["c", "a", "b"], ["b", "c", "a"]),
    "missing": ([np.nan, 1.0, 2.0], [2.0, np.nan, 1.0]),
    "default": ([0, 1, 2], [0, 1]),
}

LENIENT = {
    **dict.fromkeys(
        [f"DataFrame.{name} other" for name in ARITHMETIC.split()], "repeated labels are paired, as for two frames"
    ),
    "Series.combine_first other": "repeated labels are paired, as for frames",
    "Series.clip lower": "rows of one label have the same bound",
    "Series.clip upper": "rows of one label have the same bound",
    "DataFrame.clip lower": "rows of one label have the same bound",
    "DataFrame.clip upper": "rows of one label have the same bound",
    "DataFrame.query": "rows of one label see the same value",
    "concat inner": "only labels of the second side must differ",
    "Series.transform func": "the result of a function stays as it is",
    "DataFrame()": "repeated labels are paired, where pandas refuses them",
    "crosstab": "no pairs give an empty table, whose labels pandas leaves out",
}


STRICT = {
    "SeriesGroupBy.corr other": "labels that come twice are refused, where pandas repeats rows",
    "SeriesGroupBy.cov other": "labels that come twice are refused, where pandas repeats rows",
    "Series.align left": "labels that come twice are refused, where pandas repeats rows",
    "Series.align right": "labels that come twice are refused, where pandas repeats rows",
    "Series.str.cat": "labels that come twice are refused, where pandas repeats rows",
    "DataFrame.query": "labels that come twice are refused, where pandas repeats rows",
}


def lazy(given: pd.Series, layout: str, *, is_frame: bool) -> Any:
    """Return a Series of pandas as one of akdask, or as a column of a DataFrame, in one partition or in several."""
    labels = given.index
    if layout == "one partition":
        return ak.DataFrame({"x": given.to_numpy()}, index=labels.to_numpy()) if is_frame else ak.Series(given)
    stored = {"x": given.to_numpy(), "labels": labels.tolist() if labels.dtype == "str" else labels.to_numpy()}
    arrays = MemorySource(stored, [1, 0, len(given) - 1]).arrays()
    made = ak.DataFrame if is_frame else ak.Series
    return made({"x": arrays["x"]} if is_frame else arrays["x"], index=arrays["labels"])


def done(act: Act, module: Any, given: Any, second: Any) -> Any:
    """Return what an action gives, or what it has made of the object; the error if there is one."""
    try:
        found = act(module, given, second)
        found = given if found is None else found
        return found.to_pandas() if hasattr(found, "to_pandas") else found
    except (ValueError, KeyError, IndexError, TypeError, pd.errors.IndexingError, pd.errors.InvalidIndexError) as error:
        return error


LAYOUTS = [
    *(("one partition", case) for case in GIVEN),
    *(
        ("partitions", case)
        for case in ("other order", "missing labels", "repeated on the right", "missing", "default")
    ),
    *(("by hash", case) for case in ("missing labels", "repeated and the same", "text")),
]


def cases(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return each name with every second layout, and each layout with every second name."""
    pairs = product(enumerate(names), enumerate(LAYOUTS))
    return [(name, *layout) for (row, name), (column, layout) in pairs if (row + column) % 2 == 0]


def check(name: str, act: Act, case: str, layout: str, *, is_frame: bool) -> None:
    with ak.config.set(**({"replicate_size": 0} if layout == "by hash" else {})):
        check_in(name, act, case, layout, is_frame=is_frame)


def check_in(name: str, act: Act, case: str, layout: str, *, is_frame: bool) -> None:
    first, second = GIVEN[case]
    left = pd.Series(np.arange(1.0, 1 + len(first)) * 10, index=pd.Index(first))
    right = pd.Series(np.arange(1, 1 + len(second), dtype=np.int64) + 0.5, index=pd.Index(second))
    mine = lazy(left, layout, is_frame=is_frame)
    expected = done(act, pd, left.to_frame("x") if is_frame else left.copy(), right)
    found = done(act, ak, mine, lazy(right, layout, is_frame=False))
    if isinstance(expected, Exception):
        if not isinstance(found, Exception) and (name in LENIENT or case == "repeated and the same"):
            return
        assert isinstance(found, AkdaskError), f"{name}: pandas says {expected!r}, and this gives {found}"
        return
    if name in STRICT and isinstance(found, AkdaskError):
        return
    assert not isinstance(found, Exception), f"{name}: {found!r}, where pandas gives {expected}"
    if name == "crosstab" and not len(expected):
        assert not len(found)
        return
    options: dict[str, Any] = dict.fromkeys(["check_dtype", "check_index_type", "check_names"], False)
    if isinstance(expected, pd.DataFrame):
        found.columns = found.columns.map(str)
        expected.columns = expected.columns.map(str)
        pd.testing.assert_frame_equal(found, expected, check_column_type=False, **options)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, **options)
    else:
        np.testing.assert_allclose(float(found), float(expected))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(("name", "layout", "case"), cases(BY_SERIES))
def test_series_take_a_second_column_by_labels(name: str, case: str, layout: str) -> None:
    check(name, BY_SERIES[name], case, layout, is_frame=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(("name", "layout", "case"), cases(BY_FRAME))
def test_frames_take_a_second_column_by_labels(name: str, case: str, layout: str) -> None:
    check(name, BY_FRAME[name], case, layout, is_frame=True)


def parameters() -> Iterator[tuple[str, str]]:
    """Yield each public method of the classes with each of its parameters that a column may be given for."""
    for cls in CLASSES:
        for name in dir(cls):
            method = inspect.getattr_static(cls, name)
            method = getattr(method, "__func__", method)
            is_item = name in ("__getitem__", "__setitem__")
            if inspect.isfunction(method) and (is_item or not name.startswith("_")):
                for parameter in list(inspect.signature(method).parameters.values())[1:]:
                    # Flags, names and numbers have a default that says so.
                    if parameter.default is None or parameter.default is inspect.Parameter.empty:
                        yield f"{cls.__name__}.{name}", parameter.name


def test_no_parameter_is_forgotten() -> None:
    cases = {*BY_SERIES, *BY_FRAME}
    other = {"SeriesGroupBy.__getitem__ names", "Series.add b"}
    for method, parameter in parameters():
        known = f"{method} {parameter}"
        if parameter in PLAIN or parameter in FUNCTIONS.split() or known in cases or known in other:
            continue
        assert known in NO_LABELS, f"{known} takes a column by its labels, or says here why it does not"
