"""pandas' names for the types of lazy arrays: ``ak_int64``, ``ak_string`` and so on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from pandas.api.extensions import ExtensionDtype, register_extension_dtype

from akdask.columns.dtypes import bigint
from akdask.errors import ArgumentTypeError

PREFIXES = ("arkouda.", "ak.", "ak_", "ak")
"""Prefix of the names of types, so that ``int64`` stays NumPy's."""

WIDEST = {"i": np.int64, "u": np.uint64, "f": np.float64}
"""The types that narrower ones of NumPy become, by their kind."""

OTHER_NAMES = {"str": "string", "str_": "string", "bool_": "bool", "categorical": "category"}


class ArkoudaBaseDtype(ExtensionDtype):
    """A type of lazy arrays: its name, its scalars, and its missing value."""

    _numpy_dtype: ClassVar[Any] = np.dtype(object)
    na_value: ClassVar[Any] = np.nan

    @property
    def numpy_dtype(self) -> Any:
        """NumPy's dtype of the elements, object where it has none of its own."""
        return self._numpy_dtype

    @classmethod
    def construct_from_string(cls, string: str) -> Self:
        """Return the type of a name such as ``ak_int64``, ``ak.int64``, ``akint64`` or ``arkouda.int64``.

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
        if found is None or not issubclass(found, cls):
            raise ArgumentTypeError(
                f"Cannot construct a '{cls.__name__}' from '{string}'",
                hint="names of lazy types begin with ak_: ak_int64, ak_float64, ak_bool, ak_string.",
            )
        made: Self = found()
        return made

    @property
    def itemsize(self) -> int:
        """Bytes of an element, of a reference where they differ."""
        return int(self._numpy_dtype.itemsize)

    @classmethod
    def construct_array_type(cls) -> Any:
        """Return the class of arrays that hold elements of this type."""
        from akdask.extension.base import class_for

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
        if "ak_bigint" in names:
            return ArkoudaFloat64Dtype() if "f" in kinds else ArkoudaBigintDtype()
        # pandas asks for types alone, whatever values are there: its own Int64 beside UInt64 is Float64 too.
        found = np.result_type(*(getattr(dtype, "numpy_dtype", dtype) for dtype in dtypes))
        return extension_dtype(found if found == np.uint8 else np.result_type(found, WIDEST[found.kind]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class NumberDtype(ArkoudaBaseDtype):
    """A type of numbers."""

    _is_numeric = True


@register_extension_dtype
class ArkoudaInt64Dtype(NumberDtype):
    """Integers of 64 bits; they become floats where pandas makes some missing."""

    name, kind, type, _numpy_dtype = "ak_int64", "i", np.int64, np.dtype(np.int64)


@register_extension_dtype
class ArkoudaUint64Dtype(NumberDtype):
    """Unsigned integers of 64 bits; they become floats where pandas makes some missing."""

    name, kind, type, _numpy_dtype = "ak_uint64", "u", np.uint64, np.dtype(np.uint64)


@register_extension_dtype
class ArkoudaUint8Dtype(NumberDtype):
    """Unsigned integers of 8 bits; they become floats where pandas makes some missing."""

    name, kind, type, _numpy_dtype = "ak_uint8", "u", np.uint8, np.dtype(np.uint8)


@register_extension_dtype
class ArkoudaFloat64Dtype(NumberDtype):
    """Floats of 64 bits; NaN is missing."""

    name, kind, type, _numpy_dtype = "ak_float64", "f", np.float64, np.dtype(np.float64)


@register_extension_dtype
class ArkoudaBoolDtype(NumberDtype):
    """Truth values; they become floats where pandas makes some missing."""

    name, kind, type, _numpy_dtype = "ak_bool", "b", np.bool_, np.dtype(np.bool_)
    _is_boolean = True


@register_extension_dtype
class ArkoudaBigintDtype(NumberDtype):
    """Integers of any size."""

    name, kind, type = "ak_bigint", "O", int


@register_extension_dtype
class ArkoudaStringDtype(ArkoudaBaseDtype):
    """Text; missing text is NaN."""

    name, kind, type = "ak_string", "O", str


@register_extension_dtype
class ArkoudaCategoricalDtype(ArkoudaBaseDtype):
    """Text of few distinct values."""

    name, kind, type = "ak_category", "O", str


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
        from akdask.extension.base import class_for

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

_BY_NAME = {cls.name.removeprefix("ak_"): cls for cls in CONCRETE}


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
    ArkoudaBoolDtype('ak_bool')
    """
    if dtype == bigint:
        return ArkoudaBigintDtype()
    found = next((cls for cls in CONCRETE if cls._numpy_dtype == dtype and cls.type is not str), None)
    if found is None or found._numpy_dtype == np.dtype(object):
        raise ArgumentTypeError(f"pandas has no lazy type for {dtype}.")
    return found()
