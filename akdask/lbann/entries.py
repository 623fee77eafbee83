"""Entries of data readers: the samples that they select, and how these are read."""

from __future__ import annotations

import os
from glob import glob
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.lbann.errors import LbannListError, LbannSchemaError
from akdask.lbann.file_reader import FileSampleReader
from akdask.lbann.list_words import ListType
from akdask.lbann.prototext import ReaderEntry
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import SampleList, checked_words
from akdask.storage.files import absolute
from akdask.storage.recovery import recover_naming

_OLDER_READERS = ("hdf5", "cosmoflow_hdf5")
"""Readers of files that are one sample each."""


def is_of_files(entry: ReaderEntry) -> bool:
    """Whether the entry is one of a reader of files that are one sample each, without schemas."""
    return entry.name in _OLDER_READERS and not entry.data_schema


def located(entry: ReaderEntry, path: str) -> str:
    """Return a path of an entry, below its data directory if it has one."""
    return path if not entry.data_directory or os.path.isabs(path) else os.path.join(entry.data_directory, path)


def list_of_files(paths: list[str]) -> SampleList:
    """Return the list of files that are one sample each.

    Raises
    ------
    LbannListError
        If a list cannot hold a path.
    """
    recover_naming(paths)
    files = checked_words("files", [absolute(path).removeprefix("/") for path in paths])
    ids = pa.array([""] * len(paths), pa.large_string())
    return SampleList(ListType.SINGLE_SAMPLE, "/", files, ids, np.arange(len(paths) + 1, dtype=np.int64))


def samples_of_entry(entry: ReaderEntry) -> SampleList:
    """Return the samples of an entry of an older reader: its list, or the files that its pattern finds, sorted.

    Raises
    ------
    LbannListError
        If it names neither, or the pattern matches no file.
    """
    if entry.sample_list:
        return read_list(located(entry, entry.sample_list))
    pattern = _last(entry, "data_file_pattern")
    if not isinstance(pattern, str) or not pattern:
        raise LbannListError(
            f"the entry of reader {entry.name!r} names no samples.", hint="give it a sample_list or data_file_pattern."
        )
    found = sorted(glob(located(entry, pattern)))
    if not found:
        raise LbannListError(f"no file is like {located(entry, pattern)!r}.", hint="check data_file_pattern.")
    return list_of_files(found)


def reader_of_entry(entry: ReaderEntry) -> FileSampleReader:
    """Return the sample reader for an older reader's entry, which reads float32 as the older reader does.

    Raises
    ------
    LbannSchemaError
        If the entry wants integers scaled.
    """
    if _last(entry, "scaling_factor_int16") not in (None, 0, 1):
        raise LbannSchemaError(
            f"scaling_factor_int16 of reader {entry.name!r} is not followed.",
            hint="describe the files by a data schema with coerce and scale.",
        )
    responses = _last(entry, "hdf5_key_responses") or ("unitPar" if entry.name == "cosmoflow_hdf5" else None)
    return FileSampleReader(
        _last(entry, "hdf5_key_data") or "full",
        labels=None if _last(entry, "disable_labels") else _last(entry, "hdf5_key_labels") or None,
        responses=None if _last(entry, "disable_responses") else responses,
        dtype="float",
    )


def _last(entry: ReaderEntry, name: str) -> Any:
    values = entry.others.get(name)
    return values[-1] if values else None
