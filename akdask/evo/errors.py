"""Every error about blobs of Evo objects, in one family.

::

    EvoError                       AkdaskError
    ├── DescriptionError           ValueError          an array description that makes no sense
    ├── IdentifierError            ValueError          a name that is neither a digest nor a UUID
    ├── ObjectError                ValueError          a document that is no object, or has no array at a path
    ├── KindError                  TypeError           column types that no kind of array has
    ├── ShapeError                 ValueError          another number of rows or columns than is described
    ├── ContentError               ValueError          values that the role of an array forbids
    ├── UnsupportedTableError      TypeError           an object that is no table
    ├── BlobFormatError            FileFormatError     not Parquet, damaged, or against the rules for blobs
    ├── DigestError                FileFormatError     bytes whose digest is not the name of the blob
    ├── MissingBlobError           MissingFileError    a store has no blob of a name
    ├── StoreError                 FileError           a folder of blobs cannot be looked into
    └── BlobWriteError             WriteError          a blob could not be written; no file is left

Messages name the blob, the column and the row group if these are known, and give advice.
"""

from __future__ import annotations

from akdask.errors import AkdaskError, FileError, FileFormatError, MissingFileError, WriteError


class EvoError(AkdaskError):
    """Base of all errors about blobs, array descriptions and objects."""


class DescriptionError(EvoError, ValueError):
    """An array description lacks something, or contradicts itself."""


class IdentifierError(DescriptionError):
    """A blob is named neither by 64 hexadecimal digits nor by a UUID."""


class ObjectError(EvoError, ValueError):
    """A document is not an object, or lacks an array at a path."""


class KindError(EvoError, TypeError):
    """No kind of array has columns of these types."""


class ShapeError(EvoError, ValueError):
    """A table has another number of rows or columns than its description."""


class ContentError(EvoError, ValueError):
    """Values are null, not a number, out of range or repeated where the role of the array forbids that."""


class UnsupportedTableError(EvoError, TypeError):
    """An object cannot be stored as the rows of a blob."""


class BlobFormatError(EvoError, FileFormatError):
    """A file is no Parquet file, is damaged, or breaks the rules for blobs."""


class DigestError(EvoError, FileFormatError):
    """The SHA-256 of a blob is not its name."""


class MissingBlobError(EvoError, MissingFileError):
    """A store has no blob of a name."""


class StoreError(EvoError, FileError):
    """A folder of blobs cannot be listed or read."""


class BlobWriteError(EvoError, WriteError):
    """A blob could not be written."""


def place_of(*, blob: str | None = None, column: str | None = None, row_group: int | None = None) -> str:
    """Return where something was found, in words.

    Examples
    --------
    >>> place_of(blob="ab12", column="x", row_group=3)
    "blob 'ab12', column 'x', row group 3"
    """
    parts = [
        f"blob {blob!r}" if blob is not None else "",
        f"column {column!r}" if column is not None else "",
        f"row group {row_group}" if row_group is not None else "",
    ]
    return ", ".join(filter(None, parts))
