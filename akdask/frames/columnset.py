"""`ColumnSet`: columns on common rows, selected together; the contents of a DataFrame, and the names of its columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array
from akdask.arrays.missing_attributes import nearby
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import NULLABLE_STR
from akdask.engine.alignment import Limit, align
from akdask.engine.cache import within_rounds
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import counted, refuses_foreign, row_numbers
from akdask.engine.values import ColumnRef, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError
from akdask.records import record

INDEX = ("index",)
"""Name of the row labels among the columns of a projection; no column can have it."""

Select = Callable[[Frame, list[Value]], tuple[Frame, list[Value]]]


@record
class ColumnSet:
    """Named columns on the rows of one frame.

    Parameters
    ----------
    frame : Frame
        The rows.
    values : mapping of str to Value
        The columns.
    kinds : mapping of hashable to Array
        For each column, and for the index where there is one, an array of its kind, on whatever rows.
    index : Value, optional
        Labels of the rows; without them, rows are labelled by their numbers.
    index_name : hashable, optional
        Name of the labels.
    """

    frame: Frame
    values: Mapping[str, Value]
    kinds: Mapping[Hashable, Array]
    index: Value | None = None
    index_name: Hashable = None

    @classmethod
    def of(cls, arrays: Mapping[str, Array], index: Array | None = None, index_name: Hashable = None) -> ColumnSet:
        """Bring arrays onto the rows of the one with the most partitions.

        Raises
        ------
        AlignmentError
            If they do not share rows.
        """
        kinds: dict[Hashable, Array] = dict(arrays.items())
        if index is not None:
            kinds[INDEX] = index
        if not kinds:
            return cls(counted(0), {}, {})
        found: Sequence[Value]
        frame, found = align("put into one DataFrame", [(array._frame, array._value) for array in kinds.values()])
        frame, found = within_rounds(frame, found)
        by_name = dict(zip(kinds, found, strict=True))
        values = {name: by_name[name] for name in arrays}
        return cls(frame, values, kinds, by_name.get(INDEX), index_name)

    def array(self, name: str) -> Array:
        """Return one column.

        Raises
        ------
        MissingColumnError
            If there is no column of that name.
        """
        if name not in self.values:
            raise missing_column(name, self.values)
        return self.kinds[name]._like(self.frame, self.values[name])

    def kind(self, name: str) -> Array:
        """Return an array of a column's kind, on whatever rows; integers that may be missing tell that they may."""
        return self.array(name) if self.values[name].dtype.is_nullable_number else self.kinds[name]

    def arrays(self) -> list[Array]:
        """Return all columns, and the labels of rows that have some."""
        index = [] if self.index is None else [self.index_array()]
        return [*map(self.array, self.values), *index]

    def index_array(self) -> Array:
        """Return the labels of the rows."""
        if self.index is None:
            return pdarray(*row_numbers(self.frame))
        return self.kinds[INDEX]._like(self.frame, self.index)

    def project(self, *, with_index: bool = False) -> Project:
        """Return the columns, and with `with_index` the labels of rows that have labels, as a plan."""
        names: tuple[Hashable, ...] = tuple(self.values)
        values = tuple(self.values.values())
        if with_index and self.index is not None:
            return Project(self.frame, (*names, INDEX), (*values, self.index))
        return Project(self.frame, names, values)

    def placed(self, frame: Frame, values: Sequence[Value]) -> ColumnSet:
        """Return the columns and labels on other rows."""
        return self._named(*within_rounds(frame, values))

    def nullable(self) -> frozenset[Hashable]:
        """Return which columns are text that may be missing, and whether labels of the rows are."""
        found = [*self.values.items(), *([] if self.index is None else [(INDEX, self.index)])]
        return frozenset(name for name, value in found if value.dtype == NULLABLE_STR)

    # columns

    def only(self, names: Iterable[str]) -> ColumnSet:
        """Return some of the columns."""
        names = list(names)
        for name in names:
            if name not in self.values:
                self.array(name)
        values = {name: self.values[name] for name in names}
        return ColumnSet(self.frame, values, self.kinds, self.index, self.index_name)

    def renamed(self, names: Mapping[str, str]) -> ColumnSet:
        """Return the columns with other names; names that are not given stay."""
        values = {names.get(name, name): value for name, value in self.values.items()}
        kinds: dict[Hashable, Array] = {names.get(name, name): self.kinds[name] for name in self.values}
        if INDEX in self.kinds:
            kinds[INDEX] = self.kinds[INDEX]
        return ColumnSet(self.frame, values, kinds, self.index, self.index_name)

    def having(self, name: str, array: Array) -> ColumnSet:
        """Return the columns with one more, or with one replaced.

        Raises
        ------
        AlignmentError
            If the array does not share rows with them.
        """
        if not self.values and self.index is None:
            return self.of({name: array}, index_name=self.index_name)
        columns, value = self._beside(f"put {name!r} beside", array)
        values, kinds = {**columns.values, name: value}, {**self.kinds, name: array}
        return ColumnSet(columns.frame, values, kinds, columns.index, self.index_name)

    def labelled(self, index: Array | None, name: Hashable = None) -> ColumnSet:
        """Return the columns with other labels of their rows; numbers if None."""
        if index is None:
            return ColumnSet(self.frame, self.values, self.kinds, None, name)
        columns, value = self._beside("label by the index", index)
        return ColumnSet(columns.frame, columns.values, {**self.kinds, INDEX: index}, value, name)

    def labelled_as(self, other: ColumnSet) -> ColumnSet:
        """Return no columns on the rows of others, with their labels."""
        kinds: dict[Hashable, Array] = {} if other.index is None else {INDEX: other.kinds[INDEX]}
        return ColumnSet(other.frame, {}, kinds, other.index, other.index_name)

    def beside(self, arrays: Mapping[str, Array]) -> ColumnSet:
        """Return other columns with the labels that the rows have."""
        if not arrays:
            return self.only([])  # The rows are still there.
        return self.of(arrays, None if self.index is None else self.index_array(), self.index_name)

    def _beside(self, operation: str, array: Array) -> tuple[ColumnSet, Value]:
        """Return the columns and an array's value on a frame that has both."""
        own = [(self.frame, value) for value in self.all_values()]
        anchor = own or [(self.frame, Constant(0))]
        frame, values = within_rounds(*align(operation, [*anchor, (array._frame, array._value)]))
        return self._named(frame, values[: len(own)]), values[-1]

    # rows

    def on(self, select: Select) -> ColumnSet:
        """Return the columns, and the labels of their rows, on rows that a function of frame and values selects."""
        return self.numbered().moved(select)

    def sliced(self, key: slice) -> ColumnSet:
        """Return the rows of a slice; counts the rows if their number is unknown."""

        def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
            return row_tools.slice_columns(frame, values, key)

        if key.start in (None, 0) and key.step in (None, 1) and self.values:
            # The numbers of the first rows are the same among all as among themselves.
            return self.moved(select)
        return self.on(select)

    def head(self, count: int) -> ColumnSet:
        """Return the first `count` rows, or all but the last ``-count``."""
        count = row_tools.position(count)
        if count < 0 or self.frame.rows.is_fixed:
            return self.sliced(slice(count))
        return self._limited(count)

    def tail(self, count: int) -> ColumnSet:
        """Return the last `count` rows, or all but the first ``-count``."""
        count = row_tools.position(count)
        if count > 0 and not self.frame.rows.is_fixed:
            return self.numbered()._limited(-count)
        return self.sliced(slice(-count, None) if count else slice(0))

    def _limited(self, count: int) -> ColumnSet:
        """Return the first rows, or the last ones if `count` is negative, without counting any."""
        project = self.project(with_index=True)
        limited = Limit(project, count)
        columns = zip(project.names, project.values, strict=True)
        found = [ColumnRef(limited._name, name, value.dtype) for name, value in columns]
        return self.placed(limited, found)

    def numbered(self) -> ColumnSet:
        """Return the columns with explicit labels of the rows, which stay with them when some are chosen."""
        return self if self.index is not None else self.labelled(self.index_array(), self.index_name)

    def counted(self) -> tuple[int, ...]:
        """Return the number of rows in each partition; counts them if they are not counted yet."""
        return row_tools.known_lengths(self.frame)

    def moved(self, select: Select) -> ColumnSet:
        """Return the columns on rows that a function selects, with the labels that they have, or none."""
        return self.placed(*select(self.frame, self.all_values()))

    def all_values(self) -> list[Value]:
        """Return the columns, and the labels of rows that have some."""
        values = list(self.values.values())
        return values if self.index is None else [*values, self.index]

    def _named(self, frame: Frame, values: Sequence[Value]) -> ColumnSet:
        named = dict(zip(self.values, values, strict=False))
        # Integers that may be missing tell those made of them that they were.
        nullable: dict[Hashable, Array] = {
            name: self.kind(name) for name, value in self.values.items() if value.dtype.is_nullable_number
        }
        if self.index is not None and self.index.dtype.is_nullable_number:
            nullable[INDEX] = self.index_array()
        kinds = {**self.kinds, **nullable} if nullable else self.kinds
        return ColumnSet(frame, named, kinds, None if self.index is None else values[-1], self.index_name)


VALUES = "values"
"""Name of the column of values in the rows of a Series; levels of labels are called by their numbers."""


LACKING = "lacking"
"""Name of a column beside lists: which lists are missing; missing text has such a column too."""


def level_column(number: int) -> str:
    """Return the name of the column that holds a level of labels."""
    return str(number)


# names

SHOWN_NAMES = 20
"""Names of columns that an error lists."""


class ColumnNames(list[str]):
    """The names of the columns of a DataFrame: a list with the attributes of Arkouda's index of names.

    Examples
    --------
    >>> names = ColumnNames(["x", "y"])
    >>> names.values, names.size, names == ["x", "y"]
    (['x', 'y'], 2, True)
    """

    def __repr__(self) -> str:
        return f"Index({list(self)!r}, dtype='<U0')"

    @property
    def values(self) -> list[str]:
        """The names as a plain list."""
        return list(self)

    @property
    def size(self) -> int:
        """Number of columns."""
        return len(self)

    def tolist(self) -> list[str]:
        """Return the names as a plain list."""
        return list(self)


@refuses_foreign()
def names_of(keys: Any) -> list[str]:
    """Return one name, or several, as a list.

    Raises
    ------
    ArgumentTypeError
        If others than str are among them.
    """
    if isinstance(keys, str):
        return [keys]
    try:
        names = list(keys)
    except TypeError:
        names = [keys]
    bad = [repr(name) for name in names if not isinstance(name, str)]
    if bad:
        raise ArgumentTypeError("columns are named by str, one or a list of them.", details=bad)
    return names


def check_names(names: Iterable[Any]) -> None:
    """Refuse a key that is no name of a column.

    Raises
    ------
    ArgumentTypeError
        If others than str are among the names.
    ArgumentError
        If a name has half of a surrogate pair, which UTF-8 cannot hold.
    """
    names = list(names)
    bad = [repr(name) for name in names if not isinstance(name, str)]
    if bad:
        raise ArgumentTypeError("columns are named by str.", details=bad)
    halves = [ascii(name) for name in names if not _is_text(name)]
    if halves:
        raise ArgumentError(
            "no column can have that name.", details=halves, hint="names hold no half of a surrogate pair."
        )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def axis_number(axis: Any) -> int:
    """Return 0 for ``"index"`` and 1 for ``"columns"``, as Arkouda and pandas spell axes.

    Raises
    ------
    ArgumentError
        If the axis is unknown.
    """
    numbers = {0: 0, "index": 0, "rows": 0, 1: 1, "column": 1, "columns": 1}
    found = numbers.get(axis) if isinstance(axis, int | str) else None
    if found is None:
        raise ArgumentError(f"axis is 0 for rows or 1 for columns, not {axis!r}.")
    return found


def missing_column(name: Any, known: Iterable[Any]) -> MissingColumnError:
    """Return the error for a column that a DataFrame lacks; it lists the present columns.

    Examples
    --------
    >>> missing_column("prot", ["port", "bytes"]).hint
    "did you mean 'port'?"
    """
    names = [str(one) for one in known]
    return MissingColumnError(
        f"the DataFrame has no column {name!r}.", details=[f"columns: {shown_names(names)}"], hint=nearby(name, names)
    )


def shown_names(names: Sequence[Any]) -> str:
    """Return the first names of columns, and how many more there are."""
    more = f" and {len(names) - SHOWN_NAMES:,} more" if len(names) > SHOWN_NAMES else ""
    return ", ".join(map(str, names[:SHOWN_NAMES])) + more
