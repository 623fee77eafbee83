"""Types and other names of NumPy that Arkouda exports unchanged."""

from __future__ import annotations

import builtins
import sys
from enum import Enum
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy import (
    False_,
    ScalarType,
    True_,
    base_repr,
    binary_repr,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    complex64,
    complex128,
    csingle,
    datetime64,
    double,
    finfo,
    flexible,
    float16,
    float32,
    floating,
    format_float_positional,
    format_float_scientific,
    half,
    iinfo,
    inexact,
    int8,
    int16,
    int32,
    int_,
    intc,
    integer,
    intp,
    isscalar,
    issubdtype,
    longdouble,
    longlong,
    number,
    object_,
    promote_types,
    sctypeDict,
    short,
    signedinteger,
    single,
    timedelta64,
    typename,
    ubyte,
    uint,
    uint16,
    uint32,
    uintc,
    uintp,
    ulonglong,
    unsignedinteger,
    ushort,
    void,
)
from numpy.dtypes import (
    BoolDType,
    ByteDType,
    BytesDType,
    CLongDoubleDType,
    Complex64DType,
    Complex128DType,
    DateTime64DType,
    Float16DType,
    Float32DType,
    Float64DType,
    Int8DType,
    Int16DType,
    Int32DType,
    Int64DType,
    IntDType,
    LongDoubleDType,
    LongDType,
    LongLongDType,
    ObjectDType,
    ShortDType,
    StrDType,
    TimeDelta64DType,
    UByteDType,
    UInt8DType,
    UInt16DType,
    UInt32DType,
    UInt64DType,
    UIntDType,
    ULongDType,
    ULongLongDType,
    UShortDType,
    VoidDType,
)
from numpy.exceptions import RankWarning, TooHardError
from numpy.lib import add_docstring, add_newdoc
from numpy.rec import format_parser

from akdask.columns.dtypes import BigintDtype, bigint, bigint_, dtype
from akdask.errors import ArgumentError, ArgumentTypeError

__all__ = [
    "ARKOUDA_SUPPORTED_DTYPES",
    "ARKOUDA_SUPPORTED_INTS",
    "NUMBER_FORMAT_STRINGS",
    "BoolDType",
    "ByteDType",
    "BytesDType",
    "CLongDoubleDType",
    "Complex64DType",
    "Complex128DType",
    "DType",
    "DTypeObjects",
    "DTypes",
    "DateTime64DType",
    "False_",
    "Float16DType",
    "Float32DType",
    "Float64DType",
    "Int8DType",
    "Int16DType",
    "Int32DType",
    "Int64DType",
    "IntDType",
    "LongDType",
    "LongDoubleDType",
    "LongLongDType",
    "NumericDTypes",
    "ObjectDType",
    "RankWarning",
    "ScalarDTypes",
    "ScalarType",
    "SeriesDTypes",
    "ShortDType",
    "StrDType",
    "TimeDelta64DType",
    "TooHardError",
    "True_",
    "UByteDType",
    "UInt8DType",
    "UInt16DType",
    "UInt32DType",
    "UInt64DType",
    "UIntDType",
    "ULongDType",
    "ULongLongDType",
    "UShortDType",
    "VoidDType",
    "add_docstring",
    "add_newdoc",
    "all_scalars",
    "base_repr",
    "binary_repr",
    "bitType",
    "bool_scalars",
    "byte",
    "bytes_",
    "cdouble",
    "character",
    "clongdouble",
    "complex64",
    "complex128",
    "csingle",
    "datetime64",
    "double",
    "finfo",
    "flexible",
    "float16",
    "float32",
    "float_scalars",
    "floating",
    "format_float_positional",
    "format_float_scientific",
    "format_parser",
    "get_byteorder",
    "get_server_byteorder",
    "half",
    "iinfo",
    "inexact",
    "int8",
    "int16",
    "int32",
    "intTypes",
    "int_",
    "int_scalars",
    "intc",
    "integer",
    "intp",
    "is_supported_bool",
    "is_supported_dtype",
    "is_supported_float",
    "is_supported_int",
    "is_supported_number",
    "isscalar",
    "issubdtype",
    "longdouble",
    "longlong",
    "number",
    "numeric_and_bool_scalars",
    "numeric_scalars",
    "numpy_scalars",
    "object_",
    "promote_types",
    "resolve_scalar_dtype",
    "sctypeDict",
    "short",
    "signedinteger",
    "single",
    "str_scalars",
    "timedelta64",
    "typename",
    "ubyte",
    "uint",
    "uint16",
    "uint32",
    "uintc",
    "uintp",
    "ulonglong",
    "unsignedinteger",
    "ushort",
    "void",
]


# fmt: off
# isort: off


bool_scalars = builtins.bool | np.bool_
float_scalars = float | np.float64 | np.float32
int_scalars = int | np.int8 | np.int16 | np.int32 | np.int64 | np.uint8 | np.uint16 | np.uint32 | np.uint64
numeric_scalars = float_scalars | int_scalars
numeric_and_bool_scalars = bool_scalars | numeric_scalars
str_scalars = str | np.str_
# fmt: off
numpy_scalars = (
    np.float64 | np.float32 | np.int8 | np.int16 | np.int32 | np.int64 | np.bool_ | np.str_
    | np.uint8 | np.uint16 | np.uint32 | np.uint64
)
# fmt: on
all_scalars = bool_scalars | numeric_scalars | numpy_scalars | str_scalars


class DType(Enum):
    """Names of the types that Arkouda knows; some are no array types."""

    FLOAT = "float"
    FLOAT64 = "float64"
    FLOAT32 = "float32"
    COMPLEX64 = "complex64"
    COMPLEX128 = "complex128"
    INT = "int"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    UINT = "uint"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    BOOL = "bool"
    BIGINT = "bigint"
    STR = "str"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return self.value


DTypes = frozenset(member.value for member in DType)
DTypeObjects = frozenset([np.bool_, float, np.float64, int, np.int64, str, np.str_, np.uint8, np.uint64])
NumericDTypes = frozenset(["bool_", "bool", "float", "float64", "int", "int64", "uint64", "bigint"])
ScalarDTypes = frozenset(["bool_", "float64", "int64"])
SeriesDTypes: dict[str, Any] = {
    "string": np.str_,
    "<class 'str'>": np.str_,
    "int64": np.int64,
    "uint64": np.uint64,
    "<class 'numpy.int64'>": np.int64,
    "float64": np.float64,
    "<class 'numpy.float64'>": np.float64,
    "bool": np.bool_,
    "<class 'bool'>": np.bool_,
    "datetime64[ns]": np.int64,
    "timedelta64[ns]": np.int64,
}
NUMBER_FORMAT_STRINGS = {
    "bool": "{}",
    "int64": "{:d}",
    "float64": "{:.17f}",
    "uint8": "{:d}",
    "np.float64": "{f}",
    "uint64": "{:d}",
    "bigint": "{:d}",
}
intTypes = frozenset(map(dtype, ("int64", "uint64", "uint8")))
bitType = np.uint64

ARKOUDA_SUPPORTED_BOOLS = (builtins.bool, np.bool_)
ARKOUDA_SUPPORTED_FLOATS = (float, np.float64, np.float32)
ARKOUDA_SUPPORTED_INTS = (*int_scalars.__args__, BigintDtype, bigint_)
ARKOUDA_SUPPORTED_NUMBERS = (*ARKOUDA_SUPPORTED_FLOATS, *ARKOUDA_SUPPORTED_INTS)
ARKOUDA_SUPPORTED_DTYPES = (np.bool_, float, np.float64, int, np.int64, np.uint64, np.uint8, BigintDtype, str)


def is_supported_int(num: object) -> TypeGuard[int_scalars]:
    """Whether a value is an integer for Arkouda; True and False are, as in Python.

    Examples
    --------
    >>> is_supported_int(79), is_supported_int(54.9)
    (True, False)
    """
    return isinstance(num, ARKOUDA_SUPPORTED_INTS)


def is_supported_float(num: object) -> TypeGuard[float_scalars]:
    """Whether a value is a float for Arkouda.

    Examples
    --------
    >>> is_supported_float(56), is_supported_float(56.7)
    (False, True)
    """
    return isinstance(num, ARKOUDA_SUPPORTED_FLOATS)


def is_supported_number(num: object) -> TypeGuard[numeric_scalars]:
    """Whether a value is an integer or a float for Arkouda.

    Examples
    --------
    >>> is_supported_number(45.9), is_supported_number("45.9")
    (True, False)
    """
    return isinstance(num, ARKOUDA_SUPPORTED_NUMBERS)


def is_supported_bool(num: object) -> TypeGuard[bool_scalars]:
    """Whether a value is a bool.

    Examples
    --------
    >>> is_supported_bool("True"), is_supported_bool(True)
    (False, True)
    """
    return isinstance(num, ARKOUDA_SUPPORTED_BOOLS)


def is_supported_dtype(scalar: object) -> builtins.bool:
    """Whether a value has a type that arrays can have.

    Examples
    --------
    >>> is_supported_dtype(np.int64(64)), is_supported_dtype(np.complex128(1 + 2j))
    (True, False)
    """
    return isinstance(scalar, ARKOUDA_SUPPORTED_DTYPES)


# Their names before Arkouda 2025.
isSupportedInt = is_supported_int
isSupportedFloat = is_supported_float
isSupportedNumber = is_supported_number
isSupportedBool = is_supported_bool
isSupportedDType = is_supported_dtype


def resolve_scalar_dtype(val: object) -> str:
    """Return the name of the type that a single value has in an array, or that of its class if it can have none.

    Examples
    --------
    >>> resolve_scalar_dtype(1), resolve_scalar_dtype(2**63), resolve_scalar_dtype(2**64), resolve_scalar_dtype(None)
    ('int64', 'uint64', 'bigint', "<class 'NoneType'>")
    """
    kind = getattr(getattr(val, "dtype", None), "kind", "")
    if isinstance(val, builtins.bool) or kind == "b":
        return "bool"
    if isinstance(val, int) or (kind and kind in "ui"):
        number: Any = val
        if number >= 2**64:
            return "bigint"
        return "uint64" if isinstance(val, np.uint64) or number >= 2**63 else "int64"
    if isinstance(val, float | complex) or (kind and kind in "fc"):
        return "float64"
    if isinstance(val, str):
        return "str"
    return str(getattr(val, "dtype", None) or type(val))


def get_byteorder(dt: np.dtype[Any]) -> str:
    """Return the order of bytes of a NumPy dtype: ``<`` or ``>``, ``|`` where there is none.

    Examples
    --------
    >>> get_byteorder(np.dtype(">i8"))
    '>'
    """
    return {"=": {"little": "<", "big": ">"}[sys.byteorder]}.get(dt.byteorder, dt.byteorder)


def get_server_byteorder() -> str:
    """Return the order of bytes in which is computed: that of this machine, as there is no server.

    Examples
    --------
    >>> ak.get_server_byteorder()
    'little'
    """
    return sys.byteorder


_CHAPEL = {
    "real": "float64",
    "complex": "complex128",
    "int": "int64",
    "uint": "uint64",
    "bool": "bool",
    "string": "str",
}


def dtype_for_chapel(type_name: str) -> Any:
    """Return the dtype of a type of Chapel's, such as ``"int(32)"``.

    Raises
    ------
    ArgumentTypeError
        If there is none.

    Examples
    --------
    >>> dtype_for_chapel("real(32)"), dtype_for_chapel("uint")
    (dtype('float32'), dtype('uint64'))
    """
    kind, _, bits = type_name.removesuffix(")").partition("(")
    name = _CHAPEL.get(kind) if not bits else f"{_CHAPEL.get(kind, '').rstrip('0123456789')}{bits}"
    if type_name == "bigint":
        return dtype(type_name)
    try:
        return np.dtype(name or "no type")
    except TypeError:
        raise ArgumentTypeError(f"there is no dtype for the type {type_name!r} of Chapel.") from None


def is_string_dtype_hint(x: object) -> builtins.bool:
    """Whether an argument that names a dtype names that of strings.

    Examples
    --------
    >>> is_string_dtype_hint("str"), is_string_dtype_hint(np.str_), is_string_dtype_hint("int64")
    (True, True, False)
    """
    if isinstance(x, str):
        return x.lower() in {"str", "str_", "string", "strings"}
    return (
        x is str
        or x is np.str_
        or (isinstance(x, np.dtype) and x.kind == "U")
        or getattr(x, "__name__", "") == "Strings"
    )


def check_casting(casting: str) -> None:
    """Refuse a rule of casting that NumPy does not have.

    Raises
    ------
    ArgumentError
        If there is no such rule.
    """
    rules = ("no", "equiv", "safe", "same_kind", "unsafe")
    if casting not in rules:
        raise ArgumentError(f"there is no casting rule {casting!r}.", details=[f"rules: {', '.join(rules)}"])


def _dtype_of(item: Any) -> np.dtype[Any] | BigintDtype:
    """Return the dtype of an array, a single value, a type or a name."""
    if isinstance(item, bigint_):
        return bigint
    if isinstance(item, bool | np.bool_):
        return np.dtype(bool)
    return dtype(item)


def can_cast(
    from_dt: Any, to_dt: Any, casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"] | None = "safe"
) -> bool:
    """Whether values of one type can be cast to another.

    Parameters
    ----------
    from_dt, to_dt : dtype-like, array or number
        The types.  A single integer is tested for whether it fits.
    casting : {"safe", "no", "equiv", "same_kind", "unsafe"}
        The rule, by NumPy's names.

    Raises
    ------
    ArgumentError
        If there is no such rule.
    ArgumentTypeError
        If one of the two is no type.

    Notes
    -----
    Follows ``arkouda.can_cast``: integers fit into ``ak.bigint``, which can become floats but no narrower integers.

    Examples
    --------
    >>> can_cast("int64", "float64"), can_cast("bigint", "int64"), can_cast(300, "uint8"), can_cast(200, "uint8")
    (True, False, False, True)
    """
    rule = "safe" if casting is None else casting
    check_casting(rule)
    source, target = _dtype_of(from_dt), _dtype_of(to_dt)
    if isinstance(target, BigintDtype):
        return isinstance(source, BigintDtype) or source.kind in "iu"
    if isinstance(source, BigintDtype):
        return target.kind in "fO"
    is_integer = isinstance(from_dt, int) and not isinstance(from_dt, bool)
    if is_integer and rule == "safe" and target.kind in "iu":
        bounds = np.iinfo(target)
        return bool(bounds.min <= from_dt <= bounds.max)
    return np.can_cast(source, target, casting=rule)


def result_type(*args: Any) -> np.dtype[Any] | BigintDtype:
    """Return the dtype that values of some types have together.

    Parameters
    ----------
    *args : dtype-like, array or number
        The types.

    Raises
    ------
    ArgumentTypeError
        If one of them is no type.

    Notes
    -----
    Follows ``arkouda.result_type``: with ``ak.bigint`` the result is that, or float64 if there are floats; a single
    non-negative integer fits unsigned types.

    Examples
    --------
    >>> result_type("int64", "uint64"), result_type(2**100, 5), result_type("bigint", 1.5)
    (dtype('float64'), dtype(bigint), dtype('float64'))
    """
    found = [_dtype_of(item) for item in args]
    plain = [item for item in found if isinstance(item, np.dtype)]
    if len(plain) < len(found):
        return np.dtype(np.float64) if any(item.kind in "fc" for item in plain) else bigint
    unsigned = [item for item in plain if item.kind == "u"]
    is_natural = any(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in args)
    if unsigned and is_natural and all(item.kind in "iu" for item in plain):
        return max(unsigned, key=lambda item: item.itemsize)
    return np.result_type(*plain)
