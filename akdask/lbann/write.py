"""Write samples: rows of arrays or of a DataFrame become groups of HDF5 files, with their list."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np

from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.formats.hdf5.open_files import write_sample_file
from akdask.lbann.errors import LbannError
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import SampleList
from akdask.records import record
from akdask.storage.files import written_path
from akdask.storage.locales import list_path, split_extension
from akdask.storage.transaction import staged_files

_TO_STORED = {"b": np.uint8, "f2": np.float32}
"""LBANN reads neither HDF5's enumerations, as which h5py stores bool, nor floats of 16 bits."""


@record
class WrittenSamples:
    """The files written.

    Parameters
    ----------
    sample_list : str
        Path of the list.
    files : tuple of str
        Paths of the files.
    samples : SampleList
        The list itself.
    """

    sample_list: str
    files: tuple[str, ...]
    samples: SampleList


def write_samples(
    data: Any,
    path: str | os.PathLike[str],
    *,
    per_file: int | None = None,
    ids: Sequence[str] | str | None = None,
    parent: str = "",
    separator: str = "/",
) -> WrittenSamples:
    """Write rows as samples to HDF5 files, and their list: all appear at once, or none.

    Rows of a lazy DataFrame or of Dask arrays are computed a file at a time.

    Parameters
    ----------
    data : DataFrame, pandas.DataFrame or mapping of str to array
        A field for each column or array: its rows are samples, and rows of any rank are datasets.  Names may be paths.
        bool is stored as 8-bit integers, and float16 as float32, since LBANN reads neither.
    path : str or path-like
        ``folder/name.h5`` makes ``folder/name_0000.h5``, …, and the list ``folder/name.samples``.
    per_file : int, optional
        Samples of a file; all in one by default.
    ids : sequence of str or str, optional
        IDs of the samples, which are paths in the file, or the name of their column, in the form of `Dataset.to_hdf`
        and `to_parquet`; nine digits, from 0, by default.
    parent : str, default ""
        Group that IDs are put into, such as ``RUN_ID``.
    separator : str, default "/"
        Separator of the parts of fields in column names: ``.`` for files of `Dataset.to_hdf`.

    Returns
    -------
    WrittenSamples
        The list, and the files.

    Raises
    ------
    ArgumentError
        If arrays have different numbers of rows, there are none, or IDs are too few or repeated within a file.
    ArgumentTypeError
        If values are neither numbers nor text.
    LbannListError
        If an ID or a file name is not allowed in a list.
    WriteError
        If the disk is full, or the folder not writable; existing files stay.
    """
    listed_ids = None if ids is None else _listed(data, ids)
    rows = _RowsOf(data, separator, ids if isinstance(ids, str) else None)
    target = written_path(path)
    per_file = max(len(rows), 1) if per_file is None else per_file
    if per_file < 1:
        raise ArgumentError(f"{per_file} samples for each file.", hint="give an integer from 1 up.")
    starts = [*range(0, max(len(rows), 1), per_file), len(rows)]
    names = _ids(len(rows), listed_ids, parent, per_file)
    folder, base = os.path.split(target)
    stem, extension = split_extension(base)
    width = max(4, len(str(len(starts) - 2)))
    files = [f"{stem}_{number:0{width}}{extension or '.h5'}" for number in range(len(starts) - 1)]
    bounds = list(pairwise(starts))
    listed = SampleList.of(
        {file: names[start:stop] for file, (start, stop) in zip(files, bounds, strict=True)}, base_directory=folder
    )
    paths = tuple(os.path.join(folder, file) for file in files)
    # The list comes last: once it exists, all files that it names exist.
    with staged_files(target, (*paths, list_path(target)), stale=lambda: _old_files(list_path(target), stem)) as add:
        for file, (start, stop) in zip(paths, bounds, strict=True):
            samples = zip(names[start:stop], rows.between(start, stop), strict=True)
            add(file, partial(write_sample_file, samples=samples))
        add(list_path(target), listed.write_aside)
    return WrittenSamples(list_path(target), paths, listed)


class _RowsOf:
    """Rows of any columnar object, a few at a time."""

    def __init__(self, data: Any, separator: str, ids: str | None) -> None:
        columns = list(data) if isinstance(data, Mapping) else list(getattr(data, "columns", ()))
        names = {
            name: name.replace(separator, "/") if isinstance(name, str) else name for name in columns if name != ids
        }
        if not names:
            raise ArgumentTypeError(
                f"a {type(data).__name__} has no columns to make fields of.",
                hint="give a DataFrame or a dict of arrays.",
            )
        for name in names.values():
            parts = name.split("/") if isinstance(name, str) else []
            if not parts or not all(parts) or {".", "..", "metadata"} & set(parts) or "\0" in name:
                raise ArgumentError(
                    f"a field cannot be called {name!r}.", hint="names are paths in a sample; none is 'metadata'."
                )
        if len(set(names.values())) < len(names):
            raise ArgumentError("two columns would be the same field.", details=sorted(names), hint="rename one.")
        self._columns = {field: _sliceable(data[name]) for name, field in names.items()}
        lengths = {name: len(column) for name, column in self._columns.items()}
        if len(set(lengths.values())) > 1:
            details = [f"{name}: {length:,}" for name, length in lengths.items()]
            raise ArgumentError("fields have different numbers of rows.", details=details)
        self._length = next(iter(lengths.values()))

    def __len__(self) -> int:
        return self._length

    def between(self, start: int, stop: int) -> Iterator[dict[str, np.ndarray]]:
        """Yield the fields of rows."""
        columns = {name: _stored(name, _in_memory(column[start:stop])) for name, column in self._columns.items()}
        for row in range(stop - start):
            yield {name: _row(values, row) for name, values in columns.items()}


def _row(values: Sequence[np.ndarray], row: int) -> np.ndarray:
    # NumPy would make text of one length of a single text.
    return np.asarray(values[row], object if isinstance(values[row], str) else None)


def _sliceable(column: Any) -> Any:
    """Return an object that slices by position, which a pandas index would change."""
    if hasattr(column, "iloc"):
        return column.to_numpy()
    return column if hasattr(column, "dtype") and hasattr(column, "__getitem__") else np.asarray(column)


def _in_memory(column: Any) -> Any:
    if isinstance(column, np.ndarray):
        return column
    if hasattr(column, "compute") and hasattr(column, "chunks"):
        return column.compute()
    # Lists of a SegArray may differ in length, which samples of one set must not. NumPy raises an error.
    return column.tolist() if getattr(column, "segments", None) is not None else column.to_ndarray()


def _stored(name: str, values: Any) -> Sequence[np.ndarray]:
    """Return rows in their stored form: NumPy arrays of numbers or of `str` objects."""
    if isinstance(values, list):
        return [_stored_type(name, np.asarray(value)) for value in values]
    return cast("Sequence[np.ndarray]", _stored_type(name, values))


def _stored_type(name: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "U" or (values.dtype == object and all(isinstance(one, str) for one in values.flat)):
        return values.astype(object)
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise ArgumentTypeError(
            f"field {name!r} has values of type {values.dtype}: neither numbers of up to 64 bits nor text."
        )
    wanted = _TO_STORED.get(values.dtype.kind) or _TO_STORED.get(values.dtype.str[1:])
    return values if wanted is None else values.astype(wanted)


def _listed(data: Any, ids: Sequence[str] | str) -> list[Any]:
    if not isinstance(ids, str):
        return list(ids)
    if ids not in (data if isinstance(data, Mapping) else getattr(data, "columns", ())):
        raise ArgumentError(f"there is no column {ids!r} with the IDs of the samples.")
    return list(_in_memory(_sliceable(data[ids])))


def _ids(n: int, ids: list[Any] | None, parent: str, per_file: int) -> list[str]:
    found = [f"{row:09}" for row in range(n)] if ids is None else ids
    if len(found) != n:
        raise ArgumentError(f"{n:,} samples need {n:,} IDs.", details=[f"given: {len(found):,}"])
    if not all(isinstance(name, str) for name in found):
        raise ArgumentTypeError(
            "IDs are text.", details=[f"given: {next(x for x in found if not isinstance(x, str))!r}"]
        )
    for start in range(0, n, per_file):
        repeated = Counter(found[start : start + per_file]).most_common(1)[0]
        if repeated[1] > 1:
            raise ArgumentError(
                f"the ID {repeated[0]!r} is given {repeated[1]:,} times for the samples of one file.",
                hint="IDs are names in a file; make them differ, or write fewer samples to each file.",
            )
    front = f"{parent.strip('/')}/" if parent.strip("/") else ""
    return [front + name.strip("/") for name in found]


def _old_files(path: str, stem: str) -> list[str]:
    """Return the files of an earlier list of that name that were written under it, even if moved with it."""
    with suppress(LbannError, OSError, RuntimeError):
        pattern = re.compile(re.escape(stem) + r"_\d{4,}\.\w+")
        names = dict.fromkeys(map(os.path.basename, read_list(path).paths))
        old = [os.path.join(os.path.dirname(path), name) for name in names if pattern.fullmatch(name)]
        return [file for file in old if os.path.isfile(file)]
    return []
