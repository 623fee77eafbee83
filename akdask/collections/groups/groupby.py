"""`GroupBy`: rows grouped by one or more arrays, and reductions of each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import dask

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.display import HtmlDisplay, counted
from akdask.collections.core.selection import known_lengths
from akdask.collections.core.storage_methods import StorageMethods
from akdask.collections.groups.keys import as_array
from akdask.collections.groups.reductions import GroupReductionMethods
from akdask.collections.groups.rows import GroupRowMethods
from akdask.collections.registered import Registered
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError
from akdask.plan.expr.rowwise import Project
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.run.alignment import align
from akdask.storage.formats.objects import KEY, PERMUTATION, SEGMENTS, UNIQUE_KEY_IDX, ObjType

if TYPE_CHECKING:
    from akdask.collections.core import writing
    from akdask.plan.group import arrange
    from akdask.plan.rows import segment_starts
else:
    writing = DeferredModule("akdask.collections.core.writing")
    arrange = DeferredModule("akdask.plan.group.arrange")
    segment_starts = DeferredModule("akdask.plan.rows.segment_starts")


groupable: TypeAlias = pdarray | Strings | Categorical | Sequence[pdarray | Strings | Categorical]
"""What a GroupBy is made of, for annotations."""


class GroupBy(GroupReductionMethods, GroupRowMethods, HtmlDisplay, StorageMethods, Registered):
    """Rows grouped by equal keys.

    Parameters
    ----------
    keys : pdarray, Strings, Categorical, or sequence of them
        What to group by; several arrays share their rows.
    assume_sorted : bool
        Accepted for compatibility with Arkouda; sorted rows are grouped quickly anyway.
    dropna : bool
        Leave out rows with NaN, NaT or missing text among their keys.  Otherwise all NaN are one key, and so is all
        missing text, which comes last.

    Raises
    ------
    ArgumentError
        If there are no keys.
    AlignmentError
        If the keys do not share rows.

    Notes
    -----
    Groups come in ascending order of their keys, NaN last, Strings by their bytes and Categoricals by their codes; an
    Arkouda server orders Strings by a hash.  Everything is lazy.  Results of one GroupBy share their rows and can be
    combined.

    The first computation sorts the rows by their keys.  This process caches that order for as long as the GroupBy
    exists, so that later computations neither sort nor read the keys again.  All GroupBys together cache at most
    ``ak.config.get("cache_size")`` bytes.  On a cluster, and for larger ones, use `persist`.

    Examples
    --------
    >>> import akdask as ak
    >>> g = ak.GroupBy(ak.array([3, 1, 3]))
    >>> keys, sums = g.sum(ak.array([10, 20, 30]))
    >>> keys.tolist(), sums.tolist()
    ([1, 3], [20, 40])
    """

    objType = "GroupBy"

    _default_dataset = "groupby"

    @classmethod
    def build_from_components(
        cls,
        user_defined_name: str | None = None,
        *,
        orig_keys: Any = None,
        permutation: Any = None,
        segments: Any = None,
        unique_keys: Any = None,
        unique_key_idx: Any = None,
        dropna: bool = True,
    ) -> Self:
        """Return the GroupBy of parts that were found before; rows are not sorted again.

        Parameters
        ----------
        user_defined_name : str, optional
            Accepted for compatibility with Arkouda.
        orig_keys : pdarray, Strings, Categorical, or sequence of them
            The keys of the rows.
        permutation : pdarray of int
            The numbers of the rows with those of each group together.
        segments : pdarray of int
            Where each group begins among them.
        unique_keys : array or sequence of arrays, optional
            The keys of the groups.
        unique_key_idx : pdarray of int, optional
            The number of one row of each group, where `unique_keys` is not given.
        dropna : bool
            Whether rows with NaN among their keys were left out.

        Raises
        ------
        ArgumentError
            If one of the first three parts is missing; when something is computed, if `permutation` and `segments` do
            not describe groups.
        """
        parts_given = {"orig_keys": orig_keys, "permutation": permutation, "segments": segments}
        missing = [name for name, part in parts_given.items() if part is None]
        if missing:
            raise ArgumentError(f"a GroupBy is not made without {', '.join(missing)}.")
        made = cls(orig_keys, dropna=dropna)
        parts = [as_array(part)._project() for part in (permutation, segments)]
        numbers = arrange.GroupNumbers(*parts, made.length)
        if unique_keys is not None:
            given = unique_keys if isinstance(unique_keys, list | tuple) else [unique_keys]
            keys = [as_array(key).copy() for key in given]
        else:
            at = as_array(permutation)[segments] if unique_key_idx is None else unique_key_idx
            keys = [key[at] for key in made._arrays]
        made._use_numbers(pdarray(numbers, numbers.number), keys)
        return made

    def persist(self) -> Self:
        """Find the groups now and keep them in memory, so that no later reduction sorts or compares keys; computes.

        Returns the object itself.  On a cluster, workers keep them.
        """
        grouped = self._grouped()
        numbers = pdarray(*row_numbers(grouped))
        # Rows that are in no group get 0 before the subtraction.
        found = (self.broadcast(numbers + 1) - 1, *(self._tuple_of(self._keys_of(grouped))))
        codes, *keys = dask.persist(*found)
        self._use_numbers(codes, keys)
        return self

    # parts

    @property
    def unique_key_idx(self) -> pdarray:
        """The number of the first row of each group, as int64; lazy."""
        return self._result(self._grouped(("min", None, {})))

    def edge_rows(self, *, last: bool = False) -> pdarray:
        """Return which rows are the first of their groups, or the last; lazy bool array, where nothing is dropped."""
        edges = self._result(self._grouped(("max" if last else "min", None, {})))
        frame, _ = align("group", [(key._frame, key._value) for key in self._arrays])
        return self.broadcast(edges) == pdarray(*row_numbers(frame))

    @property
    def permutation(self) -> pdarray:
        """The numbers of the rows with those of each group together, as int64; lazy."""
        frame, keys, _, numbers = self._on()
        arranged = arrange.RowsByGroup(frame, keys, self._by.identity, (numbers,), None)
        return pdarray(arranged, arranged.column(0))

    @property
    def segments(self) -> pdarray:
        """Where each group begins in `permutation`, as int64; lazy."""
        grouped = self._grouped(("size", None, {}))
        starts = segment_starts.SegmentStarts(Project(grouped, (0,), (grouped.result(0),)))
        return pdarray(starts, starts.starts)

    @property
    def ngroups(self) -> int:
        """Number of groups; counts them, once."""
        return sum(known_lengths(self._grouped()))

    @property
    def length(self) -> int:
        """Number of rows, with those that are left out."""
        return self._arrays[0].size

    def __len__(self) -> int:
        return self.ngroups

    # files

    def __repr__(self) -> str:
        keys = ", ".join(f"{array._type_name()}" for array in self._arrays)
        return f"<GroupBy of {counted(self._arrays[0].rows, 'row')}; keys: {keys}; lazy>"

    def _title(self) -> str:
        return "GroupBy: .size() shows the groups and how many rows each has"

    def _storable(self) -> writing.Storable:
        parts = {SEGMENTS: self.segments, PERMUTATION: self.permutation, UNIQUE_KEY_IDX: self.unique_key_idx}
        children = {name: part._storable() for name, part in parts.items()}
        children |= {f"{KEY}{number}": key._storable().as_inner() for number, key in enumerate(self._arrays)}
        return writing.Storable(ObjType.GROUPBY, self._arrays[0]._frame, children=children)


class ColumnGroups(GroupBy):
    """The groups of frames and Series, in which a Categorical's label for missing is no key, as in pandas."""

    _drops_labels = True
