"""Two Series on common labels, for operators: the labels of both, and the values that each has for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from akdask.collections.core.later import later
from akdask.collections.frame_core.index import Index
from akdask.collections.groups.uniqueness import unique
from akdask.collections.series.base import SeriesBase

MISSING_NUMBER = 0
"""What stands, as in Arkouda, for the value of a label that a Series lacks."""


def are_aligned(indexes: Sequence[Index]) -> bool:
    """Whether rows have equal labels in the same order; computes unless they are the same labels by their plan."""
    first, *others = indexes
    return all(_same_labels(first, other) for other in others)


def _same_labels(one: Index, other: Index) -> bool:
    if one.nlevels != other.nlevels:
        return False
    pairs = list(zip(one._levels, other._levels, strict=True))
    if all(type(own) is type(its) and own.rows.same_rows(its.rows) and own._value == its._value for own, its in pairs):
        return True
    return one.size == other.size and all(type(own) is type(its) and bool(own.equals(its)) for own, its in pairs)


def merged(indexes: Sequence[Index]) -> Index:
    """Return the distinct labels of several indexes, in ascending order; lazy."""
    joined = reduce(lambda one, other: one.concat(other), indexes)
    return Index.factory(
        list(unique(joined._levels)) if joined.nlevels > 1 else Index(unique(joined.values), joined.name)
    )


def on_labels(series: SeriesBase, index: Index) -> Any:
    """Return the values that a Series has for some labels, 0 (empty text) for those that it lacks; lazy.

    Raises
    ------
    NonUniqueError
        When it is computed, if the Series has a label twice.
    """
    fill: dict[str, Any] = {} if series.values._value.dtype.kind == "str" else {"fillvalue": MISSING_NUMBER}
    return later("lookup", series.index.values, series.values, index.values, **fill)


def aligned(series: Sequence[SeriesBase]) -> tuple[Index, list[Any]]:
    """Return common labels of several Series, and their values for these.

    Computes whether the labels are equal already, unless their plans tell; then the values stay as they are.  Labels
    that not all of them have are put in order, and values that are lacking are 0, as in Arkouda.
    """
    indexes = [one.index for one in series]
    if are_aligned(indexes):
        return indexes[0], [one.values for one in series]
    index = merged(indexes)
    return index, [on_labels(one, index) for one in series]
