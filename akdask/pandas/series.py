"""`Series` of pandas' face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

from akdask.deferred import compliant
from akdask.errors import errors_end_at_caller
from akdask.pandas.display import series_text
from akdask.pandas.face import Face, NDFrame, called, face_of, faced, in_pandas, lazy_argument, lazy_kind, words
from akdask.pandas.pictures import Pictures
from akdask.pandas.refusals import ArrangementError, NotLazyError, refusal
from akdask.pandas.steps import (
    CategoryAccessor,
    FrameGroups,
    Indexer,
    MovingWindows,
    Resampled,
    Text,
    Times,
)

OF_VALUES = words("first last max min prod product sum")
"""Reductions of integers that are integers."""

ROUNDING = words(
    """cumprod cumsum diff drop_duplicates duplicated isin mode nunique prod product rank sort_values sum unique
    value_counts"""
)
"""Methods that tell integers from the floats nearest to them, which pandas has if some are missing."""

OF_NOTHING = words("max mean median min std var")
"""Reductions that give a float of Python where there are no values, mean also where all are missing."""

KEEPING = words("cummax cummin cumprod cumsum mask mode replace where")
"""Methods whose integers are floats where those that they are made of are."""


@face_of(pandas.Series)
@errors_end_at_caller
class Series(NDFrame):
    """A column with labels, lazy where it can be, with the methods of `pandas.Series`.

    Parameters
    ----------
    data, index, dtype, name, copy
        As pandas takes them; moreover a Series of akdask, and lazy arrays.
    """

    lazy_methods = words(
        """abs add sub mul truediv floordiv mod pow eq ne lt le gt ge radd rsub rmul rtruediv rfloordiv rmod rpow
        asfreq at_time between between_time bfill clip combine_first corr count cov cummax cummin cumprod cumsum
        describe diff drop_duplicates dropna duplicated ewm expanding ffill fillna head hasnans idxmax idxmin isna
        isnull is_unique is_monotonic_decreasing is_monotonic_increasing is_unique kurt kurtosis max mean median min
        mode nlargest notna notnull nsmallest nunique pct_change prod quantile rank reindex reindex_like replace
        resample rolling round sem shift skew sort_index sort_values std sum tail to_frame tz_convert tz_localize
        unique value_counts var where mask loc iloc at iat any all str dt cat agg aggregate apply argmax argmin
        to_numpy tolist to_list equals autocorr cov"""
    )

    forms = ("series_forms", "FORMS")

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
        "str": Text,
        "dt": Times,
        "cat": CategoryAccessor,
        "plot": Pictures,
    }

    _typ = "series"
    """Has classes of pandas, such as Index, take the values with their type and name."""

    def __init__(
        self, data: Any = None, index: Any = None, dtype: Any = None, name: Any = None, copy: bool | None = None
    ) -> None:
        if lazy_kind(data) in ("series", "array") and index is None and dtype is None:
            from akdask.pandas.lazy import as_series

            self._hold(as_series(data, data.name if name is None and lazy_kind(data) == "series" else name), None)
            return
        if isinstance(data, Series) and index is None and dtype is None and name is None:
            self._hold(data._lazy, data._in_memory)
            return
        try:
            made = pandas.Series(in_pandas(data), in_pandas(index), dtype, name, copy)
        except Exception as error:
            raise refusal(error) from error
        self._hold(None, made)

    def _made_lazy(self, rows: pandas.Series) -> Any:
        from akdask.pandas.lazy import lazy_series

        return lazy_series(rows)

    def _computed(self) -> pandas.Series:
        from akdask.pandas.labels import computed

        found: pandas.Series = computed(self._lazy)
        return found

    def _lazily(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name in ROUNDING:
            from akdask.pandas.labels import settled_columns

            own = settled_columns(self.lazy())
            if own is not self.lazy():
                return Series._of(own)._lazily(name, args, kwargs)
        found = super()._lazily(name, args, kwargs)
        if name in KEEPING and isinstance(found, Series) and found._lazy is not None:
            from akdask.pandas.labels import made_of

            return Series._of(made_of(found._lazy, self.lazy()))
        if name in OF_VALUES and isinstance(found, np.integer):
            from akdask.pandas.labels import type_with_gaps

            return type_with_gaps(self.lazy(), found.dtype).type(found)
        if name in OF_NOTHING and isinstance(found, np.float64) and np.isnan(found):
            own = self.lazy()
            return found if int(own.count() if name == "mean" else len(own)) else float("nan")
        return found

    # name and labels

    @property
    def name(self) -> Any:
        """Name of the column."""
        return self._lazy.name if self._in_memory is None else self._in_memory.name

    @name.setter
    def name(self, name: Any) -> None:
        try:
            hash(name)
        except TypeError:
            raise refusal(TypeError("Series.name must be a hashable type")) from None
        from akdask.pandas.lazy import as_series

        lazily = None if self._lazy is None else as_series(self._lazy, name)
        in_memory = None if self._in_memory is None else self._in_memory.rename(name)
        self._hold(lazily, in_memory)

    @property
    def index(self) -> pandas.Index:
        """Labels of the values; computes them."""
        return self._labels("index", self._row_labels)

    @index.setter
    def index(self, labels: Any) -> None:
        own = self.to_pandas()
        try:
            own.index = in_pandas(labels)
        except Exception as error:
            raise refusal(error) from error
        self._adopt(own)

    def _row_labels(self) -> pandas.Index:
        from akdask.pandas.labels import framed, row_labels

        return row_labels(framed(self._lazy, None))

    @property
    def dtype(self) -> Any:
        """Type of the values, as pandas has it."""
        if self._in_memory is not None:
            return self._in_memory.dtype
        from akdask.pandas.labels import type_with_gaps

        return type_with_gaps(self._lazy, self._lazy.head(0).to_pandas().dtype)

    dtypes = dtype

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self)

    @property
    def shape(self) -> tuple[int]:
        """``(size,)``."""
        return (len(self),)

    @property
    def empty(self) -> bool:
        """Whether there are no values."""
        return not len(self)

    @property
    def ndim(self) -> int:
        """Always 1."""
        return 1

    def keys(self) -> pandas.Index:
        """Return the labels."""
        return self.index

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pandas())

    def __contains__(self, key: Any) -> bool:
        return key in self.index

    # choosing

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (called(key, self),), {})

    def __delitem__(self, key: Any) -> None:
        self._call("__delitem__", (key,), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._set_item(None, called(key, self), value)

    def _set_item(self, step: str | None, key: Any, value: Any) -> None:
        """Assign to what a key or an indexer chooses."""
        if self._goes_lazily():
            from akdask.pandas import setting

            try:
                made = setting.with_entries(self.lazy(), step, lazy_argument(key), lazy_argument(value))
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
            raise refusal(error) from error
        self._adopt(own)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and self._in_memory is not None and name in self._in_memory.index:
            return self[name]
        return self._asked_by_pandas(name)

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the Series."""
        if isinstance(func, tuple):
            func, word = func
            return func(*args, **{**kwargs, word: self})
        return func(self, *args, **kwargs)

    def item(self) -> Any:
        """Return the only value."""
        return self.to_pandas().item()

    # display and NumPy

    def __repr__(self) -> str:
        return series_text(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.to_pandas(), dtype=dtype)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_pandas().__arrow_c_stream__(requested_schema)

    def __narwhals_series__(self) -> Any:
        return compliant(self.to_pandas())

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return array_ufunc(ufunc, method, inputs, kwargs)

    def __bool__(self) -> bool:
        return bool(self.to_pandas())

    def __float__(self) -> float:
        return float(self.to_pandas())

    def __int__(self) -> int:
        return int(self.to_pandas())


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply a function of NumPy to frames and Series."""
    if method == "__call__" and not kwargs and not all(item.is_at_hand() for item in inputs if isinstance(item, Face)):
        try:
            first, *others = [item for item in inputs if isinstance(item, NDFrame)]
            return first._with_notes(OF_UFUNC, tuple(others), _lazy_ufunc(ufunc, inputs))
        except Exception:  # pandas answers it
            pass
    given = in_pandas(kwargs)
    found = faced(getattr(ufunc, method)(*map(in_pandas, inputs), **given))
    for target, made in zip(kwargs.get("out", ()), given.get("out", ()), strict=True):
        if isinstance(target, NDFrame):
            target._adopt(made)
    return found


OF_UFUNC = "__add__"
"""The method whose way with notes all functions of NumPy have."""


def _lazy_ufunc(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    from akdask.pandas.labels import labels_of_frame, under_values

    lazy = [*map(lazy_argument, inputs)]
    framed = [item for item in lazy if lazy_kind(item) == "frame"]
    if all(labels_of_frame(item) is None for item in framed):
        return faced(ufunc(*lazy))
    if len(framed) > 1 or any(lazy_kind(item) == "series" for item in lazy):
        raise NotLazyError("columns are not aligned lazily")
    # Columns that text does not name keep their labels, which the names of lazy columns do not tell.
    return faced(
        under_values(
            framed[0], lambda rows: faced(ufunc(*(rows if item is framed[0] else item for item in lazy))), (), {}
        )
    )
