"""Data of a dataset that is kept in other files: external storage and virtual datasets.

A file from anyone may name any file of its reader.  So such data is only read if the user allows it, and only from
regular files below the folder of the file, wherever links lead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from h5py import h5d, h5g

from akdask.hdf5.metadata.inspect import open_hdf5
from akdask.hdf5.schema.datasets import NotFlatError, is_dataset, is_outside
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.links import open_path
from akdask.storage.paths.files import is_remote

_DEEPEST = 8  # virtual datasets of virtual datasets
_SAME = "."
"""Name by which a virtual dataset means its own file."""


def allow_outside(node: H5Object, path: str, access: H5Object) -> None:
    """Check in which files a dataset keeps its data, and set `access` so that it is read from just these files.

    Parameters
    ----------
    node : low-level h5py dataset
        A dataset whose data may be in other files.
    path : str
        Its file.
    access : low-level h5py property list
        With which the dataset will be opened.

    Raises
    ------
    NotFlatError
        If a file is missing, is none, or is not below the folder.
    """
    if is_remote(path):
        raise NotFlatError("it keeps its data in other files, which are read on this machine only")
    folder = os.path.dirname(os.path.abspath(path))
    _check(node, path, os.path.realpath(folder), _DEEPEST)
    access.set_efile_prefix(os.fsencode(folder))
    access.set_virtual_prefix(os.fsencode(folder))


def _check(node: H5Object, path: str, folder: str, depth: int) -> None:
    if not depth:
        raise NotFlatError("its data is in virtual datasets of virtual datasets without end")
    for name, dataset in _sources(node.get_create_plist()):
        found = path if name == _SAME and dataset is not None else _below(folder, os.path.dirname(path), name)
        if dataset is not None:
            _check_source(found, dataset, folder, depth)


def _sources(made: H5Object) -> Iterator[tuple[str, str | None]]:
    """Yield the files that data is in, and the datasets in them; None if all bytes of the file are data."""
    for index in range(made.get_external_count()):
        yield os.fsdecode(made.get_external(index)[0]), None
    if made.get_layout() == h5d.VIRTUAL:
        for index in range(made.get_virtual_count()):
            name, dataset = made.get_virtual_filename(index), made.get_virtual_dsetname(index)
            if "%" in name or "%" in dataset:
                raise NotFlatError(f"its data is in files of the pattern {name!r}, and these are not read")
            yield name, dataset


def _below(folder: str, start: str, name: str) -> str:
    found = os.path.realpath(os.path.join(start, name))
    if os.pardir in name.split("/") or os.path.commonpath([folder, found]) != folder:
        raise NotFlatError(f"its data is in {name!r}, which is not below the folder of the file")
    if not os.path.isfile(found):
        raise NotFlatError(f"its data is in {name!r}, which is no file")
    return found


def _check_source(path: str, dataset: str, folder: str, depth: int) -> None:
    """Check the file of a virtual dataset's source: its data may be elsewhere again."""
    with open_hdf5(path) as opened:
        source = open_path(h5g.open(opened.id, b"/"), dataset)
        if not is_dataset(source):
            raise NotFlatError(f"its data is in {dataset!r} of {path!r}, which is no dataset")
        if is_outside(source.get_create_plist()):
            _check(source, path, folder, depth - 1)
