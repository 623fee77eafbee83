"""Tables of categories, and functions of Categoricals, whose codes refer to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, at_hand, class_asked_for, unlabelled
from akdask.arrays.elementwise import combine
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import reduced
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import INT64, STR, column_type
from akdask.columns.table import Table
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import Gather, align, joined
from akdask.engine.missing import call, demanded, is_missing_text, without_missing
from akdask.engine.node import Frame
from akdask.engine.operations import OPERATIONS
from akdask.engine.rowwise import Project
from akdask.engine.run import check_bytes
from akdask.engine.sources import Rows
from akdask.engine.values import Call, Constant, Replica, Value, token
from akdask.errors import ArgumentError, ArgumentTypeError, ComparisonError, NonUniqueError, UnfitArgumentError
from akdask.records import record
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, ORDERED, PERMUTATION, SEGMENTS, ObjType
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable
    from akdask.operators.join.plan import CategoryTable


def looked_up(labels: Frame, value: Value, codes: Value) -> Call:
    """Evaluate a value once for each label, and look it up for each row."""
    table = Project(labels, (0,), (value,))
    return Call("lookup", Replica(table, 0, value.dtype), codes)


def strings_of(items: Any) -> Strings:
    """Return labels or elements as Strings; an error if they are no strings."""
    from akdask.arrays.creation import array

    if isinstance(items, str | bytes) or not hasattr(items, "__len__"):
        raise ArgumentTypeError(f"expected an array or sequence of strings, got {type(items).__name__}.")
    if not isinstance(items, Array) or (not isinstance(items, Strings) and items.rows.size == 0):
        # NumPy, and Arkouda's array() too, would make floats of no elements.
        items = array(items if not isinstance(items, Array) and len(items) else np.array([], dtype=str))
    strings: Array = items
    if not isinstance(strings, Strings):
        raise UnfitArgumentError(
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
    from akdask.operators.join.plan import CategoryTable, Distinct

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


@record
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
    from akdask.operators.values.lookup import check_codes

    check_codes(codes, labels.nrows)
    named = labels_text(labels).astype(object)
    if (ordered or not keeps_na) and labels.nrows:
        codes, there = without_na(codes, labels)
        named = named[there]
    categories = pd.Index(named, dtype=None if len(named) else "str")
    if not categories.is_unique:
        again = categories[categories.duplicated()][0]
        raise NonUniqueError(
            f"the category {again!r:.100} occurs twice, which a pandas Categorical cannot have.",
            hint="take the elements as text, with to_strings().",
        )
    return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


def without_na(codes: NumberArray, labels: Table) -> tuple[NumberArray, NumberArray]:
    """Return codes without the label for missing, which becomes -1, and a mask of the other labels."""
    from akdask.operators.join.plan import IS_NA

    there = ~np.asarray(labels.columns[IS_NA])
    return np.where(there, np.cumsum(there) - 1, -1)[codes], there


def labels_text(labels: Table) -> np.ndarray[Any, Any]:
    """Return the labels as NumPy strings."""
    from akdask.operators.join.plan import LABEL

    strings: Any = labels.columns[LABEL]
    return np.array(strings.to_pylist(), dtype=str)


DEFAULT_NA = "N/A"

NOWHERE = np.iinfo(np.int64).max
"""Behind all places in an order."""


# construction


def made_of(cls: Any, values: Any, na: str) -> Any:
    """Return the Categorical of a Categorical of pandas, or of strings."""
    if is_pandas(values, "Series", "Index"):
        values = values.array
    return _from_pandas(cls, values, na) if is_pandas(values, "Categorical") else _encoded(cls, strings_of(values), na)


def of_codes(cls: Any, codes: Any, categories: Any, positions: Sequence[Any], na: str, *, ordered: bool) -> Any:
    """Return the Categorical of integer codes and their labels; see `Categorical.from_codes`."""
    from akdask.arrays.creation import array
    from akdask.operators.join.plan import CategoryTable

    codes = array(codes)
    if not isinstance(codes, pdarray) or codes.dtype.kind not in "iu":
        raise ArgumentTypeError("codes are integers.", details=[f"given: {codes!r:.100}"])
    check_codes(codes, categories)
    value = codes._value if codes._value.dtype == INT64 else Call("cast", codes._value, dtype=INT64.name)
    labels = CategoryTable(in_one_partition(strings_of(categories)), na).in_order(ordered)
    parts = [None if part is None else array(part).copy() for part in positions]
    return cls.of(codes._frame, value, labels, *parts)


def check_unique(labels: Any) -> None:
    """Refuse labels that are at hand and come twice."""
    known = at_hand(labels) if isinstance(labels, Array) else None
    if known is not None and len(set(known)) < len(known):
        twice = next(label for label, count in Counter(known).items() if count > 1)
        raise NonUniqueError(f"the category {twice!r} occurs more than once.")


def check_codes(codes: pdarray, categories: Any) -> None:
    """Refuse codes that are at hand and stand for no label; the one for missing comes behind those that lack it."""
    numbers = at_hand(codes)
    if numbers is not None and len(numbers) and not 0 <= numbers.min() <= numbers.max() <= len(categories):
        given = f"{numbers.min()} to {numbers.max()}"
        raise ArgumentError("codes are positions of labels.", details=[f"codes: {given}", f"labels: {len(categories)}"])


def standardized(arrays: Sequence[Any], na_value: str) -> list[Any]:
    """Return Categoricals with common labels; see `Categorical.standardize_categories`."""
    check_categorical(arrays)
    labels = union_of([item._category_table for item in arrays], na_value)
    return [item if item._category_table is labels else with_table(item, labels) for item in arrays]


def na_given(*names: str | None) -> str:
    """Return the label for missing that was given under one of its names, or the default."""
    given = [name for name in names if name is not None]
    if len(given) > 1:
        raise ArgumentTypeError("the label for missing is given more than once.", hint="use na_value only.")
    return given[0] if given else DEFAULT_NA


def labels_given(labels: Any) -> list[str]:
    """Return labels that a user gives: one, or several."""
    return [labels] if isinstance(labels, str) else list(strings_of(labels).tolist())


def check_categorical(items: Sequence[Any]) -> None:
    """Refuse arrays that are no Categoricals."""
    from akdask.arrays.categorical import Categorical

    kinds = [type(item).__name__ for item in items if not isinstance(item, Categorical)]
    if kinds:
        raise ArgumentTypeError(
            f"expected Categoricals, got {', '.join(kinds)}.", hint="make them with Categorical(…)."
        )


def _encoded(cls: Any, strings: Strings, na: str) -> Any:
    """Return the codes of strings among their distinct ones; missing strings get the code of the label for missing."""
    from akdask.operators.join.plan import CategoryTable, Distinct

    there = strings.dropna()
    labels = CategoryTable(Distinct.of(there._frame, without_missing(there._value)), na)
    found: Value = labels.code_of(strings._value)
    if strings._value.dtype.nullable:
        found = Call("where", is_missing_text(strings._value), labels.na_code, found)
    return cls.of(strings._frame, found, labels)


def _from_pandas(cls: Any, values: pd.Categorical, na: str) -> Any:
    """Take over the codes; pandas marks missing elements by -1, Arkouda by the code of a label."""
    from akdask.arrays.creation import array
    from akdask.operators.join.plan import CategoryTable

    codes = array(values.codes.astype(np.int64))
    named = in_one_partition(strings_of(values.categories.astype(str)))
    labels = CategoryTable(named, na).arranged().in_order(bool(values.ordered))
    missing = Call("less", codes._value, Constant(0))
    return cls.of(codes._frame, Call("where", missing, labels.na_code, codes._value), labels)


# elements and labels


def compared(categorical: Any, operation: str, other: object) -> Any:
    """Return how the elements compare with a label, or row by row with others; lazy."""
    from akdask.arrays.categorical import Categorical

    match other:
        case str():
            return categorical._where_label(Call(operation, categorical._category_table.label, Constant(other)))
        case Categorical() if other._category_table is categorical._category_table:
            sides = [(categorical._frame, categorical._value), (other._frame, other._value)]
        case Categorical() | Strings():
            sides = [categorical._as_operand(), other._as_operand()]
        case list() | tuple() | np.ndarray() | pd.Series() | pd.Index():
            sides = [categorical._as_operand(), strings_of(other)._as_operand()]
        case Array() | bool() | int() | float() | bytes() | np.generic() | None:
            # Python would take the arrays for different things and answer with a single bool.
            raise ComparisonError(f"a Categorical does not compare with {type(other).__name__}.")
        case _:
            return NotImplemented
    frame, values = align(operation, sides)
    found = pdarray(frame, call(operation, *values))
    if isinstance(other, Categorical) and not categorical._rules.equates_missing_labels:
        lacking = categorical.isna() | other.isna()
        return found | lacking if operation == "not_equal" else found & ~lacking
    return found


def ordered_against(categorical: Any, operation: str, other: Any) -> pdarray:
    """Return how elements compare by the order of labels, False where one is missing; computes labels.

    Raises
    ------
    ArgumentTypeError
        If the labels have no order, the other labels differ, or the label to compare with is unknown.
    """
    from akdask.arrays.categorical import Categorical

    other = unlabelled(other)
    if not isinstance(other, str | Categorical):
        raise ArgumentTypeError(
            f"a Categorical is ordered against a label or a Categorical, not a {type(other).__name__}."
        )
    if not categorical.ordered or (isinstance(other, Categorical) and not other.ordered):
        raise ComparisonError(
            "labels that are in no order are equal or not.",
            hint="as_ordered() gives them the order in which they are.",
        )
    if isinstance(other, str):
        return _against_label(categorical, operation, other)
    if union_of([categorical._category_table, other._category_table], DEFAULT_NA) is not categorical._category_table:
        raise ArgumentTypeError("Categoricals are ordered against those of the same labels in the same order.")
    theirs = (
        other
        if other._category_table is categorical._category_table
        else with_table(other, categorical._category_table)
    )
    frame, (mine, its) = align(operation, [(categorical._frame, categorical._value), (theirs._frame, theirs._value)])
    return pdarray(frame, _where_present(categorical, Call(operation, mine, its), mine, its))


def _against_label(categorical: Any, operation: str, label: str) -> pdarray:
    """Return how elements compare with a label, by the order of labels."""
    if label not in labels_in_order(categorical._category_table):
        raise ArgumentTypeError(
            f"{label!r} is no label of the Categorical, and has no place in their order.",
            details=[f"labels: {', '.join(labels_in_order(categorical._category_table)[:10])}"],
        )
    code = Constant(categorical.categories.tolist().index(label))
    return pdarray(
        categorical._frame, _where_present(categorical, Call(operation, categorical._value, code), categorical._value)
    )


def _where_present(categorical: Any, found: Value, *codes: Value) -> Value:
    """Return a comparison that is False where a code stands for missing."""
    for code in codes:
        found = Call("logical_and", found, Call("logical_not", categorical._missing_among(code)))
    return found


def as_type(categorical: Any, dtype: Any) -> Any:
    """Return the elements as Strings, or with the categories of a pandas type; see `Categorical.astype`."""
    from akdask.arrays.categorical import Categorical

    if is_pandas(dtype, "CategoricalDtype"):
        return of_dtype(categorical, dtype)
    asked_for = class_asked_for(dtype)
    if asked_for is Categorical:
        return categorical.copy()
    if asked_for is not Strings and column_type(dtype) != STR:
        raise ArgumentError(f"a Categorical is cast to Strings only, not to {dtype!r}.", hint=".codes are numbers.")
    return categorical.to_strings()


def in_order(categorical: Any, operation: str) -> pdarray:
    """Return the positions of the elements in the order of labels; missing elements are never the extreme."""
    if not categorical.ordered:
        raise ArgumentTypeError(
            f"labels that are in no order have no {operation}.",
            hint="as_ordered() gives them the order in which they are; to_strings() are ordered as text.",
        )
    last = Constant(-1 if operation.endswith("max") else NOWHERE)
    return pdarray(
        categorical._frame, Call("where", categorical._missing_among(categorical._value), last, categorical._value)
    )


def extreme(categorical: Any, operation: str) -> Any:
    """Return the first or last label among the elements, NaN if there are no elements; computes."""
    code = int(reduced(in_order(categorical, operation), operation))
    return np.nan if code in (-1, NOWHERE) else categorical.categories.tolist()[code]


def in_order_of(categorical: Any, values: Any) -> Any:
    """Return values as a Categorical of the same ordered labels; computes whether all of them are known."""
    from akdask.arrays.categorical import Categorical

    if not categorical.ordered or (
        isinstance(values, Categorical) and values._category_table is categorical._category_table
    ):
        return values
    text = values.to_strings() if isinstance(values, Categorical) else values
    known, codes = (
        labels_in_order(categorical._category_table),
        categorical._category_table.code_of(strings_of(text)._value),
    )
    others = sorted({str(label) for label in strings_of(text).dropna().tolist()} - {*known})
    if others:
        raise ArgumentTypeError(
            f"{others[0]!r} is no label of the Categorical, and has no place in their order.",
            details=[f"labels: {', '.join(known[:10])}"],
        )
    missing = Call("less", codes, Constant(0))
    return categorical.of(
        text._frame, Call("where", missing, categorical._category_table.na_code, codes), categorical._category_table
    )


def filled(categorical: Any, value: str) -> Any:
    """Return the elements with a label in place of missing elements; see `Categorical.fillna`."""
    if categorical.ordered and value not in labels_in_order(categorical._category_table):
        raise ArgumentTypeError(
            f"{value!r} is no label of the Categorical, and has no place in their order.",
            hint="set_categories adds one.",
        )
    return categorical._chosen(categorical.isna(), value, categorical)


def reordered(categorical: Any, new_categories: Any, ordered: bool | None) -> Any:
    """Return the elements with the same labels in another order; see `Categorical.reorder_categories`."""
    wanted = strings_of(new_categories).tolist()
    if sorted(wanted) != sorted(labels_in_order(categorical._category_table)):
        raise ArgumentError("reorder_categories takes the labels that there are.", hint="set_categories takes others.")
    made = categorical.set_categories(wanted)._arranged()
    return made if ordered is None else made.as_ordered() if ordered else made.as_unordered()


def of_dtype(categorical: Any, dtype: Any) -> Any:
    """Return the elements with the categories and order of a pandas type, missing where no category fits."""
    if dtype.categories is None:
        return categorical.as_ordered() if dtype.ordered else categorical.as_unordered()
    made = categorical.set_categories([str(label) for label in dtype.categories])._arranged()
    return made.as_ordered() if dtype.ordered else made.as_unordered()


def without_unused(categorical: Any) -> Any:
    """Return the elements with only the labels that occur among them; see `Categorical.reset_categories`."""
    from akdask.operators.join.plan import Distinct

    if categorical.ordered:
        return categorical.set_categories(categorical[~categorical.isna()].unique().to_strings())
    text = categorical.to_strings()
    distinct = Distinct.of(text._frame, text._value)
    found = categorical.set_categories(Strings(distinct, distinct.values))
    found._is_grouped = True
    return found


def with_more(categorical: Any, new_categories: Any) -> Any:
    """Return the elements with further labels; see `Categorical.add_categories`."""
    new, known = labels_given(new_categories), labels_in_order(categorical._category_table)
    if again := [label for label in new if label in known]:
        raise ArgumentError(f"{again[0]!r} is a category already.", details=[f"categories: {known!r:.200}"])
    return categorical.set_categories([*known, *new])


def without_some(categorical: Any, removals: Any) -> Any:
    """Return the elements without some labels; see `Categorical.remove_categories`."""
    gone, known = labels_given(removals), labels_in_order(categorical._category_table)
    if unknown := [label for label in gone if label not in known]:
        raise ArgumentError(f"{unknown[0]!r} is no category.", details=[f"categories: {known!r:.200}"])
    return categorical.set_categories([label for label in known if label not in gone])


def renamed(categorical: Any, new_categories: Any) -> Any:
    """Return the elements with renamed labels; see `Categorical.rename_categories`."""
    from akdask.operators.join.plan import CategoryTable, UniqueLabels

    known = labels_in_order(categorical._category_table)
    if isinstance(new_categories, Mapping):
        named = [str(new_categories.get(label, label)) for label in known]
    elif callable(new_categories) and not isinstance(new_categories, Strings):
        named = [str(new_categories(label)) for label in known]
    else:
        named = labels_given(new_categories)
    if len(named) != len(known) or len({*named}) < len(named):
        raise ArgumentError(
            f"{len(known)} categories need as many names, all different.", details=[f"given: {named!r:.200}"]
        )
    made = categorical.set_categories(known)
    labels = UniqueLabels(in_one_partition(strings_of(named)))
    table = CategoryTable(labels, na_label(made)).in_order(categorical.ordered)
    return categorical.of(made._frame, made._value, table)


def concatenated(categorical: Any, others: Any) -> Any:
    """Return the elements followed by the elements of others; see `Categorical.concatenate`."""
    from akdask.arrays.categorical import Categorical

    items: list[Any] = [categorical, *([others] if isinstance(others, Categorical) else others)]
    check_categorical(items)
    if any(item._category_table is not categorical._category_table for item in items):
        labels = union_of([item._category_table for item in items], na_label(categorical))
        items = [item if item._category_table is labels else with_table(item, labels) for item in items]
    frame = joined([Project(item._frame, (0,), (item._value,)) for item in items])
    return items[0]._like(frame, frame.column(0))


def chosen(categorical: Any, condition: Any, x: Any, y: Any) -> Any:
    """Return elements of `x` where a condition holds and of `y` elsewhere, each of them a Categorical or a str."""
    from akdask.arrays.categorical import Categorical

    na = na_label(categorical)
    labels = next((item._category_table for item in (x, y) if isinstance(item, Categorical)), None)
    left, right = standardized([_all_of(categorical, item, na, labels) for item in (x, y)], na)
    frame, code = combine("where", [condition, left.codes, right.codes])
    return categorical.of(frame, code, left._category_table)


def _all_of(categorical: Any, item: Any, na: str, labels: CategoryTable | None) -> Any:
    """Return one label on all rows, as an ordered label where possible; Categoricals stay as they are."""
    from akdask.arrays.categorical import Categorical
    from akdask.operators.join.plan import CategoryTable

    if isinstance(item, Categorical):
        return item
    if labels is not None and labels.is_ordered and item in (named := Strings(labels, labels.label).tolist()):
        return categorical.of(categorical._frame, Constant(named.index(item)), labels)
    return categorical.of(categorical._frame, Constant(0), CategoryTable(in_one_partition(strings_of([item])), na))


def na_label(categorical: Any) -> str:
    """Return the label that stands for missing; computes it unless it was given with the array."""
    return categorical._category_table.na if isinstance(categorical._category_table.na, str) else categorical.na_value


def with_table(categorical: Any, labels: CategoryTable) -> Any:
    """Return the elements with the codes that they have in another table of labels."""
    old = categorical._category_table
    found = labels.code_of(old.label)
    lost = Call("bitwise_or", old.is_na, Call("less", found, Constant(0)))
    code = Call("where", lost, labels.na_code, found)
    return categorical.of(categorical._frame, looked_up(old, code, categorical._value), labels)


def storable(categorical: Any) -> Storable:
    """Return the array as it is written to files."""
    from akdask.arrays.writing import Storable

    one = Rows((1,))
    tables = {
        CATEGORIES: Project(categorical._category_table, (0,), (categorical._category_table.label,)),
        NA_CODES: Project(one, (0,), (categorical._category_table.na_code,)),
    }
    parts = dict(zip((PERMUTATION, SEGMENTS), categorical._positions, strict=True))
    # Readers want both of them or neither.
    children = {name: part._storable() for name, part in parts.items() if part is not None}
    if len(children) < len(parts):
        children = {}
    params = {ORDERED: True} if categorical.ordered else {}
    return Storable(ObjType.CATEGORICAL, categorical._frame, {CODES: categorical._value}, tables, children, params)
