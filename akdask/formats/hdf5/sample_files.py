"""Writing samples: groups of small datasets, very many to a file.

The library takes some forty microseconds for each dataset.  Samples of numbers differ in values and addresses alone, so
it makes one of them, in memory, as a pattern.  It then makes the groups of all samples in the file, empty, and the
copies of the pattern are written past it: the datasets behind the end of the file, the links over the empty groups.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import h5py
import numpy as np
import numpy.typing as npt
from h5py import h5d, h5g, h5o, h5p, h5s, h5t

from akdask.formats import tuning
from akdask.formats.hdf5.binary import (
    UNKNOWN,
    MessageKind,
    Walk,
    WalkedBlock,
    demand,
    find_link,
    lookup3,
    lookup3_of_rows,
    read_header,
)
from akdask.formats.hdf5.layout import H5Object
from akdask.records import record

Fields: TypeAlias = Mapping[str, Sequence[np.ndarray]]
"""Rows of each field: numbers or `str` objects of any rank."""

_VERSIONS = ("v108", "latest")


def write_sample_file(path: str, names: Sequence[str], fields: Fields) -> None:
    """Write samples to a new file; groups track the order of creation, which LBANN's exclusion lists need.

    Small fields lie within the headers of their datasets, and headers are those of HDF5 1.8 and later.

    Parameters
    ----------
    path : str
        The file.
    names : sequence of str
        ID of each sample.
    fields : mapping of str to sequence of ndarray
        Fields by their paths in the sample: rows of numbers or `str` objects of any rank.

    Raises
    ------
    OSError
        If the disk is full, or the file cannot be made.
    """
    pattern = _pattern_of(path, fields) if len(names) >= tuning.HDF5_SAMPLES_BY_PATTERN else None
    if pattern is None:
        with h5py.File(path, "w", track_order=True, libver=_VERSIONS) as file:
            writer = _FieldWriter()
            for row, group in enumerate(_new_groups(file.id, names)):
                writer.write(group, {field: values[row] for field, values in fields.items()})
        return
    with h5py.File(path, "w", track_order=True, libver=_VERSIONS) as file:
        headers = [h5o.get_info(group).addr for group in _new_groups(file.id, names)]
    pattern.copy_to(path, np.array(headers, np.int64), fields)


def _new_groups(file: H5Object, names: Sequence[str]) -> Iterator[H5Object]:
    links = _linking()
    ordered = h5p.create(h5p.GROUP_CREATE)
    ordered.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
    plain = _plain_group()
    parents: dict[str, H5Object] = {"": file}
    for sample in names:
        parent, _, name = sample.rpartition("/")
        if parent not in parents:
            parents[parent] = h5g.create(file, parent.encode(), lcpl=links, gcpl=ordered)
        yield h5g.create(parents[parent], name.encode(), gcpl=plain)


def _linking() -> H5Object:
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    return links


def _plain_group() -> H5Object:
    plain = h5p.create(h5p.GROUP_CREATE)
    plain.set_obj_track_times(False)
    return plain


_COMPACT_BYTES = 2**12
"""Bytes of values up to which they lie within the header of their dataset."""


class _FieldWriter:
    """Makes datasets, with properties that are made once for each type and shape."""

    def __init__(self) -> None:
        self._links = _linking()
        self._forms: dict[Any, tuple[H5Object, H5Object, H5Object]] = {}

    def write(self, group: H5Object, fields: Mapping[str, Any]) -> None:
        for field, given in fields.items():
            # NumPy would make text of one length of a single text.
            values = _native(np.asarray(given, object if isinstance(given, str) else None))
            form = self._forms.get((values.dtype, values.shape))
            if form is None:
                form = self._forms[values.dtype, values.shape] = _form_of(values)
            kind, space, layout = form
            dataset = h5d.create(group, field.encode(), kind, space, dcpl=layout, lcpl=self._links)
            if values.size:
                dataset.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(values))


def _form_of(values: np.ndarray) -> tuple[H5Object, H5Object, H5Object]:
    """Return the stored type, the shape and the layout of a field."""
    kind = h5t.py_create(h5py.string_dtype(), logical=True) if values.dtype == object else h5t.py_create(values.dtype)
    space = h5s.create_simple(values.shape) if values.ndim else h5s.create(h5s.SCALAR)
    layout = h5p.create(h5p.DATASET_CREATE)
    layout.set_obj_track_times(False)
    if values.dtype != object and 0 < values.nbytes <= _COMPACT_BYTES:
        layout.set_layout(h5d.COMPACT)
    return kind, space, layout


@record
class _Pattern:
    """Bytes of a sample, of which values, addresses and checksums differ from sample to sample.

    Parameters
    ----------
    content : bytes
        The header of the sample's group, and behind it all further blocks.
    head : int
        Bytes of the header, which lies elsewhere.
    empty : bytes
        The header of a group without members.
    addresses : tuple of (int, int)
        Places of addresses, and of the blocks whose addresses they are.
    values : tuple of (str, int)
        Fields, and where their values are.
    blocks : tuple of (int, int)
        Starts and stops of blocks, whose last four bytes are the checksum of those before.
    """

    content: bytes
    head: int
    empty: bytes
    addresses: tuple[tuple[int, int], ...]
    values: tuple[tuple[str, int], ...]
    blocks: tuple[tuple[int, int], ...]

    def copy_to(self, path: str, headers: npt.NDArray[np.int64], fields: Fields) -> None:
        """Write the samples whose empty groups are at `headers` of a file."""
        size = len(self.content) - self.head
        with open(path, "r+b", buffering=0) as file:
            end = -(-os.fstat(file.fileno()).st_size // 8) * 8
            for start in range(0, len(headers), tuning.HDF5_SAMPLE_BLOCK):
                some = headers[start : start + tuning.HDF5_SAMPLE_BLOCK]
                stop = start + len(some)
                behind = end + np.arange(start, stop) * size
                rows = self._rows(behind, {name: values[start:stop] for name, values in fields.items()})
                _write_all(file.fileno(), rows[:, self.head :].tobytes(), end + start * size)
                self._fill(file.fileno(), some, rows[:, : self.head])
            _set_end(file.fileno(), end + len(headers) * size)

    def _rows(self, behind: npt.NDArray[np.int64], fields: Fields) -> npt.NDArray[np.uint8]:
        """Return the bytes of samples whose blocks but the first begin at `behind`."""
        n = len(behind)
        rows = np.empty((n, len(self.content)), np.uint8)
        rows[:] = np.frombuffer(self.content, np.uint8)
        for place, target in self.addresses:
            rows[:, place : place + 8] = _bytes_of(behind + (target - self.head))
        for name, place in self.values:
            found = _bytes_of(_native(np.asarray(fields[name])))
            rows[:, place : place + found.shape[1]] = found
        for start, stop in self.blocks:
            rows[:, stop - 4 : stop] = _bytes_of(lookup3_of_rows(rows[:, start : stop - 4]).astype("<u4"))
        return rows

    def _fill(self, descriptor: int, headers: npt.NDArray[np.int64], heads: npt.NDArray[np.uint8]) -> None:
        """Write headers over those of empty groups."""
        first = int(headers.min())
        near = np.frombuffer(bytearray(os.pread(descriptor, int(headers.max()) - first + self.head, first)), np.uint8)
        at = (headers - first)[:, None] + np.arange(self.head)
        if (near[at] != np.frombuffer(self.empty, np.uint8)).any():
            raise OSError("a group of a new file is not where HDF5 has put it.")
        near[at] = heads
        _write_all(descriptor, near.tobytes(), first)


def _native(values: np.ndarray) -> np.ndarray:
    """Return values in the byte order of the machine, as NumPy's scalars are."""
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _bytes_of(values: np.ndarray) -> npt.NDArray[np.uint8]:
    """Return the bytes of each row."""
    return np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)


def _write_all(descriptor: int, content: bytes, position: int) -> None:
    left = memoryview(content)
    while left:
        written = os.pwrite(descriptor, left, position)
        left, position = left[written:], position + written


_END_OF_FILE, _SUPERBLOCK = 28, 44


def _set_end(descriptor: int, end: int) -> None:
    """Note the size of the file in its superblock of version 2 or 3."""
    block = os.pread(descriptor, _SUPERBLOCK, 0)
    block = block[:_END_OF_FILE] + end.to_bytes(8, "little") + block[_END_OF_FILE + 8 :]
    _write_all(descriptor, block + lookup3(block).to_bytes(4, "little"), 0)


def _pattern_of(path: str, fields: Mapping[str, Any]) -> _Pattern | None:
    """Return the pattern of samples; None if they differ in more than values, or are not small.

    HDF5 takes files in memory of one name for one file, so that the pattern has the name of the file.
    """
    for values in fields.values():
        if not isinstance(values, np.ndarray) or values.dtype == object:
            return None
        if not 0 < values[0].nbytes <= _COMPACT_BYTES:
            return None
    with h5py.File(path, "w", driver="core", backing_store=False, track_order=True, libver=_VERSIONS) as file:
        # The second group lies behind the header of the first, which cannot grow therefore.
        full, empty = _new_groups(file.id, ["full", "empty"])
        _FieldWriter().write(full, {field: values[0] for field, values in fields.items()})
        headers = [h5o.get_info(group).addr for group in (full, empty)]
        file.flush()
        image = file.id.get_file_image()
    try:
        return _PatternWalk(image, *headers).pattern(fields)
    except UNKNOWN:
        return None


class _PatternWalk:
    """A walk through the blocks of a group and of all datasets below it."""

    def __init__(self, image: bytes, full: int, empty: int) -> None:
        self._walk, of_empty = (Walk(lambda start, size: image[start : start + size], place) for place in (full, empty))
        (block,) = read_header(of_empty, 0).blocks
        self._empty = block.content

    def pattern(self, fields: Fields) -> _Pattern:
        """Return the bytes of all blocks, one behind the other.

        Raises
        ------
        UnknownStructureError
            If there are blocks other than headers, or the header of the group is longer than that of an empty one.
        """
        values = {field: self._values(field) for field in fields}
        blocks = self._walk.blocks
        demand(blocks[0].address == 0 and len(blocks[0].content) == len(self._empty))
        demand(all(block.content.startswith((b"OHDR", b"OCHK")) for block in blocks))
        stops = np.cumsum([len(block.content) for block in blocks]).tolist()
        starts = dict(zip(blocks, [0, *stops], strict=False))
        start_of = {block.address: start for block, start in starts.items()}
        return _Pattern(
            b"".join(block.content for block in blocks),
            stops[0],
            self._empty,
            tuple(
                (start + place, start_of[number])
                for block, start in starts.items()
                for place, (_, number) in block.fields.items()
            ),
            tuple((field, starts[block] + place) for field, (block, place) in values.items()),
            tuple(zip(starts.values(), stops, strict=True)),
        )

    def _values(self, field: str) -> tuple[WalkedBlock, int]:
        """Return the block that holds the values of a field, and their place in it."""
        address = 0
        for name in field.split("/"):
            block, start, _, place = find_link(self._walk, read_header(self._walk, address), name.encode())
            address = self._walk.number(block, start + place)
        message = read_header(self._walk, address).only(MessageKind.LAYOUT)
        demand(message.content[1] == 0)  # The values are in the message, behind its version, its class and their size.
        return message.block, message.place + 4
