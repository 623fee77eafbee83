"""What is inside an HDF5 group: members by name, tolerant of the spellings that documents and releases use."""

from __future__ import annotations

from h5py import h5g, h5l, h5o

from akdask.errors import FileFormatError
from akdask.hdf5.schema.datasets import NotFlatError, describe_dataset, is_dataset
from akdask.hdf5.schema.description import DatasetSchema, Slot
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.links import open_member


class Members:
    """The members of one group.

    Parameters
    ----------
    group : low-level h5py group
        An open group.
    path : str
        Its path in the file, empty for the root group.

    Raises
    ------
    NotFlatError
        If it is no group.
    """

    def __init__(self, group: H5Object, path: str) -> None:
        if not isinstance(group, h5g.GroupID):
            raise NotFlatError("is a dataset, but its kind is kept in a group")
        self.group = group
        self.path = path
        self.names: list[bytes] = []
        self._indirect: set[bytes] = set()
        group.links.iterate(self._add, info=True)
        if len(set(self.names)) != len(self.names):
            raise FileFormatError(f"group {path or '/'!r} has two members of one name; the file is damaged.")

    def _add(self, name: bytes, info: H5Object) -> None:
        self.names.append(name)
        if info.type != h5l.TYPE_HARD or b"/" in name:
            self._indirect.add(name)

    def find(self, *wanted: str) -> bytes | None:
        """Return the first wanted name that is there, exactly so or in another case."""
        spelled = [name.encode(errors="surrogateescape") for name in wanted]
        folded = {name.lower(): name for name in self.names}
        exact = (name for name in spelled if name in self.names)
        return next(exact, next((folded[name.lower()] for name in spelled if name.lower() in folded), None))

    def find_values(self, *wanted: str) -> bytes | None:
        """Return the name of ``values`` or ``segments``, also where it is spelled ``<leaf>_values``."""
        leaf = self.path.rpartition("/")[2]
        return self.find(*wanted, *[f"{leaf}_{member}" for member in wanted])

    def open(self, name: bytes) -> H5Object:
        """Open a member.

        Raises
        ------
        NotFlatError
            If it is a link that leads nowhere, or to another file.
        """
        return open_member(self.group, name) if name in self._indirect else h5o.open(self.group, name)

    def path_of(self, name: bytes) -> str:
        """Return the path of a member in the file."""
        leaf = name.decode(errors="surrogateescape")
        return f"{self.path}/{leaf}" if self.path else leaf

    def dataset(self, name: bytes | None, wanted: str) -> tuple[DatasetSchema, Slot]:
        """Describe a member that must be a flat dataset.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        if name is None:
            raise NotFlatError(f"has no member {wanted!r}")
        node = self.open(name)
        if not is_dataset(node):
            raise NotFlatError(f"has a member {wanted!r} that is no dataset")
        return describe_dataset(node, self.path_of(name))

    def subgroup(self, name: bytes | None, wanted: str) -> Members:
        """Open a member that must be a group.

        Raises
        ------
        NotFlatError
            If it is missing or is not one.
        """
        node = None if name is None else self.open(name)
        if name is None or not isinstance(node, h5g.GroupID):
            raise NotFlatError(f"has no group {wanted!r}")
        return Members(node, self.path_of(name))
