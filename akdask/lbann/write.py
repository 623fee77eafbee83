"""Write samples: rows of arrays or of a DataFrame become groups of HDF5 files, with their list."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from itertools import pairwise
from queue import Queue
from threading import Lock
from typing import Any, cast

import numpy as np
from dask.system import CPU_COUNT

from akdask.errors import ArgumentError, ArgumentTypeError, WriteError, warn
from akdask.formats.hdf5.sample_files import Fields, write_sample_file
from akdask.lbann import tuning
from akdask.lbann.errors import LbannError, LbannWarning
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import SampleList
from akdask.records import record
from akdask.storage.files import written_path
from akdask.storage.locales import list_path, split_extension
from akdask.storage.transaction import Add, staged_files

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

    Rows of a lazy DataFrame or of Dask arrays are computed a file at a time.  Several files of many samples are written
    by processes in parallel.

    Parameters
    ----------
    data : DataFrame, pandas.DataFrame or mapping of str to array
        A field for each column or array: its rows are samples, and rows of any rank are datasets.  Names may be paths.
        bool is stored as 8-bit integers, float16 as float32, and times as 64-bit integers in their unit, since LBANN
        reads none of these.
    path : str or path-like
        ``folder/name.h5`` makes ``folder/name_0000.h5``, …, and the list ``folder/name.samples``.
    per_file : int, optional
        Samples of a file; all in one by default.
    ids : sequence of str or int, or str, optional
        IDs of the samples, which are paths in the file or numbers, or the name of their column, in the form of
        `Dataset.to_hdf` and `to_parquet`; nine digits, from 0, by default.
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
        parts = [
            (file, names[start:stop], partial(rows.between, start, stop))
            for file, (start, stop) in zip(paths, bounds, strict=True)
        ]
        n_processes = min(CPU_COUNT, len(parts)) if len(rows) >= tuning.SAMPLES_OF_PROCESSES and sys.executable else 1
        if n_processes > 1:
            _write_in_processes(parts, add, n_processes)
        else:
            for file, some, columns in parts:
                add(file, partial(write_sample_file, names=some, fields=columns()))
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

    def between(self, start: int, stop: int) -> Fields:
        """Return the fields of rows."""
        return {name: _stored(name, _in_memory(column[start:stop])) for name, column in self._columns.items()}


def _write_in_processes(parts: Sequence[tuple[str, list[str], Callable[[], Fields]]], add: Add, count: int) -> None:
    """Write files in processes of their own, as threads would wait for the HDF5 library in turns.

    They are no processes of `multiprocessing`, which would run the script of the user again.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}; from akdask.lbann.write import write_requested; write_requested()"
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    idle: Queue[subprocess.Popen[bytes]] = Queue()
    computing = Lock()

    def send(path: str, names: list[str], columns: Callable[[], Fields]) -> None:
        with computing:  # Files are computed one at a time, so that few are in memory.
            fields = columns()
        process = idle.get()
        assert process.stdin is not None, "it is a pipe"
        assert process.stdout is not None, "it is a pipe"
        # Paths by descriptors are those of this process alone.
        folder, name = os.path.split(path)
        try:
            there = os.path.join(os.path.realpath(folder), name)
            pickle.dump((there, names, fields), process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            error = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as ended:
            text = f"the process that wrote {name!r} has ended."
            raise WriteError(text, hint="it may have lacked memory.") from ended
        finally:
            idle.put(process)
        if error is not None:
            raise error

    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", code], **pipes)
            stack.callback(_end, process)
            idle.put(process)
        with ThreadPoolExecutor(count, "akdask-samples") as pool:
            waiting = [
                pool.submit(add, path, partial(send, names=names, columns=columns)) for path, names, columns in parts
            ]
            try:
                for one in waiting:
                    one.result()
            finally:
                for one in waiting:
                    one.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def write_requested() -> None:
    """Write the files that come by standard input, and tell by standard output how each went: the work of a process."""
    while True:
        try:
            path, names, fields = pickle.load(sys.stdin.buffer)
        except (EOFError, pickle.UnpicklingError):  # of a process that has ended, or was killed while it wrote
            return
        error: Exception | None = None
        try:
            write_sample_file(path, names, fields)
        except Exception as raised:
            error = raised
        try:
            pickle.dump(error, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(1)  # Nobody is told; an exit would write to the pipe again.


def _sliceable(column: Any) -> Any:
    """Return an object that slices by position, which a pandas index would change."""
    if hasattr(column, "iloc"):
        zoned = getattr(column.dtype, "tz", None) is not None
        return column.to_numpy(f"M8[{column.dt.unit}]") if zoned else column.to_numpy()
    if hasattr(column, "dtype") and hasattr(column, "__getitem__"):
        return column
    try:
        return np.asarray(column)
    except ValueError as error:
        raise ArgumentTypeError(
            "lists of a field differ in length.", details=[str(error)], hint="pad them to one length."
        ) from error


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
        lengths = {len(value) for value in values}
        if len(lengths) > 1:
            text = f"lists of field {name!r} have {min(lengths):,} to {max(lengths):,} elements, and samples of a set"
            warn(f"{text} have one size; pad them to one length if LBANN is to read them.", LbannWarning)
        return [_stored_type(name, np.asarray(value)) for value in values]
    return cast("Sequence[np.ndarray]", _stored_type(name, values))


def _stored_type(name: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "U" or (values.dtype == object and all(isinstance(one, str) for one in values.flat)):
        return values.astype(object)
    if values.dtype.kind in "mM":
        return values.astype(np.int64)
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise ArgumentTypeError(
            f"field {name!r} has values of type {values.dtype}: neither numbers of up to 64 bits nor text.",
            hint="lists of a field have one length: give an array of two dimensions, or pad them."
            if any(np.ndim(one) for one in values.flat[:1])
            else None,
        )
    wanted = _TO_STORED.get(values.dtype.kind) or _TO_STORED.get(values.dtype.str[1:])
    return values if wanted is None else values.astype(wanted)


def _listed(data: Any, ids: Sequence[str] | str) -> list[Any]:
    if not isinstance(ids, str):
        return list(ids)
    if ids not in (data if isinstance(data, Mapping) else getattr(data, "columns", ())):
        raise ArgumentError(f"there is no column {ids!r} with the IDs of the samples.")
    return list(_in_memory(_sliceable(data[ids])))


def _id(given: Any) -> Any:
    return str(given) if isinstance(given, int | np.integer) and not isinstance(given, bool) else given


def _ids(n: int, ids: list[Any] | None, parent: str, per_file: int) -> list[str]:
    found = [f"{row:09}" for row in range(n)] if ids is None else [_id(one) for one in ids]
    if len(found) != n:
        raise ArgumentError(f"{n:,} samples need {n:,} IDs.", details=[f"given: {len(found):,}"])
    if not all(isinstance(name, str) for name in found):
        raise ArgumentTypeError(
            "IDs are text or integers.", details=[f"given: {next(x for x in found if not isinstance(x, str))!r}"]
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
