"""Writing files of samples: a group for each, with a dataset for each field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import h5py
import numpy as np
from h5py import h5d, h5g, h5p, h5s, h5t


def write_sample_file(path: str, samples: Iterable[tuple[str, Mapping[str, np.ndarray]]]) -> None:
    """Write samples to a new file; groups track the order in which they are made, which LBANN's exclusion lists need.

    Parameters
    ----------
    path : str
        The file.
    samples : iterable of (str, mapping of str to ndarray)
        ID of each sample, and its fields: paths in the sample, and numbers or `str` objects of any rank.

    Raises
    ------
    OSError
        If the disk is full, or the file cannot be made.
    """
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    ordered = h5p.create(h5p.GROUP_CREATE)
    ordered.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
    with h5py.File(path, "w", track_order=True) as file:
        parents: dict[str, Any] = {"": file.id}
        for sample, fields in samples:
            parent, _, name = sample.rpartition("/")
            if parent not in parents:
                parents[parent] = h5g.create(file.id, parent.encode(), lcpl=links, gcpl=ordered)
            group = h5g.create(parents[parent], name.encode())
            for field, values in fields.items():
                _write_field(group, field, values, links)


def _write_field(group: Any, field: str, values: np.ndarray, links: Any) -> None:
    kind = h5t.py_create(h5py.string_dtype(), logical=True) if values.dtype == object else h5t.py_create(values.dtype)
    space = h5s.create_simple(values.shape) if values.ndim else h5s.create(h5s.SCALAR)
    dataset = h5d.create(group, field.encode(), kind, space, lcpl=links)
    if values.size:
        dataset.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(values))
