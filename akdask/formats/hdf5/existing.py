"""Add objects to existing files: their schemas, and copies of them with or without the objects of some names."""

from __future__ import annotations

import shutil
from collections.abc import Collection

import h5py
import numpy as np
from h5py import h5a, h5g, h5l, h5o

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.inspect import open_file, open_hdf5
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.members import Members


def stored_names(path: str) -> list[str]:
    """Return the names of the root objects of a file, in the user's order if akdask wrote it.

    Raises
    ------
    FileFormatError
        If the file cannot be read as HDF5.
    """
    with open_file(path) as file:
        root = h5g.open(file.id, b"/")
        names = [name.decode(errors="surrogateescape") for name in Members(root, "").names]
        return layout.in_stored_order(names, layout.read_text(root, layout.COLUMN_ORDER))


def copy_without(old: str, new: str, names: Collection[str]) -> None:
    """Copy a file, leaving out the objects of the given names and the space that they took."""
    present = set(stored_names(old))
    if not present.intersection(names):
        shutil.copyfile(old, new)
        return
    with open_hdf5(old) as source, h5py.File(new, "w-", libver="earliest") as target:
        _copy_attributes(h5g.open(source.id, b"/"), h5g.open(target.id, b"/"))
        for name in source:
            if name not in names:
                _copy_link(source.id, target.id, name.encode(errors="surrogateescape"))


def _copy_link(source: H5Object, target: H5Object, name: bytes) -> None:
    match source.links.get_info(name).type:
        case h5l.TYPE_HARD:
            h5o.copy(source, name, target, name)
        case h5l.TYPE_SOFT:
            target.links.create_soft(name, source.links.get_val(name))
        case h5l.TYPE_EXTERNAL:
            target.links.create_external(name, *source.links.get_val(name))


def _copy_attributes(source: H5Object, target: H5Object) -> None:
    for index in range(h5a.get_num_attrs(source)):
        old = h5a.open(source, index=index)
        new = h5a.create(target, old.name, old.get_type(), old.get_space())
        if old.shape is not None:
            value = np.zeros(old.shape, old.dtype)
            old.read(value)
            new.write(value)
