"""Checking the samples of one file: at once if all is well, else one by one, field by field."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from akdask.errors import AkdaskError
from akdask.lbann.errors import LbannError, MissingSampleError, SampleSizeError, SampleTypeError
from akdask.lbann.lists.exclusion import parts
from akdask.lbann.samples import SampleReader
from akdask.lbann.samples.enumeration import sample_ids
from akdask.lbann.schema import SampleFields
from akdask.lbann.verification.faults import FaultKind, FileCheck, SampleFault
from akdask.storage.paths.files import state_of

_AT_ONCE = 256
"""Samples that are read together."""


@dataclass(frozen=True, slots=True)
class FileToCheck:
    """A file, and what a list says of it.

    Parameters
    ----------
    path : str
        The file.
    ids : tuple of str
        Samples of the list.
    n_all : int, optional
        Samples that the file has, as the list says; unknown if it does not.
    """

    path: str
    ids: tuple[str, ...]
    n_all: int | None


def check_file(reader: SampleReader, file: FileToCheck, reads_data: bool) -> FileCheck:
    """Look for all faults of the samples of a file.

    Parameters
    ----------
    reader : SampleReader
        Reads them as the schemas say.
    file : FileToCheck
        The file, and what is to be in it.
    reads_data : bool
        Whether values are to be finite as well.
    """
    state = present_state(file.path)
    # Sizes are compared with those of the first sample of this file alone, whichever files this worker saw before.
    reader = SampleReader(reader.fields, keep_packed_fields=True)
    try:
        faults = list(_count_faults(file))
    except AkdaskError as error:
        return FileCheck(file.path, state, len(file.ids), (_fault(error, file.path, None, None, "file"),))
    sizes: dict[str, tuple[int, str]] = {}
    for start in range(0, len(file.ids), _AT_ONCE):
        faults += _sample_faults(reader, file.path, file.ids[start : start + _AT_ONCE], reads_data)
    for name in reader.fields:
        try:
            sizes[name] = reader.size_of(name), str(reader.dtype_of(name))
        except LbannError:
            break
    return FileCheck(file.path, state, len(file.ids), tuple(faults), sizes)


def present_state(path: str) -> str:
    """Return what tells states of a file apart; nothing if it is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}/{state_of(status)}"


def _count_faults(file: FileToCheck) -> Iterator[SampleFault]:
    depths = {len(parts(sample)) for sample in file.ids}
    if len(depths) != 1 or 0 in depths:
        sample_ids(file.path)  # raises if it cannot be opened
        return
    there = set(sample_ids(file.path, depth=depths.pop()))
    unlisted = there - {"/".join(parts(sample)) for sample in file.ids}
    if file.n_all is not None and len(there) != file.n_all:
        text = f"the list says {file.n_all:,} samples, included and excluded; the file has {len(there):,}"
        yield SampleFault("count", text, file.path, is_warning=True)
    elif unlisted and file.n_all is None:
        text = f"samples of the file that are not in the list: {len(unlisted):,}, for instance {min(unlisted)!r}"
        yield SampleFault("count", text, file.path, is_warning=True)
    repeated = len(file.ids) - len(set(file.ids))
    if repeated:
        yield SampleFault("count", f"samples that are listed more than once: {repeated:,}", file.path, is_warning=True)


def _sample_faults(reader: SampleReader, path: str, ids: Sequence[str], reads_data: bool) -> Iterator[SampleFault]:
    try:
        batch = reader.read_batch(path, ids)
    except AkdaskError:
        for sample in ids:
            yield from _faults_of_sample(reader, path, sample, reads_data)
        return
    if reads_data:
        for name in reader.fields:
            yield from _value_faults(name, batch[name], path, ids)


def _faults_of_sample(reader: SampleReader, path: str, sample: str, reads_data: bool) -> Iterator[SampleFault]:
    try:
        batch = reader.read_batch(path, [sample])
    except AkdaskError as error:
        found = list(_field_faults(reader, path, sample))
        yield from found or [_fault(error, path, sample, None, "sample")]
        return
    if reads_data:
        for name in reader.fields:
            yield from _value_faults(name, batch[name], path, [sample])


def _field_faults(reader: SampleReader, path: str, sample: str) -> Iterator[SampleFault]:
    """Yield what is wrong with each field by itself."""
    for name, field in reader.fields.items():
        try:
            SampleReader(SampleFields({name: field.without("pack")})).read(path, sample)
        except MissingSampleError as error:
            if error.field is None:  # the sample itself is not there
                yield _fault(error, path, sample, None, "sample")
                return
            yield _fault(error, path, sample, name, "field")
        except AkdaskError as error:
            yield _fault(error, path, sample, name, "file")


def _value_faults(name: str, values: np.ndarray, path: str, ids: Sequence[str]) -> Iterator[SampleFault]:
    if values.dtype.kind != "f":
        return
    is_finite = np.isfinite(values)
    if is_finite.all():
        return
    for row in np.flatnonzero(~is_finite.all(axis=1)).tolist():
        n_nan = int(np.isnan(values[row]).sum())
        n_infinite = int((~is_finite[row]).sum()) - n_nan
        text = f"{n_nan:,} NaN and {n_infinite:,} infinite of {values.shape[1]:,} values"
        yield SampleFault("value", text, path, ids[row], name)


def _fault(error: AkdaskError, path: str, sample: str | None, field: str | None, other: FaultKind) -> SampleFault:
    kind = other
    if isinstance(error, SampleTypeError):
        kind = "type"
    elif isinstance(error, SampleSizeError):
        kind = "size"
    details = getattr(error, "findings", error.details)
    text = " ".join([error.message, *(f"({detail})" for detail in details)])
    return SampleFault(kind, text, path, sample, field or getattr(error, "field", None))
