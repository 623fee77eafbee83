"""Read samples: find their fields in the files, read a batch file by file, then transform and pack it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import compress
from logging import getLogger
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import AlignmentError, FileFormatError
from akdask.formats.hdf5.group_templates import BY_LIBRARY, Offsets, locate
from akdask.formats.hdf5.open_files import (
    OPEN_FILES,
    TEXT,
    NotThereError,
    StoredElements,
    TreeFile,
    UnknownElementsError,
)
from akdask.lbann import tuning
from akdask.lbann.errors import LbannError, MissingSampleError, SampleError, SampleTypeError, is_no_hdf5
from akdask.lbann.schema import KNOWN_KEYS, SampleFields
from akdask.lbann.transform import SampleLayout, empty, groups_of, layout_of, names_of, resolve

Values: TypeAlias = npt.NDArray[Any]
Layouts: TypeAlias = Callable[[tuple[StoredElements, ...]], SampleLayout]

_LOG = getLogger("akdask.lbann")


class SampleReader:
    """Reads samples by two schemas.

    A reader holds no open files and can be pickled.  The process keeps a bounded number of files open.

    Parameters
    ----------
    fields : SampleFields
        The fields of each sample, with their directives; see `akdask.lbann.schema`.
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
            If the file, the sample or a field does not exist.
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
            If a file, a sample or a field does not exist.
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
        if len(self._layouts) < tuning.MOST_LAYOUTS:
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
        details = ["it is no HDF5 file"] if is_no_hdf5(error) else [*error.details]
        raise SampleError(
            "the file cannot be read.", file=path, sample=sample_id, details=details, hint=error.hint
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SampleError("the file cannot be read.", file=path, sample=sample_id, details=[reason]) from error


class _Alike:
    """Samples of a batch whose fields are stored alike, and the bytes of their small fields."""

    def __init__(self, layout: SampleLayout) -> None:
        self.layout = layout
        self.rows: list[int] = []
        small = [path for path, transform in layout.transforms.items() if transform.nbytes < tuning.LARGE_FIELD_BYTES]
        self.content: dict[str, list[bytes | None]] = {path: [] for path in small}


class SampleBatch:
    """A batch being read.

    Parameters
    ----------
    layouts : callable
        Returns the layout of samples, given the elements of their fields.
    paths : tuple of str
        The fields.
    n : int
        Number of samples.
    out : mapping of str to ndarray, optional
        Arrays that receive the values; new ones by default.
    """

    def __init__(
        self, layouts: Layouts, paths: tuple[str, ...], n: int, out: Mapping[str, Values] | None = None
    ) -> None:
        self._layouts = layouts
        self._paths = paths
        self._n = n
        self._alike: dict[int, _Alike] = {}
        self._first: SampleLayout | None = None
        self._given = out
        self._out: dict[str, Values] = {}

    def read(self, file: TreeFile, rows: Sequence[int], ids: Sequence[str]) -> None:
        """Read samples of a file into rows of the batch.

        Raises
        ------
        LbannError
            If one cannot be read.
        FileFormatError
            If the file cannot.
        """
        groups = [one.strip("/") for one in ids]
        located = locate(file, groups, self._paths)
        # In the requested order, since all are compared with the first.
        for which in dict.fromkeys(located.which.tolist()):
            is_own = located.which == which
            own_rows, own = zip(*compress(zip(rows, groups, strict=True), is_own), strict=True)
            if which == BY_LIBRARY:
                for row, sample_id in zip(own_rows, own, strict=True):
                    self._read_by_library(file, row, sample_id, dict.fromkeys(self._paths))
                continue
            offsets, elements = located.offsets[is_own], located.templates[which].elements
            if (offsets >= 0).all():
                self._read_alike(file, self._layout(elements, own[0]), offsets, own_rows, own)
            else:
                self._read_mixed(file, elements, offsets, own_rows, own)

    def _read_mixed(
        self,
        file: TreeFile,
        elements: Sequence[StoredElements],
        offsets: Offsets,
        rows: Sequence[int],
        ids: Sequence[str],
    ) -> None:
        """Read samples some of whose fields only the library can read, which also gives their types and shapes."""
        groups: dict[int, tuple[SampleLayout, list[int]]] = {}
        for position, (row, sample_id) in enumerate(zip(rows, ids, strict=True)):
            is_located = (offsets[position] >= 0).tolist()
            known = {
                path: stored if is_there else None
                for path, stored, is_there in zip(self._paths, elements, is_located, strict=True)
            }
            layout = self._read_by_library(file, row, sample_id, known)
            groups.setdefault(id(layout), (layout, []))[1].append(position)
        for layout, positions in groups.values():
            own_rows, own = zip(*[(rows[position], ids[position]) for position in positions], strict=True)
            self._read_alike(file, layout, offsets[positions], own_rows, own)

    def _read_by_library(
        self, file: TreeFile, row: int, sample_id: str, known: Mapping[str, StoredElements | None]
    ) -> SampleLayout:
        """Read the fields of a sample whose elements are still unknown, and return its layout."""
        values = {path: _read_field(file, sample_id, path) for path, stored in known.items() if stored is None}
        found = {
            path: StoredElements(TEXT if one.dtype.kind == "U" else one.dtype, one.size) for path, one in values.items()
        }
        layout = self._layout(tuple([stored or found[path] for path, stored in known.items()]), sample_id)
        for path, one in values.items():
            layout.transforms[path].apply(one[None], self._target(layout, path, row))
            self._copy(layout, path, row)
        return layout

    def _read_alike(
        self, file: TreeFile, layout: SampleLayout, offsets: Offsets, rows: Sequence[int], ids: Sequence[str]
    ) -> None:
        """Read the located fields of samples whose fields are stored alike."""
        alike = self._alike.get(id(layout))
        if alike is None:
            alike = self._alike[id(layout)] = _Alike(layout)
        alike.rows += rows
        for column, path in enumerate(self._paths):
            at = offsets[:, column].tolist()
            try:
                if path in alike.content:
                    alike.content[path] += _contents(file, at, layout.transforms[path].nbytes)
                else:
                    for row, offset in zip(rows, at, strict=True):
                        if offset >= 0:
                            self._read_large(file, layout, path, row, offset)
            except SampleError as error:
                raise error.at(sample=ids[0] if len(ids) == 1 else None, field=path) from None

    def _read_large(self, file: TreeFile, layout: SampleLayout, path: str, row: int, offset: int) -> None:
        """Read a field of one sample into its place, or transform it into its place."""
        transform = layout.transforms[path]
        target = self._target(layout, path, row)
        if transform.is_in_place:
            _read_into(file, target[0], offset)
            if not transform.is_plain:
                transform.apply(target, target)
        else:
            stored = empty((1, transform.size), transform.stored.dtype)
            _read_into(file, stored[0], offset)
            transform.apply(stored, target)
        self._copy(layout, path, row)

    def _target(self, layout: SampleLayout, path: str, row: int) -> Values:
        first = layout.targets[path][0]
        return self._out[first.name][row : row + 1, first.start : first.stop]

    def _copy(self, layout: SampleLayout, path: str, rows: Any) -> None:
        """Copy the values in the first place of a field to its other places."""
        first, *others = layout.targets[path]
        for other in others:
            self._out[other.name][rows, other.start : other.stop] = self._out[first.name][
                rows, first.start : first.stop
            ]

    def _layout(self, stored: tuple[StoredElements, ...], sample_id: str) -> SampleLayout:
        """Return the layout of samples, which must become the same arrays as the others of the batch."""
        try:
            layout = self._layouts(stored)
            if self._first is None:
                self._first = layout
                self._out = layout.allocate(self._n) if self._given is None else layout.fitting(self._given, self._n)
            elif layout is not self._first:
                for path in self._paths:
                    layout.check_same(path, self._first)
        except LbannError as error:
            raise error.at(sample=sample_id) from None
        return layout

    def finish(self) -> dict[str, Values]:
        """Transform the values read, and return the arrays."""
        for alike in self._alike.values():
            for path, content in alike.content.items():
                self._transform(alike, path, content)
        return {name: values if values.dtype != object else values.astype(TEXT) for name, values in self._out.items()}

    def _transform(self, alike: _Alike, path: str, content: list[bytes | None]) -> None:
        transform = alike.layout.transforms[path]
        rows = alike.rows
        if None in content:
            rows = [row for row, one in zip(rows, content, strict=True) if one is not None]
            content = [one for one in content if one is not None]
        if not rows:
            return
        stored = np.frombuffer(b"".join(content), transform.stored.dtype)  # type: ignore[arg-type]
        values = stored.reshape(len(rows), transform.size)
        first = alike.layout.targets[path][0]
        target = self._out[first.name][:, first.start : first.stop]
        if len(rows) == self._n and rows == list(range(self._n)):
            transform.apply(values, target)
            self._copy(alike.layout, path, slice(None))
            return
        transformed = np.empty(values.shape, transform.dtype)
        transform.apply(values, transformed)
        target[rows] = transformed
        self._copy(alike.layout, path, rows)


def _contents(file: TreeFile, offsets: Sequence[int], size: int) -> list[bytes | None]:
    """Return the bytes at each of the offsets, None for negative ones."""
    pread, descriptor = os.pread, file.descriptor
    if min(offsets) >= 0:
        found: list[bytes | None] = [pread(descriptor, size, offset) for offset in offsets]
    else:
        found = [pread(descriptor, size, offset) if offset >= 0 else None for offset in offsets]
    if not all(content is None or len(content) == size for content in found):
        raise _cut_error()
    return found


def _read_into(file: TreeFile, target: Values, offset: int) -> None:
    view = memoryview(target.view(np.uint8))  # type: ignore[arg-type]
    while view:
        count = os.preadv(file.descriptor, [view], offset)
        if not count:
            raise _cut_error()
        view, offset = view[count:], offset + count


def _cut_error() -> SampleError:
    return SampleError("the file ended before the data did.", hint="another program may be writing it; read it again.")


def _read_field(file: TreeFile, sample_id: str, field: str) -> Values:
    try:
        return file.library.read(f"{sample_id}/{field}")
    except UnknownElementsError as error:
        raise SampleTypeError(
            f"the field has elements that are neither numbers of up to 64 bits nor text: {error}.",
            sample=sample_id,
            field=field,
            hint="write it as integers or floats, or leave it out of the experiment schema.",
        ) from None
    except NotThereError as error:
        raise _missing(file, sample_id, field, str(error)) from None


def _missing(file: TreeFile, sample_id: str, field: str, reason: str) -> MissingSampleError:
    if not file.library.has_group(sample_id):
        return MissingSampleError(
            "the file has no such sample.", sample=sample_id, hint="compare the list with the names in the file."
        )
    above, _, leaf = field.rpartition("/")
    hint = "compare the schemas with the file, or make them from a sample of it."
    if leaf in KNOWN_KEYS:
        hint = f"{leaf!r} looks like metadata; it belongs into a 'metadata' map below the field."
    elif close := get_close_matches(leaf, _names_in(file, f"{sample_id}/{above}"), 1):
        hint = f"did you mean {close[0]!r}?"
    return MissingSampleError(f"the field cannot be read: it {reason}.", sample=sample_id, field=field, hint=hint)


def _names_in(file: TreeFile, group: str) -> list[str]:
    try:
        return [name for name, _ in file.library.members(group)]
    except NotThereError:
        return []


def sample_ids(path: str, *, depth: int = 1) -> list[str]:
    """Return the IDs of the groups at a depth of a file.

    Parameters
    ----------
    path : str
        The file.
    depth : int, default 1
        Parts of an ID: 1 for children of the root, 2 for their children.

    Returns
    -------
    list of str
        In order of creation where the file records it, else by name.  The samples below one group are adjacent.

    Raises
    ------
    MissingSampleError
        If there is no such file.
    SampleError
        If it cannot be read.
    """
    try:
        with OPEN_FILES.lease(path) as file:
            level = [""]
            for _ in range(depth):
                level = [
                    f"{group}/{name}" if group else name
                    for group in level
                    for name, is_group in file.library.members(group)
                    if is_group
                ]
            return level
    except FileNotFoundError:
        raise MissingSampleError("there is no such file.", file=path) from None
    except FileFormatError as error:
        raise SampleError("the file cannot be read.", file=path, details=[*error.details, error.message]) from error
    except (OSError, NotThereError) as error:
        raise SampleError("the file cannot be read.", file=path, details=[str(error)]) from error
