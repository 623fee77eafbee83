"""Sample lists: the samples of files in order, as columns of text, and the six types of lists."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.deferred import pc
from akdask.errors import FileError, PositionError
from akdask.lbann import tuning
from akdask.lbann.errors import LbannListError
from akdask.storage.files import is_remote
from akdask.storage.transaction import write_file

_BLANK = pa.scalar(" ", pa.large_string())

Words: TypeAlias = pa.LargeStringArray
"""A column of words."""


class ListType(Enum):
    """The types of sample lists, by the word that their first line begins with.

    Attributes
    ----------
    has_label_file : bool
        Whether line 4 names a label file.
    n_counts : int
        How many numbers follow the file on a line of the body.
    header_counts : tuple of str
        Meaning of the numbers in line 2.
    is_exclusion : bool
        Whether samples that are named are left out.
    """

    CONDUIT_HDF5_INCLUSION = "CONDUIT_HDF5_INCLUSION"
    CONDUIT_HDF5_EXCLUSION = "CONDUIT_HDF5_EXCLUSION"
    MULTI_SAMPLE_INCLUSION = "MULTI-SAMPLE_INCLUSION"
    MULTI_SAMPLE_EXCLUSION = "MULTI-SAMPLE_EXCLUSION"
    MULTI_SAMPLE_INCLUSION_V2 = "MULTI-SAMPLE_INCLUSION_V2"
    SINGLE_SAMPLE = "SINGLE-SAMPLE"

    @property
    def has_label_file(self) -> bool:
        """Whether line 4 names a label file."""
        return self.value in {"MULTI-SAMPLE_INCLUSION", "MULTI-SAMPLE_EXCLUSION", "SINGLE-SAMPLE"}

    @property
    def is_exclusion(self) -> bool:
        """Whether samples that are named are left out."""
        return self.value.endswith("_EXCLUSION")

    @property
    def header_counts(self) -> tuple[str, ...]:
        """Meaning of the numbers in line 2."""
        match self:
            case ListType.SINGLE_SAMPLE:
                return ("files",)
            case ListType.MULTI_SAMPLE_INCLUSION_V2:
                return ("included", "files")
        return ("included", "excluded", "files")

    @property
    def n_counts(self) -> int:
        """How many numbers follow the file on a line of the body."""
        return len(self.header_counts) - 1

    @property
    def inclusion(self) -> ListType:
        """The type as which a list of this one is written back."""
        return ListType(self.value.replace("_EXCLUSION", "_INCLUSION"))


def file_state(path: str) -> tuple[int, ...] | None:
    """Return a mark of a local file's state; None for remote and missing files."""
    try:
        found = None if is_remote(path) else os.stat(path)
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class SampleList:
    """The samples of files, in order.

    Parameters
    ----------
    type : ListType
        The type that the list had when it was read, or is to have.
    base_directory : str
        Prefix of the names of files, joined as text with ``/`` unless it ends with one.
    files : LargeStringArray, shape (n_lines,)
        Names of files, one for each line.
    ids : LargeStringArray, shape (n,)
        IDs of samples, line by line.
    first : ndarray of int64, shape (n_lines + 1,)
        Number of the first sample of each line; the last entry is the number of samples.
    excluded : ndarray of int64, shape (n_lines,), optional
        Number of samples that a line excludes from its file; kept for writing the list back.
    label_file : str, optional
        Of the types that name one.

    Examples
    --------
    >>> samples = SampleList.of({"a.h5": ["s0", "s1"], "b.h5": ["s0"]}, base_directory="data")
    >>> len(samples), samples[2]
    (3, ('data/b.h5', 's0'))
    """

    def __init__(
        self,
        type: ListType,
        base_directory: str,
        files: Words,
        ids: Words,
        first: np.ndarray,
        *,
        excluded: np.ndarray | None = None,
        label_file: str | None = None,
    ) -> None:
        self.type = type
        self.base_directory = base_directory
        self.files = files
        self.ids = ids
        self.first = first
        self.excluded = np.zeros(len(files), np.int64) if excluded is None else excluded
        self.label_file = label_file
        self._source: tuple[str, tuple[int, ...] | None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # Another machine may have another file under the name of the list.
        return self.__dict__ | {"_source": None}

    def read_from(self, path: str, state: tuple[int, ...] | None) -> Self:
        """Remember the file that the list was read from, in the state that it had before."""
        self._source = (path, state)
        return self

    def check_current(self) -> None:
        """Refuse a list whose file another has replaced: its samples may be others by now, and old and new be mixed.

        Raises
        ------
        FileError
            If the file of the list is another one.
        """
        if self._source is None:
            return
        path, known = self._source
        now = file_state(path)
        if None not in {known, now} and known != now:
            raise FileError(
                f"the sample list {path!r} has changed since it was read, and its samples may have.",
                hint="open the data set again to read the present samples.",
            )

    @classmethod
    def of(cls, samples: Any, *, base_directory: str | os.PathLike[str] = ".") -> Self:
        """Return the inclusion list of samples.

        Parameters
        ----------
        samples : mapping of str to sequence of str, or iterable of pairs
            The IDs of the samples of each file; files are named relative to the base directory.
        base_directory : str or path-like, default "."
            Where the files are.

        Raises
        ------
        LbannListError
            If a name is not allowed in a list: an empty one, or one with white space or control characters.
        """
        pairs = samples.items() if hasattr(samples, "items") else samples
        found = [(os.fspath(file), list(ids)) for file, ids in pairs]
        files = checked_words("files", [file for file, _ in found])
        ids = checked_words("samples", [sample for _, ids in found for sample in ids])
        first = np.cumsum([0, *(len(ids) for _, ids in found)], dtype=np.int64)
        checked_words("the base directory", [os.fspath(base_directory)])
        return cls(ListType.CONDUIT_HDF5_INCLUSION, os.fspath(base_directory), files, ids, first)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> tuple[str, str]:
        """Return path and ID of a sample; negative positions count from the end."""
        if not -len(self) <= index < len(self):
            raise PositionError(f"no sample {index} in a list of {len(self):,}.")
        index %= len(self)
        return self.paths[self.file_of([index])[0]], self.ids[index].as_py()

    def __repr__(self) -> str:
        return f"<SampleList: {len(self):,} samples of {len(self.paths):,} files in {self.base_directory!r}>"

    @property
    def included(self) -> np.ndarray:
        """Number of samples of each line."""
        return np.diff(self.first)

    @cached_property
    def _codes(self) -> pa.DictionaryArray:
        return self.files.dictionary_encode()

    @cached_property
    def paths(self) -> list[str]:
        """Paths of the files, each once, in the order in which the list names them."""
        base = self.base_directory if self.base_directory.endswith("/") else f"{self.base_directory}/"
        return [base + file for file in self._codes.dictionary.to_pylist()]

    @cached_property
    def line_files(self) -> np.ndarray:
        """Position in `paths` of the file of each line."""
        return np.asarray(self._codes.indices).astype(np.int64)

    def file_of(self, indices: Any) -> np.ndarray:
        """Return the position in `paths` of the file of each sample."""
        lines: np.ndarray = np.searchsorted(self.first, indices, side="right") - 1
        found: np.ndarray = self.line_files[lines]
        return found

    def ids_of(self, indices: Any) -> list[str]:
        """Return the IDs of samples."""
        if len(indices) <= tuning.FEW_IDS:
            return [self.ids[index].as_py() for index in map(int, indices)]
        found: list[str] = self.ids.take(pa.array(indices, pa.int64())).to_pylist()
        return found

    def find(self, sample: str) -> int | None:
        """Return the position of the first sample of an ID, None if there is none."""
        found = pc.index(self.ids, pa.scalar(sample, pa.large_string())).as_py()
        return None if found < 0 else int(found)

    def take(self, indices: Any) -> SampleList:
        """Return the list of the samples at some positions, in their order.

        Parameters
        ----------
        indices : array-like of int, shape (n,)
            Positions, with repetitions if wanted.
        """
        order = np.asarray(indices, np.int64).reshape(-1)
        if len(order) and (order.min() < 0 or order.max() >= len(self)):
            raise PositionError(f"no sample {order.max()} in a list of {len(self):,}.")
        lines = np.searchsorted(self.first, order, side="right") - 1
        # A line continues while the samples are of its file.
        begins = np.flatnonzero(np.diff(self.line_files[lines], prepend=-1))
        chosen = lines[begins]
        return SampleList(
            self.type.inclusion,
            self.base_directory,
            self.files.take(pa.array(chosen)),
            self.ids.take(pa.array(order)),
            np.append(begins, len(order)),
            excluded=self.excluded[chosen],
            label_file=self.label_file,
        )

    def to_text(self) -> bytes:
        """Return the list as text: that of an exclusion list is the inclusion list which it has become."""
        return b"".join(self._blocks())

    def _blocks(self) -> Iterable[bytes]:
        listed = self.type.inclusion
        totals = {"included": len(self), "excluded": int(self.excluded.sum()), "files": len(self.files)}
        lines = [listed.value, " ".join(str(totals[name]) for name in listed.header_counts), self.base_directory]
        lines += [self.label_file or "."] if listed.has_label_file else []
        yield "\n".join([*lines, ""]).encode()
        for start, stop in pairwise([*range(0, len(self.files), 1 << 12), len(self.files)]):
            yield self._body(start, stop)

    def _body(self, start: int, stop: int) -> bytes:
        """Return some lines: blanks and line feeds are set where words end, and all words copied at once."""
        counts = [self.included[start:stop], self.excluded[start:stop]][: self.type.n_counts]
        heads = [self.files[start:stop], *(pa.array(numbers).cast(pa.large_string()) for numbers in counts)]
        head = pc.binary_join_element_wise(*heads, _BLANK)
        first = self.first[start : stop + 1]
        words = self.ids[int(first[0]) : int(first[-1])]
        # The head of a line precedes its first sample. Positions refer to the concatenation of both columns.
        order = np.insert(np.arange(len(words)), first[:-1] - first[0], len(words) + np.arange(stop - start))
        joined = pa.concat_arrays([words, head]).take(pa.array(order))
        data, offsets = buffers(joined)
        text = np.insert(data[offsets[0] : offsets[-1]], offsets[1:] - offsets[0], ord(" "))
        ends = np.cumsum(np.diff(first) + 1) - 1
        text[offsets[1:][ends] - offsets[0] + ends] = ord("\n")
        if self.type is ListType.SINGLE_SAMPLE:  # the root has no name, so that a blank is left before it
            return text.tobytes().replace(b" \n", b"\n")
        return text.tobytes()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the list to a file, which appears whole or not at all."""
        write_file(path, self._blocks())

    def write_aside(self, path: str) -> None:
        """Write the list to a new file that is put into place with others."""
        with open(path, "wb") as file:
            file.writelines(self._blocks())


def checked_words(what: str, names: Sequence[str]) -> Words:
    """Return names as a column.

    Raises
    ------
    LbannListError
        If one is empty, or holds white space or control characters.
    """
    for name in names:
        if not name or len(name.split()) != 1 or name != name.strip() or not name.isprintable():
            raise LbannListError(
                f"sample lists cannot hold {name!r} among {what}.",
                hint="names in lists are words: no blanks and no control characters.",
            )
    data = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, data)], dtype=np.int64)
    return column(offsets, np.frombuffer(b"".join(data), np.uint8))


def column(offsets: np.ndarray, data: np.ndarray) -> Words:
    """Return the column of words from concatenated UTF-8."""
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))


def buffers(words: Words) -> tuple[np.ndarray, np.ndarray]:
    """Return UTF-8 and offsets of a column of words."""
    _, offsets, data = words.buffers()
    first = words.offset
    starts = np.frombuffer(offsets, np.int64)[first : first + len(words) + 1] if offsets else np.zeros(1, np.int64)
    return np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), starts


def parts(sample: str) -> list[str]:
    """Return the names of the groups on the way to a sample.

    Examples
    --------
    >>> parts("/RUN_ID/000000334")
    ['RUN_ID', '000000334']
    """
    return [part for part in sample.split("/") if part]
