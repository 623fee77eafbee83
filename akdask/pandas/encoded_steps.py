"""Groups, windows and accessors of frames and Series with encoded columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.deferred import loaded_module
from akdask.frames.columnset import VALUES
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.encoded import (
    REDUCED,
    Narrow,
    coding_of,
    columns_of,
    encoded_names,
    on_columns,
    widened,
    with_plain_masks,
)
from akdask.pandas.face import words
from akdask.pandas.labels import labels_of_frame
from akdask.pandas.refusals import NotLazyError

REDUCED_WIDE = words("mean std var median quantile sem skew kurt count nunique any all")
"""Reductions of groups whose results do not depend on the number of bits of their numbers."""

WINDOWS = words("resample rolling expanding ewm")
"""Steps from frames to windows or bins of rows, of which a key may choose columns."""

OF_ROWS = words("size ngroup ngroups cumcount")
"""Methods of groups that look at no column."""


def from_step(step: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of groups, windows or accessors, or refuse it because of encoded columns."""
    root = step
    chain = []
    while root is not root._root():
        chain.append(root)
        root = root._origin
    if not hasattr(root, "lazy"):
        return step._lazily(name, args, kwargs)
    own, first = root.lazy(), chain[-1]._step
    args = with_plain_masks(args) if first == "loc" else args
    found = _of_arrow_step(root, own, first, name, args, kwargs)
    if found is not NotImplemented:
        return found
    names = encoded_names(own)
    if not names or first in ("loc", "iloc", "at", "iat", "dt", "cat", "str"):
        return step._lazily(name, args, kwargs)
    if first in WINDOWS and isinstance(own, DataFrame):
        own = _without_others(own, chain, name)
        names = encoded_names(own)
        if first == "resample" and names:
            _check_integers(own, names, name)
        return again(chain, type(root)._of(widened(own, names, nullable="as floats")))._lazily(name, args, kwargs)
    if first in ("rolling", "expanding", "ewm"):
        return again(chain, type(root)._of(widened(own, nullable="as floats")))._lazily(name, args, kwargs)
    if first != "groupby":
        raise NotLazyError("a column has no lazy type")
    taken = _columns_taken(own, chain)
    concerned = [column for column in names if column in taken]
    if not concerned or name in OF_ROWS | REDUCED:
        return step._lazily(name, args, kwargs)
    _check_integers(own, concerned, str(args[0]) if name == "transform" and args else name)
    return again(chain, type(root)._of(widened(own, concerned)))._lazily(name, args, kwargs)


def _check_integers(own: Any, columns: Sequence[str], how: str) -> None:
    """Raise NotLazyError unless columns are narrow integers, which a method reduces as wide ones."""
    if how not in REDUCED_WIDE:
        raise NotLazyError("a column has no lazy type")
    for column in columns:
        coding = columns_of(own).kinds[column].coding
        if not isinstance(coding, Narrow) or coding.dtype.kind == "f":
            raise NotLazyError(f"a column is of type {coding.dtype}")


def _without_others(own: Any, chain: list[Any], name: str) -> Any:
    """Return a frame without the encoded columns that windows or bins leave out, as a key chooses others.

    Sizes of bins need no column but that of times.
    """
    origin, *chosen = chain[::-1]
    on, encoded = origin._kwargs.get("on"), encoded_names(own)
    if labels_of_frame(own) is not None or len(origin._args) > 1 or on in encoded:
        raise NotLazyError("a column has no lazy type")
    concerned = [column for column in own._columns.values if name != "size" or chosen or column == on]
    for step in chosen:
        if step._step != "__getitem__":
            raise NotLazyError("a column has no lazy type")
        key = step._args[0]
        asked = key if isinstance(key, list) else [key]
        concerned = [column for column in concerned if column in asked or column == on]
    return on_columns(own, own._columns.only(concerned))


def _of_arrow_step(root: Any, own: Any, first: str, name: str, args: Any, kwargs: Any) -> Any:
    """Call a method of text or days of Arrow; NotImplemented for all others."""
    arrow = loaded_module("akdask.pandas.arrow_types")
    coding = coding_of(own) if arrow is not None and first in ("dt", "str") and isinstance(own, Series) else None
    if arrow is None or not isinstance(coding, arrow.Arrow):
        return NotImplemented
    if first == "str" and coding.kind == "U":
        return root._faced(arrow.predicate(own, coding, name, args, kwargs))
    raise NotLazyError(f"a column is of type {coding.dtype}")


def _columns_taken(own: Any, chain: list[Any]) -> list[str]:
    """Return the columns that groups may reduce."""
    steps = chain[::-1]
    if any(step._step not in ("groupby", "__getitem__") for step in steps):
        raise NotLazyError("a column has no lazy type")
    if isinstance(own, Series):
        return [VALUES]
    by = steps[0]._args[0] if steps[0]._args else steps[0]._kwargs.get("by")
    keys = by if isinstance(by, list) else [by]
    taken = [column for column in own._columns.values if not any(column is key or _is(column, key) for key in keys)]
    for step in steps[1:]:
        key = step._args[0]
        taken = list(key) if isinstance(key, list) else [key]
    return taken


def _is(column: str, key: Any) -> bool:
    return isinstance(key, str) and column == key


def again(chain: list[Any], origin: Any) -> Any:
    """Return steps from another object."""
    for step in reversed(chain):
        origin = type(step)(origin, step._step, step._args, step._kwargs)
    return origin
