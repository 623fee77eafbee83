"""Reading files as pandas does: lazily where they are large, else by pandas itself.

A small file is read by pandas into memory, which is exact and costs what pandas costs; the object that holds its rows
becomes lazy when a method wants that.  Large Parquet and CSV files stay on disk (`lazy_parquet`, `lazy_csv`) where
the lazy columns have the values, types and labels that pandas would give.  All other files are read by pandas.
Of a small Parquet file the bytes are read at once, its values when something wants them in memory: a join of it, or of
several of them, with rows on disk decodes only the columns that it needs.

Beyond pandas, paths may be glob patterns, lists and folders: their rows come one after the other.
"""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Any

import numpy as np
import pandas
import pyarrow

from akdask import config
from akdask.deferred import module_named
from akdask.errors import AkdaskError, traced_to_caller
from akdask.pandas import pending, tuning
from akdask.pandas.face import faced, in_pandas, words
from akdask.pandas.frame import DataFrame
from akdask.pandas.labels import computed
from akdask.pandas.refusals import FallbackError, NotLazyError, refusal
from akdask.storage.files import FileIdentity, identify

READERS = words(
    """read_csv read_table read_fwf read_json read_parquet read_feather read_orc read_pickle read_excel read_hdf
    read_xml read_html read_stata read_sas read_spss"""
)
"""Functions of pandas whose first argument is a file."""

FOLDERS = words("read_parquet read_orc")
"""Readers of pandas that take folders and lists of files."""


def reader(name: str) -> Callable[..., Any]:
    """Return a function of pandas that reads files, which gives objects of this face."""
    own = getattr(pandas, name)

    @traced_to_caller
    @wraps(own)
    def read(*args: Any, **kwargs: Any) -> Any:
        signature = _signature(own)
        path_word, *_ = signature.parameters
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise refusal(error) from error
        options = {word: in_pandas(value) for word, value in given.items() if word != path_word}
        for word in [word for word in options if signature.parameters[word].kind is inspect.Parameter.VAR_KEYWORD]:
            options |= options.pop(word)
        return _read(name, given[path_word], options)

    return read


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _read(name: str, path: Any, options: dict[str, Any]) -> Any:
    try:
        files = _files_of(path, takes_folders=name in FOLDERS, storage_options=options.get("storage_options"))
    except Exception as error:
        raise refusal(error) from error
    reason: Exception | None = None
    if name in _LAZILY and files is not None:
        try:
            return faced(_LAZILY[name](files, options))
        except (NotLazyError, AkdaskError) as unable:  # pandas reads them, or says what is wrong
            reason = unable
        except Exception as unable:
            if config.get("pandas_fallback") == "error":
                raise
            reason = unable
    if files is not None and not any(options.get(word) for word in ("nrows", "chunksize", "iterator")):
        _check_size(name, files, reason)
    try:
        own = getattr(pandas, name)
        if files is None or isinstance(files, str):
            return _wrapped(without_views(own(path if files is None else files, **options)))
        if name in FOLDERS:
            return faced(without_views(own(files, **options)))
        return _one_after_another(name, (own(file, **options) for file in files))
    except Exception as error:
        raise refusal(error) from error


def without_views(found: Any) -> Any:
    """Return a frame with text of Arrow in place of views of text, for which Arrow lacks most functions."""
    if not isinstance(found, pandas.DataFrame) or not found.columns.is_unique:
        return found
    views: dict[Any, Any] = {
        name: pandas.arrays.ArrowExtensionArray(found[name].array._pa_array.cast(pyarrow.string()))
        for name, dtype in found.dtypes.items()
        if isinstance(dtype, pandas.ArrowDtype) and dtype.pyarrow_dtype == pyarrow.string_view()
    }
    if views:
        found = found.copy(deep=False)
        for name, text in views.items():
            found[name] = text
    return found


def _wrapped(found: Any) -> Any:
    if hasattr(found, "get_chunk") or (isinstance(found, Iterator) and hasattr(found, "close")):
        return Chunks(found)
    if hasattr(found, "__iter__") and hasattr(found, "coordinates"):  # rows of a table of HDF5
        return map(faced, found)
    return faced(found)


def _one_after_another(name: str, parts: Iterator[Any]) -> Any:
    """Put what was read from several files below each other."""
    found = list(parts)
    if all(isinstance(part, pandas.DataFrame | pandas.Series) for part in found):
        numbered = all(isinstance(part.index, pandas.RangeIndex) and part.index.name is None for part in found)
        return faced(pandas.concat(found, ignore_index=numbered))
    if all(hasattr(part, "__next__") for part in found):
        return (faced(chunk) for part in found for chunk in part)
    raise TypeError(f"{name} reads no frame here, so that several files cannot be put together; read them one by one")


# files

LONGEST_PATH = 4096
"""Characters of a path; longer text is no path."""


def _files_of(path: Any, *, takes_folders: bool, storage_options: Any) -> str | list[str] | None:
    """Return the file that pandas is to read, or several; None for what pandas takes and is no path.

    Raises
    ------
    FileNotFoundError
        If a pattern matches no file, or a list is empty.
    """
    if isinstance(path, list | tuple | set | frozenset):
        if not path or not all(isinstance(item, str | os.PathLike) for item in path):
            raise FileNotFoundError(f"no files are named by {path!r}")
        each = [_files_of(item, takes_folders=takes_folders, storage_options=storage_options) for item in path]
        return [file for files in each for file in ([files] if isinstance(files, str) else files or ())]
    if not isinstance(path, str | os.PathLike) or hasattr(path, "close"):  # open stores have paths, too
        return None
    name = os.path.expanduser(os.fsdecode(path))
    if "\n" in name or len(name) > LONGEST_PATH:
        return None
    is_url = "://" in name
    if not is_url and os.path.isdir(name) and not takes_folders:
        return _files_below(name)
    if any(mark in name for mark in "*?[") and not (is_url and "*" not in name) and not os.path.exists(name):
        return _matching(name, storage_options)
    return name


def _files_below(folder: str) -> list[str]:
    found = sorted(
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if not name.startswith((".", "_"))
    )
    if not found:
        raise FileNotFoundError(f"the folder {folder!r} has no files")
    return found


def _matching(pattern: str, storage_options: Mapping[str, Any] | None) -> list[str]:
    from akdask.storage.files import StorageOptions, accessing, matching

    with accessing(StorageOptions(storage_options or {})):
        found = sorted(matching(pattern))
    if not found:
        raise FileNotFoundError(f"no files match {pattern!r}")
    return found


def _size_of(files: str | list[str]) -> int:
    """Return the bytes of files of this machine; folders and URLs count nothing."""
    given = [files] if isinstance(files, str) else files
    return sum(os.path.getsize(file) for file in given if os.path.isfile(file))


def _check_size(name: str, files: str | list[str], reason: Exception | None) -> None:
    """Refuse to read more than the memory that this process may take."""
    from akdask.cluster import process_memory

    size, limit = _size_of(files), process_memory()
    if size > limit:
        raise FallbackError(
            f"pandas.{name} would bring {size / 1e9:.1f} GB of files into memory, more than the limit of "
            f"{limit / 1e9:.1f} GB.",
            details=[] if reason is None else [f"they are not read lazily: {reason}"],
            hint="choose columns or rows, read in parts with chunksize=, or raise ak.config.set(memory_limit=…).",
        ) from None


# large files


def _parquet(files: str | list[str], options: dict[str, Any]) -> Any:
    lazy_parquet = module_named("akdask.pandas.lazy_parquet")
    if not lazy_parquet.are_small(files, **options):
        return lazy_parquet.parquet(files, **options)
    if isinstance(files, str) and os.path.isfile(files) and os.path.getsize(files) <= tuning.READ_AT_ONCE:
        file = identify(files)
        return _small_parquet(file, lazy_parquet.parquet(files, **options), options)
    raise NotLazyError("the files are small")


def _small_parquet(file: FileIdentity, lazily: Any, options: dict[str, Any]) -> Any:
    """Return a file that is decoded when its values are wanted; what becomes of it afterwards changes nothing."""
    with open(file.path, "rb") as opened:
        content = opened.read()

    def planned() -> Any:
        try:
            is_same = identify(file.path) == file
        except AkdaskError:
            is_same = False
        if not is_same:
            raise NotLazyError("the file has changed since it was read")
        return lazily

    def looked_at() -> Any:
        try:
            return computed(planned())
        except (NotLazyError, AkdaskError):
            words = {word: value for word, value in options.items() if word != "plain"}
            found = without_views(pandas.read_parquet(io.BytesIO(content), **words))
            return _with_plain_values(found) if options.get("plain") else found

    return pending.of(pending.Pending(looked_at, planned, is_arranged=False), DataFrame)


def _csv(files: str | list[str], options: dict[str, Any]) -> Any:
    if _size_of(files) <= tuning.READ_BYTES:
        raise NotLazyError("the files are small")
    lazy_csv = module_named("akdask.pandas.lazy_csv")
    parsed, narrow = lazy_csv.types_in_turn(options)
    found = faced(lazy_csv.csv(files, **parsed))
    if narrow is None:
        return found
    if options.get("index_col") is not None:
        raise NotLazyError("labels may be of a narrow type")
    given = narrow if isinstance(narrow, dict) else dict.fromkeys(found.columns, narrow)
    if any(f"{name}.1" in found.columns for name in given):
        raise NotLazyError("a name may stand for several columns")
    wanted = {name: given[name] for name in found.columns if name in given}
    integers = [name for name, dtype in wanted.items() if "int" in dtype]
    # One pass finds the extremes of all of them.
    extremes = found[integers].agg(["min", "max"]).to_pandas() if integers and len(found) else {}
    for name, dtype in wanted.items():
        if dtype == "category" and found[name].dtype not in ("int64", "str"):
            raise NotLazyError("pandas finds the categories in its own way")
        if name in extremes and not extremes[name].between(np.iinfo(dtype).min, np.iinfo(dtype).max).all():
            raise NotLazyError("an integer is too large")
        found[name] = found[name].astype(dtype)
    return found


def _table(files: str | list[str], options: dict[str, Any]) -> Any:
    return _csv(files, {"sep": "\t", **options})


_LAZILY: Mapping[str, Callable[[str | list[str], dict[str, Any]], Any]] = {
    "read_parquet": _parquet,
    "read_csv": _csv,
    "read_table": _table,
}


# what is read in parts


class Chunks:
    """Rows of a file that are read some at a time, as frames of this face.

    Parameters
    ----------
    parts : pandas.io.parsers.TextFileReader or the like
        What pandas returns for ``chunksize=`` and ``iterator=True``.
    """

    def __init__(self, parts: Any) -> None:
        self._parts = parts

    def __iter__(self) -> Chunks:
        return self

    def __next__(self) -> Any:
        return self._called(self._parts.__next__)

    def get_chunk(self, size: int | None = None) -> Any:
        """Return the next rows."""
        return self._called(self._parts.get_chunk, size)

    def read(self, nrows: int | None = None) -> Any:
        """Return the rest of the rows, or some of it."""
        return self._called(self._parts.read, *([] if nrows is None else [nrows]))

    def __enter__(self) -> Chunks:
        self._parts.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._parts.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parts, name)

    def _called(self, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return faced(function(*args))
        except StopIteration:
            raise
        except Exception as error:
            raise refusal(error) from error


# Arkouda's files, and files of any kind


def read_arkouda(filenames: Any, datasets: Any = None, *, storage_options: Any = None, **options: Any) -> Any:
    """Open sets of files in Arkouda's layout, HDF5, Parquet or CSV, as a lazy DataFrame.

    Parameters
    ----------
    filenames : str, path or list of them
        Files, glob patterns, or the prefix that a set was written under.
    datasets : str or list of str, optional
        Names of the columns; all by default.
    storage_options : mapping, optional
        Options with which fsspec opens URLs.
    **options
        Further options of `akdask.read`.

    Returns
    -------
    DataFrame
        Its labels are those that akdask wrote with the rows, if it did.
    """
    frame_of_set = module_named("akdask.io.scanning").frame_of_set
    return faced(frame_of_set(filenames, datasets, storage_options=storage_options, **options))


def scan(source: Any, **options: Any) -> Any:
    """Open files of any kind lazily, chosen by their content; days in Parquet are times, and decimals are floats.

    Parameters
    ----------
    source : str, path or list of them
        Files, glob patterns, folders, or prefixes of sets.
    **options
        Options of the reader that is chosen.

    Returns
    -------
    DataFrame
    """
    from akdask.io.scanning import ARKOUDA, delimiter_of, kind_of
    from akdask.storage.files import StorageOptions, accessing

    with accessing(StorageOptions(options.get("storage_options") or {})):
        kind = kind_of(source)
        if kind == "read_csv":
            options = {"sep": delimiter_of(source, options.get("skiprows", 0)), **options}
    if kind == "read_parquet" and "dtype_backend" not in options:
        return _scan_parquet(source, options)
    return NAMES["read_arkouda" if kind == ARKOUDA else kind](source, **options)


OBJECT = np.dtype(object)


def _scan_parquet(source: Any, options: dict[str, Any]) -> Any:
    files = _files_of(source, takes_folders=True, storage_options=options.get("storage_options"))
    try:
        return faced(_parquet(files if files is not None else [], {**options, "plain": True}))
    except (NotLazyError, AkdaskError):
        return faced(_with_plain_values(NAMES["read_parquet"](source, **options).to_pandas()))


def _with_plain_values(found: pandas.DataFrame) -> pandas.DataFrame:
    """Return a frame with times in place of days and floats in place of decimals."""
    for name, dtype in found.dtypes.items() if found.columns.is_unique else ():
        kind = pandas.api.types.infer_dtype(found[name]) if dtype is OBJECT else ""
        if kind in ("date", "decimal"):
            found[name] = pandas.to_datetime(found[name]) if kind == "date" else found[name].astype(float)
    return found


NAMES: dict[str, Callable[..., Any]] = {
    **{name: reader(name) for name in sorted(READERS) if hasattr(pandas, name)},
    "read_arkouda": read_arkouda,
    "scan": scan,
}
"""Public functions by name."""


class HDFStore(pandas.HDFStore):
    """A store of `pandas.HDFStore` that takes and gives objects of this face."""

    def get(self, key: str) -> Any:
        """Return a stored object."""
        return faced(super().get(key))

    def select(self, key: str, *args: Any, **kwargs: Any) -> Any:
        """Return rows of a stored object."""
        found = super().select(key, *args, **in_pandas(kwargs))
        return map(faced, found) if hasattr(found, "coordinates") else faced(found)

    def put(self, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        """Store an object."""
        super().put(key, in_pandas(value), *args, **kwargs)

    def append(self, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        """Add rows to a stored table."""
        super().append(key, in_pandas(value), *args, **kwargs)


class ExcelFile(pandas.ExcelFile):
    """A workbook whose sheets are frames of this face."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """Return a sheet as a frame, or several by name."""
        return faced(super().parse(*args, **kwargs))
