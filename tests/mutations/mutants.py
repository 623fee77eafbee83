"""Damaged copies of files: flipped bits, cuts, overwritten stretches, exchanged members and attributes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np


def mutants(pristine: list[Path], folder: Path, count: int, seed: int) -> Iterator[tuple[Path, Path, str]]:
    """Yield the pristine file, the damaged copy and what was done, for `count` copies, the same for each seed."""
    chooser = random.Random(seed)
    for number in range(count):
        source = pristine[number % len(pristine)]
        target = folder / f"mutant{number}"
        mutate = chooser.choice(MUTATIONS)
        shutil.copyfile(source, target)
        told = mutate(target, chooser)
        yield source, target, f"{mutate.__name__} {told}"


def flip_bit(path: Path, chooser: random.Random) -> str:
    content = bytearray(path.read_bytes())
    place = chooser.choice(metadata_bytes(path, len(content)))
    content[place] ^= 1 << chooser.randrange(8)
    path.write_bytes(content)
    return f"of byte {place}"


def flip_bit_anywhere(path: Path, chooser: random.Random) -> str:
    content = bytearray(path.read_bytes())
    place = chooser.randrange(len(content))
    content[place] ^= 1 << chooser.randrange(8)
    path.write_bytes(content)
    return f"of byte {place}"


def overwrite(path: Path, chooser: random.Random) -> str:
    content = bytearray(path.read_bytes())
    place, length = chooser.choice(metadata_bytes(path, len(content))), chooser.choice([1, 2, 4, 8, 64])
    stretch = chooser.choice([bytes(length), b"\xff" * length, chooser.randbytes(length)])
    content[place : place + length] = stretch
    path.write_bytes(content)
    return f"{length} bytes at {place}"


def cut(path: Path, chooser: random.Random) -> str:
    length = chooser.randrange(path.stat().st_size)
    with path.open("r+b") as file:
        file.truncate(length)
    return f"to {length} bytes"


def exchange_stretches(path: Path, chooser: random.Random) -> str:
    content = bytearray(path.read_bytes())
    length = chooser.choice([8, 16, 40])
    one, other = sorted(chooser.choice(range(0, len(content) - length, 8)) for _ in range(2))
    content[one : one + length], content[other : other + length] = (
        content[other : other + length],
        content[one : one + length],
    )
    path.write_bytes(content)
    return f"of {length} bytes at {one} and {other}"


def exchange_members(path: Path, chooser: random.Random) -> str:
    with h5py.File(path, "r+") as file:
        groups = [group for group in (file, *_groups(file)) if len(group) > 1]
        if not groups:
            return "of nothing"
        group = chooser.choice(groups)
        one, other = chooser.sample(sorted(group), 2)
        group.move(one, "exchanged")
        group.move(other, one)
        group.move("exchanged", other)
        return f"{one!r} and {other!r} of {group.name}"


def remove_member(path: Path, chooser: random.Random) -> str:
    with h5py.File(path, "r+") as file:
        group = chooser.choice([file, *_groups(file)])
        if not len(group):
            return "of an empty group"
        name = chooser.choice(sorted(group))
        del group[name]
        return f"{name!r} of {group.name}"


def change_attribute(path: Path, chooser: random.Random) -> str:
    with h5py.File(path, "r+") as file:
        nodes = [file, *_groups(file), *_datasets(file)]
        node = chooser.choice([node for node in nodes if len(node.attrs)] or nodes)
        if not len(node.attrs):
            return "of nothing"
        name = chooser.choice(sorted(node.attrs))
        del node.attrs[name]
        value = chooser.choice([None, 0, 1, 2, 3, 4, 5, 9, 12, -1, 77, 2**40, "text", 0.5, np.arange(9)])
        if value is not None:
            node.attrs[name] = value
        return f"{name} of {node.name} to {value!r}"


def change_segments(path: Path, chooser: random.Random) -> str:
    with h5py.File(path, "r+") as file:
        columns = [node for node in _datasets(file) if node.dtype.kind == "i" and node.ndim == 1 and len(node)]
        if not columns:
            return "of nothing"
        column = chooser.choice(columns)
        place = chooser.randrange(len(column))
        column[place] = chooser.choice([-1, 0, 1, 2**62, -(2**62), chooser.randrange(100)])
        return f"row {place} of {column.name}"


MUTATIONS: list[Callable[[Path, random.Random], str]] = [
    flip_bit,
    flip_bit,
    flip_bit_anywhere,
    overwrite,
    cut,
    exchange_stretches,
    exchange_members,
    remove_member,
    change_attribute,
    change_segments,
]


def metadata_bytes(path: Path, size: int) -> range | list[int]:
    """Return the positions that hold no elements of datasets."""
    is_data = np.zeros(size, bool)
    with h5py.File(path) as file:
        for node in _datasets(file):
            offset = node.id.get_offset()
            if offset is not None:
                is_data[offset : offset + node.id.get_storage_size()] = True
    return np.flatnonzero(~is_data).tolist()


def _groups(file: h5py.File) -> list[h5py.Group]:
    return _nodes(file, h5py.Group)


def _datasets(file: h5py.File) -> list[h5py.Dataset]:
    return _nodes(file, h5py.Dataset)


def _nodes(file: h5py.File, kind: type) -> list:
    found = []
    file.visititems(lambda _, node: found.append(node) if isinstance(node, kind) else None)
    return found
