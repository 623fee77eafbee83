"""Rows of groups: some rows of each, broadcasting, and groups of parts that were computed before."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from akdask.arrays.array import Array, at_hand, wrap
from akdask.arrays.elementwise import cast, rounded
from akdask.arrays.keys import as_array, as_arrays, codes_of, is_several, like, projected
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.row_selection import check_sample, known_lengths, position
from akdask.arrays.sorting import in_order
from akdask.engine.alignment import Aligned, align
from akdask.engine.rowwise import numbers_in_order
from akdask.engine.values import Value, split_keys
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.operators.group.plan import fits_one_task

if TYPE_CHECKING:
    from akdask.operators.group.rows import RowsPerGroup, TopRowsOfGroups


def some(groups: Any, how: str, n: Any, values: Any, return_indices: bool) -> tuple[Any, Any]:
    """Return the keys, and the first or last rows of each group; see `GroupBy.head`."""
    from akdask.operators.group.rows import RowsPerGroup

    return _chosen(groups, RowsPerGroup(how, position(n)), values, return_indices)


def sample(  # noqa: PLR0917 - the arguments of `GroupBy.sample`
    groups: Any,
    values: Any,
    return_indices: bool,
    permute_samples: bool,
    n: SupportsIndex | None,
    frac: float | None,
    replace: bool,
    weights: Any,
    random_state: Any,
) -> Any:
    """Return a random choice of the rows of each group; see `GroupBy.sample`."""
    from akdask.operators.group.rows import RowsPerGroup

    check_sample(0 if n is None else n, frac)
    if (n is not None and frac is not None) or (n is not None and index(n) < 0) or (frac or 0) < 0:
        raise ArgumentError(f"sample takes either n or frac, not negative; got n={n}, frac={frac}.")
    if n is not None and not index(n):
        raise ArgumentError("sample draws at least one row of each group, not n=0.")
    if weights is not None and not isinstance(weights, Array):
        raise ArgumentTypeError(f"weights are a lazy array, not {type(weights).__name__}.")
    count = 1 if n is None and frac is None else None if n is None else index(n)
    arrays = as_arrays(values)
    groups._on(*map(codes_of, arrays))
    odds = [] if weights is None else [as_array(weights)]
    share = 1.0 if frac is None else float(frac)
    _check_sizes(groups, count, replace, *odds)
    stream = _stream_of(random_state, groups)
    choice = RowsPerGroup("sample", count, share, replace, stream["seed"], weights is not None)
    carried = (*odds, _first_numbers(groups, choice) + stream["begin"])
    if permute_samples and (return_indices or not is_several(values)):
        return _chosen(groups, choice, arrays[0], return_indices, *carried)[1]
    positions: Any = _chosen(groups, choice, arrays[0], True, *carried)[1]
    if not permute_samples:
        positions = in_order(positions)
    chosen = [array[positions] for array in arrays]
    return positions if return_indices else chosen if is_several(values) else chosen[0]


def _first_numbers(groups: Any, choice: RowsPerGroup) -> Any:
    """Return for each row how many rows are drawn from the groups before its own."""
    sizes = groups.size()[1]
    drawn = cast(rounded(sizes * choice.share), np.int64) if choice.count is None else sizes * 0 + choice.count
    return groups.broadcast(cumsum(drawn) - drawn)


def _check_sizes(groups: Any, count: int | None, replace: bool, *odds: Array) -> None:
    """Refuse samples that groups of keys in memory cannot give; of others, it is told when they are drawn."""
    if any(at_hand(key) is None for key in as_arrays(groups.keys)):
        return
    if count is not None and not replace:
        least = int(groups.size()[1].min()) if groups.ngroups else count
        if least < count:
            raise ArgumentError(f"{count} rows cannot be chosen from a group of {least}.", hint="replace=True")
    for weights in odds:
        below: Any = weights < 0
        if below.any() or (groups.sum(weights)[1] == 0).any():
            raise ArgumentError("the odds of rows are not negative, and above 0 for one row of each group at least.")


def _stream_of(random_state: Any, groups: Any) -> dict[str, int]:
    """Return a seed and where in its stream a sample begins; a generator goes on by the rows of groups."""
    from akdask.arrays.random import Generator

    if isinstance(random_state, Generator):
        return random_state._next(groups.length)
    if random_state is None:
        return {"seed": secrets.randbits(63), "begin": 0}
    try:
        seed = int(random_state.integers(2**32) if hasattr(random_state, "integers") else random_state)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"random_state is a seed or a generator, not {random_state!r:.100}.") from None
    return {"seed": seed, "begin": 0}


def _chosen(groups: Any, choice: RowsPerGroup, values: Any, return_indices: bool, *weights: Array) -> tuple[Any, Any]:
    from akdask.operators.group.rows import RowsByGroup

    given = as_array(values)
    frame, keys, (value, *odds), numbers = groups._on(codes_of(given), *weights)
    carried = (numbers, *([] if return_indices else [value]), *odds)
    arranged = RowsByGroup(frame, keys, groups._by.identity, carried, choice)
    number = 0 if return_indices else 1
    return groups.unique_keys, like(None if return_indices else given, arranged, arranged.column(number))


def first_in_order(groups: Any, by: Sequence[Aligned], ascending: Sequence[bool], count: int) -> TopRowsOfGroups:
    """Return the node of the positions of the first rows of each group in some order, group by group."""
    from akdask.operators.group.rows import TopRowsOfGroups

    frame, keys, values, numbers = groups._on(*(wrap(*given) for given in by))
    return TopRowsOfGroups(frame, keys, groups._by.identity, tuple(values), tuple(ascending), numbers, max(count, 0))


def edges(groups: Any, which: str) -> pdarray:
    """Return which rows are the first, last or only ones of their groups; no row may be dropped."""
    from akdask.operators.group.row_results import EdgeRows

    by = groups._by
    if fits_one_task(by.frame, by.values):
        node = EdgeRows(projected(by.frame, by.values), which)
        return pdarray(node, node.is_edge)
    if which == "only":
        return groups.broadcast(groups.size()[1]) == 1
    numbers = pdarray(*numbers_in_order(by.frame))
    found: pdarray = groups.broadcast(groups.reduce_column("max" if which == "last" else "min", numbers)) == numbers
    return found


def broadcast_values(groups: Any, values: Any, permute: bool) -> Any:
    """Return one value per group for every row of that group; see `GroupBy.broadcast`."""
    from akdask.operators.group.rows import BroadcastToRows, RowsByGroup

    if isinstance(values, list | tuple):
        raise ArgumentTypeError(
            f"values are a lazy array, not a {type(values).__name__}.", hint="ak.array(…) makes one."
        )
    given = as_array(values)
    operand = codes_of(given)
    grouped = groups._grouped()
    if not operand.rows.same_rows(grouped.rows):
        counted = known_lengths(grouped), known_lengths(operand._frame)
        if sum(counted[0]) != sum(counted[1]):
            raise AlignmentError(
                f"broadcast takes one value for each of {sum(counted[0])} groups, got {sum(counted[1])}."
            )
    of_groups: Sequence[Value] = [grouped.key(number) for number in range(len(grouped.keys))]
    if permute:
        # Keys of rows in no group have to be unlike those of groups.
        frame, keys = groups._by.frame, list(split_keys(groups._by.given))
        of_groups = split_keys(grouped.keys_of(groups._by.given))
    else:
        rows, row_keys, _, _ = groups._on()
        frame = RowsByGroup(rows, row_keys, groups._by.identity, row_keys, None)
        keys = list(map(frame.column, range(len(row_keys))))
    results, columns = align("broadcast", [*((grouped, key) for key in of_groups), operand._as_operand()])
    spread = BroadcastToRows(projected(frame, keys), projected(results, columns))
    return like(given, spread, spread.value)


def of_components(cls: Any, given: Mapping[str, Any], unique_keys: Any, unique_key_idx: Any, dropna: bool) -> Any:
    """Return the groups of parts that were computed before; see `GroupBy.build_from_components`."""
    from akdask.operators.group.rows import GroupNumbers

    missing = [name for name, part in given.items() if part is None]
    if missing:
        raise ArgumentError(f"a GroupBy is not made without {', '.join(missing)}.")
    permutation, segments = given["permutation"], given["segments"]
    made = cls(given["orig_keys"], dropna=dropna)
    parts = [as_array(part)._project() for part in (permutation, segments)]
    numbers = GroupNumbers(*parts, made._row_count)
    if unique_keys is not None:
        several = unique_keys if isinstance(unique_keys, list | tuple) else [unique_keys]
        keys = [as_array(key).copy() for key in several]
    else:
        at = as_array(permutation)[segments] if unique_key_idx is None else unique_key_idx
        keys = [key[at] for key in made._arrays]
    made._use_numbers(pdarray(numbers, numbers.number), keys)
    return made
