"""Pictures of frames and Series: pandas draws them, and of many values the house does, from bins and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from akdask import config
from akdask.errors import AkdaskError, errors_end_at_caller
from akdask.pandas import tuning
from akdask.pandas.face import calls, in_pandas, lazy_argument
from akdask.pandas.refusals import FallbackError, NotLazyError, refusal
from akdask.pandas.steps import Step

if TYPE_CHECKING:
    from akdask.pandas.face import Face

ONE_FOR_EACH_ROW = frozenset({"bar", "barh", "pie"})
"""Kinds of pictures with a mark for each row, which nobody can see of many rows: these stay refused."""

ONE_LABEL = frozenset({"line", "area", "hist", "kde", "density"})
"""Kinds whose axes pandas labels by the labels of the rows alone, and the house by the name of a Series."""


@errors_end_at_caller
class Pictures(Step):
    """``plot`` of a frame or Series."""

    pandas_class = vars(pandas.DataFrame)["plot"]._accessor

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return draw(self._origin, "plot", "__call__", args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self.pandas_class, name) or name.startswith("_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: draw(self._origin, "plot", name, args, kwargs)


def draw(face: Any, step: str, kind: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw a picture by a method of pandas, or of its ``plot``.

    Parameters
    ----------
    face : Face
        What is drawn: a frame or Series, or groups of one.
    step : {"plot", "hist", "boxplot"}
        The attribute or method of pandas.
    kind : str or None
        The method of ``plot``.
    args, kwargs
        Arguments of pandas' method.
    """
    if _is_large(face):
        try:
            found = _reduced(face, step, kind, args, kwargs)
        except Exception as reason:  # pandas draws it, or says what is wrong
            if isinstance(reason, AkdaskError) and {kind, kwargs.get("kind")} & ONE_FOR_EACH_ROW:
                raise
            if config.get("pandas_fallback") == "error":
                raise FallbackError(f"{step} has no lazy form here: {reason}.") from None
            face._tell(step, reason)
        else:
            calls[face._named(step), "lazily"] += 1
            return found
    try:
        own = getattr(face.to_pandas(), step)
        return (own if kind is None else getattr(own, kind))(*in_pandas(args), **in_pandas(kwargs))
    except Exception as error:
        raise refusal(error) from error


def _is_large(face: Face) -> bool:
    """Return whether an object has more values than a look at it computes."""
    if isinstance(face, Step):
        return False
    rows: Any = face
    return len(rows) * (len(rows.columns) if rows.ndim == 2 else 1) > tuning.CACHED_VALUES


def _reduced(face: Any, step: str, kind: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from akdask.pandas.labels import labels_of_frame
    from akdask.plotting import Plots

    own = face.lazy()
    if face.ndim == 2 and labels_of_frame(own) is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    plots: Any = Plots(own)
    if step == "hist":
        return _histograms(plots, face, args, kwargs)
    if step == "boxplot":
        found = plots.box(**{**dict(zip(("column", "by"), args, strict=False)), **kwargs})
        return found.iloc[0] if isinstance(found, pandas.Series) and len(found) == 1 else found
    if (kwargs.get("kind", "line") if kind == "__call__" else kind) in ONE_LABEL:
        kwargs = {"xlabel": None, "ylabel": None, **kwargs}
    return getattr(plots, kind or "__call__")(*args, **lazy_argument(kwargs))


def _histograms(plots: Any, face: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw a histogram of each column in its own axes: pandas those of the extremes, whose bars get their heights."""
    from akdask.plotting.histogram import counts_of_each

    bins = kwargs.get("bins", 10)
    if args or not isinstance(bins, int) or {*kwargs} & {"by", "histtype", "density", "cumulative", "weights", "range"}:
        raise NotLazyError("arguments of histograms beyond a number of bins have no lazy form")
    column = kwargs.get("column")
    rows = plots._columns({"column": column})
    wanted = {*rows.plottable("hist"), *rows._times()}
    names = [name for name in rows.columns.values if name in wanted]
    counted = counts_of_each(rows.axis_values("hist", names), bins)
    if not all(counts.sum() for counts, _ in counted):
        raise NotLazyError("a column has no values")
    extremes = pandas.DataFrame({name: edges[[0, -1]] for name, (_, edges) in zip(names, counted, strict=True)})
    drawn = extremes if face.ndim == 2 else extremes.iloc[:, 0].rename(face.name)
    axes: Any = drawn.hist(**{word: item for word, item in kwargs.items() if word != "column"})
    for ax, (counts, _) in zip(np.ravel(axes), counted, strict=False):
        for bar, count in zip(ax.patches[-bins:], counts, strict=True):
            bar.set_height(count)
        ax.relim()
        ax.autoscale_view()
    return axes
