"""Functions of Arkouda's modules that scripts seldom call: reductions by name, operators, files and folders."""

from __future__ import annotations

import math
import operator
import shutil
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from akdask.arkouda.server import Refused
from akdask.arrays.bit_vectors import bit_vectorizer
from akdask.arrays.creation import broadcast
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import in1d
from akdask.arrays.shapes import broadcast_shapes, broadcast_to
from akdask.arrays.timearray import TimeArray
from akdask.errors import ArgumentError, ArgumentTypeError, warn
from akdask.frames.indexing import ILocIndexer, LocIndexer

SUPPORTED_REDUCTION_OPS = ["any", "all", "isSorted", "isSortedLocally", "max", "min", "sum", "prod", "mean"]
"""The reductions of arrays that Arkouda knows by name."""

SUPPORTED_INDEX_REDUCTION_OPS = ["argmin", "argmax"]
"""Those that give a position."""

SUPPORTED_STATS_REDUCTION_OPS = ["var", "std"]
"""Those that take degrees of freedom."""

SEG_SUFFIX, VAL_SUFFIX, LEN_SUFFIX = "_segments", "_values", "_lengths"
"""Suffixes that Arkouda appends to the name of a SegArray to name its parts."""

ARKOUDA_HDF5_FILE_METADATA_GROUP = "_arkouda_metadata"
"""The group of an HDF5 file that has Arkouda's own attributes."""

_AbstractBaseTime = TimeArray
_LocIndexer = LocIndexer
_iLocIndexer = ILocIndexer
BitVectorizer = bit_vectorizer
broadcast_to_shape = broadcast_to

Cls = TypeVar("Cls", bound=type)


class GroupByReductionType(Enum):
    """The reductions of groups that Arkouda knows by name."""

    SUM = "sum"
    COUNT = "count"
    PROD = "prod"
    VAR = "var"
    STD = "std"
    MEAN = "mean"
    MEDIAN = "median"
    MIN = "min"
    MAX = "max"
    ARGMIN = "argmin"
    ARGMAX = "argmax"
    NUNUNIQUE = "nunique"
    ANY = "any"
    ALL = "all"
    OR = "or"
    AND = "and"
    XOR = "xor"
    FIRST = "first"
    MODE = "mode"
    UNIQUE = "unique"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return self.value


create_pdarray = Refused("create_pdarray")
create_pdarrays = Refused("create_pdarrays")
parse_single_value = Refused("parse_single_value")


def in1dmulti(a: Sequence[Any], b: Sequence[Any], assume_unique: bool = False, symmetric: bool = False) -> Any:
    """Return which rows of several arrays are among the rows of others; `akdask.in1d` takes them too; lazy.

    Parameters
    ----------
    a, b : sequence of arrays
        The rows, and where to look.
    assume_unique, symmetric : bool
        As in `akdask.in1d`.
    """
    return in1d(a, b, assume_unique, symmetric)


def multiarray_setop_validation(pda1: Sequence[Any], pda2: Sequence[Any]) -> None:
    """Refuse two sequences of arrays whose rows cannot be compared.

    Parameters
    ----------
    pda1, pda2 : sequence of arrays
        The rows.

    Raises
    ------
    ArgumentError
        If the two have not as many arrays, arrays of one sequence differ in size, or two arrays differ in their class.
    """
    if len(pda1) != len(pda2):
        raise ArgumentError(f"rows of {len(pda1)} arrays are not compared with rows of {len(pda2)}.")
    for arrays in (pda1, pda2):
        sizes = {array.size for array in arrays}
        if len(sizes) > 1:
            raise ArgumentError(f"the arrays of rows are of one size, not of {', '.join(map(str, sorted(sizes)))}.")
    kinds = [(type(first).__name__, type(second).__name__) for first, second in zip(pda1, pda2, strict=True)]
    wrong = [f"{first} and {second}" for first, second in kinds if first != second]
    if wrong:
        raise ArgumentError("arrays of different classes are not compared.", details=wrong)


def _infer_shape_from_size(size: Any) -> tuple[Any, int, int]:
    """Return a size or shape as it is, the number of dimensions, and the number of elements.

    Examples
    --------
    >>> _infer_shape_from_size(5), _infer_shape_from_size((3, 4))
    ((5, 1, 5), ((3, 4), 2, 12))
    """
    return (size, len(size), math.prod(size)) if isinstance(size, tuple) else (size, 1, size)


def _generate_test_shape(rank: int, size: int) -> tuple[tuple[int, ...], int]:
    """Return a shape of some dimensions of 2, and a last one that makes about so many elements, and how many these are.

    Examples
    --------
    >>> _generate_test_shape(3, 16), _generate_test_shape(1, 5)
    (((2, 2, 4), 16), ((5,), 5))
    """
    shape = (*[2] * (rank - 1), max(2, size // 2 ** (rank - 1)))
    return shape, math.prod(shape)


def is_locally_sorted(pda: Any) -> Any:
    """Return whether the elements of each partition ascend, which are all where an Arkouda server has one locale.

    Raises
    ------
    ArgumentTypeError
        If it is no pdarray.
    """
    if not isinstance(pda, pdarray):
        raise ArgumentTypeError(f"is_locally_sorted takes a pdarray, not {type(pda).__name__}.")
    return pda.is_sorted()


def _datatype_check(the_dtype: Any, allowed_list: Sequence[Any], name: str) -> None:
    """Refuse a dtype that is not in a list, for a function of some name.

    Raises
    ------
    ArgumentTypeError
        If it is not.
    """
    if the_dtype not in allowed_list:
        raise ArgumentTypeError(f"{name} only implements types {list(allowed_list)}")


def broadcast_if_needed(x1: Any, x2: Any) -> tuple[Any, Any, bool, bool]:
    """Return two arrays with the shape that theirs have in common, and whether each had another; lazy.

    Parameters
    ----------
    x1, x2 : pdarray
        The arrays.

    Raises
    ------
    ValueError
        If their shapes do not broadcast.
    """
    shape = broadcast_shapes(x1.shape, x2.shape)
    is_other, are_other = x1.shape != shape, x2.shape != shape
    first, second = (broadcast_to(x1, shape) if is_other else x1), (broadcast_to(x2, shape) if are_other else x2)
    return first, second, is_other, are_other


def apply_if_callable(maybe_callable: Any, obj: Any, **kwargs: Any) -> Any:
    """Return the result of a function for an object; an argument that is not callable is returned itself.

    Parameters
    ----------
    maybe_callable : object
        The function.
    obj : object
        Its first argument.
    **kwargs
        Its other arguments.
    """
    return maybe_callable(obj, **kwargs) if callable(maybe_callable) else maybe_callable


# fmt: off
_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift",
           "eq", "ne", "lt", "le", "gt", "ge")
# fmt: on


def natural_binary_operators(cls: Cls) -> Cls:
    """Give a class Python's operators of two operands; its ``_make_binop`` makes them of functions of `operator`.

    Parameters
    ----------
    cls : type
        The class, which is returned.
    """
    return _with_operators(cls, _BINARY, "_make_binop")


def unary_operators(cls: Cls) -> Cls:
    """Give a class Python's operators of one operand; its ``_make_unaryop`` makes them of functions of `operator`.

    Parameters
    ----------
    cls : type
        The class, which is returned.
    """
    return _with_operators(cls, ("invert", "neg"), "_make_unaryop")


def _with_operators(cls: Cls, names: Sequence[str], maker: str) -> Cls:
    for name in names:
        setattr(cls, f"__{name.rstrip('_')}__", getattr(cls, maker)(getattr(operator, name)))
    return cls


def expand(size: int, segs: Any, vals: Any) -> Any:
    """Spread one value per segment over its rows; `akdask.broadcast` takes its arguments in another order; lazy.

    Parameters
    ----------
    size : int
        Number of rows.
    segs : pdarray of int
        Where each segment begins.
    vals : pdarray
        The value of each.
    """
    warn("expand(size, segs, vals) is now broadcast(segs, vals, size).", DeprecationWarning)
    return broadcast(segs, vals, size)


def most_common(g: GroupBy, values: Any) -> Any:
    """Return the keys of groups and the commonest value of each; lazy.

    Parameters
    ----------
    g : GroupBy
        The groups.
    values : array
        The values, with the rows of the keys.
    """
    warn("most_common(g, values) is now g.mode(values).", DeprecationWarning)
    return g.mode(values)


def get_directory(path: str) -> Path:
    """Return a folder, and make it if it does not exist.

    Parameters
    ----------
    path : str
        The folder.

    Raises
    ------
    ArgumentError
        If it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"there is no folder {path}, and it cannot be made.", details=[str(error)]) from error
    return Path(path)


def write_line_to_file(path: str, line: str) -> None:
    """Write a line at the end of a file; creates the file if needed.

    Parameters
    ----------
    path : str
        The file.
    line : str
        The line, without its end.
    """
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def delimited_file_to_dict(path: str, delimiter: str = ",") -> dict[str, str]:
    """Return a dict of the lines of a file; the delimiter ends the key and begins the value.

    Parameters
    ----------
    path : str
        The file; if it does not exist, the dict is empty.
    delimiter : str, default ","
        Separates key and value, once in each line.

    Raises
    ------
    ArgumentError
        If it does not.
    """
    if not Path(path).exists():
        return {}
    values: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        parts = line.rstrip().split(delimiter)
        if len(parts) != 2:
            raise ArgumentError(
                f"line {number} of {path} is no pair.",
                details=[f"{line!r:.100} has {len(parts)} parts by {delimiter!r}"],
            )
        values[parts[0]] = parts[1]
    return values


def dict_to_delimited_file(path: str, values: Mapping[Any, Any], delimiter: str = ",") -> None:
    """Write a dict to a file, one line for each item; replaces the file's contents.

    Parameters
    ----------
    path : str
        The file.
    values : mapping
        Keys and values, as text.
    delimiter : {","}
        Separates key and value.

    Raises
    ------
    ArgumentError
        If it is another one.
    """
    if delimiter != ",":
        raise ArgumentError(f"the delimiter is a comma, not {delimiter!r}.")
    lines = [f"{key}{delimiter}{value}\n" for key, value in values.items()]
    Path(path).write_text("".join(lines), encoding="utf-8")


def delete_directory(dir: str) -> None:
    """Delete a folder and its contents; a missing folder is no error, nor is one that cannot be deleted.

    Parameters
    ----------
    dir : str
        The folder.
    """
    if directory_exists(dir):
        try:
            shutil.rmtree(dir)
        except OSError as error:
            print(f"Error: {error.filename} - {error.strerror}.")


def directory_exists(dir: str) -> bool:
    """Whether there is a folder.

    Parameters
    ----------
    dir : str
        The folder.
    """
    return Path(dir).is_dir()
