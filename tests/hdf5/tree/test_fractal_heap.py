"""Links in fractal heaps are found as the library finds them, and damaged heaps are left to it."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
from h5py import h5o
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import AkdaskError
from akdask.formats.hdf5 import group_templates
from akdask.formats.hdf5.binary import find_group
from akdask.formats.hdf5.group_templates import BY_LIBRARY, locate
from akdask.formats.hdf5.open_files import OPEN_FILES, TreeFile

NAMES = tuple(f"scalar_{k}{'y' * (k % 7)}" for k in range(60))


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(group_templates, "_LISTINGS", group_templates._GroupListings())
    group_templates._TEMPLATES.clear()


def write(path, n=4, names=NAMES, **options):
    with h5py.File(path, "w", libver="latest", **options) as file:
        for k in range(n):
            sample = file.create_group(f"s{k}", **options)
            for number, name in enumerate(names):
                sample[name] = np.array([k * 100.0 + number])


def offsets(path, n, names=NAMES):
    with h5py.File(path) as file:
        return [[file[f"s{k}/{name}"].id.get_offset() for name in names] for k in range(n)]


@pytest.mark.parametrize("track_order", [None, True])
@pytest.mark.parametrize("n_names", [9, 46, 60])
def test_groups_with_many_links_share_one_template(tmp_path, n_names, track_order):
    path, names = str(tmp_path / "f.h5"), NAMES[:n_names]
    write(path, 20, names, track_order=track_order)
    with OPEN_FILES.lease(path) as file:
        found = locate(file, [f"s{k}" for k in range(20)], names)
    assert found.which.tolist() == [0] * 20
    assert found.offsets.tolist() == offsets(path, 20, names)


def test_links_are_found_behind_the_first_16_mib_of_a_heap(tmp_path):
    path, long = str(tmp_path / "f.h5"), "n" * 4000
    with h5py.File(path, "w", libver="latest") as file:
        group = file.create_group("g")
        aims = [file.create_dataset(f"x{k}", data=[k]) for k in range(5)]
        addresses = [h5o.get_info(aim.id).addr for aim in aims]
        for number in range(4300):
            group[f"{number:05d}{long}"] = aims[number % 5]
    file = TreeFile(path)
    for number in (0, 1, 255, 256, 1023, 4096, 4192, 4193, 4294, 4298, 4299):
        assert find_group(file.read_at, file.root, f"g/{number:05d}{long}") == addresses[number % 5], number
    assert find_group(file.read_at, file.root, f"g/{4300:05d}{long}") is None
    file.close()


@pytest.mark.parametrize("n_names", [1, 60])
def test_the_order_in_which_links_were_made_makes_no_difference(tmp_path, n_names):
    path, names = str(tmp_path / "f.h5"), NAMES[:n_names]
    with h5py.File(path, "w", libver="latest") as file:
        for k in range(6):
            sample = file.create_group(f"s{k}", track_order=True)
            sample["other"] = np.array([0.5])  # links of empty groups are counted anew
            for _ in range(1 + k):
                sample[names[0]] = np.array([0.5])
                del sample[names[0]]
            for number, name in enumerate(names):
                sample[name] = np.array([k * 100.0 + number])
    with OPEN_FILES.lease(path) as file:
        found = locate(file, [f"s{k}" for k in range(6)], names)
    assert found.which.tolist() == [0] * 6
    assert found.offsets.tolist() == offsets(path, 6, names)


def test_links_that_were_removed_are_not_found_in_what_is_left_of_them(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path)
    with h5py.File(path, "a", libver="latest") as file:
        del file[f"s1/{NAMES[5]}"]
        file["s2"].move(NAMES[5], NAMES[5].upper())
    root = TreeFile(path)
    with OPEN_FILES.lease(path) as file:
        found = locate(file, ["s0", "s1", "s2", "s3"], (NAMES[5],))
    assert (found.which != BY_LIBRARY).tolist() == [True, False, False, True]
    assert find_group(root.read_at, root.root, f"s1/{NAMES[5]}") is None
    root.close()


def test_names_whose_hashes_are_alike_are_left_to_the_library(tmp_path, monkeypatch):
    path = str(tmp_path / "f.h5")
    write(path)
    content = bytearray(Path(path).read_bytes())
    leaf = content.index(b"BTLF")
    content[leaf + 17 : leaf + 21] = content[leaf + 6 : leaf + 10]  # the hash of the record behind it
    Path(path).write_bytes(content)
    file = TreeFile(path)
    found = [find_group(file.read_at, file.root, f"s0/{name}") for name in NAMES]
    assert found.count(None) >= 2
    file.close()


@given(st.lists(st.text(min_size=1, max_size=40), min_size=9, max_size=80, unique=True), st.booleans(), st.randoms())
def test_any_names_in_any_order_of_creation_with_some_removed(tmp_path_factory, names, track_order, rng):
    path = str(tmp_path_factory.mktemp("t") / "f.h5")
    names = [name.replace("/", "|").replace("\0", "0") for name in names]
    names = list(dict.fromkeys(name for name in names if name.strip(".")))
    with h5py.File(path, "w", libver="latest", track_order=track_order) as file:
        for name in names:
            file.create_group(name)
        for name in rng.sample(names, rng.randint(0, len(names) // 2)):
            del file[name]
    with h5py.File(path) as file:
        expected = {name: h5o.get_info(file[name].id).addr if name in file else None for name in names}
    file = TreeFile(path)
    assert {name: find_group(file.read_at, file.root, name) for name in names} == expected
    file.close()


def test_flipped_bits_are_errors_or_left_to_the_library(tmp_path):
    path, names = str(tmp_path / "f.h5"), NAMES[:50]
    write(path, 3, names)
    expected = np.array(offsets(path, 3, names[::7]))
    good = Path(path).read_bytes()
    marked = [found.start() for found in re.finditer(b"FRHP|BTHD|BTIN|BTLF|FHIB|FHDB|OHDR", good[:-170])]
    rng = random.Random(0)
    for _ in range(150):
        content = bytearray(good)
        at = rng.choice(marked) + rng.randrange(160)
        if rng.random() < 0.3:
            content[at : at + 8] = struct.pack("<Q", rng.choice([0, 2**63, 2**64 - 1, at, rng.randrange(len(good))]))
        else:
            content[at] ^= 1 << rng.randrange(8)
        bad = str(tmp_path / "bad.h5")
        Path(bad).write_bytes(content)
        file = TreeFile(bad)
        try:
            found = locate(file, ["s0", "s1", "s2"], names[::7]).offsets
            assert ((found == -1) | (found == expected)).all()
        except AkdaskError:
            pass
        file.close()
        group_templates._TEMPLATES.clear()
