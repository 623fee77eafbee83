"""Stored objects in any format: their kinds and members, and the protocols of sets of files and of writers.

The kinds and the names of members are Arkouda's data model.  Each format maps them to its own layout.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from akdask.columns.dtypes import ColumnType
from akdask.columns.table import Table
from akdask.errors import InconsistentFilesError, warn
from akdask.records import record
from akdask.storage.source import Source
from akdask.typing import Column


class ObjType(IntEnum):
    """The kind of an object, by Arkouda's numbers."""

    UNKNOWN = -1
    ARRAYVIEW = 0
    PDARRAY = 1
    STRINGS = 2
    SEGARRAY = 3
    CATEGORICAL = 4
    GROUPBY = 5
    DATAFRAME = 6
    DATETIME = 7
    TIMEDELTA = 8
    IPV4 = 9
    BITVECTOR = 10
    SERIES = 11
    INDEX = 12
    MULTIINDEX = 13

    @property
    def label(self) -> str:
        """Arkouda's name of the kind."""
        return _LABELS.get(self, self.name.capitalize())


_LABELS = {
    ObjType.ARRAYVIEW: "ArrayView",
    ObjType.PDARRAY: "pdarray",
    ObjType.SEGARRAY: "SegArray",
    ObjType.GROUPBY: "GroupBy",
    ObjType.DATAFRAME: "DataFrame",
    ObjType.IPV4: "IPv4",
    ObjType.BITVECTOR: "BitVector",
    ObjType.MULTIINDEX: "MultiIndex",
}

VALUES = "values"
"""The member of objects that are one column: numbers, strings or lists."""

SEGMENTS = "segments"
CODES = "codes"
CATEGORIES = "categories"
NA_CODES = "NA_Codes"
ORDERED = "ordered"  # no member, but a parameter of a Categorical, which some formats record
PERMUTATION = "permutation"
UNIQUE_KEY_IDX = "unique_key_idx"

KEY = "KEY_"
"""Name of the keys of a GroupBy, before their numbers."""

LEVEL = "IDX_"
"""Name of the levels of an Index, before their numbers."""

ROW_LABELS = "Index"
"""The member of a DataFrame that labels its rows."""

UNIT, ZONE = "unit", "zone"
"""Parameters of times: the unit or duration, and the zone or None."""

MAY_LACK = "may_lack"
"""Parameters of times without bounds: whether some may be NaT."""

SERVERS_DIFFER = "servers_differ"
"""Parameter of columns that an Arkouda server reads otherwise, as other programs stored them, or it alone does so.

Numbers of one byte are 64 bits wide there, and nulls of text are empty text.
"""

LIMBS = "limbs"
"""The table of an object with the number of limbs of its big integers, in all partitions."""


@record
class StoredColumn:
    """One stored column, which a plan scans."""

    source: Source
    column: str


@record
class StoredObject:
    """One object of a set.

    Parameters
    ----------
    name : str
        Its path in the files, for a root object its name.
    kind : ObjType
        Kind of the object.
    members : mapping of str to StoredColumn
        ``values`` of a pdarray or Strings. A Categorical has ``codes``, ``categories``, ``NA_Codes`` and, where stored,
        ``permutation`` and ``segments``.
    children : mapping of str to StoredObject
        Members that are objects themselves, such as the columns of a DataFrame.
    params : mapping of str to value
        Numbers that describe the object as a whole, such as the shape of an array.
    """

    name: str
    kind: ObjType
    members: Mapping[str, StoredColumn]
    children: Mapping[str, StoredObject] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)


class StoredSet(Protocol):
    """Files that belong together, described but not read.  Immutable."""

    @property
    def paths(self) -> Sequence[str]:
        """The files, in the order of the rows."""
        ...

    @property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all stored objects by name, including unreadable ones; in the user's order."""
        ...

    def objects(self, names: Sequence[str] | None = None) -> Mapping[str, StoredObject]:
        """Return the objects of the given names, all that the set makes up if None, ready to be scanned.

        Raises
        ------
        MissingDatasetError
            If there is no object of a name.
        InconsistentFilesError
            If the files disagree about an object; the message lists all disagreements.
        UnsupportedError
            If an object is of a kind that cannot be read.
        """
        ...


Columns: TypeAlias = Mapping[Hashable, Column]


@record
class ObjectSpec:
    """An object to be written.

    Parameters
    ----------
    name : str
        Its name at root.
    kind : ObjType
        Kind of the object.
    members : mapping of str to hashable
        Where the rows come from: member (``values``, ``codes``) to name of a column of each partition.
    tables : mapping of str to hashable
        Members that are small and given whole to every partition (``categories``, ``NA_Codes``), which writes its
        share of them.
    dtype : ColumnType, optional
        Type of the values, the same in every file even where there are no rows.
    children : mapping of str to ObjectSpec
        Members that are objects themselves, named by paths.
    params : mapping of str to value
        Numbers that describe the object as a whole, such as the shape of an array.
    """

    name: str
    kind: ObjType
    members: Mapping[str, Hashable] = field(default_factory=dict)
    tables: Mapping[str, Hashable] = field(default_factory=dict)
    dtype: ColumnType | None = None
    children: Mapping[str, ObjectSpec] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)


Mode: TypeAlias = Literal["truncate", "append"]
"""Whether a write replaces a set, or adds objects to its files."""

FileLayout: TypeAlias = Literal["distribute", "single"]
"""Whether a write makes one file for each partition, or one in all."""

Receipt: TypeAlias = Any
"""Receipt of one written partition, which the commit takes; picklable."""


class Writer(Protocol):
    """One write of objects to a set.  Picklable once it has begun.

    The client calls `begin`, workers call `write`, and the client calls `commit` with the receipts, or `abort`.  Until
    `commit` existing files stay untouched. `akdask.storage.staged_writer.StagedWriter` ensures this for sets of files.
    """

    @property
    def path(self) -> str:
        """Where the set is written, for messages."""
        ...

    @property
    def npartitions(self) -> int:
        """How often `write` is called."""
        ...

    def begin(self) -> None:
        """Check that the write can succeed, and prepare it."""
        ...

    def write(self, index: int, table: Table, tables: Columns | None = None) -> Receipt:
        """Write the rows of one partition.  May be called again, also at the same time.

        Parameters
        ----------
        index : int
            Number of the partition.
        table : Table
            Its rows.
        tables : mapping of name to column, optional
            The small tables that every partition is given whole.
        """
        ...

    def commit(self, receipts: Sequence[Receipt]) -> list[str]:
        """Put all files into place, all or none, and return the files of the set."""
        ...

    def abort(self) -> None:
        """Remove the prepared files; existing files stay."""
        ...


@record
class JoinedFile:
    """The receipt of a file that several partitions went into.

    Parameters
    ----------
    index : int
        Number of the file.
    file : optional
        Description of the file for the manifest.
    """

    index: int
    file: Any = None


@runtime_checkable
class JoiningWriter(Writer, Protocol):
    """A writer that makes a file of several partitions, so that no more than one of them is in memory at a time."""

    @property
    def per_file(self) -> int:
        """How many partitions go into each file, one after the other."""
        ...

    def join(self, index: int, receipts: Sequence[Receipt]) -> JoinedFile:
        """Join the files of several partitions into one, streaming their bytes.

        Called for each file once its partitions are written, if `per_file` is more than 1; `commit` then takes the
        results. A commit that takes the receipts of partitions joins them itself.
        """
        ...


class CuttingWriter(Writer, Protocol):
    """A writer that chooses the bounds of partitions, since not every bound can be written."""

    def cut(self, names: Sequence[str], nrows: int) -> Sequence[int]:
        """Return the rows of each partition.  Called before `begin`, once for the objects of each frame.

        Parameters
        ----------
        names : sequence of str
            The objects, which have the same rows.
        nrows : int
            How many.
        """
        ...


_MOST_NAMES = 10


@record
class Difference:
    """How files differ in a column or an object.

    Parameters
    ----------
    reason : str
        In a few words.
    files : sequence of str
        The differing files, and their schemas.
    can_widen : bool, default False
        Whether ``widen=True`` reads it.
    """

    reason: str
    files: Sequence[str]
    can_widen: bool = False

    def error(self, name: str, hint: str = "") -> InconsistentFilesError:
        """Return the error for a reader of the object; `hint` names alternatives."""
        return differing_error({name: self}, hint)


def differing_error(found: Mapping[str, Difference], hint: str = "") -> InconsistentFilesError:
    """Return one error for all requested objects that differ between files."""
    names = [repr(name) for name in list(found)[:_MOST_NAMES]] + ["…"] * (len(found) > _MOST_NAMES)
    told = "; ".join(dict.fromkeys(one.reason for one in found.values()))
    hints = ["widen=True reads numbers in a type that has all of them"] * any(one.can_widen for one in found.values())
    hints += [hint or "allow_errors=True leaves out files that are unlike the first"]
    return InconsistentFilesError(
        f"the files of the set differ in {', '.join(names)}: {told}.",
        details=[f"{name!r}: {text}" for name, one in found.items() for text in one.files],
        hint="; ".join(hints) + ".",
    )


def warn_of_left_out(
    label: str, differing: Mapping[str, Difference], unreadable: Mapping[str, str] | None = None
) -> None:
    """Name all omitted objects and the reasons in one warning; none if all objects are read.

    Parameters
    ----------
    label : str
        How a user names the set.
    differing : mapping of str to Difference
        Objects that differ between the files.
    unreadable : mapping of str to str
        Objects that cannot be read in any file, and the reasons.
    """
    told = {name: one.reason for name, one in differing.items()} | dict(unreadable or {})
    if not told:
        return
    whats = ["what its files have differently"] * bool(differing) + ["what cannot be read"] * bool(unreadable)
    lines = [f"{name!r}: {reason}" for name, reason in list(told.items())[:_MOST_NAMES]]
    more = [f"… and {len(told) - _MOST_NAMES} more"] if len(told) > _MOST_NAMES else []
    hints = ["Ask for one by its name to see which files differ"] * bool(differing)
    hints += ["widen=True reads numbers of several types in one"] * any(one.can_widen for one in differing.values())
    hints += ["Name the others to read them without this warning"] * (not differing)
    warn(
        f"{label} leaves out {' and '.join(whats)}:\n" + "\n".join([*lines, *more, f"{'; '.join(hints)}."]),
        RuntimeWarning,
    )


def unique_names(names: Sequence[str]) -> Sequence[str]:
    """Return names of which none is twice: later ones get numbers, as pandas gives to columns of CSV files.

    Examples
    --------
    >>> unique_names(["x", "y", "x", "x.1"])
    ['x', 'y', 'x.2', 'x.1']
    """
    if len(set(names)) == len(names):
        return names
    used = set(names)
    found: list[str] = []
    for name in names:
        own, number = name, 0
        while own in found or (number and own in used):
            number += 1
            own = f"{name}.{number}"
        found.append(own)
    return found
