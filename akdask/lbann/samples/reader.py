"""Reading samples: their fields are found in a file, read, transformed and packed, one sample or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import FileFormatError
from akdask.hdf5.tree.elements import TEXT, Elements, UnknownElementsError
from akdask.hdf5.tree.library_file import NotThereError
from akdask.hdf5.tree.open_files import OPEN_FILES
from akdask.hdf5.tree.tree_file import TreeFile
from akdask.lbann.errors import LbannError, MissingSampleError, SampleError, SampleTypeError
from akdask.lbann.schema import Fields
from akdask.lbann.schema.nodes import KNOWN_KEYS
from akdask.lbann.transform.layout import SampleLayout, layout_of, names_of
from akdask.lbann.transform.names import resolve

Values: TypeAlias = npt.NDArray[Any]
Signature: TypeAlias = tuple[Elements, ...]


class SampleReader:
    """Reads samples as two schemas say.

    A reader holds no open files and can be pickled; files stay open in the process, a bounded number of them.

    Parameters
    ----------
    fields : Fields
        What is read of each sample, and what is done to it; see `akdask.lbann.schema.merge`.
    keep_packed_fields : bool, default False
        Whether fields that are packed into groups can be retrieved by their own names as well.

    Attributes
    ----------
    names : tuple of str
        What each sample has: groups, and fields that are not packed.
    """

    def __init__(self, fields: Fields, *, keep_packed_fields: bool = False) -> None:
        self.fields = fields
        self.keep_packed_fields = keep_packed_fields
        self.names = names_of(fields, keep_packed_fields=keep_packed_fields)
        self._layouts: dict[Signature, SampleLayout] = {}

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
        return {name: values[0] for name, values in self.read_batch(path, [sample_id]).items()}

    def read_batch(self, path: str, ids: Sequence[str]) -> dict[str, Values]:
        """Read samples of one file.

        Parameters
        ----------
        path : str
            The file.
        ids : sequence of str
            Paths of the samples in the file; one may come twice.

        Returns
        -------
        dict of str to ndarray, shape (n, size)
            By name, transformed and packed; a row for each sample.

        Raises
        ------
        MissingSampleError
            If the file, a sample or a field is not there.
        SampleTypeError, SampleSizeError
            If the elements of a field cannot be transformed or packed, or samples have not the same number of them.
        SampleError
            If the file cannot be read.
        """
        try:
            with OPEN_FILES.lease(path) as file:
                return self._read(file, ids)
        except FileNotFoundError:
            raise MissingSampleError("there is no such file.", file=path, sample=ids[0] if ids else None) from None
        except FileFormatError as error:
            raise SampleError("the file cannot be read.", file=path, details=[*error.details, error.message]) from error
        except LbannError as error:
            raise error.at(file=path) from error.__cause__
        except OSError as error:
            raise SampleError("the file cannot be read.", file=path, details=[error.strerror or str(error)]) from error

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
        """Return the dimensions of a sample under a name: channels first, if it has them; for errors see `size_of`."""
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

    def _read(self, file: TreeFile, ids: Sequence[str]) -> dict[str, Values]:
        out: dict[str, Values] = {}
        layout: SampleLayout | None = None
        for row, sample_id in enumerate(ids):
            try:
                stored = {path: _read_field(file, sample_id, path) for path in self.fields}
                signature = tuple(
                    Elements(values.dtype if values.dtype.kind != "U" else TEXT, values.size)
                    for values in stored.values()
                )
                layout = self._layout(signature)
            except LbannError as error:
                raise error.at(sample=sample_id) from error.__cause__
            if not out:
                out = layout.allocate(len(ids))
            for path, transform in layout.transforms.items():
                first, *others = layout.targets[path]
                target = out[first.name][row : row + 1, first.start : first.stop]
                transform.apply(stored[path][None], target)
                for other in others:
                    out[other.name][row, other.start : other.stop] = target[0]
        return out

    def _layout(self, signature: Signature) -> SampleLayout:
        known = self._layouts.get(signature)
        if known is None:
            stored = dict(zip(self.fields, signature, strict=True))
            known = layout_of(self.fields, stored, keep_packed_fields=self.keep_packed_fields)
            self._layouts[signature] = known
        return known


def _read_field(file: TreeFile, sample_id: str, field: str) -> Values:
    path = f"{sample_id.strip('/')}/{field}"
    try:
        return file.library.read(path)
    except UnknownElementsError as error:
        raise SampleTypeError(
            f"the field has elements that are neither numbers of up to 64 bits nor text: {error}.",
            field=field,
            hint="write it as integers or floats, or leave it out of the experiment schema.",
        ) from None
    except NotThereError as error:
        raise _missing(file, sample_id, field, str(error)) from None


def _missing(file: TreeFile, sample_id: str, field: str, reason: str) -> MissingSampleError:
    if not file.library.has_group(sample_id):
        return MissingSampleError("the file has no such sample.", sample=sample_id)
    leaf = field.rpartition("/")[2]
    hint = "compare the schemas with the file: 'akdask lbann schema' writes one from a sample."
    if leaf in KNOWN_KEYS:
        hint = f"{leaf!r} looks like metadata; it belongs into a 'metadata' map below the field."
    return MissingSampleError(f"the field cannot be read: it {reason}.", sample=sample_id, field=field, hint=hint)
