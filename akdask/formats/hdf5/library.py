"""Open files through the HDF5 library, to read them, also those that are several files.

These are families, whose members have a number in their names, and split ones.  They are opened by their first member,
or that of the metadata, and read through the library, as addresses mean all members.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.low_level import h5f, h5fd, h5p, h5py
from akdask.storage.files import FileIdentity, identify, is_remote, open_regular, path_of_open
from akdask.storage.remote import RemoteFile

HDF5_ERRORS = (
    OSError,
    KeyError,
    ValueError,
    RuntimeError,
    TypeError,
    NotImplementedError,
    # A callback that fails without setting an error; sizes beyond memory or integers.
    SystemError,
    MemoryError,
    OverflowError,
)
"""Errors that h5py raises for the library's: it chooses the class by the library's error number."""


@contextmanager
def open_file(path: str, file: FileIdentity | None = None) -> Iterator[Any]:
    """Open an HDF5 file to read its metadata; for `file` see `open_hdf5`.

    Raises
    ------
    FileFormatError
        In place of any error of the library, also later inside the ``with``.
    """
    with hdf5_errors_naming(path), open_hdf5(path, file) as opened:
        yield opened


@contextmanager
def hdf5_errors_naming(path: str) -> Iterator[None]:
    """Turn errors of the library into `FileFormatError`; an `AkdaskError` is left as it is."""
    try:
        yield
    except AkdaskError:
        raise
    except HDF5_ERRORS as error:
        if "file signature not found" in str(error):
            raise FileFormatError(
                f"{path!r} cannot be read as HDF5: it is no HDF5 file.",
                hint="ak.scan tells formats apart; netCDF files before version 4 are not HDF5, and "
                "nccopy -k nc4 makes such of them.",
            ) from error
        if "already open for write" in str(error):
            raise FileFormatError(
                f"{path!r} cannot be read as HDF5: a program that writes has it open, or ended without closing it.",
                hint="wait until the program has closed it; if that has ended, h5clear -s clears the mark of it.",
            ) from error
        raise FileFormatError(
            f"{path!r} cannot be read as HDF5.",
            details=[str(error)],
            hint="the file is damaged, truncated or of another format; leave it out or write it again.",
        ) from error


def open_hdf5(path: str, file: FileIdentity | None = None) -> Any:
    """Open an HDF5 file for reading; the caller closes it.

    Where the identity of a remote file is known, giving it as `file` saves a request.
    """
    if is_remote(path):
        return h5py.File(RemoteFile(file or identify(path)), "r")
    # The library opens by name and waits at a FIFO, which may have replaced a file after it was checked.
    descriptor = open_regular(path, follows=True)
    try:
        return h5py.File(_open(os.fsencode(path_of_open(descriptor, path))))
    except HDF5_ERRORS as error:
        parts = _open_parts(path, _new_access())
        if parts is not None:
            return h5py.File(parts)
        raise type(error)(str(error).replace(path_of_open(descriptor, path), path)) from error
    finally:
        os.close(descriptor)


def _open(name: bytes) -> H5Object:
    try:
        return h5f.open(name, h5f.ACC_RDONLY, _access())
    except OSError as error:
        if not _is_open_otherwise(error):
            raise
    # The user has the file open in this process, and all opens must agree on flags: try h5py's default.
    try:
        return h5f.open(name, h5f.ACC_RDONLY, h5p.create(h5p.FILE_ACCESS))
    except OSError as error:
        if not _is_open_otherwise(error):
            raise
        access = h5p.create(h5p.FILE_ACCESS)
        access.set_file_locking(False, True)
        return h5f.open(name, h5f.ACC_RDONLY, access)


def is_in_parts(opened: Any) -> bool:
    """Whether an open file is several files, in which addresses are no offsets."""
    return opened.id.get_access_plist().get_driver() in {h5fd.FAMILY, h5fd.MULTI}


def _is_open_otherwise(error: OSError) -> bool:
    return "file locking flag" in str(error) or "file close degree" in str(error)


@lru_cache(maxsize=1)
def _access() -> H5Object:
    return _new_access()


def _new_access() -> H5Object:
    """Readers take no lock: a set may be on a file system without locks, or be appended to by another process."""
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    access.set_file_locking(False, True)
    return access


_FAMILY, _SPLIT = b"NCSAfami", b"NCSAmult"
"""What the superblocks of such files name as their driver."""

_SUPERBLOCK = 4096  # bytes with the name of the driver
_OF_METADATA, _OF_DATA = "-m.h5", "-r.h5"


def _open_parts(path: str, access: H5Object) -> H5Object | None:
    """Open all files of one of several, by a member of this machine; None if the file is no such member.

    Parameters
    ----------
    path : str
        The first member of a family, whose number is 0, or the member of a split file with the metadata.
    access : low-level h5py property list
        How to open a file.

    Raises
    ------
    OSError
        If the other members do not fit.
    """
    with open(path, "rb") as file:
        first = file.read(_SUPERBLOCK)
    folder, name = os.path.split(path)
    zeros = re.search(r"0+(?=[^0]*$)", name)
    if _FAMILY in first and zeros is not None:
        before, after = (side.replace("%", "%%") for side in (name[: zeros.start()], name[zeros.end() :]))
        pattern = os.path.join(folder.replace("%", "%%"), f"{before}%0{len(zeros[0])}d{after}")
        _check_files(_members(pattern))
        access.set_fapl_family(0, h5p.create(h5p.FILE_ACCESS))
        return h5f.open(os.fsencode(pattern), h5f.ACC_RDONLY, access)
    if _SPLIT in first and name.endswith(_OF_METADATA):
        start = path.removesuffix(_OF_METADATA)
        _check_files([path, start + _OF_DATA])
        of_both = (h5p.create(h5p.FILE_ACCESS) for _ in range(2))
        access.set_fapl_split(_OF_METADATA.encode(), next(of_both), _OF_DATA.encode(), next(of_both))
        return h5f.open(os.fsencode(start), h5f.ACC_RDONLY, access)
    return None


def _members(pattern: str) -> Iterator[str]:
    number = 0
    while os.path.lexists(member := pattern % number):
        yield member
        number += 1


def _check_files(members: Any) -> None:
    """Refuse members that are no files: the library would wait at a FIFO."""
    for member in members:
        if not os.path.isfile(member):
            raise OSError(f"the member {member!r} is no file")
