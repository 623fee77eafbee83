"""Check a whole sample set in parallel, continuing an earlier run where it ended, and report its faults."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, field
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.errors import AkdaskError
from akdask.lbann import tuning
from akdask.lbann.errors import LbannError, LbannWarning, MissingSampleError, SampleSizeError, SampleTypeError
from akdask.lbann.read_lists import read_list
from akdask.lbann.reader import SampleReader, sample_ids
from akdask.lbann.sample_list import SampleList, parts
from akdask.lbann.schema import SampleFields, Schema, load, merge
from akdask.records import record
from akdask.storage.files import state_of
from akdask.storage.transaction import write_error

FaultKind: TypeAlias = Literal["list", "schema", "file", "count", "sample", "field", "type", "size", "value"]
"""What is at fault: the list, a schema, an unreadable file, a count in the list, a missing sample or field, the type or
number of its elements, or a value that is not finite.
"""


@record
class SampleFault:
    """One fault.

    Parameters
    ----------
    kind : str
        Kind of the fault; see `FaultKind`.
    text : str
        Description of the fault.
    file, sample, field : str, optional
        Where.
    is_warning : bool
        Whether samples can be read in spite of it.
    """

    kind: FaultKind
    text: str
    file: str | None = None
    sample: str | None = None
    field: str | None = None
    is_warning: bool = False


@record
class FileCheck:
    """The result of checking one file.

    Parameters
    ----------
    path : str
        The file.
    state : str
        Its size and time of modification, by which a later run recognizes it.
    n_samples : int
        Samples of the list that were looked for.
    faults : tuple of SampleFault
        Faults of the file.
    sizes : dict of str to (int, str)
        Number and type of the elements of each field, in the first sample that can be read.
    """

    path: str
    state: str
    n_samples: int
    faults: tuple[SampleFault, ...]
    sizes: dict[str, tuple[int, str]] = field(default_factory=dict)


@record
class SampleSetReport:
    """The outcome of a check.

    Parameters
    ----------
    faults : tuple of SampleFault
        In the order of the list.
    n_files, n_samples : int
        Number of samples checked.
    n_known : int
        Files checked by an earlier run.
    """

    faults: tuple[SampleFault, ...]
    n_files: int = 0
    n_samples: int = 0
    n_known: int = 0

    @property
    def is_good(self) -> bool:
        """Whether all samples can be read."""
        return all(fault.is_warning for fault in self.faults)

    def as_json(self) -> dict[str, Any]:
        """Return the report in JSON types."""
        return {
            "good": self.is_good,
            "files": self.n_files,
            "samples": self.n_samples,
            "known_from_before": self.n_known,
            "faults": [asdict(fault) for fault in self.faults],
        }


@record
class FileToCheck:
    """A file, and its line in a list.

    Parameters
    ----------
    path : str
        The file.
    ids : tuple of str
        Samples of the list.
    n_all : int, optional
        Number of samples in the file by the list; None if the list has no such number.
    """

    path: str
    ids: tuple[str, ...]
    n_all: int | None


def check_file(reader: SampleReader, file: FileToCheck, reads_data: bool) -> FileCheck:
    """Look for all faults of the samples of a file.

    Parameters
    ----------
    reader : SampleReader
        Reads them by the schemas.
    file : FileToCheck
        The file, and its expected samples.
    reads_data : bool
        Whether values are to be finite as well.
    """
    state = present_state(file.path)
    # Sizes are compared with the first sample of this file alone, whichever files this worker saw before.
    reader = SampleReader(reader.fields, keep_packed_fields=True)
    try:
        faults = list(_count_faults(file, has_fields=bool(reader.fields)))
    except AkdaskError as error:
        return FileCheck(file.path, state, len(file.ids), (_fault(error, file.path, None, None, "file"),))
    sizes: dict[str, tuple[int, str]] = {}
    for start in range(0, len(file.ids), tuning.CHECKED_SAMPLES):
        faults += _sample_faults(reader, file.path, file.ids[start : start + tuning.CHECKED_SAMPLES], reads_data)
    for name in reader.fields:
        try:
            sizes[name] = reader.size_of(name), str(reader.dtype_of(name))
        except LbannError:
            break
    return FileCheck(file.path, state, len(file.ids), tuple(faults), sizes)


def present_state(path: str) -> str:
    """Return a mark of a file's state; empty for a missing file."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size}/{state_of(status)}"


def _count_faults(file: FileToCheck, *, has_fields: bool) -> Iterator[SampleFault]:
    listed = ["/".join(parts(sample)) for sample in file.ids]
    depths = {len(parts(sample)) for sample in listed}
    there = set(sample_ids(file.path))  # raises if it cannot be opened
    for depth in depths - {0, 1}:
        there.update(sample_ids(file.path, depth=depth))
    # Where there are fields, reading them finds samples that are missing.
    for sample in () if has_fields else dict.fromkeys(listed):
        if sample and sample not in there:
            yield SampleFault("sample", "the file has no such sample.", file.path, sample)
    repeated = len(listed) - len(set(listed))
    if repeated:
        yield SampleFault("count", f"samples that are listed more than once: {repeated:,}", file.path, is_warning=True)
    if len(depths) != 1 or 0 in depths:
        return
    there = {sample for sample in there if len(parts(sample)) in depths}
    unlisted = there - set(listed)
    if file.n_all is not None and len(there) != file.n_all:
        text = f"the list says {file.n_all:,} samples, included and excluded; the file has {len(there):,}"
        yield SampleFault("count", text, file.path, is_warning=True)
    elif unlisted and file.n_all is None:
        text = f"samples of the file that are not in the list: {len(unlisted):,}, for instance {min(unlisted)!r}"
        yield SampleFault("count", text, file.path, is_warning=True)


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
    """Yield the faults of each field by itself."""
    for name, metadata in reader.fields.items():
        try:
            SampleReader(SampleFields({name: metadata.without("pack")})).read(path, sample)
        except MissingSampleError as error:
            if error.field is None:  # the sample itself is missing
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


def verify(
    samples: str | os.PathLike[str] | SampleList,
    data_schema: str | os.PathLike[str] | Schema | None = None,
    experiment_schema: str | os.PathLike[str] | Schema | None = None,
    *,
    reads_data: bool = True,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> SampleSetReport:
    """Find all faults of a sample set: of the list, the schemas, and every file, sample and field.

    Files are checked in parallel, by the threads or the cluster that Dask uses.

    Parameters
    ----------
    samples : str, path-like or SampleList
        The list.
    data_schema, experiment_schema : str, path-like or Schema, optional
        The schemas; without them only lists and files are compared.
    reads_data : bool, default True
        Whether values are checked too: NaN and infinities are faults.
    resume : str or path-like, optional
        A file that records the results for each file, so that an interrupted run continues: unchanged files are not
        checked again.
    progress : callable, optional
        Is called with the numbers of files done and of all.

    Returns
    -------
    SampleSetReport
        The faults; unreadable files are faults and no errors.

    Raises
    ------
    WriteError
        If results cannot be recorded.
    """
    fields, faults = _fields(data_schema, experiment_schema)
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", LbannWarning)
            listed = samples if isinstance(samples, SampleList) else read_list(samples)
    except AkdaskError as error:
        text = " ".join([error.message, *(f"({detail})" for detail in error.details)])
        return SampleSetReport((*faults, SampleFault("list", text)))
    faults += [SampleFault("list", str(one.message), is_warning=True) for one in told]
    if any(not fault.is_warning for fault in faults):
        return SampleSetReport(tuple(faults))
    files = _files(listed)
    # Tasks run in threads, or in other processes: warnings are recorded around all of them.
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", LbannWarning)
        checks, n_known = _checks(fields, files, reads_data, resume, progress)
    faults += [SampleFault("size", text, is_warning=True) for text in dict.fromkeys(str(one.message) for one in told)]
    faults += [fault for check in checks for fault in check.faults]
    faults += _disagreeing(checks)
    return SampleSetReport(tuple(faults), len(files), len(listed), n_known)


def _fields(data_schema: Any, experiment_schema: Any) -> tuple[SampleFields, list[SampleFault]]:
    if data_schema is None:
        return SampleFields({}), []
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", LbannWarning)
            experiment = None if experiment_schema is None else load(experiment_schema)
            fields = merge(load(data_schema), experiment)
    except AkdaskError as error:
        text = " ".join([error.message, *(f"({detail})" for detail in error.details)])
        return SampleFields({}), [SampleFault("schema", text, field=getattr(error, "field", None))]
    return fields, [SampleFault("schema", str(one.message), is_warning=True) for one in told]


def _files(listed: SampleList) -> list[FileToCheck]:
    """Return the files, each once, with the samples of all of its lines."""
    order = np.argsort(listed.line_files, kind="stable")
    ends = np.searchsorted(listed.line_files[order], np.arange(len(listed.paths)), side="right")
    files = []
    for code, lines in enumerate(np.split(order, ends[:-1]) if len(ends) else []):
        ids = [
            one
            for line in lines
            for one in listed.ids[int(listed.first[line]) : int(listed.first[line + 1])].to_pylist()
        ]
        excluded = int(listed.excluded[lines].sum())
        files.append(FileToCheck(listed.paths[code], tuple(ids), len(ids) + excluded if excluded else None))
    return files


def _checks(
    fields: SampleFields,
    files: Sequence[FileToCheck],
    reads_data: bool,
    resume: str | os.PathLike[str] | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[list[FileCheck], int]:
    import dask

    reader = SampleReader(fields, keep_packed_fields=True)
    known = {}
    if resume is not None:
        _note(resume, fields, reads_data, iter(()))  # raises now if it cannot be written, and not after an hour
        known = _known(resume, fields, reads_data)
    found: dict[str, FileCheck] = {}
    for file in files:
        check = known.get((file.path, _marked(file)))
        if check is not None and check.state == present_state(file.path) != "":
            found[file.path] = check
    n_known = len(found)
    left = [file for file in files if file.path not in found]
    one_file = dask.delayed(check_file, pure=False)
    sent = dask.delayed(reader)
    for start in range(0, len(left), tuning.CHECKED_FILES):
        some = left[start : start + tuning.CHECKED_FILES]
        checks = dask.compute(*(one_file(sent, dask.delayed(file, traverse=False), reads_data) for file in some))
        found |= {check.path: check for check in checks}
        if resume is not None:
            _note(resume, fields, reads_data, zip(some, checks, strict=True))
        if progress is not None:
            progress(len(found), len(files))
    return [found[file.path] for file in files], n_known


def _marked(file: FileToCheck) -> str:
    """Return a digest of the list's expectations of a file."""
    return blake2b(repr((file.ids, file.n_all)).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def _asked(fields: SampleFields, reads_data: bool) -> str:
    """Return a digest of the checks made on files."""
    return blake2b(
        f"{reads_data}{[(path, dict(one)) for path, one in fields.items()]}".encode(), digest_size=16
    ).hexdigest()


def _known(path: str | os.PathLike[str], fields: SampleFields, reads_data: bool) -> dict[tuple[str, str], FileCheck]:
    """Return the results of an earlier run with the same checks, ignoring truncated lines."""
    found = {}
    with suppress(FileNotFoundError), open(path, encoding="utf-8", errors="surrogateescape") as notes:
        for line in notes:
            with suppress(ValueError, KeyError, TypeError):
                note = json.loads(line)
                if note["asked"] == _asked(fields, reads_data):
                    sizes = {name: (int(size), str(dtype)) for name, (size, dtype) in note["sizes"].items()}
                    faults = tuple(SampleFault(**fault) for fault in note["faults"])
                    check = FileCheck(note["path"], note["state"], note["n_samples"], faults, sizes)
                    found[check.path, note["listed"]] = check
    return found


def _note(
    path: str | os.PathLike[str],
    fields: SampleFields,
    reads_data: bool,
    checks: Iterator[tuple[FileToCheck, FileCheck]],
) -> None:
    lines = [
        json.dumps(
            {
                "asked": _asked(fields, reads_data),
                "listed": _marked(file),
                "path": check.path,
                "state": check.state,
                "n_samples": check.n_samples,
                "faults": [asdict(fault) for fault in check.faults],
                "sizes": check.sizes,
            }
        )
        for file, check in checks
    ]
    try:
        with open(path, "a+b") as notes:
            # A run that was killed may have left a part of a line.
            notes.seek(max(notes.tell() - 1, 0))
            if notes.read(1) not in {b"", b"\n"}:
                notes.write(b"\n")
            notes.writelines(f"{line}\n".encode(errors="surrogateescape") for line in lines)
    except OSError as error:
        raise write_error(os.fspath(path), error) from error


def _disagreeing(checks: Sequence[FileCheck]) -> list[SampleFault]:
    """Return faults of files whose samples differ in size or type from most, which would fail in batches."""
    usual = Counter(tuple(sorted(check.sizes.items())) for check in checks if check.sizes)
    if len(usual) < 2:
        return []
    common = dict(usual.most_common(1)[0][0])
    return [
        SampleFault(
            "size" if size != common[name][0] else "type",
            f"{size:,} elements of type {dtype}; in most files {common[name][0]:,} of type {common[name][1]}",
            check.path,
            field=name,
        )
        for check in checks
        for name, (size, dtype) in check.sizes.items()
        if name in common and (size, dtype) != common[name]
    ]
