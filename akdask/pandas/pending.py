"""Results of groups, and small files, that nobody has looked at yet.

They are computed as soon as anything wants them in memory: a display, a label, a method that has no place in this
module.  Filters, other names and joins of small files leave them pending, and a join of them with rows that are not in
memory takes their plan, so that groups and join are one plan.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array, wrap
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.engine.node import Frame
from akdask.engine.optimizer import inputs_first
from akdask.engine.rowwise import Chain, Filter, MatchRows, rebuild
from akdask.engine.run import run
from akdask.engine.values import ColumnRef, Value, columns_of, substitute_all
from akdask.frames.columnset import VALUES
from akdask.frames.dataframe import DataFrame
from akdask.frames.sorting import in_order
from akdask.operators.group.plan import Groups
from akdask.operators.join.plan import HashJoin
from akdask.pandas import tuning
from akdask.pandas.arguments import accepted, bound_arguments
from akdask.pandas.encoded import Narrow
from akdask.pandas.face import OPERATORS, Face, NDFrame, words
from akdask.pandas.group_plans import is_plain_or_narrow
from akdask.pandas.labels import coding_of_array, computed, data_names, labelled, labels_of_frame
from akdask.pandas.labels import plan as plan_in_pandas
from akdask.pandas.lazy import LazyFrame, column_of
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import labels_of_rows, taken
from akdask.pandas.steps import Indexer
from akdask.records import record

STAYING = OPERATORS | words("__getitem__ rename reset_index")
"""Methods whose results are pending, too."""

JOINING = words("merge isin")
"""Methods that take plans where they meet rows that are not in memory."""


@record
class Order:
    """A result in the order of some columns, or of its values if it is a Series.

    Parameters
    ----------
    of : Pending
        The result before.
    by : tuple of str
        The columns of the plan.
    ascending : tuple of bool
        Their directions.
    keeps_equal_rows : bool
        Whether equal rows stay in their order; pandas' quicksort leaves them in an order of its own.
    """

    of: Pending
    by: tuple[str, ...]
    ascending: tuple[bool, ...]
    keeps_equal_rows: bool


class Pending:
    """A result that is computed once, and a plan of the same rows.

    Parameters
    ----------
    compute : callable
        Returns the result in pandas.
    build : callable
        Returns the lazy frame or Series; raises NotLazyError where there is none.
    sources : sequence of Pending
        Results of which it is made.
    is_arranged : bool, optional
        Whether pandas takes the result from there, whatever the fallback to it is set to.
    sums : mapping of str to Narrow, optional
        Columns of the plan that are sums of integers of fewer bits: pandas has that type if all of them fit.

    Attributes
    ----------
    order : Order, optional
        What it is, if it is another result in order.
    reader : weakref, optional
        The object of users that is this result.
    """

    def __init__(
        self,
        compute: Callable[[], Any],
        build: Callable[[], Any],
        sources: Sequence[Pending] = (),
        is_arranged: bool = True,
        sums: Mapping[str, Narrow] = MappingProxyType({}),
    ) -> None:
        self._compute, self._build, self._sources = compute, build, sources
        self.is_arranged, self.sums = is_arranged, sums
        self._found: Any = None
        self.order: Order | None = None
        self.reader: weakref.ref[NDFrame] | None = None

    def value(self) -> Any:
        """Return the result; later changes of it change nothing here."""
        if self._found is None:
            self.found(self._compute())
        return self._found.copy(deep=False)

    def found(self, value: Any) -> None:
        """Have a result that was computed in another way."""
        self._found, self._sources = value, ()
        self._compute = self._build = self._nothing

    @staticmethod
    def _nothing() -> Any:
        raise NotLazyError("it is computed")

    def plan(self) -> Any:
        """Return the lazy form, which has all types."""
        if self.sums:
            raise NotLazyError("types of sums depend on values")
        return self._build()

    def rows(self) -> Any:
        """Return the lazy form, which has sums in 64 bits."""
        return self._build()

    def is_passed_by(self) -> bool:
        """Return whether only later results want it: no user has it, and it is not computed."""
        return not self.is_computed() and self.reader is not None and self.reader() is None

    def is_computed(self) -> bool:
        """Return whether the result, or all of which it is made, is in memory."""
        return self._found is not None or (bool(self._sources) and all(one.is_computed() for one in self._sources))


def of(pending: Pending, kind: type[NDFrame]) -> Any:
    """Return a frame or Series that is pending."""
    made = kind._of()
    object.__setattr__(made, "_pending", pending)
    pending.reader = weakref.ref(made)
    return made


def answer(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of, or with, a pending result; NotImplemented where the result is to be computed first."""
    given = (face, *args, *kwargs.values())
    if isinstance(face, Indexer) and face._step == "iloc" and name == "__getitem__":
        return _between(face._origin, *args)
    if not any(map(_is_pending, given)):
        return NotImplemented
    if name in JOINING:
        is_open, (own, *others), planned = joined_arguments((face, *args), kwargs)
        if is_open:
            return own._call(name, tuple(others), planned)
    if name in FORMS and isinstance(face, NDFrame) and _is_pending(face) and _is_of_groups(face._pending):
        try:
            form, bound = partial(FORMS[name], face._pending), bound_arguments(face.pandas_class, name, args, kwargs)
            return of(form(**accepted(face.pandas_class, name, form, bound)), type(face))
        except (NotLazyError, TypeError):  # pandas answers it
            return NotImplemented
    is_join = name == "merge" and not any(_is_pending(one) and one._pending.is_arranged for one in given)
    if not (name in STAYING or is_join) or not _is_pending(face) or not _stays(face, name, args, kwargs):
        return NotImplemented
    try:
        own, *others = map(_planned, (face, *args))
        if not is_join and not all(_has_rows_of(own, one) for one in others):
            return NotImplemented
        found = own._lazily_by_type(name, tuple(others), kwargs)
    except Exception:  # pandas answers it
        return NotImplemented
    if not isinstance(found, NDFrame) or found._lazy is None:
        return NotImplemented
    lazily, sources = found._lazy, tuple(one._pending if _is_pending(one) else one for one in (face, *args))

    def compute() -> Any:
        if name == "reset_index" and pending[0].is_passed_by():  # Labels of several levels take long to make.
            return computed(lazily)
        own, *others = (one.value() if isinstance(one, Pending) else one for one in sources)
        return getattr(own, name)(*others, **kwargs)

    def build() -> Any:
        for one in pending:
            one.plan()  # It raises where a file has changed.
        return lazily

    pending = [one for one in sources if isinstance(one, Pending)]
    is_arranged = any(one.is_arranged for one in pending)
    return of(Pending(compute, build, pending, is_arranged), type(found))


def _in_order(pending: Pending, by: Any = None, ascending: Any = True, kind: str = "quicksort") -> Pending:
    """Return a result in the order of one column of numbers, or of several columns."""
    if kind == "heapsort":
        raise NotLazyError("pandas has its own order of equal rows")
    names = _columns(pending, by)
    given = ascending if type(ascending) is list else [ascending] * len(names)
    if len(given) != len(names) or not all(isinstance(up, bool) for up in given):
        raise NotLazyError("pandas says what directions are")
    keeps_equal_rows = len(names) > 1 or kind in ("stable", "mergesort")
    options = {"ascending": ascending, "kind": kind} | ({} if by is None else {"by": by})

    def compute() -> Any:
        if keeps_equal_rows and pending.is_passed_by():
            with suppress(NotLazyError):  # pandas sorts them
                plan = pending.plan()
                return computed(_like(plan, _rows(plan).sort_values([*names], [*given])))
        return pending.value().sort_values(**options)

    made = Pending(compute, Pending._nothing, [pending])
    made.order = Order(pending, names, tuple(given), keeps_equal_rows)
    return made


def _columns(pending: Pending, by: Any) -> tuple[str, ...]:
    """Return the columns that a result is ordered by, NotLazyError if it has none of these names and types."""
    plan = pending.rows()
    is_series = not isinstance(plan, DataFrame)
    names = (VALUES,) if is_series and by is None else tuple(by) if type(by) is list else (by,)
    there, columns = [VALUES] if is_series else data_names(plan), _rows(plan)._columns
    if not names or not all(isinstance(name, str) and name in there for name in names):
        raise NotLazyError("results are not ordered by their columns")
    kinds = ("int", "uint", "float", "str")
    are_plain = all(map(_is_ordered, map(columns.kinds.get, names)))
    if not are_plain or any(columns.values[name].dtype.kind not in kinds for name in names):
        raise NotLazyError("results are not ordered by numbers or text")
    return names


def _is_ordered(array: Any) -> bool:
    """Return whether the numbers or text of a column have the order of what they stand for."""
    coding = coding_of_array(array)
    return isinstance(array, pdarray | Strings | TimeArray) if coding is None else is_plain_or_narrow(coding)


def _rows(plan: Any) -> DataFrame:
    rows: DataFrame = plan if isinstance(plan, DataFrame) else plan._labelled
    return rows


def _head(pending: Pending, n: int = 5) -> Pending:
    return _first(pending, n, pending.order, lambda rows: rows.head(n))


def _between(face: Any, chosen: Any) -> Any:
    """Return the rows that `iloc` takes with a slice of numbers from the start; NotImplemented for all others."""
    if not _is_pending(face) or not _is_of_groups(face._pending) or type(chosen) is not slice:
        return NotImplemented
    start = 0 if chosen.start is None else chosen.start
    if chosen.step is not None or type(start) is not int or start < 0:
        return NotImplemented
    pending = face._pending
    try:
        made = _first(pending, chosen.stop, pending.order, lambda rows: rows.iloc[chosen], start)
    except NotLazyError:  # pandas answers it
        return NotImplemented
    return of(made, type(face))


def _most(name: str) -> Callable[..., Pending]:
    def most(pending: Pending, n: int = 5, columns: Any = None) -> Pending:
        if pending.order is not None:
            raise NotLazyError("results are in an order")
        names = _columns(pending, columns)
        if len(names) > 1:
            raise NotLazyError("results are ordered by several columns")
        if _rows(pending.rows())._columns.values[names[0]].dtype.kind == "str":
            raise NotLazyError("pandas says that text has no largest values")
        order = Order(pending, names, (name == "nsmallest",), True)
        given = (n,) if columns is None else (n, columns)
        return _first(pending, n, order, lambda rows: getattr(rows, name)(*given))

    return most


FORMS: Mapping[str, Callable[..., Pending]] = {
    "sort_values": _in_order,
    "head": _head,
    **{name: _most(name) for name in ("nlargest", "nsmallest")},
}
"""Methods of pending results whose few rows a plan finds, without all others in memory."""


def _first(pending: Pending, n: int, order: Order | None, take: Callable[[Any], Any], start: int = 0) -> Pending:
    """Return the first rows of a result in an order, or as they are; NotLazyError if they may be many.

    Parameters
    ----------
    pending : Pending
        The result.
    n : int
        Number of rows.
    order : Order or None
        The order.
    take : callable
        Takes the rows from the result in memory.
    start : int, default 0
        How many of these rows are left out.
    """
    if type(n) is not int or not 0 < n <= tuning.FIRST_GROUPS:
        raise NotLazyError("many groups are asked for")

    def compute() -> Any:
        found = None
        if not pending.is_computed():
            with suppress(NotLazyError):  # pandas finds them
                found = _found_first(pending if order is None else order.of, order, n)
        return take(pending.value()) if found is None else found.iloc[start:]

    return Pending(compute, Pending._nothing, [pending])


def _found_first(pending: Pending, order: Order | None, n: int) -> Any:
    """Return the first rows of a result in an order, None where pandas might find others among equal ones."""
    plan, is_once = pending.rows(), order is None or order.keeps_equal_rows
    rows, keys = _rows(plan), list[Array]()
    is_persisted = not is_once and not _has_text_of_joins(rows)
    if is_persisted:
        rows, keys = _persisted(rows)
    by, upwards = ([], ()) if order is None else ([*map(rows._columns.array, order.by)], order.ascending)
    first = _sorted(rows, [*by, *keys], upwards).head(n if is_once else n + 1)
    found, types = _first_rows(rows, pending.sums, _like(plan, first))
    if order is not None:
        values = [found[name] for name in order.by] if isinstance(plan, DataFrame) else [found]
        lacks = any(bool(column.isna().to_numpy().any()) for column in values)
        if is_once and lacks:
            return None
        # Of very many rows, equal ones keep their order in any sort of the house.
        if not is_once and (lacks or not (values[0].is_unique or len(rows) > tuning.SORTED_BY_PANDAS)):
            rows, keys = (rows, keys) if is_persisted else _persisted(rows)
            found = computed(taken(_like(plan, rows), _numbers_in_order(rows, keys, order, types)[:n]))
    found = found.iloc[:n]
    if not types:
        return found
    return found.astype(types if isinstance(plan, DataFrame) else types.get(VALUES, found.dtype))


def _has_text_of_joins(rows: DataFrame) -> bool:
    """Return whether a result has text and is one of joined rows: joins are arranged for the first groups alone."""
    has_text = any(value.dtype.kind == "str" for value in rows._columns.all_values())
    return has_text and any(isinstance(node, MatchRows | HashJoin) for node in inputs_first([rows._columns.frame]))


def _persisted(rows: DataFrame) -> tuple[DataFrame, list[Array]]:
    """Return the rows of a result in memory, and the keys by which they are ordered, none if they are so already.

    Groups by text stay as they are found: to order all of them takes as long as to find them.
    """
    columns, names, keys = rows._columns, [*rows._columns.values], list[str]()
    chain = Chain.of(columns.frame)
    groups, *others = chain.bases
    are_filtered = not others and all(isinstance(node, Filter) for node in chain.selections)
    if are_filtered and isinstance(groups, Groups) and groups.follows_needs:
        groups = groups.in_any_order
        columns = columns.moved(partial(_in_any_order, chain, groups))
        keys = [f"{number} {''.join(names)}" for number in range(len(groups.keys))]  # Longer than all others.
        for number, key in enumerate(keys):
            columns = columns.having(key, wrap(columns.frame, groups.key(number)))
    found = rows._of(columns).persist()._columns
    return rows._of(found.only(names)), [*map(found.array, keys)]


def _in_any_order(chain: Chain, groups: Groups, frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
    """Return columns of filtered groups that are in order on the same groups in any order."""
    columns = columns_of(*values, *chain.predicates)
    moved = {column.token: ColumnRef(groups._name, column.name, column.dtype) for column in columns}
    return rebuild(groups, chain.selections, substitute_all(chain.predicates, moved)), substitute_all(values, moved)


def _sorted(rows: DataFrame, by: Sequence[Array], ascending: Sequence[bool]) -> DataFrame:
    """Return rows in the order of some columns and then, upwards, of their keys."""
    upwards = [*ascending, *[True] * (len(by) - len(ascending))]
    return rows._of(in_order(rows._columns, by, upwards)) if by else rows


def _first_rows(rows: DataFrame, sums: Mapping[str, Narrow], first: Any) -> tuple[Any, dict[str, Any]]:
    """Compute first rows of a result, and the types of its sums, which all rows decide."""
    columns, fitting = rows._columns, []
    for name, coding in sums.items():
        bounds, column = np.iinfo(coding.dtype), pdarray(columns.frame, columns.values[name])
        fitting.append(((column >= bounds.min) & (column <= bounds.max)).all()._expr)
    found, *fit = run(plan_in_pandas(first), *fitting)
    return found, {name: coding.dtype for (name, coding), fits in zip(sums.items(), fit, strict=True) if fits}


def _numbers_in_order(rows: DataFrame, keys: Sequence[Array], order: Order, types: Mapping[str, Any]) -> Any:
    """Return the numbers of rows in the order of a column, where pandas' quicksort leaves them."""
    (name,), (ascending,) = order.by, order.ascending
    column = LazyFrame._of(rows._columns.only([name]).labelled(None))
    values = computed(column_of(_sorted(column, keys, ()), name, name))
    return values.astype(types.get(name, values.dtype)).sort_values(ascending=ascending).index.to_numpy()


def narrowed_sums(found: Any, sums: Mapping[str, Narrow]) -> Any:
    """Return all rows of a result with the types of their sums."""
    for name, coding in sums.items():
        if isinstance(found, pandas.Series):
            return coding.reduced("sum", [found])
        found[name] = coding.reduced("sum", [found[name]])
    return found


def _like(plan: Any, rows: Any) -> Any:
    """Return some rows of a plan with its labels."""
    if not isinstance(plan, DataFrame):
        return plan._moved(rows)
    return labelled(LazyFrame._of(rows._columns), labels_of_frame(plan))


def joined_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool, tuple[Any, ...], dict[str, Any]]:
    """Return arguments of a join, and whether plans took the place of pending results."""
    given = (*args, *kwargs.values())
    is_open = any(_is_pending(one) and not one._pending.is_computed() for one in given)
    if not is_open or all(one.is_at_hand() for one in given if isinstance(one, Face) and not _is_pending(one)):
        return False, args, kwargs
    try:
        return True, tuple(map(_planned, args)), {word: _planned(one) for word, one in kwargs.items()}
    except NotLazyError:
        return False, args, kwargs


def _is_pending(given: Any) -> bool:
    return isinstance(given, NDFrame) and given._pending is not None


def _is_of_groups(pending: Pending) -> bool:
    """Return whether a result is one of groups that are not computed; pandas has small files sooner."""
    return pending.is_arranged and not pending.is_computed()


def _stays(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether the result of a call is pending, too."""
    if kwargs.get("inplace") or any(one._pending.is_computed() for one in (face, *args) if _is_pending(one)):
        return False
    if name == "__getitem__" and face.pandas_class is pandas.Series and not _is_pending(args[0]):
        return False  # It may be a value.
    return all(_is_pending(one) or _is_plain(one) for one in args) and all(map(_is_plain, kwargs.values()))


def _is_plain(given: Any) -> bool:
    """Return whether an argument holds no object of pandas, function or array."""
    if type(given) in (list, tuple):
        return all(map(_is_plain, given))
    if type(given) is dict:
        return all(map(_is_plain, given.values()))
    return isinstance(given, str | int | float | np.generic | pandas.Timestamp | pandas.Timedelta | None)


def _planned(given: Any) -> Any:
    """Return the plan of a pending result, and anything else as it is."""
    if not _is_pending(given) or given._pending.is_computed():
        return given
    return type(given)._of(given._pending.plan())


def _has_rows_of(face: Any, given: Any) -> bool:
    """Return whether an argument is no frame or Series, or one with the same rows, whose labels need no alignment."""
    if not isinstance(given, NDFrame):
        return True
    return bool(labels_of_rows(face.lazy()).are_those_of(labels_of_rows(given.lazy())))
