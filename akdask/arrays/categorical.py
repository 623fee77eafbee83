"""`Categorical`: a lazy array of few distinct strings, stored as codes that refer to a category table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from akdask.arrays import ordering, sorting
from akdask.arrays.array import Array
from akdask.arrays.creation import array
from akdask.arrays.display import quoted
from akdask.arrays.operators import combine
from akdask.arrays.ordering import SortingAlgorithm
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import reduced
from akdask.arrays.scalar import Scalar
from akdask.arrays.selection import filter_columns
from akdask.arrays.strings import Strings
from akdask.arrays.text import as_str
from akdask.arrays.wrap import can_be_asked_for, class_asked_for
from akdask.arrays.writing import Storable
from akdask.columns.dtypes import FLOAT64, INT64, STR, column_type
from akdask.columns.table import Table
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import Gather, align, joined
from akdask.engine.explain import is_cheap
from akdask.engine.missing import call, demanded, is_missing_text, without_missing
from akdask.engine.node import Frame
from akdask.engine.operations import OPERATIONS
from akdask.engine.rowwise import Project
from akdask.engine.run import CollectionRows, check_bytes, run
from akdask.engine.sources import Rows
from akdask.engine.tokens import token
from akdask.engine.values import Call, Constant, Replica, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, NonUniqueError, refuses_foreign
from akdask.operators.join.join import IS_NA, LABEL, CategoryTable, Distinct, UniqueLabels
from akdask.operators.join.membership import BuildKeySet
from akdask.operators.values.lookup import check_codes
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, ORDERED, PERMUTATION, SEGMENTS, ObjType
from akdask.typing import NumberArray


def looked_up(labels: CategoryTable, value: Value, codes: Value) -> Call:
    """Evaluate a value once for each label, and look it up for each row."""
    table = Project(labels, (0,), (value,))
    return Call("lookup", Replica(table, 0, value.dtype), codes)


def strings_of(items: Any) -> Strings:
    """Return labels or elements as Strings; an error if they are no strings."""
    if isinstance(items, str | bytes) or not hasattr(items, "__len__"):
        raise ArgumentTypeError(f"expected an array or sequence of strings, got {type(items).__name__}.")
    if not isinstance(items, Array) or (not isinstance(items, Strings) and items.rows.size == 0):
        # NumPy, and Arkouda's array() too, would make floats of no elements.
        items = array(items if not isinstance(items, Array) and len(items) else np.array([], dtype=str))
    strings: Array = items
    if not isinstance(strings, Strings):
        raise ArgumentTypeError(
            f"a Categorical is made of strings, not of {type(strings).__name__}({strings._value.dtype}).",
            hint="convert numbers to strings first: Categorical(ak.cast(a, 'str')).",
        )
    return strings


def in_one_partition(strings: Strings) -> Frame:
    """Return a one-partition frame whose only column are the strings."""
    return Gather(Project(strings._frame, (0,), (demanded(strings._value),)))


def union_of(tables: Sequence[CategoryTable], na: str) -> CategoryTable:
    """Return one table of the labels of several tables, without their labels for missing, and with `na`.

    Ordered tables with the same labels in the same order are used as they are; comparing labels computes them.
    """
    different = list(dict.fromkeys(tables))
    if all(table.is_ordered for table in different) and len({*map(tuple, map(labels_in_order, different))}) == 1:
        return different[0]
    frame = joined([Project(table, (0,), (table.label,)) for table in different])
    return CategoryTable(Distinct.of(frame, frame.column(0)), na)


def labels_in_order(table: CategoryTable) -> list[str]:
    """Return the labels in their order, without the one for missing; computes."""
    there = filter_columns(table, [table.label], table, Call("logical_not", table.is_na))
    return list(Strings(there[0], there[1][0]).tolist())


def as_text(table: Table, labels: Table) -> np.ndarray[Any, Any]:
    """Return codes and a table of labels as NumPy strings."""
    text = labels_text(labels)
    check_bytes(table.nrows * text.itemsize)
    return OPERATIONS["lookup"].evaluate(text, table.columns[0])


@dataclass(frozen=True, slots=True)
class AsPandas:
    """Makes a pandas Categorical of codes and a table of labels.

    Parameters
    ----------
    ordered : bool
        Whether the order of the labels means something.
    """

    ordered: bool

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token("pandas Categorical", self.ordered)

    def __call__(self, table: Table, labels: Table) -> pd.Categorical:
        """Return the Categorical."""
        return pandas_categorical(np.asarray(table.columns[0]), labels, ordered=self.ordered)


def pandas_categorical(
    codes: NumberArray, labels: Table, *, ordered: bool = False, keeps_na: bool = True
) -> pd.Categorical:
    """Return the pandas Categorical of codes and a table of labels.

    The label for missing becomes no category for Arkouda's arrays, without `keeps_na`; its elements are missing.
    Ordered Categoricals never keep it, as it has no place in the order.

    Raises
    ------
    PositionError
        If a code has no label.
    NonUniqueError
        If labels repeat.
    """
    check_codes(codes, labels.nrows)
    named = labels_text(labels).astype(object)
    if (ordered or not keeps_na) and labels.nrows:
        codes, there = without_na(codes, labels)
        named = named[there]
    categories = pd.Index(named)
    if not categories.is_unique:
        again = categories[categories.duplicated()][0]
        raise NonUniqueError(
            f"the category {again!r:.100} is there twice, which a pandas Categorical cannot have.",
            hint="take the elements as text, with to_strings().",
        )
    return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


def without_na(codes: NumberArray, labels: Table) -> tuple[NumberArray, NumberArray]:
    """Return codes without the label for missing, which becomes -1, and a mask of the other labels."""
    there = ~np.asarray(labels.columns[IS_NA])
    return np.where(there, np.cumsum(there) - 1, -1)[codes], there


def labels_text(labels: Table) -> np.ndarray[Any, Any]:
    """Return the labels as NumPy strings."""
    strings: Any = labels.columns[LABEL]
    return np.array(strings.to_pylist(), dtype=str)


DEFAULT_NA = "N/A"

NOWHERE = np.iinfo(np.int64).max
"""Behind all places in an order."""


@can_be_asked_for
class Categorical(Array):
    """A lazy array of strings with few distinct values: an int64 code for each row, and a table with each label once.

    One of the labels stands for missing values.  It is added as the last label if it is not among them.

    Parameters
    ----------
    values : Strings, pandas.Categorical, or sequence of str
        The elements; missing text gets the label for it.  Labels come in ascending order of their bytes (an Arkouda
        server orders them by a hash).
        Lazy: the labels are computed when they are first needed.
    na_value : str, default "N/A"
        The label that stands for missing.
    NAvalue, naValue : str, optional
        The same, as older releases of Arkouda spell it.

    Raises
    ------
    ArgumentTypeError
        If the values are no strings, or the label for missing is given twice.

    Examples
    --------
    >>> import akdask as ak
    >>> c = Categorical(ak.array(["udp", "tcp", "udp"]))
    >>> c.categories.tolist(), c.codes.tolist()
    (['tcp', 'udp', 'N/A'], [1, 0, 1])
    >>> (c == "udp").tolist()
    [True, False, True]
    """

    objType = "Categorical"

    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "categorical_array"

    permutation: pdarray | None = None
    """Positions that bring equal elements together, where they were given or stored with the array."""
    segments: pdarray | None = None
    """Where each label starts in `permutation`, where that was given or stored with the array."""
    inferred_type = "categorical"

    _separator = ", "
    _gap = "... "

    @refuses_foreign()
    def __init__(
        self, values: Any, *, na_value: str | None = None, NAvalue: str | None = None, naValue: str | None = None
    ) -> None:
        na = _na_given(na_value, NAvalue, naValue)
        if is_pandas(values, "Series", "Index"):
            values = values.array
        if is_pandas(values, "Categorical"):
            made = _from_pandas(values, na)
        elif isinstance(values, Categorical):
            made = values
        else:
            made = _encoded(strings_of(values), na)
        super().__init__(made._frame, made._value)
        self._category_table: CategoryTable = made._category_table
        self.permutation, self.segments = made.permutation, made.segments

    @classmethod
    def of(
        cls,
        frame: Frame,
        codes: Value,
        labels: CategoryTable,
        permutation: pdarray | None = None,
        segments: pdarray | None = None,
    ) -> Self:
        """Return the Categorical of codes on the rows of a frame."""
        self = cls.__new__(cls)
        Array.__init__(self, frame, codes)
        self._category_table = labels
        self.permutation, self.segments = permutation, segments
        return self

    @classmethod
    def from_codes(
        cls,
        codes: Any,
        categories: Any,
        permutation: Any = None,
        segments: Any = None,
        *,
        na_value: str | None = None,
        NAvalue: str | None = None,
        naValue: str | None = None,
        ordered: bool = False,
    ) -> Self:
        """Return the Categorical of integer codes and their labels; lazy.

        Parameters
        ----------
        codes : pdarray or array of int
            Positions in `categories`.  A code outside is an error when its label is looked up.
        categories : Strings or sequence of str
            The labels, each once.
        permutation, segments : pdarray of int, optional
            Positions that bring equal elements together, and the start of each label in them.  Kept for files.
        na_value : str, default "N/A"
            The label that stands for missing.
        NAvalue, naValue : str, optional
            The same, as older releases of Arkouda spell it.
        ordered : bool, default False
            Whether the order of the labels has a meaning; see `ordered`.

        Raises
        ------
        ArgumentTypeError
            If the codes are not integers, or the categories not strings.
        """
        codes = array(codes)
        if not isinstance(codes, pdarray) or codes.dtype.kind not in "iu":
            raise ArgumentTypeError("codes are integers.", details=[f"given: {codes!r:.100}"])
        value = codes._value if codes._value.dtype == INT64 else Call("cast", codes._value, dtype=INT64.name)
        na = _na_given(na_value, NAvalue, naValue)
        labels = CategoryTable(in_one_partition(strings_of(categories)), na).in_order(ordered)
        parts = [None if part is None else array(part).copy() for part in (permutation, segments)]
        return cls.of(codes._frame, value, labels, *parts)

    @classmethod
    def standardize_categories(cls, arrays: Sequence[Categorical], na_value: str = DEFAULT_NA) -> list[Categorical]:
        """Return arrays with common labels, the union of their own, so that their codes can be compared; lazy.

        Raises
        ------
        ArgumentTypeError
            If one of them is no Categorical.
        """
        _check_categorical(arrays)
        labels = union_of([item._category_table for item in arrays], na_value)
        return [item if item._category_table is labels else item._with_table(labels) for item in arrays]

    def _like(self, frame: Frame, value: Value) -> Self:
        # Positions hold only for all rows in their order, as in a DataFrame beside other columns.
        is_same = value == self._value and frame.rows.same_rows(self._frame.rows)
        parts = (self.permutation, self.segments) if is_same else ()
        return self.of(frame, value, self._category_table, *parts)

    def _converter(self) -> Callable[..., Any]:
        return as_text

    def _type_name(self) -> str:
        return "Categorical"

    def _extras(self) -> tuple[Frame, ...]:
        return (self._category_table,)

    # parts

    @property
    def codes(self) -> pdarray:
        """The position of each element's label in `categories`, as int64; lazy."""
        return pdarray(self._frame, self._value)

    @property
    def categories(self) -> Strings:
        """The labels, with the one for missing; lazy, and of unknown number until they are found."""
        return Strings(self._category_table, self._category_table.label)

    @property
    def nlevels(self) -> int:
        """Number of labels; finds them, once."""
        return self.categories.size

    @property
    def na_value(self) -> str:
        """The label that stands for missing; computes."""
        labels = self._category_table
        return str(Strings(labels, labels.label)[pdarray(labels, labels.is_na)].tolist()[0])

    @property
    def NAvalue(self) -> str:
        """The label that stands for missing, as older releases of Arkouda spell it; computes."""
        return self.na_value

    @property
    def nbytes(self) -> int:
        """Bytes of the codes, the labels, and the positions where they were given; computes."""
        parts = [self.codes, self.categories, self.permutation, self.segments]
        return sum(part.nbytes for part in parts if part is not None)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements, ``dtype('<U')``."""
        return np.dtype(str)

    @property
    def ordered(self) -> bool:
        """Whether the order of the labels has a meaning, as in ``lo < mid < hi``.

        Such Categoricals are sorted, compared and grouped by the order of their labels, others are sorted by the labels
        as text.  The order comes from pandas, Arrow and Parquet; Arkouda's files do not store it.
        """
        return self._category_table.is_ordered

    # tests

    def __eq__(self, other: object) -> Any:
        """Return where the elements equal a str, or row by row the elements of a Categorical, Strings or list; lazy."""
        return self._compared("equal", other)

    def __ne__(self, other: object) -> Any:
        """Return where the elements differ from a str, or from the elements of a Categorical, Strings or list; lazy."""
        return self._compared("not_equal", other)

    def _compared(self, operation: str, other: object) -> Any:
        match other:
            case str():
                return self._where_label(Call(operation, self._category_table.label, Constant(other)))
            case Categorical() if other._category_table is self._category_table:
                sides = [(self._frame, self._value), (other._frame, other._value)]
            case Categorical() | Strings():
                sides = [self._as_operand(), other._as_operand()]
            case list() | tuple() | np.ndarray() | pd.Series() | pd.Index():
                sides = [self._as_operand(), strings_of(other)._as_operand()]
            case Array() | bool() | int() | float() | bytes() | np.generic() | None:
                # Python would take the arrays for different things and answer with a single bool.
                raise ArgumentTypeError(f"a Categorical does not compare with {type(other).__name__}.")
            case _:
                return NotImplemented
        frame, values = align(operation, sides)
        found = pdarray(frame, call(operation, *values))
        if isinstance(other, Categorical) and not self._rules.equates_missing_labels:
            lacking = self.isna() | other.isna()
            return found | lacking if operation == "not_equal" else found & ~lacking
        return found

    def __lt__(self, other: Any) -> pdarray:
        """Return which elements come before a label, or before another Categorical's, in the order of labels; lazy."""
        return self._ordered_against("less", other)

    def __le__(self, other: Any) -> pdarray:
        """Return which elements come before or equal a label; see `__lt__`."""
        return self._ordered_against("less_equal", other)

    def __gt__(self, other: Any) -> pdarray:
        """Return which elements come after a label; see `__lt__`."""
        return self._ordered_against("greater", other)

    def __ge__(self, other: Any) -> pdarray:
        """Return which elements come after or equal a label; see `__lt__`."""
        return self._ordered_against("greater_equal", other)

    def _ordered_against(self, operation: str, other: Any) -> pdarray:
        """Return how elements compare by the order of labels, False where one is missing; computes labels.

        Raises
        ------
        ArgumentTypeError
            If the labels have no order, the other labels differ, or the label to compare with is unknown.
        """
        if not isinstance(other, str | Categorical):
            raise ArgumentTypeError(
                f"a Categorical is ordered against a label or a Categorical, not a {type(other).__name__}."
            )
        if not self.ordered or (isinstance(other, Categorical) and not other.ordered):
            raise ArgumentTypeError(
                "labels that are in no order are equal or not.",
                hint="as_ordered() gives them the order in which they are.",
            )
        if isinstance(other, str):
            return self._against_label(operation, other)
        if union_of([self._category_table, other._category_table], DEFAULT_NA) is not self._category_table:
            raise ArgumentTypeError("Categoricals are ordered against those of the same labels in the same order.")
        theirs = other if other._category_table is self._category_table else other._with_table(self._category_table)
        frame, (mine, its) = align(operation, [(self._frame, self._value), (theirs._frame, theirs._value)])
        return pdarray(frame, self._where_there(Call(operation, mine, its), mine, its))

    def _against_label(self, operation: str, label: str) -> pdarray:
        if label not in self._labels_in_order():
            raise ArgumentTypeError(
                f"{label!r} is no label of the Categorical, and has no place in their order.",
                details=[f"labels: {', '.join(self._labels_in_order()[:10])}"],
            )
        code = Constant(self.categories.tolist().index(label))
        return pdarray(self._frame, self._where_there(Call(operation, self._value, code), self._value))

    def _where_there(self, found: Value, *codes: Value) -> Value:
        """Return a comparison that is False where a code is that for missing."""
        for code in codes:
            found = Call("logical_and", found, Call("logical_not", self._missing_among(code)))
        return found

    def _labels_in_order(self) -> list[str]:
        return labels_in_order(self._category_table)

    def contains(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements contain a substring, or match a regular expression anywhere; lazy bool array."""
        return self._where_label(Call("contains", self._category_table.label, substr=as_str(substr), regex=regex))

    def startswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements begin with a substring or regular expression; lazy bool array."""
        return self._where_label(Call("startswith", self._category_table.label, substr=as_str(substr), regex=regex))

    def endswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements end with a substring or regular expression; lazy bool array."""
        return self._where_label(Call("endswith", self._category_table.label, substr=as_str(substr), regex=regex))

    def isna(self) -> pdarray:
        """Return which elements are missing; lazy bool array."""
        return pdarray(self._frame, self._missing_among(self._value))

    def _missing_among(self, codes: Value) -> Value:
        """Return which of some codes stand for missing."""
        return looked_up(self._category_table, self._category_table.is_na, codes)

    def in1d(self, test: Any) -> pdarray:
        """Return which elements are among the given elements; lazy bool array.

        Parameters
        ----------
        test : Strings, Categorical or sequence of str
            The elements to look for.
        """
        wanted = test.to_strings() if isinstance(test, Categorical) else strings_of(test)
        return self._where_label(BuildKeySet.of(wanted._frame, [wanted._value]).has([self._category_table.label]))

    def _where_label(self, predicate: Value) -> pdarray:
        """Evaluate a predicate once for each label, then look it up by the codes."""
        return pdarray(self._frame, looked_up(self._category_table, predicate, self._value))

    def _as_operand(self) -> tuple[Frame, Value]:
        return self._frame, self._text

    @property
    def _text(self) -> Value:
        return Call("lookup", self._category_table.all_labels, self._value)

    # conversion

    def to_strings(self) -> Strings:
        """Return the elements as Strings; lazy."""
        return Strings(self._frame, self._text)

    def astype(self, dtype: Any) -> Any:
        """Return the elements as Strings, for the type ``str`` or ``ak.Strings``; lazy.

        Raises
        ------
        ArgumentError
            If the type is another one.
        """
        if is_pandas(dtype, "CategoricalDtype"):
            return self._of_dtype(dtype)
        asked_for = class_asked_for(dtype)
        if asked_for is Categorical:
            return self.copy()
        if asked_for is not Strings and column_type(dtype) != STR:
            raise ArgumentError(f"a Categorical is cast to Strings only, not to {dtype!r}.", hint=".codes are numbers.")
        return self.to_strings()

    @classmethod
    def _cast_from(cls, array: Any) -> Any:
        return cls(array)

    def to_pandas(self) -> pd.Categorical:
        """Return the elements as a pandas Categorical with the same codes and labels; computes."""
        found: pd.Categorical = run(
            CollectionRows(self._project(), AsPandas(self.ordered), self._extras(), None).here()
        )[0]
        return found

    def equals(self, other: Any) -> Any:
        """Whether the other array has the same elements in the same order; computes."""
        return isinstance(other, Categorical) and self.size == other.size and (self == other).all().value()

    def group(self) -> pdarray:
        """Return positions that bring equal elements together, as int64; lazy."""
        return self.codes.argsort()

    def hash(self) -> tuple[pdarray, pdarray]:
        """Return a 128-bit hash of each element as two arrays of uint64; see `Strings.hash`.  Lazy."""
        high, low = (self._where_label(Call("text_hash", self._category_table.label, part=part)) for part in (0, 1))
        return high, low

    def unique(self) -> Self:
        """Return the distinct elements, in the order of their codes; lazy."""
        from akdask.operators.group.aggregate import GroupAggregate

        groups = GroupAggregate.of(self._frame, [self._value])
        return self._like(groups, groups.key(0))

    # order

    def _sort_key(self, ascending: bool = True) -> tuple[Frame, Value]:
        """Return the position of each element's label in the order of labels; missing elements get NaN, the last."""
        from akdask.operators.sort.sort import ranks

        labels = self._category_table
        place = labels.codes if labels.is_arranged else Call("lookup", ranks(labels, labels.label), labels.codes)
        last = Call("where", labels.is_na, Constant(np.nan), cast(place, FLOAT64))
        return self._frame, looked_up(labels, last, self._value)

    def min(self) -> Any:
        """Return the first label among the elements in the order of labels, NaN if there are no elements; computes.

        Raises
        ------
        ArgumentTypeError
            If the labels are in no order.
        """
        return self._extreme("min")

    def max(self) -> Any:
        """Return the last label among the elements, NaN if there are no elements; computes.  See `min`."""
        return self._extreme("max")

    def argmin(self) -> Any:
        """Return the position of the first element with the first of the labels; lazy.  See `min`."""
        return reduced(self._in_order("argmin"), "argmin")

    def argmax(self) -> Any:
        """Return the position of the first element with the last of the labels; lazy.  See `min`."""
        return reduced(self._in_order("argmax"), "argmax")

    def _in_order(self, operation: str) -> pdarray:
        """Return the positions of the elements in the order of labels; missing elements are never the extreme."""
        if not self.ordered:
            raise ArgumentTypeError(
                f"labels that are in no order have no {operation}.",
                hint="as_ordered() gives them the order in which they are; to_strings() are ordered as text.",
            )
        last = Constant(-1 if operation.endswith("max") else NOWHERE)
        return pdarray(self._frame, Call("where", self._missing_among(self._value), last, self._value))

    def _extreme(self, operation: str) -> Any:
        code = int(reduced(self._in_order(operation), operation))
        return np.nan if code in (-1, NOWHERE) else self.categories.tolist()[code]

    def _in_my_order(self, values: Any) -> Any:
        """Return values as a Categorical of the same ordered labels; computes whether all of them are known."""
        if not self.ordered or (isinstance(values, Categorical) and values._category_table is self._category_table):
            return values
        text = values.to_strings() if isinstance(values, Categorical) else values
        known, codes = self._labels_in_order(), self._category_table.code_of(strings_of(text)._value)
        others = sorted({str(label) for label in strings_of(text).dropna().tolist()} - {*known})
        if others:
            raise ArgumentTypeError(
                f"{others[0]!r} is no label of the Categorical, and has no place in their order.",
                details=[f"labels: {', '.join(known[:10])}"],
            )
        missing = Call("less", codes, Constant(0))
        return self.of(text._frame, Call("where", missing, self._category_table.na_code, codes), self._category_table)

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool = True) -> pdarray:
        """Return the positions that put the elements in order of their labels, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        ascending : bool, default True
            The direction.
        """
        return ordering.sorted_positions([self], ascending)

    def is_sorted(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return whether the elements are in ascending order, which no missing element is part of; lazy."""
        return ordering.is_sorted(self, axis)

    def mink(self, k: int) -> Any:
        """Return the `k` smallest elements in ascending order; see `akdask.mink`."""
        return ordering.few_extremes("mink", self, k)

    def maxk(self, k: int) -> Any:
        """Return the `k` largest elements in ascending order; see `akdask.maxk`."""
        return ordering.few_extremes("maxk", self, k)

    def argmink(self, k: int) -> Any:
        """Return the positions of the `k` smallest elements; see `akdask.argmink`."""
        return ordering.few_extremes("argmink", self, k)

    def argmaxk(self, k: int) -> Any:
        """Return the positions of the `k` largest elements; see `akdask.argmaxk`."""
        return ordering.few_extremes("argmaxk", self, k)

    def sort_values(self) -> Categorical:
        """Return the elements in order of their labels; lazy."""
        ordered: Categorical = sorting.sort(self)
        return ordered

    def fillna(self, value: str) -> Categorical:
        """Return the elements with a label in place of missing elements; lazy.

        Parameters
        ----------
        value : str
            The label; it is added to unordered labels that lack it.

        Raises
        ------
        ArgumentTypeError
            If the labels are ordered, as the new label has no position in the order.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Categorical(ak.array(["a", None])).fillna("b").tolist()
        ['a', 'b']
        """
        if self.ordered and value not in self._labels_in_order():
            raise ArgumentTypeError(
                f"{value!r} is no label of the Categorical, and has no place in their order.",
                hint="set_categories adds one.",
            )
        return self._chosen(self.isna(), value, self)

    # other categories

    def as_ordered(self) -> Self:
        """Return the elements with ordered labels, in the present order; lazy.  See `ordered`.

        Examples
        --------
        >>> import akdask as ak
        >>> c = Categorical.from_codes(ak.array([0, 1, 0]), ["lo", "hi"]).as_ordered()
        >>> (c < "hi").tolist(), c.sort_values().tolist()
        ([True, False, True], ['lo', 'lo', 'hi'])
        """
        return self.of(self._frame, self._value, self._category_table.in_order(), self.permutation, self.segments)

    def as_unordered(self) -> Self:
        """Return the elements with labels that are in no order; lazy."""
        labels = self._category_table.in_order(False)
        return self.of(self._frame, self._value, labels, self.permutation, self.segments)

    def _arranged(self) -> Self:
        """Return the elements with labels by whose order sorts go."""
        return self.of(self._frame, self._value, self._category_table.arranged(), self.permutation, self.segments)

    def reorder_categories(self, new_categories: Any, ordered: bool | None = None) -> Self:
        """Return the elements with the same labels in another order; computes the labels.

        Parameters
        ----------
        new_categories : Strings or sequence of str
            The labels, each once.
        ordered : bool, optional
            Whether the order of the labels has a meaning; the present setting unless given.

        Raises
        ------
        ArgumentError
            If they are not the same labels.
        """
        wanted = strings_of(new_categories).tolist()
        if sorted(wanted) != sorted(self._labels_in_order()):
            raise ArgumentError(
                "reorder_categories takes the labels that there are.", hint="set_categories takes others."
            )
        made = self.set_categories(wanted)._arranged()
        return made if ordered is None else made.as_ordered() if ordered else made.as_unordered()

    def _of_dtype(self, dtype: Any) -> Self:
        """Return the elements with the categories and order of a pandas type, missing where no category fits."""
        if dtype.categories is None:
            return self.as_ordered() if dtype.ordered else self.as_unordered()
        made = self.set_categories([str(label) for label in dtype.categories])._arranged()
        return made.as_ordered() if dtype.ordered else made.as_unordered()

    def set_categories(self, new_categories: Any, na_value: str | None = None) -> Self:
        """Return the elements with other labels; elements without a label become missing; lazy.

        Parameters
        ----------
        new_categories : Strings or sequence of str
            The labels, each once.
        na_value : str, optional
            The label that stands for missing; unless given, the present one, which must be read from files first.

        Raises
        ------
        NonUniqueError
            If a label comes twice; raised at compute.
        """
        na = self._na_label() if na_value is None else na_value
        labels = UniqueLabels(in_one_partition(strings_of(new_categories)))
        return self._with_table(CategoryTable(labels, na).in_order(self.ordered))

    def reset_categories(self) -> Categorical:
        """Return the elements with only the labels that occur among them, and the one for missing; lazy."""
        if self.ordered:
            return self.set_categories(self[~self.isna()].unique().to_strings())
        text = self.to_strings()
        distinct = Distinct.of(text._frame, text._value)
        return self.set_categories(Strings(distinct, distinct.values))

    def add_categories(self, new_categories: Any) -> Self:
        """Return the elements with further labels after the present ones; computes the labels.

        Parameters
        ----------
        new_categories : str, or Strings or sequence of str
            The labels.

        Raises
        ------
        ArgumentError
            If a label exists already.

        Examples
        --------
        >>> import akdask as ak
        >>> Categorical(ak.array(["a", "b"])).add_categories("c").categories.tolist()
        ['a', 'b', 'c', 'N/A']
        """
        new, known = _labels_given(new_categories), self._labels_in_order()
        if again := [label for label in new if label in known]:
            raise ArgumentError(f"{again[0]!r} is a category already.", details=[f"categories: {known!r:.200}"])
        return self.set_categories([*known, *new])

    def remove_categories(self, removals: Any) -> Self:
        """Return the elements without some labels, whose elements become missing; computes the labels.

        Parameters
        ----------
        removals : str, or Strings or sequence of str
            The labels.

        Raises
        ------
        ArgumentError
            If one is not there.
        """
        gone, known = _labels_given(removals), self._labels_in_order()
        if unknown := [label for label in gone if label not in known]:
            raise ArgumentError(f"{unknown[0]!r} is no category.", details=[f"categories: {known!r:.200}"])
        return self.set_categories([label for label in known if label not in gone])

    def remove_unused_categories(self) -> Self:
        """Return the elements with only the labels that occur among them, in the present order; computes the labels.

        See Also
        --------
        reset_categories : the same without an order, lazily.
        """
        used = {*self[~self.isna()].unique().tolist()}
        return self.set_categories([label for label in self._labels_in_order() if label in used])

    def rename_categories(self, new_categories: Any) -> Self:
        """Return the elements with renamed labels; computes the labels.

        Parameters
        ----------
        new_categories : mapping of str to str, function, or Strings or sequence of str
            New names by old names, and other labels stay; or one name for each label, in their order.

        Raises
        ------
        ArgumentError
            If there are not as many names as labels, or two are the same.

        Examples
        --------
        >>> import akdask as ak
        >>> Categorical(ak.array(["a", "b", "a"])).rename_categories({"a": "z"}).tolist()
        ['z', 'b', 'z']
        """
        known = self._labels_in_order()
        if isinstance(new_categories, Mapping):
            named = [str(new_categories.get(label, label)) for label in known]
        elif callable(new_categories) and not isinstance(new_categories, Strings):
            named = [str(new_categories(label)) for label in known]
        else:
            named = _labels_given(new_categories)
        if len(named) != len(known) or len({*named}) < len(named):
            raise ArgumentError(
                f"{len(known)} categories need as many names, all different.", details=[f"given: {named!r:.200}"]
            )
        made = self.set_categories(known)
        labels = UniqueLabels(in_one_partition(strings_of(named)))
        table = CategoryTable(labels, made._na_label()).in_order(self.ordered)
        return self.of(made._frame, made._value, table)

    def _each_category(self) -> Self:
        """Return each label but that for missing once, in their order; lazy."""
        table = self._category_table
        each = self.of(table, table.codes, table)
        return each[~pdarray(table, table.is_na)]

    def concatenate(self, others: Categorical | Sequence[Categorical], ordered: bool = True) -> Self:
        """Return the elements followed by the elements of others; lazy.

        Parameters
        ----------
        others : Categorical or sequence of them
            Labels that differ are put together.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Raises
        ------
        ArgumentTypeError
            If one of the others is no Categorical.
        """
        items: list[Any] = [self, *([others] if isinstance(others, Categorical) else others)]
        _check_categorical(items)
        if any(item._category_table is not self._category_table for item in items):
            labels = union_of([item._category_table for item in items], self._na_label())
            items = [item if item._category_table is labels else item._with_table(labels) for item in items]
        frame = joined([Project(item._frame, (0,), (item._value,)) for item in items])
        return items[0]._like(frame, frame.column(0))

    def _chosen(self, condition: Any, x: Any, y: Any) -> Categorical:
        """Return elements of `x` where a condition holds and of `y` elsewhere, each of them a Categorical or a str."""
        na = self._na_label()
        labels = next((item._category_table for item in (x, y) if isinstance(item, Categorical)), None)
        left, right = self.standardize_categories([self._all_of(item, na, labels) for item in (x, y)], na)
        frame, code = combine("where", [condition, left.codes, right.codes])
        return self.of(frame, code, left._category_table)

    def _all_of(self, item: Any, na: str, labels: CategoryTable | None) -> Categorical:
        """Return one label on all rows, as an ordered label where possible; Categoricals stay as they are."""
        if isinstance(item, Categorical):
            return item
        if labels is not None and labels.is_ordered and item in (named := Strings(labels, labels.label).tolist()):
            return self.of(self._frame, Constant(named.index(item)), labels)
        return self.of(self._frame, Constant(0), CategoryTable(in_one_partition(strings_of([item])), na))

    def _na_label(self) -> str:
        """Return the label that stands for missing; computes it unless it was given with the array."""
        return self._category_table.na if isinstance(self._category_table.na, str) else self.na_value

    def _with_table(self, labels: CategoryTable) -> Self:
        """Return the elements with the codes that they have in another table of labels."""
        old = self._category_table
        found = labels.code_of(old.label)
        lost = Call("bitwise_or", old.is_na, Call("less", found, Constant(0)))
        code = Call("where", lost, labels.na_code, found)
        return self.of(self._frame, looked_up(old, code, self._value), labels)

    def _storable(self) -> Storable:
        one = Rows((1,))
        tables = {
            CATEGORIES: Project(self._category_table, (0,), (self._category_table.label,)),
            NA_CODES: Project(one, (0,), (self._category_table.na_code,)),
        }
        parts = {PERMUTATION: self.permutation, SEGMENTS: self.segments}
        # Readers want both of them or neither.
        children = {name: part._storable() for name, part in parts.items() if part is not None}
        if len(children) < len(parts):
            children = {}
        params = {ORDERED: True} if self.ordered else {}
        return Storable(ObjType.CATEGORICAL, self._frame, {CODES: self._value}, tables, children, params)

    # display

    def _printed(self, items: Any) -> list[str]:
        return quoted(items)

    def _is_cheap(self) -> bool:
        return is_cheap(self._frame, [self._text])

    def _describe(self) -> str:
        return f"Categorical({self.rows.describe()})"


def _na_given(*names: str | None) -> str:
    """Return the label for missing that was given under one of its names, or the default."""
    given = [name for name in names if name is not None]
    if len(given) > 1:
        raise ArgumentTypeError("the label for missing is given more than once.", hint="use na_value only.")
    return given[0] if given else DEFAULT_NA


def _labels_given(labels: Any) -> list[str]:
    """Return labels that a user gives: one, or several."""
    return [labels] if isinstance(labels, str) else list(strings_of(labels).tolist())


def _check_categorical(items: Sequence[Any]) -> None:
    kinds = [type(item).__name__ for item in items if not isinstance(item, Categorical)]
    if kinds:
        raise ArgumentTypeError(
            f"expected Categoricals, got {', '.join(kinds)}.", hint="make them with Categorical(…)."
        )


def _encoded(strings: Strings, na: str) -> Categorical:
    """Return the codes of strings among their distinct ones; missing strings get the code of the label for missing."""
    there = strings.dropna()
    labels = CategoryTable(Distinct.of(there._frame, without_missing(there._value)), na)
    found: Value = labels.code_of(strings._value)
    if strings._value.dtype.nullable:
        found = Call("where", is_missing_text(strings._value), labels.na_code, found)
    return Categorical.of(strings._frame, found, labels)


def _from_pandas(values: pd.Categorical, na: str) -> Categorical:
    """Take over the codes; pandas marks missing elements by -1, Arkouda by the code of a label."""
    codes = array(values.codes.astype(np.int64))
    named = in_one_partition(strings_of(values.categories.astype(str)))
    labels = CategoryTable(named, na).arranged().in_order(bool(values.ordered))
    missing = Call("less", codes._value, Constant(0))
    return Categorical.of(codes._frame, Call("where", missing, labels.na_code, codes._value), labels)
