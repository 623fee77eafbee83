"""The errors of LBANN's samples, schemas and lists: each names the file, the sample, the field and the schema path.

::

    LbannError
    ├── LbannSchemaError      ValueError            a schema, or metadata of a field, that cannot be followed
    ├── LbannListError        ValueError            a sample list that cannot be read, or contradicts itself
    ├── SampleError           RuntimeError          a sample that cannot be read or prepared
    │   ├── MissingSampleError    KeyError              a file, sample or field that does not exist
    │   ├── SampleTypeError       TypeError             elements of a type that the step cannot take
    │   └── SampleSizeError       ValueError            other numbers of elements than the samples before had
    └── UnknownNameError      KeyError              a name under which nothing can be retrieved
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from akdask.errors import AkdaskError, FileError, SchemaError


class LbannError(AkdaskError):
    """Base of the errors of `akdask.lbann`.

    Parameters
    ----------
    message : str
        The failed request and its reason.
    file, sample, field, schema : str, optional
        Where: the file, the ID of the sample, the path of the field in it, and the path in which schema.
    details : iterable of str
        The values found.
    hint : str, optional
        Advice for the user.

    Examples
    --------
    >>> print(LbannError("cannot be read.", file="a.h5", sample="RUN_ID/7", field="Image", hint="write it again."))
    cannot be read.
      file: a.h5
      sample: RUN_ID/7
      field: Image
    Hint: write it again.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        sample: str | None = None,
        field: str | None = None,
        schema: str | None = None,
        details: Iterable[str] = (),
        hint: str | None = None,
    ) -> None:
        self.file, self.sample, self.field, self.schema = file, sample, field, schema
        self.findings = tuple(details)
        where = {"file": file, "sample": sample, "field": field, "schema": schema}
        lines = [f"{name}: {value}" for name, value in where.items() if value is not None]
        super().__init__(message, details=(*lines, *self.findings), hint=hint)

    def at(
        self,
        *,
        file: str | None = None,
        sample: str | None = None,
        field: str | None = None,
        schema: str | None = None,
    ) -> Self:
        """Return the error completed by its place, as far as unknown."""
        return type(self)(
            self.message,
            file=self.file or file,
            sample=self.sample or sample,
            field=self.field or field,
            schema=self.schema or schema,
            details=self.findings,
            hint=self.hint,
        )

    def __reduce__(self) -> tuple[object, ...]:
        where = (self.file, self.sample, self.field, self.schema)
        return _rebuild, (type(self), self.message, where, self.findings, self.hint)


def _rebuild(
    cls: type[LbannError],
    message: str,
    where: tuple[str | None, str | None, str | None, str | None],
    findings: tuple[str, ...],
    hint: str | None,
) -> LbannError:
    file, sample, field, schema = where
    return cls(message, file=file, sample=sample, field=field, schema=schema, details=findings, hint=hint)


def is_no_hdf5(error: Exception) -> bool:
    """Whether the HDF5 library has found no signature of a file, so that it is another one rather than damaged."""
    return any("signature not found" in str(told) for told in (error, error.__cause__))


class LbannSchemaError(LbannError, SchemaError):
    """A schema that cannot be read, or metadata of a field that cannot be followed."""


class LbannListError(LbannError, SchemaError):
    """A sample list that cannot be read, or that contradicts itself or its files."""


class SampleError(LbannError, FileError):
    """A sample could not be read, or not be prepared by the schemas."""


class MissingSampleError(SampleError, KeyError):
    """The file, the sample or the field does not exist."""


class SampleTypeError(SampleError, TypeError):
    """Elements are of a type that the step cannot take."""


class SampleSizeError(SampleError, ValueError):
    """A field has another number of elements than is needed, or than in the samples before."""


class UnknownNameError(LbannError, KeyError):
    """No value can be retrieved under the name."""


class LbannWarning(UserWarning):
    """Something that upstream accepts in silence and that is probably a mistake."""
