"""Several Series below each other or side by side: `Series.concat` and `Series.pdconcat`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from akdask.collections.core.later import later
from akdask.collections.frame_core.alignment import on_all_labels
from akdask.collections.frame_core.index import Index
from akdask.collections.series.base import SeriesBase
from akdask.collections.series.operators import SeriesOperators
from akdask.collections.text.concatenation import concatenate
from akdask.deferred import pd
from akdask.errors import ArgumentTypeError, PositionError


class SeriesJoining(SeriesOperators):
    """Putting Series together."""

    @classmethod
    def concat(
        cls,
        arrays: Sequence[Any],
        axis: int = 0,
        index_labels: Sequence[str] | None = None,
        value_labels: Sequence[str] | None = None,
        ordered: bool = False,
    ) -> Any:
        """Put Series, or pairs of keys and values of groups, below each other or side by side.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            0 puts them below each other; 1 side by side, by their labels.
        index_labels : list of str, optional
            With ``axis=1``, names of the columns of labels.
        value_labels : list of str, optional
            With ``axis=1``, names of the columns of values: ``val_0``, ``val_1`` and so on unless given.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Returns
        -------
        Series, or DataFrame
            A DataFrame of labels and values with ``axis=1``; values are 0 for labels that a Series lacks.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.

        Examples
        --------
        >>> import akdask as ak
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([3, 4], index=["b", "c"])
        >>> ak.Series.concat([one, two]).to_pandas().to_dict() == {"a": 1, "b": 3, "c": 4}
        True
        >>> ak.Series.concat([one, two], axis=1).to_pandas()
          idx  val_0  val_1
        0   a      1      0
        1   b      2      3
        2   c      0      4
        """
        series = cls._as_series(arrays)
        if axis == 1:
            names = value_labels or [f"val_{number}" for number in range(len(series))]
            found, values = series[0]._row_labels, [series[0].values]
            for one in series[1:]:
                joined = on_all_labels(found, values, one._row_labels, [one.values], cls._rules.absent_operand)
                found, values = joined.labels, [*joined.ones, *joined.others]
            labels = series[0]._named_index(found.arrays).to_dict(None if index_labels is None else [*index_labels])
            return later("DataFrame", {**labels, **dict(zip(map(str, names), values, strict=True))})
        joined = reduce(lambda one, other: one.concat(other), [one.index for one in series])
        return cls._of(concatenate([one.values for one in series]), joined)

    @classmethod
    def pdconcat(cls, arrays: Sequence[Any], axis: int = 0, labels: Any = None) -> pd.Series | pd.DataFrame:
        """Put Series, or pairs of keys and values of groups, together as pandas does; computes.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            Below each other, or side by side, where all have the labels of the first.
        labels : Strings or sequence of str, optional
            With ``axis=1``, names of the columns.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.
        """
        series = [one.to_pandas() for one in cls._as_series(arrays)]
        if axis != 1:
            return pd.concat(series)
        index = series[0].index
        frame = pd.concat([pd.Series(one.to_numpy(), index=index) for one in series], axis=1)
        if labels is not None:
            frame.columns = pd.Index(np.asarray(labels))
        return frame

    @classmethod
    def _as_series(cls, arrays: Sequence[Any]) -> list[Any]:
        """Return Series, made of pairs of keys and values where these are given."""
        arrays = list(arrays)
        if not arrays:
            raise PositionError("concat needs at least one Series.")
        kinds = {type(item) for item in arrays}
        if len(kinds) > 1 or not isinstance(arrays[0], SeriesBase | tuple):
            raise ArgumentTypeError(
                f"Series are put together with Series, not with {', '.join(sorted(kind.__name__ for kind in kinds))}."
            )
        if isinstance(arrays[0], tuple):
            return [cls._of(values, Index.factory(keys)) for keys, values in arrays]
        return arrays
