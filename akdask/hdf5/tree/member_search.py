"""Members of groups found by name without the library: trees of old groups, links of new ones.

One member among many is looked for as the library does, with a few reads; nothing is listed.
"""

from __future__ import annotations

import struct

from akdask.hdf5.tree.fractal_heap import find_dense_link
from akdask.hdf5.tree.object_header import (
    IS_SHARED,
    LINK,
    LINK_INFO,
    SYMBOL_TABLE,
    Read,
    UnknownStructureInTreeError,
    content_at,
    demand,
    place_of_hard_link,
    read_header,
)

_SOFT = 2
_MOST_LEVELS = 32


def find_group(read: Read, root: int, path: str) -> int | None:
    """Return the address of the header of what is at a path.

    Parameters
    ----------
    read : Read
        Reads the file.
    root : int
        Address of the root group.
    path : str
        Names, joined by slashes.

    Returns
    -------
    int or None
        None where only the library can tell, also whether there is anything.
    """
    address = root
    try:
        for name in path.split("/"):
            address = _member(read, address, name.encode(errors="surrogateescape"))
    except (UnknownStructureInTreeError, struct.error, IndexError, ValueError):
        return None
    return address


def _member(read: Read, group: int, name: bytes) -> int:
    header = read_header(read, group)
    if tables := header.of_kind(SYMBOL_TABLE):
        tree, heap = struct.unpack_from("<QQ", header.content(tables[0]))
        return _in_tree(read, tree, _Names(read, heap), name)
    for message in header.of_kind(LINK):
        content = header.content(message)
        place = place_of_hard_link(content, name)
        if place is not None:
            return _address_at(content, place)
    (information,) = header.of_kind(LINK_INFO)
    demand(not information.flags & IS_SHARED)
    link = find_dense_link(read, header.content(information), name)
    return _address_at(link.content, link.place)


def _address_at(content: bytes, place: int) -> int:
    (address,) = struct.unpack_from("<Q", content, place)
    return int(address)


class _Names:
    """Names of the members of an old group, read one by one."""

    def __init__(self, read: Read, heap: int) -> None:
        head = content_at(read, heap, 32)
        demand(head.startswith(b"HEAP\0"))
        self._read = read
        self._size, _, self._start = struct.unpack_from("<QQQ", head, 8)

    def at(self, offset: int, length: int) -> bytes:
        """Return a name, or as much of it as tells how it compares with one of the given length."""
        demand(offset < self._size)
        content = self._read(self._start + offset, min(length + 1, self._size - offset))
        return content.partition(b"\0")[0]


def _in_tree(read: Read, node: int, names: _Names, name: bytes) -> int:
    for _ in range(_MOST_LEVELS):
        head = content_at(read, node, 24)
        demand(head.startswith(b"TREE\0"))
        level, used = head[5], struct.unpack_from("<H", head, 6)[0]
        # Keys and children take turns; a child has the names up to the key behind it.
        numbers = struct.unpack(f"<{2 * used + 1}Q", content_at(read, node + 24, 16 * used + 8))
        first, last = 0, used - 1
        while first < last:
            middle = (first + last) // 2
            if names.at(numbers[2 * middle + 2], len(name)) < name:
                first = middle + 1
            else:
                last = middle
        node = numbers[2 * first + 1]
        if not level:
            return _in_table(read, node, names, name)
    raise UnknownStructureInTreeError


def _in_table(read: Read, table: int, names: _Names, name: bytes) -> int:
    head = content_at(read, table, 8)
    demand(head.startswith(b"SNOD\1"))
    (count,) = struct.unpack_from("<H", head, 6)
    for start, address, kind in struct.iter_unpack("<QQI20x", content_at(read, table + 8, 40 * count)):
        if names.at(start, len(name)) == name:
            demand(kind != _SOFT)
            return int(address)
    raise UnknownStructureInTreeError
