"""Members of groups, opened by links that stay in their file.

HDF5 follows links to other files wherever a path leads through one, also to unrelated files, and waits where
such a file is a pipe.  So paths are walked here one name at a time, and HDF5 is only asked for what is in the file.
"""

from __future__ import annotations

from h5py import h5g, h5l, h5o

from akdask.hdf5.schema.datasets import NotFlatError
from akdask.hdf5.schema.layout import H5Object

_MOST_LINKS = 16  # soft links that one path may lead through, as many as HDF5 follows


def open_path(root: H5Object, path: str) -> H5Object:
    """Open what is at a path below a group.

    Raises
    ------
    NotFlatError
        If the path leads nowhere, or out of the file.
    """
    return _walk(root, path.encode(errors="surrogateescape"), [_MOST_LINKS])


def open_member(group: H5Object, name: bytes) -> H5Object:
    """Open a member of a group; for errors see `open_path`."""
    return _step(group, name, [_MOST_LINKS])


def _walk(node: H5Object, path: bytes, left: list[int]) -> H5Object:
    """Open what is at a path; `left` has one number, of the soft links that may still be followed."""
    if path.startswith(b"/"):
        node = h5g.open(node, b"/")
    for name in path.split(b"/"):
        if name not in {b"", b"."}:
            node = _step(node, name, left)
    return node


def _step(group: H5Object, name: bytes, left: list[int]) -> H5Object:
    if b"/" in name:
        raise NotFlatError("has a name with '/', which would lead elsewhere")
    if not isinstance(group, h5g.GroupID) or not group.links.exists(name):
        raise NotFlatError("is a link that leads nowhere")
    match group.links.get_info(name).type:
        case h5l.TYPE_HARD:
            return h5o.open(group, name)
        case h5l.TYPE_SOFT:
            if not left[0]:
                raise NotFlatError("is a link that leads to links without end")
            left[0] -= 1
            return _walk(group, group.links.get_val(name), left)
    raise NotFlatError("is a link to another file, and these are not followed")
