"""`ArkoudaExtensionArray`, the base of lazy arrays in pandas: order, assignment and conversion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, Self, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype, no_default
from pandas.api.indexers import check_array_indexer

from akdask.arrays.array import Array, special
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array, full
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import chained
from akdask.arrays.sorting import sorted_positions
from akdask.arrays.strings import Strings
from akdask.deferred import pa
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    KeyTypeError,
    MixedKeysError,
    PositionError,
    RefusedMethodError,
    UnsupportedError,
)
from akdask.extension.operators import LazyOperators

Class = TypeVar("Class", bound=type)

COLLECT = "s.ak.collect() gives pandas' own array, which has it."
DIMENSIONS = "arrays of pandas have one dimension; ak.pdarray has more."


def refuses(names: str, hint: str) -> Callable[[Class], Class]:
    """Give a class methods that raise an error about their absence; a decorator of classes.

    Parameters
    ----------
    names : str
        Their names, with spaces between.
    hint : str
        Advice in the error.
    """

    def refusing(cls: Class) -> Class:
        for name in names.split():
            setattr(cls, name, _refusal(cls.__name__, name, hint))
        return cls

    return refusing


def _refusal(owner: str, name: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RefusedMethodError(f"{owner}.{name} is not supported: lazy arrays in pandas do not have it.", hint=hint)

    refuse.__name__ = name
    refuse.only_refuses = True  # type: ignore[attr-defined]  # told apart from methods that do something
    refuse.__doc__ = f"Refuse: {name} is not there for lazy arrays in pandas."
    return refuse


def row_key(array_: LazyOperators, key: Any) -> Any:
    """Return a key as an int, a slice or a lazy array."""
    if isinstance(key, tuple):
        key = _without_ellipsis(key)
    if isinstance(key, LazyOperators):
        return key._data
    if isinstance(key, Array | slice):
        return key
    _check_items(key)
    checked = check_array_indexer(array_, key)
    if isinstance(checked, np.ndarray):
        return array(checked)
    if isinstance(checked, int | np.integer) and not isinstance(checked, bool):
        return int(checked)
    raise PositionError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
        f"indices, not {type(key).__name__}."
    )


def _is_missing(item: Any) -> bool:
    return bool(pd.api.types.is_scalar(item) and pd.isna(item))


def _check_items(key: Any) -> None:
    """Refuse keys of other items than positions or truth values, by the errors that Arkouda has for them."""
    if isinstance(key, np.ndarray) and key.size and key.dtype.kind not in "iubO":
        raise KeyTypeError(f"elements are chosen by integers or bools, not {key.dtype}.")
    if not isinstance(key, list):
        return
    kinds = {_kind_of(item) for item in key if not _is_missing(item)}
    if len(kinds) > 1 and kinds <= {bool, int, str, float}:
        raise MixedKeysError(
            "elements are chosen by integers or by bools, not both.",
            details=[f"found: {', '.join(sorted(kind.__name__ for kind in kinds))}"],
            hint="take one kind of them.",
        )
    if not kinds.isdisjoint({str, float}):
        raise KeyTypeError(
            f"elements are chosen by integers or bools, not {', '.join(kind.__name__ for kind in kinds)}."
        )


def _kind_of(item: Any) -> type:
    """Return bool, int, float or str for items of these kinds, and the type of others."""
    if isinstance(item, bool | np.bool_):
        return bool
    if isinstance(item, int | np.integer):
        return int
    if isinstance(item, float | np.floating):
        return float
    return str if isinstance(item, str) else type(item)


def _without_ellipsis(key: tuple[Any, ...]) -> Any:
    rest = [item for item in key if item is not ...]
    if len(key) - len(rest) > 1:
        raise PositionError("an index can only have a single ellipsis ('...').")
    if len(rest) > 1:
        raise PositionError("too many indices for array: one dimension.")
    return rest[0] if rest else slice(None)


NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def as_lazy(items: Any, is_text: bool = False) -> Any:
    """Return scalars, or an array of NumPy or pandas, as a lazy array.

    Parameters
    ----------
    items : array, Series, Index or sequence of scalars
        None, NaN and ``pd.NA`` are missing; integers of any size beside them become floats.
    is_text : bool
        Whether data without any element, or with missing ones only, are text rather than floats.

    Raises
    ------
    ArgumentTypeError
        If the elements are neither all numbers nor all text.
    """
    if isinstance(items, pd.Series | pd.Index):
        items = items.array
    if isinstance(items, LazyOperators):
        return items._data
    if isinstance(items, Array):
        return items
    if isinstance(items, pd.Categorical):
        return Categorical(items)
    if getattr(items, "_mask", None) is not None:
        return array(items)
    if not isinstance(items, np.ndarray) and hasattr(items, "dtype"):
        is_text = is_text or isinstance(items.dtype, pd.StringDtype)
        items = items.to_numpy() if hasattr(items, "to_numpy") else np.asarray(items)
    if not isinstance(items, np.ndarray):
        items = pd.Series(list(items), dtype=object).to_numpy()
    found = special(_with_none(items) if items.dtype == object else items)
    if found is not None:
        return found
    return array(_uniform(items, is_text) if items.dtype == object else items)


def _with_none(items: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return objects with None for NaN, where all others are integers, or bools: these keep their type."""
    missing = np.asarray(pd.isna(items))
    there = items[~missing]
    kinds = {isinstance(item, bool | np.bool_) for item in there}
    if len(kinds) != 1 or not all(isinstance(item, bool | np.bool_ | int | np.integer) for item in there):
        return items
    with_none = items.copy()
    with_none[missing] = None
    return with_none


def _uniform(items: np.ndarray[Any, Any], is_text: bool) -> np.ndarray[Any, Any]:
    """Return objects as an array of their NumPy type; text as objects, None where it is missing."""
    missing = np.asarray(pd.isna(items))
    there = items[~missing]
    if (is_text and not len(there)) or any(isinstance(item, str) for item in there):
        _check_all(there, (str,))
        text = items.copy()
        text[missing] = None
        return text
    if not len(items):
        return np.empty(0)
    _check_all(there, NUMBERS)
    if missing.any():
        return np.array(
            [np.nan if is_missing else item for is_missing, item in zip(missing, items, strict=True)], float
        )
    plain = np.array(list(there))
    # NumPy has floats for integers that none of its types holds.
    is_lossy = plain.dtype.kind == "f" and all(isinstance(item, int | np.integer) for item in there)
    return items if is_lossy else plain


def _check_all(items: np.ndarray[Any, Any], types: tuple[type, ...]) -> None:
    other = next((item for item in items if not isinstance(item, types)), None)
    if other is not None:
        raise ArgumentTypeError(
            f"a lazy array does not hold {type(other).__name__} beside {type(items[0]).__name__}.",
            hint="elements are all numbers, or all text.",
        )


class OrderedElements(LazyOperators):
    """pandas' methods for elements that can be ordered or compared."""

    def argsort(
        self, *, ascending: bool = True, kind: str = "quicksort", na_position: str = "last", **kwargs: Any
    ) -> np.ndarray[Any, Any]:
        """Return the positions that put the elements in order, as a NumPy array; computes.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        kind : str
            Accepted for compatibility with pandas; the order is always stable.
        na_position : {"last", "first"}
            Where missing elements go.
        **kwargs
            Further arguments of pandas, which are ignored.

        Raises
        ------
        ArgumentError
            If `na_position` is another word.
        """
        if na_position not in {"first", "last"}:
            raise ArgumentError(f"na_position is 'first' or 'last', not {na_position!r}.")
        missing = self.isna()
        there = np.flatnonzero(~missing)
        order = sorted_positions([self._data[array(there)]], ascending).to_ndarray() if len(there) else there
        parts = [there[order], np.flatnonzero(missing)]
        return np.concatenate(parts if na_position == "last" else parts[::-1]).astype(np.intp)

    def argmin(self, axis: Any = None, out: Any = None, *, skipna: bool = True) -> int:
        """Return the position of the first smallest element that is not missing; computes."""
        return self._extreme("argmin", skipna)

    def argmax(self, axis: Any = None, out: Any = None, *, skipna: bool = True) -> int:
        """Return the position of the first largest element that is not missing; computes."""
        return self._extreme("argmax", skipna)

    def _extreme(self, name: str, skipna: bool) -> int:
        if skipna not in (True, False):
            raise ArgumentError(f'For argument "skipna" expected type bool, received type {type(skipna).__name__}.')
        missing = self.isna()
        if not len(missing):
            raise ArgumentError(f"attempt to get {name} of an empty sequence")
        if missing.any() and not skipna:
            raise ArgumentError("Encountered an NA value with skipna=False")
        there = np.flatnonzero(~missing)
        if not len(there):
            raise ArgumentError("Encountered all NA values")
        order = sorted_positions([self._data[array(there)]], name == "argmin")
        return int(there[int(order[0])])

    def factorize(
        self, use_na_sentinel: bool = True, sort: bool = False, **kwargs: Any
    ) -> tuple[np.ndarray[Any, Any], OrderedElements]:
        """Return a number for each element, and the distinct elements in the order of their numbers; computes.

        Parameters
        ----------
        use_na_sentinel : bool, default True
            Number missing elements -1; otherwise they count as one more element.
        sort : bool
            Number the elements in sorted order; otherwise by first appearance.
        **kwargs
            Further arguments of pandas, which are ignored.
        """
        missing = self.isna()
        there = np.flatnonzero(~missing)
        codes = np.full(len(missing), -1, np.intp)
        if not len(there):
            uniques = self._wrapped(self._data[:0])
        else:
            groups = GroupBy(self._data[array(there)])
            codes[there] = groups.broadcast(arange(groups.ngroups)).to_ndarray()
            uniques = self._wrapped(groups.unique_keys)
            if not sort:
                _, first = np.unique(codes[there], return_index=True)
                order = np.argsort(first, kind="stable")
                ranks = np.empty(len(order), np.intp)
                ranks[order] = np.arange(len(order))
                codes[there] = ranks[codes[there]]
                uniques = uniques.take(order)
        if not use_na_sentinel and missing.any():
            codes, uniques = _with_missing(codes, uniques, missing, self, sort)
        return codes, uniques

    def unique(self) -> Self:
        """Return the distinct elements by first appearance; computes their positions."""
        codes, _ = self.factorize(use_na_sentinel=False)
        _, first = np.unique(codes, return_index=True)
        return self.take(np.sort(first))

    def value_counts(self, dropna: bool = True) -> pd.Series:
        """Return the count of each element without a name, labelled by the elements; computes.

        Parameters
        ----------
        dropna : bool, default True
            Leave missing elements out; they are the last otherwise.

        Notes
        -----
        Follows Arkouda: numbers are in order, text by how common it is.  Counts are pandas' own, which go through its
        other methods.
        """
        codes, uniques = self.factorize(use_na_sentinel=dropna, sort=True)
        counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
        order = np.argsort(-counts if self.dtype.type is str else np.arange(len(counts)), kind="stable")
        return pd.Series(counts[order], index=pd.Index(uniques.take(order)), dtype=np.int64)

    def duplicated(self, keep: Any = "first") -> np.ndarray[Any, Any]:
        """Return which elements occur earlier (or later, or anywhere else) as well; computes."""
        codes, _ = self.factorize(use_na_sentinel=False)
        return np.asarray(pd.Series(codes).duplicated(keep))


def _with_missing(
    codes: np.ndarray[Any, Any],
    uniques: OrderedElements,
    missing: np.ndarray[Any, Any],
    elements: OrderedElements,
    sort: bool,
) -> tuple[np.ndarray[Any, Any], OrderedElements]:
    """Return numbers and distinct elements with a missing one added, by first appearance or sorted last."""
    first = int(np.flatnonzero(missing)[0])
    position = len(uniques) if sort else len(np.unique(codes[:first][codes[:first] >= 0]))
    codes = np.where(missing, position, np.where(codes >= position, codes + 1, codes))
    one = elements.take([first])
    parts = [uniques[:position], one, uniques[position:]]
    kind: Any = type(uniques)
    return codes, kind._concat_same_type(parts)


_CLASSES: dict[str, type[ArkoudaExtensionArray]] = {}
"""Classes of arrays by the name of their type."""

ArkoudaArrayLike: TypeAlias = pdarray | Strings | Categorical
"""Elements of pandas columns."""

OF_NUMPY = {"int64": "int64", "uint64": "uint64", "uint8": "uint8", "float64": "float64", "bool": "bool"}
"""Lazy types by the types of NumPy that have the same elements."""

CACHED_ROWS = 4096
"""Most rows for which computed elements are cached, as pandas requests them repeatedly."""


@refuses("kurt median sem skew", "s.kurt(), s.median() and so on of a Series of numbers.")
@refuses("broadcast_arrays broadcast_to expand_dims permute_dims reshape squeeze swapaxes", DIMENSIONS)
@refuses("concat stack split", "pd.concat puts arrays together, slices take them apart.")
class ArkoudaExtensionArray(OrderedElements):
    """A lazy array in pandas.

    Parameters
    ----------
    data : pdarray, Strings or Categorical
        The array; it is not copied, so assignments to either affect both.
    """

    _holds: ClassVar[type[Array]] = Array
    default_fill_value: ClassVar[Any] = np.nan
    # pandas 2 does not ask for it.
    _readonly: bool = False

    def _as_house(self) -> Any:
        """Return the array inside, for functions of lazy arrays."""
        return self._data

    def __repr__(self) -> str:
        """Return the class and the array as it is printed, as Arkouda does; computes the elements that it shows."""
        return f"{type(self).__name__}({self._data})"

    def __init__(self, data: Any) -> None:
        dimensions = getattr(data, "ndim", 1)
        if dimensions != 1:
            raise ArgumentError(
                f"pandas has arrays of one dimension, and this one has {dimensions}.", hint="a.flatten()"
            )
        if type(data) is not self._holds and not (self._holds is Array and isinstance(data, Array)):
            raise ArgumentTypeError(
                f"{type(self).__name__} holds a {self._holds.__name__}, not {type(data).__name__}.",
                hint="pd.array(data, dtype='ak') makes the array that fits.",
            )
        self._data: Any = data
        self._cached: tuple[Any, Any, np.ndarray[Any, Any]] | None = None

    # making

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> ArkoudaExtensionArray:
        """Return an array of scalars or of a lazy array, of the class that they ask for unless it is this one."""
        wanted = None if dtype is None else pd.api.types.pandas_dtype(dtype)
        data = as_lazy(scalars, is_text=wanted is not None and wanted.type is str)
        made = _class_of(data)(data.copy() if copy else data)
        if wanted is None or wanted.name == "ak" or wanted == made.dtype:
            return made
        found: ArkoudaExtensionArray = made.astype(wanted)
        return found

    @classmethod
    def _from_scalars(cls, scalars: Any, *, dtype: Any) -> ArkoudaExtensionArray:
        """Return an array of scalars that are of a type already.

        Raises
        ------
        ArgumentTypeError
            If they are of another.
        """
        wanted = pd.api.types.pandas_dtype(dtype)
        made = cls._from_sequence(scalars)._like(wanted)
        if made.dtype != wanted:
            if not pd.isna(scalars).all():
                raise ArgumentTypeError(f"these are elements of {made.dtype.name}, not of {wanted.name}.")
            made = cls._from_sequence(scalars, dtype=wanted)
        return made

    def _like(self, wanted: Any) -> ArkoudaExtensionArray:
        """Return the elements in a type of the same scalars, themselves if it has others."""
        return self

    def _cast_pointwise_result(self, values: Any) -> Any:
        """Return pandas' element-wise results as a lazy array if a type fits, else as pandas does."""
        try:
            return self._from_scalars(values, dtype=self.dtype)
        except (ArgumentError, ArgumentTypeError):
            pass
        try:
            return self._from_sequence(values)
        except (ArgumentError, ArgumentTypeError):
            return pd.Series(list(values), dtype=object).infer_objects().array

    @classmethod
    def _from_sequence_of_strings(cls, strings: Any, *, dtype: Any, copy: bool = False) -> ArkoudaExtensionArray:
        return cls._from_sequence(np.asarray(strings), dtype=dtype, copy=copy)

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> ArkoudaExtensionArray:
        return cls._from_sequence(values, dtype=original.dtype)

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[ArkoudaExtensionArray]) -> ArkoudaExtensionArray:
        parts = [part._data for part in to_concat]
        if not parts:
            raise ArgumentError("nothing to put together.")
        return _class_of(parts[0])(chained(parts))

    def _wrapped(self, data: Any) -> Self:
        made: Self = _class_of(data)(data)  # type: ignore[assignment]  # a missing value of pandas has another type
        return made

    # rows

    def __len__(self) -> int:
        return len(self._data)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements when they are in memory; computes for text."""
        return int(self._data.nbytes)

    def __getitem__(self, item: Any) -> Any:
        """Return an element, which computes, or chosen rows, which are lazy."""
        key = row_key(self, item)
        if isinstance(key, int):
            if not -len(self) <= key < len(self):
                raise PositionError(f"index {key} is out of bounds for axis 0 with size {len(self)}")
            return self._scalar(self._elements()[key] if len(self) <= CACHED_ROWS else self._data[key])
        is_all = isinstance(key, slice) and (key.start, key.stop, key.step) == (None, None, None)
        return self.view() if is_all else self._wrapped(self._data[key])

    def _scalar(self, found: Any) -> Any:
        """Return an element as pandas has it."""
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to rows; lazy."""
        if self._readonly:
            raise ArgumentError("Cannot modify read-only array")
        key = row_key(self, key)
        if isinstance(value, pd.Series | pd.Index):
            value = value.array
        if pd.api.types.is_list_like(value):
            found = value if isinstance(value, ArkoudaExtensionArray) else self._from_sequence(value)
            self._check_length(key, len(found))
            self._assign(key, found.astype(self.dtype)._data)
        else:
            self._assign(key, self._checked_scalar(value))

    def _check_length(self, key: Any, given: int) -> None:
        wanted = 1 if isinstance(key, int) else self._data[key].size if not isinstance(key, slice) else None
        if wanted is None:
            wanted = len(range(*key.indices(len(self))))
        if wanted != given:
            raise ArgumentError(f"cannot set {wanted} rows from {given} values.")

    def _assign(self, key: Any, value: Any) -> None:
        if isinstance(key, int) and isinstance(value, Array):
            value = value[0]
        self._data[key] = value

    def _checked_scalar(self, value: Any) -> Any:
        """Return a value that elements may become."""
        return value

    def fillna(self, value: Any, limit: int | None = None, copy: bool = True, method: None = None) -> Self:
        """Return the elements with missing ones replaced; lazy unless there is a limit.

        Parameters
        ----------
        value : scalar, or array of as many elements
            The replacement.
        limit : int, optional
            How many are filled at most.
        copy : bool
            Otherwise the array itself is filled.
        method : None
            Argument of pandas 2.

        Raises
        ------
        ArgumentError
            If an array has another number of elements, or this one is read-only.
        ArgumentTypeError
            If the value is of another type.
        """
        if isinstance(value, dict):
            raise ArgumentTypeError(
                "ExtensionArray.fillna does not support filling with a dict.", hint="pd.Series.fillna does."
            )
        if pd.api.types.is_list_like(value) and len(value) != len(self):
            raise ArgumentError(f"Length of 'value' does not match. Got ({len(value)}) expected {len(self)}")
        filled: Self = super().fillna(value, limit=limit, copy=copy) if limit is not None else self._filled(value)
        if not copy and limit is None:
            if self._readonly:
                raise ArgumentError("Cannot modify read-only array")
            self._become(filled._data)
            return self
        return filled

    def _become(self, data: Any) -> None:
        """Hold other elements in the same array, as views and its owner have it too."""
        self._data._frame, self._data._value = data._frame, data._value

    def _filled(self, value: Any) -> Self:
        """Return the elements with missing ones replaced by a value, or by the elements of an array."""
        raise NotImplementedError

    def _pad_or_backfill(
        self, *, method: str, limit: int | None = None, limit_area: str | None = None, copy: bool = True
    ) -> Self:
        """Return the elements with missing ones replaced by the last valid element, or the next."""
        rows = pd.Series(np.where(self.isna(), np.nan, np.arange(len(self))))
        fill: Any = rows.ffill if method in ("pad", "ffill") else rows.bfill
        positions = fill(limit=limit, limit_area=limit_area).fillna(-1).to_numpy(np.int64)
        return self.take(positions, allow_fill=True, fill_value=None)

    def _in_pandas(self) -> Any:
        """Return the elements in an array of pandas' own types, text as it has it; computes."""
        return self.to_numpy()

    def _groupby_first_last(self, **kwargs: Any) -> Self:
        # pandas' own does not say that elements of groups without any are missing.
        rows: Any = pd.array(np.where(self.isna(), np.nan, np.arange(len(self))), dtype="Int64")
        found = rows._groupby_first_last(**kwargs)
        return self.take(found.to_numpy(np.int64, na_value=-1), allow_fill=True, fill_value=None)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements; computes them all."""
        return iter(list(self._elements()))

    def take(self, indexer: Any, fill_value: Any = no_default, allow_fill: bool = False) -> Self:
        """Return the elements at positions; lazy but for checking the positions.

        Parameters
        ----------
        indexer : sequence of int
            Positions; negative ones count from the end, or with `allow_fill` -1 means missing.
        fill_value : scalar, optional
            Replacement for a missing element, None to leave it missing.  By default integers are -1, unsigned ones 0,
            as in Arkouda, and others are missing.
        allow_fill : bool
            Whether -1 means a missing element.

        Raises
        ------
        PositionError
            If there are no such positions.
        ArgumentError
            If a position is below -1 with `allow_fill`.
        """
        positions = np.asarray(indexer, np.int64)
        size = len(self)
        if allow_fill and len(positions) and positions.min() < -1:
            raise ArgumentError("with allow_fill, positions are at least -1.")
        if (
            len(positions)
            and (positions.max() >= size or positions.min() < -size)
            and not (allow_fill and (positions == -1).all())
        ):
            text = "cannot do a non-empty take from an empty axes." if not size else "out of bounds value in 'indices'."
            raise PositionError(text)
        missing = positions == -1
        if not allow_fill or not missing.any():
            return self._wrapped(self._data[array(positions)])
        if fill_value is no_default:
            fill_value = self._default_fill
        fill = self.dtype.na_value if fill_value is None else fill_value
        if not size:
            return self._wrapped(self._filled_rows(len(positions), fill))
        return self._wrapped(self._filling(self._data[array(np.where(missing, 0, positions))], array(missing), fill))

    @property
    def _default_fill(self) -> Any:
        """What `take` has for -1 where it is not told; None for missing."""
        return None

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        """Return rows with missing ones replaced by a value."""
        return where(missing, fill, data)

    def _filled_rows(self, count: int, fill: Any) -> Any:
        """Return rows of one value."""
        return full(count, fill)

    def shift(self, periods: int = 1, fill_value: Any = None) -> Self:
        """Return the elements moved down by some rows, or up by negative ones; lazy.

        Parameters
        ----------
        periods : int, default 1
            How many rows.
        fill_value : scalar, optional
            Element for rows from outside; missing by default.
        """
        positions = np.arange(len(self)) - periods
        positions[(positions < 0) | (positions >= len(self))] = -1
        return self.take(positions, allow_fill=True, fill_value=fill_value)

    def copy(self, deep: bool = True) -> Self:
        """Return a copy of its own, or with ``deep=False`` one of the same array."""
        made: Self = self._wrapped(self._data.copy() if deep else self._data)
        made._cached = self._cached
        return made

    def view(self, dtype: Any = None) -> Any:
        """Return the same array in an object of its own, or converted to a dtype."""
        if dtype is not None:
            return self.astype(dtype)
        seen: Any = self.copy(deep=False)
        seen._readonly = self._readonly
        return seen

    def transpose(self, *axes: int) -> Self:
        """Return the same array in an object of its own: there is one dimension."""
        seen: Self = self.view()
        return seen

    # conversion

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes.

        Integers of which some are missing are floats, NaN where they are missing, or objects if an integer equals no
        float; such bools are objects.

        Parameters
        ----------
        dtype : dtype-like, optional
            Type to convert to.
        copy : bool
            Accepted for compatibility with pandas; the result is always a new array.
        na_value : scalar, optional
            Value for missing elements.
        """
        found = self._elements().copy()
        is_filled = na_value is not None and na_value is not no_default
        if is_filled:
            missing = self.isna()
            if missing.any():
                found = found.astype(object)
                found[missing] = na_value
        if dtype is not None:
            return found.astype(dtype)
        return found if is_filled else self._as_numbers(found)

    def _as_numbers(self, found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return elements of no given type as NumPy has them."""
        return found

    def _elements(self) -> np.ndarray[Any, Any]:
        """Return the elements as a read-only NumPy array; cached if there are few."""
        frame, value = self._data._frame, self._data._value
        if self._cached is not None and self._cached[0] is frame and self._cached[1] is value:
            return self._cached[2]
        found = self._computed_elements()
        if len(found) <= CACHED_ROWS:
            self._cached = frame, value, found
        return found

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        return np.asarray(self._data.to_ndarray())

    def tolist(self) -> list[Any]:
        """Return the elements as Python objects; computes."""
        found: list[Any] = self._elements().tolist()
        return found

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as the lazy array inside does; computes."""
        return np.asarray(self._data.to_ndarray())

    def __arrow_array__(self, type: Any = None) -> Any:
        return pa.array(self._elements(), type=type, from_pandas=True)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ArgumentError("a lazy array has no memory that NumPy could share.", hint="leave copy=False.")
        return self.to_numpy(dtype)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the elements in another type.

        Types that lazy arrays have, also by the names and types of NumPy and pandas, give a lazy array, as in Arkouda;
        others such as ``object`` give an array of NumPy or pandas, which computes.

        Parameters
        ----------
        dtype : dtype-like
            The type.
        copy : bool, default True
            Whether elements that have the type are copied.
        """
        # pandas takes integers of any size for none of its types.
        is_bigint = not isinstance(dtype, ExtensionDtype) and str(dtype) == "bigint"
        wanted = self._lazy_type(pd.api.types.pandas_dtype("ak_bigint" if is_bigint else dtype))
        if wanted == self.dtype:
            return self.copy() if copy else self
        if _is_lazy_type(wanted):
            return self._wrapped(self._converted(wanted))
        if isinstance(wanted, ExtensionDtype):
            elements: Any = self._elements().copy()
            return pd.array(elements, dtype=wanted)
        return self._plain(wanted)

    def _lazy_type(self, wanted: Any) -> Any:
        """Return the lazy type for one of NumPy or pandas, itself where there is none."""
        if _is_lazy_type(wanted):
            return wanted
        if isinstance(wanted, pd.StringDtype) or (isinstance(wanted, np.dtype) and wanted.kind == "U"):
            return self._dtype_of("string")
        if isinstance(wanted, pd.CategoricalDtype):
            categories: Any = wanted.categories
            return self._dtype_of("category") if self.dtype.type is str and categories is None else wanted
        plain = getattr(wanted, "numpy_dtype", wanted)
        name = OF_NUMPY.get(str(plain)) if isinstance(plain, np.dtype) else None
        return wanted if name is None else self._dtype_of(name)

    @staticmethod
    def _dtype_of(name: str) -> Any:
        return pd.api.types.pandas_dtype(f"ak_{name}")

    def _plain(self, wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
        return self._elements().astype(wanted)

    def _converted(self, wanted: Any) -> Any:
        """Return the lazy array in another lazy type."""
        raise NotImplementedError

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str | None]:
        return str if boxed else repr

    # comparison

    def _operand(self, item: Any) -> Any:
        if pd.api.types.is_list_like(item):
            return as_lazy(item, is_text=self.dtype.type is str)
        return np.nan if item is pd.NA or item is None else item

    def equals(self, other: object) -> bool:
        """Whether the other array has the same type and elements, missing ones at the same rows; computes."""
        if type(self) is not type(other) or not isinstance(other, ArkoudaExtensionArray):
            return False
        if self.dtype != other.dtype or len(self) != len(other):
            return False
        return bool(pd.Series(self._elements()).equals(pd.Series(other._elements())))

    def isna(self) -> np.ndarray[Any, Any]:
        """Return which elements are missing, as a NumPy array; computes where some may be."""
        if len(self) <= CACHED_ROWS:
            return np.asarray(pd.isna(self._elements()))
        return np.asarray(self._missing().to_ndarray())

    def _missing(self) -> Any:
        """Return which elements are missing, as a lazy array."""
        raise NotImplementedError

    def isnull(self) -> np.ndarray[Any, Any]:
        """Return which elements are missing; the same as `isna`."""
        return self.isna()

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        if name == "count":
            return int((~self.isna()).sum())
        if name == "first":
            return self._first()
        raise ArgumentTypeError(f"Cannot perform reduction '{name}' with type {self.dtype}")

    def _first(self) -> Any:
        """Return the first element."""
        if not len(self):
            raise ArgumentError("the first of no elements is asked for.")
        return self[0]

    def _values_for_argsort(self) -> np.ndarray[Any, Any]:
        return self._elements().copy()

    def _values_for_factorize(self) -> tuple[np.ndarray[Any, Any], Any]:
        return self._elements().copy(), self.dtype.na_value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_str_"):
            method = name.removeprefix("_str_")
            hint = f"s.ak.to_ak_legacy().str.{method}(…) is lazy, s.ak.collect().str.{method}(…) runs in memory."
            return _refusal(type(self).__name__, f"str.{method}", hint)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def interpolate(self, method: str = "linear", *, limit: Any = None, **kwargs: Any) -> Any:
        """Refuse: missing elements are not found from their neighbours.

        Raises
        ------
        UnsupportedError
            Always.
        """
        raise UnsupportedError(
            "lazy arrays are not interpolated.", hint="s.ak.collect().interpolate() does it in memory."
        )


def _is_lazy_type(dtype: Any) -> bool:
    return isinstance(dtype, ExtensionDtype) and issubclass(dtype.construct_array_type(), ArkoudaExtensionArray)


def holds(*names: str) -> Callable[[type[ArkoudaExtensionArray]], type[ArkoudaExtensionArray]]:
    """Register a class for the types of its arrays."""

    def register(cls: type[ArkoudaExtensionArray]) -> type[ArkoudaExtensionArray]:
        _CLASSES.update(dict.fromkeys(names, cls))
        return cls

    return register


def class_for(name: str) -> type[ArkoudaExtensionArray]:
    """Return the class of arrays of a type; for ``ak`` the base class, which infers the type from data."""
    return _CLASSES.get(name, ArkoudaExtensionArray)


def _class_of(data: Any) -> type[ArkoudaExtensionArray]:
    found = next((cls for cls in dict.fromkeys(_CLASSES.values()) if type(data) is cls._holds), None)
    if found is None:
        raise ArgumentTypeError(
            f"pandas has no lazy type for {type(data).__name__}.", hint="its own methods do without."
        )
    return found
