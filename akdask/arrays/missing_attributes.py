"""Advice in errors: the substitutes for methods of NumPy and pandas that akdask's objects lack."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from akdask.deferred import pd
from akdask.errors import MissingAttributeError

SUBSTITUTES: dict[str, dict[str, str]] = {
    "Array": {
        "T": "a",
        "append": "ak.concatenate([a, b])",
        "groupby": "ak.GroupBy(a)",
        "iat": "a[0]",
        "iloc": "a[0]",
        "index": "ak.arange(a.size)",
        "items": "enumerate(a)",
        "loc": "a[mask]",
        "plot": "plt.plot(a)",
        "ravel": "a.flatten()",
        "repeat": "a[ak.arange(2 * a.size) // 2]",
        "sort": "ak.sort(a)",
        "sample": "a[ak.randint(0, a.size, 10)]",
        "to_frame": "ak.DataFrame({'a': a})",
        "to_list": "a.tolist()",
        "to_pandas": "pd.Series(a)",
        "union": "ak.union1d(a, b)",
        "values": "a.to_ndarray()",
        "view": "a.astype(float)",
    },
    "pdarray": {
        "add": "a + b",
        "agg": "a.sum()",
        "argpartition": "ak.argmink(a, 10)",
        "count": "(~ak.isnan(a)).sum()",
        "div": "a / b",
        "dot": "ak.dot(a, b)",
        "eq": "a == b",
        "floordiv": "a // b",
        "ge": "a >= b",
        "gt": "a > b",
        "hist": "ak.histogram(a)",
        "idxmax": "a.argmax()",
        "idxmin": "a.argmin()",
        "is_monotonic_increasing": "a.is_sorted()",
        "is_unique": "ak.unique(a).size == a.size",
        "le": "a <= b",
        "lt": "a < b",
        "mod": "a % b",
        "mul": "a * b",
        "ne": "a != b",
        "nonzero": "ak.arange(a.size)[a != 0]",
        "pow": "a ** b",
        "put": "ak.putmask(a, mask, b)",
        "searchsorted": "ak.searchsorted(a, b)",
        "sub": "a - b",
        "truediv": "a / b",
    },
    "TimeArray": {
        "to_period": "t.strftime('%Y-%m')",
        "to_pydatetime": "t.to_pandas().to_pydatetime()",
    },
    "Strings": {
        "cat": "s.stick(other, delimiter='-')",
        "len": "s.get_lengths()",
        "lstrip": "s.strip()",
        "rstrip": "s.strip()",
    },
    "Categorical": {
        "cat": "c",
        "nunique": "ak.unique(c).size",
    },
    "DataFrame": {
        "T": "df.to_pandas().T",
        "boxplot": "df.plot.box",
        "hist": "df.plot.hist",
        "to_string": "df.to_pandas().to_string()",
    },
    "Index": {
        "all": "index.values.all()",
        "any": "index.values.any()",
        "append": "index.concat(index)",
        "astype": "ak.Index(index.values.astype(float))",
        "drop_duplicates": "ak.Index(ak.unique(index.values))",
        "get_level_values": "index.values",
        "get_loc": "index.lookup(1)",
        "isin": "index.lookup(ak.array([1, 2]))",
        "max": "index.values.max()",
        "min": "index.values.min()",
        "nunique": "ak.unique(index.values).size",
        "to_frame": "ak.DataFrame({'index': index.values})",
        "to_series": "pd.Series(index.to_pandas())",
        "unique": "ak.Index(ak.unique(index.values))",
        "value_counts": "ak.value_counts(index.values)",
    },
    "GroupBy": {
        "agg": "g.aggregate(a, 'sum')",
        "groups": "g.unique_keys",
        "get_group": "a[keys == 1]",
        "indices": "g.permutation",
        "ngroup": "g.broadcast(ak.arange(g.ngroups))",
        "transform": "g.broadcast(g.sum(a)[1])",
        "value_counts": "g.size()",
    },
    "DataFrameGroupBy": {
        "groups": "groups.gb.unique_keys",
    },
    "Series": {
        "T": "series",
        "factorize": "ak.GroupBy(series.values).broadcast(ak.arange(series.nunique()))",
        "interpolate": "series.ffill()",
        "nbytes": "series.values.nbytes",
    },
    "ArrayView": {
        "ravel": "v.flatten()",
    },
}
"""By class and name: an expression that does the same in the most frequent case.

Objects are called ``a`` and ``b`` (arrays), ``s`` (Strings), ``c`` (Categorical), ``t`` (times), ``df``, ``index``,
``g`` and ``keys`` (a GroupBy and its keys), ``groups`` (of a DataFrame), ``series``, ``v`` (an ArrayView), ``mask``
(bools).
"""

MODELS: dict[str, tuple[str, ...]] = {
    "DataFrame": ("DataFrame",),
    "Series": ("Series",),
    "Index": ("Index",),
    "GroupBy": ("api.typing.SeriesGroupBy",),
    "DataFrameGroupBy": ("api.typing.DataFrameGroupBy",),
    "ArrayView": ("ndarray",),
    "Array": ("ndarray", "Series"),
}
"""Of which classes of NumPy and pandas users may take an attribute for granted, by their names there."""

ADVICE = {
    "DataFrame": "df.to_pandas()",
    "Series": "series.to_pandas()",
    "Index": "index.to_pandas()",
    "GroupBy": "pd.Series(a).groupby(…)",
    "DataFrameGroupBy": "df.to_pandas().groupby(…)",
    "ArrayView": "v.to_ndarray()",
    "Array": "a.to_ndarray(), or pd.Series(a),",
}


METHODS_OF_SERIES = frozenset(
    {
        "abs",
        "apply",
        "between",
        "bfill",
        "clip",
        "cummax",
        "cummin",
        "cumprod",
        "cumsum",
        "describe",
        "diff",
        "drop_duplicates",
        "dropna",
        "dt",
        "duplicated",
        "ewm",
        "expanding",
        "ffill",
        "fillna",
        "isin",
        "isna",
        "isnull",
        "map",
        "mask",
        "nlargest",
        "notna",
        "notnull",
        "nsmallest",
        "pct_change",
        "rank",
        "replace",
        "rolling",
        "round",
        "shift",
        "sort_values",
        "str",
        "unique",
        "value_counts",
        "where",
    }
)
"""What columns, which are arrays, take from `Series`, as pandas users write it; results are Series then."""


def of_series(array: Any, name: str) -> Any:
    """Return a method of `Series` for an array, which columns take as pandas users write it.

    Raises
    ------
    MissingAttributeError
        If columns take no such method.
    """
    if name not in METHODS_OF_SERIES:
        raise missing_attribute(type(array), name)
    from akdask.frames.series import Series

    return getattr(Series(array), name)


def _model(name: str) -> type:
    found: type = np.ndarray if name == "ndarray" else attrgetter(name)(pd)
    return found


def missing_attribute(
    kind: type, name: str, *, of: str = "attribute", columns: Iterable[str] = ()
) -> MissingAttributeError:
    """Return the error for an attribute that a class lacks; it names the attribute to use instead."""
    message = f"{kind.__name__!r} object has no {of} {name!r}."
    # Other packages look for their protocols again and again.
    return MissingAttributeError(message, hint=None if name.startswith("_") else partial(_remedy, kind, name, columns))


def _remedy(kind: type, name: str, columns: Iterable[str]) -> str | None:
    bases = [base.__name__ for base in kind.__mro__]
    found = next((SUBSTITUTES[base][name] for base in bases if name in SUBSTITUTES.get(base, ())), None)
    if found is not None:
        return f"write {found}"
    model = next(base for base in bases if base in MODELS)
    owner = next((cls for cls in map(_model, MODELS[model]) if hasattr(cls, name)), None)
    if owner is not None:
        library = owner.__module__.partition(".")[0]
        return f"{ADVICE[model]} gives what {library} has it for, where the data fit into memory."
    own = [known for known in dir(kind) if not known.startswith("_")]
    return nearby(name, columns, 0.75) or nearby(name, own, 0.75) or nearby(name, columns)


def nearby(name: Any, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return a hint at the most similar name, None if no name is as similar as that."""
    found = get_close_matches(str(name), list(known), 1, likeness)
    return f"did you mean {found[0]!r}?" if found else None
