"""`ArkoudaExtensionArray`: a lazy array as pandas wants arrays to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype
from pandas.api.indexers import check_array_indexer

from akdask.collections.arrays.creation import arange, array
from akdask.collections.arrays.sorting import argsort
from akdask.collections.core.array import Array
from akdask.collections.core.later import provides
from akdask.collections.core.wrap import special
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError, UnsupportedError
from akdask.extension.operators import LazyOperators
from akdask.extension.refused import DIMENSIONS, refuses

_CLASSES: dict[type, type[ArkoudaExtensionArray]] = {}
"""By the type of elements: the class of arrays that hold them."""


@refuses("broadcast_arrays broadcast_to expand_dims permute_dims reshape squeeze swapaxes", DIMENSIONS)
@refuses("concat stack split", "pd.concat puts arrays together, slices take them apart.")
class ArkoudaExtensionArray(LazyOperators):
    """A lazy array in pandas.

    Parameters
    ----------
    data : pdarray, Strings or Categorical
        The array; it is not copied, and what is assigned to either is assigned to both.
    """

    _holds: ClassVar[type[Array]] = Array
    default_fill_value: ClassVar[Any] = np.nan

    def __init__(self, data: Any) -> None:
        if not isinstance(data, self._holds):
            raise ArgumentTypeError(
                f"{type(self).__name__} holds a {self._holds.__name__}, not {type(data).__name__}.",
                hint="pd.array(data, dtype='ak') makes the array that fits.",
            )
        self._data: Any = data

    # making

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> ArkoudaExtensionArray:
        """Return an array of scalars or of a lazy array, of the class that they ask for unless it is this one."""
        if isinstance(scalars, ArkoudaExtensionArray):
            scalars = scalars._data
        data = scalars if isinstance(scalars, Array) else as_lazy(scalars)
        made = _class_of(data)(data.copy() if copy else data)
        wanted = None if dtype is None else pd.api.types.pandas_dtype(dtype)
        if wanted is None or wanted.name == "ak" or wanted == made.dtype:
            return made
        found = made.astype(wanted)
        assert isinstance(found, ArkoudaExtensionArray)
        return found

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
        return _class_of(parts[0])(concatenate(parts))

    def _wrapped(self, data: Any) -> Self:
        made: Self = _class_of(data)(data)  # type: ignore[assignment]  # other types for what pandas leaves missing
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
        key = _row_key(self, item)
        if isinstance(key, int):
            if not -len(self) <= key < len(self):
                raise PositionError(f"index {key} is out of bounds for axis 0 with size {len(self)}")
            return self._scalar(self._data[key])
        is_all = isinstance(key, slice) and (key.start, key.stop, key.step) == (None, None, None)
        return self.view() if is_all else self._wrapped(self._data[key])

    def _scalar(self, found: Any) -> Any:
        """Return an element as pandas has it."""
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to rows; lazy."""
        if self._readonly:
            raise ArgumentError("Cannot modify read-only array")
        key = _row_key(self, key)
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

    def fillna(self, value: Any, limit: int | None = None, copy: bool = True) -> Self:
        """Return the elements with others in place of those that are missing; lazy unless there is a limit.

        Parameters
        ----------
        value : scalar, or array of as many elements
            What takes their place.
        limit : int, optional
            How many are filled at most.
        copy : bool
            Otherwise the array itself is filled.

        Raises
        ------
        ArgumentError
            If an array has another number of elements, or this one is read-only.
        ArgumentTypeError
            If the value is of another type.
        """
        if pd.api.types.is_list_like(value) and len(value) != len(self):
            raise ArgumentError(f"Length of 'value' does not match. Got ({len(value)}) expected {len(self)}")
        if isinstance(value, dict):
            raise ArgumentTypeError('"value" parameter must be a scalar or array, but you passed a "dict"')
        filled: Self = super().fillna(value, limit=limit, copy=copy) if limit is not None else self._filled(value)
        if not copy and limit is None:
            if self._readonly:
                raise ArgumentError("Cannot modify read-only array")
            self._data._frame, self._data._value = filled._data._frame, filled._data._value
            return self
        return filled

    def _filled(self, value: Any) -> Self:
        """Return the elements with a value, or those of an array, in place of those that are missing."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements; computes them all."""
        return iter(list(self.to_numpy()))

    def take(self, indexer: Any, allow_fill: bool = False, fill_value: Any = None) -> Self:
        """Return the elements at positions; lazy but for checking the positions.

        Parameters
        ----------
        indexer : sequence of int
            Positions; negative ones count from the end, or with `allow_fill` -1 is missing.
        allow_fill : bool
            Whether -1 stands for a missing element.
        fill_value : scalar, optional
            What stands in its place; NaN unless given, of which integers become floats.

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
        fill = self.dtype.na_value if fill_value is None else fill_value
        if not size:
            return self._wrapped(self._filled_rows(len(positions), fill))
        return self._wrapped(self._filling(self._data[array(np.where(missing, 0, positions))], array(missing), fill))

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        """Return rows with a value in place of those that are missing."""
        raise NotImplementedError

    def _filled_rows(self, count: int, fill: Any) -> Any:
        """Return rows of one value."""
        raise NotImplementedError

    def shift(self, periods: int = 1, fill_value: Any = None) -> Self:
        """Return the elements moved down by some rows, or up by negative ones; lazy.

        Parameters
        ----------
        periods : int, default 1
            How many rows.
        fill_value : scalar, optional
            What stands where rows come from outside; NaN unless given, of which integers become floats.
        """
        positions = np.arange(len(self)) - periods
        positions[(positions < 0) | (positions >= len(self))] = -1
        return self.take(positions, allow_fill=True, fill_value=fill_value)

    def copy(self, deep: bool = True) -> Self:
        """Return a copy of its own, or with ``deep=False`` one of the same array."""
        return type(self)(self._data.copy() if deep else self._data)

    def view(self, dtype: Any = None) -> Any:
        """Return the same array in an object of its own, or converted to a dtype."""
        if dtype is not None:
            return self.astype(dtype)
        seen = self.copy(deep=False)
        seen._readonly = self._readonly
        return seen

    def transpose(self, *axes: int) -> Self:
        """Return the same array in an object of its own: there is one dimension."""
        return self.view()

    # conversion

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = None) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes.

        Parameters
        ----------
        dtype : dtype-like, optional
            Type to convert to.
        copy : bool
            Accepted for compatibility with pandas; the array is the caller's in any case.
        na_value : scalar, optional
            What stands for missing elements.
        """
        found = self._elements()
        if na_value is not None and na_value is not pd.api.extensions.no_default:
            missing = self.isna()
            if missing.any():
                found = found.astype(object)
                found[missing] = na_value
        return found if dtype is None else found.astype(dtype)

    def _elements(self) -> np.ndarray[Any, Any]:
        """Return the elements as NumPy has them."""
        return np.asarray(self._data.to_ndarray())

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes."""
        return self.to_numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ArgumentError("a lazy array has no memory that NumPy could share.", hint="leave copy=False.")
        return self.to_numpy(dtype)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the elements in another type: lazy for types of lazy arrays, else it computes."""
        wanted = pd.api.types.pandas_dtype(dtype)
        if wanted == self.dtype:
            return self.copy() if copy else self
        if isinstance(wanted, ExtensionDtype) and issubclass(wanted.construct_array_type(), ArkoudaExtensionArray):
            return self._wrapped(self._converted(wanted))
        if isinstance(wanted, ExtensionDtype):
            return wanted.construct_array_type()._from_sequence(self.to_numpy(), dtype=wanted, copy=copy)
        return self._plain(wanted)

    def _plain(self, wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
        return self.to_numpy().astype(wanted)

    def _converted(self, wanted: Any) -> Any:
        """Return the lazy array in another lazy type."""
        if wanted.type is str:
            return self._data.astype(str)
        if wanted.type is np.str_:
            return Categorical(self._data.astype(str))
        return self._data.astype("bigint" if wanted.type is int else wanted.numpy_dtype)

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str | None]:
        return str if boxed else repr

    # comparison

    def _operand(self, item: Any) -> Any:
        if isinstance(item, ArkoudaExtensionArray):
            return item._data
        return as_lazy(item) if pd.api.types.is_list_like(item) else item

    def equals(self, other: object) -> bool:
        """Whether the other array has the same type and elements, missing ones at the same rows; computes."""
        if type(self) is not type(other) or not isinstance(other, ArkoudaExtensionArray):
            return False
        if self.dtype != other.dtype or len(self) != len(other):
            return False
        return bool(pd.Series(self.to_numpy()).equals(pd.Series(other.to_numpy())))

    # order and groups

    def argsort(  # type: ignore[override]  # pandas passes more than it declares
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
            What else pandas passes makes no difference.
        """
        missing = self.isna()
        there = np.flatnonzero(~missing)
        order = argsort(self._data[array(there)], ascending=ascending).to_ndarray() if len(there) else there
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
        order = argsort(self._data[array(there)], ascending=name == "argmin")
        return int(there[int(order[0])])

    def factorize(
        self, use_na_sentinel: bool = True, sort: bool = False, **kwargs: Any
    ) -> tuple[np.ndarray[Any, Any], ArkoudaExtensionArray]:
        """Return a number for each element, and the distinct elements that they count; computes.

        Parameters
        ----------
        use_na_sentinel : bool, default True
            Number missing elements -1; otherwise they are one element more.
        sort : bool
            Count the elements in their order; otherwise as they come first.
        **kwargs
            What else pandas passes makes no difference.
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
                places = np.empty(len(order), np.intp)
                places[order] = np.arange(len(order))
                codes[there] = places[codes[there]]
                uniques = uniques.take(order)
        if not use_na_sentinel and missing.any():
            codes, uniques = _with_missing(codes, uniques, missing, self, sort)
        return codes, uniques

    def unique(self) -> Self:
        """Return the distinct elements as they come first; computes which."""
        codes, _ = self.factorize(use_na_sentinel=False)
        _, first = np.unique(codes, return_index=True)
        return self.take(np.sort(first))

    def value_counts(self, dropna: bool = True) -> pd.Series:
        """Return how often each element occurs, the commonest first, labelled by the elements; computes."""
        codes, uniques = self.factorize(use_na_sentinel=dropna)
        counts = np.bincount(codes[codes >= 0], minlength=len(uniques))
        order = np.argsort(-counts, kind="stable")
        index = pd.Index(uniques.take(order))
        return pd.Series(counts[order], index=index, name="count", dtype=np.int64)

    def duplicated(self, keep: Any = "first") -> np.ndarray[Any, Any]:
        """Return which elements occur before (or after, or elsewhere at all) as well; computes."""
        codes, _ = self.factorize(use_na_sentinel=False)
        return np.asarray(pd.Series(codes).duplicated(keep))

    def isna(self) -> np.ndarray[Any, Any]:
        """Return which elements are missing, as a NumPy array; computes where some may be."""
        return np.zeros(len(self), np.bool_)

    def isnull(self) -> np.ndarray[Any, Any]:
        """Return which elements are missing; the same as `isna`."""
        return self.isna()

    def _values_for_argsort(self) -> np.ndarray[Any, Any]:
        return self.to_numpy()

    def _values_for_factorize(self) -> tuple[np.ndarray[Any, Any], Any]:
        return self.to_numpy(), self.dtype.na_value

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


def holds(*types: type) -> Callable[[type[ArkoudaExtensionArray]], type[ArkoudaExtensionArray]]:
    """Register a class for the types of elements that it holds."""

    def register(cls: type[ArkoudaExtensionArray]) -> type[ArkoudaExtensionArray]:
        _CLASSES.update(dict.fromkeys(types, cls))
        return cls

    return register


@provides("extension array")
def class_for(scalar: type) -> type[ArkoudaExtensionArray]:
    """Return the class of arrays of a type of elements; the base class makes whatever data ask for."""
    return _CLASSES.get(scalar, ArkoudaExtensionArray)


def _class_of(data: Any) -> type[ArkoudaExtensionArray]:
    found = next((cls for cls in dict.fromkeys(_CLASSES.values()) if isinstance(data, cls._holds)), None)
    if found is None:
        raise ArgumentTypeError(f"pandas has no lazy type for a {type(data).__name__}.", hint="use its own methods.")
    return found


def as_lazy(items: Any) -> Any:
    """Return scalars as a lazy array."""
    if isinstance(items, ArkoudaExtensionArray):
        return items._data
    if isinstance(items, pd.Series | pd.Index):
        return as_lazy(items.array)
    if isinstance(items, pd.Categorical):
        return Categorical(items)
    found = special(items)
    if found is not None:
        return found
    plain = items if isinstance(items, np.ndarray) else np.array(list(items), object)
    if plain.dtype == object:
        return array(_of_objects(plain))
    return array(plain)


def _of_objects(items: np.ndarray[Any, Any]) -> Any:
    """Return objects as NumPy has their type, text and what is missing among it as objects."""
    if not len(items):
        return np.empty(0)
    missing = np.asarray(pd.isna(items))
    there = [item.item() if isinstance(item, np.generic) else item for item in items[~missing]]
    if any(isinstance(item, str) for item in there):
        return np.where(missing, None, items)
    if missing.any():
        return np.where(missing, np.nan, items).astype(np.float64)
    return np.array(there) if len({type(item) for item in there}) == 1 else np.array(there, np.float64)


def _row_key(array_: ArkoudaExtensionArray, key: Any) -> Any:
    """Return a key as an int, a slice or a lazy array."""
    if isinstance(key, tuple):
        key = _without_ellipsis(key)
    if isinstance(key, ArkoudaExtensionArray):
        return key._data
    if isinstance(key, Array | slice):
        return key
    checked = check_array_indexer(array_, key)
    if isinstance(checked, np.ndarray):
        return array(checked)
    if isinstance(checked, int | np.integer) and not isinstance(checked, bool):
        return int(checked)
    raise PositionError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
        f"indices, not {type(key).__name__}."
    )


def _without_ellipsis(key: tuple[Any, ...]) -> Any:
    rest = [item for item in key if item is not ...]
    if len(key) - len(rest) > 1:
        raise PositionError("an index can only have a single ellipsis ('...').")
    if len(rest) > 1:
        raise PositionError("too many indices for array: one dimension.")
    return rest[0] if rest else slice(None)


def _with_missing(
    codes: np.ndarray[Any, Any],
    uniques: ArkoudaExtensionArray,
    missing: np.ndarray[Any, Any],
    whole: ArkoudaExtensionArray,
    sort: bool,
) -> tuple[np.ndarray[Any, Any], ArkoudaExtensionArray]:
    """Return numbers and distinct elements with missing elements as one more: where it comes first, or last in order."""
    first = int(np.flatnonzero(missing)[0])
    position = len(uniques) if sort else len(np.unique(codes[:first][codes[:first] >= 0]))
    codes = np.where(missing, position, np.where(codes >= position, codes + 1, codes))
    one = whole.take([first])
    parts = [uniques[:position], one, uniques[position:]]
    return codes, type(uniques)._concat_same_type(parts)
