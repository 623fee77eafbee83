"""Every error that akdask raises on purpose.

::

    AkdaskError
    ├── ArgumentError          ValueError            a value that no call accepts
    │   ├── AxisError              IndexError            a dimension that the array does not have
    │   ├── ConversionError        RuntimeError          text that is no number
    │   ├── TimeOverflowError      OverflowError         a time that its unit does not hold
    │   └── ZeroDivisorError       ZeroDivisionError     a step or divisor of 0
    ├── ArgumentTypeError      TypeError             an object of the wrong kind
    │   ├── UnfitArgumentError              ValueError            an object that Arkouda, or pandas, refuses as a value
    │   │   └── CallError              RuntimeError          arguments that do not go together
    │   └── ComparisonError        NotImplementedError   objects that have no order, and are never equal
    ├── MissingAttributeError  AttributeError        a method or column that the object does not have
    ├── PositionError          IndexError            a row that is not there
    ├── MissingLabelError      KeyError              a label that no row has
    ├── AlignmentError         ValueError            columns that do not share rows
    │   └── MaskLabelsError        pandas.errors.IndexingError   a mask without some labels; in akdask.pandas_errors
    ├── NonUniqueError         ValueError            keys that come twice where each must be there once
    ├── RegistrationError      RuntimeError          a name that is taken, or that no object has
    ├── UnsupportedError       NotImplementedError   known to Arkouda, not to akdask
    │   └── RefusedMethodError     TypeError             a method that lazy arrays in pandas do not have
    ├── NotCompiledError       ImportError           loops that were not compiled, or for another Python
    ├── TransferError          RuntimeError          more than may be brought into this process
    ├── UnreachableWorkerError ConnectionError       a worker of a cluster that another cannot reach
    ├── ClosedSchedulerError   ConnectionError       a scheduler that has closed since `connect` chose it
    ├── VersionError           ImportError           workers without akdask, or with another version
    ├── SchemaError            ValueError            types or names that do not fit together
    │   ├── ColumnKindError        TypeError             columns of one name whose kinds do not go together
    │   └── MissingColumnError     KeyError              a column that the DataFrame does not have
    └── FileError              RuntimeError          anything about files; Arkouda raises RuntimeError for all of them
        ├── MissingFileError        FileNotFoundError, ValueError
        ├── MissingDatasetError     KeyError, ValueError
        ├── FileFormatError         ValueError       not HDF5, truncated, damaged
        ├── ObjTypeError            TypeError        an object kind that the schema does not have
        ├── InconsistentFilesError  ValueError       files of one set that disagree
        ├── ExistsError             FileExistsError  a name that is already taken
        └── WriteError              OSError          disk full, folder read-only

A message names the request, the finding and its place, and a remedy.  The parts are kept as attributes, so that
programs need not parse text.  They survive pickling, since errors cross from workers to the client.

Tracebacks end at the line of the user, as the frames below it are for developers.  They are cut off where an error
leaves akdask, in functions and methods that users call: scripts, notebooks, pytest and logs show the same, and no hook
of the interpreter is changed.  Functions of users that akdask has called keep their frames, and errors that it does not
expect keep all.  So do all with the setting ``full_tracebacks``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from types import FrameType, FunctionType, TracebackType
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

MAX_DETAILS = 10


class AkdaskError(Exception):
    """Base of all errors of akdask.

    Parameters
    ----------
    message : str
        The request, and the reason why it fails.
    details : iterable of str
        Findings with their place, one line for each file, dataset, partition or operand.
    hint : str, optional
        A remedy.

    Examples
    --------
    >>> print(AkdaskError("cannot do it.", details=["file a", "file b"], hint="try c."))
    cannot do it.
      file a
      file b
    Hint: try c.
    """

    def __init__(self, message: str, *, details: Iterable[str] = (), hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)
        self.hint = hint

    def __str__(self) -> str:
        lines = [self.message, *(f"  {line}" for line in self.details[:MAX_DETAILS])]
        if len(self.details) > MAX_DETAILS:
            lines.append(f"  … and {len(self.details) - MAX_DETAILS} more")
        if self.hint:
            lines.append(f"Hint: {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.details, self.hint)


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called akdask, however many of its own functions lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _rebuild(cls: type[AkdaskError], message: str, details: tuple[str, ...], hint: str | None) -> AkdaskError:
    return cls(message, details=details, hint=hint)


class ArgumentError(AkdaskError, ValueError):
    """A value that the call does not accept."""


class AxisError(ArgumentError, IndexError):
    """The array has no such dimension."""


class ConversionError(ArgumentError, RuntimeError):
    """Text that is to become numbers is none."""


class TimeOverflowError(ArgumentError, OverflowError):
    """A time or span is beyond what 64 bits of its unit hold."""


class ZeroDivisorError(ArgumentError, ZeroDivisionError):
    """A step or a divisor is 0."""


class ArgumentTypeError(AkdaskError, TypeError):
    """An argument of a kind that the call does not accept."""


class UnfitArgumentError(ArgumentTypeError, ArgumentError):
    """An object of a kind that some libraries refuse by TypeError, others by ValueError."""


class CallError(UnfitArgumentError, RuntimeError):
    """Arguments that do not go together, or are too many."""


class MissingAttributeError(AkdaskError, AttributeError):
    """The object has no attribute of that name.

    `hint` may be a function that finds the remedy, which is called where the remedy is read: `hasattr` reads none.
    """

    def __init__(
        self, message: str, *, details: Iterable[str] = (), hint: str | Callable[[], str | None] | None = None
    ) -> None:
        super().__init__(message, details=details)
        self._hint = hint

    @property
    def hint(self) -> str | None:
        """A remedy."""
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        self._hint = hint


class PositionError(AkdaskError, IndexError):
    """A row position outside the array."""


class KeyTypeError(PositionError, ArgumentTypeError):
    """Elements chosen by what is no position."""


class MissingLabelError(AkdaskError, KeyError):
    """No row has the label of a lookup."""


class LabelTypeError(MissingLabelError, ArgumentTypeError):
    """Labels are of another kind than the label of a lookup."""


class AlignmentError(AkdaskError, ValueError):
    """Columns that do not share rows were combined."""


class NonUniqueError(AkdaskError, ValueError):
    """Keys that must differ come twice."""


class RegistrationError(AkdaskError, RuntimeError):
    """A name of the registry that is taken, or that no object has."""


class UnsupportedError(AkdaskError, NotImplementedError):
    """Something that Arkouda can do and akdask cannot."""


class MixedKeysError(PositionError, UnsupportedError):
    """Elements chosen by positions and truth values at once."""


class ComparisonError(UnsupportedError, ArgumentTypeError):
    """Objects of kinds that do not compare."""


class RefusedMethodError(UnsupportedError, TypeError):
    """A method of pandas' arrays that lazy arrays do not have."""


class NotCompiledError(AkdaskError, ImportError):
    """The loops of the package were not compiled, or for another Python."""


class TransferError(AkdaskError, RuntimeError):
    """A result larger than the limit of bytes that a conversion may bring into this process."""


class UnreachableWorkerError(AkdaskError, ConnectionError):
    """A worker cannot reach another one, which holds rows that it needs."""


class ClosedSchedulerError(AkdaskError, ConnectionError):
    """The scheduler that `connect` chose has closed, or has not been heard of for long."""


class VersionError(AkdaskError, ImportError):
    """Workers of a cluster have no akdask, or another version than this process."""


class SchemaError(AkdaskError, ValueError):
    """Names or types that do not fit together."""


class ColumnKindError(SchemaError, UnfitArgumentError):
    """Columns of one name are of kinds that do not go together."""


class MissingColumnError(SchemaError, KeyError):
    """The DataFrame has no column of that name."""


class FileError(AkdaskError, RuntimeError):
    """A file could not be read or written."""


class MissingFileError(FileError, FileNotFoundError, ValueError):
    """No file at the path, or none that matches the pattern."""


class MissingDatasetError(FileError, KeyError, ValueError):
    """The files have no object of that name."""


class FileFormatError(FileError, ValueError):
    """The file is not of the expected format, or damaged."""


class ObjTypeError(FileError, TypeError):
    """An object kind that the schema does not know or the call cannot take."""


class InconsistentFilesError(FileError, ValueError):
    """The files of one set disagree about an object."""


class ExistsError(FileError, FileExistsError):
    """The name to be written exists already."""


class WriteError(FileError, OSError):
    """Writing failed; existing files are untouched."""


# tracebacks


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INNER = _words(
    """akdask asyncio cloudpickle concurrent contextlib copyreg dask distributed duckdb fsspec functools h5py importlib
    numcodecs numexpr numpy pandas pickle pyarrow scipy threading toolz tornado xxhash"""
)
"""Packages whose frames are cut off: akdask, and what it runs on."""

DUNDERS = frozenset(
    f"__{name}__"
    for name in _words(
        """init call getitem setitem delitem contains getattr bool int float index len iter array array_ufunc
        array_function eq ne lt le gt ge neg pos abs invert round matmul rmatmul imatmul divmod rdivmod"""
    )
) | frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in _words("add sub mul truediv floordiv mod pow and or xor lshift rshift")
)
"""Methods that users call by operators, brackets and functions of Python."""

_APART = frozenset({"_getframe", "currentframe", "end_at_caller"})


def end_at_caller(error: BaseException) -> None:
    """Cut the frames of akdask off the traceback of an error; ``raise`` alone has to raise it again."""
    from akdask import config

    is_expected = isinstance(error, AkdaskError) or _is_refused_call(error) or _is_of_users(error.__traceback__)
    if config.get("full_tracebacks") or not is_expected:
        return
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        found.__traceback__ = _of_users(found.__traceback__)
        reason = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
        if reason is not None and _is_inner(reason):
            # The message has told the reason, which stays the context.
            found.__context__, found.__cause__ = reason, None
            break
        found = reason


def _is_refused_call(error: BaseException) -> bool:
    """Whether Python refused the arguments of the function that was called, none of whose lines has run."""
    trace = error.__traceback__
    return isinstance(error, TypeError) and trace is not None and trace.tb_next is None


def _is_inner(error: BaseException) -> bool:
    """Whether neither an error nor the errors that led to it come from functions of users."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        if _of_users(found.__traceback__) is not None:
            return False
        seen.add(id(found))
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    return True


def _is_of_users(trace: TracebackType | None) -> bool:
    """Whether the line that raised an error is of a function of users."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and _package(trace) not in INNER


def _package(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]


def _of_users(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of inner packages."""
    frames = []
    while trace is not None:
        if _package(trace) not in INNER:
            frames.append(trace)
        trace = trace.tb_next
    for entry in reversed(frames):
        trace = TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return trace


def traced_to_caller(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose errors end at the line that calls it.

    A function that looks at the variables of its caller stays as it is, since a wrapper would be its caller.  So does
    one that calls `end_at_caller` itself.
    """
    if not isinstance(function, FunctionType) or _APART & {*function.__code__.co_names}:
        return function

    own = cast("Callable[P, T]", function)

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        try:
            return own(*args, **options)
        except Exception as error:
            # A bare `raise` adds no frame of this function to a traceback that is cut off.
            end_at_caller(error)
            raise

    return cast("Callable[P, T]", call)


def caller_above(depth: int) -> FrameType:
    """Return a frame that is so many calls above the function that asks, not counting those of `traced_to_caller`."""
    frame = sys._getframe(1)
    while depth:
        if frame.f_back is None:
            break
        frame = frame.f_back
        depth -= frame.f_globals is not globals()
    return frame


C = TypeVar("C", bound=type)


def errors_end_at_caller(kind: C) -> C:
    """Have errors of the methods of a class that users call end at their lines; decorates classes."""
    foreign = [base for base in kind.__mro__[1:] if base.__module__.partition(".")[0] not in ("akdask", "builtins")]
    inherited = {name: member for base in foreign for name, member in vars(base).items() if name in DUNDERS}
    own = {name for base in kind.__mro__ if base not in foreign and base is not object for name in vars(base)}
    members = {name: member for name, member in inherited.items() if name not in own} | dict(vars(kind))
    for name, member in members.items():
        if name in DUNDERS or not name.startswith("_"):
            if isinstance(member, FunctionType):
                setattr(kind, name, traced_to_caller(member))
            elif isinstance(member, classmethod | staticmethod):
                setattr(kind, name, type(member)(traced_to_caller(member.__func__)))
    return kind
