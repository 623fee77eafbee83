"""Other names for the columns of a DataFrame, and other labels for its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Self

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import where
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import axis_number, check_names
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentError, ArgumentTypeError

Renaming = Mapping[Any, Any] | Callable[[Any], Any]


class RenameMethods(FrameBase):
    """Renaming."""

    def rename(
        self,
        mapper: Renaming | None = None,
        index: Renaming | None = None,
        column: Renaming | None = None,
        axis: int | str = 0,
        inplace: bool = False,
        *,
        columns: Renaming | None = None,
    ) -> Self | None:
        """Return the frame with other names of columns, other labels of rows, or both; lazy.

        Parameters
        ----------
        mapper : mapping or callable, optional
            Old to new names or labels, as `axis` has it.
        index : mapping or callable, optional
            Old to new labels of rows.  A function computes, for it is given every label.
        column : mapping or callable, optional
            Old to new names of columns.
        axis : {0, 1, "index", "column"}
            What `mapper` is for: labels of rows, or names of columns.
        inplace : bool
            Change this frame and return None.
        columns : mapping or callable, optional
            The same as `column`, as pandas spells it.

        Raises
        ------
        ArgumentError
            If neither names nor labels are to change, or both by `index` and `column`, which Arkouda does one at a
            time; or if two columns would have the same name.
        ArgumentTypeError
            If new labels are of another type than the old ones.

        Notes
        -----
        Names and labels that are not there are passed over, as in Arkouda.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"A": [1, 2, 3]})
        >>> df.rename(column={"A": "a"}).rename(index={0: 99, 2: 11}).to_pandas(retain_index=True)
            a
        99  1
        1   2
        11  3
        """
        if column is not None and index is not None:
            raise ArgumentError(
                "either columns or labels of rows are renamed.", hint="columns= and index= go together."
            )
        column = columns if column is None else column
        if axis_number(axis) == 1:
            column = mapper if column is None else column
        else:
            index = mapper if index is None else index
        if column is None and index is None:
            raise ArgumentError("nothing is renamed.", hint="pass columns= or index=.")
        found = self._columns
        found = found if column is None else _renamed(found, column)
        return self._changed(found if index is None else relabelled(found, index), inplace)


def _renamed(columns: ColumnSet, names: Any) -> ColumnSet:
    new = {name: _one(names, name) for name in columns.values}
    check_names(new.values())
    if len(set(new.values())) < len(new):
        raise ArgumentError("two columns would have the same name.", details=[str(list(new.values()))])
    return columns.renamed(new)


def relabelled(columns: ColumnSet, names: Any) -> ColumnSet:
    """Return columns with other labels of their rows, by a mapping or a function, which computes."""
    labels: Any = columns.index_array()
    labels = labels.to_strings() if isinstance(labels, Categorical) else labels
    if callable(names):
        columns.counted()
        new = _same_kind(labels, [names(label) for label in labels.tolist()])
    elif not isinstance(names, Mapping):
        raise _no_renaming(names)
    else:
        # Only for their types.
        _same_kind(labels, list(names)), _same_kind(labels, list(names.values()))
        new = reduce(lambda found, pair: where(labels == pair[0], pair[1], found), names.items(), labels)
    return columns.labelled(new, columns.index_name)


def _one(names: Any, name: str) -> Any:
    if callable(names):
        return names(name)
    if isinstance(names, Mapping):
        return names.get(name, name)
    raise _no_renaming(names)


def _no_renaming(names: Any) -> ArgumentTypeError:
    return ArgumentTypeError(f"names are changed by a mapping or a function, not by {type(names).__name__}.")


def _same_kind(labels: Array, items: list[Any]) -> Array:
    """Return items as an array of the type of labels, which they keep when some are renamed."""
    made: Array = array(items) if items else labels[:0]
    if made._value.dtype.kind != labels._value.dtype.kind:
        raise ArgumentTypeError(
            f"labels of {labels._value.dtype} are renamed to others of the same type, not to {made._value.dtype}."
        )
    return made
