"""Types and arrays of pandas that hold lazy arrays: numbers and bools, text, and Categoricals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array, full
from akdask.arrays.elementwise import cast, rounded, where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cummax, cummin, cumprod, cumsum
from akdask.arrays.strings import Strings
from akdask.arrays.ufuncs import isfinite, isnan
from akdask.columns.dtypes import BOOL, FLOAT64, bigint
from akdask.columns.exact import are_floats
from akdask.engine.alignment import align
from akdask.engine.missing import lacks_numbers
from akdask.engine.values import with_missing
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.extension.base import COLLECT, ArkoudaExtensionArray, as_lazy, class_for, holds, refuses

PREFIXES = ("arkouda.", "ak.", "ak_", "ak")
"""What a text begins with that means one of these types, so that ``int64`` stays NumPy's."""

WIDEST = {"i": np.int64, "u": np.uint64, "f": np.float64}
"""The types that narrower ones of NumPy become, by their kind."""

OTHER_NAMES = {"str": "string", "str_": "string", "bool": "bool_", "int": "int64", "float": "float64"} | {
    "categorical": "category"
}


class ArkoudaBaseDtype(ExtensionDtype):
    """A type of lazy arrays: its name, its scalars, and its missing value."""

    _numpy_dtype: ClassVar[Any] = np.dtype(object)
    na_value: ClassVar[Any] = np.nan

    @property
    def numpy_dtype(self) -> Any:
        """NumPy's dtype of the elements, object where it has none of its own."""
        return self._numpy_dtype

    @classmethod
    def construct_from_string(cls, string: str) -> Any:
        """Return the type of a name such as ``ak_int64``, ``ak.int64``, ``akint64`` or ``arkouda.int64``.

        As in Arkouda it is the type of the name, whichever class is asked, and plain names such as ``int64``, which are
        the `name` of the types, are NumPy's.

        Raises
        ------
        ArgumentTypeError
            If it is no name of such a type, or has no prefix.
        """
        if not isinstance(string, str):
            raise ArgumentTypeError(
                f"'construct_from_string' expects a string, got {type(string)}", hint="pass a name such as 'ak_int64'."
            )
        name = string.strip().lower()
        prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), None)
        base = "" if prefix is None else name.removeprefix(prefix).lstrip("._")
        found = _BY_NAME.get(OTHER_NAMES.get(base, base))
        if found is None:
            raise ArgumentTypeError(
                f"Cannot construct a '{cls.__name__}' from '{string}'",
                hint="names of lazy types begin with ak_: ak_int64, ak_float64, ak_bool, ak_string.",
            )
        return found()

    @property
    def itemsize(self) -> int:
        """Bytes of an element, of a reference where they differ."""
        return int(self._numpy_dtype.itemsize or np.dtype(object).itemsize)

    @classmethod
    def construct_array_type(cls) -> Any:
        """Return the class of arrays that hold elements of this type."""
        return class_for(cls.name)

    def _get_common_dtype(self, dtypes: list[Any]) -> Any:
        """Return the type of elements of several types put together, None for pandas' objects."""
        if len(set(dtypes)) == 1:
            return self
        if all(getattr(dtype, "type", None) is str for dtype in dtypes):
            return ArkoudaStringDtype()
        kinds = {dtype.kind for dtype in dtypes}
        names = {dtype.name for dtype in dtypes}
        if not kinds - {"O"} <= set("iuf") or not all(_is_number(dtype) for dtype in dtypes):
            return None
        if "bigint" in names:
            return ArkoudaFloat64Dtype() if "f" in kinds else ArkoudaBigintDtype()
        # pandas looks at types alone, whatever the values: its own Int64 beside UInt64 is Float64 too.
        found = np.result_type(*(getattr(dtype, "numpy_dtype", dtype) for dtype in dtypes))
        return extension_dtype(found if found == np.uint8 else np.result_type(found, WIDEST[found.kind]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


_ArkoudaBaseDtype = ArkoudaBaseDtype
"""Arkouda's name of the class."""


class NumberDtype(ArkoudaBaseDtype):
    """A type of numbers."""

    _is_numeric = True


@register_extension_dtype
class ArkoudaInt64Dtype(NumberDtype):
    """Integers of 64 bits, of which some may be missing."""

    name, kind, type, _numpy_dtype = "int64", "i", np.int64, np.dtype(np.int64)


@register_extension_dtype
class ArkoudaUint64Dtype(NumberDtype):
    """Unsigned integers of 64 bits, of which some may be missing."""

    name, kind, type, _numpy_dtype = "uint64", "u", np.uint64, np.dtype(np.uint64)


@register_extension_dtype
class ArkoudaUint8Dtype(NumberDtype):
    """Unsigned integers of 8 bits, of which some may be missing."""

    name, kind, type, _numpy_dtype = "uint8", "u", np.uint8, np.dtype(np.uint8)


@register_extension_dtype
class ArkoudaFloat64Dtype(NumberDtype):
    """Floats of 64 bits; NaN is missing."""

    name, kind, type, _numpy_dtype = "float64", "f", np.float64, np.dtype(np.float64)


@register_extension_dtype
class ArkoudaBoolDtype(NumberDtype):
    """Truth values, of which some may be missing."""

    name, kind, type, _numpy_dtype = "bool_", "b", np.bool_, np.dtype(np.bool_)
    _is_boolean = True


@register_extension_dtype
class ArkoudaBigintDtype(NumberDtype):
    """Integers of any size; they become floats where pandas makes some missing."""

    name, kind, type = "bigint", "O", int


@register_extension_dtype
class ArkoudaStringDtype(ArkoudaBaseDtype):
    """Text; missing text is NaN."""

    name, kind, type, _numpy_dtype = "string", "O", str, np.dtype(np.str_)


@register_extension_dtype
class ArkoudaCategoricalDtype(ArkoudaBaseDtype):
    """Text of few distinct values."""

    name, kind, type = "category", "O", str


@register_extension_dtype
class ArkoudaDtype(ExtensionDtype):
    """``dtype="ak"``: the lazy type inferred from the data."""

    name, kind, type = "ak", "O", object

    @classmethod
    def construct_from_string(cls, string: str) -> Self:
        """Return the type for ``"ak"``.

        Raises
        ------
        ArgumentTypeError
            If it is another name.
        """
        if not isinstance(string, str):
            raise ArgumentTypeError(f"'construct_from_string' expects a string, got {type(string)}")
        if string != cls.name:
            raise ArgumentTypeError(f"Cannot construct a '{cls.__name__}' from '{string}'")
        return cls()

    @classmethod
    def construct_array_type(cls) -> Any:
        """Return the base class of the arrays, which makes one of the right kind."""
        return class_for(cls.name)


CONCRETE: tuple[type[ArkoudaBaseDtype], ...] = (
    ArkoudaInt64Dtype,
    ArkoudaUint64Dtype,
    ArkoudaUint8Dtype,
    ArkoudaFloat64Dtype,
    ArkoudaBoolDtype,
    ArkoudaBigintDtype,
    ArkoudaStringDtype,
    ArkoudaCategoricalDtype,
)

_BY_NAME = {cls.name: cls for cls in CONCRETE}


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, NumberDtype) or (isinstance(dtype, np.dtype) and dtype.kind in "iuf")


def extension_dtype(dtype: Any) -> ArkoudaBaseDtype:
    """Return the type of a lazy array's NumPy dtype.

    Raises
    ------
    ArgumentTypeError
        If there is none.

    Examples
    --------
    >>> extension_dtype(np.dtype(bool))
    ArkoudaBoolDtype('bool_')
    """
    if dtype == bigint:
        return ArkoudaBigintDtype()
    found = next((cls for cls in CONCRETE if cls._numpy_dtype == dtype and cls.type is not str), None)
    if found is None or found._numpy_dtype == np.dtype(object):
        raise ArgumentTypeError(f"pandas has no lazy type for {dtype}.")
    return found()


ACCUMULATIONS = {"cumsum": cumsum, "cumprod": cumprod, "cummin": cummin, "cummax": cummax}

IN_MEMORY = {"kurt", "sem", "skew"}
"""Reductions that pandas computes of elements in memory."""

NULLABLE: dict[str, Any] = {
    "int64": "Int64",
    "uint64": "UInt64",
    "uint8": "UInt8",
    "bool": "boolean",
    "float64": "Float64",
}
"""pandas' nullable types of numbers."""

OF_FLOATS = {"median", "std", "var"}

REDUCTIONS = {"sum", "prod", "min", "max", "mean", "any", "all", "count"} | IN_MEMORY | OF_FLOATS


@holds("int64", "uint64", "uint8", "float64", "bool_", "bigint")
class ArkoudaArray(ArkoudaExtensionArray):
    """A `pdarray` in pandas.

    Parameters
    ----------
    data : pdarray, or scalars
        The elements.
    dtype : dtype-like, optional
        Type to convert to.
    copy : bool
        Take a copy of the array.

    Raises
    ------
    ArgumentTypeError
        If the data are no numbers.

    Examples
    --------
    >>> import akdask as ak, pandas as pd
    >>> s = pd.Series(ArkoudaArray(ak.arange(4)))
    >>> (s * 2).sum(), s[s > 1].tolist()
    (np.int64(12), [2, 3])
    """

    _holds = pdarray
    default_fill_value = -1

    def __init__(self, data: Any, dtype: Any = None, copy: bool = False) -> None:
        data = as_lazy(data)
        super().__init__(data.copy() if copy else data)
        if dtype is not None:
            wanted = pd.api.types.pandas_dtype(dtype)
            wanted = wanted if isinstance(wanted, ArkoudaBaseDtype) else extension_dtype(wanted)
            super().__init__(self._converted(wanted))

    @classmethod
    def _empty(cls, shape: Any, dtype: Any) -> Any:
        (count,) = shape if isinstance(shape, tuple) else (shape,)
        return cls._from_sequence(full(count, 0.0), dtype=dtype)

    @property
    def dtype(self) -> ArkoudaBaseDtype:
        """The type, such as ``int64``."""
        return extension_dtype(self._data.dtype)

    @property
    def _is_float(self) -> bool:
        return bool(self._data._value.dtype == FLOAT64)

    @property
    def _may_lack(self) -> bool:
        """Whether elements may be missing."""
        return lacks_numbers(self._data._value.dtype)

    def isna(self) -> np.ndarray[Any, Any]:
        """Return which elements are missing, as a NumPy array; computes where some may be."""
        return super().isna() if self._may_lack else np.zeros(len(self), np.bool_)

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        """Return integers and bools as objects where some are missing, which are NaN."""
        if not self._data._value.dtype.is_nullable_number:
            return super()._computed_elements()
        missing = np.asarray(self._missing().to_ndarray())
        found = np.asarray(self._zeroed().to_ndarray())
        return np.where(missing, np.array(np.nan, object), found) if missing.any() else found

    def _zeroed(self) -> Any:
        """Return the elements with 0 for missing ones."""
        return (
            where(isnan(self._data), self._data._value.dtype.numpy.type(0), self._data)
            if self._may_lack
            else self._data
        )

    def _as_numbers(self, found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if found.dtype != object or self.dtype.kind not in ("i", "u"):
            return found
        floats = found.astype(np.float64)
        missing = np.isnan(floats)
        return floats if are_floats(np.where(missing, 0, found).astype(self.dtype.numpy_dtype)) else found

    def _in_pandas(self) -> Any:
        return self._masked() if self._data._value.dtype.is_nullable_number and self.isna().any() else self.to_numpy()

    def _masked(self) -> Any:
        """Return the elements as pandas' nullable numbers; computes."""
        missing = self.isna()
        found = np.asarray(self._zeroed().to_ndarray())
        masked: Any = pd.array(found, dtype=NULLABLE[found.dtype.name])
        masked[missing] = pd.NA
        return masked

    def _groupby_op(self, **kwargs: Any) -> Any:
        if self.dtype.name == "bigint":
            return super()._groupby_op(**kwargs)  # type: ignore[misc]  # pandas' types leave it out
        found = self._masked()._groupby_op(**kwargs)
        return self._from_sequence(found) if isinstance(found, ExtensionArray) else found

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """Return a function or a mapping of each element, as a lazy array if a type fits; computes.

        Parameters
        ----------
        mapper : callable, dict or Series
            What elements become; missing integers and bools are ``pd.NA`` for it, as in pandas.
        na_action : {None, "ignore"}
            Whether missing elements stay missing without asking.
        """
        elements = self._in_pandas()
        if not isinstance(elements, ExtensionArray):
            return super().map(mapper, na_action)
        return self._cast_pointwise_result(elements.map(mapper, na_action))

    def _scalar(self, found: Any) -> Any:
        return (
            self._data._value.dtype.numpy.type(found)
            if isinstance(found, int) and self.dtype.type is not int
            else found
        )

    def _missing(self) -> Any:
        return isnan(self._data)

    def _filled(self, value: Any) -> Self:
        if not self._may_lack:
            return self.copy()
        given = as_lazy(value) if pd.api.types.is_list_like(value) else self._checked_scalar(value)
        if self.dtype.kind in ("i", "u", "b") and not isinstance(given, Array) and float(given).is_integer():
            kind = self._data._value.dtype.numpy.type
            given = kind(given) if kind(given) == given else given
        return self._wrapped(where(isnan(self._data), given, self._data))

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        return lacking(data, missing) if pd.isna(fill) else where(missing, self._checked_scalar(fill), data)

    def _filled_rows(self, count: int, fill: Any) -> Any:
        dtype = FLOAT64 if self.dtype.name == "bigint" and pd.isna(fill) else self._data._value.dtype.plain
        return self._filling(full(count, 0, dtype.numpy), full(count, True), fill)

    @property
    def _default_fill(self) -> Any:
        kind = self.dtype.kind
        return 0 if kind == "u" else self.default_fill_value if kind == "i" or self.dtype.type is int else None

    def _assign(self, key: Any, value: Any) -> None:
        dtype = value._value.dtype if isinstance(value, Array) else None
        may_lack = lacks_numbers(dtype) if dtype is not None else bool(pd.isna(value))
        if may_lack and not self._may_lack:
            self._become(lacking(self._data, full(len(self), False)))
        super()._assign(key, value)

    def _checked_scalar(self, value: Any) -> Any:
        if value is pd.NA or value is None or (isinstance(value, float) and np.isnan(value)):
            if self.dtype.name == "bigint":
                raise ArgumentTypeError("bigint has nothing for missing elements.", hint="use ak_float64.")
            return np.nan
        if not isinstance(value, int | float | np.number | np.bool_):
            raise ArgumentTypeError(f"{value!r} is no element of {self.dtype.name}.")
        return value

    # reductions

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        name = {"or": "any", "and": "all"}.get(name, name)
        if name == "first":
            return self._first()
        if name in ("argmin", "argmax"):
            return getattr(self, name)(skipna=skipna)
        if name not in REDUCTIONS:
            raise ArgumentTypeError(f"cannot perform {name} with type {self.dtype}")
        if name in IN_MEMORY or (self.dtype.name == "bigint" and name in OF_FLOATS):
            found = getattr(pd.Series(self.to_numpy(np.float64)), name)(skipna=skipna)
            return self._wrapped(array([found])) if keepdims else found
        data = self._there() if skipna else self._data
        found = self._reduced(data, name, skipna, **kwargs)
        return self._wrapped(array([found])) if keepdims else found

    def _there(self) -> Any:
        """Return the elements that are not missing."""
        return self._zeroed()[~isnan(self._data)] if self._may_lack else self._data

    def _reduced(self, data: Any, name: str, skipna: bool, **kwargs: Any) -> Any:
        if name == "count":
            return data.size
        if name in ("any", "all"):
            # Missing elements are true where they are not left out, as NaN is.
            return bool(getattr(ArkoudaArray(data)._filled(1)._data, name)())
        count = data.size
        if name in ("min", "max", "mean", "median") and not count:
            return np.nan
        ddof = kwargs.get("ddof", 1)
        if name in ("var", "std"):
            return np.nan if count <= ddof else getattr(data, name)(ddof).value()
        if count < kwargs.get("min_count", 0):
            return np.nan
        return getattr(data, name)().value()

    def sum(self, *, skipna: bool = True, min_count: int = 0, **kwargs: Any) -> Any:
        """Return the sum of the elements; computes."""
        return self._reduce("sum", skipna=skipna, min_count=min_count)

    def prod(self, *, skipna: bool = True, min_count: int = 0, **kwargs: Any) -> Any:
        """Return the product of the elements; computes."""
        return self._reduce("prod", skipna=skipna, min_count=min_count)

    def min(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the smallest element; computes."""
        return self._reduce("min", skipna=skipna)

    def max(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the largest element; computes."""
        return self._reduce("max", skipna=skipna)

    def mean(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the mean of the elements; computes."""
        return self._reduce("mean", skipna=skipna)

    def median(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the median of the elements; computes."""
        return self._reduce("median", skipna=skipna)

    def var(self, *, skipna: bool = True, ddof: int = 1, **kwargs: Any) -> Any:
        """Return the variance of the elements; computes."""
        return self._reduce("var", skipna=skipna, ddof=ddof)

    def std(self, *, skipna: bool = True, ddof: int = 1, **kwargs: Any) -> Any:
        """Return the standard deviation of the elements; computes."""
        return self._reduce("std", skipna=skipna, ddof=ddof)

    def sem(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the standard error of the mean; computes, in memory."""
        return self._reduce("sem", skipna=skipna)

    def skew(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the skewness; computes, in memory."""
        return self._reduce("skew", skipna=skipna)

    def kurt(self, *, skipna: bool = True, **kwargs: Any) -> Any:
        """Return the kurtosis; computes, in memory."""
        return self._reduce("kurt", skipna=skipna)

    def all(self, axis: int | None = 0, skipna: bool = True, **kwargs: Any) -> bool:
        """Return whether no element is zero; computes."""
        return bool(self._reduce("all", skipna=skipna))

    def any(self, axis: int | None = 0, skipna: bool = True, **kwargs: Any) -> bool:
        """Return whether any element is not zero; computes."""
        return bool(self._reduce("any", skipna=skipna))

    def _accumulate(self, name: str, *, skipna: bool = True, **kwargs: Any) -> Any:
        run = ACCUMULATIONS[name]
        data = self._zeroed()
        if data._value.dtype == BOOL:
            data = cast(data, np.int64)
        if not self._may_lack:
            return self._wrapped(run(data))
        missing = self._missing()
        lowest, highest = (-np.inf, np.inf) if self._is_float else _bounds(data._value.dtype.numpy)
        neutral = {"cumsum": 0, "cumprod": 1, "cummin": highest, "cummax": lowest}[name]
        found = run(where(missing, neutral, data))
        if not skipna:
            missing = cumsum(cast(missing, np.int64)) > 0
        return self._wrapped(lacking(found, missing))

    def round(self, decimals: int = 0, *args: Any, **kwargs: Any) -> Self:
        """Return the elements rounded to decimals; lazy."""
        if not self._is_float:
            return self.copy()
        return self._wrapped(rounded(self._data, decimals))

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> ArkoudaExtensionArray:
        # As in Arkouda, numbers of a Categorical are its codes.
        return super()._from_sequence(
            scalars.codes if isinstance(scalars, Categorical) else scalars, dtype=dtype, copy=copy
        )

    def _converted(self, wanted: Any) -> Any:
        if wanted.type is str:
            text = self._data.astype(str)
            text = where(isnan(self._data), None, text) if self._may_lack else text
            return Categorical(text) if wanted.name == "category" else text
        kind: Any = "bigint" if wanted.type is int else wanted.numpy_dtype
        if wanted.kind == "f" or wanted.type is int or not self._may_lack or not self.isna().any():
            self._check_fits(wanted)
            return (self._data if wanted.kind == "f" else self._zeroed()).astype(kind)
        filled = self._zeroed()
        ArkoudaArray(filled)._check_fits(wanted)
        return lacking(filled.astype(kind), self._missing())

    def _check_fits(self, wanted: Any) -> None:
        """Refuse NaN and infinities for types that lack them; computes for floats to be converted."""
        if not self._may_lack or wanted.kind == "f":
            return
        fits = isfinite(self._data) if self._is_float and wanted.kind != "b" else ~isnan(self._data)
        if not fits.all():
            raise ArgumentError(
                f"NaN or infinity cannot be converted to {wanted}.", hint="fillna(0) puts 0 in its place."
            )

    def _plain(self, wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
        if wanted.kind in "iu":
            self._check_fits(wanted)
        return super()._plain(wanted)

    def _like(self, wanted: Any) -> Any:
        is_bigint = wanted.type is int and self.dtype.kind in "iu"
        return self.astype(wanted) if is_bigint else self


def lacking(data: Any, missing: Any) -> Any:
    """Return numbers with others than those that a mask chooses; integers of any size become floats."""
    if data._value.dtype == FLOAT64 or data._value.dtype.kind == "bigint":
        return where(missing, np.nan, cast(data, np.float64))
    frame, (numbers, lacks) = align("missing", [data._as_operand(), missing._as_operand()])
    return data._like(frame, with_missing(numbers, lacks))


def _bounds(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


NUMERIC = (
    "all any argpartition byteswap choose clip compress conj conjugate cumprod cumsum diagonal dot dump dumps fill "
    "flatten getfield kurt max mean median min nonzero partition prod put resize setfield sem setflags skew "
    "std sum to_device tobytes tofile trace var"
)


@refuses(NUMERIC, COLLECT)
@holds("string")
class ArkoudaStringArray(ArkoudaExtensionArray):
    """`Strings` in pandas; missing text is NaN.

    Parameters
    ----------
    data : Strings, or sequence of str
        The elements; numbers in memory are written as text.

    Examples
    --------
    >>> import akdask as ak, pandas as pd
    >>> pd.Series(ArkoudaStringArray(ak.array(["b", None, "a"]))).sort_values().tolist()
    ['a', 'b', nan]
    """

    _holds = Strings
    default_fill_value = ""

    def __init__(self, data: Any) -> None:
        found = as_lazy(data, is_text=True)
        is_in_memory = isinstance(data, list | tuple | np.ndarray)
        super().__init__(found.astype(str) if is_in_memory and isinstance(found, pdarray) else found)

    @property
    def dtype(self) -> ArkoudaStringDtype:
        """The type ``string``."""
        return ArkoudaStringDtype()

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.array([item is None for item in found], np.bool_)] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if pd.isna(found) else np.str_(found)

    def _missing(self) -> Any:
        return self._data.isna()

    def _filled(self, value: Any) -> Self:
        if isinstance(value, str):
            return self._wrapped(self._data.fillna(value))
        if not pd.api.types.is_list_like(value):
            self._checked_scalar(value)
            return self.copy()
        return self._wrapped(where(self._data.isna(), as_lazy(value), self._data))

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        return where(missing, self._checked_scalar(fill), data)

    def _filled_rows(self, count: int, fill: Any) -> Any:
        return array([self._checked_scalar(fill)] * count)

    def _checked_scalar(self, value: Any) -> Any:
        return checked_text(value)

    def _like(self, wanted: Any) -> Any:
        return self.astype(wanted) if wanted.name == "category" else self

    def _converted(self, wanted: Any) -> Any:
        if wanted.name == "category":
            return Categorical(self._data)
        return self._data.astype("bigint" if wanted.type is int else wanted.numpy_dtype)


def checked_text(value: Any) -> str | None:
    """Return a scalar for text, None for a missing value."""
    if isinstance(value, str):
        return value
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    raise ArgumentTypeError(f"{value!r} is no text.", hint="text is str, or None where it is missing.")


EQUALITY = (operator.eq, np.equal, operator.ne, np.not_equal)

OF_PANDAS = (
    "add_categories as_ordered as_unordered check_for_ordered describe from_codes notna notnull remove_categories "
    "remove_unused_categories rename_categories reorder_categories set_categories set_ordered sort_values to_list "
    "kurt max mean median min sem skew std sum var prod any all"
)


def _text_of(value: Any) -> Any:
    """Return the labels of a Categorical as text, missing where they are; other values stay as they are."""
    return where(value.isna(), None, value.to_strings()) if isinstance(value, Categorical) else value


@refuses(OF_PANDAS, COLLECT)
@holds("category")
class ArkoudaCategorical(ArkoudaExtensionArray):
    """A `Categorical` in pandas; its missing label is NaN there.

    Parameters
    ----------
    data : Categorical, or sequence of str
        The elements.

    Examples
    --------
    >>> import akdask as ak, pandas as pd
    >>> s = pd.Series(ArkoudaCategorical(ak.Categorical(ak.array(["x", "y", "x"]))))
    >>> (s == "x").tolist()
    [True, False, True]
    """

    _holds = Categorical
    default_fill_value = ""

    def __init__(self, data: Any) -> None:
        data = as_lazy(data, is_text=True)
        super().__init__(Categorical(data) if isinstance(data, Strings) else data)

    @property
    def dtype(self) -> ArkoudaCategoricalDtype:
        """The type ``category``."""
        return ArkoudaCategoricalDtype()

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> ArkoudaExtensionArray:
        # As in Arkouda, labels are a Categorical; what is no text, such as results of functions, has a type of its own.
        made = super()._from_sequence(scalars, dtype=dtype, copy=copy)
        return cls(made._data) if dtype is None and isinstance(made, ArkoudaStringArray) else made

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.asarray(self._data.isna().to_ndarray())] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if pd.isna(found) or found == self._data.na_value else np.str_(found)

    def _computed(self, function: Callable[..., Any], *items: Any) -> Any:
        if any(isinstance(item, pd.Series | pd.Index | pd.DataFrame) for item in items):
            return NotImplemented
        if function in EQUALITY:
            found = super()._computed(function, *items)._data
            # Missing elements equal nothing, though they have a label.
            missing = self._data.isna()
            return self._wrapped(found & ~missing if function in EQUALITY[:2] else found | missing)
        raise ArgumentTypeError(
            f"{function.__name__} does not take arguments of type {self.dtype.name}.",
            hint="its elements are equal or not; s.astype('ak_string') has an order and is put together.",
        )

    def _missing(self) -> Any:
        return self._data.isna()

    def memory_usage(self, deep: bool = False) -> int:
        """Return the bytes of the elements when they are in memory; computes.

        Parameters
        ----------
        deep : bool
            Makes no difference.
        """
        return self.nbytes

    @property
    def _text(self) -> Any:
        """The elements as lazy text, with missing text for the missing label."""
        return where(self._data.isna(), None, self._data.to_strings())

    def _filled(self, value: Any) -> Self:
        given = as_lazy(value) if pd.api.types.is_list_like(value) else value
        return self._wrapped(Categorical(ArkoudaStringArray(self._text)._filled(_text_of(given))._data))

    def _assign(self, key: Any, value: Any) -> None:
        text = ArkoudaStringArray(self._text)
        text._assign(key, _text_of(value))
        self._become(Categorical(text._data))

    def _become(self, data: Any) -> None:
        super()._become(data)
        self._data._category_table, self._data._positions = data._category_table, (None, None)

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        text = where(data.isna(), None, data.to_strings())
        return Categorical(where(missing, self._checked_scalar(fill), text))

    def _filled_rows(self, count: int, fill: Any) -> Any:
        return Categorical(array([self._checked_scalar(fill)] * count))

    def _checked_scalar(self, value: Any) -> Any:
        return checked_text(value)

    def _converted(self, wanted: Any) -> Any:
        return (
            self._text
            if wanted.type is str
            else self._text.astype("bigint" if wanted.type is int else wanted.numpy_dtype)
        )
