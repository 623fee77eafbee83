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
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

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
    """The object has no attribute of that name."""


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
