"""One file that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable

from akdask.storage.atomic.commit import staging
from akdask.storage.paths.files import written_path


def write_file(path: str | os.PathLike[str], blocks: Iterable[bytes]) -> None:
    """Write blocks of bytes to a file; what was there before stays until all is written.

    Raises
    ------
    WriteError
        If the disk is full, or the folder not writable.
    """
    target = written_path(path)
    staged = staging(target)
    staged.create(replaces=lambda: os.path.exists(target))
    try:
        name = os.path.basename(target)
        attempt = staged.attempt(name)
        with open(attempt, "wb") as file:
            file.writelines(blocks)
        source = staged.finish(attempt, name)
        staged.commit([(source, target)])
    except BaseException:
        staged.discard()
        raise
