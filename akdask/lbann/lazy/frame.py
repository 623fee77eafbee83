"""Samples as the rows of a lazy DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from akdask.collections.core.wrap import wrap
from akdask.collections.frame.dataframe import DataFrame
from akdask.collections.lists.segarray import SegArray
from akdask.errors import ArgumentError
from akdask.lbann.epochs.selection import SelectedSamples
from akdask.lbann.lazy.dask_objects import sample_bytes
from akdask.lbann.lazy.runs import RunReader, runs_of
from akdask.lbann.lazy.source import SampleSource, type_of_column
from akdask.plan.expr.sources import Scan
from akdask.schema import STR
from akdask.storage.paths.files import identify_all


def frame_of(dataset: SelectedSamples, names: Sequence[str] | None, ids: str | None = None) -> DataFrame:
    """Return samples as rows; see `Dataset.to_frame`.

    Raises
    ------
    ArgumentError
        If the column of IDs would have the name of another.
    """
    given = list(dataset.names if names is None else names)
    if ids is not None and ids in {*given, *dataset.names}:
        raise ArgumentError(f"samples have {ids!r} already.", hint="give the column of IDs another name by ids=….")
    reader = dataset.grouped(given)
    found = dict(zip(given, reader.names or (), strict=True))
    columns = {name: type_of_column(dataset.dtype_of(name), dataset.size_of(name)) for name in found.values()}
    files = dataset.samples.file_of(dataset.indices)
    runs = runs_of(files, sample_bytes(dataset, list(columns)))
    made = [RunReader(reader, dataset.indices[start:stop], ids) for start, stop in runs]
    if ids is not None:
        columns, found = {ids: STR, **columns}, {ids: ids, **found}
    source = SampleSource(made, columns, repr(dataset), _identity(dataset, files))
    scan = Scan(source)
    arrays = {}
    for name, inner in found.items():
        column = scan.column(inner)
        arrays[name] = SegArray.of(scan, column) if column.dtype.kind == "list" else wrap(scan, column)
    return DataFrame(arrays)


def _identity(dataset: SelectedSamples, files: np.ndarray) -> str:
    """Return a text that changes whenever the samples, their files or what is done to them do."""
    paths = [dataset.samples.paths[number] for number in np.unique(files)]
    digest = blake2b(digest_size=16)
    chosen = dataset.sample_list()
    for part in (*chosen.ids.buffers(), *chosen.files.buffers(), chosen.first, dataset.fields.explain().encode()):
        digest.update(part if part is not None else b"")
    for file in identify_all(paths):
        digest.update(f"{file.path}\0{file.size}\0{file.version}".encode(errors="surrogateescape"))
    digest.update(bytes([dataset.reader.keep_packed_fields]))
    return digest.hexdigest()
