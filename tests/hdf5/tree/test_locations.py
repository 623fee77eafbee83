"""Datasets of many groups are located as the library would."""

from __future__ import annotations

import os

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats import tuning
from akdask.formats.hdf5 import group_templates
from akdask.formats.hdf5.group_templates import BY_LIBRARY, locate
from akdask.formats.hdf5.open_files import OPEN_FILES, OpenFiles, TreeFile


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(group_templates, "_LISTINGS", group_templates._GroupListings())
    group_templates._TEMPLATES.clear()


def offsets_by_library(path, groups, paths):
    with h5py.File(path) as file:
        return [
            [-1 if (at := file[f"{group}/{name}"].id.get_offset()) is None else at for name in paths]
            for group in groups
        ]


def write(path, n, order=("a", "b"), **options):
    with h5py.File(path, "w", **options) as file:
        for k in range(n):
            sample = file.create_group(f"g/{k:05d}")
            for name in order:
                sample[name] = np.full((k % 3 if name == "ragged" else 2, 3), float(k))
            if k % 5 == 4:
                sample["further"] = 1
    return [f"g/{k:05d}" for k in range(n)]


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("n_wanted", [1, 5, 60])
def test_offsets_are_those_of_the_library(tmp_path, libver, n_wanted):
    path = str(tmp_path / "f.h5")
    groups = write(path, 60, libver=libver)
    expected = offsets_by_library(path, groups, ("b", "a"))
    with OPEN_FILES.lease(path) as file:
        for _ in range(3):
            found = locate(file, groups[:n_wanted], ("b", "a"))
            assert found.offsets.tolist() == expected[:n_wanted]
            assert (found.which >= 0).all()
        backwards = locate(file, groups[::-1], ("b", "a"))
        assert backwards.offsets.tolist() == expected[::-1]


def test_groups_that_are_not_there_or_have_other_datasets_are_left_to_the_library(tmp_path):
    path = str(tmp_path / "f.h5")
    groups = write(path, 20)
    with h5py.File(path, "a") as file:
        del file["g/00003/b"]
    with OPEN_FILES.lease(path) as file:
        for names in ([groups[3]], [*groups, "g/x", "h/y", "g/00000/a"], ["g/00000/a/z", ""]):
            found = locate(file, names, ("a", "b"))
            ours = [group in groups and group != groups[3] for group in names]
            assert ((found.which != BY_LIBRARY) == ours).all()
            assert (found.offsets[~np.array(ours)] == -1).all()


def test_datasets_of_other_sizes_have_templates_of_their_own(tmp_path):
    path = str(tmp_path / "f.h5")
    groups = write(path, 30, ("a", "ragged"))
    with OPEN_FILES.lease(path) as file:
        found = locate(file, groups, ("ragged",))
    sizes = [found.templates[which].elements[0].size if which >= 0 else None for which in found.which.tolist()]
    assert sizes == [k % 3 * 3 for k in range(30)]


def test_files_of_one_program_share_templates(tmp_path):
    for name in "abc":
        write(str(tmp_path / name), 12)
    counts = []
    for name in "abc":
        with OPEN_FILES.lease(str(tmp_path / name)) as file:
            counts.append(len(locate(file, [f"g/{k:05d}" for k in range(12)], ("a",)).templates))
    assert counts[0] == counts[1] == counts[2]


def test_no_more_is_remembered_than_there_is_memory_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "HDF5_LISTING_BYTES", 1500)
    for name in "abc":
        groups = write(str(tmp_path / name), 30)
        for _ in range(2):
            with OPEN_FILES.lease(str(tmp_path / name)) as file:
                found = locate(file, groups, ("a",))
            assert found.offsets.tolist() == offsets_by_library(str(tmp_path / name), groups, ("a",))
    assert len(group_templates._LISTINGS._found) == 1
    monkeypatch.setattr(tuning, "HDF5_IDLE_LOOKUPS", 0)
    with OPEN_FILES.lease(str(tmp_path / "c")) as file:
        locate(file, groups, ("a",))
    assert [key[0].path for key in group_templates._LISTINGS._found] == [str(tmp_path / "c")]


@given(st.data())
def test_trees_of_any_form(tmp_path_factory, data):
    """Groups in groups, many members, orders of creation, stores in the header, in chunks or nowhere."""
    draw = data.draw
    path = str(tmp_path_factory.mktemp("t") / "f.h5")
    n, n_members = draw(st.integers(1, 12)), draw(st.integers(1, 30))
    names = [f"{'x/' * (k % 3)}m{k}" for k in range(n_members)]
    wanted = tuple(draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)))
    track = draw(st.booleans()) or None
    with h5py.File(path, "w", libver=draw(st.sampled_from(["earliest", "latest"])), track_order=track) as file:
        for k in range(n):
            sample = file.create_group(f"s{k}", track_order=track)
            for position, name in enumerate(names):
                size = 1 + position % 4 + (position % 5 == 0) * (k % 2)
                match position % 7:
                    case 5:
                        sample.create_dataset(name, data=np.arange(size), chunks=(1,))
                    case 6:
                        sample.create_dataset(name, (size,), "f8")
                    case _:
                        sample[name] = np.arange(size) + k
                if draw(st.booleans()) and position % 4 == 0:
                    sample[name].attrs["unit"] = "x" * draw(st.integers(0, 40))
    groups = [f"s{k}" for k in range(n)]
    expected = offsets_by_library(path, groups, wanted)
    with OPEN_FILES.lease(path) as file:
        found = locate(file, groups, wanted)
        for which, offsets, offsets_expected in zip(
            found.which.tolist(), found.offsets.tolist(), expected, strict=True
        ):
            assert which != BY_LIBRARY or offsets == [-1] * len(wanted)
            assert all(one in {-1, other} for one, other in zip(offsets, offsets_expected, strict=True))


def test_an_address_that_does_not_fit_its_checksum_is_left_to_the_library(tmp_path):
    path = str(tmp_path / "f.h5")
    groups = write(path, 4, libver="latest")
    (first, _), (second, _), *_ = offsets_by_library(path, groups, ("a", "b"))
    content = (tmp_path / "f.h5").read_bytes()
    assert content.count(second.to_bytes(8, "little")) == 1
    (tmp_path / "f.h5").write_bytes(content.replace(second.to_bytes(8, "little"), first.to_bytes(8, "little")))
    with OPEN_FILES.lease(path) as file:
        found = locate(file, groups, ("a",))
    assert (found.which == BY_LIBRARY).tolist() == [False, True, False, False]


def test_an_entry_of_another_name_is_not_taken_for_the_wanted_one(tmp_path):
    path = str(tmp_path / "f.h5")
    groups = write(path, 4)
    expected = offsets_by_library(path, groups, ("a", "b"))
    with h5py.File(path) as file:
        a, b = (h5py.h5o.get_info(file[groups[1]][name].id).addr.to_bytes(8, "little") for name in "ab")
    content = (tmp_path / "f.h5").read_bytes()
    at, other = content.index(a) - 8, content.index(b) - 8
    swapped = bytearray(content)
    swapped[at : at + 8], swapped[other : other + 8] = content[other : other + 8], content[at : at + 8]
    (tmp_path / "f.h5").write_bytes(swapped)
    with OPEN_FILES.lease(path) as file:
        found = locate(file, groups, ("a",))
    # The names of the two entries were exchanged.
    assert found.offsets[1, 0] in {-1, expected[1][1]}
    assert found.offsets[[0, 2, 3], 0].tolist() == [expected[k][0] for k in (0, 2, 3)]


def test_what_is_open_is_bounded_and_what_changed_is_opened_anew(tmp_path, open_files):
    files = OpenFiles(3)
    paths = [str(tmp_path / str(k)) for k in range(8)]
    for path in paths:
        write(path, 2)
        with files.lease(path) as file, files.lease(path) as same:
            assert file is same
            assert file.library.has_group("g/00000")
    assert sorted(open_files()) == paths[5:]
    write(paths[7], 3)
    with files.lease(paths[7]) as new:
        assert new.identity.size == os.path.getsize(paths[7])
        assert new is not file
        files.close()
        assert open_files() == [paths[7]]
    files.close()
    assert open_files() == []


def test_a_file_that_was_replaced_while_in_use_is_closed_afterwards(tmp_path, open_files):
    files = OpenFiles(3)
    path = str(tmp_path / "f")
    write(path, 2)
    with files.lease(path) as old:
        os.replace(path, f"{path}.old")
        write(path, 3)
        with files.lease(path) as new:
            assert new is not old
        assert len(open_files()) == 2
    assert open_files() == [path]
    files.close()


def test_root_addresses_are_those_of_the_library(tmp_path):
    for name, options in {"old": {}, "new": {"libver": "latest"}, "v110": {"libver": ("v110", "v110")}}.items():
        write(str(tmp_path / name), 1, **options)
        file = TreeFile(str(tmp_path / name))
        assert file.root == file.library.address("")
        file.close()
    for name, options in {"block": {"userblock_size": 512}, "paged": {"fs_strategy": "page"}}.items():
        write(str(tmp_path / name), 1, **options)
        file = TreeFile(str(tmp_path / name))
        assert file.root is None
        file.close()
