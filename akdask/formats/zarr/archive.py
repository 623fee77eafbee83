"""A Zarr store in a zip archive: its members are the files that the folder of a store has."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping

import numpy as np

from akdask.errors import AkdaskError, FileFormatError, UnsupportedError
from akdask.records import record
from akdask.storage.files import FileIdentity, identify, open_regular
from akdask.storage.ranges import range_reader
from akdask.typing import NumberArray

METADATA = (".zarray", ".zgroup", "zarr.json")
"""Names of files, one of which says that a folder is a store."""

SIGNATURE = b"PK\x03\x04"
_HEADER = struct.Struct("<4s22xHH")
"""Before the bytes of a member: the signature, and the lengths of its name and of further fields."""


_OF_DAMAGED = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
    OSError,
    struct.error,
)
"""What `zipfile` raises for damaged directories of archives."""


@record
class ArchiveMember:
    """One member of an archive; has the attributes of a `FileIdentity` that stores use.

    Parameters
    ----------
    path : str
        Path of the archive and the name of the member, for messages.
    size : int
        Bytes when unpacked.
    version : str
        State of the archive.
    archive : FileIdentity
        The archive.
    offset : int
        Where the header of the member begins.
    packed : int
        Bytes in the archive.
    method : int
        0 for bytes as they are, 8 for DEFLATE.
    crc : int
        Checksum of the unpacked bytes, CRC-32.
    """

    path: str
    size: int
    version: str
    archive: FileIdentity
    offset: int
    packed: int
    method: int
    crc: int

    def content(self) -> NumberArray:
        """Return the unpacked bytes.

        Raises
        ------
        FileFormatError
            If the archive is damaged.
        UnsupportedError
            If the member is packed in another way.
        """
        if self.method not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise UnsupportedError(
                f"{self.path!r} is packed by method {self.method} of zip, which is not unpacked.",
                hint="chunks are packed already: write the archive with ZIP_STORED.",
            )
        begin = self.offset + _HEADER.size
        with range_reader(self.archive) as reader:
            if begin > self.archive.size:
                raise self._damaged("its header lies behind the end of the archive")
            header = np.empty(_HEADER.size, np.uint8)
            reader.read_into(header, self.offset, "header")
            signature, *lengths = _HEADER.unpack(header.tobytes())
            begin += sum(lengths)
            if signature != SIGNATURE or begin + self.packed > self.archive.size:
                raise self._damaged("the archive has no such member where its directory says")
            data = np.empty(self.packed, np.uint8)
            reader.read_into(data, begin, "member")
        return self._checked(data if self.method == zipfile.ZIP_STORED else self._inflated(data))

    def _inflated(self, data: NumberArray) -> NumberArray:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            found = inflater.decompress(data.data, self.size + 1)
        except zlib.error as error:
            raise self._damaged(str(error)) from None
        return np.frombuffer(found, np.uint8)

    def _checked(self, data: NumberArray) -> NumberArray:
        if len(data) != self.size:
            raise self._damaged(f"it has not the {self.size:,} bytes that the directory of the archive says")
        if zlib.crc32(data.data) != self.crc:
            raise self._damaged("its bytes differ from their checksum")
        return data

    def _damaged(self, told: str) -> FileFormatError:
        return FileFormatError(f"{self.path!r} cannot be read: {told}.", hint="the archive is damaged; make it again.")


def members_of(path: str) -> Mapping[str, ArchiveMember]:
    """Return the files in an archive by their names; of a name that occurs twice, the last one.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FileFormatError
        If it is no archive, or its directory is damaged.
    """
    own = identify(path)
    try:
        with os.fdopen(open_regular(path, follows=True), "rb") as file, zipfile.ZipFile(file) as archive:
            return {
                one.filename: ArchiveMember(
                    f"{path}/{one.filename}",
                    one.file_size,
                    own.version,
                    own,
                    one.header_offset,
                    one.compress_size,
                    one.compress_type,
                    one.CRC,
                )
                for one in archive.infolist()
                if not one.is_dir()
            }
    except _OF_DAMAGED as error:
        raise FileFormatError(
            f"{path!r} is no zip archive that can be read: {error}.", hint="name the folder of a Zarr store, or a .zip."
        ) from None


def is_store(path: str) -> bool:
    """Whether an archive has the metadata of an array or a group; False where it is none."""
    try:
        names = members_of(path)
    except AkdaskError:
        return False
    return any(name.rpartition("/")[2] in METADATA for name in names)


def damages_in(members: Mapping[str, ArchiveMember]) -> Iterator[tuple[str, str]]:
    """Read all members, and yield path and damage of those that differ from their checksums."""
    for member in members.values():
        try:
            member.content()
        except FileFormatError as error:
            yield member.path, " ".join([error.message, *error.details])
