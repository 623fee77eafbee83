"""Groups are found by name as the library finds them."""

from __future__ import annotations

import h5py
import pytest
from h5py import h5o

from akdask.formats.hdf5.binary import find_group
from akdask.formats.hdf5.open_files import TreeFile


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("n", [1, 3, 8, 9, 50, 300, 3000])
def test_groups_among_few_and_among_many(tmp_path, libver, n):
    path = str(tmp_path / "f.h5")
    names = [f"{'a' * (k % 40)}{k}" for k in range(n)]
    with h5py.File(path, "w", libver=libver) as file:
        for name in names:
            file.create_group(f"g/{name}")
        file["g/soft"] = h5py.SoftLink("/g/1")
    with h5py.File(path) as file:
        wanted = [*names[:: max(n // 50, 1)], names[-1]]
        expected = {name: h5o.get_info(file[f"g/{name}"].id).addr for name in wanted}
    file = TreeFile(path)
    found = {name: find_group(file.read_at, file.root, f"g/{name}") for name in wanted}
    assert found == expected
    for name in ("", "soft", "x", "a" * 50, "g/x", f"{names[0]}/x"):
        assert find_group(file.read_at, file.root, f"g/{name}") is None
    assert find_group(file.read_at, 1, "g") is None
    file.close()
