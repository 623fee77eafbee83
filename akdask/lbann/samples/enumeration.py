"""Which samples a file has: the groups at a depth below its root."""

from __future__ import annotations

from akdask.errors import FileFormatError
from akdask.hdf5.tree.library_file import NotThereError
from akdask.hdf5.tree.open_files import OPEN_FILES
from akdask.lbann.errors import MissingSampleError, SampleError


def sample_ids(path: str, *, depth: int = 1) -> list[str]:
    """Return the IDs of the groups at a depth of a file.

    Parameters
    ----------
    path : str
        The file.
    depth : int, default 1
        Parts of an ID: 1 for children of the root, 2 for their children.

    Returns
    -------
    list of str
        In order of creation where the file tells it, else by name; those below one group stand together.

    Raises
    ------
    MissingSampleError
        If there is no such file.
    SampleError
        If it cannot be read.
    """
    try:
        with OPEN_FILES.lease(path) as file:
            level = [""]
            for _ in range(depth):
                level = [
                    f"{group}/{name}" if group else name
                    for group in level
                    for name, is_group in file.library.members(group)
                    if is_group
                ]
            return level
    except FileNotFoundError:
        raise MissingSampleError("there is no such file.", file=path) from None
    except FileFormatError as error:
        raise SampleError("the file cannot be read.", file=path, details=[*error.details, error.message]) from error
    except (OSError, NotThereError) as error:
        raise SampleError("the file cannot be read.", file=path, details=[str(error)]) from error
