"""`StoredGroupBy`: a grouping whose groups are known, as files hold it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.collections.array import Array
from akdask.collections.creation import array
from akdask.collections.pdarray import pdarray
from akdask.collections.writing import Storable, StorageMethods
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.hdf5.layout import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, ObjType


class StoredGroupBy(StorageMethods):
    """Rows grouped by equal keys, with the order that brings those of each group together.

    Parameters
    ----------
    keys : sequence of pdarray, Strings or Categorical
        What the rows are grouped by.
    permutation : pdarray of int
        The numbers of the rows with those of each group together.
    segments : pdarray of int
        Where each group begins in `permutation`.
    unique_key_idx : pdarray of int
        The number of one row of each group.

    Raises
    ------
    ArgumentError
        If there are no keys.
    ArgumentTypeError
        If a part is no array of integers.

    Examples
    --------
    >>> import akdask as ak
    >>> g = StoredGroupBy([ak.array(["b", "a", "b"])], ak.array([1, 0, 2]), ak.array([0, 1]), ak.array([1, 0]))
    >>> g.unique_keys.tolist(), g.ngroups
    (['a', 'b'], 2)
    """

    _default_dataset = "groupby"

    def __init__(self, keys: Sequence[Any], permutation: Any, segments: Any, unique_key_idx: Any) -> None:
        if not keys:
            raise ArgumentError("rows are grouped by at least one array.")
        self._arrays: list[Array] = [key if isinstance(key, Array) else array(key) for key in keys]
        self.permutation = _integers(PERMUTATION, permutation)
        self.segments = _integers(SEGMENTS, segments)
        self.unique_key_idx = _integers(UNIQUE_KEY_IDX, unique_key_idx)

    @classmethod
    def build_from_components(cls, **components: Any) -> StoredGroupBy:
        """Return the grouping of ``orig_keys``, ``permutation``, ``segments`` and ``unique_key_idx`` or ``uki``."""
        keys = components["orig_keys"]
        index = components.get(UNIQUE_KEY_IDX, components.get("uki"))
        several = list(keys) if isinstance(keys, list | tuple) else [keys]
        return cls(several, components[PERMUTATION], components[SEGMENTS], index)

    @property
    def keys(self) -> Any:
        """What the rows are grouped by: one array, or a list of several."""
        return self._arrays[0] if len(self._arrays) == 1 else self._arrays

    @property
    def unique_keys(self) -> Any:
        """The keys of each group: one array, or a tuple of several; lazy."""
        found = tuple(key[self.unique_key_idx] for key in self._arrays)
        return found[0] if len(found) == 1 else found

    @property
    def nkeys(self) -> int:
        """Number of arrays that the rows are grouped by."""
        return len(self._arrays)

    @property
    def ngroups(self) -> int:
        """Number of groups."""
        return self.segments.size

    @property
    def length(self) -> int:
        """Number of rows."""
        return self._arrays[0].size

    def __len__(self) -> int:
        return self.ngroups

    def _storable(self) -> Storable:
        parts = {SEGMENTS: self.segments, PERMUTATION: self.permutation, UNIQUE_KEY_IDX: self.unique_key_idx}
        children = {name: part._storable() for name, part in parts.items()}
        children |= {f"{KEY}{number}": key._storable().as_inner() for number, key in enumerate(self._arrays)}
        return Storable(ObjType.GROUPBY, self.segments._frame, children=children)


def grouping_storable(
    keys: Sequence[Array], segments: pdarray, permutation: pdarray, unique_key_idx: pdarray
) -> Storable:
    """Return what is stored of a grouping."""
    parts = {SEGMENTS: segments, PERMUTATION: permutation, UNIQUE_KEY_IDX: unique_key_idx}
    children = {name: part._storable() for name, part in parts.items()}
    children |= {f"{KEY}{number}": key._storable().as_inner() for number, key in enumerate(keys)}
    return Storable(ObjType.GROUPBY, segments._frame, children=children)


def _integers(name: str, part: Any) -> pdarray:
    found = array(part)
    if not isinstance(found, pdarray) or found._value.dtype.kind != "int":
        raise ArgumentTypeError(f"{name} of a grouping are integers, not {type(found).__name__}.")
    return found
