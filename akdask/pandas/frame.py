"""`DataFrame` of pandas' face."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pandas

from akdask.deferred import compliant
from akdask.errors import AkdaskError, caller_above, errors_end_at_caller
from akdask.pandas import tuning
from akdask.pandas.arguments import NOT_GIVEN
from akdask.pandas.display import frame_html, frame_latex, frame_text, outline, sizes_of_columns
from akdask.pandas.face import (
    OPERATORS,
    RETURNING_SELF,
    Face,
    NDFrame,
    called,
    face_of,
    faced,
    in_pandas,
    lazy_argument,
    lazy_kind,
    words,
)
from akdask.pandas.pictures import Pictures
from akdask.pandas.refusals import ArrangementError, NotLazyError, refusal
from akdask.pandas.series import OF_VALUES, Series, array_ufunc
from akdask.pandas.steps import FrameGroups, Indexer, MovingWindows, Resampled


@face_of(pandas.DataFrame)
@errors_end_at_caller
class DataFrame(NDFrame):
    """Rows with named columns and labels, lazy where they can be, with the methods of `pandas.DataFrame`.

    Parameters
    ----------
    data, index, columns, dtype, copy
        As pandas takes them; moreover a DataFrame of akdask, and lazy arrays and Series in mappings.
    """

    lazy_methods = words(
        """abs add_prefix add_suffix asfreq assign at_time between_time bfill clip combine_first count cov cummax
        cummin cumprod cumsum diff drop_duplicates dropna duplicated expanding ffill fillna head idxmax
        idxmin isin isna isnull join map max mean melt min mode nlargest notna notnull nsmallest nunique pct_change
        pivot prod quantile query eval rank reindex reindex_like replace resample rolling ewm round select_dtypes
        set_index shift sort_index sort_values std sum tail take truncate tz_convert tz_localize var where mask
        value_counts loc iloc at iat any all agg aggregate apply explode stack filter equals"""
    )

    forms = ("frame_forms", "FORMS")

    steps = {
        "groupby": FrameGroups,
        "rolling": MovingWindows,
        "expanding": MovingWindows,
        "ewm": MovingWindows,
        "resample": Resampled,
        "loc": Indexer,
        "iloc": Indexer,
        "at": Indexer,
        "iat": Indexer,
        "plot": Pictures,
    }

    _typ = "dataframe"
    """Has classes of pandas, such as MultiIndex, take the columns with their types and names."""

    def __init__(
        self,
        data: Any = None,
        index: Any = None,
        columns: Any = None,
        dtype: Any = None,
        copy: bool | None = None,
    ) -> None:
        if index is None and columns is None and dtype is None:
            if lazy_kind(data) == "frame":
                self._adopt(faced(data))
                return
            if isinstance(data, DataFrame):
                self._hold(data._lazy, data._in_memory)
                return
        if isinstance(data, dict) and dtype is None and any(map(_is_lazy, data.values())):
            from akdask.pandas.lazy import LazyFrame

            items = {name: lazy_argument(item) for name, item in data.items()}
            self._hold(LazyFrame(items, in_pandas(index), columns), None)
            return
        try:
            made = pandas.DataFrame(in_pandas(data), in_pandas(index), in_pandas(columns), dtype, copy)
        except Exception as error:
            raise refusal(error, data if isinstance(data, dict) else None) from error
        self._hold(None, made)

    def _made_lazy(self, rows: pandas.DataFrame) -> Any:
        return _labels().lazily(rows)

    def _computed(self) -> pandas.DataFrame:
        found: pandas.DataFrame = _labels().computed(self._lazy)
        return found

    def _lazily(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from akdask.pandas import labels

        own = self.lazy()
        if name in ROUNDING:
            own = labels.settled_columns(own)
            if own is not self.lazy():
                return DataFrame._of(own)._lazily(name, args, kwargs)
        if only_moves_labels(name, args, kwargs):
            result = self._faced(labels.arrangement(own, name, args, kwargs))
        elif labels.labels_of_frame(own) is None or name in KNOW_LABELS:
            frames = [one for one in (*args, *kwargs.values()) if isinstance(one, DataFrame)]
            if name not in KNOW_LABELS and any(labels.labels_of_frame(one.lazy()) is not None for one in frames):
                raise NotLazyError("columns of an operand are not named by text, or its rows have several levels")
            return self._with_type(name, super()._lazily(name, args, kwargs))
        else:
            result = self._under_labels(name, args, kwargs)
        if kwargs.get("inplace") is True:
            self._adopt(result)
            return self if name in RETURNING_SELF else None
        return result

    def _with_type(self, name: str, found: Any) -> Any:
        """Return reductions of columns; those of integers some of which were missing are floats."""
        if name not in OF_VALUES or not isinstance(found, Series):
            return found
        columns = self.lazy()._columns
        has_floats = any(_labels().had_gaps(columns.array(each), or_has=True) for each in columns.values)
        return found.astype(np.float64) if has_floats and found.dtype.kind in "iu" else found

    def _under_labels(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a method on the columns below their labels, and put the labels on what it returns."""
        from akdask.pandas import labels

        def call(rows: Any, *given: Any, **words: Any) -> Any:
            return DataFrame._of(rows)._lazily(
                name, given, {**words, "inplace": False} if "inplace" in words else words
            )

        own = self.lazy()
        if name in SELECT_ROWS:
            return self._faced(labels.under_rows(own, name, call, args, kwargs))
        if name in KEEP_SHAPE:
            return self._faced(labels.under_values(own, call, args, kwargs))
        if name in REDUCE and name != "apply":
            return self._faced(labels.under_reductions(own, call, args, kwargs))
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")

    # columns and labels

    @property
    def columns(self) -> pandas.Index:
        """Labels of the columns."""
        return self._labels("columns", lambda: _labels().column_labels(self._lazy))

    @columns.setter
    def columns(self, names: Any) -> None:
        if self._in_memory is not None:
            self._change("columns", names)
            return
        self._adopt(self._call("set_axis", (in_pandas(names),), {"axis": 1}))

    @property
    def index(self) -> pandas.Index:
        """Labels of the rows; computes them."""
        return self._labels("index", lambda: _labels().row_labels(self._lazy))

    @index.setter
    def index(self, rows: Any) -> None:
        if self._in_memory is None:
            rows = rows if isinstance(rows, pandas.Index) else pandas.Index(in_pandas(rows))
            with suppress(NotLazyError, AkdaskError):
                from akdask.pandas import labels

                self._adopt(labels.with_row_labels(self.lazy(), rows))
                return
        self._change("index", rows)

    def _change(self, attribute: str, value: Any) -> None:
        own = self.to_pandas()
        try:
            setattr(own, attribute, in_pandas(value))
        except Exception as error:
            raise refusal(error) from error
        self._adopt(own)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns; counts the rows if they are unknown."""
        return len(self), len(self.columns)

    @property
    def size(self) -> int:
        """Number of rows times columns."""
        return len(self) * len(self.columns)

    @property
    def empty(self) -> bool:
        """Whether there are no rows, or no columns."""
        return self.size == 0

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    @property
    def dtypes(self) -> Any:
        """Types of the columns, as pandas has them."""
        if self._in_memory is not None:
            return faced(self._in_memory.dtypes)
        from akdask.pandas import labels

        return faced(labels.types_of(self._lazy))

    def keys(self) -> pandas.Index:
        """Return the labels of the columns."""
        return self.columns

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.columns)

    def __contains__(self, key: Any) -> bool:
        return key in self.columns

    def items(self) -> Iterator[tuple[Hashable, Any]]:
        """Iterate over the labels and columns."""
        for position, name in enumerate(self.columns):
            yield name, self[name] if self.columns.is_unique else self.iloc[:, position]

    # choosing

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (called(key, self),), {})

    def _ipython_key_completions_(self) -> list[Any]:
        return list(self.columns)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self.columns if isinstance(name, str) and name.isidentifier())]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.columns:
            return self[name]
        return self._asked_by_pandas(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif name in self.columns:
            self[name] = value
        else:
            object.__setattr__(self, name, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._set_item(None, called(key, self), value)

    def __delitem__(self, key: Any) -> None:
        self.pop(key)

    def _set_item(self, step: str | None, key: Any, value: Any) -> None:
        """Assign to a column, or to what an indexer chooses."""
        if self._goes_lazily() or _is_lazy(value):
            from akdask.pandas import setting

            try:
                own, chosen, given = self.lazy(), lazy_argument(key), lazy_argument(value)
                if step is None:
                    made = setting.with_item(own, chosen, given)
                else:
                    made = setting.with_rows(own, step, chosen, given)
            except ArrangementError as refused:
                raise refusal(refused.error, self) from refused.error
            except Exception as reason:
                self._tell("__setitem__" if step is None else step, reason, (step, key, value))
            else:
                self._adopt(faced(made))
                return
        own = self.to_pandas()
        try:
            (own if step is None else getattr(own, step))[in_pandas(key)] = in_pandas(value)
        except Exception as error:
            raise refusal(error, self) from error
        self._adopt(own)

    def pop(self, item: Hashable) -> Any:
        """Return a column, and remove it."""
        found = self[item]
        self._adopt(self.drop(columns=item))
        return found

    def insert(self, loc: int, column: Hashable, value: Any, allow_duplicates: Any = NOT_GIVEN) -> None:
        """Put a column at a position.

        Examples
        --------
        >>> import akdask.pandas as pd
        >>> df = pd.DataFrame({"x": [3, 1], "y": [1, 2]})
        >>> df.insert(0, "w", [5, 6])
        >>> df
           w  x  y
        0  5  3  1
        1  6  1  2
        """
        if column not in self.columns and isinstance(column, str) and not self.is_at_hand() and self._lazy is not None:
            self[column] = value
            names = [name for name in self.columns if name != column]
            names.insert(loc, column)
            self._adopt(self[names])
            return
        self._through_pandas("insert", (loc, column, value, allow_duplicates), {})

    # calls that know the caller, and functions of the user

    def query(self, expr: str, *, inplace: Any = NOT_GIVEN, **kwargs: Any) -> Any:
        """Return the rows for which an expression holds; as in pandas.

        Examples
        --------
        >>> import akdask.pandas as pd
        >>> df = pd.DataFrame({"x": [3, 1], "y": [1, 2]})
        >>> df.query("x > y")
           x  y
        0  3  1
        """
        return self._call("query", (expr,), {**_variables(expr, kwargs), **_given(inplace=inplace)})

    def eval(self, expr: str, *, inplace: Any = NOT_GIVEN, **kwargs: Any) -> Any:
        """Compute an expression of columns; as in pandas.

        Examples
        --------
        >>> import akdask.pandas as pd
        >>> df = pd.DataFrame({"x": [3, 1], "y": [1, 2]})
        >>> df.eval("x + y").tolist()
        [4, 3]
        """
        return self._call("eval", (expr,), {**_variables(expr, kwargs), **_given(inplace=inplace)})

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the frame.

        Examples
        --------
        >>> import akdask.pandas as pd
        >>> df = pd.DataFrame({"x": [3, 1], "y": [1, 2]})
        >>> df.pipe(len)
        2
        """
        if isinstance(func, tuple):
            func, word = func
            return func(*args, **{**kwargs, word: self})
        return func(self, *args, **kwargs)

    def assign(self, **kwargs: Any) -> Any:
        """Return the frame with more columns: values, or functions of the frame.

        Examples
        --------
        >>> import akdask.pandas as pd
        >>> df = pd.DataFrame({"x": [3, 1], "y": [1, 2]})
        >>> df.assign(z=lambda df: df.x + df.y)
           x  y  z
        0  3  1  4
        1  1  2  3
        """
        made = self.copy()
        for name, value in kwargs.items():
            made[name] = called(value, made)
        return made

    # display

    def info(
        self,
        verbose: bool | None = None,
        buf: Any = None,
        max_cols: int | None = None,
        memory_usage: bool | str | None = None,
        show_counts: bool | None = None,
    ) -> None:
        """Print the labels, columns, types and counts of values that are not missing, as pandas does."""
        options = {"verbose": verbose, "max_cols": max_cols, "show_counts": show_counts}
        if self._in_memory is not None or self.size <= tuning.CACHED_VALUES:
            self._through_pandas("info", (), {"buf": buf, "memory_usage": memory_usage, **options})
        else:
            outline(self, buf, memory_usage, **options)

    def memory_usage(self, index: bool = True, deep: bool = False) -> Any:
        """Return the bytes that each column takes in pandas."""
        if self._in_memory is not None or self.size <= tuning.CACHED_VALUES:
            return self._through_pandas("memory_usage", (index, deep), {})
        return faced(sizes_of_columns(self, index, deep))

    def __repr__(self) -> str:
        return frame_text(self)

    def _repr_html_(self) -> str | None:
        return frame_html(self)

    def _repr_latex_(self) -> str | None:
        return frame_latex(self)

    @property
    def style(self) -> Any:
        """The rows as a table whose cells are styled, by pandas' `Styler`; computes them."""
        return self.to_pandas().style

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.to_pandas(), dtype=dtype)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.to_pandas().__dataframe__(nan_as_null, allow_copy)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_pandas().__arrow_c_stream__(requested_schema)

    def __narwhals_dataframe__(self) -> Any:
        return compliant(self.to_pandas())

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return array_ufunc(ufunc, method, inputs, kwargs)

    def __bool__(self) -> bool:
        return bool(self.to_pandas())


# Lazy frames name their columns by different texts, and their rows by one level.  Where pandas' names or levels go
# beyond that, methods are called on the columns below the labels; how the labels come back depends on what methods do:

MOVE_LABELS = words(
    """set_index reset_index rename rename_axis add_prefix add_suffix set_axis droplevel swaplevel reorder_levels filter
    drop sort_index reindex squeeze"""
)
"""Methods that, by their arguments, give columns and levels other names and places, and touch no row."""

SELECT_ROWS = words(
    "head tail take dropna nlargest nsmallest sort_values drop_duplicates duplicated between_time at_time"
)
"""Methods that choose or order rows: labels of columns stay, and levels move with their rows."""

KEEP_SHAPE = OPERATORS | words(
    """round abs fillna isna isnull notna notnull astype clip cumsum cumprod cummax cummin diff shift ffill bfill rank
    pct_change where mask replace isin map add sub mul div truediv floordiv mod pow eq ne lt le gt ge"""
)
"""Methods that give a value for each value: labels of rows and columns stay."""

REDUCE = words(
    """sum mean min max std var median count nunique any all prod product sem skew kurt kurtosis quantile idxmax idxmin
    describe agg aggregate corr cov mode apply"""
)
"""Methods that reduce each column, or each row: the result has the labels of the other axis."""

KNOW_LABELS = words(
    """__getitem__ select query eval idxmax idxmin drop reindex rename sort_index xs truncate sample groupby loc
    iloc at iat stack unstack merge first_valid_index last_valid_index get squeeze"""
)
"""Methods whose lazy forms look after the labels themselves."""

ON_EITHER_AXIS = words("drop rename reindex sort_index set_axis squeeze")
"""Methods that move labels of columns with ``axis=1`` or ``columns=``, and need the rows otherwise."""


def only_moves_labels(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a call gives columns and levels other names and places, and touches no row."""
    given = (*args, *kwargs.values())
    of_rows = (Face, pandas.Series, pandas.Index, np.ndarray)
    if any(isinstance(one, of_rows) for one in given):
        return name == "set_axis" and kwargs.get("axis") in (1, "columns")
    if name == "__getitem__":
        (key,) = args
        return isinstance(key, str | tuple | int | float | pandas.Timestamp) or (
            isinstance(key, list) and not any(isinstance(one, bool | np.bool_) for one in key)
        )
    if name in ON_EITHER_AXIS:
        on_columns = kwargs.get("axis") in (1, "columns") or ("columns" in kwargs and kwargs.get("index") is None)
        return on_columns and not (name == "reindex" and len(kwargs) > 1)
    if name == "set_index":
        keys = [one for many in given if isinstance(many, list) for one in many]
        return not kwargs.get("verify_integrity") and not any(isinstance(one, of_rows) for one in keys)
    if name == "filter":
        return kwargs.get("axis") in (None, 1, "columns")
    if name == "rename_axis":
        return all(not callable(one) for one in given)
    return name in MOVE_LABELS


def _labels() -> Any:
    from akdask.pandas import labels

    return labels


ROUNDING = words("cumprod cumsum diff drop_duplicates duplicated nunique prod product rank sort_values sum")
"""Methods that tell integers from the floats nearest to them, which pandas has if some are missing."""


def _is_lazy(given: Any) -> bool:
    """Return whether an object is lazy, and not at hand."""
    if isinstance(given, Face):
        return not given.is_at_hand()
    return lazy_kind(given) is not None


def _given(**words: Any) -> dict[str, Any]:
    """Return the words that were given."""
    return {word: value for word, value in words.items() if value is not NOT_GIVEN}


def _variables(expr: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of the caller's caller that an expression names, unless others are given.

    Pandas' objects take the place of all that are passed on, so others would be computed as well.
    """
    caller, named = caller_above(2), {*re.findall(r"\w+", expr)} if isinstance(expr, str) else set()
    known = {"local_dict": caller.f_locals, "global_dict": caller.f_globals}
    return {**{word: {name: of[name] for name in named & of.keys()} for word, of in known.items()}, **given}
