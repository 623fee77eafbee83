"""Read samples: find their fields in the files, read, transform and pack them, for one sample or many at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from logging import getLogger
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import AlignmentError, FileFormatError
from akdask.formats.hdf5.library_file import TEXT, StoredElements
from akdask.formats.hdf5.open_files import OPEN_FILES
from akdask.lbann.batch import SampleBatch
from akdask.lbann.errors import LbannError, MissingSampleError, SampleError
from akdask.lbann.fields import SampleFields
from akdask.lbann.transform import SampleLayout, groups_of, layout_of, names_of, resolve

Values: TypeAlias = npt.NDArray[Any]

_LOG = getLogger("akdask.lbann")

_MOST_LAYOUTS = 256


class SampleReader:
    """Reads samples by two schemas.

    A reader holds no open files and can be pickled; the process keeps a bounded number of files open.

    Parameters
    ----------
    fields : SampleFields
        The fields of each sample, with their directives; see `akdask.lbann.fields`.
    keep_packed_fields : bool, default False
        Whether fields that are packed into groups can be retrieved by their own names as well.

    Attributes
    ----------
    names : tuple of str
        Names of values in each sample: groups, and fields that are not packed.
    """

    def __init__(self, fields: SampleFields, *, keep_packed_fields: bool = False) -> None:
        self.fields = fields
        self.keep_packed_fields = keep_packed_fields
        self.names = names_of(fields, keep_packed_fields=keep_packed_fields)
        self._layouts: dict[tuple[StoredElements, ...], SampleLayout] = {}

    def read(self, path: str, sample_id: str) -> dict[str, Values]:
        """Read one sample.

        Parameters
        ----------
        path : str
            The file.
        sample_id : str
            Path of the sample in the file.

        Returns
        -------
        dict of str to ndarray
            One dimension each, by name, transformed and packed.

        Raises
        ------
        MissingSampleError
            If the file, the sample or a field is not there.
        SampleTypeError, SampleSizeError
            If the elements of a field cannot be transformed or packed.
        SampleError
            If the file cannot be read.
        """
        return {name: values[0] for name, values in self.read_samples([path], [sample_id]).items()}

    def read_batch(self, path: str, ids: Sequence[str]) -> dict[str, Values]:
        """Read samples of one file; see `read_samples`.

        Parameters
        ----------
        path : str
            The file.
        ids : sequence of str
            Paths of the samples in the file, with repetitions if wanted.

        Returns
        -------
        dict of str to ndarray, shape (n, size)
            By name, transformed and packed; a row for each sample.

        Raises
        ------
        MissingSampleError, SampleTypeError, SampleSizeError, SampleError
            As for `read_samples`.
        """
        return self.read_samples([path] * len(ids), ids)

    def read_samples(
        self, paths: Sequence[str], ids: Sequence[str], out: Mapping[str, Values] | None = None
    ) -> dict[str, Values]:
        """Read samples of any files, grouped by file.

        Parameters
        ----------
        paths : sequence of str, shape (n,)
            The file of each sample.
        ids : sequence of str, shape (n,)
            Path of each sample in its file, with repetitions if wanted.
        out : mapping of str to ndarray, shape (n, size), optional
            Arrays of the right types that take the values, one for each of `names`.

        Returns
        -------
        dict of str to ndarray, shape (n, size)
            By name, transformed and packed; a row for each sample.  Without samples, the size is 0 unless a sample was
            read before.

        Raises
        ------
        MissingSampleError
            If a file, a sample or a field is not there.
        SampleTypeError, SampleSizeError
            If the elements of a field cannot be transformed or packed, or samples have not the same number of them.
        SampleError
            If a file cannot be read.
        """
        if len(paths) != len(ids):
            raise AlignmentError(f"{len(paths)} files are given for {len(ids)} samples.")
        batch = SampleBatch(self.layout, tuple(self.fields), len(ids), out)
        rows_by_path: dict[str, list[int]] = {}
        for row, path in enumerate(paths):
            rows_by_path.setdefault(path, []).append(row)
        for path, rows in rows_by_path.items():
            with explained(path, ids[rows[0]]), OPEN_FILES.lease(path) as file:
                batch.read(file, rows, [ids[row] for row in rows])
        if len(ids):
            return batch.finish()
        known = next(iter(self._layouts.values()), None)
        return {name: np.empty((0, 0)) for name in self.names} if known is None else known.allocate(0)

    def select(self, names: Collection[str]) -> SampleReader:
        """Return a reader of the fields that some names need.

        Parameters
        ----------
        names : collection of str
            Groups and fields, also by their older spelling.

        Raises
        ------
        UnknownNameError
            If there is no such name.
        """
        wanted = {resolve(name, self.names) for name in names}
        groups = groups_of(self.fields)
        packed = {field.path for name in wanted if name in groups for field in groups[name]}
        needed = {path: field for path, field in self.fields.items() if path in packed or path in wanted}
        # A field that is wanted for itself would be all that is left of its group.
        fields = {path: field if path in packed else field.without("pack") for path, field in needed.items()}
        return SampleReader(SampleFields(fields), keep_packed_fields=self.keep_packed_fields)

    def size_of(self, name: str) -> int:
        """Return how many elements a sample has under a name.

        Parameters
        ----------
        name : str
            One of `names`, or its older spelling: ``datum`` for ``samples``.

        Raises
        ------
        UnknownNameError
            If there is no such name.
        LbannError
            If no sample has been read.
        """
        return self._first(name).sizes[resolve(name, self.names)]

    def dims_of(self, name: str) -> tuple[int, ...]:
        """Return the dimensions of a sample under a name, channels first if it has them; for errors see `size_of`."""
        return self._first(name).dims[resolve(name, self.names)]

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of the elements under a name; for errors see `size_of`."""
        return self._first(name).dtypes[resolve(name, self.names)]

    def _first(self, name: str) -> SampleLayout:
        resolve(name, self.names)
        if not self._layouts:
            raise LbannError(
                "sizes are those of the first sample, and none has been read.", hint="read a sample first."
            )
        return next(iter(self._layouts.values()))

    def layout(self, stored: tuple[StoredElements, ...]) -> SampleLayout:
        """Return the arrays that samples become, given the elements of their fields.

        Raises
        ------
        SampleTypeError, SampleSizeError
            If they cannot be transformed, or are packed into groups of another type or size than in the first sample.
        """
        known = self._layouts.get(stored)
        if known is not None:
            return known
        made = layout_of(
            self.fields, dict(zip(self.fields, stored, strict=True)), keep_packed_fields=self.keep_packed_fields
        )
        if self._layouts:
            check_same_groups(self.fields, next(iter(self._layouts.values())), made)
        else:
            _tell_what_is_no_float(self.fields, made)
        if len(self._layouts) < _MOST_LAYOUTS:
            self._layouts[stored] = made
        return made


def _tell_what_is_no_float(fields: SampleFields, layout: SampleLayout) -> None:
    """Log the fields that keep their stored type, if these are not floats."""
    for path, transform in layout.transforms.items():
        if fields[path].directives.dtype is None and transform.dtype.kind != "f":
            shown = "text" if transform.dtype == TEXT else transform.dtype
            _LOG.info(
                "field %r is %s in the file and stays so; 'coerce: float' would make floats of numbers", path, shown
            )


def check_same_groups(fields: SampleFields, first: SampleLayout, other: SampleLayout) -> None:
    """Refuse packed fields of another type or size than in the first sample.

    Raises
    ------
    SampleTypeError, SampleSizeError
        If there are such.
    """
    for path, field in fields.items():
        if field.directives.pack is not None:
            other.check_same(path, first)


@contextmanager
def explained(path: str, sample_id: str) -> Iterator[None]:
    """Add file and sample to errors."""
    try:
        yield
    except FileNotFoundError:
        raise MissingSampleError(
            "there is no such file.", file=path, sample=sample_id, hint="check the base directory of the list."
        ) from None
    except LbannError as error:
        raise error.at(file=path) from error.__cause__
    except FileFormatError as error:
        raise SampleError(
            "the file cannot be read.", file=path, sample=sample_id, details=[*error.details], hint=error.hint
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SampleError("the file cannot be read.", file=path, sample=sample_id, details=[reason]) from error
