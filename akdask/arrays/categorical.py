"""`Categorical`: a lazy array of few distinct strings, stored as codes that refer to a category table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays import categories as tables
from akdask.arrays import sorting
from akdask.arrays.array import Array, can_be_asked_for
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.families import shown_as
from akdask.arrays.pdarray import Sortable, pdarray
from akdask.arrays.reductions import reduced
from akdask.arrays.sorting import SortingAlgorithm
from akdask.arrays.strings import Strings
from akdask.arrays.text import as_str
from akdask.columns.dtypes import FLOAT64
from akdask.deferred import pd
from akdask.engine.node import Frame
from akdask.engine.run import CollectionRows
from akdask.engine.sources import refuses_foreign
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentTypeError, errors_end_at_caller

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable
    from akdask.operators.join.plan import CategoryTable


Positions = tuple[pdarray | None, pdarray | None]
"""What brings equal elements together, and where each label starts among them, if that is known."""

_shown_by_labels = shown_as('c = ak.Categorical(ak.array(["b", "a", "b"]))', "c.{name}")
_shown_by_arrays = shown_as('c = ak.Categorical(ak.array(["b", "a", "b"]))', "c.{name}.tolist()")


@errors_end_at_caller
@can_be_asked_for
class Categorical(Sortable):
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
    codes, categories, permutation, segments
        As for `from_codes`, instead of values.

    Raises
    ------
    ArgumentTypeError
        If the values are no strings, or the label for missing is given twice.

    Examples
    --------
    >>> c = Categorical(ak.array(["udp", "tcp", "udp"]))
    >>> c.categories.tolist(), c.codes.tolist()
    (['tcp', 'udp', 'N/A'], [1, 0, 1])
    >>> (c == "udp").tolist()
    [True, False, True]
    """

    objType = "Categorical"

    _is_grouped: bool

    BinOps = frozenset(("==", "!="))
    """Operators of two operands that an Arkouda server has for it."""

    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "categorical_array"

    inferred_type = "categorical"

    _separator = ", "
    _gap = "... "

    @refuses_foreign()
    def __init__(
        self,
        values: Any,
        *,
        na_value: str | None = None,
        NAvalue: str | None = None,
        naValue: str | None = None,
        codes: Any = None,
        categories: Any = None,
        permutation: Any = None,
        segments: Any = None,
    ) -> None:
        na = tables.na_given(na_value, NAvalue, naValue)
        if codes is not None and categories is not None:
            made: Categorical = Categorical.from_codes(codes, categories, permutation, segments, na_value=na)
        else:
            made = values if isinstance(values, Categorical) else tables.made_of(Categorical, values, na)
        super().__init__(made._frame, made._value)
        self._category_table: CategoryTable = made._category_table
        self._positions: Positions = made._positions
        self._is_grouped = made._is_grouped or made is not values

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
        self._positions, self._is_grouped = (permutation, segments), False
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

        Examples
        --------
        >>> ak.Categorical.from_codes(ak.array([1, 0, 1]), ak.array(["a", "b"])).tolist()
        ['b', 'a', 'b']
        """
        na = tables.na_given(na_value, NAvalue, naValue)
        return tables.of_codes(cls, codes, categories, (permutation, segments), na, ordered=ordered)

    @classmethod
    def standardize_categories(cls, arrays: Sequence[Categorical], na_value: str = DEFAULT_NA) -> list[Categorical]:
        """Return arrays with common labels, the union of their own, so that their codes can be compared; lazy.

        Raises
        ------
        ArgumentTypeError
            If one of them is no Categorical.

        Examples
        --------
        >>> x, y = (ak.Categorical(ak.array(words)) for words in (["a", "b"], ["c", "a"]))
        >>> [c.categories.tolist() for c in ak.Categorical.standardize_categories([x, y])]
        [['N/A', 'a', 'b', 'c'], ['N/A', 'a', 'b', 'c']]
        """
        return tables.standardized(arrays, na_value)

    def _like(self, frame: Frame, value: Value) -> Self:
        # Positions hold only for all rows in their order, as in a DataFrame beside other columns.
        is_same = value == self._value and frame.rows.same_rows(self._frame.rows)
        made = self.of(frame, value, self._category_table, *(self._positions if is_same else ()))
        made._is_grouped = is_same and self._is_grouped
        return made

    def _converter(self) -> Callable[..., Any]:
        return tables.as_text

    def _type_name(self) -> str:
        return "Categorical"

    def _extras(self) -> tuple[Frame, ...]:
        return (self._category_table,)

    # parts

    @property
    @_shown_by_arrays("[1, 0, 1]")
    def codes(self) -> pdarray:
        """The position of each element's label in `categories`, as int64; lazy."""
        return pdarray(self._frame, self._value)

    @property
    @_shown_by_arrays("['a', 'b', 'N/A']")
    def categories(self) -> Strings:
        """The labels, with the one for missing; lazy, and of unknown number until they are found."""
        return Strings(self._category_table, self._category_table.label)

    @property
    @_shown_by_arrays("[1, 0, 2]")
    def permutation(self) -> pdarray | None:
        """Positions that bring equal elements together; lazy.

        They exist if they were given or stored with the array, if it was made of text, or if rows were grouped by
        it; otherwise None.
        """
        return self._found_positions()[0]

    @property
    @_shown_by_arrays("[0, 1]")
    def segments(self) -> pdarray | None:
        """Where each label that occurs starts in `permutation`, or None; lazy."""
        return self._found_positions()[1]

    def _found_positions(self) -> Positions:
        from akdask.arrays.groupby import GroupBy

        if self._is_grouped and self._positions[0] is None:
            groups = GroupBy(self.codes)
            self._positions = groups.permutation, groups.segments
        return self._positions

    @property
    @_shown_by_labels("3")
    def nlevels(self) -> int:
        """Number of labels; finds them, once."""
        return self.categories.size

    @property
    @_shown_by_labels("'N/A'")
    def na_value(self) -> str:
        """The label that stands for missing; computes."""
        labels = self._category_table
        return str(Strings(labels, labels.label)[pdarray(labels, labels.is_na)].tolist()[0])

    @property
    @_shown_by_labels("'N/A'")
    def NAvalue(self) -> str:
        """The label that stands for missing, as older releases of Arkouda spell it; computes."""
        return self.na_value

    @property
    @_shown_by_labels("32")
    def nbytes(self) -> int:
        """Bytes of the codes, the labels, and the positions where they were given; computes."""
        parts = [self.codes, self.categories, *self._positions]
        return sum(part.nbytes for part in parts if part is not None)

    @property
    @_shown_by_labels("dtype('<U')")
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements, ``dtype('<U')``."""
        return np.dtype(str)

    @property
    @_shown_by_labels("False")
    def ordered(self) -> bool:
        """Whether the order of the labels has a meaning, as in ``lo < mid < hi``.

        Such Categoricals are sorted, compared and grouped by the order of their labels, others are sorted by the labels
        as text.  The order comes from pandas, Arrow and Parquet; Arkouda's files do not store it.
        """
        return self._category_table.is_ordered

    # tests

    def __eq__(self, other: object) -> Any:
        """Return where the elements equal a str, or row by row the elements of a Categorical, Strings or list; lazy."""
        return tables.compared(self, "equal", other)

    def __ne__(self, other: object) -> Any:
        """Return where the elements differ from a str, or from the elements of a Categorical, Strings or list; lazy."""
        return tables.compared(self, "not_equal", other)

    def __lt__(self, other: Any) -> pdarray:
        """Return which elements come before a label, or before another Categorical's, in the order of labels; lazy."""
        return tables.ordered_against(self, "less", other)

    def __le__(self, other: Any) -> pdarray:
        """Return which elements come before or equal a label; see `__lt__`."""
        return tables.ordered_against(self, "less_equal", other)

    def __gt__(self, other: Any) -> pdarray:
        """Return which elements come after a label; see `__lt__`."""
        return tables.ordered_against(self, "greater", other)

    def __ge__(self, other: Any) -> pdarray:
        """Return which elements come after or equal a label; see `__lt__`."""
        return tables.ordered_against(self, "greater_equal", other)

    def contains(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements contain a substring, or match a regular expression anywhere; lazy bool array.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.contains("b").tolist()
        [True, False, True]
        """
        return self._where_label(Call("contains", self._category_table.label, substr=as_str(substr), regex=regex))

    def startswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements begin with a substring or regular expression; lazy bool array.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.startswith("b").tolist()
        [True, False, True]
        """
        return self._where_label(Call("startswith", self._category_table.label, substr=as_str(substr), regex=regex))

    def endswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which elements end with a substring or regular expression; lazy bool array.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.endswith("a").tolist()
        [False, True, False]
        """
        return self._where_label(Call("endswith", self._category_table.label, substr=as_str(substr), regex=regex))

    def isna(self) -> pdarray:
        """Return which elements are missing; lazy bool array.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.isna().tolist()
        [False, False, False]
        """
        return pdarray(self._frame, self._missing_among(self._value))

    def _missing_among(self, codes: Value) -> Value:
        """Return which of some codes stand for missing."""
        return tables.looked_up(self._category_table, self._category_table.is_na, codes)

    def in1d(self, test: Any) -> pdarray:
        """Return which elements are among the given elements; lazy bool array.

        Parameters
        ----------
        test : Strings or Categorical
            The elements to look for.

        Raises
        ------
        ArgumentTypeError
            If it is none of them.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.in1d(ak.array(["b", "z"])).tolist()
        [True, False, True]
        """
        if not isinstance(test, Strings | Categorical):
            raise ArgumentTypeError(f"in1d takes Strings or a Categorical, not a {type(test).__name__}.")
        return self._among(test)

    def _among(self, test: Any) -> pdarray:
        """Return which elements are among the given elements, which may be a list of text."""
        from akdask.operators.join.plan import BuildKeySet

        wanted = test.to_strings() if isinstance(test, Categorical) else tables.strings_of(test)
        return self._where_label(BuildKeySet.of(wanted._frame, [wanted._value]).has([self._category_table.label]))

    def _where_label(self, predicate: Value) -> pdarray:
        """Evaluate a predicate once for each label, then look it up by the codes."""
        return pdarray(self._frame, tables.looked_up(self._category_table, predicate, self._value))

    def _as_operand(self) -> tuple[Frame, Value]:
        return self._frame, self._text

    @property
    def _text(self) -> Value:
        return Call("lookup", self._category_table.all_labels, self._value)

    # conversion

    def to_strings(self) -> Strings:
        """Return the elements as Strings; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.to_strings().tolist()
        ['b', 'a', 'b']
        """
        return Strings(self._frame, self._text)

    def astype(self, dtype: Any) -> Any:
        """Return the elements as Strings, for the type ``str`` or ``ak.Strings``; lazy.

        Raises
        ------
        ArgumentError
            If the type is another one.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.astype(str).tolist()
        ['b', 'a', 'b']
        """
        return tables.as_type(self, dtype)

    @classmethod
    def _cast_from(cls, array: Any) -> Any:
        return cls(array)

    def to_pandas(self) -> pd.Categorical:
        """Return the elements as a pandas Categorical with the same codes and labels; computes.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.to_pandas().tolist()
        ['b', 'a', 'b']
        """
        form = tables.AsPandas(self.ordered)
        found: pd.Categorical = CollectionRows(self._project(), form, self._extras(), None).result()
        return found

    def equals(self, other: Any) -> Any:
        """Whether the other array has the same elements in the same order; computes.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.equals(c.copy())
        np.True_
        """
        return isinstance(other, Categorical) and self.size == other.size and (self == other).all().value()

    def group(self) -> pdarray:
        """Return positions that bring equal elements together, as int64; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c[c.group()].tolist()
        ['a', 'b', 'b']
        """
        self._is_grouped = True
        found = self.permutation
        return self.codes.argsort() if found is None else found

    def hash(self) -> tuple[pdarray, pdarray]:
        """Return a 128-bit hash of each element as two arrays of uint64; see `Strings.hash`.  Lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> high, low = c.hash()
        >>> (low[0] == low[2]).item(), (low[0] == low[1]).item()
        (True, False)
        """
        high, low = (self._where_label(Call("text_hash", self._category_table.label, part=part)) for part in (0, 1))
        return high, low

    def unique(self) -> Self:
        """Return the distinct elements, in the order of their codes; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.unique().tolist()
        ['a', 'b']
        """
        from akdask.operators.group.plan import GroupAggregate

        groups = GroupAggregate.of(self._frame, [self._value])
        return self._like(groups, groups.key(0))

    # order

    def _sort_key(self, ascending: bool = True) -> tuple[Frame, Value]:
        """Return the position of each element's label in the order of labels; missing elements get NaN, the last."""
        from akdask.operators.sort.plan import ranks

        labels = self._category_table
        place = labels.codes if labels.is_arranged else Call("lookup", ranks(labels, labels.label), labels.codes)
        last = Call("where", labels.is_na, Constant(np.nan), cast(place, FLOAT64))
        return self._frame, tables.looked_up(labels, last, self._value)

    def min(self) -> Any:
        """Return the first label among the elements in the order of labels, NaN if there are no elements; computes.

        Raises
        ------
        ArgumentTypeError
            If the labels are in no order.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.as_ordered().min()
        'a'
        """
        return tables.extreme(self, "min")

    def max(self) -> Any:
        """Return the last label among the elements, NaN if there are no elements; computes.  See `min`.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.as_ordered().max()
        'b'
        """
        return tables.extreme(self, "max")

    def argmin(self) -> Any:
        """Return the position of the first element with the first of the labels; lazy.  See `min`.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.as_ordered().argmin()
        np.int64(1)
        """
        return reduced(tables.in_order(self, "argmin"), "argmin")

    def argmax(self) -> Any:
        """Return the position of the first element with the last of the labels; lazy.  See `min`.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.as_ordered().argmax()
        np.int64(0)
        """
        return reduced(tables.in_order(self, "argmax"), "argmax")

    def _in_my_order(self, values: Any) -> Any:
        """Return values as a Categorical of the same ordered labels; computes whether all of them are known."""
        return tables.in_order_of(self, values)

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool = True) -> pdarray:
        """Return the positions that put the elements in order of their labels, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        ascending : bool, default True
            The direction, as in `argsort`.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.argsort().tolist()
        [1, 0, 2]
        """
        return sorting.coargsort([self], algorithm, ascending)

    def sort_values(self) -> Categorical:
        """Return the elements in order of their labels; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.sort_values().tolist()
        ['a', 'b', 'b']
        """
        ordered: Categorical = sorting.in_order(self)
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
        >>> ak.Categorical(ak.array(["a", None])).fillna("b").tolist()
        ['a', 'b']
        """
        return tables.filled(self, value)

    # other categories

    def as_ordered(self) -> Self:
        """Return the elements with ordered labels, in the present order; lazy.  See `ordered`.

        Examples
        --------
        >>> c = Categorical.from_codes(ak.array([0, 1, 0]), ["lo", "hi"]).as_ordered()
        >>> (c < "hi").tolist(), c.sort_values().tolist()
        ([True, False, True], ['lo', 'lo', 'hi'])
        """
        return self.of(self._frame, self._value, self._category_table.in_order(), *self._positions)

    def as_unordered(self) -> Self:
        """Return the elements with labels that are in no order; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.as_ordered().as_unordered().ordered
        False
        """
        labels = self._category_table.in_order(False)
        return self.of(self._frame, self._value, labels, *self._positions)

    def _arranged(self) -> Self:
        """Return the elements with labels by whose order sorts go."""
        return self.of(self._frame, self._value, self._category_table.arranged(), *self._positions)

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

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.reorder_categories(["b", "a"]).categories.tolist()
        ['b', 'a', 'N/A']
        """
        return tables.reordered(self, new_categories, ordered)

    def _of_dtype(self, dtype: Any) -> Self:
        """Return the elements with the categories and order of a pandas type, missing where no category fits."""
        return tables.of_dtype(self, dtype)

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
            If a label comes twice; of labels that are to be read, raised at compute.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.set_categories(["b", "z"]).tolist()
        ['b', 'N/A', 'b']
        """
        from akdask.operators.join.plan import CategoryTable, UniqueLabels

        tables.check_unique(new_categories)
        na = tables.na_label(self) if na_value is None else na_value
        labels = UniqueLabels(tables.in_one_partition(tables.strings_of(new_categories)))
        return tables.with_table(self, CategoryTable(labels, na).in_order(self.ordered))

    def reset_categories(self) -> Categorical:
        """Return the elements with only the labels that occur among them, and the one for missing; lazy.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c[c == "b"].reset_categories().categories.tolist()
        ['b', 'N/A']
        """
        return tables.without_unused(self)

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
        >>> Categorical(ak.array(["a", "b"])).add_categories("c").categories.tolist()
        ['a', 'b', 'c', 'N/A']
        """
        return tables.with_more(self, new_categories)

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

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.remove_categories(["a"]).tolist()
        ['b', 'N/A', 'b']
        """
        return tables.without_some(self, removals)

    def remove_unused_categories(self) -> Self:
        """Return the elements with only the labels that occur among them, in the present order; computes the labels.

        See Also
        --------
        reset_categories : the same without an order, lazily.

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c[c == "b"].remove_unused_categories().categories.tolist()
        ['b', 'N/A']
        """
        used = {*self[~self.isna()].unique().tolist()}
        return self.set_categories([label for label in tables.labels_in_order(self._category_table) if label in used])

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
        >>> Categorical(ak.array(["a", "b", "a"])).rename_categories({"a": "z"}).tolist()
        ['z', 'b', 'z']
        """
        return tables.renamed(self, new_categories)

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

        Examples
        --------
        >>> c = ak.Categorical(ak.array(["b", "a", "b"]))
        >>> c.concatenate([ak.Categorical(ak.array(["z"]))]).tolist()
        ['b', 'a', 'b', 'z']
        """
        return tables.concatenated(self, others)

    def _chosen(self, condition: Any, x: Any, y: Any) -> Categorical:
        """Return elements of `x` where a condition holds and of `y` elsewhere, each of them a Categorical or a str."""
        return tables.chosen(self, condition, x, y)

    def _storable(self) -> Storable:
        return tables.storable(self)

    # display

    def _printed(self, items: Any) -> list[str]:
        from akdask.arrays.display import quoted

        return quoted(items)

    def _is_cheap(self) -> bool:
        from akdask.engine.explain import is_cheap

        return is_cheap(self._frame, [self._text])

    def _describe(self) -> str:
        return f"Categorical({self.rows.describe()})"
