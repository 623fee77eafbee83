"""Files of HDF5 that are several files: families, whose members have a number in their names, and split ones.

They are opened by their first member, or that of the metadata, and read through the library, as addresses mean all
members.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.low_level import h5f, h5p

_FAMILY, _SPLIT = b"NCSAfami", b"NCSAmult"
"""What the superblocks of such files name as their driver."""

_SUPERBLOCK = 4096  # bytes with the name of the driver
_OF_METADATA, _OF_DATA = "-m.h5", "-r.h5"


def open_parts(path: str, access: H5Object) -> H5Object | None:
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
