"""Rows of groups, and values of groups handed back to rows."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from akdask.collections.core.array import Array
from akdask.collections.core.selection import check_sample, known_lengths, position
from akdask.collections.core.wrap import wrap
from akdask.collections.groups.base import GroupBase, Keys, codes_of, like, projected
from akdask.collections.groups.keys import as_array, as_arrays, is_several
from akdask.deferred import DeferredModule
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.plan.run.alignment import align
from akdask.plan.task.align import Aligned

if TYPE_CHECKING:
    from akdask.collections.arrays import sorting
    from akdask.kernels.group import arrange as group_kernels
    from akdask.plan.group import arrange, top_rows
else:
    sorting = DeferredModule("akdask.collections.arrays.sorting")
    group_kernels = DeferredModule("akdask.kernels.group.arrange")
    arrange = DeferredModule("akdask.plan.group.arrange")
    top_rows = DeferredModule("akdask.plan.group.top_rows")


class GroupRowMethods(GroupBase):
    """Some rows of each group, and broadcasting."""

    def head(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the first rows of each group, those of one group together; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        n : int
            How many rows of each group, at most; all but the last ``-n`` if it is negative.
        return_indices : bool
            Return positions in `values` instead of the values there.
        """
        return self._some(group_kernels.RowsPerGroup("head", position(n)), values, return_indices)

    def tail(self, values: Any, n: int = 5, return_indices: bool = True) -> tuple[Keys, Any]:
        """Return the keys, and the last rows of each group; see `head`."""
        return self._some(group_kernels.RowsPerGroup("tail", position(n)), values, return_indices)

    def sample(  # noqa: PLR0917 - Arkouda's signature
        self,
        values: Any,
        n: SupportsIndex | None = None,
        frac: float | None = None,
        replace: bool = False,
        weights: Any = None,
        random_state: Any = None,
        return_indices: bool = False,
        permute_samples: bool = False,
    ) -> Any:
        """Return a random choice of the rows of each group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys; of several arrays, a list is returned.
        n : int, optional
            How many rows of each group, 1 unless `frac` is given.
        frac : float, optional
            Which share of the rows of each group.
        replace : bool
            Whether a row may be chosen several times.
        weights : pdarray of float, optional
            The odds of each row.
        random_state : int or Generator, optional
            A seed, for the same choice again.
        return_indices : bool
            Return positions in `values` instead of the values there.
        permute_samples : bool
            Return the rows of each group together, in random order unless `replace` is given.  Otherwise they stay in
            the order in which they are.

        Raises
        ------
        ArgumentError
            If both `n` and `frac` are given, or one of them is negative.  When it is computed, if a group has fewer
            rows than are to be chosen and `replace` is not given, or odds are negative, or all 0 in a group.
        ArgumentTypeError
            If `n` is not whole, or `frac` no number.
        """
        check_sample(0 if n is None else n, frac)
        if (n is not None and frac is not None) or (n is not None and index(n) < 0) or (frac or 0) < 0:
            raise ArgumentError(f"sample takes either n or frac, not negative; got n={n}, frac={frac}.")
        seed = secrets.randbits(32) if random_state is None else _seed_of(random_state)
        count = 1 if n is None and frac is None else None if n is None else index(n)
        some = group_kernels.RowsPerGroup(
            "sample", count, 1.0 if frac is None else float(frac), replace, seed, weights is not None
        )
        arrays = as_arrays(values)
        odds = [] if weights is None else [as_array(weights)]
        if permute_samples and (return_indices or not is_several(values)):
            return self._some(some, arrays[0], return_indices, *odds)[1]
        self._on(*map(codes_of, arrays))
        positions: Any = self._some(some, arrays[0], True, *odds)[1]
        if not permute_samples:
            positions = sorting.sort(positions)
        chosen = [array[positions] for array in arrays]
        return positions if return_indices else chosen if is_several(values) else chosen[0]

    def _some(
        self, some: group_kernels.RowsPerGroup, values: Any, return_indices: bool, *weights: Array
    ) -> tuple[Keys, Any]:
        given = as_array(values)
        frame, keys, (value, *odds), numbers = self._on(codes_of(given), *weights)
        carried = (numbers, *([] if return_indices else [value]), *odds)
        arranged = arrange.RowsByGroup(frame, keys, self._by.identity, carried, some)
        number = 0 if return_indices else 1
        return self.unique_keys, like(None if return_indices else given, arranged, arranged.column(number))

    def _first_in_order(self, by: Sequence[Aligned], ascending: Sequence[bool], count: int) -> top_rows.TopRowsOfGroups:
        """Return the node of the positions of the first rows of each group in some order, group by group."""
        frame, keys, values, numbers = self._on(*(wrap(*given) for given in by))
        return top_rows.TopRowsOfGroups(
            frame, keys, self._by.identity, tuple(values), tuple(ascending), numbers, max(count, 0)
        )

    def broadcast(self, values: Any, permute: bool = True) -> Any:
        """Spread one value per group back to every row of that group.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, shape (ngroups,)
            One value per group, in the order of `unique_keys`.
        permute : bool, default True
            Return rows in the original order; otherwise grouped order.

        Returns
        -------
        pdarray, Strings or Categorical, shape (size,)
            Shares the rows of the keys.  Rows that were left out get NaN, 0, False or no text.  Lazy.

        Raises
        ------
        AlignmentError
            If `values` does not have one entry per group.

        Examples
        --------
        >>> import akdask as ak
        >>> g = ak.GroupBy(ak.array([1, 4, 1]))
        >>> g.broadcast(ak.array([3, 7])).tolist()
        [3, 7, 3]
        """
        given = as_array(values)
        operand = codes_of(given)
        grouped = self._grouped()
        if not operand.rows.same_rows(grouped.rows):
            counted = known_lengths(grouped), known_lengths(operand._frame)
            if sum(counted[0]) != sum(counted[1]):
                raise AlignmentError(
                    f"broadcast takes one value for each of {sum(counted[0])} groups, got {sum(counted[1])}."
                )
        refs = [(grouped, grouped.key(number)) for number in range(len(grouped.keys))]
        groups, columns = align("broadcast", [*refs, operand._as_operand()])
        if permute:
            frame, keys = self._by.frame, list(self._by.values)
        else:
            rows, row_keys, _, _ = self._on()
            frame = arrange.RowsByGroup(rows, row_keys, self._by.identity, row_keys, None)
            keys = list(map(frame.column, range(len(row_keys))))
        spread = arrange.BroadcastToRows(projected(frame, keys), projected(groups, columns))
        return like(given, spread, spread.value)


def _seed_of(random_state: Any) -> int:
    """Return a seed, drawn from a generator where that is given."""
    try:
        return int(random_state.integers(2**32) if hasattr(random_state, "integers") else random_state)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"random_state is a seed or a generator, not {random_state!r:.100}.") from None
